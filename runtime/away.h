/* SPDX-License-Identifier: GPL-2.0 */
/*
 * away.h: how long tasks are off the CPU inside of calls, for `measure FUNCTION oncpu` and `blocked`.
 *
 * A task that is in such a call has a cell in its measurement's table, which never grows: sched_switch writes there when the task
 * goes, and adds up when it comes back. Only the task itself enters its cell; while it is off the CPU only the CPU that switches writes
 * to it. So nothing is locked.
 */
#ifndef KS_AWAY_H
#define KS_AWAY_H

#include <linux/types.h>

struct kstats;
struct ks_away;
struct ks_frame;
struct kstats_statement;
struct task_struct;

#define KS_AWAY_WORDS	2	/* that a frame has for us, behind the statement's own data */

struct ks_away *ks_away_new(const struct kstats_statement *s);	/* NULL: no memory. May sleep */
void ks_away_free(struct ks_away *a);				/* of one that is in no list any more, a grace period later */
size_t ks_away_memory(const struct ks_away *a);			/* bytes; of NULL 0 */

/*
 * @k is about to be armed: its table is empty from here on, and follows every switch, until it is closed, when no handler of @k runs
 * any more. A negative errno after a line in the log. Under ks_lock; may sleep. No-ops where @k has no table.
 */
int ks_away_open(struct kstats *k);
void ks_away_close(struct kstats *k);

/*
 * A call begins in the context that @f says. False: the table has no room for its task. It ends: *away becomes how long the task was
 * off the CPU since, in raw ticks of the clock of @k; false: nobody knows. Both with preemption off since before the clock was
 * read; any context.
 */
bool ks_away_begin(struct kstats *k, struct ks_frame *f);
bool ks_away_end(struct kstats *k, const struct ks_frame *f, u64 *away);

/* @task is being freed: what calls that it never returned from have left is taken out. Preemption off. */
void ks_away_forget(struct kstats *k, const struct task_struct *task);

#endif /* KS_AWAY_H */
