// SPDX-License-Identifier: GPL-2.0
/*
 * exposition.c: what is measured as families of series: their names, their labels, what they hold.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "console/exposition.h"
#include "console/figures.h"
#include "console/keys.h"
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

/* ---- labels ---- */

static void add_label(struct exposition_labels *l, const char *name, char *value)
{
	l->label = say_realloc(l->label, l->n + 1, sizeof(*l->label));
	l->label[l->n++] = (struct exposition_label){ say_strdup(name), value };
}

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

static void label_measurement(const struct snapshot *s, struct exposition_labels *out)
{
	*out = (struct exposition_labels){ 0 };
	add_label(out, "measurement", keys_printable(s->head.name, strlen(s->head.name)));
}

/* The text of key @i, and with @words what is behind it, "dd 0x6464 0". */
static char *label_text(const struct snapshot *s, const struct keys *k, const struct snapshot_part *part, unsigned int i, bool words)
{
	char *text, *line = keys_folded(k, part, i);
	unsigned int j;
	size_t size;
	FILE *out;

	if (!words)
		return line;
	out = open_memstream(&text, &size);
	fputs(line, out);
	for (j = 0; j < s->head.by[i].words; j++)
		fprintf(out, "%s%" PRIx64, j ? " " : " 0x", (uint64_t)keys_words(s, part, i)[j]);
	fclose(out);
	free(line);
	return text;
}

/* @part, or where that is NULL @all. */
static void label_keys(const struct snapshot *s, const struct keys *k, const struct snapshot_part *part, bool words, const char *all,
		       struct exposition_labels *out)
{
	char *name[KSTATS_BY_MAX];
	unsigned int i;

	label_measurement(s, out);
	label_names(s, name);
	for (i = 0; i < s->head.nby; i++) {
		if (part || all)
			add_label(out, name[i], part ? label_text(s, k, part, i, words) : say_strdup(all));
		free(name[i]);
	}
}

void exposition_label(const struct snapshot *s, const struct keys *k, const struct snapshot_part *part, bool words,
		      struct exposition_labels *out)
{
	label_keys(s, k, part, words, NULL, out);
}

void exposition_label_all(const struct snapshot *s, const char *text, struct exposition_labels *out)
{
	label_keys(s, NULL, NULL, false, text, out);
}

void exposition_copy_labels(struct exposition_labels *to, const struct exposition_labels *from)
{
	unsigned int i;

	*to = (struct exposition_labels){ 0 };
	for (i = 0; i < from->n; i++)
		add_label(to, from->label[i].name, say_strdup(from->label[i].value));
}

bool exposition_labels_alike(const struct exposition_labels *a, const struct exposition_labels *b)
{
	unsigned int i;

	for (i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->label[i].name, b->label[i].name) || strcmp(a->label[i].value, b->label[i].value))
			return false;
	return a->n == b->n;
}

void exposition_free_labels(struct exposition_labels *l)
{
	while (l->n) {
		free(l->label[--l->n].name);
		free(l->label[l->n].value);
	}
	free(l->label);
	l->label = NULL;
}

/* ---- families and series ---- */

struct exposition_family *exposition_family(struct exposition *e, enum exposition_type type, const char *name, const char *unit, const char *help)
{
	struct exposition_family *f;

	e->family = say_realloc(e->family, e->n + 1, sizeof(*e->family));
	f = &e->family[e->n++];
	*f = (struct exposition_family){ .name = say_strdup(name), .unit = say_strdup(unit), .help = help, .type = type };
	return f;
}

static struct exposition_series *add_series(struct exposition_family *f)
{
	if (f->n == f->room) {
		f->room = f->room ? 2 * f->room : 16;
		f->series = say_realloc(f->series, f->room, sizeof(*f->series));
	}
	f->series[f->n] = (struct exposition_series){ 0 };
	return &f->series[f->n++];
}

struct exposition_series *exposition_series(struct exposition_family *f, const struct snapshot *s, const char *label, const char *text,
					    u128 value)
{
	struct exposition_series *series = add_series(f);

	if (s)
		label_measurement(s, &series->labels);
	if (label)
		add_label(&series->labels, label, say_strdup(text));
	series->value = value;
	return series;
}

double exposition_double(u128 value, unsigned int decimals)
{
	long double scale = 1;

	while (decimals--)
		scale *= 10;
	return value / scale;
}

