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

/* Integers as C has them on the target, after promotion; texts and stacks are several words, and only compared or kept. */
enum plan_type { PLAN_S32, PLAN_U32, PLAN_S64, PLAN_U64, PLAN_STRING, PLAN_FRAMES };

#define PLAN_BUILTINS(X) \
	X(PID, "pid", PLAN_S32) X(TID, "tid", PLAN_S32) X(PPID, "ppid", PLAN_S32) X(UID, "uid", PLAN_U32) \
	X(CPU, "cpu", PLAN_S32) X(COMM, "comm", PLAN_STRING) X(CGROUP, "cgroup", PLAN_U64) X(CONTAINER, "container", PLAN_U64) \
	X(CONTEXT, "context", PLAN_S32) X(CALLER, "caller", PLAN_U64) X(STACK, "stack", PLAN_FRAMES) \
	X(ELAPSED, "elapsed", PLAN_U64)

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
	PLAN_TEXT,		/* text */
	PLAN_BUILTIN,
	PLAN_CARRIED,		/* word `index` of data[] on: evaluated at the start */
	PLAN_ENTRY,		/* word `index` of entry[]: kept when the function was entered, for its return */
	PLAN_REGISTER,		/* `index` by DWARF's numbers: 0 ax 1 dx 2 cx 3 bx 4 si 5 di 6 bp 7 sp 8 r8 .. 15 r15 */
	PLAN_RETURN,		/* what the function returned: one word */
	PLAN_ARGUMENT,		/* of a tracepoint: word `index` of args[] */
	PLAN_ADDRESS,		/* of one of the kernel's variables, `value` bytes from init_task */
	PLAN_VARIABLE,		/* the address of a module's: variables[`index`] of the plan */
	PLAN_PLACE,		/* is the current task there? In the cgroup `place.name`, in one below it, or in the container of that name */
	PLAN_THIS_CPU,		/* a: address of a variable that each CPU has; here: of this CPU's */
	PLAN_READ,		/* `size` bytes at address a, extended as `is_signed` says */
	PLAN_STRING_AT,		/* text of at most `size` bytes at address a */
	PLAN_NARROW,		/* a's lowest `size` (1, 2) bytes, extended as `is_signed` says */
	PLAN_SWAP,		/* a's lowest `size` (2, 4) bytes in the opposite order */
	PLAN_UNARY,		/* NEGATE INVERT NOT */
	PLAN_BINARY,		/* operands of && and || are truth values, shifts keep each its own type, others agree */
	PLAN_TERNARY,
	PLAN_CONVERT,		/* a to type */
	PLAN_SAME,		/* texts a and b are equal; with `negated` they are not */
};

struct plan_expr {
	enum plan_expr_kind kind;
	enum plan_type type;
	unsigned int words;	/* of a text: KSTATS_COMM_WORDS or KSTATS_STRING_WORDS; of a stack; else 1 */
	unsigned int depth;
	bool has_elapsed;
	bool has_return;	/* it, or elapsed, is known only at the end of a call */
	bool can_fault;
	bool reads;		/* memory, which may fault, or the stack: what runs then can be probed itself */
	union {
		uint64_t value;
		enum plan_builtin builtin;
		unsigned int index;
		char text[8 * KSTATS_STRING_WORDS];
		struct {
			char *name;
			bool container, below;
		} place;
		struct {
			enum operator op;
			unsigned int size;
			bool is_signed, user, negated;
			struct plan_expr *a, *b, *c;
		};
	};
};

bool plan_expr_has_parts(const struct plan_expr *e);
void plan_expr_free(struct plan_expr *e);
struct plan_expr *plan_expr_copy(const struct plan_expr *e);
bool plan_expr_equal(const struct plan_expr *a, const struct plan_expr *b);

/* ---- statements ---- */

/* An expression into word `word` on of data[], entry[] or key[]. */
struct plan_store {
	unsigned int word;
	struct plan_expr *value;
};

/* What a handler does, in this order. Nothing of it: there is no handler. */
struct plan_side {
	struct plan_expr *filter;
	struct plan_expr *value;	/* what is recorded (PLAN_VALUE) */
	struct plan_store *keys;
	unsigned int nkeys;
	struct plan_store *stores;	/* of `enter`: into entry[]; else data[] */
	unsigned int nstores;
};

