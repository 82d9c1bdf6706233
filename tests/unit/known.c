// SPDX-License-Identifier: GPL-2.0
/*
 * known.c: `known NAME [FORMAT]` writes the report of that name of console_known.h (as JSON unless it says otherwise), `known times
 * [FORMAT]` the series of them; for tests that begin with a file. `known NAME samples` writes what is in it before anything of kmeter
 * has seen it: a line a sample, "MEASUREMENT PART CPU VALUE N". `known NAME FILE.html` writes the page. `known` lists the names.
 */
#include "console/html.h"
#include "console/ksyms.h"
#include "console/say.h"
#include "console_known.h"

static struct html *page;

/* NULL: what it is made of has been written already. */
static void write_report(const struct render *format, struct snapshot **s, size_t n, unsigned int number)
{
	struct report r = { .snapshots = s, .n = n, .number = number, .seconds = number ? 1 : 5, .taken = { 1790000000 + number, 0 },
			    .release = "6.1.0-known" };

	if (format)
		format->write(stdout, &r, &options);
	if (page)
		html_report(page, &r, &options);
	options.written++;
	while (n)
		snapshot_free(s[--n]);
}

static int known_report(const char *name, const struct render *format)
{
	struct snapshot *s[KNOWN_MEASUREMENTS];
	unsigned int number;
	size_t i, n;

	for (i = 0; i < KNOWN; i++) {
		if (strcmp(name, known[i].name))
			continue;
		n = known_snapshots(i, s);
		write_report(format, s, n, 0);
		return page ? html_close(page) : 0;
	}
	if (strcmp(name, "times")) {
		fprintf(stderr, "known: no report %s\n", name);
		return 2;
	}
	for (number = 1; number <= KNOWN_TIMES; number++) {
		if (!format)
			printf("report %u\n", number);
		n = known_moment(number, s);
		write_report(format, s, n, number);
	}
	return page ? html_close(page) : 0;
}

int main(int argc, char **argv)
{
	const struct render *format = argc > 2 ? render_find(argv[2]) : &render_json;
	size_t i;

	say_set(true, false);	/* what notes say stands in the reports, too */
	ksyms_replace(ksyms_parse(say_strdup("ffffffff81000000 T tcp_sendmsg\nffffffff81000900 T entry\n")));
	if (argc < 2) {
		for (i = 0; i < KNOWN; i++)
			puts(known[i].name);
		return puts("times") == EOF;
	}
	if (!format && strstr(argv[2], ".html")) {
		format = &render_json;
		page = html_open(argv[2]);
		if (!page)
			return 2;
	}
	if (!format && strcmp(argv[2], "samples")) {
		fprintf(stderr, "known: no format %s\n", argv[2]);
		return 2;
	}
	if (!format)
		snap_log = stdout;
	return known_report(argv[1], format);
}
