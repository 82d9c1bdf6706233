// SPDX-License-Identifier: GPL-2.0
/*
 * compiler_dwarf.c: types, locals, lines and inlined functions from DWARF. A program (dwarf/) is compiled as if it
 * were a vmlinux. What is said of its types is held against what the compiler says here; what is said of its locals
 * against what they are while it runs under ptrace, at each instruction; lines and inlined functions against
 * addr2line. Then its DWARF is damaged in many ways: there must be an answer, whatever it is.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/symbols_private.h"
#include "compiler/types_private.h"
#include "dwarf/target.h"

#define RELEASE		"6.0-test"
#define SHIFT		0x2a000000ULL
#define DAMAGES		200

static unsigned int tests, failed;
static char dir[] = "/tmp/compiler_dwarf.XXXXXX";
static char *program;

static void check(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void check(bool good, const char *format, ...)
{
	va_list args;

	tests++;
	failed += !good;
	printf("%sok %u - ", good ? "" : "not ", tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *format, ...)
{
	char command[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command) != 0) {
		printf("Bail out! failed: %s\n", command);
		exit(1);
	}
}

/* The first line that a command prints. */
static char *answer(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *answer(const char *format, ...)
{
	char command[4096], line[512] = "";
	va_list args;
	FILE *f;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	f = popen(command, "r");
	if (f && fgets(line, sizeof(line), f))
		line[strcspn(line, "\n")] = 0;
	if (f)
		pclose(f);
	return mem_copy(line, strlen(line));
}

/* The line of a source that is marked so. */
static unsigned int marked(const char *file, const char *mark)
{
	char *line = answer("grep -n 'LINE: %s' dwarf/%s", mark, file);
	unsigned int n = atoi(line);

	free(line);
	return n;
}

static uint64_t symbol_address(const char *name)
{
	char *line = answer("nm %s | grep ' %s$'", program, name);
	uint64_t address = strtoull(line, NULL, 16);

	free(line);
	return address;
}

static struct kernel kernel = { .release = (char *)RELEASE, .root = dir };

static bool says(struct types *ts, const struct type *t, const char *text)
{
	char *its = t ? types_text(ts, t) : mem_copy("(none)", 6);
	bool same = strcmp(its, text) == 0;

	if (!same)
		printf("# '%s', not '%s'\n", its, text);
	free(its);
	return same;
}

/* ---- types ---- */

static void check_member(struct types *ts, const struct type *t, const char *name, uint64_t offset, uint64_t size,
			 const char *text)
{
	struct type_member m;

	check(types_member(ts, t, name, &m) && m.offset == offset && m.type->size == size && !m.bits &&
	      says(ts, m.type, text), "member %s is %s at %" PRIu64, name, text, offset);
}

/* All bits of a field set by the compiler here, and where they are said to be. */
static void check_bits(struct types *ts, const struct type *t, const char *name, const void *object, uint64_t value)
{
	struct type_member m;
	uint64_t word = 0;
	bool good = types_member(ts, t, name, &m) && m.bits && m.type->size <= 8 && m.offset + m.type->size <= t->size;

	if (good) {
		memcpy(&word, (const char *)object + m.offset, m.type->size);
		word = word >> m.shift & (~0ULL >> (64 - m.bits));
	}
	check(good && word == value, "bit-field %s", name);
}

static void check_struct(struct types *ts)
{
	const struct type *t = types_named(ts, CLASS_STRUCT, "tm_all", NULL), *packed, *grid, *hidden;
	struct tm_all all = { .flag = 1, .three = 5, .nine = 0x155, .minus = -6, .wide = 0xabcdef0123 };
	struct tm_packed small = { .a = 0x55, .b = 0xabcde };
	struct type_member m;

	check(t && t->class == CLASS_STRUCT && t->size == sizeof(struct tm_all), "struct tm_all");
	check_member(ts, t, "name", offsetof(struct tm_all, name), 11, "char [11]");
	check_member(ts, t, "id", offsetof(struct tm_all, id), 4, "tm_fixed");
	check_member(ts, t, "whole", offsetof(struct tm_all, whole), 8, "long");
	check_member(ts, t, "high", offsetof(struct tm_all, high), 4, "int");
	check_member(ts, t, "yes", offsetof(struct tm_all, yes), 1, "_Bool");
	check_member(ts, t, "colour", offsetof(struct tm_all, colour), 4, "enum tm_colour");
	check_member(ts, t, "grid", offsetof(struct tm_all, grid), sizeof(all.grid), "struct tm_inner [3][5]");
	check_member(ts, t, "next", offsetof(struct tm_all, next), 8, "struct tm_all *");
	check_member(ts, t, "words", offsetof(struct tm_all, words), 8, "char **");
	check_member(ts, t, "call", offsetof(struct tm_all, call), 8, "int (*)()");
	check_member(ts, t, "tail", offsetof(struct tm_all, tail), 0, "unsigned char []");
	check_bits(ts, t, "flag", &all, 1);
	check_bits(ts, t, "three", &all, 5);
	check_bits(ts, t, "nine", &all, 0x155);
	check_bits(ts, t, "minus", &all, -6 & 0x1f);
	check_bits(ts, t, "wide", &all, 0xabcdef0123);
	check(types_member(ts, t, "minus", &m) && m.type->is_signed, "minus is signed");
	check(types_member(ts, t, "real", &m) && m.type->class == CLASS_OTHER, "real is nothing to work with");
	check(!types_member(ts, t, "nothing", &m), "no member of that name");

	types_member(ts, t, "grid", &m);
	grid = types_target(ts, m.type);
	check(m.type->count == 3 && grid->class == CLASS_ARRAY && grid->count == 5 &&
	      grid->size == 5 * sizeof(struct tm_inner) && types_target(ts, grid)->class == CLASS_STRUCT &&
	      grid == types_target(ts, m.type), "an array of arrays");
	types_member(ts, t, "next", &m);
	check(types_target(ts, m.type) == t, "a pointer to itself leads back");
	types_member(ts, t, "call", &m);
	check(says(ts, types_target(ts, types_target(ts, m.type)), "int"), "what a function returns");
	types_member(ts, t, "hidden", &m);
	hidden = types_target(ts, m.type);
	check(hidden->size == sizeof(int) * 4 && types_member(ts, hidden, "inner", &m) && m.offset == 8,
	      "a structure that another unit holds");

	packed = types_named(ts, CLASS_STRUCT, "tm_packed", NULL);
	check(packed && packed->size == sizeof(small), "a packed structure");
	if (packed) {
		check_bits(ts, packed, "a", &small, 0x55);
		check_bits(ts, packed, "b", &small, 0xabcde);
	}
	t = types_named(ts, CLASS_VOID, "tm_id", NULL);
	check(t && t->class == CLASS_INT && t->size == 4 && !t->is_signed && strcmp(t->alias, "tm_id") == 0, "a typedef");
	check(t && types_named(ts, CLASS_VOID, "tm_id", NULL) == t, "the same type is the same object");
	check(!types_named(ts, CLASS_UNION, "tm_all", NULL) && !types_named(ts, CLASS_STRUCT, "tm_id", NULL) &&
	      !types_named(ts, CLASS_STRUCT, "tm_nowhere", NULL) && !types_named(ts, CLASS_VOID, "tm_work", NULL),
	      "a name of something else is no type");
}

static void check_enums(struct types *ts)
{
	struct type_enumerator e[ENUMERATOR_OTHERS];
	const struct type_enumerator *all;
	const struct type *t;
	unsigned int n;

	check(types_enumerator(ts, "TM_FAR", NULL, e) == 1 && e[0].value == (int64_t)0x90000000 && !e[0].of->is_signed,
	      "an unsigned enumerator beyond INT_MAX");
	check(types_enumerator(ts, "TM_MINUS", NULL, e) == 1 && e[0].value == -3 && e[0].of->is_signed &&
	      says(ts, e[0].of, "enum tm_sign"), "a negative enumerator");
	check(types_enumerator(ts, "TM_PLUS", NULL, e) == 1 && e[0].value == 200, "one beyond SCHAR_MAX");
	check(types_enumerator(ts, "TM_SAME", NULL, e) == 1 && e[0].value == 5, "two enums, one value");
	n = types_enumerator(ts, "TM_DIFFERS", NULL, e);
	check(n == 2 && e[0].value + e[1].value == 3, "two enums, two values");
	check(!types_enumerator(ts, "TM_NOWHERE", NULL, e) && !types_enumerator(ts, "tm_work", NULL, e), "none");
	t = types_named(ts, CLASS_ENUM, "tm_colour", NULL);
	all = t ? types_enumerators(ts, t, &n) : NULL;
	check(all && n == 3 && strcmp(all[1].name, "TM_GREEN") == 0 && all[1].value == TM_GREEN, "all of an enum");
}

static void check_near(struct types *ts)
{
	struct near near;

	near_begin(&near, "tm_iner");
	types_near_named(ts, CLASS_STRUCT, &near);
	check(near.count && strcmp(near.name[0], "tm_inner") == 0, "the nearest structure");
	near_begin(&near, "TM_GREN");
	types_near_enumerators(ts, &near);
	check(near.count && strcmp(near.name[0], "TM_GREEN") == 0, "the nearest enumerator");
}

static void check_functions(struct types *ts)
{
	uint64_t same[2] = { 0, 0 };
	const struct type *t;
	struct prototype p;
	bool per_cpu;
	char *list = answer("nm %s | grep ' same_name$' | cut -d' ' -f1 | tr '\\n' ' '", program);

	sscanf(list, "%" SCNx64 " %" SCNx64, &same[0], &same[1]);
	free(list);
	check(types_function(ts, NULL, "tm_work", 0, &p) && p.nargs == 3 && !p.variadic && says(ts, p.result, "long") &&
	      strcmp(p.args[1].name, "shadow") == 0 && says(ts, p.args[1].type, "struct tm_all *") &&
	      says(ts, p.args[2].type, "tm_id"), "a prototype");
	check(types_function(ts, NULL, "tm_give", 0, &p) && p.nargs == 4 && says(ts, p.result, "struct tm_inner") &&
	      p.args[1].type->is_char && p.args[1].type->is_signed && p.args[2].type->is_char &&
	      !p.args[2].type->is_signed && p.args[3].type->is_bool, "characters and truth values");
	check(types_function(ts, NULL, "tm_many", 0, &p) && p.nargs == 1 && p.variadic, "a variadic one");
	check(types_function(ts, NULL, "schedule", 0, &p) && !p.nargs && p.result->class == CLASS_VOID, "void of void");
	check(!types_function(ts, NULL, "same_name", 0, &p), "of two that differ nobody can say");
	check(same[1] && types_function(ts, NULL, "same_name", same[0], &p) && p.nargs == 2 &&
	      types_function(ts, NULL, "same_name", same[1], &p) && p.nargs == 1, "unless by its address");
	check(!types_function(ts, NULL, "tm_object", 0, &p) && !types_function(ts, NULL, "tm_mix", 0, &p),
	      "variables and inlined functions have none");

	t = types_variable(ts, NULL, "tm_object", &per_cpu);
	check(t && says(ts, t, "struct tm_all") && !per_cpu, "a variable");
	t = types_variable(ts, NULL, "tm_each", &per_cpu);
	check(t && says(ts, t, "long") && per_cpu, "one that each CPU has");
	check(!types_variable(ts, NULL, "twins", &per_cpu), "of two variables nobody can say");
	t = types_variable(ts, NULL, "tm_elsewhere", &per_cpu);
	check(t && says(ts, t, "int"), "a variable that is declared here and there");
	check(!types_variable(ts, NULL, "tm_nowhere", &per_cpu), "no variable");
}

/* ---- places ---- */

/* addr2line, of binutils, reads the same in its own way. */
static bool is_at(const struct code_place *p, const char *file, unsigned int line)
{
	char *said = answer("addr2line -e %s %#" PRIx64, program, p->address + p->offset);
	char *wanted = mem_printf("%s:%u", file, line), *at = strstr(said, wanted);
	bool good = at && (at[strlen(wanted)] == 0 || at[strlen(wanted)] == ' ');

	if (!good)
		printf("# %s+%#" PRIx64 ": '%s', not '%s'\n", p->function, p->offset, said, wanted);
	free(said);
	free(wanted);
	return good;
}

static void check_line(struct types *ts, const char *file, const char *real, unsigned int line, unsigned int least,
		       const char *what)
{
	struct code_place *places;
	unsigned int nearest, n = types_lines(ts, NULL, file, line, &places, &nearest);
	bool good = n >= least && nearest == line;

	for (unsigned int i = 0; i < n; i++)
		good = good && is_at(&places[i], real, line) && places[i].line == line && places[i].file &&
		       strcmp(places[i].file, real) == 0;
	check(good, "%s: %u places", what, n);
	free(places);
}

static void check_lines(struct types *ts)
{
	unsigned int store = marked("first.c", "store"), header = marked("target.h", "header"), nearest, n;
	unsigned int nothing = marked("first.c", "nothing is here");
	struct code_place *places;

	check_line(ts, "dwarf/first.c", "dwarf/first.c", store, 1, "a line");
	check_line(ts, "first.c", "dwarf/first.c", store, 1, "by the end of its path");
	check_line(ts, "./dwarf/first.c", "dwarf/first.c", store, 1, "with ./ before");
	check_line(ts, "target.h", "dwarf/target.h", header, 3, "a header's line, in each function that it was inlined into");
	n = types_lines(ts, NULL, "first.c", nothing, &places, &nearest);
	check(!n && nearest == nothing - 1, "a comment: the nearest line is %u", nearest);
	free(places);
	n = types_lines(ts, NULL, "nowhere.c", 3, &places, &nearest);
	check(!n && !nearest, "no such file");
	free(places);
	n = types_lines(ts, NULL, "irst.c", store, &places, &nearest);
	check(!n && !nearest, "a part of a file's name is not its name");
	free(places);
	n = types_lines(ts, NULL, "first.c", 1000000, &places, &nearest);
	check(!n && nearest > store && nearest < 200, "beyond the end: the last line is %u", nearest);
	free(places);
}

static void check_inlines(struct types *ts)
{
	unsigned int main_ = 0, work = 0, second = 0, n;
	struct code_place *places;
	bool good = true;

	n = types_inlines(ts, NULL, "tm_mix", &places);
	for (unsigned int i = 0; i < n; i++) {
		char *said = answer("addr2line -f -i -e %s %#" PRIx64, program, places[i].address + places[i].offset);

		good = good && strcmp(said, "tm_mix") == 0;
		main_ += strcmp(places[i].function, "main") == 0;
		work += strcmp(places[i].function, "tm_work") == 0;
		second += strcmp(places[i].function, "tm_second") == 0;
		good = good && places[i].file && (work || places[i].line);
		free(said);
	}
	check(good && main_ == 1 && work >= 1 && second == 1 && main_ + work + second == n,
	      "tm_mix was inlined into main, tm_work (%u), tm_second", work);
	free(places);
	check(!types_inlines(ts, NULL, "tm_work", &places) && !places, "a function that was not");
	check(!types_inlines(ts, NULL, "tm_nowhere", &places) && !places, "none");
}

static void check_files(struct types *ts)
{
	const char *file = types_file_of(ts, NULL, "tm_second", 0);

	check(file && strcmp(file, "dwarf/second.c") == 0, "the file of a function");
	check(!types_file_of(ts, NULL, "same_name", 0) && !types_file_of(ts, NULL, "tm_nowhere", 0), "of several, of none");
	file = types_file_of(ts, NULL, "same_name", symbol_address("same_name"));
	check(file && (strcmp(file, "dwarf/second.c") == 0 || strcmp(file, "dwarf/first.c") == 0), "of one of several");
}

/* ---- locals, while the program runs ---- */

struct watched {
	const char *name;
	int64_t value;
	unsigned int found, wrong, states[4];
};

static uint64_t reg_of(const struct user_regs_struct *r, int64_t n)
{
	const unsigned long long regs[] = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp,
					    r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15 };

	return n >= 0 && n < 16 ? regs[n] : 0;
}

