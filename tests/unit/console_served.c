// SPDX-License-Identifier: GPL-2.0
/*
 * console_served.c: what a server exposes over many looks (served.c), against a measurement that is played here: samples come, are looked at,
 * RESET; what was seen is known sample by sample. And the buckets (buckets.c): that they end where slots end, whatever they are asked for.
 */
#include <math.h>

#include "console/read.h"
#include "console/say.h"
#include "console/served.h"
#include "console_report.h"

enum { GROUPS = 12, SAMPLES = 4000, MOST = 5 };

/* A sample, and whether a look has seen it. */
struct sample {
	unsigned int group;
	__u64 value;
	bool seen;
};

static struct {
	struct sample all[SAMPLES];
	unsigned int n, table;		/* those of the present table are from @table on */
	__u64 resets, armed, armed_before, made, carried, filtered, filtered_before;
} play;

static char *command_of(unsigned int group)
{
	return say_text("task%u", group);
}

/* As the kernel would write it now. */
static struct snapshot *played(void)
{
	struct snap *s = snap_new("vfs_read", 4);
	unsigned int i, group, part[GROUPS];
	char *text;

	snap_line(s, "unit ns");
	snap_by(s, "comm", KSTATS_BY_STRING, 2);
	s->nparts = 0;
	for (i = 0; i < GROUPS; i++)
		part[i] = ~0u;
	for (i = play.table; i < play.n; i++) {
		group = play.all[i].group;
		if (part[group] == ~0u) {
			part[group] = s->nparts++;
			text = command_of(group);
			memcpy(s->part[part[group]].key, text, strlen(text));
			free(text);
		}
		snap_add(s, part[group], i % 3, play.all[i].value, 1);
		play.all[i].seen = true;
	}
	s->head.resets = play.resets;
	s->head.armed_ns = play.armed;
	s->head.armed_before = play.armed_before;
	s->head.made_ns = play.made;
	s->head.now_ns = play.made + play.armed + play.armed_before + 1000;
	s->head.before[KSTATS_RECORDED] = play.table;
	s->head.before[KSTATS_FILTERED] = play.filtered_before;
	s->head.before[KSTATS_HITS] = play.table + play.filtered_before;
	s->head.term[KSTATS_FILTERED] = play.filtered;
	s->head.term[KSTATS_HITS] += play.filtered;
	return finish(s);
}

static void look_at(struct served *sv)
{
	served_begin(sv);
	served_take(sv, played(), 1790000000);
	served_end(sv);
}

/* The series of a family with this value of that label (NULL: any). */
static const struct exposition_series *series(const struct exposition *e, const char *family, const char *label, const char *value)
{
	size_t i, j;
	unsigned int k;

	for (i = 0; i < e->n; i++) {
		if (strcmp(e->family[i].name, family))
			continue;
		for (j = 0; j < e->family[i].n; j++) {
			const struct exposition_labels *l = &e->family[i].series[j].labels;

			for (k = 0; k < l->n; k++)
				if (!label || (!strcmp(l->label[k].name, label) && !strcmp(l->label[k].value, value)))
					return &e->family[i].series[j];
		}
	}
	return NULL;
}

static __u64 number(const struct exposition *e, const char *family, const char *label, const char *value)
{
	const struct exposition_series *s = series(e, family, label, value);

	return s ? (__u64)s->value : ~0ULL;
}

/* Samples seen of these groups (bits), at most @end, and their sum. */
static __u64 seen(unsigned int groups, __u64 end, u128 *sum)
{
	unsigned int i;
	__u64 n = 0;

	*sum = 0;
	for (i = 0; i < play.n; i++) {
		if (!play.all[i].seen || !(groups >> play.all[i].group & 1) || play.all[i].value > end)
			continue;
		n++;
		*sum += play.all[i].value;
	}
	return n;
}

static bool right(const struct exposition_series *s, unsigned int groups)
{
	unsigned int i;
	u128 sum, all;
	bool good;

	if (!s)
		return false;
	good = s->count == seen(groups, ~0ULL, &all) && s->known && s->value == all;
	for (i = 0; i < s->nbuckets; i++)
		good &= s->bucket[i].below == seen(groups, s->bucket[i].end, &sum);
	return good;
}

