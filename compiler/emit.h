/* SPDX-License-Identifier: GPL-2.0 */
/*
 * emit.h: plan to C: one short file a script, made of tables and one handler for each side of a point that needs one.
 *
 * It is meant to be read by whoever loads it. Nothing of a script reaches the C but as a number, a checked name, or
 * inside a string or comment with everything escaped that could end it. The same plan gives the same bytes.
 */
#ifndef KM_EMIT_H
#define KM_EMIT_H

#include "plan.h"

/* The C text, malloc'ed. */
char *emit_plan(const struct plan *plan);

#endif /* KM_EMIT_H */
