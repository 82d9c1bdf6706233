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

static void parse_watch(struct parse *ps, struct point *p, struct part rest)
{
	struct part variable = cut(&rest, ':');

	if (variable.at)
		p->access = name(ps, p, rest, "a watched variable is watch:NAME or watch:NAME:write", "");
	symbol(ps, p, variable.at ? variable : rest);
}

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
		p->kind = POINT_WATCH;
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

/* @text: a bare word or a quoted one, perhaps with `?` behind it. */
struct point *point_new(struct parse *ps, struct loc loc, const char *text)
{
	struct point *p = mem_zero(1, sizeof(*p));
	size_t length = strlen(text);

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
	parse_point(ps, p);
	return p;
}
