// SPDX-License-Identifier: GPL-2.0
/* debuginfo_find.c: where the DWARF of vmlinux or of a module lies, and whether what lies there belongs to it. */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debuginfo.h"
#include "symbols_private.h"

#define BUILD_ID_MAX	64

struct build_id {
	unsigned int size;	/* 0: not known */
	uint8_t bytes[BUILD_ID_MAX];
};

/* ---- build-ids ---- */

static void take_id(struct build_id *id, const void *bytes, size_t size)
{
	if (size && size <= BUILD_ID_MAX) {
		memcpy(id->bytes, bytes, size);
		id->size = size;
	}
}

static void id_of_elf(struct build_id *id, Elf *elf)
{
	const void *bytes;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);

	if (size > 0)
		take_id(id, bytes, size);
}

/* From notes as sysfs shows them: { name's size, size, type }, name, bytes; each padded to 4. */
static void id_of_notes(struct build_id *id, const char *path)
{
	size_t length, at = 0;
	char *notes = text_of_file(path, &length);

	while (notes && length - at >= 12) {
		uint32_t head[3];
		size_t name = at + 12, bytes, next;

		memcpy(head, notes + at, sizeof(head));
		if (head[0] > length || head[1] > length)
			break;
		bytes = name + (head[0] + 3) / 4 * 4;
		next = bytes + (head[1] + 3) / 4 * 4;
		if (bytes + head[1] > length)
			break;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 && memcmp(notes + name, "GNU", 4) == 0)
			take_id(id, notes + bytes, head[1]);
		if (next >= length)
			break;
		at = next;
	}
	free(notes);
}

/* ---- opening ---- */

/* libdwfl shall look for nothing by itself: it knows nothing of sysroots, and of servers on the network too much. */
static int find_nothing(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base, const char *file,
			const char *link, GElf_Word crc, char **found)
{
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = find_nothing,
	.section_address = dwfl_offline_section_address,
};

/* A file, compressed or not. NULL: no ELF file of 64 bits. */
static Dwfl_Module *open_elf(const char *path, Dwfl **dwfl, Elf **elf)
{
	Dwfl_Module *module = NULL;
	GElf_Addr bias;

	*dwfl = access(path, R_OK) == 0 ? dwfl_begin(&callbacks) : NULL;
	if (*dwfl) {
		module = dwfl_report_offline(*dwfl, path, path, -1);
		dwfl_report_end(*dwfl, NULL, NULL);
	}
	*elf = module ? dwfl_module_getelf(module, &bias) : NULL;
	if (*elf && gelf_getclass(*elf) == ELFCLASS64)
		return module;
	dwfl_end(*dwfl);
	*dwfl = NULL;
	return NULL;
}

static Elf_Scn *find_section(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *its = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

		if (its && strcmp(its, name) == 0 && header.sh_type != SHT_NOBITS && header.sh_size)
			return section;
	}
	return NULL;
}

/* The part of the information that several files share. */
static bool open_alt(struct debuginfo *d, const char *path, const struct build_id *want)
{
	struct build_id id = {};

	d->alt_fd = open(path, O_RDONLY | O_CLOEXEC);
	d->alt_elf = d->alt_fd >= 0 ? elf_begin(d->alt_fd, ELF_C_READ_MMAP, NULL) : NULL;
	if (d->alt_elf)
		id_of_elf(&id, d->alt_elf);
	if (id.size == want->size && memcmp(id.bytes, want->bytes, id.size) == 0)
		d->alt = dwarf_begin_elf(d->alt_elf, DWARF_C_READ, NULL);
	if (d->alt) {
		dwarf_setalt(d->dwarf, d->alt);
		return true;
	}
	elf_end(d->alt_elf);
	if (d->alt_fd >= 0)
		close(d->alt_fd);
	d->alt_elf = NULL;
	d->alt_fd = -1;
	return false;
}

static char *by_id(const struct kernel *kernel, const struct build_id *id)
{
	struct text t = {};

	text_printf(&t, "%s/usr/lib/debug/.build-id/%02x/", kernel->root, id->bytes[0]);
	for (unsigned int i = 1; i < id->size; i++)
		text_printf(&t, "%02x", id->bytes[i]);
	text_string(&t, ".debug");
	return text_take(&t);
}

