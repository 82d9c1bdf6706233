// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_point.c: is there such a point in the target kernel, and can it be measured? One word of a script may be several
 * places: variants of a function, the entries of a system call, the instances of an inlined function. resolve_glob.c has
 * patterns; resolve_code.c what only debug information knows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "instructions.h"
#include "resolve_private.h"

static char *copy(const char *s)
{
	return s ? mem_copy(s, strlen(s)) : NULL;
}

/* ---- sites ---- */

struct site *resolve_site_add(struct sites *sites)
{
	sites->list = mem_more(sites->list, sites->count, sizeof(*sites->list));
	sites->list[sites->count] = (struct site){};
	return &sites->list[sites->count++];
}

void resolve_sites_free(struct sites *sites)
{
	for (unsigned int i = 0; i < sites->count; i++) {
		plan_point_free(&sites->list[i].point);
		plan_expr_free(sites->list[i].at);
	}
	free(sites->list);
	free(sites->traced);
	point_free(sites->replaced);
	*sites = (struct sites){};
}

struct site *resolve_site_function(struct resolve *r, struct sites *out, const struct point *p, const char *module,
				   const char *symbol, uint64_t address, bool twins)
{
	uint64_t origin = twins && !module ? symbols_address(r->symbols, "init_task") : 0, distance;
	struct site *site = resolve_site_add(out);

	site->point.text = copy(p->text);
	site->point.where = p->at_return ? PLAN_RETURN_OF : PLAN_FUNCTION;
	site->point.module = copy(module);
	site->point.symbol = copy(symbol);
	if (origin && address)
		site->point.distance = address - origin;
	if (twins && module) {
		site->point.anchor = copy(symbols_anchor(r->symbols, module, symbol, address, &distance));
		site->point.distance = distance;
	}
	site->address = address;
	site->name = site->point.symbol;
	return site;
}

void resolve_site_tracepoint(struct resolve *r, struct sites *out, const struct point *p, const char *module,
			     const char *system, const char *name)
{
	struct site *site = resolve_site_add(out);

	site->point.text = copy(p->text);
	site->point.where = PLAN_TRACEPOINT;
	site->point.module = copy(module);
	site->point.symbol = copy(name);
	site->point.waits = module;
	site->convention = CONVENTION_TRACEPOINT;
	site->name = site->point.symbol;
	site->system = system;
}

/* ---- functions ---- */

/* Nearest names, behind the message that was given last. */
static void nearest(struct resolve *r, const char *module, const char *name)
{
	struct near near;

	if (!resolve_wants_near(r))
		return;
	near_begin(&near, name);
	symbols_near_functions(r->symbols, module, &near);
	diag_near(r->diag, &near);
}

static char *list_of(const struct function *f)
{
	struct text t = {};

	for (unsigned int i = 0; i < f->count && i < FUNCTION_SHOWN; i++)
		text_printf(&t, "%s%s", i ? ", " : "", f->others[i]);
	if (f->count > FUNCTION_SHOWN)
		text_string(&t, ", ...");
	return text_take(&t);
}

static bool was_inlined(struct resolve *r, const char *name)
{
	struct code_place *places = NULL;
	unsigned int count = types_have_dwarf(r->types, NULL) ? types_inlines(r->types, NULL, name, &places) : 0;

	free(places);
	return count;
}

/* How bpftrace, perf and stap begin the names of their probes. */
static bool say_other_notation(struct resolve *r, const struct point *p)
{
	static const char *const calls[] = { "kprobe", "kretprobe", "kfunc", "kretfunc", "fentry", "fexit", "p", "r", NULL };

	for (unsigned int i = 0; calls[i]; i++) {
		if (strcmp(calls[i], p->system) != 0)
			continue;
		diag_help(r->diag, "a function is written by its name alone: %s, its return %s:return", p->symbol, p->symbol);
		return true;
	}
	return false;
}