static uint64_t peek(pid_t pid, uint64_t address, uint64_t size)
{
	uint64_t word = ptrace(PTRACE_PEEKDATA, pid, address, NULL);

	return size >= 8 ? word : word & ((1ULL << 8 * size) - 1);
}

/* What the runtime will do with a struct locate. */
static uint64_t locate_value(pid_t pid, const struct user_regs_struct *regs, const struct locate *l)
{
	uint64_t stack[LOCATE_OPS + 2] = {};
	unsigned int top = 1;		/* two zeroes below, so that damage is seen as a wrong value */

	for (unsigned int i = 0; i < l->count; i++) {
		int64_t n = l->ops[i].n;
		uint64_t *a = &stack[top - 1], b = stack[top];

		switch (l->ops[i].op) {
		case LOCATE_REG: stack[++top] = reg_of(regs, n); continue;
		case LOCATE_CONST: stack[++top] = n; continue;
		case LOCATE_READ: stack[top] = peek(pid, b, n); continue;
		case LOCATE_NEG: stack[top] = -b; continue;
		case LOCATE_NOT: stack[top] = ~b; continue;
		case LOCATE_ADD: *a += b; break;
		case LOCATE_SUB: *a -= b; break;
		case LOCATE_MUL: *a *= b; break;
		case LOCATE_AND: *a &= b; break;
		case LOCATE_OR: *a |= b; break;
		case LOCATE_XOR: *a ^= b; break;
		case LOCATE_SHL: *a <<= b; break;
		case LOCATE_SHR: *a >>= b; break;
		case LOCATE_SHRA: *a = (int64_t)*a >> b; break;
		}
		top--;
	}
	return stack[top];
}

