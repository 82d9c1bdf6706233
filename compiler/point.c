// SPDX-License-Identifier: GPL-2.0
/* point.c: reads the word that names a point into its parts. Which points a kernel has is resolve's business. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ast.h"

/* A part of the word: bytes [at, at + length) of p->text. */
struct part {
	const char *at;
	size_t length;
};

static struct part part_of(const char *text)
{
	return (struct part){ text, strlen(text) };
}

/* Cut @part at the first @c: what is before it is returned, what is behind it stays. Without @c: empty, at NULL. */
static struct part cut(struct part *part, char c)
{
	const char *at = memchr(part->at, c, part->length);
	struct part before = {};

	if (!at)
		return before;
	before = (struct part){ part->at, at - part->at };
	part->length -= before.length + 1;
	part->at = at + 1;
	return before;
}

static bool strip_front(struct part *part, const char *prefix)
{
	size_t n = strlen(prefix);

	if (part->length < n || strncmp(part->at, prefix, n) != 0)
		return false;
	part->at += n;
	part->length -= n;
	return true;
}

static bool strip_back(struct part *part, const char *suffix)
{
	size_t n = strlen(suffix);

	if (part->length < n || strncmp(part->at + part->length - n, suffix, n) != 0)
		return false;
	part->length -= n;
	return true;
}

/* Where in the script a part stands. */
static struct loc part_loc(const struct point *p, struct part part)
{
	struct loc loc = p->loc;

	loc.from += p->quoted + (part.at - p->text);
	loc.to = loc.from + part.length;
	/* Escapes in quotes shift what follows them: then the whole word will do. */
	return loc.to <= p->loc.to ? loc : p->loc;
}

static void bad(struct parse *ps, struct point *p, struct part part, const char *what)
{
	if (p->kind == POINT_BAD)
		return;
	diag_error(ps->diag, part.length ? part_loc(p, part) : p->loc, "bad-point", "%s", what);
	p->kind = POINT_BAD;
}

static bool name_char(const struct point *p, char c, const char *also)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || (c && strchr(also, c)) ||
	       (p->quoted && c && strchr("*?[]^-{}", c));
}

/* Take a part as a name: a copy, checked. */
static char *name(struct parse *ps, struct point *p, struct part part, const char *what, const char *also)
{
	if (!part.length)
		bad(ps, p, part, what);
	for (size_t i = 0; i < part.length; i++) {
		if (!name_char(p, part.at[i], also)) {
			bad(ps, p, part, what);
			break;
		}
	}
	return mem_copy(part.at ? part.at : "", part.length);
}

static void symbol(struct parse *ps, struct point *p, struct part part)
{
	p->symbol = name(ps, p, part, p->kind == POINT_TRACEPOINT ? "the name of a tracepoint is missing or has a "
			 "character that no name has" : "the name of a function is missing or has a character that no "
			 "name has", "");
	p->symbol_loc = part_loc(p, part);
}

/* Digits, decimal or hexadecimal, and nothing behind them. */
static bool digits(struct part part, uint64_t *value)
{
	char text[24], *end;

	if (!part.length || part.length >= sizeof(text) || !isdigit((unsigned char)part.at[0]))
		return false;
	memcpy(text, part.at, part.length);
	text[part.length] = 0;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return !*end && !errno;
}

static void parse_tracepoint(struct parse *ps, struct point *p, struct part rest)
{
	struct part system = cut(&rest, ':');

	if (system.at) {
		p->system = name(ps, p, system, "the system of a tracepoint is missing or has a character that no name "
				 "has", "-");
		p->system_loc = part_loc(p, system);
	}
	if (memchr(rest.at, ':', rest.length))
		bad(ps, p, rest, "a tracepoint is tp:NAME or tp:SYSTEM:NAME");
	else
		symbol(ps, p, rest);
}

static void parse_inline(struct parse *ps, struct point *p, struct part rest)
{
	struct part module = cut(&rest, ':');

	if (module.at) {
		p->system = name(ps, p, module, "the module's name is missing or has a character that no name has", "-");
		p->system_loc = part_loc(p, module);
	}
	symbol(ps, p, rest);
}

/* ---- watched variables ---- */

static bool is_word(struct part part, const char *word)
{
	return part.length == strlen(word) && strncmp(part.at, word, part.length) == 0;
}

