# SPDX-License-Identifier: GPL-2.0
# clock.sh: which clock is taken, what it shows, and what becomes of it: run in the guest by `tests/vm/suite`. One clock is
# held against the other; the tsc is taken away from the kernel in both ways that there are.

. ./tap.sh
C=/sys/devices/system/clocksource/clocksource0/current_clocksource

clock() { sed -n 's/^# clock //p' "$K/$1"; }
line() { sed -n "s/^# $2 //p" "$K/$1"; }
ms() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }
# The sum of all that was recorded, in thousandths of a million of its unit.
sum() { awk '$3 == "CPUS" { sum += $6 * $8 } END { printf "%d", sum / 1000 }' "$K/$1"; }
near() {	# A B NAME: at most 3 % apart
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && b > 0 && a / b < 1.03 && b / a < 1.03) }'
	ok $? "$3"
	[ $? = 0 ] || echo "# $1 and $2"
}
# All processors at work for so many seconds: their timers run.
busy() {
	local end=$(($(ms) + $1 * 1000)) i=1
	while [ $i -lt $CPUS ]; do
		(while [ "$(ms)" -lt $end ]; do :; done) &
		i=$((i + 1))
	done
	while [ "$(ms)" -lt $end ]; do :; done
	wait
}
asleep() { run sleep 60000 & sleeper=$!; reaches tsc "in flight" $CPUS; reaches mono "in flight" $CPUS; }
wake() { run wake 0; wait $sleeper; }

insmod kstats.ko guard=0 && insmod kmeter_test.ko
ok $? "kstats.ko and the test module load"
i=0
while [ "$(cat $C)" != tsc ] && [ $i -lt 300 ]; do usleep 100000; i=$((i + 1)); done	# until its frequency is refined
is "$(cat $C)" tsc "the kernel's own clock is the tsc"

# ---- each clock ----

insmod scripts/clocks.ko
ok $? "a script with every clock loads"
dmesg | grep kstats: | sed 's/^/# /'
is "$(clock tsc)" tsc "clock tsc"
is "$(clock mono)" mono "clock mono"
is "$(clock ticks)" ticks "clock ticks"
is "$(clock auto)" tsc "without a word: the tsc, which is fit here"
is "$(clock kmeter_test)" "" "what is recorded by hand has no clock"
is "$(line tsc unit) $(line ticks unit)" "ns ticks" "units"
khz=$(line tsc tsc_khz)
[ "$khz" -gt 100000 ]; ok $? "the frequency of the tsc is shown ($khz kHz)"
is "$(line ticks tsc_khz) $(line mono tsc_khz)" "$khz " "with the ticks too, and not with mono"

run sleep 2000
[ "$(sum mono)" -ge $((CPUS * 2000000)) ]; ok $? "sleeps of two seconds are two seconds, by mono"
near "$(sum tsc)" "$(sum mono)" "by the tsc as well"
near "$(sum auto)" "$(sum mono)" "and without a word"
near "$(awk -v n="$(sum ticks)" -v khz="$khz" 'BEGIN { printf "%d", n * 1000000 / khz }')" "$(sum mono)" \
	"ticks are its frequency times that"
run pair 100
is "$(acc pair_tsc)" "hits $((100 * CPUS)) = recorded $((100 * CPUS))" "a pair by the tsc"
run call 100
is "$(acc between_ticks)" "hits $((100 * CPUS)) = recorded $((99 * CPUS)) + in flight $CPUS" "intervals in ticks"
for name in tsc mono ticks auto pair_tsc between_ticks; do both $name $name; done

# ---- suspend ----

