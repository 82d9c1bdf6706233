# SPDX-License-Identifier: GPL-2.0
# workload.sh: a machine that is busy with everything at once: what tests/torture measures under. begin_workload, end_workload; each of its loops
# runs until then, most of the time asleep, so that a slow machine gets on with what comes and goes. Sourced by busybox' sh.

loop() {	# COMMAND...: again and again
	while [ ! -e /tmp/workload.over ]; do "$@"; usleep 100000; done >/dev/null 2>&1
}

work_files() {
	mkdir -p /tmp/w/$1/a
	dd if=/dev/urandom of=/tmp/w/$1/f bs=4k count=4
	cat /tmp/w/$1/f | md5sum
	mv /tmp/w/$1/f /tmp/w/$1/a/g
	ln -s a/g /tmp/w/$1/l; ln /tmp/w/$1/a/g /tmp/w/$1/h
	chmod 600 /tmp/w/$1/h; touch /tmp/w/$1/h; stat /tmp/w/$1/l; find /tmp/w/$1; truncate -s 1 /tmp/w/$1/h
	rm -rf /tmp/w/$1
}
work_processes() {
	(exit 3)
	sleep 100 & kill -9 $!; wait $!
	sh -c 'kill -STOP $$; exit 1' & usleep 20000; kill -CONT $!; usleep 20000; kill -9 $!; wait $!
	nice -n 5 true; chrt -f 1 true; taskset 1 true
	cat /nowhere; PATH=/nowhere:$PATH env true
}
work_kernel() {
	cat /proc/self/maps /proc/self/status /proc/meminfo /proc/vmstat /proc/interrupts /proc/slabinfo /proc/net/dev
	cat /sys/kernel/uevent_seqnum; ls -lR /sys/class /proc/self /dev
	mkdir -p /tmp/m; mount -t tmpfs t /tmp/m && { echo >/tmp/m/x; sync; umount /tmp/m; }
	mkdir -p /tmp/cg; mount -t cgroup2 c /tmp/cg && { mkdir /tmp/cg/k; rmdir /tmp/cg/k; umount /tmp/cg; }
	echo 5 >/proc/sys/vm/drop_caches; echo 1 >/proc/sys/vm/compact_memory
}
work_pipes() {
	dd if=/dev/zero bs=64k count=4 | dd bs=1k of=/dev/null
	echo x | (usleep 1000; cat)
	script -q -c true /dev/null
}
work_net() {
	(echo hello | nc -l -p 700$1 >/dev/null) & usleep 20000; echo you | nc -w 1 127.0.0.1 700$1; wait $!
	ping -c 1 -W 1 127.0.0.1
	(usleep 20000; kill $!) 2>/dev/null
}
work_memory() {	# page faults, of a process that grows, and of a file that is mapped
	awk 'BEGIN { for (i = 0; i < 20000; i++) a[i] = i "" i }'
	tapcheck 2>/dev/null; dmesg | tail -n 1
}

begin_workload() {
	rm -f /tmp/workload.over
	for kind in files processes kernel pipes net memory; do
		loop work_$kind 1 & workload="$workload $!"
	done
}
end_workload() { touch /tmp/workload.over; sleep 2; kill -9 $workload 2>/dev/null; wait $workload; workload=; }
workload=
