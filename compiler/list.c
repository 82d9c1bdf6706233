// SPDX-License-Identifier: GPL-2.0
/*
 * list.c: what can be probed, in the script's notation. The names that a pattern matches are gathered and sorted first, then
 * printed; types are looked up for -L alone.
 */
#include <stdlib.h>
#include <string.h>

#include "ast.h"
#include "headers.h"
#include "list.h"
#include "match.h"
#include "places.h"
#include "resolve.h"
#include "types.h"

#define TWINS_WITH_FILE	200	/* of so many names at most the files are looked up, which takes time */

/* A function, system call or tracepoint that matches. */
struct item {
	const char *name;	/* without what the compiler hung on it: vfs_read, not vfs_read.isra.0 */
	char *owned;		/* the name, where it is none of the symbol table's */
	const char *symbol;
	const char *module;
	const char *system;	/* of a tracepoint */
	const char *reason;	/* why it cannot be probed */
	uint64_t address;
	enum { ITEM_FUNCTION, ITEM_SYSCALL, ITEM_TRACEPOINT } kind;
	const char *no_return;
};

struct list {
	const struct point *point;
	bool details;
	bool names_alone;	/* for completion: list_names() */
	struct symbols *symbols;
	struct types *types;
	struct headers *headers;
	bool direct;		/* the kernel can have thunks */
	bool fprobe;		/* and has fprobes */
	struct item *items;
	size_t count;
	FILE *to;
};

/* ---- gathering ---- */

static void add(struct list *l, struct item item)
{
	l->items = mem_more(l->items, l->count, sizeof(*l->items));
	l->items[l->count++] = item;
}

static bool ends_word(const char *s)
{
	return !*s || *s == '.';
}

/* How long the name is before what the compiler hung on it; 0: it is only a part of a function. */
static size_t plain_length(const char *symbol)
{
	const char *dot = strchr(symbol, '.');

	if (!dot || dot == symbol)
		return strlen(symbol);
	for (const char *s = dot; s; s = strchr(s + 1, '.'))
		if ((strncmp(s, ".part", 5) == 0 && ends_word(s + 5)) || (strncmp(s, ".cold", 5) == 0 && ends_word(s + 5)))
			return 0;
	if (strncmp(dot, ".isra.", 6) != 0 && strncmp(dot, ".constprop.", 11) != 0)
		return strlen(symbol);
	return dot - symbol;
}

static void add_function(struct list *l, const struct function_seen *seen)
{
	size_t n = plain_length(seen->name);
	char *owned = n && seen->name[n] ? mem_copy(seen->name, n) : NULL;
	const char *name = owned ? owned : seen->name;

	if (n && match_glob(l->point->symbol, name))
		add(l, (struct item){ .name = name, .owned = owned, .symbol = seen->name, .module = seen->module,
				      .reason = seen->reason, .address = seen->address, .no_return = seen->no_return });
	else
		free(owned);
}

static bool take_function(void *arg, const struct function_seen *seen)
{
	struct list *l = arg;

	if (l->point->kind == POINT_FUNCTION && (!seen->reason || l->details))
		add_function(l, seen);
	/* A system call is known by the function that 64-bit programs call. */
	if (!l->point->system && (l->point->kind == POINT_SYSCALL || l->point->kind == POINT_FUNCTION) && !seen->reason &&
	    strncmp(seen->name, "__x64_sys_", 10) == 0 && match_glob(l->point->symbol, seen->name + 10))
		add(l, (struct item){ .name = seen->name + 10, .symbol = seen->name, .address = seen->address, .kind = ITEM_SYSCALL });
	return true;
}

static bool take_tracepoint(void *arg, const struct tracepoint_seen *seen)
{
	struct list *l = arg;

	const char *system = l->point->kind == POINT_TRACEPOINT ? l->point->system : NULL;

	if (!match_glob(l->point->symbol, seen->name) || (system && !match_glob(system, seen->system ? seen->system : "")))
		return true;
	/* As with functions, those of modules when they are asked for: by a system, or by their whole name. */
	if (seen->module && (!system || match_is_glob(system)) && match_is_glob(l->point->symbol))
		return true;
	add(l, (struct item){ .name = seen->name, .symbol = seen->name, .module = seen->module, .system = seen->system,
			      .kind = ITEM_TRACEPOINT });
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int d = (int)x->kind - (int)y->kind;

	if (!d)
		d = strcmp(x->kind == ITEM_TRACEPOINT ? x->system ? x->system : "" : x->module ? x->module : "",
			   y->kind == ITEM_TRACEPOINT ? y->system ? y->system : "" : y->module ? y->module : "");
	if (!d)
		d = strcmp(x->name, y->name);
	if (!d)
		d = strcmp(x->symbol, y->symbol);
	return d ? d : x->address < y->address ? -1 : x->address > y->address;
}

