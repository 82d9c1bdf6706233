// SPDX-License-Identifier: GPL-2.0
/*
 * render_openmetrics.c: a report as an exposition of OpenMetrics 1.0, or of Prometheus's older text format: every group has its series, and
 * buckets are slots.
 */
#include <stdlib.h>
#include <string.h>

#include "console/exposition.h"
#include "console/keys.h"
#include "console/render.h"
#include "console/say.h"

static int compare_labels(const void *a, const void *b)
{
	const struct exposition_labels *p = &(*(struct exposition_group *const *)a)->labels, *q = &(*(struct exposition_group *const *)b)->labels;
	unsigned int i;
	int order = 0;

	for (i = 0; i < p->n && !order; i++)	/* of one measurement: the names are the same */
		order = strcmp(p->label[i].value, q->label[i].value);
	return order;
}

/* Two series of one name would make the exposition invalid. */
static void tell_apart(struct exposition_group *group, const struct figures *f, size_t n, const struct keys *k, const struct snapshot *s)
{
	struct exposition_group **sorted = say_calloc(n, sizeof(*sorted));
	bool *alike = say_calloc(n, sizeof(*alike));
	size_t i;

	for (i = 0; i < n; i++)
		sorted[i] = &group[i];
	qsort(sorted, n, sizeof(*sorted), compare_labels);
	for (i = 1; i < n; i++)
		if (!compare_labels(&sorted[i], &sorted[i - 1]))
			alike[sorted[i] - group] = alike[sorted[i - 1] - group] = true;
	for (i = 0; i < n; i++) {
		if (!alike[i])
			continue;
		exposition_free_labels(&group[i].labels);
		exposition_label(s, k, f[i].part, true, &group[i].labels);
	}
	free(alike);
	free(sorted);
}

/* The groups that have samples; without `by` the only one, samples or not. */
static void find_groups(struct exposition_source *from)
{
	const struct snapshot *s = from->s;
	struct exposition_group *group;
	struct figures all, *f = &all;
	struct keys *k = keys_new(s);
	size_t n = 1, i;

	if (s->head.nby)
		f = figures_of_parts(s, FIGURES_BY_COUNT, &n);
	else
		figures_of(s, NULL, f);
	group = say_calloc(n, sizeof(*group));
	for (i = 0; i < n; i++) {
		exposition_label(s, k, f[i].part, false, &group[i].labels);
		group[i].total = f[i].total;
		f[i].total.slot = NULL;		/* it is the group's */
	}
	tell_apart(group, f, n, k, s);
	keys_free(k);
	if (f == &all)
		figures_free(f);
	else
		figures_free_all(f, n);
	from->group = group;
	from->ngroups = n;
}

static void free_groups(struct exposition_source *from)
{
	struct exposition_group *group = (struct exposition_group *)from->group;

	while (from->ngroups) {
		exposition_free_labels(&group[--from->ngroups].labels);
		snapshot_total_free(&group[from->ngroups].total);
	}
	free(group);
}

static void write_exposition(FILE *out, const struct report *r, enum exposition_form form)
{
	struct exposition_source *from = say_calloc(r->n, sizeof(*from));
	struct exposition e;
	size_t i;

	for (i = 0; i < r->n; i++) {
		from[i].s = r->snapshots[i];
		memcpy(from[i].term, from[i].s->head.term, sizeof(from[i].term));
		from[i].armed_ns = from[i].s->head.armed_ns;
		find_groups(&from[i]);
	}
	exposition_make(&e, from, r->n);
	exposition_text(out, &e, form, false);
	exposition_free(&e);
	for (i = 0; i < r->n; i++)
		free_groups(&from[i]);
	free(from);
}

static void write_openmetrics(FILE *out, const struct report *r, const struct render_options *options)
{
	write_exposition(out, r, EXPOSITION_OPENMETRICS);
}

static void write_prometheus(FILE *out, const struct report *r, const struct render_options *options)
{
	write_exposition(out, r, EXPOSITION_PROMETHEUS);
}

const struct render render_openmetrics = { .name = "openmetrics", .moment = true, .write = write_openmetrics };
const struct render render_prometheus = { .name = "prometheus", .moment = true, .write = write_prometheus };
