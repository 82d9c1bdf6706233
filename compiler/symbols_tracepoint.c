// SPDX-License-Identifier: GPL-2.0
/*
 * symbols_tracepoint.c: the tracepoints of the kernel and of its modules, and the systems that their events are of.
 *
 * A tracepoint NAME is a variable __tracepoint_NAME. Its system is a folder of tracefs on the running kernel; else it
 * stands in the data of the image or the module's file: event_NAME is a struct trace_event_call, { list_head; class * },
 * whose class begins with the name of the system.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols_private.h"

#define MARK	"__tracepoint_"
#define EXTENSION	"ext_"
#define CONTENTS	"__data_loc "
#define CLASS	16	/* where in a struct trace_event_call its class is */

static const char *const event_dirs[] = { "/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events", NULL };

/* In newer kernels a tracepoint with a function for its first user has a __tracepoint_ext_NAME beside. */
static bool is_extension(struct symbols *s, const char *name)
{
	char *symbol = strncmp(name, EXTENSION, strlen(EXTENSION)) == 0 ? mem_printf(MARK "%s", name + strlen(EXTENSION)) : NULL;
	bool beside = symbol && symbols_first(s, symbol) != NONE;

	free(symbol);
	return beside;
}

/* The name of a tracepoint that a symbol is, or NULL. */
static const char *name_in(struct symbols *s, const struct symbol *y)
{
	const char *name = y->name[0] == '_' && strncmp(y->name, MARK, strlen(MARK)) == 0 ? y->name + strlen(MARK) : NULL;

	return name && !symbols_is_function(y) && !is_extension(s, name) ? name : NULL;
}

/* ---- systems ---- */

static bool has_event(const char *dir, const char *system, const char *name)
{
	char *path = mem_printf("%s/%s/%s", dir, system, name);
	bool there = access(path, F_OK) == 0;

	free(path);
	return there;
}

/* A folder a system, in it a folder an event. @system is looked at first. */
static const char *system_from_tracefs(struct symbols *s, const char *system, const char *name)
{
	const char *answer = NULL;

	for (unsigned int i = 0; event_dirs[i] && !answer; i++) {
		DIR *dir;
		struct dirent *d;

		if (system && has_event(event_dirs[i], system, name))
			return system;
		dir = opendir(event_dirs[i]);
		while (dir && !answer && (d = readdir(dir)))
			if (d->d_name[0] != '.' && has_event(event_dirs[i], d->d_name, name))
				answer = symbols_keep(s, d->d_name);
		if (dir)
			closedir(dir);
	}
	return answer;
}

/* A text that a pointer at @address in the image points to; NULL: none of printable signs. */
static const char *text_at(const struct image *image, uint64_t address)
{
	const uint64_t *pointer = address ? image_at(image, address, sizeof(*pointer)) : NULL;
	const char *text = pointer ? image_string(image, *pointer) : NULL;

	for (const char *c = text; c && *c; c++)
		if (!isprint((unsigned char)*c))
			return NULL;
	return text && *text ? text : NULL;
}

static const char *system_from_image(struct symbols *s, const char *name)
{
	const struct image *image = symbols_image(s);
	char *symbol = mem_printf("event_%s", name);
	uint64_t address = symbols_link_address(s, symbol);
	const uint64_t *class = address ? image_at(image, address + CLASS, sizeof(*class)) : NULL;

	free(symbol);
	return class ? text_at(image, *class) : NULL;
}

static const char *system_from_index(struct symbols *s, const char *module, const char *name)
{
	const struct index *index = modules_index(s);
	struct index_tracepoint t;

	for (unsigned int i = index_search_tracepoint(index, name);
	     index_tracepoint(index, i, &t) && strcmp(t.name, name) == 0; i++)
		if (!module || strcmp(t.module, module) == 0)
			return t.system;
	return NULL;
}