/* Cut @part at the last @c: what is behind it is returned, what is before it stays. Without @c: empty, at NULL. */
static struct part cut_last(struct part *part, char c)
{
	const char *at = memrchr(part->at, c, part->length);
	struct part behind = {};

	if (!at)
		return behind;
	behind = (struct part){ at + 1, part->at + part->length - at - 1 };
	part->length = at - part->at;
	return behind;
}

/*
 * How long the variable's name is before a member or an element: the compiler numbers the statics of functions, "count.2".
 */
static size_t variable_length(struct part part)
{
	size_t i = 0, n;

	while (i < part.length && (isalnum((unsigned char)part.at[i]) || part.at[i] == '_' || part.at[i] == '{' || part.at[i] == '}'))
		i++;
	for (n = 1; i && i < part.length && part.at[i] == '.' && i + n < part.length && isdigit((unsigned char)part.at[i + n]);)
		n++;
	return n > 1 && (i + n == part.length || strchr(".[+@", part.at[i + n])) ? i + n : i;
}

/* Of "fs/sync.c.next": to the end of the source's name. */
static size_t file_length(struct part part)
{
	for (size_t i = 1; i + 1 < part.length; i++)
		if (part.at[i] == '.' && strchr("chS", part.at[i + 1]) && (i + 2 == part.length || strchr(".[+", part.at[i + 2])))
			return i + 2;
	return part.length;
}

/* Whether it is made of ".member" and "[N]", and "+N" at the end; what a script's {NAME} stands for is not known yet. */
static bool is_path(const struct parse *ps, const struct point *p, struct part part)
{
	size_t i = 0, n;
	uint64_t value;

	/* Of a script: {NAME} may become anything. Where it has been replaced there is no script any more. */
	if (p->quoted && ps->script && memchr(part.at, '{', part.length))
		return true;
	while (i < part.length && part.at[i] != '+') {
		bool index = part.at[i++] == '[';

		for (n = 0; i + n < part.length && (isalnum((unsigned char)part.at[i + n]) || part.at[i + n] == '_'); n++)
			;
		if (!n || (index && (!digits((struct part){ &part.at[i], n }, &value) || i + n == part.length || part.at[i + n] != ']')) ||
		    (!index && (part.at[i - 1] != '.' || isdigit((unsigned char)part.at[i]))))
			return false;
		i += n + index;
	}
	return i == part.length || digits((struct part){ &part.at[i + 1], part.length - i - 1 }, &value);
}

static void parse_watch(struct parse *ps, struct point *p, struct part rest)
{
	static const char form[] = "a watched variable is NAME, MODULE:NAME or NAME@FILE, with .MEMBER, [N] or +OFFSET, :BYTES, and "
				   ":write or :rw";
	struct part shorter = rest, part = cut_last(&shorter, ':');
	size_t length;

	p->kind = POINT_WATCH;
	p->glob = false;
	if (part.at && (is_word(part, "write") || is_word(part, "rw") || is_word(part, "read"))) {
		p->access = mem_copy(part.at, part.length);
		rest = shorter;
		part = cut_last(&shorter, ':');
	}
	if (part.at && digits(part, &p->bytes)) {
		if (!p->bytes)
			bad(ps, p, part, "no bytes are nothing to watch");
		rest = shorter;
	}
	part = cut(&rest, ':');
	if (part.at) {
		p->system = name(ps, p, part, "the module's name is missing or has a character that no name has", "-");
		p->system_loc = part_loc(p, part);
	}
	length = variable_length(rest);
	part = (struct part){ rest.at, length };
	p->symbol_loc = length ? part_loc(p, part) : p->loc;
	if (!length && p->kind != POINT_BAD)
		bad(ps, p, rest, p->quoted && strpbrk(rest.at, "*?") ? "a pattern of variables cannot be watched" : form);
	p->symbol = mem_copy(part.at, length);
	rest.at += length;
	rest.length -= length;
	if (rest.length && rest.at[0] == '@') {
		part = (struct part){ rest.at + 1, rest.length - 1 };
		part.length = file_length(part);
		p->file = name(ps, p, part, "the file's name is missing or has a character that no name has", "/-+");
		rest.at += part.length + 1;
		rest.length -= part.length + 1;
	}
	if (memmem(rest.at, rest.length, "->", 2) || (rest.length && rest.at[rest.length - 1] == '-'))
		bad(ps, p, rest, "what a pointer points to has no address of its own: give the address that it has, 0xADDRESS:BYTES");
	else if (!is_path(ps, p, rest))
		bad(ps, p, rest, p->quoted && memchr(rest.at, '*', rest.length) ? "a pattern of variables cannot be watched" : form);
	p->path = mem_copy(rest.at, rest.length);
}

