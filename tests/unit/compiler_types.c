// SPDX-License-Identifier: GPL-2.0
/*
 * compiler_types.c: types from BTF. A kernel with two modules is made here, its BTF written by hand; where bit-fields
 * lie is what gcc does with the same structures. Then the same BTF with bytes changed: any answer, but no crash and no
 * hang. Last, a real kernel's structures against those of the headers it shares with user space: the running one's, or
 * those of the sysroot that is given.
 */
#include <bpf/btf.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <sys/uio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compiler/symbols_private.h"
#include "compiler/types_private.h"

static unsigned int tests, failed;

static void check(bool good, const char *what)
{
	tests++;
	failed += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", tests, what);
	fflush(stdout);
}

/* ---- DWARF has nothing here ---- */

static void open_nothing(struct types *ts, struct types_unit *u)
{
}

const struct types_source types_dwarf = { .name = "none", .open = open_nothing };

enum local_state types_dwarf_local(struct types *ts, struct types_unit *u, const struct code_place *at,
				   const char *name, const struct type **type, struct locate *locate)
{
	abort();	/* a unit without a state is not asked */
}

void types_dwarf_near_locals(struct types *ts, struct types_unit *u, const struct code_place *at, struct near *near)
{
	abort();
}

unsigned int types_dwarf_lines(struct types *ts, struct types_unit *u, const char *file, unsigned int line,
			       struct code_place **places, unsigned int *nearest)
{
	abort();
}

unsigned int types_dwarf_inlines(struct types *ts, struct types_unit *u, const char *name, struct code_place **places)
{
	abort();
}

unsigned int types_dwarf_inlined_beside(struct types *ts, struct types_unit *u, const char *name, uint64_t address,
					struct code_place **places)
{
	abort();
}

unsigned int types_dwarf_variables(struct types *ts, struct types_unit *u, const char *name, struct variable_seen *seen,
				   unsigned int room)
{
	abort();
}

const char *types_dwarf_file_of(struct types *ts, struct types_unit *u, const char *function, uint64_t address, bool twin)
{
	abort();
}

/* ---- structures that gcc lays out ---- */

enum colour { RED = -5, GREEN = 7 };

struct plain {
	unsigned int a : 3, b : 7, c : 22;
	unsigned short d : 9;
	int e : 5;
	unsigned long f : 40, g : 24;
	unsigned char h : 4, i : 4;
};

struct tight {
	unsigned char a : 5;
	unsigned int b : 20;
	unsigned long c : 39;
	unsigned char d : 6;
	unsigned short e : 11;
	unsigned long f : 3;
} __attribute__((packed));

/* Sets one field to a value of all ones, or to the value given; reads it as C does. */
#define FIELD(s, field)								\
	static void set_##s##_##field(void *to, uint64_t v)			\
	{									\
		((struct s *)to)->field = v;					\
	}									\
	static uint64_t get_##s##_##field(const void *from)			\
	{									\
		return ((const struct s *)from)->field;				\
	}

FIELD(plain, a) FIELD(plain, b) FIELD(plain, c) FIELD(plain, d) FIELD(plain, e) FIELD(plain, f) FIELD(plain, g)
FIELD(plain, h) FIELD(plain, i)
FIELD(tight, a) FIELD(tight, b) FIELD(tight, c) FIELD(tight, d) FIELD(tight, e) FIELD(tight, f)

enum { INT, UINT, CHAR, UCHAR, USHORT, ULONG, BOOL, INTS };

static const struct field {
	const char *of, *name;
	unsigned int type;
	void (*set)(void *to, uint64_t v);
	uint64_t (*get)(const void *from);
} fields[] = {
#define ROW(s, field, type)	{ #s, #field, type, set_##s##_##field, get_##s##_##field }
	ROW(plain, a, UINT), ROW(plain, b, UINT), ROW(plain, c, UINT), ROW(plain, d, USHORT), ROW(plain, e, INT),
	ROW(plain, f, ULONG), ROW(plain, g, ULONG), ROW(plain, h, UCHAR), ROW(plain, i, UCHAR),
	ROW(tight, a, UCHAR), ROW(tight, b, UINT), ROW(tight, c, ULONG), ROW(tight, d, UCHAR), ROW(tight, e, USHORT),
	ROW(tight, f, ULONG),
};

#define FIELDS	(sizeof(fields) / sizeof(*fields))

/* Where the field is: by what changes when it is filled. */
static void locate(const struct field *f, unsigned int *bit, unsigned int *bits)
{
	unsigned char bytes[64] = {};

	f->set(bytes, ~0ULL);
	*bit = *bits = 0;
	for (unsigned int i = 0; i < 8 * sizeof(bytes); i++)
		if (bytes[i / 8] >> i % 8 & 1) {
			*bit = *bits ? *bit : i;
			++*bits;
		}
}

/* ---- a kernel's BTF ---- */

