// SPDX-License-Identifier: GPL-2.0
/*
 * annotated.c: a module that measures a section of its own code by hand.
 *
 * A thread takes, twenty times a second, the time that it needs to copy a page. Read the result while it runs:
 *
 *	cat /sys/kernel/debug/kstats/page_copy		or	kmeter show page_copy
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include "kstats.h"

static struct kstats *page_copy;
static struct task_struct *thread;
static char *from, *to;

static int copy_pages(void *unused)
{
	while (!kthread_should_stop()) {
		u64 start = ktime_get_ns();

		memcpy(to, from, PAGE_SIZE);
		kstats_record(page_copy, ktime_get_ns() - start);
		schedule_timeout_interruptible(HZ / 20);
	}
	return 0;
}

static int __init annotated_init(void)
{
	int err = -ENOMEM;

	from = (char *)get_zeroed_page(GFP_KERNEL);
	to = (char *)get_zeroed_page(GFP_KERNEL);
	if (!from || !to)
		goto free_pages;
	/* NULL (the name is taken, no memory) could be recorded into as well; this module would then be of no use. */
	page_copy = kstats_new("page_copy", 3);
	if (!page_copy)
		goto free_pages;
	thread = kthread_run(copy_pages, NULL, "page_copy");
	if (IS_ERR(thread)) {
		err = PTR_ERR(thread);
		goto delete;
	}
	return 0;

delete:
	kstats_delete(page_copy);
free_pages:
	free_page((unsigned long)to);
	free_page((unsigned long)from);
	return err;
}

static void __exit annotated_exit(void)
{
	kthread_stop(thread);
	kstats_delete(page_copy);	/* nobody records into it any more */
	free_page((unsigned long)to);
	free_page((unsigned long)from);
}

module_init(annotated_init);
module_exit(annotated_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("times a section of its own by hand, into a kstats histogram");
