// SPDX-License-Identifier: GPL-2.0
/*
 * console_quantile.c: quantiles from slots against exact ones of ten million samples, and at the edges of their definition.
 */
#include <math.h>

#include "console/quantile.h"
#include "console/read.h"
#include "console_snap.h"

enum { SAMPLES = 10000000 };

/* ---- data: nanoseconds, as latencies are ---- */

static double gauss(void)
{
	return sqrt(-2 * log(snap_random())) * cos(2 * M_PI * snap_random());
}

static double log_normal(void)
{
	return 20000 * exp(0.7 * gauss());
}

static double bimodal(void)	/* a hit in a cache, and what a miss costs */
{
	return snap_random() < 0.8 ? 8000 * exp(0.15 * gauss()) : 1500000 * exp(0.4 * gauss());
}

static double pareto(void)
{
	return 10000 * pow(snap_random(), -1 / 2.0);
}

static const struct {
	const char *name;
	double (*draw)(void);
} data[] = { { "log-normal", log_normal }, { "bimodal", bimodal }, { "Pareto", pareto } };

/* By 11 bits at a time, least significant first; the result is in one of the two arrays, and returned. */
static __u64 *sort(__u64 *v, __u64 *room, size_t n)
{
	size_t count[2048], i, at, c;
	unsigned int shift;
	__u64 bits = 0;

	for (i = 0; i < n; i++)
		bits |= v[i];
	for (shift = 0; shift < 64 && bits >> shift; shift += 11) {
		__u64 *swap = v;

		memset(count, 0, sizeof(count));
		for (i = 0; i < n; i++)
			count[v[i] >> shift & 2047]++;
		for (at = i = 0; i < 2048; i++) {
			c = count[i];
			count[i] = at;
			at += c;
		}
		for (i = 0; i < n; i++)
			room[count[v[i] >> shift & 2047]++] = v[i];
		v = room;
		room = swap;
	}
	return v;
}

