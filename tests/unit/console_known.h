/* SPDX-License-Identifier: GPL-2.0 */
/*
 * console_known.h: reports of known contents, for the tests of every format and view: what is in them is said here once.
 */
#ifndef CONSOLE_KNOWN_H
#define CONSOLE_KNOWN_H

#include "console_report.h"

enum { KNOWN_MEASUREMENTS = 2, KNOWN_TIMES = 12 };

static struct snap *known_calls(const char *name, unsigned int bits)
{
	struct snap *s = snap_new(name, bits);

	snap_line(s, "statement measure %s bits %u", name, bits);
	snap_line(s, "module km_0123456789ab");
	snap_line(s, "point %s direct/fast", name);
	snap_line(s, "unit ns");
	snap_line(s, "clock tsc");
	snap_line(s, "floor 38 direct/fast");
	return s;
}

/* Nothing came. */
static void known_empty(struct snap **s)
{
	s[0] = known_calls("vfs_read", 3);
}

/* One sample. */
static void known_one(struct snap **s)
{
	s[0] = known_calls("vfs_read", 3);
	snap_add(s[0], 0, 2, 1234, 1);
}

/* Three, all in the highest slot: 2^64 - 1. */
static void known_top(struct snap **s)
{
	s[0] = known_calls("vfs_read", 3);
	snap_add(s[0], 0, 0, ~0ULL, 2);
	snap_add(s[0], 0, 1, ~0ULL, 1);
}

/* Five, none of which is in the histogram. */
static void known_outside(struct snap **s)
{
	s[0] = known_calls("vfs_read", 3);
	s[0]->head.first = kstats_slot_of(1000, 3);
	s[0]->head.slots = kstats_slot_of(1000000, 3) - s[0]->head.first + 1;
	s[0]->head.term[KSTATS_HITS] = s[0]->head.term[KSTATS_OUTSIDE] = 5;
}

/* The ends of what 64 bits hold, two samples each. */
static void known_extremes(struct snap **s)
{
	static const __u64 value[] = { 0, 1, (1ULL << 63) - 1, 1ULL << 63, ~0ULL };
	unsigned int i;

	s[0] = known_calls("vfs_read", 4);
	for (i = 0; i < 5; i++)
		snap_add(s[0], 0, i % 2, value[i], 2);
}

/* 1, 250, 999, 1000 ns; and values that the script has in microseconds: 0 twice, 1, 1500. */
static void known_micro(struct snap **s)
{
	s[0] = known_calls("vfs_read", 3);
	snap_add(s[0], 0, 0, 1, 1);
	snap_add(s[0], 0, 0, 250, 1);
	snap_add(s[0], 0, 0, 999, 1);
	snap_add(s[0], 0, 0, 1000, 1);
	s[1] = snap_new("srtt", 3);
	s[1]->head.kind = KSTATS_VALUE_KIND;
	snap_line(s[1], "statement measure value $sk->srtt_us >> 3 unit us");
	snap_line(s[1], "unit us");
	snap_add(s[1], 0, 0, 0, 2);
	snap_add(s[1], 0, 1, 1, 1);
	snap_add(s[1], 0, 1, 1500, 1);
}

static void known_text_key(struct snap *s, unsigned int part, const char *text)
{
	memcpy(s->part[part].key, text, strlen(text));
}

/* Two measurements of different bits: three commands (one with bytes that are not text), and three results of a call. */
static void known_groups(struct snap **s)
{
	unsigned int i;

	s[0] = known_calls("vfs_read", 3);
	snap_by(s[0], "comm", KSTATS_BY_STRING, 2);
	s[0]->nparts = 3;
	known_text_key(s[0], 0, "dd");
	known_text_key(s[0], 1, "md5sum");
	known_text_key(s[0], 2, "a\"b,c\x01\xff");
	for (i = 0; i < 40; i++)
		snap_add(s[0], 0, i % 3, 500 + 10 * i, 1 + i % 2);
	for (i = 0; i < 25; i++)
		snap_add(s[0], 1, i % 2, 8000 + 100 * i, 3);
	snap_add(s[0], 2, 5, 70000, 2);
	s[0]->head.term[KSTATS_HITS] += 7;
	s[0]->head.term[KSTATS_FILTERED] = 4;
	s[0]->head.term[KSTATS_MISSED] = 3;

	s[1] = known_calls("do_filp_open", 7);
	snap_by(s[1], "$return", KSTATS_BY_ERRNO, 1);
	s[1]->nparts = 3;
	s[1]->part[0].key[0] = 0;
	s[1]->part[1].key[0] = (__u64)-2;
	s[1]->part[2].key[0] = (__u64)-13;
	for (i = 0; i < 30; i++)
		snap_add(s[1], 0, i % 4, 1000 + 37 * i, 2);
	snap_add(s[1], 1, 3, 640, 11);
	snap_add(s[1], 2, 3, 900, 1);
}

