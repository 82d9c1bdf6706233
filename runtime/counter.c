// SPDX-License-Identifier: GPL-2.0
/*
 * counter.c: counters as what is measured.
 *
 * Page faults, context switches and migrations are numbers in the task, which go where it goes. Any other counter is a perf event
 * of the kernel's on each CPU, which counts that CPU whoever runs: a call that slept, was preempted or moved has other tasks' counts in
 * it, and is told apart as `moved`, by the task's number of context switches.
 *
 * The event is read as perf_event_read_local() does, which is not exported: by its own CPU, interrupts off, if it is on. That
 * calls functions which can be measured themselves; a read inside a read finds nothing, and its call is `missed`.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "counter.h"
#include "event.h"

struct ks_counter {
	struct list_head link;		/* in `open`; not linked: a number of the task's */
	const char *name;
	struct perf_event_attr attr;
	struct perf_event * __percpu *event;
};

#define UNREAD	U64_MAX		/* in the frame's word: there is no start */

/* Inside ks_lock and the CPUs' hotplug lock. */
static DEFINE_MUTEX(lock);
static LIST_HEAD(open);
static enum cpuhp_state state;

/* ---- numbers of the task ---- */

static __always_inline u64 switches(void)
{
	return READ_ONCE(current->nvcsw) + READ_ONCE(current->nivcsw);
}

static bool is_of_task(const struct kstats_statement *s)
{
	if (s->perf_type != PERF_TYPE_SOFTWARE)
		return false;
	switch (s->perf_config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
	case PERF_COUNT_SW_CPU_MIGRATIONS:
		return true;
	default:
		return false;
	}
}

static __always_inline u64 of_task(u64 config)
{
	switch (config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
		return READ_ONCE(current->min_flt) + READ_ONCE(current->maj_flt);
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
		return READ_ONCE(current->min_flt);
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		return READ_ONCE(current->maj_flt);
	case PERF_COUNT_SW_CPU_MIGRATIONS:
		return READ_ONCE(current->se.nr_migrations);
	default:
		return switches();
	}
}

/* ---- counters of the CPU ---- */

static DEFINE_PER_CPU(bool, reading);

static bool read_cpu(const struct ks_counter *c, u64 *value)
{
	struct perf_event *event;
	unsigned long flags;
	bool good = false;

	raw_local_irq_save(flags);
	event = *this_cpu_ptr(c->event);
	if (event && READ_ONCE(event->oncpu) == smp_processor_id() && !__this_cpu_read(reading)) {
		__this_cpu_write(reading, true);
		event->pmu->read(event);
		*value = local64_read(&event->count);
		__this_cpu_write(reading, false);
		good = true;
	}
	raw_local_irq_restore(flags);
	return good;
}
NOKPROBE_SYMBOL(read_cpu);

void ks_counter_begin(const struct kstats *k, struct ks_frame *f)
{
	const struct kstats_statement *s = k->statement;
	u64 *before = &f->data[s->data_words];

	if (!k->counter->event) {
		f->start = of_task(s->perf_config);
		return;
	}
	*before = switches();
	if (!read_cpu(k->counter, &f->start))
		*before = UNREAD;
}
NOKPROBE_SYMBOL(ks_counter_begin);

enum kstats_term ks_counter_end(const struct kstats *k, const struct ks_frame *f, u64 *moved)
{
	const struct kstats_statement *s = k->statement;
	u64 before = f->data[s->data_words], now;

	if (!k->counter->event) {
		*moved = of_task(s->perf_config) - f->start;
		return KSTATS_RECORDED;
	}
	if (before == UNREAD || !read_cpu(k->counter, &now))
		return KSTATS_MISSED;
	if (before != switches())
		return KSTATS_MOVED;
	*moved = now - f->start;
	return (s64)*moved < 0 ? KSTATS_BACKWARDS : KSTATS_RECORDED;
}
NOKPROBE_SYMBOL(ks_counter_end);

/* ---- opening ---- */

static int open_on(struct ks_counter *c, unsigned int cpu)
{
	struct perf_event *event = perf_event_create_kernel_counter(&c->attr, cpu, NULL, NULL, NULL);

	if (IS_ERR(event))
		return PTR_ERR(event);
	if (event->state == PERF_EVENT_STATE_ERROR) {	/* pinned, and there is none left for it */
		perf_event_release_kernel(event);
		return -EBUSY;
	}
	smp_store_release(per_cpu_ptr(c->event, cpu), event);
	return 0;
}

