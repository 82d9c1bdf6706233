// SPDX-License-Identifier: GPL-2.0
/*
 * html.c: the page of --html: the reports as JSON (render_json.c), and the code and style that show them (html/), in one file.
 *
 * Texts of the kernel, of users and of scripts are in the page as JSON alone, in which '<' is escaped: nothing in them can end
 * the element that holds them. A policy in the page forbids every request, and every code but the pieces that bear the
 * page's own number.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/beside.h"
#include "compiler/compile.h"
#include "compiler/text.h"
#include "console/html.h"
#include "console/say.h"

/* In this order; the first is what draws. It is not ours, and made by `make assets`: in a build tree it lies elsewhere. */
static const char *const codes[] = { "echarts.min.js", "numbers.js", "charts.js", "tables.js", "report.js" };

enum { CODES = sizeof(codes) / sizeof(*codes) };

struct html {
	char *path;
	char *style, *licence, *code[CODES];
	FILE *kept;			/* the reports, a line each */
	unsigned int reports;
	struct report all;		/* what they add up to; what each of them says itself is left out */
	struct snapshot **total;
	char *boot;			/* of the first; in another one, addresses are others */
	bool failed;
	struct render_options look;
};

/* ---- what the page is made of ---- */

static char *part(const char *name)
{
	char *in_html = say_text("html/%s", name), *in_build = say_text("build/assets/%s", name);
	char *path = beside_find(in_html), *text = NULL;

	if (!path)
		path = beside_find(in_build);
	if (path)
		text = text_of_file(path, NULL);
	free(path);
	free(in_build);
	free(in_html);
	return text;
}

static bool find_parts(struct html *h)
{
	char *folder;
	size_t i;

	h->style = part("report.css");
	for (i = 0; i < CODES; i++)
		h->code[i] = part(codes[i]);
	h->licence = part("echarts.txt");
	if (!h->code[0] || !h->licence) {
		say_error("--html: what draws the charts is not here (Apache ECharts)");
		say_hint("in kmeter's source tree, `make assets` fetches it; `make install` then takes it along");
		folder = beside_find("html");
		say_hint("packages have none: copy build/assets/* from there to %s, or save the report by --json and let kmeter show "
			 "--html make the page where it is", folder ? folder : "PREFIX/share/kmeter/html");
		free(folder);
		return false;
	}
	for (i = 0; i < CODES; i++) {
		if (h->style && h->code[i] && !strcasestr(h->code[i], "</script") && !strstr(h->code[i], "<!--"))
			continue;
		say_error("--html: html/%s is not what kmeter came with: install it again", codes[i]);
		return false;
	}
	return true;
}

/* A new file beside the report, which no one else can have; its name is to be freed. */
static FILE *beside(const struct html *h, char **name)
{
	FILE *f = NULL;
	int fd;

	*name = say_text("%s.XXXXXX", h->path);
	fd = mkostemp(*name, O_CLOEXEC);
	if (fd >= 0)
		f = fdopen(fd, "w+");
	if (!f)
		say_error("%s: %s", h->path, strerror(errno));
	return f;
}

static void free_html(struct html *h)
{
	size_t i;

	for (i = 0; i < h->all.n && h->total; i++)
		snapshot_free(h->total[i]);
	free(h->total);
	free(h->boot);
	if (h->kept)
		fclose(h->kept);
	for (i = 0; i < CODES; i++)
		free(h->code[i]);
	free(h->licence);
	free(h->style);
	free(h->path);
	free(h);
}

struct html *html_open(const char *path)
{
	struct html *h = say_calloc(1, sizeof(*h));
	struct stat st;
	char *name;

	h->path = realpath(path, NULL);		/* through a link, which stays one */
	if (!h->path)
		h->path = say_strdup(path);
	if (!stat(h->path, &st) && !S_ISREG(st.st_mode)) {
		say_error("--html %s: it takes the place of a file, and this is none", path);
		goto bad;
	}
	if (!find_parts(h))
		goto bad;
	h->kept = beside(h, &name);
	if (h->kept)
		unlink(name);	/* gone with us, whatever ends us */
	free(name);
	if (h->kept)
		return h;
bad:
	free_html(h);
	return NULL;
}

/* ---- reports ---- */

/* A line of JSON in which nothing can be taken for HTML. */
static void put_json(FILE *out, const struct report *r, const struct render_options *look)
{
	char *text = NULL, *p;
	size_t size = 0;
	FILE *line = open_memstream(&text, &size);

	if (line) {
		render_json.write(line, r, look);
		fclose(line);
	}
	if (!text)
		say_out_of_memory();
	for (p = text; *p; p++) {
		if (*p == '<')
			fputs("\\u003c", out);
		else
			putc(*p, out);
	}
	free(text);
}

