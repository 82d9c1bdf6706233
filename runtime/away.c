// SPDX-License-Identifier: GPL-2.0
/*
 * away.c: see away.h.
 *
 * A task's time off the CPU is one sum that only grows while it is in any call: a call keeps the sum of its beginning, and what was added
 * by its end is its own. So calls inside each other, of whatever functions and measurements, need one cell; and since a switch is one read of
 * the clock, for what leaves and for what comes, all of them see the same.
 *
 * Each CPU knows the cell of the task that it runs, so calls look for none. A cell whose task is in no call any more stays until the
 * task leaves the CPU: the next call mostly comes before that. The order of things is the scheduler's: what the CPU that a task leaves
 * wrote about it is seen by the one that it comes to, as all else of the task is.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include "away.h"
#include "compat.h"
#include "event.h"
#include "size.h"

#define TASKS_MAX	(1u << 20)

static unsigned int tasks = KSTATS_AWAY_DEFAULT;
module_param(tasks, uint, 0444);
MODULE_PARM_DESC(tasks, "how many tasks may be in calls at a time of which the time on or off the CPU is measured");

struct cell {
	u64 left;	/* raw clock when the task left the CPU; 0: it is on one */
	u64 total;
	u64 calls;	/* open ones */
};

struct set {
	unsigned long task[KSTATS_SIZE_WAYS];	/* 0: free */
	struct cell cell[KSTATS_SIZE_WAYS];
};

/* By each clock. */
static struct away {
	struct set *sets;	/* NULL: nobody asks */
	unsigned int order;	/* log2 of their number */
	unsigned int users;
} aways[KS_CLOCK_COUNTER];

/* Of the task that runs here. */
static DEFINE_PER_CPU(struct cell *[KS_CLOCK_COUNTER], here);

static struct tracepoint *switches;
static bool following;
static DEFINE_MUTEX(lock);	/* innermost */

/* ---- the table ---- */

static __always_inline struct set *set_of(struct set *sets, const struct away *a, unsigned long task)
{
	return &sets[hash_64(task >> L1_CACHE_SHIFT, a->order)];	/* tasks lie at multiples of a cache line */
}

static __always_inline struct cell *find(struct set *sets, const struct away *a, unsigned long task)
{
	struct set *set = set_of(sets, a, task);
	unsigned int i;

	for (i = 0; i < KSTATS_SIZE_WAYS; i++)
		if (READ_ONCE(set->task[i]) == task)
			return &set->cell[i];
	return NULL;
}

/* Others race for a free cell, nobody for this key. */
static noinline struct cell *enter(const struct away *a, unsigned long task)
{
	struct set *set = set_of(a->sets, a, task);
	unsigned int i;

	for (i = 0; i < KSTATS_SIZE_WAYS; i++)
		if (!READ_ONCE(set->task[i]) && !cmpxchg(&set->task[i], 0, task))
			return &set->cell[i];
	return NULL;
}
NOKPROBE_SYMBOL(enter);

/* It is found as it was left: all zero. */
static void take_out(struct set *sets, const struct away *a, unsigned long task, struct cell *c)
{
	struct set *set = set_of(sets, a, task);

	*c = (struct cell){};
	smp_store_release(&set->task[c - set->cell], 0);
}
NOKPROBE_SYMBOL(take_out);

/* ---- calls ---- */

/* What interrupts a task is over before the task leaves the CPU. (A softirq that is a thread's may be preempted.) */
static __always_inline bool may_leave(u32 context)
{
	return !context || (IS_ENABLED(CONFIG_PREEMPT_RT) && context == 1);
}

bool ks_away_begin(const struct kstats *k, struct ks_frame *f)
{
	u64 *words = &f->data[k->statement->data_words];
	enum ks_clock_source source = k->clock.source;
	struct cell *c = NULL;

	if (likely(may_leave(f->context))) {
		c = this_cpu_read(here[source]);
		if (unlikely(!c)) {
			c = enter(&aways[source], (unsigned long)current);
			if (!c)
				return false;
			this_cpu_write(here[source], c);
		}
		c->calls++;
		words[1] = c->total;
	}
	words[0] = (unsigned long)c;
	return true;
}
NOKPROBE_SYMBOL(ks_away_begin);

