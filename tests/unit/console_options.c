// SPDX-License-Identifier: GPL-2.0
/*
 * console_options.c: what the command line means, what is refused and in which words, and what a guest is told.
 */
#include <errno.h>
#include <unistd.h>

#include "console/guest.h"
#include "console/options.h"
#include "console/print.h"
#include "console/refuse.h"
#include "console/say.h"
#include "console_snap.h"

enum { WORDS = 24 };

static struct options o;
static char *words[WORDS + 1];
static char line_copy[512], said[4096];

/* Parse a command line whose words are separated by blanks (_ stands for one within a word); stderr goes to said[]. */
static int parse(const char *line)
{
	FILE *f = tmpfile();
	int saved = dup(2), n = 0, status;
	char *word, *rest, *p;
	size_t got;

	options_free(&o);
	snprintf(line_copy, sizeof(line_copy), "kmeter %s", line);
	for (word = strtok_r(line_copy, " ", &rest); word && n < WORDS; word = strtok_r(NULL, " ", &rest)) {
		for (p = word; (p = strchr(p, '_')); )
			*p = ' ';
		words[n++] = word;
	}
	words[n] = NULL;
	fflush(stderr);
	dup2(fileno(f), 2);
	status = options_parse(n, words, &o);
	dup2(saved, 2);
	close(saved);
	rewind(f);
	got = fread(said, 1, sizeof(said) - 1, f);
	said[got] = 0;
	fclose(f);
	return status;
}

static void takes(const char *line, bool good)
{
	if (!ok(!strcmp(said, "") && good, "%s", line))
		printf("# %s", said);
}

#define TAKES(line, condition)	do { int status = parse(line); takes(line, status == KM_OK && (condition)); } while (0)

static void understood(void)
{
	TAKES("-e measure_vfs_read -d 5", o.verb == VERB_RUN && o.nsources == 1 && o.duration_ns == 5000000000ULL &&
	      !strcmp(o.sources[0].text, "measure vfs read"));
	TAKES("-e a -e b run c.km", o.nsources == 3 && !strcmp(o.sources[2].path, "c.km") && o.sources[1].text);
	TAKES("run x.ko -i 500ms -n 3", !strcmp(o.prebuilt, "x.ko") && o.interval_ns == 500000000 && o.reports == 3);
	TAKES("-n 2 -e x", o.interval_ns == 1000000000);
	TAKES("-e x -- ls -l", o.command && !strcmp(o.command[0], "ls") && !strcmp(o.command[1], "-l") && !o.command[2]);
	TAKES("run x.km -c ls_-l -w 1.5s", !strcmp(o.shell, "ls -l") && o.warmup_ns == 1500000000);
	TAKES("-e x --json", o.format == &render_json);
	TAKES("-e x -F text --sort p99 --top 3", o.format == &render_text && o.order == FIGURES_BY_P99 && o.top == 3);
	TAKES("check x.km -r 6.1.0 --sysroot /s", o.verb == VERB_CHECK && !strcmp(o.target.release, "6.1.0"));
	TAKES("--dry-run run x.km", o.verb == VERB_CHECK);
	TAKES("run x.km --dry-run", o.verb == VERB_CHECK);
	TAKES("-e x --dry-run --guest", o.verb == VERB_CHECK && o.guest && !o.guest_kernel);
	TAKES("-e x --guest=6.12", o.guest && !strcmp(o.guest_kernel, "6.12"));
	TAKES("build -o x.ko -e y", o.verb == VERB_BUILD && !strcmp(o.output, "x.ko"));
	TAKES("build --runtime", o.runtime);
	TAKES("-e x --dump plan", o.dump && o.dump_stage == COMPILE_PLAN);
	TAKES("show", o.verb == VERB_SHOW && !o.nnames);
	TAKES("-e x -F ndjson -i 1", o.format->write == render_json.write);
	TAKES("-e x -F openmetrics -d 1", o.format == &render_openmetrics);
	TAKES("-e x -F openmetrics -i 5 -n 1", o.reports == 1);
	TAKES("show vfs* -F json -o f", o.nnames == 1 && !strcmp(o.output, "f"));
	TAKES("show a.json vfs* - b.ndjson", o.nfiles == 3 && o.nnames == 1 && !strcmp(o.files[1], "-"));
	TAKES("merge a b.json -o c", o.verb == VERB_MERGE && o.nfiles == 2 && !o.nnames && o.format == &render_json);
	TAKES("merge a -F text", o.format == &render_text);
	TAKES("diff a b vfs* --tolerance 2.5% --beyond-chance", o.verb == VERB_DIFF && o.nfiles == 2 && o.nnames == 1 && o.beyond_chance &&
	      o.tolerance == 0.025 && o.format == &render_text);
	TAKES("unload a b", o.nnames == 2);
	TAKES("unload --all", o.all);
	TAKES("unload ./a.km b /etc/kmeter.d", o.nsources == 2 && o.nnames == 1 && !strcmp(o.sources[1].path, "/etc/kmeter.d"));
	TAKES("load --each / a.km", o.each && o.nsources == 2 && !strcmp(o.sources[0].path, "/"));
	TAKES("build --each a.km -r 6.1.0", o.each && !o.output);
	TAKES("stop --all -q", o.verb == VERB_STOP && o.quiet);
	TAKES("list -v", o.verb == VERB_LIST && o.verbose);
	TAKES("--version -x", o.verb == VERB_VERSION);
	TAKES("run -h", o.verb == VERB_HELP);
	TAKES("--dur 1m -e x", o.duration_ns == 60000000000ULL);
	TAKES("-l vfs_*", o.verb == VERB_POINTS && !strcmp(o.points, "vfs *") && !o.details);
	TAKES("-L tp:sched:* --guest=6.1 -o f -q", o.details && o.guest && !strcmp(o.output, "f"));
	TAKES("-l * --sysroot /s -r 6.1", o.verb == VERB_POINTS && !strcmp(o.target.sysroot, "/s"));
	TAKES("run x.km PID=4 B=a=b C= -d 5", o.nparams == 3 && !strcmp(o.params[0].name, "PID") &&
	      !strcmp(o.params[0].value, "4") && !strcmp(o.params[1].value, "a=b") && !*o.params[2].value);
	TAKES("check PID=4 x.km", o.nparams == 1 && o.nsources == 1);
	TAKES("build -o x.ko x.km F=y.km", o.nparams == 1 && o.nsources == 1 && !strcmp(o.params[0].value, "y.km"));
	TAKES("load ./a=b.km", !o.nparams && o.nsources == 1);
	TAKES("-e x", !o.top && !o.nparams && !o.points);
	TAKES("-e x --color never --ascii --no-cache", o.color == COLOR_NEVER && o.ascii && o.no_cache);
}

