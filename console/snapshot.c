// SPDX-License-Identifier: GPL-2.0
/*
 * snapshot.c: arithmetic on snapshots: differences, parts of one key, totals over CPUs.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console/say.h"
#include "console/snapshot.h"

static void free_part(struct snapshot_part *p)
{
	unsigned int i;

	for (i = 0; i < p->nruns; i++) {
		free(p->runs[i].slot);
		free(p->runs[i].sum);
	}
	free(p->runs);
}

void snapshot_free(struct snapshot *s)
{
	unsigned int i;

	if (!s)
		return;
	for (i = 0; i < s->nparts; i++)
		free_part(&s->parts[i]);
	free(s->parts);
	free(s->text);
	while (s->nsymbols)
		free(s->symbols[--s->nsymbols].name);
	free(s->symbols);
	free(s);
}

static int compare_keys(const void *a, const void *b)
{
	const struct snapshot_part *p = a, *q = b;
	unsigned int i;

	for (i = 0; i < KSTATS_BY_WORDS; i++)
		if (p->key[i] != q->key[i])
			return p->key[i] < q->key[i] ? -1 : 1;
	return 0;
}

/* A part may hold several runs of one CPU, so joining two parts is joining their lists. */
static void join(struct snapshot_part *into, struct snapshot_part *from)
{
	into->runs = say_realloc(into->runs, into->nruns + from->nruns, sizeof(*into->runs));
	if (from->nruns)
		memcpy(into->runs + into->nruns, from->runs, from->nruns * sizeof(*from->runs));
	into->nruns += from->nruns;
	into->squares += from->squares;
	free(from->runs);
}

void snapshot_sort(struct snapshot *s)
{
	unsigned int i, kept = 0;

	if (!s->nparts)
		return;
	qsort(s->parts, s->nparts, sizeof(*s->parts), compare_keys);
	for (i = 1; i < s->nparts; i++) {
		if (!compare_keys(&s->parts[kept], &s->parts[i]))
			join(&s->parts[kept], &s->parts[i]);
		else
			s->parts[++kept] = s->parts[i];
	}
	s->nparts = kept + 1;
}

const struct snapshot_part *snapshot_part(const struct snapshot *s, const __u64 *key)
{
	struct snapshot_part wanted;

	memcpy(wanted.key, key, sizeof(wanted.key));
	return s->nparts ? bsearch(&wanted, s->parts, s->nparts, sizeof(*s->parts), compare_keys) : NULL;
}

/* ---- symbols of saved ones ---- */

static int compare_symbols(const void *a, const void *b)
{
	const struct snapshot_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->returned - y->returned;
}

void snapshot_add_symbol(struct snapshot *s, __u64 address, bool returned, const char *name)
{
	if (!(s->nsymbols & (s->nsymbols - 1)))	/* room for 2^i */
		s->symbols = say_realloc(s->symbols, s->nsymbols ? 2 * s->nsymbols : 1, sizeof(*s->symbols));
	s->symbols[s->nsymbols++] = (struct snapshot_symbol){ address, returned, say_strdup(name) };
}

/* The same one comes with each key that has it. */
void snapshot_sort_symbols(struct snapshot *s)
{
	size_t i, kept = 0;

	if (!s->nsymbols)
		return;
	qsort(s->symbols, s->nsymbols, sizeof(*s->symbols), compare_symbols);
	for (i = 1; i < s->nsymbols; i++) {
		if (compare_symbols(&s->symbols[kept], &s->symbols[i]))
			s->symbols[++kept] = s->symbols[i];
		else
			free(s->symbols[i].name);
	}
	s->nsymbols = kept + 1;
	s->symbols = say_realloc(s->symbols, s->nsymbols, sizeof(*s->symbols));
}

char *snapshot_symbol(const struct snapshot *s, __u64 address, bool returned)
{
	struct snapshot_symbol wanted = { address, returned, NULL };
	const struct snapshot_symbol *found = NULL;

	if (s->nsymbols)
		found = bsearch(&wanted, s->symbols, s->nsymbols, sizeof(wanted), compare_symbols);
	return found ? say_strdup(found->name) : NULL;
}

/* ---- the difference of two ---- */

