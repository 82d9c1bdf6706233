/* SPDX-License-Identifier: GPL-2.0 */
/*
 * types.h: the target kernel's types, prototypes and variables: one face over BTF (types_btf.c) and DWARF (types_dwarf.c).
 *
 * Nothing is opened before it is asked for. Each question goes to BTF first (of vmlinux, then of the module that it is
 * about), then to DWARF; what only DWARF knows (locals, lines, inlined functions, files) goes there at once.
 * All that is given away lives as long as the struct types. A type is one object, however often it is asked for, within
 * one source; types of different sources are compared by types_same().
 */
#ifndef KM_TYPES_H
#define KM_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"
#include "symbols.h"
#include "text.h"

enum type_class {
	CLASS_VOID,
	CLASS_INT,
	CLASS_ENUM,
	CLASS_POINTER,
	CLASS_ARRAY,
	CLASS_STRUCT,
	CLASS_UNION,
	CLASS_FUNCTION,
	CLASS_OTHER,		/* floating point, complex: nothing can be done with it */
};

/* Qualifiers and typedefs are looked through; the outermost typedef's name stays as `alias`. */
struct type {
	enum type_class class;
	const char *name;	/* int: "unsigned int"; struct, union, enum: the tag, NULL where it has none */
	const char *alias;	/* the typedef by which it was named ("u64", "__be16"), or NULL */
	uint64_t size;		/* bytes; 0: void, function, not complete, or an array of unknown length */
	uint64_t count;		/* elements of an array */
	bool is_signed;		/* int, enum */
	bool is_bool;
	bool is_char;		/* char, signed char, unsigned char and their typedefs: one byte of text */
	bool is_user;		/* pointer marked __user (BTF type tags, where the kernel was built with them) */
	const void *source;	/* the source's own */
	uint64_t id;
};

struct types;

/* Opens no file. */
struct types *types_new(const struct kernel *kernel, struct symbols *symbols);
void types_free(struct types *ts);

/* Where types can come from on this target, for messages that say what is missing; opens vmlinux's BTF. */
bool types_have_btf(struct types *ts);
bool types_have_dwarf(struct types *ts, const char *module);

/* What a pointer points to, what an array is made of, what a function returns. Never NULL: CLASS_VOID. */
const struct type *types_target(struct types *ts, const struct type *t);

/* C's name for it: "struct sock *", "char [16]", "u64". malloc'ed. */
char *types_text(struct types *ts, const struct type *t);

bool types_same(struct types *ts, const struct type *a, const struct type *b);

/* Types that need no source: integers of C by size in bytes (1, 2, 4, 8), void, a pointer to a type. */
const struct type *types_int(struct types *ts, unsigned int size, bool is_signed);
const struct type *types_void(struct types *ts);
const struct type *types_pointer(struct types *ts, const struct type *to);

/*
 * The type that @words means: "unsigned long", "u8", "size_t", or with @class struct, union or enum a tag. C's own words
 * and the kernel's fixed ones (u8 .. s64, __u8 .. __s64, __le16 .. __be64) need no source. @module: look there too, and
 * for what nobody else has in the modules that depend on it, and those it depends on.
 * NULL: there is none. A structure that is only declared somewhere is looked for elsewhere; if it is declared only, its
 * size is 0.
 */
const struct type *types_named(struct types *ts, enum type_class class, const char *words, const char *module);
void types_near_named(struct types *ts, enum type_class class, struct near *near);

/* ---- members ---- */

struct type_member {
	const char *name;
	const struct type *type;
	uint64_t offset;	/* bytes from the beginning of the outer type; of a bit-field: of its storage */
	unsigned int bits;	/* width of a bit-field, 0: none */
	unsigned int shift;	/* its lowest bit in the little-endian storage of type->size bytes at offset */
};

/* A member of @t by name, through unnamed members. False: none. */
bool types_member(struct types *ts, const struct type *t, const char *name, struct type_member *m);
void types_near_members(struct types *ts, const struct type *t, struct near *near);

/*
 * A member of what @t holds or points to, of this name or nearly: "__sk_common.skc_dport". @near has the nearest so far, and
 * only a nearer one is given. NULL: none. malloc'ed.
 */
char *types_near_below(struct types *ts, const struct type *t, const struct near *near);

/* ---- enumerators ---- */

struct type_enumerator {
	const char *name;
	int64_t value;
	const struct type *of;
};

#define ENUMERATOR_OTHERS	4

/*
 * Enumerators of this name in the kernel (and @module). Returns how many different values it has; @e gets one enumerator
 * for each of the first ENUMERATOR_OTHERS values.
 */
unsigned int types_enumerator(struct types *ts, const char *name, const char *module,
			      struct type_enumerator e[ENUMERATOR_OTHERS]);
void types_near_enumerators(struct types *ts, struct near *near);

