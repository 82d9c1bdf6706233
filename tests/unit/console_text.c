// SPDX-License-Identifier: GPL-2.0
/*
 * console_text.c: the text report and the JSON of snapshots of known contents, line by line.
 *
 * With an argument it prints the texts instead, to look at them.
 */
#include "console/units.h"
#include "console_report.h"

static struct snap *plain(void)
{
	struct snap *s = snap_new("vfs_read", 3);

	snap_line(s, "statement measure vfs_read bits 3");
	snap_line(s, "module km_0123456789ab");
	snap_line(s, "point vfs_read kretprobe");
	snap_line(s, "unit ns");
	snap_line(s, "clock mono");
	return s;
}

#define HEAD	"vfs_read\n  measure vfs_read bits 3\n  vfs_read by kretprobe\n\n"

static void empties(void)
{
	struct snap *s;

	text_is(plain(), "nothing came by",
		HEAD "  no samples in 5 s: nothing came by while it was armed\n\n  hits 0 = recorded 0\n");

	s = plain();
	s->head.term[KSTATS_HITS] = s->head.term[KSTATS_FILTERED] = 12;
	text_is(s, "all filtered", HEAD "  no samples in 5 s: `if` refused every one\n\n  hits 12 = recorded 0 + filtered 12\n");

	s = plain();
	s->head.term[KSTATS_HITS] = s->head.term[KSTATS_OUTSIDE] = 1234;
	text_is(s, "all outside", HEAD "  no samples in 5 s: every one was negative or outside `range`\n\n"
		"  hits 1,234 = recorded 0 + outside 1,234\n"
		"  outside 1,234: negative, or outside `range`: not in the histogram\n");

	s = plain();
	s->head.term[KSTATS_HITS] = s->head.term[KSTATS_IN_FLIGHT] = 1;
	text_is(s, "still in flight", HEAD "  no samples in 5 s: begun, but none has ended yet\n\n"
		"  hits 1 = recorded 0 + in flight 1\n");

	s = plain();
	s->head.state = KSTATS_STOPPED_STATE;
	text_is(s, "stopped", "vfs_read  (stopped)\n  measure vfs_read bits 3\n  vfs_read by kretprobe\n\n"
		"  no samples in 5 s: it is stopped (kmeter start)\n\n  hits 0 = recorded 0\n");
}

static void few(void)
{
	struct snap *s = plain();

	snap_add(s, 0, 2, 1234, 1);
	text_is(s, "one sample: everything is exact",
		"vfs_read\n"
		"  measure vfs_read bits 3\n"
		"  vfs_read by kretprobe\n"
		"\n"
		"  count        1  rate    0.2/s  mean 1.234 µs  min   1.234 µs  max    1.234 µs\n"
		"  p50   1.234 µs  p90  1.234 µs  p99  1.234 µs  p99.9 1.234 µs  p99.99 1.234 µs\n"
		"\n"
		"  1.152 µs .. 1.280 µs   1  100%  ██████████████████████████████████████████████\n"
		"\n"
		"  hits 1 = recorded 1\n");
}

