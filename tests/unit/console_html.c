// SPDX-License-Identifier: GPL-2.0
/*
 * console_html.c: the page of --html as it is written: what is in it is the reports' JSON, nothing of theirs can be taken for
 * HTML, the sum of all is right, and the file is there as a whole or not at all.
 *
 * This program lies in a folder of its own for that, as where kmeter is installed; what draws the charts is not needed to write
 * a page, so another text stands in its place. How a page looks, tests/browser/ sees.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/text.h"
#include "console/html.h"
#include "console/ksyms.h"
#include "console/say.h"
#include "console_known.h"

static char root[] = "/tmp/html.XXXXXX";

static const char drawn[] = "/* what draws */";

/* ---- a kmeter that is installed ---- */

static void put(const char *name, const char *text, size_t length)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "w");
	if (!f || fwrite(text, 1, length, f) != length || fclose(f))
		abort();
}

static void copy(const char *from, const char *to)
{
	size_t length;
	char *text = text_of_file(from, &length);

	if (!text)
		abort();
	put(to, text, length);
	free(text);
}

static char *at_root(const char *name)
{
	return say_text("%s/%s", root, name);
}

static void install(void)
{
	static const char *const folders[] = { "bin", "share", "share/kmeter", "share/kmeter/html", "out" };
	static const char *const files[] = { "numbers.js", "charts.js", "tables.js", "report.js", "report.css" };
	char from[PATH_MAX], to[PATH_MAX], *path;
	size_t i;

	if (!mkdtemp(root))
		abort();
	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		path = at_root(folders[i]);
		if (mkdir(path, 0755))
			abort();
		free(path);
	}
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(from, sizeof(from), "%s/%s", HTML, files[i]);
		snprintf(to, sizeof(to), "share/kmeter/html/%s", files[i]);
		copy(from, to);
	}
	copy("/proc/self/exe", "bin/test");
	path = at_root("bin/test");
	if (chmod(path, 0755))
		abort();
	free(path);
}

/* A shell's command in the folder; its output. */
static char *shell(const char *command)
{
	char *line = say_text("cd %s && { %s; } 2>&1", root, command), *text = say_calloc(1 << 20, 1);
	FILE *f = popen(line, "r");

	if (!f || fread(text, 1, (1 << 20) - 1, f) == 0)
		text[0] = 0;
	if (f)
		pclose(f);
	free(line);
	return text;
}

static void says(const char *command, const char *wanted, const char *name)
{
	char *got = shell(command);

	if (!ok(strstr(got, wanted) != NULL, "%s", name))
		printf("# got: %s\n# wanted: ... %s ...\n", got, wanted);
	free(got);
}

/* ---- what the copy does ---- */

static const char *boot;	/* of the reports that come */

static void one_report(struct html *h, const char *name, unsigned int number)
{
	struct snapshot *s[KNOWN_MEASUREMENTS];
	struct report r = { .snapshots = s, .number = number, .seconds = number ? 1 : 5, .taken = { 1790000000 + number, 0 },
			    .release = "6.1.0-known", .boot = boot };
	size_t i;

	if (number) {
		r.n = known_moment(number, s);
	} else {
		for (i = 0; i < KNOWN && strcmp(known[i].name, name); i++)
			;
		r.n = known_snapshots(i, s);
	}
	html_report(h, &r, &options);
	render_json.write(stdout, &r, &options);
	while (r.n)
		snapshot_free(s[--r.n]);
}

/* `test NAME PAGE`: write that page, its JSON to stdout. NAME may be `none`: no report comes; `mixed`: two of different kinds; `boots`: of different boots. */
static int write_page(const char *name, const char *path)
{
	struct html *h = html_open(path);
	unsigned int number;

	if (!h)
		return 9;
	if (!strcmp(name, "times")) {
		for (number = 1; number <= KNOWN_TIMES; number++)
			one_report(h, name, number);
	} else if (!strcmp(name, "boots")) {
		boot = "a boot";
		one_report(h, name, 1);
		boot = "another";
		one_report(h, name, 2);
	} else if (!strcmp(name, "mixed")) {
		one_report(h, "groups", 0);
		one_report(h, "extremes", 0);
	} else if (strcmp(name, "none")) {
		one_report(h, name, 0);
	}
	return html_close(h);
}

/* ---- a page taken apart ---- */

static char *read_page(const char *name)
{
	char *path = at_root(name), *text = text_of_file(path, NULL);

	free(path);
	return text ? text : say_strdup("");
}

/* What stands between the element of this id and its end. To be freed. */
static char *element(const char *page, const char *id)
{
	char *begin = say_text(" id=\"%s\">", id), *text = NULL;
	const char *at = strstr(page, begin), *end = at ? strstr(at, "</script>") : NULL;

	if (end)
		text = say_text("%.*s", (int)(end - at - strlen(begin)), at + strlen(begin));
	free(begin);
	return text ? text : say_strdup("");
}

static size_t count_of(const char *text, const char *word)
{
	size_t n = 0;

	while ((text = strcasestr(text, word))) {
		text += strlen(word);
		n++;
	}
	return n;
}

