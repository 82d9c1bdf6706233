// SPDX-License-Identifier: GPL-2.0
/*
 * exposition_text.c: an exposition as OpenMetrics 1.0, or as the text format that Prometheus had before (0.0.4).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "console/digits.h"
#include "console/exposition.h"

struct writing {
	FILE *out;
	bool openmetrics, doubles;
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

/* The name of a sample and its labels, of which the last may be @label="@text". */
static void put_name(FILE *out, const struct exposition_family *f, const char *suffix, const struct exposition_labels *l, const char *label,
		     const char *text)
{
	const char *before = "{";
	unsigned int i;

	fprintf(out, "%s%s", f->name, suffix);
	for (i = 0; i < l->n; i++, before = ",") {
		fprintf(out, "%s%s=\"", before, l->label[i].name);
		put_escaped(out, l->label[i].value);
		putc('"', out);
	}
	if (label)
		fprintf(out, "%s%s=\"%s\"", before, label, text);
	fputs(l->n || label ? "} " : " ", out);
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

static void put_bucket(const struct writing *w, const struct exposition_family *f, const struct exposition_series *s,
		       const struct exposition_bucket *b)
{
	char buf[DIGITS_TEXT];
	const char *end = buf;

	if (w->doubles)
		as_double(exposition_double(b->end, s->decimals), buf);
	else
		end = digits_point(buf, b->end, s->decimals);
	put_name(w->out, f, "_bucket", &s->labels, "le", end);
	fprintf(w->out, "%" PRIu64 "\n", (uint64_t)b->below);
}

static void put_number(FILE *out, u128 value, unsigned int decimals)
{
	char buf[DIGITS_TEXT];

	fprintf(out, "%s\n", decimals ? digits_point(buf, value, decimals) : digits(buf, value));
}

static void put_histogram(const struct writing *w, const struct exposition_family *f, const struct exposition_series *s)
{
	unsigned int i;

	for (i = 0; i < s->nbuckets; i++)
		put_bucket(w, f, s, &s->bucket[i]);
	put_name(w->out, f, "_bucket", &s->labels, "le", "+Inf");
	put_number(w->out, s->count, 0);
	if (!s->known && w->openmetrics)	/* there without the sum there may be no count either: +Inf has it */
		return;
	put_name(w->out, f, "_count", &s->labels, NULL, NULL);
	put_number(w->out, s->count, 0);
	if (!s->known)
		return;
	put_name(w->out, f, "_sum", &s->labels, NULL, NULL);
	put_number(w->out, s->value, s->decimals);
}

static void put_series(const struct writing *w, const struct exposition_family *f, const struct exposition_series *s)
{
	static const char *const suffix[] = { [EXPOSITION_COUNTER] = "_total", [EXPOSITION_GAUGE] = "", [EXPOSITION_INFO] = "_info" };

	if (f->type == EXPOSITION_HISTOGRAM) {
		put_histogram(w, f, s);
	} else {
		put_name(w->out, f, suffix[f->type], &s->labels, NULL, NULL);
		put_number(w->out, s->value, s->decimals);
	}
	if (s->created && w->openmetrics) {
		put_name(w->out, f, "_created", &s->labels, NULL, NULL);
		fprintf(w->out, "%.3f\n", s->created);
	}
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
	struct writing w = { out, form == EXPOSITION_OPENMETRICS, doubles };
	size_t i, j;

	for (i = 0; i < e->n; i++) {
		put_head(&w, &e->family[i]);
		for (j = 0; j < e->family[i].n; j++)
			put_series(&w, &e->family[i], &e->family[i].series[j]);
	}
	if (w.openmetrics)
		fputs("# EOF\n", out);
}
