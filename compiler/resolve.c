// SPDX-License-Identifier: GPL-2.0
/*
 * resolve.c: statements. For each: its points, its options, its name, and where each of its expressions is evaluated.
 *
 * Position decides (DESIGN 2). For a call, `if` is split between entry and return and `by` is of the entry. For a pair,
 * `if` and `by` behind a start are evaluated there; behind an end, there: an `if` without elapsed says whether this is an
 * end at all (early), one with elapsed filters the sample (late). The words of `by` are late too: data[] is known then.
 */
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

#define ENTRIES_MAX	1000000

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

/* ---- the text of a statement, and its name ---- */

static bool is_blank(char c)
{
	return c && strchr(" \t\r\n\f\v", c);
}

/* How many bytes of comment begin at @s; @before is what stands before it. */
static size_t comment_length(const char *s, const char *end, char before)
{
	const char *close;

	if (before && !is_blank(before) && before != ';')
		return 0;
	if (s[0] == '#' || (s + 1 < end && s[0] == '/' && s[1] == '/'))
		return strcspn(s, "\n");
	if (s + 1 < end && s[0] == '/' && s[1] == '*') {
		close = strstr(s + 2, "*/");
		return close ? (size_t)(close + 2 - s) : 0;
	}
	return 0;
}

/* On one line: blanks become one, comments none. */
static char *one_line(const struct resolve *r, struct loc loc)
{
	const char *text = diag_source(r->diag, loc)->text, *s = text + loc.from, *end = text + loc.to;
	struct text line = {};
	char quote = 0;

	while (s < end) {
		char before = s > text ? s[-1] : 0;
		size_t comment = quote ? 0 : comment_length(s, end, before);

		if (comment) {
			s += comment;
			continue;
		}
		if (!quote && is_blank(*s)) {
			if (line.length && line.s[line.length - 1] != ' ')
				text_add(&line, " ", 1);
			s++;
			continue;
		}
		if (quote && *s == '\\' && s + 1 < end)
			text_add(&line, s++, 1);
		else if (*s == '"' || *s == '\'')
			quote = !quote ? *s : quote == *s ? 0 : quote;
		text_add(&line, s++, 1);
	}
	while (line.length && line.s[line.length - 1] == ' ')
		line.s[--line.length] = 0;
	return text_take(&line);
}

static bool name_taken(const struct plan *plan, const char *name)
{
	for (unsigned int i = 0; i < plan->nstatements; i++)
		if (plan->statements[i].name && strcmp(plan->statements[i].name, name) == 0)
			return true;
	return false;
}

/* It becomes the name of a file in debugfs. */
static const char *name_fault(const char *name)
{
	if (!*name)
		return "a name has at least one character";
	if (strcmp(name, "_control") == 0 || strcmp(name, "_bin") == 0)
		return "the runtime uses this name itself";
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return "no file can have this name";
	for (const char *c = name; *c; c++) {
		if (*c == '/')
			return "a name has no '/'";
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return "a name has no control characters";
	}
	return NULL;
}

/* A name that statements of the script asked for, and what the next one of it gets. */
struct stem {
	char *name;
	unsigned int next;
};

static struct stem *stem_of(struct resolve *r, const char *name)
{
	for (unsigned int i = 0; i < r->nstems; i++)
		if (strcmp(r->stems[i].name, name) == 0)
			return &r->stems[i];
	r->stems = mem_more(r->stems, r->nstems, sizeof(*r->stems));
	r->stems[r->nstems] = (struct stem){ mem_copy(name, strlen(name)), 2 };
	return &r->stems[r->nstems++];
}

static void set_name(struct resolve *r, struct plan_statement *s, const struct option *option,
		     const struct statement *from)
{
	const struct point *point = from->places->points;
	struct loc loc = option ? option->exprs->loc : point->loc;
	char *name = mem_copy(option ? option->exprs->string.bytes : point->text,
			      strlen(option ? option->exprs->string.bytes : point->text));
	const char *fault;
	struct stem *stem;

	for (char *c = name; !option && *c; c++)
		if (*c == '/')
			*c = '.';
	fault = option || point->kind != POINT_BAD ? name_fault(name) : NULL;
	if (fault)
		diag_error(r->diag, loc, "name", "%s", fault);
	stem = stem_of(r, name);
	while (name_taken(r->plan, name)) {
		free(name);
		name = mem_printf("%s.%u", stem->name, stem->next++);
	}
	if (strlen(name) >= KSTATS_NAME_LEN) {
		diag_error(r->diag, loc, "name", "a name has at most %d bytes, and '%.20s...' has %zu", KSTATS_NAME_LEN - 1,
			   name, strlen(name));
		if (!option)
			diag_help(r->diag, "give a shorter one with name \"...\"");
	}
	s->name = name;
}

