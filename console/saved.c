// SPDX-License-Identifier: GPL-2.0
/*
 * saved.c: from JSON to snapshots. Only what cannot be computed is taken: slots, keys, terms and the kernel's own lines; counts,
 * means and quantiles follow from these, as they did when the file was written. A file may come from anywhere, so every
 * number is checked against the others before it is believed.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "console/json.h"
#include "console/saved.h"
#include "console/say.h"

enum { CPUS_MOST = 1 << 20 };	/* of many machines together */

/* Where we are, for the message. */
struct reader {
	const char *path;
	size_t report;			/* from 1 */
	const char *measurement;	/* NULL: none yet */
};

__attribute__((format(printf, 2, 3)))
static bool bad(const struct reader *r, const char *format, ...)
{
	char *what = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&what, format, args) < 0)
		what = NULL;
	va_end(args);
	say_error("%s: report %zu%s%s: %s", r->path, r->report, r->measurement ? ", measurement " : "",
		  r->measurement ? r->measurement : "", what ? what : "damaged");
	free(what);
	return false;
}

/* ---- values ---- */

/* An integer of up to 128 bits, which is a string of digits above 2^63 - 1. */
static bool wide(const json_t *v, u128 most, u128 *out)
{
	const char *digit;

	*out = 0;
	if (json_is_integer(v)) {
		*out = (u128)json_integer_value(v);
		return json_integer_value(v) >= 0 && *out <= most;
	}
	if (!json_is_string(v) || !*json_string_value(v) || json_string_length(v) > 39)
		return false;
	for (digit = json_string_value(v); *digit; digit++) {
		unsigned int d = *digit - '0';

		if (d > 9 || *out > (~(u128)0 - d) / 10)
			return false;
		*out = *out * 10 + d;
	}
	return *out <= most;
}

static bool number(const json_t *v, __u64 most, __u64 *out)
{
	u128 n;

	if (!wide(v, most, &n))
		return false;
	*out = n;
	return true;
}

static bool get_number(const struct reader *r, const json_t *o, const char *field, __u64 most, __u64 *out)
{
	return number(json_object_get(o, field), most, out) || bad(r, "`%s` is no number from 0 to %" PRIu64, field, (uint64_t)most);
}

static bool get_u32(const struct reader *r, const json_t *o, const char *field, __u32 most, __u32 *out)
{
	__u64 n;

	if (!get_number(r, o, field, most, &n))
		return false;
	*out = n;
	return true;
}

static bool get_bool(const struct reader *r, const json_t *o, const char *field, bool *out)
{
	const json_t *v = json_object_get(o, field);

	*out = json_is_true(v);
	return json_is_boolean(v) || bad(r, "`%s` is neither true nor false", field);
}

/* Which of the words; they are enumerators from 0. */
static bool get_word(const struct reader *r, const json_t *o, const char *field, const char *const *words, __u32 *out)
{
	const char *text = json_string_value(json_object_get(o, field));

	for (*out = 0; text && words[*out]; ++*out)
		if (!strcmp(text, words[*out]))
			return true;
	return bad(r, "`%s`: %s is none that this kmeter knows", field, text ? text : "what is there");
}

static bool get_list(const struct reader *r, const json_t *o, const char *field, const json_t **out)
{
	*out = json_object_get(o, field);
	return json_is_array(*out) || bad(r, "`%s` is no list", field);
}

/* A terminal would obey control characters, and whoever reads a report of somebody else's does not mean it to. */
static bool plain(const char *text)
{
	const unsigned char *p;

	for (p = (const unsigned char *)text; *p; p++)
		if ((*p < ' ' && *p != '\t') || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0))
			return false;
	return true;
}

/* Text that fits into `size` bytes with its end. */
static bool get_text(const struct reader *r, const json_t *o, const char *field, char *to, size_t size)
{
	const char *text = json_string_value(json_object_get(o, field));

	if (!text || strlen(text) >= size || !plain(text))
		return bad(r, "`%s` is no plain text of less than %zu bytes", field, size);
	strcpy(to, text);
	return true;
}

