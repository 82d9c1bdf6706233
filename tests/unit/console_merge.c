// SPDX-License-Identifier: GPL-2.0
/*
 * console_merge.c: reports added up, against the same samples in one histogram; what must not be added.
 */
#include <math.h>
#include <unistd.h>

#include <sys/stat.h>

#include "console/cgroups.h"
#include "console/ksyms.h"
#include "console/merge.h"
#include "console/say.h"
#include "console_known.h"

static char path[] = "/tmp/console_merge.XXXXXX";

/* A report as it comes from a file. Frees the snaps. */
static struct merge_file filed(const char *name, struct snap **snap, size_t n, const char *boot, double taken, double seconds)
{
	struct merge_file f = { .path = name };
	struct snapshot *s[4];
	struct report r = { .snapshots = s, .n = n, .seconds = seconds, .taken = { (long)taken, lround((taken - (long)taken) * 1e9) },
			    .release = "6.1", .host = boot, .boot = boot };
	FILE *out = fopen(path, "w");
	size_t i;

	for (i = 0; i < n; i++) {
		s[i] = finish(snap[i]);
		cgroups_settle(s[i]);
	}
	render_json.write(out, &r, &options);
	fclose(out);
	if (!saved_read(path, &f.saved))
		printf("# %s was not read back\n", name);
	for (i = 0; i < n; i++)
		snapshot_free(s[i]);
	return f;
}

static void free_files(struct merge_file *f, size_t n)
{
	while (n)
		saved_free(&f[--n].saved);
}

/* merge_files, with what it says kept in *said. */
static bool quietly(struct merge_file *f, size_t n, struct report *out, char **said)
{
	FILE *err = tmpfile();
	int kept = dup(2);
	bool good;
	long size;

	fflush(stderr);
	dup2(fileno(err), 2);
	good = merge_files(f, n, out);
	fflush(stderr);
	dup2(kept, 2);
	close(kept);
	size = lseek(fileno(err), 0, SEEK_END);
	*said = say_calloc(size + 1, 1);
	if (pread(fileno(err), *said, size, 0) != size)
		**said = 0;
	fclose(err);
	return good;
}

static void refused(const char *name, struct merge_file *f, size_t n, const char *what)
{
	struct report out;
	char *said;

	ok(!quietly(f, n, &out, &said), "%s is refused", name);
	if (!ok(strstr(said, what) != NULL, "... since %s", what))
		printf("# said %s", said);
	free(said);
	saved_free_report(&out);
	free_files(f, n);
}

static char *rendered(const struct report *r)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	render_text.write(f, r, &options);
	fclose(f);
	return text;
}

/* ---- exactness ---- */

/* What is merged can be merged again: not with what is in it, but with what came in its gap. */
static void again(const struct merge_file *f, struct report *all)
{
	struct merge_file two[2] = { { "all", { all, 1 } }, f[1] };
	struct report gap = { .snapshots = f[1].saved.report->snapshots, .n = 1, .seconds = 4, .boot = "first" }, out;
	char *said;

	ok(!quietly(two, 2, &out, &said) && strstr(said, "count them twice"), "merged with one that is in it: refused");
	free(said);
	saved_free_report(&out);
	gap.taken = f[0].saved.report->taken;
	gap.taken.tv_sec += 4;
	two[1].saved = (struct saved){ &gap, 1 };
	ok(quietly(two, 2, &out, &said), "merged with one from its gap: added");
	free(said);
	saved_free_report(&out);
}

static __u64 sample(void)
{
	unsigned int shift = snap_random() * 64;

	return ((__u64)(snap_random() * 4294967296.0) << 32 | (__u64)(snap_random() * 4294967296.0)) >> shift;
}

/*
 * Machines of different bits, some with several reports: counts and sums of each slot of the merged histogram are those of the samples,
 * which are kept beside it and sorted into slots by division (snap_slot), not by slot.h.
 */
