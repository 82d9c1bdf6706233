// SPDX-License-Identifier: GPL-2.0
/*
 * compiler_symbols.c: functions with their variants, tracepoints with their systems, system calls and listings, of a small
 * kernel with modules that is made here by the assembler; and the index of its modules: kept, used, renewed, damaged,
 * and without a cache.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/symbols.h"

#define RELEASE	"9.9.9-test"

static unsigned int tests, failed;
static char root[] = "/tmp/kmeter-symbols-XXXXXX";

static void check(bool good, const char *what)
{
	tests++;
	failed += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", tests, what);
}

static void same(const char *got, const char *want, const char *what)
{
	check(strcmp(got, want) == 0, what);
	if (strcmp(got, want) != 0)
		printf("# got  %s\n# want %s\n", got, want);
}

static void shell(const char *format, ...)
{
	struct text t = {};
	va_list args;

	text_printf(&t, "cd %s && ", root);
	va_start(args, format);
	text_vprintf(&t, format, args);
	va_end(args);
	if (system(t.s))
		printf("Bail out! %s\n", t.s);
	text_free(&t);
}

static void put(const char *below, const char *text)
{
	char *path = mem_printf("%s/%s", root, below);
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		printf("Bail out! cannot write %s\n", path);
	free(path);
}

/* ---- the kernel ---- */

/* Assembler for functions of 16 bytes: "name" is local, "+name" global. */
static void functions(struct text *t, const char *names)
{
	char *copy = mem_copy(names, strlen(names));

	for (char *name = strtok(copy, " "); name; name = strtok(NULL, " ")) {
		bool global = *name == '+';

		name += global;
		text_printf(t, "%s%s%s.type %s, @function\n%s: .fill 16, 1, 0x90\n", global ? ".globl " : "",
			    global ? name : "", global ? "\n" : "", name, name);
	}
	free(copy);
}

static void write_kernel(void)
{
	struct text t = {}, fill = {};

	text_string(&t, ".file \"a.c\"\n.text\n.globl _text\n_text:\n");
	functions(&t, "+first plain plain.cold plain.part.0 varied varied.isra.0 varied.constprop.0.isra.1 varied.part.0 "
		  "varied_other only.constprop.0 parted.part.0 parted.cold twice tv.isra.0 mixed half +__SCT__x "
		  "+do_exit __pfx_plain +marked both both.llvm.123456");
	text_string(&t, "__noinstr_text_start:\n");
	functions(&t, "quiet half.isra.0");
	text_string(&t, "__noinstr_text_end:\n");
	for (unsigned int i = 0; i < 150; i++)
		text_printf(&fill, "+fill_%u ", i);
	functions(&t, fill.s);
	text_string(&t, ".section .init.text,\"ax\"\n_sinittext:\n");
	functions(&t, "starter mixed.constprop.0");
	text_string(&t, "_einittext:\n.data\n.balign 8\ndata_var: .quad 5\n_kbl_addr_marked: .quad marked\n"
		    "__tracepoint_kernel_event: .quad 0\n__tracepoint_bare_tp: .quad 0\nevent_kernel_event: .quad 0, 0, class, 0\n"
		    "class: .quad system, 0\n__syscall_meta__demo: .quad call\n.long 7, 2\n.quad types, names\n"
		    "types: .quad type_0, type_1\nnames: .quad name_0, name_1\n.section .rodata\nsystem: .asciz \"kernsys\"\n"
		    "call: .asciz \"sys_demo\"\ntype_0: .asciz \"const char *\"\ntype_1: .asciz \"size_t\"\n"
		    "name_0: .asciz \"buf\"\nname_1: .asciz \"count\"\n");
	put("a.S", t.s);
	text_free(&t);
	text_string(&t, ".file \"b.c\"\n.text\n");
	functions(&t, "twice tv.isra.0 +in_b");
	put("b.S", t.s);
	text_free(&t);
	text_free(&fill);
	shell("mkdir -p boot lib/modules/" RELEASE "/kernel && gcc -c a.S -o a.o && gcc -c b.S -o b.o && "
	      "ld -e 0 --no-warn-rwx-segments -Ttext=0xffffffff81000000 -o boot/vmlinux-" RELEASE " a.o b.o 2>/dev/null || "
	      "ld -e 0 -Ttext=0xffffffff81000000 -o boot/vmlinux-" RELEASE " a.o b.o");
}

