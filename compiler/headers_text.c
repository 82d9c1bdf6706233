// SPDX-License-Identifier: GPL-2.0
/* headers_text.c: as much of the C preprocessor as reading declarations takes: comments, conditions, macros. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "headers_private.h"

/* ---- pieces ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool piece_is(struct piece piece, const char *word)
{
	return piece.length == strlen(word) && memcmp(piece.at, word, piece.length) == 0;
}

struct piece piece_trim(struct piece piece)
{
	while (piece.length && isspace((unsigned char)piece.at[0]))
		piece.at++, piece.length--;
	while (piece.length && isspace((unsigned char)piece.at[piece.length - 1]))
		piece.length--;
	return piece;
}

char *piece_copy(struct piece piece)
{
	return mem_copy(piece.at ? piece.at : "", piece.length);
}

char *piece_flat(struct piece piece)
{
	struct text t = {};

	piece = piece_trim(piece);
	text_add(&t, "", 0);
	for (size_t i = 0; i < piece.length; i++) {
		if (!isspace((unsigned char)piece.at[i]))
			text_add(&t, &piece.at[i], 1);
		else if (!isspace((unsigned char)piece.at[i - 1]))
			text_add(&t, " ", 1);
	}
	return text_take(&t);
}

const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p;
}

/* Behind the text in quotes that begins at @p. */
static const char *skip_quoted(const char *p, const char *end)
{
	char quote = *p++;

	while (p < end && *p != quote && *p != '\n')
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return p < end && *p == quote ? p + 1 : p < end ? p : end;
}

struct piece piece_word(const char *p, const char *end)
{
	struct piece word = {};

	while (p < end) {
		if (*p == '"' || *p == '\'') {
			p = skip_quoted(p, end);
		} else if (is_word(*p)) {
			word.at = p;
			while (p < end && is_word(*p))
				p++;
			word.length = p - word.at;
			if (!isdigit((unsigned char)*word.at))
				return word;
		} else {
			p++;
		}
	}
	return (struct piece){};
}

const char *cut_arguments(const char *open, const char *end, struct piece *inside, struct pieces *args)
{
	const char *from = open + 1, *p = from;
	unsigned int depth = 1;

	args->count = 0;
	while (p < end) {
		if (*p == '"' || *p == '\'') {
			p = skip_quoted(p, end);
			continue;
		}
		if (strchr("([{", *p))
			depth++;
		if (strchr(")]}", *p))
			depth--;
		if (!depth || (depth == 1 && *p == ',')) {
			if (args->count < PIECES)
				args->of[args->count++] = piece_trim((struct piece){ from, p - from });
			from = p + 1;
		}
		if (!depth) {
			*inside = (struct piece){ open + 1, p - open - 1 };
			return p + 1;
		}
		p++;
	}
	return NULL;
}

/* ---- macros ---- */

const struct macro *macro_find(const struct header_file *file, struct piece name)
{
	for (unsigned int i = file->nmacros; i-- > 0; )
		if (piece_is(name, file->macros[i].name))
			return &file->macros[i];
	return NULL;
}

/* What a parameter stands for. */
static struct piece argument(const struct macro *m, unsigned int i, const struct pieces *args, struct piece inside)
{
	if (i >= args->count)
		return (struct piece){ "", 0 };
	if (m->variadic && i == m->nparams - 1)
		return (struct piece){ args->of[i].at, (size_t)(inside.at + inside.length - args->of[i].at) };
	return args->of[i];
}

char *macro_expand(const struct macro *m, const struct pieces *args, struct piece inside)
{
	const char *p = m->body, *end = p + strlen(p);
	struct text out = {};

	text_add(&out, "", 0);
	while (p < end) {
		const char *from = p;

		if (p[0] == '#' && p[1] == '#') {
			/* What stands on both sides becomes one word. */
			while (out.length && isspace((unsigned char)out.s[out.length - 1]))
				out.s[--out.length] = 0;
			p = skip_blanks(p + 2, end);
		} else if (*p == '"' || *p == '\'') {
			p = skip_quoted(p, end);
			text_add(&out, from, p - from);
		} else if (is_word(*p)) {
			struct piece word;
			unsigned int i = 0;

			while (p < end && is_word(*p))
				p++;
			word = (struct piece){ from, p - from };
			while (i < m->nparams && !piece_is(word, m->params[i]))
				i++;
			if (i < m->nparams)
				word = argument(m, i, args, inside);
			text_add(&out, word.at, word.length);
		} else {
			text_add(&out, p++, 1);
		}
	}
	return text_take(&out);
}

