# SPDX-License-Identifier: GPL-2.0
# counters.sh: `measure FUNCTION of COUNTER`: run in the guest by `tests/vm/suite`. That guest has no PMU: of the processor's own counters
# only their refusal is seen here. Expected numbers are what the test module was told to do, and what a buffer of so many pages comes to.

. ./tap.sh
N=200
T=$((N * CPUS))
newest() { lsmod | awk '/^km_/ { print $1; exit }'; }
# The mean of all samples.
mean_of() { awk '$3 == "CPUS" { n += $6; sum += $6 * $8 } END { print n ? int(sum / n) : "none" }' "$K/$1"; }

insmod kstats.ko guard=0 && insmod kmeter_test.ko && insmod scripts/counters.ko
ok $? "the script loads"

# ---- the task's own ----

# A buffer of 256 pages that nobody has touched but for its first: dd reads into 16 bytes behind a page's beginning.
dd if=/dev/zero of=/dev/null bs=1M count=1 2>/dev/null
is "$(awk '$2 == "key" { dd = /comm=dd/ } dd && $3 == "CPUS" { print $6, $8 }' $K/faults | tail -1)" "1 256" \
	"page-faults: a read into 256 new pages has 256"
balanced faults; ok $? "page-faults: the equation holds"
for i in 1 2 3 4 5; do run sleep 10; done
is "$(acc switches)" "hits $((5 * CPUS)) = recorded $((5 * CPUS))" "context-switches: each call that sleeps is recorded"
is "$(awk '$3 == "CPUS" && $8 < 1' $K/switches)" "" "context-switches: each has one at least"
is "$(acc asleep)" "hits $((5 * CPUS)) = recorded 0 + moved $((5 * CPUS))" "cpu-clock: not of a call that slept"

# ---- a CPU's ----

run nest 10 hardirq; run nest 10 softirq
calls=$((40 * CPUS))
is "$(acc outer)" "$(acc outer_time)" "cpu-clock: every call in an interrupt has a number ($(term outer recorded))"
clock=$(mean_of outer) time=$(mean_of outer_time)
echo "# cpu-clock $clock, time $time"
[ $((clock * 10)) -ge $((time * 9)) ] && [ $((clock * 9)) -le $((time * 10)) ]; ok $? "cpu-clock: it moves as time does"
hits=$(term outer hits)
run nest 10
[ "$(term outer hits)" -gt "$hits" ] && balanced outer; ok $? "cpu-clock: calls in tasks are accounted for ($(acc outer))"
run call $N; run call $N softirq; run call $N hardirq
is "$(term by_kretprobe hits)" $((3 * T)) "by kretprobe"
balanced by_kretprobe; ok $? "by kretprobe: the equation holds ($(acc by_kretprobe))"
if ! skipped nesting "nesting self"; then
	balanced self; ok $? "nesting self: the equation holds ($(acc self))"
	is "$(($(term self hits) - $(term self recorded) - $(term self moved)))" 0 "nesting self: each has a number, or slept"
fi

# ---- STOP, START, RESET, CPUs ----

for name in outer by_kretprobe $(lacks nesting || echo self); do echo STOP >$K/$name; echo START >$K/$name; echo RESET >$K/$name; done
run call $N hardirq
is "$(acc by_kretprobe)" "hits $T = recorded $T" "after STOP and START"
online=/sys/devices/system/cpu/cpu$((CPUS - 1))/online
echo 0 >$online && echo 1 >$online; ok $? "a CPU goes and comes"
run call $N hardirq
is "$(acc by_kretprobe)" "hits $((2 * T)) = recorded $((2 * T))" "its counter is there again"
rmmod $(newest); ok $? "the script goes"

# ---- a counter that measures how it is read ----

insmod scripts/counted.ko; ok $? "what reads the counter is measured by it"
run call $N; run call $N hardirq
is "$(term call hits)" $((2 * T)) "no call is lost"
balanced call && balanced reading; ok $? "the equations hold ($(acc reading))"
[ "$(term call recorded)" -gt 0 ] && [ "$(term reading missed)" -ge "$(term call recorded)" ]; ok $? "a read inside a read is missed"
rmmod $(newest); ok $? "it goes"

# ---- what this machine has not ----

if insmod scripts/hardware.ko 2>/dev/null; then
	ok 0 "instructions # SKIP this machine counts them"
	rmmod $(newest)
else
	[ ! -e $K/beside ] && [ ! -e $K/hardware ]; ok $? "instructions: refused, and nothing stays"
	dmesg | grep -q "hardware: instructions cannot be counted: this machine has none"; ok $? "the log says why"
fi
unload_all kmeter_test; ok $? "everything unloads"
plan