static void find_alt(struct debuginfo *d, const struct kernel *kernel, const char *path)
{
	struct build_id id = {};
	const char *name, *slash = strrchr(path, '/');
	const void *bytes;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(d->dwarf, &name, &bytes);
	char *where;

	if (size <= 0)
		return;
	take_id(&id, bytes, size);
	if (!id.size)
		return;
	where = name[0] == '/' ? mem_printf("%s%s", kernel->root, name) :
		mem_printf("%.*s/%s", slash ? (int)(slash - path) : 1, slash ? path : ".", name);
	if (!open_alt(d, where, &id)) {
		free(where);
		where = by_id(kernel, &id);
		open_alt(d, where, &id);
	}
	free(where);
}

/* Whether @path has DWARF, of the kernel that @want is from; then it is @d's. */
static bool try(struct debuginfo *d, const struct kernel *kernel, const char *path, const struct build_id *want)
{
	Dwfl_Module *module = open_elf(path, &d->dwfl, &d->elf);
	struct build_id id = {};
	GElf_Ehdr header;
	Dwarf_Addr bias;
	Dwarf_CU *first;

	if (!module)
		return false;
	id_of_elf(&id, d->elf);
	if (want->size && id.size && (want->size != id.size || memcmp(want->bytes, id.bytes, id.size) != 0))
		goto not;
	/* Before libdwfl applies a module's relocations, which takes its time. */
	if (!find_section(d->elf, ".debug_info") && !find_section(d->elf, ".zdebug_info"))
		goto not;
	d->dwarf = dwfl_module_getdwarf(module, &bias);
	if (!d->dwarf || bias || !gelf_getehdr(d->elf, &header) ||
	    dwarf_get_units(d->dwarf, NULL, &first, NULL, NULL, NULL, NULL) != 0)
		goto not;
	d->relocated = header.e_type == ET_REL;
	find_alt(d, kernel, path);
	return true;
not:
	dwfl_end(d->dwfl);
	d->dwfl = NULL;
	d->elf = NULL;
	d->dwarf = NULL;
	return false;
}

/* Takes @path. */
static bool try_path(struct debuginfo *d, const struct kernel *kernel, char *path, const struct build_id *want)
{
	bool good = try(d, kernel, path, want);

	free(path);
	return good;
}

/* ---- vmlinux ---- */

static const char *const vmlinux_paths[] = {
	"/usr/lib/debug/boot/vmlinux-%r", "/usr/lib/debug/lib/modules/%r/vmlinux",
	"/usr/lib/debug/usr/lib/modules/%r/vmlinux", "/boot/vmlinux-%r", "/lib/modules/%r/vmlinux",
	"/lib/modules/%r/build/vmlinux", NULL
};

static bool find_vmlinux(struct debuginfo *d, struct types *ts)
{
	static const char *const images[] = { "/boot/vmlinux-%r", "/lib/modules/%r/vmlinux", "/boot/vmlinuz-%r",
					      "/lib/modules/%r/vmlinuz", NULL };
	struct build_id id = {};
	char *path;
	Dwfl *dwfl;
	Elf *elf;

	if (ts->kernel->running) {
		id_of_notes(&id, "/sys/kernel/notes");
	} else {
		/* Only the plain one now: it takes a moment, the compressed one a tenth of a second. */
		path = kernel_path(ts->kernel, images[0]);
		if (open_elf(path, &dwfl, &elf))
			id_of_elf(&id, elf);
		dwfl_end(dwfl);
		free(path);
	}
	for (unsigned int i = 0; vmlinux_paths[i]; i++)
		if (try_path(d, ts->kernel, kernel_path(ts->kernel, vmlinux_paths[i]), &id))
			return true;
	for (unsigned int i = 1; images[i] && !id.size; i++) {
		path = kernel_path(ts->kernel, images[i]);
		if (open_elf(path, &dwfl, &elf))
			id_of_elf(&id, elf);
		dwfl_end(dwfl);
		free(path);
	}
	return id.size && try_path(d, ts->kernel, by_id(ts->kernel, &id), &id);
}

/* ---- modules ---- */

