/* SPDX-License-Identifier: GPL-2.0 */
/* nf_tables.S: a module with functions, one that allows no probe, one that runs at load time, a variable. */
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