static void floors(void)
{
	struct snap *s = plain();

	snap_line(s, "floor 381 kretprobe");
	snap_add(s, 0, 2, 1234, 1);
	text_is(s, "the floor of its mechanism",
		"vfs_read\n"
		"  measure vfs_read bits 3\n"
		"  vfs_read by kretprobe\n"
		"\n"
		"  count        1  rate    0.2/s  mean 1.234 µs  min   1.234 µs  max    1.234 µs\n"
		"  p50   1.234 µs  p90  1.234 µs  p99  1.234 µs  p99.9 1.234 µs  p99.99 1.234 µs\n"
		"  floor 381 ns\n"
		"\n"
		"  1.152 µs .. 1.280 µs   1  100%  ██████████████████████████████████████████████\n"
		"\n"
		"  hits 1 = recorded 1\n");

	s = plain();
	snap_line(s, "floor 38 direct/lean direct/lean");
	snap_line(s, "floor 1234 kprobe direct/lean");
	snap_line(s, "nofloor kprobe kprobe: 0 of 544 calls were seen");
	snap_line(s, "shared 3 vfs_read");
	snap_line(s, "overload 73 3 12500000 58");
	snap_add(s, 0, 2, 1234, 1);
	text_is(s, "floors of several ways, and functions with other tracers",
		"vfs_read\n"
		"  measure vfs_read bits 3\n"
		"  vfs_read by kretprobe\n"
		"  stopped by kmeter's guard: it took 73 % of CPU 3 (12.50M hits a second, 58 ns each); kmeter start starts it again\n"
		"\n"
		"  count        1  rate    0.2/s  mean 1.234 µs  min   1.234 µs  max    1.234 µs\n"
		"  p50   1.234 µs  p90  1.234 µs  p99  1.234 µs  p99.9 1.234 µs  p99.99 1.234 µs\n"
		"  floor 38 ns by direct/lean, 1.234 µs by kprobe to direct/lean\n"
		"  the floor does not hold: other tracers or measurements are at vfs_read and 2 more of its functions\n"
		"\n"
		"  1.152 µs .. 1.280 µs   1  100%  ██████████████████████████████████████████████\n"
		"\n"
		"  hits 1 = recorded 1\n");

	s = snap_new("few", 3);
	snap_line(s, "shared 1 vfs_read");
	s->head.kind = KSTATS_COUNTS;
	snap_add(s, 0, 0, 0, 1);
	text_is(s, "counts have no floor that could not hold", "few\n\n  total 1   rate 0.2/s\n\n  hits 1 = recorded 1\n");

	s = plain();
	snap_line(s, "floor 381 kretprobe");
	text_is(s, "where nothing was measured there is nothing beside it",
		HEAD "  no samples in 5 s: nothing came by while it was armed\n\n  hits 0 = recorded 0\n");
}

static void json_floors(void)
{
	struct snap *s = plain();
	json_t *o;

	snap_line(s, "floor 38 direct/fast");
	snap_line(s, "floor 120 direct/lean tracepoint");
	snap_line(s, "shared 2 vfs_read");
	snap_line(s, "overload 73 3 12500000 58");
	o = json_of(s, 0);
	is_integer(o, "measurements/0/overload/percent", 73);
	is_integer(o, "measurements/0/overload/cpu", 3);
	is_integer(o, "measurements/0/overload/hits_per_second", 12500000);
	is_integer(o, "measurements/0/overload/hit_ns", 58);
	is_integer(o, "measurements/0/floor/0/value", 38);
	is_string(o, "measurements/0/floor/0/from", "direct/fast");
	ok(json_is_null(at(o, "measurements/0/floor/0/to")), "JSON: of calls there is no other end");
	is_integer(o, "measurements/0/floor/1/value", 120);
	is_string(o, "measurements/0/floor/1/from", "direct/lean");
	is_string(o, "measurements/0/floor/1/to", "tracepoint");
	is_integer(o, "measurements/0/floor_shared", 2);
	json_decref(o);
	o = json_of(plain(), 0);
	ok(json_is_array(at(o, "measurements/0/floor")) && !json_array_size(at(o, "measurements/0/floor")), "JSON: no floor, an empty array");
	ok(json_is_null(at(o, "measurements/0/floor_shared")), "JSON: nobody else is there");
	ok(json_is_null(at(o, "measurements/0/overload")), "JSON: it was not stopped");
	json_decref(o);
}

static void top_slot(void)
{
	struct snap *s = snap_new("top", 3);

	snap_add(s, 0, 0, ~0ULL, 2);
	text_is(s, "only the top slot, sums that wrapped, no unit",
		"top\n"
		"\n"
		"  count      2   rate  0.4/s   mean 18.45E   min   ≥17.29E   max    ≤18.45E\n"
		"  p50   18.45E   p90  18.45E   p99  18.45E   p99.9  18.45E   p99.99  18.45E\n"
		"\n"
		"  17.29E .. 18.45E   2  100%  ██████████████████████████████████████████████████\n"
		"\n"
		"  hits 2 = recorded 2\n");
}

static void extremes(void)
{
	struct snap *s = plain();

	snap_add(s, 0, 0, 0, 1);
	snap_add(s, 0, 1, ~0ULL, 1);
	text_is(s, "0 and 2^64-1 ns",
		"vfs_read\n"
		"  measure vfs_read bits 3\n"
		"  vfs_read by kretprobe\n"
		"\n"
		"  count                  2\n"
		"  rate               0.4/s\n"
		"  mean     9,223,372,037 s\n"
		"  min                 0 ns\n"
		"  max     18,446,744,074 s\n"
		"  p50                 0 ns\n"
		"  p90     18,446,744,074 s\n"
		"  p99     18,446,744,074 s\n"
		"  p99.9   18,446,744,074 s\n"
		"  p99.99  18,446,744,074 s\n"
		"\n"
		"             0 ns ..            64 ns   1  50.0%  ██████████████████████████████\n"
		"                ⋮\n"
		"  4,611,686,018 s .. 18,446,744,074 s   1  50.0%  ██████████████████████████████\n"
		"\n"
		"  hits 2 = recorded 2\n");
}

