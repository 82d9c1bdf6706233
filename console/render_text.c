// SPDX-License-Identifier: GPL-2.0
/*
 * render_text.c: the report that people read in a terminal.
 *
 * A measurement is: its name and statement, what it hangs on, a grid of figures, bars (of all its parts together), with
 * `by` a table of the groups, under -v one of the CPUs, and the accounting with a sentence for every kind of loss.
 * Counts have a total in place of figures and bars.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "console/account.h"
#include "console/bars.h"
#include "console/cpus.h"
#include "console/groups.h"
#include "console/page.h"
#include "console/say.h"
#include "console/tables.h"

/* ---- what it is ---- */

/* A pattern may have thousands of points: beyond this many, only the mechanisms are counted (-v shows all). */
enum { POINTS_MOST = 8 };

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "  4,012 points by kprobe" for each of them; frees them. */
static void tally(const struct page *p, char **mechanism, size_t n)
{
	char buf[UNITS_TEXT];
	size_t i, from = 0;

	qsort(mechanism, n, sizeof(*mechanism), compare_lines);
	for (i = 1; i <= n; i++) {
		if (i < n && !strcmp(mechanism[i], mechanism[from]))
			continue;
		page_put(p, PAGE_DIM, "  %s point%s%s%s\n", units_count(buf, i - from), i - from == 1 ? "" : "s",
			 *mechanism[from] ? " by " : "", mechanism[from]);
		from = i;
	}
	while (n)
		free(mechanism[--n]);
	free(mechanism);
}

static void points(const struct page *p)
{
	const char *at = NULL, *line;
	char **mechanism = NULL;
	size_t length, word, n = 0;

	while (snapshot_line(p->s, "point", &at, &length))
		n++;
	if (n > POINTS_MOST && !p->o->verbose)
		mechanism = say_calloc(n, sizeof(*mechanism));
	at = NULL;
	for (n = 0; (line = snapshot_line(p->s, "point", &at, &length)); n++) {
		int rest;

		word = snapshot_first_word(line, length);
		rest = word < length ? (int)(length - word - 1) : 0;
		if (mechanism)
			mechanism[n] = say_text("%.*s", rest, line + length - rest);
		else if (rest)
			page_put(p, PAGE_DIM, "  %.*s by %.*s\n", (int)word, line, rest, line + word + 1);
		else
			page_put(p, PAGE_DIM, "  %.*s\n", (int)length, line);
	}
	if (mechanism)
		tally(p, mechanism, n);
}

static void header(const struct page *p)
{
	char *statement = snapshot_value(p->s, "statement"), *key = snapshot_value(p->s, "key"),
	     *counter = snapshot_value(p->s, "counter"), *time = snapshot_value(p->s, "time");

	page_put(p, PAGE_BOLD, "%s", p->s->head.name);
	if (p->s->head.state == KSTATS_STOPPED_STATE)
		page_put(p, PAGE_ALARM, "  (stopped)");
	putc('\n', p->out);
	if (statement)
		page_put(p, PAGE_DIM, "  %s\n", statement);
	points(p);
	if (key && strcmp(key, "none"))
		page_put(p, PAGE_DIM, "  paired by %s\n", !strcmp(key, "task") ? "the current task" : key);
	if (counter)
		page_put(p, PAGE_DIM, "  how far %s move%s, not how long it takes\n", counter, counter[strlen(counter) - 1] == 's' ? "" : "s");
	if (time)
		page_put(p, PAGE_DIM, "  of each call the time %s\n", !strcmp(time, "oncpu") ? "on a CPU" : "off the CPU, asleep or waiting for one");
	free(counter);
	free(time);
	free(statement);
	free(key);
}

