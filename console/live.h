/* SPDX-License-Identifier: GPL-2.0 */
/*
 * live.h: --live: a view of what is being measured, or was, that fills the terminal and follows it.
 */
#ifndef KM_LIVE_H
#define KM_LIVE_H

#include "console/print.h"
#include "console/saved.h"
#include "console/series.h"
#include "console/session.h"

/*
 * Measurements of this kernel, until @deadline (session_now's clock), a signal, the end of the command (may be NULL) or `q`, which is
 * SESSION_INPUT. All is told since s->base. False after saying why there is no view (no terminal, nothing to read any more).
 */
bool live_measure(const struct options *o, const struct print *p, struct series *s, uint64_t deadline, struct session_command *command,
		  enum session_event *event);

/* The reports of a file, one a tick; the last one stays until `q`. False after saying why there is no view. */
bool live_replay(const struct options *o, const struct print *p, const char *path, const struct saved *saved);

#endif /* KM_LIVE_H */
