// SPDX-License-Identifier: GPL-2.0
/*
 * exposition_text.c: an exposition as OpenMetrics 1.0, or as the text format that Prometheus had before (0.0.4).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "console/digits.h"
#include "console/exposition.h"
#include "console/say.h"

/* A bucket's end as it was written last: the next histogram mostly has the same, and it takes long to find. */
struct bound {
	__u64 end;
	unsigned int decimals;
	char text[DIGITS_TEXT];
};

struct writing {
	FILE *out;
	bool openmetrics, doubles;
	struct bound *bound;		/* of the how-manyth bucket */
	unsigned int nbounds;
};

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

/* measurement="vfs_read",comm="dd"; to be freed. */
static char *labels_text(const struct exposition_labels *l)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	unsigned int i;

	for (i = 0; i < l->n; i++) {
		fprintf(out, "%s%s=\"", i ? "," : "", l->label[i].name);
		put_escaped(out, l->label[i].value);
		putc('"', out);
	}
	fclose(out);
	return text;
}

/*
 * As Go's strconv writes a double in the fewest digits that mean it, with a point or an exponent in any case: what Prometheus makes of the
 * bounds of buckets that come as doubles. In @buf, of DIGITS_TEXT bytes.
 */
static void as_double(double v, char *buf)
{
	char digits[32], *e;
	int precision, exponent;

	for (precision = 0; precision < 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*e", precision, v);
		if (strtod(digits, NULL) == v)
			break;
	}
	e = strchr(digits, 'e');
	exponent = atoi(e + 1);
	if (exponent < -4 || exponent >= 6)
		snprintf(buf, DIGITS_TEXT, "%s", digits);
	else
		snprintf(buf, DIGITS_TEXT, "%.*f", precision > exponent ? precision - exponent : 1, v);
}

static const char *end_text(struct writing *w, const struct exposition_series *s, unsigned int i)
{
	struct bound *b = &w->bound[i];
	char buf[DIGITS_TEXT];

	if (i < w->nbounds && b->end == s->bucket[i].end && b->decimals == s->decimals)
		return b->text;
	b->end = s->bucket[i].end;
	b->decimals = s->decimals;
	if (w->doubles)
		as_double(exposition_double(b->end, b->decimals), b->text);
	else
		strcpy(b->text, digits_point(buf, b->end, b->decimals));
	w->nbounds = i < w->nbounds ? w->nbounds : i + 1;
	return b->text;
}

static void put_number(FILE *out, u128 value, unsigned int decimals)
{
	char buf[DIGITS_TEXT];

	fprintf(out, "%s\n", decimals ? digits_point(buf, value, decimals) : digits(buf, value));
}

static void put_histogram(struct writing *w, const char *name, const char *labels, const struct exposition_series *s)
{
	unsigned int i;

	if (s->nbuckets > w->nbounds)
		w->bound = say_realloc(w->bound, s->nbuckets, sizeof(*w->bound));
	for (i = 0; i < s->nbuckets; i++)
		fprintf(w->out, "%s_bucket{%s,le=\"%s\"} %" PRIu64 "\n", name, labels, end_text(w, s, i), (uint64_t)s->bucket[i].below);
	fprintf(w->out, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels, (uint64_t)s->count);
	if (!s->known && w->openmetrics)	/* there without the sum there may be no count either: +Inf has it */
		return;
	fprintf(w->out, "%s_count{%s} %" PRIu64 "\n", name, labels, (uint64_t)s->count);
	if (!s->known)
		return;
	fprintf(w->out, "%s_sum{%s} ", name, labels);
	put_number(w->out, s->value, s->decimals);
}

static void put_series(struct writing *w, const struct exposition_family *f, const struct exposition_series *s)
{
	static const char *const suffix[] = { [EXPOSITION_COUNTER] = "_total", [EXPOSITION_GAUGE] = "", [EXPOSITION_INFO] = "_info" };
	char *labels = labels_text(&s->labels);

	if (f->type == EXPOSITION_HISTOGRAM) {
		put_histogram(w, f->name, labels, s);
	} else {
		fprintf(w->out, "%s%s%s%s%s ", f->name, suffix[f->type], *labels ? "{" : "", labels, *labels ? "}" : "");
		put_number(w->out, s->value, s->decimals);
	}
	if (s->created && w->openmetrics)
		fprintf(w->out, "%s_created{%s} %.3f\n", f->name, labels, s->created);
	free(labels);
}

/* The older format has no infos, and calls a counter as its samples are called. */
static void put_head(const struct writing *w, const struct exposition_family *f)
{
	static const char *const types[][2] = {
		[EXPOSITION_COUNTER] = { "counter", "counter" },
		[EXPOSITION_GAUGE] = { "gauge", "gauge" },
		[EXPOSITION_HISTOGRAM] = { "histogram", "histogram" },
		[EXPOSITION_INFO] = { "gauge", "info" },
	};
	const char *suffix = w->openmetrics ? "" : f->type == EXPOSITION_COUNTER ? "_total" : f->type == EXPOSITION_INFO ? "_info" : "";

	fprintf(w->out, "# TYPE %s%s %s\n", f->name, suffix, types[f->type][w->openmetrics]);
	if (*f->unit && w->openmetrics)
		fprintf(w->out, "# UNIT %s %s\n", f->name, f->unit);
	fprintf(w->out, "# HELP %s%s %s\n", f->name, suffix, f->help);
}

void exposition_text(FILE *out, const struct exposition *e, enum exposition_form form, bool doubles)
{
	struct writing w = { .out = out, .openmetrics = form == EXPOSITION_OPENMETRICS, .doubles = doubles };
	size_t i, j;

	for (i = 0; i < e->n; i++) {
		put_head(&w, &e->family[i]);
		for (j = 0; j < e->family[i].n; j++)
			put_series(&w, &e->family[i], &e->family[i].series[j]);
	}
	if (w.openmetrics)
		fputs("# EOF\n", out);
	free(w.bound);
}
