// SPDX-License-Identifier: GPL-2.0
/*
 * compiler_calc.c: the plan's arithmetic against C's own. Each operator on each pair of types and on the values where
 * something may go wrong, computed by the C compiler in more bits than it needs; then random expressions, of which every
 * part is a constant or is not, which must come to the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/calc.h"

typedef int32_t s32;
typedef uint32_t u32;
typedef int64_t s64;
typedef uint64_t u64;
typedef __int128 wide;

static unsigned int tests;

static void check(bool good, const char *what)
{
	printf("%sok %u - %s\n", good ? "" : "not ", ++tests, what);
}

static const u64 values[] = {
	0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 0x7ffffffe, 0x7fffffff,
	0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x100000000, 0x100000001, 0x7fffffffffffffff, 0x8000000000000000,
	0x8000000000000001, -1ULL, -2ULL, -3ULL, -7ULL, -32ULL, -64ULL, -128ULL, -129ULL, -32768ULL, -65536ULL,
	0x123456789abcdef0, 0xfedcba9876543210,
};

#define VALUES	(sizeof(values) / sizeof(*values))

static const char *const type_names[] = { "s32", "u32", "s64", "u64" };

static const enum operator operators[] = {
	OP_MUL, OP_DIV, OP_MOD, OP_ADD, OP_SUB, OP_SHL, OP_SHR, OP_LT, OP_GT, OP_LE, OP_GE, OP_EQ, OP_NE, OP_AND, OP_XOR, OP_OR,
	OP_BOTH, OP_EITHER,
};

#define NOPERATORS	(sizeof(operators) / sizeof(*operators))

#define TYPE_OF(x)	_Generic((x), s32: PLAN_S32, u32: PLAN_U32, s64: PLAN_S64, u64: PLAN_U64, \
				 long long: PLAN_S64, unsigned long long: PLAN_U64)

/* What an operator gives, as C has it: its type, its value extended to 64 bits; a fault of its own. */
struct result {
	enum plan_type type;
	u64 value;
	bool fault;
};

#define FAULTY(typed, v, f)	((struct result){ .type = TYPE_OF(typed), .value = (v), .fault = (f) })
#define RESULT(typed, v)	FAULTY(typed, v, false)

/*
 * On operands of types A and B. All arithmetic is done in 128 bits on what C's conversions make of the operands, and cut
 * to C's type of the result.
 */
#define DEFINE(A, B) \
static struct result A##_##B(enum operator op, A a, B b) \
{ \
	typedef typeof(a + b) both; \
	const unsigned int bits = 8 * sizeof(both), left = 8 * sizeof(A); \
	const wide x = (both)a, y = (both)b; \
	const bool negative_min = (both)-1 < 0 && y == -1 && x == -((wide)1 << (bits - 1)); \
	const bool huge = b < 0 || (u64)b >= left; \
	switch (op) { \
	case OP_MUL: return RESULT(a * b, (both)((unsigned __int128)x * (unsigned __int128)y)); \
	case OP_ADD: return RESULT(a + b, (both)(x + y)); \
	case OP_SUB: return RESULT(a - b, (both)(x - y)); \
	case OP_DIV: return FAULTY(a / b, y && !negative_min ? (both)(x / y) : 0, !y || negative_min); \
	case OP_MOD: return FAULTY(a % b, y && !negative_min ? (both)(x % y) : 0, !y || negative_min); \
	case OP_SHL: return RESULT(a << b, huge ? 0 : (A)((unsigned __int128)(wide)a << (unsigned int)b)); \
	case OP_SHR: return RESULT(a >> b, huge ? 0 : (A)((wide)a >> (unsigned int)b)); \
	case OP_LT: return RESULT(a < b, a < b); \
	case OP_GT: return RESULT(a > b, a > b); \
	case OP_LE: return RESULT(a <= b, a <= b); \
	case OP_GE: return RESULT(a >= b, a >= b); \
	case OP_EQ: return RESULT(a == b, a == b); \
	case OP_NE: return RESULT(a != b, a != b); \
	case OP_AND: return RESULT(a & b, a & b); \
	case OP_XOR: return RESULT(a ^ b, a ^ b); \
	case OP_OR: return RESULT(a | b, a | b); \
	case OP_BOTH: return RESULT(a && b, a && b); \
	default: return RESULT(a || b, a || b); \
	} \
}

