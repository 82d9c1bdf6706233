// SPDX-License-Identifier: GPL-2.0
/*
 * cgroup.c: where the current task is in the default hierarchy of cgroups (v2), for scripts that filter by that.
 *
 * By name, at each event: a cgroup may come after the script was loaded, and of a service that is restarted it is another one each
 * time. Only those compare names that are deep enough, and they begin with the last part of the path, which mostly tells. Names in this hierarchy never
 * change, and a task's cgroups, with all above them, stay while it is in them.
 */
#include <linux/cgroup.h>
#include <linux/export.h>
#include <linux/kprobes.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include "container.h"
#include "kstats.h"

#ifdef CONFIG_CGROUPS
#define DEPTH_MAX	64	/* a container deeper than that is not found */

static struct cgroup *own(void)
{
	return rcu_dereference_raw(current->cgroups)->dfl_cgrp;
}

static const char *name_of(const struct cgroup *cgroup)
{
	return (const char *)READ_ONCE(cgroup->kn->name);
}

bool kstats_in_cgroup(const char *path, unsigned int length, unsigned int levels, bool below)
{
	const char *end = path + length, *from;
	struct cgroup *cgroup = own();

	if (cgroup->level < levels || (cgroup->level > levels && !below))
		return false;
	while (cgroup && cgroup->level > levels)
		cgroup = cgroup_parent(cgroup);
	for (; cgroup && levels; levels--, end = from) {
		const char *name = name_of(cgroup);

		for (from = end; from[-1] != '/'; from--)
			;
		if (strncmp(name, from, end - from) || name[end - from])
			return false;
		from--;
		cgroup = cgroup_parent(cgroup);
	}
	return !levels;
}

bool kstats_in_container(const char *text, unsigned int length)
{
	struct cgroup *cgroup = own();
	unsigned int i, from, n;

	for (i = 0; cgroup && i < DEPTH_MAX; i++, cgroup = cgroup_parent(cgroup)) {
		const char *name = name_of(cgroup);

		n = kstats_container(name, strlen(name), &from);
		if (n && kstats_container_is(name + from, n, text, length))
			return true;
	}
	return false;
}
#else
bool kstats_in_cgroup(const char *path, unsigned int length, unsigned int levels, bool below)
{
	return !levels;
}

bool kstats_in_container(const char *text, unsigned int length)
{
	return false;
}
#endif
EXPORT_SYMBOL_GPL(kstats_in_cgroup);
NOKPROBE_SYMBOL(kstats_in_cgroup);
EXPORT_SYMBOL_GPL(kstats_in_container);
NOKPROBE_SYMBOL(kstats_in_container);
