// SPDX-License-Identifier: GPL-2.0
/* command.c: runs a program with its output in a file. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "text.h"

#define DEFAULT_PATH	"/usr/local/bin:/usr/bin:/bin"

char *command_find(const char *program)
{
	const char *path = getenv("PATH");

	if (strchr(program, '/'))
		return access(program, X_OK) == 0 ? mem_copy(program, strlen(program)) : NULL;
	if (!path || !*path)
		path = DEFAULT_PATH;
	while (*path) {
		size_t length = strcspn(path, ":");
		char *full = mem_printf("%.*s/%s", (int)length, path, program);
		struct stat st;

		if (length && stat(full, &st) == 0 && S_ISREG(st.st_mode) && access(full, X_OK) == 0)
			return full;
		free(full);
		path += length + (path[length] == ':');
	}
	return NULL;
}

void command_prefer(const char *folder)
{
	const char *path = getenv("PATH");
	size_t length = strlen(folder);
	char *longer;

	if (path && strncmp(path, folder, length) == 0 && path[length] == ':')
		return;
	longer = mem_printf("%s:%s", folder, path && *path ? path : DEFAULT_PATH);
	setenv("PATH", longer, 1);
	free(longer);
}

/* Of the environment only what a build needs: the rest of it could change what comes out, unseen by the cache's key. */
static char **plain_environment(void)
{
	static const char *const kept[] = { "PATH", "HOME", "TMPDIR", "USER" };
	char **env = mem_zero(sizeof(kept) / sizeof(*kept) + 3, sizeof(*env));
	unsigned int n = 0;

	for (unsigned int i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (getenv(kept[i]))
			env[n++] = mem_printf("%s=%s", kept[i], getenv(kept[i]));
	env[n++] = mem_printf("LC_ALL=C");
	env[n++] = mem_printf("SRCARCH=x86");	/* objtool asks for it, from 6.12 on; kbuild sets it itself */
	return env;
}

static void free_environment(char **env)
{
	for (char **e = env; *e; e++)
		free(*e);
	free(env);
}

int command_filter(const char *const *argv, int in)
{
	int out = memfd_create(argv[0], MFD_CLOEXEC), error, wait = 0;
	posix_spawn_file_actions_t files;
	char **env;
	pid_t pid;

	if (out < 0)
		return -1;
	env = plain_environment();
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	error = posix_spawnp(&pid, argv[0], &files, NULL, (char *const *)argv, env);
	posix_spawn_file_actions_destroy(&files);
	free_environment(env);
	while (!error && waitpid(pid, &wait, 0) < 0 && errno == EINTR)
		;
	if (error || !WIFEXITED(wait) || WEXITSTATUS(wait)) {
		close(out);
		return -1;
	}
	return out;
}

enum command_result command_run(const char *const *argv, const char *log, int *status)
{
	return command_run_in(NULL, argv, log, status);
}

enum command_result command_run_in(const char *dir, const char *const *argv, const char *log, int *status)
{
	posix_spawn_file_actions_t files;
	char **env = plain_environment();
	pid_t pid;
	int error, wait;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0644);
	posix_spawn_file_actions_adddup2(&files, 1, 2);
	if (dir)
		posix_spawn_file_actions_addchdir_np(&files, dir);
	error = posix_spawnp(&pid, argv[0], &files, NULL, (char *const *)argv, env);
	posix_spawn_file_actions_destroy(&files);
	free_environment(env);
	if (error) {
		*status = error;
		return COMMAND_NOT_STARTED;
	}
	while (waitpid(pid, &wait, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(wait)) {
		*status = WTERMSIG(wait);
		return COMMAND_KILLED;
	}
	*status = WEXITSTATUS(wait);
	return *status ? COMMAND_FAILED : COMMAND_OK;
}
