/* SPDX-License-Identifier: GPL-2.0 */
/*
 * load.h: kernel modules in and out, so that nothing stays that should not.
 *
 * A module is loaded either for the life of this process (temporary: a locked file /run/kmeter/MODULE.lock tells others
 * so) or to stay. Temporary ones go on every way out: load_finish, exit(), a second Ctrl-C. After SIGKILL the file is
 * there and nobody holds its lock: that is how load_owner knows what was left behind.
 */
#ifndef KM_LOAD_H
#define KM_LOAD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Load the module in file `path` (a script's .ko) and, when kstats is not there, kstats first: from /lib/modules, where what is installed
 * there (by DKMS) is of the same sources as `runtime`, else from `runtime`; or when that is NULL from /lib/modules, or from kstats.ko
 * beside `path`. Returns KM_OK with *name (to be freed), or KM_KERNEL after saying why and undoing what was done.
 */
int load_module(const char *path, const char *runtime, bool stays, char **name);

/*
 * Load kstats alone, when it is not there, from `file`, or when that is NULL from /lib/modules. False: it is not there either, and
 * nothing was said. Else *status is KM_OK, or KM_KERNEL after saying why not. load_remove_runtime(false) is the way back.
 */
bool load_runtime(const char *file, int *status);

/* Unload what was loaded to be temporary, and kstats if kmeter loaded it and nobody uses it. Idempotent. */
void load_finish(void);

/* The same from a signal handler, without waiting and without messages. */
void load_finish_now(void);

/* Unload a module (a user's wish); false after saying why not. */
bool load_remove(const char *name);

/* Unload kstats if nothing is measured; with `always` even if it was not kmeter that loaded it. False: could not. */
bool load_remove_runtime(bool always);

/* The modules that use kstats and were made from scripts (km_…), ended by NULL; free with load_free_names. */
char **load_names(void);
void load_free_names(char **names);

enum load_owner {
	LOAD_STAYS,		/* loaded to stay */
	LOAD_HELD,		/* a running kmeter's */
	LOAD_LEFT_BEHIND,	/* of a kmeter that was killed */
};

/* Whose is it? With LOAD_HELD *pid is its process (0: not known). */
enum load_owner load_owner(const char *name, pid_t *pid);

/*
 * Which script a module that stays was made from, for those who name that: a link in /run/kmeter, which load_remove removes.
 * A @path of NULL: of none. load_origin gives the script's path whole, or NULL; to be freed.
 */
void load_keep_origin(const char *name, const char *path);
char *load_origin(const char *name);

/* A path without links, as far as there is one: the file itself may be gone. To be freed. */
char *load_whole_path(const char *path);

/* Is there a module of this name? */
bool load_present(const char *module);
bool load_runtime_loaded(void);

#endif /* KM_LOAD_H */