/* A text of ours, of lines even, or NULL for null; both are right. */
static bool get_script(const struct reader *r, const json_t *o, const char *field, const char **out)
{
	const json_t *v = json_object_get(o, field);

	*out = json_is_string(v) ? say_strdup(json_string_value(v)) : NULL;
	return !v || json_is_string(v) || json_is_null(v) || bad(r, "`%s` is no text", field);
}

/* The same of one plain line. */
static bool get_optional(const struct reader *r, const json_t *o, const char *field, const char **out)
{
	return get_script(r, o, field, out) && (!*out || plain(*out) || bad(r, "`%s` has control characters", field));
}

static bool get_seconds(const struct reader *r, const json_t *o, const char *field, double *out)
{
	const json_t *v = json_object_get(o, field);

	*out = json_number_value(v);
	return (json_is_number(v) && *out >= 0 && *out < 1e12) || bad(r, "`%s` is no number of seconds", field);
}

static bool get_moment(const struct reader *r, const json_t *o, const char *field, struct timespec *out)
{
	double seconds;

	if (!get_seconds(r, o, field, &seconds))
		return false;
	out->tv_sec = seconds;
	out->tv_nsec = fmin(rint((seconds - out->tv_sec) * 1e9), 999999999);
	return true;
}

/* ---- a measurement ---- */

/* One slot of a CPU: [slot, lo, hi, n, mean, sum]. The bounds are there for others; they must be those of the slot. */
static bool read_slot(const struct reader *r, const struct kstats_snapshot *h, const json_t *row, struct snapshot_run *run)
{
	__u64 slot, lo, hi, n;
	u128 sum = SNAPSHOT_UNKNOWN;
	const json_t *s = json_array_get(row, 5);

	if (json_array_size(row) != 6 || !number(json_array_get(row, 0), h->first + h->slots - 1, &slot) || slot < h->first)
		return bad(r, "a slot is not within `range`");
	lo = kstats_slot_lo(slot, h->bits);
	hi = kstats_slot_hi(slot, h->bits);
	if (!number(json_array_get(row, 1), lo, &lo) || !number(json_array_get(row, 2), hi, &hi) ||
	    lo != kstats_slot_lo(slot, h->bits) || hi != kstats_slot_hi(slot, h->bits))
		return bad(r, "slot %u holds other values than those that stand there", (unsigned int)slot);
	if (!number(json_array_get(row, 3), ~0ULL, &n) || !n)
		return bad(r, "slot %u has no count of samples", (unsigned int)slot);
	if (!json_is_null(s) && (!wide(s, (u128)n * hi, &sum) || sum < (u128)n * lo))
		return bad(r, "the sum of slot %u is not that of %" PRIu64 " samples within its bounds", (unsigned int)slot, (uint64_t)n);
	if (run->count && slot < run->first + run->count)
		return bad(r, "slots are not in ascending order");
	if (!run->count)
		run->first = slot;
	run->slot = say_realloc(run->slot, slot - run->first + 1, sizeof(*run->slot));
	run->sum = say_realloc(run->sum, slot - run->first + 1, sizeof(*run->sum));
	while (run->first + run->count < slot) {
		run->sum[run->count] = 0;
		run->slot[run->count++] = (struct kstats_slot){ 0 };
	}
	run->sum[run->count] = sum;
	run->slot[run->count++] = (struct kstats_slot){ n, sum == SNAPSHOT_UNKNOWN ? 0 : (__u64)sum };
	return true;
}

/* {"cpu", "count", "slots"}; of counts there are no slots. */
static bool read_run(const struct reader *r, const struct kstats_snapshot *h, const json_t *o, struct snapshot_run *run, __u64 *samples)
{
	const json_t *slots, *row;
	__u64 count, sum = 0;
	size_t i;

	if (!get_u32(r, o, "cpu", h->cpus - 1, &run->cpu) || !get_number(r, o, "count", ~0ULL, &count))
		return false;
	*samples += count;
	if (h->kind == KSTATS_COUNTS) {
		*run = (struct snapshot_run){ .cpu = run->cpu, .first = h->first, .count = 1,
					      .slot = say_calloc(1, sizeof(*run->slot)) };
		run->slot->n = count;
		return true;
	}
	if (!get_list(r, o, "slots", &slots))
		return false;
	json_array_foreach(slots, i, row) {
		if (!read_slot(r, h, row, run))
			return false;
		sum += run->slot[run->count - 1].n;
	}
	return sum == count || bad(r, "the slots of CPU %u do not add up to its `count`", run->cpu);
}

