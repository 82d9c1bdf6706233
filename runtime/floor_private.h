/* SPDX-License-Identifier: GPL-2.0 */
/*
 * floor_private.h: between floor.c and floor_direct.c, what it asks of thunks.
 */
#ifndef KS_FLOOR_PRIVATE_H
#define KS_FLOOR_PRIVATE_H

#include "floor.h"
#include "measure.h"

struct ks_thunk;

/*
 * How a point is attached, as far as figures can tell. Of calls, of entries, of returns, of tracepoints; from the names in
 * forms[] of floor.c follows what each is.
 */
enum ks_floor_form {
	KS_FLOOR_NONE,		/* an instruction: a breakpoint, which the kernel may make a jump of at any time */
	KS_FLOOR_FAST, KS_FLOOR_KEYED, KS_FLOOR_FULL, KS_FLOOR_SHARED, KS_FLOOR_FPROBE, KS_FLOOR_KRETPROBE,
	KS_FLOOR_COUNT, KS_FLOOR_LEAN, KS_FLOOR_PASS, KS_FLOOR_KPROBE,
	KS_FLOOR_RETURN, KS_FLOOR_FRETURN, KS_FLOOR_KRETURN,
	KS_FLOOR_PLAIN, KS_FLOOR_ARGUMENTS,
	KS_FLOOR_BREAKPOINT,	/* of the table alone: see NONE */
	KS_FLOOR_FORMS
};

/* The form of a probe of a thunk's, were it alone at its function. */
enum ks_floor_form ks_floor_direct_form(const struct ks_probe *p);

/*
 * Attach @p by a thunk to the @i'th site of floor_hit.h; NULL: there is none. Its measurement does not count yet:
 * ks_floor_direct_follow() tells when that has changed. Who detaches sees to it that nobody is at the site, nor will be. Under
 * ks_lock.
 */
struct ks_thunk *ks_floor_direct_attach(struct ks_probe *p, unsigned int i, bool shared);
void ks_floor_direct_follow(struct ks_thunk *th, const struct ks_probe *p);
void ks_floor_direct_detach(struct ks_thunk *th, struct ks_probe *p, unsigned int i);

/* Is somebody else at the function of an armed probe, others of ours included? Between the next two. */
bool ks_floor_direct_is_shared(const struct ks_probe *p);
bool ks_floor_direct_trylock(void);
void ks_floor_direct_unlock(void);

#endif /* KS_FLOOR_PRIVATE_H */
