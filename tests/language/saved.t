#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# saved.t: kmeter show, merge and diff on files of known contents: what they write, and their statuses, as a shell sees them.
use strict;
use warnings;
use File::Temp "tempdir";
use JSON::PP;
use Math::BigInt;
use Test::More;

my $top = $0 =~ s,[^/]+$,,r . "../..";
my $build = $ENV{BUILD} // "$top/build";
my $dir = tempdir(CLEANUP => 1);

sub known {	# NAME: a file with that report
	my ($name) = @_;
	system("$build/tests/unit/known $name >$dir/$name.json") == 0 or die;
	return "$dir/$name.json";
}

sub kmeter {	# ARGUMENTS: status, stdout, stderr
	my $out = `LC_ALL=C.UTF-8 COLUMNS=80 $build/kmeter @_ 2>$dir/err`;
	my $status = $? >> 8;
	open(my $f, "<", "$dir/err") or die;
	local $/;
	return ($status, $out, <$f> // "");
}

sub status {	# WANTED ARGUMENTS NAME
	my ($wanted, $arguments, $name) = @_;
	my ($status, $out, $err) = kmeter($arguments);
	is($status, $wanted, $name) or diag($out, $err);
	return ($out, $err);
}

sub numbers { return JSON::PP->new->allow_bignum->decode($_[0]) }

my @names = split /\n/, `$build/tests/unit/known`;
cmp_ok(scalar @names, ">", 8, "known reports");
for my $name (@names) {
	my $file = known($name);
	my ($out, $err) = status(0, "show $file --json", "show $name: status 0");
	open(my $f, "<", $file) or die;
	my $saved = do { local $/; <$f> };
	s/"version":"[^"]*"/"version":""/g for $out, $saved;
	is($out, $saved, "its JSON again is what was in the file");
	like($err, qr/^note: .*kernel 6\.1\.0-known/, "with a note of what it is of");
	status(0, "show $file", "as text");
	status(0, "diff $file $file", "it does not differ from itself");
	my $diff = numbers((status(0, "diff $file $file -F json", "nor as JSON"))[0]);
	for my $m (grep { @{$_->{groups}} } @{$diff->{measurements}}) {
		my $sum = Math::BigInt->new(0);
		$sum += $_->{count}[1] for @{$m->{groups}};
		is("$sum", "$m->{all}{count}[1]", "and its groups are all there");
	}
}
is((status(0, "show $dir/empty.json", "an empty result is an answer"))[0] =~ /no samples in 5 s: nothing came by/, 1, "with the reason");

# ---- more samples than a double has fractions of ----

my $huge = numbers((status(0, "show $dir/micro.json --json", "a report"))[0]);
my $group = $huge->{measurements}[0]{groups}[0];
$group->{cpus}[0]{slots}[0][3] = 1 << 60;
$group->{cpus}[0]{slots}[0][5] = undef;
$_->{count} += (1 << 60) - 1 for $group, $group->{cpus}[0];
open(my $f, ">", "$dir/huge.json") or die;
print $f JSON::PP->new->allow_bignum->encode($huge);
close($f);
my $hgrm = `timeout 20 $build/kmeter show -q $dir/huge.json vfs_read -F hgrm`;
is($?, 0, "2^60 samples and three as percentiles: they end");
is(() = $hgrm =~ /^ *\S+ 1\.0{12} +@{[(1 << 60) + 3]}$/mg, 1, "with the last of all");

# ---- merge ----

