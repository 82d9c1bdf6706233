// SPDX-License-Identifier: GPL-2.0
/*
 * console_units.c: numbers over all that 64 bits hold, read back as a person would; and the text report of every known content at
 * several widths: nothing is wider than the terminal, and colours are there only where they are asked for.
 */
#include <ctype.h>
#include <math.h>

#include "console/page.h"
#include "console/units.h"
#include "console_known.h"

/* ---- values ---- */

static const struct scale {
	const char *unit, *suffix;
	double is;		/* so many of the unit */
	double next;		/* of these a larger one takes over, 0: none does */
} scales[] = {
	{ "ns", " ns", 1, 1e3 }, { "ns", " us", 1e3, 1e3 }, { "ns", " ms", 1e6, 1e3 }, { "ns", " s", 1e9, 0 },
	{ "us", " ns", 1e-3, 1e3 }, { "us", " us", 1, 1e3 }, { "us", " ms", 1e3, 1e3 }, { "us", " s", 1e6, 0 },
	{ "ms", " ns", 1e-6, 1e3 }, { "ms", " us", 1e-3, 1e3 }, { "ms", " ms", 1, 1e3 }, { "ms", " s", 1e3, 0 },
	{ "s", " ns", 1e-9, 1e3 }, { "s", " us", 1e-6, 1e3 }, { "s", " ms", 1e-3, 1e3 }, { "s", " s", 1, 0 },
	{ "bytes", " B", 1, 1024 }, { "bytes", " KiB", 0x1p10, 1024 }, { "bytes", " MiB", 0x1p20, 1024 }, { "bytes", " GiB", 0x1p30, 1024 },
	{ "bytes", " TiB", 0x1p40, 1024 }, { "bytes", " PiB", 0x1p50, 1024 }, { "bytes", " EiB", 0x1p60, 0 },
	{ "pages", " pages", 1, 1e5 }, { "pages", "k pages", 1e3, 1e3 }, { "pages", "M pages", 1e6, 1e3 }, { "pages", "G pages", 1e9, 1e3 },
	{ "pages", "T pages", 1e12, 1e3 }, { "pages", "P pages", 1e15, 1e3 }, { "pages", "E pages", 1e18, 0 },
	{ "", "", 1, 1e5 }, { "", "k", 1e3, 1e3 }, { "", "M", 1e6, 1e3 }, { "", "G", 1e9, 1e3 }, { "", "T", 1e12, 1e3 },
	{ "", "P", 1e15, 1e3 }, { "", "E", 1e18, 0 },
};

/* The number and what it is of, as a person reads it; NaN, with *why, when it is none or not in the form that it should have. */
static double read_back(const char *text, const char *unit, const char **why)
{
	char digits[64], *to = digits;
	const char *p = text;
	size_t i;

	for (; isdigit(*p) || *p == ',' || *p == '.'; p++)
		if (*p != ',')
			*to++ = *p;
	*to = 0;
	*why = "no unit that it could have";
	for (i = 0; i < sizeof(scales) / sizeof(*scales); i++) {
		const struct scale *s = &scales[i];

		if (strcmp(s->unit, unit) || strcmp(s->suffix, p))
			continue;
		if (s->next && atof(digits) >= s->next) {
			*why = "more than the next unit";
			return NAN;
		}
		return atof(digits) * s->is;
	}
	return NAN;
}

struct sweep {
	const char *unit;
	double last;		/* what the value before was read back as */
	unsigned long values;
	const char *wrong;
	char text[UNITS_TEXT];
	double value;
};

/* The shown digits are right: half of the fourth is the most that is missing; integers of four digits are whole. */
static void look_at(struct sweep *w, double v)
{
	double back, most;
	const char *why;
	char text[UNITS_TEXT];

	if (w->wrong)
		return;
	units_value(text, v, *w->unit ? w->unit : NULL, false);
	back = read_back(text, w->unit, &why);
	most = v > 0 ? 0.5 * pow(10, floor(log10(v)) - 3) : 0;
	if (v < 1 && strcmp(w->unit, "us") && strcmp(w->unit, "ms") && strcmp(w->unit, "s"))	/* there is no smaller unit */
		most = 0.0005;
	else if (!strcmp(w->unit, "bytes"))		/* digits are of KiB, MiB, ... there */
		most = v * 0.0005;
	if (isnan(back))
		w->wrong = why;
	else if (fabs(back - v) > most * (1 + 1e-9) + v * 1e-15)
		w->wrong = "too far away";
	else if (back < w->last)
		w->wrong = "less than the value before";
	else if (strcmp(w->unit, "s") && v == floor(v) && v < 1000 && back != v)
		w->wrong = "an integer that is not itself";
	if (w->wrong) {
		w->value = v;
		strcpy(w->text, text);
	}
	w->last = back;
	w->values++;
}

