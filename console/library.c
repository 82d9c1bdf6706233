// SPDX-License-Identifier: GPL-2.0
/*
 * library.c: scripts by name. A script's page is the comment that it begins with, whose first sentence says what it is for; its
 * parameters stand each on a line of its own.
 */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/beside.h"
#include "compiler/compile.h"
#include "console/library.h"
#include "console/say.h"

enum { SCRIPTS_MOST = 1000 };

static char *folder(void)
{
	const char *given = getenv("KMETER_LIBRARY");
	char *path = given ? say_strdup(given) : beside_find("examples"), *own = beside_program();

	if (!path || access(path, R_OK)) {
		say_error("the scripts that come with kmeter are not %s %s: make install puts them in PREFIX/share/kmeter/examples (of packages: "
			  "kmeter-library)",
			  given ? "in" : "beside", given ? given : own);
		free(path);
		path = NULL;
	}
	free(own);
	return path;
}

/* ---- all names ---- */

struct names {
	char *name[SCRIPTS_MOST + 1];	/* NULL at the end */
	size_t n;
};

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_folder(struct names *all, const char *root, const char *sub)
{
	char *path = say_text("%s/%s", root, sub);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *dot = strrchr(entry->d_name, '.');

		if (entry->d_name[0] == '.')
			continue;
		if (!*sub && !dot)
			add_folder(all, root, entry->d_name);
		else if (*sub && dot && !strcmp(dot, ".km") && all->n < SCRIPTS_MOST)
			all->name[all->n++] = say_text("%s/%.*s", sub, (int)(dot - entry->d_name), entry->d_name);
	}
	if (dir)
		closedir(dir);
	free(path);
}

static void find_all(struct names *all, const char *root)
{
	add_folder(all, root, "");
	qsort(all->name, all->n, sizeof(*all->name), compare);
}

static void free_all(struct names *all)
{
	while (all->n)
		free(all->name[--all->n]);
}

/* ---- one of them ---- */

/* As file names are: nothing leads out of the folder. */
static bool is_name(const char *name)
{
	return *name && *name != '/' && *name != '.' && !strstr(name, "/.") &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == strlen(name);
}

static void say_unknown(const char *root, const char *name)
{
	struct names all = { 0 };
	const char *near;

	find_all(&all, root);
	near = say_nearest(name, (const char *const *)all.name);
	if (near)
		say_error("there is no script %s; did you mean %s?", name, near);
	else
		say_error("there is no script %s: kmeter library lists them; of a file of your own the name ends in .km", name);
	free_all(&all);
}

char *library_find(const char *name)
{
	char *root = folder(), *path = root ? say_text("%s/%s.km", root, is_name(name) ? name : "") : NULL;

	if (root && (!is_name(name) || access(path, R_OK))) {
		say_unknown(root, name);
		free(path);
		path = NULL;
	}
	free(root);
	return path;
}

/* Its lines, in turn: "# TEXT" and "param NAME = VALUE \"DOC\"". */
static FILE *open_script(const char *root, const char *name)
{
	char *path = say_text("%s/%s.km", root, name);
	FILE *f = fopen(path, "re");

	if (!f)
		say_error("%s: %s", path, strerror(errno));
	free(path);
	return f;
}

/* What stands behind the sign of a comment; NULL: it is none. */
static const char *comment(const char *line)
{
	if (*line != '#')
		return NULL;
	return line + 1 + (line[1] == ' ');
}

/* The lines that a list shows of a script. */
static void list_params(FILE *f, int indent, FILE *out)
{
	char *line = NULL, *doc;
	size_t size = 0;

	while (getline(&line, &size, f) > 0) {
		if (strncmp(line, "param ", 6))
			continue;
		doc = strrchr(line, '"');
		if (doc)
			*doc = 0;
		doc = strrchr(line, '"');
		if (doc)
			*doc++ = 0;
		fprintf(out, "%*s  %s %s\n", indent, "", line + 6, doc ? doc : "");
	}
	free(line);
}

