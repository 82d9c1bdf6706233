// SPDX-License-Identifier: GPL-2.0
/*
 * build.c: finds headers, compiler and runtime sources, makes the keys of the cache from them, and builds in a scratch
 * folder of the cache, from which the result is moved to its entry.
 *
 * The runtime is built by kbuild, which takes its time once a kernel; with it a template, from which template.c learns how
 * scripts are built without kbuild (replay.c), in a small part of that time. Where that cannot be, kbuild builds them too.
 *
 * Script text reaches kbuild only inside the C file. Names of files and modules are made here, from hashes.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beside.h"
#include "build.h"
#include "command.h"
#include "progress.h"
#include "recipe.h"
#include "replay.h"
#include "template.h"
#include "runtime/kstats.h"
#include "trust.h"

struct build {
	const struct kernel *kernel;
	struct diag *diag;
	bool verbose;
	bool kept_log;		/* in the cache's folder, for a report */
	struct cache cache;
	char *headers;		/* the folder that lib/modules/REL/build names */
	char *makefile;		/* to use instead of the headers' own, or NULL */
	char *cc;
	bool clang;
	char *runtime;		/* folder of the runtime's sources */
	char runtime_key[CACHE_KEY_LENGTH + 1];
	bool broken;		/* what it has prepared is damaged */
	struct recipe recipe;	/* of the runtime's entry, once build_runtime() has found it */
};

/* ---- what is needed ---- */

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* lib/modules/REL/build; under a sysroot an absolute link means a path of that root. */
static char *find_headers(const struct kernel *k)
{
	static const char *const others[] = { "/usr/src/linux-headers-%r", "/usr/src/kernels/%r", NULL };
	char *link = kernel_path(k, "/lib/modules/%r/build"), to[PATH_MAX], *path = NULL;
	ssize_t n = readlink(link, to, sizeof(to) - 1);

	if (n > 0 && to[0] == '/' && *k->root) {
		to[n] = 0;
		path = mem_printf("%s%s", k->root, to);
	} else {
		path = mem_copy(link, strlen(link));
	}
	for (unsigned int i = 0; !is_folder(path) && others[i]; i++) {
		free(path);
		path = kernel_path(k, others[i]);
	}
	free(link);
	if (is_folder(path)) {
		char *real = realpath(path, NULL);

		free(path);
		return real;
	}
	free(path);
	return NULL;
}

/* Under a sysroot, what the headers' own Makefile includes is used in its place. */
static char *find_makefile(const struct kernel *k, const char *headers)
{
	char *makefile = *k->root ? kernel_makefile(k, headers) : NULL;

	if (makefile && access(makefile, R_OK)) {
		free(makefile);
		return NULL;
	}
	return makefile;
}

/* The word between `CONFIG_CC_VERSION_TEXT="` and the blank: the compiler that the kernel was built with. */
static char *kernel_compiler(const char *headers)
{
	static const char mark[] = "CONFIG_CC_VERSION_TEXT=\"";
	char *path = mem_printf("%s/.config", headers), *text = text_of_file(path, NULL), *name = NULL;
	const char *hit = text ? strstr(text, mark) : NULL;

	if (hit) {
		hit += strlen(mark);
		name = mem_copy(hit, strcspn(hit, " \"\n"));
	}
	free(path);
	free(text);
	return name;
}

/* A sysroot may bring the compiler and linker that made its kernel, where this machine has not got them (guest/kernel). */
static void prefer_own_programs(const struct kernel *k)
{
	char *path = kernel_path(k, "/usr/local/bin"), *folder = *k->root ? realpath(path, NULL) : NULL;

	if (folder)
		command_prefer(folder);
	free(folder);
	free(path);
}

static bool find_compiler(struct build *b)
{
	char *name = kernel_compiler(b->headers), *make;

	prefer_own_programs(b->kernel);
	make = command_find("make");
	b->clang = name && strstr(name, "clang");
	if (name && *name)
		b->cc = command_find(name);
	if (!b->cc)
		b->cc = command_find(b->clang ? "clang" : "gcc");
	free(name);
	if (!b->cc || !make) {
		diag_error(b->diag, LOC_NONE, "no-compiler", "no %s here: a script becomes a kernel module by compiling it",
			   b->cc ? "make" : b->clang ? "clang" : "gcc");
		diag_help(b->diag, "install %s make (or build the module elsewhere: kmeter build -o X.ko, then kmeter load X.ko)",
			  b->clang ? "clang lld llvm" : "gcc");
	}
	free(make);
	return b->cc && diag_errors(b->diag) == 0;
}

