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

static struct ks_probe *probe_of(struct kretprobe_instance *ri)
{
	return container_of(get_kretprobe(ri), struct ks_probe, rp);
}

static int enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return !ks_event_enter(probe_of(ri), (struct ks_frame *)ri->data);
}
NOKPROBE_SYMBOL(enter);

static int leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ks_event_leave(probe_of(ri), (struct ks_frame *)ri->data);
	return 0;
}
NOKPROBE_SYMBOL(leave);

static int pass(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ks_event_points(probe_of(ri));
	return 0;
}
NOKPROBE_SYMBOL(pass);

static int arm(struct ks_probe *p)
{
	int err;

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
	err = register_kretprobe(&p->rp);
	return err;
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
