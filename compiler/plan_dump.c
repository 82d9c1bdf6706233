// SPDX-License-Identifier: GPL-2.0
/* plan_dump.c: a plan as text, for `--dump plan` and golden tests. */
#include <inttypes.h>
#include <string.h>

#include "plan.h"

static const char *const types[] = { "s32", "u32", "s64", "u64", "text", "stack" };
static const char *const registers[] = {
	"ax", "dx", "cx", "bx", "si", "di", "bp", "sp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"
};

static void dump_expr(const struct plan_expr *e, FILE *to);

static void dump_text(const char *text, FILE *to)
{
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		if ((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f)
			fprintf(to, "\\%03o", (unsigned char)*text);
		else
			fputc(*text, to);
	}
	fputc('"', to);
}

static void dump_memory(const struct plan_expr *e, FILE *to)
{
	if (e->kind == PLAN_STRING_AT)
		fprintf(to, "%stext%u[", e->user ? "user " : "", e->size);
	else
		fprintf(to, "%s%c%u[", e->user ? "user " : "", e->is_signed ? 's' : 'u', 8 * e->size);
	dump_expr(e->a, to);
	fputc(']', to);
}

static void dump_call(const char *name, const struct plan_expr *a, FILE *to)
{
	fprintf(to, "%s(", name);
	dump_expr(a, to);
	fputc(')', to);
}

static void dump_binary(const struct plan_expr *e, const char *op, FILE *to)
{
	fputc('(', to);
	dump_expr(e->a, to);
	fprintf(to, " %s ", op);
	dump_expr(e->b, to);
	fputc(')', to);
}

static void dump_expr(const struct plan_expr *e, FILE *to)
{
	char name[8];

	switch (e->kind) {
	case PLAN_CONST:
		if (e->type == PLAN_S32 || e->type == PLAN_S64)
			fprintf(to, "%" PRId64, (int64_t)e->value);
		else
			fprintf(to, "%" PRIu64 "U", e->value);
		fputs(e->type >= PLAN_S64 ? "L" : "", to);
		break;
	case PLAN_TEXT:
		dump_text(e->text, to);
		break;
	case PLAN_BUILTIN:
		fputs(plan_builtin_text(e->builtin), to);
		break;
	case PLAN_CARRIED:
		fprintf(to, "data[%u]:%s", e->index, types[e->type]);
		break;
	case PLAN_ENTRY:
		fprintf(to, "entry[%u]:%s", e->index, types[e->type]);
		break;
	case PLAN_REGISTER:
		fprintf(to, "%%%s", registers[e->index]);
		break;
	case PLAN_RETURN:
		fputs("$return", to);
		break;
	case PLAN_ARGUMENT:
		fprintf(to, "arg[%u]", e->index);
		break;
	case PLAN_ADDRESS:
		fprintf(to, "init_task%+" PRId64, (int64_t)e->value);
		break;
	case PLAN_VARIABLE:
		fprintf(to, "variable[%u]", e->index);
		break;
	case PLAN_THIS_CPU:
		dump_call("this_cpu", e->a, to);
		break;
	case PLAN_READ:
	case PLAN_STRING_AT:
		dump_memory(e, to);
		break;
	case PLAN_NARROW:
		snprintf(name, sizeof(name), "%c%u", e->is_signed ? 's' : 'u', 8 * e->size);
		dump_call(name, e->a, to);
		break;
	case PLAN_SWAP:
		snprintf(name, sizeof(name), "swap%u", 8 * e->size);
		dump_call(name, e->a, to);
		break;
	case PLAN_UNARY:
		fprintf(to, "(%s", operator_text(e->op));
		dump_expr(e->a, to);
		fputc(')', to);
		break;
	case PLAN_BINARY:
		dump_binary(e, operator_text(e->op), to);
		break;
	case PLAN_TERNARY:
		fputc('(', to);
		dump_expr(e->a, to);
		fputs(" ? ", to);
		dump_expr(e->b, to);
		fputs(" : ", to);
		dump_expr(e->c, to);
		fputc(')', to);
		break;
	case PLAN_CONVERT:
		dump_call(types[e->type], e->a, to);
		break;
	case PLAN_PLACE:
		fprintf(to, "%s(\"%s\")", e->place.container ? "in_container" : e->place.below ? "in_cgroup" : "is_cgroup", e->place.name);
		break;
	case PLAN_SAME:
		dump_binary(e, e->negated ? "!=" : "==", to);
		break;
	}
}

static void dump_stores(const struct plan_store *stores, unsigned int n, const char *when, const char *where, FILE *to)
{
	for (unsigned int i = 0; i < n; i++) {
		fprintf(to, "    %s %s[%u] = ", when, where, stores[i].word);
		dump_expr(stores[i].value, to);
		fputc('\n', to);
	}
}

static void dump_side(const struct plan_side *side, const char *when, const char *data, FILE *to)
{
	if (side->filter) {
		fprintf(to, "    %s if ", when);
		dump_expr(side->filter, to);
		fputc('\n', to);
	}
	if (side->value) {
		fprintf(to, "    %s value ", when);
		dump_expr(side->value, to);
		fputc('\n', to);
	}
	dump_stores(side->keys, side->nkeys, when, "key", to);
	dump_stores(side->stores, side->nstores, when, data, to);
}