#define DEFINE_ALL(A)	DEFINE(A, s32) DEFINE(A, u32) DEFINE(A, s64) DEFINE(A, u64)

#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
DEFINE_ALL(s32)
DEFINE_ALL(u32)
DEFINE_ALL(s64)
DEFINE_ALL(u64)

#define CASE(A, B, TA, TB)	if (ta == TA && tb == TB) return A##_##B(op, (A)a, (B)b);
#define CASES(A, TA) \
	CASE(A, s32, TA, PLAN_S32) CASE(A, u32, TA, PLAN_U32) CASE(A, s64, TA, PLAN_S64) CASE(A, u64, TA, PLAN_U64)

static struct result of_c(enum operator op, enum plan_type ta, u64 a, enum plan_type tb, u64 b)
{
	CASES(s32, PLAN_S32)
	CASES(u32, PLAN_U32)
	CASES(s64, PLAN_S64)
	CASES(u64, PLAN_U64)
	abort();
}

/* ---- every operator, on constants ---- */

static bool same_as_c(enum operator op, enum plan_type ta, u64 x, enum plan_type tb, u64 y)
{
	struct plan_expr *a = calc_const(ta, x), *b = calc_const(tb, y), *e;
	struct result want = of_c(op, ta, x, tb, y);
	bool good;

	if ((op == OP_DIV || op == OP_MOD) && (calc_division_fault(a, b) || want.fault)) {
		good = calc_division_fault(a, b) && want.fault;
		plan_expr_free(a);
		plan_expr_free(b);
		if (!good)
			printf("# %s %" PRIx64 " %s %s %" PRIx64 ": a fault of one side only\n", type_names[ta], x,
			       operator_text(op), type_names[tb], y);
		return good;
	}
	e = calc_binary(op, a, b);
	good = e->kind == PLAN_CONST && e->type == want.type && e->value == want.value;
	if (!good)
		printf("# (%s)%" PRIx64 " %s (%s)%" PRIx64 ": %s %" PRIx64 ", not %s %" PRIx64 "\n", type_names[ta], x,
		       operator_text(op), type_names[tb], y, type_names[e->type], e->value, type_names[want.type], want.value);
	plan_expr_free(e);
	return good;
}

static void every_operator(void)
{
	for (unsigned int o = 0; o < NOPERATORS; o++) {
		for (unsigned int t = 0; t < 16; t++) {
			char *what = mem_printf("%s %s %s", type_names[t / 4], operator_text(operators[o]), type_names[t % 4]);
			bool good = true;

			for (unsigned int i = 0; good && i < VALUES * VALUES; i++)
				good = same_as_c(operators[o], t / 4, values[i / VALUES], t % 4, values[i % VALUES]);
			check(good, what);
			free(what);
		}
	}
}

