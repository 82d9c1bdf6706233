// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_pair.c: `measure from ... to ...`, `measure between ...`, and the keys that pair a start with its end.
 *
 * Keys agree in number and kind on both sides. One written once, behind the end and of built-ins alone, serves both.
 */
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

/* What the points of one side of a pair agree on. */
struct side {
	const struct place *first;
	unsigned int places;
	unsigned int first_by, nby;
	bool wrong;			/* a `by` was: what the others should be like is not known */
};

/* The key of a statement, as the points seen so far have it. */
struct pair_key {
	bool seen;
	bool given;			/* a `key`, not the default */
	struct loc loc;			/* of the first */
	enum plan_key which;
	bool mixed;			/* some points have another kind: all give values */
	bool tids;			/* every one is a tid */
	bool said;			/* that they do not agree */
	struct plan_by parts[KSTATS_KEY_MAX];
	unsigned int nparts;
	unsigned int words;
};

static bool is_builtin(const struct expr *e, const char *name)
{
	return e->kind == EXPR_NAME && strcmp(e->name, name) == 0;
}

static bool is_number_kind(enum kstats_by_type type)
{
	return type == KSTATS_BY_U64 || type == KSTATS_BY_S64 || type == KSTATS_BY_ENUM || type == KSTATS_BY_ERRNO;
}

static bool same_kind(const struct plan_by *a, const struct plan_by *b)
{
	if (a->words != b->words)
		return false;
	return is_number_kind(a->type) ? is_number_kind(b->type) : !is_number_kind(b->type) &&
	       (a->type == KSTATS_BY_STRING) == (b->type == KSTATS_BY_STRING);
}

/* A tid: the built-in, or the field `pid` of a task. */
static bool is_tid(struct resolve *r, const struct expr *e, const struct context *context)
{
	struct diag_mark mark = diag_mark(r->diag);
	struct operand o = {};
	bool task = false;

	if (is_builtin(e, "tid"))
		return true;
	if (e->kind != EXPR_MEMBER || strcmp(e->member.name, "pid") != 0)
		return false;
	if (resolve_operand(r, e->member.of, context, &o) && o.type) {
		const struct type *t = o.type->class == CLASS_POINTER ? types_target(r->types, o.type) : o.type;

		task = t->class == CLASS_STRUCT && t->name && strcmp(t->name, "task_struct") == 0;
	}
	resolve_operand_free(&o);
	diag_rewind(r->diag, mark);
	return task;
}

static void free_parts(struct plan_by *parts, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		for (unsigned int k = 0; k < parts[i].nnames; k++)
			free(parts[i].names[k].name);
		free(parts[i].names);
		parts[i].names = NULL;
		parts[i].nnames = 0;
	}
}

static void add_value(struct plan_side *side, unsigned int word, struct plan_expr *value)
{
	side->keys = mem_more(side->keys, side->nkeys, sizeof(*side->keys));
	side->keys[side->nkeys++] = (struct plan_store){ .word = word, .value = value };
}

/* The values of `key` at one point; its parts' kinds into @parts. */
static bool values(struct resolve *r, const struct option *key, const struct context *context, struct plan_side *side,
		   struct plan_by *parts, unsigned int *n, unsigned int *words)
{
	*n = *words = 0;
	for (const struct expr *e = key->exprs; e; e = e->next) {
		struct plan_expr *value;

		if (*n == KSTATS_KEY_MAX) {
			diag_error(r->diag, e->loc, "too-many", "a key has at most %d values", KSTATS_KEY_MAX);
			return false;
		}
		if (is_builtin(e, "stack") || is_builtin(e, "elapsed")) {
			diag_error(r->diag, e->loc, "key", "'%s' pairs nothing", e->name);
			return false;
		}
		value = resolve_key(r, e, context, &parts[*n]);
		if (!value)
			return false;
		add_value(side, *words, value);
		*words += parts[(*n)++].words;
	}
	return true;
}

static bool differs(struct resolve *r, struct loc loc, struct pair_key *all, const char *what)
{
	if (all->said)
		return false;
	all->said = true;
	diag_error(r->diag, loc, "key-differs", "%s", what);
	diag_place(r->diag, all->loc, "the earlier one");
	return false;
}

