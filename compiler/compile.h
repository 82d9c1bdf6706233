/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compile.h: the compiler as the console sees it: script text in, the path of a kernel module out.
 *
 * The stages (parse, resolve, emit, build) run in this order, each only when the one before had no error; all errors of a
 * stage are collected and shown together on stderr.
 */
#ifndef KM_COMPILE_H
#define KM_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A text with statements; the statements of all sources make one module. */
struct source {
	const char *name;	/* as messages call it: "-e", or the file */
	const char *text;	/* zero-terminated */
	size_t length;
};

/* The kernel that the module is for. */
struct target {
	const char *release;	/* NULL: the running one, or with a sysroot the only one that it holds */
	const char *sysroot;	/* where its root file system lies; NULL: "/" */
};

/* A parameter of the script as the command line gives it: kmeter run x NAME=VALUE. */
struct assignment {
	const char *name;
	const char *value;
};

enum compile_stage { COMPILE_AST, COMPILE_PLAN, COMPILE_C, COMPILE_MODULE };

struct compile_options {
	struct target target;
	enum compile_stage until;	/* stop after this one; all but MODULE are written to `dump` */
	FILE *dump;			/* NULL: checked, not written */
	const struct assignment *params;
	size_t nparams;
	uint64_t max_memory;		/* bytes of the kernel's that it may take; 0: of a script for this machine, 5 % of its memory */
	bool no_cache;
	bool quiet;			/* no notes or warnings on stderr */
	bool verbose;			/* also say what is run, and show kbuild's own output */
};

/* What a compilation gives; owned by the caller, freed by compile_free. */
struct compiled {
	char *module_path;	/* the .ko, in the cache (or a private folder with no_cache) */
	char *module_name;	/* its name in the kernel: km_ and 12 hex digits of what it was made from */
	char *runtime_path;	/* the kstats.ko that it was linked against */
	bool cached;		/* no compiler was started */
};

/* The exit statuses of DESIGN 8, also the return values below. */
enum { KM_OK = 0, KM_SCRIPT = 1, KM_USAGE = 2, KM_KERNEL = 3 };

/*
 * Compile sources. Returns KM_OK; KM_SCRIPT when the script is wrong (said on stderr, with carets); KM_KERNEL when the
 * target's headers, symbols or a compiler are missing (said with what to do). *out is zeroed unless KM_OK and until
 * COMPILE_MODULE.
 */
int compile_script(const struct source *sources, size_t nsources, const struct compile_options *options,
		   struct compiled *out);

/* The runtime for a target, built when the cache lacks it. *path is malloc'ed. Returns KM_OK or KM_KERNEL. */
int compile_runtime(const struct compile_options *options, char **path);

void compile_free(struct compiled *out);

/*
 * Of many scripts: could this kernel run them? What is known of the kernel is read once. trial_open returns NULL after saying on
 * stderr what of the kernel is missing (symbols; no headers or compiler are needed).
 */
struct trial;
struct trial *trial_open(const struct target *target, bool quiet);
void trial_close(struct trial *t);

/* NULL: it could, with its parameters as they are by default. Else why not (now): the first error, a module that is not there; malloc'ed. */
char *trial_script(struct trial *t, const struct source *source);

#endif /* KM_COMPILE_H */
