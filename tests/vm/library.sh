# SPDX-License-Identifier: GPL-2.0
# library.sh: the scripts that come with kmeter, each under a workload that makes it count (library.list, works.sh): each of its
# measurements has samples, and balances. What counted is printed as `# counted SCRIPT MEASUREMENT N`, of which
# tests/vm/library makes docs/library.md. Those of one workload are loaded side by side; with REPORT=1 each is run alone
# by kmeter, and its report printed as `#| LINE` behind `# report SCRIPT`, for the head of the script. ONLY=REGEXP: these
# scripts; WORKS: these workloads.

. ./tap.sh
. ./works.sh

module() { echo "scripts/library/$(echo "$1" | tr / .).ko"; }
# Of a workload: what was built for this kernel.
names() {
	sed "s/#.*//" library.list | awk -v work="$1" '$2 == work { print $1 }' | grep -E "${ONLY:-.}" |
		while read -r name; do [ ! -e "$(module "$name")" ] || echo "$name"; done
}
quiet() { awk -v script="$1" '$1 == script' library.list | grep -qF "\"$2\""; }

# A line "STATUS NAME" for each of its tests: run beside the measurement, whose numbers are read here.
look() {	# SCRIPT FILE: the files of these measurements
	IFS='
'
	for name in $2; do
		balanced "$name"; echo "$? $1: $name: the equation holds: $(acc "$name")"
		n=$(term "$name" recorded)
		echo "# counted $1	$name	$n"
		quiet "$1" "$name" || { [ "$n" -gt 0 ]; echo "$? $1: $name counts"; }
	done
	unset IFS
}
tell() {
	while read -r status name; do
		if [ "$status" = "#" ]; then echo "# $name"; else ok "$status" "$name"; fi
	done
}
measurements() { ls $K | grep -v '^_'; }
loaded() { sed -n 's/^\(km_[0-9a-f]*\) .*/\1/p' /proc/modules; }

if [ "$1" = inside ]; then	# SCRIPT WORK: what kmeter runs as its command
	"work_$3"
	look "$2" "$(measurements)" >looked
	exit
fi

alone() {	# SCRIPT WORK
	LC_ALL=C.UTF-8 COLUMNS=100 kmeter run "$(module "$1")" -q --top 5 --color=never -c "sh library.sh inside $1 $2" >report 2>err
	ok $? "$1 runs"
	sed 's/^/# /' err
	tell <looked
	echo "# report $1"
	sed 's/^/#| /' report
}

# What the kernel itself counts of requests: reads, writes, discards and flushes of all disks. A flush that is asked for alone is a
# write of nothing for it, which no disk ever sees, beside the flush; of a disk without a cache, it is nothing at all.
requests() { cat /sys/block/*/stat 2>/dev/null | awk '{ n += $1 + $5 + $12 + $16 } END { print n + 0 }'; }
counted() {	# FIRST BEGUN ENDED: each request is in block/latency, and in block/queue
	alone=$(term wait-for-a-flush recorded)
	for name in request request-of-KiB queue-and-device; do
		n=$(term $name recorded) after=$(requests)	# in this order: others may ask for something in between
		[ $((n + alone)) -ge $(($3 - $2)) ] && [ $n -le $((after - $1)) ]
		ok $? "$name: as many requests as the kernel counts: $(($3 - $2)) <= $n + $alone, $n <= $((after - $1))"
	done
}

beside() {	# WORK
	first=$(requests)
	for script in $(names "$1"); do
		before=" $(measurements | tr '\n' '/') "
		insmod "$(module "$script")"; ok $? "$script loads"
		# Which measurements are its own: those that were not there.
		measurements | while IFS= read -r name; do
			case $before in *[/\ ]"$name"/*) ;; *) echo "$name" ;; esac
		done >"own.$(echo "$script" | tr / .)"
	done
	begun=$(requests)
	"work_$1"
	ended=$(requests)
	[ "$1" != disk ] || [ ! -e $K/request ] || [ ! -e $K/queue-and-device ] || [ ! -e $K/wait-for-a-flush ] ||
		counted "$first" "$begun" "$ended"
	for script in $(names "$1"); do
		look "$script" "$(cat "own.$(echo "$script" | tr / .)")"
	done >looked
	tell <looked
	for m in $(loaded); do rmmod "$m" || ok 1 "$m goes"; done
}

insmod kstats.ko guard=0
for work in $(sed "s/#.*//" library.list | awk 'NF { print $2 }' | sort -u); do
	case " ${WORKS:-$work} " in *" $work "*) ;; *) continue ;; esac
	[ "$(names "$work")" ] || continue
	[ "$work" != guest ] || [ -e /dev/kvm ] || { echo "# not run: this guest's processor has no virtualization"; continue; }
	case $(type "prepare_$work" 2>&1) in *function*) "prepare_$work" 2>&1 | sed 's/^/# /' ;; esac
	if [ "$REPORT" ]; then
		for script in $(names "$work"); do alone "$script" "$work"; done
	else
		beside "$work"
	fi
done
while IFS='	' read -r script reason; do
	ok 0 "$script # SKIP this kernel has not $reason"
done <scripts/library/missing
plan
