// SPDX-License-Identifier: GPL-2.0
/*
 * live.c: ticks and keys. What is shown comes from the kernel or from a file; how it looks, live_frame.c says.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console/live.h"
#include "console/live_frame.h"
#include "console/say.h"
#include "console/screen.h"
#include "console/stay.h"

#define TICK_LEAST	100000000ULL
#define TICK_DEFAULT	1000000000ULL
#define TICK_MOST	60000000000ULL

struct live {
	/* where ticks come from */
	struct series *series;			/* the kernel, or */
	const struct saved *saved;		/* a file */
	const char *path;
	size_t next;				/* of its reports */

	struct snapshot **before;		/* the kernel's, at the last tick */
	struct snapshot **last;			/* what came since; of a file, its own */
	struct snapshot **all;
	size_t n;
	struct live_history *history;
	uint64_t ticked, interval;
	double last_seconds, all_seconds;

	struct live_view view;
	struct render_options look;
	const char *source;
	char *said;
	bool frozen;
};

/* ---- ticks ---- */

static void drop(struct live *l)
{
	if (l->series && l->last)
		stay_free(l->last, l->n);
	if (l->all)
		stay_free(l->all, l->n);
	l->last = l->all = NULL;
}

/* False after saying that there is nothing to read any more. */
static bool tick_kernel(struct live *l)
{
	struct snapshot **now = series_take(l->series), *const *base = l->series->base;
	uint64_t when = session_now();

	if (!now)
		return false;
	drop(l);
	l->n = l->series->n;
	l->last = series_since(l->series, now, l->before ? l->before : base);
	l->all = series_since(l->series, now, base);
	l->source = series_report(l->last, l->n).release;
	series_report(l->all, l->n);
	if (l->before)
		stay_free(l->before, l->n);
	l->before = now;
	l->last_seconds = (when - l->ticked) / 1e9;
	l->all_seconds = (when - l->series->begun) / 1e9;
	l->ticked = when;
	return true;
}

/* The next report of the file, and all up to there as one. */
static bool tick_file(struct live *l)
{
	const struct report *r = &l->saved->report[l->next++];
	const char *boot = l->saved->report->boot;	/* in another one addresses are others */
	bool good = !l->all || (r->n == l->n && (r->boot && boot ? !strcmp(r->boot, boot) : r->boot == boot));
	size_t i;

	if (!l->all) {
		l->n = r->n;
		l->all = say_calloc(l->n, sizeof(*l->all));
		for (i = 0; i < l->n; i++)
			l->all[i] = snapshot_copy(r->snapshots[i]);
	} else {
		for (i = 0; i < l->n && good; i++)
			good = snapshot_add(l->all[i], r->snapshots[i]);
	}
	if (!good || !l->n) {
		say_error("%s: report %zu is not of the same measurements and boot as those before it, or of none: kmeter show tells them one by one",
			  l->path, l->next);
		return false;
	}
	l->last = (struct snapshot **)r->snapshots;
	l->last_seconds = r->seconds;
	l->all_seconds += r->seconds;
	l->source = l->path;
	return true;
}

static bool tick(struct live *l)
{
	size_t i;

	if (!(l->series ? tick_kernel(l) : tick_file(l)))
		return false;
	if (!l->history)
		l->history = say_calloc(l->n, sizeof(*l->history));
	for (i = 0; i < l->n; i++)
		live_remember(&l->history[i], l->last[i], l->last_seconds);
	return true;
}

static bool more(const struct live *l)
{
	return l->series || l->next < l->saved->n;
}

/* ---- the picture ---- */

static void paint(struct live *l)
{
	struct live_now now = { l->last, l->all, l->history, l->n, l->last_seconds, l->all_seconds, l->source, l->said, l->frozen };
	int lines = screen_lines(&l->look);
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	live_frame(f, &now, &l->view, &l->look, lines);
	fclose(f);
	screen_paint(text);
	free(text);
}

/* ---- keys ---- */

static void say(struct live *l, const char *text)
{
	free(l->said);
	l->said = say_strdup(text);
}

/* To the measurement that is seen. What it counted stays, so that the next tick tells what was meant. */
static void command(struct live *l, const char *word, const char *done)
{
	const char *name = l->all[l->view.which]->head.name;

	if (!l->series)
		say(l, "this is a file");
	else
		say(l, stay_command(name, word) ? done : "the kernel refused");
}

static void reset(struct live *l)
{
	command(l, "RESET", "reset");
	if (!l->series)
		return;
	/* of the others, too, all is told from here on */
	if (l->series->base)
		stay_free(l->series->base, l->n);
	l->series->base = NULL;
	if (l->n > 1)
		l->series->base = series_take(l->series);
	l->series->begun = session_now();
}

