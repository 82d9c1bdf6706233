/* SPDX-License-Identifier: GPL-2.0 */
/*
 * groups.h: the tables of the text report: a line a key of `by`, or a match of a pattern.
 */
#ifndef KM_GROUPS_H
#define KM_GROUPS_H

#include "console/page.h"

/* Of durations and values; @all are the figures over all of them. */
void groups_print(const struct page *p, const struct figures *all);

/* Of counts; @all is how many. */
void groups_print_counts(const struct page *p, __u64 all);

/* For other tables: how many of @n lines are shown; below them, that @n - @shown more, @rest in all, are not; a key's stacks. */
size_t groups_limit(const struct page *p, size_t n);
void groups_print_rest(const struct page *p, size_t shown, size_t n, __u64 rest, const char *what);
void groups_print_stacks(const struct page *p, const struct snapshot_part *part, int indent);

#endif /* KM_GROUPS_H */
