// SPDX-License-Identifier: GPL-2.0
/*
 * diff.c: what moved from one report to another. Computed once for both forms, the table (diff_text.c) and JSON.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console/diff.h"
#include "console/diff_private.h"
#include "console/json.h"
#include "console/keys.h"
#include "console/saved.h"
#include "console/say.h"

/* ---- one percentile ---- */

/* What the quantile of the distribution that was sampled may be: the samples of the ranks in diff.h, by their slots' bounds. */
static void by_chance(const struct snapshot_total *t, const struct quantile_point *q, struct figures_bound *out)
{
	double n = t->n, share = (double)q->numerator / q->denominator, half = 3.29 * sqrt(n * share * (1 - share));
	double low = floor(n * share - half), high = ceil(n * share + half) + 1;
	struct quantile_point point = { NULL, low < 1 ? 1 : (__u64)low, t->n };
	struct quantile found;

	quantile_of(t, &point, &found);
	out->lo = low < 1 ? 0 : found.lo;
	point.numerator = high > n ? t->n : (__u64)high;
	quantile_of(t, &point, &found);
	out->hi = high > n ? ~0ULL : found.hi;	/* beyond the largest sample there may be any */
}

/* 1: b is above a, -1: below, 0: they may be the same. */
static int beyond(const struct figures_bound *a, const struct figures_bound *b, double tolerance)
{
	if (b->lo > a->hi && b->lo > a->hi * (1 + tolerance))
		return 1;
	if (b->hi < a->lo && b->hi < a->lo * (1 - tolerance))
		return -1;
	return 0;
}

static void compare_figures(struct diff_pair *pair, const struct options *o)
{
	const struct figures *a = &pair->side[0], *b = &pair->side[1];
	struct figures_bound x, y;
	unsigned int i;

	for (i = 0; i < FIGURES_QUANTILES && a->total.n && b->total.n; i++) {
		x = (struct figures_bound){ a->quantile[i].lo, a->quantile[i].hi };
		y = (struct figures_bound){ b->quantile[i].lo, b->quantile[i].hi };
		pair->moved[i] = beyond(&x, &y, o->tolerance);
		by_chance(&a->total, &quantile_points[i], &x);
		by_chance(&b->total, &quantile_points[i], &y);
		pair->chance[i] = pair->moved[i] && !beyond(&x, &y, 0);
		pair->counts |= pair->moved[i] && !(o->beyond_chance && pair->chance[i]);
	}
	pair->counts |= !a->total.n != !b->total.n;
}

/* ---- groups ---- */

/* A key as text: what it is called, since its number may be another on another machine or kernel. */
static char *name_of(const struct keys *k, const struct snapshot *s, const struct snapshot_part *part)
{
	char *all = say_strdup(""), *one, *longer;
	unsigned int i;

	for (i = 0; i < s->head.nby; i++) {
		one = keys_folded(k, part, i);
		longer = say_text("%s%s%s", all, i ? "  " : "", one);
		free(one);
		free(all);
		all = longer;
	}
	return all;
}

static const struct snapshot_part *part_of(const struct diff_pair *p)
{
	return p->side[0].part ? p->side[0].part : p->side[1].part;
}

/* Keys that read alike (a control character, and how that is written) by what they are. */
static int compare_names(const void *a, const void *b)
{
	const struct diff_pair *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : memcmp(part_of(x)->key, part_of(y)->key, sizeof(part_of(x)->key));
}

/* Of most time first: what they come to on both sides. */
static double weight(const struct diff_pair *p)
{
	double a = p->side[0].total.n ? p->side[0].mean_hi * p->side[0].total.n : 0;

	return a + (p->side[1].total.n ? p->side[1].mean_hi * p->side[1].total.n : 0);
}

static int compare_weights(const void *a, const void *b)
{
	double x = weight(a), y = weight(b);

	return x > y ? -1 : x < y ? 1 : compare_names(a, b);
}