static void copy_part(struct snapshot_part *to, const struct snapshot_part *from)
{
	unsigned int i;

	*to = *from;
	to->runs = say_calloc(from->nruns, sizeof(*to->runs));
	for (i = 0; i < from->nruns; i++) {
		to->runs[i] = from->runs[i];
		to->runs[i].slot = say_calloc(from->runs[i].count, sizeof(struct kstats_slot));
		memcpy(to->runs[i].slot, from->runs[i].slot, to->runs[i].count * sizeof(struct kstats_slot));
		if (!from->runs[i].sum)
			continue;
		to->runs[i].sum = say_calloc(from->runs[i].count, sizeof(u128));
		memcpy(to->runs[i].sum, from->runs[i].sum, to->runs[i].count * sizeof(u128));
	}
}

struct snapshot *snapshot_copy(const struct snapshot *s)
{
	struct snapshot *c = say_calloc(1, sizeof(*c));
	size_t i;

	*c = *s;
	c->text = say_strdup(s->text);
	c->symbols = say_calloc(s->nsymbols, sizeof(*c->symbols));
	for (i = 0; i < s->nsymbols; i++) {
		c->symbols[i] = s->symbols[i];
		c->symbols[i].name = say_strdup(s->symbols[i].name);
	}
	c->parts = say_calloc(s->nparts, sizeof(*c->parts));
	for (i = 0; i < s->nparts; i++)
		copy_part(&c->parts[i], &s->parts[i]);
	return c;
}

static const struct kstats_slot *find_slot(const struct snapshot_part *p, unsigned int cpu, unsigned int slot)
{
	unsigned int i;

	for (i = 0; i < p->nruns; i++) {
		const struct snapshot_run *r = &p->runs[i];

		if (r->cpu == cpu && slot >= r->first && slot - r->first < r->count)
			return &r->slot[slot - r->first];
	}
	return NULL;
}

/*
 * Take old's slots away from p's; false when a count would go backwards: this is not the same measurement. Sums are
 * subtracted modulo 2^64, which is what they are. (A CPU has one run in a part as the kernel writes it; should it have
 * several that overlap, a slot is found in the first alone, and the rest is left standing.)
 */
static bool subtract_part(struct snapshot_part *p, const struct snapshot_part *old)
{
	unsigned int i, j;

	p->squares -= old->squares;
	for (i = 0; i < old->nruns; i++) {
		const struct snapshot_run *r = &old->runs[i];

		for (j = 0; j < r->count; j++) {
			const struct kstats_slot *o = &r->slot[j];
			struct kstats_slot *n;

			if (!o->n && !o->sum)
				continue;
			n = (struct kstats_slot *)find_slot(p, r->cpu, r->first + j);
			if (!n || n->n < o->n)
				return false;
			n->n -= o->n;
			n->sum -= o->sum;
		}
	}
	return true;
}

static bool subtract_terms(struct kstats_snapshot *now, const struct kstats_snapshot *old)
{
	unsigned int i;

	for (i = 0; i < KSTATS_NTERMS; i++) {
		if (i == KSTATS_IN_FLIGHT)
			continue;
		if (now->term[i] < old->term[i])
			return false;
		now->term[i] -= old->term[i];
	}
	now->term[KSTATS_HITS] += old->term[KSTATS_IN_FLIGHT];
	return true;
}

static bool same_shape(const struct kstats_snapshot *a, const struct kstats_snapshot *b)
{
	return a->bits == b->bits && a->first == b->first && a->slots == b->slots && a->by_words == b->by_words && a->kind == b->kind &&
	       a->form == b->form;
}

static bool same_measurement(const struct kstats_snapshot *now, const struct kstats_snapshot *old)
{
	return now->resets == old->resets && now->armed_ns >= old->armed_ns && same_shape(now, old);
}

struct snapshot *snapshot_subtract(const struct snapshot *now, const struct snapshot *old)
{
	struct snapshot *d = snapshot_copy(now);
	unsigned int i;

	d->interval = true;
	if (!same_measurement(&now->head, &old->head) || !subtract_terms(&d->head, &old->head))
		goto restarted;
	d->head.armed_ns -= old->head.armed_ns;
	for (i = 0; i < old->nparts; i++) {
		struct snapshot_part *p = (struct snapshot_part *)snapshot_part(d, old->parts[i].key);

		if (!p || !subtract_part(p, &old->parts[i]))
			goto restarted;
	}
	return d;

restarted:
	snapshot_free(d);
	d = snapshot_copy(now);
	d->interval = true;
	d->restarted = true;
	return d;
}

/* ---- the sum of two ---- */

