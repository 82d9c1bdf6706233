// SPDX-License-Identifier: GPL-2.0
/*
 * digits.c: 128-bit integers and exact decimal fractions as text.
 */
#include <string.h>

#include "console/digits.h"

/* The digits of v that end at @end, at least @least of them; where they begin. */
static char *backwards(char *end, u128 v, unsigned int least)
{
	char *p = end;

	while (v || end - p < least) {
		*--p = '0' + (int)(v % 10);
		v /= 10;
	}
	return p;
}

const char *digits(char *buf, u128 v)
{
	char *end = buf + DIGITS_TEXT - 1;

	*end = 0;
	return backwards(end, v, 1);
}

const char *digits_point(char *buf, u128 v, unsigned int decimals)
{
	char *end = buf + DIGITS_TEXT - 2, *whole;	/* with room for a 0 behind the point */

	whole = backwards(end, v, decimals + 1);	/* the fraction lies where it belongs, the rest moves by the point */
	memmove(whole - 1, whole, end - decimals - whole);
	whole--;
	end[-(int)decimals - 1] = '.';
	while (end[-1] == '0' && decimals > 1) {
		end--;
		decimals--;
	}
	if (!decimals)
		*end++ = '0';
	*end = 0;
	return whole;
}
