/* SPDX-License-Identifier: GPL-2.0 */
/*
 * resolve_private.h: between the parts of resolve: statements (resolve.c, resolve_pair.c), their options
 * (resolve_option.c), points (resolve_point.c, resolve_glob.c, resolve_watch.c), what `$name` means at a point (resolve_scope.c), bare names
 * (resolve_name.c), expressions (resolve_expr.c, resolve_operand.c), keys (resolve_key.c), and the split between a call's
 * entry and its return (resolve_split.c).
 */
#ifndef KM_RESOLVE_PRIVATE_H
#define KM_RESOLVE_PRIVATE_H

#include "calc.h"
#include "headers.h"
#include "resolve.h"
#include "types.h"

/* A parameter: its name, its text for {NAME}, and its value; a text has none. */
struct parameter {
	const char *name;
	char *text;
	struct plan_expr *value;
	struct loc loc;
	bool is_time;		/* by the suffix of its default */
	bool used;
};

struct resolve {
	const struct kernel *kernel;
	struct symbols *symbols;
	struct types *types;
	struct headers *headers;
	struct diag *diag;
	struct plan *plan;
	struct parameter *params;
	unsigned int nparams;
	struct stem *stems;	/* names given so far, without the .2 */
	unsigned int nstems;
	bool traced;		/* of functions it is asked where ftrace can call from, not what may be probed; there may be any number */
	const struct word *mode;	/* what follows the variable of a `watch`; NULL: nothing, or none is at work */
	bool tentative;		/* what is said now is likely to be taken back: no search for the nearest names */
};

#define RESOLVE_NEAR	20	/* errors that get the nearest names: a search through all names of the kernel for each */

static inline bool resolve_wants_near(const struct resolve *r)
{
	return !r->tentative && diag_errors(r->diag) <= RESOLVE_NEAR;
}