/* The key of one point, and does it agree with the others'? @place: for its words where there is no key. */
static bool point_key(struct resolve *r, const struct place *place, const struct option *key,
		      const struct context *context, struct plan_side *side, struct pair_key *all)
{
	struct plan_by parts[KSTATS_KEY_MAX] = {};
	enum plan_key which = PLAN_KEY_TASK;
	struct loc loc = key ? key->loc : place->loc;
	unsigned int n = 0, words = 0;
	bool good = !key || values(r, key, context, side, parts, &n, &words), tid = key && n == 1 && good;

	free_parts(parts, n);
	if (!good)
		return false;
	tid = tid && is_tid(r, key->exprs, context);
	if (key)
		which = n > 1 ? PLAN_KEY_VALUE : is_builtin(key->exprs, "tid") ? PLAN_KEY_TID :
			is_builtin(key->exprs, "cpu") ? PLAN_KEY_CPU : PLAN_KEY_VALUE;
	if (!all->seen) {
		*all = (struct pair_key){ .seen = true, .given = key, .loc = loc, .which = which, .tids = tid, .nparts = n,
					  .words = words, .said = all->said };
		memcpy(all->parts, parts, sizeof(parts));
		return true;
	}
	if (all->given != (key != NULL))
		return differs(r, loc, all, key ? "a key here, but none there" : "no key here, but one there");
	if (all->nparts != n)
		return differs(r, loc, all, "keys agree in number: this one has more, or fewer, values");
	for (unsigned int i = 0; i < n; i++) {
		bool texts = all->parts[i].type == KSTATS_BY_STRING && parts[i].type == KSTATS_BY_STRING;

		if (!same_kind(&all->parts[i], &parts[i]))
			return differs(r, loc, all, texts ? "comm and arrays of up to 16 bytes are kept as 16, other texts as 32: the two never agree" :
				       "keys agree in kind: number with number, pointer with pointer, text with text");
	}
	/* Both are numbers, but nobody means that. */
	if ((all->which == PLAN_KEY_TID && which == PLAN_KEY_CPU) || (all->which == PLAN_KEY_CPU && which == PLAN_KEY_TID))
		return differs(r, loc, all, "cpu and tid: no start would find its end");
	all->mixed |= all->which != which;
	all->tids &= tid;
	return true;
}

/* Of a pattern each match has its own intervals: the number of the match is a part of the key. */
static bool key_matches(struct resolve *r, struct sites *sites, struct pair_key *all)
{
	if (all->words == KSTATS_KEY_WORDS) {
		diag_error(r->diag, all->loc, "too-many", "this key is too long for a pattern");
		return false;
	}
	for (unsigned int i = 0; i < sites->count; i++)
		add_value(&sites->list[i].point.early, all->words, calc_const(PLAN_U64, sites->list[i].point.match));
	all->words++;
	all->mixed = true;
	all->given = true;
	all->tids = false;
	return true;
}

/*
 * Keys meet as C would compare them: of an unsigned int and an int both are unsigned. Wider types need nothing: all keys
 * are kept in 64 bits.
 */
static void convert_keys(struct plan_statement *s)
{
	for (unsigned int word = 0; word < KSTATS_KEY_WORDS; word++) {
		bool is_signed = false, is_unsigned = false, wide = false;

		for (unsigned int pass = 0; pass < 2; pass++)
			for (unsigned int i = 0; i < s->npoints; i++)
				for (unsigned int k = 0; k < s->points[i].early.nkeys; k++) {
					struct plan_store *key = &s->points[i].early.keys[k];

					if (key->word != word || !calc_is_number(key->value))
						continue;
					if (pass && is_signed && is_unsigned && !wide)
						key->value = calc_convert(key->value, PLAN_U32);
					is_signed |= key->value->type == PLAN_S32;
					is_unsigned |= key->value->type == PLAN_U32;
					wide |= calc_width(key->value->type) == 64;
				}
	}
}

/* The kind of the statement's key, from those of its points. */
static void finish_key(struct plan_statement *s, const struct pair_key *all)
{
	s->key = all->mixed ? PLAN_KEY_VALUE : all->which;
	if (s->key == PLAN_KEY_VALUE) {
		s->key_words = all->words;
		s->tid_key = all->tids && all->words == 1;
		convert_keys(s);
		return;
	}
	/* The runtime knows these itself. */
	for (unsigned int i = 0; i < s->npoints; i++) {
		struct plan_side *side = &s->points[i].early;

		for (unsigned int k = 0; k < side->nkeys; k++)
			plan_expr_free(side->keys[k].value);
		free(side->keys);
		side->keys = NULL;
		side->nkeys = 0;
	}
}

