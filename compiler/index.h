/* SPDX-License-Identifier: GPL-2.0 */
/*
 * index.h: which module's file has which functions and tracepoints, of all modules of a kernel.
 *
 * Reading a distribution's modules takes seconds, so what was found is kept in the cache (DIR/index/KEY, cache.h) and
 * mapped the next time. The key is that of the release and of modules.dep as it is on the disk. Without a cache that can
 * be written to, the index is made anew each time and is the same.
 */
#ifndef KM_INDEX_H
#define KM_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"

struct index;

struct index_module {
	const char *name;	/* with '_' for '-' */
	const char *path;	/* of its file */
};

/* Modules in any order; what they point to is not needed afterwards. NULL where @count is 0. */
struct index *index_open(const struct kernel *kernel, const struct index_module *modules, unsigned int count);
void index_free(struct index *x);

struct index_function {
	const char *name;
	const char *module;
	uint64_t address;	/* as in the file's symbol table */
	char type;		/* as in struct symbol */
};

/* All functions in order of module, then name: function @i, false behind the last. */
bool index_function(const struct index *x, unsigned int i, struct index_function *f);

/* The functions of a module are [*from, *to). False: the index has no such module, or its file could not be read. */
bool index_module(const struct index *x, const char *module, unsigned int *from, unsigned int *to);

/* Modules in order of name; NULL behind the last. */
const char *index_module_name(const struct index *x, unsigned int i);

/*
 * In order of name: the @i-th function of all modules; the first of them that is not before @name.
 */
bool index_by_name(const struct index *x, unsigned int i, struct index_function *f);
unsigned int index_search(const struct index *x, const char *name);

struct index_tracepoint {
	const char *name;
	const char *system;	/* NULL: it has no event */
	const char *module;
};

/* In order of name; the first that is not before @name. */
bool index_tracepoint(const struct index *x, unsigned int i, struct index_tracepoint *t);
unsigned int index_search_tracepoint(const struct index *x, const char *name);

#endif /* KM_INDEX_H */
