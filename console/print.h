/* SPDX-License-Identifier: GPL-2.0 */
/*
 * print.h: where reports go and how they look there: -o, -F, --html, --color, --ascii, the terminal's width.
 */
#ifndef KM_PRINT_H
#define KM_PRINT_H

#include "console/html.h"
#include "console/options.h"

struct print {
	FILE *out;
	const char *path;	/* NULL: stdout */
	const struct render *format;
	struct render_options look;
	struct html *html;	/* NULL: no page beside it */
	int error;		/* errno when it could not be written, which is said once; 0: all went well */
};

/* Open -o and --html, look at the terminal. KM_OK, or KM_USAGE when a file cannot be written. */
int print_open(struct print *p, const struct options *o);

/* One report; false when nobody takes it any more (a full disk is said, a reader that has gone is not). */
bool print_report(struct print *p, const struct report *r);

/* KM_OK, or KM_USAGE when a file could not be completed (said). */
int print_close(struct print *p);

/* Do the environment and `o` want UTF-8; colour on a stream; how wide is it? Also for the command given to a guest. */
bool print_utf8(const struct options *o);
bool print_color(const struct options *o);
int print_width(const struct options *o);

#endif /* KM_PRINT_H */
