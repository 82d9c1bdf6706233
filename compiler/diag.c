// SPDX-License-Identifier: GPL-2.0
/* diag.c: the queue of located messages, and how one is shown: place, words, source line, caret. */
#include <stdlib.h>
#include <string.h>

#include "diag.h"

#define MESSAGES_MAX	100	/* shown; a file of random bytes could make millions */
#define WIDTH		100	/* of a source line; longer ones are cut around the place */
#define INDENT		"   "

struct message {
	enum diag_kind kind;
	size_t order;		/* of arrival: keeps sorting stable */
	struct loc loc;
	const char *tag;
	char *text;
	struct loc place;	/* with place_text */
	char *place_text;
	char *help;
};

struct diag {
	const struct source *sources;
	size_t nsources;
	struct message *messages;
	size_t count;
	size_t errors;
	size_t dropped;
	bool last_dropped;	/* so that its second place is dropped too */
};

struct diag *diag_new(const struct source *sources, size_t nsources)
{
	struct diag *d = mem_zero(1, sizeof(*d));

	d->sources = sources;
	d->nsources = nsources;
	return d;
}

static void drop_last(struct diag *d)
{
	struct message *m = &d->messages[--d->count];

	free(m->text);
	free(m->place_text);
	free(m->help);
}

static void clear(struct diag *d)
{
	while (d->count)
		drop_last(d);
	free(d->messages);
	d->messages = NULL;
}

void diag_free(struct diag *d)
{
	if (!d)
		return;
	clear(d);
	free(d);
}

size_t diag_errors(const struct diag *d)
{
	return d->errors;
}

const char *diag_first_error(const struct diag *d)
{
	size_t i;

	for (i = 0; i < d->count; i++)
		if (d->messages[i].kind == DIAG_ERROR)
			return d->messages[i].text;
	return NULL;
}

struct diag_mark diag_mark(const struct diag *d)
{
	return (struct diag_mark){ d->count, d->errors, d->dropped };
}

void diag_rewind(struct diag *d, struct diag_mark mark)
{
	while (d->count > mark.count)
		drop_last(d);
	d->errors = mark.errors;
	d->dropped = mark.dropped;
	d->last_dropped = true;
}

const struct source *diag_source(const struct diag *d, struct loc loc)
{
	return loc.source < d->nsources ? &d->sources[loc.source] : NULL;
}

/* The same words about the same place are said once. */
static bool known(const struct diag *d, enum diag_kind kind, struct loc loc, const char *text)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct message *m = &d->messages[i];

		if (m->kind == kind && m->loc.source == loc.source && m->loc.from == loc.from &&
		    m->loc.to == loc.to && strcmp(m->text, text) == 0)
			return true;
	}
	return false;
}

static void add(struct diag *d, enum diag_kind kind, struct loc loc, const char *tag, const char *format, va_list args)
{
	struct text t = {};

	if (kind == DIAG_ERROR)
		d->errors++;
	d->last_dropped = d->count >= MESSAGES_MAX;
	if (d->last_dropped) {
		d->dropped++;
		return;
	}
	text_vprintf(&t, format, args);
	if (known(d, kind, loc, t.s ? t.s : "")) {
		d->last_dropped = true;
		text_free(&t);
		return;
	}
	d->messages = mem_more(d->messages, d->count, sizeof(*d->messages));
	d->messages[d->count] = (struct message){
		.kind = kind, .order = d->count, .loc = loc, .tag = tag, .text = text_take(&t),
	};
	d->count++;
}

void diag_error(struct diag *d, struct loc loc, const char *tag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(d, DIAG_ERROR, loc, tag, format, args);
	va_end(args);
}

void diag_warn(struct diag *d, struct loc loc, const char *tag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(d, DIAG_WARNING, loc, tag, format, args);
	va_end(args);
}

void diag_note(struct diag *d, struct loc loc, const char *tag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(d, DIAG_NOTE, loc, tag, format, args);
	va_end(args);
}

static struct message *last(struct diag *d)
{
	return d->count && !d->last_dropped ? &d->messages[d->count - 1] : NULL;
}

void diag_place(struct diag *d, struct loc loc, const char *format, ...)
{
	struct message *m = last(d);
	struct text t = {};
	va_list args;

	if (!m)
		return;
	va_start(args, format);
	text_vprintf(&t, format, args);
	va_end(args);
	free(m->place_text);
	m->place = loc;
	m->place_text = text_take(&t);
}

void diag_help(struct diag *d, const char *format, ...)
{
	struct message *m = last(d);
	struct text t = {};
	va_list args;

	if (!m)
		return;
	if (m->help) {
		text_string(&t, m->help);
		text_string(&t, "\n");
		free(m->help);
	}
	va_start(args, format);
	text_vprintf(&t, format, args);
	va_end(args);
	m->help = text_take(&t);
}

void diag_near(struct diag *d, const struct near *near)
{
	struct text t = {};

	for (unsigned int i = 0; i < near->count; i++) {
		text_string(&t, i == 0 ? "" : i + 1 == near->count ? " or " : ", ");
		text_string(&t, near->name[i]);
	}
	if (near->count)
		diag_help(d, "did you mean %s?", t.s);
	text_free(&t);
}

