/* SPDX-License-Identifier: GPL-2.0 */
/*
 * saved.h: reports that were written as JSON (docs/json.md), read back into snapshots: nothing that a report shows is lost
 * on the way, so what is rendered of them is what was rendered then.
 */
#ifndef KM_SAVED_H
#define KM_SAVED_H

#include "console/render.h"

/* The reports of a file, in its order. What they point to belongs to them. */
struct saved {
	struct report *report;
	size_t n;
};

/* Is the word on a command line such a file (X.json, X.ndjson, - for stdin), not a measurement's name? */
bool saved_is_file(const char *word);

/* False after saying what is wrong with the file, and where. Free with saved_free in any case. */
bool saved_read(const char *path, struct saved *out);
bool saved_parse(const char *name, const char *text, size_t length, struct saved *out);
void saved_free(struct saved *s);

/* Keep the measurements that one of the names means (all, without names); false after saying which name means none. */
bool saved_choose(struct saved *saved, const char *path, char *const *names, size_t nnames);

/* The measurement of that name, or NULL. */
struct snapshot *saved_measurement(const struct report *r, const char *name);

/* What a report points to, when all of it was made for it. */
void saved_free_report(struct report *r);

#endif /* KM_SAVED_H */
