// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_expr.c: expressions with the target kernel's types: what a member, an element, a cast or an operator gives.
 * resolve_operand.c reads it; calc.c has the arithmetic.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "older.h"
#include "resolve_private.h"

#define ERRNO_MAX	4095	/* IS_ERR: the last page of addresses are errnos */

/* ---- members and elements ---- */

static bool is_structure(const struct type *t)
{
	return t->class == CLASS_STRUCT || t->class == CLASS_UNION;
}

void resolve_no_member(struct resolve *r, struct loc loc, const struct type *t, const char *name)
{
	char *text = types_text(r->types, t), *below;
	struct near near;

	diag_error(r->diag, loc, "no-member", "'%s' has no field '%s'", text, name);
	near_begin(&near, name);
	types_near_members(r->types, t, &near);
	below = types_near_below(r->types, t, &near);
	if (below)
		diag_help(r->diag, "did you mean %s?", below);
	else
		diag_near(r->diag, &near);
	free(below);
	free(text);
}

static void no_member(struct resolve *r, const struct expr *e, const struct type *t)
{
	char *text;

	if (t->size) {
		resolve_no_member(r, e->member.name_loc, t, e->member.name);
		return;
	}
	text = types_text(r->types, t);
	diag_error(r->diag, e->member.name_loc, "incomplete", "the fields of '%s' are not known: the type information only declares it",
		   text);
	if (!types_have_dwarf(r->types, NULL))
		diag_help(r->diag, "where it is private to a module, name the function with its module: MODULE:FUNCTION");
	free(text);
}

/* A field of a structure that was passed in registers: cut it out of its words. */
static bool register_member(struct resolve *r, const struct expr *e, const struct type_member *m, struct operand *o)
{
	uint64_t size = m->type->size;
	struct plan_expr *word;

	if (is_structure(m->type) && m->offset == 0) {
		o->type = m->type;
		return true;
	}
	if (!operand_readable(m->type) || m->offset / 8 != (m->offset + size - 1) / 8) {
		resolve_operand_free(o);
		resolve_not_yet(r, e->member.name_loc, "this field of a structure that is passed in registers");
		return false;
	}
	word = m->offset >= 8 ? o->high : o->e;
	if (m->offset >= 8)
		o->high = NULL;
	else
		o->e = NULL;
	resolve_operand_free(o);
	word = calc_binary(OP_SHR, calc_convert(word, PLAN_U64), calc_const(PLAN_S32, m->offset % 8 * 8 + m->shift));
	if (m->bits) {
		word = calc_binary(OP_SHL, word, calc_const(PLAN_S32, 64 - m->bits));
		word = calc_binary(OP_SHR, calc_convert(word, m->type->is_signed ? PLAN_S64 : PLAN_U64),
				   calc_const(PLAN_S32, 64 - m->bits));
	}
	o->e = calc_narrow(word, size, m->type->is_signed);
	o->type = m->type;
	o->user = m->type->class == CLASS_POINTER && m->type->is_user;
	return true;
}

static bool member(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o);

static bool is_of(struct resolve *r, const struct expr *e, const struct context *context, const char *name)
{
	struct operand o;
	const struct type *t;
	bool is = false;

	if (!resolve_operand(r, e, context, &o))
		return false;
	t = o.type && o.type->class == CLASS_POINTER ? types_target(r->types, o.type) : o.type;
	is = t && is_structure(t) && t->name && strcmp(t->name, name) == 0;
	resolve_operand_free(&o);
	return is;
}

/* A field that this kernel has by an older name, or directly in the structure outside. */
static bool older_member(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o)
{
	const struct expr *of = e->member.of;
	const struct older_field *older = older_field(e->member.name, of->kind == EXPR_MEMBER ? of->member.name : NULL);
	struct expr instead = *e;

	if (older && older->through) {
		instead.member.of = of->member.of;
		instead.member.arrow = of->member.arrow;
	}
	if (!older || !is_of(r, instead.member.of, context, older->outer))
		return false;
	instead.member.name = (char *)older->before;
	return member(r, &instead, context, o);
}

