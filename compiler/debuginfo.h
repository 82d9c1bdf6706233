/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debuginfo.h: the file with DWARF of vmlinux or of a module: where it lies, what its addresses are on the target,
 * which compilation unit describes an address, which ones speak of a name.
 *
 * Addresses here are the file's own unless they are called the kernel's. A module's sections have none in its file:
 * they are given some, of no meaning elsewhere.
 *
 * Debug information is read as it was found: loops over it are bounded or go forward only, and libdw's errors are
 * "there is none".
 */
#ifndef KM_DEBUGINFO_H
#define KM_DEBUGINFO_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "types_private.h"

struct debug_symbol {		/* of a function */
	uint64_t address, size;
	uint64_t value;		/* as the symbol table has it: in a module, its place in the file (image.h) */
	const char *name;
	bool global;
};

struct debug_unit {
	Dwarf_Die die;
	const uint8_t *begin, *end;
};

#define DEBUG_RECENT	8

struct debuginfo {
	Dwfl *dwfl;
	Elf *elf;
	Dwarf *dwarf;
	int alt_fd;			/* of the file that is shared by several (dwz), -1: none */
	Elf *alt_elf;
	Dwarf *alt;
	bool relocated;			/* a module's */
	struct symbols *symbols;	/* may be NULL */
	const char *module;

	bool have_symbols, have_shift;
	bool hidden;			/* the kernel shows no addresses */
	struct debug_symbol *functions;	/* in order of address */
	unsigned int nfunctions;
	uint64_t shift;			/* the kernel's addresses less the file's */

	struct debug_unit *units;
	unsigned int nunits;
	Dwarf_Die recent[DEBUG_RECENT];	/* units that functions were looked up in */
	unsigned int nrecent;
	const uint8_t *strings;		/* .debug_str, NULL where names may lie elsewhere too */
	size_t strings_size;

	Dwarf_CFI *frames[2];		/* .debug_frame, .eh_frame */
	bool have_frames;

	struct array_dimension {	/* types_dwarf.c: arrays in arrays are one DIE */
		void *id, *array;
		unsigned int index;
	} *dimensions;
	unsigned int ndimensions;
};

/* NULL: none. */
struct debuginfo *debuginfo_open(struct types *ts, const char *module);
void debuginfo_close(struct debuginfo *d);

/*
 * Functions of the symbol table. @kernel_address tells which of several of one name, 0: not known. How many there are
 * that may be meant; the first is returned in *@symbol. To see the others, call on with *@symbol.
 */
unsigned int debuginfo_named(struct debuginfo *d, const char *name, uint64_t kernel_address,
			     const struct debug_symbol **symbol);
const struct debug_symbol *debuginfo_again(struct debuginfo *d, const struct debug_symbol *symbol);

/* The function that holds an address. */
const struct debug_symbol *debuginfo_at(struct debuginfo *d, uint64_t address);

/* Its address as symbols.h gives it, 0: not known. */
uint64_t debuginfo_kernel_address(struct debuginfo *d, const struct debug_symbol *symbol);

/* How many variables of the symbol table bear the name; whether the first is one a CPU. */
unsigned int debuginfo_variables(struct debuginfo *d, const char *name, bool *per_cpu);

/* The address of one of them, which has this one here, as symbols.h gives it; 0: none of this name is there, or not known. */
uint64_t debuginfo_variable_address(struct debuginfo *d, const char *name, uint64_t address);

/* The unit and the subprogram of an address. */
bool debuginfo_function(struct debuginfo *d, uint64_t address, Dwarf_Die *unit, Dwarf_Die *function);

/* A section as libdw has it: relocated, decompressed. NULL: none. */
const uint8_t *debuginfo_section(struct debuginfo *d, const char *wanted, size_t *size);

/* All units, in order. */
unsigned int debuginfo_units(struct debuginfo *d);

/*
 * Where the bytes of the units hold the name: @die is what seems to be a DIE of this name; debuginfo_confirm() tells.
 * Where no such guess can be made, @die is NULL for all units that may hold it: they have to be walked. Units that
 * functions were looked up in come first; one may come twice. Returns false to end this.
 */
typedef bool debuginfo_mention_fn(void *arg, const struct debug_unit *unit, Dwarf_Die *die);
void debuginfo_mentions(struct debuginfo *d, const char *name, debuginfo_mention_fn *each, void *arg);

/* Where in a unit a word of 4 bytes is, from @from on; NULL: nowhere. */
const uint8_t *debuginfo_word(const uint8_t *from, const uint8_t *end, uint32_t word);

/* Whether there is a DIE at this address in the unit; its parent. */
bool debuginfo_confirm(const struct debug_unit *unit, const void *address, Dwarf_Die *parent);

/* Step to the next sibling, never backwards. */
bool debuginfo_next(Dwarf_Die *die);

/* A DIE by what identifies its type. */
bool debuginfo_die(struct debuginfo *d, uint64_t id, Dwarf_Die *die);

/* The DIE that an attribute refers to; through specifications and abstract origins to the attribute @name. */
bool debuginfo_ref(Dwarf_Die *die, unsigned int name, Dwarf_Die *to);
const char *debuginfo_name(Dwarf_Die *die);
bool debuginfo_flag(Dwarf_Die *die, unsigned int name);
bool debuginfo_number(Dwarf_Die *die, unsigned int name, uint64_t *n);

#endif /* KM_DEBUGINFO_H */
