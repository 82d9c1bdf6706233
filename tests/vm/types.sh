# SPDX-License-Identifier: GPL-2.0
# types.sh: the scripts made of types.km, with types from BTF and from DWARF, each against what tests/modules/types passes and
# holds: run in the guest by `tests/vm/suite`.

. ./tap.sh
N=100

keys() { exec tapcheck keys "$K/$1"; }	# NAME: in $(...) alone

has() {		# NAME EXPECTED: one key, N hits
	is "$(keys $1)" "$2" "$from: $1: $2"
	is "$(acc $1)" "hits $N = recorded $N" "$from: $1: N times"
}

check() {
	has scalars1 "-1, 254, -1000"
	has scalars2 "50000, -100000, 3000000000"
	has scalars3 "-1099511627776, 9223372036854775808, 1"
	has scalars4 "KT_GREEN, 6, 1"
	has object1 "-5, 200, -3000"
	has object2 "60000, -70000, 4000000000"
	has object3 "-5000000000, 10000000000000000000, 1"
	has object4 "KT_BLUE, 6, -9"
	has object5 "4001, -1999, 100000000001"
	has object6 "-400000, an object, full"
	is "$(keys object7 | sed 's/, .*, /, /')" "some text, 255" "$from: object7: text, and a byte"
	has object8 "2864434397, 204, 52445"
	has object9 "43707, -40, 30"
	has object10 "2, two, 77"
	has object11 "leaf, 77, -70000"
	is "$(keys object12 | sed 's,/0x[0-9a-f]*,,; s/+0x0//')" "0x0, kt_function [kmeter_types]" "$from: a pointer, a function by its name"
	has object13 "8080, 2130706433, -56"
	has object14 "61072, 1, 1"
	has object15 "1, 1, 1"
	has object16 "77, 77, -70000"
	has object17 "1428571428571428571, 0, -625000000"
	has object18 "1, 5, -201"
	has structs1 "7, -8, 99"
	has structs2 "11, -13, 1099511627776"
	has structs3 "-9, 250, 12"
	has negative "-ENOENT, 2, 1"
	has wide "4294967296, 4096"
	half=$((N / 2))
	is "$(keys pointer)" "1, -ENOMEM" "$from: an errno in a pointer"
	is "$(acc pointer)" "hits $N = recorded $half + filtered $half" "$from: half of them"
	is "$(keys pointer2)" "-70000" "$from: what is returned, followed"
	is "$(keys bool)" "0;1" "$from: a returned bool"
	has at_return "-70000, 2, 30"
	has call "30"
	is "$(acc value)" "hits $N = recorded $N" "$from: measure value"
	is "$(awk '$1 == "slot" { print $8 }' $K/value | sort -u)" 32 "$from: its average is the value"
	is "$(awk '$1 == "slot" { print $8 }' $K/value2 | sort -u)" 4294967296 "$from: of a return"
	is "$(sed -n 's/^# unit //p' $K/value2)" bytes "$from: unit"
	is "$(acc outside)" "hits $N = recorded 0 + outside $N" "$from: a negative value is outside"
	is "$(acc range)" "hits $((2 * N)) = recorded $N + outside $N" "$from: range, at two points"
	for name in null user wild hole division; do
		is "$(acc fault_$name)" "hits $N = recorded 0 + fault $N" "$from: $name: a fault, counted"
	done
	is "$(acc fault_not)" "hits $N = recorded 0 + filtered $N" "$from: && guards what is behind it"
	has event1 "-5, 1, -7"
	has event2 "65000, -123456789012, traced"
	has global "Linux"
	is "$(acc caller)" "hits $((4 * N)) = recorded $((4 * N))" "$from: caller"
	sed -n 's/^# key //p' $K/caller | grep -qv 'kt_locals+'
	is $? 1 "$from: all of them in kt_locals"
	grep -q '^# key .*kt_nothing.*run.*vfs_write' $K/stack
	ok $? "$from: a stack, innermost first"
	has builtins "task, sh, 3"
	is "$(keys pattern)" "kmeter_types:kt_bool" "$from: a pattern"
	is "$(acc keys)" "hits $N = recorded $N" "$from: keys of a start and of its end"
	is "$(acc keys2)" "hits $N = recorded $N" "$from: two of them, one a text"
	is "$(keys keys2)" "traced" "$from: by at the end"
	is "$(acc between)" "hits $N = recorded $((N - 1)) + in flight 1" "$from: between"
	is "$(acc between2)" "hits $N = recorded $((N - 2)) + in flight 2" "$from: between, by key"
	for name in $(ls $K | grep -v '^_'); do
		balanced $name || { ok 1 "$from: $name: the equation holds"; }
	done
}

