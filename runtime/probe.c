// SPDX-License-Identifier: GPL-2.0
/*
 * probe.c: which backend serves a point, and attaching through it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include "measure.h"
#include "probe.h"

/* In order of preference. */
static const struct ks_backend *const backends[] = {
	&ks_probe_tracepoint,
	&ks_probe_kprobe,
	&ks_probe_kretprobe,
};

const struct ks_backend *ks_probe_backend(const struct kstats_point *point)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(backends); i++)
		if (backends[i]->serves(point))
			return backends[i];
	return NULL;
}

static const char *reason(int err)
{
	switch (err) {
	case -ENOENT:
		return "there is no such place in this kernel, or its module is not loaded";
	case -EILSEQ:
		return "no instruction begins there";
	case -EINVAL:
		return "the kernel forbids to probe there";
	case -EOPNOTSUPP:
		return "this kernel has no means for it";
	case -ENOMEM:
		return "out of memory";
	default:
		return "the kernel refused";
	}
}

int ks_probe_arm(struct ks_probe *p)
{
	int err = p->backend->arm(p);

	if (err) {
		pr_warn("%s: cannot attach to %s by %s: %s (error %d)\n", p->measure->name, p->points[0]->text,
			p->backend->name, reason(err), err);
		return err;
	}
	p->armed = true;
	return 0;
}

void ks_probe_disarm(struct ks_probe *p)
{
	if (!p->armed)
		return;
	p->armed = false;
	p->backend->disarm(p);
	if (p->backend->missed)
		p->missed_before += p->backend->missed(p);
}

unsigned long ks_probe_missed(const struct ks_probe *p)
{
	return p->missed_before + (p->armed && p->backend->missed ? p->backend->missed(p) : 0);
}

int ks_probe_init(void)
{
	return ks_tracepoint_init();
}

void ks_probe_exit(void)
{
	ks_tracepoint_exit();
}
