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
	FUNCTION_SEVERAL,	/* `count` functions bear the name: `addresses`, `others` (symbols), `files` */
	FUNCTION_VARIABLE,	/* it is data */
	FUNCTION_VARIANTS,	/* only parts of it are there, as NAME.part.0 or NAME.cold: `others` */
	FUNCTION_ELSEWHERE,	/* in the modules `others` */
	FUNCTION_REFUSED,	/* cannot be probed, for `reason` */
};

#define FUNCTION_OTHERS		64	/* at most so many are given; `count` may be more */
#define FUNCTION_SHOWN		8	/* of which a message shows so many */
#define FUNCTION_BODIES		64	/* likewise; `nvariants` may be more */

struct function {
	enum function_state state;
	const char *module;	/* NULL: the kernel's own */
	const char *symbol;	/* FOUND: of variants[0]; else NAME if it is there */
	uint64_t size;		/* bytes, 0 where it is not known */
	const char *no_return;	/* why its entry may be probed, but its duration not measured; else NULL */
	bool built_in;		/* the module named is part of the kernel: module is NULL */
	const char *reason;
	unsigned int count;
	uint64_t addresses[FUNCTION_OTHERS];	/* FOUND: [0]. 0: not known (kptr_restrict); of a module: its place in
						 * its file (image.h), or as /proc/kallsyms has it; of a module's
						 * that are SEVERAL: its place, if its file can be read */
	const char *others[FUNCTION_OTHERS];
	const char *files[FUNCTION_OTHERS];	/* FOUND, SEVERAL: base name of the source file, "sync.c"; NULL: the
						 * symbol table does not say */
	/*
	 * FOUND: what holds the function's body: NAME itself if it is there, then NAME.isra.0, NAME.constprop.0 and the
	 * like, which the compiler made of it and calls in its place. One or more, and all of them may be probed; to
	 * measure NAME is to measure them all. NAME.part.0 and NAME.cold hold a part only and are not among them.
	 */
	unsigned int nvariants;
	struct {
		const char *symbol;
		uint64_t address, size;
	} variants[FUNCTION_BODIES];
};

/*
 * Addresses are those of /proc/kallsyms on the running kernel, else link addresses. Of the kernel's own, differences are
 * the same in both.
 */

/* As people know it: of a module's file, from the beginning of its section. */
uint64_t symbols_shown_address(const char *module, uint64_t address);

/* @module: NULL for the kernel's own. What the result points to lives as long as @s. */
void symbols_function(struct symbols *s, const char *module, const char *name, struct function *f);

/*
 * How the kernel finds one of a module's functions of one name, @address as symbols_function() gives it: *distance bytes
 * behind the symbol that is returned, of which its module has only one, or which is the one that the kernel finds by this
 * name. NULL: it cannot be told.
 */
const char *symbols_anchor(struct symbols *s, const char *module, const char *name, uint64_t address, uint64_t *distance);

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

/* The address of any of the kernel's own symbols, a variable or a function; 0: none, or not known. */
uint64_t symbols_address(struct symbols *s, const char *name);

/*
 * The bytes of a function as they lie in the kernel's image or the module's file; malloc'ed. @address and @size as
 * symbols_function() gives them, *size 0: find it out. NULL: they cannot be had.
 */
void *symbols_code(struct symbols *s, const char *module, const char *name, uint64_t address, size_t *size);

/*
 * Whether ftrace may call from the beginning of a function of the kernel, which a thunk needs: 0 where the image has no such
 * call there (notrace, assembler), -1 where there is no image to look into.
 */
int symbols_call_site(struct symbols *s, uint64_t address);

/* How many variables of the kernel bear the name; the addresses of the first @room. */
unsigned int symbols_variables(struct symbols *s, const char *name, uint64_t *addresses, unsigned int room);

void symbols_near_variables(struct symbols *s, struct near *near);

/* How many bytes lie between the kernel's symbol at @address and the next one. */
uint64_t symbols_variable_room(struct symbols *s, uint64_t address);

/*
 * A module's variable, as its file has it. The kernel finds it by its name while the module is loaded: where several symbols
 * bear it, only the first of them.
 */
