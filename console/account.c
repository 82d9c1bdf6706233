// SPDX-License-Identifier: GPL-2.0
/*
 * account.c: the accounting equation as people read it, and what each kind of loss means.
 */
#include "console/account.h"

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
		page_put(p, PAGE_DIM, " %s %s %s", plus, figures_terms[i], units_count(buf, term[i]));
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
	const struct figures_sentence *loss;
	const __u64 *term = p->s->head.term;
	char buf[UNITS_TEXT];

	for (loss = figures_losses; loss->text; loss++)
		if (term[loss->term])
			page_put(p, PAGE_PLAIN, "  %s %s: %s\n", figures_terms[loss->term], units_count(buf, term[loss->term]), loss->text);
}

bool account_lost(const struct snapshot *s)
{
	const struct figures_sentence *loss;

	for (loss = figures_losses; loss->text; loss++)
		if (s->head.term[loss->term])
			return true;
	return false;
}