/* ---- from ... to ---- */

/* Behind the end, once, for both. */
static bool serves_both(struct resolve *r, const struct option *key)
{
	for (const struct expr *e = key->exprs; e; e = e->next) {
		bool builtin = false;

		for (unsigned int b = 0; b < PLAN_NBUILTINS; b++)
			builtin |= is_builtin(e, plan_builtin_text(b));
		if (!builtin && e->kind != EXPR_BAD) {
			diag_error(r->diag, e->loc, "key-differs", "the start has no key: one written once serves both only if it is "
				   "made of built-ins");
			return false;
		}
	}
	return true;
}

static bool side_by(struct resolve *r, struct plan_statement *s, const struct place *place, const struct option *by,
		    const struct context *context, struct plan_side *early, struct plan_side *late, struct side *side)
{
	unsigned int n = 0;

	if (side->places == 0)
		side->first_by = s->nby;
	if (by && side->places && !side->nby && !side->wrong) {
		diag_error(r->diag, by->loc, "by-differs", "an earlier %s has no `by`: each has it, or none",
			   place->role == PLACE_FROM ? "start" : "end");
		diag_place(r->diag, side->first->loc, "the earlier one");
		return false;
	}
	if (by && !resolve_by(r, s, by, context, early, late, side->first_by, &n)) {
		side->wrong = true;
		return false;
	}
	if (side->places && n != side->nby && !side->wrong) {
		diag_error(r->diag, by ? by->loc : place->loc, "by-differs", "the number of keys of `by` differs: %u here, %u "
			   "behind an earlier %s", n, side->nby, place->role == PLACE_FROM ? "start" : "end");
		diag_place(r->diag, side->first->loc, "the earlier one");
		return false;
	}
	side->nby = n;
	return true;
}

/* One site of a start or end. */
static bool pair_site(struct resolve *r, struct plan_statement *s, const struct place *place, struct site *site,
		      const struct options *own, const struct option *key, struct side *side, struct pair_key *all)
{
	bool end = place->role == PLACE_TO, good;
	struct context context = { .site = site, .elapsed = end, .why_not = "elapsed is not known before the end" };
	struct plan_point *point = &site->point;
	struct plan_expr *filter;

	point->role = end ? PLAN_TO : PLAN_FROM;
	good = point_key(r, place, key, &context, &point->early, all);
	good &= side_by(r, s, place, own->of[OPTION_BY], &context, end ? NULL : &point->early, end ? &point->late : NULL,
			side);
	if (own->of[OPTION_IF]) {
		filter = resolve_condition(r, own->of[OPTION_IF]->exprs, &context);
		if (!filter)
			good = false;
		else if (filter->has_elapsed)
			point->late.filter = filter;
		else
			point->early.filter = filter;
	}
	if (!side->places++)
		side->first = place;
	return good;
}

static bool pair_place(struct resolve *r, struct plan_statement *s, const struct place *place, const struct option *shared,
		       struct side *side, struct pair_key *key, struct options *all, const struct point **first)
{
	struct options own = {};
	struct sites sites = {};
	bool good = resolve_points(r, place, false, &sites);

	good &= resolve_options(r, place, &own, all);
	if (good && sites.pattern) {
		diag_error(r->diag, place->loc, "pattern", "a pattern cannot be the start or the end of a pair");
		good = false;
	}
	if (!*first && place->role == PLACE_FROM)
		*first = sites.written;
	for (unsigned int i = 0; good && i < sites.count; i++)
		good = pair_site(r, s, place, &sites.list[i], &own,
				 own.of[OPTION_KEY] ? own.of[OPTION_KEY] : shared, side, key);
	resolve_take_sites(r, s, &sites);
	resolve_sites_free(&sites);
	return good;
}

static const struct option *key_of(const struct place *place)
{
	for (const struct option *o = place->options; o; o = o->next)
		if (o->kind == OPTION_KEY)
			return o;
	return NULL;
}

