// SPDX-License-Identifier: GPL-2.0
/* each.c: the scripts of --each, in turn. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"
#include "console/each.h"
#include "console/say.h"

struct tally {
	const struct options *o;
	int (*one)(const struct options *o);
	int status;		/* the gravest */
	size_t scripts, failed;
	char *names;		/* of those that failed */
};

static void take(struct tally *t, struct option_source source)
{
	const char *name = source.path ? source.path : "-e";
	struct options alone = *t->o;
	int status;
	char *names;

	alone.sources = &source;
	alone.nsources = 1;
	status = t->one(&alone);
	t->scripts++;
	if (status == KM_OK)
		return;
	t->failed++;
	if (status > t->status)
		t->status = status;
	names = say_text("%s%s%s", t->names ? t->names : "", t->names ? ", " : "", name);
	free(t->names);
	t->names = names;
}

static int is_script(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot && !strcmp(dot, ".km");
}

static void take_folder(struct tally *t, const char *path)
{
	struct dirent **entry = NULL;
	int n = scandir(path, &entry, is_script, alphasort), i;
	char *file;

	if (n < 0) {
		say_error("%s: %s", path, strerror(errno));
		t->status = KM_USAGE > t->status ? KM_USAGE : t->status;
	} else if (!n) {
		say_note("%s: no file there ends in .km", path);
	}
	for (i = 0; i < n; i++) {
		file = say_text("%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", entry[i]->d_name);
		take(t, (struct option_source){ .path = file });
		free(file);
		free(entry[i]);
	}
	free(entry);
}

int each_script(const struct options *o, int (*one)(const struct options *o))
{
	struct tally t = { .o = o, .one = one };
	size_t i;

	for (i = 0; i < o->nsources; i++) {
		if (options_is_folder(o->sources[i].path))
			take_folder(&t, o->sources[i].path);
		else
			take(&t, o->sources[i]);
	}
	if (t.failed)
		say_error("%zu of %zu script%s could not be taken: %s", t.failed, t.scripts, t.scripts == 1 ? "" : "s", t.names);
	free(t.names);
	return t.status;
}
