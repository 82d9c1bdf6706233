// SPDX-License-Identifier: GPL-2.0
/*
 * show.c: the text form of a measurement, made from a copy slot by slot.
 *
 * A position is part * (slots + 1) for what stands before a part, and that + 1 + slot for a slot; the very first also shows
 * what stands before all. A table (show_table.c) takes the positions before those, one a line; where its parts have no more than
 * one slot, nothing follows it.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include "show.h"
#include "show_private.h"

static const char *const term_names[] = {
#define TERM_NAME(id, name)	name,
	KSTATS_TERMS(TERM_NAME)
#undef TERM_NAME
};

/* A value of a key that has a name: a line "enum KEY VALUE NAME" or "match VALUE NAME" of the copy. */
struct name {
	u32 key;
	s64 value;
	const char *text;
	int length;
};

struct kstats_snapshot_run *ks_show_next_run(const struct kstats_snapshot *h, struct kstats_snapshot_part *part,
					     struct kstats_snapshot_run *run)
{
	void *next = run ? (void *)&run->slot[run->count] : (void *)&part->key[h->by_words];

	return next < (void *)part + part->bytes ? next : NULL;
}

static struct kstats_snapshot_run *next_run(const struct ks_text *x, struct kstats_snapshot_run *run)
{
	return ks_show_next_run(x->h, x->part, run);
}

/* The first kept slot is 0 here. */
static u32 first_of(const struct ks_text *x, const struct kstats_snapshot_run *run)
{
	return run->first - x->h->first;
}

static u64 count_in(const struct ks_text *x, const struct kstats_snapshot_run *run, u32 slot)
{
	u32 i = slot - first_of(x, run);

	return i < run->count ? run->slot[i].n : 0;
}

static void begin_part(struct ks_text *x)
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
static void advance(struct ks_text *x, u32 slot)
{
	for (; x->slot < slot; x->slot++) {
		struct kstats_snapshot_run *run = NULL;

		while ((run = next_run(x, run))) {
			x->before[run->cpu] += count_in(x, run, x->slot);
			x->before[x->h->cpus] += count_in(x, run, x->slot);
		}
	}
}

/* The first slot with samples at or above @slot of the current part; h->slots: none. */
static u32 find_slot(const struct ks_text *x, u32 slot)
{
	u32 found = x->h->slots;
	struct kstats_snapshot_run *run = NULL;

	while ((run = next_run(x, run))) {
		u32 end = first_of(x, run) + run->count, s = max(slot, first_of(x, run));

		while (s < end && !count_in(x, run, s))
			s++;
		if (s < end)
			found = min(found, s);
	}
	return found;
}

