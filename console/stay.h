/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stay.h: measurements that stay in the kernel without a process: list, start, stop, reset, unload.
 */
#ifndef KM_STAY_H
#define KM_STAY_H

#include "console/options.h"
#include "console/print.h"

/*
 * The measurements that o->names mean, all of them when there are no names; *n of them, for stay_free. KM_KERNEL where
 * nothing can be looked at, KM_USAGE after saying which name means none; *all is NULL then.
 */
int stay_find(const struct options *o, struct snapshot ***all, size_t *n);
void stay_free(struct snapshot **all, size_t n);

/* The verbs. They return KM_OK, KM_USAGE (no such name) or KM_KERNEL. */
int stay_list(const struct options *o);
int stay_write(const struct options *o, const char *command);	/* START, STOP, RESET */
int stay_unload(const struct options *o);

/*
 * Before the module that was made from the script @path (NULL: of no file) is loaded to stay: false when it is loaded already. What was
 * made from an older state of that file is unloaded.
 */
bool stay_make_way(const char *module, const char *path);

/* START, STOP or RESET for the measurement of that name; false after saying why not. */
bool stay_command(const char *name, const char *command);

#endif /* KM_STAY_H */
