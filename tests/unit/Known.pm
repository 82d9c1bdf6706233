# SPDX-License-Identifier: GPL-2.0
#
# Known.pm: the reports of console_known.h for the tests of formats (*.t): as a format writes them, and their samples as they were before
# they had slots. Slots are found here by their lowest bits, not by their numbers: nothing of runtime/slot.h is repeated.
package Known;
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename;
use JSON::PP;
use Math::BigInt;
use Test::More;

our @EXPORT = qw(known written measured slots sum wrapped coarse_slots);

my $known = $ENV{KMETER_TEST_KNOWN} // dirname(abs_path(__FILE__)) . "/../../build/tests/unit/known";
-x $known or BAIL_OUT("no $known: make -C tests/unit all");

sub run {
	open(my $from, "-|", $known, @_) or BAIL_OUT("no $known");
	local $/;
	my $out = <$from> // "";
	close($from) or BAIL_OUT("known @_ failed");
	return $out;
}

# The names of all, but the series `times`.
sub known { return grep { $_ ne "times" } split(/\n/, run()) }

# A report in a format.
sub written { return run(@_) }

# What was measured: of each measurement its name, bits, unit, kind, and parts: lists of [CPU, VALUE, N]. Of `times`, the report of
# that number.
sub measured {
	my ($report, $number) = @_;
	my (%part, $at);
	for (split(/\n/, run($report, "samples"))) {
		if (/^report (\d+)$/) {
			$at = $1;
		} elsif (!defined($number) || $at == $number) {
			/^(.*) (\d+) (\d+) (\d+) (\d+)$/ or BAIL_OUT("known $report samples: $_");
			push(@{$part{$1}[$2]}, [$3, $4, $5]);
		}
	}
	my @lines = split(/\n/, run($report, "json"));
	my $json = decode_json($lines[defined($number) ? $number - 1 : 0]);
	return map { { name => $_->{name}, bits => $_->{bits}, unit => $_->{unit} // "", kind => $_->{kind}, by => scalar(@{$_->{by}}),
		       parts => $part{$_->{name}} // [] } } @{$json->{measurements}};
}

# The values that share a slot with this one: 2^bits slots a power of two, none narrower than 1; without bits, all.
sub bounds {
	my ($value, $bits) = @_;
	return (0, ~0) unless defined($bits);
	my $high = 0;
	$high++ while $high < 63 && $value >> ($high + 1);
	my $mask = $high > $bits ? (1 << ($high - $bits)) - 1 : 0;
	return ($value & ~$mask, $value | $mask);
}

# [LO, HI, N], ascending, of samples as above.
sub slots {
	my ($samples, $bits) = @_;
	my (%n, %hi);
	for (@$samples) {
		my ($lo, $hi) = bounds($_->[1], $bits);
		$n{$lo} += $_->[2];
		$hi{$lo} = $hi;
	}
	return map { [$_, $hi{$_}, $n{$_}] } sort { $a <=> $b } keys(%n);
}

sub sum {
	my ($samples) = @_;
	my $sum = Math::BigInt->new(0);
	$sum += Math::BigInt->new($_->[1]) * $_->[2] for @$samples;
	return $sum;
}

# Has a slot of a CPU so many samples that their sum, of 64 bits, no longer tells?
sub wrapped {
	my ($samples, $bits) = @_;
	return 0 unless defined($bits);		# there the sum is taken as it is
	my %n;
	for (@$samples) {
		my ($lo, $hi) = bounds($_->[1], $bits);
		my $key = "$_->[0] $lo";
		$n{$key} = ($n{$key} // Math::BigInt->new(0)) + $_->[2];
		return 1 if $hi > $lo && $n{$key} * (Math::BigInt->new($hi) - $lo + 1) >= Math::BigInt->new(2) ** 64;
	}
	return 0;
}

# The slots that samples have where 4, 7 and 10 are the only bits, and the largest value is 2^63 - 1: as they are, or those of one slot
# together at their mean, rounded (in its middle, where a sum wrapped). Then the bits, and how many were too large.
sub coarse_slots {
	my ($samples, $bits) = @_;
	my ($to) = grep { $_ >= $bits } 4, 7, 10;
	my $largest = (1 << 63) - 1;
	my (@placed, %of, $capped);
	push(@{$of{(bounds($_->[1], $bits))[0]}}, $_) for @$samples;
	for my $lo (keys(%of)) {
		my ($hi, $n) = ((bounds($lo, $bits))[1], 0);
		$n += $_->[2] for @{$of{$lo}};
		my $mean = wrapped($of{$lo}, $bits) ? Math::BigInt->new($lo) + ($hi - $lo) / 2 : (sum($of{$lo}) * 2 + $n) / (2 * $n);
		my $value = $bits == $to ? $lo : 0 + $mean->bstr();
		$capped += $n if $lo > $largest;
		push(@placed, [0, $lo > $largest ? $largest : $value, $n]);
	}
	return ($to, $capped // 0, slots(\@placed, $to));
}

1;
