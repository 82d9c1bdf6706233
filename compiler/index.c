// SPDX-License-Identifier: GPL-2.0
/* index.c: makes the index of all modules on all CPUs, keeps it as one file that is mapped as it is, and searches it. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "cache.h"
#include "image.h"
#include "index.h"
#include "progress.h"
#include "text.h"

#define KIND		"index"
#define FILE_NAME	"modules.index"
#define MAGIC		"kmindex\2"	/* the last byte changes with the layout and what is in it */
#define WORKERS_MAX	16

#define TRACEPOINT	"__tracepoint_"
#define NOKPROBE	"_kbl_addr_"

/*
 * The file: a head; functions, modules, tracepoints; the functions' indices in order of name; strings, which the tables
 * name by their offsets.
 */
struct head {
	char magic[8];
	uint32_t nmodules, nfunctions, ntracepoints, strings;
	uint64_t check;		/* hash of the whole, this being 0 */
};

struct module_row {
	uint32_t name, from, to, broken;
};

struct function_row {		/* in order of module, then name */
	uint64_t address;
	uint32_t name;
	uint16_t module;
	uint8_t type;
	uint8_t marked;		/* 0 in the file */
};

struct tracepoint_row {		/* in order of name */
	uint32_t name, system, module;
};

struct index {
	const struct head *head;
	size_t size;
	bool mapped;
	const struct module_row *modules;	/* in order of name */
	const struct function_row *functions;
	const struct tracepoint_row *tracepoints;
	const uint32_t *by_name;	/* functions */
	const char *strings;		/* the first and the last byte are 0 */
};

/* ---- the layout ---- */

static uint64_t check_of(const struct head *head, size_t size)
{
	struct head plain = *head;

	plain.check = 0;
	return XXH3_64bits_withSeed((const char *)head + sizeof(*head), size - sizeof(*head),
				    XXH3_64bits(&plain, sizeof(plain)));
}

static size_t size_of(const struct head *head)
{
	return sizeof(*head) + (size_t)head->nmodules * sizeof(struct module_row) +
	       (size_t)head->nfunctions * (sizeof(struct function_row) + sizeof(uint32_t)) +
	       (size_t)head->ntracepoints * sizeof(struct tracepoint_row) + head->strings;
}

/* Have the tables of @x where they are in the file. False: it is no index, or not whole. */
static bool set_tables(struct index *x, const void *bytes, size_t size)
{
	const struct head *head = x->head = bytes;

	x->size = size;
	if (size < sizeof(*head) || memcmp(head->magic, MAGIC, sizeof(head->magic)) != 0 || size_of(head) != size ||
	    head->strings < 1 || head->check != check_of(head, size))
		return false;
	x->functions = (const struct function_row *)(head + 1);
	x->modules = (const struct module_row *)(x->functions + head->nfunctions);
	x->tracepoints = (const struct tracepoint_row *)(x->modules + head->nmodules);
	x->by_name = (const uint32_t *)(x->tracepoints + head->ntracepoints);
	x->strings = (const char *)(x->by_name + head->nfunctions);
	return x->strings[0] == 0 && x->strings[head->strings - 1] == 0;
}

static const char *string_of(const struct index *x, uint32_t offset)
{
	return x->strings + (offset < x->head->strings ? offset : 0);
}

static const char *module_of(const struct index *x, uint32_t module)
{
	return module < x->head->nmodules ? string_of(x, x->modules[module].name) : "";
}

/* ---- reading modules ---- */

/* What one worker found; offsets are into its own strings, modules are indices in the list. */
struct part {
	struct text strings;
	struct function_row *functions;
	struct tracepoint_row *tracepoints;
	unsigned int nfunctions, ntracepoints;
	unsigned int module;
};

struct work {
	const struct index_module *modules;
	unsigned int count;
	unsigned int next;	/* taken by workers, atomically */
	bool *broken;
};

static uint32_t keep(struct text *strings, const char *string)
{
	uint32_t at = strings->length;

	text_add(strings, string, strlen(string) + 1);
	return at;
}

static void each_symbol(void *arg, uint64_t address, char type, const char *name)
{
	struct part *p = arg;

	if (name[0] == '.' || !type || strncmp(name, "__pfx_", 6) == 0 || strncmp(name, "__cfi_", 6) == 0)
		return;
	if (strchr("tTwWni", type)) {
		p->functions = mem_more(p->functions, p->nfunctions, sizeof(*p->functions));
		p->functions[p->nfunctions++] = (struct function_row){
			.address = address, .name = keep(&p->strings, name), .module = p->module, .type = type,
		};
	} else if (type != 'U' && strncmp(name, TRACEPOINT, strlen(TRACEPOINT)) == 0) {
		p->tracepoints = mem_more(p->tracepoints, p->ntracepoints, sizeof(*p->tracepoints));
		p->tracepoints[p->ntracepoints++] = (struct tracepoint_row){
			.name = keep(&p->strings, name + strlen(TRACEPOINT)), .module = p->module,
		};
	} else if (strncmp(name, NOKPROBE, strlen(NOKPROBE)) == 0) {
		/* These come behind or before the functions that they are about: kept as such, sorted out at the end. */
		p->functions = mem_more(p->functions, p->nfunctions, sizeof(*p->functions));
		p->functions[p->nfunctions++] = (struct function_row){
			.name = keep(&p->strings, name + strlen(NOKPROBE)), .module = p->module, .type = 'k',
		};
	}
}

