// SPDX-License-Identifier: GPL-2.0
/* memory_two.c: another file of kmeter_memory.ko, with a static of a name that memory.c has too. */
#include <linux/compiler.h>
#include "memory.h"

static u32 other[3];		/* so that the one behind it is not the first of its section */
static u32 state;

noinline void memory_second(u32 x)
{
	if (x == (u32)-1)
		WRITE_ONCE(other[x % 3], x);
	WRITE_ONCE(state, x);
}