static int ints[INTS];
static int outer_id, lateral_id, colour_id;

static void add_layout(struct btf *b, const char *name, unsigned int size)
{
	btf__add_struct(b, name, size);
	for (unsigned int i = 0; i < FIELDS; i++) {
		unsigned int bit, bits;

		if (strcmp(fields[i].of, name) != 0)
			continue;
		locate(&fields[i], &bit, &bits);
		btf__add_field(b, fields[i].name, ints[fields[i].type], bit, bits);
	}
}

static void add_function(struct btf *b, const char *name, int result, int first, const char *first_name, int second)
{
	int proto = btf__add_func_proto(b, result);

	if (first)
		btf__add_func_param(b, first_name, first);
	if (second)
		btf__add_func_param(b, "second", second);
	btf__add_func(b, name, BTF_FUNC_STATIC, proto);
}

static struct btf *make_vmlinux(void)
{
	struct btf *b = btf__new_empty();
	int data, high, pair, pair2, anonymous, typed, tagged, pointer, array, proto, var;

	ints[INT] = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	ints[UINT] = btf__add_int(b, "unsigned int", 4, 0);
	ints[CHAR] = btf__add_int(b, "char", 1, BTF_INT_SIGNED);
	ints[UCHAR] = btf__add_int(b, "unsigned char", 1, 0);
	ints[USHORT] = btf__add_int(b, "short unsigned int", 2, 0);
	ints[ULONG] = btf__add_int(b, "long unsigned int", 8, 0);
	ints[BOOL] = btf__add_int(b, "_Bool", 1, BTF_INT_BOOL);
	data = btf__add_ptr(b, 0);
	add_layout(b, "plain", sizeof(struct plain));
	add_layout(b, "tight", sizeof(struct tight));
	colour_id = btf__add_enum(b, "colour", 4);
	btf__add_enum_value(b, "RED", RED);
	btf__add_enum_value(b, "GREEN", GREEN);
	high = btf__add_enum(b, NULL, 4);
	btf__add_enum_value(b, "SAME", 1);
	btf__add_enum_value(b, "HIGH", (int)0x80000001);
	/* Unsigned, other than libbpf takes it. */
	((struct btf_type *)btf__type_by_id(b, high))->info &= ~(1U << 31);
	btf__add_enum64(b, "wide", 8, false);
	btf__add_enum64_value(b, "SAME", 1ULL << 40);
	lateral_id = btf__add_fwd(b, "lateral", BTF_FWD_STRUCT);
	/*
	 * struct outer { int x; union { unsigned long l; struct { int lo, hi; }; }; struct lateral *p; char name[2][3];
	 *		  volatile const __be16 port; };
	 */
	pair = btf__add_struct(b, NULL, 8);
	btf__add_field(b, "lo", ints[INT], 0, 0);
	btf__add_field(b, "hi", ints[INT], 32, 0);
	anonymous = btf__add_union(b, NULL, 8);
	btf__add_field(b, "l", ints[ULONG], 0, 0);
	btf__add_field(b, NULL, pair, 0, 0);
	pointer = btf__add_ptr(b, lateral_id);
	array = btf__add_array(b, ints[UINT], btf__add_array(b, ints[UINT], ints[CHAR], 3), 2);
	typed = btf__add_typedef(b, "u16", btf__add_typedef(b, "__u16", ints[USHORT]));
	typed = btf__add_const(b, btf__add_volatile(b, btf__add_typedef(b, "__be16", typed)));
	outer_id = btf__add_struct(b, "outer", 40);
	btf__add_field(b, "x", ints[INT], 0, 0);
	btf__add_field(b, NULL, anonymous, 64, 0);
	btf__add_field(b, "p", pointer, 128, 0);
	btf__add_field(b, "name", array, 192, 0);
	btf__add_field(b, "port", typed, 256, 0);
	pair2 = btf__add_ptr(b, btf__add_const(b, outer_id));
	tagged = btf__add_ptr(b, btf__add_type_tag(b, "user", btf__add_const(b, ints[CHAR])));
	add_function(b, "alike", ints[INT], pair2, "o", tagged);
	add_function(b, "alike", ints[INT], btf__add_ptr(b, outer_id), "o", tagged);
	add_function(b, "differ", ints[INT], pair2, "o", ints[INT]);
	add_function(b, "differ", ints[INT], pair2, "o", ints[ULONG]);
	add_function(b, "twice", ints[INT], pair2, "o", ints[ULONG]);
	add_function(b, "nothing", 0, 0, NULL, 0);
	proto = btf__add_func_proto(b, ints[INT]);
	btf__add_func_param(b, "format", tagged);
	btf__add_func_param(b, NULL, 0);
	btf__add_func(b, "printer", BTF_FUNC_GLOBAL, proto);
	pointer = btf__add_ptr(b, proto);
	array = btf__add_ptr(b, array);
	btf__add_struct(b, "holder", 16);
	btf__add_field(b, "call", pointer, 0, 0);
	btf__add_field(b, "rows", array, 64, 0);
	proto = btf__add_func_proto(b, ints[INT]);
	btf__add_func_param(b, "__data", data);
	btf__add_func_param(b, "o", pair2);
	btf__add_func_param(b, "flag", ints[BOOL]);
	btf__add_func(b, "__traceiter_named", BTF_FUNC_GLOBAL, proto);
	proto = btf__add_func_proto(b, 0);
	btf__add_func_param(b, NULL, data);
	btf__add_func_param(b, NULL, pair2);
	btf__add_typedef(b, "btf_trace_unnamed", btf__add_ptr(b, proto));
	var = btf__add_var(b, "per_cpu_outer", BTF_VAR_GLOBAL_ALLOCATED, outer_id);
	btf__add_var(b, "plain_int", BTF_VAR_GLOBAL_ALLOCATED, ints[INT]);
	btf__add_datasec(b, ".data..percpu", 4096);
	btf__add_datasec_var_info(b, var, 64, 40);
	/* What no compiler writes: types that are made of themselves. */
	var = btf__add_typedef(b, "circle", btf__type_cnt(b) + 1);
	btf__add_const(b, var);
	array = btf__type_cnt(b);
	array = btf__add_array(b, ints[UINT], array, 2);
	btf__add_typedef(b, "endless", array);
	pair = btf__type_cnt(b);
	btf__add_struct(b, "russian_doll", 64);
	for (unsigned int i = 0; i < 4; i++)
		btf__add_field(b, NULL, pair, 0, 0);
	pointer = btf__type_cnt(b);
	btf__add_typedef(b, "arrow", btf__add_ptr(b, pointer));
	return b;
}