static void conversions(void)
{
	bool good = true, unary = true;

	for (unsigned int i = 0; i < VALUES; i++) {
		u64 v = values[i];
		const struct { unsigned int size; bool sign; u64 value; enum plan_type type; } as[] = {
			{ 1, false, (uint8_t)v, PLAN_S32 }, { 1, true, (u64)(int8_t)v, PLAN_S32 },
			{ 2, false, (uint16_t)v, PLAN_S32 }, { 2, true, (u64)(int16_t)v, PLAN_S32 },
			{ 4, false, (u32)v, PLAN_U32 }, { 4, true, (u64)(s32)v, PLAN_S32 },
			{ 8, false, v, PLAN_U64 }, { 8, true, v, PLAN_S64 },
		};

		for (unsigned int t = 0; t < 4 * 8; t++) {
			struct plan_expr *e = calc_narrow(calc_const(t / 8, v), as[t % 8].size, as[t % 8].sign);
			u64 from = t / 8 == PLAN_S32 ? (u64)(s32)v : t / 8 == PLAN_U32 ? (u32)v : v;
			u64 want = as[t % 8].size == 8 ? from : as[t % 8].value;

			good &= e->kind == PLAN_CONST && e->type == as[t % 8].type && e->value == want;
			plan_expr_free(e);
		}
		for (unsigned int t = 0; t < 4; t++) {
			struct plan_expr *minus = calc_unary(OP_NEGATE, calc_const(t, v));
			struct plan_expr *not = calc_unary(OP_INVERT, calc_const(t, v));
			struct plan_expr *no = calc_unary(OP_NOT, calc_const(t, v));
			bool small = t == PLAN_S32 || t == PLAN_U32;

			unary &= minus->value == calc_as(t, 0 - v) && minus->type == t;
			unary &= not->value == calc_as(t, ~v) && not->type == t;
			unary &= no->value == (small ? !(u32)v : !v) && no->type == PLAN_S32;
			plan_expr_free(minus);
			plan_expr_free(not);
			plan_expr_free(no);
		}
	}
	check(good, "values of every size and sign");
	check(unary, "- ~ ! of every type");
	good = TYPE_OF((s32)0 + (u32)0) == calc_common(PLAN_S32, PLAN_U32) &&
	       TYPE_OF((u32)0 + (s64)0) == calc_common(PLAN_U32, PLAN_S64) &&
	       TYPE_OF((s64)0 + (u64)0) == calc_common(PLAN_S64, PLAN_U64) &&
	       TYPE_OF((s32)0 + (u64)0) == calc_common(PLAN_S32, PLAN_U64);
	check(good, "the common type of two");
}

/* A literal has the type that C gives it. */
static void literals(void)
{
#define LITERAL(text, v, dec, uns, lng)	{ #text, { .value = v, .is_decimal = dec, .is_unsigned = uns, .is_long = lng }, \
					  TYPE_OF(text) }
	static const struct { const char *text; struct number n; enum plan_type type; } list[] = {
		LITERAL(0, 0, true, false, false), LITERAL(2147483647, 2147483647, true, false, false),
		LITERAL(2147483648, 2147483648, true, false, false), LITERAL(0x7fffffff, 0x7fffffff, false, false, false),
		LITERAL(0x80000000, 0x80000000, false, false, false), LITERAL(0xffffffff, 0xffffffff, false, false, false),
		LITERAL(0x100000000, 0x100000000, false, false, false), LITERAL(1U, 1, true, true, false),
		LITERAL(4294967296U, 4294967296, true, true, false), LITERAL(1L, 1, true, false, true),
		LITERAL(1UL, 1, true, true, true), LITERAL(0x80000000L, 0x80000000, false, false, true),
		LITERAL(0x7fffffffffffffff, 0x7fffffffffffffff, false, false, false),
		LITERAL(0x8000000000000000, 0x8000000000000000, false, false, false),
		LITERAL(0xffffffffffffffffU, 0xffffffffffffffff, false, true, false),
	};

	for (unsigned int i = 0; i < sizeof(list) / sizeof(*list); i++) {
		struct plan_expr *e = calc_number(&list[i].n);
		char *what = mem_printf("%s is %s", list[i].text, type_names[list[i].type]);

		check(e->type == list[i].type && e->value == list[i].n.value, what);
		free(what);
		plan_expr_free(e);
	}
}

/* ---- random expressions ---- */

#define LEAVES	8

static u64 leaves[LEAVES];
static u64 seed = 88172645463325252ULL;

