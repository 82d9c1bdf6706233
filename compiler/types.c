// SPDX-License-Identifier: GPL-2.0
/*
 * types.c: the face over the sources of types: which of them is asked, the complete type for one that is only declared,
 * members through unnamed ones, and the nodes that types are.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols_private.h"
#include "types_private.h"

#define MEMBERS_MAX	(1 << 14)	/* that a search by name looks at: corrupt structures may hold themselves */
#define MEMBERS_DEEP	16		/* unnamed ones in unnamed ones */

struct types_node {
	struct type type;		/* first: a const struct type * is its node's */
	const struct type *target;	/* once it was asked for */
	const struct type *pointer;	/* types_pointer() to it */
	const struct type *full;	/* where this one is only declared: the complete one */
	unsigned int full_tried;	/* how many units there were when that was last looked for */
	unsigned int enumerator_count;
	struct type_enumerator *enumerators;
	struct types_node *next;
};

struct types_block {
	struct types_block *next;
	size_t used, size;
	max_align_t bytes[];
};

static const struct types_source *const sources[] = { &types_btf, &types_dwarf };

#define SOURCES		(sizeof(sources) / sizeof(*sources))

/* ---- memory, nodes ---- */

void *types_room(struct types *ts, size_t size)
{
	struct types_block *block = ts->blocks;
	void *room;

	size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (!block || block->size - block->used < size) {
		size_t whole = size > 16384 ? size : 16384;

		block = mem_zero(1, sizeof(*block) + whole);
		block->size = whole;
		block->next = ts->blocks;
		ts->blocks = block;
	}
	room = (char *)block->bytes + block->used;
	block->used += size;
	return room;
}

const char *types_keep(struct types *ts, const char *name, size_t length)
{
	char *kept = types_room(ts, length + 1);

	memcpy(kept, name, length);
	return kept;
}

static struct types_node *node_of(const struct type *t)
{
	return (struct types_node *)t;
}

static struct types_node **slot_of(struct types *ts, const void *source, uint64_t id)
{
	uint64_t h = (id ^ (uintptr_t)source >> 4) * 0x9e3779b97f4a7c15ULL;

	return &ts->nodes[h >> 32 & (ts->node_room - 1)];
}

static void more_nodes(struct types *ts)
{
	struct types_node **old = ts->nodes;
	unsigned int room = ts->node_room;

	ts->node_room = room ? 4 * room : 256;
	ts->nodes = mem_zero(ts->node_room, sizeof(*ts->nodes));
	for (unsigned int i = 0; i < room; i++)
		for (struct types_node *n = old[i], *next; n; n = next) {
			struct types_node **slot = slot_of(ts, n->type.source, n->type.id);

			next = n->next;
			n->next = *slot;
			*slot = n;
		}
	free(old);
}

static const struct type *find_node(struct types *ts, const void *source, uint64_t id)
{
	struct types_node *n = ts->nodes ? *slot_of(ts, source, id) : NULL;

	while (n && (n->type.source != source || n->type.id != id))
		n = n->next;
	return n ? &n->type : NULL;
}

static const struct type *add_node(struct types *ts, const void *source, uint64_t id, const struct type *t)
{
	struct types_node *n, **slot;

	if (ts->node_count >= ts->node_room)
		more_nodes(ts);
	n = types_room(ts, sizeof(*n));
	n->type = *t;
	n->type.source = source;
	n->type.id = id;
	if (t->class == CLASS_INT)
		n->type.name = types_int_name(t->name);
	slot = slot_of(ts, source, id);
	n->next = *slot;
	*slot = n;
	ts->node_count++;
	return &n->type;
}

const struct type *types_made(struct types *ts, const struct types_unit *u, uint64_t id)
{
	return find_node(ts, u, id);
}

const struct type *types_make(struct types *ts, const struct types_unit *u, uint64_t id, const struct type *t)
{
	const struct type *made = find_node(ts, u, id);

	return made ? made : add_node(ts, u, id, t);
}

