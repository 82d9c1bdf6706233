/* SPDX-License-Identifier: GPL-2.0 */
/*
 * page.h: what all parts of the text report need: where it goes, how it looks, and its words and numbers.
 */
#ifndef KM_PAGE_H
#define KM_PAGE_H

#include <stdio.h>

#include "console/keys.h"
#include "console/render.h"
#include "console/units.h"

struct page {
	FILE *out;
	const struct render_options *o;
	const struct snapshot *s;
	const struct keys *keys;
	const char *unit;	/* of this measurement, NULL: none */
};

enum page_look { PAGE_PLAIN, PAGE_BOLD, PAGE_DIM, PAGE_BAR, PAGE_ALARM };

/* As fprintf; colours begin and end within a line, so @format has a newline at its beginning or end only. */
void page_put(const struct page *p, enum page_look look, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Text in a field of @width columns: on its left, or on its right when width is negative. */
void page_field(const struct page *p, enum page_look look, int width, const char *text);

/* Lines of @text that are wider than @width columns, broken at blanks, and indented from their second line on; colours hold. */
void page_fold(FILE *out, const char *text, int width);

/* The larger of @width and the columns of @text. */
int page_widest(int width, const char *text);

/* These write at most UNITS_TEXT bytes and return buf. A bound is a largest (smallest) sample, or how far it may go. */
char *page_value(const struct page *p, char *buf, double v);
char *page_bound(const struct page *p, char *buf, const struct figures_bound *b, bool largest);
char *page_mean(const struct page *p, char *buf, const struct figures *f);

#endif /* KM_PAGE_H */
