// SPDX-License-Identifier: GPL-2.0
/*
 * exits.c: exits N: a virtual machine of one CPU and one page, which writes N times to a port and halts N times (works.sh).
 * Run in the guest, whose processor must have virtualization and kvm.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

/* 16-bit: out %al, $0x10; hlt; jmp back. Without an interrupt controller in the kernel a halt exits to us. */
static const unsigned char code[] = { 0xe6, 0x10, 0xf4, 0xeb, 0xfb };

static int call(int fd, unsigned long request, void *arg, const char *what)
{
	int got = ioctl(fd, request, arg);

	if (got < 0)
		err(1, "%s", what);
	return got;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100, ports = 0, halts = 0;
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC), vm, cpu;
	struct kvm_userspace_memory_region memory = { .memory_size = 4096, .guest_phys_addr = 4096 };
	struct kvm_regs regs = { .rip = 4096, .rflags = 2 };
	struct kvm_sregs sregs;
	struct kvm_run *run;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (kvm < 0)
		err(1, "/dev/kvm");
	vm = call(kvm, KVM_CREATE_VM, NULL, "a virtual machine");
	memcpy(page, code, sizeof(code));
	memory.userspace_addr = (unsigned long)page;
	call(vm, KVM_SET_USER_MEMORY_REGION, &memory, "its memory");
	cpu = call(vm, KVM_CREATE_VCPU, NULL, "its processor");
	run = mmap(NULL, call(kvm, KVM_GET_VCPU_MMAP_SIZE, NULL, "size"), PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	call(cpu, KVM_GET_SREGS, &sregs, "registers");
	sregs.cs.base = sregs.cs.selector = 0;
	call(cpu, KVM_SET_SREGS, &sregs, "registers");
	call(cpu, KVM_SET_REGS, &regs, "registers");
	while (ports < n || halts < n) {
		call(cpu, KVM_RUN, NULL, "to run it");
		if (run->exit_reason == KVM_EXIT_IO)
			ports++;
		else if (run->exit_reason == KVM_EXIT_HLT)
			halts++;
		else
			errx(1, "it ended with exit reason %u", run->exit_reason);
	}
	return 0;
}
