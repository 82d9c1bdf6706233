/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probe.h: the backend table. A backend is a way to be called when the kernel passes a place; each has a file of its own
 * (probe_*.c) and a line in probe.c.
 */
#ifndef KS_PROBE_H
#define KS_PROBE_H

#include <linux/kprobes.h>
#include <linux/list.h>
#include "kstats.h"

struct tracepoint;
struct kstats;
struct ks_backend;

/*
 * One attachment of a measurement: a place, and the points of the statement that lie there, ends before starts (an event
 * that is both is served as end first).
 */
struct ks_probe {
	struct kstats *measure;
	const struct ks_backend *backend;
	const struct kstats_point **points;	/* into measure->points */
	unsigned int npoints;
	char *symbol;			/* "function" or "module:function", for kprobes */
	bool armed;
	unsigned long missed_before;	/* by earlier armings */
	union {
		struct kprobe kp;
		struct kretprobe rp;
		struct {
			struct tracepoint *tp;
			struct list_head link;	/* in probe_tracepoint.c's list, while armed */
		};
	};
};

struct ks_backend {
	const char *name;	/* as reports call the mechanism */
	bool (*serves)(const struct kstats_point *point);
	/*
	 * Attach; the handlers may run before this returns. Return 0 or a negative errno, nothing attached then.
	 * May sleep.
	 */
	int (*arm)(struct ks_probe *p);
	/* Detach. Handlers may still run until the next ks_quiesce(). May sleep. */
	void (*disarm)(struct ks_probe *p);
	/* Hits since arm() for which the kernel could not call us. May be NULL. Any context. */
	unsigned long (*missed)(const struct ks_probe *p);
	/* How many calls has the current task open, which now ends? May be NULL. Any context, preemption off. */
	unsigned int (*open)(const struct ks_probe *p);
};

extern const struct ks_backend ks_probe_kretprobe, ks_probe_kprobe, ks_probe_tracepoint;

/* The backend for a point; NULL: none. */
const struct ks_backend *ks_probe_backend(const struct kstats_point *point);

int ks_probe_arm(struct ks_probe *p);		/* says why not, in the log */
void ks_probe_disarm(struct ks_probe *p);	/* no-op unless armed */
unsigned long ks_probe_missed(const struct ks_probe *p);	/* over all armings */

int ks_probe_init(void);
void ks_probe_exit(void);

/* probe_tracepoint.c: follows modules that come and go. */
int ks_tracepoint_init(void);
void ks_tracepoint_exit(void);
/* For the runtime's own needs: one of the kernel's tracepoints by name, exported or not; NULL: there is none. */
struct tracepoint *ks_tracepoint_find(const char *name);

#endif /* KS_PROBE_H */