static bool member(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o)
{
	struct type_member m;
	const struct type *t;

	if (!resolve_operand(r, e->member.of, context, o))
		return false;
	if (o->type && is_structure(o->type)) {
		if (e->member.arrow) {
			bool good = operand_wrong(r, e->member.of->loc, o, "not-a-pointer", "'->' is for pointers");

			diag_help(r->diag, "write .%s", e->member.name);
			return good;
		}
		t = o->type;
	} else {
		if (!operand_load(r, e->member.of->loc, o))
			return false;
		if (!operand_is_pointer(o))
			return operand_wrong(r, e->member.of->loc, o, "not-a-structure", "only structures have fields");
		t = types_target(r->types, o->type);
		if (!is_structure(t))
			return operand_wrong(r, e->member.of->loc, o, "not-a-structure", "only structures have fields");
		if (!e->member.arrow) {
			bool good = operand_wrong(r, e->member.of->loc, o, "not-a-structure", "'.' is for structures");

			diag_help(r->diag, "write ->%s", e->member.name);
			return good;
		}
		o->in_memory = true;	/* at the pointer's value, with its user */
		o->type = t;
	}
	if (!types_member(r->types, t, e->member.name, &m)) {
		/* Only declared where it was met: perhaps whole elsewhere. */
		const struct type *full = t->size || !t->name ? NULL :
			types_named(r->types, t->class, t->name, context->site ? context->site->point.module : NULL);

		if (!full || !types_member(r->types, full, e->member.name, &m)) {
			resolve_operand_free(o);
			if (older_member(r, e, context, o))
				return true;
			no_member(r, e, full ? full : t);
			return false;
		}
	}
	if (!o->in_memory)
		return register_member(r, e, &m, o);
	o->e = calc_binary(OP_ADD, calc_convert(o->e, PLAN_U64), calc_const(PLAN_U64, m.offset));
	o->type = m.type;
	o->bits = m.bits;
	o->shift = m.shift;
	o->is_cgroup = t->name && strcmp(t->name, "kernfs_node") == 0 && strcmp(e->member.name, "id") == 0;
	return true;
}

static bool element_size(struct resolve *r, struct loc loc, const struct type *pointer, uint64_t *size)
{
	const struct type *t = types_target(r->types, pointer);
	char *text;

	*size = t->class == CLASS_VOID || t->class == CLASS_FUNCTION ? 1 : t->size;
	if (*size)
		return true;
	text = types_text(r->types, t);
	diag_error(r->diag, loc, "incomplete", "the size of '%s' is not known", text);
	free(text);
	return false;
}

/* What pointer @o points to. */
static bool follow(struct resolve *r, struct loc loc, struct operand *o)
{
	const struct type *t;

	if (!operand_load(r, loc, o))
		return false;
	if (!operand_is_pointer(o))
		return operand_wrong(r, loc, o, "not-a-pointer", "a pointer belongs here");
	t = types_target(r->types, o->type);
	if (t->class == CLASS_VOID) {
		bool good = operand_wrong(r, loc, o, "void", "what is read must have a type");

		diag_help(r->diag, "say it with a cast: (struct NAME *), (int *)");
		return good;
	}
	o->type = t;
	o->in_memory = true;
	return true;
}

static bool add_scaled(struct resolve *r, struct loc loc, enum operator op, struct operand *pointer,
		       struct plan_expr *count)
{
	uint64_t size;

	if (!element_size(r, loc, pointer->type, &size)) {
		plan_expr_free(count);
		resolve_operand_free(pointer);
		return false;
	}
	count = calc_binary(OP_MUL, calc_convert(calc_convert(count, calc_is_signed(count->type) ? PLAN_S64 : PLAN_U64),
						 PLAN_U64), calc_const(PLAN_U64, size));
	pointer->e = calc_binary(op, calc_convert(pointer->e, PLAN_U64), count);
	return true;
}

