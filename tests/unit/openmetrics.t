#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# openmetrics.t: -F openmetrics and -F prometheus, TAP: the known reports through a strict reader of OpenMetrics 1.0, and what it has read against what
# was measured.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use lib dirname(abs_path($0));
use Exposition;
use Known;
use Test::More;

my %decimals = (ns => 9, us => 6);

for my $report (known()) {
	my $family = eval { exposition(written($report, "openmetrics")) };
	is($@, "", "$report: OpenMetrics") or next;
	my $older = eval { older_exposition(written($report, "prometheus")) };
	is($@, "", "$report: the older text format");
	for (values(%$older), values(%$family)) {
		delete($_->{unit});	# which it has not
		$_->{samples} = [grep { $_->[0] ne "count" } @{$_->{samples}}];		# which OpenMetrics leaves out without a sum
	}
	is_deeply($older, $family, "$report: the same");
	$family = exposition(written($report, "openmetrics"));
	my @measured = measured($report);
	my (@wanted, @got, %scale);
	for my $m (@measured) {
		$scale{$m->{name}} = $decimals{$m->{unit}} // 0;
		next if $m->{kind} eq "counts";
		push(@wanted, map {
			my $samples = $_;
			"$m->{name}: " . join(", ", map { "$_->[0]-$_->[1] $_->[2]" } slots($samples, $m->{bits})) . " sum " .
			(wrapped($samples, $m->{bits}) ? "unknown" : sum($samples)->bstr())
		} @{$m->{parts}} ? @{$m->{parts}} : []);
	}
	eval { push(@got, histograms($_, %scale)) for grep { $_->{type} eq "histogram" } values(%$family) };
	is($@, "", "$report: histograms");
	is_deeply([sort @got], [sort @wanted], "$report: the slots, and the sums, are those of the samples");
	my %hits = map { $_->[2]{measurement} => $_->[3] } grep { $_->[2]{term} eq "hits" } @{$family->{kmeter_accounting}{samples}};
	my (%sum, %left);
	for (@{$family->{kmeter_accounting}{samples}}, @{$family->{kmeter_in_flight}{samples}}) {
		$sum{$_->[2]{measurement}} += $_->[3] unless ($_->[2]{term} // "") eq "hits";
	}
	is_deeply(\%sum, \%hits, "$report: the terms and what is in flight add up to hits");
}

sub has {
	my ($report, $line, $what) = @_;
	ok(index("\n" . written($report, "openmetrics"), "\n$line\n") >= 0, "$report: $what") or diag("no $line");
}

has("micro", 'kmeter_duration_seconds_sum{measurement="vfs_read"} 0.00000225', "1 + 250 + 999 + 1000 ns in seconds");
has("micro", 'kmeter_value_seconds_sum{measurement="srtt"} 0.001501', "1 + 1500 us in seconds");
has("micro", 'kmeter_duration_seconds_bucket{measurement="vfs_read",le="0.0"} 0', "a bound of 0");
has("extremes", 'kmeter_duration_seconds_bucket{measurement="vfs_read",le="18446744073.709551615"} 10', "2^64 - 1 ns, all digits");
has("empty", 'kmeter_duration_seconds_bucket{measurement="vfs_read",le="+Inf"} 0', "a histogram without samples");
has("empty", 'kmeter_armed_seconds_total{measurement="vfs_read"} 5.0', "how long");
has("outside", 'kmeter_accounting_total{measurement="vfs_read",term="outside"} 5', "a loss");
has("groups", 'kmeter_duration_seconds_count{measurement="vfs_read",comm="md5sum"} 75', "a group, 25 times 3 samples");
has("groups", 'kmeter_duration_seconds_count{measurement="vfs_read",comm="a' . "\\\"b,c\\\\x01\\\\xff\"} 2", "quotes and backslashes");
has("groups", 'kmeter_duration_seconds_count{measurement="do_filp_open",return="-ENOENT"} 11', "a key by name");
has("counts", 'kmeter_hits_total{measurement="tcp_all",point="tcp_recvmsg",stack="tcp_sendmsg+0x900;tcp_sendmsg+0x200"} 140', "counts");
has("labels", '# UNIT kmeter_value_item_count_unit item_count_unit', "a unit called as samples are");
has("labels", 'kmeter_value_item_count_unit_count{measurement="odd name,\\"1\\"",le_2="=1+1",a_b="0xffffffff81000000",a_b_2="-1",' .
    'key_1_pid="18446744073709551615"} 4', "names of labels that are taken");
my @alike = grep { /_count\{.*le_2="a\\\\x01/ } split(/\n/, written("labels", "openmetrics"));
is(scalar(@alike), 2, "labels: two texts that read alike are two series");
is_deeply([sort map { /le_2="a\\\\x01 0x([0-9a-f]+) 0 0 0"/ ? $1 : $_ } @alike], ["161", "3130785c61"], "labels: told apart by their bytes");
has("labels", 'kmeter_duration_seconds_count{measurement="stacks",stack="0x1000;entry+0x1;tcp_sendmsg+0x10",stack_2=""} 7', "stacks");

done_testing();
