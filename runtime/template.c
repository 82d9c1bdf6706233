// SPDX-License-Identifier: GPL-2.0
/*
 * template.c: a module that is never loaded. kmeter has kbuild make it beside kstats.ko, once a kernel, and learns from it
 * how to make a script's module without kbuild: the commands, what modpost adds, and from this object what the kernel's
 * headers say (compiler/template.c reads the sections below and writes recorded.h).
 */
#include <linux/stringify.h>
#include "script.h"

/* Numbers. */
struct ks_recorded {
	char name[24];
	s64 value;
};

static const struct ks_recorded ks_facts[] __used __section(".discard.kmeter.facts") = {
#define FACT(name, value)	{ #name, value },
	KS_FACTS(FACT)
};

/* Words: pairs of texts. */
static const char ks_words[] __used __section(".discard.kmeter.words") =
	"__init\0" __stringify(__init) "\0"
	"__exit\0" __stringify(__exit) "\0"
	"inline\0" __stringify(inline) "\0"
	"__always_inline\0" __stringify(__always_inline) "\0";

static const char ks_extable[] __used __section(".discard.kmeter.extable") = _ASM_EXTABLE(1b, ks_to);

/* Loads through %gs: how the kernel itself finds what belongs to this CPU. */
#define LOAD(name)	noinline __used __section(".text.kmeter." #name)

unsigned long ks_load_current(void);
unsigned long LOAD(current) ks_load_current(void)
{
	return ks_current();
}

unsigned int ks_load_cpu(void);
unsigned int LOAD(cpu) ks_load_cpu(void)
{
	return ks_this_cpu_number();
}

unsigned long ks_load_offset(void);
unsigned long LOAD(offset) ks_load_offset(void)
{
	return ks_this_cpu_offset();
}

/* The order that alone.h has. */
#define REGISTER(name, n)	static_assert(offsetof(struct pt_regs, name) == 8 * (n))
REGISTER(r15, 0);
REGISTER(r14, 1);
REGISTER(r13, 2);
REGISTER(r12, 3);
REGISTER(bp, 4);
REGISTER(bx, 5);
REGISTER(r11, 6);
REGISTER(r10, 7);
REGISTER(r9, 8);
REGISTER(r8, 9);
REGISTER(ax, 10);
REGISTER(cx, 11);
REGISTER(dx, 12);
REGISTER(si, 13);
REGISTER(di, 14);
REGISTER(orig_ax, 15);
REGISTER(ip, 16);
REGISTER(flags, 18);
REGISTER(sp, 19);

/* What makes a script of it. */
static const struct kstats_script script = {
	.version = KSTATS_VERSION,
	.owner = THIS_MODULE,
};

static int __init km_init(void)
{
	return kstats_script_load(&script);
}
module_init(km_init);

static void __exit km_exit(void)
{
	kstats_script_unload(&script);
}
module_exit(km_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a kmeter script");
