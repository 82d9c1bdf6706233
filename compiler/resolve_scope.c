// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_scope.c: what $name and $return mean at a point: where its arguments are, by the calling convention of x86-64
 * (System V ABI 3.2.3), of system calls, and of tracepoints; or where DWARF says that a variable is.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

/* DWARF's numbers of the registers that carry arguments, in order. */
static const unsigned char c_registers[] = { 5, 4, 1, 2, 8, 9 };

#define REGISTERS	6
#define REGISTER_SP	7
#define REGISTER_DI	5

/* Offsets in struct pt_regs, which is the kernel's ABI with its debuggers: di si dx r10 r8 r9, and bx cx dx si di bp. */
static const unsigned char syscall_offsets[2][REGISTERS] = { { 112, 104, 96, 56, 72, 64 }, { 40, 88, 96, 104, 112, 32 } };

/* ---- the types of headers ---- */

static bool take_word(const char **s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*s, word, n) != 0 || ((*s)[n] && (*s)[n] != ' '))
		return false;
	*s += n;
	while (**s == ' ')
		(*s)++;
	return true;
}

const struct type *resolve_type_text(struct resolve *r, const char *text, const char *module)
{
	enum type_class class = CLASS_INT;
	const struct type *t;
	struct text words = {};
	unsigned int stars = 0;

	if (strchr(text, '('))		/* a pointer to a function */
		return types_pointer(r->types, types_void(r->types));
	while (*text) {
		if (take_word(&text, "const") || take_word(&text, "volatile"))
			continue;
		if (take_word(&text, "struct"))
			class = CLASS_STRUCT;
		else if (take_word(&text, "union"))
			class = CLASS_UNION;
		else if (take_word(&text, "enum"))
			class = CLASS_ENUM;
		else if (*text == '*' || *text == ' ')
			stars += *text++ == '*';
		else {
			size_t n = strcspn(text, " *");

			text_printf(&words, "%s%.*s", words.length ? " " : "", (int)n, text);
			text += n;
		}
	}
	t = words.s ? types_named(r->types, class, words.s, module) : NULL;
	text_free(&words);
	if (!t && stars)		/* what it points to is not known, that it is a pointer is */
		t = types_void(r->types);
	for (; t && stars; stars--)
		t = types_pointer(r->types, t);
	return t;
}

static bool from_headers(struct resolve *r, const struct header_prototype *h, struct site *site)
{
	struct prototype *p = &site->prototype;

	p->nargs = h->nargs < PROTOTYPE_ARGS ? h->nargs : PROTOTYPE_ARGS;
	for (unsigned int i = 0; i < p->nargs; i++) {
		p->args[i].name = h->args[i].name;
		p->args[i].type = resolve_type_text(r, h->args[i].type, site->point.module);
		site->user[i] = h->args[i].user;
		if (!p->args[i].type)
			return false;
	}
	return true;
}

/* What the kernel itself keeps of its system calls; else what its headers declare, which may use other names. */
static bool syscall_prototype(struct resolve *r, struct site *site)
{
	struct prototype *p = &site->prototype;
	struct header_prototype h;
	struct syscall_seen seen;

	if (!symbols_syscall(r->symbols, site->name, &seen)) {
		if (!headers_syscall(r->headers, site->name, &h) || !from_headers(r, &h, site))
			return false;
	} else {
		p->nargs = seen.nargs;
		for (unsigned int i = 0; i < p->nargs; i++) {
			p->args[i].name = seen.args[i].name;
			p->args[i].type = resolve_type_text(r, seen.args[i].type, NULL);
			if (!p->args[i].type)
				return false;
		}
	}
	for (unsigned int i = 0; i < p->nargs; i++)
		site->user[i] = p->args[i].type->class == CLASS_POINTER;
	return true;
}

