// SPDX-License-Identifier: GPL-2.0
/*
 * tapcheck.c: what the suites in the guest ask of kstats' text files, in one process a question. A guest on an emulated
 * processor takes tens of milliseconds to start one, and the suites ask some hundreds of times.
 *
 *	tapcheck acc FILE			the accounting: "hits 4 = recorded 4"
 *	tapcheck term FILE TERM			one term of it; 0 where it is not shown
 *	tapcheck reaches FILE TERM VALUE [LOOKS]	waits until a term has reached a value; no more where LOOKS looks in a row (500, of
 *						20 ms and what looking takes there) have seen it grow no further
 *	tapcheck balanced FILE			does the equation hold, and do the slots, or the lines of a table, add up to `recorded`?
 *	tapcheck line FILE WORDS		of a table: hits of the lines that begin with these words, whatever blanks are between
 *	tapcheck parses FILE			has the text the original's form, and does it add up?
 *	tapcheck both COUNT FILE TEXT		those two of one reading, as TAP behind so many tests
 *	tapcheck keyed FILE KEY			samples of the parts with this key ("cpu=0")
 *	tapcheck mean FILE KEY			their mean, 0 without samples
 *	tapcheck keys FILE			the values of all keys, sorted: "1, sh;2, dd" of "# key pid=2, comm=dd" and another.
 *						Of keys whose text has no `=` in it and whose value no comma
 *	tapcheck consecutive FILE		of the binary form: are the numbers that each CPU recorded consecutive integers? How many CPUs and
 *						numbers (consecutive.c)
 *
 * Status: 0 yes, 1 no (and why, on a line of its own that begins with #), 2 wrong usage, or no such file.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "consecutive.h"

#define MAX_CPUS	4096

/* The whole file, in one go as far as the kernel gives it so; NULL where it cannot be read. */
static char *slurp(const char *path)
{
	size_t have = 0, room = 1 << 16;
	char *text = malloc(room + 1);
	ssize_t n;
	int fd = open(path, O_RDONLY);

	while (fd >= 0 && text && (n = read(fd, text + have, room - have)) != 0) {
		if (n < 0) {
			close(fd);
			return NULL;
		}
		have += n;
		if (have == room)
			text = realloc(text, (room *= 2) + 1);
	}
	if (fd < 0 || !text)
		return NULL;
	close(fd);
	text[have] = 0;
	return text;
}

