/* SPDX-License-Identifier: GPL-2.0 */
/*
 * snapshot.h: a measurement at one moment, as read.c takes it from the kernel, and what can be computed from it.
 *
 * A snapshot holds parts (one without `by`, one a key with it), a part holds the slots of each CPU. Nothing is kept
 * twice: totals over CPUs, counts, means and bounds are computed from the slots by snapshot_total().
 */
#ifndef KM_SNAPSHOT_H
#define KM_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/kstats.h"

typedef unsigned __int128 u128;

/* In `sum`: too many samples came for their sum to tell. */
#define SNAPSHOT_UNKNOWN	(~(u128)0)

/* Consecutive slots of one CPU. */
struct snapshot_run {
	unsigned int cpu;
	unsigned int first, count;
	struct kstats_slot *slot;
	u128 *sum;			/* of each slot, of a saved report: not modulo 2^64 as in `slot`. From the kernel: NULL */
};

struct snapshot_part {
	__u64 key[KSTATS_BY_WORDS];
	u128 squares;			/* of the samples, added up modulo 2^128; 0 where nobody asked for them */
	struct snapshot_run *runs;
	unsigned int nruns;
};

/* What an address was called on the machine that was measured. `returned`: as that which a call returns to. */
struct snapshot_symbol {
	__u64 address;
	bool returned;
	char *name;
};

struct snapshot {
	struct kstats_snapshot head;	/* checked: every number is in its range, texts are terminated */
	char *text;			/* the kernel's lines "WORD VALUE" */
	struct snapshot_part *parts;	/* by ascending key, each key once */
	unsigned int nparts;
	bool interval;			/* the difference of two: armed_ns and terms are of the time between */
	bool restarted;			/* the older one could not be subtracted (RESET or replaced in between) */
	bool saved;			/* from a file: its symbols are these, not the running kernel's */
	struct snapshot_symbol *symbols;	/* by address */
	size_t nsymbols;
};

void snapshot_free(struct snapshot *s);

struct snapshot *snapshot_copy(const struct snapshot *s);

/* What an address is called in a saved snapshot, to be freed; NULL: nothing. */
char *snapshot_symbol(const struct snapshot *s, __u64 address, bool returned);

/* Add one, and bring them into order when all are there. */
void snapshot_add_symbol(struct snapshot *s, __u64 address, bool returned, const char *name);
void snapshot_sort_symbols(struct snapshot *s);

/* The part of that key, all KSTATS_BY_WORDS words of it, or NULL. */
const struct snapshot_part *snapshot_part(const struct snapshot *s, const __u64 *key);

/* Bring parts into the order of their keys and make one of those that bear the same key. */
void snapshot_sort(struct snapshot *s);

/*
 * What happened between two snapshots of one measurement, as a new snapshot; neither is changed. What was in flight at
 * `old` counts as hits, as after a RESET, so that the accounting equation holds for the interval too. When the
 * measurement was reset or made anew in between, the result is `now` alone, with `restarted` set.
 */
struct snapshot *snapshot_subtract(const struct snapshot *now, const struct snapshot *old);

/* Make one run of those that a part has of one CPU, after parts of one key were joined. Their sums are no longer modulo 2^64. */
void snapshot_gather(struct snapshot *s);

/*
 * Add to @to what came after it: the next interval of the same measurement. False, and nothing is added, when it is not the
 * same. What was in flight at the end of @to is among the hits of @more already. The text becomes that of @more.
 */
bool snapshot_add(struct snapshot *to, const struct snapshot *more);

/*
 * Walk the text: the value of the next line that begins with `word` and a blank, NULL at the end. *at is NULL at first.
 * *length is that of the value; it is not terminated there.
 */
const char *snapshot_line(const struct snapshot *s, const char *word, const char **at, size_t *length);

/* The first such line's value, in memory of the caller's own, or NULL. */
char *snapshot_value(const struct snapshot *s, const char *word);

/* The length of a line's first word: up to a blank, or with the quotes when it is quoted. */
size_t snapshot_first_word(const char *line, size_t length);

/* Is it a measurement of this kernel module? */
bool snapshot_of_module(const struct snapshot *s, const char *module);

/* Does a NAME on the command line (a measurement's, its module's, or a glob of either) mean this one? */
bool snapshot_matches(const struct snapshot *s, const char *pattern);

/* What the terms other than `hits` add up to. */
__u64 snapshot_accounted(const struct snapshot *s);

/* ---- totals over CPUs (and over parts) ---- */

struct snapshot_slot {
	__u64 n;
	u128 excess;		/* over n times the slot's lower bound, when `known` */
	bool known;		/* else the sums wrapped: this slot's mean could be anything within it */
	bool exact;		/* least and most are samples, not just bounds */
	__u64 least, most;
};

struct snapshot_total {
	unsigned int bits;
	unsigned int first, count;	/* of the slots kept here; empty ones at the ends are left out */
	struct snapshot_slot *slot;
	__u64 n;			/* samples, all slots */
	bool known;			/* every slot's sum is: `sum` and the mean are exact */
	u128 sum;
};

/*
 * Add up the slots of `part` (all parts when NULL) on `cpu` (all when -1). Sums that wrap are never added up blindly:
 * each CPU's are made exact first. Free with snapshot_total_free.
 */
void snapshot_total(const struct snapshot *s, const struct snapshot_part *part, int cpu, struct snapshot_total *out);
void snapshot_total_free(struct snapshot_total *t);

/* The same at fewer bits (or as many). Free it likewise. */
void snapshot_total_coarser(const struct snapshot_total *t, unsigned int bits, struct snapshot_total *out);

/* The sum of the samples of a run's slot @i, or SNAPSHOT_UNKNOWN. */
u128 snapshot_run_sum(const struct snapshot_run *r, unsigned int i, unsigned int bits);

/* The CPUs that a part has slots of, ascending, each once; *n of them. To be freed. */
unsigned int *snapshot_cpus(const struct snapshot_part *part, unsigned int *n);

/* Has this CPU samples? */
bool snapshot_has_cpu(const struct snapshot *s, unsigned int cpu);

/* The mean: exact to a double's precision when t->known, else NaN; *lo and *hi (may be NULL) bound it always. */
double snapshot_mean(const struct snapshot_total *t, double *lo, double *hi);

#endif /* KM_SNAPSHOT_H */
