/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols.h: the functions and tracepoints of the target kernel and of its modules: is there one of that name, may it be
 * measured, what else may have been meant.
 *
 * The kernel's own symbols come from /proc/kallsyms for the running kernel, else from its System.map, else from the
 * tables in its image. A module's file is opened only when the module is named, or when a name is nowhere else.
 */
#ifndef KM_SYMBOLS_H
#define KM_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"
#include "text.h"

struct symbols;

/* NULL, with an error in @diag that says what to install, where the target's symbols cannot be had. */
struct symbols *symbols_open(const struct kernel *kernel, struct diag *diag);
void symbols_free(struct symbols *s);

enum function_state {
	FUNCTION_FOUND,
	FUNCTION_ABSENT,
	FUNCTION_NO_MODULE,	/* the module named is not one of this kernel */
	FUNCTION_BAD_MODULE,	/* its file cannot be read */
	FUNCTION_SEVERAL,	/* `count` functions bear the name */
	FUNCTION_VARIABLE,	/* it is data */
	FUNCTION_VARIANTS,	/* only as NAME.isra.0 and the like: `others` */
	FUNCTION_ELSEWHERE,	/* in the modules `others` */
	FUNCTION_REFUSED,	/* cannot be probed, for `reason` */
};

#define FUNCTION_OTHERS	3

struct function {
	enum function_state state;
	const char *module;	/* NULL: the kernel's own */
	const char *symbol;
	uint64_t size;		/* bytes, 0 where it is not known */
	bool no_return;		/* it never returns: entry may be probed, duration cannot be measured */
	bool built_in;		/* the module named is part of the kernel: module is NULL */
	const char *reason;
	unsigned int count;
	uint64_t addresses[FUNCTION_OTHERS];
	const char *others[FUNCTION_OTHERS];
};

/* @module: NULL for the kernel's own. What the result points to lives as long as @s. */
void symbols_function(struct symbols *s, const char *module, const char *name, struct function *f);

enum tracepoint_state {
	TRACEPOINT_FOUND,
	TRACEPOINT_ABSENT,
	TRACEPOINT_OTHER_SYSTEM,	/* it is of `system` */
	TRACEPOINT_UNKNOWN_SYSTEM,	/* it is there; nothing tells of which system */
};

struct tracepoint {
	enum tracepoint_state state;
	const char *module;
	const char *system;
};

/* @system: NULL for any. */
void symbols_tracepoint(struct symbols *s, const char *system, const char *name, struct tracepoint *t);

/* The nearest names among all that may be measured. */
void symbols_near_functions(struct symbols *s, const char *module, struct near *near);
void symbols_near_tracepoints(struct symbols *s, struct near *near);
void symbols_near_modules(struct symbols *s, struct near *near);

#endif /* KM_SYMBOLS_H */