static void fast(void)
{
	struct snap *s = snap_new("fast", 3);

	snap_line(s, "unit us");
	snap_add(s, 0, 0, 0, 3);
	snap_add(s, 0, 1, 1, 1);
	text_is(s, "below a microsecond in a unit of microseconds",
		"fast\n"
		"\n"
		"  count    4   rate 0.8/s   mean 250 ns   min   0 µs   max    1 µs\n"
		"  p50   0 µs   p90   1 µs   p99    1 µs   p99.9 1 µs   p99.99 1 µs\n"
		"\n"
		"  0 µs   3  75.0%  █████████████████████████████████████████████████████████████\n"
		"  1 µs   1  25.0%  ████████████████████▍\n"
		"\n"
		"  hits 4 = recorded 4\n");
}

static void pages(void)
{
	struct snap *s = snap_new("pages", 5);

	snap_line(s, "unit pages");
	snap_add(s, 0, 0, 1, 500);
	snap_add(s, 0, 1, 512, 20);
	snap_add(s, 0, 1, 1000000, 3);
	text_is(s, "another unit, and a gap",
		"pages\n"
		"\n"
		"  count                523\n"
		"  rate               105/s\n"
		"  mean         5,757 pages\n"
		"  min              1 pages\n"
		"  max        ≤1.016M pages\n"
		"  p50              1 pages\n"
		"  p90              1 pages\n"
		"  p99            512 pages\n"
		"  p99.9       1.000M pages\n"
		"  p99.99      1.000M pages\n"
		"\n"
		"       0 pages ..     32 pages   500  95.6%  ███████████████████████████████████\n"
		"             ⋮\n"
		"     512 pages ..  1,024 pages    20   3.8%  █▍\n"
		"             ⋮\n"
		"  524.3k pages .. 1.049M pages     3   0.6%  ▎\n"
		"\n"
		"  hits 523 = recorded 523\n");
}

static struct snap *grouped(void)
{
	struct snap *s = snap_new("vfs_read", 3);
	static const char *const comm[] = { "dd", "x\033[2J", "nginx" };
	int i, j;

	snap_line(s, "statement measure vfs_read by comm, pid");
	snap_line(s, "point vfs_read kretprobe");
	snap_line(s, "unit ns");
	snap_by(s, "comm", KSTATS_BY_STRING, 2);
	snap_by(s, "pid", KSTATS_BY_U64, 1);
	s->nparts = 3;
	for (i = 0; i < 3; i++) {
		strcpy((char *)s->part[i].key, comm[i]);
		s->part[i].key[2] = 9 * i * i + 98;
		for (j = 0; j < 10; j++)
			snap_add(s, i, j % 3, (300 << i) + 40 * j * j, 100 * (3 - i));
	}
	return s;
}

