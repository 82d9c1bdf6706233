// SPDX-License-Identifier: GPL-2.0
/*
 * probe_direct.c: calls, returns and entries of functions by thunks (direct.c).
 */
#include "compat.h"
#include "direct.h"
#include "event.h"
#include "probe.h"

#if KS_DIRECT
/* Each attachment takes a thunk of the pool, and the kernel's time: a pattern of many functions has other means. */
#define FUNCTIONS_MAX	16

/* Whose calls are nested is told by kretprobes' list of them alone. */
static bool serves(const struct ks_probe *p)
{
	unsigned int i;

	if (p->points[0]->role == KSTATS_CALL && p->measure->statement->nesting)
		return false;
	if (p->measure->nprobes > FUNCTIONS_MAX)
		return false;
	for (i = 0; i < p->npoints; i++) {
		const struct kstats_point *point = p->points[i];

		if (!point->thunk || point->offset ||
		    (point->where != KSTATS_FUNCTION && point->where != KSTATS_RETURN))
			return false;
	}
	return true;
}
#else
static bool serves(const struct ks_probe *p)
{
	return false;
}
#endif

const struct ks_backend ks_probe_direct = {
	.name = "direct",
	.serves = serves,
#if KS_DIRECT
	.arm = ks_direct_attach,
	.disarm = ks_direct_detach,
	.hits = ks_direct_hits,
	.follow = ks_direct_follow,
	.place = ks_direct_place,
#endif
};
