/* SPDX-License-Identifier: GPL-2.0 */
/*
 * direct_private.h: between direct.c (sites, the pool, draining), shared.c (many functions on one thunk) and thunk_calls.c (what
 * thunks call).
 */
#ifndef KS_DIRECT_PRIVATE_H
#define KS_DIRECT_PRIVATE_H

#include "direct.h"
#include "measure.h"
#include "probe.h"
#include "thunk.h"

#if KS_DIRECT
/* A function with a thunk. */
struct ks_site {
	struct list_head link;
	unsigned long address;		/* of its call site, 5 bytes, behind which the body begins; of many, of the first */
	struct ftrace_ops ops;
	struct ks_thunk *thunk;		/* NULL: the function's module went */
	struct ks_probe *probes[KS_THUNK_PROBES];
	unsigned int nprobes;
	bool changed;			/* its probes are not its thunk's */
	bool shared;			/* it is of many functions, whose addresses its thunk has */
};

extern struct mutex ks_direct_lock;	/* all of this; inside ks_lock and the kernel's list of module notifiers */
extern struct list_head ks_sites, ks_spare_shared;

/* Under that lock, but for the first two. */
bool ks_direct_is_timed(const struct ks_probe *p);	/* calls without handlers, by the tsc; keys apart */
int ks_direct_locate(const struct ks_probe *p, unsigned long *address);
void ks_direct_tell(struct ks_thunk *th, const struct kstats *k);
void ks_direct_use(struct ks_site *site, struct ks_thunk *th);
void ks_direct_close(struct ks_site *site);
void ks_direct_forget(struct ks_probe *p);
void ks_direct_make_spare(struct ks_thunk *th);
struct ks_thunk *ks_direct_prepare(unsigned long site, struct ks_probe *const *probes, unsigned int n);
struct ks_thunk *ks_direct_prepare_shared(const unsigned long *address, struct ks_probe *const *probes, unsigned int n);

/* The form that a thunk for these probes has. */
enum ks_thunk_form ks_direct_form(struct ks_probe *const *probes, unsigned int n);

static __always_inline bool ks_is_call(const struct ks_probe *p)
{
	return p->points[0]->role == KSTATS_CALL;
}

static __always_inline bool ks_is_return(const struct ks_probe *p)
{
	return p->points[0]->where == KSTATS_RETURN;
}

/* The cell at which the search for a body begins; of the address half is enough, in the 2 GB of kernel and modules. */
static __always_inline u32 ks_body_first(u32 address)
{
	return address * 0x9e3779b1u >> (32 - KS_BODIES_ORDER);
}

/* Its cell, or a free one. Bounded: half of the cells are free. */
static __always_inline struct ks_body *ks_body_at(struct ks_bodies *b, u32 address)
{
	u32 i = ks_body_first(address);

	while (b->cell[i].address != address && b->cell[i].address)
		i = (i + 1) % ARRAY_SIZE(b->cell);
	return &b->cell[i];
}

#endif
#endif /* KS_DIRECT_PRIVATE_H */
