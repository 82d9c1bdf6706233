// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_operand.c: what an expression has come to so far (struct operand): an object in memory, a value, a text; how it
 * is read, and made the number or text that is wanted.
 */
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

void resolve_operand_free(struct operand *o)
{
	plan_expr_free(o->e);
	plan_expr_free(o->high);
	*o = (struct operand){};
}

/* "struct file *" of an operand, for messages; malloc'ed. */
char *operand_type_text(struct resolve *r, const struct operand *o)
{
	if (o->e && o->e->type == PLAN_STRING)
		return mem_copy("a text", 6);
	if (o->e && o->e->type == PLAN_FRAMES)
		return mem_copy("a stack", 7);
	return o->type ? types_text(r->types, o->type) : mem_copy("a number", 8);
}

/* An error about an operand whose type does not fit: "WHAT, but this is TYPE". Frees it. */
bool operand_wrong(struct resolve *r, struct loc loc, struct operand *o, const char *tag, const char *what)
{
	char *type = operand_type_text(r, o);

	diag_error(r->diag, loc, tag, "%s, but this is %s", what, type);
	free(type);
	resolve_operand_free(o);
	return false;
}

static const struct type *int_type(struct resolve *r, enum plan_type type)
{
	return types_int(r->types, calc_width(type) / 8, calc_is_signed(type));
}

void operand_set_number(struct resolve *r, struct operand *o, struct plan_expr *e)
{
	*o = (struct operand){ .e = e, .type = int_type(r, e->type) };
}

bool operand_is_pointer(const struct operand *o)
{
	return o->type && o->type->class == CLASS_POINTER;
}

bool operand_is_number(const struct operand *o)
{
	return o->type && (o->type->class == CLASS_INT || o->type->class == CLASS_ENUM);
}

static bool is_plain_char(const struct type *t)
{
	return t->class == CLASS_INT && t->size == 1 && t->name && strcmp(t->name, "char") == 0;
}

/* A pointer to char, an array of char, or a text already. */
bool operand_is_text(struct resolve *r, const struct operand *o)
{
	if (!o->type)
		return o->e->type == PLAN_STRING;
	return (o->type->class == CLASS_POINTER || o->type->class == CLASS_ARRAY) &&
	       is_plain_char(types_target(r->types, o->type));
}

/* ---- from memory to values ---- */

/* A bit-field of @o->bits bits, at @o->shift in the type's storage. */
static struct plan_expr *read_bits(const struct operand *o)
{
	enum plan_type type = o->type->is_signed ? PLAN_S64 : PLAN_U64;
	struct plan_expr *e = calc_convert(calc_read(o->e, o->type->size, false, o->user), PLAN_U64);

	e = calc_binary(OP_SHL, e, calc_const(PLAN_S32, 64 - o->shift - o->bits));
	e = calc_binary(OP_SHR, calc_convert(e, type), calc_const(PLAN_S32, 64 - o->bits));
	if (o->bits < 32 || (o->bits == 32 && o->type->is_signed))
		return calc_convert(e, PLAN_S32);
	return o->bits == 32 ? calc_convert(e, PLAN_U32) : e;
}

bool operand_readable(const struct type *t)
{
	return (t->class == CLASS_INT || t->class == CLASS_ENUM || t->class == CLASS_POINTER) &&
	       (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8);
}

/* Make @o a value: read it, or let an array be the pointer to its first element. */
bool operand_load(struct resolve *r, struct loc loc, struct operand *o)
{
	const struct type *t = o->type;

	if (!t || !o->in_memory)
		return true;
	if (t->class == CLASS_ARRAY || t->class == CLASS_FUNCTION) {
		o->type = types_pointer(r->types, t->class == CLASS_ARRAY ? types_target(r->types, t) : t);
		o->in_memory = false;
		return true;
	}
	if (!operand_readable(t)) {
		bool structure = t->class == CLASS_STRUCT || t->class == CLASS_UNION, good;

		good = operand_wrong(r, loc, o, "not-a-number", "a number belongs here");
		if (structure)
			diag_help(r->diag, "name one of its fields");
		return good;
	}
	o->e = o->bits ? read_bits(o) : calc_read(o->e, t->size, t->is_signed && t->class != CLASS_POINTER, o->user);
	o->in_memory = false;
	o->user = t->class == CLASS_POINTER && (o->user || t->is_user);
	o->bits = 0;
	return true;
}

/* As a number; a pointer is one with @pointer. Takes what @o holds. */
struct plan_expr *operand_number(struct resolve *r, struct loc loc, struct operand *o, bool pointer)
{
	struct plan_expr *e;

	if (!operand_load(r, loc, o))
		return NULL;
	if (!o->type) {
		operand_wrong(r, loc, o, "text", "a number belongs here");
		return NULL;
	}
	if (!operand_is_number(o) && !(pointer && operand_is_pointer(o))) {
		operand_wrong(r, loc, o, "not-a-number", operand_is_pointer(o) ? "a number belongs here (a cast makes one of a pointer)" :
		      "a number belongs here");
		return NULL;
	}
	if (o->e->kind == PLAN_BUILTIN && o->e->builtin == PLAN_CONTAINER) {
		diag_error(r->diag, loc, "container", "a container is a key of `by`, or compared by == or != with a text");
		resolve_operand_free(o);
		return NULL;
	}
	e = o->e;
	o->e = NULL;
	resolve_operand_free(o);
	return e;
}

/* As a text; not called for others. */
struct plan_expr *operand_text(struct resolve *r, struct loc loc, struct operand *o)
{
	struct plan_expr *e = o->e;
	unsigned int size = 8 * KSTATS_STRING_WORDS;

	if (!o->type)
		return e;
	if (o->type->class == CLASS_ARRAY && o->in_memory) {
		if (o->type->count && o->type->count < size)
			size = o->type->count;
		return calc_string(e, size, o->user);
	}
	if (!operand_load(r, loc, o))
		return NULL;
	return calc_string(o->e, size, o->user);
}
