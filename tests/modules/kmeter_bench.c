// SPDX-License-Identifier: GPL-2.0
/*
 * kmeter_bench.c: what the bench has measured, N times a round, and how long a round took.
 *
 * Write to /sys/kernel/debug/kmeter_bench/run, which returns when it is done:
 *
 *	WHAT [ROUNDS [PAUSE]]	WHAT is done N times a round, in ROUNDS rounds (9) after one that warms up, which counts as a call
 *				like any other; PAUSE ms (1) go by after each, for who reads buffers
 *
 * WHAT: function (int_sqrt) · glob (kmeter_bench_f500, one of 1,000 alike) · pair (int_sqrt, then int_pow) · tracepoints
 * (kmeter_bench_a, then kmeter_bench_b, of the current task) · watch (a write to kmeter_bench_watched).
 *
 * Then read it: "WHAT times TIMES min TICKS median TICKS", of one round, in ticks of the TSC, with interrupts off, so that in a
 * guest that counts instructions nothing else is in it. TIMES includes the round that warms up.
 *
 * `calibrate` reads "calibrate TICKS": what a thousand instructions take.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#define CREATE_TRACE_POINTS
#include "kmeter_bench_trace.h"

#define N		2000
#define MAX_ROUNDS	99
#define CALIBRATION	1000	/* instructions */

/* A thousand functions that differ (a number), or the compiler would make them one. */
#define ONE(n)								\
	noinline void kmeter_bench_f##n(void);				\
	noinline void kmeter_bench_f##n(void)				\
	{								\
		asm volatile("# %c0" : : "i" (1##n) : "memory");	\
	}
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(0) HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6) HUNDRED(7) HUNDRED(8) HUNDRED(9)

/*
 * The first is written. On a page of their own: to QEMU's emulated processor (7.2) some stores of 8 bytes to other places of that page are accesses, too.
 */
extern u64 kmeter_bench_watched[];
u64 kmeter_bench_watched[PAGE_SIZE / 8] __page_aligned_bss;
EXPORT_SYMBOL_GPL(kmeter_bench_watched);

/* Not inlined: each loop is the same code whatever is attached, and looks the same in every build. */
static noinline void do_function(void)
{
	for (int i = 0; i < N; i++)
		int_sqrt(1234567);
}

static noinline void do_glob(void)
{
	for (int i = 0; i < N; i++)
		kmeter_bench_f500();
}

static noinline void do_pair(void)
{
	for (int i = 0; i < N; i++) {
		int_sqrt(1234567);
		int_pow(3, 5);
	}
}

static noinline void do_tracepoints(void)
{
	for (int i = 0; i < N; i++) {
		trace_kmeter_bench_a(current);
		trace_kmeter_bench_b(current);
	}
}

static noinline void do_watch(void)
{
	for (int i = 0; i < N; i++)
		WRITE_ONCE(kmeter_bench_watched[0], i);
}

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {
	{ "function", do_function },
	{ "glob", do_glob },
	{ "pair", do_pair },
	{ "tracepoints", do_tracepoints },
	{ "watch", do_watch },
};

static DEFINE_MUTEX(one);
static char result[128];

/* Everything before is done, nothing after has begun; on every CPU, whatever the kernel was built for. */
static __always_inline u64 ticks(void)
{
	u32 lo, hi;

	asm volatile("lfence; rdtsc; lfence" : "=a" (lo), "=d" (hi) : : "memory");
	return (u64)hi << 32 | lo;
}

static int smaller_first(const void *a, const void *b)
{
	return *(const u64 *)a < *(const u64 *)b ? -1 : *(const u64 *)a > *(const u64 *)b;
}

static int run(int what, unsigned int rounds, unsigned int pause)
{
	static u64 took[MAX_ROUNDS + 1];
	unsigned long flags;

	for (unsigned int i = 0; i <= rounds; i++) {
		u64 start;

		local_irq_save(flags);
		start = ticks();
		scenarios[what].run();
		took[i] = ticks() - start;
		local_irq_restore(flags);
		msleep(pause);
		if (signal_pending(current))
			return -EINTR;
	}
	sort(took + 1, rounds, sizeof(took[0]), smaller_first, NULL);
	snprintf(result, sizeof(result), "%s times %u min %llu median %llu\n", scenarios[what].name, (rounds + 1) * N, took[1],
		 took[1 + rounds / 2]);
	return 0;
}

static noinline u64 spin(unsigned long loops)
{
	unsigned long flags;
	u64 start;

	local_irq_save(flags);
	start = ticks();
	asm volatile("1: dec %0; jnz 1b" : "+r" (loops));	/* two instructions a loop */
	start = ticks() - start;
	local_irq_restore(flags);
	return start;
}

static void calibrate(void)
{
	u64 once, twice;

	spin(CALIBRATION / 2);
	once = spin(CALIBRATION / 2);
	twice = spin(CALIBRATION);
	snprintf(result, sizeof(result), "calibrate %llu\n", (twice - once) * 1000 / CALIBRATION);
}

static ssize_t run_write(struct file *file, const char __user *from, size_t bytes, loff_t *pos)
{
	unsigned int rounds = 9, pause = 1;
	char line[64], name[16];
	int err = -EINVAL;

	if (bytes >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, bytes))
		return -EFAULT;
	line[bytes] = 0;
	if (sscanf(line, "%15s %u %u", name, &rounds, &pause) < 1 || !rounds || rounds > MAX_ROUNDS)
		return -EINVAL;
	mutex_lock(&one);
	if (!strcmp(name, "calibrate")) {
		calibrate();
		err = 0;
	}
	for (int i = 0; i < ARRAY_SIZE(scenarios); i++)
		if (!strcmp(name, scenarios[i].name))
			err = run(i, rounds, pause);
	mutex_unlock(&one);
	return err ?: bytes;
}

static ssize_t run_read(struct file *file, char __user *to, size_t bytes, loff_t *pos)
{
	ssize_t got;

	mutex_lock(&one);
	got = simple_read_from_buffer(to, bytes, pos, result, strlen(result));
	mutex_unlock(&one);
	return got;
}

static const struct file_operations run_ops = {
	.owner = THIS_MODULE,
	.read = run_read,
	.write = run_write,
};

static struct dentry *dir;

static int __init kmeter_bench_init(void)
{
	dir = debugfs_create_dir("kmeter_bench", NULL);
	debugfs_create_file("run", 0600, dir, NULL, &run_ops);
	return 0;
}

static void __exit kmeter_bench_exit(void)
{
	debugfs_remove(dir);
}

module_init(kmeter_bench_init);
module_exit(kmeter_bench_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("what kmeter's bench has measured");