static void gather(struct list *l)
{
	if (l->point->kind != POINT_TRACEPOINT)
		symbols_each_function(l->symbols, l->point->system, take_function, l);
	if (l->point->kind == POINT_TRACEPOINT || (l->point->kind == POINT_FUNCTION && !l->point->system && !l->names_alone))
		symbols_each_tracepoint(l->symbols, take_tracepoint, l);
	if (l->count)
		qsort(l->items, l->count, sizeof(*l->items), by_name);
}

/* ---- printing ---- */

static void print_name(const struct list *l, const struct item *i)
{
	if (i->kind == ITEM_SYSCALL)
		fprintf(l->to, "syscall:%s", i->name);
	else if (i->kind == ITEM_TRACEPOINT)
		fprintf(l->to, "tp:%s%s%s", i->system ? i->system : "", i->system ? ":" : "", i->name);
	else
		fprintf(l->to, "%s%s%s", i->module ? i->module : "", i->module ? ":" : "", i->name);
}

/* "struct file *file", "char comm[16]" is left to types_text. */
static void print_argument(const struct list *l, const char *type, const char *name)
{
	size_t n = strlen(type);

	fprintf(l->to, "%s%s%s", type, name && (!n || type[n - 1] != '*') ? " " : "", name ? name : "");
}

static void print_prototype(const struct list *l, const struct prototype *p)
{
	char *text;

	fputc('(', l->to);
	for (unsigned int a = 0; a < p->nargs; a++) {
		text = types_text(l->types, p->args[a].type);
		fputs(a ? ", " : "", l->to);
		print_argument(l, text, p->args[a].name);
		free(text);
	}
	fputs(p->variadic ? p->nargs ? ", ...)" : "...)" : ")", l->to);
	if (!p->result)
		return;
	text = types_text(l->types, p->result);
	fprintf(l->to, ": %s", text);
	free(text);
}

static void print_header_prototype(const struct list *l, const struct header_prototype *p)
{
	fputc('(', l->to);
	for (unsigned int a = 0; a < p->nargs; a++) {
		fputs(a ? ", " : "", l->to);
		print_argument(l, p->args[a].type, p->args[a].name);
	}
	fputc(')', l->to);
}

/*
 * Whether the kernel was built with these; where nothing tells, with direct calls it was, with fprobes it was not. From 6.14 on, which
 * this other word tells, fprobes are made of the graph tracer, and kmeter does not take them (runtime/compat.h).
 */
static void find_mechanisms(struct list *l, const struct kernel *kernel)
{
	static const char *const configs[] = { "/boot/config-%r", "/lib/modules/%r/config", NULL };
	char *path = kernel_file(kernel, configs), *text = path ? text_of_file(path, NULL) : NULL;

	l->direct = !text || strstr(text, "\nCONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y\n");
	l->fprobe = text && strstr(text, "\nCONFIG_FPROBE=y\n") && !strstr(text, "\nCONFIG_HAVE_FTRACE_GRAPH_FUNC=y\n");
	free(path);
	free(text);
}

/* What a plain statement takes comes first; the others are for `via`. @refusal: why calls and returns have no thunk. */
static void print_mechanisms(const struct list *l, uint64_t address, const char *refusal, const char *no_return)
{
	bool site = !address || symbols_call_site(l->symbols, address) != 0, direct = l->direct && site;

	fputs("    ", l->to);
	if (!no_return)
		fprintf(l->to, "calls, return: %s%skretprobe; ", direct && !refusal ? "direct, " : "", l->fprobe && site ? "fprobe, " : "");
	fprintf(l->to, "entry: %skprobe", direct ? "direct, " : "");
	if (no_return)
		fprintf(l->to, "; %s", no_return);
	else if (!l->direct)
		fputs("; not direct: this kernel has no direct calls", l->to);
	else if (!direct)
		fputs("; not direct: ftrace cannot call from it", l->to);
	else if (refusal)
		fprintf(l->to, "; calls not direct: %s", refusal);
}

static void print_tracepoint(const struct list *l, const struct item *i)
{
	struct header_prototype h;
	struct prototype p = {};

	if (types_tracepoint(l->types, i->module, i->symbol, &p)) {
		p.result = NULL;
		print_prototype(l, &p);
	} else if (headers_tracepoint(l->headers, i->system, i->symbol, &h)) {
		print_header_prototype(l, &h);
	}
	fprintf(l->to, "\n    tracepoint%s%s\n", i->module ? ", of module " : "", i->module ? i->module : "");
}