static int64_t as_type(const struct type *t, uint64_t word)
{
	unsigned int cut = t->size && t->size < 8 ? 64 - 8 * t->size : 0;

	return t->is_signed ? (int64_t)(word << cut) >> cut : (int64_t)(word << cut >> cut);
}

static void see_local(struct types *ts, pid_t pid, const struct user_regs_struct *regs, const struct code_place *at,
		      struct watched *w)
{
	const struct type *t;
	struct locate l;
	enum local_state state = types_local(ts, NULL, at, w->name, &t, &l);
	uint64_t word;

	w->states[state]++;
	if (state != LOCAL_FOUND)
		return;
	word = locate_value(pid, regs, &l);
	if (l.in_memory)
		word = peek(pid, word, t->size);
	w->found++;
	if (as_type(t, word) != w->value) {
		if (!w->wrong++)
			printf("# %s at %s+%#" PRIx64 " is %" PRId64 ", not %" PRId64 "\n", w->name, at->function, at->offset,
			       as_type(t, word), w->value);
	}
}

static bool wait_stop(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

static pid_t start_at(uint64_t address, struct user_regs_struct *regs)
{
	pid_t pid = fork();
	long word;

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(program, program, (char *)NULL);
		_exit(127);
	}
	if (!wait_stop(pid))
		return -1;
	word = ptrace(PTRACE_PEEKTEXT, pid, address, NULL);
	ptrace(PTRACE_POKETEXT, pid, address, (void *)((word & ~0xffL) | 0xcc));
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	if (!wait_stop(pid))
		return -1;
	ptrace(PTRACE_POKETEXT, pid, address, (void *)word);
	ptrace(PTRACE_GETREGS, pid, NULL, regs);
	regs->rip = address;
	ptrace(PTRACE_SETREGS, pid, NULL, regs);
	return pid;
}

