// SPDX-License-Identifier: GPL-2.0
/* console_cgroups.c: keys that are cgroups and containers, of a hierarchy of folders made here: their numbers are the folders' inodes. */
#include <sys/stat.h>
#include <unistd.h>

#include "console/cgroups.h"
#include "console/figures.h"
#include "console/keys.h"
#include "console/say.h"
#include "console_known.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char *const folder[] = {
	"", "/web", "/docker-" ID ".scope", "/docker-" ID ".scope/init", "/docker-" ID ".scope/init/lxc.payload.nested", "/machine.slice",
	"/machine.slice/machine-vm.scope",
};

enum { FOLDERS = sizeof(folder) / sizeof(*folder) };

static char root[] = "/tmp/console_cgroups.XXXXXX";

static __u64 number_of(const char *path)
{
	char *name = say_text("%s%s", root, path);
	struct stat st = { 0 };

	stat(name, &st);
	free(name);
	return st.st_ino;
}

/* A sample or more of each: 1, 2, 4, ... */
static struct snapshot *measured(enum kstats_by_type type)
{
	struct snap *s = known_calls("f", 3);
	unsigned int i;

	snap_by(s, type == KSTATS_BY_CGROUP ? "cgroup" : "container", type, 1);
	s->nparts = FOLDERS + 1;
	for (i = 0; i <= FOLDERS; i++) {
		s->part[i].key[0] = i < FOLDERS ? number_of(folder[i]) : 12345678901234ULL;
		snap_add(s, i, 0, 100, 1u << i);
	}
	return finish(s);
}

static void group_is(const struct snapshot *s, const char *text, unsigned int samples)
{
	struct keys *k = keys_new(s);
	struct figures f;
	unsigned int i, found = 0;

	for (i = 0; i < s->nparts; i++) {
		char *got = keys_text(k, &s->parts[i], 0);

		if (!strcmp(got, text)) {
			figures_of(s, &s->parts[i], &f);
			found += f.total.n;
			figures_free(&f);
		}
		free(got);
	}
	keys_free(k);
	ok(found == samples, "%s: %u of %u", text, found, samples);
}

int main(void)
{
	struct snapshot *s, *late;
	unsigned int i;
	char *path;

	if (!mkdtemp(root))
		return 1;
	for (i = 1; i < FOLDERS; i++) {
		path = say_text("%s%s", root, folder[i]);
		mkdir(path, 0700);
		free(path);
	}
	cgroups_replace(root);

	s = measured(KSTATS_BY_CGROUP);
	ok(cgroups_wanted(s), "keys by cgroup want names");
	cgroups_settle(s);
	ok(s->nparts == FOLDERS + 1, "each stays for itself");
	for (i = 0; i < FOLDERS; i++)
		group_is(s, i ? folder[i] : "/", 1u << i);
	group_is(s, "(gone: 12345678901234)", 1u << FOLDERS);
	snapshot_free(s);

	s = measured(KSTATS_BY_CONTAINER);
	cgroups_settle(s);
	ok(s->nparts == 5, "what is of one container is one group");
	group_is(s, "(none)", 1 + 2 + 32);
	group_is(s, "0123456789ab", 4 + 8);
	group_is(s, "nested", 16);
	group_is(s, "vm", 64);
	group_is(s, "(gone: 12345678901234)", 128);
	snapshot_free(s);

	late = measured(KSTATS_BY_CGROUP);
	for (i = FOLDERS; i--; ) {
		path = say_text("%s%s", root, folder[i]);
		rmdir(path);
		free(path);
	}
	cgroups_settle(late);
	group_is(late, "/web", 2);		/* it is gone, and was seen */
	snapshot_free(late);
	cgroups_replace(root);
	late = finish(known_calls("f", 3));
	ok(!cgroups_wanted(late), "without such keys nothing is looked for");
	cgroups_settle(late);
	snapshot_free(late);
	cgroups_replace(NULL);
	return done();
}
