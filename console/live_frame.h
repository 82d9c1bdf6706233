/* SPDX-License-Identifier: GPL-2.0 */
/*
 * live_frame.h: what the live view shows, as lines of text: a screen's worth, coloured as the text report is.
 */
#ifndef KM_LIVE_FRAME_H
#define KM_LIVE_FRAME_H

#include "console/render.h"

enum { LIVE_HISTORY = 512 };	/* ticks, more than a terminal has columns */

/* How a measurement's figures moved, the last one at the end. NaN: there were no samples. */
struct live_history {
	size_t n;
	double rate[LIVE_HISTORY], mean[LIVE_HISTORY], max[LIVE_HISTORY], quantile[FIGURES_QUANTILES][LIVE_HISTORY];
};

/* What there is to show. */
struct live_now {
	struct snapshot *const *last;	/* since the tick before */
	struct snapshot *const *all;	/* since the beginning */
	struct live_history *history;	/* of each */
	size_t n;
	double last_seconds, all_seconds;
	const char *source;		/* the kernel's release, or the file */
	const char *said;		/* what the last key did; NULL: nothing */
	bool frozen;			/* the view stands still; what is measured goes on */
};

enum live_body { LIVE_BARS, LIVE_GROUPS, LIVE_CPUS, LIVE_REPORT, LIVE_HELP };

/* How it is shown. */
struct live_view {
	size_t which;			/* measurement */
	enum live_body body;
	bool all;			/* the body is of all the time, not of the last tick */
	enum figures_order order;
	size_t scroll;			/* lines of the body that are above the screen */
};

/* Another tick in a measurement's history. */
void live_remember(struct live_history *h, const struct snapshot *last, double seconds);

/*
 * @lines lines of @look->width columns, the first and the last of them to be shown as bars. *scroll of the view is brought
 * within the body's length.
 */
void live_frame(FILE *out, const struct live_now *now, struct live_view *view, const struct render_options *look, int lines);

#endif /* KM_LIVE_FRAME_H */
