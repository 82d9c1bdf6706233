# SPDX-License-Identifier: GPL-2.0
# forms.sh: each form of thunk, and the callbacks of tracepoints that pair by themselves: exact in every context, under RESET and
# STOP, beside a second script that turns them to other forms, and when their script goes. Run in the guest by `tests/vm/suite`.

. ./tap.sh
N=${N:-100}
T=$((N * CPUS))

everything() {	# CONTEXT: what all statements see
	run call $N $1; run pair $N $1; run recurse $N $1; run nest $N $1; run tracepoints $N $1; run keys $N $1
}
# What TIMES times everything() must show.
shown() {	# TIMES WHEN
	is "$(acc counted)" "hits $(($1 * T)) = recorded $(($1 * T))" "$2: a count"
	is "$(acc pair)" "hits $(($1 * T)) = recorded $(($1 * T))" "$2: a pair"
	is "$(acc keyed)" "hits $((4 * $1 * T)) = recorded $((4 * $1 * T))" "$2: calls by tid and comm"
	is "$(acc one_key)" "hits $(($1 * T)) = recorded $(($1 * T))" "$2: calls by cpu"
	# Of 2 N + 2 serial numbers N are odd; of N + 3 to be given back five are below five, once each.
	is "$(acc sifted)" "hits $(($1 * CPUS * (2 * N + 2))) = recorded $(($1 * T)) + filtered $(($1 * CPUS * (N + 2)))" "$2: calls that pass an if"
	is "$(acc sieved)" "hits $(($1 * CPUS * (N + 3))) = recorded $(($1 * CPUS * 5)) + filtered $(($1 * CPUS * (N - 2)))" "$2: a count with an if"
	is "$(acc by_task)" "hits $(($1 * T)) = recorded $(($1 * T))" "$2: a pair of tracepoints by task"
}
names="counted pair keyed one_key sifted sieved by_task by_id"

insmod kstats.ko guard=0 && insmod kmeter_test.ko && insmod scripts/forms.ko
ok $? "kstats.ko, the test module and a script are loaded"
for name in counted pair keyed one_key sifted sieved; do
	is "$(sed -n 's/^# point .* //p' $K/$name | sort -u)" direct "$name is attached by thunks"
done
for context in task softirq hardirq; do everything $context; done
shown 3 "in task, softirq and hardirq"
for name in $names; do both $name $name; done
# Its keys are those of all CPUs at once, each id by whoever comes first: the equation alone is known, and what `if` refused.
is "$(term by_id filtered)" $((3 * T / 4)) "by an argument: a fourth is refused"
is "$(sed -n 's/^# key cpu=//p' $K/one_key | sort)" "$(seq 0 $((CPUS - 1)) | sort)" "keys: each CPU"
grep -q '^# key tid=[0-9]*.*kmeter_test/0' $K/keyed; ok $? "keys: the task that ran on CPU 0, by its name"

echo RESET >$K/by_id; run tracepoints $N here
is "$(acc by_id)" "hits $((N + N / 4)) = recorded $((N - N / 4)) + filtered $((N / 4)) + unmatched $((N / 4))" "by an argument, one CPU: to the event"
for name in $names; do echo RESET >$K/$name; done

before=$(sed -n 's/nmis //p' $D/kmeter_test/counts)
(run call $((20 * N))) & caller=$!
while kill -0 $caller 2>/dev/null; do nmi 5 >/dev/null; done
took=$(($(sed -n 's/nmis //p' $D/kmeter_test/counts) - before))
is "$(acc counted)" "hits $((20 * T + took)) = recorded $((20 * T + took))" "a count, with $took NMIs that call in between"

# ---- RESET, STOP and START under fire ----

