// SPDX-License-Identifier: GPL-2.0
/*
 * trust.c: a folder is trusted as far as nobody else can write to it, nor to any folder above it, where it could be exchanged for another.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"
#include "trust.h"

enum { FIRST_USER = 1000 };	/* groups below that are the system's: root says who is in them */

static char *refuse_one(const char *path, uid_t also)
{
	struct stat st;

	if (lstat(path, &st))
		return mem_printf("%s: %s", path, strerror(errno));
	if (st.st_uid != 0 && st.st_uid != geteuid() && st.st_uid != also)
		return mem_printf("%s belongs to another user", path);
	if (S_ISLNK(st.st_mode) || (S_ISDIR(st.st_mode) && st.st_mode & S_ISVTX))
		return NULL;
	if (st.st_mode & S_IWOTH)
		return mem_printf("others may write to %s", path);
	if (st.st_mode & S_IWGRP && st.st_gid >= FIRST_USER && st.st_gid != st.st_uid)
		return mem_printf("a group of users may write to %s", path);
	return NULL;
}

/* It, and each folder above it. */
static char *refuse_way(const char *path, uid_t also)
{
	char *way = mem_copy(path, strlen(path)), *why = refuse_one("/", also);

	for (char *slash = way; !why && slash; ) {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = 0;
		why = refuse_one(way, also);
		if (slash)
			*slash = '/';
	}
	free(way);
	return why;
}

char *trust_refuse(const char *path, uid_t also)
{
	char *absolute = mem_absolute(path), *real = realpath(absolute, NULL), *why;

	/* As it is named, for links may be pointed elsewhere; and where it is. */
	why = real ? refuse_way(absolute, also) : mem_printf("%s: %s", absolute, strerror(errno));
	if (!why)
		why = refuse_way(real, also);
	free(real);
	free(absolute);
	return why;
}

char *trust_refuse_folder(const char *path, uid_t also)
{
	char *why = trust_refuse(path, also);
	DIR *d = why ? NULL : opendir(path);
	struct dirent *e;

	while (d && !why && (e = readdir(d))) {
		char *file = mem_printf("%s/%s", path, e->d_name);

		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			why = refuse_one(file, also);
		free(file);
	}
	if (d)
		closedir(d);
	return why;
}
