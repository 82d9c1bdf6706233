/* SPDX-License-Identifier: GPL-2.0 */
/* kmeter_types_trace.h: a tracepoint with arguments of several types, of a header that no kernel package has. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kmeter_types

#if !defined(KMETER_TYPES_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KMETER_TYPES_TRACE_H

#include <linux/tracepoint.h>

struct kt_object;

TRACE_EVENT(kmeter_types_event,
	TP_PROTO(struct kt_object *object, bool flag, s8 small, u16 middle, long large, const char *text),
	TP_ARGS(object, flag, small, middle, large, text),
	TP_STRUCT__entry(__field(long, size)),
	TP_fast_assign(__entry->size = large;),
	TP_printk("size=%ld", __entry->size)
);

#endif /* KMETER_TYPES_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE kmeter_types_trace
#include <trace/define_trace.h>
