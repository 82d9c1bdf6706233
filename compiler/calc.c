// SPDX-License-Identifier: GPL-2.0
/* calc.c: C's integer arithmetic, on constants now, on anything else by an expression of the plan. */
#include <stdlib.h>
#include <string.h>

#include "calc.h"

bool calc_is_signed(enum plan_type type)
{
	return type == PLAN_S32 || type == PLAN_S64;
}

unsigned int calc_width(enum plan_type type)
{
	return type == PLAN_S32 || type == PLAN_U32 ? 32 : 64;
}

bool calc_is_number(const struct plan_expr *e)
{
	return e->type <= PLAN_U64;
}

bool calc_is_const(const struct plan_expr *e)
{
	return e->kind == PLAN_CONST;
}

uint64_t calc_as(enum plan_type type, uint64_t v)
{
	return type == PLAN_S32 ? (uint64_t)(int64_t)(int32_t)v : type == PLAN_U32 ? (uint32_t)v : v;
}

enum plan_type calc_common(enum plan_type a, enum plan_type b)
{
	if (a == PLAN_U64 || b == PLAN_U64)
		return PLAN_U64;
	if (a == PLAN_S64 || b == PLAN_S64)
		return PLAN_S64;
	return a == PLAN_U32 || b == PLAN_U32 ? PLAN_U32 : PLAN_S32;
}

enum plan_type calc_promoted(unsigned int size, bool is_signed)
{
	if (size < 4)
		return PLAN_S32;
	if (size == 4)
		return is_signed ? PLAN_S32 : PLAN_U32;
	return is_signed ? PLAN_S64 : PLAN_U64;
}

/* ---- nodes ---- */

static struct plan_expr *node(enum plan_expr_kind kind, enum plan_type type)
{
	struct plan_expr *e = mem_zero(1, sizeof(*e));

	e->kind = kind;
	e->type = type;
	e->words = 1;
	e->depth = 1;
	return e;
}

static bool may_fault_itself(const struct plan_expr *e)
{
	if (e->kind == PLAN_READ || e->kind == PLAN_STRING_AT)
		return true;
	if (e->kind != PLAN_BINARY || (e->op != OP_DIV && e->op != OP_MOD))
		return false;
	return !calc_is_const(e->b) || (calc_is_signed(e->type) && e->b->value == UINT64_MAX);
}

void calc_update(struct plan_expr *e)
{
	struct plan_expr *parts[] = { e->a, e->b, e->c };

	e->depth = 1;
	e->has_elapsed = e->has_return = false;
	e->can_fault = may_fault_itself(e);
	e->reads = e->kind == PLAN_READ || e->kind == PLAN_STRING_AT;
	for (unsigned int i = 0; i < 3 && parts[i]; i++) {
		e->has_elapsed |= parts[i]->has_elapsed;
		e->has_return |= parts[i]->has_return;
		e->can_fault |= parts[i]->can_fault;
		e->reads |= parts[i]->reads;
		if (e->depth <= parts[i]->depth)
			e->depth = parts[i]->depth + 1;
	}
}

static struct plan_expr *with(struct plan_expr *e, enum operator op, struct plan_expr *a, struct plan_expr *b,
			      struct plan_expr *c)
{
	e->op = op;
	e->a = a;
	e->b = b;
	e->c = c;
	calc_update(e);
	return e;
}

struct plan_expr *calc_const(enum plan_type type, uint64_t value)
{
	struct plan_expr *e = node(PLAN_CONST, type);

	e->value = calc_as(type, value);
	return e;
}

/* A literal has the first of C's types that holds it. */
struct plan_expr *calc_number(const struct number *n)
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
	return calc_const(type, n->value);
}

struct plan_expr *calc_text(const char *bytes, size_t length)
{
	struct plan_expr *e = node(PLAN_TEXT, PLAN_STRING);

	if (length > sizeof(e->text) - 1)
		length = sizeof(e->text) - 1;
	memcpy(e->text, bytes, length);
	e->words = KSTATS_STRING_WORDS;
	return e;
}

struct plan_expr *calc_builtin(enum plan_builtin builtin)
{
	struct plan_expr *e = node(PLAN_BUILTIN, plan_builtin_type(builtin));

	e->builtin = builtin;
	e->has_elapsed = e->has_return = builtin == PLAN_ELAPSED;
	e->reads = builtin == PLAN_STACK || builtin == PLAN_CALLER;
	if (builtin == PLAN_COMM)
		e->words = KSTATS_COMM_WORDS;
	else if (builtin == PLAN_STACK)
		e->words = KSTATS_STACK_WORDS;
	return e;
}

struct plan_expr *calc_leaf(enum plan_expr_kind kind, enum plan_type type, uint64_t index)
{
	struct plan_expr *e = node(kind, type);

