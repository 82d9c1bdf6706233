/* SPDX-License-Identifier: GPL-2.0 */
/*
 * quantile.h: percentiles of a histogram whose slots know their sums.
 *
 * The q-quantile of n samples is the smallest value v such that at least ceil(q * n) of them are <= v: always one of the
 * samples, never a mean of two. q is a fraction of two integers, so that the rank is exact for any n.
 */
#ifndef KM_QUANTILE_H
#define KM_QUANTILE_H

#include "console/snapshot.h"

struct quantile_point {
	const char *name;		/* "p99.9" */
	__u64 numerator, denominator;	/* 0 <= q <= 1 */
};

/* The ones that every report has: p50 p90 p99 p99.9 p99.99, ended by a NULL name. */
extern const struct quantile_point quantile_points[];

struct quantile {
	double value;		/* the estimate; within [lo, hi] */
	__u64 lo, hi;		/* the sample itself is surely within: its slot's bounds, equal when it is known */
};

/* Of at least one sample; without any, all fields are 0 and it returns false. */
bool quantile_of(const struct snapshot_total *t, const struct quantile_point *q, struct quantile *out);

#endif /* KM_QUANTILE_H */
