/* SPDX-License-Identifier: GPL-2.0 */
/*
 * guard.h: a measurement that takes too much of a CPU is stopped. What it has counted stays, and it says so.
 */
#ifndef KS_GUARD_H
#define KS_GUARD_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

struct kstats;

struct ks_guard {
	/* Under ks_lock: */
	u64 *hits;		/* of each possible CPU, when last looked at */
	u64 looked;		/* then, CLOCK_MONOTONIC; 0: not since it was armed */
	u32 cost;		/* of a hit, in tenths of ns, without its handlers; 0: not known */
	unsigned int over;	/* looks in a row that found too much */

	atomic64_t handled, handled_ns;	/* what its handlers took, of some */

	/* Why it was stopped; percent is 0 where it was not. Under read_lock: */
	u32 percent, cpu, each_ns;
	u64 rate;		/* hits a second there */
};

/* While this stands, handlers are timed. */
extern bool ks_guard_times;

/* One took so long. Any context. */
void ks_guard_took(struct kstats *k, u64 ns);

int ks_guard_init(void);

/* Memory for it: process context, 0 or -ENOMEM; given back when nobody looks any more. */
int ks_guard_new(struct kstats *k);
void ks_guard_free(struct kstats *k);

/* It counts from here on. Under ks_lock. */
void ks_guard_watch(struct kstats *k);

/* The line "overload ...", of one that was stopped; returns its length, else 0. Under read_lock. */
size_t ks_guard_text(const struct kstats *k, char *buf, size_t size);

/* Nobody looks any more. Not under ks_lock; may sleep. */
void ks_guard_exit(void);

#endif /* KS_GUARD_H */
