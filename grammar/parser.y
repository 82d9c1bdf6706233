/* SPDX-License-Identifier: GPL-2.0 */
/*
 * parser.y: the grammar of DESIGN's language. Every action is a constructor of ast.h; what names mean is resolve's
 * business. LANGUAGE.md is the reference for people.
 */
%require "3.8"
%define api.pure full
%define api.prefix {km_}
%define api.token.prefix {TOK_}
%define api.location.type {struct loc}
%define parse.error custom
%define parse.lac full
%locations
%expect 0

%param { void *scanner }
%parse-param { struct parse *ps }

%code requires {
#include "compiler/ast.h"
}

%code {
#include <string.h>

/* Parentheses and lists nest at most this deep; beyond it the parser gives up with a message of its own. */
#define YYMAXDEPTH 4000

#define YYLLOC_DEFAULT(now, rhs, n) do {				\
	if (n)								\
		(now) = (struct loc){ YYRHSLOC(rhs, 1).source, YYRHSLOC(rhs, 1).from, YYRHSLOC(rhs, n).to };	\
	else								\
		(now) = (struct loc){ YYRHSLOC(rhs, 0).source, YYRHSLOC(rhs, 0).to, YYRHSLOC(rhs, 0).to };	\
} while (0)

int km_lex(KM_STYPE *value, KM_LTYPE *loc, void *scanner);
static void km_error(const struct loc *loc, void *scanner, struct parse *ps, const char *message);

/* Constructors from a token's text, which they only read. */
static struct expr *taken(struct expr *(*make)(struct parse *, struct loc, const char *), struct parse *ps,
			  struct loc loc, char *text);
static struct point *taken_point(struct point *(*make)(struct parse *, struct loc, const char *), struct parse *ps,
				 struct loc loc, char *text);
}

%union {
	char *str;
	struct expr *expr;
	struct type_name *type;
	struct point *point;
	struct word *word;
	struct option *option;
	struct place *place;
	struct statement *statement;
}

%token MEASURE "measure" COUNT "count" WATCH "watch" PROFILE "profile" PARAM "param"
%token FROM "from" TO "to" AT "at" VALUE "value" BETWEEN "between" OR "or"
%token OF "of" KEY "key" IF "if" BY "by" BITS "bits" RANGE "range" NAMED "name" UNIT "unit" CLOCK "clock"
%token ENTRIES "entries" TOP "top" NESTING "nesting" FIRST "first" ONCPU "oncpu" BLOCKED "blocked" VIA "via"
%token STRUCT "struct" UNION "union" ENUM "enum"
%token ARROW "->" DOTDOT ".." SHL "<<" SHR ">>" LE "<=" GE ">=" EQ "==" NE "!=" BOTH "&&" EITHER "||"
%token <str> POINT "a point" NAME "a name" IDENT "a word" ARG "$name" TYPEWORD "a type" NUMBER "a number"
%token <str> STRING "a quoted text" CHAR "a character"
%token NOWHERE "the end of what is typed"	/* in no rule: the lexer's last word where ps->expected asks what may follow */

%type <expr> expr exprs exprs_opt unary postfix primary number range string
%type <type> type type_words
%type <point> points point watched variable
%type <word> words name mode
%type <option> option options
%type <place> place_only pair_places pair_place at_places at_place
%type <statement> statement

%destructor { free($$); } <str>
%destructor { expr_free($$); } <expr>
%destructor { type_free($$); } <type>
%destructor { point_free($$); } <point>
%destructor { word_free($$); } <word>
%destructor { option_free($$); } <option>
%destructor { place_free($$); } <place>
%destructor { statement_free($$); } <statement>

%right '?' ':'
%left "||"
%left "&&"
%left '|'
%left '^'
%left '&'
%left "==" "!="
%left '<' '>' "<=" ">="
%left "<<" ">>"
%left '+' '-'
%left '*' '/' '%'

%%

script
: %empty
| script statement				{ script_add(ps, $2); }
| script ';'
| script error
;

