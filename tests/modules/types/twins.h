/* SPDX-License-Identifier: GPL-2.0 */
/* twins.h: what kmeter_twins.ko's files have for its main one. */
#ifndef KT_TWINS_H
#define KT_TWINS_H

/* Calls that the compiler must neither drop, merge nor change. */
#define CALLED	noinline __noclone

long kt_in_one(int x);
long kt_in_two(int x);

#endif /* KT_TWINS_H */
