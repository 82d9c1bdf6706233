// SPDX-License-Identifier: GPL-2.0
/*
 * quantile.c: which slot a quantile falls into is counting; where in the slot is what this file estimates.
 *
 * A slot knows how many integers fell into it and what they add up to. Of all distributions on the slot's w integers
 * with that mean, the one that assumes nothing else is the one of greatest entropy (Jaynes, "Information theory and
 * statistical mechanics", 1957; for quantiles from moments: Gan et al., "Moment-based quantile sketches", VLDB 2018):
 * probabilities proportional to r^k for k = 0 .. w-1, a geometric distribution cut off at the slot's ends. Its
 * cumulative is (1 - r^(k+1)) / (1 - r^w), which inverts in closed form; r follows from the mean by bisection. With
 * two integers in a slot it is exact, with one trivially so.
 *
 * Where sums wrapped (2^64 ns in one slot) the mean is not known. Then r is that of the line through the densities of
 * the slot's neighbours.
 */
#include <math.h>

#include "console/quantile.h"

const struct quantile_point quantile_points[] = {
	{ "p50", 1, 2 },
	{ "p90", 9, 10 },
	{ "p99", 99, 100 },
	{ "p99.9", 999, 1000 },
	{ "p99.99", 9999, 10000 },
	{ NULL, 0, 1 },
};

/* The mean of k = 0 .. w-1 with probabilities proportional to exp(s * k). */
static double geometric_mean(double s, double w)
{
	double t = s * w;

	if (fabs(t) < 1e-4)	/* the two poles cancel: the first terms of the series */
		return (w - 1) / 2 + s * (w * w - 1) / 12;
	return w / -expm1(-t) - 1 / -expm1(-s);
}

/* The s of that distribution from its mean, 0 < mean < w-1: geometric_mean rises with s, so bisection cannot fail. */
static double slope_of_mean(double mean, double w)
{
	double lo = -64, hi = 64;
	int i;

	for (i = 0; i < 200; i++) {
		double s = (lo + hi) / 2;

		if (s <= lo || s >= hi)
			break;
		if (geometric_mean(s, w) < mean)
			lo = s;
		else
			hi = s;
	}
	return (lo + hi) / 2;
}

/* The k (as a real number, 0 .. w) below which the share u of that distribution lies. */
static double inverse(double s, double w, double u)
{
	double t = s * w;

	if (fabs(t) < 1e-9)
		return u * w;
	if (t > 0)	/* mirrored, so that exp() does not overflow */
		return w - inverse(-s, w, 1 - u);
	return log1p(u * expm1(t)) / s;
}

/* Samples per value in the slot @i places from the first kept one; 0 outside. */
static double density(const struct snapshot_total *t, long i)
{
	if (i < 0 || i >= (long)t->count)
		return 0;
	return t->slot[i].n / ldexp(1, kstats_slot_shift(t->first + i, t->bits));
}

static double slope_of_neighbours(const struct snapshot_total *t, unsigned int i, double w)
{
	double left = density(t, (long)i - 1), right = density(t, (long)i + 1), s;

	if (left <= 0 || right <= 0)
		return 0;
	s = log(right / left) / (2 * w);
	return s < -8 / w ? -8 / w : s > 8 / w ? 8 / w : s;
}

/* The rank-th smallest (1 .. n) of the samples in slot @i. */
static void within(const struct snapshot_total *t, unsigned int i, __u64 rank, struct quantile *out)
{
	const struct snapshot_slot *slot = &t->slot[i];
	double w = ldexp(1, kstats_slot_shift(t->first + i, t->bits)), mean, s, k;
	__u64 lo = kstats_slot_lo(t->first + i, t->bits), hi = kstats_slot_hi(t->first + i, t->bits);

	out->lo = lo;
	out->hi = hi;
	if (slot->exact) {
		if (rank == 1)
			out->hi = slot->least;
		else if (rank == slot->n)
			out->lo = slot->most;
		if (rank == 1 || slot->least == slot->most)
			out->lo = out->hi = slot->least;
		else if (rank == slot->n)
			out->lo = out->hi = slot->most;
	}
	if (out->lo == out->hi) {
		out->value = out->lo;
		return;
	}

	if (slot->known) {
		mean = (double)slot->excess / slot->n;
		s = mean <= 0 ? -64 : mean >= w - 1 ? 64 : slope_of_mean(mean, w);
	} else {
		s = slope_of_neighbours(t, i, w);
	}
	k = floor(inverse(s, w, (rank - 0.5) / slot->n));
	if (k > w - 1)
		k = w - 1;
	out->value = lo + (k > 0 ? k : 0);
}

bool quantile_of(const struct snapshot_total *t, const struct quantile_point *q, struct quantile *out)
{
	/* ceil(q * n), but the first sample for q = 0 */
	__u64 rank = ((u128)t->n * q->numerator + q->denominator - 1) / q->denominator, seen = 0;
	unsigned int i;

	*out = (struct quantile){ 0 };
	if (!t->n)
		return false;
	if (!rank)
		rank = 1;
	for (i = 0; i < t->count; i++) {
		if (rank - seen <= t->slot[i].n) {
			within(t, i, rank - seen, out);
			return true;
		}
		seen += t->slot[i].n;
	}
	return false;	/* not reached: the slots' counts add up to t->n */
}
