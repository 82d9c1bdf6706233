// SPDX-License-Identifier: GPL-2.0
/*
 * probe_ftrace.c: hits of many functions, all of the kernel's if need be, by one ftrace_ops.
 *
 * Its callback runs at the entry of any function that ftrace can trace, in any context: where RCU does not watch, in NMIs, inside the
 * kernel's own handling of faults. So it does nothing that could be traced, fault or wait: preemption off, two additions on this
 * CPU. It needs no guard, and ftrace is told that it needs none. Whoever frees what it looks at waits for preemption on every CPU, the
 * idle ones too (ks_quiesce()), beside what ftrace waits for when the ops goes.
 *
 * Of a set of functions ftrace takes all, or refuses all when there is one that it does not know. Which these are is tried in blocks,
 * on an ops that is never registered.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/init_task.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/stringify.h>
#include "compat.h"
#include "measure.h"
#include "probe.h"
#include "record.h"

#if KS_FTRACE
#define BLOCK	64	/* functions tried at once: of some hundred such few fail */

struct ks_ftrace {
	struct ftrace_ops ops;
	struct list_head link;
	struct ks_probe *probe;
	unsigned long *address;		/* call sites, ascending */
	unsigned int n;			/* attached: less as their modules go */
	unsigned int wanted;
	bool on;
	bool lost;			/* ftrace has given up, and did not let it go */
};

static struct kstats nobody;		/* for such: never live */

static DEFINE_MUTEX(lock);	/* inside ks_lock and the kernel's list of module notifiers; around ftrace's own */
static LIST_HEAD(attached);

static bool serves(const struct ks_probe *p)
{
	return p->points[0]->where == KSTATS_FUNCTIONS;
}

static noinline void hit_next(struct ks_table *t, u64 key)
{
	ks_record_found(t, &key, 0);
}
NOKPROBE_SYMBOL(hit_next);

