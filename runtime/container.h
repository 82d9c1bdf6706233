/* SPDX-License-Identifier: GPL-2.0 */
/*
 * container.h: which cgroups are containers, by their names: those that docker, podman, containerd, CRI-O and LXC give, and systemd to
 * machines. Pure: the kernel filters by it, user space shows it.
 */
#ifndef KSTATS_CONTAINER_H
#define KSTATS_CONTAINER_H

#ifdef __KERNEL__
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <string.h>
#endif

#define KSTATS_CONTAINER_ID	64	/* digits of an id, which is hexadecimal */
#define KSTATS_CONTAINER_LEAST	4	/* of them say which is meant */

static inline bool kstats_container_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Is all of it digits of an id? */
static inline bool kstats_container_is_id(const char *text, unsigned int length)
{
	unsigned int i;

	for (i = 0; i < length; i++)
		if (!kstats_container_digit(text[i]))
			return false;
	return length >= KSTATS_CONTAINER_LEAST && length <= KSTATS_CONTAINER_ID;
}

static inline bool kstats_container_begins(const char *text, unsigned int length, const char *with)
{
	return length > strlen(with) && !memcmp(text, with, strlen(with));
}

static inline bool kstats_container_ends(const char *text, unsigned int length, const char *with)
{
	return length > strlen(with) && !memcmp(text + length - strlen(with), with, strlen(with));
}

/*
 * Of a cgroup's own name, without the path: what is the container's, from *@from on, and how long it is: docker-ID.scope,
 * cri-containerd-ID.scope, ID, lxc.payload.NAME, machine-NAME.scope. 0: it is no container (libpod-conmon-ID.scope is who looks after one).
 */
static inline unsigned int kstats_container(const char *name, unsigned int length, unsigned int *from)
{
	static const char *const begin[] = { "lxc.payload.", "machine-", "systemd-nspawn@" }, *const end[] = { "", ".scope", ".service" };
	unsigned int i;

	for (i = 0; i < sizeof(begin) / sizeof(*begin); i++) {
		*from = strlen(begin[i]);
		if (kstats_container_begins(name, length, begin[i]) &&
		    (!*end[i] || kstats_container_ends(name + *from, length - *from, end[i])))
			return length - *from - strlen(end[i]);
	}
	if (kstats_container_ends(name, length, ".scope"))
		length -= strlen(".scope");
	*from = length - KSTATS_CONTAINER_ID;
	if (length < KSTATS_CONTAINER_ID || !kstats_container_is_id(name + *from, KSTATS_CONTAINER_ID))
		return 0;
	if (*from && name[*from - 1] != '-' && name[*from - 1] != ':')
		return 0;
	return kstats_container_ends(name, *from, "conmon-") ? 0 : KSTATS_CONTAINER_ID;
}

/* Does @text name the container of this name: an id by its first digits, another wholly? */
static inline bool kstats_container_is(const char *name, unsigned int length, const char *text, unsigned int text_length)
{
	return (length == text_length ||
		(length == KSTATS_CONTAINER_ID && text_length < length && kstats_container_is_id(text, text_length) &&
		 kstats_container_is_id(name, length))) && !memcmp(name, text, text_length);
}

#endif /* KSTATS_CONTAINER_H */
