// SPDX-License-Identifier: GPL-2.0
/* twins_one.c: functions whose names twins_two.c has too. */
#include <linux/kernel.h>

#include "twins.h"

static CALLED int kt_twin(int x)
{
	barrier();
	return x + 1;
}

/* In a section of its own: there is no function of another name to count bytes from. */
static CALLED __section(".text.kt_apart") int kt_apart(int x)
{
	barrier();
	return x + 2;
}

long kt_in_one(int x)
{
	return kt_twin(x) + kt_apart(x);
}
