// SPDX-License-Identifier: GPL-2.0
/*
 * kallsyms.c: reads the symbol tables that a kernel carries for /proc/kallsyms out of its image.
 *
 * The tables have no labels in a stripped image, but they have a shape (scripts/kallsyms.c):
 *
 *	num_syms	u32
 *	names		num_syms times: length (one byte, or two with bit 7 set, from 6.1 on), then that many tokens
 *	markers		u32 each 256 names: where they begin
 *	token_table	256 texts, each zero-terminated
 *	token_index	u16 each text: where it begins
 *	offsets		u32 each symbol, and relative_base, a u64; in 7.2 each from its own place, without a base
 *
 * The digits are always among the tokens as themselves, which gives token_table; token_index confirms it; num_syms is
 * the one word before it from which exactly so many names can be walked, such that the markers agree. Offsets and base
 * stand before num_syms up to 6.3 and behind token_index later; the base is known anyway, since `_text` is where .text
 * begins. All is aligned to 8 bytes, or in 7.2 to 4.
 */
#include <stdlib.h>
#include <string.h>

#include "image_private.h"
#include "text.h"

#define TOKENS		256
#define SYMBOLS_MIN	256
#define SYMBOLS_MAX	4000000
#define NAME_MAX_	512
#define TOKEN_MAX	64	/* bytes, with its end */
#define TEXT_ROOM	(NAME_MAX_ + TOKEN_MAX)

struct tables {
	const char *data;	/* the section */
	size_t size;
	uint64_t text_address;
	size_t token_table;	/* offsets in it */
	size_t token_index;
	size_t num_syms;
	size_t names;
	uint32_t count;
	size_t offsets;
	bool from_place;	/* each counts from where it stands */
	const char *token[TOKENS];
	unsigned char token_length[TOKENS];
};

static uint32_t u32_at(const struct tables *t, size_t at)
{
	uint32_t v;

	memcpy(&v, t->data + at, sizeof(v));
	return v;
}

/* Whether a token table begins here: 256 texts, and behind them their index. */
static bool tokens_at(struct tables *t, size_t at)
{
	uint16_t index[TOKENS];
	size_t p = at;

	for (unsigned int i = 0; i < TOKENS; i++) {
		const char *end = memchr(t->data + p, 0, t->size - p < TOKEN_MAX ? t->size - p : TOKEN_MAX);

		if (!end)
			return false;
		t->token[i] = t->data + p;
		t->token_length[i] = end - t->token[i];
		p = end - t->data + 1;
	}
	for (p = (p + 3) & ~(size_t)3; p < at + 16384 && p + sizeof(index) <= t->size; p += 4) {
		memcpy(index, t->data + p, sizeof(index));
		if (index[0] == 0 && t->token[0] + index[1] == t->token[1] &&
		    t->token[0] + index[255] == t->token[255]) {
			t->token_table = at;
			t->token_index = p;
			return true;
		}
	}
	return false;
}

static bool find_tokens(struct tables *t)
{
	static const char digits[] = "0\0" "1\0" "2\0" "3\0" "4\0" "5\0" "6\0" "7\0" "8\0" "9";
	size_t from = 0;

	while (from < t->size) {
		const char *hit = memmem(t->data + from, t->size - from, digits, sizeof(digits));
		size_t at;
		unsigned int back;

		if (!hit)
			return false;
		/* '0' is token 48: go back over as many texts. */
		at = hit - t->data;
		for (back = '0'; back && at > 1; back--) {
			at--;
			while (at > 0 && t->data[at - 1])
				at--;
		}
		if (!back && tokens_at(t, at))
			return true;
		from = hit - t->data + 1;
	}
	return false;
}

/* The length of the name at @at, and where its tokens begin. */
static bool name_at(const struct tables *t, size_t *at, unsigned int *length)
{
	if (*at >= t->token_table)
		return false;
	*length = (unsigned char)t->data[(*at)++];
	if (*length & 0x80) {
		if (*at >= t->token_table)
			return false;
		*length = (*length & 0x7f) | (unsigned char)t->data[(*at)++] << 7;
	}
	return *length && *length < NAME_MAX_ && *at + *length <= t->token_table;
}

/* Whether @count names begin at @names, with a marker for each 256 somewhere soon behind them. */
static bool names_at(const struct tables *t, size_t names, uint32_t count)
{
	size_t at = names, second = 0, third = 0;

	for (uint32_t i = 0; i < count; i++) {
		unsigned int length;

		if (i == 256)
			second = at - names;
		if (i == 512)
			third = at - names;
		if (!name_at(t, &at, &length))
			return false;
		at += length;
	}
	for (size_t m = (at + 3) & ~(size_t)3; m <= at + 16 && m + 12 <= t->token_table; m += 4)
		if (u32_at(t, m) == 0 && u32_at(t, m + 4) == second && (count <= 512 || u32_at(t, m + 8) == third))
			return true;
	return false;
}

