// SPDX-License-Identifier: GPL-2.0
/*
 * measure.c: measurements: made, armed, stopped, reset and deleted; and scripts, which are several at once.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/module.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include "compat.h"
#include "exit.h"
#include "export.h"
#include "measure.h"

#define TEXT_MAX	16384	/* of the lines that describe a measurement */

LIST_HEAD(ks_measures);
DEFINE_MUTEX(ks_lock);
static DEFINE_MUTEX(ks_list_lock);
static u32 made;	/* under ks_lock */

/* ---- names ---- */

static bool name_ok(const char *name)
{
	const char *c;

	if (!*name || strlen(name) >= KSTATS_NAME_LEN)
		return false;
	if (!strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, "_control") || !strcmp(name, "_bin"))
		return false;
	for (c = name; *c; c++)
		if (*c == '/' || (unsigned char)*c < ' ' || *c == 0x7f)
			return false;
	return true;
}

struct kstats *ks_measure_find(const char *name)
{
	struct kstats *k;

	list_for_each_entry(k, &ks_measures, link)
		if (!strcmp(k->name, name))
			return k;
	return NULL;
}

static void enlist(struct kstats *k)
{
	mutex_lock(&ks_list_lock);
	list_add_tail_rcu(&k->link, &ks_measures);
	mutex_unlock(&ks_list_lock);
}

/* Handlers may walk past it until the next ks_quiesce(). */
static void delist(struct kstats *k)
{
	mutex_lock(&ks_list_lock);
	list_del_rcu(&k->link);
	mutex_unlock(&ks_list_lock);
}

struct kstats *ks_measure_get(const char *name)
{
	struct kstats *k;

	mutex_lock(&ks_list_lock);
	k = ks_measure_find(name);
	if (k)
		kref_get(&k->ref);
	mutex_unlock(&ks_list_lock);
	return k;
}

/* ---- what a statement needs ---- */

/* A function's entry is its first instruction, however it was written. */
static int kind_of(const struct kstats_point *p)
{
	return p->where == KSTATS_OFFSET ? KSTATS_FUNCTION : p->where;
}

static int by_place(const void *a, const void *b)
{
	const struct kstats_point *p = *(const struct kstats_point **)a, *q = *(const struct kstats_point **)b;
	int d;

	d = kind_of(p) - kind_of(q);
	if (!d)
		d = strcmp(p->module ?: "", q->module ?: "");
	if (!d)
		d = strcmp(p->symbol, q->symbol);
	if (!d && p->offset != q->offset)
		d = p->offset < q->offset ? -1 : 1;
	return d;
}

static int by_place_ends_first(const void *a, const void *b)
{
	const struct kstats_point *p = *(const struct kstats_point **)a, *q = *(const struct kstats_point **)b;
	int d = by_place(a, b);

	return d ?: (int)q->role - (int)p->role;	/* KSTATS_TO is above KSTATS_FROM */
}

/* A table made by hand can be wrong; a generated one cannot, but this is where both come from. */
static const char *statement_wrong(const struct kstats_statement *s)
{
	unsigned int i, words = 0, calls = 0, from = 0, to = 0;

	if (s->nby > KSTATS_BY_MAX)
		return "too many `by` keys";
	for (i = 0; i < s->nby; i++)
		words += s->by[i].words;
	if (words > KSTATS_BY_WORDS || words > s->data_words || s->data_words > KSTATS_DATA_WORDS)
		return "`by` keys too long";
	if (s->entries > 1u << 20 || s->pairs > 1u << 20)
		return "more than 1,048,576 entries";
	for (i = 0; i < s->npoints; i++) {
		if (s->points[i].role == KSTATS_CALL && s->points[i].where != KSTATS_FUNCTION)
			return "only a function has calls; a pair has a start and an end";
		calls += s->points[i].role == KSTATS_CALL;
		from += s->points[i].role == KSTATS_FROM;
		to += s->points[i].role == KSTATS_TO;
	}
	if (!(calls == 1 && !from && !to) && !(from && to && !calls))
		return "neither a call nor a pair";
	return NULL;
}

