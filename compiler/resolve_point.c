// SPDX-License-Identifier: GPL-2.0
/* resolve_point.c: is there such a point in the target kernel, and can it be measured? */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

static char *copy(const char *s)
{
	return s ? mem_copy(s, strlen(s)) : NULL;
}

/* Points that DESIGN has and this version has not. */
static bool is_later(struct resolve *r, const struct point *p)
{
	if (p->next)
		resolve_not_yet(r, p->next->loc, "`or`");
	else if (p->optional)
		resolve_not_yet(r, p->loc, "points with `?`");
	else if (p->kind == POINT_LINE)
		resolve_not_yet(r, p->loc, "source lines as points");
	else if (p->kind == POINT_INLINE)
		resolve_not_yet(r, p->loc, "inlined functions");
	else if (p->kind == POINT_SYSCALL)
		resolve_not_yet(r, p->loc, "system calls");
	else if (p->kind == POINT_WATCH)
		resolve_not_yet(r, p->loc, "watching variables");
	else if (p->file)
		resolve_not_yet(r, p->loc, "functions by their file");
	else if (p->glob)
		resolve_not_yet(r, p->loc, "patterns");
	else if (p->quoted && strchr(p->text, '{'))
		resolve_not_yet(r, p->loc, "parameters in points");
	else
		return false;
	return true;
}

/* Nearest names, behind the message that was given last. */
static void nearest(struct resolve *r, const char *module, const char *name)
{
	struct near near;

	near_begin(&near, name);
	symbols_near_functions(r->symbols, module, &near);
	diag_near(r->diag, &near);
}

static char *list_of(const struct function *f)
{
	struct text t = {};

	for (unsigned int i = 0; i < f->count && i < FUNCTION_OTHERS; i++)
		text_printf(&t, "%s%s", i ? ", " : "", f->others[i]);
	return text_take(&t);
}

static void not_found(struct resolve *r, const struct point *p, const struct function *f)
{
	const char *release = r->kernel->release;
	char *others;
	struct near near;

	switch (f->state) {
	case FUNCTION_NO_MODULE:
		diag_error(r->diag, p->system_loc, "no-module", "kernel %s has no module '%s'", release, p->system);
		near_begin(&near, p->system);
		symbols_near_modules(r->symbols, &near);
		diag_near(r->diag, &near);
		break;
	case FUNCTION_BAD_MODULE:
		diag_error(r->diag, p->system_loc, "no-module", "the file of module '%s' cannot be read", p->system);
		diag_help(r->diag, "lib/modules/%s/modules.dep lists it: is the kernel's package complete?", release);
		break;
	case FUNCTION_VARIABLE:
		diag_error(r->diag, p->symbol_loc, "variable", "'%s' is a variable, not a function", p->symbol);
		break;
	case FUNCTION_VARIANTS:
		others = list_of(f);
		diag_error(r->diag, p->symbol_loc, "variants", "kernel %s has '%s' only as the compiler changed it: %s",
			   release, p->symbol, others);
		diag_help(r->diag, "write the name as it is there");
		free(others);
		break;
	case FUNCTION_ELSEWHERE:
		others = list_of(f);
		diag_error(r->diag, p->symbol_loc, "in-module", "'%s' is in the module%s %s: write %s:%s", p->symbol,
			   f->count > 1 ? "s" : "", others, f->others[0], p->symbol);
		free(others);
		break;
	case FUNCTION_REFUSED:
		diag_error(r->diag, p->symbol_loc, "refused", "'%s' cannot be measured: %s", p->symbol, f->reason);
		break;
	default:
		if (f->module)
			diag_error(r->diag, p->symbol_loc, "no-function", "no function '%s' in module %s of kernel %s",
				   p->symbol, f->module, release);
		else
			diag_error(r->diag, p->symbol_loc, "no-function", "no function '%s' in kernel %s", p->symbol,
				   release);
		nearest(r, p->system, p->symbol);
		break;
	}
}