static void sweep(const char *unit)
{
	struct sweep w = { .unit = unit };
	double v, power;
	int i;

	look_at(&w, 0);
	for (v = 0.01; v < 1; v *= 1.0007)
		look_at(&w, v);
	for (v = 1; v < 11000; v += 1)
		look_at(&w, v);
	/* Between powers of two and ten, and just around those and around halves of the fourth digit before them. */
	for (; v < 0x1p64; v *= 1.0007) {
		power = pow(10, floor(log10(v * 1.0007)));
		for (i = -60; power > v && i <= 60; i++)
			look_at(&w, power * (1 + i / 40000.0) > v ? power * (1 + i / 40000.0) : v);
		v = power > v ? power * (1 + 60 / 40000.0) : v;
		look_at(&w, v);
	}
	look_at(&w, 0x1p64);
	if (!ok(!w.wrong && w.values > 30000, "%s: %lu values from 0 to 2^64", *unit ? unit : "no unit", w.values))
		printf("# %.17g is \"%s\": %s\n", w.value, w.text, w.wrong ? w.wrong : "");
}

static void bytes_near(void)
{
	struct sweep w = { .unit = "bytes" };
	double power, i;

	for (power = 1024; power < 0x1p64; power *= 1024) {
		w.last = 0;
		for (i = -1000; i <= 1000; i++)
			look_at(&w, power * (1 + i / 1e6));
	}
	if (!ok(!w.wrong, "bytes: around powers of 1024"))
		printf("# %.17g is \"%s\": %s\n", w.value, w.text, w.wrong);
}

static void value_is(double v, const char *unit, bool utf8, const char *wanted)
{
	char buf[UNITS_TEXT];

	is_text(units_value(buf, v, unit, utf8), wanted, wanted);
}

static void values(void)
{
	static const char *const units[] = { "ns", "us", "ms", "s", "bytes", "pages", "" };
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		sweep(units[i]);
	bytes_near();
	value_is(0.25, "us", true, "250 ns");
	value_is(0.0005, "us", false, "0.500 ns");
	value_is(999.96, "us", true, "1.000 ms");
	value_is(1, "us", true, "1 µs");
	value_is(1023.4, "bytes", false, "1023 B");
	value_is(1023.9, "bytes", false, "1.000 KiB");
	value_is(0, "us", false, "0 us");
}

static void shares_and_counts(void)
{
	char text[UNITS_TEXT], plain[UNITS_TEXT], *to;
	unsigned long wrong = 0, i;
	const char *p;
	uint64_t n;
	double share;

	for (i = 0; i <= 1000000; i++) {
		share = i / 1e6;
		units_share(text, share);
		if (*text == '<' ? !(share > 0 && share < 0.001) : *text == '>' ? !(share > 0.999 && share < 1) :
		    fabs(atof(text) / 100 - share) > 0.000501 || (!strcmp(text, "100%") && share < 1) || (!strcmp(text, "0.0%") && share > 0))
			wrong++;
	}
	ok(!wrong, "shares: within half of the last digit, and 0 and 100 %% only where that is exact");
	for (i = 0, n = 1, wrong = 0; i < 200; i++, n = n * 7 + i) {
		units_count(text, n);
		for (p = text, to = plain; *p; p++)
			if (*p != ',')
				*to++ = *p;
		*to = 0;
		wrong += strtoull(plain, NULL, 10) != n;
		for (p = text + strlen(text); p - text > 3; p -= 4)
			wrong += p - text > 3 && (p - text == 4 || p[-4] != ',');
	}
	ok(!wrong, "counts: all digits, a comma every three");
}

