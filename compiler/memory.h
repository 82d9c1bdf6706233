/* SPDX-License-Identifier: GPL-2.0 */
/* memory.h: what a plan will take of the kernel's memory, statement by statement: kmeter check -v. */
#ifndef KM_MEMORY_H
#define KM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "diag.h"
#include "plan.h"

struct memory {
	uint64_t slots;		/* of a histogram */
	uint64_t parts;		/* histograms: one, or one a key */
	uint64_t cpu;		/* bytes a possible CPU: slots and counters */
	uint64_t keys;		/* bytes: the map of a `by` */
	uint64_t pairs;		/* bytes: starts that may wait, and what they carry */
};

/* As runtime/record.c and pair.c will allocate. What probes keep (kretprobe's instances) is not in it. */
struct memory memory_of(const struct plan_statement *s);

/* A table, for @cpus possible CPUs. */
void memory_print(const struct plan *plan, unsigned int cpus, FILE *to);

/*
 * Does a plan stay within @most bytes, on @cpus CPUs? Else an error of @diag, which names the largest of its statements. 0: within five
 * percent of this machine's memory.
 */
bool memory_within(const struct plan *plan, unsigned int cpus, uint64_t most, struct diag *diag);

/* The possible CPUs of this machine. */
unsigned int memory_cpus(void);

#endif /* KM_MEMORY_H */