/* Hits by a pattern's match and by a stack; addresses have no name here. */
static void known_counts(struct snap **s)
{
	unsigned int i;

	s[0] = snap_new("tcp_all", KSTATS_BITS_NONE);
	s[0]->head.kind = KSTATS_COUNTS;
	snap_line(s[0], "statement count \"tcp_*\" by stack");
	snap_line(s[0], "point tcp_sendmsg ftrace");
	snap_line(s[0], "point tcp_recvmsg ftrace");
	snap_line(s[0], "match 0 tcp_sendmsg");
	snap_line(s[0], "match 1 tcp_recvmsg");
	snap_by(s[0], "\"tcp_*\"", KSTATS_BY_POINT, 1);
	snap_by(s[0], "stack", KSTATS_BY_STACK, KSTATS_STACK_WORDS);
	s[0]->nparts = 2;
	for (i = 0; i < 2; i++) {
		s[0]->part[i].key[0] = i;
		s[0]->part[i].key[1] = 0xffffffff81000100ULL + 0x100 * i;
		s[0]->part[i].key[2] = 0xffffffff81000900ULL;
		s[0]->part[i].slot[i] = calloc(1, sizeof(struct kstats_slot));
		s[0]->part[i].slot[i][0].n = 70 * (i + 1);
		s[0]->head.term[KSTATS_HITS] += 70 * (i + 1);
		s[0]->head.term[KSTATS_RECORDED] += 70 * (i + 1);
	}
}

/* A slot whose sum wrapped on one CPU: there the mean is unknown. */
static void known_wrapped(struct snap **s)
{
	s[0] = known_calls("vfs_read", 0);
	snap_add(s[0], 0, 0, (1ULL << 63) + 5, 4);
	snap_add(s[0], 0, 1, 1000, 10);
}

/* Who touches a variable; and the times of two functions, whose squares are kept in place of a histogram. */
static void known_forms(struct snap **s)
{
	s[0] = snap_new("jiffies", KSTATS_BITS_NONE);
	s[0]->head.kind = KSTATS_COUNTS;
	s[0]->head.form = KSTATS_WATCH;
	snap_line(s[0], "statement watch jiffies_64 write");
	snap_line(s[0], "watch write 8 jiffies_64");
	snap_by(s[0], "function", KSTATS_BY_SYMBOL, 1);
	s[0]->nparts = 2;
	s[0]->part[0].key[0] = 0xffffffff81000000ULL;
	s[0]->part[1].key[0] = 0xffffffff81000900ULL;
	snap_add(s[0], 0, 0, 0, 3);
	snap_add(s[0], 1, 2, 0, 41);

	s[1] = snap_new("files", KSTATS_BITS_NONE);
	s[1]->head.form = KSTATS_PROFILE;
	snap_line(s[1], "statement profile \"vfs_*\" time");
	snap_line(s[1], "unit ns");
	snap_line(s[1], "match 0 vfs_read");
	snap_line(s[1], "match 1 vfs_write_with_a_name_as_long_as_any");
	snap_by(s[1], "\"vfs_*\"", KSTATS_BY_POINT, 1);
	s[1]->nparts = 2;
	s[1]->part[1].key[0] = 1;
	snap_add(s[1], 0, 0, 1000, 3);
	snap_add(s[1], 0, 1, 5000, 1);
	snap_add(s[1], 1, 0, 700, 1);
}

/* Keys and texts that would be something else in a page, a shell or a terminal. */
static void known_hostile(struct snap **s)
{
	static const char *const keys[] = {
		"</script><img src=x onerror=a()>", "<!--<script>", "\xe2\x80\xa8'\"&amp;\\", "__proto__", "\x1b[31m\n",
	};
	unsigned int i;

	s[0] = snap_new("<b>'\"&", 3);
	snap_line(s[0], "statement measure value 1 at f name \"</script><!--\" # <script>document.title = 1</script>");
	snap_line(s[0], "module </script>");
	snap_line(s[0], "point </SCRIPT ]]>");
	snap_line(s[0], "unit <i>");
	snap_by(s[0], "<u>", KSTATS_BY_STRING, KSTATS_STRING_WORDS);
	s[0]->head.kind = KSTATS_VALUE_KIND;
	s[0]->nparts = sizeof(keys) / sizeof(*keys);
	for (i = 0; i < s[0]->nparts; i++) {
		known_text_key(s[0], i, keys[i]);
		snap_add(s[0], i, 0, 100 * (i + 1), 1);
		snap_add(s[0], i, i % 2, 100, i);	/* all keys meet in one slot */
	}
}

/* Values of every size, one of them very often, at the finest bits, and at bits that no other tool has. */
static void known_fine(struct snap **s)
{
	static const unsigned int bits[] = { 10, 5 };
	unsigned int i, j;
	__u64 value;

	for (j = 0; j < 2; j++) {
		s[j] = known_calls(j ? "vfs_write" : "vfs_read", bits[j]);
		for (i = 0; i < 150; i++) {
			value = (i * 0x9e3779b97f4a7c15ULL + j) >> (i % 64);
			snap_add(s[j], 0, i % 2, value, i == 60 ? 1000000007 : 1 + i % 3);
		}
	}
}

