// SPDX-License-Identifier: GPL-2.0
/*
 * types_btf.c: types from BTF, the kernel's compact type information: vmlinux's, and modules' split BTF on top of it.
 *
 * What comes out of a file is not trusted: libbpf sees to it that types and their members lie within the data (and
 * check_header() to what it leaves out); ids and names are bound by its accessors; chains of references by TYPES_CHAIN.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols_private.h"
#include "types_private.h"

struct unit {
	struct btf *btf;
	struct btf *distilled;	/* a module's excerpt of vmlinux's types (.BTF.base), which its ids refer to; or NULL */
	uint32_t first, end;	/* the ids of its own */
	uint32_t *heads;	/* hash table over the names of its own types: first id, 0: none */
	uint32_t *next;		/* by id - first: the next one of the same hash, in order of id */
	uint32_t mask;
	bool signs_enums;	/* enums say whether they are signed (pahole 1.24); of a module: vmlinux's */
};

/* A type by its id, in the unit that has it. */
struct spot {
	struct types_unit *u;
	uint32_t id;
	const struct btf_type *t;
};

static struct unit *state(const struct types_unit *u)
{
	return u->state;
}

static const char *name_at(const struct types_unit *u, uint32_t offset)
{
	const char *name = btf__str_by_offset(state(u)->btf, offset);

	return name && *name ? name : NULL;
}

/* ---- the index of names ---- */

static uint32_t hash(const char *name)
{
	uint64_t h = 0;

	for (; *name; name++)
		h = (h + (unsigned char)*name) * 0x9e3779b97f4a7c15ULL;
	return h >> 32;
}

/* libbpf looks for a name by comparing it with each; a script asks for a dozen of them. */
static void index_names(struct unit *n)
{
	uint32_t count = n->end - n->first, size = 16;

	while (size < count)
		size *= 2;
	n->mask = size - 1;
	n->heads = mem_zero(size, sizeof(*n->heads));
	n->next = mem_zero(count + 1, sizeof(*n->next));
	/* Backwards, so that each list is in order. */
	for (uint32_t id = n->end; id-- > n->first;) {
		const struct btf_type *t = btf__type_by_id(n->btf, id);
		const char *name = t->name_off ? btf__str_by_offset(n->btf, t->name_off) : NULL;
		uint32_t slot;

		if (!name || !*name)
			continue;
		slot = hash(name) & n->mask;
		n->next[id - n->first] = n->heads[slot];
		n->heads[slot] = id;
	}
}

/* The first type of this name from @id on (0: from the first); 0: none. @kinds is a set of bits, 1 << BTF_KIND_X. */
static uint32_t find(struct types_unit *u, const char *name, uint32_t kinds, uint32_t id)
{
	struct unit *n = state(u);

	if (!n->heads)
		index_names(n);
	for (id = id ? n->next[id - n->first] : n->heads[hash(name) & n->mask]; id; id = n->next[id - n->first]) {
		const struct btf_type *t = btf__type_by_id(n->btf, id);
		const char *other;

		if (!(kinds & 1U << btf_kind(t)))
			continue;
		other = btf__str_by_offset(n->btf, t->name_off);
		if (other && strcmp(other, name) == 0)
			return id;
	}
	return 0;
}

#define BIT_OF(kind)	(1U << BTF_KIND_##kind)

/* ---- opening ---- */

/* What libbpf (1.1) trusts the header with. */
static bool check_header(const void *data, size_t size)
{
	struct btf_header h;

	if (size < sizeof(h) || size > UINT32_MAX)
		return false;
	memcpy(&h, data, sizeof(h));
	return h.magic == BTF_MAGIC && h.hdr_len >= sizeof(h) && h.hdr_len <= size && h.hdr_len % 4 == 0 &&
	       h.type_off % 4 == 0 && (uint64_t)h.type_off + h.type_len <= h.str_off &&
	       (uint64_t)h.hdr_len + h.str_off + h.str_len <= size;
}

/* libbpf declares btf__new_split() but does not export it: what it exports takes a file. */
static struct btf *new_split(const void *data, size_t size, struct btf *base)
{
	int fd = memfd_create("btf", MFD_CLOEXEC);
	struct btf *btf = NULL;
	char path[32];

	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size)
		btf = btf__parse_raw_split(path, base);
	close(fd);
	return btf;
}

static struct btf *parse(const void *data, size_t size, struct btf *base)
{
	struct btf *btf;

