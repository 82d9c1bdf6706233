/* SPDX-License-Identifier: GPL-2.0 */
/*
 * serve.h: kmeter serve: what is measured, to a Prometheus: over HTTP, or by a file that node_exporter reads.
 */
#ifndef KM_SERVE_H
#define KM_SERVE_H

#include "console/options.h"

/* Where and how often, and how many groups, when nobody says. */
#define SERVE_LISTEN	"127.0.0.1:9978"
#define SERVE_INTERVAL	15000000000ULL
enum { SERVE_GROUPS = 100 };

/* Until a signal ends it. */
int serve(const struct options *o);

#endif /* KM_SERVE_H */
