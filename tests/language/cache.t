#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# cache.t: scripts become modules, and modules are kept, TAP. kbuild makes the runtime and a template; scripts are made as it
# was seen to do, and by kbuild itself where that cannot be. It needs a kernel's headers: those of KMETER_TEST_SYSROOT, or
# of a kernel that guest/kernel has fetched before; without one it is skipped. The runtime is a small stand-in, so that
# kbuild takes seconds.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use Test::More;

my $here = dirname(abs_path($0));
my $driver = $ENV{KMETER_TEST_DRIVER} // "$here/../../build/tests/language/driver";
my $home = $ENV{KMETER_CACHE} // ($ENV{XDG_CACHE_HOME} // "$ENV{HOME}/.cache") . "/kmeter";
my ($root) = grep { -d "$_/lib/modules" } $ENV{KMETER_TEST_SYSROOT} // (), sort glob("$home/kernel/*");

plan skip_all => "no kernel headers here (guest/kernel fetches some)" if !$root;
if (!-x $driver) {
	system("make", "-s", "-C", $here, "all") == 0 or BAIL_OUT("cannot build $driver");
}
$root = abs_path($root);

my $tmp = tempdir(CLEANUP => 1);
my $path = $ENV{PATH};
$ENV{KMETER_TAGS} = 1;
$ENV{KMETER_RUNTIME} = "$tmp/runtime";

sub write_file {
	my ($file, $text, $mode) = @_;
	open(my $f, ">", $file) or die "$file: $!";
	print $f $text;
	close($f);
	chmod($mode, $file) if $mode;
}

# A runtime of functions that do nothing.
mkdir("$tmp/runtime");
system("cp", map({ "$here/../../runtime/$_" } qw(kstats.h slot.h script.h alone.h facts.h template.c)), "$tmp/runtime");
write_file("$tmp/runtime/Kbuild", "obj-m := kstats.o\nkstats-y := script.o\n");
write_file("$tmp/runtime/script.c", <<'E');
// SPDX-License-Identifier: GPL-2.0
#include "script.h"
unsigned long kstats_kernel_half = -1;
EXPORT_SYMBOL_GPL(kstats_kernel_half);
void kstats_string(u64 *words, unsigned int nwords, u64 address, unsigned int max, bool user, bool *fault) { }
EXPORT_SYMBOL_GPL(kstats_string);
u64 kstats_caller(const struct kstats_event *ev) { return 0; }
EXPORT_SYMBOL_GPL(kstats_caller);
void kstats_stack(u64 *words, const struct kstats_event *ev) { }
EXPORT_SYMBOL_GPL(kstats_stack);
void kstats_tracepoint(void *data, const u64 *args) { }
EXPORT_SYMBOL_GPL(kstats_tracepoint);
int kstats_script_load(const struct kstats_script *script) { return script->nstatements; }
EXPORT_SYMBOL_GPL(kstats_script_load);
void kstats_script_unload(const struct kstats_script *script) { }
EXPORT_SYMBOL_GPL(kstats_script_unload);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a stand-in");
E

# Whoever starts make leaves a line.
mkdir("$tmp/bin");
my ($make) = grep { -x } map { "$_/make" } split(/:/, $path);
write_file("$tmp/bin/make", "#!/bin/sh\necho make >>$tmp/started\nexec $make \"\$@\"\n", 0755);

sub started {
	open(my $f, "<", "$tmp/started") or return 0;
	my @lines = <$f>;
	unlink("$tmp/started");
	return scalar @lines;
}

sub start {
	my ($out, @args) = @_;
	my $pid = fork();
	return $pid if $pid;
	setpgrp(0, 0);
	open(STDOUT, ">", "$out.out");
	open(STDERR, ">", "$out.err");
	exec($driver, "--sysroot", $root, @args);
	exit(127);
}