/* A run of the same CPU with slots @first to @end - 1, those of @r among them; its sums are no longer modulo 2^64. */
static struct snapshot_run widened(const struct snapshot_run *r, unsigned int first, unsigned int end, unsigned int bits)
{
	struct snapshot_run to = { .cpu = r->cpu, .first = first, .count = end - first };
	unsigned int i;

	to.slot = say_calloc(to.count, sizeof(*to.slot));
	to.sum = say_calloc(to.count, sizeof(*to.sum));
	for (i = 0; i < r->count; i++) {
		to.slot[r->first - first + i] = r->slot[i];
		to.sum[r->first - first + i] = snapshot_run_sum(r, i, bits);
	}
	return to;
}

static void add_run(struct snapshot_run *to, const struct snapshot_run *more, unsigned int bits)
{
	unsigned int first = more->first < to->first ? more->first : to->first, i;
	unsigned int end = more->first + more->count > to->first + to->count ? more->first + more->count : to->first + to->count;

	if (!to->sum || end - first > to->count) {
		struct snapshot_run wide = widened(to, first, end, bits);

		free(to->slot);
		free(to->sum);
		*to = wide;
	}
	for (i = 0; i < more->count; i++) {
		unsigned int slot = more->first - first + i;
		u128 sum = snapshot_run_sum(more, i, bits);

		to->slot[slot].n += more->slot[i].n;
		to->slot[slot].sum += more->slot[i].sum;
		to->sum[slot] = sum == SNAPSHOT_UNKNOWN || to->sum[slot] == SNAPSHOT_UNKNOWN ? SNAPSHOT_UNKNOWN : to->sum[slot] + sum;
	}
}

static void gather(struct snapshot_part *p, unsigned int bits)
{
	unsigned int i, j, kept = 0;

	for (i = 0; i < p->nruns; i++) {
		for (j = 0; j < kept && p->runs[j].cpu != p->runs[i].cpu; j++)
			;
		if (j == kept) {
			p->runs[kept++] = p->runs[i];
			continue;
		}
		add_run(&p->runs[j], &p->runs[i], bits);
		free(p->runs[i].slot);
		free(p->runs[i].sum);
	}
	p->nruns = kept;
}

void snapshot_gather(struct snapshot *s)
{
	unsigned int i;

	for (i = 0; i < s->nparts; i++)
		gather(&s->parts[i], s->head.bits);
}

bool snapshot_add(struct snapshot *to, const struct snapshot *more)
{
	__u64 flying = to->head.term[KSTATS_IN_FLIGHT];
	unsigned int i;
	size_t k;

	if (!more->interval || strcmp(to->head.name, more->head.name) || !same_shape(&to->head, &more->head))
		return false;
	for (i = 0; i < KSTATS_NTERMS; i++)
		to->head.term[i] += more->head.term[i];
	to->head.term[KSTATS_HITS] -= flying;
	to->head.term[KSTATS_IN_FLIGHT] -= flying;
	to->head.armed_ns += more->head.armed_ns;
	to->head.now_ns = more->head.now_ns;
	to->head.state = more->head.state;
	to->head.resets = more->head.resets;
	to->head.memory = more->head.memory;
	to->restarted |= more->restarted;
	free(to->text);
	to->text = say_strdup(more->text);
	to->parts = say_realloc(to->parts, to->nparts + more->nparts, sizeof(*to->parts));
	for (i = 0; i < more->nparts; i++)
		copy_part(&to->parts[to->nparts++], &more->parts[i]);
	snapshot_sort(to);
	snapshot_gather(to);		/* so that what is added up for hours does not grow with time */
	if (more->nsymbols)
		to->symbols = say_realloc(to->symbols, to->nsymbols + more->nsymbols, sizeof(*to->symbols));
	for (k = 0; k < more->nsymbols; k++) {
		to->symbols[to->nsymbols] = more->symbols[k];
		to->symbols[to->nsymbols++].name = say_strdup(more->symbols[k].name);
	}
	snapshot_sort_symbols(to);
	return true;
}

/* ---- the text ---- */

const char *snapshot_line(const struct snapshot *s, const char *word, const char **at, size_t *length)
{
	const char *p = *at ? *at : s->text;
	size_t n = strlen(word);

	while (*p) {
		size_t end = strcspn(p, "\n");
		const char *line = p;

		p += end + (p[end] == '\n');
		if (end > n && !strncmp(line, word, n) && line[n] == ' ') {
			*at = p;
			*length = end - n - 1;
			return line + n + 1;
		}
	}
	*at = p;
	return NULL;
}

