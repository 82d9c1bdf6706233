// SPDX-License-Identifier: GPL-2.0
/*
 * command.c: what is written to _control, as the kernel takes it apart (runtime/command.h, the same source). What it finds points into the line, and
 * written anew it is the same command.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/command.h"

static void check(int good)
{
	if (!good)
		abort();
}

static void inside(const char *word, const char *line)
{
	check(!word || (word >= line && word + strlen(word) < line + KS_COMMAND_MAX));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	/* On the heap, where a byte beside it is seen. */
	char *line = calloc(1, KS_COMMAND_MAX), *again = calloc(1, KS_COMMAND_MAX);
	struct ks_command c, d;

	if (length >= KS_COMMAND_MAX || memchr(bytes, 0, length))
		goto out;
	memcpy(line, bytes, length);
	if (ks_command_parse(line, &c)) {
		check(c.wrong && c.why);
		inside(c.wrong, line);
		goto out;
	}
	inside(c.name, line);
	inside(c.start, line);
	inside(c.end, line);
	check(c.bits <= KSTATS_BITS_MAX && !c.start == !c.end);
	if (c.verb == KS_COMMAND_REMOVE)
		snprintf(again, KS_COMMAND_MAX, "remove %s", c.name);
	else if (c.start)
		snprintf(again, KS_COMMAND_MAX, "trace %s bits %u start %s end %s", c.name, c.bits, c.start, c.end);
	else
		snprintf(again, KS_COMMAND_MAX, "trace %s bits %u", c.name, c.bits);
	if (strlen(again) == KS_COMMAND_MAX - 1)	/* it may be longer: `bits` was added */
		goto out;
	check(!ks_command_parse(again, &d) && d.verb == c.verb && !strcmp(d.name, c.name));
	check(c.verb == KS_COMMAND_REMOVE || (d.bits == c.bits && !d.start == !c.start));
	check(!c.start || (!strcmp(d.start, c.start) && !strcmp(d.end, c.end)));
out:
	free(again);
	free(line);
	return 0;
}