static int compare(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void total_of(const __u64 *v, size_t n, unsigned int bits, struct snapshot_total *t)
{
	struct snapshot s = { .head = { .bits = bits, .slots = kstats_slots(bits) } };
	struct snapshot_run run = { .count = kstats_slots(bits) };
	struct snapshot_part part = { .runs = &run, .nruns = 1 };
	size_t i;

	run.slot = calloc(run.count, sizeof(*run.slot));
	for (i = 0; i < n; i++) {
		struct kstats_slot *slot = &run.slot[kstats_slot_of(v[i], bits)];

		slot->n++;
		slot->sum += v[i];
	}
	s.parts = &part;
	s.nparts = 1;
	snapshot_total(&s, &part, -1, t);
	free(run.slot);
}

static __u64 exact(const __u64 *sorted, size_t n, const struct quantile_point *q)
{
	__u64 rank = ((u128)n * q->numerator + q->denominator - 1) / q->denominator;

	return sorted[(rank ? rank : 1) - 1];
}

/* The mean error over the five quantiles, in percent of the exact value. */
static double errors(const char *name, const __u64 *sorted, size_t n, unsigned int bits, bool *bounded)
{
	const struct quantile_point *q;
	struct snapshot_total t;
	struct quantile got;
	double sum = 0, error;
	int count = 0;

	total_of(sorted, n, bits, &t);
	printf("# %-10s bits %u", name, bits);
	for (q = quantile_points; q->name; q++, count++) {
		__u64 want = exact(sorted, n, q);

		quantile_of(&t, q, &got);
		error = fabs(got.value - (double)want) / (double)want * 100;
		sum += error;
		*bounded &= got.lo <= want && want <= got.hi && got.value >= got.lo && got.value <= got.hi;
		printf("  %s %.4f %%", q->name, error);
	}
	printf("  mean %.4f %%\n", sum / count);
	snapshot_total_free(&t);
	return sum / count;
}

static void accuracy(void)
{
	__u64 *v = calloc(SAMPLES, sizeof(*v)), *room = calloc(SAMPLES, sizeof(*room));
	double of3 = 0, of5 = 0;
	const __u64 *sorted;
	bool bounded = true;
	size_t i, d;

	for (d = 0; d < 3; d++) {
		for (i = 0; i < SAMPLES; i++)
			v[i] = data[d].draw();
		sorted = sort(v, room, SAMPLES);
		of3 += errors(data[d].name, sorted, SAMPLES, 3, &bounded) / 3;
		of5 += errors(data[d].name, sorted, SAMPLES, 5, &bounded) / 3;
	}
	ok(of3 <= 0.06, "bits 3: the mean error is at most 0.06 %% (%.4f %%)", of3);
	ok(of5 <= 0.03, "bits 5: the mean error is at most 0.03 %% (%.4f %%)", of5);
	ok(bounded, "the exact quantile lies within the bounds, every time");
	free(room);
	free(v);
}

/* Few samples, all quantiles: against the definition, for every size up to some. */
static void small(void)
{
	bool bounded = true, sure = true;
	struct snapshot_total t;
	struct quantile got;
	__u64 v[60];
	size_t n, i;

	for (n = 1; n <= 60; n++) {
		unsigned int bits = n % 11;

		for (i = 0; i < n; i++)
			v[i] = exp(snap_random() * 44);
		qsort(v, n, sizeof(*v), compare);
		total_of(v, n, bits, &t);
		for (i = 0; i <= 100; i++) {
			struct quantile_point q = { "", i, 100 };
			__u64 want = exact(v, n, &q);

			quantile_of(&t, &q, &got);
			bounded &= got.lo <= want && want <= got.hi && got.value >= got.lo && got.value <= got.hi;
			if (got.lo == got.hi)
				sure &= got.lo == want;
		}
		snapshot_total_free(&t);
	}
	ok(bounded, "1 to 60 samples: the sample that the definition names lies within the bounds");
	ok(sure, "where the bounds meet, they are that sample");
}

/* Of two neighbouring integers in a slot the mean tells how many of each: nothing is estimated. */
static void two_values(void)
{
	__u64 v[100];
	struct snapshot_total t;
	struct quantile got;
	bool same = true;
	int i;

	for (i = 0; i < 100; i++)
		v[i] = i < 37 ? 16 : 17;
	total_of(v, 100, 3, &t);
	for (i = 1; i <= 100; i++) {
		struct quantile_point q = { "", i, 100 };

		quantile_of(&t, &q, &got);
		same &= got.value == v[i - 1];
	}
	ok(same, "a slot of two values: every percentile is exact");
	snapshot_total_free(&t);
}

static void edges(void)
{
	struct snapshot_total empty = { .bits = 3 }, t;
	struct quantile_point half = { "", 1, 2 }, all = { "", 1, 1 }, none = { "", 0, 1 };
	__u64 top[] = { ~0ULL, ~0ULL }, one[] = { 123456789 };
	struct quantile got;

	ok(!quantile_of(&empty, &half, &got), "no samples, no quantile");

	total_of(one, 1, 0, &t);
	ok(quantile_of(&t, &none, &got) && got.value == 123456789 && got.lo == got.hi, "one sample is every quantile: q = 0");
	ok(quantile_of(&t, &all, &got) && got.value == 123456789 && got.lo == got.hi, "one sample is every quantile: q = 1");
	snapshot_total_free(&t);

	total_of(top, 2, 10, &t);
	ok(quantile_of(&t, &half, &got) && got.hi == ~0ULL && got.value >= got.lo && got.value <= 0x1p64,
	   "the top slot's quantile stays in 64 bits");
	snapshot_total_free(&t);
}

/* Sums that wrapped: the slope of the neighbours, within the slot. */
static void unknown(void)
{
	struct snapshot_slot slot[3] = {
		{ .n = 1000, .known = false }, { .n = 100, .known = false }, { .n = 10, .known = false },
	};
	struct snapshot_total t = { .bits = 0, .first = 62, .count = 3, .slot = slot, .n = 1110 };
	struct quantile_point q = { "", 1050, 1110 };	/* the middle of the second slot */
	struct quantile got;
	double lo = 0x1p62;

	ok(quantile_of(&t, &q, &got) && got.value > lo && got.value < 1.5 * lo, "without sums, a falling density puts the middle low");
}

int main(void)
{
	small();
	two_values();
	edges();
	unknown();
	accuracy();
	return done();
}
