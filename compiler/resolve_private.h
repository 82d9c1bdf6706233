/* SPDX-License-Identifier: GPL-2.0 */
/* resolve_private.h: between resolve.c (statements), resolve_point.c (points) and resolve_expr.c (expressions). */
#ifndef KM_RESOLVE_PRIVATE_H
#define KM_RESOLVE_PRIVATE_H

#include "resolve.h"

struct resolve {
	const struct kernel *kernel;
	struct symbols *symbols;
	struct diag *diag;
	struct plan *plan;
	struct stem *stems;	/* names given so far, without the .2 */
	unsigned int nstems;
};

/* "not yet: WHAT": DESIGN has it, this version does not. */
void resolve_not_yet(struct resolve *r, struct loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Where an expression stands, for what it may use. */
struct context {
	bool elapsed;		/* known here */
	const char *why_not;	/* elapsed is not */
};

/* An expression, typed and with constants folded; NULL where it is wrong (said). */
struct plan_expr *resolve_expr(struct resolve *r, const struct expr *e, const struct context *context);

/* The same, as the truth value of an `if`. */
struct plan_expr *resolve_condition(struct resolve *r, const struct expr *e, const struct context *context);

/* A whole number without any kernel: of `bits`, `entries`. */
bool resolve_number(struct resolve *r, const struct expr *e, const char *what, uint64_t low, uint64_t high,
		    unsigned int *number);

/*
 * Split what is evaluated at a call's entry from what must wait for its return. The conjuncts of *@filter without
 * elapsed go to @early; in the rest each largest part without elapsed becomes a store of @early, from word *@words on.
 * False where that needs more than KSTATS_DATA_WORDS.
 */
bool resolve_split(struct plan_expr *filter, struct plan_side *early, struct plan_side *late, unsigned int *words);

void resolve_store(struct plan_side *side, unsigned int word, struct plan_expr *value);

/* Fill in text, where, module and symbol of a point. With @whole: a function from entry to return. */
bool resolve_point(struct resolve *r, const struct point *p, bool whole, struct plan_point *out);

#endif /* KM_RESOLVE_PRIVATE_H */
