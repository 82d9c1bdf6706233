#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# hdr.t: -F hlog and -F hgrm, TAP: the known reports, decoded here from what is published of HdrHistogram's format, against what was
# measured. (tests/formats/hdr.t has them read by HdrHistogram's own library.)
use strict;
use warnings;
use Compress::Zlib qw(uncompress);
use Cwd qw(abs_path);
use File::Basename;
use lib dirname(abs_path($0));
use Known;
use Math::BigInt;
use MIME::Base64;
use Test::More;

# A histogram of a line: digits, and [LO, HI, N] of what came.
sub decode {
	my ($text) = @_;
	my ($cookie, $length, $packed) = unpack("N N a*", decode_base64($text));
	die sprintf("cookie %x\n", $cookie) if $cookie != 0x1c849314;
	die "length\n" if $length != length($packed);
	my ($inner, $payload, $offset, $digits, $lowest, $highest, $ratio, $words) = unpack("N N N N Q> Q> d> a*", uncompress($packed) // die("deflate\n"));
	die sprintf("inner cookie %x\n", $inner) if $inner != 0x1c849313;
	die "header\n" if $payload != length($words) || $offset || $lowest != 1 || $ratio != 1 || $highest < 2;
	# As many values a power of two as tell all of so many digits apart, to the next power of two.
	my $half = 1;
	$half *= 2 while $half < 10 ** $digits;
	my ($index, @slots) = (0);
	while (length($words)) {
		my ($value, $shift) = (0, 0);
		while (1) {
			my $byte = unpack("C", substr($words, 0, 1, ""));
			$value |= ($shift == 56 ? $byte : $byte & 0x7f) << $shift;
			last if $shift == 56 || $byte < 0x80;
			$shift += 7;
		}
		if ($value & 1) {
			$index += ($value >> 1) + 1;
			next;
		}
		if ($value) {
			my $bucket = $index < 2 * $half ? 0 : int($index / $half) - 1;
			my $lo = ($index - $bucket * $half) << $bucket;
			push(@slots, [$lo, $lo + (1 << $bucket) - 1, $value >> 1]);
		}
		$index++;
	}
	die "more than it has room for\n" if @slots && $slots[-1][1] > $highest;
	return ($digits, @slots);
}

# The lines of a log: [TAG, START, LENGTH, MAX, DIGITS, SLOT...]; and its comments.
sub hlog {
	my ($text) = @_;
	my (@lines, @comments);
	my ($log, $version, $start, $legend, @rest) = split(/\n/, $text);
	die "head\n" unless $log =~ /^#\[Logged with kmeter / && $version eq "#[Histogram log format version 1.3]" &&
			    $start =~ /^#\[StartTime: \d+\.\d{3} \(seconds since epoch\), /;
	die "legend\n" unless $legend eq '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"';
	for (@rest) {
		if (/^#\[(.*)\]$/) {
			push(@comments, $1);
			next;
		}
		/^(?:Tag=([^, \r\n]+),)?(\d+\.\d{3}),(\d+\.\d{3}),(\d+\.\d{3}),([A-Za-z0-9+\/]+=*)$/ or die "no line of a log: $_\n";
		push(@lines, [$1 // "", $2, $3, $4, decode($5)]);
	}
	return (\@lines, \@comments);
}

my %digits = (4 => 1, 7 => 2, 10 => 3);

sub text { my ($digits, @slots) = @_; return "$digits: " . join(", ", map { "$_->[0]-$_->[1] $_->[2]" } @slots) }

# What should be in the log, and be said: histograms without their names, sorted.
sub wanted {
	my (@measured) = @_;
	my (@histograms, @said);
	for my $m (@measured) {
		if ($m->{kind} eq "counts") {
			push(@said, "$m->{name} is left out: it counts hits, and has no histogram");
			next;
		}
		if (!defined($m->{bits})) {
			push(@said, "$m->{name} is left out: it keeps sums alone, and has no histogram");
			next;
		}
		my $capped = 0;
		for my $samples (@{$m->{parts}} ? @{$m->{parts}} : []) {
			my ($bits, $too_large, @slots) = coarse_slots($samples, $m->{bits});
			push(@histograms, text($digits{$bits}, @slots));
			push(@said, "$too_large samples of ") if $too_large;
		}
		my ($bits) = coarse_slots([], $m->{bits});
		push(@said, "has bits $m->{bits}, which are not HdrHistogram's: written with $digits{$bits} digit") if $bits != $m->{bits};
	}
	return ([sort(@histograms)], [sort(@said)]);
}

for my $report (known()) {
	my ($lines, $comments) = eval { hlog(written($report, "hlog")) };
	is($@, "", "$report: a log") or next;
	my @measured = measured($report);
	my ($histograms, $said) = wanted(@measured);
	is_deeply([sort map { my ($tag, $start, $length, $max, @of) = @$_; text(@of) } @$lines], $histograms, "$report: the slots are those of the samples");
	is(scalar(@$comments), scalar(@$said), "$report: says so much beside them");
	for my $one (@$said) {
		ok(scalar(grep { index($_, $one) >= 0 } @$comments), "$report: says: $one...") or diag(@$comments);
	}
	my $several = @measured > 1 || grep { $_->{by} } @measured;
	is(scalar(grep { ($_->[0] ne "") != ($several ? 1 : 0) } @$lines), 0, "$report: tags, where there may be several");
}

my ($lines) = hlog(written("labels", "hlog"));
is_deeply([map { $_->[0] } @$lines], [map({ "odd%20name%2C%221%22/$_/0xffffffff81000000/-1/18446744073709551615" } "\xc3\xbc%20100%25%2Fx", "=1+1", 'q%22c%2Cs\n\x0a', 'a\x01', 'a\x01'),
	   "stacks/0x1000;entry+0x1;tcp_sendmsg+0x10/"], "labels: tags without commas, blanks and quotes");
($lines) = hlog(written("times", "hlog"));
is(scalar(@$lines), 24, "times: two lines a report, under one head");
for my $number (1, 7, 12) {
	my ($histograms) = wanted(measured("times", $number));
	my @now = @$lines[2 * $number - 2, 2 * $number - 1];
	is_deeply([sort map { my ($tag, $start, $length, $max, @of) = @$_; text(@of) } @now], $histograms, "times: report $number");
	is("$now[0][0] $now[1][0] $now[0][1] $now[0][2]", "vfs_read vfs_write " . (1790000000 + $number - 1) . ".000 1.000", "times: its names and time");
}

# ---- .hgrm ----

# Blocks: [NAME, [VALUE, LEVEL, TOTAL]..., MEAN, MAX, N].
sub hgrm {
	my ($text) = @_;
	my ($name, $now, @blocks) = ("");
	for (split(/\n/, $text)) {
		if (/^# (.*)$/) {
			$name = $1;
		} elsif (/^ +Value +Percentile TotalCount 1\/\(1-Percentile\)$/) {
			$now = { name => $name, lines => [] };
		} elsif (/^ *(\d+)\.0+ (\d\.\d{12}) +(\d+)(?: +(\d+\.\d\d))?$/) {
			push(@{$now->{lines}}, [$1, $2, $3, $4]);
		} elsif (/^#\[Mean    = +(\d+\.\d+), StdDeviation   = +\d+\.\d+\]$/) {
			$now->{mean} = $1;
		} elsif (/^#\[Max     = *(\d+)\.0+, Total count    = +(\d+)\]$/) {
			($now->{max}, $now->{n}) = ($1, $2);
		} elsif (/^#\[Buckets = +\d+, SubBuckets     = +(\d+)\]$/) {
			push(@blocks, { %$now, bits => { 32 => 4, 256 => 7, 2048 => 10 }->{$1} });
			($name, $now) = ("");
		} elsif (!/^$|^#\[\d+ samples of |^#\[\S+ (?:has bits|is left out)/) {
			die "no line of a distribution: $_\n";
		}
	}
	return @blocks;
}

# A line is right when the value is the highest of the first slot up to which there is at least that share.
sub wrong {
	my ($block, @slots) = @_;
	my ($all, $below, %below, %total) = (0, 0);
	$all += $_->[2] for @slots;
	for (@slots) {
		$below{$_->[1]} = $below;
		$total{$_->[1]} = ($below += $_->[2]);
	}
	return "n" if $block->{n} != $all;
	return "max" if $block->{max} != ($all ? $slots[-1][1] : 0);
	return "an empty one has lines" if !$all && @{$block->{lines}};
	my $last = -1;
	for (@{$block->{lines}}) {
		my ($value, $level, $total, $inverse) = @$_;
		return "value $value" unless exists($total{$value});
		return "total at $value" if $total != $total{$value};
		return "level $level at $value" if $total < $level * $all * (1 - 1e-9) || $below{$value} > $level * $all * (1 + 1e-9);
		return "levels do not ascend" if $level <= $last;
		$last = $level;
	}
	return "no 100 %" if $all && ($last != 1 || defined($block->{lines}[-1][3]));
	return "";
}

for my $report (known()) {
	my @blocks = eval { hgrm(written($report, "hgrm")) };
	is($@, "", "$report: distributions");
	my (%left, $count);
	for my $m (grep { $_->{kind} ne "counts" && defined($_->{bits}) } measured($report)) {
		for my $samples (@{$m->{parts}} ? @{$m->{parts}} : []) {
			my ($bits, $capped, @slots) = coarse_slots($samples, $m->{bits});
			my ($found) = grep { $_->{bits} == $bits && !wrong($_, @slots) } @blocks;
			ok($found, "$report: the distribution of $m->{name}, $bits bits") or diag(map { wrong($_, @slots) . "\n" } @blocks);
			my $n = 0;
			$n += $_->[2] for @$samples;
			my $mean = $n ? sum($samples)->numify() / $n : 0;
			ok(wrapped($samples, $m->{bits}) || abs($found->{mean} - $mean) <= 0.05 + 1e-12 * $mean, "$report: its mean is that of the samples");
			$count++;
		}
	}
	is(scalar(@blocks), $count // 0, "$report: and no others");
}
is(join("|", map { $_->{name} } hgrm(written("groups", "hgrm"))), "vfs_read/md5sum|vfs_read/dd|vfs_read/a%22b%2Cc\\x01\\xff|do_filp_open/0|do_filp_open/-ENOENT|" .
   "do_filp_open/-EACCES", "groups: names of the blocks");
unlike(written("one", "hgrm"), qr/^# /m, "one: a block alone has none");

done_testing();
