/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event.h: what a hit of a probe means: the semantics of the language, the same for every backend.
 *
 * All of it runs in any context; each call turns preemption off around its work, and calls nothing that can be probed.
 */
#ifndef KS_EVENT_H
#define KS_EVENT_H

#include "measure.h"

/* What a followed call keeps until it returns; the backend owns the memory. */
struct ks_frame {
	u64 start;
	u64 data[];		/* ks_event_words() of them */
};

static inline unsigned int ks_event_words(const struct kstats *k)
{
	return k->statement ? k->statement->data_words : 0;
}

/* A measured function is entered. False: this call is not followed (stopped, or filtered and counted so). */
bool ks_event_enter(struct ks_probe *p, struct ks_frame *f);

/* It returns. */
void ks_event_leave(struct ks_probe *p, struct ks_frame *f);

/*
 * A place with FROM and TO points is passed. @trapped: by a breakpoint exception, which itself runs as an NMI: the event's
 * own context is the one below.
 */
void ks_event_points(struct ks_probe *p, bool trapped);

/* The current task ends: its open calls will never return. */
void ks_event_exit(struct kstats *k);

/* @task is being freed: its waiting starts will never end. */
void ks_event_free(struct kstats *k, const struct task_struct *task);

#endif /* KS_EVENT_H */
