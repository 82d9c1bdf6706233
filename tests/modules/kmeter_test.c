// SPDX-License-Identifier: GPL-2.0
/*
 * kmeter_test.c: does what it is told, a known number of times, so that tests know what a measurement must show.
 *
 * Write to /sys/kernel/debug/kmeter_test/run, which returns when it is done:
 *
 *	WHAT N [CONTEXT]	N times on each online CPU at once; CONTEXT is task (default), softirq or hardirq. Or here: by the
 *				writer alone
 *
 * WHAT: call (kmeter_test_call, exported; its argument is 0 .. N-1) · pair (kmeter_test_begin, then kmeter_test_end) · tracepoints
 * (kmeter_test_start, then kmeter_test_stop) · recurse (kmeter_test_recurse, 4 deep: 4 calls) · record (by hand, into
 * `kmeter_test`: one constant a slot, see slot_constant) · sleep (kmeter_test_sleep, once: N ms, or until `wake 0` is written)
 * · keys (kmeter_test_take and _give, see exchange_keys) · nest (kmeter_test_outer, see there) · cross (kmeter_test_cross: one
 * call, and one in an interrupt inside it; task alone) · flood (kmeter_flooded with 0, 1, ..., at least N times and until `halt 0`
 * is written; in interrupts N times, with numbers from 2^62 on) · parts (kmeter_test_parts, which runs, moves to another CPU, sleeps,
 * and runs; task alone).
 *
 * `unstable 0`: the kernel is told that its tsc is unstable, for ever. `awake N`: from now on (N = 1) no suspend comes to pass; it
 * is called off at its last announcement.
 *
 * `looks N` is done once, by the writer: N times each call of kmeter_test_look, _text and _user with addresses good and bad,
 * see looks().
 *
 * Each NMI calls kmeter_test_call once and records once. Counts of all this, since the module was loaded, are in
 * /sys/kernel/debug/kmeter_test/counts.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/suspend.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <asm/nmi.h>
#include <asm/tsc.h>
#include "kstats.h"

#define CREATE_TRACE_POINTS
#include "kmeter_test_trace.h"

static struct kstats *by_hand;
static struct dentry *dir;
static atomic64_t calls, floods, records, nmis, parts_ran, parts_took;
static DECLARE_WAIT_QUEUE_HEAD(sleepers);
static unsigned long wakes;
static bool halted;

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

/* Runs for so long, others in between not counted: what is longer than a loop takes was theirs, or an interrupt's. */
static void compute(u64 ns)
{
	u64 ran = 0, last = ktime_get_ns(), now;

	while (ran < ns) {
		cond_resched();
		now = ktime_get_ns();
		if (now - last < 20 * NSEC_PER_USEC)
			ran += now - last;
		last = now;
	}
}

/* A task that may be anywhere runs a millisecond at least, moves, sleeps two and runs another. */
noinline void kmeter_test_parts(int x);
noinline void kmeter_test_parts(int x)
{
	unsigned int cpu = cpumask_next(raw_smp_processor_id(), cpu_online_mask);

	compute(NSEC_PER_MSEC);
	set_cpus_allowed_ptr(current, cpumask_of(cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask)));
	usleep_range(2000, 2100);
	compute(NSEC_PER_MSEC);
}
EXPORT_SYMBOL_GPL(kmeter_test_parts);

/* Sleeps around it bring the scheduler's account of us up to date: what that says lies between the two functions' times on the CPU. */
noinline void kmeter_test_around(int x);
noinline void kmeter_test_around(int x)
{
	u64 ran, took;

	usleep_range(100, 200);
	ran = current->se.sum_exec_runtime;
	took = ktime_get_ns();
	kmeter_test_parts(x);
	atomic64_add(ktime_get_ns() - took, &parts_took);
	usleep_range(100, 200);
	atomic64_add(current->se.sum_exec_runtime - ran, &parts_ran);
}
EXPORT_SYMBOL_GPL(kmeter_test_around);

/* Functions with arguments, for scripts that look at them. */
noinline void kmeter_test_take(u64 a, u64 b, u64 serial);
noinline void kmeter_test_give(u64 a, u64 b, u64 serial);
noinline void kmeter_test_look(u64 address, u64 kind);
noinline void kmeter_test_text(u64 address, u64 max, u64 kind);
noinline void kmeter_test_user(u64 address, u64 kind);
noinline void kmeter_test_outer(void);
noinline void kmeter_test_inner(void);
noinline void kmeter_test_leaf(void);
noinline void kmeter_test_cross(struct irq_work *other);
noinline void kmeter_test_fire(int id);

