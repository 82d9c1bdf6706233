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
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#define S32_MIN			INT_MIN
#define S64_MIN			LLONG_MIN
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline, unused))
#define __init
#define __exit
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof(*(a)))
#define BUILD_BUG_ON(c)		_Static_assert(!(c), #c)
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
	char comm[16];
};

extern struct task_struct stub_task;
extern int stub_cpu;

#define current			(&stub_task)
#define raw_smp_processor_id()	stub_cpu
#define rcu_dereference_raw(p)	(p)
#define __kuid_val(uid)		((uid).val)

#endif /* STUB_MODULE_H */
