/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diff.h: two reports of the same measurements, side by side: which percentiles have moved?
 *
 * A percentile is known within the bounds of its slot. It has moved where the bounds of the one report lie beyond those of the
 * other; where they meet, the two may be the same sample. What chance alone may have moved is told apart: with n samples that do
 * not depend on each other, the q-quantile of what they are drawn from lies between the samples of ranks n q +- z sqrt(n q (1 - q)),
 * z = 3.29 for 99.9 % (the normal approximation of the binomial distribution of the rank).
 */
#ifndef KM_DIFF_H
#define KM_DIFF_H

#include "console/print.h"

struct diff_side {
	const char *path;
	const struct report *report;
};

/*
 * Write what differs to p->out, as text or JSON. 0: no percentile has moved, 1: some have, a measurement is in one of them alone or
 * has samples in one alone; 2 after saying that they cannot be compared (units differ, or nothing of one name is in both).
 */
int diff_reports(struct print *p, const struct options *o, const struct diff_side *side);

#endif /* KM_DIFF_H */
