// SPDX-License-Identifier: GPL-2.0
/* ours.c: the arithmetic and the order of runtime/record.h's plain case, from the same slot.h. */
#include <stdbool.h>
#include <stdlib.h>
#include "kinds.h"
#include "runtime/slot.h"

/* One CPU's; the pointer to the table is looked at in each call, as `live` is. */
static struct table {
	struct kstats_slot_scale scale;
	bool plain;
	int64_t base;
	struct kstats_slot *slots;
	unsigned int nslots;
} table, *volatile live;

void ours_init(unsigned int bits)
{
	kstats_slot_scale(&table.scale, bits);
	table.nslots = kstats_slots(bits);
	table.slots = calloc(table.nslots, sizeof(*table.slots));
	if (!table.slots)
		abort();
	table.base = (int64_t)(intptr_t)table.slots + kstats_slot_base(bits);
	table.plain = true;
	live = &table;
}

void ours_record(uint64_t v)
{
	struct table *t = live;
	__s64 base, rest;

	if (!t || !t->plain)
		return;
	rest = kstats_slot_rest(&t->scale, v, __builtin_clzll(v | t->scale.one), &base);
	base += t->base;
	asm volatile("addq $1, (%[base],%[rest])\n\taddq %[v], 8(%[base],%[rest])"
		     : : [base] "r" (base), [rest] "r" (rest), [v] "r" (v) : "memory", "cc");
}

uint64_t ours_sum(uint64_t *n)
{
	uint64_t sum = 0;

	*n = 0;
	for (unsigned int i = 0; i < table.nslots; i++)
		*n += table.slots[i].n, sum += table.slots[i].sum;
	return sum;
}
