/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recipe.h: how to make a script's module of this kernel without kbuild: recorded by template.c, followed by replay.c.
 *
 * It is the file `recipe` of the runtime's entry in the cache, lines of
 *
 *	refused REASON			nothing else then: only kbuild will do
 *	file NAME SIZE HASH		a prepared file beside the recipe
 *	tool SIZE SECONDS NANOSECONDS PATH	a program, or a file of the kernel's that one reads, as it was when recorded
 *	symbol NAME			a module made so may want this of others: the kernel checks its version
 *	run				a command; its words follow, one a line:
 *	arg WORD
 *	end				nothing is missing
 *
 * In words @DIR@ is the folder to build in, @ENTRY@ the recipe's own, @NAME@ the module. Commands run in the folder of the
 * kernel's headers.
 */
#ifndef KM_RECIPE_H
#define KM_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "cache.h"
#include "text.h"

/* The template's name, which every module's takes the place of: as long as theirs. */
#define RECIPE_NAME	"km_000000000000"

struct recipe_file {
	char *name;
	unsigned long long size;
	char hash[CACHE_KEY_LENGTH + 1];
};

struct recipe_tool {
	char *path;
	long long size, seconds, nanoseconds;
};

struct recipe_command {
	char **words;
	size_t count;
};

struct recipe {
	char *refused;		/* why, or NULL */
	struct recipe_file *files;
	size_t nfiles;
	struct recipe_tool *tools;
	size_t ntools;
	char **symbols;
	size_t nsymbols;
	struct recipe_command *commands;
	size_t ncommands;
	char hash[CACHE_KEY_LENGTH + 1];	/* of the recipe as it was read */
};

void recipe_free(struct recipe *r);

/* While recording. recipe_add_file() hashes @dir/@name; false where that cannot be read, or a tool is not there. */
bool recipe_add_file(struct recipe *r, const char *dir, const char *name);
bool recipe_add_tool(struct recipe *r, const char *path);
void recipe_add_symbol(struct recipe *r, const char *name);
struct recipe_command *recipe_add_command(struct recipe *r);
void recipe_add_word(struct recipe_command *c, char *word);	/* takes it */

/* As text. */
char *recipe_text(const struct recipe *r);

/*
 * Read the recipe of folder @entry. False where it is not whole, a tool is not what it was, or a prepared file has not
 * its size: then the entry is worth nothing.
 */
bool recipe_read(struct recipe *r, const char *entry);

/* A prepared file, hash checked; malloc'ed, NULL where it is not what was prepared. */
char *recipe_file(const struct recipe *r, const char *entry, const char *name, size_t *length);

bool recipe_has_symbol(const struct recipe *r, const char *name);

#endif /* KM_RECIPE_H */
