# SPDX-License-Identifier: GPL-2.0
# console.sh: kmeter on a real kernel, with scripts compiled on the host: run in the guest by `tests/vm/suite`. Expected
# numbers are what the test module was told to do.

. ./tap.sh
N=500
T=$((N * CPUS))
R=$((T - N))		# all CPUs but one
run=$D/kmeter_test/run

mine() { cut -d' ' -f1 /proc/modules | grep -c '^km_'; }
status() { "$@" >out 2>err; got=$?; }
says() { grep -q -e "$1" out err; ok $? "$2"; }	# PATTERN NAME

# ---- a script's life ----

status kmeter run scripts/vfs.ko -c 'dd if=/dev/zero of=/dev/null bs=1 count=50 status=none; exit 3'
is $got 0 "kmeter run -c: status 0"
says 'ended with status 3' "and the command's own is told"
says '^vfs_read' "a report of the first statement"
says '^vfs_write' "a report of the second"
says '^  dd  *50 ' "by comm: fifty writes by dd"
is "$(mine)" 0 "no module stays"
[ ! -d /sys/module/kstats ]; ok $? "nor the runtime, which was found in /lib/modules"

modprobe kmeter_test; ok $? "the test module brings the runtime along"
status kmeter load scripts/points.ko
is $got 0 "kmeter load"
cp out all
is "$(tail -n 1 all)" "$(sed -n 's/^# \(.*\) km_.*/\1/p' $K/_control | tail -n 1)" "it prints the names, in the script's order"
is "$(mine)" 1 "its module stays"
run call $N
run pair $N
run tracepoints $N
all="hits $T = recorded $T"
is "$(acc calls)" "$all" "measure FUNCTION"
is "$(grep -c '^# key cpu=' $K/by_cpu) $(acc by_cpu)" "$CPUS $all" "by cpu: one part a CPU"
is "$(awk '/^slot .*CPUS/ { n[k] += $6 } /^# key/ { k = $3 } END { for (k in n) if (n[k] != '$N') bad = 1; print bad + 0 }' $K/by_cpu)" 0 "each has N"
is "$(grep -c "^# key comm=kmeter_test/[0-9]*, cpu=" $K/by_comm_cpu) $(acc by_comm_cpu)" "$CPUS $all" "by comm, cpu"
is "$(acc cpu0)" "hits $T = recorded $N + filtered $R" "if cpu == 0"
is "$(acc others)" "hits $T = recorded $R + filtered $N" "if elapsed >= 0 && cpu != 0"
is "$(acc never)" "hits $T = recorded 0 + filtered $T" "if elapsed > 1000s"
is "$(acc divides)" "hits $T = recorded 0 + fault $T" "a division by zero is a fault, counted"
if [ $CPUS -gt 2 ]; then
	is "$(acc few_entries)" "hits $T = recorded $((2 * N)) + full $((T - 2 * N))" "entries 2: the other keys are counted as full"
fi
is "$(acc to_return)" "$all" "from f to f:return"
is "$(acc from_offset)" "$all" "from f+0 to g:return"
is "$(acc per_cpu)" "$all" "key cpu"
is "$(acc per_tid)" "$all" "key tid, by comm"
is "$(acc events)" "$all" "tracepoints with their system"
is "$(acc events_cpu0)" "hits $((T + R)) = recorded $N + filtered $R + unmatched $R" "if at a start: its ends are unmatched"
is "$(acc end_cpu0_no)" "hits $((T + N)) = recorded $R + filtered $N + replaced $((N - 1)) + exited 1" "if at an end: it is none, and the start waits on"
is "$(acc offset)" "$all" "from an instruction, by breakpoint, to a function: in one context"
is "$(acc any)" "hits $((2 * T)) = recorded $((2 * T))" "any of two starts, any of two ends"
for name in calls by_cpu by_comm_cpu cpu0 others never divides few_entries to_return from_offset per_cpu per_tid events \
	events_cpu0 end_cpu0_no any offset; do
	balanced $name; ok $? "$name: the equation holds"
	parses $name; ok $? "$name: the text parses and adds up"
done

