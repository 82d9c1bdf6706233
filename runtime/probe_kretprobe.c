// SPDX-License-Identifier: GPL-2.0
/*
 * probe_kretprobe.c: calls of a function, entry to return, and returns alone.
 *
 * Each call that is followed takes one of the preallocated instances until it returns; where none is free the kernel counts
 * a miss. A call under way when the probe is disarmed returns through the kernel's own trampoline, without us.
 */
#include <linux/kprobes.h>
#include "compat.h"
#include "event.h"
#include "probe.h"

/* Instances of a function, where the statement does not say; with many functions they share so many (kstats.h). */
#define INSTANCES	2048
#define INSTANCES_MIN	64
#define INSTANCES_ALL	16384

static bool serves(const struct ks_probe *p)
{
	const struct kstats_point *point = p->points[0];

	return point->role == KSTATS_CALL || point->where == KSTATS_RETURN;
}

/* NULL: the probe is just being taken off (before 5.18 the instance knows first), and STOP has counted the call. */
static struct ks_probe *probe_of(struct kretprobe_instance *ri)
{
	struct kretprobe *rp = get_kretprobe(ri);

	return rp ? container_of(rp, struct ks_probe, rp) : NULL;
}

/* The entry comes by a kprobe: see probe_kprobe.c. */
static bool trapped(struct ks_probe *p)
{
	return !kprobe_ftrace(&p->rp.kp) && in_nmi();
}

static int enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ks_probe *p = probe_of(ri);

	return !p || !ks_event_enter(p, (struct ks_frame *)ri->data, regs, trapped(p));
}
NOKPROBE_SYMBOL(enter);

static int leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (probe_of(ri))
		ks_event_leave((struct ks_frame *)ri->data, regs, 0);
	return 0;
}
NOKPROBE_SYMBOL(leave);

static int keep(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ks_probe *p = probe_of(ri);

	if (p)
		ks_event_keep(p, regs, (u64 *)ri->data, trapped(p));
	return !p;
}
NOKPROBE_SYMBOL(keep);

static int pass(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ks_probe *p = probe_of(ri);

	if (p)
		ks_event_points(p, regs, NULL, p->rp.entry_handler ? (u64 *)ri->data : NULL, false);
	return 0;
}
NOKPROBE_SYMBOL(pass);

static struct ks_frame *frame(const struct ks_probe *like, struct ks_frame *inner)
{
	struct kretprobe_instance *ri = inner ? container_of((char *)inner, struct kretprobe_instance, data[0]) : NULL;

	while ((ri = ks_kretprobe_next(&like->rp, ri))) {
		const struct kretprobe *rp = get_kretprobe(ri);

		if (rp && rp->handler == leave)
			return (struct ks_frame *)ri->data;
	}
	return NULL;
}
NOKPROBE_SYMBOL(frame);

static unsigned int instances(const struct kstats *k)
{
	unsigned int i, functions = 0;

	if (k->statement->calls)
		return k->statement->calls;
	for (i = 0; i < k->nprobes; i++)
		functions += k->probes[i].backend == &ks_probe_kretprobe;
	return clamp(INSTANCES_ALL / functions, INSTANCES_MIN + 0u, INSTANCES + 0u);
}

static struct kprobe *kprobe_of(struct ks_probe *p)
{
	return &p->rp.kp;
}

/*
 * __switch_to is entered by one task and left by another, so its call is not found. The kernel forbids that, but misses it where functions begin
 * with an ENDBR: it compares the function's address with the probe's, which lies behind.
 */
static bool is_forbidden(const struct ks_probe *p)
{
	return p->symbol && !strcmp(p->symbol, "__switch_to");
}

static int arm(struct ks_probe *p)
{
	if (is_forbidden(p))
		return -EINVAL;
	memset(&p->rp, 0, sizeof(p->rp));
	ks_probe_locate(p, &p->rp.kp);
	p->rp.maxactive = instances(p->measure);
	if (p->points[0]->role == KSTATS_CALL) {
		p->rp.entry_handler = enter;
		p->rp.handler = leave;
		p->rp.data_size = struct_size((struct ks_frame *)NULL, data, ks_event_words(p->measure));
	} else {
		p->rp.handler = pass;
		p->rp.data_size = ks_event_kept_words(p) * sizeof(u64);
		if (p->rp.data_size)
			p->rp.entry_handler = keep;
	}
	p->rp.kp.flags = KPROBE_FLAG_DISABLED;
	return register_kretprobe(&p->rp);
}

static int attach(struct ks_probe *const *probes, unsigned int n)
{
	return ks_probe_enable(probes, n, kprobe_of);
}

static void disarm(struct ks_probe *const *probes, unsigned int n, void **scratch)
{
	struct kretprobe **rps = (struct kretprobe **)scratch;
	unsigned int i;

	for (i = 0; i < n; i++)
		rps[i] = &probes[i]->rp;
	unregister_kretprobes(rps, n);
}

static unsigned long missed(const struct ks_probe *p)
{
	return READ_ONCE(p->rp.nmissed) + READ_ONCE(p->rp.kp.nmissed);
}

static size_t memory(const struct ks_probe *p)
{
	return (size_t)p->rp.maxactive * (sizeof(struct kretprobe_instance) + p->rp.data_size);
}

static unsigned long place(const struct ks_probe *p)
{
	return (unsigned long)p->rp.kp.addr;
}

const struct ks_backend ks_probe_kretprobe = {
	.name = "kretprobe",
	.serves = serves,
	.arm = arm,
	.attach = attach,
	.disarm = disarm,
	.missed = missed,
	.frame = frame,
	.memory = memory,
	.place = place,
};
