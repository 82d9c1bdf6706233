// SPDX-License-Identifier: GPL-2.0
/*
 * resolve_field.c: `$name` where a tracepoint has no such argument, but its event's record has such a field: what in the
 * arguments holds it. Only what is a plain member there (or, of kvm_exit, one a vendor): the record is filled by code,
 * and what that computes is not repeated here. An expression that this kernel does not have is as if it were not listed.
 */
#include <stdlib.h>
#include <string.h>

#include "resolve_private.h"

#define KVM_ISA_VMX	"1"	/* asm/kvm_host.h; what is not VMX is SVM */

static const struct field {
	const char *system;
	const char *events;	/* with a blank behind each */
	const char *name;
	const char *value;
} fields[] = {
	{ "sched", "sched_switch ", "prev_pid", "$prev->pid" },
	{ "sched", "sched_switch ", "prev_comm", "$prev->comm" },
	{ "sched", "sched_switch ", "prev_prio", "$prev->prio" },
	{ "sched", "sched_switch ", "next_pid", "$next->pid" },
	{ "sched", "sched_switch ", "next_comm", "$next->comm" },
	{ "sched", "sched_switch ", "next_prio", "$next->prio" },
	{ "sched", "sched_wakeup sched_wakeup_new sched_waking sched_migrate_task sched_process_exit sched_process_free "
		   "sched_wait_task sched_process_exec ", "pid", "$p->pid" },
	{ "sched", "sched_wakeup sched_wakeup_new sched_waking sched_migrate_task sched_process_exit sched_process_free "
		   "sched_wait_task ", "comm", "$p->comm" },
	{ "sched", "sched_wakeup sched_wakeup_new sched_waking sched_migrate_task sched_process_exit sched_process_free "
		   "sched_wait_task ", "prio", "$p->prio" },
	{ "sched", "sched_wakeup sched_wakeup_new sched_waking ", "target_cpu", "$p->thread_info.cpu" },
	{ "sched", "sched_migrate_task ", "orig_cpu", "$p->thread_info.cpu" },
	{ "sched", "sched_process_fork ", "parent_pid", "$parent->pid" },
	{ "sched", "sched_process_fork ", "parent_comm", "$parent->comm" },
	{ "sched", "sched_process_fork ", "child_pid", "$child->pid" },
	{ "sched", "sched_process_fork ", "child_comm", "$child->comm" },
	{ "sched", "sched_process_exec ", "filename", "(char *)$bprm->filename" },
	{ "sched", "sched_stat_runtime sched_stat_wait sched_stat_sleep sched_stat_iowait sched_stat_blocked ", "pid",
	  "$tsk->pid" },
	{ "sched", "sched_stat_runtime sched_stat_wait sched_stat_sleep sched_stat_iowait sched_stat_blocked ", "comm",
	  "$tsk->comm" },
	{ "task", "task_newtask task_rename ", "pid", "$task->pid" },
	{ "task", "task_newtask ", "comm", "$task->comm" },
	{ "task", "task_rename ", "oldcomm", "$task->comm" },
	{ "signal", "signal_generate ", "pid", "$task->pid" },
	{ "signal", "signal_generate ", "comm", "$task->comm" },
	{ "irq", "irq_handler_entry ", "name", "(char *)$action->name" },
	{ "irq", "softirq_entry softirq_exit softirq_raise ", "vec", "$vec_nr" },
	{ "block", "block_rq_issue block_rq_insert block_rq_merge ", "bytes", "$rq->__data_len" },
	{ "block", "block_rq_issue block_rq_insert block_rq_merge ", "comm", "comm" },
	{ "timer", "timer_start timer_expire_entry ", "function", "$timer->function" },
	{ "timer", "hrtimer_start hrtimer_expire_entry ", "function", "$hrtimer->function" },
	{ "net", "net_dev_queue netif_receive_skb netif_rx ", "len", "$skb->len" },
	{ "net", "net_dev_queue netif_receive_skb netif_rx net_dev_xmit ", "skbaddr", "$skb" },
	{ "net", "net_dev_queue netif_receive_skb netif_rx ", "name", "$skb->dev->name" },
	{ "net", "net_dev_xmit ", "len", "$skb_len" },
	{ "net", "net_dev_xmit ", "name", "$dev->name" },
	{ "kmem", "kmem_cache_alloc ", "bytes_req", "$s->object_size" },
	{ "kmem", "kmem_cache_alloc ", "bytes_alloc", "$s->size" },
	{ "kmem", "kmem_cache_alloc kmem_cache_free ", "name", "(char *)$s->name" },
	/* The types of the two are in modules of their own, which stand on kvm. */
	{ "kvm", "kvm_exit ", "exit_reason", "$isa == " KVM_ISA_VMX " ? ((struct vcpu_vmx *)$vcpu)->exit_reason.full : "
					     "((struct vcpu_svm *)$vcpu)->vmcb->control.exit_code" },
	{ "kvm", "kvm_exit ", "exit_reason", "$isa == " KVM_ISA_VMX " ? ((struct vcpu_vmx *)$vcpu)->vt.exit_reason.full : "
					     "((struct vcpu_svm *)$vcpu)->vmcb->control.exit_code" },	/* 6.15 */
	{ "kvm", "kvm_exit kvm_entry ", "vcpu_id", "$vcpu->vcpu_id" },
};

