// SPDX-License-Identifier: GPL-2.0
/*
 * kmeter_script.c: statements as kmeter generates them, on the functions of kmeter_test.ko, for tests/vm/statements.sh.
 *
 * Parameters: set=main (default), waits, guard, slow, many: which statements; kernel=TEXT: what they claim to be compiled for;
 * wrong=N: the first of them is spoilt in the N-th way; and addresses that the test has looked up (see there).
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/init_task.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/objtool.h>
#include <linux/sched.h>
#include <linux/stringify.h>
#include <linux/timer.h>
#include "compat.h"
#include "script.h"

static char *set = "main", *kernel;
static unsigned int wrong;
static long call_distance, nr_cpu_ids_distance;
static unsigned long this_cpu_off_address;
module_param(set, charp, 0);
module_param(kernel, charp, 0);
module_param(wrong, uint, 0);
module_param(call_distance, long, 0);
module_param(nr_cpu_ids_distance, long, 0);
module_param(this_cpu_off_address, ulong, 0);

#define TESTED		"kmeter_test"
#define FUNCTION(name)	.text = "kmeter_test:" name, .where = KSTATS_FUNCTION, .module = TESTED, .symbol = name, \
			.thunk = true
#define RETURN(name)	.text = "kmeter_test:" name ":return", .where = KSTATS_RETURN, .module = TESTED, \
			.symbol = name, .thunk = true
#define TRACEPOINT(name) .text = "tp:" name, .where = KSTATS_TRACEPOINT, .symbol = name
#define POINTS(...)	.points = (const struct kstats_point[]){ __VA_ARGS__ }, \
			.npoints = sizeof((struct kstats_point[]){ __VA_ARGS__ }) / sizeof(struct kstats_point)
#define NAME(name_)	.name = name_, .text = name_, .bits = 3

/* ---- what is read ---- */

static enum kstats_verdict look(struct kstats_event *ev)
{
	bool fault = false;

	ev->data[0] = ev->regs->si;
	ev->data[2] = ks_read(ev->regs->di, 8, &fault);
	ev->data[1] = fault;
	return KSTATS_TAKE;
}

static enum kstats_verdict look_or_fault(struct kstats_event *ev)
{
	bool fault = false;

	ev->value = ks_read(ev->regs->di, 4, &fault) ^ ks_read(ev->regs->di, 2, &fault) ^ ks_read(ev->regs->di, 1, &fault);
	return fault ? KSTATS_FAULTED : KSTATS_TAKE;
}

static enum kstats_verdict look_user(struct kstats_event *ev)
{
	bool fault = false;

	ev->data[0] = ev->regs->si;
	ev->data[2] = ks_read_user(ev->regs->di, 8, &fault);
	ev->data[1] = fault;
	return KSTATS_TAKE;
}

static enum kstats_verdict text(struct kstats_event *ev)
{
	bool fault = false;

	ev->data[0] = ev->regs->dx;
	ks_string(&ev->data[2], KSTATS_STRING_WORDS, ev->regs->di, ev->regs->si, ev->regs->dx == 8, &fault);
	ev->data[1] = fault;
	return KSTATS_TAKE;
}

/* Each against the kernel's own way to it. */
static enum kstats_verdict environment(struct kstats_event *ev)
{
	bool fault = false;

	ev->data[0] = ks_context(ev);
	ev->data[1] = ks_cgroup();
	ev->data[2] = ks_read(ks_address(nr_cpu_ids_distance), 4, &fault) == nr_cpu_ids;
	ev->data[3] = ks_read(ks_this_cpu(this_cpu_off_address), 8, &fault) == per_cpu_offset(smp_processor_id());
	return fault ? KSTATS_FAULTED : KSTATS_TAKE;
}

static enum kstats_verdict caller(struct kstats_event *ev)
{
	ev->data[0] = ks_caller(ev);
	return KSTATS_TAKE;
}

static enum kstats_verdict stack(struct kstats_event *ev)
{
	ks_stack(ev->data, ev);
	return KSTATS_TAKE;
}

/* ---- values, counts ---- */

