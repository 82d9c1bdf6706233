# SPDX-License-Identifier: GPL-2.0
# profile.sh: profiles: hits and times of many functions, exact, and of all functions, without a complaint. Run in the guest by
# `tests/vm/suite`. LONG=SECONDS: so long under a mixed workload (10).

. ./tap.sh
N=${N:-200}
LONG=${LONG:-10}
MOST=5000	# hundredths of a second, to attach and to detach: five times the goal, since a clock on a busy machine proves little
T=$((N * CPUS))
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
Y=/sys/kernel/tracing

load() { insmod "scripts/$1.ko"; }
unload() { rmmod $(lsmod | awk '/^km_/ { print $1 }'); }
enabled() { wc -l <$Y/enabled_functions; }
hundredths() { awk '{ print int($1 * 100) }' /proc/uptime; }

# A line a group of the JSON report: name, count, sum, squares, and between what these lie as the slots have it: of n samples of a slot with
# a given sum the squares are least where all are equal, most where all lie at its ends.
groups() {	# NAME
	kmeter show "$1" --json >json || return
	sed 's/{"key":/\n&/g' json | awk '
	function field(name,   s) {
		if (!match($0, "\"" name "\": *\"?[0-9]+")) return "-"
		s = substr($0, RSTART, RLENGTH); sub(/.*[^0-9]/, "", s); return s
	}
	/^\{"key"/ {
		name = $0; sub(/.*"names": *\["/, "", name); sub(/[ "+].*/, "", name); sub(/.*:/, "", name)
		slots = $0; least = most = 0
		sub(/"cpus":.*/, "", slots)
		if (sub(/.*"slots": *\[\[/, "", slots)) {
			n = split(slots, row, /\], *\[/)
			for (i = 1; i <= n; i++) {
				gsub(/["\]]/, "", row[i]); split(row[i], x, /, */)
				least += x[6] * x[6] / x[4]; most += (x[2] + x[3]) * x[6] - x[4] * x[2] * x[3]
			}
		}
		printf "%s %s %s %s %.17g %.17g\n", name, field("count"), field("sum"), field("squares"), least, most
	}'
}
count_of() { groups "$1" | awk -v f="$2" '$1 == f { n += $2 } END { print n + 0 }'; }
sum_of() { groups "$1" | awk '{ n += $2 } END { print n + 0 }'; }
all_of() { groups "$1" | wc -l; }

insmod kstats.ko guard=0 && insmod kmeter_test.ko && modprobe kmeter_bench && load profile
ok $? "kstats.ko, test modules and profiles of them are loaded"

# ---- what is no function ----

S=/lib/modules/$(uname -r)/updates/test/kmeter_script.ko
before=$(ls $K)
i=1
while [ $i -le 11 ]; do
	insmod $S set=many wrong=$i 2>/dev/null; [ $? != 0 ]; ok $? "many functions that are wrong in way $i are refused"
	i=$((i + 1))
done
is "$(ls $K)" "$before" "and nothing of them is left"
insmod $S set=many; ok $? "functions among others that are none"
is "$(sed -n 's/^# functions //p' $K/many)" 10 "10 are functions"
is "$(dmesg | sed -n 's/.*kstats: many: \([0-9]* of [0-9]*\) .*/\1/p' | tail -n 1)" "164 of 174" "the log says of how many"
run call $N
is "$(count_of many kmeter_test_call)" $T "and of those calls are counted"
rmmod kmeter_script; ok $? "that script goes"

# ---- hits ----

is "$(sed -n 's/^# point .* //p' $K/hits)" ftrace "they are attached by ftrace"
there=$(grep -c '^kmeter_test_.*\[kmeter_test\]' $Y/available_filter_functions)
is "$(sed -n 's/^# functions //p' $K/hits)" "$there" "all $there functions that ftrace knows of the module's"
for name in hits few modules one; do echo RESET >$K/$name; done
is "$(acc hits)" "hits 0 = recorded 0" "nothing is called yet"
for context in task softirq hardirq; do run call $N $context; run pair $N $context; done
for f in call begin end; do is "$(count_of hits kmeter_test_$f)" $((3 * T)) "kmeter_test_$f: 3 x $N on each of $CPUS CPUs"; done
is "$(count_of one kmeter_test_begin)" $((3 * T)) "and by itself"
balanced hits; ok $? "the equation holds"
is "$(term few hits) $(all_of few)" "$(term hits hits) 3" "with 3 entries there are as many hits, of 3 functions"
is "$(($(term few recorded) + $(term few full)))" "$(term few hits)" "and those of the others are full"
is "$(sum_of few)" "$(term few recorded)" "what is shown is what was recorded"
before=$(sed -n 's/nmis //p' $D/kmeter_test/counts); base=$(count_of hits kmeter_test_call)
(run call $((10 * N))) & caller=$!
while kill -0 $caller 2>/dev/null; do nmi 5 >/dev/null; done
wait
took=$(($(sed -n 's/nmis //p' $D/kmeter_test/counts) - before))
is "$(count_of hits kmeter_test_call)" $((base + 10 * T + took)) "with $took NMIs that call it in between: exact"
echo RESET >$K/hits; run recurse $N
is "$(count_of hits kmeter_test_recurse)" $((4 * T)) "RESET; each call of a recursion"

# ---- STOP, START ----

many_calls() { j=0; while [ $j -lt 300 ]; do run call $N; j=$((j + 1)); done; }

all=$(enabled)
for name in hits few modules one; do echo STOP >$K/$name; done
is "$(enabled)" 0 "stopped, nothing is attached ($all were)"
was=$(acc hits); run call $N
is "$(acc hits)" "$was" "and nothing is counted"
echo 0 >/proc/sys/kernel/ftrace_enabled
refused $K/hits START "where ftrace is turned off none can be started"
dmesg | tail -n 5 | grep -q 'hits: cannot attach to .* by ftrace: ftrace is turned off'; ok $? "and the log says so"
is "$(acc hits)" "$was" "which leaves what was counted"
echo 1 >/proc/sys/kernel/ftrace_enabled
echo START >$K/hits
is "$(acc hits)" "hits 0 = recorded 0" "START begins from zero"
run call $N
is "$(count_of hits kmeter_test_call)" $T "and counts"
many_calls & caller=$!
(while kill -0 $caller 2>/dev/null; do cat $K/_bin/hits >/dev/null; done) &
i=0
while kill -0 $caller 2>/dev/null; do echo STOP >$K/hits; balanced hits || break; echo START >$K/hits; i=$((i + 1)); done
wait
balanced hits; ok $? "$i times STOP and START under calls: the equation holds"
echo RESET >$K/hits; before=$(sed -n 's/# recorded_before //p' $K/hits)
many_calls & caller=$!
i=0
while kill -0 $caller 2>/dev/null; do echo RESET >$K/hits; i=$((i + 1)); done
wait
got=$(($(term hits recorded) + $(sed -n 's/# recorded_before //p' $K/hits) - before))
[ $got -ge $((300 * T)) ] && [ $got -le $((300 * T + 100 * CPUS)) ]; ok $? "$i times RESET under $((300 * T)) calls: $got in all"
balanced hits; ok $? "and the equation holds"

# ---- beside other tracers ----

echo RESET >$K/hits
echo kmeter_test_call >$Y/set_ftrace_filter; echo function >$Y/current_tracer; run call $N
echo function_graph >$Y/current_tracer; run call $N; echo nop >$Y/current_tracer; echo >$Y/set_ftrace_filter
trace beside start kmeter_test_call end kmeter_test_end; run call $N; remove beside
is "$(count_of hits kmeter_test_call)" $((3 * T)) "beside the function tracer, the graph tracer and a thunk"
refused /proc/sys/kernel/ftrace_enabled 0 "ftrace cannot be turned off below us"

# ---- a module goes ----

echo START >$K/modules
both=$(sed -n 's/^# functions //p' $K/modules)
others=$(grep -c '\[kmeter_bench\]' $Y/available_filter_functions)
run call $N
was=$(sum_of modules)
rmmod kmeter_test; ok $? "the module goes while it is profiled"
is "$(enabled)" "$others" "what remains attached is of the other module ($both were)"
is "$(sed -n 's/^# functions //p' $K/modules)" "$others" "which the text says"
is "$(sum_of modules) $(balanced modules && echo balanced)" "$was balanced" "what was counted is still there, though it has no name any more"
is "$(sum_of hits) $(balanced hits && echo balanced)" "$(term hits recorded) balanced" "and in the profile that has nothing left"
echo STOP >$K/hits; refused $K/hits START "which cannot be started without it"
insmod kmeter_test.ko; echo START >$K/hits; run call $N
is "$(count_of hits kmeter_test_call)" $T "when it is back START finds it, and counts"
unload; ok $? "the script is unloaded"
is "$(enabled)" 0 "nothing is attached"

# ---- times ----

load times; ok $? "times of functions, and the same measured"
for context in task softirq hardirq; do run call $N $context; run pair $N $context; done
run nest 5; run recurse $N
groups times >a; groups measured >b
for f in call begin end; do is "$(count_of times kmeter_test_$f) $(count_of measured kmeter_test_$f)" "$((3 * T)) $((3 * T))" "kmeter_test_$f: as many times"; done
is "$(awk '{ print $1, $2 }' a | sort | tr '\n' ' ')" "$(awk '{ print $1, $2 }' b | sort | tr '\n' ' ')" "every function as often as measured"
awk 'NR == FNR { n[$1] = $2; sum[$1] = $3; next } sum[$1] > $3 { print "# " $1 ": " sum[$1] " of " n[$1] ", measured " $3; bad = 1 } END { exit bad || !NR }' a b
ok $? "no sum is more than that of the kretprobe around it"
awk 'NR == FNR { n[$1] = $2; sum[$1] = $3; next } $1 ~ /outer|inner|leaf/ { seen++; if (sum[$1] < 0.8 * $3) { print "# " $1 ": " sum[$1] ", measured " $3; bad = 1 } } END { exit bad || seen != 3 }' a b
ok $? "and of what takes long it is nearly as much"
cat a | sed 's/^/# /'
awk '{ if ($4 < $5 * (1 - 1e-12) || $4 > $6 * (1 + 1e-12) || !$4) { print "# " $0; bad = 1 } } END { exit bad || NR < 6 }' a
ok $? "squares lie where the histograms of $(wc -l <a) functions say"
balanced times; ok $? "the equation holds"
echo STOP >$K/times; echo START >$K/times
is "$(acc times)" "hits 0 = recorded 0" "START begins from zero"
unload; free_within 90; ok $? "nothing holds kstats"

load plain; ok $? "times without histograms"
for context in task softirq hardirq; do run call $N $context; done
run pair $N
run nest 5; run recurse $N
own=$(lacks nesting || echo own)
for name in plain $own; do is "$(count_of $name kmeter_test_call)" $((3 * T)) "$name: exactly as many calls"; done
is "$(count_of single kmeter_test_begin) $(all_of single)" "$T 1" "of one function"
is "$(grep -c "^# bits" $K/plain) $(all_of two)" "0 2" "no histogram; two entries: two functions"
is "$(($(term two recorded) + $(term two full)))" "$(term two hits)" "and the others are full"
for name in plain $own single; do
	groups $name >a
	awk '{ if ($4 < $3 * $3 / $2 * (1 - 1e-12) || $4 > $3 * $3) { print "# " $0; bad = 1 } } END { exit bad || !NR }' a
	ok $? "$name: squares are at least those of equal samples of that sum"
	balanced $name; ok $? "$name: the equation holds"
done
if ! skipped nesting "nesting self"; then
	groups own | awk '{ s[$1] = $3 } END { if (s["kmeter_test_outer"] > 0.6 * (s["kmeter_test_inner"] + s["kmeter_test_leaf"])) { print "# own", s["kmeter_test_outer"], s["kmeter_test_inner"], s["kmeter_test_leaf"]; exit 1 } }'
	ok $? "nesting self: less what is inside"
fi
unload; free_within 90; ok $? "nothing holds kstats"

# ---- everything ----

if skipped many "a profile of all functions"; then
	load everything 2>/dev/null; [ $? != 0 ]; ok $? "a profile of all functions is refused"
	dmesg | grep -q "everything: cannot attach to .* by ftrace: this kernel takes [0-9]* functions at most"; ok $? "and the log says how many may be"
	is "$(enabled)" 0 "nothing is attached"
	unload_all kmeter_test kmeter_bench; ok $? "everything is unloaded"
	plan
	exit
fi
begun=$(hundredths); load everything; ok $? "a profile of all functions is loaded"
took=$(($(hundredths) - begun))
[ $took -lt $MOST ]; ok $? "attached in $took hundredths of a second, at most $MOST"
all=$(grep -vc '\[\|__ftrace_invalid_address__' $Y/available_filter_functions)
is "$(enabled) $(sed -n 's/^# functions //p' $K/everything)" "$all $all" "all $all functions that ftrace knows of the kernel's are attached"
mkdir -p d
i=0
while [ $i -lt 50 ]; do mkdir d/$i; i=$((i + 1)); done
is "$(count_of everything vfs_mkdir)" 51 "51 folders are 51 calls of vfs_mkdir"
ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null

files() { while [ ! -e over ]; do dd if=/dev/zero of=f bs=64k count=20; md5sum f; cat f >/dev/null; sync; rm f; done; }
network() { while [ ! -e over ]; do ping -c 2 -s 1000 127.0.0.1; echo x | nc -w 1 127.0.0.1 9; done; }
processes() { while [ ! -e over ]; do sh -c 'true | cat'; (exit 3); done; }
memory() { while [ ! -e over ]; do dd if=/dev/zero of=/dev/null bs=16M count=2; awk 'BEGIN { for (i = 0; i < 20000; i++) a[i] = i }'; done; }
calls() { while [ ! -e over ]; do run call $N; run pair $N hardirq; done; }
for what in files network processes memory calls; do $what >/dev/null 2>&1 & done
sleep "$LONG"
touch over; wait
[ "$(all_of everything)" -gt 1000 ]; ok $? "$(all_of everything) functions were called, $(term everything hits) times in $LONG s"
groups everything >a
for f in vfs_write do_exit handle_mm_fault __do_softirq try_to_wake_up ip_rcv icmp_rcv; do
	grep -q "^$f$" $Y/available_filter_functions || continue
	awk -v f=$f '$1 == f { n = $2 } END { print "# " f, n + 0; exit !n }' a; ok $? "$f among them"
done
is "$(term everything full) $(term everything missed)" "0 0" "none found no room, none was missed"
balanced everything; ok $? "the equation holds"
begun=$(hundredths); echo STOP >$K/everything; took=$(($(hundredths) - begun))
[ $took -lt $MOST ]; ok $? "detached in $took hundredths of a second, at most $MOST"
is "$(enabled)" 0 "nothing is attached"
was=$(acc everything)
is "$(sum_of everything)" "$(term everything recorded)" "what is shown is what was recorded"
is "$(acc everything)" "$was" "and stays so"
case $was in *flight*) false ;; esac; ok $? "nothing is in flight"
begun=$(hundredths); echo START >$K/everything; took=$(($(hundredths) - begun))
[ "$(term everything recorded)" -gt 0 ] && [ $took -lt $MOST ]; ok $? "started again in $took hundredths of a second"
unload; ok $? "and unloaded while it counts"
is "$(enabled)" 0 "nothing is attached"
unload_all kmeter_test kmeter_bench; ok $? "everything is unloaded"
plan
