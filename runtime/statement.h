/* SPDX-License-Identifier: GPL-2.0 */
/*
 * statement.h: what the table of a statement says: is it right, which probes it takes, how it describes itself.
 */
#ifndef KS_STATEMENT_H
#define KS_STATEMENT_H

#include "measure.h"

/* A table made by hand can be wrong; a generated one cannot, but both come here. NULL: it is right. */
const char *ks_statement_wrong(const struct kstats_statement *s);

/* Has it starts that wait for an end? */
bool ks_statement_waits(const struct kstats_statement *s);

/* Of a measurement whose statement is right: what can be told at once. */
void ks_statement_describe(struct kstats *k);

/* Its points, sorted, and a probe for each place. 0 or a negative errno; what was made then is release()'s to free. */
int ks_statement_probes(struct kstats *k);

/*
 * The lines that a report begins with (kstats.h), of the backends that its probes have; in place of those that there were.
 * The same.
 */
int ks_statement_text(struct kstats *k);

#endif /* KS_STATEMENT_H */
