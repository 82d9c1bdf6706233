/* SPDX-License-Identifier: GPL-2.0 */
/*
 * direct.h: which function has which thunk, and who is called from there. One attachment a function, however many
 * measurements look at it.
 */
#ifndef KS_DIRECT_H
#define KS_DIRECT_H

#include <linux/types.h>

struct ks_probe;
struct kstats;
struct seq_file;

/*
 * Attach a probe to its function. -EOPNOTSUPP where thunks cannot serve it (no thunk free, no ftrace call site, too much
 * data), -EBUSY where somebody else's direct call is there: another mechanism may then do. May sleep.
 */
int ks_direct_attach(struct ks_probe *p);

/* A statement of more functions than this does not take a thunk for each. */
#define KS_DIRECT_EACH	8

/*
 * Attach one thunk to all functions of a measurement that may share it, where there are many; these are armed then. The others,
 * or all where that fails, are for ks_probe_arm(). May sleep.
 */
void ks_direct_share(struct kstats *k);

/* Detach all of that. As ks_direct_detach(). */
void ks_direct_unshare(struct ks_probe *const *probes, unsigned int n, void **scratch);

/*
 * Detach. The handlers of these probes may still run until the next ks_direct_quiesce(), and never after it, however long calls of
 * their functions go on. May sleep.
 */
void ks_direct_detach(struct ks_probe *const *probes, unsigned int n, void **scratch);

/* ks_quiesce(), for what thunks of probes that were detached, or told to follow, may still be at. Under ks_lock. */
void ks_direct_quiesce(void);

/* Hits that the thunks of @p count by themselves: beside those that its measurement's tables have. Process context. */
u64 ks_direct_hits(const struct ks_probe *p);

/* The same of all probes of a measurement, added to what is in @hits of the CPU where each began: about, while calls go on. */
void ks_direct_hits_by_cpu(const struct kstats *k, u64 *hits);

/* Its measurement counts in another table now, or no longer (live has changed). Process context. */
void ks_direct_follow(const struct ks_probe *p);

/* The call site of an attached probe. */
unsigned long ks_direct_place(const struct ks_probe *p);

/* The current task ends: its calls under way will not return. Preemption off. */
void ks_direct_exit(void);

/* The tasks inside bodies whose measurement is over, for which kstats.ko stays. May sleep. */
void ks_direct_held(struct seq_file *m);

int ks_direct_init(void);
void ks_direct_end(void);

#endif /* KS_DIRECT_H */
