/* SPDX-License-Identifier: GPL-2.0 */
/*
 * guest.h: --guest: the same command on a throw-away virtual machine, by the scripts guest/kernel and guest/boot.
 */
#ifndef KM_GUEST_H
#define KM_GUEST_H

#include "console/options.h"

/*
 * The kernel that --guest[=K] means, fetched when it is not there yet. KM_OK with t->sysroot and t->release (to be freed
 * with guest_free_target), or KM_KERNEL after saying why.
 */
int guest_target(const char *kernel, struct target *t);
void guest_free_target(struct target *t);

/*
 * Have guest/boot boot that kernel with kmeter, kstats.ko and the script's module (NULL: there is none, as of kmeter floor), and run the
 * rest of the command there. Reports come back and are written here, with the script's text (or NULL). The command's own status.
 */
int guest_run(const struct options *o, const struct target *t, const char *module, const char *runtime, const char *script_text);

/* A word so that a shell takes it as it is; to be freed. */
char *guest_quote(const char *word);

/* The command line for inside the guest; to be freed. */
char *guest_command(const struct options *o, const char *module);

#endif /* KM_GUEST_H */
