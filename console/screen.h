/* SPDX-License-Identifier: GPL-2.0 */
/*
 * screen.h: a terminal as a whole (ncurses): lines of text on it, keys from it. One at a time.
 *
 * While it is open, what goes to stderr is kept, and comes when it is closed: on every way out, exit() too.
 */
#ifndef KM_SCREEN_H
#define KM_SCREEN_H

#include "console/render.h"

enum screen_key {
	SCREEN_NONE = -1,
	SCREEN_UP = 256, SCREEN_DOWN, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_HOME, SCREEN_NEXT, SCREEN_PREVIOUS,
	SCREEN_RESIZED,
};

/* Is there a terminal, of a kind that is known? False after saying what is missing; to be asked before anything begins. */
bool screen_possible(void);

/* False after saying why there is none. look's width, colour and UTF-8 become those of the terminal. */
bool screen_open(struct render_options *look);
void screen_close(void);

/* Lines, and look's width anew. */
int screen_lines(struct render_options *look);

/* Text as page.h colours it. Its first and last lines are bars; what is too wide or too long is cut off. */
void screen_paint(const char *text);

/* A key that was pressed, or SCREEN_NONE: it does not wait. Letters are themselves. */
int screen_key(void);

#endif /* KM_SCREEN_H */
