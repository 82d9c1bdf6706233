# SPDX-License-Identifier: GPL-2.0
# cycles.sh: a script with thunks is loaded and unloaded CYCLES times while its functions are called in every context, and
# leaves nothing behind: no memory, no attachment, no count that does not balance; then 50 tasks sleep inside while it is
# unloaded. Run in the guest by `tests/vm/suite`.

. ./tap.sh
CYCLES=${CYCLES:-1000}
ASLEEP=${ASLEEP:-50}
P=scripts/direct.ko

# What is in use, once what may be given back has been: kB of slabs, kB of per-CPU memory, and of all regions of vmalloc's in
# use but for the stacks of tasks (the kernel keeps some) their number and kB.
memory() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 2
	awk '/^Slab:/ { slab = $2 } /^Percpu:/ { percpu = $2 } END { printf "%d %d ", slab, percpu }' /proc/meminfo
	awk '!/unpurged|dup_task_struct|alloc_thread_stack|kernel_clone|vm_map_ram/ { n++; kb += $2 / 1024 } END { print n, kb }' /proc/vmallocinfo
}

# Functions that ftrace has changed, whoever wanted it.
changed() { wc -l </sys/kernel/tracing/enabled_functions; }

load() { insmod $P; }
unload() { rmmod $(lsmod | awk '/^km_/ { print $1 }'); }
held() { wc -l <$K/_held; }
now() { cut -d' ' -f1 /proc/uptime | tr -d .; }		# hundredths of a second

cycle() {
	load || return
	# The traffic goes on while it is loaded, looked at and unloaded.
	if [ $((c % 50)) = 0 ]; then
		for name in calls handled returned begun odd; do balanced $name || return; done
		reaches calls recorded 1
		[ "$(term calls recorded)" -gt 0 ] || return
		echo "# $c"
	fi
	unload
}

mount -t tracefs none /sys/kernel/tracing 2>/dev/null
insmod kstats.ko guard=0 && insmod kmeter_test.ko
ok $? "kstats.ko and the test module load"
load; ok $? "the script loads"
is "$(sed -n 's/^# point .* //p' $K/calls)" direct "by thunks"
unload; ok $? "and is unloaded"
free_within 90; ok $? "nothing holds kstats"

# On a slow machine the cycles are to get on, too: three quarters of its time, and 20 ms, it rests.
traffic() {	# CONTEXT
	while [ ! -e stop ]; do
		read -r from _ </proc/uptime
		run call 100 $1; run pair 50 $1; run recurse 10 $1
		read -r to _ </proc/uptime
		usleep $((20000 + (${to%.*}${to#*.} - ${from%.*}${from#*.}) * 30000))
	done
}
begin() { rm -f stop; for context in task softirq hardirq; do traffic $context & done; }
end() { touch stop; wait; }

# ---- once around, so that what grows once has grown; then the cycles ----

many() {	# TIMES: how many were done is $c
	begin
	c=0
	while [ $c -lt $1 ] && cycle; do c=$((c + 1)); done
	end
	free_within 90 || c=$((-c))
}
first=$((CYCLES < 10 ? CYCLES : 10))
many $first
is $c $first "$first cycles to begin with"
before=$(memory) functions=$(changed)
start=$(now)
many $CYCLES
took=$(($(now) - start))
is $c $CYCLES "loaded and unloaded under calls from tasks, softirqs and hardirqs"
echo "# $c cycles in $((took / 100)) s: $((took * 10 / CYCLES)) ms each"
after=$(memory)
is "$(changed)" "$functions" "no function stays changed"
[ "$(calls=$(sed -n 's/calls //p' $D/kmeter_test/counts); echo ${calls:-0})" -gt 0 ]; ok $? "the functions were called"

# ---- memory is back to where it was ----
# What one cycle takes (a table a CPU and measurement) is far more than these bounds give it: 256 bytes of slab a cycle, and
# what the kernel itself moves. KASAN keeps freed objects for a while, at most a 32nd of the memory.
echo "# slab kB, percpu kB, regions, kB: before $before, after $after"
slack=$((1024 + CYCLES / 4))
if grep -q ' kasan_report$' /proc/kallsyms; then
	slack=$((slack + $(awk '/^MemTotal:/ { print int($2 / 32) }' /proc/meminfo)))
fi
set -- $before $after
[ $(($5 - $1)) -le $slack ]; ok $? "slabs: $(($5 - $1)) kB more, at most $slack"
[ $(($6 - $2)) -le $((64 * CPUS)) ]; ok $? "per-CPU memory: $(($6 - $2)) kB more, at most $((64 * CPUS))"
[ $(($7 - $3)) -le 2 ]; ok $? "regions of vmalloc's: $(($7 - $3)) more, at most 2"
[ $(($8 - $4)) -le 256 ]; ok $? "in kB: $(($8 - $4)) more, at most 256"

# ---- who sleeps inside while it is unloaded, several times: those of before sleep on ----

round=1
while [ $round -le 3 ]; do
	load
	i=0
	while [ $i -lt $ASLEEP ]; do (run sleep 1000000 here) & i=$((i + 1)); done
	reaches slept "in flight" $ASLEEP
	is "$(term slept "in flight")" $ASLEEP "round $round: $ASLEEP tasks sleep inside"
	unload; ok $? "round $round: the script is unloaded meanwhile"
	is "$(held)" $((round * ASLEEP)) "round $round: kstats lists all that sleep there still"
	round=$((round + 1))
done
rmmod kstats 2>/dev/null; [ $? != 0 ]; ok $? "kstats cannot be unloaded"
begin; sleep 1; run wake 0; end
is "$(held)" 0 "they have woken, under calls, and nobody is listed"
free_within 90; ok $? "nothing holds kstats"
is "$(changed)" "$functions" "no function stays changed"
unload_all kmeter_test; ok $? "kstats.ko is unloaded"
plan