insmod kstats.ko guard=0 && insmod kmeter_types.ko
ok $? "kstats.ko and the test module load"
for from in btf dwarf; do
	insmod scripts/types-$from.ko
	ok $? "$from: the script loads"
	echo $N >$D/kmeter_types/run
	check
	rmmod types-$from 2>/dev/null || rmmod $(sed -n 's/^\(km_[0-9a-f]*\) .*/\1/p' /proc/modules)
	ok $? "$from: it is unloaded"
done

# ---- what needs neither ----

echo >/tmp/neither
insmod scripts/neither.ko
ok $? "neither: the script loads"
echo $N >$D/kmeter_types/run
sh -c "trap '' USR1; i=0; while [ \$i -lt $N ]; do kill -USR1 \$\$; kill -0 9999999; : </tmp/neither; i=\$((i + 1)); done" 2>/dev/null &
kill_by=$!
wait
from=neither
has builtins "task, sh"
grep -q '^# key .*kt_nothing.*run.*vfs_write' $K/stack; ok $? "neither: a stack, innermost first"
is "$(acc caller)" "hits $((4 * N)) = recorded $((4 * N))" "neither: caller"
has call $$
is "$(acc return)" "hits $N = recorded $N" "neither: a return"
is "$(keys pattern)" "kmeter_types:kt_bool" "neither: a pattern"
for name in pair "pair, by cpu" value event; do is "$(acc "$name")" "hits $N = recorded $N" "neither: $name"; done
is "$(acc between)" "hits $N = recorded $((N - 1)) + in flight 1" "neither: between"
is "$(keys signal)" "10, 1" "neither: a tracepoint's arguments, by the headers"
is "$(term signal recorded)" $N "neither: each signal"
has_recorded() { is "$(keys "$1")" "$2" "neither: $1: $2"; is "$(term "$1" recorded)" $N "neither: $1: $N times"; }
has_recorded kill "10, $kill_by"
has_recorded opened "/tmp/neither"
is "$(awk '$1 == "slot" { print $8 }' $K/nobody | sort -u)" 9999999 "neither: an argument at the return, by what it returned"
is "$(term nobody recorded)" $N "neither: as often"
IFS='
'
for name in $(ls $K | grep -v '^_'); do balanced "$name"; ok $? "neither: $name: the equation holds"; done
unset IFS
rmmod $(sed -n 's/^\(km_[0-9a-f]*\) .*/\1/p' /proc/modules)
ok $? "neither: it is unloaded"

# ---- what DWARF alone knows: lines, locals, inlined functions ----

insmod scripts/lines.ko
ok $? "lines: the script loads"
echo $N >$D/kmeter_types/run
from=lines
is "$(keys line)" "41, 6" "lines: a local and an argument at a line"
[ "$(term line recorded)" -ge $N ]; ok $? "lines: each call comes by: $(acc line)"
is "$(keys inlined)" "41" "lines: the argument of an inlined function"
is "$(acc inlined)" "hits $((6 * N)) = recorded $((6 * N))" "lines: every call that was inlined"
is "$(acc 'to the return')" "hits $((6 * N)) = recorded $N + replaced $((5 * N))" "lines: from the first to the return"
for name in line inlined "to the return"; do both "$name" "lines: $name"; done
rmmod $(sed -n 's/^\(km_[0-9a-f]*\) .*/\1/p' /proc/modules)
ok $? "lines: it is unloaded"

# ---- functions of one name, in two files of a module; where ENDBRs are, the places around them ----

