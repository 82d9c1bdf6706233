// SPDX-License-Identifier: GPL-2.0
/*
 * read.c: the binary form of a measurement (kstats.h), checked and copied into a struct snapshot.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console/read.h"
#include "console/say.h"

enum { CPUS_MOST = 1 << 16 };	/* far beyond what Linux can have */

/* What is left to read; every step is taken through take(). */
struct cursor {
	const unsigned char *at;
	size_t left;
};

/* Copy the next @size bytes, false when there are fewer. */
static bool take(struct cursor *c, void *to, size_t size)
{
	if (size > c->left)
		return false;
	if (size)
		memcpy(to, c->at, size);
	c->at += size;
	c->left -= size;
	return true;
}

static bool split(struct cursor *c, size_t size, struct cursor *first)
{
	if (size > c->left)
		return false;
	*first = (struct cursor){ c->at, size };
	c->at += size;
	c->left -= size;
	return true;
}

static bool terminated(const char *text, size_t size)
{
	return memchr(text, 0, size) != NULL;
}

/* As many words as a key of its type has. */
static bool right_words(const struct kstats_snapshot_by *by)
{
	switch (by->type) {
	case KSTATS_BY_STRING:
		return by->words && by->words <= KSTATS_BY_WORDS;
	case KSTATS_BY_STACK:
		return by->words == KSTATS_STACK_WORDS;
	default:
		return by->type <= KSTATS_BY_CONTAINER && by->words == 1;
	}
}

static const char *check_head(const struct kstats_snapshot *h, size_t size)
{
	__u64 by_words = 0;
	unsigned int i;

	if (h->bytes != size)
		return "its length is not the one that it states: cut short while it was read?";
	if (h->header_bytes < sizeof(*h) || h->header_bytes > size || h->header_bytes % 8)
		return "damaged: length of the header";
	if (h->bits > KSTATS_BITS_MAX && h->bits != KSTATS_BITS_NONE)
		return "damaged: bits";
	if (!h->slots || h->slots > kstats_slots(h->bits) || h->first > kstats_slots(h->bits) - h->slots)
		return "damaged: range of slots";
	if (h->cpus > CPUS_MOST)
		return "damaged: number of CPUs";
	if (h->state > KSTATS_STOPPED_STATE)
		return "damaged: state";
	if (h->nby > KSTATS_BY_MAX || h->by_words > KSTATS_BY_WORDS)
		return "damaged: number of keys";
	if (h->kind > KSTATS_COUNTS)
		return "damaged: kind";
	if (h->form > KSTATS_PROFILE)
		return "damaged: form";
	for (i = 0; i < h->nby; i++) {
		if (!right_words(&h->by[i]) || !terminated(h->by[i].text, sizeof(h->by[i].text)))
			return "damaged: description of a key";
		by_words += h->by[i].words;
	}
	if (by_words != h->by_words)
		return "damaged: length of the keys";
	if (!h->name[0] || !terminated(h->name, sizeof(h->name)))
		return "damaged: name";
	if (h->text_bytes % 8)
		return "damaged: length of the text";
	return NULL;
}

static bool parse_run(struct cursor *c, const struct kstats_snapshot *h, struct snapshot_run *run)
{
	struct kstats_snapshot_run r;
	struct cursor slots;

	if (!take(c, &r, sizeof(r)) || r.cpu >= h->cpus || r.first < h->first || r.first - h->first > h->slots ||
	    r.count > h->slots - (r.first - h->first) || !split(c, r.count * sizeof(struct kstats_slot), &slots))
		return false;
	run->cpu = r.cpu;
	run->first = r.first;
	run->count = r.count;
	run->slot = say_calloc(r.count, sizeof(*run->slot));
	return take(&slots, run->slot, slots.left);
}

static bool parse_part(struct cursor *c, const struct kstats_snapshot *h, struct snapshot_part *part)
{
	struct kstats_snapshot_part p;
	struct cursor own;

	if (c->left < sizeof(p))
		return false;
	memcpy(&p, c->at, sizeof(p));
	if (p.bytes % 8 || !split(c, p.bytes, &own) || !take(&own, &p, sizeof(p)) ||
	    !take(&own, part->key, h->by_words * sizeof(__u64)))
		return false;
	part->squares = (u128)p.squares[1] << 64 | p.squares[0];
	if (p.runs > own.left / sizeof(struct kstats_snapshot_run))	/* a damaged number allocates nothing */
		return false;
	part->runs = say_calloc(p.runs, sizeof(*part->runs));
	while (part->nruns < p.runs)
		if (!parse_run(&own, h, &part->runs[part->nruns++]))
			return false;
	return !own.left;
}

