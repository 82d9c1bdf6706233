// SPDX-License-Identifier: GPL-2.0
/*
 * statement.c: from the table of a statement to what a measurement needs: checked, its points sorted into probes, and the
 * lines that describe it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include "floor.h"
#include "statement.h"

#define CALLS_MAX	(1u << 16)
#define KEPT_MAX	(4096 / sizeof(u64))	/* what a kretprobe's instance may hold */
#define TEXT_MAX	(64u << 20)		/* of the lines that describe a measurement */

/* ---- is it right? ---- */

bool ks_statement_waits(const struct kstats_statement *s)
{
	switch (s->points[0].role) {
	case KSTATS_FROM:
	case KSTATS_TO:
	case KSTATS_BETWEEN:
		return true;
	default:
		return false;
	}
}

static const char *by_wrong(const struct kstats_statement *s)
{
	unsigned int i, words = 0;

	if (s->nby > KSTATS_BY_MAX)
		return "too many `by` keys";
	for (i = 0; i < s->nby; i++) {
		const struct kstats_by *by = &s->by[i];
		unsigned int want = by->type == KSTATS_BY_STACK ? KSTATS_STACK_WORDS : 1;

		if (by->type > KSTATS_BY_CONTAINER || !by->words || by->words > KSTATS_BY_WORDS ||
		    (by->type != KSTATS_BY_STRING && by->words != want))
			return "a `by` key of the wrong size";
		if ((by->type == KSTATS_BY_POINT || by->type == KSTATS_BY_FUNCTION) && i)
			return "the `by` key that names the point or the function is not the first";
		words += by->words;
	}
	if (words > KSTATS_BY_WORDS || words > s->data_words || s->data_words > KSTATS_DATA_WORDS)
		return "`by` keys too long";
	return NULL;
}

static const char *point_wrong(const struct kstats_statement *s, const struct kstats_point *p)
{
	if (p->role == KSTATS_CALL && (p->where != KSTATS_FUNCTION || p->offset))
		return "only a function has calls; a pair has a start and an end";
	if ((p->enter || p->entry_words) && p->where != KSTATS_RETURN)
		return "only a return keeps anything of the entry";
	if (p->entry_words > KSTATS_ENTRY_WORDS || (p->entry_words && !p->enter))
		return "a return keeps too much of the entry";
	if ((p->callback || p->waits) && p->where != KSTATS_TRACEPOINT)
		return "only tracepoints have callbacks, and wait for modules";
	if (p->role == KSTATS_VALUE && !p->early)
		return "nothing says which value to record";
	if (s->key == KSTATS_KEY_VALUE && ks_statement_waits(s) && !p->early)
		return "nothing says which key pairs these points";
	if (p->where == KSTATS_FUNCTIONS &&
	    (p->role != KSTATS_COUNT || p->early || !p->nfunctions || s->npoints > 1 || s->nby != 1 ||
	     s->by[0].type != KSTATS_BY_FUNCTION))
		return "many functions at once are counted by function, and nothing else";
	if (p->where == KSTATS_TRACEPOINT && s->nby && s->by[0].type == KSTATS_BY_FUNCTION)
		return "a tracepoint is no place in a function";
	if (p->where == KSTATS_MEMORY && (!is_power_of_2(p->bytes) || p->bytes > 8))
		return "memory is watched by 1, 2, 4 or 8 bytes";
	if (p->match >= KS_ENTRIES_MAX)
		return "too many matches";
	return NULL;
}

static const char *options_wrong(const struct kstats_statement *s, enum kstats_role role)
{
	if (s->entries > KS_ENTRIES_MAX || s->pairs > KS_ENTRIES_MAX)
		return "more than 1,048,576 entries";
	if (s->calls > CALLS_MAX)
		return "more than 65,536 calls at a time";
	if (s->nesting > KSTATS_NESTING_SELF || (s->nesting && role != KSTATS_CALL))
		return "only calls are nested";
	if (s->counter && role != KSTATS_CALL)
		return "counters are read from a function's entry to its return";
	if (s->time > KSTATS_TIME_BLOCKED || (s->time && (role != KSTATS_CALL || s->counter || s->squares)))
		return "only the time of calls has parts";
	if (s->time && s->nesting == KSTATS_NESTING_SELF)
		return "time in calls inside is not known by parts";
	if (s->squares && (role != KSTATS_CALL || !s->nby))
		return "only calls have squares, by a key";
	if (s->form > KSTATS_PROFILE)
		return "no such form";
	if (s->ranged && (s->low > s->high || role == KSTATS_COUNT))
		return "an empty range, or one of a count";
	if (s->key > KSTATS_KEY_VALUE)
		return "no such key";
	if (s->clock > KSTATS_CLOCK_TICKS)
		return "no such clock";
	if (s->key == KSTATS_KEY_VALUE && (!s->key_words || s->key_words > KSTATS_KEY_WORDS))
		return "a key of no words, or too many";
	if (s->tid_key && (s->key != KSTATS_KEY_VALUE || s->key_words != 1))
		return "a tid is a key of one word";
	return NULL;
}

