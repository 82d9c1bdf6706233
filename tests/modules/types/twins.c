// SPDX-License-Identifier: GPL-2.0
/*
 * twins.c: calls functions of one name in two files of this module, so often, and with such arguments, as tests/vm/types.sh
 * knows.
 *
 * Write N to /sys/kernel/debug/kmeter_twins/run: twins_one.c's are called N times each, those of twins_two.c 3 N times.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "twins.h"

static struct dentry *dir;

static ssize_t run(struct file *file, const char __user *buffer, size_t count, loff_t *pos)
{
	unsigned int i, n;
	int err = kstrtouint_from_user(buffer, count, 0, &n);

	if (err)
		return err;
	for (i = 0; i < n; i++) {
		kt_in_one(10);
		kt_in_two(20);
		kt_in_two(20);
		kt_in_two(20);
	}
	return count;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = run,
	.llseek = noop_llseek,
};

static int __init start(void)
{
	dir = debugfs_create_dir("kmeter_twins", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &fops);
	return 0;
}
module_init(start);

static void __exit end(void)
{
	debugfs_remove(dir);
}
module_exit(end);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("functions of one name, for kmeter's tests");
