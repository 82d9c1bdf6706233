/* SPDX-License-Identifier: GPL-2.0 */
#define _ASM_EXTABLE(from, to)	""
