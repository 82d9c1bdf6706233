// SPDX-License-Identifier: GPL-2.0
/* headers.c: finds the target's headers, and reads the declarations of system calls in them. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "headers_private.h"

#define SYSCALLS	"include/linux/syscalls.h"

static const char *const syscall_files[] = {
	SYSCALLS, "arch/x86/include/asm/syscalls.h", "include/asm-generic/syscalls.h", "arch/x86/include/asm/sys_ia32.h",
	"arch/x86/include/asm/proto.h", NULL
};

/* ---- where they are ---- */

static bool is_file(const char *dir, const char *below)
{
	char *path = mem_printf("%s/%s", dir, below);
	bool there = access(path, R_OK) == 0;

	free(path);
	return there;
}

/* A folder that a link of the target names: an absolute link means a path below its root. */
static char *follow(const struct kernel *k, const char *link)
{
	char *path = kernel_path(k, link), to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	if (n > 0 && to[0] == '/' && *k->root) {
		to[n] = 0;
		free(path);
		path = mem_printf("%s%s", k->root, to);
	}
	return path;
}

/* Where Debian's configured headers have the others. */
static char *from_makefile(const struct kernel *k, const char *build)
{
	char *dir = kernel_makefile(k, build);

	if (dir)
		*strrchr(dir, '/') = 0;
	return dir;
}

static void find(struct headers *h)
{
	static const char *const places[] = { "/lib/modules/%r/build", "/usr/src/linux-headers-%r", "/usr/src/kernels/%r", NULL };
	struct stat st;
	char *config;

	if (h->tried)
		return;
	h->tried = true;
	for (unsigned int i = 0; places[i]; i++) {
		free(h->build);
		h->build = follow(h->kernel, places[i]);
		if (stat(h->build, &st) == 0 && S_ISDIR(st.st_mode))
			break;
	}
	config = mem_printf("%s/include/generated/autoconf.h", h->build);
	h->config = text_of_file(config, NULL);
	free(config);
	h->source = mem_copy(h->build, strlen(h->build));
	for (unsigned int i = 0; i < 2 && !is_file(h->source, SYSCALLS); i++) {
		free(h->source);
		h->source = i ? from_makefile(h->kernel, h->build) : follow(h->kernel, "/lib/modules/%r/source");
		if (!h->source)
			h->source = mem_copy("", 0);
	}
}

bool headers_there(struct headers *h)
{
	find(h);
	return is_file(h->source, SYSCALLS);
}

struct headers *headers_new(const struct kernel *kernel)
{
	struct headers *h = mem_zero(1, sizeof(*h));

	h->kernel = kernel;
	return h;
}

void headers_free(struct headers *h)
{
	if (!h)
		return;
	for (unsigned int i = 0; i < h->nfiles; i++)
		headers_free_file(h->files[i]);
	for (unsigned int i = 0; i < h->nkept; i++)
		free(h->kept[i]);
	free(h->files);
	free(h->kept);
	free(h->build);
	free(h->source);
	free(h->config);
	free(h);
}

const char *headers_keep(struct headers *h, char *text)
{
	h->kept = mem_more(h->kept, h->nkept, sizeof(*h->kept));
	return h->kept[h->nkept++] = text;
}

struct header_file *headers_file(struct headers *h, const char *path)
{
	struct header_file *file;
	char *full;

	find(h);
	for (unsigned int i = 0; i < h->nfiles; i++)
		if (strcmp(h->files[i]->path, path) == 0)
			return h->files[i];
	file = mem_zero(1, sizeof(*file));
	file->path = mem_copy(path, strlen(path));
	full = mem_printf("%s/%s", h->source, path);
	file->raw = text_of_file(full, NULL);
	free(full);
	h->files = mem_more(h->files, h->nfiles, sizeof(*h->files));
	return h->files[h->nfiles++] = file;
}

/* ---- declarations ---- */

/* Words that say nothing of the type. */
static bool is_mark(struct piece word)
{
	static const char *const marks[] = { "__user", "__rcu", "__force", "__iomem", "__percpu", "__kernel", "__bitwise",
		"__maybe_unused", "__always_unused", "__must_check", "register", "__restrict", "restrict", "asmlinkage", NULL };

	for (unsigned int i = 0; marks[i]; i++)
		if (piece_is(word, marks[i]))
			return true;
	return false;
}

