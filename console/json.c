// SPDX-License-Identifier: GPL-2.0
/*
 * json.c: words and numbers of the JSON format.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "console/digits.h"
#include "console/figures.h"
#include "console/json.h"

const char *const json_kinds[] = {
	[KSTATS_DURATION] = "duration", [KSTATS_VALUE_KIND] = "value", [KSTATS_COUNTS] = "counts", NULL,
};

const char *const json_forms[] = {
	[KSTATS_HISTOGRAMS] = "histograms", [KSTATS_WATCH] = "watch", [KSTATS_PROFILE] = "profile", NULL,
};

const char *const json_by_types[] = {
	[KSTATS_BY_U64] = "u64", [KSTATS_BY_S64] = "s64", [KSTATS_BY_STRING] = "string",
	[KSTATS_BY_ERRNO] = "errno", [KSTATS_BY_HEX] = "hex", [KSTATS_BY_SYMBOL] = "symbol",
	[KSTATS_BY_ENUM] = "enum", [KSTATS_BY_STACK] = "stack", [KSTATS_BY_POINT] = "point", [KSTATS_BY_FUNCTION] = "function",
	[KSTATS_BY_CGROUP] = "cgroup", [KSTATS_BY_CONTAINER] = "container", NULL,
};

const char *json_term(unsigned int term, char *field)
{
	char *p;

	snprintf(field, JSON_TERM, "%s", figures_terms[term]);
	while ((p = strchr(field, ' ')))
		*p = '_';
	return field;
}

json_t *json_digits(u128 v)
{
	char buf[DIGITS_TEXT];

	return json_string(digits(buf, v));
}

json_t *json_wide(u128 v)
{
	return v <= INT64_MAX ? json_integer(v) : json_digits(v);
}
