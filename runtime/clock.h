/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock.h: what measures time. Starts, in frames and in pair cells, are raw reads of a measurement's clock; what has elapsed
 * between two becomes the unit of the histogram once, when it is recorded.
 */
#ifndef KS_CLOCK_H
#define KS_CLOCK_H

#include <linux/math64.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#ifdef CONFIG_X86_64
#include <asm/tsc.h>
#endif
#include "kstats.h"

struct kstats;

enum ks_clock_source {
	KS_CLOCK_NONE,		/* nothing is timed: a count, a value, a histogram recorded by hand */
	KS_CLOCK_MONO,		/* ktime_get_mono_fast_ns(): NMI-safe, not traceable; may step back slightly */
	KS_CLOCK_TSC,
	KS_CLOCK_COUNTER,	/* the last: no clock: counter.h */
};

/* A measurement's. What handlers need is first; they change `sane` alone. */
struct ks_clock {
	enum ks_clock_source source;
	u64 mult;		/* recorded = raw * mult / 2^KS_CLOCK_SHIFT */
	u64 sane;		/* raw: no longer than that is surely possible; more is looked into (ks_clock_insane()) */
	u64 since;		/* CLOCK_MONOTONIC when it was last armed: no start is older */
	u64 per_ns;		/* raw ticks a ns, times 2^KS_CLOCK_PER_NS_SHIFT */

	enum kstats_clock unit;	/* TSC, MONO, TICKS: what is shown */
	u32 khz;		/* of the tsc */
	u32 suspends;		/* how often the machine went to sleep while this counted by the tsc */
	bool paused;		/* stopped by that, to be started after it */
	u64 lost;		/* CLOCK_MONOTONIC when the tsc was found unfit in mid-run; 0: it was not */
	const char *lost_why;
};

/*
 * With 60 fractional bits mult holds any tsc from 62.5 MHz on, an interval of a year is exact to the ns (of what
 * tsc_khz says), and the product of 124 bits is one instruction. The quotient fits: raw ticks are below 2^64, and where a
 * tick is more than a ns (below 1 GHz) 584 years of them do not pass; ks_clock_insane() lets none through. Nor does it let
 * through 2^60 ticks, eleven years at 3 GHz, which the scaling shifts left first, so that the quotient is the upper half of the product.
 */
#define KS_CLOCK_SHIFT		60
#define KS_CLOCK_PER_NS_SHIFT	20

#ifdef CONFIG_X86_64
/* rdtsc(), an instruction shorter: gcc puts the kernel's together in edx, and wants it in eax. */
static __always_inline u64 ks_clock_tsc(void)
{
	u64 now;

	asm volatile("rdtsc\n\t"
		     "shlq $32, %%rdx\n\t"
		     "orq %%rdx, %%rax" : "=a" (now) : : "rdx", "cc");
	return now;
}
#endif

/*
 * A raw read. Any context.
 *
 * rdtsc alone, without the fence that the kernel's own clock takes: the CPU may execute it some instructions early or late,
 * which moves both ends of an interval alike and by less than the probe itself costs, while a fence would wait for every
 * load under way and so add to what is measured. Where a read so slips before that of another CPU, `backwards` counts it.
 */
static __always_inline u64 ks_clock_read(const struct ks_clock *c)
{
#ifdef CONFIG_X86_64
	if (likely(c->source == KS_CLOCK_TSC))
		return ks_clock_tsc();
#endif
	return c->source == KS_CLOCK_MONO ? ktime_get_mono_fast_ns() : 0;
}

/* Is @raw, a difference of two reads, longer than this measurement has been armed? Rarely called. Any context. */
bool ks_clock_insane(struct ks_clock *c, u64 raw);

/* By hand: for a product of 128 bits gcc aligns the stack, which the kernel's need not be. */
static __always_inline u64 ks_clock_scale(u64 raw, const u64 *mult)
{
#ifdef CONFIG_X86_64
	u64 high;

	raw <<= 64 - KS_CLOCK_SHIFT;
	asm("mulq %[mult]" : "+a" (raw), "=d" (high) : [mult] "m" (*mult) : "cc");
	return high;
#else
	return mul_u64_u64_shr(raw, *mult, KS_CLOCK_SHIFT);
#endif
}

/*
 * What is recorded of the interval from @start to @now. False: by this clock it has ended before it began, or began before
 * it could: one comparison finds both, since a negative difference is a huge one.
 */
static __always_inline bool ks_clock_elapsed(struct ks_clock *c, u64 start, u64 now, u64 *elapsed)
{
	u64 raw = now - start;

	if (unlikely(raw > READ_ONCE(c->sane)) && ks_clock_insane(c, raw))
		return false;
	*elapsed = ks_clock_scale(raw, &c->mult);
	return true;
}

/*
 * Decide on the clock of a measurement that is not counting, @want being its script's. Returns NULL, or why it cannot be had.
 * Under ks_lock; may sleep.
 */
const char *ks_clock_choose(struct ks_clock *c, enum kstats_clock want);

/* For a counter: what it has moved by is recorded as it is. */
void ks_clock_counter(struct ks_clock *c);

/* Its first start may come from here on. Under ks_lock. */
void ks_clock_go(struct ks_clock *c);

/* It counts (`live` is set): look after its clock now and then. Under ks_lock. */
void ks_clock_watch(const struct ks_clock *c);

/* It counts: is its clock still fit? Any context that may use seqlocks; no lock. */
void ks_clock_check(struct ks_clock *c);

/* Its lines for a reader: "clock tsc", ... Returns their length. */
size_t ks_clock_text(const struct ks_clock *c, char *buf, size_t size);

int ks_clock_init(void);
void ks_clock_exit(void);

#endif /* KS_CLOCK_H */