/* Under -v: the lines of the kernel's text that have no place of their own above. */
static void details(const struct page *p)
{
	static const char *const shown[] = { "statement ", "point ", "key ", "unit ", "kind ", "match ", "enum ", "floor ", "counter ",
					     "time ", "watch ",
					     "shared ", "overload " };
	const char *line = p->s->text;
	char memory[UNITS_TEXT];
	size_t i, length;

	for (; *line; line += length + (line[length] == '\n')) {
		length = strcspn(line, "\n");
		for (i = 0; i < sizeof(shown) / sizeof(*shown); i++)
			if (!strncmp(line, shown[i], strlen(shown[i])))
				break;
		if (length && i == sizeof(shown) / sizeof(*shown))
			page_put(p, PAGE_DIM, "  %.*s\n", (int)length, line);
	}
	page_put(p, PAGE_DIM, "  bits %u, %s bytes of kernel memory, %u CPUs\n", p->s->head.bits,
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
	page_mean(p, g->cell[0][2], f);
	page_bound(p, g->cell[0][3], &f->min, false);
	page_bound(p, g->cell[0][4], &f->max, true);
	for (i = 0; i < GRID_COLUMNS; i++) {
		g->label[0][i] = first[i];
		g->label[1][i] = quantile_points[i].name;
		page_value(p, g->cell[1][i], f->quantile[i].value);
		g->labels[i] = page_widest(page_widest(0, g->label[0][i]), g->label[1][i]);
		g->cells[i] = page_widest(page_widest(0, g->cell[0][i]), g->cell[1][i]);
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
			page_field(p, PAGE_DIM, narrow ? 7 : g.labels[j], g.label[i][j]);
			putc(' ', p->out);
			page_field(p, PAGE_PLAIN, narrow ? -16 : -g.cells[j], g.cell[i][j]);
			if (narrow || j == GRID_COLUMNS - 1)
				putc('\n', p->out);
		}
	}
}

/* ---- what the mechanisms show of nothing ---- */

/* "direct/fast direct/lean" as people read it; of the same twice, once. */
static void print_way(const struct page *p, const char *from, size_t length)
{
	size_t word = snapshot_first_word(from, length);
	const char *to = from + word + 1;

	page_put(p, PAGE_PLAIN, " by %.*s", (int)word, from);
	if (word < length && (length - word - 1 != word || strncmp(from, to, word)))
		page_put(p, PAGE_PLAIN, " to %.*s", (int)(length - word - 1), to);
}

/* "floor 38 ns": the least that any of the figures above can be. It is subtracted from none. */
static void floors(const struct page *p)
{
	const char *at = NULL, *line;
	char value[UNITS_TEXT];
	size_t length, n = 0, i;

	while (snapshot_line(p->s, "floor", &at, &length))
		n++;
	at = NULL;
	for (i = 0; (line = snapshot_line(p->s, "floor", &at, &length)); i++) {
		size_t word = snapshot_first_word(line, length);

		if (i)
			putc(',', p->out);
		else
			page_put(p, PAGE_DIM, "  floor");
		page_put(p, PAGE_PLAIN, " %s", page_value(p, value, strtoull(line, NULL, 10)));
		if (n > 1 && word < length)
			print_way(p, line + word + 1, length - word - 1);
	}
	if (n)
		putc('\n', p->out);
}

/* Where a foreign tracer, or another measurement of ours, is at a function too, each call takes longer by what that does. */
static void sharing(const struct page *p)
{
	char *shared = snapshot_value(p->s, "shared"), *name = shared ? strchr(shared, ' ') : NULL;
	unsigned long n = shared ? strtoul(shared, NULL, 10) : 0;

	if (name && n == 1)
		page_put(p, PAGE_ALARM, "  the floor does not hold: another tracer or measurement is at%s too\n", name);
	else if (name)
		page_put(p, PAGE_ALARM, "  the floor does not hold: other tracers or measurements are at%s and %lu more of its functions\n",
			 name, n - 1);
	free(shared);
}

/* ---- the body ---- */

/* Nothing recorded is an answer too; most people then ask why. */
static void empty(const struct page *p)
{
	const __u64 *term = p->s->head.term;
	const struct figures_sentence *all = figures_empty;
	const char *why;

	while (all->text && term[all->term] != (all->term == KSTATS_HITS ? 0 : term[KSTATS_HITS]))
		all++;
	why = all->text ? all->text : "see where they went:";
	if (!term[KSTATS_HITS] && p->s->head.state == KSTATS_STOPPED_STATE)
		why = "it is stopped (kmeter start)";
	page_put(p, PAGE_PLAIN, "\n  no %s in %.3g s: %s\n", p->s->head.kind == KSTATS_COUNTS ? "hits" : "samples",
		 p->s->head.armed_ns / 1e9, why);
}

/* In place of grid and bars. */
static void total(const struct page *p, __u64 n)
{
	char count[UNITS_TEXT], rate[UNITS_TEXT];

	putc('\n', p->out);
	page_put(p, PAGE_DIM, "  total ");
	page_put(p, PAGE_PLAIN, "%s", units_count(count, n));
	if (p->s->head.armed_ns) {
		page_put(p, PAGE_DIM, "   rate ");
		page_put(p, PAGE_PLAIN, "%s/s", units_short(rate, n * 1e9 / p->s->head.armed_ns));
	}
	putc('\n', p->out);
}

