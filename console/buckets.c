// SPDX-License-Identifier: GPL-2.0
/*
 * buckets.c: where the buckets of an exposed histogram end, and what is in them.
 */
#include <math.h>
#include <stdlib.h>

#include "console/buckets.h"
#include "console/say.h"

/* The values that buckets are to tell apart: those below are in the first, those above in the endless one. */
struct span {
	__u64 lo, hi;
};

static struct span span_of(const struct kstats_snapshot *h, bool ns)
{
	if (h->slots < kstats_slots(h->bits))	/* `range` */
		return (struct span){ kstats_slot_lo(h->first, h->bits), kstats_slot_hi(h->first + h->slots - 1, h->bits) };
	return ns ? (struct span){ 1ULL << 8, (1ULL << 34) - 1 } : (struct span){ 1, (1ULL << 63) - 1 };
}

/*
 * The ends of every @stride-th slot of @bits within the span, of the span itself, and of what is below it, when @end has room for @most;
 * how many these are.
 */
static unsigned int ends(const struct span *s, unsigned int bits, unsigned int stride, __u64 *end, unsigned int most)
{
	unsigned int slot = kstats_slot_of(s->lo, bits), last = kstats_slot_of(s->hi, bits), n = 0;

	if (s->lo) {
		if (n < most)
			end[n] = s->lo - 1;
		n++;
	}
	for (slot += stride - 1; slot < last; slot += stride) {
		if (n < most)
			end[n] = kstats_slot_hi(slot, bits);
		n++;
	}
	if (s->hi != ~0ULL) {
		if (n < most)
			end[n] = s->hi;
		n++;
	}
	return n;
}

void buckets_choose(const struct kstats_snapshot *h, bool ns, unsigned int most, struct buckets *out)
{
	unsigned int bits = h->bits, stride = 1;
	struct span s;

	*out = (struct buckets){ 0 };
	if (h->bits == KSTATS_BITS_NONE)
		return;
	most--;		/* the endless one */
	s = span_of(h, ns);
	out->end = say_calloc(most, sizeof(*out->end));
	while ((out->n = ends(&s, bits, stride, out->end, most)) > most) {
		if (bits)
			bits--;
		else
			stride++;
	}
}

void buckets_of_slots(const struct snapshot_total *t, struct buckets *out)
{
	unsigned int i;

	*out = (struct buckets){ .end = say_calloc(2 * t->count, sizeof(*out->end)) };
	for (i = 0; i < t->count; i++) {
		__u64 lo = kstats_slot_lo(t->first + i, t->bits);

		if (!t->slot[i].n)
			continue;
		if (lo && !(out->n && out->end[out->n - 1] == lo - 1))
			out->end[out->n++] = lo - 1;
		out->end[out->n++] = kstats_slot_hi(t->first + i, t->bits);
	}
}

void buckets_free(struct buckets *b)
{
	free(b->end);
	*b = (struct buckets){ 0 };
}

void buckets_fill(const struct buckets *b, const struct snapshot_total *t, __u64 *below)
{
	unsigned int i, slot = 0;
	__u64 n = 0;

	for (i = 0; i < b->n; i++) {
		for (; slot < t->count && kstats_slot_hi(t->first + slot, t->bits) <= b->end[i]; slot++)
			n += t->slot[slot].n;
		below[i] = n;
	}
}

/* ---- native ones ---- */

int buckets_schema(unsigned int bits)
{
	return bits + 2 < 8 ? bits + 2 : 8;
}

struct buckets_native *buckets_native(const struct snapshot_total *t, unsigned int decimals, unsigned int *n, __u64 *zero)
{
	struct buckets_native *all = say_calloc(t->count, sizeof(*all));
	double scale = exp2(buckets_schema(t->bits)), unit = decimals * log2(10);
	unsigned int i;

	*n = 0;
	*zero = 0;
	for (i = 0; i < t->count; i++) {
		double lo = kstats_slot_lo(t->first + i, t->bits), hi = kstats_slot_hi(t->first + i, t->bits);
		int index;

		if (!t->slot[i].n)
			continue;
		if (!hi) {
			*zero = t->slot[i].n;
			continue;
		}
		index = ceil(((log2(lo) + log2(hi)) / 2 - unit) * scale);
		if (!*n || all[*n - 1].index != index)
			all[(*n)++].index = index;
		all[*n - 1].n += t->slot[i].n;
	}
	return all;
}
