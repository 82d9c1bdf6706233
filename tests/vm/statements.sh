# SPDX-License-Identifier: GPL-2.0
# statements.sh: every role, key and option of a statement, and what handlers may do, by kmeter_script.ko: run in the guest
# by `tests/vm/suite`. Expected numbers are what kmeter_test.ko was told to do.

. ./tap.sh
S=/lib/modules/$(uname -r)/updates/test/kmeter_script.ko
N=150
T=$((N * CPUS))

# Addresses of symbols, as variables of their names: of one reading, since that takes a second and more.
addresses() { eval "$(awk '$3 ~ /^('$(echo "$*" | tr ' ' '|')')$/ && !seen[$3]++ { print $3 "=0x" $1 }' /proc/kallsyms)"; }

# Do all keys look like this?
keys_like() {	# NAME REGEX TEXT
	grep "^# key" "$K/$1" | grep -vq "^# key $2$"
	[ $? = 1 ] && grep -q "^# key" "$K/$1"
	if [ $? = 0 ]; then ok 0 "$3"; else ok 1 "$3"; grep "^# key" "$K/$1" | sed 's/^# /# got /' | head -n 3; fi
}

# Nothing counted, nothing waiting.
fresh() { for m in "$@"; do echo STOP >$K/$m; echo START >$K/$m; echo RESET >$K/$m; done; }

reset() { for m in "$@"; do echo RESET >$K/$m; done; }

insmod kstats.ko guard=0 && insmod kmeter_test.ko
ok $? "kstats.ko and the test module load"

# ---- what is refused ----

insmod $S 'kernel="#1 SMP of another build"' 2>/dev/null; [ $? != 0 ]
ok $? "a script that was compiled for another build of the kernel is refused"
dmesg | grep -q "this script was compiled for another build of this kernel, '#1 SMP of another build'"
ok $? "and the log says so"
before=$(ls $K)
i=1
while [ $i -le 36 ]; do
	insmod $S wrong=$i 2>/dev/null; [ $? != 0 ]; ok $? "a statement that is wrong in way $i is refused"
	i=$((i + 1))
done
is "$(ls $K)" "$before" "and nothing of them is left"

addresses init_task kmeter_test_call nr_cpu_ids this_cpu_off
insmod $S "kernel=\"$(uname -v)\"" call_distance=$((kmeter_test_call - init_task)) \
	nr_cpu_ids_distance=$((nr_cpu_ids - init_task)) this_cpu_off_address=$this_cpu_off
ok $? "the script that is right is loaded"

# ---- reads ----

run looks 10
is "$(keyed looks "kind=0, fault=0, value=0x1122334455667788")" 10 "a read of kernel memory"
i=1
for what in NULL "a user's address" "no canonical address" "none either" "a page that is not mapped" "the vsyscall page" \
	"what reaches into the vsyscall page" "the last byte" "the end of a mapped page" "an error pointer"; do
	is "$(keyed looks "kind=$i, fault=1, value=0x0")" 10 "a read of $what is a fault"
	i=$((i + 1))
done
is "$(acc looks)" "hits 110 = recorded 110" "reads: nothing else"
# Of the end of a mapped page four bytes can be read, and are "xxxx".
is "$(acc values)" "hits 110 = recorded 20 + fault 90" "reads of 4, 2 and 1 bytes: faults are counted"
is "$(awk '$3 == "CPUS" { print $6, $8 }' $K/values | tr '\n' ' ')" \
	"10 $((0x55667788 ^ 0x7788 ^ 0x88)) 10 $((0x78787878 ^ 0x7878 ^ 0x78)) " "reads of 4, 2 and 1 bytes: the values"
is "$(grep -c '^# unit things$' $K/values) $(grep -c '^# kind value$' $K/values) $(grep -c '^# kind counts$' $K/looks)" "1 1 1" \
	"kind and unit are told"
is "$(keyed users "kind=0, fault=1, value=0x0")" 10 "a read of a user's page that is not there is a fault"
is "$(keyed users "kind=1, fault=0, value=0x1122334455667788")" 10 "a read of one that is"
for i in 2 3 4; do is "$(keyed users "kind=$i, fault=1, value=0x0")" 10 "a user read of what is no user's page is a fault ($i)"; done
i=0
for text in kmeter 0123456789abcdefghijklmnopqrstuv 0123456789 xxxxx FAULT "" FAULT ter u vwxyz xxxx; do
	if [ "$text" = FAULT ]; then
		is "$(keyed texts "kind=$i, fault=1, text=")" 10 "text $i: a fault"
	else
		is "$(keyed texts "kind=$i, fault=0, text=$text")" 10 "text $i: '$text'"
	fi
	i=$((i + 1))
done
is "$(acc texts)" "hits 110 = recorded 110" "texts: nothing else"
for name in looks values users texts; do both $name "$name"; done

