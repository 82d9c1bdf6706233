// SPDX-License-Identifier: GPL-2.0
/*
 * export.c: debugfs: kstats/NAME (text) and kstats/_bin/NAME (binary, see kstats.h).
 *
 * An open takes a copy, the binary form, and everything is then read from that: reading blocks nobody, and whoever has a
 * file open keeps neither the measurement nor the module it belongs to. Files are debugfs' unsafe kind, which do not
 * make removal wait for us: each call looks the measurement up by its file's name instead, and takes a reference.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include "export.h"
#include "measure.h"

#define COPY_TRIES	8

static struct dentry *dir, *binary_dir;

static const char *const term_names[] = {
#define TERM_NAME(id, name)	name,
	KSTATS_TERMS(TERM_NAME)
#undef TERM_NAME
};

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
static void derive(const struct kstats *k, u64 *term)
{
	u64 ends = 0;
	unsigned int i;
	int cpu;

	term[KSTATS_STOPPED] += k->table->stopped;
	for (i = KSTATS_RECORDED; i < KSTATS_IN_FLIGHT; i++)
		ends += term[i];
	if (!k->statement) {		/* by hand: nothing is ever in flight */
		term[KSTATS_HITS] = ends;
		return;
	}
	smp_rmb();			/* who is seen to end is seen to begin */
	for_each_possible_cpu(cpu)
		term[KSTATS_HITS] += READ_ONCE(per_cpu_ptr(k->table->cpu, cpu)->term[KSTATS_HITS]);
	term[KSTATS_HITS] += k->table->carried;
	term[KSTATS_IN_FLIGHT] = term[KSTATS_HITS] - ends;

	term[KSTATS_MISSED] = ks_measure_missed(k);
	term[KSTATS_HITS] += term[KSTATS_MISSED];
}

void ks_export_terms(const struct kstats *k, u64 *term)
{
	const struct ks_table *t = k->table;
	u32 part, i, parts = used_parts(t);
	int cpu;

	memset(term, 0, KSTATS_NTERMS * sizeof(*term));
	for_each_possible_cpu(cpu) {
		const struct kstats_slot *s = per_cpu_ptr(t->cpu, cpu)->slots;

		for (part = 0; part < parts; part++) {
			for (i = 0; i < t->nslots; i++, s++)
				term[KSTATS_RECORDED] += READ_ONCE(s->n);
			cond_resched();
		}
		add_ends(t, cpu, term);
	}
	derive(k, term);
}

/* The run of slots of one part and CPU that have samples, or none. */
static bool find_run(const struct ks_table *t, u32 part, int cpu, u32 *first, u32 *count)
{
	const struct kstats_slot *s = per_cpu_ptr(t->cpu, cpu)->slots + (size_t)part * t->nslots;
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
	u32 parts;
	bool too_small;
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
	const struct kstats_slot *from = per_cpu_ptr(t->cpu, cpu)->slots + (size_t)part * t->nslots + first;
	struct kstats_snapshot_run *run = put(w, struct_size(run, slot, count));
	u32 i;

	if (!run)
		return;
	run->cpu = cpu;
	run->first = first;
	run->count = count;
	run->pad = 0;
	for (i = 0; i < count; i++) {
		run->slot[i].n = READ_ONCE(from[i].n);
		run->slot[i].sum = READ_ONCE(from[i].sum);
		w->recorded += run->slot[i].n;
	}
}

static void put_part(struct writer *w, const struct ks_table *t, u32 part)
{
	const u64 *key = t->key_words ? ks_record_key(t, part) : NULL;
	size_t head = sizeof(struct kstats_snapshot_part) + t->key_words * sizeof(u64);
	struct kstats_snapshot_part *p;
	size_t before = w->bytes;
	u32 first, count;
	int cpu;

	if (t->key_words && !key)
		return;
	p = put(w, head);
	w->parts++;
	if (p) {
		p->runs = 0;
		if (key)
			memcpy(p->key, key, t->key_words * sizeof(u64));
	}
	for_each_possible_cpu(cpu) {
		if (!find_run(t, part, cpu, &first, &count))
			continue;
		put_run(w, t, part, cpu, first, count);
		if (p)
			p->runs++;
	}
	if (p)
		p->bytes = w->bytes - before;
}

