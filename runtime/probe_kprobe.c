// SPDX-License-Identifier: GPL-2.0
/*
 * probe_kprobe.c: points at an instruction: a function's entry (where kprobes themselves use the ftrace call site), or
 * symbol + offset.
 */
#include <linux/kprobes.h>
#include "event.h"
#include "probe.h"

static bool serves(const struct ks_probe *p)
{
	const struct kstats_point *point = p->points[0];

	return point->role != KSTATS_CALL && (point->where == KSTATS_FUNCTION || point->where == KSTATS_OFFSET);
}

static int handler(struct kprobe *kp, struct pt_regs *regs)
{
	/*
	 * By ftrace or a jump we come as we are, by a breakpoint as in an NMI. (A jump taken in a real NMI looks like a
	 * breakpoint: such an event gets the key of the context that the NMI interrupted.)
	 */
	ks_event_points(container_of(kp, struct ks_probe, kp), regs, NULL, NULL, !kprobe_ftrace(kp) && in_nmi());
	return 0;
}
NOKPROBE_SYMBOL(handler);

static struct kprobe *kprobe_of(struct ks_probe *p)
{
	return &p->kp;
}

static int arm(struct ks_probe *p)
{
	/* A kprobe keeps the address that it found, and refuses to be given name and address. */
	memset(&p->kp, 0, sizeof(p->kp));
	ks_probe_locate(p, &p->kp);
	p->kp.pre_handler = handler;
	p->kp.flags = KPROBE_FLAG_DISABLED;
	return register_kprobe(&p->kp);
}

static int attach(struct ks_probe *const *probes, unsigned int n)
{
	return ks_probe_enable(probes, n, kprobe_of);
}

static void disarm(struct ks_probe *const *probes, unsigned int n, void **scratch)
{
	struct kprobe **kps = (struct kprobe **)scratch;
	unsigned int i;

	for (i = 0; i < n; i++)
		kps[i] = &probes[i]->kp;
	unregister_kprobes(kps, n);
}

static unsigned long missed(const struct ks_probe *p)
{
	return READ_ONCE(p->kp.nmissed);
}

static unsigned long place(const struct ks_probe *p)
{
	return (unsigned long)p->kp.addr;
}

const struct ks_backend ks_probe_kprobe = {
	.name = "kprobe",
	.serves = serves,
	.arm = arm,
	.attach = attach,
	.disarm = disarm,
	.missed = missed,
	.place = place,
};