static enum kstats_verdict value(struct kstats_event *ev)
{
	ev->value = ev->regs->di;
	return KSTATS_TAKE;
}

static enum kstats_verdict less_100(struct kstats_event *ev)
{
	s64 number = (s64)ev->regs->di - 100;

	if (ev->regs->di % 2)
		return KSTATS_FILTER;
	ev->value = number;
	return number < 0 ? KSTATS_NEGATIVE : KSTATS_TAKE;
}

static enum kstats_verdict kinds(struct kstats_event *ev)
{
	ev->data[0] = -(s64)(ev->regs->di % 3 * 2);	/* 0, -ENOENT, -EINTR */
	ev->data[1] = ev->regs->di % 3;
	ev->data[2] = ev->regs->di % 3 * 256;
	ev->data[3] = -(s64)(ev->regs->di % 3);
	return KSTATS_TAKE;
}

/* kmeter_test_call returns its argument plus 1. */
static enum kstats_verdict keep_argument(struct kstats_event *ev)
{
	ev->entry[0] = ev->regs->di;
	return KSTATS_TAKE;
}

static enum kstats_verdict keep_many(struct kstats_event *ev)
{
	unsigned int i;

	for (i = 0; i < KSTATS_ENTRY_WORDS; i++)
		ev->entry[i] = ev->regs->di + i;
	return KSTATS_TAKE;
}

static enum kstats_verdict keep_even(struct kstats_event *ev)
{
	ev->entry[0] = ev->regs->di;
	return ev->regs->di % 2 ? KSTATS_FAULTED : KSTATS_TAKE;
}

static enum kstats_verdict returned(struct kstats_event *ev)
{
	ev->value = ev->regs->ax - ev->entry[0];
	return KSTATS_TAKE;
}

static enum kstats_verdict returned_many(struct kstats_event *ev)
{
	unsigned int i;

	for (i = 0; i < KSTATS_ENTRY_WORDS; i++)
		if (ev->entry[i] != ev->regs->ax - 1 + i)
			return KSTATS_FAULTED;
	ev->value = 2;
	return KSTATS_TAKE;
}

static enum kstats_verdict same_return(struct kstats_event *ev)
{
	return ev->entry[0] + 1 == ev->regs->ax ? KSTATS_TAKE : KSTATS_FAULTED;
}

/* ---- keys ---- */

static enum kstats_verdict key_of_entry(struct kstats_event *ev)
{
	ev->key[0] = ev->entry[0];
	ev->key[1] = ks_cpu();
	return KSTATS_TAKE;
}

static enum kstats_verdict key_of_argument(struct kstats_event *ev)
{
	ev->key[0] = ev->regs->di;
	ev->key[1] = ks_cpu();
	return KSTATS_TAKE;
}

static enum kstats_verdict take2(struct kstats_event *ev)
{
	ev->key[0] = ev->regs->di;
	ev->key[1] = ev->regs->si;
	ev->data[0] = ev->regs->dx;
	return KSTATS_TAKE;
}

static enum kstats_verdict take8(struct kstats_event *ev)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		ev->key[i] = ev->regs->di * i + ev->regs->si;
	ev->data[0] = ev->regs->dx;
	return KSTATS_TAKE;
}

/* Were these the data of this very start? The keys that mix to the same have their serial numbers on both sides. */
static enum kstats_verdict same_serial(struct kstats_event *ev)
{
	u64 serial = ev->regs->dx < 1000000 ? 2 * ev->regs->dx + 1 : ev->regs->dx;

	return ev->data[0] == serial ? KSTATS_TAKE : KSTATS_FAULTED;
}

static enum kstats_verdict first_serial(struct kstats_event *ev)
{
	u64 serial = ev->regs->dx < 1000000 ? 2 * ev->regs->dx : ev->regs->dx;

	return ev->data[0] == serial ? KSTATS_TAKE : KSTATS_FAULTED;
}

static enum kstats_verdict key_tid(struct kstats_event *ev)
{
	ev->key[0] = ks_tid();
	return KSTATS_TAKE;
}

