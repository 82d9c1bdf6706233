/* SPDX-License-Identifier: GPL-2.0 */
/* memory.h: between the files of kmeter_memory.ko. */
#include <linux/types.h>

/* Writes `state` of memory_two.c once. */
void memory_second(u32 x);
