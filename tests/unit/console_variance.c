// SPDX-License-Identifier: GPL-2.0
/*
 * console_variance.c: the variance from n, sum and squares, against what two passes over the samples give in whole numbers, and
 * where it is known beforehand.
 */
#include <math.h>

#include "console/variance.h"
#include "console_snap.h"

typedef unsigned __int128 wide_t;

struct sums {
	uint64_t n;
	wide_t sum, squares;
};

static void add(struct sums *s, uint64_t value, uint64_t times)
{
	s->n += times;
	s->sum += (wide_t)value * times;
	s->squares += (wide_t)value * value * times;
}

static double of(const struct sums *s)
{
	return variance_of(s->n, s->sum, s->squares);
}

static bool near_to(double is, long double want)
{
	return want ? fabsl(is / want - 1) < 1e-15 : is == 0;
}

/* Two values, `a` times one and `b` times another that is `d` more: a * b / n * d^2 / (n - 1). */
static long double of_two(long double a, long double b, long double d)
{
	return a * b / (a + b) * d * d / (a + b - 1);
}

static void constants(void)
{
	const uint64_t values[] = { 0, 1, 3000000000ULL, 1ULL << 40, (1ULL << 48) + 12345, (1ULL << 53) - 1 };
	bool good = true;

	for (unsigned int i = 0; i < sizeof(values) / sizeof(*values); i++) {
		for (uint64_t n = 0; n <= 2000000; n = n * 3 + 1) {
			struct sums s = {};

			add(&s, values[i], n);
			good &= of(&s) == 0;
		}
	}
	ok(good, "constants, up to 2^53 and two million of them: 0");
}

static void off_by_one(void)
{
	bool good = true;

	for (unsigned int bit = 1; bit < 54; bit += 4) {
		for (uint64_t n = 2; n <= 100000; n *= 7) {
			struct sums s = {};

			add(&s, 1ULL << bit, n - 1);
			add(&s, (1ULL << bit) + 1, 1);
			good &= near_to(of(&s), of_two(n - 1, 1, 1));
		}
	}
	ok(good, "one of n differs by 1 from a large constant: 1 / n");
}

static void alternating(void)
{
	bool good = true;

	for (uint64_t n = 1; n < 10000000000ULL; n *= 10) {
		struct sums s = {};

		add(&s, 1000000, n);
		add(&s, 3000000000ULL, n);
		good &= near_to(of(&s), of_two(n, n, 2999000000.0L));
	}
	ok(good, "1 ms and 3 s in turn, two to twenty billion");
}

/* n^2 times what the samples are from their mean, squared: whole numbers, of two passes. */
static void random_ones(void)
{
	enum { N = 1000 };
	bool good = true;
	uint64_t x[N];

	for (unsigned int bits = 1; bits <= 40; bits++) {
		struct sums s = {};
		long double want = 0;

		for (unsigned int i = 0; i < N; i++) {
			x[i] = (uint64_t)(snap_random() * ldexp(1, bits)) + (1ULL << 44);
			add(&s, x[i], 1);
		}
		for (unsigned int i = 0; i < N; i++) {
			__int128 from = (__int128)x[i] * N - (__int128)s.sum;

			want += (long double)from * from / N / N;
		}
		good &= near_to(of(&s), want / (N - 1));
	}
	ok(good, "random samples on top of 2^44: as two passes");
}

static void edges(void)
{
	const wide_t most = ~0ULL;

	ok(variance_of(0, 0, 0) == 0 && variance_of(1, most, most * most) == 0, "none and one: 0");
	ok(variance_of(2, most, most * most) == (double)(most * most / 2), "0 and 2^64 - 1");
	ok(variance_of(4, 40, 100) == 0, "squares that are too small for their sum, as in the middle of an addition: 0");
	ok(isfinite(variance_of(~0ULL, ~(wide_t)0, ~(wide_t)0)) && isfinite(variance_of(2, 0, ~(wide_t)0)),
	   "nonsense gives a number");
}

int main(void)
{
	constants();
	off_by_one();
	alternating();
	random_ones();
	edges();
	return done();
}