static void dump_point(const struct plan_point *p, const struct plan_point *before, FILE *to)
{
	static const char *const roles[] = { "call", "from", "to", "value", "count", "between" };
	static const char *const wheres[] = { "function", "return", "instruction", "tracepoint", "memory", "functions" };

	fprintf(to, "  %s %s %s", roles[p->role], wheres[p->where], p->symbol);
	if (p->offset)
		fprintf(to, "+%u", p->offset);
	if (strcmp(p->text, p->symbol) != 0)
		fprintf(to, " (%s)", p->text);
	if (p->distance || p->anchor)
		fprintf(to, " at %s%+" PRId64, p->anchor ? p->anchor : "init_task", p->distance);
	if (p->module)
		fprintf(to, " of module %s", p->module);
	for (unsigned int i = 0; i < p->nfunctions; i++)
		fprintf(to, "%s %u of %s%s%s", i ? "," : ":", p->functions[i].n, p->functions[i].module ? "module " : "the kernel",
			p->functions[i].module ? p->functions[i].module : "", p->functions[i].anchor ? " by an anchor" : "");
	if (p->where == PLAN_MEMORY) {
		if (p->based)
			fprintf(to, " behind variable[%u]", p->base);
		else if (p->is_absolute)
			fprintf(to, " behind %#" PRIx64, p->absolute);
		fprintf(to, ", %s of %u bytes%s", p->reads ? "rw" : "write", p->bytes, p->per_cpu ? " of each CPU" : "");
	}
	if (p->thunk)
		fputs(p->wide ? ", thunk, wide" : ", thunk", to);
	if (p->waits)
		fputs(", waits", to);
	if (p->entry_words)
		fprintf(to, ", keeps %u words", p->entry_words);
	if (before && p->match != before->match)
		fprintf(to, ", match %u", p->match);
	fputc('\n', to);
	if (p->needs_arguments) {
		fputs("    arguments", to);
		for (unsigned int i = 0; i < p->narguments; i++)
			fprintf(to, "%s %s", i ? "," : "", p->arguments[i].type);
		fputc('\n', to);
	}
	dump_side(&p->enter, "enter", "entry", to);
	dump_side(&p->early, "early", "data", to);
	dump_side(&p->late, "late", "data", to);
}

static void dump_by(const struct plan_by *by, FILE *to)
{
	static const char *const kinds[] = {
		[KSTATS_BY_U64] = "u64", [KSTATS_BY_S64] = "s64", [KSTATS_BY_STRING] = "text", [KSTATS_BY_ERRNO] = "errno",
		[KSTATS_BY_HEX] = "pointer", [KSTATS_BY_SYMBOL] = "symbol", [KSTATS_BY_ENUM] = "enum",
		[KSTATS_BY_STACK] = "stack", [KSTATS_BY_POINT] = "point",
		[KSTATS_BY_FUNCTION] = "function", [KSTATS_BY_CGROUP] = "cgroup", [KSTATS_BY_CONTAINER] = "container",
	};

	fprintf(to, "  by %s: %s in data[%u]", by->text, kinds[by->type], by->word);
	if (by->words > 1)
		fprintf(to, " of %u words", by->words);
	if (by->nnames) {
		fputs(" {", to);
		for (unsigned int i = 0; i < by->nnames; i++)
			fprintf(to, "%s %s=%" PRId64, i ? "," : "", by->names[i].name, by->names[i].value);
		fputs(" }", to);
	}
	fputc('\n', to);
}

static void dump_options(const struct plan_statement *s, FILE *to)
{
	static const char *const keys[] = { "task", "tid", "cpu", "none", "value" };
	static const char *const nestings[] = { "all", "outermost", "self" };
	static const char *const clocks[] = { "auto", "tsc", "mono", "ticks" };
	static const char *const forms[] = { "histograms", "watch", "profile" };

	if (s->bits == KSTATS_BITS_NONE)
		fprintf(to, "  no bits, key %s", keys[s->key]);
	else
		fprintf(to, "  bits %u, key %s", s->bits, keys[s->key]);
	if (s->form)
		fprintf(to, ", as %s%s", forms[s->form], s->squares ? " with squares" : "");
	if (s->key_words)
		fprintf(to, " of %u words%s", s->key_words, s->tid_key ? ", a tid" : "");
	if (s->first)
		fputs(", first", to);
	if (s->ranged)
		fprintf(to, ", range %" PRIu64 "..%" PRIu64, s->low, s->high);
	if (s->nesting)
		fprintf(to, ", nesting %s", nestings[s->nesting]);
	if (s->clock)
		fprintf(to, ", clock %s", clocks[s->clock]);
	if (s->time)
		fputs(s->time == PLAN_TIME_ONCPU ? ", oncpu" : ", blocked", to);
	if (s->counter)
		fprintf(to, ", of %s (perf type %u config 0x%" PRIx64 ")", s->counter, s->perf_type, s->perf_config);
	if (s->unit)
		fprintf(to, ", unit %s", s->unit);
	if (s->pairs)
		fprintf(to, ", pairs %u", s->pairs);
	if (s->entries)
		fprintf(to, ", entries %u", s->entries);
	if (s->top)
		fprintf(to, ", top %u", s->top);
	if (s->via)
		fprintf(to, ", via %s", s->via);
	if (s->data_words)
		fprintf(to, ", %u words of data", s->data_words);
	fputc('\n', to);
}

void plan_dump(const struct plan *plan, FILE *to)
{
	for (unsigned int i = 0; i < plan->nstatements; i++) {
		const struct plan_statement *s = &plan->statements[i];

		fprintf(to, "%s: %s\n", s->name, s->text);
		dump_options(s, to);
		for (unsigned int b = 0; b < s->nby; b++)
			dump_by(&s->by[b], to);
		for (unsigned int p = 0; p < s->npoints; p++)
			dump_point(&s->points[p], p ? &s->points[p - 1] : NULL, to);
	}
	for (unsigned int i = 0; i < plan->nvariables; i++)
		fprintf(to, "variable[%u] %s:%s\n", i, plan->variables[i].module, plan->variables[i].symbol);
	if (plan->kernel)
		fprintf(to, "for %s\n", plan->kernel);
}
