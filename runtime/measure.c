// SPDX-License-Identifier: GPL-2.0
/*
 * measure.c: measurements: made, armed, stopped, reset and deleted; and scripts, which are several at once.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/utsname.h>
#include "away.h"
#include "compat.h"
#include "counter.h"
#include "direct.h"
#include "exit.h"
#include "export.h"
#include "floor.h"
#include "measure.h"
#include "statement.h"
#include "variable.h"

LIST_HEAD(ks_measures);
DEFINE_MUTEX(ks_lock);
static DEFINE_MUTEX(ks_list_lock);
static u32 made;	/* under ks_lock */

/* ---- names ---- */

static bool name_ok(const char *name)
{
	static const char *const taken[] = { KSTATS_NAMES_TAKEN };
	unsigned int i;
	const char *c;

	if (!*name || strlen(name) >= KSTATS_NAME_LEN)
		return false;
	for (i = 0; i < ARRAY_SIZE(taken); i++)
		if (!strcmp(name, taken[i]))
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

/* Handlers may walk past it until the next ks_direct_quiesce(). */
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

/* ---- what it consists of ---- */

struct ks_table *ks_measure_table(const struct kstats *k, u32 entries)
{
	const struct kstats_statement *s = k->statement;
	struct ks_shape shape = {
		.bits = k->bits, .parts = k->nby ? entries : 1, .key_words = k->by_words,
		.known = k->by_point && k->by_words == 1 ? k->matches : 0, .high = k->kind == KSTATS_COUNTS ? 0 : U64_MAX,
		.squares = s && s->squares,
	};

	if (s && s->ranged) {
		shape.low = s->low;
		shape.high = s->high;
	}
	return ks_record_new(&shape);
}

static struct ks_pairs *make_pairs(const struct kstats_statement *s)
{
	unsigned int key_words = s->key == KSTATS_KEY_VALUE ? s->key_words : 1;
	/* Between two hits nothing is carried but the time. */
	unsigned int words = s->points[0].role == KSTATS_BETWEEN ? 0 : s->data_words;

	return ks_pair_new(s->pairs ?: KSTATS_PAIRS_DEFAULT, key_words, words);
}

/* A measurement that counts no time has none, and one that is stopped may choose again. */
static int choose_clock(struct kstats *k)
{
	static const char *const names[] = { "any clock", "clock tsc", "clock mono", "clock ticks" };
	const char *unfit;

	if (ks_counter_wanted(k->statement)) {
		ks_clock_counter(&k->clock);
		return 0;
	}
	if (!k->statement || k->kind != KSTATS_DURATION)
		return 0;
	unfit = ks_clock_choose(&k->clock, k->statement->clock);
	if (!unfit)
		return 0;
	pr_warn("%s: no %s here: the tsc is %s\n", k->name, names[k->statement->clock], unfit);
	return -EOPNOTSUPP;
}

static void release(struct kref *ref)
{
	struct kstats *k = container_of(ref, struct kstats, ref);
	unsigned int i;

	for (i = 0; i < k->nprobes; i++)
		kfree(k->probes[i].symbol);
	kvfree(k->probes);
	kvfree(k->points);
	kvfree(k->scratch);
	kvfree(k->text);
	ks_pair_free(k->pairs);
	ks_away_free(k->away);
	ks_guard_free(k);
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

struct kstats *ks_measure_make(const char *name, u8 bits, const struct kstats_statement *statement,
			       const struct kstats_script *script)
{
	struct kstats *k = kzalloc(sizeof(*k), GFP_KERNEL);
	int err = -ENOMEM;

	if (!k)
		return ERR_PTR(err);
	strscpy(k->name, name, sizeof(k->name));
	k->bits = bits;
	k->statement = statement;
	k->script = script;
	kref_init(&k->ref);
	mutex_init(&k->read_lock);
	if (statement)
		ks_statement_describe(k);

	k->entries = statement && statement->entries ? statement->entries : KSTATS_PARTS_DEFAULT;
	k->table = ks_measure_table(k, k->entries);
	if (!k->table)
		goto fail;
	if (statement && ks_statement_waits(statement)) {
		k->pairs = make_pairs(statement);
		if (!k->pairs)
			goto fail;
	}
	if (statement && statement->time) {
		k->away = ks_away_new(statement);
		if (!k->away)
			goto fail;
	}
	if (statement) {
		err = choose_clock(k) ?: ks_statement_probes(k);
		if (err)
			goto fail;
	}
	return k;

fail:
	ks_measure_put(k);
	return ERR_PTR(err);
}

struct kstats *ks_measure_new(const char *name, u8 bits, const struct kstats_statement *statement,
			      const struct kstats_script *script)
{
	const char *wrong = statement ? ks_statement_wrong(statement) : NULL;
	struct kstats *k;
	int err = -EINVAL;

	if (!wrong && !name_ok(name))
		wrong = "not a name for a measurement";
	if (!wrong && bits > KSTATS_BITS_MAX && !(bits == KSTATS_BITS_NONE && statement && statement->squares))
		wrong = "more than 10 bits";
	if (!wrong && ks_measure_find(name)) {
		wrong = "this name is taken";
		err = -EEXIST;
	}
	if (!wrong && statement && ks_statement_waits(statement) && !ks_pair_supported()) {
		wrong = "this processor has no cmpxchg16b, which pairs need";
		err = -EOPNOTSUPP;
	}
	if (!wrong && statement && statement->nesting && !KS_KRETPROBE_NESTS) {
		wrong = "this kernel does not let us see how calls are nested";
		err = -EOPNOTSUPP;
	}
	if (wrong) {
		pr_warn("%.*s: %s\n", KSTATS_NAME_LEN, name, wrong);
		return ERR_PTR(err);
	}

	k = ks_measure_make(name, bits, statement, script);
	if (IS_ERR(k)) {
		err = PTR_ERR(k);
		goto fail;
	}
	err = ks_guard_new(k);
	if (err)
		goto fail_made;
	k->order = ++made;
	k->made_ns = ktime_get_ns();
	if (statement) {
		err = ks_exit_get();
		if (err)
			goto fail_made;
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
	ks_direct_quiesce();
fail_made:
	ks_measure_put(k);
fail:
	pr_warn("%s: cannot be made (error %d)\n", name, err);
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
	/* A CPU that adds one may undo what others have added meanwhile: then it is less than at the beginning. */
	s64 since = k->counting ? missed_ever(k) - k->missed_base : 0;

	return k->table->missed + max_t(s64, since, 0);
}

static u64 hits_ever(const struct kstats *k)
{
	u64 n = 0;
	unsigned int i;

	for (i = 0; i < k->nprobes; i++)
		n += ks_probe_hits(&k->probes[i]);
	return n;
}

u64 ks_measure_hits(const struct kstats *k)
{
	return k->table->hits + (k->counting && !k->silenced ? hits_ever(k) - k->hits_base : 0);
}

/* `live` has changed: who has a copy of what it leads to is told. */
static void tell_probes(const struct kstats *k)
{
	unsigned int i;

	for (i = 0; i < k->nprobes; i++)
		ks_probe_follow(&k->probes[i]);
}

static void disarm(struct kstats *k)
{
	k->framed = NULL;
	ks_probe_disarm(k->probes, k->nprobes, k->scratch);
}

/* No handler runs any more: what they read. */
static void detach(struct kstats *k)
{
	ks_counter_close(k);
	ks_away_close(k);
}

/* What was armed in vain, or not wholly: nothing of it stays. */
static int undo(struct kstats *k, int err)
{
	disarm(k);
	ks_direct_quiesce();
	detach(k);
	return err;
}

/* One of those that the first key tells apart: a pattern's matches. */
static bool is_match(const struct kstats *k, const struct ks_probe *p)
{
	return k->by_point && (int)p->points[0]->role != k->nameless;
}

/* Some of them may be no code any more, or be forbidden to probes: the others are measured. */
static bool may_do_without(const struct kstats *k, const struct ks_probe *p, int err)
{
	return is_match(k, p) && (err == -EINVAL || err == -EILSEQ || err == -ENOENT || err == -EOPNOTSUPP);
}

int ks_measure_arm(struct kstats *k)
{
	unsigned int i, matches = 0, without = 0;
	int err;

	err = ks_counter_open(k) ?: ks_away_open(k);
	if (err)
		return undo(k, err);
	ks_clock_go(&k->clock);
	ks_direct_share(k);
	for (i = 0; i < k->nprobes; i++)
		matches += is_match(k, &k->probes[i]);
	for (i = 0; i < k->nprobes; i++) {
		if (k->probes[i].armed)
			continue;
		err = ks_probe_arm(&k->probes[i]);
		if (may_do_without(k, &k->probes[i], err) && ++without < matches)
			continue;
		if (err)
			return undo(k, err);
		if (k->probes[i].backend->frame)
			k->framed = &k->probes[i];
		cond_resched();
	}
	err = ks_probe_attach(k->probes, k->nprobes, k->scratch);
	if (err)
		return undo(k, err);
	if (without)
		pr_info("%s: %u of %u places cannot be attached to, and are left out\n", k->name, without, matches);
	ks_floor_measure(k);
	err = k->statement ? ks_statement_text(k) : 0;
	return err ? undo(k, err) : 0;
}

void ks_measure_go(struct kstats *k)
{
	mutex_lock(&k->read_lock);
	k->missed_base = missed_ever(k);
	k->hits_base = 0;		/* what they count begins when they are attached, less what ends before the next line */
	k->silenced = false;
	k->armed_since = ktime_get_ns();
	k->counting = true;
	smp_store_release(&k->live, k->table);
	tell_probes(k);
	ks_clock_watch(&k->clock);
	ks_guard_watch(k);
	mutex_unlock(&k->read_lock);
}

static int start(struct kstats *k, bool afresh)
{
	int err;

	if (k->counting)
		return 0;
	err = choose_clock(k) ?: ks_measure_arm(k);
	if (err)
		return err;
	err = afresh ? ks_measure_reset(k) : 0;
	if (err)
		return undo(k, err);
	ks_measure_go(k);
	return 0;
}

int ks_measure_resume(struct kstats *k)
{
	return start(k, false);
}

/* A profile as the kernel's own: what was counted before is gone. */
int ks_measure_start(struct kstats *k)
{
	return start(k, k->form == KSTATS_PROFILE);
}

/* From the next ks_direct_quiesce() on no handler counts any more. What begins from here on is no hit. */
static void silence(struct kstats *k)
{
	mutex_lock(&k->read_lock);
	WRITE_ONCE(k->live, NULL);
	tell_probes(k);
	smp_mb();	/* what has begun by now is a hit; what begins later, by its own counting, finds live gone */
	k->table->hits = ks_measure_hits(k);
	k->silenced = true;
	mutex_unlock(&k->read_lock);
}

/* After that: what has not ended by now is cut. */
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
	k->clock.paused = false;
	if (!k->counting)
		return;
	silence(k);
	ks_direct_quiesce();
	settle(k);
	ks_direct_quiesce();
	detach(k);
	if (k->pairs)
		ks_pair_clear(k->pairs);
}

void ks_measure_switch(struct kstats *k, struct ks_table *new)
{
	smp_store_release(&k->live, new);
	tell_probes(k);
	ks_direct_quiesce();
}

int ks_measure_reset(struct kstats *k)
{
	struct ks_table *new = ks_measure_table(k, k->entries), *old = k->table;
	u64 term[KSTATS_NTERMS], hits, now;
	unsigned int i;

	if (!new)
		return -ENOMEM;
	/*
	 * From here on handlers count in the new table, and readers see the old one until it is silent: what was in flight
	 * then is known exactly and goes over as hits, so that those calls may end in the new table.
	 */
	if (k->counting)
		ks_measure_switch(k, new);
	mutex_lock(&k->read_lock);
	now = ktime_get_ns();
	hits = ks_export_terms(k, term);
	new->carried = term[KSTATS_IN_FLIGHT];
	k->hits_base += hits - k->table->hits;
	for (i = 0; i < KSTATS_NTERMS; i++)
		k->before[i] += term[i];
	k->before[KSTATS_HITS] -= term[KSTATS_IN_FLIGHT];	/* it is carried */
	k->before[KSTATS_IN_FLIGHT] = 0;
	k->table = new;
	k->missed_base = missed_ever(k);
	k->armed_before += k->armed_ns + (k->counting ? now - k->armed_since : 0);
	k->armed_ns = 0;
	k->armed_since = now;
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
		silence(k);
	ks_direct_quiesce();
	list_for_each_entry(k, doomed, doomed) {
		settle(k);
		ks_export_remove(k);
		delist(k);
		if (k->statement)
			ks_exit_put();
	}
	ks_direct_quiesce();
	list_for_each_entry_safe(k, next, doomed, doomed) {
		detach(k);	/* a reader may hold the rest */
		ks_measure_put(k);
	}
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
	if (script->kernel && strcmp(script->kernel, init_utsname()->version)) {
		pr_warn("this script was compiled for another build of this kernel, '%s': compile it again for '%s'\n",
			script->kernel, init_utsname()->version);
		return -ESTALE;
	}
	err = ks_variable_load(script);
	if (err)
		return err;
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
	if (err)
		ks_variable_unload(script);
	return err;
}
EXPORT_SYMBOL_GPL(kstats_script_load);

void kstats_script_unload(const struct kstats_script *script)
{
	mutex_lock(&ks_lock);
	remove_script(script);
	mutex_unlock(&ks_lock);
	ks_variable_unload(script);
}
EXPORT_SYMBOL_GPL(kstats_script_unload);
