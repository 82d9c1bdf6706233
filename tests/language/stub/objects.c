// SPDX-License-Identifier: GPL-2.0
/*
 * objects.c: the memory that read.t's expressions read: compiled twice, once for the C compiler's own reading of it
 * (NATIVE), once for the handlers, to which its addresses are the kernel's.
 */
#include <string.h>
#include "types.h"

#ifdef NATIVE
#define AT(p)	(p)
#else
#define AT(p)	((__typeof__(p))((unsigned long)(p) | 0xffff800000000000UL))
#endif

static struct {
	struct all_kinds a;
	u64 flexible[4];
	struct all_kinds b;
	char name[40], other[8];
	char *names[3];
	int numbers[8];
	struct all_kinds *selves[2];
	struct task_struct task;
} memory;

/* Where it begins, how long it is, and the address of the argument $a. */
const void *objects(unsigned long *size, unsigned long *argument);
const void *objects(unsigned long *size, unsigned long *argument)
{
	struct all_kinds *a = &memory.a;
	const struct all_kinds all = {
		.yes = 1, .letter = -7, .small = -100, .usmall = 200, .s = -30000, .us = 60000, .i = -2000000000, .ui = 4000000000U,
		.l = -5000000000, .ul = 0xfedcba9876543210, .ll = -1, .ull = 0x8000000000000000, .port = 0x5000, .state = STATE_DEAD,
		.bytes = BYTE_MANY, .often = -99, .array = { 1, -2, 3, -4, 5 },
		.grid = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } }, .text = "some text",
		.utext = "abcdefg", .one = { 'x' }, .name = AT(&memory.name[0]), .names = AT(&memory.names[0]),
		.anything = AT(&memory.numbers[2]), .numbers = AT(&memory.numbers[3]), .self = AT(a), .selves = AT(&memory.selves[0]),
		.many = { AT(a), AT(&memory.b) }, .inner = { .first = 11, .word = 0x04030201, .named = { -5, { -6 } } },
		.inners = { { .first = 21 }, { .first = 31, .word = 0xffeeddcc, .named = { 300, { 127 } } } },
		.anonymous = -77, .as_number = 0x1122334455667788,
		.bits = { .one = 1, .seven = 100, .five = -9, .rest = 0x55555, .wide = 0x1abcdef01, .high = 0x7edcba98, .deep = -549755813888,
			  .small = 5, .upper = 6, .flag = 1, .whole = 0xdeadbeef },
		.packed = { .lead = 255, .low = 0x1fff, .straddling = 0x5a5a5a5, .minus = -256, .behind = 0xbeef }, .n = 4,
	};

	*size = sizeof(memory);
	*argument = (unsigned long)AT(a);
	if (a->yes)
		return &memory;
	strcpy(memory.name, "a name of more than 32 bytes, cut");
	strcpy(memory.other, "other");
	for (int i = 0; i < 8; i++)
		memory.numbers[i] = 1000 * i - 3500;
	memory.names[0] = AT(&memory.name[0]);
	memory.names[1] = AT(&memory.other[0]);
	memory.selves[0] = AT(a);
	memory.selves[1] = AT(&memory.b);
	memory.b.i = 4242;
	memory.b.self = AT(a);
	memcpy(a, &all, sizeof(all));
	for (int i = 0; i < 4; i++)
		memory.a.flexible[i] = 0x0101010101010101ULL * (i + 1);
	memory.task.pid = 77;
	return &memory;
}
