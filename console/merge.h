/* SPDX-License-Identifier: GPL-2.0 */
/*
 * merge.h: saved reports added up, of one machine's intervals or of many machines.
 *
 * Counts and sums are exact. Measurements of one name are added, slot by slot; where their bits differ, in the coarser slots, of
 * which each holds whole slots of the finer. CPUs of different machines stay apart: each machine's numbers begin where
 * those of the one before end.
 */
#ifndef KM_MERGE_H
#define KM_MERGE_H

#include "console/saved.h"

/* Reports and the names of the files that they are from, in the order in which they were named. */
struct merge_file {
	const char *path;
	struct saved saved;
};

/*
 * All of them as one report, to be freed with saved_free_report in any case. False after saying what does not fit together (units,
 * keys), or which two have the same samples in them.
 */
bool merge_files(const struct merge_file *file, size_t n, struct report *out);

#endif /* KM_MERGE_H */
