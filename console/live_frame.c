// SPDX-License-Identifier: GPL-2.0
/*
 * live_frame.c: title, accounting, figures with how they moved, a body of one's choice, the keys. Nothing here knows of a
 * terminal.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console/account.h"
#include "console/bars.h"
#include "console/cpus.h"
#include "console/groups.h"
#include "console/live_frame.h"
#include "console/page.h"
#include "console/say.h"
#include "console/tables.h"

enum { LABEL = 7, FIGURE = 12, SPARK_LEAST = 8, BODY_LEAST = 3, BOTH_LEAST = 26, BARS_MOST = 26 };

/* ---- how figures moved ---- */

static void push(double *v, size_t n, double value)
{
	if (n == LIVE_HISTORY)
		memmove(v, v + 1, (n - 1) * sizeof(*v));
	v[n < LIVE_HISTORY ? n : n - 1] = value;
}

void live_remember(struct live_history *h, const struct snapshot *last, double seconds)
{
	struct figures f;
	unsigned int i;

	figures_of(last, NULL, &f);
	push(h->rate, h->n, seconds > 0 ? f.total.n / seconds : NAN);
	push(h->mean, h->n, f.mean);
	push(h->max, h->n, f.total.n ? f.max.hi : NAN);
	for (i = 0; i < FIGURES_QUANTILES; i++)
		push(h->quantile[i], h->n, f.total.n ? f.quantile[i].value : NAN);
	h->n += h->n < LIVE_HISTORY;
	figures_free(&f);
}

/* ---- the figures ---- */

/* The last that there is room for, at the right of a line of which @used columns are taken. */
static void spark(const struct page *p, const double *v, size_t n, int used)
{
	size_t room = p->o->width > used + SPARK_LEAST ? p->o->width - used - 2 : 0;

	if (!room)
		return;
	fputs("  ", p->out);
	if (n > room)
		v += n - room, n = room;
	bars_spark(p, v, n);
}

static void figure(const struct page *p, const char *label, const char *last, const char *all, const double *history, size_t n)
{
	page_put(p, PAGE_DIM, "  %-*s", LABEL, label);
	page_field(p, PAGE_BOLD, -FIGURE, last);
	page_field(p, PAGE_PLAIN, -FIGURE, all);
	if (history)
		spark(p, history, n, 2 + LABEL + 2 * FIGURE);
	putc('\n', p->out);
}

static char *rate(char *buf, double per_second)
{
	char text[UNITS_TEXT];

	if (isfinite(per_second))
		snprintf(buf, UNITS_TEXT, "%.50s/s", units_short(text, per_second));
	else
		strcpy(buf, "-");
	return buf;
}

/* "last 1 s" */
static char *span(char *buf, const char *word, double seconds)
{
	char text[UNITS_TEXT];

	snprintf(buf, UNITS_TEXT, "%s %.40s", word, units_value(text, round(seconds * 1000) * 1e6, "ns", false));
	return buf;
}

static bool histogram(const struct snapshot *s)
{
	return s->head.kind != KSTATS_COUNTS && s->head.bits != KSTATS_BITS_NONE;
}

static char *quantile_text(const struct page *p, char *buf, const struct figures *f, unsigned int i)
{
	return f->total.n ? page_value(p, buf, f->quantile[i].value) : strcpy(buf, "-");
}

static char *mean_text(const struct page *p, char *buf, const struct figures *f)
{
	return f->total.n ? page_mean(p, buf, f) : strcpy(buf, "-");
}

static char *max_text(const struct page *p, char *buf, const struct figures *f)
{
	return f->total.n ? page_bound(p, buf, &f->max, true) : strcpy(buf, "-");
}

static void figures(const struct page *p, const struct live_now *now, size_t which)
{
	const struct live_history *h = &now->history[which];
	char x[UNITS_TEXT], y[UNITS_TEXT];
	struct figures last, all;
	unsigned int i;

	figures_of(now->last[which], NULL, &last);
	figures_of(now->all[which], NULL, &all);
	figure(p, "", span(x, "last", now->last_seconds), span(y, "all", now->all_seconds), NULL, 0);
	figure(p, "count", units_count(x, last.total.n), units_count(y, all.total.n), NULL, 0);
	figure(p, "rate", rate(x, h->n ? h->rate[h->n - 1] : NAN),
	       rate(y, now->all_seconds > 0 ? all.total.n / now->all_seconds : NAN), h->rate, h->n);
	if (p->s->head.kind != KSTATS_COUNTS)
		figure(p, "mean", mean_text(p, x, &last), mean_text(p, y, &all), h->mean, h->n);
	for (i = 0; i < FIGURES_QUANTILES && histogram(p->s); i++)
		figure(p, quantile_points[i].name, quantile_text(p, x, &last, i), quantile_text(p, y, &all, i), h->quantile[i], h->n);
	if (histogram(p->s))
		figure(p, "max", max_text(p, x, &last), max_text(p, y, &all), h->max, h->n);
	figures_free(&last);
	figures_free(&all);
}

