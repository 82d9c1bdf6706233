// SPDX-License-Identifier: GPL-2.0
/*
 * headers_event.c: tracepoints as their headers declare them: TRACE_EVENT(), DECLARE_EVENT_CLASS() with DEFINE_EVENT(),
 * DECLARE_TRACE(), each of these in variants, and macros of the header itself that come to one of them. All have in common
 * that TP_PROTO() is among their arguments: what stands before it is the name, and before that, if anything, the class.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "headers_private.h"

#define NESTED	8	/* macros in macros */

static const char *const folders[] = { "include/trace/events", "arch/x86/include/asm/trace", "include/ras", NULL };
static const char *const others[] = { "arch/x86/include/asm/msr-trace.h", NULL };

/* ---- the events of one header ---- */

/* Whether @piece is a use of what begins with @name; what stands in its parentheses. */
static bool is_use(struct piece piece, const char *name, struct piece *inside)
{
	struct piece word = piece_word(piece.at, piece.at + piece.length);
	struct pieces args;
	const char *open;

	if (word.at != piece.at || word.length < strlen(name) || memcmp(word.at, name, strlen(name)) != 0)
		return false;
	open = skip_blanks(word.at + word.length, piece.at + piece.length);
	return open < piece.at + piece.length && *open == '(' &&
	       cut_arguments(open, piece.at + piece.length, inside, &args);
}

static bool add_event(struct header_file *file, struct piece macro, const struct pieces *args)
{
	struct event event = {};
	unsigned int proto = 0;
	struct piece inside;

	while (proto < args->count && !is_use(args->of[proto], "TP_PROTO", &inside))
		proto++;
	if (proto == args->count || !proto)
		return false;
	event.name = piece_copy(args->of[proto - 1]);
	event.class = proto > 1 ? piece_copy(args->of[proto - 2]) : NULL;
	event.proto = piece_copy(inside);
	for (unsigned int i = proto + 1; i < args->count; i++) {
		if (!event.record && is_use(args->of[i], "TP_STRUCT__entry", &inside))
			event.record = piece_copy(inside);
		if (!event.assign && is_use(args->of[i], "TP_fast_assign", &inside))
			event.assign = piece_copy(inside);
	}
	/* Events and classes have name spaces of their own: a class is only ever looked up as one. */
	if (macro.length > 14 && memcmp(macro.at, "DECLARE_EVENT_", 14) == 0) {
		char *name = mem_printf("class %s", event.name);

		free(event.name);
		event.name = name;
	}
	file->events = mem_more(file->events, file->nevents, sizeof(*file->events));
	file->events[file->nevents++] = event;
	return true;
}

static void scan(struct header_file *file, const char *p, unsigned int depth)
{
	const char *end = p + strlen(p);
	struct piece word, inside;
	struct pieces args;

	while ((word = piece_word(p, end)).at) {
		const struct macro *macro;
		const char *open = skip_blanks(word.at + word.length, end), *behind;

		p = word.at + word.length;
		if (open >= end || *open != '(')
			continue;
		behind = cut_arguments(open, end, &inside, &args);
		if (!behind)
			continue;
		p = behind;
		if (add_event(file, word, &args) || depth >= NESTED)
			continue;
		macro = macro_find(file, word);
		if (macro && macro->nparams) {
			char *text = macro_expand(macro, &args, inside);

			scan(file, text, depth + 1);
			free(text);
		}
	}
}

void headers_find_events(struct header_file *file)
{
	if (file->have_events || !file->text)
		return;
	file->have_events = true;
	scan(file, file->text, 0);
}

static const struct event *event_of(const struct header_file *file, const char *name)
{
	for (unsigned int i = 0; i < file->nevents; i++)
		if (strcmp(file->events[i].name, name) == 0)
			return &file->events[i];
	return NULL;
}

/* ---- which header ---- */

static void list_headers(struct headers *h)
{
	if (h->have_list)
		return;
	h->have_list = true;
	headers_there(h);
	for (unsigned int i = 0; others[i]; i++)
		headers_file(h, others[i]);
	for (unsigned int i = 0; folders[i]; i++) {
		char *path = mem_printf("%s/%s", h->source, folders[i]);
		struct dirent **names = NULL;
		int n = scandir(path, &names, NULL, alphasort);

		for (int e = 0; e < n; e++) {
			size_t length = strlen(names[e]->d_name);

			if (length > 2 && strcmp(names[e]->d_name + length - 2, ".h") == 0) {
				char *file = mem_printf("%s/%s", folders[i], names[e]->d_name);

				headers_file(h, file);
				free(file);
			}
			free(names[e]);
		}
		free(names);
		free(path);
	}
}

