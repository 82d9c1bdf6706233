/* SPDX-License-Identifier: GPL-2.0 */
/*
 * library.h: the scripts that come with kmeter, by name: watch/variable is the file watch/variable.km of its folder, examples/ beside
 * the build tree, share/kmeter/examples where it is installed, or what KMETER_LIBRARY names.
 */
#ifndef KM_LIBRARY_H
#define KM_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The file of a script, to be freed; NULL after saying that there is none of this name, and which are near. */
char *library_find(const char *name);

/* Whether a kernel could run the script in a file: NULL, or why not, to be freed. */
typedef char *library_judge(void *kernel, const char *path);

/*
 * A line a script that one of the patterns means (none: all), with the kernel's verdict (without @judge, none) and what it is for, and one for
 * each of its parameters. A pattern without `*`, `?`, `[` may also be a word of the script's page: the name of the tool that it
 * corresponds to. KM_OK, or KM_USAGE after saying that a pattern means none.
 */
int library_list(char *const *patterns, size_t n, library_judge *judge, void *kernel, FILE *out);

/* The page of each of the scripts: what stands at its head. KM_OK, or KM_USAGE after saying that there is none. */
int library_help(char *const *names, size_t n, FILE *out);

/* Each script, in order of name, with the first line of its page. For completion. */
void library_each(void (*fn)(void *arg, const char *name, const char *what), void *arg);

#endif /* KM_LIBRARY_H */
