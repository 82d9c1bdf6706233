/* SPDX-License-Identifier: GPL-2.0 */
/*
 * floor_hit.h: empty functions and tracepoints of our own, which nobody calls but floor.c.
 */
#ifndef KS_FLOOR_HIT_H
#define KS_FLOOR_HIT_H

#include "compat.h"

enum ks_hit {
	KS_HIT_FUNCTION,	/* with a call site of ftrace's: for kprobes and kretprobes */
	KS_HIT_SITE,		/* with a call site that ks_hit_aim() turns: for thunks */
	KS_HIT_TRACEPOINT,
	KS_HIT_INSTRUCTION,	/* behind the call site of a function */
	KS_HITS			/* none */
};

/*
 * Pass the first of the kind @from, and unless @to is KS_HITS the second of that kind behind it, @n times. An instruction is
 * alone.
 */
void ks_hit_run(enum ks_hit from, enum ks_hit to, unsigned int n);

/* KS_HIT_FUNCTION: their addresses. KS_HIT_INSTRUCTION: its function's, and how far it is from there. */
unsigned long ks_hit_function(unsigned int i);
unsigned long ks_hit_instruction(unsigned int *offset);

/* Does somebody trace one of the functions? Then what they show is not the mechanism alone. Where no probe of ours is attached. */
bool ks_hit_is_traced(void);

/* The tracepoints' names. */
extern const char *const ks_hit_tracepoint[2];

#if KS_DIRECT
/* The address of the call site of KS_HIT_SITE. */
unsigned long ks_hit_site(unsigned int i);

/* Let it lead to @code; 0: nowhere, it is a nop. May sleep. */
void ks_hit_aim(unsigned int i, unsigned long code);
#endif

#endif /* KS_FLOOR_HIT_H */