/* ---- showing ---- */

/* A byte that continues a UTF-8 character takes no column of its own. */
static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Where byte @at lies: its line, numbered from 1, and the first byte of that line. */
static unsigned int line_of(const struct source *s, size_t at, size_t *start)
{
	unsigned int line = 1;

	*start = 0;
	for (size_t i = 0; i < at && i < s->length; i++) {
		if (s->text[i] == '\n') {
			line++;
			*start = i + 1;
		}
	}
	return line;
}

static void print_head(const struct diag *d, struct loc loc, FILE *to)
{
	const struct source *s = diag_source(d, loc);
	unsigned int line, column = 1;
	size_t start;

	if (!s) {
		fputs("kmeter: ", to);
		return;
	}
	line = line_of(s, loc.from, &start);
	for (size_t i = start; i < loc.from && i < s->length; i++)
		column += !continues(s->text[i]);
	fprintf(to, "%s:%u:%u: ", s->name, line, column);
}

/* One character of a source line, on the line itself or as its width in blanks or marks. */
static void print_byte(FILE *to, char c, unsigned int *column, int mark)
{
	unsigned int width = c == '\t' ? 8 - *column % 8 : 1;

	if (continues(c)) {
		if (!mark)
			fputc(c, to);
		return;
	}
	for (unsigned int i = 0; i < width; i++)
		fputc(mark ? mark : c == '\t' ? ' ' : (unsigned char)c < 0x20 || c == 0x7f ? '?' : c, to);
	*column += width;
}

/* The line with the place, and below it `^` at its first character and `~` at the others. */
static void print_line(const struct diag *d, struct loc loc, FILE *to, char first)
{
	const struct source *s = diag_source(d, loc);
	size_t start, end, from, to_byte = loc.to, i;
	unsigned int column = 0;

	if (!s)
		return;
	line_of(s, loc.from, &start);
	for (end = start; end < s->length && s->text[end] != '\n'; end++)
		;
	if (end > loc.from && s->text[end - 1] == '\r')
		end--;
	if (to_byte > end)
		to_byte = end;
	/* A long line is cut: the place stays, with some of what is before it. */
	from = start;
	if (end - start > WIDTH) {
		if (loc.from - start > WIDTH / 2)
			from = loc.from - WIDTH / 2;
		while (from > start && continues(s->text[from]))
			from--;
		if (end - from > WIDTH)
			end = from + WIDTH;
		while (end > loc.from + 1 && continues(s->text[end]))
			end--;
		if (to_byte > end)
			to_byte = end;
	}

	fputs(INDENT, to);
	if (from > start)
		fputs("...", to);
	for (i = from; i < end; i++)
		print_byte(to, s->text[i], &column, 0);
	if (end < s->length && s->text[end] != '\n' && s->text[end] != '\r')
		fputs("...", to);
	fputs("\n" INDENT, to);
	if (from > start)
		fputs("   ", to);
	column = 0;
	for (i = from; i < loc.from && i < end; i++)
		print_byte(to, s->text[i], &column, ' ');
	fputc(first, to);
	if (loc.from < end)
		column++;
	for (i = loc.from + 1; i < to_byte; i++)
		print_byte(to, s->text[i], &column, '~');
	fputc('\n', to);
}

static void print_help(const char *help, FILE *to)
{
	while (*help) {
		size_t n = strcspn(help, "\n");

		fprintf(to, INDENT "%.*s\n", (int)n, help);
		help += n + (help[n] == '\n');
	}
}

static void print_message(const struct diag *d, const struct message *m, FILE *to, bool tags)
{
	static const char *const kinds[] = { "error", "warning", "note" };

	print_head(d, m->loc, to);
	fprintf(to, "%s: %s", kinds[m->kind], m->text);
	if (tags)
		fprintf(to, " [%s]", m->tag);
	fputc('\n', to);
	print_line(d, m->loc, to, '^');
	if (m->help)
		print_help(m->help, to);
	if (m->place_text) {
		print_head(d, m->place, to);
		fprintf(to, "note: %s\n", m->place_text);
		print_line(d, m->place, to, '~');
	}
}

static int by_place(const void *a, const void *b)
{
	const struct message *x = a, *y = b;

	/* What is in no script comes first: `+ 1` wraps LOC_NONE to 0. */
	if (x->loc.source != y->loc.source)
		return x->loc.source + 1 < y->loc.source + 1 ? -1 : 1;
	if (x->loc.from != y->loc.from)
		return x->loc.from < y->loc.from ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void diag_print(struct diag *d, FILE *to, bool quiet)
{
	bool tags = getenv("KMETER_TAGS");

	if (d->count)
		qsort(d->messages, d->count, sizeof(*d->messages), by_place);
	for (size_t i = 0; i < d->count; i++)
		if (!quiet || d->messages[i].kind == DIAG_ERROR)
			print_message(d, &d->messages[i], to, tags);
	if (d->dropped)
		fprintf(to, "kmeter: and %zu more messages\n", d->dropped);
	clear(d);
	d->dropped = 0;
}