const char *ks_statement_wrong(const struct kstats_statement *s)
{
	const char *wrong;
	unsigned int i, of[KSTATS_BETWEEN + 1] = {};

	if (!s->npoints)
		return "no point";
	for (i = 0; i < s->npoints; i++) {
		if (s->points[i].role >= ARRAY_SIZE(of))
			return "no such role of a point";
		of[s->points[i].role]++;
	}
	if (of[s->points[0].role] != s->npoints && of[KSTATS_FROM] + of[KSTATS_TO] != s->npoints)
		return "neither calls, nor a pair, values, counts or intervals";
	if (!of[KSTATS_FROM] != !of[KSTATS_TO])
		return "only half a pair";
	wrong = by_wrong(s) ?: options_wrong(s, s->points[0].role);
	for (i = 0; i < s->npoints && !wrong; i++)
		wrong = point_wrong(s, &s->points[i]);
	return wrong;
}

/* ---- probes ---- */

/* A function's entry is its first instruction, however it was written. */
static int kind_of(const struct kstats_point *p)
{
	return p->where == KSTATS_OFFSET ? KSTATS_FUNCTION : p->where;
}

/* Points in memory: where their addresses are found, how many bytes, which accesses. Of others all of this is 0. */
static int by_memory(const struct kstats_point *p, const struct kstats_point *q)
{
	if (p->base != q->base)
		return p->base < q->base ? -1 : 1;
	return (int)p->bytes - (int)q->bytes ?: p->reads - q->reads ?: p->per_cpu - q->per_cpu;
}

static int by_place(const void *a, const void *b)
{
	const struct kstats_point *p = *(const struct kstats_point **)a, *q = *(const struct kstats_point **)b;
	int d;

	d = kind_of(p) - kind_of(q);
	if (!d)
		d = strcmp(p->module ?: "", q->module ?: "");
	if (!d)
		d = strcmp(p->symbol, q->symbol);
	if (!d)
		d = strcmp(p->anchor ?: "", q->anchor ?: "");
	if (!d && p->distance != q->distance)
		d = p->distance < q->distance ? -1 : 1;
	if (!d && p->offset != q->offset)
		d = p->offset < q->offset ? -1 : 1;
	return d ?: by_memory(p, q);
}

/* An event that is both is served as end first; else as written. */
static int by_place_ends_first(const void *a, const void *b)
{
	const struct kstats_point *p = *(const struct kstats_point **)a, *q = *(const struct kstats_point **)b;
	int d = by_place(a, b);

	if (!d)
		d = (int)q->role - (int)p->role;	/* KSTATS_TO is above KSTATS_FROM */
	return d ?: p < q ? -1 : p > q;
}

static int make_probe(struct kstats *k, struct ks_probe *p, const struct kstats_point **points)
{
	const struct kstats_point *point = *points;

	p->measure = k;
	p->points = points;
	p->npoints = 1;
	/* What none serves by itself may share. */
	p->backend = ks_probe_backend(p, NULL);
	if (!p->backend && ks_probe_allows(k, &ks_probe_shared))
		p->backend = &ks_probe_shared;
	if (!p->backend) {
		pr_warn("%s: %s: this kernel has no means for it%s%s\n", k->name, point->text, k->statement->via ? " by " : "",
			k->statement->via ?: "");
		return -EOPNOTSUPP;
	}
	p->symbol = kasprintf(GFP_KERNEL, "%s%s%s", point->module ?: "", point->module ? ":" : "",
			      point->anchor ?: point->symbol);
	return p->symbol ? 0 : -ENOMEM;
}

int ks_statement_probes(struct kstats *k)
{
	const struct kstats_statement *s = k->statement;
	unsigned int i, kept = 0;
	int err;

	k->points = kvcalloc(s->npoints, sizeof(*k->points), GFP_KERNEL);
	k->probes = kvcalloc(s->npoints, sizeof(*k->probes), GFP_KERNEL);
	k->scratch = kvcalloc(s->npoints, 2 * sizeof(*k->scratch), GFP_KERNEL);
	if (!k->points || !k->probes || !k->scratch)
		return -ENOMEM;
	for (i = 0; i < s->npoints; i++)
		k->points[i] = &s->points[i];
	sort(k->points, s->npoints, sizeof(*k->points), by_place_ends_first, NULL);

	for (i = 0; i < s->npoints; i++) {
		const struct kstats_point *point = k->points[i];

		if (!i || by_place(&k->points[i - 1], &k->points[i])) {
			err = make_probe(k, &k->probes[k->nprobes], &k->points[i]);
			if (err)
				return err;
			k->nprobes++;
			kept = 0;
		} else if (point->role == KSTATS_CALL) {
			pr_warn("%s: %s is there twice\n", k->name, point->text);
			return -EINVAL;
		} else {
			k->probes[k->nprobes - 1].npoints++;
		}
		kept += 1 + point->entry_words;
		if (kept > KEPT_MAX && point->where == KSTATS_RETURN) {
			pr_warn("%s: too many points at %s\n", k->name, point->text);
			return -EINVAL;
		}
	}
	return 0;
}

