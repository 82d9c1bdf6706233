// SPDX-License-Identifier: GPL-2.0
/* places.c: finds the module that a line or an inlined function is in, asks its DWARF, and says what is wrong where nothing is found. */
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "text.h"

static void say_no_dwarf(const struct places_in *in, const struct point *p, const char *what)
{
	diag_error(in->diag, p->loc, "no-dwarf", "%s are known to DWARF alone, which this kernel lacks here", what);
	diag_help(in->diag, "Debian: the package linux-image-%s-dbg", in->kernel->release);
}

/* ---- lines ---- */

/* The module that a file may be of: as the folder that it is in is called, or as the file. NULL: no such module. */
static char *module_of_file(const struct places_in *in, const char *file, bool folder)
{
	const char *base = strrchr(file, '/'), *from = base, *to;
	struct function f;
	char *name;

	from = base ? base + 1 : file;
	to = strrchr(from, '.');
	to = to ? to : from + strlen(from);
	if (folder) {
		if (!base)
			return NULL;
		for (to = from = base; from > file && from[-1] != '/';)
			from--;
	}
	name = mem_copy(from, to - from);
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	symbols_function(in->symbols, name, "", &f);
	if (f.state != FUNCTION_NO_MODULE && f.state != FUNCTION_BAD_MODULE && f.module)
		return name;
	free(name);
	return NULL;
}

static unsigned int find_line(const struct places_in *in, const struct point *p, char **module, struct code_place **places)
{
	bool dwarf = types_have_dwarf(in->types, NULL);
	unsigned int nearest = 0, count = 0;

	if (dwarf)
		count = types_lines(in->types, NULL, p->file, p->line, places, &nearest);
	for (unsigned int folder = 0; folder < 2 && !count && !nearest; folder++) {
		free(*module);
		*module = module_of_file(in, p->file, folder);
		if (*module && types_have_dwarf(in->types, *module)) {
			dwarf = true;
			count = types_lines(in->types, *module, p->file, p->line, places, &nearest);
		}
	}
	if (count)
		return count;
	if (!dwarf) {
		say_no_dwarf(in, p, "source lines");
	} else if (nearest) {
		diag_error(in->diag, p->loc, "no-line", "no instruction comes from line %u of %s", p->line, p->file);
		diag_help(in->diag, "the nearest line that has one: %s:%u", p->file, nearest);
	} else {
		diag_error(in->diag, p->loc, "no-line", "no file '%s' went into kernel %s, as far as DWARF says", p->file,
			   in->kernel->release);
	}
	return 0;
}

/* ---- inlined functions ---- */

/* The module of inline:MODULE:NAME, NULL for the kernel's own; false: there is none (said). */
static bool module_of(const struct places_in *in, const struct point *p, const char **module)
{
	struct function f;

	*module = NULL;
	if (!p->system)
		return true;
	symbols_function(in->symbols, p->system, "", &f);
	*module = f.module;
	if (f.state != FUNCTION_NO_MODULE && f.state != FUNCTION_BAD_MODULE)
		return true;
	diag_error(in->diag, p->system_loc, "no-module", "kernel %s has no module '%s'", in->kernel->release, p->system);
	return false;
}

static unsigned int find_inlined(const struct places_in *in, const struct point *p, char **module, struct code_place **places)
{
	const char *of;
	struct function f;
	unsigned int count;

	if (!module_of(in, p, &of))
		return 0;
	if (!types_have_dwarf(in->types, of)) {
		say_no_dwarf(in, p, "inlined functions");
		return 0;
	}
	*module = of ? mem_copy(of, strlen(of)) : NULL;
	count = types_inlines(in->types, of, p->symbol, places);
	if (count)
		return count;
	diag_error(in->diag, p->symbol_loc, "no-inline", "'%s' was inlined nowhere", p->symbol);
	symbols_function(in->symbols, of, p->symbol, &f);
	if (f.state == FUNCTION_FOUND)
		diag_help(in->diag, "it is a function of its own: write %s%s%s", of ? of : "", of ? ":" : "", p->symbol);
	return 0;
}

unsigned int places_find(const struct places_in *in, const struct point *p, char **module, struct code_place **places)
{
	unsigned int count;

	*module = NULL;
	*places = NULL;
	count = (p->kind == POINT_LINE ? find_line : find_inlined)(in, p, module, places);
	if (count)
		return count;
	free(*module);
	free(*places);
	*module = NULL;
	*places = NULL;
	return 0;
}
