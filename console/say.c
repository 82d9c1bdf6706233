// SPDX-License-Identifier: GPL-2.0
/*
 * say.c: messages on stderr, memory, and the nearest word to one that does not exist.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"
#include "compiler/progress.h"
#include "console/say.h"

static bool say_quiet, say_verbose;

void say_set(bool quiet, bool verbose)
{
	say_quiet = quiet;
	say_verbose = verbose;
}

/* One write a line: messages of two processes on one terminal do not mix within a line. */
static void line(const char *before, const char *format, va_list args)
{
	char *text;

	fflush(stdout);
	progress_hide();
	if (vasprintf(&text, format, args) < 0)
		return;
	fprintf(stderr, "%s%s\n", before, text);
	free(text);
}

#define LINE(before)				\
	do {					\
		va_list args;			\
						\
		va_start(args, format);		\
		line(before, format, args);	\
		va_end(args);			\
	} while (0)

void say_error(const char *format, ...)
{
	LINE("kmeter: ");
}

void say_note(const char *format, ...)
{
	if (!say_quiet)
		LINE("note: ");
}

void say_detail(const char *format, ...)
{
	if (say_verbose)
		LINE("kmeter: ");
}

void say_hint(const char *format, ...)
{
	LINE("        ");
}

void say_out_of_memory(void)
{
	say_error("out of memory");
	exit(KM_KERNEL);
}

void *say_calloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		say_out_of_memory();
	return p;
}

void *say_realloc(void *old, size_t count, size_t size)
{
	void *p = reallocarray(old, count ? count : 1, size);

	if (!p)
		say_out_of_memory();
	return p;
}

char *say_strdup(const char *text)
{
	char *p = strdup(text);

	if (!p)
		say_out_of_memory();
	return p;
}

char *say_text(const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		say_out_of_memory();
	return text;
}

/* Edits (insert, delete, replace, swap neighbours) from a to b: the optimal string alignment distance. */
static unsigned int edits(const char *a, const char *b)
{
	enum { MOST = 32 };
	unsigned int row[3][MOST + 1], la = strlen(a), lb = strlen(b), i, j;

	if (la > MOST || lb > MOST)
		return MOST;
	for (j = 0; j <= lb; j++)
		row[0][j] = j;
	for (i = 1; i <= la; i++) {
		unsigned int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		now[0] = i;
		for (j = 1; j <= lb; j++) {
			unsigned int d = last[j - 1] + (a[i - 1] != b[j - 1]);

			if (last[j] + 1 < d)
				d = last[j] + 1;
			if (now[j - 1] + 1 < d)
				d = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < d)
				d = before[j - 2] + 1;
			now[j] = d;
		}
	}
	return row[la % 3][lb];
}

const char *say_nearest(const char *typed, const char *const *words)
{
	unsigned int best = (strlen(typed) + 4) / 3;	/* one more than what is accepted */
	const char *nearest = NULL;

	for (; *words; words++) {
		unsigned int d = edits(typed, *words);

		if (d < best) {
			best = d;
			nearest = *words;
		}
	}
	return nearest;
}
