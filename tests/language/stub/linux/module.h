/* SPDX-License-Identifier: GPL-2.0 */
/*
 * linux/module.h: of the kernel just what generated C and runtime/script.h use, in user space, so that expr.t can run the
 * handlers. The other headers beside this one are empty.
 */
#ifndef STUB_MODULE_H
#define STUB_MODULE_H

#include <limits.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#define S32_MIN			INT_MIN
#define S64_MIN			LLONG_MIN
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline, unused))
#define __init
#define __exit
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof(*(a)))
#define BUILD_BUG_ON(c)		do { if (c) __builtin_trap(); } while (0)
#define THIS_MODULE		NULL
#define MODULE_LICENSE(s)	_Static_assert(sizeof(s), "")
#define MODULE_DESCRIPTION(s)	_Static_assert(sizeof(s), "")
#define MODULE_INFO(tag, s)	_Static_assert(sizeof(s), "")
#define module_init(f)		int stub_init(void); int stub_init(void) { return f(); }
#define module_exit(f)		void stub_exit(void); void stub_exit(void) { f(); }

struct module;
struct cred { struct { u32 val; } uid; };
struct task_struct {
	int pid, tgid;
	struct task_struct *real_parent;
	const struct cred *cred;
	void *mm;
	char comm[16];
};

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

extern struct task_struct stub_task, init_task;
extern int stub_cpu;

/*
 * Memory: the objects of objects.c are the kernel's: their addresses there are those here with the upper bits set. All else
 * faults. The user's lie at the addresses that they have.
 */
#define static_assert(c)	_Static_assert(c, "")
#define sizeof_field(s, m)	sizeof(((s *)0)->m)
#define STUB_KERNEL		0xffff800000000000UL
#define __user
#define likely(x)		(x)
#define unlikely(x)		(x)

const void *stub_memory(u64 address, unsigned int size, bool user);	/* NULL: a fault */

/* In the place of script.h's own load, whose faults only a kernel excuses; and of what needs a kernel's use of registers. */
#define KS_LOAD(instruction, register, type) do { \
	const void *at = stub_memory(address, sizeof(type), false); \
	type loaded; \
	if (!at) \
		goto bad; \
	memcpy(&loaded, at, sizeof(loaded)); \
	value = loaded; \
} while (0)
#define ks_through

static inline long copy_from_user_nofault(void *to, const void *from, size_t size)
{
	const void *at = stub_memory((u64)from, size, true);

	if (!at)
		return -1;
	memcpy(to, at, size);
	return 0;
}

#define raw_cpu_read(offset)	0UL

#define current			(&stub_task)
#define raw_smp_processor_id()	stub_cpu

#endif /* STUB_MODULE_H */
