// SPDX-License-Identifier: GPL-2.0
/* text.c: memory and growable strings, and which names are near to a word. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

static void *got(void *p)
{
	if (p)
		return p;
	fputs("kmeter: out of memory\n", stderr);
	exit(3);
}

void *mem_zero(size_t count, size_t size)
{
	return got(calloc(count ? count : 1, size));
}

void *mem_more(void *array, size_t count, size_t size)
{
	/* Room is the next power of two: it is used up exactly when the count is one. */
	if (count & (count - 1))
		return array;
	return got(reallocarray(array, count ? 2 * count : 1, size));
}

char *mem_copy(const char *bytes, size_t length)
{
	char *copy = mem_zero(length + 1, 1);

	memcpy(copy, bytes, length);
	return copy;
}

char *mem_absolute(const char *path)
{
	char *here = *path == '/' ? NULL : getcwd(NULL, 0), *whole;

	if (!here)
		return mem_copy(path, strlen(path));
	whole = mem_printf("%s/%s", here, path);
	free(here);
	return whole;
}

char *mem_printf(const char *format, ...)
{
	struct text t = {};
	va_list args;

	va_start(args, format);
	text_vprintf(&t, format, args);
	va_end(args);
	return text_take(&t);
}

static void reserve(struct text *t, size_t more)
{
	if (t->room - t->length > more)
		return;
	t->room = (t->length + more + 64) * 2;
	t->s = got(realloc(t->s, t->room));
}

void text_add(struct text *t, const char *bytes, size_t length)
{
	reserve(t, length);
	memcpy(t->s + t->length, bytes, length);
	t->length += length;
	t->s[t->length] = 0;
}

void text_string(struct text *t, const char *string)
{
	text_add(t, string, strlen(string));
}

void text_vprintf(struct text *t, const char *format, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	if (n > 0) {
		reserve(t, n);
		vsnprintf(t->s + t->length, n + 1, format, again);
		t->length += n;
	}
	va_end(again);
}

void text_printf(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vprintf(t, format, args);
	va_end(args);
}

char *text_take(struct text *t)
{
	char *s = t->s;

	*t = (struct text){};
	return s ? s : mem_zero(1, 1);
}

void text_free(struct text *t)
{
	free(t->s);
	*t = (struct text){};
}

char *text_of_file(const char *path, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct text t = {};
	ssize_t n;

	if (fd < 0)
		return NULL;
	/* Not by size: files in /proc have none. */
	do {
		reserve(&t, 1 << 16);
		n = read(fd, t.s + t.length, t.room - t.length - 1);
		if (n > 0)
			t.length += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0) {
		int saved = errno;

		close(fd);
		text_free(&t);
		errno = saved;
		return NULL;
	}
	close(fd);
	t.s[t.length] = 0;
	if (length)
		*length = t.length;
	return t.s;
}

#define NEAR_LENGTH	64	/* longer words are compared by their beginnings */

void near_begin(struct near *n, const char *word)
{
	*n = (struct near){ .word = word, .length = strnlen(word, NEAR_LENGTH) };
}

/*
 * Edit distance (insert, delete, replace, swap neighbours), in halves so that a difference in the first letter, which
 * people rarely get wrong, may count more. Gives up, with @limit + 1, once no path stays within @limit.
 */
static unsigned int distance(const char *a, unsigned int na, const char *b, unsigned int nb, unsigned int limit)
{
	unsigned int rows[3][NEAR_LENGTH + 1];
	unsigned int *before = rows[0], *above = rows[1], *row = rows[2];

	for (unsigned int j = 0; j <= nb; j++)
		above[j] = 2 * j;
	for (unsigned int i = 1; i <= na; i++) {
		unsigned int best, *spare;

		row[0] = best = 2 * i;
		for (unsigned int j = 1; j <= nb; j++) {
			unsigned int same = a[i - 1] == b[j - 1] ? 0 : i == 1 && j == 1 ? 3 : 2;
			unsigned int d = above[j - 1] + same;

			if (above[j] + 2 < d)
				d = above[j] + 2;
			if (row[j - 1] + 2 < d)
				d = row[j - 1] + 2;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 2 < d)
				d = before[j - 2] + 2;
			row[j] = d;
			if (d < best)
				best = d;
		}
		if (best > limit)
			return limit + 1;
		spare = before;
		before = above;
		above = row;
		row = spare;
	}
	return above[nb];
}

void near_offer(struct near *n, const char *name, unsigned int length)
{
	unsigned int limit = n->length < 3 ? 2 : 2 * ((n->length + 2) / 3);
	unsigned int apart, d, at;

	if (limit > 8)
		limit = 8;
	if (n->count == NEAR_MAX && n->distance[NEAR_MAX - 1] <= limit)
		limit = n->distance[NEAR_MAX - 1] - 1;
	if (length > NEAR_LENGTH)
		length = NEAR_LENGTH;
	apart = length > n->length ? length - n->length : n->length - length;
	if (2 * apart > limit || !limit)
		return;
	d = distance(n->word, n->length, name, length, limit);
	if (d > limit)
		return;
	for (at = 0; at < n->count; at++)
		if (strcmp(n->name[at], name) == 0)
			return;
	at = n->count < NEAR_MAX ? n->count++ : NEAR_MAX - 1;
	for (; at > 0 && n->distance[at - 1] > d; at--) {
		n->distance[at] = n->distance[at - 1];
		n->name[at] = n->name[at - 1];
	}
	n->distance[at] = d;
	n->name[at] = name;
}
