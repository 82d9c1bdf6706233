// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_expr.c: types of expressions, C's conversions, constant folding; and the split of an `if` between the entry of a
 * call and its return.
 *
 * What differs from C is what C leaves undefined: signed arithmetic wraps, a shift by the width or more gives 0, and
 * division by zero or of the minimum by -1 is a fault of that one sample (of constants: an error).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

static bool is_signed(enum plan_type type)
{
	return type == PLAN_S32 || type == PLAN_S64;
}

static unsigned int width(enum plan_type type)
{
	return type == PLAN_S32 || type == PLAN_U32 ? 32 : 64;
}

/* @v as a value of @type, extended to 64 bits. */
static uint64_t as(enum plan_type type, uint64_t v)
{
	return type == PLAN_S32 ? (uint64_t)(int64_t)(int32_t)v : type == PLAN_U32 ? (uint32_t)v : v;
}

/* C's usual arithmetic conversions. */
static enum plan_type common(enum plan_type a, enum plan_type b)
{
	if (a == PLAN_U64 || b == PLAN_U64)
		return PLAN_U64;
	if (a == PLAN_S64 || b == PLAN_S64)
		return PLAN_S64;
	return a == PLAN_U32 || b == PLAN_U32 ? PLAN_U32 : PLAN_S32;
}

static struct plan_expr *node(enum plan_expr_kind kind, enum plan_type type)
{
	struct plan_expr *e = mem_zero(1, sizeof(*e));

	e->kind = kind;
	e->type = type;
	e->depth = 1;
	return e;
}

static struct plan_expr *constant(enum plan_type type, uint64_t value)
{
	struct plan_expr *e = node(PLAN_CONST, type);

	e->value = as(type, value);
	return e;
}

/* Give @e its parts, and what follows from them. */
static struct plan_expr *with(struct plan_expr *e, enum operator op, struct plan_expr *a, struct plan_expr *b,
			      struct plan_expr *c)
{
	struct plan_expr *parts[] = { a, b, c };

	e->op = op;
	e->a = a;
	e->b = b;
	e->c = c;
	for (unsigned int i = 0; i < 3 && parts[i]; i++) {
		e->has_elapsed |= parts[i]->has_elapsed;
		e->can_fault |= parts[i]->can_fault;
		if (e->depth <= parts[i]->depth)
			e->depth = parts[i]->depth + 1;
	}
	return e;
}

static bool is_const(const struct plan_expr *e)
{
	return e->kind == PLAN_CONST;
}

static struct plan_expr *convert(struct plan_expr *e, enum plan_type type)
{
	if (e->type == type)
		return e;
	if (is_const(e)) {
		e->type = type;
		e->value = as(type, e->value);
		return e;
	}
	return with(node(PLAN_CONVERT, type), 0, e, NULL, NULL);
}

/* ---- leaves ---- */

/* A literal has the first of C's types that holds it. */
static struct plan_expr *number(const struct number *n)
{
	bool plain = !n->is_long && n->unit == NUMBER_PLAIN;
	enum plan_type type;

	if (plain && !n->is_unsigned && n->value <= INT32_MAX)
		type = PLAN_S32;
	else if (plain && (n->is_unsigned || !n->is_decimal) && n->value <= UINT32_MAX)
		type = PLAN_U32;
	else if (!n->is_unsigned && n->value <= INT64_MAX)
		type = PLAN_S64;
	else
		type = PLAN_U64;
	return constant(type, n->value);
}

static const char *const later_builtins[] = { "cgroup", "context", "caller", "stack", NULL };

static struct plan_expr *name(struct resolve *r, const struct expr *e, const struct context *context)
{
	struct near near;

	near_begin(&near, e->name);
	for (unsigned int b = 0; b < PLAN_NBUILTINS; b++) {
		struct plan_expr *p;

		if (strcmp(e->name, plan_builtin_text(b)) != 0) {
			near_offer(&near, plan_builtin_text(b), strlen(plan_builtin_text(b)));
			continue;
		}
		if (b == PLAN_ELAPSED && !context->elapsed) {
			diag_error(r->diag, e->loc, "elapsed", "%s", context->why_not);
			return NULL;
		}
		p = node(PLAN_BUILTIN, plan_builtin_type(b));
		p->builtin = b;
		p->has_elapsed = b == PLAN_ELAPSED;
		return p;
	}
	for (unsigned int i = 0; later_builtins[i]; i++) {
		if (strcmp(e->name, later_builtins[i]) == 0) {
			resolve_not_yet(r, e->loc, "%s", e->name);
			return NULL;
		}
	}
	if (near.count) {
		diag_error(r->diag, e->loc, "unknown-name", "unknown name '%s'", e->name);
		diag_near(r->diag, &near);
	} else {
		resolve_not_yet(r, e->loc, "'%s': parameters, enumerators and global variables", e->name);
		diag_help(r->diag, "built-in are pid tid ppid uid cpu comm elapsed");
	}
	return NULL;
}

