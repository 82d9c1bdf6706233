// SPDX-License-Identifier: GPL-2.0
/*
 * render_openmetrics.c: a report as an OpenMetrics 1.0 text exposition, which Prometheus and its kin read.
 *
 * All that is of one kind and unit is one family, whatever measurements it comes from; each family has a function that
 * writes the samples of one measurement. Buckets end where slots end, and counts below a bound count values up to it: no
 * number here is rounded, and bounds in seconds are decimals made of integers.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "console/digits.h"
#include "console/keys.h"
#include "console/render.h"
#include "console/say.h"

/* ---- names ---- */

/* Letters, digits and single underscores between them, which is what both names of metrics and of labels may be of. */
static char *sanitized(const char *text)
{
	char *out = say_calloc(strlen(text) + 1, 1), *to = out;

	for (; *text; text++) {
		if (isascii(*text) && isalnum(*text))
			*to++ = *text;
		else if (to > out && to[-1] != '_')
			*to++ = '_';
	}
	if (to > out && to[-1] == '_')
		to[-1] = 0;
	return out;
}

/* What a unit is to OpenMetrics: its name there, and by what power of ten values are scaled down. */
struct unit {
	char *name;		/* "" without one */
	unsigned int decimals;
};

static struct unit unit_of(const struct snapshot *s)
{
	static const struct { const char *name; unsigned int decimals; } seconds[] = {
		{ "ns", 9 }, { "us", 6 }, { "ms", 3 }, { "s", 0 },
	};
	/* A family may not be called as a sample of another one. */
	static const char *const taken[] = { "total", "created", "count", "sum", "bucket", "gcount", "gsum", "info", "unit" };
	char *text = snapshot_value(s, "unit"), *name;
	size_t i, length, end;

	for (i = 0; text && i < sizeof(seconds) / sizeof(*seconds); i++) {
		if (strcmp(text, seconds[i].name))
			continue;
		free(text);
		return (struct unit){ say_strdup("seconds"), seconds[i].decimals };
	}
	name = sanitized(text ? text : "");
	free(text);
	length = strlen(name);
	for (i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
		end = strlen(taken[i]);
		if (length < end || strcmp(name + length - end, taken[i]) || (length > end && name[length - end - 1] != '_'))
			continue;
		text = say_text("%s_unit", name);
		free(name);
		return (struct unit){ text, 0 };
	}
	return (struct unit){ name, 0 };
}

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
}

/* ---- labels ---- */

static bool name_taken(char *const *name, unsigned int n, const char *text)
{
	static const char *const ours[] = { "measurement", "le", "quantile" };
	unsigned int i;

	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (!strcmp(ours[i], text))
			return true;
	for (i = 0; i < n; i++)
		if (!strcmp(name[i], text))
			return true;
	return false;
}

/* A label a key: its text in the script, of a pattern `point`. */
static void label_names(const struct snapshot *s, char **name)
{
	unsigned int i, number;
	char *base, *plain;

	for (i = 0; i < s->head.nby; i++) {
		plain = sanitized(s->head.by[i].type == KSTATS_BY_POINT ? "point" : s->head.by[i].text);
		base = say_text("%s%s", *plain && !isdigit(*plain) ? "" : *plain ? "key_" : "key", plain);
		free(plain);
		name[i] = say_strdup(base);
		for (number = 2; name_taken(name, i, name[i]); number++) {
			free(name[i]);
			name[i] = say_text("%s_%u", base, number);
		}
		free(base);
	}
}

/*
 * measurement="vfs_read",comm="dd" of one group. Keys of different words may read alike (two static functions of one name):
 * with @words what the words are stands behind the text.
 */
static char *labels_of(const struct keys *k, const struct snapshot *s, const struct snapshot_part *part, char *const *name,
		       bool words)
{
	char *text, *line, *printable = keys_printable(s->head.name, strlen(s->head.name));
	unsigned int i, j;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("measurement=\"", out);
	put_escaped(out, printable);
	free(printable);
	for (i = 0; i < s->head.nby && part; i++) {
		fprintf(out, "\",%s=\"", name[i]);
		line = keys_folded(k, part, i);
		put_escaped(out, line);
		free(line);
		for (j = 0; j < s->head.by[i].words && words; j++)
			fprintf(out, "%s%" PRIx64, j ? " " : " 0x", (uint64_t)keys_words(s, part, i)[j]);
	}
	putc('"', out);
	fclose(out);
	return text;
}

