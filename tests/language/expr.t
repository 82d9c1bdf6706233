#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# expr.t: what expressions give, TAP. The C that scripts become is compiled against the runtime's own headers and a stub of
# the kernel, with all warnings, and its handlers are run.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use Test::More;

my $here = dirname(abs_path($0));
my $driver = $ENV{KMETER_TEST_DRIVER} // "$here/../../build/tests/language/driver";
my $tmp = tempdir(CLEANUP => 1);

if (!-x $driver) {
	system("make", "-s", "-C", $here, "all") == 0 or BAIL_OUT("cannot build $driver");
}
system("$here/kernel/make", "$tmp/root") == 0 or BAIL_OUT("cannot make the small kernel");

# pid tid ppid uid cpu comm elapsed
my @env = (1000, 1003, 7, 4000000000, 5, "sh", 12345678);

# Expressions (of the entry) and their values; "fault" where this sample is dropped.
my @values = (
	["pid", 1000], ["tid", 1003], ["ppid", 7], ["uid", 4000000000], ["cpu", 5],
	["pid + tid * 2", 3006], ["(pid + tid) * 2", 4006], ["-pid", -1000], ["~cpu", -6], ["!cpu", 0], ["!!cpu", 1],
	["+cpu", 5], ["-uid", 294967296], ["~uid", 294967295],
	["pid - tid", -3], ["pid / cpu", 200], ["-pid / 3", -333], ["-pid % 3", -1], ["pid % 7", 6],
	["uid + uid", 3705032704], ["uid * 1L + uid", 8000000000], ["pid * 3000000", -1294967296],
	["pid * 3000000L", 3000000000], ["2147483647 + cpu", -2147483644], ["0xffffffff + cpu", 4],
	["0x7fffffffffffffff + cpu", "-9223372036854775804"],
	["1 << cpu", 32], ["1 << cpu + 26", "-2147483648"], ["1 << cpu + 27", 0], ["1 << tid", 0], ["1 << cpu - 6", 0],
	["1L << cpu + 57", 4611686018427387904], ["1L << cpu + 59", 0], ["-64 >> cpu", -2], ["-1 >> tid", 0],
	["uid >> cpu", 125000000], ["uid << cpu", 3445948416], ["uid >> -cpu", 0], ["-1L >> 63 - cpu", -1],
	["cpu & 4 | 2 ^ 3", 5], ["(cpu & 4) == 4", 1], ["cpu & 4 == 4", 1],
	["pid < tid", 1], ["pid > tid", 0], ["pid <= 1000", 1], ["pid >= 1001", 0], ["pid == 1000", 1], ["pid != 1000", 0],
	["-pid < 1", 1], ["-pid < 1u", 0], ["uid > -1", 0], ["uid == 0xee6b2800", 1], ["-1L < uid", 1],
	["pid && cpu", 1], ["pid && !cpu", 0], ["!pid || !cpu", 0], ["!pid || cpu", 1], ["pid > 1 && tid > 1 || uid", 1],
	["cpu ? pid : tid", 1000], ["!cpu ? pid : tid", 1003], ["cpu ? -1 : uid", 4294967295], ["cpu ? -1 : 5L", -1],
	["pid ? cpu ? 1 : 2 : 3", 1],
	["pid / (cpu - 5)", "fault"], ["pid % (cpu - 5)", "fault"], ["uid / (cpu - 5)", "fault"],
	["(-2147483647 - cpu + 4) / (tid - 1004)", "fault"], ["(-2147483647 - cpu + 4) % (tid - 1004)", "fault"],
	["(-2147483647 - cpu + 5) / (tid - 1004)", 2147483647], ["pid / (tid - 1004)", -1000],
	["(-9223372036854775807 - cpu + 4) / (tid - 1004)", "fault"],
	["cpu == 5 || pid / (cpu - 5)", 1], ["cpu != 5 && pid / (cpu - 5)", 0], ["cpu == 5 ? 3 : pid / (cpu - 5)", 3],
	["cpu != 5 || pid / (cpu - 5)", "fault"], ["uid / -1", 0], ["uid % 1000", 0],
	["comm == \"sh\"", 1], ["comm != \"sh\"", 0], ["comm == \"s\"", 0], ["comm == \"shx\"", 0], ["comm == \"\"", 0],
	["\"sh\" == comm && comm != \"bash\"", 1], ["(comm == \"sh\") + 1", 2],
	["10us + 1ms + 2s + 1min + 1h", 3662001010000], ["4K + 1M", 1052672], ["010 + 0x10 + 0b10 + 'A'", 91],
	["'\\n' + '\\\\' + '\\0'", 102],
);

