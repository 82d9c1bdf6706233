// SPDX-License-Identifier: GPL-2.0
/*
 * export.c: debugfs: kstats/NAME (text, see show.c), kstats/_bin/NAME (binary, see kstats.h), kstats/_entries/NAME (room for keys).
 *
 * An open takes a copy, the binary form, and everything is then read from that: reading blocks nobody, and whoever has a
 * file open keeps neither the measurement nor the module it belongs to. Files are debugfs' unsafe kind, which do not
 * make removal wait for us: each call looks the measurement up by its file's name instead, and takes a reference.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/once.h>
#include <linux/random.h>
#include <linux/seq_file.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include "away.h"
#include "direct.h"
#include "export.h"
#include "floor.h"
#include "guard.h"
#include "measure.h"
#include "show.h"

#define COPY_TRIES	8
#define MORE_TEXT	256	/* lines that change while a measurement lives */

static struct dentry *dir, *binary_dir, *entries_dir;

/* ---- the copy ---- */

static u32 used_parts(const struct ks_table *t)
{
	return t->key_words ? atomic_read(&t->parts_used) : 1;
}

/* One CPU's counters of a table; hits apart, since they are read last. */
static void add_ends(const struct ks_table *t, int cpu, u64 *term)
{
	const u64 *counted = per_cpu_ptr(t->cpu, cpu)->term;
	unsigned int i;

	for (i = KSTATS_HITS + 1; i < KSTATS_NTERMS; i++)
		term[i] += READ_ONCE(counted[i]);
}

/* With everything else of @term known: what only began, and so the rest. */
static u64 derive(const struct kstats *k, u64 *term)
{
	u64 ends = 0, missed, hits;
	unsigned int i;
	int cpu;

	term[KSTATS_STOPPED] += k->table->stopped;
	for (i = KSTATS_RECORDED; i < KSTATS_IN_FLIGHT; i++)
		ends += term[i];
	if (!k->statement) {		/* by hand: nothing is ever in flight */
		term[KSTATS_HITS] = ends;
		return 0;
	}
	smp_rmb();			/* who is seen to end is seen to begin */
	for_each_possible_cpu(cpu)
		term[KSTATS_HITS] += READ_ONCE(per_cpu_ptr(k->table->cpu, cpu)->term[KSTATS_HITS]);
	hits = ks_measure_hits(k);
	term[KSTATS_HITS] += k->table->carried + hits;
	term[KSTATS_IN_FLIGHT] = term[KSTATS_HITS] - ends;

	/* Beside those that were counted as they happened. Looked at once: it grows, and stands on both sides. */
	missed = ks_measure_missed(k);
	term[KSTATS_MISSED] += missed;
	term[KSTATS_HITS] += missed;
	return hits;
}

u64 ks_export_terms(const struct kstats *k, u64 *term)
{
	const struct ks_table *t = k->table;
	u32 part, i, parts = used_parts(t);
	int cpu;

	memset(term, 0, KSTATS_NTERMS * sizeof(*term));
	for_each_possible_cpu(cpu) {
		for (part = 0; part < parts; part++) {
			const struct kstats_slot *s = ks_record_slots(t, cpu, part);

			for (i = 0; i < t->nslots; i++, s++)
				term[KSTATS_RECORDED] += READ_ONCE(s->n);
			cond_resched();
		}
		add_ends(t, cpu, term);
	}
	return derive(k, term);
}

/* The run of slots of one part and CPU that have samples, or none. */
static bool find_run(const struct ks_table *t, u32 part, int cpu, u32 *first, u32 *count)
{
	const struct kstats_slot *s = ks_record_slots(t, cpu, part);
	u32 lo = 0, hi = t->nslots;

	while (lo < hi && !READ_ONCE(s[lo].n))
		lo++;
	while (hi > lo && !READ_ONCE(s[hi - 1].n))
		hi--;
	*first = lo;
	*count = hi - lo;
	return hi > lo;
}

/* A buffer that is filled once its size has been found by the same walk with no buffer. */
struct writer {
	char *at;
	char *end;
	size_t bytes;
	u64 recorded;
	u32 text_bytes;
	u32 parts;
	bool too_small;
	enum { SHOWN, NAMED, HIDDEN } addresses;	/* in keys: as they are; only where they are shown by name; not at all */
};

