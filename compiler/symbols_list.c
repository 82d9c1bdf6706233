// SPDX-License-Identifier: GPL-2.0
/* symbols_list.c: all functions, tracepoints and modules, for globs, listings and nearest names. */
#include <stdlib.h>
#include <string.h>

#include "match.h"
#include "symbols_private.h"

/* ---- modules ---- */

static int by_module_name(const void *a, const void *b)
{
	const struct module *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* All modules in order of name; malloc'ed. */
static const struct module **sorted_modules(struct symbols *s)
{
	const struct module **sorted;

	modules_read_lists(s);
	sorted = mem_zero(s->nmodules + 1, sizeof(*sorted));
	for (unsigned int i = 0; i < s->nmodules; i++)
		sorted[i] = &s->modules[i];
	qsort(sorted, s->nmodules, sizeof(*sorted), by_module_name);
	return sorted;
}

void symbols_each_module(struct symbols *s, symbols_module_fn *fn, void *arg)
{
	const struct module **sorted = sorted_modules(s);

	for (unsigned int i = 0; sorted[i] && fn(arg, sorted[i]->name, sorted[i]->built_in); i++)
		;
	free(sorted);
}

/* ---- functions ---- */

/* What the kernel makes by the thousand, and nobody calls by name. */
static bool is_odd(const char *name)
{
	return symbols_is_mark(name) || strncmp(name, "__SC", 4) == 0;
}

static bool show(struct symbols *s, unsigned int i, symbols_function_fn *fn, void *arg)
{
	const struct symbol *y = &s->symbols[i];
	struct function_seen seen = { .name = y->name, .module = y->module, .address = y->address };

	if (!symbols_is_function(y) || is_odd(y->name))
		return true;
	seen.size = symbols_size(s, i);
	seen.no_return = symbols_no_return(y->name);
	seen.reason = symbols_refusal(s, y);
	seen.gone = symbols_is_gone(seen.reason);
	return fn(arg, &seen);
}

/* The symbols of modules that are in the table, in order of module and name. */
struct in_table {
	const struct symbol *symbols;
	unsigned int *indices;
	unsigned int count;
};

static int by_module_and_name(const void *a, const void *b, void *arg)
{
	const struct symbol *symbols = arg;
	unsigned int i = *(const unsigned int *)a, j = *(const unsigned int *)b;
	const struct symbol *x = &symbols[i], *y = &symbols[j];

	return (x->module == y->module ? 0 : strcmp(x->module, y->module)) ?: strcmp(x->name, y->name) ?: (i > j) - (i < j);
}

static struct in_table collect(struct symbols *s, const char *glob)
{
	struct in_table t = {};

	for (unsigned int i = s->kernel_count; i < s->count; i++) {
		const struct symbol *y = &s->symbols[i];

		if (!y->module || !symbols_is_function(y) || !match_glob(glob, y->module))
			continue;
		t.indices = mem_more(t.indices, t.count, sizeof(*t.indices));
		t.indices[t.count++] = i;
	}
	if (t.count)
		qsort_r(t.indices, t.count, sizeof(*t.indices), by_module_and_name, s->symbols);
	return t;
}

static bool show_indexed(struct symbols *s, const char *module, symbols_function_fn *fn, void *arg)
{
	const struct index *index = modules_index(s);
	struct index_function x;
	unsigned int from, to;

	if (!index_module(index, module, &from, &to))
		return true;
	for (; from < to && index_function(index, from, &x); from++) {
		struct function_seen seen = { .name = x.name, .module = module, .address = x.address };

		if (is_odd(x.name))
			continue;
		seen.no_return = symbols_no_return(x.name);
		seen.reason = symbols_refusal_by_name(x.name, x.type);
		seen.gone = symbols_is_gone(seen.reason);
		if (!fn(arg, &seen))
			return false;
	}
	return true;
}

/* Of loaded modules what /proc/kallsyms says, of others what the index of their files says. */
static bool each_of_modules(struct symbols *s, const char *glob, symbols_function_fn *fn, void *arg)
{
	const struct module **sorted = sorted_modules(s);
	struct in_table t = collect(s, glob);
	bool any = false, more = true;
	unsigned int at = 0;

	for (unsigned int i = 0; sorted[i] && more; i++) {
		const char *module = sorted[i]->name;
		bool here = false;

		if (sorted[i]->built_in || !match_glob(glob, module))
			continue;
		any = true;
		for (; at < t.count && more && strcmp(s->symbols[t.indices[at]].module, module) == 0; at++) {
			here = true;
			more = show(s, t.indices[at], fn, arg);
		}
		if (!here && more)
			more = show_indexed(s, module, fn, arg);
	}
	free(t.indices);
	free(sorted);
	return any;
}

bool symbols_each_function(struct symbols *s, const char *module, symbols_function_fn *fn, void *arg)
{
	struct in_table t;
	struct module *m;

	if (!module) {
		for (unsigned int i = 0; i < s->kernel_count && show(s, i, fn, arg); i++)
			;
		return true;
	}
	if (match_is_glob(module))
		return each_of_modules(s, module, fn, arg);
	m = modules_find(s, module);
	if (!m || m->built_in || !modules_load(s, m))
		return false;
	t = collect(s, m->name);
	for (unsigned int i = 0; i < t.count && show(s, t.indices[i], fn, arg); i++)
		;
	free(t.indices);
	return true;
}

/* How many of the kernel's own symbols are not behind @address: they are in order of address. */
static unsigned int up_to(const struct symbols *s, uint64_t address)
{
	unsigned int from = 0, to = s->kernel_count;

	while (from < to) {
		unsigned int middle = from + (to - from) / 2;

		if (s->symbols[middle].address <= address)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

uint64_t symbols_size_at(const struct symbols *s, uint64_t address)
{
	unsigned int i = up_to(s, address);

	return i ? symbols_size(s, i - 1) : 0;
}

const char *symbols_at(struct symbols *s, uint64_t address, uint64_t *offset)
{
	for (unsigned int i = up_to(s, address); i-- > 0; ) {
		const struct symbol *y = &s->symbols[i];

		if (!symbols_is_function(y) || symbols_is_mark(y->name))
			continue;
		if (!y->address || address - y->address >= symbols_size(s, i))
			return NULL;
		*offset = address - y->address;
		/* Of several names of one address the first. */
		for (; i > 0 && s->symbols[i - 1].address == y->address; i--)
			if (symbols_is_function(&s->symbols[i - 1]) && !symbols_is_mark(s->symbols[i - 1].name))
				y = &s->symbols[i - 1];
		return y->name;
	}
	return NULL;
}

/* ---- nearest names ---- */

void symbols_near_functions(struct symbols *s, const char *module, struct near *near)
{
	if (module) {
		struct module *m = modules_find(s, module);

		module = m && !m->built_in ? m->name : NULL;
	}
	for (unsigned int i = module ? s->kernel_count : 0; i < (module ? s->count : s->kernel_count); i++) {
		const struct symbol *y = &s->symbols[i];

		if (symbols_is_function(y) && symbols_same_module(y->module, module) && !is_odd(y->name) &&
		    !strstr(y->name, ".cold"))
			near_offer(near, y->name, strnlen(y->name, 2 * near->length + 8));
	}
}

void symbols_near_modules(struct symbols *s, struct near *near)
{
	modules_read_lists(s);
	for (unsigned int i = 0; i < s->nmodules; i++)
		near_offer(near, s->modules[i].name, strlen(s->modules[i].name));
}
