// SPDX-License-Identifier: GPL-2.0
/*
 * types_dwarf.c: types, members, enumerators and prototypes from DWARF.
 *
 * A type's id is the address of its DIE; each compilation unit has DIEs of its own for what it includes. Arrays in
 * arrays are one DIE: the inner ones go by their DW_TAG_subrange_type.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "types_dwarf.h"

static struct debuginfo *state(const struct types_unit *u)
{
	return u->state;
}

static void open_unit(struct types *ts, struct types_unit *u)
{
	u->state = debuginfo_open(ts, u->module);
}

static void close_unit(struct types_unit *u)
{
	if (u->state)
		debuginfo_close(u->state);
	u->state = NULL;
}

/* ---- types ---- */

struct peeled {
	Dwarf_Die die;
	bool is_void;
	const char *alias;
	const void *id;
};

/* Through qualifiers and typedefs. False: they go on for ever, or nowhere. */
static bool peel(Dwarf_Die *die, struct peeled *p)
{
	*p = (struct peeled){ .die = *die };
	for (unsigned int n = 0; n < TYPES_CHAIN; n++) {
		Dwarf_Die next;

		switch (dwarf_tag(&p->die)) {
		case DW_TAG_typedef:
			if (!p->id) {
				p->id = p->die.addr;
				p->alias = debuginfo_name(&p->die);
			}
			break;
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
		case DW_TAG_packed_type:
		case DW_TAG_shared_type:
			break;
		case DW_TAG_invalid:
			return false;
		default:
			p->id = p->id ? p->id : p->die.addr;
			return true;
		}
		if (!dwarf_hasattr(&p->die, DW_AT_type)) {
			p->is_void = true;
			return true;
		}
		if (!debuginfo_ref(&p->die, DW_AT_type, &next))
			return false;
		p->die = next;
	}
	return false;
}

bool types_dwarf_constant(Dwarf_Die *die, unsigned int name, int64_t *n)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword sword;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(die, name, &attribute))
		return false;
	switch (dwarf_whatform(&attribute)) {
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		if (dwarf_formsdata(&attribute, &sword) != 0)
			return false;
		*n = sword;
		return true;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
		if (dwarf_formudata(&attribute, &word) != 0)
			return false;
		*n = word;
		return true;
	default:
		return false;
	}
}

static uint64_t size_of(Dwarf_Die *die)
{
	uint64_t size = 0;

	return debuginfo_number(die, DW_AT_byte_size, &size) && size < 1ULL << 48 ? size : 0;
}

static void describe_base(Dwarf_Die *die, struct type *t)
{
	uint64_t encoding = 0;

	debuginfo_number(die, DW_AT_encoding, &encoding);
	t->class = CLASS_INT;
	switch (encoding) {
	case DW_ATE_boolean:
		t->is_bool = true;
		return;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		t->is_signed = true;
		t->is_char = encoding == DW_ATE_signed_char && t->size == 1;
		return;
	case DW_ATE_unsigned:
		return;
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		t->is_char = t->size == 1;
		return;
	default:
		t->class = CLASS_OTHER;
	}
}

static bool first_enumerator(Dwarf_Die *of, Dwarf_Die *e)
{
	return dwarf_child(of, e) == 0;
}

/* gcc and clang say what integer an enum is; where that is missing, one that is negative tells. */
static bool is_signed_enum(Dwarf_Die *die)
{
	Dwarf_Die e, to;
	struct peeled p;
	uint64_t encoding;
	int64_t value;

	if (debuginfo_ref(die, DW_AT_type, &to) && peel(&to, &p) && debuginfo_number(&p.die, DW_AT_encoding, &encoding))
		return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	if (first_enumerator(die, &e))
		do {
			if (types_dwarf_constant(&e, DW_AT_const_value, &value) && value < 0)
				return true;
		} while (debuginfo_next(&e));
	return false;
}

/* clang hangs btf_type_tag("user") on pointers. */
static bool is_user(Dwarf_Die *pointer)
{
	Dwarf_Attribute attribute;
	Dwarf_Die child;

	if (dwarf_child(pointer, &child) != 0)
		return false;
	do {
		const char *kind = debuginfo_name(&child);
		const char *value = dwarf_formstring(dwarf_attr(&child, DW_AT_const_value, &attribute));

		if (kind && value && strcmp(kind, "btf_type_tag") == 0 && strcmp(value, "user") == 0)
			return true;
	} while (debuginfo_next(&child));
	return false;
}

static const struct type *type_at(struct types *ts, struct types_unit *u, Dwarf_Die *die, unsigned int deep);

static const struct type *type_of(struct types *ts, struct types_unit *u, Dwarf_Die *die, unsigned int deep)
{
	Dwarf_Die to;

	return debuginfo_ref(die, DW_AT_type, &to) ? type_at(ts, u, &to, deep) : types_void(ts);
}

