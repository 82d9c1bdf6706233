/* SPDX-License-Identifier: GPL-2.0 */
/*
 * calc.h: makes the plan's expressions: C's conversions, and constants folded as they are made.
 *
 * What differs from C is what C leaves undefined: signed arithmetic wraps, a shift by the width or more gives 0, and
 * division by zero or of the minimum by -1 is a fault of that one sample.
 *
 * A constructor owns the operands that it is given; none of them is NULL.
 */
#ifndef KM_CALC_H
#define KM_CALC_H

#include "plan.h"

bool calc_is_signed(enum plan_type type);
unsigned int calc_width(enum plan_type type);	/* in bits */
bool calc_is_number(const struct plan_expr *e);	/* neither text nor stack */
bool calc_is_const(const struct plan_expr *e);

/* @v as a value of @type, extended to 64 bits. */
uint64_t calc_as(enum plan_type type, uint64_t v);

/* C's usual arithmetic conversions. */
enum plan_type calc_common(enum plan_type a, enum plan_type b);

/* The type of an integer of memory after promotion. */
enum plan_type calc_promoted(unsigned int size, bool is_signed);

struct plan_expr *calc_const(enum plan_type type, uint64_t value);
struct plan_expr *calc_number(const struct number *n);
struct plan_expr *calc_text(const char *bytes, size_t length);	/* cut to what a text holds */
struct plan_expr *calc_builtin(enum plan_builtin builtin);

/* Leaves with an index (CARRIED ENTRY REGISTER RETURN ARGUMENT) or a value (ADDRESS). */
struct plan_expr *calc_leaf(enum plan_expr_kind kind, enum plan_type type, uint64_t index);

struct plan_expr *calc_read(struct plan_expr *address, unsigned int size, bool is_signed, bool user);
struct plan_expr *calc_string(struct plan_expr *address, unsigned int size, bool user);
struct plan_expr *calc_this_cpu(struct plan_expr *address);

struct plan_expr *calc_convert(struct plan_expr *e, enum plan_type type);
/* As an integer of @size bytes (1, 2, 4, 8), then promoted. */
struct plan_expr *calc_narrow(struct plan_expr *e, unsigned int size, bool is_signed);
struct plan_expr *calc_swap(struct plan_expr *e, unsigned int size);	/* its lowest 2 or 4 bytes, the other way round */
struct plan_expr *calc_truth(struct plan_expr *e);	/* 0 or 1 */

struct plan_expr *calc_unary(enum operator op, struct plan_expr *a);
/* With the usual conversions. A division that is known to fault must not come here (calc_division_fault). */
struct plan_expr *calc_binary(enum operator op, struct plan_expr *a, struct plan_expr *b);
struct plan_expr *calc_ternary(struct plan_expr *a, struct plan_expr *b, struct plan_expr *c);
struct plan_expr *calc_same(struct plan_expr *a, struct plan_expr *b, bool negated);
/* Is the current task in the container or cgroup @name, which it takes over; @below: or in one below? */
struct plan_expr *calc_place(char *name, bool container, bool below);

/* Why this division can give nothing: both operands of one type, @a's value any where it is no constant. NULL: it can. */
const char *calc_division_fault(const struct plan_expr *a, const struct plan_expr *b);

/* Take over depth and properties from the parts, after these were changed. */
void calc_update(struct plan_expr *e);

#endif /* KM_CALC_H */
