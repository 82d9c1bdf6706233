// SPDX-License-Identifier: GPL-2.0
/* cache.c: folders of built modules by hash. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "cache.h"
#include "trust.h"

#define PRIVATE		"kmeter-private-"
#define CACHE_BYTES	(256ULL << 20)

static const char *const kinds[] = { "modules", "runtimes", "index" };

/* ---- the folder ---- */

static bool make_path(const char *dir)
{
	char *path = mem_copy(dir, strlen(dir));
	bool good = true;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0755);
		*slash = '/';
	}
	if (mkdir(path, 0755) && errno != EEXIST)
		good = false;
	free(path);
	return good;
}

static char *where(void)
{
	const char *dir = getenv("KMETER_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (dir && *dir)
		return mem_absolute(dir);
	if (geteuid() == 0)
		return mem_printf("/var/cache/kmeter");
	if (xdg && *xdg == '/')
		return mem_printf("%s/kmeter", xdg);
	return mem_printf("%s/.cache/kmeter", home && *home == '/' ? home : "/tmp");
}

/* make and kbuild split paths at blanks, colons and the like. */
static bool is_plain(const char *path)
{
	return path[0] == '/' && !path[strspn(path, "/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+@-")];
}

static bool is_ours(const char *dir, struct diag *diag)
{
	struct stat st;
	char *why;

	if (stat(dir, &st)) {
		diag_error(diag, LOC_NONE, "cache", "the cache %s: %s", dir, strerror(errno));
	} else if (!S_ISDIR(st.st_mode)) {
		diag_error(diag, LOC_NONE, "cache", "the cache %s is no folder", dir);
	} else if (st.st_uid != geteuid()) {
		diag_error(diag, LOC_NONE, "cache", "the cache %s belongs to another user: its modules are not trusted", dir);
	} else if (st.st_mode & 022) {
		diag_error(diag, LOC_NONE, "cache", "others may write to the cache %s: its modules are not trusted", dir);
		diag_help(diag, "chmod go-w %s", dir);
		return false;
	} else {
		why = trust_refuse(dir, geteuid());
		if (!why)
			return true;
		diag_error(diag, LOC_NONE, "cache", "%s, and so could exchange the cache %s: its modules are not trusted", why, dir);
		free(why);
	}
	diag_help(diag, "KMETER_CACHE=DIR names another one, --no-cache does without");
	return false;
}

static bool open_private(struct cache *c, struct diag *diag)
{
	const char *tmp = getenv("TMPDIR");

	c->private = true;
	c->dir = mem_printf("%s/" PRIVATE "XXXXXX", tmp && is_plain(tmp) ? tmp : "/tmp");
	if (mkdtemp(c->dir))
		return true;
	diag_error(diag, LOC_NONE, "cache", "no folder to build in: %s: %s", c->dir, strerror(errno));
	return false;
}

bool cache_open(struct cache *c, bool private, struct diag *diag)
{
	*c = (struct cache){};
	if (private)
		return open_private(c, diag);
	c->dir = where();
	if (!is_plain(c->dir)) {
		diag_error(diag, LOC_NONE, "cache", "the cache '%s': kbuild cannot work in such a path", c->dir);
		diag_help(diag, "KMETER_CACHE=DIR names another one: absolute, with no blanks or special signs");
		return false;
	}
	if (!make_path(c->dir)) {
		diag_error(diag, LOC_NONE, "cache", "cannot make the cache %s: %s", c->dir, strerror(errno));
		diag_help(diag, "KMETER_CACHE=DIR names another one, --no-cache does without");
		return false;
	}
	return is_ours(c->dir, diag);
}

void cache_drop_private(const char *path)
{
	const char *name = path ? strstr(path, "/" PRIVATE) : NULL;
	size_t length = strlen("/" PRIVATE "XXXXXX");
	char *dir;

	if (!name || strlen(name) < length || (name[length] && name[length] != '/'))
		return;
	dir = mem_copy(path, name - path + length);
	cache_remove(dir);
	free(dir);
}

void cache_close(struct cache *c)
{
	free(c->dir);
	*c = (struct cache){};
}

/* ---- hashes ---- */

struct cache_hash {
	XXH3_state_t *state;
};

struct cache_hash *cache_hash_new(void)
{
	struct cache_hash *h = mem_zero(1, sizeof(*h));

	h->state = XXH3_createState();
	if (!h->state)
		abort();
	XXH3_128bits_reset(h->state);
	return h;
}

/* With its length, so that "ab" + "c" is not "a" + "bc". */
void cache_hash_bytes(struct cache_hash *h, const void *bytes, size_t length)
{
	XXH3_128bits_update(h->state, &length, sizeof(length));
	XXH3_128bits_update(h->state, bytes, length);
}

void cache_hash_string(struct cache_hash *h, const char *string)
{
	cache_hash_bytes(h, string, strlen(string));
}

void cache_hash_stat(struct cache_hash *h, const char *path)
{
	struct stat st;
	long long what[3] = {};

	if (stat(path, &st) == 0) {
		what[0] = st.st_size + 1;
		what[1] = st.st_mtim.tv_sec;
		what[2] = st.st_mtim.tv_nsec;
	}
	cache_hash_string(h, path);
	cache_hash_bytes(h, what, sizeof(what));
}

void cache_hash_end(struct cache_hash *h, char key[CACHE_KEY_LENGTH + 1])
{
	XXH128_hash_t hash = XXH3_128bits_digest(h->state);

	snprintf(key, CACHE_KEY_LENGTH + 1, "%016llx%016llx", (unsigned long long)hash.high64,
		 (unsigned long long)hash.low64);
	XXH3_freeState(h->state);
	free(h);
}

/* ---- entries ---- */

char *cache_lookup(const struct cache *c, const char *kind, const char *key, const char *file)
{
	char *dir = mem_printf("%s/%s/%s", c->dir, kind, key), *path = mem_printf("%s/%s", dir, file);

	if (access(path, R_OK) == 0) {
		/* The time of last use decides what goes first; a cache that cannot be written is fine. */
		utimensat(AT_FDCWD, dir, NULL, 0);
	} else {
		free(path);
		path = NULL;
	}
	free(dir);
	return path;
}

int cache_lock(const struct cache *c, const char *key)
{
	char *dir = mem_printf("%s/lock", c->dir), *path = mem_printf("%s/%.2s", dir, key);
	int fd;

	mkdir(dir, 0755);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd >= 0)
		while (flock(fd, LOCK_EX) && errno == EINTR)
			;
	free(dir);
	free(path);
	return fd;
}

