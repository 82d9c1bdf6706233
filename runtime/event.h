/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event.h: what a hit of a probe means: the semantics of the language, the same for every backend.
 *
 * All of it runs in any context; each call turns preemption off around its work, and calls nothing that can be probed but
 * the handlers of a script.
 *
 * @regs are the registers of the event, NULL at a tracepoint. @trapped: by a breakpoint exception, which itself runs as an
 * NMI: the event's own context is the one below.
 */
#ifndef KS_EVENT_H
#define KS_EVENT_H

#include "away.h"
#include "measure.h"

/* What a followed call keeps until it returns; the backend owns the memory. */
struct ks_frame {
	struct ks_probe *probe;
	u64 start;
	u64 inside;		/* time in calls directly below (`nesting self`) */
	u32 context;
	bool settled;		/* its hit is counted already; it is here for the calls inside it (`nesting outermost`) */
	u64 data[];		/* ks_event_words() of them */
};

static inline unsigned int ks_event_words(const struct kstats *k)
{
	const struct kstats_statement *s = k->statement;

	return s ? s->data_words + !!s->counter + (s->time ? KS_AWAY_WORDS : 0) : 0;
}

/* A measured function is entered. False: this call is not followed (stopped, or filtered and counted so). */
bool ks_event_enter(struct ks_probe *p, struct ks_frame *f, struct pt_regs *regs, bool trapped);

/* It returns, at @tsc by the clock of its measurement, which was read with preemption off; 0: now. */
void ks_event_leave(struct ks_frame *f, struct pt_regs *regs, u64 tsc);

/*
 * A call has returned after @raw of the clock, of a measurement whose calls have no handlers but for what has filled in @key, and
 * whose backend counts the hits.
 * False: nobody counts. Preemption off.
 */
bool ks_event_timed(struct kstats *k, u64 raw, const u64 *key);

/* A call will never return; @f is its frame, or NULL of one that ks_event_timed() would have ended. Preemption off. */
void ks_event_abandoned(struct kstats *k, const struct ks_frame *f);

/*
 * Pairs whose events need no look at anything but the clock and the table of starts: no handler, no keys, no range. Their starts
 * and ends by the current task (statement->key is KSTATS_KEY_TASK).
 */
bool ks_event_is_plain(const struct ks_probe *p);
void ks_event_start(struct kstats *k);
void ks_event_end(struct kstats *k);

/*
 * A place with other points is passed. @args: a tracepoint's, or NULL. @kept: what ks_event_keep() kept of this call, or
 * NULL.
 */
void ks_event_points(struct ks_probe *p, struct pt_regs *regs, const u64 *args, const u64 *kept, bool trapped);

/* A function whose return has points is entered: let them keep what they need, ks_event_kept_words() in all. */
void ks_event_keep(struct ks_probe *p, struct pt_regs *regs, u64 *kept, bool trapped);
unsigned int ks_event_kept_words(const struct ks_probe *p);	/* 0: nothing is kept */

/* The current task ends: its open calls will never return. */
void ks_event_exit(struct kstats *k);

/* @task is being freed: its waiting starts will never end. */
void ks_event_free(struct kstats *k, const struct task_struct *task);

#endif /* KS_EVENT_H */