static enum kstats_verdict by_b(struct kstats_event *ev)
{
	ev->data[0] = ev->regs->di;
	return KSTATS_TAKE;
}

static enum kstats_verdict odd_ones(struct kstats_event *ev)
{
	return ev->regs->di % 2 ? KSTATS_TAKE : KSTATS_FILTER;
}

/* ---- tracepoints ---- */

static void on_start(void *data, int id)
{
	const u64 args[] = { (u64)id };

	kstats_tracepoint(data, args);
}

static enum kstats_verdict id(struct kstats_event *ev)
{
	ev->value = ev->args[0];
	return KSTATS_TAKE;
}

static void on_fault(void *data, unsigned long address, struct pt_regs *regs, unsigned long error)
{
	const u64 args[] = { address, (unsigned long)regs, error };

	kstats_tracepoint(data, args);
}

/* Faults itself, whatever it is asked of. */
static enum kstats_verdict faults(struct kstats_event *ev)
{
	bool fault = false;

	ks_read(0xffffff8000000000ULL, 8, &fault);	/* nothing is there, with four levels of pages or five */
	return fault ? KSTATS_FAULTED : KSTATS_TAKE;
}

static const struct kstats_name names[] = { { 0, "ZERO" }, { -1, "MINUS ONE" } };

static struct kstats_point call_by_distance[] = { { FUNCTION("kmeter_test_call"), .role = KSTATS_COUNT } };