char *cache_scratch(const struct cache *c, struct diag *diag)
{
	char *dir = mem_printf("%s/tmp.XXXXXX", c->dir);

	if (mkdtemp(dir))
		return dir;
	diag_error(diag, LOC_NONE, "cache", "cannot build in %s: %s", c->dir, strerror(errno));
	if (errno != ENOSPC && errno != EDQUOT)
		diag_help(diag, "KMETER_CACHE=DIR names another folder");
	free(dir);
	return NULL;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

void cache_remove(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

struct entry {
	char *dir;
	struct timespec used;
	unsigned long long bytes;
};

static int older(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static unsigned long long bytes_in(const char *dir)
{
	unsigned long long bytes = 0;
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct stat st;

		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
			bytes += 512ULL * st.st_blocks;
	}
	if (d)
		closedir(d);
	return bytes;
}

static unsigned int list_entries(const struct cache *c, struct entry **entries)
{
	unsigned int count = 0;

	for (unsigned int k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		char *dir = mem_printf("%s/%s", c->dir, kinds[k]);
		DIR *d = opendir(dir);
		struct dirent *e;

		while (d && (e = readdir(d))) {
			struct stat st;
			char *path;

			if (strlen(e->d_name) != CACHE_KEY_LENGTH)
				continue;
			path = mem_printf("%s/%s", dir, e->d_name);
			if (stat(path, &st)) {
				free(path);
				continue;
			}
			*entries = mem_more(*entries, count, sizeof(**entries));
			(*entries)[count++] = (struct entry){ path, st.st_mtim, bytes_in(path) };
		}
		if (d)
			closedir(d);
		free(dir);
	}
	return count;
}

void cache_drop(const struct cache *c, const char *kind, const char *key)
{
	char *entry = mem_printf("%s/%s/%s", c->dir, kind, key), *old = mem_printf("%s/tmp.XXXXXX", c->dir), *to;

	/* It goes at once, as a whole: who looks meanwhile finds all of it or nothing. */
	if (access(entry, F_OK) == 0 && mkdtemp(old)) {
		to = mem_printf("%s/old", old);
		rename(entry, to);
		cache_remove(old);
		free(to);
	}
	free(entry);
	free(old);
}

/* Folders of builds that were killed. */
static void drop_scratch(const struct cache *c)
{
	DIR *d = opendir(c->dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *path = mem_printf("%s/%s", c->dir, e->d_name);
		struct stat st;

		if (strncmp(e->d_name, "tmp.", 4) == 0 && lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
		    st.st_mtime + 24 * 3600 < time(NULL))
			cache_remove(path);
		free(path);
	}
	if (d)
		closedir(d);
}

static void drop_old(const struct cache *c, const char *keep)
{
	struct entry *entries = NULL;
	unsigned int count = list_entries(c, &entries);
	unsigned long long bytes = 0;

	for (unsigned int i = 0; i < count; i++)
		bytes += entries[i].bytes;
	if (count)
		qsort(entries, count, sizeof(*entries), older);
	for (unsigned int i = 0; i < count; i++) {
		if (bytes > CACHE_BYTES && strcmp(entries[i].dir, keep) != 0) {
			cache_remove(entries[i].dir);
			bytes -= entries[i].bytes;
		}
		free(entries[i].dir);
	}
	free(entries);
}

bool cache_store(const struct cache *c, const char *kind, const char *key, const char *from, struct diag *diag)
{
	char *dir = mem_printf("%s/%s", c->dir, kind), *to = mem_printf("%s/%s", dir, key);
	bool good = true;

	mkdir(dir, 0755);
	if (rename(from, to) && errno != EEXIST && errno != ENOTEMPTY) {
		diag_error(diag, LOC_NONE, "cache", "cannot write to the cache %s: %s", dir, strerror(errno));
		good = false;
	}
	if (!c->private) {
		drop_old(c, to);
		drop_scratch(c);
	}
	free(dir);
	free(to);
	return good;
}

char *cache_keep_failed(const struct cache *c, const char *path, const char *name)
{
	char *dir = mem_printf("%s/failed", c->dir), *to = mem_printf("%s/%s", dir, name);

	mkdir(dir, 0755);
	if (rename(path, to)) {
		free(to);
		to = mem_copy(path, strlen(path));
	}
	free(dir);
	return to;
}
