// SPDX-License-Identifier: GPL-2.0
/*
 * console_keys.c: keys by name (errnos, enumerators, symbols, stacks, matches of a pattern), counts, `top`.
 *
 * With an argument it prints the reports instead, to look at them.
 */
#include "console/keys.h"
#include "console/ksyms.h"
#include "console_report.h"

#define VFS_READ	0xffffffff81000100ULL
#define KSYS_READ	0xffffffff81000200ULL
#define CHAIN		0xffffffffc0001000ULL

static const char kallsyms[] =
	"0000000000000000 A fixed_percpu_data\n"
	"0000000000000100 A percpu\n"
	"ffffffffc0001000 t nft_do_chain\t[nf_tables]\n"		/* modules come last, and not in order, in the file */
	"ffffffff81000000 T startup\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T vfs_read\n"
	"ffffffff81000200 t ksys_read\n"
	"garbage\n"
	"ffffffff81000300\n"
	"ffffffff81000310 T\n"
	"ffffffff81000320 T \n"
	"\n"
	"ffffffff81000400 t odd\t[unfinished\n";

static void name_is(const struct ksyms *k, __u64 address, bool returned, const char *wanted)
{
	char *got = ksyms_name(k, address, returned);

	if (wanted)
		is_text(got, wanted, wanted);
	else
		ok(!got, "0x%llx has no name", (unsigned long long)address);
	free(got);
}

static void symbols(void)
{
	struct ksyms *k = ksyms_parse(strdup(kallsyms));

	name_is(k, VFS_READ, false, "vfs_read");
	name_is(k, VFS_READ + 0x1c, false, "vfs_read+0x1c");
	name_is(k, KSYS_READ, false, "ksys_read");
	name_is(k, KSYS_READ, true, "vfs_read+0x100");
	name_is(k, CHAIN + 0x12, true, "nft_do_chain+0x12 [nf_tables]");
	name_is(k, 0xffffffff81000000ULL, false, "startup");
	name_is(k, 0xffffffff81000350ULL, false, "ksys_read+0x150");
	name_is(k, 0xffffffff81000400ULL, false, "odd");
	name_is(k, 0xffffffff80ffffffULL, false, NULL);
	name_is(k, 0xffffffff81000000ULL, true, NULL);
	name_is(k, 0xffffffff90000000ULL, false, NULL);
	name_is(k, 0x104, false, NULL);
	name_is(k, 0, true, NULL);
	name_is(k, ~0ULL, false, NULL);
	ksyms_free(k);

	k = ksyms_parse(strdup("0000000000000000 T _stext\n0000000000000000 t vfs_read\n"));
	name_is(k, VFS_READ, false, NULL);
	name_is(k, 0, false, NULL);
	ksyms_free(k);
	k = ksyms_parse(strdup(""));
	name_is(k, VFS_READ, false, NULL);
	ksyms_free(k);
}

/* One part with one key of one word: what it reads. */
static char *key_text(unsigned int type, __u64 word, const char *lines)
{
	struct snap *snap = snap_new("key", 3);
	struct snapshot *s;
	struct keys *k;
	char *text;

	snap_by(snap, "x", type, 1);
	snap->part[0].key[0] = word;
	strcpy(snap->text, lines);
	s = finish(snap);
	k = keys_new(s);
	text = keys_text(k, &s->parts[0], 0);
	keys_free(k);
	snapshot_free(s);
	return text;
}

static void key_is(unsigned int type, __u64 word, const char *lines, const char *wanted)
{
	char *got = key_text(type, word, lines);

	is_text(got, wanted, wanted);
	free(got);
}

/* The C library's table is another one. */
static void errnos(void)
{
	char wanted[40], *got;
	int i, wrong = 0;

	for (i = 1; i <= 133; i++) {
		const char *name = strerrorname_np(i);

		snprintf(wanted, sizeof(wanted), "-%s", name ? name : "");
		if (!name)
			snprintf(wanted, sizeof(wanted), "-%d", i);
		got = key_text(KSTATS_BY_ERRNO, -(__u64)i, "");
		if (strcmp(got, wanted)) {
			printf("# %d: %s, not %s\n", i, got, wanted);
			wrong++;
		}
		free(got);
	}
	ok(!wrong, "errnos 1 to 133 by name");
	key_is(KSTATS_BY_ERRNO, -512LL, "", "-ERESTARTSYS");
	key_is(KSTATS_BY_ERRNO, -517LL, "", "-EPROBE_DEFER");
	key_is(KSTATS_BY_ERRNO, -520LL, "", "-520");
	key_is(KSTATS_BY_ERRNO, -531LL, "", "-ENOGRACE");
	key_is(KSTATS_BY_ERRNO, -532LL, "", "-532");
	key_is(KSTATS_BY_ERRNO, -4095LL, "", "-4095");
	key_is(KSTATS_BY_ERRNO, 0, "", "0");
	key_is(KSTATS_BY_ERRNO, 2, "", "2");
	key_is(KSTATS_BY_ERRNO, 1ULL << 63, "", "-9223372036854775808");
}

