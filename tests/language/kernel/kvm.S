/* SPDX-License-Identifier: GPL-2.0 */
/* kvm.S: a module with a function and with tracepoints, of whose systems its relocations tell. */
	.text
	.globl	kvm_vcpu_ioctl
	.type	kvm_vcpu_ioctl, @function
kvm_vcpu_ioctl:
	ret

	.data
	.globl	__tracepoint_kvm_exit
	.type	__tracepoint_kvm_exit, @object
__tracepoint_kvm_exit:
	.quad	0
	.type	event_kvm_exit, @object
event_kvm_exit:
	.quad	0, 0, class_kvm

	.globl	__tracepoint_kvm_entry
	.type	__tracepoint_kvm_entry, @object
__tracepoint_kvm_entry:
	.quad	0
	.type	event_kvm_entry, @object
event_kvm_entry:
	.quad	0, 0, class_kvm

	.type	class_kvm, @object
class_kvm:
	.quad	name

	.section .rodata.str1.1, "aMS", @progbits, 1
	.string	"other"
name:	.string	"kvm"