static struct kstats_statement main_set[] = {
	{
		NAME("looks"), .guarded = true, .nby = 3,
		.by = { { "kind", KSTATS_BY_U64, 1 }, { "fault", KSTATS_BY_U64, 1 }, { "value", KSTATS_BY_HEX, 1 } },
		.data_words = 3, POINTS({ FUNCTION("kmeter_test_look"), .role = KSTATS_COUNT, .early = look }),
	}, {
		NAME("values"), .guarded = true, .unit = "things",
		POINTS({ FUNCTION("kmeter_test_look"), .role = KSTATS_VALUE, .early = look_or_fault }),
	}, {
		NAME("users"), .guarded = true, .nby = 3,
		.by = { { "kind", KSTATS_BY_U64, 1 }, { "fault", KSTATS_BY_U64, 1 }, { "value", KSTATS_BY_HEX, 1 } },
		.data_words = 3, POINTS({ FUNCTION("kmeter_test_user"), .role = KSTATS_COUNT, .early = look_user }),
	}, {
		NAME("texts"), .guarded = true, .nby = 3,
		.by = { { "kind", KSTATS_BY_U64, 1 }, { "fault", KSTATS_BY_U64, 1 }, { "text", KSTATS_BY_STRING, 4 } },
		.data_words = 6, POINTS({ FUNCTION("kmeter_test_text"), .role = KSTATS_COUNT, .early = text }),
	}, {
		NAME("environment"), .guarded = true, .nby = 4,
		.by = { { "context", KSTATS_BY_U64, 1 }, { "cgroup", KSTATS_BY_U64, 1 }, { "variable", KSTATS_BY_U64, 1 },
			{ "percpu", KSTATS_BY_U64, 1 } },
		.data_words = 4, POINTS({ FUNCTION("kmeter_test_call"), .role = KSTATS_CALL, .early = environment }),
	}, {
		NAME("callers"), .guarded = true, .nby = 1, .by = { { "caller", KSTATS_BY_SYMBOL, 1 } }, .data_words = 1,
		POINTS({ FUNCTION("kmeter_test_inner"), .role = KSTATS_CALL, .early = caller }),
	}, {
		NAME("return_callers"), .guarded = true, .nby = 1, .by = { { "caller", KSTATS_BY_SYMBOL, 1 } },
		.data_words = 1, POINTS({ RETURN("kmeter_test_inner"), .role = KSTATS_COUNT, .early = caller }),
	}, {
		NAME("tp_callers"), .guarded = true, .nby = 1, .by = { { "caller", KSTATS_BY_SYMBOL, 1 } }, .data_words = 1,
		POINTS({ TRACEPOINT("kmeter_test_start"), .role = KSTATS_COUNT, .early = caller }),
	}, {
		NAME("stacks"), .guarded = true, .nby = 1, .by = { { "stack", KSTATS_BY_STACK, KSTATS_STACK_WORDS } },
		.data_words = KSTATS_STACK_WORDS, POINTS({ FUNCTION("kmeter_test_leaf"), .role = KSTATS_CALL, .early = stack }),
	}, {
		NAME("return_stacks"), .guarded = true, .nby = 1, .by = { { "stack", KSTATS_BY_STACK, KSTATS_STACK_WORDS } },
		.data_words = KSTATS_STACK_WORDS, POINTS({ RETURN("kmeter_test_leaf"), .role = KSTATS_COUNT, .early = stack }),
	}, {
		NAME("tp_stacks"), .guarded = true, .nby = 1, .by = { { "stack", KSTATS_BY_STACK, KSTATS_STACK_WORDS } },
		.data_words = KSTATS_STACK_WORDS,
		POINTS({ TRACEPOINT("kmeter_test_start"), .role = KSTATS_COUNT, .early = stack }),
	}, {
		NAME("range"), .ranged = true, .low = 10, .high = 19,
		POINTS({ FUNCTION("kmeter_test_call"), .role = KSTATS_VALUE, .early = value }),
	}, {
		NAME("negative"), POINTS({ FUNCTION("kmeter_test_call"), .role = KSTATS_VALUE, .early = less_100 }),
	}, {
		NAME("kinds"), .top = 3, .nby = 4,
		.by = { { "errno", KSTATS_BY_ERRNO, 1 }, { "u64", KSTATS_BY_U64, 1 }, { "hex", KSTATS_BY_HEX, 1 },
			{ "enum", KSTATS_BY_ENUM, 1, names, ARRAY_SIZE(names) } },
		.data_words = 4, POINTS({ FUNCTION("kmeter_test_call"), .role = KSTATS_COUNT, .early = kinds }),
	}, {
		NAME("count"), POINTS({ FUNCTION("kmeter_test_call"), .role = KSTATS_COUNT }),
	}, {
		NAME("distance"), .points = call_by_distance, .npoints = 1,
	}, {
		NAME("pattern"), .nby = 1, .by = { { "point", KSTATS_BY_POINT, 1 } }, .data_words = 1,
		POINTS({ FUNCTION("kmeter_test_begin"), .role = KSTATS_COUNT, .match = 0 },
		       { FUNCTION("kmeter_test_end"), .role = KSTATS_COUNT, .match = 1 },
		       { FUNCTION("kmeter_test_end"), .role = KSTATS_COUNT, .match = 1 },
		       { FUNCTION("kmeter_test_call"), .role = KSTATS_COUNT, .match = 2 }),
	}, {
		NAME("many_calls"), .nby = 1, .by = { { "point", KSTATS_BY_POINT, 1 } }, .data_words = 1,
		POINTS({ FUNCTION("kmeter_test_begin"), .role = KSTATS_CALL, .match = 0 },
		       { FUNCTION("kmeter_test_recurse"), .role = KSTATS_CALL, .match = 1 },
		       { FUNCTION("kmeter_test_call"), .role = KSTATS_CALL, .match = 2 }),
	}, {
		NAME("pattern_ends"), .nby = 1, .by = { { "point", KSTATS_BY_POINT, 1 } }, .data_words = 1,
		POINTS({ FUNCTION("kmeter_test_begin"), .role = KSTATS_FROM, .match = 0 },
		       { FUNCTION("kmeter_test_end"), .role = KSTATS_TO, .match = 1 },
		       { FUNCTION("kmeter_test_call"), .role = KSTATS_TO, .match = 2 }),
	}, {
		NAME("returns"), .guarded = true,
		POINTS({ RETURN("kmeter_test_call"), .role = KSTATS_VALUE, .entry_words = 1, .enter = keep_argument,
			 .early = returned },
		       { RETURN("kmeter_test_call"), .role = KSTATS_VALUE, .entry_words = KSTATS_ENTRY_WORDS,
			 .enter = keep_many, .early = returned_many }),
	}, {
		NAME("returns_half"),
		POINTS({ RETURN("kmeter_test_call"), .role = KSTATS_COUNT, .entry_words = 1, .enter = keep_even,
			 .early = same_return }),
	}, {
		NAME("to_return"), .key = KSTATS_KEY_VALUE, .key_words = 2,
		POINTS({ FUNCTION("kmeter_test_call"), .role = KSTATS_FROM, .early = key_of_argument },
		       { RETURN("kmeter_test_call"), .role = KSTATS_TO, .entry_words = 1, .enter = keep_argument,
			 .early = key_of_entry }),
	}, {
		NAME("keys2"), .key = KSTATS_KEY_VALUE, .key_words = 2, .data_words = 1,
		POINTS({ FUNCTION("kmeter_test_take"), .role = KSTATS_FROM, .early = take2 },
		       { FUNCTION("kmeter_test_give"), .role = KSTATS_TO, .early = take2, .late = same_serial }),
	}, {
		NAME("keys8"), .key = KSTATS_KEY_VALUE, .key_words = 8, .data_words = 1,
		POINTS({ FUNCTION("kmeter_test_take"), .role = KSTATS_FROM, .early = take8 },
		       { FUNCTION("kmeter_test_give"), .role = KSTATS_TO, .early = take8, .late = same_serial }),
	}, {
		NAME("first2"), .key = KSTATS_KEY_VALUE, .key_words = 2, .data_words = 1, .first = true,
		POINTS({ FUNCTION("kmeter_test_take"), .role = KSTATS_FROM, .early = take2 },
		       { FUNCTION("kmeter_test_give"), .role = KSTATS_TO, .early = take2, .late = first_serial }),
	}, {
		NAME("tid_starts"), .key = KSTATS_KEY_VALUE, .key_words = 1, .tid_key = true,
		POINTS({ FUNCTION("kmeter_test_begin"), .role = KSTATS_FROM, .early = key_tid },
		       { FUNCTION("kmeter_test_give"), .role = KSTATS_TO, .early = key_tid }),
	}, {
		NAME("between"), .key = KSTATS_KEY_NONE,
		POINTS({ FUNCTION("kmeter_test_call"), .role = KSTATS_BETWEEN }),
	}, {
		NAME("between_cpu"), .key = KSTATS_KEY_CPU, .nby = 1, .by = { { "a", KSTATS_BY_U64, 1 } }, .data_words = 1,
		POINTS({ FUNCTION("kmeter_test_take"), .role = KSTATS_BETWEEN, .late = by_b },
		       { FUNCTION("kmeter_test_give"), .role = KSTATS_BETWEEN, .late = by_b }),
	}, {
		NAME("between_keys"), .key = KSTATS_KEY_VALUE, .key_words = 2, .data_words = 1,
		POINTS({ FUNCTION("kmeter_test_take"), .role = KSTATS_BETWEEN, .early = take2 },
		       { FUNCTION("kmeter_test_give"), .role = KSTATS_BETWEEN, .early = take2 }),
	}, {
		NAME("between_odd"), .key = KSTATS_KEY_NONE,
		POINTS({ FUNCTION("kmeter_test_call"), .role = KSTATS_BETWEEN, .early = odd_ones }),
	}, {
		NAME("between_tid"), .key = KSTATS_KEY_TID,
		POINTS({ FUNCTION("kmeter_test_begin"), .role = KSTATS_BETWEEN }),
	}, {
#if KS_KRETPROBE_NESTS
		NAME("outermost"), .nesting = KSTATS_NESTING_OUTERMOST,
		POINTS({ FUNCTION("kmeter_test_recurse"), .role = KSTATS_CALL },
		       { FUNCTION("kmeter_test_cross"), .role = KSTATS_CALL }),
	}, {
		/* The outermost call has the largest argument: 4 is refused, and those inside are nested all the same. */
		NAME("outermost_odd"), .nesting = KSTATS_NESTING_OUTERMOST,
		POINTS({ FUNCTION("kmeter_test_recurse"), .role = KSTATS_CALL, .early = odd_ones }),
	}, {
#endif
		NAME("ids"), POINTS({ TRACEPOINT("kmeter_test_start"), .role = KSTATS_VALUE, .early = id, .callback = on_start }),
	},
};

