// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_param.c: a script's parameters: `param NAME = CONSTANT "what it is"`, NAME=VALUE on the command line, {NAME} in
 * quoted words.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

/* Each source has parameters of its own; what it has not may come from another. */
static const struct parameter *find(const struct resolve *r, struct loc loc, const char *name, size_t length)
{
	const struct parameter *other = NULL;

	for (unsigned int i = 0; i < r->nparams; i++) {
		const struct parameter *p = &r->params[i];

		if (strlen(p->name) != length || strncmp(p->name, name, length) != 0)
			continue;
		if (p->loc.source == loc.source)
			return p;
		if (!other)
			other = p;
	}
	return other;
}

const struct parameter *resolve_parameter(const struct resolve *r, struct loc loc, const char *name)
{
	return find(r, loc, name, strlen(name));
}

/* A number as the grammar has it, with its sign; NULL: it is none. */
static struct plan_expr *constant(struct resolve *r, const struct expr *e)
{
	const struct expr *n = e->kind == EXPR_UNARY ? e->op.a : e;
	const struct parameter *other;
	struct plan_expr *value;

	if (n->kind == EXPR_NAME) {
		other = resolve_parameter(r, n->loc, n->name);
		if (!other || !other->value) {
			diag_error(r->diag, n->loc, "param", "a parameter is a number, a text, or an earlier parameter");
			return NULL;
		}
		value = plan_expr_copy(other->value);
	} else if (n->kind == EXPR_NUMBER) {
		value = calc_number(&n->number);
	} else {
		return NULL;
	}
	return n == e ? value : calc_unary(OP_NEGATE, value);
}

/* Is it a duration? */
static bool is_time(const struct resolve *r, const struct expr *e)
{
	const struct expr *n = e->kind == EXPR_UNARY ? e->op.a : e;
	const struct parameter *other = n->kind == EXPR_NAME ? resolve_parameter(r, n->loc, n->name) : NULL;

	return n->kind == EXPR_NUMBER ? n->number.unit == NUMBER_TIME : other && other->is_time;
}

/* The words of a number in the script, blanks left out: "10ms". */
static char *text_of(const struct resolve *r, struct loc loc)
{
	const char *s = diag_source(r->diag, loc)->text;
	struct text t = {};

	for (unsigned int i = loc.from; i < loc.to; i++)
		if (!strchr(" \t\r\n\f\v", s[i]))
			text_add(&t, s + i, 1);
	return text_take(&t);
}

static bool declare(struct resolve *r, const struct statement *s)
{
	const struct parameter *before = resolve_parameter(r, s->word->loc, s->word->text);
	struct parameter p = { .name = s->word->text, .loc = s->word->loc };
	bool good = true;

	if (before && before->loc.source == s->word->loc.source) {
		diag_error(r->diag, s->word->loc, "twice", "a second parameter '%s'", p.name);
		diag_place(r->diag, before->loc, "the first is here");
		return false;
	}
	for (unsigned int b = 0; b < PLAN_NBUILTINS; b++) {
		if (strcmp(p.name, plan_builtin_text(b)) == 0) {
			diag_error(r->diag, s->word->loc, "param", "'%s' is a word of the language", p.name);
			return false;
		}
	}
	if (s->value->kind == EXPR_STRING) {
		p.text = mem_copy(s->value->string.bytes, s->value->string.length);
	} else {
		p.value = constant(r, s->value);
		p.is_time = is_time(r, s->value);
		good = p.value;
		if (!good)		/* said; its uses are not wrong for that */
			p.value = calc_const(PLAN_S32, 1);
		p.text = text_of(r, s->value->loc);
	}
	r->params = mem_more(r->params, r->nparams, sizeof(*r->params));
	r->params[r->nparams++] = p;
	return good;
}

