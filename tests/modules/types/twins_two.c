// SPDX-License-Identifier: GPL-2.0
/* twins_two.c: functions whose names twins_one.c has too, with other arguments. */
#include <linux/kernel.h>

#include "twins.h"

static CALLED long kt_twin(const char *text, long y)
{
	barrier();
	return y - text[0];
}

static CALLED long kt_apart(const char *text, long y)
{
	barrier();
	return -y;
}

long kt_in_two(int x)
{
	return kt_twin("two", 1000L * x) + kt_apart("apart", x);
}
