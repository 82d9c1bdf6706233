// SPDX-License-Identifier: GPL-2.0
/* plan.c: the plan's small functions. plan_dump.c shows it as text. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

static const struct { const char *text; enum plan_type type; } builtins[] = {
#define BUILTIN(id, text, type)	{ text, type },
	PLAN_BUILTINS(BUILTIN)
#undef BUILTIN
};

const char *plan_builtin_text(enum plan_builtin builtin)
{
	return builtins[builtin].text;
}

enum plan_type plan_builtin_type(enum plan_builtin builtin)
{
	return builtins[builtin].type;
}

bool plan_expr_has_parts(const struct plan_expr *e)
{
	return e->kind >= PLAN_THIS_CPU;
}

void plan_expr_free(struct plan_expr *e)
{
	if (!e)
		return;
	if (e->kind == PLAN_PLACE)
		free(e->place.name);
	if (plan_expr_has_parts(e)) {
		plan_expr_free(e->a);
		plan_expr_free(e->b);
		plan_expr_free(e->c);
	}
	free(e);
}

struct plan_expr *plan_expr_copy(const struct plan_expr *e)
{
	struct plan_expr *copy;

	if (!e)
		return NULL;
	copy = mem_zero(1, sizeof(*copy));
	*copy = *e;
	if (e->kind == PLAN_PLACE)
		copy->place.name = mem_copy(e->place.name, strlen(e->place.name));
	if (plan_expr_has_parts(e)) {
		copy->a = plan_expr_copy(e->a);
		copy->b = plan_expr_copy(e->b);
		copy->c = plan_expr_copy(e->c);
	}
	return copy;
}

bool plan_expr_equal(const struct plan_expr *a, const struct plan_expr *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind || a->type != b->type || a->words != b->words || a->depth != b->depth)
		return false;
	switch (a->kind) {
	case PLAN_CONST:
	case PLAN_ADDRESS:
		return a->value == b->value;
	case PLAN_TEXT:
		return memcmp(a->text, b->text, sizeof(a->text)) == 0;
	case PLAN_BUILTIN:
		return a->builtin == b->builtin;
	case PLAN_CARRIED:
	case PLAN_ENTRY:
	case PLAN_REGISTER:
	case PLAN_ARGUMENT:
	case PLAN_VARIABLE:
		return a->index == b->index;
	case PLAN_RETURN:
		return true;
	case PLAN_PLACE:
		return a->place.container == b->place.container && a->place.below == b->place.below &&
		       strcmp(a->place.name, b->place.name) == 0;
	default:
		return a->op == b->op && a->size == b->size && a->is_signed == b->is_signed && a->user == b->user &&
		       a->negated == b->negated && plan_expr_equal(a->a, b->a) && plan_expr_equal(a->b, b->b) &&
		       plan_expr_equal(a->c, b->c);
	}
}

bool plan_side_is_empty(const struct plan_side *side)
{
	return !side->filter && !side->value && !side->nkeys && !side->nstores;
}

bool plan_side_any(const struct plan_side *side, bool (*is)(const struct plan_expr *))
{
	if ((side->filter && is(side->filter)) || (side->value && is(side->value)))
		return true;
	for (unsigned int i = 0; i < side->nkeys; i++)
		if (is(side->keys[i].value))
			return true;
	for (unsigned int i = 0; i < side->nstores; i++)
		if (is(side->stores[i].value))
			return true;
	return false;
}

bool plan_statement_any(const struct plan_statement *s, bool (*is)(const struct plan_expr *))
{
	for (unsigned int i = 0; i < s->npoints; i++)
		if (plan_side_any(&s->points[i].enter, is) || plan_side_any(&s->points[i].early, is) ||
		    plan_side_any(&s->points[i].late, is))
			return true;
	return false;
}

void plan_side_free(struct plan_side *side)
{
	plan_expr_free(side->filter);
	plan_expr_free(side->value);
	for (unsigned int i = 0; i < side->nkeys; i++)
		plan_expr_free(side->keys[i].value);
	for (unsigned int i = 0; i < side->nstores; i++)
		plan_expr_free(side->stores[i].value);
	free(side->keys);
	free(side->stores);
	*side = (struct plan_side){};
}

void plan_point_free(struct plan_point *p)
{
	for (unsigned int i = 0; i < p->narguments; i++) {
		free(p->arguments[i].type);
		free(p->arguments[i].tag);
	}
	free(p->arguments);
	free(p->text);
	free(p->module);
	free(p->symbol);
	free(p->anchor);
	for (unsigned int i = 0; i < p->nfunctions; i++) {
		free(p->functions[i].module);
		free(p->functions[i].anchor);
		free(p->functions[i].distance);
	}
	free(p->functions);
	plan_side_free(&p->enter);
	plan_side_free(&p->early);
	plan_side_free(&p->late);
	*p = (struct plan_point){};
}

static void free_by(struct plan_by *by)
{
	for (unsigned int i = 0; i < by->nnames; i++)
		free(by->names[i].name);
	free(by->names);
	free(by->text);
}

void plan_free(struct plan *plan)
{
	for (unsigned int i = 0; i < plan->nvariables; i++) {
		free(plan->variables[i].module);
		free(plan->variables[i].symbol);
	}
	free(plan->variables);
	for (unsigned int i = 0; i < plan->nstatements; i++) {
		struct plan_statement *s = &plan->statements[i];

		for (unsigned int p = 0; p < s->npoints; p++)
			plan_point_free(&s->points[p]);
		for (unsigned int b = 0; b < s->nby; b++)
			free_by(&s->by[b]);
		free(s->points);
		free(s->text);
		free(s->name);
		free(s->unit);
		free(s->via);
		free(s->counter);
	}
	free(plan->statements);
	free(plan->kernel);
	*plan = (struct plan){};
}
