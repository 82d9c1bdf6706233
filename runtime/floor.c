// SPDX-License-Identifier: GPL-2.0
/*
 * floor.c: what a mechanism shows of an empty function, and what a call takes more by it.
 *
 * A way (calls by this form of thunk; from a tracepoint to a kprobe; ...) is tried the first time that somebody measures by
 * it: a measurement like any other, in no list, of one of the empty functions in floor_hit.c, which is called some hundred
 * times with interrupts off. The least that was recorded is the floor: no figure of that way is smaller. What the calls took,
 * against the same calls before the probe was attached, is its cost. Both are kept while kstats.ko is loaded.
 *
 * Nobody else calls those functions. So when the last call is over no handler runs, and what handlers use may go.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/init_task.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include "clock.h"
#include "event.h"
#include "floor_hit.h"
#include "floor_private.h"

/* A round is short: interrupts are off. The first one, which takes the cold paths, does not count as time. */
#define CALLS	32
#define ROUNDS	16
#define BITS	6	/* of the histogram: up to 127 each value has its own slot, above that 64 a power of two */

/* What a point is to be attached by: thunks serve what `thunk` says so of. */
static const struct {
	const char *name;
	enum ks_hit hit;
	bool thunk;
	bool handled;		/* has a handler */
	bool returns;
	bool keyed;		/* has keys, of a script's or of the match */
	const char *via;	/* of several that could serve it */
} forms[KS_FLOOR_FORMS] = {
	[KS_FLOOR_FAST] = { "direct/fast", KS_HIT_SITE, .thunk = true },
	[KS_FLOOR_KEYED] = { "direct/keyed", KS_HIT_SITE, .thunk = true, .keyed = true },
	[KS_FLOOR_FULL] = { "direct/full", KS_HIT_SITE, .thunk = true, .handled = true },
	[KS_FLOOR_SHARED] = { "direct/shared", KS_HIT_SITE, .thunk = true, .keyed = true },
	[KS_FLOOR_FPROBE] = { "fprobe", KS_HIT_FUNCTION },
	[KS_FLOOR_KRETPROBE] = { "kretprobe", KS_HIT_FUNCTION, .via = "direct,kprobe,kretprobe,tracepoint" },
	[KS_FLOOR_COUNT] = { "direct/count", KS_HIT_SITE, .thunk = true },
	[KS_FLOOR_LEAN] = { "direct/lean", KS_HIT_SITE, .thunk = true },
	[KS_FLOOR_PASS] = { "direct/pass", KS_HIT_SITE, .thunk = true, .handled = true },
	[KS_FLOOR_KPROBE] = { "kprobe", KS_HIT_FUNCTION },
	[KS_FLOOR_RETURN] = { "direct/return", KS_HIT_SITE, .thunk = true, .returns = true },
	[KS_FLOOR_FRETURN] = { "fprobe/return", KS_HIT_FUNCTION, .returns = true },
	[KS_FLOOR_KRETURN] = { "kretprobe/return", KS_HIT_FUNCTION, .returns = true, .via = "direct,kprobe,kretprobe,tracepoint" },
	[KS_FLOOR_PLAIN] = { "tracepoint", KS_HIT_TRACEPOINT },
	[KS_FLOOR_ARGUMENTS] = { "tracepoint/arguments", KS_HIT_TRACEPOINT, .handled = true },
	[KS_FLOOR_BREAKPOINT] = { "kprobe/breakpoint", KS_HIT_INSTRUCTION },
};

static const char *const roles[] = {
	[KSTATS_CALL] = "calls", [KSTATS_FROM] = "pair", [KSTATS_BETWEEN] = "between", [KSTATS_COUNT] = "count",
};

static const char *const sources[] = {
	[KS_CLOCK_NONE] = "-", [KS_CLOCK_MONO] = "mono", [KS_CLOCK_TSC] = "tsc",
};

/* What a way is; @to is 0 but of pairs, whose role is FROM. */
struct way {
	enum kstats_role role;
	enum ks_floor_form from, to;
	enum ks_clock_source source;
};

/* What is known of one. */
struct floor {
	struct list_head link;
	struct way way;
	u64 least;		/* raw, by its clock */
	u64 least_ns;
	u32 cost_ns, cost_cycles;	/* of a call, in tenths */
	char why[64];		/* not empty: there is nothing of this, and why */
};

static LIST_HEAD(floors);	/* under ks_lock, as all of this */

/* ---- the statement of a trial ---- */

