/* SPDX-License-Identifier: GPL-2.0 */
/* image_private.h: what image.c tells kallsyms.c. */
#ifndef KM_IMAGE_PRIVATE_H
#define KM_IMAGE_PRIVATE_H

#include "image.h"

/* The section that holds the tables, and the link address of the kernel's first symbol. */
const char *image_rodata(const struct image *image, size_t *size, uint64_t *text_address);

#endif /* KM_IMAGE_PRIVATE_H */
