#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bench.t KERNEL: kmeter's own probes cost no more than what tests/bench/recorded.tsv says, and count every event. Where an
# instruction is counted, the same code has the same cost to the digit; so for a kernel, CPU and compiler that are recorded
# there, a rise of more than 2 % is a failure. For others what was found is in build/bench/RELEASE/recorded.tsv.

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${KMETER_BUILD:-$top/build}
read -r _ rel < <("$top/guest/kernel" "$1")
built=$build/bench/$rel
"$top/tests/bench/scripts" "$1" >/dev/null
"$top/tests/vm/run" -k "$1" -i -x -t 300 -f "$built/scripts:/root/scripts" -f "$top/tests/bench/lib.sh" -f "$top/tests/bench/own.sh" \
	-- "QUICK=1 ROUNDS=5 sh own.sh" >"$built/check.log" || { sed 's/^/# /' "$built/check.log"; echo "not ok 1 - the bench ran in the guest"; echo 1..1; exit; }
sed -n 's/^#/# /p' "$built/check.log"
sed -n 's/^row	//p' "$built/check.log" >"$built/check.rows"
"$top/tests/bench/recorded" "$rel" "$1" <"$built/check.rows" >"$built/recorded.tsv"

awk -F'\t' '
	NR == FNR { if (FNR > 1) { was[$1, $2, $3, $4, $5] = $6; order[++rows] = $0 } next }
	FNR == 1 { next }
	{
		what = $4 " by " $5
		if ($6 == "error") { print "not ok " ++n " - " what ": every event is counted"; next }
		found[$4, $5]
		key = $1 SUBSEP $2 SUBSEP $3
		if (!(($1, $2, $3, $4, $5) in was)) {
			print "ok " ++n " - " what ": " $6 " instructions, not recorded yet"
			new = 1
			next
		}
		limit = was[$1, $2, $3, $4, $5]
		if ($6 > limit * 1.02) {
			print "not ok " ++n " - " what ": " $6 " instructions, recorded are " limit
			print "# If the rise is justified, say why and record it: make bench BENCH=own RECORD=1"
		} else
			print "ok " ++n " - " what ": " $6 " instructions" ($6 < limit ? ", recorded are " limit : "")
	}
	END {
		# A mechanism that fell back to another one, or a scenario without a row. Slow globs are left out here.
		for (i = 1; i <= rows; i++) {
			split(order[i], r, "\t")
			if (r[1] SUBSEP r[2] SUBSEP r[3] != key || ((r[4], r[5]) in found)) continue
			if (r[4] == "glob" && r[5] ~ /probe$/) continue
			print "not ok " ++n " - " r[4] " by " r[5] ": recorded, and not measured any more"
			print "# If that is right, say why and record it: make bench BENCH=own RECORD=1"
		}
		if (new) print "# Not recorded: " FILENAME " has the rows; make bench BENCH=own RECORD=1 keeps them."
		if (!n) { print "not ok 1 - there are rows"; n = 1 }
		print "1.." n
	}' <(cat "$top/tests/bench/recorded.tsv" 2>/dev/null || echo none) "$built/recorded.tsv"
