/* SPDX-License-Identifier: GPL-2.0 */
/* places.h: where the points that only debug information knows, FILE:LINE and inline:NAME, are in a kernel's code. */
#ifndef KM_PLACES_H
#define KM_PLACES_H

#include "ast.h"
#include "diag.h"
#include "kernel.h"
#include "symbols.h"
#include "types.h"

struct places_in {
	const struct kernel *kernel;
	struct symbols *symbols;
	struct types *types;
	struct diag *diag;
};

/*
 * All places of a POINT_LINE, or of a POINT_INLINE (of its module, where it names one): the first instruction of each, in
 * order of address, those too where no probe may be. The module that they are in goes to *module, NULL for the kernel's
 * own; this and the array are malloc'ed. 0: there is none, and why was said.
 */
unsigned int places_find(const struct places_in *in, const struct point *p, char **module, struct code_place **places);

#endif /* KM_PLACES_H */