/* No count of it is less than it was; and it is no other series. */
static bool grown(const struct exposition *old, const struct exposition *e)
{
	size_t i, j;
	unsigned int k;

	for (i = 0; i < old->n; i++) {
		const struct exposition_family *f = &old->family[i], *g = &e->family[i];

		if (strcmp(f->name, g->name) || g->n < f->n)
			return false;
		for (j = 0; j < f->n && f->type != EXPOSITION_GAUGE; j++) {
			const struct exposition_series *a = &f->series[j], *b = &g->series[j];

			if (!exposition_labels_alike(&a->labels, &b->labels) || b->value < a->value || b->count < a->count || a->created != b->created)
				return false;
			for (k = 0; k < a->nbuckets; k++)
				if (a->bucket[k].end != b->bucket[k].end || b->bucket[k].below < a->bucket[k].below)
					return false;
		}
	}
	return true;
}

static void more(unsigned int n, unsigned int groups)
{
	while (n-- && play.n < SAMPLES)
		play.all[play.n++] = (struct sample){ snap_random() * groups, exp2(7 + 30 * snap_random()), false };
	play.filtered += snap_random() * 5;
	play.armed += 1000000;
}

static void reset(void)
{
	play.resets++;
	play.table = play.n;
	play.filtered_before += play.filtered;
	play.armed_before += play.armed;
	play.filtered = play.armed = 0;
}

/* A life of looks and resets in any order; which groups come to have series is the first MOST that a look sees. */
static void resets(void)
{
	struct served_options o = { .buckets = BUCKETS_DEFAULT, .groups = MOST };
	struct served *sv = served_new(&o);
	struct exposition e = { 0 }, old = { 0 };
	unsigned int i, group, had = 0, left, unseen;
	bool counts = true, monotonic = true, missing = true, terms = true, others = true;
	u128 sum;
	char *text;

	play.made = 1000000000;
	for (i = 0; i < 60; i++) {
		more(40 * snap_random(), 3 + i / 5 < GROUPS ? 3 + i / 5 : GROUPS);	/* new groups come by and by */
		if (snap_random() < 0.3) {
			reset();
			if (snap_random() < 0.3)
				reset();	/* twice, and nobody looked */
			more(10 * snap_random(), 3);
		}
		look_at(sv);
		served_expose(sv, true, &e);
		for (group = 0, left = 0; group < GROUPS; group++) {
			text = command_of(group);
			if (series(&e, "kmeter_duration_seconds", "comm", text)) {
				counts &= right(series(&e, "kmeter_duration_seconds", "comm", text), 1u << group);
				had |= 1u << group;
			} else if (seen(1u << group, ~0ULL, &sum)) {
				left |= 1u << group;
			}
			free(text);
		}
		others &= left ? right(series(&e, "kmeter_duration_seconds", "comm", "(other)"), left) :
				 !series(&e, "kmeter_duration_seconds", "comm", "(other)");
		others &= number(&e, "kmeter_other_groups", NULL, NULL) == (unsigned int)__builtin_popcount(left) && __builtin_popcount(had) <= MOST;
		monotonic &= grown(&old, &e);
		unseen = play.n - seen(~0u, ~0ULL, &sum);
		missing &= number(&e, "kmeter_unseen", NULL, NULL) == unseen;
		terms &= number(&e, "kmeter_accounting", "term", "recorded") == play.n &&
			 number(&e, "kmeter_accounting", "term", "hits") == play.n + play.filtered + play.filtered_before &&
			 number(&e, "kmeter_armed_seconds", NULL, NULL) == play.armed + play.armed_before &&
			 number(&e, "kmeter_resets", NULL, NULL) == play.resets;
		exposition_free(&old);
		old = e;
	}
	ok(play.resets > 10 && unseen > 50 && play.n > 700 && left, "%llu resets, %u of %u samples that no look has seen, %d groups too many",
	   (unsigned long long)play.resets, unseen, play.n, __builtin_popcount(left));
	ok(counts, "each group has its samples that were seen, bucket by bucket, and their sum");
	ok(others, "those that came when there were enough are one, and as many as it says");
	ok(monotonic, "nothing goes back, no series goes or changes");
	ok(missing, "what no look has seen is known exactly");
	ok(terms, "the accounting is of all, seen or not");

	play.made += 5000000000;
	play.n = play.table = 0;
	play.resets = play.armed_before = play.filtered_before = 0;
	more(10, 3);
	look_at(sv);
	served_expose(sv, false, &e);
	ok(number(&e, "kmeter_accounting", "term", "recorded") == 10 && number(&e, "kmeter_unseen", NULL, NULL) == 0 &&
	   number(&e, "kmeter_groups", NULL, NULL) <= 3, "made anew it begins from 0, groups too");
	ok(series(&e, "kmeter_duration_seconds", NULL, NULL)->created > series(&old, "kmeter_duration_seconds", NULL, NULL)->created - 1 &&
	   series(&e, "kmeter_duration_seconds", NULL, NULL)->created < 1790000000, "and says since when");
	exposition_free(&e);
	exposition_free(&old);

	served_begin(sv);
	served_end(sv);
	served_expose(sv, false, &e);
	ok(!series(&e, "kmeter_accounting", NULL, NULL) && number(&e, "kmeter_build", NULL, NULL) == 1, "what is gone is not exposed");
	exposition_free(&e);
	served_free(sv);
}

