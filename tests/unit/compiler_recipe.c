// SPDX-License-Identifier: GPL-2.0
/*
 * compiler_recipe.c: a recipe that was written is read as it was; one that is damaged in any place, or of other tools, is
 * not. And what kbuild may leave behind that no recipe can be made of.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compiler/template.h"

static unsigned int tests, failed;
static char dir[] = "/tmp/kmeter-recipe-XXXXXX";

static void check(bool good, const char *what)
{
	tests++;
	failed += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", tests, what);
}

static void put(const char *name, const char *text, size_t length)
{
	char *path = mem_printf("%s/%s", dir, name);
	FILE *f = fopen(path, "we");

	if (!f || fwrite(text, 1, length, f) != length || fclose(f))
		printf("Bail out! cannot write %s\n", path);
	free(path);
}

static void put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

/* ---- written and read ---- */

static void fill(struct recipe *r)
{
	struct recipe_command *c;
	char *tool = mem_printf("%s/a tool", dir);

	put("a.o", "\0\1\2\3", 4);
	put_text("b.h", "#define B\n");
	put_text("a tool", "#!/bin/sh\n");
	recipe_add_file(r, dir, "a.o");
	recipe_add_file(r, dir, "b.h");
	recipe_add_tool(r, tool);
	recipe_add_symbol(r, "memcpy");
	recipe_add_symbol(r, "__fentry__");
	c = recipe_add_command(r);
	recipe_add_word(c, mem_copy(tool, strlen(tool)));
	recipe_add_word(c, mem_copy("-DX=\"a b\"", 9));
	recipe_add_word(c, mem_copy("@DIR@/@NAME@.o", 14));
	c = recipe_add_command(r);
	recipe_add_word(c, mem_copy("/bin/true", 9));
	free(tool);
}

static bool reads(void)
{
	struct recipe r;
	bool good = recipe_read(&r, dir);

	recipe_free(&r);
	return good;
}

static void round_trip(void)
{
	struct recipe w = {}, r;
	char *text, *again, *bytes;
	size_t length, all;

	fill(&w);
	text = recipe_text(&w);
	all = strlen(text);
	put("recipe", text, all);
	check(recipe_read(&r, dir), "a recipe is read");
	again = recipe_text(&r);
	check(strcmp(text, again) == 0, "as it was written");
	check(recipe_has_symbol(&r, "memcpy") && !recipe_has_symbol(&r, "memcp") && !recipe_has_symbol(&r, "memcpyx"),
	      "with its symbols");
	bytes = recipe_file(&r, dir, "a.o", &length);
	check(bytes && length == 4 && memcmp(bytes, "\0\1\2\3", 4) == 0, "a prepared file is what was prepared");
	free(bytes);
	bytes = recipe_file(&r, dir, "c.o", &length);
	check(!bytes, "another file is none");

	put("a.o", "\0\1\2\4", 4);
	bytes = recipe_file(&r, dir, "a.o", &length);
	check(!bytes && reads(), "one with another byte is seen when it is used");
	put("a.o", "\0\1\2", 3);
	check(!reads(), "one that is cut makes the recipe void");
	put("a.o", "\0\1\2\3", 4);
	check(reads(), "(and back)");

	length = 0;
	for (size_t cut = 0; cut < all; cut++) {
		put("recipe", text, cut);
		length += reads();
	}
	check(length == 0, "no recipe is read that is cut anywhere");
	put("recipe", text, all);
	check(reads(), "(and back)");
	recipe_free(&r);
	recipe_free(&w);
	free(text);
	free(again);
}

static void tools(void)
{
	char *tool = mem_printf("%s/a tool", dir);
	struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };

	put_text("a tool", "#!/bin/sh\n# changed\n");
	check(!reads(), "a tool of another size makes the recipe void");
	put_text("a tool", "#!/bin/sh\n");
	utimensat(AT_FDCWD, tool, times, 0);
	check(!reads(), "so does one of another time");
	unlink(tool);
	check(!reads(), "and one that is gone");
	free(tool);
}

