// SPDX-License-Identifier: GPL-2.0
/*
 * types_dwarf_name.c: types, enumerators and variables of DWARF by name, and names near to one.
 *
 * debuginfo_mentions() says where a name may be; what is there is looked at, and believed when it was confirmed.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "types_dwarf.h"

#define VALUES_MAX	64	/* of an enumerator's name that are told apart */
#define NEAR_TRIES	4	/* names that seem near, and are looked for */
#define BLOCKS_MAX	16	/* in each other, that are searched for statics */

static struct debuginfo *state(const struct types_unit *u)
{
	return u->state;
}

/* ---- what bears a name ---- */

static bool is_class(Dwarf_Die *die, enum type_class class)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return class == CLASS_STRUCT;
	case DW_TAG_union_type:
		return class == CLASS_UNION;
	case DW_TAG_enumeration_type:
		return class == CLASS_ENUM;
	case DW_TAG_typedef:
	case DW_TAG_base_type:
		return class != CLASS_STRUCT && class != CLASS_UNION && class != CLASS_ENUM;
	default:
		return false;
	}
}

struct name_search {
	const char *name;
	types_dwarf_wanted_fn *wanted;
	void *arg;
	bool found;
	Dwarf_Die die;
};

static bool take_die(struct name_search *s, Dwarf_Die *die)
{
	bool declared = types_dwarf_is_partial(die);

	if (!s->found || !declared)
		s->die = *die;
	s->found = true;
	return declared;
}

static bool walk_unit(struct name_search *s, const struct debug_unit *unit)
{
	Dwarf_Die die = unit->die, child;
	const char *name;

	if (dwarf_child(&die, &child) != 0)
		return true;
	do {
		if (s->wanted(s->arg, &child) && (name = dwarf_diename(&child)) && strcmp(name, s->name) == 0 &&
		    !take_die(s, &child))
			return false;
	} while (debuginfo_next(&child));
	return true;
}

static bool see_mention(void *arg, const struct debug_unit *unit, Dwarf_Die *die)
{
	struct name_search *s = arg;
	Dwarf_Die parent;

	if (!die)
		return walk_unit(s, unit);
	if (!s->wanted(s->arg, die) || (s->found && types_dwarf_is_partial(die)) ||
	    !debuginfo_confirm(unit, die->addr, &parent) || parent.addr != unit->begin)
		return true;
	return take_die(s, die);
}

bool types_dwarf_find(struct debuginfo *d, const char *name, types_dwarf_wanted_fn *wanted, void *arg, Dwarf_Die *die)
{
	struct name_search s = { .name = name, .wanted = wanted, .arg = arg };

	debuginfo_mentions(d, name, see_mention, &s);
	*die = s.die;
	return s.found;
}

static bool of_class(void *arg, Dwarf_Die *die)
{
	return is_class(die, *(enum type_class *)arg);
}

const struct type *types_dwarf_named(struct types *ts, struct types_unit *u, enum type_class class, const char *name)
{
	Dwarf_Die die;

	return types_dwarf_find(state(u), name, of_class, &class, &die) ? types_dwarf_type_at(ts, u, &die) : NULL;
}

/* ---- enumerators by name ---- */

struct enumerator_search {
	struct types *ts;
	struct types_unit *u;
	const char *name;
	types_enumerator_fn *each;
	void *arg;
	int64_t values[VALUES_MAX];
	unsigned int count;
};

static bool is_new(struct enumerator_search *s, Dwarf_Die *e, int64_t *value)
{
	if (dwarf_tag(e) != DW_TAG_enumerator || !types_dwarf_constant(e, DW_AT_const_value, value))
		return false;
	for (unsigned int i = 0; i < s->count; i++)
		if (s->values[i] == *value)
			return false;
	return s->count < VALUES_MAX;
}

static bool give(struct enumerator_search *s, Dwarf_Die *parent, Dwarf_Die *e, int64_t value)
{
	struct type_enumerator found = { .name = debuginfo_name(e), .value = value,
					 .of = types_dwarf_type_at(s->ts, s->u, parent) };

	s->values[s->count++] = value;
	return s->each(s->arg, &found);
}

