/* SPDX-License-Identifier: GPL-2.0 */
/*
 * json.h: what writing a report as JSON (render_json.c) and reading it back (saved.c) have in common.
 */
#ifndef KM_JSON_H
#define KM_JSON_H

#include <jansson.h>

#include "console/snapshot.h"

enum { JSON_VERSION = 1, JSON_TERM = 32 };

/* The words for enum kstats_kind, kstats_form and kstats_by_type, each list ended by NULL. */
extern const char *const json_kinds[], *const json_forms[], *const json_by_types[];

/* The field of a term of the accounting, "in_flight", in @field of JSON_TERM bytes, which is returned. */
const char *json_term(unsigned int term, char *field);

/* An integer: as it is up to 2^63 - 1, above that, where most JSON libraries cannot hold it, a string of its digits; always such a string. */
json_t *json_wide(u128 v);
json_t *json_digits(u128 v);

#endif /* KM_JSON_H */
