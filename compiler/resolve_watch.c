// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_watch.c: watch:VARIABLE: where the variable lies, how many bytes of it, and what it is; cut into pieces that the
 * processor can watch.
 *
 * BTF tells the types only of variables that each CPU has, the symbol table no sizes: without DWARF others are watched by so
 * many bytes as the script says.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

#define BREAKPOINTS	4		/* that the processor has */
#define PIECE_MAX	8		/* bytes that one of them watches, at a multiple of their number */
#define PER_CPU_MAX	(1ULL << 32)	/* offsets of per-CPU variables, where they are linked from 0 on, lie below */
#define OFFSET_MAX	(1ULL << 30)	/* from a variable's beginning */
#define STATICS		32		/* of one name that are told apart */
#define SHOWN		8

struct watched {
	const char *module;		/* NULL: the kernel's own, or an address */
	bool based, absolute, per_cpu;
	unsigned int base;		/* based: the plan's variable at whose address `from` counts */
	uint64_t from;			/* its address: absolute, from init_task, or from the base */
	uint64_t low;			/* what is known of where it begins: the lowest bits are true */
	const struct type *type;	/* NULL: nothing tells it */
	uint64_t offset;		/* of the part that is watched */
	unsigned int bits, shift;	/* of a bit-field, in its storage of type->size bytes */
	bool wrong;			/* what was said is no matter of what this kernel has */
};

/* ---- finding the variable ---- */

static const char *in_module(const struct point *p)
{
	return p->system ? " of module " : "";
}

static const char *module_name(const struct point *p)
{
	return p->system ? p->system : "";
}

/* Several of one name, none chosen, or not by this file. */
static void say_several(struct resolve *r, const struct point *p, unsigned int n, const char *const *files,
			const uint64_t *addresses)
{
	struct text t = {};
	unsigned int known = 0;

	for (unsigned int i = 0; i < n && i < STATICS; i++) {
		if (!files[i] || known++ >= SHOWN)
			continue;
		text_printf(&t, "%s%s", t.length ? ", " : "", files[i]);
	}
	for (unsigned int i = 0; !known && i < n && i < SHOWN; i++)
		text_printf(&t, "%s%" PRIx64, t.length ? ", " : "at ", symbols_shown_address(p->system, addresses[i]));
	if (known > SHOWN || (!known && n > SHOWN))
		text_string(&t, ", ...");
	if (p->file && known && n == 1)
		diag_error(r->diag, p->loc, "file", "'%s' is not in that file, but in %s", p->symbol, t.s);
	else if (p->file && known)
		diag_error(r->diag, p->loc, "file", "of the %u variables '%s'%s%s not one is in that file, or several are: %s", n,
			   p->symbol, in_module(p), module_name(p), t.s);
	else if (p->file)
		diag_error(r->diag, p->loc, "no-dwarf", "nothing tells in which file a variable '%s' is", p->symbol);
	else
		diag_error(r->diag, p->symbol_loc, "several", "%u variables%s%s are named '%s': %s%s", n, p->system ? in_module(p) :
			   " of the kernel", module_name(p), p->symbol, known ? "in " : "", t.s ? t.s : "");
	if (!known)
		diag_help(r->diag, "%s%s%s@FILE chooses one by its file, which DWARF knows (Debian: the package linux-image-%s-dbg)",
			  module_name(p), p->system ? ":" : "", p->symbol, r->kernel->release);
	else if (!p->file)
		diag_help(r->diag, "choose one by its file: %s%s%s@FILE", module_name(p), p->system ? ":" : "", p->symbol);
	text_free(&t);
}

