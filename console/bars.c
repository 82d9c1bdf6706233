// SPDX-License-Identifier: GPL-2.0
/*
 * bars.c: histograms drawn with characters: bars, a row a slot or several, and strips, a column each.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console/bars.h"
#include "console/say.h"

/* Slots are grouped by 2^shift into at most this many rows. */
enum { ROWS_MOST = 24, GAP_LEAST = 3, BAR_LEAST = 8, STRIP_LEAST = 8, STRIP_MOST = 24 };

static unsigned int grouping(const struct snapshot_total *t, unsigned int rows)
{
	unsigned int last = t->first + t->count - 1, shift = 0;

	while ((last >> shift) - (t->first >> shift) >= rows)
		shift++;
	return shift;
}

/* Samples in the slots whose number >> shift is row. */
static __u64 row_count(const struct snapshot_total *t, unsigned int row, unsigned int shift)
{
	unsigned int slot = row << shift, end = slot + (1u << shift);
	__u64 n = 0;

	for (slot = slot > t->first ? slot : t->first; slot < end && slot - t->first < t->count; slot++)
		n += t->slot[slot - t->first].n;
	return n;
}

static double edge(const struct snapshot_total *t, unsigned int row, unsigned int shift)
{
	unsigned int slot = row << shift;

	if (slot >= kstats_slots(t->bits))
		return 0x1p64;
	return kstats_slot_lo(slot, t->bits);
}

/* A bar of @share of @columns, by eighths of a column under UTF-8; what is not nothing is seen. */
static void bar(const struct page *p, double share, int columns)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	long parts = lround(share * columns * 8);
	char *text = say_calloc(columns * 3 + 4, 1), *to = text;

	if (!p->o->utf8) {
		long n = lround(share * columns);

		memset(text, '#', n);
		if (!n && share > 0)
			*text = '.';
	} else {
		if (!parts && share > 0)
			parts = 1;
		for (; parts >= 8; parts -= 8)
			to = stpcpy(to, "█");
		stpcpy(to, eighths[parts]);
	}
	page_put(p, PAGE_BAR, "%s", text);
	free(text);
}

struct row {
	char lo[UNITS_TEXT], hi[UNITS_TEXT], count[UNITS_TEXT], share[UNITS_TEXT];
	__u64 n;
	bool one;	/* a single value, not a range */
};

void bars_print(const struct page *p, const struct snapshot_total *t)
{
	unsigned int shift = grouping(t, p->o->rows ? p->o->rows : ROWS_MOST), first = t->first >> shift, i, gap;
	unsigned int rows = ((t->first + t->count - 1) >> shift) - first + 1;
	struct row *row = say_calloc(rows, sizeof(*row)), *r;
	int lo = 0, hi = 0, count = 0, share = 0, columns;
	__u64 most = 0;

	for (i = 0; i < rows; i++) {
		double from = edge(t, first + i, shift), to = edge(t, first + i + 1, shift);

		r = &row[i];
		r->n = row_count(t, first + i, shift);
		r->one = to - from == 1;
		page_value(p, r->lo, from);
		page_value(p, r->hi, to);
		units_count(r->count, r->n);
		units_share(r->share, (double)r->n / t->n);
		lo = page_widest(lo, r->lo);
		hi = page_widest(hi, r->one ? "" : r->hi);
		count = page_widest(count, r->count);
		share = page_widest(share, r->share);
		most = r->n > most ? r->n : most;
	}
	columns = p->o->width - (2 + lo + (hi ? 4 + hi : 0) + 3 + count + 2 + share + 2);
	if (columns < BAR_LEAST) {	/* the share says the same as the bar */
		columns += share + 2;
		share = 0;
	}

	putc('\n', p->out);
	for (i = 0; i < rows; i++) {
		for (gap = 0; i + gap < rows && !row[i + gap].n; gap++)
			;
		if (gap >= GAP_LEAST) {
			fputs("  ", p->out);
			page_field(p, PAGE_DIM, -lo, p->o->utf8 ? "⋮" : ":");
			putc('\n', p->out);
			i += gap - 1;
			continue;
		}
		r = &row[i];
		fputs("  ", p->out);
		page_field(p, PAGE_PLAIN, -lo, r->lo);
		if (hi) {
			page_put(p, PAGE_DIM, "%s", r->one ? "    " : " .. ");
			page_field(p, PAGE_PLAIN, -hi, r->one ? "" : r->hi);
		}
		fputs("   ", p->out);
		page_field(p, PAGE_PLAIN, -count, r->count);
		if (share) {
			fputs("  ", p->out);
			page_field(p, PAGE_DIM, -share, r->share);
		}
		if (r->n && columns > 0) {
			fputs("  ", p->out);
			bar(p, (double)r->n / most, columns);
		}
		putc('\n', p->out);
	}
	free(row);
}

/* ---- two beside each other ---- */

/* The share and bar of a row on one side, with blanks up to the other one. */
static void half(const struct page *p, const struct snapshot_total *t, __u64 n, double most, int columns, bool last)
{
	char share[UNITS_TEXT];
	double part = (double)n / t->n;
	int drawn;

	if (last && !n)
		return;
	page_field(p, PAGE_DIM, -8, n ? units_share(share, part) : "");
	fputs("  ", p->out);
	if (n)
		bar(p, part / most, columns);
	if (last)
		return;
	drawn = !n ? 0 : p->o->utf8 ? (int)(lround(part / most * columns * 8) + 7) / 8 : (int)lround(part / most * columns);
	fprintf(p->out, "%*s", columns - (n && !drawn ? 1 : drawn), "");
}