enum { A, ID, FIXED, NARROW, INNER, TWICE, SHADOW, DEEP, WATCHED };

static void check_locals(struct types *ts)
{
	uint64_t begin = symbol_address("tm_work"), object = symbol_address("tm_object"), returns, rsi, rsp;
	const int64_t a = 1234567, sum = 3 * (2 * (a + 100) + 30) + a + 2 + 3;
	struct watched w[WATCHED] = {
		[A] = { "a", a }, [ID] = { "id", 0x1f3 }, [FIXED] = { "fixed", 5 * a + 1 }, [NARROW] = { "narrow", -13 },
		[INNER] = { "inner", a + 100 }, [TWICE] = { "twice", 2 * (a + 100) }, [SHADOW] = { "shadow" },
		[DEEP] = { "deep", sum ^ a },
	};
	struct user_regs_struct regs;
	struct code_place at = { .function = "tm_work", .address = begin };
	unsigned int steps = 0, entry = 0, inside = 0, turns = 0, nearest;
	struct code_place *loop = NULL;
	unsigned int loops = types_lines(ts, NULL, "first.c", marked("first.c", "loop"), &loop, &nearest);
	pid_t pid = start_at(begin, &regs);
	const struct type *t;
	struct locate l;
	struct near near;

	if (pid < 0) {
		check(false, "the program runs under ptrace");
		free(loop);
		return;
	}
	rsi = regs.rsi;
	rsp = regs.rsp;
	returns = peek(pid, regs.rsp, 8);
	while ((regs.rip != returns || regs.rsp <= rsp) && steps++ < 5000) {
		const struct type *unused;

		at.offset = regs.rip - begin;
		turns += loops && regs.rip == loop[0].address + loop[0].offset;
		if (regs.rip >= begin && at.offset < 0x1000 && regs.rip != returns) {
			bool inlined = types_local(ts, NULL, &at, "inner", &unused, &l) != LOCAL_ABSENT;

			w[SHADOW].value = inlined ? object : rsi;
			inside += inlined;
			for (unsigned int i = 0; i < WATCHED; i++)
				see_local(ts, pid, &regs, &at, &w[i]);
			if (!at.offset)
				entry = w[A].found + w[ID].found + w[SHADOW].found;
		}
		ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
		if (!wait_stop(pid))
			break;
		ptrace(PTRACE_GETREGS, pid, NULL, &regs);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check(steps > 20 && steps < 5000, "%u instructions", steps);
	free(loop);
	check(turns == 3, "the line in the loop was reached %u times", turns);
	check(entry == 3, "all arguments are known at the first instruction");
	check(inside > 3, "%u instructions are of an inlined function", inside);
	for (unsigned int i = 0; i < WATCHED; i++)
		check(!w[i].wrong && w[i].found, "%s: right %u times, absent %u, optimized out %u, too complex %u", w[i].name,
		      w[i].found - w[i].wrong, w[i].states[LOCAL_ABSENT], w[i].states[LOCAL_OPTIMIZED_OUT],
		      w[i].states[LOCAL_TOO_COMPLEX]);
	at.offset = 0;
	check(types_local(ts, NULL, &at, "nothing", &t, &l) == LOCAL_ABSENT, "no such local");
	check(types_local(ts, NULL, &at, "inner", &t, &l) == LOCAL_ABSENT, "not in scope");
	check(types_local(ts, NULL, &at, "room", &t, &l) == LOCAL_FOUND && l.in_memory && says(ts, t, "long [4]"),
	      "an array in the frame");
	at.offset = 1 << 20;
	check(types_local(ts, NULL, &at, "a", &t, &l) == LOCAL_ABSENT, "beyond the function");
	at.offset = 0;
	near_begin(&near, "shadw");
	types_near_locals(ts, NULL, &at, &near);
	check(near.count && strcmp(near.name[0], "shadow") == 0, "the nearest local");
}

/* ---- addresses ---- */

/* The program's symbols, and as many others as a kernel has at least. */
static void write_map(uint64_t shift)
{
	shell("{ nm %s; seq 2000 | sed 's/.*/0 A pad_&/'; } | sort | perl -ne '/^(\\S+) ([A-Za-z]) (\\S+)/ and "
	      "printf \"%%016x %%s %%s\\n\", hex($1) + %llu, $2, $3' >%s/boot/System.map-" RELEASE, program,
	      (unsigned long long)shift, dir);
}

/* A kernel that lies elsewhere than it was linked to. */
static void check_shift(void)
{
	struct symbols *symbols;
	struct code_place *places;
	struct prototype p;
	struct types *ts;
	uint64_t work = symbol_address("tm_work") + SHIFT, same = symbol_address("same_name") + SHIFT;
	struct code_place at = { .function = "tm_work", .address = work };
	struct diag *diag = diag_new(NULL, 0);
	const struct type *t;
	struct locate l;
	unsigned int n;

	write_map(SHIFT);
	symbols = symbols_open(&kernel, diag);
	check(symbols, "symbols of a kernel that lies elsewhere");
	ts = types_new(&kernel, symbols);
	check(types_function(ts, NULL, "same_name", same, &p), "a function by its address there");
	check(types_local(ts, NULL, &at, "a", &t, &l) == LOCAL_FOUND, "a local there");
	n = types_inlines(ts, NULL, "tm_mix", &places);
	for (unsigned int i = 0; i < n; i++)
		if (strcmp(places[i].function, "tm_work") == 0 && places[i].address != work)
			n = 0;
	check(n, "places have the addresses there");
	free(places);
	types_free(ts);
	symbols_free(symbols);
	diag_free(diag);
	shell("rm %s/boot/System.map-" RELEASE, dir);
}

/* ---- a module ---- */

static void check_module(void)
{
	struct code_place at = { .function = "tm_second" }, *places;
	struct symbols *symbols;
	struct diag *diag = diag_new(NULL, 0);
	unsigned int nearest, n, line;
	const struct type *t;
	struct prototype p;
	struct types *ts;
	struct locate l;
	const char *file;

	shell("cd %s && mkdir -p lib/modules/" RELEASE "/kernel usr/lib/debug/lib/modules/" RELEASE "/kernel", dir);
	shell("gcc -g -O2 -ffunction-sections -c dwarf/second.c -o %s/usr/lib/debug/lib/modules/" RELEASE "/kernel/tm-mod.ko",
	      dir);
	shell("cd %s/lib/modules/" RELEASE " && echo kernel/tm-mod.ko: >modules.dep && "
	      "strip -g -o kernel/tm-mod.ko %s/usr/lib/debug/lib/modules/" RELEASE "/kernel/tm-mod.ko", dir, dir);
	write_map(0);
	symbols = symbols_open(&kernel, diag);
	ts = types_new(&kernel, symbols);
	check(types_have_dwarf(ts, "tm_mod"), "a module's DWARF");
	check(types_function(ts, "tm_mod", "tm_second", 0, &p) && p.nargs == 1 && says(ts, p.result, "int") &&
	      strcmp(p.args[0].name, "all") == 0, "a module's function");
	check(types_local(ts, "tm-mod", &at, "all", &t, &l) == LOCAL_FOUND && l.count == 1 && l.ops[0].op == LOCATE_REG &&
	      l.ops[0].n == 5, "its argument is in rdi");
	check(types_function(ts, "tm_mod", "same_name", 0, &p) && p.nargs == 1, "another, in a section of its own");
	line = marked("target.h", "header");
	n = types_lines(ts, "tm_mod", "target.h", line, &places, &nearest);
	check(n && strcmp(places[0].function, "tm_second") == 0 && places[0].offset < 0x100, "a line in it");
	free(places);
	n = types_inlines(ts, "tm_mod", "tm_mix", &places);
	check(n == 1 && strcmp(places[0].function, "tm_second") == 0, "an inlined function in it");
	free(places);
	file = types_file_of(ts, "tm_mod", "tm_second", 0);
	check(file && strcmp(file, "dwarf/second.c") == 0, "its source");
	check(!types_have_dwarf(ts, "nothing"), "a module that is not there");
	types_free(ts);
	symbols_free(symbols);
	diag_free(diag);
	shell("rm %s/boot/System.map-" RELEASE, dir);
}

/* ---- damage ---- */

static void ask_all(void)
{
	static const char *const names[] = { "a", "shadow", "deep", "inner", "room" };
	struct types *ts = types_new(&kernel, NULL);
	struct type_enumerator e[ENUMERATOR_OTHERS];
	struct code_place *places;
	struct type_member m;
	struct prototype p;
	const struct type *t;
	unsigned int nearest;
	struct near near;
	bool per_cpu;

	t = types_named(ts, CLASS_STRUCT, "tm_all", NULL);
	if (t) {
		free(types_text(ts, t));
		types_member(ts, t, "whole", &m);
		if (types_member(ts, t, "grid", &m))
			free(types_text(ts, types_target(ts, types_target(ts, m.type))));
		near_begin(&near, "worts");
		types_near_members(ts, t, &near);
	}
	types_named(ts, CLASS_STRUCT, "tm_hidden", NULL);
	types_enumerator(ts, "TM_DIFFERS", NULL, e);
	types_function(ts, NULL, "same_name", 0, &p);
	if (types_function(ts, NULL, "tm_give", 0, &p))
		free(types_text(ts, p.result));
	types_variable(ts, NULL, "tm_object", &per_cpu);
	types_tracepoint(ts, NULL, "nothing", &p);
	for (unsigned int offset = 0; offset < 0x100; offset += 5)
		for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++) {
			struct code_place at = { .function = "tm_work", .offset = offset };
			struct locate l;

			types_local(ts, NULL, &at, names[i], &t, &l);
		}
	types_lines(ts, NULL, "first.c", 60, &places, &nearest);
	free(places);
	types_lines(ts, NULL, "target.h", 60, &places, &nearest);
	free(places);
	types_inlines(ts, NULL, "tm_mix", &places);
	free(places);
	types_file_of(ts, NULL, "tm_second", 0);
	near_begin(&near, "tm_iner");
	types_near_named(ts, CLASS_STRUCT, &near);
	types_free(ts);
}

