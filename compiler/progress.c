// SPDX-License-Identifier: GPL-2.0
/*
 * progress.c: the line, and the thread that writes it: what takes so long is mostly one call (waiting for kbuild, inserting a
 * module) that could not look at a clock itself.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"

enum { DEEP = 4, LINE = 200 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t ended;		/* or anything else that the thread should not sleep through */
	pthread_t thread;
	bool allowed, running, shown;
	struct work {
		const char *what;
		struct timespec since;
		unsigned long done, all;
	} work[DEEP];
	unsigned int depth;		/* may be more than DEEP: what is deeper has no line of its own */
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER };

void progress_allow(bool wanted)
{
	const char *term = getenv("TERM");

	progress.allowed = wanted && isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
}

/* ---- the line; with the lock held ---- */

static void put(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));

	(void)n;	/* nothing depends on it */
}

static void hide(void)
{
	if (progress.shown)
		put("\r\033[K");
	progress.shown = false;
}

/* A line that the terminal broke into two could not be taken away again: without room for all, what is done is cut, not the time. */
static void show(const struct work *w, long seconds)
{
	char line[LINE], count[64] = "", *rest = line;
	struct winsize size;
	int room = LINE, length;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_col < room)
		room = size.ws_col;
	if (w->all)
		snprintf(count, sizeof(count), ", %lu of %lu", w->done, w->all);
	length = snprintf(line, sizeof(line), ", %ld s%s", seconds, count);
	if (length < room)
		snprintf(line, sizeof(line), "%.*s, %ld s%s", room - 1 - length, w->what, seconds, count);
	else
		rest = line + length - room + 1;
	hide();
	put(rest);
	progress.shown = true;
}

static const struct work *current(void)
{
	return &progress.work[(progress.depth < DEEP ? progress.depth : DEEP) - 1];
}

/* Each full second from the beginning of what is being done. */
static void *run(void *arg)
{
	pthread_mutex_lock(&progress.lock);
	while (progress.depth) {
		const struct work *w = current();
		struct timespec now, next = w->since;
		long seconds;

		clock_gettime(CLOCK_MONOTONIC, &now);
		seconds = now.tv_sec - w->since.tv_sec - (now.tv_nsec < w->since.tv_nsec);
		if (seconds)
			show(w, seconds);
		next.tv_sec += seconds + 1;
		pthread_cond_timedwait(&progress.ended, &progress.lock, &next);
	}
	pthread_mutex_unlock(&progress.lock);
	return arg;
}

/* Whoever is ended by a signal leaves no line behind either. Only where nobody else looks after the signal. */
static const int enders[] = { SIGINT, SIGTERM, SIGHUP };
static bool ours[sizeof(enders) / sizeof(*enders)];

static void erase_and_end(int number)
{
	put("\r\033[K");
	signal(number, SIG_DFL);
	raise(number);
}

static void take_signals(void)
{
	struct sigaction action = { .sa_handler = erase_and_end }, old;
	size_t i;

	for (i = 0; i < sizeof(enders) / sizeof(*enders); i++) {
		ours[i] = !sigaction(enders[i], NULL, &old) && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL;
		if (ours[i])
			sigaction(enders[i], &action, NULL);
	}
}

static void give_signals_back(void)
{
	size_t i;

	for (i = 0; i < sizeof(enders) / sizeof(*enders); i++)
		if (ours[i])
			signal(enders[i], SIG_DFL);
}

/* Without a thread there is no line, and that is all. */
static void start(void)
{
	pthread_condattr_t attributes;
	sigset_t all, before;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&progress.ended, &attributes);
	pthread_condattr_destroy(&attributes);
	take_signals();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	progress.running = !pthread_create(&progress.thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- what is done ---- */

void progress_begin(const char *what)
{
	if (!progress.allowed)
		return;
	pthread_mutex_lock(&progress.lock);
	if (progress.depth < DEEP) {
		struct work *w = &progress.work[progress.depth];

		*w = (struct work){ .what = what };
		clock_gettime(CLOCK_MONOTONIC, &w->since);
	}
	hide();
	if (!progress.depth++)
		start();
	pthread_cond_signal(&progress.ended);
	pthread_mutex_unlock(&progress.lock);
}

void progress_end(void)
{
	bool last;

	if (!progress.allowed)
		return;
	pthread_mutex_lock(&progress.lock);
	hide();
	last = !--progress.depth;
	pthread_cond_signal(&progress.ended);
	pthread_mutex_unlock(&progress.lock);
	if (!last)
		return;
	if (progress.running)
		pthread_join(progress.thread, NULL);
	give_signals_back();
	pthread_cond_destroy(&progress.ended);
}

void progress_count(unsigned long done, unsigned long all)
{
	if (!progress.allowed)
		return;
	pthread_mutex_lock(&progress.lock);
	if (progress.depth && progress.depth <= DEEP) {
		struct work *w = &progress.work[progress.depth - 1];

		if (done > w->done)	/* threads may overtake each other */
			w->done = done;
		w->all = all;
	}
	pthread_mutex_unlock(&progress.lock);
}

void progress_hide(void)
{
	if (!progress.allowed)
		return;
	pthread_mutex_lock(&progress.lock);
	hide();
	pthread_mutex_unlock(&progress.lock);
}