status kmeter show calls --json
grep -q '"recorded": *'$T'\>' out; ok $? "kmeter show --json tells the same"
status kmeter show 'per_*'
is "$(grep -c '^per_' out)" 2 "kmeter show takes a pattern"
status kmeter list
is "$(grep -c ' stays ' out) $(grep -c 'by hand\|its own module' out)" "$(grep -c . all) 1" "kmeter list"
kmeter stop -q --all		# so that nothing differs from one look to the next but the moment
kmeter show >shown
kmeter show --json >saved.json
status kmeter show saved.json
is "$(cmp shown out)" "" "kmeter show FILE.json of $(grep -c . all) measurements: the report is the same, byte for byte"
status kmeter show saved.json --json
is "$(cmp saved.json out)" "" "and so is the JSON"
kmeter start -q --all
kmeter show calls --json >before.json
run call $N
kmeter stop -q calls
kmeter show calls --json >after.json
kmeter reset -q calls
status kmeter diff before.json before.json
is $got 0 "kmeter diff FILE FILE: status 0"
status kmeter diff before.json after.json calls -F json
is "$(grep -o '"count":\[[0-9]*,[0-9]*\]' out)" "\"count\":[$T,$((2 * T))]" "kmeter diff tells both counts"
status kmeter merge before.json after.json
is $got 2 "kmeter merge refuses the same samples twice"
says 'count them twice' "and says so"
kmeter start -q calls
run call $N
status kmeter stop calls
run call $N
is "$(acc calls)" "$all" "kmeter stop"
status kmeter start calls
run call $N
is "$(acc calls)" "hits $((2 * T)) = recorded $((2 * T))" "kmeter start"
status kmeter reset calls
is "$(acc calls)" "hits 0 = recorded 0" "kmeter reset"
status kmeter load scripts/points.ko
is $got 3 "the same script again is refused, status 3"
says 'unload' "and what to do is said"
is "$(acc per_tid)" "$all" "the first one is untouched"
status kmeter unload calls
is "$(mine)" 0 "kmeter unload takes a measurement's name"

# ---- reports ----

status kmeter run scripts/quiet.ko -d 300ms
is $got 0 "nothing measured is a valid answer"
says 'hits 0' "with its accounting"
status kmeter run scripts/points.ko -i 1 -n 3 -c "sleep 60"
is "$(grep -c '^calls' out)" 3 "-i -n: three reports"
status kmeter run scripts/points.ko --json -i 1 -n 2
is "$(wc -l <out) $(grep -c '^{.*}$' out)" "2 2" "--json -i: a document a line"
for signal in INT TERM; do
	timeout -s $signal 10 kmeter run scripts/vfs.ko >out 2>err
	until [ "$(mine)" = 0 ]; do usleep 50000; done	# timeout does not wait for it
	usleep 2000000
	is "$(grep -c '^vfs_read' out) $(mine)" "1 0" "SIG$signal: a report, and unloaded"
done

# The page of --html: what draws it is not aboard; what it holds does not depend on that (tests/browser has a real one).
status kmeter run scripts/points.ko -d 1 --html page
is "$got $(mine) $(echo page*)" "2 0 page*" "--html without what draws it: refused before anything is loaded"
says 'make assets' "and how to come by it"
mkdir -p /usr/share/kmeter/html
for file in echarts.min.js echarts.txt numbers.js charts.js tables.js report.js report.css; do
	echo "/* $file */" >/usr/share/kmeter/html/$file
done
status kmeter run scripts/points.ko -i 1 -n 3 --html page
is "$got $(grep -c '^calls' out) $(grep -c '^{"kmeter"' page) $(tail -n 1 page)" "0 3 3 </html>" "--html: every report of -i, beside the text"
rm page
kmeter run scripts/points.ko -i 1 --html page >out 2>err &	# of functions that no task sleeps in
sleep 3
is "$(echo page*)" "page*" "no page before the end"
kill -INT $!
wait $!
is "$(echo page*) $(grep -c '^calls' out) $(tail -n 1 page)" "page $(grep -c '^{"kmeter"' page) </html>" "SIGINT: a whole page of what there was"
rm page
timeout -s KILL 2 kmeter run scripts/points.ko -i 1 --html page >out 2>err
is "$(echo page*)" "page*" "SIGKILL: nothing half, and nothing left beside"
kmeter unload --all 2>/dev/null
status kmeter run scripts/vfs.ko -- /nonexistent/command
is "$got $(mine)" "127 0" "a command that cannot be started: 127"

# ---- for Prometheus ----