/* The names that the group gives to addresses in its key. */
static bool read_names(const struct reader *r, struct snapshot *s, const struct snapshot_part *part, const json_t *names)
{
	const __u64 *word = part->key;
	const json_t *name, *frame;
	unsigned int i;
	size_t f;

	for (i = 0; i < s->head.nby; word += s->head.by[i++].words) {
		name = json_array_get(names, i);
		switch (s->head.by[i].type) {
		case KSTATS_BY_SYMBOL:
		case KSTATS_BY_FUNCTION:
			if (json_is_string(name) && plain(json_string_value(name)))
				snapshot_add_symbol(s, *word, false, json_string_value(name));
			break;
		case KSTATS_BY_CGROUP:
		case KSTATS_BY_CONTAINER:
			if (*word && json_is_string(name) && plain(json_string_value(name)))
				snapshot_add_symbol(s, *word, s->head.by[i].type == KSTATS_BY_CONTAINER, json_string_value(name));
			break;
		case KSTATS_BY_STACK:
			if (!json_is_array(name) || json_array_size(name) > s->head.by[i].words)
				return bad(r, "a stack has no list of `names`");
			json_array_foreach(name, f, frame)
				if (json_is_string(frame) && plain(json_string_value(frame)))
					snapshot_add_symbol(s, word[f], f > 0, json_string_value(frame));
			break;
		default:
			break;
		}
	}
	return true;
}

static bool read_group(const struct reader *r, struct snapshot *s, const json_t *o, struct snapshot_part *part)
{
	const json_t *words, *names, *cpus, *cpu, *squares = json_object_get(o, "squares");
	__u64 count, samples = 0;
	size_t i;

	if (!get_list(r, o, "words", &words) || !get_list(r, o, "names", &names) || !get_list(r, o, "cpus", &cpus) ||
	    !get_number(r, o, "count", ~0ULL, &count))
		return false;
	if (json_array_size(words) > s->head.by_words)
		return bad(r, "`words` are more than the keys of `by` have");
	for (i = 0; i < json_array_size(words); i++)
		if (!number(json_array_get(words, i), ~0ULL, &part->key[i]))
			return bad(r, "`words` are not numbers");
	if (squares && !wide(squares, ~(u128)0, &part->squares))
		return bad(r, "`squares` is no number");
	part->runs = say_calloc(json_array_size(cpus), sizeof(*part->runs));
	json_array_foreach(cpus, i, cpu)
		if (!read_run(r, &s->head, cpu, &part->runs[part->nruns++], &samples))
			return false;
	return (samples == count || bad(r, "the CPUs of a group do not add up to its `count`")) && read_names(r, s, part, names);
}

static bool read_keys(const struct reader *r, struct kstats_snapshot *h, const json_t *o)
{
	const json_t *by, *key;
	size_t i;

	if (!get_list(r, o, "by", &by))
		return false;
	if (json_array_size(by) > KSTATS_BY_MAX)
		return bad(r, "`by` has more than %d keys", KSTATS_BY_MAX);
	json_array_foreach(by, i, key) {
		struct kstats_snapshot_by *k = &h->by[h->nby++];

		if (!get_text(r, key, "text", k->text, sizeof(k->text)) || !get_word(r, key, "type", json_by_types, &k->type) ||
		    !get_u32(r, key, "words", KSTATS_BY_WORDS, &k->words))
			return false;
		h->by_words += k->words;
		if (k->type == KSTATS_BY_STACK ? k->words != KSTATS_STACK_WORDS : k->type == KSTATS_BY_STRING ? !k->words : k->words != 1)
			return bad(r, "a key of `by` has as many words as none of its type has");
	}
	return h->by_words <= KSTATS_BY_WORDS || bad(r, "the keys of `by` have more than %d words", KSTATS_BY_WORDS);
}

