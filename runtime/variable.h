/* SPDX-License-Identifier: GPL-2.0 */
/*
 * variable.h: the addresses of modules' variables that scripts read, which are known while those modules are loaded.
 */
#ifndef KS_VARIABLE_H
#define KS_VARIABLE_H

#include "kstats.h"

/*
 * Find a script's variables, and follow their modules from now on. 0, or -ENOENT after a line in the log: there is none of that
 * name, and no point of the script waits for its module. May sleep.
 */
int ks_variable_load(const struct kstats_script *script);

/* Once no handler of it runs. What was not loaded may be given too. May sleep. */
void ks_variable_unload(const struct kstats_script *script);

int ks_variable_init(void);
void ks_variable_exit(void);

#endif /* KS_VARIABLE_H */
