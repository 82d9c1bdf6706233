// SPDX-License-Identifier: GPL-2.0
/*
 * console_read.c: the binary form is read right, and damaged files are refused without harm (ASan watches); differences,
 * parts of one key, totals of sums that wrap.
 */
#include <math.h>
#include <stddef.h>

#include "console/figures.h"
#include "console/keys.h"
#include "console/ksyms.h"
#include "console/read.h"
#include "console_snap.h"

static struct snapshot *parse(const struct snap *s)
{
	const char *why;
	size_t size;
	void *data = snap_write(s, &size);
	struct snapshot *parsed = read_parse(data, size, &why);

	if (!parsed)
		printf("# %s\n", why);
	free(data);
	return parsed;
}

static struct snap *sample(void)
{
	struct snap *s = snap_new("vfs_read", 3);
	const char *comm[] = { "dd", "bash" };
	int i;

	snap_line(s, "statement measure vfs_read by comm, pid");
	snap_line(s, "module km_0123456789ab");
	snap_line(s, "point vfs_read kretprobe");
	snap_line(s, "point \"a b\" kprobe, with words");
	snap_line(s, "unit ns");
	snap_by(s, "comm", KSTATS_BY_STRING, 2);
	snap_by(s, "pid", KSTATS_BY_U64, 1);
	s->nparts = 2;
	for (i = 0; i < 2; i++) {
		strcpy((char *)s->part[i].key, comm[i]);
		s->part[i].key[2] = 100 - i;
		snap_add(s, i, 0, 1000, 5);
		snap_add(s, i, 3, 1001 + i, 2);
		snap_add(s, i, 3, 5000000, 1);
	}
	return s;
}

static void reads(void)
{
	struct snap *s = sample();
	struct snapshot *p = parse(s);
	struct snapshot_total t;
	const char *at = NULL, *line;
	size_t length;
	struct keys *keys;
	char *key, *text;

	if (!ok(p != NULL, "a snapshot parses"))
		return;
	ok(p->head.bits == 3 && p->nparts == 2 && p->head.armed_ns == 5000000000ULL, "its header and parts");
	is_text(p->head.name, "vfs_read", "its name");
	text = snapshot_value(p, "statement");
	is_text(text, "measure vfs_read by comm, pid", "a line of its text");
	free(text);
	ok(!snapshot_value(p, "state"), "a word that only begins like another is not it");
	ok(snapshot_of_module(p, "km_0123456789ab") && !snapshot_of_module(p, "km_0123456789a"), "its module");
	line = snapshot_line(p, "point", &at, &length);
	ok(line && length == 18 && snapshot_first_word(line, length) == 8, "the first point");
	line = snapshot_line(p, "point", &at, &length);
	ok(line && snapshot_first_word(line, length) == 5, "the second, whose text is quoted");
	ok(!snapshot_line(p, "point", &at, &length), "and no third");

	keys = keys_new(p);
	key = keys_text(keys, &p->parts[0], 0);
	text = keys_text(keys, &p->parts[0], 1);
	ok((!strcmp(key, "dd") && !strcmp(text, "100")) || (!strcmp(key, "bash") && !strcmp(text, "99")), "a key of two");
	free(key);
	free(text);
	keys_free(keys);

	snapshot_total(p, NULL, -1, &t);
	ok(t.n == 16 && t.known && t.sum == 2 * 5000 + 2 * 1001 + 2 * 1002 + 2 * 5000000, "totals over all CPUs and parts");
	snapshot_total_free(&t);
	snapshot_total(p, NULL, 3, &t);
	ok(t.n == 6, "totals of one CPU");
	snapshot_total_free(&t);
	snapshot_free(p);
	snap_free(s);
}

/* Each prefix in memory of exactly its size, so that ASan sees a read of one byte too many. */
static void truncations(void)
{
	struct snap *s = sample();
	size_t size, n, accepted = 0;
	unsigned char *data = snap_write(s, &size);
	const char *why;

	for (n = 0; n < size; n++) {
		void *cut = malloc(n ? n : 1);
		struct snapshot *p;

		memcpy(cut, data, n);
		p = read_parse(cut, n, &why);
		accepted += p != NULL || !why;
		snapshot_free(p);
		free(cut);
	}
	ok(!accepted, "cut short after any of its %zu bytes it is refused, with a reason", size);
	free(data);
	snap_free(s);
}