static void exact(unsigned int round)
{
	enum { FILES = 5, SAMPLES = 300 };
	struct merge_file f[FILES];
	static __u64 n[SNAP_CPUS * FILES][57000], all;
	static u128 sum[SNAP_CPUS * FILES][57000];
	unsigned int bits[FILES], fewest = KSTATS_BITS_MAX, i, j, k, cpu, slot, wrong = 0;
	static __u64 value[FILES][SAMPLES];
	static unsigned int on[FILES][SAMPLES];
	struct snapshot_total t;
	struct report out;
	char name[FILES][8], *text;

	memset(n, 0, sizeof(n));
	memset(sum, 0, sizeof(sum));
	for (i = 0; i < FILES; i++) {
		struct snap *s;

		bits[i] = snap_random() * (KSTATS_BITS_MAX + 1);
		fewest = bits[i] < fewest ? bits[i] : fewest;
		s = known_calls("f", bits[i]);
		snprintf(name[i], sizeof(name[i]), "%u", i);
		for (j = 0; j < SAMPLES; j++) {
			/* no slot gets so many on one CPU that its sum is lost before it is added */
			value[i][j] = sample() >> (round % 2 ? 0 : 20);
			on[i][j] = snap_random() * SNAP_CPUS;
			snap_add(s, 0, on[i][j], value[i][j], 1);
		}
		/* 0, 1: two reports of one machine, one after the other */
		f[i] = filed(name[i], &s, 1, i < 2 ? "first" : i == 2 ? "second" : name[i], 1790000000 + i * 10, 5);
	}
	ok(merge_files(f, FILES, &out) && out.n == 1 && out.snapshots[0]->head.bits == fewest, "five files, bits %u %u %u %u %u: bits %u",
	   bits[0], bits[1], bits[2], bits[3], bits[4], fewest);
	for (all = i = 0; i < FILES; i++)
		for (j = 0; j < SAMPLES; j++, all++) {
			cpu = on[i][j] + SNAP_CPUS * (i ? i - 1 : 0);
			slot = snap_slot(value[i][j], fewest);
			n[cpu][slot]++;
			sum[cpu][slot] += value[i][j];
		}
	ok(out.n && out.snapshots[0]->head.cpus == SNAP_CPUS * (FILES - 1), "CPUs of four machines");
	for (cpu = 0; cpu < SNAP_CPUS * (FILES - 1); cpu++) {
		snapshot_total(out.snapshots[0], NULL, cpu, &t);
		for (k = slot = 0; slot < (65 - fewest) << fewest; slot++) {
			const struct snapshot_slot *got = slot >= t.first && slot - t.first < t.count ? &t.slot[slot - t.first] : NULL;
			__u64 lo = kstats_slot_lo(slot, fewest);

			k += n[cpu][slot];
			if ((got ? got->n : 0) != n[cpu][slot] ||
			    (got && got->n && got->known && got->excess + (u128)got->n * lo != sum[cpu][slot]))
				wrong++;
			/* unknown only where a file did not know it: kstats_slot_excess of its bits */
			if (got && got->n && !got->known && round % 2 == 0)
				wrong++;
		}
		wrong += t.n != k;
		snapshot_total_free(&t);
	}
	ok(!wrong, "each slot of each CPU has its samples and their sum (%u wrong)", wrong);
	ok(out.snapshots[0]->head.term[KSTATS_HITS] == all && out.snapshots[0]->head.term[KSTATS_RECORDED] == all, "%llu hits",
	   (unsigned long long)all);
	ok(out.nsources == 5 && out.sources[0].seconds == 5 && out.sources[1].seconds == 5 && !out.sources[1].first_cpu &&
	   out.sources[2].first_cpu == 8 && out.seconds == 10 && out.snapshots[0]->head.armed_ns == 10000000000ULL,
	   "four machines, the first of two times 5 s with a gap between");
	text = rendered(&out);
	ok(strstr(text, "merged first, kernel 6.1, 5.000 s: CPUs 0 to 7\n       first, kernel 6.1, 5.000 s: CPUs 0 to 7\n"
		  "       second, kernel 6.1, 5.000 s: CPUs 8 to 15\n") == text,
	   "the report says whose they are");
	free(text);
	ok(!out.host && !out.boot && out.release && !strcmp(out.release, "6.1"), "of several machines, one kernel");
	again(f, &out);
	saved_free_report(&out);
	free_files(f, FILES);
}

