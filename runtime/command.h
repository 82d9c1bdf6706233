/* SPDX-License-Identifier: GPL-2.0 */
/*
 * command.h: what may be written to _control, taken apart. Pure: the same source in the kernel and in user-space tests.
 *
 *	trace NAME [bits N] [start POINT] [end POINT]	the calls of function NAME; or, with both, POINT to POINT
 *	remove NAME
 *
 * POINT is a function, `module:function`, or __tracepoint_NAME.
 */
#ifndef KS_COMMAND_H
#define KS_COMMAND_H

#include "kstats.h"

#define KS_COMMAND_MAX	1024	/* bytes of a command, with the newline */

struct ks_command {
	enum { KS_COMMAND_TRACE, KS_COMMAND_REMOVE } verb;
	char *name;
	char *start, *end;	/* both or neither */
	unsigned char bits;
	/* Where ks_command_parse() failed: the word (never NULL, may be empty) and what is the matter with it. */
	const char *wrong, *why;
};

static inline int ks_command_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next word of *line, zero-terminated in place; an empty one at the end. */
static inline char *ks_command_word(char **line)
{
	char *word = *line, *end;

	while (ks_command_blank(*word))
		word++;
	for (end = word; *end && !ks_command_blank(*end); end++)
		;
	*line = *end ? end + 1 : end;
	*end = 0;
	return word;
}

static inline int ks_command_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static inline int ks_command_fail(struct ks_command *c, const char *word, const char *why)
{
	c->wrong = word;
	c->why = why;
	return -1;
}

/* 0..KSTATS_BITS_MAX in decimal, or -1. */
static inline int ks_command_number(const char *word)
{
	int n = 0;

	if (!*word)
		return -1;
	for (; *word; word++) {
		if (*word < '0' || *word > '9')
			return -1;
		n = 10 * n + (*word - '0');
		if (n > KSTATS_BITS_MAX)
			return -1;
	}
	return n;
}

/* Letters that C, modules and compilers put into names. */
static inline int ks_command_is_name(const char *word)
{
	if (!*word)
		return 0;
	for (; *word; word++)
		if (!((*word >= 'a' && *word <= 'z') || (*word >= 'A' && *word <= 'Z') ||
		      (*word >= '0' && *word <= '9') || *word == '_' || *word == '.' || *word == ':' ||
		      *word == '-' || *word == '$'))
			return 0;
	return 1;
}

/*
 * Take @line apart, which is changed and then pointed into; it is zero-terminated and shorter than KS_COMMAND_MAX.
 * Returns 0, or -1 with wrong and why set.
 */
static inline int ks_command_parse(char *line, struct ks_command *c)
{
	char *word = ks_command_word(&line);
	int bits, have_bits = 0;

	*c = (struct ks_command){ .bits = KSTATS_BITS_DEFAULT };
	if (ks_command_same(word, "trace"))
		c->verb = KS_COMMAND_TRACE;
	else if (ks_command_same(word, "remove"))
		c->verb = KS_COMMAND_REMOVE;
	else
		return ks_command_fail(c, word, "the first word is trace or remove");

	c->name = ks_command_word(&line);
	if (!ks_command_is_name(c->name))
		return ks_command_fail(c, c->name, "a name is expected here");

	for (word = ks_command_word(&line); *word; word = ks_command_word(&line)) {
		char *value = ks_command_word(&line);

		if (c->verb == KS_COMMAND_REMOVE)
			return ks_command_fail(c, word, "nothing follows the name");
		if (ks_command_same(word, "bits") && !have_bits) {
			bits = ks_command_number(value);
			if (bits < 0)
				return ks_command_fail(c, value, "bits takes a number from 0 to 10");
			c->bits = bits;
			have_bits = 1;
		} else if (ks_command_same(word, "start") && !c->start) {
			if (!ks_command_is_name(value))
				return ks_command_fail(c, value, "start takes a function or __tracepoint_NAME");
			c->start = value;
		} else if (ks_command_same(word, "end") && !c->end) {
			if (!ks_command_is_name(value))
				return ks_command_fail(c, value, "end takes a function or __tracepoint_NAME");
			c->end = value;
		} else {
			return ks_command_fail(c, word, "bits, start or end, each once, is expected here");
		}
	}
	if (!c->start != !c->end)
		return ks_command_fail(c, c->start ? c->start : c->end, "start and end go together");
	return 0;
}

#endif /* KS_COMMAND_H */
