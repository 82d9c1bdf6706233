// SPDX-License-Identifier: GPL-2.0
/*
 * keys.c: words of a key to text. Names come from the measurement's own lines ("match NUMBER TEXT", "enum KEY VALUE
 * NAME"), from the running kernel's symbols, and for errnos from the table below.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console/keys.h"
#include "console/ksyms.h"
#include "console/say.h"

/* ---- errnos ---- */

#define E(name)	[name] = #name
#define K(number, name)	[number] = name

/* Where two names have one number (EAGAIN, EWOULDBLOCK) the kernel's own choice. */
static const char *const errnos[] = {
	E(EPERM), E(ENOENT), E(ESRCH), E(EINTR), E(EIO), E(ENXIO), E(E2BIG), E(ENOEXEC), E(EBADF), E(ECHILD), E(EAGAIN),
	E(ENOMEM), E(EACCES), E(EFAULT), E(ENOTBLK), E(EBUSY), E(EEXIST), E(EXDEV), E(ENODEV), E(ENOTDIR), E(EISDIR),
	E(EINVAL), E(ENFILE), E(EMFILE), E(ENOTTY), E(ETXTBSY), E(EFBIG), E(ENOSPC), E(ESPIPE), E(EROFS), E(EMLINK),
	E(EPIPE), E(EDOM), E(ERANGE), E(EDEADLK), E(ENAMETOOLONG), E(ENOLCK), E(ENOSYS), E(ENOTEMPTY), E(ELOOP),
	E(ENOMSG), E(EIDRM), E(ECHRNG), E(EL2NSYNC), E(EL3HLT), E(EL3RST), E(ELNRNG), E(EUNATCH), E(ENOCSI),
	E(EL2HLT), E(EBADE), E(EBADR), E(EXFULL), E(ENOANO), E(EBADRQC), E(EBADSLT), E(EBFONT), E(ENOSTR), E(ENODATA), E(ETIME),
	E(ENOSR), E(ENONET), E(ENOPKG), E(EREMOTE), E(ENOLINK), E(EADV), E(ESRMNT), E(ECOMM), E(EPROTO), E(EMULTIHOP),
	E(EDOTDOT), E(EBADMSG), E(EOVERFLOW), E(ENOTUNIQ), E(EBADFD), E(EREMCHG), E(ELIBACC), E(ELIBBAD), E(ELIBSCN),
	E(ELIBMAX), E(ELIBEXEC), E(EILSEQ), E(ERESTART), E(ESTRPIPE), E(EUSERS), E(ENOTSOCK), E(EDESTADDRREQ),
	E(EMSGSIZE), E(EPROTOTYPE), E(ENOPROTOOPT), E(EPROTONOSUPPORT), E(ESOCKTNOSUPPORT), E(EOPNOTSUPP),
	E(EPFNOSUPPORT), E(EAFNOSUPPORT), E(EADDRINUSE), E(EADDRNOTAVAIL), E(ENETDOWN), E(ENETUNREACH), E(ENETRESET),
	E(ECONNABORTED), E(ECONNRESET), E(ENOBUFS), E(EISCONN), E(ENOTCONN), E(ESHUTDOWN), E(ETOOMANYREFS),
	E(ETIMEDOUT), E(ECONNREFUSED), E(EHOSTDOWN), E(EHOSTUNREACH), E(EALREADY), E(EINPROGRESS), E(ESTALE),
	E(EUCLEAN), E(ENOTNAM), E(ENAVAIL), E(EISNAM), E(EREMOTEIO), E(EDQUOT), E(ENOMEDIUM), E(EMEDIUMTYPE), E(ECANCELED),
	E(ENOKEY), E(EKEYEXPIRED), E(EKEYREVOKED), E(EKEYREJECTED), E(EOWNERDEAD), E(ENOTRECOVERABLE), E(ERFKILL),
	E(EHWPOISON),
	/* these stay in the kernel, and no header of user space has them */
	K(512, "ERESTARTSYS"), K(513, "ERESTARTNOINTR"), K(514, "ERESTARTNOHAND"), K(515, "ENOIOCTLCMD"),
	K(516, "ERESTART_RESTARTBLOCK"), K(517, "EPROBE_DEFER"), K(518, "EOPENSTALE"), K(519, "ENOPARAM"),
	K(521, "EBADHANDLE"), K(522, "ENOTSYNC"), K(523, "EBADCOOKIE"), K(524, "ENOTSUPP"), K(525, "ETOOSMALL"),
	K(526, "ESERVERFAULT"), K(527, "EBADTYPE"), K(528, "EJUKEBOX"), K(529, "EIOCBQUEUED"), K(530, "ERECALLCONFLICT"),
	K(531, "ENOGRACE"),
};

static const char *errno_name(int64_t value)
{
	if (value >= 0 || value <= -(int64_t)(sizeof(errnos) / sizeof(*errnos)))
		return NULL;
	return errnos[-value];
}

