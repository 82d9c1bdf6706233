// SPDX-License-Identifier: GPL-2.0
/*
 * main.c: the commands of kmeter. Each is the road of DESIGN 1, or the part of it that its verb asks for:
 *
 *	sources -> compile -> load -> wait -> read -> render -> unload
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "compiler/list.h"
#include "console/complete.h"
#include "console/floor.h"
#include "console/guest.h"
#include "console/keys.h"
#include "console/ksyms.h"
#include "console/library.h"
#include "console/load.h"
#include "console/options.h"
#include "console/print.h"
#include "console/read.h"
#include "console/refuse.h"
#include "console/say.h"
#include "console/session.h"
#include "console/stay.h"

enum { NOT_STARTABLE = 127, SCRIPT_MOST = 1 << 20 };

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

/* ---- compiling ---- */

static struct compile_options compile_options(const struct options *o)
{
	return (struct compile_options){
		.target = o->target,
		.until = COMPILE_MODULE,
		.params = o->params,
		.nparams = o->nparams,
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
		say_note("the script is right");
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

/* ---- reading ---- */

/* The measurements of one module, over time. */
struct series {
	char **names;
	size_t n;
	struct snapshot **base;		/* what later ones are compared with; NULL: with the beginning */
};

static void free_snapshots(struct snapshot **s, size_t n)
{
	if (s)
		stay_free(s, n);
}

/* Which of all measurements belong to this module, in the script's order. */
static void find_own(struct series *s, const char *module)
{
	size_t i, n;
	struct snapshot **all = read_all(&n);

	*s = (struct series){ .names = say_calloc(n + 1, sizeof(*s->names)) };
	for (i = 0; i < n; i++)
		if (snapshot_of_module(all[i], module))
			s->names[s->n++] = say_strdup(all[i]->head.name);
	free_snapshots(all, n);
}

static void free_series(struct series *s)
{
	while (s->n)
		free(s->names[--s->n]);
	free(s->names);
}

/* All of them now; NULL after saying why not (somebody else unloaded the module, for one). */
static struct snapshot **take(const struct series *s)
{
	struct snapshot **all = say_calloc(s->n, sizeof(*all));
	char *why;
	size_t i;

	for (i = 0; i < s->n; i++) {
		all[i] = read_snapshot(s->names[i], &why);
		if (!all[i]) {
			say_error("the measurement is gone: %s", why);
			free(why);
			free_snapshots(all, i);
			return NULL;
		}
	}
	return all;
}

/* Of snapshots that are subtracted from no more. Names of functions are looked up here: what that takes is not measured by them. */
static struct report new_report(struct snapshot *const *snapshots, size_t n)
{
	static struct utsname system;
	struct report r = { .snapshots = snapshots, .n = n };
	size_t i;

	for (i = 0; i < n; i++)
		keys_by_function(snapshots[i]);

	uname(&system);
	clock_gettime(CLOCK_REALTIME, &r.taken);
	r.release = system.release;
	return r;
}

/* ---- measuring ---- */

/* What has come since s->base (which is then what is read now); false when the report cannot be read or written. */
static bool report(struct series *s, struct print *p, unsigned int number, double seconds)
{
	struct snapshot **now = take(s), **since;
	struct report r;
	bool written;
	size_t i;

	if (!now)
		return false;
	since = say_calloc(s->n, sizeof(*since));
	for (i = 0; i < s->n; i++)
		since[i] = s->base ? snapshot_subtract(now[i], s->base[i]) : snapshot_copy(now[i]);
	r = new_report(since, s->n);
	r.number = number;
	r.seconds = seconds;
	written = print_report(p, &r);
	free_snapshots(since, s->n);
	free_snapshots(s->base, s->n);
	s->base = now;
	return written;
}

/* Wait and report until time, reports, the command or a signal say that it is enough. */
static int watch(const struct options *o, struct series *s, struct print *p, struct session_command *command)
{
	uint64_t start = session_now(), begun, now, next = UINT64_MAX, end = UINT64_MAX;
	enum session_event event = SESSION_TIME;
	unsigned int number = 0;
	bool last = false, good;

	if (o->warmup_ns) {
		event = session_wait(start + o->warmup_ns, command);
		if (event == SESSION_TIME) {
			s->base = take(s);
			if (!s->base)
				return KM_KERNEL;
			start = session_now();
		} else {
			say_note("ended before the warm-up: this report is of all the time");
		}
	}
	begun = start;
	if (o->interval_ns)
		next = start + o->interval_ns;
	if (o->duration_ns)
		end = start + o->duration_ns;
	while (!last) {
		if (event == SESSION_TIME)
			event = session_wait(next < end ? next : end, command);
		now = session_now();
		number++;
		last = event != SESSION_TIME || now >= end || number == o->reports;
		if (session_signal() == SIGINT && isatty(STDERR_FILENO))
			fputc('\n', stderr);			/* below the terminal's ^C */
		session_interruptible(load_finish_now, last);
		good = report(s, p, o->interval_ns ? number : 0, (now - begun) / 1e9);
		if (!last)
			session_uninterruptible();
		if (!good)
			return ferror(p->out) ? KM_OK : KM_KERNEL;
		begun = now;
		while (next <= now)
			next += o->interval_ns;
	}
	return KM_OK;
}

static void tell_status(const struct options *o, const struct session_command *c)
{
	const char *name = o->shell ? o->shell : o->command[0];

	if (o->shell && strchr(o->shell, '\n'))	/* a whole file of it: -c "$(cat FILE)" */
		name = "sh -c …";
	if (!c->ended)
		return;
	if (WIFSIGNALED(c->status))
		say_note("`%s` was ended by signal %d (%s)", name, WTERMSIG(c->status), strsignal(WTERMSIG(c->status)));
	else
		say_note("`%s` ended with status %d", name, WEXITSTATUS(c->status));
}

/* From a module file to its reports. */
static int measure(const struct options *o, struct print *p, const char *module, const char *runtime)
{
	bool commanded = o->shell || o->command;
	struct session_command command = { 0 };
	struct series s = { 0 };
	char *name = NULL;
	int status, err;

	session_begin();
	if (commanded && !session_prepare(&command, o->shell, o->command))
		return KM_KERNEL;
	if (o->interval_ns)	/* some thousand reads, which would be in the second report */
		ksyms_running();
	status = load_module(module, runtime, false, &name);
	if (status != KM_OK)
		goto end;
	find_own(&s, name);
	if (!s.n) {
		say_error("%s is loaded, but has no measurement in " READ_BINARY, name);
		status = KM_KERNEL;
		goto unload;
	}
	if (commanded) {
		err = session_go(&command);
		if (err) {
			say_error("cannot run %s: %s", o->shell ? "/bin/sh" : o->command[0], strerror(err));
			status = NOT_STARTABLE;
			goto unload;
		}
	} else if (!o->duration_ns && !o->reports && isatty(STDERR_FILENO)) {
		say_note("measuring; Ctrl-C ends it with a report");
	}
	status = watch(o, &s, p, commanded ? &command : NULL);
unload:
	load_finish();
end:
	session_end(&command);
	if (status != NOT_STARTABLE && s.n && commanded)
		tell_status(o, &command);
	if (status == KM_OK && o->shell && WIFEXITED(command.status) && WEXITSTATUS(command.status) == NOT_STARTABLE)
		status = NOT_STARTABLE;	/* what the shell says when there is no such command */
	free_snapshots(s.base, s.n);
	free_series(&s);
	free(name);
	return status;
}

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
	if (!right_release(o))
		return KM_USAGE;
	if (!refuse_unless_ready(true))
		return KM_KERNEL;
	return modules(o, script);
}

static int run(const struct options *o)
{
	struct compiled script;
	struct print p = { 0 };
	int status = prepare(o, &script), closed;

	if (status == KM_OK)
		status = print_open(&p, o);
	if (status == KM_OK)
		status = measure(o, &p, script.module_path, script.runtime_path);
	closed = print_close(&p);
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

	if (status == KM_OK)
		status = load_module(script.module_path, script.runtime_path, true, &name);
	if (status == KM_OK) {
		find_own(&s, name);
		for (i = 0; i < s.n; i++)
			puts(s.names[i]);
		if (s.n)
			say_note("kmeter show %s reports, kmeter unload %s ends it", s.names[0], s.names[0]);
		free_series(&s);
	}
	free(name);
	compile_free(&script);
	return status;
}

static int show(const struct options *o)
{
	struct snapshot **all;
	struct print p = { 0 };
	struct report r;
	size_t n, i;
	int status = stay_find(o, &all, &n);

	if (status != KM_OK)
		return status;
	status = print_open(&p, o);
	if (status == KM_OK && (n || o->format != &render_text)) {
		r = new_report(all, n);
		for (i = 0; i < n; i++)
			if (all[i]->head.armed_ns / 1e9 > r.seconds)
				r.seconds = all[i]->head.armed_ns / 1e9;
		print_report(&p, &r);
		status = print_close(&p);
	}
	stay_free(all, n);
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
	char *runtime = NULL;
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
		if (status == KM_OK && !script.runtime_path)
			status = compile_runtime(&options, &runtime);
		if (status == KM_OK)
			status = guest_run(o, &o->target, script.module_path, runtime ? runtime : script.runtime_path);
	}
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
		return check(o);
	case VERB_BUILD:
		return build(o);
	case VERB_LOAD:
		return load(o);
	case VERB_LIST:
		return stay_list(o);
	case VERB_POINTS:
		return list(o);
	case VERB_SHOW:
		return show(o);
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
		status = command(&o);
	}
	options_free(&o);
	return status;
}
