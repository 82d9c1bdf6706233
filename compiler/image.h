/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image.h: an ELF file of the kernel, compressed or not: vmlinux, the bzImage, a module; and the symbols in it.
 *
 * Distributions strip vmlinux, and Debian ships a System.map of one line. What remains is what the kernel itself
 * carries for /proc/kallsyms: image_kallsyms() reads those tables as they lie in the image.
 */
#ifndef KM_IMAGE_H
#define KM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

/* Open an ELF file (gzip, xz and zstd are unpacked, bzImages too). NULL where it is not one. */
struct image *image_open(const char *path);
void image_free(struct image *image);

/* @size bytes of initialised data at a link address, or NULL. */
const void *image_at(const struct image *image, uint64_t address, size_t size);

/* A zero-terminated text at a link address, or NULL. */
const char *image_string(const struct image *image, uint64_t address);

/* The bytes of the first section of this name, as they lie in the file; NULL where there is none. */
const void *image_section(const struct image *image, const char *name, size_t *size);

/*
 * Called for each symbol; @type as nm prints it; @name lives until the next call. Of a module, whose sections have no addresses
 * yet, @address is image_place_address().
 */
typedef void image_symbol_fn(void *arg, uint64_t address, char type, const char *name);

/* Of the tables for /proc/kallsyms, in order of address. False where there are none that can be read. */
bool image_kallsyms(const struct image *image, image_symbol_fn *each, void *arg);

/*
 * Of the ELF symbol table. For a module, @type is 'n' for functions that lie where no probe may be, 'i' for those of its
 * init and exit, 'j' for variables that are gone once it is loaded, 'q' for those that each CPU has. With 'f', @name is the base name of the source file that the symbols behind it are of, "" for none.
 */
bool image_symtab(const struct image *image, image_symbol_fn *each, void *arg);

/* A place in a module's file, whose sections have no addresses yet. */
struct image_place {
	size_t section;
	uint64_t offset;
};

/* One number for it, which no other place of the file has: never 0 for what is in a section. */
#define IMAGE_SECTION_SHIFT	40
uint64_t image_place_address(struct image_place place);
uint64_t image_place_offset(uint64_t address);

/* The same with the section of each symbol; of 'f' and of what is in none it is 0. */
typedef void image_place_fn(void *arg, struct image_place place, char type, const char *name);
bool image_places(const struct image *image, image_place_fn *each, void *arg);

/* The bytes of a module's function: the one at @address, else the only one of this name; NULL: none, or several. */
const void *image_function(const struct image *image, const char *symbol, uint64_t address, size_t *size);

/* Where @symbol is; what the pointer at @at points to, through its relocation; the text that is at @place. */
bool image_symbol_place(const struct image *image, const char *symbol, struct image_place *place);
bool image_follow(const struct image *image, struct image_place at, struct image_place *to);
const char *image_place_string(const struct image *image, struct image_place place);

#endif /* KM_IMAGE_H */
