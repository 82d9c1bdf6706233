// SPDX-License-Identifier: GPL-2.0
/* compiler_instructions.c: where instructions begin, in bytes written by hand; and where ftrace calls from. */
#include <inttypes.h>
#include <stdio.h>

#include "compiler/instructions.h"

static unsigned int tests, failed;

static void ok(bool good, const char *what)
{
	tests++;
	failed += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", tests, what);
}

#define ENDBR	0xf3, 0x0f, 0x1e, 0xfa
#define NOP5	0x0f, 0x1f, 0x44, 0x00, 0x00
#define MOV	0x48, 0x89, 0xf0		/* mov %rsi, %rax */
#define AT	0xffffffff81001000ULL

static const uint8_t with_endbr[] = { ENDBR, NOP5, MOV, 0xc3 };
static const uint8_t without[] = { 0xe8, 0xfb, 0x0f, 0x00, 0x00, MOV, 0xc3 };	/* a call of what is 0x1000 behind it */
static const uint8_t of_module[] = { ENDBR, 0xe8, 0, 0, 0, 0, MOV, 0xc3 };
static const uint8_t not_traced[] = { ENDBR, MOV, 0xe8, 0, 0, 0, 0, 0xc3 };

static void inside(const uint8_t *code, size_t size, uint64_t offset, uint64_t from, uint64_t to, const char *what)
{
	uint64_t before = 99, after = 99;
	bool is = instructions_inside(code, size, offset, &before, &after);

	ok(to ? is && before == from && after == to : !is, what);
}

int main(void)
{
	inside(with_endbr, sizeof(with_endbr), 0, 0, 0, "the entry is no inside");
	inside(with_endbr, sizeof(with_endbr), 2, 0, 4, "2 bytes into an ENDBR");
	inside(with_endbr, sizeof(with_endbr), 4, 0, 0, "behind the ENDBR an instruction begins");
	inside(with_endbr, sizeof(with_endbr), 9, 0, 0, "and behind the NOP");
	inside(with_endbr, sizeof(with_endbr), 10, 9, 12, "inside a mov");
	inside(with_endbr, sizeof(with_endbr), 13, 0, 0, "behind the end nothing is said");

	ok(instructions_call_site(with_endbr, sizeof(with_endbr), AT, 0) == 4, "a NOP behind an ENDBR is a call site");
	ok(instructions_call_site(without, sizeof(without), AT, AT + 0x1000) == 0, "a call of __fentry__ at the entry");
	ok(instructions_call_site(without, sizeof(without), AT, AT + 0x1001) == -1, "a call of another function is none");
	ok(instructions_call_site(without, sizeof(without), AT, 0) == -1, "nor where nobody knows __fentry__");
	ok(instructions_call_site(of_module, sizeof(of_module), 0, 0) == 4, "of a module, a call whose target is to be filled in");
	ok(instructions_call_site(without, sizeof(without), 0, 0) == -1, "but not one inside the section");
	ok(instructions_call_site(not_traced, sizeof(not_traced), 0, 0) == -1, "a function that is not traced has none");
	ok(instructions_call_site(with_endbr, 8, AT, 0) == -1, "nor one that is too short");
	printf("1..%u\n", tests);
	return !!failed;
}
