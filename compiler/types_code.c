// SPDX-License-Identifier: GPL-2.0
/*
 * types_code.c: the variables in scope at an instruction, and where they are: DWARF's location expressions made the
 * small programs of struct locate.
 *
 * Only what DWARF says is told. A value that it calls unknown is optimized out, even where it seems plain where it
 * is.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "types_dwarf.h"

#define SCOPES		32	/* one in the other */
#define LOCATIONS	4	/* of one variable at one instruction */
#define STACK		8
#define GENERAL_REGS	16	/* rax .. r15 */
#define FRAME_DEEP	3	/* a frame base may be told by the frame's address, that by registers */

static struct debuginfo *state(const struct types_unit *u)
{
	return u->state;
}

/* ---- scopes ---- */

struct scopes {
	Dwarf_Die die[SCOPES];	/* the function first, the innermost last */
	unsigned int count;
	uint64_t pc;
	bool entry;		/* pc is the function's first instruction */
};

static bool is_scope(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

/* The compiler may have moved all of an inlined function away from where it is entered, or have left nothing of it. */
static bool is_entered(Dwarf_Die *die, uint64_t pc)
{
	Dwarf_Addr entry;

	return dwarf_tag(die) == DW_TAG_inlined_subroutine && dwarf_hasattr(die, DW_AT_entry_pc) &&
	       dwarf_entrypc(die, &entry) == 0 && entry == pc;
}

static bool find_inner(Dwarf_Die *outer, uint64_t pc, Dwarf_Die *inner)
{
	for (unsigned int pass = 0; pass < 2 && dwarf_child(outer, inner) == 0; pass++)
		do {
			if (is_scope(inner) && (pass ? is_entered(inner, pc) : dwarf_haspc(inner, pc) == 1))
				return true;
		} while (debuginfo_next(inner));
	return false;
}

static bool find_scopes(struct debuginfo *d, const struct code_place *at, struct scopes *s)
{
	const struct debug_symbol *symbol;
	Dwarf_Die unit, inner;

	*s = (struct scopes){};
	if (debuginfo_named(d, at->function, at->address, &symbol) != 1)
		return false;
	s->pc = symbol->address + at->offset;
	s->entry = !at->offset;
	if (!debuginfo_function(d, s->pc, &unit, &s->die[0]))
		return false;
	/* A part that was split off begins with no call, and with no arguments. */
	if (strstr(symbol->name, ".cold"))
		s->entry = false;
	for (s->count = 1; s->count < SCOPES && find_inner(&s->die[s->count - 1], s->pc, &inner); s->count++)
		s->die[s->count] = inner;
	return true;
}

/* Not what is declared in a block and lives elsewhere. */
static bool is_local(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_formal_parameter || (tag == DW_TAG_variable && !debuginfo_flag(die, DW_AT_declaration));
}

static bool find_in(Dwarf_Die *scope, const char *name, Dwarf_Die *found)
{
	const char *its;

	if (dwarf_child(scope, found) != 0)
		return false;
	do {
		if (is_local(found) && (its = debuginfo_name(found)) && strcmp(its, name) == 0)
			return true;
	} while (debuginfo_next(found));
	return false;
}

/* ---- expressions ---- */

/* Values on the stack are runs of operations: entry i begins at ops[start[i]]. */
struct program {
	struct debuginfo *d;
	const struct scopes *scopes;
	enum local_state state;
	struct locate out;
	unsigned int start[STACK];
	unsigned int narrow[STACK];	/* bytes of an integer type that the entry has, 0: a whole word */
	unsigned int depth;
	bool is_value;			/* of the object, not its address */
	bool is_end;			/* nothing but a piece of the whole may come behind */
};

static bool fail(struct program *p, enum local_state why)
{
	p->state = why;
	return false;
}

static bool put(struct program *p, enum locate_op op, int64_t n)
{
	if (p->out.count == LOCATE_OPS)
		return fail(p, LOCAL_TOO_COMPLEX);
	p->out.ops[p->out.count].op = op;
	p->out.ops[p->out.count++].n = n;
	return true;
}

static bool push(struct program *p, enum locate_op op, int64_t n)
{
	if (p->depth == STACK)
		return fail(p, LOCAL_TOO_COMPLEX);
	p->narrow[p->depth] = 0;
	p->start[p->depth++] = p->out.count;
	return put(p, op, n);
}

static bool push_reg(struct program *p, uint64_t reg)
{
	return reg < GENERAL_REGS ? push(p, LOCATE_REG, reg) : fail(p, LOCAL_TOO_COMPLEX);
}

static bool add(struct program *p, int64_t n)
{
	return !n || (put(p, LOCATE_CONST, n) && put(p, LOCATE_ADD, 0));
}

static bool push_sum(struct program *p, uint64_t reg, int64_t n)
{
	return push_reg(p, reg) && add(p, n);
}

/* An operation on the topmost one or two. Of narrower integers a result would have to be cut: nobody does that. */
static bool operate(struct program *p, unsigned int operands, enum locate_op op)
{
	if (p->depth < operands)
		return fail(p, LOCAL_TOO_COMPLEX);
	for (unsigned int i = 1; i <= operands; i++)
		if (p->narrow[p->depth - i])
			return fail(p, LOCAL_TOO_COMPLEX);
	if (operands == 2)
		p->depth--;
	return put(p, op, 0);
}

static unsigned int length_of(const struct program *p, unsigned int entry)
{
	return (entry + 1 < p->depth ? p->start[entry + 1] : p->out.count) - p->start[entry];
}

/* Push a copy of the entry @down from the top. */
static bool pick(struct program *p, uint64_t down)
{
	unsigned int entry, length, from;

	if (down >= p->depth || p->depth == STACK)
		return fail(p, LOCAL_TOO_COMPLEX);
	entry = p->depth - 1 - down;
	length = length_of(p, entry);
	from = p->start[entry];
	p->narrow[p->depth] = p->narrow[entry];
	p->start[p->depth++] = p->out.count;
	for (unsigned int i = 0; i < length; i++)
		if (!put(p, p->out.ops[from + i].op, p->out.ops[from + i].n))
			return false;
	return true;
}

static bool swap(struct program *p)
{
	struct locate old = p->out;
	unsigned int top, length, narrow;

	if (p->depth < 2)
		return fail(p, LOCAL_TOO_COMPLEX);
	top = p->start[p->depth - 1];
	length = p->out.count - top;
	p->out.count = p->start[p->depth - 2];
	memcpy(&p->out.ops[p->out.count], &old.ops[top], length * sizeof(*old.ops));
	memcpy(&p->out.ops[p->out.count + length], &old.ops[p->out.count], (top - p->out.count) * sizeof(*old.ops));
	p->start[p->depth - 1] = p->out.count + length;
	p->out.count = old.count;
	narrow = p->narrow[p->depth - 1];
	p->narrow[p->depth - 1] = p->narrow[p->depth - 2];
	p->narrow[p->depth - 2] = narrow;
	return true;
}

/* The top as an integer type: what is above its width is cut, or is its sign. */
static bool convert(struct program *p, Dwarf_Die *type)
{
	uint64_t size = 0, encoding = 0;
	bool is_signed;

	if (!p->depth)
		return fail(p, LOCAL_TOO_COMPLEX);
	if (!type) {			/* the word of addresses */
		p->narrow[p->depth - 1] = 0;
		return true;
	}
	if (dwarf_tag(type) != DW_TAG_base_type || !debuginfo_number(type, DW_AT_byte_size, &size) ||
	    !debuginfo_number(type, DW_AT_encoding, &encoding))
		return fail(p, LOCAL_TOO_COMPLEX);
	is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	if (!is_signed && encoding != DW_ATE_unsigned && encoding != DW_ATE_unsigned_char && encoding != DW_ATE_boolean)
		return fail(p, LOCAL_TOO_COMPLEX);
	p->narrow[p->depth - 1] = size < 8 ? size : 0;
	if (size == 8)
		return true;
	if (size != 1 && size != 2 && size != 4)
		return fail(p, LOCAL_TOO_COMPLEX);
	if (!is_signed)
		return put(p, LOCATE_CONST, (1LL << 8 * size) - 1) && put(p, LOCATE_AND, 0);
	return put(p, LOCATE_CONST, 64 - 8 * size) && put(p, LOCATE_SHL, 0) &&
	       put(p, LOCATE_CONST, 64 - 8 * size) && put(p, LOCATE_SHRA, 0);
}

static bool convert_to(struct program *p, Dwarf_Attribute *attribute, const Dwarf_Op *op, uint64_t offset)
{
	Dwarf_Die type;

	if (!offset)
		return convert(p, NULL);
	return dwarf_getlocation_die(attribute, op, &type) == 0 ? convert(p, &type) : fail(p, LOCAL_TOO_COMPLEX);
}

static bool deref(struct program *p, uint64_t size)
{
	if (!p->depth || p->narrow[p->depth - 1] || (size != 1 && size != 2 && size != 4 && size != 8))
		return fail(p, LOCAL_TOO_COMPLEX);
	return put(p, LOCATE_READ, size);
}

static bool run(struct program *p, Dwarf_Attribute *attribute, const Dwarf_Op *ops, size_t count, unsigned int deep);

/* The canonical frame address: what the stack pointer was before the call. */
static bool push_cfa(struct program *p, unsigned int deep)
{
	struct debuginfo *d = p->d;
	bool good = false;

	if (!d->have_frames) {
		d->have_frames = true;
		d->frames[0] = dwarf_getcfi(d->dwarf);
		d->frames[1] = dwarf_getcfi_elf(d->elf);
	}
	for (unsigned int i = 0; i < 2 && !good; i++) {
		Dwarf_Frame *frame;
		Dwarf_Op *ops;
		size_t count;

		if (!d->frames[i] || dwarf_cfi_addrframe(d->frames[i], p->scopes->pc, &frame) != 0)
			continue;
		if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count) {
			good = run(p, NULL, ops, count, deep + 1);
			if (!good)
				i = 2;
		}
		free(frame);
	}
	return good || fail(p, p->state == LOCAL_FOUND ? LOCAL_OPTIMIZED_OUT : p->state);
}

