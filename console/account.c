// SPDX-License-Identifier: GPL-2.0
/*
 * account.c: the accounting equation as people read it, and what each kind of loss means.
 */
#include "console/account.h"

static const struct { enum kstats_term term; const char *meaning; } losses[] = {
	{ KSTATS_MISSED, "the kernel could not call the probe (another probe's handler was running, or no instance was "
	  "free)" },
	{ KSTATS_FULL, "no room for a start, or for a new `by` key: raise it with `entries N`" },
	{ KSTATS_UNMATCHED, "ends without a start: begun before measuring, or the key differs at the two points" },
	{ KSTATS_REPLACED, "starts followed by another start of the same key before an end: is the key right?" },
	{ KSTATS_EXITED, "begun by tasks that ended before the end came" },
	{ KSTATS_OUTSIDE, "negative, or outside `range`: not in the histogram" },
	{ KSTATS_BACKWARDS, "by the clock ended before it began, or began before this was armed: not in the histogram" },
	{ KSTATS_MOVED, "the task slept, was preempted or moved to another CPU meanwhile: what the CPU counted is not its own" },
	{ KSTATS_FAULT, "an expression read bad memory or divided by zero: not in the histogram" },
	{ KSTATS_STOPPED, "cut off by a stop" },
};

static const char *const name[] = {
#define NAME(id, name)	[KSTATS_##id] = name,
	KSTATS_TERMS(NAME)
#undef NAME
};

void account_line(const struct page *p)
{
	const __u64 *term = p->s->head.term;
	__u64 sum = snapshot_accounted(p->s);
	char buf[UNITS_TEXT];
	const char *plus = "=";
	size_t i;

	page_put(p, PAGE_DIM, "  hits %s", units_count(buf, term[KSTATS_HITS]));
	for (i = 0; i < KSTATS_NTERMS; i++) {
		if (i == KSTATS_HITS || (!term[i] && i != KSTATS_RECORDED))
			continue;
		page_put(p, PAGE_DIM, " %s %s %s", plus, name[i], units_count(buf, term[i]));
		plus = "+";
	}
	if (sum == term[KSTATS_HITS])
		putc('\n', p->out);
	else
		page_put(p, PAGE_ALARM, "  NOT BALANCED: %s %s\n",
			 units_count(buf, sum > term[KSTATS_HITS] ? sum - term[KSTATS_HITS] : term[KSTATS_HITS] - sum),
			 sum > term[KSTATS_HITS] ? "more than hits" : "hits unaccounted for");
}

void account_losses(const struct page *p)
{
	const __u64 *term = p->s->head.term;
	char buf[UNITS_TEXT];
	size_t i;

	for (i = 0; i < sizeof(losses) / sizeof(*losses); i++)
		if (term[losses[i].term])
			page_put(p, PAGE_PLAIN, "  %s %s: %s\n", name[losses[i].term], units_count(buf, term[losses[i].term]),
				 losses[i].meaning);
}

bool account_lost(const struct snapshot *s)
{
	size_t i;

	for (i = 0; i < sizeof(losses) / sizeof(*losses); i++)
		if (s->head.term[losses[i].term])
			return true;
	return false;
}