/* "NAME(A, B...) BODY" behind #define. */
static void define(struct header_file *file, const char *p, const char *end)
{
	struct piece name = piece_word(p, end), inside;
	struct pieces params;
	struct macro m = {};
	const char *body;

	if (!name.at)
		return;
	body = name.at + name.length;
	m.name = piece_copy(name);
	if (body < end && *body == '(') {
		body = cut_arguments(body, end, &inside, &params);
		for (unsigned int i = 0; body && i < params.count && params.of[i].length; i++) {
			struct piece param = params.of[i];
			bool rest = param.length >= 3 && memcmp(param.at + param.length - 3, "...", 3) == 0;

			param.length -= rest ? 3 : 0;
			m.variadic |= rest;
			param = piece_trim(param);
			m.params[m.nparams++] = param.length ? piece_copy(param) : mem_printf("__VA_ARGS__");
		}
	}
	m.body = body ? mem_copy(body, end - body) : mem_copy("", 0);
	file->macros = mem_more(file->macros, file->nmacros, sizeof(*file->macros));
	file->macros[file->nmacros++] = m;
}

/* ---- conditions ---- */

enum truth { NO, YES, MAYBE };

struct condition {
	const struct headers *h;
	const struct header_file *file;
	const char *p, *end;
	unsigned int depth;
	bool bad;
};

static bool configured(const struct headers *h, struct piece name, const char *suffix)
{
	char *line = mem_printf("#define %.*s%s ", (int)name.length, name.at, suffix);
	bool found = strstr(h->config, line);

	free(line);
	return found;
}

static enum truth is_defined(const struct headers *h, const struct header_file *file, struct piece name)
{
	static const char *const yes[] = { "__KERNEL__", "CONFIG_X86", "CONFIG_X86_64", "CONFIG_64BIT", NULL };

	if (macro_find(file, name))
		return YES;
	for (unsigned int i = 0; yes[i]; i++)
		if (piece_is(name, yes[i]))
			return YES;
	/* Without it linux/syscalls.h would declare what x86 wraps: that text is wanted. */
	if (piece_is(name, "CONFIG_ARCH_HAS_SYSCALL_WRAPPER"))
		return MAYBE;
	if (piece_is(name, "__ASSEMBLY__") || piece_is(name, "__ASSEMBLER__"))
		return NO;
	if (name.length > 7 && memcmp(name.at, "CONFIG_", 7) == 0 && h->config)
		return configured(h, name, "") ? YES : NO;
	return MAYBE;
}

static bool eat(struct condition *c, const char *what)
{
	size_t n = strlen(what);

	c->p = skip_blanks(c->p, c->end);
	if ((size_t)(c->end - c->p) < n || memcmp(c->p, what, n) != 0)
		return false;
	c->p += n;
	return true;
}

static struct piece eat_word(struct condition *c)
{
	struct piece word = {};

	c->p = skip_blanks(c->p, c->end);
	word.at = c->p;
	while (c->p < c->end && is_word(*c->p))
		c->p++;
	word.length = c->p - word.at;
	return word;
}

static enum truth either(struct condition *c);

static enum truth primary(struct condition *c)
{
	static const char *const enabled[] = { "IS_ENABLED", "IS_REACHABLE", "IS_BUILTIN", "IS_MODULE", NULL };
	struct piece word, name;
	enum truth t;

	if (c->depth > 50) {
		c->bad = true;
		return MAYBE;
	}
	if (eat(c, "!")) {
		c->depth++;
		t = primary(c);
		c->depth--;
		return t == MAYBE ? MAYBE : t == YES ? NO : YES;
	}
	if (eat(c, "(")) {
		c->depth++;
		t = either(c);
		c->depth--;
		c->bad |= !eat(c, ")");
		return t;
	}
	word = eat_word(c);
	if (!word.length) {
		c->bad = true;
		return MAYBE;
	}
	if (piece_is(word, "defined")) {
		bool open = eat(c, "(");

		name = eat_word(c);
		c->bad |= open && !eat(c, ")");
		return is_defined(c->h, c->file, name);
	}
	for (unsigned int i = 0; enabled[i]; i++) {
		if (!piece_is(word, enabled[i]) || !eat(c, "("))
			continue;
		name = eat_word(c);
		c->bad |= !eat(c, ")");
		if (!c->h->config)
			return MAYBE;
		return (i != 3 && configured(c->h, name, "")) || (i != 2 && configured(c->h, name, "_MODULE")) ? YES : NO;
	}
	return piece_is(word, "0") ? NO : piece_is(word, "1") ? YES : MAYBE;
}

static enum truth both(struct condition *c)
{
	enum truth t = primary(c);

	while (eat(c, "&&")) {
		enum truth u = primary(c);

		t = t == NO || u == NO ? NO : t == YES && u == YES ? YES : MAYBE;
	}
	return t;
}

static enum truth either(struct condition *c)
{
	enum truth t = both(c);

	while (eat(c, "||")) {
		enum truth u = both(c);

		t = t == YES || u == YES ? YES : t == NO && u == NO ? NO : MAYBE;
	}
	return t;
}