	if (kind == PLAN_ADDRESS)
		e->value = index;
	else
		e->index = index;
	e->has_return = kind == PLAN_RETURN;
	return e;
}

struct plan_expr *calc_read(struct plan_expr *address, unsigned int size, bool is_signed, bool user)
{
	struct plan_expr *e = node(PLAN_READ, calc_promoted(size, is_signed));

	e->size = size;
	e->is_signed = is_signed;
	e->user = user;
	return with(e, 0, calc_convert(address, PLAN_U64), NULL, NULL);
}

struct plan_expr *calc_string(struct plan_expr *address, unsigned int size, bool user)
{
	struct plan_expr *e = node(PLAN_STRING_AT, PLAN_STRING);

	e->words = size <= 8 * KSTATS_COMM_WORDS ? KSTATS_COMM_WORDS : KSTATS_STRING_WORDS;
	e->size = size < 8 * KSTATS_STRING_WORDS ? size : 8 * KSTATS_STRING_WORDS;
	e->user = user;
	return with(e, 0, calc_convert(address, PLAN_U64), NULL, NULL);
}

struct plan_expr *calc_this_cpu(struct plan_expr *address)
{
	return with(node(PLAN_THIS_CPU, PLAN_U64), 0, address, NULL, NULL);
}

/* ---- conversions ---- */

struct plan_expr *calc_convert(struct plan_expr *e, enum plan_type type)
{
	if (e->type == type)
		return e;
	if (calc_is_const(e)) {
		e->type = type;
		e->value = calc_as(type, e->value);
		return e;
	}
	return with(node(PLAN_CONVERT, type), 0, e, NULL, NULL);
}

static uint64_t narrowed(uint64_t v, unsigned int size, bool is_signed)
{
	unsigned int unused = 64 - 8 * size;

	return is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) : v << unused >> unused;
}

struct plan_expr *calc_narrow(struct plan_expr *e, unsigned int size, bool is_signed)
{
	struct plan_expr *n;

	if (size >= 4)
		return calc_convert(e, calc_promoted(size, is_signed));
	if (calc_is_const(e)) {
		n = calc_const(PLAN_S32, narrowed(e->value, size, is_signed));
		plan_expr_free(e);
		return n;
	}
	/* Read so from the first: nothing is left to do. */
	if ((e->kind == PLAN_READ || e->kind == PLAN_NARROW) && e->size == size && e->is_signed == is_signed)
		return e;
	n = node(PLAN_NARROW, PLAN_S32);
	n->size = size;
	n->is_signed = is_signed;
	return with(n, 0, e, NULL, NULL);
}

struct plan_expr *calc_swap(struct plan_expr *e, unsigned int size)
{
	struct plan_expr *n;

	if (calc_is_const(e)) {
		n = size == 2 ? calc_const(PLAN_S32, __builtin_bswap16(e->value)) :
				calc_const(PLAN_U32, __builtin_bswap32(e->value));
		plan_expr_free(e);
		return n;
	}
	n = node(PLAN_SWAP, size == 2 ? PLAN_S32 : PLAN_U32);
	n->size = size;
	return with(n, 0, e, NULL, NULL);
}

static bool is_comparison(enum operator op)
{
	return op >= OP_LT && op <= OP_NE;
}

struct plan_expr *calc_truth(struct plan_expr *e)
{
	bool is_truth = e->kind == PLAN_SAME || e->kind == PLAN_PLACE || (e->kind == PLAN_UNARY && e->op == OP_NOT) ||
			(e->kind == PLAN_BINARY && (is_comparison(e->op) || e->op == OP_BOTH || e->op == OP_EITHER));

	return is_truth ? e : calc_binary(OP_NE, e, calc_const(PLAN_S32, 0));
}

/* ---- operators on constants ---- */

/* Both of one type. */
static bool compare(enum operator op, enum plan_type type, uint64_t a, uint64_t b)
{
	int order = calc_is_signed(type) ? ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b) : (a > b) - (a < b);

	switch (op) {
	case OP_LT: return order < 0;
	case OP_GT: return order > 0;
	case OP_LE: return order <= 0;
	case OP_GE: return order >= 0;
	case OP_EQ: return order == 0;
	default:    return order != 0;
	}
}

const char *calc_division_fault(const struct plan_expr *a, const struct plan_expr *b)
{
	enum plan_type type = calc_common(a->type, b->type);
	uint64_t divisor, dividend;

	if (!calc_is_const(b))
		return NULL;
	divisor = calc_as(type, b->value);
	if (!divisor)
		return "division by zero";
	if (!calc_is_signed(type) || divisor != UINT64_MAX || !calc_is_const(a))
		return NULL;
	dividend = calc_as(type, a->value);
	return dividend == calc_as(type, 1ULL << (calc_width(type) - 1)) ? "this division overflows" : NULL;
}