static void *put(struct writer *w, size_t bytes)
{
	void *p = NULL;

	if (w->at) {
		if (bytes > w->end - w->at) {
			w->too_small = true;
			return NULL;
		}
		p = w->at;
		w->at += bytes;
	}
	w->bytes += bytes;
	return p;
}

static void put_run(struct writer *w, const struct ks_table *t, u32 part, int cpu, u32 first, u32 count)
{
	const struct kstats_slot *from = ks_record_slots(t, cpu, part) + first;
	struct kstats_snapshot_run *run = put(w, struct_size(run, slot, count));
	u32 i;

	if (!run)
		return;
	run->cpu = cpu;
	run->first = t->first + first;
	run->count = count;
	run->pad = 0;
	for (i = 0; i < count; i++) {
		run->slot[i].n = READ_ONCE(from[i].n);
		run->slot[i].sum = READ_ONCE(from[i].sum);
		w->recorded += run->slot[i].n;
	}
}

/* What is behind the end of a text is no part of the key. */
static void trim_texts(const struct kstats *k, u64 *key)
{
	unsigned int i;

	for (i = 0; i < k->nby; key += k->by[i++].words) {
		char *text = (char *)key, *end = text + k->by[i].words * sizeof(u64);

		if (k->by[i].type != KSTATS_BY_STRING)
			continue;
		text += strnlen(text, end - text);
		memset(text, 0, end - text);
	}
}

/*
 * With kernel.kptr_restrict the kernel shows addresses to those alone who have CAP_SYSLOG, or to nobody: whom it denies them, it prints %pK as zeros.
 */
static bool may_see_addresses(void)
{
	char text[24];

	scnprintf(text, sizeof(text), "%pK", (void *)put);
	return text[strspn(text, "0")];
}

/* Another number for an address in the kernel, the same for the same until kstats.ko goes. */
static u64 hide(u64 address)
{
	static siphash_key_t secret;

	get_random_once(&secret, sizeof(secret));
	return (s64)address < 0 ? siphash_1u64(address, &secret) : address;
}

static void hide_addresses(const struct kstats *k, u64 *key, bool named)
{
	unsigned int i, j;

	for (i = 0; i < k->nby; key += k->by[i++].words) {
		enum kstats_by_type type = k->by[i].type;
		bool symbol = type == KSTATS_BY_SYMBOL || type == KSTATS_BY_FUNCTION || type == KSTATS_BY_STACK;

		if (!symbol && type != KSTATS_BY_HEX)
			continue;
		for (j = 0; j < k->by[i].words; j++) {
			char name[KSYM_SYMBOL_LEN];

			/* One that has no name would be shown as it is. */
			if (named && symbol && sprint_symbol(name, key[j]) && *name != '0')
				continue;
			key[j] = hide(key[j]);
		}
	}
}

/* The high word may change while the low one is read: then again. (ks_record_square() says what no reader can see.) */
static void add_squares(const struct ks_table *t, u32 part, int cpu, u64 *sum)
{
	const u64 *from = (const u64 *)(ks_record_slots(t, cpu, part) + t->nslots);
	u64 low, high;
	int try = 0;

	do {
		high = READ_ONCE(from[1]);
		smp_rmb();
		low = READ_ONCE(from[0]);
		smp_rmb();
	} while (high != READ_ONCE(from[1]) && ++try < COPY_TRIES);
	sum[0] += low;
	sum[1] += high + (sum[0] < low);
}

static void put_part(struct writer *w, const struct kstats *k, u32 part)
{
	const struct ks_table *t = k->table;
	const u64 *key = t->key_words ? ks_record_key(t, part) : NULL;
	size_t head = sizeof(struct kstats_snapshot_part) + t->key_words * sizeof(u64);
	struct writer before = *w;
	struct kstats_snapshot_part *p;
	u32 first, count, runs = 0;
	int cpu;

	if (t->key_words && !key)
		return;
	p = put(w, head);
	w->parts++;
	if (p)
		memset(p->squares, 0, sizeof(p->squares));
	if (p && key) {
		memcpy(p->key, key, t->key_words * sizeof(u64));
		trim_texts(k, p->key);
		if (w->addresses != SHOWN)
			hide_addresses(k, p->key, w->addresses == NAMED);
	}
	for_each_possible_cpu(cpu) {
		if (!find_run(t, part, cpu, &first, &count))
			continue;
		put_run(w, t, part, cpu, first, count);
		if (p && t->squares)
			add_squares(t, part, cpu, p->squares);
		runs++;
	}
	if (t->key_words && !runs) {	/* nothing came of this key (yet) */
		*w = before;
	} else if (p) {
		p->runs = runs;
		p->bytes = w->bytes - before.bytes;
	}
}

