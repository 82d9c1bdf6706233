#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# boot.t: a Debian with the packages, its units enabled, boots under QEMU as
# machines do: kernel, initramfs, systemd. What is in /etc/kmeter.d is measured
# and served before anybody can log in; then booted.sh, which runs in there,
# does what administrators do, and purges the packages. TAP.

cd "$(dirname "$0")/../.." || exit 1
kernel=${KERNEL:-6.1}
self=$PWD/tests/packages/boot.t
if [ "${1-}" = --in ]; then	# on this side, with the Debian in $3: its kernel and disk, to $2
	set -e
	to=$2 root=$3 rel=$4
	export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root
	cp build/deb/*.deb "$root/tmp/"
	chroot "$root" sh -c 'apt-get -qq -y --no-install-recommends install /tmp/*.deb && rm /tmp/*.deb && apt-get clean' >&2
	mkdir "$root/opt/test"
	cp tests/vm/tap.sh tests/packages/booted.sh tests/packages/scrape docs/fleet/boot.yml "$root/opt/test/"
	echo 'measure vfs_read by comm' >"$root/etc/kmeter.d/reads.km"
	echo 'measure no_such_function_of_any_kernel' >"$root/etc/kmeter.d/misfit.km"
	echo 'measure vfs_read by' >"$root/etc/kmeter.d/wrong.km"
	chroot "$root" /etc/kernel/postinst.d/kmeter "$rel" >&2
	(cd "$root/var/cache/kmeter" && ls -d modules/* runtimes/*) >"$root/opt/test/cache"
	# A login waits for user sessions, and these for what kmeter's units say.
	cat >"$root/etc/systemd/system/test-scrape.service" <<-'END'
		[Unit]
		After=kmeter-serve.service
		Before=systemd-user-sessions.service
		[Service]
		Type=oneshot
		ExecStart=/opt/test/scrape
		StandardOutput=tty
		TTYPath=/dev/console
		[Install]
		WantedBy=multi-user.target
	END
	cat >"$root/etc/systemd/system/test-booted.service" <<-'END'
		[Unit]
		After=multi-user.target getty.target
		[Service]
		Type=idle
		ExecStart=/bin/bash /opt/test/booted.sh
		StandardOutput=tty
		StandardError=inherit
		TTYPath=/dev/ttyS1
		[Install]
		WantedBy=graphical.target
	END
	chroot "$root" systemctl enable kmeter-load kmeter-serve test-scrape test-booted >&2
	chroot "$root" systemctl set-default graphical.target >&2
	chroot "$root" sh -c 'echo root:root | chpasswd; : >/etc/fstab; echo booted >/etc/hostname; rm -f /etc/machine-id; touch /etc/machine-id'
	cp "$root/boot/vmlinuz-$rel" "$to/vmlinuz"
	cp "$root/boot/initrd.img-$rel" "$to/initrd"
	cp -ax "$root" "$to/tree"
	PATH=$PATH:/sbin:/usr/sbin
	mke2fs -q -F -t ext4 -E root_owner=0:0 -d "$to/tree" "$to/disk" 3g
	rm -rf "$to/tree"
	exit
fi

[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP only root makes a Debian with files of all owners"; exit; }
. tests/vm/tap.sh
tmp=$(mktemp -d "${TMPDIR:-/tmp}/kmeter-boot.XXXXXX")
qemu=
trap '[ -z "$qemu" ] || kill -KILL "$qemu" 2>/dev/null; rm -rf "$tmp"' EXIT
[ "${KMETER_MADE-}" ] || make -s deb >/dev/null || exit
tests/packages/debian -k "$kernel" -i systemd-sysv,udev,gcc,make,ansible-core "$self" --in "$tmp" || exit

qemu-system-x86_64 -M q35 -cpu max -accel tcg -smp 1 -m 2048 -nodefaults -no-user-config -display none -no-reboot \
	-kernel "$tmp/vmlinuz" -initrd "$tmp/initrd" -drive "file=$tmp/disk,format=raw,if=virtio" \
	-append "root=/dev/vda rw console=ttyS0 quiet loglevel=3 systemd.show_status=0 panic=-1" \
	-serial "file:$tmp/console" -serial "file:$tmp/booted" &
qemu=$!
for ((i = 0; i < ${BOOT_TIME:-900}; i++)); do
	kill -0 $qemu 2>/dev/null || break
	sleep 1
done
kill -0 $qemu 2>/dev/null && echo "# it did not power off in $i s"
tr -d '\r' <"$tmp/console" >"$tmp/lines"
at() { grep -anm1 -- "$1" "$tmp/lines" | cut -d: -f1; }
served=$(at 'kmeter_duration_seconds_bucket{measurement="vfs_read",comm="[^"]*",le="+Inf"} [1-9]')
login=$(at 'booted login:')
[ "$served" ] && [ "$login" ] && [ "$served" -lt "$login" ]
shown $? "the histogram is served before anybody can log in (lines ${served:-none} and ${login:-none} of the console)" <(tail -n 40 "$tmp/lines")
sed -n "s/^/# /p" "$tmp/lines" | grep -a 'le="+Inf"' | head -n 3
tr -d '\r' <"$tmp/booted" | sed -n 's/^\(ok\|not ok\) [0-9]* - /\1 /p; /^#/p' >"$tmp/tap"
while read -r line; do
	case $line in
	'ok '*) ok 0 "${line#ok }" ;;
	'not ok '*) ok 1 "${line#not ok }" ;;
	*) echo "$line" ;;
	esac
done <"$tmp/tap"
grep -q '^1\.\.' "$tmp/booted"
shown $? "all of it was run" <(tail -n 20 "$tmp/booted" "$tmp/lines")
plan