static bool push_frame_base(struct program *p, unsigned int deep)
{
	Dwarf_Die function = p->scopes->die[0];
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;
	bool good;

	if (!dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation_addr(&attribute, p->scopes->pc, &ops, &count, 1) != 1)
		return fail(p, LOCAL_OPTIMIZED_OUT);
	good = run(p, &attribute, ops, count, deep + 1);
	/* A register as frame base means what it holds. */
	p->is_value = p->is_end = false;
	return good;
}

/* What a register held when the function was called: at its first instruction it still does. */
static bool push_entry_value(struct program *p, Dwarf_Attribute *attribute, const Dwarf_Op *op)
{
	Dwarf_Attribute inner;
	Dwarf_Op *ops;
	size_t count;

	if (!p->scopes->entry || !attribute || dwarf_getlocation_attr(attribute, op, &inner) != 0 ||
	    dwarf_getlocation(&inner, &ops, &count) != 0 || count != 1)
		return fail(p, LOCAL_OPTIMIZED_OUT);
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return push_reg(p, ops[0].atom - DW_OP_reg0);
	return ops[0].atom == DW_OP_regx ? push_reg(p, ops[0].number) : fail(p, LOCAL_OPTIMIZED_OUT);
}

static bool push_bytes(struct program *p, const Dwarf_Block *block)
{
	uint64_t n = 0;

	if (block->length > sizeof(n))
		return fail(p, LOCAL_TOO_COMPLEX);
	memcpy(&n, block->data, block->length);
	p->is_value = p->is_end = true;
	return push(p, LOCATE_CONST, n);
}

