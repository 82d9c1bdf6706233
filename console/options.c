// SPDX-License-Identifier: GPL-2.0
/*
 * options.c: the command line. One table has every option with its help and the verbs that it is for; --help, getopt's
 * arrays and the check that an option fits its verb all come from it.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "console/buckets.h"
#include "console/library.h"
#include "console/options.h"
#include "console/saved.h"
#include "console/say.h"
#include "console/serve.h"

/* ---- the tables ---- */

#define V(verb)		(1u << VERB_##verb)
#define SCRIPTS		(V(RUN) | V(CHECK) | V(BUILD) | V(LOAD))
#define LOOKS		(V(RUN) | V(CHECK) | V(BUILD) | V(POINTS) | V(LIBRARY))
#define REPORTS		(V(RUN) | V(SHOW) | V(MERGE))
#define STAYING		(V(START) | V(STOP) | V(RESET) | V(UNLOAD))
#define ANY		(~0u)

static const struct verb_spec verbs[VERBS] = {
	[VERB_RUN] = { "run", "SCRIPT [PARAM=V...]", "measure: with a script, or a module built from one (X.ko)" },
	[VERB_CHECK] = { "check", "SCRIPT", "only check the script; no kernel is touched (= --dry-run)" },
	[VERB_BUILD] = { "build", "-o X.ko SCRIPT", "make the module; with --runtime, kstats.ko" },
	[VERB_LOAD] = { "load", "SCRIPT", "begin to measure, and leave that in the kernel, without a process" },
	[VERB_LIST] = { "list", "", "what is being measured, and by whom" },
	[VERB_SHOW] = { "show", "[FILE.json...] [NAME...]", "a report of it; of files: what was reported then" },
	[VERB_MERGE] = { "merge", "FILE.json...", "add up saved reports, of one machine or many, exactly (JSON, unless -F says else)" },
	[VERB_DIFF] = { "diff", "A.json B.json [NAME...]", "two saved reports side by side; status 1 when a percentile has moved" },
	[VERB_START] = { "start", "NAME...", "go on" },
	[VERB_STOP] = { "stop", "NAME...", "pause: nothing is counted, nothing executes" },
	[VERB_RESET] = { "reset", "NAME...", "begin from zero" },
	[VERB_UNLOAD] = { "unload", "NAME|FILE.km...|--all",
			  "end it; --all also removes what a killed kmeter left, and kstats" },
	[VERB_FLOOR] = { "floor", "", "what each mechanism costs on this machine, and the least that it can show" },
	[VERB_SERVE] = { "serve", "[FILE.json] [NAME...]", "to Prometheus, over HTTP or by a file, all that is measured" },
	[VERB_LIBRARY] = { "library", "[PATTERN...]", "the scripts that come with kmeter, their parameters, and which run here" },
	[VERB_PAGE] = { "help", "SCRIPT...", "what one of them shows, and how to read it" },
	[VERB_POINTS] = { "-l", NULL, NULL },
	[VERB_HELP] = { "--help", NULL, NULL },
	[VERB_VERSION] = { "version", NULL, NULL },
};

enum { OPT_JSON = 256, OPT_HTML, OPT_SORT, OPT_TOP, OPT_SYSROOT, OPT_GUEST, OPT_DUMP, OPT_MAX_MEMORY, OPT_NO_CACHE, OPT_COLOR, OPT_ASCII,
       OPT_LISTEN, OPT_TLS_CERT, OPT_TLS_KEY, OPT_TOKEN_FILE, OPT_TEXTFILE, OPT_BUCKETS, OPT_GROUPS, OPT_DRY_RUN, OPT_RUNTIME, OPT_ALL, OPT_TOLERANCE, OPT_BEYOND_CHANCE, OPT_LIVE, OPT_EACH, OPT_NOT_YET };

static const char *const stages[] = { "ast", "plan", "c", NULL };
static const char *const colors[] = { "auto", "always", "never", NULL };

