// SPDX-License-Identifier: GPL-2.0
/*
 * compiler_headers.c: declarations of system calls and tracepoints, and what fills a field, out of headers that are written
 * here with all that makes the real ones hard to read; and globs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compiler/headers.h"
#include "compiler/match.h"
#include "compiler/text.h"

static unsigned int tests, failed;
static char root[] = "/tmp/kmeter-headers-XXXXXX";

static void check(bool good, const char *what)
{
	tests++;
	failed += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", tests, what);
}

static void same(const char *got, const char *want, const char *what)
{
	bool good = got == want || (got && want && strcmp(got, want) == 0);

	check(good, what);
	if (!good)
		printf("# got  %s\n# want %s\n", got ? got : "NULL", want ? want : "NULL");
}

#define BUILD	"lib/modules/9.9.9-test/build"

static void put(const char *below, const char *text)
{
	char *path = mem_printf("%s/" BUILD "/%s", root, below);
	FILE *f;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0755);
		*slash = '/';
	}
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		printf("Bail out! cannot write %s\n", path);
	free(path);
}

static void write_headers(void)
{
	put("include/generated/autoconf.h", "#define CONFIG_ARCH_HAS_SYSCALL_WRAPPER 1\n#define CONFIG_ON 1\n"
	    "#define CONFIG_SOME_MODULE 1\n#define CONFIG_ONLY_IN_PART 1\n");
	put("include/linux/syscalls.h",
	    "/* asmlinkage long sys_commented(int no); */\n"
	    "// asmlinkage long sys_commented(int no);\n"
	    "#define SYSCALL_DEFINE(x) asmlinkage long sys_macro(int x) \\\n\tsys_continued(int x)\n"
	    "#ifndef CONFIG_ARCH_HAS_SYSCALL_WRAPPER\n"
	    "asmlinkage long sys_openat(int dfd, const char __user *filename, int flags,\n\t\t\t   umode_t mode);\n"
	    "asmlinkage long sys_execve(const char __user *filename, /* ,( */\n"
	    "\tconst char __user *const __user *argv, const char __user * const __user *envp);\n"
	    "#ifdef CONFIG_OFF\nasmlinkage long sys_clone(unsigned long, unsigned long, int __user *, unsigned long, int __user *);\n"
	    "#else\n#ifdef CONFIG_OFF3\nasmlinkage long sys_clone(int);\n#else\n"
	    "asmlinkage long sys_clone(unsigned long, unsigned long, int __user *,\n\tint __user *, unsigned long);\n#endif\n#endif\n"
	    "#if IS_ENABLED(CONFIG_SOME) && !defined(CONFIG_OFF)\nasmlinkage long sys_some(u32 a);\n#else\n"
	    "asmlinkage long sys_some(u64 b);\n#endif\n"
	    "#if defined(CONFIG_OFF) || IS_BUILTIN(CONFIG_SOME)\nasmlinkage long sys_never(void);\n"
	    "#elif defined CONFIG_ON\nasmlinkage long sys_always(void);\n#elif 1\nasmlinkage long sys_never(void);\n#endif\n"
	    "#ifdef CONFIG_ONLY\nasmlinkage long sys_never(void);\n#endif\n"
	    "asmlinkage long sys_handler(int sig, void (*handler)(int, struct x *), unsigned long data[3],\n"
	    "\tstruct __kernel_timespec __user *, unsigned);\n"
	    "asmlinkage long sys_regs(struct pt_regs *regs);\n"
	    "asmlinkage long sys_forgets(struct how *how, enum kind k, const qid_t, const char *const tail);\n"
	    "#endif\n"
	    "asmlinkage long sys_unclosed(int a, int (b;\n");
	put("include/trace/events/demo.h",
	    "#undef TRACE_SYSTEM\n#define TRACE_SYSTEM demo\n#if !defined(_DEMO_H) || defined(TRACE_HEADER_MULTI_READ)\n#define _DEMO_H\n"
	    "TRACE_EVENT(demo_plain,\n\n\tTP_PROTO(struct task_struct *prev, const char *s /* why, */, void (*func)(int, int)),\n\n"
	    "\tTP_ARGS(prev, s, func),\n\n\tTP_STRUCT__entry(\n\t\t__field(pid_t, pid)\n\t\t__array(char, comm, TASK_COMM_LEN)\n"
	    "\t\t__field(int, twice)\n\t\t__string(name, s ? s : \"a,(b\")\n\t\t__field(void *, func)\n\t\t__field(int, unset)\n"
	    "\t\t__field(u64, ino)\n\t\t__field(u64, same)\n\t),\n\n"
	    "\tTP_fast_assign(\n\t\tstruct inode *inode = file_inode(prev->file);\n\t\tu64 sum = prev->a + prev->b;\n"
	    "\t\tmemcpy(__entry->comm, prev->comm, TASK_COMM_LEN);\n\t\t__entry->pid\t=\n\t\t\tprev->pid;\n"
	    "\t\t__entry->twice = (prev->flags & (1 << 2)) == 4 ?\n\t\t\tf(prev, 1) : 0;\n\t\t__assign_str(name);\n"
	    "\t\t__entry->func = func;\n\t\t__entry->ino = inode->i_ino;\n\t\tif (__entry->same == 1)\n\t\t\t__entry->same = sum * 2;\n\t),\n\n"
	    "\tTP_printk(\"pid=%d, (%s\", __entry->pid, __get_str(name))\n);\n"
	    "DECLARE_EVENT_CLASS(demo_class, TP_PROTO(struct sk_buff *skb, u32 len), TP_ARGS(skb, len),\n"
	    "\tTP_STRUCT__entry(__field(u32, len) __string(dev, skb->dev->name)),\n"
	    "\tTP_fast_assign(__entry->len = len; __assign_str(dev, skb->dev->name);), TP_printk(\"x\"));\n"
	    "DEFINE_EVENT(demo_class, demo_one, TP_PROTO(struct sk_buff *skb, u32 len), TP_ARGS(skb, len));\n"
	    "DEFINE_EVENT_PRINT(demo_class, demo_two, TP_PROTO(struct sk_buff *skb, u32 size), TP_ARGS(skb, size), TP_printk(\"y\"));\n"
	    "#define DEFINE_DEMO(name, verb...)\t\t\\\nDEFINE_EVENT(demo_class, demo_##name,\t\\\n"
	    "\tTP_PROTO(struct sk_buff *skb, u32 len),\t\\\n\tTP_ARGS(skb, len))\n"
	    "DEFINE_DEMO(three, a, b);\nDEFINE_DEMO( four );\n"
	    "DECLARE_TRACE(demo_bare, TP_PROTO(void), TP_ARGS());\n"
	    "TRACE_EVENT_CONDITION(demo_when, TP_PROTO(struct rq *rq, unsigned long long n, int nr[4]), TP_ARGS(rq, n), TP_CONDITION(n));\n"
	    "#ifdef CONFIG_OFF\nDECLARE_TRACE(demo_off, TP_PROTO(int a), TP_ARGS(a));\n#endif\n"
	    "static inline int helper(int demo_helper) { return '(' + demo_helper; }\n"
	    "#endif\n#include <trace/define_trace.h>\n");
	put("include/trace/events/other.h", "TRACE_EVENT(elsewhere, TP_PROTO(struct a_really *p, pgoff_t index), TP_ARGS(p, index),\n"
	    "TP_STRUCT__entry(__field(long, index)), TP_fast_assign(__entry->index = index;), TP_printk(\"\"));\n"
	    "/* demo_plain is not here */\n");
	put("include/trace/events/broken.h", "TRACE_EVENT(broken, TP_PROTO(int a\n#if\n#define\n#define X(\n\"\n'");
}

