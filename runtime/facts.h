/* SPDX-License-Identifier: GPL-2.0 */
/*
 * facts.h: what script.h has to know of the kernel, told by the kernel's headers. C that includes no kernel header
 * (alone.h) has the same from recorded.h, which kmeter writes once a kernel: template.c is compiled with these.
 */
#ifndef KSTATS_FACTS_H
#define KSTATS_FACTS_H

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/init_task.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/asm.h>

/* X(name, value): numbers; script.h reads members by them, of the size that is asserted below. */
#define KS_FACTS(X) \
	X(TASK_PID,		offsetof(struct task_struct, pid)) \
	X(TASK_TGID,		offsetof(struct task_struct, tgid)) \
	X(TASK_PARENT,		offsetof(struct task_struct, real_parent)) \
	X(TASK_CRED,		offsetof(struct task_struct, cred)) \
	X(TASK_COMM,		offsetof(struct task_struct, comm)) \
	X(TASK_MM,		offsetof(struct task_struct, mm)) \
	X(CRED_UID,		offsetof(struct cred, uid)) \
	KS_CGROUP_FACTS(X)

#ifdef CONFIG_CGROUPS
#define KS_CGROUP_FACTS(X) \
	X(TASK_CGROUPS,		offsetof(struct task_struct, cgroups)) \
	X(CSS_SET_CGROUP,	offsetof(struct css_set, dfl_cgrp)) \
	X(CGROUP_NODE,		offsetof(struct cgroup, kn)) \
	X(NODE_ID,		offsetof(struct kernfs_node, id))
#else
#define KS_NO_CGROUPS
#define KS_CGROUP_FACTS(X)
#endif

enum {
#define KS_FACT(name, value)	KS_##name = (value),
	KS_FACTS(KS_FACT)
#undef KS_FACT
};

static_assert(sizeof_field(struct task_struct, pid) == 4 && sizeof_field(struct task_struct, tgid) == 4);
static_assert(sizeof_field(struct cred, uid) == 4);
static_assert(sizeof_field(struct task_struct, comm) == 16);
#ifdef CONFIG_CGROUPS
static_assert(sizeof_field(struct kernfs_node, id) == 8);
#endif

static __always_inline unsigned long ks_current(void)
{
	return (unsigned long)current;
}

static __always_inline u32 ks_this_cpu_number(void)
{
	return raw_smp_processor_id();
}

static __always_inline unsigned long ks_this_cpu_offset(void)
{
	return raw_cpu_read(this_cpu_off);
}

#endif /* KSTATS_FACTS_H */
