// SPDX-License-Identifier: GPL-2.0
/* object.c: compiled objects, through libelf. */
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object.h"
#include "text.h"

struct object {
	Elf *elf;
	int fd;
	size_t names;
	Elf_Data *symbols;
	size_t nsymbols, strings;
};

static Elf_Scn *find(const struct object *o, const char *name, GElf_Shdr *sh)
{
	Elf_Scn *s = NULL;

	while ((s = elf_nextscn(o->elf, s))) {
		const char *is;

		if (!gelf_getshdr(s, sh))
			continue;
		is = elf_strptr(o->elf, o->names, sh->sh_name);
		if (is && strcmp(is, name) == 0)
			return s;
	}
	return NULL;
}

struct object *object_open(const char *path)
{
	struct object *o = mem_zero(1, sizeof(*o));
	GElf_Shdr sh;
	Elf_Scn *s;

	elf_version(EV_CURRENT);
	o->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (o->fd >= 0)
		o->elf = elf_begin(o->fd, ELF_C_READ_MMAP, NULL);
	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF || gelf_getclass(o->elf) != ELFCLASS64 ||
	    elf_getshdrstrndx(o->elf, &o->names))
		goto fail;
	s = find(o, ".symtab", &sh);
	if (!s || sh.sh_type != SHT_SYMTAB || !sh.sh_entsize)
		goto fail;
	o->symbols = elf_getdata(s, NULL);
	o->nsymbols = sh.sh_size / sh.sh_entsize;
	o->strings = sh.sh_link;
	if (o->symbols)
		return o;
fail:
	object_close(o);
	return NULL;
}

void object_close(struct object *o)
{
	if (!o)
		return;
	elf_end(o->elf);
	if (o->fd >= 0)
		close(o->fd);
	free(o);
}

const void *object_section(const struct object *o, const char *name, size_t *length)
{
	GElf_Shdr sh;
	Elf_Scn *s = find(o, name, &sh);
	Elf_Data *d = s && sh.sh_type != SHT_NOBITS ? elf_getdata(s, NULL) : NULL;

	*length = d ? d->d_size : 0;
	return d ? d->d_buf : NULL;
}

static const char *symbol_name(const struct object *o, const GElf_Sym *sym)
{
	return elf_strptr(o->elf, o->strings, sym->st_name);
}

bool object_undefined(const struct object *o, bool (*each)(const char *name, void *data), void *data)
{
	for (size_t i = 1; i < o->nsymbols; i++) {
		GElf_Sym sym;
		const char *name;

		if (!gelf_getsym(o->symbols, i, &sym) || sym.st_shndx != SHN_UNDEF)
			continue;
		name = symbol_name(o, &sym);
		if (name && *name && !each(name, data))
			return false;
	}
	return true;
}

const char *object_relocation(const struct object *o, const char *section, uint64_t at, int64_t *addend, bool *relative)
{
	char *name = mem_printf(".rela%s", section);
	GElf_Shdr sh;
	Elf_Scn *s = find(o, name, &sh);
	Elf_Data *d = s && sh.sh_type == SHT_RELA && sh.sh_entsize ? elf_getdata(s, NULL) : NULL;

	free(name);
	for (size_t i = 0; d && i < sh.sh_size / sh.sh_entsize; i++) {
		GElf_Rela r;
		GElf_Sym sym;
		uint32_t type;

		if (!gelf_getrela(d, i, &r) || r.r_offset != at)
			continue;
		type = GELF_R_TYPE(r.r_info);
		if ((type != R_X86_64_32S && type != R_X86_64_PC32) || !gelf_getsym(o->symbols, GELF_R_SYM(r.r_info), &sym) ||
		    sym.st_shndx != SHN_UNDEF)
			return NULL;
		*addend = r.r_addend;
		*relative = type == R_X86_64_PC32;
		return symbol_name(o, &sym);
	}
	return NULL;
}
