#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# prometheus.t: -F openmetrics, and -F prometheus, as Prometheus itself reads it, TAP: every sample of every known report goes through its reader into its
# database and comes back.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use lib dirname(abs_path($0)) . "/../unit";
use Known;
use Test::More;

my $here = dirname(abs_path($0));
my $tmp = tempdir(CLEANUP => 1);
chomp(my $promtool = `$here/promtool`);
-x $promtool or BAIL_OUT("no promtool");

sub run {
	my ($in, @command) = @_;
	open(my $to, ">", "$tmp/in") or BAIL_OUT("$tmp: $!");
	print $to $in;
	close($to);
	open(my $from, "-|", "sh", "-c", 'exec "$0" "$@" <"$IN" 2>&1', @command) or BAIL_OUT("no $command[0]");
	local $/;
	my $out = <$from> // "";
	close($from);
	return ($? >> 8, $out);
}
$ENV{IN} = "$tmp/in";

# {SERIES} = VALUE; an empty label is none.
sub series {
	my ($text, $form) = @_;
	my %value;
	for (split(/\n/, $text)) {
		my ($name, $labels, $value) = /$form/ or next;
		my %label = $labels =~ /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;
		$label{__name__} //= $name;
		$label{le} += 0 if exists($label{le}) && $label{le} ne "+Inf";
		$value{join(",", map { "$_=$label{$_}" } grep { $label{$_} ne "" } sort(keys(%label)))} = 0 + $value;
	}
	return \%value;
}

for my $report (known()) {
	my $text = written($report, "openmetrics");
	my ($status, $out) = run(written($report, "prometheus"), $promtool, "check", "metrics");
	is("$status $out", "0 ", "$report: promtool check metrics");
	# The strict reader, of OpenMetrics, wants to know when.
	my $timed = $text =~ s/^([^#].*)$/$1 1790000000.0/gmr;
	open(my $to, ">", "$tmp/timed") or BAIL_OUT("$tmp: $!");
	print $to $timed;
	close($to);
	system("rm", "-rf", "$tmp/db");
	($status, $out) = run("", $promtool, "tsdb", "create-blocks-from", "openmetrics", "$tmp/timed", "$tmp/db");
	is($status, 0, "$report: Prometheus takes it in") or diag($out);
	mkdir("$tmp/db/wal");
	mkdir("$tmp/db/chunks_head");
	($status, $out) = run("", $promtool, "tsdb", "dump", "$tmp/db");
	is_deeply(series($out, qr/^()\{(.*)\} (\S+) 1790000000000$/), series($text, qr/^([a-z_]+)\{(.*)\} (\S+)$/),
		  "$report: and has every sample");
}

my ($status, $out) = run(written("one", "prometheus") . "not a sample\n", $promtool, "check", "metrics");
isnt($status, 0, "promtool does look");
done_testing();