/* Which of @n variables of the name is the script's; the file and the type of each, where anything tells. -1: none (said). */
static int choose(struct resolve *r, const struct point *p, const char *module, unsigned int n, const uint64_t *addresses,
		  const char **files, const struct type **type)
{
	struct variable_seen seen[STATICS];
	unsigned int known = n > 1 || p->file || !*type ? types_variables(r->types, module, p->symbol, seen, STATICS) : 0;
	const struct type *types[STATICS] = {};
	int found = -1;

	for (unsigned int i = 0; i < n && i < STATICS; i++)
		for (unsigned int k = 0; k < known; k++)
			if (seen[k].address == addresses[i]) {
				files[i] = seen[k].file ? seen[k].file : files[i];
				types[i] = seen[k].type;
			}
	if (n == 1 && !p->file)
		found = 0;
	for (unsigned int i = 0; p->file && i < n && i < STATICS; i++)
		if (files[i] && resolve_is_file(files[i], p->file))
			found = found == -1 ? (int)i : -2;
	if (found < 0)
		say_several(r, p, n, files, addresses);
	else if (types[found])
		*type = types[found];
	return found < 0 ? -1 : found;
}

static void say_unknown(struct resolve *r, const struct point *p)
{
	struct near near;

	diag_error(r->diag, p->symbol_loc, "no-variable", "no variable '%s' in %s%s%skernel %s", p->symbol, p->system ? "module " : "",
		   module_name(p), p->system ? " of " : "", r->kernel->release);
	if (!resolve_wants_near(r))
		return;
	near_begin(&near, p->symbol);
	if (p->system)
		symbols_near_module_variables(r->symbols, p->system, &near);
	else
		symbols_near_variables(r->symbols, &near);
	diag_near(r->diag, &near);
	if (!p->system && !near.count)
		diag_help(r->diag, "a variable of a module is written MODULE:%s", p->symbol);
}

static bool kernel_variable(struct resolve *r, const struct point *p, struct watched *w)
{
	uint64_t addresses[STATICS], anchor = symbols_address(r->symbols, "init_task");
	unsigned int n = symbols_variables(r->symbols, p->symbol, addresses, STATICS);
	const char *files[STATICS] = {};
	int index;

	if (!n) {
		if (symbols_address(r->symbols, p->symbol))
			diag_error(r->diag, p->symbol_loc, "no-variable", "'%s' is a function; code is not watched, but probed", p->symbol);
		else
			say_unknown(r, p);
		return false;
	}
	w->type = types_variable(r->types, NULL, p->symbol, &w->per_cpu);
	index = choose(r, p, NULL, n, addresses, files, &w->type);
	w->wrong = index < 0;
	if (w->wrong)
		return false;
	if (!anchor || (!addresses[index] && !w->per_cpu)) {
		diag_error(r->diag, p->symbol_loc, "hidden", "the kernel hides its addresses, and so where '%s' lies", p->symbol);
		diag_help(r->diag, "sysctl kernel.kptr_restrict=1, and be root");
		return false;
	}
	w->low = addresses[index];
	w->absolute = w->low < PER_CPU_MAX;
	w->per_cpu |= w->absolute;
	w->from = w->absolute ? w->low : w->low - anchor;
	return true;
}

static bool module_variable(struct resolve *r, const struct point *p, const char *module, struct watched *w)
{
	uint64_t addresses[STATICS], distance = 0;
	const char *files[STATICS] = {}, *anchor;
	bool per_cpu;
	unsigned int n;
	int index;

	switch (symbols_module_variable(r->symbols, module, p->symbol)) {
	case MODULE_VARIABLE_ABSENT:
		say_unknown(r, p);
		return false;
	case MODULE_VARIABLE_PER_CPU:
		diag_error(r->diag, p->symbol_loc, "refused", "'%s' of module %s cannot be watched: each CPU has one, and the kernel tells no "
			   "one where they lie", p->symbol, p->system);
		return false;
	case MODULE_VARIABLE_GONE:
		diag_error(r->diag, p->symbol_loc, "refused", "'%s' of module %s cannot be watched: it is gone once the module is loaded",
			   p->symbol, p->system);
		return false;
	default:
		break;
	}
	w->type = types_variable(r->types, module, p->symbol, &per_cpu);
	n = symbols_module_variables(r->symbols, module, p->symbol, addresses, files, STATICS);
	index = choose(r, p, module, n, addresses, files, &w->type);
	anchor = index < 0 ? NULL : symbols_variable_anchor(r->symbols, module, p->symbol, addresses[index], &distance);
	w->wrong = !anchor;
	if (index < 0)
		return false;
	if (!anchor) {
		diag_error(r->diag, p->symbol_loc, "several", "nothing tells these variables apart when the module is loaded");
		return false;
	}
	w->module = module;
	w->based = true;
	w->base = resolve_module_variable(r, module, anchor);
	w->from = distance;
	w->low = symbols_shown_address(module, addresses[index]);
	return true;
}