	if (!data || !check_header(data, size))
		return NULL;
	btf = base ? new_split(data, size, base) : btf__new(data, size);
	return libbpf_get_error(btf) ? NULL : btf;
}

static bool signs_enums(const struct unit *n)
{
	for (uint32_t id = n->first; id < n->end; id++) {
		const struct btf_type *t = btf__type_by_id(n->btf, id);

		if (btf_kind(t) == BTF_KIND_ENUM64 || (btf_kind(t) == BTF_KIND_ENUM && btf_kflag(t)))
			return true;
	}
	return false;
}

static void take(struct types_unit *u, struct btf *btf, struct btf *distilled)
{
	struct btf *base = distilled ? distilled : u->vmlinux != u && u->vmlinux ? state(u->vmlinux)->btf : NULL;
	struct unit *n;

	if (!btf) {
		btf__free(distilled);
		return;
	}
	n = mem_zero(1, sizeof(*n));
	n->btf = btf;
	n->distilled = distilled;
	n->first = base ? btf__type_cnt(base) : 1;
	n->end = btf__type_cnt(btf);
	u->state = n;
	n->signs_enums = u->vmlinux == u ? signs_enums(n) : state(u->vmlinux)->signs_enums;
}

/* Of the running kernel, as the kernel itself has it. */
static bool open_running(struct types *ts, struct types_unit *u, struct btf *base)
{
	char *path, *bytes;
	size_t size;

	if (!ts->kernel->running)
		return false;
	path = mem_printf("/sys/kernel/btf/%s", u->module ? u->module : "vmlinux");
	bytes = strchr(path + strlen("/sys/kernel/btf/"), '/') ? NULL : text_of_file(path, &size);
	if (bytes)
		take(u, parse(bytes, size, base), NULL);
	free(bytes);
	free(path);
	return u->state;
}

static void open_vmlinux(struct types *ts, struct types_unit *u)
{
	const struct image *image;
	const void *bytes;
	size_t size = 0;

	if (open_running(ts, u, NULL) || !ts->symbols)
		return;
	image = symbols_image(ts->symbols);
	bytes = image ? image_section(image, BTF_ELF_SEC, &size) : NULL;
	take(u, parse(bytes, size, NULL), NULL);
}

static struct image *module_image(struct types *ts, const char *name)
{
	struct module *module = ts->symbols ? modules_find(ts->symbols, name) : NULL;

	return module ? modules_image(ts->symbols, module) : NULL;
}

static void open_module(struct types *ts, struct types_unit *u)
{
	struct btf *base, *distilled = NULL;
	struct image *image;
	const void *bytes, *base_bytes;
	size_t size = 0, base_size = 0;

	if (!u->vmlinux || !u->vmlinux->state)
		return;
	base = state(u->vmlinux)->btf;
	if (open_running(ts, u, base))
		return;
	image = module_image(ts, u->module);
	if (!image)
		return;
	bytes = image_section(image, BTF_ELF_SEC, &size);
	base_bytes = image_section(image, ".BTF.base", &base_size);
	if (base_bytes)
		distilled = parse(base_bytes, base_size, NULL);
	if (!base_bytes || distilled)
		take(u, parse(bytes, size, distilled ? distilled : base), distilled);
	image_free(image);
}

static int say_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

static void open_unit(struct types *ts, struct types_unit *u)
{
	libbpf_set_print(say_nothing);
	if (u->module)
		open_module(ts, u);
	else
		open_vmlinux(ts, u);
}

static void close_unit(struct types_unit *u)
{
	struct unit *n = state(u);

	if (!n)
		return;
	btf__free(n->btf);
	btf__free(n->distilled);
	free(n->heads);
	free(n->next);
	free(n);
	u->state = NULL;
}

/* ---- ids ---- */

/*
 * A type of a module's excerpt in vmlinux's BTF, by name: that is how the kernel itself does it (btf_relocate).
 * Structures have their sizes in an excerpt where that matters, else they are declared only.
 */
static uint32_t relocate(struct types_unit *vmlinux, struct btf *distilled, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(distilled, id);
	const char *name = t ? btf__str_by_offset(distilled, t->name_off) : NULL;
	uint32_t kind = t ? btf_kind(t) : 0, kinds = 1U << kind, found = 0;

	if (!name || !*name)
		return 0;
	if (kind == BTF_KIND_FWD)
		kinds = btf_kflag(t) ? BIT_OF(UNION) : BIT_OF(STRUCT);
	else if (kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64)
		kinds = BIT_OF(ENUM) | BIT_OF(ENUM64);
	while ((found = find(vmlinux, name, kinds, found))) {
		const struct btf_type *other = btf__type_by_id(state(vmlinux)->btf, found);

		if (kind == BTF_KIND_FWD || !t->size || t->size == other->size)
			return found;
	}
	return 0;
}

