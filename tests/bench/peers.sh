# SPDX-License-Identifier: GPL-2.0
# peers.sh [GROUP]...: what other tools cost, in the guest, on the root that tests/bench/root made. Groups: plain hist perf
# bpftrace bpftrace-new libbpf bcc stap bcc-glob; default: all but the last, which takes many minutes. stap needs the modules
# of tests/bench/stap in ./stap.
#
# Each tool is started, waited for until it sleeps, told to end by SIGINT, and then its own count of events is compared
# with what was done.

. ./lib.sh
T=/sys/kernel/tracing
ADDRESS=

# start PATTERN COMMAND...: in the background; ready once it has printed PATTERN ("" is none) and sleeps.
start() {
	pattern=$1
	shift
	# A background job ignores SIGINT, and python then never hears of it: env undoes that.
	/usr/bin/env --default-signal=INT PYTHONUNBUFFERED=1 "$@" >out 2>&1 </dev/null &
	tool=$!
	asleep=0 waited=0
	while [ $asleep -lt 4 ]; do
		if ! read -r line <"/proc/$tool/stat" 2>/dev/null; then
			echo "# $1 $2 ended: $(tail -n 3 out | tr '\n' ' ')"
			return 1
		fi
		case ${line##*) } in
		S*) if [ -z "$pattern" ] || grep -q -e "$pattern" out; then asleep=$((asleep + 1)); fi ;;
		*) asleep=0 ;;
		esac
		waited=$((waited + 1))
		[ $waited -lt 600 ] || { echo "# $1 $2 is not ready: $(tail -n 3 out | tr '\n' ' ')"; kill -9 $tool; return 1; }
		sleep 0.1
	done
}
stop() { kill -INT $tool; wait $tool 2>/dev/null; }

# What a tool that chooses by itself has taken.
found() { if grep -q 'int_sqrt' $D/kprobes/list; then echo kprobe+kretprobe; else echo fentry; fi; }

# measured TOOL SCENARIO MECHANISM COUNTER PATTERN COMMAND...: one row; COUNTER reads `out`. Without MECHANISM it is looked for.
measured() {
	name=$1 scenario=$2 mech=$3 counter=$4
	shift 4
	if start "$@"; then
		[ "$mech" ] || mech=$(found)
		run "$scenario"
		stop
		got=$($counter)
		[ "$got" = "$times" ] || tail -n 5 out | sed 's/^/# /'
		result "$name" "$scenario" "$mech" "$got"
	else
		row "$name" "$scenario" "$mech" error - "it did not start"
	fi
}

# Samples in what was printed: bpftrace's histograms and counts, bcc's, perf's.
bpftrace_hist() { sed -n 's/^[[(].*[])] *\([0-9][0-9]*\) |.*/\1/p' out | sum; }
bpftrace_count() { sed -n 's/^@[^:]*: \([0-9]*\)$/\1/p' out | sum; }
bcc_hist() { sed -n 's/^ *[0-9]* -> [0-9]* *: *\([0-9]*\) .*/\1/p' out | sum; }
bcc_count() { awk '$1 ~ /int_sqrt/ && $2 ~ /^[0-9]+$/ { n += $2 } END { print n + 0 }' out; }
perf_hist() { sed -n 's/^ *[0-9]* *- .*| *\([0-9][0-9]*\) |.*/\1/p' out | sum; }
perf_stat() { awk '/mem:/ { gsub(",", "", $1); print $1; exit }' out; }
sum() { awk '{ n += $1 } END { print n + 0 }'; }

# ---- a plain module ----

plain() {
	for scenario in function pair watch; do
		modprobe kmeter_plain what=$scenario || continue
		case $scenario in function) mech=kretprobe ;; pair) mech=kprobe ;; watch) mech="bare exception" ;; esac
		run $scenario && result "plain module" $scenario "$mech" "$(cat /sys/module/kmeter_plain/parameters/hits)"
		rmmod kmeter_plain
	done
}

# ---- hist triggers: files of tracefs ----

trigger() { echo "$2" >"$T/events/$1/trigger" || echo "# $1: $2: $(tail -n 2 $T/error_log)"; }

# hist_pair SCENARIO MECHANISM FROM TO KEY BY: the time between two events, with a synthetic one in the middle
hist_pair() {
	echo 'kmb_time u64 ns' >>$T/synthetic_events
	trigger "$3" "hist:keys=$5:start=common_timestamp"
	trigger "$4" "hist:keys=$5:ns=common_timestamp-\$start:onmatch($(echo "$3" | tr / .)).kmb_time(\$ns)"
	trigger synthetic/kmb_time "hist:keys=${6:+$6,}ns.log2"
	run "$1"
	result "hist trigger" "$1" "$2" "$(sed -n 's/^ *Hits: //p' $T/events/synthetic/kmb_time/hist)"
	trigger synthetic/kmb_time "!hist:keys=${6:+$6,}ns.log2"
	trigger "$4" "!hist:keys=$5:ns=common_timestamp-\$start:onmatch($(echo "$3" | tr / .)).kmb_time(\$ns)"
	trigger "$3" "!hist:keys=$5:start=common_timestamp"
	echo '!kmb_time u64 ns' >>$T/synthetic_events
}