/* ---- intervals of one run ---- */

/* Samples come in four intervals, with some in flight at each end: together they are the whole, whatever else was measured meanwhile. */
static void intervals(void)
{
	static const __u64 flying[] = { 3, 0, 5, 2 };
	struct merge_file f[5];
	struct snapshot *whole, *before = NULL, *now, *part;
	struct snap *snap;
	struct report out;
	char name[4][8], *one, *other;
	unsigned int i, j, k;

	for (i = 0; i < 4; i++) {
		struct report r = { .number = i + 1, .seconds = 1, .taken = { 1790000000 + i, 0 }, .release = "6.1", .host = "h", .boot = "b", .n = 1 };
		FILE *file;

		snap = known_calls("f", 5);
		for (j = 0; j <= i; j++)
			for (k = 0; k < 100; k++)
				snap_add(snap, 0, k % 3, 1000 * (j + 1) + 7 * k, 1 + j);
		snap->head.term[KSTATS_FILTERED] = 4 * i;
		snap->head.term[KSTATS_IN_FLIGHT] = flying[i];
		snap->head.term[KSTATS_HITS] += 4 * i + flying[i];
		snap->head.armed_ns = (i + 1) * 1000000000ULL;
		snap->head.resets = 2;
		now = finish(snap);
		part = before ? snapshot_subtract(now, before) : snapshot_copy(now);
		r.snapshots = &part;
		file = fopen(path, "w");
		render_json.write(file, &r, &options);
		fclose(file);
		snprintf(name[i], sizeof(name[i]), "%u", i);
		f[i].path = name[i];
		ok(saved_read(path, &f[i].saved), "interval %u", i + 1);
		snapshot_free(part);
		if (before)
			snapshot_free(before);
		before = now;
	}
	whole = before;
	snap = known_calls("g", 5);
	f[4] = filed("between", &snap, 1, "b", 1790000000.5, 1);
	ok(merge_files(f, 5, &out), "four intervals are added");
	ok(out.seconds == 4 && out.nsources == 1 && out.sources->seconds == 4, "they are four seconds, one of which another measured too");
	one = render(&render_text, whole, 0);
	other = render(&render_text, out.snapshots[0], 0);
	is_text(other, one, "they are what one report of the whole time is");
	free(one);
	free(other);
	ok(out.snapshots[0]->head.resets == 2, "and was reset as often");
	snapshot_free(whole);
	saved_free_report(&out);
	free_files(f, 5);
}

/* ---- keys with names ---- */

static struct snap *by_symbol(const __u64 *address, unsigned int n)
{
	struct snap *s = known_calls("f", 3);
	unsigned int i;

	snap_by(s, "caller", KSTATS_BY_SYMBOL, 1);
	snap_by(s, "stack", KSTATS_BY_STACK, KSTATS_STACK_WORDS);
	s->nparts = n;
	for (i = 0; i < n; i++) {
		s->part[i].key[0] = address[i];
		s->part[i].key[1] = address[i];
		s->part[i].key[2] = address[(i + 1) % n] + 16;
		snap_add(s, i, i, 100 * (i + 1), 10);
	}
	return s;
}

