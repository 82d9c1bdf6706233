/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tables.h: the tables of `watch` and `profile`: a line a function.
 */
#ifndef KM_TABLES_H
#define KM_TABLES_H

#include "console/page.h"

/* Is this a measurement that is shown so? */
bool tables_has(const struct snapshot *s);

/* The table, most first (of `profile ... time` as --sort says: by time, hits or mean), and what it leaves out. */
void tables_print(const struct page *p);

/* What a part comes to, whatever its slots are. */
struct tables_sum {
	__u64 n, sum;		/* the sum modulo 2^64 */
	double variance;	/* of n - 1, in the square of the unit; 0 of fewer than two, or where there are no squares */
};

void tables_sum(const struct snapshot_part *part, struct tables_sum *out);

#endif /* KM_TABLES_H */