statement
: measure place_only				{ $$ = statement_new(@$, @1, STATEMENT_MEASURE, $2); }
| measure pair_places			{ $$ = statement_new(@$, @1, STATEMENT_PAIR, $2); }
| measure "value" expr at_places		{ $$ = statement_value(@$, @1, $3, $4); }
| measure "between" place_only			{ $$ = statement_new(@$, @1, STATEMENT_BETWEEN, $3); }
| count place_only				{ $$ = statement_new(@$, @1, STATEMENT_COUNT, $2); }
| watch watched mode options			{ $$ = statement_word(@$, @1, STATEMENT_WATCH, $3, place_new(@2, PLACE_ONLY, $2, $4)); }
| profile points mode options			{ $$ = statement_word(@$, @1, STATEMENT_PROFILE, $3, place_new(@2, PLACE_ONLY, $2, $4)); }
| param name '=' number string			{ $$ = statement_param(@$, @1, $2, $4, $5); }
| param name '=' string string			{ $$ = statement_param(@$, @1, $2, $4, $5); }
;

/* A statement's keyword ends what an error began: from here on errors are told again. */
measure: "measure"				{ yyerrok; } ;
count: "count"					{ yyerrok; } ;
watch: "watch"					{ yyerrok; } ;
profile: "profile"				{ yyerrok; } ;
param: "param"					{ yyerrok; } ;

mode
: %empty					{ $$ = NULL; }
| IDENT						{ $$ = word_new(@$, $1); }
;

/* ---- places and points ---- */

place_only
: points options				{ $$ = place_new(@$, PLACE_ONLY, $1, $2); }
;

pair_places
: pair_place					{ $$ = $1; }
| pair_places pair_place			{ $$ = place_list($1, $2); }
;

pair_place
: "from" points options				{ $$ = place_new(@$, PLACE_FROM, $2, $3); }
| "to" points options				{ $$ = place_new(@$, PLACE_TO, $2, $3); }
;

at_places
: at_place					{ $$ = $1; }
| at_places at_place				{ $$ = place_list($1, $2); }
;

at_place
: "at" points options				{ $$ = place_new(@$, PLACE_AT, $2, $3); }
;

points
: point						{ $$ = $1; }
| points "or" point				{ $$ = point_list($1, $3); }
;

point
: POINT						{ $$ = taken_point(point_new, ps, @1, $1); }
;

watched
: variable					{ $$ = $1; }
| watched "or" variable				{ $$ = point_list($1, $3); }
;

variable
: POINT						{ $$ = taken_point(point_watched, ps, @1, $1); }
;

/* ---- options ---- */

options
: %empty					{ $$ = NULL; }
| options option				{ $$ = option_list($1, $2); }
;

option
: "key" exprs					{ $$ = option_exprs(@$, @1, OPTION_KEY, $2); }
| "if" expr					{ $$ = option_exprs(@$, @1, OPTION_IF, $2); }
| "by" exprs					{ $$ = option_exprs(@$, @1, OPTION_BY, $2); }
| "bits" number					{ $$ = option_exprs(@$, @1, OPTION_BITS, $2); }
| "range" range					{ $$ = option_exprs(@$, @1, OPTION_RANGE, $2); }
| "name" string					{ $$ = option_exprs(@$, @1, OPTION_NAME, $2); }
| "entries" number				{ $$ = option_exprs(@$, @1, OPTION_ENTRIES, $2); }
| "top" number					{ $$ = option_exprs(@$, @1, OPTION_TOP, $2); }
| "first"					{ $$ = option_exprs(@$, @1, OPTION_FIRST, NULL); }
| "oncpu"					{ $$ = option_exprs(@$, @1, OPTION_ONCPU, NULL); }
| "blocked"					{ $$ = option_exprs(@$, @1, OPTION_BLOCKED, NULL); }
| "of" POINT					{ $$ = option_words(@$, @1, OPTION_OF, word_new(@2, $2)); }
| "unit" name					{ $$ = option_words(@$, @1, OPTION_UNIT, $2); }
| "clock" name					{ $$ = option_words(@$, @1, OPTION_CLOCK, $2); }
| "nesting" name				{ $$ = option_words(@$, @1, OPTION_NESTING, $2); }
| "via" words					{ $$ = option_words(@$, @1, OPTION_VIA, $2); }
;

