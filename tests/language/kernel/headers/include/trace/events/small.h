/* SPDX-License-Identifier: GPL-2.0 */
/* small.h: events of the small kernel as the kernel's headers declare theirs. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM timer

#if !defined(SMALL_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define SMALL_EVENTS_H

#include <linux/tracepoint.h>

TRACE_EVENT(timer_start,
	TP_PROTO(struct timer_list *timer, unsigned long expires, unsigned int flags),
	TP_ARGS(timer, expires, flags),
	TP_STRUCT__entry(
		__field(void *,		where)
		__field(unsigned long,	when)
	),
	TP_fast_assign(
		__entry->where	= timer;
		__entry->when	= expires;
	),
	TP_printk("%p %lu", __entry->where, __entry->when)
);

#endif

#include <trace/define_trace.h>
