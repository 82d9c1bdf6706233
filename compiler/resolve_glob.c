// SPDX-License-Identifier: GPL-2.0
/* resolve_glob.c: patterns: which functions, system calls and tracepoints of the kernel they mean. */
#include <stdlib.h>
#include <string.h>

#include "match.h"
#include "resolve_private.h"

#define MATCHES_MAX	8192	/* attaching takes time, for each of them */
#define MATCHES_MANY	1000
#define MATCHES_FEW	8	/* a thunk each: runtime/direct.h */

struct match {
	const char *name, *module, *system;
	uint64_t address;
};

struct matches {
	const struct point *point;
	struct resolve *r;
	bool whole;
	struct match *list;
	unsigned int count;
	unsigned int refused;
};

static void add(struct matches *m, struct match match)
{
	m->list = mem_more(m->list, m->count, sizeof(*m->list));
	m->list[m->count++] = match;
}

static bool take_function(void *arg, const struct function_seen *seen)
{
	struct matches *m = arg;

	if (!match_glob(m->point->symbol, seen->name) || strstr(seen->name, ".cold") || strstr(seen->name, ".part."))
		return true;
	if (seen->reason || (seen->no_return && (m->whole || m->point->at_return)))
		m->refused++;
	else
		add(m, (struct match){ .name = seen->name, .module = seen->module, .address = seen->address });
	return m->count <= MATCHES_MAX;
}

/* What may not be probed may be traced; of a module's functions only the kernel that has loaded it knows. */
static bool take_traced(void *arg, const struct function_seen *seen)
{
	struct matches *m = arg;

	if (!match_glob(m->point->symbol, seen->name) || strstr(seen->name, ".cold") || seen->gone)
		return true;
	if (!seen->module && symbols_call_site(m->r->symbols, seen->address) == 0)
		m->refused++;
	else
		add(m, (struct match){ .name = seen->name, .module = seen->module, .address = seen->address });
	return true;
}

static bool take_syscall(void *arg, const struct function_seen *seen)
{
	struct matches *m = arg;

	if (strncmp(seen->name, "__x64_sys_", 10) != 0 || !match_glob(m->point->symbol, seen->name + 10))
		return true;
	if (seen->reason)
		m->refused++;
	else
		add(m, (struct match){ .name = seen->name + 10, .address = seen->address });
	return true;
}

/* Tracepoints of modules only for a system that is named: those of all modules that there are would be waited for. */
static bool take_tracepoint(void *arg, const struct tracepoint_seen *seen)
{
	struct matches *m = arg;
	const char *system = m->point->system;

	if (!match_glob(m->point->symbol, seen->name) || (system && !match_glob(system, seen->system ? seen->system : "")))
		return true;
	if (seen->module && (!system || match_is_glob(system)))
		return true;
	add(m, (struct match){ .name = seen->name, .module = seen->module, .system = seen->system });
	return m->count <= MATCHES_MAX;
}

static int by_name(const void *a, const void *b)
{
	const struct match *x = a, *y = b;
	int d = strcmp(x->module ? x->module : "", y->module ? y->module : "");

	if (!d)
		d = strcmp(x->system ? x->system : "", y->system ? y->system : "");
	if (!d)
		d = strcmp(x->name, y->name);
	return d ? d : x->address < y->address ? -1 : x->address > y->address;
}

static char *text_of(const struct point *p, const struct match *m)
{
	const char *end = p->at_return ? ":return" : "";

	if (p->kind == POINT_TRACEPOINT)
		return mem_printf("tp:%s%s%s", m->system ? m->system : "", m->system ? ":" : "", m->name);
	if (p->kind == POINT_SYSCALL)
		return mem_printf("syscall:%s%s", m->name, end);
	return mem_printf("%s%s%s%s", m->module ? m->module : "", m->module ? ":" : "", m->name, end);
}

/* By address too: the kernel's search by name takes milliseconds each, and by address many share a thunk. */
static void locate(struct resolve *r, struct plan_point *point)
{
	uint64_t address = symbols_address(r->symbols, point->symbol), origin = symbols_address(r->symbols, "init_task");

	if (address && origin)
		point->distance = address - origin;
}

static void add_sites(struct resolve *r, const struct point *p, const struct matches *m, unsigned int i,
		      struct sites *out)
{
	const struct match *match = &m->list[i], *before = i ? match - 1 : NULL, *after = i + 1 < m->count ? match + 1 : NULL;
	unsigned int first = out->count;
	struct site *site;

	if (p->kind == POINT_TRACEPOINT) {
		resolve_site_tracepoint(r, out, p, match->module, match->system, match->name);
	} else if (p->kind == POINT_SYSCALL) {
		resolve_site_syscall(r, out, p, match->name, p->at_return);
	} else {
		/* Where they are many, by address too, as above. */
		bool twins = (before && strcmp(before->name, match->name) == 0) ||
			     (after && strcmp(after->name, match->name) == 0) || (!match->module && m->count > MATCHES_FEW);

		site = resolve_site_function(r, out, p, match->module, match->name, match->address, twins);
		site->clone = strstr(match->name, ".isra") || strstr(match->name, ".constprop");
	}
	for (unsigned int s = first; s < out->count; s++) {
		if (p->kind == POINT_SYSCALL)
			locate(r, &out->list[s].point);
		free(out->list[s].point.text);
		out->list[s].point.text = text_of(p, match);
		out->list[s].point.match = i;
	}
}

