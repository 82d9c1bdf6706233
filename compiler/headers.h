/* SPDX-License-Identifier: GPL-2.0 */
/*
 * headers.h: what the target kernel's own headers say, as text, of system calls and tracepoints: names and types of
 * arguments, and from which argument a field of an event's record is filled.
 *
 * No compiler is run. A header is read when it is asked about; conditions on CONFIG_ names are decided by the kernel's
 * configuration, other ones are taken both ways. All that is given away lives as long as the struct headers.
 */
#ifndef KM_HEADERS_H
#define KM_HEADERS_H

#include <stdbool.h>

#include "kernel.h"

struct headers;

#define HEADER_ARGS	24

struct header_prototype {
	const char *file;	/* in which it stands, below the kernel's source: "include/linux/syscalls.h" */
	unsigned int nargs;
	struct {
		const char *name;	/* NULL: the declaration names none */
		const char *type;	/* C's words, single blanks, `*` behind one: "const char *", "struct sock *", "u64",
					 * "void (*)(int)"; an array is the pointer that C makes of it. No __user or the like. */
		bool user;		/* a pointer marked __user, or of a system call */
	} args[HEADER_ARGS];
};

/* Opens no file. */
struct headers *headers_new(const struct kernel *kernel);
void headers_free(struct headers *h);

/* Whether the target's headers are installed at all. */
bool headers_there(struct headers *h);

/* The system call @name ("openat", without sys_). False: no header declares it. */
bool headers_syscall(struct headers *h, const char *name, struct header_prototype *p);

/* The arguments of a tracepoint, without the `void *data` of its callbacks. @system: NULL where it is not known. */
bool headers_tracepoint(struct headers *h, const char *system, const char *name, struct header_prototype *p);

/*
 * What the event's code assigns to a field of its record, in terms of the tracepoint's arguments: of sched_switch's
 * next_pid "next->pid". NULL: the event has no such field, or no simple assignment to it. *exists (may be NULL): it has
 * the field.
 */
const char *headers_tracepoint_field(struct headers *h, const char *system, const char *name, const char *field,
				     bool *exists);

#endif /* KM_HEADERS_H */
