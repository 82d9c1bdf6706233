/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bars.h: histograms drawn with characters, in the text report.
 */
#ifndef KM_BARS_H
#define KM_BARS_H

#include "console/page.h"

/* A row for each slot, or for each few of them, with its values, count, share and bar. */
void bars_print(const struct page *p, const struct snapshot_total *t);

/* Two histograms beside each other: the same rows, each in shares of its own samples. Their bits may differ. */
void bars_print_both(const struct page *p, const struct snapshot_total *a, const struct snapshot_total *b);

/* Strips show the shapes of several distributions above each other: they share one axis. */
struct bars_axis {
	unsigned int columns;		/* 0: no room for strips */
	unsigned int first, shift;	/* the first column is row `first` of 2^shift slots each */
};

/* For what `all` holds, within @room columns. */
struct bars_axis bars_axis(const struct snapshot_total *all, int room);

void bars_strip(const struct page *p, const struct snapshot_total *t, const struct bars_axis *axis);

/* Above the strips: where they begin and end, if there is room for both. */
void bars_ends(const struct page *p, const struct snapshot_total *all, const struct bars_axis *axis);

/* A value over time, a column each, from 0 to the largest of them; nothing where it is NaN. */
void bars_spark(const struct page *p, const double *v, size_t n);

#endif /* KM_BARS_H */