char *snapshot_value(const struct snapshot *s, const char *word)
{
	const char *at = NULL, *value;
	size_t length;

	value = snapshot_line(s, word, &at, &length);
	return value ? say_text("%.*s", (int)length, value) : NULL;
}

size_t snapshot_first_word(const char *line, size_t length)
{
	const char *end = NULL;

	if (length && *line == '"')
		end = memchr(line + 1, '"', length - 1);
	if (end)
		return end + 1 - line;
	end = memchr(line, ' ', length);
	return end ? (size_t)(end - line) : length;
}

bool snapshot_of_module(const struct snapshot *s, const char *module)
{
	const char *at = NULL, *value;
	size_t length;

	value = snapshot_line(s, "module", &at, &length);
	return value && length == strlen(module) && !strncmp(value, module, length);
}

bool snapshot_matches(const struct snapshot *s, const char *pattern)
{
	char *module = snapshot_value(s, "module");
	bool match = !strcmp(pattern, s->head.name) || !fnmatch(pattern, s->head.name, 0) ||
		     (module && !fnmatch(pattern, module, 0));

	free(module);
	return match;
}

__u64 snapshot_accounted(const struct snapshot *s)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i < KSTATS_NTERMS; i++)
		if (i != KSTATS_HITS)
			sum += s->head.term[i];
	return sum;
}

/* ---- totals ---- */

/* Counts of a damaged snapshot may add up to more than 64 bits: stay at the top rather than wrap to a small number. */
static __u64 add_counts(__u64 a, __u64 b)
{
	return a + b < a ? ~0ULL : a + b;
}

u128 snapshot_run_sum(const struct snapshot_run *r, unsigned int i, unsigned int bits)
{
	__u64 excess;

	if (r->sum)
		return r->sum[i];
	if (kstats_slot_excess(&r->slot[i], r->first + i, bits, &excess))
		return SNAPSHOT_UNKNOWN;
	return (u128)r->slot[i].n * kstats_slot_lo(r->first + i, bits) + excess;
}

static void add_slot(struct snapshot_slot *t, const struct snapshot_run *r, unsigned int i, unsigned int bits)
{
	const struct kstats_slot *s = &r->slot[i];
	__u64 lo = kstats_slot_lo(r->first + i, bits), hi = kstats_slot_hi(r->first + i, bits), least, most;
	u128 sum = snapshot_run_sum(r, i, bits), excess = sum == SNAPSHOT_UNKNOWN ? 0 : sum - (u128)s->n * lo;
	bool known = sum != SNAPSHOT_UNKNOWN, alone;

	/* The sum of a sample that was being added when we looked is not this slot's: then n tells, the sum does not. */
	alone = s->n == 1 && known && s->sum == lo + (__u64)excess;
	least = alone ? s->sum : lo;
	most = alone ? s->sum : hi;

	if (!t->n) {
		*t = (struct snapshot_slot){ .known = true, .exact = true, .least = least, .most = most };
	} else {
		t->least = least < t->least ? least : t->least;
		t->most = most > t->most ? most : t->most;
	}
	t->n = add_counts(t->n, s->n);
	t->known &= known;
	t->exact &= alone || lo == hi;
	t->excess += excess;
}

static void trim(struct snapshot_total *t)
{
	unsigned int skip = 0;

	while (t->count && !t->slot[t->count - 1].n)
		t->count--;
	while (skip < t->count && !t->slot[skip].n)
		skip++;
	t->first += skip;
	t->count -= skip;
	memmove(t->slot, t->slot + skip, t->count * sizeof(*t->slot));
}

static void add_up(struct snapshot_total *t)
{
	unsigned int i;

	t->known = true;
	for (i = 0; i < t->count; i++) {
		const struct snapshot_slot *s = &t->slot[i];

		if (!s->n)
			continue;
		t->n = add_counts(t->n, s->n);
		t->known &= s->known;
		t->sum += (u128)s->n * kstats_slot_lo(t->first + i, t->bits) + s->excess;
	}
}

/* The slots that these parts' runs cover: there may be many parts, and each has few of all slots. */
static void span(const struct snapshot_part *part, unsigned int nparts, int cpu, struct snapshot_total *t)
{
	unsigned int first = ~0u, end = 0, i, j;

	for (i = 0; i < nparts; i++) {
		for (j = 0; j < part[i].nruns; j++) {
			const struct snapshot_run *r = &part[i].runs[j];

			if (!r->count || (cpu >= 0 && r->cpu != (unsigned int)cpu))
				continue;
			first = r->first < first ? r->first : first;
			end = r->first + r->count > end ? r->first + r->count : end;
		}
	}
	if (end) {
		t->first = first;
		t->count = end - first;
	}
}

