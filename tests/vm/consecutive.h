/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CONSECUTIVE_H
#define CONSECUTIVE_H

/* Status 0: they are; "CPUS COUNT" is printed, of those that recorded any. 1: they are not; 2: no such file, or it has keys. */
int consecutive(const char *path);

#endif