static bool find_runtime(struct build *b)
{
	const char *given = getenv("KMETER_RUNTIME");
	char *kbuild = given ? mem_printf("%s/Kbuild", given) : beside_find("runtime/Kbuild"), *program = beside_program(), *why = NULL;
	struct stat st;

	if (kbuild && access(kbuild, R_OK) == 0) {
		*strrchr(kbuild, '/') = 0;
		b->runtime = realpath(kbuild, NULL);
		why = trust_refuse_folder(kbuild, program && !stat(program, &st) ? st.st_uid : geteuid());
	}
	if (why) {
		diag_error(b->diag, LOC_NONE, "no-runtime", "%s: kmeter's own runtime sources become code of the kernel's, so nobody else may "
			   "write there", why);
		free(b->runtime);
		b->runtime = NULL;
	} else if (!b->runtime) {
		diag_error(b->diag, LOC_NONE, "no-runtime", "kmeter's own runtime sources are missing: looked %s %s; reinstall "
			   "kmeter", given ? "in" : "beside", given ? given : program);
	}
	free(why);
	free(kbuild);
	free(program);
	return b->runtime;
}

static bool need_headers(struct build *b)
{
	char *symvers;

	b->headers = find_headers(b->kernel);
	if (b->headers) {
		symvers = mem_printf("%s/include/generated/autoconf.h", b->headers);
		if (access(symvers, R_OK)) {
			free(b->headers);
			b->headers = NULL;
		}
		free(symvers);
	}
	if (b->headers) {
		b->makefile = find_makefile(b->kernel, b->headers);
		return true;
	}
	diag_error(b->diag, LOC_NONE, "no-headers", "no headers of kernel %s%s%s: a script becomes a module of exactly this "
		   "kernel", b->kernel->release, *b->kernel->root ? " under " : "", b->kernel->root);
	diag_help(b->diag, "Debian, Ubuntu: apt install linux-headers-%s", b->kernel->release);
	diag_help(b->diag, "Fedora: dnf install kernel-devel-%s", b->kernel->release);
	return false;
}

/* ---- keys ---- */

static int is_source(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return d->d_name[0] != '.' && !strstr(d->d_name, ".mod.") &&
	       ((dot && (!strcmp(dot, ".c") || !strcmp(dot, ".h") || !strcmp(dot, ".S"))) || !strcmp(d->d_name, "Kbuild"));
}

/* Of the runtime's sources, each with its name: hashed into @h, copied into @to, or both. False: errno says. */
static bool each_source(const struct build *b, struct cache_hash *h, const char *to)
{
	struct dirent **names = NULL;
	int n = scandir(b->runtime, &names, is_source, alphasort);
	bool good = n > 0;

	for (int i = 0; i < n; i++) {
		char *path = mem_printf("%s/%s", b->runtime, names[i]->d_name);
		size_t length;
		char *text = text_of_file(path, &length);

		if (!text)
			good = false;
		if (text && h) {
			cache_hash_string(h, names[i]->d_name);
			cache_hash_bytes(h, text, length);
		}
		if (text && to) {
			char *copy = mem_printf("%s/%s", to, names[i]->d_name);
			FILE *f = fopen(copy, "we");

			if (!f || fwrite(text, 1, length, f) != length)
				good = false;
			if (f && fclose(f))
				good = false;
			free(copy);
		}
		free(text);
		free(path);
		free(names[i]);
	}
	free(names);
	return good;
}