static void choose(struct live *l, enum live_body body)
{
	l->view.body = l->view.body == body && body >= LIVE_REPORT ? LIVE_BARS : body;
	l->view.scroll = 0;
}

static void scroll(struct live *l, int lines)
{
	if (lines < 0 && l->view.scroll < (size_t)-lines)
		l->view.scroll = 0;
	else
		l->view.scroll += lines;
}

/* False: it ends. */
static bool press(struct live *l, int key)
{
	int page = screen_lines(&l->look) / 2;

	switch (key) {
	case 'q':
		return false;
	case 's':
		if (l->all[l->view.which]->head.state == KSTATS_ARMED)
			command(l, "STOP", "stopped");
		else
			command(l, "START", "started");
		break;
	case 'r':
		reset(l);
		break;
	case 'a':
		l->view.all = !l->view.all;
		break;
	case 'h':
		choose(l, LIVE_BARS);
		break;
	case 'g':
		choose(l, LIVE_GROUPS);
		break;
	case 'c':
		choose(l, LIVE_CPUS);
		break;
	case 'i':
		choose(l, LIVE_REPORT);
		break;
	case '?':
		choose(l, LIVE_HELP);
		break;
	case 'o':
		l->view.order = (l->view.order + 1) % FIGURES_ORDERS;
		choose(l, LIVE_GROUPS);
		break;
	case ' ':
		l->frozen = !l->frozen;
		break;
	case '+':
	case '=':
		l->interval = l->interval / 2 < TICK_LEAST ? TICK_LEAST : l->interval / 2;
		break;
	case '-':
		l->interval = l->interval * 2 > TICK_MOST ? TICK_MOST : l->interval * 2;
		break;
	case SCREEN_NEXT:
	case 'n':
		l->view.which = (l->view.which + 1) % l->n;
		l->view.scroll = 0;
		break;
	case SCREEN_PREVIOUS:
	case 'p':
		l->view.which = (l->view.which + l->n - 1) % l->n;
		l->view.scroll = 0;
		break;
	case SCREEN_UP:
		scroll(l, -1);
		break;
	case SCREEN_DOWN:
		scroll(l, 1);
		break;
	case SCREEN_PAGE_UP:
		scroll(l, -page);
		break;
	case SCREEN_PAGE_DOWN:
		scroll(l, page);
		break;
	case SCREEN_HOME:
		l->view.scroll = 0;
		break;
	default:
		break;
	}
	return true;
}

/* ---- the loop ---- */

static bool follow(struct live *l, uint64_t deadline, struct session_command *c, enum session_event *event)
{
	uint64_t next = session_now() + l->interval, when;
	bool good = tick(l);
	int key;

	while (good) {
		paint(l);
		when = !l->frozen && more(l) && next < deadline ? next : deadline;
		*event = session_wait_input(when, c, STDIN_FILENO);
		if (*event == SESSION_INPUT) {
			say(l, "");
			while ((key = screen_key()) != SCREEN_NONE) {
				if (!press(l, key))
					return true;
				next = session_now() + l->interval < next ? session_now() + l->interval : next;
			}
		} else if (*event != SESSION_TIME || session_now() >= deadline) {
			return true;
		} else {
			good = tick(l);
			while (next <= session_now())
				next += l->interval;
		}
	}
	return false;
}

static bool view(struct live *l, const struct options *o, const struct print *p, uint64_t deadline, struct session_command *c,
		 enum session_event *event)
{
	bool good;

	l->look = p->look;
	l->look.color = !getenv("NO_COLOR") && o->color != COLOR_NEVER;
	l->look.verbose = false;
	l->view.order = o->order;
	l->interval = o->interval_ns ? o->interval_ns : TICK_DEFAULT;
	l->ticked = session_now();
	if (l->series && !l->series->begun)
		l->series->begun = l->ticked;
	good = screen_open(&l->look) && follow(l, deadline, c, event);
	screen_close();
	drop(l);
	if (l->before)
		stay_free(l->before, l->n);
	free(l->history);
	free(l->said);
	return good;
}

bool live_measure(const struct options *o, const struct print *p, struct series *s, uint64_t deadline, struct session_command *command,
		  enum session_event *event)
{
	struct live l = { .series = s };

	return view(&l, o, p, deadline, command, event);
}

bool live_replay(const struct options *o, const struct print *p, const char *path, const struct saved *saved)
{
	struct live l = { .saved = saved, .path = path };
	enum session_event event;

	return view(&l, o, p, UINT64_MAX, NULL, &event);
}