/* Words that cannot be a name. */
static bool is_keyword(struct piece word)
{
	static const char *const words[] = { "void", "char", "short", "int", "long", "signed", "unsigned", "bool", "_Bool",
		"float", "double", "const", "volatile", "struct", "union", "enum", NULL };

	for (unsigned int i = 0; words[i]; i++)
		if (piece_is(word, words[i]))
			return true;
	return false;
}

static bool is_qualifier(struct piece word)
{
	return piece_is(word, "const") || piece_is(word, "volatile");
}

#define TOKENS	48

/* One argument as words and single signs. */
struct tokens {
	struct piece of[TOKENS];
	unsigned int count;
	bool user;
};

static void tokenize(struct piece text, struct tokens *t)
{
	const char *p = text.at, *end = p + text.length;

	*t = (struct tokens){};
	while ((p = skip_blanks(p, end)) < end && t->count < TOKENS) {
		struct piece token = { p, 1 };

		if (isalnum((unsigned char)*p) || *p == '_')
			while (token.length < (size_t)(end - p) &&
			       (isalnum((unsigned char)p[token.length]) || p[token.length] == '_'))
				token.length++;
		p += token.length;
		if (piece_is(token, "__user"))
			t->user = true;
		if (!is_mark(token))
			t->of[t->count++] = token;
	}
}

/* Which token is the name declared; count: none is. */
static unsigned int find_name(const struct tokens *t)
{
	unsigned int words = 0, at = t->count;

	for (unsigned int i = 0; i < t->count; i++) {
		struct piece token = t->of[i];

		/* (*name)(...) */
		if (piece_is(token, "(") && i + 2 < t->count && piece_is(t->of[i + 1], "*"))
			return piece_is(t->of[i + 2], ")") ? t->count : i + 2;
		if (piece_is(token, "["))
			break;
		at = i;
	}
	if (at == t->count || !(isalpha((unsigned char)*t->of[at].at) || *t->of[at].at == '_') || is_keyword(t->of[at]))
		return t->count;
	/* A type must be left: not "u32" alone, not "struct x" alone. */
	for (unsigned int i = 0; i < at; i++)
		words += !is_qualifier(t->of[i]);
	if (!words || (words == 1 && (piece_is(t->of[at - 1], "struct") || piece_is(t->of[at - 1], "union") ||
				      piece_is(t->of[at - 1], "enum"))))
		return t->count;
	return at;
}

/* The type without the name: an array becomes a pointer. */
static char *type_text(const struct tokens *t, unsigned int name)
{
	struct text out = {};
	bool array = false;

	for (unsigned int i = 0; i < t->count; i++) {
		struct piece token = t->of[i];
		char last = out.length ? out.s[out.length - 1] : 0;
		bool word = isalnum((unsigned char)*token.at) || *token.at == '_';

		if (i == name)
			continue;
		if (piece_is(token, "[") && !array) {
			array = true;
			text_string(&out, last == '*' ? "*" : " *");
		}
		if (array)
			continue;
		if (last && last != '(' && (word ? last != '*' : *token.at == '*' ? last != '*' :
					    *token.at == '(' ? last != ')' : false))
			text_add(&out, " ", 1);
		text_add(&out, token.at, token.length);
	}
	return text_take(&out);
}

static void add_argument(struct headers *h, struct piece text, struct header_prototype *p)
{
	struct tokens t;
	unsigned int name;

	tokenize(text, &t);
	if (!t.count || p->nargs >= HEADER_ARGS)
		return;
	name = find_name(&t);
	p->args[p->nargs].name = name < t.count ? headers_keep(h, piece_copy(t.of[name])) : NULL;
	p->args[p->nargs].type = headers_keep(h, type_text(&t, name));
	p->args[p->nargs].user = t.user;
	p->nargs++;
}

