// SPDX-License-Identifier: GPL-2.0
/*
 * probe_watch.c: accesses to memory, by the processor's breakpoints: a perf event of the kernel's on each CPU that is online.
 *
 * Statements that watch the same accesses share the breakpoints, of which there are few. A CPU that comes gets its events, one that goes
 * loses them, by one state of the kernel's CPU hotplug for all. The memory of a module that goes is watched no more; when it comes
 * again, its variable is, where it lies then.
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
#include <linux/rculist.h>
#include <linux/slab.h>
#include "event.h"
#include "probe.h"

/* A piece of memory, its breakpoints, and the probes that watch it: of one statement or of several. */
struct ks_watch {
	struct list_head link;
	struct list_head probes;		/* never empty; handlers walk it */
	unsigned long address;			/* of one that each CPU has: less the CPU's offset. 0: its module is not there */
	struct perf_event * __percpu *events;	/* NULL: this CPU has none */
	unsigned int blind;			/* CPUs that are online without one, which should have one */
	bool given_up;				/* its module came again, and it could not be watched */
};

/*
 * Order: ks_lock or the kernel's list of module notifiers, the CPUs' hotplug lock, this; inside it those of perf. What the
 * hotplug calls holds the second already.
 */
static DEFINE_MUTEX(lock);
static LIST_HEAD(watches);
static enum cpuhp_state state;

static bool serves(const struct ks_probe *p)
{
	return p->points[0]->where == KSTATS_MEMORY;
}

/* Nothing is asked but who it was. */
static bool is_plain(const struct ks_probe *p)
{
	const struct kstats *k = p->measure;

	return p->npoints == 1 && p->points[0]->role == KSTATS_COUNT && !p->points[0]->early && k->by_function && k->by_words == 1;
}

/* ---- accesses ---- */

static __always_inline void count_plainly(const struct ks_probe *p, struct pt_regs *regs)
{
	struct ks_table *t = READ_ONCE(p->measure->live);
	u64 place = instruction_pointer(regs) - 1;

	if (unlikely(!t))
		return;
	ks_count(t, KSTATS_HITS);
	ks_record_keyed(t, &place, 1, 0);
}

/* The exception has turned preemption off. */
KS_NO_CANARY
static void handler(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct ks_watch *w = event->overflow_handler_context;
	struct ks_probe *p;

	list_for_each_entry_rcu(p, &w->probes, watch_link) {
		if (p->watch_plain)
			count_plainly(p, regs);
		else
			ks_event_points(p, regs, NULL, NULL, in_nmi());
	}
}
NOKPROBE_SYMBOL(handler);

/* ---- breakpoints: with the CPUs' hotplug lock, and ours ---- */

static const struct kstats_point *point_of(const struct ks_watch *w)
{
	return list_first_entry(&w->probes, struct ks_probe, watch_link)->points[0];
}

static unsigned long address_of(const struct kstats_point *point)
{
	unsigned long base = point->base ? READ_ONCE(*point->base) : (unsigned long)&init_task + point->distance;

	return base || point->per_cpu ? base + point->offset : 0;
}

static int attach_on(struct ks_watch *w, unsigned int cpu)
{
	const struct kstats_point *point = point_of(w);
	struct perf_event_attr attr;
	struct perf_event *event;

	if (!w->address && !point->per_cpu)
		return 0;
	if (w->given_up)
		return -ENOSPC;
	hw_breakpoint_init(&attr);	/* pinned, and each access counts */
	attr.bp_addr = w->address + (point->per_cpu ? per_cpu_offset(cpu) : 0);
	attr.bp_len = point->bytes;
	attr.bp_type = point->reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, handler, w);
	if (IS_ERR(event))
		return PTR_ERR(event);
	if (event->state == PERF_EVENT_STATE_ERROR) {	/* by perf's books there was room, but there was none */
		perf_event_release_kernel(event);
		return -ENOSPC;
	}
	*per_cpu_ptr(w->events, cpu) = event;
	return 0;
}

/* When an event has been released it is served no more. True: there was one. */
static bool detach_on(struct ks_watch *w, unsigned int cpu)
{
	struct perf_event **event = per_cpu_ptr(w->events, cpu);

	if (!*event)
		return false;
	perf_event_release_kernel(*event);
	*event = NULL;
	return true;
}

static void detach(struct ks_watch *w)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		detach_on(w, cpu);
}

static int attach(struct ks_watch *w)
{
	unsigned int cpu;
	int err = 0;

	w->address = address_of(point_of(w));
	for_each_online_cpu(cpu) {
		err = attach_on(w, cpu);
		if (err)
			break;
	}
	if (err)
		detach(w);
	return err;
}

/* Do these mean the same accesses? Of modules that are not there only the names tell. */
static bool is_same(const struct ks_watch *w, const struct kstats_point *p)
{
	const struct kstats_point *q = point_of(w);
	unsigned long address = address_of(p);

	if (q->bytes != p->bytes || q->reads != p->reads || q->per_cpu != p->per_cpu || w->address != address)
		return false;
	return address || p->per_cpu || (!strcmp(p->module ?: "", q->module ?: "") && !strcmp(p->symbol, q->symbol) &&
					 p->offset == q->offset);
}

static struct ks_watch *find(const struct kstats_point *point)
{
	struct ks_watch *w;

	list_for_each_entry(w, &watches, link)
		if (is_same(w, point))
			return w;
	return NULL;
}

