/* SPDX-License-Identifier: GPL-2.0 */
/* emit_private.h: between emit.c (tables) and emit_expr.c (expressions). */
#ifndef KM_EMIT_PRIVATE_H
#define KM_EMIT_PRIVATE_H

#include "plan.h"

void emit_string(struct text *c, const char *s, size_t length);
void emit_comment(struct text *c, const char *s);
void emit_handler_name(struct text *c, const char *when, unsigned int statement, unsigned int point);

/* The inline functions that this plan's expressions need. */
void emit_helpers(struct text *c, const struct plan *plan);

/* As a C condition; with @operand in parentheses where it is no single operand. */
void emit_truth(struct text *c, const struct plan_expr *e, bool operand);

/* As a number. */
void emit_word(struct text *c, const struct plan_expr *e);

/* A statement that puts a text or stack into the words from @to (C) on. */
void emit_words(struct text *c, const struct plan_expr *e, const char *to);

/* emit.c: does a point have a `paired`, a `refuses`, a `keys` (kstats.h)? */
bool emit_has_keys(const struct plan_statement *s, const struct plan_point *p);
bool emit_is_paired(const struct plan_statement *s, const struct plan_point *p);
bool emit_has_refuses(const struct plan_point *p);

/* emit_table.c: the tables that describe statements to the runtime. */
bool emit_is_guarded(const struct plan_statement *s);
void emit_points(struct text *c, const struct plan_statement *s, unsigned int statement);
void emit_statements(struct text *c, const struct plan *plan);

#endif /* KM_EMIT_PRIVATE_H */
