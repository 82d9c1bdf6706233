/* SPDX-License-Identifier: GPL-2.0 */
/*
 * away.h: how long tasks are off the CPU inside of calls, for `measure FUNCTION oncpu` and `blocked`.
 *
 * A task that is in such a call has a cell in a table, one for all measurements by the same clock, which never grows: sched_switch writes
 * there when the task goes, and adds up when it comes back. Only the task itself enters and takes out its cell; while it is off the
 * CPU only the CPU that switches writes to it. So nothing is locked.
 */
#ifndef KS_AWAY_H
#define KS_AWAY_H

#include <linux/types.h>
#include "kstats.h"

struct kstats;
struct ks_frame;
struct task_struct;

#define KS_AWAY_WORDS	2	/* that a frame has for us, behind the statement's own data */

static inline bool ks_away_wanted(const struct kstats_statement *s)
{
	return s && s->time;
}

/*
 * @k is about to be armed: from here on switches are followed, until it is closed, when no handler of @k runs any more. A
 * negative errno after a line in the log. Under ks_lock; may sleep. No-ops where @k does not want it, or has not opened it.
 */
int ks_away_open(struct kstats *k);
void ks_away_close(struct kstats *k);
size_t ks_away_memory(const struct kstats *k);	/* bytes of the table that it has open, with others */

/*
 * A call begins in the context that @f says. False: the table has no room for its task. It ends: what is returned is how long the
 * task was off the CPU since, in raw ticks of the clock of @k. Both with preemption off since before the clock was read; any context.
 */
bool ks_away_begin(const struct kstats *k, struct ks_frame *f);
u64 ks_away_end(const struct kstats *k, const struct ks_frame *f);

/* @task is being freed: what calls that it never returned from have left is taken out. Preemption off. */
void ks_away_forget(const struct task_struct *task);

#endif /* KS_AWAY_H */