/* As the running kernel has it. */
static bool address(struct resolve *r, const struct point *p, struct watched *w)
{
	char *end;

	w->from = w->low = strtoull(p->symbol, &end, 0);
	w->absolute = true;
	if (*end || !w->from) {
		diag_error(r->diag, p->symbol_loc, "bad-point", "this is neither an address nor a variable's name");
		return false;
	}
	if (!(w->from >> 63)) {
		diag_error(r->diag, p->symbol_loc, "out-of-range", "this address is not the kernel's");
		return false;
	}
	return true;
}

static bool find(struct resolve *r, const struct point *p, struct watched *w)
{
	struct function f = {};

	if (p->symbol[0] >= '0' && p->symbol[0] <= '9')
		return address(r, p, w);
	if (!p->system)
		return kernel_variable(r, p, w);
	symbols_function(r->symbols, p->system, p->symbol, &f);
	if (f.state == FUNCTION_NO_MODULE || f.state == FUNCTION_BAD_MODULE) {
		struct near near;

		diag_error(r->diag, p->system_loc, "no-module", f.state == FUNCTION_NO_MODULE ? "kernel %s has no module '%s'" :
			   "of kernel %s the file of module '%s' cannot be read", r->kernel->release, p->system);
		near_begin(&near, p->system);
		symbols_near_modules(r->symbols, &near);
		diag_near(r->diag, &near);
		if (symbols_address(r->symbols, p->system))
			diag_help(r->diag, "what follows a variable is :BYTES, and :write or :rw");
		return false;
	}
	return f.built_in ? kernel_variable(r, p, w) : module_variable(r, p, f.module ? f.module : p->system, w);
}

/* ---- the part of it that is meant ---- */

static bool is_structure(const struct type *t)
{
	return t->class == CLASS_STRUCT || t->class == CLASS_UNION;
}

static void say_no_member(struct resolve *r, const struct point *p, const struct type *t, const char *name)
{
	char *text;

	if (is_structure(t)) {
		resolve_no_member(r, p->loc, t, name);
		return;
	}
	text = types_text(r->types, t);
	diag_error(r->diag, p->loc, "not-a-structure", "only structures have fields; before .%s this is '%s'", name, text);
	if (t->class == CLASS_POINTER)
		diag_help(r->diag, "what a pointer points to has no address of its own: give the address that it has, 0xADDRESS:BYTES");
	free(text);
}

static bool member(struct resolve *r, const struct point *p, struct watched *w, const char *name)
{
	struct type_member m;

	if (!is_structure(w->type) || !types_member(r->types, w->type, name, &m)) {
		say_no_member(r, p, w->type, name);
		return false;
	}
	w->offset += m.offset;
	w->type = m.type;
	w->bits = m.bits;
	w->shift = m.shift;
	return true;
}

