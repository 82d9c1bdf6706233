// SPDX-License-Identifier: GPL-2.0
/*
 * probe_tracepoint.c: tracepoints, found by name whether exported or not, in modules too.
 *
 * The kernel's own are walked; a module's are known from the notifier, which replays the modules already loaded. A module
 * that goes takes our callbacks off first, in its notifier; until then nothing of ours pins it. A probe that waits for a
 * module is armed without being attached, until the notifier announces the module.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include "compat.h"
#include "event.h"
#include "measure.h"
#include "probe.h"

struct known_module {
	struct list_head link;
	struct module *mod;
};

static DEFINE_MUTEX(lock);		/* inside the kernel's list of modules with tracepoints, outside its tracepoints_mutex */
static LIST_HEAD(modules);
static LIST_HEAD(attached);		/* armed probes */
static LIST_HEAD(waiting);		/* armed probes whose module is not there */

static bool serves(const struct ks_probe *p)
{
	const struct kstats_point *point = p->points[0];

	return point->role != KSTATS_CALL && point->where == KSTATS_TRACEPOINT;
}

/* Called with the tracepoint's arguments behind @data, which need no look here. */
static void handler(void *data)
{
	ks_event_points(data, NULL, NULL, NULL, false);
}

/* Those of pairs that have no handlers and are paired by the task. */
static void start(void *data)
{
	ks_event_start(((struct ks_probe *)data)->measure);
}

static void end(void *data)
{
	ks_event_end(((struct ks_probe *)data)->measure);
}

/* A script's own callback is called with them, and comes here. */
void kstats_tracepoint(void *data, const u64 *args)
{
	ks_event_points(data, NULL, args, NULL, false);
}
EXPORT_SYMBOL_GPL(kstats_tracepoint);
NOKPROBE_SYMBOL(kstats_tracepoint);

/* Points of one tracepoint share its arguments. */
static void *callback_of(const struct ks_probe *p)
{
	const struct kstats_point *point = p->points[0];
	unsigned int i;

	if (ks_event_is_plain(p) && point->paired)
		return point->paired;
	if (ks_event_is_plain(p) && !point->early && p->measure->statement->key == KSTATS_KEY_TASK)
		return point->role == KSTATS_FROM ? start : end;
	for (i = 0; i < p->npoints; i++)
		if (p->points[i]->callback)
			return p->points[i]->callback;
	return handler;
}

struct search {
	const char *name;
	struct tracepoint *found;
};

static void compare(struct tracepoint *tp, void *priv)
{
	struct search *s = priv;

	if (!s->found && !strcmp(tp->name, s->name))
		s->found = tp;
}

struct tracepoint *ks_tracepoint_find(const char *name)
{
	struct search s = { .name = name };

	for_each_kernel_tracepoint(compare, &s);
	return s.found;
}

static struct tracepoint *find_in_module(const struct module *mod, const char *name)
{
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++) {
		struct tracepoint *tp = tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]);

		if (!strcmp(tp->name, name))
			return tp;
	}
	return NULL;
}

static struct tracepoint *find(const struct kstats_point *point)
{
	struct tracepoint *tp = point->module ? NULL : ks_tracepoint_find(point->symbol);
	struct known_module *m;

	list_for_each_entry(m, &modules, link) {
		if (tp)
			break;
		if (!point->module || !strcmp(m->mod->name, point->module))
			tp = find_in_module(m->mod, point->symbol);
	}
	return tp;
}

static bool is_known(const char *module)
{
	const struct known_module *m;

	list_for_each_entry(m, &modules, link)
		if (!strcmp(m->mod->name, module))
			return true;
	return false;
}

/* The size of the function that begins at @address: "name+0x0/0xSIZE". */
static unsigned long size_of(unsigned long address)
{
	char text[KSYM_SYMBOL_LEN], *size;

	sprint_symbol(text, address);
	size = strstr(text, "+0x0/0x");
	return size ? simple_strtoul(size + strlen("+0x0/"), NULL, 16) : 0;
}

