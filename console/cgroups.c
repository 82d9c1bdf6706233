// SPDX-License-Identifier: GPL-2.0
/*
 * cgroups.c: see cgroups.h. The number of a cgroup is its folder's inode; which folder that is, only a walk through all of them
 * tells. What was seen once is remembered, for cgroups go.
 */
#include <dirent.h>
#include <fcntl.h>
#include <mntent.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "console/cgroups.h"
#include "console/keys.h"
#include "console/say.h"
#include "console/snapshot.h"
#include "runtime/container.h"

#define LOOK_SECONDS	0.5	/* at the most so often */
#define ID_SHOWN	12	/* digits of a container's, as its own tools show */

struct cgroup {
	__u64 id;
	char *path;		/* from the root, which is "/"; printable */
	__u64 first;		/* the number that the first of this path had: a service that is restarted is another cgroup */
	__u64 container;	/* the innermost one that it is or lies in, by its cgroup's first number; 0: none */
	char *name;		/* of that */
};

static void *known, *paths;	/* tsearch, by id, and of each path the first */
static const char *replaced;
static struct timespec learned;

static int compare(const void *a, const void *b)
{
	const struct cgroup *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct cgroup *)a)->path, ((const struct cgroup *)b)->path);
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

static void keep(void *node)
{
}

void cgroups_replace(const char *folder)
{
	tdestroy(paths, keep);
	tdestroy(known, forget);
	known = paths = NULL;
	learned = (struct timespec){ 0 };
	replaced = folder;
}

/* @parent: NULL for the root. Whoever may make cgroups may call them anything. */
static const struct cgroup *learn(__u64 id, const char *name, const struct cgroup *parent)
{
	const struct cgroup *there = find(id);
	unsigned int from, length = kstats_container(name, strlen(name), &from);
	struct cgroup *c;
	char *plain;

	if (there)
		return there;
	c = say_calloc(1, sizeof(*c));
	c->id = id;
	plain = keys_printable(name, strlen(name));
	c->path = !parent ? say_strdup("/") : say_text("%s/%s", parent->path[1] ? parent->path : "", plain);
	free(plain);
	c->first = (*(struct cgroup **)tsearch(c, &paths, compare_paths))->id;
	if (length && parent) {
		c->container = c->first;
		c->name = keys_printable(name + from, length == KSTATS_CONTAINER_ID && kstats_container_is_id(name + from, length) ? ID_SHOWN : length);
	} else if (parent && parent->container) {
		c->container = parent->container;
		c->name = say_strdup(parent->name);
	}
	tsearch(c, &known, compare);
	return c;
}

/* What is below the folder @fd, which becomes closed: by its entries alone, since a cgroup has many files, and each stat() of one costs. */
static void walk(int fd, const struct cgroup *parent)
{
	DIR *folder = fdopendir(fd);
	struct dirent *e;

	if (!folder) {
		close(fd);
		return;
	}
	while ((e = readdir(folder))) {
		int below;

		if (e->d_type != DT_DIR || !strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		below = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below >= 0)
			walk(below, learn(e->d_ino, e->d_name, parent));
	}
	closedir(folder);
}

void cgroups_learn(void)
{
	char *root = mounted();
	int fd = root ? open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	struct stat st;

	clock_gettime(CLOCK_MONOTONIC, &learned);
	if (fd >= 0 && !fstat(fd, &st))
		walk(fd, learn(st.st_ino, "", NULL));
	else if (fd >= 0)
		close(fd);
	free(root);
}

/* Names may have come; but for one that is gone nobody walks again and again. */
static bool is_long_ago(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return !learned.tv_sec || now.tv_sec - learned.tv_sec + (now.tv_nsec - learned.tv_nsec) / 1e9 > LOOK_SECONDS;
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

/* The key at @word, which becomes the first cgroup's of that path, or the container's. */
static void settle(struct snapshot *s, __u64 *word, bool container)
{
	const struct cgroup *c = find(*word);

	if (!c && is_long_ago()) {
		cgroups_learn();
		c = find(*word);
	}
	if (!c)
		return;
	*word = container ? c->container : c->first;
	if (*word)
		snapshot_add_symbol(s, *word, container, container ? c->name : c->path);
}

void cgroups_settle(struct snapshot *s)
{
	unsigned int i, p;
	__u64 *word;

	if (s->saved || !cgroups_wanted(s))
		return;
	for (p = 0; p < s->nparts; p++)
		for (i = 0, word = s->parts[p].key; i < s->head.nby; word += s->head.by[i++].words)
			if (is_cgroup(s, i))
				settle(s, word, s->head.by[i].type == KSTATS_BY_CONTAINER);
	snapshot_sort_symbols(s);
	snapshot_sort(s);
}
