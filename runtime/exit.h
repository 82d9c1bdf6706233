/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exit.h: follow tasks that end, while anybody needs it: each measurement, and thunks that tasks may still be in the bodies of. May
 * sleep. Who calls ks_exit_get() while another user stays does not fail.
 */
#ifndef KS_EXIT_H
#define KS_EXIT_H

int ks_exit_get(void);
void ks_exit_put(void);

#endif /* KS_EXIT_H */
