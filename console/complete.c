// SPDX-License-Identifier: GPL-2.0
/*
 * complete.c: what a word of a command line may become. Options and verbs come from the tables of options.c, scripts from
 * library.c, their words and parameters from compiler/suggest.c, points from compiler/list.c.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "compiler/list.h"
#include "compiler/suggest.h"
#include "console/complete.h"
#include "console/library.h"
#include "console/load.h"
#include "console/options.h"
#include "console/read.h"
#include "console/say.h"

/* The command line, as far as it decides what the word may be. */
struct line {
	char **words;
	int n, index;
	const char *typed;		/* the word */
	bool have_verb, listing;	/* -l, -L */
	enum verb verb;
	const struct option_spec *value_of;	/* the word is a value of this option */
	int command;			/* behind --; 0: none */
	const char *scripts[64];	/* named, or by -e */
	bool is_text[64];
	size_t nscripts;
	struct target target;
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* @before: what of the word stays as it is. */
static void give(const char *before, size_t length, const char *word, const char *what)
{
	if (strpbrk(word, "\t\n") || memchr(before, '\n', length) || memchr(before, '\t', length))
		return;	/* could not be told apart from the next line */
	printf("%.*s%s\t%.*s\n", (int)length, before, word, (int)strcspn(what, "\t\n"), what);
}

/* @word, if it is what the typed text may become, of which the first @length bytes stay. */
static void offer(const struct line *l, size_t length, const char *word, const char *what)
{
	if (begins(word, l->typed + length))
		give(l->typed, length, word, what);
}

/* ---- what is on the line ---- */

static const struct option_spec *by_letter(char c)
{
	const struct option_spec *s;
	size_t i;

	for (i = 0; (s = options_spec(i)); i++)
		if (s->id == c && s->id < 256)
			return s;
	return NULL;
}

static const struct option_spec *by_name(const char *name, size_t length)
{
	const struct option_spec *s;
	size_t i;

	for (i = 0; (s = options_spec(i)); i++)
		if (strlen(s->name) == length && !strncmp(s->name, name, length))
			return s;
	return NULL;
}

/* A guest's kernel, where it was fetched before. */
static void take_guest(struct line *l, const char *kernel)
{
	static char path[PATH_MAX];
	const char *cache = getenv("KMETER_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *slash;
	char *link = cache ? say_text("%s/kernel/%s", cache, kernel) :
		     xdg ? say_text("%s/kmeter/kernel/%s", xdg, kernel) :
		     say_text("%s/.cache/kmeter/kernel/%s", home ? home : "", kernel);

	if (*kernel && !strchr(kernel, '/') && realpath(link, path)) {
		slash = strrchr(path, '/');
		l->target = (struct target){ .sysroot = path, .release = slash + 1 };
	}
	free(link);
}

static void add_script(struct line *l, const char *script, bool is_text)
{
	if (l->nscripts == sizeof(l->scripts) / sizeof(*l->scripts))
		return;
	l->scripts[l->nscripts] = script;
	l->is_text[l->nscripts++] = is_text;
}

static void take_value(struct line *l, const struct option_spec *s, const char *value)
{
	if (s->value == OPTION_SCRIPT)
		add_script(l, value, true);
	else if (s->value == OPTION_POINTS)
		l->listing = true;
	else if (s->value == OPTION_RELEASE)
		l->target.release = value;
	else if (s->value == OPTION_FOLDER)
		l->target.sysroot = value;
	else if (s->value == OPTION_KERNEL)
		take_guest(l, value);
}

/* The option that the value of which the next word is; NULL: none. */
static const struct option_spec *take_option(struct line *l, const char *word)
{
	const struct option_spec *s;
	const char *sign;
	size_t i;

	if (word[1] == '-') {
		sign = strchr(word, '=');
		s = by_name(word + 2, sign ? (size_t)(sign - word - 2) : strlen(word + 2));
		if (s && sign)
			take_value(l, s, sign + 1);
		return s && !sign && s->argument && *s->argument != '[' ? s : NULL;
	}
	for (i = 1; word[i]; i++) {
		s = by_letter(word[i]);
		if (!s || !s->argument)
			continue;
		if (!word[i + 1])
			return s;
		take_value(l, s, word + i + 1);
		break;
	}
	return NULL;
}

static void take_operand(struct line *l, const char *word)
{
	int i;

	if (l->have_verb) {
		if (options_takes_scripts(l->verb) && !strchr(word, '='))
			add_script(l, word, false);
		return;
	}
	for (i = 0; i < VERBS; i++) {
		if (!options_verb(i)->help || strcmp(options_verb(i)->name, word))
			continue;
		l->have_verb = true;
		l->verb = i;
	}
}

static void read_line(struct line *l)
{
	const struct option_spec *s = NULL;
	int i;

	l->typed = l->index < l->n ? l->words[l->index] : "";
	for (i = 1; i < l->n; i++) {
		const char *word = l->words[i];

		if (i == l->index) {
			l->value_of = s;
			s = NULL;
		} else if (s) {
			take_value(l, s, word);
			s = NULL;
		} else if (!strcmp(word, "--")) {
			if (i < l->index)
				l->command = i + 1;
			return;
		} else if (word[0] == '-' && word[1]) {
			s = take_option(l, word);
		} else {
			take_operand(l, word);
		}
	}
	if (l->index >= l->n)
		l->value_of = s;
}

/* ---- points ---- */

/* What of the points that match @pattern begins with what is typed; @bare: without the system of a tracepoint. */
static void list(const struct line *l, size_t from, const char *pattern, bool systems, bool bare)
{
	const struct compile_options options = { .target = l->target, .quiet = true };
	const char *typed = l->typed + from;
	char *text = NULL, *name, *rest, *colon, last[256] = "";
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	list_names(pattern, &options, f);
	fclose(f);
	for (name = strtok_r(text, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest)) {
		bool event = begins(name, "tp:"), call = begins(name, "syscall:");

		colon = event ? strchr(name + 3, ':') : NULL;
		if ((event && !begins(typed, "tp:")) || (call && !begins(typed, "syscall:")))
			continue;
		if (systems) {
			if (!colon || (size_t)(colon - name) + 2 > sizeof(last))
				continue;
			colon[1] = 0;
			if (!strcmp(last, name))
				continue;
			strcpy(last, name);
			offer(l, from, name, "tracepoints");
			continue;
		}
		if (bare) {
			if (!colon)
				continue;
			memmove(name + 3, colon + 1, strlen(colon));
		}
		offer(l, from, name, event ? "tracepoint" : call ? "system call" : "function");
	}
	free(text);
}

/* Points in place of what follows the first @from bytes of the word. @script: as in a script, not as -l takes them. */
static void offer_points(const struct line *l, size_t from, bool script)
{
	const char *typed = l->typed + from, *colon = strrchr(typed, ':');
	char *pattern;

	if (strpbrk(typed, "*?[]@/+ \\\""))	/* a pattern is what it is; of files and places there is no list */
		return;
	if (!colon) {
		offer(l, from, "tp:", "tracepoints");
		offer(l, from, "syscall:", "system calls");
		offer(l, from, "inline:", "where a function was inlined");
		offer(l, from, "watch:", "a variable");
	}
	if (!*typed || begins(typed, "inline:") || begins(typed, "watch:"))
		return;
	pattern = say_text("%s*", typed);
	if (!begins(typed, "tp:")) {
		list(l, from, pattern, false, false);
	} else if (strchr(typed + 3, ':')) {
		list(l, from, pattern, false, false);
	} else {
		char *systems = say_text("%s:*", pattern);

		list(l, from, systems, true, false);
		if (typed[3])
			list(l, from, pattern, false, true);
		free(systems);
	}
	free(pattern);
	if (script && colon && colon != typed && begins("return", colon + 1) && !begins(typed, "tp:") && strcmp(typed, "syscall:"))
		offer(l, colon + 1 - l->typed, "return", "where it returns");
}

/* ---- scripts ---- */

struct script_word {
	const struct line *l;
	size_t from;		/* where the script begins in the word */
};

static void offer_word(void *arg, size_t from, const char *word, const char *what)
{
	const struct script_word *s = arg;

	give(s->l->typed, s->from + from, word, what);
}

/* The last word of a script that begins @from bytes into the word. */
static void offer_script_words(const struct line *l, size_t from)
{
	struct script_word s = { l, from };
	bool points;
	size_t at = suggest_words(l->typed + from, &points, offer_word, &s);

	if (points)
		offer_points(l, from + at, true);
}

/* ---- values of options ---- */

static void offer_folder(const struct line *l, size_t from, const char *path, bool kernels)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !(kernels && begins(entry->d_name, "default-")))
			offer(l, from, entry->d_name, kernels ? "fetched already" : "");
	if (dir)
		closedir(dir);
}