/* A module on top of @base: its own struct holds the base's @outer, and it completes struct lateral. */
static struct btf *make_module(struct btf *base, int outer, int integer, const char *function)
{
	struct btf *b = btf__new_empty_split(base);
	int own = btf__add_struct(b, "own", 48);

	btf__add_field(b, "before", integer, 0, 0);
	btf__add_field(b, "o", outer, 64, 0);
	btf__add_struct(b, "lateral", 12);
	btf__add_field(b, "depth", integer, 64, 0);
	add_function(b, function, integer, btf__add_ptr(b, own), "own", btf__add_ptr(b, outer));
	return b;
}

/* ---- the kernel as files ---- */

static char root[] = "/tmp/compiler_types.XXXXXX";
static struct kernel kernel = { .release = "9.9.9", .root = root };

struct section {
	const char *name;
	const void *bytes;
	uint32_t size;
};

static Elf_Scn *add_section(Elf *elf, uint32_t name, uint32_t type, const void *bytes, size_t size)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf_Data *data = elf_newdata(section);
	Elf64_Shdr *sh;

	data->d_buf = (void *)bytes;
	data->d_size = size;
	data->d_align = 8;
	data->d_version = EV_CURRENT;
	sh = elf64_getshdr(section);
	sh->sh_name = name;
	sh->sh_type = type;
	return section;
}

static void write_elf(const char *below, const struct section *sections, unsigned int count)
{
	static const char names[] = "\0.shstrtab\0.BTF\0.BTF.base";
	char *path = mem_printf("%s/%s", root, below);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	Elf64_Ehdr *eh;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	eh = elf64_newehdr(elf);
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_machine = EM_X86_64;
	eh->e_type = ET_REL;
	eh->e_shstrndx = elf_ndxscn(add_section(elf, 1, SHT_STRTAB, names, sizeof(names)));
	for (unsigned int i = 0; i < count; i++)
		add_section(elf, strcmp(sections[i].name, ".BTF") == 0 ? 11 : 16, SHT_PROGBITS, sections[i].bytes,
			    sections[i].size);
	if (elf_update(elf, ELF_C_WRITE) < 0)
		printf("Bail out! %s: %s\n", path, elf_errmsg(-1));
	elf_end(elf);
	close(fd);
	free(path);
}

static void write_text(const char *below, const char *text)
{
	char *path = mem_printf("%s/%s", root, below);
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0)
		printf("Bail out! %s\n", path);
	fclose(f);
	free(path);
}

static void write_btf(const char *below, struct btf *b, struct btf *base)
{
	struct section s[2] = { { .name = ".BTF" }, { .name = ".BTF.base" } };

	s[0].bytes = btf__raw_data(b, &s[0].size);
	if (base)
		s[1].bytes = btf__raw_data(base, &s[1].size);
	write_elf(below, s, base ? 2 : 1);
}

