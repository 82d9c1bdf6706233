/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ast.h: a script as written. The grammar's actions call these constructors and nothing else; nothing here knows a kernel.
 *
 * A constructor owns what it is given. Lists are chained through `next`; the first of a list also knows its `last`, so
 * that appending is cheap. Expressions know their depth, and no tree deeper than EXPR_DEPTH_MAX is made: whoever walks
 * one may recurse.
 */
#ifndef KM_AST_H
#define KM_AST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "diag.h"

#define EXPR_DEPTH_MAX	1000

/* ---- expressions ---- */

#define OPERATORS(X) \
	X(NEGATE, "-") X(PLUS, "+") X(NOT, "!") X(INVERT, "~") X(DEREFERENCE, "*") X(ADDRESS, "&") \
	X(MUL, "*") X(DIV, "/") X(MOD, "%") X(ADD, "+") X(SUB, "-") X(SHL, "<<") X(SHR, ">>") \
	X(LT, "<") X(GT, ">") X(LE, "<=") X(GE, ">=") X(EQ, "==") X(NE, "!=") \
	X(AND, "&") X(XOR, "^") X(OR, "|") X(BOTH, "&&") X(EITHER, "||")

enum operator {
#define OPERATOR(id, text)	OP_##id,
	OPERATORS(OPERATOR)
#undef OPERATOR
};

const char *operator_text(enum operator op);

/* `10us`, `4K`, `0x1fUL`. What a number's suffix said of it. */
enum number_unit { NUMBER_PLAIN, NUMBER_TIME, NUMBER_SIZE };

struct number {
	uint64_t value;
	enum number_unit unit;
	bool is_unsigned;	/* suffix U */
	bool is_long;		/* suffix L */
	bool is_decimal;	/* hexadecimal and octal ones may be unsigned without saying so, as in C */
};

/* The type of a cast: `struct sock *`, `unsigned long`. */
struct type_name {
	enum type_kind { TYPE_WORDS, TYPE_STRUCT, TYPE_UNION, TYPE_ENUM } kind;
	char *name;		/* the tag, or the words with one blank between them */
	unsigned int stars;
	struct loc loc;
};

enum expr_kind {
	EXPR_NUMBER,
	EXPR_STRING,
	EXPR_NAME,		/* a built-in, a parameter, an enumerator, a global variable */
	EXPR_ARG,		/* $name; text without the $ */
	EXPR_UNARY,
	EXPR_BINARY,
	EXPR_TERNARY,
	EXPR_MEMBER,		/* a.b, a->b */
	EXPR_INDEX,
	EXPR_CAST,
	EXPR_CALL,		/* ntohs(x): list of arguments in a */
	EXPR_BAD,		/* already reported: says nothing more */
};

struct expr {
	enum expr_kind kind;
	struct loc loc;
	unsigned int depth;
	struct expr *next, *last;
	union {
		struct number number;
		struct { char *bytes; size_t length; } string;
		char *name;						/* NAME, ARG */
		struct { enum operator op; struct expr *a, *b, *c; } op;	/* UNARY, BINARY, TERNARY, INDEX */
		struct { struct expr *of; char *name; bool arrow; struct loc name_loc; } member;
		struct { struct type_name *type; struct expr *of; } cast;
		struct { char *name; struct expr *args; struct loc name_loc; } call;
	};
};

/* ---- points ---- */

enum point_kind {
	POINT_FUNCTION,		/* [module:]symbol[@file][:return|+offset] */
	POINT_LINE,		/* file:line */
	POINT_INLINE,		/* inline:symbol */
	POINT_SYSCALL,		/* syscall:symbol[:return] */
	POINT_TRACEPOINT,	/* tp:[system:]symbol */
	POINT_WATCH,		/* watch:symbol[path][:size][:access]; after `watch` without the prefix */
	POINT_BAD,
};

struct point {
	enum point_kind kind;
	struct loc loc;
	struct point *next, *last;	/* after `or` */
	char *text;			/* the whole word, without quotes and `?` */
	bool quoted;
	bool optional;			/* `?` */
	bool glob;
	bool at_return;
	bool has_offset;
	uint64_t offset;
	unsigned int line;
	char *system;			/* of a tracepoint; the module of a function */
	char *symbol;
	char *file;
	char *access;			/* of a watch: write rw read; NULL: not said */
	char *path;			/* of a watch, what follows the variable: ".signal", "[3].next"; "" */
	uint64_t bytes;			/* of a watch: how many, where it says so; else 0 */
	struct loc system_loc, symbol_loc;
};

/* ---- statements ---- */

#define OPTIONS(X) \
	X(KEY, "key") X(IF, "if") X(BY, "by") X(OF, "of") X(BITS, "bits") X(RANGE, "range") X(NAME, "name") \
	X(UNIT, "unit") X(CLOCK, "clock") X(ENTRIES, "entries") X(TOP, "top") X(NESTING, "nesting") X(FIRST, "first") X(ONCPU, "oncpu") X(BLOCKED, "blocked") \
	X(VIA, "via")

enum option_kind {
#define OPTION(id, text)	OPTION_##id,
	OPTIONS(OPTION)
#undef OPTION
};

const char *option_text(enum option_kind kind);

/* The words that `clock`, `nesting` and `via` take, each ended by NULL. */
extern const char *const option_clocks[], *const option_nestings[], *const option_mechanisms[];

struct word {
	char *text;
	struct loc loc;
	struct word *next, *last;
};

struct option {
	enum option_kind kind;
	struct loc loc;			/* all of it */
	struct loc word_loc;		/* its keyword */
	struct option *next, *last;
	struct expr *exprs;		/* KEY, BY: a list; IF, BITS, ENTRIES, TOP: one; RANGE: two; NAME: a string */
	struct word *words;		/* OF, UNIT, CLOCK, NESTING: one; VIA: a list */
};

