// SPDX-License-Identifier: GPL-2.0
/* modules.c: the target's modules: which there are, and the symbols in their files, each opened only when needed. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "symbols_private.h"

/* Unpacking all modules of a distribution takes seconds: a name that is nowhere is not worth more than this. */
#define SEARCH_SECONDS	0.5

static void underscores(char *name)
{
	for (; *name; name++)
		if (*name == '-')
			*name = '_';
}

/* The module's name in "kernel/fs/ext4/ext4.ko.xz". */
static const char *name_of(struct symbols *s, const char *path, size_t length)
{
	const char *base = memrchr(path, '/', length), *dot;
	char *name;
	const char *kept;

	base = base ? base + 1 : path;
	dot = memmem(base, path + length - base, ".ko", 3);
	name = mem_copy(base, (size_t)((dot ? dot : path + length) - base));
	underscores(name);
	kept = symbols_keep(s, name);
	free(name);
	return kept;
}

static struct module *add(struct symbols *s, const char *name, const char *path, bool built_in)
{
	s->modules = mem_more(s->modules, s->nmodules, sizeof(*s->modules));
	s->modules[s->nmodules] = (struct module){ .name = name, .path = path, .built_in = built_in };
	return &s->modules[s->nmodules++];
}

static struct module *known(struct symbols *s, const char *name, size_t length)
{
	for (unsigned int i = 0; i < s->nmodules; i++)
		if (strlen(s->modules[i].name) == length && strncmp(s->modules[i].name, name, length) == 0)
			return &s->modules[i];
	return NULL;
}

static char *list_file(struct symbols *s, const char *file)
{
	char *name = mem_printf("/lib/modules/%%r/%s", file), *path = kernel_path(s->kernel, name);
	char *text = text_of_file(path, NULL);

	free(name);
	free(path);
	return text;
}

/* modules.dep: "PATH: what it needs"; modules.builtin: "PATH". */
static void read_lists(struct symbols *s)
{
	if (s->have_modules)
		return;
	s->have_modules = true;
	s->modules_text = list_file(s, "modules.dep");
	s->built_in_text = list_file(s, "modules.builtin");
	for (unsigned int list = 0; list < 2; list++) {
		char *text = list ? s->built_in_text : s->modules_text;

		while (text && *text) {
			char *end = strchrnul(text, '\n'), *next = *end ? end + 1 : end;
			const char *name;
			struct module *module;

			*end = 0;
			text[strcspn(text, ":")] = 0;
			if (*text) {
				name = name_of(s, text, strlen(text));
				/* Only those that /proc/kallsyms listed can be there already. */
				module = s->nmodules ? known(s, name, strlen(name)) : NULL;
				if (module && !module->path)
					module->path = text;
				else if (!module || !list)
					add(s, name, text, list);
			}
			text = next;
		}
	}
}

struct module *modules_loaded(struct symbols *s, const char *name, size_t length)
{
	struct module *module = known(s, name, length);
	char *copy;

	if (module)
		return module;
	copy = mem_copy(name, length);
	module = add(s, symbols_keep(s, copy), NULL, false);
	module->state = MODULE_LOADED;
	free(copy);
	return module;
}

struct module *modules_find(struct symbols *s, const char *name)
{
	char *plain = mem_copy(name, strlen(name));
	struct module *module;

	read_lists(s);
	underscores(plain);
	module = known(s, plain, strlen(plain));
	free(plain);
	return module;
}

static struct image *open_module(const struct symbols *s, const struct module *module)
{
	char *below, *path;
	struct image *image;

	if (!module->path || module->built_in)
		return NULL;
	below = mem_printf("/lib/modules/%%r/%s", module->path);
	path = kernel_path(s->kernel, module->path[0] == '/' ? module->path : below);
	image = image_open(path);
	free(below);
	free(path);
	return image;
}

struct into {
	struct symbols *s;
	const char *module;
};

static void each_symbol(void *arg, uint64_t address, char type, const char *name)
{
	struct into *into = arg;

	/* What is only used by the module is another's. */
	if (type != 'U' && type != 'a' && name[0] != '.')
		symbols_add(into->s, address, type, symbols_keep(into->s, name), into->module);
}

bool modules_load(struct symbols *s, struct module *module)
{
	struct into into = { s, module->name };
	struct image *image;

	if (module->state == MODULE_LOADED || module->state == MODULE_SEEN)
		return true;
	if (module->state == MODULE_BROKEN)
		return false;
	image = open_module(s, module);
	module->state = image && image_symtab(image, each_symbol, &into) ? MODULE_SEEN : MODULE_BROKEN;
	image_free(image);
	return module->state == MODULE_SEEN;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* What modules export is listed: "alias symbol:NAME MODULE". */
static bool search_exports(struct symbols *s, const char *name)
{
	char *text = list_file(s, "modules.symbols");
	char *wanted = mem_printf("alias symbol:%s ", name);
	const char *hit = text ? strstr(text, wanted) : NULL;
	struct module *module = NULL;

	if (hit) {
		hit += strlen(wanted);
		module = known(s, hit, strcspn(hit, "\n"));
	}
	free(text);
	free(wanted);
	return module && modules_load(s, module);
}

void modules_search(struct symbols *s, const char *name)
{
	double begin = now();

	read_lists(s);
	if (symbols_first(s, name) != NONE || search_exports(s, name))
		return;
	while (s->next_search < s->nmodules && s->search_time < SEARCH_SECONDS) {
		modules_load(s, &s->modules[s->next_search++]);
		s->search_time += now() - begin;
		begin = now();
		if (symbols_first(s, name) != NONE)
			return;
	}
}

char *modules_tracepoint_system(struct symbols *s, const char *module_name, const char *name)
{
	struct module *module = modules_find(s, module_name);
	struct image *image = module ? open_module(s, module) : NULL;
	char *symbol = mem_printf("event_%s", name), *system = NULL;
	struct image_place place;
	const char *text;

	/* struct trace_event_call: { list_head; class * }; its class begins with the name of the system. */
	if (image && image_symbol_place(image, symbol, &place)) {
		place.offset += 16;
		if (image_follow(image, place, &place) && image_follow(image, place, &place)) {
			text = image_place_string(image, place);
			if (text)
				system = mem_copy(text, strlen(text));
		}
	}
	image_free(image);
	free(symbol);
	return system;
}
