// SPDX-License-Identifier: GPL-2.0
/*
 * cgroups.c: see cgroups.h. The number of a cgroup is its folder's inode; which folder that is, only a walk through all of them
 * tells. What was seen once is remembered, for cgroups go.
 */
#include <fts.h>
#include <mntent.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "console/cgroups.h"
#include "console/say.h"
#include "console/snapshot.h"
#include "runtime/container.h"

#define ID_SHOWN	12	/* digits of a container's, as its own tools show */

struct cgroup {
	__u64 id;
	char *path;		/* from the root, which is "/" */
	__u64 container;	/* the innermost one that it is or lies in, by its cgroup's number; 0: none */
	char *name;		/* of that */
};

static void *known;		/* tsearch, by id */
static const char *replaced;

static int compare(const void *a, const void *b)
{
	const struct cgroup *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static const struct cgroup *find(__u64 id)
{
	struct cgroup **found = tfind(&(struct cgroup){ .id = id }, &known, compare);

	return found ? *found : NULL;
}

/* Where the default hierarchy is, to be freed; NULL: nowhere. (Beside those of cgroup v1 it has a folder of its own.) */
static char *mounted(void)
{
	FILE *mounts = replaced ? NULL : setmntent("/proc/self/mounts", "re");
	struct mntent *m = NULL;
	char *where = replaced ? say_strdup(replaced) : NULL;

	while (mounts && !where && (m = getmntent(mounts)))
		if (!strcmp(m->mnt_type, "cgroup2"))
			where = say_strdup(m->mnt_dir);
	if (mounts)
		endmntent(mounts);
	return where;
}

static void forget(void *node)
{
	struct cgroup *c = node;

	free(c->path);
	free(c->name);
	free(c);
}

void cgroups_replace(const char *folder)
{
	tdestroy(known, forget);
	known = NULL;
	replaced = folder;
}

/* @name: the folder's own; @parent: NULL for the root. */
static void learn(__u64 id, const char *path, const char *name, const struct cgroup *parent)
{
	unsigned int from, length = kstats_container(name, strlen(name), &from);
	struct cgroup *c, **at;

	if (find(id))
		return;
	c = say_calloc(1, sizeof(*c));
	c->id = id;
	c->path = say_strdup(*path ? path : "/");
	if (length && parent) {
		c->container = id;
		c->name = say_text("%.*s", (int)(length == KSTATS_CONTAINER_ID && kstats_container_is_id(name + from, length) ? ID_SHOWN : length),
				   name + from);
	} else if (parent && parent->container) {
		c->container = parent->container;
		c->name = say_strdup(parent->name);
	}
	at = tsearch(c, &known, compare);
	if (*at != c)
		abort();	/* it was not there */
}

void cgroups_learn(void)
{
	char *root[] = { mounted(), NULL };
	FTSENT *e;
	FTS *walk;

	walk = *root ? fts_open(root, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL) : NULL;
	while (walk && (e = fts_read(walk))) {
		if (e->fts_info != FTS_D)
			continue;
		learn(e->fts_statp->st_ino, e->fts_path + strlen(*root), e->fts_name,
		      e->fts_level > FTS_ROOTLEVEL ? find(e->fts_parent->fts_statp->st_ino) : NULL);
	}
	if (walk)
		fts_close(walk);
	free(root[0]);
}

static bool is_cgroup(const struct snapshot *s, unsigned int i)
{
	return s->head.by[i].type == KSTATS_BY_CGROUP || s->head.by[i].type == KSTATS_BY_CONTAINER;
}

bool cgroups_wanted(const struct snapshot *s)
{
	unsigned int i;

	for (i = 0; i < s->head.nby; i++)
		if (is_cgroup(s, i))
			return true;
	return false;
}

/* The key at @word, which of a container becomes the container's. */
static void settle(struct snapshot *s, __u64 *word, bool container, bool *learned)
{
	const struct cgroup *c = find(*word);

	if (!c && !*learned) {
		cgroups_learn();
		*learned = true;
		c = find(*word);
	}
	if (!c)
		return;
	if (container)
		*word = c->container;
	if (*word)
		snapshot_add_symbol(s, *word, container, container ? c->name : c->path);
}

void cgroups_settle(struct snapshot *s)
{
	bool learned = false;
	unsigned int i, p;
	__u64 *word;

	if (s->saved || !cgroups_wanted(s))
		return;
	for (p = 0; p < s->nparts; p++)
		for (i = 0, word = s->parts[p].key; i < s->head.nby; word += s->head.by[i++].words)
			if (is_cgroup(s, i))
				settle(s, word, s->head.by[i].type == KSTATS_BY_CONTAINER, &learned);
	snapshot_sort_symbols(s);
	snapshot_sort(s);
}