static void groups(void)
{
	text_is(grouped(), "groups",
		"vfs_read\n"
		"  measure vfs_read by comm, pid\n"
		"  vfs_read by kretprobe\n"
		"\n"
		"  count    6,000  rate  1,200/s  mean 1.690 µs  min    ≥288 ns  max    ≤4.607 µs\n"
		"  p50   1.332 µs  p90  3.535 µs  p99  4.430 µs  p99.9 4.594 µs  p99.99  4.606 µs\n"
		"\n"
		"    256 ns ..   320 ns   300   5.0%  ██████████████████▍\n"
		"    320 ns ..   384 ns   300   5.0%  ██████████████████▍\n"
		"    384 ns ..   448 ns     0   0.0%\n"
		"    448 ns ..   512 ns   300   5.0%  ██████████████████▍\n"
		"    512 ns ..   640 ns   200   3.3%  ████████████▎\n"
		"    640 ns ..   768 ns   700  11.7%  ███████████████████████████████████████████\n"
		"    768 ns ..   896 ns     0   0.0%\n"
		"    896 ns .. 1.024 µs   500   8.3%  ██████████████████████████████▊\n"
		"  1.024 µs .. 1.280 µs   400   6.7%  ████████████████████████▋\n"
		"  1.280 µs .. 1.536 µs   400   6.7%  ████████████████████████▋\n"
		"  1.536 µs .. 1.792 µs   600  10.0%  ████████████████████████████████████▉\n"
		"  1.792 µs .. 2.048 µs   300   5.0%  ██████████████████▍\n"
		"  2.048 µs .. 2.560 µs   400   6.7%  ████████████████████████▋\n"
		"  2.560 µs .. 3.072 µs   600  10.0%  ████████████████████████████████████▉\n"
		"  3.072 µs .. 3.584 µs   600  10.0%  ████████████████████████████████████▉\n"
		"  3.584 µs .. 4.096 µs   300   5.0%  ██████████████████▍\n"
		"  4.096 µs .. 5.120 µs   100   1.7%  ██████▏\n"
		"\n"
		"  comm      pid  count  share      mean       p50       p99        max\n"
		"  dd         98  3,000  42.6%  1.440 µs    959 ns  3.579 µs  ≤3.583 µs  █▆▆█\n"
		"  x\\x1b[2J  107  2,000  34.3%  1.740 µs  1.279 µs  3.840 µs  ≤4.095 µs   █▆▆\n"
		"  nginx     134  1,000  23.1%  2.340 µs  1.918 µs  4.585 µs  ≤4.607 µs    █▇▂\n"
		"\n"
		"  hits 6,000 = recorded 6,000\n");
	options.top = 1;
	options.order = FIGURES_BY_MEAN;
	options.utf8 = false;
	options.width = 120;
	text_is(grouped(), "one group by mean, ASCII, wide",
		"vfs_read\n"
		"  measure vfs_read by comm, pid\n"
		"  vfs_read by kretprobe\n"
		"\n"
		"  count    6,000   rate  1,200/s   mean 1.690 us   min   >=288 ns   max    <=4.607 us\n"
		"  p50   1.332 us   p90  3.535 us   p99  4.430 us   p99.9 4.594 us   p99.99   4.606 us\n"
		"\n"
		"    256 ns ..   320 ns   300   5.0%  ####################################\n"
		"    320 ns ..   384 ns   300   5.0%  ####################################\n"
		"    384 ns ..   448 ns     0   0.0%\n"
		"    448 ns ..   512 ns   300   5.0%  ####################################\n"
		"    512 ns ..   640 ns   200   3.3%  ########################\n"
		"    640 ns ..   768 ns   700  11.7%  ###################################################################################\n"
		"    768 ns ..   896 ns     0   0.0%\n"
		"    896 ns .. 1.024 us   500   8.3%  ###########################################################\n"
		"  1.024 us .. 1.280 us   400   6.7%  ###############################################\n"
		"  1.280 us .. 1.536 us   400   6.7%  ###############################################\n"
		"  1.536 us .. 1.792 us   600  10.0%  #######################################################################\n"
		"  1.792 us .. 2.048 us   300   5.0%  ####################################\n"
		"  2.048 us .. 2.560 us   400   6.7%  ###############################################\n"
		"  2.560 us .. 3.072 us   600  10.0%  #######################################################################\n"
		"  3.072 us .. 3.584 us   600  10.0%  #######################################################################\n"
		"  3.584 us .. 4.096 us   300   5.0%  ####################################\n"
		"  4.096 us .. 5.120 us   100   1.7%  ############\n"
		"\n"
		"  comm   pid  count  share      mean       p50       p99         max  256 ns   5.120 us\n"
		"  nginx  134  1,000  23.1%  2.340 us  1.918 us  4.585 us  <=4.607 us          #========\n"
		"  ... 2 more, 5,000 samples (--top 3 shows all)\n"
		"\n"
		"  hits 6,000 = recorded 6,000\n");
	options = (struct render_options){ .top = 20, .utf8 = true, .width = 80 };
}

