// SPDX-License-Identifier: GPL-2.0
/* resolve_code.c: points that only debug information knows: source lines and inlined functions, as places to attach to. */
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "resolve_private.h"

#define PLACES_SAID	8	/* in a message; kmeter -l has all of them */

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
	unsigned int refused = 0, more = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (!add(r, p, module, &places[i], out)) {
			refused++;
			continue;
		}
		if (i - refused >= PLACES_SAID) {
			more++;
			continue;
		}
		text_printf(&t, "%s%s+%#llx", t.length ? ", " : "", places[i].function, (unsigned long long)places[i].offset);
		if (p->kind == POINT_INLINE && places[i].file)
			text_printf(&t, " (%s:%u)", places[i].file, places[i].line);
	}
	if (more)
		text_printf(&t, " and %u more", more);
	if (!out->count)
		diag_error(r->diag, p->loc, "refused", "the kernel allows no probe there");
	else if (p->kind == POINT_FUNCTION)
		diag_note(r->diag, p->loc, "inlined", "'%s' has no body of its own; it was inlined at %u place%s: %s", p->symbol,
			  out->count, out->count > 1 ? "s" : "", t.s);
	else if (out->count > 1 || p->kind == POINT_INLINE)
		diag_note(r->diag, p->loc, "places", "%u place%s: %s", out->count, out->count > 1 ? "s" : "", t.s);
	if (more && p->kind != POINT_LINE)
		diag_help(r->diag, "kmeter -l inline:%s%s%s lists them", module ? module : "", module ? ":" : "", p->symbol);
	else if (more)
		diag_help(r->diag, "kmeter -l %s:%u lists them", p->file, p->line);
	if (out->count && refused)
		diag_note(r->diag, p->loc, "refused", "%u more %s left out: the kernel allows no probe there", refused,
			  refused > 1 ? "are" : "is");
	text_free(&t);
	free(places);
	return out->count;
}

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

bool resolve_places(struct resolve *r, const struct point *p, struct sites *out)
{
	const struct places_in in = { .kernel = r->kernel, .symbols = r->symbols, .types = r->types, .diag = r->diag };
	struct code_place *places;
	char *module;
	unsigned int count = places_find(&in, p, &module, &places);
	bool good = count && add_all(r, p, module, places, count, out);

	free(module);
	return good;
}
