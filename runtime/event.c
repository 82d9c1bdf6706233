// SPDX-License-Identifier: GPL-2.0
/*
 * event.c: starts, ends, calls, values and counts. Each event is accounted for by exactly one term of the equation in
 * kstats.h.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include "away.h"
#include "clock.h"
#include "compat.h"
#include "counter.h"
#include "event.h"
#include "guard.h"

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

	if (likely(!(count & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET))))
		return IS_ENABLED(CONFIG_PREEMPT_RT) && in_serving_softirq();	/* there, a thread that knows so */
	if (!(count & (NMI_MASK | HARDIRQ_MASK)))
		return 1;
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
 * In which context the innermost guarded handler of this CPU is at work: task, softirq, hardirq or NMI, each with its depth. 0:
 * none is. What interrupts a handler runs in another context, and puts back what it found; an exception does not change the
 * context, so what a handler's fault passes meets its own. A breakpoint exception counts as an NMI: what it brings looks for
 * the context it struck in, too, for it may have struck in a handler.
 */
static DEFINE_PER_CPU(u32, at_work);

#define AT_WORK		1u
#define CONTEXT_MASK	(NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)

/* False: a guarded handler is at work below. Else @before is for leave_guard(). */
static __always_inline bool take_guard(const struct kstats *k, bool trapped, u32 *before)
{
	u32 here;

	*before = 0;
	if (likely(!k->statement->guarded))
		return true;
	here = (count_below(false) & CONTEXT_MASK) | AT_WORK;
	*before = this_cpu_read(at_work);
	if (unlikely(*before == here || (trapped && *before == ((count_below(true) & CONTEXT_MASK) | AT_WORK))))
		return false;
	this_cpu_write(at_work, here);
	return true;
}