/* ---- operators ---- */

static bool is_comparison(enum operator op)
{
	return op >= OP_LT && op <= OP_NE;
}

/* Both of one type. */
static bool compare(enum operator op, enum plan_type type, uint64_t a, uint64_t b)
{
	int order = is_signed(type) ? ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b) : (a > b) - (a < b);

	switch (op) {
	case OP_LT: return order < 0;
	case OP_GT: return order > 0;
	case OP_LE: return order <= 0;
	case OP_GE: return order >= 0;
	case OP_EQ: return order == 0;
	default:    return order != 0;
	}
}

/* What of a division of constants would be a fault. */
static const char *division_fault(enum plan_type type, uint64_t a, uint64_t b)
{
	if (!b)
		return "division by zero";
	if (is_signed(type) && b == UINT64_MAX && a == as(type, 1ULL << (width(type) - 1)))
		return "this division overflows";
	return NULL;
}

static uint64_t calculate(enum operator op, enum plan_type type, uint64_t a, uint64_t b)
{
	bool sign = is_signed(type);

	switch (op) {
	case OP_MUL: return a * b;
	case OP_DIV: return sign ? (uint64_t)((int64_t)a / (int64_t)b) : a / b;
	case OP_MOD: return sign ? (uint64_t)((int64_t)a % (int64_t)b) : a % b;
	case OP_ADD: return a + b;
	case OP_SUB: return a - b;
	case OP_SHL: return b >= width(type) ? 0 : a << b;
	case OP_SHR: return b >= width(type) ? 0 : sign ? (uint64_t)((int64_t)a >> b) : a >> b;
	case OP_AND: return a & b;
	case OP_XOR: return a ^ b;
	default:     return a | b;
	}
}

/* An unsigned number is never negative: what C would do silently is said. */
static void warn_sign(struct resolve *r, const struct expr *e, const struct plan_expr *a, enum plan_type type)
{
	if (is_const(a) && is_signed(a->type) && (int64_t)a->value < 0 && !is_signed(type)) {
		diag_warn(r->diag, e->loc, "sign", "compared with an unsigned number, %" PRId64 " is %" PRIu64,
			  (int64_t)a->value, as(type, a->value));
	}
}

static struct plan_expr *divide(struct resolve *r, const struct expr *e, struct plan_expr *a, struct plan_expr *b,
				enum plan_type type)
{
	struct plan_expr *p;

	if (is_const(b)) {
		const char *fault = division_fault(type, is_const(a) ? a->value : 1, b->value);

		if (fault) {
			diag_error(r->diag, e->loc, "division", "%s", fault);
			plan_expr_free(a);
			plan_expr_free(b);
			return NULL;
		}
	}
	p = with(node(PLAN_BINARY, type), e->op.op, a, b, NULL);
	if (!is_const(b) || (is_signed(type) && b->value == UINT64_MAX))
		p->can_fault = true;
	return p;
}

/* Replace an operator on constants by what it gives. */
static struct plan_expr *fold(struct plan_expr *p)
{
	struct plan_expr *a = p->a, *b = p->b;
	uint64_t value;

	if (p->kind == PLAN_BINARY && is_comparison(p->op) && !p->can_fault && plan_expr_equal(a, b))
		value = compare(p->op, PLAN_S32, 0, 0);
	else if (!is_const(a) || (b && !is_const(b)))
		return p;
	else if (p->kind == PLAN_UNARY)
		value = p->op == OP_NEGATE ? -a->value : p->op == OP_INVERT ? ~a->value : !a->value;
	else if (is_comparison(p->op))
		value = compare(p->op, a->type, a->value, b->value);
	else if (p->op == OP_BOTH)
		value = a->value && b->value;
	else if (p->op == OP_EITHER)
		value = a->value || b->value;
	else
		value = calculate(p->op, p->type, a->value, b->value);
	a = constant(p->type, value);
	plan_expr_free(p);
	return a;
}

/* comm == "text", comm != "text" */
static struct plan_expr *compare_comm(struct resolve *r, const struct expr *e)
{
	const struct expr *a = e->op.a, *b = e->op.b, *text = a->kind == EXPR_STRING ? a : b, *other = text == a ? b : a;
	struct plan_expr *p;

