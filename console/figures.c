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
