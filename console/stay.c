// SPDX-License-Identifier: GPL-2.0
/*
 * stay.c: look after measurements that no process holds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console/load.h"
#include "console/read.h"
#include "console/refuse.h"
#include "console/say.h"
#include "console/stay.h"
#include "console/units.h"

void stay_free(struct snapshot **all, size_t n)
{
	while (n)
		snapshot_free(all[--n]);
	free(all);
}

static void no_match(const char *name, struct snapshot *const *all, size_t n)
{
	const char **names = say_calloc(n + 1, sizeof(*names)), *near;
	size_t i;

	for (i = 0; i < n; i++)
		names[i] = all[i]->head.name;
	near = say_nearest(name, names);
	if (!n)
		say_error("nothing is being measured, so not %s either", name);
	else if (near)
		say_error("no measurement is called %s; did you mean %s?", name, near);
	else
		say_error("no measurement is called %s (kmeter list shows them)", name);
	free(names);
}

/* Does any of the names mean this one? */
static bool meant(const struct options *o, const struct snapshot *s)
{
	size_t i;

	for (i = 0; i < o->nnames; i++)
		if (snapshot_matches(s, o->names[i]))
			return true;
	return !o->nnames;
}

int stay_find(const struct options *o, struct snapshot ***found, size_t *n)
{
	struct snapshot **all;
	size_t i, j, kept = 0;

	*found = NULL;
	if (!refuse_unless_ready(false))
		return KM_KERNEL;
	all = read_all(n);
	for (i = 0; i < o->nnames; i++) {
		for (j = 0; j < *n; j++)
			if (snapshot_matches(all[j], o->names[i]))
				break;
		if (j == *n) {
			no_match(o->names[i], all, *n);
			stay_free(all, *n);
			return KM_USAGE;
		}
	}
	for (j = 0; j < *n; j++) {
		if (meant(o, all[j]))
			all[kept++] = all[j];
		else
			snapshot_free(all[j]);
	}
	*n = kept;
	*found = all;
	if (!kept)
		say_note("nothing is being measured%s", load_runtime_loaded() ? " (kstats is loaded)" : "");
	return KM_OK;
}

/* ---- list ---- */