/* ---- options ---- */

/* The options of a statement by kind: its own, and those of one of its places. */
struct options {
	const struct option *of[OPTION_VIA + 1];
};

static bool of_the_point(enum option_kind kind)
{
	return kind == OPTION_KEY || kind == OPTION_IF || kind == OPTION_BY;
}

static bool is_later(enum option_kind kind)
{
	return kind == OPTION_OF || kind == OPTION_RANGE || kind == OPTION_UNIT || kind == OPTION_CLOCK ||
	       kind == OPTION_TOP || kind == OPTION_NESTING || kind == OPTION_FIRST || kind == OPTION_VIA;
}

/* Sort the options of @place into its own and the statement's. */
static bool collect(struct resolve *r, const struct place *place, struct options *own, struct options *all)
{
	bool good = true;

	for (const struct option *o = place->options; o; o = o->next) {
		struct options *into = of_the_point(o->kind) ? own : all;

		if (into->of[o->kind]) {
			diag_error(r->diag, o->word_loc, "twice", "a second '%s' for %s", option_text(o->kind),
				   of_the_point(o->kind) ? "the same point" : "one statement");
			diag_place(r->diag, into->of[o->kind]->loc, "the first is here");
			good = false;
			continue;
		}
		into->of[o->kind] = o;
		if (is_later(o->kind)) {
			resolve_not_yet(r, o->word_loc, "%s", option_text(o->kind));
			good = false;
		} else if (!of_the_point(o->kind) && place->next) {
			diag_error(r->diag, o->word_loc, "option-place", "'%s' stands behind the last point",
				   option_text(o->kind));
			good = false;
		} else if (o->kind == OPTION_KEY && o != place->options) {
			diag_error(r->diag, o->word_loc, "option-place", "'key' stands right behind its point");
			good = false;
		}
	}
	return good;
}

static bool set_statement_options(struct resolve *r, struct plan_statement *s, const struct options *all, bool pair)
{
	const struct option *entries = all->of[OPTION_ENTRIES], *bits = all->of[OPTION_BITS];
	unsigned int n;
	bool good = true;

	s->bits = KSTATS_BITS_DEFAULT;
	if (bits)
		good &= resolve_number(r, bits->exprs, "bits", 0, KSTATS_BITS_MAX, &s->bits);
	if (!entries)
		return good;
	if (!resolve_number(r, entries->exprs, "entries", 1, ENTRIES_MAX, &n))
		return false;
	if (!pair && !s->nby) {
		diag_error(r->diag, entries->word_loc, "option-place", "'entries' is for `by` and for pairs; here is neither");
		return false;
	}
	if (s->nby)
		s->entries = n;
	/* Of a pair with `by`: the number of keys; starts that wait have never less room than without it. */
	if (pair && (!s->nby || n > KSTATS_PAIRS_DEFAULT))
		s->pairs = n;
	return good;
}

/* ---- by ---- */

/* Add the keys of @by to the statement, or, when an earlier place gave them, see that they are of the same types. */
static bool add_by(struct resolve *r, struct plan_statement *s, const struct option *by, struct plan_side *side,
		   unsigned int first, unsigned int *count)
{
	unsigned int n = 0;

	for (const struct expr *e = by->exprs; e; e = e->next, n++) {
		struct plan_expr *value;
		struct plan_by *key;
		unsigned int b;

		for (b = 0; b < PLAN_ELAPSED; b++)
			if (e->kind == EXPR_NAME && strcmp(e->name, plan_builtin_text(b)) == 0)
				break;
		if (b == PLAN_ELAPSED) {
			if (e->kind == EXPR_NAME && strcmp(e->name, "elapsed") == 0)
				diag_error(r->diag, e->loc, "elapsed", "elapsed is what is measured; it is no key");
			else if (e->kind != EXPR_BAD)
				resolve_not_yet(r, e->loc, "by anything but pid, tid, ppid, uid, cpu and comm");
			return false;
		}
		if (first + n >= KSTATS_BY_MAX) {
			diag_error(r->diag, e->loc, "too-many", "at most %d keys", KSTATS_BY_MAX);
			return false;
		}
		key = &s->by[first + n];
		if (first + n == s->nby) {
			key->text = mem_copy(e->name, strlen(e->name));
			key->type = plan_builtin_type(b);
			key->word = s->data_words;
			key->words = b == PLAN_COMM ? KSTATS_COMM_WORDS : 1;
			s->data_words += key->words;
			s->nby++;
		} else if (key->type != plan_builtin_type(b)) {
			diag_error(r->diag, e->loc, "by-differs", "'%s' here, but '%s' behind an earlier point: the keys of a "
				   "statement agree", e->name, key->text);
			return false;
		}
		value = mem_zero(1, sizeof(*value));
		*value = (struct plan_expr){ .kind = PLAN_BUILTIN, .type = key->type, .depth = 1, .builtin = b };
		resolve_store(side, key->word, value);
	}
	*count = n;
	return true;
}

