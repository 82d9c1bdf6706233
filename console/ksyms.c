// SPDX-License-Identifier: GPL-2.0
/*
 * ksyms.c: /proc/kallsyms as a sorted table.
 */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console/ksyms.h"
#include "console/say.h"

/* The file has no sizes: farther behind the last symbol than this, an address belongs to something else. */
#define FAR	(1ULL << 20)

struct symbol {
	__u64 address;
	const char *name;
	const char *module;	/* NULL: the kernel's own */
};

struct ksyms {
	char *text;		/* the names lie here */
	struct symbol *symbol;
	size_t n;
};

/* Of several at one address the first in the file, which is the one that the kernel itself prints. */
static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* "ffffffff81000010 T name", "... t name\t[module]", cut up in place; false when it is none or tells no address. */
static bool parse_line(char *line, struct symbol *s)
{
	char *end, *module;

	if (!isxdigit((unsigned char)*line))
		return false;
	s->address = strtoull(line, &end, 16);
	if (end[0] != ' ' || !end[1] || end[2] != ' ' || !end[3])
		return false;
	if (s->address >> 63 == 0 || tolower((unsigned char)end[1]) == 'a')	/* hidden, or an offset in per-CPU data */
		return false;
	s->name = end + 3;
	s->module = NULL;
	module = strchr(end + 3, '\t');
	if (!module)
		return true;
	*module++ = 0;
	if (*module == '[' && (end = strchr(module, ']'))) {
		*end = 0;
		s->module = module + 1;
	}
	return true;
}

struct ksyms *ksyms_parse(char *text)
{
	struct ksyms *k = say_calloc(1, sizeof(*k));
	size_t room = 0;
	char *line, *rest;

	k->text = text;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (k->n == room) {
			room = room ? 2 * room : 1024;
			k->symbol = say_realloc(k->symbol, room, sizeof(*k->symbol));
		}
		k->n += parse_line(line, &k->symbol[k->n]);
	}
	if (k->n)
		qsort(k->symbol, k->n, sizeof(*k->symbol), compare);
	return k;
}

void ksyms_free(struct ksyms *k)
{
	if (!k)
		return;
	free(k->symbol);
	free(k->text);
	free(k);
}

/* The first one at the highest address that is not above @address; NULL when none is near. */
static const struct symbol *find(const struct ksyms *k, __u64 address)
{
	size_t lo = 0, hi = k->n, middle;

	while (lo < hi) {
		middle = lo + (hi - lo) / 2;
		if (k->symbol[middle].address <= address)
			lo = middle + 1;
		else
			hi = middle;
	}
	if (!lo || address - k->symbol[lo - 1].address >= FAR)
		return NULL;
	for (lo--; lo && k->symbol[lo - 1].address == k->symbol[lo].address; lo--)
		;
	return &k->symbol[lo];
}

char *ksyms_name(const struct ksyms *k, __u64 address, bool returned)
{
	const struct symbol *s = find(k, address - (returned && address));
	char offset[24] = "";

	if (!s)
		return NULL;
	if (address != s->address)
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, (uint64_t)(address - s->address));
	return say_text("%s%s%s%s%s", s->name, offset, s->module ? " [" : "", s->module ? s->module : "",
			s->module ? "]" : "");
}

__u64 ksyms_start(const struct ksyms *k, __u64 address)
{
	const struct symbol *s = find(k, address);

	return s ? s->address : address;
}

/* ---- the running kernel's ---- */

static struct ksyms *running;

static char *read_all(const char *path)
{
	size_t room = 16 << 20, size = 0;
	char *text = say_calloc(room + 1, 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	while (fd >= 0 && (n = read(fd, text + size, room - size)) > 0) {
		size += n;
		if (size == room) {
			room *= 2;
			text = say_realloc(text, room + 1, 1);
		}
	}
	if (fd >= 0)
		close(fd);
	text[size] = 0;
	return text;
}

const struct ksyms *ksyms_running(void)
{
	if (!running)
		running = ksyms_parse(read_all("/proc/kallsyms"));
	if (!running->n) {
		static bool told;

		if (!told)
			say_note("/proc/kallsyms shows no addresses (sysctl kernel.kptr_restrict): symbols are numbers");
		told = true;
	}
	return running;
}

void ksyms_replace(struct ksyms *k)
{
	ksyms_free(running);
	running = k;
}