static bool find_names_aligned(struct tables *t, size_t alignment)
{
	size_t window = 32 << 20, low = t->token_table > window ? t->token_table - window : 0;

	/* Each word that could be a count is tried; nearly all fail within a few names. */
	for (size_t at = t->token_table & ~(alignment - 1); at >= low + 2 * alignment; ) {
		uint32_t count;

		at -= alignment;
		if (at + 16 > t->token_table)
			continue;
		count = u32_at(t, at);
		if (count < SYMBOLS_MIN || count > SYMBOLS_MAX || (alignment == 8 && u32_at(t, at + 4)))
			continue;
		for (size_t gap = 4; gap <= alignment; gap += 4) {
			if (names_at(t, at + gap, count)) {
				t->num_syms = at;
				t->names = at + gap;
				t->count = count;
				return true;
			}
		}
	}
	return false;
}

static bool find_names(struct tables *t)
{
	return find_names_aligned(t, 8) || find_names_aligned(t, 4);
}

static int64_t offset_at(const struct tables *t, size_t offsets, uint32_t i)
{
	int32_t offset = u32_at(t, offsets + 4 * i);

	return t->from_place ? offset + 4LL * i : offset;
}

/*
 * Offsets grow with the symbols: from the base, or, with per-CPU symbols first as small positive numbers, negative ones
 * counted down from the base.
 */
static bool offsets_at(const struct tables *t, size_t at)
{
	uint32_t wrong = 0, step = t->count / 256;

	if (at + 4ULL * t->count > t->size)
		return false;
	for (uint32_t i = step; i < t->count; i += step) {
		int64_t a = offset_at(t, at, i - step), b = offset_at(t, at, i);

		if (t->from_place ? b < a : b < 0 ? a < 0 && b > a : a < 0 || b < a)
			wrong++;
	}
	return wrong < 4 && u32_at(t, at + 4 * (t->count - 1)) != u32_at(t, at);
}

static bool find_offsets(struct tables *t)
{
	size_t behind = t->token_index + 2 * TOKENS, bytes = (4ULL * t->count + 7) & ~(size_t)7;

	t->offsets = (behind + 7) & ~(size_t)7;
	if (offsets_at(t, t->offsets))
		return true;
	/* offsets, relative_base, num_syms; each aligned to 8 */
	if (t->num_syms >= bytes + 8) {
		t->offsets = t->num_syms - 8 - bytes;
		if (offsets_at(t, t->offsets))
			return true;
	}
	t->from_place = true;
	t->offsets = behind;
	return offsets_at(t, t->offsets);
}

/*
 * The symbol at @at, which moves to the next: its type in text[0], its name behind it. 0: it cannot be read. Nearly all
 * tokens are short: 16 bytes are copied at once (the token index is behind them, so they are there).
 */
static char decode(const struct tables *t, size_t *at, char text[TEXT_ROOM])
{
	unsigned int length, n = 0;

	text[0] = 0;
	if (!name_at(t, at, &length))
		return 0;
	for (unsigned int i = 0; i < length && n < NAME_MAX_; i++) {
		unsigned int token = (unsigned char)t->data[*at + i];

		memcpy(text + n, t->token[token], 16);
		if (t->token_length[token] > 16)
			memcpy(text + n, t->token[token], TOKEN_MAX);
		n += t->token_length[token];
	}
	*at += length;
	if (n > NAME_MAX_)
		n = NAME_MAX_;
	text[n] = 0;
	return text[0];
}

/* What to add to offsets (or subtract them from) so that `_text` is where .text is. */
static uint64_t find_base(const struct tables *t, bool counted_down)
{
	char text[TEXT_ROOM];
	size_t at = t->names;

	for (uint32_t i = 0; i < t->count; i++) {
		int64_t offset = offset_at(t, t->offsets, i);

		decode(t, &at, text);
		if (text[0] && (strcmp(text + 1, "_text") == 0 || strcmp(text + 1, "_stext") == 0))
			return counted_down ? t->text_address + offset + 1 : t->text_address - offset;
	}
	return t->text_address;
}

static uint64_t address_of(const struct tables *t, uint32_t i, uint64_t base, bool counted_down)
{
	int64_t offset = offset_at(t, t->offsets, i);

	if (counted_down)
		return offset < 0 ? base - 1 - offset : (uint64_t)offset;
	return base + (t->from_place ? offset : (uint32_t)offset);
}

bool image_kallsyms(const struct image *image, image_symbol_fn *each, void *arg)
{
	struct tables t = {};
	char text[TEXT_ROOM];
	size_t at;
	bool have_offsets, counted_down;
	uint64_t base = 0;

	t.data = image_rodata(image, &t.size, &t.text_address);
	if (!t.data || !find_tokens(&t) || !find_names(&t))
		return false;
	have_offsets = find_offsets(&t);
	counted_down = have_offsets && !t.from_place && offset_at(&t, t.offsets, t.count - 1) < 0;
	if (have_offsets)
		base = find_base(&t, counted_down);
	at = t.names;
	for (uint32_t i = 0; i < t.count; i++) {
		char type = decode(&t, &at, text);

		if (type && text[1])
			each(arg, have_offsets ? address_of(&t, i, base, counted_down) : 0, type, text + 1);
	}
	return true;
}
