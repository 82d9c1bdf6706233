#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# hdr.t: -F hlog as HdrHistogram's own library reads it, against what was measured; and -F hgrm against what that library then writes
# of it, TAP.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use lib dirname(abs_path($0)) . "/../unit";
use Known;
use Test::More;

my $here = dirname(abs_path($0));
my ($jar) = grep { -e } "/usr/share/java/hdrhistogram.jar", "/usr/share/java/HdrHistogram.jar";
$jar or BAIL_OUT("no HdrHistogram's library: packaging/install-deps formats");
my $in = tempdir(CLEANUP => 1) . "/log";

# Lists of { line, slots, text } of what it reads, in order.
sub read_log {
	my ($log) = @_;
	open(my $to, ">", $in) or BAIL_OUT("$in: $!");
	print $to $log;
	close($to);
	open(my $from, "-|", "sh", "-c", 'exec java -XX:+UseSerialGC -Dfile.encoding=UTF-8 -cp "$0" "$1" <"$2"', $jar, "$here/ReadLog.java", $in) or BAIL_OUT("no java");
	my @read;
	while (<$from>) {
		if (/^log (.*)$/) {
			push(@read, { line => $1, slots => [], text => "" });
		} elsif (/^slot (\d+) (\d+) (\d+)$/) {
			push(@{$read[-1]{slots}}, "$1-$2 $3");
		} elsif (s/^hgrm //) {
			$read[-1]{text} .= $_;
		}
	}
	close($from) or BAIL_OUT("ReadLog.java failed");
	return @read;
}

my %digits = (4 => 1, 7 => 2, 10 => 3);

sub wanted {
	return sort map {
		my $m = $_;
		map {
			my ($bits, $capped, @slots) = coarse_slots($_, $m->{bits});
			my $n = 0;
			$n += $_->[2] for @slots;
			"$digits{$bits} $n: " . join(", ", map { "$_->[0]-$_->[1] $_->[2]" } @slots)
		} @{$m->{parts}} ? @{$m->{parts}} : []
	} grep { $_->{kind} ne "counts" && defined($_->{bits}) } @_;
}

sub got { return sort map { $_->{line} =~ s/^\S+ \d+ \d+ //r . ": " . join(", ", @{$_->{slots}}) } @_ }

# Without what the two do not write alike: the mean (ours is exact, theirs of the middles of slots), digits behind the 16th, the last one
# of a fraction (Java rounds 5 up, C to the even one), names.
sub comparable {
	my ($text) = @_;
	return $text =~ s/^# .*\n//gmr =~ s/^#\[[^M B].*\n|^#\[Mean .*\n//gmr =~ s/^#\[\S+ (?:has bits|is left).*\n//gmr
		=~ s/ *\b(\d{16,})\.(\d+)/sprintf(" %.14e", "$1.$2")/ger =~ s/^( *\S+ \d\.\d{11})\d/$1/gmr
		=~ s/(\.\d)\d$/$1/gmr =~ s/\n\n+/\n/gr;
}

sub deviations { return map { sprintf("%.10e", $_) } $_[0] =~ /StdDeviation   = +([0-9.]+)\]/g }

for my $report (known()) {
	my @read = read_log(written($report, "hlog"));
	is_deeply([got(@read)], [wanted(measured($report))], "$report: HdrHistogram has the same slots");
	is_deeply([grep { $_->{line} !~ / 1789999995000 5000 / } @read], [], "$report: and knows of when they are");
	my $theirs = join("", map { $_->{text} } @read);
	is(comparable(written($report, "hgrm")), comparable($theirs), "$report: its percentile distributions are ours");
	is_deeply([deviations(written($report, "hgrm"))], [deviations($theirs)], "$report: and its standard deviations");
}

my @read = read_log(written("times", "hlog"));
is(scalar(@read), 24, "times: all intervals");
for my $number (1 .. 12) {
	my @now = @read[2 * $number - 2, 2 * $number - 1];
	is_deeply([got(@now)], [wanted(measured("times", $number))], "times: interval $number");
	is(join(" ", map { $_->{line} =~ s/^(\S+ \d+ \d+) .*/$1/r } @now), join(" ", map { "$_ " . (1790000000 + $number - 1) . "000 1000" } "vfs_read", "vfs_write"),
	   "times: its tags and time");
}

done_testing();