# ---- every role, in every context ----

called="count distance range negative kinds pattern many_calls returns returns_half to_return between between_odd environment"
level=0
outermost=$(lacks nesting || echo outermost outermost_odd)
for context in task softirq hardirq; do
	# Nothing of a former context is left. Once by STOP and START too; later by them only where a start may wait.
	if [ $context = task ]; then fresh $called; else fresh between between_odd; reset $called; fi
	run call $N $context
	is "$(acc count)" "hits $T = recorded $T" "$context: a count"
	is "$(acc distance)" "hits $T = recorded $T" "$context: a function by its distance"
	is "$(acc range)" "hits $T = recorded $((10 * CPUS)) + outside $((T - 10 * CPUS))" "$context: a range"
	is "$(awk '$3 == "CPUS" { print $2 }' $K/range | tr '\n' ' ')" "10 11 12 13 14 15 16 17 " "$context: its slots"
	is "$(acc negative)" "hits $T = recorded $((25 * CPUS)) + filtered $((75 * CPUS)) + outside $((50 * CPUS))" \
		"$context: values below 0"
	is "$(keyed kinds "errno=0, u64=0, hex=0x0, enum=ZERO")" $((50 * CPUS)) "$context: keys of all kinds: 0"
	is "$(keyed kinds "errno=-ENOENT, u64=1, hex=0x100, enum=MINUS ONE")" $((50 * CPUS)) "$context: with names"
	is "$(keyed kinds "errno=-EINTR, u64=2, hex=0x200, enum=-2")" $((50 * CPUS)) "$context: and without"
	is "$(keyed pattern "point=kmeter_test:kmeter_test_call")" $T "$context: a count by point"
	is "$(keyed many_calls "point=kmeter_test:kmeter_test_call")" $T "$context: calls of several functions by point"
	is "$(acc returns)" "hits $((2 * T)) = recorded $((2 * T))" "$context: values at a return, from the entry's words"
	is "$(awk '$3 == "CPUS" { print $2, $6 }' $K/returns | tr '\n' ' ')" "1 $T 2 $T " "$context: two points, each with its own"
	is "$(acc returns_half)" "hits $T = recorded $((T / 2)) + fault $((T / 2))" "$context: a fault at the entry counts at the return"
	is "$(acc to_return)" "hits $T = recorded $T" "$context: a pair whose end is a return with a key of the entry"
	is "$(acc between)" "hits $T = recorded $((T - 1)) + in flight 1" "$context: intervals"
	is "$(acc between_odd)" "hits $T = recorded $((T / 2 - 1)) + filtered $((T / 2)) + in flight 1" "$context: filtered intervals"
	# The writer's own CPU is not interrupted, but calls; and a CPU that idles by polling looks for such work in its loop.
	here=$(keyed environment "context=$level, cgroup=1, variable=1, percpu=1")
	if [ $context = hardirq ]; then
		[ "$here" -ge $N ]; ok $? "$context: context, cgroup, variables"
		here=$((here + $(keyed environment "context=0, cgroup=1, variable=1, percpu=1")))
	fi
	is "$here" $T "$context: context, cgroup, variables of all"
	for name in $called; do balanced $name || echo "# $name" >>unbalanced; done
	level=$((level + 1))

	fresh keys2 keys8 first2 between_cpu between_keys
	run keys $N $context
	want="hits $((CPUS * (2 * N + 3))) = recorded $((CPUS * (N + 2))) + unmatched $CPUS + replaced $T"
	is "$(acc keys2)" "$want" "$context: keys of two words, two of them alike"
	is "$(acc keys8)" "$want" "$context: keys of eight words"
	is "$(acc first2)" "$want" "$context: the first start stays, with its data"
	is "$(acc between_cpu)" "hits $((CPUS * (3 * N + 5))) = recorded $((CPUS * (3 * N + 4))) + in flight $CPUS" \
		"$context: intervals a CPU"
	is "$(acc between_keys)" \
		"hits $((CPUS * (3 * N + 5))) = recorded $((CPUS * (2 * N + 2))) + in flight $((CPUS * (N + 3)))" \
		"$context: intervals of two words"

	fresh $outermost pattern pattern_ends tid_starts between_tid
	run recurse $N $context
	if ! skipped nesting "$context: the outermost calls"; then
		is "$(acc outermost)" "hits $((4 * T)) = recorded $T + nested $((3 * T))" "$context: the outermost calls"
		is "$(acc outermost_odd)" "hits $((4 * T)) = recorded 0 + filtered $T + nested $((3 * T))" \
			"$context: one that is refused is the outermost all the same"
	fi
	run pair $N $context
	is "$(keyed pattern "point=kmeter_test:kmeter_test_begin") $(keyed pattern "point=kmeter_test:kmeter_test_end")" \
		"$T $((2 * T))" "$context: points that share a match"
	is "$(keyed pattern_ends "point=kmeter_test:kmeter_test_end") $(acc pattern_ends)" "$T hits $T = recorded $T" \
		"$context: a pair by its ends"
	[ $context = task ] || continue
	reaches tid_starts exited $CPUS
	is "$(acc tid_starts)" "hits $T = recorded 0 + replaced $((T - CPUS)) + exited $CPUS" "starts with a tid as key: exited"
	reaches between_tid exited $CPUS
	is "$(acc between_tid)" "hits $T = recorded $((T - CPUS)) + exited $CPUS" "intervals of a task: the last one has exited"
