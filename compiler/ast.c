// SPDX-License-Identifier: GPL-2.0
/* ast.c: constructors and destructors of the tree; numbers and strings are read here. Points have point.c. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ast.h"

/* Append @item to @list through their next and last. */
#define CHAIN(list, item) ({				\
	typeof(list) list_ = (list), item_ = (item);	\
	if (!list_)					\
		list_ = item_;				\
	else						\
		list_->last->next = item_;		\
	list_->last = item_;				\
	list_; })

const char *operator_text(enum operator op)
{
	static const char *const texts[] = {
#define OPERATOR(id, text)	[OP_##id] = text,
		OPERATORS(OPERATOR)
#undef OPERATOR
	};

	return texts[op];
}

const char *const option_clocks[] = { "tsc", "mono", "ticks", NULL };
const char *const option_nestings[] = { "all", "outermost", "self", NULL };
const char *const option_mechanisms[] = {
	"kprobe", "kretprobe", "tracepoint", "direct", "fprobe", "ftrace", "breakpoint", NULL
};

const char *option_text(enum option_kind kind)
{
	static const char *const texts[] = {
#define OPTION(id, text)	[OPTION_##id] = text,
		OPTIONS(OPTION)
#undef OPTION
	};

	return texts[kind];
}

/* ---- expressions ---- */

static struct expr *make(enum expr_kind kind, struct loc loc)
{
	struct expr *e = mem_zero(1, sizeof(*e));

	e->kind = kind;
	e->loc = loc;
	e->depth = 1;
	e->last = e;
	return e;
}

/* Set @e's depth from that of its parts; one too deep is replaced by a BAD one. */
static struct expr *measured(struct parse *ps, struct expr *e, const struct expr *a, const struct expr *b,
			     const struct expr *c)
{
	const struct expr *parts[] = { a, b, c };
	struct loc loc = e->loc;

	for (unsigned int i = 0; i < 3; i++)
		for (const struct expr *p = parts[i]; p; p = p->next)
			if (p->depth >= e->depth)
				e->depth = p->depth + 1;
	if (e->depth <= EXPR_DEPTH_MAX)
		return e;
	diag_error(ps->diag, loc, "too-deep", "this expression is nested too deeply: at most %d levels", EXPR_DEPTH_MAX);
	expr_free(e);
	return make(EXPR_BAD, loc);
}

static const struct suffix {
	const char *text;
	enum number_unit unit;
	uint64_t factor;
} suffixes[] = {
	{ "ns", NUMBER_TIME, 1 },
	{ "us", NUMBER_TIME, 1000 },
	{ "ms", NUMBER_TIME, 1000000 },
	{ "s", NUMBER_TIME, 1000000000 },
	{ "min", NUMBER_TIME, 60000000000ULL },
	{ "h", NUMBER_TIME, 3600000000000ULL },
	{ "K", NUMBER_SIZE, 1ULL << 10 },
	{ "M", NUMBER_SIZE, 1ULL << 20 },
	{ "G", NUMBER_SIZE, 1ULL << 30 },
	{ "T", NUMBER_SIZE, 1ULL << 40 },
};

/* What stands behind a number's digits; false where it means nothing. */
static bool number_suffix(struct number *n, const char *s, uint64_t *factor)
{
	*factor = 1;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		if (strcmp(s, suffixes[i].text) == 0) {
			n->unit = suffixes[i].unit;
			*factor = suffixes[i].factor;
			return true;
		}
	}
	for (; *s; s++) {
		if (toupper(*s) == 'U' && !n->is_unsigned)
			n->is_unsigned = true;
		else if (toupper(*s) == 'L' && !n->is_long)
			s += s[1] == s[0], n->is_long = true;
		else
			return false;
	}
	return true;
}

struct expr *expr_number(struct parse *ps, struct loc loc, const char *text)
{
	struct expr *e = make(EXPR_NUMBER, loc);
	struct number *n = &e->number;
	uint64_t factor;
	char *end;

	errno = 0;
	n->is_decimal = text[0] != '0' || !isdigit((unsigned char)text[1]);
	if (text[0] == '0' && (text[1] | 0x20) == 'b') {
		n->is_decimal = false;
		n->value = strtoull(text + 2, &end, 2);
	} else {
		if (text[0] == '0' && (text[1] | 0x20) == 'x')
			n->is_decimal = false;
		n->value = strtoull(text, &end, n->is_decimal ? 10 : 0);
	}
	if (!number_suffix(n, end, &factor)) {
		diag_error(ps->diag, loc, "bad-number", "'%s' is not a number", text);
		diag_help(ps->diag, "behind the digits: ns us ms s min h, or K M G T (of 1024)");
		e->kind = EXPR_BAD;
	} else if (errno || __builtin_mul_overflow(n->value, factor, &n->value)) {
		diag_error(ps->diag, loc, "bad-number", "'%s' does not fit in 64 bits", text);
		e->kind = EXPR_BAD;
	}
	return e;
}

static int hex(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10 : -1;
}