/* All but the script that the bytes of a module depend on. No process is started to learn it. */
static void make_runtime_key(struct build *b)
{
	static const char *const files[] = {
		"Module.symvers", ".config", "include/generated/autoconf.h", "include/config/kernel.release",
	};
	const int versions[] = { KSTATS_VERSION, 3 /* of the ways to build */ };
	struct cache_hash *h = cache_hash_new();
	char *version = kernel_build(b->kernel);

	cache_hash_bytes(h, versions, sizeof(versions));
	cache_hash_string(h, b->kernel->release);
	cache_hash_string(h, b->headers);
	for (unsigned int i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = mem_printf("%s/%s", b->headers, files[i]);

		cache_hash_stat(h, path);
		free(path);
	}
	/* A kernel that was rebuilt under the same release. Of one that does not run yet, for what is built before it is booted. */
	if (version)
		cache_hash_string(h, version);
	free(version);
	cache_hash_stat(h, b->cc);
	each_source(b, h, NULL);
	cache_hash_end(h, b->runtime_key);
}

struct build *build_open(const struct kernel *kernel, bool no_cache, bool verbose, struct diag *diag)
{
	struct build *b = mem_zero(1, sizeof(*b));

	b->kernel = kernel;
	b->diag = diag;
	b->verbose = verbose;
	if (!need_headers(b) || !find_compiler(b) || !find_runtime(b) || !cache_open(&b->cache, no_cache, diag)) {
		build_close(b);
		return NULL;
	}
	make_runtime_key(b);
	return b;
}

void build_close(struct build *b)
{
	if (!b)
		return;
	if (b->cache.private && diag_errors(b->diag) && !b->kept_log)
		cache_drop_private(b->cache.dir);
	cache_close(&b->cache);
	recipe_free(&b->recipe);
	free(b->headers);
	free(b->makefile);
	free(b->cc);
	free(b->runtime);
	free(b);
}

/* ---- kbuild ---- */

static void show(const char *log)
{
	char *text = text_of_file(log, NULL);

	if (text)
		fputs(text, stderr);
	free(text);
}

/* Say why kbuild failed, in the user's terms; its own words stay in a file. */
static void explain(struct build *b, enum command_result result, int status, const char *log, const char *what)
{
	char *text = text_of_file(log, NULL), *name = mem_printf("%s.log", what), *kept;
	bool full = text && strstr(text, "No space left on device");

	if (result == COMMAND_NOT_STARTED) {
		diag_error(b->diag, LOC_NONE, "build", "cannot start make: %s", strerror(status));
	} else if (result == COMMAND_KILLED || (text && strstr(text, "] Interrupt"))) {
		diag_error(b->diag, LOC_NONE, "build", "interrupted while %s was built", what);
	} else if (full) {
		diag_error(b->diag, LOC_NONE, "disk-full", "no space left to build in %s", b->cache.dir);
	} else {
		kept = cache_keep_failed(&b->cache, log, name);
		b->kept_log = true;
		diag_error(b->diag, LOC_NONE, "build", "kbuild could not build %s for kernel %s: please report this", what,
			   b->kernel->release);
		diag_help(b->diag, "its words are in %s", kept);
		free(kept);
	}
	free(text);
	free(name);
}

/* With @try nothing is said of a failure, unless it is that the user wants no more. */
static bool run_kbuild(struct build *b, const char *dir, const char *symbols, const char *what, bool try)
{
	char *log = mem_printf("%s/log", dir), *m = mem_printf("M=%s", dir), *cc = mem_printf("CC=%s", b->cc);
	char *extra = mem_printf("KBUILD_EXTRA_SYMBOLS=%s", symbols ? symbols : "");
	char *jobs = mem_printf("-j%ld", sysconf(_SC_NPROCESSORS_ONLN)), *output = mem_printf("KBUILD_OUTPUT=%s", b->headers);
	const char *argv[16];
	enum command_result result;
	unsigned int n = 0;
	int status;

	argv[n++] = "make";
	argv[n++] = jobs;
	argv[n++] = "-C";
	argv[n++] = b->headers;
	if (b->makefile) {
		argv[n++] = "-f";
		argv[n++] = b->makefile;
		argv[n++] = output;
	}
	argv[n++] = m;
	argv[n++] = cc;
	if (b->clang)
		argv[n++] = "LLVM=1";
	if (symbols)
		argv[n++] = extra;
	/* Distributions' headers lack the vmlinux that pahole would want; our modules need no BTF of their own. */
	argv[n++] = "CONFIG_DEBUG_INFO_BTF_MODULES=";
	argv[n++] = "modules";
	argv[n] = NULL;

	if (b->verbose) {
		for (unsigned int i = 0; i < n; i++)
			fprintf(stderr, "%s%s", i ? " " : "kmeter: ", argv[i]);
		fputc('\n', stderr);
	}
	progress_begin(symbols ? "building the script by kbuild" : "building kmeter's runtime, once for this kernel");
	result = command_run(argv, log, &status);
	progress_end();
	if (b->verbose)
		show(log);
	if (result == COMMAND_KILLED || (result != COMMAND_OK && !try))
		explain(b, result, status, log, what);
	free(log);
	free(m);
	free(cc);
	free(extra);
	free(jobs);
	free(output);
	return result == COMMAND_OK;
}