static void *text_start(struct seq_file *m, loff_t *pos)
{
	struct ks_text *x = m->private;
	u32 stride = x->h->slots + 1, number, slot;
	u64 at = *pos - x->table_lines;

	if (*pos < x->table_lines)
		return x;
	if (x->table_lines && x->h->slots == 1)
		return NULL;
	number = div_u64(at, stride);
	slot = at - (u64)number * stride;
	if (!x->h->parts)	/* nothing but the head */
		return *pos ? NULL : x;
	if (number >= x->h->parts)
		return NULL;
	if (!x->part || number < x->number) {
		x->part = ks_show_first(x->h);
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
	struct ks_text *x = m->private;
	u32 stride = x->h->slots + 1, number, slot;
	u64 at = *pos - x->table_lines;

	if (*pos < x->table_lines || !x->h->parts) {
		++*pos;
		return text_start(m, pos);
	}
	number = div_u64(at, stride);
	slot = find_slot(x, at - (u64)number * stride);	/* position + 1 - 1: the slot after the current one */
	at = slot < x->h->slots ? (u64)number * stride + 1 + slot : (u64)(number + 1) * stride;
	*pos = at + x->table_lines;
	return text_start(m, pos);
}

static void text_stop(struct seq_file *m, void *v)
{
}

void ks_show_head(struct seq_file *m, const struct kstats_snapshot *h)
{
	const char *line = (const char *)h + h->header_bytes, *end = line + h->text_bytes, *eol;
	unsigned int i;

	seq_printf(m, "# name %s\n", h->name);
	for (; line < end && (eol = memchr(line, '\n', end - line)); line = eol + 1)
		seq_printf(m, "# %.*s\n", (int)(eol - line), line);
	if (h->bits != KSTATS_BITS_NONE)
		seq_printf(m, "# bits %u\n", h->bits);
	seq_printf(m, "# state %s\n# armed_ns %llu\n# memory %llu\n", h->state == KSTATS_ARMED ? "armed" : "stopped", h->armed_ns, h->memory);
	if (h->resets)
		seq_printf(m, "# resets %llu\n# recorded_before %llu\n", h->resets, h->before[KSTATS_RECORDED]);
	seq_puts(m, "# accounting");
	for (i = 0; i < KSTATS_NTERMS; i++)
		if (h->term[i] || i == KSTATS_HITS || i == KSTATS_RECORDED)
			seq_printf(m, "%s %s %llu", i == KSTATS_HITS ? "" : i == KSTATS_RECORDED ? " =" : " +",
				   term_names[i], h->term[i]);
	seq_putc(m, '\n');
}

/* Of the numbers 1 to 133: what errno.h has, as in every Linux. */
static const char *const errno_names[] = {
#define E(name)	[E##name] = #name
	E(PERM), E(NOENT), E(SRCH), E(INTR), E(IO), E(NXIO), E(2BIG), E(NOEXEC), E(BADF), E(CHILD), E(AGAIN), E(NOMEM),
	E(ACCES), E(FAULT), E(NOTBLK), E(BUSY), E(EXIST), E(XDEV), E(NODEV), E(NOTDIR), E(ISDIR), E(INVAL), E(NFILE),
	E(MFILE), E(NOTTY), E(TXTBSY), E(FBIG), E(NOSPC), E(SPIPE), E(ROFS), E(MLINK), E(PIPE), E(DOM), E(RANGE),
	E(DEADLK), E(NAMETOOLONG), E(NOLCK), E(NOSYS), E(NOTEMPTY), E(LOOP), E(NOMSG), E(IDRM), E(CHRNG), E(L2NSYNC),
	E(L3HLT), E(L3RST), E(LNRNG), E(UNATCH), E(NOCSI), E(L2HLT), E(BADE), E(BADR), E(XFULL), E(NOANO), E(BADRQC),
	E(BADSLT), E(BFONT), E(NOSTR), E(NODATA), E(TIME), E(NOSR), E(NONET), E(NOPKG), E(REMOTE), E(NOLINK), E(ADV),
	E(SRMNT), E(COMM), E(PROTO), E(MULTIHOP), E(DOTDOT), E(BADMSG), E(OVERFLOW), E(NOTUNIQ), E(BADFD), E(REMCHG),
	E(LIBACC), E(LIBBAD), E(LIBSCN), E(LIBMAX), E(LIBEXEC), E(ILSEQ), E(RESTART), E(STRPIPE), E(USERS), E(NOTSOCK),
	E(DESTADDRREQ), E(MSGSIZE), E(PROTOTYPE), E(NOPROTOOPT), E(PROTONOSUPPORT), E(SOCKTNOSUPPORT), E(OPNOTSUPP),
	E(PFNOSUPPORT), E(AFNOSUPPORT), E(ADDRINUSE), E(ADDRNOTAVAIL), E(NETDOWN), E(NETUNREACH), E(NETRESET),
	E(CONNABORTED), E(CONNRESET), E(NOBUFS), E(ISCONN), E(NOTCONN), E(SHUTDOWN), E(TOOMANYREFS), E(TIMEDOUT),
	E(CONNREFUSED), E(HOSTDOWN), E(HOSTUNREACH), E(ALREADY), E(INPROGRESS), E(STALE), E(UCLEAN), E(NOTNAM),
	E(NAVAIL), E(ISNAM), E(REMOTEIO), E(DQUOT), E(NOMEDIUM), E(MEDIUMTYPE), E(CANCELED), E(NOKEY), E(KEYEXPIRED),
	E(KEYREVOKED), E(KEYREJECTED), E(OWNERDEAD), E(NOTRECOVERABLE), E(RFKILL), E(HWPOISON),
#undef E
};

static void show_errno(struct seq_file *m, s64 value)
{
	if (value < 0 && value > -(s64)ARRAY_SIZE(errno_names) && errno_names[-value])
		seq_printf(m, "-E%s", errno_names[-value]);
	else
		seq_printf(m, "%lld", value);
}

/* vfs_read, vfs_read+0x1c, ext4_sync_fs+0x9 [ext4]; what is no symbol's, as a number. */
static void show_symbol(struct seq_file *m, u64 address)
{
	char text[KSYM_SYMBOL_LEN], *plus, *slash, *rest;

	sprint_symbol(text, address);
	plus = strstr(text, "+0x");
	slash = plus ? strchr(plus, '/') : NULL;
	rest = slash ? strchr(slash, ' ') : NULL;
	if (slash)
		*slash = 0;
	if (plus && !strcmp(plus, "+0x0"))
		*plus = 0;
	seq_printf(m, "%s%s", text, rest ?: "");
}

static void show_stack(struct seq_file *m, const u64 *word)
{
	unsigned int i;

	for (i = 0; i < KSTATS_STACK_WORDS && word[i]; i++) {
		if (i)
			seq_puts(m, " < ");
		show_symbol(m, word[i]);
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct name *p = a, *q = b;

	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	if (p->value != q->value)
		return p->value < q->value ? -1 : 1;
	return p->text < q->text ? -1 : p->text > q->text;
}

/* Of several names of a value, the first. */
static void show_name(struct seq_file *m, const struct ks_text *x, u32 key, s64 value)
{
	size_t low = 0, high = x->nnames;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct name *name = &x->names[middle];

		if (name->key < key || (name->key == key && name->value < value))
			low = middle + 1;
		else
			high = middle;
	}
	if (low < x->nnames && x->names[low].key == key && x->names[low].value == value)
		seq_printf(m, "%.*s", x->names[low].length, x->names[low].text);
	else
		seq_printf(m, "%lld", value);
}

/* Is it such a line? Its numbers are read, and the rest is the name. */
static bool parse_name(const char *line, const char *eol, struct name *name)
{
	char *at = (char *)line;

	name->key = 0;		/* the point is the first key */
	if (!strncmp(line, "enum ", 5))
		name->key = simple_strtoul(line + 5, &at, 10);
	else if (!strncmp(line, "match ", 6))
		at += 5;
	else
		return false;
	name->value = simple_strtoll(at + 1, &at, 10);
	if (at >= eol || *at != ' ')
		return false;
	name->text = at + 1;
	name->length = eol - name->text;
	return true;
}

static int find_names(struct ks_text *x)
{
	const char *text = (const char *)x->h + x->h->header_bytes, *end = text + x->h->text_bytes, *line, *eol;
	struct name name;
	size_t n = 0;

	for (line = text; line < end && (eol = memchr(line, '\n', end - line)); line = eol + 1)
		n += parse_name(line, eol, &name);
	if (!n)
		return 0;
	x->names = kvcalloc(n, sizeof(*x->names), GFP_KERNEL);
	if (!x->names)
		return -ENOMEM;
	for (line = text; line < end && (eol = memchr(line, '\n', end - line)); line = eol + 1)
		if (parse_name(line, eol, &name))
			x->names[x->nnames++] = name;
	sort(x->names, n, sizeof(*x->names), compare_names, NULL);
	return 0;
}

void ks_show_word(struct seq_file *m, const struct ks_text *x, u32 i, const u64 *word)
{
	switch (x->h->by[i].type) {
	case KSTATS_BY_STRING:
		seq_printf(m, "%*pE", (int)strnlen((const char *)word, x->h->by[i].words * 8), word);
		break;
	case KSTATS_BY_S64:
		seq_printf(m, "%lld", *word);
		break;
	case KSTATS_BY_ERRNO:
		show_errno(m, *word);
		break;
	case KSTATS_BY_HEX:
		seq_printf(m, "0x%llx", *word);
		break;
	case KSTATS_BY_SYMBOL:
	case KSTATS_BY_FUNCTION:
		show_symbol(m, *word);
		break;
	case KSTATS_BY_ENUM:
	case KSTATS_BY_POINT:
		show_name(m, x, i, *word);
		break;
	case KSTATS_BY_STACK:
		show_stack(m, word);
		break;
	default:
		seq_printf(m, "%llu", *word);
	}
}

static void show_key(struct seq_file *m, const struct ks_text *x)
{
	const u64 *word = x->part->key;
	unsigned int i;

	seq_puts(m, "# key");
	for (i = 0; i < x->h->nby; i++) {
		seq_printf(m, "%s %s=", i ? "," : "", x->h->by[i].text);
		ks_show_word(m, x, i, word);
		word += x->h->by[i].words;
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

static void show_slot(struct seq_file *m, const struct ks_text *x)
{
	struct kstats_slot sum = {};
	struct kstats_snapshot_run *run = NULL;
	u32 bits = x->h->bits, slot = x->h->first + x->slot, cpus = 0;
	bool known = true;
	u64 excess = 0;

	while ((run = next_run(x, run))) {
		struct kstats_slot s;

		if (!count_in(x, run, x->slot))
			continue;
		s = run->slot[x->slot - first_of(x, run)];
		show_line(m, "CPU", run->cpu, bits, &s, slot, x->before[run->cpu] + s.n, x->all[run->cpu]);
		/* With excesses, not sums: so that a torn or wrapped one cannot spoil the total. */
		known &= !kstats_slot_excess(&s, slot, bits, &excess);
		sum.n += s.n;
		sum.sum += s.n * kstats_slot_lo(slot, bits) + excess;
		cpus++;
	}
	show_line(m, "CPUS", cpus, bits, &sum, slot, x->before[x->h->cpus] + sum.n, x->all[x->h->cpus]);
	if (!known || kstats_slot_excess(&sum, slot, bits, &excess))
		seq_printf(m, "# slot %u: its mean is unknown, the lower bound is shown\n", slot);
}

static int text_show(struct seq_file *m, void *v)
{
	struct ks_text *x = m->private;
	u32 stride = x->h->slots + 1;

	if (m->index < x->table_lines) {
		ks_show_table(m, x, m->index);
		return 0;
	}
	if (!m->index)
		ks_show_head(m, x->h);
	if (!x->h->parts)
		return 0;
	if ((m->index - x->table_lines) % stride)
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

int ks_show_open(struct inode *inode, struct file *file, struct kstats_snapshot *h)
{
	struct ks_text *x = __seq_open_private(file, &text_seq_ops, sizeof(*x));

	if (!x)
		goto fail;
	x->h = h;
	x->before = kvcalloc(h->cpus + 1, 2 * sizeof(u64), GFP_KERNEL);
	x->all = x->before + h->cpus + 1;
	if (!x->before || find_names(x) || (ks_show_has_table(h) && ks_show_make_table(x)))
		goto fail_seq;
	return 0;

fail_seq:
	kvfree(x->names);
	kvfree(x->before);
	seq_release_private(inode, file);
fail:
	kvfree(h);
	return -ENOMEM;
}

int ks_show_release(struct inode *inode, struct file *file)
{
	struct ks_text *x = ((struct seq_file *)file->private_data)->private;

	kvfree(x->rows);
	kvfree(x->names);
	kvfree(x->before);
	kvfree(x->h);
	return seq_release_private(inode, file);
}
