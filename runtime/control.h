/* SPDX-License-Identifier: GPL-2.0 */
/*
 * control.h: the file kstats/_control: measurements without a compiler.
 */
#ifndef KS_CONTROL_H
#define KS_CONTROL_H

int ks_control_init(void);

/* Remove what was made by hand or here; the file itself goes with its directory. May sleep. */
void ks_control_exit(void);

#endif /* KS_CONTROL_H */