/* The functions that NOKPROBE marks are about get their type; the marks go. */
static void apply_marks(struct part *p, unsigned int from)
{
	struct function_row *f = p->functions;
	unsigned int kept = from;

	for (unsigned int m = from; m < p->nfunctions; m++)
		for (unsigned int i = from; f[m].type == 'k' && i < p->nfunctions; i++)
			if (f[i].type != 'k' && strcmp(p->strings.s + f[i].name, p->strings.s + f[m].name) == 0)
				f[i].marked = 1;
	for (unsigned int i = from; i < p->nfunctions; i++) {
		if (f[i].type == 'k')
			continue;
		if (f[i].marked)
			f[i].type = 'k';
		f[i].marked = 0;
		f[kept++] = f[i];
	}
	p->nfunctions = kept;
}

/* struct trace_event_call: { list_head; class * }; its class begins with the name of the system. */
static uint32_t find_system(struct part *p, const struct image *image, const char *name)
{
	char *symbol = mem_printf("event_%s", name);
	struct image_place place;
	const char *system = NULL;

	if (image_symbol_place(image, symbol, &place)) {
		place.offset += 16;
		if (image_follow(image, place, &place) && image_follow(image, place, &place))
			system = image_place_string(image, place);
	}
	free(symbol);
	return system ? keep(&p->strings, system) : 0;
}

static void read_module(struct part *p, struct work *w, unsigned int module)
{
	struct image *image = image_open(w->modules[module].path);
	unsigned int functions = p->nfunctions, tracepoints = p->ntracepoints;

	p->module = module;
	w->broken[module] = !image || !image_symtab(image, each_symbol, p);
	apply_marks(p, functions);
	for (unsigned int i = tracepoints; i < p->ntracepoints; i++) {
		char *name = mem_printf("%s", p->strings.s + p->tracepoints[i].name);

		p->tracepoints[i].system = find_system(p, image, name);
		free(name);
	}
	image_free(image);
}

struct worker {
	pthread_t thread;
	struct work *work;
	struct part part;
};

static void *run(void *arg)
{
	struct worker *me = arg;
	unsigned int module;

	keep(&me->part.strings, "");
	while ((module = __atomic_fetch_add(&me->work->next, 1, __ATOMIC_RELAXED)) < me->work->count) {
		progress_count(module, me->work->count);
		read_module(&me->part, me->work, module);
	}
	return NULL;
}

/* ---- putting parts together ---- */

static int by_module_and_name(const void *a, const void *b, void *strings)
{
	const struct function_row *x = a, *y = b;

	return (x->module > y->module) - (x->module < y->module) ?:
	       strcmp((char *)strings + x->name, (char *)strings + y->name) ?: (x->address > y->address) - (x->address < y->address);
}

static int tracepoint_order(const void *a, const void *b, void *strings)
{
	const struct tracepoint_row *x = a, *y = b;

	return strcmp((char *)strings + x->name, (char *)strings + y->name) ?: (x->module > y->module) - (x->module < y->module);
}

struct names {
	const struct function_row *functions;
	const char *strings;
};

static int name_order(const void *a, const void *b, void *arg)
{
	const struct names *n = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return strcmp(n->strings + n->functions[x].name, n->strings + n->functions[y].name) ?: (x > y) - (x < y);
}

/* Behind one another, offsets moved to where the strings are then. */
static void join(struct part *all, const struct part *p)
{
	uint32_t base = all->strings.length;

	text_add(&all->strings, p->strings.s, p->strings.length);
	for (unsigned int i = 0; i < p->nfunctions; i++) {
		all->functions = mem_more(all->functions, all->nfunctions, sizeof(*all->functions));
		all->functions[all->nfunctions] = p->functions[i];
		all->functions[all->nfunctions++].name += base;
	}
	for (unsigned int i = 0; i < p->ntracepoints; i++) {
		struct tracepoint_row row = p->tracepoints[i];

		row.name += base;
		row.system = row.system ? row.system + base : 0;
		all->tracepoints = mem_more(all->tracepoints, all->ntracepoints, sizeof(*all->tracepoints));
		all->tracepoints[all->ntracepoints++] = row;
	}
}

