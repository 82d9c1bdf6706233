/* SPDX-License-Identifier: GPL-2.0 */
/*
 * figures.h: the numbers that a report shows, computed once for every output format.
 *
 * Figures say what they are: exact, a bound, or unknown. Nothing here prints.
 */
#ifndef KM_FIGURES_H
#define KM_FIGURES_H

#include "console/quantile.h"

enum { FIGURES_QUANTILES = 5 };

/* A smallest or largest sample: between lo and hi, which are equal when it is known. */
struct figures_bound {
	__u64 lo, hi;
};

/* Of one part, or of all. */
struct figures {
	const struct snapshot_part *part;	/* NULL: all */
	struct snapshot_total total;
	double mean, mean_lo, mean_hi;		/* mean is NaN when not known */
	struct figures_bound min, max;
	struct quantile quantile[FIGURES_QUANTILES];	/* as quantile_points */
};

void figures_of(const struct snapshot *s, const struct snapshot_part *part, struct figures *out);
void figures_free(struct figures *f);

enum figures_order {
	FIGURES_BY_TOTAL,
	FIGURES_BY_COUNT,
	FIGURES_BY_MEAN,
	FIGURES_BY_MAX,
	FIGURES_BY_P99,
	FIGURES_ORDERS,
};

/* Their names on the command line. */
extern const char *const figures_orders[];

/* Figures of every part that has samples, largest first (counts: by count); *n of them. Free with figures_free_all. */
struct figures *figures_of_parts(const struct snapshot *s, enum figures_order order, size_t *n);
void figures_free_all(struct figures *all, size_t n);

/* ---- the accounting in words ---- */

/* The terms' names. */
extern const char *const figures_terms[KSTATS_NTERMS];

struct figures_sentence {
	enum kstats_term term;
	const char *text;
};

/* What each kind of loss means; why there are no samples, when all hits are of this term (of `hits`: when there are none). Ended by NULL. */
extern const struct figures_sentence figures_losses[], figures_empty[];

#endif /* KM_FIGURES_H */