/* ---- what it is ---- */

/* Of a pair the starts name the point, unless they are all the same one: then the ends do. */
static int nameless_role(const struct kstats_statement *s)
{
	const struct kstats_point *start = NULL;
	unsigned int i;

	if (s->points[0].role != KSTATS_FROM && s->points[0].role != KSTATS_TO)
		return -1;
	for (i = 0; i < s->npoints; i++) {
		if (s->points[i].role != KSTATS_FROM)
			continue;
		if (start && s->points[i].match != start->match)
			return KSTATS_TO;
		start = &s->points[i];
	}
	return KSTATS_FROM;
}

void ks_statement_describe(struct kstats *k)
{
	const struct kstats_statement *s = k->statement;
	unsigned int i;

	k->form = s->form;
	k->nby = s->nby;
	for (i = 0; i < s->nby; i++) {
		k->by_words += s->by[i].words;
		k->by[i].type = s->by[i].type;
		k->by[i].words = s->by[i].words;
		strscpy(k->by[i].text, s->by[i].text, sizeof(k->by[i].text));
	}
	k->by_point = s->nby && s->by[0].type == KSTATS_BY_POINT;
	k->by_function = s->nby && s->by[0].type == KSTATS_BY_FUNCTION;
	k->named = k->by_point || k->by_function;
	k->nameless = nameless_role(s);
	for (i = 0; i < s->npoints; i++)
		k->matches = max(k->matches, s->points[i].match + 1);
	k->kind = s->points[0].role == KSTATS_COUNT ? KSTATS_COUNTS :
		  s->points[0].role == KSTATS_VALUE || s->counter ? KSTATS_VALUE_KIND : KSTATS_DURATION;
}

static const char *const key_names[] = {
	[KSTATS_KEY_TASK] = "task",
	[KSTATS_KEY_TID] = "tid",
	[KSTATS_KEY_CPU] = "cpu",
	[KSTATS_KEY_NONE] = "none",
	[KSTATS_KEY_VALUE] = "value",
};

static const char *const kind_names[] = {
	[KSTATS_DURATION] = "duration",
	[KSTATS_VALUE_KIND] = "value",
	[KSTATS_COUNTS] = "counts",
};

static const char *unit_of(const struct kstats *k)
{
	if (k->statement->unit)
		return k->statement->unit;
	if (k->statement->counter)
		return k->statement->counter;
	if (k->kind == KSTATS_DURATION)
		return k->statement->clock == KSTATS_CLOCK_TICKS ? "ticks" : "ns";
	return k->kind == KSTATS_COUNTS ? "hits" : "";
}

/* The points of a statement, and for each the name of its mechanism. */
struct lines {
	const struct kstats_point *points;
	const char **mechanisms;
};

static const char *mechanism_of(const struct lines *l, const struct kstats_point *p)
{
	return l->mechanisms[p - l->points];
}

/* Points whose lines would be equal lie side by side, as written otherwise. */
static int by_line(const void *a, const void *b, const void *priv)
{
	const struct kstats_point *p = *(const struct kstats_point **)a, *q = *(const struct kstats_point **)b;
	int d = strcmp(p->text, q->text);

	if (!d)
		d = strcmp(mechanism_of(priv, p), mechanism_of(priv, q));
	return d ?: p < q ? -1 : p > q;
}

/* A point for each different line, in the order of the statement; how many. */
static unsigned int different_points(const struct lines *l, unsigned int npoints, const struct kstats_point **points,
				     unsigned long *again)
{
	unsigned int i, n = 0;

	for (i = 0; i < npoints; i++)
		points[i] = &l->points[i];
	sort_r(points, npoints, sizeof(*points), by_line, NULL, l);
	for (i = 1; i < npoints; i++)
		if (!strcmp(points[i]->text, points[i - 1]->text) &&
		    !strcmp(mechanism_of(l, points[i]), mechanism_of(l, points[i - 1])))
			__set_bit(points[i] - l->points, again);
	for (i = 0; i < npoints; i++)
		if (!test_bit(i, again))
			points[n++] = &l->points[i];
	return n;
}