static bool read_terms(const struct reader *r, struct kstats_snapshot *h, const json_t *o)
{
	const json_t *terms = json_object_get(o, "accounting");
	char field[JSON_TERM];
	unsigned int i;

	for (i = 0; i < KSTATS_NTERMS; i++)
		if (!get_number(r, terms, json_term(i, field), ~0ULL, &h->term[i]))
			return false;
	return true;
}

/* When it was made, and what came before the last RESET: older reports have neither. */
static bool read_before(const struct reader *r, struct kstats_snapshot *h, const json_t *o)
{
	const json_t *made = json_object_get(o, "made_ns"), *before = json_object_get(o, "before");
	char field[JSON_TERM];
	unsigned int i;

	if (made && !json_is_null(made) && !get_number(r, o, "made_ns", ~0ULL, &h->made_ns))
		return false;
	if (!before || json_is_null(before))
		return true;
	for (i = 0; i < KSTATS_IN_FLIGHT; i++)
		if (!get_number(r, before, json_term(i, field), ~0ULL, &h->before[i]))
			return false;
	return get_number(r, before, "armed_ns", ~0ULL, &h->armed_before);
}

static bool read_head(struct reader *r, struct snapshot *s, const json_t *o)
{
	static const char *const states[] = { [KSTATS_ARMED] = "armed", [KSTATS_STOPPED_STATE] = "stopped", NULL };
	struct kstats_snapshot *h = &s->head;
	const json_t *bits = json_object_get(o, "bits"), *range;
	__u64 first, slots;

	if (!get_text(r, o, "name", h->name, sizeof(h->name)))
		return false;
	if (!*h->name)
		return bad(r, "a measurement has no name");
	r->measurement = h->name;
	if (!get_word(r, o, "kind", json_kinds, &h->kind) || !get_word(r, o, "form", json_forms, &h->form) ||
	    !get_word(r, o, "state", states, &h->state) || !get_bool(r, o, "interval", &s->interval) ||
	    !get_bool(r, o, "restarted", &s->restarted) || !get_number(r, o, "armed_ns", ~0ULL, &h->armed_ns) ||
	    !get_number(r, o, "now_ns", ~0ULL, &h->now_ns) || !get_number(r, o, "resets", ~0ULL, &h->resets) ||
	    !get_number(r, o, "memory", ~0ULL, &h->memory) || !get_u32(r, o, "possible_cpus", CPUS_MOST, &h->cpus) ||
	    !get_list(r, o, "range", &range))
		return false;
	if (json_is_null(bits))
		h->bits = KSTATS_BITS_NONE;
	else if (!get_u32(r, o, "bits", KSTATS_BITS_MAX, &h->bits))
		return false;
	if (!number(json_array_get(range, 0), kstats_slots(h->bits) - 1, &first) ||
	    !number(json_array_get(range, 1), kstats_slots(h->bits) - first, &slots) || !slots || !h->cpus)
		return bad(r, "`range` is not within the slots that there are");
	h->first = first;
	h->slots = slots;
	return read_keys(r, h, o) && read_terms(r, h, o) && read_before(r, h, o);
}

/* The kernel's lines, as one text. */
static bool read_lines(const struct reader *r, struct snapshot *s, const json_t *o)
{
	const json_t *lines, *line;
	size_t i, size;
	FILE *f;

	if (!get_list(r, o, "text", &lines))
		return false;
	f = open_memstream(&s->text, &size);
	json_array_foreach(lines, i, line)
		fprintf(f, "%s\n", json_is_string(line) ? json_string_value(line) : "");
	fclose(f);
	json_array_foreach(lines, i, line)
		if (!json_is_string(line) || !plain(json_string_value(line)))
			return bad(r, "`text` is no list of plain lines");
	return true;
}

