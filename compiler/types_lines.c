// SPDX-License-Identifier: GPL-2.0
/*
 * types_lines.c: from source lines and inlined functions to instructions, and the source file of a function.
 *
 * A line of a header may be in the line table of any unit. To decode them all takes seconds, so that only those are
 * decoded whose head mentions the file's name; likewise only those parts of units are walked that refer to the inlined
 * function.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "types_dwarf.h"

#define UNITS_NAMED	32	/* whose tables are decoded only to tell the files of inlined functions' callers */
#define LINE_DEEP	64

static struct debuginfo *state(const struct types_unit *u)
{
	return u->state;
}

/* ---- paths ---- */

static const char *comp_dir(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

/*
 * As the kernel's makefiles name it: without the folder that it was built in, or that both the sources and that one
 * are in; without "./".
 */
static const char *plain_path(Dwarf_Die *unit, const char *path)
{
	const char *dir = path[0] == '/' ? comp_dir(unit) : NULL;
	size_t common = 0;

	for (size_t i = 0; dir && path[i]; i++) {
		if (path[i] == '/' && (!dir[i] || dir[i] == '/'))
			common = i + 1;
		if (path[i] != dir[i])
			break;
	}
	if (common > 1)
		path += common;
	while (path[0] == '.' && path[1] == '/')
		path += 2;
	return path;
}

/* @file is the end of the path. */
static bool is_file(const char *path, const char *file)
{
	size_t length = path ? strlen(path) : 0, end = strlen(file);

	return end && length >= end && strcmp(path + length - end, file) == 0 &&
	       (length == end || path[length - end - 1] == '/' || file[0] == '/');
}

const char *types_dwarf_keep_path(struct types *ts, Dwarf_Die *unit, const char *path)
{
	if (!path)
		return NULL;
	path = plain_path(unit, path);
	return types_keep(ts, path, strlen(path));
}

/* ---- places ---- */

struct places {
	struct code_place *place;
	unsigned int count;
};

static void add_place(struct debuginfo *d, struct places *p, uint64_t address, const char *file, unsigned int line)
{
	const struct debug_symbol *symbol = debuginfo_at(d, address);

	if (!symbol)
		return;
	p->place = mem_more(p->place, p->count, sizeof(*p->place));
	p->place[p->count++] = (struct code_place){
		.function = symbol->name, .address = symbol->address, .offset = address - symbol->address,
		.file = file, .line = line };
}

static int by_address(const void *a, const void *b)
{
	const struct code_place *x = a, *y = b;
	uint64_t xa = x->address + x->offset, ya = y->address + y->offset;

	return xa < ya ? -1 : xa > ya;
}

/* In order, each once, and with the kernel's addresses. */
static unsigned int give(struct debuginfo *d, struct places *p, struct code_place **places)
{
	unsigned int count = 0;

	if (p->count)
		qsort(p->place, p->count, sizeof(*p->place), by_address);
	for (unsigned int i = 0; i < p->count; i++)
		if (!count || by_address(&p->place[i], &p->place[count - 1]) != 0)
			p->place[count++] = p->place[i];
	for (unsigned int i = 0; i < count; i++) {
		const struct debug_symbol *symbol = debuginfo_at(d, p->place[i].address);

		p->place[i].address = symbol ? debuginfo_kernel_address(d, symbol) : 0;
	}
	*places = p->place;
	return count;
}

/* ---- lines ---- */

struct line_search {
	struct types *ts;
	struct debuginfo *d;
	const char *file;
	int line;
	struct places places;
	struct places empty;		/* where the line begins, and another one goes on: used if there is nothing else */
	unsigned int nearest;
	bool any;			/* a unit has lines of the file */
};

static unsigned int apart(const struct line_search *s, unsigned int line)
{
	return line > (unsigned int)s->line ? line - s->line : s->line - line;
}

static void see_near(struct line_search *s, unsigned int line)
{
	if (!s->nearest || apart(s, line) < apart(s, s->nearest) ||
	    (apart(s, line) == apart(s, s->nearest) && line > s->nearest))
		s->nearest = line;
}

/* Which files of a unit's table are meant: a char each, and the path of one. NULL: none. */
static char *files_meant(const struct line_search *s, Dwarf_Die *unit, size_t *count, const char **path)
{
	Dwarf_Files *files;
	char *meant = NULL;

	*path = NULL;
	if (dwarf_getsrcfiles(unit, &files, count) != 0)
		return NULL;
	for (size_t i = 0; i < *count; i++) {
		const char *its = dwarf_filesrc(files, i, NULL, NULL);

		if (!its || !is_file(plain_path(unit, its), s->file))
			continue;
		if (!meant)
			meant = mem_zero(*count, 1);
		meant[i] = 1;
		if (!*path)
			*path = plain_path(unit, its);
	}
	return meant;
}

/* The row's place in the file that is meant; 0: in another. */
static unsigned int line_of(Dwarf_Line *row, const char *meant, size_t files)
{
	Dwarf_Files *table;
	size_t file;
	int line;

	if (dwarf_line_file(row, &table, &file) != 0 || file >= files || !meant[file] || dwarf_lineno(row, &line) != 0 ||
	    line <= 0)
		return 0;
	return line;
}

/* A row that the next one takes its place from: the statement has no instruction here. */
static bool is_empty(Dwarf_Lines *lines, size_t rows, size_t i)
{
	Dwarf_Addr address, next;
	bool end = false;

	return i + 1 < rows && dwarf_lineaddr(dwarf_onesrcline(lines, i), &address) == 0 &&
	       dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &next) == 0 && next == address &&
	       dwarf_lineendsequence(dwarf_onesrcline(lines, i + 1), &end) == 0 && !end;
}