/* ---- measure FUNCTION ---- */

static bool call(struct resolve *r, const struct statement *from, struct plan_statement *s)
{
	static const struct context context = { .elapsed = true };
	struct options own = {}, all = {};
	struct plan_point *point = s->points = mem_zero(1, sizeof(*s->points));
	struct plan_expr *filter;
	unsigned int nby;
	bool good;

	s->npoints = 1;
	point->role = PLAN_CALL;
	good = resolve_point(r, from->places->points, true, point);
	good &= collect(r, from->places, &own, &all);
	if (own.of[OPTION_KEY]) {
		diag_error(r->diag, own.of[OPTION_KEY]->loc, "no-key", "a call needs no key: each has its own start");
		good = false;
	}
	if (own.of[OPTION_BY])
		good &= add_by(r, s, own.of[OPTION_BY], &point->early, 0, &nby);
	if (own.of[OPTION_IF]) {
		filter = resolve_condition(r, own.of[OPTION_IF]->exprs, &context);
		if (!filter) {
			good = false;
		} else if (!resolve_split(filter, &point->early, &point->late, &s->data_words)) {
			diag_error(r->diag, own.of[OPTION_IF]->loc, "too-many", "this needs more than %d words from the call's "
				   "entry", KSTATS_DATA_WORDS);
			good = false;
		}
	}
	good &= set_statement_options(r, s, &all, false);
	set_name(r, s, all.of[OPTION_NAME], from);
	return good;
}

/* ---- pairs ---- */

/* What the places of one side of a pair agree on. */
struct pair_side {
	const struct place *first;
	const struct option *key;	/* of the first */
	enum plan_key which;
	unsigned int places;
	unsigned int nby;
	unsigned int first_by;
};

static bool key_of(struct resolve *r, const struct option *key, enum plan_key *which)
{
	const struct expr *e = key->exprs;

	if (e->kind == EXPR_NAME && !e->next && strcmp(e->name, "tid") == 0)
		*which = PLAN_KEY_TID;
	else if (e->kind == EXPR_NAME && !e->next && strcmp(e->name, "cpu") == 0)
		*which = PLAN_KEY_CPU;
	else {
		if (e->kind != EXPR_BAD)
			resolve_not_yet(r, key->loc, "a key other than tid or cpu");
		return false;
	}
	return true;
}

static bool pair_key(struct resolve *r, const struct place *place, const struct option *key, struct pair_side *side)
{
	enum plan_key which = PLAN_KEY_TASK;

	if (key && !key_of(r, key, &which))
		return false;
	if (side->places == 0) {
		side->first = place;
		side->key = key;
		side->which = which;
	} else if (which != side->which) {
		diag_error(r->diag, key ? key->loc : place->loc, "key-differs", "its key differs from that of an earlier %s",
			   place->role == PLACE_FROM ? "start" : "end");
		diag_place(r->diag, side->first->loc, "the earlier one");
		return false;
	}
	return true;
}

static bool pair_by(struct resolve *r, struct plan_statement *s, const struct place *place, const struct option *by,
		    struct plan_side *into, struct pair_side *side)
{
	unsigned int n = 0;

	if (side->places == 0)
		side->first_by = s->nby;
	if (by && side->places && !side->nby) {
		diag_error(r->diag, by->loc, "by-differs", "an earlier %s has no `by`: each has it, or none",
			   place->role == PLACE_FROM ? "start" : "end");
		diag_place(r->diag, side->first->loc, "the earlier one");
		return false;
	}
	if (by && !add_by(r, s, by, into, side->first_by, &n))
		return false;
	if (side->places && n != side->nby) {
		diag_error(r->diag, by ? by->loc : place->loc, "by-differs", "the number of keys of `by` differs: %u here, %u "
			   "behind an earlier %s", n, side->nby, place->role == PLACE_FROM ? "start" : "end");
		diag_place(r->diag, side->first->loc, "the earlier one");
		return false;
	}
	side->nby = n;
	return true;
}

