# SPDX-License-Identifier: GPL-2.0
# own.sh: kmeter's own rows, in the guest. tests/bench/scripts built what is loaded here: scripts/default.ko and VIA.ko hold a
# statement a scenario, named like it; glob.ko and glob@VIA.ko one, of a thousand functions; profile.ko two, of the same. All but the one that is
# measured are stopped, and what is stopped is not attached.
#
# QUICK=1 leaves a glob out where attaching it takes minutes.

. ./lib.sh
K=$D/kstats

term() { sed -n "s/^# accounting .*\<$2 \([0-9]*\).*/\1/p" "$K/$1" | grep . || echo 0; }

# The mechanism: of several points all of them, once each.
mechanism() { sed -n 's/^# point [^ ]* \(.*\)/\1/p' "$K/$1" | awk '!seen[$0]++ { out = out (out ? "+" : "") $0 } END { print out }'; }

load() {	# MODULE
	insmod "scripts/$1.ko" 2>/dev/null && return
	row kmeter "${1%@*}" "${1#*@}" error - "the module did not load: $(dmesg | sed -n 's/.*kstats: //p' | tail -n 1)"
	return 1
}
unload() { rmmod "$(sed -n 's/^\(km_[^ ]*\) .*/\1/p' /proc/modules)"; }

# one SCENARIO: a started one. That of a forced mechanism is a row unless it is the same as without force.
one() {
	mech=$(mechanism "$1")
	case $module in
	default | glob | profile) echo "$mech" >"chosen.$1" ;;
	*) [ "$mech" != "$(cat "chosen.$1")" ] || return ;;
	esac
	echo RESET >$K/$1
	run "$1" || return
	# Each event is a hit; what became of it is what the scenario wants.
	case $1 in filter) want=filtered ;; *) want=recorded ;; esac
	[ "$(term "$1" $want)" = "$times" ] || echo "# $1: $(sed -n 's/^# accounting //p' $K/$1)"
	result kmeter "$1" "$mech" "$(term "$1" hits)"
}

modprobe kstats guard=0 || exit
begin
for module in default $(cd scripts && ls *.ko | sed 's/\.ko$//' | grep -v '^default$\|^glob\|^profile$'); do
	# Where ten functions cannot share a thunk, `ten` does not load by thunks; the others have them by choice.
	case $module:$ten in direct:*probe) echo "# direct is left out: many functions cannot share a thunk here"; continue ;; esac
	load $module || continue
	all=$(ls $K | grep -v '^_')
	for scenario in $all; do echo STOP >$K/$scenario; done
	if [ $module = default ]; then
		run stopped && result kmeter stopped "$(mechanism function)" "$(term function hits)" 0
	fi
	for scenario in $all; do
		[ $scenario != ten ] || continue
		echo START >$K/$scenario
		one $scenario
		echo STOP >$K/$scenario
	done
	[ $module != default ] || ten=$(mechanism ten)
	unload
done

for module in glob $(cd scripts && ls *.ko | sed -n 's/^\(glob@.*\)\.ko$/\1/p'); do
	case $module:$ten in glob@direct:*probe) continue ;; esac
	if [ "$QUICK" ]; then
		case $ten${module#glob} in *probe) echo "# $module is left out: by $ten it takes minutes to attach"; continue ;; esac
	fi
	load $module || continue
	one glob
	unload
done
module=profile
if [ "$QUICK" ] && case $ten in *probe) true ;; *) false ;; esac; then
	echo "# profile is left out: its times by $ten take minutes to attach"
elif load profile; then
	for scenario in profile times; do echo STOP >$K/$scenario; done
	run profile && row kmeter stopped "$(mechanism profile)" "$(each $min $nothing_glob)" "$(each $median $nothing_glob)" ""
	for scenario in profile times; do
		echo START >$K/$scenario
		one $scenario
		echo STOP >$K/$scenario
	done
	unload
fi

# The kernel's own function profiler, where it is built in, which distributions do not. It counts and times by the graph tracer.
Y=/sys/kernel/tracing
mount -t tracefs none $Y 2>/dev/null
if [ -e $Y/function_profile_enabled ]; then
	echo 'kmeter_bench_f*' >$Y/set_ftrace_filter
	[ ! -e $Y/set_graph_function ] || echo 'kmeter_bench_f*' >$Y/set_graph_function
	echo 1 >$Y/function_profile_enabled
	run times
	echo 0 >$Y/function_profile_enabled
	all=$(cat $Y/trace_stat/function* | awk '$1 ~ /^kmeter_bench_f/ { n += $2 } END { print n + 0 }')
	result "function profiler" times "$([ -e $Y/max_graph_depth ] && echo graph || echo ftrace)" "$all"
	echo >$Y/set_ftrace_filter
fi
sed 's/^/# /' scripts/refused
