// SPDX-License-Identifier: GPL-2.0
/*
 * exposition_protobuf.c: an exposition in Prometheus's binary format (metrics.proto): the only one that has native histograms.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console/exposition.h"
#include "console/metrics.pb-c.h"
#include "console/say.h"

#define MESSAGE(NAME)	struct Io__Prometheus__Client__##NAME

/* What a family's messages are made of, until it is written. */
struct pieces {
	void **piece;
	size_t n;
};

static void *piece(struct pieces *p, size_t count, size_t size)
{
	if (!(p->n & (p->n - 1)))	/* room for 2^i */
		p->piece = say_realloc(p->piece, p->n ? 2 * p->n : 1, sizeof(*p->piece));
	return p->piece[p->n++] = say_calloc(count, size);
}

static void free_pieces(struct pieces *p)
{
	while (p->n)
		free(p->piece[--p->n]);
	free(p->piece);
}

/* @n pointers to as many messages, which are all made from @init. */
static void *messages(struct pieces *p, size_t n, size_t size, const void *init)
{
	char *all = piece(p, n, size);
	void **list = piece(p, n, sizeof(*list));
	size_t i;

	for (i = 0; i < n; i++)
		list[i] = memcpy(all + i * size, init, size);
	return list;
}

static MESSAGE(LabelPair) **labels(struct pieces *p, const struct exposition_labels *l)
{
	static const MESSAGE(LabelPair) init = IO__PROMETHEUS__CLIENT__LABEL_PAIR__INIT;
	MESSAGE(LabelPair) **list = messages(p, l->n, sizeof(init), &init);
	unsigned int i;

	for (i = 0; i < l->n; i++) {
		list[i]->name = l->label[i].name;
		list[i]->value = l->label[i].value;
	}
	return list;
}

static MESSAGE(Bucket) **buckets(struct pieces *p, const struct exposition_series *s)
{
	static const MESSAGE(Bucket) init = IO__PROMETHEUS__CLIENT__BUCKET__INIT;
	MESSAGE(Bucket) **list = messages(p, s->nbuckets + 1, sizeof(init), &init);
	unsigned int i;

	for (i = 0; i <= s->nbuckets; i++) {
		list[i]->has_cumulative_count = list[i]->has_upper_bound = true;
		list[i]->cumulative_count = i < s->nbuckets ? s->bucket[i].below : s->count;
		list[i]->upper_bound = i < s->nbuckets ? exposition_double(s->bucket[i].end, s->decimals) : INFINITY;
	}
	return list;
}

/* Runs of buckets, and how each differs from the one before. */
static void put_native(struct pieces *p, const struct exposition_series *s, MESSAGE(Histogram) *h)
{
	static const MESSAGE(BucketSpan) init = IO__PROMETHEUS__CLIENT__BUCKET_SPAN__INIT;
	unsigned int i;

	h->has_schema = h->has_zero_threshold = h->has_zero_count = true;
	h->schema = s->schema;
	h->zero_threshold = DBL_MIN;	/* 0 alone: a threshold of 0 would say that it is no native histogram */
	h->zero_count = s->zero;
	h->positive_span = messages(p, s->nnative, sizeof(init), &init);
	h->positive_delta = piece(p, s->nnative, sizeof(*h->positive_delta));
	for (i = 0; i < s->nnative; i++) {
		int gap = i ? s->native[i].index - s->native[i - 1].index - 1 : s->native[i].index;

		if (!i || gap) {
			h->positive_span[h->n_positive_span]->has_offset = h->positive_span[h->n_positive_span]->has_length = true;
			h->positive_span[h->n_positive_span++]->offset = gap;
		}
		h->positive_span[h->n_positive_span - 1]->length++;
		h->positive_delta[h->n_positive_delta++] = s->native[i].n - (i ? s->native[i - 1].n : 0);
	}
}

