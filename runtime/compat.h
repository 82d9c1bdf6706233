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

/* 5.11 (d741bf41d7c7): a kretprobe instance points to a holder, and the probe is found through an accessor. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define get_kretprobe(ri)	((ri)->rp)
#endif

/*
 * The calls that the current task has open and that a kretprobe follows: since 5.11 a task lists them, innermost first (as
 * kretprobe instances, or as rethook nodes where kretprobes are made of those, 5.18). Before, they lie in a private hash
 * table: there the calls that an exiting task leaves stay in flight, and nesting cannot be told.
 *
 * ks_kretprobe_next() gives the one around @ri, or with NULL the innermost, of those that are kretprobes' and whose probe is
 * on; @like is a probe that is on. With preemption off, which is what keeps the probe that was found.
 */
#if defined(CONFIG_KRETPROBE_ON_RETHOOK)
#define KS_KRETPROBE_NESTS	1

static inline struct kretprobe_instance *ks_kretprobe_next(const struct kretprobe *like, struct kretprobe_instance *ri)
{
	const void *ours = like->rh ? rcu_access_pointer(like->rh->handler) : NULL;
	const struct llist_node *l = ri ? ri->node.llist.next : current->rethooks.first;

	for (; l; l = l->next) {	/* other users of rethook have handlers of their own; one that is off has none */
		struct rethook_node *node = container_of(l, struct rethook_node, llist);

		if (ours && rcu_access_pointer(node->rethook->handler) == ours)
			return container_of(node, struct kretprobe_instance, node);
	}
	return NULL;
}

/* Where the function whose frame begins at @sp returns to: @found lies there, unless kretprobes have put theirs there. */
static inline unsigned long ks_kretprobe_caller(unsigned long sp, unsigned long found)
{
	const struct llist_node *l;

	for (l = current->rethooks.first; l; l = l->next) {	/* the last of a frame has seen what was there first */
		const struct rethook_node *node = container_of(l, struct rethook_node, llist);

		if (node->frame == sp)
			found = node->ret_addr;
	}
	return found;
}
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define KS_KRETPROBE_NESTS	1

static inline struct kretprobe_instance *ks_kretprobe_next(const struct kretprobe *like, struct kretprobe_instance *ri)
{
	const struct llist_node *l = ri ? ri->llist.next : current->kretprobe_instances.first;

	for (; l; l = l->next)
		if (get_kretprobe(container_of(l, struct kretprobe_instance, llist)))
			return container_of(l, struct kretprobe_instance, llist);
	return NULL;
}

static inline unsigned long ks_kretprobe_caller(unsigned long sp, unsigned long found)
{
	const struct llist_node *l;

	for (l = current->kretprobe_instances.first; l; l = l->next) {
		const struct kretprobe_instance *ri = container_of(l, struct kretprobe_instance, llist);

		if ((unsigned long)ri->fp == sp)
			found = (unsigned long)ri->ret_addr;
	}
	return found;
}
#else
#define KS_KRETPROBE_NESTS	0

static inline struct kretprobe_instance *ks_kretprobe_next(const struct kretprobe *like, struct kretprobe_instance *ri)
{
	return NULL;
}

static inline unsigned long ks_kretprobe_caller(unsigned long sp, unsigned long found)
{
	return found;
}
#endif

/*
 * Kernels may be built to zero all variables on the stack (INIT_STACK_ALL_ZERO, 5.9 and with gcc 5.15). Handlers have some hundred
 * words there, of which an event sets and uses a few.
 */
#if defined(__has_attribute) && __has_attribute(__uninitialized__)
#define KS_UNINITIALIZED	__attribute__((__uninitialized__))
#else
#define KS_UNINITIALIZED
#endif

/* A canary costs more than what some handlers do; where this stands, no array is filled by a length that is read. */
#if defined(__has_attribute) && __has_attribute(__no_stack_protector__)
#define KS_NO_CANARY		__attribute__((__no_stack_protector__))
#else
#define KS_NO_CANARY
#endif

