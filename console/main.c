// SPDX-License-Identifier: GPL-2.0
/*
 * main.c: the commands of kmeter. Each is the road of DESIGN 1, or the part of it that its verb asks for:
 *
 *	sources -> compile -> load -> wait -> read -> render -> unload
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "compiler/list.h"
#include "compiler/progress.h"
#include "console/complete.h"
#include "console/diff.h"
#include "console/each.h"
#include "console/floor.h"
#include "console/guest.h"
#include "console/ksyms.h"
#include "console/library.h"
#include "console/live.h"
#include "console/load.h"
#include "console/merge.h"
#include "console/options.h"
#include "console/print.h"
#include "console/refuse.h"
#include "console/run.h"
#include "console/saved.h"
#include "console/say.h"
#include "console/screen.h"
#include "console/series.h"
#include "console/serve.h"
#include "console/stay.h"

enum { SCRIPT_MOST = 1 << 20 };

/* ---- sources ---- */

static char *read_script(const char *path, size_t *length)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;

	if (f) {
		text = say_calloc(SCRIPT_MOST + 1, 1);
		*length = fread(text, 1, SCRIPT_MOST + 1, f);
	}
	if (!f || ferror(f)) {
		say_error("%s: %s", path, strerror(errno));
	} else if (*length > SCRIPT_MOST) {
		say_error("%s: longer than 1 MB: not a script", path);
	} else {
		fclose(f);
		text[*length] = 0;
		return say_realloc(text, *length + 1, 1);
	}
	if (f)
		fclose(f);
	free(text);
	return NULL;
}

static void free_sources(struct source *sources, const struct options *o)
{
	size_t i;

	for (i = 0; i < o->nsources; i++)
		if (o->sources[i].path)
			free((char *)sources[i].text);
	free(sources);
}

/* NULL after saying which file cannot be read. */
static struct source *read_sources(const struct options *o)
{
	struct source *sources = say_calloc(o->nsources, sizeof(*sources));
	size_t i;

	for (i = 0; i < o->nsources; i++) {
		const struct option_source *from = &o->sources[i];

		if (from->text) {
			sources[i] = (struct source){ "-e", from->text, strlen(from->text) };
			continue;
		}
		sources[i].name = from->path;
		sources[i].text = read_script(from->path, &sources[i].length);
		if (!sources[i].text) {
			free_sources(sources, o);
			return NULL;
		}
	}
	return sources;
}

/* All of them, as reports show them. NULL where one cannot be read any more. */
static char *script_text(const struct options *o)
{
	struct source *sources = read_sources(o);
	char *text = NULL, *longer;
	size_t i;

	for (i = 0; sources && i < o->nsources; i++) {
		longer = say_text("%s%s%s", text ? text : "", i ? "\n" : "", sources[i].text);
		free(text);
		text = longer;
	}
	if (sources)
		free_sources(sources, o);
	return text;
}

/* ---- compiling ---- */

static struct compile_options compile_options(const struct options *o)
{
	return (struct compile_options){
		.target = o->target,
		.until = COMPILE_MODULE,
		.params = o->params,
		.nparams = o->nparams,
		.max_memory = o->max_memory,
		.no_cache = o->no_cache,
		.quiet = o->quiet,
		.verbose = o->verbose,
	};
}

static int compile_until(const struct options *o, enum compile_stage stage, FILE *dump, struct compiled *out)
{
	struct compile_options options = compile_options(o);
	struct source *sources = read_sources(o);
	int status;

	*out = (struct compiled){ 0 };
	if (!sources)
		return KM_USAGE;
	options.until = stage;
	options.dump = dump;
	status = compile_script(sources, o->nsources, &options, out);
	free_sources(sources, o);
	if (status == KM_OK && stage == COMPILE_MODULE)
		say_detail("%s%s", out->module_path, out->cached ? " (from the cache)" : "");
	return status;
}

static int dump(const struct options *o)
{
	struct compiled none;
	struct print p;
	int status = print_open(&p, o), closed;

	if (status != KM_OK)
		return status;
	status = compile_until(o, o->dump_stage, p.out, &none);
	compile_free(&none);
	closed = print_close(&p);
	return status != KM_OK ? status : closed;
}

static char *judge(void *kernel, const char *path)
{
	struct source source = { .name = path };
	char *text = read_script(path, &source.length), *why;

	if (!text)
		return say_strdup("it cannot be read");
	source.text = text;
	why = trial_script(kernel, &source);
	free(text);
	return why;
}

/* Without a kernel to ask, the list itself. */
static int library(const struct options *o)
{
	struct trial *kernel = trial_open(&o->target, o->quiet);
	int status = library_list(o->names, o->nnames, kernel ? judge : NULL, kernel, stdout);

	trial_close(kernel);
	return status;
}

