// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_profile.c: profile FUNCTIONS [time].
 *
 * Hits: all functions become one point, as distances: of the kernel's own from init_task; of a module's, for each section of it, from a
 * function there whose name is its own (the runtime finds it by name). Times: what `measure` makes of a pattern, with squares.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "resolve_private.h"

static const char *text_of(const char *s)
{
	return s ? s : "";
}

/* ---- one point of many functions ---- */

static int by_address(const void *a, const void *b)
{
	const struct traced *x = a, *y = b;
	int d = strcmp(text_of(x->module), text_of(y->module));

	return d ? d : x->address < y->address ? -1 : x->address > y->address;
}

/* What is no pattern, too, and each function once: several names may be of one. */
static void gather(struct resolve *r, struct sites *sites, unsigned int *without)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < sites->count; i++) {
		const struct site *site = &sites->list[i];

		if (!site->point.module && symbols_call_site(r->symbols, site->address) == 0) {
			++*without;
			continue;
		}
		sites->traced = mem_more(sites->traced, sites->ntraced, sizeof(*sites->traced));
		sites->traced[sites->ntraced++] = (struct traced){ site->point.symbol, site->point.module, site->address };
	}
	if (!sites->ntraced)
		return;
	qsort(sites->traced, sites->ntraced, sizeof(*sites->traced), by_address);
	for (unsigned int i = 1; i < sites->ntraced; i++)
		if (by_address(&sites->traced[kept], &sites->traced[i]) != 0)
			sites->traced[++kept] = sites->traced[i];
	sites->ntraced = kept + 1;
}

/* Places in a module's file are by section; where /proc/kallsyms tells, a module is one piece. */
static uint64_t section_of(const struct traced *f)
{
	return f->module ? f->address >> IMAGE_SECTION_SHIFT : 0;
}

static bool is_own_name(struct resolve *r, const struct traced *t)
{
	struct function f;

	symbols_function(r->symbols, t->module, t->name, &f);
	return (f.state == FUNCTION_FOUND || f.state == FUNCTION_REFUSED) && f.symbol && strcmp(f.symbol, t->name) == 0 &&
	       (f.state == FUNCTION_REFUSED || f.addresses[0] == t->address);
}

/* What the distances of @t[0..n), of one section of a module, are counted from; NULL: nothing can be. */
static const char *anchor_of(struct resolve *r, const struct traced *t, unsigned int n, uint64_t *origin)
{
	const char *anchor;
	uint64_t distance;

	for (unsigned int i = 0; i < n; i++) {
		if (!is_own_name(r, &t[i]))
			continue;
		*origin = t[i].address;
		return t[i].name;
	}
	for (unsigned int i = 0; i < n; i++) {
		anchor = symbols_anchor(r->symbols, t[i].module, t[i].name, t[i].address, &distance);
		if (!anchor)
			continue;
		*origin = t[i].address - distance;
		return anchor;
	}
	return NULL;
}

/* Functions of the kernel, or of one section of a module. False: where they are cannot be told. */
static bool add_group(struct resolve *r, struct plan_point *p, const struct traced *t, unsigned int n)
{
	uint64_t origin = t->module ? 0 : symbols_address(r->symbols, "init_task");
	const char *anchor = t->module ? anchor_of(r, t, n, &origin) : NULL;
	struct plan_functions *f;

	if (!origin && !anchor)
		return false;
	p->functions = mem_more(p->functions, p->nfunctions, sizeof(*p->functions));
	f = &p->functions[p->nfunctions++];
	*f = (struct plan_functions){ .distance = mem_zero(n, sizeof(*f->distance)) };
	if (t->module) {
		f->module = mem_copy(t->module, strlen(t->module));
		f->anchor = mem_copy(anchor, strlen(anchor));
	}
	for (unsigned int i = 0; i < n; i++) {
		int64_t distance = t[i].address - origin;

		if (t[i].address && distance == (int32_t)distance)
			f->distance[f->n++] = distance;
	}
	return f->n;
}

