/* SPDX-License-Identifier: GPL-2.0 */
/*
 * floor.h: the table of what each mechanism shows of an empty function, and of what a call takes more by it, on this machine.
 */
#ifndef KM_FLOOR_H
#define KM_FLOOR_H

#include <stdio.h>

/*
 * Let kstats, which is loaded, measure what it has not measured yet, and print the table. KM_OK, or KM_KERNEL after saying why not.
 */
int floor_measure(FILE *out);

/* The table of a kernel, of the lines of kstats/_floor (runtime/kstats.h). Lines of another form are left out. */
void floor_print(FILE *out, const char *release, const char *text);

#endif /* KM_FLOOR_H */
