// SPDX-License-Identifier: GPL-2.0
/*
 * compile.c: the pipeline. Script text, AST, plan, C, module: each stage in turn, until the one that was asked for.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ast.h"
#include "build.h"
#include "cache.h"
#include "compile.h"
#include "emit.h"
#include "memory.h"
#include "progress.h"
#include "resolve.h"
#include "text.h"

static void parse(struct script *script, struct diag *diag, const struct source *sources, size_t nsources)
{
	for (size_t i = 0; i < nsources; i++)
		parse_source(script, diag, &sources[i], i);
}

/* The AST stage needs no kernel. From there on, with no symbols there is no plan. */
static int to_plan(const struct script *script, const struct compile_options *options, struct kernel *kernel,
		   struct diag *diag, struct plan *plan)
{
	struct symbols *symbols = NULL;
	size_t before = diag_errors(diag);
	bool good = false;

	progress_begin("reading the kernel's symbols and types");
	if (kernel_find(kernel, &options->target, diag))
		symbols = symbols_open(kernel, diag);
	if (symbols)
		good = resolve_script(script, kernel, symbols, diag, options->params, options->nparams, plan);
	progress_end();
	if (!symbols)
		return before ? KM_SCRIPT : KM_KERNEL;
	symbols_free(symbols);
	return good ? KM_OK : KM_SCRIPT;
}

static int to_module(const char *c_text, const struct kernel *kernel, const struct compile_options *options,
		     struct diag *diag, struct compiled *out)
{
	struct build *build = build_open(kernel, options->no_cache, options->verbose, diag);
	bool good = build && build_runtime(build, &out->runtime_path) &&
		    build_module(build, c_text, &out->module_path, &out->module_name, &out->cached);

	build_close(build);
	return good ? KM_OK : KM_KERNEL;
}

static bool stop(const struct compile_options *options, enum compile_stage stage)
{
	return options->until == stage;
}

int compile_script(const struct source *sources, size_t nsources, const struct compile_options *options,
		   struct compiled *out)
{
	struct diag *diag = diag_new(sources, nsources);
	struct script script = {};
	struct kernel kernel = {};
	struct plan plan = {};
	char *c_text = NULL;
	int status = KM_OK;

	*out = (struct compiled){};

	parse(&script, diag, sources, nsources);
	if (stop(options, COMPILE_AST)) {
		if (options->dump && !diag_errors(diag))
			script_dump(&script, options->dump);
		goto done;
	}

	/* What could be read is resolved even when some of it could not be: all errors of a script in one go. */
	status = to_plan(&script, options, &kernel, diag, &plan);
	if (status != KM_OK || stop(options, COMPILE_PLAN)) {
		if (options->dump && status == KM_OK)
			plan_dump(&plan, options->dump);
		goto done;
	}

	c_text = emit_plan(&plan);
	if (stop(options, COMPILE_C)) {
		if (options->dump)
			fputs(c_text, options->dump);
		else if (options->verbose && !diag_errors(diag))
			memory_print(&plan, memory_cpus(), stdout);
	}
	/* Another machine's memory is not known here; the runtime there has a bound of its own. */
	if (options->max_memory || (!options->target.sysroot && !options->target.release))
		memory_within(&plan, memory_cpus(), options->max_memory, diag);
	if (stop(options, COMPILE_C) || diag_errors(diag))
		goto done;

	/* Building takes its time; what there is to say is said now. */
	diag_print(diag, stderr, options->quiet);
	status = to_module(c_text, &kernel, options, diag, out);
done:
	if (status == KM_OK && diag_errors(diag))
		status = KM_SCRIPT;
	if (status != KM_OK)
		compile_free(out);
	diag_print(diag, stderr, options->quiet);
	free(c_text);
	plan_free(&plan);
	kernel_free(&kernel);
	script_free(&script);
	diag_free(diag);
	return status;
}

int compile_runtime(const struct compile_options *options, char **path)
{
	struct diag *diag = diag_new(NULL, 0);
	struct kernel kernel = {};
	struct build *build = NULL;
	bool good;

	*path = NULL;
	good = kernel_find(&kernel, &options->target, diag) &&
	       (build = build_open(&kernel, options->no_cache, options->verbose, diag)) && build_runtime(build, path);
	diag_print(diag, stderr, options->quiet);
	build_close(build);
	kernel_free(&kernel);
	diag_free(diag);
	return good ? KM_OK : KM_KERNEL;
}

/* ---- many scripts, of which none is built ---- */

struct trial {
	struct kernel kernel;
	struct symbols *symbols;
};

struct trial *trial_open(const struct target *target, bool quiet)
{
	struct diag *diag = diag_new(NULL, 0);
	struct trial *t = mem_zero(1, sizeof(*t));

	if (kernel_find(&t->kernel, target, diag))
		t->symbols = symbols_open(&t->kernel, diag);
	diag_print(diag, stderr, quiet);
	diag_free(diag);
	if (!t->symbols) {
		trial_close(t);
		return NULL;
	}
	return t;
}

/* A module whose functions the script is at and that is not there now: of tracepoints they are waited for. NULL: none. */
static const char *absent_module(const struct trial *t, const struct plan *plan)
{
	for (unsigned int i = 0; t->kernel.running && i < plan->nstatements; i++) {
		for (unsigned int k = 0; k < plan->statements[i].npoints; k++) {
			const struct plan_point *p = &plan->statements[i].points[k];
			char *path = p->module && p->where != PLAN_TRACEPOINT ? mem_printf("/sys/module/%s", p->module) : NULL;
			bool absent = path && access(path, F_OK);

			free(path);
			if (absent)
				return p->module;
		}
	}
	return NULL;
}

char *trial_script(struct trial *t, const struct source *source)
{
	struct diag *diag = diag_new(source, 1);
	struct script script = {};
	struct plan plan = {};
	const char *error, *module;
	char *why = NULL;

	parse(&script, diag, source, 1);
	if (!resolve_script(&script, &t->kernel, t->symbols, diag, NULL, 0, &plan) || diag_errors(diag)) {
		error = diag_first_error(diag);
		if (!error)
			error = "nothing of it is there";
		why = mem_copy(error, strlen(error));
	} else if ((module = absent_module(t, &plan))) {
		why = mem_printf("module %s is not loaded", module);
	}
	plan_free(&plan);
	script_free(&script);
	diag_free(diag);
	return why;
}

void trial_close(struct trial *t)
{
	if (!t)
		return;
	symbols_free(t->symbols);
	kernel_free(&t->kernel);
	free(t);
}

void compile_free(struct compiled *out)
{
	cache_drop_private(out->module_path);
	cache_drop_private(out->runtime_path);
	free(out->module_path);
	free(out->module_name);
	free(out->runtime_path);
	*out = (struct compiled){};
}
