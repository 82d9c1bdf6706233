/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script.h: what the C that kmeter generates includes: kstats.h, and the built-ins of the language as inline functions.
 *
 * All of them may be used in any context, NMI included; in an interrupt the task is the interrupted one. Those of the first
 * half are loads from the current task, CPU or event, which neither fault nor call anything that can be probed. Those of the
 * second half may do both: a statement whose handlers use one of them is `guarded`.
 */
#ifndef KSTATS_SCRIPT_H
#define KSTATS_SCRIPT_H

#ifdef KSTATS_ALONE
#include "alone.h"
#else
#include "facts.h"
#endif
#include "kstats.h"

/* A function that saves every register it uses: `refuses` and `keys` of a point. The kernel uses general registers alone. */
#ifndef ks_through
#define ks_through	__attribute__((no_caller_saved_registers))
#endif

/* The member at @offset of the structure at @address, which is there. */
#define KS_MEMBER(type, address, offset)	(*(const volatile type *)((unsigned long)(address) + (offset)))

/* `pid`: the process (tgid); `tid`: the thread; numbers of the initial pid namespace. */
static __always_inline u64 ks_pid(void)
{
	return KS_MEMBER(u32, ks_current(), KS_TASK_TGID);
}

static __always_inline u64 ks_tid(void)
{
	return KS_MEMBER(u32, ks_current(), KS_TASK_PID);
}

/* The parent stays allocated for a grace period, and handlers run with preemption off. */
static __always_inline u64 ks_ppid(void)
{
	return KS_MEMBER(u32, KS_MEMBER(u64, ks_current(), KS_TASK_PARENT), KS_TASK_TGID);
}

/* `uid`: the real one, in the initial user namespace; a task's own credentials do not change under it. */
static __always_inline u64 ks_uid(void)
{
	return KS_MEMBER(u32, KS_MEMBER(u64, ks_current(), KS_TASK_CRED), KS_CRED_UID);
}

static __always_inline u64 ks_cpu(void)
{
	return ks_this_cpu_number();
}

/* `comm`, KSTATS_COMM_WORDS words, zero-filled behind the end (which the kernel's own copy is not sure to be). */
static __always_inline void ks_comm(u64 *words)
{
	const u64 low = 0x0101010101010101ULL, high = low << 7;
	const unsigned long comm = ks_current() + KS_TASK_COMM;
	unsigned int i;
	bool ended = false;

	for (i = 0; i < KSTATS_COMM_WORDS; i++) {
		u64 w, zero;

		__builtin_memcpy(&w, (const void *)(comm + 8 * i), 8);
		zero = (w - low) & ~w & high;	/* the lowest set bit marks the first zero byte (little endian) */
		if (ended)
			w = 0;
		else if (zero)
			w &= ((zero & -zero) >> 7) - 1;
		ended |= !!zero;
		words[i] = w;
	}
}

/* The same as it lies there, for a key of a histogram: readers look at no byte behind the end. */
static __always_inline void ks_comm_as_is(u64 *words)
{
	words[0] = KS_MEMBER(u64, ks_current(), KS_TASK_COMM);
	words[1] = KS_MEMBER(u64, ks_current(), KS_TASK_COMM + 8);
}

/* `context` of the event: 0 task, 1 softirq, 2 hardirq, 3 NMI. */
static __always_inline u64 ks_context(const struct kstats_event *ev)
{
	return ev->context;
}

/* `cgroup`: the id of the current task's in the default hierarchy (a folder's inode number); 0 in a kernel without. */
static __always_inline u64 ks_cgroup(void)
{
#ifdef KS_NO_CGROUPS
	return 0;
#else
	u64 cgroup = KS_MEMBER(u64, KS_MEMBER(u64, ks_current(), KS_TASK_CGROUPS), KS_CSS_SET_CGROUP);

	return KS_MEMBER(u64, KS_MEMBER(u64, cgroup, KS_CGROUP_NODE), KS_NODE_ID);
#endif
}

/* The address of a variable of the kernel itself, by its distance from init_task. */
static __always_inline u64 ks_address(s64 distance)
{
	return (unsigned long)&init_task + distance;
}

/* A module's variable, whose address the runtime keeps at @address; 0, which is not read, while the module is not loaded. */
static __always_inline u64 ks_variable(const u64 *address)
{
	return *(const volatile u64 *)address;
}

/* This CPU's instance of the per-CPU variable that the symbol table has at @address. */
static __always_inline u64 ks_this_cpu(u64 address)
{
	return address + ks_this_cpu_offset();
}

