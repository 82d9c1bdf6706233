# SPDX-License-Identifier: GPL-2.0
# waits.sh: sched/wakeup-latency of the library against what the scheduler itself counts of each task, how often and how long it
# waited for a processor (/proc/PID/schedstat): two loops that share a CPU, which are preempted, and a reader that others wake
# there. The measurement is of the tasks called `waiter`. Each takes that name itself, between two looks at its own numbers: what
# is between the inner ones has to be counted, what is outside the outer ones must not be. Run in the guest by `tests/vm/suite`.

. ./tap.sh

SECONDS_EACH=3

work_loop() {
	read -r now _ </proc/uptime
	end=$((${now%.*} + SECONDS_EACH + 1))
	while [ "${now%.*}" -lt $end ]; do read -r now _ </proc/uptime; done
}
work_read() { i=0; while [ $i -lt 50 ]; do read -r _ <&3; i=$((i + 1)); done; }

if [ "$1" = inside ]; then	# WORK NUMBER: nothing between the names may fork, since a child has its parent's name
	exec 3<>/tmp/fifo
	read -r _ delay0 waits0 </proc/self/schedstat
	printf waiter >/proc/self/comm	# a newline would be part of it
	read -r _ delay1 waits1 </proc/self/schedstat
	"work_$2"
	read -r _ delay2 waits2 </proc/self/schedstat
	printf no-waiter >/proc/self/comm
	read -r _ delay3 waits3 </proc/self/schedstat
	echo "$2 $((waits2 - waits1)) $((waits3 - waits0)) $((delay2 - delay1)) $((delay3 - delay0))" >"/tmp/waited.$3"
	exit
fi

insmod kstats.ko guard=0 && insmod scripts/waits.ko
ok $? "sched/wakeup-latency is loaded, for the tasks of one name"
mkfifo /tmp/fifo
exec 3<>/tmp/fifo
taskset 1 sh waits.sh inside loop 1 & one=$!
taskset 1 sh waits.sh inside loop 2 & two=$!
taskset 1 sh waits.sh inside read 3 & three=$!
i=0
while [ $i -lt 50 ]; do usleep 20000; echo >&3; i=$((i + 1)); done
wait $one $two $three

sed 's/^/# of the scheduler: /' /tmp/waited.*
least() { cat /tmp/waited.* | awk -v work="$1" -v field="$2" '$1 ~ work { n += $field } END { printf "%.0f\n", n }'; }
n=$(term wakeup-latency recorded)
[ "$(least loop 2)" -ge 40 ] && [ "$(least loop 4)" -ge 1000000000 ]
ok $? "two loops that share a CPU waited for it"
[ "$(least read 2)" -ge 40 ]
ok $? "a reader that is woken did"
is "$(acc wakeup-latency | grep -o 'unmatched.*')" "" "each of who ran had begun to wait"
# One more: the scheduler does not count a task that is preempted on its way to sleep, and runs once more to get there.
[ "$n" -ge "$(least . 2)" ] && [ "$n" -le $(($(least . 3) + 1)) ]
ok $? "as many waits as the scheduler counted: $(least . 2) <= $n <= $(least . 3)"
total=$(awk '$3 == "CPUS" { n += $6 * $8 } END { printf "%.0f\n", n }' $K/wakeup-latency)
awk -v n="$total" -v least="$(least . 4)" -v most="$(least . 5)" 'BEGIN { exit !(n >= least * 0.9 && n <= most * 1.1) }'
ok $? "and as long, within a tenth: $(least . 4) <= $total <= $(least . 5) ns"
is "$(balanced wakeup-latency; echo $?)" 0 "the equation holds: $(acc wakeup-latency)"

remove_script() { rmmod "$(sed -n 's/^\(km_[0-9a-f]*\) .*/\1/p' /proc/modules)"; }
remove_script; ok $? "the script goes"

# Of all tasks: each switch to one that is not idle, as the run queues count them (the last number of /proc/schedstat).
switches() { awk '/^cpu/ { n += $10 } END { printf "%.0f\n", n }' /proc/schedstat; }
part() { echo "$all" | grep -o "$1 [0-9]*" | grep -o '[0-9]*$' || echo 0; }
before=$(switches)
insmod scripts/library/sched.wakeup-latency.ko
begun=$(switches)
for i in 1 2 3 4 5 6 7 8; do timeout 1 sh -c 'while :; do :; done' & done
i=0
while [ $i -lt 30 ]; do usleep 10000; (sleep 10 & kill $!); i=$((i + 1)); done
wait
done=$(switches)
all=$(acc wakeup-latency)
after=$(switches)
n=$(part recorded) without=$(part unmatched)
[ $((n + without)) -ge $((done - begun)) ] && [ $((n + without)) -le $((after - before + 1)) ]
ok $? "of all tasks: as many waits as switches to them: $((done - begun)) <= $n + $without <= $((after - before))"
[ "$without" -le "$CPUS" ]
ok $? "each had begun to wait, but for those that did when it was loaded: $all"

remove_script && rmmod kstats
ok $? "and all goes"
plan
