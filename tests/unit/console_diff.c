// SPDX-License-Identifier: GPL-2.0
/*
 * console_diff.c: what counts as moved between two reports, and how it is told.
 *
 * With an argument it prints the texts instead, to look at them.
 */
#include "console/diff.h"
#include "console/say.h"
#include "console_known.h"

static struct options wishes;
static char *told;

/* The status, and in `told` what was written. */
static int compared(const struct render *format, struct snapshot **a, size_t na, struct snapshot **b, size_t nb)
{
	struct report left = { .snapshots = a, .n = na }, right = { .snapshots = b, .n = nb };
	struct diff_side side[] = { { "a.json", &left }, { "some/where/b.json", &right } };
	struct print p = { .format = format, .look = options };
	size_t size;
	int status;

	free(told);
	p.out = open_memstream(&told, &size);
	status = diff_reports(&p, &wishes, side);
	fclose(p.out);
	return status;
}

/* The same of one measurement each, which are freed. */
static int compared_snaps(const struct render *format, struct snap *a, struct snap *b)
{
	struct snapshot *x = finish(a), *y = finish(b);
	int status = compared(format, &x, 1, &y, 1);

	snapshot_free(x);
	snapshot_free(y);
	return status;
}

static struct snap *of(unsigned int bits, __u64 value, __u64 n)
{
	struct snap *s = known_calls("f", bits);

	if (n)
		snap_add(s, 0, 0, value, n);
	return s;
}

static void status_is(int wanted, struct snap *a, struct snap *b, const char *name)
{
	int got = compared_snaps(&render_text, a, b);

	if (!ok(got == wanted, "%s: status %d", name, wanted))
		printf("# got %d\n%s", got, told);
}

static void themselves(void)
{
	struct snapshot *s[KNOWN_MEASUREMENTS];
	size_t i, n;

	for (i = 0; i < KNOWN; i++) {
		n = known_snapshots(i, s);
		ok(!compared(&render_text, s, n, s, n) && !strstr(told, "moved up") && !strstr(told, "moved down"), "%s has not moved from itself",
		   known[i].name);
		while (n)
			snapshot_free(s[--n]);
	}
}

static void bounds(void)
{
	/* bits 3: 960 to 1023 is one slot, 1024 the next one's first */
	status_is(0, of(3, 960, 1000), of(3, 1023, 1000), "the ends of one slot");
	status_is(1, of(3, 1023, 1000), of(3, 1024, 1000), "the next slot");
	status_is(1, of(3, 1024, 1000), of(3, 1023, 1000), "the slot before");
	status_is(0, of(7, 1023, 1000), of(3, 960, 1000), "of other bits, one within the other");
	status_is(1, of(7, 1024, 1000), of(3, 960, 1000), "of other bits, one beyond the other");
	status_is(1, of(3, 500, 1), of(3, 5000, 1), "a sample each");
	status_is(1, of(3, 500, 1), of(3, 0, 0), "samples in one alone");
	status_is(0, of(3, 0, 0), of(3, 0, 0), "samples in neither");
	status_is(1, of(10, ~0ULL, 3), of(10, 0, 3), "the ends of 64 bits");

	wishes.tolerance = 0.05;
	status_is(0, of(10, 100000, 1000), of(10, 104900, 1000), "4.9 % with a tolerance of 5");
	status_is(1, of(10, 100000, 1000), of(10, 105200, 1000), "5.2 % with a tolerance of 5");
	status_is(0, of(10, 100000, 1000), of(10, 95100, 1000), "-4.9 % with a tolerance of 5");
	status_is(1, of(10, 100000, 1000), of(10, 94800, 1000), "-5.2 % with a tolerance of 5");
	wishes.tolerance = 0;
	wishes.beyond_chance = true;
	status_is(0, of(3, 500, 1), of(3, 5000, 1), "a sample each, which chance may do");
	status_is(1, of(3, 500, 1000), of(3, 5000, 1000), "a thousand each, which it may not");
	wishes.beyond_chance = false;
}

/* Two samplings of one distribution differ; how often beyond chance? */
static void chance(void)
{
	enum { TIMES = 400, EACH = 1500 };
	unsigned int i, j, side, moved = 0, beyond = 0;

	for (i = 0; i < TIMES; i++) {
		for (wishes.beyond_chance = false;; wishes.beyond_chance = true) {
			unsigned long long seed = snap_seed;
			struct snap *s[2];

			for (side = 0; side < 2; side++) {
				s[side] = of(10, 0, 0);
				for (j = 0; j < EACH; j++)
					snap_add(s[side], 0, 0, 1000 / (snap_random() * snap_random() + 1e-4), 1);
			}
			*(wishes.beyond_chance ? &beyond : &moved) += compared_snaps(&render_text, s[0], s[1]);
			if (wishes.beyond_chance)
				break;
			snap_seed = seed;	/* the same samples again */
		}
	}
	wishes.beyond_chance = false;
	ok(moved > TIMES / 2 && beyond <= 2, "of %d pairs of samplings of one distribution %u moved, %u beyond chance", TIMES, moved, beyond);
}

