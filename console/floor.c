// SPDX-License-Identifier: GPL-2.0
/*
 * floor.c: kmeter floor.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "compiler/progress.h"
#include "console/floor.h"
#include "console/say.h"

#define PATH	"/sys/kernel/debug/kstats/_floor"

enum { MOST = 64 << 10, WORD = 40 };

/* A line of it. Figures are text as they came; "-" is none. */
struct row {
	char what[WORD], from[WORD], to[WORD], clock[WORD], least[WORD], cost[WORD], cycles[WORD];
	char why[2 * WORD];	/* of one without figures; else empty */
};

static bool parse(const char *line, struct row *r)
{
	char *copy = say_text("%.*s", (int)strcspn(line, "\n"), line);
	int read = 0;
	bool good;

	*r = (struct row){ 0 };
	good = *copy != '#' && sscanf(copy, "%39s %39s %39s %39s %39s %39s %39s%n", r->what, r->from, r->to, r->clock, r->least,
				      r->cost, r->cycles, &read) == 7;
	if (good)
		snprintf(r->why, sizeof(r->why), "%s", copy + read + strspn(copy + read, " "));
	free(copy);
	return good;
}

/* "calls by kretprobe", "pair by tracepoint", "pair by kprobe to direct/pass", "count by kprobe". */
static char *name_of(const struct row *r)
{
	bool both = strcmp(r->to, "-") && strcmp(r->to, r->from);

	return say_text("%s by %s%s%s", r->what, r->from, both ? " to " : "", both ? r->to : "");
}

static void print_figure(FILE *out, const char *figure, const char *unit, int width)
{
	char text[2 * WORD];

	snprintf(text, sizeof(text), "%s%s%s", figure, *unit && strcmp(figure, "-") ? " " : "", strcmp(figure, "-") ? unit : "");
	fprintf(out, " %*s", width, text);
}

static void print_row(FILE *out, const struct row *r, int width)
{
	char *name = name_of(r);

	fprintf(out, "%-*s", width, name);
	if (*r->why) {
		fprintf(out, "  not measured: %s\n", r->why);
	} else {
		print_figure(out, r->least, "ns", 10);
		print_figure(out, r->cost, "ns", 12);
		print_figure(out, r->cycles, "", 10);
		fprintf(out, "%s%s\n", strcmp(r->clock, "-") ? "   " : "", strcmp(r->clock, "-") ? r->clock : "");
	}
	free(name);
}

void floor_print(FILE *out, const char *release, const char *text)
{
	int width = strlen(release), pass;

	for (pass = 0; pass < 2; pass++) {
		const char *line;
		struct row r;

		if (pass)
			fprintf(out, "%-*s %10s %12s %10s   %s\n", width, release, "floor", "cost", "cycles", "clock");
		for (line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
			char *name;

			if (!parse(line, &r))
				continue;
			if (pass) {
				print_row(out, &r, width);
				continue;
			}
			name = name_of(&r);
			if ((int)strlen(name) > width)
				width = strlen(name);
			free(name);
		}
	}
	fputs("\nfloor: what it shows of an empty function, the least that any figure can be; nothing is subtracted.\n"
	      "cost: what a call takes more while it is measured (pairs: both ends), in ns and in ticks of the tsc.\n", out);
}

/* NULL after saying why. */
static char *read_table(void)
{
	int fd = open(PATH, O_RDWR | O_CLOEXEC);
	char *text = NULL;
	size_t have = 0;
	ssize_t n = -1;

	progress_begin("measuring what each mechanism costs");
	if (fd >= 0 && write(fd, "MEASURE", 7) == 7) {
		text = say_calloc(MOST + 1, 1);
		while (have < MOST && (n = read(fd, text + have, MOST - have)) > 0)
			have += n;
	}
	progress_end();
	if (n < 0) {
		say_error(PATH ": %s", strerror(errno));
		free(text);
		text = NULL;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

int floor_measure(FILE *out)
{
	char *text = read_table();
	struct utsname system;

	if (!text)
		return KM_KERNEL;
	uname(&system);
	floor_print(out, system.release, text);
	free(text);
	return KM_OK;
}
