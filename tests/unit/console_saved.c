// SPDX-License-Identifier: GPL-2.0
/*
 * console_saved.c: reports read back from JSON: every format then writes what it wrote before, and a damaged file is refused or
 * read, never believed.
 */
#include <unistd.h>

#include "console/ksyms.h"
#include "console/saved.h"
#include "console/say.h"
#include "console_known.h"

static char path[] = "/tmp/console_saved.XXXXXX";

static void put(const char *text, size_t size)
{
	FILE *f = fopen(path, "w");

	fwrite(text, 1, size, f);
	fclose(f);
}

static char *rendered(const struct render *format, const struct report *r)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	format->write(f, r, &options);
	fclose(f);
	return text;
}

enum { FORMATS_MOST = 16 };

/* What each format says of a report before and after it was in a file. */
static void same_again(const char *name, struct report *r)
{
	const char *const *names = render_names();
	char *before[FORMATS_MOST], *after, *file = rendered(&render_json, r);
	struct saved saved;
	size_t i;

	for (i = 0; names[i]; i++)
		before[i] = rendered(render_find(names[i]), r);
	put(file, strlen(file));
	free(file);
	ksyms_replace(ksyms_parse(say_strdup("ffffffff81000000 T somebody_elses\n")));
	ok(saved_read(path, &saved) && saved.n == 1, "%s: is read back", name);
	for (i = 0; names[i]; i++) {
		after = saved.n ? rendered(render_find(names[i]), saved.report) : NULL;
		is_text(after, before[i], names[i]);
		free(after);
		free(before[i]);
	}
	saved_free(&saved);
}

static void all_known(void)
{
	struct snapshot *s[KNOWN_MEASUREMENTS];
	struct report r;
	size_t i, n;

	for (i = 0; i <= KNOWN; i++) {
		struct report_source from[] = { { "one", "b1", "6.1", { 1790000000, 0 }, 5, 0, 8 },
						{ NULL, NULL, NULL, { 1790000001, 500000000 }, 4.5, 8, 4 } };

		ksyms_replace(ksyms_parse(say_strdup("ffffffff81000000 T tcp_sendmsg\nffffffff81000900 T entry\n")));
		n = i < KNOWN ? known_snapshots(i, s) : known_moment(7, s);
		r = (struct report){ .snapshots = s, .n = n, .seconds = 5.25, .taken = { 1790000000, 250000000 }, .release = "6.1",
				     .host = "one", .boot = "b1", .script = "measure vfs_read # \"all\"\n" };
		if (i & 1)
			r.sources = from, r.nsources = 2, r.script = r.host = NULL;
		if (i == KNOWN)
			r.number = 7;
		same_again(i < KNOWN ? known[i].name : "a moment", &r);
		while (n)
			snapshot_free(s[--n]);
	}
	ksyms_replace(NULL);
}

/* The report `groups` with one piece of its text replaced: refused. stderr has why, told by @what. */
static void damaged(const char *report, const char *from, const char *to, const char *what)
{
	const char *at = strstr(report, from);
	char *text, *said;
	struct saved saved;
	long length;
	FILE *err;
	int kept = dup(2);

	if (!ok(at != NULL, "there is %s", from))
		return;
	text = say_text("%.*s%s%s", (int)(at - report), report, to, at + strlen(from));
	put(text, strlen(text));
	err = tmpfile();
	fflush(stderr);
	dup2(fileno(err), 2);
	ok(!saved_read(path, &saved), "%s for %s is refused", to, from);
	fflush(stderr);
	dup2(kept, 2);
	close(kept);
	length = lseek(fileno(err), 0, SEEK_END);
	said = say_calloc(length + 1, 1);
	ok(pread(fileno(err), said, length, 0) == length && strstr(said, what) && strstr(said, "report 1"), "... since %s", what);
	if (!strstr(said, what))
		printf("# said: %s", said);
	fclose(err);
	free(said);
	free(text);
	saved_free(&saved);
}

