/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kmeter_test_trace.h: the test module's own tracepoints, which are not exported.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kmeter_test

#if !defined(KMETER_TEST_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KMETER_TEST_TRACE_H

#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(kmeter_test,
	TP_PROTO(int id),
	TP_ARGS(id),
	TP_STRUCT__entry(__field(int, id)),
	TP_fast_assign(__entry->id = id;),
	TP_printk("id=%d", __entry->id)
);

DEFINE_EVENT(kmeter_test, kmeter_test_start, TP_PROTO(int id), TP_ARGS(id));
DEFINE_EVENT(kmeter_test, kmeter_test_stop, TP_PROTO(int id), TP_ARGS(id));

#endif /* KMETER_TEST_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE kmeter_test_trace
#include <trace/define_trace.h>
