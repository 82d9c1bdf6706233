# SPDX-License-Identifier: GPL-2.0
#
# Exposition.pm: strict readers of what is written for Prometheus: OpenMetrics 1.0, the text format before it (0.0.4), and the binary one. None
# of them shares anything with those who write.
package Exposition;
use strict;
use warnings;
use Exporter qw(import);
use Math::BigInt;

our @EXPORT = qw(exposition older_exposition whole histograms families);

my %suffix = (histogram => qr/_(?:bucket|count|sum|created)/, counter => qr/_(?:total|created)/, gauge => qr//, info => qr/_info/);
my $name = qr/[a-zA-Z_:][a-zA-Z0-9_:]*/;

# {FAMILY}: type, unit and samples: [NAME, LABELS, {LABEL => VALUE}, NUMBER]. Dies of the first thing that is not right.
sub exposition {
	my ($text) = @_;
	my (%family, %seen, $at);
	die "no EOF at the end\n" unless $text =~ s/# EOF\n\z//;
	die "no whole lines\n" unless $text eq "" || $text =~ /\n\z/;
	die "not UTF-8\n" unless utf8::decode(my $copy = $text);
	for (split(/\n/, $text)) {
		if (/^# TYPE ($name) (histogram|counter|gauge|info)$/) {
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
		} elsif (/^($name)(?:\{(.+)\})? (\d+|\d+\.\d+)$/) {
			my ($sample, $labels, $number, %label) = ($1, $2 // "", $3);
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

# The same of the older text format, which calls a counter as its samples are called, and knows neither units nor an end.
sub older_exposition {
	my ($text) = @_;
	die "a word of OpenMetrics: $1\n" if $text =~ /^# (EOF|UNIT)/m;
	my %counter = map { $_ => 1 } $text =~ /^# TYPE (\S+) counter$/gm;
	for (keys %counter) {
		die "$_ is a counter\n" unless /_total$/;
		my $plain = s/_total$//r;
		$text =~ s/^(# (?:TYPE|HELP)) \Q$_\E /$1 $plain /gm;
	}
	return exposition("$text# EOF\n");
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


# ---- the binary format ----

sub varint {
	my ($bytes) = @_;
	my ($value, $shift, $byte) = (0, 0);
	do {
		$byte = ord(substr($$bytes, 0, 1, "") // die "cut short\n");
		$value |= ($byte & 127) << $shift;
		$shift += 7;
	} while ($byte & 128);
	return $value;
}

# A message: {NUMBER} = list of its values: numbers of 8 bytes as doubles, others as they are.
sub message {
	my ($bytes) = @_;
	my %field;
	while (length($bytes)) {
		my $key = varint(\$bytes);
		my ($number, $type) = ($key >> 3, $key & 7);
		if ($type == 0) {
			push(@{$field{$number}}, varint(\$bytes));
		} elsif ($type == 1) {
			push(@{$field{$number}}, unpack("d<", substr($bytes, 0, 8, "")));
		} elsif ($type == 2) {
			my $length = varint(\$bytes);
			die "longer than what is there\n" if $length > length($bytes);
			push(@{$field{$number}}, substr($bytes, 0, $length, ""));
		} else {
			die "no type of protobuf's: $type\n";
		}
	}
	return \%field;
}

sub only {
	my ($field, $number) = @_;
	my @all = @{$field->{$number} // []};
	die "field $number comes " . scalar(@all) . " times\n" if @all != 1;
	return $all[0];
}

# 0, -1, 1, -2, 2, ...
sub zigzag { return $_[0] & 1 ? -($_[0] >> 1) - 1 : $_[0] >> 1 }

sub histogram {
	my ($field) = @_;
	my %h = (count => only($field, 1), sum => only($field, 2), buckets => []);
	for (@{$field->{3}}) {
		my $bucket = message($_);
		push(@{$h{buckets}}, [only($bucket, 2), only($bucket, 1)]);
	}
	return \%h unless $field->{5};
	$h{schema} = zigzag(only($field, 5));
	$h{threshold} = only($field, 6);
	$h{zero} = only($field, 7);
	my ($index, $n, @deltas) = (0, 0, @{$field->{13} // []});
	for (@{$field->{12} // []}) {
		my $span = message($_);
		$index += zigzag(only($span, 1));
		for (1 .. only($span, 2)) {
			$n += zigzag(shift(@deltas) // die "more buckets than steps\n");
			push(@{$h{native}}, [$index++, $n]);
		}
	}
	die "more steps than buckets\n" if @deltas;
	return \%h;
}

# {FAMILY}: type (a number) and metrics: { labels, value } or what histogram() has.
sub families {
	my ($bytes) = @_;
	my %family;
	while (length($bytes)) {
		my $length = varint(\$bytes);
		die "longer than what is there\n" if $length > length($bytes);
		my $field = message(substr($bytes, 0, $length, ""));
		my $name = only($field, 1);
		die "$name comes twice\n" if $family{$name};
		die "no help\n" unless length(only($field, 2));
		my %f = (type => only($field, 3), metrics => []);
		for (@{$field->{4}}) {
			my $metric = message($_);
			my %label;
			for (@{$metric->{1}}) {
				my $pair = message($_);
				die "a label twice\n" if exists($label{only($pair, 1)});
				$label{only($pair, 1)} = only($pair, 2);
			}
			my $value = $f{type} == 4 ? histogram(message(only($metric, 7)))
				  : { value => only(message(only($metric, $f{type} == 0 ? 3 : 2)), 1) };
			push(@{$f{metrics}}, { labels => join(",", map { "$_=$label{$_}" } sort keys %label), label => \%label, %$value });
		}
		$family{$name} = \%f;
	}
	return \%family;
}

1;
