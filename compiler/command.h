/* SPDX-License-Identifier: GPL-2.0 */
/* command.h: runs a program with its output in a file. No shell: an argument is what it is. */
#ifndef KM_COMMAND_H
#define KM_COMMAND_H

#include <stdbool.h>

/* Where PATH finds @program (a path stays one), malloc'ed, or NULL. */
char *command_find(const char *program);

/* From now on look into @folder, an absolute path, before PATH; so do the programs that are run. */
void command_prefer(const char *folder);

/* What went wrong with a program that was run. */
enum command_result { COMMAND_OK, COMMAND_FAILED, COMMAND_NOT_STARTED, COMMAND_KILLED };

/*
 * Run argv[0] in a plain environment (PATH, HOME, TMPDIR; C locale; nothing of make's), both outputs to the end of
 * @log, and wait. *status is its exit status, or the signal or errno.
 */
enum command_result command_run(const char *const *argv, const char *log, int *status);

/* The same in another folder. */
enum command_result command_run_in(const char *dir, const char *const *argv, const char *log, int *status);

/* Run a filter from file descriptor @in; a new one with what it wrote, or -1. Its complaints are dropped. */
int command_filter(const char *const *argv, int in);

#endif /* KM_COMMAND_H */