static const struct event *look(struct headers *h, struct header_file *file, const char *name)
{
	headers_clean(h, file);
	headers_find_events(file);
	return event_of(file, name);
}

/* Most are in SYSTEM.h; else in a header that has the name in it; at last a header may put the name together. */
static const struct event *find_exactly(struct headers *h, const char *system, const char *name, struct header_file **file)
{
	const struct event *event;

	if (system) {
		char *path = mem_printf("%s/%s.h", folders[0], system);

		*file = strchr(system, '/') ? NULL : headers_file(h, path);
		free(path);
		event = *file ? look(h, *file, name) : NULL;
		if (event)
			return event;
	}
	list_headers(h);
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < h->nfiles; i++) {
			*file = h->files[i];
			if (!(*file)->raw || (!pass && !strstr((*file)->raw, name)))
				continue;
			event = look(h, *file, name);
			if (event)
				return event;
		}
	}
	return NULL;
}

/* Since 6.16 DECLARE_TRACE(name) makes a tracepoint name_tp. */
static const struct event *find_event(struct headers *h, const char *system, const char *name, struct header_file **file)
{
	const struct event *event = find_exactly(h, system, name, file);
	size_t length = strlen(name);

	if (!event && length > 3 && strcmp(name + length - 3, "_tp") == 0) {
		char *plain = mem_copy(name, length - 3);

		event = find_exactly(h, system, plain, file);
		free(plain);
	}
	return event;
}

bool headers_tracepoint(struct headers *h, const char *system, const char *name, struct header_prototype *p)
{
	struct header_file *file;
	const struct event *event = find_event(h, system, name, &file);

	if (!event)
		return false;
	headers_prototype(h, file, (struct piece){ event->proto, strlen(event->proto) }, p);
	return true;
}

/* ---- what fills a field ---- */

/* "__entry->FIELD", perhaps in parentheses, with a cast or & before it; or __get_str(FIELD) and the like. */
static bool is_field(struct piece piece, const char *field)
{
	char *flat = piece_flat(piece), *at = strstr(flat, "__entry");
	const char *rest = at ? at + 7 : NULL;
	struct piece inside, word;
	bool same = false;

	if (rest) {
		rest = skip_blanks(rest, rest + strlen(rest));
		rest = strncmp(rest, "->", 2) == 0 ? skip_blanks(rest + 2, rest + strlen(rest)) : "";
		word = piece_word(rest, rest + strlen(rest));
		same = word.at == rest && piece_is(word, field) && !rest[word.length + strspn(rest + word.length, " )")];
	} else if (is_use((struct piece){ flat, strlen(flat) }, "__get_", &inside)) {
		same = piece_is(piece_trim(inside), field);
	}
	free(flat);
	return same;
}

/* Calls that fill their first argument from their second. */
static bool copies(struct piece name)
{
	static const char *const names[] = { "memcpy", "memmove", "strcpy", "strncpy", "strlcpy", "strscpy", "strscpy_pad",
		"ether_addr_copy", "cpumask_copy", "bitmap_copy", "memcpy_and_pad", NULL };

	for (unsigned int i = 0; names[i]; i++)
		if (piece_is(name, names[i]))
			return true;
	return false;
}

static bool starts(struct piece word, const char *with)
{
	return word.length >= strlen(with) && memcmp(word.at, with, strlen(with)) == 0;
}

/* The right side of an assignment whose `=` is before @p: up to its `;`. */
static struct piece right_side(const char *p, const char *end)
{
	unsigned int depth = 0;
	const char *from = p;

	for (; p < end && (depth || *p != ';'); p++) {
		depth += *p == '(' || *p == '{' || *p == '[';
		depth -= depth && (*p == ')' || *p == '}' || *p == ']');
	}
	return piece_trim((struct piece){ from, p - from });
}

/* At an `=` that assigns: what stands behind it. */
static bool assigns(const char *p, const char *end, struct piece *value)
{
	p = skip_blanks(p, end);
	if (p + 1 >= end || p[0] != '=' || p[1] == '=')
		return false;
	*value = right_side(p + 1, end);
	return value->length > 0;
}

