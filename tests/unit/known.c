// SPDX-License-Identifier: GPL-2.0
/*
 * known.c: `known NAME` writes the report of that name of console_known.h as JSON, `known times` the series of them; for tests
 * that begin with a file. `known NAME FILE.html` writes them as a page, too. `known` lists the names.
 */
#include "console/html.h"
#include "console/ksyms.h"
#include "console/say.h"
#include "console_known.h"

static struct html *page;

static void write_report(struct snapshot **s, size_t n, unsigned int number)
{
	struct report r = { .snapshots = s, .n = n, .number = number, .seconds = number ? 1 : 5, .taken = { 1790000000 + number, 0 },
			    .release = "6.1.0-known" };

	render_json.write(stdout, &r, &options);
	if (page)
		html_report(page, &r, &options);
	while (n)
		snapshot_free(s[--n]);
}

int main(int argc, char **argv)
{
	struct snapshot *s[KNOWN_MEASUREMENTS];
	unsigned int number;
	size_t i, n;

	if (argc > 2)
		page = html_open(argv[2]);
	if (argc > 2 && !page)
		return 2;
	ksyms_replace(ksyms_parse(say_strdup("ffffffff81000000 T tcp_sendmsg\nffffffff81000900 T entry\n")));
	for (i = 0; i < KNOWN; i++) {
		if (argc < 2) {
			puts(known[i].name);
		} else if (!strcmp(argv[1], known[i].name)) {
			n = known_snapshots(i, s);
			write_report(s, n, 0);
			return page ? html_close(page) : 0;
		}
	}
	if (argc < 2)
		return puts("times") == EOF;
	if (strcmp(argv[1], "times")) {
		fprintf(stderr, "known: no report %s\n", argv[1]);
		return 2;
	}
	for (number = 1; number <= KNOWN_TIMES; number++) {
		n = known_moment(number, s);
		write_report(s, n, number);
	}
	return page ? html_close(page) : 0;
}
