// SPDX-License-Identifier: GPL-2.0
/*
 * render_json.c: a report as one line of JSON, stable and complete: docs/json.md describes every field, and what changes
 * there changes JSON_VERSION.
 *
 * Nothing is rounded: counts, bounds and sums are integers. Those above 2^63 - 1, which most JSON libraries cannot hold,
 * are strings of digits.
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console/json.h"
#include "console/keys.h"
#include "console/render.h"
#include "console/say.h"

static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

/* Text of the kernel or of a user: what is not UTF-8 is escaped as in the text report. */
static json_t *string(const char *text, size_t length)
{
	json_t *value = json_stringn(text, length);
	char *printable;

	if (!value) {
		printable = keys_printable(text, length);
		value = json_string(printable);
		free(printable);
	}
	return value;
}

/* The number in a line, null without it. */
static void set_number(json_t *to, const char *field, const struct snapshot *s, const char *word)
{
	char *value = snapshot_value(s, word);

	json_object_set_new(to, field, value ? json_wide(strtoull(value, NULL, 10)) : json_null());
	free(value);
}

static void set_line(json_t *to, const char *field, const struct snapshot *s, const char *word)
{
	const char *at = NULL, *value;
	size_t length;

	value = snapshot_line(s, word, &at, &length);
	json_object_set_new(to, field, value ? string(value, length) : json_null());
}

/* Why the guard has stopped it, null where it has not. */
static json_t *overload(const struct snapshot *s)
{
	char *value = snapshot_value(s, "overload");
	unsigned int percent, cpu, each;
	unsigned long long rate;
	json_t *o = NULL;

	if (value && sscanf(value, "%u %u %llu %u", &percent, &cpu, &rate, &each) == 4)
		o = json_pack("{s:o, s:o, s:o, s:o}", "percent", json_wide(percent), "cpu", json_wide(cpu), "hits_per_second", json_wide(rate),
			      "hit_ns", json_wide(each));
	free(value);
	return o ? o : json_null();
}

/* [{"point": "vfs_read", "mechanism": "kretprobe"}, …] */
static json_t *points(const struct snapshot *s)
{
	const char *at = NULL, *line;
	json_t *list = json_array();
	size_t length;

	while ((line = snapshot_line(s, "point", &at, &length))) {
		size_t word = snapshot_first_word(line, length);
		json_t *point = json_object();

		json_object_set_new(point, "point", string(line, word));
		json_object_set_new(point, "mechanism", word < length ? string(line + word + 1, length - word - 1)
								      : json_null());
		json_array_append_new(list, point);
	}
	return list;
}

/* [{"value": 38, "from": "direct/fast", "to": null}, …]: of the ways that these figures can have come by. */
static json_t *floors(const struct snapshot *s)
{
	const char *at = NULL, *line;
	json_t *list = json_array();
	size_t length;

	while ((line = snapshot_line(s, "floor", &at, &length))) {
		size_t value = snapshot_first_word(line, length), from;
		json_t *floor = json_object();

		json_object_set_new(floor, "value", json_wide(strtoull(line, NULL, 10)));
		line += value < length ? value + 1 : length;
		length -= value < length ? value + 1 : length;
		from = snapshot_first_word(line, length);
		json_object_set_new(floor, "from", string(line, from));
		json_object_set_new(floor, "to", from < length ? string(line + from + 1, length - from - 1) : json_null());
		json_array_append_new(list, floor);
	}
	return list;
}

/* The kernel's own lines, all of them, as they came. */
static json_t *text_lines(const struct snapshot *s)
{
	json_t *list = json_array();
	const char *line = s->text;
	size_t length;

	for (; *line; line += length + (line[length] == '\n')) {
		length = strcspn(line, "\n");
		if (length)
			json_array_append_new(list, string(line, length));
	}
	return list;
}

static json_t *accounting(const struct snapshot *s)
{
	json_t *terms = json_object();
	char field[JSON_TERM];
	unsigned int i;

	for (i = 0; i < KSTATS_NTERMS; i++)
		json_object_set_new(terms, json_term(i, field), json_wide(s->head.term[i]));
	json_object_set_new(terms, "balanced", json_boolean(snapshot_accounted(s) == s->head.term[KSTATS_HITS]));
	return terms;
}