/* In the record's declaration: __string(FIELD, SOURCE) and the like; whether it is there at all. */
static bool find_in_record(const char *record, const char *field, struct piece *value)
{
	const char *p = record, *end = p + strlen(p);
	struct piece word, inside;
	struct pieces args;

	*value = (struct piece){};
	while ((word = piece_word(p, end)).at) {
		const char *open = skip_blanks(word.at + word.length, end);

		p = word.at + word.length;
		if (open >= end || *open != '(' || !cut_arguments(open, end, &inside, &args))
			continue;
		p = inside.at + inside.length;
		for (unsigned int i = 0; i < args.count && i < 2; i++) {
			if (!piece_is(args.of[i], field))
				continue;
			if (!i && args.count > 1 && (starts(word, "__string") || starts(word, "__rel_string")))
				*value = args.of[1];
			return true;
		}
	}
	return false;
}

/* In the code that fills the record. */
static bool find_assignment(const char *code, const char *field, struct piece *value)
{
	const char *p = code, *end = p + strlen(p);
	struct piece word, inside, next;
	struct pieces args;

	while ((word = piece_word(p, end)).at) {
		const char *behind = skip_blanks(word.at + word.length, end);

		p = word.at + word.length;
		if (piece_is(word, "__entry") && behind + 1 < end && behind[0] == '-' && behind[1] == '>') {
			next = piece_word(behind + 2, end);
			if (next.at && piece_is(next, field) && assigns(next.at + next.length, end, value))
				return true;
		} else if (behind < end && *behind == '(' && cut_arguments(behind, end, &inside, &args) && args.count > 1 &&
			   (copies(word) ? is_field(args.of[0], field) :
			    starts(word, "__assign_") && !starts(word, "__assign_vstr") && piece_is(args.of[0], field))) {
			*value = args.of[1];
			return true;
		}
	}
	return false;
}

/* Whether it binds as one name does: names, `.`, `->` and what is in parentheses or brackets. */
static bool is_postfix(const char *text)
{
	unsigned int depth = 0;

	for (const char *c = text; *c; c++) {
		if (!depth && !isalnum((unsigned char)*c) && !strchr("_.([", *c) && !(*c == '-' && c[1] == '>') &&
		    !(*c == '>' && c > text && c[-1] == '-'))
			return false;
		depth += *c == '(' || *c == '[';
		depth -= *c == ')' || *c == ']';
	}
	return text[0] != '(';
}

/* Variables of that code are replaced by what they are set to: it shall speak of the arguments. */
static char *without_locals(const char *code, struct piece value, unsigned int depth)
{
	const char *p = value.at, *end = p + value.length, *stop = code + strlen(code);
	struct text out = {};

	while (p < end) {
		struct piece word = piece_word(p, end), set = {};
		const char *from = word.at ? word.at : end, *back = from;
		bool member;

		text_add(&out, p, from - p);
		if (!word.at)
			break;
		while (back > value.at && isspace((unsigned char)back[-1]))
			back--;
		member = back > value.at && (back[-1] == '.' || (back[-1] == '>' && back - 1 > value.at && back[-2] == '-'));
		for (const char *q = code; !member && depth < 4 && q; ) {
			struct piece other = piece_word(q, stop);
			bool plain = other.at && (other.at == code || (other.at[-1] != '>' && other.at[-1] != '.'));

			q = other.at ? other.at + other.length : NULL;
			if (plain && other.length == word.length && memcmp(other.at, word.at, word.length) == 0 &&
			    other.at != word.at && assigns(q, stop, &set))
				break;
		}
		if (set.at) {
			char *text = without_locals(code, set, depth + 1);

			text_printf(&out, is_postfix(text) ? "%s" : "(%s)", text);
			free(text);
		} else {
			text_add(&out, word.at, word.length);
		}
		p = word.at + word.length;
	}
	return text_take(&out);
}

const char *headers_tracepoint_field(struct headers *h, const char *system, const char *name, const char *field, bool *exists)
{
	struct header_file *file;
	const struct event *event = find_event(h, system, name, &file);
	struct piece value = {};
	char *text, *flat;
	bool there;

	if (exists)
		*exists = false;
	if (event && event->class) {
		char *class = mem_printf("class %s", event->class);

		event = event_of(file, class);
		free(class);
	}
	if (!event || !event->record)
		return NULL;
	there = find_in_record(event->record, field, &value);
	if (exists)
		*exists = there;
	if (!there || (event->assign ? !find_assignment(event->assign, field, &value) && !value.at : !value.at))
		return NULL;
	text = without_locals(event->assign ? event->assign : "", value, 0);
	flat = piece_flat((struct piece){ text, strlen(text) });
	free(text);
	return headers_keep(h, flat);
}
