/* SPDX-License-Identifier: GPL-2.0 */
/*
 * account.h: where the hits of a measurement went.
 */
#ifndef KM_ACCOUNT_H
#define KM_ACCOUNT_H

#include "console/page.h"

/* "  hits 12 = recorded 10 + filtered 2": terms that are 0 are left out; it says so when it does not balance. */
void account_line(const struct page *p);

/* A line for each kind of loss that there is, with its meaning. */
void account_losses(const struct page *p);

/* Is there any? */
bool account_lost(const struct snapshot *s);

#endif /* KM_ACCOUNT_H */