enum place_role { PLACE_ONLY, PLACE_FROM, PLACE_TO, PLACE_AT };

/* A point (or the first of several that this kernel has) with what follows it. */
struct place {
	enum place_role role;
	struct loc loc;
	struct place *next, *last;
	struct point *points;
	struct option *options;
};

enum statement_kind {
	STATEMENT_MEASURE,	/* a function: one place */
	STATEMENT_PAIR,		/* from and to places */
	STATEMENT_VALUE,	/* `value`, at places */
	STATEMENT_BETWEEN,
	STATEMENT_COUNT,
	STATEMENT_WATCH,	/* `word`: read, write, rw */
	STATEMENT_PROFILE,	/* `word`: time */
	STATEMENT_PARAM,	/* `word` = `value`, `doc` */
};

struct statement {
	enum statement_kind kind;
	struct loc loc;
	struct loc word_loc;		/* its keyword */
	struct statement *next, *last;
	struct place *places;
	struct expr *value;
	struct word *word;
	struct expr *doc;
};

struct script {
	struct statement *statements;
};

/* What may stand at the end of an unfinished script: suggest.h. */
#define PARSE_KEYWORDS_MAX	40

struct parse_expected {
	const char *keywords[PARSE_KEYWORDS_MAX + 1];	/* ended by NULL */
	bool point;
	bool name;		/* any word, behind via, unit, ->, ... */
	bool operand;		/* an expression begins here */
	bool word;		/* one that is no keyword: how a watch watches, the next mechanism of a via */
};

/* What the parser hands to every constructor that may have something to say. */
struct parse {
	struct diag *diag;
	unsigned int source;		/* index of the one being parsed */
	const char *text;
	size_t length;
	size_t offset;			/* of the lexer, */
	size_t bad_to;			/* the end of its last complaint, */
	struct loc comment;		/* where its comment began, */
	int resume;			/* and the state to go back to */
	bool ended;			/* all is read: nothing more is asked */
	struct parse_expected *expected;	/* asked for, or NULL */
	struct script *script;
};

struct expr *expr_number(struct parse *ps, struct loc loc, const char *text);
struct expr *expr_char(struct parse *ps, struct loc loc, const char *text);
struct expr *expr_string(struct parse *ps, struct loc loc, const char *text);
struct expr *expr_name(struct loc loc, char *name);
struct expr *expr_arg(struct loc loc, char *name);
struct expr *expr_unary(struct parse *ps, struct loc loc, enum operator op, struct expr *a);
struct expr *expr_binary(struct parse *ps, struct loc loc, enum operator op, struct expr *a, struct expr *b);
struct expr *expr_ternary(struct parse *ps, struct loc loc, struct expr *a, struct expr *b, struct expr *c);
struct expr *expr_member(struct parse *ps, struct loc loc, struct expr *of, char *name, struct loc name_loc, bool arrow);
struct expr *expr_index(struct parse *ps, struct loc loc, struct expr *of, struct expr *index);
struct expr *expr_cast(struct parse *ps, struct loc loc, struct type_name *type, struct expr *of);
struct expr *expr_call(struct parse *ps, struct loc loc, char *name, struct loc name_loc, struct expr *args);
struct expr *expr_list(struct expr *list, struct expr *e);
void expr_free(struct expr *list);

struct type_name *type_new(struct loc loc, enum type_kind kind, char *name);
struct type_name *type_word(struct loc loc, struct type_name *type, char *word);
struct type_name *type_star(struct loc loc, struct type_name *type);
void type_free(struct type_name *type);

struct point *point_new(struct parse *ps, struct loc loc, const char *text);
/* What `watch` is followed by: a variable, with or without "watch:". */
struct point *point_watched(struct parse *ps, struct loc loc, const char *text);
struct point *point_list(struct point *list, struct point *p);
void point_free(struct point *list);

struct word *word_new(struct loc loc, char *text);
struct word *word_list(struct word *list, struct word *w);
void word_free(struct word *list);

struct option *option_exprs(struct loc loc, struct loc word_loc, enum option_kind kind, struct expr *exprs);
struct option *option_words(struct loc loc, struct loc word_loc, enum option_kind kind, struct word *words);
struct option *option_list(struct option *list, struct option *o);
void option_free(struct option *list);

struct place *place_new(struct loc loc, enum place_role role, struct point *points, struct option *options);
struct place *place_list(struct place *list, struct place *p);
void place_free(struct place *list);

struct statement *statement_new(struct loc loc, struct loc word_loc, enum statement_kind kind, struct place *places);
struct statement *statement_value(struct loc loc, struct loc word_loc, struct expr *value, struct place *places);
struct statement *statement_word(struct loc loc, struct loc word_loc, enum statement_kind kind, struct word *word,
				 struct place *places);
struct statement *statement_param(struct loc loc, struct loc word_loc, struct word *name, struct expr *value,
				  struct expr *doc);
void statement_free(struct statement *list);

void script_add(struct parse *ps, struct statement *statement);
void script_free(struct script *script);

/* The tree as indented text, places left out (ast_dump.c). */
void script_dump(const struct script *script, FILE *to);

/* Parse one source into @script; what is wrong is in @diag (parse.c). */
void parse_source(struct script *script, struct diag *diag, const struct source *source, unsigned int index);

/* What may follow @text; nothing, where it is wrong as it is, or ends in a comment (parse.c). */
void parse_expect(const char *text, size_t length, struct parse_expected *out);

#endif /* KM_AST_H */
