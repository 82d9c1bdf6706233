/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diag.h: located messages: collected while the stages run, then shown together, in the order of the script.
 *
 *	-e:1:9: error: no function 'vfs_raed' in kernel 6.1.0
 *	   measure vfs_raed bits 3
 *	           ^~~~~~~~
 *	   did you mean vfs_read or vfs_readv?
 *
 * Every message has a tag, a short name for its kind, by which tests and documentation refer to it. It is shown when
 * the environment has KMETER_TAGS.
 */
#ifndef KM_DIAG_H
#define KM_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "compile.h"
#include "text.h"

/* Bytes [from, to) of a source. */
struct loc {
	unsigned int source;
	unsigned int from;
	unsigned int to;
};

/* For what lies in no script: the target kernel, the cache. */
#define LOC_NONE	((struct loc){ .source = ~0U })

enum diag_kind { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag;

struct diag *diag_new(const struct source *sources, size_t nsources);
void diag_free(struct diag *d);

void diag_error(struct diag *d, struct loc loc, const char *tag, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void diag_warn(struct diag *d, struct loc loc, const char *tag, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void diag_note(struct diag *d, struct loc loc, const char *tag, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* More about the message added last: a second place, a line of help, the nearest names. */
void diag_place(struct diag *d, struct loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_help(struct diag *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
void diag_near(struct diag *d, const struct near *near);

size_t diag_errors(const struct diag *d);

/* The first error's text, without its place; NULL: there is none. Of @d. */
const char *diag_first_error(const struct diag *d);

/* What was said since a mark can be taken back: of an alternative that is not needed after all. */
struct diag_mark {
	size_t count, errors, dropped;
};

struct diag_mark diag_mark(const struct diag *d);
void diag_rewind(struct diag *d, struct diag_mark mark);

/* The source that a place is in, and the bytes there. */
const struct source *diag_source(const struct diag *d, struct loc loc);

/* Show what was collected, once. With @quiet only errors. */
void diag_print(struct diag *d, FILE *to, bool quiet);

#endif /* KM_DIAG_H */