struct trial {
	struct kstats_statement statement;
	struct kstats_point point[2];
	struct kstats *measure;
	struct ks_thunk *thunk[2];
	unsigned int attached;		/* points, from the first */
};

static enum kstats_verdict take(struct kstats_event *ev)
{
	ev->value = 0;
	return KSTATS_TAKE;
}

/* A number and a comm are what most scripts have as keys. */
notrace __attribute__((no_caller_saved_registers))
static void keys(u64 di, u64 si, u64 dx, u64 cx, u64 r8, u64 r9, u64 *data)
{
	data[0] = data[1] = data[2] = 0;
}

static void callback(void *data, int nothing)
{
	u64 args[] = { nothing };

	kstats_tracepoint(data, args);
}

static void describe_point(struct trial *t, unsigned int i, enum kstats_role role, enum ks_floor_form form)
{
	struct kstats_point *p = &t->point[i];

	p->role = role;
	p->text = forms[form].name;
	if (forms[form].hit == KS_HIT_TRACEPOINT) {
		p->where = KSTATS_TRACEPOINT;
		p->module = KBUILD_MODNAME;
		p->symbol = ks_hit_tracepoint[i];
		p->callback = forms[form].handled ? callback : NULL;
	} else if (forms[form].hit == KS_HIT_INSTRUCTION) {
		p->where = KSTATS_OFFSET;
		p->symbol = "ks_floor_instruction";
		p->distance = (long)ks_hit_instruction(&p->offset) - (long)&init_task;
	} else {
		p->where = forms[form].returns ? KSTATS_RETURN : KSTATS_FUNCTION;
		p->symbol = i ? "ks_floor_empty_1" : "ks_floor_empty_0";
		p->distance = (long)ks_hit_function(i) - (long)&init_task;
		p->thunk = forms[form].thunk;
	}
	p->early = forms[form].handled ? take : NULL;
	if (form == KS_FLOOR_KEYED)
		p->keys = keys;
}

static void describe_keys(struct kstats_statement *s, enum ks_floor_form form)
{
	s->entries = 4;
	if (form == KS_FLOOR_SHARED) {
		s->by[s->nby++] = (struct kstats_by){ .text = "point", .type = KSTATS_BY_POINT, .words = 1 };
		s->data_words = 1;
	} else {
		s->by[s->nby++] = (struct kstats_by){ .text = "pid", .type = KSTATS_BY_U64, .words = 1 };
		s->by[s->nby++] = (struct kstats_by){ .text = "comm", .type = KSTATS_BY_STRING, .words = KSTATS_COMM_WORDS };
		s->data_words = 1 + KSTATS_COMM_WORDS;
	}
}

static void describe(struct trial *t, const struct way *w)
{
	struct kstats_statement *s = &t->statement;

	s->text = s->name = "floor";
	s->bits = BITS;
	s->clock = w->source == KS_CLOCK_MONO ? KSTATS_CLOCK_MONO : KSTATS_CLOCK_TICKS;	/* raw, either */
	s->key = w->role == KSTATS_BETWEEN ? KSTATS_KEY_NONE : KSTATS_KEY_TASK;
	s->pairs = 16;
	s->calls = 16;
	s->points = t->point;
	s->npoints = w->to ? 2 : 1;
	s->via = forms[w->from].via ?: forms[w->to].via;
	describe_point(t, 0, w->role, w->from);
	if (w->to)
		describe_point(t, 1, KSTATS_TO, w->to);
	if (forms[w->from].keyed)
		describe_keys(s, w->from);
}

/* ---- which form a probe has ---- */

static enum ks_floor_form tracepoint_form(const struct ks_probe *p)
{
	const struct kstats_point *point = p->points[0];

	if (ks_event_is_plain(p) &&
	    (point->paired || (!point->early && p->measure->statement->key == KSTATS_KEY_TASK)))
		return KS_FLOOR_PLAIN;
	return KS_FLOOR_ARGUMENTS;
}

static enum ks_floor_form form_of(const struct ks_probe *p)
{
	if (p->backend == &ks_probe_direct || p->backend == &ks_probe_shared)
		return ks_floor_direct_form(p);
	if (p->backend == &ks_probe_tracepoint)
		return tracepoint_form(p);
	if (p->backend == &ks_probe_kprobe)
		return kprobe_ftrace((struct kprobe *)&p->kp) ? KS_FLOOR_KPROBE : KS_FLOOR_NONE;
	if (p->backend == &ks_probe_watch)
		return KS_FLOOR_NONE;
	if (p->backend == &ks_probe_fprobe)
		return p->points[0]->role == KSTATS_CALL ? KS_FLOOR_FPROBE : KS_FLOOR_FRETURN;
	if (!kprobe_ftrace((struct kprobe *)&p->rp.kp))
		return KS_FLOOR_NONE;
	return p->points[0]->role == KSTATS_CALL ? KS_FLOOR_KRETPROBE : KS_FLOOR_KRETURN;
}

