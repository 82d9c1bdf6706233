// SPDX-License-Identifier: GPL-2.0
/* symbols.c: the table of symbols, and what it says of one function. symbols_list.c: of all, and of tracepoints. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "symbols_private.h"

#define BLOCK	(64 << 10)

/* ---- the table ---- */

/*
 * Buckets hold chains, so that a symbol is entered without looking at any other: most runs ask for a handful of names
 * among 150,000. New symbols are linked at the next question, backwards, so that of one name the lowest is the first.
 */
static void link_new(struct symbols *s)
{
	unsigned int from = s->linked;

	if (s->nbuckets < s->count) {
		s->nbuckets = 1 << 12;
		while (s->nbuckets < s->count)
			s->nbuckets *= 2;
		free(s->buckets);
		s->buckets = mem_zero(s->nbuckets, sizeof(*s->buckets));
		memset(s->buckets, 0xff, s->nbuckets * sizeof(*s->buckets));
		from = 0;
	}
	for (unsigned int i = s->count; i-- > from; ) {
		unsigned int *bucket = &s->buckets[s->symbols[i].hash & (s->nbuckets - 1)];

		s->symbols[i].next = *bucket;
		*bucket = i;
	}
	s->linked = s->count;
}

void symbols_add(struct symbols *s, uint64_t address, char type, const char *name, const char *module)
{
	s->symbols = mem_more(s->symbols, s->count, sizeof(*s->symbols));
	s->symbols[s->count++] = (struct symbol){
		.address = address, .name = name, .module = module, .type = (unsigned char)type,
		.hash = XXH3_64bits(name, strlen(name)), .file = s->nfiles - 1,
	};
}

void symbols_file(struct symbols *s, const char *name)
{
	s->files = mem_more(s->files, s->nfiles, sizeof(*s->files));
	s->files[s->nfiles++] = name && *name ? symbols_keep(s, name) : NULL;
}

const char *symbols_keep(struct symbols *s, const char *name)
{
	size_t length = strlen(name) + 1;
	char *copy;

	if (!s->blocks || length > BLOCK - s->blocks->used) {
		struct block *block = mem_zero(1, sizeof(*block) + (length > BLOCK ? length : BLOCK));

		block->next = s->blocks;
		s->blocks = block;
	}
	copy = s->blocks->bytes + s->blocks->used;
	memcpy(copy, name, length);
	s->blocks->used = length > BLOCK ? BLOCK : s->blocks->used + length;
	return copy;
}

static unsigned int same_name(const struct symbols *s, unsigned int i, const char *name, unsigned int hash)
{
	while (i != NONE && (s->symbols[i].hash != hash || strcmp(s->symbols[i].name, name) != 0))
		i = s->symbols[i].next;
	return i;
}

unsigned int symbols_first(struct symbols *s, const char *name)
{
	unsigned int hash = XXH3_64bits(name, strlen(name));

	if (s->linked != s->count)
		link_new(s);
	return s->count ? same_name(s, s->buckets[hash & (s->nbuckets - 1)], name, hash) : NONE;
}

unsigned int symbols_next(const struct symbols *s, unsigned int i)
{
	return same_name(s, s->symbols[i].next, s->symbols[i].name, s->symbols[i].hash);
}

/* The linker of 7.2 makes .data executable, so that nm, and kallsyms by it, take for code what is there. */
static void correct_data(struct symbols *s)
{
	uint64_t from = symbols_address(s, "_sdata"), to = symbols_address(s, "_edata");

	for (unsigned int i = 0; from && i < s->kernel_count; i++) {
		struct symbol *y = &s->symbols[i];

		if (y->address >= from && y->address < to && symbols_is_function(y))
			y->type = isupper(y->type) ? 'D' : 'd';
	}
}

struct symbols *symbols_open(const struct kernel *kernel, struct diag *diag)
{
	struct symbols *s = mem_zero(1, sizeof(*s));

