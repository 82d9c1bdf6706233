// SPDX-License-Identifier: GPL-2.0
/*
 * variance.c: see variance.h. n * squares and sum^2 have more than 128 bits; their difference is made of whole numbers of 256, which is
 * enough: sum^2 <= n * squares < 2^192.
 */
#include <math.h>

#include "console/variance.h"

typedef unsigned __int128 u128;

/* 256 bits, the least significant word first. */
struct wide {
	uint64_t word[4];
};

static struct wide multiply(u128 a, u128 b)
{
	const uint64_t x[2] = { (uint64_t)a, (uint64_t)(a >> 64) }, y[2] = { (uint64_t)b, (uint64_t)(b >> 64) };
	struct wide w = {};

	for (int i = 0; i < 2; i++) {
		uint64_t carry = 0;

		for (int j = 0; j < 2; j++) {
			u128 t = (u128)x[i] * y[j] + w.word[i + j] + carry;

			w.word[i + j] = (uint64_t)t;
			carry = (uint64_t)(t >> 64);
		}
		w.word[i + 2] = carry;
	}
	return w;
}

/* True: a is less than b, and what is left is no difference. */
static int subtract(struct wide *a, const struct wide *b)
{
	uint64_t borrow = 0;

	for (int i = 0; i < 4; i++) {
		u128 t = (u128)a->word[i] - b->word[i] - borrow;

		a->word[i] = (uint64_t)t;
		borrow = (uint64_t)(t >> 64) & 1;
	}
	return borrow;
}

double variance_of(uint64_t n, u128 sum, u128 squares)
{
	struct wide difference = multiply(n, squares), square = multiply(sum, sum);
	long double d = 0;

	if (n < 2 || subtract(&difference, &square))
		return 0;
	for (int i = 3; i >= 0; i--)
		d = ldexpl(d, 64) + difference.word[i];
	return (double)(d / n / (n - 1));
}
