// SPDX-License-Identifier: GPL-2.0
/*
 * guard.c: what measurements cost, and when that is too much.
 *
 * Each half second, while anything is armed: of each measurement the hits on each CPU, times what a hit costs. That is what its way of
 * being attached was found to cost on this machine (floor.c; where calls come by several ways, the dearest), and what its handlers take,
 * which are timed during some milliseconds before each look. Where that is more than `guard` percent of a CPU, twice in a row, the
 * measurement is stopped, as by STOP: nothing of it is called any more, what it has counted stays, and START starts it again.
 *
 * It is an estimate, and a low one: the ways' costs are those of empty functions called in a loop. What a probe costs by the caches and
 * predictors that it takes from others, nobody knows.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include "direct.h"
#include "floor.h"
#include "guard.h"
#include "measure.h"
#include "record.h"

#define LOOK	(HZ / 2)
#define TIMED	max(HZ / 200, 1)	/* how long before that handlers are timed */
#define ENOUGH	4096			/* of which the older ones count half from then on */

static unsigned int guard = 25;
module_param(guard, uint, 0644);
MODULE_PARM_DESC(guard, "a measurement that takes more than so many percent of a CPU is stopped (25); 0: none is");

bool ks_guard_times;

static void look(struct work_struct *work);
static DECLARE_DELAYED_WORK(looking, look);
static u64 *now_hits;			/* of each possible CPU; under ks_lock */

void ks_guard_took(struct kstats *k, u64 ns)
{
	atomic64_add(ns, &k->guard.handled_ns);
	atomic64_inc(&k->guard.handled);
}
NOKPROBE_SYMBOL(ks_guard_took);

int ks_guard_new(struct kstats *k)
{
	k->guard.hits = kvcalloc(nr_cpu_ids, sizeof(*k->guard.hits), GFP_KERNEL);
	return k->guard.hits ? 0 : -ENOMEM;
}

void ks_guard_free(struct kstats *k)
{
	kvfree(k->guard.hits);
}

void ks_guard_watch(struct kstats *k)
{
	k->guard.cost = ks_floor_cost(k);
	k->guard.looked = 0;
	k->guard.over = 0;
	k->guard.percent = 0;
	if (k->statement)
		queue_delayed_work(system_highpri_wq, &looking, LOOK);
}

/* What a profile has counted on a CPU, where a hit is nothing but that: one slot a function. */
static u64 count_profiled(const struct ks_table *t, int cpu)
{
	u32 part, parts = atomic_read(&t->parts_used);
	u64 n = 0;

	for (part = 0; part < parts; part++)
		n += READ_ONCE(ks_record_slots(t, cpu, part)->n);
	return n;
}

/* Of each CPU, since it was armed or its table was switched. */
static void count_hits(const struct kstats *k)
{
	const struct ks_table *t = k->table;
	int cpu;

	for_each_possible_cpu(cpu) {
		now_hits[cpu] = READ_ONCE(per_cpu_ptr(t->cpu, cpu)->term[KSTATS_HITS]);
		if (k->form == KSTATS_PROFILE && k->kind == KSTATS_COUNTS)
			now_hits[cpu] += count_profiled(t, cpu);
		cond_resched();
	}
	ks_direct_hits_by_cpu(k, now_hits);
}

/* What one takes, in tenths of ns. */
static u64 cost_of(struct ks_guard *g)
{
	u64 n = atomic64_read(&g->handled), ns = atomic64_read(&g->handled_ns);

	if (n > ENOUGH) {
		atomic64_sub(n / 2, &g->handled);
		atomic64_sub(ns / 2, &g->handled_ns);
	}
	return g->cost + (n ? div64_u64(10 * ns, n) : 0);
}

static void look_at(struct kstats *k, u64 now)
{
	struct ks_guard *g = &k->guard;
	u64 cost = cost_of(g), since = now - g->looked, most = 0;
	int cpu, busiest = 0;

	count_hits(k);
	for_each_possible_cpu(cpu) {
		u64 hits = now_hits[cpu] > g->hits[cpu] ? now_hits[cpu] - g->hits[cpu] : 0;

		if (g->looked && hits > most) {
			most = hits;
			busiest = cpu;
		}
		g->hits[cpu] = now_hits[cpu];
	}
	g->looked = now;
	if (!most || !since)
		return;
	/* percent = 100 * hits * cost / 10 / since */
	if (div64_u64(10 * most * cost, since) <= guard) {
		g->over = 0;
		return;
	}
	if (++g->over < 2)
		return;
	mutex_lock(&k->read_lock);	/* who finds it stopped finds the reason */
	g->percent = min_t(u64, div64_u64(10 * most * cost, since), 9999);
	g->cpu = busiest;
	g->rate = div64_u64(most * NSEC_PER_SEC, since);
	g->each_ns = DIV_ROUND_UP_ULL(cost, 10);
	mutex_unlock(&k->read_lock);
	ks_measure_stop(k);
	pr_warn("%s: stopped: on CPU %u it took %u %% of the time (%llu hits a second, %u ns each; more than guard=%u allows)\n",
		k->name, g->cpu, g->percent, g->rate, g->each_ns, guard);
}

/* Handlers are timed for a moment, then looked at, then left alone. */
static void look(struct work_struct *work)
{
	bool timed = ks_guard_times, armed = false;
	struct kstats *k;

	mutex_lock(&ks_lock);
	list_for_each_entry(k, &ks_measures, link) {
		if (!k->counting || !k->statement)
			continue;
		armed = true;
		if (timed && guard)
			look_at(k, ktime_get_ns());
		cond_resched();
	}
	WRITE_ONCE(ks_guard_times, armed && guard && !timed);
	mutex_unlock(&ks_lock);
	if (armed)
		queue_delayed_work(system_highpri_wq, &looking, timed ? LOOK : TIMED);
}

size_t ks_guard_text(const struct kstats *k, char *buf, size_t size)
{
	const struct ks_guard *g = &k->guard;

	if (!g->percent)
		return 0;
	return scnprintf(buf, size, "overload %u %u %llu %u\n", g->percent, g->cpu, g->rate, g->each_ns);
}

int __init ks_guard_init(void)
{
	now_hits = kvcalloc(nr_cpu_ids, sizeof(*now_hits), GFP_KERNEL);
	return now_hits ? 0 : -ENOMEM;
}

void ks_guard_exit(void)
{
	cancel_delayed_work_sync(&looking);
	kvfree(now_hits);
}
