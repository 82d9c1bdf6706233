# SPDX-License-Identifier: GPL-2.0
# runtime.sh: kstats.ko alone, through its files: run in the guest by `tests/vm/suite`. Expected numbers are what the test
# module was told to do.

. ./tap.sh
N=500
T=$((N * CPUS))

insmod kstats.ko guard=0 && insmod kmeter_test.ko
ok $? "kstats.ko and the test module load"

# ---- exactly N, by every backend, in every context ----

trace kmeter_test_call bits 4
trace pair start kmeter_test_begin end kmeter_test_end
trace events start __tracepoint_kmeter_test_start end __tracepoint_kmeter_test_stop
trace module start kmeter_test:kmeter_test_begin end kmeter_test:kmeter_test_end bits 0
trace kmeter_test_recurse bits 10
is "$(grep -c ^trace $K/_control)" 5 "_control lists what it traces"

for context in task softirq hardirq; do
	for name in kmeter_test_call pair events module kmeter_test; do echo RESET >$K/$name; done
	run call $N $context; run pair $N $context; run tracepoints $N $context; run record $N $context
	is "$(acc kmeter_test_call)" "hits $T = recorded $T" "$context: calls by kretprobe"
	is "$(acc pair)" "hits $T = recorded $T" "$context: a pair of kprobes"
	is "$(acc events)" "hits $T = recorded $T" "$context: a pair of tracepoints"
	is "$(acc module)" "hits $T = recorded $T" "$context: functions named with their module"
	is "$(acc kmeter_test)" "hits $T = recorded $T" "$context: records by hand"
done
run recurse $N
is "$(acc kmeter_test_recurse)" "hits $((4 * T)) = recorded $((4 * T))" "recursion: each call is one"
for name in kmeter_test_call pair events module kmeter_test_recurse kmeter_test; do both $name "$name"; done

echo reset >$K/kmeter_test_call; echo reset >$K/kmeter_test
before=$(sed -n 's/nmis //p' $D/kmeter_test/counts)
nmi 20 >/dev/null
took=$(($(sed -n 's/nmis //p' $D/kmeter_test/counts) - before))
[ $took -ge 20 ]; ok $? "NMIs arrive ($took)"
is "$(term kmeter_test_call hits)" $took "nmi: every call is a hit"
is "$(acc kmeter_test)" "hits $took = recorded $took" "nmi: records by hand"
balanced kmeter_test_call; ok $? "nmi: what the kernel could not give us is counted as missed"

# ---- what pairs lose, they count ----

trace replaced start kmeter_test_call end kmeter_test_end
run call 10 task
reaches replaced exited $CPUS
is "$(acc replaced)" "hits $((10 * CPUS)) = recorded 0 + replaced $((9 * CPUS)) + exited $CPUS" "starts without end: replaced, exited"
trace crossed start kmeter_test_end end kmeter_test_begin
run pair 10 task
reaches crossed exited $CPUS
is "$(acc crossed)" "hits $((11 * CPUS)) = recorded $((9 * CPUS)) + unmatched $CPUS + exited $CPUS" "an end without start: unmatched"
trace same start kmeter_test_begin end kmeter_test_begin
trace same_tp start __tracepoint_kmeter_test_start end __tracepoint_kmeter_test_start
run pair 10 task; run tracepoints 10 task
for name in same same_tp; do
	reaches $name exited $CPUS
	is "$(acc $name)" "hits $((11 * CPUS)) = recorded $((9 * CPUS)) + unmatched $CPUS + exited $CPUS" "$name: an event that is both is an end first"
done
run pair 10 hardirq
[ "$(term same "in flight")" -le $CPUS ]; ok $? "a start in an interrupt waits for an end in one"
for name in replaced crossed same same_tp; do both $name "$name"; done
remove replaced crossed same same_tp

# ---- tasks that end inside ----

trace lifetime start __tracepoint_sched_process_fork end __tracepoint_sched_process_exit
i=0; while [ $i -lt 5 ]; do sh -c "sh -c : & wait"; i=$((i + 1)); done
[ "$(term lifetime recorded)" -ge 5 ]; ok $? "a pair may end where its task does ($(acc lifetime))"
remove lifetime
trace get_signal
i=0; while [ $i -lt 10 ]; do sleep 1000 & pids="$pids $!"; i=$((i + 1)); done
usleep 300000
kill -9 $pids; wait $pids 2>/dev/null
if ! skipped nesting "calls that never return are found when their task ends"; then
	reaches get_signal exited 10
	[ "$(term get_signal exited)" -ge 10 ]; ok $? "calls that never return are found when their task ends ($(acc get_signal))"
	is "$(term get_signal "in flight")" 0 "and nothing stays in flight"
fi
remove get_signal

# ---- START, STOP, RESET ----

