# SPDX-License-Identifier: GPL-2.0
# guard.sh: what takes too much of a CPU is stopped, keeps what it has counted, and says so; what does not, is left alone. Run in the guest by
# `tests/vm/suite`.

. ./tap.sh
P=/sys/module/kstats/parameters/guard

overload() { sed -n 's/^# overload //p' $K/$1; }
state() { sed -n 's/^# state //p' $K/$1; }
# The flood calls as fast as it can: what measures each call takes most of the time there is.
flood() { run flood 0 & flood=$!; }
halt() { run halt 0; wait $flood; }
stopped_within() {	# NAME SECONDS
	i=0
	until [ "$(state $1)" = stopped ] || [ $i -ge $(($2 * 10)) ]; do usleep 100000; i=$((i + 1)); done
	[ "$(state $1)" = stopped ]
}

insmod kstats.ko && insmod kmeter_test.ko && insmod scripts/come.ko
ok $? "kstats.ko, the test module and a script are loaded"
is "$(cat $P)" 25 "a measurement may take a quarter of a CPU"
echo 1 >$P	# emulated processors get less of their time for calls than real ones
echo "trace kmeter_flooded" >$K/_control; ok $? "another measures the same function by what costs more"
echo "trace vfs_open" >$K/_control

flood
stopped_within kmeter_flooded 60; ok $? "under a flood of calls the dearer is stopped"
halt
set -- $(overload kmeter_flooded)
[ $# = 4 ] && [ "$1" -gt 1 ] && [ "$2" -lt $CPUS ] && [ "$3" -gt 0 ] && [ "$4" -gt 0 ]
ok $? "it says so: ${1:-?} % of CPU ${2:-?}, ${3:-?} hits a second of ${4:-?} ns"
# percent is hits times what each takes, but for rounding.
[ $((($1 - 1) * 10000000)) -le $(($3 * $4)) ] && [ $((($1 + 1) * 10000000 + $3)) -ge $(($3 * ($4 - 1))) ]; ok $? "and that is what these come to"
balanced kmeter_flooded; ok $? "its account balances: $(acc kmeter_flooded)"
[ "$(term kmeter_flooded recorded)" -gt 0 ]; ok $? "what it has counted stays"
i=0
until dmesg | grep -q 'kstats: kmeter_flooded: stopped: on CPU' || [ $i -ge 100 ]; do usleep 100000; i=$((i + 1)); done
[ $i -lt 100 ]; ok $? "the log has a line"
is "$(state vfs_open) $(overload vfs_open)" "armed " "what is called seldom is left alone"

# Others may have been stopped, too: here they are all the same.
echo 0 >$P
for name in kmeter_flooded come seen; do [ ! -e $K/$name ] || echo START >$K/$name; done
is "$(overload kmeter_flooded)" "" "started again it is as before"
flood
sleep 4
halt
is "$(state kmeter_flooded) $(state come)" "armed armed" "with guard=0 nothing is stopped"
echo 1 >$P

# Hits that cost nothing but their handlers.
insmod scripts/stacks.ko; ok $? "a script whose handlers cost much"
for name in kmeter_flooded come seen; do [ ! -e $K/$name ] || echo STOP >$K/$name; done
flood
stopped_within stacks 60; ok $? "is stopped"
halt
set -- $(overload stacks)
[ "${4:-0}" -gt 0 ]; ok $? "its hits take ${4:-?} ns each with their handlers"
balanced stacks; ok $? "and its account balances: $(acc stacks)"
while module=$(lsmod | awk '/^km_/ { print $1; exit }') && [ "$module" ]; do rmmod $module; done
remove kmeter_flooded vfs_open
unload_all kmeter_test; ok $? "kstats.ko is unloaded"
plan
