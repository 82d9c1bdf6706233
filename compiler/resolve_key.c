// SPDX-License-Identifier: GPL-2.0
/* resolve_key.c: what a histogram is parted by, and pairs are paired by: of what type a key is, and how it is printed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

static void name_enumerators(struct resolve *r, const struct type *t, struct plan_by *by)
{
	const struct type_enumerator *e = types_enumerators(r->types, t, &by->nnames);

	by->names = by->nnames ? mem_zero(by->nnames, sizeof(*by->names)) : NULL;
	for (unsigned int i = 0; i < by->nnames; i++) {
		by->names[i].value = e[i].value;
		by->names[i].name = mem_copy(e[i].name, strlen(e[i].name));
	}
}

static void name_contexts(struct plan_by *by)
{
	static const char *const names[] = { "task", "softirq", "hardirq", "nmi" };

	by->nnames = 4;
	by->names = mem_zero(4, sizeof(*by->names));
	for (unsigned int i = 0; i < 4; i++) {
		by->names[i].value = i;
		by->names[i].name = mem_copy(names[i], strlen(names[i]));
	}
}

/* How a number's key is printed. */
static void number_kind(struct resolve *r, const struct operand *o, struct plan_by *by)
{
	by->words = 1;
	if (o->e->kind == PLAN_BUILTIN && o->e->builtin == PLAN_CONTEXT) {
		by->type = KSTATS_BY_ENUM;
		name_contexts(by);
	} else if (o->e->kind == PLAN_BUILTIN && o->e->builtin == PLAN_CALLER) {
		by->type = KSTATS_BY_SYMBOL;
	} else if (o->e->kind == PLAN_BUILTIN && (o->e->builtin == PLAN_CGROUP || o->e->builtin == PLAN_CONTAINER)) {
		by->type = o->e->builtin == PLAN_CGROUP ? KSTATS_BY_CGROUP : KSTATS_BY_CONTAINER;
	} else if (o->is_cgroup) {
		by->type = KSTATS_BY_CGROUP;
	} else if (operand_is_pointer(o)) {
		/* void *: what the kernel passes places of its code as (call sites); what is no symbol's is shown in hex. */
		enum type_class class = types_target(r->types, o->type)->class;

		by->type = class == CLASS_FUNCTION || class == CLASS_VOID ? KSTATS_BY_SYMBOL : KSTATS_BY_HEX;
		by->address = class != CLASS_FUNCTION;
	} else if (o->type->class == CLASS_ENUM) {
		by->type = KSTATS_BY_ENUM;
		name_enumerators(r, o->type, by);
	} else if (o->is_errno && calc_is_signed(o->e->type)) {
		by->type = KSTATS_BY_ERRNO;
	} else {
		by->type = calc_is_signed(o->e->type) ? KSTATS_BY_S64 : KSTATS_BY_U64;
	}
}

struct plan_expr *resolve_key(struct resolve *r, const struct expr *e, const struct context *context, struct plan_by *by)
{
	struct plan_expr *value;
	struct operand o;

	if (!resolve_operand(r, e, context, &o))
		return NULL;
	if (o.e->kind == PLAN_TEXT) {
		diag_error(r->diag, e->loc, "text", "a key is what differs from event to event; this text never does");
		resolve_operand_free(&o);
		return NULL;
	}
	if (operand_is_text(r, &o) || !o.type) {
		bool stack = o.e->type == PLAN_FRAMES;

		value = stack ? o.e : operand_text(r, e->loc, &o);
		if (value) {
			by->type = stack ? KSTATS_BY_STACK : KSTATS_BY_STRING;
			by->words = value->words;
		}
		return value;
	}
	if (o.type->class == CLASS_ARRAY && o.in_memory) {
		operand_wrong(r, e->loc, &o, "not-a-number", "a key is a number, a pointer or a text");
		return NULL;
	}
	if (!operand_load(r, e->loc, &o))
		return NULL;
	if (!operand_is_number(&o) && !operand_is_pointer(&o)) {
		operand_wrong(r, e->loc, &o, "not-a-number", "a key is a number, a pointer or a text");
		return NULL;
	}
	number_kind(r, &o, by);
	if (operand_is_pointer(&o) && types_target(r->types, o.type)->is_char && !types_target(r->types, o.type)->alias) {
		diag_note(r->diag, e->loc, "text", "this key is an address, and printed as one");
		diag_help(r->diag, "to make it the text that is there: (char *)");
	}
	value = o.e;
	o.e = NULL;
	resolve_operand_free(&o);
	return value;
}

bool resolve_number(struct resolve *r, const struct expr *e, const char *what, uint64_t low, uint64_t high,
		    uint64_t *number)
{
	bool negative = e->kind == EXPR_UNARY;
	const struct expr *n = negative ? e->op.a : e;
	const struct parameter *p;
	uint64_t value;

	if (n->kind == EXPR_BAD)
		return false;
	if (n->kind == EXPR_NAME) {
		p = resolve_parameter(r, n->loc, n->name);
		if (!p || !p->value) {
			diag_error(r->diag, n->loc, "unknown-name", p ? "the parameter '%s' is no number" :
				   "there is no parameter '%s'", n->name);
			return false;
		}
		value = p->value->value;
		negative ^= calc_is_signed(p->value->type) && (int64_t)value < 0;
	} else {
		value = n->number.value;
	}
	if ((negative && value) || value < low || value > high) {
		diag_error(r->diag, e->loc, "out-of-range", "%s is a number from %" PRIu64 " to %" PRIu64, what, low, high);
		return false;
	}
	*number = value;
	return true;
}
