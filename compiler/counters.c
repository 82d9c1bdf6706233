// SPDX-License-Identifier: GPL-2.0
/* counters.c: perf's names for counters. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "memory.h"

/* ---- names that mean the same everywhere ---- */

static const struct { const char *name; uint32_t type; uint64_t config; } generic[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
};

/* ---- caches: CACHE-OPERATION, which is counted as accesses, or with -misses ---- */

static const struct { const char *name; uint64_t id; } caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D }, { "L1-icache", PERF_COUNT_HW_CACHE_L1I }, { "LLC", PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB }, { "iTLB", PERF_COUNT_HW_CACHE_ITLB }, { "branch", PERF_COUNT_HW_CACHE_BPU },
	{ "node", PERF_COUNT_HW_CACHE_NODE },
};

static const struct { const char *name; uint64_t op, result; } accesses[] = {
	{ "loads", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "load-misses", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "store-misses", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS },
};

#define EACH(i, array)	(size_t i = 0; i < sizeof(array) / sizeof(*array); i++)

static bool find_cache(const char *name, struct counter *out)
{
	for EACH(c, caches) {
		size_t length = strlen(caches[c].name);

		if (strncmp(name, caches[c].name, length) != 0 || name[length] != '-')
			continue;
		for EACH(a, accesses) {
			if (strcmp(name + length + 1, accesses[a].name) != 0)
				continue;
			*out = (struct counter){ PERF_TYPE_HW_CACHE, caches[c].id | accesses[a].op << 8 | accesses[a].result << 16 };
			return true;
		}
	}
	return false;
}

/* ---- the processor's own ---- */

static char *read_line(const char *devices, const char *folder, const char *name, size_t length)
{
	char *path = mem_printf("%s/cpu/%s/%.*s", devices, folder, (int)length, name), *text = text_of_file(path, NULL);

	free(path);
	if (text)
		text[strcspn(text, "\n")] = 0;
	return text;
}

/* Put a field's value where its format says, "config:0-7,21": its lowest bits first. Only what goes into `config` is known. */
static bool put_field(const char *format, uint64_t value, uint64_t *config)
{
	const char *at = format + 7;
	unsigned long first, last;
	char *end;

	if (strncmp(format, "config:", 7) != 0)
		return false;
	do {
		first = last = strtoul(at, &end, 10);
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last > 63 || first > last || (*end && *end != ','))
			return false;
		for (; first <= last; first++, value >>= 1)
			*config |= (value & 1) << first;
		at = end + 1;
	} while (*end == ',');
	return !value;
}

/* "event=0xc4,umask=0x01": fields that the folder `format` describes; a field without a value is 1. */
static bool put_fields(const char *devices, const char *fields, uint64_t *config)
{
	while (*fields) {
		size_t length = strcspn(fields, ",="), all = strcspn(fields, ",");
		char *format = read_line(devices, "format", fields, length);
		uint64_t value = fields[length] == '=' ? strtoull(fields + length + 1, NULL, 0) : 1;
		bool good = format && put_field(format, value, config);

		free(format);
		if (!good)
			return false;
		fields += all + (fields[all] == ',');
	}
	return true;
}

static bool find_own(const char *name, const char *devices, struct counter *out)
{
	char *type = read_line(devices, ".", "type", 4), *fields = strchr(name, '/') ? NULL : read_line(devices, "events", name, strlen(name));
	bool good;

	*out = (struct counter){ .type = type ? strtoul(type, NULL, 10) : 0 };
	good = type && fields && put_fields(devices, fields, &out->config);
	free(type);
	free(fields);
	return good;
}

bool counter_find(const char *name, const char *devices, struct counter *out)
{
	char *end;

	for EACH(i, generic) {
		if (strcmp(name, generic[i].name) == 0) {
			*out = (struct counter){ generic[i].type, generic[i].config };
			return true;
		}
	}
	if (find_cache(name, out))
		return true;
	if (name[0] == 'r' && strlen(name) > 1 && strlen(name) <= 17 && strspn(name + 1, "0123456789abcdefABCDEF") == strlen(name + 1)) {
		*out = (struct counter){ PERF_TYPE_RAW, strtoull(name + 1, &end, 16) };
		return true;
	}
	return devices && find_own(name, devices, out);
}

void counter_near(struct near *near)
{
	for EACH(i, generic)
		near_offer(near, generic[i].name, strlen(generic[i].name));
}

const char *counter_name(unsigned int i)
{
	return i < sizeof(generic) / sizeof(*generic) ? generic[i].name : NULL;
}
