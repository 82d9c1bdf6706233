#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# tests/vm/pages.t KERNEL: do the commands that the pages give (tests/vm/pages) do what the pages say? TAP.
#
# A script is built on this side, for the guest's kernel, and the guest runs the command with the module in the place of the
# script's words, so that it needs no compiler; times are cut to a second. What needs no kernel (check, build, -l, -L, --dump, library,
# help, --version) is run here. The scripts of `here` columns are checked one by one, and run some at a time, in one module.
# Each must end with status 0, complain of nothing, and show its report, of which the accounting holds: pages.sh.
#
# tests/vm/pages.not lists what is not run, and why. `pages.t -n KERNEL` leaves
# the guest out, `pages.t -k DIR KERNEL` keeps what it gets.

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);

my $top = dirname(dirname(dirname(abs_path($0))));
my $km = ($ENV{KMETER_BUILD} // "$top/build") . "/kmeter";
my ($dry, $keep);
while (@ARGV && $ARGV[0] =~ /^-([nk])$/) {
	shift;
	if ($1 eq "n") { $dry = 1 } else { $keep = shift }
}
my $kernel = shift // "";
my ($sysroot, $rel) = split " ", `$top/guest/kernel $kernel`;
die "no kernel '$kernel'\n" unless $rel;
chdir $top or die;
my $dir = $keep // tempdir("kmeter-pages.XXXXXX", TMPDIR => 1, CLEANUP => 1);
mkdir "$dir/run" unless -d "$dir/run";
$| = 1;

my $count = 0;
sub ok {
	my ($good, $name, @comments) = @_;
	$count++;
	print +($good ? "ok" : "not ok") . " $count - $name\n";
	print map { "# $_\n" } map { split /\n/ } @comments unless $good;
	return $good;
}

sub lines {
	open my $f, "<", $_[0] or return ();
	return grep { !/^(#|$)/ } map { chomp; $_ } <$f>;
}

# ---- the words of a command, each as it is written, and operators between ----

sub words { return $_[0] =~ /((?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"|;&<>\\])+|[|;&<>]+)/gs }

sub plain {	# a word without its quotes
	my ($w) = @_;
	$w =~ s/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/$1 \/\/ $2 \/\/ $3/ges;
	return $w;
}

sub quoted { my ($w) = @_; $w =~ s/'/'\\''/g; return "'$w'" }

my %with_argument = map { $_ => 1 } qw(-e -c -d -i -n -w -o -F --sort --top -l -L -r --sysroot --dump --color);
my %on_this_side = map { $_ => 1 } qw(check build library help);
my %for_a_kernel = map { $_ => 1 } qw(check build);
my %of_scripts = map { $_ => 1 } qw(run load check build);

# A command taken apart: { before, verb, script => [raw words], options => [raw words], after }; without kmeter, nothing.
sub take_apart {
	my @w = words($_[0]);
	my $at = 0;
	$at++ while $at < @w && ($w[$at] =~ /^\w+=/ || $w[$at] eq "sudo");
	return undef unless $at < @w && $w[$at] =~ m{^(build/)?kmeter$};
	my %c = (before => join(" ", @w[0 .. $at - 1]), verb => "run", script => [], options => [], after => "");
	my $first = 1;
	while (++$at < @w) {
		my $word = $w[$at];
		if ($word =~ /^[|;&<>]/) {
			$c{after} = join " ", @w[$at .. $#w];
			last;
		}
		if ($word eq "--") {
			push @{$c{options}}, @w[$at .. $#w];
			$c{ends} = 1;
			last;
		}
		my $own = $first;
		$first = 0;
		if ($word =~ /^--guest(=|$)/) {
			$first = $own;
		} elsif ($word =~ /^-/) {
			my @both = $with_argument{$word} ? ($word, $w[++$at]) : ($word);
			if ($word eq "-e") { push @{$c{script}}, @both } else { push @{$c{options}}, @both }
			$c{here} = 1 if $word =~ /^(-l|-L|--dump|--dry-run|-V|-h|--version|--help)$/;
			$c{ends} = 1 if $word =~ /^-[cdn]$/;
		} elsif ($own && $word =~ /^[a-z]+$/) {
			$c{verb} = $word;
		} elsif ($of_scripts{$c{verb}}) {
			push @{$c{script}}, $word;
		} else {
			push @{$c{options}}, $word;
		}
	}
	$c{here} = 1 if $on_this_side{$c{verb}};
	return \%c;
}

# Long times and series are cut short.
sub cut {
	my ($c) = @_;
	my @o = @{$c->{options}};
	for my $i (0 .. $#o - 1) {
		last if $o[$i] eq "--";
		$o[$i + 1] = "300ms" if $o[$i] eq "-d";
		$o[$i + 1] = "150ms" if $o[$i] =~ /^-[iw]$/;
		$o[$i + 1] = 2 if $o[$i] eq "-n" && $o[$i + 1] > 2;
	}
	push @o, "-d", "300ms" if $c->{verb} eq "run" && !$c->{ends};
	return @o;
}

# Is it the report that people read? What the other formats say, their own tests look at.
sub in_text { return "@_" !~ /--json|-F (?!text)/ }

# ---- this side ----

sub here {	# SHELL: status, what it wrote
	my ($shell) = @_;
	my $log = "$dir/here.log";
	my $status = system "bash", "-c", "kmeter() { '$km' \"\$@\"; }\n$shell >'$log' 2>&1";
	open my $f, "<", $log or return ($status, "");
	local $/;
	return ($status, scalar <$f>);
}

sub statements {	# of a script: how many reports
	my ($text) = @_;
	$text =~ s/"(?:[^"\\]|\\.)*"/x/gs;
	return scalar(() = $text =~ /(?:^|[\s;])(?:measure|count|watch|profile)(?=\s)/g);
}

sub statements_of {	# raw script words
	my $n = 0;
	my @w = @_;
	while (@w) {
		my $word = plain(shift @w);
		if ($word eq "-e") {
			$n += statements(plain(shift @w));
		} else {
			my ($file) = grep { -e } $word, "examples/$word.km";
			next unless $file;
			$n += statements(join "\n", lines($file));
		}
	}
	return $n;
}

my $target = "-r '$rel' --sysroot '$sysroot'";
my %built;
sub build {	# SHELL WORDS: the module's name, and what was complained of
	my ($script) = @_;
	return @{$built{$script}} if $built{$script};
	my $name = "m" . keys(%built) . ".ko";
	my ($status, $log) = here("kmeter build $target -o '$dir/run/$name' $script");
	my $bad = $status || $log =~ /\b(?:error|warning):/;
	$built{$script} = [$bad ? undef : $name, $log];
	return @{$built{$script}};
}

# ---- what there is to do ----

# Does pages find what it is to find, and nothing else?
my $page_of_all = "$dir/all.md";
open my $all, ">", $page_of_all or die;
print $all <<'END';
# kmeter -l x
Text `kmeter list` and `kmeter` and `sudo kmeter show x`, ``kmeter -e 'a`b'``; kmeter -h here.

    A=1 sudo kmeter -e 'measure f' \
        -d 1
    build/kmeter --guest -e 'measure f
        by comm' -c "it's" # all
      kmeter  1  2
    make
    echo 'trace f' | sudo tee /sys/x
    cat /sys/x
    cat /tmp/x
    sudo rmmod x

```
kmeter floor
```
```kmeter
kmeter no
```
| there | here | differs |
|---|---|---|
| `kmeter -l a` | `measure f if a \|\| b`, `elapsed`, `count 'x'` | `measure g` |

| here you | x |
|---|---|
| `measure h` | `kmeter help a` |
END
close $all;
my $expected = <<'END';
2	kmeter list
2	sudo kmeter show x
2	kmeter -e 'a`b'
4	A=1 sudo kmeter -e 'measure f' -d 1
6	build/kmeter --guest -e 'measure f by comm' -c "it's" # all
10	echo 'trace f' | sudo tee /sys/x
11	cat /sys/x
13	sudo rmmod x
16	kmeter floor
23	kmeter -l a
23	kmeter -e 'measure f if a || b'
23	kmeter -e 'count '\''x'\'''
27	kmeter help a
END
my $found = `tests/vm/pages $page_of_all` =~ s/^\Q$page_of_all\E://gmr;
ok($found eq $expected, "pages finds what is a command, and nothing else", "found:\n$found");
{
	my $c = take_apart(q(A=1 sudo build/kmeter --guest=6.1 run "x y.km" p='1 2' -i 2 -d 10s --top 3 -c "a 'b' $(c)" | tail -n 1));
	my $got = join "/", $c->{before}, $c->{verb}, "@{$c->{script}}", join(" ", cut($c)), $c->{after};
	ok($got eq q(A=1 sudo/run/"x y.km" p='1 2'/-i 150ms -d 300ms --top 3 -c "a 'b' $(c)"/| tail -n 1), "a command is taken apart", $got);
	$c = take_apart(q(kmeter -e 'count f' -- ls -d 9));
	$got = "$c->{verb} @{$c->{script}} " . join(" ", cut($c));
	ok($got eq "run -e 'count f' -- ls -d 9", "what is another's command is left alone", $got);
	ok(statements(q(measure f by comm count "count x" name "measure y" watch z)) == 3, "statements are counted");
}

# --help, as a page.
system "'$km' --help | sed 's/^  kmeter/    kmeter/' >'$dir/help.md'";
my @pages = ("README.md", "grammar/LANGUAGE.md", glob("docs/*.md"), glob("docs/*.1"), "$dir/help.md");
my %not;
for (lines("tests/vm/pages.not")) {
	my ($command, $why) = split /\t/;
	die "tests/vm/pages.not: no reason for `$command`\n" unless $why;
	$not{$command} = 0;
}
my (@tasks, @small, %seen);	# for the guest: { name, text, reports }
my $page = "";
for (`tests/vm/pages @pages`) {
	chomp;
	my ($place, $command) = split /\t/, $_, 2;
	$place =~ s{^\Q$dir/\E}{};
	my $name = "$place $command";
	$name =~ s/#/\\#/g;
	if (exists $not{$command}) {
		$not{$command}++;
		next;
	}
	my $c = take_apart($command);
	if (!$c) {
		push @tasks, { name => $name, text => $command, reports => 0 };
		next;
	}
	if ($c->{here}) {
		my $at = $c->{verb} eq "library" || $c->{verb} eq "help" ? "" : $target;
		my $verb = $c->{verb} eq "run" ? "" : $c->{verb};
		$at = "" if grep { /^(-V|-h|--version|--help)$/ } @{$c->{options}};
		my @o = @{$c->{options}};
		for my $i (0 .. $#o - 1) { $o[$i + 1] = "$dir/run/$o[$i + 1]" if $o[$i] eq "-o" }
		my ($status, $log) = here("$c->{before} kmeter $verb $at @{$c->{script}} @o $c->{after}" =~ s/^\s*sudo //r);
		my $silent = $for_a_kernel{$verb} || "@o" =~ /-o /;
		ok(!$status && $log !~ /\b(?:error|warning):/ && ($silent || length $log), $name, "status " . ($status >> 8) . "\n$log");
		next;
	}
	next if $c->{verb} eq "floor" && $seen{floor}++;
	if (!@{$c->{script}}) {		# show, list, unload, ...
		push @tasks, { name => $name, text => "$c->{before} kmeter $c->{verb} @{$c->{options}} $c->{after}",
			       reports => $c->{verb} eq "show" && in_text(@{$c->{options}}) ? 1 : 0 };
		next;
	}
	if ("@{$c->{script}}" =~ /^\S+\.ko$/) {		# built by a command before it
		my @o = cut($c);
		push @tasks, { name => $name, text => "$c->{before} kmeter $c->{verb} @{$c->{script}} @o $c->{after}",
			       reports => 1, least => 1 };
		next;
	}
	my ($module, $log) = build("@{$c->{script}}");
	if (!$module) {
		ok(0, "$name: builds, without a warning", $log);
		next;
	}
	my $n = statements_of(@{$c->{script}});
	# A small script, of a table: with others in one module.
	my $alone = plain($c->{script}[1] // "");
	if ($c->{verb} eq "run" && $c->{script}[0] eq "-e" && @{$c->{script}} == 2 && !@{$c->{options}} && $c->{after} eq "" && $place =~ /translations/ &&
	    $alone !~ /"\*"|\bparam\b/) {
		if ($seen{"@{$c->{script}}"}) {
			$seen{"@{$c->{script}}"}{name} .= "\n$name";
		} else {
			push @small, $seen{"@{$c->{script}}"} = { name => $name, script => "@{$c->{script}}", reports => $n };
		}
		next;
	}
	my @o = cut($c);
	my $text = join " ", grep { $_ ne "" } "kmeter", $c->{verb}, $module, @o, $c->{after};
	if ($c->{verb} eq "run" && $seen{$text}) {	# no need to do the same again
		$seen{$text}{name} .= "\n$name";
		next;
	}
	push @tasks, $seen{$text} = { name => $name, text => "$c->{before} $text", reports => $c->{verb} eq "run" && in_text(@o) ? $n : 0, least => "@o" =~ /-[in]/ ? 1 : 0 };
}
while (my @some = splice @small, 0, 16) {
	my ($module, $log) = build(join " ", map { $_->{script} } @some);
	my $n = 0;
	$n += $_->{reports} for @some;
	if (ok($module, "$some[0]{script}, and " . $#some . " more: build in one module", $log)) {
		push @tasks, { name => join("\n", map { $_->{name} } @some), text => "kmeter run $module -d 300ms", reports => $n };
	}
}
ok($not{$_}, "pages.not: `$_` is in a page") for sort keys %not;
print "# " . scalar(@tasks) . " for the guest, $count looked at here, " . keys(%built) . " modules\n";
if ($dry) {
	print "# $_->{text}\n" for @tasks;
	print "1..$count\n";
	exit;
}

# ---- the guest ----

for my $i (0 .. $#tasks) {
	open my $f, ">", "$dir/run/" . ($i + 1) or die;
	print $f "$tasks[$i]{text}\n";
	open $f, ">", "$dir/run/" . ($i + 1) . ".wants" or die;
	print $f "$tasks[$i]{reports} " . ($tasks[$i]{least} // 0) . "\n";
}
chomp(my $runtime = `'$km' build --runtime -q $target`);
system("strip", "-g", "-o", "$dir/kstats.ko", $runtime) == 0 or die "no runtime\n";
my @files = map { ("-f", $_) } "$km:/usr/bin/kmeter", "$dir/kstats.ko:/lib/modules/$rel/updates/kstats.ko", "tests/vm/pages.sh", "$dir/run:run",
	    "docs/slow-disk:run/docs/slow-disk";
open my $guest, "-|", "guest/boot", "-k", $kernel || $rel, "-s", 2, "-m", 1536, "-x", "-t", 400, @files, "--", "sh pages.sh" or die;
my $answered = 0;
while (<$guest>) {
	if (/^(ok|not ok) (\d+)$/) {
		$answered++;
		my $t = $tasks[$2 - 1];
		my ($good, @names) = ($1 eq "ok", split /\n/, $t->{name});
		ok($good, $_) for @names[0 .. $#names - 1];
		ok($good, $names[-1], "in the guest: $t->{text}");
	} else {
		print;
	}
}
close $guest;
ok($? == 0, "the guest ends well, its kernel complained of nothing", "status " . ($? >> 8));
ok($answered == @tasks, "all $answered of " . @tasks . " were run there");
print "1..$count\n";
