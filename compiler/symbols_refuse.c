// SPDX-License-Identifier: GPL-2.0
/* symbols_refuse.c: which functions cannot be probed, and why; asked of 60,000 functions in one listing. */
#include <string.h>

#include "symbols_private.h"

#define NOKPROBE	"_kbl_addr_"

static const char padding[] = "it is the padding before a function";
static const char entry[] = "the kernel allows no probe in it (it is entry code or noinstr)";
static const char of_load[] = "it runs only while its module is loaded or removed";
static const char gone[] = "it runs only while the kernel starts, and is gone afterwards";

/* Functions that never return (the kernel marks them __noreturn; objtool keeps a longer list of the same). */
static const char *const no_return[] = {
	"__fortify_panic", "__kunit_abort", "__module_put_and_kthread_exit", "__stack_chk_fail", "__tdx_hypercall_failed",
	"__ubsan_handle_builtin_unreachable", "arch_cpu_idle_dead", "bch2_trans_in_restart_error", "cpu_bringup_and_idle",
	"cpu_startup_entry", "do_exit", "do_group_exit", "do_task_dead", "ex_handler_msr_mce", "fortify_panic",
	"hlt_play_dead", "kthread_complete_and_exit", "kthread_exit", "kunit_try_catch_throw", "machine_real_restart",
	"make_task_dead", "mpt_halt_firmware", "nmi_panic_self_stop", "panic", "panic_smp_self_stop", "play_dead",
	"resume_play_dead", "rewind_stack_and_make_dead", "rewind_stack_do_exit", "stop_this_cpu", "usercopy_abort",
	"vpanic", "x86_64_start_kernel", "x86_64_start_reservations", "xen_start_kernel", NULL
};

static const struct {
	const char *from, *to, *reason;
} texts[] = {
	{ "__noinstr_text_start", "__noinstr_text_end", entry },
	{ "__kprobes_text_start", "__kprobes_text_end", entry },
	{ "__entry_text_start", "__entry_text_end", entry },
	{ "__irqentry_text_start", "__irqentry_text_end", entry },
	{ "__cpuidle_text_start", "__cpuidle_text_end", entry },
	{ "__indirect_thunk_start", "__indirect_thunk_end", "every probe's own code runs through it" },
	{ "__static_call_text_start", "__static_call_text_end", "the kernel rewrites it while it runs" },
	{ "_sinittext", "_einittext", gone },
};

_Static_assert(sizeof(texts) / sizeof(*texts) <= RANGES, "RANGES");

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

static bool ends(const char *name, const char *with)
{
	size_t length = strlen(name), n = strlen(with);

	return length >= n && strcmp(name + length - n, with) == 0;
}

/*
 * __switch_to is entered by one task and left by another: a kretprobe finds no call of the latter's, and panics. The kernel itself forbids
 * that, but not where functions begin with ENDBR (6.12: it compares the address with the probe's, which is behind that).
 */
const char *symbols_no_return(const char *name)
{
	if (strcmp(name, "__switch_to") == 0)
		return "it returns as another task";
	for (unsigned int n = 0; no_return[n]; n++)
		if (name[0] == no_return[n][0] && strcmp(no_return[n], name) == 0)
			return "it never returns";
	return NULL;
}

bool symbols_is_mark(const char *name)
{
	static const char *const marks[] = { "_text", "_stext", "_etext", "_sinittext", "_einittext",
					     "__indirect_thunk_start", "__indirect_thunk_end", NULL };

	if (name[0] != '_')
		return name[0] == '.';
	if (begins(name, "__pfx_") || begins(name, "__cfi_") || ends(name, "_text_start") || ends(name, "_text_end"))
		return true;
	for (unsigned int i = 0; marks[i]; i++)
		if (strcmp(name, marks[i]) == 0)
			return true;
	return false;
}

void symbols_mark_nokprobe(struct symbols *s, unsigned int from)
{
	for (unsigned int i = from; i < s->count; i++) {
		const char *name = s->symbols[i].name;

		if (name[0] != '_' || !begins(name, NOKPROBE))
			continue;
		for (unsigned int y = symbols_first(s, name + strlen(NOKPROBE)); y != NONE; y = symbols_next(s, y))
			if (symbols_is_function(&s->symbols[y]) &&
			    symbols_same_module(s->symbols[y].module, s->symbols[i].module))
				s->symbols[y].type = 'k';
	}
}

static unsigned int index_of(struct symbols *s, const char *name)
{
	unsigned int i = symbols_first(s, name);

	while (i != NONE && s->symbols[i].module)
		i = symbols_next(s, i);
	return i;
}

static void find_ranges(struct symbols *s)
{
	s->have_ranges = true;
	for (unsigned int i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		unsigned int first = index_of(s, texts[i].from), last = index_of(s, texts[i].to);

		if (first != NONE && last != NONE)
			s->ranges[s->nranges++] = (struct range){ texts[i].reason, s->symbols[first].address,
				s->symbols[last].address, first, last };
	}
}

const char *symbols_refusal_by_name(const char *name, char type)
{
	static const char *const thunks[] = { "__x86_indirect_", "__x86_return_", "__x86_call_", NULL };
	const char *dot;

	if (name[0] == '_') {
		if (begins(name, "__pfx_") || begins(name, "__cfi_"))
			return padding;
		if (symbols_is_mark(name))
			return "it is a mark of the linker, no function";
		if (begins(name, "__SCT__"))
			return "the kernel rewrites it while it runs";
		for (unsigned int i = 0; thunks[i]; i++)
			if (begins(name, thunks[i]))
				return "every probe's own code runs through it";
	}
	if (ends(name, "_return_thunk") || ends(name, "_untrain_ret") || strcmp(name, "__fentry__") == 0)
		return "every probe's own code runs through it";
	dot = strchr(name, '.');
	if (dot && strstr(dot, ".cold"))
		return "it is a part of a function that is jumped to, not called";
	switch (type) {
	case 'n':
		return "the kernel allows no probe in it (noinstr or NOKPROBE)";
	case 'k':
		return "the kernel allows no probe in it (NOKPROBE_SYMBOL)";
	case 'i':
		return of_load;
	default:
		return NULL;
	}
}

const char *symbols_refusal(struct symbols *s, const struct symbol *y)
{
	const char *reason;

	if (y->type == 'i' && !y->module)
		return gone;
	reason = symbols_refusal_by_name(y->name, y->type);
	if (reason || y->module)
		return reason;
	if (!s->have_ranges)
		find_ranges(s);
	for (unsigned int i = 0; i < s->nranges; i++) {
		const struct range *r = &s->ranges[i];

		/* Where the kernel shows no addresses (kptr_restrict), by order, which is that of the addresses. */
		if (r->from || r->to ? y->address >= r->from && y->address < r->to :
		    y > &s->symbols[r->first] && y < &s->symbols[r->last])
			return r->reason;
	}
	return NULL;
}

bool symbols_is_gone(const char *reason)
{
	return reason == gone || reason == of_load;
}

uint64_t symbols_size(const struct symbols *s, unsigned int i)
{
	uint64_t address = s->symbols[i].address;

	if (i >= s->kernel_count || !address)
		return 0;
	for (unsigned int next = i + 1; next < s->kernel_count; next++)
		if (s->symbols[next].address > address)
			return s->symbols[next].address - address;
	return 0;
}
