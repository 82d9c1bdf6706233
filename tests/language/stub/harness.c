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
struct task_struct stub_task = { .real_parent = &parent, .cred = &cred }, init_task;
int stub_cpu;
static u64 elapsed;
unsigned long kstats_kernel_half = STUB_KERNEL;

/* objects.c, where a test has it: the bytes that can be read, and the address of the first argument. */
__attribute__((weak)) const void *objects(unsigned long *size, unsigned long *argument);

const void *stub_memory(u64 address, unsigned int size, bool user)
{
	unsigned long room = 0, argument;
	const char *begin = objects ? objects(&room, &argument) : NULL;
	u64 at = user ? address : address & ~STUB_KERNEL;

	if (!user && (address & STUB_KERNEL) != STUB_KERNEL)
		return NULL;
	return at >= (u64)begin && at + size <= (u64)begin + room ? (const void *)at : NULL;
}

void kstats_string(u64 *words, unsigned int nwords, u64 address, unsigned int max, bool user, bool *fault)
{
	char text[8 * KSTATS_STRING_WORDS] = {};

	for (unsigned int i = 0; i < max && i < sizeof(text); i++) {
		const char *c = stub_memory(address + i, 1, user);

		if (!c) {
			*fault = true;
			memset(text, 0, sizeof(text));
			break;
		}
		text[i] = *c;
		if (!*c)
			break;
	}
	memcpy(words, text, 8 * nwords);
}

u64 kstats_caller(const struct kstats_event *ev)
{
	return ev->regs->ip;
}

void kstats_stack(u64 *words, const struct kstats_event *ev)
{
	for (unsigned int i = 0; i < KSTATS_STACK_WORDS; i++)
		words[i] = i;
}

void kstats_tracepoint(void *data, const u64 *args)
{
}

void kstats_start(void *data, u64 key)
{
}

void kstats_end(void *data, u64 key)
{
}

void kstats_refuse(void *data, enum kstats_verdict verdict)
{
}

int stub_init(void);

static const char *said(enum kstats_verdict (*handler)(struct kstats_event *), struct kstats_event *ev)
{
	static const char *const words[] = { "take", "filter", "fault", "negative" };

	return handler ? words[handler(ev)] : "-";
}

int kstats_script_load(const struct kstats_script *script)
{
	for (unsigned int i = 0; i < script->nstatements; i++) {
		const struct kstats_statement *s = &script->statements[i];
		u64 data[KSTATS_DATA_WORDS] = {}, entry[KSTATS_ENTRY_WORDS] = {}, key[KSTATS_KEY_WORDS] = {};
		unsigned long size, argument = 0;
		struct pt_regs regs = { .ip = 0x1234, .ax = -2 };

		printf("%u", i + 1);
		for (unsigned int p = 0; p < s->npoints; p++) {
			struct kstats_event ev = { .elapsed = elapsed, .data = data, .entry = entry, .key = key, .regs = &regs };

			if (objects)
				objects(&size, &argument);
			regs.di = argument;
			if (s->points[p].enter)
				said(s->points[p].enter, &ev);
			if (s->points[p].where == KSTATS_RETURN)
				regs.di = 0;		/* by then it holds something else */
			printf(" %s", said(s->points[p].early, &ev));
			/* The two forms of an `if` say the same, of other arguments too. */
			for (u64 n = 0; s->points[p].refuses && n < 64; n++) {
				const struct pt_regs given = regs;

				regs.di = n;
				regs.si = n * 0x0101010101010101ULL;
				regs.dx = n << n;
				regs.cx = -n;
				regs.r8 = n % 7;
				regs.r9 = ~n;
				if (s->points[p].refuses(regs.di, regs.si, regs.dx, regs.cx, regs.r8, regs.r9) !=
				    (s->points[p].early(&ev) == KSTATS_FILTER))
					printf(" refuses-%llu", n);
				regs = given;
			}
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
