// SPDX-License-Identifier: GPL-2.0
/* lines.c: a function for what only DWARF knows: lines, locals, an inlined function. ../run.t names its lines. */
#include "types.h"

int seen;

static inline __attribute__((always_inline)) int inlined_here(int a)
{
	seen += a;
	return seen * 3;
}

__attribute__((noinline)) int with_lines(struct task_struct *p, int times)
{
	int sum = 0;

	for (int i = 0; i < times; i++) {
		sum += inlined_here(p->pid + i);
		seen--;
	}
	return sum + p->prio;
}

__attribute__((noinline)) void loses(int a)
{
	seen = a;
	asm volatile("xor %%edi, %%edi" : : : "edi");
	seen = 1;		/* here a is nowhere */
}

/* A function of its own, and inlined elsewhere. */
extern int partly(int a);

inline __attribute__((always_inline)) int partly(int a)
{
	seen += a;
	return seen * 5;
}

__attribute__((noinline)) int inlines_partly(int a)
{
	return partly(a + 1) + partly(a + 2);
}
