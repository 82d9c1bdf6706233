// SPDX-License-Identifier: GPL-2.0
/*
 * template.c: what kbuild does for a module, recorded from one that it made: the commands that it left in its .cmd files,
 * the objects that it linked, and what the kernel's headers say (the sections of runtime/template.c).
 *
 * Only what is known is recorded: a command that is neither compiler, objtool nor linker, an option that calls for more,
 * a load that looks otherwise: then there is no recipe, and kbuild makes each script's module.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "object.h"
#include "template.h"

#define RECORDED	"recorded.h"

static bool write_text(const char *dir, const char *name, const char *text)
{
	char *path = mem_printf("%s/%s", dir, name);
	FILE *f = fopen(path, "we");
	bool good = f && fputs(text, f) >= 0;

	if (f && fclose(f))
		good = false;
	free(path);
	return good;
}

static void refuse(struct recipe *r, char *reason)
{
	if (r->refused)
		free(reason);
	else
		r->refused = reason;
}

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static bool ends(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);

	return n >= m && strcmp(s + n - m, with) == 0;
}

/* ---- the source ---- */

/* What the compiler writes calls to, by the beginning of their names; and what script.h uses. */
static const char *const wanted[] = {
	"__asan_", "__fentry__", "__hwasan_", "__kcsan_", "__memcpy", "__memmove", "__memset", "__msan_", "__ref_stack_chk",
	"__sanitizer_cov_", "__stack_chk_", "__tsan_", "__ubsan_handle_", "__x86_indirect_", "__x86_return_thunk",
	"copy_from_user_nofault", "init_task", "memcmp", "memcpy", "memmove", "memset",
};

static void want(struct text *c, const char *name, size_t length)
{
	text_printf(c, "asm(\".pushsection .discard.kmeter.wanted,\\\"a\\\"\\n.quad %.*s\\n.popsection\");\n", (int)length, name);
}

/* Of Module.symvers: lines "crc TAB name TAB vmlinux TAB EXPORT_SYMBOL[_GPL] [TAB namespace]". */
static void want_of_kernel(struct text *c, const char *headers)
{
	char *path = mem_printf("%s/Module.symvers", headers), *text = text_of_file(path, NULL), *line = text, *end;

	for (; line && (end = strchr(line, '\n')); line = end + 1) {
		char name[128], from[128], how[64], space[128] = "";

		*end = 0;
		if (sscanf(line, "%*s %127s %127s %63s %127s", name, from, how, space) < 3 || strcmp(from, "vmlinux") != 0 || *space)
			continue;
		for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
			if (begins(name, wanted[i]) && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] == 0) {
				want(c, name, strlen(name));
				break;
			}
	}
	free(path);
	free(text);
}

static const char *const for_callbacks[] = { "kstats_tracepoint", "kstats_start", "kstats_end", "kstats_refuse" };

/* Everything of these that is exported is there for scripts. */
static const char *const for_scripts[] = { "script.c", "cgroup.c" };

static void want_of_runtime(struct text *c, const char *dir)
{
	static const char mark[] = "\nEXPORT_SYMBOL_GPL(";

	for (size_t i = 0; i < sizeof(for_scripts) / sizeof(*for_scripts); i++) {
		char *path = mem_printf("%s/%s", dir, for_scripts[i]), *text = text_of_file(path, NULL), *at = text;

		while (at && (at = strstr(at, mark))) {
			at += strlen(mark);
			want(c, at, strcspn(at, ")\n"));
		}
		free(path);
		free(text);
	}
	for (size_t i = 0; i < sizeof(for_callbacks) / sizeof(*for_callbacks); i++)
		want(c, for_callbacks[i], strlen(for_callbacks[i]));
}

static const char kbuild_lines[] =
	"\nobj-m += " RECIPE_NAME ".o\n"
	"CFLAGS_" RECIPE_NAME ".o := -I$(src) -Wno-error -Wno-tautological-compare -Wno-bool-compare\n"
	"CFLAGS_REMOVE_" RECIPE_NAME ".o := $(CC_FLAGS_FTRACE)\n";

