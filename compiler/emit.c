// SPDX-License-Identifier: GPL-2.0
/*
 * emit.c: a plan as a C file: its header, its handlers, and what makes it a module. emit_expr.c writes expressions,
 * emit_table.c the tables.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "emit_private.h"

#define COMMENT_MAX	400	/* bytes of a statement's text in comments; strings have all of it */

/* Everything but plain ASCII goes as octal, and nothing can end the string or make a trigraph. */
void emit_string(struct text *c, const char *s, size_t length)
{
	text_string(c, "\"");
	for (size_t i = 0; i < length; i++) {
		unsigned char b = s[i];

		if (b == '"' || b == '\\' || (b == '?' && i && s[i - 1] == '?'))
			text_printf(c, "\\%c", b);
		else if (b < 0x20 || b >= 0x7f)
			text_printf(c, "\\%03o", b);
		else
			text_add(c, s + i, 1);
	}
	text_string(c, "\"");
}

/* In a comment nothing is escaped: what is not plain ASCII becomes a dot, and what could end it gets a blank. */
void emit_comment(struct text *c, const char *s)
{
	size_t length = strlen(s);

	for (size_t i = 0; i < length && i < COMMENT_MAX; i++) {
		unsigned char b = s[i];

		if (i && ((b == '/' && s[i - 1] == '*') || (b == '*' && s[i - 1] == '/') || (b == '?' && s[i - 1] == '?')))
			text_string(c, " ");
		if (b < 0x20 || b >= 0x7f)
			text_string(c, ".");
		else if (b == '\\')
			text_string(c, "|");
		else
			text_add(c, s + i, 1);
	}
	if (length > COMMENT_MAX)
		text_string(c, " ...");
}

static void header(struct text *c, const struct plan *plan)
{
	text_string(c, "// SPDX-License-Identifier: GPL-2.0\n/*\n * Made by kmeter from this script:\n *\n");
	for (unsigned int i = 0; i < plan->nstatements; i++) {
		text_string(c, " *\t");
		emit_comment(c, plan->statements[i].text);
		text_string(c, "\n");
	}
	text_string(c, " */\n#include \"script.h\"\n");
}

/* ---- handlers ---- */

void emit_handler_name(struct text *c, const char *when, unsigned int statement, unsigned int point)
{
	text_printf(c, "%s_%u_%u", when, statement + 1, point + 1);
}

static void store(struct text *c, const struct plan_store *store, const char *where)
{
	const struct plan_expr *e = store->value;
	char *to;

	if (e->type > PLAN_U64) {
		to = mem_printf("&ev->%s[%u]", where, store->word);
		text_string(c, "\t");
		emit_words(c, e, to);
		text_string(c, "\n");
		free(to);
		return;
	}
	text_printf(c, "\tev->%s[%u] = ", where, store->word);
	emit_word(c, e);
	text_string(c, ";\n");
}

static bool can_fault(const struct plan_expr *e)
{
	return e && e->can_fault;
}

static bool side_can_fault(const struct plan_side *side)
{
	bool fault = can_fault(side->filter) || can_fault(side->value);

	for (unsigned int i = 0; i < side->nkeys; i++)
		fault |= can_fault(side->keys[i].value);
	for (unsigned int i = 0; i < side->nstores; i++)
		fault |= can_fault(side->stores[i].value);
	return fault;
}

static bool is_signed(const struct plan_expr *e)
{
	return e->type == PLAN_S32 || e->type == PLAN_S64;
}