static const struct option_spec options[] = {
	{ 'e', "execute", "SCRIPT", SCRIPTS, "a script; may be repeated", .value = OPTION_SCRIPT },
	{ 'c', "command", "CMD", V(RUN), "run CMD by the shell, measure until it ends; its status is printed", .value = OPTION_ANY },
	{ 'd', "duration", "TIME", V(RUN), "measure that long: 10, 500ms, 1.5s, 2m (default: until Ctrl-C)", .value = OPTION_ANY },
	{ 'i', "interval", "TIME", V(RUN) | V(SHOW) | V(SERVE), "report that often, each time what came since the last one", .value = OPTION_ANY },
	{ 'n', "reports", "N", V(RUN), "end after N reports (every second without -i)", .value = OPTION_ANY },
	{ 'w', "warmup", "TIME", V(RUN), "leave out what comes in the first TIME", .value = OPTION_ANY },
	{ OPT_LIVE, "live", NULL, V(RUN) | V(SHOW), .help = "a view that follows it and takes keys (? shows them); -i: how often" },
	{ 'o', "output", "FILE", REPORTS | V(DIFF) | V(BUILD) | V(CHECK) | V(POINTS) | V(FLOOR), "write there (of build: the module)", .value = OPTION_FILE },
	{ 'F', "format", "FORMAT", REPORTS | V(DIFF), "", .value = OPTION_FORMAT },
	{ OPT_JSON, "json", NULL, REPORTS | V(DIFF), .help = "-F json" },
	{ OPT_TOLERANCE, "tolerance", "PERCENT", V(DIFF), "what moved by no more than that has not moved", .value = OPTION_ANY },
	{ OPT_BEYOND_CHANCE, "beyond-chance", NULL, V(DIFF), .help = "nor what chance alone may have moved (99.9%)" },
	{ OPT_HTML, "html", "FILE", REPORTS, "a page for a browser beside the report: charts, all in this one file", .value = OPTION_FILE },
	{ OPT_SORT, "sort", "ORDER", REPORTS, "groups of `by`: total (default), count, mean, max, p99", .value = OPTION_WORD, .words = figures_orders },
	{ OPT_TOP, "top", "N", REPORTS | V(DIFF), "so many of them (as the script says, else 20)", .value = OPTION_ANY },
	{ OPT_LISTEN, "listen", "ADDRESS:PORT", V(SERVE), "where to serve (127.0.0.1:9978; [::1]:9978, 0.0.0.0:9978)", .value = OPTION_ANY },
	{ OPT_TLS_CERT, "tls-cert", "FILE", V(SERVE), "encrypted, with this certificate (PEM, its chain behind it) ...", .value = OPTION_FILE },
	{ OPT_TLS_KEY, "tls-key", "FILE", V(SERVE), "... and its key", .value = OPTION_FILE },
	{ OPT_TOKEN_FILE, "token-file", "FILE", V(SERVE), "only to who sends the token in this file (Authorization: Bearer)", .value = OPTION_FILE },
	{ OPT_TEXTFILE, "textfile", "FILE.prom", V(SERVE), "for node_exporter: write there, each -i TIME (15s)", .value = OPTION_FILE },
	{ OPT_BUCKETS, "buckets", "N", V(SERVE), "of a histogram, at most (106: times have four a power of two)", .value = OPTION_ANY },
	{ OPT_GROUPS, "groups", "N", V(SERVE), "of a measurement, at most, that have series (100); the others are one", .value = OPTION_ANY },
	{ 'l', "list", "PATTERN", V(POINTS), "list the points that can be probed: 'vfs_*', 'tp:sched:*', 'syscall:*'", .value = OPTION_POINTS },
	{ 'L', "list-verbose", "PATTERN", V(POINTS), "with their arguments, mechanisms, and why others cannot be", .value = OPTION_POINTS },
	{ 'r', "release", "RELEASE", SCRIPTS | V(POINTS) | V(LIBRARY), "the kernel to build for (default: the running one)", .value = OPTION_RELEASE },
	{ OPT_SYSROOT, "sysroot", "DIR", LOOKS, "where that kernel's file system lies", .value = OPTION_FOLDER },
	{ OPT_GUEST, "guest", "[=K]", LOOKS | V(FLOOR),
	  "on a throw-away virtual machine with kernel K (6.1, 6.12, ...)", .value = OPTION_KERNEL },
	{ OPT_DUMP, "dump", "STAGE", SCRIPTS, "show the ast, plan or c of the script, and end", .value = OPTION_WORD, .words = stages },
	{ OPT_DRY_RUN, "dry-run", NULL, V(RUN) | V(CHECK), .help = NULL },
	{ OPT_RUNTIME, "runtime", NULL, V(BUILD), .help = NULL },
	{ OPT_ALL, "all", NULL, STAYING, .help = NULL },
	{ OPT_EACH, "each", NULL, V(CHECK) | V(BUILD) | V(LOAD),
	  .help = "many scripts, or folders of them, each by itself: one that cannot be stops no other" },
	{ OPT_MAX_MEMORY, "max-memory", "SIZE", SCRIPTS, "of the kernel's, at most: 64M, 1G (5 percent of the machine's)", .value = OPTION_ANY },
	{ OPT_NO_CACHE, "no-cache", NULL, SCRIPTS, .help = "build anew what was built before" },
	{ OPT_COLOR, "color", "WHEN", REPORTS | V(DIFF) | V(LIST), "auto, always or never", .value = OPTION_WORD, .words = colors },
	{ OPT_ASCII, "ascii", NULL, REPORTS | V(DIFF) | V(LIST), .help = "no UTF-8 in reports" },
	{ 'q', "quiet", NULL, ANY, .help = "no notes on stderr" },
	{ 'v', "verbose", NULL, ANY, .help = "say what is done; details in reports" },
	{ 'V', "version", NULL, ANY, .help = NULL },
	{ 'h', "help", NULL, ANY, .help = "this text" },
	/* reserved (docs/DESIGN): their letters must not come to mean something else */
	{ 'p', "pid", "PID", ANY, NULL, .value = OPTION_RESERVED },
	{ 'f', "follow", NULL, ANY, NULL, .value = OPTION_RESERVED },
	{ 'C', "cpus", "CPUS", ANY, NULL, .value = OPTION_RESERVED },
	{ OPT_NOT_YET, "sign-key", "FILE", ANY, NULL, .value = OPTION_RESERVED },
};

