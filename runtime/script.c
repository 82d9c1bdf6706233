// SPDX-License-Identifier: GPL-2.0
/*
 * script.c: the built-ins of script.h that are too long for an inline function: texts, callers, stacks.
 *
 * None of it allocates or locks; loops are bounded by the size of what they fill in. Reads may fault, and the unwinder can be
 * probed: what uses them is guarded (event.c).
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <asm/unwind.h>
#include "compat.h"
#include "measure.h"
#include "script.h"

#define FRAMES_MAX	64	/* of ours and others that are passed over, above what is shown */

unsigned long kstats_kernel_half __ro_after_init = -1;
EXPORT_SYMBOL_GPL(kstats_kernel_half);

/* It depends on the CPU: paging has four levels or five. */
void __init ks_script_init(void)
{
	kstats_kernel_half = ~0UL << __VIRTUAL_MASK_SHIFT;
}

/* The first @n bytes of @word, 0 < n <= 8. */
static u64 low_bytes(u64 word, unsigned int n)
{
	return n < 8 ? word & ((1ULL << 8 * n) - 1) : word;
}

/*
 * Whole aligned words are read, which never reach into a page that the text does not. The bytes before the text in the first
 * are shifted out.
 */
void kstats_string(u64 *words, unsigned int nwords, u64 address, unsigned int max, bool user, bool *fault)
{
	unsigned int at = 0, skip = address % 8;
	bool bad = false;

	memset(words, 0, 8 * nwords);
	max = min(max, 8 * nwords);
	for (address -= skip; at < max; address += 8, skip = 0) {
		const u64 low = 0x0101010101010101ULL;
		u64 word = user ? ks_read_user(address, 8, &bad) : ks_read(address, 8, &bad), zero;
		unsigned int n = min(8 - skip, max - at), length = n;

		if (bad) {
			memset(words, 0, 8 * nwords);
			*fault = true;
			return;
		}
		word >>= 8 * skip;
		zero = (word - low) & ~word & low << 7;	/* the lowest set bit marks the first zero byte */
		if (zero)
			length = min_t(unsigned int, n, __ffs64(zero) / 8);
		if (!length)
			return;
		word = low_bytes(word, length);
		words[at / 8] |= word << 8 * (at % 8);
		if (at % 8 + length > 8)
			words[at / 8 + 1] |= word >> (64 - 8 * (at % 8));
		if (length < n)
			return;
		at += n;
	}
}
EXPORT_SYMBOL_GPL(kstats_string);
NOKPROBE_SYMBOL(kstats_string);

/* An address of ours: the runtime's, the script's, or of the kernel's loop over a tracepoint's callbacks. */
static bool is_ours(const struct ks_probe *p, unsigned long address)
{
	const struct kstats_script *script = p->measure->script;

	return within_module(address, THIS_MODULE) || (script && within_module(address, script->owner)) ||
	       address - p->loop < p->loop_bytes;
}

/* Thunks give no other registers than arguments, ip and sp. */
static bool at_thunk(const struct ks_probe *p)
{
	return p->backend == &ks_probe_direct;
}

/*
 * The frames above the event: of the registers, which themselves are not among them, or at a tracepoint and a thunk, of here:
 * then ours come first, and are passed over.
 */
static void begin(struct unwind_state *state, const struct kstats_event *ev)
{
	unsigned int i;

	if (ev->regs && !at_thunk(ev->probe)) {
		unwind_start(state, current, ev->regs, NULL);
		return;
	}
	unwind_start(state, current, NULL, NULL);
	for (i = 0; i < FRAMES_MAX && !unwind_done(state); i++) {
		unsigned long address = unwind_get_return_address(state);

		if (address && !is_ours(ev->probe, address))
			break;
		unwind_next_frame(state);
	}
	/* A thunk is called from the function that it is for. */
	if (ev->regs && !unwind_done(state))
		unwind_next_frame(state);
}

/* Who is returned to: where kretprobes put their own address, they know it. */
static unsigned long returned_to(const struct kstats_event *ev)
{
	return at_thunk(ev->probe) ? ks_kretprobe_caller(ev->regs->sp - 8, ev->regs->ip) : ev->regs->ip;
}

/* The probe's own address; 0 at a tracepoint. */
static unsigned long place_of(const struct ks_probe *p)
{
	return p->backend->place ? p->backend->place(p) : 0;
}

u64 kstats_caller(const struct kstats_event *ev)
{
	const struct ks_probe *p = ev->probe;
	struct unwind_state state;

	if (ev->returned)
		return returned_to(ev);
	if (!ev->regs) {
		begin(&state, ev);
		return unwind_done(&state) ? 0 : unwind_get_return_address(&state);
	}
	if (p->points[0]->where == KSTATS_MEMORY)
		return ev->regs->ip;
	if (p->points[0]->offset)
		return place_of(p);
	return ks_kretprobe_caller(ev->regs->sp, *(unsigned long *)ev->regs->sp);
}
EXPORT_SYMBOL_GPL(kstats_caller);
NOKPROBE_SYMBOL(kstats_caller);

/*
 * The instruction, of an access to memory the one behind it; of a function's entry or return the function itself, which begins before
 * the call site if it has an ENDBR.
 */
static unsigned long shown_place(const struct kstats_event *ev)
{
	const struct ks_probe *p = ev->probe;
	unsigned long place = place_of(p);

	if (p->points[0]->where == KSTATS_MEMORY)
		return ev->regs->ip;
	return p->points[0]->offset || !place || !ks_is_endbr((void *)(place - ENDBR_INSN_SIZE)) ? place : place - ENDBR_INSN_SIZE;
}

void kstats_stack(u64 *words, const struct kstats_event *ev)
{
	struct unwind_state state;
	unsigned int n = 0, skipped = 0;
	bool thunk = false;

	memset(words, 0, 8 * KSTATS_STACK_WORDS);
	if (ev->regs)
		words[n++] = shown_place(ev);
	if (ev->returned && !at_thunk(ev->probe))
		words[n++] = ev->regs->ip;
	begin(&state, ev);
	for (; n < KSTATS_STACK_WORDS && skipped < FRAMES_MAX && !unwind_done(&state); unwind_next_frame(&state)) {
		unsigned long address = unwind_get_return_address(&state);
		bool again = thunk;

		if (!address)
			break;
		/* Thunks of callers, and the call sites that they were called from: the function stands there already. */
		thunk = within_module(address, THIS_MODULE);
		if (thunk || again)
			skipped++;
		else
			words[n++] = address;
	}
}
EXPORT_SYMBOL_GPL(kstats_stack);
NOKPROBE_SYMBOL(kstats_stack);