	if (text->kind != EXPR_STRING || other->kind != EXPR_NAME || strcmp(other->name, "comm") != 0 ||
	    (e->op.op != OP_EQ && e->op.op != OP_NE)) {
		diag_error(r->diag, e->loc, "comm", "comm is compared by == or != with a text in quotes, as in comm == "
			   "\"bash\"");
		return NULL;
	}
	if (text->string.length >= sizeof(p->comm.text)) {
		diag_error(r->diag, text->loc, "comm", "this text has %zu bytes; the kernel keeps the first %zu of a name",
			   text->string.length, sizeof(p->comm.text) - 1);
		return NULL;
	}
	p = node(PLAN_COMM_IS, PLAN_S32);
	memcpy(p->comm.text, text->string.bytes, text->string.length);
	memcpy(p->comm.words, p->comm.text, sizeof(p->comm.words));
	p->comm.negated = e->op.op == OP_NE;
	return p;
}

static bool mentions_text(const struct expr *e)
{
	return e->kind == EXPR_STRING || (e->kind == EXPR_NAME && strcmp(e->name, "comm") == 0);
}

static struct plan_expr *binary(struct resolve *r, const struct expr *e, const struct context *context)
{
	enum operator op = e->op.op;
	struct plan_expr *a, *b, *p;
	enum plan_type type;

	if (is_comparison(op) && (mentions_text(e->op.a) || mentions_text(e->op.b)))
		return compare_comm(r, e);
	a = resolve_expr(r, e->op.a, context);
	b = resolve_expr(r, e->op.b, context);
	if (!a || !b) {
		plan_expr_free(a);
		plan_expr_free(b);
		return NULL;
	}
	type = common(a->type, b->type);
	if (op == OP_BOTH || op == OP_EITHER)
		return fold(with(node(PLAN_BINARY, PLAN_S32), op, a, b, NULL));
	if (op == OP_SHL || op == OP_SHR) {
		/* A negative count is a huge one. */
		p = with(node(PLAN_BINARY, a->type), op, a, b, NULL);
		return fold(p);
	}
	if (is_comparison(op)) {
		warn_sign(r, e->op.a, a, type);
		warn_sign(r, e->op.b, b, type);
		return fold(with(node(PLAN_BINARY, PLAN_S32), op, convert(a, type), convert(b, type), NULL));
	}
	if (op == OP_DIV || op == OP_MOD) {
		p = divide(r, e, convert(a, type), convert(b, type), type);
		return p ? fold(p) : NULL;
	}
	return fold(with(node(PLAN_BINARY, type), op, convert(a, type), convert(b, type), NULL));
}

static struct plan_expr *unary(struct resolve *r, const struct expr *e, const struct context *context)
{
	struct plan_expr *a = resolve_expr(r, e->op.a, context);

	if (!a)
		return NULL;
	switch (e->op.op) {
	case OP_PLUS:
		return a;
	case OP_NOT:
		return fold(with(node(PLAN_UNARY, PLAN_S32), OP_NOT, a, NULL, NULL));
	case OP_NEGATE:
	case OP_INVERT:
		return fold(with(node(PLAN_UNARY, a->type), e->op.op, a, NULL, NULL));
	default:
		plan_expr_free(a);
		resolve_not_yet(r, e->loc, "pointers and addresses (%s)", operator_text(e->op.op));
		return NULL;
	}
}

static struct plan_expr *ternary(struct resolve *r, const struct expr *e, const struct context *context)
{
	struct plan_expr *a = resolve_expr(r, e->op.a, context);
	struct plan_expr *b = resolve_expr(r, e->op.b, context);
	struct plan_expr *c = resolve_expr(r, e->op.c, context);
	struct plan_expr *chosen;
	enum plan_type type;

	if (!a || !b || !c) {
		plan_expr_free(a);
		plan_expr_free(b);
		plan_expr_free(c);
		return NULL;
	}
	type = common(b->type, c->type);
	b = convert(b, type);
	c = convert(c, type);
	if (!is_const(a))
		return with(node(PLAN_TERNARY, type), 0, a, b, c);
	chosen = a->value ? b : c;
	plan_expr_free(a->value ? c : b);
	plan_expr_free(a);
	return chosen;
}

static void call(struct resolve *r, const struct expr *e)
{
	static const char *const known[] = { "ntohs", "ntohl", "IS_ERR", "PTR_ERR", NULL };
	struct near near;

	near_begin(&near, e->call.name);
	for (unsigned int i = 0; known[i]; i++) {
		if (strcmp(known[i], e->call.name) == 0) {
			resolve_not_yet(r, e->call.name_loc, "%s()", e->call.name);
			return;
		}
		near_offer(&near, known[i], strlen(known[i]));
	}
	diag_error(r->diag, e->call.name_loc, "unknown-name", "'%s' cannot be called: a script calls only ntohs, ntohl, "
		   "IS_ERR and PTR_ERR", e->call.name);
	diag_near(r->diag, &near);
}

struct plan_expr *resolve_expr(struct resolve *r, const struct expr *e, const struct context *context)
{
	struct plan_expr *p;