/* "type name, type name*": `*` behind a name is the user's. */
static char *shown(const struct header_prototype *p)
{
	struct text t = {};

	for (unsigned int i = 0; i < p->nargs; i++)
		text_printf(&t, "%s%s:%s%s", i ? ", " : "", p->args[i].type, p->args[i].name ? p->args[i].name : "-",
			    p->args[i].user ? "*" : "");
	return text_take(&t);
}

static void syscall_is(struct headers *h, const char *name, const char *want)
{
	struct header_prototype p;
	char *got = headers_syscall(h, name, &p) ? shown(&p) : NULL, *what = mem_printf("system call %s", name);

	same(got, want, what);
	free(got);
	free(what);
}

static void tracepoint_is(struct headers *h, const char *system, const char *name, const char *want)
{
	struct header_prototype p;
	char *got = headers_tracepoint(h, system, name, &p) ? shown(&p) : NULL, *what = mem_printf("tracepoint %s", name);

	same(got, want, what);
	free(got);
	free(what);
}

static void field_is(struct headers *h, const char *name, const char *field, bool there, const char *want)
{
	bool exists;
	const char *got = headers_tracepoint_field(h, "demo", name, field, &exists);
	char *what = mem_printf("field %s of %s", field, name);

	same(got, want, what);
	if (exists != there)
		check(false, "whether the field exists");
	free(what);
}

