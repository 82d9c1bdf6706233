// SPDX-License-Identifier: GPL-2.0
/*
 * direct.c: sites (functions that have a thunk), the pool, and draining.
 *
 * A thunk serves a fixed set of probes. When the set of a function changes, its call site is turned to another thunk with the
 * new set, and the old one goes to `retired`; calls that entered by it leave by it, and are still counted for those probes of
 * it that live. Where a probe goes, its place in every thunk becomes NULL: after the next ks_direct_quiesce() nobody looks at it,
 * nor at the module that its handlers are in.
 *
 * What remains belongs to the runtime: frames on the stacks of tasks that sleep in a measured function. A retired thunk
 * becomes free in these steps, taken by a work item that pins kstats.ko meanwhile, and has tasks that end followed:
 *
 *	RCU-tasks (both kinds)	nobody is between the call site and the count of entries any more
 *	exits == entries	exits read first: every body has returned
 *	RCU-tasks (both kinds)	nobody is between the count of exits and the caller
 *
 * Frames that never return are found when their task exits, by unwinding its stack.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include "clock.h"
#include "compat.h"
#include "direct_private.h"
#include "event.h"
#include "exit.h"

#if KS_DIRECT
#include <asm/unwind.h>

#define POLL	(HZ / 10)		/* how often draining looks */

DEFINE_MUTEX(ks_direct_lock);
LIST_HEAD(ks_sites);
static LIST_HEAD(spare);		/* thunks: free */
LIST_HEAD(ks_spare_shared);		/* likewise, those for many functions */
static LIST_HEAD(used);			/* of a site */
static LIST_HEAD(retired);		/* of no site any more, perhaps still being entered */
static LIST_HEAD(draining);		/* not entered any more, but tasks may be in their bodies */
static bool pinned;
static DEFINE_PER_CPU(struct ks_cpu, nowhere);	/* where thunks count when nobody does */
static unsigned int followed;		/* thunks with frames; read anywhere */
static DEFINE_SPINLOCK(hits_lock);	/* what fast thunks counted moves from them to their probe */

static void drain(struct work_struct *work);
static DECLARE_DELAYED_WORK(draining_work, drain);

/* ---- the pool ---- */

static struct ks_thunk_counts sum(const struct ks_thunk *th)
{
	struct ks_thunk_counts n = {};
	int cpu;

	for_each_possible_cpu(cpu)
		n.exits += READ_ONCE(per_cpu_ptr(th->counts, cpu)->exits);
	smp_rmb();	/* who has left has been seen to enter */
	for_each_possible_cpu(cpu) {
		n.ignored += READ_ONCE(per_cpu_ptr(th->counts, cpu)->ignored);
		n.entries += READ_ONCE(per_cpu_ptr(th->counts, cpu)->entries);
	}
	return n;
}

/* Calls that a fast thunk counted by itself. */
static u64 hits_of(const struct ks_thunk *th)
{
	struct ks_thunk_counts n = sum(th);

	return n.entries - n.ignored;
}

/* Wait until nobody is in the code of a thunk that is attached nowhere, but in the bodies that it called. */
static void wait_for_code(void)
{
	ks_quiesce();
	synchronize_rcu_tasks();
}

void ks_direct_make_spare(struct ks_thunk *th)
{
	spin_lock(&hits_lock);
	if (ks_thunk_is_timed(th->form) && th->probes[0] && th->counts)
		th->probes[0]->hits_before += hits_of(th);
	memset(th->probes, 0, sizeof(th->probes));
	th->limit = 0;
	th->measure = NULL;
	th->retired = false;
	spin_unlock(&hits_lock);
	free_percpu(th->counts);
	kfree(th->name);
	kvfree(th->bodies);
	th->counts = NULL;
	th->name = NULL;
	th->bodies = NULL;
	list_move(&th->link, th->form == KS_THUNK_SHARED ? &ks_spare_shared : &spare);
}

/*
 * Not under the lock while it waits. kstats.ko is let go when nothing is left; its exit waits for this to return.
 */
