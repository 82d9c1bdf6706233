/* SPDX-License-Identifier: GPL-2.0 */
/*
 * digits.h: integers wider than printf has them, and decimal fractions that are exact, for the formats that programs read.
 */
#ifndef KM_DIGITS_H
#define KM_DIGITS_H

#include "console/snapshot.h"

enum { DIGITS_TEXT = 64 };

/* All digits of v, within @buf of DIGITS_TEXT bytes; what is returned is where they begin there. */
const char *digits(char *buf, u128 v);

/* v / 10^decimals (at most 18), likewise: exact, without an exponent, at least one digit behind the point: "0.001234", "15.0". */
const char *digits_point(char *buf, u128 v, unsigned int decimals);

#endif /* KM_DIGITS_H */