enum { NOPTIONS = sizeof(options) / sizeof(*options) };

/* Words that other tools' users type: what they are here. NULL: a verb that is reserved. */
static const struct { const char *typed, *answer; } habits[] = {
	{ "-x", "stap's -x PID is -p PID here" },
	{ "-T", "stap's -T SECONDS is -d SECONDS here" },
	{ "-t", "-d SECONDS says how long" },
	{ "-I", "perf's -I is -i here, in seconds (or -i 500ms)" },
	{ "-a", "all CPUs are measured anyway" },
	{ "-j", "use --json" },
	{ "-m", "units are scaled by themselves; in scripts, `bits`, `unit` and `range` set the scale" },
	{ "-u", "units are scaled by themselves; in scripts, `bits`, `unit` and `range` set the scale" },
	{ "-g", "every script is safe, there is no guru mode" },
	{ "--timeout", "-d SECONDS says how long" },
	{ "--include", "there is no preprocessor" },
	{ "--unsafe", "every script is safe, there is no unsafe mode" },
};

static const char *const later_verbs[] = { "features", NULL };

const struct verb_spec *options_verb(enum verb verb)
{
	return &verbs[verb];
}

const struct option_spec *options_spec(size_t i)
{
	return i < NOPTIONS ? &options[i] : NULL;
}

bool options_takes_scripts(enum verb verb)
{
	return 1u << verb & SCRIPTS;
}

/* ---- values ---- */

bool options_time(const char *text, uint64_t *ns)
{
	static const struct { const char *unit; double ns; } units[] = {
		{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 }, { "m", 60e9 }, { "h", 3600e9 },
	};
	double v;
	char *end;
	size_t i;

	if (!strchr("0123456789.", *text) || !*text)	/* neither blanks, signs, nan nor inf */
		return false;
	v = strtod(text, &end);
	for (i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(end, units[i].unit))
			continue;
		v *= units[i].ns;
		if (!(v >= 1 && v < 1e18))	/* 31 years: 64 bits stay far away */
			return false;
		*ns = v;
		return true;
	}
	return false;
}

static bool number(const char *text, unsigned long most, unsigned long *n)
{
	char *end;

	errno = 0;
	*n = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *n >= 1 && *n <= most;
}

static int index_of(const char *word, const char *const *words)
{
	int i;

	for (i = 0; words[i]; i++)
		if (!strcmp(word, words[i]))
			return i;
	return -1;
}

/* ---- messages ---- */

static const char *written(const struct option_spec *s, char *buf, size_t size)
{
	if (s->id < 256)
		snprintf(buf, size, "-%c", s->id);
	else
		snprintf(buf, size, "--%s", s->name);
	return buf;
}

static int wrong_value(const struct option_spec *s, const char *value, const char *meant)
{
	char buf[32];

	say_error("%s %s: %s", written(s, buf, sizeof(buf)), value, meant);
	return KM_USAGE;
}

/* "text, json". To be freed. */
static char *listed(const char *const *words)
{
	char *list = say_strdup(""), *longer;
	size_t i;

	for (i = 0; words[i]; i++) {
		longer = say_text("%s%s%s", list, i ? ", " : "", words[i]);
		free(list);
		list = longer;
	}
	return list;
}

static int one_of(const struct option_spec *s, const char *value, const char *const *words)
{
	const char *near = say_nearest(value, words);
	char *list = listed(words), buf[32];

	say_error("%s %s: it is one of %s%s%s%s", written(s, buf, sizeof(buf)), value, list,
		  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	free(list);
	return KM_USAGE;
}

static bool answer_habit(const char *typed)
{
	size_t i;

	for (i = 0; i < sizeof(habits) / sizeof(*habits); i++) {
		if (!strcmp(typed, habits[i].typed)) {
			say_error("there is no option %s: %s", typed, habits[i].answer);
			return true;
		}
	}
	return false;
}

static int unknown_option(const char *typed)
{
	const char *names[NOPTIONS + 1], *near;
	size_t length = strcspn(typed, "="), i;
	char *word = say_text("%.*s", (int)length, typed);

	if (answer_habit(word))
		goto done;
	for (i = 0; i < NOPTIONS; i++)
		names[i] = options[i].name;
	names[i] = NULL;
	near = !strncmp(word, "--", 2) ? say_nearest(word + 2, names) : NULL;
	if (near)
		say_error("there is no option %s; did you mean --%s?", word, near);
	else
		say_error("there is no option %s; kmeter --help lists them", word);
done:
	free(word);
	return KM_USAGE;
}

bool options_is_folder(const char *path)
{
	struct stat st;

	return path && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && !strcmp(text + n - m, end);
}

/* NAME=VALUE with a name as the language has them. */
static bool is_assignment(const char *word)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
	size_t length = strspn(word, letters);

	return length && word[length] == '=' && !strchr("0123456789", *word);
}

