/* SPDX-License-Identifier: GPL-2.0 */
/*
 * accept.h: what a client that may take several forms of a page is to get (RFC 9110: Accept, Accept-Encoding).
 */
#ifndef KM_ACCEPT_H
#define KM_ACCEPT_H

#include <stdbool.h>

enum accept_form {
	ACCEPT_TEXT,		/* text/plain; version=0.0.4: also where nothing was asked for, or nothing that there is */
	ACCEPT_OPENMETRICS,	/* application/openmetrics-text; version=1.0.0 */
	ACCEPT_PROTOBUF,	/* application/vnd.google.protobuf, of delimited io.prometheus.client.MetricFamily messages */
	ACCEPT_FORMS,
};

/* Their content types, whole. */
extern const char *const accept_types[ACCEPT_FORMS];

/* What an Accept header (NULL: none) likes best; of what it likes as much, what it names more exactly, then what it names first. */
enum accept_form accept_form(const char *header);

/* Does an Accept-Encoding header (NULL: none) take gzip? */
bool accept_gzip(const char *header);

#endif /* KM_ACCEPT_H */
