/* SPDX-License-Identifier: GPL-2.0 */
/* replay.h: makes a script's module by a recipe. */
#ifndef KM_REPLAY_H
#define KM_REPLAY_H

#include "recipe.h"

enum replay_result {
	REPLAY_OK,
	REPLAY_BROKEN,		/* a prepared file is not what was prepared: the entry is worth nothing */
	REPLAY_FAILED,		/* *why says how: kbuild may do better */
	REPLAY_KILLED,
};

/*
 * Make @dir/@name.ko of @dir/@name.c, with the recipe of folder @entry; @headers is the kernel's folder, @source what
 * stands for a srcversion, hexadecimal. What is run writes to @log. @why is malloc'ed, or NULL.
 */
enum replay_result replay_module(const struct recipe *r, const char *entry, const char *headers, const char *dir,
				 const char *name, const char *source, const char *log, bool verbose, char **why);

#endif /* KM_REPLAY_H */
