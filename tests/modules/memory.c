// SPDX-License-Identifier: GPL-2.0
/*
 * memory.c: kmeter_memory.ko accesses its variables a known number of times, for tests/vm/memory.sh.
 *
 * Write to /sys/kernel/debug/kmeter_memory/run, which returns when it is done:
 *
 *	WHAT N [CONTEXT]	N times on each online CPU at once; CONTEXT is task (default) or hardirq. Or here: by the writer alone
 *
 * WHAT: three (memory_k once, _l twice, _m three times: each writes `written` once) · read (memory_get reads it twice, memory_k
 * writes it) · parts (each element of `table`, each member of `object` once, `byte` and its neighbours) · wide (`two`: its lower half
 * once, its upper one twice) · statics (`state` of this file once, of memory_two.c twice) · percpu (element 9 of this CPU's
 * kernel_cpustat, which stays what it is) · values (`valued` gets 0 .. N-1, `colored` each of its colors in turn; memory_after is
 * called behind each).
 *
 * How often memory_k, _l and _m and memory_get were called, since the module was loaded, is in /sys/kernel/debug/kmeter_memory/counts.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/irq_work.h>
#include <linux/kernel_stat.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include "memory.h"

enum memory_color { MEMORY_RED, MEMORY_GREEN = 5, MEMORY_BLUE = -3 };

struct memory_two {
	u64 low, high;
};

struct memory_object {
	u32 first;
	struct {
		u16 before, deep, behind;
	} inner;
	union {
		u64 whole;
		struct {
			u32 lower, upper;
		};
	};
	unsigned int three:3, five:5;
};

static u64 written, valued;
static enum memory_color colored;
static u32 state;
static u32 table[8];
static struct memory_object object;
static struct memory_two two __aligned(8);
static u8 bytes[3];
static u8 byte;
static atomic64_t calls[4];

noinline void memory_k(u64 x);
noinline void memory_l(u64 x);
noinline void memory_m(u64 x);
noinline u64 memory_get(void);
noinline void memory_after(u64 x);

noinline void memory_k(u64 x)
{
	WRITE_ONCE(written, x);
	barrier();
}

noinline void memory_l(u64 x)
{
	WRITE_ONCE(written, x + 1);
	barrier();
}

/* With an instruction that does more than write, and which is another one's neighbour. */
noinline void memory_m(u64 x)
{
	asm volatile("addq %1, %0" : "+m" (written) : "r" (x));
	barrier();
}

noinline u64 memory_get(void)
{
	u64 a = READ_ONCE(written);

	barrier();
	return a + READ_ONCE(written);
}

noinline void memory_after(u64 x)
{
	asm volatile("" : : "r" (x) : "memory");
}

static void do_three(u64 n)
{
	for (u64 i = 0; i < n; i++) {
		memory_k(i);
		for (int j = 0; j < 2; j++)
			memory_l(i);
		for (int j = 0; j < 3; j++)
			memory_m(i);
	}
	atomic64_add(n, &calls[0]);
	atomic64_add(2 * n, &calls[1]);
	atomic64_add(3 * n, &calls[2]);
}

static void do_read(u64 n)
{
	for (u64 i = 0; i < n; i++) {
		memory_get();
		memory_k(i);
	}
	atomic64_add(n, &calls[0]);
	atomic64_add(n, &calls[3]);
}

static void do_parts(u64 n)
{
	for (u64 i = 0; i < n; i++) {
		for (int j = 0; j < ARRAY_SIZE(table); j++)
			WRITE_ONCE(table[j], i);
		WRITE_ONCE(object.first, i);
		WRITE_ONCE(object.inner.before, i);
		WRITE_ONCE(object.inner.deep, i);
		WRITE_ONCE(object.inner.behind, i);
		WRITE_ONCE(object.lower, i);
		WRITE_ONCE(object.upper, i);
		WRITE_ONCE(bytes[0], i);
		WRITE_ONCE(bytes[2], i);
		WRITE_ONCE(byte, i);
	}
}