	switch (e->kind) {
	case EXPR_NUMBER:
		return number(&e->number);
	case EXPR_STRING:
		diag_error(r->diag, e->loc, "comm", "a text can only be compared with comm");
		return NULL;
	case EXPR_NAME:
		p = name(r, e, context);
		if (p && p->type == PLAN_STRING) {
			diag_error(r->diag, e->loc, "comm", "comm is no number: it is compared with == or != and a text in "
				   "quotes");
			plan_expr_free(p);
			return NULL;
		}
		return p;
	case EXPR_ARG:
		resolve_not_yet(r, e->loc, "$%s: arguments and variables of the measured code", e->name);
		return NULL;
	case EXPR_UNARY:
		return unary(r, e, context);
	case EXPR_BINARY:
		return binary(r, e, context);
	case EXPR_TERNARY:
		return ternary(r, e, context);
	case EXPR_MEMBER:
		resolve_not_yet(r, e->member.name_loc, "fields of structures (%s)", e->member.name);
		return NULL;
	case EXPR_INDEX:
		resolve_not_yet(r, e->loc, "elements of arrays");
		return NULL;
	case EXPR_CAST:
		resolve_not_yet(r, e->cast.type->loc, "casts (%s)", e->cast.type->name);
		return NULL;
	case EXPR_CALL:
		call(r, e);
		return NULL;
	case EXPR_BAD:
		break;
	}
	return NULL;
}

struct plan_expr *resolve_condition(struct resolve *r, const struct expr *e, const struct context *context)
{
	struct plan_expr *p = resolve_expr(r, e, context);

	if (p && is_const(p))
		diag_warn(r->diag, e->loc, "constant", "this is always %s", p->value ? "true" : "false");
	return p;
}

bool resolve_number(struct resolve *r, const struct expr *e, const char *what, uint64_t low, uint64_t high,
		    unsigned int *number_out)
{
	bool negative = e->kind == EXPR_UNARY;
	const struct expr *n = negative ? e->op.a : e;

	if (n->kind == EXPR_BAD)
		return false;
	if (n->kind == EXPR_NAME) {
		resolve_not_yet(r, n->loc, "'%s': parameters", n->name);
		return false;
	}
	if (negative || n->number.value < low || n->number.value > high) {
		diag_error(r->diag, e->loc, "out-of-range", "%s is a number from %" PRIu64 " to %" PRIu64, what, low, high);
		return false;
	}
	*number_out = n->number.value;
	return true;
}

/* ---- what is evaluated at a call's entry ---- */

void resolve_store(struct plan_side *side, unsigned int word, struct plan_expr *value)
{
	side->stores = mem_more(side->stores, side->nstores, sizeof(*side->stores));
	side->stores[side->nstores++] = (struct plan_store){ .word = word, .value = value };
}

static void conjoin(struct plan_expr **all, struct plan_expr *e)
{
	*all = *all ? with(node(PLAN_BINARY, PLAN_S32), OP_BOTH, *all, e, NULL) : e;
}

/* Take @e out to the entry: what is left in its place. */
static struct plan_expr *carry(struct plan_expr *e, struct plan_side *early, unsigned int *words)
{
	struct plan_expr *carried = node(PLAN_CARRIED, e->type);

	for (unsigned int i = 0; i < early->nstores; i++) {
		if (plan_expr_equal(early->stores[i].value, e)) {
			carried->index = early->stores[i].word;
			plan_expr_free(e);
			return carried;
		}
	}
	carried->index = (*words)++;
	resolve_store(early, carried->index, e);
	return carried;
}

static struct plan_expr *carry_parts(struct plan_expr *e, struct plan_side *early, unsigned int *words)
{
	if (!e || is_const(e))
		return e;
	if (!e->has_elapsed)
		return carry(e, early, words);
	if (e->kind == PLAN_BUILTIN)
		return e;
	e->a = carry_parts(e->a, early, words);
	e->b = carry_parts(e->b, early, words);
	e->c = carry_parts(e->c, early, words);
	/* A part that can fault does so where it is evaluated. */
	return with(e, e->op, e->a, e->b, e->c);
}

static void split(struct plan_expr *e, struct plan_side *early, struct plan_side *late, unsigned int *words)
{
	if (!e->has_elapsed) {
		conjoin(&early->filter, e);
	} else if (e->kind == PLAN_BINARY && e->op == OP_BOTH) {
		split(e->a, early, late, words);
		split(e->b, early, late, words);
		free(e);
	} else {
		conjoin(&late->filter, carry_parts(e, early, words));
	}
}

bool resolve_split(struct plan_expr *filter, struct plan_side *early, struct plan_side *late, unsigned int *words)
{
	split(filter, early, late, words);
	return *words <= KSTATS_DATA_WORDS;
}
