// SPDX-License-Identifier: GPL-2.0
/* modules.c: the target's modules: which there are, and the symbols in their files, each opened only when needed. */
#include <stdlib.h>
#include <string.h>

#include "symbols_private.h"

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
void modules_read_lists(struct symbols *s)
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
			char *colon = text + strcspn(text, ":\n");
			const char *needs = *colon == ':' ? colon + 1 : NULL;

			*end = 0;
			*colon = 0;
			if (*text) {
				name = name_of(s, text, strlen(text));
				/* Only those that /proc/kallsyms listed can be there already. */
				module = s->nmodules ? known(s, name, strlen(name)) : NULL;
				if (module && !module->path)
					module->path = text;
				else if (!module || !list)
					module = add(s, name, text, list);
				if (!list)
					module->needs = needs;
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

	modules_read_lists(s);
	underscores(plain);
	module = known(s, plain, strlen(plain));
	free(plain);
	return module;
}

/* Is the module among these paths of modules.dep? */
static bool is_among(const char *paths, const char *module)
{
	size_t n = strlen(module);

	while (paths && *paths) {
		const char *end = paths + strcspn(paths, " "), *base = memrchr(paths, '/', end - paths);
		size_t i = 0;

		base = base ? base + 1 : paths;
		while (i < n && base + i < end && (base[i] == module[i] || (base[i] == '-' && module[i] == '_')))
			i++;
		if (i == n && strncmp(base + i, ".ko", 3) == 0)
			return true;
		paths = end + strspn(end, " ");
	}
	return false;
}

void symbols_each_relative(struct symbols *s, const char *module, symbols_relative_fn *fn, void *arg)
{
	struct module *its = modules_find(s, module);

	/* By index: what is asked meanwhile may add modules. */
	for (unsigned int i = 0; its && i < s->nmodules; i++) {
		const char *name = s->modules[i].name;

		if ((is_among(s->modules[i].needs, module) || is_among(modules_find(s, module)->needs, name)) && !fn(arg, name))
			break;
	}
}

/* The path of a module's file; NULL: it has none. */
static char *path_of(const struct symbols *s, const struct module *module)
{
	char *below, *path;

	if (!module->path || module->built_in)
		return NULL;
	below = mem_printf("/lib/modules/%%r/%s", module->path);
	path = kernel_path(s->kernel, module->path[0] == '/' ? module->path : below);
	free(below);
	return path;
}

struct image *modules_image(const struct symbols *s, const struct module *module)
{
	char *path = path_of(s, module);
	struct image *image = path ? image_open(path) : NULL;

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

	if (type == 'f')
		symbols_file(into->s, name);
	/* What is only used by the module is another's. */
	else if (type != 'U' && type != 'a' && name[0] != '.')
		symbols_add(into->s, address, type, symbols_keep(into->s, name), into->module);
}

bool modules_load(struct symbols *s, struct module *module)
{
	struct into into = { s, module->name };
	unsigned int from = s->count;
	struct image *image;

	if (module->state == MODULE_LOADED || module->state == MODULE_SEEN)
		return true;
	if (module->state == MODULE_BROKEN)
		return false;
	image = modules_image(s, module);
	module->state = image && image_symtab(image, each_symbol, &into) ? MODULE_SEEN : MODULE_BROKEN;
	image_free(image);
	symbols_file(s, NULL);
	symbols_mark_nokprobe(s, from);
	return module->state == MODULE_SEEN;
}

struct of_name {
	struct symbols *s;
	const char *name, *file;
	bool variables;
	uint64_t *addresses;
	const char **files;
	unsigned int count, room;
};

static bool is_data(char type)
{
	return strchr("bBdDrRqj", type);
}

static void each_of_name(void *arg, uint64_t address, char type, const char *name)
{
	struct of_name *o = arg;
	struct symbol y = { .type = (unsigned char)type };

	if (type == 'f') {
		o->file = *name ? symbols_keep(o->s, name) : NULL;
	} else if (type != 'i' && strcmp(name, o->name) == 0 && (o->variables ? is_data(type) : symbols_is_function(&y))) {
		if (o->count < o->room) {
			o->addresses[o->count] = address;
			o->files[o->count] = o->file;
		}
		o->count++;
	}
}

static unsigned int of_name(struct symbols *s, const char *name, const char *wanted, bool variables, uint64_t *addresses,
			    const char **files, unsigned int room)
{
	struct of_name o = { .s = s, .name = wanted, .variables = variables, .addresses = addresses, .files = files, .room = room };
	struct module *module = modules_find(s, name);
	struct image *image = module ? modules_image(s, module) : NULL;

	if (image)
		image_symtab(image, each_of_name, &o);
	image_free(image);
	return o.count;
}

unsigned int modules_twins(struct symbols *s, const char *name, const char *function, uint64_t *addresses,
			   const char **files, unsigned int room)
{
	return of_name(s, name, function, false, addresses, files, room);
}

unsigned int symbols_module_variables(struct symbols *s, const char *name, const char *variable, uint64_t *addresses,
				      const char **files, unsigned int room)
{
	return of_name(s, name, variable, true, addresses, files, room);
}

/* ---- how the kernel tells functions of one name apart ---- */

