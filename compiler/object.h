/* SPDX-License-Identifier: GPL-2.0 */
/* object.h: what lies in a compiled object (.o): its sections, and the symbols that it wants from others. */
#ifndef KM_OBJECT_H
#define KM_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object;

/* NULL where it is no such object. */
struct object *object_open(const char *path);
void object_close(struct object *o);

/* The contents of the section of this name, until object_close(); NULL where there is none. */
const void *object_section(const struct object *o, const char *name, size_t *length);

/* Call @each with every undefined symbol, until it says false; then that is returned. */
bool object_undefined(const struct object *o, bool (*each)(const char *name, void *data), void *data);

/*
 * The symbol that the bytes from @at on in a section are relocated by, if they are 32 bits: *addend is what is added to
 * it, *relative whether it is counted from the place. NULL where there is none.
 */
const char *object_relocation(const struct object *o, const char *section, uint64_t at, int64_t *addend, bool *relative);

#endif /* KM_OBJECT_H */
