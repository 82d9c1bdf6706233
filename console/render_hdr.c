// SPDX-License-Identifier: GPL-2.0
/*
 * render_hdr.c: a report as HdrHistogram's two texts: .hgrm, a distribution by percentiles, which its plotter reads; and its
 * log, a line a histogram, from which its libraries have the histograms back.
 *
 * What these cannot hold is said in both places, on stderr and as a comment where the histogram stands.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "console/hdr.h"
#include "console/keys.h"
#include "console/render.h"
#include "console/say.h"

/* Is there more than one histogram, or could there be in another report of the run? Then each has a name. */
static bool named(const struct report *r)
{
	return r->n > 1 || (r->n && r->snapshots[0]->head.nby);
}

/* Neither commas, blanks, ends of lines nor slashes: these, and what is no letter anyway, as %XX. */
static void put_word(FILE *out, const char *text)
{
	const unsigned char *p;

	for (p = (const unsigned char *)text; *p; p++) {
		if (*p <= ' ' || *p == 0x7f || strchr(",/%\"", *p))
			fprintf(out, "%%%02X", *p);
		else
			putc(*p, out);
	}
}

/* "vfs_read/dd/1234": the measurement, and the keys of the group. To be freed. */
static char *name_of(const struct keys *k, const struct snapshot *s, const struct snapshot_part *part)
{
	char *text, *key;
	unsigned int i;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	put_word(out, s->head.name);
	for (i = 0; i < s->head.nby && part; i++) {
		key = keys_folded(k, part, i);
		putc('/', out);
		put_word(out, key);
		free(key);
	}
	fclose(out);
	return text;
}

__attribute__((format(printf, 2, 3)))
static void tell(FILE *out, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		say_out_of_memory();
	va_end(args);
	fprintf(out, "#[%s]\n", text);
	say_note("%s", text);
	free(text);
}

/* Has it histograms, and do they keep what they are here? */
static bool told(FILE *out, const struct snapshot *s, bool first)
{
	bool has = s->head.kind != KSTATS_COUNTS && s->head.bits != KSTATS_BITS_NONE;
	unsigned int digits = has ? hdr_digits(s->head.bits) : 0;
	char *name = name_of(NULL, s, NULL);

	if (first && !has)
		tell(out, "%s is left out: it %s, and has no histogram", name,
		     s->head.kind == KSTATS_COUNTS ? "counts hits" : "keeps sums alone");
	else if (first && hdr_bits(digits) != s->head.bits)
		tell(out, "%s has bits %u, which are not HdrHistogram's: written with %u digit%s (bits %u), the samples of each "
		     "slot at their mean", name, s->head.bits, digits, digits == 1 ? "" : "s", hdr_bits(digits));
	free(name);
	return has;
}

/* One histogram. */
struct one {
	const struct report *r;
	const struct snapshot *s;
	const struct figures *f;
	const char *name;	/* NULL: there is no other in this report */
	bool several;		/* there are other reports */
	struct hdr h;
};

typedef void put_one(FILE *out, const struct one *o);

static void put_group(FILE *out, struct one *o, const struct keys *k, put_one *put)
{
	char *name = name_of(k, o->s, o->f->part);

	hdr_of(&o->f->total, &o->h);
	if (o->h.capped)
		tell(out, "%" PRIu64 " samples of %s are 2^63 or more, which HdrHistogram cannot hold: they are at 2^63 - 1",
		     (uint64_t)o->h.capped, name);
	o->name = named(o->r) ? name : NULL;
	put(out, o);
	hdr_free(&o->h);
	free(name);
}

/* Each group by itself; without `by` all there is, be it nothing. */
static void put_all(FILE *out, const struct report *r, const struct render_options *options, put_one *put)
{
	struct one o = { .r = r, .several = r->number || options->written };
	struct figures *f, all;
	struct keys *k;
	size_t i, j, n;

	for (i = 0; i < r->n; i++) {
		o.s = r->snapshots[i];
		if (!told(out, o.s, r->number <= 1 || !options->written))
			continue;
		k = keys_new(o.s);
		if (o.s->head.nby) {
			f = figures_of_parts(o.s, FIGURES_BY_COUNT, &n);
			for (j = 0; j < n; j++) {
				o.f = &f[j];
				put_group(out, &o, k, put);
			}
			figures_free_all(f, n);
		} else {
			figures_of(o.s, NULL, &all);
			o.f = &all;
			put_group(out, &o, k, put);
			figures_free(&all);
		}
		keys_free(k);
	}
}

/* ---- .hgrm ---- */

enum { TICKS = 5 };	/* lines for each halving of what is left to 100 % */