static bool value_is(struct program *p, bool good)
{
	p->is_value = p->is_end = true;
	return good;
}

static const struct { uint8_t atom, operands, op; } plain[] = {
	{ DW_OP_plus, 2, LOCATE_ADD }, { DW_OP_minus, 2, LOCATE_SUB }, { DW_OP_mul, 2, LOCATE_MUL },
	{ DW_OP_and, 2, LOCATE_AND }, { DW_OP_or, 2, LOCATE_OR }, { DW_OP_xor, 2, LOCATE_XOR },
	{ DW_OP_shl, 2, LOCATE_SHL }, { DW_OP_shr, 2, LOCATE_SHR }, { DW_OP_shra, 2, LOCATE_SHRA },
	{ DW_OP_neg, 1, LOCATE_NEG }, { DW_OP_not, 1, LOCATE_NOT },
};

/* Types, entry values: operations that refer to more than their operands. */
static bool step_typed(struct program *p, Dwarf_Attribute *attribute, const Dwarf_Op *op)
{
	Dwarf_Block block;

	switch (op->atom) {
	case DW_OP_convert:
	case DW_OP_GNU_convert:
		return attribute ? convert_to(p, attribute, op, op->number) : fail(p, LOCAL_TOO_COMPLEX);
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		return attribute && push_reg(p, op->number) ? convert_to(p, attribute, op, op->number2) :
			fail(p, LOCAL_TOO_COMPLEX);
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		return attribute && deref(p, op->number) ? convert_to(p, attribute, op, op->number2) :
			fail(p, LOCAL_TOO_COMPLEX);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(p, attribute, op);
	case DW_OP_implicit_value:
		return attribute && dwarf_getlocation_implicit_value(attribute, op, &block) == 0 ? push_bytes(p, &block) :
			fail(p, LOCAL_TOO_COMPLEX);
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
	case DW_OP_GNU_parameter_ref:
	case DW_OP_GNU_variable_value:
		return fail(p, LOCAL_OPTIMIZED_OUT);	/* what it points to, or comes from, is in no register */
	default:
		/* DW_OP_addr too: where the kernel lies, and a module, is known only when it runs. */
		return fail(p, LOCAL_TOO_COMPLEX);
	}
}

