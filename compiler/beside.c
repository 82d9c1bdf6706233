// SPDX-License-Identifier: GPL-2.0
/*
 * beside.c: kmeter's own files, from where its program lies.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beside.h"
#include "text.h"

char *beside_program(void)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe));

	return mem_copy(exe, n > 0 && n < (ssize_t)sizeof(exe) ? n : 0);
}

char *beside_find(const char *name)
{
	/* The last two: of a test, build/tests/NAME and build/tests/unit/NAME. */
	static const char *const places[] = { "..", "../share/kmeter", "../..", "../../.." };
	char *folder = beside_program(), *slash = strrchr(folder, '/'), *found = NULL;

	if (slash)
		*slash = 0;
	for (size_t i = 0; !found && i < sizeof(places) / sizeof(*places); i++) {
		char *path = mem_printf("%s/%s/%s", folder, places[i], name);

		if (access(path, R_OK) == 0)
			found = path;
		else
			free(path);
	}
	free(folder);
	return found;
}
