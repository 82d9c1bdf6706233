/* SPDX-License-Identifier: GPL-2.0 */
/*
 * variance.h: the variance of samples of which the number, the sum and the sum of squares are known.
 *
 * Pure arithmetic, the same for kernel and user space. In the kernel nothing divides 128 bits.
 */
#ifndef KSTATS_VARIANCE_H
#define KSTATS_VARIANCE_H

#include <linux/types.h>

typedef unsigned __int128 kstats_u128;

/* *@a /= @by; the remainder is returned. */
static inline __u64 kstats_divide(kstats_u128 *a, __u64 by)
{
	__u64 low = (__u64)*a, high = *a >> 64, quotient = 0;
	kstats_u128 rest = high % by;
	int i;

	high /= by;
	for (i = 63; i >= 0; i--) {
		rest = rest << 1 | (low >> i & 1);
		quotient <<= 1;
		if (rest >= by) {
			rest -= by;
			quotient |= 1;
		}
	}
	*a = (kstats_u128)high << 64 | quotient;
	return rest;
}

/*
 * The sample variance (of n - 1), rounded down, of @n samples; 0 of fewer than two. @squares may have wrapped.
 *
 * With m the whole part of the mean and r the rest, sum = n m + r, the squares go beyond n times the mean's by
 * squares - m (sum + r) - r^2 / n. What is left of them by the subtraction is right modulo 2^128, and is no difference of large
 * numbers that have lost their last digits.
 */
static inline kstats_u128 kstats_variance(__u64 n, __u64 sum, kstats_u128 squares)
{
	__u64 m, rest, left;
	kstats_u128 beyond, fraction;

	if (n < 2)
		return 0;
	m = sum / n;
	rest = sum % n;
	beyond = squares - (kstats_u128)m * sum - (kstats_u128)m * rest;
	fraction = (kstats_u128)rest * rest;
	left = kstats_divide(&fraction, n);
	beyond -= fraction + !!left;
	if (beyond >> 127)	/* squares that are too small for their sum: looked at in the middle of an addition */
		return 0;
	kstats_divide(&beyond, n - 1);
	return beyond;
}

#endif /* KSTATS_VARIANCE_H */
