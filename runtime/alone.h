/* SPDX-License-Identifier: GPL-2.0 */
/*
 * alone.h: C that kmeter generates, compiled without any kernel header: this file gives what kernel headers would, by the
 * same names, so that the C is the same either way (kbuild compiles it with the kernel's headers).
 *
 * Parsing kernel headers is most of the time that kbuild takes for a script. What only they know is asked of them once a
 * kernel and runtime, by template.c, and stands in recorded.h.
 */
#ifndef KSTATS_ALONE_H
#define KSTATS_ALONE_H

typedef signed char s8, __s8;
typedef unsigned char u8, __u8;
typedef short s16, __s16;
typedef unsigned short u16, __u16;
typedef int s32, __s32;
typedef unsigned int u32, __u32;
typedef long long s64, __s64;
typedef unsigned long long u64, __u64;
typedef __SIZE_TYPE__ size_t;
typedef _Bool bool;

#define true		1
#define false		0
#define NULL		((void *)0)
#define S32_MIN		(-0x7fffffff - 1)
#define S64_MIN		(-0x7fffffffffffffffLL - 1)
#define __user

/* The kernel's own __init, __exit, inline, __always_inline and _ASM_EXTABLE(1b, ...); offsets and symbols (facts.h). */
#include "recorded.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define BUILD_BUG_ON(condition) \
	do { \
		extern void ks_build_bug(void) __attribute__((error("BUILD_BUG_ON"))); \
		if (condition) \
			ks_build_bug(); \
	} while (0)

#define _ASM_EXTABLE(from, to)	KS_EXTABLE(#to)		/* from 1b, as all of script.h's */

/* By these names kprobes and functions say where a register is (the order is the kernel's: template.c checks it). */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

/* ---- a module ---- */

struct module;
extern struct module __this_module;
#define THIS_MODULE	(&__this_module)

#define KS_PASTE_(a, b)	a ## b
#define KS_PASTE(a, b)	KS_PASTE_(a, b)
#define MODULE_INFO(tag, text) \
	static const char KS_PASTE(__UNIQUE_ID_ ## tag, __COUNTER__)[] \
		__attribute__((__used__, __section__(".modinfo"), __aligned__(1))) = #tag "=" text
#define MODULE_LICENSE(text)		MODULE_INFO(license, text)
#define MODULE_DESCRIPTION(text)	MODULE_INFO(description, text)

/* The pointers keep objtool from taking the functions for ones that nobody calls. */
#define module_init(function) \
	int init_module(void) __attribute__((__copy__(function), alias(#function))); \
	static void *ks_addressable_init __attribute__((__used__, __section__(".init.data"))) = (void *)&init_module
#define module_exit(function) \
	void cleanup_module(void) __attribute__((__copy__(function), alias(#function))); \
	static void *ks_addressable_exit __attribute__((__used__, __section__(".exit.data"))) = (void *)&cleanup_module

/* ---- of the kernel ---- */

extern char init_task[];
long copy_from_user_nofault(void *to, const void *from, size_t size);

static __always_inline unsigned long ks_current(void)
{
	unsigned long task;

	asm("movq " KS_GS_CURRENT ", %0" : "=r" (task));
	return task;
}

static __always_inline u32 ks_this_cpu_number(void)
{
	u32 cpu;

	asm volatile("movl " KS_GS_CPU ", %0" : "=r" (cpu));
	return cpu;
}

static __always_inline unsigned long ks_this_cpu_offset(void)
{
	unsigned long offset;

	asm volatile("movq " KS_GS_OFFSET ", %0" : "=r" (offset));
	return offset;
}

#endif /* KSTATS_ALONE_H */
