/* SPDX-License-Identifier: GPL-2.0 */
/* nf_tables.S: a module with functions, one that allows no probe, one that runs at load time, a variable. */
	.file	"nf_tables_core.c"
	.text
	.globl	nft_do_chain
	.type	nft_do_chain, @function
nft_do_chain:
	call	nf_helper
	ret
	.type	nft_chain_validate, @function
nft_chain_validate:
	ret
	.type	nft_twin, @function
nft_twin:
	ret
	.type	nft_same, @function
nft_same:
	ret
	.type	nft_untouchable, @function
nft_untouchable:
	ret

	.section .noinstr.text, "ax"
	.type	nft_entry, @function
nft_entry:
	ret

	.section .init.text, "ax"
	.type	nft_init, @function
nft_init:
	ret

	.section _kprobe_blacklist, "a"
	.type	_kbl_addr_nft_untouchable, @object
_kbl_addr_nft_untouchable:
	.quad	nft_untouchable

	.data
	.type	nft_counter, @object
nft_counter:
	.quad	0
	.type	nft_state, @object
nft_state:
	.quad	0

	.section .init.data, "aw"
	.type	nft_start_up, @object
nft_start_up:
	.quad	0

	.section .data..percpu, "aw"
	.type	nft_of_cpu, @object
nft_of_cpu:
	.quad	0