/* The compiler must think that they look at their arguments, or it makes clones that get none. */
noinline void kmeter_test_take(u64 a, u64 b, u64 serial)
{
	asm volatile("" : : "r" (a), "r" (b), "r" (serial) : "memory");
}
EXPORT_SYMBOL_GPL(kmeter_test_take);

noinline void kmeter_test_give(u64 a, u64 b, u64 serial)
{
	asm volatile("" : : "r" (a), "r" (b), "r" (serial) : "memory");
}
EXPORT_SYMBOL_GPL(kmeter_test_give);

noinline void kmeter_test_look(u64 address, u64 kind)
{
	asm volatile("" : : "r" (address), "r" (kind) : "memory");
}
EXPORT_SYMBOL_GPL(kmeter_test_look);

noinline void kmeter_test_text(u64 address, u64 max, u64 kind)
{
	asm volatile("" : : "r" (address), "r" (max), "r" (kind) : "memory");
}
EXPORT_SYMBOL_GPL(kmeter_test_text);

noinline void kmeter_test_user(u64 address, u64 kind)
{
	asm volatile("" : : "r" (address), "r" (kind) : "memory");
}
EXPORT_SYMBOL_GPL(kmeter_test_user);

noinline void kmeter_flooded(u64 number);

noinline void kmeter_flooded(u64 number)
{
	asm volatile("" : : "r" (number) : "memory");
}
EXPORT_SYMBOL_GPL(kmeter_flooded);

/* At least so long, by the clock that the runtime reads. */
static void spin(u64 ns)
{
	u64 end = ktime_get_mono_fast_ns() + ns;

	while (ktime_get_mono_fast_ns() < end)
		cpu_relax();
}

/* Of its own at least 100 us, then two calls of at least 300 us, each of which has 200 us of its own. */
noinline void kmeter_test_outer(void)
{
	spin(50000);
	kmeter_test_inner();
	kmeter_test_inner();
	spin(50000);
}
EXPORT_SYMBOL_GPL(kmeter_test_outer);

noinline void kmeter_test_inner(void)
{
	spin(100000);
	kmeter_test_leaf();
	spin(100000);
}
EXPORT_SYMBOL_GPL(kmeter_test_inner);

noinline void kmeter_test_leaf(void)
{
	spin(100000);
}
EXPORT_SYMBOL_GPL(kmeter_test_leaf);

/* In an interrupt another call of it, while this one waits. */
noinline void kmeter_test_cross(struct irq_work *other)
{
	if (other) {
		irq_work_queue(other);
		irq_work_sync(other);
	}
	barrier();
}
EXPORT_SYMBOL_GPL(kmeter_test_cross);

/* The function that holds a tracepoint. */
noinline void kmeter_test_fire(int id)
{
	trace_kmeter_test_start(id);
	barrier();
}
EXPORT_SYMBOL_GPL(kmeter_test_fire);

/* The one value that this module ever records into a slot of `bits` 3: not its lower bound, so that a tear would show. */
static u64 slot_constant(unsigned int i)
{
	u32 slot = i % 256;

	return kstats_slot_lo(slot, 3) + (kstats_slot_hi(slot, 3) - kstats_slot_lo(slot, 3)) / 3;
}

enum { TASK, SOFTIRQ, HARDIRQ, HERE };
static const char *const contexts[] = { "task", "softirq", "hardirq", "here" };

struct job {
	int what, context;
	unsigned int n;
	struct completion done;
	atomic_t left;
};

enum { CALL, PAIR, TRACEPOINTS, RECURSE, RECORD, SLEEP, KEYS, NEST, CROSS, FLOOD, PARTS };
static const char *const whats[] = { "call", "pair", "tracepoints", "recurse", "record", "sleep", "keys", "nest", "cross", "flood", "parts" };

/*
 * Keys of two numbers, each CPU its own: all N are taken, twice, then given back in the other order, then one that was never
 * taken; then the two keys below, which a table might take for one: they mix to the same (pair.c).
 */
static u64 mixed(u64 a)
{
	a *= 0x9e3779b97f4a7c15ULL;
	return a ^ a >> 32;
}

