#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# each.t: --each: many scripts, each by itself, on a small kernel (kernel/make): what is said of each, and with which status it ends.
use strict;
use warnings;
use File::Temp "tempdir";
use Test::More;

my $here = $0 =~ s,[^/]+$,,r || "./";
my $build = $ENV{BUILD} // "$here/../../build";
my $dir = tempdir(CLEANUP => 1);
system("$here/kernel/make $dir/root >/dev/null 2>&1") == 0 or BAIL_OUT("no small kernel");

sub check {	# ARGUMENTS: status, stderr
	my $err = `$build/kmeter check --sysroot $dir/root @_ 2>&1 >/dev/null`;
	return ($? >> 8, $err);
}

sub script {
	my ($name, $text) = @_;
	open(my $f, ">", "$dir/$name") or die;
	print $f "$text\n";
	close($f);
}

mkdir("$dir/scripts");
mkdir("$dir/empty");
script("scripts/b-good.km", "measure vfs_read");
my ($status, $err) = check("--each $dir/scripts");
is($status, 0, "one script that is right");
like($err, qr{^note: \Q$dir\E/scripts/b-good\.km is right$}m, "is named");

script("scripts/a-misfit.km", "measure no_such_function_of_any_kernel");
script("scripts/c-wrong.km", "measure vfs_read by");
script("scripts/d-good.km", "count vfs_read by comm");
script("scripts/.hidden.km", "measure");
script("scripts/readme", "measure");
($status, $err) = check("--each $dir/scripts");
is($status, 1, "one that does not fit the kernel and one that is wrong, among others");
like($err, qr{a-misfit\.km:1:9: error: no function.*b-good\.km is right.*c-wrong\.km:1:20: error:.*d-good\.km is right}s, "each is looked at, in order");
like($err, qr{^kmeter: 2 of 4 scripts could not be taken: \Q$dir\E/scripts/a-misfit\.km, \Q$dir\E/scripts/c-wrong\.km\n\z}m, "those that failed are named together, files of other kinds left out");
unlike($err, qr/hidden|readme/, "(and not looked at)");

($status, $err) = check("--each $dir/scripts/ $dir/scripts/b-good.km -e 'measure vfs_write'");
like($err, qr{2 of 6 scripts.*: \Q$dir\E/scripts/a-misfit\.km,}, "a folder, a file and a text together");
($status, $err) = check("--each $dir/scripts/b-good.km $dir/scripts/nosuch.km");
is($status, 2, "the gravest status counts");
like($err, qr{nosuch\.km: No such file.*1 of 2 scripts could not be taken: \Q$dir\E/scripts/nosuch\.km$}s, "of a file that is not there");
($status, $err) = check("--each $dir/empty");
is($status, 0, "an empty folder is no failure");
like($err, qr{^note: \Q$dir\E/empty: no file there ends in \.km$}m, "but is said to be empty");
($status, $err) = check("$dir/scripts");
is($status, 2, "without --each a folder is refused");

done_testing();