static bool write_file(struct build *b, const char *dir, const char *name, const char *text)
{
	char *path = mem_printf("%s/%s", dir, name);
	FILE *f = fopen(path, "we");
	bool good = f && fputs(text, f) >= 0;

	if (f && fclose(f))
		good = false;
	if (!good)
		diag_error(b->diag, LOC_NONE, errno == ENOSPC ? "disk-full" : "cache", "cannot write %s: %s", path,
			   strerror(errno));
	free(path);
	return good;
}

/* Make an entry of the named files of @dir. */
static bool store(struct build *b, const char *dir, const char *kind, const char *key, const char *const *files)
{
	char *out = mem_printf("%s/out", dir);
	bool good = mkdir(out, 0755) == 0;

	for (unsigned int i = 0; files[i] && good; i++) {
		char *from = mem_printf("%s/%s", dir, files[i]), *to = mem_printf("%s/%s", out, files[i]);

		good = rename(from, to) == 0;
		free(from);
		free(to);
	}
	if (!good)
		diag_error(b->diag, LOC_NONE, "cache", "cannot store what was built: %s", strerror(errno));
	else
		good = cache_store(&b->cache, kind, key, out, b->diag);
	free(out);
	return good;
}

/* ---- the runtime, and how scripts are built ---- */

/* A script that uses everything that one may use: can it be built as recorded? */
static const char trial[] =
	"#include \"script.h\"\n"
	"static enum kstats_verdict early(struct kstats_event *ev)\n{\n"
	"\tu64 a[KSTATS_STACK_WORDS], b[KSTATS_STRING_WORDS];\n\tbool fault = false;\n\n"
	"\tks_stack(a, ev);\n\tks_string(b, KSTATS_STRING_WORDS, ks_address(8), 32, false, &fault);\n"
	"\tif (kstats_in_cgroup(\"/\", 1, 0, false) || kstats_in_container(\"0000\", 4))\n\t\treturn KSTATS_FILTER;\n"
	"\tks_comm(&a[2]);\n\tev->data[0] = ks_pid() + ks_tid() + ks_ppid() + ks_uid() + ks_cpu() + ks_cgroup() + ks_caller(ev);\n"
	"\tev->data[1] = ks_read(ks_this_cpu(ev->regs->di), 4, &fault) + ks_read_user(ev->regs->si, 8, &fault);\n"
	"\treturn fault || ks_same(a, b, KSTATS_STRING_WORDS) ? KSTATS_FAULTED : KSTATS_TAKE;\n}\n"
	"static const struct kstats_point points[] = { { .early = early } };\n"
	"static const struct kstats_statement statements[] = { { .points = points, .npoints = ARRAY_SIZE(points) } };\n"
	"static const struct kstats_script script = { .owner = THIS_MODULE, .statements = statements };\n"
	"static int __init km_init(void)\n{\n\treturn kstats_script_load(&script);\n}\nmodule_init(km_init);\n"
	"static void __exit km_exit(void)\n{\n\tkstats_script_unload(&script);\n}\nmodule_exit(km_exit);\n"
	"MODULE_LICENSE(\"GPL\");\n";

static void try_recipe(struct build *b, struct recipe *r, const char *dir)
{
	static const char name[] = "km_000000000001";
	char *file = mem_printf("%s.c", name), *log = mem_printf("%s/log", dir), *why = NULL;
	enum replay_result result;

	if (!write_file(b, dir, file, trial))
		result = REPLAY_FAILED;
	else
		result = replay_module(r, dir, b->headers, dir, name, b->runtime_key, log, b->verbose, &why);
	if (result != REPLAY_OK) {
		if (b->verbose)
			show(log);
		r->refused = why ? why : mem_copy("no trial was made", 17);
		why = NULL;
	}
	free(why);
	free(file);
	free(log);
}