/* A line for each that is watched: what was split has as many as it has pieces. */
static void print_watches(struct seq_buf *b, const struct kstats_statement *s)
{
	unsigned int i;

	for (i = 0; i < s->npoints; i++)
		if (s->points[i].where == KSTATS_MEMORY)
			seq_buf_printf(b, "watch %s %u %s\n", s->points[i].reads ? "rw" : "write", s->points[i].bytes, s->points[i].text);
}

static void print_points(struct seq_buf *b, const struct kstats *k, const struct lines *l,
			 const struct kstats_point **points, unsigned int n, unsigned long *matched)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		seq_buf_printf(b, "point %s %s\n", points[i]->text, mechanism_of(l, points[i]));
	print_watches(b, k->statement);
	if (!k->by_point)
		return;
	for (i = 0; i < n; i++)
		if ((int)points[i]->role != k->nameless && !__test_and_set_bit(points[i]->match, matched))
			seq_buf_printf(b, "match %u %s\n", points[i]->match, points[i]->text);
}

static void print_text(struct seq_buf *b, const struct kstats *k, const struct lines *l,
		       const struct kstats_point **points, unsigned int n, unsigned long *matched)
{
	const struct kstats_statement *s = k->statement;
	const char *unit = unit_of(k);
	unsigned int i, j;

	seq_buf_printf(b, "statement %.4000s%s\n", s->text, strlen(s->text) > 4000 ? "..." : "");
	if (k->script)
		seq_buf_printf(b, "module %s\n", k->script->owner->name);
	seq_buf_printf(b, "kind %s\n", kind_names[k->kind]);
	print_points(b, k, l, points, n, matched);
	if (k->pairs)
		seq_buf_printf(b, "key %s\n", key_names[s->key]);
	if (s->time)
		seq_buf_printf(b, "time %s\n", s->time == KSTATS_TIME_ONCPU ? "oncpu" : "blocked");
	if (s->counter)
		seq_buf_printf(b, "counter %s\n", s->counter);
	if (*unit)
		seq_buf_printf(b, "unit %s\n", unit);
	if (s->top)
		seq_buf_printf(b, "top %u\n", s->top);
	ks_floor_print(b, k);
	for (i = 0; i < s->nby; i++)
		for (j = 0; s->by[i].type == KSTATS_BY_ENUM && j < s->by[i].nnames; j++)
			seq_buf_printf(b, "enum %u %lld %s\n", i, s->by[i].names[j].value, s->by[i].names[j].name);
}

/* As much text as it takes: found by trying. NULL: no memory, or far too much. */
static char *text_of(const struct kstats *k, const struct lines *l, const struct kstats_point **points, unsigned int n,
		     unsigned long *matched, size_t *bytes)
{
	size_t size;

	for (size = PAGE_SIZE; size <= TEXT_MAX; size *= 2) {
		char *text = kvzalloc(size, GFP_KERNEL);
		struct seq_buf b;

		if (!text)
			return NULL;
		bitmap_zero(matched, k->matches);
		seq_buf_init(&b, text, size);
		print_text(&b, k, l, points, n, matched);
		if (!seq_buf_has_overflowed(&b)) {
			*bytes = seq_buf_used(&b);
			return text;
		}
		kvfree(text);
	}
	return NULL;
}

int ks_statement_text(struct kstats *k)
{
	const struct kstats_statement *s = k->statement;
	const struct kstats_point **points = kvcalloc(s->npoints, sizeof(*points), GFP_KERNEL);
	struct lines l = { s->points, kvcalloc(s->npoints, sizeof(*l.mechanisms), GFP_KERNEL) };
	unsigned long *again = kvcalloc(BITS_TO_LONGS(s->npoints), sizeof(long), GFP_KERNEL), *matched = NULL;
	unsigned int i, j, n;
	char *text = NULL;
	size_t bytes;

	matched = kvcalloc(BITS_TO_LONGS(k->matches), sizeof(long), GFP_KERNEL);
	if (!points || !l.mechanisms || !again || !matched)
		goto out;
	for (i = 0; i < k->nprobes; i++)
		for (j = 0; j < k->probes[i].npoints; j++)
			l.mechanisms[k->probes[i].points[j] - s->points] = k->probes[i].armed ? k->probes[i].backend->name : "none";
	n = different_points(&l, s->npoints, points, again);
	text = text_of(k, &l, points, n, matched, &bytes);
	if (text) {
		mutex_lock(&k->read_lock);
		swap(k->text, text);
		k->text_bytes = bytes;
		mutex_unlock(&k->read_lock);
	}
out:
	kvfree(text);
	kvfree(points);
	kvfree(l.mechanisms);
	kvfree(again);
	kvfree(matched);
	return text || k->text ? 0 : -ENOMEM;
}
