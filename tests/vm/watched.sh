# SPDX-License-Identifier: GPL-2.0
# watched.sh SUITE.sh: run a suite in the guest; on a kernel that looks for mistakes, see that it looks until the end, and have
# it look for what was lost. What it finds stands in the kernel's log, where guest/boot -x reads it.

leaks=/sys/kernel/debug/kmemleak
[ ! -e $leaks ] || { echo scan >$leaks; echo clear >$leaks; } 2>/dev/null

sh "$1"
status=$?

# Of what was lost, all but what the kernel itself loses: before 6.7 (d05cb470663a) registering direct calls of many functions
# at once forgets a table of them each time it takes a larger one but for the last.
lost() {
	awk 'function tell() {
		if (text ~ /ftrace_add_rec_direct/ && text ~ /register_ftrace_direct_multi/) known++; else printf "%s", text
		text = ""
	}
	/^unreferenced object/ { tell() }
	{ text = text "kmemleak: " $0 "\n" }
	END { tell(); if (known) print "# the kernel has lost " known " objects of its tables of direct calls" >"/dev/stderr" }' $leaks
}

if [ -e $leaks ]; then
	# An object must be some seconds old, and be found unreferenced with the same contents twice.
	sleep 6
	read -r level _ </proc/sys/kernel/printk
	dmesg -n 6	# how many there are is said below
	for i in 1 2 3; do echo scan >$leaks; done
	dmesg -n "$level"
	echo on >/proc/sys/kernel/printk_devkmsg
	lost >lost
	[ ! -s lost ] || { echo "WARNING: kmemleak: $(grep -c 'unreferenced object' lost) objects were lost"; head -n 60 lost; } |
		while IFS= read -r line; do echo "$line" >/dev/kmsg; done
fi
# After its first report lockdep is silent: a suite that ends so was not watched.
if [ -e /proc/lockdep_stats ] && ! grep -q 'debug_locks: *1' /proc/lockdep_stats; then
	echo "WARNING: lockdep was off at the end" >/dev/kmsg
fi
exit $status