static void no_match(struct resolve *r, const struct point *p, const struct matches *m)
{
	if (m->refused && r->traced)
		diag_error(r->diag, p->loc, "no-match", "what matches %s has no call site for ftrace (%u)", p->text, m->refused);
	else if (m->refused)
		diag_error(r->diag, p->loc, "no-match", "what matches %s cannot be probed (%u)", p->text, m->refused);
	else
		diag_error(r->diag, p->loc, "no-match", "nothing in kernel %s matches %s", r->kernel->release, p->text);
	if (p->kind == POINT_TRACEPOINT && p->system && strcmp(p->system, "syscalls") == 0)
		diag_help(r->diag, "system calls are points of their own: \"syscall:*\", \"syscall:*:return\"");
	if (p->kind == POINT_FUNCTION && !p->system)
		diag_help(r->diag, "of a module: \"MODULE:%s\"", p->symbol);
}

/* Of system calls the names are looked up one by one, and returns ftrace has none of. */
static bool is_traced(const struct resolve *r, const struct point *p)
{
	return r->traced && p->kind == POINT_FUNCTION && !p->at_return;
}

static bool find(struct resolve *r, const struct point *p, struct matches *m, struct sites *out)
{
	switch (p->kind) {
	case POINT_FUNCTION:
		if (p->file || p->has_offset) {
			diag_error(r->diag, p->loc, "bad-point", "a pattern has neither @FILE nor +OFFSET");
			out->wrong = true;
			return false;
		}
		symbols_each_function(r->symbols, p->system, is_traced(r, p) ? take_traced : take_function, m);
		break;
	case POINT_SYSCALL:
		symbols_each_function(r->symbols, NULL, take_syscall, m);
		break;
	case POINT_TRACEPOINT:
		symbols_each_tracepoint(r->symbols, take_tracepoint, m);
		break;
	default:
		diag_error(r->diag, p->loc, "bad-point", "a pattern is of functions, system calls or tracepoints");
		out->wrong = true;
		return false;
	}
	if (!m->count) {
		no_match(r, p, m);
		return false;
	}
	if (m->count > MATCHES_MAX && !is_traced(r, p)) {
		diag_error(r->diag, p->loc, "too-many", "more than %d match this; attaching to each takes its time", MATCHES_MAX);
		if (p->kind == POINT_FUNCTION)
			diag_help(r->diag, "profile \"%s\", without `time`, counts the calls of any number of functions", p->text);
		out->wrong = true;
		return false;
	}
	return true;
}

/* Functions of one name where no address tells them apart: probes by name would all be on the first of them. */
static bool are_told(struct resolve *r, struct match *twins, unsigned int n)
{
	uint64_t distance;
	struct function f;

	if (!twins->module)
		return twins->address;
	symbols_function(r->symbols, twins->module, twins->name, &f);
	if (f.state != FUNCTION_SEVERAL || f.count != n || n > FUNCTION_OTHERS)
		return false;
	for (unsigned int i = 0; i < n; i++) {
		twins[i].address = f.addresses[i];
		if (!symbols_anchor(r->symbols, twins->module, twins->name, f.addresses[i], &distance))
			return false;
	}
	return true;
}

static void drop_twins(struct resolve *r, struct matches *m)
{
	unsigned int kept = 0;

	for (unsigned int i = 0, n; i < m->count; i += n) {
		const char *module = m->list[i].module ? m->list[i].module : "";

		for (n = 1; i + n < m->count; n++) {
			const struct match *other = &m->list[i + n];

			if (strcmp(m->list[i].name, other->name) != 0 || strcmp(module, other->module ? other->module : "") != 0)
				break;
		}
		if (n > 1 && !are_told(r, &m->list[i], n)) {
			m->refused += n;
			continue;
		}
		memmove(&m->list[kept], &m->list[i], n * sizeof(*m->list));
		kept += n;
	}
	m->count = kept;
}

static void add_traced(const struct matches *m, struct sites *out)
{
	for (unsigned int i = 0; i < m->count; i++) {
		out->traced = mem_more(out->traced, out->ntraced, sizeof(*out->traced));
		out->traced[out->ntraced++] = (struct traced){ m->list[i].name, m->list[i].module, m->list[i].address };
	}
}

bool resolve_glob(struct resolve *r, const struct point *p, bool whole, struct sites *out)
{
	struct matches m = { .r = r, .point = p, .whole = whole };

	if (!find(r, p, &m, out)) {
		free(m.list);
		return false;
	}
	if (is_traced(r, p)) {
		add_traced(&m, out);
		out->pattern = true;
		if (m.refused)
			diag_note(r->diag, p->loc, "refused", "%u more match, where ftrace has no call site", m.refused);
		free(m.list);
		return true;
	}
	qsort(m.list, m.count, sizeof(*m.list), by_name);
	if (p->kind == POINT_FUNCTION)
		drop_twins(r, &m);
	if (!m.count) {
		no_match(r, p, &m);
		free(m.list);
		return false;
	}
	for (unsigned int i = 0; i < m.count; i++)
		add_sites(r, p, &m, i, out);
	out->pattern = true;
	if (m.refused)
		diag_note(r->diag, p->loc, "refused", "%u more match, but cannot be probed; kmeter -L says why", m.refused);
	if (m.count > MATCHES_MANY)
		diag_warn(r->diag, p->loc, "many", "%u places match: attaching to all takes a while, and all of them are slowed",
			  m.count);
	free(m.list);
	return true;
}