/* Calls that take long enough for their times to tell. */
static struct kstats_statement slow_set[] = {
	{
		NAME("all"), .nby = 1, .by = { { "point", KSTATS_BY_POINT, 1 } }, .data_words = 1, .calls = 16,
		POINTS({ FUNCTION("kmeter_test_outer"), .role = KSTATS_CALL, .match = 0 },
		       { FUNCTION("kmeter_test_inner"), .role = KSTATS_CALL, .match = 1 },
		       { FUNCTION("kmeter_test_leaf"), .role = KSTATS_CALL, .match = 2 }),
#if KS_KRETPROBE_NESTS
	}, {
		NAME("self"), .nby = 1, .by = { { "point", KSTATS_BY_POINT, 1 } }, .data_words = 1,
		.nesting = KSTATS_NESTING_SELF,
		POINTS({ FUNCTION("kmeter_test_outer"), .role = KSTATS_CALL, .match = 0 },
		       { FUNCTION("kmeter_test_inner"), .role = KSTATS_CALL, .match = 1 },
		       { FUNCTION("kmeter_test_leaf"), .role = KSTATS_CALL, .match = 2 }),
#endif
	},
};

/* A tracepoint of a module that comes later. */
static struct kstats_statement waits_set[] = {
	{
		NAME("waits"),
		POINTS({ .text = "tp:kmeter_test:kmeter_test_start", .where = KSTATS_TRACEPOINT, .module = TESTED,
			 .symbol = "kmeter_test_start", .role = KSTATS_VALUE, .early = id, .callback = on_start,
			 .waits = true }),
	}, {
		NAME("waits_pair"),
		POINTS({ .text = "tp:kmeter_test:kmeter_test_start", .where = KSTATS_TRACEPOINT, .module = TESTED,
			 .symbol = "kmeter_test_start", .role = KSTATS_FROM, .waits = true },
		       { .text = "tp:kmeter_test:kmeter_test_stop", .where = KSTATS_TRACEPOINT, .module = TESTED,
			 .symbol = "kmeter_test_stop", .role = KSTATS_TO, .waits = true }),
	},
};