/* A name that is none of a function's, but of a tracepoint or a system call. */
static bool say_other_kind(struct resolve *r, const struct point *p)
{
	const char *call = strncmp(p->symbol, "sys_", 4) == 0 ? p->symbol + 4 : p->symbol;
	char *entry = mem_printf("__x64_sys_%s", call);
	bool is_call = symbols_address(r->symbols, entry);
	struct tracepoint t;

	free(entry);
	if (is_call) {
		diag_help(r->diag, "there is a system call of that name: write syscall:%s", call);
		return true;
	}
	symbols_tracepoint(r->symbols, "", p->symbol, &t);	/* no system is called that: its own is told */
	if (t.state == TRACEPOINT_ABSENT)
		return false;
	diag_help(r->diag, "there is a tracepoint of that name: write tp:%s%s%s", t.system ? t.system : "", t.system ? ":" : "",
		  p->symbol);
	return true;
}

static void not_found(struct resolve *r, const struct point *p, const struct function *f)
{
	const char *release = r->kernel->release;
	char *others;
	struct near near;

	switch (f->state) {
	case FUNCTION_NO_MODULE:
		diag_error(r->diag, p->system_loc, "no-module", "kernel %s has no module '%s'", release, p->system);
		if (say_other_notation(r, p))
			break;
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
		diag_error(r->diag, p->symbol_loc, "variants", "of '%s' kernel %s has only parts: %s; the rest was inlined",
			   p->symbol, release, others);
		diag_help(r->diag, "a part can be measured by its own name; inline:%s are the places where it was inlined",
			  p->symbol);
		free(others);
		break;
	case FUNCTION_ELSEWHERE:
		others = list_of(f);
		diag_error(r->diag, p->symbol_loc, "in-module", "'%s' is in the module%s %s: write %s:%s%s%s", p->symbol,
			   f->count > 1 ? "s" : "", others, f->others[0], p->symbol, p->file ? "@" : "", p->file ? p->file : "");
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
		if (!f->module && resolve_wants_near(r) && say_other_kind(r, p))
			break;
		if (!f->module && resolve_wants_near(r) && was_inlined(r, p->symbol)) {
			diag_help(r->diag, "the compiler inlined it everywhere: count inline:%s counts its uses, a duration it has "
				  "not", p->symbol);
			break;
		}
		nearest(r, p->system, p->symbol);
		if (!f->module && !types_have_dwarf(r->types, NULL))
			diag_help(r->diag, "one that was inlined everywhere is known to DWARF alone (Debian: linux-image-%s-dbg)",
				  release);
		break;
	}
}

/* Does the path end with this file, at a folder's border? Symbol tables know no folders. */
bool resolve_is_file(const char *path, const char *file)
{
	const char *base = strrchr(file, '/');
	size_t n = strlen(path), m = strlen(file);

	if (base && !strchr(path, '/'))
		return strcmp(path, base + 1) == 0;
	return n >= m && strcmp(path + n - m, file) == 0 && (n == m || path[n - m - 1] == '/');
}

static const char *file_of(struct resolve *r, const struct function *f, unsigned int i)
{
	const char *file = f->state == FUNCTION_SEVERAL ?
			   types_file_of_twin(r->types, f->module, f->others[i], f->addresses[i]) :
			   types_file_of(r->types, f->module, f->symbol, f->addresses[i]);

	return file ? file : f->files[i];
}

static void several(struct resolve *r, const struct point *p, const struct function *f)
{
	struct text t = {};
	bool files = false;

	for (unsigned int i = 0; i < f->count && i < FUNCTION_SHOWN; i++) {
		const char *file = file_of(r, f, i);

		files |= file != NULL;
		if (file)
			text_printf(&t, "%s%s", t.length ? ", " : ": in ", file);
		else if (f->addresses[i])
			text_printf(&t, "%sat %" PRIx64, t.length ? ", " : ": ", symbols_shown_address(f->module, f->addresses[i]));
	}
	if (f->count > FUNCTION_SHOWN && t.length)
		text_string(&t, ", ...");
	diag_error(r->diag, p->symbol_loc, "several", "%u functions of %s%s are named '%s'%s", f->count,
		   f->module ? "module " : "the kernel", f->module ? f->module : "", p->symbol, t.s ? t.s : "");
	if (files)
		diag_help(r->diag, "choose one by its file: %s%s%s@FILE", f->module ? f->module : "",
			  f->module ? ":" : "", p->symbol);
	else
		diag_help(r->diag, "%s%s%s@FILE chooses one by its file, which DWARF knows (Debian: the package linux-image-%s-dbg)",
			  f->module ? f->module : "", f->module ? ":" : "", p->symbol, r->kernel->release);
	text_free(&t);
}

