// SPDX-License-Identifier: GPL-2.0
/* symbols.c: the table of symbols, and the questions that resolve asks it. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols_private.h"

#define BLOCK	(64 << 10)

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

/* Text between NAME_start and NAME_end where a probe would hit the code that probes rely on. */
static const char *const refused_text[] = { "noinstr", "kprobes", "entry", "irqentry", NULL };

/* ---- the table ---- */

static unsigned int hash(const char *name)
{
	unsigned int h = 2166136261U;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619U;
	return h ^ h >> 15;
}

static unsigned int slot_of(const struct symbols *s, const char *name)
{
	unsigned int at = hash(name) & (s->table_size - 1);

	while (s->table[at] != NONE && strcmp(s->symbols[s->table[at]].name, name) != 0)
		at = (at + 1) & (s->table_size - 1);
	return at;
}

static void insert(struct symbols *s, unsigned int index)
{
	unsigned int at = slot_of(s, s->symbols[index].name);

	s->symbols[index].same = s->table[at];
	s->table[at] = index;
}

static void rehash(struct symbols *s)
{
	unsigned int size = 1 << 12;

	while (size < 2 * s->count)
		size *= 2;
	free(s->table);
	s->table = mem_zero(size, sizeof(*s->table));
	s->table_size = size;
	memset(s->table, 0xff, size * sizeof(*s->table));
	/* Backwards, so that of one name the lowest address is the first. */
	for (unsigned int i = s->count; i-- > 0; )
		insert(s, i);
}

void symbols_add(struct symbols *s, uint64_t address, char type, const char *name, const char *module)
{
	s->symbols = mem_more(s->symbols, s->count, sizeof(*s->symbols));
	s->symbols[s->count] = (struct symbol){ .address = address, .name = name, .module = module, .type = type };
	s->count++;
	if (!s->table)
		return;
	if (s->table_size < 2 * s->count)
		rehash(s);
	else
		insert(s, s->count - 1);
}

const char *symbols_keep(struct symbols *s, const char *name)
{
	size_t length = strlen(name) + 1;
	char *copy;

	if (!s->blocks || length > BLOCK - s->blocks->used) {
		struct block *block = mem_zero(1, sizeof(*block) + (length > BLOCK ? length : BLOCK));

		block->next = s->blocks;
		s->blocks = block;
	}
	copy = s->blocks->bytes + s->blocks->used;
	memcpy(copy, name, length);
	s->blocks->used = length > BLOCK ? BLOCK : s->blocks->used + length;
	return copy;
}

unsigned int symbols_first(const struct symbols *s, const char *name)
{
	return s->table[slot_of(s, name)];
}

struct symbols *symbols_open(const struct kernel *kernel, struct diag *diag)
{
	struct symbols *s = mem_zero(1, sizeof(*s));

	s->kernel = kernel;
	if (!symbols_load(s, diag)) {
		symbols_free(s);
		return NULL;
	}
	while (s->kernel_count < s->count && !s->symbols[s->kernel_count].module)
		s->kernel_count++;
	rehash(s);
	return s;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	image_free(s->image);
	while (s->blocks) {
		struct block *block = s->blocks;

		s->blocks = block->next;
		free(block);
	}
	free(s->symbols);
	free(s->table);
	free(s->kernel_text);
	free(s->modules_text);
	free(s->built_in_text);
	free(s->modules);
	free(s);
}

/* ---- functions ---- */

static bool is_function(const struct symbol *y)
{
	return y->type && strchr("tTwWni", y->type);
}