const struct type *types_dwarf_type_of(struct types *ts, struct types_unit *u, Dwarf_Die *die)
{
	return type_of(ts, u, die, 0);
}

/* ---- arrays ---- */

/* The elements of one dimension, 0: not known (or none). */
static uint64_t length_of(Dwarf_Die *dimension)
{
	int64_t n;

	if (types_dwarf_constant(dimension, DW_AT_count, &n))
		return n > 0 ? n : 0;
	/* [0] has no upper bound, or that before the first. */
	if (!types_dwarf_constant(dimension, DW_AT_upper_bound, &n) || n < 0 || n == INT64_MAX || n == UINT32_MAX)
		return 0;
	return n + 1;
}

/* The @index'th dimension of an array. */
static bool dimension_of(Dwarf_Die *array, unsigned int index, Dwarf_Die *dimension)
{
	if (dwarf_child(array, dimension) != 0)
		return false;
	do {
		if (dwarf_tag(dimension) == DW_TAG_subrange_type && !index--)
			return true;
	} while (debuginfo_next(dimension));
	return false;
}

static void describe_array(struct types *ts, struct types_unit *u, Dwarf_Die *array, unsigned int index, struct type *t,
			   unsigned int deep)
{
	const struct type *element = type_of(ts, u, array, deep + 1);
	Dwarf_Die dimension;
	uint64_t size = element->size;

	t->class = CLASS_ARRAY;
	t->name = NULL;
	t->count = dimension_of(array, index, &dimension) ? length_of(&dimension) : 0;
	for (unsigned int i = index; dimension_of(array, i, &dimension); i++)
		if (__builtin_mul_overflow(size, length_of(&dimension), &size) || size >= 1ULL << 48)
			size = 0;
	t->size = size;
}

static const struct array_dimension *find_dimension(struct debuginfo *d, uint64_t id)
{
	for (unsigned int i = 0; i < d->ndimensions; i++)
		if (d->dimensions[i].id == (void *)(uintptr_t)id)
			return &d->dimensions[i];
	return NULL;
}

static const struct type *element_of(struct types *ts, struct types_unit *u, Dwarf_Die *array, unsigned int index)
{
	struct debuginfo *d = state(u);
	const struct type *made;
	struct type t = {};
	Dwarf_Die inner;
	uint64_t id;

	if (!dimension_of(array, index + 1, &inner))
		return type_of(ts, u, array, 0);
	id = (uintptr_t)inner.addr;
	made = types_made(ts, u, id);
	if (made)
		return made;
	d->dimensions = mem_more(d->dimensions, d->ndimensions, sizeof(*d->dimensions));
	d->dimensions[d->ndimensions++] = (struct array_dimension){ inner.addr, array->addr, index + 1 };
	describe_array(ts, u, array, index + 1, &t, 0);
	return types_make(ts, u, id, &t);
}

static void describe(struct types *ts, struct types_unit *u, Dwarf_Die *die, struct type *t, unsigned int deep)
{
	t->name = debuginfo_name(die);
	t->size = size_of(die);
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		describe_base(die, t);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		t->class = CLASS_STRUCT;
		break;
	case DW_TAG_union_type:
		t->class = CLASS_UNION;
		break;
	case DW_TAG_enumeration_type:
		t->class = CLASS_ENUM;
		t->is_signed = is_signed_enum(die);
		break;
	case DW_TAG_pointer_type:
		t->class = CLASS_POINTER;
		t->name = NULL;
		t->size = t->size ? t->size : 8;
		t->is_user = is_user(die);
		break;
	case DW_TAG_array_type:
		if (deep < TYPES_CHAIN && !debuginfo_flag(die, DW_AT_GNU_vector))
			describe_array(ts, u, die, 0, t, deep);
		else
			t->class = CLASS_OTHER;
		break;
	case DW_TAG_subroutine_type:
		t->class = CLASS_FUNCTION;
		t->size = 0;
		break;
	case DW_TAG_unspecified_type:
		t->class = CLASS_VOID;
		break;
	default:
		t->class = CLASS_OTHER;
	}
	if (debuginfo_flag(die, DW_AT_declaration))
		t->size = 0;
}

static const struct type *type_at(struct types *ts, struct types_unit *u, Dwarf_Die *die, unsigned int deep)
{
	const struct type *made;
	struct type t = {};
	struct peeled p;

	if (!peel(die, &p))
		return types_void(ts);
	if (p.is_void && !p.alias)
		return types_void(ts);
	made = types_made(ts, u, (uintptr_t)p.id);
	if (made)
		return made;
	if (p.is_void)
		t = (struct type){ .class = CLASS_VOID, .name = "void" };
	else
		describe(ts, u, &p.die, &t, deep);
	t.alias = p.alias;
	return types_make(ts, u, (uintptr_t)p.id, &t);
}

