/* SPDX-License-Identifier: GPL-2.0 */
/* trust.h: who could have written what becomes code of the kernel's. */
#ifndef KM_TRUST_H
#define KM_TRUST_H

#include <sys/types.h>

/*
 * Could others than root, this user and @also write to a file or folder, or put another one in its place? Returns NULL where they could not, else which
 * folder or file is in their hands, and how ("/x: others may write to it"); malloc'ed. Groups of system users, and a user's own, are not others.
 */
char *trust_refuse(const char *path, uid_t also);

/* The same of a folder and all that lies in it. */
char *trust_refuse_folder(const char *path, uid_t also);

#endif /* KM_TRUST_H */
