/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel.h: the target kernel as files: which release, under which root, whether it is the one that runs here.
 */
#ifndef KM_KERNEL_H
#define KM_KERNEL_H

#include <stdbool.h>

#include "compile.h"
#include "diag.h"

struct kernel {
	char *release;
	char *root;		/* before every path of the target; "" for this machine's own */
	bool running;		/* it is the kernel that runs here: /proc and /sys speak of it */
};

/* Find the release that @target means. False, with an error in @diag, where it means none or several. */
bool kernel_find(struct kernel *k, const struct target *target, struct diag *diag);
void kernel_free(struct kernel *k);

/* A path of the target; every %r in @path becomes the release. malloc'ed. */
char *kernel_path(const struct kernel *k, const char *path);

/* The first of @paths (NULL at the end) that can be read, or NULL. */
char *kernel_file(const struct kernel *k, const char *const *paths);

/*
 * Debian's configured headers have a Makefile of hardly more than "include /usr/src/linux-headers-*-common/Makefile": the file
 * that is meant, malloc'ed, or NULL where there is no such line.
 */
char *kernel_makefile(const struct kernel *k, const char *headers);

/*
 * Which build of its release it is, as uname -v says when it runs: of one that does not run, what its image's header says. malloc'ed;
 * NULL: there is no such image.
 */
char *kernel_build(const struct kernel *k);

#endif /* KM_KERNEL_H */
