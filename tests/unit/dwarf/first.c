// SPDX-License-Identifier: GPL-2.0
/* first.c: compiled with -g -O2 by compiler_dwarf.c, asked about, and run instruction by instruction. */
#include <stdarg.h>

#include "target.h"

enum tm_here { TM_DIFFERS = 1, TM_SAME = 5 };

struct tm_all tm_object = { .name = "object", .id = 30, .whole = 0x500000004 };
long tm_each __attribute__((section("tm.percpu")));
static short twins = 1;
extern int tm_elsewhere;
enum tm_here tm_here_is;
struct tm_packed tm_small;

__attribute__((noinline)) void schedule(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) static int same_name(struct tm_all *all, short twin)
{
	__asm__ volatile("" : : "r" (all));
	return twin + twins;
}

__attribute__((noinline)) int tm_many(int count, ...)
{
	va_list list;
	int sum = 0;

	va_start(list, count);
	while (count--)
		sum += va_arg(list, int);
	va_end(list);
	return sum;
}

__attribute__((noinline)) struct tm_inner tm_give(const struct tm_inner *from, char c, unsigned char u, _Bool yes)
{
	__asm__ volatile("");
	return yes ? *from : (struct tm_inner){ c, u };
}

__attribute__((noinline)) long tm_work(long a, struct tm_all *shadow, tm_id id)
{
	long fixed = a * 5 + 1, room[4] = { a, 2, 3, 4 };
	signed char narrow = id;
	long sum = 0;

	__asm__ volatile("" : : "r" (room), "r" (fixed) : "memory");	/* LINE: work */
	for (int i = 0; i < 3; i++)
		sum += tm_mix(a + 100, shadow->next) + room[i];		/* LINE: loop */
	schedule();
	/* LINE: nothing is here */
	/* LINE: nor here */

	if (sum > 1000) {
		long deep = sum ^ a;

		schedule();
		sum += deep + narrow;
	}
	tm_here_is = TM_SAME;						/* LINE: store */
	return sum + fixed;
}

int tm_second(struct tm_all *all);

int main(int argc, char **argv)
{
	struct tm_all other = { .name = "other", .id = 12 };
	struct tm_inner inner = { 1, 2 };

	other.next = &tm_object;
	return tm_work(1234567, &other, 0x1f3) + tm_mix(argc, &other) + same_name(&other, argc) +
	       tm_many(2, argc, argc) + tm_give(&inner, 'c', 'u', argc).x + tm_second(&other) + tm_each + tm_elsewhere;
}