static void look_at_rows(struct line_search *s, Dwarf_Die *unit, Dwarf_Lines *lines, size_t rows, const char *meant,
			 size_t files, const char *path)
{
	const char *kept = types_dwarf_keep_path(s->ts, unit, path);
	unsigned int before = 0;

	for (size_t i = 0; i < rows; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		unsigned int line = line_of(row, meant, files);
		bool statement = false, end = false, empty;
		Dwarf_Addr address;

		if (!line && !before)		/* most rows: of other files, behind such a one */
			continue;
		empty = is_empty(lines, rows, i);
		dwarf_linebeginstatement(row, &statement);
		dwarf_lineendsequence(row, &end);
		if (end)
			line = 0;
		if (line && statement && dwarf_lineaddr(row, &address) == 0 && debuginfo_at(s->d, address)) {
			see_near(s, line);
			if (line == (unsigned int)s->line && before != line)
				add_place(s->d, empty ? &s->empty : &s->places, address, kept, line);
		} else if (line != before) {
			/* What begins no statement ends a run of another line, and begins none. */
			line = 0;
		}
		if (!empty)
			before = line;
	}
}

static void look_at_table(struct line_search *s, Dwarf_Die *unit)
{
	size_t rows, files;
	Dwarf_Lines *lines;
	const char *path;
	char *meant;

	if (dwarf_getsrclines(unit, &lines, &rows) != 0)
		return;
	meant = files_meant(s, unit, &files, &path);
	if (!meant)
		return;
	s->any = true;
	look_at_rows(s, unit, lines, rows, meant, files, path);
	free(meant);
}

