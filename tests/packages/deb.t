#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deb.t: what make deb makes: which packages, without a fault that lintian
# knows, and of the same bytes wherever and by whomever it is made. TAP.

cd "$(dirname "$0")/../.." || exit 1
. tests/vm/tap.sh
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# What the packages are built with is what packaging/packages says.
sed -n '/^Build-Depends:/,/^[^ ]/{s/^Build-Depends://; /^[A-Z]/d; s/(.*)//; s/|.*//; s/[ ,]//g; /./p}' packaging/debian/control | sort >"$tmp/control"
awk '$1 == "build" && $2 !~ /^(make|gcc|libc6-dev)$/ { print $2 }' packaging/packages | sort >"$tmp/list"
is "$(comm -13 "$tmp/control" "$tmp/list" | paste -sd' ')" "" "packaging/debian/control names all that kmeter is built with"
is "$(dpkg-parsechangelog -l packaging/debian/changelog -S Version)" "$(sed -n 's/^VERSION *:= *//p' Makefile)" "one version"

# Two copies, of other names, made on other days by other people.
epoch=$(git log -1 --format=%ct)
for copy in one two/of-another/name; do
	mkdir -p "$tmp/$copy"
	git ls-files -z | tar --null -T - -c | tar -C "$tmp/$copy" -x
done
export SOURCE_DATE_EPOCH=$epoch
make -s -C "$tmp/one" deb >/dev/null 2>"$tmp/err" || cat "$tmp/err"
(umask 077 && cd "$tmp/two" && find . -exec touch -d 2001-02-03 {} + && HOME=$tmp TZ=Pacific/Auckland LC_ALL=C LANG=C make -s -C of-another/name deb V= >/dev/null 2>"$tmp/err") || cat "$tmp/err"
debs=$(cd "$tmp/one/build/deb" && ls -- *.deb | sed 's/_.*//' | LC_ALL=C sort | paste -sd' ')
is "$debs" "kmeter kmeter-dkms kmeter-library" "three packages"
for deb in "$tmp"/one/build/deb/*.deb; do
	cmp "$deb" "$tmp/two/of-another/name/build/deb/${deb##*/}" >&2
	ok $? "$(basename "${deb%%_*}"): built twice, the same $(stat -c %s "$deb") bytes"
done
lintian --allow-root --fail-on error,warning "$tmp"/one/build/deb/*.changes >"$tmp/said" 2>&1
shown $? "lintian has neither error nor warning" "$tmp/said"
plan
