// SPDX-License-Identifier: GPL-2.0
/*
 * print.c: the stream that reports go to.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "console/print.h"
#include "console/say.h"

/* The environment decides, not setlocale: a guest or a rescue system may have no locales, and still a terminal. */
bool print_utf8(const struct options *o)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	size_t i;

	for (i = 0; i < 3 && !o->ascii; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "UTF-8") || strcasestr(value, "utf8");
	}
	return false;
}

bool print_color(const struct options *o)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	if (o->color != COLOR_AUTO)
		return o->color == COLOR_ALWAYS;
	return !o->output && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") && !(no && *no);
}

/* The columns of the terminal that the report goes to, 0 when it goes elsewhere. */
static int terminal(const struct options *o)
{
	struct winsize size;

	return !o->output && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

int print_width(const struct options *o)
{
	const char *columns = getenv("COLUMNS");

	if (terminal(o))
		return terminal(o);
	if (columns && atoi(columns) > 0)
		return atoi(columns) < 1000 ? atoi(columns) : 1000;
	return 80;
}

int print_open(struct print *p, const struct options *o)
{
	*p = (struct print){ .out = stdout, .path = o->output, .format = o->format };
	p->look = (struct render_options){
		.order = o->order,
		.top = o->top,
		.utf8 = print_utf8(o),
		.color = print_color(o),
		.verbose = o->verbose,
		.width = print_width(o),
		.fold = terminal(o),
	};
	if (o->output)
		p->out = fopen(o->output, "we");
	if (!p->out) {
		say_error("%s: %s", o->output, strerror(errno));
		return KM_USAGE;
	}
	if (o->html)
		p->html = html_open(o->html);
	return !o->html || p->html ? KM_OK : KM_USAGE;
}

/* Says so the first time. */
static bool failed(struct print *p)
{
	if (p->error || (!fflush(p->out) && !ferror(p->out)))
		return p->error;
	p->error = errno;
	if (p->error != EPIPE)
		say_error("cannot write the report to %s: %s", p->path ? p->path : "stdout", strerror(errno));
	return true;
}

bool print_report(struct print *p, const struct report *r)
{
	p->format->write(p->out, r, &p->look);
	if (p->html)
		html_report(p->html, r, &p->look);
	p->look.written++;
	return !failed(p);
}

int print_close(struct print *p)
{
	int status = KM_OK;

	if (!p->out)
		return KM_OK;
	if (failed(p) && p->error != EPIPE)
		status = KM_USAGE;
	if (p->path && fclose(p->out) && status == KM_OK) {
		say_error("%s: %s", p->path, strerror(errno));
		status = KM_USAGE;
	}
	p->out = NULL;
	if (p->html && html_close(p->html) != KM_OK)
		status = KM_USAGE;
	p->html = NULL;
	return status;
}
