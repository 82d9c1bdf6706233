// SPDX-License-Identifier: GPL-2.0
/*
 * pair.c: start/end matching without locks.
 *
 * A cell is free when its start is 0. A start without data is entered by one exchange {0, 0} -> {key, time}. One with data
 * is entered as {key, KS_CELL_BUSY} first, which nobody takes out, then its data are written, then its time. An end copies the
 * data and then exchanges {key, time} -> {0, 0}: if that succeeds the copy was of this very start. Data are lost to no
 * race; at worst a start that meets a KS_CELL_BUSY cell of its own key (entered by another CPU in the same moment, or by whom we
 * interrupted) is the one that counts as replaced.
 *
 * A key of one word is the cell's. Of a longer one the cell has 64 bits mixed from it, and the words lie in front of the
 * data: two keys that mix to the same are told apart by them, and wait in a cell each. They are read between two looks at
 * the cell: it was the same start both times, and so were they.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "clock.h"
#include "kstats.h"
#include "pair.h"
#include "size.h"

#define MEMORY_SHARE	4	/* as in record.c */
#define SPINS	256	/* looks at a cell that another CPU is entering */

#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>

bool ks_pair_supported(void)
{
	return boot_cpu_has(X86_FEATURE_CX16);
}

#else
#error "kstats pairs need a 16-byte compare-and-exchange: x86-64 only so far"
#endif

static size_t cells_of(const struct ks_pairs *p)
{
	return (size_t)KS_PAIR_WAYS << (64 - p->shift);
}

struct ks_pairs *ks_pair_new(u32 entries, u32 key_words, u32 words)
{
	struct ks_pairs *p = kzalloc(sizeof(*p), GFP_KERNEL);
	size_t cells;

