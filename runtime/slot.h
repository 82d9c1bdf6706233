/* SPDX-License-Identifier: GPL-2.0 */
/*
 * slot.h: which slot of a log-linear histogram a value falls into, and which values a slot holds.
 *
 * A histogram of `bits` B (0..10) cuts each power of two into 2^B slots of equal width; values below 2^(B+1) have a
 * slot each. With s = msb(v | 2^B) - B, the slot of v is (s << B) + (v >> s): v itself is unchanged, so that small
 * values need no branch. The slots are contiguous, ordered, and cover all of 0..2^64-1:
 *
 *	bits 3: 0 1 2 ... 15 | 16-17 18-19 ... 30-31 | 32-35 36-39 ... 60-63 | ...
 *
 * Pure arithmetic: the same source runs in the kernel (any context, NMI too) and in user space. The form is the one of
 * Luigi Rizzo's kstats (lkml, 2020); HdrHistogram's buckets are the same with a power-of-two sub-bucket count.
 */
#ifndef KSTATS_SLOT_H
#define KSTATS_SLOT_H

#ifndef KSTATS_ALONE
#include <linux/types.h>
#endif

#define KSTATS_BITS_MAX		10
#define KSTATS_BITS_DEFAULT	3
#define KSTATS_BITS_NONE	255	/* no histogram: one slot for all values, whose sum is exact as long as it does not wrap */

/* One slot of one CPU: how many values fell into it, and their sum modulo 2^64. */
struct kstats_slot {
	__u64 n;
	__u64 sum;
};

/* The number of slots that hold all 64-bit values: 65 at bits 0, 496 at bits 3, 56,320 at bits 10; 1 without bits. */
static inline __u32 kstats_slots(__u32 bits)
{
	return bits == KSTATS_BITS_NONE ? 1 : (65 - bits) << bits;
}

/*
 * The same arithmetic for a recorder, which knows the bits beforehand and wants an address: with z = zeros(v | 2^B), so
 * that s = 63 - B - z, v >> s is the upper half of (v << z) * 2^(B + 1), and s << B is what a subtraction of z * 2^B leaves
 * of a constant. That is in the base already: kstats_slot_base() is what to add to the address of slot 0.
 */
struct kstats_slot_scale {
	__u64 one;		/* 2^B */
	__u64 twice;		/* 2^(B + 1) */
	__s64 step;		/* 2^B slots, in bytes, negative */
};

static inline void kstats_slot_scale(struct kstats_slot_scale *c, __u32 bits)
{
	if (bits == KSTATS_BITS_NONE) {		/* every product is 0 */
		*c = (struct kstats_slot_scale){ .one = 1 };
		return;
	}
	c->one = 1ULL << bits;
	c->twice = 2ULL << bits;
	c->step = -(__s64)(sizeof(struct kstats_slot) << bits);
}

static inline __s64 kstats_slot_base(__u32 bits)
{
	return bits == KSTATS_BITS_NONE ? 0 : (__s64)((63 - bits) * sizeof(struct kstats_slot)) << bits;
}

/*
 * Where the slot of @v lies: *@base and what is returned, in bytes, from kstats_slot_base() above slot 0. @zeros: those above
 * the highest bit of v | 2^B, by what the caller has for that.
 */
static inline __attribute__((__always_inline__)) __s64 kstats_slot_rest(const struct kstats_slot_scale *c, __u64 v,
									__s64 zeros, __s64 *base)
{
	__u64 upper = (__u64)((unsigned __int128)(v << zeros) * c->twice >> 64);

	*base = zeros * c->step;
	return (__s64)(upper * sizeof(struct kstats_slot));
}

/* The slot of @v, 0 .. kstats_slots(@bits) - 1. */
static inline __u32 kstats_slot_of(__u64 v, __u32 bits)
{
	__u32 s;

	if (bits == KSTATS_BITS_NONE)
		return 0;
	s = (63 ^ (__u32)__builtin_clzll(v | 1ULL << bits)) - bits;
	return (s << bits) + (__u32)(v >> s);
}

/* log2 of the number of values that @slot holds. */
static inline __u32 kstats_slot_shift(__u32 slot, __u32 bits)
{
	__u32 group;

	if (bits == KSTATS_BITS_NONE)
		return 64;
	group = slot >> bits;
	return group ? group - 1 : 0;
}

/* The smallest value of @slot. */
static inline __u64 kstats_slot_lo(__u32 slot, __u32 bits)
{
	__u32 s;

	if (bits == KSTATS_BITS_NONE)
		return 0;
	s = kstats_slot_shift(slot, bits);
	return (__u64)(slot - (s << bits)) << s;
}

/* The largest value of @slot (inclusive: the top slot ends at 2^64 - 1). */
static inline __u64 kstats_slot_hi(__u32 slot, __u32 bits)
{
	if (bits == KSTATS_BITS_NONE)
		return ~0ULL;
	return kstats_slot_lo(slot, bits) + ((1ULL << kstats_slot_shift(slot, bits)) - 1);
}

/*
 * What @n samples of @slot with a wrapped @sum exceed n times the slot's lower bound by, summed: exact while n times the
 * slot's width stays below 2^64. Returns 0 and sets *@excess, or -1 where the sum no longer tells (then the mean of
 * this slot is unknown). A reader may look between the two additions of a sample: the excess is clamped to what
 * n samples of this slot can have, so that a mean never leaves its slot.
 */
static inline int kstats_slot_excess(const struct kstats_slot *s, __u32 slot, __u32 bits, __u64 *excess)
{
	__u64 width_less_1, e;
	__u32 shift;

	if (bits == KSTATS_BITS_NONE) {
		*excess = s->sum;
		return 0;
	}
	shift = kstats_slot_shift(slot, bits);
	width_less_1 = (1ULL << shift) - 1;
	e = s->sum - s->n * kstats_slot_lo(slot, bits);
	if (shift && s->n >> (64 - shift))
		return -1;
	if (e > s->n * width_less_1)	/* a torn read: nearer to the end that it left by */
		e = e >> 63 ? 0 : s->n * width_less_1;
	*excess = e;
	return 0;
}

#endif /* KSTATS_SLOT_H */
