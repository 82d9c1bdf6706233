#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tests/vm/watch.t KERNEL: of a debug kernel, that what it sees is heard of: each mistake of kmeter_wrong.ko fails a suite
# (watched.sh, guest/boot -x), and none fails it where there is none.

cd "$(dirname "$0")/../.." || exit 1
build=${KMETER_BUILD:-build}
read -r _ rel < <(guest/kernel "${1:?of a debug kernel}")
[ -e "$build/tests/$rel/kmeter_wrong.ko" ] || tests/vm/modules "$1" >/dev/null || exit
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
echo 'insmod /lib/modules/*/updates/test/kmeter_wrong.ko what=$what' >"$tmp/suite.sh"

n=0 beside=
sees() {	# WHAT STATUS TEXT
	n=$((n + 1))
	KMETER_BOOT_TIME=900 tests/vm/run -k "$1" $beside -x -m 1024 -t 900 -f tests/vm/watched.sh -f "$tmp/suite.sh" -- "what=$2 sh watched.sh suite.sh" \
		>"$tmp/out" 2>&1
	status=$?
	if [ $status = "$3" ] && { [ -z "$4" ] || grep -Eq "$4" "$tmp/out"; }; then
		echo "ok $n - $2: status $status, ${4:-no word}"
	else
		echo "not ok $n - $2: status $3, ${4:-no word}"
		echo "# status $status"
		sed 's/^/# /' "$tmp/out" | head -n 40
	fi
}
sees "$1" nothing 0
if [[ $1 == *-kcsan ]]; then
	beside="-s 4 -p"	# races of processors that are
	sees "$1" race 126 'BUG: KCSAN: data-race in add'
	echo "1..$n"
	exit
fi
sees "$1" lost 126 'kmemleak: .*objects were lost'
sees "$1" freed 126 'BUG: KASAN: .*-free in .*kmeter_wrong'
sees "$1" locks 126 'possible circular locking dependency detected'
sees "$1" asleep 126 'BUG: sleeping function called from invalid context'
sees "$1" rcu 126 'suspicious RCU usage'
echo "1..$n"