/* Handlers that fault where faults are looked at. */
static struct kstats_statement guard_set[] = {
	{
		NAME("faults"), .guarded = true,
		POINTS({ TRACEPOINT("page_fault_kernel"), .role = KSTATS_COUNT, .early = faults, .callback = on_fault }),
	}, {
		NAME("faults_pair"), .guarded = true, .key = KSTATS_KEY_NONE,
		POINTS({ TRACEPOINT("page_fault_kernel"), .role = KSTATS_BETWEEN, .late = faults }),
	}, {
		NAME("plain"), POINTS({ TRACEPOINT("page_fault_kernel"), .role = KSTATS_COUNT, .callback = on_fault }),
	}, {
		NAME("search"), .guarded = true,
		POINTS({ .text = "search_exception_tables", .symbol = "search_exception_tables", .role = KSTATS_CALL,
			 .early = faults, .where = KSTATS_FUNCTION }),
	}, {
		NAME("search_late"), .guarded = true,
		POINTS({ .text = "search_exception_tables", .symbol = "search_exception_tables", .role = KSTATS_CALL,
			 .late = faults, .where = KSTATS_FUNCTION }),
	}, {
		NAME("look_faults"), .guarded = true,
		POINTS({ FUNCTION("kmeter_test_call"), .role = KSTATS_CALL, .late = faults },
		       { FUNCTION("kmeter_test_look"), .role = KSTATS_CALL, .early = faults }),
	},
};

static struct kstats_script script = {
	.version = KSTATS_VERSION,
	.owner = THIS_MODULE,
};

/*
 * Many functions at once, and addresses that look like call sites, or are none at all: `lookalikes` begin with the nop that ftrace
 * leaves behind, and ftrace has never heard of them.
 */
#define LOOKALIKES	150
#define KNOWN		9

