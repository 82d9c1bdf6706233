/* SPDX-License-Identifier: GPL-2.0 */
/*
 * template.h: learns from a module that kbuild made (runtime/template.c) how to make others like it without kbuild.
 */
#ifndef KM_TEMPLATE_H
#define KM_TEMPLATE_H

#include "recipe.h"

/*
 * Put the template's source into folder @dir, beside the runtime's, and into the Kbuild there. It wants what the runtime
 * exports, and of the kernel of @headers what a compiler may. False: errno says.
 */
bool template_write(const char *dir, const char *headers);

/* Take it out of the Kbuild again. */
bool template_remove(const char *dir);

/*
 * After kbuild: write into @dir what replay.c needs: the recipe, recorded.h, and objects. Where there can be no recipe,
 * @r->refused says why.
 */
void template_record(struct recipe *r, const char *dir, const char *headers, const char *cc);

/* Write @r into @dir. */
bool template_store(const struct recipe *r, const char *dir);

#endif /* KM_TEMPLATE_H */
