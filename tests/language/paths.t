#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# paths.t: paths given relative to the current folder mean what absolute ones do, TAP: --sysroot and script files. (KMETER_CACHE and
# builds: cache.t.)
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use Test::More;

my $here = dirname(abs_path($0));
my $driver = $ENV{KMETER_TEST_DRIVER} // "$here/../../build/tests/language/driver";
my $tmp = tempdir(CLEANUP => 1);
system("$here/kernel/make", "$tmp/tree") == 0 or BAIL_OUT("cannot make the small kernel");
mkdir("$tmp/below");
open(my $f, ">", "$tmp/below/x.km") or die;
print $f "count nf_tables:nft_do_chain\n";
close($f);

sub c_of {
	my ($dir, $root, $file) = @_;
	chdir($dir);
	return scalar `$driver --sysroot $root --dump c $file 2>&1`;
}

my $want = c_of("/", "$tmp/tree", "$tmp/below/x.km");
like($want, qr/nft_do_chain/, "absolute");
is(c_of($tmp, "tree", "below/x.km"), $want, "relative");
is(c_of($tmp, "./tree/", "./below/x.km"), $want, "with dots and slashes");
is(c_of("$tmp/below", "../tree", "x.km"), $want, "from beside it");
chdir("/");
done_testing();
