// SPDX-License-Identifier: GPL-2.0
/* parse.c: joins lexer and parser for one source. */
#include <string.h>

#include "ast.h"
#include "grammar/parser.h"
#include "grammar/lexer.h"

/* Places are 32-bit; nobody writes such a script. */
#define SOURCE_MAX	(64 << 20)

void parse_source(struct script *script, struct diag *diag, const struct source *source, unsigned int index)
{
	struct parse ps = {
		.diag = diag,
		.source = index,
		.text = source->text,
		.length = source->length,
		.script = script,
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
