#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# run.t: scripts against what they should become, TAP.
#
#	ok.STAGE.NAME.km	gives at STAGE (ast, plan or c) what NAME's .golden holds: its output, and behind
#				"--- stderr" the notes
#	err.TAG.NAME.km		is refused with a message of kind TAG; .golden holds all that is said
#
# UPDATE=1 rewrites the golden files. The target is the small kernel that kernel/make makes.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use Test::More;

my $here = dirname(abs_path($0));
my $driver = $ENV{KMETER_TEST_DRIVER} // "$here/../../build/tests/language/driver";
my $tmp = tempdir(CLEANUP => 1);
my $root = "$tmp/root";

if (!-x $driver) {
	system("make", "-s", "-C", $here, "all") == 0 or BAIL_OUT("cannot build $driver");
}
system("$here/kernel/make", $root) == 0 or BAIL_OUT("cannot make the small kernel");
$ENV{KMETER_TAGS} = 1;
$ENV{ASAN_OPTIONS} = "detect_leaks=1";

sub slurp {
	my ($file) = @_;
	open(my $f, "<", $file) or return undef;
	local $/;
	return scalar <$f> // "";
}

# Status, output, messages of the driver.
sub compile { return compile_for($root, @_); }

sub compile_for {
	my ($root, @args) = @_;
	my $pid = fork();
	if (!$pid) {
		open(STDOUT, ">", "$tmp/out");
		open(STDERR, ">", "$tmp/err");
		exec($driver, "--sysroot", $root, @args);
		exit(127);
	}
	waitpid($pid, 0);
	return ($? & 127 ? 1000 + ($? & 127) : $? >> 8, slurp("$tmp/out"), slurp("$tmp/err"));
}