static bool element(struct resolve *r, const struct point *p, struct watched *w, uint64_t index)
{
	const struct type *t = w->type->class == CLASS_ARRAY ? types_target(r->types, w->type) : NULL;

	if (!t || !t->size) {
		char *text = types_text(r->types, w->type);

		diag_error(r->diag, p->loc, "not-an-array", "[%" PRIu64 "] is for arrays; before it this is '%s'", index, text);
		free(text);
		return false;
	}
	if (w->type->count && index >= w->type->count) {
		diag_error(r->diag, p->loc, "index", "the array has %" PRIu64 " elements, counted from 0", w->type->count);
		return false;
	}
	if (index >= OFFSET_MAX / t->size) {
		diag_error(r->diag, p->loc, "out-of-range", "no array is that long");
		return false;
	}
	w->offset += index * t->size;
	w->type = t;
	return true;
}

/* A member or an element a step; a distance takes the type away. The parser has seen to the form. */
static bool follow(struct resolve *r, const struct point *p, struct watched *w)
{
	const char *s = p->path;
	bool good = true;

	while (*s && good) {
		size_t n = strcspn(s + 1, ".[]+");
		char *word = mem_copy(s + 1, n);
		uint64_t number = *s == '.' ? 0 : strtoull(word, NULL, 0);

		if (*s == '.') {
			good = member(r, p, w, word);
		} else if (*s == '[') {
			good = element(r, p, w, number);
			n++;
		} else {
			good = number < OFFSET_MAX;
			if (!good)
				diag_error(r->diag, p->loc, "out-of-range", "no variable is that long");
			w->offset += number;
			w->type = NULL;
			w->bits = 0;
		}
		s += 1 + n;
		free(word);
	}
	return good;
}

/* ---- where nothing tells its type ---- */

/* What the kernel's own headers declare these to be. */
static const struct { const char *name, *type; } well_known[] = {
	{ "init_task", "task_struct" }, { "init_mm", "mm_struct" }, { "init_net", "net" }, { "init_cred", "cred" },
	{ "init_pid_ns", "pid_namespace" }, { "init_user_ns", "user_namespace" },
};

/* How the same is written where no type is needed: malloc'ed; NULL: that is not known. */
static char *by_distance(struct resolve *r, const struct point *p)
{
	struct diag_mark mark = diag_mark(r->diag);
	struct watched w = {};
	char *text = NULL;

	for (unsigned int i = 0; !p->system && i < sizeof(well_known) / sizeof(*well_known); i++)
		if (strcmp(well_known[i].name, p->symbol) == 0)
			w.type = types_named(r->types, CLASS_STRUCT, well_known[i].type, NULL);
	if (w.type && follow(r, p, &w) && w.type && w.type->size)
		text = mem_printf("%s+%#" PRIx64 ":%" PRIu64, p->symbol, w.offset, w.type->size);
	diag_rewind(r->diag, mark);
	return text;
}

static unsigned int piece_at(uint64_t address, uint64_t left)
{
	unsigned int bytes = PIECE_MAX;

	while (bytes > left || address % bytes)
		bytes /= 2;
	return bytes;
}

static void say_untyped(struct resolve *r, const struct point *p, const struct watched *w)
{
	const char *before = p->system ? p->system : "", *colon = p->system ? ":" : "";
	uint64_t room = w->module ? 0 : symbols_variable_room(r->symbols, w->low);
	char *text = by_distance(r, p);

	if (w->absolute && !w->per_cpu)
		diag_error(r->diag, p->loc, "no-types", "an address does not say how many bytes are there");
	else if (types_have_dwarf(r->types, p->system))
		diag_error(r->diag, p->loc, "no-types", "nothing tells the type of '%s'", p->symbol);
	else
		diag_error(r->diag, p->loc, "no-types", "nothing tells the type of '%s': BTF knows only variables that each CPU has, symbol "
			   "tables no sizes", p->symbol);
	if (strchr(p->path, '+') || (w->absolute && !w->per_cpu))
		diag_help(r->diag, "write how many bytes: %s:%u", p->text, piece_at(w->low + w->offset, PIECE_MAX));
	else if (*p->path && text)
		diag_help(r->diag, "write where and how many bytes; this is %s", text);
	else if (*p->path)
		diag_help(r->diag, "write where and how many bytes: %s%s%s+OFFSET:BYTES; pahole -C STRUCT tells both", before, colon,
			  p->symbol);
	else
		diag_help(r->diag, "write how many bytes it has: %s%s%s:%u", before, colon, p->symbol,
			  piece_at(w->low, room ? room : PIECE_MAX));
	if (!types_have_dwarf(r->types, p->system) && !(w->absolute && !w->per_cpu))
		diag_help(r->diag, "DWARF tells the types of all (Debian: the package linux-image-%s-dbg)", r->kernel->release);
	free(text);
}