static int unknown_verb(const struct options *o, const char *word)
{
	const char *names[VERBS + 1], *near;
	int i;

	if (index_of(word, later_verbs) >= 0) {
		say_error("not yet: kmeter %s comes in a later version", word);
		return KM_USAGE;
	}
	for (i = 0; i < VERBS; i++)
		names[i] = verbs[i].name;
	names[i] = NULL;
	near = say_nearest(word, names);
	if (o->guest && !o->guest_kernel && *word >= '0' && *word <= '9')
		say_error("the guest's kernel is written with an equals sign: --guest=%s", word);
	else if (ends_in(word, ".km") || ends_in(word, ".ko"))
		say_error("say what to do with %s: kmeter run %s", word, word);
	else if (is_assignment(word))
		say_error("a parameter follows a verb: kmeter run -e SCRIPT %s", word);
	else if (!strncmp(word, "measure ", 8) || !strncmp(word, "count ", 6) || !strncmp(word, "watch ", 6) ||
		 !strncmp(word, "profile ", 8))
		say_error("a script on the command line follows -e: kmeter -e '%s'", word);
	else if (near)
		say_error("there is no verb %s; did you mean kmeter %s?", word, near);
	else
		say_error("there is no verb %s; kmeter --help lists them (a script: kmeter -e 'measure %s')", word,
			  word);
	return KM_USAGE;
}

/* ---- parsing ---- */

static int not_yet(const struct option_spec *s, const char *next)
{
	char buf[32];

	if (s->id == 'f' && next && render_find(next)) {
		say_error("the format of a report is -F %s (-f is --follow)", next);
		return KM_USAGE;
	}
	say_error("not yet: %s%s%s%s comes in a later version", written(s, buf, sizeof(buf)), s->id < 256 ? " (--" : "",
		  s->id < 256 ? s->name : "", s->id < 256 ? ")" : "");
	return KM_USAGE;
}

/* A parameter of the script; whether it has one of that name is for the compiler to say. */
static int add_param(struct options *o, const char *word)
{
	size_t length = strcspn(word, "="), i;

	for (i = 0; i < o->nparams; i++) {
		if (strncmp(o->params[i].name, word, length) || o->params[i].name[length])
			continue;
		say_error("%s has two values: %s or %s?", o->params[i].name, o->params[i].value, word + length + 1);
		return KM_USAGE;
	}
	o->params = say_realloc(o->params, o->nparams + 1, sizeof(*o->params));
	o->params[o->nparams++] = (struct assignment){ say_text("%.*s", (int)length, word), word + length + 1 };
	return KM_OK;
}

static void add_source(struct options *o, const char *text, const char *path)
{
	o->sources = say_realloc(o->sources, o->nsources + 1, sizeof(*o->sources));
	o->sources[o->nsources++] = (struct option_source){ text, path, NULL };
}

static int set_time(const struct option_spec *s, const char *value, uint64_t *ns)
{
	if (options_time(value, ns))
		return KM_OK;
	return wrong_value(s, value, "a time is more than 0: 10 (seconds), 500ms, 1.5s, 2m, 1h");
}

/* "5" or "5%" as 0.05. */
static int percent(const struct option_spec *s, const char *value, double *share)
{
	char *end;

	*share = strtod(value, &end) / 100;
	if (strchr("0123456789.", *value) && *value && (!*end || !strcmp(end, "%")) && *share <= 1000)
		return KM_OK;
	return wrong_value(s, value, "a share is 0 or more percent: 5, 2.5%");
}

/* "64M": bytes. */
static int size(const struct option_spec *s, const char *value, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	double n;
	char *end;

	n = strtod(value, &end);
	for (size_t i = 0; *end && i < sizeof(units) - 1; i++) {
		if (*end == units[i] && (!end[1] || !strcmp(end + 1, "B"))) {
			n *= 1ULL << 10 * (i + 1);
			end = "";
		}
	}
	if (!strchr("0123456789.", *value) || !*value || *end || !(n >= 1) || !(n < 1e18))
		return wrong_value(s, value, "a size is a number of bytes, or 64K, 512M, 1.5G");
	*bytes = (uint64_t)n;
	return KM_OK;
}