static void verbose(void)
{
	struct snap *s = plain();

	options.verbose = true;
	snap_line(s, "novelty a line of a later version");
	snap_add(s, 0, 2, 1234, 1);
	snap_add(s, 0, 3, 5000, 1000);
	text_is(s, "details",
		"vfs_read\n"
		"  measure vfs_read bits 3\n"
		"  vfs_read by kretprobe\n"
		"  module km_0123456789ab\n"
		"  clock mono\n"
		"  novelty a line of a later version\n"
		"  bits 3, 32,768 bytes of kernel memory, 8 CPUs\n"
		"\n"
		"  count    1,001  rate    200/s  mean 4.996 µs  min   1.234 µs  max    ≤5.119 µs\n"
		"  p50   5.032 µs  p90  5.106 µs  p99  5.118 µs  p99.9 5.119 µs  p99.99  5.119 µs\n"
		"\n"
		"  1.152 µs .. 1.280 µs       1   0.1%  ▏\n"
		"         ⋮\n"
		"  4.608 µs .. 5.120 µs   1,000  99.9%  █████████████████████████████████████████\n"
		"\n"
		"  cpu           count       mean        p50        p99  1.152 µs 5.120 µs\n"
		"    2               1   1.234 µs   1.234 µs   1.234 µs  █\n"
		"    3           1,000       5 µs   5.032 µs   5.118 µs                  █\n"
		"\n"
		"  hits 1,001 = recorded 1,001\n");
	options.verbose = false;
}

static void losses(void)
{
	struct snap *s = snap_new("pair", 3);
	__u64 *term = s->head.term;

	snap_line(s, "statement measure from a to b");
	snap_line(s, "point a kprobe");
	snap_line(s, "point b kprobe");
	snap_line(s, "key task");
	snap_line(s, "unit ns");
	snap_add(s, 0, 0, 1000, 10);
	term[KSTATS_FULL] = 5;
	term[KSTATS_UNMATCHED] = 2;
	term[KSTATS_MISSED] = 1;
	term[KSTATS_IN_FLIGHT] = 1;
	term[KSTATS_HITS] += 10;
	text_is(s, "losses, and an imbalance",
		"pair\n"
		"  measure from a to b\n"
		"  a by kprobe\n"
		"  b by kprobe\n"
		"  paired by the current task\n"
		"\n"
		"  count       10  rate      2/s  mean     1 µs  min    ≥960 ns  max    ≤1.023 µs\n"
		"  p50   1.001 µs  p90  1.019 µs  p99  1.022 µs  p99.9 1.022 µs  p99.99  1.022 µs\n"
		"\n"
		"  960 ns .. 1.024 µs   10  100%  ███████████████████████████████████████████████\n"
		"\n"
		"  hits 20 = recorded 10 + missed 1 + unmatched 2 + full 5 + in flight 1  NOT BALANCED: 1 hits unaccounted for\n"
		"  missed 1: the kernel could not call the probe (another probe's handler was running, or no instance was free)\n"
		"  full 5: no room for a start, or for a new `by` key: raise it with `entries N`\n"
		"  unmatched 2: ends without a start: begun before measuring, or the key differs at the two points\n");
}

static void narrow(void)
{
	struct snap *s = plain();

	options.width = 50;
	snap_add(s, 0, 0, 1000, 10);
	snap_add(s, 0, 0, 2000, 10);
	text_is(s, "a narrow terminal",
		"vfs_read\n"
		"  measure vfs_read bits 3\n"
		"  vfs_read by kretprobe\n"
		"\n"
		"  count                 20\n"
		"  rate                 4/s\n"
		"  mean            1.500 µs\n"
		"  min              ≥960 ns\n"
		"  max            ≤2.047 µs\n"
		"  p50             1.022 µs\n"
		"  p90             2.030 µs\n"
		"  p99             2.044 µs\n"
		"  p99.9           2.044 µs\n"
		"  p99.99          2.044 µs\n"
		"\n"
		"    960 ns .. 1.024 µs   10  50.0%  ██████████████\n"
		"         ⋮\n"
		"  1.920 µs .. 2.048 µs   10  50.0%  ██████████████\n"
		"\n"
		"  hits 20 = recorded 20\n");
	options.width = 80;
}

static void unit_is(double v, const char *unit, const char *wanted)
{
	char buf[UNITS_TEXT];

	is_text(units_value(buf, v, unit, false), wanted, wanted);
}

