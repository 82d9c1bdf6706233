/* SPDX-License-Identifier: GPL-2.0 */
/*
 * read.h: from debugfs to struct snapshot. What is read is not trusted: a file cut short, of another version or with
 * damaged lengths gives an error text, never a read outside of it.
 */
#ifndef KM_READ_H
#define KM_READ_H

#include "console/snapshot.h"

#define READ_DEBUGFS	"/sys/kernel/debug/kstats"
#define READ_BINARY	READ_DEBUGFS "/_bin"

/* From memory; NULL with *why (static text) when it is no snapshot that this program understands. */
struct snapshot *read_parse(const void *data, size_t size, const char **why);

/* The measurement `name`, now; NULL with *why (to be freed; errno's text or read_parse's). */
struct snapshot *read_snapshot(const char *name, char **why);

/*
 * The names of the measurements there are, sorted, ended by NULL; free with read_free_names. NULL with errno when the
 * folder cannot be read (ENOENT: the runtime is not loaded, or debugfs is not mounted).
 */
char **read_names(void);
void read_free_names(char **names);

/* Is there still such a measurement? */
bool read_exists(const char *name);

/*
 * All measurements that can be read, in the order in which they were made; what vanishes meanwhile is left out, what is
 * damaged is said on stderr. *n of them; free each with snapshot_free, and the array.
 */
struct snapshot **read_all(size_t *n);

#endif /* KM_READ_H */
