/* SPDX-License-Identifier: GPL-2.0 */
/* match.h: names against globs, as a shell matches the names of files. */
#ifndef KM_MATCH_H
#define KM_MATCH_H

#include <stdbool.h>

/*
 * Whether the whole of @name matches: `*` any characters, `?` one, `[a-z]` one of a set, `[!a]` and `[^a]` one that is not
 * in it, `\` takes the sign behind it as it is. A `[` that nothing closes stands for itself. Takes at most as many steps
 * as the pattern's length times the name's.
 */
bool match_glob(const char *pattern, const char *name);

/* Whether @text is a glob: has a sign that is special to match_glob(). */
bool match_is_glob(const char *text);

#endif /* KM_MATCH_H */
