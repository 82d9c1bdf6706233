/* SPDX-License-Identifier: GPL-2.0 */
/* linux/syscalls.h: declarations of the small kernel's system calls, in the form that the kernel's have. */
#ifndef SMALL_SYSCALLS_H
#define SMALL_SYSCALLS_H

struct odd;

asmlinkage long sys_openat(int dfd, const char __user *filename, int flags,
			   umode_t mode);
asmlinkage long sys_kill(pid_t pid, int sig);
asmlinkage long sys_sync(void);
asmlinkage long sys_close(unsigned int fd);
asmlinkage long sys_odd(struct never_seen value);

#endif