static void walk(struct writer *w, const struct kstats *k)
{
	const struct ks_table *t = k->table;
	u32 part, parts = used_parts(t);
	char *text;

	put(w, sizeof(struct kstats_snapshot));
	text = put(w, k->text_bytes);
	if (text)
		memcpy(text, k->text, k->text_bytes);
	for (part = 0; part < parts; part++) {
		put_part(w, t, part);
		cond_resched();
	}
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
	h->recorded_before = k->recorded_before;
	h->memory = sizeof(*k) + k->table->memory + ks_pair_memory(k->pairs);
	h->state = k->counting ? KSTATS_ARMED : KSTATS_STOPPED_STATE;
	h->bits = k->bits;
	h->slots = k->table->nslots;
	h->cpus = nr_cpu_ids;
	h->parts = w->parts;
	h->nby = k->nby;
	h->by_words = k->by_words;
	memcpy(h->by, k->by, sizeof(h->by));
	strscpy(h->name, k->name, sizeof(h->name));
	h->text_bytes = k->text_bytes;
	h->order = k->order;

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

/* A consistent copy; kvfree it. ERR_PTR: no memory, or no such measurement any more. */
static struct kstats_snapshot *take_copy(const char *name)
{
	struct kstats *k = ks_measure_get(name);
	struct kstats_snapshot *h = NULL;
	struct writer w;
	size_t room;
	int try;

	if (!k)
		return ERR_PTR(-ENOENT);
	mutex_lock(&k->read_lock);
	/* More may come in between the two walks: there is room for some, and another try with twice of that. */
	for (try = 0; try < COPY_TRIES; try++) {
		w = (struct writer){};
		walk(&w, k);
		room = w.bytes + (w.bytes / 4 << try) + (PAGE_SIZE << try);
		h = room <= INT_MAX ? kvzalloc(room, GFP_KERNEL | __GFP_NOWARN) : NULL;
		if (!h)
			break;
		w = (struct writer){ .at = (char *)h, .end = (char *)h + room };
		walk(&w, k);
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

static const char *file_name(struct file *file)
{
	return file_dentry(file)->d_name.name;
}

static int binary_open(struct inode *inode, struct file *file)
{
	struct kstats_snapshot *h = take_copy(file_name(file));

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

/*
 * The text is made from the copy slot by slot. A position is part * (slots + 1) for what stands before a part, and that
 * + 1 + slot for a slot; the very first also shows what stands before all.
 */
struct text {
	struct kstats_snapshot *h;
	struct kstats_snapshot_part *part;	/* the current one, and its number */
	u32 number;
	u32 slot;		/* the current one; `before` holds the sums of those below it */
	u64 *before;		/* by CPU, [cpus]: of all */
	u64 *all;		/* the same over all slots */
};

static struct kstats_snapshot_part *first_part(struct kstats_snapshot *h)
{
	return (void *)h + h->header_bytes + h->text_bytes;
}

/* The runs of a part, in turn; NULL before the first. */
static struct kstats_snapshot_run *next_run(const struct text *x, struct kstats_snapshot_run *run)
{
	void *next = run ? (void *)&run->slot[run->count] : (void *)&x->part->key[x->h->by_words];

	return next < (void *)x->part + x->part->bytes ? next : NULL;
}

static u64 count_in(const struct kstats_snapshot_run *run, u32 slot)
{
	return slot - run->first < run->count ? run->slot[slot - run->first].n : 0;
}

static void begin_part(struct text *x)
{
	struct kstats_snapshot_run *run = NULL;
	u32 i;

	memset(x->before, 0, (x->h->cpus + 1) * sizeof(u64));
	memset(x->all, 0, (x->h->cpus + 1) * sizeof(u64));
	x->slot = 0;
	while ((run = next_run(x, run)))
		for (i = 0; i < run->count; i++) {
			x->all[run->cpu] += run->slot[i].n;
			x->all[x->h->cpus] += run->slot[i].n;
		}
}

/* Let `before` cover the slots below @slot. */
static void advance(struct text *x, u32 slot)
{
	for (; x->slot < slot; x->slot++) {
		struct kstats_snapshot_run *run = NULL;

		while ((run = next_run(x, run))) {
			x->before[run->cpu] += count_in(run, x->slot);
			x->before[x->h->cpus] += count_in(run, x->slot);
		}
	}
}

/* The first slot with samples at or above @slot of the current part; h->slots: none. */
static u32 find_slot(const struct text *x, u32 slot)
{
	u32 found = x->h->slots;
	struct kstats_snapshot_run *run = NULL;

	while ((run = next_run(x, run))) {
		u32 s = max(slot, run->first);

		while (s < run->first + run->count && !count_in(run, s))
			s++;
		if (s < run->first + run->count)
			found = min(found, s);
	}
	return found;
}

static void *text_start(struct seq_file *m, loff_t *pos)
{
	struct text *x = m->private;
	u32 stride = x->h->slots + 1, number = div_u64(*pos, stride), slot = *pos - (u64)number * stride;

	if (!x->h->parts)	/* nothing but the head */
		return *pos ? NULL : x;
	if (number >= x->h->parts)
		return NULL;
	if (!x->part || number < x->number) {
		x->part = first_part(x->h);
		x->number = 0;
		begin_part(x);
	}
	for (; x->number < number; x->number++) {
		x->part = (void *)x->part + x->part->bytes;
		if (x->number + 1 == number)
			begin_part(x);
	}
	if (slot && slot - 1 < x->slot)
		begin_part(x);
	if (slot)
		advance(x, slot - 1);
	return x;
}

static void *text_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct text *x = m->private;
	u32 stride = x->h->slots + 1, number, slot;

	if (!x->h->parts) {
		++*pos;
		return NULL;
	}
	number = div_u64(*pos, stride);
	slot = find_slot(x, *pos - (u64)number * stride);	/* position + 1 - 1: the slot after the current one */
	*pos = slot < x->h->slots ? (u64)number * stride + 1 + slot : (u64)(number + 1) * stride;
	return text_start(m, pos);
}

static void text_stop(struct seq_file *m, void *v)
{
}

static void show_head(struct seq_file *m, const struct kstats_snapshot *h)
{
	const char *line = (const char *)h + h->header_bytes, *end = line + h->text_bytes, *eol;
	unsigned int i;

	seq_printf(m, "# name %s\n", h->name);
	for (; line < end && (eol = memchr(line, '\n', end - line)); line = eol + 1)
		seq_printf(m, "# %.*s\n", (int)(eol - line), line);
	seq_printf(m, "# bits %u\n# state %s\n# armed_ns %llu\n# memory %llu\n", h->bits,
		   h->state == KSTATS_ARMED ? "armed" : "stopped", h->armed_ns, h->memory);
	if (h->resets)
		seq_printf(m, "# resets %llu\n# recorded_before %llu\n", h->resets, h->recorded_before);
	seq_puts(m, "# accounting");
	for (i = 0; i < KSTATS_NTERMS; i++)
		if (h->term[i] || i == KSTATS_HITS || i == KSTATS_RECORDED)
			seq_printf(m, "%s %s %llu", i == KSTATS_HITS ? "" : i == KSTATS_RECORDED ? " =" : " +",
				   term_names[i], h->term[i]);
	seq_putc(m, '\n');
}

static void show_key(struct seq_file *m, const struct text *x)
{
	const u64 *word = x->part->key;
	unsigned int i;

	seq_puts(m, "# key");
	for (i = 0; i < x->h->nby; i++) {
		const struct kstats_snapshot_by *by = &x->h->by[i];

		seq_printf(m, "%s %s=", i ? "," : "", by->text);
		if (by->type == KSTATS_BY_STRING)
			seq_printf(m, "%*pE", (int)strnlen((const char *)word, by->words * 8), word);
		else
			seq_printf(m, by->type == KSTATS_BY_S64 ? "%lld" : "%llu", *word);
		word += by->words;
	}
	seq_putc(m, '\n');
}

/* The form of the original patch, which existing tools parse. @share: cumulative, of one. */
static void show_line(struct seq_file *m, const char *who, u32 number, u32 bits, const struct kstats_slot *s, u32 slot,
		      u64 upto, u64 all)
{
	u64 mean = kstats_slot_lo(slot, bits), excess;
	u32 micro = upto == all ? 1000000 : mul_u64_u64_div_u64(upto, 1000000, all);

	if (!kstats_slot_excess(s, slot, bits, &excess))
		mean += div64_u64(excess, s->n);
	seq_printf(m, "slot %-3u %-4s %-4u count %8llu avg %8llu p %u.%06u\n", slot, who, number, s->n, mean,
		   micro / 1000000, micro % 1000000);
}

static void show_slot(struct seq_file *m, const struct text *x)
{
	struct kstats_slot sum = {};
	struct kstats_snapshot_run *run = NULL;
	u32 bits = x->h->bits, cpus = 0;
	bool known = true;
	u64 excess;

	while ((run = next_run(x, run))) {
		struct kstats_slot s;

		if (!count_in(run, x->slot))
			continue;
		s = run->slot[x->slot - run->first];
		show_line(m, "CPU", run->cpu, bits, &s, x->slot, x->before[run->cpu] + s.n, x->all[run->cpu]);
		/* With excesses, not sums: so that a torn or wrapped one cannot spoil the total. */
		known &= !kstats_slot_excess(&s, x->slot, bits, &excess);
		sum.n += s.n;
		sum.sum += s.n * kstats_slot_lo(x->slot, bits) + excess;
		cpus++;
	}
	show_line(m, "CPUS", cpus, bits, &sum, x->slot, x->before[x->h->cpus] + sum.n, x->all[x->h->cpus]);
	if (!known || kstats_slot_excess(&sum, x->slot, bits, &excess))
		seq_printf(m, "# slot %u: its mean is unknown, the lower bound is shown\n", x->slot);
}

static int text_show(struct seq_file *m, void *v)
{
	struct text *x = m->private;
	u32 stride = x->h->slots + 1;

	if (!m->index)
		show_head(m, x->h);
	if (!x->h->parts)
		return 0;
	if (m->index % stride)
		show_slot(m, x);
	else if (x->h->nby)
		show_key(m, x);
	return 0;
}

static const struct seq_operations text_seq_ops = {
	.start = text_start,
	.next = text_next,
	.stop = text_stop,
	.show = text_show,
};

static int text_open(struct inode *inode, struct file *file)
{
	struct kstats_snapshot *h;
	struct text *x;

	if (!(file->f_mode & FMODE_READ))
		return nonseekable_open(inode, file);	/* no seq_file to seek in */
	h = take_copy(file_name(file));
	if (IS_ERR(h))
		return PTR_ERR(h);
	x = __seq_open_private(file, &text_seq_ops, sizeof(*x));
	if (!x)
		goto fail;
	x->h = h;
	x->before = kvcalloc(h->cpus + 1, 2 * sizeof(u64), GFP_KERNEL);
	x->all = x->before + h->cpus + 1;
	if (!x->before)
		goto fail_seq;
	return 0;

fail_seq:
	seq_release_private(inode, file);
fail:
	kvfree(h);
	return -ENOMEM;
}

static int text_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct text *x;

	if (!m)
		return 0;
	x = m->private;
	kvfree(x->before);
	kvfree(x->h);
	return seq_release_private(inode, file);
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
	return 0;
}

void ks_export_remove(struct kstats *k)
{
	debugfs_remove(k->binary_file);
	debugfs_remove(k->text_file);
}

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
	return 0;
}

void ks_export_exit(void)
{
	debugfs_remove(dir);
}
