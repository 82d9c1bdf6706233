#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# chroot.t: the packages in a fresh Debian: installed, used, removed and purged,
# TAP. Modules are built there, none is loaded.

cd "$(dirname "$0")/../.." || exit 1
self=$PWD/tests/packages/chroot.t
if [ "${1-}" != --in ]; then
	[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP only root makes a Debian with files of all owners"; exit; }
	[ "${KMETER_MADE-}" ] || { make -s deb >/dev/null && make -s -C tests/unit known; } || exit
	exec tests/packages/debian -k "${KERNEL:-6.1}" "$self" --in
fi
root=$2 rel=$3
. tests/vm/tap.sh
version=$(dpkg-parsechangelog -l packaging/debian/changelog -S Version)
in_it() { chroot "$root" "$@"; }
status() { "$@" >"$root/tmp/said" 2>&1; got=$?; }
said() { grep -qE -- "$1" "$root/tmp/said" || { sed 's/^/# /' "$root/tmp/said"; return 1; }; }
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root
get() { in_it apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@"; }

# All that lies there: what kind, whose, to where, and of what may be changed the content. But: what apt and dpkg themselves
# note of each of their runs, and what the loader's and the journals' programs keep.
state() {
	in_it find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /var/log -o -path /var/cache/apt \
		-o -path /var/cache/ldconfig -o -path /var/lib/apt -o -path '/var/lib/dpkg/status*' -o -path '/var/lib/dpkg/lock*' \
		-o -path '/var/lib/dpkg/diversions*' -o -path '/var/lib/dpkg/statoverride*' \) -prune -o -printf '%y %m %u:%g %p -> %l\n' | sort
	in_it dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Version}\n'
	in_it find /etc /var/lib /lib/modules -xdev -type f ! -path '/var/lib/apt/*' ! -path '/var/lib/dpkg/*' -exec md5sum {} + | sort -k 2
}

cp build/deb/*.deb "$root/tmp/"
debs=$(cd "$root" && ls tmp/*.deb | sed 's|^|/|')
# What ours need is there before them, and stays.
get -s install $debs | sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -v '^kmeter' >"$root/tmp/needed"
get install $(cat "$root/tmp/needed") >"$root/tmp/said" 2>&1 || { cat "$root/tmp/said"; exit 1; }
state >"$root/tmp/before"

status get install $debs
shown $got "the three packages are installed" "$root/tmp/said"
is "$(in_it dpkg -V kmeter kmeter-dkms kmeter-library)" "" "with all their files, as they are in the packages"
is "$(find "$root/etc/systemd" -name 'kmeter*')" "" "no unit is enabled by that"
is "$(in_it kmeter -V)" "kmeter $version" "kmeter says its version, the packages' one"

status in_it dpkg -i $debs
shown $got "they may be installed again" "$root/tmp/said"

# ---- DKMS ----
status in_it dkms status
said "kmeter/$version, ${rel//+/.}, x86_64: installed"; ok $? "DKMS has built the runtime for the kernel that is there"
installed=$(in_it modinfo -k "$rel" -n kstats)
is "${installed%.xz}" "/lib/modules/$rel/updates/dkms/kstats.ko" "where modprobe finds it"
status in_it kmeter build --runtime -r "$rel" -o /tmp/kstats.ko
is $got 0 "kmeter builds its own"
is "$(in_it modinfo -k "$rel" -F srcversion kstats) $(in_it modinfo -k "$rel" -F vermagic kstats)" \
	"$(in_it modinfo -F srcversion /tmp/kstats.ko) $(in_it modinfo -F vermagic /tmp/kstats.ko)" "of the same sources, for the same kernel"
in_it objcopy -O binary -j __kcrctab_gpl /tmp/kstats.ko /tmp/own.crcs
case $installed in *.xz) xz -dc "$root$installed" ;; *) cat "$root$installed" ;; esac >"$root/tmp/dkms.ko"
in_it objcopy -O binary -j __kcrctab_gpl /tmp/dkms.ko /tmp/dkms.crcs
[ -s "$root/tmp/own.crcs" ] && cmp "$root/tmp/own.crcs" "$root/tmp/dkms.crcs"; ok $? "with the same versions of what scripts link with"

# ---- kmeter and the library ----
status in_it kmeter check -r "$rel" -e 'measure vfs_read by comm, $file->f_inode->i_ino'
is $got 0 "a script is checked against that kernel"
status in_it kmeter library -r "$rel"
is $got 0 "kmeter library"
said '^block/latency +runs'; ok $? "says which scripts run there"
status in_it kmeter help block/latency
is $got 0 "kmeter help has their pages"
build/tests/unit/known micro >"$root/tmp/micro.json"
status in_it kmeter show /tmp/micro.json
is $got 0 "a saved report is shown"
status in_it kmeter show --html /tmp/x.html /tmp/micro.json
said 'copy build/assets/\* from there to /usr/.*share/kmeter/html'; ok $? "without charts --html says what to do"

# ---- what is loaded at boot is built before ----
echo 'measure vfs_read by comm' >"$root/etc/kmeter.d/reads.km"
echo 'measure no_such_function_of_any_kernel' >"$root/etc/kmeter.d/misfit.km"
echo 'measure vfs_read by' >"$root/etc/kmeter.d/wrong.km"
rm -r "$root/var/cache/kmeter"
status get --reinstall install "linux-image-$rel" "linux-headers-$rel"
shown $got "a kernel's installation is not hindered by scripts that do not fit" "$root/tmp/said"
said "^kmeter: building the scripts of /etc/kmeter.d for ${rel//+/.}"; ok $? "they are built then"
said '2 of 3 scripts .*/etc/kmeter.d/misfit.km, /etc/kmeter.d/wrong.km$'; ok $? "they are named"
said 'misfit.km:1:9: error: no function'; ok $? "with the reason"
status in_it kmeter -v build -r "$rel" -o /tmp/reads.ko /etc/kmeter.d/reads.km
said 'from the cache'; ok $? "and the others lie in the cache"

# ---- away again ----
status get remove kmeter kmeter-dkms kmeter-library
shown $got "the packages are removed" "$root/tmp/said"
[ -e "$root/etc/kmeter.d/reads.km" ] && [ -e "$root/etc/default/kmeter" ]; ok $? "what the administrator wrote stays"
[ ! -e "$root$installed" ]; ok $? "the runtime is gone"
rm "$root"/etc/kmeter.d/*.km
status get purge kmeter kmeter-dkms kmeter-library
is $got 0 "and purged"
state >"$root/tmp/after"
diff "$root/tmp/before" "$root/tmp/after" >"$root/tmp/difference"
shown $? "nothing is left: no file, no package, no change in a file of others" "$root/tmp/difference"
plan
