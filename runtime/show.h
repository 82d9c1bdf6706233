/* SPDX-License-Identifier: GPL-2.0 */
/*
 * show.h: the text form of a measurement.
 */
#ifndef KS_SHOW_H
#define KS_SHOW_H

struct file;
struct inode;
struct kstats_snapshot;

/* Open @file on the copy @h, which is freed when it is released, or at once on failure. */
int ks_show_open(struct inode *inode, struct file *file, struct kstats_snapshot *h);
int ks_show_release(struct inode *inode, struct file *file);

#endif /* KS_SHOW_H */
