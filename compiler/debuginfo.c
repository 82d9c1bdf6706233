// SPDX-License-Identifier: GPL-2.0
/*
 * debuginfo.c: finding one's way in a file with DWARF: its functions and their addresses, its units, the places where
 * it speaks of a name.
 *
 * DWARF has no index of types. But nearly all names are stored once, in .debug_str, and units refer to them by four
 * bytes: to search the units' bytes for those is some twenty times faster than to walk over all that they describe.
 * What is found so is a guess, and is confirmed by walking the one unit.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debuginfo.h"
#include "image.h"

#define FEW_WORDS	6		/* are looked for one after the other, more of them all at once */

/* ---- functions ---- */

static int in_order(const void *a, const void *b)
{
	const struct debug_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	/* Of several names of one function the best known: global, and without underscores. */
	if (x->global != y->global)
		return x->global ? -1 : 1;
	if ((x->name[0] == '_') != (y->name[0] == '_'))
		return x->name[0] == '_' ? 1 : -1;
	return strcmp(x->name, y->name);
}

static bool is_code(Elf *elf, const GElf_Sym *sym, GElf_Shdr *section)
{
	Elf_Scn *scn;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return false;
	/* Assembler's entry points have no type; its labels have no size. */
	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC && (GELF_ST_TYPE(sym->st_info) != STT_NOTYPE || !sym->st_size))
		return false;
	scn = elf_getscn(elf, sym->st_shndx);
	return scn && gelf_getshdr(scn, section) && section->sh_flags & SHF_EXECINSTR;
}

static void take_symbols(struct debuginfo *d, Elf_Scn *scn, const GElf_Shdr *table)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t count = data && table->sh_entsize ? data->d_size / table->sh_entsize : 0;
	GElf_Shdr section;
	GElf_Sym sym;

	for (size_t i = 1; i < count && gelf_getsym(data, i, &sym); i++) {
		const char *name;

		if (!is_code(d->elf, &sym, &section) || !(name = elf_strptr(d->elf, table->sh_link, sym.st_name)) ||
		    !*name || strncmp(name, "__pfx_", 6) == 0 || strncmp(name, "__cfi_", 6) == 0)
			continue;
		d->functions = mem_more(d->functions, d->nfunctions, sizeof(*d->functions));
		d->functions[d->nfunctions++] = (struct debug_symbol){
			.address = sym.st_value + (d->relocated ? section.sh_addr : 0), .size = sym.st_size,
			.value = d->relocated ? image_place_address((struct image_place){ sym.st_shndx, sym.st_value }) :
				 sym.st_value,
			.name = name, .global = GELF_ST_BIND(sym.st_info) == STB_GLOBAL };
	}
}

static void load_symbols(struct debuginfo *d)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	if (d->have_symbols)
		return;
	d->have_symbols = true;
	while ((scn = elf_nextscn(d->elf, scn)))
		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_SYMTAB)
			take_symbols(d, scn, &header);
	if (d->nfunctions)
		qsort(d->functions, d->nfunctions, sizeof(*d->functions), in_order);
}

unsigned int debuginfo_variables(struct debuginfo *d, const char *name, bool *per_cpu)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header, section;
	unsigned int count = 0;
	size_t names;

	*per_cpu = false;
	while (elf_getshdrstrndx(d->elf, &names) == 0 && (scn = elf_nextscn(d->elf, scn))) {
		Elf_Data *data;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB || !(data = elf_getdata(scn, NULL)))
			continue;
		for (size_t i = 1; header.sh_entsize && gelf_getsym(data, i, &sym); i++) {
			const char *its = elf_strptr(d->elf, header.sh_link, sym.st_name);
			Elf_Scn *in;

			if (!its || its[0] != name[0] || strcmp(its, name) != 0 || sym.st_shndx == SHN_UNDEF ||
			    (GELF_ST_TYPE(sym.st_info) != STT_OBJECT && GELF_ST_TYPE(sym.st_info) != STT_NOTYPE))
				continue;
			in = elf_getscn(d->elf, sym.st_shndx);
			its = in && gelf_getshdr(in, &section) ? elf_strptr(d->elf, names, section.sh_name) : NULL;
			if (!count++)
				*per_cpu = its && strstr(its, "percpu");
		}
	}
	return count;
}

