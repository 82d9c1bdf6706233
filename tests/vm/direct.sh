# SPDX-License-Identifier: GPL-2.0
# direct.sh: thunks: exact whatever comes and goes beside them, and gone without a trace whoever sleeps inside. Run in the
# guest by `tests/vm/suite`.

. ./tap.sh
N=${N:-200}
T=$((N * CPUS))
P=scripts/direct.ko

held() { wc -l <$K/_held; }
by() { sed -n "s/^# point .* //p" "$K/$1" | tr '\n' ' '; }	# the mechanisms of a measurement

load() { insmod $P; }
unload() { rmmod $(lsmod | awk '/^km_/ { print $1 }'); }

insmod kstats.ko guard=0 && insmod kmeter_test.ko && load
ok $? "kstats.ko, the test module and a script are loaded"
is "$(by calls)$(by handled)$(by returned)$(by begun)$(by slept)" "direct direct direct direct direct direct " "they are attached by thunks"

# ---- exact, in all contexts, one and several on a function ----

for context in task softirq hardirq; do run call $N $context; run pair $N $context; done
for name in calls handled returned begun; do
	is "$(acc $name)" "hits $((3 * T)) = recorded $((3 * T))" "$name: 3 x $N on each of $CPUS CPUs"
	both $name $name
done
is "$(acc odd)" "hits $((3 * T)) = recorded $((3 * T / 2)) + filtered $((3 * T / 2))" "an entry's if: half of them"
is "$(acc recursion)" "hits 0 = recorded 0" "what is not called"
run recurse 100
is "$(acc recursion)" "hits $((400 * CPUS)) = recorded $((400 * CPUS))" "each call of a recursion has its own start"
before=$(sed -n 's/nmis //p' $D/kmeter_test/counts)
for name in calls handled; do echo RESET >$K/$name; done
(run call $((10 * N))) & caller=$!
while kill -0 $caller 2>/dev/null; do nmi 5 >/dev/null; done
took=$(($(sed -n 's/nmis //p' $D/kmeter_test/counts) - before))
is "$(acc calls)" "hits $((10 * T + took)) = recorded $((10 * T + took))" "with $took NMIs that call it in between: exact"
is "$(acc handled)" "hits $((10 * T + took)) = recorded $((10 * T + took))" "and with handlers"
keys=$(grep -c '^# key' $K/handled)
[ "$keys" -ge "$CPUS" ]; ok $? "keys of whom calls ($keys)"

# ---- STOP, START, RESET; others come and go on the same function ----

(run call $((20 * N))) & caller=$!
i=0
while kill -0 $caller 2>/dev/null; do
	echo "trace again$i start kmeter_test_call end kmeter_test_end" >$K/_control
	echo "remove again$i" >$K/_control
	i=$((i + 1))
done
wait $caller
[ $i -ge 1 ]; ok $? "another measurement came to the function and went $i times, while it was called"
is "$(acc calls)" "hits $((30 * T + took)) = recorded $((30 * T + took))" "nothing was lost by that"
(run call $((20 * N))) & caller=$!
i=0
while kill -0 $caller 2>/dev/null; do echo RESET >$K/calls; echo RESET >$K/handled; i=$((i + 1)); done
for name in calls handled; do
	is "$(($(term $name recorded) + $(sed -n 's/# recorded_before //p' $K/$name)))" "$((50 * T + took + 3 * T))" "$i times RESET: $name to the call"
	hits=$(kmeter show $name --json | sed 's/.*"before":{[^}]*"hits":\([0-9]*\).*"accounting":{"hits":\([0-9]*\).*/\1 + \2/')
	is "$((hits))" "$((50 * T + took + 3 * T))" "and its hits: what was in flight at one of them is counted once"
	balanced $name; ok $? "$name: the equation holds"
