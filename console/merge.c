// SPDX-License-Identifier: GPL-2.0
/*
 * merge.c: one report of many.
 *
 * Keys that are numbers with a name (symbols, matches of a pattern) have other numbers on other machines: they are told apart
 * by their names, and get the number that the first machine had for it.
 */
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "console/keys.h"
#include "console/merge.h"
#include "console/say.h"

/* A report that is added, and the machine that it is of. */
struct piece {
	const char *path;
	const struct report *r;
	unsigned int machine;
	double end, start;		/* of its time, seconds since 1970 */
};

/* All reports of one boot of a machine; without knowing the boot, of one file. A merged report is one of its own. */
struct machine {
	const struct piece *first;
	unsigned int first_cpu, cpus;
};

struct merging {
	struct piece *piece;		/* by machine, then by time */
	size_t pieces;
	struct machine *machine;
	unsigned int machines;
};

/* ---- machines ---- */

static double seconds_of(const struct timespec *t)
{
	return t->tv_sec + t->tv_nsec / 1e9;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_machine(const struct piece *a, const struct piece *b)
{
	if (a->r->sources || b->r->sources)
		return false;
	return a->r->boot && b->r->boot ? !strcmp(a->r->boot, b->r->boot) : a->path == b->path && a->r->boot == b->r->boot;
}

static unsigned int cpus_of(const struct report *r)
{
	unsigned int most = 0;
	size_t i;

	for (i = 0; i < r->n; i++)
		most = r->snapshots[i]->head.cpus > most ? r->snapshots[i]->head.cpus : most;
	for (i = 0; i < r->nsources; i++)
		if (r->sources[i].first_cpu + r->sources[i].cpus > most)
			most = r->sources[i].first_cpu + r->sources[i].cpus;
	return most;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->machine != y->machine)
		return x->machine < y->machine ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static void find_machines(struct merging *m, const struct merge_file *file, size_t n)
{
	size_t i, j, k;

	for (i = 0; i < n; i++)
		for (j = 0; j < file[i].saved.n; j++) {
			const struct report *r = &file[i].saved.report[j];
			struct piece p = { file[i].path, r, m->machines, seconds_of(&r->taken), seconds_of(&r->taken) - r->seconds };

			for (k = 0; k < m->pieces; k++)
				if (same_machine(&m->piece[k], &p))
					p.machine = m->piece[k].machine;
			m->machines += p.machine == m->machines;
			m->piece = say_realloc(m->piece, m->pieces + 1, sizeof(*m->piece));
			m->piece[m->pieces++] = p;
		}
	qsort(m->piece, m->pieces, sizeof(*m->piece), compare_pieces);
	m->machine = say_calloc(m->machines, sizeof(*m->machine));
	for (i = 0; i < m->pieces; i++) {
		struct machine *of = &m->machine[m->piece[i].machine];
		unsigned int cpus = cpus_of(m->piece[i].r);

		if (!of->first)
			of->first = &m->piece[i];
		of->cpus = cpus > of->cpus ? cpus : of->cpus;
	}
	for (i = 1; i < m->machines; i++)
		m->machine[i].first_cpu = m->machine[i - 1].first_cpu + m->machine[i - 1].cpus;
}

/* ---- the same samples twice ---- */

/* The @i-th time of a boot that a report covers; of a merged one there are several. False behind the last. */
static bool span(const struct piece *p, size_t i, struct report_source *out)
{
	if (i >= (p->r->sources ? p->r->nsources : 1))
		return false;
	*out = p->r->sources ? p->r->sources[i] :
	       (struct report_source){ .boot = p->r->boot, .taken = p->r->taken, .seconds = p->r->seconds };
	return true;
}

/* Do two times of one boot have more than half of the shorter one in common? Reports that follow each other may touch. */
static bool overlap(const struct report_source *a, const struct report_source *b)
{
	double end_a = seconds_of(&a->taken), end_b = seconds_of(&b->taken);
	double start = fmax(end_a - a->seconds, end_b - b->seconds), end = fmin(end_a, end_b);

	return a->boot && b->boot && !strcmp(a->boot, b->boot) && end > start && end - start >= fmin(a->seconds, b->seconds) / 2;
}

static bool twice(const struct piece *a, const struct piece *b)
{
	struct report_source x, y;
	size_t i, j, k;

	for (i = 0; span(a, i, &x); i++)
		for (j = 0; span(b, j, &y); j++)
			for (k = 0; overlap(&x, &y) && k < a->r->n; k++)
				if (saved_measurement(b->r, a->r->snapshots[k]->head.name)) {
					say_error("%s and %s: both have the samples of %s in the same time of one boot of %s; that would count "
						  "them twice", a->path, b->path, a->r->snapshots[k]->head.name,
						  a->r->host ? a->r->host : "one machine");
					return true;
				}
	return false;
}

static bool any_twice(const struct merging *m, const struct merge_file *file, size_t n)
{
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			if (!strcmp(file[i].path, file[j].path)) {
				say_error("%s is named twice", file[i].path);
				return true;
			}
	for (i = 0; i < m->pieces; i++)
		for (j = 0; j < i; j++)
			if (twice(&m->piece[j], &m->piece[i]))
				return true;
	return false;
}

/* ---- numbers with names ---- */

/* What has a name in the merged measurement, and the number that stands for it there. */
struct named {
	char *name;		/* an address without one: "" */
	__u64 own;		/* the number that it had itself, */
	__u64 number;		/* and has in the merged one */
};

/* A namespace: of addresses, or of a pattern's matches. */
struct names {
	void *by_name, *by_number;	/* tsearch */
};

static int compare_names(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order || *x->name)
		return order;
	return x->own < y->own ? -1 : x->own > y->own;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int compare_numbers(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* Its number in the merged measurement: its own, unless something else has that. *fresh: it has come for the first time. */
static __u64 number_of(struct names *names, const char *name, __u64 own, bool *fresh)
{
	struct named *n = &(struct named){ (char *)name, own, own }, **found = tfind(n, &names->by_name, compare_names);

	*fresh = !found;
	if (found)
		return (*found)->number;
	n = say_calloc(1, sizeof(*n));
	*n = (struct named){ say_strdup(name), own, own };
	tsearch(n, &names->by_name, compare_names);
	while (tfind(n, &names->by_number, compare_numbers))
		n->number++;
	tsearch(n, &names->by_number, compare_numbers);
	return n->number;
}

static void free_named(void *node)
{
	struct named *n = node;

	free(n->name);
	free(n);
}

static void keep(void *node)
{
}

static void free_names(struct names *names)
{
	tdestroy(names->by_number, keep);
	tdestroy(names->by_name, free_named);
}

/* ---- one measurement ---- */

struct adding {
	const struct merging *m;
	const char *name;
	struct snapshot *out;
	struct names addresses[2], matches;	/* addresses: as such, and those that a call returns to, which are named otherwise */
	void *lines;			/* those that come once, tsearch */
	const struct piece *from;	/* whose measurement `out` began as */
	const struct piece *last;	/* whose came last */
};

static __u64 address(struct adding *a, const struct snapshot *s, __u64 word, bool returned)
{
	char *name = word ? snapshot_symbol(s, word, returned) : NULL;
	__u64 number = word;
	bool fresh = false;

	if (word)
		number = number_of(&a->addresses[returned], name ? name : "", word, &fresh);
	if (name && fresh)
		snapshot_add_symbol(a->out, number, returned, name);
	free(name);
	return number;
}

static __u64 match(struct adding *a, const struct keys *k, const struct snapshot_part *part, unsigned int i)
{
	char *name = keys_text(k, part, i);
	bool fresh;
	__u64 number = number_of(&a->matches, name, *keys_words(a->out, part, i), &fresh);

	free(name);
	return number;
}

/* The key as it is in the merged measurement. */
static void translate(struct adding *a, const struct snapshot *s, const struct keys *k, const struct snapshot_part *part, __u64 *word)
{
	unsigned int i, f;

	memcpy(word, part->key, sizeof(part->key));
	for (i = 0; i < s->head.nby; word += s->head.by[i++].words) {
		switch (s->head.by[i].type) {
		case KSTATS_BY_SYMBOL:
		case KSTATS_BY_FUNCTION:
			*word = address(a, s, *word, false);
			break;
		case KSTATS_BY_CGROUP:
			*word = address(a, s, *word, false);
			break;
		case KSTATS_BY_CONTAINER:
			*word = address(a, s, *word, true);
			break;
		case KSTATS_BY_STACK:
			for (f = 0; f < s->head.by[i].words && word[f]; f++)
				word[f] = address(a, s, word[f], f > 0);
			break;
		case KSTATS_BY_POINT:
			*word = match(a, k, part, i);
			break;
		default:
			break;
		}
	}
}

/* The same slots at fewer bits. Each slot of more bits lies within one of those. */
static struct snapshot_run coarser(const struct snapshot_run *r, unsigned int bits, unsigned int fewer)
{
	struct snapshot_run to = { .cpu = r->cpu };
	unsigned int i, slot;

	if (!r->count)
		return to;
	to.first = kstats_slot_of(kstats_slot_lo(r->first, bits), fewer);
	to.count = kstats_slot_of(kstats_slot_lo(r->first + r->count - 1, bits), fewer) - to.first + 1;
	to.slot = say_calloc(to.count, sizeof(*to.slot));
	to.sum = say_calloc(to.count, sizeof(*to.sum));
	for (i = 0; i < r->count; i++) {
		u128 sum = snapshot_run_sum(r, i, bits);

		if (!r->slot[i].n)
			continue;
		slot = kstats_slot_of(kstats_slot_lo(r->first + i, bits), fewer) - to.first;
		to.slot[slot].n += r->slot[i].n;
		to.sum[slot] = sum == SNAPSHOT_UNKNOWN || to.sum[slot] == SNAPSHOT_UNKNOWN ? SNAPSHOT_UNKNOWN : to.sum[slot] + sum;
		to.slot[slot].sum = to.sum[slot] == SNAPSHOT_UNKNOWN ? 0 : (__u64)to.sum[slot];
	}
	return to;
}

static void add_parts(struct adding *a, const struct snapshot *s, unsigned int first_cpu)
{
	struct keys *k = keys_new(s);
	unsigned int i, j;

	a->out->parts = say_realloc(a->out->parts, a->out->nparts + s->nparts, sizeof(*a->out->parts));
	for (i = 0; i < s->nparts; i++) {
		const struct snapshot_part *from = &s->parts[i];
		struct snapshot_part *to = &a->out->parts[a->out->nparts++];

		*to = (struct snapshot_part){ .squares = from->squares, .nruns = from->nruns };
		translate(a, s, k, from, to->key);
		to->runs = say_calloc(from->nruns, sizeof(*to->runs));
		for (j = 0; j < from->nruns; j++) {
			to->runs[j] = coarser(&from->runs[j], s->head.bits, a->out->head.bits);
			to->runs[j].cpu += first_cpu;
		}
	}
	keys_free(k);
}

/* ---- what was measured must be the same ---- */

static bool same_line(const struct adding *a, const struct piece *p, const struct snapshot *s, const char *word)
{
	char *one = snapshot_value(a->out, word), *other = snapshot_value(s, word);
	bool same = same_text(one, other);

	if (!same)
		say_error("%s: its %s of %s is %s, and in %s %s: they cannot be added", p->path, word, a->name, other ? other : "none",
			  a->from->path, one ? one : "none");
	free(one);
	free(other);
	return same;
}

static bool fits(const struct adding *a, const struct piece *p, const struct snapshot *s)
{
	const struct kstats_snapshot *x = &a->out->head, *y = &s->head;
	unsigned int i;

	if (x->kind != y->kind || x->form != y->form) {
		say_error("%s: %s measures something else there than in %s", p->path, a->name, a->from->path);
		return false;
	}
	for (i = 0; i < x->nby || i < y->nby; i++) {
		const struct kstats_snapshot_by *k = &x->by[i], *l = &y->by[i];

		if (i < x->nby && i < y->nby && k->type == l->type && k->words == l->words && !strcmp(k->text, l->text))
			continue;
		say_error("%s: the keys of %s are others there than in %s: %s for %s", p->path, a->name, a->from->path,
			  i < y->nby ? l->text : "none", i < x->nby ? k->text : "none");
		return false;
	}
	return same_line(a, p, s, "unit") && same_line(a, p, s, "counter") && same_line(a, p, s, "time") && same_line(a, p, s, "key");
}

/* ---- the kernel's lines ---- */

/* At the end of its text. */
static void append(struct snapshot *s, const char *lines)
{
	char *longer = say_text("%s%s", s->text, lines);

	free(s->text);
	s->text = longer;
}

/* Has it not come before? Then it has now: there may be one a point, in each of many reports. */
static bool new_line(struct adding *a, const char *line, size_t length)
{
	char *text = say_text("%.*s", (int)length, line), **found = tsearch(text, &a->lines, compare_texts);

	if (*found == text)
		return true;
	free(text);
	return false;
}

/* An enumerator of another name than here: the kernels' types differ. */
static bool same_enumerators(const struct adding *a, const struct piece *p, const struct snapshot *s)
{
	const char *at = NULL, *line, *mine, *there;
	size_t length, n, word;

	while ((line = snapshot_line(s, "enum", &at, &length))) {
		word = strcspn(line, " ") + 1;
		word += strcspn(line + word, " ") + 1;		/* "KEY VALUE " */
		for (mine = NULL; word < length && (there = snapshot_line(a->out, "enum", &mine, &n));) {
			if (n < word || memcmp(line, there, word) || (n == length && !memcmp(line, there, n)))
				continue;
			say_error("%s: a value of a key of %s is called %.*s there and %.*s in %s: other kernels, they cannot be added", p->path,
				  a->name, (int)(length - word), line + word, (int)(n - word), there + word, a->from->path);
			return false;
		}
	}
	return true;
}

/*
 * Lines of which there is one (statement, module, clock, ...) stay the first machine's; points, enumerators and what tells of the clock
 * come to those that are there. Floors: the least of each way. Matches follow from the keys.
 */
static void add_floor(struct snapshot *out, const char *line, size_t length)
{
	const char *at = NULL, *mine, *blank = memchr(line, ' ', length), *way = blank ? blank : line + length;
	size_t n, tail = length - (way - line);

	while ((mine = snapshot_line(out, "floor", &at, &n))) {
		if (n < tail || memcmp(mine + n - tail, way, tail) || strcspn(mine, " ") != n - tail)
			continue;
		if (strtoull(line, NULL, 10) < strtoull(mine, NULL, 10)) {
			size_t before = mine - out->text;
			char *text = say_text("%.*s%.*s%s", (int)before, out->text, (int)length, line, out->text + before + n);

			free(out->text);
			out->text = text;
		}
		return;
	}
	way = say_text("floor %.*s\n", (int)length, line);
	append(out, way);
	free((char *)way);
}

static void add_lines(struct adding *a, const struct piece *p, const struct snapshot *s)
{
	static const char *const united[] = { "point ", "enum ", "nofloor ", "watch " };
	const char *line;
	char *lines;
	size_t length, size, i;
	FILE *more = open_memstream(&lines, &size);

	for (line = s->text; *line; line += length + (line[length] == '\n')) {
		length = strcspn(line, "\n");
		for (i = 0; i < sizeof(united) / sizeof(*united); i++)
			if (!strncmp(line, united[i], strlen(united[i])) && new_line(a, line, length) && p != a->from)
				fprintf(more, "%.*s\n", (int)length, line);
		if (!strncmp(line, "floor ", 6))
			add_floor(a->out, line + 6, length - 6);
	}
	fclose(more);
	append(a->out, lines);
	free(lines);
}

static void put_match(const void *node, VISIT order, void *lines)
{
	const struct named *n = *(struct named *const *)node;

	if (order == postorder || order == leaf)
		fprintf(lines, "match %llu %s\n", (unsigned long long)n->number, n->name);
}

static void append_matches(struct adding *a)
{
	char *lines;
	size_t size;
	FILE *f = open_memstream(&lines, &size);

	twalk_r(a->matches.by_number, put_match, f);
	fclose(f);
	append(a->out, lines);
	free(lines);
}

/* All matches, also those without samples: their number is what the report tells. */
static void add_matches(struct adding *a, const struct snapshot *s)
{
	const char *at = NULL, *line;
	size_t length, word;
	bool fresh;
	char *name;

	while ((line = snapshot_line(s, "match", &at, &length))) {
		word = snapshot_first_word(line, length);
		if (word >= length)
			continue;
		name = keys_printable(line + word + 1, length - word - 1);
		number_of(&a->matches, name, strtoull(line, NULL, 10), &fresh);
		free(name);
	}
}

/* The text without lines that begin so. */
static void drop_lines(struct snapshot *s, const char *word)
{
	char *line = s->text, *end;

	while (*line) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		if (!strncmp(line, word, strlen(word)))
			memmove(line, end, strlen(end) + 1);
		else
			line = end;
	}
}

/* ---- accounting and time ---- */

/*
 * An interval's hits have what was in flight at its beginning. Where that is the report before, it was counted there, and what
 * is in flight now is what is in flight at the end of the last.
 */
static void add_terms(struct kstats_snapshot *to, const struct snapshot *s, const struct snapshot *before)
{
	__u64 again = before ? before->head.term[KSTATS_IN_FLIGHT] : 0;
	unsigned int i;

	if (again > s->head.term[KSTATS_HITS] || again > to->term[KSTATS_IN_FLIGHT])
		again = 0;
	for (i = 0; i < KSTATS_NTERMS; i++)
		to->term[i] += s->head.term[i];
	to->term[KSTATS_HITS] -= again;
	to->term[KSTATS_IN_FLIGHT] -= again;
}

/* The report before that has the measurement too, if this one goes on from there: reports of others may lie in between. */
static const struct snapshot *predecessor(const struct adding *a, const struct piece *p, const struct snapshot *s)
{
	const struct piece *last = a->last;

	if (!s->interval || s->restarted || !last || last->machine != p->machine ||
	    fabs(last->end - p->start) > 0.01 + 0.01 * p->r->seconds)
		return NULL;
	return saved_measurement(last->r, a->name);
}

static unsigned int fewest_bits(const struct merging *m, const char *name)
{
	unsigned int bits = KSTATS_BITS_MAX;
	size_t i;

	for (i = 0; i < m->pieces; i++) {
		const struct snapshot *s = saved_measurement(m->piece[i].r, name);

		if (s && (s->head.bits == KSTATS_BITS_NONE || bits == KSTATS_BITS_NONE))
			bits = KSTATS_BITS_NONE;
		else if (s && s->head.bits < bits)
			bits = s->head.bits;
	}
	return bits;
}

/* The slots that one of them keeps. */
static void add_range(struct kstats_snapshot *to, const struct kstats_snapshot *from)
{
	unsigned int first = kstats_slot_of(kstats_slot_lo(from->first, from->bits), to->bits);
	unsigned int last = kstats_slot_of(kstats_slot_hi(from->first + from->slots - 1, from->bits), to->bits);

	if (to->slots && to->first + to->slots - 1 > last)
		last = to->first + to->slots - 1;
	if (to->slots && to->first < first)
		first = to->first;
	to->first = first;
	to->slots = last - first + 1;
}

static void begin(struct adding *a, const struct piece *p, const struct snapshot *s)
{
	a->from = p;
	a->out->head = s->head;
	a->out->head.bits = fewest_bits(a->m, a->name);
	a->out->head.slots = 0;
	memset(a->out->head.term, 0, sizeof(a->out->head.term));
	memset(a->out->head.before, 0, sizeof(a->out->head.before));
	a->out->head.armed_ns = a->out->head.armed_before = a->out->head.made_ns = a->out->head.resets = a->out->head.memory = 0;
	a->out->head.state = KSTATS_STOPPED_STATE;
	a->out->text = say_strdup(s->text);
	drop_lines(a->out, "match ");
	a->out->saved = a->out->interval = true;
}

/* The measurement of that name of all reports; NULL after saying what does not fit. */
static struct snapshot *add_up(const struct merging *m, const char *name)
{
	struct adding a = { .m = m, .name = name, .out = say_calloc(1, sizeof(*a.out)) };
	struct kstats_snapshot *h = &a.out->head;
	__u64 armed = 0, memory = 0, resets = 0;	/* of this machine */
	bool good = true;
	size_t i;

	for (i = 0; i < m->pieces && good; i++) {
		const struct piece *p = &m->piece[i];
		const struct snapshot *s = saved_measurement(p->r, name);

		if (i && p->machine != p[-1].machine)
			armed = memory = resets = 0;
		if (!s)
			continue;
		if (!a.from)
			begin(&a, p, s);
		good = fits(&a, p, s) && same_enumerators(&a, p, s);
		if (!good)
			break;
		add_range(h, &s->head);
		add_lines(&a, p, s);
		add_matches(&a, s);
		add_parts(&a, s, m->machine[p->machine].first_cpu);
		add_terms(h, s, predecessor(&a, p, s));
		armed += s->head.armed_ns;
		h->armed_ns = armed > h->armed_ns ? armed : h->armed_ns;
		h->memory += s->head.memory > memory ? s->head.memory - memory : 0;
		memory = s->head.memory > memory ? s->head.memory : memory;
		h->resets += s->head.resets > resets ? s->head.resets - resets : 0;
		resets = s->head.resets > resets ? s->head.resets : resets;
		h->now_ns = s->head.now_ns > h->now_ns ? s->head.now_ns : h->now_ns;
		if (s->head.state == KSTATS_ARMED)
			h->state = KSTATS_ARMED;
		a.last = p;
		a.out->interval &= s->interval;
		a.out->restarted |= s->restarted;
	}
	h->cpus = m->machine[m->machines - 1].first_cpu + m->machine[m->machines - 1].cpus;
	snapshot_sort(a.out);
	snapshot_gather(a.out);
	snapshot_sort_symbols(a.out);
	append_matches(&a);
	free_names(&a.addresses[0]);
	free_names(&a.addresses[1]);
	free_names(&a.matches);
	tdestroy(a.lines, free);
	if (good)
		return a.out;
	snapshot_free(a.out);
	return NULL;
}

/* ---- the report ---- */

static const char *copied(const char *text)
{
	return text ? say_strdup(text) : NULL;
}

/* The text of all where it is the same, else NULL. @at: where in a report it is. */
static const char *common(const struct merging *m, size_t at)
{
	const char *text = *(const char *const *)((const char *)m->piece->r + at);
	size_t i;

	for (i = 1; i < m->pieces; i++)
		if (!same_text(text, *(const char *const *)((const char *)m->piece[i].r + at)))
			return NULL;
	return copied(text);
}

static void add_source(struct report *out, const struct report_source *from, unsigned int first_cpu)
{
	struct report_source *to;

	out->sources = say_realloc((void *)out->sources, out->nsources + 1, sizeof(*out->sources));
	to = (struct report_source *)&out->sources[out->nsources++];
	*to = *from;
	to->host = copied(from->host);
	to->boot = copied(from->boot);
	to->release = copied(from->release);
	to->first_cpu += first_cpu;
}

static int compare_starts(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* The time that @n reports of one machine cover: of those that measured beside each other once, not added up. */
static double covered(const struct piece *p, size_t n)
{
	struct piece *all = say_calloc(n, sizeof(*all));
	double seconds = 0, end = -INFINITY;
	size_t i;

	memcpy(all, p, n * sizeof(*all));
	qsort(all, n, sizeof(*all), compare_starts);
	for (i = 0; i < n; i++) {
		if (all[i].start >= end - 0.01 - 0.01 * all[i].r->seconds)	/* those that follow each other may touch */
			seconds += all[i].r->seconds;
		else if (all[i].end > end)
			seconds += all[i].end - end;
		end = fmax(end, all[i].end);
	}
	free(all);
	return seconds;
}

/* How many of @most pieces follow each other without a gap. */
static size_t stretch(const struct piece *p, size_t most)
{
	double end = p->end;
	size_t n;

	for (n = 1; n < most && p[n].start <= end + 0.01 + 0.01 * p[n].r->seconds; n++)
		end = fmax(end, p[n].end);
	return n;
}

/* A source is a time without gaps, so that whoever merges this again can tell what is in it. */
static void set_times(const struct merging *m, struct report *out)
{
	size_t i, j, k, n, most;
	double seconds;

	for (i = 0; i < m->pieces; i += most) {
		const struct piece *p = &m->piece[i];
		const struct machine *of = &m->machine[p->machine];

		for (most = 1; i + most < m->pieces && p[most].machine == p->machine; most++)
			;
		for (j = 0; j < p->r->nsources; j++)
			add_source(out, &p->r->sources[j], of->first_cpu);
		for (seconds = 0, k = 0; k < most; k += n) {
			struct report_source from = { p->r->host, p->r->boot, p->r->release, { 0 }, 0, 0, of->cpus };

			n = stretch(p + k, most - k);
			from.taken = p[k + n - 1].r->taken;
			from.seconds = covered(p + k, n);
			seconds += from.seconds;
			if (seconds_of(&from.taken) > seconds_of(&out->taken))
				out->taken = from.taken;
			if (!p->r->sources)
				add_source(out, &from, of->first_cpu);
		}
		out->seconds = fmax(out->seconds, seconds);
	}
}

static bool add_measurements(const struct merging *m, struct report *out)
{
	struct snapshot **all = NULL, *s;
	size_t i, j;

	for (i = 0; i < m->pieces; i++)
		for (j = 0; j < m->piece[i].r->n; j++) {
			const char *name = m->piece[i].r->snapshots[j]->head.name;

			if (saved_measurement(out, name))
				continue;
			s = add_up(m, name);
			if (!s)
				return false;
			all = say_realloc(all, out->n + 1, sizeof(*all));
			all[out->n++] = s;
			out->snapshots = all;
		}
	return true;
}

bool merge_files(const struct merge_file *file, size_t n, struct report *out)
{
	struct merging m = { 0 };
	bool good = false;

	*out = (struct report){ 0 };
	find_machines(&m, file, n);
	if (m.pieces && !any_twice(&m, file, n)) {
		out->release = common(&m, offsetof(struct report, release));
		out->host = common(&m, offsetof(struct report, host));
		out->boot = common(&m, offsetof(struct report, boot));
		out->script = common(&m, offsetof(struct report, script));
		set_times(&m, out);
		good = add_measurements(&m, out);
	}
	free(m.machine);
	free(m.piece);
	return good;
}