void exposition_free(struct exposition *e)
{
	size_t i, j;

	for (i = 0; i < e->n; i++) {
		struct exposition_family *f = &e->family[i];

		for (j = 0; j < f->n; j++) {
			exposition_free_labels(&f->series[j].labels);
			free(f->series[j].bucket);
			free(f->series[j].native);
		}
		free(f->series);
		free(f->name);
		free(f->unit);
	}
	free(e->family);
	*e = (struct exposition){ 0 };
}

/* ---- what is measured ---- */

static void fill_histogram(struct exposition_series *series, const struct exposition_source *from, const struct exposition_group *g)
{
	const struct snapshot_total *t = &g->total;
	struct buckets own = { 0 };
	const struct buckets *b = from->buckets;
	__u64 *below;
	unsigned int i;

	if (!b) {
		buckets_of_slots(t, &own);
		b = &own;
	}
	below = say_calloc(b->n, sizeof(*below));
	buckets_fill(b, t, below);
	series->bucket = say_calloc(b->n, sizeof(*series->bucket));
	for (i = 0; i < b->n; i++)
		series->bucket[series->nbuckets++] = (struct exposition_bucket){ b->end[i], below[i] };
	free(below);
	buckets_free(&own);
	series->count = t->n;
	series->known = t->known;
	series->value = t->sum;
	if (!from->native || from->s->head.bits == KSTATS_BITS_NONE)
		return;
	series->schema = buckets_schema(t->bits);
	series->native = buckets_native(t, series->decimals, &series->nnative, &series->zero);
}

static void add_groups(struct exposition_family *f, const struct exposition_source *from, unsigned int decimals)
{
	size_t i;

	for (i = 0; i < from->ngroups; i++) {
		struct exposition_series *series = add_series(f);

		exposition_copy_labels(&series->labels, &from->group[i].labels);
		series->created = from->created;
		series->decimals = decimals;
		if (f->type == EXPOSITION_HISTOGRAM)
			fill_histogram(series, from, &from->group[i]);
		else
			series->value = from->group[i].total.n;
	}
}

static char *family_of(const struct snapshot *s, const struct unit *unit)
{
	const char *kind = s->head.kind == KSTATS_DURATION ? "duration" : "value";

	return s->head.kind == KSTATS_COUNTS ? say_strdup("kmeter_hits")
					     : say_text("kmeter_%s%s%s", kind, *unit->name ? "_" : "", unit->name);
}

/* Each family where its first measurement stands, with the series of all that are of it. */
static void add_measured(struct exposition *e, const struct exposition_source *source, size_t n)
{
	size_t i, j;

	for (i = 0; i < n; i++) {
		const struct snapshot *s = source[i].s;
		struct unit unit = unit_of(s);
		char *name = family_of(s, &unit);

		for (j = 0; j < e->n && strcmp(e->family[j].name, name); j++)
			;
		if (j == e->n && s->head.kind == KSTATS_COUNTS)
			exposition_family(e, EXPOSITION_COUNTER, name, "", "How often it happened.");
		else if (j == e->n)
			exposition_family(e, EXPOSITION_HISTOGRAM, name, unit.name,
					  s->head.kind == KSTATS_DURATION ? "How long it took." : "The values that it had.");
		add_groups(&e->family[j], &source[i], unit.decimals);
		free(name);
		free(unit.name);
	}
}

static void add_about(struct exposition *e, const struct exposition_source *source, size_t n)
{
	struct exposition_family *f;
	unsigned int term;
	size_t i;

	f = exposition_family(e, EXPOSITION_COUNTER, "kmeter_accounting", "",
			      "Where the hits went: hits is what all other terms and kmeter_in_flight add up to.");
	for (i = 0; i < n; i++)
		for (term = 0; term < KSTATS_IN_FLIGHT; term++)
			exposition_series(f, source[i].s, "term", figures_terms[term], source[i].term[term]);
	f = exposition_family(e, EXPOSITION_GAUGE, "kmeter_in_flight", "", "Began and has not ended yet.");
	for (i = 0; i < n; i++)
		exposition_series(f, source[i].s, NULL, NULL, source[i].term[KSTATS_IN_FLIGHT]);
	f = exposition_family(e, EXPOSITION_COUNTER, "kmeter_armed_seconds", "seconds", "How long it was measured.");
	for (i = 0; i < n; i++)
		exposition_series(f, source[i].s, NULL, NULL, source[i].armed_ns)->decimals = 9;
}

void exposition_make(struct exposition *e, const struct exposition_source *source, size_t n)
{
	*e = (struct exposition){ 0 };
	add_measured(e, source, n);
	if (n)
		add_about(e, source, n);
}