trace kmeter_test_sleep
asleep() { run sleep 60000 & sleeper=$!; reaches kmeter_test_sleep "in flight" $CPUS; }
wake() { run wake 0; wait $sleeper; }
asleep
is "$(acc kmeter_test_sleep)" "hits $CPUS = recorded 0 + in flight $CPUS" "asleep: in flight"
echo RESET >$K/kmeter_test_sleep
is "$(acc kmeter_test_sleep)" "hits $CPUS = recorded 0 + in flight $CPUS" "RESET carries what is in flight over"
wake
is "$(acc kmeter_test_sleep)" "hits $CPUS = recorded $CPUS" "and it is recorded then"

asleep
echo stop >$K/kmeter_test_sleep
is "$(acc kmeter_test_sleep)" "hits $((2 * CPUS)) = recorded $CPUS + stopped $CPUS" "STOP cuts what is in flight"
echo START >$K/kmeter_test_sleep
wake
is "$(acc kmeter_test_sleep)" "hits $((2 * CPUS)) = recorded $CPUS + stopped $CPUS" "what STOP cut is not recorded later"
run sleep 1
is "$(acc kmeter_test_sleep)" "hits $((3 * CPUS)) = recorded $((2 * CPUS)) + stopped $CPUS" "START counts on"
echo Stop >$K/kmeter_test_sleep
run sleep 1
is "$(acc kmeter_test_sleep)" "hits $((3 * CPUS)) = recorded $((2 * CPUS)) + stopped $CPUS" "stopped: nothing is counted"
grep -q kmeter_test_sleep /sys/kernel/debug/kprobes/list; is $? 1 "stopped: no probe is there"
echo stop >$K/kmeter_test; run record 10
is "$(acc kmeter_test)" "hits $took = recorded $took" "stopped: records by hand are not counted"
echo start >$K/kmeter_test

echo RESET >$K/pair; echo STOP >$K/pair
run pair 10
is "$(acc pair)" "hits 0 = recorded 0" "a stopped pair counts nothing"
echo START >$K/pair
run pair 10
is "$(acc pair)" "hits $((10 * CPUS)) = recorded $((10 * CPUS))" "and counts again"

# ---- exactness: constants, interrupts, RESET in a loop, STOP and START in a loop ----

echo RESET >$K/kmeter_test
base=$(sed -n 's/# recorded_before //p' $K/kmeter_test)
(i=0; while [ $i -lt 20 ]; do echo RESET >$K/kmeter_test; i=$((i + 1)); done) & resetter=$!
(i=0; while [ $i -lt 20 ]; do echo RESET >$K/pair; cat $K/pair >/dev/null; i=$((i + 1)); done) & resetter2=$!
records=$(sed -n 's/records //p' $D/kmeter_test/counts)
i=0
seen=$base
while [ $i -lt 10 ] || kill -0 $resetter 2>/dev/null || kill -0 $resetter2 2>/dev/null; do
	run record 20000 task & run record 20000 hardirq; run pair 500 task; wait $!
	now=$(awk '/^# accounting/ { n += $6 } /^# recorded_before/ { n += $3 } END { print n }' $K/kmeter_test)
	[ $now -ge $seen ] || echo "# went back from $seen to $now" >>went_back
	seen=$now
	i=$((i + 1))
done
wait
[ ! -e went_back ]; ok $? "what was recorded never becomes less for a reader"
records=$(($(sed -n 's/records //p' $D/kmeter_test/counts) - records))
total=$(($(term kmeter_test recorded) + $(sed -n 's/# recorded_before //p' $K/kmeter_test) - base))
is $total $records "20 RESETs while $CPUS CPUs record in tasks and interrupts: nothing lost"
echo RESET >$K/kmeter_test
run record 20000 task & run record 20000 hardirq; wait $!
constants kmeter_test; ok $? "each slot's mean is the one constant that was recorded into it"
is "$(term pair "in flight")" 0 "a pair under RESET: nothing stays in flight"
is "$(term pair unmatched) $(term pair replaced)" "0 0" "a pair under RESET: nothing is torn apart"

(i=0; while [ $i -lt 10 ]; do echo STOP >$K/kmeter_test_call; echo START >$K/kmeter_test_call; i=$((i + 1)); done) & toggler=$!
(i=0; while [ $i -lt 10 ]; do echo STOP >$K/events; echo START >$K/events; i=$((i + 1)); done) & toggler2=$!
while kill -0 $toggler 2>/dev/null || kill -0 $toggler2 2>/dev/null; do run call 500 task; run tracepoints 500 hardirq; done
wait
for name in kmeter_test_call events; do
	is "$(term $name "in flight")" 0 "$name under STOP and START: nothing stays in flight"
	both $name "$name under STOP and START"
done

# ---- bad input ----

