// SPDX-License-Identifier: GPL-2.0
/*
 * tables.c: the tables of `watch` and `profile`, with the columns that the kernel's own tracers of these names had.
 */
#include <stdlib.h>
#include <string.h>

#include "console/figures.h"
#include "console/groups.h"
#include "console/say.h"
#include "console/tables.h"
#include "runtime/variance.h"

bool tables_has(const struct snapshot *s)
{
	return s->head.form != KSTATS_HISTOGRAMS;
}

void tables_sum(const struct snapshot_part *part, struct tables_sum *out)
{
	unsigned int i, j;

	*out = (struct tables_sum){ 0 };
	for (i = 0; i < part->nruns; i++)
		for (j = 0; j < part->runs[i].count; j++) {
			out->n += part->runs[i].slot[j].n;
			out->sum += part->runs[i].slot[j].sum;
		}
	if (part->squares)
		out->variance = (double)kstats_variance(out->n, out->sum, part->squares);
}

/* ---- columns ---- */

enum { COLUMNS_MOST = 2 + KSTATS_BY_MAX + 6 };

struct row {
	const struct snapshot_part *part;
	struct tables_sum sum;
	double order;
	char *cell[COLUMNS_MOST];
};

struct table {
	const struct page *p;
	struct row *row;
	size_t rows, shown;
	unsigned int columns;
	const char *title[COLUMNS_MOST];
	char heading[KSTATS_BY_MAX][KEYS_HEADING];
	bool right[COLUMNS_MOST];	/* aligned so */
	int width[COLUMNS_MOST];
	bool timed, histograms;
	char *access, *watched;
};

static void add_column(struct table *t, const char *title, bool right)
{
	t->title[t->columns] = title;
	t->right[t->columns] = right;
	t->width[t->columns++] = page_widest(0, title);
}

static void choose_columns(struct table *t)
{
	const struct kstats_snapshot *h = &t->p->s->head;
	unsigned int i;

	if (h->form == KSTATS_WATCH) {
		add_column(t, "Access_Type", false);
		add_column(t, "Symbol_name", false);
	}
	for (i = 0; i < h->nby; i++)
		if (h->by[i].type != KSTATS_BY_STACK)	/* those stand below the line */
			add_column(t, i ? keys_heading(t->p->s, i, t->heading[i]) : "Function", i && !keys_worded(t->p->s, i));
	add_column(t, h->form == KSTATS_WATCH ? "Counter" : "Hit", true);
	if (!t->timed)
		return;
	add_column(t, "Time", true);
	add_column(t, "Avg", true);
	add_column(t, "s^2", true);
	if (t->histograms) {
		add_column(t, "p50", true);
		add_column(t, "p99", true);
	}
}

/* Nanoseconds are squared as microseconds, as the function profiler did. */
static char *variance_text(const struct page *p, double variance)
{
	bool ns = p->unit && !strcmp(p->unit, "ns");

	if (ns)
		return say_text("%.4g %s", variance / 1e6, p->o->utf8 ? "µs²" : "us^2");
	return say_text("%.4g", variance);
}

static void fill_row(struct table *t, struct row *row)
{
	const struct page *p = t->p;
	char buf[UNITS_TEXT];
	unsigned int i, column = 0;
	struct figures f;

	if (p->s->head.form == KSTATS_WATCH) {
		row->cell[column++] = say_strdup(t->access);
		row->cell[column++] = say_strdup(t->watched);
	}
	for (i = 0; i < p->s->head.nby; i++)
		if (p->s->head.by[i].type != KSTATS_BY_STACK)
			row->cell[column++] = keys_text(p->keys, row->part, i);
	row->cell[column++] = say_strdup(units_count(buf, row->sum.n));
	if (t->timed) {
		row->cell[column++] = say_strdup(page_value(p, buf, row->sum.sum));
		row->cell[column++] = say_strdup(page_value(p, buf, (double)row->sum.sum / row->sum.n));
		row->cell[column++] = variance_text(p, row->sum.variance);
	}
	if (t->timed && t->histograms) {
		figures_of(p->s, row->part, &f);
		row->cell[column++] = say_strdup(page_value(p, buf, f.quantile[0].value));
		row->cell[column++] = say_strdup(page_value(p, buf, f.quantile[2].value));
		figures_free(&f);
	}
	for (i = 0; i < t->columns; i++)
		t->width[i] = page_widest(t->width[i], row->cell[i]);
}

/* ---- rows ---- */

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? 1 : -1;
	return x->part < y->part ? -1 : x->part > y->part;
}

static void choose_rows(struct table *t)
{
	const struct snapshot *s = t->p->s;
	enum figures_order order = t->timed ? t->p->o->order : FIGURES_BY_COUNT;
	unsigned int i;

	t->row = say_calloc(s->nparts, sizeof(*t->row));
	for (i = 0; i < s->nparts; i++) {
		struct row *row = &t->row[t->rows];

		row->part = &s->parts[i];
		tables_sum(row->part, &row->sum);
		if (!row->sum.n)
			continue;
		row->order = order == FIGURES_BY_COUNT ? row->sum.n : order == FIGURES_BY_MEAN ? (double)row->sum.sum / row->sum.n :
			     row->sum.sum;
		t->rows++;
	}
	qsort(t->row, t->rows, sizeof(*t->row), compare);
	t->shown = groups_limit(t->p, t->rows);
}

/* "watch ACCESS BYTES TEXT": of a variable that took several breakpoints there are several, which begin alike. */
static void find_watched(struct table *t)
{
	char *line = snapshot_value(t->p->s, "watch"), *bytes = line ? strchr(line, ' ') : NULL, *text = bytes ? strchr(bytes + 1, ' ') : NULL;

	t->access = text ? say_text("%.*s", (int)(bytes - line), line) : say_strdup("-");
	t->watched = say_strdup(text ? text + 1 : t->p->s->head.name);
	free(line);
}

static void print_line(const struct table *t, char *const *cell)
{
	unsigned int i, last = t->columns - 1;

	for (i = 0; i < t->columns; i++) {
		enum page_look look = !cell ? PAGE_DIM : t->right[i] ? PAGE_PLAIN : PAGE_BOLD;
		const char *text = cell ? cell[i] : t->title[i];

		fputs("  ", t->p->out);
		if (i == last && !t->right[i])
			page_put(t->p, look, "%s", text);
		else
			page_field(t->p, look, t->right[i] ? -t->width[i] : t->width[i], text);
	}
	putc('\n', t->p->out);
}

void tables_print(const struct page *p)
{
	struct table t = {
		.p = p, .timed = p->s->head.kind != KSTATS_COUNTS, .histograms = p->s->head.slots > 1,
	};
	__u64 rest = 0;
	size_t i;
	unsigned int c;

	find_watched(&t);
	choose_columns(&t);
	choose_rows(&t);
	for (i = 0; i < t.shown; i++)
		fill_row(&t, &t.row[i]);
	putc('\n', p->out);
	print_line(&t, NULL);
	for (i = 0; i < t.shown; i++) {
		print_line(&t, t.row[i].cell);
		groups_print_stacks(p, t.row[i].part, 6);
		for (c = 0; c < t.columns; c++)
			free(t.row[i].cell[c]);
	}
	for (; i < t.rows; i++)
		rest += t.row[i].sum.n;
	groups_print_rest(p, t.shown, t.rows, rest, "hits");
	page_put(p, PAGE_DIM, "  overrun %s\n", units_count((char[UNITS_TEXT]){ 0 }, p->s->head.term[KSTATS_FULL]));
	free(t.row);
	free(t.access);
	free(t.watched);
}
