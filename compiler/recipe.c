// SPDX-License-Identifier: GPL-2.0
/* recipe.c: writes, reads and checks recipes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recipe.h"

static void hash_of(const void *bytes, size_t length, char hash[CACHE_KEY_LENGTH + 1])
{
	struct cache_hash *h = cache_hash_new();

	cache_hash_bytes(h, bytes, length);
	cache_hash_end(h, hash);
}

void recipe_free(struct recipe *r)
{
	free(r->refused);
	for (size_t i = 0; i < r->nfiles; i++)
		free(r->files[i].name);
	for (size_t i = 0; i < r->ntools; i++)
		free(r->tools[i].path);
	for (size_t i = 0; i < r->nsymbols; i++)
		free(r->symbols[i]);
	for (size_t i = 0; i < r->ncommands; i++) {
		for (size_t w = 0; w < r->commands[i].count; w++)
			free(r->commands[i].words[w]);
		free(r->commands[i].words);
	}
	free(r->files);
	free(r->tools);
	free(r->symbols);
	free(r->commands);
	*r = (struct recipe){};
}

/* ---- recording ---- */

bool recipe_add_file(struct recipe *r, const char *dir, const char *name)
{
	char *path = mem_printf("%s/%s", dir, name);
	size_t length;
	char *bytes = text_of_file(path, &length);
	struct recipe_file *f;

	free(path);
	if (!bytes)
		return false;
	r->files = mem_more(r->files, r->nfiles, sizeof(*r->files));
	f = &r->files[r->nfiles++];
	*f = (struct recipe_file){ mem_copy(name, strlen(name)), length, "" };
	hash_of(bytes, length, f->hash);
	free(bytes);
	return true;
}

bool recipe_add_tool(struct recipe *r, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	r->tools = mem_more(r->tools, r->ntools, sizeof(*r->tools));
	r->tools[r->ntools++] = (struct recipe_tool){
		mem_copy(path, strlen(path)), st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec
	};
	return true;
}

void recipe_add_symbol(struct recipe *r, const char *name)
{
	r->symbols = mem_more(r->symbols, r->nsymbols, sizeof(*r->symbols));
	r->symbols[r->nsymbols++] = mem_copy(name, strlen(name));
}

struct recipe_command *recipe_add_command(struct recipe *r)
{
	r->commands = mem_more(r->commands, r->ncommands, sizeof(*r->commands));
	r->commands[r->ncommands] = (struct recipe_command){};
	return &r->commands[r->ncommands++];
}

void recipe_add_word(struct recipe_command *c, char *word)
{
	c->words = mem_more(c->words, c->count, sizeof(*c->words));
	c->words[c->count++] = word;
}

char *recipe_text(const struct recipe *r)
{
	struct text t = {};

	if (r->refused) {
		text_printf(&t, "refused %s\n", r->refused);
	} else {
		for (size_t i = 0; i < r->nfiles; i++)
			text_printf(&t, "file %s %llu %s\n", r->files[i].name, r->files[i].size, r->files[i].hash);
		for (size_t i = 0; i < r->nsymbols; i++)
			text_printf(&t, "symbol %s\n", r->symbols[i]);
		for (size_t i = 0; i < r->ncommands; i++) {
			text_string(&t, "run\n");
			for (size_t w = 0; w < r->commands[i].count; w++)
				text_printf(&t, "arg %s\n", r->commands[i].words[w]);
		}
	}
	for (size_t i = 0; i < r->ntools; i++)
		text_printf(&t, "tool %lld %lld %lld %s\n", r->tools[i].size, r->tools[i].seconds, r->tools[i].nanoseconds,
			    r->tools[i].path);
	text_string(&t, "end\n");
	return text_take(&t);
}

/* ---- reading ---- */

static bool tool_is_same(const struct recipe_tool *t)
{
	struct stat st;

	return stat(t->path, &st) == 0 && st.st_size == t->size && st.st_mtim.tv_sec == t->seconds &&
	       st.st_mtim.tv_nsec == t->nanoseconds;
}

static bool file_has_size(const char *entry, const struct recipe_file *f)
{
	char *path = mem_printf("%s/%s", entry, f->name);
	struct stat st;
	bool good = stat(path, &st) == 0 && (unsigned long long)st.st_size == f->size;

	free(path);
	return good;
}

/* A line, cut at its end; false where it is none of ours, or says that something has changed. */
static bool read_line(struct recipe *r, const char *entry, char *line)
{
	char *rest = strchr(line, ' ');

	if (strcmp(line, "run") == 0) {
		recipe_add_command(r);
		return true;
	}
	if (!rest)
		return false;
	*rest++ = 0;
	if (strcmp(line, "arg") == 0) {
		if (!r->ncommands)
			return false;
		recipe_add_word(&r->commands[r->ncommands - 1], mem_copy(rest, strlen(rest)));
	} else if (strcmp(line, "symbol") == 0) {
		recipe_add_symbol(r, rest);
	} else if (strcmp(line, "refused") == 0) {
		r->refused = mem_copy(rest, strlen(rest));
	} else if (strcmp(line, "file") == 0) {
		struct recipe_file f = {};

		if (sscanf(rest, "%ms %llu %32s", &f.name, &f.size, f.hash) != 3) {
			free(f.name);
			return false;
		}
		r->files = mem_more(r->files, r->nfiles, sizeof(*r->files));
		r->files[r->nfiles++] = f;
		return file_has_size(entry, &f);
	} else if (strcmp(line, "tool") == 0) {
		struct recipe_tool t = {};
		int at = 0;

		if (sscanf(rest, "%lld %lld %lld %n", &t.size, &t.seconds, &t.nanoseconds, &at) != 3 || !at)
			return false;
		t.path = mem_copy(rest + at, strlen(rest + at));
		r->tools = mem_more(r->tools, r->ntools, sizeof(*r->tools));
		r->tools[r->ntools++] = t;
		return tool_is_same(&t);
	} else {
		return false;
	}
	return true;
}

bool recipe_read(struct recipe *r, const char *entry)
{
	char *path = mem_printf("%s/recipe", entry);
	size_t length = 0;
	char *text = text_of_file(path, &length), *line = text, *end;
	bool good = text, whole = false;

	*r = (struct recipe){};
	if (text)
		hash_of(text, length, r->hash);
	for (; good && !whole && (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		whole = strcmp(line, "end") == 0;
		good = whole || read_line(r, entry, line);
	}
	free(path);
	free(text);
	if (good && whole)
		return true;
	recipe_free(r);
	return false;
}

char *recipe_file(const struct recipe *r, const char *entry, const char *name, size_t *length)
{
	for (size_t i = 0; i < r->nfiles; i++) {
		char hash[CACHE_KEY_LENGTH + 1], *path, *bytes;

		if (strcmp(r->files[i].name, name) != 0)
			continue;
		path = mem_printf("%s/%s", entry, name);
		bytes = text_of_file(path, length);
		free(path);
		if (bytes)
			hash_of(bytes, *length, hash);
		if (bytes && strcmp(hash, r->files[i].hash) == 0)
			return bytes;
		free(bytes);
		return NULL;
	}
	return NULL;
}

bool recipe_has_symbol(const struct recipe *r, const char *name)
{
	for (size_t i = 0; i < r->nsymbols; i++)
		if (strcmp(r->symbols[i], name) == 0)
			return true;
	return false;
}