struct snapshot *read_parse(const void *data, size_t size, const char **why)
{
	struct cursor c = { data, size };
	struct snapshot *s = say_calloc(1, sizeof(*s));
	struct kstats_snapshot *h = &s->head;
	struct cursor skipped;

	*why = "cut short, or not a snapshot of kstats";
	if (!take(&c, &h->magic, 16) || h->magic != KSTATS_SNAPSHOT_MAGIC)
		goto bad;
	*why = "the runtime that is loaded writes another version: kmeter unload --all, then measure again";
	if (h->version != KSTATS_VERSION)
		goto bad;
	*why = "cut short";
	if (!take(&c, (char *)h + 16, sizeof(*h) - 16))
		goto bad;
	*why = check_head(h, size);
	if (*why)
		goto bad;
	if (!split(&c, h->header_bytes - sizeof(*h), &skipped))
		goto bad;

	*why = "damaged: length of the text";
	if (h->text_bytes > c.left)
		goto bad;
	s->text = say_calloc(h->text_bytes + 1, 1);
	take(&c, s->text, h->text_bytes);

	*why = "damaged: parts";
	if (h->parts > c.left / sizeof(struct kstats_snapshot_part))
		goto bad;
	s->parts = say_calloc(h->parts, sizeof(*s->parts));
	while (s->nparts < h->parts)
		if (!parse_part(&c, h, &s->parts[s->nparts++]))
			goto bad;
	if (c.left)
		goto bad;
	snapshot_sort(s);
	*why = NULL;
	return s;

bad:
	snapshot_free(s);
	return NULL;
}

/* The whole file, whose size debugfs does not know beforehand. */
static void *slurp(const char *path, size_t *size)
{
	size_t room = 64 << 10;
	char *data = say_calloc(room, 1);
	ssize_t n;
	int fd, err;

	*size = 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		goto failed;
	while ((n = read(fd, data + *size, room - *size)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			goto failed;
		*size += n;
		if (*size == room) {
			room *= 2;
			data = say_realloc(data, room, 1);
		}
	}
	close(fd);
	return data;

failed:
	err = errno;
	if (fd >= 0)
		close(fd);
	free(data);
	errno = err;
	return NULL;
}

struct snapshot *read_snapshot(const char *name, char **why)
{
	char *path = say_text("%s/%s", READ_BINARY, name);
	struct snapshot *s = NULL;
	const char *reason;
	size_t size;
	void *data;

	data = slurp(path, &size);
	if (data)
		s = read_parse(data, size, &reason);
	else
		reason = strerror(errno);
	*why = s ? NULL : say_text("%s: %s", path, reason);
	free(data);
	free(path);
	return s;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **read_names(void)
{
	DIR *dir = opendir(READ_BINARY);
	struct dirent *entry;
	char **names;
	size_t n = 0;

	if (!dir)
		return NULL;
	names = say_calloc(1, sizeof(*names));
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' && (!entry->d_name[1] || !strcmp(entry->d_name, "..")))
			continue;
		names = say_realloc(names, n + 2, sizeof(*names));
		names[n++] = say_strdup(entry->d_name);
	}
	closedir(dir);
	qsort(names, n, sizeof(*names), compare_names);
	names[n] = NULL;
	return names;
}

void read_free_names(char **names)
{
	size_t i;

	for (i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

bool read_exists(const char *name)
{
	char *path = say_text("%s/%s", READ_BINARY, name);
	bool exists = !access(path, F_OK);

	free(path);
	return exists;
}

static int compare_order(const void *a, const void *b)
{
	__u32 x = (*(struct snapshot *const *)a)->head.order, y = (*(struct snapshot *const *)b)->head.order;

	return (x > y) - (x < y);
}

struct snapshot **read_all(size_t *n)
{
	char **names = read_names(), *why;
	struct snapshot **all;
	size_t i;

	for (i = 0; names && names[i]; i++)
		;
	all = say_calloc(i, sizeof(*all));
	*n = 0;
	for (i = 0; names && names[i]; i++) {
		all[*n] = read_snapshot(names[i], &why);
		if (all[*n])
			++*n;
		else
			say_error("%s", why);
		free(why);
	}
	read_free_names(names);
	qsort(all, *n, sizeof(*all), compare_order);
	return all;
}