static void write_modules(void)
{
	struct text t = {};

	text_string(&t, ".file \"x.c\"\n.text\n");
	functions(&t, "dup +mod_entry mod_var.isra.0 mod_var.part.0 nokp __pfx_mod_entry again.isra.0");
	text_string(&t, ".section .noinstr.text,\"ax\"\n");
	functions(&t, "mod_quiet");
	text_string(&t, ".section .init.text,\"ax\"\n");
	functions(&t, "mod_init");
	text_string(&t, ".data\n.balign 8\n_kbl_addr_nokp: .quad nokp\n__tracepoint_mod_event: .quad 0\n__tracepoint_mod_bare: .quad 0\n"
		    "event_mod_event: .quad 0, 0, class\nclass: .quad system\n.section .rodata\nsystem: .asciz \"modsys\"\n");
	put("x.S", t.s);
	text_free(&t);
	text_string(&t, ".file \"y.c\"\n.text\n");
	functions(&t, "dup +mod_last again.constprop.0");
	put("y.S", t.s);
	text_free(&t);
	text_string(&t, ".file \"z.c\"\n.text\n");
	functions(&t, "+shared zz.isra.0");
	put("z.S", t.s);
	text_free(&t);
	put("lib/modules/" RELEASE "/kernel/broken.ko", "no module at all\n");
	put("lib/modules/" RELEASE "/modules.dep", "kernel/first-mod.ko:\nkernel/second.ko.xz: kernel/first-mod.ko\nkernel/broken.ko:\n");
	put("lib/modules/" RELEASE "/modules.builtin", "kernel/inside.ko\n");
	shell("for f in x y z; do gcc -c $f.S -o $f.o || exit; done; cd lib/modules/" RELEASE "/kernel && "
	      "ld -r -o first-mod.ko ../../../../x.o ../../../../y.o && cp ../../../../z.o second.ko && xz second.ko");
}

/* ---- questions ---- */

static const char *const states[] = { "found", "absent", "no-module", "bad-module", "several", "variable", "variants",
				      "elsewhere", "refused" };

/* "STATE count: names with files", or of what was found its variants. */
static char *shown(struct symbols *s, const char *module, const char *name)
{
	struct function f;
	struct text t = {};

	symbols_function(s, module, name, &f);
	text_string(&t, states[f.state]);
	if (f.state == FUNCTION_FOUND) {
		for (unsigned int i = 0; i < f.nvariants; i++)
			text_printf(&t, " %s", f.variants[i].symbol);
		if (f.addresses[0] != f.variants[0].address || f.count != 1 || strcmp(f.symbol, f.variants[0].symbol) != 0)
			text_string(&t, " (it contradicts itself)");
		if (f.files[0])
			text_printf(&t, " in %s", f.files[0]);
		if (f.no_return)
			text_string(&t, " no-return");
	} else if (f.state == FUNCTION_REFUSED) {
		text_printf(&t, " %s: %s", f.symbol, f.reason);
	} else {
		for (unsigned int i = 0; i < f.count && i < FUNCTION_OTHERS; i++)
			text_printf(&t, " %s%s%s", f.others[i], f.files[i] ? "@" : "", f.files[i] ? f.files[i] : "");
	}
	return text_take(&t);
}

static void is(struct symbols *s, const char *module, const char *name, const char *want)
{
	char *got = shown(s, module, name), *what = mem_printf("%s%s%s", module ? module : "", module ? ":" : "", name);

	same(got, want, what);
	free(got);
	free(what);
}

static bool add_function(void *arg, const struct function_seen *seen)
{
	struct text *t = arg;

	if (strncmp(seen->name, "fill_", 5) != 0)
		text_printf(t, "%s%s%s%s%s ", seen->module ? seen->module : "", seen->module ? ":" : "", seen->name,
			    seen->reason ? "!" : "", seen->no_return ? "~" : "");
	return true;
}

static bool add_tracepoint(void *arg, const struct tracepoint_seen *seen)
{
	text_printf(arg, "%s:%s%s%s ", seen->system ? seen->system : "-", seen->name, seen->module ? "@" : "",
		    seen->module ? seen->module : "");
	return true;
}

