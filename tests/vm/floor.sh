# SPDX-License-Identifier: GPL-2.0
# floor.sh: what each mechanism is said to show of an empty function, against what it shows of one of the test module's; and what
# it is said to cost, against what the bench found: run in the guest by `tests/vm/suite`, which has instructions counted: one is a
# nanosecond, so that the same code takes the same time each time.

. ./tap.sh
N=500
F=$K/_floor
names="fast keyed full kretprobe mono ticks lean pass kprobe return tracepoint arguments between"

floor_of() { sed -n 's/^# floor \([0-9]*\) .*/\1/p' "$K/$1"; }
way_of() { sed -n 's/^# floor [0-9]* //p' "$K/$1"; }
least() { awk '$3 == "CPUS" { print $2; exit }' "$K/$1"; }	# with `bits 10` a slot below 2048 is its value
field() { awk -v line="$2" -v n="$1" 'index($0, line " ") == 1 { print $n }' $F; }	# NUMBER LINE: of the table
floor_in() { field 5 "$1"; }
cost_in() { field 6 "$1"; }
rows=16		# of the table; two more with fprobes
case "$(uname -r) $(grep -c ' register_fprobe_ips$' /proc/kallsyms)" in
6.[5-9].*' 1' | 6.1[0-3].*' 1') rows=18 ;;
esac
others="count value bench_fast bench_kretprobe bench_count bench_kprobe"
of_script() { sed -n 's/^\(km_[^ ]*\) .*/\1/p' /proc/modules; }

# kmeter's own words.
says() { grep -q -e "$1" out; ok $? "$2"; }

modprobe kstats guard=0 && insmod kmeter_test.ko && insmod kmeter_bench.ko
ok $? "kstats.ko and the test modules load"
is "$(cat $F)" "# what from to clock floor_ns cost_ns cost_cycles" "nothing is known before anything is measured"
is "$(ls -l $F | cut -c1-10)" "-rw-------" "the table is root's alone"
refused $F NONSENSE "what is no command is refused"
refused $K/_control "trace _floor start kmeter_test_begin end kmeter_test_end" "its name is no measurement's"
trace kmeter_test_call start kmeter_test_begin end kmeter_test_end
is "$(sed 1d $F | cut -d' ' -f1-4)" "pair direct/lean direct/lean tsc" "what is measured by one way has that one measured, and no other"
is "$(floor_of kmeter_test_call)" "$(floor_in "pair direct/lean direct/lean tsc")" "the measurement tells what the table does"
before=$(cat $F)
remove kmeter_test_call; trace kmeter_test_call start kmeter_test_begin end kmeter_test_end
is "$(cat $F)" "$before" "and it is not measured again"
remove kmeter_test_call

# ---- against what is measured ----

insmod scripts/floor.ko; ok $? "a script with every mechanism loads"
dmesg | grep kstats: | sed 's/^/# /'
for name in $names $others; do echo STOP >$K/$name; done
for name in $names; do
	case $name in tracepoint | arguments) what=tracepoints ;; between) what=call ;; *) what=pair ;; esac
	echo START >$K/$name; echo RESET >$K/$name
	run $what $N here
	floor=$(floor_of $name) least=$(least $name)
	echo "# $name, $(way_of $name): floor $floor, least of $(term $name recorded) is $least"
	# Beyond 127 a floor is the lower end of a slot, 64 of which are a power of two. These carry a key, which takes a little; and
	# kprobes are looked up in a hash, where one may lie behind another; a debug kernel's checks take a little more or less.
	case $name in pass | arguments) most=$((floor + floor / 8)) ;; *) most=$((floor + floor / 64 + 2)) ;; esac
	case "$name $(uname -r)" in *'probe '* | *-debug-*) lower=$((floor - floor / 64)) ;; *) lower=$floor ;; esac
	[ "$floor" -gt 0 ] && [ "$lower" -le "$least" ]; ok $? "$name: nothing is below the floor"
	[ "$least" -le "$most" ]; ok $? "$name: an empty function comes close to it"
	is "$(sed -n 's/^# shared //p' $K/$name)" "" "$name: nobody else is there"
	echo STOP >$K/$name
	is "$(floor_of $name)" "$floor" "$name: what is stopped still tells its floor"
done
is "$(way_of kretprobe) $(way_of return) $(way_of mono)" "kretprobe direct/lean direct/return direct/full" "ways by their names"
is "$(grep -c '^# floor\|^# nofloor' $K/count)$(grep -c '^# floor\|^# nofloor' $K/value)" 00 "what measures no time has no floor"

# ---- against the bench ----

