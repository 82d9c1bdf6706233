// SPDX-License-Identifier: GPL-2.0
/*
 * hdr.c: from slots to HdrHistogram's counts, and these in its encoding, version 2: a header, then the counts as LEB128 numbers in
 * zigzag, runs of zeros as one negative number; deflated, behind a header of its own; base64.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "console/hdr.h"
#include "console/say.h"

/* ---- counts ---- */

unsigned int hdr_bits(unsigned int digits)
{
	static const unsigned int bits[] = { [1] = 4, [2] = 7, [3] = 10 };

	return bits[digits];
}

unsigned int hdr_digits(unsigned int bits)
{
	unsigned int digits = 1;

	while (hdr_bits(digits) < bits)
		digits++;
	return digits;
}

/* The mean of a slot's samples, to the nearest integer; its middle where the mean is not known. */
static __u64 place_of(const struct snapshot_slot *s, __u64 lo, __u64 hi)
{
	u128 over = s->known ? (s->excess + s->n / 2) / s->n : (hi - lo) / 2;

	return over < hi - lo ? lo + (__u64)over : hi;
}

void hdr_of(const struct snapshot_total *t, struct hdr *out)
{
	unsigned int i, at;

	*out = (struct hdr){ .digits = hdr_digits(t->bits) };
	out->bits = hdr_bits(out->digits);
	out->count = say_calloc(kstats_slot_of(INT64_MAX, out->bits) + 1, sizeof(*out->count));
	for (i = 0; i < t->count; i++) {
		const struct snapshot_slot *s = &t->slot[i];
		__u64 lo = kstats_slot_lo(t->first + i, t->bits);

		if (!s->n)
			continue;
		at = kstats_slot_of(INT64_MAX, out->bits);
		if (lo > INT64_MAX)
			out->capped += s->n;
		else
			at = kstats_slot_of(place_of(s, lo, kstats_slot_hi(t->first + i, t->bits)), out->bits);
		out->count[at] += s->n;
		out->n += s->n;
		out->counts = at + 1;		/* slots ascend, and so do the places of their means */
		out->max = kstats_slot_hi(at, out->bits);
	}
}

void hdr_free(struct hdr *h)
{
	free(h->count);
	h->count = NULL;
}

unsigned int hdr_buckets(const struct hdr *h)
{
	unsigned int buckets = 1;

	while (buckets < 63 - h->bits && h->max >> (h->bits + buckets))
		buckets++;
	return buckets;
}

/* ---- the encoding ---- */

enum {
	COOKIE = 0x1c849303 | 0x10,
	COOKIE_COMPRESSED = 0x1c849304 | 0x10,
	HEADER = 40, HEADER_COMPRESSED = 8,
	WORD_MOST = 9,		/* bytes of a number: the ninth has eight bits of it */
};

static unsigned char *put(unsigned char *to, __u64 value, unsigned int bytes)
{
	while (bytes)
		*to++ = value >> 8 * --bytes;
	return to;
}

static unsigned char *put_zigzag(unsigned char *to, __s64 value)
{
	__u64 rest = (__u64)value << 1 ^ (__u64)(value >> 63);
	unsigned int i;

	for (i = 1; i < WORD_MOST && rest > 0x7f; i++, rest >>= 7)
		*to++ = 0x80 | (rest & 0x7f);
	*to++ = rest;
	return to;
}

static unsigned char *put_counts(unsigned char *to, const struct hdr *h)
{
	unsigned int i, zeros;

	for (i = 0; i < h->counts; i += zeros ? zeros : 1) {
		for (zeros = 0; i + zeros < h->counts && !h->count[i + zeros]; zeros++)
			;
		to = put_zigzag(to, zeros > 1 ? -(__s64)zeros : (__s64)h->count[i]);
	}
	return to;
}

/* Header and counts. To be freed. */
static unsigned char *encode(const struct hdr *h, size_t *size)
{
	unsigned char *data = say_calloc(HEADER + (size_t)h->counts * WORD_MOST, 1), *to = data, *end;
	double ratio = 1;
	__u64 bits_of_ratio;

	memcpy(&bits_of_ratio, &ratio, sizeof(ratio));
	end = put_counts(data + HEADER, h);
	to = put(to, COOKIE, 4);
	to = put(to, end - data - HEADER, 4);
	to = put(to, 0, 4);		/* counts are not shifted */
	to = put(to, h->digits, 4);
	to = put(to, 1, 8);		/* the lowest value told from 0 */
	to = put(to, h->max > 2 ? h->max : 2, 8);	/* the highest one that there is room for */
	put(to, bits_of_ratio, 8);	/* values are integers */
	*size = end - data;
	return data;
}

static char *base64(const unsigned char *data, size_t size)
{
	static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = say_calloc((size + 2) / 3 * 4 + 1, 1), *to = text;
	unsigned int three, left;

	for (; size; size -= left, data += left) {
		left = size < 3 ? size : 3;
		three = data[0] << 16 | (left > 1 ? data[1] << 8 : 0) | (left > 2 ? data[2] : 0);
		*to++ = letter[three >> 18];
		*to++ = letter[three >> 12 & 63];
		*to++ = left > 1 ? letter[three >> 6 & 63] : '=';
		*to++ = left > 2 ? letter[three & 63] : '=';
	}
	return text;
}

char *hdr_encode(const struct hdr *h)
{
	unsigned char *plain, *data;
	size_t size;
	uLongf packed;
	char *text;

	plain = encode(h, &size);
	packed = compressBound(size);
	data = say_calloc(HEADER_COMPRESSED + packed, 1);
	if (compress2(data + HEADER_COMPRESSED, &packed, plain, size, Z_DEFAULT_COMPRESSION) != Z_OK)
		say_out_of_memory();	/* with room enough it can fail for nothing else */
	put(put(data, COOKIE_COMPRESSED, 4), packed, 4);
	text = base64(data, HEADER_COMPRESSED + packed);
	free(data);
	free(plain);
	return text;
}
