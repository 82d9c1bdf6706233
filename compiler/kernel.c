// SPDX-License-Identifier: GPL-2.0
/* kernel.c: finds the target kernel's release and files. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kernel.h"

/* The releases under lib/modules of a sysroot: how many, the first in *@one, all as a list of words. */
static unsigned int releases(const char *root, char **one, struct text *all)
{
	char *path = mem_printf("%s/lib/modules", root);
	struct dirent **names = NULL;
	unsigned int count = 0;
	int n = scandir(path, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char *dir = mem_printf("%s/%s", path, names[i]->d_name);
		struct stat st;

		if (names[i]->d_name[0] != '.' && stat(dir, &st) == 0 && S_ISDIR(st.st_mode)) {
			if (!count++)
				*one = mem_copy(names[i]->d_name, strlen(names[i]->d_name));
			text_printf(all, "%s%s", all->length ? ", " : "", names[i]->d_name);
		}
		free(dir);
		free(names[i]);
	}
	free(names);
	free(path);
	return count;
}

static bool find_release(struct kernel *k, const char *sysroot, struct diag *diag)
{
	struct text all = {};
	unsigned int count = releases(k->root, &k->release, &all);

	if (!count)
		diag_error(diag, LOC_NONE, "no-kernel", "no kernel under %s: no folder in its lib/modules", sysroot);
	else if (count > 1)
		diag_error(diag, LOC_NONE, "which-kernel", "several kernels under %s: say which with -r: %s", sysroot,
			   all.s);
	text_free(&all);
	return count == 1;
}

bool kernel_find(struct kernel *k, const struct target *target, struct diag *diag)
{
	const char *root = target->sysroot ? target->sysroot : "";
	size_t length = strlen(root);
	struct utsname uts;
	struct stat st;

	*k = (struct kernel){};
	while (length && root[length - 1] == '/')
		length--;
	k->root = mem_copy(root, length);
	uname(&uts);
	if (length && (stat(k->root, &st) != 0 || !S_ISDIR(st.st_mode))) {
		diag_error(diag, LOC_NONE, "no-kernel", "%s: %s", k->root, errno == ENOENT ? "no such folder" :
			   "not a folder that can be read");
		return false;
	}
	/* make and the compiler run elsewhere. */
	if (length) {
		char *whole = mem_absolute(k->root);

		free(k->root);
		k->root = whole;
	}
	if (target->release && (strchr(target->release, '/') || !*target->release)) {
		diag_error(diag, LOC_NONE, "no-kernel", "'%s' is no release of a kernel", target->release);
		return false;
	}
	if (target->release)
		k->release = mem_copy(target->release, strlen(target->release));
	else if (!length)
		k->release = mem_copy(uts.release, strlen(uts.release));
	else if (!find_release(k, k->root, diag))
		return false;
	k->running = !length && strcmp(k->release, uts.release) == 0;
	return true;
}

void kernel_free(struct kernel *k)
{
	free(k->release);
	free(k->root);
	*k = (struct kernel){};
}

char *kernel_path(const struct kernel *k, const char *path)
{
	struct text t = {};

	text_string(&t, k->root);
	for (; *path; path++) {
		if (path[0] == '%' && path[1] == 'r') {
			text_string(&t, k->release);
			path++;
		} else {
			text_add(&t, path, 1);
		}
	}
	return text_take(&t);
}

char *kernel_file(const struct kernel *k, const char *const *paths)
{
	for (; *paths; paths++) {
		char *path = kernel_path(k, *paths);

		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

char *kernel_makefile(const struct kernel *k, const char *headers)
{
	static const char mark[] = "include /";
	char *path = mem_printf("%s/Makefile", headers), *text = text_of_file(path, NULL), *makefile = NULL;
	const char *line = text;

	while (line && strncmp(line, mark, strlen(mark)) != 0) {
		line = strchr(line, '\n');
		line += line != NULL;
	}
	if (line) {
		line += strlen(mark) - 1;
		makefile = mem_printf("%s%.*s", k->root, (int)strcspn(line, "\n"), line);
	}
	free(path);
	free(text);
	return makefile;
}

/* A bzImage says "RELEASE (builder) #1 SMP ..." at a place that its header names (Documentation/arch/x86/boot.rst: kernel_version). */
char *kernel_build(const struct kernel *k)
{
	static const char *const images[] = { "/boot/vmlinuz-%r", "/lib/modules/%r/vmlinuz", NULL };
	char *path, head[0x210], text[256] = "", *build = NULL;
	struct utsname uts;
	uint16_t offset;
	FILE *f;

	if (k->running)
		return uname(&uts) == 0 ? mem_copy(uts.version, strlen(uts.version)) : NULL;
	path = kernel_file(k, images);
	f = path ? fopen(path, "re") : NULL;
	if (f && fread(head, 1, sizeof(head), f) == sizeof(head) && memcmp(head + 0x202, "HdrS", 4) == 0) {
		memcpy(&offset, head + 0x20e, sizeof(offset));
		if (fseek(f, 0x200 + offset, SEEK_SET) == 0 && fread(text, 1, sizeof(text) - 1, f) > 0)
			build = strchr(text, '#');
	}
	if (f)
		fclose(f);
	free(path);
	return build ? mem_copy(build, strlen(build)) : NULL;
}
