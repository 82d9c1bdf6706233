// SPDX-License-Identifier: GPL-2.0
/* image.c: ELF files of the kernel through libelf; libdw unpacks the compressed ones, or the tool for it. */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command.h"
#include "image.h"
#include "text.h"

#define PAYLOAD_MAX	(256 << 20)

struct image {
	Elf *elf;
	int fd;
	const char *bytes;	/* the whole file, unpacked */
	size_t size;
};

/*
 * A bzImage carries the compressed vmlinux as its payload (Documentation/arch/x86/boot.rst). Replace @fd by one of
 * that payload alone, which libdw can unpack.
 */
static void take_payload(int *fd)
{
	unsigned char head[0x250], *payload = NULL;
	uint32_t offset, length;
	bool good = false;
	int only;

	if (pread(*fd, head, sizeof(head), 0) != sizeof(head) || memcmp(head + 0x202, "HdrS", 4) != 0)
		return;
	memcpy(&offset, head + 0x248, sizeof(offset));
	memcpy(&length, head + 0x24c, sizeof(length));
	offset += (head[0x1f1] + 1) * 512;
	if (length < 16 || length > PAYLOAD_MAX)
		return;
	payload = mem_zero(length, 1);
	only = memfd_create("vmlinux", MFD_CLOEXEC);
	if (only >= 0 && pread(*fd, payload, length, offset) == (ssize_t)length) {
		/* The kernel's build appends the unpacked size to all but gzip, which has it already. */
		length -= payload[0] == 0x1f ? 0 : 4;
		good = write(only, payload, length) == (ssize_t)length;
	}
	free(payload);
	if (good) {
		close(*fd);
		*fd = only;
	} else if (only >= 0) {
		close(only);
	}
}

/* How files begin that are packed in a way, and who unpacks it where this libdw does not. */
static const struct {
	unsigned char magic[4];
	unsigned int length;
	const char *argv[4];
} packings[] = {
	{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, { "zstd", "-dcq", NULL } },
	{ { 0x02, 0x21, 0x4c, 0x18 }, 4, { "lz4", "-dcq", NULL } },
	{ { 0xfd, 0x37, 0x7a, 0x58 }, 4, { "xz", "-dc", NULL } },
	{ { 0x1f, 0x8b }, 2, { "gzip", "-dc", NULL } },
};

static void unpack(int *fd)
{
	unsigned char head[4];
	int out;

	if (pread(*fd, head, sizeof(head), 0) != sizeof(head))
		return;
	for (unsigned int i = 0; i < sizeof(packings) / sizeof(*packings); i++) {
		if (memcmp(head, packings[i].magic, packings[i].length) != 0)
			continue;
		lseek(*fd, 0, SEEK_SET);
		out = command_filter(packings[i].argv, *fd);
		if (out >= 0) {
			close(*fd);
			*fd = out;
		}
		return;
	}
}

static bool is_elf(Elf *elf)
{
	return elf && elf_kind(elf) == ELF_K_ELF;
}

struct image *image_open(const char *path)
{
	struct image *image = mem_zero(1, sizeof(*image));

	elf_version(EV_CURRENT);
	image->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (image->fd < 0)
		goto fail;
	take_payload(&image->fd);
	image->elf = dwelf_elf_begin(image->fd);
	if (!is_elf(image->elf)) {
		elf_end(image->elf);
		unpack(&image->fd);
		image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
	}
	if (!is_elf(image->elf))
		goto fail;
	image->bytes = elf_rawfile(image->elf, &image->size);
	if (image->bytes)
		return image;
fail:
	image_free(image);
	return NULL;
}

void image_free(struct image *image)
{
	if (!image)
		return;
	elf_end(image->elf);
	if (image->fd >= 0)
		close(image->fd);
	free(image);
}

/* The bytes of a section as they lie in the file. */
static const char *section_bytes(const struct image *image, const GElf_Shdr *sh)
{
	if (sh->sh_type == SHT_NOBITS || sh->sh_offset > image->size || sh->sh_size > image->size - sh->sh_offset)
		return NULL;
	return image->bytes + sh->sh_offset;
}

/* The allocated section that holds @address, and from there to its end. */
static const char *address_bytes(const struct image *image, uint64_t address, uint64_t *left)
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;

	while ((section = elf_nextscn(image->elf, section))) {
		const char *bytes;

		if (!gelf_getshdr(section, &sh) || !(sh.sh_flags & SHF_ALLOC) || address < sh.sh_addr ||
		    address - sh.sh_addr >= sh.sh_size)
			continue;
		bytes = section_bytes(image, &sh);
		if (!bytes)
			continue;
		*left = sh.sh_size - (address - sh.sh_addr);
		return bytes + (address - sh.sh_addr);
	}
	return NULL;
}

const void *image_at(const struct image *image, uint64_t address, size_t size)
{
	uint64_t left;
	const char *bytes = address_bytes(image, address, &left);

	return bytes && left >= size ? bytes : NULL;
}