static bool add_module(void *arg, const char *module, bool built_in)
{
	text_printf(arg, "%s%s ", module, built_in ? "=" : "");
	return true;
}

static bool stop(void *arg, const struct function_seen *seen)
{
	return ++*(unsigned int *)arg < 3;
}

#define IN_MODULES	"first_mod:again.constprop.0 first_mod:again.isra.0 first_mod:dup first_mod:dup first_mod:mod_entry " \
			"first_mod:mod_init! first_mod:mod_last first_mod:mod_quiet! first_mod:mod_var.isra.0 " \
			"first_mod:mod_var.part.0 first_mod:nokp! "
#define TRACEPOINTS	"-:bare_tp kernsys:kernel_event -:mod_bare@first_mod modsys:mod_event@first_mod "

static void test_functions(struct symbols *s)
{
	uint64_t at = symbols_address(s, "varied"), offset = 99;
	struct function f;

	is(s, NULL, "plain", "found plain in a.c");
	is(s, NULL, "varied", "found varied varied.constprop.0.isra.1 varied.isra.0 in a.c");
	is(s, NULL, "varied.isra.0", "found varied.isra.0 in a.c");
	is(s, NULL, "only", "found only.constprop.0 in a.c");
	is(s, NULL, "both", "found both both.llvm.123456 in a.c");
	is(s, NULL, "parted", "variants parted.cold parted.part.0");
	is(s, NULL, "plain.part.0", "found plain.part.0 in a.c");
	is(s, NULL, "plain.cold", "refused plain.cold: it is a part of a function that is jumped to, not called");
	is(s, NULL, "twice", "several twice@a.c twice@b.c");
	is(s, NULL, "tv", "several tv.isra.0@a.c tv.isra.0@b.c");
	is(s, NULL, "mixed", "found mixed in a.c");
	is(s, NULL, "half", "refused half.isra.0: the kernel allows no probe in it (it is entry code or noinstr)");
	is(s, NULL, "quiet", "refused quiet: the kernel allows no probe in it (it is entry code or noinstr)");
	is(s, NULL, "starter", "refused starter: it runs only while the kernel starts, and is gone afterwards");
	is(s, NULL, "marked", "refused marked: the kernel allows no probe in it (NOKPROBE_SYMBOL)");
	is(s, NULL, "data_var", "variable");
	is(s, NULL, "do_exit", "found do_exit no-return");
	is(s, NULL, "first", "found first");
	is(s, NULL, "nowhere", "absent");
	is(s, NULL, "", "absent");
	is(s, "inside", "plain", "found plain in a.c");
	symbols_function(s, NULL, "varied", &f);
	check(f.size == 16 && f.addresses[0] == at && at == symbols_address(s, "plain") + 48, "size and address");
	check(f.variants[2].address == at + 16 && f.variants[1].address == at + 32, "addresses of variants");
	check(symbols_address(s, "data_var") && !symbols_address(s, "nowhere"), "the address of a variable");
	check(strcmp(symbols_at(s, at + 15, &offset) ?: "", "varied") == 0 && offset == 15, "what is at an address");
	check(strcmp(symbols_at(s, at + 16, &offset) ?: "", "varied.isra.0") == 0 && !offset, "and at the next");
	check(!symbols_at(s, 4096, &offset) && !symbols_at(s, ~0ULL, &offset), "and where nothing is");
}

static void test_modules(struct symbols *s)
{
	is(s, NULL, "mod_entry", "elsewhere first_mod");
	is(s, NULL, "mod_var", "elsewhere first_mod");
	is(s, NULL, "zz", "elsewhere second");
	is(s, "first-mod", "mod_entry", "found mod_entry");
	is(s, "first_mod", "mod_var", "found mod_var.isra.0 in x.c");
	is(s, "first_mod", "dup", "several dup@x.c dup@y.c");
	is(s, "first_mod", "again", "several again.constprop.0@y.c again.isra.0@x.c");
	is(s, "first_mod", "nokp", "refused nokp: the kernel allows no probe in it (NOKPROBE_SYMBOL)");
	is(s, "first_mod", "mod_quiet", "refused mod_quiet: the kernel allows no probe in it (noinstr or NOKPROBE)");
	is(s, "first_mod", "mod_init", "refused mod_init: it runs only while its module is loaded or removed");
	is(s, "first_mod", "shared", "absent");
	is(s, "second", "shared", "found shared");
	is(s, "broken", "shared", "bad-module");
	is(s, "nomodule", "shared", "no-module");
}

