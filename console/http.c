// SPDX-License-Identifier: GPL-2.0
/*
 * http.c: serving by libmicrohttpd, which is loaded only when somebody serves: GnuTLS, which it brings along, would make every start of
 * kmeter half as long again.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "compiler/compile.h"
#include "console/http.h"
#include "console/say.h"

enum {
	CONNECTIONS = 64,	/* at a time, */
	CONNECTIONS_EACH = 32,	/* and of one address: nobody keeps all others out by himself */
	IDLE_SECONDS = 10,	/* of a connection on which nothing moves */
	SECRET_MOST = 64 << 10,	/* a certificate with its chain, at most */
};

struct http {
	struct MHD_Daemon *daemon;
	char *cert, *key, *token, *url;
	bool exposed;
	void *(*metrics)(enum accept_form form, size_t *size);
	char why[256];		/* what the library said last */
};

/* ---- the library ---- */

#define FUNCTIONS(X) \
	X(start_daemon) X(stop_daemon) X(lookup_connection_value) X(create_response_from_buffer) X(add_response_header) \
	X(queue_response) X(destroy_response)

static struct {
#define POINTER(name)	__typeof__(&MHD_##name) name;
	FUNCTIONS(POINTER)
#undef POINTER
} mhd;

static bool load_library(void)
{
	void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
	bool all = library;

#define FIND(name)	all = all && (*(void **)&mhd.name = dlsym(library, "MHD_" #name));
	FUNCTIONS(FIND)
#undef FIND
	if (!all) {
		say_error("serving over HTTP needs libmicrohttpd: %s", dlerror());
		say_hint("Debian: apt-get install libmicrohttpd12 (trixie: libmicrohttpd12t64); or --textfile FILE.prom, which needs none");
	}
	return all;
}

/* ---- who may see it ---- */

/* Takes as long whatever is wrong, so that nobody can guess letter by letter. */
static bool same_secret(const char *given, const char *secret)
{
	size_t length = strlen(given), i;
	unsigned char differ = length != strlen(secret);

	for (i = 0; secret[i]; i++)
		differ |= secret[i] ^ given[length ? i % length : 0];
	return !differ;
}

static bool authorized(const struct http *h, struct MHD_Connection *c)
{
	const char *given = mhd.lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);

	if (!h->token)
		return true;
	if (!given || strncasecmp(given, "Bearer ", 7))
		return false;
	given += 7;
	return same_secret(given + strspn(given, " "), h->token);
}

/* ---- answers ---- */

/* @body of @size bytes in its place; false where that has no memory or is no shorter. */
static bool gzip(void **body, size_t *size)
{
	z_stream z = { 0 };
	unsigned char *packed;
	bool good;

	if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	packed = say_calloc(*size, 1);
	z.next_in = *body;
	z.avail_in = *size;
	z.next_out = packed;
	z.avail_out = *size;
	good = deflate(&z, Z_FINISH) == Z_STREAM_END;
	if (good) {
		free(*body);
		*body = packed;
		*size = z.total_out;
	} else {
		free(packed);
	}
	deflateEnd(&z);
	return good;
}

static enum MHD_Result answer(struct MHD_Connection *c, unsigned int status, struct MHD_Response *r)
{
	enum MHD_Result queued;

	mhd.add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	queued = mhd.queue_response(c, status, r);
	mhd.destroy_response(r);
	return queued;
}

static enum MHD_Result say(struct MHD_Connection *c, unsigned int status, const char *text, const char *header, const char *value)
{
	struct MHD_Response *r = mhd.create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);

	mhd.add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain; charset=utf-8");
	if (header)
		mhd.add_response_header(r, header, value);
	return answer(c, status, r);
}

