/* SPDX-License-Identifier: GPL-2.0 */
/* sched.h: of the small kernel's scheduler one event, whose record has fields of other names than the arguments. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sched

#if !defined(SMALL_SCHED_H) || defined(TRACE_HEADER_MULTI_READ)
#define SMALL_SCHED_H

#include <linux/tracepoint.h>

TRACE_EVENT(sched_switch,
	TP_PROTO(bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state),
	TP_ARGS(preempt, prev, next, prev_state),
	TP_STRUCT__entry(
		__array(char,	prev_comm,	TASK_COMM_LEN)
		__field(pid_t,	prev_pid)
		__field(pid_t,	next_pid)
	),
	TP_fast_assign(
		memcpy(__entry->prev_comm, prev->comm, TASK_COMM_LEN);
		__entry->prev_pid	= prev->pid;
		__entry->next_pid	= next->pid;
	),
	TP_printk("%d ==> %d", __entry->prev_pid, __entry->next_pid)
);

#endif

#include <trace/define_trace.h>
