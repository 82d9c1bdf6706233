// SPDX-License-Identifier: GPL-2.0
/*
 * main.c: kstats.ko comes and goes; and its interface for modules annotated by hand.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/stringify.h>
#include "clock.h"
#include "control.h"
#include "counter.h"
#include "export.h"
#include "floor.h"
#include "guard.h"
#include "measure.h"
#include "variable.h"

struct kstats *kstats_new(const char *name, u8 frac_bits)
{
	struct kstats *k;

	mutex_lock(&ks_lock);
	k = ks_measure_new(name, frac_bits, NULL, NULL);
	if (IS_ERR(k))
		k = NULL;
	else
		ks_measure_go(k);
	mutex_unlock(&ks_lock);
	return k;
}
EXPORT_SYMBOL_GPL(kstats_new);

void kstats_record(struct kstats *k, u64 value)
{
	struct ks_table *t;

	if (!k)
		return;
	preempt_disable_notrace();
	t = READ_ONCE(k->live);
	if (t)
		ks_record_value(t, NULL, value);
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(kstats_record);
NOKPROBE_SYMBOL(kstats_record);

void kstats_delete(struct kstats *k)
{
	if (!k)
		return;
	mutex_lock(&ks_lock);
	ks_measure_delete(k);
	mutex_unlock(&ks_lock);
}
EXPORT_SYMBOL_GPL(kstats_delete);

static int __init ks_init(void)
{
	int err;

	ks_script_init();
	err = ks_probe_init();
	if (err)
		return err;
	err = ks_clock_init();
	if (err)
		goto fail_probe;
	err = ks_counter_init();
	if (err)
		goto fail_clock;
	err = ks_export_init();
	if (err)
		goto fail_counter;
	err = ks_variable_init();
	if (err)
		goto fail_export;
	err = ks_guard_init();
	if (err)
		goto fail_variable;
	err = ks_control_init();
	if (err)
		goto fail_guard;
	return 0;

fail_guard:
	ks_guard_exit();
fail_variable:
	ks_variable_exit();
fail_export:
	ks_export_exit();
fail_counter:
	ks_counter_exit();
fail_clock:
	ks_clock_exit();
fail_probe:
	ks_probe_exit();
	return err;
}

static void __exit ks_exit(void)
{
	ks_control_exit();
	ks_guard_exit();
	ks_variable_exit();
	ks_export_exit();
	ks_floor_exit();
	ks_counter_exit();
	ks_clock_exit();
	ks_probe_exit();
}

module_init(ks_init);
module_exit(ks_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("per-CPU log-linear histograms of where the kernel's time goes");
MODULE_VERSION(__stringify(KSTATS_VERSION));
