// SPDX-License-Identifier: GPL-2.0
/*
 * probe_fprobe.c: calls of a function and returns alone, by the kernel's fprobes: what kretprobes do, by a shorter way, where there
 * is a call site of ftrace's. An attachment each, which takes longer than a kretprobe's: not for many functions.
 *
 * As with kretprobes each call that is followed takes one of the preallocated instances until it returns, and one that is under
 * way when the probe is disarmed returns without us.
 */
#include "compat.h"
#include "event.h"
#include "measure.h"
#include "probe.h"

#if KS_FPROBE
#define EACH		8	/* more functions of a statement go to kretprobes, unless `via` insists */
#define INSTANCES	2048	/* where the statement does not say */

static bool serves(const struct ks_probe *p)
{
	const struct kstats_point *point = p->points[0];

	return (point->role == KSTATS_CALL || point->where == KSTATS_RETURN) && !point->anchor &&
	       (p->measure->nprobes <= EACH || p->measure->statement->via);
}

static struct ks_probe *probe_of(struct fprobe *fp)
{
	return container_of(fp, struct ks_probe, fp);
}

static int enter(struct fprobe *fp, unsigned long ip, unsigned long caller, struct pt_regs *regs, void *data)
{
	return !ks_event_enter(probe_of(fp), data, regs, false);
}
NOKPROBE_SYMBOL(enter);

static void leave(struct fprobe *fp, unsigned long ip, unsigned long caller, struct pt_regs *regs, void *data)
{
	ks_event_leave(data, regs, 0);
}
NOKPROBE_SYMBOL(leave);

static int keep(struct fprobe *fp, unsigned long ip, unsigned long caller, struct pt_regs *regs, void *data)
{
	ks_event_keep(probe_of(fp), regs, data, false);
	return 0;
}
NOKPROBE_SYMBOL(keep);

static void pass(struct fprobe *fp, unsigned long ip, unsigned long caller, struct pt_regs *regs, void *data)
{
	ks_event_points(probe_of(fp), regs, NULL, fp->entry_handler ? data : NULL, false);
}
NOKPROBE_SYMBOL(pass);

static struct ks_frame *frame(const struct ks_probe *like, struct ks_frame *inner)
{
	return ks_fprobe_next(&like->fp, inner, leave);
}
NOKPROBE_SYMBOL(frame);

/* What ftrace has no call site at it refuses. */
static int arm(struct ks_probe *p)
{
	unsigned long address;
	int err = ks_probe_address(p, &address);

	if (err)
		return err;
	memset(&p->fp, 0, sizeof(p->fp));
	p->fp.ops.flags = FTRACE_OPS_FL_PERMANENT;	/* else ftrace_enabled=0 would end the counting without a word */
	p->fp.nr_maxactive = p->measure->statement->calls ?: INSTANCES;
	if (p->points[0]->role == KSTATS_CALL) {
		p->fp.entry_handler = enter;
		p->fp.exit_handler = leave;
		p->fp.entry_data_size = struct_size((struct ks_frame *)NULL, data, ks_event_words(p->measure));
	} else {
		p->fp.exit_handler = pass;
		p->fp.entry_data_size = ks_event_kept_words(p) * sizeof(u64);
		if (p->fp.entry_data_size)
			p->fp.entry_handler = keep;
	}
	p->fp_place = address;
	return register_fprobe_ips(&p->fp, &address, 1);
}

static void disarm(struct ks_probe *const *probes, unsigned int n, void **scratch)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		unregister_fprobe(&probes[i]->fp);
	synchronize_rcu();	/* a return that is just being told of, with preemption off */
}

static unsigned long missed(const struct ks_probe *p)
{
	return READ_ONCE(p->fp.nmissed);
}

static size_t memory(const struct ks_probe *p)
{
	return (size_t)p->fp.nr_maxactive * (KS_FPROBE_NODE + p->fp.entry_data_size);
}

static unsigned long place(const struct ks_probe *p)
{
	return p->fp_place;
}
#else
static bool serves(const struct ks_probe *p)
{
	return false;
}
#endif

const struct ks_backend ks_probe_fprobe = {
	.name = "fprobe",
	.serves = serves,
#if KS_FPROBE
	.arm = arm,
	.disarm = disarm,
	.missed = missed,
	.frame = frame,
	.memory = memory,
	.place = place,
#endif
};