static void names(void)
{
	static const char lines[] = "enum 0 0 HRTIMER_NORESTART\nenum 0 1 HRTIMER_RESTART\nenum 0 -1 NOT_ONE\nenum 1 7 OTHER\n"
		"match 0 vfs_read\nmatch 12 tp:sched:sched_switch\n"
		"match -1 x\nmatch 3\nmatch 4x y\nmatch  5 y\nmatch 99999999999999999999 y\nmatch 6 a\033[2Jb\n"
		"enum 0\nenum 0 5\nenum 9 5 NINE\nenum -1 5 MINUS\nenum x 5 X\nenum 0 \nenum 0 -\nenum 0 8 ";

	key_is(KSTATS_BY_ENUM, 1, lines, "HRTIMER_RESTART");
	key_is(KSTATS_BY_ENUM, -1LL, lines, "NOT_ONE");
	key_is(KSTATS_BY_ENUM, 7, lines, "7");
	key_is(KSTATS_BY_ENUM, 5, lines, "5");
	key_is(KSTATS_BY_ENUM, -3LL, lines, "-3");
	key_is(KSTATS_BY_POINT, 0, lines, "vfs_read");
	key_is(KSTATS_BY_POINT, 12, lines, "tp:sched:sched_switch");
	key_is(KSTATS_BY_POINT, 3, lines, "match 3");
	key_is(KSTATS_BY_POINT, 4, lines, "match 4");
	key_is(KSTATS_BY_POINT, 5, lines, "match 5");
	key_is(KSTATS_BY_POINT, 6, lines, "a\\x1b[2Jb");
	key_is(KSTATS_BY_POINT, -1LL, lines, "match 18446744073709551615");
	key_is(KSTATS_BY_HEX, 0xffff888012345678ULL, lines, "0xffff888012345678");
	key_is(KSTATS_BY_HEX, 0, lines, "0x0");
	key_is(KSTATS_BY_SYMBOL, VFS_READ + 4, lines, "vfs_read+0x4");
	key_is(KSTATS_BY_SYMBOL, 0x1234, lines, "0x1234");
	key_is(KSTATS_BY_SYMBOL, 0, lines, "0x0");
	key_is(KSTATS_BY_U64, -1LL, lines, "18446744073709551615");
	key_is(KSTATS_BY_S64, -1LL, lines, "-1");
}

/* ---- counts ---- */

static struct snap *counts(const char *name)
{
	struct snap *s = snap_new(name, 0);

	s->head.kind = KSTATS_COUNTS;
	s->head.slots = 1;
	snap_line(s, "kind counts");
	return s;
}

static struct snap *by_stack(void)
{
	struct snap *s = counts("sched_switch");

	snap_line(s, "statement count tp:sched:sched_switch by comm, stack");
	snap_line(s, "point tp:sched:sched_switch tracepoint");
	snap_by(s, "comm", KSTATS_BY_STRING, 2);
	snap_by(s, "stack", KSTATS_BY_STACK, KSTATS_STACK_WORDS);
	s->nparts = 3;
	strcpy((char *)s->part[0].key, "bash");
	s->part[0].key[2] = KSYS_READ;
	s->part[0].key[3] = KSYS_READ;
	snap_add(s, 0, 0, 0, 300);
	strcpy((char *)s->part[1].key, "dd");
	s->part[1].key[2] = VFS_READ + 0x1c;
	s->part[1].key[3] = CHAIN + 0x40;
	s->part[1].key[4] = 0xdead;
	snap_add(s, 1, 0, 0, 1000);
	snap_add(s, 1, 5, 0, 200);
	strcpy((char *)s->part[2].key, "none");
	snap_add(s, 2, 1, 0, 5);
	return s;
}