bool template_write(const char *dir, const char *headers)
{
	struct text c = {};
	char *path = mem_printf("%s/Kbuild", dir), *kbuild = text_of_file(path, NULL), *more;
	bool good;

	text_string(&c, "#include \"template.c\"\n");
	want_of_kernel(&c, headers);
	want_of_runtime(&c, dir);
	more = mem_printf("%s%s", kbuild ? kbuild : "", kbuild_lines);
	good = kbuild && write_text(dir, RECIPE_NAME ".c", c.s) && write_text(dir, "Kbuild", more);
	text_free(&c);
	free(path);
	free(kbuild);
	free(more);
	return good;
}

bool template_remove(const char *dir)
{
	char *path = mem_printf("%s/Kbuild", dir), *kbuild = text_of_file(path, NULL), *lines;
	bool good = kbuild;

	lines = kbuild ? strstr(kbuild, kbuild_lines) : NULL;
	if (lines) {
		*lines = 0;
		good = write_text(dir, "Kbuild", kbuild);
	}
	free(path);
	free(kbuild);
	return good;
}

/* ---- commands ---- */

/* The command of kbuild's file NAME.cmd, as make would give it to the shell. */
static char *read_command(const char *dir, const char *of)
{
	char *path = mem_printf("%s/.%s.cmd", dir, of), *text = text_of_file(path, NULL), *at, *to;

	free(path);
	at = text && (begins(text, "cmd_") || begins(text, "savedcmd_")) ? strstr(text, ":= ") : NULL;
	if (!at) {
		free(text);
		return NULL;
	}
	at += 3;
	at[strcspn(at, "\n")] = 0;
	for (to = text; *at; at++, to++) {
		if (begins(at, "$(pound)")) {
			*to = '#';
			at += strlen("$(pound)") - 1;
		} else {
			if (at[0] == '$' && at[1] == '$')
				at++;
			*to = *at;
		}
	}
	*to = 0;
	return text;
}

/* A word of a shell's line from *at on; NULL at the end of a command, or where it is more than words (*good = false). */
static char *take_word(const char **at, bool *good)
{
	struct text word = {};
	const char *s = *at + strspn(*at, " \t");
	bool any = false;

	while (*good && *s && !strchr(" \t;", *s)) {
		any = true;
		if (strchr("|&<>$`(){}*?[#~!\n", *s)) {
			*good = false;
			break;
		}
		if (*s == '\'') {
			size_t n = strcspn(++s, "'");

			text_add(&word, s, n);
			s += n;
		} else if (*s == '"') {
			size_t n = strcspn(++s, "\"\\$`");

			text_add(&word, s, n);
			s += n;
			if (*s != '"')
				*good = false;
		} else if (*s == '\\') {
			if (s[1])
				text_add(&word, ++s, 1);
		} else {
			text_add(&word, s, 1);
		}
		if (*s)
			s++;
	}
	*at = s;
	if (any && *good) {
		text_add(&word, "", 0);
		return text_take(&word);
	}
	text_free(&word);
	return NULL;
}

/* Put placeholders where the folder and the template's name stand. */
static char *generalize(char *word, const char *dir)
{
	static const char *const marks[] = { "@DIR@", "@NAME@" };
	const char *const whats[] = { dir, RECIPE_NAME };

	for (unsigned int i = 0; i < 2; i++) {
		struct text t = {};
		const char *from = word, *hit;

		while ((hit = strstr(from, whats[i]))) {
			text_add(&t, from, hit - from);
			text_string(&t, marks[i]);
			from = hit + strlen(whats[i]);
		}
		text_string(&t, from);
		free(word);
		word = text_take(&t);
	}
	return word;
}

/* Options that name kernel headers, or files that kbuild wants; how many words to leave out. */
static size_t needless(const struct recipe_command *c, size_t at)
{
	const char *w = c->words[at];

	if (strcmp(w, "-include") == 0 || strcmp(w, "-isystem") == 0 || strcmp(w, "-iquote") == 0 || strcmp(w, "-I") == 0)
		return 2;
	return begins(w, "-I") || begins(w, "-Wp,-MMD,") || begins(w, "-Wp,-MD,");
}

