/* SPDX-License-Identifier: GPL-2.0 */
/*
 * measure.h: a measurement and its life: new, START, STOP, RESET, delete.
 */
#ifndef KS_MEASURE_H
#define KS_MEASURE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include "clock.h"
#include "guard.h"
#include "kstats.h"
#include "pair.h"
#include "probe.h"
#include "record.h"

#define KS_ENTRIES_MAX	(1u << 20)

struct dentry;

struct kstats {
	char name[KSTATS_NAME_LEN];
	struct kref ref;		/* the list's, and one for each reader at work */
	struct list_head link;		/* in ks_measures; read with preemption off by handlers (exit.c) */
	const struct kstats_script *script;	/* NULL: by hand, or by _control */
	const struct kstats_statement *statement;	/* NULL: by hand; an own copy: by _control */
	bool own_statement;
	u8 bits;
	u32 entries;			/* keys that the table has room for */
	u32 order;			/* the how-manyth since the runtime was loaded */
	u64 made_ns;			/* CLOCK_MONOTONIC then */

	/* For readers, who may outlive the module that the statement is in. */
	char *text;			/* what the binary form says of text_bytes */
	size_t text_bytes;		/* without zeros behind */
	unsigned int nby;
	struct kstats_snapshot_by by[KSTATS_BY_MAX];
	unsigned int by_words;
	enum kstats_kind kind;
	enum kstats_form form;

	unsigned int matches;		/* the points have so many different ones */
	bool by_point;			/* the first key names the point; not that of points with this role (-1: of all) */
	int nameless;
	bool by_function;		/* the first key is the place */
	bool named;			/* either of the two */

	/*
	 * Handlers see `live` alone: the table to count in, NULL while stopped. `table` is what readers see. The two differ
	 * while stopped, and for the moment in which RESET waits for the old table to fall silent.
	 */
	struct ks_table *live;
	struct ks_table *table;
	struct ks_clock clock;
	struct mutex read_lock;		/* table cannot be switched under it; held for a copy at most */

	struct ks_counter *counter;	/* NULL while it is not armed, and without `of` */
	struct ks_pairs *pairs;		/* NULL: nothing waits for anything */
	struct ks_away *away;		/* NULL: nobody asks for the time on or off the CPU */
	const struct kstats_point **points;	/* the statement's, sorted by place, ends first */
	struct ks_probe *probes;
	unsigned int nprobes;
	const struct ks_probe *framed;	/* one whose backend lists a task's calls; NULL: none does */
	void **scratch;			/* for ks_probe_disarm() */

	/* Under read_lock: */
	bool counting;
	u64 armed_since, armed_ns;	/* CLOCK_MONOTONIC; time armed before that */
	u64 missed_base;		/* what the probes had missed then */
	u64 hits_base;			/* of the hits that probes count themselves, those of earlier tables */
	bool silenced;			/* no handler counts any more; STOP is about to settle what was in flight */
	u64 resets;
	u64 before[KSTATS_NTERMS];	/* the terms of the tables before this one, and how long it was armed then */
	u64 armed_before;

	struct ks_guard guard;
	struct list_head doomed;	/* while being deleted */
	struct dentry *text_file, *binary_file, *entries_file;
};

/*
 * All measurements. ks_lock is held by everything that makes, changes or deletes one, as long as that takes; the list is
 * changed under ks_list_lock too, which readers take for a look-up. Order: ks_lock, ks_list_lock; ks_lock, read_lock.
 */
extern struct list_head ks_measures;
extern struct mutex ks_lock;

/*
 * Make a measurement, its memory and its files; it is neither armed nor counting. @statement NULL: by hand. Returns it or an
 * ERR_PTR, after a line in the log. Under ks_lock.
 */
struct kstats *ks_measure_new(const char *name, u8 bits, const struct kstats_statement *statement,
			      const struct kstats_script *script);

/*
 * The same without files and without a place among all: for a statement that is right, nobody hears of it but the caller, and
 * ks_measure_put() frees it. No line in the log.
 */
struct kstats *ks_measure_make(const char *name, u8 bits, const struct kstats_statement *statement,
			       const struct kstats_script *script);

/* Attach all probes; on failure none stays. Nothing is counted before ks_measure_go(). Under ks_lock. */
int ks_measure_arm(struct kstats *k);
void ks_measure_go(struct kstats *k);

/*
 * Stop counting (what is in flight becomes `stopped`) and detach: after it no handler of @k runs. No-op when stopped.
 * Under ks_lock.
 */
void ks_measure_stop(struct kstats *k);
int ks_measure_start(struct kstats *k);		/* of a profile: from zero */
int ks_measure_resume(struct kstats *k);
int ks_measure_reset(struct kstats *k);

/* Room for another number of keys; what has been counted stays, and goes on (grow.c). Under ks_lock. */
int ks_measure_resize(struct kstats *k, u32 entries);

/* For that: a table for so many; and let handlers count in @new, until when nobody is in the old one any more. */
struct ks_table *ks_measure_table(const struct kstats *k, u32 entries);
void ks_measure_switch(struct kstats *k, struct ks_table *new);

/* Stop it and release everything. Under ks_lock. */
void ks_measure_delete(struct kstats *k);

struct kstats *ks_measure_find(const char *name);	/* under ks_lock */

/* The same for readers, with a reference of their own; no lock. */
struct kstats *ks_measure_get(const char *name);
void ks_measure_put(struct kstats *k);

/* Hits for which the kernel could not call us, since the last RESET. Under read_lock. */
u64 ks_measure_missed(const struct kstats *k);

/* Hits that the probes count themselves, since the last RESET. Under read_lock. */
u64 ks_measure_hits(const struct kstats *k);

/* script.c: before anything else. */
void ks_script_init(void);

#endif /* KS_MEASURE_H */