static enum MHD_Result metrics(const struct http *h, struct MHD_Connection *c)
{
	enum accept_form form = accept_form(mhd.lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT));
	bool packed = accept_gzip(mhd.lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING));
	struct MHD_Response *r;
	size_t size;
	void *body = h->metrics(form, &size);

	packed = packed && gzip(&body, &size);
	r = mhd.create_response_from_buffer(size, body, MHD_RESPMEM_MUST_FREE);
	mhd.add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, accept_types[form]);
	mhd.add_response_header(r, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
	if (packed)
		mhd.add_response_header(r, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	return answer(c, MHD_HTTP_OK, r);
}

/* Called once a request's head is there, then again until it is answered: what is answered at once ends the connection. */
static enum MHD_Result request(void *http, struct MHD_Connection *c, const char *path, const char *method, const char *version,
			       const char *upload, size_t *upload_size, void **state)
{
	const struct http *h = http;

	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "There is nothing here but to be read.\n", MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (!*state || *upload_size) {
		*state = http;
		*upload_size = 0;
		return MHD_YES;
	}
	if (!strcmp(path, "/-/healthy"))
		return say(c, MHD_HTTP_OK, "kmeter is there.\n", NULL, NULL);
	if (!authorized(h, c))
		return say(c, MHD_HTTP_UNAUTHORIZED, "The token is missing, or another.\n", MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"kmeter\"");
	if (!strcmp(path, "/metrics"))
		return metrics(h, c);
	if (!strcmp(path, "/"))
		return say(c, MHD_HTTP_OK, "kmeter " KMETER_VERSION ": its metrics are at /metrics.\n", NULL, NULL);
	return say(c, MHD_HTTP_NOT_FOUND, "There is nothing here; the metrics are at /metrics.\n", NULL, NULL);
}

/* ---- secrets ---- */

/* A file that only its owner and group can read. NULL after saying what is wrong with it. */
static char *read_secret(const char *path, bool secret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = say_calloc(SECRET_MOST + 1, 1);
	struct stat st;
	ssize_t n = -1;

	if (fd >= 0 && !fstat(fd, &st))
		n = read(fd, text, SECRET_MOST + 1);
	if (n < 0) {
		say_error("%s: %s", path, strerror(errno));
	} else if (n > SECRET_MOST || (size_t)n != strlen(text) || !n) {
		say_error("%s: %s", path, !n ? "it is empty" : n > SECRET_MOST ? "more than 64 KB: this is something else" : "it is no text");
		n = -1;
	} else if (secret && st.st_mode & 07) {
		say_error("%s: everybody can read it, so it is no secret", path);
		say_hint("chmod o= %s", path);
		n = -1;
	}
	if (fd >= 0)
		close(fd);
	if (n >= 0)
		return text;
	free(text);
	return NULL;
}

/* One word, as it can stand in a header. */
static bool is_token(char *text)
{
	size_t i;

	for (i = strlen(text); i && strchr(" \t\r\n", text[i - 1]); i--)
		text[i - 1] = 0;
	for (i = 0; text[i] > ' ' && text[i] < 127; i++)
		;
	return i && !text[i];
}

static int read_secrets(struct http *h, const struct http_options *o)
{
	if (o->cert_file) {
		h->cert = read_secret(o->cert_file, false);
		h->key = h->cert ? read_secret(o->key_file, true) : NULL;
		if (!h->key)
			return KM_USAGE;
	}
	if (!o->token_file)
		return KM_OK;
	h->token = read_secret(o->token_file, true);
	if (h->token && !is_token(h->token)) {
		say_error("%s: a token is one line of letters, digits and signs, without blanks", o->token_file);
		return KM_USAGE;
	}
	return h->token ? KM_OK : KM_USAGE;
}

/* ---- the address ---- */

/* "[::1]:9978" into "::1" and "9978"; false where it is not of that form. */
static bool split(char *text, char **address, char **port)
{
	char *colon = strrchr(text, ':');

	if (!colon || colon == text || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1) || atol(colon + 1) > 65535)
		return false;
	*colon = 0;
	*port = colon + 1;
	*address = text;
	if (*text != '[')
		return !strchr(text, ':');
	*address = text + 1;
	if (colon[-1] != ']')
		return false;
	colon[-1] = 0;
	return true;
}