static void misfits(void)
{
	struct snap *a = of(3, 500, 10), *b = known_calls("f", 3);
	struct snapshot *x[2], *y[2];
	int status;

	strcpy(b->text, "unit bytes\n");
	status_is(2, a, b, "another unit");
	x[0] = finish(of(3, 500, 10));
	y[0] = finish(known_calls("g", 3));
	ok(compared(&render_text, x, 1, y, 1) == 2, "nothing in common: status 2");
	y[1] = finish(of(3, 500, 10));
	status = compared(&render_text, x, 1, y, 2);
	ok(status == 1 && strstr(told, "only in some/where/b.json: g\n"), "one more in the second: told, status 1");
	snapshot_free(x[0]);
	snapshot_free(y[0]);
	snapshot_free(y[1]);
}

static void texts(void)
{
	/* below 2,048 every value has a slot of its own: all figures are exact */
	static const char wanted[] =
		"f\n"
		"  measure f bits 10\n"
		"\n"
		"                 a.json          b.json\n"
		"  count          20,000          20,200\n"
		"  rate          4,000/s         4,040/s     +1.0%\n"
		"  mean           500 ns        505.0 ns     +1.0%\n"
		"  min            500 ns          500 ns\n"
		"  p50            500 ns          500 ns         =\n"
		"  p90            500 ns          500 ns         =\n"
		"  p99            500 ns          500 ns         =\n"
		"  p99.9          500 ns            1 µs   +100.0%  moved up\n"
		"  p99.99         500 ns            1 µs   +100.0%  up, may be chance\n"
		"  max            500 ns            1 µs\n"
		"  some/where/b.json lacks 3 hits, <0.1% of them (missed, full, fault, outside, backwards, moved)\n";
	struct snap *b = of(10, 500, 20000);

	snap_add(b, 0, 1, 1000, 200);
	b->head.term[KSTATS_HITS] += 3;
	b->head.term[KSTATS_MISSED] = 3;
	compared_snaps(&render_text, of(10, 500, 20000), b);
	if (look)
		printf("%s", told);
	else if (!ok(!strncmp(told, wanted, strlen(wanted)), "the table"))
		printf("# got:\n%s# wanted:\n%s", told, wanted);
}

static void groups(void)
{
	struct snap *s[2];
	unsigned int i, j;
	json_t *root;
	int status;

	for (i = 0; i < 2; i++) {
		s[i] = known_calls("f", 3);
		snap_by(s[i], "comm", KSTATS_BY_STRING, 2);
		s[i]->nparts = 3;
		known_text_key(s[i], 0, i ? "cat" : "bash");	/* one in each alone */
		known_text_key(s[i], 1, i ? "bash" : "dd");
		known_text_key(s[i], 2, i ? "dd" : "ed");
		for (j = 0; j < 3; j++)
			snap_add(s[i], j, j, 1000, 500);
	}
	snap_add(s[1], 2, 0, 90000, 100);	/* dd's p90 and beyond */
	status = compared_snaps(&render_json, s[0], s[1]);
	root = json_loads(told, 0, NULL);
	ok(status == 1 && json_is_true(at(root, "moved")), "JSON: moved");
	is_integer(root, "kmeter_diff", 1);
	ok(json_array_size(at(root, "measurements/0/groups")) == 4, "JSON: four groups");
	is_string(root, "measurements/0/groups/0/name", "dd");
	is_integer(root, "measurements/0/groups/0/count/0", 500);
	is_integer(root, "measurements/0/groups/0/count/1", 600);
	is_string(root, "measurements/0/groups/0/quantiles/p50/moved", "no");
	is_string(root, "measurements/0/groups/0/quantiles/p90/moved", "up");
	ok(json_is_false(at(root, "measurements/0/groups/0/quantiles/p90/by_chance")), "JSON: not by chance");
	is_integer(root, "measurements/0/groups/0/quantiles/p90/b/lo", 81920);
	is_string(root, "measurements/0/groups/1/name", "bash");
	ok(json_is_false(at(root, "measurements/0/groups/1/moved")) && json_is_true(at(root, "measurements/0/groups/2/moved")),
	   "JSON: bash has not moved, cat came");
	json_decref(root);
}

int main(int argc, char **argv)
{
	look = argc > 1;
	themselves();
	bounds();
	chance();
	misfits();
	texts();
	groups();
	free(told);
	return done();
}