sub finish {
	my ($pid, $out) = @_;
	waitpid($pid, 0);
	my $status = $? >> 8;
	local $/;
	open(my $o, "<", "$out.out");
	open(my $e, "<", "$out.err");
	return ($status, [split(/\n/, scalar <$o> // "")], scalar <$e> // "");
}

sub build { return finish(start("$tmp/one", @_), "$tmp/one"); }

$ENV{PATH} = "$tmp/bin:$path";
$ENV{KMETER_CACHE} = "$tmp/cache";
my @script = ("-e", "measure vfs_read by comm if elapsed > 10us name \"a '\\\"*\\\\\$(touch $tmp.owned)`\"");
$script[1] =~ s{/}{.}g;

my ($status, $out, $err) = build(@script);
is($status, 0, "a script becomes a module") or diag($err);
is($out->[3], "built", "which is built the first time");
is(started(), 2, "by kbuild, for the runtime and for the script");
ok(-f $out->[0] && -f $out->[2], "both are there");
like($out->[0], qr{/\Q$out->[1]\E\.ko$}, "named as the module in the kernel");
like($out->[1], qr/^km_[0-9a-f]{12}$/, "km_ and twelve digits");
my $info = `PATH=\$PATH:/sbin:/usr/sbin modinfo $out->[0]`;
like($info, qr/^statement:\s+measure vfs_read by comm/m, "modinfo shows the script");
like($info, qr/^depends:\s+kstats$/m, "it needs the runtime");

my $first = $out->[0];
($status, $out, $err) = build(@script);
is($out->[3], "cached", "the second time it is found");
is($out->[0], $first, "at the same place");
is(started(), 0, "and no process was started");

($status, $out) = build("-e", "measure vfs_write");
is($out->[3], "built", "another script is built");
is(started(), 1, "with the runtime that is there");

($status, $out) = build("--no-cache", "-e", "measure vfs_write");
is($status, 0, "without the cache");
unlike($out->[0], qr{^\Q$tmp\E/cache}, "nothing is stored there");
ok(!-e $out->[0], "nothing stays when it is no longer used");
is(started(), 2, "and nothing found");

# A changed runtime.
write_file("$tmp/runtime/extra.h", "/* changed */\n");
($status, $out) = build(@script);
is(started(), 2, "a change of the runtime builds both anew");
isnt($out->[0], $first, "beside the old ones");

# Several at once, and one that is killed.
$ENV{KMETER_CACHE} = "$tmp/cache2";
my @pids = map { start("$tmp/par$_", @script) } 1 .. 3;
my @done = map { [finish($pids[$_ - 1], "$tmp/par$_")] } 1 .. 3;
is(join(" ", map { $_->[0] } @done), "0 0 0", "three at once");
is(started(), 2, "build once");
is($done[0][1][0], $done[2][1][0], "and get the same");

$ENV{KMETER_CACHE} = "$tmp/cache3";
my $pid = start("$tmp/killed", @script);
select(undef, undef, undef, 1.0);
kill("KILL", -$pid);
waitpid($pid, 0);
($status, $out, $err) = build(@script);
is($status, 0, "after a kill in the middle of a build") or diag($err);
unlink("$tmp/started");

# What is refused.
$ENV{KMETER_CACHE} = "$tmp/cache";
chmod(0777, "$tmp/cache");
($status, undef, $err) = build(@script);
is($status, 3, "a cache that others may write to");
like($err, qr/others may write.*\[cache\]/, "is not trusted");
chmod(0755, "$tmp/cache");
SKIP: {
	skip("only root can give folders away", 2) if $>;
	chown(1, 1, "$tmp/cache");
	($status, undef, $err) = build(@script);
	is($status, 3, "a cache of another user");
	like($err, qr/another user.*\[cache\]/, "is not trusted");
	chown(0, 0, "$tmp/cache");
}
{
	local $ENV{KMETER_CACHE} = "$tmp/with blank";
	($status, undef, $err) = build(@script);
	is($status, 3, "a cache in a path that kbuild cannot work in");
	like($err, qr/KMETER_CACHE=DIR/, "and how to name another");
}
{
	local $ENV{PATH} = "$tmp/nowhere";
	($status, undef, $err) = build("-e", "measure vfs_fsync");
	is($status, 3, "no compiler");
	like($err, qr/\[no-compiler\]/, "is said");
}

write_file("$tmp/runtime/kstats.h", "#error broken\n");
($status, undef, $err) = build(@script);
is($status, 3, "C that does not compile");
like($err, qr/please report this.*\n.*its words are in \S+\.log/, "is our fault, and the log is kept");
unlike($err, qr/#error/, "no word of gcc is shown");
($status, undef, $err) = build("-v", @script);
like($err, qr/#error/, "but with -v");
system("cp", "$here/../../runtime/kstats.h", "$tmp/runtime");

{
	local $ENV{KMETER_RUNTIME} = "$tmp/nowhere";
	($status, undef, $err) = build(@script);
	is($status, 3, "no runtime sources");
	like($err, qr/\[no-runtime\]/, "is said");
}

system("$here/kernel/make", "$tmp/root");
$root = "$tmp/root";
($status, undef, $err) = build("-e", "measure vfs_read");
is($status, 3, "no headers");
like($err, qr/linux-headers-6\.1\.0-test.*kernel-devel-6\.1\.0-test/s, "and what to install");

done_testing();
