// SPDX-License-Identifier: GPL-2.0
/*
 * console_session.c: commands start, end and fail as they should; time, signals and the command wake the one who waits.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "console/session.h"
#include "console_snap.h"

static uint64_t in_ms(unsigned int ms)
{
	return session_now() + ms * 1000000ULL;
}

static void commands(void)
{
	char *const no_such[] = { "/nonexistent/program", NULL }, *const sleeper[] = { "sleep", "60", NULL };
	struct session_command c;
	uint64_t before;

	ok(session_prepare(&c, "exit 3", NULL) && !session_go(&c), "a shell command starts");
	ok(session_wait(in_ms(20000), &c) == SESSION_COMMAND && WIFEXITED(c.status) && WEXITSTATUS(c.status) == 3,
	   "its end is noticed, and its status kept");
	session_end(&c);

	ok(session_prepare(&c, NULL, no_such) && session_go(&c) == ENOENT, "what is not there cannot be started, and says so");
	session_end(&c);

	ok(session_prepare(&c, NULL, sleeper) && !session_go(&c), "a program starts");
	before = session_now();
	ok(session_wait(in_ms(30), &c) == SESSION_TIME && session_now() - before >= 30000000, "time passes while it runs");
	session_end(&c);
	ok(c.ended && WIFSIGNALED(c.status) && WTERMSIG(c.status) == SIGTERM, "it is ended by SIGTERM");

	ok(session_prepare(&c, NULL, sleeper), "one is prepared");
	session_end(&c);
	ok(c.ended && WIFEXITED(c.status) && !WEXITSTATUS(c.status), "and never started");
}

/* Last of all: once a signal has asked to end, everything that waits ends. */
static void signals(void)
{
	struct session_command c;

	session_prepare(&c, "kill -PIPE $$; exit 5", NULL);
	session_go(&c);
	session_wait(in_ms(20000), &c);
	ok(WIFSIGNALED(c.status) && WTERMSIG(c.status) == SIGPIPE, "the command does not inherit our signals");
	session_end(&c);
	session_prepare(&c, "kill -INT $PPID; sleep 60", NULL);
	session_go(&c);
	ok(session_wait(UINT64_MAX, &c) == SESSION_SIGNAL && session_signal() == SIGINT, "a signal ends the waiting");
	session_end(&c);
	ok(session_wait(UINT64_MAX, NULL) == SESSION_SIGNAL, "and whatever is waited for then");
}

static void quit(void)
{
	if (write(9, "q", 1) < 0)
		_exit(1);
}

/* In a child that raises `times` signals while it writes: its exit status, *asked when quit() ran. */
static int interrupted(int times, bool last, bool *asked)
{
	int fd[2], status = 0;
	char byte = 0;
	pid_t pid;

	*asked = false;
	if (pipe(fd))
		return -1;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(fd[1], 9);
		session_interruptible(quit, last);
		while (times--)
			raise(SIGTERM);
		session_uninterruptible();
		_exit(session_wait(in_ms(20000), NULL) == SESSION_SIGNAL && session_signal() == SIGTERM ? 0 : 1);
	}
	close(fd[1]);
	waitpid(pid, &status, 0);
	*asked = read(fd[0], &byte, 1) == 1 && byte == 'q';
	close(fd[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void impatience(void)
{
	bool asked;

	ok(!interrupted(1, false, &asked) && !asked, "a signal while a report is written ends the waiting after it");
	ok(interrupted(2, false, &asked) == 128 + SIGTERM && asked, "a second one runs the emergency exit");
	ok(interrupted(1, true, &asked) == 128 + SIGTERM && asked, "in the last report the first one does");
}

static void nothing(int number)
{
}

/* In a child: what waiting for input ends with, at once. */
static bool ends_with(enum session_event event, int fd, int raised)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		signal(SIGWINCH, nothing);
		if (raised)
			raise(raised);
		_exit(session_wait_input(in_ms(20000), NULL, fd) == event && (event != SESSION_SIGNAL || session_signal() == SIGHUP) ? 0 : 1);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void terminal(void)
{
	int fd[2];

	if (pipe(fd))
		return;
	ok(ends_with(SESSION_INPUT, fd[0], SIGWINCH), "a new size of the terminal is not slept through, when it came before the waiting");
	ok(write(fd[1], "q", 1) == 1 && ends_with(SESSION_INPUT, fd[0], 0), "nor is a key");
	close(fd[1]);
	ok(read(fd[0], &(char){ 0 }, 1) == 1 && ends_with(SESSION_SIGNAL, fd[0], 0), "a terminal that is gone ends the waiting, as SIGHUP does");
	close(fd[0]);
}

int main(void)
{
	session_begin();
	commands();
	impatience();
	terminal();
	signals();
	return done();
}
