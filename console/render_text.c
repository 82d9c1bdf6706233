// SPDX-License-Identifier: GPL-2.0
/*
 * render_text.c: the report that people read in a terminal.
 *
 * A measurement is: its name and statement, what it hangs on, a grid of figures, bars (of all its parts together), with
 * `by` a table of the groups, under -v one of the CPUs, and the accounting with a sentence for every kind of loss.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "console/render.h"
#include "console/say.h"
#include "console/units.h"

/* What every function here needs. */
struct page {
	FILE *out;
	const struct render_options *o;
	const struct snapshot *s;
	char *unit;		/* of this measurement, NULL: none */
};

enum look { PLAIN, BOLD, DIM, BAR, ALARM };

static void put(const struct page *p, enum look look, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void put(const struct page *p, enum look look, const char *format, ...)
{
	static const char *const on[] = { "", "\033[1m", "\033[2m", "\033[36m", "\033[1;31m" };
	bool color = p->o->color && look != PLAIN;
	char *text = NULL, *body;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return;
	body = text;
	if (*body == '\n')	/* colours begin and end within the line */
		putc(*body++, p->out), n--;
	if (n && body[n - 1] == '\n')
		body[--n] = 0;
	else
		n = -1;
	fprintf(p->out, "%s%s%s%s", color ? on[look] : "", body, color ? "\033[0m" : "", n < 0 ? "" : "\n");
	free(text);
}

/* Text in a field of @width columns: on its left, or on its right when width is negative. */
static void field(const struct page *p, enum look look, int width, const char *text)
{
	int pad = abs(width) - units_columns(text);

	if (pad < 0)
		pad = 0;
	if (width < 0)
		put(p, look, "%*s%s", pad, "", text);
	else
		put(p, look, "%s%*s", text, pad, "");
}

static int widest(int width, const char *text)
{
	int w = units_columns(text);

	return w > width ? w : width;
}

static char *value(const struct page *p, char *buf, double v)
{
	return units_value(buf, v, p->unit, p->o->utf8);
}

/* A largest (smallest) sample: the number, or how far it may go. */
static char *bound(const struct page *p, char *buf, const struct figures_bound *b, bool largest)
{
	char text[UNITS_TEXT];

	value(p, text, largest ? b->hi : b->lo);
	snprintf(buf, UNITS_TEXT, "%s%.50s", b->lo == b->hi ? "" :
		 p->o->utf8 ? (largest ? "≤" : "≥") : (largest ? "<=" : ">="), text);
	return buf;
}

static char *mean(const struct page *p, char *buf, const struct figures *f)
{
	if (isnan(f->mean))	/* the sums wrapped: all that is left are bounds, and they may be far apart */
		return strcpy(buf, "unknown");
	return value(p, buf, f->mean);
}

/* ---- what it is ---- */

static void header(const struct page *p)
{
	char *statement = snapshot_value(p->s, "statement"), *key = snapshot_value(p->s, "key");
	const char *at = NULL, *line;
	size_t length;

	put(p, BOLD, "%s", p->s->head.name);
	if (p->s->head.state == KSTATS_STOPPED_STATE)
		put(p, ALARM, "  (stopped)");
	putc('\n', p->out);
	if (statement)
		put(p, DIM, "  %s\n", statement);
	while ((line = snapshot_line(p->s, "point", &at, &length))) {
		size_t word = snapshot_first_word(line, length);

		if (word < length)
			put(p, DIM, "  %.*s by %.*s\n", (int)word, line, (int)(length - word - 1), line + word + 1);
		else
			put(p, DIM, "  %.*s\n", (int)length, line);
	}
	if (key)
		put(p, DIM, "  paired by %s\n", !strcmp(key, "task") ? "the current task" : key);
	free(statement);
	free(key);
}

/* Under -v: the lines of the kernel's text that have no place of their own above. */
static void details(const struct page *p)
{
	static const char *const shown[] = { "statement ", "point ", "key ", "unit " };
	const char *line = p->s->text;
	char memory[UNITS_TEXT];
	size_t i, length;

	for (; *line; line += length + (line[length] == '\n')) {
		length = strcspn(line, "\n");
		for (i = 0; i < sizeof(shown) / sizeof(*shown); i++)
			if (!strncmp(line, shown[i], strlen(shown[i])))
				break;
		if (length && i == sizeof(shown) / sizeof(*shown))
			put(p, DIM, "  %.*s\n", (int)length, line);
	}
	put(p, DIM, "  bits %u, %s bytes of kernel memory, %u CPUs\n", p->s->head.bits,
	    units_count(memory, p->s->head.memory), p->s->head.cpus);
}

/* ---- the grid of figures: two rows of five, a figure a line where a terminal is too narrow ---- */

enum { GRID_COLUMNS = FIGURES_QUANTILES, GRID_ROWS = 2, GRID_GAP = 3 };

struct grid {
	const char *label[GRID_ROWS][GRID_COLUMNS];
	char cell[GRID_ROWS][GRID_COLUMNS][UNITS_TEXT];
	int labels[GRID_COLUMNS], cells[GRID_COLUMNS];
};

static void fill_grid(const struct page *p, const struct figures *f, struct grid *g)
{
	static const char *const first[] = { "count", "rate", "mean", "min", "max" };
	char rate[UNITS_TEXT];
	int i;

	units_count(g->cell[0][0], f->total.n);
	if (p->s->head.armed_ns)
		snprintf(g->cell[0][1], UNITS_TEXT, "%.50s/s",
			 units_short(rate, f->total.n * 1e9 / p->s->head.armed_ns));
	else
		strcpy(g->cell[0][1], "-");
	mean(p, g->cell[0][2], f);
	bound(p, g->cell[0][3], &f->min, false);
	bound(p, g->cell[0][4], &f->max, true);
	for (i = 0; i < GRID_COLUMNS; i++) {
		g->label[0][i] = first[i];
		g->label[1][i] = quantile_points[i].name;
		value(p, g->cell[1][i], f->quantile[i].value);
		g->labels[i] = widest(widest(0, g->label[0][i]), g->label[1][i]);
		g->cells[i] = widest(widest(0, g->cell[0][i]), g->cell[1][i]);
	}
}

static void grid(const struct page *p, const struct figures *f)
{
	struct grid g = { 0 };
	int width = 2, gap = GRID_GAP, i, j;
	bool narrow;

	fill_grid(p, f, &g);
	for (j = 0; j < GRID_COLUMNS; j++)
		width += g.labels[j] + 1 + g.cells[j];
	while (gap > 1 && width + (GRID_COLUMNS - 1) * gap > p->o->width)
		gap--;
	narrow = width + (GRID_COLUMNS - 1) * gap > p->o->width;

	putc('\n', p->out);
	for (i = 0; i < GRID_ROWS; i++) {
		for (j = 0; j < GRID_COLUMNS; j++) {
			fprintf(p->out, "%*s", j && !narrow ? gap : 2, "");
			field(p, DIM, narrow ? 7 : g.labels[j], g.label[i][j]);
			putc(' ', p->out);
			field(p, PLAIN, narrow ? -16 : -g.cells[j], g.cell[i][j]);
			if (narrow || j == GRID_COLUMNS - 1)
				putc('\n', p->out);
		}
	}
}

/* ---- bars ---- */

/* Slots are grouped by 2^shift into at most this many rows. */
enum { ROWS_MOST = 24, GAP_LEAST = 3, STRIP_LEAST = 8, STRIP_MOST = 24 };

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
	put(p, BAR, "%s", text);
	free(text);
}

