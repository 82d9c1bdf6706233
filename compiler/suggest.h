/* SPDX-License-Identifier: GPL-2.0 */
/* suggest.h: how an unfinished script may go on, for shells' completion. No kernel is looked at, nothing is said. */
#ifndef KM_SUGGEST_H
#define KM_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/* @word may stand in place of what follows the first @from bytes; @what: what it is, or "". Both live as long as the call. */
typedef void suggest_fn(void *arg, size_t from, const char *word, const char *what);

/*
 * The words that the last one of @script, as far as it is typed, may become: keywords where the grammar has them, built-ins where an
 * expression begins, and what `via`, `clock`, `nesting`, `of`, `watch` and `profile` are followed by. Gives where that word begins.
 * *points: it may be a point, too; of a quoted one the word is what stands in the quotes.
 */
size_t suggest_words(const char *script, bool *points, suggest_fn *fn, void *arg);

/* The parameters of a script that may have errors elsewhere: name, what it says of it, and whether it is a text. */
typedef void suggest_param_fn(void *arg, const char *name, const char *what, bool is_text);
void suggest_params(const char *script, suggest_param_fn *fn, void *arg);

#endif /* KM_SUGGEST_H */
