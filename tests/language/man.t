#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# man.t: the man pages, TAP: kmeter-language.5 is what LANGUAGE.md gives and has all of it; kstats.9 names what kstats.h has, as it
# has it; all of them are formatted without complaint, and fit 80 columns.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));
use Cwd qw(abs_path);
use File::Basename;
use Test::More;

my $top = abs_path(dirname(abs_path($0)) . "/../..");
my @pages = map { basename($_) } glob("$top/docs/*.[1-9]");

sub text {
	my ($path) = @_;
	open(my $from, "<", $path) or BAIL_OUT("$path: $!");
	local $/;
	return scalar(<$from>);
}

sub run {
	my ($command) = @_;
	open(my $from, "-|", "sh", "-c", $command) or BAIL_OUT("no shell");
	local $/;
	my $out = <$from> // "";
	close($from);
	return $out;
}

# ---- as they are shown ----

my %shown;
SKIP: {
	skip("no groff", 1) if run("command -v groff") eq "";
	for my $page (@pages) {
		is(run("groff -man -Tutf8 -k -ww -rLL=80n $top/docs/$page 2>&1 >/dev/null"), "", "$page: groff has nothing to say");
		$shown{$page} = run("groff -man -Tutf8 -k -rLL=80n -P-c -P-b -P-u -P-o $top/docs/$page");
		my @long = grep { length($_) > 80 } split(/\n/, $shown{$page});
		is_deeply(\@long, [], "$page: 80 columns");
	}
}
SKIP: {
	skip("no mandoc", 1) if run("command -v mandoc") eq "";
	for my $page (@pages) {
		# Of the date a month is enough.
		my @said = grep { !/cannot parse date/ } split(/\n/, run("mandoc -Tlint -W warning $top/docs/$page 2>&1"));
		is_deeply(\@said, [], "$page: mandoc has nothing to say");
	}
}

