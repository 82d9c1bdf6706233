# SPDX-License-Identifier: GPL-2.0
# entries.sh: room for keys that is changed while events come on every CPU, in tasks and interrupts: run in the guest by
# `tests/vm/suite`. What must be there is known from the test module's own count, and from a table beside it that was never changed.

. ./tap.sh

floods() { sed -n 's/floods //p' $D/kmeter_test/counts; }
flood() {	# starts it; `halt` ends it
	rm -f stop
	before=$(floods)
	run flood 100 & flood=$!
	(while [ ! -e stop ]; do run flood 50 softirq; run flood 50 hardirq; usleep 20000; done) & interrupts=$!
}
halt() { touch stop; run halt 0; wait $flood $interrupts; calls=$(($(floods) - before)); }
entries() { echo "$2" >$K/_entries/$1; }
room() { cat $K/_entries/$1; }
# Each key and how often it came, sorted.
keys() { awk '$2 == "key" { key = $0; sub(/^[^=]*=/, "", key); sub(/,.*/, "", key) } $3 == "CPUS" { n[key] += $6 } END { for (k in n) print k, n[k] }' "$K/$1" | sort; }
both_in() { echo "$(($(term $1 recorded) + $(term $1 full)))"; }

insmod kstats.ko guard=0 && insmod kmeter_test.ko && insmod scripts/entries.ko
ok $? "the script loads"
is "$(room grown) $(room whole) $(room times)" "1 256 800" "_entries tells how many keys there is room for"
[ ! -e $K/_entries/keyless ]; ok $? "a measurement without keys has no such file"

# ---- one key, and no room for the others ----

flood; usleep 300000; halt
first=$(sed -n 's/^# key.*=//p' $K/grown)
is "$(term grown hits)" $calls "entries 1: every event is a hit ($calls)"
is "$(keys grown)" "$(keys whole | grep "^$first ")" "entries 1: the first key ($first) has all that it had"
is "$(term grown full)" "$((calls - $(term grown recorded)))" "entries 1: the others' events are the overrun, exactly"

# ---- raised in the middle ----

kept=$(term grown recorded) lost=$(term grown full) all=$calls
flood; usleep 100000
for n in 2 3 5 8 13 21 34 55 89 144 233; do entries grown $n; done
usleep 100000
halt; all=$((all + calls))
is "$(term grown hits) $(both_in grown)" "$all $all" "raised eleven times under fire: each event is recorded or overrun, once ($calls)"
[ "$(term grown recorded)" -gt $kept ] && [ "$(term grown full)" -ge $lost ]; ok $? "what was counted before is still there"
is "$(keys grown | wc -l)" 233 "there is room for 233 keys, and as many are there"
balanced grown; ok $? "the equation holds"

# ---- nothing lost, nothing twice ----

for name in grown whole values times; do echo RESET >$K/$name; done
entries grown 256
flood
i=0
while [ $i -lt 40 ]; do
	n=$((257 + i * 37 % 100))
	entries grown $n || echo "# grown: $n"
	entries values $n || echo "# values: $n"
	entries times $((n + 600)) || echo "# times: $n"
	i=$((i + 1))
done
halt
for name in grown whole values times; do
	is "$(acc $name)" "hits $calls = recorded $calls" "changed 40 times under fire: $name has them all"
done
keys grown >a; keys whole >b; keys values >c; keys times >d
is "$(wc -l <b)" 256 "256 keys"
cmp a b; ok $? "each key has what it has in the table that was never changed: a count"
cmp c b; ok $? "likewise a value"
cmp d b; ok $? "likewise a time"
is "$(awk '$2 == "key" { key = $0; sub(/.*=/, "", key) } $3 == "CPUS" && $8 != key { bad++ } END { print bad + 0 }' $K/values)" 0 \
	"every value is its key: the sums went along"
both values values
both times times
is "$(room grown)" "$n" "_entries reads what was written last"

# ---- a CPU that is away, a measurement that is stopped ----

online=/sys/devices/system/cpu/cpu$((CPUS - 1))/online
echo 0 >$online; ok $? "a CPU goes away"
entries grown 2000; ok $? "more room meanwhile"
cmp_keys() { keys grown | cmp - b; }
cmp_keys; ok $? "what that CPU had counted is there"
echo 1 >$online
echo STOP >$K/grown
entries grown 3000 && cmp_keys; ok $? "more room while it is stopped"
echo START >$K/grown; echo RESET >$K/whole; echo RESET >$K/grown
is "$(room grown)" 3000 "RESET keeps the room"
flood; usleep 100000; halt
is "$(acc grown)" "hits $calls = recorded $calls" "it counts on"

# ---- what is refused ----

for wrong in 0 -1 1048577 99999999999 x "" "1 2" 255; do
	refused $K/_entries/grown "$wrong" "refused: '$wrong'"
done
is "$(room grown) $(acc grown)" "3000 hits $calls = recorded $calls" "and nothing has changed"
if entries grown 1048576 2>/dev/null; then
	is "$(acc grown)" "hits $calls = recorded $calls" "a million entries"
else
	is "$(room grown)" 3000 "a million entries: no memory for them, and nothing has changed"
fi

unload_all "$(lsmod | awk '/^km_/ { print $1 }')" kmeter_test
ok $? "everything unloads"
plan