/* Two texts or other keys of @nwords words. */
static __always_inline bool ks_same(const u64 *a, const u64 *b, unsigned int nwords)
{
	u64 differ = 0;
	unsigned int i;

	for (i = 0; i < nwords; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

/* ---- guarded: what may fault, or call what can be probed ---- */

extern unsigned long kstats_kernel_half;	/* where the kernel's half of the address space begins */

/*
 * May @size bytes at @address be tried? Outside the kernel's half a load would be a general protection fault or a user's
 * access; the vsyscall page is no memory, and above it are error numbers and mapped registers of devices: what cannot be
 * excused is not tried. (copy_from_kernel_nofault_allowed() asks nearly the same, and is not exported.)
 */
static __always_inline bool ks_readable(u64 address, unsigned int size)
{
	const u64 vsyscall = -10ULL << 20;

	return address >= kstats_kernel_half && address <= vsyscall - size;
}

/*
 * One load with an entry in the exception table: it is done, or jumps. Before gcc 11 such a jump cannot have a result.
 *
 * Some gcc (12 is one) lose what they put on the edge of that jump, where the constants go that the path behind it begins with
 * (gcc's PR 113921). KS_HERE() makes them of the block behind the edge.
 */
#define KS_HERE(value, yes)	asm volatile("" : "+r" (value), "+r" (yes))

#ifdef KS_LOAD			/* a test's, in user space */
#elif defined(__clang__) || __GNUC__ >= 11
#define KS_LOAD(instruction, register, type) \
	do { \
		asm volatile goto("1:	" instruction " %[from], %" register "[value]\n" \
				  _ASM_EXTABLE(1b, %l[bad]) \
				  : [value] "=r" (value) : [from] "m" (*(const volatile type *)(unsigned long)address) : : bad); \
		asm(""); \
	} while (0)
#else
#define KS_LOAD(instruction, register, type) \
	do { \
		u32 failed = 1; \
\
		asm volatile("1:	" instruction " %[from], %" register "[value]\n" \
			     "	xorl %k[failed], %k[failed]\n" \
			     "2:\n" \
			     _ASM_EXTABLE(1b, 2b) \
			     : [value] "+&r" (value), [failed] "+&r" (failed) \
			     : [from] "m" (*(const volatile type *)(unsigned long)address)); \
		if (unlikely(failed)) \
			goto bad; \
	} while (0)
#endif

/* @size bytes (1, 2, 4, 8; constant) of kernel memory, zero-extended. Where they cannot be read: 0, and *@fault is set. */
static __always_inline u64 ks_read(u64 address, unsigned int size, bool *fault)
{
	bool yes = true;
	u64 value = 0;

	BUILD_BUG_ON(size != 1 && size != 2 && size != 4 && size != 8);
	if (unlikely(!ks_readable(address, size)))
		goto bad;
	switch (size) {
	case 1:
		KS_LOAD("movzbl", "k", u8);
		break;
	case 2:
		KS_LOAD("movzwl", "k", u16);
		break;
	case 4:
		KS_LOAD("movl", "k", u32);
		break;
	default:
		KS_LOAD("movq", "q", u64);
		break;
	}
	return value;
bad:
	value = 0;
	KS_HERE(value, yes);
	*fault = yes;
	return value;
}

/* The same of the current process' memory; a page that is not present is a fault, and a kernel thread has none of its own. */
static __always_inline u64 ks_read_user(u64 address, unsigned int size, bool *fault)
{
	u64 value = 0;

	BUILD_BUG_ON(size != 1 && size != 2 && size != 4 && size != 8);
	if (likely(KS_MEMBER(u64, ks_current(), KS_TASK_MM) &&
		   !copy_from_user_nofault(&value, (const void __user *)(unsigned long)address, size)))
		return value;
	*fault = true;
	return 0;
}

/*
 * A text of at most @max bytes (not more than 8 * @nwords), up to its first 0, zero-filled to @nwords words. It is a fault
 * only where a byte before that 0 cannot be read; all words are 0 then.
 */
static __always_inline void ks_string(u64 *words, unsigned int nwords, u64 address, unsigned int max, bool user,
				      bool *fault)
{
	kstats_string(words, nwords, address, max, user, fault);
}

/*
 * Who called the function (at its entry and return), else the place itself: the instruction; of a tracepoint, where the
 * function that holds it goes on. 0 where that cannot be told.
 */
static __always_inline u64 ks_caller(const struct kstats_event *ev)
{
	return kstats_caller(ev);
}

/*
 * KSTATS_STACK_WORDS kernel addresses, innermost first, zero-filled: the place (the function whose entry or return this is,
 * the instruction), then where each caller goes on; of a tracepoint, where the function that holds it goes on, then these.
 */
static __always_inline void ks_stack(u64 *words, const struct kstats_event *ev)
{
	kstats_stack(words, ev);
}

#endif /* KSTATS_SCRIPT_H */