static bool element(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o)
{
	struct plan_expr *index;
	uint64_t count;

	if (!resolve_operand(r, e->op.a, context, o))
		return false;
	count = o->type && o->type->class == CLASS_ARRAY ? o->type->count : 0;
	index = resolve_value(r, e->op.b, context);
	if (!index || !operand_load(r, e->op.a->loc, o)) {
		plan_expr_free(index);
		resolve_operand_free(o);
		return false;
	}
	if (!operand_is_pointer(o)) {
		plan_expr_free(index);
		return operand_wrong(r, e->op.a->loc, o, "not-a-pointer", "[ ] is for arrays and pointers");
	}
	if (count > 1 && calc_is_const(index) && index->value >= count)
		diag_warn(r->diag, e->op.b->loc, "index", "the array has %" PRIu64 " elements, counted from 0", count);
	return add_scaled(r, e->loc, OP_ADD, o, index) && follow(r, e->loc, o);
}

/* ---- casts ---- */

static const struct type *cast_type(struct resolve *r, const struct expr *e, const struct context *context)
{
	static const enum type_class classes[] = {
		[TYPE_WORDS] = CLASS_INT, [TYPE_STRUCT] = CLASS_STRUCT, [TYPE_UNION] = CLASS_UNION, [TYPE_ENUM] = CLASS_ENUM,
	};
	const struct type_name *name = e->cast.type;
	const struct type *t = types_named(r->types, classes[name->kind], name->name,
					   context->site ? context->site->point.module : NULL);
	const char *before = !t && name->kind == TYPE_ENUM ? older_enum(name->name) : NULL;
	struct near near;

	if (before)
		t = types_named(r->types, CLASS_ENUM, before, NULL);
	if (!t) {
		diag_error(r->diag, name->loc, "no-type", "no type '%s' in kernel %s", name->name, r->kernel->release);
		if (types_have_btf(r->types) || types_have_dwarf(r->types, NULL)) {
			near_begin(&near, name->name);
			if (resolve_wants_near(r))
				types_near_named(r->types, classes[name->kind], &near);
			diag_near(r->diag, &near);
		} else {
			diag_help(r->diag, "there is no type information: neither BTF nor DWARF");
		}
		return NULL;
	}
	for (unsigned int i = 0; i < name->stars; i++)
		t = types_pointer(r->types, t);
	return t;
}

static bool cast(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o)
{
	const struct type *t = cast_type(r, e, context);

	if (!t) {
		/* What stands behind it is still looked at: all errors in one go. */
		if (resolve_operand(r, e->cast.of, context, o))
			resolve_operand_free(o);
		return false;
	}
	if (!resolve_operand(r, e->cast.of, context, o) || !operand_load(r, e->cast.of->loc, o))
		return false;
	if (!operand_is_number(o) && !operand_is_pointer(o))
		return operand_wrong(r, e->cast.of->loc, o, "cast", "only numbers and pointers can be cast");
	if (!operand_readable(t)) {
		char *text = types_text(r->types, t);

		diag_error(r->diag, e->cast.type->loc, "cast", "a cast to '%s' is not possible: a number or a pointer is", text);
		if (is_structure(t))
			diag_help(r->diag, "to a pointer: (%s *)", text);
		free(text);
		resolve_operand_free(o);
		return false;
	}
	if (t->is_bool)
		o->e = calc_truth(o->e);
	else if (t->class == CLASS_POINTER)
		o->e = calc_convert(calc_convert(o->e, calc_is_signed(o->e->type) ? PLAN_S64 : PLAN_U64), PLAN_U64);
	else
		o->e = calc_narrow(o->e, t->size, t->is_signed);
	o->user = t->class == CLASS_POINTER && (o->user || t->is_user);
	o->is_errno &= t->class == CLASS_INT && t->is_signed;
	o->type = t;
	return true;
}

