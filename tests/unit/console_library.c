// SPDX-License-Identifier: GPL-2.0
/* console_library.c: the scripts that come with kmeter, as files and as the library tells of them. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "console/library.h"
#include "console_snap.h"

static char root[] = "/tmp/library.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static void folder(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (mkdir(path, 0700))
		abort();
}

/* A kernel that cannot run scripts whose path has this in it. */
static char *judge(void *kernel, const char *path)
{
	return strstr(path, kernel) ? strdup("no function 'x'") : NULL;
}

static char *hates;	/* NULL: no kernel to ask */

/* What is written: of the list by @pattern (NULL: all), or of the help of @name. */
static bool gives(const char *pattern, const char *name, int status, const char *want)
{
	char *text = NULL, *words[] = { (char *)(name ? name : pattern), NULL };
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int got = name ? library_help(words, 1, f) : library_list(words, pattern != NULL, hates ? judge : NULL, hates, f);
	bool good;

	fclose(f);
	good = got == status && !strcmp(text, want);
	if (!good)
		printf("# status %d:\n%s", got, text);
	free(text);
	return good;
}

static bool finds(const char *name, bool want)
{
	char *path = library_find(name);
	bool good = !!path == want && (!path || !access(path, R_OK));

	free(path);
	return good;
}

int main(void)
{
	char command[100];

	if (!mkdtemp(root))
		abort();
	setenv("KMETER_LIBRARY", root, 1);
	folder("b");
	folder("a");
	put("b/one", "no script");
	put("b/one.km", "# What one is for.\n#\n#\tkmeter run b/one\nparam n = 3 \"how many\"\nparam t = \"x=y\" \"a text\"\ncount x\n# no page\n");
	put("a/two.km", "# What two is for.\ncount y\n");
	put("a/.hidden.km", "# Nothing.\n");
	put("three.km", "# Not in a folder.\n");

	ok(gives(NULL, NULL, KM_OK, "a/two  What two is for.\nb/one  What one is for.\n         n = 3  how many\n         t = \"x=y\"  a text\n"),
	   "all, in order of name, with their parameters");
	ok(gives("a/*", NULL, KM_OK, "a/two  What two is for.\n"), "those that match");
	ok(gives("TWO", NULL, KM_OK, "a/two  What two is for.\n"), "those that have a word in their page");
	ok(gives("wo", NULL, KM_USAGE, "") && gives("tw", NULL, KM_USAGE, ""), "not a part of a word");
	hates = "a/";
	ok(gives(NULL, NULL, KM_OK, "a/two  no    What two is for.\n             not on this kernel: no function 'x'\n"
		 "b/one  runs  What one is for.\n               n = 3  how many\n               t = \"x=y\"  a text\n"),
	   "what the kernel says");
	hates = NULL;
	ok(gives("c/*", NULL, KM_USAGE, ""), "none matches");
	ok(gives(NULL, "b/one", KM_OK, "What one is for.\n\n\tkmeter run b/one\n"), "a page is the comment at the head");
	ok(gives(NULL, "b/on", KM_USAGE, ""), "no such page");
	ok(finds("b/one", true) && finds("a/two", true), "a script by its name");
	ok(finds("b/two", false) && finds("three.km", false) && finds("", false) && finds("b", false), "none by another");
	ok(finds("a/../b/one", false) && finds("/etc/passwd", false) && finds("a/.hidden", false) && finds("../x", false),
	   "nothing leads out of the library");
	setenv("KMETER_LIBRARY", "/nowhere", 1);
	ok(finds("b/one", false), "no library");
	snprintf(command, sizeof(command), "rm -r %s", root);
	if (system(command))
		abort();
	return done();
}
