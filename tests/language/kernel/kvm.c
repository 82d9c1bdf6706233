// SPDX-License-Identifier: GPL-2.0
/* kvm.c: the types of the module kvm: its BTF stands on vmlinux's. */
#include "types.h"

struct kvm_vcpu {
	struct task_struct *owner;
	int vcpu_id;
	u64 exits;
};

enum kvm_reason { KVM_REASON_HLT = 12, KVM_REASON_IO = 30, ALIKE = 7 };

long kvm_vcpu_ioctl(struct file *filp, unsigned int ioctl, unsigned long arg);
long kvm_vcpu_ioctl(struct file *filp, unsigned int ioctl, unsigned long arg)
{
	return 0;
}

int __traceiter_kvm_exit(void *data, struct kvm_vcpu *vcpu, enum kvm_reason reason);
int __traceiter_kvm_exit(void *data, struct kvm_vcpu *vcpu, enum kvm_reason reason)
{
	return 0;
}
