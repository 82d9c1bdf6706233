// SPDX-License-Identifier: GPL-2.0
/* compiler_counters.c: perf's names for counters; those of a processor from a folder like /sys/bus/event_source/devices. */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/counters.h"

static unsigned int tests, failed;
static char devices[] = "/tmp/counters.XXXXXX";

static void is(const char *name, const char *where, uint32_t type, uint64_t config)
{
	struct counter c;
	bool good = counter_find(name, where, &c) && c.type == type && c.config == config;

	tests++;
	failed += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", tests, name);
}

static void none(const char *name, const char *where)
{
	struct counter c;
	bool good = !counter_find(name, where, &c);

	tests++;
	failed += !good;
	printf("%sok %u - there is no '%s'\n", good ? "" : "not ", tests, name);
}

static void put(const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cpu/%s", devices, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static void folder(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", devices, name);
	if (mkdir(path, 0700))
		abort();
}

int main(void)
{
	char command[100];

	/* What perf_event_open(2) says of each. */
	is("instructions", NULL, PERF_TYPE_HARDWARE, 1);
	is("cycles", NULL, PERF_TYPE_HARDWARE, 0);
	is("page-faults", NULL, PERF_TYPE_SOFTWARE, 2);
	is("LLC-load-misses", NULL, PERF_TYPE_HW_CACHE, 0x10002);
	is("L1-dcache-prefetches", NULL, PERF_TYPE_HW_CACHE, 0x00200);
	is("node-stores", NULL, PERF_TYPE_HW_CACHE, 0x00106);
	is("r1a8", NULL, PERF_TYPE_RAW, 0x1a8);
	is("rffffffffffffffff", NULL, PERF_TYPE_RAW, UINT64_MAX);
	none("r", NULL);
	none("r1g", NULL);
	none("r1ffffffffffffffff", NULL);
	none("LLC-loadmisses", NULL);
	none("LLC", NULL);
	none("", NULL);
	none("mem_uops", NULL);

	if (!mkdtemp(devices))
		abort();
	folder("cpu");
	folder("cpu/events");
	folder("cpu/format");
	put("type", "4\n");
	put("format/event", "config:0-7,32-35\n");
	put("format/umask", "config:8-15\n");
	put("format/edge", "config:18\n");
	put("format/ldlat", "config1:0-15\n");
	put("events/one", "event=0x1c4,umask=0x02\n");
	put("events/flag", "event=0xff,edge\n");
	put("events/wide", "event=0x1000\n");
	put("events/other", "event=1,ldlat=3\n");
	put("events/unknown", "event=1,cmask=3\n");
	is("one", devices, 4, 0x1000002c4ULL);	/* bit 8 of the event is bit 32 */
	is("flag", devices, 4, 0x400ff);
	is("instructions", devices, PERF_TYPE_HARDWARE, 1);
	none("wide", devices);			/* more than the twelve bits that there are */
	none("other", devices);			/* a field of another word than `config` */
	none("unknown", devices);
	none("../type", devices);
	none("two", devices);
	snprintf(command, sizeof(command), "rm -r %s", devices);
	if (system(command))
		abort();
	printf("1..%u\n", tests);
	return failed != 0;
}
