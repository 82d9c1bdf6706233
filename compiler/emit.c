// SPDX-License-Identifier: GPL-2.0
/* emit.c: the file around the handlers: its header, tables, and module boilerplate. emit_expr.c writes expressions. */
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

static void store(struct text *c, const struct plan_store *store)
{
	const struct plan_expr *e = store->value;

	if (e->kind == PLAN_BUILTIN && e->builtin == PLAN_COMM) {
		text_printf(c, "\tks_comm(&ev->data[%u]);\n", store->word);
		return;
	}
	text_printf(c, "\tev->data[%u] = ", store->word);
	emit_word(c, e);
	text_string(c, ";\n");
}

static bool side_has(const struct plan_side *side, bool (*has)(const struct plan_expr *))
{
	if (side->filter && has(side->filter))
		return true;
	for (unsigned int i = 0; i < side->nstores; i++)
		if (has(side->stores[i].value))
			return true;
	return false;
}

static void handler(struct text *c, const struct plan_side *side, const char *name)
{
	bool fault = side_has(side, emit_needs_fault);

	text_printf(c, "\nstatic enum kstats_verdict %s(struct kstats_event *ev)\n{\n", name);
	if (side_has(side, emit_needs_comm))
		text_string(c, "\tu64 comm[KSTATS_COMM_WORDS];\n");
	if (fault)
		text_string(c, "\tbool fault = false;\n");
	if (side_has(side, emit_needs_comm) || fault)
		text_string(c, "\n");
	if (side_has(side, emit_needs_comm))
		text_string(c, "\tks_comm(comm);\n");
	if (side->filter) {
		text_string(c, "\tif (!");
		emit_truth(c, side->filter, true);
		if (fault)
			text_string(c, ")\n\t\treturn fault ? KSTATS_FAULTED : KSTATS_FILTER;\n");
		else
			text_string(c, ")\n\t\treturn KSTATS_FILTER;\n");
	}
	for (unsigned int i = 0; i < side->nstores; i++)
		store(c, &side->stores[i]);
	text_string(c, fault ? "\treturn fault ? KSTATS_FAULTED : KSTATS_TAKE;\n}\n" : "\treturn KSTATS_TAKE;\n}\n");
}

static bool is_empty(const struct plan_side *side)
{
	return !side->filter && !side->nstores;
}

static void handlers(struct text *c, const struct plan_statement *s, unsigned int statement)
{
	for (unsigned int p = 0; p < s->npoints; p++) {
		for (unsigned int late = 0; late < 2; late++) {
			const struct plan_side *side = late ? &s->points[p].late : &s->points[p].early;
			struct text name = {};

			if (is_empty(side))
				continue;
			emit_handler_name(&name, late ? "late" : "early", statement, p);
			handler(c, side, name.s);
			text_free(&name);
		}
	}
}

/* ---- tables ---- */

static void field(struct text *c, const char *indent, const char *name, const char *value)
{
	text_printf(c, "%s.%s = %s,\n", indent, name, value);
}

static void field_number(struct text *c, const char *indent, const char *name, unsigned int value)
{
	if (value)
		text_printf(c, "%s.%s = %u,\n", indent, name, value);
}

static void field_string(struct text *c, const char *indent, const char *name, const char *value)
{
	if (!value)
		return;
	text_printf(c, "%s.%s = ", indent, name);
	emit_string(c, value, strlen(value));
	text_string(c, ",\n");
}

static void field_handler(struct text *c, const char *when, const struct plan_side *side, unsigned int statement,
			  unsigned int point)
{
	if (is_empty(side))
		return;
	text_printf(c, "\t\t.%s = ", when);
	emit_handler_name(c, when, statement, point);
	text_string(c, ",\n");
}

static void points(struct text *c, const struct plan_statement *s, unsigned int statement)
{
	static const char *const roles[] = { "KSTATS_CALL", "KSTATS_FROM", "KSTATS_TO" };
	static const char *const wheres[] = { "KSTATS_FUNCTION", "KSTATS_RETURN", "KSTATS_OFFSET", "KSTATS_TRACEPOINT" };

	text_printf(c, "\nstatic const struct kstats_point points_%u[] = {\n", statement + 1);
	for (unsigned int p = 0; p < s->npoints; p++) {
		const struct plan_point *point = &s->points[p];

		text_string(c, "\t{\n");
		field_string(c, "\t\t", "text", point->text);
		field(c, "\t\t", "role", roles[point->role]);
		field(c, "\t\t", "where", wheres[point->where]);
		field_string(c, "\t\t", "module", point->module);
		field_string(c, "\t\t", "symbol", point->symbol);
		field_number(c, "\t\t", "offset", point->offset);
		field_handler(c, "early", &point->early, statement, p);
		field_handler(c, "late", &point->late, statement, p);
		text_string(c, "\t},\n");
	}
	text_string(c, "};\n");
}

static void keys(struct text *c, const struct plan_statement *s)
{
	if (!s->nby)
		return;
	field_number(c, "\t\t", "nby", s->nby);
	text_string(c, "\t\t.by = {\n");
	for (unsigned int i = 0; i < s->nby; i++) {
		text_string(c, "\t\t\t{ ");
		emit_string(c, s->by[i].text, strlen(s->by[i].text));
		text_printf(c, ", %s, %u },\n", s->by[i].type == PLAN_STRING ? "KSTATS_BY_STRING" : "KSTATS_BY_U64",
			    s->by[i].words);
	}
	text_string(c, "\t\t},\n");
}

static void statements(struct text *c, const struct plan *plan)
{
	static const char *const names[] = { "KSTATS_KEY_TASK", "KSTATS_KEY_TID", "KSTATS_KEY_CPU" };

	text_string(c, "\nstatic const struct kstats_statement statements[] = {\n");
	for (unsigned int i = 0; i < plan->nstatements; i++) {
		const struct plan_statement *s = &plan->statements[i];

		text_string(c, "\t{\n");
		field_string(c, "\t\t", "text", s->text);
		field_string(c, "\t\t", "name", s->name);
		text_printf(c, "\t\t.bits = %u,\n", s->bits);
		field(c, "\t\t", "key", names[s->key]);
		field_number(c, "\t\t", "pairs", s->pairs);
		field_number(c, "\t\t", "entries", s->entries);
		keys(c, s);
		field_number(c, "\t\t", "data_words", s->data_words);
		text_printf(c, "\t\t.points = points_%u,\n\t\t.npoints = ARRAY_SIZE(points_%u),\n\t},\n", i + 1, i + 1);
	}
	text_string(c, "};\n");
}

static void module(struct text *c, const struct plan *plan)
{
	text_string(c,
		    "\nstatic const struct kstats_script script = {\n"
		    "\t.version = KSTATS_VERSION,\n"
		    "\t.owner = THIS_MODULE,\n"
		    "\t.statements = statements,\n"
		    "\t.nstatements = ARRAY_SIZE(statements),\n"
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
	emit_helpers(&c, plan);
	for (unsigned int i = 0; i < plan->nstatements; i++) {
		handlers(&c, &plan->statements[i], i);
		points(&c, &plan->statements[i], i);
	}
	statements(&c, plan);
	module(&c, plan);
	return text_take(&c);
}
