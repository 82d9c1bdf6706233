/* SPDX-License-Identifier: GPL-2.0 */
/*
 * served.h: measurements as a server exposes them, look after look: counters that never go back while their measurement lives, whatever
 * RESET does, and series that stay once they are there.
 *
 * RESET empties a measurement's table. What was seen of a table before is kept here and added to what comes after; what came between the
 * last look and the RESET nobody has seen, but the kernel says exactly how much that was.
 */
#ifndef KM_SERVED_H
#define KM_SERVED_H

#include "console/exposition.h"

/* What it holds on to is the caller's. */
struct served_options {
	const char *file;		/* a saved report, read anew at each look; NULL: what is in the kernel */
	char *const *names;		/* of measurements, their modules, or globs of either; none: all */
	size_t nnames;
	unsigned int buckets;		/* of a histogram, at most */
	size_t groups;			/* of a measurement, at most, that have series of their own */
};

struct served *served_new(const struct served_options *o);
void served_free(struct served *sv);

/*
 * Look: what is there, what it says, what has gone. What cannot be read is said on stderr and counted; false: nothing could be. No memory
 * and no lock of the kernel is held afterwards.
 */
bool served_look(struct served *sv);

/* What the last look found; native histograms too, where they are asked for. Free with exposition_free. */
void served_expose(const struct served *sv, bool native, struct exposition *e);

/* The parts of a look, for who has the snapshots. A snapshot is served_take's from then on; @wall: when it was taken, seconds since 1970. */
void served_begin(struct served *sv);
void served_take(struct served *sv, struct snapshot *s, double wall);
void served_end(struct served *sv);

#endif /* KM_SERVED_H */