static void test_headers(struct headers *h)
{
	check(headers_there(h), "the headers are found");
	syscall_is(h, "openat", "int:dfd, const char *:filename*, int:flags, umode_t:mode");
	syscall_is(h, "execve", "const char *:filename*, const char *const *:argv*, const char *const *:envp*");
	syscall_is(h, "clone", "unsigned long:clone_flags, unsigned long:newsp, int *:parent_tidptr*, int *:child_tidptr*, "
		   "unsigned long:tls");
	syscall_is(h, "some", "u32:a");
	syscall_is(h, "always", "");
	syscall_is(h, "never", NULL);
	syscall_is(h, "commented", NULL);
	syscall_is(h, "macro", NULL);
	syscall_is(h, "continued", NULL);
	syscall_is(h, "unclosed", NULL);
	syscall_is(h, "open", NULL);
	syscall_is(h, "handler", "int:sig, void (*)(int, struct x *):handler*, unsigned long *:data*, "
		   "struct __kernel_timespec *:-*, unsigned:-");
	syscall_is(h, "regs", "struct pt_regs *:regs");
	syscall_is(h, "forgets", "struct how *:how*, enum kind:k, const qid_t:-, const char *const:tail*");

	tracepoint_is(h, "demo", "demo_plain", "struct task_struct *:prev, const char *:s, void (*)(int, int):func");
	tracepoint_is(h, NULL, "demo_one", "struct sk_buff *:skb, u32:len");
	tracepoint_is(h, "demo", "demo_two", "struct sk_buff *:skb, u32:size");
	tracepoint_is(h, "demo", "demo_three", "struct sk_buff *:skb, u32:len");
	tracepoint_is(h, NULL, "demo_four", "struct sk_buff *:skb, u32:len");
	tracepoint_is(h, "demo", "demo_bare", "");
	tracepoint_is(h, "demo", "demo_bare_tp", "");
	tracepoint_is(h, "demo", "demo_when", "struct rq *:rq, unsigned long long:n, int *:nr");
	tracepoint_is(h, "demo", "demo_off", NULL);
	tracepoint_is(h, "demo", "demo_class", NULL);
	tracepoint_is(h, "demo", "demo_helper", NULL);
	tracepoint_is(h, "demo", "elsewhere", "struct a_really *:p, pgoff_t:index");
	tracepoint_is(h, "../../x", "elsewhere", "struct a_really *:p, pgoff_t:index");
	tracepoint_is(h, "broken", "broken", NULL);

	field_is(h, "demo_plain", "pid", true, "prev->pid");
	field_is(h, "demo_plain", "comm", true, "prev->comm");
	field_is(h, "demo_plain", "twice", true, "(prev->flags & (1 << 2)) == 4 ? f(prev, 1) : 0");
	field_is(h, "demo_plain", "name", true, "s ? s : \"a,(b\"");
	field_is(h, "demo_plain", "func", true, "func");
	field_is(h, "demo_plain", "unset", true, NULL);
	field_is(h, "demo_plain", "ino", true, "file_inode(prev->file)->i_ino");
	field_is(h, "demo_plain", "same", true, "(prev->a + prev->b) * 2");
	field_is(h, "demo_plain", "none", false, NULL);
	field_is(h, "demo_one", "len", true, "len");
	field_is(h, "demo_three", "dev", true, "skb->dev->name");
	field_is(h, "demo_bare", "len", false, NULL);
	field_is(h, "nothing", "len", false, NULL);
}