/* All enumerators of an enum, in order. The array belongs to @ts. */
const struct type_enumerator *types_enumerators(struct types *ts, const struct type *t, unsigned int *count);

/* ---- functions, tracepoints, variables ---- */

#define PROTOTYPE_ARGS	24

struct prototype {
	const struct type *result;
	unsigned int nargs;
	bool variadic;
	struct {
		const char *name;	/* NULL: not known */
		const struct type *type;
	} args[PROTOTYPE_ARGS];
};

/*
 * The prototype of a function. @module NULL: the kernel's own; @address as symbols.h gives it, 0 where only the name is
 * known (of several functions of one name it tells which). False: no source knows it, or the sources know several of
 * this name that differ and @address does not decide.
 */
bool types_function(struct types *ts, const char *module, const char *name, uint64_t address, struct prototype *p);

/* The arguments of a tracepoint's callbacks behind the first (void *data), with names where a source has them. */
bool types_tracepoint(struct types *ts, const char *module, const char *name, struct prototype *p);

/* The type of a global variable; @per_cpu: it is one a CPU. NULL: not known (its address may be, see symbols.h). */
const struct type *types_variable(struct types *ts, const char *module, const char *name, bool *per_cpu);

/* ---- what only DWARF knows ---- */

/* A variable of a source file: its address as symbols.h gives it (of a module: its place in the file), 0: not known. */
struct variable_seen {
	const struct type *type;
	const char *file;	/* "fs/sync.c"; NULL: not known */
	uint64_t address;
};

/* All variables of this name, statics of functions too ("count.2" as the symbol table has it); how many of @room. */
unsigned int types_variables(struct types *ts, const char *module, const char *name, struct variable_seen *seen, unsigned int room);


/*
 * A place in code: a function of the symbol table, the distance in bytes from its beginning, and what the source says
 * of it. @address as in types_function().
 */
struct code_place {
	const char *function;
	uint64_t address;	/* of the function */
	uint64_t offset;
	const char *file;	/* as the compiler was told: "fs/read_write.c"; NULL: not known */
	unsigned int line;
};

/*
 * Where a value is at an instruction, as a small program on a stack of words: what DWARF's location expressions come to
 * on x86-64. Nothing of DWARF is left in it.
 */
enum locate_op {
	LOCATE_REG,		/* push register `n` (DWARF's number: 0 rax 1 rdx 2 rcx 3 rbx 4 rsi 5 rdi 6 rbp 7 rsp 8..15) */
	LOCATE_CONST,		/* push n */
	LOCATE_READ,		/* pop an address, push the `n`-byte little-endian word that is there */
	LOCATE_ADD, LOCATE_SUB, LOCATE_MUL, LOCATE_AND, LOCATE_OR, LOCATE_XOR, LOCATE_SHL, LOCATE_SHR, LOCATE_SHRA,
	LOCATE_NEG, LOCATE_NOT,
};

#define LOCATE_OPS	24

struct locate {
	bool in_memory;		/* what is left on the stack is the address of the object, not its value */
	unsigned int count;
	struct { enum locate_op op; int64_t n; } ops[LOCATE_OPS];
};

enum local_state { LOCAL_FOUND, LOCAL_ABSENT, LOCAL_OPTIMIZED_OUT, LOCAL_TOO_COMPLEX };

/*
 * The variable or argument @name that is in scope at @at (function, address, offset; inlined functions' own ones first),
 * and where it is there.
 */
enum local_state types_local(struct types *ts, const char *module, const struct code_place *at, const char *name,
			     const struct type **type, struct locate *locate);
void types_near_locals(struct types *ts, const char *module, const struct code_place *at, struct near *near);

/*
 * The first instruction of each run of instructions of FILE:LINE that begins a statement (several where the line was
 * inlined or duplicated). @file may be the end of a path. Returns how many (the array is malloc'ed); 0: none, then
 * *nearest is the nearest line of that file that has one, or 0 where there is no such file.
 */
unsigned int types_lines(struct types *ts, const char *module, const char *file, unsigned int line,
			 struct code_place **places, unsigned int *nearest);

/* Every place where @name was inlined: its first instruction there. malloc'ed array. */
unsigned int types_inlines(struct types *ts, const char *module, const char *name, struct code_place **places);

/* The same of a function that has a body too: it can be inlined only in the file that holds this, so it is found at once. */
unsigned int types_inlined_beside(struct types *ts, const char *module, const char *name, uint64_t address,
				  struct code_place **places);

/* The source file of a function; NULL: not known. */
const char *types_file_of(struct types *ts, const char *module, const char *function, uint64_t address);

/* The same of one of several: each file that includes a header has its functions anew, so it is that file. */
const char *types_file_of_twin(struct types *ts, const char *module, const char *function, uint64_t address);

#endif /* KM_TYPES_H */
