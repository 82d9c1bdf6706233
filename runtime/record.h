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
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/percpu.h>
#ifdef CONFIG_X86_64
#include <asm/alternative.h>
#include <asm/cpufeatures.h>
#ifdef CONFIG_SMP
#define KS_THIS_CPU	"%%gs:"
#else
#define KS_THIS_CPU	""
#endif
#endif
#include "kstats.h"

/* What one CPU counts. Plain additions by this CPU alone, each one instruction: an interrupt or NMI cannot lose one. */
struct ks_cpu {
	s64 base;			/* slots, as kstats_slot_base() wants them */
	struct kstats_slot own;		/* the slot, where there is but one: a thunk counts there by one instruction */
	u64 term[KSTATS_NTERMS];	/* those counted as they happen; the others are derived (export.c) */
	struct kstats_slot *slots;	/* parts * nslots, on this CPU's node; or `own` */
};

struct ks_table {
	struct kstats_slot_scale scale;
	struct ks_cpu __percpu *cpu;
	bool plain;		/* takes every value, and has no keys */
	bool laid_out;		/* every key there can be has its part from the beginning: key i has part i */
	u32 bits;
	u32 first;		/* the slots kept: this one and what follows */
	u32 nslots;
	bool squares;		/* behind the slots of each part, as long as one: the sum of the squares of what was recorded there */
	u64 low, span;		/* values kept: low .. low + span */
	u32 parts;		/* capacity: 1, or `entries` of a `by` */
	u32 key_words;		/* 0 without `by` */
	u32 cell_order;		/* log2 of the number of cells of the map */
	u32 cell_shift;		/* 64 less that */
	u64 cell_bytes;
	u64 part_bytes;		/* of a part: its slots, and squares */
	u64 mult;		/* of the map's hash */
	atomic_t parts_used;
	u64 *cells;		/* the map, see record.c */
	u32 *cell_of;		/* by part: its cell's number + 1; 0 while it is being entered */
	u64 carried;		/* in flight when this table took over from another: they count as hits */
	u64 stopped;		/* cut by STOP */
	u64 missed;		/* by the probes, before the last STOP */
	u64 hits;		/* counted by the probes themselves, before it; all four are written under read_lock (measure.h) */
	size_t memory;		/* bytes, all CPUs */
};

/* What a table is to hold. */
struct ks_shape {
	u32 bits;
	u32 parts;		/* 1 without key words */
	u32 key_words;
	bool squares;		/* with key words */
	u32 known;		/* keys of one word, 0 .. known - 1, and no others come: 0, that is not known */
	u64 low, high;		/* values */
};

/* May sleep; NULL without memory. */
struct ks_table *ks_record_new(const struct ks_shape *shape);
void ks_record_free(struct ks_table *t);

/*
 * Enter all keys of @from, too; @place[part] becomes where the key of each of its parts is now, KS_MAP_FULL where there is no room.
 * Others may be at work in both. Process context.
 */
void ks_record_take_keys(struct ks_table *t, const struct ks_table *from, u64 *place);

/* The key of part @part, key_words words; NULL while it is being entered. */
const u64 *ks_record_key(const struct ks_table *t, u32 part);

/* The slots of a part, on @cpu. */
static inline struct kstats_slot *ks_record_slots(const struct ks_table *t, int cpu, u32 part)
{
	return (void *)per_cpu_ptr(t->cpu, cpu)->slots + part * t->part_bytes;
}

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
	this_cpu_inc(t->cpu->term[term]);
}

/*
 * Into the histogram at @place, 0 in a table without keys: kstats_slot_rest() of slot.h by hand, for gcc takes more, and aligns the stack for a product of 128 bits.
 * The zeros are found by lzcnt where the CPU has it, which is faster than bsr on many; its two prefixes mean nothing, and
 * make it as long as what it replaces, so that no nop is executed. Each addition is one instruction on this CPU.
 */
static __always_inline void ks_record_at(struct ks_table *t, u64 value, u64 place)
{
#ifdef CONFIG_X86_64
#define KS_RECORD(more) \
	asm volatile("movq %[value], %%rax\n\t" \
		     "orq %[one], %%rax\n\t" \
		     ALTERNATIVE("bsrq %%rax, %%rcx\n\txorl $63, %%ecx", ".byte 0x3e, 0x3e\n\tlzcntq %%rax, %%rcx", X86_FEATURE_ABM) \
		     "\n\tmovq %[value], %%rax\n\t" \
		     "shlq %%cl, %%rax\n\t" \
		     "mulq %[twice]\n\t" \
		     "imulq %[step], %%rcx\n\t" \
		     "shlq $4, %%rdx\n\t" \
		     "addq " KS_THIS_CPU "(%[cpu]), %%rcx\n\t" \
		     more \
		     "addq $1, (%%rcx,%%rdx)\n\t" \
		     "addq %[value], 8(%%rcx,%%rdx)" \
		     : : [value] "r" (value), [one] "m" (t->scale.one), [twice] "m" (t->scale.twice), \
		       [step] "m" (t->scale.step), [cpu] "r" (&t->cpu->base), [place] "r" (place) \
		     : "rax", "rcx", "rdx", "cc", "memory")
	BUILD_BUG_ON(sizeof(struct kstats_slot) != 16 || offsetof(struct kstats_slot, sum) != 8);
	if (__builtin_constant_p(place))	/* 0 */
		KS_RECORD("");
	else
		KS_RECORD("addq %[place], %%rcx\n\t");
#undef KS_RECORD
#else
	s64 base, rest = kstats_slot_rest(&t->scale, value, __builtin_clzll(value | t->scale.one), &base);
	struct kstats_slot *slot = (struct kstats_slot *)(this_cpu_read(t->cpu->base) + base + rest + place);

	ks_add(&slot->n, 1);
	ks_add(&slot->sum, value);
#endif
}

