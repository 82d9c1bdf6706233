/* SPDX-License-Identifier: GPL-2.0 */
/*
 * keys.h: the keys of a part as people read them: numbers, text, errnos, enumerators, symbols, stacks, matches.
 */
#ifndef KM_KEYS_H
#define KM_KEYS_H

#include "console/snapshot.h"

/* The names that a measurement brings along for its keys. It refers to the snapshot. */
struct keys;

struct keys *keys_new(const struct snapshot *s);
void keys_free(struct keys *k);

/* Key `i` (< nby) of a part, whatever it is but a stack; control characters and bad UTF-8 escaped. To be freed. */
char *keys_text(const struct keys *k, const struct snapshot_part *part, unsigned int i);

/* Its name, where it is a number that has one; NULL else. To be freed. */
char *keys_name(const struct keys *k, const struct snapshot_part *part, unsigned int i);

/*
 * Let each key that is a function be the address where that begins, and make one part of those of one function. Without the
 * kernel's symbols they stay apart.
 */
void keys_by_function(struct snapshot *s);

/* The words of key `i`. */
const __u64 *keys_words(const struct snapshot *s, const struct snapshot_part *part, unsigned int i);

/* A stack: how many frames it has, and the name of one, innermost first (NULL: none). To be freed. */
unsigned int keys_frames(const struct snapshot *s, const struct snapshot_part *part, unsigned int i);
char *keys_frame(const struct snapshot *s, const struct snapshot_part *part, unsigned int i, unsigned int frame);

/* Key `i` on one line, a stack too: its frames, innermost last, joined by ';', as flame graphs take them. To be freed. */
char *keys_folded(const struct keys *k, const struct snapshot_part *part, unsigned int i);

/*
 * What stands above the column of key `i`, in @heading, which is returned: the text of the script; where that is too long, the end of
 * what it leads to, without the cast: (char *)$file->f_path.dentry->d_name.name is ..dentry->d_name.name.
 */
enum { KEYS_HEADING = 24 };
const char *keys_heading(const struct snapshot *s, unsigned int i, char *heading);

/* Is the key a word (else a number, whose digits are aligned at their right)? */
bool keys_worded(const struct snapshot *s, unsigned int i);

/* How many matches a pattern has, 0 when the measurement has none. */
size_t keys_matches(const struct keys *k);

/* Text that a terminal prints as it is: control characters as \xNN, invalid UTF-8 too. To be freed. */
char *keys_printable(const char *text, size_t length);

#endif /* KM_KEYS_H */
