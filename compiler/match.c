// SPDX-License-Identifier: GPL-2.0
/* match.c: globs. One place to go back to (the last `*`) is enough, so that no pattern takes exponential time. */
#include <string.h>

#include "match.h"

bool match_is_glob(const char *text)
{
	return strpbrk(text, "*?[\\") != NULL;
}

/* One sign of a set, perhaps behind a backslash. */
static unsigned char sign(const char **p)
{
	if (**p == '\\' && (*p)[1])
		++*p;
	return *(*p)++;
}

/*
 * The set at @p, behind its `[`: whether @c is in it, and where it ends. NULL: nothing closes it. A `]` that is first is
 * a sign like others.
 */
static const char *set(const char *p, unsigned char c, bool *in)
{
	bool not = *p == '!' || *p == '^', first = true;

	p += not;
	*in = not;
	for (; *p && (*p != ']' || first); first = false) {
		unsigned char low = sign(&p), high = low;

		if (*p == '-' && p[1] && p[1] != ']') {
			p++;
			high = sign(&p);
		}
		if (c >= low && c <= high)
			*in = !not;
	}
	return *p ? p + 1 : NULL;
}

/* Whether the first element of the pattern, which is no `*`, is @c; what is behind it. */
static bool one(const char **pattern, unsigned char c, const char **open)
{
	const char *p = *pattern, *end;
	bool in;

	if (*p == '?') {
		*pattern = p + 1;
		return true;
	}
	/* Where one `[` was not closed, later ones are not either: they need not be looked at again and again. */
	if (*p == '[' && (!*open || p < *open)) {
		end = set(p + 1, c, &in);
		if (end) {
			*pattern = end;
			return in;
		}
		*open = p;
	}
	*pattern = p;
	return sign(pattern) == c;
}

bool match_glob(const char *pattern, const char *name)
{
	const char *star = NULL, *back = NULL, *open = NULL;

	while (*name) {
		const char *p = pattern;

		if (*p == '*') {
			while (*p == '*')
				p++;
			if (!*p)
				return true;
			star = pattern = p;
			back = name;
			continue;
		}
		if (*p && one(&p, *name, &open)) {
			pattern = p;
			name++;
			continue;
		}
		if (!star)
			return false;
		pattern = star;
		name = ++back;
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
