// SPDX-License-Identifier: GPL-2.0
/*
 * emit_expr.c: expressions as C. The plan's types are C's, so most operators are C's own (the kernel compiles with
 * -fno-strict-overflow: signed arithmetic wraps). What C leaves undefined goes through small functions, of which only
 * those that are used are written: division (may set `fault`) and shifts by what may be the width or more.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emit_private.h"

static const char *const types[] = { "s32", "u32", "s64", "u64" };

static bool is_signed(enum plan_type type)
{
	return type == PLAN_S32 || type == PLAN_S64;
}

static bool is_const(const struct plan_expr *e)
{
	return e->kind == PLAN_CONST;
}

static bool has_parts(const struct plan_expr *e)
{
	return e->kind == PLAN_UNARY || e->kind == PLAN_BINARY || e->kind == PLAN_TERNARY || e->kind == PLAN_CONVERT;
}

static bool any(const struct plan_expr *e, bool (*is)(const struct plan_expr *))
{
	if (!e)
		return false;
	return is(e) || (has_parts(e) && (any(e->a, is) || any(e->b, is) || any(e->c, is)));
}

/* ---- helpers ---- */

enum helper { HELPER_NONE, HELPER_DIV, HELPER_MOD, HELPER_SHL, HELPER_SHR };

static enum helper helper_of(const struct plan_expr *e)
{
	bool shift = e->kind == PLAN_BINARY && (e->op == OP_SHL || e->op == OP_SHR);
	unsigned int width = e->type == PLAN_S32 || e->type == PLAN_U32 ? 32 : 64;

	if (e->kind != PLAN_BINARY)
		return HELPER_NONE;
	if (shift && is_const(e->b) && e->b->value < width)
		return HELPER_NONE;
	if (shift)
		return e->op == OP_SHL ? HELPER_SHL : HELPER_SHR;
	if ((e->op != OP_DIV && e->op != OP_MOD) ||
	    (is_const(e->b) && e->b->value && (!is_signed(e->type) || e->b->value != UINT64_MAX)))
		return HELPER_NONE;
	return e->op == OP_DIV ? HELPER_DIV : HELPER_MOD;
}

static bool divides(const struct plan_expr *e)
{
	enum helper helper = helper_of(e);

	return helper == HELPER_DIV || helper == HELPER_MOD;
}

bool emit_needs_fault(const struct plan_expr *e)
{
	return any(e, divides);
}

static bool is_comm(const struct plan_expr *e)
{
	return e->kind == PLAN_COMM_IS;
}

bool emit_needs_comm(const struct plan_expr *e)
{
	return any(e, is_comm);
}

typedef bool helper_set[HELPER_SHR + 1][PLAN_U64 + 1];

static void mark(const struct plan_expr *e, helper_set used)
{
	if (!e)
		return;
	used[helper_of(e)][e->type == PLAN_STRING ? PLAN_U64 : e->type] = true;
	if (has_parts(e)) {
		mark(e->a, used);
		mark(e->b, used);
		mark(e->c, used);
	}
}

static void mark_side(const struct plan_side *side, helper_set used)
{
	mark(side->filter, used);
	for (unsigned int i = 0; i < side->nstores; i++)
		mark(side->stores[i].value, used);
}

static void write_division(struct text *c, const char *name, const char *op, enum plan_type type)
{
	const char *t = types[type];

	text_printf(c, "\nstatic inline %s km_%s_%s(%s a, %s b, bool *fault)\n{\n", t, name, t, t, t);
	if (is_signed(type))
		text_printf(c, "\tif (!b || (b == -1 && a == %s_MIN)) {\n", type == PLAN_S32 ? "S32" : "S64");
	else
		text_string(c, "\tif (!b) {\n");
	text_printf(c, "\t\t*fault = true;\n\t\treturn 0;\n\t}\n\treturn a %s b;\n}\n", op);
}

static void write_shift(struct text *c, const char *name, const char *op, enum plan_type type)
{
	const char *t = types[type];

	/* A negative count, as u64, is a huge one. */
	text_printf(c, "\nstatic inline %s km_%s_%s(%s a, u64 count)\n{\n\treturn count < %d ? a %s count : 0;\n}\n",
		    t, name, t, t, type == PLAN_S32 || type == PLAN_U32 ? 32 : 64, op);
}

void emit_helpers(struct text *c, const struct plan *plan)
{
	static const char *const names[] = { "", "div", "mod", "shl", "shr" }, *const ops[] = { "", "/", "%", "<<", ">>" };
	helper_set used = {};

	for (unsigned int i = 0; i < plan->nstatements; i++) {
		for (unsigned int p = 0; p < plan->statements[i].npoints; p++) {
			mark_side(&plan->statements[i].points[p].early, used);
			mark_side(&plan->statements[i].points[p].late, used);
		}
	}
	for (unsigned int type = 0; type <= PLAN_U64; type++) {
		for (unsigned int h = HELPER_DIV; h <= HELPER_MOD; h++)
			if (used[h][type])
				write_division(c, names[h], ops[h], type);
		for (unsigned int h = HELPER_SHL; h <= HELPER_SHR; h++)
			if (used[h][type])
				write_shift(c, names[h], ops[h], type);
	}
}

/* ---- expressions ---- */

