// SPDX-License-Identifier: GPL-2.0
/* emit_table.c: the tables of a script's module: its points, keys and statements, as runtime/kstats.h has them. */
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "emit_private.h"

static void field(struct text *c, const char *indent, const char *name, const char *value)
{
	text_printf(c, "%s.%s = %s,\n", indent, name, value);
}

static void field_number(struct text *c, const char *indent, const char *name, unsigned int value)
{
	if (value)
		text_printf(c, "%s.%s = %u,\n", indent, name, value);
}

static void field_flag(struct text *c, const char *name, bool value)
{
	if (value)
		field(c, "\t\t", name, "true");
}

static void field_string(struct text *c, const char *indent, const char *name, const char *value)
{
	if (!value)
		return;
	text_printf(c, "%s.%s = ", indent, name);
	emit_string(c, value, strlen(value));
	text_string(c, ",\n");
}

static void field_handler(struct text *c, const char *when, bool there, unsigned int statement, unsigned int point)
{
	if (!there)
		return;
	text_printf(c, "\t\t.%s = ", when);
	emit_handler_name(c, when, statement, point);
	text_string(c, ",\n");
}

/* Distances, ten a line. */
static void functions(struct text *c, const struct plan_statement *s, unsigned int statement)
{
	const struct plan_point *p = &s->points[0];

	for (unsigned int f = 0; f < p->nfunctions; f++) {
		text_printf(c, "\nstatic const s32 functions_%u_%u[] = {", statement + 1, f + 1);
		for (unsigned int i = 0; i < p->functions[f].n; i++)
			text_printf(c, "%s%" PRId32 ",", i % 10 ? " " : "\n\t", p->functions[f].distance[i]);
		text_string(c, "\n};\n");
	}
	if (!p->nfunctions)
		return;
	text_printf(c, "\nstatic const struct kstats_functions functions_%u[] = {\n", statement + 1);
	for (unsigned int f = 0; f < p->nfunctions; f++) {
		text_string(c, "\t{\n");
		field_string(c, "\t\t", "module", p->functions[f].module);
		field_string(c, "\t\t", "anchor", p->functions[f].anchor);
		text_printf(c, "\t\t.distance = functions_%u_%u,\n\t\t.n = ARRAY_SIZE(functions_%u_%u),\n\t},\n", statement + 1, f + 1,
			    statement + 1, f + 1);
	}
	text_string(c, "};\n");
}

void emit_points(struct text *c, const struct plan_statement *s, unsigned int statement)
{
	static const char *const roles[] = {
		"KSTATS_CALL", "KSTATS_FROM", "KSTATS_TO", "KSTATS_VALUE", "KSTATS_COUNT", "KSTATS_BETWEEN"
	};
	static const char *const wheres[] = { "KSTATS_FUNCTION", "KSTATS_RETURN", "KSTATS_OFFSET", "KSTATS_TRACEPOINT",
		"KSTATS_MEMORY", "KSTATS_FUNCTIONS" };

	functions(c, s, statement);
	for (unsigned int p = 0; p < s->npoints; p++)
		if (s->points[p].where == PLAN_MEMORY && s->points[p].is_absolute)
			text_printf(c, "\nstatic const u64 address_%u_%u = 0x%" PRIx64 "ULL;\n", statement + 1, p + 1, s->points[p].absolute);
	text_printf(c, "\nstatic const struct kstats_point points_%u[] = {\n", statement + 1);
	for (unsigned int p = 0; p < s->npoints; p++) {
		const struct plan_point *point = &s->points[p];

		text_string(c, "\t{\n");
		field_string(c, "\t\t", "text", point->text);
		field(c, "\t\t", "role", roles[point->role]);
		field(c, "\t\t", "where", wheres[point->where]);
		field_string(c, "\t\t", "module", point->module);
		field_string(c, "\t\t", "symbol", point->symbol);
		field_string(c, "\t\t", "anchor", point->anchor);
		if (point->distance)
			text_printf(c, "\t\t.distance = %" PRId64 "L,\n", point->distance);
		if (point->based)
			text_printf(c, "\t\t.base = &variable_%u,\n", point->base + 1);
		else if (point->is_absolute)
			text_printf(c, "\t\t.base = &address_%u_%u,\n", statement + 1, p + 1);
		field_number(c, "\t\t", "offset", point->offset);
		field_number(c, "\t\t", "bytes", point->bytes);
		field_flag(c, "reads", point->reads);
		field_flag(c, "per_cpu", point->per_cpu);
		field_number(c, "\t\t", "match", point->match);
		if (point->nfunctions)
			text_printf(c, "\t\t.functions = functions_%u,\n\t\t.nfunctions = ARRAY_SIZE(functions_%u),\n", statement + 1,
				    statement + 1);
		field_number(c, "\t\t", "entry_words", point->entry_words);
		field_flag(c, "thunk", point->thunk);
		field_flag(c, "wide", point->wide);
		field_flag(c, "waits", point->waits);
		field_handler(c, "enter", !plan_side_is_empty(&point->enter), statement, p);
		field_handler(c, "early", !plan_side_is_empty(&point->early), statement, p);
		field_handler(c, "late", !plan_side_is_empty(&point->late), statement, p);
		field_handler(c, "callback", point->needs_arguments, statement, p);
		field_handler(c, "paired", emit_is_paired(s, point), statement, p);
		field_handler(c, "refuses", emit_has_refuses(point), statement, p);
		field_handler(c, "keys", emit_has_keys(s, point), statement, p);
		text_string(c, "\t},\n");
	}
	text_string(c, "};\n");
}