/* The groups of a measurement that have samples, and their labels; without `by` the only one, samples or not. */
struct groups {
	struct figures *f;
	char **labels;
	size_t n;
	struct figures all;
};

static int compare_labels(const void *a, const void *b)
{
	return strcmp(**(char **const *)a, **(char **const *)b);
}

/* Two series of one name would make the exposition invalid. */
static void tell_apart(struct groups *g, const struct keys *k, const struct snapshot *s, char *const *name)
{
	char ***sorted = say_calloc(g->n, sizeof(*sorted));
	bool *alike = say_calloc(g->n, sizeof(*alike));
	size_t i;

	for (i = 0; i < g->n; i++)
		sorted[i] = &g->labels[i];
	qsort(sorted, g->n, sizeof(*sorted), compare_labels);
	for (i = 1; i < g->n; i++)
		if (!strcmp(*sorted[i], *sorted[i - 1]))
			alike[sorted[i] - g->labels] = alike[sorted[i - 1] - g->labels] = true;
	for (i = 0; i < g->n; i++) {
		if (!alike[i])
			continue;
		free(g->labels[i]);
		g->labels[i] = labels_of(k, s, g->f[i].part, name, true);
	}
	free(alike);
	free(sorted);
}

static void find_groups(struct groups *g, const struct snapshot *s)
{
	struct keys *k = keys_new(s);
	char *name[KSTATS_BY_MAX];
	unsigned int i;

	*g = (struct groups){ 0 };
	if (s->head.nby) {
		g->f = figures_of_parts(s, FIGURES_BY_COUNT, &g->n);
	} else {
		figures_of(s, NULL, &g->all);
		g->f = &g->all;
		g->n = 1;
	}
	label_names(s, name);
	g->labels = say_calloc(g->n, sizeof(*g->labels));
	for (i = 0; i < g->n; i++)
		g->labels[i] = labels_of(k, s, g->f[i].part, name, false);
	tell_apart(g, k, s, name);
	for (i = 0; i < s->head.nby; i++)
		free(name[i]);
	keys_free(k);
}

static void free_groups(struct groups *g)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		free(g->labels[i]);
	free(g->labels);
	if (g->f == &g->all)
		figures_free(&g->all);
	else
		figures_free_all(g->f, g->n);
}

/* ---- samples: of one measurement, in the family of that name ---- */

static void put_bucket(FILE *out, const char *family, const char *labels, __u64 bound, unsigned int decimals, __u64 below)
{
	char buf[DIGITS_TEXT];

	fprintf(out, "%s_bucket{%s,le=\"%s\"} %" PRIu64 "\n", family, labels, digits_point(buf, bound, decimals), (uint64_t)below);
}

/*
 * The end of every slot with samples, and of the one before: whoever interpolates within a bucket then does so within a slot, and
 * never over values that did not come.
 */
