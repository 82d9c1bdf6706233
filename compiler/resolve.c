// SPDX-License-Identifier: GPL-2.0
/*
 * resolve.c: statements. For each: its points, its options, its name, and where each of its expressions is evaluated.
 *
 * Position decides (DESIGN 2). For a call, `if` and `by` are split between entry and return: what has neither $return nor
 * elapsed is of the entry. For a pair, `if` and `by` behind a start are evaluated there; behind an end, there: an `if`
 * without elapsed says whether this is an end at all (early), one with elapsed filters the sample (late). The words of an
 * end's `by` are late too: data[] is known then. A value or count has one moment alone.
 */
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

void resolve_not_yet(struct resolve *r, struct loc loc, const char *format, ...)
{
	struct text t = {};
	va_list args;

	va_start(args, format);
	text_vprintf(&t, format, args);
	va_end(args);
	diag_error(r->diag, loc, "not-yet", "not yet: %s", t.s);
	text_free(&t);
}

/* Move the points of @sites to the statement. */
void resolve_take_sites(struct resolve *r, struct plan_statement *s, struct sites *sites)
{
	for (unsigned int i = 0; i < sites->count; i++) {
		resolve_thunk(r, &sites->list[i]);
		s->points = mem_more(s->points, s->npoints, sizeof(*s->points));
		s->points[s->npoints++] = sites->list[i].point;
		sites->list[i].point = (struct plan_point){};
		plan_expr_free(sites->list[i].at);
		sites->list[i].at = NULL;
	}
	sites->count = 0;
}

/* A pattern's statement has one histogram a match: its first key is the point. */
void resolve_by_matches(struct plan_statement *s)
{
	s->by[0] = (struct plan_by){ .text = mem_copy("point", 5), .type = KSTATS_BY_POINT, .words = 1 };
	s->nby = 1;
	s->data_words = 1;
}

/* Of a watch, and of a profile's hits, the first key is the function. */
void resolve_by_functions(struct plan_statement *s)
{
	s->by[0] = (struct plan_by){ .text = mem_copy("function", 8), .type = KSTATS_BY_FUNCTION, .words = 1 };
	s->nby = 1;
	s->data_words = 1;
}

/* ---- measure FUNCTION ---- */

/* One function of several that a name or pattern means. */
static bool call_site(struct resolve *r, struct plan_statement *s, struct site *site, const struct options *own,
		      bool pattern)
{
	unsigned int words = pattern, nby;
	struct context context = { .site = site, .elapsed = true, .call = true, .words = &words };
	struct plan_point *point = &site->point;
	struct plan_expr *filter;
	bool good = true;

	point->role = PLAN_CALL;
	if (own->of[OPTION_BY])
		good = resolve_by(r, s, own->of[OPTION_BY], &context, &point->early, &point->late, pattern, &nby);
	if (own->of[OPTION_IF]) {
		filter = resolve_condition(r, own->of[OPTION_IF]->exprs, &context);
		if (!filter) {
			good = false;
		} else if (!resolve_split(filter, &point->early, &point->late, &words)) {
			diag_error(r->diag, own->of[OPTION_IF]->loc, "too-many", "this needs more than %d words from the call's "
				   "entry", KSTATS_DATA_WORDS);
			good = false;
		}
	}
	if (words > s->data_words)
		s->data_words = words;
	return good;
}

bool resolve_call(struct resolve *r, const struct statement *from, struct plan_statement *s, bool *left_out)
{
	struct options own = {}, all = {};
	struct sites sites = {};
	bool good = resolve_points(r, from->places, true, &sites);

	good &= resolve_options(r, from->places, &own, &all);
	if (own.of[OPTION_KEY]) {
		diag_error(r->diag, own.of[OPTION_KEY]->loc, "no-key-here", "a call needs no key: each has its own start");
		good = false;
	}
	/* A profile is by functions, though it be of one. */
	sites.pattern |= from->kind == STATEMENT_PROFILE;
	if (sites.pattern)
		resolve_by_matches(s);
	for (unsigned int i = 0; good && i < sites.count; i++)
		good = call_site(r, s, &sites.list[i], &own, sites.pattern);
	resolve_take_sites(r, s, &sites);
	*left_out = sites.left_out;
	good &= resolve_statement_options(r, s, &all, from);
	resolve_statement_name(r, s, all.of[OPTION_NAME], from, sites.written);
	resolve_sites_free(&sites);
	return good;
}