my $times = "$dir/times.json";
open($f, "<", $times) or die;
my @lines = <$f>;
open(my $odd, ">", "$dir/odd.ndjson") or die;
open(my $even, ">", "$dir/even.ndjson") or die;
for my $i (0 .. $#lines) {
	print { $i % 2 ? $odd : $even } $lines[$i];
}
close($_) for $odd, $even;
my ($out) = status(0, "merge $dir/odd.ndjson $dir/even.ndjson", "merge two files of six reports each");
my $all = numbers($out);
my %want;
for my $line (@lines) {
	for my $m (@{numbers($line)->{measurements}}) {
		$want{$m->{name}}{count} += $m->{count};
		$want{$m->{name}}{sum} += $m->{sum};
		$want{$m->{name}}{slot}{$_->[0]} += $_->[3] for map { @{$_->{slots}} } @{$m->{groups}};
	}
}
for my $m (@{$all->{measurements}}) {
	my $name = $m->{name};
	is("$m->{count} $m->{sum}", "$want{$name}{count} $want{$name}{sum}", "$name: count and sum are those of all twelve");
	is_deeply({map { $_->[0] => "$_->[3]" } @{$m->{groups}[0]{slots}}}, {map { $_ => "$want{$name}{slot}{$_}" } keys %{$want{$name}{slot}}}, "and every slot is");
}
status(0, "merge $dir/odd.ndjson $dir/even.ndjson -o $dir/all.json", "to a file");
($out) = status(0, "show - <$dir/all.json", "which is shown, from standard input");
like($out, qr/^  count\s+[\d,]*\d /m, "with its count");
status(0, "merge $dir/all.json $dir/micro.json -F text", "a merged one can be merged again");
status(2, "merge $dir/odd.ndjson $dir/odd.ndjson", "the same file twice is refused");
status(2, "merge $dir/none.json", "so is one that is not there");

# ---- diff ----

open($f, ">", "$dir/first.json") or die;
print $f @lines[0 .. 5];
close($f);
open($f, ">", "$dir/second.json") or die;
print $f @lines[6 .. 11];
close($f);
($out) = status(1, "diff $dir/first.json $dir/second.json vfs_write", "diff of two halves of a series: moved, status 1");
like($out, qr/^vfs_write\n.*^  p50 .*moved up$/ms, "which is told");
unlike($out, qr/^vfs_read/m, "of the one that was asked for");
status(0, "diff $dir/first.json $dir/second.json vfs_write --tolerance 1000", "with a tolerance that takes it all, status 0");
status(2, "diff $dir/first.json $dir/second.json vfs_wrote", "a name that is not there: status 2");
status(2, "diff $dir/first.json $dir/counts.json", "nothing in common: status 2");
($out) = status(1, "diff $dir/first.json $dir/second.json -F json", "as JSON, the same status");
is(numbers($out)->{measurements}[1]{all}{quantiles}{p50}{moved}, "up", "and the same answer");
status(2, "diff $dir/first.json $dir/second.json -F hgrm", "in no other format");
for my $command ("diff $dir/one.json $dir/one.json", "diff $dir/one.json $dir/one.json -F json", "show $dir/one.json", "merge $dir/one.json") {
	my (undef, $err) = status(2, ">/dev/full $command", "what cannot be written is no answer: $command");
	is(() = $err =~ /cannot write the report to stdout: No space left/g, 1, "said once");
}

# ---- the live view of a file, in a terminal that script(1) makes ----

sub view {	# FILE REPORTS...: status and what was on the screen
	my ($name, @reports) = @_;
	open(my $f, ">", "$dir/$name") or die;
	print $f JSON::PP->new->allow_bignum->encode($_), "\n" for @reports;
	close($f);
	my $out = `TERM=vt100 COLUMNS=80 LINES=24 timeout 20 script -qec '$build/kmeter show --live -i 100ms $dir/$name' /dev/null </dev/null`;
	return ($? >> 8, $out);
}
my ($first, $second) = map { numbers($_) } @lines[0, 1];
my @both = @{$second->{measurements}};
my $screen;
$second->{measurements} = [$both[0]];
(my $status, $screen) = view("less.json", $first, $second);
is($status, 2, "a report that lacks a measurement: the view ends with status 2");
like($screen, qr/report 2 is not of the same measurements/, "and says so");
($status, $screen) = view("more.json", $second, $first);
is($status, 2, "one that has more than the first: likewise");
like($screen, qr/report 2 is not of the same measurements/, "and says so");
$second->{measurements} = $first->{measurements};
$second->{boot} = "another";
($status, $screen) = view("boots.json", $first, $second);
is($status, 2, "one of another boot, where addresses are others: likewise");
$second->{measurements} = [];
($status, $screen) = view("none.json", $second);
is($status, 2, "there is nothing to follow: likewise");

done_testing();