void snapshot_total(const struct snapshot *s, const struct snapshot_part *part, int cpu, struct snapshot_total *out)
{
	unsigned int nparts = part ? 1 : s->nparts, i, j, k;

	if (!part)
		part = s->parts;
	*out = (struct snapshot_total){ .bits = s->head.bits, .first = s->head.first };
	span(part, nparts, cpu, out);
	out->slot = say_calloc(out->count, sizeof(*out->slot));
	for (i = 0; i < nparts; i++) {
		for (j = 0; j < part[i].nruns; j++) {
			const struct snapshot_run *r = &part[i].runs[j];

			if (cpu >= 0 && r->cpu != (unsigned int)cpu)
				continue;
			for (k = 0; k < r->count; k++)
				if (r->slot[k].n)
					add_slot(&out->slot[r->first + k - out->first], r, k, out->bits);
		}
	}
	trim(out);
	add_up(out);
}

void snapshot_total_coarser(const struct snapshot_total *t, unsigned int bits, struct snapshot_total *out)
{
	unsigned int i;

	*out = (struct snapshot_total){ .bits = bits, .n = t->n, .known = t->known, .sum = t->sum };
	if (!t->count)
		return;
	out->first = kstats_slot_of(kstats_slot_lo(t->first, t->bits), bits);
	out->count = kstats_slot_of(kstats_slot_lo(t->first + t->count - 1, t->bits), bits) - out->first + 1;
	out->slot = say_calloc(out->count, sizeof(*out->slot));
	for (i = 0; i < t->count; i++) {
		const struct snapshot_slot *s = &t->slot[i];
		__u64 lo = kstats_slot_lo(t->first + i, t->bits);
		unsigned int slot = kstats_slot_of(lo, bits);
		struct snapshot_slot *to = &out->slot[slot - out->first];

		if (!s->n)
			continue;
		if (!to->n)
			*to = (struct snapshot_slot){ .known = true, .exact = true, .least = s->least };
		to->n = add_counts(to->n, s->n);
		to->excess += s->excess + (u128)s->n * (lo - kstats_slot_lo(slot, bits));
		to->known &= s->known;
		to->exact &= s->exact;
		to->most = s->most;	/* they ascend */
	}
}

static int compare_cpus(const void *a, const void *b)
{
	const unsigned int *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

unsigned int *snapshot_cpus(const struct snapshot_part *part, unsigned int *n)
{
	unsigned int *cpus = say_calloc(part->nruns, sizeof(*cpus)), i;

	for (i = 0; i < part->nruns; i++)
		cpus[i] = part->runs[i].cpu;
	qsort(cpus, part->nruns, sizeof(*cpus), compare_cpus);
	for (*n = 0, i = 0; i < part->nruns; i++)
		if (!*n || cpus[i] != cpus[*n - 1])
			cpus[(*n)++] = cpus[i];
	return cpus;
}

bool snapshot_has_cpu(const struct snapshot *s, unsigned int cpu)
{
	unsigned int i, j, k;

	for (i = 0; i < s->nparts; i++)
		for (j = 0; j < s->parts[i].nruns; j++)
			for (k = 0; s->parts[i].runs[j].cpu == cpu && k < s->parts[i].runs[j].count; k++)
				if (s->parts[i].runs[j].slot[k].n)
					return true;
	return false;
}

void snapshot_total_free(struct snapshot_total *t)
{
	free(t->slot);
	t->slot = NULL;
	t->count = 0;
}

double snapshot_mean(const struct snapshot_total *t, double *lo, double *hi)
{
	u128 least = 0, most = 0;
	unsigned int i;

	for (i = 0; i < t->count; i++) {
		const struct snapshot_slot *s = &t->slot[i];
		unsigned int slot = t->first + i;

		least += (u128)s->n * kstats_slot_lo(slot, t->bits) + (s->known ? s->excess : 0);
		most += s->known ? (u128)s->n * kstats_slot_lo(slot, t->bits) + s->excess
				 : (u128)s->n * kstats_slot_hi(slot, t->bits);
	}
	if (lo)
		*lo = t->n ? (double)least / t->n : NAN;
	if (hi)
		*hi = t->n ? (double)most / t->n : NAN;
	return t->n && t->known ? (double)t->sum / t->n : NAN;
}
