// SPDX-License-Identifier: GPL-2.0
/*
 * thunk_calls.c: what thunks call: the entry and the return of functions, in any context. Preemption is on when they come.
 */
#include <linux/kprobes.h>
#include "clock.h"
#include "compat.h"
#include "direct_private.h"
#include "event.h"

#if KS_DIRECT
static __always_inline struct pt_regs *regs_at(u64 *r9)
{
	return (void *)r9 - offsetof(struct pt_regs, r9);
}

/* One instant for all measurements of this function, right before its body: what they measure then differs by nothing else. */
static __always_inline void begin_together(const struct ks_thunk *th, struct ks_thunk_frame *f)
{
	u64 now = ks_clock_tsc();
	unsigned int i;

	for (i = 0; i < th->nprobes; i++) {
		const struct ks_probe *p = READ_ONCE(th->probes[i]);
		u64 *at = &f->area[th->at[i]];

		if (p && ks_is_call(p) && *at == (unsigned long)p && p->measure->clock.source == KS_CLOCK_TSC)
			((struct ks_frame *)at)->start = now;
	}
}

/* Of fast and full: is the body to be entered from the thunk? */
bool ks_direct_enter(struct ks_thunk *th, struct ks_thunk_frame *f);
bool ks_direct_enter(struct ks_thunk *th, struct ks_thunk_frame *f)
{
	struct pt_regs *regs = regs_at(&f->r9);
	bool follow = false;
	unsigned int i;

	preempt_disable_notrace();
	f->sp = (unsigned long)&f->caller;
	f->ip = th->site;
	for (i = 0; i < th->nprobes; i++) {
		struct ks_probe *p = READ_ONCE(th->probes[i]);
		u64 *at = &f->area[th->at[i]];

		if (!p) {
			if (th->at[i] != KS_THUNK_AREA)
				*at = 0;
		} else if (ks_is_call(p)) {
			if (ks_event_enter(p, (struct ks_frame *)at, regs, false))
				follow = true;
			else
				*at = 0;
		} else if (ks_is_return(p)) {
			*at = (unsigned long)p;
			if (p->kept_words)
				ks_event_keep(p, regs, at + 1, false);
			follow = true;
		} else {
			ks_event_points(p, regs, NULL, NULL, false);
		}
	}
	if (follow) {
		ks_add(&this_cpu_ptr(th->counts)->entries, 1);
		if (unlikely(th->nprobes > 1))
			begin_together(th, f);
	}
	preempt_enable_notrace();
	return follow;
}
NOKPROBE_SYMBOL(ks_direct_enter);

void ks_direct_leave(struct ks_thunk *th, struct ks_thunk_frame *f);
void ks_direct_leave(struct ks_thunk *th, struct ks_thunk_frame *f)
{
	struct pt_regs *regs = regs_at(&f->r9);
	unsigned int i;
	u64 now;

	preempt_disable_notrace();
	now = ks_clock_tsc();
	f->sp = (unsigned long)(&f->caller + 1);
	f->ip = f->caller;
	for (i = 0; i < th->nprobes; i++) {
		struct ks_probe *p = READ_ONCE(th->probes[i]);
		u64 *at = &f->area[th->at[i]];

		if (!p || th->at[i] == KS_THUNK_AREA || *at != (unsigned long)p)
			continue;
		if (ks_is_call(p))
			ks_event_leave((struct ks_frame *)at, regs, p->measure->clock.source == KS_CLOCK_TSC ? now : 0);
		else
			ks_event_points(p, regs, NULL, p->kept_words ? at + 1 : NULL, false);
	}
	ks_add(&this_cpu_ptr(th->counts)->exits, 1);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_direct_leave);

void ks_direct_pass(struct ks_thunk *th, struct ks_thunk_registers *r);
void ks_direct_pass(struct ks_thunk *th, struct ks_thunk_registers *r)
{
	unsigned int i;

	preempt_disable_notrace();
	r->sp = (unsigned long)&r->caller;
	r->ip = th->site;
	for (i = 0; i < th->nprobes; i++) {
		struct ks_probe *p = READ_ONCE(th->probes[i]);

		if (p)
			ks_event_points(p, regs_at(&r->r9), NULL, NULL, false);
	}
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_direct_pass);

/* Nobody counts; or it took longer than any before, or no time at all by this clock. */
static noinline void timed_otherwise(struct ks_thunk *th, const u64 *key, u64 raw, u64 limit)
{
	struct ks_probe *p = READ_ONCE(th->probes[0]);

	if (!p)
		return;
	if (!ks_event_timed(p->measure, raw, key))
		this_cpu_inc(th->counts->ignored);
	else if (limit)		/* unless STOP came in between */
		cmpxchg(&th->limit, limit, READ_ONCE(p->measure->clock.sane) + 1);
}
NOKPROBE_SYMBOL(timed_otherwise);