static int set_option(struct options *o, const struct option_spec *s, char *value, const char *next)
{
	unsigned long n = 0;
	int i;

	switch (s->id) {
	case 'e':
		add_source(o, value, NULL);
		return KM_OK;
	case 'c':
		o->shell = value;
		return KM_OK;
	case 'd':
		return set_time(s, value, &o->duration_ns);
	case 'i':
		return set_time(s, value, &o->interval_ns);
	case 'w':
		return set_time(s, value, &o->warmup_ns);
	case 'n':
		if (!number(value, 1000000000, &n))
			return wrong_value(s, value, "a number of reports, 1 or more");
		o->reports = n;
		return KM_OK;
	case 'o':
		o->output = value;
		return KM_OK;
	case 'F':
	case OPT_JSON:
		o->format = render_find(s->id == OPT_JSON ? "json" : value);
		return o->format ? KM_OK : one_of(s, value, render_names());
	case OPT_HTML:
		o->html = value;
		return KM_OK;
	case OPT_SORT:
		i = index_of(value, s->words);
		o->order = i < 0 ? FIGURES_BY_TOTAL : (enum figures_order)i;
		return i < 0 ? one_of(s, value, s->words) : KM_OK;
	case OPT_TOP:
		if (!number(value, 1000000000, &n))
			return wrong_value(s, value, "a number of groups, 1 or more");
		o->top = n;
		return KM_OK;
	case OPT_LISTEN:
		o->listen = value;
		return KM_OK;
	case OPT_TLS_CERT:
		o->tls_cert = value;
		return KM_OK;
	case OPT_TLS_KEY:
		o->tls_key = value;
		return KM_OK;
	case OPT_TOKEN_FILE:
		o->token_file = value;
		return KM_OK;
	case OPT_TEXTFILE:
		if (!ends_in(value, ".prom"))
			return wrong_value(s, value, "node_exporter reads files whose names end in .prom");
		o->textfile = value;
		return KM_OK;
	case OPT_BUCKETS:
		if (!number(value, BUCKETS_MOST, &n) || n < BUCKETS_LEAST)
			return wrong_value(s, value, "a number of buckets, 4 to 10000");
		o->buckets = n;
		return KM_OK;
	case OPT_GROUPS:
		if (!number(value, 1000000, &n))
			return wrong_value(s, value, "a number of groups, 1 or more");
		o->groups = n;
		return KM_OK;
	case OPT_LIVE:
		o->live = true;
		return KM_OK;
	case OPT_TOLERANCE:
		return percent(s, value, &o->tolerance);
	case OPT_BEYOND_CHANCE:
		o->beyond_chance = true;
		return KM_OK;
	case 'l':
	case 'L':
		if (o->points) {
			say_error("one pattern at a time: %s or %s?", o->points, value);
			return KM_USAGE;
		}
		o->points = value;
		o->details = s->id == 'L';
		return KM_OK;
	case 'r':
		o->target.release = value;
		return KM_OK;
	case OPT_SYSROOT:
		o->target.sysroot = value;
		return KM_OK;
	case OPT_GUEST:
		o->guest = true;
		o->guest_kernel = value && *value ? value : NULL;
		return KM_OK;
	case OPT_MAX_MEMORY:
		return size(s, value, &o->max_memory);
	case OPT_DUMP:
		i = index_of(value, s->words);
		o->dump = true;
		o->dump_stage = (enum compile_stage)i;
		return i < 0 ? one_of(s, value, s->words) : KM_OK;
	case OPT_COLOR:
		i = index_of(value, s->words);
		o->color = (enum color)i;
		return i < 0 ? one_of(s, value, s->words) : KM_OK;
	case OPT_DRY_RUN:
		o->verb = VERB_CHECK;
		return KM_OK;
	case OPT_RUNTIME:
		o->runtime = true;
		return KM_OK;
	case OPT_ALL:
		o->all = true;
		return KM_OK;
	case OPT_EACH:
		o->each = true;
		return KM_OK;
	case OPT_NO_CACHE:
		o->no_cache = true;
		return KM_OK;
	case OPT_ASCII:
		o->ascii = true;
		return KM_OK;
	case 'q':
		o->quiet = true;
		return KM_OK;
	case 'v':
		o->verbose = true;
		return KM_OK;
	case 'V':
		o->verb = VERB_VERSION;
		return KM_OK;
	case 'h':
		o->verb = VERB_HELP;
		return KM_OK;
	default:
		return not_yet(s, next);
	}
}

/* A word that is no option: the verb first, then its operands. */
static int operand(struct options *o, char *word, bool *have_verb)
{
	int i;

	if (!*have_verb) {
		for (i = 0; i < VERBS; i++) {
			if (strcmp(word, verbs[i].name))
				continue;
			*have_verb = true;
			if (!(o->verb == VERB_CHECK && i == VERB_RUN))	/* --dry-run run X */
				o->verb = (enum verb)i;
			return KM_OK;
		}
		return unknown_verb(o, word);
	}
	if (o->verb == VERB_MERGE || (o->verb == VERB_DIFF && o->nfiles < 2) || ((o->verb == VERB_SHOW || o->verb == VERB_SERVE) && saved_is_file(word))) {
		o->files = say_realloc(o->files, o->nfiles + 1, sizeof(*o->files));
		o->files[o->nfiles++] = word;
	} else if (o->verb == VERB_UNLOAD && (strchr(word, '/') || ends_in(word, ".km"))) {	/* neither is in a measurement's name */
		add_source(o, NULL, word);
	} else if (!(1u << o->verb & SCRIPTS) && !(o->verb == VERB_FLOOR && ends_in(word, ".ko"))) {
		o->names = say_realloc(o->names, o->nnames + 1, sizeof(*o->names));
		o->names[o->nnames++] = word;
	} else if (is_assignment(word)) {
		return add_param(o, word);
	} else if (ends_in(word, ".ko")) {
		if (o->prebuilt) {
			say_error("one module at a time: %s or %s?", o->prebuilt, word);
			return KM_USAGE;
		}
		o->prebuilt = word;
	} else if (ends_in(word, ".km") || options_is_folder(word)) {
		add_source(o, NULL, word);
	} else if (strchr(word, '=')) {
		say_error("%s: a parameter is NAME=VALUE, its name of letters, digits and _", word);
		return KM_USAGE;
	} else {
		char *path = library_find(word);

		if (!path)
			return KM_USAGE;
		add_source(o, NULL, path);
		o->sources[o->nsources - 1].found = path;
	}
	return KM_OK;
}

