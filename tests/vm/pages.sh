# SPDX-License-Identifier: GPL-2.0
# pages.sh: the commands of the pages, in the guest, one after the other, while it works: run by pages.t, which made run/N
# (the command) and run/N.wants (how many reports it shows; 1: as many or more) and reads "ok N" or "not ok N" and comments.

export LC_ALL=C.UTF-8 COLUMNS=120 TIME=1 NS=1000000 PATH=/tmp/bin:$PATH
mkdir -p /tmp/bin /tmp/w
# What readers have and a guest has not.
for program in make; do
	printf '#!/bin/sh\nfind /usr >/dev/null; sleep 0.3\n' >/tmp/bin/$program
	chmod +x /tmp/bin/$program
done
printf '#!/bin/sh\nexec "$@"\n' >/tmp/bin/sudo
printf '#!/bin/sh\ncat\n' >/tmp/bin/jq
chmod +x /tmp/bin/*
# Files, a file that is not there, processes, signals, pipes, a connection over the loopback device, a disk.
work() {
	ifconfig lo 127.0.0.1 up 2>/dev/null
	while :; do
		dd if=/dev/urandom of=/tmp/w/x bs=4k count=8 2>/dev/null
		md5sum /tmp/w/x >/dev/null
		cat /nowhere 2>/dev/null
		cat /sys/kernel/debug/nowhere 2>/dev/null
		sh -c 'kill -0 $$' 2>/dev/null
		(usleep 20000; echo late) | cat >/dev/null
		(echo hello | nc -l -p 5555 >/dev/null 2>&1 & usleep 50000; echo there | timeout 1 nc 127.0.0.1 5555 >/dev/null 2>&1) 2>/dev/null
		if [ -d /mnt/disk/lost+found ]; then
			dd if=/dev/zero of=/mnt/disk/x bs=4k count=2 2>/dev/null
			sync -f /mnt/disk/x 2>/dev/null
		fi
		usleep 250000
	done
}
work & worker=$!

cd run
ln -sf /lib/modules/*/updates/kstats.ko .
n=1
while [ -e $n ]; do
	read -r reports least <$n.wants
	read -r before _ </proc/uptime
	# The runtime takes a second to come, to go and to find its floors: whoever does not want to see just that finds it loaded.
	case $(cat $n) in
	*insmod*) rmmod kstats 2>/dev/null ;;
	*kmeter\ run*) modprobe -q kstats ;;
	esac
	timeout 60 sh $n >out 2>err </dev/null
	status=$?
	bad=
	[ $status = 0 ] || bad="status $status"
	! grep -v '^find: /proc' err | grep -qE 'error|warning|not found|annot|No such' || bad="$bad, a complaint"
	got=$(grep -c '^  hits [0-9]' out)
	[ $got = $reports ] || { [ $reports -gt 0 ] && [ $least = 1 ] && [ $got -ge $reports ]; } || [ $reports = 0 ] ||
		bad="$bad, $got reports of $reports"
	# hits 1,027 = recorded 1,020 + in flight 7
	sed -n 's/,//g; s/^  hits \([0-9]*\) = \(.*\)/\1 \2/p' out |
		awk '{ sum = 0; for (i = 2; i <= NF; i++) if ($i ~ /^[0-9]+$/) sum += $i; if (sum != $1) exit 1 }' ||
		bad="$bad, the accounting does not hold"
	if [ -z "$bad" ]; then
		echo "ok $n"
	else
		echo "not ok $n"
		echo "# ${bad#, }"
		sed 's/^/# /' out | tail -n 30
		sed 's/^/# err: /' err | tail -n 20
	fi
	read -r after _ </proc/uptime
	[ $((${after%.*} - ${before%.*})) -lt 3 ] || echo "# it took $((${after%.*} - ${before%.*})) s: $(head -c 100 $n)"
	n=$((n + 1))
done
kill $worker
read -r after _ </proc/uptime
echo "# $((n - 1)) commands, ${after%.*} s after the guest was booted"
