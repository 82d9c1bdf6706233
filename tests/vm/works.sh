# SPDX-License-Identifier: GPL-2.0
# works.sh: workloads for the scripts of the library (library.sh), each small and of its kind. prepare_X is run once before
# work_X, unmeasured. The comment above a work is what the examples in the scripts' heads say of it, as a sentence goes on.
# Sourced by busybox' sh.

# ---- what they are made of ----

disk() {	# NAME ATTRIBUTE=VALUE...: a block device in memory, NAME in /dev
	dir=/sys/kernel/config/nullb/$1
	shift
	grep -q ' /sys/kernel/config ' /proc/mounts || mount -t configfs config /sys/kernel/config
	mkdir "$dir" || return
	for pair in memory_backed=1 size=${SIZE:-512} irqmode=2 "$@"; do
		echo "${pair#*=}" >"$dir/${pair%%=*}" || echo "# ${dir##*/} has no $pair"
	done
	echo 1 >"$dir/power"
	[ -b "/dev/${dir##*/}" ] || ln -s "nullb$(cat "$dir/index")" "/dev/${dir##*/}"	# before 6.1 all are called nullbN
}

# A file system on a disk of its own; requests take 0.2 ms, a flush is one.
mounted() {	# TYPE MKFS...
	type=$1
	shift
	disk "$type" completion_nsec=200000 cache_size=64
	"$@" "/dev/$type" >/dev/null 2>mkfs.err || cat mkfs.err
	mkdir -p "/mnt/$type"
	mount -t "$type" "/dev/$type" "/mnt/$type"
}

# Files on a file system: written, synced, read anew, opened.
files_on() {	# FOLDER
	for i in 1 2 3 4 5 6 7 8; do
		dd if=/dev/zero of="$1/file-$i" bs=16k count=8 conv=fsync status=none
	done
	echo 3 >/proc/sys/vm/drop_caches
	md5sum "$1"/file-* >/dev/null	# by read: cat takes sendfile
	rm "$1"/file-*
}

# ---- files, processes ----

# files: twenty times dd wrote a file, md5sum read it, cat failed to read two others and a process was killed
work_files() {
	mkdir -p /tmp/w
	i=0
	while [ $i -lt 20 ]; do
		dd if=/dev/urandom of=/tmp/w/$i bs=4k count=8 status=none
		cat /tmp/w/$i | md5sum >/dev/null
		cat /nowhere /tmp 2>/dev/null
		sh -c 'kill -0 $$; kill -9 9999999' 2>/dev/null
		sleep 100 & kill $!
		i=$((i + 1))
	done
	PATH=/nowhere:$PATH env true
	# Surely slow, on any machine: a reader whose writer is late, and a writer whose reader is.
	(usleep 50000; echo late) | cat >/dev/null
	dd if=/dev/zero bs=256k count=1 status=none | (usleep 50000; cat >/dev/null)
	rm -rf /tmp/w
}

# processors: twelve loops of shells ran on four CPUs for a second, while others slept now and then
work_processors() {
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		timeout 1 sh -c 'while :; do :; done' &
	done
	i=0
	while [ $i -lt 20 ]; do usleep 20000; i=$((i + 1)); done
	taskset 1 sh -c 'usleep 1000; taskset -p 2 $$ >/dev/null; usleep 1000'
	wait
}

# ---- disks ----

prepare_disk() {
	[ ! -e /dev/slow ] || return 0
	disk slow completion_nsec=2000000 submit_queues=1 hw_queue_depth=2 cache_size=64
	real=$(readlink -f /dev/slow)
	echo mq-deadline >"/sys/block/${real##*/}/queue/scheduler"
	mkfs.ext4 -q -F /dev/slow
	mkdir -p /mnt/slow
	mount -t ext4 /dev/slow /mnt/slow
}
# disk: four dd wrote and read on a disk that takes two requests at once, 2 ms each, with ext4 and syncs
work_disk() {
	for i in 1 2 3 4; do
		dd if=/dev/zero of=/mnt/slow/$i bs=64k count=16 oflag=direct status=none &
	done
	wait
	dd if=/dev/zero of=/mnt/slow/5 bs=4k count=100 conv=fsync status=none
	sync -f /mnt/slow; sync -d /mnt/slow/5; sync
	echo 3 >/proc/sys/vm/drop_caches
	for i in 1 2 3 4; do
		dd if=/mnt/slow/$i of=/dev/null bs=4k iflag=direct count=32 status=none &
	done
	cat /mnt/slow/5 >/dev/null
	wait
}

