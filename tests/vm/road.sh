# SPDX-License-Identifier: GPL-2.0
# road.sh: the whole road on the measured machine itself, compiler included: a guest that is a Debian machine with the build
# packages and the kernel's headers.

. ./tap.sh
kmeter=$TOP/build/kmeter

status() { "$@" >out 2>err; got=$?; cat err; }
processes() { sed -n 's/^processes //p' /proc/stat; }
SCRIPT='measure vfs_write by comm if elapsed >= 0 ; measure from tp:sched:sched_wakeup key tid to tp:sched:sched_switch key tid'

before=$(processes)
status $kmeter -e "$SCRIPT" -c 'dd if=/dev/zero of=/dev/null bs=1 count=50 status=none'
is $got 0 "a script is compiled, loaded and measured here"
grep -q '^  dd  *50 ' out; ok $? "fifty writes by dd"
first=$(($(processes) - before))
before=$(processes)
status $kmeter -e "$SCRIPT" -d 1
second=$(($(processes) - before))
is $got 0 "it runs again"
# Ours here are kmeter, cat and what asks for the number; the kernel may add a worker. kbuild starts dozens.
[ $first -gt 40 ] && [ $second -le 8 ]; ok $? "and starts no compiler then ($first processes, now $second)"
status $kmeter check -e 'measure vfs_red'
is $got 1 "a wrong script: status 1"
grep -q vfs_read err; ok $? "the nearest name of this kernel is offered"
status $kmeter -e 'measure kmeter_nosuch from tp:nosuch' -d 1
is $got 1 "nothing is loaded for it"
$kmeter library >out 2>err
is $? 0 "the library, with this kernel's verdict"
grep -q '^block/latency *runs' out; ok $? "a script that runs here"
grep -A1 '^fs/xfs *no' out | grep -q 'module xfs is not loaded'; ok $? "one whose module is not there"
plan