/* ---- attaching ---- */

static bool is_direct(const struct ks_probe *p)
{
	return p->backend == &ks_probe_direct;
}

/* The probe of the @i'th point: they are sorted by place. */
static struct ks_probe *probe_of(const struct trial *t, unsigned int i)
{
	unsigned int n;

	for (n = 0; n + 1 < t->measure->nprobes && t->measure->probes[n].points[0] != &t->point[i]; n++)
		;
	return &t->measure->probes[n];
}

static int attach(struct trial *t, unsigned int i, enum ks_floor_form form)
{
	struct ks_probe *p = probe_of(t, i);
	int err;

	if (is_direct(p)) {
		t->thunk[i] = ks_floor_direct_attach(p, i, form == KS_FLOOR_SHARED);
		err = t->thunk[i] ? 0 : -ENOSPC;
	} else {
		err = p->backend->arm(p);
	}
	if (err)
		return err;
	t->attached++;		/* what is armed is to be disarmed, attached or not */
	return !t->thunk[i] && p->backend->attach ? p->backend->attach(&p, 1) : 0;
}

/* `live` has changed. */
static void follow(const struct trial *t)
{
	unsigned int i;

	for (i = 0; i < t->attached; i++)
		if (t->thunk[i])
			ks_floor_direct_follow(t->thunk[i], probe_of(t, i));
}

/* Thunks go at once. What others have attached waits for grace periods when it goes: see clear(). */
static void detach_thunks(struct trial *t)
{
	unsigned int i;

	WRITE_ONCE(t->measure->live, NULL);
	for (i = 0; i < t->attached; i++) {
		if (t->thunk[i])
			ks_floor_direct_detach(t->thunk[i], probe_of(t, i), i);
	}
}

/* Those of one backend together, which waits but once. */
static void detach_others(struct trial *t)
{
	struct ks_probe *probes[2];
	unsigned int i, n = 0;

	for (i = 0; i < t->attached; i++) {
		if (t->thunk[i])
			continue;
		probes[n++] = probe_of(t, i);
		if (n == 2 && probes[0]->backend == probes[1]->backend)
			break;
		if (n == 2) {
			probes[0]->backend->disarm(probes, 1, t->measure->scratch);
			probes[0] = probes[1];
			n = 1;
		}
	}
	if (n)
		probes[0]->backend->disarm(probes, n, t->measure->scratch);
}

static void free_trial(struct trial *t)
{
	detach_others(t);
	ks_measure_put(t->measure);
	kfree(t);
}

/*
 * The load of a script does not wait for that: the last trial is left to a work item. Nothing calls its functions until the
 * next one, which waits for it.
 */
static struct trial *left;

static void clear(struct work_struct *work)
{
	free_trial(left);
	left = NULL;
}
static DECLARE_WORK(clearing, clear);

/* ---- calling ---- */

struct took {
	u64 cycles, ns;
};

static u64 cycles_now(void)
{
#ifdef CONFIG_X86_64
	return boot_cpu_has(X86_FEATURE_TSC) ? rdtsc_ordered() : 0;
#else
	return 0;
#endif
}

static struct took call_some(const struct way *w)
{
	enum ks_hit from = forms[w->from].hit, to = w->to ? forms[w->to].hit : KS_HITS;
	unsigned long flags;
	struct took t;

	local_irq_save(flags);
	t.ns = ktime_get_mono_fast_ns();
	t.cycles = cycles_now();
	ks_hit_run(from, to, CALLS);
	t.cycles = cycles_now() - t.cycles;
	t.ns = ktime_get_mono_fast_ns() - t.ns;
	local_irq_restore(flags);
	return t;
}

/* The least that a round takes. */
static struct took call_all(const struct way *w)
{
	struct took least = { U64_MAX, U64_MAX };
	int i;

	for (i = 0; i <= ROUNDS; i++) {
		struct took t = call_some(w);

		if (!i)
			continue;
		least.cycles = min(least.cycles, t.cycles);
		least.ns = min(least.ns, t.ns);
	}
	return least;
}

