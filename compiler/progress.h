/* SPDX-License-Identifier: GPL-2.0 */
/*
 * progress.h: one line on the terminal about work that takes longer than a second: what it is and for how long it has run, with
 * how many of how many where that is known. It comes after the first second, and goes without a trace when the work ends.
 *
 * Compiler and console both use it, and it knows of neither. Without progress_allow(true) nothing here does anything.
 */
#ifndef KM_PROGRESS_H
#define KM_PROGRESS_H

#include <stdbool.h>

/* May there be such lines? Only where stderr is a terminal that can erase them. */
void progress_allow(bool wanted);

/*
 * Work begins, and ends; in between there may be work within it, which takes over the line until it ends. @what stays the caller's
 * and valid as long. While there is work a thread waits for the second to pass, which takes no signals.
 */
void progress_begin(const char *what);
void progress_end(void);

/* So many of so many are done, of the work begun last. From any thread. */
void progress_count(unsigned long done, unsigned long all);

/* Before anything else is written to the terminal: take the line away; it comes back. */
void progress_hide(void);

#endif /* KM_PROGRESS_H */
