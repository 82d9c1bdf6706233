// SPDX-License-Identifier: GPL-2.0
/*
 * console_floor.c: the table of kmeter floor, of lines as the kernel writes them, and of others.
 */
#include "console/floor.h"
#include "console_snap.h"

static void table_is(const char *text, const char *wanted, const char *name)
{
	char *got;
	size_t size;
	FILE *f = open_memstream(&got, &size);

	floor_print(f, "6.1.0-test", text);
	fclose(f);
	*strstr(got, "\nfloor: ") = 0;
	is_text(got, wanted, name);
	free(got);
}

int main(void)
{
	table_is("# what from to clock floor_ns cost_ns cost_cycles\n"
		 "calls direct/fast - tsc 38 61.5 183.0\n"
		 "pair tracepoint tracepoint tsc 120 240.0 720.1\n"
		 "pair kprobe direct/lean mono 1234 2400.0 -\n"
		 "calls kretprobe - tsc - - - 0 of 544 calls were seen\n"
		 "count direct/count - - - 1.2 3.4\n",
		 "6.1.0-test                         floor         cost     cycles   clock\n"
		 "calls by direct/fast               38 ns      61.5 ns      183.0   tsc\n"
		 "pair by tracepoint                120 ns     240.0 ns      720.1   tsc\n"
		 "pair by kprobe to direct/lean    1234 ns    2400.0 ns          -   mono\n"
		 "calls by kretprobe             not measured: 0 of 544 calls were seen\n"
		 "count by direct/count                  -       1.2 ns        3.4\n",
		 "every kind of row");
	table_is("", "6.1.0-test      floor         cost     cycles   clock\n", "none");
	table_is("calls direct/fast - tsc 38\nsomething else\n\ncalls a - tsc 1 2.0 3.0", "6.1.0-test      floor         cost     cycles   clock\n"
		 "calls by a       1 ns       2.0 ns        3.0   tsc\n", "lines that it does not know, and an end without an end");
	return done();
}