static void print_syscall(const struct list *l, const struct item *i)
{
	static const char *const entries[] = { "__x64_sys_", "__ia32_sys_", "__ia32_compat_sys_", "__x64_compat_sys_" };
	struct header_prototype h = {};
	struct syscall_seen seen;
	const char *before = "";

	if (symbols_syscall(l->symbols, i->name, &seen)) {
		h.nargs = seen.nargs;
		for (unsigned int a = 0; a < seen.nargs; a++) {
			h.args[a].name = seen.args[a].name;
			h.args[a].type = seen.args[a].type;
		}
		print_header_prototype(l, &h);
	} else if (headers_syscall(l->headers, i->name, &h)) {
		print_header_prototype(l, &h);
	}
	fputs(": long\n", l->to);
	print_mechanisms(l, i->address, NULL, false);
	fputs("; on ", l->to);
	for (unsigned int e = 0; e < sizeof(entries) / sizeof(*entries); e++) {
		char *symbol = mem_printf("%s%s", entries[e], i->name);

		if (symbols_address(l->symbols, symbol)) {
			fprintf(l->to, "%s%s", before, symbol);
			before = ", ";
		}
		free(symbol);
	}
	fputc('\n', l->to);
}

/* The @n items of one name: one function, with its variants, or several functions that bear it. */
static void print_function(const struct list *l, const struct item *i, size_t n)
{
	bool twins = n > 1 && strcmp(i[0].symbol, i[n - 1].symbol) == 0;
	bool clone = strcmp(i->symbol, i->name) != 0, known;
	struct prototype p = {};

	known = types_function(l->types, i->module, i->name, twins ? 0 : i->address, &p);
	if (known && !twins)
		print_prototype(l, &p);
	fputc('\n', l->to);
	if (i->reason) {
		fprintf(l->to, "    cannot be probed: %s\n", i->reason);
		return;
	}
	print_mechanisms(l, i->module ? 0 : i->address, clone ? "the compiler changed its arguments" :
			 resolve_thunk_refusal(i->symbol, known ? &p : NULL), i->no_return);
	fputc('\n', l->to);
	if (n == 1 && !clone)
		return;
	fprintf(l->to, twins ? "    %zu functions:" : "    the compiler made of it:", n);
	for (size_t k = 0; k < n; k++) {
		const char *file = twins && l->count <= TWINS_WITH_FILE ?
				   types_file_of_twin(l->types, i[k].module, i[k].symbol, i[k].address) : NULL;

		if (file)
			fprintf(l->to, "%s %s@%s", k ? "," : "", i->name, file);
		else if (!twins)
			fprintf(l->to, "%s %s", k ? "," : "", i[k].symbol);
		else
			fprintf(l->to, "%s at %#llx", k ? "," : "", (unsigned long long)symbols_shown_address(i[k].module, i[k].address));
	}
	fputc('\n', l->to);
}

static bool same(const struct item *a, const struct item *b)
{
	return a->kind == b->kind && strcmp(a->name, b->name) == 0 &&
	       (a->module == b->module || (a->module && b->module && strcmp(a->module, b->module) == 0)) &&
	       (a->system == b->system || (a->system && b->system && strcmp(a->system, b->system) == 0));
}

static void print(const struct list *l)
{
	for (size_t i = 0, n; i < l->count; i += n) {
		for (n = 1; i + n < l->count && same(&l->items[i], &l->items[i + n]); n++)
			;
		print_name(l, &l->items[i]);
		if (!l->details)
			fputc('\n', l->to);
		else if (l->items[i].kind == ITEM_TRACEPOINT)
			print_tracepoint(l, &l->items[i]);
		else if (l->items[i].kind == ITEM_SYSCALL)
			print_syscall(l, &l->items[i]);
		else
			print_function(l, &l->items[i], n);
	}
}

