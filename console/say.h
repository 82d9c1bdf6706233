/* SPDX-License-Identifier: GPL-2.0 */
/*
 * say.h: what kmeter says on stderr (errors, notes, progress), and memory that never comes back NULL.
 *
 * Reports go to stdout or -o, everything else comes through here, so that -q and -v are decided in one place.
 */
#ifndef KM_SAY_H
#define KM_SAY_H

#include <stdbool.h>
#include <stddef.h>

/* Which of them are shown; errors always are. */
void say_set(bool quiet, bool verbose);

/* One message each, without a final newline: "kmeter: …", "note: …" (not with -q), "…" (only with -v). */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A further line under the last message: what to do about it. */
void say_hint(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As calloc, realloc, strdup and asprintf; without memory the program says so and exits through exit(). */
void say_out_of_memory(void) __attribute__((noreturn));
void *say_calloc(size_t count, size_t size);
void *say_realloc(void *old, size_t count, size_t size);
char *say_strdup(const char *text);
char *say_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The word among `words` (NULL-terminated) that `typed` was most likely meant to be, or NULL: at most a third of its
 * letters differ, are missing, swapped or too many.
 */
const char *say_nearest(const char *typed, const char *const *words);

#endif /* KM_SAY_H */