/* Events that speak of another task than the one that they happen in. */
static void warn_other_task(struct resolve *r, const struct statement *from, const struct pair_key *key)
{
	static const char *const others[] = { "sched_wakeup", "sched_wakeup_new", "sched_waking", NULL };

	if (key->given)
		return;
	for (const struct place *p = from->places; p; p = p->next)
		for (unsigned int i = 0; others[i]; i++)
			if (p->points->kind == POINT_TRACEPOINT && strcmp(p->points->symbol, others[i]) == 0) {
				diag_warn(r->diag, p->loc, "no-key", "without a key this pairs events of one task, but %s happens in the "
					  "task that wakes another", others[i]);
				diag_help(r->diag, "key $p->pid, and at sched_switch key $next->pid, follow the one that is woken");
				return;
			}
}

/* Starts first: the runtime wants the words of `by` in the order in which sides appear, starts then ends. */
bool resolve_pair(struct resolve *r, const struct statement *from, struct plan_statement *s, bool *left_out)
{
	const struct option *starts_key = NULL, *ends_key = NULL, *shared = NULL;
	unsigned int starts = 0, ends = 0;
	struct side sides[2] = {};
	const struct point *first = NULL;
	struct options all = {};
	struct pair_key key = {};
	bool good = true;

	for (const struct place *p = from->places; p; p = p->next) {
		const struct option **k = p->role == PLACE_TO ? &ends_key : &starts_key;

		*(p->role == PLACE_TO ? &ends : &starts) += 1;
		if (!*k)
			*k = key_of(p);
	}
	if (!starts || !ends) {
		diag_error(r->diag, from->loc, "half-pair", "this pair has no `%s`", starts ? "to" : "from");
		good = false;
	}
	if (starts && starts_key && !ends_key && ends) {
		diag_error(r->diag, starts_key->loc, "key-differs", "the end has no key");
		diag_help(r->diag, "a key written once stands behind the end, and serves both");
		key.said = true;
		good = false;
	}
	if (!starts_key && ends_key && starts) {
		good &= serves_both(r, ends_key);
		shared = ends_key;
	}
	for (unsigned int end = 0; end < 2; end++)
		for (const struct place *p = from->places; p; p = p->next)
			if ((p->role == PLACE_TO) == end)
				good &= pair_place(r, s, p, end ? NULL : shared, &sides[end], &key, &all, &first);
	*left_out = good && (!sides[0].places || !sides[1].places);
	finish_key(s, &key);
	if (good && !*left_out)
		warn_other_task(r, from, &key);
	good &= resolve_statement_options(r, s, &all, from);
	resolve_statement_name(r, s, all.of[OPTION_NAME], from, first);
	return good;
}

/* ---- between ---- */

bool resolve_between(struct resolve *r, const struct statement *from, struct plan_statement *s, bool *left_out)
{
	struct context context = { .elapsed = true };
	struct options own = {}, all = {};
	struct pair_key key = {};
	struct sites sites = {};
	bool good = resolve_points(r, from->places, false, &sites);
	unsigned int nby;

	good &= resolve_options(r, from->places, &own, &all);
	if (sites.pattern)
		resolve_by_matches(s);
	for (unsigned int i = 0; good && i < sites.count; i++) {
		struct plan_point *point = &sites.list[i].point;
		struct plan_expr *filter;

		context.site = &sites.list[i];
		point->role = PLAN_BETWEEN;
		good = point_key(r, from->places, own.of[OPTION_KEY], &context, &point->early, &key);
		if (own.of[OPTION_BY])
			good &= resolve_by(r, s, own.of[OPTION_BY], &context, NULL, &point->late, sites.pattern, &nby);
		filter = own.of[OPTION_IF] ? resolve_condition(r, own.of[OPTION_IF]->exprs, &context) : NULL;
		good &= filter || !own.of[OPTION_IF];
		if (filter && filter->has_elapsed)
			point->late.filter = filter;
		else
			point->early.filter = filter;
	}
	if (good && sites.pattern)
		good = key_matches(r, &sites, &key);
	resolve_take_sites(r, s, &sites);
	*left_out = sites.left_out;
	finish_key(s, &key);
	if (!key.given)
		s->key = PLAN_KEY_NONE;
	good &= resolve_statement_options(r, s, &all, from);
	resolve_statement_name(r, s, all.of[OPTION_NAME], from, sites.written);
	resolve_sites_free(&sites);
	return good;
}