static MESSAGE(Histogram) *histogram(struct pieces *p, const struct exposition_series *s)
{
	static const MESSAGE(Histogram) init = IO__PROMETHEUS__CLIENT__HISTOGRAM__INIT;
	MESSAGE(Histogram) *h = memcpy(piece(p, 1, sizeof(*h)), &init, sizeof(init));

	h->has_sample_count = h->has_sample_sum = true;
	h->sample_count = s->count;
	h->sample_sum = s->known ? exposition_double(s->value, s->decimals) : NAN;
	h->bucket = buckets(p, s);
	h->n_bucket = s->nbuckets + 1;
	if (s->native)
		put_native(p, s, h);
	return h;
}

static void put_metric(struct pieces *p, enum exposition_type type, const struct exposition_series *s, MESSAGE(Metric) *m)
{
	static const MESSAGE(Counter) counter = IO__PROMETHEUS__CLIENT__COUNTER__INIT;
	static const MESSAGE(Gauge) gauge = IO__PROMETHEUS__CLIENT__GAUGE__INIT;

	m->label = labels(p, &s->labels);
	m->n_label = s->labels.n;
	switch (type) {
	case EXPOSITION_HISTOGRAM:
		m->histogram = histogram(p, s);
		break;
	case EXPOSITION_COUNTER:
		m->counter = memcpy(piece(p, 1, sizeof(counter)), &counter, sizeof(counter));
		m->counter->has_value = true;
		m->counter->value = exposition_double(s->value, s->decimals);
		break;
	default:
		m->gauge = memcpy(piece(p, 1, sizeof(gauge)), &gauge, sizeof(gauge));
		m->gauge->has_value = true;
		m->gauge->value = exposition_double(s->value, s->decimals);
	}
}

static void put_family(FILE *out, const struct exposition_family *f)
{
	static const MESSAGE(Metric) init = IO__PROMETHEUS__CLIENT__METRIC__INIT;
	static const Io__Prometheus__Client__MetricType type[] = {
		[EXPOSITION_COUNTER] = IO__PROMETHEUS__CLIENT__METRIC_TYPE__COUNTER,
		[EXPOSITION_GAUGE] = IO__PROMETHEUS__CLIENT__METRIC_TYPE__GAUGE,
		[EXPOSITION_INFO] = IO__PROMETHEUS__CLIENT__METRIC_TYPE__GAUGE,
		[EXPOSITION_HISTOGRAM] = IO__PROMETHEUS__CLIENT__METRIC_TYPE__HISTOGRAM,
	};
	MESSAGE(MetricFamily) family = IO__PROMETHEUS__CLIENT__METRIC_FAMILY__INIT;
	struct pieces p = { 0 };
	size_t size, left, i;
	unsigned char *bytes;

	family.name = say_text("%s%s", f->name, f->type == EXPOSITION_COUNTER ? "_total" : f->type == EXPOSITION_INFO ? "_info" : "");
	family.help = (char *)f->help;
	family.has_type = true;
	family.type = type[f->type];
	family.metric = messages(&p, f->n, sizeof(init), &init);
	family.n_metric = f->n;
	for (i = 0; i < f->n; i++)
		put_metric(&p, f->type, &f->series[i], family.metric[i]);
	size = protobuf_c_message_get_packed_size(&family.base);
	for (left = size; left > 127; left >>= 7)
		putc((left & 127) | 128, out);
	putc(left, out);
	bytes = piece(&p, 1, size);
	protobuf_c_message_pack(&family.base, bytes);
	fwrite(bytes, 1, size, out);
	free_pieces(&p);
	free(family.name);
}

void *exposition_protobuf(const struct exposition *e, size_t *size)
{
	char *bytes;
	FILE *out = open_memstream(&bytes, size);
	size_t i;

	for (i = 0; i < e->n; i++)
		if (e->family[i].n)
			put_family(out, &e->family[i]);
	fclose(out);
	return bytes;
}