static uint64_t random_state = 88172645463325252ULL;

static uint64_t number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Sections of debug information: a byte changed here and there, or a run of them, or the end cut off. */
static void damage(unsigned char *bytes, size_t size)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)bytes;
	Elf64_Shdr *sections = (Elf64_Shdr *)(bytes + h->e_shoff);
	const char *names = (const char *)bytes + sections[h->e_shstrndx].sh_offset;

	for (unsigned int i = 1; i < h->e_shnum; i++) {
		Elf64_Shdr *s = &sections[i];
		unsigned int kind = number() % 8;

		if (strncmp(names + s->sh_name, ".debug_", 7) != 0 || !s->sh_size || s->sh_offset + s->sh_size > size)
			continue;
		for (unsigned int n = number() % 6; n; n--)
			bytes[s->sh_offset + number() % s->sh_size] = kind < 6 ? number() : 0;
		if (kind == 7 && number() % 4 == 0)
			s->sh_size = number() % s->sh_size + 1;
	}
}

static void check_damage(const char *what)
{
	size_t size;
	unsigned char *whole = (unsigned char *)text_of_file(program, &size), *bytes = mem_zero(size, 1);
	unsigned int died = 0, i;

	for (i = 0; i < DAMAGES && died < 3; i++) {
		char *path = mem_printf("%s.new", program);
		uint64_t seed = random_state;
		int fd, status;
		pid_t pid;

		memcpy(bytes, whole, size);
		damage(bytes, size);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
		if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
			died = 100;
		close(fd);
		rename(path, program);
		free(path);
		/* In a process of its own: whatever becomes of it, the next one is asked. */
		fflush(stdout);
		pid = fork();
		if (!pid) {
			alarm(20);
			ask_all();
			_exit(0);
		}
		waitpid(pid, &status, 0);
		if (status) {
			printf("# damage %u, seed %" PRIu64 ": status %#x\n", i, seed, status);
			died++;
		}
	}
	check(!died, "%s, damaged in %u ways: an answer", what, i);
	free(whole);
	free(bytes);
}

