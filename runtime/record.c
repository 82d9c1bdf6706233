// SPDX-License-Identifier: GPL-2.0
/*
 * record.c: tables of per-CPU slots, and the recorder.
 *
 * The map of a `by`: four times as many cells as parts, open addressing, at most PROBES cells looked at. A cell is claimed
 * by one cmpxchg, filled, then published. Who meets a claimed cell waits a moment (its owner runs with
 * preemption off on another CPU), then passes it: an NMI that came between claim and publication on its own CPU must not
 * wait. So a key may, once in a very long while, be entered twice; readers add up parts of the same key.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include "record.h"
#include "size.h"

#define MEMORY_SHARE	4	/* no measurement takes more than 1/4 of the machine's memory */
#define NICE		(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)	/* fail rather than kill */
#define PROBES		32
#define SPINS		256

/* What the cell says once it is published: now, or in a moment. */
static u64 wait_published(const struct ks_map_cell *c)
{
	u64 place;
	int i;

	for (i = 0; i < SPINS; i++) {
		place = smp_load_acquire(&c->place);
		if (place != KS_MAP_CLAIMED)
			break;
		cpu_relax();
	}
	return place;
}

/* The caller has claimed cell @at: give it a part if there is one left, and publish it. */
static u64 fill_cell(struct ks_table *t, u32 at, const u64 *key)
{
	struct ks_map_cell *c = ks_map_cell(t, at);
	u32 part = atomic_fetch_add_unless(&t->parts_used, 1, t->parts), i;
	u64 place = part == t->parts ? KS_MAP_FULL : ks_record_place(t, part);

	for (i = 0; i < t->key_words; i++)
		c->key[i] = key[i];
	if (place != KS_MAP_FULL)
		smp_store_release(&t->cell_of[part], at + 1);
	smp_store_release(&c->place, place);
	return place;
}

/* The place of @key, which gets one if there is room; else KS_MAP_FULL. */
static u64 find(struct ks_table *t, const u64 *key)
{
	u32 at = ks_map_first(t, key, t->key_words), i;

	for (i = 0; i < PROBES; i++, at = (at + 1) & ((1u << t->cell_order) - 1)) {
		struct ks_map_cell *c = ks_map_cell(t, at);
		u64 place = smp_load_acquire(&c->place);

		if (place == KS_MAP_EMPTY) {
			if (atomic_read(&t->parts_used) >= t->parts)
				return KS_MAP_FULL;
			place = cmpxchg(&c->place, KS_MAP_EMPTY, KS_MAP_CLAIMED);
			if (place == KS_MAP_EMPTY)
				return fill_cell(t, at, key);
		}
		if (place == KS_MAP_CLAIMED)
			place = wait_published(c);
		if (place != KS_MAP_CLAIMED && ks_map_same(c->key, key, t->key_words))
			return place;
	}
	return KS_MAP_FULL;
}

static bool alloc_map(struct ks_table *t)
{
	t->cell_order = kstats_size_map_order(t->parts);
	t->cell_shift = 64 - t->cell_order;
	t->cell_bytes = sizeof(struct ks_map_cell) + t->key_words * sizeof(u64);
	t->mult = 0x9e3779b97f4a7c15ULL;
	t->cells = kvzalloc(kstats_size_cells(t->parts, t->key_words), NICE);
	t->cell_of = kvcalloc(t->parts, sizeof(u32), NICE);
	return t->cells && t->cell_of;
}

/* Enter all keys that there will ever be, in their order. */
static void lay_out(struct ks_table *t, u32 known)
{
	u64 key;

	for (key = 0; key < known; key++)
		if (find(t, &key) != ks_record_place(t, key))
			return;
	t->laid_out = known;
}

struct ks_table *ks_record_new(const struct ks_shape *shape)
{
	struct ks_table *t = kzalloc(sizeof(*t), GFP_KERNEL);
	size_t bytes, map;
	int cpu;

