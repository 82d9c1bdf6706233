# SPDX-License-Identifier: GPL-2.0
# secrets.sh: what is root's alone, and that addresses of the kernel's are shown to nobody whom kernel.kptr_restrict denies them. Run in the guest by
# `tests/vm/suite`.

. ./tap.sh
restrict() { echo $1 >/proc/sys/kernel/kptr_restrict; }

insmod kstats.ko guard=0 && insmod kmeter_test.ko && insmod scripts/secrets.ko
ok $? "kstats.ko, the test module and a script are loaded"
is "$(find $K ! -user root -o ! -group root -o -perm /0077 ! -type d | head -n 1)" "" "no file is another user's, or anything to others"
is "$(stat -c '%a %U' $D)" "700 root" "nor is the folder that all are in"
is "$(find $K -type f -perm /0111 | head -n 1)" "" "none can be run"

run call 20
run call 20 softirq
i=0
while [ $i -lt 30 ]; do cat /proc/self/stat >/dev/null; i=$((i + 1)); done
for name in stacks callers pointers functions; do echo STOP >$K/$name; done

# Words of eight bytes that are addresses in the kernel's half, of a file.
words() { od -An -v -tx8 -w8 "$1" | grep '^ ffff' | sort -u; }
hexes() { grep -o '0xffff[0-9a-f]*' "$1" | sort -u; }
restrict 0
for name in stacks callers pointers functions; do
	cat $K/_bin/$name >$name.before
	cat $K/$name >$name.text
	words $name.before >$name.words
	[ -s $name.words ]; ok $? "$name: with kptr_restrict=0 the binary form has $(wc -l <$name.words) addresses"
done
[ "$(hexes pointers.text | wc -l)" -gt 1 ]; ok $? "pointers: so does the text"
grep -q 'kmeter_test' callers.text; ok $? "callers: the text names functions"

restrict 2
for name in stacks callers pointers functions; do
	cat $K/_bin/$name >after
	cat $K/$name >after.text
	is "$(wc -c <after)" "$(wc -c <$name.before)" "$name: with kptr_restrict=2 there is as much"
	words after >after.words
	is "$(cat after.words $name.words | sort | uniq -d)" "" "$name: but no address of before"
	is "$(hexes after.text >hexes; cat hexes $name.words | sed 's/^ */0x/; s/^0x0x/0x/' | sort | uniq -d)" "" "$name: nor in the text"
	balanced $name; ok $? "$name: the account is the same"
	is "$(grep -v '^#' after.text | awk '{ print $NF }' | sort)" "$(grep -v '^#' $name.text | awk '{ print $NF }' | sort)" "$name: so are the figures"
	words after >one; cat $K/_bin/$name >again; words again >two
	cmp -s one two; ok $? "$name: what stands for an address is the same each time"
done
is "$(grep -o 'kmeter_test[a-z_]*' callers.text | sort -u)" "$(grep -o 'kmeter_test[a-z_]*' $K/callers | sort -u)" "callers: names are no addresses"
is "$(grep -c 'vfs_' $K/functions)" "$(grep -c 'vfs_' functions.text)" "functions: nor are theirs"

# 1: only those with CAP_SYSLOG.
restrict 1
cat $K/_bin/callers >mine; words mine >one
cmp -s one callers.words; ok $? "kptr_restrict=1: who may see addresses sees them"
/usr/local/bin/setpriv --bounding-set -syslog --inh-caps -syslog sh -c "cat $K/_bin/callers" >mine; words mine >one
[ -s mine ]; ok $? "who has no CAP_SYSLOG may read the file, if it is root"
is "$(cat one callers.words | sort | uniq -d)" "" "kptr_restrict=1: who may not does not"
restrict 0
rmmod $(lsmod | awk '/^km_/ { print $1 }')
unload_all kmeter_test; ok $? "kstats.ko is unloaded"
plan