static void test_match(void)
{
	static const struct { const char *pattern, *name; bool want; } rows[] = {
		{ "", "", true }, { "", "a", false }, { "a", "", false }, { "*", "", true }, { "*", "abc", true },
		{ "abc", "abc", true }, { "abc", "abcd", false }, { "a?c", "abc", true }, { "a?c", "ac", false },
		{ "tcp_*", "tcp_ack", true }, { "tcp_*", "udp_ack", false }, { "*_ack", "tcp_ack", true },
		{ "*_ack", "tcp_ack_", false }, { "*ab*ab", "abaab", true }, { "*ab*ab", "ab", false },
		{ "a**b", "ab", true }, { "**", "", true }, { "*?", "", false }, { "?*?", "ab", true }, { "?*?", "a", false },
		{ "[abc]x", "bx", true }, { "[abc]x", "dx", false }, { "[a-c]", "b", true }, { "[a-c]", "d", false },
		{ "[!a-c]", "d", true }, { "[!a-c]", "b", false }, { "[^a]", "b", true }, { "[^a]", "a", false },
		{ "[]a]", "]", true }, { "[]a]", "a", true }, { "[!]a]", "]", false }, { "[!]a]", "b", true },
		{ "[a-]", "-", true }, { "[a-]", "b", false }, { "[-a]", "-", true }, { "[a", "[a", true }, { "[a", "a", false },
		{ "[", "[", true }, { "[!", "[!", true }, { "x[]", "x[]", true }, { "a[b-c]*d", "ab_d", true },
		{ "\\*", "*", true }, { "\\*", "a", false }, { "\\[a]", "[a]", true }, { "a\\", "a\\", true },
		{ "[\\]]", "]", true }, { "[\\]]", "\\", false }, { "[a\\-c]", "b", false }, { "[a\\-c]", "-", true },
		{ "*[0-9].isra.?", "f12.isra.0", true }, { "[[]", "[", true }, { "\xc3*", "\xc3\xa4", true },
		{ "[\x80-\xff]", "\xa4", true }, { "*]", "[x]", true }, { "*[a", "b[a", true },
	};
	unsigned int wrong = 0;
	char name[2001], pattern[4001];
	clock_t begin = clock();

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (match_glob(rows[i].pattern, rows[i].name) != rows[i].want) {
			printf("# '%s' and '%s'\n", rows[i].pattern, rows[i].name);
			wrong++;
		}
	}
	check(!wrong, "globs and names");
	memset(name, 'a', 2000);
	name[2000] = 0;
	for (unsigned int i = 0; i < 2000; i++)
		memcpy(pattern + 2 * i, "a*", 2);
	memcpy(pattern + 3998, "b", 2);
	check(!match_glob(pattern, name), "2,000 stars against what does not match");
	memset(pattern + 1, '[', 3999);
	pattern[0] = '*';
	pattern[4000] = 0;
	check(!match_glob(pattern, name), "4,000 brackets that nothing closes");
	check(clock() - begin < 2 * CLOCKS_PER_SEC, "neither takes long");
	check(match_is_glob("a*") && match_is_glob("[") && !match_is_glob("tcp_ack.isra.0"), "what is a glob");
}

int main(void)
{
	struct target target = { .sysroot = root };
	struct diag *diag = diag_new(NULL, 0);
	struct kernel kernel;
	struct headers *h;
	char *command;

	if (!mkdtemp(root))
		return 1;
	write_headers();
	if (!kernel_find(&kernel, &target, diag))
		printf("Bail out! no kernel in %s\n", root);
	h = headers_new(&kernel);
	test_headers(h);
	headers_free(h);
	command = mem_printf("rm -rf %s/" BUILD, root);
	if (system(command))
		failed++;
	free(command);
	h = headers_new(&kernel);
	check(!headers_there(h), "no headers are none");
	syscall_is(h, "openat", NULL);
	tracepoint_is(h, "demo", "demo_plain", NULL);
	headers_free(h);
	test_match();
	kernel_free(&kernel);
	diag_free(diag);
	command = mem_printf("rm -rf %s", root);
	if (system(command))
		failed++;
	free(command);
	printf("1..%u\n", tests);
	return failed != 0;
}
