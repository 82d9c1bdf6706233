// SPDX-License-Identifier: GPL-2.0
/*
 * show_table.c: the text form of `watch` and `profile`: a line a function, the most of it first.
 *
 * Of `watch`, and of `profile` without times, the most hits; with times, the most time.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include "show_private.h"

static bool is_timed(const struct kstats_snapshot *h)
{
	return h->form == KSTATS_PROFILE && h->kind != KSTATS_COUNTS;
}

bool ks_show_has_table(const struct kstats_snapshot *h)
{
	return h->form != KSTATS_HISTOGRAMS;
}

/* ---- numbers of more than a word ---- */

static void show_big(struct seq_file *m, kstats_u128 a, int width)
{
	u64 low;

	if (a <= U64_MAX) {
		seq_printf(m, " %*llu", width, (u64)a);
		return;
	}
	low = kstats_divide(&a, 10000000000000000000ULL);
	seq_printf(m, " %*llu%019llu", max(width - 19, 1), (u64)a, low);
}

/* ---- rows ---- */

/* Where the function begins that an instruction is in; what is no function's stays. */
static u64 function_of(u64 address)
{
	char text[KSYM_SYMBOL_LEN], *plus;

	sprint_symbol(text, address);
	plus = strstr(text, "+0x");
	return plus ? address - simple_strtoul(plus + 1, NULL, 16) : address;
}

static int by_key(const void *a, const void *b, const void *priv)
{
	const struct ks_row *p = a, *q = b;
	const struct kstats_snapshot *h = priv;
	u32 i;

	for (i = 0; i < h->by_words; i++)
		if (p->part->key[i] != q->part->key[i])
			return p->part->key[i] < q->part->key[i] ? -1 : 1;
	return 0;
}

static int by_most(const void *a, const void *b, const void *priv)
{
	const struct ks_row *p = a, *q = b;
	const struct kstats_snapshot *h = priv;
	u64 x = is_timed(h) ? p->sum : p->n, y = is_timed(h) ? q->sum : q->n;

	if (x != y)
		return x < y ? 1 : -1;
	return by_key(a, b, priv);
}

static void fill_row(const struct kstats_snapshot *h, struct kstats_snapshot_part *part, struct ks_row *row)
{
	struct kstats_snapshot_run *run = NULL;
	u32 i;

	row->part = part;
	row->squares = (kstats_u128)part->squares[1] << 64 | part->squares[0];
	while ((run = ks_show_next_run(h, part, run)))
		for (i = 0; i < run->count; i++) {
			row->n += run->slot[i].n;
			row->sum += run->slot[i].sum;
		}
}

/* Rows of one key become one. */
static void merge(struct ks_text *x)
{
	u32 i, kept = 0;

	for (i = 1; i < x->nrows; i++) {
		struct ks_row *to = &x->rows[kept], *from = &x->rows[i];

		if (by_key(to, from, x->h)) {
			x->rows[++kept] = *from;
			continue;
		}
		to->n += from->n;
		to->sum += from->sum;
		to->squares += from->squares;
	}
	if (x->nrows)
		x->nrows = kept + 1;
}

int ks_show_make_table(struct ks_text *x)
{
	struct kstats_snapshot *h = x->h;
	struct kstats_snapshot_part *part = ks_show_first(h);
	u32 i;

	x->rows = kvcalloc(h->parts, sizeof(*x->rows), GFP_KERNEL);
	if (h->parts && !x->rows)
		return -ENOMEM;
	for (i = 0; i < h->parts; i++, part = (void *)part + part->bytes) {
		if (h->nby && h->by[0].type == KSTATS_BY_FUNCTION)
			part->key[0] = function_of(part->key[0]);
		fill_row(h, part, &x->rows[i]);
		cond_resched();
	}
	x->nrows = h->parts;
	sort_r(x->rows, x->nrows, sizeof(*x->rows), by_key, NULL, h);
	merge(x);
	sort_r(x->rows, x->nrows, sizeof(*x->rows), by_most, NULL, h);
	x->table_lines = x->nrows + 2;
	return 0;
}

/* ---- lines ---- */

/* Of the line "watch ACCESS BYTES TEXT" of the copy: its ACCESS and its TEXT. */
static void show_watched(struct seq_file *m, const struct kstats_snapshot *h)
{
	const char *text = (const char *)h + h->header_bytes, *end = text + h->text_bytes, *line = strnstr(text, "\nwatch ", end - text);
	const char *eol, *blank;
	int access;

	line = line ? line + 7 : NULL;
	eol = line ? memchr(line, '\n', end - line) : NULL;
	blank = eol ? memchr(line, ' ', eol - line) : NULL;
	if (!blank) {
		seq_printf(m, "%-11s %-24s", "-", h->name);
		return;
	}
	access = blank - line;
	line = memchr(blank + 1, ' ', eol - blank - 1);
	line = line ? line + 1 : blank + 1;
	seq_printf(m, "%-11.*s %-24.*s", access, blank - access, (int)(eol - line), line);
}

static void show_titles(struct seq_file *m, const struct kstats_snapshot *h)
{
	u32 i;

	if (h->form == KSTATS_WATCH)
		seq_printf(m, "%-11s %-24s", "Access_Type", "Symbol_name");
	for (i = 0; i < h->nby; i++) {
		if (i || h->form == KSTATS_WATCH)
			seq_putc(m, ' ');
		seq_printf(m, i ? "%-16s" : "%-32s", i ? h->by[i].text : "Function");
	}
	if (h->form == KSTATS_WATCH)
		seq_printf(m, " %12s\n", "Counter");
	else if (!is_timed(h))
		seq_printf(m, " %12s\n", "Hit");
	else
		seq_printf(m, " %12s %16s %14s %20s\n", "Hit", "Time", "Avg", "s^2");
}

static void show_row(struct seq_file *m, const struct ks_text *x, const struct ks_row *row)
{
	const u64 *word = row->part->key;
	u32 i;

	if (x->h->form == KSTATS_WATCH)
		show_watched(m, x->h);
	for (i = 0; i < x->h->nby; word += x->h->by[i++].words) {
		size_t from, width = i ? 16 : 32;

		if (i || x->h->form == KSTATS_WATCH)
			seq_putc(m, ' ');
		from = m->count;
		ks_show_word(m, x, i, word);
		while (m->count < m->size && m->count < from + width)
			seq_putc(m, ' ');
	}
	seq_printf(m, " %12llu", row->n);
	if (is_timed(x->h)) {
		seq_printf(m, " %16llu %14llu", row->sum, div64_u64(row->sum, max_t(u64, row->n, 1)));
		show_big(m, kstats_variance(row->n, row->sum, row->squares), 20);
	}
	seq_putc(m, '\n');
}

void ks_show_table(struct seq_file *m, const struct ks_text *x, u32 line)
{
	if (!line) {
		ks_show_head(m, x->h);
		show_titles(m, x->h);
	} else if (line <= x->nrows) {
		show_row(m, x, &x->rows[line - 1]);
	} else {
		seq_printf(m, "overrun %llu\n", x->h->term[KSTATS_FULL]);
	}
}
