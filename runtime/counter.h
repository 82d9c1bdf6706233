/* SPDX-License-Identifier: GPL-2.0 */
/*
 * counter.h: what `measure FUNCTION of COUNTER` reads in place of a clock: a number of the current task's, or a perf counter of
 * this CPU.
 */
#ifndef KS_COUNTER_H
#define KS_COUNTER_H

#include "kstats.h"

struct kstats;
struct ks_counter;
struct ks_frame;

static inline bool ks_counter_wanted(const struct kstats_statement *s)
{
	return s && s->counter;
}

/*
 * Have the counter counting on every CPU, until it is closed. 0, or a negative errno after a line in the log. Under ks_lock; may
 * sleep. Closing is for when no handler reads it any more; also of one that was not opened.
 */
int ks_counter_open(struct kstats *k);
void ks_counter_close(struct kstats *k);

/*
 * A call begins: keep what the end needs in @f, of which the word behind the statement's own data is ours. It ends: how far the
 * counter has moved becomes *moved. What is returned is KSTATS_RECORDED, or the term of a call of which that cannot be told. Any
 * context, preemption off.
 */
void ks_counter_begin(const struct kstats *k, struct ks_frame *f);
enum kstats_term ks_counter_end(const struct kstats *k, const struct ks_frame *f, u64 *moved);

int ks_counter_init(void);
void ks_counter_exit(void);

#endif /* KS_COUNTER_H */
