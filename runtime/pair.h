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

#include <linux/types.h>

struct ks_clock;
struct ks_pairs;

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

/* Remove all starts. Nobody else may use the table meanwhile. Returns how many there were. */
u32 ks_pair_clear(struct ks_pairs *p);

#endif /* KS_PAIR_H */