static void test_tracepoints(struct symbols *s)
{
	struct tracepoint t;
	struct syscall_seen call;

	symbols_tracepoint(s, "kernsys", "kernel_event", &t);
	check(t.state == TRACEPOINT_FOUND && !t.module && strcmp(t.system, "kernsys") == 0, "a tracepoint of the kernel");
	symbols_tracepoint(s, "modsys", "mod_event", &t);
	check(t.state == TRACEPOINT_FOUND && strcmp(t.module, "first_mod") == 0, "one of a module");
	symbols_tracepoint(s, "kernsys", "mod_event", &t);
	check(t.state == TRACEPOINT_OTHER_SYSTEM && strcmp(t.system, "modsys") == 0, "one of another system");
	symbols_tracepoint(s, "kernsys", "bare_tp", &t);
	check(t.state == TRACEPOINT_UNKNOWN_SYSTEM, "one that has no event");
	symbols_tracepoint(s, NULL, "nothing", &t);
	check(t.state == TRACEPOINT_ABSENT, "one that is not there");
	check(symbols_syscall(s, "demo", &call) && call.nargs == 2 && strcmp(call.args[0].type, "const char *") == 0 &&
	      strcmp(call.args[0].name, "buf") == 0 && strcmp(call.args[1].name, "count") == 0, "a system call");
	check(!symbols_syscall(s, "nothing", &call), "a system call that is not there");
}

/* All that the index has a part in, as one text. */
static char *listing(struct symbols *s)
{
	struct text t = {};

	symbols_each_function(s, "*", add_function, &t);
	symbols_each_tracepoint(s, add_tracepoint, &t);
	return text_take(&t);
}

static void test_lists(struct symbols *s)
{
	struct text t = {};
	unsigned int count = 0;
	char *list;

	symbols_each_function(s, NULL, add_function, &t);
	same(t.s, "first plain plain.cold! plain.part.0 varied varied.isra.0 varied.constprop.0.isra.1 varied.part.0 varied_other "
	     "only.constprop.0 parted.part.0 parted.cold! twice tv.isra.0 mixed half do_exit~ marked! both both.llvm.123456 "
	     "quiet! half.isra.0! twice tv.isra.0 in_b starter! mixed.constprop.0! ", "all functions of the kernel");
	text_free(&t);
	symbols_each_module(s, add_module, &t);
	same(t.s, "broken first_mod inside= second ", "all modules");
	text_free(&t);
	symbols_each_function(s, NULL, stop, &count);
	check(count == 3, "a listing ends when it is told to");
	list = listing(s);
	same(list, IN_MODULES "second:shared second:zz.isra.0 " TRACEPOINTS, "all of modules");
	free(list);
	check(symbols_each_function(s, "sec*", add_function, &t), "a glob of modules");
	same(t.s, "second:shared second:zz.isra.0 ", "its functions");
	text_free(&t);
	check(symbols_each_function(s, "first-mod", add_function, &t), "one module");
	same(t.s, IN_MODULES, "its functions");
	text_free(&t);
	check(!symbols_each_function(s, "nomodule", add_function, &t) && !symbols_each_function(s, "x*", add_function, &t) &&
	      !symbols_each_function(s, "broken", add_function, &t), "none");
	text_free(&t);
}

static struct symbols *opened(const struct kernel *kernel)
{
	struct diag *diag = diag_new(NULL, 0);
	struct symbols *s = symbols_open(kernel, diag);

	if (!s)
		diag_print(diag, stdout, false);
	diag_free(diag);
	return s;
}

static void listing_is(const struct kernel *kernel, bool second, const char *what)
{
	struct symbols *s = opened(kernel);
	char *list = listing(s);

	same(list, second ? IN_MODULES "second:shared second:zz.isra.0 " TRACEPOINTS : IN_MODULES TRACEPOINTS, what);
	free(list);
	symbols_free(s);
}

