// SPDX-License-Identifier: GPL-2.0
/*
 * exit.c: tasks that end with something in flight.
 *
 * At sched_process_exit the task still runs, and is done with all but the end of do_exit(): the calls that it has open will
 * never return. Starts of it may still find their end on the way out, and new ones come; what waits when the task is
 * freed (sched_process_free) waits in vain.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include "away.h"
#include "compat.h"
#include "direct.h"
#include "event.h"
#include "exit.h"

static struct tracepoint *exits, *frees;
static unsigned int users;
static DEFINE_MUTEX(users_lock);	/* innermost */

/* The list is not RCU's own: a measurement leaves it, then ks_quiesce() waits for who has preemption off. */

static void at_exit(void *data, struct task_struct *task)
{
	struct kstats *k;

	preempt_disable_notrace();
	ks_direct_exit();
	list_for_each_entry_rcu(k, &ks_measures, link, true)
		ks_event_exit(k);
	preempt_enable_notrace();
}

static void at_free(void *data, struct task_struct *task)
{
	struct kstats *k;

	rcu_read_lock();	/* for find_pid_ns() */
	preempt_disable_notrace();
	list_for_each_entry_rcu(k, &ks_measures, link, true) {
		ks_event_free(k, task);
		ks_away_forget(k, task);
	}
	preempt_enable_notrace();
	rcu_read_unlock();
}

static int follow(void)
{
	int err = -EOPNOTSUPP;

	if (!KS_CFI) {
		exits = ks_tracepoint_find("sched_process_exit");
		frees = ks_tracepoint_find("sched_process_free");
	}
	if (!exits || !frees) {
		pr_warn("this kernel does not let us follow tasks that end\n");
		return err;
	}
	err = tracepoint_probe_register(exits, at_exit, NULL);
	if (err)
		return err;
	err = tracepoint_probe_register(frees, at_free, NULL);
	if (err)
		tracepoint_probe_unregister(exits, at_exit, NULL);
	return err;
}

int ks_exit_get(void)
{
	int err = 0;

	mutex_lock(&users_lock);
	if (!users)
		err = follow();
	if (!err)
		users++;
	mutex_unlock(&users_lock);
	return err;
}

void ks_exit_put(void)
{
	mutex_lock(&users_lock);
	if (!--users) {
		tracepoint_probe_unregister(frees, at_free, NULL);
		tracepoint_probe_unregister(exits, at_exit, NULL);
		tracepoint_synchronize_unregister();
	}
	mutex_unlock(&users_lock);
}