static struct snap *pattern(void)
{
	static const char *const match[] = { "vfs_open", "vfs_read", "vfs_stat", "vfs_write" };
	struct snap *s = counts("vfs_*");
	int i;

	snap_line(s, "statement count \"vfs_*\" by cpu");
	for (i = 0; i < 4; i++) {
		snap_line(s, "point %s kprobe", match[i]);
		snap_line(s, "match %d %s", i, match[i]);
	}
	snap_by(s, "point", KSTATS_BY_POINT, 1);
	snap_by(s, "cpu", KSTATS_BY_U64, 1);
	s->nparts = 4;
	for (i = 0; i < 4; i++) {
		s->part[i].key[0] = i < 3 ? 1 : 3;
		s->part[i].key[1] = 9 + i;
		snap_add(s, i, i, 0, 1000 * (i + 1));
	}
	return s;
}

static void plain_counts(void)
{
	struct snap *s = counts("do_exit");

	snap_line(s, "statement count do_exit");
	snap_line(s, "point do_exit kprobe");
	snap_line(s, "unit hits");
	snap_add(s, 0, 1, 0, 12345);
	text_is(s, "a count", "do_exit\n  count do_exit\n  do_exit by kprobe\n\n  total 12,345   rate 2,469/s\n\n"
		"  hits 12,345 = recorded 12,345\n");

	s = counts("do_exit");
	s->head.term[KSTATS_HITS] = s->head.term[KSTATS_FILTERED] = 3;
	text_is(s, "a count of nothing", "do_exit\n\n  no hits in 5 s: `if` refused every one\n\n"
		"  hits 3 = recorded 0 + filtered 3\n");
}

static void counts_by(void)
{
	text_is(by_stack(), "counts by comm and stack",
		"sched_switch\n"
		"  count tp:sched:sched_switch by comm, stack\n"
		"  tp:sched:sched_switch by tracepoint\n"
		"\n"
		"  total 1,505   rate 301/s\n"
		"\n"
		"      hits  share     rate  comm\n"
		"     1,200  79.7%    240/s  dd\n"
		"            vfs_read+0x1c\n"
		"            nft_do_chain+0x40 [nf_tables]\n"
		"            0xdead\n"
		"       300  19.9%     60/s  bash\n"
		"            ksys_read\n"
		"            vfs_read+0x100\n"
		"         5   0.3%      1/s  none\n"
		"            (no stack)\n"
		"\n"
		"  hits 1,505 = recorded 1,505\n");
	options.verbose = true;
	options.top = 1;
	text_is(by_stack(), "details of counts",
		"sched_switch\n"
		"  count tp:sched:sched_switch by comm, stack\n"
		"  tp:sched:sched_switch by tracepoint\n"
		"  bits 0, 32,768 bytes of kernel memory, 8 CPUs\n"
		"\n"
		"  total 1,505   rate 301/s\n"
		"\n"
		"      hits  share     rate  comm\n"
		"     1,200  79.7%    240/s  dd\n"
		"            vfs_read+0x1c\n"
		"            nft_do_chain+0x40 [nf_tables]\n"
		"            0xdead\n"
		"  … 2 more, 305 hits (--top 3 shows all)\n"
		"\n"
		"  cpu            hits\n"
		"    0           1,300\n"
		"    1               5\n"
		"    5             200\n"
		"\n"
		"  hits 1,505 = recorded 1,505\n");
	options.verbose = false;
	options.top = 0;
}

#define PATTERN \
	"vfs_*\n" \
	"  count \"vfs_*\" by cpu\n" \
	"  vfs_open by kprobe\n" \
	"  vfs_read by kprobe\n" \
	"  vfs_stat by kprobe\n" \
	"  vfs_write by kprobe\n" \
	"\n" \
	"  total 10,000   rate 2,000/s\n" \
	"\n" \
	"      hits  share     rate  point      cpu\n" \
	"     4,000  40.0%    800/s  vfs_write   12\n"

