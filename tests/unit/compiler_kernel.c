// SPDX-License-Identifier: GPL-2.0
/*
 * compiler_kernel.c: which build a kernel is that does not run, as the header of its image says; what its headers include; programs
 * that it brings.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "compiler/cache.h"
#include "compiler/command.h"
#include "compiler/kernel.h"
#include "compiler/text.h"

static unsigned int tests, failed;
static char root[] = "/tmp/kmeter-kernel.XXXXXX";

static void check(bool good, const char *what)
{
	tests++;
	failed += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", tests, what);
}

/* An image of @size bytes, with @text where the header says that the version is: @offset bytes behind the boot sector. */
static void image(size_t size, const char *magic, uint16_t offset, const char *text, size_t length)
{
	char *path = mem_printf("%s/boot/vmlinuz-6.1.0-test", root), *bytes = mem_zero(1, 0x10000 + 0x400);
	FILE *f = fopen(path, "w");

	memcpy(bytes + 0x202, magic, 4);
	memcpy(bytes + 0x20e, &offset, sizeof(offset));
	memcpy(bytes + 0x200 + offset, text, length);
	if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
		printf("Bail out! cannot write %s\n", path);
	free(bytes);
	free(path);
}

static bool says(const struct kernel *k, const char *wanted)
{
	char *build = kernel_build(k);
	bool same = wanted ? build && !strcmp(build, wanted) : !build;

	if (!same)
		printf("# got %s\n", build ? build : "nothing");
	free(build);
	return same;
}

/* @text is the headers' Makefile; @wanted: the path below the root that it includes, or NULL. */
static bool includes(const struct kernel *k, const char *text, const char *wanted)
{
	char *path = mem_printf("%s/Makefile", root), *want = wanted ? mem_printf("%s%s", root, wanted) : NULL, *got;
	FILE *f = fopen(path, "w");
	bool same;

	fputs(text, f);
	fclose(f);
	got = kernel_makefile(k, root);
	same = want ? got && !strcmp(got, want) : !got;
	free(path);
	free(want);
	free(got);
	return same;
}

/* A program of PATH's, and another of its name in a folder that comes to be preferred. */
static void prefer(void)
{
	char *folder = mem_printf("%s/bin", root), *own = mem_printf("%s/sh", folder), *before = command_find("sh"), *after, *path;
	FILE *f;

	mkdir(folder, 0755);
	f = fopen(own, "w");
	fclose(f);
	chmod(own, 0755);
	check(before && strcmp(before, own), "a program is found by PATH");
	command_prefer(folder);
	after = command_find("sh");
	check(after && !strcmp(after, own), "or in the folder that is preferred");
	path = mem_copy(getenv("PATH"), strlen(getenv("PATH")));
	command_prefer(folder);
	check(!strcmp(path, getenv("PATH")), "which is there once, however often it is said");
	free(folder);
	free(own);
	free(before);
	free(after);
	free(path);
}

int main(void)
{
	static const char text[] = "6.1.0-test (me@here) #7 SMP PREEMPT Tue Jan 6 00:00:00 UTC 2026";
	struct kernel k = { .release = "6.1.0-test", .root = root };
	char *boot, endless[300];
	struct utsname uts;

	if (!mkdtemp(root)) {
		puts("Bail out! no folder");
		return 1;
	}
	boot = mem_printf("%s/boot", root);
	mkdir(boot, 0755);
	check(says(&k, NULL), "without an image nothing is known");
	image(0x4000, "HdrS", 0x3000, text, sizeof(text));
	check(says(&k, strchr(text, '#')), "from # on, as uname -v");
	image(0x10400, "HdrS", 0xfff0, text, sizeof(text));
	check(says(&k, strchr(text, '#')), "at the last place that the header can name");
	image(0x4000, "Hdrs", 0x3000, text, sizeof(text));
	check(says(&k, NULL), "of what is no bzImage nothing");
	image(0x200, "HdrS", 0x3000, text, sizeof(text));
	check(says(&k, NULL), "nor of one that is cut in its header");
	image(0x2000, "HdrS", 0x3000, text, sizeof(text));
	check(says(&k, NULL), "or before the version");
	image(0x4000, "HdrS", 0x3000, "6.1.0-test (me@here)", 21);
	check(says(&k, NULL), "or whose version tells no build");
	memset(endless, '#', sizeof(endless));
	image(0x4000, "HdrS", 0x3000, endless, sizeof(endless));
	endless[255] = 0;
	check(says(&k, endless), "a version without an end is cut");
	check(includes(&k, "include /usr/src/x/Makefile\n", "/usr/src/x/Makefile"), "what the Makefile of the headers includes");
	check(includes(&k, "KBUILD_OUTPUT=/usr/src/y\ninclude /usr/src/x/Makefile\n", "/usr/src/x/Makefile"), "in its second line, too");
	check(includes(&k, "include /usr/src/x/Makefile", "/usr/src/x/Makefile"), "and where that has no end");
	check(includes(&k, "# include /usr/src/x/Makefile\ninclude x\n", NULL), "nothing, where it is no path of the system's");
	prefer();
	k.running = true;
	check(uname(&uts) == 0 && says(&k, uts.version), "of the kernel that runs, what uname says");
	printf("1..%u\n", tests);
	cache_remove(root);
	free(boot);
	return failed != 0;
}