asm(".pushsection .text\n"
    "lookalikes:\n"
    ANNOTATE_NOENDBR "\n"
    ".rept " __stringify(LOOKALIKES) "\n"
    ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
    "int3\n"
    ".balign 16, 0xcc\n"
    ".endr\n"
    ".popsection");
extern char lookalikes[];

static s32 of_kernel[LOOKALIKES + 2 * KNOWN + 4], of_test[] = { 0, 0, 1, 0x7ffffff };
static struct kstats_functions many[] = {
	{ .distance = of_kernel, .n = ARRAY_SIZE(of_kernel) },
	{ .module = TESTED, .anchor = "kmeter_test_call", .distance = of_test, .n = ARRAY_SIZE(of_test) },
	{ .module = "no_such_module", .anchor = "nothing", .distance = of_test, .n = ARRAY_SIZE(of_test) },
	{ .module = TESTED, .anchor = "no_such_function", .distance = of_test, .n = ARRAY_SIZE(of_test) },
};
static struct kstats_statement many_set[] = {
	{
		NAME("many"), .form = KSTATS_PROFILE, .nby = 1, .by = { { "function", KSTATS_BY_FUNCTION, 1 } }, .data_words = 1,
		POINTS({ .text = "many", .symbol = "many", .role = KSTATS_COUNT, .where = KSTATS_FUNCTIONS, .functions = many,
			 .nfunctions = ARRAY_SIZE(many) }),
	},
};

static void fill_in_many(void)
{
	/* Each has a call site, and is exported. */
	void *const known[KNOWN] = { vfs_fsync, vfs_fsync_range, vfs_llseek, debugfs_create_dir, debugfs_lookup, kern_path, mod_timer,
				     schedule_timeout, add_timer };
	unsigned int i, n = 0;

	/* Mixed, and each twice. */
	for (i = 0; i < LOOKALIKES; i++) {
		of_kernel[n++] = (long)&lookalikes[16 * i] - (long)&init_task;
		if (i < 2 * KNOWN)
			of_kernel[n++] = (long)known[i % KNOWN] - (long)&init_task;
	}
	of_kernel[n++] = (long)known[0] + 1 - (long)&init_task;
	of_kernel[n++] = 0;			/* data */
	of_kernel[n++] = S32_MIN;		/* nothing is there */
	of_kernel[n++] = S32_MAX;
}

/* The ways in which a table of many functions can be wrong. */
static void spoil_many(struct kstats_statement *s)
{
	static struct kstats_point point;
	struct kstats_point *p = &point;

	point = s->points[0];
	s->points = p;
	switch (wrong) {
	case 1: p->role = KSTATS_CALL; break;
	case 2: p->role = KSTATS_VALUE; p->early = id; break;
	case 3: p->early = id; break;
	case 4: p->nfunctions = 0; break;
	case 5: s->by[0].type = KSTATS_BY_SYMBOL; break;
	case 6: s->nby = 2; s->by[1] = (struct kstats_by){ "cpu", KSTATS_BY_U64, 1 }; s->data_words = 2; break;
	case 7: s->nby = 0; break;
	case 8: s->squares = true; break;
	case 9: s->form = KSTATS_PROFILE + 1; break;
	case 10: s->bits = KSTATS_BITS_NONE; break;
	case 11: many[0].n = 0; many[1].distance = of_test + 2; many[1].n = 2; break;	/* none is left */
	}
}

