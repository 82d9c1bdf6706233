/* SPDX-License-Identifier: GPL-2.0 */
/* counters.h: perf's names for counters, as the numbers that perf_event_open(2) takes. */
#ifndef KM_COUNTERS_H
#define KM_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

struct counter {
	uint32_t type;
	uint64_t config;
};

/*
 * A generic event ("instructions", "page-faults"), one of a cache ("LLC-load-misses", "dTLB-stores"), a raw one ("r01c4"), or where
 * @devices is not NULL an event of the processor's PMU by that machine's own list ("/sys/bus/event_source/devices"). False: there is
 * none of this name.
 */
bool counter_find(const char *name, const char *devices, struct counter *out);

void counter_near(struct near *near);

/* The names of the generic ones, one after the other; NULL behind the last. */
const char *counter_name(unsigned int i);

#endif /* KM_COUNTERS_H */
