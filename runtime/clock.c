// SPDX-License-Identifier: GPL-2.0
/*
 * clock.c: which clock a measurement takes, whether it is still fit, and what happens when the machine sleeps.
 *
 * The tsc is taken only while the kernel itself keeps time by it. The kernel knows more than the CPU's flags say (what the
 * firmware did, what its watchdog saw, whether CPUs agree), and puts another clock in its place when it has a doubt.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>
#include "clock.h"
#include "measure.h"

#define TRIES	3

static bool asleep;	/* between the announcements of a suspend; under ks_lock */

/* ---- is the tsc fit? ---- */

#ifdef CONFIG_X86_64
/*
 * What the kernel's current clock reads lies between two reads of the tsc: then it is the tsc. (Its name is in no exported
 * variable, its number in the snapshot only since 6.9.) Others count from another beginning, mostly at another pace.
 */
static bool kernel_uses_tsc(void)
{
	struct system_time_snapshot snapshot;
	u64 before, after;
	int i;

	for (i = 0; i < TRIES; i++) {
		before = rdtsc_ordered();
		ktime_get_snapshot_id(CLOCK_MONOTONIC, &snapshot);
		after = rdtsc_ordered();
		if (snapshot.cycles < before || snapshot.cycles > after)
			return false;
	}
	return true;
}

/* NULL, or why not. */
static const char *tsc_unfit(void)
{
	if (!tsc_khz)
		return "its frequency is not known";
	if (check_tsc_unstable())
		return "unstable";
	if (!kernel_uses_tsc())
		return "not the kernel's own clock";
	return NULL;
}

static u32 frequency(void)
{
	return tsc_khz;
}
#else
static const char *tsc_unfit(void)
{
	return "this processor has none";
}

static u32 frequency(void)
{
	return 0;
}
#endif

/* ---- the choice ---- */

static void use_mono(struct ks_clock *c)
{
	c->source = KS_CLOCK_MONO;
	c->unit = KSTATS_CLOCK_MONO;
	c->mult = 1ULL << KS_CLOCK_SHIFT;
	c->per_ns = 1ULL << KS_CLOCK_PER_NS_SHIFT;
}

static void use_tsc(struct ks_clock *c, enum kstats_clock unit)
{
	c->source = KS_CLOCK_TSC;
	c->unit = unit;
	c->khz = frequency();
	c->per_ns = div_u64((u64)c->khz << KS_CLOCK_PER_NS_SHIFT, 1000000) + 1;
	c->mult = 1ULL << KS_CLOCK_SHIFT;
	if (unit == KSTATS_CLOCK_TSC)
		c->mult = mul_u64_u64_div_u64(c->mult, 1000000, c->khz);
}

void ks_clock_counter(struct ks_clock *c)
{
	c->source = KS_CLOCK_COUNTER;
	c->mult = 1ULL << KS_CLOCK_SHIFT;
}

const char *ks_clock_choose(struct ks_clock *c, enum kstats_clock want)
{
	const char *unfit = want == KSTATS_CLOCK_MONO ? NULL : tsc_unfit();

	if (asleep)
		return "the machine is going to sleep";
	if (want == KSTATS_CLOCK_MONO || (want == KSTATS_CLOCK_AUTO && unfit)) {
		use_mono(c);
		return NULL;
	}
	if (!unfit && frequency() < 62501)
		unfit = "too slow";
	if (unfit)
		return unfit;
	use_tsc(c, want == KSTATS_CLOCK_TICKS ? KSTATS_CLOCK_TICKS : KSTATS_CLOCK_TSC);
	return NULL;
}

/* ---- in use ---- */

/*
 * Nothing can have taken longer than the measurement has been armed, by the clock of the kernel, whose pace may be an eighth
 * off from the tsc's (adjtimex allows a tenth). What is not insane raises the bar, so that this is called no more often
 * than the longest interval grows.
 */
bool ks_clock_insane(struct ks_clock *c, u64 raw)
{
	u64 ns, most;

	if (c->source == KS_CLOCK_COUNTER)
		return raw >> KS_CLOCK_SHIFT;
	ns = ktime_get_mono_fast_ns() - c->since;
	if ((s64)ns < 0)
		ns = 0;
	most = mul_u64_u64_shr(ns + ns / 8 + NSEC_PER_MSEC, c->per_ns, KS_CLOCK_PER_NS_SHIFT);
	if (raw > most || raw >> KS_CLOCK_SHIFT)
		return true;
	WRITE_ONCE(c->sane, most);
	return false;
}
NOKPROBE_SYMBOL(ks_clock_insane);

