// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_thunk.c: which points may be served by a thunk, the cheapest way there is (kstats.h, `thunk` of a point).
 *
 * At a function's entry a thunk has the registers of arguments, and where the stack was. Where the return is waited for it puts
 * a frame of its own between caller and function: the function must then not look for anything above its return address, so all
 * of its arguments must be known to lie in registers; nor must it make use of the return address itself.
 */
#include <fnmatch.h>
#include <string.h>

#include "resolve_private.h"

/*
 * Functions that hand their return address on, to be shown or compared: with a frame in between it would be ours. And those that
 * leave the machine in a state, or on a stack, in which nothing of ours may run any more.
 */
static const char *const not_wrapped[] = {
	/* the address of who allocates: kmem's tracepoints, slab debugging, /proc/vmallocinfo, /proc/allocinfo */
	"kmalloc*", "__kmalloc*", "kmem_cache_alloc*", "__kmem_cache_alloc*", "kmem_cache_free*", "kfree*", "krealloc*", "kmemdup*",
	"kstrdup*", "kvasprintf*", "kasprintf*", "memdup_*", "kvmalloc*", "__kvmalloc*", "vmalloc*", "vzalloc*", "__vmalloc*",
	"vmap", "vm_map_ram", "ioremap*", "__ioremap*", "memremap*", "__alloc_percpu*", "pcpu_alloc*", "devm_k*alloc*",
	"consume_skb", "__consume_stateless_skb",
	/* who disabled what, who warns */
	"lock_*", "_raw_*", "__local_bh_*", "local_bh_*", "__might_*", "warn_slowpath_*", "__warn*", "_printk", "panic", "debug_*",
	/* callers are compared, or looked up as code */
	"module_*", "__module_*", "__symbol_*", "kprobe_*", "bpf_*", "ftrace_*", "stack_trace_save*", "arch_stack_walk*",
	"unwind_*", "dump_stack*", "save_stack*", "stack_depot_*", "in_lock_functions", "profile_*",
	/* suspend, kexec, and CPUs that go */
	"*suspend*", "*hibernat*", "swsusp_*", "*kexec*", "machine_*", "native_machine_*", "native_stop_*", "stop_this_cpu",
	"*_cpu_dead", "play_dead*", "native_play_dead", "cpuhp_*", "mwait_play_dead", "hlt_play_dead", "save_processor_state",
	"restore_processor_state", "emergency_restart", "do_idle", "cpu_startup_entry",
	NULL
};

static bool is_not_wrapped(const char *symbol)
{
	for (unsigned int i = 0; not_wrapped[i]; i++)
		if (fnmatch(not_wrapped[i], symbol, 0) == 0)
			return true;
	return false;
}

/* By DWARF's numbers: those of arguments, and the stack pointer. */
static bool needs_other_register(const struct plan_expr *e)
{
	static const unsigned char known[16] = { [5] = 1, [4] = 1, [1] = 1, [2] = 1, [8] = 1, [9] = 1, [7] = 1 };

	if (e->kind == PLAN_REGISTER)
		return !known[e->index];
	return plan_expr_has_parts(e) && (needs_other_register(e->a) || (e->b && needs_other_register(e->b)) ||
					  (e->c && needs_other_register(e->c)));
}

void resolve_thunk(struct resolve *r, struct site *site)
{
	struct plan_point *p = &site->point;
	bool wrapped = p->role == PLAN_CALL || p->where == PLAN_RETURN_OF;

	if ((p->where != PLAN_FUNCTION && p->where != PLAN_RETURN_OF) || p->offset)
		return;
	if (plan_side_any(&p->enter, needs_other_register) || plan_side_any(&p->early, needs_other_register))
		return;
	p->thunk = !wrapped || (!is_not_wrapped(p->symbol) && resolve_in_registers(r, site));
	p->wide = p->thunk && p->role == PLAN_CALL && site->prototype.result && site->prototype.result->size > 8;
}

const char *resolve_thunk_refusal(const char *symbol, const struct prototype *p)
{
	if (is_not_wrapped(symbol))
		return "it uses its return address, or runs where nothing else may";
	if (!p)
		return "nothing tells its arguments";
	return resolve_prototype_in_registers(p) ? NULL : "not all of its arguments are in registers";
}
