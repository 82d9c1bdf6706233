// SPDX-License-Identifier: GPL-2.0
/*
 * accept.c: the headers by which a client says what it takes: "type;parameter=value;q=0.5, type, ...".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "console/accept.h"
#include "console/say.h"

const char *const accept_types[ACCEPT_FORMS] = {
	[ACCEPT_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
	[ACCEPT_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	[ACCEPT_PROTOBUF] = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited",
};

static char *trimmed(char *text)
{
	char *end;

	text += strspn(text, " \t");
	for (end = text + strlen(text); end > text && strchr(" \t", end[-1]); end--)
		;
	*end = 0;
	return text;
}

/* A word of the list: its type, which parameters it has, and how much it is liked. */
struct range {
	const char *type, *version, *proto, *encoding;
	double q;
};

/* 0 to 1; what is no number is not wanted. */
static double weight(const char *text)
{
	char *end;
	double q = strtod(text, &end);

	return end == text || !isfinite(q) ? 0 : q < 1 ? q : 1;
}

/* The next word, which is cut out of *list; false at the end. */
static bool next(char **list, struct range *r)
{
	char *word = strsep(list, ","), *parameter, *value;

	if (!word)
		return false;
	*r = (struct range){ .type = trimmed(strsep(&word, ";")), .q = 1 };
	while ((parameter = strsep(&word, ";"))) {
		value = strchr(parameter, '=');
		if (!value)
			continue;
		*value++ = 0;
		parameter = trimmed(parameter);
		value = trimmed(value);
		if (*value == '"' && value[1] && value[strlen(value) - 1] == '"') {
			value[strlen(value) - 1] = 0;
			value++;
		}
		if (!strcasecmp(parameter, "q"))
			r->q = weight(value);
		else if (!strcasecmp(parameter, "version"))
			r->version = value;
		else if (!strcasecmp(parameter, "proto"))
			r->proto = value;
		else if (!strcasecmp(parameter, "encoding"))
			r->encoding = value;
	}
	return true;
}

static bool is(const char *value, const char *wanted)
{
	return !value || !strcmp(value, wanted);
}

/* How exactly this names the form, 0: not at all. The binary form is for who names all of it. */
static int names(const struct range *r, enum accept_form form)
{
	switch (form) {
	case ACCEPT_PROTOBUF:
		return !strcasecmp(r->type, "application/vnd.google.protobuf") && r->proto && is(r->proto, "io.prometheus.client.MetricFamily") &&
		       r->encoding && is(r->encoding, "delimited") ? 3 : 0;
	case ACCEPT_OPENMETRICS:
		return !strcasecmp(r->type, "application/openmetrics-text") && is(r->version, "1.0.0") ? 3 : 0;
	default:
		return !strcasecmp(r->type, "text/plain") && is(r->version, "0.0.4") ? 3 : !strcasecmp(r->type, "text/*") ? 2 : !strcmp(r->type, "*/*");
	}
}

enum accept_form accept_form(const char *header)
{
	char *copy = say_strdup(header ? header : ""), *list = copy;
	enum accept_form best = ACCEPT_TEXT;
	double liked = 0;
	int exactly = 0;
	struct range r;
	unsigned int f;

	while (next(&list, &r)) {
		for (f = 0; f < ACCEPT_FORMS; f++) {
			int exact = names(&r, f);

			if (!exact || !(r.q > 0) || r.q < liked || (r.q == liked && exact <= exactly))
				continue;
			best = f;
			liked = r.q;
			exactly = exact;
		}
	}
	free(copy);
	return best;
}

bool accept_gzip(const char *header)
{
	char *copy = say_strdup(header ? header : ""), *list = copy;
	int exactly = 0;
	bool takes = false;
	struct range r;

	while (next(&list, &r)) {
		int exact = !strcasecmp(r.type, "gzip") ? 2 : !strcmp(r.type, "*");

		if (exact > exactly) {
			exactly = exact;
			takes = r.q > 0;
		}
	}
	free(copy);
	return takes;
}
