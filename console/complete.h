/* SPDX-License-Identifier: GPL-2.0 */
/*
 * complete.h: kmeter complete INDEX WORD...: what the INDEX-th word of a command line (0: the command itself) may become, for the
 * shells' completion (packaging/completion). Words come as the program would get them, without the shell's quotes; the INDEX-th, of
 * which there may be none yet, as far as it is typed. Lines on stdout:
 *
 *	CANDIDATE TAB DESCRIPTION	the whole word; where more may follow in the same word (`--color=`, `tp:sched:`) it ends in =, :, / or (
 *	TAB files N [ENDING...]		the shell's own files, in place of what follows the first N bytes of the word
 *	TAB folders N			likewise
 *	TAB command N			the words from the N-th on are a command of their own
 *
 * It needs no root, loads, builds and fetches nothing, and writes nothing to stderr. The first tracepoint of a kernel has the index of its modules
 * made (compiler/index.h).
 */
#ifndef KM_COMPLETE_H
#define KM_COMPLETE_H

/* @argv: INDEX and the words. KM_OK, or KM_USAGE where INDEX is none. */
int complete(int argc, char **argv);

#endif /* KM_COMPLETE_H */