const struct type *types_dwarf_type_at(struct types *ts, struct types_unit *u, Dwarf_Die *die)
{
	return type_at(ts, u, die, 0);
}

bool types_dwarf_is_partial(Dwarf_Die *die)
{
	Dwarf_Die type, dimension;
	struct peeled p;

	if (!debuginfo_flag(die, DW_AT_declaration) || dwarf_tag(die) == DW_TAG_subprogram)
		return false;
	if (dwarf_tag(die) != DW_TAG_variable || !debuginfo_ref(die, DW_AT_type, &type) || !peel(&type, &p))
		return true;
	return !p.is_void && dwarf_tag(&p.die) == DW_TAG_array_type &&
	       (!dimension_of(&p.die, 0, &dimension) || !length_of(&dimension));
}

/* The DIE of a type, without its typedefs. */
static bool bare(const struct type *t, Dwarf_Die *die)
{
	struct debuginfo *d = state(t->source);
	struct peeled p;

	if (!debuginfo_die(d, types_id(t), die) || !peel(die, &p) || p.is_void)
		return false;
	*die = p.die;
	return true;
}

static const struct type *target(struct types *ts, const struct type *t)
{
	struct types_unit *u = (struct types_unit *)t->source;
	const struct array_dimension *inner = find_dimension(state(u), types_id(t));
	Dwarf_Die die;

	if (inner)
		return debuginfo_die(state(u), (uintptr_t)inner->array, &die) ?
			element_of(ts, u, &die, inner->index) : NULL;
	if (!bare(t, &die))
		return NULL;
	return t->class == CLASS_ARRAY ? element_of(ts, u, &die, 0) : type_of(ts, u, &die, 0);
}

/* ---- members, enumerators of one type ---- */

static uint64_t member_offset(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	uint64_t offset;
	size_t count;
	Dwarf_Op *ops;

	if (debuginfo_number(die, DW_AT_data_member_location, &offset))
		return offset;
	/* Of old: an expression that adds it. */
	if (dwarf_attr(die, DW_AT_data_member_location, &attribute) &&
	    dwarf_getlocation(&attribute, &ops, &count) == 0 && count == 1 && ops[0].atom == DW_OP_plus_uconst)
		return ops[0].number;
	return 0;
}

static void place_member(struct types *ts, Dwarf_Die *die, struct type_member *m, uint64_t struct_size)
{
	uint64_t bits = 0, bit, from_top, storage;

	m->offset = member_offset(die);
	if (!debuginfo_number(die, DW_AT_bit_size, &bits) || !bits || bits > 64)
		return;
	m->bits = bits;
	if (debuginfo_number(die, DW_AT_data_bit_offset, &bit)) {
		types_place_bits(ts, m, bit, struct_size);
	} else if (debuginfo_number(die, DW_AT_bit_offset, &from_top)) {
		/* DWARF 3: counted from the storage's highest bit. */
		storage = size_of(die) ? size_of(die) : m->type->size;
		types_place_bits(ts, m, 8 * (m->offset + storage) - from_top - bits, struct_size);
	} else {
		types_place_bits(ts, m, 8 * m->offset, struct_size);
	}
}

static void members(struct types *ts, const struct type *t, types_member_fn *each, void *arg)
{
	struct types_unit *u = (struct types_unit *)t->source;
	Dwarf_Die die, child;

	if (!bare(t, &die) || dwarf_child(&die, &child) != 0)
		return;
	do {
		struct type_member m = {};

		if (dwarf_tag(&child) != DW_TAG_member)
			continue;
		m.name = debuginfo_name(&child);
		m.type = type_of(ts, u, &child, 0);
		place_member(ts, &child, &m, t->size);
		if (!each(arg, &m))
			return;
	} while (debuginfo_next(&child));
}

static void enumerators(struct types *ts, const struct type *t, types_enumerator_fn *each, void *arg)
{
	Dwarf_Die die, child;

	if (!bare(t, &die) || !first_enumerator(&die, &child))
		return;
	do {
		struct type_enumerator e = { .name = debuginfo_name(&child), .of = t };

		if (dwarf_tag(&child) == DW_TAG_enumerator && e.name &&
		    types_dwarf_constant(&child, DW_AT_const_value, &e.value) && !each(arg, &e))
			return;
	} while (debuginfo_next(&child));
}

/* ---- prototypes ---- */