/* "not yet: WHAT": DESIGN has it, this version does not. */
void resolve_not_yet(struct resolve *r, struct loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- points ---- */

/* How the code at a point was called: where its arguments are. */
enum convention {
	CONVENTION_C,
	CONVENTION_SYSCALL,		/* __x64_sys_NAME: one pointer to the caller's registers */
	CONVENTION_SYSCALL_IA32,	/* the same from a 32-bit program */
	CONVENTION_TRACEPOINT,
};

/* A point that was found, and what $names mean there. */
struct site {
	struct plan_point point;	/* text where module symbol distance anchor offset match waits are filled in */
	enum convention convention;
	uint64_t address;		/* of the function; 0: not known */
	bool clone;			/* .isra and the like: its arguments are no longer those of its prototype */
	bool have_prototype;
	bool looked;			/* for the prototype */
	struct prototype prototype;
	bool user[PROTOTYPE_ARGS];	/* the argument points to user memory */
	const char *name;		/* of the function or system call for messages */
	const char *system;		/* of the tracepoint */
	/* PLAN_MEMORY: what the variable holds, for $value: an object at this address */
	struct plan_expr *at;
	const struct type *type;
	unsigned int bits, shift;	/* of a bit-field */
};

struct sites {
	struct site *list;
	unsigned int count;
	struct traced {			/* those of a pattern, where r->traced: no more is asked of them */
		const char *name, *module;
		uint64_t address;
	} *traced;
	unsigned int ntraced;
	bool pattern;			/* several matches of a glob: the measurement is by them */
	bool left_out;			/* `?`: this kernel has none; count is 0 */
	bool wrong;			/* what was said is no matter of what this kernel has: `?` does not excuse it */
	const struct point *written;	/* of those joined by `or` the one taken, as it stands in the script */
	struct point *replaced;		/* those read again after {NAME} was replaced */
};

/*
 * What the points of @place are in this kernel. With @whole: functions from entry to return. False where it is wrong
 * (said). @out is to be freed either way.
 */
bool resolve_points(struct resolve *r, const struct place *place, bool whole, struct sites *out);
void resolve_sites_free(struct sites *t);

/* One point that is no pattern; appends to @out. */
bool resolve_point(struct resolve *r, const struct point *p, bool whole, struct sites *out);
/* One that is; resolve_glob.c. */
bool resolve_glob(struct resolve *r, const struct point *p, bool whole, struct sites *out);

/* FILE:LINE, inline:NAME; resolve_code.c. */
bool resolve_places(struct resolve *r, const struct point *p, struct sites *out);
/* The places where a function without a body of its own was inlined. False: there are none; else *good. */
bool resolve_inlined(struct resolve *r, const struct point *p, struct sites *out, bool *good);

/* watch:VARIABLE; resolve_watch.c. What is wider than the processor watches becomes several points. */
bool resolve_watch(struct resolve *r, const struct point *p, struct sites *out);
/* The word behind `watch VARIABLE`: false where it is none (said). */
bool resolve_watch_mode(struct resolve *r, const struct statement *from);
/* Are there breakpoints enough for all that the script watches? */
bool resolve_watch_room(struct resolve *r, const struct script *script);

/* A function with a body that was inlined in places, whose calls there nobody sees: a warning, where DWARF knows. */
void resolve_warn_inlined(struct resolve *r, const struct point *p, const struct function *f);

struct site *resolve_site_add(struct sites *t);
/*
 * Add function @symbol at @address to @out; where @twins functions bear the name, by its address: point.distance and
 * point.anchor stay 0 where that cannot be.
 */
struct site *resolve_site_function(struct resolve *r, struct sites *out, const struct point *p, const char *module,
				       const char *symbol, uint64_t address, bool twins);
/* The functions that a system call is: one a calling convention. 0: there is none of this name. */
unsigned int resolve_site_syscall(struct resolve *r, struct sites *out, const struct point *p, const char *name,
				    bool at_return);
void resolve_site_tracepoint(struct resolve *r, struct sites *out, const struct point *p, const char *module,
			       const char *system, const char *name);

/* ---- expressions ---- */

/* Where an expression stands, for what it may use. */
struct context {
	struct site *site;		/* NULL: no point (bits, entries) */
	bool elapsed;			/* known here */
	const char *why_not;		/* elapsed is not */
	bool call;			/* of a whole call: $name at its entry, $return at its end */
	unsigned int *words;		/* then: how many words of data[] its keys and operands take so far */
};

/*
 * A typed expression. A number or pointer: `e` is its value. An object in memory (in_memory): its address. A structure
 * passed in registers: `e` and `high` are its words. A text or stack: `e` is it, `type` NULL.
 */
struct operand {
	struct plan_expr *e, *high;
	const struct type *type;
	bool in_memory;
	bool user;			/* in_memory: in user memory; a pointer: to it */
	bool is_errno;			/* what $return and PTR_ERR give */
	bool is_cgroup;			/* the number of one: cgroup->kn->id */
	unsigned int bits, shift;	/* of a bit-field in memory; bits 0: none */
};

/* ---- resolve_cgroup.c ---- */

/* Is a comparison of these two one of where the current task is: a cgroup with a text, a container with anything? */
bool resolve_is_place(const struct operand *a, const struct operand *b);
bool resolve_place(struct resolve *r, const struct expr *e, struct operand *a, struct operand *b, struct operand *o);
/* in_cgroup(@e) */
bool resolve_in_cgroup(struct resolve *r, const struct expr *e, struct operand *o);

/* ---- resolve_operand.c ---- */

void resolve_operand_free(struct operand *o);

/* "struct file *" of an operand, for messages; malloc'ed. */
char *operand_type_text(struct resolve *r, const struct operand *o);

/* An error about an operand whose type does not fit: "WHAT, but this is TYPE". Frees it; false. */
bool operand_wrong(struct resolve *r, struct loc loc, struct operand *o, const char *tag, const char *what);

void operand_set_number(struct resolve *r, struct operand *o, struct plan_expr *e);

bool operand_is_pointer(const struct operand *o);
bool operand_is_number(const struct operand *o);
/* A pointer to char, an array of char, or a text already. */
bool operand_is_text(struct resolve *r, const struct operand *o);

/* Whether a load gives one of these. */
bool operand_readable(const struct type *t);

/* Make @o a value: read it, or let an array be the pointer to its first element. False where it cannot be (said). */
bool operand_load(struct resolve *r, struct loc loc, struct operand *o);

/* As a number; a pointer is one with @pointer. As a text; not called for others. Both take what @o holds. */
struct plan_expr *operand_number(struct resolve *r, struct loc loc, struct operand *o, bool pointer);
struct plan_expr *operand_text(struct resolve *r, struct loc loc, struct operand *o);

/* ---- resolve_expr.c ---- */

/* False where it is wrong (said). */
bool resolve_operand(struct resolve *r, const struct expr *e, const struct context *context, struct operand *out);

/* An error: a structure has no such field, and which are near. */
void resolve_no_member(struct resolve *r, struct loc loc, const struct type *t, const char *name);

/* Its value as a number; pointers count as numbers with @pointer. NULL where it is wrong (said). */
struct plan_expr *resolve_value(struct resolve *r, const struct expr *e, const struct context *context);

/* The same, as the truth value of an `if`. */
struct plan_expr *resolve_condition(struct resolve *r, const struct expr *e, const struct context *context);

/* ---- resolve_key.c ---- */

/* As a key of `by` or `key`: text, stack, number. *by gets type, words and names. */
struct plan_expr *resolve_key(struct resolve *r, const struct expr *e, const struct context *context,
			      struct plan_by *by);

/* A whole number without any kernel: of `bits`, `entries`; a literal or a parameter. */
bool resolve_number(struct resolve *r, const struct expr *e, const char *what, uint64_t low, uint64_t high,
		    uint64_t *number);

/* Does the path end with this file, at a folder's border? resolve_point.c */
bool resolve_is_file(const char *path, const char *file);
/* The number of a module's variable in the plan, where the runtime puts its address; resolve_name.c. */
unsigned int resolve_module_variable(struct resolve *r, const char *module, const char *name);

/* A bare name, `&name` with @address; resolve_name.c. */
bool resolve_name(struct resolve *r, const struct expr *e, const struct context *context, bool address,
		  struct operand *out);

/* resolve_param.c: the parameters of the script, with what the command line says of them. */
bool resolve_parameters(struct resolve *r, const struct script *script, const struct assignment *given, size_t ngiven);
void resolve_parameters_free(struct resolve *r);
const struct parameter *resolve_parameter(const struct resolve *r, struct loc loc, const char *name);
/* A quoted word with each {NAME} replaced by that parameter's text; malloc'ed. Unknown ones are said, and stay. */
char *resolve_replace(struct resolve *r, const char *text, struct loc loc);

/* $value at a watched variable; resolve_watch.c. */
bool resolve_watched_value(struct resolve *r, const struct expr *e, const struct site *site, struct operand *o);

/* $name and $return; resolve_scope.c. */
bool resolve_argument(struct resolve *r, const struct expr *e, const struct context *context, struct operand *out);

/* $name as a field of the tracepoint's record; resolve_field.c. False: it is none that is known (nothing said). */
bool resolve_field(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o);

/* Where a bare name is an argument there, or a field of the tracepoint's record, say so behind the message given last. */
bool resolve_say_argument(struct resolve *r, const char *name, struct site *site);

/* The type that a type's text in a header or a cast's words mean; NULL: none (not said). */
const struct type *resolve_type_text(struct resolve *r, const char *text, const char *module);

/* Is it known that all arguments of the function lie in registers, and that it is not variadic? */
bool resolve_in_registers(struct resolve *r, struct site *site);

/* resolve_thunk.c: say of a point with its handlers whether a thunk may serve it. */
void resolve_thunk(struct resolve *r, struct site *site);

/* The types of the arguments that a tracepoint's callback has; false: its types are not known. */
bool resolve_callback(struct resolve *r, struct site *t);

/* ---- what is evaluated at a call's entry ---- */

/*
 * Split what is evaluated at a call's entry from what must wait for its return. The conjuncts of *@filter without
 * elapsed and $return go to @early; in the rest each largest part without them becomes a store of @early, from word
 * *@words on. False where that needs more than KSTATS_DATA_WORDS.
 */
bool resolve_split(struct plan_expr *filter, struct plan_side *early, struct plan_side *late, unsigned int *words);

/* The same for a key or value that waits for the return: what is left to do there. NULL: too many words. */
struct plan_expr *resolve_split_value(struct plan_expr *value, struct plan_side *early, unsigned int *words);

void resolve_store(struct plan_side *side, unsigned int word, struct plan_expr *value);

/* ---- options ---- */

/* The options of a statement by kind: its own, and those of one of its places. */
struct options {
	const struct option *of[OPTION_VIA + 1];
};

/* Sort the options of @place into its own and the statement's. */
bool resolve_options(struct resolve *r, const struct place *place, struct options *own, struct options *all);

/* bits range unit clock entries top nesting first via name: after the statement's points and keys are known. */
bool resolve_statement_options(struct resolve *r, struct plan_statement *s, const struct options *all,
			       const struct statement *from);
void resolve_statement_name(struct resolve *r, struct plan_statement *s, const struct option *option,
			    const struct statement *from, const struct point *first);

/*
 * Add the keys of @by to the statement as its keys from number @first on, or, when an earlier point gave them, see that
 * they are of the same types. Their words go to @early, or to @late what waits for a call's return (of other points one of
 * the two is NULL). *count: how many.
 */
bool resolve_by(struct resolve *r, struct plan_statement *s, const struct option *by, const struct context *context,
		struct plan_side *early, struct plan_side *late, unsigned int first, unsigned int *count);

/* The text of a statement, on one line. */
char *resolve_one_line(const struct resolve *r, struct loc loc);

void resolve_stems_free(struct resolve *r);

/* ---- statements ---- */

/* resolve_pair.c. *left_out: `?` left nothing of it. */
bool resolve_pair(struct resolve *r, const struct statement *from, struct plan_statement *s, bool *left_out);
bool resolve_between(struct resolve *r, const struct statement *from, struct plan_statement *s, bool *left_out);

/* resolve_profile.c */
bool resolve_profile(struct resolve *r, const struct statement *from, struct plan_statement *s, bool *left_out);

/* resolve.c */
bool resolve_call(struct resolve *r, const struct statement *from, struct plan_statement *s, bool *left_out);
void resolve_take_sites(struct resolve *r, struct plan_statement *s, struct sites *sites);
void resolve_by_matches(struct plan_statement *s);
void resolve_by_functions(struct plan_statement *s);

#endif /* KM_RESOLVE_PRIVATE_H */