static u64 any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* What an expression gives, with of_c() for its operators. *@fault: a division cannot be. */
static u64 run(const struct plan_expr *e, bool *fault)
{
	struct result r;
	u64 a;

	switch (e->kind) {
	case PLAN_CONST:
		return e->value;
	case PLAN_CARRIED:
		return calc_as(e->type, leaves[e->index]);
	case PLAN_CONVERT:
		return calc_as(e->type, run(e->a, fault));
	case PLAN_NARROW:
		a = run(e->a, fault) << (64 - 8 * e->size);
		return e->is_signed ? (u64)((s64)a >> (64 - 8 * e->size)) : a >> (64 - 8 * e->size);
	case PLAN_UNARY:
		a = run(e->a, fault);
		return e->op == OP_NOT ? !a : calc_as(e->type, e->op == OP_NEGATE ? 0 - a : ~a);
	case PLAN_TERNARY:
		return run(e->a, fault) ? run(e->b, fault) : run(e->c, fault);
	case PLAN_BINARY:
		a = run(e->a, fault);
		if (e->op == OP_BOTH || e->op == OP_EITHER)
			return e->op == OP_BOTH ? a && run(e->b, fault) : a || run(e->b, fault);
		r = of_c(e->op, e->a->type, a, e->b->type, run(e->b, fault));
		*fault |= r.fault;
		return r.value;
	default:
		abort();
	}
}

/* The same expression twice: with leaves whose values are known, and with those of which only some are. */
static void grow(unsigned int depth, struct plan_expr **known, struct plan_expr **open, bool *good)
{
	struct plan_expr *k[3] = {}, *o[3] = {};
	enum plan_type type = any() % 4;
	unsigned int what = depth ? any() % 16 : 15, leaf = any() % LEAVES, size = 1 << any() % 4;
	enum operator op = operators[any() % NOPERATORS];
	bool sign = any() % 2;

	if (what == 15) {
		*known = calc_const(type, leaves[leaf]);
		*open = any() % 2 ? calc_leaf(PLAN_CARRIED, type, leaf) : calc_const(type, leaves[leaf]);
		return;
	}
	for (unsigned int i = 0; i < 3; i++)
		if (i == 0 || (i == 1 && what >= 3) || (i == 2 && what == 3))
			grow(depth - 1, &k[i], &o[i], good);
	if (what == 0) {
		*known = calc_convert(k[0], type);
		*open = calc_convert(o[0], type);
	} else if (what == 1) {
		*known = calc_narrow(k[0], size, sign);
		*open = calc_narrow(o[0], size, sign);
	} else if (what == 2) {
		op = (const enum operator[]){ OP_NEGATE, OP_INVERT, OP_NOT }[any() % 3];
		*known = calc_unary(op, k[0]);
		*open = calc_unary(op, o[0]);
	} else if (what == 3) {
		*known = calc_ternary(k[0], k[1], k[2]);
		*open = calc_ternary(o[0], o[1], o[2]);
	} else {
		/* What divides must be able to: else it is an error before this. */
		if ((op == OP_DIV || op == OP_MOD) && (calc_division_fault(k[0], k[1]) || calc_division_fault(o[0], o[1])))
			op = OP_ADD;
		*known = calc_binary(op, k[0], k[1]);
		*open = calc_binary(op, o[0], o[1]);
	}
	*good &= (*known)->type == (*open)->type;
}

static void random_expressions(void)
{
	bool types = true, consts = true, agree = true, no_fault = true;

	for (unsigned int n = 0; n < 50000; n++) {
		struct plan_expr *known, *open;
		bool fault = false;
		u64 value;

		for (unsigned int i = 0; i < LEAVES; i++)
			leaves[i] = any() % 3 ? values[any() % VALUES] : any();
		grow(1 + any() % 5, &known, &open, &types);
		value = run(open, &fault);
		consts &= known->kind == PLAN_CONST;
		no_fault &= !fault || open->can_fault;
		if (agree && !fault && known->kind == PLAN_CONST && value != known->value) {
			printf("# expression %u: %" PRIx64 ", not %" PRIx64 "\n", n, value, known->value);
			agree = false;
		}
		plan_expr_free(known);
		plan_expr_free(open);
	}
	check(types, "the type does not depend on what is known");
	check(consts, "of constants comes a constant");
	check(agree, "and its value is that of the expression");
	check(no_fault, "what faults is known to be able to");
}

int main(void)
{
	every_operator();
	conversions();
	literals();
	random_expressions();
	printf("1..%u\n", tests);
	return 0;
}
