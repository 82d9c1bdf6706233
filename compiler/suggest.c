// SPDX-License-Identifier: GPL-2.0
/*
 * suggest.c: how an unfinished script may go on. The parser is given what stands before the last word and says what it expects; so
 * a word that the grammar gets is here, too.
 */
#include <stdlib.h>
#include <string.h>

#include "ast.h"
#include "counters.h"
#include "plan.h"
#include "resolve.h"
#include "suggest.h"

struct suggest {
	const char *typed;	/* of the last word, */
	size_t from;		/* which begins here */
	suggest_fn *fn;
	void *arg;
};

static void offer(const struct suggest *s, const char *word, const char *what)
{
	if (!strncmp(word, s->typed, strlen(s->typed)))
		s->fn(s->arg, s->from, word, what);
}

static void offer_all(const struct suggest *s, const char *const *words, const char *what)
{
	for (size_t i = 0; words[i]; i++)
		offer(s, words[i], what);
}

/* ---- where words begin ---- */

static bool is_letter(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* As the lexer has words of points. */
static bool of_point(char c)
{
	return is_letter(c) || (c && strchr(".:/@+-", c));
}

static size_t word_from(const char *text, size_t to, bool (*of_word)(char))
{
	while (to && of_word(text[to - 1]))
		to--;
	return to;
}

/* Is this a quote that does not end? Where it begins; else the length of the text. Quotes in comments are none. */
static size_t open_quote(const char *text)
{
	size_t i = 0, from;

	while (text[i]) {
		bool begins = i == 0 || strchr(" \t\r\n\f\v;", text[i - 1]);

		if (begins && (text[i] == '#' || !strncmp(text + i, "//", 2))) {
			i += strcspn(text + i, "\n");
		} else if (begins && !strncmp(text + i, "/*", 2)) {
			const char *end = strstr(text + i + 2, "*/");

			if (!end)
				return strlen(text);
			i = end + 2 - text;
		} else if (text[i] == '"') {
			for (from = i++; text[i] && text[i] != '"' && text[i] != '\n'; i++)
				if (text[i] == '\\' && text[i + 1])
					i++;
			if (!text[i])
				return from;
			i++;
		} else {
			i++;
		}
	}
	return i;
}

/* ---- what the words before decide, beyond the grammar ---- */

/* Is this the word before @to, blanks between them left out? */
static bool is_before(const char *text, size_t to, const char *word)
{
	size_t from;

	while (to && strchr(" \t\n", text[to - 1]))
		to--;
	from = word_from(text, to, is_letter);
	return to - from == strlen(word) && !strncmp(text + from, word, to - from);
}

/* How a statement's access or mode may be written goes by its keyword: by the last of these. */
static void offer_mode(const struct suggest *s, const char *text, size_t to)
{
	for (size_t at = to; at; at--) {
		if (is_letter(text[at - 1]) || (!is_letter(text[at]) && text[at] != '"'))
			continue;
		if (is_before(text, at, "via")) {
			offer_all(s, option_mechanisms, "mechanism");
			return;
		}
		if (is_before(text, at, "watch")) {
			offer(s, "write", "what writes it");
			offer(s, "rw", "what reads or writes it");
			return;
		}
		if (is_before(text, at, "profile")) {
			offer(s, "time", "how long they take, too");
			return;
		}
	}
}

static void offer_name(const struct suggest *s, const char *text, size_t to)
{
	if (is_before(text, to, "via"))
		offer_all(s, option_mechanisms, "mechanism");
	else if (is_before(text, to, "clock"))
		offer_all(s, option_clocks, "clock");
	else if (is_before(text, to, "nesting"))
		offer_all(s, option_nestings, "calls inside a call");
}

static void offer_operands(const struct suggest *s)
{
	for (int i = 0; i < PLAN_NBUILTINS; i++)
		offer(s, plan_builtin_text(i), "");
	for (size_t i = 0; resolve_calls[i]; i++) {
		char *word = mem_printf("%s(", resolve_calls[i]);

		offer(s, word, "");
		free(word);
	}
}

size_t suggest_words(const char *script, bool *points, suggest_fn *fn, void *arg)
{
	size_t length = strlen(script), from = open_quote(script);
	struct suggest s = { .fn = fn, .arg = arg };
	struct parse_expected e;
	bool counters;

	*points = false;
	if (from < length) {
		parse_expect(script, from, &e);
		*points = e.point && !is_before(script, from, "of") && !is_before(script, from, "watch");
		return from + 1;
	}
	from = word_from(script, length, of_point);
	parse_expect(script, from, &e);
	if (!e.point) {
		from = word_from(script, length, is_letter);
		parse_expect(script, from, &e);
	}
	s.typed = script + from;
	s.from = from;
	counters = e.point && is_before(script, from, "of");
	*points = e.point && !counters && !is_before(script, from, "watch");
	for (unsigned int i = 0; counters && counter_name(i); i++)
		offer(&s, counter_name(i), "counter");
	offer_all(&s, e.keywords, "");
	if (e.name)
		offer_name(&s, script, from);
	if (e.word)
		offer_mode(&s, script, from);
	if (e.operand)
		offer_operands(&s);
	return from;
}

void suggest_params(const char *script, suggest_param_fn *fn, void *arg)
{
	struct source source = { "", script, strlen(script) };
	struct diag *diag = diag_new(&source, 1);
	struct script all = {};

	parse_source(&all, diag, &source, 0);
	for (const struct statement *s = all.statements; s; s = s->next)
		if (s->kind == STATEMENT_PARAM && s->word)
			fn(arg, s->word->text, s->doc && s->doc->kind == EXPR_STRING ? s->doc->string.bytes : "",
			   s->value && s->value->kind == EXPR_STRING);
	script_free(&all);
	diag_free(diag);
}