echo MEASURE >$F; ok $? "all is measured that scripts may take"
is "$(grep -c ' - - - ' $F)" $((6 + (rows - 16) / 2)) "and nothing is left out but floors of counts"
sed 's/^/# /' $F
ticks() { echo glob 5 >$D/kmeter_bench/run; awk '{ print $5 }' $D/kmeter_bench/run; }
nothing=$(ticks)
costs() {	# NAME LINE PERCENT: 2,000 calls of the bench with and without, in tenths of a tick a call
	echo START >$K/$1
	each=$((($(ticks) - nothing + 100) / 200)) said=$(field 7 "$2" | tr -d .)
	echo STOP >$K/$1
	echo "# $1: $each tenths of a tick a call, said $said"
	awk -v a="$each" -v b="$said" -v p="$3" 'BEGIN { d = a > b ? a - b : b - a; exit !(a > 0 && b > 0 && d <= 10 + a * p / 100) }'
	ok $? "$2: its cost is what the bench finds"
}
costs bench_fast "calls direct/fast - tsc" 0
costs bench_count "count direct/count - -" 0
case $(uname -r) in *-debug-*) some=10 ;; *) some=3 ;; esac	# what the kernel does of its own, and checks
costs bench_kretprobe "calls kretprobe - tsc" $some
costs bench_kprobe "count kprobe - -" $some

# ---- in reports ----

echo START >$K/fast; echo RESET >$K/fast; run pair $N here
kmeter show fast >out; sed 's/^/# /' out
says "^  floor $(floor_of fast).000 ns$\|^  floor $(floor_of fast) ns$" "a report tells the floor"
kmeter show fast --json >out
says "\"floor\":\[{\"value\":$(floor_of fast),\"from\":\"direct/fast\",\"to\":null}\],\"floor_shared\":null" "so does JSON"
is "$(sed -n 's/^# shared //p' $K/fast)" "" "nobody else is at the function"
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
Y=/sys/kernel/tracing
echo kmeter_test_begin >$Y/set_ftrace_filter; echo function >$Y/current_tracer
is "$(sed -n 's/^# shared //p' $K/fast)" "1 kmeter_test:kmeter_test_begin" "the function tracer is"
kmeter show fast >out
says '^  the floor does not hold: another tracer or measurement is at kmeter_test:kmeter_test_begin too$' "the report says that the floor does not hold"
kmeter show fast --json >out
says '"floor_shared":1,' "so does JSON"
echo nop >$Y/current_tracer; echo >$Y/set_ftrace_filter
is "$(sed -n 's/^# shared //p' $K/fast)" "" "it is gone"
echo 'p:mine kmeter_test:kmeter_test_begin' >$Y/kprobe_events; echo 1 >$Y/events/kprobes/enable
is "$(sed -n 's/^# shared //p' $K/fast)" "1 kmeter_test:kmeter_test_begin" "a foreign kprobe is"
echo START >$K/kretprobe
is "$(sed -n 's/^# shared //p' $K/kretprobe)" "1 kmeter_test:kmeter_test_begin" "beside a kretprobe of ours too"
echo STOP >$K/kretprobe
echo 0 >$Y/events/kprobes/enable; echo >$Y/kprobe_events
is "$(sed -n 's/^# shared //p' $K/fast)" "" "that is gone"
echo START >$K/count
is "$(sed -n 's/^# shared //p' $K/fast)" "1 kmeter_test:kmeter_test_begin" "another measurement of ours is"
echo STOP >$K/count
rmmod "$(of_script)"

# ---- many functions; an instruction ----

insmod scripts/many.ko
if lacks many; then way=kretprobe; else way=direct/shared; fi
is "$(way_of many)" $way "a pattern's floor is that of the thunk that it shares, or of its kretprobes"
is "$(sed -n 's/^# shared //p' $K/many)" "" "nobody else is at any of its functions"
echo kmeter_test_begin >$Y/set_ftrace_filter; echo kmeter_test_end >>$Y/set_ftrace_filter; echo function >$Y/current_tracer
skipped many "at two of them" || is "$(sed -n 's/^# shared \([0-9]*\) .*/\1/p' $K/many)" 2 "at two of them"
echo nop >$Y/current_tracer; echo >$Y/set_ftrace_filter
rmmod "$(of_script)"
insmod scripts/points.ko
is "$(grep -c '^# floor\|^# nofloor' $K/offset)" 0 "what hangs on an instruction has no floor"
rmmod "$(of_script)"

# ---- what is not to be had ----

