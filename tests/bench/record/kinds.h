/* SPDX-License-Identifier: GPL-2.0 */
/* kinds.h: the recorders that bench.c compares, each a function that is called, as a module calls kstats_record(). */
#ifndef KINDS_H
#define KINDS_H

#include <stdint.h>

void ours_init(unsigned int bits);
void ours_record(uint64_t v);
uint64_t ours_sum(uint64_t *n);		/* of all slots; and the number of samples */

void original_init(unsigned int bits);
void original_record(uint64_t v);
uint64_t original_sum(uint64_t *n);

#endif /* KINDS_H */