static __always_inline void leave_guard(const struct kstats *k, u32 before)
{
	if (k->statement->guarded)
		this_cpu_write(at_work, before);
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

typedef enum kstats_verdict handler(struct kstats_event *ev);

static noinline enum kstats_verdict ask_timed(struct kstats *k, handler *h, struct kstats_event *ev)
{
	u64 began = ktime_get_mono_fast_ns();
	enum kstats_verdict verdict = h(ev);
	u64 now = ktime_get_mono_fast_ns();

	ks_guard_took(k, now > began ? now - began : 0);
	return verdict;
}
NOKPROBE_SYMBOL(ask_timed);

static __always_inline enum kstats_verdict ask(struct kstats *k, handler *h, struct kstats_event *ev)
{
	if (unlikely(READ_ONCE(ks_guard_times)))
		return ask_timed(k, h, ev);
	return h(ev);
}

static __always_inline enum kstats_verdict ask_early(struct kstats *k, const struct kstats_point *point, struct kstats_event *ev)
{
	return point->early ? ask(k, point->early, ev) : KSTATS_TAKE;
}

/* The key that names the point, where this side of a pair does; or the place. */
static __always_inline void name_point(const struct kstats *k, const struct kstats_point *point, const struct kstats_event *ev)
{
	if (likely(!k->named))
		return;
	if (k->by_function)
		ev->data[0] = instruction_pointer(ev->regs) - (point->where == KSTATS_MEMORY);
	else if (point->role != k->nameless)
		ev->data[0] = point->match;
}

/* What is recorded of an end whose start is found is @value, unless `late` says no. */
static __always_inline void take(struct kstats *k, struct ks_table *t, const struct kstats_point *point, struct kstats_event *ev, u64 value)
{
	if (point->late && refused(t, ask(k, point->late, ev)))
		return;
	ks_record_value(t, ev->data, value);
}

/* An end has found its start. */
static __always_inline void sample(struct kstats *k, struct ks_table *t, const struct kstats_point *point,
				   struct kstats_event *ev, u64 start, u64 now)
{
	if (unlikely(!ks_clock_elapsed(&k->clock, start, now, &ev->elapsed)))
		ks_count(t, KSTATS_BACKWARDS);
	else
		take(k, t, point, ev, ev->elapsed);
}

/* The same of a call, of which the task was off the CPU for @away by the clock. */
static __always_inline void sample_part(struct kstats *k, struct ks_table *t, const struct kstats_point *point,
					struct kstats_event *ev, u64 start, u64 now, u64 away)
{
	u64 blocked = ks_clock_scale(away, &k->clock.mult);

	if (!ks_clock_elapsed(&k->clock, start, now, &ev->elapsed) || blocked > ev->elapsed)
		ks_count(t, KSTATS_BACKWARDS);
	else
		take(k, t, point, ev, k->statement->time == KSTATS_TIME_BLOCKED ? blocked : ev->elapsed - blocked);
}

/* ---- calls ---- */

/* The innermost open call of this task around @inner (NULL: here) in @context: of @p, or with NULL of @k at all. */
static struct ks_frame *around(const struct kstats *k, const struct ks_probe *p, struct ks_frame *inner, u32 context)
{
	const struct ks_probe *like = READ_ONCE(k->framed);
	struct ks_frame *f = inner;

	while (like && (f = like->backend->frame(like, f)))
		if (f->context == context && (p ? f->probe == p : f->probe->measure == k))
			return f;
	return NULL;
}
NOKPROBE_SYMBOL(around);

/* What handlers are told. They are not told what their kind of point does not have. */
static __always_inline void tell(struct kstats_event *ev, const struct ks_probe *p, u64 *data, struct pt_regs *regs, u32 context,
				 bool returned)
{
	ev->value = 0;
	ev->data = data;
	ev->regs = regs;
	ev->context = context;
	ev->returned = returned;
	ev->probe = p;
}

KS_NO_CANARY
bool ks_event_enter(struct ks_probe *p, struct ks_frame *f, struct pt_regs *regs, bool trapped)
{
	const struct kstats_point *point = p->points[0];
	struct kstats *k = p->measure;
	struct ks_table *t;
	bool follow = false;
	u32 before;

	preempt_disable_notrace();
	t = READ_ONCE(k->live);
	if (t) {
		struct kstats_event ev KS_UNINITIALIZED;

		tell(&ev, p, f->data, regs, context_of(trapped), false);
		ks_count(t, KSTATS_HITS);
		f->probe = p;
		f->context = ev.context;
		f->inside = 0;
		if (k->statement->nesting == KSTATS_NESTING_OUTERMOST && around(k, p, NULL, f->context)) {
			ks_count(t, KSTATS_NESTED);
		} else if (!take_guard(k, trapped, &before)) {
			ks_count(t, KSTATS_MISSED);
		} else {
			name_point(k, point, &ev);
			follow = !refused(t, ask_early(k, point, &ev));
			leave_guard(k, before);
			if (unlikely(k->away) && follow && !ks_away_begin(k, f)) {
				ks_count(t, KSTATS_FULL);
				follow = false;
			}
			/* One that is refused is the outermost all the same. */
			f->settled = !follow;
			follow |= k->statement->nesting == KSTATS_NESTING_OUTERMOST;
		}
		if (likely(k->clock.source != KS_CLOCK_COUNTER))
			f->start = ks_clock_read(&k->clock);
		else if (follow)
			ks_counter_begin(k, f);
	}
	preempt_enable_notrace();
	return follow;
}
NOKPROBE_SYMBOL(ks_event_enter);

KS_NO_CANARY
void ks_event_leave(struct ks_frame *f, struct pt_regs *regs, u64 tsc)
{
	const struct ks_probe *p = f->probe;
	struct kstats *k = p->measure;
	struct kstats_event ev KS_UNINITIALIZED;
	u64 now, start = f->start, away = 0;
	struct ks_table *t;
	u32 before;

	preempt_disable_notrace();
	now = tsc ?: ks_clock_read(&k->clock);
	tell(&ev, p, f->data, regs, f->context, true);
	t = READ_ONCE(k->live);
	if (!t || f->settled)		/* STOP has counted this call, or its entry has */
		goto out;
	if (unlikely(k->away) && !ks_away_end(k, f, &away)) {
		ks_count(t, KSTATS_MISSED);
		goto out;
	}
	if (unlikely(k->clock.source == KS_CLOCK_COUNTER)) {
		enum kstats_term what = ks_counter_end(k, f, &now);

		if (what != KSTATS_RECORDED) {
			ks_count(t, what);
			goto out;
		}
		start = 0;
	}
	if (k->statement->nesting == KSTATS_NESTING_SELF) {
		struct ks_frame *outer = around(k, NULL, f, f->context);

		if (outer && now > start)
			outer->inside += now - start;
		start += f->inside;
	}
	if (p->points[0]->late && !take_guard(k, false, &before)) {
		ks_count(t, KSTATS_MISSED);
		goto out;
	}
	if (unlikely(k->away))
		sample_part(k, t, p->points[0], &ev, start, now, away);
	else
		sample(k, t, p->points[0], &ev, start, now);
	if (p->points[0]->late)
		leave_guard(k, before);
out:
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_event_leave);

bool ks_event_timed(struct kstats *k, u64 raw, const u64 *key)
{
	struct ks_table *t = READ_ONCE(k->live);
	u64 elapsed;

	if (unlikely(!t))
		return false;
	if (likely(ks_clock_elapsed(&k->clock, 0, raw, &elapsed)))
		ks_record_value(t, key, elapsed);
	else
		ks_count(t, KSTATS_BACKWARDS);
	return true;
}
NOKPROBE_SYMBOL(ks_event_timed);

void ks_event_abandoned(struct kstats *k, const struct ks_frame *f)
{
	struct ks_table *t = READ_ONCE(k->live);

	if (t && !(f && f->settled))
		ks_count(t, KSTATS_EXITED);
}

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
KS_NO_CANARY
void ks_event_keep(struct ks_probe *p, struct pt_regs *regs, u64 *kept, bool trapped)
{
	unsigned int i;
	bool free;
	u32 before;

	preempt_disable_notrace();
	free = take_guard(p->measure, trapped, &before);
	for (i = 0; i < p->npoints; i++) {
		const struct kstats_point *point = p->points[i];
		struct kstats_event ev KS_UNINITIALIZED;

		tell(&ev, p, NULL, regs, context_of(trapped), false);
		ev.entry = kept + 1;
		if (!point->enter)
			*kept = KSTATS_TAKE;
		else
			*kept = free ? point->enter(&ev) : KEPT_MISSED;
		kept += 1 + point->entry_words;
	}
	leave_guard(p->measure, before);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_event_keep);

/* ---- points ---- */

static void start(struct kstats *k, struct ks_table *t, const struct kstats_point *point, struct kstats_event *ev)
{
	ks_count(t, KSTATS_HITS);
	name_point(k, point, ev);
	if (refused(t, ask_early(k, point, ev)))
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
	enum kstats_verdict verdict = ask_early(k, point, ev);
	u64 began;

	if (unlikely(verdict != KSTATS_TAKE)) {
		ks_count(t, KSTATS_HITS);
		refused(t, verdict);
	} else if (ks_pair_end(k->pairs, ev->key, &began, ev->data)) {
		name_point(k, point, ev);
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
	if (refused(t, ask_early(k, point, ev)))
		return;
	switch (ks_pair_exchange(k->pairs, ev->key, &k->clock, &began, &now)) {
	case KS_PAIR_NEW:
		break;
	case KS_PAIR_REPLACED:
		name_point(k, point, ev);
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
		name_point(k, point, ev);
		if (!refused(t, ask_early(k, point, ev)))
			ks_record_value(t, ev->data, ev->value);
		break;
	case KSTATS_CALL:	/* has no such points */
		break;
	}
}
NOKPROBE_SYMBOL(serve);

KS_NO_CANARY
void ks_event_points(struct ks_probe *p, struct pt_regs *regs, const u64 *args, const u64 *kept, bool trapped)
{
	struct kstats *k = p->measure;
	struct ks_table *t;
	unsigned int i;
	bool free;
	u32 before;
	u64 now;

	preempt_disable_notrace();
	now = ks_clock_read(&k->clock);
	t = READ_ONCE(k->live);
	if (!t)
		goto out;
	free = take_guard(k, trapped, &before);
	for (i = 0; i < p->npoints; i++) {
		const struct kstats_point *point = p->points[i];
		u64 data[KSTATS_DATA_WORDS] KS_UNINITIALIZED, key[KSTATS_KEY_WORDS] KS_UNINITIALIZED;
		struct kstats_event ev KS_UNINITIALIZED;
		u64 verdict = kept ? *kept : KSTATS_TAKE;

		tell(&ev, p, data, regs, context_of(trapped), point->where == KSTATS_RETURN);
		ev.key = key;
		ev.entry = kept ? (u64 *)kept + 1 : NULL;
		ev.args = args;
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
	leave_guard(k, before);
out:
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_event_points);

/* ---- pairs without handlers, or with a handler that has given its key already ---- */

/* What does not go into the first cell of its set, or not without another look. */
KS_NO_CANARY
static noinline void start_fully(struct kstats *k, struct ks_table *t, struct ks_cell *entered, u64 key, u64 now)
{
	enum ks_pair_start pair = KS_PAIR_NEW;

	if (!entered)
		pair = ks_pair_start(k->pairs, &key, now, NULL, false);
	else if (ks_pair_drop(k->pairs, entered, key, now))
		pair = KS_PAIR_REPLACED;
	if (pair == KS_PAIR_REPLACED)
		ks_count(t, KSTATS_REPLACED);
	else if (pair == KS_PAIR_FULL)
		ks_count(t, KSTATS_FULL);
}
NOKPROBE_SYMBOL(start_fully);

static __always_inline void start_plainly(struct kstats *k, struct ks_table *t, u64 key, bool own)
{
	struct ks_cell *set = ks_pair_set(k->pairs, key);
	u64 now = ks_clock_tsc();

	ks_count(t, KSTATS_HITS);
	if (unlikely(!ks_pair_start_plain(set, key, now)))
		start_fully(k, t, NULL, key, now);
	else if (!own && unlikely(ks_pair_beyond(set, key)))
		start_fully(k, t, set, key, now);
}

/* What is not in the first cell, or cannot have taken so long. */
KS_NO_CANARY
static noinline void end_fully(struct kstats *k, struct ks_table *t, u64 start, u64 key, u64 now)
{
	u64 elapsed;

	if (!start && !ks_pair_end(k->pairs, &key, &start, NULL)) {
		ks_count(t, KSTATS_HITS);
		ks_count(t, KSTATS_UNMATCHED);
	} else if (ks_clock_elapsed(&k->clock, start, now, &elapsed)) {
		ks_record_plain(t, elapsed);
	} else {
		ks_count(t, KSTATS_BACKWARDS);
	}
}
NOKPROBE_SYMBOL(end_fully);

static __always_inline void end_plainly(struct kstats *k, struct ks_table *t, u64 key)
{
	u64 now = ks_clock_tsc(), start = 0;

	if (likely(ks_pair_end_plain(ks_pair_set(k->pairs, key), key, &start) && now - start <= data_race(k->clock.sane)))
		ks_record_plain(t, ks_clock_scale(now - start, &k->clock.mult));
	else
		end_fully(k, t, start, key, now);
}

bool ks_event_is_plain(const struct ks_probe *p)
{
	const struct kstats_statement *s = p->measure->statement;
	const struct kstats_point *point = p->points[0];

	return p->npoints == 1 && (point->role == KSTATS_FROM || point->role == KSTATS_TO) && !point->late && !s->nby &&
	       !s->data_words && !s->ranged && !s->first && !s->guarded && p->measure->clock.source == KS_CLOCK_TSC;
}

/* The current task's key is entered by itself alone; that of an interrupt by this CPU alone. */
void ks_event_start(struct kstats *k)
{
	struct ks_table *t;

	preempt_disable_notrace();
	t = READ_ONCE(k->live);
	if (likely(t))
		start_plainly(k, t, current_key(KSTATS_KEY_TASK, context_of(false)), true);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_event_start);

void ks_event_end(struct kstats *k)
{
	struct ks_table *t;

	preempt_disable_notrace();
	t = READ_ONCE(k->live);
	if (likely(t))
		end_plainly(k, t, current_key(KSTATS_KEY_TASK, context_of(false)));
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_event_end);

void kstats_start(void *data, u64 key)
{
	struct kstats *k = ((struct ks_probe *)data)->measure;
	struct ks_table *t;

	ks_tracepoint_begin();
	t = READ_ONCE(k->live);
	if (likely(t))
		start_plainly(k, t, key, false);
	ks_tracepoint_end();
}
EXPORT_SYMBOL_GPL(kstats_start);
NOKPROBE_SYMBOL(kstats_start);

void kstats_end(void *data, u64 key)
{
	struct kstats *k = ((struct ks_probe *)data)->measure;
	struct ks_table *t;

	ks_tracepoint_begin();
	t = READ_ONCE(k->live);
	if (likely(t))
		end_plainly(k, t, key);
	ks_tracepoint_end();
}
EXPORT_SYMBOL_GPL(kstats_end);
NOKPROBE_SYMBOL(kstats_end);

/* A hit all the same. */
void kstats_refuse(void *data, enum kstats_verdict verdict)
{
	const struct kstats *k = ((struct ks_probe *)data)->measure;
	struct ks_table *t;

	ks_tracepoint_begin();
	t = READ_ONCE(k->live);
	if (likely(t)) {
		ks_count(t, KSTATS_HITS);
		refused(t, verdict);
	}
	ks_tracepoint_end();
}
EXPORT_SYMBOL_GPL(kstats_refuse);
NOKPROBE_SYMBOL(kstats_refuse);

/* ---- tasks that end ---- */

void ks_event_exit(struct kstats *k)
{
	const struct ks_probe *like;
	struct ks_frame *f = NULL;

	preempt_disable_notrace();
	like = READ_ONCE(k->framed);
	while (like && (f = like->backend->frame(like, f)))
		if (f->probe->measure == k)
			ks_event_abandoned(k, f);
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
