// SPDX-License-Identifier: GPL-2.0
/*
 * served.c: measurements over many looks.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "console/cgroups.h"
#include "console/keys.h"
#include "console/merge.h"
#include "console/read.h"
#include "console/say.h"
#include "console/served.h"

/* A group that has series. */
struct group {
	__u64 key[KSTATS_BY_WORDS];
	struct exposition_labels labels;
};

struct measurement {
	struct snapshot *base;		/* what was seen of the tables before the last RESET; NULL: there was none */
	struct snapshot *last;		/* of the present table */
	struct group *group;		/* in the order in which they came */
	size_t ngroups;
	struct exposition_labels other;	/* of the groups that came when there were enough; without `by`, of all there is */
	size_t others;
	struct exposition_group *shown;	/* what the last look found: groups, then the others together */
	size_t nshown;
	struct buckets buckets;
	__u64 term[KSTATS_NTERMS], armed_ns, unseen;	/* of all tables */
	double created;
	bool there, read;		/* at the last look: is it there, and could it be read? */
};

struct served {
	struct served_options o;
	struct measurement **m;
	size_t n;
	__u64 errors;
};

/* ---- one measurement ---- */

static void free_shown(struct measurement *m)
{
	while (m->nshown) {
		exposition_free_labels(&m->shown[--m->nshown].labels);
		snapshot_total_free(&m->shown[m->nshown].total);
	}
	free(m->shown);
	m->shown = NULL;
}

static void free_measurement(struct measurement *m)
{
	free_shown(m);
	while (m->ngroups)
		exposition_free_labels(&m->group[--m->ngroups].labels);
	free(m->group);
	exposition_free_labels(&m->other);
	buckets_free(&m->buckets);
	snapshot_free(m->base);
	snapshot_free(m->last);
	free(m);
}

/* Is it the one that was there at the last look, or was it made anew? */
static bool same_one(const struct kstats_snapshot *a, const struct kstats_snapshot *b)
{
	return a->made_ns == b->made_ns && a->order == b->order && a->bits == b->bits && a->first == b->first && a->slots == b->slots &&
	       a->by_words == b->by_words && a->kind == b->kind && b->resets >= a->resets && b->armed_before + b->armed_ns >= a->armed_before + a->armed_ns &&
	       b->before[KSTATS_RECORDED] + b->term[KSTATS_RECORDED] >= a->before[KSTATS_RECORDED] + a->term[KSTATS_RECORDED];
}

static struct measurement *begin(const struct served *sv, struct snapshot *s, double wall)
{
	struct measurement *m = say_calloc(1, sizeof(*m));
	char *unit = snapshot_value(s, "unit");

	buckets_choose(&s->head, unit && !strcmp(unit, "ns"), sv->o.buckets, &m->buckets);
	free(unit);
	if (s->head.resets)		/* not before that */
		m->created = wall - s->head.armed_ns / 1e9;
	else if (s->head.made_ns)
		m->created = wall - (s->head.now_ns - s->head.made_ns) / 1e9;
	m->last = s;
	return m;
}

/* The next look at it. */
static void go_on(struct measurement *m, struct snapshot *s)
{
	struct snapshot *old = m->last;

	m->last = s;
	if (s->head.resets == old->head.resets || s->interval) {	/* what adds up intervals has all tables already */
		snapshot_free(old);
		return;
	}
	old->interval = true;		/* it is to be added */
	if (!m->base) {
		m->base = old;
		return;
	}
	snapshot_add(m->base, old);
	snapshot_free(old);
}

/* What the kernel says of all tables. Counters that several CPUs move may be a step behind at one look. */
static void note_terms(struct measurement *m)
{
	const struct kstats_snapshot *h = &m->last->head;
	__u64 all, seen = m->base ? m->base->head.term[KSTATS_RECORDED] : 0;
	unsigned int i;

	for (i = 0; i < KSTATS_IN_FLIGHT; i++) {
		all = h->before[i] + h->term[i];
		m->term[i] = all > m->term[i] ? all : m->term[i];
	}
	m->term[KSTATS_IN_FLIGHT] = h->term[KSTATS_IN_FLIGHT];
	m->armed_ns = h->armed_before + h->armed_ns;
	all = h->before[KSTATS_RECORDED];
	m->unseen = all > seen ? all - seen : 0;
}