/* The ways in which a table can be wrong: each is refused. */
static void spoil(struct kstats_statement *s)
{
	static struct kstats_point points[2];

	memcpy(points, s->points, sizeof(points[0]));
	s->points = points;
	switch (wrong) {
	case 1: s->nby = KSTATS_BY_MAX + 1; break;
	case 2: s->by[0].words = 0; break;
	case 3: s->by[1].type = KSTATS_BY_POINT; break;
	case 4: s->by[0].type = KSTATS_BY_STACK; break;
	case 5: s->data_words = 2; break;
	case 6: s->data_words = KSTATS_DATA_WORDS + 1; break;
	case 7: points[0].role = KSTATS_FROM; break;
	case 8: points[0].role = KSTATS_BETWEEN + 1; break;
	case 9: points[0].role = KSTATS_CALL; points[0].offset = 4; break;
	case 10: points[0].enter = points[0].early; break;
	case 11: points[0].where = KSTATS_RETURN; points[0].entry_words = KSTATS_ENTRY_WORDS + 1;
		 points[0].enter = points[0].early; break;
	case 12: points[0].callback = on_start; break;
	case 13: points[0].waits = true; break;
	case 14: points[0].role = KSTATS_VALUE; points[0].early = NULL; break;
	case 15: points[0].role = KSTATS_BETWEEN; s->key = KSTATS_KEY_VALUE; s->key_words = 1; points[0].early = NULL; break;
	case 16: s->key = KSTATS_KEY_VALUE; s->key_words = KSTATS_KEY_WORDS + 1; break;
	case 17: s->key = KSTATS_KEY_VALUE; break;
	case 18: s->tid_key = true; break;
	case 19: s->nesting = KSTATS_NESTING_SELF; break;
	case 20: s->ranged = true; s->high = 10; break;
	case 21: points[0].role = KSTATS_VALUE; s->ranged = true; s->low = 11; s->high = 10; break;
	case 22: s->calls = 65537; break;
	case 23: s->npoints = 0; break;
	case 24: points[0].role = KSTATS_CALL; points[1] = points[0]; s->npoints = 2; break;
	case 25: s->entries = (1 << 20) + 1; break;
	case 26: s->key = KSTATS_KEY_VALUE + 1; break;
	case 27: points[0].match = 1 << 20; break;
	case 28: s->bits = 11; break;
	case 29: points[0].role = KSTATS_CALL; points[0].early = NULL; s->counter = "alignment-faults"; s->perf_type = 1; s->perf_config = 7; break;
	case 30: s->counter = "page-faults"; s->perf_type = 1; s->perf_config = 2; break;
	case 31: s->by[0].type = KSTATS_BY_FUNCTION; points[0].where = KSTATS_TRACEPOINT; points[0].symbol = "kmeter_test_start"; break;
	case 32: s->time = KSTATS_TIME_ONCPU; break;
	case 33: points[0].role = KSTATS_CALL; points[0].early = NULL; s->time = KSTATS_TIME_BLOCKED + 1; break;
	case 34: points[0].role = KSTATS_CALL; points[0].early = NULL; s->time = KSTATS_TIME_BLOCKED; s->nesting = KSTATS_NESTING_SELF; break;
	case 35: points[0].role = KSTATS_CALL; points[0].early = NULL; s->time = KSTATS_TIME_BLOCKED; s->squares = true; break;
	case 36: points[0].role = KSTATS_CALL; points[0].early = NULL; s->time = KSTATS_TIME_ONCPU; s->counter = "page-faults"; s->perf_type = 1;
		 s->perf_config = 2; break;
	}
}

static int __init km_init(void)
{
	struct { const char *name; struct kstats_statement *table; unsigned int n; } sets[] = {
		{ "main", main_set, ARRAY_SIZE(main_set) },
		{ "slow", slow_set, ARRAY_SIZE(slow_set) },
		{ "waits", waits_set, ARRAY_SIZE(waits_set) },
		{ "guard", guard_set, ARRAY_SIZE(guard_set) },
		{ "many", many_set, ARRAY_SIZE(many_set) },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sets); i++)
		if (!strcmp(sets[i].name, set)) {
			script.statements = sets[i].table;
			script.nstatements = sets[i].n;
		}
	script.kernel = kernel;
	call_by_distance[0].distance = call_distance;
	if (call_distance)
		call_by_distance[0].symbol = "no_such_function";
	fill_in_many();
	if (wrong && script.statements == many_set)
		spoil_many(many_set);
	else if (wrong)
		spoil(main_set);
	return kstats_script_load(&script);
}
module_init(km_init);

static void __exit km_exit(void)
{
	kstats_script_unload(&script);
}
module_exit(km_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("statements as kmeter generates them, for kmeter's tests");