/* second.ko is spoiled, while modules.dep stays as it was: only one who reads modules again sees it. */
static void test_index(const struct kernel *kernel)
{
	listing_is(kernel, true, "the index when it is made, and");
	shell("mv lib/modules/" RELEASE "/kernel/second.ko.xz good && echo >lib/modules/" RELEASE "/kernel/second.ko.xz");
	listing_is(kernel, true, "when it was kept");
	setenv("KMETER_CACHE", "/dev/null/nowhere", 1);
	listing_is(kernel, false, "without a cache modules are read again");
	shell("mv good lib/modules/" RELEASE "/kernel/second.ko.xz");
	listing_is(kernel, true, "and again");
	setenv("KMETER_CACHE", root, 1);
	for (unsigned int at = 0; at < 4; at++) {
		static const char *const damage[] = { "printf X | dd of=$f bs=1 seek=9 conv=notrunc status=none",
			"printf X | dd of=$f bs=1 seek=300 conv=notrunc status=none", "truncate -s 400 $f", ": >$f" };

		shell("f=$(echo index/*/modules.index); test -s $f && %s", damage[at]);
		listing_is(kernel, true, "a damaged index is made anew");
		shell("test $(stat -c %%s index/*/modules.index) -gt 500 && ! ls -d tmp.* >/dev/null 2>&1");
	}
	shell("mv lib/modules/" RELEASE "/kernel/second.ko.xz good && echo >lib/modules/" RELEASE "/kernel/second.ko.xz");
	listing_is(kernel, true, "what was made anew is kept");
	shell("touch -d '1 hour' lib/modules/" RELEASE "/modules.dep");
	listing_is(kernel, false, "when modules.dep changed, so may modules have");
}

/* A System.map as 7.2 has it: to nm all of .data is code; and a tracepoint has an extension beside. */
static void test_executable_data(void)
{
	struct kernel kernel = { .release = mem_copy("7.2.0-test", 10), .root = mem_copy(root, strlen(root)) };
	struct diag *diag = diag_new(NULL, 0);
	struct text t = {};
	struct tracepoint tp;
	uint64_t address;
	struct symbols *s;

	text_string(&t, "ffffffff81000000 T _text\n");
	for (unsigned int i = 0; i < 120; i++)
		text_printf(&t, "ffffffff8100%04x T f_%u\n", 16 * i, i);
	text_string(&t, "ffffffff82000000 T _sdata\nffffffff82000010 T __tracepoint_odd\nffffffff82000020 t __tracepoint_ext_odd\n"
		    "ffffffff82000030 t __tracepoint_ext_alone\nffffffff82000040 t variable\nffffffff82000050 T _edata\n"
		    "ffffffff82000060 T starter\n");
	put("boot/System.map-7.2.0-test", t.s);
	text_free(&t);
	s = symbols_open(&kernel, diag);
	check(s, "a System.map");
	check(symbols_variables(s, "variable", &address, 1) == 1 && address == 0xffffffff82000040, "what lies in .data is a variable");
	is(s, NULL, "variable", "variable");
	is(s, NULL, "f_7", "found f_7");
	is(s, NULL, "starter", "found starter");
	symbols_tracepoint(s, NULL, "odd", &tp);
	check(tp.state == TRACEPOINT_FOUND, "or a tracepoint");
	symbols_each_tracepoint(s, add_tracepoint, &t);
	same(t.s ?: "", "-:ext_alone -:odd ", "whose extension is none");
	text_free(&t);
	symbols_free(s);
	kernel_free(&kernel);
	diag_free(diag);
}

int main(void)
{
	struct target target = { .sysroot = root };
	struct diag *diag = diag_new(NULL, 0);
	struct kernel kernel;
	struct symbols *s;

	if (!mkdtemp(root))
		return 1;
	write_kernel();
	write_modules();
	setenv("KMETER_CACHE", root, 1);
	if (!kernel_find(&kernel, &target, diag))
		printf("Bail out! no kernel in %s\n", root);
	test_index(&kernel);
	shell("mv good lib/modules/" RELEASE "/kernel/second.ko.xz && touch -d '2 hours' lib/modules/" RELEASE "/modules.dep");
	s = opened(&kernel);
	test_functions(s);
	test_modules(s);
	test_tracepoints(s);
	test_lists(s);
	symbols_free(s);
	kernel_free(&kernel);
	diag_free(diag);
	test_executable_data();
	shell("rm -rf %s", root);
	printf("1..%u\n", tests);
	return failed != 0;
}