static void drain(struct work_struct *work)
{
	struct ks_thunk *th, *next;
	LIST_HEAD(silent);
	LIST_HEAD(empty);
	bool done;

	mutex_lock(&ks_direct_lock);
	list_splice_init(&retired, &silent);
	mutex_unlock(&ks_direct_lock);
	if (!list_empty(&silent))
		wait_for_code();

	mutex_lock(&ks_direct_lock);
	list_splice_init(&silent, &draining);
	list_for_each_entry_safe(th, next, &draining, link) {
		struct ks_thunk_counts n = sum(th);

		if (n.exits == n.entries)
			list_move(&th->link, &empty);
	}
	mutex_unlock(&ks_direct_lock);
	if (!list_empty(&empty))
		wait_for_code();

	mutex_lock(&ks_direct_lock);
	list_for_each_entry_safe(th, next, &empty, link) {
		if (ks_thunk_has_frame(th->form))
			WRITE_ONCE(followed, followed - 1);
		ks_direct_make_spare(th);
	}
	/* It may have been queued once more while it ran: what pinned us is let go once. */
	done = pinned && list_empty(&retired) && list_empty(&draining);
	if (done)
		pinned = false;
	else if (pinned)
		schedule_delayed_work(&draining_work, POLL);
	mutex_unlock(&ks_direct_lock);
	if (done) {
		ks_exit_put();
		module_put(THIS_MODULE);
	}
}

/* It is attached nowhere any more. Under lock. */
static void retire(struct ks_thunk *th)
{
	th->retired = true;
	list_move(&th->link, &retired);
	if (!pinned) {
		__module_get(THIS_MODULE);
		ks_exit_get();	/* the measurement that it was attached for follows them still */
		pinned = true;
	}
	mod_delayed_work(system_wq, &draining_work, 0);
}

/* ---- which form ---- */

/* But for keys. */
bool ks_direct_is_timed(const struct ks_probe *p)
{
	const struct kstats_point *point = p->points[0];

	return ks_is_call(p) && point->thunk && !point->wide && !point->early && !point->late && !p->measure->statement->ranged &&
	       !p->measure->statement->time && p->measure->clock.source == KS_CLOCK_TSC;
}

/* Keys are known at the entry, from arguments and the current task. */
static bool is_keyed(const struct ks_probe *p)
{
	const struct kstats_point *point = p->points[0];
	const struct kstats_statement *s = p->measure->statement;

	return ks_is_call(p) && point->keys && !point->wide && !point->late && !p->measure->named && !s->squares && !s->nesting &&
	       !s->time && !s->ranged && s->data_words <= KS_THUNK_KEYS && p->measure->clock.source == KS_CLOCK_TSC;
}

/* Hits of a function, and no more is to be known. */
static bool is_counted(const struct ks_probe *p)
{
	return p->npoints == 1 && p->points[0]->role == KSTATS_COUNT && !ks_is_return(p) && !p->points[0]->early &&
	       !p->measure->statement->nby;
}

static bool is_lean(const struct ks_probe *p)
{
	return ks_event_is_plain(p) && !ks_is_return(p) && !p->points[0]->early && p->measure->statement->key == KSTATS_KEY_TASK;
}

static bool is_sifted(const struct ks_probe *p)
{
	return p->npoints == 1 && p->points[0]->refuses;
}

static bool is_sieve(enum ks_thunk_form form)
{
	return form == KS_THUNK_SIFT || form == KS_THUNK_SIEVE;
}

enum ks_thunk_form ks_direct_form(struct ks_probe *const *probes, unsigned int n)
{
	unsigned int i;

	if (n == 1 && ks_direct_is_timed(probes[0]) && !probes[0]->measure->statement->nby)
		return KS_THUNK_FAST;
	if (n == 1 && is_keyed(probes[0]))
		return KS_THUNK_KEYED;
	if (n == 1 && is_counted(probes[0]))
		return KS_THUNK_COUNT;
	if (n == 1 && is_lean(probes[0]))
		return KS_THUNK_LEAN;
	if (n == 1 && is_sifted(probes[0]))
		return ks_is_call(probes[0]) ? KS_THUNK_SIFT : KS_THUNK_SIEVE;
	for (i = 0; i < n; i++)
		if (ks_is_call(probes[i]) || ks_is_return(probes[i]))
			return KS_THUNK_FULL;
	return KS_THUNK_PASS;
}

