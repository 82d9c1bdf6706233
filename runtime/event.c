// SPDX-License-Identifier: GPL-2.0
/*
 * event.c: starts, ends, calls, values and counts. Each event is accounted for by exactly one term of the equation in
 * kstats.h.
 */
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include "clock.h"
#include "compat.h"
#include "event.h"

/* ---- when, where, who ---- */

/* preempt_count() as it is below a breakpoint exception. */
static __always_inline u32 count_below(bool trapped)
{
	return preempt_count() - (trapped ? NMI_OFFSET + HARDIRQ_OFFSET : 0);
}

/* 0 task, 1 softirq, 2 hardirq, 3 NMI. */
static __always_inline u32 context_of(bool trapped)
{
	u32 count = count_below(trapped);

	if (likely(!(count & (NMI_MASK | HARDIRQ_MASK))))
		return !!in_serving_softirq();
	return count & NMI_MASK ? 3 : 2;
}

/* Each CPU's idle task has tid 0: they are kept apart. */
static __always_inline u64 tid_key(const struct task_struct *task)
{
	return (u32)task->pid ?: 1ULL << 32 | raw_smp_processor_id();
}

/* What pairs this event, where it is not the handlers who say. */
static __always_inline u64 current_key(enum kstats_key key, u32 context)
{
	switch (key) {
	case KSTATS_KEY_CPU:
		return raw_smp_processor_id();
	case KSTATS_KEY_TID:
		return tid_key(current);
	case KSTATS_KEY_NONE:
	case KSTATS_KEY_VALUE:
		return 0;
	case KSTATS_KEY_TASK:
		break;
	}
	/* Kinds of interrupt, below any task pointer: no key of one is a key of the other. */
	return likely(!context) ? (unsigned long)current : (u64)raw_smp_processor_id() << 2 | context;
}

/* ---- the guard of handlers that may fault or call what can be probed ---- */

/*
 * A bit for each kind of context in which a guarded handler runs on this CPU: task, softirq, hardirq, and each depth of
 * NMIs. An exception does not change the kind, so what a handler's fault passes meets the bit; what interrupts a handler
 * does not. A breakpoint exception counts as an NMI: what it brings takes the bit of where it struck too, for it may have
 * struck in a handler. Only this CPU writes it, and who interrupts puts back what he took: plain changes will do.
 */
static DEFINE_PER_CPU(u32, busy);

static __always_inline u32 kind_bit(u32 count)
{
	if (count & NMI_MASK)
		return 4u << (count & NMI_MASK) / NMI_OFFSET;
	return count & HARDIRQ_MASK ? 4 : in_serving_softirq() ? 2 : 1;
}

/* False: a guarded handler is at work below. Else @held is for leave_guard(). */
static __always_inline bool take_guard(const struct kstats *k, bool trapped, u32 *held)
{
	u32 bits;

	*held = 0;
	if (likely(!k->statement->guarded))
		return true;
	bits = kind_bit(count_below(false)) | kind_bit(count_below(trapped));
	if (this_cpu_read(busy) & bits)
		return false;
	this_cpu_or(busy, bits);
	*held = bits;
	return true;
}

static __always_inline void leave_guard(u32 held)
{
	if (unlikely(held))
		this_cpu_and(busy, ~held);
}

/* ---- what becomes of an event ---- */

static __always_inline bool refused(struct ks_table *t, enum kstats_verdict verdict)
{
	if (likely(verdict == KSTATS_TAKE))
		return false;
	ks_count(t, verdict == KSTATS_FILTER ? KSTATS_FILTERED :
		    verdict == KSTATS_NEGATIVE ? KSTATS_OUTSIDE : KSTATS_FAULT);
	return true;
}

static __always_inline enum kstats_verdict ask_early(const struct kstats_point *point, struct kstats_event *ev)
{
	return point->early ? point->early(ev) : KSTATS_TAKE;
}

/* The key that names the point, where this side of a pair does. */
static __always_inline void name_point(const struct kstats *k, const struct kstats_point *point, u64 *data)
{
	if (k->by_point && point->role != k->nameless)
		data[0] = point->match;
}

/* An end has found its start. */
static __always_inline void sample(struct kstats *k, struct ks_table *t, const struct kstats_point *point,
				   struct kstats_event *ev, u64 start, u64 now)
{
	if (unlikely(!ks_clock_elapsed(&k->clock, start, now, &ev->elapsed))) {
		ks_count(t, KSTATS_BACKWARDS);
		return;
	}
	if (point->late && refused(t, point->late(ev)))
		return;
	ks_record_value(t, ev->data, ev->elapsed);
}

/* ---- calls ---- */

/* The innermost open call of this task around @inner (NULL: here) in @context: of @p, or with NULL of @k at all. */
static struct ks_frame *around(const struct kstats *k, const struct ks_probe *p, struct ks_frame *inner, u32 context)
{
	const struct ks_backend *backend = k->probes[0].backend;
	struct ks_frame *f = inner;

