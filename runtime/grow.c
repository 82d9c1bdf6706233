// SPDX-License-Identifier: GPL-2.0
/*
 * grow.c: another number of entries for a measurement that is counting.
 *
 * A new table gets the keys of the old one and takes its place; once the old one is silent, what it has is added to the new
 * one: on each CPU by that CPU, so that its counters are still written by it alone. Readers see the old table until then, and
 * everything afterwards, so nothing is missing to them for longer than that, and nothing is there twice.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include "direct.h"
#include "measure.h"

#define TRIES	3

struct move {
	struct ks_table *from, *to;
	u64 *place;		/* by part of `from`: where its key is in `to`, as cells have it; KS_MAP_FULL: nowhere */
	u32 parts;
	int cpu;
};

/* A key that came at the last moment, and found the new table full of others: they had no room, then. */
static void give_up(const struct move *m, const struct kstats_slot *from, struct ks_cpu *to)
{
	u32 i;

	for (i = 0; i < m->from->nslots; i++)
		ks_add(&to->term[KSTATS_FULL], from[i].n);
}

/* On the CPU that it is about, or while that is offline. */
static long move_cpu(void *arg)
{
	const struct move *m = arg;
	struct ks_cpu *to = per_cpu_ptr(m->to->cpu, m->cpu);
	const struct ks_cpu *from = per_cpu_ptr(m->from->cpu, m->cpu);
	u32 part, i;

	for (i = 0; i < KSTATS_NTERMS; i++)
		ks_add(&to->term[i], from->term[i]);
	for (part = 0; part < m->parts; part++) {
		const struct kstats_slot *old = ks_record_slots(m->from, m->cpu, part);
		struct kstats_slot *new;

		if (m->place[part] == KS_MAP_FULL) {
			give_up(m, old, to);
			continue;
		}
		new = (void *)to->slots + (m->place[part] - ks_record_place(m->to, 0));
		for (i = 0; i < m->from->nslots; i++) {
			if (!old[i].n)
				continue;
			ks_add(&new[i].n, old[i].n);
			ks_add(&new[i].sum, old[i].sum);
		}
		if (m->from->squares)	/* behind the slots */
			ks_add_wide(&new[i].n, old[i].n, old[i].sum);
		cond_resched();
	}
	return 0;
}

/* Nobody counts in m->from any more. */
static void move_all(struct move *m)
{
	m->parts = atomic_read(&m->from->parts_used);
	ks_record_take_keys(m->to, m->from, m->place);
	cpus_read_lock();
	for_each_possible_cpu(m->cpu) {
		if (cpu_online(m->cpu))
			work_on_cpu(m->cpu, move_cpu, m);
		else
			move_cpu(m);
	}
	cpus_read_unlock();
	m->to->carried = m->from->carried;
	m->to->stopped = m->from->stopped;
	m->to->missed = m->from->missed;
	m->to->hits = m->from->hits;
}

static bool has_all(const struct move *m)
{
	u32 part, parts = atomic_read(&m->from->parts_used);

	for (part = 0; part < parts; part++)
		if (ks_record_key(m->from, part) && m->place[part] == KS_MAP_FULL)
			return false;
	return true;
}

/* False: more came meanwhile than there is room for. (One that was just being entered is there at the next look.) */
static bool take_keys(struct move *m)
{
	int try;

	for (try = 0; try < TRIES; try++) {
		ks_record_take_keys(m->to, m->from, m->place);
		if (has_all(m))
			return true;
	}
	return false;
}

int ks_measure_resize(struct kstats *k, u32 entries)
{
	struct move m = { .from = k->table };
	u32 used = k->by_words ? atomic_read(&k->table->parts_used) : 0;
	int err = -ENOMEM;

	if (!k->by_words || !entries || entries > KS_ENTRIES_MAX) {
		pr_warn("%s: %s\n", k->name, !k->by_words ? "it has no keys that could be given more room" :
			"entries are a number from 1 to 1,048,576");
		return -EINVAL;
	}
	if (entries < used) {
		pr_warn("%s: it has %u keys already: RESET it before you give it fewer entries\n", k->name, used);
		return -EBUSY;
	}
	m.to = ks_measure_table(k, entries);
	m.place = kvcalloc(k->table->parts, sizeof(*m.place), GFP_KERNEL);
	if (!m.to || !m.place)
		goto fail;
	/* Before anybody else brings his own: what has been counted so far shall have its place in any case. */
	if (!take_keys(&m)) {
		pr_warn("%s: more keys came meanwhile than %u\n", k->name, entries);
		err = -EBUSY;
		goto fail;
	}
	if (k->counting)
		ks_measure_switch(k, m.to);
	mutex_lock(&k->read_lock);
	move_all(&m);
	k->table = m.to;
	k->entries = entries;
	mutex_unlock(&k->read_lock);
	ks_record_free(m.from);
	kvfree(m.place);
	return 0;

fail:
	ks_record_free(m.to);
	kvfree(m.place);
	return err;
}
