// SPDX-License-Identifier: GPL-2.0
/*
 * console_live.c: what the live view shows of reports of known contents, at sizes of terminals from tiny to large.
 *
 * With an argument it prints the frames instead, to look at them.
 */
#include "console/ksyms.h"
#include "console/live_frame.h"
#include "console/say.h"
#include "console/units.h"
#include "console_known.h"

static struct live_history history[KNOWN_MEASUREMENTS];

static char *frame(struct live_now *now, struct live_view *view, int width, int lines, bool utf8)
{
	struct render_options own = { .width = width, .utf8 = utf8 };
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	live_frame(f, now, view, &own, lines);
	fclose(f);
	return text;
}

/* Exactly so many lines; the title and the keys no wider than the terminal (the rest is cut off by screen.c). */
static bool fits(const char *text, int width, int lines)
{
	int n = 1, columns = 0;
	const char *p;

	for (p = text; *p; p++) {
		if (*p == '\n') {
			if (n == 1 && lines > 1 && columns > width && width >= 60)
				return false;
			n++;
			columns = 0;
		}
		columns += *p != '\n' && (*p & 0xc0) != 0x80;
	}
	return n == lines && (columns <= width || width < 24);
}

static void all_sizes(const char *name, struct live_now *now)
{
	static const int sizes[][2] = { { 80, 24 }, { 200, 60 }, { 60, 16 }, { 40, 12 }, { 24, 6 }, { 10, 4 }, { 132, 43 } };
	struct live_view view = { 0 };
	unsigned int i, wrong = 0;
	char *text;

	for (view.which = 0; view.which < now->n; view.which++)
		for (view.body = LIVE_BARS; view.body <= LIVE_HELP; view.body++)
			for (i = 0; i < 2 * sizeof(sizes) / sizeof(*sizes); i++) {
				view.all = i & 1;
				view.scroll = i % 3 ? 0 : 1000;
				text = frame(now, &view, sizes[i / 2][0], sizes[i / 2][1], !(i & 1));
				if (!fits(text, sizes[i / 2][0], sizes[i / 2][1])) {
					printf("# %d by %d, body %d:\n%s\n", sizes[i / 2][0], sizes[i / 2][1], view.body, text);
					wrong++;
				}
				free(text);
			}
	ok(!wrong, "%s: every body fits into every terminal", name);
}

static void remember(struct snapshot *const *last, size_t n, double seconds)
{
	size_t i;

	for (i = 0; i < n; i++)
		live_remember(&history[i], last[i], seconds);
}

static void frame_is(const char *name, struct live_now *now, struct live_view *view, int lines, const char *wanted)
{
	char *got = frame(now, view, 80, lines, true);

	if (look)
		printf("---- %s\n%s\n", name, got);
	else if (!ok(!strcmp(got, wanted), "%s", name))
		printf("# got:\n%s\n# wanted:\n%s\n", got, wanted);
	free(got);
}