u64 ks_away_end(const struct kstats *k, const struct ks_frame *f)
{
	const u64 *words = &f->data[k->statement->data_words];
	struct cell *c = (struct cell *)words[0];

	if (unlikely(!c))
		return 0;
	c->calls--;
	return c->total - words[1];
}
NOKPROBE_SYMBOL(ks_away_end);

void ks_away_forget(const struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(aways); i++) {
		struct set *sets = READ_ONCE(aways[i].sets);
		struct cell *c = sets ? find(sets, &aways[i], (unsigned long)task) : NULL;

		if (c)
			take_out(sets, &aways[i], (unsigned long)task, c);
	}
}

/* ---- switches ---- */

static __always_inline void switched(enum ks_clock_source source, const struct task_struct *prev, const struct task_struct *next)
{
	const struct away *a = &aways[source];
	struct set *sets = READ_ONCE(a->sets);
	struct cell *out, *in;
	u64 now;

	if (!sets)
		return;
	out = this_cpu_read(here[source]);
	in = find(sets, a, (unsigned long)next);
	if (likely(!out && !in))
		return;
	now = ks_clock_read(&(struct ks_clock){ .source = source });
	if (out && out->calls)
		out->left = now;
	else if (out)
		take_out(sets, a, (unsigned long)prev, out);
	if (in) {
		in->total += now - in->left;
		in->left = 0;
	}
	this_cpu_write(here[source], in);
}

/* Interrupts are off. Where the prototype goes on behind these, we do not look. */
static void at_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	switched(KS_CLOCK_TSC, prev, next);
	switched(KS_CLOCK_MONO, prev, next);
}
NOKPROBE_SYMBOL(at_switch);

static int follow(void)
{
	int err;

	if (following)
		return 0;
	switches = KS_CFI ? NULL : ks_tracepoint_find("sched_switch");
	if (!switches) {
		pr_warn("this kernel does not let us follow tasks that leave the CPU\n");
		return -EOPNOTSUPP;
	}
	err = tracepoint_probe_register(switches, at_switch, NULL);
	following = !err;
	return err;
}

static int first(enum ks_clock_source source)
{
	struct away *a = &aways[source];
	struct set *sets;
	unsigned int cpu;

	a->order = kstats_size_set_order(clamp(tasks, 1u, TASKS_MAX));
	BUILD_BUG_ON(sizeof(struct set) != KSTATS_SIZE_WAYS * KSTATS_SIZE_AWAY);
	sets = kvzalloc(sizeof(struct set) << a->order, GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	if (!sets)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		per_cpu(here[source], cpu) = NULL;
	smp_store_release(&a->sets, sets);
	return 0;
}

/* Nobody is in a handler of ours any more, but for those of switches and of tasks that are freed. */
static void last(enum ks_clock_source source)
{
	struct set *sets = aways[source].sets;

	WRITE_ONCE(aways[source].sets, NULL);
	if (following && !aways[KS_CLOCK_TSC].sets && !aways[KS_CLOCK_MONO].sets) {
		tracepoint_probe_unregister(switches, at_switch, NULL);
		following = false;
	}
	tracepoint_synchronize_unregister();
	ks_quiesce();
	kvfree(sets);
}

int ks_away_open(struct kstats *k)
{
	struct away *a = &aways[k->clock.source];
	int err = 0;

	if (!ks_away_wanted(k->statement) || k->away)
		return 0;
	mutex_lock(&lock);
	if (!a->users++)
		err = first(k->clock.source) ?: follow();
	if (err && !--a->users)
		last(k->clock.source);
	mutex_unlock(&lock);
	k->away = !err;
	return err;
}

/* By the clock that it was opened with: it chooses another only when it is armed again. */
void ks_away_close(struct kstats *k)
{
	if (!k->away)
		return;
	k->away = false;
	mutex_lock(&lock);
	if (!--aways[k->clock.source].users)
		last(k->clock.source);
	mutex_unlock(&lock);
}

size_t ks_away_memory(const struct kstats *k)
{
	return READ_ONCE(k->away) ? sizeof(struct set) << aways[k->clock.source].order : 0;
}