/* It was stopped since it took too much of a CPU. */
static void overload(const struct page *p)
{
	char *value = snapshot_value(p->s, "overload"), rate[UNITS_TEXT];
	unsigned int percent, cpu, each;
	unsigned long long hits;

	if (value && sscanf(value, "%u %u %llu %u", &percent, &cpu, &hits, &each) == 4)
		page_put(p, PAGE_ALARM, "  stopped by kmeter's guard: it took %u %% of CPU %u (%s hits a second, %u ns each); kmeter start starts it again\n",
			 percent, cpu, units_short(rate, hits), each);
	free(value);
}

static void body(const struct page *p, const struct figures *all)
{
	bool counts = p->s->head.kind == KSTATS_COUNTS;

	if (!all->total.n) {
		empty(p);
		return;
	}
	if (counts || tables_has(p->s)) {
		total(p, all->total.n);
	} else {
		grid(p, all);
	}
	if (!counts) {
		floors(p);
		sharing(p);
	}
	if (!counts && !tables_has(p->s))
		bars_print(p, &all->total);
	if (tables_has(p->s))
		tables_print(p);
	else if (p->s->head.nby && counts)
		groups_print_counts(p, all->total.n);
	else if (p->s->head.nby)
		groups_print(p, all);
	if (p->o->verbose)
		cpus_print(p);
}

/* What happened to the clock while it counted. */
static void clock_notes(const struct page *p)
{
	char *clock = snapshot_value(p->s, "clock"), *suspended = snapshot_value(p->s, "suspended");

	if (clock && strstr(clock, " since "))
		page_put(p, PAGE_ALARM, "  the clock: %s: what ended later may be wrong (clock mono is not affected)\n", clock);
	if (suspended)
		page_put(p, PAGE_PLAIN, "  suspended %s time%s: what was in flight then has `stopped`\n", suspended,
			 strcmp(suspended, "1") ? "s" : "");
	free(clock);
	free(suspended);
}

static void measurement(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	char *unit = s->head.kind == KSTATS_COUNTS ? NULL : snapshot_value(s, "unit");
	struct keys *keys = keys_new(s);
	struct page p = { out, o, s, keys, unit };
	struct figures all;

	figures_of(s, NULL, &all);
	header(&p);
	if (o->verbose)
		details(&p);
	clock_notes(&p);
	overload(&p);
	if (s->restarted)
		page_put(&p, PAGE_ALARM, "  reset since the last report: these are the numbers since then\n");
	body(&p, &all);
	putc('\n', out);
	account_line(&p);
	account_losses(&p);
	figures_free(&all);
	keys_free(keys);
	free(unit);
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
	page_put(&p, PAGE_DIM, "%s %s", o->utf8 ? "──" : "--", line);
	for (used = 3 + (int)strlen(line); used < o->width; used++)
		page_put(&p, PAGE_DIM, "%s", o->utf8 ? "─" : "-");
	fputs("\n\n", out);
}

/* Above a merged report: of which machines, and which of its CPUs are whose. */
static void sources(FILE *out, const struct report *r, const struct render_options *o)
{
	struct page p = { .out = out, .o = o };
	size_t i;

	for (i = 0; i < r->nsources; i++) {
		const struct report_source *from = &r->sources[i];

		page_put(&p, PAGE_DIM, "%s%s, kernel %s, %.3f s: CPUs %u to %u\n", i ? "       " : "merged ", from->host ? from->host : "unnamed",
			 from->release ? from->release : "unknown", from->seconds, from->first_cpu,
			 from->first_cpu + (from->cpus ? from->cpus - 1 : 0));
	}
	if (r->nsources)
		putc('\n', out);
}

static void put_report(FILE *out, const struct report *report, const struct render_options *options)
{
	size_t i;

	if (report->number)
		ruler(out, report, options);
	sources(out, report, options);
	for (i = 0; i < report->n; i++) {
		if (i)
			putc('\n', out);
		measurement(out, report->snapshots[i], options);
	}
	if (report->number)
		putc('\n', out);
}

static void write_text(FILE *out, const struct report *report, const struct render_options *options)
{
	char *text;
	size_t size;
	FILE *whole;

	if (!options->fold) {
		put_report(out, report, options);
		return;
	}
	whole = open_memstream(&text, &size);
	put_report(whole, report, options);
	fclose(whole);
	page_fold(out, text, options->width);
	free(text);
}

const struct render render_text = { .name = "text", .write = write_text };