/* Of a CPU that goes this runs on it, in a task: no handler is at work there. */
static void close_on(struct ks_counter *c, unsigned int cpu)
{
	struct perf_event *event = *per_cpu_ptr(c->event, cpu);

	WRITE_ONCE(*per_cpu_ptr(c->event, cpu), NULL);
	if (event)
		perf_event_release_kernel(event);
}

static void close_all(struct ks_counter *c)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		close_on(c, cpu);
}

static int open_all(struct ks_counter *c)
{
	unsigned int cpu;
	int err = 0;

	cpus_read_lock();
	mutex_lock(&lock);
	for_each_online_cpu(cpu) {
		err = open_on(c, cpu);
		if (err)
			break;
	}
	if (err)
		close_all(c);
	else
		list_add(&c->link, &open);
	mutex_unlock(&lock);
	cpus_read_unlock();
	return err;
}

static const char *reason(int err)
{
	switch (err) {
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENODEV:
		return "this machine has none (a virtual machine mostly has no PMU)";
	case -EBUSY:
	case -ENOSPC:
		return "all counters of the processor are in use by others (perf, the NMI watchdog)";
	default:
		return "the kernel refused";
	}
}

/*
 * Others of perf's software events begin and end with a static key of the kernel's, which takes the lock that CPUs come and go under:
 * a CPU that goes would wait for itself.
 */
static bool may_count(const struct kstats_statement *s)
{
	return s->perf_type != PERF_TYPE_SOFTWARE || is_of_task(s) || s->perf_config == PERF_COUNT_SW_CPU_CLOCK;
}

int ks_counter_open(struct kstats *k)
{
	const struct kstats_statement *s = k->statement;
	struct ks_counter *c;
	int err = -ENOMEM;

	if (!ks_counter_wanted(s) || k->counter)
		return 0;
	if (!may_count(s)) {
		pr_warn("%s: %s cannot be counted by call\n", k->name, s->counter);
		return -EOPNOTSUPP;
	}
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return err;
	if (!is_of_task(s)) {
		c->name = s->counter;
		c->attr.size = sizeof(c->attr);
		c->attr.type = s->perf_type;
		c->attr.config = s->perf_config;
		c->attr.pinned = 1;
		c->event = alloc_percpu(struct perf_event *);
		err = c->event ? open_all(c) : -ENOMEM;
		if (err) {
			pr_warn("%s: %s cannot be counted: %s (error %d)\n", k->name, s->counter, reason(err), err);
			free_percpu(c->event);
			kfree(c);
			return err;
		}
	}
	k->counter = c;
	return 0;
}

void ks_counter_close(struct kstats *k)
{
	struct ks_counter *c = k->counter;

	if (!c)
		return;
	k->counter = NULL;
	if (c->event) {
		cpus_read_lock();
		mutex_lock(&lock);
		list_del(&c->link);
		close_all(c);
		mutex_unlock(&lock);
		cpus_read_unlock();
		free_percpu(c->event);
	}
	kfree(c);
}

/* ---- CPUs that come and go ---- */

/* Where it cannot be had on a CPU that comes, calls there are `missed`. */
static int cpu_comes(unsigned int cpu)
{
	struct ks_counter *c;
	int err;

	mutex_lock(&lock);
	list_for_each_entry(c, &open, link) {
		err = open_on(c, cpu);
		if (err)
			pr_warn("%s cannot be counted on CPU %u: %s (error %d)\n", c->name, cpu, reason(err), err);
	}
	mutex_unlock(&lock);
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	struct ks_counter *c;

	mutex_lock(&lock);
	list_for_each_entry(c, &open, link)
		close_on(c, cpu);
	mutex_unlock(&lock);
	return 0;
}

int ks_counter_init(void)
{
	int err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "kstats/counter:online", cpu_comes, cpu_goes);

	if (err < 0)
		return err;
	state = err;
	return 0;
}

void ks_counter_exit(void)
{
	cpuhp_remove_state_nocalls(state);
}
