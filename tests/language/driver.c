// SPDX-License-Identifier: GPL-2.0
/*
 * driver.c: the compiler alone, for the language's tests: no console, no kernel.
 *
 *	driver [--sysroot DIR] [-r RELEASE] [--dump ast|plan|c] [--no-cache] [-v] [--set NAME=VALUE]... { -e SCRIPT | FILE }...
 *
 *	driver [--sysroot DIR] [-r RELEASE] { -l | -L } PATTERN
 *
 * What it dumps it makes twice, and says so where the second one has other bytes.
 * Without --dump it builds, and prints the module's path, its name, the runtime's path and whether it was cached.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"
#include "compiler/list.h"
#include "compiler/text.h"

#define SOURCES_MAX	64
#define PARAMS_MAX	16

static enum compile_stage stage_of(const char *word)
{
	static const char *const words[] = { "ast", "plan", "c" };

	for (unsigned int i = 0; i < 3; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	fprintf(stderr, "driver: no stage '%s'\n", word);
	exit(KM_USAGE);
}

/* NAME=VALUE, cut in place. */
static void assign(struct compile_options *options, struct assignment *params, char *text)
{
	char *sign = strchr(text, '=');

	if (!sign || options->nparams == PARAMS_MAX) {
		fprintf(stderr, "driver: --set NAME=VALUE, not '%s'\n", text);
		exit(KM_USAGE);
	}
	*sign = 0;
	params[options->nparams++] = (struct assignment){ text, sign + 1 };
}

/* Same input, same bytes: compile again, and compare. */
static int dump(const struct source *sources, size_t n, struct compile_options *options, struct compiled *out)
{
	char *texts[2] = {};
	size_t lengths[2];
	int status = KM_OK;

	for (int i = 0; i < 2 && status == KM_OK; i++) {
		options->dump = open_memstream(&texts[i], &lengths[i]);
		options->quiet = i;
		status = compile_script(sources, n, options, out);
		fclose(options->dump);
		compile_free(out);
	}
	if (texts[0])
		fwrite(texts[0], lengths[0], 1, stdout);
	if (status == KM_OK && (lengths[0] != lengths[1] || memcmp(texts[0], texts[1], lengths[0]) != 0)) {
		fprintf(stderr, "driver: the second time it gave other bytes\n");
		status = 99;
	}
	free(texts[0]);
	free(texts[1]);
	return status;
}

int main(int argc, char **argv)
{
	struct assignment params[PARAMS_MAX];
	struct compile_options options = { .until = COMPILE_MODULE, .dump = stdout, .params = params };
	struct source sources[SOURCES_MAX] = {};
	struct compiled out;
	size_t n = 0;
	int status;

	for (int i = 1; i < argc && n < SOURCES_MAX; i++) {
		char *next = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(argv[i], "--sysroot") == 0) {
			options.target.sysroot = next, i++;
		} else if (strcmp(argv[i], "-r") == 0) {
			options.target.release = next, i++;
		} else if (strcmp(argv[i], "-l") == 0 || strcmp(argv[i], "-L") == 0) {
			return list_points(next, argv[i][1] == 'L', &options, stdout);
		} else if (strcmp(argv[i], "--dump") == 0) {
			options.until = stage_of(next), i++;
		} else if (strcmp(argv[i], "--set") == 0) {
			assign(&options, params, next), i++;
		} else if (strcmp(argv[i], "--no-cache") == 0) {
			options.no_cache = true;
		} else if (strcmp(argv[i], "-v") == 0) {
			options.verbose = true;
		} else if (strcmp(argv[i], "-e") == 0) {
			sources[n++] = (struct source){ "-e", mem_copy(next, strlen(next)), strlen(next) };
			i++;
		} else {
			const char *slash = strrchr(argv[i], '/');
			struct source *s = &sources[n++];

			s->name = slash ? slash + 1 : argv[i];
			s->text = text_of_file(argv[i], &s->length);
			if (!s->text) {
				perror(argv[i]);
				return KM_USAGE;
			}
		}
	}
	if (options.until == COMPILE_MODULE)
		status = compile_script(sources, n, &options, &out);
	else
		status = dump(sources, n, &options, &out);
	if (status == KM_OK && options.until == COMPILE_MODULE)
		printf("%s\n%s\n%s\n%s\n", out.module_path, out.module_name, out.runtime_path, out.cached ? "cached" : "built");
	compile_free(&out);
	for (size_t i = 0; i < n; i++)
		free((char *)sources[i].text);
	return status;
}