static void handler(struct text *c, const struct plan_side *side, const char *name, const char *data)
{
	bool fault = side_can_fault(side), negative = side->value && is_signed(side->value);

	text_printf(c, "\nstatic enum kstats_verdict %s(struct kstats_event *ev)\n{\n", name);
	if (fault)
		text_string(c, "\tbool fault = false;\n");
	if (side->value)
		text_printf(c, "\t%s value;\n", negative ? "s64" : "u64");
	if (fault || side->value)
		text_string(c, "\n");
	if (side->filter) {
		text_string(c, "\tif (!");
		emit_truth(c, side->filter, true);
		if (can_fault(side->filter))
			text_string(c, ")\n\t\treturn fault ? KSTATS_FAULTED : KSTATS_FILTER;\n");
		else
			text_string(c, ")\n\t\treturn KSTATS_FILTER;\n");
	}
	if (side->value) {
		text_string(c, "\tvalue = ");
		emit_word(c, side->value);
		text_string(c, ";\n");
	}
	for (unsigned int i = 0; i < side->nkeys; i++)
		store(c, &side->keys[i], "key");
	for (unsigned int i = 0; i < side->nstores; i++)
		store(c, &side->stores[i], data);
	if (side->value) {
		if (fault)
			text_string(c, "\tif (fault)\n\t\treturn KSTATS_FAULTED;\n");
		if (negative)
			text_string(c, "\tif (value < 0)\n\t\treturn KSTATS_NEGATIVE;\n");
		text_string(c, "\tev->value = value;\n\treturn KSTATS_TAKE;\n}\n");
	} else {
		text_string(c, fault ? "\treturn fault ? KSTATS_FAULTED : KSTATS_TAKE;\n}\n" : "\treturn KSTATS_TAKE;\n}\n");
	}
}

static void handler_of(struct text *c, const struct plan_side *side, const char *when, unsigned int statement,
		       unsigned int point, const char *data)
{
	struct text name = {};

	if (plan_side_is_empty(side))
		return;
	emit_handler_name(&name, when, statement, point);
	handler(c, side, name.s, data);
	text_free(&name);
}

/* What the tracepoint calls: of its own prototype, so that nothing is guessed of how arguments come. */
static void callback_head(struct text *c, const struct plan_point *p, const char *name, unsigned int statement, unsigned int point)
{
	text_string(c, "\nstatic void ");
	emit_handler_name(c, name, statement, point);
	text_string(c, "(void *data");
	for (unsigned int i = 0; i < p->narguments; i++) {
		bool star = strchr(p->arguments[i].type, '*');

		text_printf(c, ", %s%sa%u", p->arguments[i].type, star ? "" : " ", i);
	}
	text_string(c, ")\n{\n\tconst u64 args[] = { ");
	for (unsigned int i = 0; i < p->narguments; i++)
		text_printf(c, "%s(u64)%sa%u", i ? ", " : "", strchr(p->arguments[i].type, '*') ? "(unsigned long)" : "", i);
	text_string(c, " };\n");
}

static void callback(struct text *c, const struct plan_point *p, unsigned int statement, unsigned int point)
{
	callback_head(c, p, "callback", statement, point);
	text_string(c, "\n\tkstats_tracepoint(data, args);\n}\n");
}

static bool is_not_argument(const struct plan_expr *e)
{
	if (e->kind == PLAN_BUILTIN || e->type > PLAN_U64)
		return true;
	return plan_expr_has_parts(e) && (is_not_argument(e->a) || (e->b && is_not_argument(e->b)) || (e->c && is_not_argument(e->c)));
}

/* All that the runtime asks of such a statement, and at the point nothing but a key of its tracepoint's arguments. */
bool emit_is_paired(const struct plan_statement *s, const struct plan_point *p)
{
	return p->where == PLAN_TRACEPOINT && p->needs_arguments && (p->role == PLAN_FROM || p->role == PLAN_TO) &&
	       s->key == PLAN_KEY_VALUE && s->key_words == 1 && !s->nby && !s->data_words && !s->ranged && !s->first &&
	       !emit_is_guarded(s) && plan_side_is_empty(&p->late) && p->early.nkeys == 1 && !p->early.nstores &&
	       !plan_side_any(&p->early, is_not_argument);
}

/*
 * The callback of a start or end of a pair that does all the work of `early`: see `paired` in kstats.h. Expressions look at `ev` as they
 * do elsewhere, of which nothing is left.
 */
static void paired(struct text *c, const struct plan_point *p, unsigned int statement, unsigned int point)
{
	const char *call = p->role == PLAN_FROM ? "kstats_start" : "kstats_end";
	bool fault = side_can_fault(&p->early);

	callback_head(c, p, "paired", statement, point);
	text_string(c, "\tconst struct { const u64 *args; } event = { args }, *const ev = &event;\n");
	if (fault)
		text_string(c, "\tbool fault = false;\n");
	text_string(c, "\tu64 key;\n\n");
	if (p->early.filter) {
		text_string(c, "\tif (!");
		emit_truth(c, p->early.filter, true);
		text_printf(c, ") {\n\t\tkstats_refuse(data, %sKSTATS_FILTER);\n\t\treturn;\n\t}\n",
			    can_fault(p->early.filter) ? "fault ? KSTATS_FAULTED : " : "");
	}
	text_string(c, "\tkey = ");
	emit_word(c, p->early.keys[0].value);
	text_string(c, ";\n");
	if (fault)
		text_string(c, "\tif (fault)\n\t\tkstats_refuse(data, KSTATS_FAULTED);\n\telse\n\t");
	text_printf(c, "\t%s(data, key);\n}\n", call);
}