/* What came before the last RESET. A difference is of what came since another report: it has no such. */
static json_t *before(const struct snapshot *s)
{
	json_t *terms;
	char field[JSON_TERM];
	unsigned int i;

	if (!s->head.resets || s->interval)
		return json_null();
	terms = json_object();
	json_object_set_new(terms, "armed_ns", json_wide(s->head.armed_before));
	for (i = 0; i < KSTATS_IN_FLIGHT; i++)
		json_object_set_new(terms, json_term(i, field), json_wide(s->head.before[i]));
	return terms;
}

static json_t *by(const struct snapshot *s)
{
	json_t *list = json_array(), *key;
	unsigned int i;

	for (i = 0; i < s->head.nby; i++) {
		key = json_object();
		json_object_set_new(key, "text", string(s->head.by[i].text, strlen(s->head.by[i].text)));
		json_object_set_new(key, "type", json_string(json_by_types[s->head.by[i].type]));
		json_object_set_new(key, "words", json_integer(s->head.by[i].words));
		json_array_append_new(list, key);
	}
	return list;
}

/* A name of keys.h, which frees it. */
static json_t *taken(char *name)
{
	json_t *value = name ? json_string(name) : json_null();

	free(name);
	return value;
}

static json_t *one_key(const struct keys *k, const struct snapshot *s, const struct snapshot_part *part, unsigned int i)
{
	const __u64 *word = keys_words(s, part, i);
	json_t *list;
	unsigned int frame;

	switch (s->head.by[i].type) {
	case KSTATS_BY_STRING:
		return taken(keys_text(k, part, i));
	case KSTATS_BY_S64:
	case KSTATS_BY_ERRNO:
	case KSTATS_BY_ENUM:
		return json_integer((int64_t)*word);
	case KSTATS_BY_STACK:
		list = json_array();
		for (frame = 0; frame < keys_frames(s, part, i); frame++)
			json_array_append_new(list, json_wide(word[frame]));
		return list;
	default:
		return json_wide(*word);
	}
}

static json_t *one_name(const struct keys *k, const struct snapshot *s, const struct snapshot_part *part, unsigned int i)
{
	json_t *list;
	unsigned int frame;

	if (s->head.by[i].type != KSTATS_BY_STACK)
		return taken(keys_name(k, part, i));
	list = json_array();
	for (frame = 0; frame < keys_frames(s, part, i); frame++)
		json_array_append_new(list, taken(keys_frame(s, part, i, frame)));
	return list;
}

/* "key": the values; "names": what they are called, null where they are not called anything; "words": as they are in the kernel. */
static void set_key(json_t *o, const struct keys *k, const struct snapshot *s, const struct snapshot_part *part)
{
	json_t *values = json_array(), *names = json_array(), *words = json_array();
	unsigned int i, n = s->head.by_words;

	for (i = 0; i < s->head.nby; i++) {
		json_array_append_new(values, one_key(k, s, part, i));
		json_array_append_new(names, one_name(k, s, part, i));
	}
	while (n && !part->key[n - 1])
		n--;
	for (i = 0; i < n; i++)
		json_array_append_new(words, json_wide(part->key[i]));
	json_object_set_new(o, "key", values);
	json_object_set_new(o, "names", names);
	json_object_set_new(o, "words", words);
}

static json_t *bound(const struct figures_bound *b)
{
	json_t *o = json_object();

	json_object_set_new(o, "lo", json_wide(b->lo));
	json_object_set_new(o, "hi", json_wide(b->hi));
	json_object_set_new(o, "exact", json_boolean(b->lo == b->hi));
	return o;
}

static json_t *quantiles(const struct figures *f)
{
	json_t *all = json_object(), *o;
	unsigned int i;

	for (i = 0; i < FIGURES_QUANTILES; i++) {
		const struct quantile *q = &f->quantile[i];

		o = json_object();
		json_object_set_new(o, "value", real(q->value));
		json_object_set_new(o, "lo", json_wide(q->lo));
		json_object_set_new(o, "hi", json_wide(q->hi));
		json_object_set_new(all, quantile_points[i].name, o);
	}
	return all;
}

