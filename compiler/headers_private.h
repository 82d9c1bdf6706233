/* SPDX-License-Identifier: GPL-2.0 */
/*
 * headers_private.h: C text in pieces, shared by headers_text.c (what the preprocessor would do), headers.c (files, system
 * calls, prototypes) and headers_event.c (tracepoints).
 */
#ifndef KM_HEADERS_PRIVATE_H
#define KM_HEADERS_PRIVATE_H

#include <stddef.h>

#include "headers.h"
#include "text.h"

/* A piece of a text that lives elsewhere. */
struct piece {
	const char *at;
	size_t length;
};

#define PIECES	32

/* What stands in parentheses, cut at its commas. */
struct pieces {
	struct piece of[PIECES];
	unsigned int count;
};

struct macro {
	char *name;
	char *params[PIECES];
	unsigned int nparams;
	bool variadic;		/* the last of params takes the rest */
	char *body;
};

struct event {
	char *name;
	char *class;		/* NULL: it is complete in itself */
	char *proto;		/* inside of TP_PROTO() */
	char *record;		/* inside of TP_STRUCT__entry(), or NULL */
	char *assign;		/* inside of TP_fast_assign(), or NULL */
};

struct header_file {
	char *path;		/* below the kernel's source */
	char *raw;		/* as it is, NULL: cannot be read */
	bool cleaned;
	char *text;		/* without comments, directives and what conditions leave out */
	struct macro *macros;
	unsigned int nmacros;
	bool have_events;
	struct event *events;
	unsigned int nevents;
};

struct headers {
	const struct kernel *kernel;
	bool tried;
	char *build, *source;	/* folders: the configured headers; those that come from the source */
	char *config;		/* autoconf.h, NULL: not known */
	struct header_file **files;
	unsigned int nfiles;
	bool have_list;		/* all headers of tracepoints are among the files */
	char **kept;
	unsigned int nkept;
};

/* headers.c */
struct header_file *headers_file(struct headers *h, const char *path);
const char *headers_keep(struct headers *h, char *text);	/* takes malloc'ed text */
void headers_prototype(struct headers *h, const struct header_file *file, struct piece args, struct header_prototype *p);

/* headers_text.c */
void headers_clean(const struct headers *h, struct header_file *file);
void headers_free_file(struct header_file *file);
bool piece_is(struct piece piece, const char *word);
struct piece piece_trim(struct piece piece);
char *piece_copy(struct piece piece);
/* The next identifier at or behind @p, outside of texts in quotes; at NULL: none. */
struct piece piece_word(const char *p, const char *end);
const char *skip_blanks(const char *p, const char *end);
/* At a '(': what stands inside, cut at its commas; behind the ')', or NULL where nothing closes it. */
const char *cut_arguments(const char *open, const char *end, struct piece *inside, struct pieces *args);
/* A use of @macro, replaced; malloc'ed. */
char *macro_expand(const struct macro *macro, const struct pieces *args, struct piece inside);
const struct macro *macro_find(const struct header_file *file, struct piece name);
/* Blanks and line ends as one blank each. */
char *piece_flat(struct piece piece);

/* headers_event.c */
void headers_find_events(struct header_file *file);

#endif /* KM_HEADERS_PRIVATE_H */