static void find_shift(struct debuginfo *d);

uint64_t debuginfo_variable_address(struct debuginfo *d, const char *name, uint64_t address)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header, section;
	GElf_Sym sym;

	while ((scn = elf_nextscn(d->elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB || !(data = elf_getdata(scn, NULL)))
			continue;
		for (size_t i = 1; header.sh_entsize && gelf_getsym(data, i, &sym); i++) {
			const char *its = elf_strptr(d->elf, header.sh_link, sym.st_name);
			Elf_Scn *in;

			if (!its || its[0] != name[0] || strcmp(its, name) != 0 || sym.st_shndx == SHN_UNDEF)
				continue;
			in = elf_getscn(d->elf, sym.st_shndx);
			if (!in || !gelf_getshdr(in, &section) || sym.st_value + (d->relocated ? section.sh_addr : 0) != address)
				continue;
			if (d->module)
				return image_place_address((struct image_place){ sym.st_shndx, sym.st_value });
			find_shift(d);
			return d->hidden ? 0 : address + d->shift;
		}
	}
	return 0;
}

/* The kernel lies where it was linked to, or all of it elsewhere (KASLR). */
static void find_shift(struct debuginfo *d)
{
	/* Of each of them there is one, in whatever kernel. */
	static const char *const marks[] = { "schedule", "vfs_read", "kfree" };
	uint64_t kernel = 0, own = 0;

	if (d->have_shift || !d->symbols || d->module)
		return;
	d->have_shift = true;
	load_symbols(d);
	for (unsigned int m = 0; m < sizeof(marks) / sizeof(*marks) && !(own && kernel); m++) {
		own = 0;
		kernel = symbols_address(d->symbols, marks[m]);
		for (unsigned int i = 0; i < d->nfunctions && !own; i++)
			if (strcmp(d->functions[i].name, marks[m]) == 0)
				own = d->functions[i].address;
	}
	d->hidden = !own || !kernel;
	d->shift = d->hidden ? 0 : kernel - own;
}

uint64_t debuginfo_kernel_address(struct debuginfo *d, const struct debug_symbol *symbol)
{
	struct function f;

	if (!d->module) {
		find_shift(d);
		return d->hidden ? 0 : symbol->address + d->shift;
	}
	if (!d->symbols)
		return symbol->value;
	symbols_function(d->symbols, d->module, symbol->name, &f);
	for (unsigned int i = 0; i < f.count && i < FUNCTION_OTHERS; i++)
		if (f.count == 1 || f.addresses[i] == symbol->value)
			return f.addresses[i];
	return 0;
}

const struct debug_symbol *debuginfo_again(struct debuginfo *d, const struct debug_symbol *symbol)
{
	const struct debug_symbol *end = d->functions + d->nfunctions;

	for (const struct debug_symbol *s = symbol + 1; s < end; s++)
		if (s->name[0] == symbol->name[0] && strcmp(s->name, symbol->name) == 0)
			return s;
	return NULL;
}

unsigned int debuginfo_named(struct debuginfo *d, const char *name, uint64_t kernel_address,
			     const struct debug_symbol **symbol)
{
	unsigned int count = 0;

	load_symbols(d);
	if (kernel_address && !d->module)
		find_shift(d);
	for (unsigned int i = 0; i < d->nfunctions; i++) {
		const struct debug_symbol *s = &d->functions[i];

		if (s->name[0] != name[0] || strcmp(s->name, name) != 0)
			continue;
		/* /proc/kallsyms knows nothing of a module's file: then the address tells nothing. */
		if (kernel_address && (d->module ? s->value : s->address + d->shift) == kernel_address) {
			*symbol = s;
			return 1;
		}
		if (!count++)
			*symbol = s;
	}
	return count;
}