static bool look_up(struct resolve *r, struct site *site)
{
	const struct plan_point *p = &site->point;
	struct header_prototype h;

	switch (site->convention) {
	case CONVENTION_TRACEPOINT:
		if (types_tracepoint(r->types, p->module, p->symbol, &site->prototype)) {
			if (site->prototype.nargs && !site->prototype.args[0].name &&
			    headers_tracepoint(r->headers, site->system, p->symbol, &h) &&
			    h.nargs == site->prototype.nargs)
				for (unsigned int i = 0; i < h.nargs; i++)
					site->prototype.args[i].name = h.args[i].name;
			return true;
		}
		return headers_tracepoint(r->headers, site->system, p->symbol, &h) && from_headers(r, &h, site);
	case CONVENTION_SYSCALL:
	case CONVENTION_SYSCALL_IA32:
		site->prototype.result = types_int(r->types, 8, true);
		return syscall_prototype(r, site);
	default:
		return !site->clone && types_function(r->types, p->module, p->symbol, site->address, &site->prototype);
	}
}

static bool have_prototype(struct resolve *r, struct site *site)
{
	if (!site->looked) {
		site->looked = true;
		site->have_prototype = look_up(r, site);
	}
	return site->have_prototype;
}

/* ---- where arguments are ---- */

/* A structure of up to 16 bytes goes in registers, as does __int128; a larger one lies on the stack. */
static bool in_registers(const struct type *t)
{
	return t->size && t->size <= 16 && (t->class != CLASS_OTHER || t->size == 16);
}

/* Find argument @n: the first of its registers, or -1 and its offset from the return address' slot. */
static int register_of(const struct prototype *p, unsigned int n, uint64_t *stack)
{
	/* A structure that does not fit into registers is returned where a hidden first argument says. */
	unsigned int used = p->result && !in_registers(p->result) && p->result->size > 16;

	*stack = 8;
	for (unsigned int i = 0; i <= n; i++) {
		const struct type *t = p->args[i].type;
		unsigned int words = t->size > 8 ? (t->size + 7) / 8 : 1;

		if (in_registers(t) && used + words <= REGISTERS) {
			if (i == n)
				return used;
			used += words;
			continue;
		}
		if (i == n)
			return -1;
		*stack += 8 * words;
	}
	return -1;
}

/* The entry of a system call has one argument, whatever the call has. */
bool resolve_in_registers(struct resolve *r, struct site *site)
{
	return site->convention != CONVENTION_C || (have_prototype(r, site) && resolve_prototype_in_registers(&site->prototype));
}

bool resolve_prototype_in_registers(const struct prototype *p)
{
	uint64_t stack;

	if (p->variadic)
		return false;
	for (unsigned int i = 0; i < p->nargs; i++)
		if (register_of(p, i, &stack) < 0)
			return false;
	return true;
}

static struct plan_expr *reg(unsigned int number)
{
	return calc_leaf(PLAN_REGISTER, PLAN_U64, number);
}

static struct plan_expr *plus(struct plan_expr *e, uint64_t offset)
{
	return calc_binary(OP_ADD, e, calc_const(PLAN_U64, offset));
}

/* At a function's return only what was kept at its entry is left. NULL: too much. */
static struct plan_expr *keep(struct resolve *r, struct loc loc, struct site *site, struct plan_expr *e)
{
	struct plan_side *enter = &site->point.enter;
	struct plan_expr *kept;
	unsigned int i;

	if (site->point.where != PLAN_RETURN_OF)
		return e;
	for (i = 0; i < enter->nstores; i++)
		if (plan_expr_equal(enter->stores[i].value, e))
			break;
	kept = calc_leaf(PLAN_ENTRY, e->type, i);
	if (i < enter->nstores) {
		plan_expr_free(e);
		return kept;
	}
	if (i == KSTATS_ENTRY_WORDS) {
		diag_error(r->diag, loc, "too-many", "at most %d arguments are kept for the return", KSTATS_ENTRY_WORDS);
		plan_expr_free(e);
		plan_expr_free(kept);
		return NULL;
	}
	resolve_store(enter, i, e);
	site->point.entry_words = enter->nstores;
	return kept;
}

/* A word as a value of @t. */
static struct plan_expr *typed(struct plan_expr *word, const struct type *t)
{
	if (t->class == CLASS_POINTER)
		return word;
	return calc_narrow(word, t->size, t->is_signed);
}

static bool is_scalar(const struct type *t)
{
	return (t->class == CLASS_INT || t->class == CLASS_ENUM || t->class == CLASS_POINTER) && t->size && t->size <= 8;
}

