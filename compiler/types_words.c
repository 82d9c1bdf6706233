// SPDX-License-Identifier: GPL-2.0
/* types_words.c: types as C writes them: what its own words mean, what a type is called, which types are the same. */
#include <stdlib.h>
#include <string.h>

#include "types_private.h"

/* ---- types of C's own ---- */

const struct type *types_void(struct types *ts)
{
	if (!ts->void_type)
		ts->void_type = types_own(ts, &(struct type){ .class = CLASS_VOID, .name = "void" });
	return ts->void_type;
}

const struct type *types_int(struct types *ts, unsigned int size, bool is_signed)
{
	static const char *const names[4][2] = {
		{ "unsigned char", "signed char" }, { "unsigned short", "short" }, { "unsigned int", "int" },
		{ "unsigned long", "long" },
	};
	unsigned int log = size >= 8 ? 3 : size >= 4 ? 2 : size >= 2 ? 1 : 0;

	if (!ts->ints[log][is_signed])
		ts->ints[log][is_signed] = types_own(ts, &(struct type){
			.class = CLASS_INT, .name = names[log][is_signed], .size = 1U << log, .is_signed = is_signed,
			.is_char = !log });
	return ts->ints[log][is_signed];
}

/* The integers that words mean, after sort_words(); of one byte and not bool, all are text. */
static const struct basic {
	unsigned char size;
	enum { UNSIGNED, SIGNED, BOOL } kind;
	const char *words, *alias;
} basics[] = {
	{ 1, SIGNED, "char", NULL },
	{ 1, SIGNED, "signed char", NULL },
	{ 1, UNSIGNED, "unsigned char", NULL },
	{ 2, SIGNED, "short", NULL },
	{ 2, UNSIGNED, "unsigned short", NULL },
	{ 4, SIGNED, "int", NULL },
	{ 4, UNSIGNED, "unsigned int", NULL },
	{ 8, SIGNED, "long", NULL },
	{ 8, UNSIGNED, "unsigned long", NULL },
	{ 8, SIGNED, "long long", NULL },
	{ 8, UNSIGNED, "unsigned long long", NULL },
	{ 1, BOOL, "_Bool", NULL },
	{ 1, BOOL, "_Bool", "bool" },
#define FIXED(prefix)						\
	{ 1, UNSIGNED, "unsigned char", prefix "u8" },		\
	{ 2, UNSIGNED, "unsigned short", prefix "u16" },	\
	{ 4, UNSIGNED, "unsigned int", prefix "u32" },		\
	{ 8, UNSIGNED, "unsigned long long", prefix "u64" },	\
	{ 1, SIGNED, "signed char", prefix "s8" },		\
	{ 2, SIGNED, "short", prefix "s16" },			\
	{ 4, SIGNED, "int", prefix "s32" },			\
	{ 8, SIGNED, "long long", prefix "s64" }
	FIXED(""),
	FIXED("__"),
	{ 2, UNSIGNED, "unsigned short", "__le16" },
	{ 4, UNSIGNED, "unsigned int", "__le32" },
	{ 8, UNSIGNED, "unsigned long long", "__le64" },
	{ 2, UNSIGNED, "unsigned short", "__be16" },
	{ 4, UNSIGNED, "unsigned int", "__be32" },
	{ 8, UNSIGNED, "unsigned long long", "__be64" },
};

#define BASICS		(sizeof(basics) / sizeof(*basics))

/*
 * C allows its words in any order: "long unsigned int" is "unsigned long". Gives the words of the table above; NULL
 * where these are none of C's, or no type.
 */
static const char *sort_words(const char *words, char out[24])
{
	static const char *const known[] = { "unsigned", "signed", "char", "short", "int", "long" };
	enum { U, S, CHAR, SHORT, INT, LONG, KNOWN };
	unsigned int n[KNOWN] = {};

	for (size_t length; *words; words += length) {
		unsigned int i = 0;

		words += strspn(words, " \t\n");
		length = strcspn(words, " \t\n");
		if (!length)
			break;
		while (i < KNOWN && (strncmp(words, known[i], length) != 0 || known[i][length]))
			i++;
		if (i == KNOWN || ++n[i] > (i == LONG ? 2U : 1U))
			return NULL;
	}
	if (n[U] + n[S] > 1 || n[CHAR] + n[SHORT] + !!n[LONG] > 1 || (n[CHAR] && n[INT]))
		return NULL;
	if (!n[U] && !n[S] && !n[CHAR] && !n[SHORT] && !n[INT] && !n[LONG])
		return NULL;
	strcpy(out, n[U] ? "unsigned " : n[S] && n[CHAR] ? "signed " : "");
	strcat(out, n[CHAR] ? "char" : n[SHORT] ? "short" : n[LONG] == 2 ? "long long" : n[LONG] ? "long" : "int");
	return out;
}

const char *types_int_name(const char *name)
{
	char sorted[24];
	const char *c = name ? sort_words(name, sorted) : NULL;

	for (unsigned int i = 0; c && i < BASICS; i++)
		if (strcmp(basics[i].words, c) == 0)
			return basics[i].words;
	return name;
}

