# SPDX-License-Identifier: GPL-2.0
# many.sh: of N samples (100,000) through each mechanism, and a hundred times as many through those that cost least, by eight CPUs truly side by side,
# none is lost: the caller's count, that of hits and the histogram are the same number. Run in the guest by `tests/vm/suite`;
# N=10000000 takes hours. Each comes and goes while nobody calls: see guest/boot -h.

. ./tap.sh
N=${N:-100000}
ROUND=8000000		# an instruction each, or some; others are told a part of it: no task keeps a CPU for many seconds

newest() { lsmod | awk '/^km_/ { print $1; exit }'; }
by() { sed -n 's/^# point .* //p' "$K/$1" | sort -u | tr '\n' ' '; }
hundredths() { cut -d' ' -f1 /proc/uptime | tr -d .; }

# All CPUs do WHAT, in rounds of at most ROUND, until each has done it TOTAL / CPUS times.
rounds() {	# WHAT TOTAL ROUND
	each=$(($2 / CPUS))
	done=0
	while [ $done -lt $each ]; do
		n=$((each - done < $3 ? each - done : $3))
		run $1 $n task || return
		done=$((done + n))
	done
}

# What NAME has seen of TOTAL is all of it, and PER samples of each.
all() {		# NAME MECHANISM WHAT TOTAL ROUND [PER]
	per=${6:-1}
	is "$(by $1)" "$2 " "$1: by $2"
	echo RESET >$K/$1
	begun=$(hundredths)
	rounds $3 $4 $5; ok $? "$1: $4 times by $CPUS CPUs in $((($(hundredths) - begun) / 100)) s"
	want=$(($4 / CPUS * CPUS * per))
	is "$(acc $1)" "hits $want = recorded $want" "$1: $want samples by $2, none lost"
	balanced $1; ok $? "$1: by its histogram too"
}

insmod kstats.ko guard=0 && insmod kmeter_test.ko && insmod kmeter_memory.ko
ok $? "kstats.ko and the test modules load"

before=$(sed -n 's/records //p' $D/kmeter_test/counts)
rounds record $((100 * N)) $((ROUND / 8)); ok $? "kstats_record by hand, $((100 * N)) times"
is "$(acc kmeter_test)" "hits $((100 * N / CPUS * CPUS)) = recorded $((100 * N / CPUS * CPUS))" "by hand: none lost"
is "$(($(sed -n 's/records //p' $D/kmeter_test/counts) - before))" "$((100 * N / CPUS * CPUS))" "by hand: as often as the caller says"
constants kmeter_test; ok $? "by hand: each slot's mean is the one constant that was recorded into it"

insmod scripts/forms.ko
all counted direct call $((100 * N)) $ROUND
all pair direct pair $N $((ROUND / 64))
all keyed direct recurse $N $((ROUND / 64)) 4
all by_task tracepoint tracepoints $N $((ROUND / 64))
rmmod $(newest)
insmod scripts/single.ko
all single direct call $((10 * N)) $((ROUND / 16))
rmmod $(newest)
insmod scripts/profile.ko
all one ftrace pair $N $((ROUND / 64))
rmmod $(newest)

insmod scripts/memory-who.ko
is "$(by writes)" "breakpoint " "writes: by breakpoint"
each=$((N / CPUS / 6)) done=0
while [ $done -lt $each ]; do
	n=$((each - done < 10000 ? each - done : 10000))
	echo "three $n" >$D/kmeter_memory/run
	done=$((done + n))
done
is "$(acc writes)" "hits $((each * 6 * CPUS)) = recorded $((each * 6 * CPUS))" "writes: $((each * 6 * CPUS)) samples by breakpoint, none lost"
rmmod $(newest)
free_within 90; unload_all kmeter_test kmeter_memory

others="kretprobe"
case "$(uname -r) $(grep -c ' register_fprobe_ips$' /proc/kallsyms)" in
6.[5-9].*' 1' | 6.1[0-3].*' 1') others="fprobe kretprobe" ;;
esac
for via in $others; do
	case $others/$via in *" "*/kretprobe) without=direct,fprobe ;; *) without=direct ;; esac
	insmod kstats.ko guard=0 without=$without && insmod kmeter_test.ko
	trace kmeter_test_call
	all kmeter_test_call $via call $N $((ROUND / 256))
	echo "remove kmeter_test_call" >$K/_control
	free_within 90; unload_all kmeter_test
done
insmod kstats.ko guard=0 without=direct && insmod kmeter_test.ko && insmod scripts/forms.ko
all counted kprobe call $N $((ROUND / 256))
rmmod $(newest)
free_within 90; unload_all kmeter_test; ok $? "kstats.ko is unloaded"
plan
