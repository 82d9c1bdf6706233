#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rpm.t: the RPM packages, made here with what Debian has of rpm, have the files
# of Debian's. TAP.

cd "$(dirname "$0")/../.." || exit 1
. tests/vm/tap.sh
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
spec=packaging/kmeter.spec
version=$(sed -n 's/^VERSION *:= *//p' Makefile)

is "$(rpmspec -q --qf '%{NAME} %{VERSION}\n' $spec | sort | paste -sd,)" "kmeter $version,kmeter-dkms $version,kmeter-library $version" "three packages of this version"
sed -n 's/^BuildRequires://p' $spec | tr ' \t' '\n\n' | sed '/^$/d' | sort -u >"$tmp/requires"
awk '$1 == "build" { print $3 }' packaging/packages | sort >"$tmp/list"
is "$(comm -13 "$tmp/requires" <(grep -vx glibc-devel "$tmp/list") | paste -sd' ')" "" "the spec names all that kmeter is built with"
rpmlint -c tests/packages/rpmlint.toml $spec >"$tmp/said" 2>&1
grep -q ' 0 errors, 0 warnings' "$tmp/said"; shown $? "rpmlint has neither error nor warning" "$tmp/said"

mkdir -p "$tmp/SOURCES"
git ls-files -z | tar --null -T - -cz --transform "s|^|kmeter-$version/|" -f "$tmp/SOURCES/kmeter-$version.tar.gz"
rpmbuild -bb --nodeps --quiet --define "_topdir $tmp" --define "debug_package %{nil}" $spec >"$tmp/log" 2>&1
shown $? "they are built" <(tail -n 30 "$tmp/log")

# But for what is Debian's own, and packed man pages.
[ "${KMETER_MADE-}" ] || make -s deb >/dev/null
for deb in build/deb/*.deb; do dpkg-deb -c "$deb" | sed -n 's|^[^d].* \./|/|p'; done | sed 's/\.gz$//; s|^/lib/|/usr/lib/|' |
	grep -vE '^/etc/kernel/|^/usr/share/doc/.*/(changelog.*|copyright)$|^/usr/share/lintian/' | sort >"$tmp/debian"
for rpm in "$tmp"/RPMS/*/*.rpm; do rpm -qlvp "$rpm" 2>/dev/null | sed -n 's|^[^d][^/]* /|/|p'; done | sed 's/\.gz$//' | grep -v '/\.build-id/' | sort >"$tmp/rpm"
[ "$(wc -l <"$tmp/rpm")" -gt 200 ] && diff "$tmp/debian" "$tmp/rpm" >"$tmp/said"; shown $? "with the files of Debian's packages ($(wc -l <"$tmp/rpm"))" "$tmp/said"
plan