words
: name						{ $$ = $1; }
| words '|' IDENT				{ $$ = word_list($1, word_new(@3, $3)); }
;

name
: NAME						{ $$ = word_new(@1, $1); }
;

range
: number ".." number				{ $$ = expr_list($1, $3); }
;

number
: NUMBER					{ $$ = taken(expr_number, ps, @1, $1); }
| '-' NUMBER					{ $$ = expr_unary(ps, @$, OP_NEGATE, taken(expr_number, ps, @2, $2)); }
| IDENT						{ $$ = expr_name(@1, $1); }
;

string
: STRING					{ $$ = taken(expr_string, ps, @1, $1); }
;

/* ---- expressions ---- */

exprs
: expr						{ $$ = $1; }
| exprs ',' expr				{ $$ = expr_list($1, $3); }
;

exprs_opt
: %empty					{ $$ = NULL; }
| exprs						{ $$ = $1; }
;

expr
: unary						{ $$ = $1; }
| expr '?' expr ':' expr			{ $$ = expr_ternary(ps, @$, $1, $3, $5); }
| expr "||" expr				{ $$ = expr_binary(ps, @$, OP_EITHER, $1, $3); }
| expr "&&" expr				{ $$ = expr_binary(ps, @$, OP_BOTH, $1, $3); }
| expr '|' expr					{ $$ = expr_binary(ps, @$, OP_OR, $1, $3); }
| expr '^' expr					{ $$ = expr_binary(ps, @$, OP_XOR, $1, $3); }
| expr '&' expr					{ $$ = expr_binary(ps, @$, OP_AND, $1, $3); }
| expr "==" expr				{ $$ = expr_binary(ps, @$, OP_EQ, $1, $3); }
| expr "!=" expr				{ $$ = expr_binary(ps, @$, OP_NE, $1, $3); }
| expr '<' expr					{ $$ = expr_binary(ps, @$, OP_LT, $1, $3); }
| expr '>' expr					{ $$ = expr_binary(ps, @$, OP_GT, $1, $3); }
| expr "<=" expr				{ $$ = expr_binary(ps, @$, OP_LE, $1, $3); }
| expr ">=" expr				{ $$ = expr_binary(ps, @$, OP_GE, $1, $3); }
| expr "<<" expr				{ $$ = expr_binary(ps, @$, OP_SHL, $1, $3); }
| expr ">>" expr				{ $$ = expr_binary(ps, @$, OP_SHR, $1, $3); }
| expr '+' expr					{ $$ = expr_binary(ps, @$, OP_ADD, $1, $3); }
| expr '-' expr					{ $$ = expr_binary(ps, @$, OP_SUB, $1, $3); }
| expr '*' expr					{ $$ = expr_binary(ps, @$, OP_MUL, $1, $3); }
| expr '/' expr					{ $$ = expr_binary(ps, @$, OP_DIV, $1, $3); }
| expr '%' expr					{ $$ = expr_binary(ps, @$, OP_MOD, $1, $3); }
;

unary
: postfix					{ $$ = $1; }
| '-' unary					{ $$ = expr_unary(ps, @$, OP_NEGATE, $2); }
| '+' unary					{ $$ = expr_unary(ps, @$, OP_PLUS, $2); }
| '!' unary					{ $$ = expr_unary(ps, @$, OP_NOT, $2); }
| '~' unary					{ $$ = expr_unary(ps, @$, OP_INVERT, $2); }
| '*' unary					{ $$ = expr_unary(ps, @$, OP_DEREFERENCE, $2); }
| '&' unary					{ $$ = expr_unary(ps, @$, OP_ADDRESS, $2); }
| '(' type ')' unary				{ $$ = expr_cast(ps, @$, $2, $4); }
;

