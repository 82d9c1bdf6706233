// SPDX-License-Identifier: GPL-2.0
/*
 * away.c: see away.h.
 *
 * A task's time off the CPU is one sum that only grows while it is in any call of the measurement: a call keeps the sum of its
 * beginning, and what was added by its end is its own. So calls inside each other, of whatever functions, need one cell. A switch is one
 * read of the clock, for what leaves and what comes, in all measurements: those of one function add up.
 *
 * Each CPU knows whom sched_switch has named last, and the cell of that task, so a call looks for none. A cell whose task is in no call any more
 * stays until the task leaves the CPU: the next call mostly comes before that. Who is current is not always who was named last: between the
 * event and the switch itself the task that leaves is still current, and a CPU that goes offline or comes online switches unseen. A
 * call that begins then has no cell; if its task was not switched until its end, by the task's own count, it was never away, and
 * else nobody knows for how long.
 *
 * The order of things is the scheduler's: what the CPU that a task leaves wrote about it is seen by the one that it comes to, as all else of
 * the task is.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include "away.h"
#include "compat.h"
#include "event.h"
#include "size.h"

#define TASKS_MAX	(1u << 20)

static unsigned int tasks = KSTATS_AWAY_DEFAULT;
module_param(tasks, uint, 0444);
MODULE_PARM_DESC(tasks, "how many tasks may be in calls of a measurement of the time on or off the CPU");

struct cell {
	u64 left;	/* raw clock when the task left the CPU; 0: it is on one */
	u64 total;
	u64 calls;	/* open ones */
};

struct set {
	unsigned long task[KSTATS_SIZE_WAYS];	/* 0: free */
	struct cell cell[KSTATS_SIZE_WAYS];
};

/* Whom sched_switch has named last on this CPU, and its cell, if it has one. */
struct here {
	unsigned long task;
	struct cell *cell;
};

struct ks_away {
	bool open, used;
	unsigned int order;		/* log2 of the sets */
	struct set *sets;
	struct here __percpu *here;
};

/* In a frame, in the place of its cell. */
#define NEVER	0UL		/* what interrupts a task is over before the task leaves the CPU */
#define UNKNOWN	1UL		/* the other word: how often the task had been switched */

#define UNSEEN	(1ULL << 58)	/* raw: longer than any task is away; it left with its CPU, and nobody knows when */

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
	a->order = kstats_size_set_order(clamp(s->calls ?: tasks, 1u, TASKS_MAX));
	a->sets = kvzalloc(bytes_of(a), GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	a->here = alloc_percpu(struct here);
	if (a->sets && a->here)
		return a;
	ks_away_free(a);
	return NULL;
}

void ks_away_free(struct ks_away *a)
{
	if (!a)
		return;
	free_percpu(a->here);
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
	return &a->sets[hash_64(task >> L1_CACHE_SHIFT, a->order)];	/* tasks lie at multiples of a cache line */
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
static noinline struct cell *enter(const struct ks_away *a, unsigned long task)
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
static void take_out(const struct ks_away *a, struct cell *c)
{
	struct set *set = &a->sets[((unsigned long)c - (unsigned long)a->sets) / sizeof(*set)];

	*c = (struct cell){};
	smp_store_release(&set->task[c - set->cell], 0);
}
NOKPROBE_SYMBOL(take_out);

/* ---- calls ---- */

/* A softirq that is a thread's may be preempted. */
static __always_inline bool may_leave(u32 context)
{
	return !context || (IS_ENABLED(CONFIG_PREEMPT_RT) && context == 1);
}

static __always_inline u64 times_switched(void)
{
	return READ_ONCE(current->nvcsw) + READ_ONCE(current->nivcsw);
}

bool ks_away_begin(struct kstats *k, struct ks_frame *f)
{
	struct here *here = this_cpu_ptr(k->away->here);
	u64 *words = &f->data[k->statement->data_words];

	if (unlikely(!may_leave(f->context))) {
		words[0] = NEVER;
		return true;
	}
	if (unlikely(here->task != (unsigned long)current)) {
		words[0] = UNKNOWN;
		words[1] = times_switched();
		return true;
	}
	if (unlikely(!here->cell))
		here->cell = enter(k->away, here->task);
	if (unlikely(!here->cell))
		return false;
	here->cell->calls++;
	words[0] = (unsigned long)here->cell;
	words[1] = here->cell->total;
	return true;
}
NOKPROBE_SYMBOL(ks_away_begin);

bool ks_away_end(struct kstats *k, const struct ks_frame *f, u64 *away)
{
	const u64 *words = &f->data[k->statement->data_words];
	struct cell *c = (struct cell *)words[0];

	*away = 0;
	if (unlikely(words[0] <= UNKNOWN))
		return words[0] == NEVER || words[1] == times_switched();
	c->calls--;
	*away = c->total - words[1];
	return likely(*away < UNSEEN);
}
NOKPROBE_SYMBOL(ks_away_end);

void ks_away_forget(struct kstats *k, const struct task_struct *task)
{
	struct cell *c = k->away ? find(k->away, (unsigned long)task) : NULL;

	if (c)
		take_out(k->away, c);
}

/* ---- switches ---- */

static __always_inline void switched(const struct kstats *k, unsigned long prev, unsigned long next, u64 *times)
{
	const struct ks_away *a = k->away;
	struct here *here = this_cpu_ptr(a->here);
	struct cell *out = likely(here->task == prev) ? here->cell : find(a, prev), *in = find(a, next);
	u64 *now = &times[k->clock.source];

	here->task = next;
	here->cell = in;
	if (likely(!out && !in))
		return;
	if (!*now)
		*now = ks_clock_read(&k->clock);
	if (out && out->calls)
		out->left = *now;
	else if (out)
		take_out(a, out);
	if (!in)
		return;
	in->total += in->left ? *now - in->left : UNSEEN;
	in->left = 0;
}

/* Interrupts are off. Where the prototype goes on behind these, we do not look. The list is as in exit.c. */
static void at_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	u64 times[KS_CLOCK_COUNTER] = {};
	struct kstats *k;

	list_for_each_entry_rcu(k, &ks_measures, link, true)
		if (k->away && READ_ONCE(k->away->open))
			switched(k, (unsigned long)prev, (unsigned long)next, times);
}
NOKPROBE_SYMBOL(at_switch);

static int follow(void)
{
	int err = -EOPNOTSUPP;

	switches = KS_CFI ? NULL : ks_tracepoint_find("sched_switch");
	if (switches)
		err = tracepoint_probe_register(switches, at_switch, NULL);
	if (err)
		pr_warn("this kernel does not let us follow tasks that leave the CPU (error %d)\n", err);
	return err;
}

/* Whom sched_switch would have named: it is not between the event and the switch, where interrupts are off. */
static void note_current(void *away)
{
	const struct ks_away *a = away;

	*this_cpu_ptr(a->here) = (struct here){ .task = (unsigned long)current };
}

int ks_away_open(struct kstats *k)
{
	struct ks_away *a = k->away;
	unsigned int cpu;
	int err = 0;

	if (!a || a->open)
		return 0;
	if (a->used)
		ks_quiesce();		/* a switch that has seen it open */
	a->used = true;
	memset(a->sets, 0, bytes_of(a));
	for_each_possible_cpu(cpu)
		*per_cpu_ptr(a->here, cpu) = (struct here){};
	mutex_lock(&users_lock);
	if (!users)
		err = follow();
	if (!err)
		users++;
	mutex_unlock(&users_lock);
	if (err)
		return err;
	WRITE_ONCE(a->open, true);
	on_each_cpu(note_current, a, 1);
	return 0;
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