static void patterns(void)
{
	struct snap *s;
	int i;

	text_is(pattern(), "a pattern's counts", PATTERN
		"     3,000  30.0%    600/s  vfs_read    11\n"
		"     2,000  20.0%    400/s  vfs_read    10\n"
		"     1,000  10.0%    200/s  vfs_read     9\n"
		"  2 of 4 matches had no hits\n"
		"\n"
		"  hits 10,000 = recorded 10,000\n");
	s = pattern();
	snap_line(s, "top 2");
	text_is(s, "the script says how many lines", PATTERN
		"     3,000  30.0%    600/s  vfs_read    11\n"
		"  … 2 more, 3,000 hits (the script says `top 2`)\n"
		"  2 of 4 matches had no hits\n"
		"\n"
		"  hits 10,000 = recorded 10,000\n");
	s = pattern();
	snap_line(s, "top 2");
	options.top = 1;
	text_is(s, "of two limits the smaller holds", PATTERN
		"  … 3 more, 6,000 hits (--top 4 shows all)\n"
		"  2 of 4 matches had no hits\n"
		"\n"
		"  hits 10,000 = recorded 10,000\n");
	options.top = 0;

	s = snap_new("many", 3);
	for (i = 0; i < 150; i++)
		snap_line(s, i % 3 ? "point f%d kprobe" : "point f%d ftrace", i);
	snap_line(s, "point odd");
	text_is(s, "many points are summed up", "many\n  1 point\n  50 points by ftrace\n  100 points by kprobe\n\n"
		"  no samples in 5 s: nothing came by while it was armed\n\n  hits 0 = recorded 0\n");
}

/* Durations with the other kinds of keys: in the table numbers right, words left, the stack below. */
static struct snap *mixed(void)
{
	struct snap *s = snap_new("calls", 3);
	int i;

	snap_line(s, "unit us");
	snap_line(s, "enum 1 1 ON");
	snap_by(s, "$return", KSTATS_BY_ERRNO, 1);
	snap_by(s, "state", KSTATS_BY_ENUM, 1);
	snap_by(s, "$p", KSTATS_BY_HEX, 1);
	snap_by(s, "stack", KSTATS_BY_STACK, KSTATS_STACK_WORDS);
	s->nparts = 2;
	for (i = 0; i < 2; i++) {
		s->part[i].key[0] = i ? 4096 : -11LL;
		s->part[i].key[1] = i;
		s->part[i].key[2] = i ? 0xabc : 0xffff888000000000ULL;
		s->part[i].key[3] = i ? VFS_READ : 0;
		snap_add(s, i, 0, i ? 100 : 1, 10);
	}
	return s;
}

static void durations(void)
{
	text_is(mixed(), "durations by errno, enum, pointer and stack",
		"calls\n"
		"\n"
		"  count   20   rate    4/s   mean 50.50 µs   min     1 µs   max    ≤103 µs\n"
		"  p50   1 µs   p90  102 µs   p99    103 µs   p99.9 103 µs   p99.99  103 µs\n"
		"\n"
		"   0 µs ..   2 µs   10  50.0%  █████████████████████████████████████████████████\n"
		"      ⋮\n"
		"  96 µs .. 112 µs   10  50.0%  █████████████████████████████████████████████████\n"
		"\n"
		"  $return  state                  $p  count  share    mean     p50     p99      max\n"
		"     4096  ON                  0xabc     10  99.0%  100 µs  100 µs  103 µs  ≤103 µs\n"
		"      vfs_read\n"
		"  -EAGAIN  0      0xffff888000000000     10   1.0%    1 µs    1 µs    1 µs     1 µs\n"
		"      (no stack)\n"
		"\n"
		"  hits 20 = recorded 20\n");
}

static void json(void)
{
	json_t *j = json_of(by_stack(), 0);

	is_string(j, "measurements/0/kind", "counts");
	is_string(j, "measurements/0/by/1/type", "stack");
	is_integer(j, "measurements/0/count", 1505);
	ok(!at(j, "measurements/0/mean") && !at(j, "measurements/0/groups/0/slots"), "JSON: counts have no figures");
	ok(json_is_null(at(j, "measurements/0/unit")) && json_is_null(at(j, "measurements/0/top")), "JSON: nor a unit");
	is_integer(j, "measurements/0/groups/0/count", 1200);
	is_integer(j, "measurements/0/groups/0/cpus/1/count", 200);
	is_string(j, "measurements/0/groups/0/key/0", "dd");
	is_string(j, "measurements/0/groups/0/key/1/0", "18446744071578845468");
	is_integer(j, "measurements/0/groups/0/key/1/2", 0xdead);
	is_string(j, "measurements/0/groups/0/names/1/1", "nft_do_chain+0x40 [nf_tables]");
	ok(json_is_null(at(j, "measurements/0/groups/0/names/0")) &&
	   json_is_null(at(j, "measurements/0/groups/0/names/1/2")), "JSON: what has no name");
	ok(json_array_size(at(j, "measurements/0/groups/0/key/1")) == 3 &&
	   json_array_size(at(j, "measurements/0/groups/2/names/1")) == 0, "JSON: as many frames as there are");
	json_decref(j);

	j = json_of(pattern(), 0);
	is_integer(j, "measurements/0/matches/3/number", 3);
	is_string(j, "measurements/0/matches/3/text", "vfs_write");
	is_integer(j, "measurements/0/groups/0/key/0", 3);
	is_string(j, "measurements/0/groups/0/names/0", "vfs_write");
	ok(json_array_size(at(j, "measurements/0/groups")) == 4, "JSON: every group");
	json_decref(j);
}

