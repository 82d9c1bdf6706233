#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# memory.t: --max-memory, on a small kernel (kernel/make): what a script takes is added up and refused past the limit, by the byte.
use strict;
use warnings;
use File::Temp "tempdir";
use Test::More;

my $here = $0 =~ s,[^/]+$,,r || "./";
my $build = $ENV{BUILD} // "$here/../../build";
my $dir = tempdir(CLEANUP => 1);
system("$here/kernel/make $dir/root >/dev/null 2>&1") == 0 or BAIL_OUT("no small kernel");

sub check {	# ARGUMENT...: status, stdout, stderr
	open(my $out, "-|", "$build/kmeter", "check", "--sysroot", "$dir/root", @_) or die;
	my $text = join("", <$out>);
	close($out);
	return ($? >> 8, $text);
}

sub refused {	# the same, of what is said
	my $err = `'$build/kmeter' check --sysroot $dir/root @{[ map { "'$_'" } @_ ]} 2>&1`;
	return ($? >> 8, $err);
}

my @scripts = ("measure vfs_read", "measure vfs_read by comm entries 100", "measure from vfs_read to vfs_write", "count vfs_read",
	       "measure vfs_read bits 10 by pid ; count vfs_write by comm, pid entries 5000", 'measure value $count at vfs_read range 0..1000');
for my $script (@scripts) {
	my ($status, $text) = check("-v", "-e", $script);
	my ($all) = $text =~ /([0-9]+) bytes$/m;
	is($status, 0, "$script: without a limit, for another machine's kernel");
	ok($all, "kmeter check -v says what it takes") or next;
	($status, $text) = refused("--max-memory", $all, "-e", $script);
	is($status, 0, "it may take just so much: $all bytes") or diag($text);
	($status, $text) = refused("--max-memory", $all - 1, "-e", $script);
	is($status, 1, "but not a byte more");
	my ($needs, $limit) = (int(($all + 1023) / 1024), int(($all - 1) / 1024));
	like($text, qr/error: this takes $needs kB .* more than $limit kB, which is --max-memory\n/, "which says how much there is of both");
	my ($allows) = $text =~ /--max-memory (\S+) allows it/;
	is((refused("--max-memory", $allows // "", "-e", $script))[0], 0, "what it names allows it");
}
like((refused("--max-memory", "1K", "-e", "measure vfs_read ; measure vfs_write by pid"))[1], qr/kB of it `vfs_write`/, "the largest is named");

my %size = ("1M" => 1 << 20, "1MB" => 1 << 20, "1.5K" => 1536, "2G" => 2 << 30, "1T" => 1 << 40);
my ($status, $text) = refused("--max-memory", "4K", "-e", "measure vfs_read");
for my $size ("", "x", "5%", "-1", "0", "1X", "1MM", "1e30", "K", "nan", "inf") {
	($status, $text) = refused("--max-memory", $size, "-e", "measure vfs_read");
	is($status, 2, "--max-memory '$size' is no size");
	like($text, qr/a size is a number of bytes, or 64K/, "what is one");
}
for my $size (sort keys %size) {
	($status, $text) = refused("--max-memory", $size, "-e", "measure vfs_read by pid entries 1000000");
	my $limit = int($size{$size} / 1024);
	like($text, $size eq "1T" ? qr/right/ : qr/more than $limit kB/, "$size is $limit kB");
}
done_testing();