done
[ ! -e unbalanced ]; ok $? "the equation holds everywhere"
if ! skipped nesting "a call in an interrupt is not inside the task's"; then
	fresh outermost
	run cross $N
	is "$(acc outermost)" "hits $((2 * T)) = recorded $((2 * T))" "a call in an interrupt is not inside the task's"
	both outermost outermost
fi
is "$(grep -Ec '^# point kmeter_test:kmeter_test_end (direct|kprobe)$' $K/pattern)" 1 "equal points are told once"
is "$(grep '^# match' $K/pattern | tr '\n' ' ')" \
	"# match 0 kmeter_test:kmeter_test_begin # match 1 kmeter_test:kmeter_test_end # match 2 kmeter_test:kmeter_test_call " \
	"matches are told"
is "$(grep '^# enum' $K/kinds | tr '\n' ' ')$(grep -c '^# top 3$' $K/kinds)" "# enum 3 0 ZERO # enum 3 -1 MINUS ONE 1" \
	"names of an enum, and top, are told"
is "$(sed -n 's/^# key \([a-z]*\)$/\1/p' $K/keys2 $K/between $K/between_cpu $K/between_tid | tr '\n' ' ')" "value none cpu tid " \
	"what pairs is told"
for name in kinds range keys2 between pattern returns; do both $name "$name"; done

# ---- where it was ----

M='\[kmeter_test\]'
at() { echo "kmeter_test_$1\(+0x[0-9a-f]*\)\? $M"; }
fresh callers return_callers stacks return_stacks tp_callers tp_stacks ids
run nest 1
is "$(acc callers)" "hits $((2 * CPUS)) = recorded $((2 * CPUS))" "callers: all"
keys_like callers "caller=$(at outer)" "the caller at a call"
keys_like return_callers "caller=$(at outer)" "the caller at a return"
is "$(acc stacks)" "hits $((2 * CPUS)) = recorded $((2 * CPUS))" "stacks: all"
keys_like stacks "stack=$(at leaf) < $(at inner) < $(at outer) < .* < kthread+0x.* < ret_from_fork.*" \
	"the stack at a call, through returns that are probed"
skipped unwinding "the stack at a return" ||
	keys_like return_stacks "stack=$(at leaf) < $(at inner) < $(at outer) < .* < kthread+0x.* < ret_from_fork.*" "the stack at a return"
run tracepoints $N
is "$(acc ids)" "hits $T = recorded $T" "arguments of a tracepoint: all"
is "$(awk '$2 == 5 && $3 == "CPUS" { print $6, $8 }' $K/ids)" "$CPUS 5" "arguments of a tracepoint: the value"
is "$(acc tp_callers)" "hits $T = recorded $T" "callers of a tracepoint: all"
keys_like tp_callers "caller=$(at fire)" "the function that holds a tracepoint, of several callbacks"
keys_like tp_stacks "stack=$(at fire) < .* < kthread+0x.* < ret_from_fork.*" "the stack at a tracepoint"
echo STOP >$K/ids; echo STOP >$K/tp_stacks; fresh tp_callers
run tracepoints $N
is "$(acc tp_callers)" "hits $T = recorded $T" "callers of a tracepoint with one callback: all"
keys_like tp_callers "caller=$(at fire)" "the function that holds a tracepoint, of one callback"
fresh environment stacks
nmi 5 >/dev/null
[ "$(grep -c '^# key context=3' $K/environment)" = 1 ]; ok $? "the context of an NMI"
balanced environment; ok $? "NMIs: the equation holds"
rmmod kmeter_script; ok $? "the script goes"
is "$(ls $K)" "$before" "and nothing of it is left"

# ---- self: the test module's functions take at least the time that they say ----

insmod $S set=slow; ok $? "several functions at once"
run nest 5; run nest 5 hardirq
outer=point=kmeter_test:kmeter_test_outer inner=point=kmeter_test:kmeter_test_inner leaf=point=kmeter_test:kmeter_test_leaf
for name in all $(lacks nesting || echo self); do
	is "$(acc $name)" "hits $((50 * CPUS)) = recorded $((50 * CPUS))" "$name: every call"
	is "$(keyed $name $outer) $(keyed $name $inner) $(keyed $name $leaf)" "$((10 * CPUS)) $((20 * CPUS)) $((20 * CPUS))" "$name: each function's"
	both $name "$name"
	echo "# $name: $(mean $name $outer) $(mean $name $inner) $(mean $name $leaf)"