/* ---- hostile ---- */

/* Whatever parses can be shown, in both formats. */
static bool show(const void *data, size_t size)
{
	const struct render *formats[] = { &render_text, &render_json };
	const char *why;
	struct snapshot *s = read_parse(data, size, &why);
	int i;

	for (i = 0; s && i < 2; i++)
		free(render(formats[i], s, 0));
	snapshot_free(s);
	return s;
}

static void damaged(struct snap *snap, const char *name)
{
	static const __u32 bad[] = { 0, 1, 7, 0x7fffffff, 0xffffffff };
	static const char letters[] = " \n-0123456789match enum\xff\\";
	size_t size, n, i, shown = 0;
	unsigned char *data = snap_write(snap, &size), *copy = malloc(size);

	for (n = 0; n + 4 <= size; n += 4) {
		for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
			memcpy(copy, data, size);
			memcpy(copy + n, &bad[i], 4);
			shown += show(copy, size);
		}
	}
	for (i = 0; i < 300; i++) {	/* the text, with some of its characters replaced */
		memcpy(copy, data, size);
		for (n = 0; n < 10; n++)
			copy[sizeof(struct kstats_snapshot) + (size_t)(snap_random() * strlen(snap->text))] =
				letters[(size_t)(snap_random() * sizeof(letters))];
		shown += show(copy, size);
	}
	ok(shown > 500, "%s, damaged in any place: shown or refused, without harm (%zu shown)", name, shown);
	free(copy);
	free(data);
	snap_free(snap);
}

static void hostile(void)
{
	damaged(by_stack(), "counts by stack");
	damaged(pattern(), "a pattern");
	damaged(mixed(), "all kinds of keys");
}

/* What stands above a column of keys with this text. */
static bool headed(const char *text, const char *want)
{
	struct snap *snap = snap_new("key", 3);
	char heading[KEYS_HEADING];
	struct snapshot *s;
	bool good;

	snap_by(snap, text, KSTATS_BY_U64, 1);
	s = finish(snap);
	good = !strcmp(keys_heading(s, 0, heading), want);
	if (!good)
		printf("# %s: %s\n", text, heading);
	snapshot_free(s);
	return good;
}

static void headings(void)
{
	ok(headed("comm", "comm") && headed("12345678901234567890123", "12345678901234567890123"), "what fits stands as it is");
	ok(headed("(char *)$file->f_path.dentry->d_name.name", "..dentry->d_name.name"), "a path: its end, from a member on");
	ok(headed("(enum req_op)($rq->cmd_flags & 0xff)", "($rq->cmd_flags & 0xff)"), "without the cast it fits");
	ok(headed("ntohs(((struct sock *)$sk)->__sk_common.skc_dport)", "..skc_dport)"), "a call: its end");
	ok(headed("((struct tcp_sock *)$sk)->srtt_us", "..srtt_us"), "a cast inside is none of the whole");
	ok(headed("$rq->__data_len <= 4K ? 4 : 16", "$rq->__data_len <= 4K ?"), "a choice: its beginning");
	ok(headed("$a_name_of_an_argument_without_end", ".._argument_without_end"), "a name: its end");
}

int main(int argc, char **argv)
{
	look = argc > 1;
	options.top = 0;
	symbols();
	ksyms_replace(ksyms_parse(strdup(kallsyms)));
	errnos();
	headings();
	names();
	plain_counts();
	counts_by();
	patterns();
	durations();
	json();
	if (!look)
		hostile();
	ksyms_replace(NULL);
	return done();
}