/* The next line, ended by a zero; NULL behind the last one. */
static char *next_line(char **at)
{
	char *line = *at, *end;

	if (!*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end = 0;
	*at = end ? end + 1 : line + strlen(line);
	return line;
}

static const char *accounting(char *text)
{
	static const char begin[] = "# accounting ";
	char *line;

	while ((line = next_line(&text)))
		if (!strncmp(line, begin, strlen(begin)))
			return line + strlen(begin);
	return NULL;
}

/* Of "hits 4 = recorded 3 + in flight 1", where each term's words stand between blanks. */
static uint64_t term(const char *acc, const char *name)
{
	size_t n = strlen(name);
	const char *p;

	for (p = acc; p && (p = strstr(p, name)); p++)
		if ((p == acc || p[-1] == ' ') && p[n] == ' ' && isdigit((unsigned char)p[n + 1]))
			return strtoull(p + n + 1, NULL, 10);
	return 0;
}

/* "slot S  CPU  C    count  N avg  A p 0.123456", and nothing else on the line. */
struct row {
	uint64_t slot, cpu, count, avg, share;	/* share in millionths */
	bool all;				/* CPUS: a total */
};

static const char *blanks(const char *p)
{
	if (*p != ' ')
		return NULL;
	while (*p == ' ')
		p++;
	return p;
}

static const char *number(const char *p, uint64_t *n)
{
	char *end;

	if (!p || !isdigit((unsigned char)*p))
		return NULL;
	*n = strtoull(p, &end, 10);
	return end;
}

static const char *word(const char *p, const char *w)
{
	return p && !strncmp(p, w, strlen(w)) ? p + strlen(w) : NULL;
}

static bool parse_row(const char *line, struct row *r)
{
	const char *p = number(word(line, "slot "), &r->slot), *digits;
	uint64_t whole, parts;

	p = p ? word(blanks(p), "CPU") : NULL;
	if (!p)
		return false;
	r->all = *p == 'S';
	p = number(blanks(p + r->all), &r->cpu);
	p = p ? word(blanks(p), "count") : NULL;
	p = p ? number(blanks(p), &r->count) : NULL;
	p = word(p, " avg");
	p = p ? number(blanks(p), &r->avg) : NULL;
	digits = p = word(p, " p ");
	p = number(p, &whole);
	if (!p || p - digits != 1 || whole > 1 || *p != '.')
		return false;
	digits = ++p;
	p = number(p, &parts);
	r->share = whole * 1000000 + (p ? parts : 0);
	return p && p - digits == 6 && !*p;
}

/*
 * A table of watch or profile, a line a function: which field the hits are in, counted from the line's end since names have blanks
 * (1: the last); 0, @line is no table's title.
 */
static int titles(const char *line)
{
	const char *hits = strstr(line, " Hit"), *at;
	int n = 1;

	if (!strncmp(line, "Access_Type ", 12) && strstr(line, " Counter"))
		return 1;
	if (strncmp(line, "Function ", 9) || !hits)
		return 0;
	for (at = hits + 4; *at; at++)
		n += *at != ' ' && at[-1] == ' ';
	return n;
}

static uint64_t field_from_end(const char *line, int n)
{
	const char *at = line + strlen(line);

	while (n-- && at > line) {
		while (at > line && at[-1] == ' ')
			at--;
		while (at > line && at[-1] != ' ')
			at--;
	}
	return strtoull(at, NULL, 10);
}

/* Does the equation hold, and do the slots (of a table, its lines) add up to `recorded`? */
static bool balanced(const char *path)
{
	uint64_t hits, ends = 0, sum = 0, recorded = 0, overrun = 0, lines = 0;
	char *text = slurp(path), *at, *line;
	bool slots = false, table = false;
	int field = 0;
	const char *acc = NULL, *p;
	struct row r;

	if (!text)
		return false;
	for (at = text; (line = next_line(&at)); )
		if (!strncmp(line, "# accounting ", 13))
			acc = line + 13;
		else if (*line == '#')
			continue;
		else if (titles(line)) {
			field = titles(line);
			table = true;
		} else if (!strncmp(line, "overrun ", 8)) {
			overrun = strtoull(line + 8, NULL, 10);
			field = 0;
		} else if (field) {
			lines += field_from_end(line, field);
		} else if (parse_row(line, &r)) {
			slots = true;
			sum += r.all ? r.count : 0;
		}
	if (table && !slots)
		sum = lines;
	hits = term(acc, "hits");
	recorded = term(acc, "recorded");
	for (p = acc ? strchr(acc, '=') : NULL; p && *p; p++)	/* each number behind the sign */
		if (isdigit((unsigned char)*p)) {
			char *end;

			ends += strtoull(p, &end, 10);
			p = end - 1;
		}
	if (acc && strchr(acc, '=') && hits == ends && recorded == sum && (!table || (lines == sum && overrun == term(acc, "full"))))
		return true;
	printf("# hits %ju ends %ju recorded %ju slots %ju lines %ju overrun %ju\n", hits, ends, recorded, sum, lines, overrun);
	return false;
}

static void bad(bool *failed, const char *why, const char *line)
{
	printf("# %s: %s\n", why, line);
	*failed = true;
}

/*
 * A plain parser of the original form: every line but comments must have it; per-CPU lines add up to their total line, slots
 * rise in each part, shares rise to 1.
 */
static bool parses(const char *path)
{
	static uint64_t share[MAX_CPUS];
	uint64_t n = 0, cpus = 0, at_share = 0, last = 1000000;
	int64_t slot = -1;
	char *text = slurp(path), *at, *line;
	bool failed = false;
	struct row r;

	if (!text)
		return false;
	memset(share, 0, sizeof(share));
	for (at = text; (line = next_line(&at)); ) {
		if (*line == '#') {
			if (!strncmp(line, "# key ", 6) || !strcmp(line, "# key")) {
				slot = -1;
				at_share = 0;
				memset(share, 0, sizeof(share));
			}
			continue;
		}
		if (!parse_row(line, &r)) {
			bad(&failed, "form", line);
			continue;
		}
		if (!r.all) {
			n += r.count;
			cpus++;
			if (r.cpu >= MAX_CPUS || r.share < share[r.cpu])
				bad(&failed, "share", line);
			else
				share[r.cpu] = r.share;
			continue;
		}
		if (n != r.count || cpus != r.cpu)
			bad(&failed, "sum", line);
		if ((int64_t)r.slot <= slot)
			bad(&failed, "order", line);
		if (r.share < at_share)
			bad(&failed, "share of all", line);
		slot = r.slot;
		at_share = last = r.share;
		n = cpus = 0;
	}
	if (n)
		bad(&failed, "no total", path);
	if (last != 1000000)
		bad(&failed, "last share", path);
	return !failed;
}

static void tap(int number, bool good, const char *text, const char *what)
{
	printf("%sok %d - %s: %s\n", good ? "" : "not ", number, text, what);
}

static int both(int count, const char *path, const char *text)
{
	bool b = balanced(path), p;

	tap(count + 1, b, text, "the equation holds");
	p = parses(path);
	tap(count + 2, p, text, "the text parses and adds up");
	return !(b && p);
}

static int keyed(const char *path, const char *key, bool mean)
{
	char *text = slurp(path), *line;
	uint64_t n = 0, sum = 0;
	bool on = false;
	struct row r;

	if (!text)
		return 2;
	while ((line = next_line(&text))) {
		if (!strncmp(line, "# key", 5))
			on = !strncmp(line, "# key ", 6) && !strcmp(line + 6, key);
		else if (on && parse_row(line, &r) && r.all) {
			n += r.count;
			sum += r.count * r.avg;
		}
	}
	printf("%ju\n", mean ? (n ? sum / n : 0) : n);
	return 0;
}

/* Do the words of @want stand at the beginning of @line, and others after them? */
static bool begins_with(const char *line, const char *want)
{
	while (*want) {
		if (*want == ' ') {
			if (*line != ' ')
				return false;
			while (*line == ' ')
				line++;
			want++;
		} else if (*line++ != *want++) {
			return false;
		}
	}
	return *line == ' ';
}

static int table_line(const char *path, const char *want)
{
	char *text = slurp(path), *line;
	uint64_t n = 0;
	int field = 0;

	if (!text)
		return 2;
	while ((line = next_line(&text))) {
		if (titles(line))
			field = titles(line);
		else if (!strncmp(line, "overrun ", 8))
			field = 0;
		else if (field && begins_with(line, want))
			n += field_from_end(line, field);
	}
	printf("%ju\n", n);
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int keys(const char *path)
{
	char *text = slurp(path), *line, **all = NULL;
	size_t n = 0, i;

	if (!text)
		return 2;
	while ((line = next_line(&text))) {
		char *to = line, *part = line + 6, *next, *value;

		if (strncmp(line, "# key ", 6) || !strchr(part, '='))
			continue;
		for (; part; part = next) {	/* to the line's own beginning */
			next = strstr(part, ", ");
			if (next) {
				*next = 0;
				next += 2;
			}
			value = strrchr(part, '=');
			value = value ? value + 1 : part;
			memmove(to, value, strlen(value) + 1);
			to += strlen(to);
			if (next)
				to = stpcpy(to, ", ");
		}
		all = realloc(all, (n + 1) * sizeof(*all));
		all[n++] = line;
	}
	if (n)
		qsort(all, n, sizeof(*all), compare);
	for (i = 0; i < n; i++)
		printf("%s%s", i ? ";" : "", all[i]);
	putchar('\n');
	return 0;
}

/*
 * What is waited for comes within a few looks. A machine on which all takes longer looks seldomer; there, many tasks come one
 * after the other, and each of them is a reason to wait for the next.
 */
static int reaches(const char *path, const char *name, uint64_t value, int looks)
{
	uint64_t last = 0, now;
	int i;

	for (i = 0; i < looks; i++) {
		char *text = slurp(path);

		now = text ? term(accounting(text), name) : 0;
		free(text);
		if (now >= value)
			return 0;
		if (now > last) {
			last = now;
			i = 0;
		}
		usleep(20000);
	}
	printf("# %s: %ju of %ju\n", name, last, value);
	return 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "", *path = argc > 2 ? argv[2] : "", *acc;
	char *text;

	if (!strcmp(what, "acc") && argc == 3) {
		text = slurp(path);
		acc = text ? accounting(text) : NULL;
		if (acc)
			puts(acc);
		return text ? 0 : 2;
	}
	if (!strcmp(what, "term") && argc == 4) {
		text = slurp(path);
		printf("%ju\n", text ? term(accounting(text), argv[3]) : 0);
		return text ? 0 : 2;
	}
	if (!strcmp(what, "reaches") && (argc == 5 || argc == 6))
		return reaches(path, argv[3], strtoull(argv[4], NULL, 10), argc == 6 ? atoi(argv[5]) : 500);
	if (!strcmp(what, "balanced") && argc == 3)
		return !balanced(path);
	if (!strcmp(what, "parses") && argc == 3)
		return !parses(path);
	if (!strcmp(what, "both") && argc == 5)
		return both(atoi(path), argv[3], argv[4]);
	if ((!strcmp(what, "keyed") || !strcmp(what, "mean")) && argc == 4)
		return keyed(path, argv[3], *what == 'm');
	if (!strcmp(what, "line") && argc == 4)
		return table_line(path, argv[3]);
	if (!strcmp(what, "keys") && argc == 3)
		return keys(path);
	if (!strcmp(what, "consecutive") && argc == 3)
		return consecutive(path);
	fputs("tapcheck: wrong usage\n", stderr);
	return 2;
}
