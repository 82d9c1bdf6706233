/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run.h: measure with a module until time, a number of reports, a command or a signal says that it is enough.
 */
#ifndef KM_RUN_H
#define KM_RUN_H

#include "console/options.h"
#include "console/print.h"

/*
 * From a module's file to its reports, and the module unloaded again. @runtime: kstats.ko, where it is known; @script: the source
 * text, for reports, or NULL. KM_OK; KM_KERNEL after saying what stands in the way; 127 where the command cannot be started.
 */
int run_measurements(const struct options *o, struct print *p, const char *module, const char *runtime, const char *script);

#endif /* KM_RUN_H */