/* ---- groups ---- */

static __u64 samples(const struct snapshot_part *part)
{
	unsigned int i, j;
	__u64 n = 0;

	for (i = 0; i < part->nruns; i++)
		for (j = 0; j < part->runs[i].count; j++)
			n += part->runs[i].slot[j].n;
	return n;
}

static bool has_series(const struct measurement *m, const struct snapshot_part *part)
{
	size_t i;

	for (i = 0; i < m->ngroups; i++)
		if (!memcmp(m->group[i].key, part->key, sizeof(part->key)))
			return true;
	return false;
}

static bool labels_taken(const struct measurement *m, const struct exposition_labels *l)
{
	size_t i;

	for (i = 0; i < m->ngroups; i++)
		if (exposition_labels_alike(&m->group[i].labels, l))
			return true;
	return exposition_labels_alike(&m->other, l);
}

static void add_group(struct measurement *m, const struct snapshot *s, const struct keys *k, const struct snapshot_part *part)
{
	struct group g;

	memcpy(g.key, part->key, sizeof(g.key));
	exposition_label(s, k, part, false, &g.labels);
	if (labels_taken(m, &g.labels)) {
		exposition_free_labels(&g.labels);
		exposition_label(s, k, part, true, &g.labels);
	}
	m->group = say_realloc(m->group, m->ngroups + 1, sizeof(*m->group));
	m->group[m->ngroups++] = g;
}

struct newcomer {
	const struct snapshot_part *part;
	__u64 n;
};

static int compare_newcomers(const void *a, const void *b)
{
	const struct newcomer *p = a, *q = b;

	return p->n != q->n ? (p->n < q->n ? 1 : -1) : (p->part > q->part) - (p->part < q->part);
}

static void show_group(struct measurement *m, const struct exposition_labels *labels, const struct snapshot *s, const struct snapshot_part *part)
{
	struct exposition_group *to = &m->shown[m->nshown++];

	exposition_copy_labels(&to->labels, labels);
	snapshot_total(s, part, -1, &to->total);
}

/* All that came when there were enough, as one. */
static void show_others(struct measurement *m, const struct snapshot *s, const struct newcomer *more, size_t n)
{
	struct snapshot_part all = { .nruns = 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		all.runs = say_realloc(all.runs, all.nruns + more[i].part->nruns, sizeof(*all.runs));
		memcpy(all.runs + all.nruns, more[i].part->runs, more[i].part->nruns * sizeof(*all.runs));
		all.nruns += more[i].part->nruns;
	}
	show_group(m, &m->other, s, &all);
	free(all.runs);
}

/* Series for those that have none, most samples first, while there is room. */
static void show_groups(struct measurement *m, const struct snapshot *s, size_t most)
{
	static const struct snapshot_part none;
	struct newcomer *more = say_calloc(s->nparts, sizeof(*more));
	const struct snapshot_part *part;
	struct keys *k = keys_new(s);
	size_t n = 0, taken = 0, i;

	if (!m->other.n)
		exposition_label_all(s, "(other)", &m->other);
	for (i = 0; i < s->nparts; i++) {
		more[n] = (struct newcomer){ &s->parts[i], samples(&s->parts[i]) };
		n += more[n].n && !has_series(m, more[n].part);
	}
	qsort(more, n, sizeof(*more), compare_newcomers);
	for (; taken < n && m->ngroups < most; taken++)
		add_group(m, s, k, more[taken].part);
	m->others = n - taken;
	m->shown = say_calloc(m->ngroups + 1, sizeof(*m->shown));
	for (i = 0; i < m->ngroups; i++) {
		part = snapshot_part(s, m->group[i].key);
		show_group(m, &m->group[i].labels, s, part ? part : &none);
	}
	if (m->others)
		show_others(m, s, more + taken, m->others);
	keys_free(k);
	free(more);
}