static void refused(const char *line, const char *words_of_answer)
{
	int status = parse(line);
	size_t length = strlen(said);

	if (!ok(status == KM_USAGE && strstr(said, words_of_answer) && length && said[length - 1] == '\n' &&
		strchr(said, '\n') == said + length - 1, "kmeter %s: %s", line, words_of_answer))
		printf("# status %d: %s", status, said);
}

static void misunderstood(void)
{
	refused("", "what shall be measured?");
	refused("-x 12 -e y", "-p PID");
	refused("-e x -f json", "-F json");
	refused("-e x -f", "not yet: -f");
	refused("-T 5", "-d SECONDS");
	refused("-e x --timeout=5", "-d SECONDS");
	refused("-I 100", "-i");
	refused("-Z", "no option -Z");
	refused("--intervall=5 -e x", "did you mean --interval?");
	refused("--zzzzzzzz", "kmeter --help");
	refused("-F jason -e x", "did you mean json?");
	refused("-e x -F openmetrics -i 1", "the state at one moment");
	refused("-e x -n 2 -F openmetrics", "the state at one moment");
	refused("show a.json b.json -F openmetrics", "of one file");
	refused("--sort p90 -e x", "total, count, mean, max, p99; did you mean p99?");
	refused("--dump d -e x", "ast, plan, c");
	refused("--color purple -e x", "auto, always, never");
	refused("-d 0 -e x", "more than 0");
	refused("-d -1 -e x", "more than 0");
	refused("-d 5x -e x", "500ms");
	refused("-d nan -e x", "500ms");
	refused("-d inf -e x", "500ms");
	refused("-i 1e300 -e x", "500ms");
	refused("-n 0 -e x", "1 or more");
	refused("-n 3x -e x", "1 or more");
	refused("-n 99999999999999999999 -e x", "1 or more");
	refused("--top -e x", "1 or more");
	refused("-e", "needs a value: -e SCRIPT");
	refused("-e x --sort", "needs a value: --sort ORDER");
	refused("lst", "did you mean kmeter list?");
	refused("upload x", "did you mean kmeter unload?");
	refused("x.km", "kmeter run x.km");
	refused("vfs-read", "kmeter -e 'measure vfs-read'");
	refused("measure_x", "kmeter -e 'measure x'");
	refused("features", "not yet: kmeter features");
	refused("merge", "merge what?");
	refused("diff a.json", "diff compares two saved reports");
	refused("diff a b --tolerance x", "a share is 0 or more percent");
	refused("diff a b --tolerance -1", "a share is 0 or more percent");
	refused("show a.json --tolerance 5", "show does not take --tolerance");
	refused("features", "not yet: kmeter features");
	refused("floor vmscan", "floor takes no vmscan");
	refused("floor -e x", "floor does not take -e");
	refused("floor -d 5", "floor does not take -d");
	refused("floor x.ko y.ko", "one module at a time: x.ko or y.ko?");
	refused("run watch/varable", "did you mean watch/variable?");
	refused("run ../examples/watch/variable", "there is no script");
	TAKES("run watch/variable variable=x -d 5", o.nsources == 1 && strstr(o.sources[0].path, "/watch/variable.km"));
	TAKES("library w*", o.verb == VERB_LIBRARY && o.nnames == 1);
	TAKES("help watch/values", o.verb == VERB_PAGE && o.nnames == 1);
	TAKES("help", o.verb == VERB_HELP);
	refused("run x.km 4x=4", "a parameter is NAME=VALUE");
	refused("run x.km PID=4 PID=5", "PID has two values: 4 or 5?");
	refused("-e x PID=4", "kmeter run -e SCRIPT PID=4");
	refused("run x.ko PID=4", "build it again");
	refused("build --runtime PID=4", "--runtime takes no script");
	refused("-p 4 -e x", "not yet: -p (--pid)");
	refused("--live -e x --guest", "a guest has no terminal");
	refused("--live -e x -n 2", "not after a number of reports");
	refused("show -i 1", "show reports once");
	refused("show --live a.json b.json", "--live shows one file");
	TAKES("--guest -e x --html f", o.guest && !strcmp(o.html, "f"));
	refused("-o f --html f -e x", "not both f");
	refused("--html", "needs a value: --html FILE");
	refused("check x.km --html f", "check does not take --html");
	TAKES("-e x --html f -F json -o g", !strcmp(o.html, "f") && !strcmp(o.output, "g"));
	TAKES("show --html f x", o.verb == VERB_SHOW && !strcmp(o.html, "f") && o.nnames == 1);
	refused("-l vfs* -L tcp*", "vfs* or tcp*?");
	refused("-l vfs* -e x", "no verb or script beside it");
	refused("run -L vfs*", "-L lists points");
	refused("-l vfs* -d 5", "-d does not go with it");
	refused("-L vfs* --json", "-L measures nothing: --json");
	refused("-l vfs* ls", "there is no verb ls");
	refused("-l", "needs a value: -l PATTERN");
	refused("list vfs*", "kmeter -l 'vfs*' lists points");
	refused("run", "kmeter run FILE.km");
	refused("-d 5", "no script");
	refused("build -e x", "-o X.ko");
	refused("build --runtime -e x", "takes no script");
	refused("run a.ko b.ko", "one module at a time");
	refused("run a.ko -e x", "no script beside it");
	refused("check a.ko", "built already");
	refused("list -d 5", "list does not take -d");
	refused("show --guest", "show does not take --guest");
	refused("list x", "kmeter show x");
	refused("unload", "--all");
	refused("unload x --all", "not both");
	refused("unload ./x.km --all", "not both");
	refused("load /", "with --each");
	refused("load --each a.km n=1", "no parameter beside it");
	refused("load --each a.ko", "no module beside it");
	refused("build --each a.km -o b.ko", "kept in the cache");
	refused("build --each a.km --dump c", "no --dump beside it");
	refused("run --each a.km", "does not take --each");
	refused("load -e x -- ls", "load runs no command");
	refused("-e x -c a -- b", "one command");
	refused("-e x --", "a command follows --");
	refused("-e x --guest -r 6.1", "--guest=KERNEL");
	refused("-e x --guest 6.1", "--guest=6.1");
	refused("-e x --sysroot /", "does not run here");
}