/* The bytes of a quoted text with C's escapes; @text begins after the quote and @length leaves out the closing one. */
static char *unquote(struct parse *ps, struct loc loc, const char *text, size_t length, size_t *out)
{
	static const char names[] = "abfnrtv\\\"'?0", values[] = "\a\b\f\n\r\t\v\\\"'?\0";
	char *bytes = mem_zero(length + 1, 1), *p = bytes;
	const char *end = text + length, *known;

	while (text < end) {
		if (*text != '\\' || text + 1 == end) {
			*p++ = *text++;
			continue;
		}
		text++;
		if (*text == 'x' && text + 1 < end && hex(text[1]) >= 0) {
			int v = hex(*++text);

			if (text + 1 < end && hex(text[1]) >= 0)
				v = v * 16 + hex(*++text);
			*p++ = v;
			text++;
			continue;
		}
		known = strchr(names, *text);
		if (known && *text)
			*p++ = values[known - names];
		else
			diag_error(ps->diag, loc, "bad-escape", "unknown escape '\\%.1s'", text);
		text++;
	}
	*out = p - bytes;
	return bytes;
}

struct expr *expr_char(struct parse *ps, struct loc loc, const char *text)
{
	struct expr *e = make(EXPR_NUMBER, loc);
	size_t length;
	char *bytes = unquote(ps, loc, text + 1, strlen(text) - 2, &length);

	e->number.value = length ? (uint64_t)(int64_t)(signed char)bytes[0] : 0;
	e->number.is_decimal = true;
	free(bytes);
	return e;
}

struct expr *expr_string(struct parse *ps, struct loc loc, const char *text)
{
	struct expr *e = make(EXPR_STRING, loc);

	e->string.bytes = unquote(ps, loc, text + 1, strlen(text) - 2, &e->string.length);
	if (memchr(e->string.bytes, 0, e->string.length)) {
		diag_error(ps->diag, loc, "bad-escape", "a zero byte cannot stand in a string");
		e->string.length = strlen(e->string.bytes);
	}
	return e;
}

struct expr *expr_name(struct loc loc, char *name)
{
	struct expr *e = make(EXPR_NAME, loc);

	e->name = name;
	return e;
}

struct expr *expr_arg(struct loc loc, char *name)
{
	struct expr *e = make(EXPR_ARG, loc);

	e->name = name;
	return e;
}

struct expr *expr_unary(struct parse *ps, struct loc loc, enum operator op, struct expr *a)
{
	struct expr *e = make(EXPR_UNARY, loc);

	e->op.op = op;
	e->op.a = a;
	return measured(ps, e, a, NULL, NULL);
}

struct expr *expr_binary(struct parse *ps, struct loc loc, enum operator op, struct expr *a, struct expr *b)
{
	struct expr *e = make(EXPR_BINARY, loc);

	e->op.op = op;
	e->op.a = a;
	e->op.b = b;
	return measured(ps, e, a, b, NULL);
}

struct expr *expr_ternary(struct parse *ps, struct loc loc, struct expr *a, struct expr *b, struct expr *c)
{
	struct expr *e = make(EXPR_TERNARY, loc);

	e->op.a = a;
	e->op.b = b;
	e->op.c = c;
	return measured(ps, e, a, b, c);
}

struct expr *expr_member(struct parse *ps, struct loc loc, struct expr *of, char *name, struct loc name_loc, bool arrow)
{
	struct expr *e = make(EXPR_MEMBER, loc);

	e->member.of = of;
	e->member.name = name;
	e->member.name_loc = name_loc;
	e->member.arrow = arrow;
	return measured(ps, e, of, NULL, NULL);
}

struct expr *expr_index(struct parse *ps, struct loc loc, struct expr *of, struct expr *index)
{
	struct expr *e = make(EXPR_INDEX, loc);

	e->op.a = of;
	e->op.b = index;
	return measured(ps, e, of, index, NULL);
}

struct expr *expr_cast(struct parse *ps, struct loc loc, struct type_name *type, struct expr *of)
{
	struct expr *e = make(EXPR_CAST, loc);

	e->cast.type = type;
	e->cast.of = of;
	return measured(ps, e, of, NULL, NULL);
}

struct expr *expr_call(struct parse *ps, struct loc loc, char *name, struct loc name_loc, struct expr *args)
{
	struct expr *e = make(EXPR_CALL, loc);

	e->call.name = name;
	e->call.name_loc = name_loc;
	e->call.args = args;
	return measured(ps, e, args, NULL, NULL);
}

struct expr *expr_list(struct expr *list, struct expr *e)
{
	return CHAIN(list, e);
}

void expr_free(struct expr *list)
{
	while (list) {
		struct expr *e = list;

		list = e->next;
		switch (e->kind) {
		case EXPR_STRING:
			free(e->string.bytes);
			break;
		case EXPR_NAME:
		case EXPR_ARG:
			free(e->name);
			break;
		case EXPR_UNARY:
		case EXPR_BINARY:
		case EXPR_TERNARY:
		case EXPR_INDEX:
			expr_free(e->op.a);
			expr_free(e->op.b);
			expr_free(e->op.c);
			break;
		case EXPR_MEMBER:
			expr_free(e->member.of);
			free(e->member.name);
			break;
		case EXPR_CAST:
			type_free(e->cast.type);
			expr_free(e->cast.of);
			break;
		case EXPR_CALL:
			free(e->call.name);
			expr_free(e->call.args);
			break;
		case EXPR_NUMBER:
		case EXPR_BAD:
			break;
		}
		free(e);
	}
}