/* Words of a probe's part of the area; the first is the probe itself while it is followed. */
static unsigned int words_of(const struct ks_probe *p)
{
	if (ks_is_call(p))
		return sizeof(struct ks_frame) / sizeof(u64) + ks_event_words(p->measure);
	return ks_is_return(p) ? 1 + p->kept_words : 0;
}
static_assert(offsetof(struct ks_frame, probe) == 0);

/*
 * Thunks that do without registers or frames look at their measurement, count in its table, and call its script with preemption on:
 * who frees one of these must have waited for RCU-tasks too. Under ks_lock.
 */
static bool unwaited;

void ks_direct_quiesce(void)
{
	ks_quiesce();
	if (unwaited)
		synchronize_rcu_tasks();
	unwaited = false;
}

/* Let the thunk of one probe know where its measurement counts now, or that it does not. */
void ks_direct_tell(struct ks_thunk *th, const struct kstats *k)
{
	struct ks_table *t = READ_ONCE(k->live);

	WRITE_ONCE(th->cpu, t ? t->cpu : &nowhere);
	if (!ks_thunk_is_timed(th->form))
		return;
	if (t) {
		th->mult = k->clock.mult;
		WRITE_ONCE(th->table, t);
	}
	/* Not below 1 while it counts: 0 is for STOP. The rest is learnt. */
	smp_store_release(&th->limit, t && (th->form != KS_THUNK_SHARED || t->laid_out) ? READ_ONCE(k->clock.sane) + 1 : 0);
}

void ks_direct_follow(const struct ks_probe *p)
{
	int i;

	spin_lock(&hits_lock);
	for (i = 0; i < KS_THUNKS_ALL; i++)
		if (ks_thunks[i].probes[0] == p && ks_thunks[i].nprobes == 1)
			ks_direct_tell(&ks_thunks[i], p->measure);
	spin_unlock(&hits_lock);
	unwaited |= is_counted(p) || is_sifted(p);
}

/* A thunk for these probes, not attached yet. NULL: none is free, or their frames are too large. Under lock. */
struct ks_thunk *ks_direct_prepare(unsigned long site, struct ks_probe *const *probes, unsigned int n)
{
	struct ks_thunk *th = list_first_entry_or_null(&spare, struct ks_thunk, link);
	unsigned int i, at = 0, words = 0;

	for (i = 0; i < n; i++)
		words += words_of(probes[i]);
	if (!th || words > KS_THUNK_AREA)
		return NULL;
	for (i = 0; i < n; i++) {
		th->probes[i] = probes[i];
		th->at[i] = words_of(probes[i]) ? at : KS_THUNK_AREA;
		at += words_of(probes[i]);
	}
	th->nprobes = n;
	th->form = ks_direct_form(probes, n);
	th->site = site;
	th->counts = alloc_percpu(struct ks_thunk_counts);
	th->name = kstrdup(probes[0]->points[0]->symbol, GFP_KERNEL);
	if (!th->counts || !th->name) {
		ks_direct_make_spare(th);
		return NULL;
	}
	if (n == 1)
		ks_direct_tell(th, probes[0]->measure);
	if (th->form == KS_THUNK_LEAN) {
		th->measure = probes[0]->measure;
		ks_thunk_lead(th, probes[0]->points[0]->role == KSTATS_FROM ? ks_event_start : ks_event_end);
	} else if (th->form == KS_THUNK_KEYED) {
		ks_thunk_lead(th, probes[0]->points[0]->keys);
		th->keys = probes[0]->measure->by_words;
	} else if (is_sieve(th->form)) {
		ks_thunk_lead(th, probes[0]->points[0]->refuses);
	}
	if (ks_thunk_has_frame(th->form))
		ks_thunk_aim(th, site + KS_CALL_SITE_BYTES);
	return th;
}