ifconfig lo 127.0.0.1
scrape() { mv scraped before 2>/dev/null; wget -q -O scraped http://127.0.0.1:9978/metrics; }
series() { grep -v '^#' scraped | grep -F "$1 " | sed 's/.* //'; }	# NAME{LABELS}
# Has no counter gone back since the scrape before, and none gone?
grown() {
	awk '/^#/ || /^kmeter_(in_flight|counting|buckets|groups|other_groups)/ { next }
	     NR == FNR { was[$1] = $2; next } { now[$1] = $2 }
	     END { for (s in was) if (!(s in now) || now[s] + 0 < was[s] + 0) { print "# " s " " was[s] " " now[s]; bad = 1 } exit bad }' before scraped
}
kmeter serve calls by_cpu cpu0 >out 2>err &
server=$!
until grep -q ^note: err; do usleep 50000; done
says 'serving http://127.0.0.1:9978/metrics' "kmeter serve, with nothing to be served yet"
scrape
is "$(series kmeter_read_errors_total) $(grep -c '{measurement' scraped)" "0 0" "then it says nothing"
kmeter load -q scripts/points.ko >/dev/null
run call $N
scrape
is "$(series 'kmeter_duration_seconds_count{measurement="calls"}') $(series 'kmeter_duration_seconds_bucket{measurement="calls",le="+Inf"}')" "$T $T" "what is loaded meanwhile is there"
is "$(grep -c '^kmeter_duration_seconds_count{measurement="by_cpu",cpu=".*"} '$N'$' scraped)" "$CPUS" "each group has its series"
is "$(series 'kmeter_accounting_total{measurement="cpu0",term="filtered"}')" "$R" "losses and filters are counters"
run call $N		# of which no scrape knows
kmeter reset -q calls by_cpu
run call $N
scrape
is "$(series 'kmeter_duration_seconds_count{measurement="calls"}') $(series 'kmeter_unseen_total{measurement="calls"}') $(series 'kmeter_resets_total{measurement="calls"}')" \
	"$((2 * T)) $T 1" "RESET between two scrapes: what was seen stays, what was not is known"
is "$(series 'kmeter_accounting_total{measurement="calls",term="recorded"}') $(series 'kmeter_accounting_total{measurement="calls",term="hits"}')" \
	"$((3 * T)) $((3 * T))" "the accounting has all"
grown; ok $? "no counter has gone back"
kmeter reset -q calls
run call $N
kmeter reset -q calls
run call $N
scrape
is "$(series 'kmeter_duration_seconds_count{measurement="calls"}') $(series 'kmeter_unseen_total{measurement="calls"}')" "$((3 * T)) $((2 * T))" "twice between two scrapes"
grown; ok $? "again none has gone back"
for i in 1 2 3 4 5 6 7 8; do run call 50000; done &
busy=$!
scrapes=0 back=0
while kill -0 $busy 2>/dev/null; do
	scrape
	grown || back=$((back + 1))
	scrapes=$((scrapes + 1))
done
wait $busy
[ $scrapes -gt 3 ] && [ $back = 0 ]; ok $? "scraped again and again while it counts: nothing goes back"
scrape
is "$(series 'kmeter_accounting_total{measurement="calls",term="recorded"}') $(balanced calls && echo good)" "$((5 * T + 8 * 50000 * CPUS)) good" "and nothing was lost by it"
kmeter unload -q calls
scrape
is "$(grep -c '{measurement' scraped)" 0 "unloaded, it is gone"
kmeter load -q scripts/points.ko >/dev/null
run call $N
scrape
is "$(series 'kmeter_duration_seconds_count{measurement="calls"}') $(series 'kmeter_unseen_total{measurement="calls"}')" "$T 0" "loaded again, it begins from 0"
kill $server
wait $server
is $? 0 "SIGTERM ends it, status 0"
kmeter unload -q calls
kmeter serve --listen 127.0.0.1:9978 --textfile kmeter.prom -i 100ms >out 2>err &
server=$!
until grep -q ^note: err; do usleep 50000; done
status kmeter serve
is $got 3 "a second one at the same address: status 3"
says 'another program' "and what to do"
kill -INT $server
wait $server
is "$? $(echo kmeter.prom*)" "0 kmeter.prom*" "SIGINT ends it, and takes its file along"

# ---- refusals ----

echo "trace taken start vfs_read end vfs_write" >$K/_control
status kmeter run scripts/taken.ko -d 1
is "$got $(mine) $(ls $K | grep -c first)" "3 0 0" "a taken name: status 3, nothing of the script stays"
says 'taken' "the kernel's own words are shown"
echo "remove taken" >$K/_control
umount /sys/kernel/debug
status kmeter run scripts/vfs.ko -d 1
is "$got" 3 "no debugfs: status 3"
says 'mount -t debugfs' "and how to mount it"
mount -t debugfs debug /sys/kernel/debug
status kmeter run err/nosuch.ko -d 1
[ $got != 0 ]; ok $? "no such file"
if [ -e scripts/other.ko ]; then	# there is one when the tests run for several kernels
	status kmeter run scripts/other.ko -d 1
	is "$got $(mine)" "3 0" "a module for another kernel: status 3"
fi
status kmeter -e 'measure vfs_red' --nosuchoption
is $got 2 "wrong usage: status 2"

# ---- everything at once ----

touch hitting
(while [ -e hitting ]; do run call 1000; run pair 200; run tracepoints 1000 hardirq; done) & hitter=$!
i=0
while [ $i -lt 3 ]; do
	status kmeter run scripts/points.ko -d 200ms
	[ $got = 0 ] || { cat err; break; }
	i=$((i + 1))
done
is "$i $(mine)" "3 0" "loaded and unloaded while all CPUs hit it"
i=0
while [ $i -lt 12 ]; do
	kmeter -q run scripts/points.ko -d 10 >/dev/null 2>&1 & kmeter=$!
	usleep $((i * 90000))
	kill -9 $kmeter
	wait $kmeter 2>/dev/null
	[ $((i % 4)) != 3 ] || kmeter unload --all 2>err >out || { cat err; break; }
	i=$((i + 1))
done
is $i 12 "killed -9 at twelve moments, and cleaned up"
kmeter -q run scripts/points.ko -d 30 >/dev/null 2>&1 & kmeter=$!
until [ -e $K/any ]; do usleep 50000; done
kill -9 $kmeter
wait $kmeter 2>/dev/null
status kmeter list
says 'left behind' "kmeter list: left behind"
balanced any; ok $? "what was left behind goes on counting, and balances"
for what in start stop reset; do
	for name in calls events; do
		kmeter $what $name 2>/dev/null & kmeter=$!
		usleep 100000
		kill -9 $kmeter 2>/dev/null
		wait $kmeter 2>/dev/null
	done
done
balanced calls && balanced events; ok $? "start, stop and reset, killed in the middle: it balances"
rm hitting
wait $hitter
rmmod kmeter_test
status kmeter unload --all
is "$got $(mine) $(ls -d /sys/module/kstats 2>/dev/null)" "0 0 " "kmeter unload --all leaves nothing"
is "$(cat $D/kprobes/list)" "" "no probe either"
# ---- what the running kernel itself says of its functions, types, events and system calls ----

mount -t tracefs none /sys/kernel/tracing 2>/dev/null
status kmeter -L vfs_read
is "$got $(head -n 1 out)" "0 vfs_read(struct file *file, char *buf, size_t count, loff_t *pos): ssize_t" "-L: a function, from BTF"
is "$(sed -n 2p out)" "    calls, return: direct, kretprobe; entry: direct, kprobe" "and by what, the first first"
status kmeter -L kfree
says 'calls, return: kretprobe; .*not direct: it uses its return address' "-L: why not by a thunk"
status kmeter -L 'tp:sched:sched_wakeup'
is "$got $(head -n 1 out)" "0 tp:sched:sched_wakeup(struct task_struct *p)" "-L: a tracepoint, its system from tracefs"
status kmeter -L syscall:openat
is "$got $(head -n 1 out)" "0 syscall:openat(int dfd, const char *filename, int flags, umode_t mode): long" "-L: a system call"
status kmeter --dump plan -e 'count vfs_read by $file->f_inode->i_ino, jiffies'
is $got 1 "a variable whose type nobody knows"
says 'nothing tells its type' "is told so"
each=$(lacks variables || echo ", process_counts")
status kmeter --dump plan -e 'count vfs_read by $file->f_inode->i_ino, *(u64 *)&jiffies'"$each"
is $got 0 "fields, a variable's address${each:+ and a per-CPU variable} of the running kernel"

plan