	while ((f = backend->frame(&k->probes[0], f)))
		if (f->context == context && (p ? f->probe == p : f->probe->measure == k))
			return f;
	return NULL;
}
NOKPROBE_SYMBOL(around);

bool ks_event_enter(struct ks_probe *p, struct ks_frame *f, struct pt_regs *regs, bool trapped)
{
	const struct kstats_point *point = p->points[0];
	const struct kstats *k = p->measure;
	struct ks_table *t;
	bool follow = false;
	u32 held;

	preempt_disable_notrace();
	t = READ_ONCE(k->live);
	if (t) {
		struct kstats_event ev = {
			.data = f->data, .regs = regs, .context = context_of(trapped), .probe = p,
		};

		ks_count(t, KSTATS_HITS);
		f->probe = p;
		f->context = ev.context;
		f->inside = 0;
		if (k->statement->nesting == KSTATS_NESTING_OUTERMOST && around(k, p, NULL, f->context)) {
			ks_count(t, KSTATS_NESTED);
		} else if (!take_guard(k, trapped, &held)) {
			ks_count(t, KSTATS_MISSED);
		} else {
			name_point(k, point, f->data);
			follow = !refused(t, ask_early(point, &ev));
			leave_guard(held);
			/* One that is refused is the outermost all the same. */
			f->settled = !follow;
			follow |= k->statement->nesting == KSTATS_NESTING_OUTERMOST;
		}
		f->start = ks_clock_read(&k->clock);
	}
	preempt_enable_notrace();
	return follow;
}
NOKPROBE_SYMBOL(ks_event_enter);

void ks_event_leave(struct ks_frame *f, struct pt_regs *regs)
{
	const struct ks_probe *p = f->probe;
	struct kstats *k = p->measure;
	struct kstats_event ev = {
		.data = f->data, .regs = regs, .context = f->context, .returned = true, .probe = p,
	};
	u64 now = ks_clock_read(&k->clock), start = f->start;
	struct ks_table *t;
	u32 held;

	preempt_disable_notrace();
	t = READ_ONCE(k->live);
	if (!t || f->settled)		/* STOP has counted this call, or its entry has */
		goto out;
	if (k->statement->nesting == KSTATS_NESTING_SELF) {
		struct ks_frame *outer = around(k, NULL, f, f->context);

		if (outer && now > start)
			outer->inside += now - start;
		start += f->inside;
	}
	if (p->points[0]->late && !take_guard(k, false, &held)) {
		ks_count(t, KSTATS_MISSED);
		goto out;
	}
	sample(k, t, p->points[0], &ev, start, now);
	if (p->points[0]->late)
		leave_guard(held);
out:
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_event_leave);

/* ---- what a return keeps of the entry ---- */

#define KEPT_MISSED	(KSTATS_NEGATIVE + 1)	/* beside the verdicts: the guard was taken */

/* A verdict, then entry_words, for each point; nothing where none has a handler. */
unsigned int ks_event_kept_words(const struct ks_probe *p)
{
	unsigned int i, words = 0;
	bool any = false;

	for (i = 0; i < p->npoints; i++) {
		words += 1 + p->points[i]->entry_words;
		any |= !!p->points[i]->enter;
	}
	return any ? words : 0;
}

/* Whether anybody counts is asked at the return; what the return finds must be there in any case. */
void ks_event_keep(struct ks_probe *p, struct pt_regs *regs, u64 *kept, bool trapped)
{
	unsigned int i;
	bool free;
	u32 held;

	preempt_disable_notrace();
	free = take_guard(p->measure, trapped, &held);
	for (i = 0; i < p->npoints; i++) {
		const struct kstats_point *point = p->points[i];
		struct kstats_event ev = {
			.entry = kept + 1, .regs = regs, .context = context_of(trapped), .probe = p,
		};

		if (!point->enter)
			*kept = KSTATS_TAKE;
		else
			*kept = free ? point->enter(&ev) : KEPT_MISSED;
		kept += 1 + point->entry_words;
	}
	leave_guard(held);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_event_keep);

/* ---- points ---- */