/* The groups of both, of one key together. */
static void pair_groups(struct diff_measurement *m, const struct options *o)
{
	size_t n = m->side[0]->nparts + m->side[1]->nparts, side, i, kept = 0;
	struct diff_pair *all = say_calloc(n, sizeof(*all)), *to = all;
	struct keys *k;

	for (side = 0; side < 2; side++) {
		k = keys_new(m->side[side]);
		for (i = 0; i < m->side[side]->nparts; i++) {
			figures_of(m->side[side], &m->side[side]->parts[i], &to->side[side]);
			to++->name = name_of(k, m->side[side], &m->side[side]->parts[i]);
		}
		keys_free(k);
	}
	qsort(all, n, sizeof(*all), compare_names);
	for (i = 0; i < n; i++) {
		side = all[i].side[1].part != NULL;
		if (!kept || strcmp(all[kept - 1].name, all[i].name) || all[kept - 1].side[side].part) {
			all[kept++] = all[i];
			continue;
		}
		figures_free(&all[kept - 1].side[side]);
		all[kept - 1].side[side] = all[i].side[side];
		figures_free(&all[i].side[!side]);
		free(all[i].name);
	}
	for (i = 0; i < kept; i++)
		compare_figures(&all[i], o);
	qsort(all, kept, sizeof(*all), compare_weights);
	m->group = all;
	m->groups = kept;
}

/* ---- measurements ---- */

static bool same_kind(const struct diff_side *side, const struct snapshot *a, const struct snapshot *b)
{
	char *x = snapshot_value(a, "unit"), *y = snapshot_value(b, "unit");
	bool same = a->head.kind == b->head.kind && (x && y ? !strcmp(x, y) : x == y);

	if (!same)
		say_error("%s is in %s in %s and in %s in %s: they cannot be compared", a->head.name, x ? x : "hits", side[0].path,
			  y ? y : "hits", side[1].path);
	free(x);
	free(y);
	return same;
}

static bool same_keys(const struct snapshot *a, const struct snapshot *b)
{
	unsigned int i;

	for (i = 0; i < a->head.nby && i < b->head.nby; i++)
		if (strcmp(a->head.by[i].text, b->head.by[i].text))
			return false;
	return a->head.nby && a->head.nby == b->head.nby;
}

static void compare_measurement(struct diff_measurement *m, const struct options *o)
{
	size_t i;

	figures_of(m->side[0], NULL, &m->all.side[0]);
	figures_of(m->side[1], NULL, &m->all.side[1]);
	m->counted = m->side[0]->head.kind == KSTATS_COUNTS;
	m->histogram = !m->counted && m->side[0]->head.bits != KSTATS_BITS_NONE && m->side[1]->head.bits != KSTATS_BITS_NONE;
	if (m->histogram)
		compare_figures(&m->all, o);
	if (!m->histogram || !same_keys(m->side[0], m->side[1]))
		return;
	pair_groups(m, o);
	for (i = 0; i < m->groups; i++)
		m->groups_moved += m->group[i].counts;
}

static void free_pair(struct diff_pair *p)
{
	figures_free(&p->side[0]);
	figures_free(&p->side[1]);
	free(p->name);
}

static void free_measurement(struct diff_measurement *m)
{
	while (m->groups)
		free_pair(&m->group[--m->groups]);
	free(m->group);
	free_pair(&m->all);
}

/* ---- JSON ---- */

static json_t *json_value(const struct figures *f, unsigned int i)
{
	return json_pack("{s:f, s:o, s:o}", "value", f->quantile[i].value, "lo", json_wide(f->quantile[i].lo), "hi", json_wide(f->quantile[i].hi));
}