/* Does the `if` of a function's entry look at nothing but arguments and the current task? */
static bool needs_event(const struct plan_expr *e)
{
	if (e->can_fault || e->reads || e->type > PLAN_U64)
		return true;
	switch (e->kind) {
	case PLAN_CONST:
	case PLAN_ADDRESS:
		return false;
	case PLAN_REGISTER:
		return e->index == 7;		/* sp */
	case PLAN_BUILTIN:
		return e->builtin == PLAN_CONTEXT || e->builtin == PLAN_ELAPSED;
	case PLAN_NARROW:
	case PLAN_SWAP:
	case PLAN_UNARY:
	case PLAN_BINARY:
	case PLAN_TERNARY:
	case PLAN_CONVERT:
		return needs_event(e->a) || (e->b && needs_event(e->b)) || (e->c && needs_event(e->c));
	default:
		return true;
	}
}

bool emit_has_refuses(const struct plan_point *p)
{
	return p->thunk && p->where == PLAN_FUNCTION && p->early.filter && !needs_event(p->early.filter);
}

/* A handler that a function's arguments pass through: the registers are its own arguments. */
static void through(struct text *c, const char *type, const char *name, const char *more, const char *data, unsigned int statement,
		    unsigned int point)
{
	text_printf(c, "\nstatic %s ks_through ", type);
	emit_handler_name(c, name, statement, point);
	text_printf(c, "(u64 di, u64 si, u64 dx, u64 cx, u64 r8, u64 r9%s)\n{\n"
		       "\tconst struct { u64 di, si, dx, cx, r8, r9; } registers = { di, si, dx, cx, r8, r9 };\n"
		       "\tconst struct { const typeof(registers) *regs; u64 *data; } event = { &registers, %s }, *const ev = &event;\n\n",
		    more, data);
}

/* See `refuses` in kstats.h. */
static void refuses(struct text *c, const struct plan_point *p, unsigned int statement, unsigned int point)
{
	through(c, "bool", "refuses", "", "NULL", statement, point);
	text_string(c, "\t(void)ev;\n\treturn !");
	emit_truth(c, p->early.filter, true);
	text_string(c, ";\n}\n");
}

static bool is_comm(const struct plan_expr *e)
{
	return e->kind == PLAN_BUILTIN && e->builtin == PLAN_COMM;
}

bool emit_has_keys(const struct plan_statement *s, const struct plan_point *p)
{
	if (!p->thunk || p->role != PLAN_CALL || !s->nby || s->by[0].type == KSTATS_BY_POINT || p->early.filter || p->early.value ||
	    p->early.nkeys || !p->early.nstores || !plan_side_is_empty(&p->late))
		return false;
	for (unsigned int i = 0; i < p->early.nstores; i++)
		if (!is_comm(p->early.stores[i].value) && needs_event(p->early.stores[i].value))
			return false;
	return true;
}

/* See `keys` in kstats.h. */
static void keys(struct text *c, const struct plan_point *p, unsigned int statement, unsigned int point)
{
	through(c, "void", "keys", ", u64 *data", "data", statement, point);
	for (unsigned int i = 0; i < p->early.nstores; i++) {
		if (is_comm(p->early.stores[i].value))
			text_printf(c, "\tks_comm_as_is(&ev->data[%u]);\n", p->early.stores[i].word);
		else
			store(c, &p->early.stores[i], "data");
	}
	text_string(c, "}\n");
}

static void handlers(struct text *c, const struct plan_statement *s, unsigned int statement)
{
	for (unsigned int p = 0; p < s->npoints; p++) {
		if (s->points[p].needs_arguments)
			callback(c, &s->points[p], statement, p);
		if (emit_is_paired(s, &s->points[p]))
			paired(c, &s->points[p], statement, p);
		if (emit_has_refuses(&s->points[p]))
			refuses(c, &s->points[p], statement, p);
		if (emit_has_keys(s, &s->points[p]))
			keys(c, &s->points[p], statement, p);
		handler_of(c, &s->points[p].enter, "enter", statement, p, "entry");
		handler_of(c, &s->points[p].early, "early", statement, p, "data");
		handler_of(c, &s->points[p].late, "late", statement, p, "data");
	}
}