/* ---- functions ---- */

static void parse_function(struct parse *ps, struct point *p, struct part rest)
{
	struct part before, offset;
	uint64_t value;

	before = cut(&rest, ':');
	if (before.at && digits(rest, &value)) {
		p->kind = POINT_LINE;
		p->file = name(ps, p, before, "a source line is FILE:LINE", "/-+");
		p->line = value;
		return;
	}
	if (before.at) {
		p->system = name(ps, p, before, "the module's name is missing or has a character that no name has", "-");
		p->system_loc = part_loc(p, before);
	}
	if (memchr(rest.at, ':', rest.length)) {
		bad(ps, p, rest, "a function is NAME, MODULE:NAME or NAME@FILE, with :return or +OFFSET behind it");
		return;
	}
	offset = rest;
	before = cut(&offset, '+');
	if (before.at) {
		p->has_offset = true;
		if (!digits(offset, &p->offset))
			bad(ps, p, offset, "an offset is a number of bytes, as in vfs_read+0x1c");
		if (p->at_return)
			bad(ps, p, offset, "a point is an offset or a return, not both");
		rest = before;
	}
	offset = rest;
	before = cut(&offset, '@');
	if (before.at) {
		p->file = name(ps, p, offset, "the file's name is missing or has a character that no name has", "/-+");
		rest = before;
	}
	symbol(ps, p, rest);
}

static void parse_point(struct parse *ps, struct point *p)
{
	struct part rest = part_of(p->text);

	if (!rest.length) {
		bad(ps, p, rest, "this names nothing");
	} else if (strip_front(&rest, "tp:") || strip_front(&rest, "tracepoint:")) {
		p->kind = POINT_TRACEPOINT;
		parse_tracepoint(ps, p, rest);
	} else if (strip_front(&rest, "watch:")) {
		parse_watch(ps, p, rest);
	} else {
		p->at_return = strip_back(&rest, ":return");
		if (strip_front(&rest, "syscall:")) {
			p->kind = POINT_SYSCALL;
			symbol(ps, p, rest);
		} else if (strip_front(&rest, "inline:")) {
			p->kind = POINT_INLINE;
			parse_inline(ps, p, rest);
		} else {
			p->kind = POINT_FUNCTION;
			parse_function(ps, p, rest);
		}
	}
}

/* Unquoted, a word with these signs can only be a variable's. */
static bool is_open_pattern(struct parse *ps, struct point *p)
{
	if (p->quoted || !strpbrk(p->text, "[]") || strncmp(p->text, "watch:", 6) == 0)
		return false;
	diag_error(ps->diag, p->loc, "unquoted-glob", "a pattern stands in quotes: \"%s\"", p->text);
	p->kind = POINT_BAD;
	p->symbol = mem_copy("", 0);
	return true;
}

/* @text: a bare word or a quoted one, perhaps with `?` behind it. */
static struct point *new(struct parse *ps, struct loc loc, const char *text, bool watched)
{
	struct point *p = mem_zero(1, sizeof(*p));
	size_t length = strlen(text);
	struct part rest;

	p->last = p;
	p->loc = loc;
	p->symbol_loc = loc;
	if (length && text[length - 1] == '?') {
		p->optional = true;
		p->loc.to--;
		length--;
	}
	p->quoted = length >= 2 && text[0] == '"';
	if (p->quoted) {
		struct text plain = {};

		for (size_t i = 1; i + 1 < length; i++) {
			if (text[i] == '\\' && i + 2 < length)
				i++;
			text_add(&plain, &text[i], 1);
		}
		p->text = text_take(&plain);
		p->glob = strpbrk(p->text, "*?[");
	} else {
		p->text = mem_copy(text, length);
	}
	rest = part_of(p->text);
	if (!watched) {
		if (!is_open_pattern(ps, p))
			parse_point(ps, p);
		return p;
	}
	strip_front(&rest, "watch:");
	parse_watch(ps, p, rest);
	return p;
}

struct point *point_new(struct parse *ps, struct loc loc, const char *text)
{
	return new(ps, loc, text, false);
}

struct point *point_watched(struct parse *ps, struct loc loc, const char *text)
{
	return new(ps, loc, text, true);
}
