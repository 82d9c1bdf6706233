// SPDX-License-Identifier: GPL-2.0
/*
 * floor_hit.c: empty functions and tracepoints of our own, to time the mechanisms with.
 *
 * What thunks are tried on has no call site of ftrace's, but one of a static call: the same five bytes at a function's
 * beginning, a nop or a call of the thunk. So the same instructions run as in any function, and turning them takes no
 * registration, no grace period and no thunk that has to be drained, since nobody comes by but who turned them. (With ftrace's
 * own it would take some hundred ms to let go of it, at each load; kept attached, it would forbid `ftrace_enabled = 0` to
 * everybody while kstats.ko is loaded.)
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/tracepoint.h>
#include "floor_hit.h"

/* The numbers are there lest the compiler makes them one. */
#define EMPTY(n) \
	noinline void ks_floor_empty_##n(void) \
	{ \
		asm volatile("# %c0" : : "i" (n) : "memory"); \
	}
void ks_floor_empty_0(void);
void ks_floor_empty_1(void);
EMPTY(0)
EMPTY(1)

static void (*const empty[])(void) = { ks_floor_empty_0, ks_floor_empty_1 };

unsigned long ks_hit_function(unsigned int i)
{
	return (unsigned long)empty[i];
}

/* With an instruction for a breakpoint: the kernel need not step over it, as over most. */
void ks_floor_instruction(void);
noinline void ks_floor_instruction(void)
{
	asm volatile("nop; nop" : : : "memory");
}

/* Where a function's call site is: behind an ENDBR, where it has one. */
static unsigned int call_site_of(unsigned long function)
{
#if KS_DIRECT
	return ks_is_endbr((void *)function) ? ENDBR_INSN_SIZE : 0;
#else
	return 0;
#endif
}

unsigned long ks_hit_instruction(unsigned int *offset)
{
	*offset = call_site_of((unsigned long)ks_floor_instruction) + 5;
	return (unsigned long)ks_floor_instruction;
}

bool ks_hit_is_traced(void)
{
#if KS_DIRECT
	unsigned int i;
	u8 code;

	for (i = 0; i < ARRAY_SIZE(empty); i++) {
		unsigned long function = ks_hit_function(i);

		if (!copy_from_kernel_nofault(&code, (void *)function + call_site_of(function), 1) && code == 0xe8)
			return true;
	}
#endif
	return false;
}

DECLARE_TRACE(kstats_floor_0, TP_PROTO(int nothing), TP_ARGS(nothing));
DECLARE_TRACE(kstats_floor_1, TP_PROTO(int nothing), TP_ARGS(nothing));
KS_DEFINE_TRACE(kstats_floor_0, TP_PROTO(int nothing), TP_ARGS(nothing));
KS_DEFINE_TRACE(kstats_floor_1, TP_PROTO(int nothing), TP_ARGS(nothing));

const char *const ks_hit_tracepoint[2] = { KS_TRACE_TEXT(kstats_floor_0), KS_TRACE_TEXT(kstats_floor_1) };

#if KS_DIRECT
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <linux/static_call.h>

#define SITE(n) \
	DEFINE_STATIC_CALL_NULL(ks_floor_##n, ks_floor_empty_##n); \
	asm("	.pushsection .kprobes.text, \"ax\"\n" \
	    "	.balign	16\n" \
	    "	.type	ks_floor_site_" #n ", @function\n" \
	    "ks_floor_site_" #n ":\n" \
	    ANNOTATE_NOENDBR "\n" \
	    "	call	__SCT__ks_floor_" #n "\n" \
	    ASM_RET \
	    "	.size	ks_floor_site_" #n ", . - ks_floor_site_" #n "\n" \
	    "	.popsection\n"); \
	void ks_floor_site_##n(void);
SITE(0)
SITE(1)

unsigned long ks_hit_site(unsigned int i)
{
	return i ? (unsigned long)ks_floor_site_1 : (unsigned long)ks_floor_site_0;
}

void ks_hit_aim(unsigned int i, unsigned long code)
{
	if (i)
		__static_call_update(&STATIC_CALL_KEY(ks_floor_1), STATIC_CALL_TRAMP_ADDR(ks_floor_1), (void *)code);
	else
		__static_call_update(&STATIC_CALL_KEY(ks_floor_0), STATIC_CALL_TRAMP_ADDR(ks_floor_0), (void *)code);
}
#else
#define ks_floor_site_0	ks_floor_empty_0
#define ks_floor_site_1	ks_floor_empty_1
#endif

/* As who calls two functions in turn: nothing stands between one's return and the other's entry. */
#define FUNCTION(n)	ks_floor_empty_##n()
#define SITE_OF(n)	ks_floor_site_##n()
#define TRACEPOINT(n)	KS_TRACE(kstats_floor_##n)(0)

#define LOOP(name, first, second) \
	static noinline notrace void name(unsigned int n) \
	{ \
		while (n--) { \
			first; \
			second; \
		} \
	}
#define LOOPS(name, first) \
	LOOP(name##_alone, first, ) \
	LOOP(name##_function, first, FUNCTION(1)) \
	LOOP(name##_site, first, SITE_OF(1)) \
	LOOP(name##_tracepoint, first, TRACEPOINT(1))
LOOPS(function, FUNCTION(0))
LOOPS(site, SITE_OF(0))
LOOPS(tracepoint, TRACEPOINT(0))
LOOP(instruction_alone, ks_floor_instruction(), )

void ks_hit_run(enum ks_hit from, enum ks_hit to, unsigned int n)
{
	static void (*const loops[KS_HITS][KS_HITS + 1])(unsigned int n) = {
		[KS_HIT_FUNCTION] = { function_function, function_site, function_tracepoint, NULL, function_alone },
		[KS_HIT_SITE] = { site_function, site_site, site_tracepoint, NULL, site_alone },
		[KS_HIT_TRACEPOINT] = { tracepoint_function, tracepoint_site, tracepoint_tracepoint, NULL, tracepoint_alone },
		[KS_HIT_INSTRUCTION] = { [KS_HITS] = instruction_alone },
	};

	loops[from][to](n);
}