/* What is known of a measurement from its beginning, then @more. */
static void put_text(struct writer *w, const struct kstats *k, const char *more, size_t more_bytes)
{
	size_t bytes = k->text_bytes + more_bytes;
	char *text = put(w, ALIGN(bytes, 8));

	w->text_bytes = ALIGN(bytes, 8);
	if (!text)
		return;
	memcpy(text, k->text, k->text_bytes);
	memcpy(text + k->text_bytes, more, more_bytes);
	memset(text + bytes, 0, w->text_bytes - bytes);
}

static void walk(struct writer *w, const struct kstats *k, const char *more, size_t more_bytes)
{
	u32 part, parts = used_parts(k->table);

	put(w, sizeof(struct kstats_snapshot));
	put_text(w, k, more, more_bytes);
	for (part = 0; part < parts; part++) {
		put_part(w, k, part);
		cond_resched();
	}
}

/* Close enough: `armed` may change meanwhile. */
static size_t memory_of(const struct kstats *k)
{
	size_t bytes = sizeof(*k) + k->text_bytes + k->table->memory + ks_pair_memory(k->pairs) + ks_away_memory(k->away);
	unsigned int i;

	for (i = 0; i < k->nprobes; i++)
		bytes += ks_probe_memory(&k->probes[i]);
	return bytes;
}

static void fill_header(struct kstats_snapshot *h, const struct kstats *k, const struct writer *w)
{
	u64 now = ktime_get_ns();
	int cpu;

	h->magic = KSTATS_SNAPSHOT_MAGIC;
	h->version = KSTATS_VERSION;
	h->header_bytes = sizeof(*h);
	h->bytes = w->bytes;
	h->now_ns = now;
	h->armed_ns = k->armed_ns + (k->counting ? now - k->armed_since : 0);
	h->resets = k->resets;
	h->made_ns = k->made_ns;
	h->armed_before = k->armed_before;
	memcpy(h->before, k->before, sizeof(h->before));
	h->memory = memory_of(k);
	h->state = k->counting ? KSTATS_ARMED : KSTATS_STOPPED_STATE;
	h->bits = k->bits;
	h->first = k->table->first;
	h->slots = k->table->nslots;
	h->cpus = nr_cpu_ids;
	h->parts = w->parts;
	h->nby = k->nby;
	h->by_words = k->by_words;
	memcpy(h->by, k->by, sizeof(h->by));
	strscpy(h->name, k->name, sizeof(h->name));
	h->text_bytes = w->text_bytes;
	h->order = k->order;
	h->kind = k->kind;
	h->form = k->form;

	for_each_possible_cpu(cpu)
		add_ends(k->table, cpu, h->term);
	h->term[KSTATS_RECORDED] = w->recorded;
	derive(k, h->term);
	/*
	 * While RESET waits, a start may be counted in the new table by an interrupt of the very handler that then ends
	 * it in the old one: for that moment the old one has an end too many.
	 */
	if ((s64)h->term[KSTATS_IN_FLIGHT] < 0) {
		h->term[KSTATS_HITS] -= h->term[KSTATS_IN_FLIGHT];
		h->term[KSTATS_IN_FLIGHT] = 0;
	}
}

/* A consistent copy; kvfree it. ERR_PTR: no memory, or no such measurement any more. @named: who reads it has addresses as names alone. */
static struct kstats_snapshot *take_copy(const char *name, bool named)
{
	int addresses = may_see_addresses() ? SHOWN : named ? NAMED : HIDDEN;
	struct kstats *k = ks_measure_get(name);
	struct kstats_snapshot *h = NULL;
	size_t room, more_bytes;
	char more[MORE_TEXT];
	struct writer w;
	int try;