/* The places of a source line or an inlined function, each a point of its own. */
static int list_places(const struct list *l, const struct kernel *kernel, struct diag *diag)
{
	const struct places_in in = { .kernel = kernel, .symbols = l->symbols, .types = l->types, .diag = diag };
	struct code_place *places;
	char *module;
	unsigned int count = places_find(&in, l->point, &module, &places), listed = 0;

	for (unsigned int i = 0; i < count; i++) {
		const struct code_place *p = &places[i];
		struct function f;

		symbols_function(l->symbols, module, p->function, &f);
		if (f.state == FUNCTION_REFUSED && !l->details)
			continue;
		listed++;
		fprintf(l->to, "%s%s%s", module ? module : "", module ? ":" : "", p->function);
		if (p->offset)
			fprintf(l->to, "+%#llx", (unsigned long long)p->offset);
		fputc('\n', l->to);
		if (!l->details)
			continue;
		fputs("    ", l->to);
		if (p->file)
			fprintf(l->to, "%s:%u; ", p->file, p->line);
		if (f.state == FUNCTION_REFUSED)
			fprintf(l->to, "cannot be probed: %s\n", f.reason);
		else
			fputs("kprobe\n", l->to);
	}
	free(places);
	free(module);
	if (count && !listed) {
		diag_error(diag, LOC_NONE, "refused", "the kernel allows no probe there");
		diag_help(diag, "kmeter -L %s says why", l->point->text);
	}
	return listed ? KM_OK : KM_SCRIPT;
}

/* ---- the command ---- */

static void say_none(struct list *l, const struct kernel *kernel, struct diag *diag)
{
	struct near near;

	diag_error(diag, LOC_NONE, "no-match", "nothing in kernel %s matches '%s'", kernel->release, l->point->text);
	near_begin(&near, l->point->symbol);
	if (l->point->kind == POINT_TRACEPOINT)
		symbols_near_tracepoints(l->symbols, &near);
	else if (l->point->kind == POINT_FUNCTION)
		symbols_near_functions(l->symbols, l->point->system, &near);
	diag_near(diag, &near);
	if (l->point->kind == POINT_FUNCTION && !l->point->system)
		diag_help(diag, "functions of modules: 'MODULE:%s', of all modules '*:%s'", l->point->symbol, l->point->symbol);
}

/* As a script would have it. */
static char *quote(const char *pattern)
{
	struct text t = {};

	text_string(&t, "\"");
	for (; *pattern; pattern++)
		text_printf(&t, "%s%c", *pattern == '"' || *pattern == '\\' ? "\\" : "", *pattern);
	text_string(&t, "\"");
	return text_take(&t);
}

static bool listable(const struct point *p)
{
	if (p->kind == POINT_LINE || p->kind == POINT_INLINE || p->kind == POINT_WATCH)
		return true;
	return (p->kind == POINT_FUNCTION || p->kind == POINT_SYSCALL || p->kind == POINT_TRACEPOINT) && !p->file &&
	       !p->at_return && !p->has_offset;
}

static int list(const char *pattern, bool details, bool names_alone, const struct compile_options *options, FILE *to)
{
	struct diag *diag = diag_new(NULL, 0);
	struct parse ps = { .diag = diag };
	char *quoted = quote(pattern);
	struct point *point = point_new(&ps, LOC_NONE, quoted);
	struct list l = { .point = point, .details = details, .names_alone = names_alone, .to = to };
	struct kernel kernel = {};
	int status = KM_SCRIPT;

	free(quoted);
	if (!listable(point)) {
		if (!diag_errors(diag))
			diag_error(diag, LOC_NONE, "no-match", "'%s': functions, system calls, tracepoints, FILE:LINE, inline:NAME and watch:NAME "
				   "are listed, without what follows a name", pattern);
		goto out;
	}
	status = KM_KERNEL;
	if (!kernel_find(&kernel, &options->target, diag))
		goto out;
	l.symbols = symbols_open(&kernel, diag);
	if (!l.symbols)
		goto out;
	l.types = types_new(&kernel, l.symbols);
	l.headers = headers_new(&kernel);
	if (details)
		find_mechanisms(&l, &kernel);
	if (point->kind == POINT_LINE || point->kind == POINT_INLINE) {
		status = list_places(&l, &kernel, diag);
	} else if (point->kind == POINT_WATCH) {
		if (resolve_list_watched(point, details, &kernel, l.symbols, l.types, diag, to))
			status = KM_OK;
		else
			status = KM_SCRIPT;
	} else {
		gather(&l);
		status = l.count ? KM_OK : KM_SCRIPT;
		if (l.count)
			print(&l);
		else if (!names_alone)
			say_none(&l, &kernel, diag);
	}
	headers_free(l.headers);
	types_free(l.types);
	symbols_free(l.symbols);
out:
	if (!names_alone)
		diag_print(diag, stderr, options->quiet);
	for (size_t i = 0; i < l.count; i++)
		free(l.items[i].owned);
	free(l.items);
	point_free(point);
	kernel_free(&kernel);
	diag_free(diag);
	return status;
}

int list_points(const char *pattern, bool details, const struct compile_options *options, FILE *to)
{
	return list(pattern, details, false, options, to);
}

int list_names(const char *pattern, const struct compile_options *options, FILE *to)
{
	return list(pattern, false, true, options, to);
}
