#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bench.t KERNEL: kmeter's own probes cost no more than what tests/bench/recorded.tsv says, and count every event. Where an
# instruction is counted, the same code has the same cost to the digit; so for a kernel, CPU and compiler that are recorded
# there, a rise of more than 2 % is a failure. For others what was found is in build/bench/RELEASE/recorded.tsv.

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${KMETER_BUILD:-$top/build}
recorded=$top/tests/bench/recorded
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# ---- does the check itself find what it is for? ----

rows() { echo header; for row; do printf 'k\tcpu\tcc\t%s\n' "$(echo "$row" | tr ' ' '\t')"; done; }
verdict() {	# WANTED ROW...: against four recorded rows; WANTED is the numbers of passes and failures
	local wanted=$1 got
	shift
	rows "function direct 100" "count direct 8" "stopped direct 0" "glob kretprobe 700" >"$tmp/kept"
	rows "$@" >"$tmp/rows"
	"$recorded" --check "$tmp/rows" "$tmp/kept" >"$tmp/tap"
	got="$(grep -c '^ok' "$tmp/tap" || :) $(grep -c '^not ok' "$tmp/tap" || :)"
	[ "$got" = "$wanted" ] && return
	echo "# $*: $got, not $wanted" >>"$tmp/wrong"
}
verdict "3 0" "function direct 102" "count direct 7" "stopped direct 0"
verdict "2 1" "function direct 103" "count direct 8" "stopped direct 0"
verdict "2 1" "function direct 100" "count direct 9" "stopped direct 0"
verdict "2 1" "function direct 100" "count direct 8" "stopped direct 1"
verdict "2 1" "function direct error" "count direct 8" "stopped direct 0"
verdict "3 1" "function kretprobe 90" "count direct 8" "stopped direct 0"
verdict "4 0" "function direct 100" "count direct 8" "stopped direct 0" "watch breakpoint 600"
verdict "0 1"
n=1
if [ ! -e "$tmp/wrong" ]; then
	echo "ok 1 - rises, errors and rows that are gone are found"
else
	echo "not ok 1 - rises, errors and rows that are gone are found"
	cat "$tmp/wrong"
fi

# ---- the rows ----

read -r _ rel < <("$top/guest/kernel" "$1")
built=$build/bench/$rel
"$top/tests/bench/scripts" "$1" >/dev/null
if "$top/tests/vm/run" -k "$1" -i -x -t 300 -f "$built/scripts:scripts" -f "$top/tests/bench/lib.sh" \
	-f "$top/tests/bench/own.sh" -- "QUICK=1 ROUNDS=5 sh own.sh" >"$built/check.log"; then
	echo "ok 2 - the guest's kernel has nothing to complain of"
else
	echo "not ok 2 - the guest's kernel has nothing to complain of"
fi
grep '^#' "$built/check.log" || :
sed -n 's/^row	//p' "$built/check.log" | "$recorded" "$rel" "$1" >"$built/recorded.tsv"
"$recorded" --check "$built/recorded.tsv" | awk '/^(not )?ok/ { sub(/ok [0-9]+/, "ok " (++n + 2)) } { print } END { print "1.." n + 2 }'