const struct debug_symbol *debuginfo_at(struct debuginfo *d, uint64_t address)
{
	unsigned int low = 0, high;
	const struct debug_symbol *s;

	load_symbols(d);
	for (high = d->nfunctions; low < high;) {
		unsigned int middle = low + (high - low) / 2;

		if (d->functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	s = &d->functions[low - 1];
	while (s > d->functions && s[-1].address == s->address)
		s--;
	return !s->size || address - s->address < s->size ? s : NULL;
}

/* ---- DIEs ---- */

bool debuginfo_next(Dwarf_Die *die)
{
	void *before = die->addr;

	return dwarf_siblingof(die, die) == 0 && die->addr > before;
}

bool debuginfo_ref(Dwarf_Die *die, unsigned int name, Dwarf_Die *to)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) && dwarf_formref_die(&attribute, to);
}

const char *debuginfo_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));

	return name && *name ? name : NULL;
}

bool debuginfo_flag(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	bool flag;

	return dwarf_attr(die, name, &attribute) && dwarf_formflag(&attribute, &flag) == 0 && flag;
}

bool debuginfo_number(Dwarf_Die *die, unsigned int name, uint64_t *n)
{
	Dwarf_Attribute attribute;
	Dwarf_Word word;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &word) != 0)
		return false;
	*n = word;
	return true;
}

bool debuginfo_die(struct debuginfo *d, uint64_t id, Dwarf_Die *die)
{
	return dwarf_die_addr_die(d->dwarf, (void *)(uintptr_t)id, die);
}

/* ---- units ---- */

static void note_recent(struct debuginfo *d, const Dwarf_Die *unit)
{
	for (unsigned int i = 0; i < d->nrecent && i < DEBUG_RECENT; i++)
		if (d->recent[i].addr == unit->addr)
			return;
	d->recent[d->nrecent++ % DEBUG_RECENT] = *unit;
}

static bool find_unit(struct debuginfo *d, uint64_t address, Dwarf_Die *unit)
{
	if (dwarf_addrdie(d->dwarf, address, unit))
		return true;
	/* There need not be an entry in .debug_aranges. */
	for (unsigned int i = 0; i < debuginfo_units(d); i++) {
		*unit = d->units[i].die;
		if (dwarf_haspc(unit, address) == 1)
			return true;
	}
	return false;
}

bool debuginfo_function(struct debuginfo *d, uint64_t address, Dwarf_Die *unit, Dwarf_Die *function)
{
	Dwarf_Die die;

	if (!find_unit(d, address, unit) || dwarf_child(unit, &die) != 0)
		return false;
	do {
		if (dwarf_tag(&die) == DW_TAG_subprogram && dwarf_haspc(&die, address) == 1) {
			note_recent(d, unit);
			*function = die;
			return true;
		}
	} while (debuginfo_next(&die));
	return false;
}

const uint8_t *debuginfo_section(struct debuginfo *d, const char *wanted, size_t *size)
{
	Elf_Scn *scn = NULL;
	size_t names;

	while (elf_getshdrstrndx(d->elf, &names) == 0 && (scn = elf_nextscn(d->elf, scn))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(scn, &header) ? elf_strptr(d->elf, names, header.sh_name) : NULL;
		Elf_Data *data;

		if (!name || strcmp(name, wanted) != 0 || header.sh_type == SHT_NOBITS || header.sh_flags & SHF_COMPRESSED)
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf && data->d_size) {
			*size = data->d_size;
			return data->d_buf;
		}
	}
	*size = 0;
	return NULL;
}

/* Unless names go by number (clang), or lie in another file: there are no four bytes to look for. */
static void find_strings(struct debuginfo *d)
{
	size_t size, length;
	const uint8_t *strings = debuginfo_section(d, ".debug_str", &size);

	if (d->alt || debuginfo_section(d, ".debug_str_offsets", &length) ||
	    debuginfo_section(d, ".gnu_debugaltlink", &length) || size > UINT32_MAX ||
	    (const uint8_t *)dwarf_getstring(d->dwarf, 0, &length) != strings)
		return;
	d->strings = strings;
	d->strings_size = size;
}