static void free_part(struct part *p)
{
	text_free(&p->strings);
	free(p->functions);
	free(p->tracepoints);
}

static void put(struct text *out, const void *rows, size_t count, size_t size)
{
	if (count)
		text_add(out, rows, count * size);
}

/* The file's bytes, from all that was found; the list of modules is in order of name. */
static void *lay_out(struct part *all, const struct work *w, size_t *size)
{
	struct module_row *rows = mem_zero(w->count, sizeof(*rows));
	uint32_t *order = mem_zero(all->nfunctions + 1, sizeof(*order));
	struct head head = { .magic = MAGIC, .nmodules = w->count, .nfunctions = all->nfunctions,
			     .ntracepoints = all->ntracepoints };
	struct names names;
	struct text out = {};

	if (all->nfunctions)
		qsort_r(all->functions, all->nfunctions, sizeof(*all->functions), by_module_and_name, all->strings.s);
	if (all->ntracepoints)
		qsort_r(all->tracepoints, all->ntracepoints, sizeof(*all->tracepoints), tracepoint_order, all->strings.s);
	for (unsigned int m = 0, i = 0; m < w->count; m++) {
		rows[m] = (struct module_row){ .name = keep(&all->strings, w->modules[m].name), .from = i,
					       .broken = w->broken[m] };
		while (i < all->nfunctions && all->functions[i].module == m)
			i++;
		rows[m].to = i;
	}
	names = (struct names){ all->functions, all->strings.s };
	for (unsigned int i = 0; i < all->nfunctions; i++)
		order[i] = i;
	qsort_r(order, all->nfunctions, sizeof(*order), name_order, &names);
	head.strings = all->strings.length;
	put(&out, &head, 1, sizeof(head));
	put(&out, all->functions, all->nfunctions, sizeof(*all->functions));
	put(&out, rows, w->count, sizeof(*rows));
	put(&out, all->tracepoints, all->ntracepoints, sizeof(*all->tracepoints));
	put(&out, order, all->nfunctions, sizeof(*order));
	put(&out, all->strings.s, all->strings.length, 1);
	free(rows);
	free(order);
	*size = out.length;
	((struct head *)out.s)->check = check_of((struct head *)out.s, out.length);
	return text_take(&out);
}

static int module_order(const void *a, const void *b)
{
	return strcmp(((const struct index_module *)a)->name, ((const struct index_module *)b)->name);
}

static void *build(const struct index_module *modules, unsigned int count, size_t *size)
{
	struct index_module *sorted = mem_zero(count, sizeof(*sorted));
	struct work work = { .modules = sorted, .count = count, .broken = mem_zero(count, sizeof(bool)) };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int n = cpus < 1 ? 1 : cpus > WORKERS_MAX ? WORKERS_MAX : cpus, started = 0;
	struct worker *workers = mem_zero(n, sizeof(*workers));
	struct part all = {};
	void *bytes;

	memcpy(sorted, modules, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), module_order);
	progress_begin("reading the symbols of modules, once for this kernel");
	for (unsigned int i = 0; i < n; i++) {
		workers[i].work = &work;
		/* This thread is one of them. */
		if (i && pthread_create(&workers[i].thread, NULL, run, &workers[i]))
			break;
		started++;
	}
	run(&workers[0]);
	keep(&all.strings, "");
	for (unsigned int i = 0; i < started; i++) {
		if (i)
			pthread_join(workers[i].thread, NULL);
		join(&all, &workers[i].part);
		free_part(&workers[i].part);
	}
	progress_end();
	bytes = lay_out(&all, &work, size);
	free_part(&all);
	free(workers);
	free(work.broken);
	free(sorted);
	return bytes;
}

/* ---- the cache ---- */

static bool load(struct index *x, const struct cache *c, const char *key)
{
	char *path = cache_lookup(c, KIND, key, FILE_NAME);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	struct stat st;
	void *bytes;

	free(path);
	if (fd < 0)
		return false;
	bytes = fstat(fd, &st) == 0 && st.st_size > 0 ?
		mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0) : MAP_FAILED;
	close(fd);
	if (bytes == MAP_FAILED)
		return false;
	x->mapped = true;
	if (set_tables(x, bytes, st.st_size))
		return true;
	munmap(bytes, st.st_size);
	*x = (struct index){};
	return false;
}

