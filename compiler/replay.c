// SPDX-License-Identifier: GPL-2.0
/*
 * replay.c: compiler, objtool and linker, as kbuild called them for the template. Between them: does the object want
 * anything that the prepared table of versions has not? Then the kernel would refuse the module.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "object.h"
#include "replay.h"

static char *fill_in(const char *word, const char *entry, const char *dir, const char *name)
{
	static const char *const marks[] = { "@ENTRY@", "@DIR@", "@NAME@" };
	const char *const whats[] = { entry, dir, name };
	struct text t = {};

	while (*word) {
		unsigned int i = 0;

		while (i < 3 && strncmp(word, marks[i], strlen(marks[i])) != 0)
			i++;
		if (i < 3) {
			text_string(&t, whats[i]);
			word += strlen(marks[i]);
		} else {
			text_add(&t, word++, 1);
		}
	}
	return text_take(&t);
}

/* Every template's name becomes the module's, and a hash of the template's source one of the script's. */
static bool rename_in(char *bytes, size_t length, const char *name, const char *source)
{
	static const char version[] = "srcversion=";
	size_t hits = 0;
	char *at = bytes, *end = bytes + length;

	while ((at = memmem(at, end - at, RECIPE_NAME, strlen(RECIPE_NAME)))) {
		memcpy(at, name, strlen(RECIPE_NAME));
		at += strlen(RECIPE_NAME);
		hits++;
	}
	at = memmem(bytes, length, version, strlen(version));
	if (at)
		for (at += strlen(version); at < end && isxdigit((unsigned char)*at) && *source; at++)
			*at = toupper((unsigned char)*source++);
	return hits >= 2;	/* in __this_module, and for modinfo */
}

/* All prepared files are looked at; the one that bears the template's name is written under the module's. */
static bool prepare(const struct recipe *r, const char *entry, const char *dir, const char *name, const char *source)
{
	bool good = true;

	for (size_t i = 0; i < r->nfiles && good; i++) {
		size_t length;
		char *bytes = recipe_file(r, entry, r->files[i].name, &length), *path;
		const char *rest = r->files[i].name + strlen(RECIPE_NAME);
		FILE *f;

		good = bytes;
		if (good && strncmp(r->files[i].name, RECIPE_NAME, strlen(RECIPE_NAME)) == 0) {
			path = mem_printf("%s/%s%.*s", dir, name, (int)(strlen(rest) - strlen(".kept")), rest);
			f = fopen(path, "we");
			good = rename_in(bytes, length, name, source) && f && fwrite(bytes, 1, length, f) == length;
			if (f && fclose(f))
				good = false;
			free(path);
		}
		free(bytes);
	}
	return good;
}

static enum replay_result run(const struct recipe_command *c, const char *entry, const char *headers, const char *dir,
			      const char *name, const char *log, bool verbose, char **why)
{
	char **argv = mem_zero(c->count + 1, sizeof(*argv));
	enum command_result result;
	int status;

	for (size_t i = 0; i < c->count; i++) {
		argv[i] = fill_in(c->words[i], entry, dir, name);
		if (verbose)
			fprintf(stderr, "%s%s", i ? " " : "kmeter: ", argv[i]);
	}
	if (verbose)
		fputc('\n', stderr);
	result = command_run_in(headers, (const char *const *)argv, log, &status);
	if (result == COMMAND_NOT_STARTED)
		*why = mem_printf("cannot start %s: %s", argv[0], strerror(status));
	else if (result == COMMAND_FAILED)
		*why = mem_printf("%s failed", argv[0]);
	for (size_t i = 0; i < c->count; i++)
		free(argv[i]);
	free(argv);
	return result == COMMAND_OK ? REPLAY_OK : result == COMMAND_KILLED ? REPLAY_KILLED : REPLAY_FAILED;
}

struct lack {
	const struct recipe *recipe;
	char **why;
};

static bool is_known(const char *symbol, void *data)
{
	struct lack *l = data;

	if (recipe_has_symbol(l->recipe, symbol))
		return true;
	*l->why = mem_printf("it wants %s, which was not prepared", symbol);
	return false;
}

static enum replay_result look_at_symbols(const struct recipe *r, const char *dir, const char *name, char **why)
{
	char *path = mem_printf("%s/%s.o", dir, name);
	struct object *o = object_open(path);
	struct lack lack = { r, why };
	bool good = o && object_undefined(o, is_known, &lack);

	if (!o)
		*why = mem_printf("%s.o is no object", name);
	object_close(o);
	free(path);
	return good ? REPLAY_OK : REPLAY_FAILED;
}

enum replay_result replay_module(const struct recipe *r, const char *entry, const char *headers, const char *dir,
				 const char *name, const char *source, const char *log, bool verbose, char **why)
{
	enum replay_result result = REPLAY_OK;

	*why = NULL;
	if (!prepare(r, entry, dir, name, source))
		return REPLAY_BROKEN;
	for (size_t i = 0; i < r->ncommands && result == REPLAY_OK; i++) {
		result = run(&r->commands[i], entry, headers, dir, name, log, verbose, why);
		if (result == REPLAY_OK && i == 0)
			result = look_at_symbols(r, dir, name, why);
	}
	return result;
}