/* A reader may come between the two additions of a sample, or between its own two reads: then a sum is ahead or behind, and yet never falls. */
static void torn(void)
{
	struct served_options o = { .buckets = BUCKETS_DEFAULT, .groups = MOST };
	struct served *sv = served_new(&o);
	struct kstats_slot all[64] = { { 0 } };
	struct exposition e;
	u128 before = 0, sum = 0;
	unsigned int i, j, slot = 0;
	bool good = true;

	for (i = 0; i < 2000; i++) {
		struct snap *s = snap_new("vfs_read", 3);
		__u64 value = 1 + 60 * snap_random();

		snap_line(s, "unit ns");
		s->part[0].slot[0] = calloc(kstats_slots(3), sizeof(struct kstats_slot));
		slot = snap_slot(value, 3);
		all[slot].n += i % 3 != 0;
		all[slot].sum += i % 3 != 1 ? value : 0;
		for (j = 0; j < 64; j++) {
			s->part[0].slot[0][j] = all[j];
			s->head.term[KSTATS_RECORDED] += all[j].n;
		}
		s->head.term[KSTATS_HITS] = s->head.term[KSTATS_RECORDED];
		served_begin(sv);
		served_take(sv, finish(s), 1790000000);
		served_end(sv);
		all[slot].n += i % 3 == 0;
		all[slot].sum += i % 3 == 1 ? value : 0;
		sum += value;
		served_expose(sv, false, &e);
		good &= series(&e, "kmeter_duration_seconds", NULL, NULL)->value >= before;
		before = series(&e, "kmeter_duration_seconds", NULL, NULL)->value;
		exposition_free(&e);
	}
	ok(good && before && sum - before < 64, "a sum that is read in the middle of an addition never falls");
	served_free(sv);
}

/* Two keys that read alike: who came first keeps its label. */
static void alike(void)
{
	struct served_options o = { .buckets = BUCKETS_DEFAULT, .groups = MOST };
	struct served *sv = served_new(&o);
	struct exposition e;
	static const char *const key[] = { "a\\x01", "a\x01", "(other)" };
	unsigned int i, j;

	for (i = 1; i <= 3; i++) {
		struct snap *s = snap_new("vfs_read", 3);

		snap_line(s, "unit ns");
		snap_by(s, "comm", KSTATS_BY_STRING, 2);
		s->nparts = i;
		for (j = 0; j < i; j++) {
			memcpy(s->part[j].key, key[j], strlen(key[j]));
			snap_add(s, j, 0, 1000, j + 1);
		}
		served_begin(sv);
		served_take(sv, finish(s), 1790000000);
		served_end(sv);
	}
	served_expose(sv, false, &e);
	ok(series(&e, "kmeter_duration_seconds", "comm", "a\\x01")->count == 1 && series(&e, "kmeter_duration_seconds", "comm", "a\\x01 0x161 0")->count == 2,
	   "who came first keeps its label, who reads alike has its words");
	ok(!series(&e, "kmeter_duration_seconds", "comm", "(other)") && series(&e, "kmeter_duration_seconds", "comm", "(other) 0x29726568746f28 0")->count == 3,
	   "a command called (other) is not the others");
	exposition_free(&e);
	served_free(sv);
}

/* ---- buckets ---- */

/* Is it the largest value of a slot? By what slots are: equal parts of a power of two, none narrower than 1. */
static bool ends_slot(__u64 end, unsigned int bits)
{
	__u64 next = end + 1, width;

	if (!next || next <= 2ULL << bits)
		return true;
	width = 1ULL << (63 - __builtin_clzll(next) - bits);
	return !(next & (width - 1));
}

