// SPDX-License-Identifier: GPL-2.0
/*
 * command.c: what may be written to _control, taken apart by the kernel's own source (runtime/command.h): the right words,
 * wrong ones with the word that is blamed, and bytes of no sense, under ASan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/command.h"

static int count, failed;

static void ok(int good, const char *name)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++count, name);
	failed |= !good;
}

/* In memory of just its size, so that a step too far is seen. */
static int parse(const char *text, size_t length, struct ks_command *c, char **line)
{
	*line = malloc(length + 1);
	memcpy(*line, text, length);
	(*line)[length] = 0;
	return ks_command_parse(*line, c);
}

static int same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void right(const char *text, int verb, const char *name, int bits, const char *start, const char *end)
{
	struct ks_command c;
	char *line;
	int err = parse(text, strlen(text), &c, &line);

	ok(!err && (int)c.verb == verb && same(c.name, name) && c.bits == bits && same(c.start, start) && same(c.end, end), text);
	free(line);
}

static void wrong(const char *text, const char *blamed)
{
	struct ks_command c;
	char *line;
	int err = parse(text, strlen(text), &c, &line);

	ok(err == -1 && c.wrong && !strcmp(c.wrong, blamed) && c.why && *c.why, *text ? text : "(nothing)");
	free(line);
}

/* Words that mean something, in any order, and any bytes: an answer each time, whatever it is. */
static void nonsense(void)
{
	static const char *const words[] = { "trace", "remove", "bits", "start", "end", "vfs_read", "3", "11", "-", "\t", "\n",
					     "__tracepoint_x", "a:b", "/", "\x7f", "\xff", " " };
	unsigned int seed = 1, i, j;
	int sane = 1;

	for (i = 0; i < 200000; i++) {
		char text[KS_COMMAND_MAX], *line;
		struct ks_command c;
		size_t n = 0;

		for (j = rand_r(&seed) % 12; j; j--) {
			if (rand_r(&seed) % 4) {
				const char *w = words[rand_r(&seed) % (sizeof(words) / sizeof(*words))];

				memcpy(text + n, w, strlen(w));
				n += strlen(w);
				text[n++] = ' ';
			} else {
				text[n++] = rand_r(&seed);
			}
		}
		if (parse(text, n, &c, &line))
			sane &= c.wrong && c.why;
		else
			sane &= c.name && *c.name && !c.start == !c.end && c.bits <= KSTATS_BITS_MAX &&
				(c.verb == KS_COMMAND_TRACE || !c.start);
		free(line);
	}
	ok(sane, "200,000 lines of nonsense: each is refused with a word and a reason, or means something");
}

int main(void)
{
	right("trace vfs_read", KS_COMMAND_TRACE, "vfs_read", 3, NULL, NULL);
	right("  trace\tvfs_read bits 0\n", KS_COMMAND_TRACE, "vfs_read", 0, NULL, NULL);
	right("trace x bits 10 start a end __tracepoint_b", KS_COMMAND_TRACE, "x", 10, "a", "__tracepoint_b");
	right("trace x end b bits 4 start m:a", KS_COMMAND_TRACE, "x", 4, "m:a", "b");
	right("trace do_x.isra.0", KS_COMMAND_TRACE, "do_x.isra.0", 3, NULL, NULL);
	right("remove x", KS_COMMAND_REMOVE, "x", 3, NULL, NULL);
	wrong("", "");
	wrong(" \n", "");
	wrong("Trace x", "Trace");
	wrong("trace", "");
	wrong("trace a/b", "a/b");
	wrong("trace x bits", "");
	wrong("trace x bits 11", "11");
	wrong("trace x bits 3x", "3x");
	wrong("trace x bits -1", "-1");
	wrong("trace x bits 99999999999999999999", "99999999999999999999");
	wrong("trace x bits 3 bits 4", "bits");
	wrong("trace x start", "");
	wrong("trace x start a", "a");
	wrong("trace x end b", "b");
	wrong("trace x start a start b end c", "start");
	wrong("trace x start a end b c", "c");
	wrong("remove", "");
	wrong("remove x bits 3", "bits");
	nonsense();
	printf("1..%d\n", count);
	return failed;
}
