// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_name.c: what a bare name means: a built-in, else a parameter, an errno or signal, an enumerator, a variable of
 * the point's module or of the kernel.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

#define PER_CPU_MAX	(1ULL << 32)	/* offsets of per-CPU variables, where they are linked from 0 on, lie below */

/* Errnos that stay inside the kernel (linux/errno.h): user space's libraries do not name them. */
static const struct { const char *name; int value; } inner_errnos[] = {
	{ "ERESTARTSYS", 512 }, { "ERESTARTNOINTR", 513 }, { "ERESTARTNOHAND", 514 }, { "ENOIOCTLCMD", 515 },
	{ "ERESTART_RESTARTBLOCK", 516 }, { "EPROBE_DEFER", 517 }, { "EOPENSTALE", 518 }, { "ENOPARAM", 519 },
	{ "EBADHANDLE", 521 }, { "ENOTSYNC", 522 }, { "EBADCOOKIE", 523 }, { "ENOTSUPP", 524 }, { "ETOOSMALL", 525 },
	{ "ESERVERFAULT", 526 }, { "EBADTYPE", 527 }, { "EJUKEBOX", 528 }, { "EIOCBQUEUED", 529 },
	{ "ERECALLCONFLICT", 530 },
};

#define ERRNOS		134
#define NEAR_SURE	4	/* so near (text.h): a slip of the pen, no macro */

/* Names of errnos and signals: macros, of which no type information knows. */
static bool macro(const char *name, int *value)
{
	if (strcmp(name, "EWOULDBLOCK") == 0 || strcmp(name, "EDEADLOCK") == 0)
		name = name[1] == 'W' ? "EAGAIN" : "EDEADLK";
	for (int i = 1; name[0] == 'E' && i < ERRNOS; i++) {
		const char *known = strerrorname_np(i);

		if (known && strcmp(known, name) == 0) {
			*value = i;
			return true;
		}
	}
	for (unsigned int i = 0; i < sizeof(inner_errnos) / sizeof(*inner_errnos); i++) {
		if (strcmp(inner_errnos[i].name, name) == 0) {
			*value = inner_errnos[i].value;
			return true;
		}
	}
	for (int i = 1; strncmp(name, "SIG", 3) == 0 && i < 32; i++) {
		const char *known = sigabbrev_np(i);

		if (known && strcmp(known, name + 3) == 0) {
			*value = i;
			return true;
		}
	}
	return false;
}

static void near_macros(struct near *near)
{
	static char names[32][16];

	for (int i = 1; i < ERRNOS; i++)
		if (strerrorname_np(i))
			near_offer(near, strerrorname_np(i), strlen(strerrorname_np(i)));
	for (int i = 1; i < 32; i++) {
		if (!sigabbrev_np(i))
			continue;
		snprintf(names[i], sizeof(names[i]), "SIG%s", sigabbrev_np(i));
		near_offer(near, names[i], strlen(names[i]));
	}
}

static void set(struct resolve *r, struct operand *o, struct plan_expr *e)
{
	*o = (struct operand){ .e = e };
	if (calc_is_number(e))
		o->type = types_int(r->types, calc_width(e->type) / 8, calc_is_signed(e->type));
}

static bool builtin(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o, bool *good)
{
	for (unsigned int b = 0; b < PLAN_NBUILTINS; b++) {
		if (strcmp(e->name, plan_builtin_text(b)) != 0)
			continue;
		*good = b != PLAN_ELAPSED || context->elapsed;
		if (*good)
			set(r, o, calc_builtin(b));
		else
			diag_error(r->diag, e->loc, "elapsed", "%s", context->why_not);
		return true;
	}
	return false;
}

static bool enumerator(struct resolve *r, const struct expr *e, const char *module, struct operand *o, bool *good)
{
	struct type_enumerator found[ENUMERATOR_OTHERS];
	unsigned int n = types_enumerator(r->types, e->name, module, found);
	struct text t = {};

	if (!n)
		return false;
	*good = n == 1;
	if (*good) {
		int64_t v = found[0].value;

		/* C: an enumerator is an int, as far as that holds it. */
		set(r, o, calc_const(v >= INT32_MIN && v <= INT32_MAX ? PLAN_S32 :
				     v >= 0 && v <= UINT32_MAX ? PLAN_U32 : PLAN_S64, v));
		o->type = found[0].of;
		return true;
	}
	for (unsigned int i = 0; i < n && i < ENUMERATOR_OTHERS; i++)
		text_printf(&t, "%s%" PRId64 " in %s%s", i ? ", " : "", found[i].value, found[i].of->name ? "enum " :
			    "an enum without a name", found[i].of->name ? found[i].of->name : "");
	diag_error(r->diag, e->loc, "enumerators", "'%s' has several values in this kernel: %s", e->name, t.s);
	diag_help(r->diag, "write the number");
	text_free(&t);
	return true;
}

