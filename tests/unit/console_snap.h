/* SPDX-License-Identifier: GPL-2.0 */
/*
 * console_snap.h: for the console's unit tests: TAP, and a writer of the kernel's binary form that shares nothing with
 * the reader but kstats.h.
 */
#ifndef CONSOLE_SNAP_H
#define CONSOLE_SNAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/kstats.h"

/* ---- TAP ---- */

static int tap_tests, tap_failed;

__attribute__((format(printf, 2, 3), unused))
static bool ok(bool good, const char *format, ...)
{
	va_list args;

	printf("%sok %d - ", good ? "" : "not ", ++tap_tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	tap_failed += !good;
	return good;
}

__attribute__((unused))
static bool is_text(const char *got, const char *wanted, const char *name)
{
	bool good = got && !strcmp(got, wanted);

	ok(good, "%s", name);
	if (!good)
		printf("# got:    %s\n# wanted: %s\n", got ? got : "(null)", wanted);
	return good;
}

__attribute__((unused))
static int done(void)
{
	printf("1..%d\n", tap_tests);
	return tap_failed != 0;
}

/* ---- the writer ---- */

enum { SNAP_CPUS = 8, SNAP_PARTS = 64 };

struct snap_part {
	__u64 key[KSTATS_BY_WORDS];
	struct kstats_slot *slot[SNAP_CPUS];	/* all of them, NULL: this CPU has no run */
	unsigned __int128 squares;		/* of a profile's times */
};

struct snap {
	struct kstats_snapshot head;
	char text[4096];
	struct snap_part part[SNAP_PARTS];
	unsigned int nparts;
};

__attribute__((unused))
static struct snap *snap_new(const char *name, unsigned int bits)
{
	struct snap *s = calloc(1, sizeof(*s));

	s->head.magic = KSTATS_SNAPSHOT_MAGIC;
	s->head.version = KSTATS_VERSION;
	s->head.header_bytes = sizeof(s->head);
	s->head.now_ns = 1000000000000ULL;
	s->head.armed_ns = 5000000000ULL;
	s->head.memory = 32 << 10;
	s->head.bits = bits;
	s->head.slots = kstats_slots(bits);
	s->head.cpus = SNAP_CPUS;
	snprintf(s->head.name, sizeof(s->head.name), "%s", name);
	s->nparts = 1;
	return s;
}

__attribute__((format(printf, 2, 3), unused))
static void snap_line(struct snap *s, const char *format, ...)
{
	size_t at = strlen(s->text);
	va_list args;

	va_start(args, format);
	vsnprintf(s->text + at, sizeof(s->text) - at - 1, format, args);
	va_end(args);
	strcat(s->text, "\n");
}

/* The slot's number by another road than slot.h takes: search the power of two, then divide. */
__attribute__((unused))
static unsigned int snap_slot(__u64 v, unsigned int bits)
{
	unsigned int power = bits;
	__u64 base;

	if (bits == KSTATS_BITS_NONE)
		return 0;
	if (v < 1ULL << bits)
		return v;
	while (power < 63 && v >> (power + 1))
		power++;
	base = 1ULL << power;
	return ((power - bits + 1) << bits) + (v - base) / (base >> bits);
}

/* Where samples are also written as they are, before they have a slot: "NAME PART CPU VALUE N". */
__attribute__((unused))
static FILE *snap_log;

/* n samples of value v, on a CPU, in a part. */
__attribute__((unused))
static void snap_add(struct snap *s, unsigned int part, unsigned int cpu, __u64 v, __u64 n)
{
	struct kstats_slot **slots = &s->part[part].slot[cpu];
	unsigned int i = snap_slot(v, s->head.bits);

	if (snap_log)
		fprintf(snap_log, "%s %u %u %llu %llu\n", s->head.name, part, cpu, (unsigned long long)v, (unsigned long long)n);
	if (!*slots)
		*slots = calloc(kstats_slots(s->head.bits), sizeof(**slots));
	(*slots)[i].n += n;
	(*slots)[i].sum += n * v;
	if (s->head.form == KSTATS_PROFILE)
		s->part[part].squares += (unsigned __int128)v * v * n;
	s->head.term[KSTATS_RECORDED] += n;
	s->head.term[KSTATS_HITS] += n;
}

__attribute__((unused))
static void snap_by(struct snap *s, const char *text, unsigned int type, unsigned int words)
{
	struct kstats_snapshot_by *by = &s->head.by[s->head.nby++];

	by->type = type;
	by->words = words;
	snprintf(by->text, sizeof(by->text), "%s", text);
	s->head.by_words += words;
}

__attribute__((unused))
static void *snap_write(const struct snap *s, size_t *size)
{
	struct kstats_snapshot head = s->head;
	unsigned char *data = calloc(1, 16 << 20);
	size_t at = sizeof(head), all = kstats_slots(head.bits);
	unsigned int i, cpu;

	head.text_bytes = (strlen(s->text) + 7) / 8 * 8;
	memcpy(data + at, s->text, strlen(s->text));
	at += head.text_bytes;
	for (i = 0; i < s->nparts; i++) {
		struct kstats_snapshot_part part = { .squares = { s->part[i].squares, s->part[i].squares >> 64 } };
		size_t start = at;

		at += sizeof(part);
		memcpy(data + at, s->part[i].key, head.by_words * 8);
		at += head.by_words * 8;
		for (cpu = 0; cpu < SNAP_CPUS; cpu++) {
			const struct kstats_slot *slot = s->part[i].slot[cpu];
			struct kstats_snapshot_run run = { .cpu = cpu };
			size_t lo = 0, hi = all;

			while (slot && lo < hi && !slot[lo].n)
				lo++;
			while (slot && lo < hi && !slot[hi - 1].n)
				hi--;
			if (!slot || lo == hi)
				continue;
			run.first = lo;
			run.count = hi - lo;
			memcpy(data + at, &run, sizeof(run));
			at += sizeof(run);
			memcpy(data + at, slot + lo, (hi - lo) * sizeof(*slot));
			at += (hi - lo) * sizeof(*slot);
			part.runs++;
		}
		part.bytes = at - start;
		memcpy(data + start, &part, sizeof(part));
	}
	head.parts = s->nparts;
	head.bytes = at;
	memcpy(data, &head, sizeof(head));
	*size = at;
	return data;
}

__attribute__((unused))
static void snap_free(struct snap *s)
{
	unsigned int i, cpu;

	for (i = 0; i < SNAP_PARTS; i++)
		for (cpu = 0; cpu < SNAP_CPUS; cpu++)
			free(s->part[i].slot[cpu]);
	free(s);
}

/* Deterministic noise (xorshift64*), the same on every machine. */
static unsigned long long snap_seed = 88172645463325252ULL;

__attribute__((unused))
static double snap_random(void)
{
	snap_seed ^= snap_seed >> 12;
	snap_seed ^= snap_seed << 25;
	snap_seed ^= snap_seed >> 27;
	return ((snap_seed * 2685821657736338717ULL >> 11) + 0.5) / 9007199254740992.0;
}

#endif /* CONSOLE_SNAP_H */
