/* SPDX-License-Identifier: GPL-2.0 */
/* list.h: what can be probed: kmeter -l and -L. */
#ifndef KM_LIST_H
#define KM_LIST_H

#include "compile.h"

/*
 * Print the points of the target kernel that match @pattern, in the script's notation ("vfs_*", "tp:sched:*",
 * "syscall:*", "nf_tables:*"), one a line, sorted; those of modules where the pattern names a module or a system. Of
 * FILE:LINE and inline:NAME, which are no patterns, each place, as function+offset. With @details also arguments and their
 * types, the mechanisms that can serve it, the place's line, and for what cannot be probed why. Errors go to stderr. Returns KM_OK, KM_SCRIPT where nothing matches
 * (said, with the nearest names), KM_KERNEL.
 */
int list_points(const char *pattern, bool details, const struct compile_options *options, FILE *to);

/*
 * For completion: the same without details, without a word on stderr, and of a pattern of functions without tracepoints. For these the files
 * of all modules are read, once (index.h), which takes a second.
 */
int list_names(const char *pattern, const struct compile_options *options, FILE *to);

#endif /* KM_LIST_H */
