// SPDX-License-Identifier: GPL-2.0
/* resolve_code.c: points that only debug information knows: source lines and inlined functions. */
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

static void say_no_dwarf(struct resolve *r, const struct point *p, const char *what)
{
	diag_error(r->diag, p->loc, "no-dwarf", "%s are known to DWARF alone, which this kernel lacks here", what);
	diag_help(r->diag, "Debian: the package linux-image-%s-dbg", r->kernel->release);
}

/* Add a place in code, unless no probe may be there. */
static bool add(struct resolve *r, const struct point *p, const char *module, const struct code_place *at,
		struct sites *out)
{
	struct function f;
	struct site *site;

	symbols_function(r->symbols, module, at->function, &f);
	if (f.state == FUNCTION_REFUSED)
		return false;
	/* Of several functions of a name, only an address tells which: where it is hidden, there is none. */
	site = resolve_site_function(r, out, p, module, at->function, at->address, f.state == FUNCTION_SEVERAL);
	if (f.state == FUNCTION_SEVERAL && !site->point.distance && !site->point.anchor) {
		plan_point_free(&out->list[--out->count].point);
		return false;
	}
	if (at->offset) {
		site->point.where = PLAN_OFFSET;
		site->point.offset = at->offset;
	}
	return true;
}

/* All of @places, or an error; they are freed. */
static bool add_all(struct resolve *r, const struct point *p, const char *module, struct code_place *places,
		    unsigned int count, struct sites *out)
{
	struct text t = {};
	unsigned int refused = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (!add(r, p, module, &places[i], out)) {
			refused++;
			continue;
		}
		text_printf(&t, "%s%s+%#llx", t.length ? ", " : "", places[i].function, (unsigned long long)places[i].offset);
		if (p->kind == POINT_INLINE && places[i].file)
			text_printf(&t, " (%s:%u)", places[i].file, places[i].line);
	}
	if (!out->count)
		diag_error(r->diag, p->loc, "refused", "the kernel allows no probe there");
	else if (p->kind == POINT_FUNCTION)
		diag_note(r->diag, p->loc, "inlined", "'%s' has no body of its own; it was inlined at %u place%s: %s", p->symbol,
			  out->count, out->count > 1 ? "s" : "", t.s);
	else if (out->count > 1 || p->kind == POINT_INLINE)
		diag_note(r->diag, p->loc, "places", "%u place%s: %s", out->count, out->count > 1 ? "s" : "", t.s);
	if (out->count && refused)
		diag_note(r->diag, p->loc, "refused", "%u more are left out: the kernel allows no probe there", refused);
	text_free(&t);
	free(places);
	return out->count;
}

/* The module that a file may be of: as the folder that it is in is called, or as the file. NULL: no such module. */
static char *module_of_file(struct resolve *r, const char *file, bool folder)
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
	symbols_function(r->symbols, name, "", &f);
	if (f.state != FUNCTION_NO_MODULE && f.state != FUNCTION_BAD_MODULE && f.module)
		return name;
	free(name);
	return NULL;
}

bool resolve_line(struct resolve *r, const struct point *p, struct sites *out)
{
	unsigned int nearest = 0, count = 0;
	struct code_place *places = NULL;
	bool dwarf = types_have_dwarf(r->types, NULL), good;
	char *module = NULL;

	if (dwarf)
		count = types_lines(r->types, NULL, p->file, p->line, &places, &nearest);
	for (unsigned int folder = 0; folder < 2 && !count && !nearest; folder++) {
		free(module);
		module = module_of_file(r, p->file, folder);
		if (module && types_have_dwarf(r->types, module)) {
			dwarf = true;
			count = types_lines(r->types, module, p->file, p->line, &places, &nearest);
		}
	}
	if (count) {
		good = add_all(r, p, module, places, count, out);
		free(module);
		return good;
	}
	if (!dwarf) {
		say_no_dwarf(r, p, "source lines");
	} else if (nearest) {
		diag_error(r->diag, p->loc, "no-line", "no instruction comes from line %u of %s", p->line, p->file);
		diag_help(r->diag, "the nearest line that has one: %s:%u", p->file, nearest);
	} else {
		diag_error(r->diag, p->loc, "no-line", "no file '%s' went into kernel %s, as far as DWARF says", p->file,
			   r->kernel->release);
	}
	free(module);
	return false;
}

#define PLACES_SAID	4

void resolve_warn_inlined(struct resolve *r, const struct point *p, const struct function *f)
{
	struct code_place *places = NULL;
	unsigned int count = 0;
	struct text t = {};

	if (!r->tentative && types_have_dwarf(r->types, f->module))
		count = types_inlined_beside(r->types, f->module, p->symbol, f->addresses[0], &places);
	for (unsigned int i = 0; i < count && i < PLACES_SAID; i++)
		text_printf(&t, "%s%s", i ? ", " : "", places[i].function);
	if (count) {
		diag_warn(r->diag, p->symbol_loc, "inlined", "'%s' was inlined at %u place%s too, whose calls do not come here: in "
			  "%s%s", p->symbol, count, count > 1 ? "s" : "", t.s, count > PLACES_SAID ? ", ..." : "");
		diag_help(r->diag, "count inline:%s%s%s counts those", f->module ? f->module : "", f->module ? ":" : "",
			  p->symbol);
	}
	text_free(&t);
	free(places);
}

bool resolve_inlined(struct resolve *r, const struct point *p, struct sites *out, bool *good)
{
	struct code_place *places = NULL;
	unsigned int count = types_have_dwarf(r->types, NULL) ? types_inlines(r->types, NULL, p->symbol, &places) : 0;

	if (count)
		*good = add_all(r, p, NULL, places, count, out);
	else
		free(places);
	return count;
}

/* The module of inline:MODULE:NAME, NULL for the kernel's own; false: there is none (said). */
static bool module_of(struct resolve *r, const struct point *p, const char **module)
{
	struct function f;

	*module = NULL;
	if (!p->system)
		return true;
	symbols_function(r->symbols, p->system, "", &f);
	*module = f.module;
	if (f.state != FUNCTION_NO_MODULE && f.state != FUNCTION_BAD_MODULE)
		return true;
	diag_error(r->diag, p->system_loc, "no-module", "kernel %s has no module '%s'", r->kernel->release, p->system);
	return false;
}

bool resolve_inlines(struct resolve *r, const struct point *p, struct sites *out)
{
	struct code_place *places = NULL;
	const char *module;
	struct function f;
	unsigned int count;

	if (!module_of(r, p, &module))
		return false;
	if (!types_have_dwarf(r->types, module)) {
		say_no_dwarf(r, p, "inlined functions");
		return false;
	}
	count = types_inlines(r->types, module, p->symbol, &places);
	if (count)
		return add_all(r, p, module, places, count, out);
	free(places);
	diag_error(r->diag, p->symbol_loc, "no-inline", "'%s' was inlined nowhere", p->symbol);
	symbols_function(r->symbols, module, p->symbol, &f);
	if (f.state == FUNCTION_FOUND)
		diag_help(r->diag, "it is a function of its own: write %s%s%s", module ? module : "", module ? ":" : "",
			  p->symbol);
	return false;
}
