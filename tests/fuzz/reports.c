// SPDX-License-Identifier: GPL-2.0
/*
 * reports.c: a file of saved reports of any contents: it is refused, or shown in every format, added to itself and compared with
 * itself. Of what is shown nothing is looked at: the sanitizers do.
 */
#include <stdlib.h>

#include "console/diff.h"
#include "console/ksyms.h"
#include "console/live_frame.h"
#include "console/merge.h"
#include "console/say.h"

static void show(FILE *out, const struct saved *saved)
{
	const char *const *name;
	struct render_options look = { .utf8 = true, .color = true, .verbose = true, .fold = true, .width = 50 };
	size_t i;

	for (name = render_names(); *name; name++)
		for (i = 0; i < saved->n; i++)
			render_find(*name)->write(out, &saved->report[i], &look);
}

static void frame(FILE *out, const struct report *r)
{
	static struct live_history history[64];
	struct live_now now = { .last = r->snapshots, .all = r->snapshots, .history = history, .n = r->n, .source = "" };
	struct render_options look = { .utf8 = true, .width = 80 };
	struct live_view view = { 0 };
	size_t i;

	for (i = 0; i < r->n && i < 64; i++) {
		live_remember(&history[i], r->snapshots[i], r->seconds);
		view.which = i;
		for (view.body = LIVE_BARS; view.body < LIVE_HELP; view.body++)
			live_frame(out, &now, &view, &look, 24);
	}
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static FILE *null;
	struct merge_file file[2] = { { .path = "a" }, { .path = "b" } };
	struct report all = { 0 };
	size_t i;

	if (!null) {
		null = fopen("/dev/null", "w");
		ksyms_replace(ksyms_parse(say_strdup("")));
		say_set(true, false);
	}
	if (!size || !null)	/* fmemopen takes no nothing */
		return 0;
	for (i = 0; i < 2; i++)
		if (!saved_parse(file[i].path, (const char *)data, size, &file[i].saved))
			goto end;
	show(null, &file[0].saved);
	frame(null, &file[0].saved.report[0]);
	if (merge_files(file, 2, &all)) {
		struct diff_side side[2] = { { "a", &all }, { "b", &file[0].saved.report[0] } };
		struct print p = { .out = null, .look = { .width = 80 } };
		struct options none = { 0 };

		show(null, &(struct saved){ &all, 1 });
		for (i = 0; i < 2; i++) {
			p.format = i ? &render_json : &render_text;
			diff_reports(&p, &none, side);
		}
	}
	saved_free_report(&all);
end:
	for (i = 0; i < 2; i++)
		saved_free(&file[i].saved);
	return 0;
}