void ks_direct_use(struct ks_site *site, struct ks_thunk *th)
{
	if (ks_thunk_has_frame(th->form))
		WRITE_ONCE(followed, followed + 1);
	site->thunk = th;
	list_move(&th->link, &used);
}

/* ---- sites ---- */

/* The call site of the probe's function. */
int ks_direct_locate(const struct ks_probe *p, unsigned long *address)
{
	u8 code[KS_CALL_SITE_BYTES];
	int err = ks_probe_address(p, address);

	if (!err && (copy_from_kernel_nofault(code, (void *)*address, sizeof(code)) || !ks_is_call_site(code)))
		err = -EOPNOTSUPP;
	return err;
}

static struct ks_site *find_site(unsigned long address)
{
	struct ks_site *site;

	list_for_each_entry(site, &ks_sites, link)
		if (site->address == address && site->thunk && !site->shared)
			return site;
	return NULL;
}

static int new_site(unsigned long address, struct ks_probe *p)
{
	struct ks_site *site = kzalloc(sizeof(*site), GFP_KERNEL);
	struct ks_thunk *th;
	int err = -ENOMEM;

	if (!site)
		return err;
	site->address = address;
	err = ks_ftrace_filter(&site->ops, &address, 1, 0, 0);
	if (err) {
		err = -EOPNOTSUPP;
		goto free;
	}
	site->probes[0] = p;
	site->nprobes = 1;
	err = -EOPNOTSUPP;
	th = ks_direct_prepare(address, site->probes, 1);
	if (!th)
		goto free;
	err = ks_direct_register(&site->ops, address, ks_thunk_address(th, th->form));
	if (err) {
		ks_direct_make_spare(th);
		goto free;
	}
	ks_direct_use(site, th);
	list_add(&site->link, &ks_sites);
	p->site = site;
	return 0;

free:
	ks_ftrace_unfilter(&site->ops);
	kfree(site);
	return err;
}

/* Turn the call site to a thunk for this set, which is not empty. */
static int turn(struct ks_site *site, struct ks_probe *const *probes, unsigned int n)
{
	struct ks_thunk *old = site->thunk, *th = ks_direct_prepare(site->address, probes, n);
	int err;

	if (!th)
		return -EOPNOTSUPP;
	err = ks_direct_modify(&site->ops, site->address, ks_thunk_address(old, old->form), ks_thunk_address(th, th->form));
	if (err) {
		ks_direct_make_spare(th);
		return err;
	}
	ks_direct_use(site, th);
	retire(old);
	return 0;
}

int ks_direct_attach(struct ks_probe *p)
{
	struct ks_probe *probes[KS_THUNK_PROBES];
	unsigned long address;
	struct ks_site *site;
	int err = ks_direct_locate(p, &address);

	if (err)
		return err;
	p->kept_words = ks_is_return(p) ? ks_event_kept_words(p) : 0;
	p->hits_before = 0;
	mutex_lock(&ks_direct_lock);
	site = find_site(address);
	if (!site) {
		err = new_site(address, p);
	} else if (site->nprobes == KS_THUNK_PROBES) {
		err = -EOPNOTSUPP;
	} else {
		memcpy(probes, site->probes, sizeof(probes));
		probes[site->nprobes] = p;
		err = turn(site, probes, site->nprobes + 1);
		if (!err) {
			memcpy(site->probes, probes, sizeof(probes));
			site->nprobes++;
			p->site = site;
		}
	}
	mutex_unlock(&ks_direct_lock);
	return err;
}