/* In tenths, to the nearest. */
static u32 each(u64 with, u64 without)
{
	return with > without ? div_u64((with - without) * 10 + CALLS / 2, CALLS) : 0;
}

/* ---- the result ---- */

/* Samples of the table, and the lower bound of the lowest slot that has any. */
static u64 samples(const struct ks_table *t, u64 *least)
{
	u32 slots = t->nslots, lowest = slots, i;
	u64 n = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct kstats_slot *s = per_cpu_ptr(t->cpu, cpu)->slots;

		for (i = 0; i < t->parts * slots; i++) {
			if (!s[i].n)
				continue;
			n += s[i].n;
			lowest = min(lowest, i % slots);
		}
	}
	*least = lowest < slots ? kstats_slot_lo(t->first + lowest, t->bits) : 0;
	return n;
}

static void fail(struct floor *f, const char *why, int err)
{
	if (err)
		snprintf(f->why, sizeof(f->why), "%s (error %d)", why, err);
	else
		strscpy(f->why, why, sizeof(f->why));
}

static void conclude(struct floor *f, const struct trial *t, const struct took *without, const struct took *with)
{
	const struct kstats *k = t->measure;
	u64 n = samples(k->table, &f->least), want = CALLS * (ROUNDS + 1);

	if (n != want - (f->way.role == KSTATS_BETWEEN)) {
		snprintf(f->why, sizeof(f->why), "%llu of %llu calls were seen", n, want);
		return;
	}
	f->least_ns = f->least;
	if (f->way.source == KS_CLOCK_TSC)
		f->least_ns = mul_u64_u64_div_u64(f->least, 1000000, k->clock.khz);
	f->cost_ns = each(with->ns, without->ns);
	f->cost_cycles = each(with->cycles, without->cycles);
}

/* ---- a trial ---- */

static const char *attach_all(struct trial *t, const struct way *w, int *err)
{
	const enum ks_floor_form wanted[] = { w->from, w->to };
	unsigned int i;

	for (i = 0; i < t->statement.npoints; i++) {
		*err = forms[wanted[i]].thunk && !is_direct(probe_of(t, i)) ? -EOPNOTSUPP : attach(t, i, wanted[i]);
		if (*err == -EOPNOTSUPP)
			return "not by this mechanism here";
		if (*err)
			return *err == -ENOSPC ? "no thunk is free" : "cannot be attached";
		/* Of its own accord a thunk is of one form; that many functions share it was our wish. */
		if (wanted[i] != KS_FLOOR_SHARED && wanted[i] != KS_FLOOR_BREAKPOINT && form_of(probe_of(t, i)) != wanted[i])
			return "not in this form here";
	}
	return NULL;
}

/* What others do at our functions is not to be kept when they are gone. Those that thunks are tried on nobody can trace. */
static bool is_traced(const struct way *w)
{
	return (forms[w->from].hit == KS_HIT_FUNCTION || (w->to && forms[w->to].hit == KS_HIT_FUNCTION)) && ks_hit_is_traced();
}

static void try(struct floor *f, struct trial *t)
{
	struct took without, with;
	const char *why;
	int err = 0;

	if (is_traced(&f->way)) {
		fail(f, "somebody traces kstats' own functions", 0);
		return;
	}
	without = call_all(&f->way);
	ks_clock_go(&t->measure->clock);
	why = attach_all(t, &f->way, &err);
	if (why) {
		fail(f, why, err);
	} else {
		smp_store_release(&t->measure->live, t->measure->table);
		follow(t);
		with = call_all(&f->way);
	}
	detach_thunks(t);
	if (!why)
		conclude(f, t, &without, &with);
}

static bool same(const struct way *a, const struct way *b)
{
	return a->role == b->role && a->from == b->from && a->to == b->to && a->source == b->source;
}

static struct floor *find(const struct way *w)
{
	struct floor *f;

	list_for_each_entry(f, &floors, link)
		if (same(&f->way, w))
			return f;
	return NULL;
}

static void measure_by(struct floor *f)
{
	struct trial *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t) {
		fail(f, "out of memory", 0);
		return;
	}
	describe(t, &f->way);
	t->measure = ks_measure_make("floor", BITS, &t->statement, NULL);
	if (IS_ERR(t->measure)) {
		fail(f, "cannot be made", PTR_ERR(t->measure));
		kfree(t);
		return;
	}
	flush_work(&clearing);
	try(f, t);
	left = t;
	schedule_work(&clearing);
}

