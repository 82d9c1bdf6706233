// SPDX-License-Identifier: GPL-2.0
/*
 * refuse.c: the preconditions of loading a module, and explanations of refusals.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "console/refuse.h"
#include "console/say.h"

#define DEBUGFS		"/sys/kernel/debug"
#define DEBUGFS_TYPE	0x64626720

/* The first line of a small file, false when there is none. */
static bool first_line(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return true;
}

/* "none [integrity] confidentiality": the word in brackets, NULL for none or when this kernel has no lockdown. */
static const char *lockdown(char *buf, size_t size)
{
	char *open, *close;

	if (!first_line("/sys/kernel/security/lockdown", buf, size))
		return NULL;
	open = strchr(buf, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		return NULL;
	*close = 0;
	return strcmp(open + 1, "none") ? open + 1 : NULL;
}

static bool debugfs_mounted(void)
{
	struct statfs fs;

	return !statfs(DEBUGFS, &fs) && fs.f_type == DEBUGFS_TYPE;
}

bool refuse_unless_ready(bool insert)
{
	char buf[256];
	const char *mode;

	if (geteuid()) {
		say_error("only root may measure the kernel: run it with sudo");
		say_hint("without root: kmeter check looks at a script, kmeter --guest runs it in a virtual machine");
		return false;
	}
	if (insert && first_line("/proc/sys/kernel/modules_disabled", buf, sizeof(buf)) && !strcmp(buf, "1")) {
		say_error("this system loads no modules until it is rebooted (sysctl kernel.modules_disabled is 1)");
		say_hint("find what sets it at boot (/etc/sysctl.d), or try the script with --guest");
		return false;
	}
	mode = lockdown(buf, sizeof(buf));
	if (mode) {
		say_error("the kernel is locked down (%s), usually for Secure Boot: no debugfs, no unsigned modules",
			  mode);
		say_hint("disable Secure Boot in the firmware, or take lockdown= off the boot line; or use --guest");
		return false;
	}
	if (!debugfs_mounted()) {
		say_error("debugfs is not mounted at " DEBUGFS ", and that is where the results are");
		say_hint("mount -t debugfs debugfs " DEBUGFS);
		return false;
	}
	return true;
}

/* ---- the kernel log ---- */

int refuse_log_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* "4,1234,567890,-;kstats: text\n KEY=value\n" */
const char *refuse_log_text(const char *record, size_t *length)
{
	static const char mark[] = "kstats: ";
	const char *text = strchr(record, ';');

	if (!text || strncmp(++text, mark, sizeof(mark) - 1))
		return NULL;
	text += sizeof(mark) - 1;
	*length = strcspn(text, "\n");
	return text;
}

char *refuse_log_close(int fd)
{
	char record[8192], *all = NULL;

	if (fd < 0)
		return NULL;
	for (;;) {
		ssize_t n = read(fd, record, sizeof(record) - 1);
		const char *text;
		size_t length;

		if (n < 0 && (errno == EPIPE || errno == EINTR))	/* EPIPE: records were overwritten */
			continue;
		if (n <= 0)
			break;
		record[n] = 0;
		text = refuse_log_text(record, &length);
		if (text) {
			char *longer = say_text("%s%s%.*s", all ? all : "", all ? "\n" : "", (int)length, text);

			free(all);
			all = longer;
		}
	}
	close(fd);
	return all;
}

/* ---- insertion ---- */

static void hints(const char *lines)
{
	while (lines && *lines) {
		int n = strcspn(lines, "\n");

		say_hint("%.*s", n, lines);
		lines += n + (lines[n] == '\n');
	}
}

static void refuse_vermagic(const char *path)
{
	struct utsname u;

	uname(&u);
	say_error("%s was built for another kernel than the running one, %s", path, u.release);
	say_hint("build it again from its script: kmeter build -o X.ko SCRIPT.km (the kernel log has both versions)");
}

void refuse_insert(const char *path, const char *name, int err, const char *log)
{
	switch (err) {
	case ENOKEY:
	case EKEYREJECTED:
	case EBADMSG:
		say_error("this kernel loads only modules signed with a key that it trusts (%s)", strerror(err));
		say_hint("boot without module.sig_enforce, disable Secure Boot, or sign it (sign-file, mokutil)");
		return;
	case EPERM:
	case EACCES:
		say_error("the kernel does not let this process load %s: %s", name, strerror(err));
		say_hint("in a container, or under a security policy? run kmeter on the host, or use --guest");
		return;
	case ENOEXEC:
		refuse_vermagic(path);
		return;
	case ESTALE:
		say_error("%s was made for another build of this kernel: structures may differ, so it is not run", path);
		hints(log);
		say_hint("if the kernel was upgraded since the last boot: reboot into it, or install the headers and");
		say_hint("debug files of the build that runs (uname -v), and try again");
		say_hint("if it came from kmeter build: build it again from its script");
		return;
	case EEXIST:
		if (log)
			break;
		say_error("%s is loaded already", name);
		say_hint("kmeter list shows it, kmeter show its numbers; kmeter unload removes it");
		return;
	case ENOENT:
		if (log)
			break;
		say_error("%s does not fit the kernel or the kstats that is loaded: a symbol is missing", path);
		say_hint("kmeter unload --all, then try again; the kernel log (dmesg) names the symbol");
		return;
	}
	/* From the runtime: it says why in the kernel log. */
	say_error("the kernel refused the measurement%s%s", log ? "" : ": ", log ? ":" : strerror(err));
	hints(log);
	if (!log)
		say_hint("the kernel log (dmesg) may say more");
	else if (err == EEXIST)
		say_hint("give it another one with `name \"x\"`, or kmeter unload the one that has it (kmeter list)");
	else if (err == ENOMEM)
		say_hint("fewer `bits` or `entries` need less; they are per CPU");
}

/* ---- removal ---- */

/* Names in /sys/module/NAME/holders, ", " between them, to be freed; NULL when there are none. */
static char *holders(const char *name)
{
	char *path = say_text("/sys/module/%s/holders", name), *all = NULL;
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *longer;

		if (entry->d_name[0] == '.')
			continue;
		longer = say_text("%s%s%s", all ? all : "", all ? ", " : "", entry->d_name);
		free(all);
		all = longer;
	}
	if (dir)
		closedir(dir);
	free(path);
	return all;
}

void refuse_remove(const char *name, int err)
{
	char *by, *path, count[32];

	if (err != EAGAIN && err != EBUSY) {
		say_error("cannot unload %s: %s", name, strerror(err));
		if (err == EPERM)
			say_hint("it takes root, and kernel.modules_disabled must not be 1");
		return;
	}
	by = holders(name);
	path = say_text("/sys/module/%s/refcnt", name);
	say_error("cannot unload %s: it is in use", name);
	if (by)
		say_hint("by the modules %s: unload those first", by);
	else if (first_line(path, count, sizeof(count)) && strcmp(count, "0"))
		say_hint("%s users: a file of it is open, or tasks still sleep in measured functions; try again later",
			 count);
	else
		say_hint("it is being loaded or unloaded just now: try again");
	free(path);
	free(by);
}
