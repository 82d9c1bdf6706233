# SPDX-License-Identifier: GPL-2.0
# tap.sh: what the suites in the guest share: TAP, and questions to kstats' text files. Sourced by busybox' sh.

D=/sys/kernel/debug
K=$D/kstats
CPUS=$(grep -c ^processor /proc/cpuinfo)
count=0

ok() {		# STATUS NAME: 0 is good
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

is() {		# GOT EXPECTED NAME
	if [ "$1" = "$2" ]; then
		ok 0 "$3"
	else
		ok 1 "$3"
		printf '# got      %s\n# expected %s\n' "$1" "$2"
	fi
}

refused() {	# FILE TEXT NAME: writing TEXT fails
	if echo "$2" 2>/dev/null >"$1"; then ok 1 "$3"; else ok 0 "$3"; fi
}

plan() { echo "1..$count"; }

# The accounting of a measurement: "hits 4 = recorded 4".
acc() { sed -n 's/^# accounting //p' "$K/$1"; }

# One term of it; 0 where it is not shown. Names of two words with a blank: "in flight".
term() { acc "$1" | sed -n "s/.*\<$2 \([0-9]*\).*/\1/p" | grep . || echo 0; }

# Does the equation hold, and do the slots add up to `recorded`?
balanced() {	# NAME
	awk '/^# accounting/ {
		for (i = 3; i <= NF; i++) if ($i ~ /^[0-9]+$/) { if (!left) { left = 1; hits = $i } else ends += $i }
		match($0, /recorded [0-9]+/); recorded = substr($0, RSTART + 9, RLENGTH - 9)
	}
	/^slot [0-9]+ +CPUS/ { sum += $6 }
	END { if (!left || hits + 0 != ends + 0 || recorded + 0 != sum + 0) { print "# hits " hits " ends " ends " recorded " recorded " slots " sum; exit 1 } }' "$K/$1"
}

# A plain parser of the original form: every other line but comments must have it; per-CPU lines add up to their total
# line, slots rise, shares rise to 1.
parses() {	# NAME
	awk '/^#/ { if ($2 == "key") { slot = -1; at = 0; split("", share) }; next }
	!/^slot [0-9]+ +CPUS? +[0-9]+ +count +[0-9]+ avg +[0-9]+ p [01]\.[0-9][0-9][0-9][0-9][0-9][0-9]$/ { bad("form") }
	$3 == "CPU" { n += $6; cpus++; if ($10 < share[$4]) bad("share"); share[$4] = $10; next }
	{ if (n != $6 || cpus != $4) bad("sum"); if ($2 <= slot) bad("order"); if ($10 < at) bad("share of all")
	  slot = $2; at = $10; n = cpus = 0; last = $10 }
	function bad(why) { print "# " why ": " $0; failed = 1 }
	BEGIN { slot = -1 }
	END { if (n) bad("no total"); if (last != "" && last != "1.000000") bad("last share"); exit failed }' "$K/$1"
}

both() {	# NAME TEXT
	balanced "$1"; ok $? "$2: the equation holds"
	parses "$1"; ok $? "$2: the text parses and adds up"
}

trace() { echo "trace $*" >$K/_control; }
run() { echo "$*" >$D/kmeter_test/run; }

# Until a term has reached a value, at most 10 s.
reaches() {	# NAME TERM VALUE
	i=0
	while [ "$(term "$1" "$2")" -lt "$3" ] && [ $i -lt 100 ]; do usleep 100000; i=$((i + 1)); done
}

# Has kstats.ko no user any more, but for the modules that need it? Within SECONDS, since the last frames and RCU-tasks take time.
is_free() { [ "$(cat /sys/module/kstats/refcnt)" = "$(ls /sys/module/kstats/holders | wc -l)" ]; }
free_within() {	# SECONDS
	i=0
	until is_free || [ $i -ge $(($1 * 10)) ]; do usleep 100000; i=$((i + 1)); done
	is_free
}

# Remove modules, and kstats.ko after them.
unload_all() {	# MODULE...
	for module in "$@"; do rmmod "$module" || return; done
	free_within 90 && rmmod kstats
}

remove() { for name in "$@"; do echo "remove $name" >$K/_control || echo "# cannot remove $name"; done; }

# Does each of the 256 slots that the test module records into have the module's one constant as its mean?
constants() {	# NAME
	awk '$3 == "CPUS" { lo = $2; shift = 0
	for (width = 1; $2 >= 16 && shift < int($2 / 8) - 1; shift++) width *= 2
	lo = (lo - shift * 8) * width
	want = lo + int((width - 1) / 3)
	if ($8 != want) { print "# slot " $2 " mean " $8 " not " want; bad = 1 }; slots++ }
	END { if (slots != 256) { print "# " slots " slots"; bad = 1 }; exit bad }' "$K/$1"
}
