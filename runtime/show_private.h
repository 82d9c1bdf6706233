/* SPDX-License-Identifier: GPL-2.0 */
/*
 * show_private.h: between the text forms of a measurement: histograms (show.c) and tables (show_table.c).
 */
#ifndef KS_SHOW_PRIVATE_H
#define KS_SHOW_PRIVATE_H

#include "kstats.h"
#include "variance.h"

struct seq_file;
struct name;

/* A row of a table: parts whose keys print alike. */
struct ks_row {
	struct kstats_snapshot_part *part;	/* the first of them */
	u64 n, sum;
	kstats_u128 squares;
};

struct ks_text {
	struct kstats_snapshot *h;
	struct name *names;	/* sorted */
	size_t nnames;
	struct kstats_snapshot_part *part;	/* the current one, and its number */
	u32 number;
	u32 slot;		/* the current one, from 0; `before` holds the sums of those below it */
	u64 *before;		/* by CPU, [cpus]: of all */
	u64 *all;		/* the same over all slots */
	struct ks_row *rows;	/* of a table, most first */
	u32 nrows;
	u32 table_lines;	/* positions before those of the parts; 0: it is no table */
};

static inline struct kstats_snapshot_part *ks_show_first(struct kstats_snapshot *h)
{
	return (void *)h + h->header_bytes + h->text_bytes;
}

void ks_show_head(struct seq_file *m, const struct kstats_snapshot *h);
void ks_show_word(struct seq_file *m, const struct ks_text *x, u32 i, const u64 *word);

/* The runs of @part, in turn; NULL before the first. */
struct kstats_snapshot_run *ks_show_next_run(const struct kstats_snapshot *h, struct kstats_snapshot_part *part,
					     struct kstats_snapshot_run *run);

/* Does a measurement of this form have a table? Make it; 0 or -ENOMEM. ks_show_table() shows line @line of it. */
bool ks_show_has_table(const struct kstats_snapshot *h);
int ks_show_make_table(struct ks_text *x);
void ks_show_table(struct seq_file *m, const struct ks_text *x, u32 line);

#endif /* KS_SHOW_PRIVATE_H */
