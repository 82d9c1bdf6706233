// SPDX-License-Identifier: GPL-2.0
/*
 * screen.c: ncurses, and the few escape sequences of page.c turned into its attributes.
 */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "console/say.h"
#include "console/screen.h"

static SCREEN *terminal;
static FILE *kept;		/* what was said meanwhile */
static int own_stderr = -1;

enum { CYAN = 1, RED };

/* ncurses writes wide characters as the locale says; a rescue system may have none but the C library's own. */
static bool speaks_utf8(void)
{
	if (setlocale(LC_CTYPE, "") && !strcmp(nl_langinfo(CODESET), "UTF-8"))
		return true;
	return setlocale(LC_CTYPE, "C.UTF-8") && !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static void keep_stderr(void)
{
	fflush(stderr);
	kept = tmpfile();
	own_stderr = kept ? dup(STDERR_FILENO) : -1;
	if (own_stderr >= 0)
		dup2(fileno(kept), STDERR_FILENO);
}

static void give_stderr_back(void)
{
	char buf[4096];
	size_t n;

	if (own_stderr >= 0) {
		fflush(stderr);
		dup2(own_stderr, STDERR_FILENO);
		close(own_stderr);
		own_stderr = -1;
	}
	if (!kept)
		return;
	rewind(kept);
	while ((n = fread(buf, 1, sizeof(buf), kept)))
		fwrite(buf, 1, n, stderr);
	fclose(kept);
	kept = NULL;
}

bool screen_possible(void)
{
	int found;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		say_error("--live needs a terminal; -i TIME reports again and again to anything");
		return false;
	}
	if (setupterm(NULL, STDOUT_FILENO, &found) == OK) {
		del_curterm(cur_term);		/* screen_open has one of its own */
		return true;
	}
	say_error("--live: TERM=%s is no terminal that is known here", getenv("TERM") ? getenv("TERM") : "");
	say_hint("TERM=linux or TERM=vt100 may do");
	return false;
}

bool screen_open(struct render_options *look)
{
	static bool registered;

	look->utf8 &= speaks_utf8();
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal) {
		say_error("--live: the terminal does not answer as %s should", getenv("TERM"));
		return false;
	}
	if (!registered)
		atexit(screen_close);
	registered = true;
	set_escdelay(25);
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	curs_set(0);
	look->color &= has_colors();
	if (look->color) {
		start_color();
		use_default_colors();
		init_pair(CYAN, COLOR_CYAN, -1);
		init_pair(RED, COLOR_RED, -1);
	}
	keep_stderr();
	screen_lines(look);
	return true;
}

void screen_close(void)
{
	if (!terminal)
		return;
	endwin();
	delscreen(terminal);
	terminal = NULL;
	give_stderr_back();
}

int screen_lines(struct render_options *look)
{
	look->width = COLS;
	return LINES;
}

/* The attribute for what stands between ESC [ and m. */
static attr_t attribute(const char *code, short *pair)
{
	*pair = 0;
	if (!strncmp(code, "1;31m", 5)) {
		*pair = RED;
		return A_BOLD;
	}
	if (!strncmp(code, "36m", 3))
		*pair = CYAN;
	return !strncmp(code, "1m", 2) ? A_BOLD : !strncmp(code, "2m", 2) ? A_DIM : A_NORMAL;
}

/* A line up to its end, from column 0; what does not fit is left out. Returns what is behind it. */
static const char *paint_line(int y, const char *text, attr_t bar)
{
	attr_t on = A_NORMAL;
	short pair = 0;
	int x = 0;

	attr_set(bar, 0, NULL);
	if (bar)
		mvhline(y, 0, ' ' | bar, COLS);
	while (*text && *text != '\n') {
		const char *end = text;

		if (!strncmp(text, "\033[", 2)) {
			on = attribute(text + 2, &pair);
			text += strcspn(text, "m");
			text += *text == 'm';
			continue;
		}
		do		/* a character with its further bytes */
			end++;
		while ((*end & 0xc0) == 0x80);
		if (x < COLS) {
			attr_set(bar ? bar : on, bar ? 0 : pair, NULL);
			mvaddnstr(y, x++, text, end - text);
		}
		text = end;
	}
	return text + (*text == '\n');
}

void screen_paint(const char *text)
{
	int y;

	erase();
	for (y = 0; y < LINES && *text; y++)
		text = paint_line(y, text, !y || y == LINES - 1 ? A_REVERSE : A_NORMAL);
	refresh();
}

int screen_key(void)
{
	static const struct { int curses, key; } keys[] = {
		{ KEY_UP, SCREEN_UP }, { KEY_DOWN, SCREEN_DOWN }, { KEY_PPAGE, SCREEN_PAGE_UP }, { KEY_NPAGE, SCREEN_PAGE_DOWN },
		{ KEY_HOME, SCREEN_HOME }, { '\t', SCREEN_NEXT }, { KEY_RIGHT, SCREEN_NEXT }, { KEY_LEFT, SCREEN_PREVIOUS },
		{ KEY_BTAB, SCREEN_PREVIOUS }, { KEY_RESIZE, SCREEN_RESIZED },
	};
	int c = getch();
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (c == keys[i].curses)
			return keys[i].key;
	return c < 0 || c > 255 ? SCREEN_NONE : c;
}
