// SPDX-License-Identifier: GPL-2.0
/*
 * cpus.c: a line a CPU: its figures and the shape of its histogram.
 */
#include <string.h>

#include "console/bars.h"
#include "console/cpus.h"
#include "console/tables.h"

enum { COLUMNS = 54 };		/* before the strip */

void cpus_print(const struct page *p)
{
	bool counts = p->s->head.kind == KSTATS_COUNTS || tables_has(p->s), any = false;
	char count[UNITS_TEXT], mean[UNITS_TEXT], p50[UNITS_TEXT], p99[UNITS_TEXT];
	struct snapshot_total t, all;
	struct bars_axis axis = { 0 };
	struct quantile q;
	unsigned int cpu;

	snapshot_total(p->s, NULL, -1, &all);
	if (!counts)
		axis = bars_axis(&all, p->o->width - COLUMNS);
	for (cpu = 0; cpu < p->s->head.cpus; cpu++) {
		if (!snapshot_has_cpu(p->s, cpu))
			continue;
		if (!any) {
			page_put(p, PAGE_DIM, "\n  cpu %s", counts ? "           hits" :
				 "          count       mean        p50        p99");
			if (axis.columns)
				bars_ends(p, &all, &axis);
			putc('\n', p->out);
		}
		any = true;
		snapshot_total(p->s, NULL, cpu, &t);
		fprintf(p->out, "  %3u  ", cpu);
		page_field(p, PAGE_PLAIN, -14, units_count(count, t.n));
		if (!counts) {
			strcpy(mean, "unknown");
			if (t.known)
				page_value(p, mean, snapshot_mean(&t, NULL, NULL));
			quantile_of(&t, &quantile_points[0], &q);
			page_value(p, p50, q.value);
			quantile_of(&t, &quantile_points[2], &q);
			page_value(p, p99, q.value);
			page_field(p, PAGE_PLAIN, -11, mean);
			page_field(p, PAGE_PLAIN, -11, p50);
			page_field(p, PAGE_PLAIN, -11, p99);
			if (axis.columns) {
				fputs("  ", p->out);
				bars_strip(p, &t, &axis);
			}
		}
		putc('\n', p->out);
		snapshot_total_free(&t);
	}
	snapshot_total_free(&all);
}