void bars_print_both(const struct page *p, const struct snapshot_total *x, const struct snapshot_total *y)
{
	unsigned int bits = x->bits < y->bits ? x->bits : y->bits, shift, first, rows, last, i, gap;
	struct snapshot_total a, b, both;
	int lo = 0, hi = 0, columns;
	char text[UNITS_TEXT];
	double most = 0;

	snapshot_total_coarser(x, bits, &a);
	snapshot_total_coarser(y, bits, &b);
	both = (struct snapshot_total){ .bits = bits, .first = a.first < b.first ? a.first : b.first };
	last = a.first + a.count > b.first + b.count ? a.first + a.count - 1 : b.first + b.count - 1;
	both.count = last - both.first + 1;
	shift = grouping(&both, ROWS_MOST);
	first = both.first >> shift;
	rows = (last >> shift) - first + 1;
	for (i = 0; i < rows; i++) {
		lo = page_widest(lo, page_value(p, text, edge(&both, first + i, shift)));
		hi = page_widest(hi, page_value(p, text, edge(&both, first + i + 1, shift)));
		most = fmax(most, fmax((double)row_count(&a, first + i, shift) / a.n, (double)row_count(&b, first + i, shift) / b.n));
	}
	columns = (p->o->width - (2 + lo + 4 + hi + 2 * 11)) / 2;
	if (columns < 4)
		columns = 4;

	putc('\n', p->out);
	for (i = 0; i < rows; i++) {
		for (gap = 0; i + gap < rows && !row_count(&a, first + i + gap, shift) && !row_count(&b, first + i + gap, shift); gap++)
			;
		fputs("  ", p->out);
		if (gap >= GAP_LEAST) {
			page_field(p, PAGE_DIM, -lo, p->o->utf8 ? "⋮" : ":");
			putc('\n', p->out);
			i += gap - 1;
			continue;
		}
		page_field(p, PAGE_PLAIN, -lo, page_value(p, text, edge(&both, first + i, shift)));
		page_put(p, PAGE_DIM, " .. ");
		page_field(p, PAGE_PLAIN, -hi, page_value(p, text, edge(&both, first + i + 1, shift)));
		putc(' ', p->out);
		half(p, &a, row_count(&a, first + i, shift), most, columns, !row_count(&b, first + i, shift));
		putc(' ', p->out);
		half(p, &b, row_count(&b, first + i, shift), most, columns, true);
		putc('\n', p->out);
	}
	snapshot_total_free(&a);
	snapshot_total_free(&b);
}

/* ---- strips ---- */

struct bars_axis bars_axis(const struct snapshot_total *all, int room)
{
	struct bars_axis axis = { 0 };

	if (room < STRIP_LEAST)
		return axis;
	axis.columns = room < STRIP_MOST ? room : STRIP_MOST;
	axis.shift = grouping(all, axis.columns);
	axis.first = all->first >> axis.shift;
	axis.columns = ((all->first + all->count - 1) >> axis.shift) - axis.first + 1;
	return axis;
}

static const char *const heights[2][9] = {
	{ " ", ".", ".", ":", "-", "=", "+", "*", "#" },
	{ " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" },
};

void bars_strip(const struct page *p, const struct snapshot_total *t, const struct bars_axis *axis)
{
	char text[STRIP_MOST * 4 + 1], *to = text, *end = text;
	__u64 most = 1, n;
	unsigned int i;

	for (i = 0; i < axis->columns; i++) {
		n = row_count(t, axis->first + i, axis->shift);
		most = n > most ? n : most;
	}
	for (i = 0; i < axis->columns; i++) {
		n = row_count(t, axis->first + i, axis->shift);
		to = stpcpy(to, heights[p->o->utf8][n ? 1 + lround(7.0 * n / most) : 0]);
		end = n ? to : end;
	}
	*end = 0;
	page_put(p, PAGE_BAR, "%s", text);
}

void bars_spark(const struct page *p, const double *v, size_t n)
{
	char *text = say_calloc(n * 4 + 1, 1), *to = text, *end = text;
	double most = 0;
	size_t i;

	for (i = 0; i < n; i++)
		most = v[i] > most ? v[i] : most;
	for (i = 0; i < n; i++) {
		to = stpcpy(to, heights[p->o->utf8][isnan(v[i]) ? 0 : most > 0 ? 1 + lround(7 * v[i] / most) : 1]);
		end = isnan(v[i]) ? end : to;
	}
	*end = 0;
	page_put(p, PAGE_BAR, "%s", text);
	free(text);
}

void bars_ends(const struct page *p, const struct snapshot_total *all, const struct bars_axis *axis)
{
	char lo[UNITS_TEXT], hi[UNITS_TEXT];
	int left = axis->columns;

	page_value(p, lo, edge(all, axis->first, axis->shift));
	page_value(p, hi, edge(all, axis->first + axis->columns, axis->shift));
	left -= units_columns(lo) + units_columns(hi);
	if (left > 0)
		page_put(p, PAGE_DIM, "  %s%*s%s", lo, left, "", hi);
}
