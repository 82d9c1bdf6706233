/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hdr.h: histograms in HdrHistogram's form.
 *
 * With 1, 2 and 3 significant digits HdrHistogram cuts a power of two into 16, 128 and 1,024, and numbers its counts as slot.h
 * numbers slots: bits 4, 7 and 10 are the same histogram, count by count. What has other bits goes to the next finer one, where the
 * samples of a slot lie at their mean. Values are signed there: what is 2^63 or more lies at 2^63 - 1.
 */
#ifndef KM_HDR_H
#define KM_HDR_H

#include "console/snapshot.h"

struct hdr {
	unsigned int digits;	/* significant, 1 to 3 */
	unsigned int bits;	/* 4, 7 or 10 */
	unsigned int counts;	/* so many, all above are 0 */
	__u64 *count;
	__u64 n;		/* samples */
	__u64 max;		/* the largest value that shares a count with the largest sample; 0 without samples */
	__u64 capped;		/* samples that were 2^63 or more */
};

/* The digits that these bits need, and the bits that digits have. */
unsigned int hdr_digits(unsigned int bits);
unsigned int hdr_bits(unsigned int digits);

/* Of a total that has bits (not KSTATS_BITS_NONE). Free with hdr_free. */
void hdr_of(const struct snapshot_total *t, struct hdr *out);
void hdr_free(struct hdr *h);

/* V2, compressed, as base64: what is in a line of a log. To be freed. */
char *hdr_encode(const struct hdr *h);

/* So many powers of two it reaches over, from the first 2^(bits + 1) values on: its "buckets". */
unsigned int hdr_buckets(const struct hdr *h);

#endif /* KM_HDR_H */
