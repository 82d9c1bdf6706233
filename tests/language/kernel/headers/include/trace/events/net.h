/* SPDX-License-Identifier: GPL-2.0 */
/* net.h: events of the small kernel of which no BTF tells. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM net

#if !defined(SMALL_NET_H) || defined(TRACE_HEADER_MULTI_READ)
#define SMALL_NET_H

#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(net_template,
	TP_PROTO(struct sk_buff *skb, int rc, struct net_device *dev, unsigned int skb_len),
	TP_ARGS(skb, rc, dev, skb_len),
	TP_STRUCT__entry(
		__field(unsigned int, len)
		__field(unsigned int, size)
	),
	TP_fast_assign(
		__entry->len = skb_len;
		__entry->size = skb_len;
	),
	TP_printk("%u", __entry->len)
);

DEFINE_EVENT(net_template, net_dev_xmit,
	TP_PROTO(struct sk_buff *skb, int rc, struct net_device *dev, unsigned int skb_len),
	TP_ARGS(skb, rc, dev, skb_len)
);

#endif

#include <trace/define_trace.h>
