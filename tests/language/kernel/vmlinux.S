/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vmlinux.S: of a kernel's image its banner, and what tells the systems of its tracepoints: event_NAME as in System.map, each a
 * struct trace_event_call whose class begins with the name of its system; and the instructions of one function. Linked
 * with all that at its addresses by ./make.
 */
	.text
	.globl	_text
_text:	ret

	.section vfs_read, "ax"
vfs_read_begins:
	push	%rbp
	mov	%rsp, %rbp
	sub	$16, %rsp		/* +4 */
	.fill	8, 1, 0x90
	movabs	$0x1122334455667788, %rax	/* +0x10 */
	.fill	2, 1, 0x90
	call	_text			/* +0x1c */
	leave
	ret
	.fill	0x780 - (. - vfs_read_begins), 1, 0xcc	/* up to vfs_write */

	.macro	event name system
	.balign	0x100
event_\name:
	.quad	0, 0
	.quad	class_\system
	.endm

	.macro	class system
class_\system:
	.quad	text_\system
text_\system:
	.asciz	"\system"
	.balign	8
	.endm

	.data
	event	sched_switch, sched
	event	sched_wakeup, sched
	event	sched_wakeup_new, sched
	event	sched_migrate_task, sched
	event	sched_process_exit, sched
	event	irq_handler_entry, irq
	event	irq_handler_exit, irq
	event	softirq_entry, irq
	event	softirq_exit, irq
	event	softirq_raise, irq
	event	sys_enter, raw_syscalls
	event	sys_exit, raw_syscalls
	event	block_rq_issue, block
	event	block_rq_complete, block
	event	block_rq_insert, block
	event	kmem_cache_alloc, kmem
	event	kmem_cache_free, kmem
	event	timer_start, timer
	event	net_dev_xmit, net
	event	ext4_sync_file_enter, ext4
	event	mm_vmscan_direct_reclaim_begin, vmscan
	event	mm_vmscan_direct_reclaim_end, vmscan

	.org	0x2000			/* linux_banner */
	.asciz	"Linux version 6.1.0-test (a@b) (gcc) #1 SMP PREEMPT_DYNAMIC small (2024-01-01)\n"
	.balign	8

	class	sched
	class	irq
	class	raw_syscalls
	class	block
	class	kmem
	class	timer
	class	net
	class	ext4
	class	vmscan
