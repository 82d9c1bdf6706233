/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h: what a measurement waits for: time, signals, and the command that is run meanwhile.
 */
#ifndef KM_SESSION_H
#define KM_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* CLOCK_MONOTONIC in ns. */
uint64_t session_now(void);

/*
 * From here on SIGINT, SIGTERM, SIGHUP and SIGQUIT no longer end the program: session_wait reports them. SIGPIPE is
 * ignored: a reader that went away shows as an error of writing. Call before anything is loaded.
 */
void session_begin(void);

/*
 * While a report is written nobody waits in session_wait, and whoever reads it may be slow. Between these two the first
 * signal is kept for session_wait and the second ends the program at once, through `quit`, which is called in a signal
 * handler and must only do what is safe there. With `last` the first one does so.
 */
void session_interruptible(void (*quit)(void), bool last);
void session_uninterruptible(void);

/* The command, made ready before anything is loaded, so that its fork is not part of what is measured. */
struct session_command {
	pid_t pid;	/* 0: there is none, or it was waited for */
	int go;		/* a byte written here starts it */
	int failed;	/* its errno comes here when it cannot be started; end of file when it could */
	int status;	/* as of waitpid, once ended */
	bool ended;
};

/* `shell` runs by sh -c, `argv` (NULL-terminated) as it is; exactly one is given. False with a message. */
bool session_prepare(struct session_command *c, const char *shell, char *const *argv);

/* Start it; 0, or the errno why not. */
int session_go(struct session_command *c);

/* End it: by SIGTERM, and SIGKILL after a second; no-op when it has ended. */
void session_end(struct session_command *c);

enum session_event { SESSION_TIME, SESSION_SIGNAL, SESSION_COMMAND, SESSION_INPUT };

/* Until `deadline` (session_now's clock, UINT64_MAX: none), a signal, or the end of the command (may be NULL). */
enum session_event session_wait(uint64_t deadline, struct session_command *c);

/* The same, or something to read at @fd, or a signal that is somebody else's (the terminal has another size). */
enum session_event session_wait_input(uint64_t deadline, struct session_command *c, int fd);

/* The last signal that session_wait reported, 0: none. */
int session_signal(void);

#endif /* KM_SESSION_H */
