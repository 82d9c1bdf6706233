// SPDX-License-Identifier: GPL-2.0
/*
 * figures.c: counts, means, bounds, quantiles and order of the parts of a snapshot, and their keys as text.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

__u64 figures_per_second(const char *unit)
{
	static const struct { const char *name; __u64 per_second; } times[] = {
		{ "ns", 1000000000 }, { "us", 1000000 }, { "ms", 1000 }, { "s", 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (unit && !strcmp(unit, times[i].name))
			return times[i].per_second;
	return 0;
}

/* ---- keys ---- */

/* Bytes of the UTF-8 sequence at @p, 0 when it is none or encodes a control character or a surrogate. */
static size_t printable_bytes(const unsigned char *p, size_t left)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *p < 0x80 ? 1 : *p >> 5 == 6 ? 2 : *p >> 4 == 14 ? 3 : *p >> 3 == 30 ? 4 : 0, i;
	unsigned int c;

	if (!n || n > left)
		return 0;
	if (n == 1)
		return *p >= 0x20 && *p != 0x7f;
	c = *p & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	/* C1 controls, surrogates, marks that turn the direction of the line, the end of the code space */
	if (c < least[n] || c < 0xa0 || (c >= 0xd800 && c < 0xe000) || (c >= 0x202a && c < 0x202f) ||
	    (c >= 0x2066 && c < 0x206a) || c > 0x10ffff)
		return 0;
	return n;
}

char *figures_printable(const char *text, size_t length)
{
	char *out = say_calloc(length * 4 + 1, 1), *to = out;
	size_t i = 0;

	while (i < length) {
		size_t n = printable_bytes((const unsigned char *)text + i, length - i);

		if (n) {
			memcpy(to, text + i, n);
			to += n;
			i += n;
		} else {
			to += sprintf(to, "\\x%02x", (unsigned char)text[i++]);
		}
	}
	return out;
}

char *figures_one_key(const struct snapshot *s, const struct snapshot_part *part, unsigned int i)
{
	const struct kstats_snapshot_by *by = &s->head.by[i];
	const __u64 *word = part->key;
	unsigned int j;

	for (j = 0; j < i; j++)
		word += s->head.by[j].words;
	switch (by->type) {
	case KSTATS_BY_STRING:
		return figures_printable((const char *)word, strnlen((const char *)word, by->words * sizeof(*word)));
	case KSTATS_BY_S64:
		return say_text("%" PRId64, (int64_t)*word);
	default:
		return say_text("%" PRIu64, (uint64_t)*word);
	}
}

char *figures_key(const struct snapshot *s, const struct snapshot_part *part, const char *between)
{
	char *all = say_strdup(""), *one, *longer;
	unsigned int i;

	for (i = 0; i < s->head.nby; i++) {
		one = figures_one_key(s, part, i);
		longer = say_text("%s%s%s", all, i ? between : "", one);
		free(one);
		free(all);
		all = longer;
	}
	return all;
}
