/* SPDX-License-Identifier: GPL-2.0 */
/* symbols_private.h: the table of symbols, shared by those who fill it (symbols_load.c, modules.c) and symbols.c. */
#ifndef KM_SYMBOLS_PRIVATE_H
#define KM_SYMBOLS_PRIVATE_H

#include "image.h"
#include "symbols.h"

#define NONE	(~0U)

struct symbol {
	uint64_t address;
	const char *name;
	const char *module;	/* NULL: the kernel's own */
	unsigned int same;	/* index of the next of this name, or NONE */
	char type;		/* nm's letter; 'n' and 'i' as in image.h */
};

enum module_state { MODULE_UNSEEN, MODULE_LOADED, MODULE_SEEN, MODULE_BROKEN };

struct module {
	const char *name;	/* with '_' for '-' */
	const char *path;	/* below lib/modules/RELEASE; NULL: only seen in /proc/kallsyms */
	enum module_state state;	/* LOADED: its symbols came from /proc/kallsyms */
	bool built_in;
};

struct block {			/* of names: stays where it is while the table grows */
	struct block *next;
	size_t used;
	char bytes[];
};

struct symbols {
	const struct kernel *kernel;
	struct symbol *symbols;
	unsigned int count;
	unsigned int kernel_count;	/* the kernel's own come first, in order of address */
	unsigned int *table;		/* open addressing over indices */
	unsigned int table_size;	/* a power of two */
	struct block *blocks;
	char *kernel_text;		/* of System.map or kallsyms: names point into it */
	bool have_modules;
	char *modules_text, *built_in_text;
	struct module *modules;
	unsigned int nmodules;
	unsigned int next_search;	/* modules before this were searched already */
	double search_time;		/* seconds spent on that */
	struct image *image;		/* vmlinux, once it was needed */
	bool image_tried;
};

/* symbols.c */
void symbols_add(struct symbols *s, uint64_t address, char type, const char *name, const char *module);
const char *symbols_keep(struct symbols *s, const char *name);
unsigned int symbols_first(const struct symbols *s, const char *name);

/* symbols_load.c: the kernel's own symbols, and its image. */
bool symbols_load(struct symbols *s, struct diag *diag);
const struct image *symbols_image(struct symbols *s);

/* modules.c */
struct module *modules_find(struct symbols *s, const char *name);
struct module *modules_loaded(struct symbols *s, const char *name, size_t length);
/* Have the symbols of a module in the table. */
bool modules_load(struct symbols *s, struct module *module);
/* Look for @name in module after module, as long as that is quick. */
void modules_search(struct symbols *s, const char *name);
/* The system of a module's tracepoint. */
char *modules_tracepoint_system(struct symbols *s, const char *module, const char *name);

#endif /* KM_SYMBOLS_PRIVATE_H */