/* [[slot, lo, hi, n, mean|null, sum|null], …], the ones with samples. */
static json_t *slots(const struct snapshot_total *t)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < t->count; i++) {
		const struct snapshot_slot *s = &t->slot[i];
		__u64 lo = kstats_slot_lo(t->first + i, t->bits);
		json_t *row;

		if (!s->n)
			continue;
		row = json_array();
		json_array_append_new(row, json_integer(t->first + i));
		json_array_append_new(row, json_wide(lo));
		json_array_append_new(row, json_wide(kstats_slot_hi(t->first + i, t->bits)));
		json_array_append_new(row, json_wide(s->n));
		json_array_append_new(row, s->known ? real(lo + (double)s->excess / s->n) : json_null());
		json_array_append_new(row, s->known ? json_wide((u128)s->n * lo + s->excess) : json_null());
		json_array_append_new(list, row);
	}
	return list;
}

/* [{"cpu": 0, "count": n, "slots": […]}, …], the ones with samples. Counts have no slots. */
static json_t *per_cpu(const struct snapshot *s, const struct snapshot_part *part)
{
	unsigned int n, i, *cpus = snapshot_cpus(part, &n);
	json_t *list = json_array(), *o;
	struct snapshot_total t;

	for (i = 0; i < n; i++) {
		snapshot_total(s, part, cpus[i], &t);
		if (t.n) {
			o = json_object();
			json_object_set_new(o, "cpu", json_integer(cpus[i]));
			json_object_set_new(o, "count", json_wide(t.n));
			if (s->head.kind != KSTATS_COUNTS)
				json_object_set_new(o, "slots", slots(&t));
			json_array_append_new(list, o);
		}
		snapshot_total_free(&t);
	}
	free(cpus);
	return list;
}

/* Count to quantiles: of a group, or of all of them together. Of counts: the count. */
static void set_figures(json_t *o, const struct snapshot *s, const struct figures *f)
{
	bool any = f->total.n;

	json_object_set_new(o, "count", json_wide(f->total.n));
	if (s->head.kind == KSTATS_COUNTS)
		return;
	json_object_set_new(o, "sum", any && f->total.known ? json_wide(f->total.sum) : json_null());
	json_object_set_new(o, "mean", real(f->mean));
	json_object_set_new(o, "mean_lo", real(f->mean_lo));
	json_object_set_new(o, "mean_hi", real(f->mean_hi));
	json_object_set_new(o, "min", any ? bound(&f->min) : json_null());
	json_object_set_new(o, "max", any ? bound(&f->max) : json_null());
	json_object_set_new(o, "quantiles", any && s->head.bits != KSTATS_BITS_NONE ? quantiles(f) : json_null());
}

/* Every group, whatever --top says: a program that reads this can choose for itself. Without `by` there is one. */
static json_t *groups(const struct snapshot *s, enum figures_order order)
{
	struct keys *k = keys_new(s);
	json_t *list = json_array(), *o;
	struct figures *f;
	size_t n, i;

	f = figures_of_parts(s, order, &n);
	for (i = 0; i < n; i++) {
		o = json_object();
		set_key(o, k, s, f[i].part);
		set_figures(o, s, &f[i]);
		if (s->head.kind == KSTATS_DURATION && s->head.form == KSTATS_PROFILE && f[i].part)
			json_object_set_new(o, "squares", json_digits(f[i].part->squares));
		if (s->head.kind != KSTATS_COUNTS)
			json_object_set_new(o, "slots", slots(&f[i].total));
		json_object_set_new(o, "cpus", per_cpu(s, f[i].part));
		json_array_append_new(list, o);
	}
	figures_free_all(f, n);
	keys_free(k);
	return list;
}

