// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_split.c: what of a call's expressions is evaluated at its entry, and what must wait for its return.
 */
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

void resolve_store(struct plan_side *side, unsigned int word, struct plan_expr *value)
{
	side->stores = mem_more(side->stores, side->nstores, sizeof(*side->stores));
	side->stores[side->nstores++] = (struct plan_store){ .word = word, .value = value };
}

static void conjoin(struct plan_expr **all, struct plan_expr *e)
{
	*all = *all ? calc_binary(OP_BOTH, *all, e) : e;
}

static bool waits(const struct plan_expr *e)
{
	return e->has_elapsed || e->has_return;
}

/* Take @e out to the entry: what is left in its place. */
static struct plan_expr *carry(struct plan_expr *e, struct plan_side *early, unsigned int *words)
{
	struct plan_expr *carried = calc_leaf(PLAN_CARRIED, e->type, 0);

	carried->words = e->words;
	for (unsigned int i = 0; i < early->nstores; i++) {
		if (plan_expr_equal(early->stores[i].value, e)) {
			carried->index = early->stores[i].word;
			plan_expr_free(e);
			return carried;
		}
	}
	carried->index = *words;
	*words += e->words;
	resolve_store(early, carried->index, e);
	return carried;
}

static struct plan_expr *carry_parts(struct plan_expr *e, struct plan_side *early, unsigned int *words)
{
	if (!e || e->kind == PLAN_CONST || e->kind == PLAN_TEXT || e->kind == PLAN_ADDRESS || e->kind == PLAN_VARIABLE)
		return e;
	if (!waits(e))
		return carry(e, early, words);
	if (!plan_expr_has_parts(e))
		return e;
	e->a = carry_parts(e->a, early, words);
	e->b = carry_parts(e->b, early, words);
	e->c = carry_parts(e->c, early, words);
	/* A part that can fault does so where it is evaluated. */
	calc_update(e);
	return e;
}

static void split(struct plan_expr *e, struct plan_side *early, struct plan_side *late, unsigned int *words)
{
	if (!waits(e)) {
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

struct plan_expr *resolve_split_value(struct plan_expr *value, struct plan_side *early, unsigned int *words)
{
	value = carry_parts(value, early, words);
	if (*words <= KSTATS_DATA_WORDS)
		return value;
	plan_expr_free(value);
	return NULL;
}