static void chosen(void)
{
	static const unsigned int most[] = { 4, 5, 7, 20, 27, 28, 29, 53, 54, 106, 107, 300, 10000 };
	struct kstats_snapshot h = { 0 };
	struct buckets b;
	unsigned int bits, i, j, k, ranges, slots;
	bool slot = true, few = true, ascend = true, spare = true, ends = true;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		slots = kstats_slots(bits);
		for (ranges = 0; ranges < 40; ranges++) {
			h.bits = bits;
			h.first = ranges < 2 ? 0 : snap_random() * slots;
			h.slots = ranges < 2 ? slots : 1 + snap_random() * (slots - h.first);
			for (i = 0; i < sizeof(most) / sizeof(*most); i++) {
				__u64 lo = kstats_slot_lo(h.first, bits), hi = kstats_slot_hi(h.first + h.slots - 1, bits);

				buckets_choose(&h, ranges == 1, most[i], &b);
				few &= b.n + 1 <= most[i];
				for (j = 0; j < b.n; j++) {
					slot &= ends_slot(b.end[j], bits);
					ascend &= !j || b.end[j] > b.end[j - 1];
				}
				if (h.slots < slots)
					ends &= (!lo || b.end[0] == lo - 1) && (hi == ~0ULL || b.end[b.n - 1] == hi);
				else if (ranges == 1)
					ends &= b.end[0] == 255 && b.end[b.n - 1] == (1ULL << 34) - 1;
				else
					ends &= b.end[0] == 0 && b.end[b.n - 1] == (1ULL << 63) - 1;
				/* Twice as many an octave would be too many: between two that are an octave apart there are 2^k */
				for (k = 0, j = 0; j < b.n; j++)
					k += b.end[j] + 1 > 1ULL << 33 && b.end[j] + 1 <= 1ULL << 34;
				if (ranges == 1 && k && k < 1u << bits)
					spare &= 26 * 2 * k + 2 > most[i];
				buckets_free(&b);
			}
		}
	}
	ok(few, "never more buckets than asked for");
	ok(slot, "each ends where a slot ends");
	ok(ascend, "they ascend");
	ok(ends, "they tell apart what the statement says: its range, 256 ns to 17 s, or 1 to 2^63");
	ok(spare, "twice as many would be too many");
	h = (struct kstats_snapshot){ .bits = 3, .slots = kstats_slots(3) };
	buckets_choose(&h, true, BUCKETS_DEFAULT, &b);
	ok(b.n + 1 == 106 && b.end[4] == 511 && b.end[8] == 1023, "by default times have four an octave, 106 in all");
	buckets_free(&b);
	h.bits = KSTATS_BITS_NONE;
	h.slots = 1;
	buckets_choose(&h, true, BUCKETS_DEFAULT, &b);
	ok(!b.n, "without slots there is but the endless one");
	buckets_free(&b);
}

/* Every slot of every bits, each with other counts. */
static void native(void)
{
	unsigned int bits, i, n, decimals;
	bool total = true, in = true, ascend = true, alone = true;
	struct buckets_native *b;
	__u64 zero;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		for (decimals = 0; decimals <= 9; decimals += 3) {
			struct snapshot_total t = { .bits = bits, .count = kstats_slots(bits) };
			unsigned int at = 0;
			__u64 left = 0, all = 0;
			long double ratio = exp2l(1 / exp2l(buckets_schema(bits)));

			t.slot = calloc(t.count, sizeof(*t.slot));
			for (i = 0; i < t.count; i++)
				t.n += t.slot[i].n = 1 + i % 7;
			b = buckets_native(&t, decimals, &n, &zero);
			for (i = 0; i < n; i++) {
				all += b[i].n;
				ascend &= !i || b[i].index > b[i - 1].index;
			}
			total &= all + zero == t.n && zero == t.slot[0].n;
			/* The slots in order fill the buckets in order; each slot's middle lies in its bucket, within what a double tells. */
			for (i = 1; i < t.count; i++) {
				long double lo = kstats_slot_lo(i, bits), hi = kstats_slot_hi(i, bits), end, middle = sqrtl(lo * hi) / powl(10, decimals);

				if (!left)
					left = at < n ? b[at++].n : 0;
				end = exp2l(b[at - 1].index / exp2l(buckets_schema(bits)));
				in &= left >= t.slot[i].n && middle <= end * (1 + 1e-13L) && middle > end / ratio * (1 - 1e-13L);
				alone &= bits > 6 || left == t.slot[i].n;
				left -= t.slot[i].n < left ? t.slot[i].n : left;
			}
			in &= !left && at == n;
			free(b);
			free(t.slot);
		}
	}
	ok(total, "native buckets hold all samples, and 0 alone is in the zero bucket");
	ok(ascend, "they ascend");
	ok(in, "each slot is whole in the one that its middle lies in");
	ok(buckets_schema(0) == 2 && buckets_schema(3) == 5 && buckets_schema(6) == 8 && buckets_schema(10) == 8, "buckets are finer than slots, as far as may be");
	ok(alone, "up to bits 6 each slot has one of its own");
}

int main(void)
{
	resets();
	torn();
	alike();
	chosen();
	native();
	return done();
}