done
[ "$(mean all $outer)" -ge 700000 ] && [ "$(mean all $inner)" -ge 300000 ] && [ "$(mean all $leaf)" -ge 100000 ]
ok $? "all: with what they call"
if ! skipped nesting "self"; then
	[ "$(mean self $outer)" -ge 100000 ] && [ "$(mean self $inner)" -ge 200000 ] && [ "$(mean self $leaf)" -ge 100000 ]
	ok $? "self: not less than what is their own"
	[ "$(mean self $outer)" -le $(($(mean all $outer) - 400000)) ] && [ "$(mean self $inner)" -le $(($(mean all $inner) - 50000)) ]
	ok $? "self: without what they call"
fi
rmmod kmeter_script; ok $? "it goes"

# ---- handlers that fault where faults are looked at ----

insmod $S set=guard; ok $? "handlers that fault, at the tracepoint of faults"
run looks 20; run call $N; run call $N hardirq; run looks 20 & run call $N softirq; wait
is "$(term look_faults hits)" $((3 * T + 2 * 20 * 11)) "faults in calls: every call is a hit"
is "$(term look_faults recorded) $(term look_faults "in flight")" "0 0" "faults in calls: none is recorded"
for name in faults faults_pair search search_late look_faults plain; do
	[ "$(term $name hits)" -gt 20 ]; ok $? "$name: $(acc $name)"
	balanced $name; ok $? "$name: the equation holds"
done
[ "$(term faults fault)" -gt 0 ] && [ "$(term faults missed)" -ge "$(term faults fault)" ]
ok $? "a fault of a handler is seen, and counted as missed"
[ "$(term faults_pair fault)" -gt 0 ]; ok $? "the same of intervals"
[ "$(term search fault)" -ge 20 ]; ok $? "a function that the fault path calls"
[ "$(term plain missed)" = 0 ]; ok $? "a statement that needs no guard has none"
(i=0; while [ $i -lt 5 ]; do for m in faults search look_faults; do echo STOP >$K/$m; echo START >$K/$m; echo RESET >$K/$m; done; i=$((i + 1)); done) & loop=$!
while kill -0 $loop 2>/dev/null; do run looks 5; run call 50 hardirq; done
wait
for name in faults search look_faults; do balanced $name; ok $? "$name under STOP, START and RESET: the equation holds"; done
rmmod kmeter_script; ok $? "it goes"

# ---- a tracepoint of a module that comes later, and goes ----

rmmod kmeter_test
insmod $S set=waits; ok $? "a statement on a tracepoint of a module that is not there"
dmesg | grep -q "waits: tp:kmeter_test:kmeter_test_start waits for module kmeter_test"; ok $? "the log says that it waits"
is "$(acc waits)" "hits 0 = recorded 0" "while it waits nothing is counted"
rmmod kmeter_script && insmod $S set=waits; ok $? "a script that waits can be unloaded"
insmod kmeter_test.ko; run tracepoints $N
is "$(acc waits) $(acc waits_pair)" "hits $T = recorded $T hits $T = recorded $T" "the module comes: its events are counted"
rmmod kmeter_test && insmod kmeter_test.ko; run tracepoints $N
is "$(acc waits)" "hits $((2 * T)) = recorded $((2 * T))" "it goes and comes again"
rmmod kmeter_test; echo STOP >$K/waits; insmod kmeter_test.ko; run tracepoints $N
is "$(acc waits)" "hits $((2 * T)) = recorded $((2 * T))" "stopped: it does not attach when the module comes"
echo START >$K/waits; run tracepoints $N
is "$(acc waits)" "hits $((3 * T)) = recorded $((3 * T))" "started: it does"
(i=0; while [ $i -lt 10 ]; do echo STOP >$K/waits; echo START >$K/waits; i=$((i + 1)); done) & loop=$!
while kill -0 $loop 2>/dev/null; do rmmod kmeter_test; insmod kmeter_test.ko; run tracepoints 10; done
wait
for name in waits waits_pair; do balanced $name; ok $? "$name under STOP, START and a module that comes and goes"; done
fresh waits; run tracepoints $N
is "$(acc waits)" "hits $T = recorded $T" "and counts afterwards"
(while [ ! -e done ]; do run tracepoints 200; done) &
rmmod kmeter_script; ok $? "it goes, under fire"
touch done; wait

unload_all kmeter_test; ok $? "all is unloaded"
[ ! -e $K ]; ok $? "and leaves no file"
is "$(cat /sys/kernel/debug/kprobes/list)" "" "and no probe"
plan
