// SPDX-License-Identifier: GPL-2.0
/*
 * groups.c: a line a key: its figures, or its hits; stacks below their line.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console/bars.h"
#include "console/groups.h"
#include "console/say.h"
#include "runtime/container.h"

/* ---- which lines ---- */

enum { LINES_DEFAULT = 20 };

/* The script's own wish, `top N`; 0: none. */
static size_t wish(const struct page *p)
{
	char *value = snapshot_value(p->s, "top");
	size_t n = value ? strtoul(value, NULL, 10) : 0;

	free(value);
	return n;
}

/* How many of @n lines are shown: --top and the script's `top` both limit it. */
size_t groups_limit(const struct page *p, size_t n)
{
	size_t own = wish(p), most = p->o->top ? p->o->top : own ? own : LINES_DEFAULT;

	if (own && own < most)
		most = own;
	return n < most ? n : most;
}

/* Below the table: what it does not show. */
void groups_print_rest(const struct page *p, size_t shown, size_t n, __u64 rest, const char *what)
{
	const char *dots = p->o->utf8 ? "…" : "...";
	size_t own = wish(p);
	char buf[UNITS_TEXT];

	if (n == shown)
		return;
	units_count(buf, rest);
	if (own && own <= shown)
		page_put(p, PAGE_DIM, "  %s %zu more, %s %s (the script says `top %zu`)\n", dots, n - shown, buf, what,
			 own);
	else
		page_put(p, PAGE_DIM, "  %s %zu more, %s %s (--top %zu shows all)\n", dots, n - shown, buf, what, n);
}

static void print_rest(const struct page *p, const struct figures *f, size_t shown, size_t n, const char *what)
{
	__u64 rest = 0;
	size_t i;

	for (i = shown; i < n; i++)
		rest += f[i].total.n;
	groups_print_rest(p, shown, n, rest, what);
}