	if (!t)
		return NULL;
	t->bits = shape->bits;
	kstats_slot_scale(&t->scale, t->bits);
	t->low = shape->low;
	t->span = shape->high - shape->low;
	t->first = kstats_slot_of(shape->low, t->bits);
	t->nslots = kstats_size_slots(shape->low, shape->high, t->bits);
	t->parts = shape->parts;
	t->key_words = shape->key_words;
	t->plain = !t->key_words && !shape->low && shape->high == U64_MAX;
	t->squares = shape->squares;
	t->part_bytes = (t->nslots + t->squares) * sizeof(struct kstats_slot);
	map = t->key_words ? kstats_size_map(t->parts, t->key_words) : 0;
	bytes = kstats_size_histograms(t->nslots + t->squares, t->parts);	/* 2^16 slots, 2^20 parts at most */
	BUILD_BUG_ON(sizeof(struct ks_cpu) != KSTATS_SIZE_CPU);
	if (bytes > INT_MAX ||
	    bytes / PAGE_SIZE * num_possible_cpus() + map / PAGE_SIZE > totalram_pages() / MEMORY_SHARE) {
		pr_warn("%u histograms of %u bits take %zu bytes a CPU, their keys %zu: more than 1/%d of the memory in all\n",
			t->parts, t->bits, bytes, map, MEMORY_SHARE);
		goto fail;
	}
	if (t->key_words && !alloc_map(t))
		goto fail;
	t->cpu = alloc_percpu(struct ks_cpu);
	if (!t->cpu)
		goto fail;
	for_each_possible_cpu(cpu) {
		struct kstats_slot *slots = &per_cpu_ptr(t->cpu, cpu)->own;

		if (bytes)
			slots = kvzalloc_node(bytes, NICE, cpu_to_node(cpu));
		if (!slots)
			goto fail;
		per_cpu_ptr(t->cpu, cpu)->slots = slots;
		per_cpu_ptr(t->cpu, cpu)->base = (long)(slots - t->first) + kstats_slot_base(t->bits) -
						 (t->key_words ? ks_record_place(t, 0) : 0);
		t->memory += bytes + sizeof(struct ks_cpu);
		cond_resched();
	}
	t->memory += sizeof(*t) + map;
	if (shape->known <= t->parts)
		lay_out(t, shape->known);
	return t;

fail:
	ks_record_free(t);
	return NULL;
}

void ks_record_free(struct ks_table *t)
{
	int cpu;

	if (!t)
		return;
	if (t->cpu) {
		for_each_possible_cpu(cpu) {
			struct ks_cpu *c = per_cpu_ptr(t->cpu, cpu);

			if (c->slots != &c->own)
				kvfree(c->slots);
		}
	}
	free_percpu(t->cpu);
	kvfree(t->cell_of);
	kvfree(t->cells);
	kfree(t);
}

const u64 *ks_record_key(const struct ks_table *t, u32 part)
{
	u32 cell = smp_load_acquire(&t->cell_of[part]);

	return cell ? ks_map_cell(t, cell - 1)->key : NULL;
}

void ks_record_take_keys(struct ks_table *t, const struct ks_table *from, u64 *place)
{
	u32 part, parts = atomic_read(&from->parts_used);

	for (part = 0; part < parts; part++) {
		const u64 *key = ks_record_key(from, part);

		place[part] = KS_MAP_FULL;
		if (!key)		/* it is just being entered */
			continue;
		preempt_disable();	/* as who enters a key must, whom others wait for */
		place[part] = find(t, key);
		preempt_enable();
		cond_resched();
	}
}

void ks_record_found(struct ks_table *t, const u64 *key, u64 value)
{
	u64 place = find(t, key);

	if (likely(place != KS_MAP_FULL))
		ks_record_at(t, value, place);
	else
		ks_count(t, KSTATS_FULL);
}

static noinline void record_squared(struct ks_table *t, const u64 *key, u64 value)
{
	u64 place = find(t, key);

	if (unlikely(place == KS_MAP_FULL)) {
		ks_count(t, KSTATS_FULL);
		return;
	}
	ks_record_at(t, value, place);
	ks_record_square(t, value, place);
}

/* Out of line: every other number of words, ranges, and squares. */
void ks_record_search(struct ks_table *t, const u64 *key, u64 value)
{
	if (unlikely(value - t->low > t->span))
		ks_count(t, KSTATS_OUTSIDE);
	else if (!t->key_words)
		ks_record_plain(t, value);
	else if (likely(!t->squares))
		ks_record_keyed(t, key, t->key_words, value);
	else
		record_squared(t, key, value);
}
