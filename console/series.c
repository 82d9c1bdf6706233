// SPDX-License-Identifier: GPL-2.0
/*
 * series.c: measurements read again and again.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "console/cgroups.h"
#include "console/keys.h"
#include "console/read.h"
#include "console/say.h"
#include "console/series.h"
#include "console/stay.h"

void series_of_module(struct series *s, const char *module)
{
	size_t i, n;
	struct snapshot **all = read_all(&n);

	*s = (struct series){ .names = say_calloc(n + 1, sizeof(*s->names)) };
	for (i = 0; i < n; i++)
		if (snapshot_of_module(all[i], module)) {
			s->names[s->n++] = say_strdup(all[i]->head.name);
			s->cgroups |= cgroups_wanted(all[i]);
		}
	stay_free(all, n);
}

void series_free(struct series *s)
{
	if (s->base)
		stay_free(s->base, s->n);
	while (s->n)
		free(s->names[--s->n]);
	free(s->names);
}

struct snapshot **series_take(const struct series *s)
{
	struct snapshot **all = say_calloc(s->n, sizeof(*all));
	char *why;
	size_t i;

	for (i = 0; i < s->n; i++) {
		all[i] = read_snapshot(s->names[i], &why);
		if (!all[i]) {
			say_error("the measurement is gone: %s", why);
			free(why);
			stay_free(all, i);
			return NULL;
		}
	}
	return all;
}

/* Of this boot, from the first call on. */
static const char *boot_id(void)
{
	static char id[64];
	FILE *f = *id ? NULL : fopen("/proc/sys/kernel/random/boot_id", "re");

	if (f && fgets(id, sizeof(id), f))
		id[strcspn(id, "\n")] = 0;
	if (f)
		fclose(f);
	return *id ? id : NULL;
}

struct report series_report(struct snapshot *const *snapshots, size_t n)
{
	static struct utsname system;
	struct report r = { .snapshots = snapshots, .n = n };
	size_t i;

	for (i = 0; i < n; i++) {
		keys_by_function(snapshots[i]);
		cgroups_settle(snapshots[i]);
	}
	uname(&system);
	clock_gettime(CLOCK_REALTIME, &r.taken);
	r.release = system.release;
	r.host = system.nodename;
	r.boot = boot_id();
	return r;
}

struct snapshot **series_since(const struct series *s, struct snapshot *const *now, struct snapshot *const *base)
{
	struct snapshot **since = say_calloc(s->n, sizeof(*since));
	size_t i;

	for (i = 0; i < s->n; i++)
		since[i] = base ? snapshot_subtract(now[i], base[i]) : snapshot_copy(now[i]);
	return since;
}
