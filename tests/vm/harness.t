#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest harness itself: what goes in comes out, on every kernel.

cd "$(dirname "$0")/../.." || exit 1
boot=guest/boot
kernels=${KERNELS:-6.1 6.12}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

n=0
ok() {	# STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
is() {	# GOT WANTED NAME
	[ "$1" = "$2" ]
	ok $? "$3"
	[ "$1" = "$2" ] || printf '# got: %s\n# wanted: %s\n' "$1" "$2"
}

# One boot a kernel, four CPUs, for all that ends well.
head -c 300000 /dev/urandom >"$tmp/bytes"
for k in $kernels; do
	$boot -k $k -s 4 -x -f "$tmp/bytes" -f /bin/true:/opt/true -- '
		cat bytes
		{ uname -r; nproc; echo $PWD; nmi 20; cat /proc/interrupts; } >&2
		/opt/true && echo "a dynamic program ran" >&2
		[ -e /sys/kernel/debug/tracing ] && ping -c 1 127.0.0.1 >/dev/null && echo "ready to use" >&2
		sh -c "kill -9 \$\$" 2>/dev/null; echo "killed: $?" >&2
		exit 42' >"$tmp/out" 2>"$tmp/err"
	is $? 42 "$k: exit status"
	cmp "$tmp/bytes" "$tmp/out" >&2
	ok $? "$k: stdout is the bytes written, and no more"
	is "$(sed -n 1p "$tmp/err")" "$(guest/kernel $k | cut -d' ' -f2)" "$k: the kernel asked for"
	is "$(sed -n 2,3p "$tmp/err" | paste -sd' ')" "4 /root" "$k: the CPUs asked for, home"
	sed -n 4p "$tmp/err" | awk '{ for (i = 1; i <= 4; i++) if ($i < 20) exit 1 }'
	ok $? "$k: each CPU took 20 NMIs: $(sed -n 4p "$tmp/err")"
	awk '/^ *NMI:/ { for (i = 2; i <= 5; i++) if ($i >= 20) n++ } END { exit n != 4 }' "$tmp/err"
	ok $? "$k: /proc/interrupts says so too"
	is "$(tail -n 3 "$tmp/err")" "a dynamic program ran
ready to use
killed: 137" "$k: libraries, debugfs, loopback, signals"
done

# What ends badly: both at once, on two kernels.
set -- $kernels
$boot -k $1 -- 'echo before; sleep 1; echo c >/proc/sysrq-trigger; sleep 1000' >"$tmp/out" 2>"$tmp/err" &
$boot -k ${2:-$1} -t 3 -x -l "$tmp/log" -- '
	echo streamed; echo "kmeter-test: BUG: not really" >/dev/kmsg; sleep 1000' >"$tmp/out2" 2>"$tmp/err2" &
late=$!
until [ -s "$tmp/out2" ] || ! kill -0 $late 2>/dev/null; do sleep 0.2; done
kill -0 $late 2>/dev/null
is "$? $(cat "$tmp/out2")" "0 streamed" "output arrives while the guest runs"
wait %1
is "$? $(cat "$tmp/out")" "125 before" "a panic: status 125, and what was written before it"
grep -q 'sysrq triggered crash' "$tmp/err"
ok $? "a panic: its kernel log is shown"
wait $late
is $? 124 "too late: status 124"
grep -q 'kmeter-test' "$tmp/log"
ok $? "the kernel log is kept where -l says"
for dir in "${TMPDIR:-/tmp}"/kmeter-guest.{$!,$late}.*; do [ ! -e "$dir" ]; done
ok $? "no temporary files stay"

# -x, at once with a guest that counts instructions: there the same work takes
# the same time, however busy the host is.
$boot -k $1 -x -- 'echo "<3>WARNING: CPU: 0 in a test" >/dev/kmsg; exit 3' >"$tmp/out" 2>"$tmp/err" &
$boot -k ${2:-$1} -i -- '
	cat /sys/devices/system/clocksource/clocksource0/current_clocksource
	now() { sed -n "s/^now at \([0-9]*\).*/\1/p" /proc/timer_list; }
	for run in 1 2 3 4; do
		from=$(now)
		i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done
		echo $from $(now)
	done' >"$tmp/out2" 2>"$tmp/err2"
is "$? $(head -n 1 "$tmp/out2")" "0 tsc" "-i: the guest runs, its clock is the instruction count"
times=$(awk 'NR > 2 { print $2 - $1 }' "$tmp/out2" | sort -n | paste -sd' ')
awk -v t="$times" 'BEGIN { split(t, a, " "); exit !(a[1] > 1e6 && a[3] < a[1] * 1.01) }'
ok $? "-i: equal work takes equal time (ns: $times)"
wait %1
is $? 126 "-x: a warning in the kernel log is status 126"
grep -q 'WARNING: CPU: 0 in a test' "$tmp/err"
ok $? "-x: and is shown"

echo "1..$n"