/* The bytes of a unit, as far as they are where they should be. */
static const uint8_t *unit_end(Dwarf_Die *die, size_t length, const uint8_t *info, size_t info_size)
{
	const uint8_t *at = die->addr, *end = info + info_size;

	if (!info || at < info || at >= end)
		return at;
	return (size_t)(end - at) > length ? at + length : end;
}

unsigned int debuginfo_units(struct debuginfo *d)
{
	const uint8_t *info;
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	size_t info_size;
	uint8_t type;
	Dwarf_Die die;

	if (d->units)
		return d->nunits;
	info = debuginfo_section(d, ".debug_info", &info_size);
	while (dwarf_get_units(d->dwarf, cu, &cu, &version, &type, &die, NULL) == 0) {
		Dwarf_Off offset = dwarf_dieoffset(&die) - dwarf_cuoffset(&die), next;
		size_t head;

		/* Of DWARF 4, type units are in a section of their own, behind the others. */
		if (!die.addr || (version < 5 && type == DW_UT_type) ||
		    dwarf_nextcu(d->dwarf, offset, &next, &head, NULL, NULL, NULL) != 0 || next <= offset)
			continue;
		d->units = mem_more(d->units, d->nunits, sizeof(*d->units));
		d->units[d->nunits++] = (struct debug_unit){
			.die = die, .begin = die.addr,
			.end = unit_end(&die, next - offset - dwarf_cuoffset(&die), info, info_size) };
	}
	if (info)
		find_strings(d);
	return d->nunits;
}

bool debuginfo_confirm(const struct debug_unit *unit, const void *address, Dwarf_Die *parent)
{
	Dwarf_Die die = unit->die, last;

	if ((const uint8_t *)address <= unit->begin || (const uint8_t *)address >= unit->end)
		return false;
	for (unsigned int deep = 0; deep < TYPES_CHAIN; deep++) {
		*parent = die;
		if (dwarf_child(parent, &die) != 0 || die.addr > address)
			return false;
		/* The last one that does not begin behind it holds it. */
		do {
			last = die;
		} while (die.addr < address && debuginfo_next(&die) && die.addr <= address);
		if (last.addr == address)
			return true;
		die = last;
	}
	return false;
}

/* ---- where a name is ---- */

typedef uint8_t bytes16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t words16 __attribute__((vector_size(16)));

