// SPDX-License-Identifier: GPL-2.0
/* compiler_cache.c: the cache's bound, its keys, and that only what is its own is removed. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compiler/cache.h"

static unsigned int tests, failed;

static void check(bool good, const char *what)
{
	tests++;
	failed += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", tests, what);
}

/* An entry of @megabytes, last used @age seconds ago. */
static void store(struct cache *c, struct diag *diag, const char *key, unsigned int megabytes, time_t age)
{
	char *dir = cache_scratch(c, diag), *file = mem_printf("%s/x.ko", dir), *entry;
	int fd = open(file, O_WRONLY | O_CREAT, 0644);
	struct timespec times[2] = { { .tv_sec = time(NULL) - age }, { .tv_sec = time(NULL) - age } };

	if (fd < 0 || posix_fallocate(fd, 0, (off_t)megabytes << 20))
		printf("Bail out! no %u MB in %s\n", megabytes, c->dir);
	close(fd);
	cache_store(c, "modules", key, dir, diag);
	entry = mem_printf("%s/modules/%s", c->dir, key);
	utimensat(AT_FDCWD, entry, times, 0);
	free(entry);
	free(file);
	free(dir);
}

static bool has(struct cache *c, const char *key)
{
	char *path = mem_printf("%s/modules/%s/x.ko", c->dir, key);
	bool there = access(path, R_OK) == 0;

	free(path);
	return there;
}

static void key_of(const char *a, const char *b, char *key)
{
	struct cache_hash *h = cache_hash_new();

	cache_hash_string(h, a);
	cache_hash_string(h, b);
	cache_hash_end(h, key);
}

int main(void)
{
	static const char a[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", b[] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
	static const char d[] = "dddddddddddddddddddddddddddddddd", e[] = "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
	char dir[] = "/tmp/kmeter-cache-XXXXXX", key[2][CACHE_KEY_LENGTH + 1], *other, *path;
	struct diag *diag = diag_new(NULL, 0);
	struct cache c;

	if (!mkdtemp(dir) || setenv("KMETER_CACHE", dir, 1) || !cache_open(&c, false, diag))
		return 1;
	other = mem_printf("%s/sysroot", dir);
	mkdir(other, 0755);

	store(&c, diag, a, 100, 300);
	store(&c, diag, b, 100, 200);
	check(has(&c, a) && has(&c, b), "200 MB stay");
	path = cache_lookup(&c, "modules", a, "x.ko");
	check(path, "the older one is used");
	free(path);
	store(&c, diag, d, 100, 0);
	check(has(&c, a) && !has(&c, b) && has(&c, d), "beyond 256 MB the one goes that was used longest ago");
	store(&c, diag, e, 300, 0);
	check(has(&c, e), "the newest stays, however large");
	check(!has(&c, a) && !has(&c, d), "and all others go for it");
	check(access(other, F_OK) == 0, "what others keep in the folder stays");
	check(!cache_lookup(&c, "modules", a, "x.ko"), "what went is not found");

	key_of("ab", "c", key[0]);
	key_of("a", "bc", key[1]);
	check(strcmp(key[0], key[1]) != 0, "where texts end matters");
	key_of("ab", "c", key[1]);
	check(strcmp(key[0], key[1]) == 0 && strlen(key[0]) == CACHE_KEY_LENGTH, "the same gives the same");

	cache_drop_private(other);
	check(access(other, F_OK) == 0, "only private folders are dropped");
	printf("1..%u\n", tests);
	cache_remove(dir);
	cache_close(&c);
	diag_free(diag);
	free(other);
	return failed != 0;
}
