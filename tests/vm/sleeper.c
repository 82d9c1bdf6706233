// SPDX-License-Identifier: GPL-2.0
/*
 * sleeper.c: processes that sleep in known functions of the kernel until they are told to come back, and see that they come back as
 * they must.
 *
 *	sleeper N WAY...	N processes for each WAY. Each is woken when a line comes on stdin, or its end; then this ends
 *
 * WAY: nanosleep (a signal wakes it: EINTR) · poll (of a pipe, which is closed then) · futex · accept (over TCP, on the loopback) ·
 * stopped (by SIGSTOP; every other one goes on then, the others are killed)
 *
 * Status: 0, each one came back so; 1, one did not (a line says which); 2, wrong usage, or it could not begin.
 */
#include <errno.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int pipe_ends[2], listener;
static int *word;			/* the futex: shared */
static struct sockaddr_in address = { .sin_family = AF_INET };

static void die(const char *why)
{
	perror(why);
	exit(2);
}

static void nothing(int signal)
{
	(void)signal;
}

/* ---- each way: what is there before, what a process does (true: as it must be), and what wakes it ---- */

static bool sleep_nanosleep(void)
{
	struct timespec long_time = { 100000, 0 }, rest;

	return nanosleep(&long_time, &rest) == -1 && errno == EINTR && rest.tv_sec > 90000;
}

static void wake_nanosleep(pid_t pid, int i)
{
	(void)i;
	kill(pid, SIGUSR1);
}

static void begin_poll(void)
{
	if (pipe(pipe_ends))
		die("pipe");
}

static bool sleep_poll(void)
{
	struct pollfd fd = { .fd = pipe_ends[0], .events = POLLIN };

	close(pipe_ends[1]);
	return poll(&fd, 1, -1) == 1 && fd.revents == POLLHUP;
}

static void wake_poll(pid_t pid, int i)
{
	(void)pid;
	if (!i)
		close(pipe_ends[1]);
}

static void begin_futex(void)
{
	word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (word == MAP_FAILED)
		die("mmap");
}

static bool sleep_futex(void)
{
	return syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0) == 0;
}

static void wake_futex(pid_t pid, int i)
{
	(void)pid, (void)i;
	if (syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0) != 1)
		puts("# futex: nobody was woken");
}

static void begin_accept(void)
{
	socklen_t size = sizeof(address);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) || listen(listener, 100) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		die("socket");
}

static bool sleep_accept(void)
{
	return accept(listener, NULL, NULL) >= 0;
}

static void wake_accept(pid_t pid, int i)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);

	(void)pid, (void)i;
	if (s < 0 || connect(s, (struct sockaddr *)&address, sizeof(address)))
		perror("# connect");
}

static bool sleep_stopped(void)
{
	return !raise(SIGSTOP);
}

static void wake_stopped(pid_t pid, int i)
{
	kill(pid, i % 2 ? SIGKILL : SIGCONT);
}

static const struct way {
	const char *name;
	void (*begin)(void);
	bool (*sleep)(void);
	void (*wake)(pid_t pid, int i);
	int killed;			/* the signal that every other one ends by */
} ways[] = {
	{ "nanosleep", NULL, sleep_nanosleep, wake_nanosleep, 0 },
	{ "poll", begin_poll, sleep_poll, wake_poll, 0 },
	{ "futex", begin_futex, sleep_futex, wake_futex, 0 },
	{ "accept", begin_accept, sleep_accept, wake_accept, 0 },
	{ "stopped", NULL, sleep_stopped, wake_stopped, SIGKILL },
};

static const struct way *way_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	fprintf(stderr, "sleeper: no such way: %s\n", name);
	exit(2);
}

static pid_t start(const struct way *way)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid)
		_exit(!way->sleep());
	return pid;
}

static bool came_back(const struct way *way, pid_t pid, int i)
{
	int status, signal = i % 2 ? way->killed : 0;

	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	if (signal ? WIFSIGNALED(status) && WTERMSIG(status) == signal : WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	printf("# %s: status 0x%x\n", way->name, status);
	return false;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = nothing };
	int n = argc > 2 ? atoi(argv[1]) : 0, i, w;
	bool good = true;
	pid_t *pids;
	char c;

	if (n < 1) {
		fputs("usage: sleeper N WAY...\n", stderr);
		return 2;
	}
	pids = calloc((size_t)n * argc, sizeof(*pids));
	if (!pids)
		die("calloc");
	sigaction(SIGUSR1, &action, NULL);
	for (w = 2; w < argc; w++) {
		const struct way *way = way_of(argv[w]);

		if (way->begin)
			way->begin();
		for (i = 0; i < n; i++)
			pids[w * n + i] = start(way);
	}
	while (read(0, &c, 1) == 1 && c != '\n')
		;
	for (w = 2; w < argc; w++)
		for (i = 0; i < n; i++)
			way_of(argv[w])->wake(pids[w * n + i], i);
	for (w = 2; w < argc; w++)
		for (i = 0; i < n; i++)
			good &= came_back(way_of(argv[w]), pids[w * n + i], i);
	return !good;
}
