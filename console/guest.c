// SPDX-License-Identifier: GPL-2.0
/*
 * guest.c: build here, measure there: the command line is translated, guest/boot does the rest, and what comes back as JSON is shown here
 * as everything is.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/beside.h"
#include "console/guest.h"
#include "console/print.h"
#include "console/saved.h"
#include "console/say.h"

/* In the guest. */
#define KMETER	"/usr/local/bin/kmeter"
#define MODULE	"/srv/script.ko"
#define RUNTIME	"/srv/kstats.ko"

enum { GUEST_CPUS = 2, DEFAULT_SECONDS = 5, SPARE_SECONDS = 600 };

/* A script of guest/. To be freed. */
static char *script(const char *name)
{
	char *file = say_text("guest/%s", name), *path = beside_find(file), *program = beside_program();

	if (!path) {
		say_error("--guest needs the script %s, which is not beside %s", file, program);
		say_hint("make install puts it in PREFIX/share/kmeter/guest");
	}
	free(program);
	free(file);
	return path;
}

/* A program whose output is to be read: @to is called in it, before it begins (or NULL). -1: there is none. */
static pid_t start(char *const *argv, void (*to)(void), FILE **out)
{
	int fd[2];
	pid_t pid;

	*out = NULL;
	if (pipe2(fd, O_CLOEXEC))
		return -1;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		if (to)
			to();
		dup2(fd[1], STDOUT_FILENO);
		execv(argv[0], argv);
		_exit(127);
	}
	close(fd[1]);
	*out = fdopen(fd[0], "r");
	return pid;
}

/* Its status, as of waitpid. */
static int finish(pid_t pid, FILE *out)
{
	int status = 0;

	if (out)
		fclose(out);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* The first line that a program writes, without its end; NULL when it fails. Its stderr is ours. */
static char *first_line_of(char *const *argv)
{
	char *line = NULL;
	size_t size = 0;
	FILE *f;
	pid_t pid = start(argv, NULL, &f);
	ssize_t n = f ? getline(&line, &size, f) : -1;
	int status = finish(pid, f);

	if (pid < 0 || status || n <= 0) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\n")] = 0;
	return line;
}

int guest_target(const char *kernel, struct target *t)
{
	char *path = script("kernel"), *line, *blank;

	*t = (struct target){ 0 };
	if (!path)
		return KM_KERNEL;
	line = first_line_of((char *[]){ path, (char *)(kernel ? kernel : ""), NULL });
	free(path);
	if (!line) {
		say_error("no kernel for --guest%s%s (see above)", kernel ? "=" : "", kernel ? kernel : "");
		return KM_KERNEL;
	}
	blank = strrchr(line, ' ');
	if (!blank) {
		say_error("guest/kernel answered `%s`: not a folder and a release", line);
		free(line);
		return KM_KERNEL;
	}
	*blank = 0;
	t->sysroot = say_strdup(line);
	t->release = say_strdup(blank + 1);
	free(line);
	return KM_OK;
}

void guest_free_target(struct target *t)
{
	free((char *)t->sysroot);
	free((char *)t->release);
	*t = (struct target){ 0 };
}

/* ---- the command line inside ---- */

char *guest_quote(const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%";
	char *out, *to;

	if (*word && !word[strspn(word, plain)])
		return say_strdup(word);
	out = to = say_calloc(4 * strlen(word) + 3, 1);
	*to++ = '\'';
	for (; *word; word++) {
		if (*word == '\'')
			to = stpcpy(to, "'\\''");
		else
			*to++ = *word;
	}
	*to = '\'';
	return out;
}

/* " WORD" at the end of *line, quoted. */
static void word(char **line, const char *text)
{
	char *quoted = guest_quote(text), *longer = say_text("%s%s%s", *line, **line ? " " : "", quoted);

	free(quoted);
	free(*line);
	*line = longer;
}

static void option_time(char **line, const char *option, uint64_t ns)
{
	char text[32];

	if (!ns)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 "ns", ns);
	word(line, option);
	word(line, text);
}

static void option_number(char **line, const char *option, size_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", n);
	word(line, option);
	word(line, text);
}

char *guest_command(const struct options *o, const char *module)
{
	uint64_t duration = o->duration_ns;
	char *line, *const *arg;

	/* exec: a Ctrl-C that comes through is for kmeter alone. */
	line = say_text("LC_ALL=%s exec kmeter %s", print_utf8(o) ? "C.UTF-8" : "C", module ? "run" : "floor");
	word(&line, module ? module : RUNTIME);
	if (o->quiet)
		word(&line, "-q");
	if (o->verbose)
		word(&line, "-v");
	if (!module)
		return line;
	if (!duration && !o->shell && !o->command && !o->reports)
		duration = DEFAULT_SECONDS * 1000000000ULL;
	word(&line, "--json");		/* how it looks is decided here, where the terminal is */
	option_time(&line, "-d", duration);
	option_time(&line, "-i", o->interval_ns);
	option_time(&line, "-w", o->warmup_ns);
	if (o->reports)
		option_number(&line, "-n", o->reports);
	if (o->shell) {
		word(&line, "-c");
		word(&line, o->shell);
	}
	if (o->command) {
		word(&line, "--");
		for (arg = o->command; *arg; arg++)
			word(&line, *arg);
	}
	return line;
}