/* The address of one of the kernel's own symbols, as an expression; NULL: there is none. */
static struct plan_expr *symbol_address(struct resolve *r, const char *name, bool per_cpu)
{
	uint64_t address = symbols_address(r->symbols, name), anchor = symbols_address(r->symbols, "init_task");

	if (!anchor || (!address && !per_cpu))
		return NULL;
	if (per_cpu)
		return calc_this_cpu(address < PER_CPU_MAX ? calc_const(PLAN_U64, address) :
				     calc_leaf(PLAN_ADDRESS, PLAN_U64, address - anchor));
	return address < PER_CPU_MAX ? NULL : calc_leaf(PLAN_ADDRESS, PLAN_U64, address - anchor);
}

/* Statics of several files: a name alone means none of them. */
static bool several_variables(struct resolve *r, const struct expr *e)
{
	uint64_t addresses[FUNCTION_SHOWN];
	unsigned int n = symbols_variables(r->symbols, e->name, addresses, FUNCTION_SHOWN);
	struct text t = {};

	if (n < 2)
		return false;
	for (unsigned int i = 0; i < n && i < FUNCTION_SHOWN; i++)
		text_printf(&t, "%s%" PRIx64, i ? ", " : "", addresses[i]);
	diag_error(r->diag, e->loc, "several", "%u variables of the kernel are named '%s': at %s%s", n, e->name, t.s,
		   n > FUNCTION_SHOWN ? ", ..." : "");
	diag_help(r->diag, "none of them can be told by its name; &NEIGHBOUR plus a distance can, of a variable that has its name "
		  "alone");
	text_free(&t);
	return true;
}

static bool variable(struct resolve *r, const struct expr *e, const char *module, bool address, struct operand *o,
		     bool *good)
{
	bool per_cpu = false;
	const struct type *t = types_variable(r->types, NULL, e->name, &per_cpu);
	struct plan_expr *at = symbol_address(r, e->name, per_cpu);
	struct function f;

	if (!at)
		return false;
	if (several_variables(r, e)) {
		plan_expr_free(at);
		*good = false;
		return true;
	}
	symbols_function(r->symbols, NULL, e->name, &f);
	*good = (t || address) && f.state != FUNCTION_SEVERAL;
	if (*good) {
		if (!t)
			t = types_void(r->types);
		*o = (struct operand){ .e = at, .type = address ? types_pointer(r->types, t) : t, .in_memory = !address };
		return true;
	}
	plan_expr_free(at);
	if (f.state == FUNCTION_SEVERAL) {
		diag_error(r->diag, e->loc, "several", "%u functions of the kernel are named '%s': whose address?", f.count, e->name);
		return true;
	}
	if (f.state == FUNCTION_FOUND || f.state == FUNCTION_REFUSED) {
		diag_error(r->diag, e->loc, "no-types", "'%s' is a function; its address is &%s", e->name, e->name);
		return true;
	}
	diag_error(r->diag, e->loc, "no-types", "'%s' is a variable of the kernel, and nothing tells its type", e->name);
	diag_help(r->diag, "say it yourself: *(unsigned long *)&%s; or install DWARF, which knows it (Debian: linux-image-%s-dbg)",
		  e->name, r->kernel->release);
	return true;
}

unsigned int resolve_module_variable(struct resolve *r, const char *module, const char *name)
{
	struct plan *plan = r->plan;
	unsigned int i = 0;

	while (i < plan->nvariables && (strcmp(plan->variables[i].module, module) != 0 ||
					strcmp(plan->variables[i].symbol, name) != 0))
		i++;
	if (i == plan->nvariables) {
		plan->variables = mem_more(plan->variables, i, sizeof(*plan->variables));
		plan->variables[plan->nvariables++] = (struct plan_variable){
			mem_copy(module, strlen(module)), mem_copy(name, strlen(name)) };
	}
	return i;
}