/* Of the functions of this name, the one of p->file: its index. -1: none or several, or nothing tells (said). */
static int of_file(struct resolve *r, const struct point *p, const struct function *f)
{
	unsigned int n = f->count < FUNCTION_OTHERS ? f->count : FUNCTION_OTHERS, known = 0;
	struct text t = {};
	int found = -1;

	for (unsigned int i = 0; i < n; i++) {
		const char *file = file_of(r, f, i);

		if (!file)
			continue;
		if (++known <= FUNCTION_SHOWN)
			text_printf(&t, "%s%s", t.length ? ", " : "", file);
		else if (known == FUNCTION_SHOWN + 1)
			text_string(&t, ", ...");
		if (resolve_is_file(file, p->file))
			found = found == -1 ? (int)i : -2;
	}
	if (!known) {
		diag_error(r->diag, p->loc, "no-dwarf", "nothing tells in which file a function '%s' is", p->symbol);
		diag_help(r->diag, "DWARF does (Debian: the package linux-image-%s-dbg)", r->kernel->release);
	} else if (found < 0) {
		diag_error(r->diag, p->loc, "file", found == -2 ? "several of the functions '%s' are in files of this name: %s" :
			   "'%s' is not in that file, but in %s", p->symbol, t.s);
	}
	text_free(&t);
	return found < 0 ? -1 : found;
}

static void say_variants(struct resolve *r, const struct point *p, const struct function *f)
{
	struct text t = {};

	if (f->nvariants == 1 && strcmp(f->variants[0].symbol, p->symbol) == 0)
		return;
	for (unsigned int i = 0; i < f->nvariants && i < FUNCTION_SHOWN; i++)
		text_printf(&t, "%s%s", i ? ", " : "", f->variants[i].symbol);
	if (f->nvariants > FUNCTION_SHOWN)
		text_printf(&t, ", ... (%u)", f->nvariants);
	diag_note(r->diag, p->symbol_loc, "variants", "the compiler made of '%s': %s", p->symbol, t.s);
	text_free(&t);
}

/* The kernel would refuse it too, when the script is loaded. */
static bool check_instruction(struct resolve *r, const struct point *p, const struct function *f, unsigned int index)
{
	uint64_t address = f->addresses[index], fentry = f->module ? 0 : symbols_address(r->symbols, "__fentry__");
	size_t size = f->state == FUNCTION_FOUND ? f->size : 0;
	void *code = symbols_code(r->symbols, f->module, p->symbol, address, &size);
	uint64_t before, after;
	bool inside = code && instructions_inside(code, size, p->offset, &before, &after);
	int call = code ? instructions_call_site(code, size, f->module ? 0 : address, fentry) : -1;

	if (call >= 0 && p->offset > (uint64_t)call && p->offset < (uint64_t)call + CALL_SITE_BYTES) {
		inside = true;
		before = call;
		after = call + CALL_SITE_BYTES;
	}
	free(code);
	if (size && p->offset >= size) {
		diag_error(r->diag, p->loc, "offset", "'%s' has %zu bytes: there is no instruction at +%" PRIu64, p->symbol, size,
			   p->offset);
		return false;
	}
	if (!inside)
		return true;
	diag_error(r->diag, p->loc, "offset", "+%#" PRIx64 " is inside an instruction", p->offset);
	diag_help(r->diag, "the instructions around it begin at %s+%#" PRIx64 " and %s+%#" PRIx64, p->symbol, before, p->symbol,
		  after);
	return false;
}

static bool check_offset(struct resolve *r, const struct point *p, const struct function *f, unsigned int index)
{
	if (f->state == FUNCTION_FOUND && (f->nvariants > 1 || strcmp(f->symbol, p->symbol) != 0)) {
		say_variants(r, p, f);
		diag_error(r->diag, p->loc, "offset", "'%s' has several bodies: an offset needs the one name", p->symbol);
		return false;
	}
	if (p->offset > (1 << 24)) {
		diag_error(r->diag, p->loc, "offset", "no function is that long");
		return false;
	}
	return check_instruction(r, p, f, index);
}