static bool walk_enums(struct enumerator_search *s, const struct debug_unit *unit)
{
	Dwarf_Die die = unit->die, child, e;
	const char *name;
	int64_t value;

	if (dwarf_child(&die, &child) != 0)
		return true;
	do {
		if (dwarf_tag(&child) != DW_TAG_enumeration_type || dwarf_child(&child, &e) != 0)
			continue;
		do {
			name = dwarf_diename(&e);
			if (name && strcmp(name, s->name) == 0 && is_new(s, &e, &value) && !give(s, &child, &e, value))
				return false;
		} while (debuginfo_next(&e));
	} while (debuginfo_next(&child));
	return true;
}

static bool see_enumerator(void *arg, const struct debug_unit *unit, Dwarf_Die *die)
{
	struct enumerator_search *s = arg;
	Dwarf_Die parent;
	int64_t value;

	if (!die)
		return walk_enums(s, unit);
	/* Each unit that includes it has it: those of a known value are not worth a walk. */
	if (!is_new(s, die, &value) || !debuginfo_confirm(unit, die->addr, &parent) ||
	    dwarf_tag(&parent) != DW_TAG_enumeration_type)
		return true;
	return give(s, &parent, die, value);
}

void types_dwarf_enumerator(struct types *ts, struct types_unit *u, const char *name, types_enumerator_fn *each,
			    void *arg)
{
	struct enumerator_search s = { .ts = ts, .u = u, .name = name, .each = each, .arg = arg };

	debuginfo_mentions(state(u), name, see_enumerator, &s);
}

/* ---- variables ---- */

static bool is_variable(void *arg, Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_variable;
}

const struct type *types_dwarf_variable(struct types *ts, struct types_unit *u, const char *name, bool *per_cpu)
{
	unsigned int count = debuginfo_variables(state(u), name, per_cpu);
	Dwarf_Die die;

	/* Of several of one name nobody could say which is meant. */
	if (count != 1 || !types_dwarf_find(state(u), name, is_variable, NULL, &die))
		return NULL;
	return types_dwarf_type_of(ts, u, &die);
}

struct variable_search {
	struct types *ts;
	struct types_unit *u;
	const char *symbol, *name;	/* "count.2", "count" */
	struct variable_seen *seen;
	unsigned int count, room;
};

/* Where a variable lies, in the addresses of its file; false: nowhere, or not in one place. */
static bool fixed_address(Dwarf_Die *die, uint64_t *address)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &ops, &n) != 0 || n != 1 || ops[0].atom != DW_OP_addr)
		return false;
	*address = ops[0].number;
	return true;
}

static void take_variable(struct variable_search *s, const struct debug_unit *unit, Dwarf_Die *die)
{
	Dwarf_Die of = unit->die;
	const char *path = dwarf_decl_file(die);
	uint64_t address;

	if (s->count == s->room || dwarf_tag(die) != DW_TAG_variable || !fixed_address(die, &address))
		return;
	address = debuginfo_variable_address(state(s->u), s->symbol, address);
	for (unsigned int i = 0; i < s->count; i++)
		if (s->seen[i].address == address)
			return;
	if (!address)
		return;
	s->seen[s->count++] = (struct variable_seen){ .type = types_dwarf_type_of(s->ts, s->u, die), .address = address,
		.file = types_dwarf_keep_path(s->ts, &of, path ? path : dwarf_diename(&of)) };
}

static void walk_variables(struct variable_search *s, const struct debug_unit *unit, Dwarf_Die *parent, unsigned int depth)
{
	const char *name;
	Dwarf_Die child;

	if (!depth || dwarf_child(parent, &child) != 0)
		return;
	do {
		if (dwarf_tag(&child) == DW_TAG_variable && (name = dwarf_diename(&child)) && strcmp(name, s->name) == 0)
			take_variable(s, unit, &child);
		else if (dwarf_tag(&child) == DW_TAG_subprogram || dwarf_tag(&child) == DW_TAG_lexical_block)
			walk_variables(s, unit, &child, depth - 1);
	} while (debuginfo_next(&child));
}

