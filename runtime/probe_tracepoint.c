// SPDX-License-Identifier: GPL-2.0
/*
 * probe_tracepoint.c: tracepoints, found by name whether exported or not, in modules too.
 *
 * The kernel's own are walked; a module's are known from the notifier, which replays the modules already loaded. A module
 * that goes takes our callbacks off first, in its notifier; until then nothing of ours pins it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

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

static bool serves(const struct kstats_point *point)
{
	return point->role != KSTATS_CALL && point->where == KSTATS_TRACEPOINT;
}

/* Called with the tracepoint's arguments behind @data, which need no look here. */
static void handler(void *data)
{
	ks_event_points(data, false);
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

static int arm(struct ks_probe *p)
{
	int err = -ENOENT;

	if (KS_CFI)
		return -EOPNOTSUPP;
	mutex_lock(&lock);
	p->tp = find(p->points[0]);
	if (p->tp)
		err = tracepoint_probe_register(p->tp, handler, p);
	if (!err)
		list_add(&p->link, &attached);
	mutex_unlock(&lock);
	return err;
}

static void detach(struct ks_probe *p)
{
	tracepoint_probe_unregister(p->tp, handler, p);
	list_del_init(&p->link);
	p->tp = NULL;
}

static void disarm(struct ks_probe *p)
{
	mutex_lock(&lock);
	if (p->tp)
		detach(p);
	mutex_unlock(&lock);
	tracepoint_synchronize_unregister();
}

/* A module's tracepoints come or go. Process context; the module's memory stays until this returns. */
static int notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct module *mod = ((struct tp_module *)data)->mod;
	struct known_module *m, *next;
	struct ks_probe *p, *pnext;

	mutex_lock(&lock);
	if (action == MODULE_STATE_COMING) {
		m = kmalloc(sizeof(*m), GFP_KERNEL);
		if (m) {
			m->mod = mod;
			list_add(&m->link, &modules);
		} else {
			pr_warn("out of memory: tracepoints of module %s will not be found\n", mod->name);
		}
	} else if (action == MODULE_STATE_GOING) {
		list_for_each_entry_safe(p, pnext, &attached, link)
			if (within_module((unsigned long)p->tp, mod)) {
				pr_info("%s: module %s goes, and %s with it\n", p->measure->name, mod->name,
					p->points[0]->text);
				detach(p);
			}
		list_for_each_entry_safe(m, next, &modules, link)
			if (m->mod == mod) {
				list_del(&m->link);
				kfree(m);
			}
	}
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