/* False: it has more arguments than anybody can use. */
static bool take_prototype(struct types *ts, struct types_unit *u, Dwarf_Die *die, struct prototype *p)
{
	Dwarf_Die child;

	*p = (struct prototype){ .result = type_of(ts, u, die, 0) };
	if (dwarf_child(die, &child) != 0)
		return true;
	do {
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			p->variadic = true;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		if (p->nargs == PROTOTYPE_ARGS)
			return false;
		p->args[p->nargs].name = debuginfo_name(&child);
		p->args[p->nargs++].type = type_of(ts, u, &child, 0);
	} while (debuginfo_next(&child));
	return true;
}

/* What the compiler made of a function takes other arguments than its source says. */
static bool is_changed(const char *symbol)
{
	return strstr(symbol, ".isra.") || strstr(symbol, ".constprop.") || strstr(symbol, ".part.") ||
	       strstr(symbol, ".cold");
}

static bool starts_at(Dwarf_Die *function, uint64_t address)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(function, next, &base, &begin, &end)) > 0)
		if (begin == address)
			return true;
	return false;
}

static bool prototype_at(struct types *ts, struct types_unit *u, uint64_t address, struct prototype *p)
{
	Dwarf_Die unit, function, origin;

	if (!debuginfo_function(state(u), address, &unit, &function) || !starts_at(&function, address) ||
	    dwarf_srclang(&unit) == DW_LANG_Mips_Assembler)
		return false;
	/* One that is inlined elsewhere has its arguments in the abstract one. */
	if (debuginfo_ref(&function, DW_AT_abstract_origin, &origin))
		function = origin;
	return take_prototype(ts, u, &function, p);
}

static bool same_prototype(struct types *ts, const struct prototype *a, const struct prototype *b)
{
	if (a->nargs != b->nargs || a->variadic != b->variadic || !types_same(ts, a->result, b->result))
		return false;
	for (unsigned int i = 0; i < a->nargs; i++)
		if (!types_same(ts, a->args[i].type, b->args[i].type))
			return false;
	return true;
}

static bool is_external(void *arg, Dwarf_Die *die)
{
	/* as gives its functions DIEs, too, but no arguments. */
	return dwarf_tag(die) == DW_TAG_subprogram && debuginfo_flag(die, DW_AT_external) &&
	       debuginfo_flag(die, DW_AT_prototyped);
}

/* Assembler, and what the compiler found to be the same as another: C's declaration is all there is. */
static bool prototype_named(struct types *ts, struct types_unit *u, const char *name, struct prototype *p)
{
	Dwarf_Die die;

	return types_dwarf_find(state(u), name, is_external, NULL, &die) && take_prototype(ts, u, &die, p);
}

static bool function(struct types *ts, struct types_unit *u, const char *name, uint64_t address, struct prototype *p)
{
	struct debuginfo *d = state(u);
	const struct debug_symbol *symbol;
	unsigned int count = is_changed(name) ? 0 : debuginfo_named(d, name, address, &symbol);
	struct prototype other;

	if (!count)
		return false;
	if (!prototype_at(ts, u, symbol->address, p))
		return count == 1 && !debuginfo_again(d, symbol) && prototype_named(ts, u, name, p);
	while (count-- > 1) {
		symbol = debuginfo_again(d, symbol);
		if (!symbol || !prototype_at(ts, u, symbol->address, &other) || !same_prototype(ts, p, &other))
			return false;
	}
	return true;
}

static bool is_typedef(void *arg, Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_typedef;
}

/* Of the function that calls the callbacks; before 5.10 of btf_trace_NAME, a pointer to such a callback. */
static bool tracepoint(struct types *ts, struct types_unit *u, const char *name, struct prototype *p)
{
	char *caller = mem_printf("__traceiter_%s", name), *callback = mem_printf("btf_trace_%s", name);
	Dwarf_Die die, to;
	struct peeled q;
	bool good = function(ts, u, caller, 0, p);

	if (!good && types_dwarf_find(state(u), callback, is_typedef, NULL, &die) && peel(&die, &q) && !q.is_void &&
	    debuginfo_ref(&q.die, DW_AT_type, &to) && dwarf_tag(&to) == DW_TAG_subroutine_type)
		good = take_prototype(ts, u, &to, p);
	free(caller);
	free(callback);
	if (!good || !p->nargs)
		return false;
	p->result = types_void(ts);
	memmove(&p->args[0], &p->args[1], --p->nargs * sizeof(p->args[0]));
	p->args[p->nargs].name = NULL;
	p->args[p->nargs].type = NULL;
	return true;
}

const struct types_source types_dwarf = {
	.name = "DWARF",
	.open = open_unit,
	.close = close_unit,
	.target = target,
	.members = members,
	.enumerators = enumerators,
	.named = types_dwarf_named,
	.near_named = types_dwarf_near_named,
	.enumerator = types_dwarf_enumerator,
	.near_enumerators = types_dwarf_near_enumerators,
	.function = function,
	.tracepoint = tracepoint,
	.variable = types_dwarf_variable,
};
