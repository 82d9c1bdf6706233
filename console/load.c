// SPDX-License-Identifier: GPL-2.0
/*
 * load.c: insert and remove modules, and keep track of who they belong to.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "compiler/progress.h"
#include "console/load.h"
#include "console/read.h"
#include "console/refuse.h"
#include "console/say.h"
#include "runtime/kstats.h"

#define RUN		"/run/kmeter"
#define RUNTIME		"kstats"
#define DRAIN_TRIES	400		/* of 50 ms */
#define MARK		RUN "/kstats.loaded"	/* kmeter loaded kstats, so kmeter removes it */

/* What this process has loaded to be temporary; one a process. Plain memory, for the signal handler's sake. */
static struct {
	pid_t owner;		/* a child that was forked off owns nothing */
	char module[64];
	char lock[96];
	int fd;
	volatile bool loaded;
} mine = { .fd = -1 };

bool load_present(const char *module)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return !access(path, F_OK);
}

bool load_runtime_loaded(void)
{
	return load_present(RUNTIME);
}

static void nap(void)
{
	struct timespec t = { 0, 20000000 };

	nanosleep(&t, NULL);
}

/* ---- files in /run/kmeter ---- */

static bool locked;	/* by this process: exit() may come while it holds the lock */

/* Only one kmeter inserts or removes at a time: kstats must not go while another one counts on it. -1: no /run. */
static int lock_all(void)
{
	int fd;

	if (locked)
		return -1;
	mkdir(RUN, 0755);
	fd = open(RUN "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		say_detail("no " RUN "/lock (%s): other runs of kmeter are not waited for", strerror(errno));
		return -1;
	}
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		say_detail("waiting for another kmeter to load or unload");
		while (flock(fd, LOCK_EX) && errno == EINTR)
			;
	}
	locked = true;
	return fd;
}

static void unlock_all(int fd)
{
	if (fd < 0)
		return;
	close(fd);
	locked = false;
}

static void lock_path(char *path, size_t size, const char *module)
{
	snprintf(path, size, RUN "/%s.lock", module);
}