struct row {
	char lo[UNITS_TEXT], hi[UNITS_TEXT], count[UNITS_TEXT], share[UNITS_TEXT];
	__u64 n;
	bool one;	/* a single value, not a range */
};

static void bars(const struct page *p, const struct snapshot_total *t)
{
	unsigned int shift = grouping(t, ROWS_MOST), first = t->first >> shift, i, gap;
	unsigned int rows = ((t->first + t->count - 1) >> shift) - first + 1;
	struct row *row = say_calloc(rows, sizeof(*row)), *r;
	int lo = 0, hi = 0, count = 0, share = 0, columns;
	__u64 most = 0;

	for (i = 0; i < rows; i++) {
		double from = edge(t, first + i, shift), to = edge(t, first + i + 1, shift);

		r = &row[i];
		r->n = row_count(t, first + i, shift);
		r->one = to - from == 1;
		value(p, r->lo, from);
		value(p, r->hi, to);
		units_count(r->count, r->n);
		units_share(r->share, (double)r->n / t->n);
		lo = widest(lo, r->lo);
		hi = widest(hi, r->one ? "" : r->hi);
		count = widest(count, r->count);
		share = widest(share, r->share);
		most = r->n > most ? r->n : most;
	}
	columns = p->o->width - (2 + lo + (hi ? 4 + hi : 0) + 3 + count + 2 + share + 2);
	if (columns < 8)
		columns = 8;

	putc('\n', p->out);
	for (i = 0; i < rows; i++) {
		for (gap = 0; i + gap < rows && !row[i + gap].n; gap++)
			;
		if (gap >= GAP_LEAST) {
			fputs("  ", p->out);
			field(p, DIM, -lo, p->o->utf8 ? "⋮" : ":");
			putc('\n', p->out);
			i += gap - 1;
			continue;
		}
		r = &row[i];
		fputs("  ", p->out);
		field(p, PLAIN, -lo, r->lo);
		if (hi) {
			put(p, DIM, "%s", r->one ? "    " : " .. ");
			field(p, PLAIN, -hi, r->one ? "" : r->hi);
		}
		fputs("   ", p->out);
		field(p, PLAIN, -count, r->count);
		fputs("  ", p->out);
		field(p, DIM, -share, r->share);
		if (r->n) {
			fputs("  ", p->out);
			bar(p, (double)r->n / most, columns);
		}
		putc('\n', p->out);
	}
	free(row);
}