prepare_ext4() { mounted ext4 mkfs.ext4 -q -F; }
# ext4: eight files on ext4 were written, synced, read anew and removed
work_ext4() { files_on /mnt/ext4; }

prepare_xfs() { mounted xfs mkfs.xfs -q -f; }
# xfs: eight files on XFS were written, synced, read anew and removed
work_xfs() { files_on /mnt/xfs; }

prepare_btrfs() { mounted btrfs mkfs.btrfs -q -f; }
# btrfs: eight files on btrfs were written, synced, read anew and removed
work_btrfs() { files_on /mnt/btrfs; }

prepare_nfs() {
	mkdir -p /srv/nfs /mnt/nfs /var/lib/nfs/v4recovery /var/lib/nfs/rpc_pipefs /proc/fs/nfsd
	mount -t tmpfs srv /srv/nfs
	mount -t nfsd nfsd /proc/fs/nfsd
	echo "nfs 2049/tcp" >>/etc/services
	: >/var/lib/nfs/etab; : >/var/lib/nfs/rmtab; : >/etc/exports
	exportfs -o rw,fsid=0,no_root_squash,insecure,no_subtree_check 127.0.0.1:/srv/nfs
	rpc.mountd -N 3 && rpc.nfsd -N 3 -U 2 || return		# without them a mount waits for ever
	echo Y >/proc/fs/nfsd/v4_end_grace	# of clients of before, for which it waits a minute and a half, there are none
	mount -i -t nfs4 -o addr=127.0.0.1,clientaddr=127.0.0.1,vers=4.1 127.0.0.1:/ /mnt/nfs
}
# nfs: eight files on NFS 4.1, of a server on the same machine, were written, synced, read anew and removed
work_nfs() { files_on /mnt/nfs; }

prepare_dirty() {
	SIZE=256 disk dirty completion_nsec=1000000 submit_queues=1 hw_queue_depth=1
	mkfs.ext4 -q -F /dev/dirty
	mkdir -p /mnt/dirty
	mount -t ext4 /dev/dirty /mnt/dirty
}
# dirty: dd wrote 48 MB to a slow disk with at most 4 MB of dirty pages allowed
work_dirty() {
	bytes=$(cat /proc/sys/vm/dirty_bytes) ratio=$(cat /proc/sys/vm/dirty_ratio)
	echo 4194304 >/proc/sys/vm/dirty_bytes
	dd if=/dev/zero of=/mnt/dirty/x bs=64k count=768 status=none
	rm /mnt/dirty/x
	if [ "$bytes" = 0 ]; then echo "$ratio" >/proc/sys/vm/dirty_ratio; else echo "$bytes" >/proc/sys/vm/dirty_bytes; fi
}

# ---- memory ----

cgroups() {
	[ ! -e /tmp/cgroup/cgroup.procs ] || return 0
	mkdir -p /tmp/cgroup
	mount -t cgroup2 cgroup /tmp/cgroup
	for controller in cpu io memory; do echo +$controller >/tmp/cgroup/cgroup.subtree_control; done
}