void headers_prototype(struct headers *h, const struct header_file *file, struct piece inside, struct header_prototype *p)
{
	char *text = mem_printf("(%.*s)", (int)inside.length, inside.at);
	struct pieces args;

	*p = (struct header_prototype){ .file = file->path };
	if (cut_arguments(text, text + strlen(text), &inside, &args) &&
	    !(args.count == 1 && (!args.of[0].length || piece_is(args.of[0], "void"))))
		for (unsigned int i = 0; i < args.count; i++)
			add_argument(h, args.of[i], p);
	free(text);
}

/* ---- system calls ---- */

/* Those whose declarations name no argument: the names that the kernel's definitions give them, in order. */
static const struct {
	const char *call, *names;
} unnamed[] = {
	{ "accept", "fd upeer_sockaddr upeer_addrlen" }, { "accept4", "fd upeer_sockaddr upeer_addrlen flags" },
	{ "bind", "fd umyaddr addrlen" }, { "clone", "clone_flags newsp parent_tidptr child_tidptr tls" },
	{ "connect", "fd uservaddr addrlen" }, { "getpeername", "fd usockaddr usockaddr_len" },
	{ "getsockname", "fd usockaddr usockaddr_len" }, { "io_submit", "ctx_id nr iocbpp" }, { "listen", "fd backlog" },
	{ "old_readdir", "fd dirent count" }, { "olduname", "name" }, { "ppoll", "ufds nfds tsp sigmask sigsetsize" },
	{ "ppoll_time32", "ufds nfds tsp sigmask sigsetsize" }, { "pselect6", "n inp outp exp tsp sig" },
	{ "pselect6_time32", "n inp outp exp tsp sig" }, { "recv", "fd ubuf size flags" },
	{ "recvfrom", "fd ubuf size flags addr addr_len" }, { "rt_sigaction", "sig act oact sigsetsize" },
	{ "send", "fd buff len flags" }, { "sendto", "fd buff len flags addr addr_len" }, { "shutdown", "fd how" },
	{ "socket", "family type protocol" }, { "socketpair", "family type protocol usockvec" }, { "uname", "name" },
};

static void name_arguments(struct headers *h, const char *call, struct header_prototype *p)
{
	const char *word = NULL;

	for (unsigned int i = 0; i < p->nargs; i++)
		if (p->args[i].name)
			return;
	for (unsigned int i = 0; i < sizeof(unnamed) / sizeof(*unnamed); i++)
		if (strcmp(unnamed[i].call, call) == 0)
			word = unnamed[i].names;
	for (unsigned int i = 0; i < p->nargs && word && *word; i++) {
		size_t length = strcspn(word, " ");

		p->args[i].name = headers_keep(h, mem_copy(word, length));
		word += length + (word[length] == ' ');
	}
}

/* "sys_NAME(" in a header; where several are possible, since no configuration is known, the last: x86 has no oddity. */
static bool find_syscall(struct headers *h, struct header_file *file, const char *name, struct header_prototype *p)
{
	const char *end, *at;
	struct piece inside;
	struct pieces args;
	bool found = false;

	headers_clean(h, file);
	if (!file->text)
		return false;
	at = file->text;
	end = at + strlen(at);
	while ((at = strstr(at, name))) {
		const char *before = at, *open = skip_blanks(at + strlen(name), end);

		at += strlen(name);
		/* A whole word, and a declaration: a type stands before it. */
		if (before == file->text || !isspace((unsigned char)before[-1]) || open >= end || *open != '(' ||
		    !cut_arguments(open, end, &inside, &args))
			continue;
		headers_prototype(h, file, inside, p);
		found = true;
		if (h->config)
			break;
	}
	return found;
}

bool headers_syscall(struct headers *h, const char *name, struct header_prototype *p)
{
	char *symbol = mem_printf("sys_%s", name);
	bool found = false;

	for (unsigned int i = 0; syscall_files[i] && !found; i++)
		found = find_syscall(h, headers_file(h, syscall_files[i]), symbol, p);
	if (found) {
		name_arguments(h, name, p);
		/* All pointers are the user's; some declarations forget to say so. */
		for (unsigned int i = 0; i < p->nargs; i++)
			p->args[i].user |= strchr(p->args[i].type, '*') && !strstr(p->args[i].type, "pt_regs");
	}
	free(symbol);
	return found;
}