/* How many functions could not be told. */
static unsigned int add_groups(struct resolve *r, struct plan_point *p, const struct sites *sites)
{
	unsigned int untold = 0;

	for (unsigned int i = 0, n; i < sites->ntraced; i += n) {
		const struct traced *t = &sites->traced[i];

		for (n = 1; i + n < sites->ntraced && strcmp(text_of(t[n].module), text_of(t->module)) == 0 &&
		     section_of(&t[n]) == section_of(t); n++)
			;
		if (!add_group(r, p, t, n))
			untold += n;
	}
	return untold;
}

/* ---- hits ---- */

static bool only_functions(struct resolve *r, const struct place *place, const struct sites *sites)
{
	for (unsigned int i = 0; i < sites->count; i++) {
		const struct plan_point *p = &sites->list[i].point;

		if (p->where == PLAN_FUNCTION && !p->offset)
			continue;
		diag_error(r->diag, place->loc, "profile", "profile is of functions, and %s is a moment of another kind", p->text);
		diag_help(r->diag, sites->pattern ? "count \"%s\"" : "count %s", sites->written->text);
		return false;
	}
	return true;
}

static bool make_point(struct resolve *r, const struct place *place, struct plan_statement *s, struct sites *sites)
{
	const struct point *written = sites->written;
	unsigned int without = 0, n = 0;
	struct plan_point *p;

	gather(r, sites, &without);
	s->points = mem_zero(1, sizeof(*s->points));
	s->npoints = 1;
	p = s->points;
	p->role = PLAN_COUNT;
	p->where = PLAN_FUNCTIONS;
	p->text = resolve_replace(r, written->text, written->loc);
	p->symbol = mem_copy(p->text, strlen(p->text));
	without += add_groups(r, p, sites);
	for (unsigned int i = 0; i < p->nfunctions; i++)
		n += p->functions[i].n;
	if (!n) {
		diag_error(r->diag, place->loc, "refused", "ftrace can call from nothing of this, or cannot be told where it is");
		return false;
	}
	if (without)
		diag_note(r->diag, place->loc, "refused", "%u of these have no call site for ftrace, or nothing tells where they are",
			  without);
	s->entries = n;
	return true;
}

static bool hits(struct resolve *r, const struct statement *from, struct plan_statement *s, const struct options *all, bool *left_out)
{
	struct sites sites = {};
	bool good;

	r->traced = true;
	good = resolve_points(r, from->places, false, &sites);
	r->traced = false;
	resolve_by_functions(s);
	*left_out = sites.left_out;
	if (good && !sites.left_out)
		good = only_functions(r, from->places, &sites) && make_point(r, from->places, s, &sites);
	good &= resolve_statement_options(r, s, all, from);
	resolve_statement_name(r, s, all->of[OPTION_NAME], from, sites.written);
	resolve_sites_free(&sites);
	return good;
}

/* ---- either ---- */

static bool options(struct resolve *r, const struct statement *from, struct options *all)
{
	static const enum option_kind not_here[] = { OPTION_KEY, OPTION_IF, OPTION_BY };
	const char *text = from->places->points->text;
	struct options own = {};
	bool good = resolve_options(r, from->places, &own, all);

	for (unsigned int i = 0; i < sizeof(not_here) / sizeof(*not_here); i++) {
		const struct option *o = own.of[not_here[i]];

		if (!o)
			continue;
		diag_error(r->diag, o->word_loc, "profile", "'%s' has no use here: a profile tells functions apart, and nothing else",
			   option_text(o->kind));
		if (o->kind != OPTION_KEY)
			diag_help(r->diag, "%s \"%s\" %s ... does", from->word ? "measure" : "count", text, option_text(o->kind));
		good = false;
	}
	return good;
}

bool resolve_profile(struct resolve *r, const struct statement *from, struct plan_statement *s, bool *left_out)
{
	struct options all = {};

	s->form = KSTATS_PROFILE;
	if (from->word && strcmp(from->word->text, "time") != 0) {
		diag_error(r->diag, from->word->loc, "option-word", "a profile is of hits, or with `time` of times too: not '%s'",
			   from->word->text);
		return false;
	}
	if (!options(r, from, &all))
		return false;
	s->squares = from->word;
	return from->word ? resolve_call(r, from, s, left_out) : hits(r, from, s, &all, left_out);
}