/* Find the type behind an id of @u. False: there is none; *s with id 0 is void. */
static bool go(struct types_unit *u, uint32_t id, struct spot *s)
{
	struct unit *n = state(u);

	if (id && id < n->first && u->vmlinux != u) {
		if (n->distilled) {
			id = relocate(u->vmlinux, n->distilled, id);
			if (!id)
				return false;
		}
		u = u->vmlinux;
	}
	*s = (struct spot){ u, id, btf__type_by_id(state(u)->btf, id) };
	return s->t;
}

static bool is_qualifier(const struct btf_type *t)
{
	unsigned int kind = btf_kind(t);

	return kind == BTF_KIND_CONST || kind == BTF_KIND_VOLATILE || kind == BTF_KIND_RESTRICT ||
	       kind == BTF_KIND_TYPE_TAG;
}

/* Through qualifiers and, with @typedefs, through typedefs. */
static bool peel(struct types_unit *u, uint32_t id, bool typedefs, struct spot *s)
{
	for (unsigned int n = 0; n < TYPES_CHAIN && go(u, id, s); n++) {
		if (!s->id || !(is_qualifier(s->t) || (typedefs && btf_kind(s->t) == BTF_KIND_TYPEDEF)))
			return true;
		u = s->u;
		id = s->t->type;
	}
	return false;
}

/* The type itself, without its typedefs. */
static bool bare(const struct type *t, struct spot *s)
{
	return peel((struct types_unit *)t->source, types_id(t), true, s) && s->id;
}

/* ---- types ---- */

static bool tagged_user(struct types_unit *u, uint32_t id)
{
	struct spot s;

	for (unsigned int n = 0; n < TYPES_CHAIN && go(u, id, &s) && s.id && is_qualifier(s.t); n++) {
		const char *tag = btf_kind(s.t) == BTF_KIND_TYPE_TAG ? name_at(s.u, s.t->name_off) : NULL;

		if (tag && strcmp(tag, "user") == 0)
			return true;
		u = s.u;
		id = s.t->type;
	}
	return false;
}

/* False where the size of the element cannot be told, or what it comes to is no size of anything. */
static bool array_size(struct spot s, uint64_t *size)
{
	*size = 1;
	for (unsigned int n = 0; n < TYPES_CHAIN; n++) {
		uint64_t times;

		if (!s.id)
			return false;
		switch (btf_kind(s.t)) {
		case BTF_KIND_ARRAY:
			times = btf_array(s.t)->nelems;
			break;
		case BTF_KIND_PTR:
			return !__builtin_mul_overflow(*size, 8, size);
		case BTF_KIND_INT:
		case BTF_KIND_FLOAT:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
			return !__builtin_mul_overflow(*size, s.t->size, size) && *size <= UINT32_MAX;
		default:
			return false;
		}
		if (__builtin_mul_overflow(*size, times, size) || !peel(s.u, btf_array(s.t)->type, true, &s))
			return false;
	}
	return false;
}

static bool enum_signed(const struct spot *s)
{
	const struct btf_enum *e = btf_enum(s->t);

	if (btf_kind(s->t) == BTF_KIND_ENUM64 || state(s->u)->signs_enums)
		return btf_kflag(s->t);
	for (unsigned int i = 0; i < btf_vlen(s->t); i++)
		if (e[i].val < 0)
			return true;
	return false;
}

