// SPDX-License-Identifier: GPL-2.0
/*
 * kmeter_types.c: calls functions with arguments and objects of every type, whose values tests/vm/types.sh knows.
 *
 * Write N to /sys/kernel/debug/kmeter_types/run: each of the functions below is called N times, in order, by the writing
 * task; the tracepoint fires N times.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#define CREATE_TRACE_POINTS
#include "kmeter_types_trace.h"

enum kt_color { KT_RED, KT_GREEN = 5, KT_BLUE = -3 };

struct kt_pair {		/* in one register */
	u16 left;
	s32 right;
};

struct kt_two {			/* in two */
	u64 low;
	s16 high;
	u8 top;
};

struct kt_three {		/* on the stack */
	u64 a, b;
	s32 c;
};

struct kt_leaf {
	u32 number;
	char tag[8];
};

struct kt_object {
	s8 s8;
	u8 u8;
	s16 s16;
	u16 u16;
	s32 s32;
	u32 u32;
	s64 s64;
	u64 u64;
	bool yes;
	enum kt_color color;
	unsigned int three:3;
	int five:5;
	unsigned int twelve:12;
	int twelve_signed:12;
	u64 thirty_seven:37;
	s64 twenty:20;
	char name[16];
	char full[4];		/* without a final 0 */
	unsigned char bytes[8];
	const char *text;
	union {
		u32 word;
		u8 octets[4];
		struct {
			u16 lower;
			u16 upper;
		};
	};
	int numbers[4];
	struct kt_leaf leaves[2];
	struct kt_leaf *leaf;
	struct kt_leaf **leaf_of_leaf;
	struct kt_object *next;
	void *nothing;
	int (*function)(int x);
	__be16 port;
	__be32 address;
};

static struct dentry *dir;
static struct kt_object object, second;
static struct kt_leaf leaf = { .number = 77, .tag = "leaf" };
static struct kt_leaf *leaf_pointer = &leaf;

/* Calls that the compiler must neither drop, merge nor change. */
#define CALLED	noinline __noclone

CALLED long kt_scalars(s8 a, u8 b, s16 c, u16 d, s32 e, u32 f, s64 g, u64 h, bool i, enum kt_color j);
CALLED int kt_object(struct kt_object *object, int index);
CALLED int kt_structs(struct kt_pair pair, struct kt_three three, struct kt_two two, int last);
CALLED int kt_negative(int x);
CALLED s64 kt_wide(u32 x);
CALLED struct kt_object *kt_pointer(int which);
CALLED bool kt_bool(int x);
CALLED void kt_nothing(int x);
CALLED int kt_faults(const void *null, const void *user, const void *wild, const void *hole);
CALLED int kt_function(int x);
CALLED int kt_locals(int x);
CALLED int kt_lines(int x);

long kt_scalars(s8 a, u8 b, s16 c, u16 d, s32 e, u32 f, s64 g, u64 h, bool i, enum kt_color j)
{
	barrier();
	return a + b + c + d + e + f + g + h + i + j;
}

int kt_object(struct kt_object *object, int index)
{
	barrier();
	return object->numbers[index];
}

int kt_structs(struct kt_pair pair, struct kt_three three, struct kt_two two, int last)
{
	barrier();
	return pair.right + three.c + two.high + last;
}

int kt_negative(int x)
{
	barrier();
	return -x;
}

s64 kt_wide(u32 x)
{
	barrier();
	return (s64)x << 20;
}

struct kt_object *kt_pointer(int which)
{
	barrier();
	return which ? &object : ERR_PTR(-ENOMEM);
}

bool kt_bool(int x)
{
	barrier();
	return x & 1;
}

void kt_nothing(int x)
{
	barrier();
}

int kt_faults(const void *null, const void *user, const void *wild, const void *hole)
{
	barrier();
	return 0;
}

int kt_function(int x)
{
	barrier();
	return x + 1;
}

static int seen;

/* Met x times a call of kt_lines: a loop that the compiler cannot unroll, for it makes one instance of the copies. */
static __always_inline void kt_inlined(int given)
{
	WRITE_ONCE(seen, given);
	barrier();
}

/* Lines, a local, an inlined function: tests/vm/modules finds the lines by their comments. */
int kt_lines(int x)
{
	int local = x * 7 - 1;

	for (int i = 0; i < x; i++)
		kt_inlined(local);
	barrier();
	WRITE_ONCE(seen, local);		/* line: last */
	return local;
}

int kt_locals(int x)
{
	int doubled = kt_function(x) * 2;
	int sum = 0;

	for (int i = 0; i < 3; i++)
		sum += kt_function(doubled + i);
	return sum;
}

static void fill(void)
{
	object = (struct kt_object){
		.s8 = -5, .u8 = 200, .s16 = -3000, .u16 = 60000, .s32 = -70000, .u32 = 4000000000U,
		.s64 = -5000000000LL, .u64 = 10000000000000000000ULL, .yes = true, .color = KT_BLUE,
		.three = 6, .five = -9, .twelve = 4001, .twelve_signed = -1999, .thirty_seven = 100000000001ULL,
		.twenty = -400000, .name = "an object", .full = "full", .bytes = "\x01\x02\xff", .text = "some text",
		.word = 0xaabbccdd, .numbers = { 10, -20, 30, -40 },
		.leaves = { { 1, "one" }, { 2, "two" } }, .leaf = &leaf, .leaf_of_leaf = &leaf_pointer,
		.next = &second, .function = kt_function,
		.port = cpu_to_be16(8080), .address = cpu_to_be32(0x7f000001),
	};
	second = (struct kt_object){ .s32 = 2, .next = &object, .name = "another" };
}

/* A page, behind which vmalloc leaves another that is nowhere. What is nowhere on one kernel is KASAN's shadow on another. */
static void *page;

/* In the user half of this process, and not in the kernel's where SMAP or KASAN would shout at a bare load. */
static ssize_t run(struct file *file, const char __user *buffer, size_t count, loff_t *pos)
{
	struct kt_pair pair = { 7, -8 };
	struct kt_two two = { 1ULL << 40, -9, 250 };
	struct kt_three three = { 11, 12, -13 };
	unsigned int i, n;
	int err = kstrtouint_from_user(buffer, count, 0, &n);

	if (err)
		return err;
	for (i = 0; i < n; i++) {
		kt_scalars(-1, 254, -1000, 50000, -100000, 3000000000U, -1LL << 40, 1ULL << 63, true, KT_GREEN);
		kt_object(&object, 2);
		kt_structs(pair, three, two, 99);
		kt_negative(2);
		kt_wide(4096);
		kt_pointer(i & 1);
		kt_bool(i);
		kt_nothing(3);
		kt_faults(NULL, (const void *)4096, (const void *)0x5a5a5a5a5a5a5a5aUL, page + PAGE_SIZE);
		kt_locals(5);
		kt_lines(6);
		trace_kmeter_types_event(&object, true, -7, 65000, -123456789012L, "traced");
	}
	return count;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = run,
	.llseek = noop_llseek,
};

static int __init start(void)
{
	page = vmalloc(PAGE_SIZE);
	if (!page)
		return -ENOMEM;
	fill();
	pr_debug("on %s\n", init_uts_ns.name.sysname);	/* so that debug information has the type */
	dir = debugfs_create_dir("kmeter_types", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &fops);
	return 0;
}
module_init(start);

static void __exit end(void)
{
	debugfs_remove(dir);
	vfree(page);
}
module_exit(end);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("values of every type, for kmeter's tests");