static bool function_argument(struct resolve *r, struct loc loc, struct site *site, unsigned int n, struct operand *o)
{
	const struct type *t = site->prototype.args[n].type;
	uint64_t stack;
	int first = register_of(&site->prototype, n, &stack);

	if (first < 0 && is_scalar(t) && site->point.where == PLAN_RETURN_OF) {
		/* The place on the stack is the function's own, to change: its value is kept, not where it was. */
		o->e = keep(r, loc, site, typed(calc_read(plus(reg(REGISTER_SP), stack), t->size, t->is_signed, false), t));
	} else if (first < 0) {
		o->e = keep(r, loc, site, plus(reg(REGISTER_SP), stack));
		o->in_memory = true;
	} else if (is_scalar(t)) {
		o->e = keep(r, loc, site, typed(reg(c_registers[first]), t));
	} else if (t->class == CLASS_STRUCT || t->class == CLASS_UNION) {
		o->e = keep(r, loc, site, reg(c_registers[first]));
		if (o->e && t->size > 8) {
			o->high = keep(r, loc, site, reg(c_registers[first + 1]));
			if (!o->high)
				resolve_operand_free(o);
		}
	} else {
		resolve_not_yet(r, loc, "arguments of this type");
		return false;
	}
	return o->e;
}

static bool syscall_argument(struct resolve *r, struct loc loc, struct site *site, unsigned int n, struct operand *o)
{
	bool ia32 = site->convention == CONVENTION_SYSCALL_IA32;
	struct plan_expr *word;

	if (n >= REGISTERS || !is_scalar(o->type)) {
		resolve_not_yet(r, loc, "this argument of a system call");
		return false;
	}
	word = calc_read(plus(reg(REGISTER_DI), syscall_offsets[ia32][n]), ia32 ? 4 : 8, false, false);
	o->e = keep(r, loc, site, typed(ia32 ? calc_convert(word, PLAN_U64) : word, o->type));
	return o->e;
}

static bool argument(struct resolve *r, struct loc loc, struct site *site, unsigned int n, struct operand *o)
{
	const struct type *t = site->prototype.args[n].type;

	o->type = t;
	o->user = site->user[n] || (t->class == CLASS_POINTER && t->is_user);
	switch (site->convention) {
	case CONVENTION_TRACEPOINT:
		if (!resolve_callback(r, site)) {
			diag_error(r->diag, loc, "argument", "this tracepoint passes a structure by value: its arguments cannot be "
				   "read");
			return false;
		}
		site->point.needs_arguments = true;
		o->e = typed(calc_leaf(PLAN_ARGUMENT, PLAN_U64, n), t);
		return true;
	case CONVENTION_SYSCALL:
	case CONVENTION_SYSCALL_IA32:
		return syscall_argument(r, loc, site, n, o);
	default:
		return function_argument(r, loc, site, n, o);
	}
}

/* ---- tracepoints ---- */

/* The tag becomes C: what type information says is not trusted to be a name. */
static bool is_name(const char *s)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return (*s < '0' || *s > '9') && *s && !s[strspn(s, letters)];
}

static struct plan_argument callback_argument(struct resolve *r, const struct type *t)
{
	static const char *const ints[2][4] = { { "u8", "u16", "u32", "u64" }, { "s8", "s16", "s32", "s64" } };
	const struct type *to;

	if (t->class == CLASS_POINTER) {
		to = types_target(r->types, t);
		if ((to->class == CLASS_STRUCT || to->class == CLASS_UNION) && to->name && is_name(to->name)) {
			const char *kind = to->class == CLASS_STRUCT ? "struct" : "union";

			return (struct plan_argument){ mem_printf("%s %s *", kind, to->name),
						       mem_printf("%s %s", kind, to->name) };
		}
		return (struct plan_argument){ mem_copy("void *", 6), NULL };
	}
	if (t->is_bool)
		return (struct plan_argument){ mem_copy("bool", 4), NULL };
	to = t;
	return (struct plan_argument){ mem_printf("%s", ints[to->is_signed][to->size == 8 ? 3 : to->size / 2]), NULL };
}

bool resolve_callback(struct resolve *r, struct site *site)
{
	struct plan_point *p = &site->point;

	if (p->narguments)
		return true;
	if (!have_prototype(r, site))
		return false;
	for (unsigned int i = 0; i < site->prototype.nargs; i++)
		if (!is_scalar(site->prototype.args[i].type))
			return false;
	for (unsigned int i = 0; i < site->prototype.nargs; i++) {
		p->arguments = mem_more(p->arguments, p->narguments, sizeof(*p->arguments));
		p->arguments[p->narguments++] = callback_argument(r, site->prototype.args[i].type);
	}
	return true;
}