/* The structures that callbacks have pointers to, each once. */
static void declarations(struct text *c, const struct plan *plan)
{
	struct text seen = {};

	for (unsigned int i = 0; i < plan->nstatements; i++) {
		for (unsigned int p = 0; p < plan->statements[i].npoints; p++) {
			const struct plan_point *point = &plan->statements[i].points[p];

			for (unsigned int a = 0; point->needs_arguments && a < point->narguments; a++) {
				char *line = point->arguments[a].tag ? mem_printf("\n%s;\n", point->arguments[a].tag) : NULL;

				if (line && (!seen.s || !strstr(seen.s, line)))
					text_string(&seen, line);
				free(line);
			}
		}
	}
	for (const char *s = seen.s; s && *s; s++)
		if (s[0] != '\n' || s[1] != '\n')
			text_add(c, s, 1);
	text_free(&seen);
}

/* ---- the module ---- */

/* The addresses of modules' variables, which the runtime fills in. */
static void variables(struct text *c, const struct plan *plan)
{
	for (unsigned int i = 0; i < plan->nvariables; i++) {
		text_printf(c, "%sstatic u64 variable_%u;	/* ", i ? "" : "\n", i + 1);
		emit_comment(c, plan->variables[i].module);
		text_string(c, ":");
		emit_comment(c, plan->variables[i].symbol);
		text_string(c, " */\n");
	}
}

static void variable_table(struct text *c, const struct plan *plan)
{
	if (!plan->nvariables)
		return;
	text_string(c, "\nstatic const struct kstats_variable variables[] = {\n");
	for (unsigned int i = 0; i < plan->nvariables; i++) {
		text_string(c, "\t{ ");
		emit_string(c, plan->variables[i].module, strlen(plan->variables[i].module));
		text_string(c, ", ");
		emit_string(c, plan->variables[i].symbol, strlen(plan->variables[i].symbol));
		text_printf(c, ", &variable_%u },\n", i + 1);
	}
	text_string(c, "};\n");
}

static void module(struct text *c, const struct plan *plan)
{
	text_string(c,
		    "\nstatic const struct kstats_script script = {\n"
		    "\t.version = KSTATS_VERSION,\n"
		    "\t.owner = THIS_MODULE,\n");
	if (plan->kernel) {
		text_string(c, "\t.kernel = ");
		emit_string(c, plan->kernel, strlen(plan->kernel));
		text_string(c, ",\n");
	}
	text_string(c,
		    "\t.statements = statements,\n"
		    "\t.nstatements = ARRAY_SIZE(statements),\n");
	if (plan->nvariables)
		text_string(c, "\t.variables = variables,\n\t.nvariables = ARRAY_SIZE(variables),\n");
	text_string(c,
		    "};\n"
		    "\nstatic int __init km_init(void)\n{\n\treturn kstats_script_load(&script);\n}\n"
		    "module_init(km_init);\n"
		    "\nstatic void __exit km_exit(void)\n{\n\tkstats_script_unload(&script);\n}\n"
		    "module_exit(km_exit);\n"
		    "\nMODULE_LICENSE(\"GPL\");\n"
		    "MODULE_DESCRIPTION(\"a kmeter script\");\n");
	/* modinfo shows a module's script. */
	for (unsigned int i = 0; i < plan->nstatements; i++) {
		text_string(c, "MODULE_INFO(statement, ");
		emit_string(c, plan->statements[i].text, strlen(plan->statements[i].text));
		text_string(c, ");\n");
	}
}

char *emit_plan(const struct plan *plan)
{
	struct text c = {};

	header(&c, plan);
	declarations(&c, plan);
	variables(&c, plan);
	emit_helpers(&c, plan);
	for (unsigned int i = 0; i < plan->nstatements; i++) {
		handlers(&c, &plan->statements[i], i);
		emit_points(&c, &plan->statements[i], i);
	}
	emit_statements(&c, plan);
	variable_table(&c, plan);
	module(&c, plan);
	return text_take(&c);
}