enum plan_role { PLAN_CALL, PLAN_FROM, PLAN_TO, PLAN_VALUE, PLAN_COUNT, PLAN_BETWEEN };
enum plan_where { PLAN_FUNCTION, PLAN_RETURN_OF, PLAN_OFFSET, PLAN_TRACEPOINT, PLAN_MEMORY, PLAN_FUNCTIONS };
enum plan_nesting { PLAN_NESTING_ALL, PLAN_NESTING_OUTERMOST, PLAN_NESTING_SELF };
enum plan_clock { PLAN_CLOCK_AUTO, PLAN_CLOCK_TSC, PLAN_CLOCK_MONO, PLAN_CLOCK_TICKS };
enum plan_time { PLAN_TIME_WHOLE, PLAN_TIME_ONCPU, PLAN_TIME_BLOCKED };	/* of a call all, what its task ran, what it was off the CPU */
enum plan_key { PLAN_KEY_TASK, PLAN_KEY_TID, PLAN_KEY_CPU, PLAN_KEY_NONE, PLAN_KEY_VALUE };

/* Functions of the kernel, or of a module, by their distances from `anchor` (NULL: init_task). */
struct plan_functions {
	char *module, *anchor;
	int32_t *distance;
	unsigned int n;
};

/* An argument of a tracepoint, as its callback declares it. */
struct plan_argument {
	char *type;		/* C: "u32", "struct rq *" */
	char *tag;		/* the structure to be declared for that, or NULL */
};

struct plan_point {
	char *text;
	enum plan_role role;
	enum plan_where where;
	char *module;		/* NULL: the kernel's own */
	char *symbol;
	int64_t distance;	/* of the function from init_task, where its name does not tell which; 0: by name */
	char *anchor;		/* a symbol of the module that the distance is counted from; NULL: init_task */
	unsigned int offset;
	unsigned int match;
	/* PLAN_MEMORY */
	unsigned int bytes;
	bool reads;
	bool per_cpu;
	bool based;		/* at variables[`base`] of the plan + offset, or `absolute` + offset; else at init_task + distance + offset */
	bool is_absolute;
	unsigned int base;
	uint64_t absolute;
	struct plan_functions *functions;	/* PLAN_FUNCTIONS */
	unsigned int nfunctions;
	unsigned int entry_words;
	bool thunk;		/* may serve it: see kstats.h */
	bool wide;		/* what a call returns is more than a word, or not known */
	bool waits;
	bool needs_arguments;	/* of its tracepoint: there is a callback */
	struct plan_argument *arguments;
	unsigned int narguments;
	struct plan_side enter;
	struct plan_side early;
	struct plan_side late;
};

struct plan_by {
	char *text;
	enum kstats_by_type type;
	bool address;		/* of anything: it takes many values */
	unsigned int word;	/* in data[] */
	unsigned int words;
	struct plan_name { int64_t value; char *name; } *names;	/* of an enum */
	unsigned int nnames;
};

struct plan_statement {
	char *text;		/* on one line */
	char *name;
	char *unit;		/* NULL: the kind's own */
	enum kstats_form form;
	bool squares;
	unsigned int bits;
	enum plan_key key;
	unsigned int key_words;
	bool tid_key;
	bool first;
	bool ranged;
	uint64_t low, high;
	enum plan_nesting nesting;
	enum plan_clock clock;
	enum plan_time time;
	char *counter;		/* what is measured in place of time; NULL: time */
	uint32_t perf_type;
	uint64_t perf_config;
	unsigned int pairs;	/* 0: the runtime's default */
	unsigned int entries;	/* 0: the runtime's default */
	unsigned int top;
	char *via;		/* mechanisms, with commas; NULL: any */
	struct plan_by by[KSTATS_BY_MAX];
	unsigned int nby;
	unsigned int data_words;
	struct plan_point *points;
	unsigned int npoints;
};

/* A variable of a module, whose address is known where the module is loaded. */
struct plan_variable {
	char *module, *symbol;
};

struct plan {
	struct plan_variable *variables;
	unsigned int nvariables;
	char *kernel;		/* `uname -v` of the target, where the plan rests on its types; else NULL */
	struct plan_statement *statements;
	unsigned int nstatements;
};

bool plan_side_is_empty(const struct plan_side *side);
/* Does any expression of it satisfy @is? */
bool plan_side_any(const struct plan_side *side, bool (*is)(const struct plan_expr *));
bool plan_statement_any(const struct plan_statement *s, bool (*is)(const struct plan_expr *));

void plan_side_free(struct plan_side *side);
void plan_point_free(struct plan_point *p);
void plan_free(struct plan *plan);
void plan_dump(const struct plan *plan, FILE *to);

#endif /* KM_PLAN_H */
