/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record.h: a measurement's table: per CPU its slots and counters, and the map from `by` keys to parts of the slots.
 *
 * A table only ever grows. RESET does not zero it but puts another in its place (measure.c), so that no counter is
 * written by two CPUs, ever.
 */
#ifndef KS_RECORD_H
#define KS_RECORD_H

#include <linux/atomic.h>
#include <linux/percpu.h>
#include "kstats.h"

/* What one CPU counts. Plain additions by this CPU alone, each one instruction: an interrupt or NMI cannot lose one. */
struct ks_cpu {
	u64 term[KSTATS_NTERMS];	/* those counted as they happen; the others are derived (export.c) */
	struct kstats_slot *slots;	/* parts * nslots, on this CPU's node */
};

struct ks_table {
	u32 bits;
	u32 first;		/* the slots kept: this one and what follows */
	u32 nslots;
	u64 low, span;		/* values kept: low .. low + span */
	u32 parts;		/* capacity: 1, or `entries` of a `by` */
	u32 key_words;		/* 0 without `by` */
	u32 cell_order;		/* log2 of the number of cells of the map */
	u32 cell_words;
	atomic_t parts_used;
	u64 *cells;		/* the map, see record.c */
	u32 *cell_of;		/* by part: its cell's number + 1; 0 while it is being entered */
	u64 carried;		/* in flight when this table took over from another: they count as hits */
	u64 stopped;		/* cut by STOP */
	u64 missed;		/* by the probes, before the last STOP */
	u64 hits;		/* counted by the probes themselves, before it; all four are written under read_lock (measure.h) */
	size_t memory;		/* bytes, all CPUs */
	struct ks_cpu __percpu *cpu;
};

/* What a table is to hold. */
struct ks_shape {
	u32 bits;
	u32 parts;		/* 1 without key words */
	u32 key_words;
	u64 low, high;		/* values */
};

/* May sleep; NULL without memory. */
struct ks_table *ks_record_new(const struct ks_shape *shape);
void ks_record_free(struct ks_table *t);

/* The key of part @part, key_words words; NULL while it is being entered. */
const u64 *ks_record_key(const struct ks_table *t, u32 part);

/* Everything below: any context, preemption off. */

static __always_inline void ks_add(u64 *counter, u64 v)
{
#ifdef CONFIG_X86_64
	asm volatile("addq %1, %0" : "+m" (*counter) : "er" (v));
#else
	atomic64_add(v, (atomic64_t *)counter);
#endif
}

static __always_inline void ks_count(struct ks_table *t, enum kstats_term term)
{
	ks_add(&this_cpu_ptr(t->cpu)->term[term], 1);
}

/*
 * Add @value, or count it as outside of what the table holds, or as full where @key (key_words words; unused without `by`) is
 * new and there is no room.
 */
void ks_record_value(struct ks_table *t, const u64 *key, u64 value);

#endif /* KS_RECORD_H */
