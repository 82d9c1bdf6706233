// SPDX-License-Identifier: GPL-2.0
/*
 * writes.c: whatever one may write to kstats' files. Run in the guest by writes.sh:
 *
 *	writes SEED N FILE...	N writes, each to one of the files, of what is right, nearly right, or nothing of the kind
 *
 * Prints "N writes A accepted R refused". A write that is neither, or takes a part of what it was given, ends it with status 1. What is right is
 * seldom whole, since it costs milliseconds; measurements that come into being are removed again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t state;

/* xorshift64*: S. Vigna, An experimental exploration of Marsaglia's xorshift generators, scrambled (2016). */
static uint32_t draw(uint32_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1dULL) >> 32) % below;
}

static const char *const words[] = {
	"trace", "remove", "bits", "start", "end", "vfs_read", "kmeter_test:kmeter_test_call", "__tracepoint_sched_switch", "__tracepoint_", "START",
	"STOP", "RESET", "start", "Stop", "rESET", "0", "3", "10", "11", "-1", "4294967296", "18446744073709551616", "0x10", "no_such_function",
	"a:b", ":", "%s%n", "../x", "_control", ".", "..", "\xff\xfe", "\t", "\r", "panic", "kmeter_test_call+4", "$x", "\"", "'", ";",
};

enum { MOST = 5000, NWORDS = sizeof(words) / sizeof(*words) };

static size_t make(char *to)
{
	size_t n = 0, k;

	switch (draw(8)) {
	case 0:		/* bytes */
		n = draw(draw(20) ? 80 : MOST);
		for (k = 0; k < n; k++)
			to[k] = draw(256);
		return n;
	case 1:		/* one byte, often */
		n = draw(draw(20) ? 1100 : MOST);
		memset(to, draw(4) ? 'a' + draw(26) : draw(256), n);
		return n;
	case 2:		/* a word alone, which some files want */
		n = sprintf(to, "%s%s", words[draw(NWORDS)], draw(2) ? "\n" : "");
		break;
	case 3:		/* a number */
		n = sprintf(to, "%s%u%s", draw(8) ? "" : "-", draw(2) ? draw(5000) : draw(UINT32_MAX), draw(2) ? "\n" : "");
		break;
	default:	/* a sentence */
		if (draw(2))
			n = sprintf(to, "%s ", draw(3) ? "trace" : "remove");
		for (k = draw(7); k; k--)
			n += sprintf(to + n, "%s%s", words[draw(NWORDS)], draw(30) ? " " : draw(2) ? "" : "\n");
	}
	if (n && !draw(4))
		to[draw(n)] = draw(256);
	return n;
}

int main(int argc, char **argv)
{
	unsigned long n, accepted = 0, refused = 0, i;
	char text[2 * MOST];

	if (argc < 4)
		return 2;
	state = strtoull(argv[1], NULL, 0) * 2 + 1;
	n = strtoul(argv[2], NULL, 0);
	for (i = 0; i < n; i++) {
		const char *file = argv[3 + draw(argc - 3)];
		int fd = open(file, O_WRONLY);
		size_t length = make(text);
		ssize_t took;

		if (fd < 0) {
			printf("%s: %s\n", file, strerror(errno));
			return 1;
		}
		took = write(fd, text, length);
		if (took >= 0 && (size_t)took != length) {
			printf("%s: took %zd bytes of %zu: %.*s\n", file, took, length, (int)length, text);
			return 1;
		}
		*(took < 0 ? &refused : &accepted) += 1;
		close(fd);
	}
	printf("%lu writes %lu accepted %lu refused\n", n, accepted, refused);
	return 0;
}