/*
 * Callbacks of tracepoints run with preemption off before 6.13, which let those of system calls fault; by 7.2 none does.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define ks_tracepoint_begin()	do { } while (0)
#define ks_tracepoint_end()	do { } while (0)
#else
#define ks_tracepoint_begin()	preempt_disable_notrace()
#define ks_tracepoint_end()	preempt_enable_notrace()
#endif

/*
 * 6.16 lets the names of tracepoints that have no event in tracefs end in _tp, but for the macro that defines them.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define KS_DEFINE_TRACE(name, proto, args)	DEFINE_TRACE(name, PARAMS(proto), PARAMS(args))
#define KS_TRACE(name)				trace_##name
#define KS_TRACE_TEXT(name)			#name
#else
#define KS_DEFINE_TRACE(name, proto, args)	DEFINE_TRACE(name##_tp, PARAMS(proto), PARAMS(args))
#define KS_TRACE(name)				trace_##name##_tp
#define KS_TRACE_TEXT(name)			#name "_tp"
#endif

/* 7.2 (00b5006ead25) asks which system time is to be had with the clock's own count. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
#define ktime_get_snapshot_id(id, snapshot)	ktime_get_snapshot(snapshot)
#endif

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

/*
 * fprobes, whose handlers take these registers from 6.5 (cb16330d1274) to 6.13; 6.14 (4346ba160409) made them of the function graph
 * tracer, where they take longer than kretprobes and keep 15 words a call at most. Calls under way hang on the task as rethook nodes;
 * the function and its caller lie between those and our data.
 */
#if IS_ENABLED(CONFIG_FPROBE) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#include <linux/fprobe.h>
#define KS_FPROBE	1
#define KS_FPROBE_NODE	(sizeof(struct rethook_node) + 2 * sizeof(unsigned long))

/* The data of the call around that of @inner, or with NULL of the innermost, that @exit is to be told of; @like is an fprobe that is on. */
static inline void *ks_fprobe_next(const struct fprobe *like, void *inner, fprobe_exit_cb exit)
{
	const void *ours = like->rethook ? rcu_access_pointer(like->rethook->handler) : NULL;
	const struct llist_node *l = current->rethooks.first;

	if (inner)
		l = ((struct rethook_node *)(inner - KS_FPROBE_NODE))->llist.next;
	for (; l; l = l->next) {
		struct rethook_node *node = container_of(l, struct rethook_node, llist);

		if (ours && rcu_access_pointer(node->rethook->handler) == ours &&
		    ((const struct fprobe *)node->rethook->data)->exit_handler == exit)
			return (void *)node + KS_FPROBE_NODE;
	}
	return NULL;
}
#else
#define KS_FPROBE	0
#endif

#ifdef CONFIG_X86_64
#include <linux/uaccess.h>
#include <asm/nops.h>

/*
 * A call site where the kernel traces function entries: five bytes, a nop or somebody's call. Which nop depended on the processor before 5.13
 * (a89dfde3dc3c).
 */
#define KS_CALL_SITE_BYTES	5

static inline bool ks_is_call_site(const unsigned char *code)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 13, 0)
	static const unsigned char nops[][KS_CALL_SITE_BYTES] = { { P6_NOP5_ATOMIC }, { K8_NOP5_ATOMIC }, { GENERIC_NOP5_ATOMIC } };
#else
	static const unsigned char nops[][KS_CALL_SITE_BYTES] = { { 0x0f, 0x1f, 0x44, 0x00, 0x00 } };
#endif
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nops); i++)
		if (!memcmp(code, nops[i], KS_CALL_SITE_BYTES))
			return true;
	return code[0] == 0xe8;
}

/*
 * Before it, a function may have an ENDBR, or what the kernel puts in its place where nobody takes the function's address: a NOP as
 * long, another one since 6.15.
 */
#ifndef ENDBR_INSN_SIZE
#define ENDBR_INSN_SIZE	4
#endif

static inline bool ks_is_endbr(const void *address)
{
	u32 code;

	return !copy_from_kernel_nofault(&code, address, sizeof(code)) &&
	       (code == 0xfa1e0ff3 || code == 0x001f0f66 || code == 0xd6401f0f);
}

#endif

#if defined(CONFIG_DYNAMIC_FTRACE)
#define KS_FTRACE	1
#include <linux/ftrace.h>

