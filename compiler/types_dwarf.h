/* SPDX-License-Identifier: GPL-2.0 */
/*
 * types_dwarf.h: what types_dwarf.c tells the files beside it: types_dwarf_name.c, which finds what bears a name,
 * types_code.c and types_lines.c, which answer for code.
 */
#ifndef KM_TYPES_DWARF_H
#define KM_TYPES_DWARF_H

#include "debuginfo.h"

/* The type that a DIE is; the type that it has (DW_AT_type), void where it has none. */
const struct type *types_dwarf_type_at(struct types *ts, struct types_unit *u, Dwarf_Die *die);
const struct type *types_dwarf_type_of(struct types *ts, struct types_unit *u, Dwarf_Die *die);

/* An integer attribute as C means it; false: it is none. */
bool types_dwarf_constant(Dwarf_Die *die, unsigned int name, int64_t *n);

/*
 * Only declared: there is more to know. Of a function there is not, nor of a variable unless it is an
 * array of unknown length.
 */
bool types_dwarf_is_partial(Dwarf_Die *die);

/* A path of a unit as people write it, which lives as long as @ts; types_lines.c. */
const char *types_dwarf_keep_path(struct types *ts, Dwarf_Die *unit, const char *path);

/* ---- types_dwarf_name.c ---- */

/* The DIE at the top level of any unit that has this name and is @wanted, a definition before a declaration. */
typedef bool types_dwarf_wanted_fn(void *arg, Dwarf_Die *die);
bool types_dwarf_find(struct debuginfo *d, const char *name, types_dwarf_wanted_fn *wanted, void *arg, Dwarf_Die *die);

/* As in struct types_source. */
const struct type *types_dwarf_named(struct types *ts, struct types_unit *u, enum type_class class, const char *name);
void types_dwarf_near_named(struct types *ts, struct types_unit *u, enum type_class class, struct near *near);
void types_dwarf_enumerator(struct types *ts, struct types_unit *u, const char *name, types_enumerator_fn *each,
			    void *arg);
void types_dwarf_near_enumerators(struct types *ts, struct types_unit *u, struct near *near);
const struct type *types_dwarf_variable(struct types *ts, struct types_unit *u, const char *name, bool *per_cpu);

#endif /* KM_TYPES_DWARF_H */