static const char *system_of(struct symbols *s, const char *module, const char *system, const char *name)
{
	const char *answer = s->kernel->running ? system_from_tracefs(s, system, name) : NULL;

	if (answer)
		return answer;
	return module ? system_from_index(s, module, name) : system_from_image(s, name);
}

/* ---- one ---- */

void symbols_tracepoint(struct symbols *s, const char *system, const char *name, struct tracepoint *t)
{
	char *symbol = mem_printf(MARK "%s", name);
	unsigned int i = symbols_first(s, symbol);

	free(symbol);
	*t = (struct tracepoint){ .state = TRACEPOINT_ABSENT };
	while (i != NONE && symbols_is_function(&s->symbols[i]))
		i = symbols_next(s, i);
	if (i == NONE) {
		const struct index *index = modules_index(s);
		struct index_tracepoint x;

		if (!index_tracepoint(index, index_search_tracepoint(index, name), &x) || strcmp(x.name, name) != 0)
			return;
		t->module = x.module;
		t->system = x.system;
	} else {
		t->module = s->symbols[i].module;
		t->system = system ? system_of(s, t->module, system, name) : NULL;
	}
	t->state = TRACEPOINT_FOUND;
	if (!system)
		return;
	if (!t->system)
		t->state = TRACEPOINT_UNKNOWN_SYSTEM;
	else if (strcmp(t->system, system) != 0)
		t->state = TRACEPOINT_OTHER_SYSTEM;
}

/* ---- all ---- */

struct all {
	struct tracepoint_seen *seen;
	unsigned int count;
};

static void add(struct all *all, const char *name, const char *system, const char *module)
{
	all->seen = mem_more(all->seen, all->count, sizeof(*all->seen));
	all->seen[all->count++] = (struct tracepoint_seen){ name, system, module };
}

static int by_name(const void *a, const void *b)
{
	const struct tracepoint_seen *x = a, *y = b;

	return strcmp(x->name, y->name) ?: !x->system - !y->system ?: !!x->module - !!y->module;
}

static struct tracepoint_seen *known(struct all *all, const char *name)
{
	struct tracepoint_seen key = { .name = name };
	unsigned int from = 0, to = all->count;

