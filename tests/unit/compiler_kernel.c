// SPDX-License-Identifier: GPL-2.0
/* compiler_kernel.c: which build a kernel is that does not run, as the header of its image says. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "compiler/cache.h"
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
	k.running = true;
	check(uname(&uts) == 0 && says(&k, uts.version), "of the kernel that runs, what uname says");
	printf("1..%u\n", tests);
	cache_remove(root);
	free(boot);
	return failed != 0;
}