enum module_variable { MODULE_VARIABLE_ABSENT, MODULE_VARIABLE, MODULE_VARIABLE_SEVERAL, MODULE_VARIABLE_PER_CPU,
		       MODULE_VARIABLE_GONE /* once the module is loaded */ };
enum module_variable symbols_module_variable(struct symbols *s, const char *module, const char *name);

/*
 * All variables of the name in its file: where each is, as symbols_function() has functions of a module, and the base name of its
 * source (NULL: not known). And how the kernel finds the one at @address: as symbols_anchor().
 */
unsigned int symbols_module_variables(struct symbols *s, const char *module, const char *name, uint64_t *addresses, const char **files,
				      unsigned int room);
const char *symbols_variable_anchor(struct symbols *s, const char *module, const char *name, uint64_t address, uint64_t *distance);
void symbols_near_module_variables(struct symbols *s, const char *module, struct near *near);

/* ---- all of them, for globs and listings ---- */

struct function_seen {
	const char *name;	/* the symbol; NAME.isra.0 and the like are met as such */
	const char *module;	/* NULL: the kernel's own */
	uint64_t address;	/* as in struct function */
	uint64_t size;
	const char *no_return;
	const char *reason;	/* why it cannot be probed; NULL: it can */
	bool gone;		/* for it is no code any more once the kernel or its module has started */
};

/*
 * @fn is called for each function of the kernel (@module NULL), of a module, or of all modules whose names match a glob
 * ("nf_*", "*"; a module that is not loaded too), until it returns false. Padding before functions is left out. In order
 * of address within the kernel, of name within a module; modules in order of name. What @seen points to lives as long
 * as @s, itself it does not. False: no such module, or none of its files can be read.
 */
typedef bool symbols_function_fn(void *arg, const struct function_seen *seen);
bool symbols_each_function(struct symbols *s, const char *module, symbols_function_fn *fn, void *arg);

struct tracepoint_seen {
	const char *name;
	const char *system;	/* NULL: it has no event, and so is of no system (or none can be found out) */
	const char *module;
};

/* Each tracepoint of the kernel and of all its modules, loaded or not, in order of name, until @fn returns false. */
typedef bool symbols_tracepoint_fn(void *arg, const struct tracepoint_seen *seen);
void symbols_each_tracepoint(struct symbols *s, symbols_tracepoint_fn *fn, void *arg);

/*
 * The arguments of a system call ("openat", without sys_) as its definition in the kernel names them and as tracefs shows
 * them: from tracefs on the running kernel, else from the image (CONFIG_FTRACE_SYSCALLS). Declarations in headers often
 * name them otherwise. Types are C's words; of pointers it is not said that they are the user's, but all are. False: not
 * known here; headers.h may know.
 */
#define SYSCALL_ARGS	6

struct syscall_seen {
	unsigned int nargs;
	struct {
		const char *name, *type;	/* "filename", "const char *" */
	} args[SYSCALL_ARGS];
};

bool symbols_syscall(struct symbols *s, const char *name, struct syscall_seen *seen);

/* The name of each module of the kernel, in order of name, until @fn returns false. */
typedef bool symbols_module_fn(void *arg, const char *module, bool built_in);
void symbols_each_module(struct symbols *s, symbols_module_fn *fn, void *arg);

/* The modules that stand on @module and those that it stands on, as modules.dep has them, until @fn returns false. */
typedef bool symbols_relative_fn(void *arg, const char *module);
void symbols_each_relative(struct symbols *s, const char *module, symbols_relative_fn *fn, void *arg);

/* The function that the instruction at @address is in, NULL where none is; *offset: from its beginning. */
const char *symbols_at(struct symbols *s, uint64_t address, uint64_t *offset);

/* What `uname -v` says on the target: which build of its release it is. NULL: not known. */
const char *symbols_version(struct symbols *s);

/* The nearest names among all that may be measured. */
void symbols_near_functions(struct symbols *s, const char *module, struct near *near);
void symbols_near_tracepoints(struct symbols *s, struct near *near);
void symbols_near_modules(struct symbols *s, struct near *near);

#endif /* KM_SYMBOLS_H */