/* kbuild makes the runtime, and where it can a template beside it. */
static bool run_kbuild_for_runtime(struct build *b, const char *dir, struct recipe *r)
{
	char *template = mem_printf("%s/template.c", dir);
	bool there = access(template, R_OK) == 0 && !b->clang;

	free(template);
	if (!there)
		r->refused = mem_printf(b->clang ? "this kernel is compiled with clang" : "the runtime has no template");
	if (there && template_write(dir, b->headers)) {
		if (run_kbuild(b, dir, NULL, "kstats", true)) {
			template_record(r, dir, b->headers, b->cc);
			if (!r->refused)
				try_recipe(b, r, dir);
			return true;
		}
		if (diag_errors(b->diag) || !template_remove(dir))
			return false;
		r->refused = mem_printf("kbuild does not build the template");
	}
	return run_kbuild(b, dir, NULL, "kstats", false);
}

static bool make_runtime(struct build *b)
{
	const char *files[16] = { "kstats.ko", "Module.symvers", "recipe" };
	char *dir = cache_scratch(&b->cache, b->diag);
	struct recipe r = {};
	bool good = dir;

	if (good && !each_source(b, NULL, dir)) {
		diag_error(b->diag, LOC_NONE, errno == ENOSPC ? "disk-full" : "cache", "cannot copy the runtime's sources to "
			   "%s: %s", dir, strerror(errno));
		good = false;
	}
	good = good && run_kbuild_for_runtime(b, dir, &r);
	if (good && !template_store(&r, dir)) {
		diag_error(b->diag, LOC_NONE, errno == ENOSPC ? "disk-full" : "cache", "cannot write to %s: %s", dir,
			   strerror(errno));
		good = false;
	}
	for (unsigned int i = 0; i < r.nfiles && !r.refused && i + 4 < sizeof(files) / sizeof(*files); i++)
		files[i + 3] = r.files[i].name;
	good = good && store(b, dir, "runtimes", b->runtime_key, files);
	if (dir)
		cache_remove(dir);
	free(dir);
	recipe_free(&r);
	return good;
}

/* The folder that a file of the cache lies in. */
static char *folder_of(const char *path)
{
	return mem_copy(path, strrchr(path, '/') - path);
}

/* An entry counts when the recipe in it does: nothing that it was made with has changed, and it is whole. */
static char *find_runtime_entry(struct build *b)
{
	char *path = cache_lookup(&b->cache, "runtimes", b->runtime_key, "kstats.ko"), *entry;

	if (!path)
		return NULL;
	entry = folder_of(path);
	recipe_free(&b->recipe);
	if (!recipe_read(&b->recipe, entry)) {
		free(path);
		path = NULL;
	}
	free(entry);
	return path;
}

bool build_runtime(struct build *b, char **path)
{
	int lock;

	*path = find_runtime_entry(b);
	if (*path)
		return true;
	progress_begin("waiting for another kmeter, which builds the runtime");
	lock = cache_lock(&b->cache, b->runtime_key);
	progress_end();
	*path = find_runtime_entry(b);
	if (!*path) {
		cache_drop(&b->cache, "runtimes", b->runtime_key);
		if (make_runtime(b))
			*path = find_runtime_entry(b);
		if (!*path && !diag_errors(b->diag))
			diag_error(b->diag, LOC_NONE, "cache", "the cache %s does not keep what is put there", b->cache.dir);
	}
	if (lock >= 0)
		close(lock);
	return *path;
}

/* ---- a script ---- */

/* What gcc finds odd in an expression of a script is the script's business. */
static char *kbuild_of(const char *name)
{
	return mem_printf("obj-m := %s.o\n"
			  "ccflags-y := -I$(src) -Wno-error -Wno-tautological-compare -Wno-bool-compare\n"
			  "CFLAGS_REMOVE_%s.o := $(CC_FLAGS_FTRACE)\n", name, name);	/* as runtime/Kbuild's */
}

