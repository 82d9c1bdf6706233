// SPDX-License-Identifier: GPL-2.0
/*
 * driver.c: the compiler alone, for the language's tests: no console, no kernel.
 *
 *	driver [--sysroot DIR] [-r RELEASE] [--dump ast|plan|c] [--no-cache] [-v] { -e SCRIPT | FILE }...
 *
 * Without --dump it builds, and prints the module's path, its name, the runtime's path and whether it was cached.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"
#include "compiler/text.h"

#define SOURCES_MAX	64

static enum compile_stage stage_of(const char *word)
{
	static const char *const words[] = { "ast", "plan", "c" };

	for (unsigned int i = 0; i < 3; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	fprintf(stderr, "driver: no stage '%s'\n", word);
	exit(KM_USAGE);
}

int main(int argc, char **argv)
{
	struct compile_options options = { .until = COMPILE_MODULE, .dump = stdout };
	struct source sources[SOURCES_MAX] = {};
	struct compiled out;
	size_t n = 0;
	int status;

	for (int i = 1; i < argc && n < SOURCES_MAX; i++) {
		const char *next = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(argv[i], "--sysroot") == 0) {
			options.target.sysroot = next, i++;
		} else if (strcmp(argv[i], "-r") == 0) {
			options.target.release = next, i++;
		} else if (strcmp(argv[i], "--dump") == 0) {
			options.until = stage_of(next), i++;
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
	status = compile_script(sources, n, &options, &out);
	if (status == KM_OK && options.until == COMPILE_MODULE)
		printf("%s\n%s\n%s\n%s\n", out.module_path, out.module_name, out.runtime_path, out.cached ? "cached" : "built");
	compile_free(&out);
	for (size_t i = 0; i < n; i++)
		free((char *)sources[i].text);
	return status;
}
