// SPDX-License-Identifier: GPL-2.0
/*
 * kmeter_test.c: does what it is told, a known number of times, so that tests know what a measurement must show.
 *
 * Write to /sys/kernel/debug/kmeter_test/run, which returns when it is done:
 *
 *	WHAT N [CONTEXT]	N times on each online CPU at once; CONTEXT is task (default), softirq or hardirq
 *
 * WHAT: call (kmeter_test_call, exported) · pair (kmeter_test_begin, then kmeter_test_end) · tracepoints
 * (kmeter_test_start, then kmeter_test_stop) · recurse (kmeter_test_recurse, 4 deep: 4 calls) · record (by hand, into
 * `kmeter_test`: one constant a slot, see slot_constant) · sleep (kmeter_test_sleep, once: N ms, or until `wake 0` is written).
 *
 * Each NMI calls kmeter_test_call once and records once. Counts of all this, since the module was loaded, are in
 * /sys/kernel/debug/kmeter_test/counts.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <asm/nmi.h>
#include "kstats.h"

#define CREATE_TRACE_POINTS
#include "kmeter_test_trace.h"

static struct kstats *by_hand;
static struct dentry *dir;
static atomic64_t calls, records, nmis;
static DECLARE_WAIT_QUEUE_HEAD(sleepers);
static unsigned long wakes;

noinline int kmeter_test_call(int x);
noinline void kmeter_test_begin(void);
noinline void kmeter_test_end(void);
noinline int kmeter_test_recurse(int depth);
noinline void kmeter_test_sleep(unsigned int ms);

noinline int kmeter_test_call(int x)
{
	barrier();
	return x + 1;
}
EXPORT_SYMBOL_GPL(kmeter_test_call);

noinline void kmeter_test_begin(void)
{
	barrier();
}
EXPORT_SYMBOL_GPL(kmeter_test_begin);

noinline void kmeter_test_end(void)
{
	barrier();
}
EXPORT_SYMBOL_GPL(kmeter_test_end);

noinline int kmeter_test_recurse(int depth)
{
	int below = depth > 1 ? kmeter_test_recurse(depth - 1) : 0;

	barrier();
	return below + 1;
}
EXPORT_SYMBOL_GPL(kmeter_test_recurse);

noinline void kmeter_test_sleep(unsigned int ms)
{
	unsigned long before = READ_ONCE(wakes);

	wait_event_interruptible_timeout(sleepers, READ_ONCE(wakes) != before, msecs_to_jiffies(ms));
}
EXPORT_SYMBOL_GPL(kmeter_test_sleep);

/* The one value that this module ever records into a slot of `bits` 3: not its lower bound, so that a tear would show. */
static u64 slot_constant(unsigned int i)
{
	u32 slot = i % 256;

	return kstats_slot_lo(slot, 3) + (kstats_slot_hi(slot, 3) - kstats_slot_lo(slot, 3)) / 3;
}

struct job {
	int what;
	unsigned int n;
	struct completion done;
	atomic_t left;
};

enum { CALL, PAIR, TRACEPOINTS, RECURSE, RECORD, SLEEP };
static const char *const whats[] = { "call", "pair", "tracepoints", "recurse", "record", "sleep" };

enum { TASK, SOFTIRQ, HARDIRQ };
static const char *const contexts[] = { "task", "softirq", "hardirq" };

static void work(const struct job *j)
{
	unsigned int i;

	if (j->what == SLEEP) {
		kmeter_test_sleep(j->n);
		return;
	}
	for (i = 0; i < j->n; i++) {
		switch (j->what) {
		case CALL:
			kmeter_test_call(i);
			break;
		case PAIR:
			kmeter_test_begin();
			kmeter_test_end();
			break;
		case TRACEPOINTS:
			trace_kmeter_test_start(i);
			trace_kmeter_test_stop(i);
			break;
		case RECURSE:
			kmeter_test_recurse(4);
			break;
		case RECORD:
			kstats_record(by_hand, slot_constant(i));
			break;
		}
	}
	if (j->what == CALL)
		atomic64_add(j->n, &calls);
	if (j->what == RECORD)
		atomic64_add(j->n, &records);
}

static void finish(struct job *j)
{
	if (atomic_dec_and_test(&j->left))
		complete(&j->done);
}

static int in_task_context(void *data)
{
	work(data);
	finish(data);
	return 0;
}

static void in_hardirq_context(void *data)
{
	work(data);
	finish(data);
}

struct soft {
	struct tasklet_struct tasklet;
	struct job *job;
};