	while (from < to) {
		unsigned int middle = from + (to - from) / 2;

		if (strcmp(all->seen[middle].name, key.name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from < all->count && strcmp(all->seen[from].name, name) == 0 ? &all->seen[from] : NULL;
}

/* All events of tracefs in one walk: the systems of the tracepoints in @all, which is in order of name. */
static void add_systems(struct symbols *s, struct all *all)
{
	DIR *events = NULL, *system;
	struct dirent *d, *e;
	const char *top = NULL;

	for (unsigned int i = 0; event_dirs[i] && !events; i++)
		events = opendir(top = event_dirs[i]);
	while (events && (d = readdir(events))) {
		char *path = mem_printf("%s/%s", top, d->d_name);
		const char *name = NULL;

		system = d->d_name[0] != '.' ? opendir(path) : NULL;
		while (system && (e = readdir(system))) {
			struct tracepoint_seen *seen = known(all, e->d_name);

			if (!seen || seen->system)
				continue;
			name = name ?: symbols_keep(s, d->d_name);
			seen->system = name;
		}
		if (system)
			closedir(system);
		free(path);
	}
	if (events)
		closedir(events);
}

void symbols_each_tracepoint(struct symbols *s, symbols_tracepoint_fn *fn, void *arg)
{
	const struct index *index = modules_index(s);
	struct index_tracepoint t;
	struct all all = {};

	for (unsigned int i = 0; i < s->count; i++) {
		const char *name = name_in(s, &s->symbols[i]), *module = s->symbols[i].module;

		/* Of a module whose file was read, the index has it with its system. */
		if (name && (!module || !system_from_index(s, module, name)))
			add(&all, name, NULL, module);
	}
	for (unsigned int i = 0; index_tracepoint(index, i, &t); i++)
		add(&all, t.name, t.system, t.module);
	if (all.count)
		qsort(all.seen, all.count, sizeof(*all.seen), by_name);
	if (s->kernel->running)
		add_systems(s, &all);
	for (unsigned int i = 0; i < all.count; i++) {
		struct tracepoint_seen *seen = &all.seen[i];

		/* A module's that has no event is met in the table and in the index. */
		if (i && strcmp(seen->name, seen[-1].name) == 0 && symbols_same_module(seen->module, seen[-1].module))
			continue;
		if (!seen->system && !seen->module)
			seen->system = system_from_image(s, seen->name);
		if (!fn(arg, seen))
			break;
	}
	free(all.seen);
}

/* ---- system calls, which are events too ---- */

/* "	field:const char * filename;	offset:24;	size:8;	signed:0;" of the events of tracefs. */
static bool syscall_from_tracefs(struct symbols *s, const char *name, struct syscall_seen *seen)
{
	char *text = NULL, *line;

	for (unsigned int i = 0; event_dirs[i] && !text; i++) {
		char *path = mem_printf("%s/syscalls/sys_enter_%s/format", event_dirs[i], name);

		text = text_of_file(path, NULL);
		free(path);
	}
	if (!text)
		return false;
	/* Behind the number of the call come its arguments; in newer kernels behind these what some of them point to. */
	line = strstr(text, "__syscall_nr;");
	while (line && (line = strstr(line, "\tfield:")) && seen->nargs < SYSCALL_ARGS) {
		char *end, *last;

		line += strlen("\tfield:");
		end = strchrnul(line, ';');
		last = memrchr(line, ' ', end - line);
		if (!last || !*end)
			break;
		*end = *last = 0;
		if (strncmp(line, CONTENTS, strlen(CONTENTS)) == 0)
			break;
		seen->args[seen->nargs].type = symbols_keep(s, line);
		seen->args[seen->nargs++].name = symbols_keep(s, last + 1);
		line = end + 1;
	}
	free(text);
	return true;
}

/* struct syscall_metadata: { char *name; int number, count; char **types, **names }. */
static bool syscall_from_image(struct symbols *s, const char *name, struct syscall_seen *seen)
{
	const struct image *image = symbols_image(s);
	char *symbol = mem_printf("__syscall_meta__%s", name);
	uint64_t address = symbols_link_address(s, symbol);
	const struct { uint64_t name; int32_t number, count; uint64_t types, names; } *meta;

	free(symbol);
	meta = address ? image_at(image, address, sizeof(*meta)) : NULL;
	if (!meta || meta->count < 0 || meta->count > SYSCALL_ARGS)
		return false;
	for (; seen->nargs < (unsigned int)meta->count; seen->nargs++) {
		seen->args[seen->nargs].type = text_at(image, meta->types + 8 * seen->nargs);
		seen->args[seen->nargs].name = text_at(image, meta->names + 8 * seen->nargs);
		if (!seen->args[seen->nargs].type || !seen->args[seen->nargs].name)
			return false;
	}
	return true;
}

bool symbols_syscall(struct symbols *s, const char *name, struct syscall_seen *seen)
{
	*seen = (struct syscall_seen){};
	if (strchr(name, '/'))
		return false;
	if (s->kernel->running && syscall_from_tracefs(s, name, seen))
		return true;
	*seen = (struct syscall_seen){};
	return syscall_from_image(s, name, seen);
}

/* ---- nearest names ---- */

void symbols_near_tracepoints(struct symbols *s, struct near *near)
{
	const struct index *index = modules_index(s);
	struct index_tracepoint t;

	for (unsigned int i = 0; i < s->count; i++) {
		const char *name = name_in(s, &s->symbols[i]);

		if (name)
			near_offer(near, name, strlen(name));
	}
	for (unsigned int i = 0; index_tracepoint(index, i, &t); i++) {
		char *symbol = mem_printf(MARK "%s", t.name);

		if (symbols_first(s, symbol) == NONE)
			near_offer(near, t.name, strlen(t.name));
		free(symbol);
	}
}