static void put_histogram(FILE *out, const char *family, const char *labels, const struct snapshot_total *t, unsigned int decimals)
{
	__u64 below = 0, end = 0;
	char buf[DIGITS_TEXT];
	bool any = false;
	unsigned int i;

	for (i = 0; i < t->count; i++) {
		__u64 lo = kstats_slot_lo(t->first + i, t->bits);

		if (!t->slot[i].n)
			continue;
		if (lo && !(any && end == lo - 1))
			put_bucket(out, family, labels, lo - 1, decimals, below);
		below += t->slot[i].n;
		end = kstats_slot_hi(t->first + i, t->bits);
		put_bucket(out, family, labels, end, decimals, below);
		any = true;
	}
	fprintf(out, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", family, labels, (uint64_t)t->n);
	if (!t->known)		/* without the sum there may be no count either: +Inf has it */
		return;
	fprintf(out, "%s_count{%s} %" PRIu64 "\n", family, labels, (uint64_t)t->n);
	fprintf(out, "%s_sum{%s} %s\n", family, labels, decimals ? digits_point(buf, t->sum, decimals) : digits(buf, t->sum));
}

static void put_groups(FILE *out, const char *family, const struct snapshot *s)
{
	struct unit unit = unit_of(s);
	struct groups g;
	size_t i;

	find_groups(&g, s);
	for (i = 0; i < g.n; i++) {
		if (s->head.kind == KSTATS_COUNTS)
			fprintf(out, "%s_total{%s} %" PRIu64 "\n", family, g.labels[i], (uint64_t)g.f[i].total.n);
		else
			put_histogram(out, family, g.labels[i], &g.f[i].total, unit.decimals);
	}
	free_groups(&g);
	free(unit.name);
}

static void put_accounting(FILE *out, const char *family, const struct snapshot *s)
{
	char *labels = labels_of(NULL, s, NULL, NULL, false);
	unsigned int i;

	for (i = 0; i < KSTATS_NTERMS; i++)
		if (i != KSTATS_IN_FLIGHT)
			fprintf(out, "%s_total{%s,term=\"%s\"} %" PRIu64 "\n", family, labels, figures_terms[i], (uint64_t)s->head.term[i]);
	free(labels);
}

static void put_in_flight(FILE *out, const char *family, const struct snapshot *s)
{
	char *labels = labels_of(NULL, s, NULL, NULL, false);

	fprintf(out, "%s{%s} %" PRIu64 "\n", family, labels, (uint64_t)s->head.term[KSTATS_IN_FLIGHT]);
	free(labels);
}

static void put_armed(FILE *out, const char *family, const struct snapshot *s)
{
	char *labels = labels_of(NULL, s, NULL, NULL, false), buf[DIGITS_TEXT];

	fprintf(out, "%s_total{%s} %s\n", family, labels, digits_point(buf, s->head.armed_ns, 9));
	free(labels);
}

/* ---- families ---- */

static void put_head(FILE *out, const char *family, const char *type, const char *unit, const char *help)
{
	fprintf(out, "# TYPE %s %s\n", family, type);
	if (*unit)
		fprintf(out, "# UNIT %s %s\n", family, unit);
	fprintf(out, "# HELP %s %s\n", family, help);
}

static char *family_of(const struct snapshot *s)
{
	const char *kind = s->head.kind == KSTATS_DURATION ? "duration" : "value";
	struct unit unit;
	char *name;

	if (s->head.kind == KSTATS_COUNTS)
		return say_strdup("kmeter_hits");
	unit = unit_of(s);
	name = say_text("kmeter_%s%s%s", kind, *unit.name ? "_" : "", unit.name);
	free(unit.name);
	return name;
}

static void head_of(FILE *out, const char *family, const struct snapshot *s)
{
	struct unit unit;

	if (s->head.kind == KSTATS_COUNTS) {
		put_head(out, family, "counter", "", "How often it happened.");
		return;
	}
	unit = unit_of(s);
	put_head(out, family, "histogram", unit.name,
		 s->head.kind == KSTATS_DURATION ? "How long it took." : "The values that it had.");
	free(unit.name);
}

/* What the measurements measure: each family where its first measurement stands, with the samples of all that are of it. */
static void put_measured(FILE *out, const struct report *r)
{
	char **family = say_calloc(r->n, sizeof(*family));
	size_t i, j;

	for (i = 0; i < r->n; i++)
		family[i] = family_of(r->snapshots[i]);
	for (i = 0; i < r->n; i++) {
		for (j = 0; j < i && strcmp(family[j], family[i]); j++)
			;
		if (j < i)
			continue;
		head_of(out, family[i], r->snapshots[i]);
		for (j = i; j < r->n; j++)
			if (!strcmp(family[j], family[i]))
				put_groups(out, family[i], r->snapshots[j]);
	}
	for (i = 0; i < r->n; i++)
		free(family[i]);
	free(family);
}

static void write_openmetrics(FILE *out, const struct report *r, const struct render_options *options)
{
	static const struct {
		const char *family, *type, *unit, *help;
		void (*put)(FILE *out, const char *family, const struct snapshot *s);
	} about[] = {
		{ "kmeter_accounting", "counter", "",
		  "Where the hits went: hits is what all other terms and kmeter_in_flight add up to.", put_accounting },
		{ "kmeter_in_flight", "gauge", "", "Began and has not ended yet.", put_in_flight },
		{ "kmeter_armed_seconds", "counter", "seconds", "How long it was measured.", put_armed },
	};
	size_t i, j;

	put_measured(out, r);
	for (i = 0; i < sizeof(about) / sizeof(*about) && r->n; i++) {
		put_head(out, about[i].family, about[i].type, about[i].unit, about[i].help);
		for (j = 0; j < r->n; j++)
			about[i].put(out, about[i].family, r->snapshots[j]);
	}
	fputs("# EOF\n", out);
}

const struct render render_openmetrics = { .name = "openmetrics", .moment = true, .write = write_openmetrics };