static bool by_kbuild(struct build *b, const char *dir, const char *name)
{
	static const char *const headers[] = { "script.h", "facts.h", "kstats.h", "slot.h", NULL };
	char *symbols = cache_lookup(&b->cache, "runtimes", b->runtime_key, "Module.symvers"), *kbuild = kbuild_of(name);
	bool good = symbols;

	for (unsigned int i = 0; headers[i] && good; i++) {
		char *path = mem_printf("%s/%s", b->runtime, headers[i]), *text = text_of_file(path, NULL);

		good = text && write_file(b, dir, headers[i], text);
		free(text);
		free(path);
	}
	good = good && write_file(b, dir, "Kbuild", kbuild) && run_kbuild(b, dir, symbols, name, false);
	free(symbols);
	free(kbuild);
	return good;
}

static enum replay_result by_recipe(struct build *b, const char *dir, const char *name, const char *key, char **why)
{
	char *log = mem_printf("%s/log", dir), *kstats = find_runtime_entry(b), *entry = kstats ? folder_of(kstats) : NULL;
	enum replay_result result = REPLAY_BROKEN;

	if (entry)
		result = replay_module(&b->recipe, entry, b->headers, dir, name, key, log, b->verbose, why);
	if (b->verbose)
		show(log);
	free(entry);
	free(kstats);
	free(log);
	return result;
}

static bool make_in(struct build *b, const char *dir, const char *name, const char *key)
{
	bool forced = getenv("KMETER_KBUILD");
	char *why = NULL;

	if (!b->recipe.refused && !forced) {
		switch (by_recipe(b, dir, name, key, &why)) {
		case REPLAY_OK:
			free(why);
			return true;
		case REPLAY_KILLED:
			diag_error(b->diag, LOC_NONE, "build", "interrupted while %s was built", name);
			free(why);
			return false;
		case REPLAY_BROKEN:
			b->broken = true;
			return false;
		default:
			break;
		}
	}
	if (!forced)
		diag_note(b->diag, LOC_NONE, "slow-build", "kbuild builds this script, which takes seconds: %s",
			  why ? why : b->recipe.refused);
	free(why);
	return by_kbuild(b, dir, name);
}

static bool make_module(struct build *b, const char *c_text, const char *name, const char *key)
{
	char *dir = cache_scratch(&b->cache, b->diag), *c = mem_printf("%s.c", name), *ko = mem_printf("%s.ko", name);
	const char *const files[] = { ko, c, NULL };
	bool good = dir && write_file(b, dir, c, c_text) && make_in(b, dir, name, key) && store(b, dir, "modules", key, files);

	if (dir)
		cache_remove(dir);
	free(dir);
	free(c);
	free(ko);
	return good;
}

static bool find_or_make_module(struct build *b, const char *c_text, char **path, char **name, bool *cached)
{
	struct cache_hash *h = cache_hash_new();
	char key[CACHE_KEY_LENGTH + 1], *file;
	int lock;

	cache_hash_string(h, b->runtime_key);
	cache_hash_string(h, b->recipe.hash);
	cache_hash_string(h, getenv("KMETER_KBUILD") ? "kbuild" : "");
	cache_hash_string(h, c_text);
	cache_hash_end(h, key);
	*name = mem_printf("km_%.12s", key);
	file = mem_printf("%s.ko", *name);
	*path = cache_lookup(&b->cache, "modules", key, file);
	*cached = *path;
	if (!*path) {
		lock = cache_lock(&b->cache, key);
		*path = cache_lookup(&b->cache, "modules", key, file);
		if (!*path && make_module(b, c_text, *name, key))
			*path = cache_lookup(&b->cache, "modules", key, file);
		if (lock >= 0)
			close(lock);
	}
	free(file);
	return *path;
}

bool build_module(struct build *b, const char *c_text, char **path, char **name, bool *cached)
{
	char *kstats = NULL;
	bool good = find_or_make_module(b, c_text, path, name, cached);

	/* What was prepared is damaged. It is made anew, once; no lock is held here, for two may be one (cache.h). */
	if (!good && b->broken) {
		free(*name);
		*name = NULL;
		b->broken = false;
		cache_drop(&b->cache, "runtimes", b->runtime_key);
		good = build_runtime(b, &kstats) && find_or_make_module(b, c_text, path, name, cached);
		if (!good && b->broken)
			diag_error(b->diag, LOC_NONE, "cache", "the cache %s does not keep what is put there", b->cache.dir);
		free(kstats);
	}
	return good;
}