static void do_wide(u64 n)
{
	for (u64 i = 0; i < n; i++) {
		WRITE_ONCE(two.low, i);
		WRITE_ONCE(two.high, i);
		WRITE_ONCE(two.high, i + 1);
	}
}

static noinline void memory_one(u32 x)
{
	WRITE_ONCE(state, x);
}

static void do_statics(u64 n)
{
	for (u64 i = 0; i < n; i++) {
		memory_one(i);
		memory_second(i);
		memory_second(i);
	}
}

static void do_percpu(u64 n)
{
	for (u64 i = 0; i < n; i++)
		this_cpu_add(kernel_cpustat.cpustat[9], 0);
}

static void do_values(u64 n)
{
	static const enum memory_color colors[] = { MEMORY_RED, MEMORY_GREEN, MEMORY_BLUE };

	for (u64 i = 0; i < n; i++) {
		WRITE_ONCE(valued, i);
		WRITE_ONCE(colored, colors[i % 3]);
		memory_after(i);
	}
}

static const struct {
	const char *name;
	void (*run)(u64 n);
} kinds[] = {
	{ "three", do_three }, { "read", do_read }, { "parts", do_parts }, { "wide", do_wide }, { "statics", do_statics },
	{ "percpu", do_percpu }, { "values", do_values },
};

/* ---- on each CPU ---- */

static DEFINE_MUTEX(lock);
static void (*what)(u64 n);
static u64 times;

static bool interrupted;

static void by_interrupt(struct irq_work *work)
{
	what(times);
}

struct here {
	struct work_struct work;
	struct irq_work interrupt;
};

static DEFINE_PER_CPU(struct here, here);

static void by_task(struct work_struct *work)
{
	struct here *h = container_of(work, struct here, work);

	if (!interrupted) {
		what(times);
		return;
	}
	irq_work_queue(&h->interrupt);
	irq_work_sync(&h->interrupt);
}

static void on_each(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct here *h = per_cpu_ptr(&here, cpu);

		INIT_WORK(&h->work, by_task);
#ifdef IRQ_WORK_INIT_HARD	/* PREEMPT_RT has threads for others */
		h->interrupt = IRQ_WORK_INIT_HARD(by_interrupt);
#else
		init_irq_work(&h->interrupt, by_interrupt);
#endif
		queue_work_on(cpu, system_wq, &h->work);
	}
	for_each_online_cpu(cpu)
		flush_work(&per_cpu_ptr(&here, cpu)->work);
	cpus_read_unlock();
}

static ssize_t run_write(struct file *file, const char __user *buf, size_t size, loff_t *pos)
{
	char text[64], name[16], context[16] = "task";
	unsigned int i;
	u64 n;

	if (size >= sizeof(text) || copy_from_user(text, buf, size))
		return -EINVAL;
	text[size] = 0;
	if (sscanf(text, "%15s %llu %15s", name, &n, context) < 2)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(kinds) && strcmp(kinds[i].name, name); i++)
		;
	if (i == ARRAY_SIZE(kinds))
		return -EINVAL;
	mutex_lock(&lock);
	what = kinds[i].run;
	times = n;
	interrupted = !strcmp(context, "hardirq");
	if (!strcmp(context, "here"))
		what(n);
	else
		on_each();
	mutex_unlock(&lock);
	return size;
}

static const struct file_operations run_fops = { .owner = THIS_MODULE, .write = run_write, .llseek = noop_llseek };

static int counts_show(struct seq_file *m, void *v)
{
	static const char *const names[] = { "k", "l", "m", "get" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		seq_printf(m, "%s %lld\n", names[i], atomic64_read(&calls[i]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counts);

static struct dentry *dir;

static int __init kmeter_memory_init(void)
{
	dir = debugfs_create_dir("kmeter_memory", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_file("counts", 0400, dir, NULL, &counts_fops);
	return 0;
}

static void __exit kmeter_memory_exit(void)
{
	debugfs_remove(dir);
}

module_init(kmeter_memory_init);
module_exit(kmeter_memory_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("accesses its variables a known number of times, for kmeter's tests");
