// SPDX-License-Identifier: GPL-2.0
/* parse.c: joins lexer and parser for one source. */
#include <string.h>

#include "ast.h"
#include "grammar/parser.h"
#include "grammar/lexer.h"

/* Places are 32-bit; nobody writes such a script. */
#define SOURCE_MAX	(64 << 20)

static void parse(struct script *script, struct diag *diag, const struct source *source, unsigned int index,
		  struct parse_expected *expected)
{
	struct parse ps = {
		.diag = diag,
		.source = index,
		.text = source->text,
		.length = source->length,
		.script = script,
		.expected = expected,
	};
	yyscan_t scanner;

	if (source->length > SOURCE_MAX) {
		diag_error(diag, LOC_NONE, "too-long", "%s: a script of more than %d MB", source->name, SOURCE_MAX >> 20);
		return;
	}
	if (km_lex_init_extra(&ps, &scanner)) {
		diag_error(diag, LOC_NONE, "no-memory", "out of memory");
		return;
	}
	km__scan_bytes(source->text, source->length, scanner);
	km_parse(scanner, &ps);
	km_lex_destroy(scanner);
}

void parse_source(struct script *script, struct diag *diag, const struct source *source, unsigned int index)
{
	parse(script, diag, source, index, NULL);
}

void parse_expect(const char *text, size_t length, struct parse_expected *out)
{
	struct source source = { "", text, length };
	struct diag *diag = diag_new(&source, 1);
	struct script script = {};

	*out = (struct parse_expected){};
	parse(&script, diag, &source, 0, out);
	script_free(&script);
	diag_free(diag);
}