hist() {
	echo 'p:kmb/call int_sqrt' >>$T/kprobe_events
	echo 'r:kmb/back int_sqrt' >>$T/kprobe_events
	echo 'p:kmb/pow int_pow' >>$T/kprobe_events
	hist_pair function "kprobe+kretprobe" kmb/call kmb/back common_pid
	hist_pair by "kprobe+kretprobe" kmb/call kmb/back common_pid common_pid.execname
	hist_pair pair kprobe kmb/call kmb/pow common_pid
	hist_pair tracepoints tracepoint kmeter_bench/kmeter_bench_a kmeter_bench/kmeter_bench_b pid
	trigger kmb/call hist:keys=common_pid
	run count
	result "hist trigger" count kprobe "$(sed -n 's/^ *Hits: //p' $T/events/kmb/call/hist)"
	trigger kmb/call '!hist:keys=common_pid'
	for event in call back pow; do echo "-:kmb/$event" >>$T/kprobe_events; done
}

# ---- perf ----

perf_group() {
	# What it reads from the trace's buffer it must have read before that is full.
	PAUSE=500
	measured "perf ftrace latency" function function_graph perf_hist "" perf ftrace latency -T int_sqrt
	PAUSE=1
	measured "perf stat" watch breakpoint perf_stat "" perf stat -a -e "mem:0x$ADDRESS:w"
}

# ---- bpftrace ----

# bpftrace NAME [CHROOT...]: by kprobes, then by fentry and fexit, as one would write it for that version.
bpftrace_group() {
	name=$1 attached="^Attaching"
	shift
	"$@" bpftrace --version
	b() { measured "$name" "$1" "$2" "$3" "$attached" $under bpftrace -e "$4"; }
	under=$*
	for way in kprobe fentry; do
		if [ $way = kprobe ]; then call=kprobe back=kretprobe; else call=kfunc back=kretfunc; fi
		enter="$call:int_sqrt { @start[tid] = nsecs; }"
		leave="/@start[tid]/ { @ns = hist(nsecs - @start[tid]); delete(@start[tid]); }"
		b function $way bpftrace_hist "$enter $back:int_sqrt $leave"
		b by $way bpftrace_hist "$enter $back:int_sqrt $(echo "$leave" | sed 's/@ns/@ns[pid, comm]/')"
		b pair $way bpftrace_hist "$enter $call:int_pow $leave"
		b count $way bpftrace_count "$call:int_sqrt { @ = count(); }"
	done
	b tracepoints tracepoint bpftrace_hist "tracepoint:kmeter_bench:kmeter_bench_a { @start[args->pid] = nsecs; }
		tracepoint:kmeter_bench:kmeter_bench_b /@start[args->pid]/ {
			@ns = hist(nsecs - @start[args->pid]); delete(@start[args->pid]); }"
	b watch breakpoint bpftrace_count "watchpoint:0x$ADDRESS:8:w { @ = count(); }"
}

# ---- bcc ----

libbpf() {
	measured "libbpf-tools 0.26" function "" bcc_hist "" funclatency int_sqrt
	measured "libbpf-tools 0.31" function "" bcc_hist "" chroot /trixie funclatency-libbpf int_sqrt
}

bcc() {
	measured "bcc 0.26 funclatency" function kprobe+kretprobe bcc_hist "^Tracing" funclatency-bpfcc int_sqrt
	measured "bcc 0.26 funccount" count kprobe bcc_count "^Tracing" funccount-bpfcc int_sqrt
}

bcc_glob() {
	measured "bcc 0.26 funclatency" glob kprobe+kretprobe bcc_hist "^Tracing" funclatency-bpfcc "kmeter_bench_f*"
}

# systemtap's modules are made beforehand; staprun loads them.
stap_count() { sed -n 's/^count \([0-9]*\)$/\1/p' out | sum; }
stap() {
	mkdir -p /trixie/stap
	for scenario in function by pair count; do
		[ -e stap/kmstap_$scenario.ko ] || continue
		case $scenario in function | by) mech=kprobe+kretprobe ;; *) mech=kprobe ;; esac
		cp stap/kmstap_$scenario.ko /trixie/stap/
		measured "systemtap 5.1" $scenario $mech stap_count "" chroot /trixie staprun /stap/kmstap_$scenario.ko
	done
}

for dir in proc sys dev lib/modules usr/src; do
	mkdir -p /trixie/$dir
	mount --rbind /$dir /trixie/$dir
done
begin
ADDRESS=$(awk '$3 == "kmeter_bench_watched" { print $1 }' /proc/kallsyms)
for group in ${*:-plain hist perf bpftrace bpftrace-new libbpf bcc stap}; do
	case $group in
	bpftrace) bpftrace_group "bpftrace 0.17" ;;
	bpftrace-new) bpftrace_group "bpftrace 0.23" chroot /trixie ;;
	perf) perf_group ;;
	bcc-glob) bcc_glob ;;
	*) $group ;;
	esac
done