/* Three samples of 100, 200 and 300 in the last second, 997 of 100 before: below 2,048 bits 10 tells each value exactly. */
static void figures(void)
{
	struct snap *a = known_calls("vfs_read", 10), *b = known_calls("vfs_read", 10), *c = known_calls("vfs_read", 10);
	struct snapshot *last, *all, *first;
	struct live_now now = { .n = 1, .history = history, .last_seconds = 1, .all_seconds = 5, .source = "6.1.0-known" };
	struct live_view view = { 0 };

	snap_add(c, 0, 1, 100, 997);
	snap_add(a, 0, 0, 100, 1);
	snap_add(a, 0, 1, 200, 1);
	snap_add(a, 0, 1, 300, 1);
	snap_add(b, 0, 0, 100, 1);
	snap_add(b, 0, 1, 100, 997);
	snap_add(b, 0, 1, 200, 1);
	snap_add(b, 0, 1, 300, 1);
	b->head.term[KSTATS_HITS] += 2;
	b->head.term[KSTATS_MISSED] = 2;
	first = finish(c);
	last = finish(a);
	all = finish(b);
	memset(history, 0, sizeof(history));
	remember(&first, 1, 1);
	remember(&last, 1, 1);
	now.last = &last;
	now.all = &all;
	now.said = "started";
	frame_is("figures", &now, &view, 22,
		 " vfs_read  armed  5 s  started                                      6.1.0-known \n"
		 "  measure vfs_read bits 10\n"
		 "  hits 1,002 = recorded 1,000 + missed 2\n"
		 "  not everything is in the histogram: i tells why\n"
		 "             last 1 s     all 5 s\n"
		 "  count             3       1,000\n"
		 "  rate            3/s       200/s  █▁\n"
		 "  mean         200 ns    100.3 ns  ▅█\n"
		 "  p50          200 ns      100 ns  ▅█\n"
		 "  p90          300 ns      100 ns  ▃█\n"
		 "  p99          300 ns      100 ns  ▃█\n"
		 "  p99.9        300 ns      200 ns  ▃█\n"
		 "  p99.99       300 ns      300 ns  ▃█\n"
		 "  max          300 ns      300 ns  ▃█\n"
		 "── histogram of the last 1 s\n"
		 "   64 ns .. 128 ns   1  33.3%  █████████████████████████████████████████████████\n"
		 "  128 ns .. 192 ns   0   0.0%\n"
		 "  192 ns .. 256 ns   1  33.3%  █████████████████████████████████████████████████\n"
		 "  256 ns .. 320 ns   1  33.3%  █████████████████████████████████████████████████\n"
		 "\n"
		 "\n"
		 " q end  s stop  r reset  a all  h hist  g groups  o order  c CPUs  i report  ?");
	view.body = LIVE_CPUS;
	view.all = true;
	now.said = NULL;
	frame_is("CPUs", &now, &view, 19,
		 " vfs_read  armed  5 s                                               6.1.0-known \n"
		 "  measure vfs_read bits 10\n"
		 "  hits 1,002 = recorded 1,000 + missed 2\n"
		 "  not everything is in the histogram: i tells why\n"
		 "             last 1 s     all 5 s\n"
		 "  count             3       1,000\n"
		 "  rate            3/s       200/s  █▁\n"
		 "  mean         200 ns    100.3 ns  ▅█\n"
		 "  p50          200 ns      100 ns  ▅█\n"
		 "  p90          300 ns      100 ns  ▃█\n"
		 "  p99          300 ns      100 ns  ▃█\n"
		 "  p99.9        300 ns      200 ns  ▃█\n"
		 "  p99.99       300 ns      300 ns  ▃█\n"
		 "  max          300 ns      300 ns  ▃█\n"
		 "── CPUs of all 5 s\n"
		 "  cpu           count       mean        p50        p99  96 ns  304 ns\n"
		 "    0               1     100 ns     100 ns     100 ns  █\n"
		 "    1             999   100.3 ns     100 ns     100 ns  █     ▁     ▁\n"
		 " q end  s stop  r reset  a all  h hist  g groups  o order  c CPUs  i report  ?");
	snapshot_free(first);
	snapshot_free(last);
	snapshot_free(all);
}

/* A history that is longer than there are columns, and than is kept. */
static void long_history(void)
{
	struct snap *snap = known_calls("vfs_read", 3);
	struct snapshot *s;
	unsigned int i;

	snap_add(snap, 0, 0, 100, 8);
	s = finish(snap);
	memset(history, 0, sizeof(history));
	for (i = 1; i <= 3 * LIVE_HISTORY; i++)
		remember(&s, 1, i);
	ok(history->n == LIVE_HISTORY && history->rate[LIVE_HISTORY - 1] == 8.0 / (3 * LIVE_HISTORY) &&
	   history->rate[0] == 8.0 / (2 * LIVE_HISTORY + 1), "the last %d ticks are kept", LIVE_HISTORY);
	snapshot_free(s);
}

int main(int argc, char **argv)
{
	struct snapshot *last[KNOWN_MEASUREMENTS];
	struct live_now now = { .last = last, .all = last, .history = history, .last_seconds = 1, .all_seconds = 12, .source = "a file.json" };
	size_t i, n;

	look = argc > 1;
	ksyms_replace(ksyms_parse(say_strdup("ffffffff81000000 T tcp_sendmsg\nffffffff81000900 T entry\n")));
	for (i = 0; i < KNOWN; i++) {
		memset(history, 0, sizeof(history));
		n = now.n = known_snapshots(i, last);
		remember(last, n, 1);
		all_sizes(known[i].name, &now);
		while (n)
			snapshot_free(last[--n]);
	}
	memset(history, 0, sizeof(history));
	for (i = 1; i <= KNOWN_TIMES; i++) {
		n = now.n = known_moment(i, last);
		remember(last, n, 1);
		if (i == KNOWN_TIMES)
			all_sizes("a series", &now);
		while (n)
			snapshot_free(last[--n]);
	}
	figures();
	long_history();
	ksyms_replace(NULL);
	return done();
}