/* ---- the body ---- */

static const char help[] =
	"  q         end; a report follows on the terminal\n"
	"  Tab, n p  the next measurement, the one before\n"
	"  a         the body is of all the time, or of the last interval\n"
	"  h         histogram\n"
	"  g         groups of `by`, matches of a pattern\n"
	"  o         their order: total, count, mean, max, p99\n"
	"  c         CPUs\n"
	"  i         the whole report: points, floor, what each loss means\n"
	"  s         stop (nothing is counted, nothing executes), and start again\n"
	"  r         reset: begin from zero\n"
	"  space     let the view stand still; what is measured goes on\n"
	"  + -       look more often, less often\n"
	"  up down, page up page down, home   scroll the body\n";

static void put_body(const struct page *p, const struct live_view *view)
{
	struct report one = { .snapshots = (struct snapshot *[]){ (struct snapshot *)p->s }, .n = 1 };
	struct figures f;

	if (view->body == LIVE_HELP) {
		fputs(help, p->out);
		return;
	}
	if (view->body == LIVE_REPORT) {
		render_text.write(p->out, &one, p->o);
		return;
	}
	figures_of(p->s, NULL, &f);
	if (!f.total.n)
		page_put(p, PAGE_DIM, "  nothing %s\n", view->all ? "yet" : "in this interval");
	else if (view->body == LIVE_CPUS)
		cpus_print(p);
	else if (tables_has(p->s))
		tables_print(p);
	else if (view->body == LIVE_GROUPS && p->s->head.nby && p->s->head.kind == KSTATS_COUNTS)
		groups_print_counts(p, f.total.n);
	else if (view->body == LIVE_GROUPS && p->s->head.nby)
		groups_print(p, &f);
	else if (histogram(p->s))
		bars_print(p, &f.total);
	else if (p->s->head.nby)
		groups_print_counts(p, f.total.n);
	figures_free(&f);
}

static const char *body_name(const struct snapshot *s, const struct live_view *view)
{
	switch (view->body) {
	case LIVE_CPUS:
		return "CPUs";
	case LIVE_REPORT:
		return "report";
	case LIVE_HELP:
		return "keys";
	case LIVE_GROUPS:
		return tables_has(s) ? "functions" : s->head.nby ? "groups" : "histogram";
	default:
		return tables_has(s) ? "functions" : histogram(s) ? "histogram" : s->head.nby ? "groups" : "hits";
	}
}

