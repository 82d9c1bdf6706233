/* SPDX-License-Identifier: GPL-2.0 */
/*
 * http.h: the metrics over HTTP or HTTPS, to whoever may see them: GET and HEAD, nothing that could be written.
 *
 * One thread answers. What it answers is made whole, then sent: a client that reads slowly holds its own connection and nothing else,
 * and that not for long.
 */
#ifndef KM_HTTP_H
#define KM_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "console/accept.h"

struct http_options {
	const char *listen;		/* ADDRESS:PORT; an IPv6 address in brackets; port 0: any that is free */
	const char *cert_file, *key_file;	/* PEM; both, or neither: no TLS */
	const char *token_file;		/* who does not say what stands there sees nothing; NULL: everybody may */
	void *(*metrics)(enum accept_form form, size_t *size);	/* to be freed; in the server's own thread */
};

struct http;

/* KM_OK, KM_USAGE where a file or an address is bad, KM_KERNEL where the address cannot be had, after saying so. */
int http_start(const struct http_options *o, struct http **out);
void http_stop(struct http *h);

/* "http://127.0.0.1:9978"; is it reached from other machines? */
const char *http_url(const struct http *h);
bool http_exposed(const struct http *h);

#endif /* KM_HTTP_H */