static bool is_listed(const char *events, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = events; (at = strstr(at, name)); at += n)
		if ((at == events || at[-1] == ' ') && at[n] == ' ')
			return true;
	return false;
}

/* Of those that are listed for the field, the first at or behind fields[*i]; *i goes behind it. */
static const char *value_of(const struct site *site, const char *name, unsigned int *i)
{
	while (*i < sizeof(fields) / sizeof(*fields)) {
		const struct field *f = &fields[(*i)++];

		if (strcmp(f->name, name) == 0 && (!site->system || strcmp(f->system, site->system) == 0) &&
		    is_listed(f->events, site->name))
			return f->value;
	}
	return NULL;
}

/* All that is said of it is said of what the script has in its place. */
static void place_at(struct expr *e, struct loc loc)
{
	if (!e)
		return;
	e->loc = loc;
	switch (e->kind) {
	case EXPR_UNARY:
	case EXPR_BINARY:
	case EXPR_TERNARY:
	case EXPR_INDEX:
		place_at(e->op.a, loc);
		place_at(e->op.b, loc);
		place_at(e->op.c, loc);
		break;
	case EXPR_MEMBER:
		e->member.name_loc = loc;
		place_at(e->member.of, loc);
		break;
	case EXPR_CAST:
		e->cast.type->loc = loc;
		place_at(e->cast.of, loc);
		break;
	default:
		break;
	}
}

/* Whether this kernel has the expression. */
static bool try_value(struct resolve *r, const struct expr *e, const char *value, const struct context *context, struct operand *o)
{
	char *text = mem_printf("count x by %s", value);
	struct source source = { "", text, strlen(text) };
	struct diag_mark mark = diag_mark(r->diag);
	bool tentative = r->tentative, good;
	struct script script = {};
	struct diag *unheard = diag_new(&source, 1);
	struct expr *its;

	parse_source(&script, unheard, &source, 0);
	its = script.statements->places->options->exprs;
	place_at(its, e->loc);
	r->tentative = true;
	good = resolve_operand(r, its, context, o);
	r->tentative = tentative;
	if (good)
		diag_note(r->diag, e->loc, "field", "'%s' is no argument, but a field of the event's record: %s holds it", e->name,
			  value);
	else
		diag_rewind(r->diag, mark);
	script_free(&script);
	diag_free(unheard);
	free(text);
	return good;
}

bool resolve_field(struct resolve *r, const struct expr *e, const struct context *context, struct operand *o)
{
	struct site *site = context->site;
	unsigned int i = 0;
	const char *value;

	if (site->convention != CONVENTION_TRACEPOINT)
		return false;
	while ((value = value_of(site, e->name, &i)))
		if (try_value(r, e, value, context, o))
			return true;
	return false;
}