static json_t *json_pair(const struct diff_pair *p, bool histogram)
{
	json_t *o = json_object(), *quantiles, *one;
	unsigned int i;

	json_object_set_new(o, "name", p->name ? json_string(p->name) : json_null());
	json_object_set_new(o, "count", json_pack("[oo]", json_wide(p->side[0].total.n), json_wide(p->side[1].total.n)));
	if (!histogram)
		return o;
	json_object_set_new(o, "mean", json_pack("[oo]", isnan(p->side[0].mean) ? json_null() : json_real(p->side[0].mean),
						 isnan(p->side[1].mean) ? json_null() : json_real(p->side[1].mean)));
	quantiles = json_object();
	for (i = 0; i < FIGURES_QUANTILES && p->side[0].total.n && p->side[1].total.n; i++) {
		one = json_pack("{s:o, s:o, s:s, s:b}", "a", json_value(&p->side[0], i), "b", json_value(&p->side[1], i), "moved",
				p->moved[i] > 0 ? "up" : p->moved[i] < 0 ? "down" : "no", "by_chance", p->chance[i]);
		json_object_set_new(quantiles, quantile_points[i].name, one);
	}
	json_object_set_new(o, "quantiles", quantiles);
	json_object_set_new(o, "moved", json_boolean(p->counts));
	return o;
}

static json_t *json_measurement(const struct diff_measurement *m)
{
	json_t *o = json_object(), *groups = json_array();
	size_t i;

	json_object_set_new(o, "name", json_string(m->side[0]->head.name));
	json_object_set_new(o, "all", json_pair(&m->all, m->histogram));
	for (i = 0; i < m->groups; i++)
		json_array_append_new(groups, json_pair(&m->group[i], true));
	json_object_set_new(o, "groups", groups);
	return o;
}

/* ---- all ---- */

/* The name of a file need not be text. */
static json_t *json_path(const struct diff_side *side)
{
	char *text = keys_printable(side->path, strlen(side->path));
	json_t *path = json_string(text);

	free(text);
	return path;
}

/* Measurements that are in one alone: something else was measured, so this is no "nothing has moved". */
static size_t lone(const struct diff_side *side, json_t *list, FILE *out)
{
	size_t i, j, n = 0;

	for (i = 0; i < 2; i++)
		for (j = 0; j < side[i].report->n; j++) {
			const char *name = side[i].report->snapshots[j]->head.name;

			if (saved_measurement(side[!i].report, name))
				continue;
			n++;
			if (list)
				json_array_append_new(list, json_pack("{s:s, s:o}", "name", name, "in", json_path(&side[i])));
			else
				fprintf(out, "only in %s: %s\n", side[i].path, name);
		}
	return n;
}

int diff_reports(struct print *p, const struct options *o, const struct diff_side *side)
{
	bool json = p->format == &render_json;
	json_t *list = json ? json_array() : NULL, *only = json ? json_array() : NULL, *root;
	const struct report *a = side[0].report;
	size_t i, compared = 0, moved = 0;
	int status = 0;

	for (i = 0; i < a->n && status != 2; i++) {
		struct diff_measurement m = { .side = { a->snapshots[i], saved_measurement(side[1].report, a->snapshots[i]->head.name) } };

		if (!m.side[1])
			continue;
		if (!same_kind(side, m.side[0], m.side[1])) {
			status = 2;
			continue;
		}
		compare_measurement(&m, o);
		if (json)
			json_array_append_new(list, json_measurement(&m));
		else
			diff_print(p, side, &m, compared);
		compared++;
		moved += m.all.counts || m.groups_moved;
		free_measurement(&m);
	}
	if (status != 2 && !compared) {
		say_error("no measurement of %s is in %s too", side[0].path, side[1].path);
		status = 2;
	}
	if (status != 2 && lone(side, only, p->out) + moved)
		status = 1;
	if (json && status != 2) {
		root = json_pack("{s:i, s:[oo], s:b, s:O, s:O}", "kmeter_diff", JSON_VERSION, "files", json_path(&side[0]), json_path(&side[1]), "moved",
				 status, "measurements", list, "only", only);
		json_dumpf(root, p->out, JSON_COMPACT | JSON_REAL_PRECISION(15));
		putc('\n', p->out);
		json_decref(root);
	}
	json_decref(list);
	json_decref(only);
	return status;
}