static void each_place(void *arg, struct image_place place, char type, const char *name)
{
	struct symbols *s = arg;

	if (type == 'f' || type == 'U' || type == 'a')
		return;
	s->placed = mem_more(s->placed, s->nplaced, sizeof(*s->placed));
	s->placed[s->nplaced] = (struct placed){ symbols_keep(s, name), place, s->nplaced, type };
	s->nplaced++;
}

static int by_name(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return strcmp(x->name, y->name) ?: (x->order > y->order) - (x->order < y->order);
}

static bool is_variable(const struct placed *p)
{
	return is_data(p->type);
}

static bool is_code(const struct placed *p)
{
	return p->type == 't' || p->type == 'T' || p->type == 'n';
}

/*
 * Of the functions before @place in its section the nearest whose name the kernel cannot mistake: there is one of it, or
 * with @first it is the first of its name. What runs at load alone leaves the table then: it is none of either.
 */
static const struct placed *anchor_of(const struct symbols *s, struct image_place place, bool first, bool (*is)(const struct placed *))
{
	const struct placed *best = NULL;

	for (unsigned int i = 0, n; i < s->nplaced; i += n) {
		const struct placed *p = &s->placed[i];
		bool fits = is(p);

		for (n = 1; i + n < s->nplaced && strcmp(p->name, p[n].name) == 0; n++)
			fits &= first && is(&p[n]);
		if (fits && p->place.section == place.section && p->place.offset <= place.offset &&
		    (!best || p->place.offset > best->place.offset))
			best = p;
	}
	return best;
}

/* Of one module at a time: who asks for one of its functions asks for more of them. */
static void place_symbols(struct symbols *s, const struct module *module)
{
	struct image *image;

	if (s->placed_of == module->name)
		return;
	s->placed_of = module->name;
	free(s->placed);
	s->placed = NULL;
	s->nplaced = 0;
	image = modules_image(s, module);
	if (image)
		image_places(image, each_place, s);
	image_free(image);
	if (s->nplaced)
		qsort(s->placed, s->nplaced, sizeof(*s->placed), by_name);
}

static const char *anchor(struct symbols *s, const char *name, const char *wanted, uint64_t address, uint64_t *distance,
			  bool (*is)(const struct placed *))
{
	struct module *module = modules_find(s, name);
	const struct placed *twin = NULL, *best = NULL;
	unsigned int same = 0;

	*distance = 0;
	if (!module)
		return NULL;
	place_symbols(s, module);
	for (unsigned int i = 0; i < s->nplaced; i++) {
		const struct placed *p = &s->placed[i];

		if (image_place_address(p->place) != address || !is(p) || strcmp(p->name, wanted) != 0)
			continue;
		twin = p;
		same++;
	}
	if (same == 1)
		best = anchor_of(s, twin->place, false, is) ?: anchor_of(s, twin->place, true, is);
	if (!best)
		return NULL;
	*distance = twin->place.offset - best->place.offset;
	return best->name;
}

const char *symbols_anchor(struct symbols *s, const char *name, const char *function, uint64_t address, uint64_t *distance)
{
	return anchor(s, name, function, address, distance, is_code);
}

const char *symbols_variable_anchor(struct symbols *s, const char *name, const char *variable, uint64_t address, uint64_t *distance)
{
	return anchor(s, name, variable, address, distance, is_variable);
}

uint64_t symbols_shown_address(const char *module, uint64_t address)
{
	return module && address >> IMAGE_SECTION_SHIFT < UINT16_MAX ? image_place_offset(address) : address;
}


enum module_variable symbols_module_variable(struct symbols *s, const char *name, const char *variable)
{
	struct module *module = modules_find(s, name);
	const struct placed *found = NULL;
	unsigned int others = 0;

	if (!module || module->built_in)
		return MODULE_VARIABLE_ABSENT;
	place_symbols(s, module);
	for (unsigned int i = 0; i < s->nplaced; i++) {
		const struct placed *p = &s->placed[i];

		if (strcmp(p->name, variable) != 0)
			continue;
		others += found || !is_variable(p);
		if (!found && is_variable(p))
			found = p;
	}
	return !found ? MODULE_VARIABLE_ABSENT : others ? MODULE_VARIABLE_SEVERAL :
	       found->type == 'q' ? MODULE_VARIABLE_PER_CPU : found->type == 'j' ? MODULE_VARIABLE_GONE : MODULE_VARIABLE;
}

void symbols_near_module_variables(struct symbols *s, const char *name, struct near *near)
{
	struct module *module = modules_find(s, name);

	if (!module || module->built_in)
		return;
	place_symbols(s, module);
	for (unsigned int i = 0; i < s->nplaced; i++)
		if (is_variable(&s->placed[i]) && s->placed[i].name[0] != '_' && !strchr(s->placed[i].name, '.'))
			near_offer(near, s->placed[i].name, strlen(s->placed[i].name));
}

const struct index *modules_index(struct symbols *s)
{
	struct index_module *list;
	unsigned int count = 0;

	if (s->index_tried)
		return s->index;
	s->index_tried = true;
	modules_read_lists(s);
	list = mem_zero(s->nmodules + 1, sizeof(*list));
	for (unsigned int i = 0; i < s->nmodules; i++) {
		char *path = path_of(s, &s->modules[i]);

		if (path)
			list[count++] = (struct index_module){ s->modules[i].name, path };
	}
	s->index = index_open(s->kernel, list, count);
	while (count)
		free((char *)list[--count].path);
	free(list);
	return s->index;
}
