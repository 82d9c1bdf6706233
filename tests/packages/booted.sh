# SPDX-License-Identifier: GPL-2.0
# booted.sh: what an administrator sees and does in the machine that boot.t booted, TAP; then it is powered off.

trap 'sync; systemctl poweroff --force' EXIT
export HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
cd /opt/test
. ./tap.sh
rel=$(uname -r)
status() { "$@" >/tmp/said 2>&1; got=$?; }
said() { grep -qE -- "$1" /tmp/said || { sed 's/^/# /' /tmp/said; return 1; }; }
names() { kmeter -q list 2>/dev/null | awk 'NR > 1 { print $1, $2 }' | sort | paste -sd,; }
property() { systemctl show -P "$1" "$2"; }

# ---- after the boot ----
is "$(property Result kmeter-load)" exit-code "kmeter-load has failed, since two scripts cannot be loaded"
status journalctl -b -o cat -u kmeter-load
said '^kmeter: 2 of 3 scripts .*: /etc/kmeter.d/misfit.km, /etc/kmeter.d/wrong.km$'; ok $? "the journal names them"
said "misfit.km:1:9: error: no function 'no_such_function_of_any_kernel' in kernel ${rel//+/.}"; ok $? "and says of one what does not fit this kernel"
said 'wrong.km:1:20: error:'; ok $? "of the other, where it is wrong"
is "$(names)" "vfs_read armed" "the third is measured"
[ "$(property ActiveEnterTimestampMonotonic kmeter-serve)" -gt 0 ] && [ "$(property ActiveState kmeter-serve)" = active ]
ok $? "kmeter-serve is active"
[ "$(property ActiveEnterTimestampMonotonic kmeter-serve)" -lt "$(property ActiveEnterTimestampMonotonic systemd-user-sessions)" ]
ok $? "since before logins were let in"
is "$(cd /var/cache/kmeter && ls -d modules/* runtimes/*)" "$(cat cache)" "nothing was built at the boot: all was there since the kernel's installation"
installed=$(modinfo -n kstats)
unpacked() { case $installed in *.xz) xz -dc "$1" ;; *) cat "$1" ;; esac; }
packed() { case $installed in *.xz) xz -c ;; *) cat ;; esac; }
unpacked "$installed" >/tmp/dkms.ko
objcopy -O binary -j .note.gnu.build-id /tmp/dkms.ko /tmp/id
cmp /tmp/id /sys/module/kstats/notes/.note.gnu.build-id
ok $? "the runtime that is loaded is DKMS's"
is "$(systemd-analyze verify --man=no /lib/systemd/system/kmeter*.service 2>&1)" "" "systemd finds nothing wrong with the units"
systemd-analyze security --no-pager kmeter-serve >/tmp/said
said 'exposure level for kmeter-serve.service: ([0-2]\.[0-9] OK)'; ok $? "the server may do little: $(tail -n 1 /tmp/said)"

# ---- one script alone ----
echo 'measure vfs_write by comm' >/etc/kmeter.d/writes.km
status systemctl start kmeter@writes
is "$got $(names)" "0 vfs_read armed,vfs_write armed" "kmeter@writes loads one script more"
./scrape >/tmp/said
said 'kmeter_duration_seconds_count\{measurement="vfs_write",comm="'; ok $? "which is served at once"
status systemctl stop kmeter@writes
is "$got $(names)" "0 vfs_read armed" "and ends with the unit"
status systemctl start kmeter@reads
is "$got $(names)" "0 vfs_read armed" "a script that is loaded already is no failure"
status systemctl start kmeter@nosuch
[ $got != 0 ]; ok $? "one that is not there is"

# ---- repaired ----
hits() { grep -om1 'hits [0-9]*' "$K/vfs_read" | cut -d' ' -f2; }
before=$(hits)
echo 'measure vfs_open by comm' >/etc/kmeter.d/misfit.km
rm /etc/kmeter.d/wrong.km
status systemctl start kmeter-load
is "$got $(names)" "0 vfs_open armed,vfs_read armed,vfs_write armed" "what is repaired is loaded"
[ "$before" -gt 0 ] && [ "$(hits)" -gt "$before" ]; ok $? "and what ran goes on ($before hits, now $(hits))"
echo 'measure vfs_open by pid' >/etc/kmeter.d/misfit.km
status kmeter load --each /etc/kmeter.d/misfit.km
said 'has changed since it was loaded'; ok $? "what was changed takes the place of what it was"
is "$(kmeter -q list | grep -c 'vfs_open by pid')" 1 "as it is now"
status systemctl stop kmeter-load
is "$got $(names)" "0 " "stopping the unit ends them all"
./scrape | head -n 1 >/tmp/said
said '^HTTP/1.1 200 OK'; ok $? "and the server goes on with nothing"
status systemctl start kmeter-load
is "$got $(names)" "0 vfs_open armed,vfs_read armed,vfs_write armed" "starting it begins them all"

# ---- a runtime of other sources ----
systemctl -q disable --now kmeter-load kmeter-serve
cp "$installed" kept
unpacked kept | sed 's/srcversion=\(....\)\(....\)/srcversion=\2\1/' | packed >"$installed"	# a hash with two parts the wrong way round
status kmeter load --each /etc/kmeter.d/reads.km
said "^note: ${installed//+/.} is of other sources than this kmeter's: not loaded"; ok $? "what DKMS made of other sources is not loaded, which is said"
is "$got $(names)" "0 vfs_read armed" "our own is"
! cmp -s /tmp/id /sys/module/kstats/notes/.note.gnu.build-id; ok $? "(it is another one)"
kmeter -q unload --all
mv kept "$installed"

# ---- by ansible ----
mkdir scripts
echo 'measure vfs_fsync by comm' >scripts/syncs.km
status ansible-playbook -c local -i localhost, boot.yml
shown $got "docs/fleet/boot.yml brings a script" /tmp/said
is "$(names)" "vfs_fsync armed,vfs_open armed,vfs_read armed,vfs_write armed" "which is measured beside the others"
is "$(systemctl is-enabled kmeter-load kmeter-serve | paste -sd,) $(property ActiveState kmeter-serve)" "enabled,enabled active" "served, and so after each boot"

# ---- away ----
status dpkg --purge kmeter kmeter-dkms kmeter-library
shown $got "the packages are purged while they measure" /tmp/said
is "$(lsmod | grep -E '^(kstats|km_)')" "" "no module of theirs is left in the kernel"
is "$(systemctl list-units --all --plain --no-legend 'kmeter*' | awk '$3 == "active"')" "" "no unit is"
rm -r /etc/kmeter.d
is "$(find / -xdev -name '*kmeter*' ! -path '/proc/*' ! -path '/opt/*' ! -path '/var/log/*' ! -path '/tmp/*'; ls /run | grep kmeter)" "" "no file is, but the scripts that were written here"
dmesg >/tmp/said
! grep -E 'WARNING: |BUG: |Oops|general protection|Call Trace|rcu.*stall|hung_task' /tmp/said; ok $? "and the kernel has complained of nothing"
plan
