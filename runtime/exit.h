/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exit.h: follow tasks that end, while anybody needs it. Under ks_lock; may sleep.
 */
#ifndef KS_EXIT_H
#define KS_EXIT_H

int ks_exit_get(void);
void ks_exit_put(void);

#endif /* KS_EXIT_H */
