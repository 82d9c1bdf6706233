// SPDX-License-Identifier: GPL-2.0
/*
 * shared.c: one thunk and one registration for the many functions of a statement (thunk.h, the shared form).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/init_task.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "clock.h"
#include "compat.h"
#include "direct_private.h"

#if KS_DIRECT
static bool may_share(const struct ks_probe *p)
{
	const struct kstats_point *point = p->points[0];

	return p->npoints == 1 && ks_direct_is_timed(p) && !p->armed && (point->distance || point->module);
}

/* Histograms by function and no more, by the tsc. */
static bool is_shared(const struct kstats *k)
{
	const struct kstats_statement *s = k->statement;

	return s && s->points[0].role == KSTATS_CALL && k->by_point && k->by_words == 1 && s->nesting == KSTATS_NESTING_ALL &&
	       !s->ranged && k->clock.source == KS_CLOCK_TSC && ks_probe_allows(k, &ks_probe_shared);
}

/* Has a function a thunk of ours, its own or a shared one? Its call site cannot have two. */
static bool is_taken(unsigned long address)
{
	struct ks_site *site;

	list_for_each_entry(site, &ks_sites, link)
		if (site->thunk && (site->shared ? !!ks_body_at(site->thunk->bodies, address + KS_CALL_SITE_BYTES)->address :
				    site->address == address))
			return true;
	return false;
}

/* Where it is, without the search by name that a kprobe takes: 0, there is no call site of ftrace's that is free. */
static unsigned long call_site(const struct ks_probe *p)
{
	unsigned long address;
	u8 code[KS_CALL_SITE_BYTES];

	if (!p->points[0]->distance || p->points[0]->anchor)
		return ks_direct_locate(p, &address) || is_taken(address) ? 0 : address;
	address = (unsigned long)&init_task + p->points[0]->distance;
	if (ks_is_endbr((void *)address))
		address += ENDBR_INSN_SIZE;
	if (copy_from_kernel_nofault(code, (void *)address, sizeof(code)) || !ks_is_call_site(code) || is_taken(address))
		return 0;
	return address;
}

static struct ks_bodies *make_bodies(const unsigned long *address, struct ks_probe *const *probes, unsigned int n)
{
	struct ks_bodies *b = kvzalloc(sizeof(*b), GFP_KERNEL_ACCOUNT);
	unsigned int i;

	for (i = 0; b && i < n; i++)
		*ks_body_at(b, address[i] + KS_CALL_SITE_BYTES) = (struct ks_body){
			.address = address[i] + KS_CALL_SITE_BYTES,
			.part = probes[i]->points[0]->match + 1,
		};
	return b;
}

struct ks_thunk *ks_direct_prepare_shared(const unsigned long *address, struct ks_probe *const *probes, unsigned int n)
{
	struct ks_thunk *th = list_first_entry_or_null(&ks_spare_shared, struct ks_thunk, link);

	if (!th)
		return NULL;
	th->probes[0] = probes[0];
	th->nprobes = 1;
	th->site = address[0];
	th->squares = probes[0]->measure->statement->squares;
	th->counts = alloc_percpu(struct ks_thunk_counts);
	th->name = kasprintf(GFP_KERNEL, "%s and %u more", probes[0]->points[0]->symbol, n - 1);
	th->bodies = make_bodies(address, probes, n);
	if (!th->counts || !th->name || !th->bodies) {
		ks_direct_make_spare(th);
		return NULL;
	}
	ks_direct_tell(th, probes[0]->measure);
	return th;
}

/*
 * What ftrace knows no call site at is left out, though it may look like one (a nop of another kind): of several ftrace tells but that there
 * is such a one among them, and takes none. How many are left is returned.
 */
static unsigned int allow(struct ftrace_ops *ops, unsigned long *address, struct ks_probe **probes, unsigned int n)
{
	unsigned int half = n / 2, kept, more;

	if (!ks_ftrace_filter(ops, address, n, 0, 0))
		return n;
	if (n == 1)
		return 0;
	kept = allow(ops, address, probes, half);
	more = allow(ops, address + half, probes + half, n - half);
	memmove(address + kept, address + half, more * sizeof(*address));
	memmove(probes + kept, probes + half, more * sizeof(*probes));
	return kept + more;
}

/* Under lock. How many do, or a negative errno. */
static int share(struct ks_probe **probes, unsigned long *address, unsigned int n)
{
	struct ks_site *site = kzalloc(sizeof(*site), GFP_KERNEL);
	struct ks_thunk *th = NULL;
	unsigned int i;
	int err = -ENOMEM;

	if (!site)
		return err;
	n = allow(&site->ops, address, probes, n);
	err = -EOPNOTSUPP;
	if (!n)
		goto free;
	site->shared = true;
	site->address = address[0];
	site->probes[0] = probes[0];
	site->nprobes = 1;
	th = ks_direct_prepare_shared(address, probes, n);
	if (!th)
		goto free;
	err = ks_direct_register(&site->ops, site->address, ks_thunk_address(th, KS_THUNK_SHARED));
	if (err) {
		ks_direct_make_spare(th);
		goto free;
	}
	ks_direct_use(site, th);
	list_add(&site->link, &ks_sites);
	for (i = 0; i < n; i++) {
		probes[i]->site = site;
		probes[i]->place = address[i];
		probes[i]->hits_before = 0;
	}
	return n;

free:
	ks_ftrace_unfilter(&site->ops);
	kfree(site);
	return err;
}

void ks_direct_share(struct kstats *k)
{
	unsigned long *address = NULL;
	struct ks_probe **probes = NULL;
	unsigned int i, n = 0;
	int done = 0;

	if (!KS_DIRECT_MANY || k->nprobes <= KS_DIRECT_EACH || !is_shared(k))
		return;
	address = kvcalloc(k->nprobes, sizeof(*address), GFP_KERNEL);
	probes = kvcalloc(k->nprobes, sizeof(*probes), GFP_KERNEL);
	mutex_lock(&ks_direct_lock);
	for (i = 0; address && probes && i < k->nprobes && n < KS_SHARED_MAX; i++) {
		probes[n] = &k->probes[i];
		if (may_share(probes[n]) && (address[n] = call_site(probes[n])))
			n++;
		cond_resched();
	}
	if (n)
		done = share(probes, address, n);
	if (done < 0)
		pr_info("%s: %u functions cannot share a thunk (error %d)\n", k->name, n, done);
	for (i = 0; (int)i < done; i++) {
		probes[i]->backend = &ks_probe_shared;
		probes[i]->armed = true;
	}
	mutex_unlock(&ks_direct_lock);
	kvfree(address);
	kvfree(probes);
}

void ks_direct_unshare(struct ks_probe *const *probes, unsigned int n, void **scratch)
{
	struct ks_site *site = probes[0]->site;
	unsigned int i;

	mutex_lock(&ks_direct_lock);
	ks_direct_close(site);
	ks_ftrace_unfilter(&site->ops);
	list_del(&site->link);
	ks_direct_forget(site->probes[0]);
	kfree(site);
	for (i = 0; i < n; i++)
		probes[i]->site = NULL;
	mutex_unlock(&ks_direct_lock);
}

#else

void ks_direct_share(struct kstats *k)
{
}
#endif
