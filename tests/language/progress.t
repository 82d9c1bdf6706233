#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# progress.t: what kmeter shows on a terminal while kbuild takes its time, TAP. The target is the small kernel that kernel/make makes, with
# headers that are enough to begin; make is one of our own, which takes as long as it is told and then fails.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use Test::More;

my $here = dirname(abs_path($0));
my $kmeter = $ENV{KMETER_TEST_KMETER} // "$here/../../build/kmeter";
my $tmp = tempdir(CLEANUP => 1);
my $root = "$tmp/root";

-x $kmeter or BAIL_OUT("no $kmeter: make it first");
system("$here/kernel/make", $root) == 0 or BAIL_OUT("cannot make the small kernel");
chomp(my ($release) = map { basename($_) } glob("$root/lib/modules/*"));
my $headers = "$root/lib/modules/$release/build";
system("mkdir", "-p", "$headers/include/generated", "$tmp/bin");

sub put {
	my ($path, $text, $mode) = @_;
	open(my $to, ">", $path) or BAIL_OUT("$path: $!");
	print $to $text;
	close($to);
	chmod($mode, $path) if $mode;
}

put("$headers/include/generated/autoconf.h", "");
put("$headers/.config", "CONFIG_CC_VERSION_TEXT=\"gcc 12\"\n");
put("$tmp/bin/make", "#!/bin/sh\nsleep \$(cat $tmp/seconds)\necho it fails\nexit 2\n", 0755);
$ENV{PATH} = "$tmp/bin:$ENV{PATH}";
$ENV{TERM} = "xterm";

# What a terminal (or else a pipe) got of a build that takes so long.
sub build {
	my ($seconds, $terminal, @options) = @_;
	put("$tmp/seconds", "$seconds\n");
	my $cache = tempdir(DIR => $tmp);
	my $command = "KMETER_CACHE=$cache '$kmeter' build @options --sysroot '$root' -o $tmp/x.ko -e 'measure vfs_read'";
	$command = $terminal ? "script -qec \"$command\" /dev/null </dev/null 2>&1" : "$command 2>&1";
	return scalar(`$command`);
}

# What is left on the screen.
sub screen { return join("\n", map { s/.*\r\e\[K//r =~ s/\r$//r } split(/\n/, $_[0])) }

my $wanted = qr/building kmeter's runtime, once for this kernel, 1 s/;
my $failed = qr/\A[^\r\e]*kbuild could not build kstats/;
my $text = build(2.5, 1);
like($text, $wanted, "slow, on a terminal: shown");
like(screen($text), $failed, "then nothing is left of it but what went wrong");
unlike(screen($text), qr/building kmeter/, "in no line");
$text = build(0, 1);
unlike($text, qr/building kmeter|\e\[K/, "fast, on a terminal: not shown");
like($text, $failed, "but what went wrong is");
unlike(build(1.5, 0), qr/building kmeter|\e/, "slow, in a pipe: not shown");
unlike(build(1.5, 1, "-q"), qr/building kmeter|\e\[K/, "nor with -q");

# Ended by a signal, as Ctrl-C does it.
put("$tmp/seconds", "30\n");
my $cache = tempdir(DIR => $tmp);
$text = `script -qec "timeout -s INT 2.5 env KMETER_CACHE=$cache '$kmeter' build --sysroot '$root' -o $tmp/x.ko -e 'measure vfs_read'" /dev/null </dev/null 2>&1`;
like($text, $wanted, "ended by a signal, it was shown");
unlike(screen($text), qr/building kmeter/, "and is gone");

done_testing();