list=$(cat $K/_control)
long=$(awk 'BEGIN { while (i++ < 1100) printf "x" }')
for words in "" hello trace remove "remove nosuch" "remove kmeter_test" "trace nosuch_function" "trace a/b" \
	"trace vfs_read bits" "trace vfs_read bits 11" "trace vfs_read bits -1" "trace vfs_read bits 3 bits 3" \
	"trace vfs_read bits 99999999999999999999" "trace p start vfs_read" "trace p end vfs_read" \
	"trace p start vfs_read end" "trace p start vfs_read end __tracepoint_nosuch" "trace p start nosuch end vfs_read" \
	"trace __tracepoint_sched_switch" "trace __switch_to" "trace kmeter_test_call" "trace kmeter_test" "trace vfs_read extra" "remove pair extra" "TRACE vfs_read" \
	"trace _control start vfs_read end vfs_write" "trace .. start vfs_read end vfs_write" "trace $long" "$long"; do
	refused $K/_control "$words" "_control refuses: $(echo "$words" | cut -c1-60)"
done
printf 'trace vfs_read\0' 2>/dev/null >$K/_control; [ $? != 0 ]; ok $? "_control refuses: a zero byte"
is "$(cat $K/_control)" "$list" "and nothing has changed"
dmesg | grep -q "kstats: _control: '99999999999999999999': bits takes a number from 0 to 10"
ok $? "the log names the wrong word"
dd if=/dev/zero of=$K/pair bs=1 count=0 seek=3 2>/dev/null; cat $K/pair >/dev/null
ok $? "seeking in a file opened for writing alone is no hazard"
for words in "" go STARTS "START START" "$long"; do
	refused $K/pair "$words" "a measurement refuses: $(echo "$words" | cut -c1-20)"
done

# ---- two writers, readers of what goes ----

writer() { i=0; while [ $i -lt 15 ]; do echo "trace $1 start vfs_read end vfs_write" >$K/_control; echo "remove $1" >$K/_control; i=$((i + 1)); done; }
(writer w1 2>/dev/null) & a=$!
(writer w1 2>/dev/null) & b=$!
while kill -0 $a 2>/dev/null || kill -0 $b 2>/dev/null; do
	cat $K/w1 $K/_bin/w1 $K/_control >/dev/null 2>&1
	echo RESET 2>/dev/null >$K/w1
done
wait
echo "remove w1" 2>/dev/null >$K/_control
is "$(cat $K/_control)" "$list" "two writers and a reader of what goes: all is as before"
exec 5<$K/pair
read -r line <&5
remove pair
[ "$(cat <&5 | grep -c CPUS)" -gt 0 ]; ok $? "a file that is open when its measurement goes can still be read"
exec 5<&-

# ---- CPUs that go and come; unloading with sleepers inside, and with everything hit ----

if [ $CPUS -gt 1 ]; then
	echo RESET >$K/kmeter_test_call
	run call $N; echo 0 >/sys/devices/system/cpu/cpu1/online
	run call $N; echo 1 >/sys/devices/system/cpu/cpu1/online
	run call $N
	is "$(acc kmeter_test_call)" "hits $((3 * T - N)) = recorded $((3 * T - N))" "a CPU that goes and comes: its counts stay"
fi
echo START >$K/kmeter_test_sleep
asleep
remove kmeter_test_sleep
wake
echo RESET >$K/events
touch /tmp/hit
(while [ -e /tmp/hit ]; do run call 2000; run tracepoints 2000; done) &
reaches events recorded 1
fire=$(term events recorded)
remove kmeter_test_call events
rm /tmp/hit
wait
is "$([ $fire -gt 0 ] && echo hit) $(grep -c '^trace \(kmeter_test_call\|kmeter_test_sleep\|events\)' $K/_control)" "hit 0" \
	"measurements are removed with tasks asleep inside, and under fire"
trace vfs_read; trace kmeter_test_call; trace events start __tracepoint_kmeter_test_start end __tracepoint_kmeter_test_stop
rmmod kmeter_test; ok $? "a measured module goes"
cat $K/events $K/kmeter_test_call >/dev/null; ok $? "what measured it can be read"
insmod kmeter_test.ko; ok $? "and the module comes again"
for name in kmeter_test_call events; do echo STOP >$K/$name; echo START >$K/$name; echo RESET >$K/$name; done
run call $N; run tracepoints $N
is "$(acc kmeter_test_call)" "hits $T = recorded $T" "STOP and START attach to the new one: calls"
is "$(acc events)" "hits $T = recorded $T" "STOP and START attach to the new one: tracepoints"

insmod annotated.ko; ok $? "the module annotated by hand loads"
reaches page_copy recorded 10
[ "$(term page_copy recorded)" -ge 10 ]; ok $? "and has recorded"
both page_copy "annotated"
unload_all annotated kmeter_test
ok $? "all is unloaded, with measurements of _control still there"
[ ! -e $K ]; ok $? "and leaves no file"
is "$(cat /sys/kernel/debug/kprobes/list)" "" "and no probe"
plan