postfix
: primary					{ $$ = $1; }
| postfix "->" NAME				{ $$ = expr_member(ps, @$, $1, $3, @3, true); }
| postfix '.' NAME				{ $$ = expr_member(ps, @$, $1, $3, @3, false); }
| postfix '[' expr ']'				{ $$ = expr_index(ps, @$, $1, $3); }
;

primary
: NUMBER					{ $$ = taken(expr_number, ps, @1, $1); }
| CHAR						{ $$ = taken(expr_char, ps, @1, $1); }
| STRING					{ $$ = taken(expr_string, ps, @1, $1); }
| IDENT						{ $$ = expr_name(@1, $1); }
| IDENT '(' exprs_opt ')'			{ $$ = expr_call(ps, @$, $1, @1, $3); }
| ARG						{ $$ = expr_arg(@1, $1); }
| '(' expr ')'					{ $$ = $2; }
;

type
: type_words					{ $$ = $1; }
| "struct" NAME					{ $$ = type_new(@$, TYPE_STRUCT, $2); }
| "union" NAME					{ $$ = type_new(@$, TYPE_UNION, $2); }
| "enum" NAME					{ $$ = type_new(@$, TYPE_ENUM, $2); }
| type '*'					{ $$ = type_star(@$, $1); }
;

type_words
: TYPEWORD					{ $$ = type_new(@$, TYPE_WORDS, $1); }
| type_words TYPEWORD				{ $$ = type_word(@$, $1, $2); }
;

%%

static struct expr *taken(struct expr *(*make)(struct parse *, struct loc, const char *), struct parse *ps,
			  struct loc loc, char *text)
{
	struct expr *e = make(ps, loc, text);

	free(text);
	return e;
}

static struct point *taken_point(struct point *(*make)(struct parse *, struct loc, const char *), struct parse *ps,
				 struct loc loc, char *text)
{
	struct point *p = make(ps, loc, text);

	free(text);
	return p;
}

/* Only for "memory exhausted": the stack's limit. The lexer has read just beyond @loc. */
static void km_error(const struct loc *loc, void *scanner, struct parse *ps, const char *message)
{
	diag_error(ps->diag, *loc, "too-deep", "this is nested too deeply");
}

/* ---- what was expected, in the users' words ---- */

#define WORDS_MAX	80

struct expected {
	bool operand, operator, statement, option, number;
	bool has[YYNTOKENS];
};

static bool is_statement(int kind)
{
	return kind >= YYSYMBOL_MEASURE && kind <= YYSYMBOL_PARAM;
}

static bool is_option(int kind)
{
	return kind >= YYSYMBOL_OF && kind <= YYSYMBOL_VIA;
}

static bool is_keyword(int kind)
{
	return kind >= YYSYMBOL_MEASURE && kind <= YYSYMBOL_ENUM;
}

/* Signs that stand for themselves; all other signs are operators. */
static bool is_punctuation(const char *name)
{
	return name[0] == '\'' ? strchr(");:],=", name[1]) != NULL : strcmp(name, "..") == 0;
}

static void learn(struct expected *e, const yypcontext_t *context)
{
	yysymbol_kind_t kinds[YYNTOKENS];
	int n = yypcontext_expected_tokens(context, kinds, YYNTOKENS);

	for (int i = 0; i < n; i++) {
		const char *name = yysymbol_name(kinds[i]);

		e->has[kinds[i]] = true;
		e->statement |= is_statement(kinds[i]);
		e->option |= is_option(kinds[i]);
		/* `!` begins operands only, and every operand may begin with it; `&&` follows them only. */
		e->operand |= strcmp(name, "'!'") == 0;
		e->operator |= kinds[i] == YYSYMBOL_BOTH;
		e->number |= kinds[i] == YYSYMBOL_NUMBER;
	}
}