static bool see_variable(void *arg, const struct debug_unit *unit, Dwarf_Die *die)
{
	struct variable_search *s = arg;
	Dwarf_Die parent, top = unit->die;

	if (!die)
		walk_variables(s, unit, &top, BLOCKS_MAX);
	else if (is_variable(NULL, die) && debuginfo_confirm(unit, die->addr, &parent))
		take_variable(s, unit, die);
	return s->count < s->room;
}

unsigned int types_dwarf_variables(struct types *ts, struct types_unit *u, const char *name, struct variable_seen *seen,
				   unsigned int room)
{
	struct variable_search s = { .ts = ts, .u = u, .symbol = name, .seen = seen, .room = room };
	const char *dot = strchr(name, '.');
	char *stem = mem_copy(name, dot ? (size_t)(dot - name) : strlen(name));

	s.name = stem;
	debuginfo_mentions(state(u), stem, see_variable, &s);
	free(stem);
	return s.count;
}

/* ---- nearest names ---- */

struct tries {
	const char *name[NEAR_TRIES];
	unsigned int distance[NEAR_TRIES], count;
};

static void try_name(struct tries *t, const char *word, const char *name, size_t length)
{
	struct near near;
	unsigned int at;

	/* Whoever mistypes a word rarely does so at its beginning. */
	if (name[0] != word[0] && name[0] != word[1] && name[1] != word[0])
		return;
	near_begin(&near, word);
	near_offer(&near, name, length);
	if (!near.count)
		return;
	for (unsigned int i = 0; i < t->count; i++)
		if (strcmp(t->name[i], name) == 0)
			return;
	at = t->count;
	while (at && t->distance[at - 1] > near.distance[0])
		at--;
	if (at == NEAR_TRIES)
		return;
	if (t->count < NEAR_TRIES)
		t->count++;
	memmove(&t->name[at + 1], &t->name[at], (t->count - at - 1) * sizeof(*t->name));
	memmove(&t->distance[at + 1], &t->distance[at], (t->count - at - 1) * sizeof(*t->distance));
	t->name[at] = name;
	t->distance[at] = near.distance[0];
}

/* Names are ends of strings. Whether one is a name of what is looked for is seen when it is tried. */
static void find_tries(struct debuginfo *d, const char *word, struct tries *t)
{
	size_t length = strlen(word), slack = length / 3 < 4 ? length / 3 : 4;

	debuginfo_units(d);
	*t = (struct tries){};
	for (size_t at = 0; d->strings && length > 1 && at < d->strings_size;) {
		const char *string = (const char *)d->strings + at;
		size_t whole = strnlen(string, d->strings_size - at);

		if (at + whole == d->strings_size)
			break;
		for (size_t n = length > slack + 1 ? length - slack : 2; n <= length + slack && n <= whole; n++)
			try_name(t, word, string + whole - n, n);
		at += whole + 1;
	}
}

void types_dwarf_near_named(struct types *ts, struct types_unit *u, enum type_class class, struct near *near)
{
	struct tries t;
	Dwarf_Die die;

	find_tries(state(u), near->word, &t);
	for (unsigned int i = 0; i < t.count; i++)
		if (types_dwarf_find(state(u), t.name[i], of_class, &class, &die))
			near_offer(near, t.name[i], strlen(t.name[i]));
}

static bool is_there(void *arg, const struct type_enumerator *e)
{
	*(bool *)arg = true;
	return false;
}

void types_dwarf_near_enumerators(struct types *ts, struct types_unit *u, struct near *near)
{
	struct tries t;

	find_tries(state(u), near->word, &t);
	for (unsigned int i = 0; i < t.count; i++) {
		bool there = false;

		types_dwarf_enumerator(ts, u, t.name[i], is_there, &there);
		if (there)
			near_offer(near, t.name[i], strlen(t.name[i]));
	}
}