/* ---- what fits together ---- */

static int misplaced(const struct options *o, const bool *given)
{
	char buf[32];
	size_t i;

	for (i = 0; i < NOPTIONS; i++) {
		if (given[i] && o->verb == VERB_POINTS && !(options[i].verbs & V(POINTS))) {
			say_error("-%c measures nothing: %s does not go with it", o->details ? 'L' : 'l',
				  written(&options[i], buf, sizeof(buf)));
			return KM_USAGE;
		}
		if (given[i] && !(options[i].verbs & 1u << o->verb)) {
			say_error("%s does not take %s", verbs[o->verb].name,
				  written(&options[i], buf, sizeof(buf)));
			return KM_USAGE;
		}
	}
	return KM_OK;
}

static int check_scripts(const struct options *o)
{
	size_t i;

	if (o->verb == VERB_BUILD && o->runtime) {
		if (o->nsources || o->prebuilt || o->nparams) {
			say_error("build --runtime takes no script: build the two one after the other");
			return KM_USAGE;
		}
		return KM_OK;
	}
	for (i = 0; i < o->nsources && !o->each; i++) {
		if (options_is_folder(o->sources[i].path)) {
			say_error("%s is a folder: with --each its scripts are taken one by one", o->sources[i].path);
			return KM_USAGE;
		}
	}
	if (o->each && (o->prebuilt || o->nparams || o->output || o->dump || o->guest)) {
		say_error("--each takes scripts as they are: no %s beside it", o->prebuilt ? "module" : o->nparams ? "parameter" :
			  o->output ? "-o (what is built is kept in the cache)" : o->dump ? "--dump" : "--guest");
		return KM_USAGE;
	}
	if (o->prebuilt && o->nsources) {
		say_error("%s is a built module: no script beside it", o->prebuilt);
		return KM_USAGE;
	}
	if (o->prebuilt && o->nparams) {
		say_error("%s is built already, with what %s was then: build it again with another value", o->prebuilt,
			  o->params[0].name);
		return KM_USAGE;
	}
	if (o->prebuilt && (o->verb == VERB_CHECK || o->verb == VERB_BUILD || o->dump)) {
		say_error("%s is built already: kmeter run or kmeter load takes it", o->prebuilt);
		return KM_USAGE;
	}
	if (!o->prebuilt && !o->nsources) {
		say_error("no script: kmeter -e 'measure vfs_read', or kmeter %s FILE.km", verbs[o->verb].name);
		return KM_USAGE;
	}
	if (o->verb == VERB_BUILD && !o->output && !o->dump && !o->each) {
		say_error("build needs -o X.ko");
		return KM_USAGE;
	}
	return KM_OK;
}

/* -l and -L stand in place of a verb. */
static int list_alone(struct options *o, bool have_verb)
{
	if (!o->points)
		return KM_OK;
	if (have_verb || o->nsources || o->dump) {
		say_error("-%c lists points and measures nothing: no verb or script beside it", o->details ? 'L' : 'l');
		return KM_USAGE;
	}
	o->verb = VERB_POINTS;
	return KM_OK;
}

static int check_serve(struct options *o)
{
	if (o->nfiles > 1) {
		say_error("serve takes one file: kmeter merge makes one of several");
		return KM_USAGE;
	}
	if (!o->tls_cert != !o->tls_key) {
		say_error("--tls-cert and --tls-key go together: a certificate is of no use without its key");
		return KM_USAGE;
	}
	if (o->textfile && !o->listen && (o->tls_cert || o->token_file)) {
		say_error("--textfile alone serves nobody: --listen ADDRESS:PORT beside it does");
		return KM_USAGE;
	}
	if (o->interval_ns && !o->textfile) {
		say_error("who scrapes says how often; -i is how often --textfile FILE.prom is written");
		return KM_USAGE;
	}
	if (!o->textfile && !o->listen)
		o->listen = SERVE_LISTEN;
	o->interval_ns = o->interval_ns ? o->interval_ns : SERVE_INTERVAL;
	o->buckets = o->buckets ? o->buckets : BUCKETS_DEFAULT;
	o->groups = o->groups ? o->groups : SERVE_GROUPS;
	return KM_OK;
}