static __always_inline void ks_record_plain(struct ks_table *t, u64 value)
{
	ks_record_at(t, value, 0);
}

/* 128 bits to what lies at @to, low word first, by this CPU: see below. */
static __always_inline void ks_add_wide(u64 *to, u64 low, u64 high)
{
#ifdef CONFIG_X86_64
	asm volatile("addq %[low], %[to0]\n\t"
		     "adcq %[high], %[to1]"
		     : [to0] "+m" (to[0]), [to1] "+m" (to[1]) : [low] "r" (low), [high] "r" (high) : "cc");
#else
	/* Where an addition gives no carry to the next one: what was there before tells. */
	u64 old = atomic64_fetch_add(low, (atomic64_t *)&to[0]);

	atomic64_add(high + (old + low < old), (atomic64_t *)&to[1]);
#endif
}

/*
 * The square of @value, 128 bits, to the sum of @place, of a table with squares. What interrupts between the two additions keeps our
 * carry in the flags that it saves; its own carry it adds itself. So none is lost, and modulo 2^128 the sum is right in any order.
 * (A reader on another CPU that looks just there sees 2^64 too little.)
 */
static __always_inline void ks_record_square(struct ks_table *t, u64 value, u64 place)
{
	u64 *to = (void *)this_cpu_read(t->cpu->slots) + place - sizeof(struct kstats_slot);
#ifdef CONFIG_X86_64
	u64 low = value, high;

	asm("mulq %[value]" : "+a" (low), "=d" (high) : [value] "r" (value) : "cc");
#else
	u64 a = value >> 32, b = (u32)value, middle = a * b, low = b * b + (middle << 33);
	u64 high = a * a + (middle >> 31) + (low < b * b);
#endif
	ks_add_wide(to, low, high);
}

/* ---- keys ---- */

/*
 * What a cell says is the place of its key's histogram, beyond these states: (part + 1) * part_bytes, which the base of a table
 * with keys is less by, and which is 16 at least.
 */
enum { KS_MAP_EMPTY, KS_MAP_CLAIMED, KS_MAP_FULL /* there was none left */ };

struct ks_map_cell {
	u64 place;
	u64 key[];
};

static __always_inline u64 ks_record_place(const struct ks_table *t, u32 part)
{
	return (part + 1) * t->part_bytes;
}

static __always_inline struct ks_map_cell *ks_map_cell(const struct ks_table *t, u64 i)
{
	return (void *)t->cells + i * t->cell_bytes;
}

/* Both loops are unrolled where @words is a constant. */
static __always_inline bool ks_map_same(const u64 *a, const u64 *b, u32 words)
{
	u32 i;

#pragma GCC unroll 4
	for (i = 0; i < words; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/*
 * The cell where the search for a key begins. Words are laid over each other, turned so far that small numbers, of which keys of several
 * words mostly consist, do not meet; the product then moves all bits upwards, and the uppermost count.
 */
static __always_inline u64 ks_map_first(const struct ks_table *t, const u64 *key, u32 words)
{
	u64 mix = key[0];
	u32 i;

	for (i = 1; i < words; i++)
		mix = rol64(mix, 21) ^ key[i];
	return mix * t->mult >> t->cell_shift;
}

/* Wherever the key is, or is to be: in a table with keys and without a range. */
void ks_record_found(struct ks_table *t, const u64 *key, u64 value);

/* The same. Mostly a key is in its first cell. */
static __always_inline void ks_record_keyed(struct ks_table *t, const u64 *key, u32 words, u64 value)
{
	const struct ks_map_cell *c = ks_map_cell(t, ks_map_first(t, key, words));
	u64 place = smp_load_acquire(&c->place);

	if (likely(place > KS_MAP_FULL && ks_map_same(c->key, key, words)))
		ks_record_at(t, value, place);
	else
		ks_record_found(t, key, value);
}

/* Count a hit, of @key, one word, in a table of counts. False: it is not in its first cell, and for ks_record_found(). */
static __always_inline bool ks_record_hit(struct ks_table *t, u64 key)
{
	const struct ks_map_cell *c = (void *)t->cells + (key * t->mult >> t->cell_shift) * (sizeof(*c) + sizeof(u64));
	struct ks_cpu __percpu *cpu = t->cpu;
	struct kstats_slot *slot;
	u64 place;

	this_cpu_inc(cpu->term[KSTATS_HITS]);
	place = smp_load_acquire(&c->place);
	if (unlikely(place <= KS_MAP_FULL || c->key[0] != key))
		return false;
	slot = (void *)this_cpu_read(cpu->slots) + place - sizeof(*slot);	/* a part is one slot */
	ks_add(&slot->n, 1);
	return true;
}

/* ks_record_value() where the table has keys or a range. */
void ks_record_search(struct ks_table *t, const u64 *key, u64 value);

/*
 * Add @value, or count it as outside of what the table holds, or as full where @key (key_words words; unused without `by`) is
 * new and there is no room.
 */
static __always_inline void ks_record_value(struct ks_table *t, const u64 *key, u64 value)
{
	if (likely(t->plain))
		ks_record_plain(t, value);
	else
		ks_record_search(t, key, value);
}

#endif /* KS_RECORD_H */
