// SPDX-License-Identifier: GPL-2.0
/*
 * render.c: the table of output formats.
 */
#include <string.h>

#include "console/render.h"

static const struct render *const formats[] = {
	&render_text, &render_json, &render_ndjson, &render_csv, &render_hgrm, &render_hlog, &render_openmetrics, &render_prometheus,
};

enum { FORMATS = sizeof(formats) / sizeof(*formats) };

const struct render *render_find(const char *name)
{
	size_t i;

	for (i = 0; i < FORMATS; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

const char *const *render_names(void)
{
	static const char *names[FORMATS + 1];
	size_t i;

	for (i = 0; i < FORMATS; i++)
		names[i] = formats[i]->name;
	return names;
}
