// SPDX-License-Identifier: GPL-2.0
/*
 * serve.c: kmeter serve. A look at the measurements for each scrape, or now and then for the file; nothing is done between.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "compiler/progress.h"
#include "console/http.h"
#include "console/ksyms.h"
#include "console/refuse.h"
#include "console/say.h"
#include "console/serve.h"
#include "console/served.h"
#include "console/session.h"

#define SECOND	1000000000ULL

/* What is served, to the thread of the server and to this one; one at a time looks. */
static struct served *served;
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

/* All of it, in memory of its own: nothing is held while it is sent. */
static void *metrics(enum accept_form form, size_t *size)
{
	struct exposition e;
	char *text;
	void *body;
	FILE *out;

	pthread_mutex_lock(&looking);
	served_look(served);
	served_expose(served, form == ACCEPT_PROTOBUF, &e);
	pthread_mutex_unlock(&looking);
	if (form == ACCEPT_PROTOBUF) {
		body = exposition_protobuf(&e, size);
	} else {
		out = open_memstream(&text, size);
		exposition_text(out, &e, form == ACCEPT_OPENMETRICS ? EXPOSITION_OPENMETRICS : EXPOSITION_PROMETHEUS, true);
		fclose(out);
		body = text;
	}
	exposition_free(&e);
	return body;
}

/* Whoever reads the file sees it as it was, or as it is, and never half. */
static bool write_textfile(const char *path)
{
	char *new = say_text("%s.XXXXXX", path), *text;
	bool good = false;
	size_t size;
	FILE *out;
	int fd;

	text = metrics(ACCEPT_TEXT, &size);
	fd = mkostemp(new, O_CLOEXEC);
	out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (out) {
		good = fwrite(text, 1, size, out) == size;
		good &= !fchmod(fd, 0644);
		good &= !fclose(out);
		good = good && !rename(new, path);
	}
	if (!good) {
		say_error("%s: %s", path, strerror(errno));
		if (fd >= 0)
			unlink(new);
	}
	free(text);
	free(new);
	return good;
}

/* A service manager that waits for it is told, as sd_notify(3) says. */
static void notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (!path || strlen(path) >= sizeof(to.sun_path))
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	strcpy(to.sun_path, path);
	if (*path == '@')
		to.sun_path[0] = 0;
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to, offsetof(struct sockaddr_un, sun_path) + strlen(path)) < 0)
		say_note("%s could not be told that kmeter serves: %s", path, strerror(errno));
	close(fd);
}

static void tell(const struct options *o, const struct http *h)
{
	if (h)
		say_note("serving %s/metrics, at most %u buckets a histogram, %zu groups a measurement", http_url(h), o->buckets, o->groups);
	if (h && http_exposed(h) && !o->token_file)
		say_note("whoever reaches this machine can read what is measured, names of commands and files included (--token-file FILE asks for a token)");
	else if (h && http_exposed(h) && !o->tls_cert)
		say_note("the token travels in the clear (--tls-cert FILE --tls-key FILE encrypt)");
	if (o->textfile)
		say_note("writing %s, which everybody can read, every %g s, at most %u buckets a histogram, %zu groups a measurement", o->textfile,
			 (double)o->interval_ns / SECOND, o->buckets, o->groups);
}

int serve(const struct options *o)
{
	struct served_options what = { .file = o->nfiles ? o->files[0] : NULL, .names = o->names, .nnames = o->nnames, .buckets = o->buckets,
				       .groups = o->groups };
	struct http_options how = { .listen = o->listen, .cert_file = o->tls_cert, .key_file = o->tls_key, .token_file = o->token_file,
				    .metrics = metrics };
	struct http *h = NULL;
	uint64_t next = UINT64_MAX;
	int status = KM_OK;

	if (!what.file && !refuse_unless_ready(false))
		return KM_KERNEL;
	progress_allow(false);
	session_begin();
	if (!what.file)
		ksyms_running();
	served = served_new(&what);
	if (what.file && !served_look(served))
		status = KM_USAGE;
	if (status == KM_OK && o->textfile && !write_textfile(o->textfile))
		status = KM_USAGE;
	if (status == KM_OK && o->listen)
		status = http_start(&how, &h);
	if (status == KM_OK) {
		tell(o, h);
		notify("READY=1");
		if (o->textfile)
			next = session_now() + o->interval_ns;
		while (session_wait(next, NULL) == SESSION_TIME) {
			write_textfile(o->textfile);	/* what fails now may be well the next time */
			next = session_now() + o->interval_ns;
		}
		notify("STOPPING=1");
		if (o->textfile)
			unlink(o->textfile);	/* it would go on to say what is no longer looked at */
	}
	http_stop(h);
	served_free(served);
	return status;
}
