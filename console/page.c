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

/* ---- folding ---- */

struct fold {
	FILE *out;
	int width, hang, column;	/* hang: blanks before what a line goes on with */
	const char *color;		/* the sequence in force, NULL: none */
};

/* The bytes of a colour's sequence at @at, 0 when there is none. */
static size_t sequence(const char *at)
{
	return *at == '\033' ? strcspn(at, "m") + 1 : 0;
}

static void put_sequence(struct fold *f, const char *at, size_t n)
{
	f->color = strncmp(at, "\033[0m", n) ? at : NULL;
	fwrite(at, 1, n, f->out);
}

static void break_line(struct fold *f)
{
	fprintf(f->out, "%s\n%*s", f->color ? "\033[0m" : "", f->hang, "");
	if (f->color)
		fwrite(f->color, 1, sequence(f->color), f->out);
	f->column = f->hang;
}

/* The columns of a word; *end is behind it. */
static int word_columns(const char *at, const char *line_end, const char **end)
{
	int all = 0, columns;
	size_t n;

	for (; at < line_end && *at != ' '; at += n) {
		n = sequence(at);
		columns = 0;
		if (!n)
			n = units_character(at, &columns);
		all += columns;
	}
	*end = at;
	return all;
}

/* A word; one that no line is long enough for is cut where it has to be. */
static void put_word(struct fold *f, const char *at, const char *end)
{
	int columns;
	size_t n;

	for (; at < end; at += n) {
		n = sequence(at);
		if (n) {
			put_sequence(f, at, n);
			continue;
		}
		n = units_character(at, &columns);
		if (f->column + columns > f->width)
			break_line(f);
		fwrite(at, 1, n, f->out);
		f->column += columns;
	}
}

static void fold_line(struct fold *f, const char *at, const char *end)
{
	int blanks, columns;
	const char *word;
	size_t n;

	f->column = 0;
	f->hang = f->width;	/* till the indent is known */
	while (at < end) {
		for (blanks = 0; at < end && (*at == ' ' || sequence(at)); at += n) {
			n = sequence(at);
			if (n)
				put_sequence(f, at, n);
			else
				n = 1, blanks++;
		}
		if (f->hang == f->width)
			f->hang = blanks + 2 < f->width / 2 ? blanks + 2 : f->width / 2;
		if (at == end)
			break;
		columns = word_columns(at, end, &word);
		if (f->column && f->column + blanks + columns > f->width) {
			break_line(f);
		} else {
			fprintf(f->out, "%*s", blanks, "");
			f->column += blanks;
		}
		put_word(f, at, word);
		at = word;
	}
}

void page_fold(FILE *out, const char *text, int width)
{
	struct fold f = { .out = out, .width = width };
	const char *end;

	for (; *text; text = end + (*end == '\n')) {
		end = text + strcspn(text, "\n");
		fold_line(&f, text, end);
		if (*end)
			putc('\n', out);
	}
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