static int check_together(struct options *o)
{
	if (o->command && !(1u << o->verb & V(RUN))) {
		say_error("%s runs no command: what does `%s` after -- mean?", verbs[o->verb].name, o->command[0]);
		return KM_USAGE;
	}
	if (o->command && o->shell) {
		say_error("one command: -c '%s', or the one after --?", o->shell);
		return KM_USAGE;
	}
	if (o->guest && (o->target.sysroot || o->target.release)) {
		say_error("--guest=KERNEL chooses the kernel: no -r or --sysroot beside it");
		return KM_USAGE;
	}
	if (o->html && o->output && !strcmp(o->html, o->output)) {
		say_error("-o and --html are two files: not both %s", o->html);
		return KM_USAGE;
	}
	if (o->target.sysroot && o->verb == VERB_RUN && !o->dump) {
		say_error("a module for the kernel under --sysroot does not run here: build or check, or --guest");
		return KM_USAGE;
	}
	if ((1u << o->verb & (V(START) | V(STOP) | V(RESET) | V(UNLOAD))) && !(o->nnames + o->nsources) == !o->all) {
		say_error("%s: %s", verbs[o->verb].name, o->all ? "names or --all, not both" :
			  "which ones? names, or --all (kmeter list shows them)");
		return KM_USAGE;
	}
	if (o->live && o->guest) {
		say_error("--live is of this machine's kernel: a guest has no terminal (-i TIME reports from there again and again)");
		return KM_USAGE;
	}
	if (o->live && o->reports) {
		say_error("--live ends with q, -d TIME or the command, not after a number of reports");
		return KM_USAGE;
	}
	if (o->live && o->nfiles > 1) {
		say_error("--live shows one file: kmeter merge makes one of several");
		return KM_USAGE;
	}
	if (o->verb == VERB_SHOW && o->interval_ns && !o->live) {
		say_error("show reports once; --live -i TIME looks again and again");
		return KM_USAGE;
	}
	if (o->verb == VERB_SERVE)
		return check_serve(o);
	if (o->verb == VERB_MERGE && !o->nfiles) {
		say_error("merge what? kmeter merge A.json B.json -o ALL.json (kmeter --json writes such files)");
		return KM_USAGE;
	}
	if (o->verb == VERB_DIFF && o->nfiles < 2) {
		say_error("diff compares two saved reports: kmeter diff A.json B.json (kmeter --json writes such files)");
		return KM_USAGE;
	}
	if (o->verb == VERB_DIFF && o->format != &render_text && o->format != &render_json) {
		say_error("diff is shown as text or json, not as %s", o->format->name);
		return KM_USAGE;
	}
	if (o->verb == VERB_LIST && o->nnames) {
		say_error("list takes no names: kmeter show %s reports one, kmeter -l '%s' lists points", o->names[0],
			  o->names[0]);
		return KM_USAGE;
	}
	if (o->verb == VERB_FLOOR && o->nnames) {
		say_error("floor takes no %s: it is of this machine (of a kstats.ko to be loaded: its file)", o->names[0]);
		return KM_USAGE;
	}
	if (o->verb == VERB_PAGE && !o->nnames) {
		o->verb = VERB_HELP;
		return KM_OK;
	}
	if (o->reports && !o->interval_ns)
		o->interval_ns = 1000000000;
	if (o->format->moment && o->interval_ns && o->reports != 1 && !o->live) {
		say_error("-F %s is the state at one moment: no -i or -n beside it but -n 1 (-F json has a line a report)", o->format->name);
		return KM_USAGE;
	}
	if (o->format->moment && o->verb == VERB_SHOW && o->nfiles > 1) {
		say_error("-F %s is the state at one moment, of one file (kmeter merge makes one of several)", o->format->name);
		return KM_USAGE;
	}
	return 1u << o->verb & SCRIPTS ? check_scripts(o) : KM_OK;
}

/* getopt's own arrays, from the table. */
static void getopt_arrays(struct option *longs, char *shorts)
{
	size_t i;

	*shorts++ = '-';	/* operands come in order, as option 1; after -- it stops */
	*shorts++ = ':';
	for (i = 0; i < NOPTIONS; i++) {
		const struct option_spec *s = &options[i];

		longs[i] = (struct option){ s->name, !s->argument ? no_argument : *s->argument == '[' ?
					    optional_argument : required_argument, NULL, 1000 + (int)i };
		if (s->id < 256) {
			*shorts++ = s->id;
			if (s->argument)
				*shorts++ = ':';
		}
	}
	longs[i] = (struct option){ 0 };
	*shorts = 0;
}

static const struct option_spec *find_option(int c)
{
	size_t i;

	if (c >= 1000)
		return &options[c - 1000];
	for (i = 0; i < NOPTIONS; i++)
		if (options[i].id == c)
			return &options[i];
	return NULL;
}

