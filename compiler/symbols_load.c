// SPDX-License-Identifier: GPL-2.0
/* symbols_load.c: the target kernel's own symbols: /proc/kallsyms, System.map, or the tables inside its image. */
#include <stdlib.h>
#include <string.h>

#include "image_private.h"
#include "instructions.h"
#include "symbols_private.h"

/* Debian's System.map is one line that says where the real one is. */
#define SYMBOLS_MIN	100

static const char *const maps[] = {
	"/boot/System.map-%r",
	"/usr/lib/debug/boot/System.map-%r",
	"/lib/modules/%r/System.map",
	"/usr/lib/modules/%r/System.map",
	NULL
};

static const char *const images[] = {
	"/boot/vmlinux-%r",
	"/usr/lib/debug/boot/vmlinux-%r",
	"/usr/lib/debug/lib/modules/%r/vmlinux",
	"/lib/modules/%r/vmlinux",
	"/boot/vmlinuz-%r",
	"/lib/modules/%r/vmlinuz",
	NULL
};

const struct image *symbols_image(struct symbols *s)
{
	if (s->image_tried)
		return s->image;
	s->image_tried = true;
	for (unsigned int i = 0; images[i] && !s->image; i++) {
		char *path = kernel_path(s->kernel, images[i]);

		s->image = image_open(path);
		free(path);
	}
	return s->image;
}

uint64_t symbols_link_address(struct symbols *s, const char *name)
{
	const struct image *image = symbols_image(s);
	uint64_t address = symbols_address(s, name), text = 0;
	size_t size;

	if (!image || !address || !s->kernel->running)
		return image ? address : 0;
	image_rodata(image, &size, &text);
	return address - symbols_address(s, "_text") + text;
}

void *symbols_code(struct symbols *s, const char *module, const char *name, uint64_t address, size_t *size)
{
	uint64_t text = symbols_address(s, "_text");
	const struct image *image;
	struct image *file;
	const void *bytes;
	void *copy;

	if (module) {
		file = modules_image(s, modules_find(s, module));
		bytes = file ? image_function(file, name, address, size) : NULL;
		copy = bytes && *size ? mem_copy(bytes, *size) : NULL;
		image_free(file);
		return copy;
	}
	image = symbols_image(s);
	if (!*size)
		*size = symbols_size_at(s, address);
	if (!image || !address || !*size || !text)
		return NULL;
	bytes = image_at(image, address - text + symbols_link_address(s, "_text"), *size);
	return bytes ? mem_copy(bytes, *size) : NULL;
}

int symbols_call_site(struct symbols *s, uint64_t address)
{
	const struct image *image = address ? symbols_image(s) : NULL;
	uint64_t fentry = symbols_address(s, "__fentry__"), text = symbols_address(s, "_text");
	const void *code;

	if (!image || !text || !fentry)
		return -1;
	code = image_at(image, address - text + symbols_link_address(s, "_text"), CALL_SITE_BYTES + ENDBR_BYTES);
	return code ? instructions_call_site(code, CALL_SITE_BYTES + ENDBR_BYTES, address, fentry) >= 0 : -1;
}

/* Lines "ADDRESS TYPE NAME" or "ADDRESS TYPE NAME\t[MODULE]": names and modules are cut out in place. */
static void parse_lines(struct symbols *s, char *text)
{
	struct module *module = NULL;

	while (*text) {
		char *end = strchrnul(text, '\n'), *next = *end ? end + 1 : end;
		char *name, *bracket;
		uint64_t address;
		char type;

		*end = 0;
		address = strtoull(text, &name, 16);
		if (name != text && name[0] == ' ' && name[1] && name[2] == ' ') {
			type = name[1];
			name += 3;
			bracket = strchr(name, '\t');
			if (bracket)
				*bracket++ = 0;
			if (!bracket) {
				symbols_add(s, address, type, name, NULL);
			} else if (*bracket == '[') {
				size_t length = strcspn(bracket + 1, "]");

				/* They come module by module. bpf's programs pretend to be one. */
				if (!module || strlen(module->name) != length ||
				    strncmp(module->name, bracket + 1, length) != 0)
					module = modules_loaded(s, bracket + 1, length);
				if (module)
					symbols_add(s, address, type, name, module->name);
			}
		}
		text = next;
	}
}

/* False where the text has too few symbols to be a kernel's. */
static bool load_text(struct symbols *s, char *text)
{
	unsigned int lines = 0;

	for (const char *p = text; lines < SYMBOLS_MIN && (p = strchr(p, '\n')); p++)
		lines++;
	if (lines < SYMBOLS_MIN) {
		free(text);
		return false;
	}
	s->kernel_text = text;
	parse_lines(s, text);
	return true;
}

static void each_symbol(void *arg, uint64_t address, char type, const char *name)
{
	struct symbols *s = arg;

	if (type == 'f')
		symbols_file(s, name);
	else
		symbols_add(s, address, type, symbols_keep(s, name), NULL);
}

/* Of one address in the order of the table. */
static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* An ELF symbol table has its own order; which symbol follows which gives the sizes. */
static void sort(struct symbols *s)
{
	qsort(s->symbols, s->count, sizeof(*s->symbols), by_address);
}

static bool load_image(struct symbols *s)
{
	const struct image *image = symbols_image(s);

	if (!image)
		return false;
	if (image_symtab(image, each_symbol, s) && s->count >= SYMBOLS_MIN) {
		sort(s);
		return true;
	}
	s->count = 0;
	return image_kallsyms(image, each_symbol, s) && s->count >= SYMBOLS_MIN;
}

bool symbols_load(struct symbols *s, struct diag *diag)
{
	char *text = s->kernel->running ? text_of_file("/proc/kallsyms", NULL) : NULL, *packed;

	if (text && load_text(s, text))
		return true;
	for (unsigned int i = 0; maps[i]; i++) {
		char *path = kernel_path(s->kernel, maps[i]);

		text = text_of_file(path, NULL);
		free(path);
		if (text && load_text(s, text))
			return true;
	}
	if (load_image(s))
		return true;
	diag_error(diag, LOC_NONE, "no-symbols", "no symbols of kernel %s%s%s: neither System.map-%s nor vmlinux-%s in %s/boot",
		   s->kernel->release, *s->kernel->root ? " under " : "", s->kernel->root, s->kernel->release,
		   s->kernel->release, s->kernel->root);
	diag_help(diag, "they come with linux-image-%s-dbg (Debian) or kernel-debuginfo (Fedora); of the running kernel "
		  "/proc/kallsyms has them", s->kernel->release);
	packed = kernel_file(s->kernel, images);
	if (packed)
		diag_help(diag, "%s has them, too, but could not be unpacked: that takes lz4, zstd or xz (xz-utils)", packed);
	free(packed);
	return false;
}
