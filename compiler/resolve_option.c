// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_option.c: a statement's options, its text and its name. `key`, `if` and `by` belong to a point and are resolved with
 * it; here is what they share.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "resolve_private.h"

#define ENTRIES_MAX	1000000
#define TOP_MAX		1000000

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
char *resolve_one_line(const struct resolve *r, struct loc loc)
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
	static const char *const taken[] = { KSTATS_NAMES_TAKEN };

	if (!*name)
		return "a name has at least one character";
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (strcmp(name, taken[i]) == 0)
			return *name == '.' ? "no file can have this name" : "the runtime uses this name itself";
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

void resolve_stems_free(struct resolve *r)
{
	for (unsigned int i = 0; i < r->nstems; i++)
		free(r->stems[i].name);
	free(r->stems);
}

void resolve_statement_name(struct resolve *r, struct plan_statement *s, const struct option *option,
			    const struct statement *from, const struct point *first)
{
	const struct point *point = first ? first : from->places->points;
	struct loc loc = option ? option->exprs->loc : point->loc;
	char *name = option ? resolve_replace(r, option->exprs->string.bytes, loc) : resolve_replace(r, point->text, loc);
	const char *fault;
	struct stem *stem;

	if (!option && s->time) {
		char *plain = name;

		name = mem_printf("%s.%s", plain, s->time == PLAN_TIME_ONCPU ? "oncpu" : "blocked");
		free(plain);
	}
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

static bool of_the_point(enum option_kind kind)
{
	return kind == OPTION_KEY || kind == OPTION_IF || kind == OPTION_BY;
}

bool resolve_options(struct resolve *r, const struct place *place, struct options *own, struct options *all)
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
		if (!of_the_point(o->kind) && place->next) {
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

/* Which statements have a use for an option; others are told. */
#define IN_MEASURE	1
#define IN_PAIR		2
#define IN_VALUE	4
#define IN_BETWEEN	8
#define IN_COUNT	16
#define IN_ALL		31
#define IN_HITS		32	/* profile */
#define IN_TIMES	64	/* profile ... time */

static const struct { enum option_kind kind; unsigned int in; const char *use; } uses[] = {
	{ OPTION_BITS, (IN_ALL & ~IN_COUNT) | IN_TIMES, "a count has no histogram" },
	{ OPTION_RANGE, IN_ALL & ~IN_COUNT, "a count has no histogram" },
	{ OPTION_UNIT, IN_VALUE, "durations are ns, counts are hits" },
	{ OPTION_NESTING, IN_MEASURE | IN_TIMES, "only calls nest" },
	{ OPTION_FIRST, IN_PAIR, "only pairs have starts that may be ignored" },
	{ OPTION_CLOCK, IN_MEASURE | IN_PAIR | IN_BETWEEN | IN_TIMES, "this measures no time" },
	{ OPTION_ONCPU, IN_MEASURE, "a task runs, or does not, from a function's entry to its return" },
	{ OPTION_BLOCKED, IN_MEASURE, "a task runs, or does not, from a function's entry to its return" },
	{ OPTION_OF, IN_MEASURE, "counters are read from a function's entry to its return" },
};

static bool misplaced(struct resolve *r, const struct options *all, const struct statement *from)
{
	static const unsigned int kinds[] = {
		[STATEMENT_MEASURE] = IN_MEASURE, [STATEMENT_PAIR] = IN_PAIR, [STATEMENT_VALUE] = IN_VALUE,
		[STATEMENT_BETWEEN] = IN_BETWEEN, [STATEMENT_COUNT] = IN_COUNT, [STATEMENT_PROFILE] = IN_HITS, [STATEMENT_WATCH] = IN_COUNT,
	};
	unsigned int in = from->kind == STATEMENT_PROFILE && from->word ? IN_TIMES : kinds[from->kind];
	bool bad = false;

	for (unsigned int i = 0; i < sizeof(uses) / sizeof(*uses); i++) {
		const struct option *o = all->of[uses[i].kind];

		if (o && !(uses[i].in & in)) {
			diag_error(r->diag, o->word_loc, "option-place", "'%s' has no use here: %s", option_text(o->kind),
				   uses[i].use);
			bad = true;
		}
	}
	return bad;
}

/* A bound of `range` or any number of one: negative ones are never recorded. */
static bool set_range(struct resolve *r, struct plan_statement *s, const struct option *range)
{
	if (!resolve_number(r, range->exprs, "a bound of range", 0, UINT64_MAX, &s->low) ||
	    !resolve_number(r, range->exprs->next, "a bound of range", 0, UINT64_MAX, &s->high))
		return false;
	if (s->low > s->high) {
		diag_error(r->diag, range->loc, "out-of-range", "this range is empty: %" PRIu64 " is more than %" PRIu64, s->low,
			   s->high);
		return false;
	}
	s->ranged = true;
	return true;
}

/* One of several words. */
static bool choose(struct resolve *r, const struct word *w, const char *const *words, const char *what,
		   unsigned int *choice)
{
	struct text t = {};
	struct near near;

	near_begin(&near, w->text);
	for (*choice = 0; words[*choice]; (*choice)++) {
		if (strcmp(words[*choice], w->text) == 0) {
			text_free(&t);
			return true;
		}
		near_offer(&near, words[*choice], strlen(words[*choice]));
		text_printf(&t, "%s%s", *choice ? " " : "", words[*choice]);
	}
	diag_error(r->diag, w->loc, "option-word", "%s is one of %s, not '%s'", what, t.s, w->text);
	diag_near(r->diag, &near);
	text_free(&t);
	return false;
}

/* A part of @e, as a number, that is @elapsed itself, or else a duration: `10us`, a parameter that is one. */
static const struct expr *find_time(const struct resolve *r, const struct expr *e, bool elapsed)
{
	const struct parameter *p;
	const struct expr *found;

	switch (e->kind) {
	case EXPR_NUMBER:
		return !elapsed && e->number.unit == NUMBER_TIME ? e : NULL;
	case EXPR_NAME:
		p = resolve_parameter(r, e->loc, e->name);
		return (elapsed ? strcmp(e->name, "elapsed") == 0 : p && p->is_time) ? e : NULL;
	case EXPR_CAST:
		return find_time(r, e->cast.of, elapsed);
	case EXPR_UNARY:
		return find_time(r, e->op.a, elapsed);
	case EXPR_BINARY:
		if (e->op.op >= OP_LT && e->op.op <= OP_NE)	/* yes or no */
			return NULL;
		found = find_time(r, e->op.a, elapsed);
		return found ? found : find_time(r, e->op.b, elapsed);
	case EXPR_TERNARY:
		found = find_time(r, e->op.b, elapsed);
		return found ? found : find_time(r, e->op.c, elapsed);
	default:
		return NULL;
	}
}

/* Under `clock ticks` what has elapsed is no time: it meets no duration. */
static bool ticks_in(struct resolve *r, const struct expr *e)
{
	const struct expr *time;
	bool good = true;

	switch (e->kind) {
	case EXPR_CAST:
		return ticks_in(r, e->cast.of);
	case EXPR_UNARY:
		return ticks_in(r, e->op.a);
	case EXPR_TERNARY:
		good = ticks_in(r, e->op.c);
		/* fallthrough */
	case EXPR_BINARY:
		good &= ticks_in(r, e->op.a) & ticks_in(r, e->op.b);
		break;
	default:
		return true;
	}
	if (!good || e->kind != EXPR_BINARY || e->op.op == OP_BOTH || e->op.op == OP_EITHER)
		return good;
	time = find_time(r, e->op.a, true) ? find_time(r, e->op.b, false) :
	       find_time(r, e->op.b, true) ? find_time(r, e->op.a, false) : NULL;
	if (time) {
		diag_error(r->diag, time->loc, "ticks", "this is a duration, but under `clock ticks` and `of` elapsed is none: it counts "
			   "ticks of the tsc, or what the counter counts");
		diag_help(r->diag, "give a number without ns, us, ms, s; or leave `clock ticks` or `of` out");
	}
	return !time;
}

/* Neither time nor ticks: durations are none of these. */
static bool set_ticks(struct resolve *r, const struct options *all, const struct statement *from)
{
	const struct option *range = all->of[OPTION_RANGE];
	bool good = true;

	for (const struct place *p = from->places; p; p = p->next)
		for (const struct option *o = p->options; o; o = o->next)
			if (o->kind == OPTION_IF)
				good &= ticks_in(r, o->exprs);
	for (const struct expr *e = range ? range->exprs : NULL; e; e = e->next) {
		const struct expr *time = find_time(r, e, false);

		if (!time)
			continue;
		diag_error(r->diag, time->loc, "ticks", "this is a duration, but under `clock ticks` and `of` none is recorded");
		good = false;
	}
	return good;
}

static bool set_clock(struct resolve *r, struct plan_statement *s, const struct options *all, const struct statement *from)
{
	unsigned int choice;

	if (!choose(r, all->of[OPTION_CLOCK]->words, option_clocks, "a clock", &choice))
		return false;
	s->clock = PLAN_CLOCK_TSC + choice;
	return s->clock != PLAN_CLOCK_TICKS || set_ticks(r, all, from);
}

static bool set_counter(struct resolve *r, struct plan_statement *s, const struct options *all, const struct statement *from)
{
	static const char devices[] = "/sys/bus/event_source/devices";
	const struct option *of = all->of[OPTION_OF];
	struct counter counter;
	struct near near;

	if (all->of[OPTION_CLOCK]) {
		diag_error(r->diag, all->of[OPTION_CLOCK]->loc, "option-place", "'clock' has no use here: `of` measures no time");
		return false;
	}
	if (!counter_find(of->words->text, r->kernel->running ? devices : NULL, &counter)) {
		diag_error(r->diag, of->words->loc, "counter", "'%s' is no counter that perf has a name for", of->words->text);
		near_begin(&near, of->words->text);
		counter_near(&near);
		diag_near(r->diag, &near);
		diag_help(r->diag, "perf's generic names (instructions, page-faults, LLC-load-misses), rHEX, and on the machine itself those of "
			  "its processor (perf list)");
		return false;
	}
	s->counter = mem_copy(of->words->text, strlen(of->words->text));
	s->perf_type = counter.type;
	s->perf_config = counter.config;
	return set_ticks(r, all, from);
}

/* What a call is parted into. */
static bool set_time(struct resolve *r, struct plan_statement *s, const struct options *all)
{
	const struct option *time = all->of[OPTION_ONCPU] ? all->of[OPTION_ONCPU] : all->of[OPTION_BLOCKED];

	if (all->of[OPTION_ONCPU] && all->of[OPTION_BLOCKED]) {
		diag_error(r->diag, all->of[OPTION_BLOCKED]->loc, "twice", "'oncpu' and 'blocked' are a histogram each");
		diag_help(r->diag, "write two statements; of one function they share their reads of the clock, and add up");
		return false;
	}
	if (all->of[OPTION_OF]) {
		diag_error(r->diag, time->loc, "option-place", "'%s' has no use here: `of` measures no time", option_text(time->kind));
		return false;
	}
	if (s->nesting == PLAN_NESTING_SELF) {
		diag_error(r->diag, time->loc, "option-place", "'%s' and `nesting self` do not go together: how long a call inside ran is not "
			   "known", option_text(time->kind));
		return false;
	}
	s->time = time->kind == OPTION_ONCPU ? PLAN_TIME_ONCPU : PLAN_TIME_BLOCKED;
	return true;
}

static bool has_word(const struct option *option, const char *word)
{
	for (const struct word *w = option->words; w; w = w->next)
		if (strcmp(w->text, word) == 0)
			return true;
	return false;
}

/* The runtime takes the cheapest of these that serves the point, and can be had. */
static bool set_via(struct resolve *r, struct plan_statement *s, const struct option *via)
{
	struct text list = {};
	bool good = true;

	for (const struct word *w = via->words; w; w = w->next) {
		unsigned int choice;

		good &= choose(r, w, option_mechanisms, "a mechanism", &choice);
	}
	for (unsigned int i = 0; good && i < s->npoints; i++) {
		const struct plan_point *p = &s->points[i];
		const char *mine = p->where == PLAN_TRACEPOINT ? "tracepoint" : p->where == PLAN_FUNCTIONS ? "ftrace" :
				   p->where == PLAN_MEMORY ? "breakpoint" :
				   p->role == PLAN_CALL || p->where == PLAN_RETURN_OF ? "kretprobe" : "kprobe";

		bool calls = strcmp(mine, "kretprobe") == 0;

		if (!has_word(via, mine) && !(p->thunk && has_word(via, "direct")) && !(calls && has_word(via, "fprobe"))) {
			diag_error(r->diag, via->loc, "via", "%s can only be reached by %s%s%s", p->text, p->thunk ? calls ? "direct, " : "direct or " : "",
				   calls ? "fprobe or " : "", mine);
			return false;
		}
	}
	for (const struct word *w = via->words; good && w; w = w->next)
		text_printf(&list, "%s%s", list.length ? "," : "", w->text);
	if (good)
		s->via = text_take(&list);
	text_free(&list);
	return good;
}

/* Has it keys, or would it have, were its `by` not wrong or its points not left out? */
static bool has_keys(const struct plan_statement *s, const struct statement *from)
{
	if (from->kind == STATEMENT_WATCH)
		return true;
	for (const struct place *p = from->places; p; p = p->next) {
		if (p->points->glob || p->points->kind == POINT_BAD)
			return true;
		for (const struct option *o = p->options; o; o = o->next)
			if (o->kind == OPTION_BY)
				return true;
	}
	return s->nby;
}

static bool set_entries(struct resolve *r, struct plan_statement *s, const struct option *entries, bool pairs, bool keys)
{
	uint64_t n;

	if (!resolve_number(r, entries->exprs, "entries", 1, ENTRIES_MAX, &n))
		return false;
	if (!pairs && !keys) {
		diag_error(r->diag, entries->word_loc, "option-place", "'entries' is for `by` and for pairs; here is neither");
		return false;
	}
	/*
	 * Of a pair with `by`, N is the number of keys and that of the starts that may wait. A start takes some words, a key a
	 * whole histogram on each CPU: beyond the default of starts, N is meant for them alone.
	 */
	if (s->nby)
		s->entries = pairs && n > KSTATS_PAIRS_DEFAULT ? KSTATS_PAIRS_DEFAULT : n;
	if (pairs && (!s->nby || n > KSTATS_PAIRS_DEFAULT))
		s->pairs = n;
	return true;
}

/* A pattern needs room for all its matches, and with `by` for some keys of each. */
static void room_for_matches(struct plan_statement *s)
{
	unsigned int matches = 0, room;

	if (!s->nby || s->by[0].type != KSTATS_BY_POINT || s->entries)
		return;
	for (unsigned int i = 0; i < s->npoints; i++)
		if (s->points[i].match >= matches)
			matches = s->points[i].match + 1;
	room = s->nby > 1 ? matches + KSTATS_PARTS_DEFAULT : matches;
	s->entries = room < ENTRIES_MAX ? room : ENTRIES_MAX;
}

/*
 * Addresses and stacks: of these a kernel has far more than the keys that there is room for by default. Of anything else
 * nobody knows how many values it takes before it has run, and what found no room is counted.
 */
static void warn_entries(struct resolve *r, const struct plan_statement *s, const struct statement *from)
{
	for (unsigned int i = 0; i < s->nby && !s->entries; i++) {
		if (!s->by[i].address && s->by[i].type != KSTATS_BY_STACK)
			continue;
		diag_warn(r->diag, from->word_loc, "entries", "'%s' may take more values than the %u that `by` has room for: the events "
			  "of the others are counted as `full`", s->by[i].text, KSTATS_PARTS_DEFAULT);
		diag_help(r->diag, "entries N makes more room, and says that this is meant");
		return;
	}
}

bool resolve_statement_options(struct resolve *r, struct plan_statement *s, const struct options *all,
			       const struct statement *from)
{
	bool pairs = from->kind == STATEMENT_PAIR || from->kind == STATEMENT_BETWEEN, good = !misplaced(r, all, from);
	uint64_t n;

	s->bits = s->squares ? KSTATS_BITS_NONE : from->kind == STATEMENT_COUNT || from->kind == STATEMENT_PROFILE ||
		  from->kind == STATEMENT_WATCH ? 0 : KSTATS_BITS_DEFAULT;
	if (!good)
		return false;
	if (all->of[OPTION_OF])
		good &= set_counter(r, s, all, from);
	if (all->of[OPTION_BITS]) {
		good &= resolve_number(r, all->of[OPTION_BITS]->exprs, "bits", 0, KSTATS_BITS_MAX, &n);
		s->bits = good ? n : s->bits;
	}
	if (all->of[OPTION_RANGE])
		good &= set_range(r, s, all->of[OPTION_RANGE]);
	if (all->of[OPTION_UNIT])
		s->unit = mem_copy(all->of[OPTION_UNIT]->words->text, strlen(all->of[OPTION_UNIT]->words->text));
	if (all->of[OPTION_CLOCK])
		good &= set_clock(r, s, all, from);
	if (all->of[OPTION_NESTING]) {
		unsigned int choice;

		good &= choose(r, all->of[OPTION_NESTING]->words, option_nestings, "nesting", &choice);
		s->nesting = choice <= PLAN_NESTING_SELF ? choice : PLAN_NESTING_ALL;
	}
	if (all->of[OPTION_ONCPU] || all->of[OPTION_BLOCKED])
		good &= set_time(r, s, all);
	if (all->of[OPTION_VIA])
		good &= set_via(r, s, all->of[OPTION_VIA]);
	if (all->of[OPTION_ENTRIES])
		good &= set_entries(r, s, all->of[OPTION_ENTRIES], pairs, has_keys(s, from));
	if (all->of[OPTION_TOP]) {
		good &= resolve_number(r, all->of[OPTION_TOP]->exprs, "top", 1, TOP_MAX, &n);
		s->top = good ? n : 0;
		if (!has_keys(s, from)) {
			diag_error(r->diag, all->of[OPTION_TOP]->word_loc, "option-place", "'top' is for `by` and patterns; here is "
				   "neither");
			good = false;
		}
	}
	s->first = all->of[OPTION_FIRST];
	if (good)
		warn_entries(r, s, from);
	room_for_matches(s);
	return good;
}

/* ---- by ---- */

static const char *const by_kinds[] = {
	[KSTATS_BY_U64] = "a number", [KSTATS_BY_S64] = "a signed number", [KSTATS_BY_STRING] = "a text",
	[KSTATS_BY_ERRNO] = "a result", [KSTATS_BY_HEX] = "a pointer", [KSTATS_BY_SYMBOL] = "a symbol",
	[KSTATS_BY_ENUM] = "an enumerator", [KSTATS_BY_STACK] = "a stack", [KSTATS_BY_POINT] = "a point",
	[KSTATS_BY_FUNCTION] = "a function", [KSTATS_BY_CGROUP] = "a cgroup", [KSTATS_BY_CONTAINER] = "a container",
};

static void drop_names(struct plan_by *by)
{
	for (unsigned int i = 0; i < by->nnames; i++)
		free(by->names[i].name);
	free(by->names);
	by->names = NULL;
	by->nnames = 0;
}

static unsigned int key_words(const struct plan_statement *s)
{
	unsigned int words = 0;

	for (unsigned int i = 0; i < s->nby; i++)
		words += s->by[i].words;
	return words;
}

/* The key is the statement's, or must be like the one that an earlier point gave it. */
static bool agree(struct resolve *r, struct plan_statement *s, unsigned int index, const struct expr *e, struct plan_by *by)
{
	struct plan_by *key = &s->by[index];
	bool same = key->type == by->type && key->words == by->words;

	if (index < s->nby) {
		if (!same && key->type == by->type)
			diag_error(r->diag, e->loc, "by-differs", "'%s' behind an earlier point is a text of %u bytes, this one of %u: "
				   "comm and arrays up to 16 are kept as 16, others as 32", key->text, 8 * key->words,
				   8 * by->words);
		else if (!same)
			diag_error(r->diag, e->loc, "by-differs", "%s here, but %s ('%s') behind an earlier point: the keys of a "
				   "statement agree", by_kinds[by->type], by_kinds[key->type], key->text);
		drop_names(by);
		return same;
	}
	*key = *by;
	key->text = resolve_one_line(r, e->loc);
	key->word = key_words(s);
	s->nby++;
	return true;
}

static bool add_key(struct resolve *r, struct plan_statement *s, const struct expr *e, const struct context *context,
		    unsigned int index, unsigned int limit, struct plan_expr **value)
{
	struct plan_by by = {};
	unsigned int words = 0;

	if (e->kind == EXPR_NAME && strcmp(e->name, "elapsed") == 0) {
		diag_error(r->diag, e->loc, "elapsed", "elapsed is what is measured; it is no key");
		return false;
	}
	if (index >= limit) {
		diag_error(r->diag, e->loc, "too-many", "at most %d keys", KSTATS_BY_MAX - 1);
		return false;
	}
	*value = resolve_key(r, e, context, &by);
	if (!*value)
		return false;
	for (unsigned int i = 0; i < index && i < s->nby; i++)
		words += s->by[i].words;
	if (words + by.words > KSTATS_BY_WORDS) {
		diag_error(r->diag, e->loc, "too-many", "these keys are too long together: one stack at most");
		drop_names(&by);
		return false;
	}
	return agree(r, s, index, e, &by);
}

bool resolve_by(struct resolve *r, struct plan_statement *s, const struct option *by, const struct context *context,
		struct plan_side *early, struct plan_side *late, unsigned int first, unsigned int *count)
{
	/* The first may be the runtime's: the point, or the function. */
	bool named = s->nby && (s->by[0].type == KSTATS_BY_POINT || s->by[0].type == KSTATS_BY_FUNCTION), good = true;
	unsigned int limit = KSTATS_BY_MAX - !named, n = 0;
	struct plan_expr *values[KSTATS_BY_MAX] = {};

	for (const struct expr *e = by->exprs; e && good; e = e->next, n++)
		good = add_key(r, s, e, context, first + n, limit, &values[n < KSTATS_BY_MAX ? n : 0]);
	*count = n;
	/* All keys have their words before any operand gets one. */
	if (s->data_words < key_words(s))
		s->data_words = key_words(s);
	if (context->words && *context->words < key_words(s))
		*context->words = key_words(s);
	for (unsigned int i = 0; i < n && i < KSTATS_BY_MAX; i++) {
		struct plan_expr *value = values[i];
		bool waits = value && late && (value->has_return || value->has_elapsed);

		if (!good || !value) {
			plan_expr_free(value);
			continue;
		}
		if (waits && context->call)
			value = resolve_split_value(value, early, context->words);
		if (value)
			resolve_store(waits || !early ? late : early, s->by[first + i].word, value);
		else
			good = false;
	}
	if (!good && context->words && *context->words > KSTATS_DATA_WORDS)
		diag_error(r->diag, by->loc, "too-many", "this needs more than %d words from the call's entry", KSTATS_DATA_WORDS);
	return good;
}