/* The enumerators of a statement's keys. */
static void names(struct text *c, const struct plan_statement *s, unsigned int statement)
{
	for (unsigned int i = 0; i < s->nby; i++) {
		if (!s->by[i].nnames)
			continue;
		text_printf(c, "\nstatic const struct kstats_name names_%u_%u[] = {\n", statement + 1, i + 1);
		for (unsigned int n = 0; n < s->by[i].nnames; n++) {
			/* The smallest number has no literal of its own. */
			if (s->by[i].names[n].value == INT64_MIN)
				text_string(c, "\t{ S64_MIN, ");
			else
				text_printf(c, "\t{ %" PRId64 "LL, ", s->by[i].names[n].value);
			emit_string(c, s->by[i].names[n].name, strlen(s->by[i].names[n].name));
			text_string(c, " },\n");
		}
		text_string(c, "};\n");
	}
}

static void keys(struct text *c, const struct plan_statement *s, unsigned int statement)
{
	static const char *const kinds[] = {
		[KSTATS_BY_U64] = "U64", [KSTATS_BY_S64] = "S64", [KSTATS_BY_STRING] = "STRING", [KSTATS_BY_ERRNO] = "ERRNO",
		[KSTATS_BY_HEX] = "HEX", [KSTATS_BY_SYMBOL] = "SYMBOL", [KSTATS_BY_ENUM] = "ENUM",
		[KSTATS_BY_STACK] = "STACK", [KSTATS_BY_POINT] = "POINT", [KSTATS_BY_FUNCTION] = "FUNCTION",
		[KSTATS_BY_CGROUP] = "CGROUP", [KSTATS_BY_CONTAINER] = "CONTAINER",
	};

	if (!s->nby)
		return;
	field_number(c, "\t\t", "nby", s->nby);
	text_string(c, "\t\t.by = {\n");
	for (unsigned int i = 0; i < s->nby; i++) {
		text_string(c, "\t\t\t{ ");
		emit_string(c, s->by[i].text, strlen(s->by[i].text));
		text_printf(c, ", KSTATS_BY_%s, %u", kinds[s->by[i].type], s->by[i].words);
		if (s->by[i].nnames)
			text_printf(c, ", names_%u_%u, %u", statement + 1, i + 1, s->by[i].nnames);
		text_string(c, " },\n");
	}
	text_string(c, "\t\t},\n");
}

static bool reads(const struct plan_expr *e)
{
	return e->reads;
}

/* Tracepoints in the entry of an exception and what that goes through: a handler's fault brings them. */
static const char *const of_exceptions[] = {
	"page_fault_*", "irq_*able*", "preempt_*able*", "lock_*", "contention_*", "rcu_*", "user_enter", "user_exit", "context_tracking*",
	NULL
};

