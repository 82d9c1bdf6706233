/* SPDX-License-Identifier: GPL-2.0 */
/* target.h: what compiler_dwarf.c asks about; it includes this too, so that its compiler says what is right. */
#ifndef TARGET_H
#define TARGET_H

typedef unsigned int tm_id;
typedef const volatile tm_id tm_fixed;

enum tm_colour { TM_RED, TM_GREEN = 7, TM_FAR = 0x90000000U };
enum tm_sign { TM_MINUS = -3, TM_PLUS = 200 };

struct tm_inner {
	short x, y;
};

struct tm_hidden;			/* of second.c */

struct tm_all {
	char name[11];
	tm_fixed id;
	union {
		long whole;
		struct {
			int low, high;
		};
	};
	unsigned int flag : 1, three : 3, nine : 9;
	int minus : 5;
	unsigned long long wide : 40;
	_Bool yes;
	enum tm_colour colour;
	enum tm_sign sign;
	struct tm_inner grid[3][5];
	struct tm_all *next;
	struct tm_hidden *hidden;
	const char *const *words;
	int (*call)(struct tm_all *all, tm_id id);
	double real;
	unsigned char tail[];
};

struct __attribute__((packed)) tm_packed {
	char c;
	unsigned int a : 7, b : 20;
};

/* In headers, and inlined wherever it is called. */
static inline __attribute__((always_inline)) long tm_mix(long inner, const struct tm_all *shadow)
{
	long twice = inner * 2;

	__asm__ volatile("nop" : : "r" (twice));		/* LINE: header */
	return twice + shadow->id;
}

#endif /* TARGET_H */