static void take_compiler(struct recipe *r, struct recipe_command *c)
{
	static const char *const beyond[] = { "-flto", "-fsanitize=kcfi", "-fsanitize=cfi", "-fplugin" };
	static const char *const more[] = { "-pipe", "-DKSTATS_ALONE", "-I@ENTRY@" };
	size_t to = 0;

	for (size_t i = 0; i < c->count;) {
		size_t skip = needless(c, i);

		for (size_t b = 0; b < sizeof(beyond) / sizeof(*beyond); b++)
			if (begins(c->words[i], beyond[b]))
				refuse(r, mem_printf("this kernel is compiled with %s", c->words[i]));
		for (; skip && i < c->count; skip--)
			free(c->words[i++]);
		if (i < c->count && !needless(c, i))
			c->words[to++] = c->words[i++];
	}
	c->count = to;
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		recipe_add_word(c, mem_copy(more[i], strlen(more[i])));
}

/* An object that the linker adds to the module's own: kept, without what debuggers want of it. */
static void take_object(struct recipe *r, const char *dir, char **word)
{
	char *base = mem_copy(strrchr(*word, '/') + 1, strlen(strrchr(*word, '/') + 1)), *plain = base + strspn(base, ".");
	char *objcopy = command_find("objcopy"), *from = mem_printf("%s/%s", dir, base), *to = mem_printf("%s/%s.kept", dir, plain);
	char *kept = mem_printf("%s.kept", plain), *log = mem_printf("%s/log", dir);
	const char *const argv[] = { objcopy, "-g", from, to, NULL };
	int status;

	if (!objcopy || command_run(argv, log, &status) != COMMAND_OK)
		refuse(r, mem_printf("objcopy did not work"));
	else if (!recipe_add_file(r, dir, kept))
		refuse(r, mem_printf("%s: %s", kept, strerror(errno)));
	free(*word);
	*word = begins(plain, RECIPE_NAME) ? mem_printf("@DIR@/@NAME@%s", plain + strlen(RECIPE_NAME)) :
		mem_printf("@ENTRY@/%s", kept);
	free(base);
	free(objcopy);
	free(from);
	free(to);
	free(kept);
	free(log);
}

static void take_linker(struct recipe *r, struct recipe_command *c, const char *dir, const char *headers)
{
	char *own = mem_printf("%s/" RECIPE_NAME ".o", dir), *start = mem_printf("%s/", dir);

	for (size_t i = 1; i < c->count; i++) {
		char **word = &c->words[i];

		if (strcmp(c->words[i - 1], "-T") == 0) {
			char *script = **word == '/' ? mem_copy(*word, strlen(*word)) : mem_printf("%s/%s", headers, *word);

			if (!recipe_add_tool(r, script))
				refuse(r, mem_printf("%s: %s", script, strerror(errno)));
			free(script);
		} else if (ends(*word, ".o") && strcmp(*word, own) != 0) {
			if (begins(*word, start) && !strchr(*word + strlen(start), '/'))
				take_object(r, dir, word);
			else
				refuse(r, mem_printf("kbuild links %s", *word));
		}
	}
	free(own);
	free(start);
}

/* From 6.13 on kbuild works in the module's folder, and names what lies there without it. */
static char *whole_path(char *word, const char *dir)
{
	char *path = mem_printf("%s/%s", dir, word);

	if (*word == '-' || strchr(word, '/') || access(path, F_OK)) {
		free(path);
		return word;
	}
	free(word);
	return path;
}

/* Take over a line of kbuild's: words that end at `;`, of which each is a command that is known. */
static void take_line(struct recipe *r, const char *line, const char *dir, const char *headers, bool link)
{
	const char *at = line;
	bool good = true;

	while (*at && good) {
		struct recipe_command *c = recipe_add_command(r);
		char *word, *program;
		const char *base;

		while ((word = take_word(&at, &good)))
			recipe_add_word(c, c->count ? whole_path(word, dir) : word);
		at += *at == ';';
		if (!c->count || (c->count == 1 && (!strcmp(c->words[0], "true") || !strcmp(c->words[0], ":")))) {
			if (c->count)
				free(c->words[0]);
			free(c->words);
			r->ncommands--;
			continue;
		}
		program = *c->words[0] == '.' ? mem_printf("%s/%s", headers, c->words[0]) : command_find(c->words[0]);
		if (!program || !recipe_add_tool(r, program)) {
			refuse(r, mem_printf("kbuild uses %s, which is not found", c->words[0]));
			free(program);
			break;
		}
		free(c->words[0]);
		c->words[0] = program;
		base = strrchr(program, '/') + 1;
		if (strcmp(base, "objtool") == 0)
			;
		else if (!link && r->ncommands == 1)
			take_compiler(r, c);
		else if (link && (ends(base, "ld") || ends(base, "ld.bfd")))
			take_linker(r, c, dir, headers);
		else
			refuse(r, mem_printf("kbuild uses %s", base));
		for (size_t i = 1; i < c->count; i++)
			c->words[i] = generalize(c->words[i], dir);
	}
	if (!good)
		refuse(r, mem_printf("kbuild's command is more than one of words"));
}

