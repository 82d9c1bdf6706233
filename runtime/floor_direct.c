// SPDX-License-Identifier: GPL-2.0
/*
 * floor_direct.c: thunks at the sites of floor_hit.h, and who else is at a function that has a thunk.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>
#include "compat.h"
#include "direct_private.h"
#include "event.h"
#include "floor_hit.h"
#include "floor_private.h"

#if KS_DIRECT
enum ks_floor_form ks_floor_direct_form(const struct ks_probe *p)
{
	static const enum ks_floor_form forms[] = {
		[KS_THUNK_FAST] = KS_FLOOR_FAST, [KS_THUNK_KEYED] = KS_FLOOR_KEYED,
		[KS_THUNK_FULL] = KS_FLOOR_FULL, [KS_THUNK_PASS] = KS_FLOOR_PASS,
		[KS_THUNK_LEAN] = KS_FLOOR_LEAN, [KS_THUNK_COUNT] = KS_FLOOR_COUNT,
		/* What passes an `if` goes on as one of these, and its time begins there. */
		[KS_THUNK_SIFT] = KS_FLOOR_FULL, [KS_THUNK_SIEVE] = KS_FLOOR_PASS,
	};
	struct ks_probe *alone[] = { (struct ks_probe *)p };

	if (p->backend == &ks_probe_shared)
		return KS_FLOOR_SHARED;
	return ks_is_return(p) ? KS_FLOOR_RETURN : forms[ks_direct_form(alone, 1)];
}

struct ks_thunk *ks_floor_direct_attach(struct ks_probe *p, unsigned int i, bool shared)
{
	unsigned long site = ks_hit_site(i);
	struct ks_thunk *th;

	p->kept_words = ks_is_return(p) ? ks_event_kept_words(p) : 0;
	p->hits_before = 0;
	mutex_lock(&ks_direct_lock);
	th = shared ? ks_direct_prepare_shared(&site, &p, 1) : ks_direct_prepare(site, &p, 1);
	if (th)
		list_del_init(&th->link);	/* it is in no list of direct.c's, so that nobody drains it */
	mutex_unlock(&ks_direct_lock);
	if (th)
		ks_hit_aim(i, ks_thunk_address(th, th->form));
	return th;
}

void ks_floor_direct_follow(struct ks_thunk *th, const struct ks_probe *p)
{
	ks_direct_tell(th, p->measure);
}

void ks_floor_direct_detach(struct ks_thunk *th, struct ks_probe *p, unsigned int i)
{
	ks_hit_aim(i, 0);
	ks_direct_tell(th, p->measure);		/* which counts no longer */
	if (th->form == KS_THUNK_KEYED || th->form == KS_THUNK_LEAN)
		ks_thunk_lead(th, NULL);
	mutex_lock(&ks_direct_lock);
	ks_direct_make_spare(th);
	mutex_unlock(&ks_direct_lock);
}

/* Where the code at a call site leads; 0: nowhere, or it is just being turned. */
static unsigned long leads_to(unsigned long site)
{
	u8 code[KS_CALL_SITE_BYTES];
	s32 distance;

	if (copy_from_kernel_nofault(code, (void *)site, sizeof(code)) || code[0] != 0xe8)
		return 0;
	memcpy(&distance, code + 1, sizeof(distance));
	return site + sizeof(code) + distance;
}

/* Where ftrace has more than our thunk to call it calls something of its own there. */
bool ks_floor_direct_is_shared(const struct ks_probe *p)
{
	const struct ks_site *site = p->site;
	unsigned long to;

	if (!site || !site->thunk)
		return false;
	to = leads_to(site->shared ? p->place : site->address);
	return site->nprobes > 1 || (to && to != ks_thunk_address(site->thunk, site->thunk->form));
}

bool ks_floor_direct_trylock(void)
{
	return mutex_trylock(&ks_direct_lock);
}

void ks_floor_direct_unlock(void)
{
	mutex_unlock(&ks_direct_lock);
}

#else

enum ks_floor_form ks_floor_direct_form(const struct ks_probe *p)
{
	return KS_FLOOR_NONE;
}

struct ks_thunk *ks_floor_direct_attach(struct ks_probe *p, unsigned int i, bool shared)
{
	return NULL;
}

void ks_floor_direct_follow(struct ks_thunk *th, const struct ks_probe *p)
{
}

void ks_floor_direct_detach(struct ks_thunk *th, struct ks_probe *p, unsigned int i)
{
}

bool ks_floor_direct_is_shared(const struct ks_probe *p)
{
	return false;
}

bool ks_floor_direct_trylock(void)
{
	return true;
}

void ks_floor_direct_unlock(void)
{
}
#endif