/* What failed may do so no longer: it is tried again whenever somebody asks. */
static void measure(const struct way *w)
{
	struct floor *f = find(w);

	if (f && !*f->why)
		return;
	if (!f) {
		f = kzalloc(sizeof(*f), GFP_KERNEL);
		if (!f)
			return;
		f->way = *w;
		list_add_tail(&f->link, &floors);
	}
	*f->why = 0;
	measure_by(f);
}

/* ---- the ways of a measurement ---- */

/* Call @each for every way that durations of @k come by: each start with each end. */
static void for_each_way(const struct kstats *k, void (*each)(const struct kstats *k, const struct way *w, void *data), void *data)
{
	enum kstats_role role = k->statement->points[0].role;
	u32 from = 0, to = 0;
	unsigned int i, j;

	BUILD_BUG_ON(KS_FLOOR_FORMS > 32);
	for (i = 0; i < k->nprobes; i++) {
		const struct ks_probe *p = &k->probes[i];

		for (j = 0; p->armed && j < p->npoints; j++)
			*(p->points[j]->role == KSTATS_TO ? &to : &from) |= 1u << form_of(p);
	}
	if (role == KSTATS_TO)
		role = KSTATS_FROM;
	if (role != KSTATS_FROM)
		to = 1u << KS_FLOOR_NONE;
	for (i = KS_FLOOR_NONE + 1; i < KS_FLOOR_FORMS; i++)
		for (j = role == KSTATS_FROM; j < KS_FLOOR_FORMS; j++)
			if (from & 1u << i && to & 1u << j)
				each(k, &(struct way){ role, i, j, k->clock.source }, data);
}

static bool is_timed(const struct kstats *k)
{
	return k->statement && k->kind == KSTATS_DURATION && k->statement->time != KSTATS_TIME_BLOCKED;
}

static void measure_way(const struct kstats *k, const struct way *w, void *data)
{
	measure(w);
}

typedef void each_way(const struct kstats *k, const struct way *w, void *data);

/*
 * The ways whose costs are those of a hit of @k's. Values are taken where counts are. A breakpoint of the processor's is an exception, as one in
 * the code is; and what ftrace calls for each function does not do more than what times a call.
 */
static void for_each_hit(const struct kstats *k, each_way *each, void *data)
{
	enum kstats_role role = k->statement->points[0].role;
	enum ks_clock_source source = role == KSTATS_CALL ? KS_CLOCK_MONO : KS_CLOCK_NONE;
	u32 forms_of = 0;
	unsigned int i;

	for (i = 0; i < k->nprobes; i++) {
		const struct ks_probe *p = &k->probes[i];

		if (p->armed && p->backend == &ks_probe_ftrace)
			each(k, &(struct way){ KSTATS_CALL, KS_FLOOR_FAST, 0, KS_CLOCK_MONO }, data);
		else if (p->armed)
			forms_of |= 1u << form_of(p);
	}
	if (forms_of & 1u << KS_FLOOR_NONE)
		each(k, &(struct way){ KSTATS_COUNT, KS_FLOOR_BREAKPOINT, 0, KS_CLOCK_NONE }, data);
	if (is_timed(k)) {
		for_each_way(k, each, data);
		return;
	}
	for (i = KS_FLOOR_NONE + 1; i < KS_FLOOR_FORMS; i++)
		if (forms_of & 1u << i)
			each(k, &(struct way){ role == KSTATS_VALUE ? KSTATS_COUNT : role, i, 0, source }, data);
}

void ks_floor_measure(const struct kstats *k)
{
	if (k->statement)
		for_each_hit(k, measure_way, NULL);
}

static void cost_of_way(const struct kstats *k, const struct way *w, void *data)
{
	const struct floor *f = find(w);
	u32 *most = data;

	if (f && !*f->why)
		*most = max(*most, f->cost_ns);
}

u32 ks_floor_cost(const struct kstats *k)
{
	u32 most = 0;

	if (k->statement)
		for_each_hit(k, cost_of_way, &most);
	return most;
}

static void print_way(const struct kstats *k, const struct way *w, void *data)
{
	const struct floor *f = find(w);
	const char *to = w->to ? forms[w->to].name : "", *blank = w->to ? " " : "";

	if (!f || *f->why)
		seq_buf_printf(data, "nofloor %s%s%s: %s\n", forms[w->from].name, blank, to, f ? f->why : "out of memory");
	else	/* as the recorder would have it, of @k's clock */
		seq_buf_printf(data, "floor %llu %s%s%s\n", ks_clock_scale(f->least, &k->clock.mult), forms[w->from].name, blank, to);
}