static bool is_pair(const struct kstats_statement *s)
{
	return s->points[0].role != KSTATS_CALL;
}

static int make_probes(struct kstats *k)
{
	const struct kstats_statement *s = k->statement;
	unsigned int i;

	k->points = kcalloc(s->npoints, sizeof(*k->points), GFP_KERNEL);
	k->probes = kcalloc(s->npoints, sizeof(*k->probes), GFP_KERNEL);
	if (!k->points || !k->probes)
		return -ENOMEM;
	for (i = 0; i < s->npoints; i++)
		k->points[i] = &s->points[i];
	sort(k->points, s->npoints, sizeof(*k->points), by_place_ends_first, NULL);

	for (i = 0; i < s->npoints; i++) {
		const struct kstats_point *point = k->points[i];
		struct ks_probe *p = &k->probes[k->nprobes];

		if (i && !by_place(&k->points[i - 1], &k->points[i])) {
			k->probes[k->nprobes - 1].npoints++;
			continue;
		}
		p->measure = k;
		p->points = &k->points[i];
		p->npoints = 1;
		p->backend = ks_probe_backend(point);
		p->symbol = kasprintf(GFP_KERNEL, "%s%s%s", point->module ?: "", point->module ? ":" : "",
				      point->symbol);
		k->nprobes++;
		if (!p->symbol)
			return -ENOMEM;
		if (!p->backend)
			return -EOPNOTSUPP;
	}
	return 0;
}

static struct ks_table *make_table(const struct kstats *k)
{
	unsigned int entries = k->statement && k->statement->entries ? k->statement->entries : KSTATS_PARTS_DEFAULT;

	return ks_record_new(k->bits, k->nby ? entries : 1, k->by_words);
}

static const char *const key_names[] = {
	[KSTATS_KEY_TASK] = "task",
	[KSTATS_KEY_TID] = "tid",
	[KSTATS_KEY_CPU] = "cpu",
};

/* The lines that a report begins with (kstats.h), zero-filled to a multiple of 8 bytes. */
static int make_text(struct kstats *k)
{
	const struct kstats_statement *s = k->statement;
	struct seq_buf b;
	unsigned int i;

	k->text = kzalloc(TEXT_MAX, GFP_KERNEL);
	if (!k->text)
		return -ENOMEM;
	seq_buf_init(&b, k->text, TEXT_MAX - 8);
	if (s) {
		seq_buf_printf(&b, "statement %.4000s%s\n", s->text, strlen(s->text) > 4000 ? "..." : "");
		if (k->script)
			seq_buf_printf(&b, "module %s\n", k->script->owner->name);
		for (i = 0; i < s->npoints; i++)
			seq_buf_printf(&b, "point %s %s\n", s->points[i].text,
				       ks_probe_backend(&s->points[i])->name);
		if (is_pair(s))
			seq_buf_printf(&b, "key %s\n", key_names[s->key]);
		seq_buf_printf(&b, "unit ns\nclock mono\n");
	}
	if (seq_buf_has_overflowed(&b))
		return -E2BIG;
	k->text_bytes = ALIGN(seq_buf_used(&b), 8);
	for (i = 0; s && i < s->nby; i++) {
		k->by[i].type = s->by[i].type;
		k->by[i].words = s->by[i].words;
		strscpy(k->by[i].text, s->by[i].text, sizeof(k->by[i].text));
	}
	return 0;
}

static void release(struct kref *ref)
{
	struct kstats *k = container_of(ref, struct kstats, ref);
	unsigned int i;

	for (i = 0; i < k->nprobes; i++)
		kfree(k->probes[i].symbol);
	kfree(k->probes);
	kfree(k->points);
	kfree(k->text);
	ks_pair_free(k->pairs);
	ks_record_free(k->table);
	if (k->own_statement)
		kfree(k->statement);
	mutex_destroy(&k->read_lock);
	kfree(k);
}

