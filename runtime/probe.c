// SPDX-License-Identifier: GPL-2.0
/*
 * probe.c: which backend serves a point, and attaching through it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/init_task.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include "direct.h"
#include "measure.h"
#include "probe.h"

/* In order of preference. */
static const struct ks_backend *const backends[] = {
	&ks_probe_tracepoint,
	&ks_probe_ftrace,
	&ks_probe_watch,
	&ks_probe_shared,
	&ks_probe_direct,
	&ks_probe_kprobe,
	&ks_probe_fprobe,
	&ks_probe_kretprobe,
};

static char *without = "";
module_param(without, charp, 0400);
MODULE_PARM_DESC(without, "mechanisms that are not to be used: direct,kprobe,fprobe,kretprobe,tracepoint,ftrace,breakpoint");

static bool is_in(const char *list, const struct ks_backend *backend)
{
	size_t length = strlen(backend->name);
	const char *s = list;

	while ((s = strstr(s, backend->name))) {
		if ((s == list || s[-1] == ',') && (!s[length] || s[length] == ','))
			return true;
		s += length;
	}
	return false;
}

bool ks_probe_allows(const struct kstats *k, const struct ks_backend *backend)
{
	const char *via = k->statement->via;

	return !is_in(without, backend) && (!via || is_in(via, backend));
}

static bool may_serve(const struct ks_backend *backend, const struct ks_probe *p)
{
	return ks_probe_allows(p->measure, backend) && backend->serves(p);
}

const struct ks_backend *ks_probe_backend(const struct ks_probe *p, const struct ks_backend *after)
{
	int i = 0;

	while (after && backends[i++] != after)
		;
	for (; i < ARRAY_SIZE(backends); i++)
		if (may_serve(backends[i], p))
			return backends[i];
	return NULL;
}

void ks_probe_locate(const struct ks_probe *p, struct kprobe *kp)
{
	const struct kstats_point *point = p->points[0];

	if (point->distance && !point->anchor)
		kp->addr = (kprobe_opcode_t *)((unsigned long)&init_task + point->distance);
	else
		kp->symbol_name = p->symbol;
	kp->offset = point->offset + (point->anchor ? point->distance : 0);
}

int ks_probe_address(const struct ks_probe *p, unsigned long *address)
{
	struct kprobe *kp = kzalloc(sizeof(*kp), GFP_KERNEL);
	int err;

	if (!kp)
		return -ENOMEM;
	ks_probe_locate(p, kp);
	kp->flags = KPROBE_FLAG_DISABLED;
	err = register_kprobe(kp);
	if (!err) {
		*address = (unsigned long)kp->addr;
		unregister_kprobe(kp);
	}
	kfree(kp);
	return err;
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
	case -EBUSY:
		return "somebody else is attached there in a way that bears no second";
	case -ENOMEM:
		return "out of memory";
	default:
		return "the kernel refused";
	}
}

static void say(const struct ks_probe *p, int err)
{
	const char *own = p->backend->reason ? p->backend->reason(err) : NULL;

	pr_warn("%s: cannot attach to %s by %s: %s (error %d)\n", p->measure->name, p->points[0]->text, p->backend->name,
		own ?: reason(err), err);
}

/*
 * With the first one that is no call site of ftrace's the kernel's optimizer sets in, which again and again waits for a grace period
 * with the lock held that registering and enabling need: such ones come last.
 */
int ks_probe_enable(struct ks_probe *const *probes, unsigned int n, struct kprobe *(*kprobe_of)(struct ks_probe *p))
{
	unsigned int i, last;

	for (last = 0; last < 2; last++) {
		for (i = 0; i < n; i++) {
			struct kprobe *kp = kprobe_of(probes[i]);
			int err = !kprobe_ftrace(kp) == last ? enable_kprobe(kp) : 0;

			if (err) {
				say(probes[i], err);
				return err;
			}
			cond_resched();
		}
	}
	return 0;
}

int ks_probe_arm(struct ks_probe *p)
{
	const struct ks_backend *next = ks_probe_backend(p, NULL);
	int err = -EOPNOTSUPP;

	/* None serves it where `via` asks for one that will not take so many functions. */
	while (next && err && err != -ENOENT) {
		p->backend = next;
		err = next->arm(p);
		next = ks_probe_backend(p, next);
	}
	if (err)
		say(p, err);
	p->armed = !err;
	return err;
}

/* Those of one backend, into @armed. */
static unsigned int armed_by(const struct ks_backend *backend, struct ks_probe *probes, unsigned int n, struct ks_probe **armed)
{
	unsigned int i, count = 0;

	for (i = 0; i < n; i++)
		if (probes[i].armed && probes[i].backend == backend)
			armed[count++] = &probes[i];
	return count;
}

int ks_probe_attach(struct ks_probe *probes, unsigned int n, void **scratch)
{
	struct ks_probe **armed = (struct ks_probe **)scratch;
	unsigned int i, count;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(backends) && !err; i++) {
		count = backends[i]->attach ? armed_by(backends[i], probes, n, armed) : 0;
		err = count ? backends[i]->attach(armed, count) : 0;
	}
	return err;
}

static void disarm_by(const struct ks_backend *backend, struct ks_probe *probes, unsigned int n, void **scratch)
{
	struct ks_probe **armed = (struct ks_probe **)scratch;
	unsigned int i, count = armed_by(backend, probes, n, armed);

	if (!count)
		return;
	backend->disarm(armed, count, scratch + n);
	for (i = 0; i < count; i++) {
		if (backend->missed)
			armed[i]->missed_before += backend->missed(armed[i]);
		armed[i]->armed = false;
	}
}

void ks_probe_disarm(struct ks_probe *probes, unsigned int n, void **scratch)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(backends); i++)
		disarm_by(backends[i], probes, n, scratch);
}

unsigned long ks_probe_missed(const struct ks_probe *p)
{
	return p->missed_before + (p->armed && p->backend->missed ? p->backend->missed(p) : 0);
}

u64 ks_probe_hits(const struct ks_probe *p)
{
	return p->armed && p->backend->hits ? p->backend->hits(p) : 0;
}

void ks_probe_follow(const struct ks_probe *p)
{
	if (p->armed && p->backend->follow)
		p->backend->follow(p);
}

size_t ks_probe_memory(const struct ks_probe *p)
{
	return sizeof(*p) + (p->armed && p->backend->memory ? p->backend->memory(p) : 0);
}

int ks_probe_init(void)
{
	int err = ks_direct_init();

	if (err)
		return err;
	err = ks_ftrace_init();
	if (err)
		goto fail_direct;
	err = ks_tracepoint_init();
	if (err)
		goto fail_ftrace;
	err = ks_watch_init();
	if (err)
		goto fail_tracepoint;
	return 0;

fail_tracepoint:
	ks_tracepoint_exit();
fail_ftrace:
	ks_ftrace_exit();
fail_direct:
	ks_direct_end();
	return err;
}

void ks_probe_exit(void)
{
	ks_watch_exit();
	ks_tracepoint_exit();
	ks_ftrace_exit();
	ks_direct_end();
}