/* The key is the call site, an address of the function: behind the ENDBR, where it begins with one. */
static void hit(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	const struct kstats *k = READ_ONCE(ops->private);
	struct ks_table *t;

	preempt_disable_notrace();
	t = READ_ONCE(k->live);
	if (likely(t) && unlikely(!ks_record_hit(t, ip)))
		hit_next(t, ip);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(hit);

/* ---- which functions ---- */

/*
 * A byte behind a symbol of a module, where kprobes do not look for what stands before a function: register_kprobe() puts the address
 * it found into the probe before it refuses to probe there. 0: there is no such symbol.
 */
static unsigned long find_anchor(const struct kstats_functions *group)
{
	struct kprobe *kp = kzalloc(sizeof(*kp), GFP_KERNEL);
	char *name = kasprintf(GFP_KERNEL, "%s:%s", group->module, group->anchor);
	unsigned long address = 0;
	int err;

	if (kp && name) {
		kp->symbol_name = name;
		kp->offset = 1;
		kp->flags = KPROBE_FLAG_DISABLED;
		err = register_kprobe(kp);
		if (!err)
			unregister_kprobe(kp);
		if (kp->addr && err != -ENOENT)		/* that is what it says of a module that goes */
			address = (unsigned long)kp->addr - 1;
	}
	kfree(name);
	kfree(kp);
	return address;
}

/* What looks like a call site; ftrace has the last word. 0: no. */
static unsigned long site_of(unsigned long address)
{
#ifdef CONFIG_X86_64
	u8 code[KS_CALL_SITE_BYTES];

	if (ks_is_endbr((void *)address))
		address += ENDBR_INSN_SIZE;
	if (copy_from_kernel_nofault(code, (void *)address, sizeof(code)) || !ks_is_call_site(code))
		return 0;
#endif
	return address;
}

static int by_address(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* Each once. */
static void collect(struct ks_ftrace *f, const struct kstats_point *point)
{
	unsigned int g, i, n = 0, kept = 0;

	for (g = 0; g < point->nfunctions; g++) {
		const struct kstats_functions *group = &point->functions[g];
		unsigned long base = group->anchor ? find_anchor(group) : (unsigned long)&init_task;

		for (i = 0; base && i < group->n; i++) {
			f->address[n] = site_of(base + group->distance[i]);
			n += !!f->address[n];
			cond_resched();
		}
	}
	sort(f->address, n, sizeof(*f->address), by_address, NULL);
	for (i = 0; i < n; i++)
		if (!kept || f->address[i] != f->address[kept - 1])
			f->address[kept++] = f->address[i];
	f->wanted -= n - kept;
	f->n = kept;
}

/* Leave out of @address what ftrace does not know; how many are left. */
static unsigned int known(struct ftrace_ops *scratch, unsigned long *address, unsigned int n)
{
	unsigned int half = n / 2, kept, more;

	if (!n || !ks_ftrace_filter(scratch, address, n, false, true))
		return n;
	if (n == 1)
		return 0;
	kept = known(scratch, address, half);
	more = known(scratch, address + half, n - half);
	memmove(address + kept, address + half, more * sizeof(*address));
	return kept + more;
}

static int sift(struct ks_ftrace *f)
{
	struct ftrace_ops *scratch = kzalloc(sizeof(*scratch), GFP_KERNEL);
	unsigned int i, kept = 0;

	if (!scratch)
		return -ENOMEM;
	for (i = 0; i < f->n; i += BLOCK) {
		unsigned int more = known(scratch, f->address + i, min_t(unsigned int, BLOCK, f->n - i));

		memmove(f->address + kept, f->address + i, more * sizeof(*f->address));
		kept += more;
		cond_resched();
	}
	f->n = kept;
	ks_ftrace_unfilter(scratch);
	kfree(scratch);
	return 0;
}

/* ---- attaching ---- */

static void free_ftrace(struct ks_ftrace *f)
{
	ks_ftrace_unfilter(&f->ops);
	kvfree(f->address);
	kfree(f);
}

static int find_all(struct ks_ftrace *f, const struct kstats_point *point)
{
	unsigned int g;

	for (g = 0; g < point->nfunctions; g++)
		f->wanted += point->functions[g].n;
	f->address = kvcalloc(f->wanted + 1, sizeof(*f->address), GFP_KERNEL);
	if (!f->address)
		return -ENOMEM;
	collect(f, point);
	return sift(f);
}

static int arm(struct ks_probe *p)
{
	struct ks_ftrace *f = kzalloc(sizeof(*f), GFP_KERNEL);
	int err;

	if (!f)
		return -ENOMEM;
	f->ops.func = hit;
	f->ops.private = p->measure;
	f->ops.flags = FTRACE_OPS_FL_PERMANENT | KS_FTRACE_UNGUARDED;	/* else ftrace_enabled=0 would end the counting without a word */
	/* No module goes between the look and the attachment. */
	mutex_lock(&lock);
	err = find_all(f, p->points[0]);
	if (!err && !f->n)
		err = -ENOENT;
	if (!err && f->n > KS_FTRACE_MOST)
		err = -E2BIG;
	if (!err)	/* an empty filter would be all functions */
		err = ks_ftrace_filter(&f->ops, f->address, f->n, false, true);
	if (!err)
		err = register_ftrace_function(&f->ops);
	if (!err) {
		f->on = true;
		f->probe = p;
		p->ftrace = f;
		p->functions = f->wanted;
		list_add(&f->link, &attached);
	}
	mutex_unlock(&lock);
	if (err)
		free_ftrace(f);
	else if (f->n < f->wanted)
		pr_info("%s: %u of %u functions have no call site of ftrace's, or are not there, and are left out\n", p->measure->name,
			f->wanted - f->n, f->wanted);
	return err;
}

/* Under lock. After a mistake of its own ftrace lets nothing go any more: the callback stays, and finds nobody. */
static void turn_off(struct ks_ftrace *f)
{
	if (f->on && unregister_ftrace_function(&f->ops)) {
		pr_warn("%s: ftrace has given up, and keeps our callback: kstats stays\n", f->probe->measure->name);
		WRITE_ONCE(f->ops.private, &nobody);
		__module_get(THIS_MODULE);
		f->lost = true;
	}
	f->on = false;
	WRITE_ONCE(f->n, 0);
}

static void disarm(struct ks_probe *const *probes, unsigned int n, void **scratch)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct ks_ftrace *f = probes[i]->ftrace;

		mutex_lock(&lock);
		list_del(&f->link);
		turn_off(f);
		probes[i]->ftrace = NULL;
		mutex_unlock(&lock);
		if (!f->lost)
			free_ftrace(f);
	}
}