const struct type *types_words(struct types *ts, const char *words)
{
	char sorted[24];
	const char *c = sort_words(words, sorted);

	if (strcmp(words, "void") == 0)
		return types_void(ts);
	for (unsigned int i = 0; i < BASICS; i++) {
		const struct basic *b = &basics[i];
		const char *name = b->alias ? b->alias : b->words;

		if (strcmp(name, b->alias || !c ? words : c) != 0)
			continue;
		if (!ts->basics[i])
			ts->basics[i] = types_own(ts, &(struct type){
				.class = CLASS_INT, .name = b->words, .alias = b->alias, .size = b->size,
				.is_signed = b->kind == SIGNED, .is_bool = b->kind == BOOL,
				.is_char = b->size == 1 && b->kind != BOOL });
		return ts->basics[i];
	}
	return NULL;
}

/* What system calls take by names that no kernel for x86-64 may change. */
const struct type *types_interface(struct types *ts, const char *name)
{
	static const char *const names[][2] = {
		{ "aio_context_t", "unsigned long" }, { "clockid_t", "int" }, { "gid_t", "unsigned int" }, { "key_t", "int" },
		{ "loff_t", "long long" }, { "mqd_t", "int" }, { "off_t", "long" }, { "old_gid_t", "unsigned short" },
		{ "old_uid_t", "unsigned short" }, { "pid_t", "int" }, { "qid_t", "unsigned int" }, { "rwf_t", "int" },
		{ "size_t", "unsigned long" }, { "ssize_t", "long" }, { "timer_t", "int" }, { "uid_t", "unsigned int" },
		{ "uint32_t", "unsigned int" }, { "umode_t", "unsigned short" },
	};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct type t;

		if (strcmp(names[i][0], name) != 0)
			continue;
		t = *types_words(ts, names[i][1]);
		t.alias = names[i][0];
		return types_own(ts, &t);
	}
	return NULL;
}

_Static_assert(BASICS <= TYPES_BASICS, "room in struct types");

void types_near_words(struct near *near)
{
	for (unsigned int i = 0; i < BASICS; i++) {
		const char *name = basics[i].alias ? basics[i].alias : basics[i].words;

		near_offer(near, name, strlen(name));
	}
}

/* ---- names ---- */

/* C writes a type around the name of what it is of: @after is what comes behind that name. */
static void add_text(struct types *ts, const struct type *t, struct text *before, struct text *after, unsigned int deep)
{
	static const char *const tags[] = { [CLASS_STRUCT] = "struct", [CLASS_UNION] = "union", [CLASS_ENUM] = "enum" };
	const struct type *to = NULL;

	if (t->alias || deep > TYPES_CHAIN) {
		text_string(before, t->alias ? t->alias : "...");
		return;
	}
	switch (t->class) {
	case CLASS_STRUCT:
	case CLASS_UNION:
	case CLASS_ENUM:
		text_printf(before, "%s %s", tags[t->class], t->name ? t->name : "{...}");
		return;
	case CLASS_POINTER:
		to = types_target(ts, t);
		if ((to->class == CLASS_ARRAY || to->class == CLASS_FUNCTION) && !to->alias) {
			struct text behind = {};

			add_text(ts, to, before, &behind, deep + 1);
			text_string(before, before->s[before->length - 1] == '*' ? "(*" : " (*");
			text_string(after, ")");
			text_add(after, behind.s ? behind.s : "", behind.length);
			text_free(&behind);
			return;
		}
		add_text(ts, to, before, after, deep + 1);
		/* "char **", "int (**)[2]", but "char *". */
		text_string(before, before->s[before->length - 1] == '*' ? "*" : " *");
		return;
	case CLASS_ARRAY:
		if (t->count)
			text_printf(after, "[%llu]", (unsigned long long)t->count);
		else
			text_string(after, "[]");
		add_text(ts, types_target(ts, t), before, after, deep + 1);
		return;
	case CLASS_FUNCTION:
		text_string(after, "()");
		add_text(ts, types_target(ts, t), before, after, deep + 1);
		return;
	default:
		text_string(before, t->name ? t->name : "(type unknown)");
	}
}

char *types_text(struct types *ts, const struct type *t)
{
	struct text before = {}, after = {};

	add_text(ts, t, &before, &after, 0);
	if (after.length && after.s[0] == '[')
		text_string(&before, before.s[before.length - 1] == '*' ? "" : " ");
	text_add(&before, after.s ? after.s : "", after.length);
	text_free(&after);
	return text_take(&before);
}

static bool same_name(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

bool types_same(struct types *ts, const struct type *a, const struct type *b)
{
	for (unsigned int n = 0; n < TYPES_CHAIN && a != b; n++) {
		if (a->class != b->class || a->count != b->count)
			return false;
		switch (a->class) {
		case CLASS_VOID:
			return true;
		case CLASS_INT:
			return a->size == b->size && a->is_signed == b->is_signed && a->is_bool == b->is_bool;
		case CLASS_STRUCT:
		case CLASS_UNION:
		case CLASS_ENUM:
			a = types_complete(ts, a, false);
			b = types_complete(ts, b, false);
			/* What has no tag may have the name of its typedef. Declared only, it may be of any size. */
			return a == b || ((!a->size || !b->size || a->size == b->size) && (a->name || b->name ?
				same_name(a->name, b->name) : same_name(a->alias, b->alias)));
		case CLASS_POINTER:
		case CLASS_ARRAY:
		case CLASS_FUNCTION:
			a = types_target(ts, a);
			b = types_target(ts, b);
			break;
		default:
			return a->size == b->size && same_name(a->name, b->name);
		}
	}
	return a == b;
}