/* "next->pid" with the arguments marked as such: "$next->pid". */
static char *with_dollars(const struct prototype *p, const char *code)
{
	struct text t = {};

	while (*code) {
		size_t n = strspn(code, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
		bool member = t.length && (t.s[t.length - 1] == '>' || t.s[t.length - 1] == '.');

		for (unsigned int i = 0; n && !member && i < p->nargs; i++)
			if (p->args[i].name && strlen(p->args[i].name) == n && strncmp(p->args[i].name, code, n) == 0)
				text_string(&t, "$");
		text_add(&t, code, n ? n : 1);
		code += n ? n : 1;
	}
	return text_take(&t);
}

/* ---- what DWARF says ---- */

static struct plan_expr *locate_op(enum locate_op op, struct plan_expr *a, struct plan_expr *b)
{
	static const enum operator ops[] = {
		[LOCATE_ADD] = OP_ADD, [LOCATE_SUB] = OP_SUB, [LOCATE_MUL] = OP_MUL, [LOCATE_AND] = OP_AND,
		[LOCATE_OR] = OP_OR, [LOCATE_XOR] = OP_XOR, [LOCATE_SHL] = OP_SHL, [LOCATE_SHR] = OP_SHR,
		[LOCATE_SHRA] = OP_SHR,
	};

	if (op != LOCATE_SHRA)
		return calc_binary(ops[op], a, b);
	return calc_convert(calc_binary(OP_SHR, calc_convert(a, PLAN_S64), b), PLAN_U64);
}

/* Run the program on expressions. NULL: it is not well formed. */
static struct plan_expr *run(const struct locate *l)
{
	struct plan_expr *stack[LOCATE_OPS], *result = NULL;
	unsigned int n = 0;

	for (unsigned int i = 0; i < l->count; i++) {
		enum locate_op op = l->ops[i].op;
		unsigned int takes = op <= LOCATE_CONST ? 0 : op == LOCATE_READ || op >= LOCATE_NEG ? 1 : 2;

		if (n < takes || n - takes >= LOCATE_OPS)
			goto out;
		if (op == LOCATE_REG)
			stack[n++] = reg(l->ops[i].n);
		else if (op == LOCATE_CONST)
			stack[n++] = calc_const(PLAN_U64, l->ops[i].n);
		else if (op == LOCATE_READ)
			stack[n - 1] = calc_convert(calc_read(stack[n - 1], l->ops[i].n, false, false), PLAN_U64);
		else if (op >= LOCATE_NEG)
			stack[n - 1] = calc_unary(op == LOCATE_NEG ? OP_NEGATE : OP_INVERT, stack[n - 1]);
		else {
			n--;
			stack[n - 1] = locate_op(op, stack[n - 1], stack[n]);
		}
	}
	if (n)
		result = stack[--n];
out:
	while (n)
		plan_expr_free(stack[--n]);
	return result;
}

static enum local_state local(struct resolve *r, const struct expr *e, struct site *site, struct operand *o)
{
	struct code_place at = {
		.function = site->point.symbol, .address = site->address,
		.offset = site->point.where == PLAN_OFFSET ? site->point.offset : 0,
	};
	enum local_state state = LOCAL_ABSENT;
	struct locate locate;

	if (site->convention != CONVENTION_C || !types_have_dwarf(r->types, site->point.module))
		return LOCAL_ABSENT;
	state = types_local(r->types, site->point.module, &at, e->name, &o->type, &locate);
	if (state != LOCAL_FOUND)
		return state;
	o->e = run(&locate);
	if (!o->e)
		return LOCAL_TOO_COMPLEX;
	o->in_memory = locate.in_memory;
	if (o->in_memory && is_scalar(o->type) && site->point.where == PLAN_RETURN_OF) {
		o->e = calc_read(o->e, o->type->size, o->type->is_signed, false);
		o->in_memory = false;
	}
	if (!o->in_memory && !is_scalar(o->type)) {
		if (o->type->size > 8 || (o->type->class != CLASS_STRUCT && o->type->class != CLASS_UNION)) {
			resolve_operand_free(o);
			return LOCAL_TOO_COMPLEX;
		}
	} else if (!o->in_memory) {
		o->e = typed(o->e, o->type);
	}
	o->user = o->type->class == CLASS_POINTER && o->type->is_user;
	o->e = keep(r, e->loc, site, o->e);
	return o->e ? LOCAL_FOUND : LOCAL_TOO_COMPLEX;
}

/* ---- messages ---- */

static void say_missing_types(struct resolve *r, const struct expr *e, const struct site *site)
{
	const char *release = r->kernel->release;

	if (site->convention == CONVENTION_SYSCALL || site->convention == CONVENTION_SYSCALL_IA32) {
		diag_error(r->diag, e->loc, "no-types", "the arguments of system call '%s' are not known", site->name);
		if (!headers_there(r->headers))
			diag_help(r->diag, "they stand in the kernel's headers (Debian: linux-headers-%s)", release);
	} else if (site->convention == CONVENTION_TRACEPOINT) {
		diag_error(r->diag, e->loc, "no-types", "nothing tells the arguments of tracepoint '%s'", site->name);
		if (!headers_there(r->headers))
			diag_help(r->diag, "they stand in BTF, DWARF, or the kernel's headers (Debian: linux-headers-%s)", release);
	} else if (site->clone) {
		diag_error(r->diag, e->loc, "no-types", "the compiler changed the arguments of '%s'; only DWARF says where they "
			   "are", site->point.symbol);
		diag_help(r->diag, "Debian: the package linux-image-%s-dbg", release);
	} else {
		diag_error(r->diag, e->loc, "no-types", "nothing tells the arguments of '%s'", site->name);
		if (!types_have_btf(r->types))
			diag_help(r->diag, "types come from the kernel's BTF (CONFIG_DEBUG_INFO_BTF) or DWARF (Debian: "
				  "linux-image-%s-dbg); this kernel has none that can be found", release);
		else
			diag_help(r->diag, "BTF leaves out functions whose arguments the compiler changed; DWARF knows more (Debian: "
				  "linux-image-%s-dbg)", release);
	}
}

static void list_arguments(struct resolve *r, const struct site *site)
{
	const struct prototype *p = &site->prototype;
	struct text t = {};

	for (unsigned int i = 0; i < p->nargs; i++)
		if (p->args[i].name)
			text_printf(&t, "%s$%s", t.length ? ", " : "", p->args[i].name);
	if (t.length)
		diag_help(r->diag, "it has %s", t.s);
	else
		diag_help(r->diag, "it has no arguments");
	text_free(&t);
}

static bool say_field(struct resolve *r, const char *name, const struct site *site)
{
	const char *code = site->convention == CONVENTION_TRACEPOINT ?
			   headers_tracepoint_field(r->headers, site->system, site->point.symbol, name, NULL) : NULL;
	char *text = code ? with_dollars(&site->prototype, code) : NULL;

	if (text)
		diag_help(r->diag, "'%s' is a field of its record, and comes from %s", name, text);
	free(text);
	return code;
}

bool resolve_say_argument(struct resolve *r, const char *name, struct site *site)
{
	if (site->point.where == PLAN_MEMORY && strcmp(name, "value") == 0) {
		diag_help(r->diag, "what the variable then holds is $value");
		return true;
	}
	if (site->point.where == PLAN_MEMORY || !have_prototype(r, site) || site->point.where == PLAN_OFFSET)
		return false;
	for (unsigned int i = 0; i < site->prototype.nargs; i++) {
		if (site->prototype.args[i].name && strcmp(site->prototype.args[i].name, name) == 0) {
			diag_help(r->diag, "the argument is $%s", name);
			return true;
		}
	}
	return say_field(r, name, site);
}

/* What the result is called in C, and by other tools. */
static bool is_result_word(const char *name)
{
	static const char *const words[] = { "ret", "retval", "rc", "retv", "result", "res", "err", "rv", NULL };
	unsigned int i = 0;

	while (words[i] && strcmp(words[i], name) != 0)
		i++;
	return words[i];
}

static void no_argument(struct resolve *r, const struct expr *e, const struct context *context)
{
	struct site *site = context->site;
	const struct prototype *p = &site->prototype;
	bool can_return = context->call || site->point.where == PLAN_RETURN_OF;
	struct near near;

	diag_error(r->diag, e->loc, "no-argument", "'%s' has no argument '%s'", site->name, e->name);
	if (say_field(r, e->name, site))
		return;
	near_begin(&near, e->name);
	for (unsigned int i = 0; i < p->nargs; i++)
		if (p->args[i].name)
			near_offer(&near, p->args[i].name, strlen(p->args[i].name));
	if (can_return && !is_result_word(e->name))
		near_offer(&near, "return", 6);
	diag_near(r->diag, &near);
	if (can_return && is_result_word(e->name))
		diag_help(r->diag, "what the function returned is $return");
	list_arguments(r, site);
}

static void no_local(struct resolve *r, const struct expr *e, struct site *site, enum local_state state)
{
	struct code_place at = { .function = site->point.symbol, .address = site->address, .offset = site->point.offset };
	struct near near;

	if (!types_have_dwarf(r->types, site->point.module)) {
		diag_error(r->diag, e->loc, "no-types", "inside a function only DWARF says where $%s is", e->name);
		diag_help(r->diag, "Debian: the package linux-image-%s-dbg", r->kernel->release);
	} else if (state == LOCAL_OPTIMIZED_OUT) {
		diag_error(r->diag, e->loc, "optimized-out", "'%s' is in scope, but the compiler kept it nowhere at this "
			   "instruction", e->name);
	} else if (state == LOCAL_TOO_COMPLEX) {
		diag_error(r->diag, e->loc, "optimized-out", "the compiler split '%s' into pieces here", e->name);
	} else {
		diag_error(r->diag, e->loc, "no-argument", "no variable '%s' is in scope here", e->name);
		near_begin(&near, e->name);
		types_near_locals(r->types, site->point.module, &at, &near);
		diag_near(r->diag, &near);
	}
}

/* ---- $return ---- */

static bool returned(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o)
{
	struct site *site = context->site;

	if (site->point.where != PLAN_RETURN_OF && !context->call) {
		diag_error(r->diag, e->loc, "return", "$return is known only at a function's return");
		if (site->convention != CONVENTION_TRACEPOINT && site->point.where == PLAN_FUNCTION)
			diag_help(r->diag, "write %s:return, or measure %s", site->point.text, site->point.text);
		return false;
	}
	have_prototype(r, site);
	if (!site->prototype.result) {
		say_missing_types(r, e, site);
		return false;
	}
	o->type = site->prototype.result;
	if (o->type->class == CLASS_VOID) {
		diag_error(r->diag, e->loc, "return", "'%s' returns nothing", site->name);
		return false;
	}
	if (o->type->size > 8 || o->type->class == CLASS_OTHER) {
		resolve_not_yet(r, e->loc, "a returned structure of more than one word");
		return false;
	}
	o->e = calc_leaf(PLAN_RETURN, PLAN_U64, 0);
	if (is_scalar(o->type))
		o->e = typed(o->e, o->type);
	o->is_errno = o->type->class == CLASS_INT && o->type->is_signed && o->type->size >= 4;
	return true;
}

bool resolve_argument(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o)
{
	struct site *site = context->site;
	enum local_state state = LOCAL_ABSENT;

	if (site->point.where == PLAN_MEMORY)
		return resolve_watched_value(r, e, site, o);
	if (strcmp(e->name, "return") == 0)
		return returned(r, e, context, o);
	if (site->point.where == PLAN_OFFSET) {
		state = local(r, e, site, o);
		if (state != LOCAL_FOUND)
			no_local(r, e, site, state);
		return state == LOCAL_FOUND;
	}
	if (!have_prototype(r, site)) {
		state = local(r, e, site, o);
		if (state == LOCAL_OPTIMIZED_OUT || state == LOCAL_TOO_COMPLEX)
			no_local(r, e, site, state);
		else if (state != LOCAL_FOUND)
			say_missing_types(r, e, site);
		return state == LOCAL_FOUND;
	}
	for (unsigned int i = 0; i < site->prototype.nargs; i++)
		if (site->prototype.args[i].name && strcmp(site->prototype.args[i].name, e->name) == 0)
			return argument(r, e->loc, site, i, o);
	if (resolve_field(r, e, context, o))
		return true;
	no_argument(r, e, context);
	return false;
}