const char *image_string(const struct image *image, uint64_t address)
{
	uint64_t left;
	const char *bytes = address_bytes(image, address, &left);

	return bytes && memchr(bytes, 0, left) ? bytes : NULL;
}

/* ---- the ELF symbol table ---- */

static bool find_section(const struct image *image, GElf_Word type, Elf_Scn **section, GElf_Shdr *sh)
{
	*section = NULL;
	while ((*section = elf_nextscn(image->elf, *section)))
		if (gelf_getshdr(*section, sh) && sh->sh_type == type)
			return true;
	return false;
}

static const char *section_name(const struct image *image, size_t index)
{
	Elf_Scn *section = elf_getscn(image->elf, index);
	GElf_Shdr sh;
	size_t strings;

	if (!section || !gelf_getshdr(section, &sh) || elf_getshdrstrndx(image->elf, &strings))
		return "";
	return elf_strptr(image->elf, strings, sh.sh_name) ?: "";
}

const void *image_section(const struct image *image, const char *name, size_t *size)
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;
	size_t index = 0;

	while ((section = elf_nextscn(image->elf, section))) {
		if (strcmp(section_name(image, ++index), name) != 0)
			continue;
		if (!gelf_getshdr(section, &sh))
			return NULL;
		*size = sh.sh_size;
		return section_bytes(image, &sh);
	}
	return NULL;
}

/* nm's letter for a symbol, as far as it matters here; 'n': a function where no probe may be. */
static char letter(const struct image *image, const GElf_Sym *sym)
{
	bool global = GELF_ST_BIND(sym->st_info) != STB_LOCAL;
	Elf_Scn *section = sym->st_shndx && sym->st_shndx < SHN_LORESERVE ? elf_getscn(image->elf, sym->st_shndx) : NULL;
	GElf_Shdr sh;
	const char *name;

	if (!section || !gelf_getshdr(section, &sh))
		return sym->st_shndx == SHN_ABS ? 'a' : 'U';
	name = section_name(image, sym->st_shndx);
	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC && !(sh.sh_flags & SHF_EXECINSTR) && strstr(name, "percpu"))
		return 'q';
	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC && !(sh.sh_flags & SHF_EXECINSTR) && strncmp(name, ".init.", 6) == 0)
		return 'j';
	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC && !(sh.sh_flags & SHF_EXECINSTR))
		return sh.sh_type == SHT_NOBITS ? (global ? 'B' : 'b') : sh.sh_flags & SHF_WRITE ? (global ? 'D' : 'd') :
		       (global ? 'R' : 'r');
	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC && GELF_ST_TYPE(sym->st_info) != STT_NOTYPE)
		return 'd';
	if (strcmp(name, ".noinstr.text") == 0 || strcmp(name, ".kprobes.text") == 0 || strcmp(name, ".entry.text") == 0)
		return 'n';
	if (strcmp(name, ".init.text") == 0 || strcmp(name, ".exit.text") == 0)
		return 'i';
	return global ? 'T' : 't';
}

bool image_places(const struct image *image, image_place_fn *each, void *arg)
{
	Elf_Scn *section;
	GElf_Shdr sh;
	Elf_Data *data;

	if (!find_section(image, SHT_SYMTAB, &section, &sh) || !sh.sh_entsize)
		return false;
	data = elf_getdata(section, NULL);
	if (!data)
		return false;
	for (size_t i = 1; i < sh.sh_size / sh.sh_entsize; i++) {
		GElf_Sym sym;
		const char *name;
		unsigned int type;

		if (!gelf_getsym(data, i, &sym))
			break;
		type = GELF_ST_TYPE(sym.st_info);
		name = elf_strptr(image->elf, sh.sh_link, sym.st_name);
		/* A file's local symbols follow it; all global ones come behind the last local one. */
		if (i == sh.sh_info)
			each(arg, (struct image_place){}, 'f', "");
		if (!name || !*name || type == STT_SECTION)
			continue;
		if (type == STT_FILE)
			each(arg, (struct image_place){}, 'f', name);
		else
			each(arg, (struct image_place){ sym.st_shndx < SHN_LORESERVE ? sym.st_shndx : 0, sym.st_value },
			     letter(image, &sym), name);
	}
	return true;
}

uint64_t image_place_address(struct image_place place)
{
	return (uint64_t)place.section << IMAGE_SECTION_SHIFT | place.offset;
}

uint64_t image_place_offset(uint64_t address)
{
	return address & ((1ULL << IMAGE_SECTION_SHIFT) - 1);
}

struct without_sections {
	bool relocatable;
	image_symbol_fn *each;
	void *arg;
};

static void without_section(void *arg, struct image_place place, char type, const char *name)
{
	struct without_sections *w = arg;

	w->each(w->arg, w->relocatable ? image_place_address(place) : place.offset, type, name);
}

