/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kmeter_bench_trace.h: the two tracepoints whose cost the bench measures.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kmeter_bench

#if !defined(KMETER_BENCH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KMETER_BENCH_TRACE_H

#include <linux/sched.h>
#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(kmeter_bench,
	TP_PROTO(struct task_struct *p),
	TP_ARGS(p),
	TP_STRUCT__entry(__field(pid_t, pid)),
	TP_fast_assign(__entry->pid = p->pid;),
	TP_printk("pid=%d", __entry->pid)
);

DEFINE_EVENT(kmeter_bench, kmeter_bench_a, TP_PROTO(struct task_struct *p), TP_ARGS(p));
DEFINE_EVENT(kmeter_bench, kmeter_bench_b, TP_PROTO(struct task_struct *p), TP_ARGS(p));

#endif /* KMETER_BENCH_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE kmeter_bench_trace
#include <trace/define_trace.h>