static void exchange_keys(unsigned int n)
{
	u64 cpu = raw_smp_processor_id() + 1, alike = mixed(cpu << 32) ^ mixed(cpu << 48) ^ 7;
	unsigned int i;

	for (i = 0; i < n; i++)
		kmeter_test_take(cpu, i, 2 * i);
	for (i = 0; i < n; i++)
		kmeter_test_take(cpu, i, 2 * i + 1);
	for (i = n; i--; )
		kmeter_test_give(cpu, i, i);
	kmeter_test_give(cpu, n, n);
	kmeter_test_take(cpu << 32, 7, 1000000);
	kmeter_test_take(cpu << 48, alike, 2000000);
	kmeter_test_give(cpu << 32, 7, 1000000);
	kmeter_test_give(cpu << 48, alike, 2000000);
}

static void cross(struct irq_work *work)
{
	kmeter_test_cross(NULL);
}

static void cross_once(void)
{
	struct irq_work work;

	init_irq_work(&work, cross);
	kmeter_test_cross(&work);
}

/* Tasks rest three quarters of their time: what attaches and detaches meanwhile is to get on, and RCU-tasks waits for them to. */
static void flood(const struct job *j)
{
	bool interrupt = j->context == SOFTIRQ || j->context == HARDIRQ;
	unsigned long since = jiffies;
	u64 i;

	for (i = 0; i < j->n || (!interrupt && !READ_ONCE(halted)); i++) {
		kmeter_flooded(interrupt ? BIT_ULL(62) + i : i);
		if (!interrupt && i % 8192 == 0) {
			schedule_timeout_uninterruptible(1 + 3 * (jiffies - since));
			since = jiffies;
		}
	}
	atomic64_add(i, &floods);
}

static void work(const struct job *j)
{
	unsigned int i;

	if (j->what == FLOOD) {
		flood(j);
		return;
	}
	if (j->what == SLEEP) {
		kmeter_test_sleep(j->n);
		return;
	}
	if (j->what == KEYS) {
		exchange_keys(j->n);
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
			kmeter_test_fire(i);
			trace_kmeter_test_stop(i);
			break;
		case RECURSE:
			kmeter_test_recurse(4);
			break;
		case NEST:
			kmeter_test_outer();
			break;
		case CROSS:
			cross_once();
			break;
		case PARTS:
			kmeter_test_around(i);
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
	tasklet_schedule(&((struct soft *)data)->tasklet);
}

static long schedule_soft_in_task(void *data)
{
	preempt_disable();
	schedule_soft(data);
	preempt_enable();
	return 0;
}

static int run(struct job *j)
{
	int context = j->context;
	struct soft __percpu *soft = NULL;
	struct task_struct *t;
	int cpu, err = 0;

	if (context == HERE) {
		work(j);
		return 0;
	}
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
			/* PREEMPT_RT warns of a softirq that a call from another CPU raises. */
			if (IS_ENABLED(CONFIG_PREEMPT_RT))
				work_on_cpu(cpu, schedule_soft_in_task, per_cpu_ptr(soft, cpu));
			else
				smp_call_function_single(cpu, schedule_soft, per_cpu_ptr(soft, cpu), 1);
			break;
		case HARDIRQ:
			smp_call_function_single(cpu, in_hardirq_context, j, 0);
			break;
		}
	}
	cpus_read_unlock();
	finish(j);
	/* However long it is told to take: to the kernel, who waits two minutes in one go hangs. */
	while (!wait_for_completion_timeout(&j->done, 30 * HZ))
		;
	if (soft) {
		for_each_possible_cpu(cpu)
			if (per_cpu_ptr(soft, cpu)->job)
				tasklet_kill(&per_cpu_ptr(soft, cpu)->tasklet);
		free_percpu(soft);
	}
	return err;
}

/*
 * Addresses good and bad. Kernel memory: a page with a hole behind it, whose last bytes are a text without end; user memory: a
 * page that is mapped and not there, then there.
 */
#define KNOWN	0x1122334455667788ULL

static u64 known = KNOWN;