static void times(void)
{
	static const struct { const char *text; uint64_t ns; } good[] = {
		{ "1", 1000000000 }, { ".5", 500000000 }, { "1.5s", 1500000000 }, { "250ms", 250000000 }, { "10us", 10000 },
		{ "7ns", 7 }, { "2m", 120000000000 }, { "1h", 3600000000000 },
	};
	static const char *const bad[] = { "", "0", "0ms", "s", "-1", "+1", " 1", "1 s", "1d", "1sec", "nan", "inf", "1e30" };
	uint64_t ns;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		ok(options_time(good[i].text, &ns) && ns == good[i].ns, "a time: %s", good[i].text);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(!options_time(bad[i], &ns), "no time: '%s'", bad[i]);
}

static void guest_is(const char *line, const char *wanted)
{
	char *got;

	if (parse(line) != KM_OK)
		printf("# %s", said);
	got = guest_command(&o, "/srv/script.ko");
	is_text(got, wanted, line);
	free(got);
}

static void guest_floor(void)
{
	char *got;

	ok(parse("floor --guest=6.1 -q -o /dev/null") == KM_OK && o.verb == VERB_FLOOR && o.guest, "kmeter --guest floor");
	got = guest_command(&o, NULL);
	is_text(got, "LC_ALL=C.UTF-8 exec kmeter floor /srv/kstats.ko -q", "is the same inside, of the kstats.ko that it takes along");
	free(got);
	ok(parse("floor kstats.ko") == KM_OK && o.verb == VERB_FLOOR && o.prebuilt && !strcmp(o.prebuilt, "kstats.ko"), "kmeter floor FILE");
}

