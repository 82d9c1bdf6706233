// SPDX-License-Identifier: GPL-2.0
/*
 * consecutive.c: has a measurement of numbers that come one after the other missed one, or seen one twice? A CPU that calls a
 * function with 0, 1, 2, ... and is watched for a while leaves a histogram of all numbers from some a to some b, each once. In each
 * slot between the first and the last there are as many as the slot has values, and they add up to what these do; in the
 * first they are its highest, in the last its lowest. The binary form has the sums to the last digit.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "../../runtime/kstats.h"
#include "consecutive.h"

/* The values of a slot: slot.h's form, reckoned anew. */
static void values_of(uint64_t slot, uint32_t bits, uint64_t *lo, uint64_t *hi)
{
	uint64_t each = 1ULL << bits, width = 1, group;

	for (group = slot / each; group > 1; group--)
		width *= 2;
	*lo = slot < 2 * each ? slot : (each + slot % each) * width;
	*hi = *lo + width - 1;
}

static uint64_t sum_of(uint64_t lo, uint64_t hi)	/* modulo 2^64, as the slot's */
{
	return (unsigned __int128)(hi - lo + 1) * ((unsigned __int128)lo + hi) / 2;
}

/* n numbers of lo .. hi, whose sum is this: can they be consecutive? */
static bool somewhere(const struct kstats_slot *s, uint64_t lo, uint64_t hi)
{
	uint64_t rest = s->sum - sum_of(lo, lo + s->n - 1);	/* n times where they begin behind lo */

	return rest % s->n == 0 && rest / s->n <= hi - lo + 1 - s->n;
}

static bool follows(const struct kstats_snapshot *h, const struct kstats_snapshot_run *run)
{
	uint64_t lo, hi;
	uint32_t i;

	for (i = 0; i < run->count; i++) {
		const struct kstats_slot *s = &run->slot[i];
		bool first = i == 0, last = i == run->count - 1, good;

		values_of(run->first + i, h->bits, &lo, &hi);
		if (!s->n || s->n > hi - lo + 1)
			good = false;
		else if (first && last)
			good = somewhere(s, lo, hi);
		else if (first)
			good = s->sum == sum_of(hi - s->n + 1, hi);
		else if (last)
			good = s->sum == sum_of(lo, lo + s->n - 1);
		else
			good = s->n == hi - lo + 1 && s->sum == sum_of(lo, hi);
		if (!good) {
			printf("# cpu %u, of %ju .. %ju: %ju numbers whose sum is %ju\n", run->cpu, lo, hi, (uintmax_t)s->n,
			       (uintmax_t)s->sum);
			return false;
		}
	}
	return true;
}

static uint64_t count_of(const struct kstats_snapshot_run *run)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < run->count; i++)
		n += run->slot[i].n;
	return n;
}

static int check(const struct kstats_snapshot *h)
{
	const struct kstats_snapshot_part *part = (const void *)h + h->header_bytes + h->text_bytes;
	const struct kstats_snapshot_run *run;
	uint64_t cpus = 0, n = 0;
	bool good = true;
	uint32_t i;

	if (h->parts != 1 || h->by_words)
		return 2;
	run = (const void *)part->key;
	for (i = 0; i < part->runs; i++, run = (const void *)&run->slot[run->count]) {
		good &= follows(h, run);
		cpus++;
		n += count_of(run);
	}
	printf("%ju %ju\n", cpus, n);
	return !good;
}

/* The file says itself how large it is. */
int consecutive(const char *path)
{
	struct kstats_snapshot head, *h = NULL;
	FILE *f = fopen(path, "r");
	int status = 2;

	if (f && fread(&head, sizeof(head), 1, f) == 1 && head.magic == KSTATS_SNAPSHOT_MAGIC && head.version == KSTATS_VERSION &&
	    (h = malloc(head.bytes))) {
		rewind(f);
		if (fread(h, head.bytes, 1, f) == 1)
			status = check(h);
	}
	free(h);
	if (f)
		fclose(f);
	return status;
}