struct type_name *type_new(struct loc loc, enum type_kind kind, char *name)
{
	struct type_name *t = mem_zero(1, sizeof(*t));

	t->kind = kind;
	t->name = name;
	t->loc = loc;
	return t;
}

struct type_name *type_word(struct loc loc, struct type_name *type, char *word)
{
	char *both;

	type->loc = loc;
	if (strlen(type->name) > 64) {	/* no type is that long, and resolve will say so */
		free(word);
		return type;
	}
	both = mem_printf("%s %s", type->name, word);
	free(word);
	free(type->name);
	type->name = both;
	return type;
}

struct type_name *type_star(struct loc loc, struct type_name *type)
{
	type->stars++;
	type->loc = loc;
	return type;
}

void type_free(struct type_name *type)
{
	if (type)
		free(type->name);
	free(type);
}

/* ---- the rest ---- */

struct point *point_list(struct point *list, struct point *p)
{
	return CHAIN(list, p);
}

void point_free(struct point *list)
{
	while (list) {
		struct point *p = list;

		list = p->next;
		free(p->text);
		free(p->system);
		free(p->symbol);
		free(p->file);
		free(p->access);
		free(p->path);
		free(p);
	}
}

struct word *word_new(struct loc loc, char *text)
{
	struct word *w = mem_zero(1, sizeof(*w));

	w->text = text;
	w->loc = loc;
	w->last = w;
	return w;
}

struct word *word_list(struct word *list, struct word *w)
{
	return CHAIN(list, w);
}

void word_free(struct word *list)
{
	while (list) {
		struct word *w = list;

		list = w->next;
		free(w->text);
		free(w);
	}
}

static struct option *option_new(struct loc loc, struct loc word_loc, enum option_kind kind)
{
	struct option *o = mem_zero(1, sizeof(*o));

	o->kind = kind;
	o->loc = loc;
	o->word_loc = word_loc;
	o->last = o;
	return o;
}

struct option *option_exprs(struct loc loc, struct loc word_loc, enum option_kind kind, struct expr *exprs)
{
	struct option *o = option_new(loc, word_loc, kind);

	o->exprs = exprs;
	return o;
}

struct option *option_words(struct loc loc, struct loc word_loc, enum option_kind kind, struct word *words)
{
	struct option *o = option_new(loc, word_loc, kind);

	o->words = words;
	return o;
}

struct option *option_list(struct option *list, struct option *o)
{
	return CHAIN(list, o);
}

void option_free(struct option *list)
{
	while (list) {
		struct option *o = list;

		list = o->next;
		expr_free(o->exprs);
		word_free(o->words);
		free(o);
	}
}

struct place *place_new(struct loc loc, enum place_role role, struct point *points, struct option *options)
{
	struct place *p = mem_zero(1, sizeof(*p));

	p->loc = loc;
	p->role = role;
	p->points = points;
	p->options = options;
	p->last = p;
	return p;
}

struct place *place_list(struct place *list, struct place *p)
{
	return CHAIN(list, p);
}

void place_free(struct place *list)
{
	while (list) {
		struct place *p = list;

		list = p->next;
		point_free(p->points);
		option_free(p->options);
		free(p);
	}
}

struct statement *statement_new(struct loc loc, struct loc word_loc, enum statement_kind kind, struct place *places)
{
	struct statement *s = mem_zero(1, sizeof(*s));

	s->kind = kind;
	s->loc = loc;
	s->word_loc = word_loc;
	s->places = places;
	s->last = s;
	return s;
}

struct statement *statement_value(struct loc loc, struct loc word_loc, struct expr *value, struct place *places)
{
	struct statement *s = statement_new(loc, word_loc, STATEMENT_VALUE, places);

	s->value = value;
	return s;
}

struct statement *statement_word(struct loc loc, struct loc word_loc, enum statement_kind kind, struct word *word,
				 struct place *places)
{
	struct statement *s = statement_new(loc, word_loc, kind, places);

	s->word = word;
	return s;
}

struct statement *statement_param(struct loc loc, struct loc word_loc, struct word *name, struct expr *value,
				  struct expr *doc)
{
	struct statement *s = statement_new(loc, word_loc, STATEMENT_PARAM, NULL);

	s->word = name;
	s->value = value;
	s->doc = doc;
	return s;
}

void statement_free(struct statement *list)
{
	while (list) {
		struct statement *s = list;

		list = s->next;
		place_free(s->places);
		expr_free(s->value);
		word_free(s->word);
		expr_free(s->doc);
		free(s);
	}
}

void script_add(struct parse *ps, struct statement *statement)
{
	ps->script->statements = CHAIN(ps->script->statements, statement);
}

void script_free(struct script *script)
{
	statement_free(script->statements);
	script->statements = NULL;
}