/* ---- what comes out of it ---- */

/* The report that a line ends in, NULL: none. Within a report these letters do not come, since quotes in its texts are escaped. */
static char *report_in(char *line)
{
	char *last = NULL, *p;

	for (p = line; (p = strstr(p, "{\"kmeter\":1,\"version\":")); p++)
		last = p;
	return last;
}

/*
 * A line of the guest's output: a report, which is shown as it would be here, or what the command says. That may end without a
 * line's end, just before a report. Of kmeter floor it is its table.
 */
static void take_line(struct print *p, bool floor, const char *script, char *line, size_t length)
{
	char *begins = report_in(line);
	struct saved saved = { 0 };

	if (begins && saved_parse("the guest's report", begins, length - (begins - line), &saved)) {
		fwrite(line, 1, begins - line, stdout);
		free((char *)saved.report->script);
		saved.report->script = script ? say_strdup(script) : NULL;
		fflush(stdout);
		print_report(p, saved.report);
	} else {
		fwrite(line, 1, length, floor ? p->out : stdout);
		fflush(NULL);
	}
	saved_free(&saved);
}

static pid_t boot;

/*
 * Whatever ends kmeter ends what is measured with a report, as it does without a guest: boot passes on a Ctrl-C, and ends the guest at the
 * second. It has a process group of its own, so that one sent to the group, as a terminal does, does not come to it twice.
 */
static void pass_on(int number)
{
	if (boot > 0)
		kill(boot, SIGINT);
}

static void pass_signals_on(void)
{
	struct sigaction action = { .sa_handler = pass_on, .sa_flags = SA_RESTART };
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

/* In boot, before it is that. */
static void stand_alone(void)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setpgid(0, 0);
	if (!freopen("/dev/null", "r", stdin))	/* the terminal's is its foreground's */
		_exit(127);
}

/* boot's exit status, which is kmeter's in the guest. */
static int read_guest(char *const *argv, struct print *p, bool floor, const char *script)
{
	char *line = NULL;
	size_t size = 0;
	int status;
	ssize_t n;
	FILE *f;

	boot = start(argv, stand_alone, &f);
	pass_signals_on();
	while (f && (n = getline(&line, &size, f)) > 0)
		take_line(p, floor, script, line, n);
	free(line);
	status = finish(boot, f);
	if (boot < 0) {
		say_error("%s: %s", argv[0], strerror(errno));
		return KM_KERNEL;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int guest_run(const struct options *o, const struct target *t, const char *module, const char *runtime, const char *script_text)
{
	char *program = script("boot"), *cpus, *limit, *exe, *own, *script_file, *runtime_file, *command;
	uint64_t seconds = (o->duration_ns + o->warmup_ns) / 1000000000 + o->reports * (o->interval_ns / 1000000000);
	struct print p;
	int status, closed;

	if (!program)
		return KM_KERNEL;
	status = print_open(&p, o);
	if (status != KM_OK) {
		free(program);
		return status;
	}
	if (module && !o->duration_ns && !o->shell && !o->command && !o->reports)
		say_note("measuring an idle guest for %d s: -d TIME or -c CMD would tell more", DEFAULT_SECONDS);
	cpus = say_text("%d", GUEST_CPUS);
	limit = say_text("%" PRIu64, seconds + SPARE_SECONDS);
	exe = beside_program();
	own = say_text("%s:%s", exe, KMETER);
	script_file = module ? say_text("%s:%s", module, MODULE) : NULL;
	runtime_file = say_text("%s:%s", runtime, RUNTIME);
	command = guest_command(o, module ? MODULE : NULL);
	say_detail("in the guest: %s", command);
	status = read_guest((char *[]){ program, "-k", (char *)t->sysroot, "-s", cpus, "-t", limit, "-f", own, "-f", runtime_file,
					module ? "-f" : "--", module ? script_file : command, module ? "--" : NULL, command, NULL },
			    &p, !module, script_text);
	closed = print_close(&p);
	free(command);
	free(runtime_file);
	free(script_file);
	free(own);
	free(exe);
	free(limit);
	free(cpus);
	free(program);
	return status != KM_OK ? status : closed;
}