	if (!k)
		return ERR_PTR(-ENOENT);
	mutex_lock(&k->read_lock);
	if (k->counting)
		ks_clock_check(&k->clock);
	more_bytes = ks_clock_text(&k->clock, more, sizeof(more));
	more_bytes += ks_guard_text(k, more + more_bytes, sizeof(more) - more_bytes);
	if (k->counting) {
		more_bytes += ks_floor_shared(k, more + more_bytes, sizeof(more) - more_bytes);
		more_bytes += ks_ftrace_text(k, more + more_bytes, sizeof(more) - more_bytes);
		more_bytes += ks_watch_blind(k, more + more_bytes, sizeof(more) - more_bytes);
	}
	/* More may come in between the two walks: there is room for some, and another try with twice of that. */
	for (try = 0; try < COPY_TRIES; try++) {
		w = (struct writer){};
		walk(&w, k, more, more_bytes);
		room = w.bytes + (w.bytes / 4 << try) + (PAGE_SIZE << try);
		h = room <= INT_MAX ? kvzalloc(room, GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL) : NULL;
		if (!h)
			break;
		w = (struct writer){ .at = (char *)h, .end = (char *)h + room, .addresses = addresses };
		walk(&w, k, more, more_bytes);
		if (!w.too_small) {
			fill_header(h, k, &w);
			break;
		}
		kvfree(h);
		h = NULL;
	}
	mutex_unlock(&k->read_lock);
	ks_measure_put(k);
	return h ?: ERR_PTR(-ENOMEM);
}

/* ---- the binary file ---- */

static const char *file_name(const struct file *file)
{
	return file_dentry(file)->d_name.name;
}

static int binary_open(struct inode *inode, struct file *file)
{
	struct kstats_snapshot *h = take_copy(file_name(file), false);

	if (IS_ERR(h))
		return PTR_ERR(h);
	file->private_data = h;
	return 0;
}

static ssize_t binary_read(struct file *file, char __user *to, size_t bytes, loff_t *pos)
{
	struct kstats_snapshot *h = file->private_data;

	return simple_read_from_buffer(to, bytes, pos, h, h->bytes);
}

static int binary_release(struct inode *inode, struct file *file)
{
	kvfree(file->private_data);
	return 0;
}

static const struct file_operations binary_ops = {
	.owner = THIS_MODULE,
	.open = binary_open,
	.read = binary_read,
	.llseek = default_llseek,
	.release = binary_release,
};

/* ---- the text file ---- */

static int text_open(struct inode *inode, struct file *file)
{
	struct kstats_snapshot *h;

	if (!(file->f_mode & FMODE_READ))
		return nonseekable_open(inode, file);	/* no seq_file to seek in */
	h = take_copy(file_name(file), true);
	return IS_ERR(h) ? PTR_ERR(h) : ks_show_open(inode, file, h);
}

static int text_release(struct inode *inode, struct file *file)
{
	return file->private_data ? ks_show_release(inode, file) : 0;
}

static int find_word(const char *word, const char *const *words, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!strcasecmp(word, words[i]))
			return i;
	return -EINVAL;
}

/* START, STOP, RESET, in any case. */
static ssize_t text_write(struct file *file, const char __user *from, size_t bytes, loff_t *pos)
{
	static const char *const verbs[] = { "START", "STOP", "RESET" };
	char buffer[16] = "";
	struct kstats *k;
	int err = 0, verb;

	if (bytes < sizeof(buffer) && copy_from_user(buffer, from, bytes))
		return -EFAULT;
	verb = find_word(strim(buffer), verbs, ARRAY_SIZE(verbs));
	if (verb < 0) {
		pr_warn("%s: write START, STOP or RESET\n", file_name(file));
		return -EINVAL;
	}
	mutex_lock(&ks_lock);
	k = ks_measure_find(file_name(file));
	if (!k)
		err = -ENOENT;
	else if (verb == 0)
		err = ks_measure_start(k);
	else if (verb == 1)
		ks_measure_stop(k);
	else
		err = ks_measure_reset(k);
	mutex_unlock(&ks_lock);
	return err ?: bytes;
}

static const struct file_operations text_ops = {
	.owner = THIS_MODULE,
	.open = text_open,
	.read = seq_read,
	.write = text_write,
	.llseek = seq_lseek,
	.release = text_release,
};

/* ---- the number of entries ---- */

