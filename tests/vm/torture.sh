# SPDX-License-Identifier: GPL-2.0
# torture.sh: a function is called on every CPU, more than N times on each, in bursts, and from interrupts besides, while what measures it
# comes and goes CYCLES times. What stays attached all the time counts each call, no more and no less; what comes and goes
# accounts for all that it has seen, and that was each call between two moments. Run in the guest by `tests/vm/suite`.
#
# How the latter is known: tasks call with the numbers 0, 1, 2, ..., on each CPU. Of what was seen there from one moment to the
# next, none was missed and none counted twice if these are consecutive: `tapcheck consecutive` asks the histogram of them.

. ./tap.sh
N=${N:-10000000}
CYCLES=${CYCLES:-200}
# Calls that one of the two has counted, and the other was about to: a task's, a softirq's and a hardirq's on each CPU, at each end.
SLACK=$((2 * 3 * CPUS))

now() { cut -d' ' -f1 /proc/uptime | tr -d .; }		# hundredths of a second
calls() { sed -n 's/floods //p' $D/kmeter_test/counts; }
by() { sed -n "s/^# point .* //p" "$K/$1" | tr '\n' ' '; }
changed() { wc -l </sys/kernel/tracing/enabled_functions; }
newest() { lsmod | awk '/^km_/ { print $1; exit }'; }

flood() {	# N
	rm -f stop
	calls=$(calls)
	run flood $1 & flood=$!
	(while [ ! -e stop ]; do run flood 50 softirq; run flood 50 hardirq; usleep 50000; done) & interrupts=$!
}
halt() { touch stop; run halt 0; wait $flood $interrupts; calls=$(($(calls) - calls)); }

wrong() { echo "# cycle $c: $*"; return 1; }

cycle() {	# SCRIPT
	before=$(term always hits)
	insmod scripts/$1.ko || return
	from=$(term always hits)
	reaches come hits 10000 || wrong "it saw no calls" || return
	to=$(term always hits)
	for name in come seen; do
		[ ! -e $K/$name ] || echo STOP >$K/$name
	done
	after=$(term always hits)
	hits=$(term come hits)
	balanced come && [ "$(term come "in flight")" = 0 ] || wrong "$(acc come)" || return
	[ $hits -le $((after - before)) ] || wrong "$hits of $((after - before)) calls" || return
	[ $hits -ge $((to - from - SLACK)) ] || wrong "$hits of the $((to - from)) calls while it was there" || return
	all=$((all + hits))
	if [ $1 = come ]; then
		balanced seen || wrong "$(acc seen)" || return
		numbers=$(tapcheck consecutive $K/_bin/seen) || wrong "$numbers" || return
		seen=$((seen + ${numbers#* }))
	fi
	rmmod $(newest)
}

many() {	# CYCLES SCRIPT
	c=0 all=0 seen=0
	start=$(now)
	while [ $c -lt $1 ] && cycle $2; do c=$((c + 1)); done
	[ ! -e $K/come ] || rmmod $(newest)
	took=$(($(now) - start))
}

mount -t tracefs none /sys/kernel/tracing 2>/dev/null
insmod kstats.ko guard=0 && insmod kmeter_test.ko
ok $? "kstats.ko and the test module load"
functions=$(changed)

# ---- beside a count by the same thunk ----

insmod scripts/always.ko; ok $? "what stays is attached"
insmod scripts/come.ko
is "$(by always)$(by come)$(by seen)" "direct direct direct " "all by a thunk"
rmmod $(newest)
flood $N
many $CYCLES come
is $c $CYCLES "it came and went; each time it accounts for all that it saw, and missed none between"
[ $seen -gt 0 ]; ok $? "in $((took / 100)) s it saw $all calls, $seen of them in tasks"
halt
is "$(acc always)" "hits $calls = recorded $calls" "what stayed has counted each call"
[ $calls -ge $((N * CPUS)) ]; ok $? "of $calls, of which at least $N were made on each of $CPUS CPUs"
rmmod $(newest)

# ---- with a thunk of its own: the function's call site is a nop, or leads to the thunk ----

insmod scripts/beside.ko; ok $? "what stays is attached by a kprobe"
insmod scripts/alone.ko
is "$(by always)$(by come)" "kprobe direct " "what comes has a thunk"
rmmod $(newest)
flood 0
many $((CYCLES / 4)) alone
is $c $((CYCLES / 4)) "it came and went"
[ $all -gt 0 ]; ok $? "in $((took / 100)) s it saw $all calls"
halt
is "$(term always hits)" $calls "what stayed has counted each of $calls calls"
balanced always; ok $? "and accounts for them"
rmmod $(newest)

free_within 90; ok $? "nothing holds kstats"
is "$(changed)" "$functions" "no function stays changed"
unload_all kmeter_test; ok $? "kstats.ko is unloaded"
plan
