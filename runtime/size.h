/* SPDX-License-Identifier: GPL-2.0 */
/*
 * size.h: how many bytes the tables of a measurement take: slots (record.c), the map of `by` keys (record.c), the starts that
 * wait (pair.c), the tasks inside of calls (away.c).
 *
 * Pure arithmetic: the kernel allocates by it, and `kmeter check` says beforehand what that will come to.
 */
#ifndef KSTATS_SIZE_H
#define KSTATS_SIZE_H

#include "kstats.h"

/* log2 of the smallest power of two that is not below @n. */
static inline __u32 kstats_size_order(__u32 n)
{
	return n > 1 ? 32 - (__u32)__builtin_clz(n - 1) : 0;
}

/* The slots that hold the values @low to @high. */
static inline __u32 kstats_size_slots(__u64 low, __u64 high, __u32 bits)
{
	return kstats_slot_of(high, bits) + 1 - kstats_slot_of(low, bits);
}

/* What each CPU has beside its slots: the terms it counts, the slots' address, the base of their arithmetic, and one slot. */
#define KSTATS_SIZE_CPU		(8 * (KSTATS_NTERMS + 2) + sizeof(struct kstats_slot))

/* Slots on one CPU, for each of @parts keys (1 without any); a single one is there anyway. Squares take the room of a slot more. */
static inline __u64 kstats_size_histograms(__u32 slots, __u32 parts)
{
	return slots == 1 && parts == 1 ? 0 : (__u64)slots * sizeof(struct kstats_slot) * parts;
}

/* log2 of the cells of the map of @parts keys: four a key, and 32 at least. */
static inline __u32 kstats_size_map_order(__u32 parts)
{
	__u32 order = kstats_size_order(parts) + 2;

	return order < 5 ? 5 : order;
}

/* Its cells, a word and the key's each; and where each part's is. */
static inline __u64 kstats_size_cells(__u32 parts, __u32 key_words)
{
	return 8ULL * (1 + key_words) << kstats_size_map_order(parts);
}

static inline __u64 kstats_size_map(__u32 parts, __u32 key_words)
{
	return kstats_size_cells(parts, key_words) + sizeof(__u32) * (__u64)parts;
}

#define KSTATS_SIZE_WAYS	4	/* cells of a set of waiting starts: a cache line */
#define KSTATS_SIZE_CELL	16

/* log2 of the sets for @entries waiting starts. */
static inline __u32 kstats_size_set_order(__u32 entries)
{
	return kstats_size_order(entries < 2 ? 2 : entries);
}

/* Of a key the words that lie beside its cell: all of several, or none. */
static inline __u32 kstats_size_beside(__u32 key_words)
{
	return key_words > 1 ? key_words : 0;
}

/* The cells, and beside each of them @words. */
static inline __u64 kstats_size_pairs(__u32 entries, __u32 words)
{
	return ((__u64)KSTATS_SIZE_WAYS << kstats_size_set_order(entries)) * (KSTATS_SIZE_CELL + 8ULL * words);
}

#define KSTATS_SIZE_AWAY	32	/* of a task */

/* The cells of tasks, for @calls at a time. */
static inline __u64 kstats_size_away(__u32 calls)
{
	return ((__u64)KSTATS_SIZE_WAYS << kstats_size_set_order(calls)) * KSTATS_SIZE_AWAY;
}

#endif /* KSTATS_SIZE_H */
