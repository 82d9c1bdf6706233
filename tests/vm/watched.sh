# SPDX-License-Identifier: GPL-2.0
# watched.sh SUITE.sh: run a suite in the guest; on a kernel that looks for mistakes, see that it looks until the end, and have
# it look for what was lost. What it finds stands in the kernel's log, where guest/boot -x reads it.

leaks=/sys/kernel/debug/kmemleak
[ ! -e $leaks ] || { echo scan >$leaks; echo clear >$leaks; } 2>/dev/null

sh "$1"
status=$?

if [ -e $leaks ]; then
	# An object must be some seconds old, and be found unreferenced with the same contents twice.
	sleep 6
	for i in 1 2 3; do echo scan >$leaks; done
	sed 's/^/kmemleak: /' $leaks | head -n 100 >/dev/kmsg
fi
# After its first report lockdep is silent: a suite that ends so was not watched.
if [ -e /proc/lockdep_stats ] && ! grep -q 'debug_locks: *1' /proc/lockdep_stats; then
	echo "WARNING: lockdep was off at the end" >/dev/kmsg
fi
exit $status