static int watch(struct ks_probe *p)
{
	struct ks_watch *w = kzalloc(sizeof(*w), GFP_KERNEL);
	int err = -ENOMEM;

	if (!w)
		return err;
	w->events = alloc_percpu(struct perf_event *);
	if (!w->events)
		goto fail;
	INIT_LIST_HEAD(&w->probes);
	list_add(&p->watch_link, &w->probes);
	p->watch = w;
	err = attach(w);
	if (err)
		goto fail_events;
	list_add_tail(&w->link, &watches);
	return 0;

fail_events:
	free_percpu(w->events);
fail:
	kfree(w);
	return err;
}

static int arm(struct ks_probe *p)
{
	struct ks_watch *w;
	int err = 0;

	p->watch_plain = is_plain(p);
	cpus_read_lock();
	mutex_lock(&lock);
	w = find(p->points[0]);
	if (!w) {
		err = watch(p);
	} else if (w->given_up) {
		err = -ENOSPC;
	} else {
		p->watch = w;
		list_add_tail_rcu(&p->watch_link, &w->probes);
	}
	mutex_unlock(&lock);
	cpus_read_unlock();
	return err;
}

/* Of several, handlers may see it until the caller has waited; when the last one's events have been released, none runs. */
static void leave(struct ks_probe *p)
{
	struct ks_watch *w = p->watch;

	if (!list_is_singular(&w->probes)) {
		list_del_rcu(&p->watch_link);
		return;
	}
	detach(w);
	list_del(&w->link);
	free_percpu(w->events);
	kfree(w);
}

static void disarm(struct ks_probe *const *probes, unsigned int n, void **scratch)
{
	unsigned int i;

	cpus_read_lock();
	mutex_lock(&lock);
	for (i = 0; i < n; i++)
		leave(probes[i]);
	mutex_unlock(&lock);
	cpus_read_unlock();
}

static size_t memory(const struct ks_probe *p)
{
	return sizeof(struct ks_watch) + num_possible_cpus() * sizeof(struct perf_event *) +
	       num_online_cpus() * sizeof(struct perf_event);
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

static void say_blind(const struct ks_watch *w, unsigned int cpu, int err)
{
	const struct ks_probe *p;

	list_for_each_entry(p, &w->probes, watch_link)
		pr_warn("%s: CPU %u comes, and what it does to %s is not seen: %s (error %d)\n", p->measure->name, cpu,
			p->points[0]->text, reason(err) ?: "the kernel refused", err);
}

/* On this CPU, before it runs anything of users'. It comes in any case; that what it does is not seen is told. */
static int cpu_comes(unsigned int cpu)
{
	struct ks_watch *w;
	int err;

	mutex_lock(&lock);
	list_for_each_entry(w, &watches, link) {
		err = attach_on(w, cpu);
		if (!err)
			continue;
		WRITE_ONCE(w->blind, w->blind + 1);
		say_blind(w, cpu, err);
	}
	mutex_unlock(&lock);
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	struct ks_watch *w;

	mutex_lock(&lock);
	list_for_each_entry(w, &watches, link)
		if (!detach_on(w, cpu) && w->blind)
			WRITE_ONCE(w->blind, w->blind - 1);
	mutex_unlock(&lock);
	return 0;
}

size_t ks_watch_blind(const struct kstats *k, char *buf, size_t size)
{
	unsigned int i, blind = 0;

	for (i = 0; i < k->nprobes; i++)
		if (k->probes[i].armed && k->probes[i].backend == &ks_probe_watch)
			blind = max(blind, READ_ONCE(k->probes[i].watch->blind));
	return blind ? scnprintf(buf, size, "blind %u\n", blind) : 0;
}

/* ---- modules that come and go ---- */

static void module_goes(struct ks_watch *w)
{
	const struct ks_probe *p;

	detach(w);
	w->address = 0;
	w->given_up = false;
	WRITE_ONCE(w->blind, 0);
	list_for_each_entry(p, &w->probes, watch_link)
		pr_info("%s: module %s goes, and %s with it\n", p->measure->name, p->points[0]->module, p->points[0]->text);
}

static void module_comes(struct ks_watch *w)
{
	const struct ks_probe *p;
	int err;

	detach(w);	/* who armed it meanwhile found the address already */
	err = attach(w);
	w->given_up = err;
	WRITE_ONCE(w->blind, err ? num_online_cpus() : 0);
	list_for_each_entry(p, &w->probes, watch_link) {
		if (err)
			pr_warn("%s: module %s comes, but %s cannot be watched: %s (error %d)\n", p->measure->name, p->points[0]->module,
				p->points[0]->text, reason(err) ?: "the kernel refused", err);
		else
			pr_info("%s: module %s comes, and %s with it\n", p->measure->name, p->points[0]->module, p->points[0]->text);
	}
}

/* Behind variable.c's, which finds the address. A module's memory stays until this returns. */
static int notify(struct notifier_block *nb, unsigned long action, void *data)
{
	const struct module *mod = data;
	struct ks_watch *w;

	if (action != MODULE_STATE_COMING && action != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	cpus_read_lock();
	mutex_lock(&lock);
	list_for_each_entry(w, &watches, link) {
		const char *module = point_of(w)->module;

		if (!module || strcmp(module, mod->name))
			continue;
		if (action == MODULE_STATE_COMING)
			module_comes(w);
		else
			module_goes(w);
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