/* ---- unary ---- */

static bool address(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o)
{
	if (e->op.a->kind == EXPR_NAME)
		return resolve_name(r, e->op.a, context, true, o);
	if (!resolve_operand(r, e->op.a, context, o))
		return false;
	if (o->bits) {
		diag_error(r->diag, e->op.a->loc, "address", "a bit-field has no address");
		resolve_operand_free(o);
		return false;
	}
	if (!o->in_memory)
		return operand_wrong(r, e->op.a->loc, o, "address", "what has an address is in memory");
	o->type = types_pointer(r->types, o->type);
	o->in_memory = false;
	return true;
}

static bool unary(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o)
{
	struct plan_expr *a;

	if (e->op.op == OP_ADDRESS)
		return address(r, e, context, o);
	if (!resolve_operand(r, e->op.a, context, o))
		return false;
	if (e->op.op == OP_DEREFERENCE)
		return follow(r, e->op.a->loc, o);
	a = operand_number(r, e->op.a->loc, o, e->op.op == OP_NOT);
	if (!a)
		return false;
	operand_set_number(r, o, e->op.op == OP_PLUS ? a : calc_unary(e->op.op, a));
	return true;
}

/* ---- binary ---- */

static bool is_comparison(enum operator op)
{
	return op >= OP_LT && op <= OP_NE;
}

/* An unsigned number is never negative: what C would do silently is said. */
static void warn_sign(struct resolve *r, const struct expr *e, const struct plan_expr *a, enum plan_type type)
{
	if (calc_is_const(a) && calc_is_signed(a->type) && (int64_t)a->value < 0 && !calc_is_signed(type)) {
		diag_warn(r->diag, e->loc, "sign", "compared with an unsigned number, %" PRId64 " is %" PRIu64,
			  (int64_t)a->value, calc_as(type, a->value));
	}
}

/* `$count < 0`: of an unsigned number always one and the same. Of a name, a parameter's, another value was meant to be possible. */
static void warn_never(struct resolve *r, const struct expr *e, const struct plan_expr *a, const struct plan_expr *b)
{
	bool below = (e->op.op == OP_LT || e->op.op == OP_GE) && calc_is_const(b) && !b->value && !calc_is_const(a);
	bool above = (e->op.op == OP_GT || e->op.op == OP_LE) && calc_is_const(a) && !a->value && !calc_is_const(b);

	below = below && e->op.b->kind != EXPR_NAME;
	above = above && e->op.a->kind != EXPR_NAME;
	if ((below || above) && !calc_is_signed(calc_common(a->type, b->type)))
		diag_warn(r->diag, e->loc, "sign", "an unsigned number is never negative: this is always %s",
			  e->op.op == OP_LT || e->op.op == OP_GT ? "false" : "true");
}

static bool is_zero(const struct operand *o)
{
	return o->e && calc_is_const(o->e) && !o->e->value;
}

/* How long the script's own text is, with what its parameters are replaced by; 0: it is none. */
static size_t text_length(struct resolve *r, const struct expr *e)
{
	const struct parameter *p = e->kind == EXPR_NAME ? resolve_parameter(r, e->loc, e->name) : NULL;
	struct diag_mark mark = diag_mark(r->diag);
	size_t length;
	char *replaced;

	if (p)
		return p->value ? 0 : strlen(p->text);
	if (e->kind != EXPR_STRING || !strchr(e->string.bytes, '{'))
		return e->kind == EXPR_STRING ? e->string.length : 0;
	replaced = resolve_replace(r, e->string.bytes, e->loc);
	diag_rewind(r->diag, mark);	/* what is wrong with it was said */
	length = strlen(replaced);
	free(replaced);
	return length;
}

