/* SPDX-License-Identifier: GPL-2.0 */
/*
 * older.h: what older kernels have by another name. Scripts use the newest kernel's; where the target has it not, the older one is tried.
 */
#ifndef KM_OLDER_H
#define KM_OLDER_H

struct older_field {
	const char *outer;	/* the structure that has it */
	const char *through;	/* of what this field of it is, or points to, it was made one; NULL: it was renamed */
	const char *field;
	const char *before;	/* its name directly in the outer one */
};

/* What @field, reached by the field @through (NULL: by none), was before. NULL: nothing is known. */
const struct older_field *older_field(const char *field, const char *through);

/* What the enum of that tag was called before, or NULL. */
const char *older_enum(const char *tag);

#endif