static int entries_show(struct seq_file *m, void *v)
{
	struct kstats *k = ks_measure_get(file_name(m->file));

	if (!k)
		return -ENOENT;
	seq_printf(m, "%u\n", READ_ONCE(k->entries));
	ks_measure_put(k);
	return 0;
}

static int entries_open(struct inode *inode, struct file *file)
{
	return single_open(file, entries_show, NULL);
}

static ssize_t entries_write(struct file *file, const char __user *from, size_t bytes, loff_t *pos)
{
	struct kstats *k;
	u32 entries;
	int err = kstrtou32_from_user(from, bytes, 10, &entries);

	if (err) {
		pr_warn("_entries/%s: write a number\n", file_name(file));
		return err;
	}
	mutex_lock(&ks_lock);
	k = ks_measure_find(file_name(file));
	err = k ? ks_measure_resize(k, entries) : -ENOENT;
	mutex_unlock(&ks_lock);
	return err ?: bytes;
}

static const struct file_operations entries_ops = {
	.owner = THIS_MODULE,
	.open = entries_open,
	.read = seq_read,
	.write = entries_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* ---- the files ---- */

int ks_export_add(struct kstats *k)
{
	k->text_file = debugfs_create_file_unsafe(k->name, 0600, dir, NULL, &text_ops);
	if (IS_ERR(k->text_file))
		return PTR_ERR(k->text_file);
	k->binary_file = debugfs_create_file_unsafe(k->name, 0400, binary_dir, NULL, &binary_ops);
	if (IS_ERR(k->binary_file)) {
		debugfs_remove(k->text_file);
		return PTR_ERR(k->binary_file);
	}
	if (!k->by_words)
		return 0;
	k->entries_file = debugfs_create_file_unsafe(k->name, 0600, entries_dir, NULL, &entries_ops);
	if (IS_ERR(k->entries_file)) {
		debugfs_remove(k->binary_file);
		debugfs_remove(k->text_file);
		return PTR_ERR(k->entries_file);
	}
	return 0;
}

void ks_export_remove(struct kstats *k)
{
	debugfs_remove(k->entries_file);
	debugfs_remove(k->binary_file);
	debugfs_remove(k->text_file);
}

/* Who keeps the runtime from being removed. */
static int held_show(struct seq_file *m, void *v)
{
	ks_direct_held(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(held);

/* What the mechanisms show of an empty function. Reading tells what is known; who writes MEASURE wants to know all. */
static int floor_show(struct seq_file *m, void *v)
{
	ks_floor_show(m);
	return 0;
}

static int floor_open(struct inode *inode, struct file *file)
{
	return single_open(file, floor_show, NULL);
}

static ssize_t floor_write(struct file *file, const char __user *from, size_t bytes, loff_t *pos)
{
	static const char *const verbs[] = { "MEASURE" };
	char buffer[16] = "";

	if (bytes < sizeof(buffer) && copy_from_user(buffer, from, bytes))
		return -EFAULT;
	if (find_word(strim(buffer), verbs, ARRAY_SIZE(verbs))) {
		pr_warn("_floor: write MEASURE\n");
		return -EINVAL;
	}
	mutex_lock(&ks_lock);
	ks_floor_measure_all();
	mutex_unlock(&ks_lock);
	return bytes;
}

static const struct file_operations floor_ops = {
	.owner = THIS_MODULE,
	.open = floor_open,
	.read = seq_read,
	.write = floor_write,
	.llseek = seq_lseek,
	.release = single_release,
};

struct dentry *ks_export_dir(void)
{
	return dir;
}

int ks_export_init(void)
{
	dir = debugfs_create_dir("kstats", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	binary_dir = debugfs_create_dir("_bin", dir);
	if (IS_ERR(binary_dir)) {
		debugfs_remove(dir);
		return PTR_ERR(binary_dir);
	}
	entries_dir = debugfs_create_dir("_entries", dir);
	if (IS_ERR(entries_dir)) {
		debugfs_remove(dir);
		return PTR_ERR(entries_dir);
	}
	debugfs_create_file("_held", 0400, dir, NULL, &held_fops);
	debugfs_create_file("_floor", 0600, dir, NULL, &floor_ops);
	return 0;
}

void ks_export_exit(void)
{
	debugfs_remove(dir);
}
