// SPDX-License-Identifier: GPL-2.0
/*
 * probe_watch.c: accesses to memory, by the processor's breakpoints: a perf event of the kernel's on each CPU that is online.
 *
 * A CPU that comes gets its events, one that goes loses them, by one state of the kernel's CPU hotplug for all. The memory of a
 * module that goes is watched no more; when it comes again, where its variable lies then.
 *
 * The processor reports an access when it is done: the registers are those behind the instruction. While an event is served
 * (and in NMIs) the kernel turns the breakpoints off: what handlers access is not seen, and cannot come back to us.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/init_task.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include "event.h"
#include "probe.h"

/*
 * Order: ks_lock or the kernel's list of module notifiers, the CPUs' hotplug lock, this; inside it those of perf. What the hotplug
 * calls holds the second already.
 */
static DEFINE_MUTEX(lock);
static LIST_HEAD(watched);		/* all armed probes, those too whose module is not there */
static enum cpuhp_state state;

static bool serves(const struct ks_probe *p)
{
	return p->points[0]->where == KSTATS_MEMORY;
}

/* ---- accesses ---- */

static void handler(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	ks_event_points(event->overflow_handler_context, regs, NULL, NULL, in_nmi());
}
NOKPROBE_SYMBOL(handler);

/* Nothing but who it was. The exception has turned preemption off. */
KS_NO_CANARY
static void plain_handler(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct ks_probe *p = event->overflow_handler_context;
	struct ks_table *t = READ_ONCE(p->measure->live);
	u64 place = instruction_pointer(regs) - 1;

	if (unlikely(!t))
		return;
	ks_count(t, KSTATS_HITS);
	ks_record_keyed(t, &place, 1, 0);
}
NOKPROBE_SYMBOL(plain_handler);

static bool is_plain(const struct ks_probe *p)
{
	const struct kstats *k = p->measure;

	return p->npoints == 1 && p->points[0]->role == KSTATS_COUNT && !p->points[0]->early && k->by_function && k->by_words == 1;
}

/* ---- breakpoints ---- */

/* 0: its module is not there. */
static unsigned long address_on(const struct kstats_point *point, unsigned int cpu)
{
	unsigned long base = (unsigned long)&init_task + point->distance;

	if (point->base) {
		base = READ_ONCE(*point->base);
		if (!base && !point->per_cpu)	/* of those that each CPU has, one may be the first */
			return 0;
	}
	return base + point->offset + (point->per_cpu ? per_cpu_offset(cpu) : 0);
}

static int attach_on(struct ks_probe *p, unsigned int cpu)
{
	const struct kstats_point *point = p->points[0];
	struct perf_event_attr attr;
	struct perf_event *event;

	hw_breakpoint_init(&attr);	/* pinned, of each access */
	attr.bp_addr = address_on(point, cpu);
	attr.bp_len = point->bytes;
	attr.bp_type = point->reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	if (!attr.bp_addr)
		return 0;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, is_plain(p) ? plain_handler : handler, p);
	if (IS_ERR(event))
		return PTR_ERR(event);
	if (event->state == PERF_EVENT_STATE_ERROR) {	/* it has a place by perf's books, but found none */
		perf_event_release_kernel(event);
		return -ENOSPC;
	}
	*per_cpu_ptr(p->breakpoints, cpu) = event;
	return 0;
}

static void detach_on(struct ks_probe *p, unsigned int cpu)
{
	struct perf_event **event = per_cpu_ptr(p->breakpoints, cpu);

	if (*event)
		perf_event_release_kernel(*event);
	*event = NULL;
}

/* These with the CPUs' hotplug lock, and ours. */
static void detach_all(struct ks_probe *p)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		detach_on(p, cpu);
}

static int attach_all(struct ks_probe *p)
{
	unsigned int cpu;
	int err = 0;

	for_each_online_cpu(cpu) {
		err = attach_on(p, cpu);
		if (err)
			break;
	}
	if (err)
		detach_all(p);
	return err;
}

static int arm(struct ks_probe *p)
{
	int err;

	p->breakpoints = alloc_percpu(struct perf_event *);
	if (!p->breakpoints)
		return -ENOMEM;
	WRITE_ONCE(p->blind, 0);
	p->given_up = false;
	cpus_read_lock();
	mutex_lock(&lock);
	err = attach_all(p);
	if (!err)
		list_add_tail(&p->watch_link, &watched);
	mutex_unlock(&lock);
	cpus_read_unlock();
	if (err)
		free_percpu(p->breakpoints);
	return err;
}

