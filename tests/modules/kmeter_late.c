// SPDX-License-Identifier: GPL-2.0
/*
 * kmeter_late.c: while it is loaded, kmeter_memory.ko takes its time to come, behind those who are told first (the kernel's own, the
 * runtime's variables), and to go, behind all: what is armed in between is what a test wants to see.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/string.h>

#define LATE	1500	/* ms */

static int be_late(void *data, unsigned long action, unsigned long at)
{
	const struct module *mod = data;

	if (action == at && !strcmp(mod->name, "kmeter_memory"))
		msleep(LATE);
	return NOTIFY_DONE;
}

static int comes(struct notifier_block *nb, unsigned long action, void *data)
{
	return be_late(data, action, MODULE_STATE_COMING);
}

static int goes(struct notifier_block *nb, unsigned long action, void *data)
{
	return be_late(data, action, MODULE_STATE_GOING);
}

static struct notifier_block coming = { .notifier_call = comes, .priority = 100 };
static struct notifier_block going = { .notifier_call = goes, .priority = -100 };

static int __init late_init(void)
{
	register_module_notifier(&coming);
	return register_module_notifier(&going);
}
module_init(late_init);

static void __exit late_exit(void)
{
	unregister_module_notifier(&going);
	unregister_module_notifier(&coming);
}
module_exit(late_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("lets a module come and go slowly, for kmeter's tests");