/* Also cut short with the length in the header made to fit, and with every 32-bit word replaced by bad numbers. */
static void damage(void)
{
	static const __u32 bad[] = { 0, 1, 7, 8, 65, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff };
	struct snap *s = sample();
	size_t size, n, i, accepted = 0;
	unsigned char *data = snap_write(s, &size), *copy = malloc(size);
	const char *why;
	struct snapshot *p;
	__u64 bytes;

	for (n = sizeof(struct kstats_snapshot); n < size; n++) {
		void *cut = malloc(n);

		memcpy(cut, data, n);
		bytes = n;
		memcpy((char *)cut + offsetof(struct kstats_snapshot, bytes), &bytes, sizeof(bytes));
		p = read_parse(cut, n, &why);
		accepted += p != NULL;
		snapshot_free(p);
		free(cut);
	}
	ok(!accepted, "cut short and stating so, it is refused");

	for (n = 0; n + 4 <= size; n += 4) {
		for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
			struct figures f;

			memcpy(copy, data, size);
			memcpy(copy + n, &bad[i], 4);
			p = read_parse(copy, size, &why);
			if (p) {	/* a number that may be so: then everything can be computed */
				figures_of(p, NULL, &f);
				figures_free(&f);
				snapshot_free(p);
			}
		}
	}
	ok(true, "with any word of it replaced it is refused or read, without harm");
	free(copy);
	free(data);
	snap_free(s);
}

static bool refused(size_t offset, const void *value, size_t bytes, const char *word)
{
	struct snap *s = sample();
	size_t size;
	char *data = snap_write(s, &size);
	struct snapshot *p;
	const char *why;
	bool good;

	memcpy(data + offset, value, bytes);
	p = read_parse(data, size, &why);
	good = !p && strstr(why, word);
	if (!good)
		printf("# %s\n", p ? "accepted" : why);
	snapshot_free(p);
	free(data);
	snap_free(s);
	return good;
}

static void header(void)
{
	__u32 one = 1, newer = KSTATS_VERSION + 1, eleven = 11, four = 4, five = 5, nine = 9, many = 1000;
	__u32 stack = KSTATS_BY_STACK;
	__u64 zero = 0;
	char name[KSTATS_NAME_LEN];

	memset(name, 'x', sizeof(name));
	ok(refused(offsetof(struct kstats_snapshot, magic), &zero, 8, "not a snapshot"), "wrong magic");
	ok(refused(offsetof(struct kstats_snapshot, version), &one, 4, "unload --all"), "an older version: says what to do");
	ok(refused(offsetof(struct kstats_snapshot, version), &newer, 4, "unload --all"), "a newer one");
	ok(refused(offsetof(struct kstats_snapshot, kind), &newer, 4, "kind"), "a kind that there is not");
	ok(refused(offsetof(struct kstats_snapshot, by[0].type), &nine, 4, "key"), "a type of key that there is not");
	ok(refused(offsetof(struct kstats_snapshot, by[0].type), &five, 4, "key"), "a symbol of two words");
	ok(refused(offsetof(struct kstats_snapshot, by[0].type), &stack, 4, "key"), "a stack of two words");
	ok(refused(offsetof(struct kstats_snapshot, bits), &eleven, 4, "bits"), "bits above 10");
	ok(refused(offsetof(struct kstats_snapshot, slots), &many, 4, "slots"), "more slots than there are");
	ok(refused(offsetof(struct kstats_snapshot, nby), &five, 4, "keys"), "more keys than there can be");
	ok(refused(offsetof(struct kstats_snapshot, by_words), &four, 4, "keys"), "keys that do not add up");
	ok(refused(offsetof(struct kstats_snapshot, name), name, sizeof(name), "name"), "a name without end");
	ok(refused(offsetof(struct kstats_snapshot, by), name, sizeof(name), "key"), "a key's description without end");
}

/* The header may grow: a reader skips what it does not know. */
static void growth(void)
{
	struct snap *s = sample();
	size_t size, head = sizeof(struct kstats_snapshot);
	char *data = snap_write(s, &size), *longer = calloc(size + 16, 1);
	struct kstats_snapshot h;
	struct snapshot *p;
	const char *why;

	memcpy(&h, data, head);
	h.header_bytes += 16;
	h.bytes += 16;
	memcpy(longer, &h, head);
	memset(longer + head, 0xaa, 16);
	memcpy(longer + head + 16, data + head, size - head);
	p = read_parse(longer, size + 16, &why);
	ok(p && p->nparts == 2 && snapshot_of_module(p, "km_0123456789ab"), "a longer header of the same version is read");
	snapshot_free(p);
	free(longer);
	free(data);
	snap_free(s);
}

