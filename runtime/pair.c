// SPDX-License-Identifier: GPL-2.0
/*
 * pair.c: start/end matching without locks.
 *
 * A cell is free when its start is 0. A start without data is entered by one exchange {0, 0} -> {key, time}. One with data
 * is entered as {key, BUSY} first, which nobody takes out, then its data are written, then its time. An end copies the
 * data and then exchanges {key, time} -> {0, 0}: if that succeeds the copy was of this very start. Data are lost to no
 * race; at worst a start that meets a BUSY cell of its own key (entered by another CPU in the same moment, or by whom we
 * interrupted) is the one that counts as replaced.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "kstats.h"
#include "pair.h"

#define WAYS	4
#define FREE	0
#define BUSY	1

struct cell {
	u64 key;
	u64 start;
} __aligned(16);

struct ks_pairs {
	u32 set_order;		/* log2 of the number of sets */
	u32 words;
	u64 *data;
	struct cell *cells;	/* aligned to a set's 64 bytes: kvmalloc aligns sizes of a power of two to themselves */
};

#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>

bool ks_pair_supported(void)
{
	return boot_cpu_has(X86_FEATURE_CX16);
}

static __always_inline bool exchange(struct cell *c, struct cell *old, struct cell new)
{
	bool done;

	asm volatile("lock; cmpxchg16b %[c]"
		     : "=@ccz" (done), [c] "+m" (*c), "+a" (old->key), "+d" (old->start)
		     : "b" (new.key), "c" (new.start)
		     : "memory");
	return done;
}
#else
#error "kstats pairs need a 16-byte compare-and-exchange: x86-64 only so far"
#endif

struct ks_pairs *ks_pair_new(u32 entries, u32 words)
{
	struct ks_pairs *p = kzalloc(sizeof(*p), GFP_KERNEL);
	size_t cells;

	if (!p)
		return NULL;
	p->words = words;
	p->set_order = ilog2(roundup_pow_of_two(max(entries, 2u)));
	cells = (size_t)WAYS << p->set_order;
	p->cells = kvcalloc(cells, sizeof(struct cell), GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
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
	return p ? ((size_t)WAYS << p->set_order) * (sizeof(struct cell) + p->words * sizeof(u64)) : 0;
}

static __always_inline struct cell *set_of(struct ks_pairs *p, u64 key)
{
	u64 hash = (key ^ key >> 32) * 0x9e3779b97f4a7c15ULL;

	return p->cells + WAYS * (hash >> (64 - p->set_order));
}

static __always_inline u64 *data_of(struct ks_pairs *p, const struct cell *c)
{
	return p->data + (size_t)(c - p->cells) * p->words;
}

static __always_inline void copy(u64 *to, const u64 *from, u32 words)
{
	u32 i;

	for (i = 0; i < words; i++)
		WRITE_ONCE(to[i], READ_ONCE(from[i]));
}

/* Put a start into @c, which holds @seen. False: the cell has changed meanwhile. */
static bool enter(struct ks_pairs *p, struct cell *c, struct cell seen, u64 key, u64 start, const u64 *data)
{
	struct cell new = { key, p->words ? BUSY : start };

	if (!exchange(c, &seen, new))
		return false;
	if (p->words) {
		copy(data_of(p, c), data, p->words);
		smp_store_release(&c->start, start);
	}
	return true;
}

/*
 * Somebody else may have entered the same key into another cell while we looked for a free one: the older start goes.
 * False: there was none.
 */
static bool drop_older(struct cell *set, const struct cell *own, u64 key, u64 start)
{
	bool dropped = false;
	int i;

	for (i = 0; i < WAYS; i++) {
		struct cell seen = { READ_ONCE(set[i].key), READ_ONCE(set[i].start) };

		if (&set[i] == own || seen.key != key || seen.start <= BUSY || seen.start >= start)
			continue;
		dropped |= exchange(&set[i], &seen, (struct cell){ 0, FREE });
	}
	return dropped;
}

enum ks_pair_start ks_pair_start(struct ks_pairs *p, u64 key, u64 start, const u64 *data)
{
	struct cell *set = set_of(p, key);
	int i, try;

	if (start <= BUSY)
		start = BUSY + 1;
	/* Each try sees one more change by others to this set; after so many it is as good as full. */
	for (try = 0; try < 2 * WAYS; try++) {
		struct cell *free = NULL;
		struct cell seen;

		for (i = 0; i < WAYS; i++) {
			seen.start = READ_ONCE(set[i].start);
			if (seen.start == FREE) {
				if (!free)
					free = &set[i];
				continue;
			}
			seen.key = READ_ONCE(set[i].key);
			if (seen.key != key)
				continue;
			if (seen.start == BUSY)
				return KS_PAIR_REPLACED;
			if (enter(p, &set[i], seen, key, start, data))
				return KS_PAIR_REPLACED;
			break;
		}
		if (i < WAYS)
			continue;
		if (!free)
			return KS_PAIR_FULL;
		if (enter(p, free, (struct cell){ 0, FREE }, key, start, data))
			return drop_older(set, free, key, start) ? KS_PAIR_REPLACED : KS_PAIR_NEW;
	}
	return KS_PAIR_FULL;
}

bool ks_pair_end(struct ks_pairs *p, u64 key, u64 *start, u64 *data)
{
	struct cell *set = set_of(p, key);
	int i, try;

	for (i = 0; i < WAYS; i++) {
		for (try = 0; try < WAYS; try++) {
			struct cell seen;

			seen.start = smp_load_acquire(&set[i].start);
			seen.key = READ_ONCE(set[i].key);
			if (seen.key != key || seen.start <= BUSY)
				break;
			copy(data, data_of(p, &set[i]), p->words);
			*start = seen.start;
			if (exchange(&set[i], &seen, (struct cell){ 0, FREE }))
				return true;
		}
	}
	return false;
}

u32 ks_pair_clear(struct ks_pairs *p)
{
	size_t i, cells = (size_t)WAYS << p->set_order;
	u32 n = 0;

	for (i = 0; i < cells; i++) {
		n += p->cells[i].start != FREE;
		if (!(i % 65536))
			cond_resched();
	}
	memset(p->cells, 0, cells * sizeof(struct cell));
	return n;
}