static void guest(void)
{
	char *got;

	unsetenv("LC_ALL");
	unsetenv("LC_CTYPE");
	setenv("LANG", "de_DE.UTF-8", 1);
	guest_is("-e x --guest -d 2 -o /dev/null", "LC_ALL=C.UTF-8 exec kmeter run /srv/script.ko --json -d 2000000000ns");
	guest_is("-e x --guest -n 1 -F openmetrics", "LC_ALL=C.UTF-8 exec kmeter run /srv/script.ko --json -i 1000000000ns -n 1");
	guest_is("-e x --guest -i 1 -n 2 -F text --ascii -v -c echo_'$HOME' -o /dev/null",
		 "LC_ALL=C exec kmeter run /srv/script.ko -v --json -i 1000000000ns -n 2 -c 'echo '\\''$HOME'\\'''");
	guest_floor();
	guest_is("-e x --guest --sort p99 --top 7 -w 1 -q --color=always -o /dev/null -- sh -c dd_if=/dev/zero|cat",
		 "LC_ALL=C.UTF-8 exec kmeter run /srv/script.ko -q --json -w 1000000000ns -- sh -c 'dd if=/dev/zero|cat'");
	got = guest_quote("");
	is_text(got, "''", "an empty word is still a word");
	free(got);
}

static void log_lines(void)
{
	const char *text;
	size_t length;

	text = refuse_log_text("4,1234,567890,-;kstats: vfs_reed: there is no such place\n SUBSYSTEM=x\n", &length);
	ok(text && length == 32 && !strncmp(text, "vfs_reed: ", 10), "a line of kstats in the kernel log");
	ok(!refuse_log_text("4,1,2,-;other: kstats: x\n", &length), "another's that names it is none");
	ok(!refuse_log_text("garbage", &length), "nor is garbage");
}

/* What refuse_insert says, in said[]. */
static void refuse(int err, const char *log)
{
	FILE *f = tmpfile();
	int saved = dup(2);
	size_t got;

	fflush(stderr);
	dup2(fileno(f), 2);
	refuse_insert("/tmp/x.ko", "km_x", err, log);
	dup2(saved, 2);
	close(saved);
	rewind(f);
	got = fread(said, 1, sizeof(said) - 1, f);
	said[got] = 0;
	fclose(f);
}

static void refusals(void)
{
	refuse(ESTALE, "made for #1 SMP 6.1.90, this is #1 SMP 6.1.94");
	ok(strstr(said, "another build of this kernel") && strstr(said, "        made for #1") && strstr(said, "reboot") &&
	   strstr(said, "build it again"), "another build of the same kernel: which, and what to do");
	refuse(ESTALE, NULL);
	ok(strstr(said, "another build") && !strstr(said, "null"), "also when the log cannot be read");
	refuse(EILSEQ, "vfs_read+3: not at an instruction");
	ok(strstr(said, "refused the measurement:\n        vfs_read+3: not at an instruction\n"), "the runtime's own words");
}

static void nearest(void)
{
	static const char *const list[] = { "start", "stop", "show", "unload", NULL };

	is_text(say_nearest("strat", list), "start", "letters swapped");
	is_text(say_nearest("unlaod", list), "unload", "again");
	is_text(say_nearest("sho", list), "show", "a letter missing");
	ok(!say_nearest("probe", list), "nothing is near");
	ok(!say_nearest("", list), "nor to nothing");
}

int main(void)
{
	setenv("KMETER_LIBRARY", EXAMPLES, 1);
	understood();
	misunderstood();
	times();
	guest();
	log_lines();
	refusals();
	nearest();
	options_free(&o);
	return done();
}
