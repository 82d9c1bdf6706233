#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fleet.t: what docs/fleet.md does with pdsh and ansible, TAP. The machines are
# this one, called by three names; where they would measure, each answers with
# a report of its own, of known contents (tests/unit/console_known.h). What is
# added up is counted in the three.

cd "$(dirname "$0")/../.." || exit 1
. tests/vm/tap.sh
top=$PWD tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
[ "${KMETER_MADE-}" ] || { make -s all && make -s -C tests/unit known; } || exit
mkdir "$tmp/bin" "$tmp/claims" "$tmp/work"
n=0
for host in web1 web2 web3; do
	n=$((n + 1))
	build/tests/unit/known groups | sed "s/\"host\":null/\"host\":\"$host\"/; s/\"boot\":null/\"boot\":\"0000000$n-0000-4000-8000-000000000000\"/" >"$tmp/$host.json"
done
# What measures there answers with that machine's report; of the others of ansible, who comes first is the first.
cat >"$tmp/bin/kmeter" <<END
#!/bin/bash
case " \$* " in
*" -d "* | *" show --json"*) ;;
*) exec $top/build/kmeter "\$@" ;;
esac
echo "\$*" >>"$tmp/asked"
host=\$THERE
[ "\$host" ] || for host in web1 web2 web3; do mkdir "$tmp/claims/\$host" 2>/dev/null && break; done
while [ \$# -gt 0 ]; do [ "\$1" = -o ] && out=\$2; shift; done
if [ "\$out" ]; then cp "$tmp/\$host.json" "\$out"; else cat "$tmp/\$host.json"; fi
END
printf '#!/bin/sh\nexec "$@"\n' >"$tmp/bin/sudo"
# ssh -n HOST COMMAND...; web4 cannot be reached.
printf '#!/bin/sh\nexport THERE=$2; shift 2; [ $THERE != web4 ] || { echo "no route" >&2; exit 255; }; exec sh -c "$*"\n' >"$tmp/bin/ssh"
chmod +x "$tmp"/bin/*
export PATH=$tmp/bin:$PATH
again() { rmdir "$tmp"/claims/*; rm -f "$tmp/asked"; } 2>/dev/null

# How many samples a file says that were recorded.
counted() { perl -MJSON::PP -e 'local $/; my $n = 0; for (@ARGV) { open(my $f, "<", $_) or die "$_: $!"; my $r = decode_json(<$f>);
	for my $m (@{$r->{measurements}}) { $n += $m->{accounting}{recorded} } } print $n' "$@"; }
one=$(counted "$tmp/web1.json")

# ---- pdsh: the commands of the page, as they stand there, for machines of which one fails ----
cd "$tmp/work" || exit 1
awk '/^## pdsh/ { on = 1 } on && sub(/^    /, "") { print; seen = 1; next } seen { exit }' "$top/docs/fleet.md" |
	sed "s/'web\[1-9\]'/'web[1-4]'/; s/^kmeter diff .*/& >diffed || true/" >page.sh
bash -e page.sh >said 2>&1
shown $? "pdsh: all are measured and added up" said
grep -q '^web4: no route' said; shown $? "who cannot be reached is named" said
is "$(ls results | paste -sd,)" "web1.json,web2.json,web3.json" "a file for each of the others"
is "$(cat results/*.json | md5sum)" "$(cat "$tmp"/web?.json | md5sum)" "byte by byte as it was written"
is "$(sort -u "$tmp/asked")" "-q run block/latency -d 10 --json" "for what the page says"
is "$(counted web.json)" $((3 * one)) "all with the samples of the three, $one each"
grep -q vfs_read diffed; shown $? "two are compared" diffed
again
rm -r results

# ---- ansible ----
printf 'web%d ansible_connection=local ansible_python_interpreter=/usr/bin/python3\n' 1 2 3 >inventory
export ANSIBLE_NOCOWS=1 ANSIBLE_RETRY_FILES_ENABLED=0 ANSIBLE_LOCAL_TEMP=$tmp/local ANSIBLE_HOME=$tmp/home HOME=$tmp
[ "$(id -u)" = 0 ] || export ANSIBLE_BECOME_ASK_PASS=0
for book in "$top"/docs/fleet/*.yml; do
	ansible-playbook --syntax-check -i inventory "$book" >said 2>&1
	shown $? "ansible: the syntax of ${book##*/}" said
done
ansible-playbook -i inventory "$top/docs/fleet/measure.yml" -e '{"ansible_become": false}' >said 2>&1
shown $? "ansible: all are measured and added up" said
is "$(ls results | paste -sd,)" "all.json,web1.json,web2.json,web3.json" "a file each, and one of all"
is "$(counted results/all.json)" $((3 * one)) "with the samples of the three"
is "$(ls /var/tmp/kmeter-web* 2>/dev/null)" "" "nothing is left on the machines"
again
ansible-playbook -i inventory "$top/docs/fleet/measure.yml" -e '{"ansible_become": false, "words": ["show"]}' >said 2>&1
shown $? "ansible: what is loaded there" said
is "$(sed 's/ -o .*//' "$tmp/asked" | sort -u)" "-q show --json" "is asked for"

# ---- two fleets ----
mkdir before after
cp results/web1.json results/web2.json before/
cp results/web3.json after/
"$top/build/kmeter" merge before/*.json -o before.json && "$top/build/kmeter" merge after/*.json -o after.json
"$top/build/kmeter" diff before.json after.json --tolerance 5% --beyond-chance >said 2>&1
shown $? "two fleets of the same distribution: no percentile has moved" said
is "$(counted before.json) $(counted after.json)" "$((2 * one)) $one" "(of twice as many samples)"
plan