unload_all kmeter_bench kmeter_test; ok $? "all is unloaded"
is "$(cat $D/kprobes/list)" "" "no probe of ours is left"
is "$(cat $Y/enabled_functions)" "" "and no function is traced"
modprobe kmeter_test
echo 0 >$D/kprobes/enabled
insmod kmeter_bench.ko && insmod scripts/floor.ko; ok $? "a script loads while kprobes are switched off"
is "$(sed -n 's/^# nofloor //p' $K/kretprobe)" "kretprobe: 0 of 544 calls were seen" "it says why there is no floor"
is "$(field 8 'calls kretprobe - tsc - - -') $(floor_of kretprobe)" "0 " "so does the table"
[ "$(floor_of fast)" -gt 0 ]; ok $? "the others have theirs"
kmeter show kretprobe >out; is $? 0 "a report without a floor"
grep -q '^  floor' out; is $? 1 "has none"
echo 1 >$D/kprobes/enabled
echo STOP >$K/kretprobe; echo START >$K/kretprobe
[ "$(floor_of kretprobe)" -gt 0 ]; ok $? "when they are switched on again it is tried again, and there it is"
is "$(grep -c '^calls kretprobe - tsc' $F)" 1 "once in the table"
rmmod "$(of_script)"; unload_all kmeter_bench kmeter_test; ok $? "all is unloaded"
modprobe kmeter_test && insmod kmeter_bench.ko
echo ks_floor_empty_1 >$Y/set_ftrace_filter; echo function >$Y/current_tracer
insmod scripts/floor.ko; ok $? "a script loads while somebody traces what the floor is measured by"
is "$(sed -n 's/^# nofloor //p' $K/kretprobe)" "kretprobe: somebody traces kstats' own functions" "it says so"
[ "$(floor_of fast)" -gt 0 ] && [ "$(floor_of tracepoint)" -gt 0 ]; ok $? "thunks and tracepoints have theirs"
echo nop >$Y/current_tracer; echo >$Y/set_ftrace_filter
echo STOP >$K/kretprobe; echo START >$K/kretprobe
[ "$(floor_of kretprobe)" -gt 0 ]; ok $? "when that is over it has its floor"
rmmod "$(of_script)"; unload_all kmeter_bench kmeter_test; ok $? "all is unloaded again"
modprobe kstats guard=0 without=direct
kmeter floor >out; is $? 0 "kmeter floor, without thunks"
says '^calls by direct/fast  *not measured: not by this mechanism here (error -95)$' "says that there are none"
says '^calls by kretprobe  *[0-9]* ns  *[0-9.]* ns  *[0-9.]*   tsc$' "and what a kretprobe costs"
rmmod kstats

# ---- a profile's times against a measurement's of the same functions, each alone at them, by the same mechanism ----

modprobe kmeter_test && insmod kmeter_bench.ko && insmod scripts/means.ko; ok $? "the same functions measured and profiled"
for name in measured profiled; do echo STOP >$K/$name; done
for name in measured profiled; do
	echo START >$K/$name; echo RESET >$K/$name
	echo glob >$D/kmeter_bench/run
	echo STOP >$K/$name
	balanced $name; ok $? "$name: the equation holds"
done
called=$(cut -d' ' -f3 $D/kmeter_bench/run) one=kmeter_bench:kmeter_bench_f500
is "$(keyed measured point=$one) $(tapcheck line $K/profiled $one)" "$called $called" "either has all calls"
measured=$(mean measured point=$one) profiled=$(awk -v one=$one '$1 == one { print $4 }' $K/profiled) floor=$(floor_of profiled)
echo "# mean measured $measured, profiled $profiled, floor $floor"
# The functions are nearly empty, so the floor itself would allow any mean at all: they are to agree to an instruction or two.
most=$((1 + floor / 16))
[ $measured -ge $((floor - most)) ] && [ $((profiled - measured)) -le $most ] && [ $((measured - profiled)) -le $most ]
ok $? "their means are the same"
rmmod "$(of_script)"; unload_all kmeter_bench kmeter_test; ok $? "they are unloaded"

# ---- kmeter floor ----

kmeter floor >out; is $? 0 "kmeter floor"
sed 's/^/# /' out
is "$(head -n 1 out | awk '{ print $1, $2, $3, $4, $5 }')" "$(uname -r) floor cost cycles clock" "its head"
says '^calls by direct/fast  *[0-9]* ns  *[0-9.]* ns  *[0-9.]*   tsc$' "its rows"
is "$(grep -c 'not measured' out) $(grep -c '^calls by\|^pair by\|^count by' out)" "0 $rows" "everything is measured"
[ ! -e /sys/module/kstats ]; ok $? "kstats, which it loaded, is gone"
kmeter floor -o table /lib/modules/*/updates/kstats.ko; is "$? $(grep -c ' by ' table)" "0 $rows" "of a file, into a file"
plan
