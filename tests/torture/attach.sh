# SPDX-License-Identifier: GPL-2.0
# attach.sh: each module below groups/, in the order of groups/list, is loaded, works under a workload, is asked for its account, and goes; then
# all must be as it was. Run in the guest by tests/torture/attach, which reads what is printed, and the kernel's log between our marks:
#
#	begin ID		from here on what goes wrong is ID's
#	ok ID POINTS HITS	so many functions attached to, so many hits accounted for
#	wrong ID TEXT
#	again ID		no thunk was taken: none may be left, since tasks sleep in bodies; a new boot will tell
#
# In groups/list: ID, the measurements' names. With SINGLY each measurement is stopped at first, and then runs alone.

. ./tap.sh
. ./workload.sh
exec 2>&1

changed() { wc -l </sys/kernel/tracing/enabled_functions; }
probes() { wc -l <$D/kprobes/list; }
newest() { lsmod | awk '/^km_/ { print $1; exit }'; }
points() { grep -c '^# point ' $K/$1; }
of_thunks() { grep -q '^# point .* direct$' "$K/$1"; }
wrong() { echo "wrong $id $*" | tr '\n' ' '; echo; }

account() {	# NAME
	balanced $1 || { wrong "$1: $(acc $1)"; return 1; }
	n=$(term $1 hits)
	hits=$((hits + ${n:-0}))
	n=$(sed -n 's/^# functions //p' $K/$1)		# a profile's, or each a line
	points=$((points + ${n:-$(points $1)}))
}

one() {		# ID NAME...
	id=$1
	shift
	points=0 hits=0
	echo "begin $id"
	echo "attach: begin $id" >/dev/kmsg
	said=$(insmod groups/$id.ko 2>&1) || { wrong "$said: $(dmesg | grep kstats: | tail -n 2)"; return; }
	if [ "$SINGLY" ]; then
		for name in "$@"; do echo STOP >$K/$name || wrong "$name: STOP"; done
		for name in "$@"; do
			echo "attach: begin $id $name" >/dev/kmsg
			echo START >$K/$name || { wrong "$name: START"; continue; }
			usleep $PAUSE
			account $name
			echo STOP >$K/$name || wrong "$name: STOP"
			[ "$(term $name "in flight")" = 0 ] || wrong "$name: $(acc $name)"
			balanced $name || wrong "$name stopped: $(acc $name)"
		done
	else
		usleep $PAUSE
		for name in "$@"; do account $name; done
		# None at all in the first of a boot: these functions cannot have one.
		if [ "$WANT" = direct ] && [ "$done" ] && ! of_thunks $1; then again=1; fi
	fi
	rmmod $(newest) || { wrong "it cannot be unloaded"; exit 1; }
	now="$(changed) $(probes)"
	[ "$now" = "$before" ] || wrong "changed functions and kprobes: $now, before $before"
	if [ "$again" ]; then echo "again $id"; exit 0; fi
	echo "ok $id $points $hits"
	done=$id
}

mount -t tracefs none /sys/kernel/tracing 2>/dev/null
insmod kstats.ko guard=0 || exit 1
before="$(changed) $(probes)"
begin_workload
again= done=
while read -r line; do one $line; done <groups/list
end_workload
echo "attach: end" >/dev/kmsg
echo over