/* Does the kernel take it? */
static bool list_one(const char *root, const char *name, int width, library_judge *judge, void *kernel, FILE *out)
{
	FILE *f = open_script(root, name);
	char *path = say_text("%s/%s.km", root, name), *why = judge ? judge(kernel, path) : NULL, *line = NULL;
	size_t size = 0;

	if (f && getline(&line, &size, f) > 0 && comment(line)) {
		line[strcspn(line, "\n")] = 0;
		fprintf(out, "%-*s  %s%s\n", width, name, !judge ? "" : why ? "no    " : "runs  ", comment(line));
		width += judge ? 8 : 2;	/* where what it is for begins */
		if (why)
			fprintf(out, "%*snot on this kernel: %s\n", width, "", why);
		list_params(f, width, out);
	}
	if (f)
		fclose(f);
	free(line);
	free(why);
	free(path);
	return !why;
}

/* Is @word in what the page of the script says, with no letter or digit beside it? */
static bool page_has(const char *root, const char *name, const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	FILE *f = open_script(root, name);
	char *line = NULL;
	size_t size = 0, length = strlen(word);
	bool found = false;

	while (f && !found && getline(&line, &size, f) > 0 && comment(line)) {
		const char *at = line;

		if (line[1] == '\t')	/* an example of its output */
			continue;
		while (!found && (at = strcasestr(at + 1, word)))
			found = !strchr(letters, at[-1]) && (!at[length] || !strchr(letters, at[length]));
	}
	if (f)
		fclose(f);
	free(line);
	return found;
}

static bool matches(const char *root, const char *name, char *const *patterns, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!fnmatch(patterns[i], name, 0) || (!strpbrk(patterns[i], "*?[/") && page_has(root, name, patterns[i])))
			return true;
	return !n;
}

int library_list(char *const *patterns, size_t n, library_judge *judge, void *kernel, FILE *out)
{
	struct names all = { 0 };
	char *root = folder();
	size_t i, shown = 0, run = 0;
	int width = 0;

	if (!root)
		return KM_USAGE;
	find_all(&all, root);
	for (i = 0; i < all.n; i++) {
		if (!matches(root, all.name[i], patterns, n)) {
			free(all.name[i]);
			all.name[i] = NULL;
		} else if ((int)strlen(all.name[i]) > width) {
			width = strlen(all.name[i]);
		}
	}
	for (i = 0; i < all.n; i++) {
		if (!all.name[i])
			continue;
		run += list_one(root, all.name[i], width, judge, kernel, out);
		shown++;
	}
	if (!shown)
		say_error("no script matches %s: kmeter library lists them all", n ? patterns[0] : "anything");
	else if (judge)
		say_note("%zu of %zu run on this kernel", run, shown);
	free_all(&all);
	free(root);
	return shown ? KM_OK : KM_USAGE;
}

int library_help(char *const *names, size_t n, FILE *out)
{
	char *root = folder();
	int status = root ? KM_OK : KM_USAGE;
	size_t i;

	for (i = 0; root && i < n; i++) {
		char *path = library_find(names[i]), *line = NULL;
		FILE *f = path ? open_script(root, names[i]) : NULL;
		size_t size = 0;

		if (!f)
			status = KM_USAGE;
		if (f && i)
			fputc('\n', out);
		while (f && getline(&line, &size, f) > 0 && comment(line))
			fputs(comment(line), out);
		free(line);
		free(path);
		if (f)
			fclose(f);
	}
	free(root);
	return status;
}

void library_each(void (*fn)(void *arg, const char *name, const char *what), void *arg)
{
	struct names all = { 0 };
	char *root = folder(), *line = NULL;
	size_t size = 0, i;

	if (root)
		find_all(&all, root);
	for (i = 0; i < all.n; i++) {
		FILE *f = open_script(root, all.name[i]);
		bool told = f && getline(&line, &size, f) > 0 && comment(line);

		if (told)
			line[strcspn(line, "\n")] = 0;
		fn(arg, all.name[i], told ? comment(line) : "");
		if (f)
			fclose(f);
	}
	free(line);
	free_all(&all);
	free(root);
}