prepare_memory() {
	SIZE=2048 disk memory completion_nsec=10000
	cgroups
	mkdir /tmp/cgroup/small
	echo 8M >/tmp/cgroup/small/memory.max
	prepare_disk
	cp /bin/busybox /mnt/slow/
}
megabytes_free() { awk '/^MemFree/ { print int($2 / 1024) }' /proc/meminfo; }
# memory: a program started from a disk, a cgroup of 8 MB read 40 MB, and of full memory more pages of 2 MB were wanted than it had
work_memory() {
	sync; echo 3 >/proc/sys/vm/drop_caches
	/mnt/slow/busybox true
	(sh -c 'echo $PPID' >/tmp/cgroup/small/cgroup.procs
	dd if=/dev/memory of=/dev/null bs=1M skip=1000 count=40 status=none)
	most=$((($(megabytes_free) - 400) / 2))
	echo "$most" >/proc/sys/vm/nr_hugepages	# none of them is touched, so this takes no time
	mkdir -p /tmp/hog
	mount -t tmpfs -o size=100% hog /tmp/hog
	fallocate -l $(($(megabytes_free) - 100))M /tmp/hog/x
	exec 9</dev/memory	# what was read of a device goes when nobody has it open any more
	for i in 1 2 3 4; do
		dd if=/dev/memory of=/dev/null bs=1M skip=$((i * 40)) count=40 status=none &
	done
	wait
	echo $((most + 60)) >/proc/sys/vm/nr_hugepages
	echo 0 >/proc/sys/vm/nr_hugepages
	exec 9<&-
	umount /tmp/hog
	echo 1 >/proc/sys/vm/compact_memory
}

# ---- the network ----

prepare_network() {
	! pidof httpd >/dev/null || return 0
	mkdir -p /tmp/www
	dd if=/dev/urandom of=/tmp/www/x bs=4k count=50 status=none
	httpd -p 80 -h /tmp/www
	ip link set eth0 up 2>/dev/null && ip address add 10.0.2.15/24 dev eth0
}
# network: wget fetched 200 kB over lo ten times, one connection was refused, ping went out by a network card
work_network() {
	for i in 1 2 3 4 5 6 7 8 9 10; do wget -q -O /dev/null http://127.0.0.1/x; done
	echo | nc 127.0.0.1 81 2>/dev/null
	ping -q -c 10 -i 0.01 10.0.2.2 >/dev/null
}

# loss: for two seconds lo lost all, a request and a handshake among it; then wget fetched 200 kB with 5 ms of delay
work_loss() {
	(usleep 200000; echo GET /x; sleep 3) | timeout 3 nc 127.0.0.1 80 >/dev/null 2>&1 &
	usleep 100000
	/usr/local/bin/tc qdisc add dev lo root netem delay 5ms loss 100%
	timeout 3 nc 127.0.0.1 80 </dev/null >/dev/null 2>&1 &
	sleep 2
	/usr/local/bin/tc qdisc change dev lo root netem delay 5ms loss 0%
	timeout 5 wget -q -O /dev/null http://127.0.0.1/x
	wait
	/usr/local/bin/tc qdisc del dev lo root
}
prepare_loss() { prepare_network; }

# ---- the kernel's own ----

# modules: ten times a module was loaded and removed, and a file system mounted and unmounted
work_modules() {
	mkdir -p /tmp/m
	for i in 1 2 3 4 5 6 7 8 9 10; do
		modprobe dummy; rmmod dummy
		mount -t tmpfs m /tmp/m; umount /tmp/m
	done
}

# locks: four dd appended to one file, others wrote to one pipe
work_locks() {
	: >/tmp/l
	for i in 1 2 3 4; do
		dd if=/dev/zero of=/tmp/l bs=64k count=300 oflag=append conv=notrunc status=none &
	done
	wait
	(for i in 1 2 3 4; do dd if=/dev/zero bs=512 count=2000 status=none & done; wait) | cat >/dev/null
	rm /tmp/l
}

# guest: a virtual machine of one CPU halted and wrote to a port, 1,000 times each
work_guest() { exits 1000; }

prepare_cgroup() {
	cgroups
	mkdir /tmp/cgroup/web /tmp/cgroup/batch
	prepare_disk
}
# cgroup: shells of the cgroups web and batch, the latter with half a CPU, ran and wrote to a disk
work_cgroup() {
	echo "50000 100000" >/tmp/cgroup/batch/cpu.max
	for group in web batch; do
		(sh -c 'echo $PPID' >/tmp/cgroup/$group/cgroup.procs
		dd if=/dev/zero of=/mnt/slow/$group bs=16k count=20 oflag=direct status=none
		for i in 1 2 3; do timeout 1 sh -c 'while :; do :; done' & done
		wait) &
	done
	wait
}
