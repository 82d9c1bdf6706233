// SPDX-License-Identifier: GPL-2.0
/*
 * variable.c: finds modules' variables by name, and follows the modules: what is read of one that is not loaded is a fault.
 *
 * The kernel exports no look-up by name. But a kprobe may be given one, and register_kprobe() puts the address it found into
 * the probe before it refuses to probe what is no code.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include "variable.h"

struct loaded {
	struct list_head link;
	const struct kstats_script *script;
};

static DEFINE_MUTEX(lock);	/* inside ks_lock, and the kernel's list of module notifiers */
static LIST_HEAD(scripts);

/*
 * Modules that went and have not come again, each once. Between that and its end the kernel still knows the symbols of a module, of which
 * nobody will tell us once more that it goes. Under lock.
 */
struct gone {
	struct list_head link;
	char name[MODULE_NAME_LEN];
};

static LIST_HEAD(gone);

static struct gone *find_gone(const char *module)
{
	struct gone *g;

	list_for_each_entry(g, &gone, link)
		if (!strcmp(g->name, module))
			return g;
	return NULL;
}

static void note_module(const char *module, bool comes)
{
	struct gone *g = find_gone(module);

	if (comes && g) {
		list_del(&g->link);
		kfree(g);
	} else if (!comes && !g) {
		g = kzalloc(sizeof(*g), GFP_KERNEL);
		if (!g)
			return;
		strscpy(g->name, module, sizeof(g->name));
		list_add(&g->link, &gone);
	}
}

/* 0: it is not there. */
static u64 find(const struct kstats_variable *v)
{
	struct kprobe *kp = kzalloc(sizeof(*kp), GFP_KERNEL);
	char *name = kasprintf(GFP_KERNEL, "%s:%s", v->module, v->symbol);
	u64 address = 0;

	if (kp && name && !find_gone(v->module)) {
		kp->symbol_name = name;
		kp->flags = KPROBE_FLAG_DISABLED;
		if (!register_kprobe(kp))	/* code after all */
			unregister_kprobe(kp);
		else
			address = (unsigned long)kp->addr;
	}
	kfree(name);
	kfree(kp);
	return address;
}

static void set(const struct kstats_variable *v, u64 address)
{
	WRITE_ONCE(*v->address, address);
}

/* Does a tracepoint of the script wait for this module? */
static bool waits(const struct kstats_script *script, const char *module)
{
	unsigned int i, p;

	for (i = 0; i < script->nstatements; i++) {
		const struct kstats_statement *s = &script->statements[i];

		for (p = 0; p < s->npoints; p++)
			if (s->points[p].waits && s->points[p].module && !strcmp(s->points[p].module, module))
				return true;
	}
	return false;
}

int ks_variable_load(const struct kstats_script *script)
{
	struct loaded *l;
	unsigned int i;
	int err = 0;

	if (!script->nvariables)
		return 0;
	l = kzalloc(sizeof(*l), GFP_KERNEL);
	if (!l)
		return -ENOMEM;
	l->script = script;
	mutex_lock(&lock);
	/* First on the list, then a look: a module that comes meanwhile is met by one of the two. */
	list_add(&l->link, &scripts);
	for (i = 0; i < script->nvariables && !err; i++) {
		const struct kstats_variable *v = &script->variables[i];

		set(v, find(v));
		if (!*v->address && !waits(script, v->module)) {
			pr_warn("no variable %s:%s in this kernel, or its module is not loaded (error %d)\n", v->module,
				v->symbol, -ENOENT);
			err = -ENOENT;
		}
	}
	mutex_unlock(&lock);
	if (err)
		ks_variable_unload(script);
	return err;
}

void ks_variable_unload(const struct kstats_script *script)
{
	struct loaded *l, *next;

	mutex_lock(&lock);
	list_for_each_entry_safe(l, next, &scripts, link) {
		if (l->script != script)
			continue;
		list_del(&l->link);
		kfree(l);
	}
	mutex_unlock(&lock);
}

/* Before the memory of a module that goes is freed, the kernel waits for all that runs with preemption off. */
static int notify(struct notifier_block *nb, unsigned long action, void *data)
{
	const struct module *mod = data;
	struct loaded *l;
	unsigned int i;

	if (action != MODULE_STATE_COMING && action != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&lock);
	note_module(mod->name, action == MODULE_STATE_COMING);
	list_for_each_entry(l, &scripts, link) {
		for (i = 0; i < l->script->nvariables; i++) {
			const struct kstats_variable *v = &l->script->variables[i];

			if (!strcmp(v->module, mod->name))
				set(v, action == MODULE_STATE_COMING ? find(v) : 0);
		}
	}
	mutex_unlock(&lock);
	return NOTIFY_DONE;
}

/* Before the tracepoints of a module that comes have callbacks. */
static struct notifier_block notifier = { .notifier_call = notify, .priority = INT_MAX };

int ks_variable_init(void)
{
	return register_module_notifier(&notifier);
}

void ks_variable_exit(void)
{
	struct gone *g, *next;

	unregister_module_notifier(&notifier);
	list_for_each_entry_safe(g, next, &gone, link)
		kfree(g);
}