static void start(struct kstats *k, struct ks_table *t, const struct kstats_point *point, struct kstats_event *ev)
{
	ks_count(t, KSTATS_HITS);
	name_point(k, point, ev->data);
	if (refused(t, ask_early(point, ev)))
		return;
	switch (ks_pair_start(k->pairs, ev->key, ks_clock_read(&k->clock), ev->data, k->statement->first)) {
	case KS_PAIR_NEW:
	case KS_PAIR_BUSY:
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

static void end(struct kstats *k, struct ks_table *t, const struct kstats_point *point, struct kstats_event *ev, u64 now)
{
	enum kstats_verdict verdict = ask_early(point, ev);
	u64 began;

	if (unlikely(verdict != KSTATS_TAKE)) {
		ks_count(t, KSTATS_HITS);
		refused(t, verdict);
	} else if (ks_pair_end(k->pairs, ev->key, &began, ev->data)) {
		name_point(k, point, ev->data);
		sample(k, t, point, ev, began, now);
	} else {
		ks_count(t, KSTATS_HITS);
		ks_count(t, KSTATS_UNMATCHED);
	}
}
NOKPROBE_SYMBOL(end);

/* Each hit is the start of an interval, and the end of the one before it. */
static void between(struct kstats *k, struct ks_table *t, const struct kstats_point *point, struct kstats_event *ev)
{
	u64 began, now;

	ks_count(t, KSTATS_HITS);
	if (refused(t, ask_early(point, ev)))
		return;
	switch (ks_pair_exchange(k->pairs, ev->key, &k->clock, &began, &now)) {
	case KS_PAIR_NEW:
		break;
	case KS_PAIR_REPLACED:
		name_point(k, point, ev->data);
		sample(k, t, point, ev, began, now);
		break;
	case KS_PAIR_FULL:
		ks_count(t, KSTATS_FULL);
		break;
	case KS_PAIR_BUSY:	/* the first hit of this key is just being entered: it stands for both */
		ks_count(t, KSTATS_REPLACED);
		break;
	}
}
NOKPROBE_SYMBOL(between);

static void serve(struct kstats *k, struct ks_table *t, const struct kstats_point *point, struct kstats_event *ev, u64 now)
{
	switch (point->role) {
	case KSTATS_FROM:
		start(k, t, point, ev);
		break;
	case KSTATS_TO:
		end(k, t, point, ev, now);
		break;
	case KSTATS_BETWEEN:
		between(k, t, point, ev);
		break;
	case KSTATS_VALUE:
	case KSTATS_COUNT:
		ks_count(t, KSTATS_HITS);
		name_point(k, point, ev->data);
		if (!refused(t, ask_early(point, ev)))
			ks_record_value(t, ev->data, ev->value);
		break;
	case KSTATS_CALL:	/* has no such points */
		break;
	}
}
NOKPROBE_SYMBOL(serve);

void ks_event_points(struct ks_probe *p, struct pt_regs *regs, const u64 *args, const u64 *kept, bool trapped)
{
	struct kstats *k = p->measure;
	struct ks_table *t;
	unsigned int i;
	bool free;
	u32 held;
	u64 now;

	preempt_disable_notrace();
	now = ks_clock_read(&k->clock);
	t = READ_ONCE(k->live);
	if (!t)
		goto out;
	free = take_guard(k, trapped, &held);
	for (i = 0; i < p->npoints; i++) {
		const struct kstats_point *point = p->points[i];
		u64 data[KSTATS_DATA_WORDS], key[KSTATS_KEY_WORDS];
		struct kstats_event ev = {
			.data = data, .key = key, .entry = kept ? (u64 *)kept + 1 : NULL, .args = args, .regs = regs,
			.context = context_of(trapped), .returned = point->where == KSTATS_RETURN, .probe = p,
		};
		u64 verdict = kept ? *kept : KSTATS_TAKE;

		if (kept)
			kept += 1 + point->entry_words;
		if (unlikely(!free || verdict != KSTATS_TAKE)) {
			ks_count(t, KSTATS_HITS);
			ks_count(t, !free || verdict == KEPT_MISSED ? KSTATS_MISSED : KSTATS_FAULT);
			continue;
		}
		key[0] = current_key(k->statement->key, ev.context);
		serve(k, t, point, &ev, now);
	}
	leave_guard(held);
out:
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_event_points);

/* ---- tasks that end ---- */

void ks_event_exit(struct kstats *k)
{
	struct ks_frame *f = NULL;
	struct ks_table *t;

	if (!k->nprobes || !k->probes[0].backend->frame)
		return;
	preempt_disable_notrace();
	t = READ_ONCE(k->live);
	while (t && (f = k->probes[0].backend->frame(&k->probes[0], f)))
		if (f->probe->measure == k && !f->settled)
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
	const struct kstats_statement *s;
	struct ks_table *t;

	if (!k->pairs)
		return;
	preempt_disable_notrace();
	t = READ_ONCE(k->live);
	s = k->statement;
	if (!t)
		goto out;
	if (s->key == KSTATS_KEY_TASK)
		key = (unsigned long)task;
	else if ((s->key == KSTATS_KEY_TID || s->tid_key) && task->pid &&
		 !pid_task(find_pid_ns(task->pid, &init_pid_ns), PIDTYPE_PID))
		key = (u32)task->pid;
	else
		goto out;
	if (ks_pair_end(k->pairs, &key, &began, data))
		ks_count(t, KSTATS_EXITED);
out:
	preempt_enable_notrace();
}