/* "A, B or C" */
static void say(struct text *t, const char *word)
{
	text_printf(t, "%s%s", t->length ? ", " : "", word);
}

static char *say_or(struct text *t)
{
	char *s = text_take(t), *in_brackets = strchr(s, '('), *comma = NULL, *with_or;

	for (char *at = strstr(s, ", "); at && (!in_brackets || at < in_brackets); at = strstr(at + 1, ", "))
		comma = at;
	for (char *at = in_brackets ? strstr(in_brackets, "), ") : NULL; at; at = NULL)
		comma = at + 1;
	if (!comma)
		return s;
	with_or = mem_printf("%.*s or %s", (int)(comma - s), s, comma + 2);
	free(s);
	return with_or;
}

static void say_expected(const struct expected *e, struct text *t)
{
	if (e->operand)
		say(t, "an expression");
	else if (e->number)
		say(t, "a number");
	if (e->operator)
		say(t, "an operator");
	for (int kind = YYSYMBOL_YYUNDEF + 1; kind < YYNTOKENS; kind++) {
		const char *name = yysymbol_name(kind);

		if (!e->has[kind] || is_statement(kind) || is_option(kind))
			continue;
		if (kind >= YYSYMBOL_IDENT && kind <= YYSYMBOL_CHAR && (e->operand || e->number))
			continue;
		if (name[0] == '\'' && strchr(";", name[1]))
			continue;
		if (is_keyword(kind) && !(e->operand && kind >= YYSYMBOL_STRUCT))
			text_printf(t, "%s`%s`", t->length ? ", " : "", name);
		else if (kind >= YYSYMBOL_POINT && kind <= YYSYMBOL_CHAR)
			say(t, name);
		else if (is_punctuation(name))
			text_printf(t, "%s'%.*s'", t->length ? ", " : "", (int)strcspn(name + (name[0] == '\''), "'"),
				    name + (name[0] == '\''));
	}
	if (e->option) {
		const char *before = "";

		say(t, "an option (");
		for (int kind = YYSYMBOL_OF; kind <= YYSYMBOL_VIA; kind++) {
			if (e->has[kind]) {
				text_printf(t, "%s%s", before, yysymbol_name(kind));
				before = " ";
			}
		}
		text_string(t, ")");
	}
	if (e->statement)
		say(t, e->has[YYSYMBOL_YYEOF] && e->option ? "the next statement" :
		       "a statement (measure count watch profile param)");
}

/* A word that is nearly a keyword which would have been right. */
static void say_near(const struct expected *e, struct parse *ps, struct loc loc)
{
	char *word = mem_copy(ps->text + loc.from, loc.to - loc.from);
	struct near near;

	near_begin(&near, word);
	for (int kind = YYSYMBOL_MEASURE; kind <= YYSYMBOL_VIA; kind++)
		if (e->has[kind])
			near_offer(&near, yysymbol_name(kind), strlen(yysymbol_name(kind)));
	diag_near(ps->diag, &near);
	free(word);
}

/* What stands before @at, blanks left out: its end. */
static size_t before(const struct parse *ps, size_t at)
{
	while (at && strchr(" \t\n", ps->text[at - 1]))
		at--;
	return at;
}