static struct snapshot *read_measurement(struct reader *r, const json_t *o)
{
	struct snapshot *s = say_calloc(1, sizeof(*s));
	const json_t *groups, *group;
	size_t i;

	r->measurement = NULL;
	s->saved = true;
	if (!read_head(r, s, o) || !read_lines(r, s, o) || !get_list(r, o, "groups", &groups))
		goto failed;
	s->parts = say_calloc(json_array_size(groups), sizeof(*s->parts));
	json_array_foreach(groups, i, group)
		if (!read_group(r, s, group, &s->parts[s->nparts++]))
			goto failed;
	i = s->nparts;
	snapshot_sort(s);
	if (s->nparts != i) {
		bad(r, "two groups have the same key");
		goto failed;
	}
	snapshot_sort_symbols(s);
	return s;

failed:
	snapshot_free(s);
	return NULL;
}

/* ---- a report ---- */

static bool read_sources(const struct reader *r, const json_t *o, struct report *report)
{
	const json_t *list = json_object_get(o, "sources"), *from;
	struct report_source *to;
	size_t i;

	if (!list || json_is_null(list))
		return true;
	if (!json_is_array(list))
		return bad(r, "`sources` is no list");
	report->sources = to = say_calloc(json_array_size(list) + 1, sizeof(*to));
	json_array_foreach(list, i, from) {
		report->nsources++;
		if (!get_optional(r, from, "host", &to[i].host) || !get_optional(r, from, "boot", &to[i].boot) ||
		    !get_optional(r, from, "release", &to[i].release) || !get_moment(r, from, "taken", &to[i].taken) ||
		    !get_seconds(r, from, "seconds", &to[i].seconds) || !get_u32(r, from, "first_cpu", CPUS_MOST, &to[i].first_cpu) ||
		    !get_u32(r, from, "possible_cpus", CPUS_MOST, &to[i].cpus))
			return false;
	}
	return true;
}

static bool read_report(struct reader *r, const json_t *o, struct report *report)
{
	const json_t *list, *one, *version = json_object_get(o, "kmeter"), *n = json_object_get(o, "report");
	struct snapshot **s, *same;
	size_t i;

	if (!json_is_integer(version))
		return bad(r, "not what kmeter --json writes");
	if (json_integer_value(version) != JSON_VERSION)
		return bad(r, "version %lld of the format, and this kmeter reads %d", (long long)json_integer_value(version), JSON_VERSION);
	if (!get_optional(r, o, "release", &report->release) || !get_optional(r, o, "host", &report->host) ||
	    !get_optional(r, o, "boot", &report->boot) || !get_script(r, o, "script", &report->script) ||
	    !get_moment(r, o, "taken", &report->taken) || !get_seconds(r, o, "seconds", &report->seconds) ||
	    !read_sources(r, o, report) || !get_list(r, o, "measurements", &list))
		return false;
	if (!json_is_null(n) && !get_u32(r, o, "report", ~0u, &report->number))
		return false;
	s = say_calloc(json_array_size(list), sizeof(*s));
	report->snapshots = s;
	json_array_foreach(list, i, one) {
		s[i] = read_measurement(r, one);
		if (!s[i])
			return false;
		same = saved_measurement(report, s[i]->head.name);
		report->n++;
		if (same)
			return bad(r, "there are two of this name");
	}
	return true;
}

/* Is there another document? Blanks between them are skipped. */
static bool more(FILE *f)
{
	int c;

	while ((c = getc(f)) == ' ' || c == '\n' || c == '\t' || c == '\r')
		;
	ungetc(c, f);
	return c != EOF;
}

