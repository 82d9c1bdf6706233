/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ksyms.h: addresses in the running kernel by name, from /proc/kallsyms.
 */
#ifndef KM_KSYMS_H
#define KM_KSYMS_H

#include <stdbool.h>

#include <linux/types.h>

struct ksyms;

/* The table in `text` (lines as in /proc/kallsyms), which now belongs to it. */
struct ksyms *ksyms_parse(char *text);
void ksyms_free(struct ksyms *k);

/*
 * "vfs_read", "vfs_read+0x1c", "nft_do_chain+0x12 [nf_tables]", to be freed; NULL where no symbol is near. `returned`:
 * it is where a call returns to, which may be the byte behind the end of a function that ends in a call.
 */
char *ksyms_name(const struct ksyms *k, __u64 address, bool returned);

/* Where the symbol begins that @address lies in; itself, where none is near. */
__u64 ksyms_start(const struct ksyms *k, __u64 address);

/*
 * The running kernel's, read at the first call and kept. Without the right to see addresses (kptr_restrict) it is empty.
 * Modules that are loaded later are not in it.
 */
const struct ksyms *ksyms_running(void);

/* Another table in its place: for tests. */
void ksyms_replace(struct ksyms *k);

#endif /* KM_KSYMS_H */