/* Make and hold the module's own lock file, with our process id in it for people to read. */
static void hold(const char *module)
{
	char pid[32];
	int n = snprintf(pid, sizeof(pid), "%d\n", getpid());

	lock_path(mine.lock, sizeof(mine.lock), module);
	mine.fd = open(mine.lock, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (mine.fd < 0 || flock(mine.fd, LOCK_EX | LOCK_NB) || write(mine.fd, pid, n) != n)
		say_detail("cannot mark %s as temporary in " RUN ": %s", module, strerror(errno));
}

static void let_go(void)
{
	if (mine.fd < 0)
		return;
	unlink(mine.lock);
	close(mine.fd);
	mine.fd = -1;
}

enum load_owner load_owner(const char *name, pid_t *pid)
{
	enum load_owner owner = LOAD_LEFT_BEHIND;
	char path[128], text[32] = "";
	int fd;

	lock_path(path, sizeof(path), name);
	*pid = 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return LOAD_STAYS;
	if (flock(fd, LOCK_SH | LOCK_NB)) {
		owner = LOAD_HELD;
		if (read(fd, text, sizeof(text) - 1) > 0)
			*pid = atoi(text);
	}
	close(fd);
	return owner;
}

static char *origin_link(const char *name)
{
	return say_text(RUN "/%s.script", name);
}

char *load_whole_path(const char *path)
{
	char *whole = realpath(path, NULL), *copy, *folder;
	const char *slash = strrchr(path, '/');

	if (whole)
		return whole;
	copy = say_text("%.*s", slash ? (int)(slash + 1 - path) : 1, slash ? path : ".");
	folder = realpath(copy, NULL);
	whole = folder ? say_text("%s/%s", strcmp(folder, "/") ? folder : "", slash ? slash + 1 : path) : say_strdup(path);
	free(copy);
	free(folder);
	return whole;
}

void load_keep_origin(const char *name, const char *path)
{
	char *link = origin_link(name), *whole = path ? load_whole_path(path) : NULL;

	unlink(link);	/* of one of that name that went by rmmod */
	if (path && symlink(whole, link))
		say_detail("cannot note in " RUN " that %s was made from %s: %s", name, path, strerror(errno));
	free(link);
	free(whole);
}

char *load_origin(const char *name)
{
	char *link = origin_link(name), to[PATH_MAX];
	ssize_t n = readlink(link, to, sizeof(to) - 1);

	free(link);
	if (n <= 0)
		return NULL;
	to[n] = 0;
	return say_strdup(to);
}

/* ---- removal ---- */

/* 0 or an errno; tries again for a while when somebody is just letting go. */
static int remove_patiently(const char *module)
{
	int tries;

	for (tries = 0; tries < 100; tries++) {
		if (!syscall(SYS_delete_module, module, O_NONBLOCK))
			return 0;
		if (errno == ENOENT)
			return 0;
		if (errno != EAGAIN && errno != EBUSY)
			return errno;
		nap();
	}
	return errno;
}

static bool runtime_unused(void)
{
	char **names = read_names(), count[16] = "";
	bool used = names && names[0];
	int fd = open("/sys/module/" RUNTIME "/refcnt", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read(fd, count, sizeof(count) - 1) > 0 && atoi(count) > 0)
		used = true;
	if (fd >= 0)
		close(fd);
	read_free_names(names);
	return !used;
}

static bool has_holders(void)
{
	DIR *dir = opendir("/sys/module/" RUNTIME "/holders");
	struct dirent *e;
	bool any = false;

	while (dir && (e = readdir(dir)))
		any |= e->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return any;
}

/* Does a task sleep in a function that was measured? */
static bool is_held(void)
{
	int fd = open("/sys/kernel/debug/kstats/_held", O_RDONLY | O_CLOEXEC);
	char c;
	bool held = fd >= 0 && read(fd, &c, 1) == 1;

	if (fd >= 0)
		close(fd);
	return held;
}

/* When nobody measures any more kstats is still in use until no task can be in its code, which the kernel takes a while to say. */
static bool wait_until_unused(void)
{
	int tries;

	for (tries = 0; tries < DRAIN_TRIES && !runtime_unused(); tries++) {
		char **names = read_names();
		bool used = names && names[0];

		read_free_names(names);
		if (used || has_holders())
			return false;
		if (is_held()) {
			say_note("kstats stays loaded: tasks sleep in functions that were measured, see /sys/kernel/debug/kstats/_held; "
				 "later, kmeter unload --all removes it");
			return false;
		}
		usleep(50000);
	}
	return runtime_unused();
}

/* With the lock held. Frames that sleep in a measured function pin kstats for longer; then a later kmeter removes it. */
static bool remove_runtime(bool always)
{
	int err;

	if (!load_runtime_loaded()) {
		unlink(MARK);
		return true;
	}
	if ((!always && access(MARK, F_OK)) || !wait_until_unused())
		return false;
	err = remove_patiently(RUNTIME);
	if (err) {
		if (always)
			refuse_remove(RUNTIME, err);
		else
			say_detail("kstats stays loaded: %s", strerror(err));
		return false;
	}
	unlink(MARK);
	return true;
}

bool load_remove_runtime(bool always)
{
	int lock = lock_all();
	bool done;

	progress_begin("removing kstats");
	done = remove_runtime(always);
	progress_end();
	unlock_all(lock);
	return done;
}

bool load_remove(const char *name)
{
	char path[128], *origin = origin_link(name);
	int lock = lock_all(), err;

	progress_begin("detaching");
	err = remove_patiently(name);
	progress_end();
	if (err) {
		refuse_remove(name, err);
	} else {
		lock_path(path, sizeof(path), name);
		unlink(path);
		unlink(origin);
	}
	free(origin);
	unlock_all(lock);
	return !err;
}

void load_finish(void)
{
	int lock, err;

	if (!mine.loaded || mine.owner != getpid())
		return;
	lock = lock_all();
	progress_begin("detaching");
	err = remove_patiently(mine.module);
	mine.loaded = false;
	if (err) {	/* the lock file stays, nobody holds it any more: kmeter list shows it as left behind */
		refuse_remove(mine.module, err);
		say_hint("kmeter unload --all removes it once it is free");
		close(mine.fd);
		mine.fd = -1;
	} else {
		let_go();
		remove_runtime(false);
	}
	progress_end();
	unlock_all(lock);
}

void load_finish_now(void)
{
	struct timespec t = { 0, 20000000 };
	int tries;

	if (!mine.loaded || mine.owner != getpid())
		return;
	for (tries = 0; tries < 50; tries++) {
		if (!syscall(SYS_delete_module, mine.module, O_NONBLOCK) || errno == ENOENT) {
			unlink(mine.lock);
			break;
		}
		nanosleep(&t, NULL);
	}
	if (!access(MARK, F_OK) && !syscall(SYS_delete_module, RUNTIME, O_NONBLOCK))
		unlink(MARK);
}

/* ---- insertion ---- */

/* What the module in this file says of itself (modinfo); to be freed, NULL: nothing of that. */
static char *info(struct kmod_module *mod, const char *key)
{
	struct kmod_list *all = NULL, *item;
	char *value = NULL;

	if (kmod_module_get_info(mod, &all) >= 0)
		kmod_list_foreach(item, all)
			if (!strcmp(kmod_module_info_get_key(item), key) && !value)
				value = say_strdup(kmod_module_info_get_value(item));
	kmod_module_info_free_list(all);
	return value;
}

/* The name that the module in this file will have in the kernel: not that of the file. */
static char *name_in(struct kmod_module *mod)
{
	char *name = info(mod, "name");

	return name ? name : say_strdup(kmod_module_get_name(mod));
}

static void ignore_log(void *data, int priority, const char *file, int line, const char *function, const char *format,
		       va_list args)
{
	(void)data, (void)priority, (void)file, (void)line, (void)function, (void)format, (void)args;
}

static struct kmod_ctx *new_context(void)
{
	struct kmod_ctx *ctx = kmod_new(NULL, NULL);

	if (!ctx)
		say_error("libkmod: cannot begin");
	else
		kmod_set_log_fn(ctx, ignore_log, NULL);	/* what went wrong is said by us */
	return ctx;
}

/* Insert one file; 0, or an errno after saying why. */
static int insert(struct kmod_module *mod, const char *path, const char *name)
{
	int log = refuse_log_open(), err;
	char *lines;

	progress_begin(!strcmp(name, RUNTIME) ? "loading kstats" : "attaching");
	err = -kmod_module_insert_module(mod, 0, NULL);
	progress_end();
	lines = refuse_log_close(log);
	if (err)
		refuse_insert(path, name, err, lines);
	free(lines);
	return err;
}

/* Does the kstats that is loaded speak as we do? */
static bool right_version(void)
{
	char text[32] = "";
	int fd = open("/sys/module/" RUNTIME "/version", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[strcspn(text, "\n")] = 0;
	if (n > 0 && atoi(text) == KSTATS_VERSION)
		return true;
	say_error("a kstats of another version is loaded (%s; this kmeter needs %d)", *text ? text : "unknown",
		  KSTATS_VERSION);
	say_hint("kmeter unload --all (or rmmod kstats) removes it, then try again; the right one is loaded by itself");
	return false;
}

static char *beside(const char *path)
{
	const char *slash = strrchr(path, '/');

	return say_text("%.*s" RUNTIME ".ko", slash ? (int)(slash + 1 - path) : 0, path);
}

static int insert_runtime_file(struct kmod_ctx *ctx, const char *path)
{
	struct kmod_module *mod = NULL;
	int err = -kmod_module_new_from_path(ctx, path, &mod);

	if (err) {
		say_error("%s: %s", path, strerror(err));
		return err;
	}
	err = insert(mod, path, RUNTIME);
	kmod_module_unref(mod);
	return err;
}

/* The kstats of /lib/modules of the running kernel, as modprobe finds it; NULL when there is none. */
static struct kmod_module *installed_runtime(struct kmod_ctx *ctx)
{
	struct kmod_list *list = NULL;
	struct kmod_module *mod;

	if (kmod_module_new_from_lookup(ctx, RUNTIME, &list) < 0 || !list)
		return NULL;
	mod = kmod_module_get_module(list);
	kmod_module_unref_list(list);
	if (kmod_module_get_path(mod))
		return mod;
	kmod_module_unref(mod);
	return NULL;
}

/* From there; ENOENT when there is none. */
static int probe_runtime(struct kmod_ctx *ctx)
{
	struct kmod_module *mod = installed_runtime(ctx);
	int err = mod ? -kmod_module_probe_insert_module(mod, 0, NULL, NULL, NULL, NULL) : ENOENT;

	kmod_module_unref(mod);
	return err;
}

static bool same_info(struct kmod_module *a, struct kmod_module *b, const char *key)
{
	char *x = info(a, key), *y = info(b, key);
	bool same = x && y && !strcmp(x, y);

	free(x);
	free(y);
	return same;
}

/*
 * Of the two, what is installed: it may be signed for this machine, and what is built here is not. Its sources must be the
 * same, which srcversion is a hash of; then the versions of its symbols are those that scripts were linked with.
 */
static int insert_runtime_of_two(struct kmod_ctx *ctx, const char *built)
{
	struct kmod_ctx *other = new_context();	/* libkmod knows one file of a name */
	struct kmod_module *there = other ? installed_runtime(other) : NULL, *mod = NULL;
	bool same = false;
	int err;

	if (there && kmod_module_new_from_path(ctx, built, &mod) >= 0) {
		same = same_info(there, mod, "srcversion") && same_info(there, mod, "vermagic");
		kmod_module_unref(mod);
		if (!same)
			say_note("%s is of other sources than this kmeter's: not loaded", kmod_module_get_path(there));
	}
	err = same ? insert(there, kmod_module_get_path(there), RUNTIME) : insert_runtime_file(ctx, built);
	kmod_module_unref(there);
	kmod_unref(other);
	return err;
}

/* It has just been loaded by us. */
static int mark_runtime(void)
{
	int fd = open(MARK, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd >= 0)
		close(fd);
	return right_version() ? 0 : EINVAL;
}

/* kstats, if it is not there yet. */
static int insert_runtime(struct kmod_ctx *ctx, const char *runtime, const char *script)
{
	char *near = NULL;
	int err;

	if (load_runtime_loaded())
		return right_version() ? 0 : EINVAL;
	if (runtime) {
		err = insert_runtime_of_two(ctx, runtime);
	} else {
		err = probe_runtime(ctx);
		near = beside(script);
		if (err && !access(near, R_OK))
			err = insert_runtime_file(ctx, near);
		else if (err == ENOENT)
			say_error("kstats.ko, which %s needs, is neither in /lib/modules nor beside it", script),
			say_hint("kmeter build --runtime -o %s makes it", near);
		else if (err)
			refuse_insert(RUNTIME, RUNTIME, err, NULL);
	}
	free(near);
	return err ? err : mark_runtime();
}

bool load_runtime(const char *file, int *status)
{
	struct kmod_ctx *ctx = new_context();
	bool there = true;
	int lock, err = 0;

	*status = KM_KERNEL;
	if (!ctx)
		return true;
	lock = lock_all();
	if (load_runtime_loaded()) {
		err = right_version() ? 0 : EINVAL;
	} else {
		err = file ? insert_runtime_file(ctx, file) : probe_runtime(ctx);
		there = file || err != ENOENT;
		if (!err)
			err = mark_runtime();
		else if (!file && there)
			refuse_insert(RUNTIME, RUNTIME, err, NULL);
	}
	unlock_all(lock);
	kmod_unref(ctx);
	*status = err ? KM_KERNEL : KM_OK;
	return there;
}

/* The same module is there already: take it away if a kmeter that was killed left it, else say whose it is. */
static bool make_room(const char *name)
{
	pid_t pid;

	if (!load_present(name))
		return true;
	switch (load_owner(name, &pid)) {
	case LOAD_LEFT_BEHIND:
		say_note("%s was left behind by a kmeter that was killed: removed", name);
		if (!remove_patiently(name))
			return true;
		refuse_remove(name, EBUSY);
		return false;
	case LOAD_HELD:
		say_error("this same script is being measured by another kmeter, process %d", pid);
		say_hint("kmeter show shows its numbers so far; kill -INT %d ends it with a report", pid);
		return false;
	default:
		refuse_insert(NULL, name, EEXIST, NULL);
		return false;
	}
}

/* Others that were killed: their measurements go on until somebody says so. */
static void tell_leftovers(void)
{
	char **names = load_names();
	size_t i;
	pid_t pid;

	for (i = 0; names[i]; i++)
		if (load_owner(names[i], &pid) == LOAD_LEFT_BEHIND)
			say_note("%s was left behind by a kmeter that was killed: kmeter unload --all removes it",
				 names[i]);
	load_free_names(names);
}

int load_module(const char *path, const char *runtime, bool stays, char **name)
{
	struct kmod_ctx *ctx = new_context();
	struct kmod_module *mod = NULL;
	int err, lock;

	*name = NULL;
	if (!ctx)
		return KM_KERNEL;
	lock = lock_all();
	err = -kmod_module_new_from_path(ctx, path, &mod);
	if (err) {
		say_error("%s: %s", path, strerror(err));
		goto done;
	}
	*name = name_in(mod);
	err = EEXIST;
	if (!make_room(*name))
		goto done;
	tell_leftovers();
	err = insert_runtime(ctx, runtime, path);
	if (err)
		goto done;

	/* Marked first: killed in between, it is known as left behind rather than taken for one that stays. */
	mine.owner = getpid();
	snprintf(mine.module, sizeof(mine.module), "%s", *name);
	if (!stays) {
		static bool registered;

		hold(*name);
		mine.loaded = true;
		if (!registered)
			registered = !atexit(load_finish);
	}
	err = insert(mod, path, *name);
	if (err) {
		mine.loaded = false;
		let_go();
		remove_runtime(false);
	}
done:
	unlock_all(lock);
	kmod_module_unref(mod);
	kmod_unref(ctx);
	if (err) {
		free(*name);
		*name = NULL;
	}
	return err ? KM_KERNEL : KM_OK;
}

/* ---- what is there ---- */

char **load_names(void)
{
	DIR *dir = opendir("/sys/module/" RUNTIME "/holders");
	char **names = say_calloc(1, sizeof(*names));
	struct dirent *entry;
	size_t n = 0;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "km_", 3))
			continue;
		names = say_realloc(names, n + 2, sizeof(*names));
		names[n++] = say_strdup(entry->d_name);
		names[n] = NULL;
	}
	if (dir)
		closedir(dir);
	return names;
}

void load_free_names(char **names)
{
	read_free_names(names);
}
