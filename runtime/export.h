/* SPDX-License-Identifier: GPL-2.0 */
/*
 * export.h: what debugfs shows of measurements. May sleep.
 */
#ifndef KS_EXPORT_H
#define KS_EXPORT_H

#include <linux/types.h>

struct dentry;
struct kstats;

int ks_export_init(void);
void ks_export_exit(void);
struct dentry *ks_export_dir(void);

/* Make the files of @k; under ks_lock. */
int ks_export_add(struct kstats *k);
/* Remove them. Who has one open keeps its copy, and its reference. Under ks_lock. */
void ks_export_remove(struct kstats *k);

/*
 * The whole accounting of k->table, @term[KSTATS_NTERMS]; returns how many of the hits are those that ks_measure_hits() gave.
 * Under k->read_lock.
 */
u64 ks_export_terms(const struct kstats *k, u64 *term);

#endif /* KS_EXPORT_H */
