/* SPDX-License-Identifier: GPL-2.0 */
/*
 * each.h: --each: many scripts, one after the other, each as if it were alone. One that cannot be stops no other.
 */
#ifndef KM_EACH_H
#define KM_EACH_H

#include "console/options.h"

/*
 * `one` for each script of @o, a folder standing for its files *.km, sorted. Returns the gravest status, after saying which scripts
 * had another one than KM_OK.
 */
int each_script(const struct options *o, int (*one)(const struct options *o));

#endif /* KM_EACH_H */