static bool loopback(const struct sockaddr_storage *a)
{
	const struct in6_addr *six = &((const struct sockaddr_in6 *)a)->sin6_addr;

	if (a->ss_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
	return IN6_IS_ADDR_LOOPBACK(six);
}

/* Where it listens, which the kernel chose when the port was 0. */
static void note_address(struct http *h, int fd)
{
	struct sockaddr_storage at;
	socklen_t size = sizeof(at);
	char host[64] = "", port[8] = "";

	getsockname(fd, (struct sockaddr *)&at, &size);
	getnameinfo((struct sockaddr *)&at, size, host, sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	h->url = say_text("%s://%s%s%s:%s", h->cert ? "https" : "http", strchr(host, ':') ? "[" : "", host, strchr(host, ':') ? "]" : "", port);
	h->exposed = !loopback(&at);
}

/* The socket, or -1 after saying why not, with *status. */
static int listen_at(const char *where, int *status)
{
	struct addrinfo wanted = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV }, *found = NULL;
	char *copy = say_strdup(where), *address, *port;
	int fd = -1, err, on = 1;

	*status = KM_USAGE;
	if (!split(copy, &address, &port)) {
		say_error("--listen %s: it is ADDRESS:PORT, such as 127.0.0.1:9978 or [::1]:9978", where);
		goto done;
	}
	err = getaddrinfo(address, port, &wanted, &found);
	if (err) {
		say_error("--listen %s: %s", where, gai_strerror(err));
		goto done;
	}
	*status = KM_KERNEL;
	fd = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) || listen(fd, SOMAXCONN)) {
		say_error("cannot listen at %s: %s", where, strerror(errno));
		if (errno == EADDRINUSE)
			say_hint("another program does (ss -tlnp shows which): end that, or say --listen with another port");
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
done:
	if (found)
		freeaddrinfo(found);
	free(copy);
	return fd;
}

/* ---- begin and end ---- */

static void keep_message(void *http, const char *format, va_list args)
{
	struct http *h = http;

	vsnprintf(h->why, sizeof(h->why), format, args);
	h->why[strcspn(h->why, "\n")] = 0;
	say_detail("%s", h->why);
}

/* Older versions of TLS have known holes. */
static struct MHD_Daemon *start(struct http *h, int fd)
{
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, h->cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, h->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2" },
		{ MHD_OPTION_END, 0, NULL },
	};

	return mhd.start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG | (h->cert ? MHD_USE_TLS : 0), 0, NULL, NULL, request, h,
				MHD_OPTION_EXTERNAL_LOGGER, keep_message, h,
				MHD_OPTION_LISTEN_SOCKET, fd,
				MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS,
				MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned int)CONNECTIONS_EACH,
				MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_SECONDS,
				MHD_OPTION_ARRAY, h->cert ? tls : &tls[3], MHD_OPTION_END);
}

int http_start(const struct http_options *o, struct http **out)
{
	struct http *h = say_calloc(1, sizeof(*h));
	int fd = -1, status;

	*out = NULL;
	h->metrics = o->metrics;
	status = load_library() ? read_secrets(h, o) : KM_USAGE;
	if (status == KM_OK)
		fd = listen_at(o->listen, &status);
	if (fd < 0) {
		http_stop(h);
		return status;
	}
	note_address(h, fd);
	h->daemon = start(h, fd);
	if (!h->daemon) {
		say_error("cannot serve%s: %s", h->cert ? " with this certificate and key" : "", *h->why ? h->why : strerror(errno));
		close(fd);
		http_stop(h);
		return KM_USAGE;
	}
	*out = h;
	return KM_OK;
}

void http_stop(struct http *h)
{
	if (!h)
		return;
	if (h->daemon)
		mhd.stop_daemon(h->daemon);
	free(h->cert);
	free(h->key);
	free(h->token);
	free(h->url);
	free(h);
}

const char *http_url(const struct http *h)
{
	return h->url;
}

bool http_exposed(const struct http *h)
{
	return h->exposed;
}