/* No thunk has it any more. */
void ks_direct_forget(struct ks_probe *p)
{
	int i, j;

	for (i = 0; i < KS_THUNKS_ALL; i++)		/* what it calls of the script */
		if (ks_thunks[i].probes[0] == p && (is_sieve(ks_thunks[i].form) || ks_thunks[i].form == KS_THUNK_KEYED))
			ks_thunk_lead(&ks_thunks[i], NULL);
	spin_lock(&hits_lock);
	for (i = 0; i < KS_THUNKS_ALL; i++) {
		if (ks_thunks[i].probes[0] == p) {
			WRITE_ONCE(ks_thunks[i].cpu, &nowhere);
			if (ks_thunk_is_timed(ks_thunks[i].form))
				p->hits_before += hits_of(&ks_thunks[i]);
			WRITE_ONCE(ks_thunks[i].limit, 0);
		}
		for (j = 0; j < KS_THUNK_PROBES; j++)
			if (ks_thunks[i].probes[j] == p)
				WRITE_ONCE(ks_thunks[i].probes[j], NULL);
	}
	spin_unlock(&hits_lock);
	unwaited |= is_counted(p) || is_sifted(p) || is_lean(p) || is_keyed(p);
}

static void leave_site(struct ks_probe *p)
{
	struct ks_site *site = p->site;
	unsigned int i = 0;

	while (site->probes[i] != p)
		i++;
	site->probes[i] = site->probes[--site->nprobes];
	site->changed = true;
	p->site = NULL;
}

void ks_direct_close(struct ks_site *site)
{
	if (site->thunk) {
		ks_direct_unregister(&site->ops, site->address, ks_thunk_address(site->thunk, site->thunk->form));
		retire(site->thunk);
		site->thunk = NULL;
	}
}

void ks_direct_detach(struct ks_probe *const *probes, unsigned int n, void **scratch)
{
	struct ks_site *site, *next;
	unsigned int i;

	mutex_lock(&ks_direct_lock);
	for (i = 0; i < n; i++)
		leave_site(probes[i]);
	list_for_each_entry_safe(site, next, &ks_sites, link) {
		if (!site->changed)
			continue;
		site->changed = false;
		if (site->nprobes) {
			/* Where there is no other, the thunk that has places without a probe will do. */
			if (site->thunk)
				turn(site, site->probes, site->nprobes);
			continue;
		}
		ks_direct_close(site);
		ks_ftrace_unfilter(&site->ops);
		list_del(&site->link);
		kfree(site);
	}
	for (i = 0; i < n; i++)
		ks_direct_forget(probes[i]);
	mutex_unlock(&ks_direct_lock);
}

u64 ks_direct_hits(const struct ks_probe *p)
{
	u64 n;
	int i;

	spin_lock(&hits_lock);
	n = p->hits_before;
	for (i = 0; i < KS_THUNKS_ALL; i++)
		if (ks_thunk_is_timed(ks_thunks[i].form) && ks_thunks[i].probes[0] == p)
			n += hits_of(&ks_thunks[i]);
	spin_unlock(&hits_lock);
	return n;
}

void ks_direct_hits_by_cpu(const struct kstats *k, u64 *hits)
{
	int i, cpu;

	for (i = 0; i < KS_THUNKS_ALL; i++) {
		const struct ks_thunk *th = &ks_thunks[i];

		spin_lock(&hits_lock);
		if (ks_thunk_is_timed(th->form) && th->probes[0] && th->probes[0]->measure == k && th->counts)
			for_each_possible_cpu(cpu)
				hits[cpu] += READ_ONCE(per_cpu_ptr(th->counts, cpu)->entries);
		spin_unlock(&hits_lock);
	}
}

unsigned long ks_direct_place(const struct ks_probe *p)
{
	return p->site ? p->site->address : 0;
}

/* ---- modules that go ---- */

/* Before ftrace forgets the module's functions. */
static int notify(struct notifier_block *nb, unsigned long action, void *data)
{
	const struct module *mod = data;
	struct ks_site *site;

	if (action != MODULE_STATE_GOING)
		return NOTIFY_OK;
	mutex_lock(&ks_direct_lock);
	list_for_each_entry(site, &ks_sites, link) {
		if (!site->thunk || !within_module(site->address, mod))
			continue;
		pr_info("module %s goes, and %s with it\n", mod->name, site->thunk->name);
		ks_direct_close(site);
	}
	mutex_unlock(&ks_direct_lock);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = notify, .priority = INT_MAX };