/* Two machines whose kernels lie elsewhere: what has one name is one group, what happens to have one address is not. */
static void symbols(void)
{
	static const __u64 one[] = { 0xffffffff81000000, 0xffffffff81000100, 0xffffffff81000200 },
			   other[] = { 0xffffffff81000200, 0xffffffff81000300, 0xffffffff81000100 };
	struct merge_file f[2];
	struct report out;
	struct snap *s;
	unsigned int i;
	char *text;

	ksyms_replace(ksyms_parse(say_strdup("ffffffff81000000 T a\nffffffff81000100 T b\nffffffff81000200 T c\n")));
	s = by_symbol(one, 3);
	f[0] = filed("0", &s, 1, "one", 1790000000, 5);
	/* there, 0x...200 is a, 0x...300 is b, and 0x...100 is d */
	ksyms_replace(ksyms_parse(say_strdup("ffffffff81000200 T a\nffffffff81000300 T b\nffffffff81000100 T d\n")));
	s = by_symbol(other, 3);
	f[1] = filed("1", &s, 1, "two", 1790000000, 5);
	ksyms_replace(ksyms_parse(say_strdup("ffffffff81000000 T nobody\n")));
	ok(merge_files(f, 2, &out) && out.n == 1, "two machines by symbol and stack");
	ok(out.n && out.snapshots[0]->nparts == 5, "five keys: a, b and c here; a and b with other callers, d there");
	text = render(&render_text, out.snapshots[0], 0);
	for (i = 0; i < 4; i++)
		ok(strstr(text, (const char *[]){ "  a", "  b", "  c", "  d" }[i]) != NULL, "... %c by its name", "abcd"[i]);
	if (!ok(!strstr(text, "nobody") && !strstr(text, "0xffff"), "... and none by this kernel's, or by number"))
		printf("%s", text);
	free(text);
	saved_free_report(&out);
	free_files(f, 2);
	ksyms_replace(NULL);
}

/* Two machines whose cgroups have each other's numbers: the folders of one are renamed to those of the other. */
static void cgroups(void)
{
	static const char *const folder[] = { "/web", "/lxc.payload.db", "/other" };
	char root[] = "/tmp/console_merge.XXXXXX", *name[3], *text;
	struct merge_file f[2];
	struct report out;
	struct stat st[3];
	struct snap *s;
	unsigned int i, m;

	if (!mkdtemp(root))
		return;
	for (i = 0; i < 3; i++) {
		name[i] = say_text("%s%s", root, folder[i]);
		mkdir(name[i], 0700);
		stat(name[i], &st[i]);
	}
	for (m = 0; m < 2; m++) {
		cgroups_replace(root);
		s = known_calls("f", 3);
		snap_by(s, "cgroup", KSTATS_BY_CGROUP, 1);
		snap_by(s, "container", KSTATS_BY_CONTAINER, 1);
		s->nparts = 2;
		for (i = 0; i < 2; i++) {
			s->part[i].key[0] = s->part[i].key[1] = st[i].st_ino;
			snap_add(s, i, 0, 100, i ? 7 : 3);
		}
		f[m] = filed(m ? "1" : "0", &s, 1, m ? "two" : "one", 1790000000, 5);
		rename(name[0], name[2]);
		rename(name[1], name[0]);
		rename(name[2], name[1]);
	}
	ok(merge_files(f, 2, &out) && out.n == 1, "two machines by cgroup and container");
	ok(out.n && out.snapshots[0]->nparts == 2, "two groups");
	text = render(&render_csv, out.snapshots[0], 0);
	if (!ok(strstr(text, "slot,/web,(none),,,0,36,96,103,3,300\r") && strstr(text, "slot,/web,(none),,,8,36,96,103,7,700\r"), "... of which each is what has its name"))
		printf("%s", text);
	if (!ok(strstr(text, ",/lxc.payload.db,db,,,0,36,96,103,7,700\r") && strstr(text, ",/lxc.payload.db,db,,,8,36,96,103,3,300\r"), "... a container by the container's"))
		printf("%s", text);
	free(text);
	saved_free_report(&out);
	free_files(f, 2);
	for (i = 0; i < 3; i++) {
		rmdir(name[i]);
		free(name[i]);
	}
	rmdir(root);
	cgroups_replace(NULL);
}

