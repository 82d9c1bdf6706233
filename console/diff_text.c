// SPDX-License-Identifier: GPL-2.0
/*
 * diff_text.c: two reports beside each other in a terminal: figures, both histograms on one axis, the groups that moved.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console/bars.h"
#include "console/diff_private.h"
#include "console/page.h"
#include "console/say.h"

enum { GROUPS_DEFAULT = 20, KEY_MOST = 48, FIGURE = 14 };

/* "+12.3%", "-4.0%", "x 25.0" from 10 times on, "" where there is nothing to compare with. */
static char *change(char *buf, double a, double b)
{
	*buf = 0;
	if (a > 0 && b >= 10 * a)
		snprintf(buf, UNITS_TEXT, "x %.3g", b / a);
	else if (a > 0 && a == b)
		strcpy(buf, "=");
	else if (a > 0)
		snprintf(buf, UNITS_TEXT, "%+.1f%%", (b / a - 1) * 100);
	return buf;
}

/* The last part of a path, or as much of its end as there is room for. */
static const char *short_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	int over;

	path = slash && slash[1] ? slash + 1 : path;
	over = units_columns(path) - FIGURE;
	while (over-- > 0)	/* whole characters */
		while ((*++path & 0xc0) == 0x80)
			;
	return path;
}

static void line(const struct page *p, const char *label, const char *a, const char *b, const char *change, const char *verdict, bool alarm)
{
	page_put(p, PAGE_DIM, "  %-7s", label);
	page_field(p, PAGE_PLAIN, -FIGURE, a);
	fputs("  ", p->out);
	page_field(p, PAGE_PLAIN, -FIGURE, b);
	if (*change)
		page_field(p, alarm ? PAGE_BOLD : PAGE_PLAIN, -10, change);
	if (*verdict)
		page_put(p, alarm ? PAGE_ALARM : PAGE_DIM, "  %s", verdict);
	putc('\n', p->out);
}

static char *rate(char *buf, const struct snapshot *s, __u64 n)
{
	char text[UNITS_TEXT];

	if (s->head.armed_ns)
		snprintf(buf, UNITS_TEXT, "%.50s/s", units_short(text, n * 1e9 / s->head.armed_ns));
	else
		strcpy(buf, "-");
	return buf;
}

static double per_second(const struct snapshot *s, __u64 n)
{
	return s->head.armed_ns ? n * 1e9 / s->head.armed_ns : 0;
}

static const char *verdict(const struct diff_pair *pair, unsigned int i)
{
	if (!pair->moved[i])
		return "";
	if (pair->chance[i])
		return pair->moved[i] > 0 ? "up, may be chance" : "down, may be chance";
	return pair->moved[i] > 0 ? "moved up" : "moved down";
}

static void figures(const struct page *p, const struct diff_measurement *m)
{
	const struct figures *a = &m->all.side[0], *b = &m->all.side[1];
	char x[UNITS_TEXT], y[UNITS_TEXT], delta[UNITS_TEXT];
	unsigned int i;

	line(p, "count", units_count(x, a->total.n), units_count(y, b->total.n), "", "", false);
	line(p, "rate", rate(x, m->side[0], a->total.n), rate(y, m->side[1], b->total.n),
	     change(delta, per_second(m->side[0], a->total.n), per_second(m->side[1], b->total.n)), "", false);
	if (m->counted)
		return;
	if (!a->total.n || !b->total.n) {
		page_put(p, PAGE_ALARM, "  no samples %s\n", a->total.n ? "in the second one" : b->total.n ? "in the first one" : "in either");
		return;
	}
	line(p, "mean", page_mean(p, x, a), page_mean(p, y, b), isnan(a->mean) || isnan(b->mean) ? "" : change(delta, a->mean, b->mean), "",
	     false);
	if (!m->histogram)
		return;
	line(p, "min", page_bound(p, x, &a->min, false), page_bound(p, y, &b->min, false), "", "", false);
	for (i = 0; i < FIGURES_QUANTILES; i++)
		line(p, quantile_points[i].name, page_value(p, x, a->quantile[i].value), page_value(p, y, b->quantile[i].value),
		     change(delta, a->quantile[i].value, b->quantile[i].value), verdict(&m->all, i), m->all.moved[i] && !m->all.chance[i]);
	line(p, "max", page_bound(p, x, &a->max, true), page_bound(p, y, &b->max, true), "", "", false);
}

