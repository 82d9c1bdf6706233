// SPDX-License-Identifier: GPL-2.0
/* ast_dump.c: the tree as text, for `--dump ast`: a statement a block, expressions fully parenthesized. */
#include <inttypes.h>

#include "ast.h"

static void dump_quoted(const char *bytes, size_t length, FILE *to)
{
	fputc('"', to);
	for (size_t i = 0; i < length; i++) {
		unsigned char c = bytes[i];

		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(to, "\\x%02x", c);
		else
			fputc(c, to);
	}
	fputc('"', to);
}

static void dump_type(const struct type_name *type, FILE *to)
{
	static const char *const kinds[] = { "", "struct ", "union ", "enum " };

	fprintf(to, "%s%s", kinds[type->kind], type->name);
	for (unsigned int i = 0; i < type->stars; i++)
		fprintf(to, "%s*", i ? "" : " ");
}

static void dump_exprs(const struct expr *list, FILE *to);

static void dump_expr(const struct expr *e, FILE *to)
{
	switch (e->kind) {
	case EXPR_NUMBER:
		fprintf(to, "%" PRIu64 "%s%s%s", e->number.value, e->number.is_unsigned ? "U" : "",
			e->number.is_long ? "L" : "", e->number.unit == NUMBER_TIME ? "ns" : "");
		break;
	case EXPR_STRING:
		dump_quoted(e->string.bytes, e->string.length, to);
		break;
	case EXPR_NAME:
		fputs(e->name, to);
		break;
	case EXPR_ARG:
		fprintf(to, "$%s", e->name);
		break;
	case EXPR_UNARY:
		fprintf(to, "(%s", operator_text(e->op.op));
		dump_expr(e->op.a, to);
		fputc(')', to);
		break;
	case EXPR_BINARY:
		fputc('(', to);
		dump_expr(e->op.a, to);
		fprintf(to, " %s ", operator_text(e->op.op));
		dump_expr(e->op.b, to);
		fputc(')', to);
		break;
	case EXPR_TERNARY:
		fputc('(', to);
		dump_expr(e->op.a, to);
		fputs(" ? ", to);
		dump_expr(e->op.b, to);
		fputs(" : ", to);
		dump_expr(e->op.c, to);
		fputc(')', to);
		break;
	case EXPR_MEMBER:
		dump_expr(e->member.of, to);
		fprintf(to, "%s%s", e->member.arrow ? "->" : ".", e->member.name);
		break;
	case EXPR_INDEX:
		dump_expr(e->op.a, to);
		fputc('[', to);
		dump_expr(e->op.b, to);
		fputc(']', to);
		break;
	case EXPR_CAST:
		fputs("((", to);
		dump_type(e->cast.type, to);
		fputc(')', to);
		dump_expr(e->cast.of, to);
		fputc(')', to);
		break;
	case EXPR_CALL:
		fprintf(to, "%s(", e->call.name);
		dump_exprs(e->call.args, to);
		fputc(')', to);
		break;
	case EXPR_BAD:
		fputs("<bad>", to);
		break;
	}
}

static void dump_exprs(const struct expr *list, FILE *to)
{
	for (const struct expr *e = list; e; e = e->next) {
		if (e != list)
			fputs(", ", to);
		dump_expr(e, to);
	}
}

static void dump_point(const struct point *p, FILE *to)
{
	static const char *const kinds[] = { "function", "line", "inline", "syscall", "tracepoint", "watch", "bad" };

	fprintf(to, "%s", kinds[p->kind]);
	if (p->system)
		fprintf(to, " %s %s", p->kind == POINT_TRACEPOINT ? "system" : "module", p->system);
	if (p->symbol)
		fprintf(to, " %s", p->symbol);
	if (p->file)
		fprintf(to, " file %s", p->file);
	if (p->kind == POINT_LINE)
		fprintf(to, " line %u", p->line);
	if (p->has_offset)
		fprintf(to, " offset %" PRIu64, p->offset);
	if (p->path && *p->path)
		fprintf(to, " path %s", p->path);
	if (p->bytes)
		fprintf(to, " bytes %" PRIu64, p->bytes);
	if (p->access)
		fprintf(to, " access %s", p->access);
	if (p->at_return)
		fputs(" return", to);
	if (p->glob)
		fputs(" glob", to);
	if (p->optional)
		fputs(" optional", to);
	fputc('\n', to);
}

static void dump_option(const struct option *o, FILE *to)
{
	fprintf(to, "    %s ", option_text(o->kind));
	dump_exprs(o->exprs, to);
	for (const struct word *w = o->words; w; w = w->next)
		fprintf(to, "%s%s", w == o->words ? "" : " | ", w->text);
	fputc('\n', to);
}

static void dump_place(const struct place *place, FILE *to)
{
	static const char *const roles[] = { "point", "from", "to", "at" };

	for (const struct point *p = place->points; p; p = p->next) {
		fprintf(to, "  %s ", p == place->points ? roles[place->role] : "or");
		dump_point(p, to);
	}
	for (const struct option *o = place->options; o; o = o->next)
		dump_option(o, to);
}

void script_dump(const struct script *script, FILE *to)
{
	static const char *const kinds[] = {
		"measure", "pair", "value", "between", "count", "watch", "profile", "param"
	};

	for (const struct statement *s = script->statements; s; s = s->next) {
		fprintf(to, "%s", kinds[s->kind]);
		if (s->word)
			fprintf(to, " %s", s->word->text);
		if (s->value) {
			fputc(' ', to);
			dump_expr(s->value, to);
		}
		if (s->doc) {
			fputc(' ', to);
			dump_expr(s->doc, to);
		}
		fputc('\n', to);
		for (const struct place *p = s->places; p; p = p->next)
			dump_place(p, to);
	}
}
