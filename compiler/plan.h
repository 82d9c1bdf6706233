/* SPDX-License-Identifier: GPL-2.0 */
/*
 * plan.h: what resolve makes of a script and all that emit sees: plain tables in which every name is found, every type
 * known, every limit checked. It knows no script places and no kernel files any more.
 *
 * Its statements and points are those of runtime/kstats.h, plus the expressions that become handlers.
 */
#ifndef KM_PLAN_H
#define KM_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ast.h"
#include "runtime/kstats.h"

/* ---- expressions ---- */

/* Integers as C has them on the target; comm is compared with texts and counted by. */
enum plan_type { PLAN_S32, PLAN_U32, PLAN_S64, PLAN_U64, PLAN_STRING };

#define PLAN_BUILTINS(X) \
	X(PID, "pid", PLAN_S32) X(TID, "tid", PLAN_S32) X(PPID, "ppid", PLAN_S32) X(UID, "uid", PLAN_U32) \
	X(CPU, "cpu", PLAN_S32) X(COMM, "comm", PLAN_STRING) X(ELAPSED, "elapsed", PLAN_U64)

enum plan_builtin {
#define BUILTIN(id, text, type)	PLAN_##id,
	PLAN_BUILTINS(BUILTIN)
#undef BUILTIN
	PLAN_NBUILTINS
};

const char *plan_builtin_text(enum plan_builtin builtin);
enum plan_type plan_builtin_type(enum plan_builtin builtin);

enum plan_expr_kind {
	PLAN_CONST,		/* value, sign-extended to 64 bits from its type */
	PLAN_BUILTIN,
	PLAN_CARRIED,		/* word `index` of data[]: evaluated at the start */
	PLAN_UNARY,		/* NEGATE INVERT NOT */
	PLAN_BINARY,		/* operands of && and || are truth values, shifts keep each its own type, others agree */
	PLAN_TERNARY,
	PLAN_CONVERT,		/* a to type */
	PLAN_COMM_IS,		/* comm == text, as two words; with `negated`, != */
};

struct plan_expr {
	enum plan_expr_kind kind;
	enum plan_type type;
	unsigned int depth;
	bool has_elapsed;
	bool can_fault;
	union {
		uint64_t value;
		enum plan_builtin builtin;
		unsigned int index;
		struct { enum operator op; struct plan_expr *a, *b, *c; };
		struct { uint64_t words[KSTATS_COMM_WORDS]; char text[8 * KSTATS_COMM_WORDS]; bool negated; } comm;
	};
};

void plan_expr_free(struct plan_expr *e);
bool plan_expr_equal(const struct plan_expr *a, const struct plan_expr *b);

/* ---- statements ---- */

/* An expression into data[word]; comm takes KSTATS_COMM_WORDS. */
struct plan_store {
	unsigned int word;
	struct plan_expr *value;
};

/* What a handler does: its `if` first, then its stores. Neither: there is no handler. */
struct plan_side {
	struct plan_expr *filter;
	struct plan_store *stores;
	unsigned int nstores;
};

enum plan_role { PLAN_CALL, PLAN_FROM, PLAN_TO };
enum plan_where { PLAN_FUNCTION, PLAN_RETURN, PLAN_OFFSET, PLAN_TRACEPOINT };
enum plan_key { PLAN_KEY_TASK, PLAN_KEY_TID, PLAN_KEY_CPU };

struct plan_point {
	char *text;
	enum plan_role role;
	enum plan_where where;
	char *module;		/* NULL: the kernel's own */
	char *symbol;
	unsigned int offset;
	struct plan_side early;
	struct plan_side late;
};

struct plan_by {
	char *text;
	enum plan_type type;
	unsigned int word;	/* in data[] */
	unsigned int words;
};

struct plan_statement {
	char *text;		/* on one line */
	char *name;
	unsigned int bits;
	enum plan_key key;
	unsigned int pairs;	/* 0: the runtime's default */
	unsigned int entries;	/* 0: the runtime's default */
	struct plan_by by[KSTATS_BY_MAX];
	unsigned int nby;
	unsigned int data_words;
	struct plan_point *points;
	unsigned int npoints;
};

struct plan {
	struct plan_statement *statements;
	unsigned int nstatements;
};

void plan_free(struct plan *plan);
void plan_dump(const struct plan *plan, FILE *to);

#endif /* KM_PLAN_H */
