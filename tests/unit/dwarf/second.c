// SPDX-License-Identifier: GPL-2.0
/* second.c: another unit, with some of first.c's names. */
#include "target.h"

enum tm_there { TM_DIFFERS = 2, TM_SAME = 5 };

struct tm_hidden {
	long long a;
	struct tm_inner inner;
};

struct tm_hidden tm_hides = { 1, { 2, 3 } };
static long twins = 2;
enum tm_there tm_there_is = TM_DIFFERS;

__attribute__((noinline)) static long same_name(const char *text)
{
	__asm__ volatile("" : : "r" (text));
	return twins + tm_hides.a;
}

__attribute__((noinline)) int tm_second(struct tm_all *all)
{
	all->hidden = &tm_hides;
	return tm_mix(all->whole, all) + same_name(all->name);
}