static bool pair_place(struct resolve *r, struct plan_statement *s, const struct place *place,
		       struct plan_point *point, struct pair_side *side, struct options *all)
{
	bool end = place->role == PLACE_TO;
	struct context context = { .elapsed = end, .why_not = "elapsed is not known before the end" };
	struct options own = {};
	struct plan_expr *filter;
	bool good;

	point->role = end ? PLAN_TO : PLAN_FROM;
	good = resolve_point(r, place->points, false, point);
	good &= collect(r, place, &own, all);
	good &= pair_key(r, place, own.of[OPTION_KEY], side);
	good &= pair_by(r, s, place, own.of[OPTION_BY], end ? &point->late : &point->early, side);
	if (own.of[OPTION_IF]) {
		filter = resolve_condition(r, own.of[OPTION_IF]->exprs, &context);
		if (!filter)
			good = false;
		else if (filter->has_elapsed)
			point->late.filter = filter;
		else
			point->early.filter = filter;
	}
	side->places++;
	return good;
}

/* Starts first: the runtime wants the words of `by` in the order in which sides appear, starts then ends. */
static bool pair(struct resolve *r, const struct statement *from, struct plan_statement *s)
{
	struct pair_side starts = {}, ends = {};
	struct options all = {};
	bool good = true;

	for (const struct place *p = from->places; p; p = p->next)
		s->npoints++;
	s->points = mem_zero(s->npoints, sizeof(*s->points));
	s->npoints = 0;
	for (unsigned int end = 0; end < 2; end++)
		for (const struct place *p = from->places; p; p = p->next)
			if ((p->role == PLACE_TO) == end)
				good &= pair_place(r, s, p, &s->points[s->npoints++], end ? &ends : &starts, &all);
	if (!starts.places || !ends.places) {
		diag_error(r->diag, from->loc, "half-pair", "this pair has no `%s`", starts.places ? "to" : "from");
		good = false;
	} else if (starts.key && !ends.key) {
		diag_error(r->diag, starts.key->loc, "key-differs", "the end has no key");
		diag_place(r->diag, ends.first->loc, "here; a key written once stands behind the end, and serves both");
		good = false;
	} else if (starts.key && starts.which != ends.which) {
		diag_error(r->diag, ends.key->loc, "key-differs", "the start's key is another one: no start would find its "
			   "end");
		diag_place(r->diag, starts.key->loc, "the start's key");
		good = false;
	}
	s->key = ends.which;
	good &= set_statement_options(r, s, &all, true);
	set_name(r, s, all.of[OPTION_NAME], from);
	return good;
}

/* ---- the script ---- */

static bool statement(struct resolve *r, const struct statement *from)
{
	static const char *const later[] = {
		[STATEMENT_VALUE] = "measure value", [STATEMENT_BETWEEN] = "measure between", [STATEMENT_COUNT] = "count",
		[STATEMENT_WATCH] = "watch", [STATEMENT_PROFILE] = "profile", [STATEMENT_PARAM] = "param",
	};
	struct plan_statement *s;
	bool good;

	if (from->kind != STATEMENT_MEASURE && from->kind != STATEMENT_PAIR) {
		resolve_not_yet(r, from->word_loc, "%s", later[from->kind]);
		return false;
	}
	r->plan->statements = mem_more(r->plan->statements, r->plan->nstatements, sizeof(*r->plan->statements));
	s = &r->plan->statements[r->plan->nstatements];
	*s = (struct plan_statement){ .text = one_line(r, from->loc) };
	good = from->kind == STATEMENT_MEASURE ? call(r, from, s) : pair(r, from, s);
	r->plan->nstatements++;
	return good;
}

bool resolve_script(const struct script *script, const struct kernel *kernel, struct symbols *symbols,
		    struct diag *diag, struct plan *plan)
{
	struct resolve r = { .kernel = kernel, .symbols = symbols, .diag = diag, .plan = plan };
	bool good = true;

	*plan = (struct plan){};
	for (const struct statement *s = script->statements; s; s = s->next)
		good &= statement(&r, s);
	for (unsigned int i = 0; i < r.nstems; i++)
		free(r.stems[i].name);
	free(r.stems);
	if (!script->statements && !diag_errors(diag)) {
		diag_error(diag, LOC_NONE, "empty", "the script has no statement: measure FUNCTION is one");
		good = false;
	}
	return good && !diag_errors(diag);
}
