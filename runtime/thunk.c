// SPDX-License-Identifier: GPL-2.0
/*
 * thunk.c: the thunks' code (see thunk.h), and where each one's entry, static call and return are.
 *
 * What the code may clobber: at a function's entry r10, r11 and rax (no variadic function gets a frame; none here passes
 * vector registers), and once it has returned, all that a function may, but for its result in rax and rdx. (Kernels that are
 * traced by fentry are compiled without inter-procedural register allocation.)
 *
 * Stack traces pass through: objtool's tables know these frames, whose return address is the one into the function's body, at
 * which the function's own frame begins.
 */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/stddef.h>
#include <linux/stringify.h>
#include <asm/asm.h>
#include "record.h"
#include "thunk.h"

#if KS_DIRECT
#include <linux/linkage.h>
#include <linux/static_call.h>
#include <asm/unwind_hints.h>

/* As numbers, for the code. */
#define BYTES	256
#define FRAME	360
#define AREA	256
#define REGS	104
#define KEYS	80
#define OWN	8	/* in struct ks_cpu */
#define HITS	24
#define FILTERED 40

static_assert(sizeof(struct ks_thunk) == BYTES);
static_assert(offsetof(struct ks_thunk, counts) == 0);
static_assert(offsetof(struct ks_thunk, cpu) == 8);
static_assert(offsetof(struct ks_thunk, measure) == 16);
static_assert(offsetof(struct ks_thunk_keys, key) == offsetof(struct ks_thunk_keys, start) + 8);
static_assert(offsetof(struct ks_thunk_keys, body) == KEYS);
static_assert(offsetof(struct ks_cpu, own.n) == OWN);
static_assert(offsetof(struct ks_cpu, term[KSTATS_HITS]) == HITS);
static_assert(offsetof(struct ks_cpu, term[KSTATS_FILTERED]) == FILTERED);
static_assert(offsetof(struct ks_thunk_counts, exits) == 8);
static_assert(offsetof(struct ks_thunk_frame, r9) == AREA);
static_assert(offsetof(struct ks_thunk_frame, body) == FRAME);
static_assert(offsetof(struct ks_thunk_registers, body) == REGS);

struct ks_thunk ks_thunks[KS_THUNKS_ALL];

void ks_thunk_nothing(void);
void ks_thunk_nothing(void)
{
}

/* At @base(%rsp), in the order of struct pt_regs. */
#define SAVE(base) \
	"	movq	%r9, " #base "(%rsp)\n" \
	"	movq	%r8, 8+" #base "(%rsp)\n" \
	"	movq	%rcx, 24+" #base "(%rsp)\n" \
	"	movq	%rdx, 32+" #base "(%rsp)\n" \
	"	movq	%rsi, 40+" #base "(%rsp)\n" \
	"	movq	%rdi, 48+" #base "(%rsp)\n"

#define RESTORE(base) \
	"	movq	" #base "(%rsp), %r9\n" \
	"	movq	8+" #base "(%rsp), %r8\n" \
	"	movq	24+" #base "(%rsp), %rcx\n" \
	"	movq	32+" #base "(%rsp), %rdx\n" \
	"	movq	40+" #base "(%rsp), %rsi\n" \
	"	movq	48+" #base "(%rsp), %rdi\n"

#define CALL_C(function, n) \
	"	movq	%rsp, %rsi\n" \
	"	movq	$ks_thunks+" #n "*256, %rdi\n" \
	"	call	" #function "\n"

#define BEGIN(name) \
	"	.type	" #name ", @function\n" \
	#name ":\n" \
	ANNOTATE_NOENDBR "\n"

#define END(name) \
	"	.size	" #name ", . - " #name "\n"

/* No script refuses anything. Every register stays but rax. */
asm("	.pushsection .kprobes.text, \"ax\"\n"
    "	.balign	16\n"
    BEGIN(ks_thunk_take)
    "	xorl	%eax, %eax\n"
    ASM_RET
    END(ks_thunk_take)
    "	.popsection\n");
void ks_thunk_take(void);

/* The lone `ret`. Who unwinds looks one byte before a return address. */
asm("	.pushsection .kprobes.text, \"ax\"\n"
    "	.balign	16\n"
    BEGIN(ks_thunk_out_code)
    "	nop\n"
    "ks_thunk_out:\n"
    ANNOTATE_NOENDBR "\n"
    ASM_RET
    END(ks_thunk_out_code)
    "	.popsection\n");

