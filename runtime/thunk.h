/* SPDX-License-Identifier: GPL-2.0 */
/*
 * thunk.h: the pool of thunks: code of ours that an ftrace call site calls straight (register_ftrace_direct), without
 * registers saved that nobody looks at, without a hash, a list or an instance to take.
 *
 * No executable memory can be made by a module at run time, so there are KS_THUNKS of them in the module's text, each in
 * several forms that share its data. Three call the function's body, and see it return:
 *
 *	fast	time a call: the start lies in one word on the stack; for functions whose result is in rax alone
 *	keyed	the same with a few words beside the start, which a script fills in at the entry: keys of the histogram
 *	full	the same with a frame of registers and data for handlers: ks_direct_enter(), ks_direct_leave()
 *
 * and a fourth, of which there are KS_SHARED, does so for many functions at once:
 *
 *	shared	as fast, entered from any call site: the body's address is found on the stack, and the function by it in a hash;
 *		each twice, where squares are kept and where not
 *
 * of the others no frame stays:
 *
 *	pass	registers for handlers: ks_direct_pass()
 *	lean	no registers: calls ks_event_start() or ks_event_end()
 *	count	count the call
 *	sift	ask whether a script's `if` refuses the call; where not, go on as full, or (sieve) as pass
 *
 * On entry the stack holds the return address into the function (behind its call site: the body) and above it the caller's.
 * The three enter the body by a static call, retargeted before the thunk is attached: never through a register, since
 * behind a call site there is no ENDBR. When the body has returned, what is left is a return address that the processor's
 * return predictor has still on its stack, the one into the body: the thunk writes the address of a lone `ret` in its place
 * and returns there, so that calls and returns stay in balance; one return is mispredicted, not all of the callers'. shared
 * knows its body only by the stack: it enters it by a `ret`, which no ENDBR need follow; the body's own `ret` then uses the address that
 * is left over. Two are mispredicted, and the balance is the same.
 *
 * A thunk whose body sleeps stays occupied: it is given to another function only after as many calls have left as have
 * entered, and no CPU and no preempted task can be in its code (direct.c).
 */
#ifndef KS_THUNK_H
#define KS_THUNK_H

#include <linux/percpu.h>
#include <linux/types.h>
#include "compat.h"

#define KS_THUNKS	128
#define KS_SHARED	8		/* behind these */
#define KS_THUNKS_ALL	(KS_THUNKS + KS_SHARED)
#define KS_THUNK_PROBES	7		/* on one function at a time */
#define KS_THUNK_AREA	32		/* words for their frames */
#define KS_THUNK_KEYS	8		/* words that keyed has */

struct kstats;
struct ks_cpu;
struct ks_probe;
struct ks_table;

struct ks_thunk_counts {
	u64 entries, exits;	/* of bodies; a call may leave on another CPU than it entered on: only the sums over all tell */
	u64 ignored;		/* of the exits, by the fast form: nobody counted */
};

/* The code knows its size, and where the first three are. */
struct ks_thunk {
	struct ks_thunk_counts __percpu *counts;
	struct ks_cpu __percpu *cpu;	/* where count and sift count: of a table, or what nobody reads */
	struct kstats *measure;		/* of lean: alive while a call may look at it */
	/*
	 * The fast form has at hand what it needs of its measurement. Raw reads of the clock below `limit` are recorded in `table`
	 * without another look; 0: nobody counts, or has not told yet what the longest is that can be.
	 */
	u64 limit;
	u64 mult;			/* as in struct ks_clock */
	struct ks_table *table;
	struct ks_probe *probes[KS_THUNK_PROBES];	/* NULL: none (any more); read with preemption off */
	u8 at[KS_THUNK_PROBES];		/* where in the area its frame lies, in words; KS_THUNK_AREA: it has none */
	u8 nprobes;
	u8 form;			/* enum ks_thunk_form */
	u8 keys;			/* words of them: keyed */
	bool squares;			/* shared: of a measurement that keeps them */
	bool retired;			/* attached nowhere any more, and not free yet */
	struct list_head link;		/* in one of direct.c's lists */
	unsigned long site;		/* address of the call site */
	char *name;			/* of the function, for who asks what holds us; of shared, of one of them */
	struct ks_bodies *bodies;	/* shared: its functions */
} __aligned(256);

/* In the order in which they lie in memory. */
enum ks_thunk_form {
	KS_THUNK_FAST, KS_THUNK_KEYED, KS_THUNK_FULL, KS_THUNK_PASS, KS_THUNK_LEAN, KS_THUNK_COUNT, KS_THUNK_SIFT, KS_THUNK_SIEVE,
	KS_THUNK_FORMS, KS_THUNK_SHARED = KS_THUNK_FORMS
};

/* The functions of a shared thunk: a hash with open addressing, never changed, at most half of it filled. */
#define KS_BODIES_ORDER	14
#define KS_SHARED_MAX	(1 << (KS_BODIES_ORDER - 1))	/* 6.1's registration takes the square of their number, and fails beyond */

struct ks_bodies {
	struct ks_body {
		u32 address;	/* behind the call site; 0: a free cell */
		u32 part;	/* of the histograms: the point's match, and 1 */
	} cell[1 << KS_BODIES_ORDER];
};

static inline bool ks_thunk_has_frame(enum ks_thunk_form form)
{
	return form == KS_THUNK_FAST || form == KS_THUNK_KEYED || form == KS_THUNK_FULL || form == KS_THUNK_SIFT ||
	       form == KS_THUNK_SHARED;
}

/* Do calls by it count themselves, in the thunk's counts? */
static inline bool ks_thunk_is_timed(enum ks_thunk_form form)
{
	return form == KS_THUNK_FAST || form == KS_THUNK_KEYED || form == KS_THUNK_SHARED;
}

/* What the full form has on the stack, lowest address first. */
struct ks_thunk_frame {
	u64 area[KS_THUNK_AREA];
	/* As the upper part of a struct pt_regs, which handlers are given; below r9 and but for these there is nothing. */
	u64 r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
	u64 body;		/* the return address into the function */
	u64 caller;		/* the function's own */
	/* the caller's frame */
};

/* What keyed has. */
struct ks_thunk_keys {
	u64 start;		/* before that, as the last argument of what fills in: where key is */
	u64 key[KS_THUNK_KEYS];
	u64 result;
	u64 body, caller;
};

/* The pass form: the same without an area. */
struct ks_thunk_registers {
	u64 r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
	u64 body;
	u64 caller;
};

#if KS_DIRECT
extern struct ks_thunk ks_thunks[KS_THUNKS_ALL];

/* Where a call site is to lead. */
unsigned long ks_thunk_address(const struct ks_thunk *th, enum ks_thunk_form form);

/* Tell where the body is; the thunk must be attached nowhere, and drained. May sleep. */
void ks_thunk_aim(const struct ks_thunk *th, unsigned long body);

/*
 * Tell what keyed, lean, sift and sieve call: a script's code may go once this has told otherwise and RCU-tasks was waited for. NULL: nothing,
 * which refuses nothing. May sleep.
 */
void ks_thunk_lead(const struct ks_thunk *th, void *function);

/* The thunk whose body returns to @address, and in which form; NULL: that is no thunk's. Any context. */
struct ks_thunk *ks_thunk_of(unsigned long address, enum ks_thunk_form *form);
#endif

#endif /* KS_THUNK_H */
