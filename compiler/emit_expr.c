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

/* By DWARF's numbers, as struct pt_regs calls them. */
static const char *const registers[] = {
	"ax", "dx", "cx", "bx", "si", "di", "bp", "sp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"
};

static bool is_signed(enum plan_type type)
{
	return type == PLAN_S32 || type == PLAN_S64;
}

static bool is_const(const struct plan_expr *e)
{
	return e->kind == PLAN_CONST;
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

typedef bool helper_set[HELPER_SHR + 1][PLAN_U64 + 1];

static void mark(const struct plan_expr *e, helper_set used)
{
	if (!e)
		return;
	used[helper_of(e)][e->type > PLAN_U64 ? PLAN_U64 : e->type] = true;
	if (plan_expr_has_parts(e)) {
		mark(e->a, used);
		mark(e->b, used);
		mark(e->c, used);
	}
}

static void mark_side(const struct plan_side *side, helper_set used)
{
	mark(side->filter, used);
	mark(side->value, used);
	for (unsigned int i = 0; i < side->nkeys; i++)
		mark(side->keys[i].value, used);
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
			mark_side(&plan->statements[i].points[p].enter, used);
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
	return e->kind == PLAN_SAME || e->kind == PLAN_PLACE || (e->kind == PLAN_UNARY && e->op == OP_NOT) ||
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

/* Written so that no operator beside it can reach inside: casts bind tightest of what is written. */
static bool is_operand(const struct plan_expr *e)
{
	return (is_const(e) ? (int64_t)e->value >= 0 : e->kind != PLAN_UNARY && e->kind != PLAN_BINARY &&
		e->kind != PLAN_TERNARY) || helper_of(e) != HELPER_NONE;
}

static void write_expr(struct text *c, const struct plan_expr *e, bool operand);

/* ---- texts ---- */

static void write_literal(struct text *c, const struct plan_expr *e, unsigned int words)
{
	text_string(c, "(const u64[]){ /* \"");
	emit_comment(c, e->text);
	text_string(c, "\" */ ");
	for (unsigned int i = 0; i < words; i++) {
		uint64_t word;

		memcpy(&word, e->text + 8 * i, 8);
		text_printf(c, "%s0x%" PRIx64 "ULL", i ? ", " : "", word);
	}
	text_string(c, " }");
}

/* A statement that puts text or stack @e into the words at @to. */
void emit_words(struct text *c, const struct plan_expr *e, const char *to)
{
	switch (e->kind) {
	case PLAN_BUILTIN:
		text_printf(c, e->builtin == PLAN_STACK ? "ks_stack(%s, ev);" : "ks_comm(%s);", to);
		break;
	case PLAN_STRING_AT:
		text_printf(c, "ks_string(%s, %u, ", to, e->words);
		write_expr(c, e->a, false);
		text_printf(c, ", %u, %s, &fault);", e->size, e->user ? "true" : "false");
		break;
	case PLAN_TEXT:
		text_printf(c, "__builtin_memcpy(%s, ", to);
		write_literal(c, e, KSTATS_STRING_WORDS);
		text_printf(c, ", %d);", 8 * KSTATS_STRING_WORDS);
		break;
	default:
		text_printf(c, "__builtin_memcpy(%s, &ev->data[%u], %u);", to, e->index, 8 * e->words);
		break;
	}
}

/* Is it an array of @words words already? */
static bool has_words(const struct plan_expr *e, unsigned int words)
{
	return e->kind == PLAN_TEXT || (e->kind == PLAN_CARRIED && e->words == words);
}

static void write_array(struct text *c, const struct plan_expr *e, unsigned int words, const char *name)
{
	if (!has_words(e, words))
		text_string(c, name);
	else if (e->kind == PLAN_TEXT)
		write_literal(c, e, words);
	else
		text_printf(c, "&ev->data[%u]", e->index);
}

/* Text by text, each put into an array where it is not in one. */
static void write_same(struct text *c, const struct plan_expr *e)
{
	const struct plan_expr *parts[] = { e->a, e->b };
	unsigned int words = 0;

	for (unsigned int i = 0; i < 2; i++)
		if (parts[i]->kind != PLAN_TEXT && parts[i]->words > words)
			words = parts[i]->words;
	words = words ? words : KSTATS_STRING_WORDS;
	text_string(c, "({ ");
	for (unsigned int i = 0; i < 2; i++) {
		if (has_words(parts[i], words))
			continue;
		text_printf(c, "u64 %s[%u]%s; ", i ? "b" : "a", words, parts[i]->words < words ? " = { 0 }" : "");
		emit_words(c, parts[i], i ? "b" : "a");
		text_string(c, " ");
	}
	text_printf(c, "%sks_same(", e->negated ? "!" : "");
	write_array(c, e->a, words, "a");
	text_string(c, ", ");
	write_array(c, e->b, words, "b");
	text_printf(c, ", %u); })", words);
}

/* ---- numbers ---- */

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
	else if (e->builtin == PLAN_CONTAINER)	/* whose it is, is found where it is shown */
		text_string(c, "ks_cgroup()");
	else if (e->builtin == PLAN_CALLER || e->builtin == PLAN_CONTEXT)
		text_printf(c, "(%s)ks_%s(ev)", types[e->type], plan_builtin_text(e->builtin));
	else
		text_printf(c, "(%s)ks_%s()", types[e->type], plan_builtin_text(e->builtin));
}

/* With what the runtime would have to count at each event. */
static void write_place(struct text *c, const struct plan_expr *e)
{
	const char *name = e->place.name;
	size_t length = strlen(name);
	unsigned int levels = 0;

	text_printf(c, "kstats_in_%s(", e->place.container ? "container" : "cgroup");
	emit_string(c, name, length);
	if (e->place.container) {
		text_printf(c, ", %zu)", length);
		return;
	}
	for (size_t i = 0; i + 1 < length; i++)
		levels += name[i] == '/';
	text_printf(c, ", %zu, %u, %s)", length, levels, e->place.below ? "true" : "false");
}

static const char *memory_type(const struct plan_expr *e)
{
	static const char *const names[2][4] = { { "u8", "u16", "u32", "u64" }, { "s8", "s16", "s32", "s64" } };

	return names[e->is_signed][e->size == 8 ? 3 : e->size / 2];
}

static void write_read(struct text *c, const struct plan_expr *e)
{
	text_printf(c, "(%s)", types[e->type]);
	if (e->size < 4)
		text_printf(c, "(%s)", memory_type(e));
	text_printf(c, "ks_read%s(", e->user ? "_user" : "");
	write_expr(c, e->a, false);
	text_printf(c, ", %u, &fault)", e->size);
}

static void write_leaf(struct text *c, const struct plan_expr *e)
{
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
	case PLAN_ENTRY:
		text_printf(c, "(%s)ev->entry[%u]", types[e->type], e->index);
		break;
	case PLAN_REGISTER:
		text_printf(c, "(u64)ev->regs->%s", registers[e->index]);
		break;
	case PLAN_RETURN:
		text_string(c, "(u64)ev->regs->ax");
		break;
	case PLAN_ARGUMENT:
		text_printf(c, "ev->args[%u]", e->index);
		break;
	case PLAN_PLACE:
		write_place(c, e);
		break;
	case PLAN_VARIABLE:
		text_printf(c, "ks_variable(&variable_%u)", e->index + 1);
		break;
	default:	/* PLAN_ADDRESS */
		text_printf(c, "ks_address(%" PRId64 "LL)", (int64_t)e->value);
		break;
	}
}

static void write_expr(struct text *c, const struct plan_expr *e, bool operand)
{
	bool parentheses = operand && !is_operand(e);

	if (parentheses)
		text_string(c, "(");
	switch (e->kind) {
	case PLAN_THIS_CPU:
		text_string(c, "ks_this_cpu(");
		write_expr(c, e->a, false);
		text_string(c, ")");
		break;
	case PLAN_READ:
		write_read(c, e);
		break;
	case PLAN_NARROW:
		text_printf(c, "(s32)(%s)", memory_type(e));
		write_expr(c, e->a, true);
		break;
	case PLAN_SWAP:		/* not swab16(), a macro that repeats its argument */
		text_printf(c, "(%s)__builtin_bswap%u(", types[e->type], 8 * e->size);
		write_expr(c, e->a, false);
		text_string(c, ")");
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
	case PLAN_SAME:
		write_same(c, e);
		break;
	default:
		write_leaf(c, e);
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
	write_expr(c, e, false);
}
