// SPDX-License-Identifier: GPL-2.0
/*
 * compiler_hostile.c: the front end on input that nobody would write: random bytes, random words, cut and spliced scripts,
 * deep nesting, very long lines. It must answer, with no crash, no leak (ASan sees to that) and no hang. The seed is
 * fixed: what fails once fails again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compiler/ast.h"
#include "compiler/emit.h"
#include "compiler/plan.h"
#include "compiler/resolve.h"

static uint64_t state = 0x9e3779b97f4a7c15ULL;

static unsigned int next(unsigned int below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 20) % below;
}

static struct kernel kernel;
static struct symbols *symbols;
static FILE *nowhere;
static unsigned int tests, failed;

static void check(bool good, const char *what)
{
	tests++;
	failed += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", tests, what);
	fflush(stdout);
}

/* The whole front end; how many errors it found. */
static size_t compile(const char *text, size_t length)
{
	struct source source = { "-e", text, length };
	struct diag *diag = diag_new(&source, 1);
	struct script script = {};
	struct plan plan = {};
	size_t errors;

	parse_source(&script, diag, &source, 0);
	script_dump(&script, nowhere);
	if (resolve_script(&script, &kernel, symbols, diag, NULL, 0, &plan)) {
		plan_dump(&plan, nowhere);
		free(emit_plan(&plan));
	}
	errors = diag_errors(diag);
	diag_print(diag, nowhere, false);
	plan_free(&plan);
	script_free(&script);
	diag_free(diag);
	return errors;
}

static size_t compile_string(const char *text)
{
	return compile(text, strlen(text));
}

static const char *const scripts[] = {
	"measure vfs_read by comm, cpu if elapsed > 10us && pid != 1 bits 5 name \"x\\\"y\"",
	"measure from tp:sched:sched_wakeup key $p->pid from vfs_open+0x1c if comm == \"a\" to vfs_read:return key cpu by pid",
	"param min = 10ms \"what\" # comment\nmeasure value ((struct a *)$b)->c[3] >> 3 at \"x*\"? or tp:y unit us /* c */",
	"profile \"vfs_*\" time top 3; watch jiffies rw; count syscall:kill if $return < 0 ? 1 : 'x'; measure between a@b/c.c",
	"measure take_all by $a->text, $a->bits.five if $a->self->many[1]->i / ($a->n - 4) > elapsed && $a->state == STATE_DEAD",
	"param n = 3 \"x\" count syscall:openat:return by (char *)$filename, stack if IS_ERR((void *)$return) || n top n",
	"measure from take_values key $p.b if $s.z to take_many:return key *(int *)&jiffies by ntohs($b), $i->comm range 1..1M",
	"count nf_tables:nft_do_chain? or \"tp:*:*\" by runqueues.curr->pid, caller measure value &$c[2] - $c at take_array",
};

static const char *const words[] = {
	"measure", "from", "to", "at", "value", "between", "count", "watch", "profile", "param", "or", "of", "key", "if", "by",
	"bits", "range", "name", "unit", "clock", "entries", "top", "nesting", "first", "oncpu", "blocked", "via", "struct", "->", ".", "..", "<<",
	"==", "&&", "||", "?", ":", "(", ")", "[", "]", ",", ";", "*", "&", "-", "!", "3", "10ms", "0x1f", "\"x*\"", "\"", "'a'",
	"take_all", "take_many:return", "syscall:openat", "\"vfs_{n}\"", "$a", "$file", "$return", "bits", "self", "i", "text", "name",
	"stack", "runqueues", "STATE_DEAD", "(struct all_kinds *)", "(u8)", "ntohs", "IS_ERR", "+", "/", "%", ">>", "<",
	"vfs_read", "pid", "comm", "elapsed", "$p", "$", "u32", "tp:sched:sched_switch", "tp:", "a:b:c", "vfs_read+",
	"\n", "#", "//", "/*", "*/", "\\", "{", "=", "@", "\xff", "\x01",
};

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void random_bytes(void)
{
	char text[300];

	for (unsigned int round = 0; round < 2000; round++) {
		size_t length = next(sizeof(text));

		for (size_t i = 0; i < length; i++)
			text[i] = round % 2 ? next(256) : 32 + next(95);
		/* A source is zero-terminated. */
		text[length ? length - 1 : 0] = 0;
		compile(text, length ? length - 1 : 0);
	}
	check(true, "random bytes, some of them 0");
}

static void random_words(void)
{
	for (unsigned int round = 0; round < 3000; round++) {
		struct text t = {};

		for (unsigned int n = next(40); n; n--)
			text_printf(&t, "%s%s", words[next(COUNT(words))], next(4) ? " " : "");
		compile(t.s ? t.s : "", t.length);
		text_free(&t);
	}
	check(true, "random words");
}

