// SPDX-License-Identifier: GPL-2.0
/*
 * event.c: starts, ends and calls. Each event is accounted for by exactly one term of the equation in kstats.h.
 */
#include <linux/kprobes.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include "compat.h"
#include "event.h"

/* NMI-safe and not traceable; it may step back slightly, which is counted (`backwards`). */
static __always_inline u64 now_ns(void)
{
	return ktime_get_mono_fast_ns();
}

/* Each CPU's idle task has tid 0: they are kept apart. */
static __always_inline u64 tid_key(const struct task_struct *task)
{
	return (u32)task->pid ?: 1ULL << 32 | raw_smp_processor_id();
}

/* Kinds of interrupt, below any task pointer: no key of one is a key of the other. */
static __always_inline u64 current_key(enum kstats_key key, bool trapped)
{
	u32 context = preempt_count();

	switch (key) {
	case KSTATS_KEY_CPU:
		return raw_smp_processor_id();
	case KSTATS_KEY_TID:
		return tid_key(current);
	case KSTATS_KEY_TASK:
		break;
	}
	if (trapped)
		context -= NMI_OFFSET + HARDIRQ_OFFSET;
	if (likely(!(context & (NMI_MASK | HARDIRQ_MASK)) && !in_serving_softirq()))
		return (unsigned long)current;
	return (u64)raw_smp_processor_id() << 2 | (context & NMI_MASK ? 3 : context & HARDIRQ_MASK ? 2 : 1);
}

static __always_inline bool refused(struct ks_table *t, enum kstats_verdict verdict)
{
	if (likely(verdict == KSTATS_TAKE))
		return false;
	ks_count(t, verdict == KSTATS_FILTER ? KSTATS_FILTERED : KSTATS_FAULT);
	return true;
}

/* An end has found its start. */
static __always_inline void sample(struct ks_table *t, const struct kstats_point *point, u64 start, u64 now, u64 *data)
{
	struct kstats_event ev = { .elapsed = now - start, .data = data };

	if (unlikely(now < start)) {
		ks_count(t, KSTATS_BACKWARDS);
		return;
	}
	if (point->late && refused(t, point->late(&ev)))
		return;
	ks_record_value(t, data, ev.elapsed);
}

bool ks_event_enter(struct ks_probe *p, struct ks_frame *f)
{
	const struct kstats_point *point = p->points[0];
	struct ks_table *t;
	bool follow = false;

	preempt_disable_notrace();
	t = READ_ONCE(p->measure->live);
	if (t) {
		struct kstats_event ev = { .data = f->data };

		ks_count(t, KSTATS_HITS);
		follow = !point->early || !refused(t, point->early(&ev));
		f->start = now_ns();
	}
	preempt_enable_notrace();
	return follow;
}
NOKPROBE_SYMBOL(ks_event_enter);

void ks_event_leave(struct ks_probe *p, struct ks_frame *f)
{
	u64 now = now_ns();
	struct ks_table *t;

	preempt_disable_notrace();
	t = READ_ONCE(p->measure->live);
	if (t)		/* else STOP has counted this call already */
		sample(t, p->points[0], f->start, now, f->data);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_event_leave);

static void start(struct kstats *k, struct ks_table *t, const struct kstats_point *point, bool trapped, u64 *data)
{
	struct kstats_event ev = { .data = data };

	ks_count(t, KSTATS_HITS);
	if (point->early && refused(t, point->early(&ev)))
		return;
	switch (ks_pair_start(k->pairs, current_key(k->statement->key, trapped), now_ns(), data)) {
	case KS_PAIR_NEW:
		break;
	case KS_PAIR_REPLACED:
		ks_count(t, KSTATS_REPLACED);
		break;
	case KS_PAIR_FULL:
		ks_count(t, KSTATS_FULL);
		break;
	}
}
NOKPROBE_SYMBOL(start);

static void end(struct kstats *k, struct ks_table *t, const struct kstats_point *point, bool trapped, u64 now, u64 *data)
{
	struct kstats_event ev = { .data = data };
	enum kstats_verdict verdict = point->early ? point->early(&ev) : KSTATS_TAKE;
	u64 began;

	if (unlikely(verdict != KSTATS_TAKE)) {
		ks_count(t, KSTATS_HITS);
		refused(t, verdict);
	} else if (ks_pair_end(k->pairs, current_key(k->statement->key, trapped), &began, data)) {
		sample(t, point, began, now, data);
	} else {
		ks_count(t, KSTATS_HITS);
		ks_count(t, KSTATS_UNMATCHED);
	}
}
NOKPROBE_SYMBOL(end);

void ks_event_points(struct ks_probe *p, bool trapped)
{
	struct kstats *k = p->measure;
	u64 now = now_ns();
	struct ks_table *t;
	unsigned int i;

	preempt_disable_notrace();
	t = READ_ONCE(k->live);
	for (i = 0; t && i < p->npoints; i++) {
		u64 data[KSTATS_DATA_WORDS];

		if (p->points[i]->role == KSTATS_TO)
			end(k, t, p->points[i], trapped, now, data);
		else
			start(k, t, p->points[i], trapped, data);
	}
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_event_points);

void ks_event_exit(struct kstats *k)
{
	struct ks_table *t;
	unsigned int i, n;

	preempt_disable_notrace();
	t = READ_ONCE(k->live);
	for (i = 0; t && i < k->nprobes; i++)
		if (k->probes[i].backend->open)
			for (n = k->probes[i].backend->open(&k->probes[i]); n; n--)
				ks_count(t, KSTATS_EXITED);
	preempt_enable_notrace();
}

/*
 * Until it is freed a task's address is its own; its number is so only until it was reaped, and where it is another's
 * by now, that one's start will take the place of what is left.
 */
void ks_event_free(struct kstats *k, const struct task_struct *task)
{
	u64 data[KSTATS_DATA_WORDS], began, key;
	struct ks_table *t;

	if (!k->pairs || k->statement->key == KSTATS_KEY_CPU)
		return;
	preempt_disable_notrace();
	t = READ_ONCE(k->live);
	key = k->statement->key == KSTATS_KEY_TASK ? (unsigned long)task : tid_key(task);
	if (t && (k->statement->key == KSTATS_KEY_TASK || !find_pid_ns(task->pid, &init_pid_ns)) &&
	    ks_pair_end(k->pairs, key, &began, data))
		ks_count(t, KSTATS_EXITED);
	preempt_enable_notrace();
}