static void several(struct resolve *r, const struct point *p, const struct function *f)
{
	struct text t = {};

	for (unsigned int i = 0; i < f->count && i < FUNCTION_OTHERS; i++)
		if (f->addresses[i])
			text_printf(&t, "%s%" PRIx64, i ? ", " : ": at ", f->addresses[i]);
	if (f->count > FUNCTION_OTHERS && t.length)
		text_string(&t, ", ...");
	diag_error(r->diag, p->symbol_loc, "several", "%u functions of %s%s are named '%s'%s", f->count,
		   f->module ? "module " : "the kernel", f->module ? f->module : "", p->symbol, t.s ? t.s : "");
	diag_help(r->diag, "not yet: to choose one by its file (%s@FILE)", p->symbol);
	text_free(&t);
}

static bool function(struct resolve *r, const struct point *p, bool whole, struct plan_point *out)
{
	struct function f;

	symbols_function(r->symbols, p->system, p->symbol, &f);
	if (f.state == FUNCTION_SEVERAL) {
		several(r, p, &f);
		return false;
	}
	if (f.state != FUNCTION_FOUND) {
		not_found(r, p, &f);
		return false;
	}
	if (f.no_return && (whole || p->at_return)) {
		diag_error(r->diag, p->symbol_loc, "refused", "'%s' cannot be measured: it never returns", p->symbol);
		diag_help(r->diag, "its entry can: measure from %s to ...", p->symbol);
		return false;
	}
	if (p->has_offset && f.size && p->offset >= f.size) {
		diag_error(r->diag, p->loc, "offset", "'%s' has %" PRIu64 " bytes: there is no instruction at +%" PRIu64,
			   p->symbol, f.size, p->offset);
		return false;
	}
	if (p->has_offset && p->offset > (1 << 24)) {
		diag_error(r->diag, p->loc, "offset", "no function is that long");
		return false;
	}
	if (f.built_in)
		diag_note(r->diag, p->system_loc, "built-in", "%s is part of this kernel, not a module", p->system);
	out->where = p->at_return ? PLAN_RETURN : p->has_offset && p->offset ? PLAN_OFFSET : PLAN_FUNCTION;
	out->offset = p->offset;
	out->module = copy(f.module);
	out->symbol = copy(p->symbol);
	return true;
}

static bool tracepoint(struct resolve *r, const struct point *p, struct plan_point *out)
{
	const char *release = r->kernel->release;
	struct tracepoint t;
	struct near near;

	symbols_tracepoint(r->symbols, p->system, p->symbol, &t);
	switch (t.state) {
	case TRACEPOINT_ABSENT:
		if (p->system && strcmp(p->system, "syscalls") == 0 && strncmp(p->symbol, "sys_", 4) == 0) {
			resolve_not_yet(r, p->loc, "system calls");
			return false;
		}
		diag_error(r->diag, p->symbol_loc, "no-tracepoint", "no tracepoint '%s' in kernel %s", p->symbol, release);
		near_begin(&near, p->symbol);
		symbols_near_tracepoints(r->symbols, &near);
		diag_near(r->diag, &near);
		return false;
	case TRACEPOINT_OTHER_SYSTEM:
		diag_error(r->diag, p->system_loc, "system", "tracepoint '%s' is of %s, not of '%s': write tp:%s:%s",
			   p->symbol, t.system, p->system, t.system, p->symbol);
		return false;
	case TRACEPOINT_UNKNOWN_SYSTEM:
		diag_note(r->diag, p->system_loc, "unknown-system", "nothing here tells whether '%s' is of %s; there is one "
			  "of that name", p->symbol, p->system);
		break;
	case TRACEPOINT_FOUND:
		break;
	}
	out->where = PLAN_TRACEPOINT;
	out->module = copy(t.module);
	out->symbol = copy(p->symbol);
	return true;
}

bool resolve_point(struct resolve *r, const struct point *p, bool whole, struct plan_point *out)
{
	if (p->kind == POINT_BAD)
		return false;
	if (whole && (p->kind == POINT_TRACEPOINT || p->kind == POINT_LINE || p->kind == POINT_WATCH || p->at_return ||
		      p->has_offset)) {
		diag_error(r->diag, p->loc, "no-duration", "this is a moment, not a function that takes time");
		diag_help(r->diag, "from one moment to another: measure from %s to ...", p->text);
		return false;
	}
	if (is_later(r, p))
		return false;
	out->text = copy(p->text);
	return p->kind == POINT_TRACEPOINT ? tracepoint(r, p, out) : function(r, p, whole, out);
}
