/* SPDX-License-Identifier: GPL-2.0 */
/*
 * floor.h: what each mechanism shows of an empty function (the floor of its figures), and what a call takes more by it.
 */
#ifndef KS_FLOOR_H
#define KS_FLOOR_H

#include <linux/types.h>

struct kstats;
struct seq_buf;
struct seq_file;

/*
 * Measure the floors of an armed measurement's mechanisms, those that are not known yet. A failure is remembered, and none
 * of the measurement's. Under ks_lock; may sleep, up to some ms.
 */
void ks_floor_measure(const struct kstats *k);

/* All that scripts can have, of calls, pairs and counts. Under ks_lock. */
void ks_floor_measure_all(void);

/* The lines "floor ..." and "nofloor ..." of an armed measurement (kstats.h). Under ks_lock. */
void ks_floor_print(struct seq_buf *b, const struct kstats *k);

/* What a hit takes by the dearest of an armed measurement's ways, in tenths of ns; 0: not known. Under ks_lock. */
u32 ks_floor_cost(const struct kstats *k);

/*
 * The line "shared ..." of one that counts, where somebody else is at a function of its: returns its length, 0 where there is
 * none, or where that cannot be told just now. Under read_lock, which keeps it armed.
 */
size_t ks_floor_shared(const struct kstats *k, char *buf, size_t size);

/* The table of what has been measured. Takes ks_lock. */
void ks_floor_show(struct seq_file *m);

void ks_floor_exit(void);

#endif /* KS_FLOOR_H */