asleep
before=$(acc mono)
run awake 1
echo freeze 2>/dev/null >/sys/power/state
is $? 1 "a suspend is called off at its last announcement"
is "$(line tsc suspended) $(line ticks suspended) $(line pair_tsc suspended)" "1 1 1" "what counts by the tsc was suspended"
is "$(line mono suspended)" "" "what counts by mono was not"
is "$(acc tsc)" "hits $((2 * CPUS)) = recorded $CPUS + stopped $CPUS" "what was in flight has stopped, by the tsc"
is "$(acc mono)" "$before" "and is in flight still, by mono"
wake
run sleep 1
is "$(acc tsc)" "hits $((3 * CPUS)) = recorded $((2 * CPUS)) + stopped $CPUS" "counting goes on afterwards, by the tsc"
is "$(acc mono)" "hits $((3 * CPUS)) = recorded $((3 * CPUS))" "and by mono"
echo STOP >$K/ticks
echo freeze 2>/dev/null >/sys/power/state
is "$(line ticks state) $(line tsc state)" "stopped armed" "what was stopped before stays so"
is "$(line ticks suspended) $(line tsc suspended)" "1 2" "and was not suspended"
echo START >$K/ticks
run awake 0

# ---- the kernel takes another clock ----

for name in tsc mono; do echo RESET >$K/$name; done
at=$(ms)
echo hpet >$C
is "$(cat $C)" hpet "the kernel's own clock is another now"
busy 6
since=$(clock tsc | sed -n "s/^tsc not the kernel's own clock since \([0-9]*\)\.\([0-9]*\) s after boot$/\1\2/p")
[ "$since" ] && [ $((since - at)) -ge -100 ] && [ $((since - at)) -lt 5500 ]
ok $? "it was found in a few seconds, before anybody looked ($((since - at)) ms)"
is "$(clock mono)" mono "clock mono does not mind"
run sleep 1000
near "$(sum tsc)" "$(sum mono)" "what is measured by a tsc that is right is right still"
rmmod "$(line tsc module)"
insmod scripts/clocks.ko 2>/dev/null; [ $? != 0 ]; ok $? "clock tsc is refused"
dmesg | grep -q "tsc: no clock tsc here: the tsc is not the kernel's own clock"; ok $? "and the log says why"
ls $K | grep -q "^\(tsc\|mono\)$"; is $? 1 "nothing of that script is left"
insmod scripts/mono.ko; ok $? "a script that insists on nothing loads"
is "$(clock script_mono) $(clock script_auto)" "mono mono" "and takes mono"
trace kmeter_test_call
is "$(clock kmeter_test_call)" mono "so does _control"
run call 100
is "$(acc kmeter_test_call)" "hits $((100 * CPUS)) = recorded $((100 * CPUS))" "and counts"
echo tsc >$C
is "$(clock kmeter_test_call)" mono "a measurement keeps its clock"
echo STOP >$K/kmeter_test_call; echo START >$K/kmeter_test_call
is "$(clock kmeter_test_call)" tsc "and chooses again at START"
insmod scripts/clocks.ko; ok $? "clock tsc is there again"
is "$(clock tsc)" tsc "without a stain"

# ---- the tsc is unstable ----

echo STOP >$K/ticks
run unstable 0
case $(clock tsc) in "tsc unstable since "*" s after boot") ok 0 "a reader learns that the tsc is unstable" ;;
*) ok 1 "a reader learns that the tsc is unstable"; echo "# $(clock tsc)" ;; esac
is "$(clock ticks)" ticks "what had stopped before was not touched by it"
echo START 2>/dev/null >$K/ticks; is $? 1 "START of what insists on the tsc is refused"
is "$(line ticks state)" stopped "and it stays stopped"
echo STOP >$K/auto; echo START >$K/auto
is "$(clock auto)" mono "what insists on nothing takes mono"
dmesg | grep -q "ticks: no clock ticks here: the tsc is unstable"; ok $? "and the log says why"
run call 100
for name in kmeter_test_call auto tsc; do both $name $name; done
is "$(term kmeter_test_call backwards)" 0 "no call took longer than it could"
unload_all "$(line tsc module)" "$(line script_mono module)" kmeter_test
ok $? "all is unloaded"
plan