static void cut_scripts(void)
{
	for (unsigned int i = 0; i < COUNT(scripts); i++) {
		for (size_t length = 0; length <= strlen(scripts[i]); length++) {
			char *cut = mem_copy(scripts[i], length), *rest = mem_copy(scripts[i] + length, strlen(scripts[i] + length));

			compile(cut, length);
			compile(rest, strlen(rest));
			free(cut);
			free(rest);
		}
	}
	check(true, "every beginning and every end of valid scripts");
}

static void changed_scripts(void)
{
	for (unsigned int round = 0; round < 3000; round++) {
		const char *from = scripts[next(COUNT(scripts))], *with = words[next(COUNT(words))];
		size_t at = next(strlen(from)), skip = next(6), left = strlen(from + at);
		struct text t = {};

		text_add(&t, from, at);
		text_string(&t, with);
		text_string(&t, from + at + (skip < left ? skip : left));
		compile(t.s, t.length);
		text_free(&t);
	}
	check(true, "valid scripts with something else in them");
}

static char *repeat(const char *head, const char *part, unsigned int count, const char *tail)
{
	struct text t = {};

	text_string(&t, head);
	for (unsigned int i = 0; i < count; i++)
		text_string(&t, part);
	text_string(&t, tail);
	return text_take(&t);
}

static void deep(const char *what, const char *head, const char *part, unsigned int count, const char *tail, bool errors)
{
	char *text = repeat(head, part, count, tail);

	check(!!compile_string(text) == errors, what);
	free(text);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void nesting_and_length(void)
{
	double begin = now();

	deep("10,000 open parentheses", "measure vfs_read if ", "(", 10000, "pid", true);
	deep("10,000 minus signs", "measure vfs_read if ", "-", 10000, "pid", true);
	deep("10,000 casts", "measure vfs_read if ", "(u32)", 10000, "pid", true);
	deep("10,000 fields", "measure vfs_read if $a", "->b", 10000, "", true);
	deep("10,000 indices", "measure vfs_read if $a", "[0]", 10000, "", true);
	deep("10,000 question marks", "measure vfs_read if pid", " ? 1 : 2", 10000, "", true);
	deep("10,000 nested indices", "measure vfs_read if ", "$a[", 10000, "", true);
	deep("10,000 nested calls", "measure vfs_read if ", "f(", 10000, "", true);
	deep("10,000 sums", "measure vfs_read if pid", " + 1", 10000, "", true);
	deep("10,000 type words", "measure vfs_read if (", "int ", 10000, ")pid", true);
	deep("10,000 stars", "measure vfs_read if (int", "*", 10000, ")pid", false);
	deep("10,000 keys", "measure vfs_read by pid", ",pid", 10000, "", true);
	deep("10,000 options", "measure vfs_read", " bits 3", 10000, "", true);
	deep("10,000 alternatives", "measure vfs_read", " or x", 10000, "", false);
	deep("10,000 starts", "measure", " from vfs_read", 10000, " to vfs_write", false);
	deep("1,000 statements", "", "measure vfs_read bits 3\n", 1000, "", false);
	deep("an expression of 4 KB", "measure vfs_read if pid == 0", " || pid == 12345", 256, "", false);
	deep("a text of 1 MB in quotes", "measure vfs_read name \"", "0123456789abcdef", 65536, "\"", true);
	deep("a point of 1 MB", "measure ", "0123456789abcdef", 65536, "", true);
	deep("a comment of 1 MB", "measure vfs_read /* ", "0123456789abcdef", 65536, "*/", false);
	deep("100,000 comments that are none", "measure vfs_read if pid", "/*", 100000, "", true);
	deep("100,000 comments that are none, of the other kind", "measure vfs_read if pid", "//", 50000, "", true);
	deep("100,000 stray signs", "", "@ ", 100000, "", true);
	deep("100,000 errors", "", "measure ;", 100000, "", true);
	deep("100,000 quotes", "", "\"\n", 100000, "", true);
	check(now() - begin < 60, "all of these without a hang");
}

/* The small kernel of the language's tests. */
static void make_kernel(char *dir)
{
	char *command = mem_printf("%s/../language/kernel/make %s", TESTS_DIR, dir);
	struct diag *diag = diag_new(NULL, 0);
	struct target target = { .sysroot = dir };

	if (system(command) != 0 || !kernel_find(&kernel, &target, diag) || !(symbols = symbols_open(&kernel, diag))) {
		diag_print(diag, stdout, false);
		printf("Bail out! no small kernel\n");
		exit(1);
	}
	free(command);
	diag_free(diag);
}

int main(void)
{
	char dir[] = "/tmp/kmeter-hostile-XXXXXX", *command;

	if (!mkdtemp(dir))
		return 1;
	nowhere = fopen("/dev/null", "w");
	make_kernel(dir);
	check(compile_string(scripts[0]) == 0, "a good script has no error");
	random_bytes();
	random_words();
	cut_scripts();
	changed_scripts();
	nesting_and_length();
	printf("1..%u\n", tests);
	fclose(nowhere);
	symbols_free(symbols);
	kernel_free(&kernel);
	command = mem_printf("rm -rf %s", dir);
	if (system(command))
		failed++;
	free(command);
	return failed != 0;
}
