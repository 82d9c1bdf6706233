# SPDX-License-Identifier: GPL-2.0
# cgroups.sh: keys and filters by cgroup and container: run in the guest by `tests/vm/suite`. Each cgroup calls a number of times of its
# own, so that a sum tells who is in it.

. ./tap.sh
G=/sys/fs/cgroup
ID=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
OTHER=0123456789abfedc0123456789abcdef0123456789abcdef0123456789abcdef
grep -q " $G cgroup2 " /proc/mounts || mount -t cgroup2 none $G
calls() { (echo 0 >"$G$1/cgroup.procs" && echo "call $2 here" >$D/kmeter_test/run); }	# CGROUP N
# The groups of a measurement as kmeter shows them: "KEY... COUNT" lines, sorted.
groups() { kmeter show "$1" -F csv | tr -d '\r' | awk -F, -v n="$2" '$5 == "count" || $5 == "slot" { k = $6; for (i = 1; i < n; i++) k = k " " $(6 + i); c[k] += $14 } END { for (k in c) print k, c[k] }' | sort | tr '\n' ';'; }

mkdir -p $G/web/docker-$ID.scope/inner $G/web/sub $G/lxc.payload.mine/system.slice $G/webb $G/libpod-conmon-$OTHER.scope $G/machine-vm.scope
insmod kstats.ko guard=0 && insmod kmeter_test.ko && insmod scripts/cgroups.ko
ok $? "the script loads"

calls / 1
calls /web 2
calls /web/sub 4
calls /webb 8
calls /web/docker-$ID.scope 16
calls /web/docker-$ID.scope/inner 32
calls /lxc.payload.mine/system.slice 64
calls /libpod-conmon-$OTHER.scope 128
calls /machine-vm.scope 256

is "$(groups by_cgroup 1)" "/ 1;/libpod-conmon-$OTHER.scope 128;/lxc.payload.mine/system.slice 64;/machine-vm.scope 256;/web 2;/web/docker-$ID.scope 16;/web/docker-$ID.scope/inner 32;/web/sub 4;/webb 8;" \
	"by cgroup: each by its path"
is "$(groups by_container 1)" "(none) 143;0123456789ab 48;mine 64;vm 256;" "by container: of each what is in it, however deep, and of none"
is "$(groups by_both 2 | tr ';' '\n' | grep inner)" "/web/docker-$ID.scope/inner 0123456789ab 32" "by both"
for what in "exact 2" "not 509" "below 54" "all 511" "root 1" "later 0" "docker 48" "lxc 64" "call 48"; do
	is "$(term ${what% *} recorded)" "${what#* }" "${what% *} are ${what#* }"
	is "$(acc ${what% *})" "hits 511 = recorded ${what#* }$([ ${what#* } = 511 ] || echo " + filtered $((511 - ${what#* }))")" "${what% *}: the equation holds"
done
is "$(groups return 1)" "/web 2;/web/docker-$ID.scope 16;/web/docker-$ID.scope/inner 32;/web/sub 4;" "at a return"
balanced itself; ok $? "a function that comparing names may call ($(acc itself))"

# ---- of another task than the current ----

(echo 0 >$G/lxc.payload.mine/system.slice/cgroup.procs; printf in-lxc >/proc/self/comm; i=0; while [ $i -lt 20 ]; do usleep 10000; i=$((i + 1)); done)
is "$(groups of_another 1 | sed 's/ [0-9]*;$//')" "/lxc.payload.mine/system.slice" "the number of another task's cgroup is called as such"

# ---- cgroups that come and go ----

mkdir -p $G/later/on/top
calls /later/on/top 512
is "$(term later recorded)" 512 "a filter sees a cgroup that came later"
kmeter show by_cgroup | grep -q /later/on/top; ok $? "so does the report"
while ! rmdir $G/later/on/top; do usleep 10000; done
mkdir $G/later/on/top
calls /later/on/top 512
is "$(term later recorded)" 1024 "and one that was made anew"
is "$(kmeter show by_cgroup -F csv | grep -c '(gone: [0-9]*)')" 1 "of one that is gone the number remains"
is "$(kmeter show by_cgroup --json | tee /tmp/saved.json | grep -c '"/later/on/top"')" 1 "in JSON, too"
is "$(kmeter show by_cgroup --json | wc -l)" 1 "a line"
rmdir $G/later/on/top $G/later/on $G/later
is "$(kmeter show /tmp/saved.json -F csv | grep -c /later/on/top)" 1 "a saved report keeps the names"

rmmod "$(sed -n 's/^\(km_[0-9a-f]*\) .*/\1/p' /proc/modules)"; ok $? "the script goes"

# ---- a container that is gone before the report ----

SHORT=$G/crio-$OTHER
cat >/tmp/short.sh <<END
mkdir $SHORT
sh -c 'echo 0 >$SHORT/cgroup.procs; echo "call 7 here" >$D/kmeter_test/run; i=0; while [ \$i -lt 25 ]; do usleep 100000; i=\$((i + 1)); done'
while ! rmdir $SHORT; do usleep 10000; done
END
kmeter run scripts/cgroups.ko -F csv -o /tmp/short.csv -c "sh /tmp/short.sh" 2>/dev/null
is "$(tr -d '\r' </tmp/short.csv | grep '^1,[^,]*,by_container,.*,count,' | cut -d, -f6,14)" "$(echo $OTHER | cut -c1-12),7" \
	"it was looked for while it was there"
[ -e $SHORT ]; is $? 1 "and it is gone"
unload_all kmeter_test; ok $? "and all others"
plan
