// SPDX-License-Identifier: GPL-2.0
/*
 * harness.c: what kstats.ko is to a generated file, for expr.t: it runs each handler once, with the numbers given on the
 * command line (pid tid ppid uid cpu comm elapsed), and prints a line a statement: verdicts and data.
 */
#include <stdio.h>
#include <stdlib.h>
#include "script.h"

static struct task_struct parent;
static struct cred cred;
struct task_struct stub_task = { .real_parent = &parent, .cred = &cred };
int stub_cpu;
static u64 elapsed;

int stub_init(void);

static const char *said(enum kstats_verdict (*handler)(struct kstats_event *), struct kstats_event *ev)
{
	static const char *const words[] = { "take", "filter", "fault" };

	return handler ? words[handler(ev)] : "-";
}

int kstats_script_load(const struct kstats_script *script)
{
	for (unsigned int i = 0; i < script->nstatements; i++) {
		const struct kstats_statement *s = &script->statements[i];
		u64 data[KSTATS_DATA_WORDS] = {};

		printf("%u", i + 1);
		for (unsigned int p = 0; p < s->npoints; p++) {
			struct kstats_event ev = { .elapsed = elapsed, .data = data };

			printf(" %s", said(s->points[p].early, &ev));
			printf(" %s", said(s->points[p].late, &ev));
		}
		for (unsigned int w = 0; w < s->data_words; w++)
			printf(" %llx", data[w]);
		printf("\n");
	}
	return 0;
}

void kstats_script_unload(const struct kstats_script *script)
{
}

int main(int argc, char **argv)
{
	if (argc != 8)
		return 2;
	stub_task.tgid = atoi(argv[1]);
	stub_task.pid = atoi(argv[2]);
	parent.tgid = atoi(argv[3]);
	cred.uid.val = strtoul(argv[4], NULL, 0);
	stub_cpu = atoi(argv[5]);
	memset(stub_task.comm, 'x', sizeof(stub_task.comm));	/* what is behind the end is not zero */
	memcpy(stub_task.comm, argv[6], strnlen(argv[6], 15) + 1);
	elapsed = strtoull(argv[7], NULL, 0);
	return stub_init();
}
