// SPDX-License-Identifier: GPL-2.0
/*
 * second.c: a second file of the small kernel, which means other things by some names of vmlinux.c, and has what that only
 * declares.
 */
#include "types.h"

enum second { DOUBLED = 2, ALIKE = 7 };

struct gendisk {
	int major;
	char disk_name[32];
};

struct request_queue {
	void *elevator;
	struct gendisk *disk;
	u32 nr_requests;
};

static __attribute__((used)) u64 twin_table[2];

void take_second(enum second s, struct request_queue *q);
void take_second(enum second s, struct request_queue *q)
{
}

static __attribute__((used, noinline)) int twin(const char *name)
{
	return 0;
}

static __attribute__((used, noinline)) int seq_show(void *m, void *v)
{
	return 0;
}