/* Line for line the same values. */
static bool same_lines(char *a, char *b)
{
	char *rest_a, *rest_b, *x = strtok_r(a, "\n", &rest_a), *y = strtok_r(b, "\n", &rest_b);
	bool same = x && y;

	while (same && x && y) {
		json_t *p = json_loads(x, 0, NULL), *q = json_loads(y, 0, NULL);

		same = p && q && json_equal(p, q);
		json_decref(p);
		json_decref(q);
		x = strtok_r(NULL, "\n", &rest_a);
		y = strtok_r(NULL, "\n", &rest_b);
	}
	return same && !x && !y;
}

static void test_page(const char *name)
{
	char *command = say_text("bin/test %s out/%s.html", name, name), *json = shell(command), *file = say_text("out/%s.html", name);
	char *page = read_page(file), *reports = element(page, "reports");

	ok(!strchr(reports, '<') && *reports, "%s: nothing in the reports begins an element", name);
	ok(same_lines(reports, json), "%s: the page holds the reports' JSON", name);
	ok(count_of(page, "<script") == 8 && count_of(page, "</script") == 8 && !strstr(page, "<!--"),
	   "%s: three elements of data, five of code", name);
	ok(strstr(page, drawn) && strstr(page, "a licence &lt;of> &amp; for it") && !strcmp(page + strlen(page) - 8, "</html>\n"),
	   "%s: what draws and its licence are in it, and its end", name);
	free(reports);
	free(page);
	free(file);
	free(json);
	free(command);
}

/* ---- what all reports add up to ---- */

static void test_total(void)
{
	char *page = read_page("out/times.html"), *text = element(page, "total");
	json_t *total = json_loads(text, 0, NULL), *slots, *row;
	struct { json_int_t slow, all; } wanted = { 0, KNOWN_TIMES * 800 }, write = { 0, 0 };
	json_int_t n = 0, sum = 0, wanted_sum = 0;
	size_t i, j, number;

	for (number = 1; number <= KNOWN_TIMES; number++) {
		wanted.slow += 10 * (number % 5);
		write.all += 5 * number;
		for (i = 0; i < 5 * number; i++)
			wanted_sum += 2000 * number + 77 * i;
	}
	is_integer(total, "measurements/0/count", wanted.all + wanted.slow);
	is_integer(total, "measurements/1/count", write.all);
	is_integer(total, "measurements/1/sum", wanted_sum);
	is_integer(total, "measurements/1/accounting/hits", write.all);
	is_integer(total, "measurements/1/armed_ns", KNOWN_TIMES * 1000000000LL);
	ok(json_is_true(at(total, "measurements/1/accounting/balanced")), "and balances");
	ok(json_number_value(at(total, "seconds")) == KNOWN_TIMES && json_is_null(at(total, "report")), "%d seconds, and no number", KNOWN_TIMES);
	slots = at(total, "measurements/1/groups/0/slots");
	json_array_foreach(slots, j, row) {
		n += json_integer_value(json_array_get(row, 3));
		sum += json_integer_value(json_array_get(row, 5));
	}
	ok(n == write.all && sum == wanted_sum, "its slots hold all samples, and all of their sum");
	json_decref(total);
	free(text);
	free(page);
	page = read_page("out/groups.html");
	text = element(page, "total");
	is_text(text, "", "one report needs no sum of all");
	free(text);
	free(page);
	for (i = 0; i < 2; i++) {
		page = read_page(i ? "out/boots.html" : "out/mixed.html");
		text = element(page, "total");
		is_text(text, "", i ? "nor is there one of different boots" : "reports that do not add up have none");
		free(text);
		free(page);
	}
}

/* In flight at an interval's end is a hit of the next one already; new keys and CPUs find their place. */
static void test_add(void)
{
	struct snap *first = known_calls("f", 3), *second = known_calls("f", 3), *other = known_calls("f", 4);
	struct snapshot *a, *b, *c;
	struct snapshot_total t;
	unsigned int i;

	for (i = 0; i < 2; i++)
		snap_by(i ? second : first, "tid", KSTATS_BY_U64, 1);
	first->part[0].key[0] = 7;
	second->nparts = 2;
	second->part[0].key[0] = 7;
	second->part[1].key[0] = 3;
	snap_add(first, 0, 0, 100, 4);
	snap_add(second, 0, 0, 100000, 1);
	snap_add(second, 0, 0, 10, 2);
	snap_add(second, 0, 5, 100, 1);
	snap_add(second, 1, 1, 1, 8);
	first->head.term[KSTATS_IN_FLIGHT] = 2;
	first->head.term[KSTATS_HITS] += 2;
	second->head.term[KSTATS_IN_FLIGHT] = 1;
	second->head.term[KSTATS_HITS] += 1;
	a = finish(first);
	b = finish(second);
	c = finish(other);
	ok(!snapshot_add(a, b) && a->head.term[KSTATS_RECORDED] == 4, "what is no interval has all of the time before in it");
	b->interval = c->interval = true;
	ok(!snapshot_add(a, c) && a->head.term[KSTATS_RECORDED] == 4, "what has other slots cannot be added, and nothing changes");
	ok(snapshot_add(a, b), "the next interval can");
	ok(a->head.term[KSTATS_RECORDED] == 16 && a->head.term[KSTATS_IN_FLIGHT] == 1 && a->head.term[KSTATS_HITS] == 17 &&
	   snapshot_accounted(a) == 17, "hits: 16 recorded and 1 in flight, those of before not twice");
	ok(a->nparts == 2 && a->parts[0].key[0] == 3 && a->parts[1].key[0] == 7 && a->parts[1].nruns == 2, "two keys, in order; a run a CPU");
	snapshot_total(a, &a->parts[1], 0, &t);
	ok(t.n == 7 && t.known && t.sum == 100420 && t.slot[0].n == 2 && t.slot[t.count - 1].n == 1, "slots below and above what was there");
	snapshot_total_free(&t);
	snapshot_free(a);
	snapshot_free(b);
	snapshot_free(c);
}