/* ---- pieces ---- */

static void say_too_wide(struct resolve *r, const struct point *p, const struct watched *w, uint64_t bytes)
{
	diag_error(r->diag, p->loc, "too-wide", "%s has %" PRIu64 " bytes, and the processor watches %d pieces of at most %d, each at a "
		   "multiple of its size", p->text, bytes, BREAKPOINTS, PIECE_MAX);
	if (w->type && is_structure(w->type))
		diag_help(r->diag, "name a field of it: %s%s%s%s.FIELD", module_name(p), p->system ? ":" : "", p->symbol, p->path);
	else if (w->type && w->type->class == CLASS_ARRAY)
		diag_help(r->diag, "name an element of it: %s%s%s%s[0]", module_name(p), p->system ? ":" : "", p->symbol, p->path);
}

static struct plan_expr *address_of(const struct watched *w)
{
	struct plan_expr *e;

	if (w->based)
		e = calc_leaf(PLAN_VARIABLE, PLAN_U64, w->base);
	else
		e = w->absolute ? calc_const(PLAN_U64, w->from) : calc_leaf(PLAN_ADDRESS, PLAN_U64, w->from);
	if (w->per_cpu)
		e = calc_this_cpu(e);
	return calc_binary(OP_ADD, e, calc_const(PLAN_U64, w->offset + (w->based ? w->from : 0)));
}

static void add_piece(struct sites *out, const struct point *p, const struct watched *w, uint64_t from, unsigned int bytes,
		      bool reads)
{
	struct site *site = resolve_site_add(out);

	site->point = (struct plan_point){
		.text = mem_copy(p->text, strlen(p->text)), .where = PLAN_MEMORY,
		.module = w->module ? mem_copy(w->module, strlen(w->module)) : NULL,
		.symbol = mem_copy(p->symbol, strlen(p->symbol)), .bytes = bytes, .reads = reads, .per_cpu = w->per_cpu,
		.based = w->based, .base = w->base, .is_absolute = w->absolute, .offset = w->offset + from,
	};
	if (w->based)
		site->point.offset += w->from;
	else if (w->absolute)
		site->point.absolute = w->from;
	else
		site->point.distance = w->from;
	site->name = site->point.symbol;
	site->at = address_of(w);
	site->type = w->type;
	site->bits = w->bits;
	site->shift = w->shift;
}

static bool cut(struct resolve *r, const struct point *p, const struct watched *w, uint64_t bytes, bool reads, struct sites *out)
{
	unsigned int first = out->count, piece;

	for (uint64_t from = 0; from < bytes; from += piece) {
		if (out->count - first == BREAKPOINTS) {
			while (out->count > first) {
				plan_point_free(&out->list[--out->count].point);
				plan_expr_free(out->list[out->count].at);
			}
			say_too_wide(r, p, w, bytes);
			out->wrong = true;
			return false;
		}
		piece = piece_at(w->low + w->offset + from, bytes - from);
		add_piece(out, p, w, from, piece, reads);
	}
	return true;
}

/* ---- accesses ---- */

