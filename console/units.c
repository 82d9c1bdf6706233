// SPDX-License-Identifier: GPL-2.0
/*
 * units.c: numbers as people read them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistr.h>
#include <uniwidth.h>

#include "console/units.h"

char *units_count(char *buf, uint64_t n)
{
	char digits[24];
	int len = sprintf(digits, "%" PRIu64, n), i;
	char *to = buf;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = 0;
	return buf;
}

/* Four significant digits of 0 <= v < 1000, without an exponent; the caller has chosen a unit that makes it so. */
static void four_digits(char *buf, double v)
{
	int decimals = v < 9.9995 ? 3 : v < 99.995 ? 2 : 1;

	snprintf(buf, UNITS_TEXT, "%.*f", decimals, v);
}

/* Integers stay as they are, "812"; what has a fraction is rounded, "812.3", "1,235". */
static void number(char *buf, double v)
{
	if (v < 999.95 && v != floor(v))
		four_digits(buf, v);
	else
		units_count(buf, v < 18446744073709549568.0 ? (uint64_t)(v + 0.5) : UINT64_MAX);
}

static char *scaled(char *buf, double v, const char *unit)
{
	static const char *const prefix[] = { "k", "M", "G", "T", "P", "E" };
	char text[UNITS_TEXT];
	int i;

	if (v < 99999.5) {
		number(text, v);
		snprintf(buf, UNITS_TEXT, "%.30s%s%.30s", text, *unit ? " " : "", unit);
		return buf;
	}
	for (i = 0, v /= 1000; v >= 999.95 && i < 5; i++)
		v /= 1000;
	four_digits(text, v);
	snprintf(buf, UNITS_TEXT, "%.30s%s%s%.28s", text, prefix[i], *unit ? " " : "", unit);
	return buf;
}

/* By 1024, as slots are cut: 4,096 is "4 KiB". */
static char *bytes(char *buf, double v)
{
	static const char *const prefix[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
	char text[UNITS_TEXT];
	int i = 0;

	for (; v >= 1023.5 && i < 6; i++)	/* what would be rounded to 1024 is 1 of the next */
		v /= 1024;
	if (v > 999.94)
		snprintf(text, sizeof(text), "%.0f", v);	/* without the comma of a thousand */
	else
		number(text, v);
	snprintf(buf, UNITS_TEXT, "%.40s %sB", text, prefix[i]);
	return buf;
}

char *units_value(char *buf, double v, const char *unit, bool utf8)
{
	static const struct { const char *name, *utf8; double up; } ladder[] = {
		{ "ns", "ns", 1000 }, { "us", "µs", 1000 }, { "ms", "ms", 1000 }, { "s", "s", INFINITY },
	};
	char text[UNITS_TEXT];
	int i;

	for (i = 0; i < 4; i++)
		if (unit && !strcmp(unit, ladder[i].name))
			break;
	if (i == 4 && unit && !strcmp(unit, "bytes"))
		return bytes(buf, v);
	if (i == 4)
		return scaled(buf, v, unit ? unit : "");
	while (i > 0 && v < 0.9999995 && v > 0) {
		v *= 1000;
		i--;
	}
	while (v >= ladder[i].up * 0.99995)
		v /= 1000, i++;
	number(text, v);
	snprintf(buf, UNITS_TEXT, "%.40s %s", text, utf8 ? ladder[i].utf8 : ladder[i].name);
	return buf;
}

char *units_short(char *buf, double n)
{
	if (n < 9999999.5) {
		if (n < 99.95 && n != floor(n))
			snprintf(buf, UNITS_TEXT, "%.1f", n);
		else
			units_count(buf, (uint64_t)(n + 0.5));
		return buf;
	}
	return scaled(buf, n, "");
}

char *units_share(char *buf, double share)
{
	double percent = share * 100;

	if (percent > 0 && percent < 0.05)
		strcpy(buf, "<0.1%");
	else if (percent >= 99.95 && share < 1)
		strcpy(buf, ">99.9%");
	else
		snprintf(buf, UNITS_TEXT, percent >= 99.95 ? "%.0f%%" : "%.1f%%", percent);
	return buf;
}

enum { CHARACTER_MOST = 64 };	/* bytes, with what is stacked upon it */

int units_columns(const char *text)
{
	return u8_width((const uint8_t *)text, strlen(text), "UTF-8");
}

size_t units_character(const char *text, int *columns)
{
	size_t left = strnlen(text, CHARACTER_MOST), n = 0;	/* not all of what may be a whole report */
	ucs4_t c;
	int width;

	*columns = 0;
	do {
		n += u8_mbtouc(&c, (const uint8_t *)text + n, left - n);
		width = uc_width(c, "UTF-8");
		*columns += width > 0 ? width : 0;
		if (n == left)
			break;
		u8_mbtouc(&c, (const uint8_t *)text + n, left - n);
	} while (!uc_width(c, "UTF-8"));
	return n;
}