static bool is_of_exceptions(const struct plan_point *p)
{
	for (unsigned int i = 0; of_exceptions[i]; i++)
		if (fnmatch(of_exceptions[i], p->symbol, 0) == 0)
			return true;
	return false;
}

/*
 * May a handler bring up its own statement? What it reads may fault, and what it calls can be probed: as functions; of tracepoints,
 * there are only those of exceptions.
 */
bool emit_is_guarded(const struct plan_statement *s)
{
	if (!plan_statement_any(s, reads))
		return false;
	for (unsigned int i = 0; i < s->npoints; i++)
		if (s->points[i].where != PLAN_TRACEPOINT || is_of_exceptions(&s->points[i]))
			return true;
	return false;
}

static void statement(struct text *c, const struct plan_statement *s, unsigned int i)
{
	static const char *const kinds[] = {
		"KSTATS_KEY_TASK", "KSTATS_KEY_TID", "KSTATS_KEY_CPU", "KSTATS_KEY_NONE", "KSTATS_KEY_VALUE"
	};
	static const char *const nestings[] = {
		"KSTATS_NESTING_ALL", "KSTATS_NESTING_OUTERMOST", "KSTATS_NESTING_SELF"
	};
	static const char *const clocks[] = {
		"KSTATS_CLOCK_AUTO", "KSTATS_CLOCK_TSC", "KSTATS_CLOCK_MONO", "KSTATS_CLOCK_TICKS"
	};

	static const char *const forms[] = { "KSTATS_HISTOGRAMS", "KSTATS_WATCH", "KSTATS_PROFILE" };

	text_string(c, "\t{\n");
	field_string(c, "\t\t", "text", s->text);
	field_string(c, "\t\t", "name", s->name);
	field_string(c, "\t\t", "unit", s->unit);
	if (s->form)
		field(c, "\t\t", "form", forms[s->form]);
	if (s->bits == KSTATS_BITS_NONE)
		field(c, "\t\t", "bits", "KSTATS_BITS_NONE");
	else
		text_printf(c, "\t\t.bits = %u,\n", s->bits);
	field_flag(c, "squares", s->squares);
	field_flag(c, "guarded", emit_is_guarded(s));
	field_flag(c, "first", s->first);
	field_flag(c, "tid_key", s->tid_key);
	if (s->ranged) {
		field_flag(c, "ranged", true);
		text_printf(c, "\t\t.low = %" PRIu64 "ULL,\n\t\t.high = %" PRIu64 "ULL,\n", s->low, s->high);
	}
	if (s->nesting)
		field(c, "\t\t", "nesting", nestings[s->nesting]);
	if (s->clock)
		field(c, "\t\t", "clock", clocks[s->clock]);
	if (s->time)
		field(c, "\t\t", "time", s->time == PLAN_TIME_ONCPU ? "KSTATS_TIME_ONCPU" : "KSTATS_TIME_BLOCKED");
	if (s->counter) {
		field_string(c, "\t\t", "counter", s->counter);
		field_number(c, "\t\t", "perf_type", s->perf_type);
		text_printf(c, "\t\t.perf_config = 0x%" PRIx64 "ULL,\n", s->perf_config);
	}
	field(c, "\t\t", "key", kinds[s->key]);
	field_number(c, "\t\t", "key_words", s->key_words);
	field_number(c, "\t\t", "pairs", s->pairs);
	field_number(c, "\t\t", "entries", s->entries);
	field_number(c, "\t\t", "top", s->top);
	field_string(c, "\t\t", "via", s->via);
	keys(c, s, i);
	field_number(c, "\t\t", "data_words", s->data_words);
	text_printf(c, "\t\t.points = points_%u,\n\t\t.npoints = ARRAY_SIZE(points_%u),\n\t},\n", i + 1, i + 1);
}

void emit_statements(struct text *c, const struct plan *plan)
{
	for (unsigned int i = 0; i < plan->nstatements; i++)
		names(c, &plan->statements[i], i);
	text_string(c, "\nstatic const struct kstats_statement statements[] = {\n");
	for (unsigned int i = 0; i < plan->nstatements; i++)
		statement(c, &plan->statements[i], i);
	text_string(c, "};\n");
}