/* A text too long for what it is compared with can never be equal. */
static bool text_fits(struct resolve *r, const struct expr *e, const struct expr *other)
{
	bool comm = other->kind == EXPR_NAME && strcmp(other->name, "comm") == 0;
	size_t room = 8 * (comm ? KSTATS_COMM_WORDS : KSTATS_STRING_WORDS) - 1, length = text_length(r, e);

	if (length <= room)
		return true;
	diag_error(r->diag, e->loc, "text", "this text has %zu bytes; %s the first %zu%s", length,
		   comm ? "the kernel keeps" : "texts are compared by", room, comm ? " of a name" : "");
	return false;
}

static bool compare_texts(struct resolve *r, const struct expr *e, struct operand *a, struct operand *b, struct operand *o)
{
	struct plan_expr *x, *y;

	if (e->op.op != OP_EQ && e->op.op != OP_NE) {
		diag_error(r->diag, e->loc, "text", "texts are compared by == or !=");
		goto fail;
	}
	if (!operand_is_text(r, a) || !operand_is_text(r, b)) {
		struct operand *not = operand_is_text(r, a) ? b : a;
		char *type = operand_type_text(r, not);

		diag_error(r->diag, not == a ? e->op.a->loc : e->op.b->loc, "text", "a text is compared with a text, but this is "
			   "%s", type);
		if (operand_is_pointer(not) || (not->type && not->type->class == CLASS_ARRAY))
			diag_help(r->diag, "a cast says that it points to text: (char *)");
		free(type);
		goto fail;
	}
	if (!text_fits(r, e->op.a, e->op.b) || !text_fits(r, e->op.b, e->op.a))
		goto fail;
	x = operand_text(r, e->op.a->loc, a);
	y = operand_text(r, e->op.b->loc, b);
	/* A full array of 16 has no final 0: what is longer differs from it only behind that. */
	if (x && x->kind == PLAN_STRING_AT)
		x->words = KSTATS_STRING_WORDS;
	if (y && y->kind == PLAN_STRING_AT)
		y->words = KSTATS_STRING_WORDS;
	operand_set_number(r, o, calc_same(x, y, e->op.op == OP_NE));
	return true;
fail:
	resolve_operand_free(a);
	resolve_operand_free(b);
	return false;
}

/* p + n, n + p, p - n, p - q */
static bool pointer_sum(struct resolve *r, const struct expr *e, struct operand *a, struct operand *b, struct operand *o)
{
	struct operand *pointer = operand_is_pointer(a) ? a : b, *count = pointer == a ? b : a;
	uint64_t size;

	if (e->op.op == OP_SUB && operand_is_pointer(a) && operand_is_pointer(b)) {
		bool same = types_same(r->types, types_target(r->types, a->type), types_target(r->types, b->type));

		if (!same)
			diag_error(r->diag, e->loc, "pointers", "pointers of different types cannot be subtracted");
		if (!same || !element_size(r, e->op.a->loc, a->type, &size)) {
			resolve_operand_free(a);
			resolve_operand_free(b);
			return false;
		}
		operand_set_number(r, o, calc_binary(OP_DIV, calc_convert(calc_binary(OP_SUB, a->e, b->e), PLAN_S64),
					     calc_const(PLAN_S64, size)));
		return true;
	}
	if (operand_is_pointer(count) || (e->op.op == OP_SUB && pointer == b)) {
		diag_error(r->diag, e->loc, "pointers", "'%s' of these two makes no sense: a pointer and a number, in this order, "
			   "or two pointers of one type and -", operator_text(e->op.op));
		resolve_operand_free(a);
		resolve_operand_free(b);
		return false;
	}
	if (!operand_is_number(count)) {
		resolve_operand_free(pointer);
		return operand_wrong(r, e->loc, count, "not-a-number", "a number belongs here");
	}
	*o = *pointer;
	return add_scaled(r, e->loc, e->op.op, o, count->e);
}

