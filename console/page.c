// SPDX-License-Identifier: GPL-2.0
/*
 * page.c: words and numbers of the text report: coloured, aligned, in the measurement's unit.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "console/page.h"

void page_put(const struct page *p, enum page_look look, const char *format, ...)
{
	static const char *const on[] = { "", "\033[1m", "\033[2m", "\033[36m", "\033[1;31m" };
	bool color = p->o->color && look != PAGE_PLAIN;
	char *text = NULL, *body;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return;
	body = text;
	if (*body == '\n')	/* colours begin and end within the line */
		putc(*body++, p->out), n--;
	if (n && body[n - 1] == '\n')
		body[--n] = 0;
	else
		n = -1;
	fprintf(p->out, "%s%s%s%s", color ? on[look] : "", body, color ? "\033[0m" : "", n < 0 ? "" : "\n");
	free(text);
}

/* Text in a field of @width columns: on its left, or on its right when width is negative. */
void page_field(const struct page *p, enum page_look look, int width, const char *text)
{
	int pad = abs(width) - units_columns(text);

	if (pad < 0)
		pad = 0;
	if (width < 0)
		page_put(p, look, "%*s%s", pad, "", text);
	else
		page_put(p, look, "%s%*s", text, pad, "");
}

int page_widest(int width, const char *text)
{
	int w = units_columns(text);

	return w > width ? w : width;
}

char *page_value(const struct page *p, char *buf, double v)
{
	return units_value(buf, v, p->unit, p->o->utf8);
}

/* A largest (smallest) sample: the number, or how far it may go. */
char *page_bound(const struct page *p, char *buf, const struct figures_bound *b, bool largest)
{
	char text[UNITS_TEXT];

	page_value(p, text, largest ? b->hi : b->lo);
	snprintf(buf, UNITS_TEXT, "%s%.50s", b->lo == b->hi ? "" :
		 p->o->utf8 ? (largest ? "≤" : "≥") : (largest ? "<=" : ">="), text);
	return buf;
}

char *page_mean(const struct page *p, char *buf, const struct figures *f)
{
	if (isnan(f->mean))	/* the sums wrapped: all that is left are bounds, and they may be far apart */
		return strcpy(buf, "unknown");
	return page_value(p, buf, f->mean);
}