/* Two samples in a slot of 2^63 values: modulo 2^64 their sum would not tell, but each interval's does. */
static void test_add_large(void)
{
	struct snap *one = known_calls("f", 0), *two = known_calls("f", 0);
	struct snapshot *a, *b;
	struct snapshot_total t;

	snap_add(one, 0, 0, ~0ULL - 5, 1);
	snap_add(two, 0, 0, ~0ULL, 1);
	a = finish(one);
	b = finish(two);
	b->interval = true;
	ok(snapshot_add(a, b), "large ones are added");
	snapshot_total(a, NULL, -1, &t);
	ok(t.n == 2 && t.known && t.sum == 2 * (u128)~0ULL - 5, "and their sum is exact, beyond 64 bits");
	snapshot_total_free(&t);
	snapshot_free(a);
	snapshot_free(b);
}

/* ---- refusals ---- */

static void test_refusals(void)
{
	says("bin/test one out/no/page.html", "No such file or directory", "a folder that is not there");
	says("mkdir out/folder; bin/test one out/folder; echo $?", "this is none\n9", "a folder is no file");
	says("mkfifo out/pipe; bin/test one out/pipe; test -p out/pipe && echo still", "still", "nor is a pipe, which stays");
	says("echo old >out/kept; bin/test none out/kept; cat out/kept", "old", "without a report the file stays as it was");
	says("echo old >out/kept; ln -s kept out/link; bin/test one out/link >out/json; test -L out/link && head -c 15 out/kept", "<!DOCTYPE html>",
	     "through a link, which stays one");
	says("umask 027; bin/test one out/mode >out/json; stat -c %a out/mode", "640", "readable as the umask says");
	says("(ulimit -f 1; trap '' XFSZ; bin/test times out/full >/dev/null; echo $?); ls out/full*", "cannot keep the reports",
	     "reports that find no room are told of");
	says("(ulimit -f 1; trap '' XFSZ; bin/test times out/full >/dev/null 2>&1; echo $?); ls out/full* 2>&1", "2\nls: cannot access", "and nothing is left");
	says("(ulimit -f 16; trap '' XFSZ; bin/test one out/full 2>&1 >/dev/null; echo $?); ls out/full* 2>&1", "2\nls: cannot access",
	     "nor where the page itself finds none");
	says("(ulimit -f 16; trap '' XFSZ; echo old >out/kept; bin/test one out/kept >/dev/null 2>&1); cat out/kept", "old", "what was there stays then");
	says("ls -A out | grep -c '[.]......$'; true", "0", "no file of ours is left beside any");
	says("rm share/kmeter/html/echarts.txt; bin/test one out/new.html; echo $?; ls out/new*", "`make assets`", "without its licence nothing is drawn");
	says("rm share/kmeter/html/echarts.min.js; bin/test one out/new.html; echo $?", "\n9", "without what draws, it is refused before any report");
	says("echo 'x</SCRIPT>' >share/kmeter/html/echarts.min.js; echo x >share/kmeter/html/echarts.txt; bin/test one out/new.html", "not what kmeter came with",
	     "a piece that would end its element");
	says("ls out/new* 2>&1", "cannot access", "and no file is made by these");
}

int main(int argc, char **argv)
{
	size_t i;

	ksyms_replace(ksyms_parse(say_strdup("ffffffff81000000 T tcp_sendmsg\nffffffff81000900 T entry\n")));
	if (argc == 3)
		return write_page(argv[1], argv[2]);
	install();
	put("share/kmeter/html/echarts.min.js", drawn, strlen(drawn));
	put("share/kmeter/html/echarts.txt", "a licence <of> & for it", 23);
	for (i = 0; i < KNOWN; i++)
		test_page(known[i].name);
	test_page("times");
	test_page("mixed");
	test_page("boots");
	test_total();
	test_add();
	test_add_large();
	test_refusals();
	free(shell("rm -r bin share out"));
	rmdir(root);
	return done();
}
