// SPDX-License-Identifier: GPL-2.0
/*
 * render_csv.c: a report as comma-separated values (RFC 4180), one observation a line: each slot with samples of each CPU and
 * group, then the accounting. Nothing is added up or rounded, so that what R, pandas or a spreadsheet adds up is exact.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "console/digits.h"
#include "console/keys.h"
#include "console/render.h"
#include "console/say.h"

#define END	"\r\n"

static void put_text(FILE *out, const char *text)
{
	if (!text[strcspn(text, "\",\r\n")]) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

/* What all lines of a measurement begin with: "1,1790000000.000000000,vfs_read,ns,". To be freed. */
static char *beginning(const struct report *r, size_t number, const struct snapshot *s)
{
	char *text, *unit = s->head.kind == KSTATS_COUNTS ? NULL : snapshot_value(s, "unit");
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "%zu,%lld.%09ld,", number, (long long)r->taken.tv_sec, r->taken.tv_nsec);
	put_text(out, s->head.name);
	putc(',', out);
	put_text(out, unit ? unit : "");
	putc(',', out);
	fclose(out);
	free(unit);
	return text;
}

/* "dd,,,,": the columns of keys, those that there are not empty. To be freed. */
static char *key_columns(const struct keys *k, const struct snapshot *s, const struct snapshot_part *part)
{
	char *text, *key;
	unsigned int i;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; i < KSTATS_BY_MAX; i++) {
		key = i < s->head.nby ? keys_folded(k, part, i) : say_strdup("");
		put_text(out, key);
		putc(',', out);
		free(key);
	}
	fclose(out);
	return text;
}

/* The slots of one CPU; of counts there is one, which is none. */
static void put_cpu(FILE *out, const char *before, const char *keys, const struct snapshot *s, unsigned int cpu,
		    const struct snapshot_total *t)
{
	char buf[DIGITS_TEXT];
	unsigned int i, slot;
	__u64 lo;

	for (i = 0; i < t->count; i++) {
		if (!t->slot[i].n)
			continue;
		if (s->head.kind == KSTATS_COUNTS) {
			fprintf(out, "%scount,%s%u,,,,%" PRIu64 "," END, before, keys, cpu, (uint64_t)t->slot[i].n);
			continue;
		}
		slot = t->first + i;
		lo = kstats_slot_lo(slot, t->bits);
		fprintf(out, "%sslot,%s%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s" END, before, keys, cpu, slot, (uint64_t)lo,
			(uint64_t)kstats_slot_hi(slot, t->bits), (uint64_t)t->slot[i].n,
			t->slot[i].known ? digits(buf, (u128)t->slot[i].n * lo + t->slot[i].excess) : "");
	}
}

static void put_accounting(FILE *out, const char *before, const struct snapshot *s)
{
	unsigned int i;

	for (i = 0; i < KSTATS_NTERMS; i++)
		fprintf(out, "%s%s,,,,,,,,,%" PRIu64 "," END, before, figures_terms[i], (uint64_t)s->head.term[i]);
}

static void put_measurement(FILE *out, const struct report *r, size_t number, const struct snapshot *s)
{
	unsigned int i, j, n, *cpus;
	char *before = beginning(r, number, s), *columns;
	struct keys *k = keys_new(s);
	struct snapshot_total t;

	for (i = 0; i < s->nparts; i++) {
		columns = key_columns(k, s, &s->parts[i]);
		cpus = snapshot_cpus(&s->parts[i], &n);
		for (j = 0; j < n; j++) {
			snapshot_total(s, &s->parts[i], cpus[j], &t);
			put_cpu(out, before, columns, s, cpus[j], &t);
			snapshot_total_free(&t);
		}
		free(cpus);
		free(columns);
	}
	put_accounting(out, before, s);
	keys_free(k);
	free(before);
}

/* All reports are one table, under one header, and numbered in the order that they have there. */
static void write_csv(FILE *out, const struct report *r, const struct render_options *options)
{
	size_t i;

	if (!options->written)
		fputs("report,taken,measurement,unit,row,key1,key2,key3,key4,cpu,slot,lo,hi,count,sum" END, out);
	for (i = 0; i < r->n; i++)
		put_measurement(out, r, options->written + 1, r->snapshots[i]);
}

const struct render render_csv = { .name = "csv", .write = write_csv };
