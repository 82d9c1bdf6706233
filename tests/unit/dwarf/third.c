// SPDX-License-Identifier: GPL-2.0
/* third.c: holds what first.c declares only. */
int tm_elsewhere = 3;