static bool read_stream(struct reader *r, FILE *f, struct saved *out)
{
	json_error_t error;
	json_t *root;
	bool good = true;

	while (good && more(f)) {
		r->report++;
		r->measurement = NULL;
		root = json_loadf(f, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
		if (!root)
			return bad(r, "no JSON, or cut short: %s (line %d, column %d of this report)", error.text, error.line, error.column);
		out->report = say_realloc(out->report, out->n + 1, sizeof(*out->report));
		out->report[out->n] = (struct report){ 0 };
		good = read_report(r, root, &out->report[out->n++]);
		json_decref(root);
	}
	if (good && ferror(f)) {
		say_error("%s: %s", r->path, strerror(errno));
		return false;
	}
	if (good && !out->n)
		say_error("%s: empty: kmeter --json writes such files", r->path);
	return good && out->n;
}

bool saved_is_file(const char *word)
{
	const char *dot = strrchr(word, '.');

	return !strcmp(word, "-") || (dot && (!strcmp(dot, ".json") || !strcmp(dot, ".ndjson")));
}

bool saved_read(const char *path, struct saved *out)
{
	bool standard = !strcmp(path, "-"), good;
	struct reader r = { .path = standard ? "standard input" : path };
	FILE *f = standard ? stdin : fopen(path, "re");

	*out = (struct saved){ 0 };
	if (!f) {
		say_error("%s: %s", path, strerror(errno));
		return false;
	}
	good = read_stream(&r, f, out);
	if (!standard)
		fclose(f);
	return good;
}

/* ---- names on the command line ---- */

static void no_match(const char *path, const char *name, const struct saved *saved)
{
	const char **names = say_calloc(1, sizeof(*names)), *near;
	size_t i, j, n = 0;

	for (i = 0; i < saved->n; i++) {
		names = say_realloc(names, n + saved->report[i].n + 1, sizeof(*names));
		for (j = 0; j < saved->report[i].n; j++)
			names[n++] = saved->report[i].snapshots[j]->head.name;
	}
	names[n] = NULL;
	near = say_nearest(name, names);
	if (near)
		say_error("%s: no measurement is called %s; did you mean %s?", path, name, near);
	else
		say_error("%s: no measurement is called %s (the first one there is %s)", path, name, n ? *names : "none");
	free(names);
}

static bool has(const struct saved *s, const char *name)
{
	size_t i, j;

	for (i = 0; i < s->n; i++)
		for (j = 0; j < s->report[i].n; j++)
			if (snapshot_matches(s->report[i].snapshots[j], name))
				return true;
	return false;
}

bool saved_choose(struct saved *saved, const char *path, char *const *names, size_t nnames)
{
	size_t i, j, k, kept;

	for (k = 0; k < nnames; k++) {
		if (has(saved, names[k]))
			continue;
		no_match(path, names[k], saved);
		return false;
	}
	for (i = 0; nnames && i < saved->n; i++) {
		struct report *r = &saved->report[i];
		struct snapshot **s = (struct snapshot **)r->snapshots;

		for (j = kept = 0; j < r->n; j++) {
			for (k = 0; k < nnames && !snapshot_matches(s[j], names[k]); k++)
				;
			if (k < nnames)
				s[kept++] = s[j];
			else
				snapshot_free(s[j]);
		}
		r->n = kept;
	}
	return true;
}

struct snapshot *saved_measurement(const struct report *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (!strcmp(r->snapshots[i]->head.name, name))
			return r->snapshots[i];
	return NULL;
}

/* ---- the end ---- */

bool saved_parse(const char *name, const char *text, size_t length, struct saved *out)
{
	struct reader r = { .path = name };
	FILE *f = fmemopen((void *)text, length, "r");
	bool good;

	*out = (struct saved){ 0 };
	good = f && read_stream(&r, f, out);
	if (f)
		fclose(f);
	return good;
}

void saved_free_report(struct report *r)
{
	const char *texts[] = { r->release, r->host, r->boot, r->script };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		free((char *)texts[i]);
	for (i = 0; i < r->nsources; i++) {
		free((char *)r->sources[i].host);
		free((char *)r->sources[i].boot);
		free((char *)r->sources[i].release);
	}
	free((void *)r->sources);
	for (i = 0; i < r->n; i++)
		snapshot_free(r->snapshots[i]);
	free((void *)r->snapshots);
}

void saved_free(struct saved *s)
{
	while (s->n)
		saved_free_report(&s->report[--s->n]);
	free(s->report);
	s->report = NULL;
}