insmod kmeter_twins.ko && insmod scripts/twins.ko; ok $? "twins: the script loads"
echo $N >$D/kmeter_twins/run; echo $N >$D/kmeter_types/run
from=twins
both_are() {	# NAME N KEYS
	is "$(keys "$1")" "$3" "twins: $1: $3"
	is "$(acc "$1")" "hits $2 = recorded $2" "twins: $1: $2 times"
}
both_are one $N "10, 11"
both_are two $((3 * N)) "two, 20000, 19884"
both_are "one kretprobe" $N "10, 11"
both_are "two kretprobe" $((3 * N)) "two, 20000, 19884"
both_are "one entry" $N "10"
both_are "two entry" $((3 * N)) "two, 20000"
both_are "one kprobe" $N "10"
both_are "two kprobe" $((3 * N)) "two, 20000"
both_are "one return" $N "10, 11"
both_are "two return" $((3 * N)) "20000, 19884"
both_are "one apart" $N "10, 12"
both_are "two apart" $((3 * N)) "20, -ENOTDIR"
is "$(acc "one direct")" "hits $N = recorded $N" "twins: by a thunk, the first file's"
is "$(acc "two direct")" "hits $((3 * N)) = recorded $((3 * N))" "twins: and the second's"
is "$(acc "two offset")" "hits $((3 * N)) = recorded $((3 * N))" "twins: an instruction of the second file's"
is "$(acc "one to two")" "hits $((3 * N)) = recorded $N + unmatched $((2 * N))" "twins: from the one to the other"
is "$(acc shared)" "hits $((4 * N)) = recorded $((4 * N))" "twins: a pattern of functions finds both"
is "$(acc pattern)" "hits $((12 * N)) = recorded $((12 * N))" "twins: and counts all"
by() { sed -n "s/^# point .* //p" "$K/$1" | sort -u; }	# the mechanism of a measurement
for name in "one direct" "two direct" "one entry" "two entry"; do is "$(by "$name")" direct "twins: $name: by a thunk"; done
for name in "one kprobe" "two kprobe" "two offset" behind; do is "$(by "$name")" kprobe "twins: $name: by a kprobe"; done
for name in "one kretprobe" "two kretprobe"; do is "$(by "$name")" kretprobe "twins: $name: by a kretprobe"; done
# How far the call site is from the function's beginning: 4 bytes, of an ENDBR, or none.
behind=$(sed -n 's/^# key caller=kt_nothing+\(0x[0-9a-f]*\) .*/\1/p' "$K/behind")
if [ "$behind" = 0x9 ]; then site="kt_nothing+0x4 [kmeter_types]"; else site=$(sed -n 's/^# key stack=.* < \(run+[^<]*\) < .*/\1/p' "$K/stack by kprobe"); fi
[ "$behind" = 0x5 ] || [ "$behind" = 0x9 ]; ok $? "twins: the instruction behind a call site is there: $behind"
is "$(sed -n 's/^# key caller=//p' "$K/call site")" "$site, \$x=3" "twins: an offset that is the call site, behind an ENDBR, is that place; without one the entry"
for name in behind "call site"; do is "$(acc "$name")" "hits $N = recorded $N" "twins: $name: each call"; done
for name in "stack by kprobe" "stack by direct" "stack at the return"; do
	is "$(sed -n 's/^# key stack=\(.*\) < full_proxy_write.*/\1/p' "$K/$name" | sed 's/ < run+[^<]*//')" "kt_nothing [kmeter_types]" \
		"twins: $name: begins with the function, ENDBR or not"
done
rmmod $(sed -n 's/^\(km_[0-9a-f]*\) .*/\1/p' /proc/modules); ok $? "twins: it is unloaded"
rmmod kmeter_twins; ok $? "twins: and the module"

# ---- a variable of a module, which comes and goes ----

insmod kmeter_test.ko && insmod scripts/variable.ko; ok $? "variable: the script loads"
run pair 3 here; run wake 0; run pair 5 here
is "$(keyed variable wakes=0) $(keyed variable wakes=1)" "3 5" "variable: its value at each event"
rmmod kmeter_test; ok $? "variable: its module goes"
insmod kmeter_test.ko; echo STOP >$K/variable; echo START >$K/variable; run pair 2 here
is "$(keyed variable wakes=0) $(keyed variable wakes=1)" "5 5" "variable: of the module that comes instead it is another"
both variable variable
rmmod $(sed -n 's/^\(km_[0-9a-f]*\) .*/\1/p' /proc/modules); ok $? "variable: it is unloaded"
rmmod kmeter_test; ok $? "variable: and the module"
plan
