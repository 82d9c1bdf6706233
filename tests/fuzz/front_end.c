// SPDX-License-Identifier: GPL-2.0
/*
 * front_end.c: libFuzzer target: script text through parser, resolve and emit, against the small kernel of tests/language.
 * Whatever the text, there is an answer: a C file or messages, no crash, no leak, no endless loop.
 *
 * KMETER_FUZZ_ROOT is the small kernel's root. Symbols are opened once; types and headers as every script opens them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ast.h"
#include "compiler/emit.h"
#include "compiler/resolve.h"

static struct kernel kernel;
static struct symbols *symbols;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct target target = { .sysroot = getenv("KMETER_FUZZ_ROOT") };
	struct diag *diag = diag_new(NULL, 0);

	if (target.sysroot && kernel_find(&kernel, &target, diag))
		symbols = symbols_open(&kernel, diag);
	if (!symbols) {
		diag_print(diag, stderr, false);
		fputs("front_end: no kernel: KMETER_FUZZ_ROOT is its root\n", stderr);
		exit(2);
	}
	diag_free(diag);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_copy((const char *)data, size);
	const struct source source = { .name = "fuzz", .text = text, .length = size };
	struct diag *diag = diag_new(&source, 1);
	struct script script = {};
	struct plan plan = {};
	FILE *null = fopen("/dev/null", "w");

	parse_source(&script, diag, &source, 0);
	script_dump(&script, null);
	if (resolve_script(&script, &kernel, symbols, diag, NULL, 0, &plan)) {
		plan_dump(&plan, null);
		free(emit_plan(&plan));
	}
	diag_print(diag, null, false);
	fclose(null);
	plan_free(&plan);
	script_free(&script);
	diag_free(diag);
	free(text);
	return 0;
}