	s->kernel = kernel;
	symbols_file(s, NULL);
	if (!symbols_load(s, diag)) {
		symbols_free(s);
		return NULL;
	}
	while (s->kernel_count < s->count && !s->symbols[s->kernel_count].module)
		s->kernel_count++;
	correct_data(s);
	symbols_file(s, NULL);
	symbols_mark_nokprobe(s, 0);
	return s;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	image_free(s->image);
	index_free(s->index);
	while (s->blocks) {
		struct block *block = s->blocks;

		s->blocks = block->next;
		free(block);
	}
	free(s->symbols);
	free(s->buckets);
	free(s->dotted);
	free(s->files);
	free(s->kernel_text);
	free(s->modules_text);
	free(s->built_in_text);
	free(s->modules);
	free(s->placed);
	free(s);
}

bool symbols_is_function(const struct symbol *y)
{
	return y->type && strchr("tTwWnik", y->type);
}

bool symbols_same_module(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* The first of a module's symbols of this name at or after @i that is a function, or any with @any. */
static unsigned int next_in(const struct symbols *s, unsigned int i, const char *module, bool any)
{
	while (i != NONE && (!symbols_same_module(s->symbols[i].module, module) ||
			     (!any && !symbols_is_function(&s->symbols[i]))))
		i = symbols_next(s, i);
	return i;
}

uint64_t symbols_address(struct symbols *s, const char *name)
{
	unsigned int i = next_in(s, symbols_first(s, name), NULL, true);

	return i == NONE ? 0 : s->symbols[i].address;
}

unsigned int symbols_variables(struct symbols *s, const char *name, uint64_t *addresses, unsigned int room)
{
	unsigned int count = 0;

	for (unsigned int i = symbols_first(s, name); (i = next_in(s, i, NULL, true)) != NONE; i = symbols_next(s, i)) {
		if (symbols_is_function(&s->symbols[i]))
			continue;
		if (count < room)
			addresses[count] = s->symbols[i].address;
		count++;
	}
	return count;
}

/* Of each name that begins with underscores there is mostly a better known one. */
void symbols_near_variables(struct symbols *s, struct near *near)
{
	for (unsigned int i = 0; i < s->kernel_count; i++)
		if (!symbols_is_function(&s->symbols[i]) && (s->symbols[i].name[0] != '_' || near->word[0] == '_'))
			near_offer(near, s->symbols[i].name, strlen(s->symbols[i].name));
}

uint64_t symbols_variable_room(struct symbols *s, uint64_t address)
{
	return symbols_size_at(s, address);
}

/* ---- what the compiler made of a function ---- */

/* Whether ".isra.0.constprop.1" and the like: names of whole bodies. Parts, and what is unknown, are not. */
static bool is_body(const char *suffix)
{
	static const char *const words[] = { ".isra", ".constprop", ".lto_priv", ".llvm", ".ipa", ".specialized", NULL };

	while (*suffix) {
		unsigned int i = 0;
		size_t n;

		while (words[i] && strncmp(suffix, words[i], strlen(words[i])) != 0)
			i++;
		if (!words[i])
			return false;
		suffix += strlen(words[i]);
		if (*suffix && *suffix != '.')
			return false;
		n = *suffix ? strspn(suffix + 1, "0123456789") : 0;
		if (n)
			suffix += 1 + n;
	}
	return true;
}

static int by_name(const void *a, const void *b, void *arg)
{
	const struct symbol *symbols = arg;
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return strcmp(symbols[x].name, symbols[y].name) ?: (x > y) - (x < y);
}

static void collect_dotted(struct symbols *s)
{
	if (s->dotted_seen == s->count)
		return;
	for (unsigned int i = s->dotted_seen; i < s->count; i++) {
		const struct symbol *y = &s->symbols[i];

		if (symbols_is_function(y) && y->name[0] && strchr(y->name + 1, '.') && !symbols_is_mark(y->name)) {
			s->dotted = mem_more(s->dotted, s->ndotted, sizeof(*s->dotted));
			s->dotted[s->ndotted++] = i;
		}
	}
	if (s->ndotted)
		qsort_r(s->dotted, s->ndotted, sizeof(*s->dotted), by_name, s->symbols);
	s->dotted_seen = s->count;
}

/* Of the names with dots the first that is not before NAME. */
static unsigned int search_dotted(struct symbols *s, const char *name)
{
	unsigned int from = 0, to;

	collect_dotted(s);
	to = s->ndotted;
	while (from < to) {
		unsigned int middle = from + (to - from) / 2;

		if (strcmp(s->symbols[s->dotted[middle]].name, name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* ---- functions ---- */

/* The symbols that hold a function's body, and those of parts of it. */
struct bodies {
	unsigned int *indices;
	unsigned int count;
	unsigned int names;	/* how many different ones */
	const char *parts[FUNCTION_OTHERS];
	unsigned int nparts;
};

static void add_body(const struct symbols *s, struct bodies *b, unsigned int i)
{
	bool seen = false;

	for (unsigned int n = 0; n < b->count && !seen; n++)
		seen = strcmp(s->symbols[b->indices[n]].name, s->symbols[i].name) == 0;
	b->names += !seen;
	b->indices = mem_more(b->indices, b->count, sizeof(*b->indices));
	b->indices[b->count++] = i;
}

static void find_bodies(struct symbols *s, const char *module, const char *name, struct bodies *b)
{
	char *dotted = mem_printf("%s.", name);
	size_t length = strlen(name);
	unsigned int i;

	*b = (struct bodies){};
	for (i = symbols_first(s, name); (i = next_in(s, i, module, false)) != NONE; i = symbols_next(s, i))
		add_body(s, b, i);
	for (i = search_dotted(s, dotted); i < s->ndotted; i++) {
		const struct symbol *y = &s->symbols[s->dotted[i]];

		if (strncmp(y->name, dotted, length + 1) != 0)
			break;
		if (!symbols_same_module(y->module, module))
			continue;
		if (is_body(y->name + length))
			add_body(s, b, s->dotted[i]);
		else if (b->nparts < FUNCTION_OTHERS)
			b->parts[b->nparts++] = y->name;
	}
	free(dotted);
}

/* Of a module's functions, files that are known and differ tell functions apart that have different names here. */
static bool files_differ(const struct symbols *s, const struct bodies *b)
{
	const char *file = s->files[s->symbols[b->indices[0]].file];

	for (unsigned int n = 1; n < b->count; n++) {
		const char *other = s->files[s->symbols[b->indices[n]].file];

		if (file && other && strcmp(file, other) != 0)
			return true;
	}
	return false;
}

static void found_several(struct symbols *s, const struct bodies *b, const char *module, struct function *f)
{
	const struct symbol *first = &s->symbols[b->indices[0]];
	uint64_t addresses[FUNCTION_OTHERS] = {};
	const char *files[FUNCTION_OTHERS] = {};
	bool same = b->names == 1 && module;

	f->state = FUNCTION_SEVERAL;
	f->count = b->count;
	for (unsigned int n = 0; n < b->count && n < FUNCTION_OTHERS; n++) {
		const struct symbol *y = &s->symbols[b->indices[n]];

		f->addresses[n] = y->address;
		f->others[n] = y->name;
		f->files[n] = s->files[y->file];
		same &= !f->files[n];
	}
	/* /proc/kallsyms has a loaded module's symbols in the order of its file, but not as that has them. */
	if (same && modules_twins(s, module, first->name, addresses, files, FUNCTION_OTHERS) == b->count) {
		memcpy(f->addresses, addresses, sizeof(addresses));
		memcpy(f->files, files, sizeof(files));
	}
}

/* Bodies that are gone when scripts run need not be measured; one that cannot be is a reason to refuse the function. */
static void found(struct symbols *s, const struct bodies *b, const char *module, struct function *f)
{
	const struct symbol *refused = NULL;
	const char *reason = NULL;

	if (b->count > b->names || files_differ(s, b)) {
		found_several(s, b, module, f);
		return;
	}
	f->state = FUNCTION_FOUND;
	for (unsigned int n = 0; n < b->count; n++) {
		const struct symbol *y = &s->symbols[b->indices[n]];
		const char *why = symbols_refusal(s, y);
		uint64_t size = symbols_size(s, b->indices[n]);

		if (why) {
			if (!refused || strncmp(why, "it runs only", 12) != 0) {
				refused = y;
				reason = why;
			}
			continue;
		}
		if (f->nvariants < FUNCTION_BODIES) {
			f->variants[f->nvariants].symbol = y->name;
			f->variants[f->nvariants].address = y->address;
			f->variants[f->nvariants].size = size;
		}
		if (!f->nvariants++) {
			f->symbol = y->name;
			f->size = size;
			f->addresses[0] = y->address;
			f->files[0] = s->files[y->file];
			f->count = 1;
		}
	}
	if (refused && (!f->nvariants || strncmp(reason, "it runs only", 12) != 0)) {
		f->state = FUNCTION_REFUSED;
		f->nvariants = 0;
		f->count = 1;
		f->symbol = refused->name;
		f->addresses[0] = refused->address;
		f->size = symbols_size(s, refused - s->symbols);
		f->reason = reason;
	}
}

static void add_elsewhere(struct function *f, const char *module)
{
	for (unsigned int i = 0; i < f->count && i < FUNCTION_OTHERS; i++)
		if (strcmp(f->others[i], module) == 0)
			return;
	if (f->count < FUNCTION_OTHERS)
		f->others[f->count] = module;
	f->count++;
}

/* In which modules there is a function of this name, or what the compiler made of it. */
static void find_elsewhere(struct symbols *s, const char *name, struct function *f)
{
	const struct index *index = modules_index(s);
	char *dotted = mem_printf("%s.", name);
	size_t length = strlen(name);
	struct index_function x;

	for (unsigned int i = symbols_first(s, name); i != NONE; i = symbols_next(s, i))
		if (s->symbols[i].module && symbols_is_function(&s->symbols[i]))
			add_elsewhere(f, s->symbols[i].module);
	for (unsigned int i = index_search(index, name); index_by_name(index, i, &x) && strcmp(x.name, name) == 0; i++)
		add_elsewhere(f, x.module);
	for (unsigned int i = index_search(index, dotted);
	     index_by_name(index, i, &x) && strncmp(x.name, dotted, length + 1) == 0; i++)
		if (is_body(x.name + length))
			add_elsewhere(f, x.module);
	free(dotted);
	if (f->count)
		f->state = FUNCTION_ELSEWHERE;
}

void symbols_function(struct symbols *s, const char *module, const char *name, struct function *f)
{
	struct bodies b;

	*f = (struct function){ .state = FUNCTION_ABSENT };
	if (module) {
		struct module *m = modules_find(s, module);

		if (!m || (!m->built_in && !modules_load(s, m))) {
			f->state = m ? FUNCTION_BAD_MODULE : FUNCTION_NO_MODULE;
			return;
		}
		f->built_in = m->built_in;
		module = f->module = m->built_in ? NULL : m->name;
	}
	f->no_return = symbols_no_return(name);
	find_bodies(s, module, name, &b);
	if (b.count) {
		found(s, &b, module, f);
	} else if (next_in(s, symbols_first(s, name), module, true) != NONE) {
		f->state = FUNCTION_VARIABLE;
	} else if (b.nparts) {
		f->state = FUNCTION_VARIANTS;
		f->count = b.nparts;
		memcpy(f->others, b.parts, sizeof(b.parts));
	} else if (!module) {
		find_elsewhere(s, name, f);
	}
	free(b.indices);
}