/* ---- measure value, count, watch ---- */

static bool moment_site(struct resolve *r, const struct statement *from, struct plan_statement *s, struct site *site,
			const struct options *own, bool pattern, unsigned int *nby)
{
	struct context context = { .site = site, .why_not = "elapsed is known only where time is measured" };
	struct plan_point *point = &site->point;
	bool good = true;

	point->role = from->kind == STATEMENT_VALUE ? PLAN_VALUE : PLAN_COUNT;
	if (from->kind == STATEMENT_VALUE) {
		point->early.value = resolve_value(r, from->value, &context);
		good = point->early.value;
	}
	if (own->of[OPTION_BY])
		good &= resolve_by(r, s, own->of[OPTION_BY], &context, &point->early, NULL, pattern, nby);
	if (own->of[OPTION_IF]) {
		point->early.filter = resolve_condition(r, own->of[OPTION_IF]->exprs, &context);
		good &= point->early.filter != NULL;
	}
	return good;
}

static bool moment_place(struct resolve *r, const struct statement *from, struct plan_statement *s,
			 const struct place *place, struct options *all, const struct point **first, unsigned int *nby)
{
	struct options own = {};
	struct sites sites = {};
	bool good = resolve_points(r, place, false, &sites);
	unsigned int n = 0;

	good &= resolve_options(r, place, &own, all);
	if (own.of[OPTION_KEY]) {
		diag_error(r->diag, own.of[OPTION_KEY]->loc, "no-key-here", "a key pairs two events; one alone needs none");
		good = false;
	}
	if (good && sites.pattern && from->places->next) {
		diag_error(r->diag, place->loc, "pattern", "a pattern stands alone: one `at`");
		good = false;
	} else if (sites.pattern && !s->nby) {	/* keys it has only where an earlier place was wrong */
		resolve_by_matches(s);
	}
	for (unsigned int i = 0; good && i < sites.count; i++)
		good = moment_site(r, from, s, &sites.list[i], &own, sites.pattern || s->form == KSTATS_WATCH, &n);
	if (good && sites.count && s->npoints && n != *nby) {
		diag_error(r->diag, place->loc, "by-differs", "the number of keys of `by` differs: %u here, %u behind an earlier "
			   "point", n, *nby);
		good = false;
	}
	if (sites.count)
		*nby = n;
	if (!*first)
		*first = sites.written;
	resolve_take_sites(r, s, &sites);
	resolve_sites_free(&sites);
	return good;
}

static bool moment(struct resolve *r, const struct statement *from, struct plan_statement *s, bool *left_out)
{
	const struct point *first = NULL;
	struct options all = {};
	unsigned int nby = 0;
	bool good = true;

	if (from->kind == STATEMENT_WATCH) {
		good = resolve_watch_mode(r, from);
		s->form = KSTATS_WATCH;
		resolve_by_functions(s);
	}
	for (const struct place *p = from->places; p; p = p->next)
		good &= moment_place(r, from, s, p, &all, &first, &nby);
	*left_out = good && !s->npoints;
	good &= resolve_statement_options(r, s, &all, from);
	resolve_statement_name(r, s, all.of[OPTION_NAME], from, first);
	return good;
}

/* ---- the script ---- */

/* Points of a statement at one tracepoint are served by one callback: it passes arguments if any of them needs some. */
static void share_callbacks(struct plan_statement *s)
{
	for (unsigned int i = 0; i < s->npoints; i++) {
		struct plan_point *p = &s->points[i];

		for (unsigned int k = 0; p->where == PLAN_TRACEPOINT && !p->needs_arguments && k < s->npoints; k++) {
			const struct plan_point *q = &s->points[k];

			if (!q->needs_arguments || strcmp(p->symbol, q->symbol) != 0 ||
			    strcmp(p->module ? p->module : "", q->module ? q->module : "") != 0)
				continue;
			p->needs_arguments = true;
			p->arguments = mem_zero(q->narguments, sizeof(*p->arguments));
			p->narguments = q->narguments;
			for (unsigned int a = 0; a < q->narguments; a++) {
				const struct plan_argument *from = &q->arguments[a];

				p->arguments[a].type = mem_copy(from->type, strlen(from->type));
				p->arguments[a].tag = from->tag ? mem_copy(from->tag, strlen(from->tag)) : NULL;
			}
		}
	}
}

