# SPDX-License-Identifier: GPL-2.0
#
# Exposition.pm: strict readers of what is written for Prometheus: OpenMetrics 1.0, the text format before it (0.0.4), and the binary one. None
# of them shares anything with those who write.
package Exposition;
use strict;
use warnings;
use Exporter qw(import);
use Math::BigInt;

our @EXPORT = qw(exposition whole histograms families);

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

