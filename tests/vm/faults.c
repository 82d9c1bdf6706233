// SPDX-License-Identifier: GPL-2.0
/*
 * faults.c: do one thing again and again, and let another allocation inside it fail each time: the first, the second, ..., until the thing has
 * come to its end and asked for no more (the kernel's fail-nth: Documentation/fault-injection). Run in the guest by faults.sh.
 *
 *	faults STEP load MODULE.ko			load it; where that succeeds, unload it
 *	faults STEP [-u FILE TEXT] write FILE TEXT	write TEXT to FILE; where that succeeds, -u undoes it
 *	faults STEP read FILE
 *
 * Of the allocations every STEP-th fails, from one by chance on (1: each).
 *
 * Prints "N failed F survived S": N allocations failed, the thing failed in F of these cases, and succeeded in S in spite of it. What
 * must not be, an errno that no failing allocation explains, ends it with status 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *undo_file, *undo_text;

static int fail_nth;

static void arm(int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	if (pwrite(fail_nth, text, len, 0) != len) {
		perror("fail-nth");
		exit(2);
	}
}

/* What is left of the count: 0, the fault was injected. */
static int disarm(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) < 0) {
		perror("fail-nth");
		exit(2);
	}
	arm(0);
	return atoi(text);
}

static int put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

static int load(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return errno;
	if (syscall(SYS_finit_module, fd, "", 0))
		err = errno;
	close(fd);
	return err;
}

/* The newest module's name. */
static bool unload(void)
{
	char name[128];
	FILE *f = fopen("/proc/modules", "r");
	bool good = f && fscanf(f, "%127s", name) == 1;

	if (f)
		fclose(f);
	return good && syscall(SYS_delete_module, name, O_NONBLOCK) == 0;
}

static int take(const char *file)
{
	static char bytes[1 << 16];
	int fd = open(file, O_RDONLY), err = 0;
	ssize_t n;

	if (fd < 0)
		return errno;
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		;
	if (n < 0)
		err = errno;
	close(fd);
	return err;
}

int main(int argc, char **argv)
{
	unsigned int n, step, failed = 0, survived = 0;

	step = argc > 1 ? atoi(argv[1]) : 0;
	if (step < 1)
		return 2;
	srand(getpid());
	argv++;
	argc--;
	if (argc > 3 && strcmp(argv[1], "-u") == 0) {
		undo_file = argv[2];
		undo_text = argv[3];
		argv += 3;
		argc -= 3;
	}
	if (argc < 3)
		return 2;
	fail_nth = open("/proc/self/fail-nth", O_RDWR);
	if (fail_nth < 0) {
		perror("/proc/self/fail-nth");
		return 2;
	}
	for (n = 1 + rand() % step; ; n += step) {
		bool loads = strcmp(argv[1], "load") == 0;
		int err, left;

		arm(n);
		err = loads ? load(argv[2]) : argc > 3 ? put(argv[2], argv[3]) : take(argv[2]);
		left = disarm();
		if (err && err != ENOMEM && err != ENOENT && err != EINVAL && err != EAGAIN && err != ENOSPC) {
			printf("%u: %s\n", n, strerror(err));
			return 1;
		}
		if (left && err) {
			printf("%u: %s, where nothing was made to fail\n", n, strerror(err));
			return 1;
		}
		if (!err && loads && !unload()) {
			printf("%u: loaded, but cannot be unloaded: %s\n", n, strerror(errno));
			return 1;
		}
		if (!err && undo_file) {
			err = put(undo_file, undo_text);
			if (err) {
				printf("%u: cannot be undone: %s\n", n, strerror(err));
				return 1;
			}
		}
		if (left)
			break;
		*(err ? &failed : &survived) += 1;
	}
	printf("%u failed %u survived %u\n", failed + survived, failed, survived);
	return 0;
}
