# SPDX-License-Identifier: GPL-2.0
# memory.sh: watched variables: exact whoever accesses them in whatever context, whatever CPUs and modules come and go, and
# whoever else takes breakpoints. Run in the guest by `tests/vm/suite`.

. ./tap.sh
N=${N:-200}
T=$((N * CPUS))

run() { echo "$*" >$D/kmeter_memory/run; }
load() { insmod "scripts/memory-$1.ko"; }
unload() { rmmod $(lsmod | awk '/^km_/ { print $1 }'); }

# The table: hits of a function, NAME FUNCTION; of other keys, of all functions, NAME "0 task".
by() { awk -v want="$2" 'on && $3 == want { n += $NF } /^Access_Type/ { on = 1 } END { print n + 0 }' "$K/$1"; }
others() {
	awk -v want="$2" '/^overrun/ { on = 0 }
		on { keys = ""; for (i = $4 ~ /^\[/ ? 5 : 4; i < NF; i++) keys = keys (keys == "" ? "" : " ") $i; if (keys == want) n += $NF }
		/^Access_Type/ { on = 1 } END { print n + 0 }' "$K/$1"
}
# How often the module itself says that it called memory_$1, since it was loaded.
called() { sed -n "s/^$1 //p" $D/kmeter_memory/counts; }

# held N [CPU]: somebody else has N breakpoints until `given_back`.
held() { mkfifo /tmp/in; breaks "$@" </tmp/in >/tmp/out & holder=$!; exec 9>/tmp/in; until [ -s /tmp/out ]; do usleep 10000; done; }
given_back() { exec 9>&-; wait $holder; rm -f /tmp/in /tmp/out; }

insmod kstats.ko guard=0 && insmod kmeter_memory.ko
ok $? "kstats.ko and the test module are loaded"

# ---- who accesses it, in which context ----

load who; ok $? "four statements watch one variable"
is "$(sed -n 's/^# point //p' $K/writes)" "kmeter_memory:written breakpoint" "by breakpoints"
is "$(sed -n 's/^# watch //p' $K/writes)" "write 8 kmeter_memory:written" "the text says of which accesses and bytes"
is "$(breaks 3 </dev/null) $(breaks 4 </dev/null)" "has 3 ENOSPC" "they share one breakpoint of each CPU"
run three $N
is "$(acc writes)" "hits $((6 * T)) = recorded $((6 * T))" "three functions, N, 2 N and 3 N times on each CPU"
is "$(by writes memory_k) $(by writes memory_l) $(by writes memory_m)" "$(called k) $(called l) $(called m)" "as often as each was called"
is "$(called k) $(called l) $(called m)" "$T $((2 * T)) $((3 * T))" "which is as often as it was told"
is "$(acc again)" "$(acc writes)" "the second statement sees the same"
is "$(acc two)" "hits $((6 * T)) = recorded $((3 * T)) + full $((3 * T))" "with room for two, what the third does is full"
is "$(grep '^overrun' $K/two) $(grep '^overrun' $K/writes)" "overrun $((3 * T)) overrun 0" "the table says so"
for cpu in $(seq 0 $((CPUS - 1))); do
	is "$(others where "$cpu task")" $((6 * N)) "CPU $cpu, in tasks"
done
run three $N hardirq
for cpu in $(seq 0 $((CPUS - 1))); do
	is "$(others where "$cpu hardirq")" $((6 * N)) "CPU $cpu, in hard interrupts"
done
is "$(by writes memory_k) $(by writes memory_l) $(by writes memory_m)" "$(called k) $(called l) $(called m)" "and all of them"
echo RESET >$K/writes; run read $N
is "$(acc writes)" "hits $T = recorded $T" "among reads, only what is written"
echo STOP >$K/again; before=$(acc again); run three $N
is "$(acc again)" "$before" "what is stopped counts nothing"
is "$(acc writes)" "hits $((7 * T)) = recorded $((7 * T))" "and takes nothing from the others"
echo STOP >$K/writes; echo START >$K/again; for name in again writes; do echo RESET >$K/$name; done; run three $N
is "$(acc again) $(term writes hits)" "hits $((6 * T)) = recorded $((6 * T)) 0" "what is started again counts all, also when the first is stopped"
echo START >$K/writes
for name in writes where; do echo RESET >$K/$name; done
before=$(called k)
(while [ ! -e enough ]; do run three $N; done) & caller=$!
i=0
while [ $i -lt 5 ]; do
	for name in again two; do echo STOP >$K/$name; echo START >$K/$name; done
	i=$((i + 1))
done
>enough; wait $caller
all=$((6 * ($(called k) - before)))
is "$(acc writes)" "hits $all = recorded $all" "others come to the same breakpoints and go, $i times, while it counts"
is "$(acc where)" "$(acc writes)" "and the last of them counts"

# ---- room for the third, while all three write ----

echo RESET >$K/two; rm enough; before="$(called k) $(called l) $(called m)"
(while [ ! -e enough ]; do run three $N; done) & caller=$!
until [ "$(term two full)" -gt 0 ]; do usleep 10000; done
echo 3 >$K/_entries/two; ok $? "room for one more is made while they write"
sleep 1; >enough; wait $caller
set -- $before
is "$(by two memory_k) $(by two memory_l)" "$(($(called k) - $1)) $(($(called l) - $2))" "those that had room lose nothing, and nothing counts twice"
is "$(($(by two memory_m) + $(term two full)))" "$(($(called m) - $3))" "the third has all that is not full ($(term two full))"
[ "$(by two memory_m)" -gt 0 ]; ok $? "which is more than nothing"
balanced two; ok $? "two: the equation holds"

# ---- CPUs come and go ----

cpu=/sys/devices/system/cpu/cpu$((CPUS - 1))/online
for name in writes again; do echo RESET >$K/$name; done
echo 0 >$cpu; run three $N
is "$(acc writes)" "hits $((6 * (T - N))) = recorded $((6 * (T - N)))" "a CPU goes: what the others do"
echo 1 >$cpu; run three $N
is "$(acc writes)" "hits $((6 * (2 * T - N))) = recorded $((6 * (2 * T - N)))" "it comes again, and is watched"
is "$(acc again)" "$(acc writes)" "by each statement"
i=0; while [ $i -lt 3 ]; do echo 0 >$cpu; echo 1 >$cpu; i=$((i + 1)); done
echo 0 >$cpu
for name in writes again two where; do echo STOP >$K/$name; done
echo 1 >$cpu
for name in writes again two where; do echo START >$K/$name; echo RESET >$K/$name; done
run three $N
is "$(acc writes) $(acc again)" "hits $((6 * T)) = recorded $((6 * T)) hits $((6 * T)) = recorded $((6 * T))" \
	"also where all were stopped when the CPU came"
for name in writes again two where; do balanced $name; ok $? "$name: the equation holds"; done

# ---- its module goes, and comes again ----

rmmod kmeter_memory; ok $? "a module goes whose variable is watched"
dmesg | grep -q 'writes: module kmeter_memory goes, and kmeter_memory:written with it'; ok $? "the log says so"
is "$(breaks 4 </dev/null)" "has 4" "its breakpoint is free meanwhile"
echo 0 >$cpu; echo 1 >$cpu
insmod kmeter_memory.ko; run three $N
is "$(acc writes)" "hits $((12 * T)) = recorded $((12 * T))" "when it comes again its variable is watched where it lies then"
rmmod kmeter_memory; echo STOP >$K/again; echo START >$K/again; insmod kmeter_memory.ko; echo RESET >$K/again; run three $N
is "$(acc again)" "hits $((6 * T)) = recorded $((6 * T))" "also by one that was started while it was away"
rmmod kmeter_memory; held 4; insmod kmeter_memory.ko; run three $N; before=$(acc writes)
is "$(sed -n 's/^# blind //p' $K/writes)" $CPUS "where it comes, and all breakpoints are in use, the text says so"
dmesg | grep -q 'writes: module kmeter_memory comes, but kmeter_memory:written cannot be watched'; ok $? "and the log"
given_back; rmmod kmeter_memory; insmod kmeter_memory.ko; run three $N
is "$(acc writes) $(grep -c '^# blind' $K/writes)" "hits $((24 * T)) = recorded $((24 * T)) 0" "the next time it is watched"
unload; ok $? "the script is unloaded"

# ---- armed while its module comes, or goes ----

# until_it_is STATE: Loading or Unloading, and those who are told first have been told.
until_it_is() { until grep -q "^kmeter_memory .* $1 " /proc/modules; do usleep 20000; done; usleep 400000; }
insmod kmeter_late.ko; load one; echo STOP >$K/one; rmmod kmeter_memory
insmod kmeter_memory.ko & late=$!
until_it_is Loading; echo START >$K/one; ok $? "a START between those who are told that a module comes"
wait $late; run three $N
is "$(acc one)" "hits $((6 * T)) = recorded $((6 * T))" "each access counts once"
unload; run three $N
is "$(breaks 4 </dev/null)" "has 4" "and nothing is left"
rmmod kmeter_memory & late=$!
until_it_is Unloading; load one 2>/dev/null; [ $? != 0 ]; ok $? "a script is refused whose module is about to go"
wait $late; is "$(breaks 4 </dev/null)" "has 4" "and nothing is left"
insmod kmeter_memory.ko; load one; run three $N
is "$(acc one)" "hits $((6 * T)) = recorded $((6 * T))" "when it has come again, it is found"
unload; rmmod kmeter_late

# ---- reads ----

load read; run read $N
is "$(acc both)" "hits $((3 * T)) = recorded $((3 * T))" "with rw reads count too"
is "$(by both memory_k) $(by both memory_get)" "$T $((2 * T))" "each of the two of a call, and the write"
is "$(sed -n 's/^# watch //p' $K/both)" "rw 8 kmeter_memory:written" "the text says that they do"
unload

# ---- all breakpoints are in use ----

load four; ok $? "four breakpoints"
is "$(breaks 1 </dev/null)" ENOSPC "perf and debuggers get none"
load one 2>/dev/null; [ $? != 0 ]; ok $? "a fifth is refused"
dmesg | grep -q 'one: cannot attach to kmeter_memory:written by breakpoint: all breakpoints of the processor'; ok $? "and the log says why"
[ ! -e $K/one ]; ok $? "nothing of it stays"
run parts $N
for name in four "four's second" "four's third" "four's last"; do is "$(acc "$name")" "hits $T = recorded $T" "$name counts on"; done
unload
is "$(breaks 4 </dev/null)" "has 4" "then all four are free"

held 1; load wide 2>/dev/null; [ $? != 0 ]; ok $? "a script that needs four is refused while another process has one"
[ ! -e $K/wide ] && [ ! -e $K/percpu ]; ok $? "none of its statements stays"
given_back; held 3; load one; ok $? "one that needs one has the fourth"
unload; given_back
is "$(breaks 4 </dev/null)" "has 4" "and leaves it"

# A process that has all four of a CPU which is not there yet.
load one; echo 0 >$cpu; held 4 $((CPUS - 1)); is "$(cat /tmp/out)" "has 4" "another process takes all four of a CPU that is away"
echo 1 >$cpu; run three $N
is "$(acc one)" "hits $((6 * (T - N))) = recorded $((6 * (T - N)))" "it comes, and what it does is not seen"
is "$(sed -n 's/^# blind //p' $K/one)" 1 "which the text says"
dmesg | grep -q "one: CPU $((CPUS - 1)) comes, and what it does to kmeter_memory:written is not seen"; ok $? "and the log"
given_back; echo 0 >$cpu; echo 1 >$cpu; echo RESET >$K/one; run three $N
is "$(acc one) $(grep -c '^# blind' $K/one)" "hits $((6 * T)) = recorded $((6 * T)) 0" "when it comes the next time it is watched"
unload

# ---- further keys ----

load by; run three $N here; run three $N
is "$(acc caller)" "hits $((6 * (T + N))) = recorded $((6 * (T + N)))" "by caller: each hit"
is "$(awk '/^write/ { sub(/[+]0x.*/, "", $5); print $5 }' $K/caller | sort -u | tr '\n' ' ')" "memory_k memory_l memory_m " \
	"by caller: the place in the function"
is "$(others task "$$ sh")" $((6 * N)) "by pid, comm: what this shell did"
is "$(term if hits)" $((6 * (T + N))) "if: each is a hit"
is "$(term if recorded)" "$(others on 0)" "if: CPU 0's are recorded"
grep -q '^# key stack=memory_k+[^<]* < do_three' $K/stack; ok $? "stack: from the function on"
is "$(term stack recorded)" "$((6 * (T + N)))" "stack: each hit"
for name in caller task if on stack; do balanced $name; ok $? "$name: the equation holds"; done
unload

# ---- parts of variables ----

load parts; run parts $N
for name in element member anonymous byte; do is "$(acc $name)" "hits $T = recorded $T" "$name: it alone, not its neighbours"; done
unload
load wide; run wide $N; run statics $N; run percpu $N
is "$(acc wide)" "hits $((3 * T)) = recorded $((3 * T))" "16 bytes: both halves"
is "$(sed -n 's/^# watch //p' $K/wide | tr '\n' ' ')" "write 8 kmeter_memory:two write 8 kmeter_memory:two " "16 bytes: two pieces"
is "$(acc static) $(by static memory_second)" "hits $((2 * T)) = recorded $((2 * T)) $((2 * T))" "a static of two files: the one of that file"
is "$(acc percpu)" "hits $T = recorded $T" "a variable that each CPU has: each CPU its own"
unload

# ---- what it holds, and times ----

load value; run values $N here; run values $N here
is "$(acc value)" "hits $((2 * N)) = recorded $((2 * N))" "value: each write"
is "$(awk '$1 == "slot" && $3 == "CPUS" { print $8, $6 }' $K/value | sort -n | head -n $N | md5sum)" \
	"$(i=0; while [ $i -lt $N ]; do echo $i 2; i=$((i + 1)); done | md5sum)" "value: 0 to N-1, each twice: what was written"
is "$(acc between)" "hits $((2 * N)) = recorded $((2 * N - 1)) + in flight 1" "between: one write and the next"
is "$(acc pair)" "hits $((2 * N)) = recorded $((2 * N))" "pair: from a write to a function"
is "$(sed -n 's/^# key [^=]*=//p' $K/color | sort | tr '\n' ' ')" "MEMORY_BLUE MEMORY_GREEN MEMORY_RED " "by what it holds: an enum, by name"
for name in value between pair color; do both $name $name; done
unload

# ---- what the recorder and interrupts access themselves ----

load own; run three $N; run three $N hardirq; run three $N here
is "$(acc read)" "hits $((2 * T + N)) = recorded $((2 * T + N))" "a handler that reads memory"
is "$(acc half)" "hits $((2 * T + N)) = recorded $((2 * T + N))" "which takes a variable of the runtime: seen, in a handler, each time"
is "$(acc "half's value")" "hits $((2 * T + N)) = recorded 0 + missed $((2 * T + N))" "a guarded statement at that is missed, not entered again"
reaches tick recorded 20
[ "$(others tick hardirq)" -gt 0 ]; ok $? "jiffies: written in hard interrupts: $(others tick hardirq) of $(term tick recorded) times"
[ "$(term "tick's value" recorded)" -ge 20 ]; ok $? "and its values are read there"
reaches "the exception's own" recorded 20
is "$(awk '/^rw/ { print $3 }' "$K/the exception's own" | grep -c 'overflow\|interrupt')" 0 \
	"what the breakpoint's own exception reads is seen where others write it, not there"
for name in read half "half's value" tick "tick's value" "the exception's own"; do balanced "$name"; ok $? "$name: the equation holds"; done
unload; ok $? "the script is unloaded"
i=0
while [ $i -lt 5 ]; do load own && unload || break; i=$((i + 1)); done
is $i 5 "and comes and goes under fire"
unload_all kmeter_memory; ok $? "all is unloaded"
plan