static void differences(void)
{
	struct snap *a = sample(), *b = sample();
	struct snapshot *old, *now, *d;
	struct snapshot_total t;

	a->head.term[KSTATS_IN_FLIGHT] = 3;
	a->head.term[KSTATS_HITS] += 3;
	b->head.armed_ns += 1000000000;
	b->nparts = 3;
	b->part[2].key[0] = 1;
	snap_add(b, 2, 5, 77, 4);
	snap_add(b, 0, 0, 1000, 10);
	snap_add(b, 0, 6, 123456, 1);
	b->head.term[KSTATS_IN_FLIGHT] = 1;
	b->head.term[KSTATS_HITS] += 1;
	old = parse(a);
	now = parse(b);
	d = snapshot_subtract(now, old);
	snapshot_total(d, NULL, -1, &t);
	ok(!d->restarted && d->interval && t.n == 15 && t.sum == 4 * 77 + 10 * 1000 + 123456, "a difference holds what is new");
	ok(d->head.armed_ns == 1000000000, "and the time between");
	ok(d->head.term[KSTATS_RECORDED] == 15 && d->head.term[KSTATS_HITS] == snapshot_accounted(d) &&
	   d->head.term[KSTATS_IN_FLIGHT] == 1, "the accounting of an interval balances, with what was in flight before");
	ok(t.slot[t.count - 1].exact && t.slot[t.count - 1].least == 123456, "a single new sample is known exactly");
	snapshot_total_free(&t);
	snapshot_total(now, NULL, -1, &t);
	ok(t.n == 31, "what was subtracted from is unchanged");
	snapshot_total_free(&t);
	snapshot_free(d);

	now->head.resets++;
	d = snapshot_subtract(now, old);
	snapshot_total(d, NULL, -1, &t);
	ok(d->restarted && t.n == 31, "after a RESET the new one stands alone");
	snapshot_total_free(&t);
	snapshot_free(d);
	now->head.resets--;

	d = snapshot_subtract(old, now);	/* counts go backwards: made anew under the same name */
	ok(d->restarted && d->head.term[KSTATS_RECORDED] == 16, "so it does when counts went backwards");
	snapshot_free(d);
	snapshot_free(old);
	snapshot_free(now);
	snap_free(a);
	snap_free(b);
}

static void merging(void)
{
	struct snap *s = snap_new("merge", 3);
	struct snapshot_total t;
	struct snapshot *p;
	int i;

	snap_by(s, "cpu", KSTATS_BY_S64, 1);
	s->nparts = 3;
	for (i = 0; i < 3; i++) {
		s->part[i].key[0] = i == 1 ? 5 : (__u64)-7;
		snap_add(s, i, 2, 100 + i, 1);
	}
	p = parse(s);
	ok(p && p->nparts == 2, "parts of one key become one");
	snapshot_total(p, &p->parts[1], -1, &t);
	ok(t.n == 2 && t.sum == 202 && t.slot[0].exact && t.slot[0].least == 100 && t.slot[0].most == 102,
	   "with the samples of both, though of the same CPU and slot");
	snapshot_total_free(&t);
	snapshot_free(p);
	snap_free(s);
}

static void wrapping(void)
{
	struct snap *s = snap_new("wrap", 0);
	struct snapshot_total t;
	struct snapshot *p;
	double lo, hi, mean;
	int cpu;

	/* each CPU's sum has wrapped; together they still make an exact one */
	for (cpu = 0; cpu < 4; cpu++)
		snap_add(s, 0, cpu, 0x1800000000000000ULL, 8);
	p = parse(s);
	snapshot_total(p, NULL, -1, &t);
	ok(t.known && t.sum == (u128)32 * 0x1800000000000000ULL, "sums of several CPUs that wrapped add up beyond 64 bits");
	ok(snapshot_mean(&t, NULL, NULL) == 0x1.8p60, "and their mean is exact");
	snapshot_total_free(&t);
	snapshot_free(p);

	snap_add(s, 0, 0, 0xc000000000000000ULL, 4);
	p = parse(s);
	snapshot_total(p, NULL, -1, &t);
	mean = snapshot_mean(&t, &lo, &hi);
	ok(!t.known && isnan(mean) && lo < hi, "where a slot's sum no longer tells, the mean is unknown and bounded");
	snapshot_total_free(&t);
	snapshot_free(p);
	snap_free(s);
}

static void torn(void)
{
	struct snap *s = snap_new("torn", 3);
	struct snapshot_total t;
	struct snapshot *p;

	snap_add(s, 0, 0, 1000, 1);
	s->part[0].slot[0][snap_slot(1000, 3)].sum = 0;
	p = parse(s);
	snapshot_total(p, NULL, -1, &t);
	ok(t.n == 1 && !t.slot[0].exact && t.slot[0].least == 960 && t.slot[0].most == 1023,
	   "a sample counted and not yet summed is not taken for an exact one");
	snapshot_total_free(&t);
	snapshot_free(p);
	snap_free(s);
}

static void printable(void)
{
	static const struct { const char *in, *out; } cases[] = {
		{ "plain", "plain" }, { "µs", "µs" }, { "a\tb\n", "a\\x09b\\x0a" }, { "\033[31m", "\\x1b[31m" },
		{ "\xff", "\\xff" }, { "\xc3", "\\xc3" }, { "\xc2\x9b", "\\xc2\\x9b" }, { "\xed\xa0\x80", "\\xed\\xa0\\x80" },
		{ "\xe2\x80\xae", "\\xe2\\x80\\xae" }, { "\x7f", "\\x7f" }, { "\xc0\xaf", "\\xc0\\xaf" }, { "", "" },
	};
	size_t i;
	char *got;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		got = keys_printable(cases[i].in, strlen(cases[i].in));
		is_text(got, cases[i].out, "text that a terminal takes as it is");
		free(got);
	}
}

int main(void)
{
	reads();
	truncations();
	damage();
	header();
	growth();
	differences();
	merging();
	wrapping();
	torn();
	printable();
	return done();
}