void ks_floor_print(struct seq_buf *b, const struct kstats *k)
{
	if (is_timed(k))
		for_each_way(k, print_way, b);
}

/* ---- who else is there ---- */

/*
 * Several kprobes at one place become one, which calls them in turn. (Those of ftrace's are never made jumps, which would look
 * the same.)
 */
static bool is_shared(const struct ks_probe *p)
{
	const struct kprobe *kp = p->backend == &ks_probe_kprobe ? &p->kp : &p->rp.kp;

	if (p->backend == &ks_probe_direct || p->backend == &ks_probe_shared)
		return ks_floor_direct_is_shared(p);
	if (p->backend != &ks_probe_kprobe && p->backend != &ks_probe_kretprobe)
		return false;
	return kprobe_ftrace((struct kprobe *)kp) && !list_empty(&kp->list);
}

size_t ks_floor_shared(const struct kstats *k, char *buf, size_t size)
{
	const struct ks_probe *first = NULL;
	unsigned int i, n = 0;

	/* Who attaches and detaches may hold that for long, and readers wait for nobody. */
	if (!is_timed(k) || !ks_floor_direct_trylock())
		return 0;
	for (i = 0; i < k->nprobes; i++) {
		if (!k->probes[i].armed || !is_shared(&k->probes[i]))
			continue;
		if (!n++)
			first = &k->probes[i];
	}
	ks_floor_direct_unlock();
	return n ? scnprintf(buf, size, "shared %u %s\n", n, first->symbol) : 0;
}

/* ---- the table ---- */

void ks_floor_measure_all(void)
{
	static const enum ks_floor_form calls[] = { KS_FLOOR_FAST, KS_FLOOR_KEYED, KS_FLOOR_FULL, KS_FLOOR_SHARED,
#if KS_FPROBE
						    KS_FLOOR_FPROBE,
#endif
						    KS_FLOOR_KRETPROBE };
	static const enum ks_floor_form pairs[] = { KS_FLOOR_LEAN, KS_FLOOR_PASS, KS_FLOOR_KPROBE, KS_FLOOR_PLAIN,
						    KS_FLOOR_ARGUMENTS };
	static const enum ks_floor_form counts[] = { KS_FLOOR_COUNT, KS_FLOOR_PASS, KS_FLOOR_KPROBE, KS_FLOOR_BREAKPOINT,
#if KS_FPROBE
						     KS_FLOOR_FRETURN,
#endif
						     KS_FLOOR_KRETURN, KS_FLOOR_ARGUMENTS };
	struct ks_clock clock = {};
	unsigned int i;

	if (ks_clock_choose(&clock, KSTATS_CLOCK_AUTO))
		return;
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		measure(&(struct way){ KSTATS_CALL, calls[i], 0, clock.source });
	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		measure(&(struct way){ KSTATS_FROM, pairs[i], pairs[i], clock.source });
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		measure(&(struct way){ KSTATS_COUNT, counts[i], 0, KS_CLOCK_NONE });
}

static void show_tenths(struct seq_file *m, u32 tenths)
{
	seq_printf(m, " %u.%u", tenths / 10, tenths % 10);
}

static void show_figures(struct seq_file *m, const struct floor *f)
{
	if (f->way.role == KSTATS_COUNT)
		seq_puts(m, " -");
	else
		seq_printf(m, " %llu", f->least_ns);
	show_tenths(m, f->cost_ns);
	if (f->cost_cycles)
		show_tenths(m, f->cost_cycles);
	else
		seq_puts(m, " -");
}

void ks_floor_show(struct seq_file *m)
{
	const struct floor *f;

	seq_puts(m, "# what from to clock floor_ns cost_ns cost_cycles\n");
	mutex_lock(&ks_lock);
	list_for_each_entry(f, &floors, link) {
		const struct way *w = &f->way;

		seq_printf(m, "%s %s %s %s", roles[w->role], forms[w->from].name, w->to ? forms[w->to].name : "-",
			   sources[w->source]);
		if (*f->why)
			seq_printf(m, " - - - %s", f->why);
		else
			show_figures(m, f);
		seq_putc(m, '\n');
	}
	mutex_unlock(&ks_lock);
}

void ks_floor_exit(void)
{
	struct floor *f, *next;

	flush_work(&clearing);
	list_for_each_entry_safe(f, next, &floors, link)
		kfree(f);
}
