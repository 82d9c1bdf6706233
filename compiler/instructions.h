/* SPDX-License-Identifier: GPL-2.0 */
/*
 * instructions.h: where instructions of x86-64 begin in a function's bytes.
 */
#ifndef KM_INSTRUCTIONS_H
#define KM_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether @offset, below @size, is inside one of the instructions that begin at @code: then *before and *after are where it
 * and the next one begin. False too where that cannot be told: behind bytes that are no instruction, and in those calls,
 * jumps and NOPs that the kernel may replace by shorter ones when it boots.
 */
bool instructions_inside(const void *code, size_t size, uint64_t offset, uint64_t *before, uint64_t *after);

/*
 * Where ftrace calls from at the beginning of a function at @address: a call of @fentry, or a NOP as long, which the kernel
 * replaces by nothing shorter; behind an ENDBR, where there is one. Of a module both are 0: the call's target is not filled in
 * yet. -1: there is none.
 */
#define CALL_SITE_BYTES	5
#define ENDBR_BYTES	4
int instructions_call_site(const void *code, size_t size, uint64_t address, uint64_t fentry);

#endif /* KM_INSTRUCTIONS_H */
