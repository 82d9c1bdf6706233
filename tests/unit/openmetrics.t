#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# openmetrics.t: -F openmetrics, TAP: the known reports through a strict reader of OpenMetrics 1.0, and what it has read against what
# was measured.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use lib dirname(abs_path($0));
use Known;
use Math::BigInt;
use Test::More;

my %suffix = (histogram => qr/_(?:bucket|count|sum)/, counter => qr/_total/, gauge => qr//);
my $name = qr/[a-zA-Z_:][a-zA-Z0-9_:]*/;

# {FAMILY}: type, unit and samples: [NAME, LABELS, {LABEL => VALUE}, NUMBER]. Dies of the first thing that is not right.
sub exposition {
	my ($text) = @_;
	my (%family, %seen, $at);
	die "no EOF at the end\n" unless $text =~ s/# EOF\n\z//;
	die "no whole lines\n" unless $text eq "" || $text =~ /\n\z/;
	die "not UTF-8\n" unless utf8::decode(my $copy = $text);
	for (split(/\n/, $text)) {
		if (/^# TYPE ($name) (histogram|counter|gauge)$/) {
			die "$1 comes twice\n" if $family{$1};
			for my $other (keys %family) {
				die "$1 is called as a sample of $other\n" if $1 =~ /^\Q$other\E(?:_total|_created|_bucket|_count|_sum|_info)$/;
			}
			$at = { name => $1, type => $2, unit => "", samples => [] };
			$family{$1} = $at;
		} elsif (/^# UNIT ($name) ([a-zA-Z0-9_]+)$/) {
			die "UNIT of $1, in another\n" if $1 ne $at->{name} || $at->{unit} || @{$at->{samples}} || $at->{help};
			die "$1 does not end in $2\n" unless $1 =~ /_\Q$2\E$/;
			$at->{unit} = $2;
		} elsif (/^# HELP ($name) (?:[^\n\\"]|\\[n\\"])+$/) {
			die "HELP of $1, in another\n" if $1 ne $at->{name} || $at->{help}++ || @{$at->{samples}};
		} elsif (/^($name)\{(.*)\} (\d+|\d+\.\d+)$/) {
			my ($sample, $labels, $number, %label) = ($1, $2, $3);
			die "$sample is not of $at->{name}\n" unless $sample =~ /^\Q$at->{name}\E$suffix{$at->{type}}$/;
			die "$sample\{$labels} comes twice\n" if $seen{"$sample $labels"}++;
			while ($labels =~ s/^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\n"])*)"(?:,(?=.)|$)//) {
				my ($key, $value) = ($1, $2);
				die "a label $key twice\n" if exists($label{$key});
				$label{$key} = $value =~ s/\\(.)/$1 eq "n" ? "\n" : $1/ger;
			}
			die "no labels: $labels\n" if length($labels);
			push(@{$at->{samples}}, [$sample =~ s/^\Q$at->{name}\E_?//r, join(",", map { "$_=$label{$_}" } sort grep { $_ ne "le" } keys %label),
						 \%label, $number]);
		} else {
			die "no line of OpenMetrics: $_\n";
		}
	}
	return \%family;
}

# A whole number of the smallest unit from a decimal of it; never a float.
sub whole {
	my ($text, $decimals) = @_;
	$text =~ /^(\d+)(?:\.(\d+))?$/ or die "no decimal: $text\n";
	my ($number, $fraction) = ($1, $2 // "");
	$fraction =~ s/0+$// if length($fraction) > $decimals || $fraction =~ /^0+$/;
	die "$text has more digits than the values have\n" if length($fraction) > $decimals;
	return Math::BigInt->new($number . $fraction . "0" x ($decimals - length($fraction)))->bstr();
}

# The histograms of a family, each "MEASUREMENT: LO-HI N, ... sum SUM", from what it says: a slot is from behind the bound before it.
sub histograms {
	my ($family, %decimals) = @_;
	my (@found, $now, $of);
	for (@{$family->{samples}}, ["end", ""]) {
		my ($sample, $labels, $label, $number) = @$_;
		if (!defined($of) || $labels ne $of) {
			if (defined($of)) {
				die "no +Inf: $of\n" unless defined($now->{all});
				die "a sum without a count, or the other way: $of\n" if defined($now->{count}) != defined($now->{sum});
				push(@found, "$now->{measurement}: " . join(", ", @{$now->{slots}}) . " sum " . ($now->{sum} // "unknown"));
			}
			die "$labels is torn\n" if $family->{torn}{$labels}++;
			$of = $labels;
			$now = { measurement => $label->{measurement}, slots => [], bound => -1, below => 0 } if $label;
		}
		my $decimals = $label ? $decimals{$label->{measurement}} : 0;
		if ($sample eq "bucket" && $label->{le} eq "+Inf") {
			die "more than all\n" if $number != $now->{below};
			$now->{all} = $number;
		} elsif ($sample eq "bucket") {
			die "a bound behind +Inf\n" if defined($now->{all});
			die "le without a point\n" unless $label->{le} =~ /\./;
			my $bound = Math::BigInt->new(whole($label->{le}, $decimals));
			die "bounds do not ascend\n" if $bound <= $now->{bound};
			die "counts descend\n" if $number < $now->{below};
			push(@{$now->{slots}}, ($now->{bound} + 1) . "-$bound " . ($number - $now->{below})) if $number > $now->{below};
			($now->{bound}, $now->{below}) = ($bound, $number);
		} elsif ($sample eq "count") {
			die "the count is not that of +Inf\n" if $number != $now->{all};
			$now->{count} = $number;
		} elsif ($sample eq "sum") {
			$now->{sum} = whole($number, $decimals);
		}
	}
	return sort(@found);
}

my %decimals = (ns => 9, us => 6);

for my $report (known()) {
	my $family = eval { exposition(written($report, "openmetrics")) };
	is($@, "", "$report: OpenMetrics") or next;
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
