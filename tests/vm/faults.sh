# SPDX-License-Identifier: GPL-2.0
# faults.sh: of the allocations that loading a script, commands, switches and reading make, every STEP-th (7) is made to fail, one after the
# other (faults.c). The thing fails, or does without; nothing stays of it, the kernel does not complain, and no memory is lost (watched.sh).
# Run in the guest by `tests/vm/suite`, on kernels that can (the debug kernel).

. ./tap.sh
STEP=${STEP:-7}
[ -e /proc/self/fail-nth ] || { echo "1..0 # SKIP this kernel injects no faults"; exit 0; }

for what in failslab fail_page_alloc; do
	echo 0 >$D/$what/verbose		# it would print a stack each time
	echo N >$D/$what/ignore-gfp-wait
done
echo N >$D/fail_page_alloc/ignore-gfp-highmem
echo 0 >$D/fail_page_alloc/min-order

# The kernel tells of memory that it could not have, with a stack, where whoever wants it has not asked it to be silent. All else is a complaint.
grep -v '^Call Trace' complaints >complaints.here
dmesg -n 1
complained() { dmesg -c | grep -E -A 30 -f complaints.here | grep -v ": page allocation failure" >said; [ ! -s said ]; }
state() { echo "$(wc -l </sys/kernel/tracing/enabled_functions) $(wc -l <$D/kprobes/list) $(ls $K | wc -l) $(lsmod | grep -c '^km_')"; }

all=0
each() {	# NAME ARGUMENT...: faults, and all is as it was
	name=$1
	shift
	said=$(faults $STEP "$@" 2>&1)
	ok $? "$name: $said"
	set -- $said
	all=$((all + $1))
	[ "${3:-0}" -gt 0 ] || [ "$name" != "${name#load}" ]; ok $? "$name: it failed in $3 cases, and came to its end in $5"
	free_within 90; ok $? "$name: nothing holds kstats"
	is "$(state)" "$before" "$name: functions, kprobes, files and modules as before"
	complained; shown $? "$name: no complaint" said
}

mount -t tracefs none /sys/kernel/tracing 2>/dev/null
insmod kstats.ko guard=0 && insmod kmeter_test.ko && insmod kmeter_memory.ko
ok $? "kstats.ko and the test modules load"
before=$(state)
for script in ${ONLY:-direct vfs profile memory-four entries parts cgroups points counters forms few}; do
	[ ! -e scripts/$script.ko ] || each "load $script" load scripts/$script.ko
done
each "_control, a function" -u $K/_control "remove vfs_read" write $K/_control "trace vfs_read bits 5"
each "_control, two tracepoints" -u $K/_control "remove x" write $K/_control "trace x start __tracepoint_sched_wakeup end __tracepoint_sched_switch"

# With a script there: what is switched, read, and made larger.
insmod scripts/direct.ko
insmod scripts/entries.ko
before=$(state)
for name in $(ls $K | grep -v '^_'); do
	faults $STEP -u $K/$name START write $K/$name STOP >said 2>&1; shown $? "$name: STOP: $(cat said)" said
	echo STOP >$K/$name
	faults $STEP -u $K/$name STOP write $K/$name START >said 2>&1; shown $? "$name: START: $(cat said)" said
	echo START >$K/$name
	faults $STEP write $K/$name RESET >said 2>&1; shown $? "$name: RESET: $(cat said)" said
	faults $STEP read $K/$name >said 2>&1; shown $? "$name: read: $(cat said)" said
	faults $STEP read $K/_bin/$name >said 2>&1; shown $? "$name: read, binary: $(cat said)" said
	balanced $name; ok $? "$name: the equation holds"
done
for name in $(ls $K/_entries); do
	room=$(cat $K/_entries/$name)
	faults $STEP write $K/_entries/$name $((room * 2 + 10)) >said 2>&1; shown $? "$name: more entries: $(cat said)" said
done
run call 100
complained; shown $? "no complaint" said
while module=$(lsmod | awk '/^km_/ { print $1; exit }') && [ "$module" ]; do rmmod $module; done
free_within 90
unload_all kmeter_test kmeter_memory; ok $? "kstats.ko is unloaded"
echo "# $all allocations failed in loads and commands"
plan