static int check(const struct options *o)
{
	struct compiled none;
	int status = compile_until(o, COMPILE_C, NULL, &none);

	compile_free(&none);
	if (status == KM_OK)
		say_note("%s is right", o->each && o->sources[0].path ? o->sources[0].path : "the script");
	return status;
}

static int list(const struct options *o)
{
	struct compile_options options = compile_options(o);
	struct print p;
	int status = print_open(&p, o), closed;

	if (status != KM_OK)
		return status;
	status = list_points(o->points, o->details, &options, p.out);
	closed = print_close(&p);
	return status != KM_OK ? status : closed;
}

static int copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
	char buf[64 << 10];
	ssize_t n = -1;

	if (in >= 0)
		out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (out >= 0)
		while ((n = read(in, buf, sizeof(buf))) > 0)
			if (write(out, buf, n) != n) {
				n = -1;
				break;
			}
	if (n < 0)
		say_error("%s to %s: %s", from, to, strerror(errno));
	if (in >= 0)
		close(in);
	if (out >= 0 && close(out) && !n) {
		say_error("%s: %s", to, strerror(errno));
		n = -1;
	}
	return n < 0 ? KM_USAGE : KM_OK;
}

static int build(const struct options *o)
{
	struct compile_options options = compile_options(o);
	struct compiled script = { 0 };
	char *runtime = NULL;
	const char *made;
	int status;

	if (o->runtime)
		status = compile_runtime(&options, &runtime);
	else
		status = compile_until(o, COMPILE_MODULE, NULL, &script);
	made = o->runtime ? runtime : script.module_path;
	if (status == KM_OK && o->output)
		status = copy_file(made, o->output);
	else if (status == KM_OK)
		puts(made);
	free(runtime);
	compile_free(&script);
	return status;
}

/* ---- measuring ---- */

/* The modules: built from the script, or as given. */
static int modules(const struct options *o, struct compiled *out)
{
	*out = (struct compiled){ 0 };
	if (!o->prebuilt)
		return compile_until(o, COMPILE_MODULE, NULL, out);
	if (access(o->prebuilt, R_OK)) {
		say_error("%s: %s", o->prebuilt, strerror(errno));
		return KM_USAGE;
	}
	out->module_path = say_strdup(o->prebuilt);
	return KM_OK;
}

static bool right_release(const struct options *o)
{
	struct utsname running;

	uname(&running);
	if (!o->target.release || !strcmp(o->target.release, running.release))
		return true;
	say_error("-r %s is not the running kernel, %s: build for it, or run it by --guest", o->target.release,
		  running.release);
	return false;
}

/* All that comes before a module is loaded into this kernel: may it be, and which? */
static int prepare(const struct options *o, struct compiled *script)
{
	*script = (struct compiled){ 0 };
	if (!right_release(o) || (o->live && !screen_possible()))
		return KM_USAGE;
	if (!refuse_unless_ready(true))
		return KM_KERNEL;
	return modules(o, script);
}

static int run(const struct options *o)
{
	struct compiled script;
	struct print p = { 0 };
	char *text = NULL;
	int status = prepare(o, &script), closed;

	if (status == KM_OK)
		status = print_open(&p, o);
	if (status == KM_OK && !o->prebuilt)
		text = script_text(o);
	if (status == KM_OK)
		status = run_measurements(o, &p, script.module_path, script.runtime_path, text);
	closed = print_close(&p);
	free(text);
	compile_free(&script);
	return status != KM_OK ? status : closed;
}

static int load(const struct options *o)
{
	struct compiled script;
	struct series s = { 0 };
	char *name = NULL;
	size_t i;
	int status = prepare(o, &script);

	if (status == KM_OK && o->each && !stay_make_way(script.module_name, o->sources[0].path)) {
		compile_free(&script);
		return KM_OK;
	}
	if (status == KM_OK)
		status = load_module(script.module_path, script.runtime_path, true, &name);
	if (status == KM_OK)
		load_keep_origin(name, o->nsources == 1 ? o->sources[0].path : NULL);
	if (status == KM_OK) {
		series_of_module(&s, name);
		for (i = 0; i < s.n; i++)
			puts(s.names[i]);
		if (s.n)
			say_note("kmeter show %s reports, kmeter unload %s ends it", s.names[0], s.names[0]);
		series_free(&s);
	}
	free(name);
	compile_free(&script);
	return status;
}

/* What keeps all from being loaded is said once. */
static int load_each(const struct options *o)
{
	if (!right_release(o))
		return KM_USAGE;
	return refuse_unless_ready(true) ? each_script(o, load) : KM_KERNEL;
}