/* ---- the measurement's own names ---- */

enum { MATCH = KSTATS_BY_MAX };		/* in place of a key's number: a match of the pattern */

struct name {
	unsigned int key;
	__s64 value;
	const char *text;	/* within the snapshot's */
	size_t length;
};

struct keys {
	const struct snapshot *s;
	struct name *name;	/* by key and value */
	size_t n, matches;
};

/* The number at *at, which then is behind it and its blank; false when there is none before `end`. */
static bool number(const char **at, const char *end, __s64 *value)
{
	const char *p = *at;
	char *behind;

	if (p == end || !isdigit((unsigned char)p[*p == '-' && p + 1 < end]))
		return false;
	errno = 0;
	*value = *p == '-' ? strtoll(p, &behind, 10) : (__s64)strtoull(p, &behind, 10);
	if (errno || behind >= end || *behind != ' ')
		return false;
	*at = behind + 1;
	return true;
}

static void add(struct keys *k, __s64 key, __s64 value, const char *text, const char *end)
{
	if (!(k->n & (k->n - 1)))	/* room for 2^i */
		k->name = say_realloc(k->name, k->n ? 2 * k->n : 1, sizeof(*k->name));
	k->name[k->n++] = (struct name){ (unsigned int)key, value, text, end - text };
}

static int compare(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return 0;
}

struct keys *keys_new(const struct snapshot *s)
{
	struct keys *k = say_calloc(1, sizeof(*k));
	const char *at = NULL, *line, *end;
	__s64 key, value;
	size_t length, i;

	k->s = s;
	while ((line = snapshot_line(s, "match", &at, &length))) {
		end = line + length;
		if (number(&line, end, &value) && value >= 0)
			add(k, MATCH, value, line, end);
	}
	at = NULL;
	while ((line = snapshot_line(s, "enum", &at, &length))) {
		end = line + length;
		if (number(&line, end, &key) && key >= 0 && key < KSTATS_BY_MAX && number(&line, end, &value))
			add(k, key, value, line, end);
	}
	if (k->n)
		qsort(k->name, k->n, sizeof(*k->name), compare);
	for (i = 0; i < k->n; i++)
		k->matches += k->name[i].key == MATCH && (!i || compare(&k->name[i], &k->name[i - 1]));
	return k;
}

void keys_free(struct keys *k)
{
	free(k->name);
	free(k);
}

size_t keys_matches(const struct keys *k)
{
	return k->matches;
}

static char *own_name(const struct keys *k, unsigned int key, __s64 value)
{
	struct name wanted = { .key = key, .value = value };
	const struct name *found = k->n ? bsearch(&wanted, k->name, k->n, sizeof(wanted), compare) : NULL;

	return found ? keys_printable(found->text, found->length) : NULL;
}

/* ---- keys ---- */

const __u64 *keys_words(const struct snapshot *s, const struct snapshot_part *part, unsigned int i)
{
	const __u64 *word = part->key;

	while (i)
		word += s->head.by[--i].words;
	return word;
}

static char *symbol(const struct snapshot *s, __u64 address, bool returned)
{
	return s->saved ? snapshot_symbol(s, address, returned) : ksyms_name(ksyms_running(), address, returned);
}

char *keys_name(const struct keys *k, const struct snapshot_part *part, unsigned int i)
{
	__u64 word = *keys_words(k->s, part, i);
	const char *name;

	switch (k->s->head.by[i].type) {
	case KSTATS_BY_ERRNO:
		name = errno_name((int64_t)word);
		return name ? say_text("-%s", name) : NULL;
	case KSTATS_BY_SYMBOL:
	case KSTATS_BY_FUNCTION:
		return word ? symbol(k->s, word, false) : NULL;
	case KSTATS_BY_CGROUP:
		return snapshot_symbol(k->s, word, false);
	case KSTATS_BY_CONTAINER:
		return word ? snapshot_symbol(k->s, word, true) : say_strdup("(none)");
	case KSTATS_BY_ENUM:
		return own_name(k, i, (__s64)word);
	case KSTATS_BY_POINT:
		return own_name(k, MATCH, (__s64)word);
	default:
		return NULL;
	}
}

char *keys_text(const struct keys *k, const struct snapshot_part *part, unsigned int i)
{
	const struct kstats_snapshot_by *by = &k->s->head.by[i];
	const __u64 *word = keys_words(k->s, part, i);
	char *name = keys_name(k, part, i);

	if (name)
		return name;
	switch (by->type) {
	case KSTATS_BY_STRING:
		return keys_printable((const char *)word, strnlen((const char *)word, by->words * sizeof(*word)));
	case KSTATS_BY_S64:
	case KSTATS_BY_ERRNO:
	case KSTATS_BY_ENUM:
		return say_text("%" PRId64, (int64_t)*word);
	case KSTATS_BY_HEX:
	case KSTATS_BY_SYMBOL:
	case KSTATS_BY_FUNCTION:
		return say_text("0x%" PRIx64, (uint64_t)*word);
	case KSTATS_BY_POINT:
		return say_text("match %" PRIu64, (uint64_t)*word);
	case KSTATS_BY_CGROUP:
	case KSTATS_BY_CONTAINER:
		return say_text("(gone: %" PRIu64 ")", (uint64_t)*word);
	default:
		return say_text("%" PRIu64, (uint64_t)*word);
	}
}