static void show(struct measurement *m, size_t most)
{
	struct snapshot *sum = NULL;
	const struct snapshot *s = m->last;
	bool interval = m->last->interval;

	if (m->base) {
		sum = snapshot_copy(m->base);
		m->last->interval = true;
		snapshot_add(sum, m->last);
		m->last->interval = interval;
		s = sum;
	}
	free_shown(m);
	if (s->head.nby) {
		show_groups(m, s, most);
	} else {
		if (!m->other.n)
			exposition_label(s, NULL, NULL, false, &m->other);
		m->shown = say_calloc(1, sizeof(*m->shown));
		show_group(m, &m->other, s, NULL);
	}
	snapshot_free(sum);
}

/* ---- a look ---- */

static struct measurement **find(struct served *sv, const char *name)
{
	size_t i;

	for (i = 0; i < sv->n; i++)
		if (!strcmp(sv->m[i]->last->head.name, name))
			return &sv->m[i];
	return NULL;
}

static bool meant(const struct served *sv, const struct snapshot *s)
{
	size_t i;

	for (i = 0; i < sv->o.nnames; i++)
		if (snapshot_matches(s, sv->o.names[i]))
			return true;
	return !sv->o.nnames;
}

void served_begin(struct served *sv)
{
	size_t i;

	for (i = 0; i < sv->n; i++)
		sv->m[i]->there = sv->m[i]->read = false;
}

void served_take(struct served *sv, struct snapshot *s, double wall)
{
	struct measurement **at = find(sv, s->head.name);

	if (!meant(sv, s)) {
		snapshot_free(s);
		return;
	}
	if (at && same_one(&(*at)->last->head, &s->head)) {
		go_on(*at, s);
	} else if (at) {
		free_measurement(*at);
		*at = begin(sv, s, wall);
	} else {
		sv->m = say_realloc(sv->m, sv->n + 1, sizeof(*sv->m));
		at = &sv->m[sv->n++];
		*at = begin(sv, s, wall);
	}
	(*at)->there = (*at)->read = true;
	note_terms(*at);
	show(*at, sv->o.groups);
}

