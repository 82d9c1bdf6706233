// SPDX-License-Identifier: GPL-2.0
/*
 * console_variance.c: the variance from n, sum and squares (runtime/variance.h), rounded down, against what two passes over the samples
 * give in whole numbers, and where it is known beforehand.
 */
#include <math.h>
#include <stdint.h>

#include "console_snap.h"
#include "runtime/variance.h"

typedef unsigned __int128 wide_t;

struct sums {
	uint64_t n, sum;
	wide_t squares;
};

static void add(struct sums *s, uint64_t value, uint64_t times)
{
	s->n += times;
	s->sum += value * times;
	s->squares += (wide_t)value * value * times;
}

static double of(const struct sums *s)
{
	return (double)kstats_variance(s->n, s->sum, s->squares);
}

static bool near_to(double is, long double want)
{
	want = floorl(want);
	return want ? fabsl(is / want - 1) < 1e-15 : is == 0;
}

/* Two values, `a` times one and `b` times another that is `d` more: a b d^2 / (n (n - 1)). */
static long double of_two(long double a, long double b, long double d)
{
	return a * b * d * d / ((a + b) * (a + b - 1));
}

static void constants(void)
{
	const uint64_t values[] = { 0, 1, 3000000000ULL, 1ULL << 40, (1ULL << 48) + 12345, (1ULL << 53) - 1 };
	bool good = true;

	for (unsigned int i = 0; i < sizeof(values) / sizeof(*values); i++) {
		for (uint64_t n = 0; n <= 2000; n = n * 3 + 1) {
			struct sums s = {};

			add(&s, values[i], n);
			good &= of(&s) == 0;
		}
	}
	ok(good, "constants, up to 2^53 and two thousand of them: 0");
}

static void off_by_some(void)
{
	bool good = true;

	for (unsigned int bit = 1; bit < 48; bit += 4) {
		for (uint64_t n = 2; n <= 100000; n *= 7) {
			struct sums s = {};

			add(&s, 1ULL << bit, n - 1);
			add(&s, (1ULL << bit) + 1000, 1);
			good &= near_to(of(&s), of_two(n - 1, 1, 1000));
		}
	}
	ok(good, "one of n differs by 1,000 from a large constant: 10^6 / n");
}

static void alternating(void)
{
	bool good = true;

	for (uint64_t n = 1; n < 1000000000ULL; n *= 10) {
		struct sums s = {};

		add(&s, 1000000, n);
		add(&s, 3000000000ULL, n);
		good &= near_to(of(&s), of_two(n, n, 2999000000.0L));
	}
	ok(good, "1 ms and 3 s in turn, two to two hundred million");
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
	const uint64_t most = ~0ULL;

	ok(kstats_variance(0, 0, 0) == 0 && kstats_variance(1, most, (wide_t)most * most) == 0, "none and one: 0");
	ok(kstats_variance(2, most, (wide_t)most * most) == (wide_t)most * most / 2, "0 and 2^64 - 1");
	ok(kstats_variance(4, 40, 100) == 0, "squares that are too small for their sum, as in the middle of an addition: 0");
	ok(kstats_variance(3, 3, 5) == 1 && kstats_variance(3, 4, 6) == 0, "0, 1, 2: 1; 1, 1, 2: a third, which is 0");
}

int main(void)
{
	constants();
	off_by_some();
	alternating();
	random_ones();
	edges();
	return done();
}
