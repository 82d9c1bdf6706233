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

# What this kernel has not, which tests/vm/modules found, and said why.
lacks() { grep -q "^$1	" scripts/lacks; }		# WORD
skipped() {	# WORD NAME: where it lacks that
	lacks "$1" || return
	count=$((count + 1))
	echo "ok $count - $2 # SKIP this kernel has no $(sed -n "s/^$1	//p" scripts/lacks)"
}

shown() {	# STATUS NAME FILE: where it is not good, what the file says
	ok "$1" "$2"
	[ "$1" = 0 ] || sed 's/^/# /' "$3"
}

refused() {	# FILE TEXT NAME: writing TEXT fails
	if echo "$2" 2>/dev/null >"$1"; then ok 1 "$3"; else ok 0 "$3"; fi
}

plan() { echo "1..$count"; }

# Questions to kstats' text files: each is one process, of tapcheck.c, which says what they mean. Those that print are for
# $(...) alone, whose subshell they take over: a fork less.
acc() { exec tapcheck acc "$K/$1"; }		# NAME: "hits 4 = recorded 4"
term() { exec tapcheck term "$K/$1" "$2"; }	# NAME TERM: names of two words with a blank: "in flight"
keyed() { exec tapcheck keyed "$K/$1" "$2"; }	# NAME KEY: samples of one key
mean() { exec tapcheck mean "$K/$1" "$2"; }	# NAME KEY: and their mean
balanced() { tapcheck balanced "$K/$1"; }	# NAME
parses() { tapcheck parses "$K/$1"; }		# NAME
both() { tapcheck both $count "$K/$1" "$2"; count=$((count + 2)); }	# NAME TEXT
reaches() { tapcheck reaches "$K/$1" "$2" "$3"; }	# NAME TERM VALUE: waits for it, 10 s and longer while it grows

trace() { echo "trace $*" >$K/_control; }
run() { echo "$*" >$D/kmeter_test/run; }

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