static bool same_boot(const struct html *h, const struct report *r)
{
	return h->boot && r->boot ? !strcmp(h->boot, r->boot) : !h->boot && !r->boot;
}

/* The same measurements as before? Else there is nothing that all reports add up to. */
static void add_up(struct html *h, const struct report *r)
{
	size_t i;

	h->all.seconds += r->seconds;
	h->all.taken = r->taken;
	if (h->reports == 1) {
		h->boot = r->boot ? say_strdup(r->boot) : NULL;
		h->all.n = r->n;
		h->total = say_calloc(r->n, sizeof(*h->total));
		for (i = 0; i < r->n; i++)
			h->total[i] = snapshot_copy(r->snapshots[i]);
		return;
	}
	for (i = 0; h->total && i < h->all.n; i++)
		if (r->n != h->all.n || !same_boot(h, r) || !snapshot_add(h->total[i], r->snapshots[i]))
			break;
	if (!h->total || i == h->all.n)
		return;
	for (i = 0; i < h->all.n; i++)
		snapshot_free(h->total[i]);
	free(h->total);
	h->total = NULL;
}

void html_report(struct html *h, const struct report *r, const struct render_options *look)
{
	if (h->failed)
		return;
	h->reports++;
	h->look = *look;
	put_json(h->kept, r, look);
	if (fflush(h->kept)) {
		say_error("cannot keep the reports for %s: %s", h->path, strerror(errno));
		h->failed = true;
		return;
	}
	add_up(h, r);
}

/* ---- the page ---- */

static void put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else
			putc(*text, out);
	}
}

static json_t *sentences(const struct figures_sentence *s)
{
	json_t *o = json_object();

	for (; s->text; s++)
		json_object_set_new(o, figures_terms[s->term], json_string(s->text));
	return o;
}

/* What the text report says of losses, and of measurements without samples: {"losses": {TERM: SENTENCE, ...}, "empty": {...}}. */
static void put_words(FILE *out)
{
	json_t *words = json_pack("{so so}", "losses", sentences(figures_losses), "empty", sentences(figures_empty));

	json_dumpf(words, out, JSON_COMPACT);
	json_decref(words);
}

/* What the page's own pieces of code bear, and nobody could have known. */
static void make_number(char *text, size_t size)
{
	uint64_t number[2] = { 0 };

	if (getrandom(number, sizeof(number), 0) != sizeof(number))
		number[0] = (uintptr_t)text;
	snprintf(text, size, "%016" PRIx64 "%016" PRIx64, number[0], number[1]);
}

static void put_page(struct html *h, FILE *out)
{
	char number[40];
	size_t i;
	int c;

	make_number(number, sizeof(number));
	fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
		"img-src data:; style-src 'unsafe-inline'; script-src 'nonce-%s'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"kmeter %s\">\n"
		"<link rel=\"icon\" href=\"data:,\">\n<title>kmeter</title>\n<style>\n%s</style>\n</head>\n<body>\n<main id=\"page\">"
		"<noscript>This report is drawn by its own code: let the browser run it.</noscript></main>\n",
		number, KMETER_VERSION, h->style);
	fputs("<footer><details><summary>The charts are drawn by Apache ECharts: its licence</summary>\n<pre>\n", out);
	put_text(out, h->licence);
	fputs("</pre></details></footer>\n<script type=\"application/json\" id=\"words\">", out);
	put_words(out);
	fputs("</script>\n<script type=\"application/x-ndjson\" id=\"reports\">\n", out);
	rewind(h->kept);
	while ((c = getc(h->kept)) != EOF)
		putc(c, out);
	fputs("</script>\n<script type=\"application/json\" id=\"total\">", out);
	if (h->reports > 1 && h->total) {
		h->all.snapshots = h->total;
		put_json(out, &h->all, &h->look);
	}
	fputs("</script>\n", out);
	for (i = 0; i < CODES; i++)
		fprintf(out, "<script nonce=\"%s\">\n%s\n</script>\n", number, h->code[i]);
	fputs("</body>\n</html>\n", out);
}

/* As any file that a program makes; mkostemp's are for their owner alone. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static bool write_page(struct html *h)
{
	char *name;
	FILE *out = beside(h, &name);
	bool good = false;

	if (!out)
		goto end;
	put_page(h, out);
	good = !ferror(h->kept) && !fflush(out) && !ferror(out) && !fchmod(fileno(out), usual_mode()) && !fsync(fileno(out));
	good = !fclose(out) && good;
	good = good && !rename(name, h->path);
	if (!good) {
		say_error("cannot write %s: %s", h->path, strerror(errno));
		unlink(name);
	}
end:
	free(name);
	return good;
}

int html_close(struct html *h)
{
	bool good = !h->failed;

	if (good && h->reports)
		good = write_page(h);
	free_html(h);
	return good ? KM_OK : KM_USAGE;
}
