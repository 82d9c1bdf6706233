// SPDX-License-Identifier: GPL-2.0
/* resolve_cgroup.c: filters by where a task is: cgroup == "/PATH", in_cgroup("/PATH"), container == "NAME". */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "resolve_private.h"
#include "runtime/container.h"

#define MOUNTED	"/sys/fs/cgroup"

static bool is_builtin(const struct operand *o, enum plan_builtin builtin)
{
	return o->e && o->e->kind == PLAN_BUILTIN && o->e->builtin == builtin;
}

bool resolve_is_place(const struct operand *a, const struct operand *b)
{
	return is_builtin(a, PLAN_CONTAINER) || is_builtin(b, PLAN_CONTAINER) ||
	       (is_builtin(a, PLAN_CGROUP) && !b->type) || (is_builtin(b, PLAN_CGROUP) && !a->type);
}

/* The whole text that @e gives, however long; malloc'ed. NULL: it is none. */
static char *whole_text(struct resolve *r, const struct expr *e)
{
	const struct parameter *p = e->kind == EXPR_NAME ? resolve_parameter(r, e->loc, e->name) : NULL;

	if (e->kind == EXPR_STRING)
		return resolve_replace(r, e->string.bytes, e->loc);
	return p && !p->value ? mem_copy(p->text, strlen(p->text)) : NULL;
}

/* "/system.slice/nginx.service"; as a folder of /sys/fs/cgroup, too. */
static char *path_of(struct resolve *r, const struct expr *e)
{
	char *path = whole_text(r, e), *folder;
	const char *part;
	size_t n;

	if (path && strcmp(path, MOUNTED) == 0)
		path[1] = 0;
	else if (path && strncmp(path, MOUNTED "/", strlen(MOUNTED "/")) == 0)
		memmove(path, path + strlen(MOUNTED), strlen(path + strlen(MOUNTED)) + 1);
	n = path ? strlen(path) : 0;
	if (n > 1 && path[n - 1] == '/')
		path[n - 1] = 0;
	for (part = path; part && *part && path[1]; part += 1 + n) {
		n = *part == '/' ? strcspn(part + 1, "/") : 0;
		if (!n || strncmp(part, "/.", n + 1) == 0 || strncmp(part, "/..", n + 1) == 0)
			break;
	}
	if (!path || *path != '/' || (path[1] && *part)) {
		diag_error(r->diag, e->loc, "cgroup", "a cgroup is named by its path in quotes, from the root: \"/system.slice/ssh.service\"");
		free(path);
		return NULL;
	}
	folder = mem_printf(MOUNTED "%s", path);
	if (r->kernel->running && access(MOUNTED "/cgroup.procs", F_OK) == 0 && access(folder, F_OK))
		diag_note(r->diag, e->loc, "cgroup", "there is no cgroup %s now; tasks count once it is there", path);
	free(folder);
	return path;
}

static char *container_of(struct resolve *r, const struct expr *e)
{
	char *name = whole_text(r, e);
	size_t n = name ? strlen(name) : 0;

	if (n && n <= 255 && !strchr(name, '/') && (n >= KSTATS_CONTAINER_LEAST || strspn(name, "0123456789abcdef") < n))
		return name;
	diag_error(r->diag, e->loc, "container", "a container is named by its id, or four of its digits or more, or by its name (of LXC and "
		   "systemd's machines), in quotes");
	free(name);
	return NULL;
}

/* Both operands are freed. */
bool resolve_place(struct resolve *r, const struct expr *e, struct operand *a, struct operand *b, struct operand *o)
{
	bool container = is_builtin(a, PLAN_CONTAINER) || is_builtin(b, PLAN_CONTAINER);
	const struct expr *text = is_builtin(a, PLAN_CONTAINER) || is_builtin(a, PLAN_CGROUP) ? e->op.b : e->op.a;
	char *name;

	resolve_operand_free(a);
	resolve_operand_free(b);
	if (e->op.op != OP_EQ && e->op.op != OP_NE) {
		diag_error(r->diag, e->loc, container ? "container" : "cgroup", "this is compared by == or != with a text%s",
			   container ? "" : ", or as a number with a number");
		return false;
	}
	name = container ? container_of(r, text) : path_of(r, text);
	if (!name)
		return false;
	operand_set_number(r, o, calc_place(name, container, false));
	if (e->op.op == OP_NE)
		operand_set_number(r, o, calc_unary(OP_NOT, o->e));
	return true;
}

bool resolve_in_cgroup(struct resolve *r, const struct expr *e, struct operand *o)
{
	char *path = path_of(r, e);

	if (!path)
		return false;
	operand_set_number(r, o, calc_place(path, false, true));
	return true;
}