static void make_kernel(void)
{
	static const char *const dirs[] = { "", "/boot", "/lib", "/lib/modules", "/lib/modules/9.9.9" };
	struct btf *vmlinux, *module, *excerpt;
	struct text map = {};
	int outer, integer;

	if (!mkdtemp(root))
		printf("Bail out! no folder in /tmp\n");
	for (unsigned int i = 1; i < sizeof(dirs) / sizeof(*dirs); i++) {
		char *path = mem_printf("%s%s", root, dirs[i]);

		mkdir(path, 0755);
		free(path);
	}
	for (unsigned int i = 0; i < 120; i++)
		text_printf(&map, "ffffffff81%06x T %s\n", 64 * i,
			    i == 5 || i == 50 ? "twice" : i == 7 ? "alike" : "filler");
	write_text("boot/System.map-9.9.9", map.s);
	text_free(&map);
	write_text("lib/modules/9.9.9/modules.dep", "kernel/split.ko:\nkernel/own-base.ko:\nkernel/no_btf.ko:\n");
	write_text("lib/modules/9.9.9/modules.builtin", "kernel/inside.ko\n");
	{
		char *path = mem_printf("%s/lib/modules/9.9.9/kernel", root);

		mkdir(path, 0755);
		free(path);
	}
	vmlinux = make_vmlinux();
	write_btf("boot/vmlinux-9.9.9", vmlinux, NULL);
	module = make_module(vmlinux, outer_id, ints[INT], "split_function");
	write_btf("lib/modules/9.9.9/kernel/split.ko", module, NULL);
	btf__free(module);
	btf__free(vmlinux);
	/* As resolve_btfids leaves it from 6.12 on: structures of the right size, without members; other ids. */
	excerpt = btf__new_empty();
	btf__add_enum(excerpt, "colour", 4);
	outer = btf__add_struct(excerpt, "outer", 40);
	integer = btf__add_int(excerpt, "int", 4, BTF_INT_SIGNED);
	module = make_module(excerpt, outer, integer, "based_function");
	write_btf("lib/modules/9.9.9/kernel/own-base.ko", module, excerpt);
	btf__free(module);
	btf__free(excerpt);
	write_elf("lib/modules/9.9.9/kernel/no_btf.ko", NULL, 0);
}

static void remove_kernel(void)
{
	char *command = mem_printf("rm -rf %s", root);

	if (system(command))
		printf("# %s remains\n", root);
	free(command);
}

/* ---- checks ---- */

static bool is_text(struct types *ts, const struct type *t, const char *text)
{
	char *got = types_text(ts, t);
	bool same = strcmp(got, text) == 0;

	if (!same)
		printf("# '%s', not '%s'\n", got, text);
	free(got);
	return same;
}

static bool is_prototype(struct types *ts, const struct prototype *p, const char *text)
{
	struct text t = {};
	char *type = types_text(ts, p->result);
	bool same;

	text_printf(&t, "%s (", type);
	free(type);
	for (unsigned int i = 0; i < p->nargs; i++) {
		type = types_text(ts, p->args[i].type);
		text_printf(&t, "%s%s%s %s", i ? ", " : "", type, p->args[i].type->is_user ? " __user" : "",
			    p->args[i].name ? p->args[i].name : "?");
		free(type);
	}
	text_string(&t, p->variadic ? ", ...)" : ")");
	same = strcmp(t.s, text) == 0;
	if (!same)
		printf("# '%s', not '%s'\n", t.s, text);
	text_free(&t);
	return same;
}

static void check_words(struct types *ts)
{
	const struct type *t = types_named(ts, CLASS_INT, "long unsigned int", NULL), *be, *u8;

	check(t && t->size == 8 && !t->is_signed && t == types_named(ts, CLASS_INT, "unsigned  long", NULL) &&
	      is_text(ts, t, "unsigned long"), "C's words in any order");
	check(!ts->units, "C's own types open nothing");
	check(!types_named(ts, CLASS_INT, "long long long", NULL) &&
	      !types_named(ts, CLASS_INT, "unsigned bool", NULL) &&
	      !types_named(ts, CLASS_INT, "short char", NULL) && !types_named(ts, CLASS_INT, "", NULL) &&
	      !types_named(ts, CLASS_INT, "unsigned signed", NULL), "words that are no type");
	be = types_named(ts, CLASS_INT, "__be16", NULL);
	u8 = types_named(ts, CLASS_INT, "u8", NULL);
	check(be && be->size == 2 && is_text(ts, be, "__be16") && !be->is_char, "__be16 keeps its name");
	check(u8->is_char && !types_named(ts, CLASS_INT, "bool", NULL)->is_char &&
	      types_named(ts, CLASS_INT, "bool", NULL)->is_bool && types_named(ts, CLASS_INT, "char", NULL)->is_signed,
	      "u8 is text, bool is not, char is signed");
	t = types_pointer(ts, types_pointer(ts, u8));
	check(is_text(ts, t, "u8 **") && t == types_pointer(ts, types_pointer(ts, u8)) &&
	      types_target(ts, types_target(ts, t)) == u8 && types_target(ts, u8) == types_void(ts),
	      "pointers to a type");
	check(types_same(ts, u8, types_int(ts, 1, false)) && !types_same(ts, u8, types_int(ts, 1, true)) &&
	      !types_same(ts, types_pointer(ts, u8), u8), "the same, and not the same");
}

