// SPDX-License-Identifier: GPL-2.0
/*
 * run.c: load -> wait -> read -> render -> unload.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "console/cgroups.h"
#include "console/ksyms.h"
#include "console/live.h"
#include "console/load.h"
#include "console/read.h"
#include "console/run.h"
#include "console/say.h"
#include "console/series.h"
#include "console/session.h"
#include "console/stay.h"

enum { NOT_STARTABLE = 127 };

/* ---- a command under --live ---- */

/* What it says would come onto the screen: it is kept, and told before the report. Keys are for the view, not for it. */
static FILE *output;

static bool prepare_aside(struct session_command *c, const struct options *o)
{
	int own[3], null = open("/dev/null", O_RDONLY | O_CLOEXEC), i;
	bool good;

	output = tmpfile();
	if (null < 0 || !output) {
		say_error("cannot keep what the command says: %s", strerror(errno));
		return false;
	}
	fflush(NULL);
	for (i = 0; i < 3; i++) {
		own[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
		dup2(i ? fileno(output) : null, i);
	}
	good = session_prepare(c, o->shell, o->command);
	for (i = 0; i < 3; i++) {
		dup2(own[i], i);
		close(own[i]);
	}
	close(null);
	return good;
}

static void tell_output(void)
{
	char buf[4096];
	size_t n;

	if (!output)
		return;
	rewind(output);
	while ((n = fread(buf, 1, sizeof(buf), output)))
		fwrite(buf, 1, n, stdout);
	fflush(stdout);
	fclose(output);
	output = NULL;
}

/* ---- reports ---- */

/* What has come since s->base (which is then what is read now); false when the report cannot be read or written. */
static bool report(struct series *s, struct print *p, const char *script, unsigned int number)
{
	uint64_t when = session_now();
	struct snapshot **now = series_take(s), **since;
	struct report r;
	bool written;

	if (!now)
		return false;
	since = series_since(s, now, s->base);
	r = series_report(since, s->n);
	r.number = number;
	r.seconds = (when - s->begun) / 1e9;
	r.script = script;
	written = print_report(p, &r);
	stay_free(since, s->n);
	if (s->base)
		stay_free(s->base, s->n);
	s->base = now;
	s->begun = when;
	return written;
}

#define LOOK_NS		1000000000	/* so often for cgroups that do not stay until the report */

static enum session_event wait_until(const struct series *s, uint64_t when, struct session_command *c)
{
	enum session_event event;
	uint64_t look;

	do {
		if (s->cgroups)
			cgroups_learn();
		look = session_now() + LOOK_NS;
		event = session_wait(s->cgroups && look < when ? look : when, c);
	} while (event == SESSION_TIME && session_now() < when);
	return event;
}

/* Wait and report until time, reports, the command or a signal say that it is enough. */
static int watch(const struct options *o, struct series *s, struct print *p, const char *script, struct session_command *command)
{
	uint64_t start = session_now(), now, next = UINT64_MAX, end = UINT64_MAX;
	enum session_event event = SESSION_TIME;
	unsigned int number = 0;
	bool last = false, good;

	if (o->warmup_ns) {
		event = session_wait(start + o->warmup_ns, command);
		if (event == SESSION_TIME) {
			s->base = series_take(s);
			if (!s->base)
				return KM_KERNEL;
			start = session_now();
		} else {
			say_note("ended before the warm-up: this report is of all the time");
		}
	}
	s->begun = start;
	if (o->interval_ns)
		next = start + o->interval_ns;
	if (o->duration_ns)
		end = start + o->duration_ns;
	while (!last) {
		good = true;
		if (o->live && event == SESSION_TIME)
			good = live_measure(o, p, s, end, command, &event);
		else if (event == SESSION_TIME)
			event = wait_until(s, next < end ? next : end, command);
		tell_output();
		if (!good)
			return KM_KERNEL;
		now = session_now();
		number++;
		last = o->live || event != SESSION_TIME || now >= end || number == o->reports;
		if (session_signal() == SIGINT && isatty(STDERR_FILENO))
			fputc('\n', stderr);			/* below the terminal's ^C */
		session_interruptible(load_finish_now, last);
		good = report(s, p, script, o->interval_ns && !o->live ? number : 0);
		if (!last)
			session_uninterruptible();
		if (!good)
			return ferror(p->out) ? KM_OK : KM_KERNEL;
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

int run_measurements(const struct options *o, struct print *p, const char *module, const char *runtime, const char *script)
{
	bool commanded = o->shell || o->command;
	struct session_command command = { 0 };
	struct series s = { 0 };
	char *name = NULL;
	int status, err;

	session_begin();
	if (commanded && !(o->live ? prepare_aside(&command, o) : session_prepare(&command, o->shell, o->command)))
		return KM_KERNEL;
	if (o->interval_ns || o->live)	/* some thousand reads, which would be in the second report */
		ksyms_running();
	status = load_module(module, runtime, false, &name);
	if (status != KM_OK)
		goto end;
	series_of_module(&s, name);
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
	} else if (!o->live && !o->duration_ns && !o->reports && isatty(STDERR_FILENO)) {
		say_note("measuring; Ctrl-C ends it with a report");
	}
	status = watch(o, &s, p, script, commanded ? &command : NULL);
unload:
	load_finish();
end:
	session_end(&command);
	if (status != NOT_STARTABLE && s.n && commanded)
		tell_status(o, &command);
	if (status == KM_OK && o->shell && WIFEXITED(command.status) && WEXITSTATUS(command.status) == NOT_STARTABLE)
		status = NOT_STARTABLE;	/* what the shell says when there is no such command */
	series_free(&s);
	free(name);
	return status;
}