static bool arithmetic(struct resolve *r, const struct expr *e, struct operand *a, struct operand *b, struct operand *o)
{
	enum operator op = e->op.op;
	bool pointers = is_comparison(op) || op == OP_BOTH || op == OP_EITHER;
	struct plan_expr *x = operand_number(r, e->op.a->loc, a, pointers), *y = operand_number(r, e->op.b->loc, b, pointers);
	const char *fault;

	if (!x || !y) {
		plan_expr_free(x);
		plan_expr_free(y);
		return false;
	}
	if (is_comparison(op)) {
		warn_never(r, e, x, y);
		warn_sign(r, e->op.a, x, calc_common(x->type, y->type));
		warn_sign(r, e->op.b, y, calc_common(x->type, y->type));
	}
	fault = op == OP_DIV || op == OP_MOD ? calc_division_fault(x, y) : NULL;
	if (fault) {
		diag_error(r->diag, e->loc, "division", "%s", fault);
		plan_expr_free(x);
		plan_expr_free(y);
		return false;
	}
	operand_set_number(r, o, calc_binary(op, x, y));
	return true;
}

static bool binary(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o)
{
	struct operand a = {}, b = {};
	bool good = resolve_operand(r, e->op.a, context, &a);

	good &= resolve_operand(r, e->op.b, context, &b);
	if (good && is_comparison(e->op.op) && resolve_is_place(&a, &b))
		return resolve_place(r, e, &a, &b, o);
	if (good && is_comparison(e->op.op) && (!a.type || !b.type || (operand_is_text(r, &a) && operand_is_text(r, &b))) && !is_zero(&a) &&
	    !is_zero(&b))
		return compare_texts(r, e, &a, &b, o);
	if (good && (e->op.op == OP_ADD || e->op.op == OP_SUB)) {
		good = operand_load(r, e->op.a->loc, &a) && operand_load(r, e->op.b->loc, &b);
		if (good && (operand_is_pointer(&a) || operand_is_pointer(&b)))
			return pointer_sum(r, e, &a, &b, o);
	}
	if (good)
		return arithmetic(r, e, &a, &b, o);
	resolve_operand_free(&a);
	resolve_operand_free(&b);
	return false;
}

static bool ternary(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o)
{
	struct plan_expr *a = resolve_condition(r, e->op.a, context), *x, *y;
	struct operand b = {}, c = {};
	bool good = resolve_operand(r, e->op.b, context, &b);

	good &= resolve_operand(r, e->op.c, context, &c);
	if (!a || !good) {
		plan_expr_free(a);
		resolve_operand_free(&b);
		resolve_operand_free(&c);
		return false;
	}
	good = operand_load(r, e->op.b->loc, &b) && operand_load(r, e->op.c->loc, &c);
	if (good && (operand_is_pointer(&b) || operand_is_pointer(&c)) && (operand_is_pointer(&b) || is_zero(&b)) && (operand_is_pointer(&c) || is_zero(&c))) {
		*o = operand_is_pointer(&b) ? b : c;	/* C's null pointer is 0; else the first's type */
		if (operand_is_pointer(&b) && operand_is_pointer(&c) && b.user != c.user) {
			diag_error(r->diag, e->loc, "pointers", "one of these points to user memory, the other to the kernel's");
			plan_expr_free(a);
			resolve_operand_free(&b);
			resolve_operand_free(&c);
			*o = (struct operand){};
			return false;
		}
		o->e = calc_ternary(a, calc_convert(b.e, PLAN_U64), calc_convert(c.e, PLAN_U64));
		return true;
	}
	x = b.e ? operand_number(r, e->op.b->loc, &b, false) : NULL;
	y = c.e ? operand_number(r, e->op.c->loc, &c, false) : NULL;
	if (!x || !y) {
		plan_expr_free(a);
		plan_expr_free(x);
		plan_expr_free(y);
		return false;
	}
	operand_set_number(r, o, calc_ternary(a, x, y));
	return true;
}