/* When an event is released it is served no more. */
static void disarm(struct ks_probe *const *probes, unsigned int n, void **scratch)
{
	unsigned int i;

	cpus_read_lock();
	mutex_lock(&lock);
	for (i = 0; i < n; i++) {
		list_del(&probes[i]->watch_link);
		detach_all(probes[i]);
		free_percpu(probes[i]->breakpoints);
	}
	mutex_unlock(&lock);
	cpus_read_unlock();
}

static size_t memory(const struct ks_probe *p)
{
	return num_possible_cpus() * sizeof(struct perf_event *) + num_online_cpus() * sizeof(struct perf_event);
}

static const char *reason(int err)
{
	switch (err) {
	case -ENOSPC:
	case -EBUSY:
		return "all breakpoints of the processor (four on x86) are in use, by other measurements, by perf, or by a debugger: "
		       "end one of these, or watch less";
	case -EINVAL:
		return "the kernel forbids to watch there (the memory that exceptions themselves need), or the address is not aligned to "
		       "the size";
	case -ENOENT:
	case -EOPNOTSUPP:
		return "this processor, or this kernel, has no breakpoints for memory";
	default:
		return NULL;
	}
}

/* ---- CPUs that come and go ---- */

/* On this CPU, before it runs anything of users'. It comes in any case; what it does unseen is told. */
static int cpu_comes(unsigned int cpu)
{
	struct ks_probe *p;
	int err;

	mutex_lock(&lock);
	list_for_each_entry(p, &watched, watch_link) {
		err = p->given_up ? -ENOSPC : attach_on(p, cpu);
		if (!err)
			continue;
		WRITE_ONCE(p->blind, p->blind + 1);
		pr_warn("%s: CPU %u comes, and what it does to %s is not seen: %s (error %d)\n", p->measure->name, cpu,
			p->points[0]->text, reason(err) ?: "the kernel refused", err);
	}
	mutex_unlock(&lock);
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	struct ks_probe *p;

	mutex_lock(&lock);
	list_for_each_entry(p, &watched, watch_link) {
		/* One that could not be attached has none, but where the module is away none has. */
		if (!*per_cpu_ptr(p->breakpoints, cpu) && p->blind)
			WRITE_ONCE(p->blind, p->blind - 1);
		detach_on(p, cpu);
	}
	mutex_unlock(&lock);
	return 0;
}

size_t ks_watch_blind(const struct kstats *k, char *buf, size_t size)
{
	unsigned int i, blind = 0;

	for (i = 0; i < k->nprobes; i++)
		if (k->probes[i].armed && k->probes[i].backend == &ks_probe_watch)
			blind = max(blind, READ_ONCE(k->probes[i].blind));
	return blind ? scnprintf(buf, size, "blind %u\n", blind) : 0;
}

/* ---- modules that come and go ---- */

static void module_goes(struct ks_probe *p)
{
	pr_info("%s: module %s goes, and %s with it\n", p->measure->name, p->points[0]->module, p->points[0]->text);
	detach_all(p);
	WRITE_ONCE(p->blind, 0);
	p->given_up = false;
}

static void module_comes(struct ks_probe *p)
{
	int err = attach_all(p);

	p->given_up = err;
	WRITE_ONCE(p->blind, err ? num_online_cpus() : 0);
	if (err)
		pr_warn("%s: module %s comes, but %s cannot be watched: %s (error %d)\n", p->measure->name, p->points[0]->module,
			p->points[0]->text, reason(err) ?: "the kernel refused", err);
	else
		pr_info("%s: module %s comes, and %s with it\n", p->measure->name, p->points[0]->module, p->points[0]->text);
}

/* Behind variable.c's, which finds the address. A module's memory stays until this returns. */
static int notify(struct notifier_block *nb, unsigned long action, void *data)
{
	const struct module *mod = data;
	struct ks_probe *p;

	if (action != MODULE_STATE_COMING && action != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	cpus_read_lock();
	mutex_lock(&lock);
	list_for_each_entry(p, &watched, watch_link) {
		if (!p->points[0]->module || strcmp(p->points[0]->module, mod->name))
			continue;
		if (action == MODULE_STATE_COMING)
			module_comes(p);
		else
			module_goes(p);
	}
	mutex_unlock(&lock);
	cpus_read_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = notify };

int ks_watch_init(void)
{
	int err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "kstats:online", cpu_comes, cpu_goes);

	if (err < 0)
		return err;
	state = err;
	err = register_module_notifier(&notifier);
	if (err)
		cpuhp_remove_state_nocalls(state);
	return err;
}

void ks_watch_exit(void)
{
	unregister_module_notifier(&notifier);
	cpuhp_remove_state_nocalls(state);
}

const struct ks_backend ks_probe_watch = {
	.name = "breakpoint",
	.serves = serves,
	.arm = arm,
	.disarm = disarm,
	.memory = memory,
	.reason = reason,
};
