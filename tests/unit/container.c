// SPDX-License-Identifier: GPL-2.0
/*
 * container.c: which names of cgroups are containers, and which text means which. Names as docker, podman, containerd, CRI-O, LXC and
 * systemd give them.
 */
#include "console_snap.h"
#include "runtime/container.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void is(const char *name, const char *wanted)
{
	unsigned int from = 0, n = kstats_container(name, strlen(name), &from);
	char got[300];

	snprintf(got, sizeof(got), "%.*s", (int)n, n ? name + from : "");
	is_text(got, wanted, *name ? name : "a name of no letters");
}

static void means(const char *container, const char *text, bool wanted)
{
	ok(kstats_container_is(container, strlen(container), text, strlen(text)) == wanted, "%s %s %s", text, wanted ? "is" : "is not", container);
}

int main(void)
{
	is("docker-" ID ".scope", ID);
	is(ID, ID);
	is(ID ".scope", ID);
	is("libpod-" ID ".scope", ID);
	is("libpod-conmon-" ID ".scope", "");
	is("crio-conmon-" ID ".scope", "");
	is("crio-" ID ".scope", ID);
	is("crio-" ID, ID);
	is("cri-containerd-" ID ".scope", ID);
	is("kubepods-besteffort-podabc.slice:cri-containerd:" ID, ID);
	is("lxc.payload.mine", "mine");
	is("lxc.payload.", "");
	is("lxc.monitor.mine", "");
	is("machine-web.scope", "web");
	is("machine-qemu\\x2d1\\x2dvm.scope", "qemu\\x2d1\\x2dvm");
	is("machine-.scope", "");
	is("machine-web", "");
	is("machine.slice", "");
	is("systemd-nspawn@box.service", "box");
	is("ssh.service", "");
	is("session-1.scope", "");
	is("user@1000.service", "");
	is("kubepods-burstable-pod" "0123456789abcdef0123456789abcdef" ".slice", "");
	is("x" ID, "");
	is(ID "0", "");
	is("docker-0" ID ".scope", "");
	is("docker-" "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef" ".scope", "");
	is("", "");
	is(".scope", "");
	is("/", "");

	means(ID, ID, true);
	means(ID, "0123456789ab", true);
	means(ID, "0123", true);
	means(ID, "012", false);
	means(ID, "0124", false);
	means(ID, ID "0", false);
	means(ID, "", false);
	means("mine", "mine", true);
	means("mine", "min", false);
	means("abcdef", "abcd", false);
	means("mine", "", false);
	return done();
}
