/* SPDX-License-Identifier: GPL-2.0 */
/*
 * beside.h: where the files are that kmeter comes with: runtime/, guest/, examples/, html/. In a build tree they lie beside build/, where it
 * is installed in PREFIX/share/kmeter; either is found from this program's own file.
 */
#ifndef KM_BESIDE_H
#define KM_BESIDE_H

/* This program's file, "" when nobody knows. To be freed. */
char *beside_program(void);

/* The path of NAME ("guest/boot") that can be read; NULL: it is in neither place. To be freed. */
char *beside_find(const char *name);

#endif /* KM_BESIDE_H */
