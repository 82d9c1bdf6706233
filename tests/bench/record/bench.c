// SPDX-License-Identifier: GPL-2.0
/*
 * bench.c: what a callable record takes: ours, the original kstats', HdrHistogram_c's (where its header is there).
 *
 *	bench		ns a call: the best of ROUNDS rounds, in which each has its turn
 *	bench KIND N	nothing but N calls of KIND, for callgrind
 *
 * Values: log-normal around some microseconds, as durations are; the same for all. Each recorder is then asked what it has.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "kinds.h"
#if __has_include(<hdr/hdr_histogram.h>)
#include <hdr/hdr_histogram.h>
#define HDR	1
#else
#define HDR	0
#endif

#define VALUES	65536
#define ROUNDS	400
#define BITS	3

static uint64_t values[VALUES];

#if HDR
static struct hdr_histogram *hdr;

static void hdr_record(uint64_t v)
{
	hdr_record_value(hdr, v);
}
#endif

static void none(uint64_t v)
{
	asm volatile("" : : "r" (v));
}

static const struct kind {
	const char *name;
	void (*record)(uint64_t v);
} kinds[] = {
	{ "none", none }, { "ours", ours_record }, { "original", original_record },
#if HDR
	{ "hdr", hdr_record },
#endif
};
#define KINDS	(sizeof(kinds) / sizeof(*kinds))

static double uniform(void)
{
	static uint64_t x = 88172645463325252ULL;

	x ^= x << 13, x ^= x >> 7, x ^= x << 17;
	return ((x >> 11) + 0.5) / 9007199254740992.0;
}

static double ns_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

__attribute__((noinline)) static void calls(void (*record)(uint64_t), unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		record(values[i % VALUES]);
}

static int check(const char *name, uint64_t n, uint64_t sum, uint64_t want_n, uint64_t want_sum, double may_lose)
{
	if (n == want_n && (double)sum >= want_sum * (1 - may_lose) && sum <= want_sum)
		return 0;
	fprintf(stderr, "%s has recorded %llu of %llu, sum %llu of %llu\n", name, (unsigned long long)n,
		(unsigned long long)want_n, (unsigned long long)sum, (unsigned long long)want_sum);
	return 1;
}

int main(int argc, char **argv)
{
	double best[KINDS];
	uint64_t n, sum, want = 0;
	int bad = 0;

	for (unsigned int i = 0; i < VALUES; i++) {
		values[i] = exp(8 + 1.5 * sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform()));
		want += values[i] * ROUNDS;
	}
	ours_init(BITS);
	original_init(BITS);
#if HDR
	if (hdr_init(1, 1000000000000LL, 2, &hdr))
		return 1;
#endif
	if (argc == 3) {
		for (unsigned int k = 0; k < KINDS; k++)
			if (!strcmp(argv[1], kinds[k].name))
				calls(kinds[k].record, atoi(argv[2]));
		return 0;
	}
	for (unsigned int k = 0; k < KINDS; k++)
		best[k] = INFINITY;
	for (unsigned int r = 0; r < ROUNDS; r++) {
		for (unsigned int k = 0; k < KINDS; k++) {
			double began = ns_now(), ns;

			calls(kinds[k].record, VALUES);
			ns = (ns_now() - began) / VALUES;
			if (ns < best[k])
				best[k] = ns;
		}
	}
	sum = ours_sum(&n);
	bad |= check("ours", n, sum, (uint64_t)VALUES * ROUNDS, want, 0);
	sum = original_sum(&n);
	bad |= check("original", n, sum, (uint64_t)VALUES * ROUNDS, want, 0.001);
	printf("recorder\tns\tless the loop\tours is x of it\n");
	for (unsigned int k = 0; k < KINDS; k++)
		printf("%s\t%.3f\t%.3f\t%.2f\n", kinds[k].name, best[k], best[k] - best[0],
		       k ? (best[1] - best[0]) / (best[k] - best[0]) : 0.0);
	return bad;
}
