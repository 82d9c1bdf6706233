// SPDX-License-Identifier: GPL-2.0
/*
 * kmeter_plain.c: for the bench, what a hand-written module costs: a probe of the kernel's, its usual clock, and a histogram
 * with a fixed number of slots a power of two, in the way of the original patch.
 *
 * One of these at a time, by the parameter `what`:
 *
 *	function	int_sqrt, by a kretprobe
 *	pair		int_sqrt to int_pow, by two kprobes and a start a CPU
 *	watch		nothing at all, in a hardware breakpoint on kmeter_bench_watched: the bare exception
 *
 * /sys/module/kmeter_plain/parameters/hits says how many samples are in the histogram (watch: how often it was called).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/hw_breakpoint.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#define BITS	3
#define SLOTS	((64 - BITS + 1) << BITS)

struct slot {
	u64 n, sum;
};

struct table {
	struct slot slot[SLOTS];
};

extern u64 kmeter_bench_watched[];

static char what[16] = "function";
module_param_string(what, what, sizeof(what), 0400);

static DEFINE_PER_CPU(struct table, table);
static DEFINE_PER_CPU(u64, begun);
static DEFINE_PER_CPU(u64, seen);

static noinline void record(u64 v)
{
	unsigned int power = fls64(v >> BITS);
	u32 at = power ? power << BITS | (v >> (power - 1) & ((1 << BITS) - 1)) : v;
	struct slot *slot;

	preempt_disable();
	slot = &this_cpu_ptr(&table)->slot[at];
	slot->n++;
	slot->sum += v;
	preempt_enable();
}

static int on_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	*(u64 *)ri->data = ktime_get_ns();
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	record(ktime_get_ns() - *(u64 *)ri->data);
	return 0;
}

static struct kretprobe function = {
	.kp.symbol_name = "int_sqrt",
	.entry_handler = on_call,
	.handler = on_return,
	.data_size = sizeof(u64),
};

static int on_begin(struct kprobe *kp, struct pt_regs *regs)
{
	__this_cpu_write(begun, ktime_get_ns());
	return 0;
}

static int on_end(struct kprobe *kp, struct pt_regs *regs)
{
	record(ktime_get_ns() - __this_cpu_read(begun));
	return 0;
}

static struct kprobe begin = { .symbol_name = "int_sqrt", .pre_handler = on_begin };
static struct kprobe end = { .symbol_name = "int_pow", .pre_handler = on_end };

static void on_write(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	__this_cpu_inc(seen);
}

static struct perf_event * __percpu *breakpoint;

static int start_watch(void)
{
	struct perf_event_attr attr;

	hw_breakpoint_init(&attr);
	attr.bp_addr = (unsigned long)kmeter_bench_watched;
	attr.bp_len = HW_BREAKPOINT_LEN_8;
	attr.bp_type = HW_BREAKPOINT_W;
	breakpoint = register_wide_hw_breakpoint(&attr, on_write, NULL);
	return PTR_ERR_OR_ZERO((void *)(__force unsigned long)breakpoint);
}

static int hits_get(char *buffer, const struct kernel_param *kp)
{
	u64 n = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		n += per_cpu(seen, cpu);
		for (int i = 0; i < SLOTS; i++)
			n += per_cpu(table, cpu).slot[i].n;
	}
	return sprintf(buffer, "%llu\n", n);
}

static const struct kernel_param_ops hits_ops = { .get = hits_get };
module_param_cb(hits, &hits_ops, NULL, 0400);

static struct kprobe *both[] = { &begin, &end };

static int __init kmeter_plain_init(void)
{
	if (!strcmp(what, "function"))
		return register_kretprobe(&function);
	if (!strcmp(what, "pair"))
		return register_kprobes(both, ARRAY_SIZE(both));
	if (!strcmp(what, "watch"))
		return start_watch();
	return -EINVAL;
}

static void __exit kmeter_plain_exit(void)
{
	if (!strcmp(what, "function"))
		unregister_kretprobe(&function);
	else if (!strcmp(what, "pair"))
		unregister_kprobes(both, ARRAY_SIZE(both));
	else
		unregister_wide_hw_breakpoint(breakpoint);
}

module_init(kmeter_plain_init);
module_exit(kmeter_plain_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a plain module's probes, for kmeter's bench to compare with");