static void check_members(struct types *ts)
{
	const struct type *outer = types_named(ts, CLASS_STRUCT, "outer", NULL), *again;
	struct type_member m;
	struct near near;

	check(outer && outer->size == 40 && types_member(ts, outer, "x", &m) && m.offset == 0 && !m.bits &&
	      m.type->size == 4, "a member");
	check(types_member(ts, outer, "hi", &m) && m.offset == 12 && is_text(ts, m.type, "int") &&
	      types_member(ts, outer, "l", &m) && m.offset == 8 && is_text(ts, m.type, "unsigned long"),
	      "members of unnamed ones in unnamed ones");
	check(!types_member(ts, outer, "none", &m) && !types_member(ts, m.type, "x", &m), "no such member");
	types_member(ts, outer, "port", &m);
	again = m.type;
	check(m.offset == 32 && is_text(ts, again, "__be16") && again->size == 2 &&
	      strcmp(again->name, "unsigned short") == 0 && types_member(ts, outer, "port", &m) && m.type == again,
	      "the outermost typedef's name stays, qualifiers do not; a type is one object");
	types_member(ts, outer, "name", &m);
	check(m.type->class == CLASS_ARRAY && m.type->count == 2 && m.type->size == 6 &&
	      is_text(ts, m.type, "char [2][3]") && types_target(ts, m.type)->count == 3 &&
	      types_target(ts, types_target(ts, m.type))->is_char, "arrays of arrays");
	again = types_named(ts, CLASS_STRUCT, "lateral", NULL);
	check(again && !again->size && !types_member(ts, again, "depth", &m), "a structure that is only declared");
	outer = types_named(ts, CLASS_STRUCT, "holder", NULL);
	check(types_member(ts, outer, "call", &m) && is_text(ts, m.type, "int (*)()") &&
	      types_member(ts, outer, "rows", &m) && is_text(ts, m.type, "char (*)[2][3]"),
	      "pointers to functions and arrays");
	near_begin(&near, "naem");
	types_near_members(ts, types_named(ts, CLASS_STRUCT, "outer", NULL), &near);
	check(near.count && strcmp(near.name[0], "name") == 0, "the nearest member");
	near_begin(&near, "outre");
	types_near_named(ts, CLASS_STRUCT, &near);
	check(near.count && strcmp(near.name[0], "outer") == 0, "the nearest structure");
}

static void check_circles(struct types *ts)
{
	const struct type *doll = types_named(ts, CLASS_STRUCT, "russian_doll", NULL);
	const struct type *circle = types_named(ts, CLASS_OTHER, "circle", NULL);
	const struct type *endless = types_named(ts, CLASS_OTHER, "endless", NULL);
	const struct type *arrow = types_named(ts, CLASS_OTHER, "arrow", NULL);
	struct type_member m;
	clock_t begin = clock();
	char *text = types_text(ts, types_target(ts, arrow));

	check(circle && circle->class == CLASS_OTHER && endless && endless->class == CLASS_OTHER,
	      "typedefs and arrays of themselves are nothing");
	check(arrow && arrow->class == CLASS_POINTER && text && types_same(ts, arrow, types_target(ts, arrow)),
	      "a pointer to itself is one");
	check(doll && !types_member(ts, doll, "none", &m), "a structure in itself has an end");
	check(clock() - begin < 2 * CLOCKS_PER_SEC, "soon");
	free(text);
}

/* What the storage holds, as generated code would get it. */
static uint64_t extract(const unsigned char *bytes, const struct type_member *m)
{
	uint64_t word = 0, mask = m->bits < 64 ? (1ULL << m->bits) - 1 : ~0ULL;

	memcpy(&word, bytes + m->offset, m->type->size);
	word = word >> m->shift & mask;
	return m->type->is_signed && word >> (m->bits - 1) & 1 ? word | ~mask : word;
}

static void check_bits(struct types *ts)
{
	uint64_t seed = 0x9e3779b97f4a7c15ULL;

	for (unsigned int i = 0; i < FIELDS; i++) {
		const struct field *f = &fields[i];
		const struct type *s = types_named(ts, CLASS_STRUCT, f->of, NULL);
		char *what = mem_printf("bit-field %s.%s as gcc has it", f->of, f->name);
		struct type_member m = {};
		bool good = types_member(ts, s, f->name, &m) && m.bits && m.type->class == CLASS_INT &&
			    m.offset + m.type->size <= s->size && m.shift + m.bits <= 8 * m.type->size;

		for (unsigned int n = 0; n < 1000 && good; n++) {
			unsigned char bytes[64];

			for (unsigned int k = 0; k < sizeof(bytes); k++) {
				seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
				bytes[k] = seed >> 56;
			}
			good = extract(bytes, &m) == f->get(bytes);
		}
		check(good, what);
		free(what);
	}
}

