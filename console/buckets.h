/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buckets.h: the buckets of a histogram as it is exposed: down-sampled ones that are the same at all times and on all machines, those of
 * its own slots, and the exponential ones of Prometheus's native histograms.
 *
 * All of them end where slots end, or take whole slots: no sample is ever split, and each count is exact.
 */
#ifndef KM_BUCKETS_H
#define KM_BUCKETS_H

#include "console/snapshot.h"

enum { BUCKETS_DEFAULT = 106, BUCKETS_LEAST = 4, BUCKETS_MOST = 10000 };

/* Where buckets end (inclusive), ascending; behind the last is the one that has no end. */
struct buckets {
	__u64 *end;
	unsigned int n;
};

/*
 * At most @most of them with the endless one, by what the statement says alone. Of times in ns (@ns) 2^8 to 2^34, of other numbers 2^0 to
 * 2^63, of a `range` that; as many an octave, a power of two, as there is room for, but no more than the histogram has.
 */
void buckets_choose(const struct kstats_snapshot *h, bool ns, unsigned int most, struct buckets *out);

/*
 * The end of every slot with samples, and of the one before: whoever interpolates within a bucket then does so within a slot, and
 * never over values that did not come.
 */
void buckets_of_slots(const struct snapshot_total *t, struct buckets *out);

void buckets_free(struct buckets *b);

/* How many samples are at most as large as the end of each. */
void buckets_fill(const struct buckets *b, const struct snapshot_total *t, __u64 *below);

/* One exponential bucket: 2^((index-1)/2^schema) < value <= 2^(index/2^schema), of values in the unit. */
struct buckets_native {
	int index;
	__u64 n;
};

/*
 * Each slot goes whole to the bucket that the middle of the slot lies in, which depends on the histogram's bits and the unit (values are
 * divided by 10^@decimals) alone: so what is counted there only grows. Ascending, without empty ones; *n of them, to be freed. *zero: how
 * many samples are 0. The schema is buckets_schema(bits), finer than the slots.
 */
struct buckets_native *buckets_native(const struct snapshot_total *t, unsigned int decimals, unsigned int *n, __u64 *zero);
int buckets_schema(unsigned int bits);

#endif /* KM_BUCKETS_H */
