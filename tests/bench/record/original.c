// SPDX-License-Identifier: GPL-2.0
/*
 * original.c: our own writing of what the kstats of 2020 (lkml) did for a sample: the highest bit of v >> bits chooses a power
 * of two, the bits below it a slot of that; what is beyond the table goes into its last slot; the sum is kept in units
 * that grow with the value, so that it does not overflow.
 */
#include <stdbool.h>
#include <stdlib.h>
#include "kinds.h"

#define SUM_SHIFT	20	/* values of more bits than that are added in parts of 2^(their bits - 20) */

struct slot {
	uint64_t samples, sum;
};

static struct histogram {
	bool active;
	uint16_t n_slots;
	uint16_t frac_bits;
	uint64_t frac_mask;
	struct slot *slots;
} histogram, *volatile handle;

void original_init(unsigned int bits)
{
	histogram.frac_bits = bits;
	histogram.frac_mask = (1ULL << bits) - 1;
	histogram.n_slots = (65 - bits) << bits;
	histogram.slots = calloc(histogram.n_slots + 1, sizeof(*histogram.slots));
	if (!histogram.slots)
		abort();
	histogram.active = true;
	handle = &histogram;
}

static unsigned int last_set(uint64_t v)	/* from 1; 0 of 0 */
{
	return v ? 64 - __builtin_clzll(v) : 0;
}

void original_record(uint64_t v)
{
	struct histogram *h = handle;
	unsigned int bucket, slot;

	if (!h || !h->active)
		return;
	bucket = last_set(v >> h->frac_bits);
	slot = bucket ? bucket << h->frac_bits | (v >> (bucket - 1) & h->frac_mask) : v;
	if (slot > h->n_slots)
		slot = h->n_slots;
	asm volatile("addq $1, %0" : "+m" (h->slots[slot].samples));
	asm volatile("addq %1, %0" : "+m" (h->slots[slot].sum) : "r" (bucket < SUM_SHIFT ? v : v >> (bucket - SUM_SHIFT)));
}

uint64_t original_sum(uint64_t *n)
{
	uint64_t sum = 0;

	*n = 0;
	for (unsigned int i = 0; i <= histogram.n_slots; i++) {
		unsigned int bucket = i >> histogram.frac_bits;

		*n += histogram.slots[i].samples;
		sum += histogram.slots[i].sum << (bucket > SUM_SHIFT ? bucket - SUM_SHIFT : 0);
	}
	return sum;
}