/* The measurements of these snapshots, followed until somebody says that it is enough. */
static int follow(const struct options *o, const struct print *p, struct snapshot *const *all, size_t n)
{
	struct series s = { .names = say_calloc(n, sizeof(*s.names)) };
	enum session_event event;
	bool good;

	while (s.n < n) {
		s.names[s.n] = say_strdup(all[s.n]->head.name);
		s.n++;
	}
	session_begin();
	ksyms_running();
	good = live_measure(o, p, &s, UINT64_MAX, NULL, &event);
	series_free(&s);
	return good ? KM_OK : KM_KERNEL;
}

/* Of what is in the kernel. */
static int show_loaded(const struct options *o)
{
	struct snapshot **all = NULL;
	struct print p = { 0 };
	struct report r;
	size_t n = 0, i;
	int status = o->live && !screen_possible() ? KM_USAGE : stay_find(o, &all, &n), closed;

	if (status != KM_OK)
		return status;
	status = print_open(&p, o);
	if (status == KM_OK && o->live && n) {
		status = follow(o, &p, all, n);
		stay_free(all, n);
		if (status != KM_OK || stay_find(o, &all, &n) != KM_OK)
			return KM_KERNEL;
	}
	if (status == KM_OK && (n || o->format != &render_text)) {
		r = series_report(all, n);
		for (i = 0; i < n; i++)
			if (all[i]->head.armed_ns / 1e9 > r.seconds)
				r.seconds = all[i]->head.armed_ns / 1e9;
		print_report(&p, &r);
	}
	closed = print_close(&p);
	if (status == KM_OK)
		status = closed;
	stay_free(all, n);
	return status;
}

/* Where and when; a report itself does not say. */
static void tell_origin(const char *path, const struct report *r)
{
	char when[32];
	struct tm tm;

	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", localtime_r(&r->taken.tv_sec, &tm));
	if (r->nsources)
		say_note("%s: merged of %zu reports, the last of %s", path, r->nsources, when);
	else
		say_note("%s: of %s, kernel %s, at %s", path, r->host ? r->host : "a machine that it does not name",
			 r->release ? r->release : "unknown", when);
}

/* Of what is in files. */
static int show_saved(const struct options *o)
{
	struct print p = { 0 };
	struct saved saved;
	size_t i, j;
	int status = o->live && !screen_possible() ? KM_USAGE : print_open(&p, o), closed;

	for (i = 0; i < o->nfiles && status == KM_OK; i++) {
		if (!saved_read(o->files[i], &saved) || !saved_choose(&saved, o->files[i], o->names, o->nnames))
			status = KM_USAGE;
		else
			tell_origin(o->files[i], &saved.report[saved.n - 1]);
		if (status == KM_OK && o->format->moment && saved.n > 1) {
			say_error("%s has %zu reports, and -F %s is the state at one moment (kmeter merge makes one of several)",
				  o->files[i], saved.n, o->format->name);
			status = KM_USAGE;
		}
		if (status == KM_OK && o->live) {
			session_begin();
			status = live_replay(o, &p, o->files[i], &saved) ? KM_OK : KM_USAGE;
		}
		for (j = 0; status == KM_OK && !o->live && j < saved.n; j++)
			if (!print_report(&p, &saved.report[j]))
				break;
		saved_free(&saved);
	}
	closed = print_close(&p);
	return status != KM_OK ? status : closed;
}

/* The files that the command line names; false after saying what is wrong with one. Free with free_files in any case. */
static bool read_files(const struct options *o, struct merge_file *file)
{
	size_t i;

	for (i = 0; i < o->nfiles; i++) {
		file[i].path = o->files[i];
		if (!saved_read(file[i].path, &file[i].saved) || !saved_choose(&file[i].saved, file[i].path, o->names, o->nnames))
			return false;
	}
	return true;
}

static void free_files(const struct options *o, struct merge_file *file)
{
	size_t i;

	for (i = 0; i < o->nfiles; i++)
		saved_free(&file[i].saved);
	free(file);
}

static int merge(const struct options *o)
{
	struct merge_file *file = say_calloc(o->nfiles, sizeof(*file));
	struct report all = { 0 };
	struct print p = { 0 };
	int status = KM_USAGE;

	if (read_files(o, file) && merge_files(file, o->nfiles, &all))
		status = print_open(&p, o);
	if (status == KM_OK) {
		print_report(&p, &all);
		status = print_close(&p);
	}
	saved_free_report(&all);
	free_files(o, file);
	return status;
}