static enum truth evaluate(const struct headers *h, const struct header_file *file, const char *p, const char *end)
{
	struct condition c = { .h = h, .file = file, .p = p, .end = end };
	enum truth t = either(&c);

	/* Comparisons and the like. */
	return c.bad || skip_blanks(c.p, c.end) < c.end ? MAYBE : t;
}

/* ---- a whole file ---- */

/* Comments become blanks, lines that go on become one. */
static char *plain_lines(const char *p)
{
	const char *end = p + strlen(p);
	struct text out = {};

	text_add(&out, "", 0);
	while (p < end) {
		const char *from = p;

		if (p[0] == '\\' && (p[1] == '\n' || (p[1] == '\r' && p[2] == '\n'))) {
			p += p[1] == '\n' ? 2 : 3;
			text_add(&out, " ", 1);
		} else if (p[0] == '/' && p[1] == '*') {
			const char *close = strstr(p + 2, "*/");

			p = close ? close + 2 : end;
			text_add(&out, " ", 1);
		} else if (p[0] == '/' && p[1] == '/') {
			p = strchrnul(p, '\n');
		} else if (*p == '"' || *p == '\'') {
			p = skip_quoted(p, end);
			text_add(&out, from, p - from);
		} else {
			p++;
			while (p < end && !strchr("\\/\"'", *p))
				p++;
			text_add(&out, from, p - from);
		}
	}
	return text_take(&out);
}

#define NESTING	64

struct branch {
	bool outer;		/* what surrounds it is taken */
	bool done;		/* a branch of it was surely taken: later ones are not */
	bool taken;
};

struct conditions {
	struct branch of[NESTING];
	unsigned int depth;
	unsigned int beyond;	/* deeper ones: taken */
};

static bool is_live(const struct conditions *c)
{
	return !c->depth || c->of[c->depth - 1].taken;
}

static void branch(struct branch *b, enum truth t)
{
	b->taken = b->outer && !b->done && t != NO;
	b->done |= t == YES;
}

/* A line that begins with '#', which is at @p. */
static void directive(const struct headers *h, struct header_file *file, struct conditions *c, const char *p, const char *end)
{
	struct piece word = piece_word(p + 1, end), name;
	const char *rest = word.at + word.length;
	bool plain = piece_is(word, "if"), ifdef = piece_is(word, "ifdef"), ifndef = piece_is(word, "ifndef");

	if (!word.at)
		return;
	if (plain || ifdef || ifndef) {
		enum truth t = MAYBE;

		if (c->depth == NESTING) {
			c->beyond++;
			return;
		}
		name = piece_word(rest, end);
		if (plain)
			t = evaluate(h, file, rest, end);
		else if (name.at)
			t = is_defined(h, file, name);
		if (ifndef && t != MAYBE)
			t = t == YES ? NO : YES;
		c->of[c->depth] = (struct branch){ .outer = is_live(c) };
		branch(&c->of[c->depth++], t);
	} else if (piece_is(word, "endif")) {
		if (c->beyond)
			c->beyond--;
		else if (c->depth)
			c->depth--;
	} else if (c->depth && !c->beyond && piece_is(word, "else")) {
		branch(&c->of[c->depth - 1], YES);
	} else if (c->depth && !c->beyond && piece_is(word, "elif")) {
		branch(&c->of[c->depth - 1], evaluate(h, file, rest, end));
	} else if (is_live(c) && piece_is(word, "define")) {
		define(file, rest, end);
	}
}

void headers_clean(const struct headers *h, struct header_file *file)
{
	struct conditions conditions = {};
	struct text out = {};
	char *lines;

	if (file->cleaned || !file->raw)
		return;
	file->cleaned = true;
	lines = plain_lines(file->raw);
	text_add(&out, "", 0);
	for (const char *p = lines; *p; ) {
		const char *end = strchrnul(p, '\n'), *first = skip_blanks(p, end);

		if (first < end && *first == '#') {
			directive(h, file, &conditions, first, end);
		} else if (is_live(&conditions)) {
			text_add(&out, p, end - p);
			text_add(&out, "\n", 1);
		}
		p = *end ? end + 1 : end;
	}
	free(lines);
	file->text = text_take(&out);
}

void headers_free_file(struct header_file *file)
{
	for (unsigned int i = 0; i < file->nmacros; i++) {
		for (unsigned int n = 0; n < file->macros[i].nparams; n++)
			free(file->macros[i].params[n]);
		free(file->macros[i].name);
		free(file->macros[i].body);
	}
	for (unsigned int i = 0; i < file->nevents; i++) {
		free(file->events[i].name);
		free(file->events[i].class);
		free(file->events[i].proto);
		free(file->events[i].record);
		free(file->events[i].assign);
	}
	free(file->macros);
	free(file->events);
	free(file->path);
	free(file->raw);
	free(file->text);
	free(file);
}