#define SIFT(name, then, n) \
	"	.balign	16\n" \
	BEGIN(ks_thunk_##name##_##n) \
	"	call	__SCT__ks_ask_" #n "\n" \
	"	testb	%al, %al\n" \
	"	je	ks_thunk_" #then "_" #n "\n" \
	"	movq	ks_thunks+8+" #n "*256(%rip), %rax\n" \
	"	incq	%gs:24(%rax)\n" \
	"	incq	%gs:40(%rax)\n" \
	ASM_RET \
	END(ks_thunk_##name##_##n)

#define CODE(n) \
	asm("	.pushsection .kprobes.text, \"ax\"\n" \
	    "	.balign	16\n" \
	    BEGIN(ks_thunk_fast_##n) \
	    "	movq	ks_thunks+" #n "*256(%rip), %rax\n" \
	    "	incq	%gs:(%rax)\n" \
	    "	movq	%rdx, %r11\n" \
	    "	rdtsc\n" \
	    "	shlq	$32, %rdx\n" \
	    "	orq	%rdx, %rax\n" \
	    "	pushq	%rax\n" \
	    "	movq	%r11, %rdx\n" \
	    KS_CALL_DEPTH_ACCOUNT \
	    "	call	__SCT__ks_body_" #n "\n" \
	    "ks_thunk_fast_back_" #n ":\n" \
	    ANNOTATE_NOENDBR "\n" \
	    "	popq	%rsi\n" \
	    "	pushq	%rax\n" \
	    "	movq	$ks_thunks+" #n "*256, %rdi\n" \
	    "	call	ks_direct_timed\n" \
	    "	popq	%rax\n" \
	    "	movq	$ks_thunk_out, (%rsp)\n" \
	    ASM_RET \
	    END(ks_thunk_fast_##n) \
	    \
	    "	.balign	16\n" \
	    BEGIN(ks_thunk_keyed_##n) \
	    "	movq	ks_thunks+" #n "*256(%rip), %rax\n" \
	    "	incq	%gs:(%rax)\n" \
	    "	subq	$72, %rsp\n" \
	    "	pushq	%rsp\n" \
	    KS_CALL_DEPTH_ACCOUNT \
	    "	call	__SCT__ks_ask_" #n "\n" \
	    "	movq	%rdx, %r11\n" \
	    "	rdtsc\n" \
	    "	shlq	$32, %rdx\n" \
	    "	orq	%rdx, %rax\n" \
	    "	movq	%rax, (%rsp)\n" \
	    "	movq	%r11, %rdx\n" \
	    KS_CALL_DEPTH_ACCOUNT \
	    "	call	__SCT__ks_body_" #n "\n" \
	    "ks_thunk_keyed_back_" #n ":\n" \
	    ANNOTATE_NOENDBR "\n" \
	    "	movq	%rax, 72(%rsp)\n" \
	    "	leaq	8(%rsp), %rsi\n" \
	    "	movq	$ks_thunks+" #n "*256, %rdi\n" \
	    "	call	ks_direct_keyed\n" \
	    "	movq	72(%rsp), %rax\n" \
	    "	movq	$ks_thunk_out, 80(%rsp)\n" \
	    "	addq	$80, %rsp\n" \
	    ASM_RET \
	    END(ks_thunk_keyed_##n) \
	    \
	    "	.balign	16\n" \
	    BEGIN(ks_thunk_full_##n) \
	    "	subq	$360, %rsp\n" \
	    SAVE(256) \
	    CALL_C(ks_direct_enter, n) \
	    "	testb	%al, %al\n" \
	    "	je	1f\n" \
	    RESTORE(256) \
	    KS_CALL_DEPTH_ACCOUNT \
	    "	call	__SCT__ks_body_" #n "\n" \
	    "ks_thunk_full_back_" #n ":\n" \
	    ANNOTATE_NOENDBR "\n" \
	    "	movq	%rax, 272(%rsp)\n" \
	    "	movq	%rdx, 288(%rsp)\n" \
	    CALL_C(ks_direct_leave, n) \
	    "	movq	272(%rsp), %rax\n" \
	    "	movq	288(%rsp), %rdx\n" \
	    "	movq	$ks_thunk_out, 360(%rsp)\n" \
	    "	addq	$360, %rsp\n" \
	    ASM_RET \
	    "1:\n" \
	    RESTORE(256) \
	    "	addq	$360, %rsp\n" \
	    ASM_RET \
	    END(ks_thunk_full_##n) \
	    \
	    "	.balign	16\n" \
	    BEGIN(ks_thunk_pass_##n) \
	    "	subq	$104, %rsp\n" \
	    SAVE(0) \
	    CALL_C(ks_direct_pass, n) \
	    RESTORE(0) \
	    "	addq	$104, %rsp\n" \
	    ASM_RET \
	    END(ks_thunk_pass_##n) \
	    \
	    "	.balign	16\n" \
	    BEGIN(ks_thunk_lean_##n) \
	    "	pushq	%rdi\n" \
	    "	pushq	%rsi\n" \
	    "	pushq	%rdx\n" \
	    "	pushq	%rcx\n" \
	    "	pushq	%r8\n" \
	    "	pushq	%r9\n" \
	    "	movq	ks_thunks+16+" #n "*256(%rip), %rdi\n" \
	    "	call	__SCT__ks_ask_" #n "\n" \
	    "	popq	%r9\n" \
	    "	popq	%r8\n" \
	    "	popq	%rcx\n" \
	    "	popq	%rdx\n" \
	    "	popq	%rsi\n" \
	    "	popq	%rdi\n" \
	    ASM_RET \
	    END(ks_thunk_lean_##n) \
	    \
	    "	.balign	16\n" \
	    BEGIN(ks_thunk_count_##n) \
	    "	movq	ks_thunks+8+" #n "*256(%rip), %rax\n" \
	    "	incq	%gs:24(%rax)\n" \
	    "	incq	%gs:8(%rax)\n" \
	    ASM_RET \
	    END(ks_thunk_count_##n) \
	    \
	    SIFT(sift, full, n) \
	    SIFT(sieve, pass, n) \
	    "	.popsection\n");

#define DECLARE(n) \
	DEFINE_STATIC_CALL(ks_body_##n, ks_thunk_nothing); \
	DEFINE_STATIC_CALL(ks_ask_##n, ks_thunk_take); \
	CODE(n) \
	extern char ks_thunk_fast_##n[], ks_thunk_full_##n[], ks_thunk_pass_##n[], ks_thunk_lean_##n[], ks_thunk_count_##n[]; \
	extern char ks_thunk_keyed_##n[], ks_thunk_sift_##n[], ks_thunk_sieve_##n[]; \
	extern char ks_thunk_fast_back_##n[], ks_thunk_keyed_back_##n[], ks_thunk_full_back_##n[];

/* Numbers are octal, for the assembler too. */
#define TIMES_8(X, n)	X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define TIMES_64(X, n)	TIMES_8(X, n##0) TIMES_8(X, n##1) TIMES_8(X, n##2) TIMES_8(X, n##3) \
			TIMES_8(X, n##4) TIMES_8(X, n##5) TIMES_8(X, n##6) TIMES_8(X, n##7)
#define ALL(X)		TIMES_64(X, 00) TIMES_64(X, 01)

ALL(DECLARE)

/*
 * shared. What follows the push is a jump, as ever where a body begins; to objtool it is the return of a function whose return
 * address that is.
 */
asm("	.pushsection .kprobes.text, \"ax\"\n"
    "	.balign	16\n"
    BEGIN(ks_shared_begin)
    "	pushq	%r11\n"
    UNWIND_HINT_FUNC
    ASM_RET
    END(ks_shared_begin)
    "	.popsection\n");

#define SHARED(name, function, n) \
	asm("	.pushsection .kprobes.text, \"ax\"\n" \
	    "	.balign	16\n" \
	    BEGIN(ks_##name##_##n) \
	    "	movq	ks_thunks+" #n "*256(%rip), %rax\n" \
	    "	incq	%gs:(%rax)\n" \
	    "	movq	(%rsp), %r11\n" \
	    "	movq	%rdx, %r10\n" \
	    "	rdtsc\n" \
	    "	shlq	$32, %rdx\n" \
	    "	orq	%rdx, %rax\n" \
	    "	pushq	%rax\n" \
	    "	movq	%r10, %rdx\n" \
	    KS_CALL_DEPTH_ACCOUNT \
	    "	call	ks_shared_begin\n" \
	    "ks_" #name "_back_" #n ":\n" \
	    ANNOTATE_NOENDBR "\n" \
	    "	popq	%rsi\n" \
	    "	movq	(%rsp), %rdx\n" \
	    "	pushq	%rax\n" \
	    "	movq	$ks_thunks+" #n "*256, %rdi\n" \
	    "	call	" #function "\n" \
	    "	popq	%rax\n" \
	    "	addq	$8, %rsp\n" \
	    UNWIND_HINT_FUNC \
	    ASM_RET \
	    END(ks_##name##_##n) \
	    "	.popsection\n"); \
	extern char ks_##name##_##n[], ks_##name##_back_##n[];

#define BOTH(n)	SHARED(shared, ks_direct_shared, n) SHARED(squared, ks_direct_squared, n)

TIMES_8(BOTH, 020)

static const struct {
	char *form[2], *back[2];	/* the second with squares */
} shared_codes[] = {
#define SHARED_PLACES(n)	{ { ks_shared_##n, ks_squared_##n }, { ks_shared_back_##n, ks_squared_back_##n } },
	TIMES_8(SHARED_PLACES, 020)
};
static_assert(ARRAY_SIZE(shared_codes) == KS_SHARED);

static const struct {
	struct static_call_key *key, *ask_key;
	void *trampoline, *ask_trampoline;
	char *form[KS_THUNK_FORMS];
	char *back[KS_THUNK_FULL + 1];
} codes[] = {
#define PLACES(n) \
	{ \
		&STATIC_CALL_KEY(ks_body_##n), &STATIC_CALL_KEY(ks_ask_##n), \
		STATIC_CALL_TRAMP_ADDR(ks_body_##n), STATIC_CALL_TRAMP_ADDR(ks_ask_##n), \
		{ ks_thunk_fast_##n, ks_thunk_keyed_##n, ks_thunk_full_##n, ks_thunk_pass_##n, ks_thunk_lean_##n, ks_thunk_count_##n, \
		  ks_thunk_sift_##n, ks_thunk_sieve_##n }, \
		{ ks_thunk_fast_back_##n, ks_thunk_keyed_back_##n, ks_thunk_full_back_##n }, \
	},
	ALL(PLACES)
};
static_assert(ARRAY_SIZE(codes) == KS_THUNKS);

unsigned long ks_thunk_address(const struct ks_thunk *th, enum ks_thunk_form form)
{
	if (form == KS_THUNK_SHARED)
		return (unsigned long)shared_codes[th - ks_thunks - KS_THUNKS].form[th->squares];
	return (unsigned long)codes[th - ks_thunks].form[form];
}

void ks_thunk_aim(const struct ks_thunk *th, unsigned long body)
{
	__static_call_update(codes[th - ks_thunks].key, codes[th - ks_thunks].trampoline, (void *)body);
}

/*
 * What is called directly is called behind its ENDBR, an instruction less; but where calls are counted, the kernel does that in
 * the padding before a function.
 */
void ks_thunk_lead(const struct ks_thunk *th, void *function)
{
	if (function && !ks_calls_are_counted() && ks_is_endbr(function))
		function += ENDBR_INSN_SIZE;
	__static_call_update(codes[th - ks_thunks].ask_key, codes[th - ks_thunks].ask_trampoline, function ?: ks_thunk_take);
}

/* The codes lie in memory in their order. */
struct ks_thunk *ks_thunk_of(unsigned long address, enum ks_thunk_form *form)
{
	unsigned int low = 0, high = KS_THUNKS, i;

	*form = KS_THUNK_SHARED;
	for (i = 0; i < KS_SHARED; i++)
		if (address == (unsigned long)shared_codes[i].back[0] || address == (unsigned long)shared_codes[i].back[1])
			return &ks_thunks[KS_THUNKS + i];

	if (address < (unsigned long)codes[0].form[0] || address >= (unsigned long)codes[KS_THUNKS - 1].form[KS_THUNK_FORMS - 1])
		return NULL;
	while (high - low > 1) {
		unsigned int middle = (low + high) / 2;

		if (address < (unsigned long)codes[middle].form[0])
			high = middle;
		else
			low = middle;
	}
	for (*form = KS_THUNK_FAST; *form <= KS_THUNK_FULL; ++*form)
		if (address == (unsigned long)codes[low].back[*form])
			return &ks_thunks[low];
	return NULL;
}
#endif