/* A parameter keeps its default's type: what the command line gives must fit in. */
static bool assign_number(struct resolve *r, struct parameter *p, const char *text)
{
	struct parse ps = { .diag = r->diag };
	bool negative = text[0] == '-';
	struct diag_mark mark = diag_mark(r->diag);
	struct expr *e = expr_number(&ps, LOC_NONE, text + negative);
	enum plan_type type = p->value->type;
	struct plan_expr *value;
	bool fits;

	diag_rewind(r->diag, mark);
	if (e->kind != EXPR_NUMBER || !text[negative]) {
		diag_error(r->diag, LOC_NONE, "param", "%s=%s: '%s' is not a number; this parameter is one (%s, if nothing is said)",
			   p->name, text, text, p->text);
		diag_help(r->diag, "behind the digits: ns us ms s min h, or K M G T (of 1024)");
		expr_free(e);
		return false;
	}
	value = calc_number(&e->number);
	expr_free(e);
	if (negative)
		value = calc_unary(OP_NEGATE, calc_convert(value, calc_is_signed(value->type) ? value->type : PLAN_S64));
	fits = calc_as(type, value->value) == value->value && (calc_is_signed(type) || !negative || !value->value);
	if (!fits) {
		diag_error(r->diag, LOC_NONE, "param", "%s=%s: this parameter has %u bits%s", p->name, text, calc_width(type),
			   calc_is_signed(type) ? "" : " and no sign");
		plan_expr_free(value);
		return false;
	}
	plan_expr_free(p->value);
	p->value = calc_convert(value, type);
	return true;
}

/* In every source that has it. */
static bool assign(struct resolve *r, const struct assignment *a)
{
	bool found = false, good = true;
	struct near near;

	for (unsigned int i = 0; i < r->nparams; i++) {
		struct parameter *p = &r->params[i];

		if (strcmp(p->name, a->name) != 0)
			continue;
		found = true;
		if (p->value && !assign_number(r, p, a->value)) {
			good = false;
			continue;
		}
		free(p->text);
		p->text = mem_copy(a->value, strlen(a->value));
	}
	if (!found) {
		diag_error(r->diag, LOC_NONE, "param", "%s=%s: the script has no parameter '%s'", a->name, a->value, a->name);
		near_begin(&near, a->name);
		for (unsigned int i = 0; i < r->nparams; i++)
			near_offer(&near, r->params[i].name, strlen(r->params[i].name));
		diag_near(r->diag, &near);
		if (!near.count && !r->nparams)
			diag_help(r->diag, "it has none at all");
	}
	return found && good;
}

bool resolve_parameters(struct resolve *r, const struct script *script, const struct assignment *given, size_t ngiven)
{
	bool good = true;

	for (const struct statement *s = script->statements; s; s = s->next)
		if (s->kind == STATEMENT_PARAM)
			good &= declare(r, s);
	for (size_t i = 0; i < ngiven; i++)
		good &= assign(r, &given[i]);
	return good;
}

void resolve_parameters_free(struct resolve *r)
{
	for (unsigned int i = 0; i < r->nparams; i++) {
		free(r->params[i].text);
		plan_expr_free(r->params[i].value);
	}
	free(r->params);
}

char *resolve_replace(struct resolve *r, const char *text, struct loc loc)
{
	struct text t = {};

	while (*text) {
		const char *close = *text == '{' ? strchr(text, '}') : NULL;
		const struct parameter *p = close ? find(r, loc, text + 1, close - text - 1) : NULL;
		size_t n;

		if (p) {
			((struct parameter *)p)->used = true;
			text_string(&t, p->text);
			text = close + 1;
			continue;
		}
		if (close) {
			diag_error(r->diag, loc, "param", "there is no parameter '%.*s'", (int)(close - text - 1), text + 1);
			diag_help(r->diag, "param %.*s = \"...\" \"what it is\"", (int)(close - text - 1), text + 1);
		}
		n = close ? (size_t)(close - text + 1) : 1 + strcspn(text + 1, "{");
		text_add(&t, text, n);
		text += n;
	}
	return t.s ? text_take(&t) : mem_copy("", 0);
}
