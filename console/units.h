/* SPDX-License-Identifier: GPL-2.0 */
/*
 * units.h: numbers as people read them. All functions write at most UNITS_TEXT bytes, with the final 0, and return buf.
 */
#ifndef KM_UNITS_H
#define KM_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNITS_TEXT = 64 };

/*
 * A value with its unit, four significant digits: times (ns us ms s) move to the unit that fits ("1.234 ms"), bytes go by
 * 1024 ("1.500 MiB"), other units by thousands ("12.35k pages"), without a unit the bare number. `exact` integers below
 * 10,000 lose nothing. With utf8 a microsecond is "µs".
 */
char *units_value(char *buf, double value, const char *unit, bool utf8);

/* A count with separators, "1,234,567", all digits; and a short one: "1,234,567" up to seven digits, then "12.35M". */
char *units_count(char *buf, uint64_t n);
char *units_short(char *buf, double n);

/* A share of 0..1: "41.0%", "<0.1%", ">99.9%", "100%". */
char *units_share(char *buf, double share);

/* The columns that UTF-8 text takes on a terminal: two a letter for most of Chinese, Japanese and Korean, none for accents alone. */
int units_columns(const char *text);

/* The bytes and columns of the character at @text, which is not empty. What follows it without a width of its own is part of it. */
size_t units_character(const char *text, int *columns);

#endif /* KM_UNITS_H */
