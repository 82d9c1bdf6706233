/* SPDX-License-Identifier: GPL-2.0 */
/*
 * options.h: the command line, parsed and checked as far as that can be done without touching anything.
 */
#ifndef KM_OPTIONS_H
#define KM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler/compile.h"
#include "console/figures.h"
#include "console/render.h"

enum verb {
	VERB_RUN,	/* also without a verb: kmeter -e … */
	VERB_CHECK,
	VERB_BUILD,
	VERB_LOAD,
	VERB_LIST,
	VERB_SHOW,
	VERB_MERGE,
	VERB_DIFF,
	VERB_START,
	VERB_STOP,
	VERB_RESET,
	VERB_UNLOAD,
	VERB_FLOOR,
	VERB_SERVE,
	VERB_LIBRARY,
	VERB_PAGE,	/* help SCRIPT */
	VERB_POINTS,	/* -l, -L */
	VERB_HELP,
	VERB_VERSION,
	VERBS,
};

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* A script: its text (-e) or its file. Of unload: what was loaded from this file, or from files of this folder. */
struct option_source {
	const char *text;
	const char *path;
	char *found;		/* by name: the path, ours */
};

/* Strings belong to argv, but for the names of parameters and the paths of scripts by name. */
struct options {
	enum verb verb;
	struct option_source *sources;
	size_t nsources;
	struct assignment *params;	/* NAME=VALUE behind the script */
	size_t nparams;
	const char *prebuilt;		/* X.ko, instead of sources; of floor: kstats.ko */
	char **names;			/* of measurements, or scripts, for the verbs that take them */
	size_t nnames;
	char **files;			/* saved reports, for those that take them */
	size_t nfiles;
	const char *points;		/* -l, -L: a pattern */
	bool details;			/* -L */

	const char *shell;		/* -c */
	char **command;			/* after --, NULL-terminated, in argv */

	uint64_t duration_ns, interval_ns, warmup_ns;	/* 0: none */
	unsigned int reports;		/* 0: no limit */

	bool live;

	const char *output;
	const char *html;		/* NULL: none */
	const char *listen, *tls_cert, *tls_key, *token_file, *textfile;	/* of serve; NULL: not given */
	unsigned int buckets;
	size_t groups;
	const struct render *format;
	enum figures_order order;
	size_t top;			/* 0: not given */
	double tolerance;		/* of diff: a share, 0 when not given */
	bool beyond_chance;
	enum color color;
	bool ascii;

	struct target target;
	bool guest;
	const char *guest_kernel;	/* NULL: the default */

	uint64_t max_memory;	/* bytes; 0: not given */
	bool dump;
	enum compile_stage dump_stage;
	bool runtime;			/* build --runtime */
	bool each;			/* a module for each source; a path may be a folder */
	bool no_cache;
	bool all;
	bool quiet, verbose;
};

/* ---- the tables, for --help and completion ---- */

struct verb_spec {
	const char *name, *operands, *help;	/* no help: it is no verb, but an option that does as one */
};

/* What an option's value is. */
enum option_value {
	OPTION_NO_VALUE,
	OPTION_ANY,		/* a time, a number, a command: nothing to enumerate */
	OPTION_WORD,		/* one of `words` */
	OPTION_FORMAT,		/* one of render_names() */
	OPTION_SCRIPT,
	OPTION_POINTS,
	OPTION_RELEASE,
	OPTION_KERNEL,		/* that a guest can boot */
	OPTION_FILE,
	OPTION_FOLDER,
	OPTION_RESERVED,	/* there is no such option yet */
};

struct option_spec {
	int id;			/* its letter, or a number above 255 */
	const char *name;	/* the long one */
	const char *argument;	/* "[=X]": may be left out */
	unsigned int verbs;	/* that it is for: a bit each, 1 << VERB_... */
	const char *help;	/* NULL: not shown */
	enum option_value value;
	const char *const *words;
};

const struct verb_spec *options_verb(enum verb verb);
const struct option_spec *options_spec(size_t i);	/* NULL behind the last */
bool options_takes_scripts(enum verb verb);

/* KM_OK, or KM_USAGE after one message that says how it is meant. Free with options_free in any case. */
int options_parse(int argc, char **argv, struct options *o);
void options_free(struct options *o);

/* --help. */
void options_help(FILE *out);

/* Is there a folder of this name? (NULL: no.) */
bool options_is_folder(const char *path);

/* "500ms", "1.5s", "2m", "1h", plain seconds; false when it is none, or not more than 0. */
bool options_time(const char *text, uint64_t *ns);

#endif /* KM_OPTIONS_H */