const struct type *types_own(struct types *ts, const struct type *t)
{
	return add_node(ts, NULL, ++ts->own_ids, t);
}

static struct types_unit *unit_of(const struct type *t)
{
	return (struct types_unit *)t->source;
}

static const struct types_source *source_of(const struct type *t)
{
	return t->source ? unit_of(t)->source : NULL;
}

/* ---- units ---- */

struct types *types_new(const struct kernel *kernel, struct symbols *symbols)
{
	struct types *ts = mem_zero(1, sizeof(*ts));

	ts->kernel = kernel;
	ts->symbols = symbols;
	return ts;
}

void types_free(struct types *ts)
{
	if (!ts)
		return;
	while (ts->units) {		/* modules' before vmlinux's, which they refer to: the newest are first */
		struct types_unit *u = ts->units;

		ts->units = u->next;
		if (u->state)
			u->source->close(u);
		free(u);
	}
	while (ts->blocks) {
		struct types_block *block = ts->blocks;

		ts->blocks = block->next;
		free(block);
	}
	free(ts->nodes);
	free(ts);
}

static struct types_unit *find_unit(struct types *ts, const struct types_source *source, const char *module)
{
	struct types_unit *u = ts->units;

	while (u && (u->source != source || (module ? !u->module || strcmp(u->module, module) != 0 : !!u->module)))
		u = u->next;
	return u;
}