static void all_damages(const char *report)
{
	static const struct { const char *from, *to, *what; } each[] = {
		{ "{\"kmeter\":1,", "{\"kmeter\":2,", "version 2" },
		{ "{\"kmeter\":1,", "{", "not what kmeter --json writes" },
		{ "\"taken\":1", "\"taken\":-1", "`taken`" },
		{ "\"seconds\":5.0", "\"seconds\":\"5\"", "`seconds`" },
		{ "\"measurements\":[", "\"measurement\":[", "`measurements`" },
		{ "\"name\":\"vfs_read\"", "\"name\":\"\"", "no name" },
		{ "\"kind\":\"duration\"", "\"kind\":\"length\"", "length" },
		{ "\"form\":\"histograms\"", "\"form\":7", "`form`" },
		{ "\"state\":\"armed\"", "\"state\":\"\"", "`state`" },
		{ "\"interval\":false", "\"interval\":0", "`interval`" },
		{ "\"armed_ns\":5", "\"armed_ns\":-5", "`armed_ns`" },
		{ "\"possible_cpus\":8", "\"possible_cpus\":0", "`range`" },
		{ "\"possible_cpus\":8", "\"possible_cpus\":5", "`cpu`" },
		{ "\"possible_cpus\":8", "\"possible_cpu\":8", "`possible_cpus`" },
		{ "\"bits\":3", "\"bits\":11", "`bits`" },
		{ "\"bits\":3", "\"bits\":4", "slot" },
		{ "\"range\":[0,496]", "\"range\":[0,497]", "`range`" },
		{ "\"range\":[0,496]", "\"range\":[0,3]", "`range`" },
		{ "\"by\":[", "\"by\":[{},", "`text`" },
		{ "\"type\":\"string\"", "\"type\":\"text\"", "text" },
		{ "\"words\":2}", "\"words\":0}", "words" },
		{ "\"words\":2}", "\"words\":42}", "`words`" },
		{ "\"hits\":", "\"hit\":", "`hits`" },
		{ "\"groups\":[", "\"group\":[", "`groups`" },
		{ "\"cpu\":0", "\"cpu\":8", "`cpu`" },
		{ "\"cpus\":[{\"cpu\":0,\"count\":", "\"cpus\":[{\"cpu\":0,\"count\":1", "add up" },
		{ "\"text\":[\"", "\"text\":[7,\"", "`text`" },
		{ "\"text\":[\"", "\"text\":[\"a\\nb\",\"", "`text`" },
		{ "{\"kmeter\"", "{{\"kmeter\"", "no JSON" },
		{ "\"name\":\"do_filp_open\"", "\"name\":\"vfs_read\"", "two of this name" },
		{ "\"sources\":null", "\"sources\":{}", "`sources`" },
		{ "\"host\":null", "\"host\":[]", "`host`" },
		{ "\"host\":null", "\"host\":\"\\u001b[2J\"", "`host`" },
		{ "\"name\":\"vfs_read\"", "\"name\":\"vfs\\u009b2J\"", "`name`" },
		{ "\"text\":[\"", "\"text\":[\"a\\u0007\",\"", "`text`" },
	};
	size_t i;

	for (i = 0; i < sizeof(each) / sizeof(*each); i++)
		damaged(report, each[i].from, each[i].to, each[i].what);
}

/* A byte, a number or a piece of any report goes wrong: it is refused, or it can be shown. Nothing else happens (ASan looks on). */
enum { NOISE_MOST = 20000 };	/* bytes: larger ones have more of the same, and take the longer */

static void noise(char *const *reports, size_t n)
{
	static const char *const number[] = { "0", "1", "-1", "18446744073709551615", "\"18446744073709551615\"", "9223372036854775807", "1e99",
					      "null", "\"\"", "[]", "{}", "\"340282366920938463463374607431768211455\"" };
	unsigned int i, taken = 0, refused = 0;
	int kept = dup(2);

	if (!freopen("/dev/null", "w", stderr))
		return;
	for (i = 0; i < 3000; i++) {
		const char *report = reports[(size_t)(snap_random() * n)];
		size_t size = strlen(report), at = snap_random() * size, cut = at, j;
		char *text, *changed;
		struct saved saved;

		if (size > NOISE_MOST)
			continue;
		text = changed = say_strdup(report);
		switch (i % 3) {
		case 0:
			text[at] = " 0129[]{}\",:-.\xff\x01"[(int)(snap_random() * 16)];
			break;
		case 1:		/* a number by another */
			while (text[at] && !strchr("0123456789", text[at]))
				at++;
			cut = at + strspn(text + at, "0123456789.");
			changed = say_text("%.*s%s%s", (int)at, text, number[(int)(snap_random() * 12)], text + cut);
			break;
		default:	/* a piece is missing */
			cut = at + (size_t)(snap_random() * 40);
			changed = say_text("%.*s%s", (int)at, text, cut < size ? text + cut : "");
			break;
		}
		put(changed, strlen(changed));
		if (saved_read(path, &saved)) {
			taken++;
			for (j = 0; j < saved.n; j++) {
				free(rendered(&render_text, &saved.report[j]));
				free(rendered(&render_json, &saved.report[j]));
			}
		} else {
			refused++;
		}
		saved_free(&saved);
		if (changed != text)
			free(changed);
		free(text);
	}
	fflush(stderr);
	dup2(kept, 2);
	close(kept);
	ok(taken > 100 && refused > 100, "3,000 damaged files: %u refused, %u read", refused, taken);
}

int main(void)
{
	struct snapshot *s[KNOWN_MEASUREMENTS];
	char *reports[KNOWN];
	struct saved saved;
	size_t i, n;

	close(mkstemp(path));
	say_set(true, false);	/* notes of formats: their own tests look at them */
	all_known();
	for (i = 0; i < KNOWN; i++) {
		n = known_snapshots(i, s);
		reports[i] = rendered(&render_json, &(struct report){ .snapshots = s, .n = n, .seconds = 5, .taken = { 1790000000, 0 } });
		if (!strcmp(known[i].name, "groups"))
			all_damages(reports[i]);
		while (n)
			snapshot_free(s[--n]);
	}
	noise(reports, KNOWN);
	for (i = 0; i < KNOWN; i++)
		free(reports[i]);
	put("", 0);
	ok(!saved_read(path, &saved), "an empty file is refused");
	saved_free(&saved);
	unlink(path);
	ok(!saved_read(path, &saved), "a file that is not there too");
	saved_free(&saved);
	ok(saved_is_file("a.json") && saved_is_file("x/b.ndjson") && saved_is_file("-") && !saved_is_file("vfs_read") &&
	   !saved_is_file("a.jsonx") && !saved_is_file("-x"), "which words are files");
	return done();
}