/* Its address is read where the runtime puts it when the script, and the module, are loaded. */
static struct plan_expr *module_address(struct resolve *r, const char *module, const char *name)
{
	return calc_leaf(PLAN_VARIABLE, PLAN_U64, resolve_module_variable(r, module, name));
}

/* At a module's points its own variables come before the kernel's, as they do in its source. */
static bool module_variable(struct resolve *r, const struct expr *e, const char *module, bool address, struct operand *o,
			    bool *good)
{
	enum module_variable state = symbols_module_variable(r->symbols, module, e->name);
	bool per_cpu = false;
	const struct type *t;

	if (state == MODULE_VARIABLE_ABSENT)
		return false;
	*good = false;
	if (state == MODULE_VARIABLE_SEVERAL) {
		diag_error(r->diag, e->loc, "several", "several symbols of module %s are named '%s'", module, e->name);
		diag_help(r->diag, "none of them can be told by its name; &NEIGHBOUR plus a distance can, of a variable that has its "
			  "name alone");
		return true;
	}
	if (state != MODULE_VARIABLE) {
		diag_error(r->diag, e->loc, "refused", "'%s' of module %s cannot be read: %s", e->name, module,
			   state == MODULE_VARIABLE_GONE ? "it is gone once the module is loaded" :
			   "each CPU has one, and the kernel tells no one where they lie");
		if (state == MODULE_VARIABLE_PER_CPU)
			diag_help(r->diag, "a pointer to it in an argument or a local can be followed");
		return true;
	}
	t = types_variable(r->types, module, e->name, &per_cpu);
	if (!t && !address) {
		diag_error(r->diag, e->loc, "no-types", "'%s' is a variable of module %s, and nothing tells its type", e->name, module);
		diag_help(r->diag, "say it yourself: *(unsigned long *)&%s; or install DWARF, which knows it (Debian: "
			  "linux-image-%s-dbg)", e->name, r->kernel->release);
		return true;
	}
	if (!t)
		t = types_void(r->types);
	*good = true;
	*o = (struct operand){ .e = module_address(r, module, e->name), .type = address ? types_pointer(r->types, t) : t,
			       .in_memory = !address };
	return true;
}

static void unknown(struct resolve *r, const struct expr *e, struct site *site)
{
	struct near near;

	diag_error(r->diag, e->loc, "unknown-name", "unknown name '%s'", e->name);
	if (site && resolve_say_argument(r, e->name, site))
		return;
	near_begin(&near, e->name);
	for (unsigned int b = 0; b < PLAN_NBUILTINS; b++)
		near_offer(&near, plan_builtin_text(b), strlen(plan_builtin_text(b)));
	for (unsigned int i = 0; i < r->nparams; i++)
		near_offer(&near, r->params[i].name, strlen(r->params[i].name));
	near_macros(&near);
	if (site && site->point.module && resolve_wants_near(r))
		symbols_near_module_variables(r->symbols, site->point.module, &near);
	if (resolve_wants_near(r))
		types_near_enumerators(r->types, &near);
	diag_near(r->diag, &near);
	if (strcmp(e->name, "NULL") == 0)
		diag_help(r->diag, "a null pointer is 0");
	else if (!e->name[strcspn(e->name, "abcdefghijklmnopqrstuvwxyz")] && !(near.count && near.distance[0] <= NEAR_SURE))
		diag_help(r->diag, "macros are in no type information: give the number, or a param");
	else if (!near.count)
		diag_help(r->diag, "a text is \"%s\"; macros are in no type information: give the number, or a param", e->name);
}

bool resolve_name(struct resolve *r, const struct expr *e, const struct context *context, bool address,
		  struct operand *o)
{
	const char *module = context->site ? context->site->point.module : NULL;
	struct parameter *p;
	bool good = false;
	int value;

	if (!address) {
		if (builtin(r, e, context, o, &good))
			return good;
		p = (struct parameter *)resolve_parameter(r, e->loc, e->name);
		if (p) {
			p->used = true;
			set(r, o, p->value ? plan_expr_copy(p->value) : calc_text(p->text, strlen(p->text)));
			return true;
		}
		if (macro(e->name, &value)) {
			set(r, o, calc_const(PLAN_S32, value));
			return true;
		}
		if (enumerator(r, e, module, o, &good))
			return good;
	}
	if (module && module_variable(r, e, module, address, o, &good))
		return good;
	if (variable(r, e, module, address, o, &good))
		return good;
	unknown(r, e, context->site);
	return false;
}
