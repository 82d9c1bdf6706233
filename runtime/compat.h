/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h: the one place that knows kernel versions. The runtime is written for the newest kernel; what older ones (5.10
 * on) have differently is made to look like it here, each with the release that changed it.
 */
#ifndef KS_COMPAT_H
#define KS_COMPAT_H

#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/version.h>

/* Kernels with forward-edge CFI check the type of every indirect call: probes must then have a tracepoint's own type. */
#if defined(CONFIG_CFI_CLANG) || defined(CONFIG_CFI)
#define KS_CFI	1
#else
#define KS_CFI	0
#endif

/* 5.11: in_irq() became in_hardirq(). */
#ifndef in_hardirq
#define in_hardirq()	in_irq()
#endif

/* 5.11 (d741bf41d7c7): a kretprobe instance points to a holder, and the probe is found through an accessor. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define get_kretprobe(ri)	((ri)->rp)
#endif

/*
 * How many calls of @rp's function does the current task have open? Since 5.11 a task lists them (as kretprobe
 * instances, or as rethook nodes where kretprobes are made of those, 5.18). Before, they lie in a private hash table:
 * there the calls that an exiting task leaves stay in flight.
 */
static inline unsigned int ks_kretprobe_open(const struct kretprobe *rp)
{
	unsigned int n = 0;
#if defined(CONFIG_KRETPROBE_ON_RETHOOK)
	const struct llist_node *l;

	for (l = current->rethooks.first; l; l = l->next)
		n += container_of(l, struct rethook_node, llist)->rethook == rp->rh;
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
	const struct llist_node *l;

	for (l = current->kretprobe_instances.first; l; l = l->next)
		n += get_kretprobe(container_of(l, struct kretprobe_instance, llist)) == rp;
#endif
	return n;
}

/*
 * Wait until every handler that was running has ended. Handlers run with preemption off; in kernels that let code be probed
 * where RCU does not watch (idle, entry), only the rude flavour waits for those too. Where no such code can be probed it
 * waits for nothing, and RCU's own grace period is enough.
 */
static inline void ks_quiesce(void)
{
#ifdef CONFIG_TASKS_RUDE_RCU
	synchronize_rcu_tasks_rude();
#endif
	synchronize_rcu();
}

#endif /* KS_COMPAT_H */
