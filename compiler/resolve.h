/* SPDX-License-Identifier: GPL-2.0 */
/*
 * resolve.h: AST to plan: every name is looked up, every type and limit checked, and it is decided what is evaluated
 * where. What DESIGN's language has and this version has not yet is refused here, by name.
 */
#ifndef KM_RESOLVE_H
#define KM_RESOLVE_H

#include "ast.h"
#include "plan.h"
#include "symbols.h"
#include "types.h"

/*
 * @params: what the command line says of the script's parameters. False, with errors in @diag, where the script is wrong;
 * *plan is to be freed either way.
 */
bool resolve_script(const struct script *script, const struct kernel *kernel, struct symbols *symbols, struct diag *diag,
		    const struct assignment *params, size_t nparams, struct plan *plan);

/*
 * Why no thunk may stand between a function and its caller, and so a duration or a return takes a kretprobe; NULL: one may. @p:
 * NULL where nothing tells its arguments. Of the function's entry alone, there is no reason.
 */
const char *resolve_thunk_refusal(const char *symbol, const struct prototype *p);

/* resolve_scope.c: whether all of the arguments lie in registers. */
bool resolve_prototype_in_registers(const struct prototype *p);

/* resolve_watch.c: a watched variable for listings: where it lies, its type and pieces. False: there is none (said). */
bool resolve_list_watched(const struct point *p, bool details, const struct kernel *kernel, struct symbols *symbols,
			  struct types *types, struct diag *diag, FILE *to);

/* What an expression may call, ended by NULL. */
extern const char *const resolve_calls[];

#endif /* KM_RESOLVE_H */
