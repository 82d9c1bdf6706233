/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html.h: reports as one page for a browser (--html): a file that holds all it needs, and asks nothing of any network.
 */
#ifndef KM_HTML_H
#define KM_HTML_H

#include "console/render.h"

struct html;

/* NULL after saying why there can be no such file: it cannot be written there, or what draws it is not here. */
struct html *html_open(const char *path);

/* One more report. What cannot be kept is said once, here, and makes html_close fail. */
void html_report(struct html *h, const struct report *r, const struct render_options *look);

/*
 * Write the page, of all reports and of what they add up to, and end. The file is there as a whole or as it was; without any
 * report it is not touched. KM_OK, or KM_USAGE where it could not be written (said).
 */
int html_close(struct html *h);

#endif /* KM_HTML_H */
