# SPDX-License-Identifier: GPL-2.0
# lib.sh: rows of the bench, in the guest; own.sh and peers.sh source it. A row is a line on stdout,
#
#	row TOOL SCENARIO MECHANISM INSTRUCTIONS MEDIAN	NOTE
#
# separated by tabs: instructions over nothing for each time, of the fastest round and of the one in the middle.
# INSTRUCTIONS is `error` where the tool did not count what was done. Other lines are told as they are.

D=/sys/kernel/debug
B=$D/kmeter_bench/run
N=2000			# times a round: kmeter_bench.c
ROUNDS=${ROUNDS:-9}
PAUSE=${PAUSE:-1}

# What a scenario's loop is called: some differ in what is attached only.
loop() {
	case $1 in
	by | oncpu | filter | count | stopped) echo function ;;
	profile | times) echo glob ;;
	*) echo "$1" ;;
	esac
}

# run SCENARIO: sets times, min, median.
run() {
	echo "$(loop "$1") $ROUNDS $PAUSE" >$B || return
	read -r _ _ times _ min _ median <$B
}

# each TICKS-WITH TICKS-WITHOUT: instructions a time, to the nearest one.
each() { awk -v with="$1" -v without="$2" -v per="$per_thousand" -v n=$N \
	'BEGIN { x = (with - without) * 1000 / per / n; printf "%d\n", x < 0 ? x - 0.5 : x + 0.5 }'; }

row() { printf 'row\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" "$6"; }

# result TOOL SCENARIO MECHANISM COUNTED [WANTED]: the row of the run before, confirmed by what the tool counted.
result() {
	want=${5:-$times}
	eval "nothing=\$nothing_$(loop "$2")"
	if [ "$4" = "$want" ]; then
		row "$1" "$2" "$3" "$(each $min $nothing)" "$(each $median $nothing)" ""
	else
		row "$1" "$2" "$3" error - "counted ${4:-nothing} of $want"
	fi
}

# The trigger, what a tick is, and each loop with nothing attached.
begin() {
	modprobe kmeter_bench || exit
	echo calibrate >$B
	read -r _ per_thousand <$B
	echo "# $(uname -r): $per_thousand ticks of the TSC are 1000 instructions; $N times a round, $ROUNDS rounds"
	[ "$per_thousand" -gt 0 ] || exit
	for s in function glob pair tracepoints watch; do
		run $s || exit
		eval "nothing_$s=$min"
	done
}