static int looks(unsigned int n)
{
	char *page = vmalloc(PAGE_SIZE), *end = page + PAGE_SIZE;
	unsigned long user;
	unsigned int i;
	int err = -ENOMEM;
	char c = 0;

	if (!page)
		return -ENOMEM;
	memset(page, 'x', PAGE_SIZE);
	strcpy(page, "kmeter");
	memcpy(page + 65, "0123456789abcdefghijklmnopqrstuvwxyz", 37);
	strcpy(page + 128, "");
	user = vm_mmap(NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(user))
		goto out;
	for (i = 0; i < n; i++)
		kmeter_test_user(user, 0);
	if (put_user(KNOWN, (u64 __user *)user) || put_user('u', (char __user *)user + PAGE_SIZE - 2) ||
	    put_user(0, (char __user *)user + PAGE_SIZE - 1))
		goto unmap;
	for (i = 0; i < n; i++) {
		if (!get_user(c, (char __user *)8) || c)	/* what the kernel itself excuses */
			goto unmap;
		kmeter_test_user(user, 1);
		kmeter_test_user(user + PAGE_SIZE, 2);
		kmeter_test_user((unsigned long)&known, 3);
		kmeter_test_user(0, 4);

		kmeter_test_look((unsigned long)&known, 0);
		kmeter_test_look(0, 1);
		kmeter_test_look(user, 2);
		kmeter_test_look(1ULL << 63, 3);
		kmeter_test_look(0x0000800000000000ULL, 4);
		kmeter_test_look((unsigned long)end, 5);
		kmeter_test_look(0xffffffffff600000ULL, 6);
		kmeter_test_look(0xffffffffff5ffffcULL, 7);
		kmeter_test_look(~0ULL, 8);
		kmeter_test_look((unsigned long)end - 4, 9);
		kmeter_test_look(-4090, 10);

		kmeter_test_text((unsigned long)page, 32, 0);
		kmeter_test_text((unsigned long)page + 65, 32, 1);
		kmeter_test_text((unsigned long)page + 65, 10, 2);
		kmeter_test_text((unsigned long)end - 5, 5, 3);
		kmeter_test_text((unsigned long)end - 5, 6, 4);
		kmeter_test_text((unsigned long)page + 128, 32, 5);
		kmeter_test_text(0, 32, 6);
		kmeter_test_text((unsigned long)page + 3, 32, 7);
		kmeter_test_text(user + PAGE_SIZE - 2, 32, 8);
		kmeter_test_text((unsigned long)page + 96, 32, 9);
		end[-1] = 0;
		kmeter_test_text((unsigned long)end - 5, 32, 10);
		end[-1] = 'x';
	}
	err = 0;
unmap:
	vm_munmap(user, 2 * PAGE_SIZE);
out:
	vfree(page);
	return err;
}

static bool stay_awake;

static int suspending(struct notifier_block *nb, unsigned long action, void *data)
{
	bool prepare = action == PM_SUSPEND_PREPARE || action == PM_HIBERNATION_PREPARE;

	return prepare && READ_ONCE(stay_awake) ? notifier_from_errno(-EBUSY) : NOTIFY_OK;
}

static struct notifier_block suspend_notifier = { .notifier_call = suspending, .priority = -1 };

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
	if (!strcmp(what, "halt")) {
		WRITE_ONCE(halted, true);
		return bytes;
	}
	if (!strcmp(what, "unstable")) {
		mark_tsc_unstable("a test says so");
		return bytes;
	}
	if (!strcmp(what, "awake")) {
		WRITE_ONCE(stay_awake, j.n);
		return bytes;
	}
	if (!strcmp(what, "looks"))
		return looks(j.n) ?: bytes;
	if (j.what < 0 || err < 0 || ((j.what == SLEEP || j.what == CROSS) && err != TASK && err != HERE))
		return -EINVAL;
	j.context = err;
	if (j.what == FLOOD && (j.context == TASK || j.context == HERE))
		WRITE_ONCE(halted, false);
	err = run(&j);
	return err ?: bytes;
}

static const struct file_operations run_ops = {
	.owner = THIS_MODULE,
	.write = run_write,
};

static int counts_show(struct seq_file *m, void *v)
{
	seq_printf(m, "parts_ran %lld\nparts_took %lld\n", atomic64_read(&parts_ran), atomic64_read(&parts_took));
	seq_printf(m, "calls %lld\nfloods %lld\nrecords %lld\nnmis %lld\n", atomic64_read(&calls), atomic64_read(&floods),
		   atomic64_read(&records), atomic64_read(&nmis));
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
	if (err)
		goto fail;
	err = register_pm_notifier(&suspend_notifier);
	if (err)
		goto fail_nmi;
	dir = debugfs_create_dir("kmeter_test", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_ops);
	debugfs_create_file("counts", 0400, dir, NULL, &counts_ops);
	return 0;

fail_nmi:
	unregister_nmi_handler(NMI_UNKNOWN, "kmeter_test");
fail:
	kstats_delete(by_hand);
	return err;
}

static void __exit kmeter_test_exit(void)
{
	debugfs_remove(dir);
	unregister_pm_notifier(&suspend_notifier);
	unregister_nmi_handler(NMI_UNKNOWN, "kmeter_test");
	synchronize_rcu();
	kstats_delete(by_hand);
}

module_init(kmeter_test_init);
module_exit(kmeter_test_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("known numbers of calls, events and records, for kmeter's tests");
