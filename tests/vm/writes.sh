# SPDX-License-Identifier: GPL-2.0
# writes.sh: N (10,000) writes of anything to every file of kstats' that takes any, while calls are measured: each is accepted or refused, the accounts
# balance, and what is left works. Run in the guest by `tests/vm/suite`.

. ./tap.sh
N=${N:-10000}
SEED=${SEED:-$(date +%s)}

state() { echo "$(wc -l </sys/kernel/tracing/enabled_functions) $(wc -l <$D/kprobes/list)"; }

mount -t tracefs none /sys/kernel/tracing 2>/dev/null
insmod kstats.ko guard=0 && insmod kmeter_test.ko
ok $? "kstats.ko and the test module load"
before=$(state)
insmod scripts/direct.ko && insmod scripts/entries.ko; ok $? "scripts, of which one has room for keys"
names=$(ls $K | grep -v '^_')
dmesg -n 4
(while [ ! -e stop ]; do run call 50; run keys 5; usleep 100000; done) & caller=$!

# Files that take no writes at all stay as they are, whatever root does.
for file in $K/_held $K/_floor $K/_bin/calls; do
	[ -e $file ] || continue
	said=$(writes $SEED 1000 $file 2>&1); [ $? != 0 ] || [ "${said#* writes 0 accepted}" != "$said" ] || [ "$(echo "$said" | cut -d' ' -f3)" = 0 ]
	ok $? "${file#$K/}: $said"
done
for file in _control names entries; do
	case $file in
	_control) files=$K/_control n=$((N / 2)) ;;
	names) files=$(for name in $names; do echo $K/$name; done) n=$((N * 3 / 10)) ;;
	entries) files=$(ls -d $K/_entries/*) n=$((N / 5)) ;;
	esac
	said=$(writes $SEED $n $files 2>&1)
	ok $? "$file: $said (seed $SEED)"
	[ "$(echo "$said" | cut -d' ' -f5)" -gt 0 ] && [ "$(echo "$said" | cut -d' ' -f3)" -gt 0 ]; ok $? "$file: some are refused, some accepted"
	for name in $names; do balanced $name || echo "# $name: $(acc $name)" >>unbalanced; done
done
touch stop; wait $caller
ok $([ ! -e unbalanced ]; echo $?) "each account balances"
[ ! -e unbalanced ] || cat unbalanced

awk '$1 == "trace" { print $2 }' $K/_control | while read -r name; do echo "remove $name" >$K/_control || echo "# cannot remove $name"; done
is "$(grep -c '^trace' $K/_control)" 0 "what was made by them is removed"
for name in $names; do echo STOP >$K/$name && echo START >$K/$name && echo RESET >$K/$name || echo "# $name"; done
run call 10
is "$(acc calls)" "hits $((10 * CPUS)) = recorded $((10 * CPUS))" "and what is left measures"
while module=$(lsmod | awk '/^km_/ { print $1; exit }') && [ "$module" ]; do rmmod $module; done
free_within 90
is "$(state)" "$before" "no function stays changed, no kprobe is left"
unload_all kmeter_test; ok $? "kstats.ko is unloaded"
plan