/* What is compiled into the compiler's run without being named: cc1 and the assembler. */
static void take_parts(struct recipe *r, const char *cc, const char *dir)
{
	static const char *const parts[] = { "cc1", "as" };

	for (unsigned int i = 0; i < 2; i++) {
		char *which = mem_printf("-print-prog-name=%s", parts[i]), *log = mem_printf("%s/part.%s", dir, parts[i]), *path, *found;
		const char *const argv[] = { cc, which, NULL };
		int status;

		path = command_run(argv, log, &status) == COMMAND_OK ? text_of_file(log, NULL) : NULL;
		if (path)
			path[strcspn(path, "\n")] = 0;
		found = path ? command_find(path) : NULL;
		if (!found || !recipe_add_tool(r, found))
			refuse(r, mem_printf("%s does not say where its %s is", cc, parts[i]));
		free(found);
		free(path);
		free(which);
		free(log);
	}
}

/* Things that kbuild does for a module of some kernels, and leaves no command of. */
static void look_at_config(struct recipe *r, const char *headers)
{
	static const char *const refused[] = {
		"CONFIG_CFI_CLANG=y", "CONFIG_CFI=y", "CONFIG_LTO_CLANG=y", "CONFIG_FTRACE_MCOUNT_USE_RECORDMCOUNT=y",
	};
	char *path = mem_printf("%s/.config", headers), *text = text_of_file(path, NULL);
	bool objtool = false;

	if (!text)
		refuse(r, mem_printf("%s: %s", path, strerror(errno)));
	for (size_t i = 0; text && i < sizeof(refused) / sizeof(*refused); i++) {
		char *line = mem_printf("\n%s\n", refused[i]);

		if (strstr(text, line))
			refuse(r, mem_printf("this kernel has %s", refused[i]));
		free(line);
	}
	for (size_t i = 0; i < r->ncommands; i++)
		objtool |= ends(r->commands[i].words[0], "/objtool");
	if (text && !objtool && (strstr(text, "\nCONFIG_OBJTOOL=y\n") || strstr(text, "\nCONFIG_STACK_VALIDATION=y\n") ||
				 strstr(text, "\nCONFIG_UNWINDER_ORC=y\n")))
		refuse(r, mem_printf("kbuild does not say how it called objtool"));
	free(path);
	free(text);
}

/* ---- recorded.h ---- */

struct fact {
	char name[24];
	int64_t value;
};

static bool facts(struct text *h, const struct object *o)
{
	size_t length;
	const struct fact *f = object_section(o, ".discard.kmeter.facts", &length);
	bool cgroups = false;

	for (size_t i = 0; f && i < length / sizeof(*f); i++) {
		text_printf(h, "#define KS_%.24s\t%lld\n", f[i].name, (long long)f[i].value);
		cgroups |= strcmp(f[i].name, "TASK_CGROUPS") == 0;
	}
	if (!cgroups)
		text_string(h, "#define KS_NO_CGROUPS\n");
	return f;
}

static bool words(struct text *h, const struct object *o)
{
	size_t length;
	const char *s = object_section(o, ".discard.kmeter.words", &length), *end = s + length;

	if (!s || !length || end[-1])
		return false;
	while (s < end && *s) {
		const char *value = s + strlen(s) + 1;

		if (value >= end)
			return false;
		text_printf(h, "#undef %s\n#define %s %s\n", s, s, value);
		s = value + strlen(value) + 1;
	}
	return true;
}