static void constant(struct text *c, const struct plan_expr *e)
{
	int64_t v = e->value;

	switch (e->type) {
	case PLAN_S32:
		if (v == INT32_MIN)
			text_string(c, "S32_MIN");
		else
			text_printf(c, "%" PRId64, v);
		break;
	case PLAN_U32:
		text_printf(c, "%" PRIu64 "U", e->value);
		break;
	case PLAN_S64:
		if (v == INT64_MIN)
			text_string(c, "S64_MIN");
		else
			text_printf(c, "%" PRId64 "LL", v);
		break;
	default:
		text_printf(c, "%" PRIu64 "ULL", e->value);
		break;
	}
}

/* A truth value as it is: C's comparisons and logic need no `!= 0`. */
static bool is_truth(const struct plan_expr *e)
{
	return e->kind == PLAN_COMM_IS || (e->kind == PLAN_UNARY && e->op == OP_NOT) ||
	       (e->kind == PLAN_BINARY && ((e->op >= OP_LT && e->op <= OP_NE) || e->op >= OP_BOTH));
}

/* Binds tighter than && and ||. */
static bool is_comparison(const struct plan_expr *e)
{
	return e->kind == PLAN_BINARY && e->op >= OP_LT && e->op <= OP_NE;
}

/* How long the line is that is being written. */
static size_t column(const struct text *c)
{
	const char *newline = memrchr(c->s, '\n', c->length);

	return newline ? (size_t)(c->s + c->length - newline - 1) : c->length;
}

static bool is_operand(const struct plan_expr *e)
{
	return e->kind == PLAN_BUILTIN || e->kind == PLAN_CARRIED || (is_const(e) && (int64_t)e->value >= 0) ||
	       e->kind == PLAN_CONVERT || helper_of(e) != HELPER_NONE;
}

static void write_expr(struct text *c, const struct plan_expr *e, bool operand);

static void write_comm(struct text *c, const struct plan_expr *e)
{
	const char *is = e->comm.negated ? "!=" : "==";

	text_string(c, "/* \"");
	emit_comment(c, e->comm.text);
	text_printf(c, "\" */ comm[0] %s 0x%" PRIx64 "ULL %s comm[1] %s 0x%" PRIx64 "ULL", is, e->comm.words[0],
		    e->comm.negated ? "||" : "&&", is, e->comm.words[1]);
}

static void write_call(struct text *c, const struct plan_expr *e, enum helper helper)
{
	static const char *const names[] = { "", "div", "mod", "shl", "shr" };

	text_printf(c, "km_%s_%s(", names[helper], types[e->type]);
	write_expr(c, e->a, false);
	text_string(c, ", ");
	write_expr(c, e->b, false);
	text_string(c, helper <= HELPER_MOD ? ", &fault)" : ")");
}

static void write_binary(struct text *c, const struct plan_expr *e)
{
	enum helper helper = helper_of(e);

	if (helper != HELPER_NONE) {
		write_call(c, e, helper);
		return;
	}
	if (e->op == OP_BOTH || e->op == OP_EITHER) {
		/* A chain of the same operator needs no parentheses. */
		bool chain = e->a->kind == PLAN_BINARY && e->a->op == e->op;

		emit_truth(c, e->a, !chain && !is_comparison(e->a));
		text_printf(c, " %s%s", operator_text(e->op), column(c) > 90 ? "\n\t      " : " ");
		emit_truth(c, e->b, !is_comparison(e->b));
		return;
	}
	write_expr(c, e->a, true);
	text_printf(c, " %s ", operator_text(e->op));
	write_expr(c, e->b, true);
}

static void write_builtin(struct text *c, const struct plan_expr *e)
{
	if (e->builtin == PLAN_ELAPSED)
		text_string(c, "ev->elapsed");
	else
		text_printf(c, "(%s)ks_%s()", types[e->type], plan_builtin_text(e->builtin));
}

static void write_expr(struct text *c, const struct plan_expr *e, bool operand)
{
	bool parentheses = operand && !is_operand(e);

	if (parentheses)
		text_string(c, "(");
	switch (e->kind) {
	case PLAN_CONST:
		constant(c, e);
		break;
	case PLAN_BUILTIN:
		write_builtin(c, e);
		break;
	case PLAN_CARRIED:
		text_printf(c, "(%s)ev->data[%u]", types[e->type], e->index);
		break;
	case PLAN_UNARY:
		text_string(c, operator_text(e->op));
		if (e->op == OP_NOT)
			emit_truth(c, e->a, true);
		else
			write_expr(c, e->a, true);
		break;
	case PLAN_BINARY:
		write_binary(c, e);
		break;
	case PLAN_TERNARY:
		emit_truth(c, e->a, true);
		text_string(c, " ? ");
		write_expr(c, e->b, true);
		text_string(c, " : ");
		write_expr(c, e->c, true);
		break;
	case PLAN_CONVERT:
		text_printf(c, "(%s)", types[e->type]);
		write_expr(c, e->a, true);
		break;
	case PLAN_COMM_IS:
		write_comm(c, e);
		break;
	}
	if (parentheses)
		text_string(c, ")");
}

void emit_truth(struct text *c, const struct plan_expr *e, bool operand)
{
	if (is_truth(e)) {
		write_expr(c, e, operand);
		return;
	}
	if (operand)
		text_string(c, "(");
	write_expr(c, e, true);
	text_string(c, " != 0");
	if (operand)
		text_string(c, ")");
}

void emit_word(struct text *c, const struct plan_expr *e)
{
	if (e->kind == PLAN_BUILTIN && e->builtin != PLAN_ELAPSED) {
		text_printf(c, "ks_%s()", plan_builtin_text(e->builtin));
		return;
	}
	write_expr(c, e, false);
}