static void offer_kernels(const struct line *l, size_t from)
{
	const char *cache = getenv("KMETER_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *path = cache ? say_text("%s/kernel", cache) : xdg ? say_text("%s/kmeter/kernel", xdg) :
		     say_text("%s/.cache/kmeter/kernel", home ? home : "");

	offer_folder(l, from, path, true);
	free(path);
}

static void offer_releases(const struct line *l, size_t from)
{
	char *path = say_text("%s/lib/modules", l->target.sysroot ? l->target.sysroot : "");

	offer_folder(l, from, path, false);
	free(path);
}

/* The value of @s that begins @from bytes into the word. */
static void offer_value(const struct line *l, const struct option_spec *s, size_t from)
{
	const char *const *words = s->value == OPTION_FORMAT ? render_names() : s->words;
	size_t i;

	for (i = 0; words && words[i]; i++)
		offer(l, from, words[i], "");
	if (s->value == OPTION_SCRIPT)
		offer_script_words(l, from);
	else if (s->value == OPTION_POINTS)
		offer_points(l, from, false);
	else if (s->value == OPTION_RELEASE)
		offer_releases(l, from);
	else if (s->value == OPTION_KERNEL)
		offer_kernels(l, from);
	else if (s->value == OPTION_FILE)
		printf("\tfiles %zu\n", from);
	else if (s->value == OPTION_FOLDER)
		printf("\tfolders %zu\n", from);
}

/* ---- options ---- */

static bool fits(const struct line *l, const struct option_spec *s)
{
	if (s->value == OPTION_RESERVED)
		return false;
	if (l->listing)
		return s->verbs & 1u << VERB_POINTS;
	if (l->have_verb)
		return s->verbs & 1u << l->verb;
	return s->verbs & (1u << VERB_RUN | 1u << VERB_POINTS);
}

/* Of -X and --LONG the one that is being typed; a short one where there are both and neither is. */
static void offer_options(const struct line *l)
{
	const struct option_spec *s;
	size_t i;

	for (i = 0; (s = options_spec(i)); i++) {
		const char *what = s->help ? s->help : "";
		char *word;

		if (!fits(l, s))
			continue;
		if (s->id < 256 && l->typed[1] != '-') {
			word = say_text("-%c", s->id);
			offer(l, 0, word, what);
			free(word);
			continue;
		}
		word = say_text("--%s", s->name);
		if (!s->argument || *s->argument == '[' || s->value == OPTION_FILE || s->value == OPTION_FOLDER)
			offer(l, 0, word, what);
		free(word);
		word = say_text("--%s=", s->name);
		if (s->argument && s->value != OPTION_FILE && s->value != OPTION_FOLDER)
			offer(l, 0, word, what);
		free(word);
	}
	if (!strcmp(l->typed, "--") && (!l->have_verb || l->verb == VERB_RUN))
		give("", 0, "--", "a command follows");
}

/* The word begins with "-": an option, or one with its value. */
static void offer_dashed(const struct line *l)
{
	const char *sign = strchr(l->typed, '=');
	const struct option_spec *s;
	size_t i;

	if (l->typed[1] == '-' && sign) {
		s = by_name(l->typed + 2, sign - l->typed - 2);
		if (s && s->argument)
			offer_value(l, s, sign + 1 - l->typed);
		return;
	}
	for (i = 1; l->typed[1] != '-' && l->typed[i]; i++) {
		s = by_letter(l->typed[i]);
		if (!s || (s->argument && l->typed[i + 1])) {
			if (s)
				offer_value(l, s, i + 1);
			return;
		}
	}
	if (i > 2 && l->typed[1] != '-')	/* -qv is what it is */
		give("", 0, l->typed, "");
	else
		offer_options(l);
}

/* ---- operands ---- */

static void offer_verbs(const struct line *l)
{
	int i;

	for (i = 0; i < VERBS; i++)
		if (options_verb(i)->help)
			offer(l, 0, options_verb(i)->name, options_verb(i)->help);
}

static void offer_name(void *arg, const char *name, const char *what)
{
	offer(arg, 0, name, what);
}

/* A folder of the library, as a pattern ("profile/" and a star), once. */
static void offer_pattern(void *arg, const char *name, const char *what)
{
	static char last[128];
	const char *slash = strchr(name, '/');
	char *pattern = say_text("%.*s/*", (int)(slash ? slash - name : 0), name);

	if (slash && strcmp(last, pattern)) {
		snprintf(last, sizeof(last), "%s", pattern);
		offer(arg, 0, pattern, "all of these");
	}
	free(pattern);
	offer(arg, 0, name, what);
}

static void offer_param(void *arg, const char *name, const char *what, bool is_text)
{
	const struct line *l = arg;
	size_t length = strlen(name);
	char *word = say_text("%s=", name);

	offer(l, 0, word, what);
	/* What a text is for only its script knows; by the names that scripts give these, points. */
	if (is_text && begins(l->typed, word) && (strstr(name, "function") || strstr(name, "point") || strstr(name, "event")))
		offer_points(l, length + 1, false);
	free(word);
}

/* A script's text; NULL: none can be had. */
static char *script_text(const struct line *l, size_t i)
{
	const char *name = l->scripts[i];
	size_t length = strlen(name), most = 1 << 20;
	char *path, *text;
	FILE *f;

	if (l->is_text[i])
		return say_strdup(name);
	path = length > 3 && !strcmp(name + length - 3, ".km") ? say_strdup(name) : library_find(name);
	f = path ? fopen(path, "re") : NULL;
	free(path);
	if (!f)
		return NULL;
	text = say_calloc(most + 1, 1);
	text[fread(text, 1, most, f)] = 0;
	fclose(f);
	return text;
}

static void offer_scripts(struct line *l)
{
	size_t i;

	for (i = 0; i < l->nscripts; i++) {
		char *text = script_text(l, i);

		if (text)
			suggest_params(text, offer_param, l);
		free(text);
	}
	if (l->nscripts || strchr(l->typed, '='))
		return;
	library_each(offer_name, l);
	printf("\tfiles 0 km%s\n", l->verb == VERB_RUN || l->verb == VERB_LOAD ? " ko" : "");
}

static void offer_measurements(const struct line *l)
{
	char **names = read_names(), **modules = load_names();
	size_t i;

	for (i = 0; names && names[i]; i++)
		offer(l, 0, names[i], "measurement");
	for (i = 0; modules && modules[i]; i++)
		offer(l, 0, modules[i], "all of a module");
	if (l->verb != VERB_SHOW && l->verb != VERB_SERVE)
		offer(l, 0, "--all", "all of them");
	if (names)
		read_free_names(names);
	if (modules)
		load_free_names(modules);
}

static void offer_operand(struct line *l)
{
	if (!l->have_verb && !l->listing && !l->nscripts) {
		offer_verbs(l);
		return;
	}
	if (!l->have_verb || l->listing)
		return;
	switch (l->verb) {
	case VERB_RUN:
	case VERB_CHECK:
	case VERB_BUILD:
	case VERB_LOAD:
		offer_scripts(l);
		break;
	case VERB_SHOW:
	case VERB_SERVE:
		puts("\tfiles 0 json ndjson");
		/* fall through */
	case VERB_START:
	case VERB_STOP:
	case VERB_RESET:
	case VERB_UNLOAD:
		offer_measurements(l);
		break;
	case VERB_MERGE:
	case VERB_DIFF:
		puts("\tfiles 0 json ndjson");
		break;
	case VERB_LIBRARY:
		library_each(offer_pattern, l);
		break;
	case VERB_PAGE:
		library_each(offer_name, l);
		break;
	case VERB_FLOOR:
		puts("\tfiles 0 ko");
		break;
	default:
		break;
	}
}

/* Whatever goes wrong is no business of somebody who presses a key. */
static void be_silent(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDERR_FILENO);
	else
		close(STDERR_FILENO);
}

int complete(int argc, char **argv)
{
	struct line l = { .words = argv + 1, .n = argc - 1 };
	char *end;
	long index = strtol(argv[0], &end, 10);

	be_silent();
	if (*end || end == argv[0] || index < 1 || index > argc - 1)
		return KM_USAGE;
	l.index = index;
	read_line(&l);
	if (l.command)
		printf("\tcommand %d\n", l.command);
	else if (l.value_of)
		offer_value(&l, l.value_of, 0);
	else if (l.typed[0] == '-')
		offer_dashed(&l);
	else
		offer_operand(&l);
	return KM_OK;
}
