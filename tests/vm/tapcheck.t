#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the suites' own questions (tapcheck.c) are worth: a text that is right passes, and each way to be wrong is seen. Every
# other text is the right one with one change.

cd "$(dirname "$0")/../.." || exit 1
check=${KMETER_BUILD:-build}/tests/tapcheck
tests/vm/modules -t || exit
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

n=0
ok() {	# STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
is() {	# GOT WANTED NAME
	[ "$1" = "$2" ]; ok $? "$3"
	[ "$1" = "$2" ] || printf '# got: %s\n# wanted: %s\n' "$1" "$2"
}

cat >"$tmp/good" <<'END'
# name calls
# bits 3
# accounting hits 12 = recorded 9 + in flight 2 + fault 1
# key cpu=0
slot 4  CPU  0    count        2 avg        4 p 0.500000
slot 4  CPU  1    count        1 avg        4 p 0.500000
slot 4  CPUS 2    count        3 avg        4 p 0.600000
slot 9  CPU  0    count        2 avg        9 p 1.000000
slot 9  CPUS 1    count        2 avg        9 p 1.000000
# key cpu=01
slot 2  CPU  3    count        4 avg        2 p 1.000000
slot 2  CPUS 1    count        4 avg        2 p 1.000000
END
good=$tmp/good

is "$("$check" acc "$good")" "hits 12 = recorded 9 + in flight 2 + fault 1" "acc"
is "$("$check" term "$good" hits) $("$check" term "$good" "in flight") $("$check" term "$good" fault)" "12 2 1" "term"
is "$("$check" term "$good" exited) $("$check" term "$good" flight) $("$check" term "$good" record)" "0 2 0" \
	"a term that is not shown is 0, and so is a part of a word"
is "$("$check" keyed "$good" cpu=0) $("$check" keyed "$good" cpu=01) $("$check" keyed "$good" cpu)" "5 4 0" "keyed: by the whole key"
is "$("$check" mean "$good" cpu=0) $("$check" mean "$good" cpu=7)" "6 0" "mean"
printf '# key b=2, text=a b, c=x=9\n# nokey\n# key b=10, text=, c=-1\n' >"$tmp/keys"
is "$("$check" keys "$tmp/keys")|$("$check" keys "$good")" "10, , -1;2, a b, 9|0;01" "keys"
"$check" balanced "$good" && "$check" parses "$good"; ok $? "a right text is right"
is "$("$check" both 4 "$good" text)" "ok 5 - text: the equation holds
ok 6 - text: the text parses and adds up" "both, as TAP"
"$check" reaches "$good" recorded 9; ok $? "reaches: at once"
sed 's/recorded 9/recorded 8/' "$good" >"$tmp/late"
(sleep 0.3; cp "$good" "$tmp/late.new"; mv "$tmp/late.new" "$tmp/late") &
"$check" reaches "$tmp/late" recorded 9 && grep -q 'recorded 9' "$tmp/late"; ok $? "reaches: later"
wait
put() { sed "s/recorded 9/recorded $1/" "$good" >"$tmp/late.new"; mv "$tmp/late.new" "$tmp/late"; }	# NUMBER
put 1
(for i in 2 3 4 5 6; do sleep 0.3; put $i; done) &
"$check" reaches "$tmp/late" recorded 6 30 >/dev/null; ok $? "reaches: what grows slowly is waited for longer than what stands"
wait
is "$("$check" reaches "$tmp/late" recorded 7 5; echo $?)" "# recorded: 6 of 7
1" "reaches: what does not grow is not waited for"

# The binary form of a histogram of numbers, one a line, by counting them one after the other: of two CPUs that recorded the
# same.
snapshot() {
	perl -e '
		my ($by, %n, %sum) = $ARGV[1];
		while (<STDIN>) {
			my ($v, $s) = (int $_, 0);
			for (; $v >= 16; $v >>= 1) { $s += 8 }
			$n{$s + $v}++; $sum{$s + $v} += $_;
		}
		my ($first, $last) = (sort { $a <=> $b } keys %n)[0, -1];
		my $slots = join "", map { pack "QQ", $n{$_} // 0, $sum{$_} // 0 } $first .. $last;
		my $runs = join "", map { pack("LLLL", $_, $first, $last - $first + 1, 0) . $slots } 1, 3;
		my $part = pack("LLQQ", 24 + length $runs, 2, 0, 0) . $runs;
		my $head = pack "Q LL Q22 L8", 0x7374617473746b00, $ARGV[0], 1024, 1024 + length $part, (0) x 21, 0, 3, 0, 496, 4, 1, $by, $by;
		print $head, "\0" x (1024 - length $head), $part' "$version" "$by"
}
by=0 version=$(awk '$2 == "KSTATS_VERSION" { print $3 }' runtime/kstats.h)
for range in "0 0" "0 200" "7 9" "15 17" "100 103" "4095 4096" "100 5000" "1000 100000"; do
	seq $range | snapshot >"$tmp/runs"
	is "$("$check" consecutive "$tmp/runs")" "2 $((2 * $(seq $range | wc -l)))" "consecutive: $range"
done
by=1; seq 3 9 | snapshot >"$tmp/runs"; by=0
"$check" consecutive "$tmp/runs"; is $? 2 "consecutive: of what has keys, nothing is said"
# In slots of one, two, ... many numbers; at either end, and between.
for change in '/^401$/d' '/^19999$/d' '/^20000$/p' '/^400$/p' '/^1500$/d' '/^10000$/d' '/^10000$/p' 's/^10000$/10001/' 's/^1500$/1530/' \
	's/^20000/19999/' 's/^5..$/600/' '/^1[6-9]...$/d' 's/^400$/4/' 's/^20000$/30000/'; do
	seq 400 20000 | sed "$change" | snapshot >"$tmp/runs"
	"$check" consecutive "$tmp/runs" >/dev/null; is $? 1 "consecutive: $change"
done
for numbers in "100 102" "100 100 101" "96 97 97" "100 101 103"; do
	tr ' ' '\n' <<<"$numbers" | snapshot >"$tmp/runs"
	"$check" consecutive "$tmp/runs" >/dev/null; is $? 1 "consecutive: $numbers"
done
version=$((version + 1)); seq 3 9 | snapshot >"$tmp/runs"
"$check" consecutive "$tmp/runs" >/dev/null; is $? 2 "consecutive: a version that it does not know"

wrong() {	# QUESTION SED WHY
	sed "$2" "$good" >"$tmp/bad"
	cmp -s "$good" "$tmp/bad" && echo "# nothing was changed: $2"
	out=$("$check" "$1" "$tmp/bad")
	is "$? $(grep -c "^# $3" <<<"$out")" "1 1" "$1: $2"
}
wrong balanced 's/hits 12/hits 13/' hits
wrong balanced 's/in flight 2/in flight 3/' hits
wrong balanced 's/ + fault 1//' hits
wrong balanced 's/recorded 9 + in flight 2/recorded 8 + in flight 3/' hits
wrong balanced '/^# accounting/d' hits
wrong balanced '/^slot 9 .*CPUS/s/count        2/count        1/' hits
wrong parses '/^slot 9 .*CPUS/s/count        2/count        1/' sum
wrong parses '/^slot 4 .*CPUS/s/CPUS 2/CPUS 1/' sum
wrong parses '/^slot 4  CPU  1/d' sum
wrong parses '/^slot 2 .*CPUS/d' "no total"
wrong parses '/^slot 4/s/0\.600000/0.60000/' form
wrong parses '/^slot 4 .*CPUS/s/0\.600000/2.600000/' form
wrong parses 's/^slot 4  CPU  1.*/& /' form
wrong parses 's/^slot 4  CPU  1/slot 4  CPX  1/' form
wrong parses 's/^slot 4  CPU  1/slot  CPU  1/' form
wrong parses 's/^# bits 3/bits 3/' form
wrong parses '/^slot 9  CPU  0/s/1\.000000/0.400000/' share
wrong parses '/^slot 9 .*CPUS/s/1\.000000/0.500000/' "share of all"
wrong parses 's/^slot 9/slot 3/' order
wrong parses 's/^slot 9/slot 4/' order
wrong parses '/^slot 2 .*CPUS/s/1\.000000/0.999999/' "last share"
# Tables: of watch, with a name of two words; of times, with slots behind them.
cat >"$tmp/watch" <<'EOF'
# accounting hits 12 = recorded 9 + full 3
Access_Type Symbol_name              Function                         comm                  Counter
write       total_forks:8            copy_process                     sh                          5
write       total_forks:8            copy_process                     a b                         3
rw          total_forks:8            fork_exit [mod]                  sh                          1
overrun 3
EOF
cat >"$tmp/times" <<'EOF'
# accounting hits 3 = recorded 3
Function                                  Hit             Time            Avg                  s^2
vfs_read                                    2              300            150                 5000
vfs_write                                   1               10             10                    0
overrun 0
EOF
"$check" balanced "$tmp/watch" && "$check" balanced "$tmp/times"; ok $? "tables"
is "$("$check" line "$tmp/watch" "write total_forks:8 copy_process") $("$check" line "$tmp/watch" "write total_forks:8 copy_process a b")" "8 3" "line"
is "$("$check" line "$tmp/times" vfs_read) $("$check" line "$tmp/times" vfs)" "2 0" "line of times: by whole words"
printf '# key point=vfs_read\nslot 1  CPU  0    count        2 avg        1 p 1.000000\nslot 1  CPUS 1    count        2 avg        1 p 1.000000\n' >>"$tmp/times"
printf '# key point=vfs_write\nslot 1  CPU  0    count        1 avg        1 p 1.000000\nslot 1  CPUS 1    count        1 avg        1 p 1.000000\n' >>"$tmp/times"
"$check" balanced "$tmp/times"; ok $? "a table with slots behind it"
good=$tmp/watch
wrong balanced 's/ 5$/ 4/' hits
wrong balanced 's/overrun 3/overrun 2/' hits
good=$tmp/times
wrong balanced 's/^vfs_read  /vfs_read 1/; s/ 2              300/ 3              300/' hits
wrong balanced 's/CPUS 1    count        1/CPUS 1    count        2/' hits
for question in acc "term X" balanced parses consecutive; do
	set -- $question
	"$check" $1 "$tmp/nowhere" $2 >/dev/null 2>&1; [ $? != 0 ]; ok $? "$1: no such file"
done
is "$("$check" both 0 "$tmp/nowhere" text | grep -c '^not ok')" 2 "both: no such file"
is "$("$check" acc 2>/dev/null; echo $?)" 2 "wrong usage"
echo "1..$n"
