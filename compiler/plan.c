// SPDX-License-Identifier: GPL-2.0
/* plan.c: the plan's destructors, and the plan as text for `--dump plan`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

static const struct {
	const char *text;
	enum plan_type type;
} builtins[] = {
#define BUILTIN(id, text, type)	[PLAN_##id] = { text, type },
	PLAN_BUILTINS(BUILTIN)
#undef BUILTIN
};

static const char *const types[] = { "s32", "u32", "s64", "u64", "comm" };

const char *plan_builtin_text(enum plan_builtin builtin)
{
	return builtins[builtin].text;
}

enum plan_type plan_builtin_type(enum plan_builtin builtin)
{
	return builtins[builtin].type;
}

static bool has_parts(const struct plan_expr *e)
{
	return e->kind == PLAN_UNARY || e->kind == PLAN_BINARY || e->kind == PLAN_TERNARY || e->kind == PLAN_CONVERT;
}

void plan_expr_free(struct plan_expr *e)
{
	if (!e)
		return;
	if (has_parts(e)) {
		plan_expr_free(e->a);
		plan_expr_free(e->b);
		plan_expr_free(e->c);
	}
	free(e);
}

bool plan_expr_equal(const struct plan_expr *a, const struct plan_expr *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind || a->type != b->type || a->depth != b->depth)
		return false;
	switch (a->kind) {
	case PLAN_CONST:
		return a->value == b->value;
	case PLAN_BUILTIN:
		return a->builtin == b->builtin;
	case PLAN_CARRIED:
		return a->index == b->index;
	case PLAN_COMM_IS:
		return memcmp(a->comm.words, b->comm.words, sizeof(a->comm.words)) == 0 &&
		       a->comm.negated == b->comm.negated;
	default:
		return a->op == b->op && plan_expr_equal(a->a, b->a) && plan_expr_equal(a->b, b->b) &&
		       plan_expr_equal(a->c, b->c);
	}
}

static void free_side(struct plan_side *side)
{
	plan_expr_free(side->filter);
	for (unsigned int i = 0; i < side->nstores; i++)
		plan_expr_free(side->stores[i].value);
	free(side->stores);
}

void plan_free(struct plan *plan)
{
	for (unsigned int i = 0; i < plan->nstatements; i++) {
		struct plan_statement *s = &plan->statements[i];

		for (unsigned int p = 0; p < s->npoints; p++) {
			free(s->points[p].text);
			free(s->points[p].module);
			free(s->points[p].symbol);
			free_side(&s->points[p].early);
			free_side(&s->points[p].late);
		}
		for (unsigned int b = 0; b < s->nby; b++)
			free(s->by[b].text);
		free(s->points);
		free(s->text);
		free(s->name);
	}
	free(plan->statements);
	*plan = (struct plan){};
}

static void dump_expr(const struct plan_expr *e, FILE *to)
{
	switch (e->kind) {
	case PLAN_CONST:
		if (e->type == PLAN_S32 || e->type == PLAN_S64)
			fprintf(to, "%" PRId64, (int64_t)e->value);
		else
			fprintf(to, "%" PRIu64 "U", e->value);
		fputs(e->type >= PLAN_S64 ? "L" : "", to);
		break;
	case PLAN_BUILTIN:
		fputs(builtins[e->builtin].text, to);
		break;
	case PLAN_CARRIED:
		fprintf(to, "data[%u]:%s", e->index, types[e->type]);
		break;
	case PLAN_UNARY:
		fprintf(to, "(%s", operator_text(e->op));
		dump_expr(e->a, to);
		fputc(')', to);
		break;
	case PLAN_BINARY:
		fputc('(', to);
		dump_expr(e->a, to);
		fprintf(to, " %s ", operator_text(e->op));
		dump_expr(e->b, to);
		fputc(')', to);
		break;
	case PLAN_TERNARY:
		fputc('(', to);
		dump_expr(e->a, to);
		fputs(" ? ", to);
		dump_expr(e->b, to);
		fputs(" : ", to);
		dump_expr(e->c, to);
		fputc(')', to);
		break;
	case PLAN_CONVERT:
		fprintf(to, "%s(", types[e->type]);
		dump_expr(e->a, to);
		fputc(')', to);
		break;
	case PLAN_COMM_IS:
		fprintf(to, "(comm %s \"%.16s\")", e->comm.negated ? "!=" : "==", e->comm.text);
		break;
	}
}

static void dump_side(const struct plan_side *side, const char *when, FILE *to)
{
	if (side->filter) {
		fprintf(to, "    %s if ", when);
		dump_expr(side->filter, to);
		fputc('\n', to);
	}
	for (unsigned int i = 0; i < side->nstores; i++) {
		fprintf(to, "    %s data[%u] = ", when, side->stores[i].word);
		dump_expr(side->stores[i].value, to);
		fputc('\n', to);
	}
}

static void dump_point(const struct plan_point *p, FILE *to)
{
	static const char *const roles[] = { "call", "from", "to" };
	static const char *const wheres[] = { "function", "return", "instruction", "tracepoint" };

	fprintf(to, "  %s %s %s", roles[p->role], wheres[p->where], p->symbol);
	if (p->where == PLAN_OFFSET)
		fprintf(to, "+%u", p->offset);
	if (p->module)
		fprintf(to, " of module %s", p->module);
	fputc('\n', to);
	dump_side(&p->early, "early", to);
	dump_side(&p->late, "late", to);
}

void plan_dump(const struct plan *plan, FILE *to)
{
	static const char *const keys[] = { "task", "tid", "cpu" };

	for (unsigned int i = 0; i < plan->nstatements; i++) {
		const struct plan_statement *s = &plan->statements[i];

		fprintf(to, "%s: %s\n  bits %u, key %s", s->name, s->text, s->bits, keys[s->key]);
		if (s->pairs)
			fprintf(to, ", pairs %u", s->pairs);
		if (s->entries)
			fprintf(to, ", entries %u", s->entries);
		if (s->data_words)
			fprintf(to, ", %u words of data", s->data_words);
		fputc('\n', to);
		for (unsigned int b = 0; b < s->nby; b++)
			fprintf(to, "  by %s: %s in data[%u]\n", s->by[b].text, types[s->by[b].type], s->by[b].word);
		for (unsigned int p = 0; p < s->npoints; p++)
			dump_point(&s->points[p], to);
	}
}
