// SPDX-License-Identifier: GPL-2.0
/*
 * btf.c: joins the BTF of object files as pahole does for a kernel, and adds what gcc 12 cannot say.
 *
 *	btf OUT FILE.o ...		the kernel's own
 *	btf -b BASE OUT FILE.o ...	a module's, on top of BASE
 *
 * OUT is the bytes of a .BTF section.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "btf: %s\n", what);
	exit(1);
}

/* Enums of 64 bits and of all of 32, and a function that takes one; a function whose pointer is marked as the user's. */
static void add_extra(struct btf *btf)
{
	int name, pointer, proto, wide, letter = btf__find_by_name_kind(btf, "char", BTF_KIND_INT);

	need(letter > 0, "no type char");
	wide = btf__add_enum64(btf, "wide", 8, false);
	need(wide > 0 && btf__add_enum64_value(btf, "WIDE_LOW", 1) == 0 &&
	     btf__add_enum64_value(btf, "WIDE_HIGH", 1ULL << 40) == 0, "enum64");
	proto = btf__add_func_proto(btf, 0);
	need(proto > 0 && btf__add_func_param(btf, "w", wide) == 0, "prototype");
	need(btf__add_func(btf, "take_wide", BTF_FUNC_GLOBAL, proto) > 0, "function");
	need(btf__add_enum(btf, "highest", 4) > 0 && btf__add_enum_value(btf, "HIGHEST", UINT32_MAX) == 0, "enum");
	name = btf__add_type_tag(btf, "user", letter);
	pointer = btf__add_ptr(btf, name);
	proto = btf__add_func_proto(btf, 0);
	need(name > 0 && pointer > 0 && proto > 0 && btf__add_func_param(btf, "from", pointer) == 0, "tagged");
	need(btf__add_func(btf, "take_user", BTF_FUNC_GLOBAL, proto) > 0, "function");
}

/* gcc 12 does not say that an enum is signed, as pahole does. */
static void mark_signed(struct btf *btf)
{
	for (unsigned int id = 1; id < btf__type_cnt(btf); id++) {
		struct btf_type *t = (struct btf_type *)btf__type_by_id(btf, id);

		for (int i = 0; btf_is_enum(t) && i < btf_vlen(t); i++)
			if (btf_enum(t)[i].val < 0)
				t->info |= 1U << 31;
	}
}

/* Before version 14 gcc's BTF had the dimensions of int[3][4] in the wrong order. */
static void order_dimensions(struct btf *btf)
{
#if __GNUC__ < 14
	for (unsigned int id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id), *inner;
		struct btf_array *outer;
		__u32 count;

		if (!btf_is_array(t) || !btf_is_array(btf__type_by_id(btf, btf_array(t)->type)))
			continue;
		outer = (struct btf_array *)btf_array(t);
		inner = btf__type_by_id(btf, outer->type);
		count = outer->nelems;
		outer->nelems = btf_array(inner)->nelems;
		((struct btf_array *)btf_array(inner))->nelems = count;
	}
#endif
}

int main(int argc, char **argv)
{
	const char *base_path = argc > 2 && strcmp(argv[1], "-b") == 0 ? argv[2] : NULL;
	struct btf *base = base_path ? btf__parse_raw(base_path) : NULL, *btf;
	int first = base_path ? 3 : 1;
	const void *bytes;
	__u32 size;
	FILE *f;

	need(argc > first + 1, "btf [-b BASE] OUT FILE.o ...");
	need(!libbpf_get_error(base), "cannot read the base");
	btf = base ? btf__new_empty_split(base) : btf__new_empty();
	need(!libbpf_get_error(btf), "no memory");
	for (int i = first + 1; i < argc; i++) {
		struct btf *one = btf__parse_elf(argv[i], NULL);

		need(!libbpf_get_error(one) && btf__add_btf(btf, one) > 0, argv[i]);
		btf__free(one);
	}
	if (!base) {
		mark_signed(btf);
		order_dimensions(btf);
		add_extra(btf);
	}
	need(btf__dedup(btf, NULL) == 0, "dedup");
	bytes = btf__raw_data(btf, &size);
	f = fopen(argv[first], "wb");
	need(bytes && f && fwrite(bytes, size, 1, f) == 1 && fclose(f) == 0, "cannot write");
	btf__free(btf);
	btf__free(base);
	return 0;
}
