/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cgroups.h: what keys that are numbers of cgroups are called on this machine: their paths in the default hierarchy, and of
 * which container they are.
 */
#ifndef KM_CGROUPS_H
#define KM_CGROUPS_H

#include <stdbool.h>

struct snapshot;

/*
 * Name the keys by cgroup and by container of @s as snapshot_symbol() has them (of a container `returned`), and add up what is of one
 * path, or of one container. A cgroup that is gone has its name only if it was there at an earlier call, or at cgroups_learn(). No-op for saved snapshots.
 */
void cgroups_settle(struct snapshot *s);

/* Are there keys of @s that are cgroups? Then cgroups_learn() now and then finds names of those that do not stay. */
bool cgroups_wanted(const struct snapshot *s);
void cgroups_learn(void);

/* For tests: forget all; the default hierarchy is at @folder from here on. */
void cgroups_replace(const char *folder);

#endif /* KM_CGROUPS_H */
