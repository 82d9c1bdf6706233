// SPDX-License-Identifier: GPL-2.0
/*
 * kmeter_wrong.c: does one thing wrong, by the parameter `what`, so that tests know that a debug kernel sees such a thing and
 * that it is heard of: tests/vm/watch.t.
 *
 *	nothing
 *	lost		memory that nobody points to
 *	freed		memory is read that was given back
 *	locks		two locks, taken in either order
 *	asleep		might sleep with preemption off
 *	rcu		follows a pointer that is RCU's, not being one of its readers
 *	race		all CPUs add to one number
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char what[16] = "nothing";
module_param_string(what, what, sizeof(what), 0400);

static DEFINE_SPINLOCK(one);
static DEFINE_SPINLOCK(other);
static int __rcu *pointer;

static void take(spinlock_t *first, spinlock_t *second)
{
	spin_lock(first);
	spin_lock(second);
	spin_unlock(second);
	spin_unlock(first);
}

static unsigned long number;

static void add(void *unused)
{
	for (int i = 0; i < 100000; i++) {
		number++;
		barrier();
	}
}

static int __init kmeter_wrong_init(void)
{
	char *memory = kmalloc(100, GFP_KERNEL);
	int i;

	if (!memory)
		return -ENOMEM;
	if (!strcmp(what, "lost")) {
		/* More than one: the register or stack slot that held one may hold it still. */
		for (i = 0; i < 10; i++)
			memory = kmalloc(100, GFP_KERNEL);
		return 0;
	}
	kfree(memory);
	OPTIMIZER_HIDE_VAR(memory);
	if (!strcmp(what, "freed")) {
		(void)READ_ONCE(memory[8]);
	} else if (!strcmp(what, "locks")) {
		take(&one, &other);
		take(&other, &one);
	} else if (!strcmp(what, "asleep")) {
		preempt_disable();
		might_sleep();
		preempt_enable();
	} else if (!strcmp(what, "rcu")) {
		(void)rcu_dereference(pointer);
	} else if (!strcmp(what, "race")) {
		for (i = 0; i < 20; i++)
			on_each_cpu(add, NULL, true);
	} else if (strcmp(what, "nothing")) {
		return -EINVAL;
	}
	return 0;
}

static void __exit kmeter_wrong_exit(void)
{
}

module_init(kmeter_wrong_init);
module_exit(kmeter_wrong_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("mistakes that a debug kernel is to see, for kmeter's tests");
