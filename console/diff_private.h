/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diff_private.h: what diff.c has found, for diff_text.c.
 */
#ifndef KM_DIFF_PRIVATE_H
#define KM_DIFF_PRIVATE_H

#include "console/diff.h"

/* All of a measurement, or a group of one key, on both sides. */
struct diff_pair {
	char *name;				/* of a group */
	struct figures side[2];			/* without samples where it is not there */
	int moved[FIGURES_QUANTILES];		/* 1 up, -1 down */
	bool chance[FIGURES_QUANTILES];		/* it moved, but not further than chance may take it */
	bool counts;				/* towards the exit status */
};

struct diff_measurement {
	const struct snapshot *side[2];
	struct diff_pair all;
	bool counted, histogram;
	struct diff_pair *group;		/* most time first */
	size_t groups, groups_moved;
};

/* The table of one; @n were printed before it. */
void diff_print(struct print *p, const struct diff_side *side, const struct diff_measurement *m, size_t n);

#endif /* KM_DIFF_PRIVATE_H */
