#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# csv.t: -F csv, TAP: the known reports through a strict reader of RFC 4180, against what was measured, CPU by CPU.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use lib dirname(abs_path($0));
use JSON::PP;
use Known;
use Test::More;

my @columns = qw(report taken measurement unit row key1 key2 key3 key4 cpu slot lo hi count sum);

# The rows, each { COLUMN => FIELD }, of a text of RFC 4180 whose every record has these columns.
sub table {
	my ($text) = @_;
	my (@rows, @fields);
	while (length($text)) {
		$text =~ s/\A(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)//s or die "no field: " . substr($text, 0, 60) . "\n";
		my ($quoted, $plain, $end) = ($1, $2, $3);
		push(@fields, defined($quoted) ? $quoted =~ s/""/"/gr : $plain);
		next if $end eq ",";
		die scalar(@fields) . " fields: @fields\n" if @fields != @columns;
		my %row;
		@row{@columns} = @fields;
		push(@rows, \%row);
		@fields = ();
	}
	die "no line end\n" if @fields;
	my $head = shift(@rows);
	die "header\n" if join(",", map { $head->{$_} } @columns) ne join(",", @columns);
	return @rows;
}

# "MEASUREMENT CPU LO-HI N SUM" of the samples, whatever the key.
sub wanted {
	my @lines;
	for my $m (grep { $_->{kind} ne "counts" } @_) {
		for my $part (@{$m->{parts}}) {
			my %of;
			push(@{$of{$_->[0]}}, $_) for @$part;
			for my $cpu (keys(%of)) {
				for my $slot (slots($of{$cpu}, $m->{bits})) {
					my @samples = grep { $_->[1] >= $slot->[0] && $_->[1] <= $slot->[1] } @{$of{$cpu}};
					push(@lines, "$m->{name} $cpu $slot->[0]-$slot->[1] $slot->[2] " . (wrapped(\@samples, $m->{bits}) ? "" : sum(\@samples)));
				}
			}
		}
	}
	return [sort(@lines)];
}

sub got { return [sort map { "$_->{measurement} $_->{cpu} $_->{lo}-$_->{hi} $_->{count} $_->{sum}" } grep { $_->{row} eq "slot" } @_] }

for my $report (known()) {
	my @rows = eval { table(written($report, "csv")) };
	is($@, "", "$report: RFC 4180") or next;
	my @measured = measured($report);
	is_deeply(got(@rows), wanted(@measured), "$report: the slots of each CPU, and their sums");
	my $json = decode_json(written($report, "json"));
	for my $m (@{$json->{measurements}}) {
		my %term = map { s/_/ /gr => $m->{accounting}{$_} } grep { $_ ne "balanced" } keys(%{$m->{accounting}});
		my %found = map { $_->{row} => $_->{count} } grep { $_->{measurement} eq $m->{name} && $_->{row} !~ /^(?:slot|count)$/ } @rows;
		is_deeply(\%found, \%term, "$report: the accounting of $m->{name}, zeros too");
	}
	is(scalar(grep { "$_->{report} $_->{taken}" ne "1 1790000000.000000000" } @rows), 0, "$report: which, and when");
}

sub keys_of { my ($report, $row) = @_; my %seen; return sort grep { !$seen{$_}++ } map { join("|", @$_{qw(measurement unit key1 key2 key3 key4)}) }
	      grep { $_->{row} eq $row } table(written($report, "csv")) }

is_deeply([keys_of("groups", "slot")], [sort "vfs_read|ns|dd|||", "vfs_read|ns|md5sum|||", 'vfs_read|ns|a"b,c\x01\xff|||', map { "do_filp_open|ns|$_|||" } 0, "-ENOENT", "-EACCES"],
	  "groups: keys as the text report has them");
is_deeply([keys_of("counts", "count")], ["tcp_all||tcp_recvmsg|tcp_sendmsg+0x900;tcp_sendmsg+0x200||", "tcp_all||tcp_sendmsg|tcp_sendmsg+0x900;tcp_sendmsg+0x100||"],
	  "counts: stacks are folded, innermost last");
is_deeply([map { "$_->{cpu} $_->{count} $_->{slot}$_->{lo}$_->{hi}$_->{sum}" } grep { $_->{row} eq "count" } table(written("counts", "csv"))], ["0 70 ", "1 140 "],
	  "counts: a line a group and CPU");
is(scalar(grep { $_ eq 'odd name,"1"|item_count|q"c,s\n\x0a|0xffffffff81000000|-1|18446744073709551615' } keys_of("labels", "slot")), 1, "labels: four keys, quoted");
is((map { $_->{slot} } grep { $_->{row} eq "slot" } table(written("top", "csv")))[0], 495, "top: the last of 496 slots has the number 495");

my @rows = table(written("times", "csv"));
for my $number (1, 7, 12) {
	is_deeply(got(grep { $_->{report} == $number } @rows), wanted(measured("times", $number)), "times: report $number, under the one header");
}
is((grep { $_->{report} == 12 } @rows)[0]{taken}, "1790000012.000000000", "times: the last one's time");

done_testing();