/* Was it made by a command to _control? Its text has a line "trace NAME …" for each. */
static bool by_control(const char *name)
{
	FILE *f = fopen(READ_DEBUGFS "/_control", "re");
	char *line = NULL, *word, *rest;
	size_t size = 0;
	bool found = false;

	while (f && !found && getline(&line, &size, f) > 0) {
		word = strtok_r(line, " \t\n", &rest);
		found = word && !strcmp(word, "trace") && (word = strtok_r(NULL, " \t\n", &rest)) && !strcmp(word, name);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

static char *owner(const struct snapshot *s)
{
	char *module = snapshot_value(s, "module"), *text;
	pid_t pid;

	if (!module)
		return say_strdup(by_control(s->head.name) ? "_control" : "its own module");
	switch (load_owner(module, &pid)) {
	case LOAD_HELD:
		text = pid ? say_text("kmeter %d", pid) : say_strdup("a kmeter");
		break;
	case LOAD_LEFT_BEHIND:
		text = say_strdup("left behind");
		break;
	default:
		text = say_strdup("stays");
	}
	free(module);
	return text;
}

enum { NAME, STATE, SAMPLES, OWNER, COLUMNS };

int stay_list(const struct options *o)
{
	static const char *const label[COLUMNS] = { "NAME", "STATE", "SAMPLES", "HELD BY" };
	int width[COLUMNS], i;
	struct snapshot_total t;
	struct snapshot **all;
	char *(*cell)[COLUMNS], *statement;
	size_t n, j;
	int status;

	status = stay_find(o, &all, &n);
	if (status != KM_OK)
		return status;
	cell = say_calloc(n, sizeof(*cell));
	for (i = 0; i < COLUMNS; i++)
		width[i] = units_columns(label[i]);
	for (j = 0; j < n; j++) {
		snapshot_total(all[j], NULL, -1, &t);
		cell[j][NAME] = say_strdup(all[j]->head.name);
		cell[j][STATE] = say_strdup(all[j]->head.state == KSTATS_ARMED ? "armed" : "stopped");
		cell[j][SAMPLES] = units_count(say_calloc(UNITS_TEXT, 1), t.n);
		cell[j][OWNER] = owner(all[j]);
		snapshot_total_free(&t);
		for (i = 0; i < COLUMNS; i++)
			if (units_columns(cell[j][i]) > width[i])
				width[i] = units_columns(cell[j][i]);
	}
	if (n)
		printf("%-*s  %-*s  %*s  %-*s  STATEMENT\n", width[NAME], label[NAME], width[STATE], label[STATE],
		       width[SAMPLES], label[SAMPLES], width[OWNER], label[OWNER]);
	for (j = 0; j < n; j++) {
		statement = snapshot_value(all[j], "statement");
		printf("%-*s  %-*s  %*s  %-*s  %s\n", width[NAME], cell[j][NAME], width[STATE], cell[j][STATE],
		       width[SAMPLES], cell[j][SAMPLES], width[OWNER], cell[j][OWNER], statement ? statement : "");
		free(statement);
		for (i = 0; i < COLUMNS; i++)
			free(cell[j][i]);
	}
	free(cell);
	stay_free(all, n);
	return KM_OK;
}

/* ---- start, stop, reset ---- */

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (!done)
		say_error("%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return done;
}

bool stay_command(const char *name, const char *command)
{
	char *path = say_text("%s/%s", READ_DEBUGFS, name);
	bool done = write_file(path, command);

	free(path);
	return done;
}

int stay_write(const struct options *o, const char *command)
{
	struct snapshot **all;
	size_t n, i;
	int status = stay_find(o, &all, &n);

	if (status != KM_OK)
		return status;
	for (i = 0; i < n; i++)
		if (!stay_command(all[i]->head.name, command))
			status = KM_KERNEL;
	stay_free(all, n);
	return status;
}

/* ---- unload ---- */

/* One module with all of its measurements; a running kmeter's is left to it. */
static int unload_module(const char *module, const struct options *o)
{
	pid_t pid;

	if (load_owner(module, &pid) == LOAD_HELD) {
		if (o->all) {
			say_note("%s is being measured by kmeter, process %d: left to it", module, pid);
			return KM_OK;
		}
		say_error("%s is being measured by kmeter, process %d", module, pid);
		say_hint("kill -INT %d ends it with a report", pid);
		return KM_KERNEL;
	}
	if (!load_remove(module))
		return KM_KERNEL;
	say_detail("%s unloaded", module);
	return KM_OK;
}

/* A measurement that no script made. */
static int unload_own(const struct snapshot *s, const struct options *o)
{
	char *command;
	int status;

	if (by_control(s->head.name)) {
		command = say_text("remove %s\n", s->head.name);
		status = write_file(READ_DEBUGFS "/_control", command) ? KM_OK : KM_KERNEL;
		free(command);
		return status;
	}
	if (o->all) {
		say_note("%s belongs to a module that records by itself: rmmod that to end it", s->head.name);
		return KM_OK;
	}
	say_error("%s belongs to a module that records by itself: rmmod that to end it", s->head.name);
	return KM_KERNEL;
}

bool stay_make_way(const char *module, const char *path)
{
	char *whole, *origin, **modules;
	pid_t pid;
	size_t i;

	if (load_present(module) && load_owner(module, &pid) == LOAD_STAYS) {
		say_note("%s is being measured already", path ? path : module);
		return false;
	}
	whole = path ? load_whole_path(path) : NULL;
	modules = load_names();
	for (i = 0; whole && modules[i]; i++) {
		origin = load_origin(modules[i]);
		if (origin && !strcmp(origin, whole)) {
			say_note("%s has changed since it was loaded: what was measured ends", path);
			load_remove(modules[i]);
		}
		free(origin);
	}
	load_free_names(modules);
	free(whole);
	return true;
}

/* Was the module made from the file @path, or one in the folder @path? */
static bool made_from(const char *module, const char *path)
{
	char *origin = load_origin(module);
	size_t n = strlen(path);
	bool made = origin && !strncmp(origin, path, n) && (!origin[n] || origin[n] == '/');

	free(origin);
	return made;
}

/* All that was loaded from a file or folder of scripts, which may be gone by now. */
static int unload_from(const char *path, const struct options *o)
{
	char *whole = load_whole_path(path), **modules = load_names();
	int status = KM_OK, one;
	size_t i, n = 0;

	for (i = 0; modules[i]; i++) {
		if (!made_from(modules[i], whole))
			continue;
		n++;
		one = unload_module(modules[i], o);
		if (one != KM_OK)
			status = one;
	}
	if (!n) {
		say_error("nothing is being measured that was loaded from %s (kmeter list shows what is)", path);
		status = KM_USAGE;
	}
	load_free_names(modules);
	free(whole);
	return status;
}

static int unload_one(const struct snapshot *s, const struct options *o)
{
	char *module = snapshot_value(s, "module");
	int status = KM_OK;

	if (!module)
		status = unload_own(s, o);
	else if (!o->all && load_present(module))	/* else gone with another measurement of the same module */
		status = unload_module(module, o);
	free(module);
	return status;
}

int stay_unload(const struct options *o)
{
	struct snapshot **all = NULL;
	char **modules;
	size_t n = 0, i;
	int status = KM_OK, one;

	if (o->nnames || o->all)
		status = stay_find(o, &all, &n);
	else if (!refuse_unless_ready(false))
		status = KM_KERNEL;
	if (status != KM_OK)
		return status;
	for (i = 0; i < o->nsources; i++) {
		one = unload_from(o->sources[i].path, o);
		if (one != KM_OK)
			status = one;
	}
	for (i = 0; i < n; i++) {
		one = unload_one(all[i], o);
		if (one != KM_OK)
			status = one;
	}
	stay_free(all, n);
	if (o->all) {	/* whether or not their measurements can be read */
		modules = load_names();
		for (i = 0; modules[i]; i++) {
			one = unload_module(modules[i], o);
			if (one != KM_OK)
				status = one;
		}
		load_free_names(modules);
	}
	load_remove_runtime(o->all && status == KM_OK);
	return status;
}
