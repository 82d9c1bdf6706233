// SPDX-License-Identifier: GPL-2.0
/*
 * console_progress.c: the line about work that takes long, as a terminal shows it: a child works on a pseudo-terminal, and what it writes
 * there is laid out here as a terminal would.
 */
#include <pty.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compiler/progress.h"
#include "console/say.h"
#include "console_snap.h"

/* Each works for a second longer than it would have to: the thread may come late where others work too. */
static char written[8192];	/* by the child */
static char screen[8192];	/* what of it is left: \r and ESC [ K carried out */
static size_t widest;

static void nap(double seconds)
{
	struct timespec t = { (time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9) };

	nanosleep(&t, NULL);
}

/* Lines end in \r\n there. */
static void lay_out(void)
{
	size_t from = 0, at = 0, end = 0;
	const char *p;

	widest = 0;
	for (p = written; *p; p++) {
		if (*p == '\r') {
			at = from;
		} else if (!strncmp(p, "\033[K", 3)) {
			end = at;
			p += 2;
		} else if (*p == '\n') {
			screen[end++] = '\n';
			from = at = end;
		} else {
			screen[at++] = *p;
			end = at > end ? at : end;
			widest = at - from > widest ? at - from : widest;
		}
	}
	screen[end] = 0;
}

/* Work on a terminal of so many columns (0: with stderr in a pipe). All are started together, since each takes its seconds. */
struct run {
	void (*work)(void);
	int columns;
	pid_t pid;
	int fd;
};

static void start(struct run *r)
{
	struct winsize size = { .ws_row = 24, .ws_col = r->columns };
	int pipes[2];

	fflush(NULL);
	if (r->columns) {
		r->pid = forkpty(&r->fd, NULL, NULL, &size);
	} else {
		if (pipe(pipes))
			abort();
		r->fd = pipes[0];
		r->pid = fork();
		if (!r->pid)
			dup2(pipes[1], STDERR_FILENO);
		close(pipes[1]);
	}
	if (!r->pid) {
		tap_failed = 0;
		r->work();
		fflush(NULL);
		_exit(tap_failed);
	}
}

/* Did it end well? What it wrote is in `written` and `screen` then. */
static bool ended(struct run *r)
{
	size_t have = 0;
	int status;
	ssize_t n;

	while (have < sizeof(written) - 1 && (n = read(r->fd, written + have, sizeof(written) - 1 - have)) > 0)
		have += n;
	written[have] = 0;
	close(r->fd);
	waitpid(r->pid, &status, 0);
	lay_out();
	return !status;
}

static void slow(void)
{
	progress_allow(true);
	progress_begin("building something");
	nap(3.5);
	progress_end();
}

static void fast(void)
{
	int i;

	progress_allow(true);
	for (i = 0; i < 20; i++) {
		progress_begin("building something");
		nap(0.04);
		progress_end();
	}
}

static void counted(void)
{
	progress_allow(true);
	progress_begin("all");
	progress_begin("reading modules");
	progress_count(7, 300);
	progress_count(5, 300);
	nap(2);
	progress_end();
	nap(0.9);	/* what is around it has run for two seconds already */
	progress_end();
}

static void talking(void)
{
	progress_allow(true);
	progress_begin("building something");
	nap(2);
	say_note("this is said meanwhile");
	nap(1);
	progress_end();
	say_note("and this behind it");
}

static void unwanted(void)
{
	progress_allow(false);
	progress_begin("building something");
	nap(2);
	progress_end();
}

static void dumb(void)
{
	setenv("TERM", "dumb", 1);
	progress_allow(true);
	progress_begin("building something");
	nap(2);
	progress_end();
}

static void deep(void)
{
	int i;

	progress_allow(true);
	for (i = 0; i < 9; i++)
		progress_begin("deeper");
	nap(2);
	for (i = 0; i < 9; i++)
		progress_end();
	progress_begin("again");
	nap(2);
	progress_end();
}

/* Signals are the main thread's: whoever waits for them gets them. */
static void signalled(void)
{
	struct timespec second = { 3, 0 };
	sigset_t set;

	progress_allow(true);
	progress_begin("waiting");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR1);
	tap_failed = sigtimedwait(&set, NULL, &second) != SIGUSR1;
	progress_end();
}

enum { SLOW, FAST, PIPE, UNWANTED, DUMB, COUNTED, TALKING, NARROW, NO_ROOM, DEEP, SIGNALLED, RUNS };

int main(void)
{
	struct run run[RUNS] = {
		[SLOW] = { slow, 80 }, [FAST] = { fast, 80 }, [PIPE] = { slow, 0 }, [UNWANTED] = { unwanted, 80 }, [DUMB] = { dumb, 80 },
		[COUNTED] = { counted, 80 }, [TALKING] = { talking, 80 }, [NARROW] = { slow, 16 }, [NO_ROOM] = { slow, 3 }, [DEEP] = { deep, 80 },
		[SIGNALLED] = { signalled, 80 },
	};
	int i;

	setenv("TERM", "xterm", 1);
	for (i = 0; i < RUNS; i++)
		start(&run[i]);
	ok(ended(&run[SLOW]) && strstr(written, "building something, 1 s") && strstr(written, "building something, 2 s"),
	   "slow work: a line, every second anew");
	is_text(screen, "", "and nothing is left of it");
	ok(ended(&run[FAST]) && !*written, "fast work: nothing, however much of it there is");
	ok(ended(&run[PIPE]) && !*written, "in a pipe: nothing");
	ok(ended(&run[UNWANTED]) && !*written, "unwanted: nothing");
	ok(ended(&run[DUMB]) && !*written, "a terminal that cannot erase: nothing");
	ok(ended(&run[COUNTED]) && strstr(written, "reading modules, 1 s, 7 of 300") && strstr(written, "all, "), "work within work, and how much of it");
	is_text(screen, "", "and nothing is left of either");
	ok(ended(&run[TALKING]), "what is said meanwhile");
	is_text(screen, "note: this is said meanwhile\nnote: and this behind it\n", "stands alone");
	ok(ended(&run[NARROW]) && strstr(written, ", 2 s") && widest < 16, "a narrow terminal: the line is cut, its time stays");
	ok(ended(&run[NO_ROOM]) && widest < 3, "one without any room");
	ok(ended(&run[DEEP]) && strstr(written, "deeper, 1 s") && strstr(written, "again, 1 s"), "deeper than there is room for, and again");
	is_text(screen, "", "leaves nothing either");
	ok(ended(&run[SIGNALLED]), "the thread takes no signals");
	return done();
}