static void in_softirq_context(unsigned long data)
{
	struct soft *s = (struct soft *)data;

	work(s->job);
	finish(s->job);
}

static void schedule_soft(void *data)
{
	tasklet_schedule(&this_cpu_ptr((struct soft __percpu *)data)->tasklet);
}

static int run(struct job *j, int context)
{
	struct soft __percpu *soft = NULL;
	struct task_struct *t;
	int cpu, err = 0;

	if (context == SOFTIRQ) {
		soft = alloc_percpu(struct soft);
		if (!soft)
			return -ENOMEM;
	}
	init_completion(&j->done);
	cpus_read_lock();
	atomic_set(&j->left, num_online_cpus() + 1);
	for_each_online_cpu(cpu) {
		switch (context) {
		case TASK:
			t = kthread_create(in_task_context, j, "kmeter_test/%d", cpu);
			if (IS_ERR(t)) {
				err = PTR_ERR(t);
				finish(j);
				continue;
			}
			kthread_bind(t, cpu);
			wake_up_process(t);
			break;
		case SOFTIRQ:
			per_cpu_ptr(soft, cpu)->job = j;
			tasklet_init(&per_cpu_ptr(soft, cpu)->tasklet, in_softirq_context,
				     (unsigned long)per_cpu_ptr(soft, cpu));
			smp_call_function_single(cpu, schedule_soft, soft, 1);
			break;
		case HARDIRQ:
			smp_call_function_single(cpu, in_hardirq_context, j, 0);
			break;
		}
	}
	cpus_read_unlock();
	finish(j);
	wait_for_completion(&j->done);
	if (soft) {
		for_each_possible_cpu(cpu)
			if (per_cpu_ptr(soft, cpu)->job)
				tasklet_kill(&per_cpu_ptr(soft, cpu)->tasklet);
		free_percpu(soft);
	}
	return err;
}

static ssize_t run_write(struct file *file, const char __user *from, size_t bytes, loff_t *pos)
{
	char line[64], what[16], context[16] = "task";
	struct job j;
	int err;

	if (bytes >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, bytes))
		return -EFAULT;
	line[bytes] = 0;
	if (sscanf(line, "%15s %u %15s", what, &j.n, context) < 2)
		return -EINVAL;
	j.what = match_string(whats, ARRAY_SIZE(whats), what);
	err = match_string(contexts, ARRAY_SIZE(contexts), context);
	if (!strcmp(what, "wake")) {
		WRITE_ONCE(wakes, wakes + 1);
		wake_up_all(&sleepers);
		return bytes;
	}
	if (j.what < 0 || err < 0 || (j.what == SLEEP && err != TASK))
		return -EINVAL;
	err = run(&j, err);
	return err ?: bytes;
}

static const struct file_operations run_ops = {
	.owner = THIS_MODULE,
	.write = run_write,
};

static int counts_show(struct seq_file *m, void *v)
{
	seq_printf(m, "calls %lld\nrecords %lld\nnmis %lld\n", atomic64_read(&calls), atomic64_read(&records),
		   atomic64_read(&nmis));
	return 0;
}

static int counts_open(struct inode *inode, struct file *file)
{
	return single_open(file, counts_show, NULL);
}

static const struct file_operations counts_ops = {
	.owner = THIS_MODULE,
	.open = counts_open,
	.read = seq_read,
	.release = single_release,
};

static int at_nmi(unsigned int type, struct pt_regs *regs)
{
	kmeter_test_call(0);
	kstats_record(by_hand, slot_constant(0));
	atomic64_inc(&calls);
	atomic64_inc(&records);
	atomic64_inc(&nmis);
	return NMI_HANDLED;
}

static int __init kmeter_test_init(void)
{
	int err;

	by_hand = kstats_new("kmeter_test", 3);
	if (!by_hand)
		return -ENOMEM;
	err = register_nmi_handler(NMI_UNKNOWN, at_nmi, 0, "kmeter_test");
	if (err) {
		kstats_delete(by_hand);
		return err;
	}
	dir = debugfs_create_dir("kmeter_test", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_ops);
	debugfs_create_file("counts", 0400, dir, NULL, &counts_ops);
	return 0;
}

static void __exit kmeter_test_exit(void)
{
	debugfs_remove(dir);
	unregister_nmi_handler(NMI_UNKNOWN, "kmeter_test");
	synchronize_rcu();
	kstats_delete(by_hand);
}

module_init(kmeter_test_init);
module_exit(kmeter_test_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("known numbers of calls, events and records, for kmeter's tests");