sub golden {
	my ($file, $got) = @_;
	(my $golden = $file) =~ s/\.km$/.golden/;
	if ($ENV{UPDATE}) {
		open(my $f, ">", $golden);
		print $f $got;
		return pass(basename($file) . " rewritten");
	}
	return is($got, slurp($golden) // "(no golden file)", basename($file));
}

for my $file (sort glob("$here/ok.*.km")) {
	my (undef, $stage) = split(/\./, basename($file));
	my ($status, $out, $err) = compile("--dump", $stage, $file);
	$out .= "--- stderr\n$err" if $err ne "";
	$out .= "--- status $status\n" if $status;
	golden($file, $out);
	next if $stage ne "c";
	my (undef, $again, $err_again) = compile("--dump", $stage, $file);
	$again .= "--- stderr\n$err_again" if $err_again ne "";
	$again .= "--- status $status\n" if $status;
	is($again, $out, basename($file) . ": the same bytes again");
}

for my $file (sort glob("$here/err.*.km")) {
	my (undef, $tag) = split(/\./, basename($file));
	my ($status, $out, $err) = compile("--dump", "c", $file);
	$err .= "--- status $status\n" if $status != 1;
	$err .= "--- output\n$out" if $out ne "";
	$err .= "--- no message [$tag]\n" if $err !~ /error: .*\[\Q$tag\E\]/;
	golden($file, $err);
}

# The same script twice, and in two parts.
{
	my @script = ("-e", "measure vfs_read by comm if pid > 1", "-e", "measure from vfs_open to vfs_read key tid");
	my ($status, $first) = compile("--dump", "c", @script);
	my (undef, $second) = compile("--dump", "c", @script);
	is($status, 0, "two -e make one module");
	is($first, $second, "the same script gives the same bytes");
}

# Every message of every source, in order, each with its own place.
{
	my ($status, $out, $err) = compile("--dump", "c", "-e", "measure vfs_raed", "-e", "measure vfs_wriet");
	is($status, 1, "errors in two sources");
	like($err, qr/vfs_raed.*vfs_wriet/s, "both are told, in order");
}

# The reference: what it shows works, and what it marks as later says so.
{
	my $text = slurp("$here/../../grammar/LANGUAGE.md") // "";
	my $n = 0;
	while ($text =~ /^```kmeter( not-yet)?\n(.*?)^```$/msg) {
		my ($later, $script) = ($1, $2);
		my ($status, $out, $err) = compile("--dump", "c", "-e", $script);
		my $what = "LANGUAGE.md, example " . ++$n;
		if ($later) {
			is($status, 1, "$what is refused");
			unlike($err, qr/error: (?!not yet)/, "$what is refused only as not yet there") or diag($err);
			(undef, $out) = compile("--dump", "ast", "-e", $script);
			isnt($out, "", "$what parses");
		} else {
			is($status, 0, "$what compiles") or diag("$script$err");
		}
	}
	cmp_ok($n, ">=", 8, "LANGUAGE.md has examples");
}

# /proc/kallsyms without privileges has no addresses: what needs them does without.
{
	system("cp", "-r", $root, "$tmp/blind");
	system("sed", "-i", 's/^[0-9a-f]*/0000000000000000/', "$tmp/blind/boot/System.map-6.1.0-test");
	my ($status, $out, $err) = compile_for("$tmp/blind", "--dump", "plan", "-e", "measure vfs_read measure from vfs_open+100000 "
					       . "to vfs_read measure from tp:wrong:sched_switch to vfs_read");
	is($status, 0, "without addresses functions are found") or diag($err);
	like($err, qr/nothing here tells whether 'sched_switch' is of wrong/, "and what cannot be told is said");
	($status, $out, $err) = compile_for("$tmp/blind", "--dump", "plan", "-e", "measure exc_page_fault measure start_kernel "
					    . "measure seq_show");
	like($err, qr/noinstr.*gone afterwards.*4 functions of the kernel are named 'seq_show' /s,
	     "functions that cannot be measured are known by their order");
}

# Targets.
{
	my ($status, $out, $err) = compile("-r", "9.9.9", "--dump", "c", "-e", "measure vfs_read");
	is($status, 3, "a release without symbols: the kernel's fault, not the script's");
	like($err, qr/no-symbols/, "and it is told where they come from");
	($status, undef, $err) = compile("--sysroot", "$tmp/nowhere", "--dump", "c", "-e", "measure vfs_read");
	is($status, 3, "a sysroot that is not there");
	like($err, qr/no such folder/, "and it says so");
	mkdir("$root/lib/modules/6.6.0-second");
	($status, undef, $err) = compile("--dump", "c", "-e", "measure vfs_read");
	is($status, 3, "a sysroot with two kernels and no release");
	like($err, qr/6\.1\.0-test, 6\.6\.0-second/, "and it lists them");
	($status, $out) = compile("-r", "6.1.0-test", "--dump", "plan", "-e", "measure vfs_read");
	is($status, 0, "the release chosen");
	rmdir("$root/lib/modules/6.6.0-second");
}

# Real kernels, where guest/kernel has fetched some: their symbols are in the image alone.
my $home = $ENV{KMETER_CACHE} // ($ENV{XDG_CACHE_HOME} // "$ENV{HOME}/.cache") . "/kmeter";
for my $kernel (sort grep { m{/[0-9.]+$} && -d "$_/lib/modules" } glob("$home/kernel/*")) {
	my $name = basename($kernel);
	my ($status, $out, $err) = compile_for($kernel, "--dump", "plan", "-e", "measure vfs_read measure nf_tables:nft_do_chain "
					       . "measure from tp:sched:sched_wakeup to tp:sched:sched_switch");
	is($status, 0, "kernel $name: functions, modules, tracepoints are found") or diag($err);
	is($err, "", "and their systems known");
	($status, $out, $err) = compile_for($kernel, "--dump", "plan", "-e", "measure vfs_raed measure from tp:irq:sched_switch "
					    . "to tp:sched:sched_switsh measure do_int3 measure from vfs_read+10000 to vfs_read");
	like($err, qr/did you mean vfs_read.*is of sched, not of 'irq'.*mean sched_switch.*NOKPROBE.*has \d+ bytes/s,
	     "kernel $name: and what is not there");
}

done_testing();
