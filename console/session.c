// SPDX-License-Identifier: GPL-2.0
/*
 * session.c: time, signals and the command, in one place to wait for all of them.
 *
 * Signals are blocked and read from a signalfd, so that nothing is interrupted between loading a module and noting that
 * it is loaded. Only while a report is written does a handler run.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "console/say.h"
#include "console/session.h"

static const int enders[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static int signals = -1;	/* the signalfd */
static volatile sig_atomic_t caught;	/* the signal that asks to end, 0: none yet */
static volatile sig_atomic_t impatient;	/* the next one ends at once */
static sigset_t ending;		/* enders[] */
static sigset_t before;		/* the mask that the command gets back */
static sigset_t waiting;	/* the mask while we wait: only then may the terminal's new size come in between */
static bool begun;
static void (*quit_now)(void);

uint64_t session_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

void session_begin(void)
{
	sigset_t set;
	size_t i;

	sigemptyset(&ending);
	for (i = 0; i < sizeof(enders) / sizeof(*enders); i++)
		sigaddset(&ending, enders[i]);
	set = ending;
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &before);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, &waiting);
	signal(SIGPIPE, SIG_IGN);
	begun = true;
}

static void interrupt(int number)
{
	if (impatient) {
		quit_now();
		_exit(128 + number);
	}
	caught = number;
	impatient = 1;
}

void session_interruptible(void (*quit)(void), bool last)
{
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
	size_t i;

	quit_now = quit;
	impatient |= last;
	action.sa_mask = ending;
	for (i = 0; i < sizeof(enders) / sizeof(*enders); i++)
		sigaction(enders[i], &action, NULL);
	sigprocmask(SIG_UNBLOCK, &ending, NULL);
}

void session_uninterruptible(void)
{
	sigprocmask(SIG_BLOCK, &ending, NULL);
}

/* ---- the command ---- */

/* In the child: wait for the byte, become the command, or tell why not. */
static void __attribute__((noreturn)) become(int go, int failed, const char *shell, char *const *argv)
{
	char *const by_shell[] = { "sh", "-c", (char *)shell, NULL };
	char byte;
	int err;

	if (read(go, &byte, 1) != 1)	/* kmeter is gone or gave up */
		_exit(0);
	signal(SIGPIPE, SIG_DFL);
	if (begun)
		sigprocmask(SIG_SETMASK, &before, NULL);
	if (shell)
		execv("/bin/sh", by_shell);
	else
		execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

bool session_prepare(struct session_command *c, const char *shell, char *const *argv)
{
	int go[2], failed[2];

	*c = (struct session_command){ 0 };
	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC)) {
		say_error("cannot prepare the command: %s", strerror(errno));
		return false;
	}
	fflush(NULL);	/* what is buffered must not be written twice */
	c->pid = fork();
	if (c->pid < 0) {
		say_error("cannot prepare the command: %s", strerror(errno));
		return false;
	}
	if (!c->pid) {
		close(go[1]);
		close(failed[0]);
		become(go[0], failed[1], shell, argv);
	}
	close(go[0]);
	close(failed[1]);
	c->go = go[1];
	c->failed = failed[0];
	return true;
}

/* Has it ended? Waits for it without `options` WNOHANG. */
static bool reap(struct session_command *c, int options)
{
	pid_t pid;

	if (c->ended || !c->pid)
		return true;
	do
		pid = waitpid(c->pid, &c->status, options);
	while (pid < 0 && errno == EINTR);
	c->ended = pid == c->pid || pid < 0;
	return c->ended;
}

int session_go(struct session_command *c)
{
	int err = 0;
	ssize_t n;

	n = write(c->go, "", 1);
	close(c->go);
	c->go = -1;
	if (n == 1) {
		do
			n = read(c->failed, &err, sizeof(err));
		while (n < 0 && errno == EINTR);
	}
	close(c->failed);
	c->failed = -1;
	if (err)
		reap(c, 0);
	return err;
}

void session_end(struct session_command *c)
{
	struct timespec nap = { 0, 10000000 };
	int i;

	if (!c->pid)
		return;
	if (c->go > 0) {	/* never started: the end of the pipe tells it */
		close(c->go);
		close(c->failed);
		c->go = -1;
	} else if (!reap(c, WNOHANG)) {
		kill(c->pid, SIGTERM);
	}
	for (i = 0; i < 100 && !reap(c, WNOHANG); i++)
		nanosleep(&nap, NULL);
	if (!c->ended)
		kill(c->pid, SIGKILL);
	reap(c, 0);
}

/* ---- waiting ---- */

int session_signal(void)
{
	return caught;
}

/* Read what has arrived; true when something asks, or has asked, to end. */
static bool drain_signals(void)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			caught = info.ssi_signo;
	return caught;
}

enum session_event session_wait(uint64_t deadline, struct session_command *c)
{
	return session_wait_input(deadline, c, -1);
}

enum session_event session_wait_input(uint64_t deadline, struct session_command *c, int input)
{
	struct pollfd fd[] = { { .fd = signals, .events = POLLIN }, { .fd = input, .events = POLLIN } };
	bool interrupted = false;

	for (;;) {
		uint64_t now = session_now(), left = deadline > now ? deadline - now : 0;
		struct timespec t = { left / 1000000000, left % 1000000000 };

		if (drain_signals())
			return SESSION_SIGNAL;
		if (c && c->pid && reap(c, WNOHANG))
			return SESSION_COMMAND;
		if (!left)
			return SESSION_TIME;
		if (fd[1].revents & (POLLHUP | POLLERR | POLLNVAL)) {	/* the terminal is gone, and with no SIGHUP to a session of our own */
			caught = SIGHUP;
			return SESSION_SIGNAL;
		}
		if (input >= 0 && (fd[1].revents || interrupted))
			return SESSION_INPUT;
		interrupted = ppoll(fd, 2, deadline == UINT64_MAX ? NULL : &t, &waiting) < 0;
	}
}
