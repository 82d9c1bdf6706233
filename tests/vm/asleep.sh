# SPDX-License-Identifier: GPL-2.0
# asleep.sh: tasks sleep in nanosleep, poll, futex, accept, in get_signal (stopped, and killed there) and in a kernel thread's own
# function while a script that measures these is unloaded, and comes and goes CYCLES times more; then they wake, and each comes
# back as it must. Run in the guest by `tests/vm/suite`.

. ./tap.sh
CYCLES=${CYCLES:-3}
ASLEEP=${ASLEEP:-50}

load() { insmod scripts/asleep.ko && { [ ! -e scripts/accept.ko ] || insmod scripts/accept.ko; }; }
unload() { rmmod $(lsmod | awk '/^km_/ { print $1 }'); }
held() { grep -c "^[0-9]* $1 " $K/_held; }	# COMM
changed() { wc -l </sys/kernel/tracing/enabled_functions; }
now() { cut -d' ' -f1 /proc/uptime | tr -d .; }		# hundredths of a second
by() { for name in "$@"; do sed -n "s/^# point .* //p" "$K/$name"; done | sort -u; }

ways="nanosleep poll futex stopped"
[ ! -e scripts/accept.ko ] || ways="$ways accept"
each=$(((ASLEEP + 3) / 4))
all=$((each * $(echo $ways | wc -w)))

# Each waits at its own FIFO for a line.
sleepers() {	# FIFO DESCRIPTOR
	mkfifo $1
	sleeper $each $ways <$1 & pids="$pids $!"
	eval "exec $2>$1"
	(run sleep 1000000) & threads="$threads $!"
	for name in $ways; do reaches $name "in flight" $each; done
	reaches thread "in flight" $CPUS
}
came_back() {	# every process as it must, says sleeper
	status=0
	for pid in $pids; do wait $pid || status=1; done
	return $status
}
# At least: others may sleep there, too.
inside() {	# WHEN
	for name in $ways; do
		[ "$(term $name "in flight")" -ge $each ]; ok $? "$1: $each tasks sleep in $name"
	done
	is "$(term thread "in flight")" $CPUS "$1: $CPUS in a thread's own function"
}
pids= threads=

mount -t tracefs none /sys/kernel/tracing 2>/dev/null
insmod kstats.ko guard=0 && insmod kmeter_test.ko
functions=$(changed)
load; ok $? "kstats.ko, the test module and the script are loaded"
is "$(by $ways killed thread)" direct "they are attached by thunks"
sleepers first 7; inside once
unload; ok $? "the script is unloaded meanwhile"
is "$(held sleeper) $(held kmeter_test/.)" "$all $CPUS" "kstats lists $all sleepers and $CPUS threads"
load && sleepers second 8; inside twice
unload; ok $? "the script is unloaded again"
is "$(held sleeper) $(held kmeter_test/.)" "$((2 * all)) $((2 * CPUS))" "and those of before sleep there still"
rmmod kstats 2>/dev/null; [ $? != 0 ]; ok $? "kstats.ko stays"

(while [ ! -e stop ]; do sleep 100 & usleep 20000; kill -9 $!; wait $!; usleep 100000; done) 2>/dev/null & killer=$!
c=0
start=$(now)
while [ $c -lt $CYCLES ] && load && unload; do c=$((c + 1)); done
took=$(($(now) - start))
echo "# $c cycles in $((took / 100)) s: $((took * 10 / CYCLES)) ms each"
is $c $CYCLES "loaded and unloaded, while these sleep and others come, sleep there and are killed"
touch stop; wait $killer
is "$(held sleeper)" $((2 * all)) "nobody woke by that"
echo >&7; echo >&8; run wake 0
came_back; ok $? "they are woken, or killed, and each came back as it must"
wait $threads
free_within 90; ok $? "nothing holds kstats"
is "$(cat $K/_held | wc -l)" 0 "and nobody is listed"
is "$(changed)" "$functions" "no function stays changed"

# ---- while it is loaded ----

load && pids= threads= && sleepers third 9; inside "once more"
echo >&9; run wake 0
came_back; ok $? "they are woken, or killed, and each came back as it must"
for name in $ways killed thread; do
	wanted=$each
	case $name in
	thread) wanted=$CPUS ;;
	stopped | killed) wanted=$((each / 2)); reaches $name exited $wanted ;;
	esac
	reaches $name recorded $wanted; ok $? "$name: $(acc $name)"
	balanced $name; ok $? "$name: the equation holds"
done
for name in stopped killed; do
	[ "$(term $name exited)" -ge $((each / 2)) ]; ok $? "$name: who was killed where it was stopped has exited"
done
unload; free_within 90; ok $? "nothing holds kstats"
unload_all kmeter_test; ok $? "kstats.ko is unloaded"
plan
