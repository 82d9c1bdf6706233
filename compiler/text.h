/* SPDX-License-Identifier: GPL-2.0 */
/*
 * text.h: memory and growable strings for the compiler.
 *
 * What these give is never NULL: without memory kmeter says so and ends, since no stage could go on with half a script.
 * Everything is freed with free().
 */
#ifndef KM_TEXT_H
#define KM_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory for @count objects of @size bytes. */
void *mem_zero(size_t count, size_t size);

/* Room for one object of @size bytes more behind the @count that @array holds; doubles, so that appending is cheap. */
void *mem_more(void *array, size_t count, size_t size);

/* A zero-terminated copy of @length bytes. */
char *mem_copy(const char *bytes, size_t length);
/* A path as it is from everywhere: with the current folder before it where it is relative. */
char *mem_absolute(const char *path);

char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A string that grows. Zero-initialise it; text_take gives away what it holds, text_free drops it. */
struct text {
	char *s;
	size_t length;
	size_t room;
};

void text_add(struct text *t, const char *bytes, size_t length);
void text_string(struct text *t, const char *string);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
char *text_take(struct text *t);
void text_free(struct text *t);

/* The whole of a file, zero-terminated; NULL and errno where it cannot be read. @length may be NULL. */
char *text_of_file(const char *path, size_t *length);

/*
 * The nearest names: offer each candidate, then take up to NEAR_MAX of them, best first, nearer ones only than about a
 * third of the word's length.
 */
#define NEAR_MAX	3

struct near {
	const char *word;
	unsigned int length;
	unsigned int count;
	unsigned int distance[NEAR_MAX];
	const char *name[NEAR_MAX];	/* the caller's */
};

void near_begin(struct near *n, const char *word);
void near_offer(struct near *n, const char *name, unsigned int length);

#endif /* KM_TEXT_H */