static void check_enums(struct types *ts)
{
	struct type_enumerator e[ENUMERATOR_OTHERS];
	const struct type_enumerator *all;
	const struct type *colour = types_named(ts, CLASS_ENUM, "colour", NULL);
	struct near near;
	unsigned int count;

	check(types_enumerator(ts, "RED", NULL, e) == 1 && e[0].value == RED && is_text(ts, e[0].of, "enum colour"),
	      "a negative enumerator");
	check(types_enumerator(ts, "HIGH", NULL, e) == 1 && e[0].value == 0x80000001LL && !e[0].of->name,
	      "one of an unsigned enum without a tag");
	check(types_enumerator(ts, "SAME", NULL, e) == 2 && e[0].value == 1 && e[1].value == 1LL << 40 &&
	      is_text(ts, e[1].of, "enum wide"), "a name of two values, one of 64 bits");
	check(types_enumerator(ts, "NONE_OF_IT", "split", e) == 0, "no such enumerator");
	all = types_enumerators(ts, colour, &count);
	check(count == 2 && colour->is_signed && strcmp(all[1].name, "GREEN") == 0 && all[1].value == GREEN &&
	      types_enumerators(ts, colour, &count) == all, "all enumerators of an enum");
	check(!types_enumerators(ts, types_void(ts), &count) && !count, "void has none");
	near_begin(&near, "GREN");
	types_near_enumerators(ts, &near);
	check(near.count && strcmp(near.name[0], "GREEN") == 0, "the nearest enumerator");
}

static void check_functions(struct types *ts)
{
	struct prototype p;
	bool per_cpu;
	const struct type *t;

	check(types_function(ts, NULL, "alike", 0, &p) &&
	      is_prototype(ts, &p, "int (struct outer * o, char * __user second)"),
	      "a function, twice with one prototype; __user");
	check(!types_function(ts, NULL, "differ", 0, &p), "two of one name that differ");
	check(!types_function(ts, NULL, "twice", 0, &p), "one of the two that the kernel has: not told which");
	check(types_function(ts, NULL, "nothing", 0, &p) && is_prototype(ts, &p, "void ()"), "void nothing(void)");
	check(types_function(ts, NULL, "printer", 0, &p) && is_prototype(ts, &p, "int (char * __user format, ...)"),
	      "a variadic function");
	check(!types_function(ts, NULL, "absent", 0, &p) && !types_function(ts, NULL, "outer", 0, &p),
	      "no such function");
	check(types_tracepoint(ts, NULL, "named", &p) && is_prototype(ts, &p, "int (struct outer * o, _Bool flag)"),
	      "a tracepoint with names");
	check(types_tracepoint(ts, NULL, "unnamed", &p) && is_prototype(ts, &p, "void (struct outer * ?)"),
	      "a tracepoint without");
	check(!types_tracepoint(ts, NULL, "absent", &p), "no such tracepoint");
	t = types_variable(ts, NULL, "per_cpu_outer", &per_cpu);
	check(t && per_cpu && is_text(ts, t, "struct outer"), "a variable, one a CPU");
	t = types_variable(ts, NULL, "plain_int", &per_cpu);
	check(t && !per_cpu && t->size == 4, "a plain variable");
	check(!types_variable(ts, NULL, "absent", &per_cpu), "no such variable");
}

static void check_modules(struct types *ts)
{
	const struct type *outer = types_named(ts, CLASS_STRUCT, "outer", NULL), *lateral;
	struct type_member m;
	struct prototype p;

	check(types_function(ts, "split", "split_function", 0, &p) &&
	      is_prototype(ts, &p, "int (struct own * own, struct outer * second)"), "a module's function");
	check(types_target(ts, p.args[1].type) == outer, "vmlinux's types are the same object in a module");
	check(types_member(ts, types_target(ts, p.args[0].type), "o", &m) && m.offset == 8 && m.type == outer,
	      "a member of a module's structure");
	check(!types_function(ts, NULL, "split_function", 0, &p) && !types_named(ts, CLASS_STRUCT, "own", NULL),
	      "which the kernel has not");
	types_member(ts, outer, "p", &m);
	lateral = types_target(ts, m.type);
	check(lateral->size == 12 && types_member(ts, lateral, "depth", &m) && m.offset == 8,
	      "declared in vmlinux, complete in a module");
	check(types_function(ts, "own-base", "based_function", 0, &p) &&
	      is_prototype(ts, &p, "int (struct own * own, struct outer * second)") &&
	      types_target(ts, p.args[1].type) == outer &&
	      types_member(ts, types_target(ts, p.args[0].type), "before", &m) && is_text(ts, m.type, "int"),
	      "a module with a base of its own: types of vmlinux by name");
	check(!types_same(ts, types_named(ts, CLASS_STRUCT, "own", "split"), outer) &&
	      types_same(ts, types_named(ts, CLASS_STRUCT, "own", "split"),
			 types_named(ts, CLASS_STRUCT, "own", "own_base")),
	      "structures of two modules by tag and size");
	check(!types_function(ts, "no_btf", "f", 0, &p) && types_named(ts, CLASS_STRUCT, "outer", "no_btf") == outer &&
	      !types_function(ts, "absent", "f", 0, &p), "a module without BTF, and none");
	check(types_function(ts, "inside", "nothing", 0, &p), "one that is built in is vmlinux");
	check(types_have_btf(ts) && !types_have_dwarf(ts, NULL), "BTF is there, DWARF is not");
}

