/* SPDX-License-Identifier: GPL-2.0 */
/*
 * types.h: the types of the small kernel: named as some of the kernel's are, and as many-sided as those. Included by what
 * becomes its BTF (vmlinux.c and the modules), and by ../offsets.t, which asks the compiler where everything lies.
 */
#ifndef SMALL_TYPES_H
#define SMALL_TYPES_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
typedef unsigned short __be16;
typedef unsigned int __be32;
typedef unsigned int gfp_t;
typedef unsigned short umode_t;
typedef u8 blk_status_t;
typedef int pid_t;

struct list_head {
	struct list_head *next, *prev;
};

/* ---- bit-fields ---- */

struct bits {
	u32 one : 1, seven : 7;
	s32 five : 5;			/* signed, in the same word */
	u32 rest : 19;
	u64 wide : 33, high : 31;
	s64 deep : 40;
	u8 small : 3, : 2, upper : 3;	/* with a hole */
	_Bool flag : 1;
	u32 whole : 32;
};

struct packed_bits {
	u8 lead;
	u32 low : 13, straddling : 27;	/* from one word into the next */
	s32 minus : 9;
	u16 behind;			/* at an odd address */
} __attribute__((packed));

/* ---- enums ---- */

enum state { STATE_IDLE, STATE_BUSY = 5, STATE_DEAD = -1 };
enum mq_rq_state { MQ_RQ_IDLE, MQ_RQ_IN_FLIGHT, MQ_RQ_COMPLETE };
enum { NAMELESS = 17, NAMELESS_TOO };
enum byte_size { BYTE_ZERO, BYTE_MANY = 200 } __attribute__((packed));

/* ---- everything else that may be in a structure ---- */

struct forward;				/* is nowhere */
struct request_queue;			/* is in another file */
struct gendisk;

struct inner {
	int first;
	union {
		u32 word;
		u8 bytes[4];
	};
	struct {
		s16 deep;
		struct {
			s8 deeper;
		};
	} named;
};

struct all_kinds {
	_Bool yes;
	char letter;
	signed char small;
	unsigned char usmall;
	s16 s;
	u16 us;
	s32 i;
	u32 ui;
	long l;
	unsigned long ul;
	s64 ll;
	u64 ull;
	__be16 port;
	enum state state;
	enum byte_size bytes;
	enum { ALL_KINDS_ONE = 1 } own;
	double ratio;
	__int128 huge;
	const volatile int often;
	int array[5];
	int grid[3][4];
	char text[20];
	unsigned char utext[8];
	char one[1];
	const char *name;
	char **names;
	void *anything;
	int *numbers;
	struct all_kinds *self, **selves;
	struct all_kinds *many[3];
	struct inner inner, inners[2];
	int (*call)(struct all_kinds *a, int b);
	struct forward *forward;
	struct {
		int anonymous;
		union {
			u64 as_number;
			void *as_pointer;
		};
	};
	struct bits bits;
	struct packed_bits packed;
	u32 n;
	u64 flexible[];
};

/* ---- arguments by value ---- */

struct small {
	u32 x;
	s16 y;
	u16 z : 9, w : 7;
};

struct pair16 {
	u64 a;
	s32 b;
	u32 c;
};

struct big24 {
	u64 a, b, c;
};

union either {
	u32 number;
	void *pointer;
};

struct ratio {
	double of;
};

/* ---- what carries names of the kernel ---- */

struct qstr {
	union {
		struct {
			u32 hash, len;
		};
		u64 hash_len;
	};
	const unsigned char *name;
};

struct super_block {
	struct list_head s_list;
	u64 s_maxbytes;
	char s_id[32];
};

struct inode {
	umode_t i_mode;
	u32 i_uid;
	struct super_block *i_sb;
	unsigned long i_ino;
	s64 i_size;
};

struct dentry {
	u32 d_flags;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	char d_iname[40];
};

struct path {
	void *mnt;
	struct dentry *dentry;
};

struct file {
	union {
		struct list_head f_list;
		u64 f_rcu;
	};
	struct path f_path;
	struct inode *f_inode;
	u32 f_flags;
	u32 f_mode;
	s64 f_pos;
	void *private_data;
};

struct kiocb {
	struct file *ki_filp;
	s64 ki_pos;
	int ki_flags;
};

struct cred {
	u32 uid, gid;
};

struct kernfs_node {
	const char *name;
	u64 id;
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct task_struct {
	u32 __state;
	void *stack;
	int prio, static_prio;
	pid_t pid, tgid;
	struct task_struct *real_parent;
	struct list_head children;
	u64 utime, stime;
	const struct cred *cred;
	char comm[16];
	u32 in_iowait : 1, frozen : 1;
	s32 nice : 6;
	struct css_set *cgroups;
};

struct rq {
	u32 nr_running;
	struct task_struct *curr;
	struct {
		u64 clock;
		s64 skew;
	} time;
};

struct request {
	struct request_queue *q;
	u32 cmd_flags;
	enum mq_rq_state state;
	u32 __data_len;
	u64 __sector;
};

struct irqaction {
	void *handler;
	const char *name;
};

struct kmem_cache {
	u32 size;
	const char *name;
};

struct net_device {
	char name[16];
	int ifindex;
	int (*xmit)(struct net_device *dev);
};

struct sk_buff {
	struct net_device *dev;
	u32 len, data_len;
	__be16 protocol;
	u8 pkt_type : 3, ignore_df : 1, : 0;
	u8 cloned : 1;
	unsigned char *head, *data;
};

struct sock_common {
	union {
		u64 skc_addrpair;
		struct {
			__be32 skc_daddr, skc_rcv_saddr;
		};
	};
	union {
		u32 skc_portpair;
		struct {
			__be16 skc_dport;
			u16 skc_num;
		};
	};
	u16 skc_family;
};

struct sock {
	struct sock_common __sk_common;
	u32 sk_rcvbuf;
};

struct tcp_sock {
	struct sock inet;
	u32 srtt_us;
};

struct mutex {
	u64 owner;
};

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

#endif /* SMALL_TYPES_H */