/* getopt found no such option, or one that is several. */
static int bad_option(char **argv)
{
	char letter[3] = { '-', (char)optopt, 0 };

	if (optopt && optopt < 256)
		return unknown_option(letter);
	return unknown_option(argv[optind - 1]);
}

static int no_value(void)
{
	const struct option_spec *s = find_option(optopt);
	char buf[32];

	if (s)
		say_error("%s needs a value: %s %s", written(s, buf, sizeof(buf)), buf, s->argument);
	return KM_USAGE;
}

int options_parse(int argc, char **argv, struct options *o)
{
	struct option longs[NOPTIONS + 1];
	bool given[NOPTIONS] = { false }, have_verb = false, ended;
	char shorts[2 * NOPTIONS + 3];
	int c, status = KM_OK;

	*o = (struct options){ 0 };
	getopt_arrays(longs, shorts);
	opterr = 0;
	optind = 0;	/* begin anew: tests parse many */
	while (status == KM_OK && (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct option_spec *s;

		if (c == '?') {
			status = bad_option(argv);
		} else if (c == ':') {
			status = no_value();
		} else if (c == 1) {
			status = operand(o, optarg, &have_verb);
		} else {
			s = find_option(c);
			given[s - options] = true;
			status = set_option(o, s, optarg, optind < argc ? argv[optind] : NULL);
			if (o->verb == VERB_HELP || o->verb == VERB_VERSION)
				return KM_OK;
		}
	}
	if (status != KM_OK)
		return status;
	if (o->verb == VERB_HELP || o->verb == VERB_VERSION)
		return KM_OK;
	ended = optind > 1 && !strcmp(argv[optind - 1], "--");
	if (ended && optind == argc) {
		say_error("a command follows --");
		return KM_USAGE;
	}
	if (ended)
		o->command = argv + optind;
	if (argc < 2) {
		say_error("what shall be measured? kmeter -e 'measure vfs_read' -d 5 (kmeter --help tells more)");
		return KM_USAGE;
	}
	if (!o->format)		/* what is merged is meant to be kept */
		o->format = o->verb == VERB_MERGE ? &render_json : &render_text;
	status = list_alone(o, have_verb);
	if (status == KM_OK)
		status = misplaced(o, given);
	return status != KM_OK ? status : check_together(o);
}

void options_free(struct options *o)
{
	while (o->nparams)
		free((char *)o->params[--o->nparams].name);
	free(o->params);
	while (o->nsources)
		free(o->sources[--o->nsources].found);
	free(o->sources);
	free(o->names);
	free(o->files);
}

/* ---- --help ---- */

/* "  LEFT      RIGHT", on two lines when LEFT is long. */
static void help_line(FILE *out, const char *left, const char *right)
{
	enum { LEFT = 20 };

	if (strlen(left) <= LEFT)
		fprintf(out, "  %-*s  %s\n", LEFT, left, right);
	else
		fprintf(out, "  %s\n  %-*s  %s\n", left, LEFT, "", right);
}

static void help_option(FILE *out, const struct option_spec *s)
{
	char left[64], *words;

	if (s->id < 256 && s->argument)
		snprintf(left, sizeof(left), "-%c %s", s->id, s->argument);
	else if (s->id < 256)
		snprintf(left, sizeof(left), "-%c, --%s", s->id, s->name);
	else
		snprintf(left, sizeof(left), "--%s%s%s", s->name, s->argument && *s->argument != '[' ? " " : "",
			 s->argument ? s->argument : "");
	if (s->value != OPTION_FORMAT) {
		help_line(out, left, s->help);
		return;
	}
	words = listed(render_names());
	help_line(out, left, words);
	free(words);
}

void options_help(FILE *out)
{
	char left[64];
	size_t i;

	fputs("kmeter measures where time goes inside the running Linux kernel.\n\n"
	      "  kmeter -e 'measure vfs_read' -d 5\n"
	      "  kmeter -e 'measure from tp:sched_wakeup key $p->pid to tp:sched_switch key $next->pid' -c 'make -j4'\n"
	      "  kmeter run SCRIPT [PARAM=VALUE]... [OPTION]... [-- COMMAND ARG...]\n"
	      "  kmeter -l 'tcp_*'\n\nVerbs\n", out);
	for (i = 0; i < VERBS; i++) {
		if (!verbs[i].help)
			continue;
		snprintf(left, sizeof(left), "%s %s", verbs[i].name, verbs[i].operands);
		help_line(out, left, verbs[i].help);
	}
	fputs("\nOptions\n", out);
	for (i = 0; i < NOPTIONS; i++)
		if (options[i].help)
			help_option(out, &options[i]);
	fputs("\nSCRIPT is a file X.km, -e SCRIPT, or one of kmeter library. NAME is a measurement's or its module's name, or\n"
	      "a pattern of them.\n"
	      "Exit status: 0 measured, 1 the script is wrong, 2 wrong usage, 3 the kernel refused; of diff, 1 something moved.\n"
	      "More: man kmeter.\n", out);
}