void served_end(struct served *sv)
{
	size_t i, kept = 0;

	for (i = 0; i < sv->n; i++) {
		if (sv->m[i]->there)
			sv->m[kept++] = sv->m[i];
		else
			free_measurement(sv->m[i]);
	}
	sv->n = kept;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* What vanishes between the list and the read is no mistake; what cannot be read stays what it was. */
static bool look_at_kernel(struct served *sv)
{
	char **names = read_names(), *why;
	struct measurement **at;
	struct snapshot *s;
	bool good = true;
	size_t i;

	served_begin(sv);
	for (i = 0; names && names[i]; i++) {
		s = read_snapshot(names[i], &why);
		if (s) {
			keys_by_function(s);
			cgroups_settle(s);
			served_take(sv, s, now());
			continue;
		}
		if (read_exists(names[i])) {
			say_error("%s", why);
			sv->errors++;
			good = false;
			at = find(sv, names[i]);
			if (at)
				(*at)->there = true;
		}
		free(why);
	}
	read_free_names(names);
	served_end(sv);
	return good;
}

/* One report as it is; several, such as of -i, are what they add up to. */
static bool look_at_file(struct served *sv)
{
	struct merge_file file = { .path = sv->o.file };
	struct report sum = { 0 }, *r;
	size_t i;
	bool good = saved_read(file.path, &file.saved);

	if (good && file.saved.n > 1)
		good = merge_files(&file, 1, &sum);
	served_begin(sv);
	if (good) {
		r = file.saved.n > 1 ? &sum : file.saved.report;
		for (i = 0; i < r->n; i++) {
			struct snapshot *s = snapshot_copy(r->snapshots[i]);

			s->interval |= r == &sum;
			served_take(sv, s, r->taken.tv_sec + r->taken.tv_nsec / 1e9);
		}
		served_end(sv);
	} else {
		sv->errors++;
	}
	saved_free_report(&sum);
	saved_free(&file.saved);
	return good;
}

bool served_look(struct served *sv)
{
	return sv->o.file ? look_at_file(sv) : look_at_kernel(sv);
}

/* ---- what is exposed ---- */

enum about { COUNTING, RESETS, UNSEEN, BUCKETS, GROUPS, OTHERS };

static __u64 about(const struct measurement *m, enum about what)
{
	switch (what) {
	case COUNTING:
		return m->last->head.state == KSTATS_ARMED;
	case RESETS:
		return m->last->head.resets;
	case UNSEEN:
		return m->unseen;
	case BUCKETS:
		return m->buckets.n + 1;
	case GROUPS:
		return m->ngroups;
	default:
		return m->others;
	}
}

static void add_about(const struct served *sv, struct exposition *e)
{
	static const struct {
		enum about what;
		enum exposition_type type;
		const char *name, *help;
	} families[] = {
		{ COUNTING, EXPOSITION_GAUGE, "kmeter_counting", "1 while it counts, 0 while it is stopped." },
		{ RESETS, EXPOSITION_COUNTER, "kmeter_resets", "How often it was reset." },
		{ UNSEEN, EXPOSITION_COUNTER, "kmeter_unseen", "Samples that came between a look and a RESET: recorded, and in no histogram here." },
		{ BUCKETS, EXPOSITION_GAUGE, "kmeter_buckets", "How many buckets each of its histograms has." },
		{ GROUPS, EXPOSITION_GAUGE, "kmeter_groups", "How many groups have series of their own." },
		{ OTHERS, EXPOSITION_GAUGE, "kmeter_other_groups", "How many groups came when there were enough: they are added up as (other)." },
	};
	struct exposition_family *f;
	size_t i, j;

	for (i = 0; i < sizeof(families) / sizeof(*families); i++) {
		f = exposition_family(e, families[i].type, families[i].name, "", families[i].help);
		for (j = 0; j < sv->n; j++) {
			const struct measurement *m = sv->m[j];

			if (!m->read || (families[i].what == BUCKETS && m->last->head.kind == KSTATS_COUNTS) ||
			    (families[i].what >= GROUPS && !m->last->head.nby))
				continue;
			exposition_series(f, m->last, NULL, NULL, about(m, families[i].what));
		}
	}
	f = exposition_family(e, EXPOSITION_COUNTER, "kmeter_read_errors", "", "Measurements, or files of them, that could not be read.");
	exposition_series(f, NULL, NULL, NULL, sv->errors);
	f = exposition_family(e, EXPOSITION_INFO, "kmeter_build", "", "Which kmeter this is.");
	exposition_series(f, NULL, "version", KMETER_VERSION, 1);
}

void served_expose(const struct served *sv, bool native, struct exposition *e)
{
	struct exposition_source *from = say_calloc(sv->n, sizeof(*from));
	size_t i, n = 0;

	for (i = 0; i < sv->n; i++) {
		const struct measurement *m = sv->m[i];

		if (!m->read)
			continue;
		from[n] = (struct exposition_source){
			.s = m->last,
			.group = m->shown,
			.ngroups = m->nshown,
			.buckets = &m->buckets,
			.native = native,
			.armed_ns = m->armed_ns,
			.created = m->created,
		};
		memcpy(from[n++].term, m->term, sizeof(m->term));
	}
	exposition_make(e, from, n);
	add_about(sv, e);
	free(from);
}

struct served *served_new(const struct served_options *o)
{
	struct served *sv = say_calloc(1, sizeof(*sv));

	sv->o = *o;
	return sv;
}

void served_free(struct served *sv)
{
	while (sv->n)
		free_measurement(sv->m[--sv->n]);
	free(sv->m);
	free(sv);
}
