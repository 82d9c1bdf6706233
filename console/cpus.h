/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpus.h: how a measurement differs from CPU to CPU.
 */
#ifndef KM_CPUS_H
#define KM_CPUS_H

#include "console/page.h"

/* A heading, and a line for each CPU with samples; nothing without any. */
void cpus_print(const struct page *p);

#endif /* KM_CPUS_H */