/* ---- the groups of a `by` ---- */

/* The shape of a distribution in @columns characters, from row @first of @shift on, the same for all groups. */
static void strip(const struct page *p, const struct snapshot_total *t, unsigned int first, unsigned int shift,
		  unsigned int columns)
{
	static const char *const utf8[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const ascii[] = { " ", ".", ".", ":", "-", "=", "+", "*", "#" };
	char text[STRIP_MOST * 4 + 1], *to = text, *end = text;
	__u64 most = 1, n;
	unsigned int i;

	for (i = 0; i < columns; i++) {
		n = row_count(t, first + i, shift);
		most = n > most ? n : most;
	}
	for (i = 0; i < columns; i++) {
		n = row_count(t, first + i, shift);
		to = stpcpy(to, (p->o->utf8 ? utf8 : ascii)[n ? 1 + lround(7.0 * n / most) : 0]);
		end = n ? to : end;
	}
	*end = 0;
	put(p, BAR, "%s", text);
}

enum column { COUNT, SHARE, MEAN, P50, P99, MAX, GROUP_COLUMNS };

static const char *const group_labels[] = { "count", "share", "mean", "p50", "p99", "max" };

struct group {
	char *key[KSTATS_BY_MAX];
	char cell[GROUP_COLUMNS][UNITS_TEXT];
};

/* The table: its rows, the width of each column, and the part of the axis that the strips show. */
struct table {
	struct group *group;
	size_t n;
	int keys[KSTATS_BY_MAX], cells[GROUP_COLUMNS];
	unsigned int strip, first, shift;	/* columns of a strip (0: no room), its first row, 2^shift slots each */
};

static void fill_group(const struct page *p, struct group *g, const struct figures *f, const struct figures *all)
{
	bool by_count = p->o->order == FIGURES_BY_COUNT || isnan(all->mean) || !all->total.sum;
	unsigned int i;

	for (i = 0; i < p->s->head.nby; i++)
		g->key[i] = figures_one_key(p->s, f->part, i);
	units_count(g->cell[COUNT], f->total.n);
	units_share(g->cell[SHARE], by_count ? (double)f->total.n / all->total.n
					     : (double)f->total.sum / (double)all->total.sum);
	mean(p, g->cell[MEAN], f);
	value(p, g->cell[P50], f->quantile[0].value);
	value(p, g->cell[P99], f->quantile[2].value);
	bound(p, g->cell[MAX], &f->max, true);
}

static void fill_table(const struct page *p, struct table *t, const struct figures *f, const struct figures *all)
{
	int width = 2, i, nby = p->s->head.nby;
	size_t row;

	t->group = say_calloc(t->n, sizeof(*t->group));
	for (i = 0; i < nby; i++)
		t->keys[i] = widest(0, p->s->head.by[i].text);
	for (i = 0; i < GROUP_COLUMNS; i++)
		t->cells[i] = widest(0, group_labels[i]);
	for (row = 0; row < t->n; row++) {
		fill_group(p, &t->group[row], &f[row], all);
		for (i = 0; i < nby; i++)
			t->keys[i] = widest(t->keys[i], t->group[row].key[i]);
		for (i = 0; i < GROUP_COLUMNS; i++)
			t->cells[i] = widest(t->cells[i], t->group[row].cell[i]);
	}

	for (i = 0; i < nby; i++)
		width += t->keys[i] + 2;
	for (i = 0; i < GROUP_COLUMNS; i++)
		width += t->cells[i] + 2;
	if (p->o->width - width >= STRIP_LEAST) {
		t->strip = p->o->width - width < STRIP_MOST ? p->o->width - width : STRIP_MOST;
		t->shift = grouping(&all->total, t->strip);
		t->first = all->total.first >> t->shift;
		t->strip = ((all->total.first + all->total.count - 1) >> t->shift) - t->first + 1;
	}
}

static void print_group(const struct page *p, const struct table *t, const struct group *g, const struct figures *f)
{
	unsigned int i;

	fputs("  ", p->out);
	for (i = 0; i < p->s->head.nby; i++) {
		field(p, BOLD, p->s->head.by[i].type == KSTATS_BY_STRING ? t->keys[i] : -t->keys[i], g->key[i]);
		fputs("  ", p->out);
	}
	for (i = 0; i < GROUP_COLUMNS; i++) {
		fputs(i ? "  " : "", p->out);
		field(p, PLAIN, -t->cells[i], g->cell[i]);
	}
	if (t->strip) {
		fputs("  ", p->out);
		strip(p, &f->total, t->first, t->shift, t->strip);
	}
	putc('\n', p->out);
}

/* Above the strips: where they begin and end, if there is room for both. */
static void axis(const struct page *p, const struct table *t, const struct figures *all)
{
	char lo[UNITS_TEXT], hi[UNITS_TEXT];
	int left = t->strip;

	value(p, lo, edge(&all->total, t->first, t->shift));
	value(p, hi, edge(&all->total, t->first + t->strip, t->shift));
	left -= units_columns(lo) + units_columns(hi);
	if (left > 0)
		put(p, DIM, "  %s%*s%s", lo, left, "", hi);
}

static void groups(const struct page *p, const struct figures *all)
{
	struct table t = { 0 };
	char buf[UNITS_TEXT];
	struct figures *f;
	unsigned int i;
	size_t n, row;
	__u64 rest = 0;

	f = figures_of_parts(p->s, p->o->order, &n);
	t.n = n < p->o->top ? n : p->o->top;
	fill_table(p, &t, f, all);

	fputs("\n  ", p->out);
	for (i = 0; i < p->s->head.nby; i++) {
		field(p, DIM, p->s->head.by[i].type == KSTATS_BY_STRING ? t.keys[i] : -t.keys[i], p->s->head.by[i].text);
		fputs("  ", p->out);
	}
	for (i = 0; i < GROUP_COLUMNS; i++) {
		fputs(i ? "  " : "", p->out);
		field(p, DIM, -t.cells[i], group_labels[i]);
	}
	if (t.strip)
		axis(p, &t, all);
	putc('\n', p->out);
	for (row = 0; row < t.n; row++)
		print_group(p, &t, &t.group[row], &f[row]);
	for (; row < n; row++)
		rest += f[row].total.n;
	if (n > t.n)
		put(p, DIM, "  %s %zu more, %s samples (--top %zu shows all)\n", p->o->utf8 ? "…" : "...", n - t.n,
		    units_count(buf, rest), n);

	for (row = 0; row < t.n; row++)
		for (i = 0; i < p->s->head.nby; i++)
			free(t.group[row].key[i]);
	free(t.group);
	figures_free_all(f, n);
}

/* ---- CPUs, under -v ---- */

static void cpus(const struct page *p)
{
	char cell[GROUP_COLUMNS][UNITS_TEXT];
	struct snapshot_total t;
	struct quantile q;
	unsigned int cpu;
	bool any = false;

	for (cpu = 0; cpu < p->s->head.cpus; cpu++) {
		if (!snapshot_has_cpu(p->s, cpu))
			continue;
		if (!any)
			put(p, DIM, "\n  cpu           count       mean        p50        p99\n");
		any = true;
		snapshot_total(p->s, NULL, cpu, &t);
		units_count(cell[COUNT], t.n);
		if (t.known)
			value(p, cell[MEAN], snapshot_mean(&t, NULL, NULL));
		else
			strcpy(cell[MEAN], "unknown");
		quantile_of(&t, &quantile_points[0], &q);
		value(p, cell[P50], q.value);
		quantile_of(&t, &quantile_points[2], &q);
		value(p, cell[P99], q.value);
		fprintf(p->out, "  %3u  ", cpu);
		field(p, PLAIN, -14, cell[COUNT]);
		field(p, PLAIN, -11, cell[MEAN]);
		field(p, PLAIN, -11, cell[P50]);
		field(p, PLAIN, -11, cell[P99]);
		putc('\n', p->out);
		snapshot_total_free(&t);
	}
}

/* ---- the accounting ---- */

static const struct { enum kstats_term term; const char *meaning; } losses[] = {
	{ KSTATS_MISSED, "the kernel could not call the probe (another probe's handler was running, or no instance was "
	  "free)" },
	{ KSTATS_FULL, "no room for a start, or for a new `by` key: raise it with `entries N`" },
	{ KSTATS_UNMATCHED, "ends without a start: begun before measuring, or the key differs at the two points" },
	{ KSTATS_REPLACED, "starts followed by another start of the same key before an end: is the key right?" },
	{ KSTATS_EXITED, "begun by tasks that ended before the end came" },
	{ KSTATS_OUTSIDE, "negative, or outside `range`: not in the histogram" },
	{ KSTATS_BACKWARDS, "the clock read less at the end than at the start: not in the histogram" },
	{ KSTATS_FAULT, "an expression read bad memory or divided by zero: not in the histogram" },
	{ KSTATS_STOPPED, "cut off by a stop" },
};

static void accounting(const struct page *p)
{
	static const char *const name[] = {
#define NAME(id, name)	[KSTATS_##id] = name,
		KSTATS_TERMS(NAME)
#undef NAME
	};
	const __u64 *term = p->s->head.term;
	__u64 sum = snapshot_accounted(p->s);
	char buf[UNITS_TEXT];
	const char *plus = "=";
	size_t i;

	put(p, DIM, "\n  hits %s", units_count(buf, term[KSTATS_HITS]));
	for (i = 0; i < KSTATS_NTERMS; i++) {
		if (i == KSTATS_HITS || (!term[i] && i != KSTATS_RECORDED))
			continue;
		put(p, DIM, " %s %s %s", plus, name[i], units_count(buf, term[i]));
		plus = "+";
	}
	if (sum == term[KSTATS_HITS])
		putc('\n', p->out);
	else
		put(p, ALARM, "  NOT BALANCED: %s %s\n",
		    units_count(buf, sum > term[KSTATS_HITS] ? sum - term[KSTATS_HITS] : term[KSTATS_HITS] - sum),
		    sum > term[KSTATS_HITS] ? "more than hits" : "hits unaccounted for");
	for (i = 0; i < sizeof(losses) / sizeof(*losses); i++)
		if (term[losses[i].term])
			put(p, PLAIN, "  %s %s: %s\n", name[losses[i].term], units_count(buf, term[losses[i].term]),
			    losses[i].meaning);
}

/* Nothing recorded is an answer too; most people then ask why. */
static void empty(const struct page *p)
{
	const __u64 *term = p->s->head.term;
	const char *why;

	if (!term[KSTATS_HITS])
		why = p->s->head.state == KSTATS_STOPPED_STATE ? "it is stopped (kmeter start)"
							       : "nothing came by while it was armed";
	else if (term[KSTATS_FILTERED] == term[KSTATS_HITS])
		why = "`if` refused every one";
	else if (term[KSTATS_IN_FLIGHT] == term[KSTATS_HITS])
		why = "begun, but none has ended yet";
	else if (term[KSTATS_OUTSIDE] == term[KSTATS_HITS])
		why = "every one was negative or outside `range`";
	else if (term[KSTATS_UNMATCHED] == term[KSTATS_HITS])
		why = "ends came, but no start: is the first point reached at all?";
	else
		why = "see where they went:";
	put(p, PLAIN, "\n  no samples in %.3g s: %s\n", p->s->head.armed_ns / 1e9, why);
}

static void measurement(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	struct page p = { out, o, s, snapshot_value(s, "unit") };
	struct figures all;

	figures_of(s, NULL, &all);
	header(&p);
	if (o->verbose)
		details(&p);
	if (s->restarted)
		put(&p, ALARM, "  reset since the last report: these are the numbers since then\n");
	if (all.total.n) {
		grid(&p, &all);
		bars(&p, &all.total);
		if (s->head.nby)
			groups(&p, &all);
		if (o->verbose)
			cpus(&p);
	} else {
		empty(&p);
	}
	accounting(&p);
	figures_free(&all);
	free(p.unit);
}

/* The line above each of several reports: which, when, how long. */
static void ruler(FILE *out, const struct report *r, const struct render_options *o)
{
	struct page p = { .out = out, .o = o };
	char clock[16], line[80];
	struct tm tm;
	int used;

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&r->taken.tv_sec, &tm));
	snprintf(line, sizeof(line), "report %u   %s   %.3f s ", r->number, clock, r->seconds);
	put(&p, DIM, "%s %s", o->utf8 ? "──" : "--", line);
	for (used = 3 + (int)strlen(line); used < o->width; used++)
		put(&p, DIM, "%s", o->utf8 ? "─" : "-");
	fputs("\n\n", out);
}

static void write_text(FILE *out, const struct report *report, const struct render_options *options)
{
	size_t i;

	if (report->number)
		ruler(out, report, options);
	for (i = 0; i < report->n; i++) {
		if (i)
			putc('\n', out);
		measurement(out, report->snapshots[i], options);
	}
	if (report->number)
		putc('\n', out);
}

const struct render render_text = { "text", write_text };