/* The fast form: one probe, no handlers, the tsc. */
void __noendbr ks_direct_timed(struct ks_thunk *th, u64 start);
void __noendbr ks_direct_timed(struct ks_thunk *th, u64 start)
{
	u64 raw = ks_clock_tsc() - start, limit;

	preempt_disable_notrace();
	this_cpu_inc(th->counts->exits);	/* who waits for that waits for preemption too */
	limit = smp_load_acquire(&th->limit);
	if (likely(raw < limit))
		ks_record_plain(READ_ONCE(th->table), ks_clock_scale(raw, &th->mult));
	else
		timed_otherwise(th, NULL, raw, limit);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_direct_timed);

static noinline void record_by_others(struct ks_thunk *th, const u64 *key, u64 raw)
{
	struct ks_table *t = READ_ONCE(th->table);
	u64 value = ks_clock_scale(raw, &th->mult);

	if (th->keys == 1)
		ks_record_keyed(t, key, 1, value);
	else
		ks_record_search(t, key, value);
}
NOKPROBE_SYMBOL(record_by_others);

/* The keyed form: the start lies before the keys. Most often these are a number and a comm, three words. */
void __noendbr ks_direct_keyed(struct ks_thunk *th, const u64 *key);
void __noendbr ks_direct_keyed(struct ks_thunk *th, const u64 *key)
{
	u64 raw = ks_clock_tsc() - key[-1], limit;

	preempt_disable_notrace();
	this_cpu_inc(th->counts->exits);
	limit = smp_load_acquire(&th->limit);
	if (unlikely(raw >= limit))
		timed_otherwise(th, key, raw, limit);
	else if (likely(th->keys == 3))
		ks_record_keyed(READ_ONCE(th->table), key, 3, ks_clock_scale(raw, &th->mult));
	else
		record_by_others(th, key, raw);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ks_direct_keyed);

/* A function's key is its match. */
static noinline void shared_otherwise(struct ks_thunk *th, u32 address, u64 raw, u64 limit)
{
	u64 match = ks_body_at(th->bodies, address)->part - 1;

	timed_otherwise(th, &match, raw, limit);
}
NOKPROBE_SYMBOL(shared_otherwise);

/* It is not in its first cell. */
static noinline void record_next(struct ks_thunk *th, u32 address, u64 raw)
{
	struct ks_table *t = READ_ONCE(th->table);	/* once: it may become another in between */
	u64 place = ks_record_place(t, ks_body_at(th->bodies, address)->part - 1), value = ks_clock_scale(raw, &th->mult);

	ks_record_at(t, value, place);
	if (th->squares)
		ks_record_square(t, value, place);
}
NOKPROBE_SYMBOL(record_next);

/*
 * The shared form: which function it was stands where its body was entered. Where the table has not laid out its parts by functions, the
 * limit is 0 at all times.
 */
static __always_inline void timed_shared(struct ks_thunk *th, u64 start, u32 address, bool squares)
{
	u64 raw = ks_clock_tsc() - start, limit;
	const struct ks_body *body;
	struct ks_table *t;

	preempt_disable_notrace();
	this_cpu_inc(th->counts->exits);
	limit = smp_load_acquire(&th->limit);
	body = &th->bodies->cell[ks_body_first(address)];
	t = READ_ONCE(th->table);
	if (unlikely(raw >= limit)) {
		shared_otherwise(th, address, raw, limit);
	} else if (likely(body->address == address)) {
		u64 value = ks_clock_scale(raw, &th->mult), place = body->part * t->part_bytes;

		ks_record_at(t, value, place);
		if (squares)
			ks_record_square(t, value, place);
	} else {
		record_next(th, address, raw);
	}
	preempt_enable_notrace();
}

void __noendbr ks_direct_shared(struct ks_thunk *th, u64 start, u32 address);
void __noendbr ks_direct_shared(struct ks_thunk *th, u64 start, u32 address)
{
	timed_shared(th, start, address, false);
}
NOKPROBE_SYMBOL(ks_direct_shared);

void __noendbr ks_direct_squared(struct ks_thunk *th, u64 start, u32 address);
void __noendbr ks_direct_squared(struct ks_thunk *th, u64 start, u32 address)
{
	timed_shared(th, start, address, true);
}
NOKPROBE_SYMBOL(ks_direct_squared);
#endif