static bool access_of(struct resolve *r, const char *word, struct loc loc, bool *reads)
{
	struct near near;

	*reads = strcmp(word, "write") != 0;
	if (!*reads || strcmp(word, "rw") == 0)
		return true;
	if (strcmp(word, "read") == 0) {
		diag_error(r->diag, loc, "access", "this processor cannot watch reads alone: only writes, or both");
		diag_help(r->diag, "rw counts both; with a second statement for the writes, the rest are reads");
		return false;
	}
	diag_error(r->diag, loc, "access", "an access is write or rw, not '%s'", word);
	near_begin(&near, word);
	near_offer(&near, "write", 5);
	near_offer(&near, "rw", 2);
	diag_near(r->diag, &near);
	return false;
}

bool resolve_watch_mode(struct resolve *r, const struct statement *from)
{
	bool reads;

	return !from->word || access_of(r, from->word->text, from->word->loc, &reads);
}

/* Both, unless it is said: the point says it, or what follows it in the statement. */
static bool reads_too(struct resolve *r, const struct point *p, bool *reads)
{
	if (p->access && r->mode) {
		diag_error(r->diag, r->mode->loc, "twice", "the access is said already, behind the variable");
		return false;
	}
	*reads = true;
	if (r->mode)			/* what is wrong with it was said */
		*reads = strcmp(r->mode->text, "write") != 0;
	return !p->access || access_of(r, p->access, p->loc, reads);
}

/* ---- a point ---- */

bool resolve_watch(struct resolve *r, const struct point *p, struct sites *out)
{
	struct watched w = {};
	unsigned int before;
	uint64_t bytes;
	bool reads;

	if (!reads_too(r, p, &reads)) {
		out->wrong = true;
		return false;
	}
	if (!find(r, p, &w)) {
		out->wrong |= w.wrong;
		return false;
	}
	/* Where the type is not known, a distance is all that can be said. */
	if (!w.type && *p->path && *p->path != '+') {
		say_untyped(r, p, &w);
		return false;
	}
	if (!follow(r, p, &w))
		return false;
	bytes = p->bytes ? p->bytes : w.type ? w.type->size : 0;
	if (!bytes && w.type) {
		char *text = types_text(r->types, w.type);

		diag_error(r->diag, p->loc, "incomplete", "the size of '%s' is not known", text);
		free(text);
		return false;
	}
	if (!bytes) {
		say_untyped(r, p, &w);
		return false;
	}
	if (!w.type || bytes != w.type->size) {
		w.type = bytes <= PIECE_MAX && !(bytes & (bytes - 1)) ? types_int(r->types, bytes, false) : NULL;
		w.bits = 0;
	}
	if (w.bits)
		diag_note(r->diag, p->loc, "bit-field", "a bit-field: the %" PRIu64 " bytes that hold it are watched, with all that lies in "
			  "them", bytes);
	before = out->count;
	if (!cut(r, p, &w, bytes, reads, out))
		return false;
	if (out->count - before > 1)
		diag_note(r->diag, p->loc, "pieces", "%" PRIu64 " bytes at this address are watched as %u pieces: an access that touches "
			  "several is a hit of each", bytes, out->count - before);
	return true;
}

bool resolve_watched_value(struct resolve *r, const struct expr *e, const struct site *site, struct operand *o)
{
	struct near near;

	if (strcmp(e->name, "value") != 0) {
		diag_error(r->diag, e->loc, "no-argument", "a watched variable has no '%s'; what it holds then is $value", e->name);
		near_begin(&near, e->name);
		near_offer(&near, "value", 5);
		diag_near(r->diag, &near);
		return false;
	}
	if (!site->type) {
		diag_error(r->diag, e->loc, "no-types", "nothing tells the type of what is watched here");
		diag_help(r->diag, "of 1, 2, 4 or 8 bytes $value is an unsigned number; of others a cast of an address is: *(u32 *)&NAME");
		return false;
	}
	*o = (struct operand){ .e = plan_expr_copy(site->at), .type = site->type, .in_memory = true, .bits = site->bits,
			       .shift = site->shift };
	return true;
}

