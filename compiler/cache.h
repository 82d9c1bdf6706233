/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cache.h: built modules, kept by the hash of everything they were made from.
 *
 *	DIR/modules/KEY/	km_HASH.ko km_HASH.c
 *	DIR/runtimes/KEY/	kstats.ko Module.symvers recipe, and what that has prepared (recipe.h)
 *	DIR/index/KEY/		modules.index: which module has which symbols (index.h)
 *	DIR/failed/KEY.log	what kbuild said, for a report
 *	DIR/lock/XX		one kmeter at a time builds a key that begins so
 *
 * DIR is KMETER_CACHE, else /var/cache/kmeter for root, else XDG_CACHE_HOME/kmeter or ~/.cache/kmeter. Since what lies
 * there is loaded into the kernel, a folder that others own or may write to is refused. An entry appears whole (a
 * rename) or not at all. Beyond 256 MB the entries used longest ago go.
 */
#ifndef KM_CACHE_H
#define KM_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"

#define CACHE_KEY_LENGTH	32	/* hexadecimal digits */

struct cache {
	char *dir;
	bool private;		/* a folder of this run alone: nothing is found in it */
};

/* With @private a new folder under TMPDIR. False, with an error in @diag, where there can be none. */
bool cache_open(struct cache *c, bool private, struct diag *diag);
void cache_close(struct cache *c);

/* Remove the private folder that @path lies in, if it lies in one. */
void cache_drop_private(const char *path);

/* The hash of texts and numbers, added one after another. */
struct cache_hash;
struct cache_hash *cache_hash_new(void);
void cache_hash_bytes(struct cache_hash *h, const void *bytes, size_t length);
void cache_hash_string(struct cache_hash *h, const char *string);
/* Name, size and time of change of a file; a file that is not there counts as that. */
void cache_hash_stat(struct cache_hash *h, const char *path);
/* Frees @h. */
void cache_hash_end(struct cache_hash *h, char key[CACHE_KEY_LENGTH + 1]);

/* DIR/kind/key/file if it is there (and then it was used just now), else NULL. */
char *cache_lookup(const struct cache *c, const char *kind, const char *key, const char *file);

/* Wait until no other kmeter builds this key; a file descriptor to close, or -1 (then go on without). */
int cache_lock(const struct cache *c, const char *key);

/* A new empty folder to build in; malloc'ed, NULL with an error in @diag. Remove it with cache_remove. */
char *cache_scratch(const struct cache *c, struct diag *diag);
void cache_remove(const char *dir);

/* Make folder @from the entry KEY, and drop old entries. */
bool cache_store(const struct cache *c, const char *kind, const char *key, const char *from, struct diag *diag);

/* Remove the entry KEY, if there is one. */
void cache_drop(const struct cache *c, const char *kind, const char *key);

/* Move a file to DIR/failed/NAME; the new path, malloc'ed. */
char *cache_keep_failed(const struct cache *c, const char *path, const char *name);

#endif /* KM_CACHE_H */
