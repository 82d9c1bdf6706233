/* SPDX-License-Identifier: GPL-2.0 */
/*
 * build.h: C to .ko by the target kernel's own build system, and the runtime that scripts link against. What was built
 * once for the same source, kernel, compiler and runtime is found in the cache, without starting any process.
 */
#ifndef KM_BUILD_H
#define KM_BUILD_H

#include <stdbool.h>

#include "cache.h"
#include "kernel.h"

struct build;

/*
 * Find the headers, the compiler and the runtime's sources. NULL, with errors in @diag that say what to install, where one
 * of them is missing.
 */
struct build *build_open(const struct kernel *kernel, bool no_cache, bool verbose, struct diag *diag);
void build_close(struct build *b);

/* The runtime for the target. *path is malloc'ed. */
bool build_runtime(struct build *b, char **path);

/* A script's module. *path and *name are malloc'ed; *cached: nothing was started. */
bool build_module(struct build *b, const char *c_text, char **path, char **name, bool *cached);

#endif /* KM_BUILD_H */
