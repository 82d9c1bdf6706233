// SPDX-License-Identifier: GPL-2.0
/*
 * probe_kretprobe.c: calls of a function, entry to return, and returns alone.
 *
 * Each call that is followed takes one of INSTANCES preallocated instances until it returns; where none is free the kernel
 * counts a miss. A call under way when the probe is disarmed returns through the kernel's own trampoline, without us.
 */
#include <linux/kprobes.h>
#include "compat.h"
#include "event.h"
#include "probe.h"

#define INSTANCES	2048

static bool serves(const struct kstats_point *point)
{
	return point->role == KSTATS_CALL || point->where == KSTATS_RETURN;
}

/* NULL: the probe is just being taken off (before 5.18 the instance knows first), and STOP has counted the call. */
static struct ks_probe *probe_of(struct kretprobe_instance *ri)
{
	struct kretprobe *rp = get_kretprobe(ri);

	return rp ? container_of(rp, struct ks_probe, rp) : NULL;
}

static int enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ks_probe *p = probe_of(ri);

	return !p || !ks_event_enter(p, (struct ks_frame *)ri->data);
}
NOKPROBE_SYMBOL(enter);

static int leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ks_probe *p = probe_of(ri);

	if (p)
		ks_event_leave(p, (struct ks_frame *)ri->data);
	return 0;
}
NOKPROBE_SYMBOL(leave);

static int pass(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ks_probe *p = probe_of(ri);

	if (p)
		ks_event_points(p, false);
	return 0;
}
NOKPROBE_SYMBOL(pass);

static int arm(struct ks_probe *p)
{
	memset(&p->rp, 0, sizeof(p->rp));
	p->rp.kp.symbol_name = p->symbol;
	p->rp.maxactive = INSTANCES;
	if (p->points[0]->role == KSTATS_CALL) {
		p->rp.entry_handler = enter;
		p->rp.handler = leave;
		p->rp.data_size = struct_size((struct ks_frame *)NULL, data, ks_event_words(p->measure));
	} else {
		p->rp.handler = pass;
	}
	return register_kretprobe(&p->rp);
}

static void disarm(struct ks_probe *p)
{
	unregister_kretprobe(&p->rp);
}

static unsigned long missed(const struct ks_probe *p)
{
	return READ_ONCE(p->rp.nmissed) + READ_ONCE(p->rp.kp.nmissed);
}

static unsigned int open(const struct ks_probe *p)
{
	return p->points[0]->role == KSTATS_CALL ? ks_kretprobe_open(&p->rp) : 0;
}

const struct ks_backend ks_probe_kretprobe = {
	.name = "kretprobe",
	.serves = serves,
	.arm = arm,
	.disarm = disarm,
	.missed = missed,
	.open = open,
};
