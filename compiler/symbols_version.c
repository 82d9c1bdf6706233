// SPDX-License-Identifier: GPL-2.0
/* symbols_version.c: which build of its release the target kernel is. */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "symbols_private.h"

/* "Linux version RELEASE (builder) (compiler) #1 SMP ...": linux_banner ends with what `uname -v` says. */
const char *symbols_version(struct symbols *s)
{
	const struct image *image;
	const char *banner, *at = NULL;
	struct utsname name;
	uint64_t address;
	char *version;

	if (s->kernel->running)
		return uname(&name) == 0 ? symbols_keep(s, name.version) : NULL;
	image = symbols_image(s);
	address = symbols_address(s, "linux_banner");
	banner = image && address ? image_string(image, address) : NULL;
	for (const char *hash = banner; hash && (hash = strstr(hash, " #")); hash++)
		at = hash + 1;
	if (!at)
		return NULL;
	version = mem_copy(at, strcspn(at, "\n"));
	at = symbols_keep(s, version);
	free(version);
	return at;
}