/* Whole or not at all; whether it could be kept makes no difference to the answers. */
static void store(const struct cache *c, const char *key, const void *bytes, size_t size, struct diag *diag)
{
	char *scratch = cache_scratch(c, diag), *path = scratch ? mem_printf("%s/" FILE_NAME, scratch) : NULL;
	char *old = mem_printf("%s/" KIND "/%s", c->dir, key);
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) : -1;
	bool good = fd >= 0;

	for (size_t done = 0; good && done < size; ) {
		ssize_t n = write(fd, (const char *)bytes + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		good = n > 0;
		done += good ? n : 0;
	}
	if (fd >= 0)
		good = !close(fd) && good;
	if (good) {
		/* One that is there was not usable. */
		cache_remove(old);
		cache_store(c, KIND, key, scratch, diag);
	}
	if (scratch)
		cache_remove(scratch);
	free(old);
	free(path);
	free(scratch);
}

static void make_key(const struct kernel *kernel, char *key)
{
	char *dep = kernel_path(kernel, "/lib/modules/%r/modules.dep");
	struct cache_hash *h = cache_hash_new();

	cache_hash_string(h, MAGIC);
	cache_hash_string(h, kernel->release);
	cache_hash_stat(h, dep);
	cache_hash_end(h, key);
	free(dep);
}

struct index *index_open(const struct kernel *kernel, const struct index_module *modules, unsigned int count)
{
	struct index *x = mem_zero(1, sizeof(*x));
	struct diag *diag = diag_new(NULL, 0);	/* what is said of the cache is not an error here */
	char key[CACHE_KEY_LENGTH + 1];
	struct cache cache;
	bool have_cache, good;
	int lock = -1;

	if (!count || count > UINT16_MAX) {
		diag_free(diag);
		free(x);
		return NULL;
	}
	make_key(kernel, key);
	have_cache = cache_open(&cache, false, diag);
	good = have_cache && load(x, &cache, key);
	if (!good && have_cache) {
		/* Another kmeter may be making it right now. */
		lock = cache_lock(&cache, key);
		good = load(x, &cache, key);
	}
	if (!good) {
		size_t size;
		void *bytes = build(modules, count, &size);

		if (have_cache)
			store(&cache, key, bytes, size, diag);
		set_tables(x, bytes, size);
	}
	if (lock >= 0)
		close(lock);
	cache_close(&cache);
	diag_free(diag);
	return x;
}

void index_free(struct index *x)
{
	if (!x)
		return;
	if (x->mapped)
		munmap((void *)x->head, x->size);
	else
		free((void *)x->head);
	free(x);
}

/* ---- questions ---- */

bool index_function(const struct index *x, unsigned int i, struct index_function *f)
{
	const struct function_row *row;

	if (!x || i >= x->head->nfunctions)
		return false;
	row = &x->functions[i];
	*f = (struct index_function){ string_of(x, row->name), module_of(x, row->module), row->address, row->type };
	return true;
}

bool index_by_name(const struct index *x, unsigned int i, struct index_function *f)
{
	return x && i < x->head->nfunctions && index_function(x, x->by_name[i], f);
}

bool index_tracepoint(const struct index *x, unsigned int i, struct index_tracepoint *t)
{
	const struct tracepoint_row *row;

	if (!x || i >= x->head->ntracepoints)
		return false;
	row = &x->tracepoints[i];
	*t = (struct index_tracepoint){ string_of(x, row->name), row->system ? string_of(x, row->system) : NULL,
					module_of(x, row->module) };
	return true;
}

const char *index_module_name(const struct index *x, unsigned int i)
{
	return x && i < x->head->nmodules ? module_of(x, i) : NULL;
}

/* The first of @count rows whose name, which @at gives, is not before @name. */
static unsigned int search(const struct index *x, unsigned int count, const char *name,
			   const char *(*at)(const struct index *x, unsigned int i))
{
	unsigned int from = 0, to = count;

	while (from < to) {
		unsigned int middle = from + (to - from) / 2;

		if (strcmp(at(x, middle), name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static const char *function_at(const struct index *x, unsigned int i)
{
	struct index_function f;

	return index_by_name(x, i, &f) ? f.name : "";
}

static const char *tracepoint_at(const struct index *x, unsigned int i)
{
	struct index_tracepoint t;

	return index_tracepoint(x, i, &t) ? t.name : "";
}

unsigned int index_search(const struct index *x, const char *name)
{
	return x ? search(x, x->head->nfunctions, name, function_at) : 0;
}

unsigned int index_search_tracepoint(const struct index *x, const char *name)
{
	return x ? search(x, x->head->ntracepoints, name, tracepoint_at) : 0;
}

bool index_module(const struct index *x, const char *module, unsigned int *from, unsigned int *to)
{
	unsigned int i = x ? search(x, x->head->nmodules, module, index_module_name) : 0;

	if (!x || i >= x->head->nmodules || strcmp(module_of(x, i), module) != 0 || x->modules[i].broken)
		return false;
	*from = x->modules[i].from;
	*to = x->modules[i].to;
	return true;
}