/* The name as units have it; NULL for what is part of vmlinux. */
static const char *module_name(struct types *ts, const char *module)
{
	struct module *known = module && ts->symbols ? modules_find(ts->symbols, module) : NULL;
	char *name;

	if (!module || (known && known->built_in))
		return NULL;
	if (known)
		return known->name;
	name = (char *)types_keep(ts, module, strlen(module));
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

static struct types_unit *open_unit(struct types *ts, const struct types_source *source, const char *module)
{
	struct types_unit *u = find_unit(ts, source, module), *vmlinux;

	if (u)
		return u;
	vmlinux = module ? open_unit(ts, source, NULL) : NULL;
	u = mem_zero(1, sizeof(*u));
	u->source = source;
	u->module = module ? types_keep(ts, module, strlen(module)) : NULL;
	u->vmlinux = module ? vmlinux : u;
	u->next = ts->units;
	ts->units = u;
	if (module && !vmlinux->state)
		u->vmlinux = NULL;
	source->open(ts, u);
	return u;
}

/* What @source has on @module (NULL: vmlinux), or NULL. */
static struct types_unit *unit(struct types *ts, const struct types_source *source, const char *module)
{
	struct types_unit *u;

	if (module && (u = find_unit(ts, source, module)))
		return u->state ? u : NULL;
	u = open_unit(ts, source, module_name(ts, module));
	return u->state ? u : NULL;
}

/* Where types by name are looked for: in BTF, which has all of them, or where that is missing, in DWARF. */
static struct types_unit *best_unit(struct types *ts, const char *module)
{
	struct types_unit *u = unit(ts, &types_btf, module);

	return u ? u : unit(ts, &types_dwarf, module);
}

/* A module's own names go before the kernel's. Ends with NULL. */
static void look_in(struct types *ts, const char *module, struct types_unit *where[3])
{
	struct types_unit *vmlinux = best_unit(ts, NULL), *own_unit = module ? best_unit(ts, module) : NULL;
	unsigned int n = 0;

	if (own_unit && own_unit != vmlinux)
		where[n++] = own_unit;
	if (vmlinux)
		where[n++] = vmlinux;
	where[n] = NULL;
}

bool types_have_btf(struct types *ts)
{
	return unit(ts, &types_btf, NULL);
}

bool types_have_dwarf(struct types *ts, const char *module)
{
	return unit(ts, &types_dwarf, module);
}

/* ---- types that are only declared ---- */

static bool is_tagged(enum type_class class)
{
	return class == CLASS_STRUCT || class == CLASS_UNION || class == CLASS_ENUM;
}

static const struct type *find_full(struct types *ts, struct types_unit *u, const struct type *t)
{
	const struct type *full = u && u->state && u->source->named ? u->source->named(ts, u, t->class, t->name) : NULL;

	return full && full->size ? full : NULL;
}

const struct type *types_complete(struct types *ts, const struct type *t, bool dwarf)
{
	struct types_node *n = node_of(t);
	unsigned int units = 1;

	if (!is_tagged(t->class) || t->size || !t->name || !t->source)
		return t;
	if (n->full)
		return n->full;
	unit(ts, &types_btf, NULL);
	if (dwarf)
		unit(ts, &types_dwarf, unit_of(t)->module);
	for (struct types_unit *u = ts->units; u; u = u->next)
		units++;
	if (n->full_tried == units)
		return t;
	n->full_tried = units;
	n->full = find_full(ts, unit_of(t), t);
	for (unsigned int i = 0; i < SOURCES && !n->full; i++) {
		n->full = find_full(ts, find_unit(ts, sources[i], NULL), t);
		for (struct types_unit *u = ts->units; u && !n->full; u = u->next)
			if (u->source == sources[i])
				n->full = find_full(ts, u, t);
	}
	return n->full ? n->full : t;
}

const struct type *types_pointer(struct types *ts, const struct type *to)
{
	struct types_node *n = node_of(to);

	if (!n->pointer) {
		n->pointer = types_own(ts, &(struct type){ .class = CLASS_POINTER, .size = 8 });
		node_of(n->pointer)->target = to;
	}
	return n->pointer;
}

const struct type *types_target(struct types *ts, const struct type *t)
{
	struct types_node *n = node_of(t);

	if (!n->target && source_of(t) && source_of(t)->target)
		n->target = source_of(t)->target(ts, t);
	if (!n->target)
		n->target = types_void(ts);
	return types_complete(ts, n->target, false);
}

struct relative_search {
	struct types *ts;
	enum type_class class;
	const char *name;
	const struct type *found;
};

static bool see_relative(void *arg, const char *module)
{
	struct relative_search *s = arg;
	struct types_unit *u = best_unit(s->ts, module);
	const struct type *t = u && u->module ? u->source->named(s->ts, u, s->class, s->name) : NULL;

	s->found = t && t->size ? t : NULL;
	return !s->found;
}

/* What is private to a module that stands on @module, as vcpu_vmx of kvm_intel is, or to one that it stands on. */
static const struct type *named_by_relatives(struct types *ts, enum type_class class, const char *name, const char *module)
{
	struct relative_search s = { ts, class, name, NULL };

	if (is_tagged(class) && module && ts->symbols)
		symbols_each_relative(ts->symbols, module, see_relative, &s);
	return s.found;
}

const struct type *types_named(struct types *ts, enum type_class class, const char *words, const char *module)
{
	const struct type *t = is_tagged(class) ? NULL : types_words(ts, words), *declared = NULL;
	struct types_unit *where[3];

	if (t)
		return t;
	look_in(ts, module, where);
	for (unsigned int i = 0; where[i]; i++) {
		t = where[i]->source->named(ts, where[i], class, words);
		if (t && (t->size || !is_tagged(class)))
			return t;
		declared = declared ? declared : t;
	}
	declared = declared ? types_complete(ts, declared, true) : NULL;
	t = declared && declared->size ? NULL : named_by_relatives(ts, class, words, module);
	if (!t && !declared && !is_tagged(class))
		t = types_interface(ts, words);
	return t ? t : declared;
}

void types_near_named(struct types *ts, enum type_class class, struct near *near)
{
	if (!is_tagged(class))
		types_near_words(near);
	best_unit(ts, NULL);
	for (struct types_unit *u = ts->units; u; u = u->next)
		if (u->state && u->source->near_named)
			u->source->near_named(ts, u, class, near);
}

/* ---- members ---- */

void types_place_bits(struct types *ts, struct type_member *m, uint64_t bit, uint64_t struct_size)
{
	uint64_t low = bit / 8, bytes = (bit % 8 + m->bits + 7) / 8, size = m->type->size, at = 0;
	struct type other;
	uint64_t id;

	/* The unit of its own type that C puts it into, wherever possible. */
	if (size && bytes <= size) {
		at = low / size * size;
		if (low + bytes <= at + size && at + size <= struct_size)
			goto place;
	}
	/* Else the least that covers it, moved back where it would reach beyond the end. */
	for (size = 1; size < 8 && size < bytes; size *= 2)
		;
	at = low;
	if (at + size > struct_size && size <= struct_size && low + bytes <= struct_size)
		at = struct_size - size;
place:
	m->offset = at;
	m->shift = bit - 8 * at;
	other = *m->type;
	other.size = size;
	/* Nine bytes, or nonsense: nothing that can be read at once. */
	if (m->bits > 64 || m->shift + m->bits > 8 * size || (other.class != CLASS_INT && other.class != CLASS_ENUM))
		other.class = CLASS_OTHER;
	if (other.size == m->type->size && other.class == m->type->class)
		return;
	id = types_id(&other) | (other.class == CLASS_OTHER ? 16 : size) << 56;
	if (other.source)
		m->type = types_make(ts, other.source, id, &other);
	else
		m->type = types_own(ts, &other);
}

struct member_search {
	struct types *ts;
	const char *name;		/* NULL: all are offered to near */
	struct near *near;
	struct type_member *found;
	bool done;
	uint64_t base;
	unsigned int deep, seen;
};

static void search_members(struct member_search *s, const struct type *t);

static bool see_member(void *arg, const struct type_member *m)
{
	struct member_search *s = arg;

	if (++s->seen > MEMBERS_MAX)
		return false;
	if (m->name && s->name && strcmp(m->name, s->name) == 0) {
		*s->found = *m;
		s->found->offset += s->base;
		s->found->type = types_complete(s->ts, m->type, false);
		s->done = true;
		return false;
	}
	if (m->name && s->near)
		near_offer(s->near, m->name, strlen(m->name));
	if (!m->name && (m->type->class == CLASS_STRUCT || m->type->class == CLASS_UNION) && s->deep < MEMBERS_DEEP) {
		s->base += m->offset;
		s->deep++;
		search_members(s, m->type);
		s->deep--;
		s->base -= m->offset;
	}
	return !s->done && s->seen <= MEMBERS_MAX;
}

static void search_members(struct member_search *s, const struct type *t)
{
	t = types_complete(s->ts, t, true);
	if ((t->class == CLASS_STRUCT || t->class == CLASS_UNION) && source_of(t) && source_of(t)->members)
		source_of(t)->members(s->ts, t, see_member, s);
}

bool types_member(struct types *ts, const struct type *t, const char *name, struct type_member *m)
{
	struct member_search s = { .ts = ts, .name = name, .found = m };

	search_members(&s, t);
	return s.done;
}

void types_near_members(struct types *ts, const struct type *t, struct near *near)
{
	struct member_search s = { .ts = ts, .near = near };

	search_members(&s, t);
}

struct below_search {
	struct types *ts;
	const char *name;
	unsigned int distance;		/* of the best so far */
	char *path;
};

static bool see_outer(void *arg, const struct type_member *m)
{
	struct below_search *s = arg;
	bool pointer = m->type->class == CLASS_POINTER;
	const struct type *t = pointer ? types_target(s->ts, m->type) : m->type;
	struct type_member inner;
	struct near near;

	if (!m->name || (t->class != CLASS_STRUCT && t->class != CLASS_UNION))
		return true;
	near_begin(&near, s->name);
	/* Behind a pointer only the very name: there are too many. */
	if (pointer && types_member(s->ts, t, s->name, &inner))
		near_offer(&near, inner.name, strlen(inner.name));
	else if (!pointer)
		types_near_members(s->ts, t, &near);
	if (near.count && near.distance[0] < s->distance) {
		free(s->path);
		s->path = mem_printf("%s%s%s", m->name, pointer ? "->" : ".", near.name[0]);
		s->distance = near.distance[0];
	}
	return true;
}

char *types_near_below(struct types *ts, const struct type *t, const struct near *near)
{
	struct below_search s = { .ts = ts, .name = near->word, .distance = near->count ? near->distance[0] : ~0U };

	t = types_complete(ts, t, true);
	if (source_of(t) && source_of(t)->members)
		source_of(t)->members(ts, t, see_outer, &s);
	return s.path;
}

/* ---- enumerators ---- */

struct values {
	struct type_enumerator *e;
	unsigned int count, room;
};

static bool keep_value(void *arg, const struct type_enumerator *e)
{
	struct values *v = arg;

	for (unsigned int i = 0; i < v->count && i < ENUMERATOR_OTHERS; i++)
		if (v->e[i].value == e->value)
			return true;
	if (v->count < ENUMERATOR_OTHERS)
		v->e[v->count] = *e;
	v->count++;
	return true;
}

unsigned int types_enumerator(struct types *ts, const char *name, const char *module,
			      struct type_enumerator e[ENUMERATOR_OTHERS])
{
	struct values v = { .e = e };
	struct types_unit *where[3];

	look_in(ts, module, where);
	for (unsigned int i = 0; where[i]; i++)
		where[i]->source->enumerator(ts, where[i], name, keep_value, &v);
	return v.count;
}

void types_near_enumerators(struct types *ts, struct near *near)
{
	best_unit(ts, NULL);
	for (struct types_unit *u = ts->units; u; u = u->next)
		if (u->state && u->source->near_enumerators)
			u->source->near_enumerators(ts, u, near);
}

static bool keep_enumerator(void *arg, const struct type_enumerator *e)
{
	struct values *v = arg;

	v->e = mem_more(v->e, v->count, sizeof(*v->e));
	v->e[v->count++] = *e;
	return true;
}

const struct type_enumerator *types_enumerators(struct types *ts, const struct type *t, unsigned int *count)
{
	struct values v = {};
	struct types_node *n;

	t = types_complete(ts, t, true);
	n = node_of(t);
	if (!n->enumerators && t->class == CLASS_ENUM && source_of(t) && source_of(t)->enumerators) {
		source_of(t)->enumerators(ts, t, keep_enumerator, &v);
		n->enumerators = types_room(ts, (v.count + 1) * sizeof(*v.e));
		n->enumerator_count = v.count;
		if (v.count)
			memcpy(n->enumerators, v.e, v.count * sizeof(*v.e));
		free(v.e);
	}
	*count = n->enumerator_count;
	return n->enumerators;
}

/* ---- functions, tracepoints, variables ---- */

/*
 * Before pahole 1.25 the first function of a name became the one of that name in BTF; from then on it leaves out names
 * whose functions differ. The kernel's configuration says which it was built with.
 */
static bool btf_leaves_out(struct types *ts)
{
	static const char *const paths[] = { "/boot/config-%r", "/lib/modules/%r/config", NULL };
	const char *version = "CONFIG_PAHOLE_VERSION=";
	const char *at;
	char *path, *text;

	if (ts->leaves_out)
		return ts->leaves_out > 0;
	path = kernel_file(ts->kernel, paths);
	text = path ? text_of_file(path, NULL) : NULL;
	at = text ? strstr(text, version) : NULL;
	ts->leaves_out = at && atoi(at + strlen(version)) >= 125 ? 1 : -1;
	free(text);
	free(path);
	return ts->leaves_out > 0;
}

/* Whether several functions bear this name. */
static bool is_several(struct types *ts, const char *module, const char *name)
{
	unsigned int i, seen = 0;

	for (i = ts->symbols ? symbols_first(ts->symbols, name) : NONE; i != NONE; i = symbols_next(ts->symbols, i)) {
		const struct symbol *y = &ts->symbols->symbols[i];

		seen += symbols_is_function(y) && symbols_same_module(y->module, module);
	}
	return seen > 1;
}

bool types_function(struct types *ts, const char *module, const char *name, uint64_t address, struct prototype *p)
{
	bool only_dwarf;

	module = module_name(ts, module);
	only_dwarf = is_several(ts, module, name) && !btf_leaves_out(ts);
	for (unsigned int i = 0; i < SOURCES; i++) {
		struct types_unit *u = only_dwarf && sources[i] == &types_btf ? NULL : unit(ts, sources[i], module);

		*p = (struct prototype){};
		if (u && u->source->function && u->source->function(ts, u, name, address, p))
			return true;
	}
	return false;
}

bool types_tracepoint(struct types *ts, const char *module, const char *name, struct prototype *p)
{
	for (unsigned int i = 0; i < SOURCES; i++) {
		struct types_unit *u = unit(ts, sources[i], module);

		*p = (struct prototype){};
		if (u && u->source->tracepoint && u->source->tracepoint(ts, u, name, p))
			return true;
	}
	return false;
}

const struct type *types_variable(struct types *ts, const char *module, const char *name, bool *per_cpu)
{
	const struct type *t = NULL;

	*per_cpu = false;
	for (unsigned int i = 0; i < SOURCES && !t; i++) {
		struct types_unit *u = unit(ts, sources[i], module);

		if (u && u->source->variable)
			t = u->source->variable(ts, u, name, per_cpu);
	}
	return t ? types_complete(ts, t, true) : NULL;
}

/* ---- what only DWARF knows ---- */

unsigned int types_variables(struct types *ts, const char *module, const char *name, struct variable_seen *seen, unsigned int room)
{
	struct types_unit *u = unit(ts, &types_dwarf, module);
	unsigned int count = u ? types_dwarf_variables(ts, u, name, seen, room) : 0;

	for (unsigned int i = 0; i < count; i++)
		seen[i].type = types_complete(ts, seen[i].type, true);
	return count;
}


enum local_state types_local(struct types *ts, const char *module, const struct code_place *at, const char *name,
			     const struct type **type, struct locate *locate)
{
	struct types_unit *u = unit(ts, &types_dwarf, module);

	return u ? types_dwarf_local(ts, u, at, name, type, locate) : LOCAL_ABSENT;
}

void types_near_locals(struct types *ts, const char *module, const struct code_place *at, struct near *near)
{
	struct types_unit *u = unit(ts, &types_dwarf, module);

	if (u)
		types_dwarf_near_locals(ts, u, at, near);
}

unsigned int types_lines(struct types *ts, const char *module, const char *file, unsigned int line,
			 struct code_place **places, unsigned int *nearest)
{
	struct types_unit *u = unit(ts, &types_dwarf, module);

	*places = NULL;
	*nearest = 0;
	return u ? types_dwarf_lines(ts, u, file, line, places, nearest) : 0;
}

unsigned int types_inlined_beside(struct types *ts, const char *module, const char *name, uint64_t address,
				  struct code_place **places)
{
	struct types_unit *u = unit(ts, &types_dwarf, module);

	*places = NULL;
	return u ? types_dwarf_inlined_beside(ts, u, name, address, places) : 0;
}

unsigned int types_inlines(struct types *ts, const char *module, const char *name, struct code_place **places)
{
	struct types_unit *u = unit(ts, &types_dwarf, module);

	*places = NULL;
	return u ? types_dwarf_inlines(ts, u, name, places) : 0;
}

const char *types_file_of(struct types *ts, const char *module, const char *function, uint64_t address)
{
	struct types_unit *u = unit(ts, &types_dwarf, module);

	return u ? types_dwarf_file_of(ts, u, function, address, false) : NULL;
}

const char *types_file_of_twin(struct types *ts, const char *module, const char *function, uint64_t address)
{
	struct types_unit *u = unit(ts, &types_dwarf, module);

	return u ? types_dwarf_file_of(ts, u, function, address, true) : NULL;
}