static void add_function(struct resolve *r, const struct point *p, const struct function *f, unsigned int i,
			 struct sites *out)
{
	struct site *site;

	site = resolve_site_function(r, out, p, f->module, f->variants[i].symbol, f->variants[i].address, false);
	site->clone = strcmp(f->variants[i].symbol, p->symbol) != 0;
	if (p->has_offset && p->offset) {
		site->point.where = PLAN_OFFSET;
		site->point.offset = p->offset;
	}
}

static bool function(struct resolve *r, const struct point *p, bool whole, struct sites *out)
{
	struct function f;
	struct site *site;
	bool good = false;
	int index = 0;

	symbols_function(r->symbols, p->system, p->symbol, &f);
	if (f.state == FUNCTION_SEVERAL && !p->file) {
		several(r, p, &f);
		out->wrong = true;
		return false;
	}
	/* A moment of a function that was inlined away is its every instance; a duration it has not. */
	if ((f.state == FUNCTION_ABSENT || f.state == FUNCTION_VARIANTS) && !whole && !p->system && !p->at_return &&
	    !p->has_offset && !p->file && resolve_inlined(r, p, out, &good))
		return good;
	if (f.state != FUNCTION_FOUND && f.state != FUNCTION_SEVERAL) {
		not_found(r, p, &f);
		return false;
	}
	if (p->file)
		index = of_file(r, p, &f);
	if (index < 0)
		return false;
	if (f.no_return && (whole || p->at_return)) {
		diag_error(r->diag, p->symbol_loc, "refused", "'%s' cannot be measured: %s", p->symbol, f.no_return);
		diag_help(r->diag, "its entry can: measure from %s to ...", p->symbol);
		return false;
	}
	if (p->has_offset && !check_offset(r, p, &f, index))
		return false;
	if (f.built_in)
		diag_note(r->diag, p->system_loc, "built-in", "%s is part of this kernel, not a module", p->system);
	if (f.state == FUNCTION_FOUND && f.nvariants > FUNCTION_BODIES) {
		diag_error(r->diag, p->symbol_loc, "variants", "the compiler made %u functions of '%s': too many to measure as one",
			   f.nvariants, p->symbol);
		diag_help(r->diag, "measure those of a pattern: \"%s*\"", p->symbol);
		return false;
	}
	if (f.state == FUNCTION_FOUND) {
		for (unsigned int i = 0; i < f.nvariants; i++)
			add_function(r, p, &f, i, out);
		say_variants(r, p, &f);
		if (!p->has_offset)
			resolve_warn_inlined(r, p, &f);
		return true;
	}
	site = resolve_site_function(r, out, p, f.module, f.others[index], f.addresses[index], true);
	if (p->has_offset && p->offset) {
		site->point.where = PLAN_OFFSET;
		site->point.offset = p->offset;
	}
	if (site->point.distance || site->point.anchor)
		return true;
	if (f.module) {
		diag_error(r->diag, p->loc, "several", "nothing tells these functions apart when the module is loaded");
		diag_help(r->diag, "a pair may go from and to functions around it: those that call it, those that it calls");
		return false;
	}
	diag_error(r->diag, p->loc, "several", "the kernel hides its addresses, which alone tell these functions apart");
	diag_help(r->diag, "sysctl kernel.kptr_restrict=1, and be root");
	return false;
}

/* ---- system calls ---- */

unsigned int resolve_site_syscall(struct resolve *r, struct sites *out, const struct point *p, const char *name,
				  bool at_return)
{
	static const struct { const char *prefix; enum convention convention; } entries[] = {
		{ "__x64_sys_", CONVENTION_SYSCALL }, { "__ia32_sys_", CONVENTION_SYSCALL_IA32 },
		{ "__ia32_compat_sys_", CONVENTION_SYSCALL_IA32 }, { "__x64_compat_sys_", CONVENTION_SYSCALL },
	};
	unsigned int first = out->count;

	for (unsigned int i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		char *symbol = mem_printf("%s%s", entries[i].prefix, name);
		bool known = false;
		struct function f;
		struct site *site;

		symbols_function(r->symbols, NULL, symbol, &f);
		/* A call without arguments has one body for all its names. */
		for (unsigned int k = first; k < out->count; k++)
			known |= f.addresses[0] == out->list[k].address;
		if (f.state == FUNCTION_FOUND && !known && (f.addresses[0] || first == out->count)) {
			site = resolve_site_function(r, out, p, NULL, symbol, f.addresses[0], false);
			site->point.where = at_return ? PLAN_RETURN_OF : PLAN_FUNCTION;
			site->convention = entries[i].convention;
			site->name = strrchr(site->point.symbol, 0) - strlen(name);
		}
		free(symbol);
	}
	return out->count - first;
}