# Who is named under SEE ALSO is there: ours, by their files.
for my $page (@pages) {
	my ($also) = text("$top/docs/$page") =~ /^\.SH SEE ALSO\n(.*)\z/ms;
	my @ours = map { s/\\-/-/gr } ($also // "") =~ /^\.BR ((?:kmeter|kstats)\S*) \((\d)\)/mg;
	my %there = map { $_ => 1 } @pages;
	my @missing;
	push(@missing, "$1.$2") while ($also // "") =~ /^\.BR ((?:kmeter|kstats)\S*) \((\d)\)/mg;
	ok(scalar(@missing) >= 1, "$page names the others");
	is_deeply([grep { !$there{ s/\\-/-/gr } } @missing], [], "which are there");
}
my $install = text("$top/Makefile");
for my $page (@pages) {
	my ($section) = $page =~ /(\d)$/;
	ok($install =~ /install .*docs\/\Q$page\E .*man$section\/\Q$page\E$/m, "$page is installed");
}

# ---- kmeter-language.5 ----

my $made = run("$top/docs/language-man");
ok($made eq text("$top/docs/kmeter-language.5"), "kmeter-language.5 is what LANGUAGE.md gives") or diag("make man; git diff docs");
my $language = text("$top/grammar/LANGUAGE.md");
SKIP: {
	my $page = $shown{"kmeter-language.5"} or skip("no groff", 1);
	my $squeezed = $page =~ s/\s+//gr;
	my (@lost, @code, $in);
	# Each line of a script, each paragraph and each cell, with blanks and markup left out.
	my $joined = join("", map { /^```/ ? $_ : s/(?<=[^\n|])\n(?=[^\n|# ])/ /gr } split(/(^```kmeter\n.*?^```\n)/ms, $language));
	for my $line (split(/\n/, $joined)) {
		$in = !$in, next if $line =~ /^```/;
		if ($in || $line =~ /^    /) {
			push(@lost, $line) if index($squeezed, $line =~ s/\s+//gr) < 0;
			next;
		}
		next if $line =~ /^\|[-|]+$/ || $line eq "";
		$line = uc($line) if $line =~ s/^#+ //;
		next if $line eq "THE LANGUAGE OF KMETER";
		for my $cell ($line =~ /^\|/ ? split(/(?<!\\)\|/, $line) : $line) {
			my $words = $cell =~ s/\\\|/|/gr;
			$words =~ s/\[([^\]]+)\]\(#([^)]+)\)/"$1, under " . uc(join(" ", split(m{-}, $2)))/ge;
			my @parts = split(/(`[^`]*`)/, $words);
			$words = join("", map { /^`(.*)`$/ ? $1 : s/\*\*|(?<![\w(])\*(?=\S)|(?<=\S)\*(?!\w)//gr } @parts);
			$words =~ s/\s+//g;
			push(@lost, $cell) if index($squeezed, $words) < 0;
		}
	}
	is_deeply(\@lost, [], "all of LANGUAGE.md is in it");
}

# ---- kstats.9 ----

sub prototypes {
	my ($text) = @_;
	my %of;
	$text =~ s/\s+/ /g;
	while ($text =~ /((?:struct kstats \*|void |int |u64 |bool )(kstats_\w+)\([^()]*\));/g) {
		$of{$2} = $1;
	}
	return \%of;
}

my $header = text("$top/runtime/kstats.h");
my ($kernel) = $header =~ /^#ifdef __KERNEL__\n(.*)^#endif \/\* __KERNEL__/ms or BAIL_OUT("kstats.h has no part for the kernel");
my $code = $kernel =~ s{/\*.*?\*/}{}gsr;
my $wanted = prototypes($code);
my $nine = text("$top/docs/kstats.9");
my ($synopsis) = $nine =~ /^\.SH SYNOPSIS\n(.*?)^\.SH/ms;
$synopsis =~ s/^\.B "?(.*?)"?$/$1/mg;
cmp_ok(scalar(keys %$wanted), ">", 9, "kstats.h has functions");
is_deeply(prototypes($synopsis), $wanted, "kstats.9 has all of them, with the same arguments, and no others");
my @exported = map { text($_) =~ /^EXPORT_SYMBOL_GPL\((kstats_\w+)\);/mg } glob("$top/runtime/*.c");
my $data = join(" ", grep { !$wanted->{$_} } @exported);
is_deeply([grep { my $f = $_; !grep { $_ eq $f } @exported } sort keys %$wanted], [], "the runtime exports them");
is($data, "kstats_kernel_half", "and a number that inline functions of script.h take, but nothing else");
my @macros = grep { !/^KSTATS_TERM$/ } $header =~ /^#define (\w+)\(/mg;
is_deeply([grep { $synopsis !~ /^\Q$_\E\(/m } @macros], [], "macros with arguments, too");
# Every name of the kind that the page has is one of the headers', every function in its text one of the synopsis.
my $all = $header . text("$top/runtime/slot.h") . join("", map { "KSTATS_$_ " } $header =~ /X\((\w+), +"/g);
my @strange = grep { $all !~ /\b\Q$_\E\b/ } $nine =~ /\b(KSTATS_[A-Z_]+[A-Z]|struct kstats_\w+|kstats_\w+)\b/g;
is_deeply([grep { !/^kstats_\w+$/ || !$wanted->{$_} } @strange], [], "it names nothing that is not there");
my ($body) = $nine =~ /^\.SH DESCRIPTION\n(.*)\z/ms;
is_deeply([grep { $body !~ /\b\Q$_\E\b/ } sort keys %$wanted, @macros], [], "and says something of each");
# Its errors are those of the header.
my ($says) = $header =~ /(Return: 0, or a negative errno.*?)\*\//s;
my ($errors) = $nine =~ /^\.SH ERRORS\n(.*?)^\.SH/ms;
is_deeply([sort $errors =~ /^\.B \\-(E\w+)$/mg], [sort $says =~ /-(E[A-Z]+)\b/g], "the errors of kstats_script_load()");
my ($members) = $nine =~ /^\.SH EXAMPLES\n(.*?)^\.SH/ms;
is_deeply([grep { $code !~ /[ *]\Q$_\E(?:\[\w+\])?[;,)]/ } $members =~ /^\t\\&\.(\w+) =/mg], [], "members in examples are there");
done_testing();
