// SPDX-License-Identifier: GPL-2.0
/*
 * slot.c: the slot arithmetic at every boundary of every slot, for all bits: it is the ground that everything stands on.
 */
#include "console_snap.h"

static void boundaries(unsigned int bits)
{
	unsigned int slots = kstats_slots(bits), slot;
	bool contiguous = true, inside = true, before = true, after = true, width = true, other_road = true;
	__u64 next = 0;

	for (slot = 0; slot < slots; slot++) {
		__u64 lo = kstats_slot_lo(slot, bits), hi = kstats_slot_hi(slot, bits);
		__u64 middle = lo + (hi - lo) / 2;

		contiguous &= lo == next && hi >= lo;
		next = hi + 1;
		inside &= kstats_slot_of(lo, bits) == slot && kstats_slot_of(hi, bits) == slot &&
			  kstats_slot_of(middle, bits) == slot;
		before &= !slot || kstats_slot_of(lo - 1, bits) == slot - 1;
		after &= slot == slots - 1 ? hi == ~0ULL : kstats_slot_of(hi + 1, bits) == slot + 1;
		width &= hi - lo == (1ULL << kstats_slot_shift(slot, bits)) - 1;
		/* 2^bits slots a power of two: a slot is at most lo / 2^bits wide, but for the ones of a single value */
		width &= hi == lo || (hi - lo + 1) << bits <= lo;
		other_road &= snap_slot(lo, bits) == slot && snap_slot(hi, bits) == slot;
	}
	ok(contiguous && !next, "bits %u: the slots cover 0 .. 2^64-1 without gap or overlap", bits);
	ok(inside, "bits %u: each slot's bounds and middle fall into it", bits);
	ok(before && after, "bits %u: the value before a slot and the one after it fall into its neighbours", bits);
	ok(width, "bits %u: widths are powers of two, and at most 2^-bits of the lower bound", bits);
	ok(other_road, "bits %u: division by the slot's width finds the same slot", bits);
}

/* The recorder's arithmetic, which goes another road, against kstats_slot_of(). */
static bool lies_there(const struct kstats_slot_scale *c, __u64 v, unsigned int bits)
{
	__s64 base, rest = kstats_slot_rest(c, v, __builtin_clzll(v | c->one), &base);

	return base + rest + kstats_slot_base(bits) == (__s64)sizeof(struct kstats_slot) * kstats_slot_of(v, bits);
}

static void recorder(unsigned int bits)
{
	struct kstats_slot_scale c;
	unsigned int slot, i;
	__u64 x = 88172645463325252ULL;
	bool edges = true, any = true;

	kstats_slot_scale(&c, bits);
	for (slot = 0; slot < kstats_slots(bits); slot++) {
		__u64 lo = kstats_slot_lo(slot, bits), hi = kstats_slot_hi(slot, bits);

		edges &= lies_there(&c, lo, bits) && lies_there(&c, hi, bits) && lies_there(&c, lo + (hi - lo) / 3, bits);
	}
	for (i = 0; i < 1000000; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		any &= lies_there(&c, x >> (x & 63), bits);
	}
	ok(edges, "bits %u: the recorder finds every slot, at its bounds and within", bits);
	ok(any, "bits %u: and of a million values of every size", bits);
}

/* n samples of one value: the excess is exact, though the sum has wrapped many times. */
static bool constant(unsigned int slot, unsigned int bits, __u64 v, __u64 n)
{
	struct kstats_slot s = { n, n * v };
	unsigned int shift = kstats_slot_shift(slot, bits);
	bool exact = !shift || !(n >> (64 - shift));
	__u64 excess = 0;
	int err = kstats_slot_excess(&s, slot, bits, &excess);

	if (!exact)
		return err == -1;
	return !err && excess == n * (v - kstats_slot_lo(slot, bits));
}

static void excess(unsigned int bits)
{
	static const __u64 counts[] = { 1, 2, 3, 1000, 1ULL << 32, (1ULL << 32) + 1, (1ULL << 53) - 1, 1ULL << 63, ~0ULL };
	unsigned int slot, i;
	bool good = true;

	for (slot = 0; slot < kstats_slots(bits); slot++) {
		__u64 lo = kstats_slot_lo(slot, bits), hi = kstats_slot_hi(slot, bits);

		for (i = 0; i < sizeof(counts) / sizeof(*counts); i++)
			good &= constant(slot, bits, lo, counts[i]) && constant(slot, bits, hi, counts[i]) &&
				constant(slot, bits, lo + (hi - lo) / 3, counts[i]);
	}
	ok(good, "bits %u: excess over the lower bound is exact with sums that wrap, or said to be unknown", bits);
}

/* A reader between the two additions of a sample sees a count without its sum, or the other way round. */
static void torn(unsigned int bits)
{
	unsigned int slot;
	bool good = true;

	for (slot = 0; slot < kstats_slots(bits); slot++) {
		unsigned int shift = kstats_slot_shift(slot, bits);
		__u64 lo = kstats_slot_lo(slot, bits), hi = kstats_slot_hi(slot, bits), most = hi - lo, e = 0;
		struct kstats_slot counted = { 1, 0 }, summed = { 1, 2 * lo };

		if (shift >= 63)
			continue;
		good &= !kstats_slot_excess(&counted, slot, bits, &e) && e <= most;
		good &= !kstats_slot_excess(&summed, slot, bits, &e) && e <= most;
	}
	ok(good, "bits %u: a torn read stays within the slot", bits);
}

/* Without bits: one slot, whose sum is what was added. */
static void none(void)
{
	const __u32 bits = KSTATS_BITS_NONE;
	struct kstats_slot_scale c;
	const __u64 values[] = { 0, 1, 2, 1000, 1ULL << 32, (1ULL << 63) - 1, 1ULL << 63, ~0ULL };
	struct kstats_slot s = {};
	__u64 excess;
	bool there = true;

	kstats_slot_scale(&c, bits);
	for (unsigned int i = 0; i < sizeof(values) / sizeof(*values); i++)
		there &= lies_there(&c, values[i], bits) && !kstats_slot_of(values[i], bits);
	ok(there, "no bits: every value lies in the one slot");
	ok(kstats_slots(bits) == 1 && !kstats_slot_lo(0, bits) && kstats_slot_hi(0, bits) == ~0ULL && kstats_slot_shift(0, bits) == 64,
	   "no bits: it is of all values");
	s.n = 1ULL << 40;
	s.sum = 123456789012345678ULL;
	ok(!kstats_slot_excess(&s, 0, bits, &excess) && excess == s.sum, "no bits: its sum is what was added");
}

int main(void)
{
	unsigned int bits;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		boundaries(bits);
		recorder(bits);
		excess(bits);
		torn(bits);
	}
	none();
	ok(kstats_slots(0) == 65 && kstats_slots(3) == 496 && kstats_slots(10) == 56320, "the numbers of slots of slot.h");
	return done();
}