static bool offer_syscall(void *arg, const struct function_seen *seen)
{
	if (strncmp(seen->name, "__x64_sys_", 10) == 0)
		near_offer(arg, seen->name + 10, strlen(seen->name + 10));
	return true;
}

static bool syscall(struct resolve *r, const struct point *p, const char *name, bool at_return, struct sites *out)
{
	struct near near;

	if (strncmp(name, "sys_", 4) == 0 && !resolve_site_syscall(r, out, p, name, at_return))
		name += 4;
	if (out->count || resolve_site_syscall(r, out, p, name, at_return))
		return true;
	diag_error(r->diag, p->symbol_loc, "no-syscall", "kernel %s has no system call '%s'", r->kernel->release, name);
	if (!resolve_wants_near(r))
		return false;
	near_begin(&near, name);
	symbols_each_function(r->symbols, NULL, offer_syscall, &near);
	diag_near(r->diag, &near);
	return false;
}

/* ---- tracepoints ---- */

static bool tracepoint(struct resolve *r, const struct point *p, struct sites *out)
{
	const char *release = r->kernel->release;
	struct tracepoint t;
	struct near near;

	/* These are events, but no tracepoints: the kernel makes them of two that all system calls share. */
	if (p->system && strcmp(p->system, "syscalls") == 0 && strncmp(p->symbol, "sys_enter_", 10) == 0)
		return syscall(r, p, p->symbol + 10, false, out);
	if (p->system && strcmp(p->system, "syscalls") == 0 && strncmp(p->symbol, "sys_exit_", 9) == 0)
		return syscall(r, p, p->symbol + 9, true, out);
	symbols_tracepoint(r->symbols, p->system, p->symbol, &t);
	switch (t.state) {
	case TRACEPOINT_ABSENT:
		diag_error(r->diag, p->symbol_loc, "no-tracepoint", "no tracepoint '%s' in kernel %s", p->symbol, release);
		if (!resolve_wants_near(r))
			return false;
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
	resolve_site_tracepoint(r, out, p, t.module, t.system ? t.system : p->system, p->symbol);
	return true;
}

/* ---- any of them ---- */

static bool is_moment(const struct point *p)
{
	return p->kind == POINT_TRACEPOINT || p->kind == POINT_LINE || p->kind == POINT_INLINE || p->kind == POINT_WATCH ||
	       p->at_return || p->has_offset;
}

bool resolve_point(struct resolve *r, const struct point *p, bool whole, struct sites *out)
{
	if (p->kind == POINT_BAD)
		return false;
	if (whole && is_moment(p)) {
		diag_error(r->diag, p->loc, "no-duration", "this is a moment, not a function that takes time");
		diag_help(r->diag, "from one moment to another: measure from %s to ...", p->text);
		out->wrong = true;
		return false;
	}
	if (p->glob)
		return resolve_glob(r, p, whole, out);
	switch (p->kind) {
	case POINT_TRACEPOINT:
		return tracepoint(r, p, out);
	case POINT_SYSCALL:
		return syscall(r, p, p->symbol, p->at_return, out);
	case POINT_LINE:
	case POINT_INLINE:
		return resolve_places(r, p, out);
	case POINT_WATCH:
		return resolve_watch(r, p, out);
	default:
		return function(r, p, whole, out);
	}
}

/* A quoted point whose {NAME}s are replaced is read again. */
static const struct point *replace(struct resolve *r, const struct point *p, struct sites *out)
{
	struct parse ps = { .diag = r->diag };
	struct text quoted = {};
	struct point *new;
	size_t errors;
	char *text;

	if (!p->quoted || !strchr(p->text, '{'))
		return p;
	errors = diag_errors(r->diag);
	text = resolve_replace(r, p->text, p->loc);
	text_string(&quoted, "\"");
	for (const char *s = text; *s; s++)
		text_printf(&quoted, "%s%c", *s == '"' || *s == '\\' ? "\\" : "", *s);
	text_string(&quoted, p->optional ? "\"?" : "\"");
	new = p->kind == POINT_WATCH ? point_watched(&ps, p->loc, quoted.s) : point_new(&ps, p->loc, quoted.s);
	if (diag_errors(r->diag) > errors)	/* said; what else could be said of it is beside the point */
		new->kind = POINT_BAD;
	new->loc = new->symbol_loc = new->system_loc = p->loc;
	out->replaced = point_list(out->replaced, new);
	text_free(&quoted);
	free(text);
	return new;
}

/* All that can be said of the alternatives, none of which can be taken. */
static void say_all(struct resolve *r, const struct place *place, bool whole, struct diag_mark mark)
{
	struct sites sites = {};

	diag_rewind(r->diag, mark);
	for (const struct point *p = place->points; p; p = p->next)
		resolve_point(r, replace(r, p, &sites), whole, &sites);
	resolve_sites_free(&sites);
}

/* Has this kernel one of the later alternatives too? Said as a note: which one is measured should be no surprise. */
static void say_others(struct resolve *r, const struct point *taken, bool whole)
{
	for (const struct point *p = taken->next; p; p = p->next) {
		struct diag_mark mark = diag_mark(r->diag);
		struct sites also = {};
		bool there;

		r->tentative = true;
		there = resolve_point(r, replace(r, p, &also), whole, &also);
		r->tentative = false;
		diag_rewind(r->diag, mark);
		resolve_sites_free(&also);
		if (there)
			diag_note(r->diag, p->loc, "or", "this kernel has %s too: %s, which comes first, is taken", p->text,
				  taken->text);
	}
}

static void say_left_out(struct resolve *r, const struct place *place)
{
	const struct point *p = place->points;

	if (p->kind == POINT_WATCH) {
		diag_note(r->diag, place->loc, "left-out", "left out: this kernel has no %s, or nothing tells its type", p->text);
		return;
	}
	while (p && p->kind != POINT_LINE && p->kind != POINT_INLINE)
		p = p->next;
	if (!p || types_have_dwarf(r->types, NULL)) {
		diag_note(r->diag, place->loc, "left-out", "left out: this kernel has no %s", place->points->text);
		return;
	}
	diag_note(r->diag, place->loc, "left-out", "left out: whether this kernel has %s, only DWARF knows", p->text);
	diag_help(r->diag, "Debian: the package linux-image-%s-dbg", r->kernel->release);
}

bool resolve_points(struct resolve *r, const struct place *place, bool whole, struct sites *out)
{
	struct diag_mark mark = diag_mark(r->diag);
	bool optional = false, found;

	for (const struct point *p = place->points; p; p = p->next) {
		if (p->kind == POINT_BAD)
			return false;
		optional |= p->optional;
	}
	for (const struct point *p = place->points; p; p = p->next) {
		struct diag_mark before = diag_mark(r->diag);
		const struct point *point = replace(r, p, out);

		if (point->kind == POINT_BAD)
			return false;
		r->tentative = optional || place->points->next;
		found = resolve_point(r, point, whole, out);
		r->tentative = false;
		if (!found) {
			while (out->count) {
				plan_point_free(&out->list[--out->count].point);
				plan_expr_free(out->list[out->count].at);
			}
			out->ntraced = 0;
			if (out->wrong)
				break;
			continue;
		}
		out->written = p;
		if (before.count != mark.count || before.errors != mark.errors) {
			/* What was said of the alternatives that are not here is of no interest: say the rest again. */
			struct sites again = {};

			diag_rewind(r->diag, mark);
			resolve_point(r, point, whole, &again);
			resolve_sites_free(&again);
		}
		say_others(r, p, whole);
		return true;
	}
	if (!optional || out->wrong) {
		if (!out->wrong && place->points->next)
			say_all(r, place, whole, mark);
		return false;
	}
	diag_rewind(r->diag, mark);
	say_left_out(r, place);
	out->left_out = true;
	return true;
}