static bool is_letter(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* The word that ends at @at. */
static size_t word_from(const struct parse *ps, size_t at)
{
	while (at && is_letter(ps->text[at - 1]))
		at--;
	return at;
}

/* `10 us`: the unit of the number before it. */
static bool say_unit(struct parse *ps, struct loc loc)
{
	static const char *const units[] = { "ns", "us", "ms", "s", "min", "h", "K", "M", "G", "T", NULL };
	size_t to = before(ps, loc.from), from = word_from(ps, to);

	for (unsigned int i = 0; units[i]; i++) {
		if (strlen(units[i]) != loc.to - loc.from || strncmp(units[i], ps->text + loc.from, loc.to - loc.from) != 0)
			continue;
		if (from == to || to == loc.from || ps->text[from] < '0' || ps->text[from] > '9')
			return false;
		diag_help(ps->diag, "a number and its unit are one word: %.*s%s", (int)(to - from), ps->text + from, units[i]);
		return true;
	}
	return false;
}

/* `(task_struct *)`: the parenthesis behind stars, a word and a parenthesis. */
static void say_cast(struct parse *ps, struct loc loc)
{
	size_t at = before(ps, loc.from), to, from;
	unsigned int stars = 0;

	for (; at && ps->text[at - 1] == '*'; at = before(ps, at - 1))
		stars++;
	to = at;
	from = word_from(ps, to);
	at = before(ps, from);
	if (stars && stars < 4 && from < to && at && ps->text[at - 1] == '(')
		diag_help(ps->diag, "to cast, say what kind of type it is: (struct %.*s %.*s)", (int)(to - from), ps->text + from,
			  (int)stars, "***");
}

/* How SQL and others begin a condition. */
static bool is_where(const struct parse *ps, struct loc loc)
{
	size_t n = loc.to - loc.from;

	return (n == 5 && strncmp(ps->text + loc.from, "where", 5) == 0) ||
	       (n == 4 && strncmp(ps->text + loc.from, "when", 4) == 0);
}

/* For suggest.c: at the end of an unfinished script. */
static void tell_expected(const struct expected *e, struct parse_expected *to)
{
	size_t n = 0;

	for (int kind = YYSYMBOL_MEASURE; kind <= YYSYMBOL_ENUM && n < PARSE_KEYWORDS_MAX; kind++)
		if (e->has[kind] && !(e->operand && kind >= YYSYMBOL_STRUCT))
			to->keywords[n++] = yysymbol_name(kind);
	to->point = e->has[YYSYMBOL_POINT];
	to->name = e->has[YYSYMBOL_NAME];
	to->operand = e->operand;
	to->word = e->has[YYSYMBOL_IDENT] && !e->operand && !e->number;
}

static int yyreport_syntax_error(const yypcontext_t *context, void *scanner, struct parse *ps)
{
	yysymbol_kind_t kind = yypcontext_token(context);
	struct loc loc = *yypcontext_location(context);
	struct expected e = {};
	struct text list = {};
	unsigned int length = loc.to - loc.from;
	char *words;

	learn(&e, context);
	if (kind == YYSYMBOL_NOWHERE) {
		tell_expected(&e, ps->expected);
		return 0;
	}
	say_expected(&e, &list);
	words = say_or(&list);
	if (kind == YYSYMBOL_YYEOF || kind == YYSYMBOL_YYEMPTY)
		diag_error(ps->diag, loc, "syntax", "the script ends too early: expected %s", words);
	else
		diag_error(ps->diag, loc, "syntax", "expected %s, not '%.*s'%s", words,
			   (int)(length > WORDS_MAX ? WORDS_MAX : length), ps->text + loc.from,
			   length > WORDS_MAX ? "..." : "");
	if (strcmp(yysymbol_name(kind), "'='") == 0 && e.operator)
		diag_help(ps->diag, "to compare, write ==");
	if (kind == YYSYMBOL_IDENT && e.has[YYSYMBOL_IF] && is_where(ps, loc))
		diag_help(ps->diag, "a condition begins with if");
	else if (kind == YYSYMBOL_IDENT && !(e.operator && say_unit(ps, loc)))
		say_near(&e, ps, loc);
	if (strcmp(yysymbol_name(kind), "')'") == 0 && e.operand)
		say_cast(ps, loc);
	if (kind == YYSYMBOL_ARROW && e.operand)
		diag_help(ps->diag, "did the shell take a $name before it? Quote the script with '...'");
	if (e.has[YYSYMBOL_POINT] && is_keyword(kind))
		diag_help(ps->diag, "'%s' is a word of the language; as a name it stands in quotes", yysymbol_name(kind));
	free(words);
	return 0;
}