static uint32_t word_at(const uint8_t *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* The two low bytes, which vary most, of sixteen places at once. */
const uint8_t *debuginfo_word(const uint8_t *from, const uint8_t *end, uint32_t word)
{
	bytes16 low = (bytes16){} + (uint8_t)word, high = (bytes16){} + (uint8_t)(word >> 8);

	for (; end - from >= 20; from += 16) {
		words16 hits = (words16)((*(const bytes16 *)from == low) & (*(const bytes16 *)(from + 1) == high));

		if (hits[0] | hits[1])
			for (unsigned int i = 0; i < 16; i++)
				if (word_at(from + i) == word)
					return from + i;
	}
	for (; end - from >= 4; from++)
		if (word_at(from) == word)
			return from;
	return NULL;
}

struct mentions {
	struct debuginfo *d;
	const char *name;
	size_t length;
	uint32_t few[FEW_WORDS];
	unsigned int count;
	uint8_t *set;			/* a bit for each byte of .debug_str, where there are more than a few */
	bool inlined;			/* the name may also stand in the units themselves */
	bool guessed;
	unsigned int *unclear;		/* units with something that makes no sense, by number */
	unsigned int nunclear;
	debuginfo_mention_fn *each;
	void *arg;
};

/* Every end of a string that is the name: strings share their ends, and which of them was taken nobody knows. */
static void find_words(struct mentions *m)
{
	const uint8_t *begin = m->d->strings, *end = begin + m->d->strings_size;

	for (const uint8_t *p = begin; (p = memmem(p, end - p, m->name, m->length + 1)); p++) {
		uint32_t word = p - begin;

		if (m->count == FEW_WORDS) {
			m->set = mem_zero(m->d->strings_size / 8 + 1, 1);
			for (unsigned int i = 0; i < FEW_WORDS; i++)
				m->set[m->few[i] / 8] |= 1 << m->few[i] % 8;
		}
		if (m->count < FEW_WORDS)
			m->few[m->count] = word;
		else
			m->set[word / 8] |= 1 << word % 8;
		m->count++;
	}
	m->inlined = m->length < sizeof(uint32_t);	/* no longer than a reference: not worth one */
}

static bool unclear(struct mentions *m, const struct debug_unit *unit)
{
	unsigned int n = unit - m->d->units;

	if (m->nunclear && m->unclear[m->nunclear - 1] == n)
		return true;
	m->unclear = mem_more(m->unclear, m->nunclear, sizeof(*m->unclear));
	m->unclear[m->nunclear++] = n;
	return true;
}

/*
 * A DIE whose name is at @p: it begins one or two bytes before, its abbreviation's number, as long as names come
 * first.
 */
static bool guess(struct mentions *m, const struct debug_unit *unit, const uint8_t *p)
{
	Dwarf_Die die, cu = unit->die;
	Dwarf_Off start = dwarf_dieoffset(&cu);
	bool any = false;

	for (unsigned int back = 2; back; back--) {
		Dwarf_Attribute attribute;

		if (p - back < unit->begin || p[-1] & 0x80 || (back == 2 && !(p[-2] & 0x80)) ||
		    !dwarf_offdie(m->d->dwarf, start + (p - back - unit->begin), &die) ||
		    !dwarf_attr(&die, DW_AT_name, &attribute) || attribute.valp != p)
			continue;
		any = m->guessed = true;
		if (!m->each(m->arg, unit, &die))
			return false;
	}
	return any || unclear(m, unit);
}

static bool look_for_few(struct mentions *m, const struct debug_unit *unit)
{
	for (unsigned int i = 0; i < m->count; i++)
		for (const uint8_t *p = unit->begin; (p = debuginfo_word(p, unit->end, m->few[i])); p++)
			if (!guess(m, unit, p))
				return false;
	return true;
}

static bool look_for_set(struct mentions *m, const struct debug_unit *unit)
{
	uint32_t size = m->d->strings_size;

	for (const uint8_t *p = unit->begin; p + 4 <= unit->end; p++) {
		/* One branch, nearly never taken: the set has a byte more for what is no offset. */
		uint32_t word = word_at(p) < size ? word_at(p) : size;

		if (m->set[word / 8] >> word % 8 & 1 && !guess(m, unit, p))
			return false;
	}
	return true;
}

static bool look_in(struct mentions *m, const struct debug_unit *unit)
{
	if (!m->d->strings)
		return unclear(m, unit);
	if (m->set ? !look_for_set(m, unit) : !look_for_few(m, unit))
		return false;
	for (const uint8_t *p = unit->begin; m->inlined && (p = memmem(p, unit->end - p, m->name, m->length + 1)); p++)
		if (!guess(m, unit, p))
			return false;
	return true;
}

void debuginfo_mentions(struct debuginfo *d, const char *name, debuginfo_mention_fn *each, void *arg)
{
	struct mentions m = { .d = d, .name = name, .length = strlen(name), .each = each, .arg = arg };
	unsigned int units = debuginfo_units(d);
	bool on = *name;

	if (d->strings)
		find_words(&m);
	for (unsigned int i = 0; on && i < d->nrecent && i < DEBUG_RECENT; i++)
		for (unsigned int n = 0; n < units; n++)
			if (d->units[n].begin == d->recent[i].addr)
				on = look_in(&m, &d->units[n]);
	for (unsigned int n = 0; on && n < units; n++)
		on = look_in(&m, &d->units[n]);
	/* The four bytes may mean something else. Only if no guess was any good, names do not come first here. */
	for (unsigned int i = 0; on && !m.guessed && i < m.nunclear; i++)
		on = each(arg, &d->units[m.unclear[i]], NULL);
	free(m.unclear);
	free(m.set);
}