# The same through elapsed: what passes an `if` behind the end.
my @late = (
	["elapsed > 12ms", 1], ["elapsed > 13ms", 0], ["elapsed == 12345678", 1], ["elapsed / pid == 12345", 1],
	["elapsed % (cpu - 5)", "fault"], ["elapsed > 1 || elapsed % (cpu - 5)", 1], ["elapsed - elapsed", 0],
	["elapsed >> cpu == 385802", 1], ["elapsed << tid", 0], ["pid == 1000 && elapsed > 12ms", 1],
	["pid == 1 && elapsed > 12ms", "early"], ["elapsed > 12ms && pid == 1", "early"],
	["elapsed > (comm == \"sh\" ? 13ms : 1ms)", 0], ["elapsed > (comm != \"sh\" ? 13ms : 1ms)", 1],
	["elapsed > 13ms || pid == 1000", 1], ["elapsed > -1", 0], ["-1 > elapsed", 1], ["elapsed / (pid - 1000)", "fault"],
	["elapsed > 1ms && elapsed < 2s && (pid == 1 || elapsed)", 1], ["!elapsed", 0], ["elapsed ? pid : 0", 1],
);

sub script {
	my $text = "";
	$text .= "measure vfs_read if elapsed == ($_->[0]) + 0L * pid\n" for @values;
	$text .= "measure vfs_read if $_->[0]\n" for @late;
	$text .= "measure from vfs_open by comm, uid if pid == 1000 to vfs_read by cpu if elapsed > 1ms\n";
	$text .= "measure from vfs_open if pid == 1 to vfs_read if cpu == 4\n";
	return $text;
}

my $file = "$tmp/expr.km";
open(my $f, ">", $file) or die;
print $f script();
close($f);
my $status = system("$driver --sysroot $tmp/root --dump c $file >$tmp/expr.c 2>$tmp/messages");
is($status, 0, "the expressions compile") or diag(`cat $tmp/messages`);
$status = system("gcc", "-std=gnu11", "-O2", "-fwrapv", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter",
		 "-Wno-sign-compare", "-Wno-type-limits", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-D__KERNEL__", "-I$here/stub",
		 "-I$here/../../runtime", "-o", "$tmp/expr", "$tmp/expr.c", "$here/stub/harness.c");
is($status, 0, "the C that they become compiles without a warning");
my @lines = map { chomp; $_ } `$tmp/expr @env`;
is($?, 0, "and runs without undefined behaviour");

for my $i (0 .. $#values) {
	my ($expr, $want) = @{$values[$i]};
	my (undef, $early, $late, $data) = split(/ /, $lines[$i] // "");
	my $got = !defined $early ? "nothing" : $early eq "fault" ? "fault" : $data;
	# Constants are not carried: then elapsed itself was compared.
	if (defined $early && !defined $data && $early eq "-") {
		$got = "constant";
	} elsif ($got ne "fault") {
		$want = sprintf("%x", $want =~ /^-/ ? unpack("Q", pack("q", $want)) : $want);
	}
	is($got, $want, "$expr is $values[$i][1]");
}
for my $i (0 .. $#late) {
	my ($expr, $want) = @{$late[$i]};
	my (undef, $early, $late) = split(/ /, $lines[@values + $i] // "");
	$late = $early if $early eq "fault";
	my $got = $early eq "filter" ? "early" : $late eq "take" ? 1 : $late eq "filter" ? 0 : $late;
	is($got, $want, "if $expr: $want");
}
is($lines[-2], scalar(@lines) - 1 . " take - - take 6873 0 ee6b2800 5", "a pair's keys: the start's at the start, the end's "
   . "at the end");
is($lines[-1], scalar(@lines) . " filter - filter -", "a pair's filters: early on both sides");

# comm at every length: what the kernel has behind the end does not matter.
for my $length (0 .. 15) {
	my $comm = "abcdefghijklmno";
	$comm = substr($comm, 0, $length);
	open($f, ">", $file);
	print $f "measure vfs_read if comm == \"$comm\" by comm\n";
	close($f);
	next if $length % 5;
	system("$driver --sysroot $tmp/root --dump c $file >$tmp/comm.c 2>/dev/null");
	system("gcc", "-std=gnu11", "-O1", "-w", "-D__KERNEL__", "-I$here/stub", "-I$here/../../runtime", "-o", "$tmp/comm",
	       "$tmp/comm.c", "$here/stub/harness.c");
	my @words = unpack("QQ", pack("a16", $comm));
	is(scalar `$tmp/comm 1 1 1 1 1 "$comm" 1`, sprintf("1 take - %x %x\n", @words), "comm of $length bytes");
	like(scalar `$tmp/comm 1 1 1 1 1 "${comm}z" 1`, qr/^1 filter/, "and no other") if $length < 15;
}

done_testing();
