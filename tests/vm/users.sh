# SPDX-License-Identifier: GPL-2.0
# users.sh: what users would write (tests/scripts), all loaded at once on a real kernel under a workload: each counts, and
# each balances. Run in the guest by `tests/vm/suite`.

. ./tap.sh

insmod kstats.ko
insmod scripts/users.ko
ok $? "the scripts load"
dmesg | grep kstats: | tail -n 3 | sed 's/^/# /'

# Files, processes, signals, pipes, the disk that there is, timers, the loopback device.
work() {	# TIMES
	mkdir -p /tmp/w
	i=0
	while [ $i -lt $1 ]; do
		dd if=/dev/urandom of=/tmp/w/$i bs=4k count=8 2>/dev/null
		cat /tmp/w/$i | md5sum >/dev/null
		cat /nowhere 2>/dev/null
		sh -c 'kill -0 $$; kill -9 9999999' 2>/dev/null
		sleep 100 & kill $!
		sync -f /tmp/w/$i; sync
		i=$((i + 1))
	done
	# What surely takes longer than 10 ms, on any machine: a reader of a pipe whose writer is late, a writer of a full one.
	(usleep 50000; echo late) | cat >/dev/null
	dd if=/dev/zero bs=256k count=1 2>/dev/null | (usleep 50000; cat >/dev/null)
	ifconfig lo 127.0.0.1 up 2>/dev/null
	(echo hello | nc -l -p 5555 >/dev/null 2>&1 & sleep 1; echo there | nc 127.0.0.1 5555 >/dev/null 2>&1 & sleep 1; kill $! 2>/dev/null) 2>/dev/null
	rm -rf /tmp/w
}
work 30

all_balance() {
	IFS='
'
	for name in $(ls $K | grep -v '^_'); do
		balanced "$name"; ok $? "$name: the equation holds: $(acc "$name")"
	done
	unset IFS
}
all_balance

# What this workload surely does.
busy() {	# NAME TERM
	[ "$(term "$1" "$2")" -gt 0 ]; ok $? "$1: has $2"
}
busy vfs_read recorded			# argdist
busy vfs_read:return recorded
busy vfs_read.3 recorded		# fileslower: the pipes
busy vfs_write recorded
busy vfs_write.2 recorded		# vfsstat
busy vfs_open recorded
busy syscall:openat:return recorded	# opensnoop: /nowhere
busy syscall:kill:return recorded	# killsnoop
busy tp:signal:signal_generate recorded
busy syscall:sync recorded		# syncsnoop
busy tp:sched:sched_switch recorded	# cpudist
busy tp:sched:sched_wakeup recorded	# runqlat
busy tp:irq:softirq_entry recorded	# softirqs
busy "raise to run" recorded
busy tp:irq:irq_handler_entry recorded	# hardirqs
busy tp:timer:hrtimer_expire_entry recorded
# Where lockdep is, that function has another name, and its script was left out (tests/vm/modules).
if grep -q ' mutex_lock$' /proc/kallsyms; then
	busy mutex_lock recorded	# mutex
	busy held recorded
fi
busy tp:kmem:kmem_cache_alloc recorded	# slab-lifetime

rmmod "$(sed -n 's/^\(km_[0-9a-f]*\) .*/\1/p' /proc/modules)"
ok $? "they are unloaded"

# Patterns of hundreds.
insmod scripts/patterns.ko
ok $? "patterns load"
dmesg | grep kstats: | tail -n 3 | sed 's/^/# /'
work 10
all_balance
busy "vfs_*" recorded			# funccount
busy "tp:*:*" recorded
busy "syscall:*" recorded		# syscount
busy "tp:raw_syscalls:sys_enter" recorded
[ "$(grep -c '^# key point=syscall:' "$K/syscall:*")" -gt 10 ]; ok $? "system calls by their names"
rmmod "$(sed -n 's/^\(km_[0-9a-f]*\) .*/\1/p' /proc/modules)"
ok $? "and are unloaded"

# The examples that come with kmeter.
insmod scripts/examples.ko
ok $? "the examples load"
work 10
all_balance
busy total_forks:8 recorded		# watch/variable
busy value recorded			# watch/values
busy between recorded
busy "vfs_*" recorded			# profile/hits
busy "vfs_*.2" recorded			# profile/time
busy "tp:sched:*" recorded		# count/tracepoints
busy vfs_read recorded			# count/callers
busy vfs_read.2 recorded		# counter/faults
echo STOP >$K/total_forks:8; echo STOP >$K/value	# asking forks
is "$(term total_forks:8 recorded)" "$(term value recorded)" "who writes a variable, and what: as often"
rmmod "$(sed -n 's/^\(km_[0-9a-f]*\) .*/\1/p' /proc/modules)"
ok $? "and are unloaded"
plan