static void drop_last(struct plan *plan)
{
	struct plan last = { .statements = mem_zero(1, sizeof(*last.statements)), .nstatements = 1 };

	last.statements[0] = plan->statements[--plan->nstatements];
	plan_free(&last);
}

static bool statement(struct resolve *r, const struct statement *from)
{
	static bool (*const kinds[])(struct resolve *, const struct statement *, struct plan_statement *, bool *) = {
		[STATEMENT_MEASURE] = resolve_call, [STATEMENT_PAIR] = resolve_pair, [STATEMENT_VALUE] = moment,
		[STATEMENT_BETWEEN] = resolve_between, [STATEMENT_COUNT] = moment, [STATEMENT_PROFILE] = resolve_profile,
		[STATEMENT_WATCH] = moment,
	};
	struct plan_statement *s;
	bool good, left_out = false;

	if (from->kind == STATEMENT_PARAM)
		return true;
	r->plan->statements = mem_more(r->plan->statements, r->plan->nstatements, sizeof(*r->plan->statements));
	s = &r->plan->statements[r->plan->nstatements];
	*s = (struct plan_statement){ .text = resolve_one_line(r, from->loc) };
	r->mode = from->kind == STATEMENT_WATCH ? from->word : NULL;
	good = kinds[from->kind](r, from, s, &left_out);
	r->mode = NULL;
	r->plan->nstatements++;
	share_callbacks(s);
	if (left_out && good) {
		diag_note(r->diag, from->loc, "left-out", "this statement is left out: nothing of it remains in this kernel");
		drop_last(r->plan);
	}
	return good;
}

/* Handlers that rest on types are made for one build of a kernel, not for a release. */
static bool rests_on_types(const struct plan_expr *e)
{
	if (e->kind == PLAN_READ || e->kind == PLAN_ARGUMENT || e->kind == PLAN_REGISTER || e->kind == PLAN_ADDRESS ||
	    e->kind == PLAN_RETURN || e->kind == PLAN_STRING_AT)
		return true;
	return plan_expr_has_parts(e) && (rests_on_types(e->a) || (e->b && rests_on_types(e->b)) ||
					  (e->c && rests_on_types(e->c)));
}

static bool point_rests_on_build(const struct plan_point *p)
{
	return p->distance || p->anchor || p->where == PLAN_OFFSET || p->where == PLAN_FUNCTIONS || p->where == PLAN_MEMORY ||
	       (p->thunk && (p->role == PLAN_CALL || p->where == PLAN_RETURN_OF));
}

static void bind_to_build(struct resolve *r)
{
	const char *version;

	for (unsigned int i = 0; i < r->plan->nstatements; i++) {
		bool build = false;

		for (unsigned int p = 0; p < r->plan->statements[i].npoints; p++)
			build |= point_rests_on_build(&r->plan->statements[i].points[p]);
		if (!build && !plan_statement_any(&r->plan->statements[i], rests_on_types))
			continue;
		version = symbols_version(r->symbols);
		r->plan->kernel = version ? mem_copy(version, strlen(version)) : NULL;
		return;
	}
}

bool resolve_script(const struct script *script, const struct kernel *kernel, struct symbols *symbols, struct diag *diag,
		    const struct assignment *params, size_t nparams, struct plan *plan)
{
	struct resolve r = { .kernel = kernel, .symbols = symbols, .diag = diag, .plan = plan };
	bool good, statements = false;

	*plan = (struct plan){};
	r.types = types_new(kernel, symbols);
	r.headers = headers_new(kernel);
	good = resolve_parameters(&r, script, params, nparams);
	for (const struct statement *s = script->statements; s; s = s->next) {
		good &= statement(&r, s);
		statements |= s->kind != STATEMENT_PARAM;
	}
	if (!statements && !diag_errors(diag)) {
		diag_error(diag, LOC_NONE, "empty", "the script has no statement: measure FUNCTION is one");
		good = false;
	} else if (good && !plan->nstatements && !diag_errors(diag)) {
		diag_error(diag, LOC_NONE, "empty", "this kernel has nothing of what the script would measure");
		good = false;
	}
	if (good)
		good = resolve_watch_room(&r, script);
	if (good)
		bind_to_build(&r);
	resolve_parameters_free(&r);
	resolve_stems_free(&r);
	headers_free(r.headers);
	types_free(r.types);
	return good && !diag_errors(diag);
}