static const char *reason(int err)
{
	switch (err) {
	case -EBUSY:
		return "ftrace is turned off (sysctl kernel.ftrace_enabled)";
	case -E2BIG:
		return "this kernel takes " __stringify(KS_FTRACE_MOST) " functions at most: ask for fewer";
	}
	return NULL;
}

/* Readers ask, who do not know whether it is armed still. */
static size_t memory(const struct ks_probe *p)
{
	return sizeof(struct ks_ftrace) + p->functions * sizeof(unsigned long);
}

size_t ks_ftrace_text(const struct kstats *k, char *buf, size_t size)
{
	const struct ks_probe *p = k->probes;

	return k->nprobes && p->armed && p->backend == &ks_probe_ftrace ?
	       scnprintf(buf, size, "functions %u\n", READ_ONCE(p->ftrace->n)) : 0;
}

/* ---- modules that go ---- */

/* Their functions lie side by side, as all are sorted. The last ones go with the ops: an empty filter would be all functions. */
static void leave_module(struct ks_ftrace *f, const struct module *mod)
{
	const char *name = f->probe->measure->name;
	unsigned int i, kept = 0, gone = 0;
	unsigned long *going;

	for (i = 0; i < f->n; i++)
		gone += within_module(f->address[i], mod);
	if (!gone)
		return;
	pr_info("%s: module %s goes, and %u functions with it\n", name, mod->name, gone);
	going = gone < f->n ? kvcalloc(gone, sizeof(*going), GFP_KERNEL) : NULL;
	if (!going) {
		if (gone < f->n)
			pr_warn("%s: no memory to go on without them: nothing is counted any more\n", name);
		turn_off(f);
		return;
	}
	for (i = 0, gone = 0; i < f->n; i++) {
		if (within_module(f->address[i], mod))
			going[gone++] = f->address[i];
		else
			f->address[kept++] = f->address[i];
	}
	WRITE_ONCE(f->n, kept);
	if (ks_ftrace_filter(&f->ops, going, gone, true, false)) {
		pr_warn("%s: ftrace does not go on without them: nothing is counted any more\n", name);
		turn_off(f);
	}
	kvfree(going);
}

/* Before ftrace forgets the module's functions. */
static int notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct ks_ftrace *f;

	if (action != MODULE_STATE_GOING)
		return NOTIFY_OK;
	mutex_lock(&lock);
	list_for_each_entry(f, &attached, link)
		leave_module(f, data);
	mutex_unlock(&lock);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = notify, .priority = INT_MAX };

int ks_ftrace_init(void)
{
	return register_module_notifier(&notifier);
}

void ks_ftrace_exit(void)
{
	unregister_module_notifier(&notifier);
}
#else
static bool serves(const struct ks_probe *p)
{
	return false;
}

size_t ks_ftrace_text(const struct kstats *k, char *buf, size_t size)
{
	return 0;
}

int ks_ftrace_init(void)
{
	return 0;
}

void ks_ftrace_exit(void)
{
}
#endif

const struct ks_backend ks_probe_ftrace = {
	.name = "ftrace",
	.serves = serves,
#if KS_FTRACE
	.arm = arm,
	.disarm = disarm,
	.memory = memory,
	.reason = reason,
#endif
};