for name in $names; do echo RESET >$K/$name; done
(for context in task softirq hardirq; do everything $context; done) & caller=$!
i=0
while kill -0 $caller 2>/dev/null; do for name in $names; do echo RESET >$K/$name; done; i=$((i + 1)); done
ever() { echo $(($(term $1 recorded) + $(sed -n 's/# recorded_before //p' $K/$1))); }
wait $caller
[ $i -ge 1 ]; ok $? "RESET, $i times each, while everything is called"
for name in $names; do balanced $name; ok $? "$name: the equation holds"; done
is "$(($(ever counted) - 20 * T - took - 3 * T))" $((3 * T)) "no count is lost"
is "$(($(ever pair) - 3 * T))" $((3 * T)) "no pair is lost"
is "$(($(ever keyed) - 12 * T))" $((12 * T)) "no call with keys is lost"
is "$(($(ever sifted) - 3 * T))" $((3 * T)) "no call that passes is lost"
(for context in task softirq hardirq; do everything $context; done) & caller=$!
i=0
while kill -0 $caller 2>/dev/null; do
	for name in $names; do echo STOP >$K/$name; done
	for name in $names; do echo START >$K/$name; done
	i=$((i + 1))
done
wait $caller
for name in $names; do balanced $name; ok $? "$name: the equation holds after STOP and START, $i times"; done

# ---- another script on the same functions: they turn to other forms and back ----

for name in $names; do echo RESET >$K/$name; done
(for context in task softirq hardirq; do everything $context; done) & caller=$!
i=0
while kill -0 $caller 2>/dev/null; do
	for f in call begin end recurse outer take give; do echo "trace too_$f start kmeter_test_$f end kmeter_test_$f" >$K/_control; done
	for f in call begin end recurse outer take give; do echo "remove too_$f" >$K/_control; done
	i=$((i + 1))
done
wait $caller
[ $i -ge 1 ]; ok $? "other measurements came to each function and went, $i times"
shown 3 "beside them"
is "$(term by_id filtered)" $((3 * T / 4)) "beside them: by an argument"

# ---- their script goes while they are called ----

(while [ ! -e stop ]; do everything task; run call $N hardirq; done) & hitter=$!
i=0
while [ $i -lt 3 ] && rmmod "$(awk '/^km_/ { print $1 }' /proc/modules)"; do
	i=$((i + 1))
	[ $i = 3 ] || insmod scripts/forms.ko || break
done
touch stop; wait $hitter
is $i 3 "the script went three times while its thunks and callbacks were called"

# ---- many functions behind one thunk ----

of() { keyed many "point=kmeter_test:kmeter_test_$1"; }	# calls of one
ready() { insmod scripts/many.ko && rm -f stop; }
gone() { rmmod "$(awk '/^km_/ { print $1 }' /proc/modules)"; }
# ---- a pattern with room for less than it matches: what finds none is counted ----

insmod scripts/few.ko; ok $? "a pattern of many functions, with room for four"
run call $N; run pair $N; run recurse $N; run nest $N
is "$(sed -n 's/^# accounting //p' $K/few)" "hits $((12 * T)) = recorded $((7 * T)) + full $((5 * T))" "those that came first are recorded, the others full"
if lacks many; then by=kretprobe; else by=direct; fi	# where not, each function by itself
is "$(sed -n 's/^# point .* //p' $K/few | sort -u)" $by "by $by"
both few "a pattern with little room"
gone; ok $? "it is unloaded"

ready; ok $? "a pattern is loaded"
is "$(sed -n 's/^# point .* //p' $K/many | sort -u)" $by "all of it is attached by $by"
for context in task softirq hardirq; do everything $context; done
is "$(of call) $(of begin) $(of end)" "$((3 * T)) $((3 * T)) $((3 * T))" "each function has its own calls"
is "$(of recurse) $(of inner) $(of leaf)" "$((12 * T)) $((6 * T)) $((6 * T))" "recursion, and calls inside calls"
is "$(of take) $(of give)" "$((3 * CPUS * (2 * N + 2))) $((3 * CPUS * (N + 3)))" "and two more"
both many "a pattern"
echo RESET >$K/many
before=$(sed -n 's/nmis //p' $D/kmeter_test/counts)
(run call $((20 * N))) & caller=$!
while kill -0 $caller 2>/dev/null; do nmi 5 >/dev/null; done
took=$(($(sed -n 's/nmis //p' $D/kmeter_test/counts) - before))
is "$(of call)" $((20 * T + took)) "with $took NMIs that call in between"
(for context in task softirq hardirq; do everything $context; done) & caller=$!
i=0
while kill -0 $caller 2>/dev/null; do echo RESET >$K/many; i=$((i + 1)); done
wait $caller
both many "a pattern, after RESET $i times"
is "$(term many "in flight")" 0 "nothing is in flight"
echo STOP >$K/many; hits=$(term many hits); everything task
is "$(term many hits)" "$hits" "what is stopped counts nothing"
echo START >$K/many; echo RESET >$K/many; run call $N
is "$(of call)" $T "what is started again counts all"
(run sleep 100000) & sleeper=$!
reaches many "in flight" $CPUS
pid=$(ps | awk '/kmeter_test\// { print $1; exit }')
skipped many "the stack of one that sleeps inside is whole" || is "$(awk '{ sub("[+].*", "", $2); print $2 }' /proc/$pid/stack | head -n 3 | sed 's/_[0-9]*$//' | paste -sd' ')" \
	"kmeter_test_sleep ks_shared kmeter_test_sleep" "the stack of one that sleeps inside is whole"