/* The pattern matched other functions on the other kernel. */
static void matches(void)
{
	struct merge_file f[2];
	struct report out;
	struct snap *s;
	json_t *root;
	unsigned int i;
	char *text;

	for (i = 0; i < 2; i++) {
		s = known_calls("f", 3);
		snap_line(s, "match 0 %s", i ? "vfs_open" : "vfs_read");
		snap_line(s, "match 1 %s", i ? "vfs_read" : "vfs_write");
		snap_by(s, "\"vfs_*\"", KSTATS_BY_POINT, 1);
		s->nparts = 2;
		s->part[1].key[0] = 1;
		snap_add(s, 0, 0, 1000, 1 + 10 * i);	/* vfs_read 1, vfs_open 11 */
		snap_add(s, 1, 0, 1000, 100 + 900 * i);	/* vfs_write 100, vfs_read 1000 */
		f[i] = filed(i ? "1" : "0", &s, 1, i ? "two" : "one", 1790000000, 5);
	}
	ok(merge_files(f, 2, &out), "two kernels by match");
	text = render(&render_json, out.snapshots[0], 0);
	root = json_loads(text, 0, NULL);
	for (i = 0; i < 3; i++) {
		static const struct { const char *name; long long count; } wanted[] = { { "vfs_read", 1001 }, { "vfs_write", 100 }, { "vfs_open", 11 } };
		char field[64];

		snprintf(field, sizeof(field), "measurements/0/groups/%u/names/0", i);
		is_string(root, field, wanted[i].name);
		snprintf(field, sizeof(field), "measurements/0/groups/%u/count", i);
		is_integer(root, field, wanted[i].count);
	}
	ok(json_array_size(at(root, "measurements/0/matches")) == 3, "three matches");
	json_decref(root);
	free(text);
	saved_free_report(&out);
	free_files(f, 2);
}

/* ---- what is not added ---- */

static struct merge_file simple(const char *name, const char *line, const char *boot, double taken)
{
	struct snap *s = snap_new("f", 3);

	snap_line(s, "%s", line);
	snap_add(s, 0, 0, 1000, 1);
	return filed(name, &s, 1, boot, taken, 5);
}

static void misfits(void)
{
	struct merge_file f[2];
	struct report out;
	struct snap *s;

	f[0] = simple("a", "unit ns", "one", 1790000000);
	f[1] = simple("b", "unit bytes", "two", 1790000000);
	refused("another unit", f, 2, "unit");
	f[0] = simple("a", "unit ns", "one", 1790000000);
	f[1] = simple("b", "unit ns", "one", 1790000001);
	refused("the same time of a boot", f, 2, "count them twice");
	f[0] = simple("a", "unit ns", "one", 1790000000);
	f[1] = simple("a", "unit ns", "two", 1790000001);
	refused("one file twice", f, 2, "named twice");
	f[0] = simple("a", "enum 0 1 ONE", "one", 1790000000);
	f[1] = simple("b", "enum 0 1 TWO", "two", 1790000001);
	refused("another name of an enumerator", f, 2, "called TWO there and ONE in a");
	f[0] = simple("a", "unit ns", "one", 1790000000);
	s = known_calls("f", 3);
	snap_by(s, "comm", KSTATS_BY_STRING, 2);
	f[1] = filed("b", &s, 1, "two", 1790000000, 5);
	refused("another key", f, 2, "keys of f are others");
	f[0] = simple("a", "unit ns", "one", 1790000000);
	f[1] = simple("b", "unit ns", "one", 1790000005.01);
	ok(merge_files(f, 2, &out) && out.n == 1 && out.boot, "the next five seconds of a boot are added");
	saved_free_report(&out);
	free_files(f, 2);
	f[0] = simple("a", "floor 40 direct/fast", "one", 1790000000);
	f[1] = simple("b", "floor 38 direct/fast", "two", 1790000000);
	ok(merge_files(f, 2, &out) && out.n && !strcmp(out.snapshots[0]->text, "floor 38 direct/fast\n"), "of two floors, the lower one");
	saved_free_report(&out);
	free_files(f, 2);
}

int main(void)
{
	unsigned int i;

	close(mkstemp(path));
	for (i = 0; i < 12; i++)
		exact(i);
	intervals();
	symbols();
	cgroups();
	matches();
	misfits();
	unlink(path);
	return done();
}
