// SPDX-License-Identifier: GPL-2.0
/*
 * compiler_kallsyms.c: symbols from the tables that a kernel carries, without any other symbol table. An image is made
 * here as scripts/kallsyms.c lays it out, in the order of 5.10..6.3 and in that of later ones, with offsets from the base,
 * with those that count down from it (KALLSYMS_ABSOLUTE_PERCPU), and, as in 7.2, from where each of them stands.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/image.h"
#include "compiler/text.h"

#define SYMBOLS	700
#define BASE	0xffffffff81000000ULL

enum offsets { FROM_BASE, COUNTED_DOWN, FROM_PLACE };

static unsigned int tests, failed;

static void check(bool good, const char *what)
{
	tests++;
	failed += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", tests, what);
}

/* Symbol @i: its name with its type before it. Two are per-CPU ones, one name is longer than 127. */
static char *name_of(unsigned int i)
{
	if (i == 2)
		return mem_printf("T_text");
	if (i == 100)
		return mem_printf("t%0150d", 7);
	return mem_printf("%c%s_%u", i < 2 ? 'A' : i % 3 ? 't' : 'D', i % 2 ? "function" : "f", i);
}

static uint64_t address_of(unsigned int i)
{
	return i < 2 ? 8 * i : BASE + 16 * (i - 2);
}

/* The token for a text: the digits and letters are themselves, "function" is one token. */
static void names(FILE *f, enum offsets how)
{
	fprintf(f, "num_syms: .long %u\n%snames:\n", SYMBOLS, how == FROM_PLACE ? "" : ".balign 8\n");
	for (unsigned int i = 0; i < SYMBOLS; i++) {
		char *name = name_of(i), *at = strstr(name, "function");
		unsigned int length = at ? strlen(name) - 7 : strlen(name);

		if (i % 256 == 0)
			fprintf(f, "marker_%u:\n", i / 256);
		if (length < 128)
			fprintf(f, ".byte %u\n", length);
		else
			fprintf(f, ".byte %u, %u\n", (length & 0x7f) | 0x80, length >> 7);
		for (char *c = name; *c; c++) {
			fprintf(f, ".byte %u\n", c == at ? 200 : *c);
			if (c == at)
				c += 7;
		}
		free(name);
	}
	fprintf(f, ".balign 4\nmarkers:\n");
	for (unsigned int i = 0; i < SYMBOLS; i += 256)
		fprintf(f, ".long marker_%u - names\n", i / 256);
	fprintf(f, ".balign 4\n");
}

static void tokens(FILE *f)
{
	fprintf(f, "token_table:\n");
	for (unsigned int i = 0; i < 256; i++) {
		fprintf(f, "token_%u: ", i);
		if (i == 200)
			fprintf(f, ".asciz \"function\"\n");
		else if (i > ' ' && i < 127 && i != '"' && i != '\\')
			fprintf(f, ".asciz \"%c\"\n", i);
		else
			fprintf(f, ".asciz \"u%u\"\n", i);
	}
	fprintf(f, ".balign 4\ntoken_index:\n");
	for (unsigned int i = 0; i < 256; i++)
		fprintf(f, ".short token_%u - token_table\n", i);
}

static void offsets(FILE *f, enum offsets how)
{
	fprintf(f, ".balign %u\noffsets:\n", how == FROM_PLACE ? 4 : 8);
	for (unsigned int i = 0; i < SYMBOLS; i++) {
		if (how == FROM_PLACE)
			fprintf(f, ".long %#" PRIx64 " - .\n", i < 2 ? (uint64_t)BASE : address_of(i));
		else if (how == FROM_BASE)
			fprintf(f, ".long %u\n", i < 2 ? 0 : (unsigned int)(address_of(i) - BASE));
		else if (i < 2)
			fprintf(f, ".long %u\n", (unsigned int)address_of(i));
		else
			fprintf(f, ".long %d\n", -1 - (int)(address_of(i) - BASE));
	}
	if (how != FROM_PLACE)
		fprintf(f, ".balign 8\n.quad %#" PRIx64 "\n", (uint64_t)BASE);
}

static void write_image(const char *path, bool late_offsets, enum offsets how)
{
	FILE *f = fopen(path, "w");

	fprintf(f, ".text\n.globl _start\n_start: ret\n.section .rodata\n.fill 5000, 1, 0x30\n.balign 8\n");
	if (how == FROM_PLACE)		/* nor is what follows aligned to more */
		fprintf(f, ".long 0\n");
	if (!late_offsets)
		offsets(f, how);
	names(f, how);
	if (!late_offsets)	/* 6.2 and 6.3 have this here */
		fprintf(f, ".fill %u, 1, 0x5a\n.balign 8\n", 3 * SYMBOLS);
	tokens(f);
	if (late_offsets)
		offsets(f, how);
	fprintf(f, ".fill 5000, 1, 0\n");
	fclose(f);
}

struct seen {
	unsigned int count;
	unsigned int wrong;
	bool addresses;
};

static void each(void *arg, uint64_t address, char type, const char *name)
{
	struct seen *seen = arg;
	char *want = name_of(seen->count);

	if (want[0] != type || strcmp(want + 1, name) != 0 || (seen->count >= 2 && address != address_of(seen->count)))
		seen->wrong++;
	seen->count++;
	free(want);
}

static void layout(const char *dir, bool late_offsets, enum offsets how, const char *what)
{
	char *source = mem_printf("%s/image.S", dir), *command;
	struct seen seen = {};
	struct image *image;
	char *path = mem_printf("%s/image", dir);

	write_image(source, late_offsets, how);
	command = mem_printf("gcc -c -o %s.o %s && ld -s -Ttext=0xffffffff81000000 -o %s %s.o", path, source, path, path);
	if (system(command))
		printf("Bail out! cannot make an image\n");
	image = image_open(path);
	check(image && image_kallsyms(image, each, &seen) && seen.count == SYMBOLS && !seen.wrong, what);
	image_free(image);
	free(command);
	free(source);
	free(path);
}

int main(void)
{
	char dir[] = "/tmp/kmeter-kallsyms-XXXXXX", *command;

	if (!mkdtemp(dir))
		return 1;
	layout(dir, false, FROM_BASE, "offsets before the names");
	layout(dir, false, COUNTED_DOWN, "offsets before the names, counted down");
	layout(dir, true, FROM_BASE, "offsets behind the tokens");
	layout(dir, true, COUNTED_DOWN, "offsets behind the tokens, counted down");
	layout(dir, true, FROM_PLACE, "offsets behind the tokens, from where they stand");
	check(!image_open("/etc/passwd"), "what is no image is none");
	check(!image_open("/nowhere"), "nor is what is not there");
	printf("1..%u\n", tests);
	command = mem_printf("rm -rf %s", dir);
	if (system(command))
		failed++;
	free(command);
	return failed != 0;
}