/* Status 1: something moved, as of diff(1). */
static int diff(const struct options *o)
{
	struct merge_file *file = say_calloc(o->nfiles, sizeof(*file));
	struct report all[2] = { { 0 }, { 0 } };
	struct diff_side side[2];
	struct print p = { 0 };
	int status = KM_USAGE, closed;
	size_t i;

	if (!read_files(o, file))
		goto end;
	for (i = 0; i < 2; i++) {	/* a series counts as what it adds up to */
		if (!merge_files(&file[i], 1, &all[i]))
			goto end;
		side[i] = (struct diff_side){ file[i].path, &all[i] };
	}
	status = print_open(&p, o);
	if (status == KM_OK) {
		status = diff_reports(&p, o, side);
		closed = print_close(&p);
		status = closed != KM_OK ? closed : status;
	}
end:
	for (i = 0; i < 2; i++)
		saved_free_report(&all[i]);
	free_files(o, file);
	return status;
}

/* kstats: what is loaded, else the file given, else that in /lib/modules, else what is built. */
static int find_runtime(const struct options *o)
{
	struct compile_options options = compile_options(o);
	char *built = NULL;
	int status;

	if (load_runtime(o->prebuilt, &status))
		return status;
	status = compile_runtime(&options, &built);
	if (status == KM_OK)
		load_runtime(built, &status);
	free(built);
	return status;
}

static int floor_table(const struct options *o)
{
	struct print p = { 0 };
	int status, closed;

	if (!refuse_unless_ready(true))
		return KM_KERNEL;
	status = print_open(&p, o);
	if (status != KM_OK)
		return status;
	status = find_runtime(o);
	if (status == KM_OK)
		status = floor_measure(p.out);
	load_remove_runtime(false);
	closed = print_close(&p);
	return status != KM_OK ? status : closed;
}

/* The same for a kernel that is not this machine's: build for it here, run it in a guest. */
static int with_guest(struct options *o)
{
	struct compiled script = { 0 };
	struct compile_options options;
	char *runtime = NULL, *text = NULL;
	int status = guest_target(o->guest_kernel, &o->target);

	if (status != KM_OK)
		return status;
	if (o->dump)
		status = dump(o);
	else if (o->verb == VERB_POINTS)
		status = list(o);
	else if (o->verb == VERB_CHECK)
		status = check(o);
	else if (o->verb == VERB_LIBRARY)
		status = library(o);
	else if (o->verb == VERB_BUILD)
		status = build(o);
	else {
		options = compile_options(o);
		if (o->verb != VERB_FLOOR)
			status = modules(o, &script);
		if (status == KM_OK && o->nsources)
			text = script_text(o);
		if (status == KM_OK && !script.runtime_path)
			status = compile_runtime(&options, &runtime);
		if (status == KM_OK)
			status = guest_run(o, &o->target, script.module_path, runtime ? runtime : script.runtime_path, text);
	}
	free(text);
	free(runtime);
	compile_free(&script);
	guest_free_target(&o->target);
	return status;
}

static int command(struct options *o)
{
	if (o->guest)
		return with_guest(o);
	if (o->dump)
		return dump(o);
	switch (o->verb) {
	case VERB_RUN:
		return run(o);
	case VERB_CHECK:
		return o->each ? each_script(o, check) : check(o);
	case VERB_BUILD:
		return o->each ? each_script(o, build) : build(o);
	case VERB_LOAD:
		return o->each ? load_each(o) : load(o);
	case VERB_LIST:
		return stay_list(o);
	case VERB_POINTS:
		return list(o);
	case VERB_SHOW:
		return o->nfiles ? show_saved(o) : show_loaded(o);
	case VERB_MERGE:
		return merge(o);
	case VERB_DIFF:
		return diff(o);
	case VERB_START:
		return stay_write(o, "START");
	case VERB_STOP:
		return stay_write(o, "STOP");
	case VERB_RESET:
		return stay_write(o, "RESET");
	case VERB_UNLOAD:
		return stay_unload(o);
	case VERB_FLOOR:
		return floor_table(o);
	case VERB_SERVE:
		return serve(o);
	case VERB_LIBRARY:
		return library(o);
	case VERB_PAGE:
		return library_help(o->names, o->nnames, stdout);
	case VERB_VERSION:
		puts("kmeter " KMETER_VERSION);
		return KM_OK;
	default:
		options_help(stdout);
		return KM_OK;
	}
}

int main(int argc, char **argv)
{
	struct options o;
	int status;

	if (argc > 2 && !strcmp(argv[1], "complete"))	/* no verb of people's: packaging/completion */
		return complete(argc - 2, argv + 2);
	status = options_parse(argc, argv, &o);
	if (status == KM_OK) {
		say_set(o.quiet, o.verbose);
		progress_allow(!o.quiet && !o.verbose);	/* -v says what is done anyway */
		status = command(&o);
	}
	options_free(&o);
	return status;
}