void ks_clock_check(struct ks_clock *c)
{
	const char *unfit;

	if (c->source != KS_CLOCK_TSC || READ_ONCE(c->lost))
		return;
	unfit = tsc_unfit();
	if (!unfit)
		return;
	WRITE_ONCE(c->lost_why, unfit);
	cmpxchg(&c->lost, 0, ktime_get_mono_fast_ns());
}

/* Once a second where anybody counts by the tsc, and is awake: a reader looks for itself. */
static void look(struct work_struct *work);
static DECLARE_DEFERRABLE_WORK(looking, look);

static void look(struct work_struct *work)
{
	struct kstats *k;
	bool any = false;

	preempt_disable();	/* what takes a measurement from the list waits for that (measure.c) */
	list_for_each_entry_rcu(k, &ks_measures, link, true) {
		if (!READ_ONCE(k->live) || k->clock.source != KS_CLOCK_TSC)
			continue;
		ks_clock_check(&k->clock);
		any |= !READ_ONCE(k->clock.lost);
	}
	preempt_enable();
	if (any)
		schedule_delayed_work(&looking, HZ);
}

void ks_clock_go(struct ks_clock *c)
{
	c->since = ktime_get_ns();
	c->sane = 0;
	c->lost = 0;
}

void ks_clock_watch(const struct ks_clock *c)
{
	if (c->source == KS_CLOCK_TSC)
		schedule_delayed_work(&looking, HZ);
}

size_t ks_clock_text(const struct ks_clock *c, char *buf, size_t size)
{
	static const char *const names[] = {
		[KSTATS_CLOCK_TSC] = "tsc", [KSTATS_CLOCK_MONO] = "mono", [KSTATS_CLOCK_TICKS] = "ticks",
	};
	u64 lost = READ_ONCE(c->lost);
	u32 ns;
	size_t n;

	if (c->source == KS_CLOCK_NONE || c->source == KS_CLOCK_COUNTER)
		return 0;
	n = scnprintf(buf, size, "clock %s", names[c->unit]);
	if (lost) {
		lost = div_u64_rem(lost, NSEC_PER_SEC, &ns);
		n += scnprintf(buf + n, size - n, " %s since %llu.%03u s after boot", READ_ONCE(c->lost_why), lost,
			       ns / 1000000);
	}
	n += scnprintf(buf + n, size - n, "\n");
	if (c->source == KS_CLOCK_TSC)
		n += scnprintf(buf + n, size - n, "tsc_khz %u\n", c->khz);
	if (c->suspends)
		n += scnprintf(buf + n, size - n, "suspended %u\n", c->suspends);
	return n;
}

/* ---- suspend ---- */

/*
 * Over a suspend the tsc may go on, stop or begin anew, while CLOCK_MONOTONIC stands still: so what counts by the tsc is
 * stopped before, which counts what is in flight as `stopped`, and started after it. What begins in between is refused.
 */
static void pause_all(void)
{
	struct kstats *k;

	asleep = true;
	list_for_each_entry(k, &ks_measures, link) {
		if (!k->counting || k->clock.source != KS_CLOCK_TSC)
			continue;
		ks_measure_stop(k);
		k->clock.paused = true;
	}
}

static void resume_all(void)
{
	struct kstats *k;
	int err;

	asleep = false;
	list_for_each_entry(k, &ks_measures, link) {
		if (!k->clock.paused)
			continue;
		k->clock.paused = false;
		k->clock.suspends++;
		err = ks_measure_resume(k);
		if (err)
			pr_warn("%s: stays stopped after the suspend (error %d)\n", k->name, err);
	}
}

static int notify(struct notifier_block *nb, unsigned long action, void *data)
{
	mutex_lock(&ks_lock);
	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		pause_all();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		resume_all();
		break;
	}
	mutex_unlock(&ks_lock);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = notify };

int ks_clock_init(void)
{
	return register_pm_notifier(&notifier);
}

void ks_clock_exit(void)
{
	unregister_pm_notifier(&notifier);
	cancel_delayed_work_sync(&looking);
}
