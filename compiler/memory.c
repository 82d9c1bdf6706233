// SPDX-License-Identifier: GPL-2.0
/*
 * memory.c: what runtime/record.c, pair.c and away.c will allocate for a plan. `memory` of a loaded measurement is this and what its
 * probes keep.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "runtime/size.h"
#include "text.h"

enum { SHARE = 5 };	/* percent of a machine's memory that a script may take, where nobody says otherwise */

static bool is_pair(const struct plan_statement *s)
{
	enum plan_role role = s->points[0].role;

	return role == PLAN_FROM || role == PLAN_TO || role == PLAN_BETWEEN;
}

struct memory memory_of(const struct plan_statement *s)
{
	uint64_t low = s->ranged ? s->low : 0, high = s->ranged ? s->high : UINT64_MAX;
	bool counts = s->points[0].role == PLAN_COUNT;
	struct memory m = { .parts = 1 };
	unsigned int words = 0;

	if (counts && !s->ranged)
		high = 0;
	m.slots = kstats_size_slots(low, high, s->bits);
	for (unsigned int i = 0; i < s->nby; i++)
		words += s->by[i].words;
	if (s->nby) {
		m.parts = s->entries ? s->entries : KSTATS_PARTS_DEFAULT;
		m.keys = kstats_size_map(m.parts, words);
	}
	m.cpu = kstats_size_histograms(m.slots + s->squares, m.parts) + KSTATS_SIZE_CPU;
	if (is_pair(s)) {
		words = s->points[0].role == PLAN_BETWEEN ? 0 : s->data_words;
		words += kstats_size_beside(s->key == PLAN_KEY_VALUE ? s->key_words : 1);
		m.pairs = kstats_size_pairs(s->pairs ? s->pairs : KSTATS_PAIRS_DEFAULT, words);
	}
	if (s->time)
		m.pairs = kstats_size_away(KSTATS_AWAY_DEFAULT);
	return m;
}

static uint64_t in_all(const struct plan_statement *s, unsigned int cpus)
{
	struct memory m = memory_of(s);

	return m.cpu * cpus + m.keys + m.pairs;
}

static uint64_t kilobytes(uint64_t bytes)
{
	return (bytes + 1023) / 1024;
}

bool memory_within(const struct plan *plan, unsigned int cpus, uint64_t most, struct diag *diag)
{
	uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	const struct plan_statement *largest = NULL;
	uint64_t all = 0, bytes, of_largest = 0;
	bool given = most;

	if (!given)
		most = machine / 100 * SHARE;
	for (unsigned int i = 0; i < plan->nstatements; i++) {
		bytes = in_all(&plan->statements[i], cpus);
		all += bytes;
		if (bytes > of_largest) {
			of_largest = bytes;
			largest = &plan->statements[i];
		}
	}
	if (all <= most)
		return true;
	diag_error(diag, LOC_NONE, "memory", "this takes %" PRIu64 " kB of the kernel's memory on %u possible CPU%s, %" PRIu64 " kB of it `%s`: "
		   "more than %" PRIu64 " kB, which is %s", kilobytes(all), cpus, cpus == 1 ? "" : "s", kilobytes(of_largest), largest->name,
		   most >> 10, given ? "--max-memory" : "five percent of this machine's");
	diag_help(diag, "fewer `entries` or `bits`, or a `range`, make it smaller; kmeter check -v adds it up; --max-memory %" PRIu64 "K allows it",
		  kilobytes(all));
	return false;
}

unsigned int memory_cpus(void)
{
	char *text = text_of_file("/sys/devices/system/cpu/possible", NULL), *last = text ? strrchr(text, '-') : NULL;
	unsigned int cpus = last ? (unsigned int)strtoul(last + 1, NULL, 10) + 1 : 1;

	free(text);
	return cpus;
}

void memory_print(const struct plan *plan, unsigned int cpus, FILE *to)
{
	uint64_t all = 0;

	fprintf(to, "%-24s %4s %7s %9s %11s %11s %11s %13s\n", "memory, bytes", "bits", "slots", "parts", "a CPU", "keys", "pairs",
		"in all");
	for (unsigned int i = 0; i < plan->nstatements; i++) {
		const struct plan_statement *s = &plan->statements[i];
		struct memory m = memory_of(s);
		uint64_t sum = in_all(s, cpus);
		char bits[12] = "-";

		if (s->bits != KSTATS_BITS_NONE)
			snprintf(bits, sizeof(bits), "%u", s->bits);
		fprintf(to, "%-24.24s %4s %7" PRIu64 " %9" PRIu64 " %11" PRIu64 " %11" PRIu64 " %11" PRIu64 " %13" PRIu64 "\n", s->name,
			bits, m.slots, m.parts, m.cpu, m.keys, m.pairs, sum);
		all += sum;
	}
	fprintf(to, "%u possible CPU%s, and what the probes keep: %" PRIu64 " bytes\n", cpus, cpus == 1 ? "" : "s", all);
}
