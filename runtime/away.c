// SPDX-License-Identifier: GPL-2.0
/*
 * away.c: see away.h.
 *
 * A task's time off the CPU is one sum that only grows while it is in any call of the measurement: a call keeps the sum of its
 * beginning, and what was added by its end is its own. So calls inside each other, of whatever functions, need one cell.
 *
 * A switch is one read of the clock: what leaves and what comes share it, in all measurements. The order of things is the scheduler's: what the CPU
 * that a task leaves wrote about it is seen by the one that it comes to, as all else of the task is.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include "away.h"
#include "compat.h"
#include "event.h"

struct cell {
	u64 left;	/* raw clock when it left the CPU; 0: it is on one, or has not left one since it is here */
	u64 total;
	u64 calls;	/* open ones */
};

struct set {
	unsigned long task[KSTATS_SIZE_WAYS];	/* 0: free */
	struct cell cell[KSTATS_SIZE_WAYS];
};

struct ks_away {
	bool open;
	unsigned int order;	/* log2 of the sets */
	struct set *sets;
};

static struct tracepoint *switches;
static unsigned int users;
static DEFINE_MUTEX(users_lock);	/* innermost */

static size_t bytes_of(const struct ks_away *a)
{
	return sizeof(struct set) << a->order;
}

struct ks_away *ks_away_new(const struct kstats_statement *s)
{
	struct ks_away *a = kzalloc(sizeof(*a), GFP_KERNEL);

	BUILD_BUG_ON(sizeof(struct set) != KSTATS_SIZE_WAYS * KSTATS_SIZE_AWAY);
	if (!a)
		return NULL;
	a->order = kstats_size_set_order(s->calls ?: KSTATS_AWAY_DEFAULT);
	a->sets = kvzalloc(bytes_of(a), GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	if (!a->sets) {
		kfree(a);
		return NULL;
	}
	return a;
}

void ks_away_free(struct ks_away *a)
{
	if (!a)
		return;
	kvfree(a->sets);
	kfree(a);
}

size_t ks_away_memory(const struct ks_away *a)
{
	return a ? bytes_of(a) : 0;
}

/* ---- the table ---- */

static __always_inline struct set *set_of(const struct ks_away *a, unsigned long task)
{
	/* Tasks lie at multiples of a cache line. */
	return &a->sets[hash_64(task >> L1_CACHE_SHIFT, a->order)];
}

static __always_inline struct cell *find(const struct ks_away *a, unsigned long task)
{
	struct set *set = set_of(a, task);
	unsigned int i;

	for (i = 0; i < KSTATS_SIZE_WAYS; i++)
		if (READ_ONCE(set->task[i]) == task)
			return &set->cell[i];
	return NULL;
}

/* Others race for a free cell, nobody for this key. */
static struct cell *enter(const struct ks_away *a, unsigned long task)
{
	struct set *set = set_of(a, task);
	unsigned int i;

	for (i = 0; i < KSTATS_SIZE_WAYS; i++)
		if (!READ_ONCE(set->task[i]) && !cmpxchg(&set->task[i], 0, task))
			return &set->cell[i];
	return NULL;
}
NOKPROBE_SYMBOL(enter);

/* It is found as it was left: all zero. */
static __always_inline void leave(const struct ks_away *a, unsigned long task, struct cell *c)
{
	struct set *set = set_of(a, task);

	*c = (struct cell){};
	smp_store_release(&set->task[c - set->cell], 0);
}

/* ---- calls ---- */

/* What interrupts a task is over before the task leaves the CPU. (A softirq that is a thread's may be preempted.) */
static __always_inline bool may_leave(u32 context)
{
	return !context || (IS_ENABLED(CONFIG_PREEMPT_RT) && context == 1);
}

static __always_inline u64 *words_of(const struct kstats *k, const struct ks_frame *f)
{
	return (u64 *)&f->data[k->statement->data_words];
}

bool ks_away_begin(struct kstats *k, struct ks_frame *f)
{
	unsigned long task = (unsigned long)current;
	u64 *words = words_of(k, f);
	struct cell *c = NULL;

	if (may_leave(f->context)) {
		c = find(k->away, task) ?: enter(k->away, task);
		if (!c)
			return false;
		c->calls++;
		words[1] = c->total;
	}
	words[0] = (unsigned long)c;
	return true;
}
NOKPROBE_SYMBOL(ks_away_begin);

u64 ks_away_end(struct kstats *k, const struct ks_frame *f)
{
	const u64 *words = words_of(k, f);
	struct cell *c = (struct cell *)words[0];
	u64 away;

	if (!c)
		return 0;
	away = c->total - words[1];
	if (!--c->calls)
		leave(k->away, (unsigned long)current, c);
	return away;
}
NOKPROBE_SYMBOL(ks_away_end);

void ks_away_forget(struct kstats *k, const struct task_struct *task)
{
	struct cell *c = k->away ? find(k->away, (unsigned long)task) : NULL;

	if (c)
		leave(k->away, (unsigned long)task, c);
}

/* ---- switches ---- */

static __always_inline void switched(struct kstats *k, const struct task_struct *prev, const struct task_struct *next, u64 *times)
{
	struct cell *out = find(k->away, (unsigned long)prev), *in = find(k->away, (unsigned long)next);
	u64 *now = &times[k->clock.source];

	if (likely(!out && !in))
		return;
	if (!*now)
		*now = ks_clock_read(&k->clock);
	if (out)
		out->left = *now;
	if (in && in->left) {
		in->total += *now - in->left;
		in->left = 0;
	}
}

/* Where the prototype goes on behind these, we do not look. The list is as in exit.c. */
static void at_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	u64 times[KS_CLOCK_COUNTER] = {};
	struct kstats *k;

	preempt_disable_notrace();
	list_for_each_entry_rcu(k, &ks_measures, link, true)
		if (k->away && READ_ONCE(k->away->open))
			switched(k, prev, next, times);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(at_switch);

static int follow(void)
{
	switches = KS_CFI ? NULL : ks_tracepoint_find("sched_switch");
	if (!switches) {
		pr_warn("this kernel does not let us follow tasks that leave the CPU\n");
		return -EOPNOTSUPP;
	}
	return tracepoint_probe_register(switches, at_switch, NULL);
}

int ks_away_open(struct kstats *k)
{
	int err = 0;

	if (!k->away || k->away->open)
		return 0;
	memset(k->away->sets, 0, bytes_of(k->away));
	mutex_lock(&users_lock);
	if (!users)
		err = follow();
	if (!err)
		users++;
	mutex_unlock(&users_lock);
	WRITE_ONCE(k->away->open, !err);
	return err;
}

void ks_away_close(struct kstats *k)
{
	if (!k->away || !k->away->open)
		return;
	WRITE_ONCE(k->away->open, false);
	mutex_lock(&users_lock);
	if (!--users) {
		tracepoint_probe_unregister(switches, at_switch, NULL);
		tracepoint_synchronize_unregister();
	}
	mutex_unlock(&users_lock);
}