done
(run call $((20 * N))) & caller=$!
i=0
while kill -0 $caller 2>/dev/null; do echo STOP >$K/calls; balanced calls || break; echo START >$K/calls; i=$((i + 1)); done
wait $caller
balanced calls; ok $? "$i times STOP and START under calls: the equation holds"
is "$(term calls "in flight")" 0 "and nothing stays in flight"
echo STOP >$K/calls; before=$(acc calls); run call $N
is "$(acc calls)" "$before" "what is stopped counts nothing"
echo START >$K/calls; echo RESET >$K/calls; run call $N
is "$(acc calls)" "hits $T = recorded $T" "what is started again counts all"

# ---- beside other tracers of the function ----

mount -t tracefs none /sys/kernel/tracing 2>/dev/null
Y=/sys/kernel/tracing
echo RESET >$K/calls; echo RESET >$K/handled
echo kmeter_test_call >$Y/set_ftrace_filter; echo function >$Y/current_tracer; run call $N
echo function_graph >$Y/current_tracer; run call $N; echo nop >$Y/current_tracer; echo >$Y/set_ftrace_filter
echo 'p:mine kmeter_test:kmeter_test_call' >$Y/kprobe_events; echo 'r:ours kmeter_test:kmeter_test_call' >>$Y/kprobe_events
echo 1 >$Y/events/kprobes/enable; run call $N; echo 0 >$Y/events/kprobes/enable; echo >$Y/kprobe_events
is "$(acc calls)" "hits $((3 * T)) = recorded $((3 * T))" "beside the function tracer, the graph tracer, a kprobe and a kretprobe"
is "$(acc handled)" "hits $((3 * T)) = recorded $((3 * T))" "and with handlers"
refused /proc/sys/kernel/ftrace_enabled 0 "ftrace cannot be turned off below us"
run call $N
is "$(acc calls)" "hits $((4 * T)) = recorded $((4 * T))" "and goes on counting"

# ---- tasks that sleep inside, when it is stopped and when it is unloaded ----

(run sleep 100000) & sleeper=$!
reaches slept "in flight" $CPUS
is "$(acc slept)" "hits $CPUS = recorded 0 + in flight $CPUS" "a task sleeps inside on each CPU"
pid=$(ps | awk '/kmeter_test\// { print $1; exit }')
stack=$(awk '{ sub("[+].*", "", $2); print $2 }' /proc/$pid/stack | paste -sd' ')
is "$(echo "$stack" | sed 's/_[0-9]* / /; s/ work / /; s/ ret_from_fork.*//')" \
	"kmeter_test_sleep ks_thunk_fast kmeter_test_sleep in_task_context kthread" "the stack of one that sleeps inside is whole"
echo STOP >$K/slept; echo START >$K/slept
is "$(acc slept)" "hits $CPUS = recorded 0 + stopped $CPUS" "STOP cuts them"
is "$(held)" $CPUS "who sleeps in the thunk of before is listed"
(run sleep 100000) & second=$!
reaches slept "in flight" $CPUS
run wake 0; wait $sleeper $second
is "$(acc slept)" "hits $((2 * CPUS)) = recorded $CPUS + stopped $CPUS" "of those that wake, only the calls since START are counted"
i=0
while [ $i -lt 50 ]; do (run sleep 100000 here) & i=$((i + 1)); done
reaches slept "in flight" 50
is "$(term slept "in flight")" 50 "50 tasks sleep inside"
unload; ok $? "the script is unloaded meanwhile"
is "$(held)" 50 "kstats lists those 50"
rmmod kstats 2>/dev/null; [ $? != 0 ]; ok $? "and is not unloaded"
load; ok $? "the script can be loaded again"
run wake 0; wait
is "$(acc slept)" "hits 0 = recorded 0" "who entered before that is not counted"
unload; free_within 90; ok $? "when they have woken nothing holds kstats"
is "$(held)" 0 "and nobody is listed"

# ---- tasks that end inside ----