void ks_measure_put(struct kstats *k)
{
	kref_put(&k->ref, release);
}

struct kstats *ks_measure_new(const char *name, u8 bits, const struct kstats_statement *statement,
			      const struct kstats_script *script)
{
	const char *wrong = statement ? statement_wrong(statement) : NULL;
	struct kstats *k;
	unsigned int i;
	int err = -EINVAL;

	if (!wrong && !name_ok(name))
		wrong = "not a name for a measurement";
	if (!wrong && bits > KSTATS_BITS_MAX)
		wrong = "more than 10 bits";
	if (!wrong && ks_measure_find(name)) {
		wrong = "this name is taken";
		err = -EEXIST;
	}
	if (!wrong && statement && is_pair(statement) && !ks_pair_supported()) {
		wrong = "this processor has no cmpxchg16b, which pairs need";
		err = -EOPNOTSUPP;
	}
	if (wrong) {
		pr_warn("%.*s: %s\n", KSTATS_NAME_LEN, name, wrong);
		return ERR_PTR(err);
	}

	k = kzalloc(sizeof(*k), GFP_KERNEL);
	if (!k)
		return ERR_PTR(-ENOMEM);
	strscpy(k->name, name, sizeof(k->name));
	k->bits = bits;
	k->statement = statement;
	k->script = script;
	k->order = ++made;
	kref_init(&k->ref);
	mutex_init(&k->read_lock);
	if (statement) {
		k->nby = statement->nby;
		for (i = 0; i < statement->nby; i++)
			k->by_words += statement->by[i].words;
	}

	err = -ENOMEM;
	k->table = make_table(k);
	if (!k->table)
		goto fail;
	if (statement && is_pair(statement)) {
		k->pairs = ks_pair_new(statement->pairs ?: KSTATS_PAIRS_DEFAULT, statement->data_words);
		if (!k->pairs)
			goto fail;
	}
	if (statement) {
		err = make_probes(k);
		if (err)
			goto fail;
	}
	err = make_text(k);
	if (err)
		goto fail;
	if (statement) {
		err = ks_exit_get();
		if (err)
			goto fail;
	}
	/* The list first: whoever sees a file must find the measurement. */
	enlist(k);
	err = ks_export_add(k);
	if (err)
		goto fail_list;
	return k;

fail_list:
	delist(k);
	if (statement)
		ks_exit_put();
	ks_quiesce();
fail:
	pr_warn("%s: cannot be made (error %d)\n", k->name, err);
	ks_measure_put(k);
	return ERR_PTR(err);
}

/* ---- START, STOP, RESET, delete ---- */

static u64 missed_ever(const struct kstats *k)
{
	u64 n = 0;
	unsigned int i;

	for (i = 0; i < k->nprobes; i++)
		n += ks_probe_missed(&k->probes[i]);
	return n;
}

u64 ks_measure_missed(const struct kstats *k)
{
	return k->table->missed + (k->counting ? missed_ever(k) - k->missed_base : 0);
}

static void disarm(struct kstats *k)
{
	unsigned int i;

	for (i = 0; i < k->nprobes; i++)
		ks_probe_disarm(&k->probes[i]);
}

int ks_measure_arm(struct kstats *k)
{
	unsigned int i;
	int err;

	for (i = 0; i < k->nprobes; i++) {
		err = ks_probe_arm(&k->probes[i]);
		if (err) {
			disarm(k);
			ks_quiesce();
			return err;
		}
	}
	return 0;
}

void ks_measure_go(struct kstats *k)
{
	mutex_lock(&k->read_lock);
	k->missed_base = missed_ever(k);
	k->armed_since = ktime_get_ns();
	k->counting = true;
	smp_store_release(&k->live, k->table);
	mutex_unlock(&k->read_lock);
}

int ks_measure_start(struct kstats *k)
{
	int err;

	if (k->counting)
		return 0;
	err = ks_measure_arm(k);
	if (!err)
		ks_measure_go(k);
	return err;
}