static void units(void)
{
	char buf[UNITS_TEXT];

	unit_is(0, "ns", "0 ns");
	unit_is(0.5, "ns", "0.500 ns");
	unit_is(999, "ns", "999 ns");
	unit_is(999.97, "ns", "1.000 us");
	unit_is(5757.02, "pages", "5,757 pages");
	unit_is(1000, "ns", "1 us");
	unit_is(1234, "ns", "1.234 us");
	unit_is(999999, "ns", "1.000 ms");
	unit_is(123456789, "ns", "123.5 ms");
	unit_is(59.99e9, "ns", "59.99 s");
	unit_is(0x1p64, "ns", "18,446,744,074 s");
	unit_is(0.25, "us", "250 ns");
	unit_is(1500, "us", "1.500 ms");
	unit_is(0.001, "s", "1 ms");
	unit_is(0, "bytes", "0 B");
	unit_is(1000, "bytes", "1000 B");
	unit_is(1023, "bytes", "1023 B");
	unit_is(1024, "bytes", "1 KiB");
	unit_is(4096, "bytes", "4 KiB");
	unit_is(1536, "bytes", "1.500 KiB");
	unit_is(123456, "bytes", "120.6 KiB");
	unit_is(1048575.9, "bytes", "1.000 MiB");
	unit_is(12345678901.0, "bytes", "11.50 GiB");
	unit_is(0x1p64, "bytes", "16 EiB");
	unit_is(123456, "pages", "123.5k pages");
	unit_is(999960, "pages", "1.000M pages");
	unit_is(0x1p64, NULL, "18.45E");
	unit_is(12.345, NULL, "12.35");
	is_text(units_value(buf, 1234, "ns", true), "1.234 µs", "with UTF-8");
	is_text(units_count(buf, ~0ULL), "18,446,744,073,709,551,615", "the largest count");
	is_text(units_count(buf, 999), "999", "a small count");
	is_text(units_short(buf, 12345678), "12.35M", "a short count");
	is_text(units_share(buf, 0.9999999), ">99.9%", "nearly all");
	is_text(units_share(buf, 1e-9), "<0.1%", "nearly nothing");
	is_text(units_share(buf, 1), "100%", "all");
	is_text(units_share(buf, 0), "0.0%", "nothing");
}

/* ---- JSON ---- */

static void json(void)
{
	struct snap *s;
	json_t *j;

	j = json_of(grouped(), 3);
	is_integer(j, "kmeter", 1);
	is_integer(j, "report", 3);
	is_string(j, "measurements/0/name", "vfs_read");
	is_string(j, "measurements/0/points/0/mechanism", "kretprobe");
	is_string(j, "measurements/0/by/1/text", "pid");
	is_string(j, "measurements/0/state", "armed");
	is_integer(j, "measurements/0/count", 6000);
	is_integer(j, "measurements/0/accounting/recorded", 6000);
	is_integer(j, "measurements/0/accounting/in_flight", 0);
	ok(json_is_true(at(j, "measurements/0/accounting/balanced")), "JSON: balanced");
	is_string(j, "measurements/0/groups/2/key/0", "nginx");
	is_integer(j, "measurements/0/groups/2/key/1", 134);
	is_string(j, "measurements/0/groups/1/key/0", "x\\x1b[2J");
	is_integer(j, "measurements/0/groups/0/cpus/0/cpu", 0);
	json_decref(j);

	s = snap_new("extremes", 3);
	snap_add(s, 0, 0, 0, 1);
	snap_add(s, 0, 1, ~0ULL, 1);
	j = json_of(s, 0);
	ok(json_is_null(at(j, "report")) && json_is_null(at(j, "measurements/0/unit")), "JSON: what there is not is null");
	is_string(j, "measurements/0/max/hi", "18446744073709551615");
	is_string(j, "measurements/0/sum", "18446744073709551615");
	ok(json_is_true(at(j, "measurements/0/max/exact")), "JSON: a single sample is exact");
	is_integer(j, "measurements/0/groups/0/slots/0/0", 0);
	is_integer(j, "measurements/0/groups/0/slots/0/3", 1);
	is_string(j, "measurements/0/groups/0/slots/1/2", "18446744073709551615");
	is_string(j, "measurements/0/groups/0/slots/1/5", "18446744073709551615");
	json_decref(j);

	j = json_of(plain(), 0);
	is_integer(j, "measurements/0/count", 0);
	ok(json_is_null(at(j, "measurements/0/mean")) && json_is_null(at(j, "measurements/0/max")) &&
	   json_is_null(at(j, "measurements/0/quantiles")) && json_array_size(at(j, "measurements/0/groups")) == 0,
	   "JSON: without samples there are no figures");
	json_decref(j);
}

int main(int argc, char **argv)
{
	look = argc > 1;
	empties();
	few();
	floors();
	json_floors();
	top_slot();
	extremes();
	fast();
	pages();
	groups();
	verbose();
	losses();
	narrow();
	units();
	json();
	return done();
}