	if (!p)
		return NULL;
	p->beside = kstats_size_beside(key_words);
	words += p->beside;
	p->words = words;
	p->shift = 64 - kstats_size_set_order(entries);
	p->mult = 0x9e3779b97f4a7c15ULL;
	cells = cells_of(p);
	BUILD_BUG_ON(sizeof(struct ks_cell) != KSTATS_SIZE_CELL || KS_PAIR_WAYS != KSTATS_SIZE_WAYS);
	if (ks_pair_memory(p) / PAGE_SIZE > totalram_pages() / MEMORY_SHARE) {
		pr_warn("%u waiting starts take %zu bytes: more than 1/%d of the memory\n", entries, ks_pair_memory(p),
			MEMORY_SHARE);
		kfree(p);
		return NULL;
	}
	p->cells = kvcalloc(cells, sizeof(struct ks_cell), GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	if (words)
		p->data = kvcalloc(cells, words * sizeof(u64), GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	if (!p->cells || (words && !p->data)) {
		ks_pair_free(p);
		return NULL;
	}
	return p;
}

void ks_pair_free(struct ks_pairs *p)
{
	if (!p)
		return;
	kvfree(p->data);
	kvfree(p->cells);
	kfree(p);
}

size_t ks_pair_memory(const struct ks_pairs *p)
{
	return p ? kstats_size_pairs(1u << (64 - p->shift), p->words) : 0;
}

static __always_inline u64 *data_of(struct ks_pairs *p, const struct ks_cell *c)
{
	return p->data + (size_t)(c - p->cells) * p->words;
}

static __always_inline void copy(u64 *to, const u64 *from, u32 words)
{
	u32 i;

	for (i = 0; i < words; i++)
		WRITE_ONCE(to[i], READ_ONCE(from[i]));
}

/* What the cell of a key has. */
static __always_inline u64 mix_of(const struct ks_pairs *p, const u64 *key)
{
	u64 mix = key[0];
	u32 i;

	for (i = 1; i < p->beside; i++) {
		mix *= 0x9e3779b97f4a7c15ULL;
		mix = (mix ^ mix >> 32) ^ key[i];
	}
	return mix;
}

static __always_inline struct ks_cell look(const struct ks_cell *c)
{
	struct ks_cell seen;

	seen.start = smp_load_acquire(&c->start);
	seen.key = READ_ONCE(c->key);
	return seen;
}

enum found { OTHER, SAME, CHANGED };

/* @c was seen with our mix: is its key ours? */
static __always_inline enum found compare(struct ks_pairs *p, const struct ks_cell *c, const struct ks_cell *seen, const u64 *key)
{
	const u64 *words = data_of(p, c);
	bool same = true;
	u32 i;

	if (!p->beside)
		return SAME;
	for (i = 0; i < p->beside; i++)
		same &= READ_ONCE(words[i]) == key[i];
	smp_rmb();
	if (READ_ONCE(c->start) != seen->start || READ_ONCE(c->key) != seen->key)
		return CHANGED;
	return same ? SAME : OTHER;
}

/* Put a start into @c, which holds @seen. False: the cell has changed meanwhile. */
static bool enter(struct ks_pairs *p, struct ks_cell *c, struct ks_cell seen, u64 mix, const u64 *key, u64 start,
		  const u64 *data)
{
	struct ks_cell new = { mix, p->words ? KS_CELL_BUSY : start };

	if (!ks_cell_exchange(c, &seen, new))
		return false;
	if (p->words) {
		copy(data_of(p, c), key, p->beside);
		copy(data_of(p, c) + p->beside, data, p->words - p->beside);
		smp_store_release(&c->start, start);
	}
	return true;
}

/*
 * Somebody else may have entered the same key into another cell while we looked for a free one. Take one that is older, or
 * with @first the newer of the two, out again, and tell its time; 0: there was none.
 */
static u64 drop_other(struct ks_pairs *p, struct ks_cell *set, struct ks_cell *own, u64 mix, const u64 *key, u64 start, bool first)
{
	int i;

	for (i = 0; i < KS_PAIR_WAYS; i++) {
		struct ks_cell seen = look(&set[i]);

		if (&set[i] == own || seen.key != mix || seen.start <= KS_CELL_BUSY || seen.start > start ||
		    (seen.start == start && &set[i] > own) || compare(p, &set[i], &seen, key) != SAME)
			continue;
		if (first) {	/* an end may have taken ours meanwhile: then both have been */
			struct ks_cell mine = { mix, start };

			return ks_cell_exchange(own, &mine, (struct ks_cell){ 0, KS_CELL_FREE }) ? start : 0;
		}
		if (ks_cell_exchange(&set[i], &seen, (struct ks_cell){ 0, KS_CELL_FREE }))
			return seen.start;
	}
	return 0;
}

bool ks_pair_drop(struct ks_pairs *p, struct ks_cell *set, u64 key, u64 start)
{
	return drop_other(p, set, set, key, &key, start, false);
}

enum ks_pair_start ks_pair_start(struct ks_pairs *p, const u64 *key, u64 start, const u64 *data, bool first)
{
	u64 mix = mix_of(p, key);
	struct ks_cell *set = ks_pair_set(p, mix);
	int i, try;

	if (start <= KS_CELL_BUSY)
		start = KS_CELL_BUSY + 1;
	/* Each try sees one more change by others to this set; after so many it is as good as full. */
	for (try = 0; try < 2 * KS_PAIR_WAYS; try++) {
		struct ks_cell *free = NULL;

		for (i = 0; i < KS_PAIR_WAYS; i++) {
			struct ks_cell seen = look(&set[i]);
			enum found found;

			if (seen.start == KS_CELL_FREE) {
				if (!free)
					free = &set[i];
				continue;
			}
			if (seen.key != mix)
				continue;
			if (seen.start == KS_CELL_BUSY)
				return KS_PAIR_REPLACED;
			found = compare(p, &set[i], &seen, key);
			if (found == OTHER)
				continue;
			if (found == SAME && (first || enter(p, &set[i], seen, mix, key, start, data)))
				return KS_PAIR_REPLACED;
			break;
		}
		if (i < KS_PAIR_WAYS)
			continue;
		if (!free)
			return KS_PAIR_FULL;
		if (enter(p, free, (struct ks_cell){ 0, KS_CELL_FREE }, mix, key, start, data))
			return drop_other(p, set, free, mix, key, start, first) ? KS_PAIR_REPLACED : KS_PAIR_NEW;
	}
	return KS_PAIR_FULL;
}

bool ks_pair_end(struct ks_pairs *p, const u64 *key, u64 *start, u64 *data)
{
	u64 mix = mix_of(p, key);
	struct ks_cell *set = ks_pair_set(p, mix);
	int i, try;

	for (i = 0; i < KS_PAIR_WAYS; i++) {
		for (try = 0; try < KS_PAIR_WAYS; try++) {
			struct ks_cell seen = look(&set[i]);
			enum found found;

			if (seen.key != mix || seen.start <= KS_CELL_BUSY)
				break;
			found = compare(p, &set[i], &seen, key);
			if (found == OTHER)
				break;
			if (found == CHANGED)
				continue;
			copy(data, data_of(p, &set[i]) + p->beside, p->words - p->beside);
			*start = seen.start;
			if (ks_cell_exchange(&set[i], &seen, (struct ks_cell){ 0, KS_CELL_FREE }))
				return true;
		}
	}
	return false;
}

static __always_inline u64 read_clock(const struct ks_clock *clock)
{
	return max_t(u64, ks_clock_read(clock), KS_CELL_BUSY + 1);
}

enum ks_pair_start ks_pair_exchange(struct ks_pairs *p, const u64 *key, const struct ks_clock *clock, u64 *start,
				    u64 *now)
{
	u64 mix = mix_of(p, key);
	struct ks_cell *set = ks_pair_set(p, mix);
	int i, spins;

	for (spins = 0; spins < SPINS; spins++) {
		struct ks_cell *free = NULL, *own = NULL, seen;

		for (i = 0; i < KS_PAIR_WAYS && !own; i++) {
			seen = look(&set[i]);
			if (seen.start == KS_CELL_FREE)
				free = free ?: &set[i];
			else if (seen.key == mix && (seen.start == KS_CELL_BUSY || compare(p, &set[i], &seen, key) != OTHER))
				own = &set[i];
		}
		if (own && seen.start == KS_CELL_BUSY) {
			cpu_relax();
			continue;
		}
		if (own) {
			*start = seen.start;
			*now = read_clock(clock);	/* after the cell, so that it is not before what the cell had */
			if (ks_cell_exchange(own, &seen, (struct ks_cell){ mix, *now }))
				return KS_PAIR_REPLACED;
			continue;
		}
		if (!free)
			return KS_PAIR_FULL;
		*now = read_clock(clock);
		if (!enter(p, free, (struct ks_cell){ 0, KS_CELL_FREE }, mix, key, *now, NULL))
			continue;
		*start = drop_other(p, set, free, mix, key, *now, false);
		return *start ? KS_PAIR_REPLACED : KS_PAIR_NEW;
	}
	return KS_PAIR_BUSY;
}

u32 ks_pair_clear(struct ks_pairs *p)
{
	size_t i, cells = cells_of(p);
	u32 n = 0;

	for (i = 0; i < cells; i++) {
		n += p->cells[i].start != KS_CELL_FREE;
		if (!(i % 65536))
			cond_resched();
	}
	memset(p->cells, 0, cells * sizeof(struct ks_cell));
	return n;
}