static void columns(void)
{
	int n;

	ok(units_columns("vfs_read") == 8 && units_columns("1 µs ≤ █") == 8, "columns: a letter has one");
	ok(units_columns("日本語") == 6 && units_columns("ファイル") == 8 && units_columns("한국") == 4, "columns: a CJK letter has two");
	ok(units_columns("e\xcc\x81t\xc3\xa9") == 3, "columns: an accent alone has none");
	ok(units_character("日本語", &n) == 3 && n == 2, "a character: its bytes and columns");
	ok(units_character("e\xcc\x81t", &n) == 3 && n == 1 && units_character("e", &n) == 1, "a character: an accent stays with its letter");
}

/* ---- the report ---- */

/* Columns of the widest line, without what colours it; *colors: how often it does. */
static int widest(const char *text, unsigned int *colors)
{
	char line[4096];
	int most = 0, n;

	for (*colors = 0; *text; text += *text == '\n') {
		for (n = 0; *text && *text != '\n' && n < (int)sizeof(line) - 1; ) {
			if (*text == '\033') {
				text = strchr(text, 'm') + 1;
				++*colors;
			} else {
				line[n++] = *text++;
			}
		}
		line[n] = 0;
		n = units_columns(line);
		most = n > most ? n : most;
	}
	return most;
}

/* As the report, but without colours, blanks and ends of lines: folding changes no more than these. */
static char *bare(const char *text)
{
	char *out = calloc(strlen(text) + 1, 1), *to = out;

	for (; *text; text++) {
		if (*text == '\033')
			text = strchr(text, 'm');
		else if (!isspace(*text))
			*to++ = *text;
	}
	return out;
}

static char *report_of(size_t which, bool fold, bool color)
{
	struct snapshot *s[KNOWN_MEASUREMENTS];
	struct report r = { .snapshots = s, .seconds = 5, .release = "6.1" };
	char *text;
	size_t size;
	FILE *f;

	if (which < KNOWN) {
		r.n = known_snapshots(which, s);
	} else {
		r.number = which - KNOWN + 1;
		r.n = known_moment(r.number, s);
	}
	f = open_memstream(&text, &size);
	options.fold = fold;
	options.color = color;
	render_text.write(f, &r, &options);
	fclose(f);
	while (r.n)
		snapshot_free(s[--r.n]);
	return text;
}

static void at_width(int width, bool utf8)
{
	const char *last = utf8 ? "UTF-8" : "ASCII";
	unsigned int colors, none, high = 0;
	char *plain, *folded, *colored, *one, *other;
	const char *at;
	size_t i;
	int most;

	options = (struct render_options){ .top = 20, .utf8 = utf8, .width = width, .verbose = false };
	for (i = 0; i < KNOWN + 3; i++) {
		const char *name = i < KNOWN ? known[i].name : "times";

		options.verbose = i % 2;
		plain = report_of(i, false, false);
		folded = report_of(i, true, false);
		colored = report_of(i, true, true);
		most = widest(folded, &none);
		ok(most <= width, "%s at %d columns, %s: the widest line has %d", name, width, last, most);
		ok(!none && widest(colored, &colors) == most && colors && !(colors % 2), "%s at %d columns: colours only where they are asked for", name, width);
		one = bare(folded);
		other = bare(colored);
		ok(!strcmp(one, other), "%s at %d columns: and nothing else is different", name, width);
		free(other);
		other = bare(plain);
		ok(!strcmp(one, other) || strstr(folded, "a wider terminal shows"), "%s at %d columns: folding adds and takes nothing", name, width);
		/* two have names that are not of ASCII's letters */
		for (at = folded; *at && strcmp(name, "labels") && strcmp(name, "hostile"); at++)
			high |= *at & 0x80;
		free(one);
		free(other);
		free(folded);
		free(plain);
		free(colored);
	}
	ok(utf8 ? high : !high, "at %d columns, %s: its characters", width, last);
}

int main(void)
{
	static const int width[] = { 40, 60, 80, 132, 200 };
	size_t i;

	values();
	shares_and_counts();
	columns();
	for (i = 0; i < sizeof(width) / sizeof(*width); i++) {
		at_width(width[i], true);
		at_width(width[i], false);
	}
	return done();
}