/* ---- tasks that end, and those that hold us ---- */

/* A frame whose body will never return: @sp is where the stack ends once the body has. */
static void abandon(struct ks_thunk *th, enum ks_thunk_form form, void *sp)
{
	struct ks_thunk_frame *f = sp;
	unsigned int i;

	for (i = 0; i < th->nprobes; i++) {
		struct ks_probe *p = READ_ONCE(th->probes[i]);

		if (!p || !ks_is_call(p))
			continue;
		if (ks_thunk_is_timed(form))
			ks_event_abandoned(p->measure, NULL);
		else if (f->area[th->at[i]] == (unsigned long)p)
			ks_event_abandoned(p->measure, (struct ks_frame *)&f->area[th->at[i]]);
	}
	ks_add(&this_cpu_ptr(th->counts)->exits, 1);
}

/* Go on to the next thunk's frame of a stack; NULL: there is none. */
static struct ks_thunk *next_frame(struct unwind_state *state, enum ks_thunk_form *form)
{
	for (; !unwind_done(state); unwind_next_frame(state)) {
		struct ks_thunk *th = ks_thunk_of(unwind_get_return_address(state), form);

		if (th)
			return th;
	}
	return NULL;
}

void ks_direct_exit(void)
{
	struct unwind_state state;
	enum ks_thunk_form form;
	struct ks_thunk *th;

	if (!READ_ONCE(followed))
		return;
	unwind_start(&state, current, NULL, NULL);
	while ((th = next_frame(&state, &form))) {
		abandon(th, form, (void *)state.sp);
		unwind_next_frame(&state);
	}
}

/*
 * Under RCU, which a stack of vmalloc's outlives its task by: what is found there may be of the past, and no more (the
 * unwinder looks at the task's stack alone).
 */
static void show_held(struct seq_file *m, struct task_struct *task)
{
	struct unwind_state state;
	enum ks_thunk_form form;
	struct ks_thunk *th;

	if (READ_ONCE(task->exit_state))
		return;
	unwind_start(&state, task, NULL, NULL);
	while ((th = next_frame(&state, &form))) {
		if (th->retired)
			seq_printf(m, "%d %s %s\n", task->pid, task->comm, th->name);
		unwind_next_frame(&state);
	}
}

void ks_direct_held(struct seq_file *m)
{
	struct task_struct *group, *task;

	mutex_lock(&ks_direct_lock);
	rcu_read_lock();
	if (pinned)
		for_each_process_thread(group, task)
			show_held(m, task);
	rcu_read_unlock();
	mutex_unlock(&ks_direct_lock);
}

/* ---- */

int ks_direct_init(void)
{
	int i;

	/* ks_thunk_of() searches by address: were they laid out otherwise, none could be used. */
	for (i = 1; i < KS_THUNKS; i++) {
		if (ks_thunk_address(&ks_thunks[i], 0) <= ks_thunk_address(&ks_thunks[i - 1], KS_THUNK_FORMS - 1)) {
			pr_warn("the thunks do not lie in their order: they are not used\n");
			return register_module_notifier(&notifier);
		}
	}
	for (i = 0; i < KS_THUNKS; i++)
		list_add_tail(&ks_thunks[i].link, &spare);
	for (; i < KS_THUNKS_ALL; i++) {
		ks_thunks[i].form = KS_THUNK_SHARED;
		list_add_tail(&ks_thunks[i].link, &ks_spare_shared);
	}
	return register_module_notifier(&notifier);
}

/* kstats.ko was pinned until the last frame was gone. */
void ks_direct_end(void)
{
	unregister_module_notifier(&notifier);
	flush_delayed_work(&draining_work);
}

#else

int ks_direct_init(void)
{
	return 0;
}

void ks_direct_quiesce(void)
{
	ks_quiesce();
}

void ks_direct_end(void)
{
}

void ks_direct_exit(void)
{
}

void ks_direct_held(struct seq_file *m)
{
}
#endif