/* ---- all of a script ---- */

static bool same_memory(const struct plan_point *a, const struct plan_point *b)
{
	return a->where == PLAN_MEMORY && b->where == PLAN_MEMORY && a->based == b->based && (!a->based || a->base == b->base) &&
	       a->absolute == b->absolute && a->distance == b->distance && a->offset == b->offset && a->bytes == b->bytes &&
	       a->reads == b->reads && a->per_cpu == b->per_cpu;
}

/* How many pieces of memory the script watches; beyond the processor's, only that they are more. Points at the same share one. */
static unsigned int pieces_of(const struct plan *plan)
{
	const struct plan_point *seen[BREAKPOINTS];
	unsigned int n = 0;

	for (unsigned int i = 0; i < plan->nstatements; i++) {
		const struct plan_statement *s = &plan->statements[i];

		for (unsigned int k = 0; k < s->npoints; k++) {
			bool again = s->points[k].where != PLAN_MEMORY;

			for (unsigned int old = 0; old < n && old < BREAKPOINTS && !again; old++)
				again = same_memory(&s->points[k], seen[old]);
			if (!again && n < BREAKPOINTS)
				seen[n] = &s->points[k];
			n += !again;
		}
	}
	return n;
}

static bool watches(const struct statement *s)
{
	for (const struct place *place = s->places; place; place = place->next)
		for (const struct point *p = place->points; p; p = p->next)
			if (p->kind == POINT_WATCH)
				return true;
	return false;
}

bool resolve_watch_room(struct resolve *r, const struct script *script)
{
	const struct statement *last = NULL;
	unsigned int n = pieces_of(r->plan);

	if (n <= BREAKPOINTS)
		return true;
	for (const struct statement *s = script->statements; s; s = s->next)
		if (watches(s))
			last = s;
	diag_error(r->diag, last ? last->loc : LOC_NONE, "too-many", "this script watches more than the processor can: it has %d "
		   "breakpoints", BREAKPOINTS);
	diag_help(r->diag, "each variable takes one, what is wider than %d bytes several; statements share them where variable and "
		  "access are the same", PIECE_MAX);
	return false;
}

/* ---- kmeter -L ---- */

static void print_watched(struct resolve *r, const struct point *p, const struct sites *sites, bool details, FILE *to)
{
	const struct site *first = &sites->list[0];
	char *type = first->type ? types_text(r->types, first->type) : NULL;

	fprintf(to, "%s\n", p->text);
	for (unsigned int i = 0; details && i < sites->count; i++) {
		const struct plan_point *point = &sites->list[i].point;

		fprintf(to, "    %s%s%u bytes", i || !type ? "" : type, i || !type ? "" : ": ", point->bytes);
		if (point->based)
			fprintf(to, ", %#x bytes behind %s of module %s", point->offset, r->plan->variables[point->base].symbol, point->module);
		else if (point->is_absolute)
			fprintf(to, " at %#" PRIx64, point->absolute + point->offset);
		else
			fprintf(to, " at init_task%+" PRId64, point->distance + (int64_t)point->offset);
		fprintf(to, "%s; breakpoint, for write or rw\n", point->per_cpu ? ", of each CPU its own" : "");
	}
	free(type);
}

bool resolve_list_watched(const struct point *p, bool details, const struct kernel *kernel, struct symbols *symbols,
			  struct types *types, struct diag *diag, FILE *to)
{
	struct plan plan = {};
	struct resolve r = { .kernel = kernel, .symbols = symbols, .types = types, .diag = diag, .plan = &plan };
	struct sites sites = {};
	bool good = resolve_watch(&r, p, &sites);

	if (good)
		print_watched(&r, p, &sites, details, to);
	resolve_sites_free(&sites);
	plan_free(&plan);
	return good;
}
