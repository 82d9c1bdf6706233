/* SPDX-License-Identifier: GPL-2.0 */
/*
 * render.h: a report in one of the output formats. To add one: a file render_X.c with a `struct render`, and its line
 * in render.c.
 */
#ifndef KM_RENDER_H
#define KM_RENDER_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "console/figures.h"

struct render_options {
	enum figures_order order;
	size_t top;		/* groups of a `by` that are shown; 0: as the script says, or a default */
	bool utf8;
	bool color;
	bool verbose;
	int width;		/* columns */
	bool fold;		/* lines that are longer go on in the next: a terminal would break them anywhere */
	size_t written;		/* reports that came before this one: what heads the first does not come again */
	int rows;		/* of a histogram, at most; 0: as many as are good to read */
};

/* Of a merged report: one that went into it. */
struct report_source {
	const char *host, *boot, *release;	/* NULL: not known */
	struct timespec taken;
	double seconds;
	unsigned int first_cpu, cpus;		/* its CPU 0 is this one of the merged report; how many are possible there */
};

/* What is known of the measuring besides the measurements. */
struct report {
	struct snapshot *const *snapshots;
	size_t n;
	unsigned int number;		/* of this report when there may be several (-i), from 1; 0: the only one */
	double seconds;			/* wall time that it covers */
	struct timespec taken;		/* CLOCK_REALTIME at its end */
	const char *release;		/* of the kernel; NULL: not known, or several */
	const char *host, *boot;	/* the machine, and which of its boots (boot_id); NULL likewise */
	const char *script;		/* the source text; NULL where it is not known any more */
	const struct report_source *sources;	/* of a merged report, else NULL */
	size_t nsources;
};

struct render {
	const char *name;
	bool moment;		/* what it writes is one state: there can be no second report behind it */
	/* Errors of writing stay in the stream (ferror). */
	void (*write)(FILE *out, const struct report *report, const struct render_options *options);
};

extern const struct render render_text, render_json, render_ndjson, render_csv, render_hgrm, render_hlog, render_openmetrics,
			   render_prometheus;

/* The one of that name, or NULL. */
const struct render *render_find(const char *name);

/* The names of all, ended by NULL. */
const char *const *render_names(void);

#endif /* KM_RENDER_H */