static void put_value(FILE *out, const struct hdr *h, __u64 value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 ".%0*u", (uint64_t)value, (int)h->digits, 0);
	fprintf(out, "%12s", text);
}

/* The steps of HdrHistogram's own iterator: a level, the first value that reaches it, the next level. */
static void put_percentiles(FILE *out, const struct hdr *h)
{
	double level = 0, last, ticks;
	__u64 total = 0, value = 0;	/* samples up to this value */
	unsigned int i = 0;

	while (total < h->n) {
		total += h->count[i];
		value = kstats_slot_hi(i, h->bits);
		if (!h->count[i++])
			continue;
		/* All levels that it reaches and a double tells apart; of the last value the first alone. */
		for (last = -1; 100.0 * total / h->n >= level && level > last;) {
			put_value(out, h, value);
			fprintf(out, " %2.12f %10" PRIu64 " %14.2f\n", level / 100, (uint64_t)total, 1 / (1 - level / 100));
			ticks = TICKS * pow(2, floor(log(100 / (100 - level)) / log(2)) + 1);
			last = level;
			level += 100 / ticks;
			if (total == h->n)
				break;
		}
	}
	if (!h->n)
		return;
	put_value(out, h, value);
	fprintf(out, " %2.12f %10" PRIu64 "\n", 1.0, (uint64_t)h->n);
}

/* As HdrHistogram has it: of the middles of slots. */
static double deviation(const struct hdr *h)
{
	double mean = 0, squares = 0, from;
	unsigned int i, pass;

	for (pass = 0; pass < 2 && h->n; pass++)
		for (i = 0; i < h->counts; i++) {
			from = kstats_slot_lo(i, h->bits) + (1ULL << kstats_slot_shift(i, h->bits) >> 1);
			if (pass)
				squares += (from - mean) * (from - mean) * h->count[i];
			else
				mean += from * h->count[i] / h->n;
		}
	return h->n ? sqrt(squares / h->n) : 0;
}

/* The mean is ours, and exact; where it is not known, the middle of what it can be. */
static double mean_of(const struct figures *f)
{
	if (!f->total.n)
		return 0;
	return isnan(f->mean) ? (f->mean_lo + f->mean_hi) / 2 : f->mean;
}

static void put_hgrm(FILE *out, const struct one *o)
{
	const struct hdr *h = &o->h;
	int digits = h->digits;

	if (o->name || o->several)
		fprintf(out, "# %s%s", o->name ? o->name : o->s->head.name, o->r->number ? "" : "\n");
	if (o->r->number)
		fprintf(out, " report %u\n", o->r->number);
	fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
	put_percentiles(out, h);
	fprintf(out, "#[Mean    = %12.*f, StdDeviation   = %12.*f]\n", digits, mean_of(o->f), digits, deviation(h));
	fputs("#[Max     = ", out);
	put_value(out, h, h->max);
	fprintf(out, ", Total count    = %12" PRIu64 "]\n", (uint64_t)h->n);
	fprintf(out, "#[Buckets = %12u, SubBuckets     = %12u]\n", hdr_buckets(h), 2u << h->bits);
	if (o->name || o->several)
		putc('\n', out);
}

static void write_hgrm(FILE *out, const struct report *r, const struct render_options *options)
{
	put_all(out, r, options, put_hgrm);
}

/* ---- the log ---- */

static double start_of(const struct report *r)
{
	return r->taken.tv_sec + r->taken.tv_nsec / 1e9 - r->seconds;
}

static void put_line(FILE *out, const struct one *o)
{
	char *unit = snapshot_value(o->s, "unit"), *text = hdr_encode(&o->h);
	bool ns = unit && !strcmp(unit, "ns");

	if (o->name)
		fprintf(out, "Tag=%s,", o->name);
	/* Interval_Max is for eyes: by custom, of nanoseconds in milliseconds. */
	fprintf(out, "%.3f,%.3f,%.3f,%s\n", start_of(o->r), o->r->seconds, o->h.max / (ns ? 1e6 : 1), text);
	free(text);
	free(unit);
}

static void write_hlog(FILE *out, const struct report *r, const struct render_options *options)
{
	double start = start_of(r);
	time_t second = (time_t)start;
	char date[40];
	struct tm tm;

	if (!options->written) {
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&second, &tm));
		fprintf(out, "#[Logged with kmeter " KMETER_VERSION "]\n#[Histogram log format version 1.3]\n"
			"#[StartTime: %.3f (seconds since epoch), %s]\n"
			"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n", start, date);
	}
	put_all(out, r, options, put_line);
}

const struct render render_hgrm = { .name = "hgrm", .write = write_hgrm };
const struct render render_hlog = { .name = "hlog", .write = write_hlog };