static uint64_t calculate(enum operator op, enum plan_type type, uint64_t a, uint64_t b)
{
	bool sign = calc_is_signed(type);

	switch (op) {
	case OP_MUL: return a * b;
	case OP_DIV: return sign ? (uint64_t)((int64_t)a / (int64_t)b) : a / b;
	case OP_MOD: return sign ? (uint64_t)((int64_t)a % (int64_t)b) : a % b;
	case OP_ADD: return a + b;
	case OP_SUB: return a - b;
	case OP_SHL: return b >= calc_width(type) ? 0 : a << b;
	case OP_SHR: return b >= calc_width(type) ? 0 : sign ? (uint64_t)((int64_t)a >> b) : a >> b;
	case OP_AND: return a & b;
	case OP_XOR: return a ^ b;
	default:     return a | b;
	}
}

/* Replace an operator on constants by what it gives. */
static struct plan_expr *fold(struct plan_expr *p)
{
	struct plan_expr *a = p->a, *b = p->b;
	uint64_t value;

	if (p->kind == PLAN_BINARY && is_comparison(p->op) && !p->can_fault && plan_expr_equal(a, b))
		value = compare(p->op, PLAN_S32, 0, 0);
	else if (!calc_is_const(a) || (b && !calc_is_const(b)))
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
	a = calc_const(p->type, value);
	plan_expr_free(p);
	return a;
}

/* ---- operators ---- */

struct plan_expr *calc_unary(enum operator op, struct plan_expr *a)
{
	return fold(with(node(PLAN_UNARY, op == OP_NOT ? PLAN_S32 : a->type), op, a, NULL, NULL));
}

/* (x + 8) + 16 is x + 24: the offsets of members within members; x + 0 is x. */
static struct plan_expr *add_const(struct plan_expr *a, struct plan_expr *b)
{
	struct plan_expr *inner;

	if (!calc_is_const(b) || calc_is_const(a))
		return NULL;
	if (!b->value) {
		plan_expr_free(b);
		return a;
	}
	if (a->kind == PLAN_ADDRESS) {
		a->value += b->value;
		plan_expr_free(b);
		return a;
	}
	if (a->kind != PLAN_BINARY || a->op != OP_ADD || !calc_is_const(a->b))
		return NULL;
	inner = a->a;
	a->b->value = calc_as(a->type, a->b->value + b->value);
	plan_expr_free(b);
	if (a->b->value)
		return a;
	a->a = NULL;
	plan_expr_free(a);
	return inner;
}

struct plan_expr *calc_binary(enum operator op, struct plan_expr *a, struct plan_expr *b)
{
	enum plan_type type = calc_common(a->type, b->type);
	struct plan_expr *sum;

	if (op == OP_BOTH || op == OP_EITHER)
		return fold(with(node(PLAN_BINARY, PLAN_S32), op, a, b, NULL));
	if ((op == OP_SHL || op == OP_SHR) && calc_is_const(b) && !b->value) {
		plan_expr_free(b);
		return a;
	}
	if (op == OP_SHL || op == OP_SHR)	/* a negative count is a huge one */
		return fold(with(node(PLAN_BINARY, a->type), op, a, b, NULL));
	a = calc_convert(a, type);
	b = calc_convert(b, type);
	sum = op == OP_ADD ? add_const(a, b) : NULL;
	if (sum)
		return sum;
	return fold(with(node(PLAN_BINARY, is_comparison(op) ? PLAN_S32 : type), op, a, b, NULL));
}

struct plan_expr *calc_ternary(struct plan_expr *a, struct plan_expr *b, struct plan_expr *c)
{
	enum plan_type type = calc_common(b->type, c->type);
	struct plan_expr *chosen;

	b = calc_convert(b, type);
	c = calc_convert(c, type);
	if (!calc_is_const(a))
		return with(node(PLAN_TERNARY, type), 0, a, b, c);
	chosen = a->value ? b : c;
	plan_expr_free(a->value ? c : b);
	plan_expr_free(a);
	return chosen;
}

struct plan_expr *calc_same(struct plan_expr *a, struct plan_expr *b, bool negated)
{
	struct plan_expr *e = node(PLAN_SAME, PLAN_S32);

	e->negated = negated;
	return with(e, 0, a, b, NULL);
}

/* Comparing names calls functions that can be probed. */
struct plan_expr *calc_place(char *name, bool container, bool below)
{
	struct plan_expr *e = node(PLAN_PLACE, PLAN_S32);

	e->place.name = name;
	e->place.container = container;
	e->place.below = below;
	e->reads = true;
	return e;
}
