/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols_private.h: the table of symbols, shared by those who fill it (symbols_load.c, modules.c) and those who answer
 * questions from it (symbols.c, symbols_refuse.c, symbols_list.c, symbols_tracepoint.c).
 */
#ifndef KM_SYMBOLS_PRIVATE_H
#define KM_SYMBOLS_PRIVATE_H

#include "image.h"
#include "index.h"
#include "symbols.h"

#define NONE	(~0U)

struct symbol {
	uint64_t address;
	const char *name;
	const char *module;	/* NULL: the kernel's own */
	unsigned int next;	/* index of the next in this bucket, or NONE */
	unsigned int hash;
	unsigned int file : 24;	/* index in files */
	unsigned int type : 8;	/* nm's letter; 'n' and 'i' as in image.h; 'k': the kernel has it marked NOKPROBE */
};

enum module_state { MODULE_UNSEEN, MODULE_LOADED, MODULE_SEEN, MODULE_BROKEN };

struct module {
	const char *name;	/* with '_' for '-' */
	const char *path;	/* below lib/modules/RELEASE; NULL: only seen in /proc/kallsyms */
	const char *needs;	/* of modules.dep: the paths of those that it stands on; NULL: not known */
	enum module_state state;	/* LOADED: its symbols came from /proc/kallsyms */
	bool built_in;
};

struct block {			/* of names: stays where it is while the table grows */
	struct block *next;
	size_t used;
	char bytes[];
};

/* Text where a probe would hit the code that probes rely on, or that is gone. */
struct range {
	const char *reason;
	uint64_t from, to;
	unsigned int first, last;	/* symbols, where no addresses are known */
};

/* A symbol in a module's file. */
struct placed {
	const char *name;
	struct image_place place;
	unsigned int order;		/* in the symbol table, which the kernel searches from its beginning */
	char type;
};

#define RANGES	8

struct symbols {
	const struct kernel *kernel;
	struct symbol *symbols;
	unsigned int count;
	unsigned int kernel_count;	/* the kernel's own come first, in order of address */
	unsigned int *buckets;
	unsigned int nbuckets;		/* a power of two */
	unsigned int linked;		/* symbols before this are in buckets */
	unsigned int *dotted;		/* those with a '.' in their names, in order of name */
	unsigned int ndotted;
	unsigned int dotted_seen;	/* symbols before this were looked at for that */
	struct range ranges[RANGES];
	unsigned int nranges;
	bool have_ranges;
	const char **files;		/* base names of sources; NULL: not known */
	unsigned int nfiles;
	struct block *blocks;
	char *kernel_text;		/* of System.map or kallsyms: names point into it */
	bool have_modules;
	char *modules_text, *built_in_text;
	struct module *modules;
	unsigned int nmodules;
	struct placed *placed;		/* of one module, in order of name */
	unsigned int nplaced;
	const char *placed_of;		/* its name; NULL: of none yet */
	struct index *index;		/* of all modules' files, once it was needed */
	bool index_tried;
	struct image *image;		/* vmlinux, once it was needed */
	bool image_tried;
};

/* symbols.c */
void symbols_add(struct symbols *s, uint64_t address, char type, const char *name, const char *module);
/* The symbols added from now on are of this source file; NULL: not known. */
void symbols_file(struct symbols *s, const char *name);
const char *symbols_keep(struct symbols *s, const char *name);
/* Symbols of one name: the first, the next; NONE at the end. Of one module they come in the table's order. */
unsigned int symbols_first(struct symbols *s, const char *name);
unsigned int symbols_next(const struct symbols *s, unsigned int i);
bool symbols_is_function(const struct symbol *y);
bool symbols_same_module(const char *a, const char *b);

/* symbols_refuse.c: what cannot be probed, and why. */
void symbols_mark_nokprobe(struct symbols *s, unsigned int from);
bool symbols_is_gone(const char *reason);
const char *symbols_refusal(struct symbols *s, const struct symbol *y);
const char *symbols_refusal_by_name(const char *name, char type);
const char *symbols_no_return(const char *name);
/* Neither a function nor a part of one: padding, and marks of the linker. */
bool symbols_is_mark(const char *name);
/* Up to the next symbol; the kernel's own are in order of address. */
uint64_t symbols_size(const struct symbols *s, unsigned int i);
uint64_t symbols_size_at(const struct symbols *s, uint64_t address);	/* of the kernel's symbol that begins there */

/* symbols_load.c: the kernel's own symbols, and its image. */
bool symbols_load(struct symbols *s, struct diag *diag);
const struct image *symbols_image(struct symbols *s);
/* Where in the image a symbol of the kernel is: a running kernel is not where it was linked to be. 0: not known. */
uint64_t symbols_link_address(struct symbols *s, const char *name);

/* modules.c */
void modules_read_lists(struct symbols *s);
struct module *modules_find(struct symbols *s, const char *name);
/* The file of a module, opened; NULL: it has none that can be read. The caller frees it. */
struct image *modules_image(const struct symbols *s, const struct module *module);
struct module *modules_loaded(struct symbols *s, const char *name, size_t length);
/* Have the symbols of a module in the table. */
bool modules_load(struct symbols *s, struct module *module);
/* A module's functions of one name, as its file has them in order: addresses, sources; how many there are. */
unsigned int modules_twins(struct symbols *s, const char *module, const char *name, uint64_t *addresses, const char **files,
			   unsigned int room);
/* The index of all modules that have files; NULL: there are none. */
const struct index *modules_index(struct symbols *s);

#endif /* KM_SYMBOLS_PRIVATE_H */