static bool step(struct program *p, Dwarf_Attribute *attribute, const Dwarf_Op *op, unsigned int deep)
{
	uint8_t atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(p, LOCATE_CONST, atom - DW_OP_lit0);
	if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
		return value_is(p, push_reg(p, atom - DW_OP_reg0));
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_sum(p, atom - DW_OP_breg0, op->number);
	for (unsigned int i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (plain[i].atom == atom)
			return operate(p, plain[i].operands, plain[i].op);
	switch (atom) {
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s: case DW_OP_const4u:
	case DW_OP_const4s: case DW_OP_const8u: case DW_OP_const8s: case DW_OP_constu: case DW_OP_consts:
		return push(p, LOCATE_CONST, op->number);
	case DW_OP_regx:
		return value_is(p, push_reg(p, op->number));
	case DW_OP_bregx:
		return push_sum(p, op->number, op->number2);
	case DW_OP_fbreg:
		return push_frame_base(p, deep) && add(p, op->number);
	case DW_OP_call_frame_cfa:
		return push_cfa(p, deep);
	case DW_OP_plus_uconst:
		return !p->depth || p->narrow[p->depth - 1] ? fail(p, LOCAL_TOO_COMPLEX) : add(p, op->number);
	case DW_OP_deref:
		return deref(p, 8);
	case DW_OP_deref_size:
		return deref(p, op->number);
	case DW_OP_dup:
		return pick(p, 0);
	case DW_OP_over:
		return pick(p, 1);
	case DW_OP_pick:
		return pick(p, op->number);
	case DW_OP_swap:
		return swap(p);
	case DW_OP_drop:
		if (!p->depth)
			return fail(p, LOCAL_TOO_COMPLEX);
		p->out.count = p->start[--p->depth];
		return true;
	case DW_OP_stack_value:
		return value_is(p, p->depth || fail(p, LOCAL_TOO_COMPLEX));
	case DW_OP_nop:
		return true;
	default:
		return step_typed(p, attribute, op);
	}
}

static bool run(struct program *p, Dwarf_Attribute *attribute, const Dwarf_Op *ops, size_t count, unsigned int deep)
{
	if (deep > FRAME_DEEP)
		return fail(p, LOCAL_TOO_COMPLEX);
	for (size_t i = 0; i < count; i++) {
		/* One piece that is all there is; of several, somebody would have to put them together. */
		if (ops[i].atom == DW_OP_piece && i == count - 1 && p->depth)
			return true;
		if (p->is_end || !step(p, attribute, &ops[i], deep))
			return p->state == LOCAL_FOUND ? fail(p, LOCAL_TOO_COMPLEX) : false;
	}
	return p->depth || fail(p, LOCAL_OPTIMIZED_OUT);
}

static enum local_state finish(struct program *p, struct locate *locate)
{
	unsigned int top = p->start[p->depth - 1];

	*locate = (struct locate){ .in_memory = !p->is_value, .count = p->out.count - top };
	memcpy(locate->ops, &p->out.ops[top], locate->count * sizeof(*locate->ops));
	return LOCAL_FOUND;
}

/* ---- locals ---- */

static enum local_state constant(Dwarf_Die *die, struct locate *locate)
{
	struct program p = {};
	Dwarf_Attribute attribute;
	Dwarf_Block block;
	int64_t n;

	if (types_dwarf_constant(die, DW_AT_const_value, &n)) {
		*locate = (struct locate){ .count = 1, .ops = { { LOCATE_CONST, n } } };
		return LOCAL_FOUND;
	}
	if (!dwarf_attr_integrate(die, DW_AT_const_value, &attribute))
		return LOCAL_OPTIMIZED_OUT;
	if (dwarf_formblock(&attribute, &block) != 0 || !push_bytes(&p, &block))
		return LOCAL_TOO_COMPLEX;
	return finish(&p, locate);
}

static enum local_state find_location(struct debuginfo *d, const struct scopes *scopes, Dwarf_Die *die,
				      struct locate *locate)
{
	enum local_state result = LOCAL_OPTIMIZED_OUT;
	Dwarf_Op *ops[LOCATIONS];
	size_t counts[LOCATIONS];
	Dwarf_Attribute attribute;
	int n;

	if (!dwarf_attr_integrate(die, DW_AT_location, &attribute))
		return constant(die, locate);
	n = dwarf_getlocation_addr(&attribute, scopes->pc, ops, counts, LOCATIONS);
	for (int i = 0; i < n && i < LOCATIONS; i++) {
		struct program p = { .d = d, .scopes = scopes };

		if (run(&p, &attribute, ops[i], counts[i], 0))
			return finish(&p, locate);
		result = p.state;
	}
	return result;
}

enum local_state types_dwarf_local(struct types *ts, struct types_unit *u, const struct code_place *at,
				   const char *name, const struct type **type, struct locate *locate)
{
	struct scopes scopes;
	Dwarf_Die die, origin;

	*type = NULL;
	*locate = (struct locate){};
	if (!find_scopes(state(u), at, &scopes))
		return LOCAL_ABSENT;
	for (unsigned int i = scopes.count; i-- > 0;) {
		if (find_in(&scopes.die[i], name, &die)) {
			*type = types_dwarf_type_of(ts, u, &die);
			return find_location(state(u), &scopes, &die, locate);
		}
		/* What an inlined function has and nothing is left of must not be taken for its caller's. */
		if (debuginfo_ref(&scopes.die[i], DW_AT_abstract_origin, &origin) && find_in(&origin, name, &die)) {
			*type = types_dwarf_type_of(ts, u, &die);
			return LOCAL_OPTIMIZED_OUT;
		}
	}
	return LOCAL_ABSENT;
}

void types_dwarf_near_locals(struct types *ts, struct types_unit *u, const struct code_place *at, struct near *near)
{
	struct scopes scopes;
	Dwarf_Die die;

	if (!find_scopes(state(u), at, &scopes))
		return;
	for (unsigned int i = scopes.count; i-- > 0;) {
		if (dwarf_child(&scopes.die[i], &die) != 0)
			continue;
		do {
			const char *name = is_local(&die) ? debuginfo_name(&die) : NULL;

			if (name)
				near_offer(near, name, strlen(name));
		} while (debuginfo_next(&die));
	}
}