static bool same_module(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* The first of a module's symbols of this name at or after @i that is a function, or any with @any. */
static unsigned int next_in(const struct symbols *s, unsigned int i, const char *module, bool any)
{
	while (i != NONE && (!same_module(s->symbols[i].module, module) || (!any && !is_function(&s->symbols[i]))))
		i = s->symbols[i].same;
	return i;
}

static uint64_t address_of(const struct symbols *s, const char *name)
{
	unsigned int i = next_in(s, symbols_first(s, name), NULL, true);

	return i == NONE ? 0 : s->symbols[i].address;
}

/* By address; where the kernel shows none (kptr_restrict), by order, which is that of the addresses. */
static bool between(const struct symbols *s, const struct symbol *y, const char *begin, const char *end)
{
	uint64_t from = address_of(s, begin), to = address_of(s, end);
	unsigned int first = next_in(s, symbols_first(s, begin), NULL, true);
	unsigned int last = next_in(s, symbols_first(s, end), NULL, true);

	if (first == NONE || last == NONE)
		return false;
	if (!from && !to)
		return y > &s->symbols[first] && y < &s->symbols[last];
	return y->address >= from && y->address < to;
}

/* Up to the next symbol; the kernel's own are in order of address. */
static uint64_t size_of(const struct symbols *s, unsigned int i)
{
	uint64_t address = s->symbols[i].address;

	if (i >= s->kernel_count || !address)
		return 0;
	for (unsigned int next = i + 1; next < s->kernel_count; next++)
		if (s->symbols[next].address > address)
			return s->symbols[next].address - address;
	return 0;
}

static const char *refusal(const struct symbols *s, const struct symbol *y)
{
	char name[600];
	unsigned int i;

	if (strncmp(y->name, "__pfx_", 6) == 0 || strncmp(y->name, "__cfi_", 6) == 0)
		return "it is the padding before a function";
	if (y->type == 'n')
		return "the kernel allows no probe in it (noinstr or NOKPROBE)";
	if (y->type == 'i')
		return "it runs only while its module is loaded or removed";
	snprintf(name, sizeof(name), "_kbl_addr_%s", y->name);
	for (i = symbols_first(s, name); i != NONE; i = s->symbols[i].same)
		if (same_module(s->symbols[i].module, y->module))
			return "the kernel allows no probe in it (NOKPROBE_SYMBOL)";
	if (y->module)
		return NULL;
	for (i = 0; refused_text[i]; i++) {
		char end[64];

		snprintf(name, sizeof(name), "__%s_text_start", refused_text[i]);
		snprintf(end, sizeof(end), "__%s_text_end", refused_text[i]);
		if (between(s, y, name, end))
			return "the kernel allows no probe in it (it is entry code or noinstr)";
	}
	if (between(s, y, "_sinittext", "_einittext"))
		return "it runs only while the kernel starts, and is gone afterwards";
	return NULL;
}

/* NAME.isra.0, NAME.constprop.0, NAME.part.0: what the compiler made of NAME. */
static void find_variants(const struct symbols *s, const char *module, const char *name, struct function *f)
{
	size_t length = strlen(name);

	for (unsigned int i = 0; i < s->count && f->count < FUNCTION_OTHERS; i++) {
		const struct symbol *y = &s->symbols[i];

		if (strncmp(y->name, name, length) == 0 && y->name[length] == '.' && is_function(y) &&
		    same_module(y->module, module) && !strstr(y->name, ".cold"))
			f->others[f->count++] = y->name;
	}
	if (f->count)
		f->state = FUNCTION_VARIANTS;
}

/* In which modules there is a function of this name. */
static void find_elsewhere(struct symbols *s, const char *name, struct function *f)
{
	modules_search(s, name);
	for (unsigned int i = symbols_first(s, name); i != NONE && f->count < FUNCTION_OTHERS; i = s->symbols[i].same) {
		const struct symbol *y = &s->symbols[i];

		if (y->module && is_function(y))
			f->others[f->count++] = y->module;
	}
	if (f->count)
		f->state = FUNCTION_ELSEWHERE;
}

static void found(const struct symbols *s, unsigned int i, const char *module, struct function *f)
{
	const struct symbol *y = &s->symbols[i];

	f->symbol = y->name;
	f->size = size_of(s, i);
	f->reason = refusal(s, y);
	for (unsigned int n = 0; no_return[n]; n++)
		f->no_return |= strcmp(no_return[n], y->name) == 0;
	for (; i != NONE; i = next_in(s, s->symbols[i].same, module, false)) {
		if (f->count < FUNCTION_OTHERS)
			f->addresses[f->count] = s->symbols[i].address;
		f->count++;
	}
	f->state = f->count > 1 ? FUNCTION_SEVERAL : f->reason ? FUNCTION_REFUSED : FUNCTION_FOUND;
}

void symbols_function(struct symbols *s, const char *module, const char *name, struct function *f)
{
	unsigned int i;

	*f = (struct function){ .state = FUNCTION_ABSENT };
	if (module) {
		struct module *m = modules_find(s, module);

		if (!m || (!m->built_in && !modules_load(s, m))) {
			f->state = m ? FUNCTION_BAD_MODULE : FUNCTION_NO_MODULE;
			return;
		}
		f->built_in = m->built_in;
		module = f->module = m->built_in ? NULL : m->name;
	}
	i = next_in(s, symbols_first(s, name), module, false);
	if (i != NONE) {
		found(s, i, module, f);
		return;
	}
	if (next_in(s, symbols_first(s, name), module, true) != NONE) {
		f->state = FUNCTION_VARIABLE;
		return;
	}
	find_variants(s, module, name, f);
	if (f->state == FUNCTION_ABSENT && !module)
		find_elsewhere(s, name, f);
}

/* ---- tracepoints ---- */

#define MARK	"__tracepoint_"

static const char *const event_dirs[] = { "/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events", NULL };

/* The running kernel's tracefs: a folder a system, in it a folder an event. */
static const char *system_from_tracefs(struct symbols *s, const char *system, const char *name)
{
	const char *answer = NULL;

	for (unsigned int i = 0; event_dirs[i] && !answer; i++) {
		DIR *dir = opendir(event_dirs[i]);
		struct dirent *d;

		while (dir && (d = readdir(dir))) {
			char *path = mem_printf("%s/%s/%s", event_dirs[i], d->d_name, name);

			if (d->d_name[0] != '.' && access(path, F_OK) == 0 &&
			    (!answer || (system && strcmp(d->d_name, system) == 0)))
				answer = symbols_keep(s, d->d_name);
			free(path);
		}
		if (dir)
			closedir(dir);
	}
	return answer;
}

/*
 * From the kernel's data: event_NAME is a struct trace_event_call, { list_head; class * }, whose class begins with the
 * name of the system.
 */
static const char *system_from_image(struct symbols *s, const char *name)
{
	const struct image *image = symbols_image(s);
	char *symbol = mem_printf("event_%s", name);
	uint64_t address = address_of(s, symbol);
	const uint64_t *class, *text;

	free(symbol);
	if (!image || !address)
		return NULL;
	class = image_at(image, address + 16, sizeof(*class));
	text = class ? image_at(image, *class, sizeof(*text)) : NULL;
	return text ? image_string(image, *text) : NULL;
}

static const char *system_of(struct symbols *s, const char *module, const char *system, const char *name)
{
	const char *answer;
	char *text;

	if (s->kernel->running) {
		answer = system_from_tracefs(s, system, name);
		if (answer)
			return answer;
	}
	if (!module)
		/* The running kernel's addresses are not those of its image. */
		return s->kernel->running ? NULL : system_from_image(s, name);
	text = modules_tracepoint_system(s, module, name);
	answer = text ? symbols_keep(s, text) : NULL;
	free(text);
	return answer;
}

void symbols_tracepoint(struct symbols *s, const char *system, const char *name, struct tracepoint *t)
{
	char *symbol = mem_printf(MARK "%s", name);
	unsigned int i = symbols_first(s, symbol);

	*t = (struct tracepoint){ .state = TRACEPOINT_ABSENT };
	if (i == NONE) {
		modules_search(s, symbol);
		i = symbols_first(s, symbol);
	}
	free(symbol);
	if (i == NONE)
		return;
	t->state = TRACEPOINT_FOUND;
	t->module = s->symbols[i].module;
	if (!system)
		return;
	t->system = system_of(s, t->module, system, name);
	if (!t->system)
		t->state = TRACEPOINT_UNKNOWN_SYSTEM;
	else if (strcmp(t->system, system) != 0)
		t->state = TRACEPOINT_OTHER_SYSTEM;
}

/* ---- nearest names ---- */

/* What nobody would mean: parts of functions, and marks of the build. */
static bool is_odd(const char *name)
{
	return strncmp(name, "__pfx_", 6) == 0 || strncmp(name, "__cfi_", 6) == 0 || strncmp(name, "__SC", 4) == 0 ||
	       strstr(name, ".cold") || name[0] == '.';
}

void symbols_near_functions(struct symbols *s, const char *module, struct near *near)
{
	if (module) {
		struct module *m = modules_find(s, module);

		module = m && !m->built_in ? m->name : NULL;
	}
	for (unsigned int i = 0; i < s->count; i++) {
		const struct symbol *y = &s->symbols[i];

		if (is_function(y) && same_module(y->module, module) && !is_odd(y->name))
			near_offer(near, y->name, strnlen(y->name, 2 * near->length + 8));
	}
}

void symbols_near_tracepoints(struct symbols *s, struct near *near)
{
	for (unsigned int i = 0; i < s->count; i++) {
		const char *name = s->symbols[i].name;

		if (strncmp(name, MARK, strlen(MARK)) == 0)
			near_offer(near, name + strlen(MARK), strlen(name) - strlen(MARK));
	}
}

void symbols_near_modules(struct symbols *s, struct near *near)
{
	modules_find(s, "");
	for (unsigned int i = 0; i < s->nmodules; i++)
		near_offer(near, s->modules[i].name, strlen(s->modules[i].name));
}
