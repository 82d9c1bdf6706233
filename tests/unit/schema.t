#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# schema.t: docs/json-schema.json, TAP: every known report is as it says, none is any more with a field less, one more, or one of another
# type; and docs/json.md and the schema know the same fields.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use lib dirname(abs_path($0));
use JSON::PP;
use Known;
use Test::More;

my $here = dirname(abs_path($0));
my $tmp = tempdir(CLEANUP => 1);
my $schema = "$here/../../docs/json-schema.json";
my ($python) = grep { system("$_ -c 'import jsonschema' 2>/dev/null") == 0 } "/usr/bin/python3", "python3";
plan skip_all => "no python3-jsonschema here (packaging/install-deps test)" if !$python;

# Which of the files are as the schema says.
sub valid {
	my (@files) = @_;
	my %valid;
	open(my $from, "-|", "sh", "-c", 'exec "$@" 2>&1', "sh", $python, "-W", "ignore", "-m", "jsonschema", "--output", "pretty",
	     (map { ("-i", $_) } @files), $schema) or BAIL_OUT("no $python");
	while (<$from>) {
		$valid{$2} = $1 eq "SUCCESS" ? 1 : 0 if /^={3}\[(\w+)\]={3}\((.*)\)={3}/;
	}
	close($from);
	return \%valid;
}

my ($files, %what) = (0);

sub put {
	my ($text, $what) = @_;
	my $path = sprintf("%s/%04d", $tmp, $files++);
	open(my $to, ">", $path) or BAIL_OUT("$path: $!");
	print $to $text;
	close($to);
	$what{$path} = $what;
	return $path;
}

my @good;
push(@good, put(written($_, "json"), $_)) for known();
my $number = 0;
push(@good, put($_, "times, report " . ++$number)) for split(/^/, written("times", "json"));
my $kmeter = $ENV{KMETER_TEST_KMETER} // "$here/../../build/kmeter";
my $merged = -x $kmeter ? `'$kmeter' merge -q @{[map { put(written($_, "json"), "") } "one", "micro"]}` : "";
push(@good, put($merged, "a merged report")) if $merged ne "";
my $valid = valid(@good);
ok($valid->{$_}, "$what{$_} is valid") for @good;

# Every field of every kind of object, once left out, once a list of a list, and once with another beside it.
my (@bad, %seen);
my $json = JSON::PP->new->canonical;

sub spoil {
	my ($root, $at, $path) = @_;
	if (ref($at) eq "ARRAY") {
		spoil($root, $_, $path) for @$at;
		return;
	}
	return if ref($at) ne "HASH";
	for my $field (sort(keys(%$at))) {
		spoil($root, $at->{$field}, "$path/$field");
		next if $seen{"$path/$field"}++;
		my $value = delete($at->{$field});
		push(@bad, put($json->encode($root), "without $path/$field")) unless $field eq "squares";
		$at->{$field} = [[{}]];
		push(@bad, put($json->encode($root), "with another type of $path/$field"));
		$at->{$field} = $value;
	}
	return if $seen{$path}++;
	$at->{novelty} = 1;
	push(@bad, put($json->encode($root), "with one more at $path"));
	delete($at->{novelty});
}

for my $report (written("groups", "json"), written("counts", "json"), $merged) {
	next if $report eq "";
	my $root = decode_json($report);
	spoil($root, $root, $root->{measurements}[0]{kind} . ($root->{sources} ? " merged" : ""));
}
$valid = valid(@bad);
my @taken = grep { $valid->{$_} // 1 } @bad;
is(join(", ", map { $what{$_} } @taken), "", scalar(@bad) . " reports with something wrong are not valid");
cmp_ok(scalar(@bad), ">", 200, "so many there were");

# ---- the page ----

open(my $from, "<", "$here/../../docs/json.md") or BAIL_OUT("docs/json.md: $!");
my $page = do { local $/; <$from> };
my %known;

sub fields {
	my ($at) = @_;
	if (ref($at) eq "HASH") {
		for (keys(%{$at->{properties} // {}})) {
			$known{$_} = 1;
		}
		fields($_) for values(%$at);
	} elsif (ref($at) eq "ARRAY") {
		fields($_) for @$at;
	}
}
open($from, "<", $schema) or BAIL_OUT("$schema: $!");
fields(decode_json(do { local $/; <$from> }));
is(join(" ", grep { $page !~ /\b\Q$_\E\b/ } sort(keys(%known))), "", "docs/json.md tells of every field");
$page =~ s/^\| type \| in `key`.*?\n\n//ms;	# its first column are no fields
is(join(" ", grep { !$known{$_} } map { split(/`, `/) } $page =~ /^\| `([a-z_`, ]+)` \| (?:string|integer|array|object|number|boolean)/gm), "",
   "and the schema knows those of the page");

done_testing();