static int in_order(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

struct offsets {
	size_t *at;
	unsigned int count;
};

static void add_offset(struct offsets *o, size_t at)
{
	o->at = mem_more(o->at, o->count, sizeof(*o->at));
	o->at[o->count++] = at;
}

/* Where .debug_line may speak of a file of this name: the name itself, or a reference to the end of a string. */
static bool find_mentions(struct debuginfo *d, const char *name, struct offsets *o)
{
	static const char *const tables[] = { ".debug_line_str", ".debug_str" };
	size_t size, length = strlen(name) + 1;
	const uint8_t *lines = debuginfo_section(d, ".debug_line", &size), *end = lines + size;

	if (!lines || d->alt)
		return false;
	for (const uint8_t *p = lines; (p = memmem(p, end - p, name, length)); p++)
		add_offset(o, p - lines);
	for (unsigned int i = 0; i < 2; i++) {
		size_t strings_size;
		const uint8_t *strings = debuginfo_section(d, tables[i], &strings_size);

		for (const uint8_t *s = strings; s && (s = memmem(s, strings + strings_size - s, name, length)); s++) {
			/* It is a whole name or the end of a path: as the end of another file's name it is not meant. */
			if (i && s > strings && s[-1] && s[-1] != '/')
				continue;
			for (const uint8_t *p = lines; (p = debuginfo_word(p, end, s - strings)); p++)
				add_offset(o, p - lines);
		}
	}
	if (o->count)
		qsort(o->at, o->count, sizeof(*o->at), in_order);
	return true;
}

/* The least offset that is not below @at; SIZE_MAX: none. */
static size_t from(const struct offsets *o, size_t at)
{
	unsigned int low = 0, high = o->count;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (o->at[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < o->count ? o->at[low] : SIZE_MAX;
}

static bool table_of(const struct debug_unit *unit, size_t *at)
{
	Dwarf_Attribute attribute;
	Dwarf_Die die = unit->die;
	Dwarf_Word offset;

	if (!dwarf_attr(&die, DW_AT_stmt_list, &attribute) || dwarf_formudata(&attribute, &offset) != 0)
		return false;
	*at = offset;
	return true;
}

/* All units whose tables mention the file. */
static void look_everywhere(struct line_search *s)
{
	struct debuginfo *d = s->d;
	const char *slash = strrchr(s->file, '/');
	struct offsets mentions = {}, tables = {};
	bool known = find_mentions(d, slash ? slash + 1 : s->file, &mentions);
	size_t at;

	for (unsigned int i = 0; known && i < d->nunits; i++)
		if (table_of(&d->units[i], &at))
			add_offset(&tables, at);
	if (tables.count)
		qsort(tables.at, tables.count, sizeof(*tables.at), in_order);
	for (unsigned int i = 0; i < d->nunits; i++) {
		Dwarf_Die unit = d->units[i].die;

		if (!table_of(&d->units[i], &at) || (known && from(&mentions, at) >= from(&tables, at + 1)))
			continue;
		look_at_table(s, &unit);
	}
	free(mentions.at);
	free(tables.at);
}

unsigned int types_dwarf_lines(struct types *ts, struct types_unit *u, const char *file, unsigned int line,
			       struct code_place **places, unsigned int *nearest)
{
	struct line_search s = { .ts = ts, .d = state(u), .file = file, .line = line > INT32_MAX ? INT32_MAX : line };
	unsigned int units = debuginfo_units(s.d), count;

	while (file[0] == '.' && file[1] == '/')
		s.file = file += 2;
	/* A file that is compiled is in its own units, others in whatever includes them. */
	for (unsigned int i = 0; i < units; i++) {
		Dwarf_Die unit = s.d->units[i].die;
		const char *name = dwarf_diename(&unit);

		if (name && is_file(plain_path(&unit, name), s.file))
			look_at_table(&s, &unit);
	}
	if (!s.any && *s.file)
		look_everywhere(&s);
	count = give(s.d, s.places.count ? &s.places : &s.empty, places);
	if (s.places.count)
		free(s.empty.place);
	*nearest = count ? line : s.nearest;
	return count;
}

/* ---- inlined functions ---- */

struct inline_search {
	struct types *ts;
	struct debuginfo *d;
	const char *name;
	struct places places;
	unsigned int tables;		/* decoded for the callers' files */
	bool by_word;			/* there are references of four bytes to look for */
	uint32_t word;
};

/* Where the call was written. */
static const char *call_file(struct inline_search *s, Dwarf_Die *unit, Dwarf_Die *instance)
{
	const char *own = dwarf_diename(unit);
	Dwarf_Files *files;
	uint64_t file;
	size_t count;

	if (!debuginfo_number(instance, DW_AT_call_file, &file))
		return NULL;
	/* The first one is the unit's own, which needs no table. */
	if (file == 1 && own)
		return types_dwarf_keep_path(s->ts, unit, own);
	if (++s->tables > UNITS_NAMED || dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count)
		return NULL;
	return types_dwarf_keep_path(s->ts, unit, dwarf_filesrc(files, file, NULL, NULL));
}

static bool first_address(Dwarf_Die *instance, uint64_t *address)
{
	Dwarf_Addr entry, base, end;

	if (dwarf_entrypc(instance, &entry) != 0 && dwarf_ranges(instance, 0, &base, &entry, &end) <= 0)
		return false;
	*address = entry;
	return true;
}

static void see_instance(struct inline_search *s, const struct debug_unit *unit, Dwarf_Die *die)
{
	const char *name = debuginfo_name(die), *file;
	Dwarf_Die cu = unit->die;
	uint64_t address, line = 0;

	/* In an abstract function there is no code. */
	if (!name || strcmp(name, s->name) != 0 || !first_address(die, &address) || !debuginfo_at(s->d, address))
		return;
	file = call_file(s, &cu, die);
	if (file)
		debuginfo_number(die, DW_AT_call_line, &line);
	add_place(s->d, &s->places, address, file, line);
}

/* Only into what refers to the function, up to @end. */
static void walk(struct inline_search *s, const struct debug_unit *unit, Dwarf_Die *parent, const uint8_t *end,
		 unsigned int deep)
{
	Dwarf_Die die, next;
	bool more;

	if (deep > LINE_DEEP || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		const uint8_t *its_end;

		next = die;
		more = debuginfo_next(&next);
		its_end = more ? next.addr : end;
		if ((tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
		    (!s->by_word || debuginfo_word(die.addr, its_end, s->word))) {
			if (tag == DW_TAG_inlined_subroutine)
				see_instance(s, unit, &die);
			walk(s, unit, &die, its_end, deep + 1);
		}
		die = next;
	} while (more);
}

static bool see_abstract(void *arg, const struct debug_unit *unit, Dwarf_Die *die)
{
	struct inline_search *s = arg;
	Dwarf_Die cu = unit->die;

	s->by_word = die;
	if (!die) {
		walk(s, unit, &cu, unit->end, 0);
		return true;
	}
	if (dwarf_tag(die) != DW_TAG_subprogram || !dwarf_hasattr(die, DW_AT_inline))
		return true;
	s->word = dwarf_cuoffset(die);
	if (debuginfo_word(unit->begin, unit->end, s->word))
		walk(s, unit, &cu, unit->end, 0);
	return true;
}

unsigned int types_dwarf_inlines(struct types *ts, struct types_unit *u, const char *name, struct code_place **places)
{
	struct inline_search s = { .ts = ts, .d = state(u), .name = name };

	debuginfo_mentions(s.d, name, see_abstract, &s);
	return give(s.d, &s.places, places);
}

unsigned int types_dwarf_inlined_beside(struct types *ts, struct types_unit *u, const char *name, uint64_t address,
					struct code_place **places)
{
	struct inline_search s = { .ts = ts, .d = state(u), .name = name };
	const struct debug_symbol *symbol;
	Dwarf_Attribute attribute;
	struct debug_unit whole = {};
	Dwarf_Die unit, die;

	*places = NULL;
	/* What was inlined has an abstract instance, and so its body refers to it. */
	if (debuginfo_named(s.d, name, address, &symbol) != 1 ||
	    !debuginfo_function(s.d, symbol->address, &unit, &die) || !dwarf_attr(&die, DW_AT_abstract_origin, &attribute))
		return 0;
	whole.die = unit;
	walk(&s, &whole, &unit, NULL, 0);
	return give(s.d, &s.places, places);
}

/* ---- files ---- */

static bool is_header(const char *path)
{
	size_t n = strlen(path);

	return n > 2 && strcmp(path + n - 2, ".h") == 0;
}

const char *types_dwarf_file_of(struct types *ts, struct types_unit *u, const char *function, uint64_t address, bool twin)
{
	const struct debug_symbol *symbol;
	Dwarf_Die unit, die;
	const char *path;

	if (debuginfo_named(state(u), function, address, &symbol) != 1 ||
	    !debuginfo_function(state(u), symbol->address, &unit, &die))
		return NULL;
	path = dwarf_decl_file(&die);
	if (path && twin && is_header(path))
		path = NULL;
	return types_dwarf_keep_path(ts, &unit, path ? path : dwarf_diename(&unit));
}
