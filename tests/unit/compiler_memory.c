// SPDX-License-Identifier: GPL-2.0
/* compiler_memory.c: the bytes that statements will take, against numbers worked out by hand from kstats.h and slot.h. */
#include <inttypes.h>
#include <stdio.h>

#include "compiler/memory.h"

static unsigned int tests, failed;

static void same(uint64_t got, uint64_t want, const char *what)
{
	tests++;
	failed += got != want;
	printf("%sok %u - %s\n", got == want ? "" : "not ", tests, what);
	if (got != want)
		printf("# %" PRIu64 ", not %" PRIu64 "\n", got, want);
}

#define COUNTERS	(15 * 8 + 16 + 16)	/* 15 terms, the pointer to the slots, the base beside it, a slot (struct ks_cpu) */

int main(void)
{
	struct plan_point call = { .role = PLAN_CALL }, count = { .role = PLAN_COUNT }, from = { .role = PLAN_FROM };
	struct plan_point between = { .role = PLAN_BETWEEN };
	struct plan_statement s = { .points = &call, .npoints = 1, .bits = 3 };

	same(memory_of(&s).slots, 496, "all values at bits 3");
	same(memory_of(&s).cpu, 496 * 16 + COUNTERS, "16 bytes a slot, and counters");
	same(memory_of(&s).keys + memory_of(&s).pairs, 0, "a function without keys needs neither map nor pairs");
	s.bits = 0;
	same(memory_of(&s).cpu, 65 * 16 + COUNTERS, "bits 0");
	s.bits = 10;
	same(memory_of(&s).cpu, 56320 * 16 + COUNTERS, "bits 10");

	s.bits = 3;
	s.ranged = true;
	s.low = 16;
	s.high = 63;
	same(memory_of(&s).slots, 16, "16 to 63 at bits 3: two powers of two");
	s.ranged = false;

	s.nby = 2;
	s.by[0].words = 2;
	s.by[1].words = 1;
	same(memory_of(&s).parts, 256, "256 keys");
	same(memory_of(&s).cpu, 256 * 496 * 16 + COUNTERS, "a histogram each");
	same(memory_of(&s).keys, 1024 * 8 * 4 + 256 * 4, "four cells a key: a word and the key's three; and where each lies");
	s.entries = 5;
	same(memory_of(&s).keys, 32 * 8 * 4 + 5 * 4, "32 cells at least");
	s.entries = 100;
	same(memory_of(&s).keys, 512 * 8 * 4 + 100 * 4, "cells are a power of two");

	s.points = &count;
	s.bits = 0;
	same(memory_of(&s).cpu, 100 * 16 + COUNTERS, "counts have one slot a key");

	s.points = &call;
	s.nby = 1;
	s.by[0].words = 1;
	s.squares = true;
	s.bits = KSTATS_BITS_NONE;
	same(memory_of(&s).cpu, 100 * (16 + 16) + COUNTERS, "a profile's times: a slot and squares each");
	s.bits = 3;
	same(memory_of(&s).cpu, 100 * (496 * 16 + 16) + COUNTERS, "with a histogram");
	s.entries = 1;
	s.bits = KSTATS_BITS_NONE;
	same(memory_of(&s).cpu, 16 + 16 + COUNTERS, "of one function too");
	s.squares = false;

	s.bits = 0;
	s.nby = 0;
	s.entries = 0;
	s.points = &from;
	s.key = PLAN_KEY_TASK;
	same(memory_of(&s).pairs, 4 * 4096 * 16, "4,096 starts may wait, in four times as many cells");
	s.data_words = 3;
	same(memory_of(&s).pairs, 4 * 4096 * (16 + 24), "with what they carry");
	s.key = PLAN_KEY_VALUE;
	s.key_words = 1;
	same(memory_of(&s).pairs, 4 * 4096 * (16 + 24), "a key of one word lies in the cell");
	s.key_words = 3;
	same(memory_of(&s).pairs, 4 * 4096 * (16 + 24 + 24), "a longer one beside it");
	s.pairs = 100;
	same(memory_of(&s).pairs, 4 * 128 * (16 + 24 + 24), "sets are a power of two");
	s.points = &between;
	s.key = PLAN_KEY_NONE;
	same(memory_of(&s).pairs, 4 * 128 * 16, "between two hits nothing is carried");
	printf("1..%u\n", tests);
	return failed != 0;
}
