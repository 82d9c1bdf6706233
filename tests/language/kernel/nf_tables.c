// SPDX-License-Identifier: GPL-2.0
/* nf_tables.c: the types of the module nf_tables: private ones, and the kernel's. */
#include "types.h"

struct nft_chain {
	struct list_head list;
	char *name;
	u8 policy : 4, flags : 4;
};

struct nft_pktinfo {
	struct sk_buff *skb;
	const struct nft_chain *chain;
};

/* Private to this module, though the kernel's structure of this name is another. */
struct gendisk {
	u64 private;
};

unsigned int nft_do_chain(struct nft_pktinfo *pkt, void *priv);
unsigned int nft_do_chain(struct nft_pktinfo *pkt, void *priv)
{
	return 0;
}

static __attribute__((used, noinline)) int nft_chain_validate(const struct nft_chain *chain, struct gendisk *disk)
{
	return 0;
}