static int compare_words(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

/* Of a pattern: how many of its matches are in no line at all. */
static void print_silent(const struct page *p, const struct figures *f, size_t n, const char *what)
{
	size_t matches = keys_matches(p->keys), heard = 0, i;
	__u64 *word;

	if (!matches || p->s->head.by[0].type != KSTATS_BY_POINT)
		return;
	word = say_calloc(n, sizeof(*word));
	for (i = 0; i < n; i++)
		word[i] = f[i].part->key[0];
	qsort(word, n, sizeof(*word), compare_words);
	for (i = 0; i < n; i++)
		heard += !i || word[i] != word[i - 1];
	free(word);
	if (heard < matches)
		page_put(p, PAGE_DIM, "  %zu of %zu matches had no %s\n", matches - heard, matches, what);
}

/* ---- keys, in columns ---- */

struct keyed {
	char *(*key)[KSTATS_BY_MAX];	/* a row a line; NULL: a stack, which has no column */
	size_t n;
	int width[KSTATS_BY_MAX];
};

static bool stacked(const struct page *p, unsigned int i)
{
	return p->s->head.by[i].type == KSTATS_BY_STACK;
}

#define PATH_COLUMNS	48

/* A cgroup's path for a terminal: ids of containers by their first digits, and of what is then still long the end, from a slash on. */
static char *short_path(const char *path)
{
	char *text = say_calloc(strlen(path) + 3, 1), *to = text, *tail;
	size_t n;

	for (; *path; path += n) {
		n = strspn(path, "0123456789abcdef");
		if (n == KSTATS_CONTAINER_ID) {
			to += sprintf(to, "%.12s", path);
		} else {
			n += !n;
			to = mempcpy(to, path, n);
		}
	}
	*to = 0;
	if (to - text <= PATH_COLUMNS)
		return text;
	for (tail = to - PATH_COLUMNS; *tail && *tail != '/'; tail++)
		;
	if (!*tail)
		tail = strrchr(text, '/');
	if (tail > text + 2) {
		memmove(text + 2, tail, strlen(tail) + 1);
		memcpy(text, "..", 2);
	}
	return text;
}

/* But for those that would then read alike. */
static void shorten(struct keyed *k, unsigned int i)
{
	char **brief = say_calloc(k->n, sizeof(*brief));
	size_t row, other;

	for (row = 0; row < k->n; row++)
		brief[row] = short_path(k->key[row][i]);
	for (row = 0; row < k->n; row++) {
		for (other = 0; other < k->n; other++)
			if (other != row && !strcmp(brief[row], brief[other]))
				break;
		if (other == k->n) {
			char *whole = k->key[row][i];

			k->key[row][i] = say_strdup(brief[row]);
			free(whole);
		}
	}
	for (row = 0; row < k->n; row++)
		free(brief[row]);
	free(brief);
}

static void fill_keys(const struct page *p, struct keyed *k, const struct figures *f, size_t n)
{
	char heading[KEYS_HEADING];
	unsigned int i;
	size_t row;

	k->n = n;
	k->key = say_calloc(n, sizeof(*k->key));
	for (i = 0; i < p->s->head.nby; i++) {
		if (stacked(p, i))
			continue;
		k->width[i] = page_widest(0, keys_heading(p->s, i, heading));
		for (row = 0; row < n; row++)
			k->key[row][i] = keys_text(p->keys, f[row].part, i);
		if (p->o->fold && p->s->head.by[i].type == KSTATS_BY_CGROUP)
			shorten(k, i);
		for (row = 0; row < n; row++)
			k->width[i] = page_widest(k->width[i], k->key[row][i]);
	}
}

static void free_keys(struct keyed *k)
{
	unsigned int i;

	while (k->n--)
		for (i = 0; i < KSTATS_BY_MAX; i++)
			free(k->key[k->n][i]);
	free(k->key);
}

/* Columns that print_keys takes. */
static int keys_columns(const struct page *p, const struct keyed *k)
{
	int width = 0;
	unsigned int i;

	for (i = 0; i < p->s->head.nby; i++)
		width += stacked(p, i) ? 0 : k->width[i] + 2;
	return width;
}

/* The keys of a row, or with @row NULL what they are. Last: nothing follows on the line. */
static void print_keys(const struct page *p, const struct keyed *k, char *const *row, bool last)
{
	unsigned int i, end = p->s->head.nby;
	char heading[KEYS_HEADING];

	while (last && end && stacked(p, end - 1))
		end--;
	for (i = 0; i < end; i++) {
		const char *text = row ? row[i] : keys_heading(p->s, i, heading);
		bool worded = keys_worded(p->s, i);

		if (stacked(p, i))
			continue;
		fputs(last ? "  " : "", p->out);
		if (worded && last && i == end - 1)	/* no blanks at the end of the line */
			page_put(p, row ? PAGE_BOLD : PAGE_DIM, "%s", text);
		else
			page_field(p, row ? PAGE_BOLD : PAGE_DIM, worded ? k->width[i] : -k->width[i], text);
		fputs(last ? "" : "  ", p->out);
	}
}

void groups_print_stacks(const struct page *p, const struct snapshot_part *part, int indent)
{
	unsigned int i, frame, frames;
	char *name;

	for (i = 0; i < p->s->head.nby; i++) {
		if (!stacked(p, i))
			continue;
		frames = keys_frames(p->s, part, i);
		for (frame = 0; frame < frames; frame++) {
			name = keys_frame(p->s, part, i, frame);
			if (name)
				page_put(p, PAGE_PLAIN, "%*s%s\n", indent, "", name);
			else
				page_put(p, PAGE_PLAIN, "%*s0x%" PRIx64 "\n", indent, "",
					 (uint64_t)keys_words(p->s, part, i)[frame]);
			free(name);
		}
		if (!frames)
			page_put(p, PAGE_DIM, "%*s(no stack)\n", indent, "");
	}
}

/* ---- durations and values ---- */

enum column { COUNT, SHARE, MEAN, P50, P99, MAX, COLUMNS };

static const char *const labels[COLUMNS] = { "count", "share", "mean", "p50", "p99", "max" };

/* The table: its rows, the width of each column, and the part of the axis that the strips show. */
struct table {
	struct keyed keys;
	char (*cell)[COLUMNS][UNITS_TEXT];
	int width[COLUMNS];
	const char *left_out[COLUMNS];
	struct bars_axis axis;
};

static void fill_row(const struct page *p, char (*cell)[UNITS_TEXT], const struct figures *f, const struct figures *all)
{
	bool by_count = p->o->order == FIGURES_BY_COUNT || isnan(all->mean) || !all->total.sum;

	units_count(cell[COUNT], f->total.n);
	units_share(cell[SHARE], by_count ? (double)f->total.n / all->total.n
					  : (double)f->total.sum / (double)all->total.sum);
	page_mean(p, cell[MEAN], f);
	page_value(p, cell[P50], f->quantile[0].value);
	page_value(p, cell[P99], f->quantile[2].value);
	page_bound(p, cell[MAX], &f->max, true);
}

/*
 * On a terminal that is too narrow, the columns that others say something of too: their width is 0 then. What is still too wide
 * is folded.
 */
static int leave_out(const struct page *p, struct table *t, int width)
{
	static const enum column dispensable[] = { SHARE, MEAN, P50 };
	size_t i;

	for (i = 0; p->o->fold && i < sizeof(dispensable) / sizeof(*dispensable) && width - 2 > p->o->width; i++) {
		width -= t->width[dispensable[i]] + 2;
		t->width[dispensable[i]] = 0;
		t->left_out[i] = labels[dispensable[i]];
	}
	return width;
}

static void fill_table(const struct page *p, struct table *t, const struct figures *f, size_t n,
		       const struct figures *all)
{
	int width, i;
	size_t row;

	fill_keys(p, &t->keys, f, n);
	t->cell = say_calloc(n, sizeof(*t->cell));
	for (i = 0; i < COLUMNS; i++)
		t->width[i] = page_widest(0, labels[i]);
	for (row = 0; row < n; row++) {
		fill_row(p, t->cell[row], &f[row], all);
		for (i = 0; i < COLUMNS; i++)
			t->width[i] = page_widest(t->width[i], t->cell[row][i]);
	}
	width = 2 + keys_columns(p, &t->keys);
	for (i = 0; i < COLUMNS; i++)
		width += t->width[i] + 2;
	width = leave_out(p, t, width);
	t->axis = bars_axis(&all->total, p->o->width - width);
}

static void print_row(const struct page *p, const struct table *t, size_t row, const struct figures *f)
{
	unsigned int i;

	fputs("  ", p->out);
	print_keys(p, &t->keys, t->keys.key[row], false);
	for (i = 0; i < COLUMNS; i++) {
		if (!t->width[i])
			continue;
		fputs(i ? "  " : "", p->out);
		page_field(p, PAGE_PLAIN, -t->width[i], t->cell[row][i]);
	}
	if (t->axis.columns) {
		fputs("  ", p->out);
		bars_strip(p, &f->total, &t->axis);
	}
	putc('\n', p->out);
	groups_print_stacks(p, f->part, 6);
}

void groups_print(const struct page *p, const struct figures *all)
{
	struct table t = { 0 };
	struct figures *f;
	size_t n, shown, row;
	unsigned int i;

	f = figures_of_parts(p->s, p->o->order, &n);
	shown = groups_limit(p, n);
	fill_table(p, &t, f, shown, all);

	fputs("\n  ", p->out);
	print_keys(p, &t.keys, NULL, false);
	for (i = 0; i < COLUMNS; i++) {
		if (!t.width[i])
			continue;
		fputs(i ? "  " : "", p->out);
		page_field(p, PAGE_DIM, -t.width[i], labels[i]);
	}
	if (t.axis.columns)
		bars_ends(p, &all->total, &t.axis);
	putc('\n', p->out);
	for (row = 0; row < shown; row++)
		print_row(p, &t, row, &f[row]);
	if (t.left_out[0])
		page_put(p, PAGE_DIM, "  a wider terminal shows %s%s%s%s%s\n", t.left_out[0], t.left_out[1] ? ", " : "",
			 t.left_out[1] ? t.left_out[1] : "", t.left_out[2] ? ", " : "", t.left_out[2] ? t.left_out[2] : "");
	print_rest(p, f, shown, n, "samples");
	print_silent(p, f, n, "samples");

	free(t.cell);
	free_keys(&t.keys);
	figures_free_all(f, n);
}

/* ---- counts ---- */

enum { HITS, PART, RATE, COUNTS };

static const char *const count_labels[COUNTS] = { "hits", "share", "rate" };

/* The narrowest that they are, so that short tables look alike. */
static const int count_widths[COUNTS] = { 8, 5, 7 };

static void fill_counts(const struct page *p, char (*cell)[UNITS_TEXT], __u64 n, __u64 all)
{
	char rate[UNITS_TEXT];

	units_count(cell[HITS], n);
	units_share(cell[PART], (double)n / all);
	if (p->s->head.armed_ns)
		snprintf(cell[RATE], UNITS_TEXT, "%.50s/s", units_short(rate, n * 1e9 / p->s->head.armed_ns));
	else
		strcpy(cell[RATE], "-");
}

void groups_print_counts(const struct page *p, __u64 all)
{
	char (*cell)[COUNTS][UNITS_TEXT];
	struct keyed keys = { 0 };
	int width[COUNTS], i;
	struct figures *f;
	size_t n, shown, row;

	f = figures_of_parts(p->s, FIGURES_BY_COUNT, &n);
	shown = groups_limit(p, n);
	fill_keys(p, &keys, f, shown);
	cell = say_calloc(shown, sizeof(*cell));
	memcpy(width, count_widths, sizeof(width));
	for (row = 0; row < shown; row++) {
		fill_counts(p, cell[row], f[row].total.n, all);
		for (i = 0; i < COUNTS; i++)
			width[i] = page_widest(width[i], cell[row][i]);
	}

	putc('\n', p->out);
	for (i = 0; i < COUNTS; i++) {
		fputs("  ", p->out);
		page_field(p, PAGE_DIM, -width[i], count_labels[i]);
	}
	print_keys(p, &keys, NULL, true);
	putc('\n', p->out);
	for (row = 0; row < shown; row++) {
		for (i = 0; i < COUNTS; i++) {
			fputs("  ", p->out);
			page_field(p, PAGE_PLAIN, -width[i], cell[row][i]);
		}
		print_keys(p, &keys, keys.key[row], true);
		putc('\n', p->out);
		groups_print_stacks(p, f[row].part, 2 + width[HITS] + 2);
	}
	print_rest(p, f, shown, n, "hits");
	print_silent(p, f, n, "hits");

	free(cell);
	free_keys(&keys);
	figures_free_all(f, n);
}