static void refusal(void)
{
	struct recipe w = { .refused = mem_copy("because", 7) }, r;

	check(template_store(&w, dir) && recipe_read(&r, dir) && r.refused && strcmp(r.refused, "because") == 0 && !r.ncommands,
	      "a refusal is kept, with its reason");
	recipe_free(&r);
	recipe_free(&w);
}

/* ---- what kbuild left ---- */

static bool refuses(const char *compile, const char *link, const char *config, const char *reason)
{
	char *text = compile ? mem_printf("savedcmd_x := %s\n\nsource_x := x\n", compile) : NULL;
	struct recipe r = {};
	bool good;

	if (text)
		put_text("." RECIPE_NAME ".o.cmd", text);
	free(text);
	text = mem_printf("cmd_x := %s\n", link);
	put_text("." RECIPE_NAME ".ko.cmd", text);
	free(text);
	put_text(".config", config);
	template_record(&r, dir, dir, "/bin/true");
	good = r.refused && strstr(r.refused, reason);
	if (!good)
		printf("# %s\n", r.refused ? r.refused : "not refused");
	recipe_free(&r);
	return good;
}

static void left_by_kbuild(void)
{
	static const char cc[] = "gcc -c -o x.o x.c", ld[] = "ld -r -o x.ko x.o";
	static const struct {
		const char *compile, *link, *config, *reason;
	} cases[] = {
		{ NULL, ld, "\n", "no record" },
		{ "gcc -flto -c x.c", ld, "\n", "-flto" },
		{ "gcc -fsanitize=kcfi -c x.c", ld, "\n", "-fsanitize=kcfi" },
		{ "gcc -fplugin=./p.so -c x.c", ld, "\n", "-fplugin" },
		{ "gcc -c x.c | tee y", ld, "\n", "more than one of words" },
		{ "gcc -c x.c > y", ld, "\n", "more than one of words" },
		{ "gcc -c $$(cat x)", ld, "\n", "more than one of words" },
		{ "gcc -c x.c && objcopy x", ld, "\n", "more than one of words" },
		{ "gcc -c x.c ; objcopy -g x.o", ld, "\n", "kbuild uses objcopy" },
		{ "no-such-compiler -c x.c", ld, "\n", "no-such-compiler, which is not found" },
		{ cc, "objcopy x.o x.ko", "\n", "kbuild uses objcopy" },
		{ cc, "ld -r -o x.ko x.o /elsewhere/y.o", "\n", "kbuild links" },
		{ cc, "ld -r -T no.such.lds -o x.ko", "\n", "no.such.lds" },
		{ cc, "ld -r -o x.ko", "\nCONFIG_CFI_CLANG=y\n", "CONFIG_CFI_CLANG" },
		{ cc, "ld -r -o x.ko", "\nCONFIG_LTO_CLANG=y\n", "CONFIG_LTO_CLANG" },
		{ cc, "ld -r -o x.ko", "\nCONFIG_FTRACE_MCOUNT_USE_RECORDMCOUNT=y\n", "RECORDMCOUNT" },
		{ cc, "ld -r -o x.ko", "\nCONFIG_OBJTOOL=y\n", "objtool" },
		{ cc, "ld -r -o x.ko", "\nCONFIG_UNWINDER_ORC=y\n", "objtool" },
		{ cc, "ld -r -o x.ko", "\n", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *what = mem_printf("no recipe of '%s', '%s', '%.*s'", cases[i].compile ? cases[i].compile : "", cases[i].link,
					(int)strcspn(cases[i].config + 1, "\n"), cases[i].config + 1);

		check(refuses(cases[i].compile, cases[i].link, cases[i].config, cases[i].reason), what);
		free(what);
	}
}

int main(void)
{
	char *remove;

	if (!mkdtemp(dir)) {
		printf("Bail out! no folder\n");
		return 1;
	}
	round_trip();
	tools();
	refusal();
	left_by_kbuild();
	printf("1..%u\n", tests);
	remove = mem_copy(dir, strlen(dir));
	cache_remove(remove);
	free(remove);
	return failed != 0;
}
