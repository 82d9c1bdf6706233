// SPDX-License-Identifier: GPL-2.0
/*
 * older.c: the tables of older.h, each row with the release that renamed it and the change upstream. Only what scripts of the library use.
 */
#include <stddef.h>
#include <string.h>

#include "older.h"

static const struct older_field fields[] = {
	{ "task_struct", NULL, "__state", "state" },		/* 5.14 (2f064a59a11f) */
	{ "task_struct", "thread_info", "cpu", "cpu" },		/* 5.16 (bcf9033e5449) */
	{ "request", "q", "disk", "rq_disk" },			/* 5.17 (f3fa33acca9f) */
};

static const struct { const char *tag, *before; } enums[] = {
	{ "req_op", "req_opf" },				/* 6.0 (ff07a02e9e8e) */
};

const struct older_field *older_field(const char *field, const char *through)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (strcmp(fields[i].field, field) == 0 &&
		    (!fields[i].through || (through && strcmp(fields[i].through, through) == 0)))
			return &fields[i];
	return NULL;
}

const char *older_enum(const char *tag)
{
	for (size_t i = 0; i < sizeof(enums) / sizeof(*enums); i++)
		if (strcmp(enums[i].tag, tag) == 0)
			return enums[i].before;
	return NULL;
}