/*
 * @file is the module's file, @below its path under lib/modules/RELEASE without ".xz" and the like, NULL where it lies
 * elsewhere.
 */
static bool try_module(struct debuginfo *d, const struct kernel *kernel, const char *file, const char *below,
		       const struct build_id *id, const char *link)
{
	static const char *const trees[] = { "/usr/lib/debug/lib/modules/%r/", "/usr/lib/debug/usr/lib/modules/%r/" };
	const char *slash = strrchr(file, '/'), *ko = strstr(slash ? slash : file, ".ko");
	int dir = slash ? slash - file + 1 : 0, whole = ko ? ko + 3 - file : (int)strlen(file);

	for (unsigned int i = 0; below && i < 2; i++) {
		char *tree = kernel_path(kernel, trees[i]);
		bool good = try_path(d, kernel, mem_printf("%s%s", tree, below), id) ||
			    try_path(d, kernel, mem_printf("%s%s.debug", tree, below), id);

		free(tree);
		if (good)
			return true;
	}
	if (try(d, kernel, file, id) || try_path(d, kernel, mem_printf("%.*s.debug", whole, file), id) ||
	    try_path(d, kernel, mem_printf("%.*s.debug/%.*s", dir, file, whole - dir, file + dir), id) ||
	    try_path(d, kernel, mem_printf("%.*s.debug/%.*s.debug", dir, file, whole - dir, file + dir), id))
		return true;
	if (link && strchr(link, '/') == NULL &&
	    (try_path(d, kernel, mem_printf("%.*s%s", dir, file, link), id) ||
	     try_path(d, kernel, mem_printf("%.*s.debug/%s", dir, file, link), id)))
		return true;
	return id->size && try_path(d, kernel, by_id(kernel, id), id);
}

static bool find_module(struct debuginfo *d, struct types *ts, const char *name)
{
	struct module *module = ts->symbols ? modules_find(ts->symbols, name) : NULL;
	char *file, *below = NULL, *notes, *link = NULL;
	struct build_id id = {};
	bool good;
	Dwfl *dwfl;
	Elf *elf;

	if (!module || !module->path || module->built_in)
		return false;
	if (module->path[0] == '/') {
		file = kernel_path(ts->kernel, module->path);
	} else {
		const char *ko = strstr(module->path, ".ko");
		char *dir = kernel_path(ts->kernel, "/lib/modules/%r/");

		file = mem_printf("%s%s", dir, module->path);
		below = mem_copy(module->path, ko ? (size_t)(ko + 3 - module->path) : strlen(module->path));
		free(dir);
	}
	/* What is loaded may be another build than what lies there now. */
	if (ts->kernel->running && !strchr(name, '/')) {
		notes = mem_printf("/sys/module/%s/notes/.note.gnu.build-id", name);
		id_of_notes(&id, notes);
		free(notes);
	}
	if (open_elf(file, &dwfl, &elf)) {
		GElf_Word crc;
		const char *text = dwelf_elf_gnu_debuglink(elf, &crc);

		link = text ? mem_copy(text, strlen(text)) : NULL;
		if (!id.size)
			id_of_elf(&id, elf);
	}
	dwfl_end(dwfl);
	good = try_module(d, ts->kernel, file, below, &id, link);
	free(file);
	free(below);
	free(link);
	return good;
}

struct debuginfo *debuginfo_open(struct types *ts, const char *module)
{
	struct debuginfo *d = mem_zero(1, sizeof(*d));

	d->alt_fd = -1;
	d->module = module;
	d->symbols = ts->symbols;
	elf_version(EV_CURRENT);
	if (module ? find_module(d, ts, module) : find_vmlinux(d, ts))
		return d;
	debuginfo_close(d);
	return NULL;
}

void debuginfo_close(struct debuginfo *d)
{
	if (d->frames[1])
		dwarf_cfi_end(d->frames[1]);
	dwfl_end(d->dwfl);
	if (d->alt)
		dwarf_end(d->alt);
	elf_end(d->alt_elf);
	if (d->alt_fd >= 0)
		close(d->alt_fd);
	free(d->functions);
	free(d->units);
	free(d->dimensions);
	free(d);
}