/* What was lost on either side is missing in what is compared. */
static void losses(const struct page *p, const struct diff_side *side, const struct diff_measurement *m)
{
	static const enum kstats_term lost[] = { KSTATS_MISSED, KSTATS_FULL, KSTATS_FAULT, KSTATS_OUTSIDE, KSTATS_BACKWARDS, KSTATS_MOVED };
	char buf[UNITS_TEXT], share[UNITS_TEXT];
	size_t i, j;

	for (i = 0; i < 2; i++) {
		const __u64 *term = m->side[i]->head.term;
		__u64 n = 0;

		for (j = 0; j < sizeof(lost) / sizeof(*lost); j++)
			n += term[lost[j]];
		if (n)
			page_put(p, PAGE_ALARM, "  %s lacks %s hits, %s of them (missed, full, fault, outside, backwards, moved)\n",
				 side[i].path, units_count(buf, n), units_share(share, (double)n / term[KSTATS_HITS]));
	}
}

/* ---- groups ---- */

static void group_line(const struct page *p, const struct diff_pair *g, int width)
{
	char x[UNITS_TEXT], y[UNITS_TEXT], delta[UNITS_TEXT], name[KEY_MOST + 4];
	unsigned int i, most = FIGURES_QUANTILES;

	snprintf(name, sizeof(name), "%.*s%s", KEY_MOST, g->name, strlen(g->name) > KEY_MOST ? "..." : "");
	fputs("  ", p->out);
	page_field(p, PAGE_BOLD, width, name);
	if (!g->side[0].total.n || !g->side[1].total.n) {
		page_put(p, PAGE_PLAIN, "  %s samples in the %s one alone\n", units_count(x, g->side[0].total.n + g->side[1].total.n),
			 g->side[0].total.n ? "first" : "second");
		return;
	}
	/* the highest percentile whose move is more than chance, else the highest that moved */
	for (i = 0; i < FIGURES_QUANTILES; i++)
		if (g->moved[i] && (most == FIGURES_QUANTILES || !g->chance[i] || g->chance[most]))
			most = i;
	page_put(p, PAGE_PLAIN, "  %-6s %s", quantile_points[most].name, page_value(p, x, g->side[0].quantile[most].value));
	page_put(p, PAGE_PLAIN, " %s %s  %s", p->o->utf8 ? "→" : "->", page_value(p, y, g->side[1].quantile[most].value),
		 change(delta, g->side[0].quantile[most].value, g->side[1].quantile[most].value));
	page_put(p, g->chance[most] ? PAGE_DIM : PAGE_ALARM, "  %s\n", verdict(g, most));
}

static void groups(const struct page *p, const struct diff_measurement *m)
{
	size_t most = p->o->top ? p->o->top : GROUPS_DEFAULT, i, shown = 0;
	int width = 0;

	if (!m->groups)
		return;
	if (!m->groups_moved) {
		page_put(p, PAGE_DIM, "\n  none of %zu groups has moved\n", m->groups);
		return;
	}
	page_put(p, PAGE_DIM, "\n  %zu of %zu groups moved\n", m->groups_moved, m->groups);
	for (i = 0; i < m->groups; i++)
		if (m->group[i].counts)
			width = page_widest(width, m->group[i].name);
	width = width > KEY_MOST + 3 ? KEY_MOST + 3 : width;
	for (i = 0; i < m->groups && shown < most; i++)
		if (m->group[i].counts && ++shown)
			group_line(p, &m->group[i], width);
	if (shown < m->groups_moved)
		page_put(p, PAGE_DIM, "  %s %zu more (--top %zu shows all)\n", p->o->utf8 ? "…" : "...", m->groups_moved - shown, m->groups_moved);
}

void diff_print(struct print *to, const struct diff_side *side, const struct diff_measurement *m, size_t n)
{
	char *unit = m->counted ? NULL : snapshot_value(m->side[0], "unit"), *statement = snapshot_value(m->side[0], "statement"),
	     *other = snapshot_value(m->side[1], "statement");
	struct page p = { .out = to->out, .o = &to->look, .s = m->side[0], .unit = unit };

	if (n)
		putc('\n', p.out);
	page_put(&p, PAGE_BOLD, "%s\n", m->side[0]->head.name);
	if (statement)
		page_put(&p, PAGE_DIM, "  %s\n", statement);
	if (other && (!statement || strcmp(statement, other)))
		page_put(&p, PAGE_DIM, "  and there: %s\n", other);
	putc('\n', p.out);
	line(&p, "", short_path(side[0].path), short_path(side[1].path), "", "", false);
	figures(&p, m);
	losses(&p, side, m);
	if (m->histogram && m->all.side[0].total.n && m->all.side[1].total.n)
		bars_print_both(&p, &m->all.side[0].total, &m->all.side[1].total);
	groups(&p, m);
	free(other);
	free(statement);
	free(unit);
}
