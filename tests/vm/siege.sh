# SPDX-License-Identifier: GPL-2.0
# siege.sh: for LONG seconds (20) many processes do at once whatever one may do: load and unload scripts, on the same functions and in any order, switch
# and reset and read and enlarge measurements, command _control, take CPUs away and bring them back, trace the same functions by the kernel's own
# tools, and are killed at any point. Every account balances at every moment, and what counts all the time counts each call.
# Run in the guest by `tests/vm/suite`.

. ./tap.sh
LONG=${LONG:-20}
T=/sys/kernel/tracing

changed() { wc -l <$T/enabled_functions; }
state() { echo "$(changed) $(wc -l <$D/kprobes/list) $(ls $K | grep -vc '^always$') $(lsmod | grep -c '^km_')"; }
calls() { sed -n 's/floods //p' $D/kmeter_test/counts; }
measures() { ls $K 2>/dev/null | grep -v '^_'; }
random() { echo $((0x$(head -c 3 /dev/urandom | hexdump -v -e '1/1 "%02x"') % $1)); }
one_of() { [ $# -gt 0 ] || return; n=$(random $#); shift $n; echo $1; }
did() { echo "$1" >>did.$me; }

# ---- what each of them does, again and again; a step may fail, but never harm ----

loader() {
	script=$(one_of $mine)
	insmod scripts/$script.ko 2>/dev/null || return
	did load
	usleep $(random 300000)
	rmmod $(one_of $(lsmod | awk '/^km_/ { print $1 }' | grep -v $always)) 2>/dev/null && did unload
}
switcher() {
	name=$(one_of $(measures | grep -v '^always$'))
	for word in STOP RESET START RESET; do echo $word >$K/$name && did $word; done 2>/dev/null
}
reader() {
	for name in $(measures); do
		[ -e $K/$name ] || continue
		cat $K/$name >copy.$me 2>/dev/null || continue
		[ -s copy.$me ] || continue
		did read
		tapcheck balanced copy.$me || { grep accounting copy.$me >>unbalanced; cp copy.$me unbalanced.copy; }
		cat $K/_bin/$name >/dev/null 2>&1
	done
	cat $K/_control $K/_held $K/_floor >/dev/null 2>&1
}
commander() {
	name=$(one_of kmeter_test_call vfs_read do_nanosleep kmeter_test_begin x y)
	case $name in
	x) trace "x start __tracepoint_sched_wakeup end __tracepoint_sched_switch" ;;
	y) trace "y start kmeter_test_begin end kmeter_test_end bits 5" ;;
	*) trace "$name bits $(random 11)" ;;
	esac 2>/dev/null && did trace
	echo "remove $(one_of kmeter_test_call vfs_read do_nanosleep kmeter_test_begin x y)" 2>/dev/null >$K/_control && did remove
}
grower() {
	name=$(one_of $(ls $K/_entries))
	echo $((10 + $(random 3000))) 2>/dev/null >$K/_entries/$name && did grow
}
plugger() {
	cpu=/sys/devices/system/cpu/cpu$(($(random $((CPUS - 1))) + 1))/online
	echo 0 2>/dev/null >$cpu && did unplug
	usleep 200000
	echo 1 2>/dev/null >$cpu
}
tracer() {	# others that look at the same functions
	case $(random 5) in
	0) echo kmeter_test_call kmeter_flooded vfs_read >$T/set_ftrace_filter; echo function >$T/current_tracer ;;
	1) echo function_graph >$T/current_tracer ;;
	2) echo 1 >$T/function_profile_enabled ;;
	3) echo 'r:ours/siege kmeter_test:kmeter_test_call' >>$T/kprobe_events; echo 1 >$T/events/ours/siege/enable ;;
	4) echo 'p:ours/entry kmeter_test:kmeter_flooded' >>$T/kprobe_events; echo 1 >$T/events/ours/entry/enable ;;
	esac 2>/dev/null && did trace-otherwise
	usleep 300000
	{ echo nop >$T/current_tracer; echo >$T/set_ftrace_filter; echo 0 >$T/function_profile_enabled; echo 0 >$T/events/ours/enable; echo >$T/kprobe_events; } 2>/dev/null
}
caller() {
	for context in task softirq hardirq; do run call 50 $context; run pair 50 $context; run recurse 5 $context; run record 20 $context; run keys 20; done
	run nest 20; run flood 50 softirq; run flood 50 hardirq
}
remover() {	# what is in use cannot be taken away
	rmmod kstats 2>/dev/null && echo "kstats.ko was unloaded" >>gone
	usleep 100000
}

live() {	# NAME KIND
	me=$1
	while [ ! -e over ]; do $2; done
}

mount -t tracefs none $T 2>/dev/null
insmod kstats.ko guard=0 && insmod kmeter_test.ko
ok $? "kstats.ko and the test module load"
insmod scripts/always.ko; ok $? "and what counts all the time"
always=$(sed -n 's/^# module //p' $K/always)
by=$(sed -n 's/^# point .* //p' $K/always)
before=$(state)
dmesg -n 4
: >unbalanced; : >gone

members=
begin() { (mine=$3; live $1 $2) & eval "pid_$1=$!"; members="$members $1"; }
begin loader1 loader "direct forms quiet"; begin loader2 loader "come entries points"; begin loader3 loader "direct come variable"
for i in 1 2; do begin switcher$i switcher; begin reader$i reader; begin commander$i commander; done
begin grower grower; begin plugger plugger; begin tracer tracer; begin caller caller; begin remover remover

# Every second or so one of them is killed, wherever it is, and another takes its place.
now() { cut -d. -f1 /proc/uptime; }
end=$(($(now) + LONG))
all="load unload STOP START RESET read trace remove grow unplug trace-otherwise"
idle() { for what in $all; do cat did.* 2>/dev/null | grep -qx $what || return 0; done; return 1; }
while [ $(now) -lt $end ] || { idle && [ $(now) -lt $((end + 5 * LONG)) ]; }; do	# a busy machine takes longer
	sleep 1
	who=$(one_of $(echo $members | tr ' ' '\n' | grep -v plugger))
	eval "pid=\$pid_$who"
	kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
	kind=${who%[0-9]}
	mine="direct come forms"
	(live $who $kind) & eval "pid_$who=$!"
done
touch over
for who in $members; do eval "wait \$pid_$who"; done 2>/dev/null
for cpu in /sys/devices/system/cpu/cpu*/online; do echo 1 >$cpu; done 2>/dev/null

for what in $all; do
	n=$(cat did.* | grep -cx "$what")
	[ $n -gt 0 ]; ok $? "$what: $n times"
done
is "$(cat unbalanced | head -n 3)" "" "each account that was read balances"
is "$(cat gone)" "" "kstats.ko cannot be taken away"
echo 0 >$T/function_profile_enabled; echo nop >$T/current_tracer; echo >$T/set_ftrace_filter; echo 0 >$T/events/ours/enable 2>/dev/null; echo >$T/kprobe_events

# What is left is taken away, the oldest first.
sed -n 's/^trace \([^ ]*\).*/\1/p' $K/_control | while read -r name; do echo "remove $name" >$K/_control; done
for module in $(lsmod | awk '/^km_/ { print $1 }' | tac); do
	[ $module = $always ] || rmmod $module
done
free_within 90; ok $? "nothing holds kstats"
is "$(state)" "$before" "functions, kprobes, files and modules as before"
is "$(term always hits)" "$(calls)" "what counted all the time, by $by, has counted each call"
balanced always; ok $? "and accounts for them"
rmmod $always
free_within 90; unload_all kmeter_test; ok $? "kstats.ko is unloaded"
plan