/* After ks_quiesce() no handler counts any more: what has not ended by now is cut. */
static void settle(struct kstats *k)
{
	u64 term[KSTATS_NTERMS];

	mutex_lock(&k->read_lock);
	if (k->counting) {
		k->table->missed = ks_measure_missed(k);
		ks_export_terms(k, term);
		k->table->stopped += term[KSTATS_IN_FLIGHT];
		k->armed_ns += ktime_get_ns() - k->armed_since;
		k->counting = false;
	}
	mutex_unlock(&k->read_lock);
	disarm(k);
}

void ks_measure_stop(struct kstats *k)
{
	if (!k->counting)
		return;
	WRITE_ONCE(k->live, NULL);
	ks_quiesce();
	settle(k);
	ks_quiesce();
	if (k->pairs)
		ks_pair_clear(k->pairs);
}

int ks_measure_reset(struct kstats *k)
{
	struct ks_table *new = make_table(k), *old = k->table;
	u64 term[KSTATS_NTERMS];

	if (!new)
		return -ENOMEM;
	/*
	 * From here on handlers count in the new table, and readers see the old one until it is silent: what was in flight
	 * then is known exactly and goes over as hits, so that those calls may end in the new table.
	 */
	if (k->counting) {
		smp_store_release(&k->live, new);
		ks_quiesce();
	}
	mutex_lock(&k->read_lock);
	ks_export_terms(k, term);
	new->carried = term[KSTATS_IN_FLIGHT];
	k->recorded_before += term[KSTATS_RECORDED];
	k->table = new;
	k->missed_base = missed_ever(k);
	k->armed_ns = 0;
	k->armed_since = ktime_get_ns();
	k->resets++;
	mutex_unlock(&k->read_lock);
	ks_record_free(old);
	return 0;
}

/* Two waits in all, however many there are. */
static void delete_all(struct list_head *doomed)
{
	struct kstats *k, *next;

	list_for_each_entry(k, doomed, doomed)
		WRITE_ONCE(k->live, NULL);
	ks_quiesce();
	list_for_each_entry(k, doomed, doomed) {
		settle(k);
		ks_export_remove(k);
		delist(k);
		if (k->statement)
			ks_exit_put();
	}
	ks_quiesce();
	list_for_each_entry_safe(k, next, doomed, doomed)
		ks_measure_put(k);
}

void ks_measure_delete(struct kstats *k)
{
	LIST_HEAD(doomed);

	list_add(&k->doomed, &doomed);
	delete_all(&doomed);
}

/* ---- scripts ---- */

static void remove_script(const struct kstats_script *script)
{
	struct kstats *k;
	LIST_HEAD(doomed);

	list_for_each_entry(k, &ks_measures, link)
		if (k->script == script)
			list_add_tail(&k->doomed, &doomed);
	delete_all(&doomed);
}

int kstats_script_load(const struct kstats_script *script)
{
	struct kstats *k;
	unsigned int i;
	int err = 0;

	if (script->version != KSTATS_VERSION) {
		pr_warn("this script was made for another version of kstats than %u: build it again\n", KSTATS_VERSION);
		return -EINVAL;
	}
	mutex_lock(&ks_lock);
	for (i = 0; i < script->nstatements && !err; i++) {
		const struct kstats_statement *s = &script->statements[i];

		k = ks_measure_new(s->name, s->bits, s, script);
		err = IS_ERR(k) ? PTR_ERR(k) : ks_measure_arm(k);
	}
	/* All begin to count together, as near as can be. */
	if (!err)
		list_for_each_entry(k, &ks_measures, link)
			if (k->script == script)
				ks_measure_go(k);
	if (err)
		remove_script(script);
	mutex_unlock(&ks_lock);
	return err;
}
EXPORT_SYMBOL_GPL(kstats_script_load);

void kstats_script_unload(const struct kstats_script *script)
{
	mutex_lock(&ks_lock);
	remove_script(script);
	mutex_unlock(&ks_lock);
}
EXPORT_SYMBOL_GPL(kstats_script_unload);