/* ---- changed bytes ---- */

#ifndef ROUNDS
#define ROUNDS	300U
#endif

static uint64_t random_state = 88172645463325252ULL;

static unsigned int next(unsigned int below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 20) % below;
}

static void ask_type(struct types *ts, const struct type *t, unsigned int deep)
{
	static const char *const names[] = { "x", "hi", "p", "name", "a", "f", "o", "none" };
	struct type_member m;
	unsigned int count;

	free(types_text(ts, t));
	types_enumerators(ts, t, &count);
	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (types_member(ts, t, names[i], &m)) {
			free(types_text(ts, m.type));
			types_same(ts, t, m.type);
			if (deep < 3)
				ask_type(ts, m.type, deep + 1);
		}
	if (deep < 3)
		ask_type(ts, types_target(ts, t), deep + 1);
}

static void ask_everything(struct types *ts)
{
	static const char *const names[] = {
		"alike", "differ", "nothing", "printer", "named", "unnamed", "per_cpu_outer", "outer", "plain", "tight",
		"holder", "colour", "wide", "lateral", "own", "SAME", "RED", "int", "u16", "split_function",
		"based_function", "circle", "endless", "arrow"
	};
	static const char *const modules[] = { NULL, "split", "own_base" };
	struct type_enumerator e[ENUMERATOR_OTHERS];
	struct prototype p;
	struct near near;
	bool per_cpu;

	for (unsigned int i = 0; i < 3 * sizeof(names) / sizeof(*names); i++) {
		const char *name = names[i / 3], *module = modules[i % 3];
		const struct type *t = types_variable(ts, module, name, &per_cpu);

		if (t)
			ask_type(ts, t, 0);
		if (types_function(ts, module, name, 0, &p) || types_tracepoint(ts, module, name, &p)) {
			ask_type(ts, p.result, 0);
			for (unsigned int k = 0; k < p.nargs; k++)
				ask_type(ts, p.args[k].type, 0);
		}
		for (enum type_class c = CLASS_ENUM; c <= CLASS_UNION; c++)
			if ((t = types_named(ts, c, name, module)))
				ask_type(ts, t, 0);
		types_enumerator(ts, name, module, e);
	}
	near_begin(&near, "outre");
	types_near_named(ts, CLASS_STRUCT, &near);
	types_near_enumerators(ts, &near);
}

static void change(unsigned char *bytes, uint32_t size)
{
	struct btf_header h;
	unsigned int changes = 1 + next(6);

	memcpy(&h, bytes, sizeof(h));
	while (changes--) {
		uint32_t word, at = next(20) ? h.hdr_len + 4 * next(h.type_len / 4) : 4 * next(size / 4);

		switch (next(4)) {
		case 0:
			bytes[at + next(4)] ^= 1 << next(8);
			break;
		case 1:		/* another type: circles */
			word = next(120);
			memcpy(bytes + at, &word, 4);
			break;
		case 2:
			word = next(2) ? 0xffffffff - next(4) : next(0x7fffffff);
			memcpy(bytes + at, &word, 4);
			break;
		default:	/* another kind */
			bytes[at + 3] = next(20) | (next(2) << 7);
			break;
		}
	}
}

