/* SPDX-License-Identifier: GPL-2.0 */
/*
 * series.h: measurements of this kernel over time: read them all, compare with before, make a report of it.
 */
#ifndef KM_SERIES_H
#define KM_SERIES_H

#include <stdint.h>

#include "console/render.h"

struct series {
	char **names;
	size_t n;
	struct snapshot **base;		/* what later ones are compared with; NULL: with the beginning */
	bool cgroups;			/* keys of some are cgroups, whose names go with them (cgroups_learn) */
	uint64_t begun;			/* and when that was, by session_now */
};

/* The measurements of this kernel module, in the script's order. Free with series_free, as any series. */
void series_of_module(struct series *s, const char *module);
void series_free(struct series *s);

/* All of them now, for stay_free; NULL after saying why not (somebody else unloaded the module, for one). */
struct snapshot **series_take(const struct series *s);

/* What came between two of these (@base NULL: all of @now), for stay_free. */
struct snapshot **series_since(const struct series *s, struct snapshot *const *now, struct snapshot *const *base);

/*
 * A report of snapshots that are subtracted from no more, as of now. Names of functions are looked up here: what that takes
 * is not measured by them.
 */
struct report series_report(struct snapshot *const *snapshots, size_t n);

#endif /* KM_SERIES_H */