load
i=0
while [ $i -lt 10 ]; do sh -c 'kill -9 $$' 2>/dev/null; sleep 100 & kill -9 $!; wait $! 2>/dev/null; i=$((i + 1)); done
reaches signals exited 20
is "$(term signals exited) $(term signals "in flight")" "20 0" "20 tasks killed in get_signal: $(acc signals)"
balanced signals; ok $? "the equation holds"
unload; free_within 90; ok $? "and they hold nothing"

# ---- modules that go ----

load
rmmod kmeter_test; ok $? "the module of the functions goes while they are measured"
is "$(term calls "in flight")" 0 "nothing is in flight"
unload && free_within 90; ok $? "and the script after it"
insmod kmeter_test.ko && load && run call $N
is "$(acc calls)" "hits $T = recorded $T" "with the module back, and the script"
unload

# ---- many times ----

(while [ -e /proc/self ] && [ ! -e stop ]; do run call 1000; run pair 1000 softirq; run call 200 hardirq; done) & hitter=$!
i=0
while [ $i -lt ${CYCLES:-4} ] && load && unload; do i=$((i + 1)); done
is $i ${CYCLES:-4} "loaded and unloaded, again and again, under calls"
touch stop; wait $hitter
free_within 90; ok $? "nothing holds kstats"
unload_all kmeter_test; ok $? "kstats.ko is unloaded"

# ---- without thunks: fprobes, where the kernel has them, and kretprobes ----

others=direct
case "$(uname -r) $(grep -c ' register_fprobe_ips$' /proc/kallsyms)" in
6.[5-9].*' 1' | 6.1[0-3].*' 1') others="direct direct,fprobe" ;;
esac
for without in $others; do
	case "$others/$without" in *fprobe/direct) via=fprobe ;; *) via=kretprobe ;; esac
	insmod kstats.ko guard=0 without=$without && insmod kmeter_test.ko && load
	is "$(by calls)$(by returned)$(by begun)$(by slept)" "$via kprobe $via kprobe $via " "without=$without: $via"
	for context in task softirq hardirq; do run call $N $context; done
	for name in calls handled returned; do
		is "$(acc $name)" "hits $((3 * T)) = recorded $((3 * T))" "$via: $name: the same, in all contexts"
	done
	is "$(acc odd)" "hits $((3 * T)) = recorded $((3 * T / 2)) + filtered $((3 * T / 2))" "$via: half of them"
	run recurse 100
	is "$(acc recursion)" "hits $((400 * CPUS)) = recorded $((400 * CPUS))" "$via: each call of a recursion"
	before=$(sed -n 's/nmis //p' $D/kmeter_test/counts)
	echo RESET >$K/calls
	(run call $((10 * N))) & caller=$!
	while kill -0 $caller 2>/dev/null; do nmi 5 >/dev/null; done
	took=$(($(sed -n 's/nmis //p' $D/kmeter_test/counts) - before))
	is "$(term calls hits)" "$((10 * T + took))" "$via: with $took NMIs that call it in between: hits"
	balanced calls; ok $? "$via: the equation holds: $(acc calls)"
	(run call $((20 * N))) & caller=$!
	i=0
	while kill -0 $caller 2>/dev/null; do echo STOP >$K/calls; balanced calls || break; echo START >$K/calls; i=$((i + 1)); done
	wait $caller
	balanced calls; ok $? "$via: $i times STOP and START under calls: the equation holds"
	is "$(term calls "in flight")" 0 "$via: nothing stays in flight"
	echo RESET >$K/slept
	i=0
	while [ $i -lt 5 ]; do (run sleep 1000000 here) & i=$((i + 1)); done
	reaches slept "in flight" 5
	is "$(term slept "in flight")" 5 "$via: five sleep inside"
	unload; ok $? "$via: the script is unloaded meanwhile"
	run wake 0
	wait
	unload_all kmeter_test; ok $? "$via: and all, when they have woken"
done
plan
