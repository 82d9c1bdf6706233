/* SPDX-License-Identifier: GPL-2.0 */
/*
 * console_report.h: for unit tests of reports: from a hand-made snapshot to its text or JSON.
 */
#ifndef CONSOLE_REPORT_H
#define CONSOLE_REPORT_H

#include <jansson.h>

#include "console/read.h"
#include "console/render.h"
#include "console_snap.h"

__attribute__((unused))
static bool look;	/* print, for the eye */

static struct render_options options = { .top = 20, .utf8 = true, .width = 80 };

__attribute__((unused))
static struct snapshot *finish(struct snap *s)
{
	const char *why;
	size_t size;
	void *data = snap_write(s, &size);
	struct snapshot *parsed = read_parse(data, size, &why);

	if (!parsed)
		printf("# %s\n", why);
	free(data);
	snap_free(s);
	return parsed;
}

__attribute__((unused))
static char *render(const struct render *format, struct snapshot *s, unsigned int number)
{
	struct report r = { .snapshots = &s, .n = 1, .number = number, .seconds = 5, .release = "6.1" };
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	format->write(f, &r, &options);
	fclose(f);
	return text;
}

__attribute__((unused))
static void text_is(struct snap *snap, const char *name, const char *wanted)
{
	struct snapshot *s = finish(snap);
	char *got = render(&render_text, s, 0);

	if (look)
		printf("---- %s\n%s", name, got);
	else if (!ok(!strcmp(got, wanted), "%s", name))
		printf("# got:\n%s# wanted:\n%s", got, wanted);
	free(got);
	snapshot_free(s);
}

/* ---- JSON ---- */

__attribute__((unused))
static json_t *at(json_t *o, const char *path)
{
	char copy[128], *word, *rest;

	snprintf(copy, sizeof(copy), "%s", path);
	for (word = strtok_r(copy, "/", &rest); word && o; word = strtok_r(NULL, "/", &rest))
		o = json_is_array(o) ? json_array_get(o, atoi(word)) : json_object_get(o, word);
	return o;
}

__attribute__((unused))
static void is_integer(json_t *o, const char *path, long long wanted)
{
	json_t *v = at(o, path);

	if (!ok(json_is_integer(v) && json_integer_value(v) == wanted, "JSON: %s is %lld", path, wanted))
		printf("# got %s\n", v ? json_dumps(v, JSON_ENCODE_ANY) : "nothing");
}

__attribute__((unused))
static void is_string(json_t *o, const char *path, const char *wanted)
{
	json_t *v = at(o, path);

	ok(json_is_string(v) && !strcmp(json_string_value(v), wanted), "JSON: %s is \"%s\"", path, wanted);
}

__attribute__((unused))
static json_t *json_of(struct snap *snap, unsigned int number)
{
	struct snapshot *s = finish(snap);
	char *text = render(&render_json, s, number);
	json_error_t error;
	json_t *root = json_loads(text, 0, &error);

	if (look)
		printf("%s", text);
	ok(root && strchr(text, '\n') == text + strlen(text) - 1, "JSON: one line that parses");
	free(text);
	snapshot_free(s);
	return root;
}

#endif /* CONSOLE_REPORT_H */