static int attach(struct ks_probe *p, struct tracepoint *tp)
{
	int err;

	p->loop = (unsigned long)tp->iterator;
	p->loop_bytes = size_of(p->loop);
	p->tp = tp;
	err = tracepoint_probe_register(tp, callback_of(p), p);
	if (err)
		p->tp = NULL;
	else
		list_add(&p->link, &attached);
	return err;
}

static void detach(struct ks_probe *p)
{
	tracepoint_probe_unregister(p->tp, callback_of(p), p);
	list_del_init(&p->link);
	p->tp = NULL;
}

static bool waits(const struct ks_probe *p)
{
	return p->points[0]->waits && p->points[0]->module;
}

static void wait(struct ks_probe *p)
{
	list_add(&p->link, &waiting);
	pr_info("%s: %s waits for module %s\n", p->measure->name, p->points[0]->text, p->points[0]->module);
}

static int arm(struct ks_probe *p)
{
	struct tracepoint *tp;
	int err = -ENOENT;

	if (KS_CFI && (callback_of(p) == handler || callback_of(p) == start || callback_of(p) == end))
		return -EOPNOTSUPP;
	mutex_lock(&lock);
	tp = find(p->points[0]);
	if (tp) {
		err = attach(p, tp);
	} else if (waits(p) && !is_known(p->points[0]->module)) {
		wait(p);
		err = 0;
	}
	mutex_unlock(&lock);
	return err;
}

static void disarm(struct ks_probe *const *probes, unsigned int n, void **scratch)
{
	unsigned int i;

	mutex_lock(&lock);
	for (i = 0; i < n; i++) {
		if (probes[i]->tp)
			detach(probes[i]);
		else
			list_del_init(&probes[i]->link);	/* waits, or its module has gone */
	}
	mutex_unlock(&lock);
	tracepoint_synchronize_unregister();
}

/* Under lock, as what follows. */
static void module_comes(struct module *mod)
{
	struct known_module *m = kmalloc(sizeof(*m), GFP_KERNEL);
	struct ks_probe *p, *next;

	if (!m) {
		pr_warn("out of memory: tracepoints of module %s will not be found\n", mod->name);
		return;
	}
	m->mod = mod;
	list_add(&m->link, &modules);
	list_for_each_entry_safe(p, next, &waiting, link) {
		struct tracepoint *tp;
		int err = -ENOENT;

		if (strcmp(p->points[0]->module, mod->name))
			continue;
		list_del_init(&p->link);
		tp = find_in_module(mod, p->points[0]->symbol);
		if (tp)
			err = attach(p, tp);
		if (err)
			pr_warn("%s: module %s comes, but cannot attach to %s (error %d)\n", p->measure->name, mod->name,
				p->points[0]->text, err);
		else
			pr_info("%s: module %s comes, and %s with it\n", p->measure->name, mod->name, p->points[0]->text);
	}
}

static void module_goes(struct module *mod)
{
	struct known_module *m, *mnext;
	struct ks_probe *p, *next;

	list_for_each_entry_safe(p, next, &attached, link) {
		if (!within_module((unsigned long)p->tp, mod))
			continue;
		pr_info("%s: module %s goes, and %s with it\n", p->measure->name, mod->name, p->points[0]->text);
		detach(p);
		if (waits(p))
			wait(p);
	}
	list_for_each_entry_safe(m, mnext, &modules, link)
		if (m->mod == mod) {
			list_del(&m->link);
			kfree(m);
		}
}

/* A module's tracepoints come or go. Process context; the module's memory stays until this returns. */
static int notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct module *mod = ((struct tp_module *)data)->mod;

	mutex_lock(&lock);
	if (action == MODULE_STATE_COMING)
		module_comes(mod);
	else if (action == MODULE_STATE_GOING)
		module_goes(mod);
	mutex_unlock(&lock);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = notify };

int ks_tracepoint_init(void)
{
	return register_tracepoint_module_notifier(&notifier);
}

void ks_tracepoint_exit(void)
{
	struct known_module *m, *next;

	unregister_tracepoint_module_notifier(&notifier);
	list_for_each_entry_safe(m, next, &modules, link)
		kfree(m);
}

const struct ks_backend ks_probe_tracepoint = {
	.name = "tracepoint",
	.serves = serves,
	.arm = arm,
	.disarm = disarm,
};
