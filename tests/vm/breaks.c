// SPDX-License-Identifier: GPL-2.0
/*
 * breaks.c: somebody else who takes breakpoints of the processor.
 *
 *	breaks N [CPU]		take N of them for this process (on that CPU alone), say "has N", and hold them until the input ends
 *
 * Status: 0; 1 where they could not be had, after the error's name.
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t mine[8];

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, cpu = argc > 2 ? atoi(argv[2]) : -1;
	char c;

	for (int i = 0; i < n && i < 8; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = HW_BREAKPOINT_W, .bp_len = 8,
			.bp_addr = (uintptr_t)&mine[i], .sample_period = 1, .pinned = 1, .exclude_kernel = 1,
		};

		if (syscall(SYS_perf_event_open, &attr, 0, cpu, -1, 0) < 0) {
			printf("%s\n", strerrorname_np(errno));
			return 1;
		}
	}
	printf("has %d\n", n);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
