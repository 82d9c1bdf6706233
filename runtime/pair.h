/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pair.h: the starts that wait for their ends.
 *
 * Sets of four cells {key, start}, a cache line a set, changed by a 16-byte compare-and-exchange alone: lock-free in any
 * context. A start is a raw read of a clock (0 and 1 are reserved), a key one or more words of any value. What a start carries lies beside
 * its cell.
 */
#ifndef KS_PAIR_H
#define KS_PAIR_H

#include <linux/compiler.h>
#include <linux/types.h>

struct ks_clock;

#define KS_PAIR_WAYS	4
#define KS_CELL_FREE	0
#define KS_CELL_BUSY	1

struct ks_cell {
	u64 key;
	u64 start;
} __aligned(16);

struct ks_pairs {
	u64 mult;		/* at hand: as an operand of 64 bits it would take an instruction of its own */
	struct ks_cell *cells;	/* aligned to a set's 64 bytes: kvmalloc aligns sizes of a power of two to themselves */
	u32 shift;		/* 64 less the log2 of the number of sets */
	u32 beside;		/* words of the key that lie beside the cell: all of several, or none */
	u32 words;		/* with these */
	u64 *data;
};

enum ks_pair_start {
	KS_PAIR_NEW,
	KS_PAIR_REPLACED,	/* a waiting start of this key was overwritten (or, with @first, this one not entered), or
				 * one is being entered this very moment */
	KS_PAIR_FULL,		/* the key's set has no free cell */
	KS_PAIR_BUSY,		/* ks_pair_exchange() alone */
};

/*
 * Four times @entries cells for keys of @key_words (1 .. KSTATS_KEY_WORDS); @words (0 .. KSTATS_DATA_WORDS) carried by each.
 * May sleep; NULL without memory.
 */
struct ks_pairs *ks_pair_new(u32 entries, u32 key_words, u32 words);
void ks_pair_free(struct ks_pairs *p);
size_t ks_pair_memory(const struct ks_pairs *p);

/* Does this CPU have the instruction that all of this rests on? */
bool ks_pair_supported(void);

/* Any context, preemption off. @first: a start that waits stays. */
enum ks_pair_start ks_pair_start(struct ks_pairs *p, const u64 *key, u64 start, const u64 *data, bool first);

/* Take the start of @key out: its time and data. False: none waits. Any context, preemption off. */
bool ks_pair_end(struct ks_pairs *p, const u64 *key, u64 *start, u64 *data);

/*
 * Both at once, for starts without data: @key's start becomes now, by @clock, and what it was is told. KS_PAIR_REPLACED: it was
 * *@start, and is *@now from this moment. KS_PAIR_NEW: there was none. KS_PAIR_FULL: there is no room for it.
 * KS_PAIR_BUSY: one is being entered by whom we interrupted, and this one was not. Any context, preemption off.
 */
enum ks_pair_start ks_pair_exchange(struct ks_pairs *p, const u64 *key, const struct ks_clock *clock, u64 *start,
				    u64 *now);

static __always_inline struct ks_cell *ks_pair_set(const struct ks_pairs *p, u64 key)
{
	return p->cells + KS_PAIR_WAYS * (key * p->mult >> p->shift);
}

#ifdef CONFIG_X86_64
static __always_inline bool ks_cell_exchange(struct ks_cell *c, struct ks_cell *old, struct ks_cell new)
{
	bool done;

	asm volatile("lock; cmpxchg16b %[c]"
		     : "=@ccz" (done), [c] "+m" (*c), "+a" (old->key), "+d" (old->start)
		     : "b" (new.key), "c" (new.start)
		     : "memory");
	return done;
}
#endif

static __always_inline bool ks_pair_beyond(const struct ks_cell *set, u64 key)
{
	return data_race(set[1].key == key || set[2].key == key || set[3].key == key);
}

/*
 * The common case, inline: a key of one word without data, a free first cell of its set; @start is above KS_CELL_BUSY. False:
 * nothing was done, which ks_pair_start() is for.
 *
 * Where not this CPU alone enters this key, somebody may just enter it into another cell, having met the first one in use:
 * each of the two looks for the other after it has entered its own. Who finds one by ks_pair_beyond() calls ks_pair_drop().
 */
static __always_inline bool ks_pair_start_plain(struct ks_cell *set, u64 key, u64 start)
{
	struct ks_cell none = {};

	return data_race(set->key != key) && !ks_pair_beyond(set, key) &&
	       ks_cell_exchange(set, &none, (struct ks_cell){ key, start });
}

/* @key was entered into the first cell of its set: drop what others entered. False: there was none. */
bool ks_pair_drop(struct ks_pairs *p, struct ks_cell *set, u64 key, u64 start);

/* Likewise; false: ks_pair_end() is to look. Of key 0 a free cell may be taken for one that waits: *@start is then 0. */
static __always_inline bool ks_pair_end_plain(struct ks_cell *set, u64 key, u64 *start)
{
	struct ks_cell seen = { key, READ_ONCE(set->start) };

	if (data_race(set->key != key) || !ks_cell_exchange(set, &seen, (struct ks_cell){}))
		return false;
	*start = seen.start;
	return true;
}

/* Remove all starts. Nobody else may use the table meanwhile. Returns how many there were. */
u32 ks_pair_clear(struct ks_pairs *p);

#endif /* KS_PAIR_H */