bool image_symtab(const struct image *image, image_symbol_fn *each, void *arg)
{
	struct without_sections w = { .each = each, .arg = arg };
	GElf_Ehdr header;

	w.relocatable = gelf_getehdr(image->elf, &header) && header.e_type == ET_REL;
	return image_places(image, without_section, &w);
}

const void *image_function(const struct image *image, const char *symbol, uint64_t address, size_t *size)
{
	const char *found = NULL;
	bool several = false;
	Elf_Scn *section;
	GElf_Shdr sh;
	Elf_Data *data;
	GElf_Sym sym;

	if (!find_section(image, SHT_SYMTAB, &section, &sh) || !sh.sh_entsize || !(data = elf_getdata(section, NULL)))
		return NULL;
	for (size_t i = 1; i < sh.sh_size / sh.sh_entsize && gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(image->elf, sh.sh_link, sym.st_name), *bytes;
		GElf_Shdr text;

		if (!name || strcmp(name, symbol) != 0 || GELF_ST_TYPE(sym.st_info) != STT_FUNC)
			continue;
		if (!sym.st_shndx || sym.st_shndx >= SHN_LORESERVE ||
		    !gelf_getshdr(elf_getscn(image->elf, sym.st_shndx), &text))
			return NULL;
		bytes = section_bytes(image, &text);
		if (!bytes || sym.st_value > text.sh_size || sym.st_size > text.sh_size - sym.st_value)
			return NULL;
		several |= found != NULL;
		found = bytes + sym.st_value;
		*size = sym.st_size;
		if (address == image_place_address((struct image_place){ sym.st_shndx, sym.st_value }))
			return found;
	}
	return several ? NULL : found;
}

/* ---- pointers in a module, which are relocations ---- */

bool image_symbol_place(const struct image *image, const char *symbol, struct image_place *place)
{
	Elf_Scn *section;
	GElf_Shdr sh;
	Elf_Data *data;
	GElf_Sym sym;

	if (!find_section(image, SHT_SYMTAB, &section, &sh) || !sh.sh_entsize || !(data = elf_getdata(section, NULL)))
		return false;
	for (size_t i = 1; i < sh.sh_size / sh.sh_entsize && gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(image->elf, sh.sh_link, sym.st_name);

		if (name && strcmp(name, symbol) == 0 && sym.st_shndx && sym.st_shndx < SHN_LORESERVE) {
			*place = (struct image_place){ sym.st_shndx, sym.st_value };
			return true;
		}
	}
	return false;
}

static bool relocation_target(const struct image *image, const GElf_Shdr *sh, const GElf_Rela *rela,
			      struct image_place *to)
{
	Elf_Scn *symbols = elf_getscn(image->elf, sh->sh_link);
	Elf_Data *data = symbols ? elf_getdata(symbols, NULL) : NULL;
	GElf_Sym sym;

	if (!data || !gelf_getsym(data, GELF_R_SYM(rela->r_info), &sym) || !sym.st_shndx || sym.st_shndx >= SHN_LORESERVE)
		return false;
	*to = (struct image_place){ sym.st_shndx, sym.st_value + rela->r_addend };
	return true;
}

bool image_follow(const struct image *image, struct image_place at, struct image_place *to)
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;

	while ((section = elf_nextscn(image->elf, section))) {
		Elf_Data *data;
		GElf_Rela rela;

		if (!gelf_getshdr(section, &sh) || sh.sh_type != SHT_RELA || sh.sh_info != at.section || !sh.sh_entsize)
			continue;
		data = elf_getdata(section, NULL);
		for (size_t i = 0; data && i < sh.sh_size / sh.sh_entsize && gelf_getrela(data, i, &rela); i++)
			if (rela.r_offset == at.offset)
				return relocation_target(image, &sh, &rela, to);
	}
	return false;
}

const char *image_place_string(const struct image *image, struct image_place place)
{
	Elf_Scn *section = elf_getscn(image->elf, place.section);
	GElf_Shdr sh;
	const char *bytes;

	if (!section || !gelf_getshdr(section, &sh))
		return NULL;
	bytes = section_bytes(image, &sh);
	if (!bytes || place.offset >= sh.sh_size || !memchr(bytes + place.offset, 0, sh.sh_size - place.offset))
		return NULL;
	return bytes + place.offset;
}

/* ---- for kallsyms.c: where its tables may lie ---- */

#include "image_private.h"

const char *image_rodata(const struct image *image, size_t *size, uint64_t *text_address)
{
	Elf_Scn *section = NULL;
	const char *found = NULL;
	GElf_Shdr sh;
	size_t index = 0;

	*text_address = 0;
	while ((section = elf_nextscn(image->elf, section))) {
		const char *name = section_name(image, ++index);

		if (!gelf_getshdr(section, &sh))
			continue;
		if (strcmp(name, ".text") == 0)
			*text_address = sh.sh_addr;
		if (strcmp(name, ".rodata") == 0) {
			found = section_bytes(image, &sh);
			*size = sh.sh_size;
		}
	}
	return found;
}