void keys_by_function(struct snapshot *s)
{
	unsigned int i;

	if (s->saved || !s->head.nby || s->head.by[0].type != KSTATS_BY_FUNCTION)
		return;
	for (i = 0; i < s->nparts; i++)
		s->parts[i].key[0] = ksyms_start(ksyms_running(), s->parts[i].key[0]);
	snapshot_sort(s);
}

unsigned int keys_frames(const struct snapshot *s, const struct snapshot_part *part, unsigned int i)
{
	const __u64 *word = keys_words(s, part, i);
	unsigned int n = 0;

	while (n < s->head.by[i].words && word[n])
		n++;
	return n;
}

/* The innermost frame may be an address that is executed, the others are returned to. */
char *keys_frame(const struct snapshot *s, const struct snapshot_part *part, unsigned int i, unsigned int frame)
{
	return symbol(s, keys_words(s, part, i)[frame], frame > 0);
}

char *keys_folded(const struct keys *k, const struct snapshot_part *part, unsigned int i)
{
	unsigned int frame;
	char *line, *name, *longer;

	if (k->s->head.by[i].type != KSTATS_BY_STACK)
		return keys_text(k, part, i);
	line = say_strdup("");
	for (frame = keys_frames(k->s, part, i); frame--; ) {
		name = keys_frame(k->s, part, i, frame);
		if (!name)
			name = say_text("0x%" PRIx64, (uint64_t)keys_words(k->s, part, i)[frame]);
		longer = say_text("%s%s%s", line, *line ? ";" : "", name);
		free(name);
		free(line);
		line = longer;
	}
	return line;
}

bool keys_worded(const struct snapshot *s, unsigned int i)
{
	switch (s->head.by[i].type) {
	case KSTATS_BY_STRING:
	case KSTATS_BY_SYMBOL:
	case KSTATS_BY_ENUM:
	case KSTATS_BY_POINT:
	case KSTATS_BY_FUNCTION:
	case KSTATS_BY_CGROUP:
	case KSTATS_BY_CONTAINER:
		return true;
	default:
		return false;
	}
}

/* ---- text ---- */

/* Bytes of the UTF-8 sequence at @p, 0 when it is none or encodes a control character or a surrogate. */
static size_t printable_bytes(const unsigned char *p, size_t left)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *p < 0x80 ? 1 : *p >> 5 == 6 ? 2 : *p >> 4 == 14 ? 3 : *p >> 3 == 30 ? 4 : 0, i;
	unsigned int c;

	if (!n || n > left)
		return 0;
	if (n == 1)
		return *p >= 0x20 && *p != 0x7f;
	c = *p & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	/* C1 controls, surrogates, ends of lines, marks that turn the direction of the line, the end of the code space */
	if (c < least[n] || c < 0xa0 || (c >= 0xd800 && c < 0xe000) || (c >= 0x2028 && c < 0x202f) ||
	    (c >= 0x2066 && c < 0x206a) || c > 0x10ffff)
		return 0;
	return n;
}

char *keys_printable(const char *text, size_t length)
{
	char *out = say_calloc(length * 4 + 1, 1), *to = out;
	size_t i = 0;

	while (i < length) {
		size_t n = printable_bytes((const unsigned char *)text + i, length - i);

		if (n) {
			memcpy(to, text + i, n);
			to += n;
			i += n;
		} else {
			to += sprintf(to, "\\x%02x", (unsigned char)text[i++]);
		}
	}
	return out;
}

/* Behind a cast at the beginning of @text, if that is all that the rest is under: (char *)$x->y, but not ($x) + 1. */
static const char *behind_cast(const char *text)
{
	const char *end = *text == '(' && text[1] != '(' ? strchr(text, ')') : NULL;

	return end && (end[1] == '$' || end[1] == '(') ? end + 1 : text;
}

const char *keys_heading(const struct snapshot *s, unsigned int i, char *heading)
{
	const char *text = s->head.by[i].text, *tail;
	size_t length = strlen(text);

	if (length >= KEYS_HEADING && !strchr(text, '?')) {
		text = behind_cast(text);
		length = strlen(text);
		if (length >= KEYS_HEADING) {
			tail = text + length - (KEYS_HEADING - 3);
			text = tail + strcspn(tail, ".>");	/* the member that begins there */
			text = *text && text[1] ? text + 1 : tail;
			snprintf(heading, KEYS_HEADING, "..%s", text);
			return heading;
		}
	}
	snprintf(heading, KEYS_HEADING, "%.*s", KEYS_HEADING - 1, text);
	return heading;
}