/* ---- ntohs and the like ---- */

const char *const resolve_calls[] = { "ntohs", "ntohl", "IS_ERR", "PTR_ERR", "in_cgroup", NULL };

static bool call(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o)
{
	struct plan_expr *x;
	struct near near;
	unsigned int i;

	near_begin(&near, e->call.name);
	for (i = 0; resolve_calls[i] && strcmp(resolve_calls[i], e->call.name) != 0; i++)
		near_offer(&near, resolve_calls[i], strlen(resolve_calls[i]));
	if (!resolve_calls[i]) {
		diag_error(r->diag, e->call.name_loc, "call", "'%s' cannot be called: a script calls only ntohs, ntohl, IS_ERR, "
			   "PTR_ERR and in_cgroup", e->call.name);
		if (strcmp(e->call.name, "strcmp") == 0 || strcmp(e->call.name, "strncmp") == 0)
			diag_help(r->diag, "texts are compared by == and !=: comm == \"sshd\"");
		else
			diag_near(r->diag, &near);
		return false;
	}
	if (!e->call.args || e->call.args->next) {
		diag_error(r->diag, e->loc, "call", "%s() takes one argument", e->call.name);
		return false;
	}
	if (i == 4)
		return resolve_in_cgroup(r, e->call.args, o);
	if (!resolve_operand(r, e->call.args, context, o))
		return false;
	x = operand_number(r, e->call.args->loc, o, i >= 2);
	if (!x)
		return false;
	if (i < 2)
		x = calc_swap(x, i ? 4 : 2);
	else if (i == 2)
		x = calc_binary(OP_GE, calc_convert(x, PLAN_U64), calc_const(PLAN_U64, -ERRNO_MAX));
	else
		x = calc_convert(x, PLAN_S64);
	operand_set_number(r, o, x);
	o->is_errno = i == 3;
	return true;
}

static void text(struct resolve *r, const struct expr *e, struct operand *o)
{
	char *replaced = strchr(e->string.bytes, '{') ? resolve_replace(r, e->string.bytes, e->loc) : NULL;

	o->e = replaced ? calc_text(replaced, strlen(replaced)) : calc_text(e->string.bytes, e->string.length);
	free(replaced);
}

/* ---- any of them ---- */

bool resolve_operand(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o)
{
	*o = (struct operand){};
	switch (e->kind) {
	case EXPR_NUMBER:
		operand_set_number(r, o, calc_number(&e->number));
		return true;
	case EXPR_STRING:
		text(r, e, o);
		return true;
	case EXPR_NAME:
		return resolve_name(r, e, context, false, o);
	case EXPR_ARG:
		return resolve_argument(r, e, context, o);
	case EXPR_UNARY:
		return unary(r, e, context, o);
	case EXPR_BINARY:
		return binary(r, e, context, o);
	case EXPR_TERNARY:
		return ternary(r, e, context, o);
	case EXPR_MEMBER:
		return member(r, e, context, o);
	case EXPR_INDEX:
		return element(r, e, context, o);
	case EXPR_CAST:
		return cast(r, e, context, o);
	case EXPR_CALL:
		return call(r, e, context, o);
	case EXPR_BAD:
		break;
	}
	return false;
}

struct plan_expr *resolve_value(struct resolve *r, const struct expr *e, const struct context *context)
{
	struct operand o;

	return resolve_operand(r, e, context, &o) ? operand_number(r, e->loc, &o, false) : NULL;
}

struct plan_expr *resolve_condition(struct resolve *r, const struct expr *e, const struct context *context)
{
	struct operand o;
	struct plan_expr *p = resolve_operand(r, e, context, &o) ? operand_number(r, e->loc, &o, true) : NULL;

	if (p && calc_is_const(p))
		diag_warn(r->diag, e->loc, "constant", "this is always %s", p->value ? "true" : "false");
	return p;
}
