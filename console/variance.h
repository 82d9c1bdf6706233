/* SPDX-License-Identifier: GPL-2.0 */
/*
 * variance.h: the variance of samples of which only their number, their sum and the sum of their squares were kept.
 */
#ifndef KM_VARIANCE_H
#define KM_VARIANCE_H

#include <stdint.h>

/*
 * s^2 = (squares - sum^2 / n) / (n - 1), exact but for the rounding of the result to a double: nothing cancels before that. 0 for
 * less than two samples. Where squares were kept modulo 2^128 and have wrapped, or were looked at in the middle of an addition, n, sum
 * and squares may not belong together: what would be negative is 0.
 */
double variance_of(uint64_t n, unsigned __int128 sum, unsigned __int128 squares);

#endif /* KM_VARIANCE_H */
