/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exposition.h: measurements as what Prometheus and its kin read: families of series, whichever form they are then written in
 * (exposition_text.c, exposition_protobuf.c).
 *
 * All that is of one kind and unit is one family, whatever measurements it comes from. Counts and sums are exact here; a form
 * that has but floating point makes them that.
 */
#ifndef KM_EXPOSITION_H
#define KM_EXPOSITION_H

#include <stdio.h>

#include "console/buckets.h"

/* ---- labels ---- */

struct exposition_label {
	char *name, *value;
};

struct exposition_labels {
	struct exposition_label *label;
	unsigned int n;
};

struct keys;

/*
 * measurement="vfs_read", then one a key of @part (NULL: none), named as in the script. Keys of different words may read alike (two
 * static functions of one name): with @words what the words are stands behind the text. @keys may be NULL where @part is.
 */
void exposition_label(const struct snapshot *s, const struct keys *k, const struct snapshot_part *part, bool words,
		      struct exposition_labels *out);

/* The same of a group that stands for several: each key is @text. */
void exposition_label_all(const struct snapshot *s, const char *text, struct exposition_labels *out);

void exposition_copy_labels(struct exposition_labels *to, const struct exposition_labels *from);
bool exposition_labels_alike(const struct exposition_labels *a, const struct exposition_labels *b);
void exposition_free_labels(struct exposition_labels *l);

/* ---- what is exposed ---- */

/* A group of a `by` (without, the only one) that has a series. */
struct exposition_group {
	struct exposition_labels labels;
	struct snapshot_total total;
};

/* A measurement. What it points to belongs to the caller. */
struct exposition_source {
	const struct snapshot *s;
	const struct exposition_group *group;
	size_t ngroups;
	const struct buckets *buckets;	/* NULL: those of each group's own slots */
	bool native;			/* native ones beside them */
	__u64 term[KSTATS_NTERMS];
	__u64 armed_ns;
	double created;			/* when its groups' counts were 0: seconds since 1970; 0: not known */
};

enum exposition_type { EXPOSITION_COUNTER, EXPOSITION_GAUGE, EXPOSITION_HISTOGRAM, EXPOSITION_INFO };

struct exposition_bucket {
	__u64 end, below;
};

struct exposition_series {
	struct exposition_labels labels;
	u128 value;			/* of a histogram its sum, where known */
	unsigned int decimals;		/* value and ends are divided by 10^decimals */
	double created;			/* 0: not known */
	/* Of a histogram: */
	bool known;
	__u64 count;
	struct exposition_bucket *bucket;
	unsigned int nbuckets;
	struct buckets_native *native;	/* NULL: none */
	unsigned int nnative;
	int schema;
	__u64 zero;
};

struct exposition_family {
	char *name, *unit;		/* the name without what is put behind it (_total, _info); unit "": none */
	const char *help;
	enum exposition_type type;
	struct exposition_series *series;
	size_t n, room;
};

struct exposition {
	struct exposition_family *family;
	size_t n;
};

/* What the sources measured, and what is to be said of each: accounting, in flight, time armed. Free with exposition_free. */
void exposition_make(struct exposition *e, const struct exposition_source *source, size_t n);
void exposition_free(struct exposition *e);

/* One more family, to be filled by the next: valid until there is another. */
struct exposition_family *exposition_family(struct exposition *e, enum exposition_type type, const char *name, const char *unit, const char *help);

/* One more series: of a measurement (NULL: of none), with a label (NULL: no further one). Valid until there is another. */
struct exposition_series *exposition_series(struct exposition_family *f, const struct snapshot *s, const char *label, const char *text,
					    u128 value);

/* ---- how it is written ---- */

/* What value / 10^decimals is as a floating point number. */
double exposition_double(u128 value, unsigned int decimals);

enum exposition_form {
	EXPOSITION_OPENMETRICS,		/* 1.0.0 */
	EXPOSITION_PROMETHEUS,		/* the text format, 0.0.4 */
};

/*
 * As text. With @doubles the ends of buckets are written as Prometheus writes them when it reads the binary form, so that a series is the
 * same whichever form it came by; else they are exact decimals.
 */
void exposition_text(FILE *out, const struct exposition *e, enum exposition_form form, bool doubles);

/* As io.prometheus.client.MetricFamily messages, each behind its length; the bytes, to be freed, and how many. */
void *exposition_protobuf(const struct exposition *e, size_t *size);

#endif /* KM_EXPOSITION_H */