/* An entry from 1b to where it says "ks_to", as a macro that is given that place, in quotes. */
static bool exception_table(struct text *h, const struct object *o)
{
	static const char to[] = "ks_to";
	size_t length;
	const char *s = object_section(o, ".discard.kmeter.extable", &length);

	if (!s || !length || s[length - 1] || !strstr(s, to))
		return false;
	text_string(h, "#define KS_EXTABLE(to) \"");
	for (; *s; s++) {
		if (begins(s, to)) {
			text_string(h, "\" to \"");
			s += strlen(to) - 1;
		} else if (*s == '\n')
			text_string(h, "\\n");
		else if (*s == '%')
			text_string(h, "%%");
		else if (*s == '"' || *s == '\\')
			text_printf(h, "\\%c", *s);
		else
			text_add(h, s, 1);
	}
	text_string(h, "\"\n");
	return true;
}

/* A load through %gs into %rax or %eax, as the function of this section begins with behind its call to ftrace. */
static bool load(struct text *h, const struct object *o, const char *name, bool word)
{
	char *section = mem_printf(".text.kmeter.%s", name), *upper = mem_copy(name, strlen(name));
	size_t length;
	const unsigned char *code = object_section(o, section, &length);
	bool good = false;

	for (char *c = upper; *c; c++)
		*c -= 'a' - 'A';
	for (size_t i = 0; code && !good && i + 7 < length; i++) {
		size_t at = i + 1;	/* behind the prefix of the segment */
		const char *symbol;
		int64_t addend;
		bool relative, absolute;

		if (code[i] != 0x65 || (word && code[at++] != 0x48) || code[at++] != 0x8b)
			continue;
		absolute = code[at] == 0x04 && code[at + 1] == 0x25;
		if (!absolute && code[at] != 0x05)
			continue;
		at += absolute ? 2 : 1;
		symbol = object_relocation(o, section, at, &addend, &relative);
		if (!symbol || relative == absolute)
			continue;
		text_printf(h, "#define KS_GS_%s\t\"%%%%gs:%s%+lld%s\"\n", upper, symbol, (long long)addend + (relative ? 4 : 0),
			    relative ? "(%%rip)" : "");
		good = true;
	}
	free(section);
	free(upper);
	return good;
}

static bool add_symbol(const char *name, void *data)
{
	recipe_add_symbol(data, name);
	return true;
}

static void record_headers(struct recipe *r, const char *dir)
{
	char *path = mem_printf("%s/" RECIPE_NAME ".o", dir);
	struct object *o = object_open(path);
	struct text h = {};

	text_string(&h, "/* Made by kmeter from runtime/template.c: what this kernel's headers say. */\n");
	if (!o)
		refuse(r, mem_printf("kbuild's object cannot be read"));
	else if (!facts(&h, o) || !words(&h, o) || !exception_table(&h, o))
		refuse(r, mem_printf("kbuild's object does not hold what was recorded"));
	else if (!load(&h, o, "current", true) || !load(&h, o, "cpu", false) || !load(&h, o, "offset", true))
		refuse(r, mem_printf("this kernel finds its current task or CPU in another way"));
	else if (!write_text(dir, RECORDED, h.s))
		refuse(r, mem_printf(RECORDED ": %s", strerror(errno)));
	if (o)
		object_undefined(o, add_symbol, r);
	object_close(o);
	text_free(&h);
	free(path);
}

void template_record(struct recipe *r, const char *dir, const char *headers, const char *cc)
{
	static const char *const files[] = { RECORDED, "alone.h", "script.h", "kstats.h", "slot.h" };
	char *compile = read_command(dir, RECIPE_NAME ".o"), *link = read_command(dir, RECIPE_NAME ".ko");

	if (!compile || !link)
		refuse(r, mem_printf("kbuild left no record of its commands"));
	if (compile)
		take_line(r, compile, dir, headers, false);
	if (link)
		take_line(r, link, dir, headers, true);
	look_at_config(r, headers);
	take_parts(r, cc, dir);
	record_headers(r, dir);
	for (size_t i = 0; !r->refused && i < sizeof(files) / sizeof(*files); i++)
		if (!recipe_add_file(r, dir, files[i]))
			refuse(r, mem_printf("%s: %s", files[i], strerror(errno)));
	free(compile);
	free(link);
}

bool template_store(const struct recipe *r, const char *dir)
{
	char *text = recipe_text(r);
	bool good = write_text(dir, "recipe", text);

	free(text);
	return good;
}