/* ---- */

static void build(const char *flags)
{
	shell("mkdir -p %s/boot %s/usr/lib/debug/boot && gcc -O2 -fno-pie -no-pie -fno-reorder-blocks-and-partition %s "
	      "dwarf/first.c dwarf/second.c dwarf/third.c -o %s", dir, dir, flags, program);
}

static void check_all(const char *flags)
{
	struct types *ts;

	printf("# gcc %s\n", flags);
	build(flags);
	ts = types_new(&kernel, NULL);
	check(types_have_dwarf(ts, NULL), "there is DWARF");
	check_struct(ts);
	check_enums(ts);
	check_near(ts);
	check_functions(ts);
	check_lines(ts);
	check_inlines(ts);
	check_files(ts);
	check_locals(ts);
	types_free(ts);
}

static void check_none(void)
{
	struct types *ts;

	build("-g0");
	ts = types_new(&kernel, NULL);
	check(!types_have_dwarf(ts, NULL) && !types_named(ts, CLASS_STRUCT, "tm_all", NULL) &&
	      !types_file_of(ts, NULL, "tm_work", 0), "a file without");
	types_free(ts);
	shell("rm %s", program);
	ts = types_new(&kernel, NULL);
	check(!types_have_dwarf(ts, NULL), "no file");
	types_free(ts);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	program = mem_printf("%s/usr/lib/debug/boot/vmlinux-" RELEASE, dir);
	check_all("-gdwarf-5");
	check_shift();
	check_module();
	check_all("-gdwarf-4");
	check_all("-gdwarf-5 -gz");
	check_all("-gdwarf-3");
	check_all("-gdwarf-5 -fno-omit-frame-pointer -Og");
	check_none();
	build("-gdwarf-5");
	check_damage("DWARF 5");
	build("-gdwarf-4");
	check_damage("DWARF 4");
	shell("rm -r %s", dir);
	free(program);
	printf("1..%u\n", tests);
	return failed > 0;
}
