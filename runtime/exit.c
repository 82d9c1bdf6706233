// SPDX-License-Identifier: GPL-2.0
/*
 * exit.c: tasks that end with something in flight.
 *
 * At sched_process_exit the task still runs: its open calls will never return, its waiting starts never end. A start that
 * it makes after that is found when the task is freed (sched_process_free), before its address can be another's.
 */
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include "compat.h"
#include "event.h"
#include "exit.h"

static struct tracepoint *exits, *frees;
static unsigned int users;	/* under ks_lock */

static void sweep(struct task_struct *task, bool freed)
{
	struct kstats *k;

	/* Not RCU's own: a measurement leaves the list, then ks_quiesce() waits for who has preemption off. */
	preempt_disable_notrace();
	list_for_each_entry_rcu(k, &ks_measures, link, true)
		if (k->statement)
			ks_event_exit(k, task, freed);
	preempt_enable_notrace();
}

static void at_exit(void *data, struct task_struct *task)
{
	sweep(task, false);
}

static void at_free(void *data, struct task_struct *task)
{
	sweep(task, true);
}

int ks_exit_get(void)
{
	int err = -ENOENT;

	if (users++)
		return 0;
	if (!KS_CFI) {
		exits = ks_tracepoint_find("sched_process_exit");
		frees = ks_tracepoint_find("sched_process_free");
	}
	if (!exits || !frees)
		goto fail;
	err = tracepoint_probe_register(exits, at_exit, NULL);
	if (err)
		goto fail;
	err = tracepoint_probe_register(frees, at_free, NULL);
	if (err)
		goto fail_exits;
	return 0;

fail_exits:
	tracepoint_probe_unregister(exits, at_exit, NULL);
fail:
	users--;
	return err;
}

void ks_exit_put(void)
{
	if (--users)
		return;
	tracepoint_probe_unregister(frees, at_free, NULL);
	tracepoint_probe_unregister(exits, at_exit, NULL);
	tracepoint_synchronize_unregister();
}