static bool power(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void describe(const struct spot *s, struct type *t)
{
	t->name = name_at(s->u, s->t->name_off);
	switch (btf_kind(s->t)) {
	case BTF_KIND_INT:
		t->size = s->t->size;
		t->class = power(t->size) ? CLASS_INT : CLASS_OTHER;
		t->is_signed = btf_int_encoding(s->t) & BTF_INT_SIGNED;
		t->is_bool = btf_int_encoding(s->t) & BTF_INT_BOOL;
		t->is_char = t->size == 1 && !t->is_bool;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		t->class = power(s->t->size) ? CLASS_ENUM : CLASS_OTHER;
		t->size = btf_vlen(s->t) ? s->t->size : 0;
		t->is_signed = enum_signed(s);
		break;
	case BTF_KIND_PTR:
		t->class = CLASS_POINTER;
		t->size = 8;
		t->is_user = tagged_user(s->u, s->t->type);
		break;
	case BTF_KIND_ARRAY:
		t->class = array_size(*s, &t->size) ? CLASS_ARRAY : CLASS_OTHER;
		t->count = btf_array(s->t)->nelems;
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		t->class = btf_kind(s->t) == BTF_KIND_STRUCT ? CLASS_STRUCT : CLASS_UNION;
		t->size = s->t->size;
		break;
	case BTF_KIND_FWD:
		t->class = btf_kflag(s->t) ? CLASS_UNION : CLASS_STRUCT;
		break;
	case BTF_KIND_FUNC_PROTO:
		t->class = CLASS_FUNCTION;
		break;
	case BTF_KIND_FLOAT:
		t->class = CLASS_OTHER;
		t->size = s->t->size;
		break;
	default:
		t->class = CLASS_OTHER;
		break;
	}
}

static const struct type *node(struct types *ts, struct types_unit *u, uint32_t id)
{
	struct type t = { .class = CLASS_OTHER };
	struct spot outer, inner;
	const struct type *made;

	if (!peel(u, id, false, &outer))
		return types_make(ts, u, id, &t);
	if (!outer.id)
		return types_void(ts);
	made = types_made(ts, outer.u, outer.id);
	if (made)
		return made;
	if (btf_kind(outer.t) == BTF_KIND_TYPEDEF)
		t.alias = name_at(outer.u, outer.t->name_off);
	if (peel(outer.u, outer.id, true, &inner)) {
		if (!inner.id)
			return types_void(ts);
		describe(&inner, &t);
	}
	return types_make(ts, outer.u, outer.id, &t);
}

static const struct type *target(struct types *ts, const struct type *t)
{
	struct spot s;

	if (!bare(t, &s))
		return NULL;
	switch (btf_kind(s.t)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FUNC_PROTO:
		return node(ts, s.u, s.t->type);
	case BTF_KIND_ARRAY:
		return node(ts, s.u, btf_array(s.t)->type);
	default:
		return NULL;
	}
}

/* The width of an integer that has fewer bits than its size: how bit-fields were before members had widths. */
static unsigned int old_bits(struct types_unit *u, uint32_t id, uint64_t *bit)
{
	struct spot s;

	if (!peel(u, id, true, &s) || !s.id || btf_kind(s.t) != BTF_KIND_INT || !power(s.t->size) ||
	    !btf_int_bits(s.t) || btf_int_bits(s.t) >= 8 * s.t->size)
		return 0;
	if (btf_int_encoding(s.t) & BTF_INT_BOOL && !btf_int_offset(s.t))
		return 0;
	*bit += btf_int_offset(s.t);
	return btf_int_bits(s.t);
}

static void members(struct types *ts, const struct type *t, types_member_fn *each, void *arg)
{
	const struct btf_member *list;
	struct spot s;

	if (!bare(t, &s) || !btf_is_composite(s.t))
		return;
	list = btf_members(s.t);
	for (unsigned int i = 0; i < btf_vlen(s.t); i++) {
		struct type_member m = { .name = name_at(s.u, list[i].name_off), .type = node(ts, s.u, list[i].type) };
		uint64_t bit = btf_member_bit_offset(s.t, i);

		m.bits = btf_member_bitfield_size(s.t, i);
		if (!m.bits)
			m.bits = old_bits(s.u, list[i].type, &bit);
		m.offset = bit / 8;
		if (m.bits)
			types_place_bits(ts, &m, bit, s.t->size);
		if (!each(arg, &m))
			return;
	}
}

/* ---- enumerators ---- */

static uint64_t enumerator_at(const struct spot *s, bool is_signed, unsigned int i, uint32_t *name)
{
	if (btf_kind(s->t) == BTF_KIND_ENUM64) {
		*name = btf_enum64(s->t)[i].name_off;
		return btf_enum64_value(&btf_enum64(s->t)[i]);
	}
	*name = btf_enum(s->t)[i].name_off;
	return is_signed ? (uint64_t)(int64_t)btf_enum(s->t)[i].val : (uint32_t)btf_enum(s->t)[i].val;
}

static bool is_enum(const struct btf_type *t)
{
	return btf_kind(t) == BTF_KIND_ENUM || btf_kind(t) == BTF_KIND_ENUM64;
}

static void enumerators(struct types *ts, const struct type *t, types_enumerator_fn *each, void *arg)
{
	struct spot s;
	bool is_signed;

	if (!bare(t, &s) || !is_enum(s.t))
		return;
	is_signed = enum_signed(&s);
	for (unsigned int i = 0; i < btf_vlen(s.t); i++) {
		struct type_enumerator e = { .of = t };
		uint32_t name;

		e.value = (int64_t)enumerator_at(&s, is_signed, i, &name);
		e.name = name_at(s.u, name);
		if (e.name && !each(arg, &e))
			return;
	}
}

/* All enumerators of a unit, in whatever enum; @each gets the enum's spot. */
static void each_enumerator(struct types_unit *u, bool (*each)(void *arg, const struct spot *s, unsigned int i,
							       const char *name), void *arg)
{
	struct unit *n = state(u);

	for (uint32_t id = n->first; id < n->end; id++) {
		struct spot s = { u, id, btf__type_by_id(n->btf, id) };
		bool wide = btf_kind(s.t) == BTF_KIND_ENUM64;

		if (!is_enum(s.t))
			continue;
		for (unsigned int i = 0; i < btf_vlen(s.t); i++) {
			uint32_t offset = wide ? btf_enum64(s.t)[i].name_off : btf_enum(s.t)[i].name_off;
			const char *name = btf__str_by_offset(n->btf, offset);

			if (name && *name && !each(arg, &s, i, name))
				return;
		}
	}
}

struct wanted {
	struct types *ts;
	const char *name;
	types_enumerator_fn *each;
	void *arg;
};

static bool give_enumerator(void *arg, const struct spot *s, unsigned int i, const char *name)
{
	struct wanted *w = arg;
	struct type_enumerator e;
	uint32_t offset;

	if (strcmp(name, w->name) != 0)
		return true;
	e.name = name;
	e.value = (int64_t)enumerator_at(s, enum_signed(s), i, &offset);
	e.of = node(w->ts, s->u, s->id);
	return w->each(w->arg, &e);
}

static void enumerator(struct types *ts, struct types_unit *u, const char *name, types_enumerator_fn *each, void *arg)
{
	each_enumerator(u, give_enumerator, &(struct wanted){ ts, name, each, arg });
}

static bool offer_enumerator(void *arg, const struct spot *s, unsigned int i, const char *name)
{
	near_offer(arg, name, strlen(name));
	return true;
}

static void near_enumerators(struct types *ts, struct types_unit *u, struct near *near)
{
	each_enumerator(u, offer_enumerator, near);
}

/* ---- by name ---- */

/* Sets of kinds: the complete ones, and the ones that only declare. */
static uint32_t kinds_of(enum type_class class, uint32_t *declared)
{
	*declared = 0;
	switch (class) {
	case CLASS_STRUCT:
		*declared = BIT_OF(FWD);
		return BIT_OF(STRUCT);
	case CLASS_UNION:
		*declared = BIT_OF(FWD);
		return BIT_OF(UNION);
	case CLASS_ENUM:
		return BIT_OF(ENUM) | BIT_OF(ENUM64);
	default:
		return BIT_OF(TYPEDEF) | BIT_OF(INT) | BIT_OF(FLOAT);
	}
}

static const struct type *named(struct types *ts, struct types_unit *u, enum type_class class, const char *name)
{
	uint32_t declared, kinds = kinds_of(class, &declared), id = find(u, name, kinds, 0), other = id;
	const struct type *t = NULL;

	if (class == CLASS_ENUM)	/* one without enumerators is a declaration */
		while (other && !btf_vlen(btf__type_by_id(state(u)->btf, other)))
			other = find(u, name, kinds, other);
	id = other ? other : id;
	if (id)
		return node(ts, u, id);
	while (declared && (id = find(u, name, declared, id))) {
		t = node(ts, u, id);
		if (t->class == class)
			return t;
	}
	return NULL;
}

static void near_named(struct types *ts, struct types_unit *u, enum type_class class, struct near *near)
{
	uint32_t declared, kinds = kinds_of(class, &declared);
	struct unit *n = state(u);

	for (uint32_t id = n->first; id < n->end; id++) {
		const struct btf_type *t = btf__type_by_id(n->btf, id);
		const char *name = kinds & 1U << btf_kind(t) ? btf__str_by_offset(n->btf, t->name_off) : NULL;

		if (name && *name)
			near_offer(near, name, strlen(name));
	}
}

/* ---- functions, tracepoints, variables ---- */

/* The prototype @id without its first @skip arguments. */
static bool prototype(struct types *ts, struct types_unit *u, uint32_t id, unsigned int skip, struct prototype *p)
{
	const struct btf_param *params;
	unsigned int count;
	struct spot s;

	if (!go(u, id, &s) || !s.id || btf_kind(s.t) != BTF_KIND_FUNC_PROTO || btf_vlen(s.t) < skip)
		return false;
	params = btf_params(s.t) + skip;
	count = btf_vlen(s.t) - skip;
	*p = (struct prototype){ .result = node(ts, s.u, s.t->type) };
	if (count && !params[count - 1].type && !params[count - 1].name_off) {
		p->variadic = true;
		count--;
	}
	if (count > PROTOTYPE_ARGS)
		return false;
	for (p->nargs = 0; p->nargs < count; p->nargs++) {
		p->args[p->nargs].name = name_at(s.u, params[p->nargs].name_off);
		p->args[p->nargs].type = node(ts, s.u, params[p->nargs].type);
	}
	return true;
}

static bool same_prototype(struct types *ts, const struct prototype *a, const struct prototype *b)
{
	if (a->nargs != b->nargs || a->variadic != b->variadic || !types_same(ts, a->result, b->result))
		return false;
	for (unsigned int i = 0; i < a->nargs; i++) {
		const char *x = a->args[i].name ? a->args[i].name : "", *y = b->args[i].name ? b->args[i].name : "";

		if (strcmp(x, y) != 0 || !types_same(ts, a->args[i].type, b->args[i].type))
			return false;
	}
	return true;
}

/* BTF has no addresses: of functions of one name it can only tell whether they are alike. */
static bool function(struct types *ts, struct types_unit *u, const char *name, uint64_t address, struct prototype *p)
{
	uint32_t first = find(u, name, BIT_OF(FUNC), 0), id = first;
	struct prototype other;

	if (!first || !prototype(ts, u, btf__type_by_id(state(u)->btf, first)->type, 0, p))
		return false;
	while ((id = find(u, name, BIT_OF(FUNC), id)))
		if (!prototype(ts, u, btf__type_by_id(state(u)->btf, id)->type, 0, &other) ||
		    !same_prototype(ts, p, &other))
			return false;
	return true;
}

/*
 * The function __traceiter_NAME(void *data, ...), which calls the callbacks, has the names of the arguments; where it
 * is missing, btf_trace_NAME, a typedef of a pointer to such a callback, has at least the types.
 */
static bool tracepoint(struct types *ts, struct types_unit *u, const char *name, struct prototype *p)
{
	char *iterator = mem_printf("__traceiter_%s", name), *callback = mem_printf("btf_trace_%s", name);
	uint32_t id = find(u, iterator, BIT_OF(FUNC), 0);
	bool found = id && prototype(ts, u, btf__type_by_id(state(u)->btf, id)->type, 1, p);
	struct spot s;

	if (!found) {
		id = find(u, callback, BIT_OF(TYPEDEF), 0);
		found = id && peel(u, id, true, &s) && s.id && btf_kind(s.t) == BTF_KIND_PTR &&
			prototype(ts, s.u, s.t->type, 1, p);
	}
	free(iterator);
	free(callback);
	return found;
}

static bool in_section(struct types_unit *u, const char *section, uint32_t variable)
{
	uint32_t id = 0;

	while ((id = find(u, section, BIT_OF(DATASEC), id))) {
		const struct btf_type *t = btf__type_by_id(state(u)->btf, id);
		const struct btf_var_secinfo *in = btf_var_secinfos(t);

		for (unsigned int i = 0; i < btf_vlen(t); i++)
			if (in[i].type == variable)
				return true;
	}
	return false;
}

static const struct type *variable(struct types *ts, struct types_unit *u, const char *name, bool *per_cpu)
{
	uint32_t id = find(u, name, BIT_OF(VAR), 0);
	const struct type *t;

	if (!id)
		return NULL;
	t = node(ts, u, btf__type_by_id(state(u)->btf, id)->type);
	*per_cpu = in_section(u, ".data..percpu", id);
	while ((id = find(u, name, BIT_OF(VAR), id)))
		if (!types_same(ts, t, node(ts, u, btf__type_by_id(state(u)->btf, id)->type)) ||
		    in_section(u, ".data..percpu", id) != *per_cpu)
			return NULL;
	return t;
}

const struct types_source types_btf = {
	.name = "BTF",
	.open = open_unit,
	.close = close_unit,
	.target = target,
	.members = members,
	.enumerators = enumerators,
	.named = named,
	.near_named = near_named,
	.enumerator = enumerator,
	.near_enumerators = near_enumerators,
	.function = function,
	.tracepoint = tracepoint,
	.variable = variable,
};
