/* SPDX-License-Identifier: GPL-2.0 */
/*
 * refuse.h: why the kernel will not, and what to do about it. What ends with exit status 3 although the script is right
 * is explained here.
 */
#ifndef KM_REFUSE_H
#define KM_REFUSE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What must hold before anything is tried: root; with `insert`, that modules may be loaded at all; a debugfs. False
 * after one message with what to do. Changes nothing.
 */
bool refuse_unless_ready(bool insert);

/* Where the kernel log is now: lines that come later belong to what is done next. -1 when it cannot be read. */
int refuse_log_open(void);

/* What kstats has written there since, without "kstats: ", a line each, to be freed; NULL: nothing. Closes it. */
char *refuse_log_close(int fd);

/* One record of /dev/kmsg: where the text begins that kstats wrote in it, and its length; NULL when others wrote it. */
const char *refuse_log_text(const char *record, size_t *length);

/* Explain a failure (a positive errno) to insert the module in file `path`, called `name`, with what kstats wrote. */
void refuse_insert(const char *path, const char *name, int err, const char *log);

/* Explain a failure to remove module `name`. */
void refuse_remove(const char *name, int err);

#endif /* KM_REFUSE_H */
