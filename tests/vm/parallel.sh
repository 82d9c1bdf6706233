# SPDX-License-Identifier: GPL-2.0
# parallel.sh: exactness where CPUs truly run side by side. Everything is attached once and stays: see guest/boot -h for
# why that is all that may be asked of this emulator.

. ./tap.sh
N=20000
T=$((N * CPUS))

insmod kstats.ko guard=0 && insmod kmeter_test.ko
ok $? "kstats.ko and the test module load"
trace kmeter_test_call
trace pair start kmeter_test_begin end kmeter_test_end
trace events start __tracepoint_kmeter_test_start end __tracepoint_kmeter_test_stop
for context in task hardirq; do
	run call $N $context; run pair $N $context; run tracepoints $N $context
done
for name in kmeter_test_call pair events; do
	is "$(acc $name)" "hits $((2 * T)) = recorded $((2 * T))" "$name: 2 x $N on each of $CPUS CPUs"
	both $name $name
done

(i=0; while [ $i -lt 40 ]; do echo RESET >$K/kmeter_test; i=$((i + 1)); done) & resetter=$!
(i=0; while [ $i -lt 40 ]; do echo RESET >$K/pair; cat $K/pair >/dev/null; i=$((i + 1)); done) & resetter2=$!
i=0
while kill -0 $resetter 2>/dev/null || kill -0 $resetter2 2>/dev/null; do
	run record $N task & run record $N hardirq; run pair 2000 task; wait $!
	i=$((i + 1))
done
wait
is "$(($(term kmeter_test recorded) + $(sed -n 's/# recorded_before //p' $K/kmeter_test)))" \
	"$(sed -n 's/records //p' $D/kmeter_test/counts)" "40 RESETs under fire ($i rounds): nothing lost"
is "$(term pair "in flight") $(term pair unmatched) $(term pair replaced)" "0 0 0" "a pair under RESET: nothing torn apart"
echo RESET >$K/kmeter_test
run record $N task & run record $N hardirq; wait $!
constants kmeter_test; ok $? "each slot's mean is the one constant that was recorded into it"
is "$(acc kmeter_test)" "hits $((2 * T)) = recorded $((2 * T))" "and nothing is lost"
before=$(sed -n 's/nmis //p' $D/kmeter_test/counts)
echo RESET >$K/kmeter_test
(run record $((10 * N)) task) & recorder=$!
while kill -0 $recorder 2>/dev/null; do nmi 5 >/dev/null; done
wait $recorder
took=$(($(sed -n 's/nmis //p' $D/kmeter_test/counts) - before))
is "$(acc kmeter_test)" "hits $((10 * T + took)) = recorded $((10 * T + took))" "with $took NMIs in between: exact"
constants kmeter_test; ok $? "and no mean is torn"
plan
