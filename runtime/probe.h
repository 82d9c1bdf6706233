/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probe.h: the backend table. A backend is a way to be called when the kernel passes a place; each has a file of its own
 * (probe_*.c) and a line in probe.c.
 */
#ifndef KS_PROBE_H
#define KS_PROBE_H

#include <linux/kprobes.h>
#include <linux/list.h>
#include "compat.h"
#include "kstats.h"

struct perf_event;
struct tracepoint;
struct ks_ftrace;
struct kstats;
struct ks_backend;
struct ks_frame;
struct ks_site;
struct ks_watch;

/*
 * One attachment of a measurement: a place, and the points of the statement that lie there, ends before starts (an event
 * that is both is served as end first).
 */
struct ks_probe {
	struct kstats *measure;
	const struct ks_backend *backend;
	const struct kstats_point **points;	/* into measure->points */
	unsigned int npoints;
	char *symbol;			/* for kprobes: "function", "module:function", "module:anchor" */
	bool armed;
	unsigned long missed_before;	/* by earlier armings */
	union {
		struct kprobe kp;
		struct kretprobe rp;
#if KS_FPROBE
		struct {
			struct fprobe fp;
			unsigned long fp_place;
		};
#endif
		struct {			/* direct.c */
			struct ks_site *site;	/* while attached */
			unsigned int kept_words;
			u64 hits_before;	/* by thunks that are free again */
			unsigned long place;	/* of one that shares its thunk */
		};
		struct {			/* probe_ftrace.c */
			struct ks_ftrace *ftrace;	/* while armed */
			unsigned int functions;		/* that it has room for */
		};
		struct {
			struct tracepoint *tp;	/* NULL: of a module that is not there */
			struct list_head link;	/* in one of probe_tracepoint.c's lists, while armed */
		};
		struct {			/* probe_watch.c */
			struct ks_watch *watch;		/* while armed */
			struct list_head watch_link;	/* in its probes */
			bool watch_plain;
		};
	};
	/* A tracepoint's loop over its callbacks: a function of the kernel, which is none of its callers. */
	unsigned long loop, loop_bytes;
};

struct ks_backend {
	const char *name;	/* as reports call the mechanism */
	bool (*serves)(const struct ks_probe *p);
	/*
	 * Attach; the handlers may run before this returns. Return 0 or a negative errno, nothing attached then.
	 * May sleep.
	 */
	int (*arm)(struct ks_probe *p);
	/*
	 * Where arm() only prepares, since the kernel attaches many sooner when all are prepared before the first is attached:
	 * attach these. 0 or a negative errno, which is in the log; then some may be attached, and disarm() is to follow. May be
	 * NULL. May sleep.
	 */
	int (*attach)(struct ks_probe *const *probes, unsigned int n);
	/*
	 * Detach several, which costs little more than one: @scratch has room for a pointer each. Handlers may still run
	 * until the next ks_direct_quiesce(). May sleep.
	 */
	void (*disarm)(struct ks_probe *const *probes, unsigned int n, void **scratch);
	/* Hits since arm() for which the kernel could not call us. May be NULL. Any context. */
	unsigned long (*missed)(const struct ks_probe *p);
	/*
	 * Hits since arm() that the backend counted by itself, of a probe whose hits the tables do not have. May be NULL.
	 * Process context.
	 */
	u64 (*hits)(const struct ks_probe *p);
	/* The measurement's `live` has changed. May be NULL. Process context. */
	void (*follow)(const struct ks_probe *p);
	/*
	 * The followed call that the current task has open around @inner (NULL: here), of whatever measurement. NULL: none.
	 * @like is an armed probe. The op is NULL in backends without calls. Any context, preemption off.
	 */
	struct ks_frame *(*frame)(const struct ks_probe *like, struct ks_frame *inner);
	/* Bytes that an armed probe holds beside itself. May be NULL. */
	size_t (*memory)(const struct ks_probe *p);
	/* Why arm() returned this, for people; NULL: probe.c's own words. The op may be NULL. */
	const char *(*reason)(int err);
	/* Where the probe is. NULL: that is no address. Any context. */
	unsigned long (*place)(const struct ks_probe *p);
};

extern const struct ks_backend ks_probe_direct, ks_probe_shared, ks_probe_fprobe, ks_probe_kretprobe, ks_probe_kprobe, ks_probe_tracepoint,
	ks_probe_ftrace, ks_probe_watch;

/* The cheapest backend for a probe, or with @after the one that comes next; NULL: none. */
const struct ks_backend *ks_probe_backend(const struct ks_probe *p, const struct ks_backend *after);

/* Do script and user let a measurement take this one? */
bool ks_probe_allows(const struct kstats *k, const struct ks_backend *backend);

/*
 * Choose the cheapest backend that can, and prepare: what it is, is then known. Says why not, in the log. May sleep.
 * ks_probe_attach() is to follow, once for all of them.
 */
int ks_probe_arm(struct ks_probe *p);

/* Attach those of @probes that are armed; scratch as below. May sleep. On an error, which is in the log, disarm. */
int ks_probe_attach(struct ks_probe *probes, unsigned int n, void **scratch);

/* Detach those of @probes that are armed; @scratch has room for 2 * @n pointers. */
void ks_probe_disarm(struct ks_probe *probes, unsigned int n, void **scratch);
unsigned long ks_probe_missed(const struct ks_probe *p);	/* over all armings */
u64 ks_probe_hits(const struct ks_probe *p);		/* of this one */
void ks_probe_follow(const struct ks_probe *p);

size_t ks_probe_memory(const struct ks_probe *p);

/*
 * For backends: tell @kp where the point is; find its address, which kprobes do, who know names and what ENDBR stands before a
 * function; enable what was registered disabled, or say in the log which one cannot be. But for the first they may sleep.
 */
void ks_probe_locate(const struct ks_probe *p, struct kprobe *kp);
int ks_probe_address(const struct ks_probe *p, unsigned long *address);
int ks_probe_enable(struct ks_probe *const *probes, unsigned int n, struct kprobe *(*kprobe_of)(struct ks_probe *p));

int ks_probe_init(void);
void ks_probe_exit(void);

/* probe_tracepoint.c: follows modules that come and go. */
int ks_tracepoint_init(void);
void ks_tracepoint_exit(void);
/* For the runtime's own needs: one of the kernel's tracepoints by name, exported or not; NULL: there is none. */
struct tracepoint *ks_tracepoint_find(const char *name);

/* probe_ftrace.c: follows modules that go. */
int ks_ftrace_init(void);
void ks_ftrace_exit(void);
/* The line "functions ..." (kstats.h): its length, 0 where there is none. Of one that counts, under read_lock, which keeps it armed. */
size_t ks_ftrace_text(const struct kstats *k, char *buf, size_t size);
/* probe_watch.c: follows CPUs and modules that come and go. */
int ks_watch_init(void);
void ks_watch_exit(void);
/* The line "blind ..." (kstats.h): its length, 0 where there is none. Under read_lock, which keeps it armed. */
size_t ks_watch_blind(const struct kstats *k, char *buf, size_t size);

#endif /* KS_PROBE_H */