/* The lines of @text from the @skip-th on, at most @most; how many there are in all. */
static size_t put_lines(FILE *out, const char *text, size_t skip, size_t most)
{
	size_t n = 0, length;

	for (; *text; text += length + (text[length] == '\n'), n++) {
		length = strcspn(text, "\n");
		if (n >= skip && n - skip < most)
			fprintf(out, "%.*s\n", (int)length, text);
	}
	return n;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* What stands above the body: which it is, and how much of it is out of sight. */
static void body_title(const struct page *p, const struct live_now *now, const struct live_view *view, size_t above, size_t below)
{
	char text[UNITS_TEXT];

	page_put(p, PAGE_DIM, "%s %s", p->o->utf8 ? "──" : "--", body_name(p->s, view));
	if (view->body != LIVE_HELP)
		page_put(p, PAGE_DIM, " of %s", view->all ? span(text, "all", now->all_seconds) : span(text, "the last", now->last_seconds));
	if (view->body == LIVE_GROUPS)
		page_put(p, PAGE_DIM, ", by %s", figures_orders[view->order]);
	if (above || below)
		page_put(p, PAGE_DIM, "  (%zu lines above, %zu below)", above, below);
	putc('\n', p->out);
}

/* The body with its title, in at most @lines lines, or with @fill exactly so many. How many it took. */
static int body(const struct live_now *now, struct live_view *view, const struct render_options *look, FILE *out, int lines, bool fill)
{
	const struct snapshot *s = view->all || view->body == LIVE_REPORT ? now->all[view->which] : now->last[view->which];
	char *unit = s->head.kind == KSTATS_COUNTS ? NULL : snapshot_value(s, "unit"), *text, *from;
	struct render_options own = *look;
	struct keys *keys = keys_new(s);
	struct page p = { .o = &own, .s = s, .keys = keys, .unit = unit };
	size_t size, n, room = lines - 1;

	own.order = view->order;
	own.rows = room > 1 ? room : 1;
	if (!own.top)
		own.top = room > 2 ? room - 2 : 1;	/* a heading, and how many more there are */
	p.out = open_memstream(&text, &size);
	put_body(&p, view);
	fclose(p.out);
	for (from = text; *from == '\n'; from++)
		;
	n = count_lines(from);
	if (view->scroll + room > n)
		view->scroll = n > room ? n - room : 0;
	p.out = out;
	body_title(&p, now, view, view->scroll, n > view->scroll + room ? n - view->scroll - room : 0);
	n = put_lines(out, from, view->scroll, room);
	n = n > view->scroll + room ? room : n - view->scroll;
	for (; fill && n < room; n++)
		putc('\n', out);
	free(text);
	keys_free(keys);
	free(unit);
	return 1 + n;
}

/* ---- all ---- */

/* One line, cut off at the terminal's width. */
static void title(FILE *out, const struct live_now *now, const struct live_view *view, const struct render_options *look)
{
	const struct snapshot *s = now->all[view->which];
	char seconds[UNITS_TEXT], which[48] = "", *left, *right;
	int room;

	if (now->n > 1)
		snprintf(which, sizeof(which), " (%zu of %zu)", view->which + 1, now->n);
	left = say_text(" %s%s  %s  %s%s%s", s->head.name, which, s->head.state == KSTATS_ARMED ? "armed" : "STOPPED",
			span(seconds, "", now->all_seconds) + 1, now->frozen ? "  STANDS STILL" : "", now->said ? "  " : "");
	right = say_text("%s ", now->source);
	room = look->width - units_columns(left) - units_columns(now->said ? now->said : "") - units_columns(right);
	fprintf(out, "%s%s%*s%s\n", left, now->said ? now->said : "", room > 1 ? room : 1, "", right);
	free(left);
	free(right);
}

static const char *const keys_line[] = {
	" q end  s stop/start  r reset  a last/all  h histogram  g groups  o order  c CPUs  i report  Tab next  ? keys",
	" q end  s stop  r reset  a all  h hist  g groups  o order  c CPUs  i report  ?",
	" q end  s stop  r reset  a all  h g c i body  ? keys",
	" q end  ? keys",
};

/* How long the lines above the body are, at most; what there is no room for is in the report (i). */
static int put_head(FILE *out, const struct live_now *now, const struct live_view *view, const struct render_options *look, int lines)
{
	const struct snapshot *s = now->all[view->which];
	char *unit = s->head.kind == KSTATS_COUNTS ? NULL : snapshot_value(s, "unit"), *statement = snapshot_value(s, "statement"), *text;
	struct page p = { .o = look, .s = s, .unit = unit };
	size_t size, n;
	int most = lines - 1 - BODY_LEAST;

	p.out = open_memstream(&text, &size);
	page_put(&p, PAGE_DIM, "  %s\n", statement ? statement : s->head.name);
	account_line(&p);
	if (account_lost(s))
		page_put(&p, PAGE_ALARM, "  not everything is in the histogram: i tells why\n");
	figures(&p, now, view->which);
	fclose(p.out);
	n = put_lines(out, text, 0, most > 0 ? most : 0);
	free(text);
	free(statement);
	free(unit);
	return most < 0 ? 0 : n < (size_t)most ? (int)n : most;
}

/* Where there is room for two, the histogram and below it groups or CPUs, whichever was chosen. */
static void bodies(const struct live_now *now, struct live_view *view, const struct render_options *look, FILE *out, int lines)
{
	const struct snapshot *s = now->last[view->which];
	struct live_view upper = *view;
	int half = lines / 2 < BARS_MOST ? lines / 2 : BARS_MOST;

	if (lines < BOTH_LEAST || view->body > LIVE_CPUS || !histogram(s) || tables_has(s)) {
		body(now, view, look, out, lines, true);
		return;
	}
	upper.body = LIVE_BARS;
	upper.scroll = 0;
	half = body(now, &upper, look, out, half, false) + 1;
	putc('\n', out);
	upper = *view;
	if (view->body == LIVE_BARS)
		upper.body = s->head.nby ? LIVE_GROUPS : LIVE_CPUS;
	body(now, &upper, look, out, lines - half, true);
	view->scroll = upper.scroll;
}

void live_frame(FILE *out, const struct live_now *now, struct live_view *view, const struct render_options *look, int lines)
{
	size_t i;
	int used;

	title(out, now, view, look);
	used = 1 + put_head(out, now, view, look, lines - 1);
	if (lines - used - 1 > 0)
		bodies(now, view, look, out, lines - used - 1);
	for (i = 0; i < sizeof(keys_line) / sizeof(*keys_line) - 1 && units_columns(keys_line[i]) > look->width; i++)
		;
	fprintf(out, "%s", keys_line[i]);
}
