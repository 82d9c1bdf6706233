// SPDX-License-Identifier: GPL-2.0
/*
 * returns.c: what a thunk's way out costs where instruction counts do not tell: in the processor's return predictor.
 *
 * The same sequences as in runtime/thunk.c, in user space: a function, DEPTH calls deep, whose first instruction calls a thunk
 * that calls its body. On the way out the return address into the body is left over. The thunk may skip it (then every return
 * of the callers is predicted wrongly, one level off), or return to a lone `ret` in its place, so that calls and returns
 * stay in balance. Prints the cycles that each adds to the DEPTH calls, minimum of many rounds, all in one run; status 1 if
 * leaving in balance adds more than a fifth of what the other form adds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define DEPTH	13
#define CALLS	200
#define ROUNDS	20000
#define GOAL	0.2

/* A chain of DEPTH functions for each form; the innermost begins with the call site. */
#define CHAIN(form, innermost) \
	asm(".text\n" \
	    ".balign 64\n" \
	    #form "_0:\n" innermost \
	    "body_" #form ":\n" \
	    "	addq	$1, counter(%rip)\n" \
	    "	ret\n" \
	    ".altmacro\n" \
	    ".macro " #form "_level from, to\n" \
	    #form "_\\from:\n" \
	    "	call	" #form "_\\to\n" \
	    "	addq	$1, other(%rip)\n" \
	    "	ret\n" \
	    ".endm\n" \
	    #form "_level 1, 0\n" #form "_level 2, 1\n" #form "_level 3, 2\n" #form "_level 4, 3\n" #form "_level 5, 4\n" \
	    #form "_level 6, 5\n" #form "_level 7, 6\n" #form "_level 8, 7\n" #form "_level 9, 8\n" #form "_level 10, 9\n" \
	    #form "_level 11, 10\n" #form "_level 12, 11\n" \
	    ".globl " #form "\n" \
	    #form ":\n" \
	    "	call	" #form "_12\n" \
	    "	ret\n"); \
	void form(void)

uint64_t counter, other;

CHAIN(plain, "	nopl	0(%rax,%rax,1)\n");
CHAIN(balanced, "	call	thunk_balanced\n");
CHAIN(skipping, "	call	thunk_skipping\n");

asm(".text\n"
    ".balign 64\n"
    "out:	ret\n"
    ".balign 64\n"
    "thunk_balanced:\n"
    "	pushq	%rax\n"
    "	call	body_balanced\n"
    "	leaq	out(%rip), %rcx\n"
    "	movq	%rcx, 8(%rsp)\n"
    "	addq	$8, %rsp\n"
    "	ret\n"
    ".balign 64\n"
    "thunk_skipping:\n"
    "	pushq	%rax\n"
    "	call	body_skipping\n"
    "	leaq	out(%rip), %rcx\n"
    "	addq	$16, %rsp\n"
    "	ret\n");

static uint64_t cycles(void)
{
	uint32_t low, high;

	asm volatile("lfence; rdtsc; lfence" : "=a" (low), "=d" (high));
	return (uint64_t)high << 32 | low;
}

static uint64_t once(void (*chain)(void))
{
	uint64_t from = cycles();

	for (int i = 0; i < CALLS; i++)
		chain();
	return cycles() - from;
}

int main(void)
{
	void (*const chains[])(void) = { plain, balanced, skipping };
	static const char *const names[] = { "nothing attached", "thunk, left in balance", "thunk, one return skipped" };
	uint64_t least[3] = { UINT64_MAX, UINT64_MAX, UINT64_MAX };
	double cost[3], ratio;

	/* Interleaved, so that what the machine does beside it meets all alike. */
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < 3; i++) {
			uint64_t t = once(chains[i]);

			if (t < least[i])
				least[i] = t;
		}
	}
	if (counter != 3ULL * ROUNDS * CALLS) {
		fprintf(stderr, "returns: the chains were called %llu times\n", (unsigned long long)counter);
		return 2;
	}
	printf("cycles of the time stamp counter for %d calls, one inside the other\n", DEPTH);
	for (int i = 0; i < 3; i++) {
		cost[i] = (double)least[i] / CALLS;
		printf("  %-28s %7.1f  %+7.1f\n", names[i], cost[i], cost[i] - cost[0]);
	}
	ratio = (cost[1] - cost[0]) / (cost[2] - cost[0]);
	printf("  balance adds %.2f of what skipping adds (goal: at most %.1f)\n", ratio, GOAL);
	return ratio > GOAL;
}