/*
 * 5.11 turned the default round (a25d036d939a): before, who needs no protection against recursion says so. And it hands callbacks registers in
 * a structure of their own (d19ad0775dcd).
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define KS_FTRACE_UNGUARDED	FTRACE_OPS_FL_RECURSION_SAFE
#define ftrace_regs		pt_regs
#else
#define KS_FTRACE_UNGUARDED	0
#endif

/*
 * 6.1 lets modules tell ftrace of many functions at once, and let go of what they told it. Before, they tell one at a time, for each of which
 * ftrace copies the table of those before: so no more than some.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#define KS_FTRACE_MOST		2048

static inline int ks_ftrace_filter(struct ftrace_ops *ops, unsigned long *address, unsigned int n, int remove, int reset)
{
	int err = reset ? ftrace_set_filter(ops, NULL, 0, 1) : 0;

	for (; !err && n; n--)
		err = ftrace_set_filter_ip(ops, *address++, remove, 0);
	return err;
}

static inline void ks_ftrace_unfilter(struct ftrace_ops *ops)
{
	ftrace_set_filter(ops, NULL, 0, 1);
}
#else
#define KS_FTRACE_MOST		UINT_MAX
#define ks_ftrace_filter	ftrace_set_filter_ips
#define ks_ftrace_unfilter	ftrace_free_filter
#endif
#else
#define KS_FTRACE	0
#endif

/*
 * Thunks behind ftrace call sites need: direct calls; static calls whose sites are patched; stack traces that find their
 * way by objtool's tables (with frame pointers each thunk would have to make two frames); no check of types at calls.
 */
#if defined(CONFIG_X86_64) && defined(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS) && defined(CONFIG_HAVE_STATIC_CALL_INLINE) && \
	defined(CONFIG_UNWINDER_ORC) && !KS_CFI
#define KS_DIRECT	1

#include <linux/uaccess.h>
#include <asm/unwind_hints.h>

/* 5.16 has it in C, for the trampoline of kretprobes. */
#ifndef UNWIND_HINT_FUNC
#define UNWIND_HINT_FUNC	UNWIND_HINT(ORC_REG_SP, 8, UNWIND_HINT_TYPE_FUNC, 0)
#endif

/* 5.18 (for IBT): what is only ever called directly need not begin with an ENDBR. */
#ifndef __noendbr
#define __noendbr
#endif

/* 6.2 counts calls on processors whose return predictor must be refilled. */
#ifdef CALL_DEPTH_ACCOUNT
#define KS_CALL_DEPTH_ACCOUNT	CALL_DEPTH_ACCOUNT
#define ks_calls_are_counted()	boot_cpu_has(X86_FEATURE_CALL_DEPTH)
#else
#define KS_CALL_DEPTH_ACCOUNT	""
#define ks_calls_are_counted()	false
#endif

/*
 * 5.17 has direct calls of all functions of an ftrace_ops (f64dd4627ec6, ccf5a89efd6f), whose plain name 6.4 (da8bdfbd4223) gave them; before,
 * of one call site, by an ftrace_ops of the kernel's own.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 17, 0)
#define KS_DIRECT_MANY	0

static inline int ks_direct_register(struct ftrace_ops *ops, unsigned long ip, unsigned long address)
{
	return register_ftrace_direct(ip, address);
}

static inline int ks_direct_modify(struct ftrace_ops *ops, unsigned long ip, unsigned long from, unsigned long to)
{
	return modify_ftrace_direct(ip, from, to);
}

static inline void ks_direct_unregister(struct ftrace_ops *ops, unsigned long ip, unsigned long address)
{
	unregister_ftrace_direct(ip, address);
}
#else
#define KS_DIRECT_MANY	1
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define register_ftrace_direct				register_ftrace_direct_multi
#define modify_ftrace_direct				modify_ftrace_direct_multi
#define unregister_ftrace_direct(ops, addr, free)	unregister_ftrace_direct_multi(ops, addr)
#endif

/*
 * Without the flag a write to ftrace_enabled would end the counting without a word. Before 6.4 registering sets all flags anew,
 * so it is set afterwards.
 */
static inline int ks_direct_register(struct ftrace_ops *ops, unsigned long ip, unsigned long address)
{
	int err;

	ops->flags |= FTRACE_OPS_FL_PERMANENT;
	err = register_ftrace_direct(ops, address);
	ops->flags |= FTRACE_OPS_FL_PERMANENT;
	return err;
}

static inline int ks_direct_modify(struct ftrace_ops *ops, unsigned long ip, unsigned long from, unsigned long to)
{
	return modify_ftrace_direct(ops, to);
}

static inline void ks_direct_unregister(struct ftrace_ops *ops, unsigned long ip, unsigned long address)
{
	unregister_ftrace_direct(ops, address, false);
}
#endif
#else
#define KS_DIRECT	0
#endif

#endif /* KS_COMPAT_H */
