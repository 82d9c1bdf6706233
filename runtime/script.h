/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script.h: what the C that kmeter generates includes: kstats.h, and the built-ins of the language as inline functions.
 *
 * All of them are loads from the current task or CPU: safe in any context, NMI included; in an interrupt the task is the
 * interrupted one. None calls anything that can be probed.
 */
#ifndef KSTATS_SCRIPT_H
#define KSTATS_SCRIPT_H

#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "kstats.h"

/* `pid`: the process (tgid); `tid`: the thread; numbers of the initial pid namespace. */
static __always_inline u64 ks_pid(void)
{
	return (u32)current->tgid;
}

static __always_inline u64 ks_tid(void)
{
	return (u32)current->pid;
}

/* The parent stays allocated for a grace period, and handlers run with preemption off. */
static __always_inline u64 ks_ppid(void)
{
	return (u32)rcu_dereference_raw(current->real_parent)->tgid;
}

/* `uid`: the real one, in the initial user namespace; a task's own credentials do not change under it. */
static __always_inline u64 ks_uid(void)
{
	return __kuid_val(rcu_dereference_raw(current->cred)->uid);
}

static __always_inline u64 ks_cpu(void)
{
	return raw_smp_processor_id();
}

/* `comm`, KSTATS_COMM_WORDS words, zero-filled behind the end (which the kernel's own copy is not sure to be). */
static __always_inline void ks_comm(u64 *words)
{
	const u64 low = 0x0101010101010101ULL, high = low << 7;
	unsigned int i;
	bool ended = false;

	BUILD_BUG_ON(sizeof(current->comm) != KSTATS_COMM_WORDS * 8);
	for (i = 0; i < KSTATS_COMM_WORDS; i++) {
		u64 w, zero;

		__builtin_memcpy(&w, current->comm + 8 * i, 8);
		zero = (w - low) & ~w & high;	/* the lowest set bit marks the first zero byte (little endian) */
		if (ended)
			w = 0;
		else if (zero)
			w &= ((zero & -zero) >> 7) - 1;
		ended |= !!zero;
		words[i] = w;
	}
}

#endif /* KSTATS_SCRIPT_H */
