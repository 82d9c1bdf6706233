/* SPDX-License-Identifier: GPL-2.0 */
/*
 * types_private.h: between the face (types.c) and the sources behind it (types_btf.c, types_dwarf.c).
 *
 * A unit is what one source has on vmlinux or on one module; types.c opens each once, when it is first needed, and asks
 * the sources in the order of its list. A source answers for the one unit that it is asked about, never for others.
 */
#ifndef KM_TYPES_PRIVATE_H
#define KM_TYPES_PRIVATE_H

#include <stddef.h>

#include "types.h"

/* Whoever follows references in debug information, which may be corrupt, follows no more than so many. */
#define TYPES_CHAIN	64

#define TYPES_BASICS	40

struct types_unit {
	const struct types_source *source;
	const char *module;		/* NULL: vmlinux. Otherwise with '_' for '-' */
	struct types_unit *vmlinux;	/* the same source's of vmlinux, NULL where it has none; of vmlinux: itself */
	void *state;			/* the source's own, NULL: it has nothing here, and is not asked */
	struct types_unit *next;
};

struct types_node;
struct types_block;

struct types {
	const struct kernel *kernel;
	struct symbols *symbols;	/* may be NULL in tests */
	struct types_unit *units;	/* every one that was asked for, found or not */
	struct types_node **nodes;	/* a hash table by (source, id) */
	unsigned int node_count, node_room;
	struct types_block *blocks;
	const struct type *ints[4][2];	/* by log2 of the size, is_signed */
	const struct type *void_type;
	const struct type *basics[TYPES_BASICS];	/* C's own words and the kernel's fixed ones */
	int leaves_out;			/* BTF has no functions of one name that differ: 1 yes, -1 no, 0: not asked */
	uint64_t own_ids;		/* of the nodes that types.c makes itself: their source is NULL */
};

/*
 * What calls back returns false to end the iteration. Names handed over live as long as the unit does (until close).
 */
typedef bool types_member_fn(void *arg, const struct type_member *m);
typedef bool types_enumerator_fn(void *arg, const struct type_enumerator *e);

/*
 * Only units with a state, and types whose `source` is a unit of this source, are given to these. What a source does
 * not do at all it leaves NULL.
 */
struct types_source {
	const char *name;

	/* Sets u->state where there is debug information for u->module; u->vmlinux was opened before. */
	void (*open)(struct types *ts, struct types_unit *u);
	void (*close)(struct types_unit *u);

	/* Pointer, array, function: what it points to, its element, its result. NULL is void. */
	const struct type *(*target)(struct types *ts, const struct type *t);

	/* The direct members of a complete struct or union, in order; unnamed ones (struct, union) with name NULL. */
	void (*members)(struct types *ts, const struct type *t, types_member_fn *each, void *arg);

	/* All of an enum, in order. */
	void (*enumerators)(struct types *ts, const struct type *t, types_enumerator_fn *each, void *arg);

	/*
	 * CLASS_STRUCT, _UNION, _ENUM: of this tag, the complete one before the one only declared. Any other class:
	 * the typedef or the basic type of this name. NULL: this unit has none.
	 */
	const struct type *(*named)(struct types *ts, struct types_unit *u, enum type_class class, const char *name);
	void (*near_named)(struct types *ts, struct types_unit *u, enum type_class class, struct near *near);

	/* Every enumerator of this name, in whatever enum. */
	void (*enumerator)(struct types *ts, struct types_unit *u, const char *name, types_enumerator_fn *each,
			   void *arg);
	void (*near_enumerators)(struct types *ts, struct types_unit *u, struct near *near);

	/* As in types.h. @p is zeroed before. */
	bool (*function)(struct types *ts, struct types_unit *u, const char *name, uint64_t address,
			 struct prototype *p);
	bool (*tracepoint)(struct types *ts, struct types_unit *u, const char *name, struct prototype *p);
	const struct type *(*variable)(struct types *ts, struct types_unit *u, const char *name, bool *per_cpu);
};

extern const struct types_source types_btf;	/* types_btf.c */
extern const struct types_source types_dwarf;	/* types_dwarf.c */

/* ---- types.c, for the sources ---- */

/*
 * The node of (u, id) that was made before, or NULL. A source gives the same id for the same type: with BTF that of the
 * outermost typedef, or of the type itself where it has no typedef; qualifiers have no nodes of their own.
 */
const struct type *types_made(struct types *ts, const struct types_unit *u, uint64_t id);

/*
 * Make it: a copy of @t with source and id set, whatever @t has there. Its names must live as long as @u; those of
 * integers become the usual ones.
 */
const struct type *types_make(struct types *ts, const struct types_unit *u, uint64_t id, const struct type *t);

/*
 * A bit-field, of which the source has set m->type and m->bits: sets offset, shift and, where the field does not fit
 * into a unit of its own type inside the structure (packed ones), a type of another size. @bit is where its lowest bit
 * is in the structure of @struct_size bytes.
 *
 * A type of another size differs in the id's top byte from the one that it is of: sources give ids below 2^56, and
 * take them with types_id().
 */
void types_place_bits(struct types *ts, struct type_member *m, uint64_t bit, uint64_t struct_size);

static inline uint64_t types_id(const struct type *t)
{
	return t->id & ~(0xffULL << 56);
}

/* A name that lives as long as @ts, and zeroed room that does. */
const char *types_keep(struct types *ts, const char *name, size_t length);
void *types_room(struct types *ts, size_t size);

/* ---- types.c and types_words.c ---- */

/* A type that no source has. */
const struct type *types_own(struct types *ts, const struct type *t);

/*
 * The complete one of a type that its source only declares (else @t itself): of the same unit, of vmlinux, of any
 * module that was asked about. @dwarf: opening DWARF is worth it.
 */
const struct type *types_complete(struct types *ts, const struct type *t, bool dwarf);

/* The type that C's own words and the kernel's fixed ones mean, or NULL. */
const struct type *types_words(struct types *ts, const char *words);
/* A name of the system calls' interface, for where no type information has it; NULL: none of these. */
const struct type *types_interface(struct types *ts, const char *name);
void types_near_words(struct near *near);

/* The usual name of an integer: "unsigned long" for "long unsigned int". */
const char *types_int_name(const char *name);

/* ---- types_dwarf.c: what only it knows, for units of it that have a state. As in types.h. ---- */

enum local_state types_dwarf_local(struct types *ts, struct types_unit *u, const struct code_place *at,
				   const char *name, const struct type **type, struct locate *locate);
void types_dwarf_near_locals(struct types *ts, struct types_unit *u, const struct code_place *at, struct near *near);
unsigned int types_dwarf_lines(struct types *ts, struct types_unit *u, const char *file, unsigned int line,
			       struct code_place **places, unsigned int *nearest);
unsigned int types_dwarf_inlines(struct types *ts, struct types_unit *u, const char *name, struct code_place **places);
unsigned int types_dwarf_inlined_beside(struct types *ts, struct types_unit *u, const char *name, uint64_t address,
					struct code_place **places);
unsigned int types_dwarf_variables(struct types *ts, struct types_unit *u, const char *name, struct variable_seen *seen,
				   unsigned int room);
const char *types_dwarf_file_of(struct types *ts, struct types_unit *u, const char *function, uint64_t address, bool twin);

#endif /* KM_TYPES_PRIVATE_H */
