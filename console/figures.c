// SPDX-License-Identifier: GPL-2.0
/*
 * figures.c: counts, means, bounds, quantiles and order of the parts of a snapshot.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console/figures.h"
#include "console/say.h"

const char *const figures_orders[] = {
	[FIGURES_BY_TOTAL] = "total",
	[FIGURES_BY_COUNT] = "count",
	[FIGURES_BY_MEAN] = "mean",
	[FIGURES_BY_MAX] = "max",
	[FIGURES_BY_P99] = "p99",
	[FIGURES_ORDERS] = NULL,
};

/* The slot at an end of the histogram: its extreme sample is known when all samples in it are. */
static struct figures_bound extreme(const struct snapshot_total *t, unsigned int i, bool largest)
{
	const struct snapshot_slot *s = &t->slot[i];
	struct figures_bound b = { kstats_slot_lo(t->first + i, t->bits), kstats_slot_hi(t->first + i, t->bits) };

	if (s->exact)
		b.lo = b.hi = largest ? s->most : s->least;
	return b;
}

void figures_of(const struct snapshot *s, const struct snapshot_part *part, struct figures *out)
{
	unsigned int i;

	*out = (struct figures){ .part = part };
	snapshot_total(s, part, -1, &out->total);
	out->mean = snapshot_mean(&out->total, &out->mean_lo, &out->mean_hi);
	if (!out->total.n)
		return;
	out->min = extreme(&out->total, 0, false);
	out->max = extreme(&out->total, out->total.count - 1, true);
	for (i = 0; i < FIGURES_QUANTILES; i++)
		quantile_of(&out->total, &quantile_points[i], &out->quantile[i]);
}

void figures_free(struct figures *f)
{
	snapshot_total_free(&f->total);
}

static double rank(const struct figures *f, enum figures_order order)
{
	switch (order) {
	case FIGURES_BY_COUNT:
		return f->total.n;
	case FIGURES_BY_MEAN:
		return f->mean_hi;
	case FIGURES_BY_MAX:
		return f->max.hi;
	case FIGURES_BY_P99:
		return f->quantile[2].value;
	default:
		return f->mean_hi * f->total.n;
	}
}

static int compare(const void *a, const void *b, void *arg)
{
	enum figures_order order = *(enum figures_order *)arg;
	double x = rank(a, order), y = rank(b, order);
	const struct figures *f = a, *g = b;

	if (x != y)
		return x < y ? 1 : -1;
	return f->part < g->part ? -1 : f->part > g->part;	/* then by key, so that output is repeatable */
}

struct figures *figures_of_parts(const struct snapshot *s, enum figures_order order, size_t *n)
{
	struct figures *all = say_calloc(s->nparts, sizeof(*all));
	unsigned int i;

	*n = 0;
	if (s->head.kind == KSTATS_COUNTS)
		order = FIGURES_BY_COUNT;	/* there is nothing else to order them by */
	for (i = 0; i < s->nparts; i++) {
		figures_of(s, &s->parts[i], &all[*n]);
		if (all[*n].total.n)
			++*n;
		else
			figures_free(&all[*n]);
	}
	qsort_r(all, *n, sizeof(*all), compare, &order);
	return all;
}

void figures_free_all(struct figures *all, size_t n)
{
	while (n)
		figures_free(&all[--n]);
	free(all);
}

/* ---- the accounting in words ---- */

const char *const figures_terms[KSTATS_NTERMS] = {
#define NAME(id, name)	[KSTATS_##id] = name,
	KSTATS_TERMS(NAME)
#undef NAME
};

const struct figures_sentence figures_losses[] = {
	{ KSTATS_MISSED, "the kernel could not call the probe (another probe's handler was running, or no instance was "
	  "free)" },
	{ KSTATS_FULL, "no room for a start, or for a new `by` key: raise it with `entries N`" },
	{ KSTATS_UNMATCHED, "ends without a start: begun before measuring, or the key differs at the two points" },
	{ KSTATS_REPLACED, "starts followed by another start of the same key before an end: is the key right?" },
	{ KSTATS_EXITED, "begun by tasks that ended before the end came" },
	{ KSTATS_OUTSIDE, "negative, or outside `range`: not in the histogram" },
	{ KSTATS_BACKWARDS, "by the clock ended before it began, or began before this was armed: not in the histogram" },
	{ KSTATS_MOVED, "the task slept, was preempted or moved to another CPU meanwhile: what the CPU counted is not its own" },
	{ KSTATS_FAULT, "an expression read bad memory or divided by zero: not in the histogram" },
	{ KSTATS_STOPPED, "cut off by a stop" },
	{ 0 }
};

const struct figures_sentence figures_empty[] = {
	{ KSTATS_HITS, "nothing came by while it was armed" },
	{ KSTATS_FILTERED, "`if` refused every one" },
	{ KSTATS_IN_FLIGHT, "begun, but none has ended yet" },
	{ KSTATS_OUTSIDE, "every one was negative or outside `range`" },
	{ KSTATS_UNMATCHED, "ends came, but no start: is the first point reached at all?" },
	{ 0 }
};
