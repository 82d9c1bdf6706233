// SPDX-License-Identifier: GPL-2.0
/*
 * probe_direct.c: calls, returns and entries of functions by thunks (direct.c).
 */
#include "compat.h"
#include "direct.h"
#include "event.h"
#include "probe.h"

#if KS_DIRECT
/* Whose calls are nested is told by kretprobes' list of them alone. */
static bool serves(const struct ks_probe *p)
{
	unsigned int i;

	if (p->points[0]->role == KSTATS_CALL && p->measure->statement->nesting)
		return false;
	if (p->measure->nprobes > KS_DIRECT_EACH)
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

/* All of a measurement's functions come together (ks_direct_share()), none by itself. */
static bool serves_none(const struct ks_probe *p)
{
	return false;
}

#if KS_DIRECT
static unsigned long place_of(const struct ks_probe *p)
{
	return p->place;
}
#endif

const struct ks_backend ks_probe_shared = {
	.name = "direct",
	.serves = serves_none,
#if KS_DIRECT
	.disarm = ks_direct_unshare,
	.hits = ks_direct_hits,
	.follow = ks_direct_follow,
	.place = place_of,
#endif
};

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
