// SPDX-License-Identifier: GPL-2.0
/*
 * vmlinux.c: the prototypes of the small kernel, whose addresses System.map has. It is compiled for the BTF that this
 * gives (./make), never run. What System.map has and this has not is a function of which no type is known.
 */
#include "types.h"

/* A prototype becomes BTF where there is a function. */
#define GIVES(type, name, ...)	type name(__VA_ARGS__); type name(__VA_ARGS__) { return *(type *)0; }
#define NOTHING(name, ...)	void name(__VA_ARGS__); void name(__VA_ARGS__) { }
#define HIDDEN(type, name, ...) \
	static __attribute__((used, noinline)) type name(__VA_ARGS__) { return *(type *)0; }
#define PER_CPU			__attribute__((section(".data..percpu")))

/* ---- variables ---- */

PER_CPU struct rq runqueues;
PER_CPU struct task_struct *current_task;
PER_CPU int cpu_number;
struct task_struct init_task;
int sysctl_vals[12];
unsigned long total_forks;
char *saved_command_line;
struct all_kinds everything;
static __attribute__((used)) int twin_table[4];		/* second.c has one, too */

/* A static of a function: the symbol table has a number behind its name. */
int counts_in_a_table(void);
int counts_in_a_table(void)
{
	static int some_table[4];

	return ++some_table[2];
}

/* ---- functions ---- */

GIVES(long, vfs_read, struct file *file, char *buf, unsigned long count, s64 *pos)
GIVES(long, vfs_write, struct file *file, const char *buf, unsigned long count, s64 *pos)
GIVES(int, vfs_open, const struct path *path, struct file *file)
GIVES(int, vfs_fsync_range, struct file *file, s64 start, s64 end, int datasync)
GIVES(int, vfs_unlink, struct inode *dir, struct dentry *dentry)
HIDDEN(long, ext4_file_read_iter, struct kiocb *iocb, void *to)
GIVES(int, ext4_sync_file, struct file *file, s64 start, s64 end, int datasync)
GIVES(struct dentry *, d_lookup, const struct dentry *parent, const struct qstr *name)
GIVES(void *, __kmalloc, unsigned long size, gfp_t flags)
NOTHING(kfree, const void *object)
HIDDEN(int, try_to_wake_up, struct task_struct *p, unsigned int state, int wake_flags)
HIDDEN(int, do_sysinfo, void *info)
NOTHING(schedule, void)
NOTHING(mutex_lock, struct mutex *lock)
NOTHING(mutex_unlock, struct mutex *lock)
GIVES(unsigned long, int_sqrt, unsigned long x)
GIVES(int, tcp_sendmsg, struct sock *sk, void *msg, unsigned long size)
NOTHING(tcp_rcv_established, struct sock *sk, struct sk_buff *skb)
NOTHING(do_exit, long code)
NOTHING(take_many, u8 a, s16 b, _Bool c, enum state d, char e, u64 f, int g, s16 h, struct task_struct *i)
NOTHING(take_values, struct small s, struct pair16 p, struct big24 b, union either e, int last)
NOTHING(take_edge, int a, int b, int c, int d, int e, struct pair16 p, int g, int h)
NOTHING(take_odd, struct packed_bits odd, int next)
NOTHING(take_float, int a, double b, int c)
NOTHING(take_ratio, struct ratio r, int b)
NOTHING(take_huge, __int128 a, int b)
NOTHING(take_all, struct all_kinds *a, const struct all_kinds *const b, int (*call)(int), void *opaque,
	struct forward *nowhere, struct request *rq)
NOTHING(take_array, int numbers[4], char **names, struct all_kinds **list)
NOTHING(take_any, const char *format, ...)
NOTHING(take_17, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8, long a9, long a10, long a11,
	long a12, long a13, long a14, long a15, long a16, long a17)
GIVES(struct pair16, give_pair, int x)
GIVES(struct small, give_small, int x)
GIVES(_Bool, give_bool, int x)
GIVES(u8, give_u8, int x)
GIVES(s16, give_s16, int x)
GIVES(unsigned int, give_unsigned, int x)
GIVES(enum state, give_state, int x)

/* The compiler's numbers of an enum that two files define otherwise: see second.c. */
enum first { DOUBLED = 1, ALIKE = 7 };
NOTHING(take_first, enum first f)
HIDDEN(int, twin, int a)
HIDDEN(int, seq_show, void *m, void *v)

/* ---- system calls: all that their entries tell ---- */

GIVES(long, __x64_sys_openat, const struct pt_regs *regs)
GIVES(long, __ia32_sys_openat, const struct pt_regs *regs)
GIVES(long, __ia32_compat_sys_openat, const struct pt_regs *regs)
GIVES(long, __x64_sys_kill, const struct pt_regs *regs)
GIVES(long, __ia32_sys_kill, const struct pt_regs *regs)
GIVES(long, __x64_sys_sync, const struct pt_regs *regs)

/* ---- tracepoints ---- */

GIVES(int, __traceiter_sched_switch, void *data, _Bool preempt, struct task_struct *prev, struct task_struct *next,
      unsigned int prev_state)
GIVES(int, __traceiter_sched_wakeup, void *data, struct task_struct *p)
GIVES(int, __traceiter_sched_wakeup_new, void *data, struct task_struct *p)
GIVES(int, __traceiter_sched_migrate_task, void *data, struct task_struct *p, int dest_cpu)
GIVES(int, __traceiter_irq_handler_entry, void *data, int irq, struct irqaction *action)
GIVES(int, __traceiter_irq_handler_exit, void *data, int irq, struct irqaction *action, int ret)
GIVES(int, __traceiter_softirq_entry, void *data, unsigned int vec_nr)
GIVES(int, __traceiter_softirq_exit, void *data, unsigned int vec_nr)
GIVES(int, __traceiter_softirq_raise, void *data, unsigned int vec_nr)
GIVES(int, __traceiter_sys_enter, void *data, struct pt_regs *regs, long id)
GIVES(int, __traceiter_sys_exit, void *data, struct pt_regs *regs, long ret)
GIVES(int, __traceiter_block_rq_issue, void *data, struct request *rq)
GIVES(int, __traceiter_block_rq_insert, void *data, struct request *rq)
GIVES(int, __traceiter_block_rq_complete, void *data, struct request *rq, blk_status_t error, unsigned int nr_bytes)
GIVES(int, __traceiter_kmem_cache_alloc, void *data, unsigned long call_site, const void *ptr, struct kmem_cache *s,
      gfp_t gfp_flags, int node)
GIVES(int, __traceiter_passes_value, void *data, struct small s)

/* Of these the types only: the names stand in headers/, or nowhere. */
typedef void (*btf_trace_timer_start)(void *data, void *timer, unsigned long expires, unsigned int flags);
typedef void (*btf_trace_sched_process_exit)(void *data, struct task_struct *p);
btf_trace_timer_start *typedef_user_1;
btf_trace_sched_process_exit *typedef_user_2;