static unsigned int hostile(unsigned int rounds)
{
	struct btf *vmlinux = make_vmlinux(), *module = make_module(vmlinux, outer_id, ints[INT], "split_function");
	struct section good = { .name = ".BTF" }, split = { .name = ".BTF" };
	unsigned int opened = 0;

	good.bytes = btf__raw_data(vmlinux, &good.size);
	split.bytes = btf__raw_data(module, &split.size);
	for (unsigned int i = 0; i < rounds; i++) {
		struct section s = good, m = split;
		struct diag *diag = diag_new(NULL, 0);
		struct symbols *symbols;
		struct types *ts;

		s.bytes = memcpy(malloc(s.size), good.bytes, s.size);
		m.bytes = memcpy(malloc(m.size), split.bytes, m.size);
		if (i % 3)
			change((unsigned char *)s.bytes, s.size);
		if (i % 3 != 1)
			change((unsigned char *)m.bytes, m.size);
		if (i % 50 == 49)
			s.size = next(s.size);
		write_elf("boot/vmlinux-9.9.9", &s, 1);
		write_elf("lib/modules/9.9.9/kernel/split.ko", &m, 1);
		symbols = symbols_open(&kernel, diag);
		ts = types_new(&kernel, symbols);
		ask_everything(ts);
		opened += types_have_btf(ts);
		types_free(ts);
		symbols_free(symbols);
		diag_free(diag);
		free((void *)s.bytes);
		free((void *)m.bytes);
	}
	btf__free(module);
	btf__free(vmlinux);
	return opened;
}

/* ---- a real kernel ---- */

static bool lies(struct types *ts, const char *tag, const char *member, size_t struct_size, size_t offset, size_t size)
{
	const struct type *t = types_named(ts, CLASS_STRUCT, tag, NULL);
	struct type_member m;
	bool good = t && t->size == struct_size && types_member(ts, t, member, &m) && !m.bits && m.offset == offset &&
		    m.type->size == size;

	if (!good)
		printf("# struct %s's %s is elsewhere\n", tag, member);
	return good;
}

#define LIES(s, tag, member)	\
	lies(ts, tag, #member, sizeof(s), __builtin_offsetof(s, member), sizeof(((s *)0)->member))

static bool bits_lie(struct types *ts, const char *tag, const char *member, const void *one, unsigned int width)
{
	const struct type *t = types_named(ts, CLASS_STRUCT, tag, NULL);
	struct type_member m;

	return t && types_member(ts, t, member, &m) && m.bits == width && extract(one, &m) == (1U << width) - 1;
}

static void check_kernel(const struct kernel *k)
{
	struct diag *diag = diag_new(NULL, 0);
	struct symbols *symbols = symbols_open(k, diag);
	struct types *ts = types_new(k, symbols);
	struct prototype p;

	check(types_have_btf(ts), "a real kernel's BTF");
	check(LIES(struct iphdr, "iphdr", saddr) && LIES(struct iphdr, "iphdr", frag_off) &&
	      LIES(struct tcphdr, "tcphdr", window) && LIES(struct tcphdr, "tcphdr", ack_seq) &&
	      LIES(struct iovec, "iovec", iov_len) &&
	      LIES(struct epoll_event, "epoll_event", data),
	      "structures as in the headers that it shares with user space");
	check(bits_lie(ts, "iphdr", "version", &(struct iphdr){ .version = 15 }, 4) &&
	      bits_lie(ts, "iphdr", "ihl", &(struct iphdr){ .ihl = 15 }, 4) &&
	      bits_lie(ts, "tcphdr", "doff", &(struct tcphdr){ .doff = 15 }, 4) &&
	      bits_lie(ts, "tcphdr", "syn", &(struct tcphdr){ .syn = 1 }, 1) &&
	      bits_lie(ts, "tcphdr", "ece", &(struct tcphdr){ .ece = 1 }, 1), "and their bit-fields");
	check(types_function(ts, NULL, "vfs_read", 0, &p) &&
	      is_prototype(ts, &p, "ssize_t (struct file * file, char * buf, size_t count, loff_t * pos)"), "vfs_read");
	types_free(ts);
	symbols_free(symbols);
	diag_free(diag);
}

int main(int argc, char **argv)
{
	struct target target = { .sysroot = argc > 1 ? argv[1] : NULL };
	struct diag *diag = diag_new(NULL, 0);
	struct symbols *symbols;
	struct kernel real;
	struct types *ts;
	clock_t begin;
	unsigned int opened;

	make_kernel();
	symbols = symbols_open(&kernel, diag);
	ts = types_new(&kernel, symbols);
	check_words(ts);
	check_members(ts);
	check_circles(ts);
	check_bits(ts);
	check_enums(ts);
	check_functions(ts);
	check_modules(ts);
	types_free(ts);
	symbols_free(symbols);
	begin = clock();
	opened = hostile(ROUNDS);
	printf("# changed BTF: %u of %u could be opened, %ld ms\n", opened, ROUNDS,
	       (long)((clock() - begin) * 1000 / CLOCKS_PER_SEC));
	check(opened > ROUNDS / 3 && opened < ROUNDS, "changed BTF: an answer, most of the time from what it says");
	remove_kernel();
	if (kernel_find(&real, &target, diag) && (argc > 1 || access("/sys/kernel/btf/vmlinux", R_OK) == 0)) {
		check_kernel(&real);
	} else {
		tests++;
		printf("ok %u # SKIP no BTF of a kernel here\n", tests);
	}
	kernel_free(&real);
	diag_free(diag);
	printf("1..%u\n", tests);
	return failed != 0;
}
