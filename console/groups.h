/* SPDX-License-Identifier: GPL-2.0 */
/*
 * groups.h: the tables of the text report: a line a key of `by`, or a match of a pattern.
 */
#ifndef KM_GROUPS_H
#define KM_GROUPS_H

#include "console/page.h"

/* Of durations and values; @all are the figures over all of them. */
void groups_print(const struct page *p, const struct figures *all);

/* Of counts; @all is how many. */
void groups_print_counts(const struct page *p, __u64 all);

#endif /* KM_GROUPS_H */