gone; ok $? "the script is unloaded while tasks sleep inside"
skipped many "kstats lists them" || is "$(wc -l <$K/_held)" $CPUS "kstats lists them"
ready && run call $N
is "$(of call)" $T "the pattern is measured again meanwhile, by another thunk"
run wake 0; wait $sleeper
is "$(of sleep)" 0 "who entered before that is not counted"
(while [ ! -e stop ]; do everything task; run call $N hardirq; done) & hitter=$!
i=0
while [ $i -lt 5 ] && gone && ready; do i=$((i + 1)); done
touch stop; wait $hitter
is $i 5 "the script went five times under calls"
gone && free_within 90; ok $? "and nothing holds kstats"
ready; rmmod kmeter_test; ok $? "the module goes while its functions are measured"
is "$(term many "in flight")" 0 "nothing is in flight"
gone && insmod kmeter_test.ko && ready && run call $N
is "$(of call)" $T "it comes again"
gone

# ---- a pattern of which one cannot be attached to ----

insmod scripts/gone.ko; ok $? "a pattern loads without what cannot be attached to"
is "$(sed -n 's/^# point \([^ ]*\) none$/\1/p' $K/gone)" serial8250_exit "which the report names"
[ "$(grep -c "^# point .* $by\$" $K/gone)" -gt 8 ]; ok $? "the others are attached"
dmesg | grep -q "gone: 1 of [0-9]* places cannot be attached to, and are left out"; ok $? "and the log tells how many"
balanced gone; ok $? "the equation holds"
gone
insmod scripts/none.ko 2>/dev/null; [ $? != 0 ]; ok $? "a pattern of which nothing can be attached to does not load"

# ---- two thousand functions of the kernel: at once, and under way ----
# The goal is 2 s each; a machine may be slow, but not five times.

now() { cut -d' ' -f1 /proc/uptime | tr -d .; }		# hundredths of a second
begun=$(now); insmod scripts/thousands.ko; ok $? "thousands: a pattern of the kernel's functions loads"
took=$(($(now) - begun))
work() { i=0; while [ $i -lt 30 ]; do ls -lR /sys/kernel/debug/kmeter_test /proc/self >/dev/null 2>&1; sh -c : | cat; i=$((i + 1)); done; }
work
all=$(grep -c '^# point ' $K/thousands) have=$(grep -c "^# point .* $by\$" $K/thousands)
case $(uname -r) in *-debug-*) some=500 share=8 ;; *) some=1900 share=9 ;; esac	# a small kernel, with much that is its own
[ $all -gt $some ] && [ $have -gt $((all * share / 10)) ]; ok $? "thousands: $have of $all by $by"
[ "$(term thousands recorded)" -gt 1000 ] && balanced thousands; ok $? "thousands: they are counted: $(acc thousands)"
skipped many "thousands: attached in ten seconds" ||
	{ [ $took -lt 1000 ]; ok $? "thousands: attached in $took hundredths of a second, at most 1000"; }
begun=$(now); gone; ok $? "thousands: the script is unloaded"
took=$(($(now) - begun))
skipped many "thousands: detached in ten seconds" ||
	{ [ $took -lt 1000 ]; ok $? "thousands: detached in $took hundredths of a second, at most 1000"; }
free_within 90; ok $? "thousands: nothing holds kstats"
unload_all kmeter_test; ok $? "all is unloaded"
plan