/*
 * What formats must quote or tell apart: names that a format has other uses for, texts with its signs in them, two that read alike
 * (a control character, and how that is written), a stack beside an empty word.
 */
static void known_labels(struct snap **s)
{
	static const char *const text[] = { "a\x01", "a\\x01", "q\"c,s\\n\n", "=1+1", "ü 100%/x" };
	unsigned int i;

	s[0] = known_calls("odd name,\"1\"", 3);
	s[0]->text[0] = 0;
	snap_line(s[0], "unit item_count");
	s[0]->head.kind = KSTATS_VALUE_KIND;
	snap_by(s[0], "le", KSTATS_BY_STRING, 4);
	snap_by(s[0], "($a)->b", KSTATS_BY_HEX, 1);
	snap_by(s[0], "a.b", KSTATS_BY_S64, 1);
	snap_by(s[0], "1 + pid", KSTATS_BY_U64, 1);
	s[0]->nparts = 5;
	for (i = 0; i < 5; i++) {
		known_text_key(s[0], i, text[i]);
		s[0]->part[i].key[4] = 0xffffffff81000000ULL;
		s[0]->part[i].key[5] = (__u64)-1;
		s[0]->part[i].key[6] = ~0ULL;
		snap_add(s[0], i, i, 10 + i, 1 + i);
	}
	s[1] = known_calls("stacks", 4);
	snap_by(s[1], "stack", KSTATS_BY_STACK, KSTATS_STACK_WORDS);
	snap_by(s[1], "stack", KSTATS_BY_STRING, 2);
	s[1]->part[0].key[0] = 0xffffffff81000010ULL;
	s[1]->part[0].key[1] = 0xffffffff81000901ULL;
	s[1]->part[0].key[2] = 0x1000;
	snap_add(s[1], 0, 0, 100, 7);
}

/* The same two measurements by moments that follow each other (report 1, 2, ...), a second each: what is slow comes and goes. */
static void known_times(struct snap **s, unsigned int number)
{
	unsigned int i, cpu;

	s[0] = known_calls("vfs_read", 5);
	s[1] = known_calls("vfs_write", 3);
	for (i = 0; i < 200; i++)
		for (cpu = 0; cpu < 4; cpu++)
			snap_add(s[0], 0, cpu, 600 + (i * i * 7 + 131 * cpu) % 900, 1);
	for (i = 0; i < 10 * (number % 5); i++)
		snap_add(s[0], 0, 1, 50000 + 3000 * i + 100000 * (number / 5), 1);
	for (i = 0; i < 5 * number; i++)
		snap_add(s[1], 0, number % 3, 2000 * number + 77 * i, 1);
	for (i = 0; i < 2; i++) {
		s[i]->head.armed_ns = 1000000000;
		s[i]->head.now_ns += number * 1000000000ULL;
	}
}

/* Reset twice, with something in flight at the second time: of what came before there are but the terms. */
static void known_reset(struct snap **s)
{
	unsigned int i;

	s[0] = known_calls("vfs_read", 3);
	s[0]->head.made_ns = 400000000000ULL;
	s[0]->head.resets = 2;
	s[0]->head.armed_before = 17000000000ULL;
	s[0]->head.before[KSTATS_HITS] = 1007;
	s[0]->head.before[KSTATS_RECORDED] = 1000;
	s[0]->head.before[KSTATS_FILTERED] = 7;
	for (i = 0; i < 20; i++)
		snap_add(s[0], 0, i % 2, 3000 + 100 * i, 2);
	s[0]->head.term[KSTATS_HITS] += 5;
	s[0]->head.term[KSTATS_IN_FLIGHT] = 5;
}

static const struct known {
	const char *name;
	void (*make)(struct snap **s);
} known[] = {
	{ "empty", known_empty },
	{ "one", known_one },
	{ "top", known_top },
	{ "outside", known_outside },
	{ "extremes", known_extremes },
	{ "micro", known_micro },
	{ "groups", known_groups },
	{ "counts", known_counts },
	{ "wrapped", known_wrapped },
	{ "forms", known_forms },
	{ "hostile", known_hostile },
	{ "fine", known_fine },
	{ "labels", known_labels },
	{ "reset", known_reset },
};

enum { KNOWN = sizeof(known) / sizeof(*known) };

/* The measurements of one of these; how many. */
__attribute__((unused))
static size_t known_snapshots(size_t which, struct snapshot **out)
{
	struct snap *s[KNOWN_MEASUREMENTS] = { NULL };
	size_t n;

	known[which].make(s);
	for (n = 0; n < KNOWN_MEASUREMENTS && s[n]; n++)
		out[n] = finish(s[n]);
	return n;
}

/* Those of a moment, 1 to KNOWN_TIMES. */
__attribute__((unused))
static size_t known_moment(unsigned int number, struct snapshot **out)
{
	struct snap *s[KNOWN_MEASUREMENTS] = { NULL };
	size_t n;

	known_times(s, number);
	for (n = 0; n < KNOWN_MEASUREMENTS; n++) {
		out[n] = finish(s[n]);
		out[n]->interval = true;
	}
	return n;
}

#endif /* CONSOLE_KNOWN_H */