/* The matches of a pattern: what they are called, at the place of their number. */
static json_t *matches(const struct snapshot *s)
{
	const char *at = NULL, *line;
	json_t *list = json_array(), *o;
	size_t length, word;

	while ((line = snapshot_line(s, "match", &at, &length))) {
		word = snapshot_first_word(line, length);
		o = json_object();
		json_object_set_new(o, "number", json_wide(strtoull(line, NULL, 10)));
		json_object_set_new(o, "text", word < length ? string(line + word + 1, length - word - 1) : json_null());
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *measurement(const struct snapshot *s, const struct render_options *options)
{
	const struct kstats_snapshot *h = &s->head;
	json_t *o = json_object();
	struct figures all;

	json_object_set_new(o, "name", string(h->name, strlen(h->name)));
	set_line(o, "statement", s, "statement");
	set_line(o, "module", s, "module");
	json_object_set_new(o, "kind", json_string(json_kinds[h->kind]));
	json_object_set_new(o, "form", json_string(json_forms[h->form]));
	set_line(o, "watch", s, "watch");
	json_object_set_new(o, "points", points(s));
	json_object_set_new(o, "matches", matches(s));
	set_line(o, "key", s, "key");
	if (h->kind == KSTATS_COUNTS)
		json_object_set_new(o, "unit", json_null());
	else
		set_line(o, "unit", s, "unit");
	set_line(o, "clock", s, "clock");
	json_object_set_new(o, "floor", floors(s));
	set_number(o, "floor_shared", s, "shared");
	json_object_set_new(o, "overload", overload(s));
	json_object_set_new(o, "state", json_string(h->state == KSTATS_ARMED ? "armed" : "stopped"));
	json_object_set_new(o, "interval", json_boolean(s->interval));
	json_object_set_new(o, "restarted", json_boolean(s->restarted));
	json_object_set_new(o, "armed_ns", json_wide(h->armed_ns));
	json_object_set_new(o, "now_ns", json_wide(h->now_ns));
	json_object_set_new(o, "made_ns", h->made_ns ? json_wide(h->made_ns) : json_null());
	json_object_set_new(o, "resets", json_wide(h->resets));
	json_object_set_new(o, "before", before(s));
	json_object_set_new(o, "memory", json_wide(h->memory));
	json_object_set_new(o, "possible_cpus", json_integer(h->cpus));
	json_object_set_new(o, "bits", h->bits == KSTATS_BITS_NONE ? json_null() : json_integer(h->bits));
	json_object_set_new(o, "range", json_pack("[ii]", (int)h->first, (int)h->slots));
	json_object_set_new(o, "accounting", accounting(s));
	json_object_set_new(o, "by", by(s));
	set_number(o, "top", s, "top");
	figures_of(s, NULL, &all);
	set_figures(o, s, &all);
	figures_free(&all);
	json_object_set_new(o, "groups", groups(s, options->order));
	json_object_set_new(o, "text", text_lines(s));
	return o;
}

static json_t *text(const char *value)
{
	return value ? string(value, strlen(value)) : json_null();
}

static json_t *moment(const struct timespec *t)
{
	return json_real(t->tv_sec + t->tv_nsec / 1e9);
}

static json_t *sources(const struct report *report)
{
	json_t *list, *o;
	size_t i;

	if (!report->sources)
		return json_null();
	list = json_array();
	for (i = 0; i < report->nsources; i++) {
		const struct report_source *from = &report->sources[i];

		o = json_object();
		json_object_set_new(o, "host", text(from->host));
		json_object_set_new(o, "boot", text(from->boot));
		json_object_set_new(o, "release", text(from->release));
		json_object_set_new(o, "taken", moment(&from->taken));
		json_object_set_new(o, "seconds", json_real(from->seconds));
		json_object_set_new(o, "first_cpu", json_integer(from->first_cpu));
		json_object_set_new(o, "possible_cpus", json_integer(from->cpus));
		json_array_append_new(list, o);
	}
	return list;
}

static void write_json(FILE *out, const struct report *report, const struct render_options *options)
{
	json_t *root = json_object(), *list = json_array();
	size_t i;

	json_object_set_new(root, "kmeter", json_integer(JSON_VERSION));
	json_object_set_new(root, "version", json_string(KMETER_VERSION));
	json_object_set_new(root, "release", text(report->release));
	json_object_set_new(root, "host", text(report->host));
	json_object_set_new(root, "boot", text(report->boot));
	json_object_set_new(root, "taken", moment(&report->taken));
	json_object_set_new(root, "seconds", json_real(report->seconds));
	json_object_set_new(root, "report", report->number ? json_integer(report->number) : json_null());
	for (i = 0; i < report->n; i++)
		json_array_append_new(list, measurement(report->snapshots[i], options));
	json_object_set_new(root, "script", text(report->script));
	json_object_set_new(root, "sources", sources(report));
	json_object_set_new(root, "measurements", list);
	json_dumpf(root, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
	putc('\n', out);
	json_decref(root);
}

const struct render render_json = { .name = "json", .write = write_json };

/* What several of these are, one behind the other, under the name that it is known by. */
const struct render render_ndjson = { .name = "ndjson", .write = write_json };
