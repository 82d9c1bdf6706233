#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# complete.t: kmeter complete, which the shells' completion asks, TAP. The target is the small kernel that kernel/make makes, the
# library one of two scripts.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use Test::More;
use Time::HiRes qw(time);

my $here = dirname(abs_path($0));
my $kmeter = $ENV{KMETER_TEST_KMETER} // "$here/../../build/kmeter";
my $tmp = tempdir(CLEANUP => 1);
my $root = "$tmp/root";

-x $kmeter or BAIL_OUT("no $kmeter: make it first");
system("$here/kernel/make", $root) == 0 or BAIL_OUT("cannot make the small kernel");
mkdir "$tmp/library";
mkdir "$tmp/library/a";
put("$tmp/library/a/first.km", "# One of two.\nparam functions = \"vfs_*\" \"what to\tmeasure\"\nparam most = 3 \"a number\"\ncount \"{functions}\" top most\n");
put("$tmp/library/a/second.km", "# The other.\ncount vfs_read\n");
put("$tmp/own.km", "param slow = 10ms \"what is slow\" param x = 1 \"one more\"\nmeasure vfs_read if elapsed > slow\n");
$ENV{KMETER_LIBRARY} = "$tmp/library";
$ENV{KMETER_CACHE} = "$tmp/cache";

sub put {
	my ($path, $text) = @_;
	open(my $to, ">", $path) or BAIL_OUT("$path: $!");
	print $to $text;
	close($to);
}

# Status, and what is written, messages too.
sub complete {
	my (@words) = @_;
	open(my $from, "-|", "sh", "-c", 'exec "$0" "$@" 2>&1', $kmeter, "complete", @words) or BAIL_OUT("no kmeter");
	local $/;
	my $out = <$from> // "";
	close($from);
	return ($? >> 8, $out);
}

sub lines {
	my (@words) = @_;
	my ($status, $out) = complete(scalar(@words), "kmeter", @words);
	return ($status, split(/\n/, $out));
}

# The last of @$words becomes these, descriptions left out.
sub gives {
	my ($words, $wanted, $what) = @_;
	my ($status, @lines) = lines(@$words);
	is_deeply([map { /^\t/ ? $_ : s/\t.*//r } @lines], $wanted, "@$words: $what");
	is($status, 0, "status");
}

# Each of the words is among them, and none of the others.
sub has {
	my ($words, $in, $out, $what) = @_;
	my ($status, @lines) = lines(@$words);
	my %got = map { s/\t.*//r => 1 } @lines;
	is_deeply([grep { !$got{$_} } @$in], [], "@$words: $what");
	is_deeply([grep { $got{$_} } @$out], [], "and no others");
}

# ---- verbs and options: what --help knows, so that neither lacks what the other has ----

my $help = `$kmeter --help`;
my ($verbs, $options) = $help =~ /\nVerbs\n(.*?)\n\nOptions\n(.*?)\n\n/s or BAIL_OUT("--help: $help");
gives([""], [$verbs =~ /^  (\S+)/mg], "every verb of --help, in its order");
is_deeply([(lines("ru"))[1]], [(map { "run\t$_" } $help =~ /^  run .*?  +(.*)\n?$/m ? "$1" : $help =~ /^  run [^\n]*\n +(.*)$/m)], "with its help");
my @shown = $options =~ /^  -(?:-([a-z-]+)|\S+, --([a-z-]+)|[A-Za-z])/mg;
my @long = grep { defined } @shown;
my %of;	# of each option of --help the verbs that take it
for my $verb ("", $verbs =~ /^  (\S+)/mg) {
	my ($status, @lines) = lines($verb eq "" ? () : ($verb), "--");
	$of{s/\t.*//r =~ s/=$//r}{$verb} = 1 for grep { /^--[a-z]/ } @lines;
}
is_deeply([grep { !$of{"--$_"} } @long], [], "every long option of --help is of some verb");
for my $letter ($options =~ /^  -([A-Za-z])/mg) {
	my ($status, @lines) = lines($letter =~ /[lLhV]/ ? () : $letter eq "o" || $letter eq "F" ? ("show") : ("run"), "-");
	ok(scalar(grep { /^-$letter\t/ } @lines), "-$letter");
}
# What is offered is also taken: kmeter itself does not call it wrong.
for my $option (sort keys %of) {
	for my $verb (grep { $_ } sort keys %{ $of{$option} }) {
		my $said = `$kmeter $verb $option 2>&1 </dev/null` if $option !~ /^--(help|version|all|guest)$/ && $verb !~ /^(list|show|serve|floor|library|help)$/;
		unlike($said // "", qr/there is no option|does not take/, "$verb $option");
	}
}
has(["list", "--"], ["--ascii", "--color=", "--quiet"], ["--dump=", "--sort=", "--live", "--pid="], "those of the verb, none that is only reserved");
gives(["list", "--asc"], ["--ascii"], "an option");
gives(["run", "x", "-q"], ["-q"], "a short one");
gives(["run", "x", "-qv"], ["-qv"], "two");
gives(["show", "--color", ""], ["auto", "always", "never"], "the values of an option");
gives(["show", "--color=a"], ["--color=auto", "--color=always"], "in the same word");
gives(["show", "-F", "j"], ["json"], "those of a short one");
gives(["show", "-Fj"], ["-Fjson"], "in the same word");
gives(["show", "--sort=m"], ["--sort=mean", "--sort=max"], "orders");
gives(["-e", "x", "--dump", ""], ["ast", "plan", "c"], "stages");
gives(["-d", ""], [], "a time is no word");
gives(["show", "-o", "x"], ["\tfiles 0"], "a file");
gives(["check", "--sysroot=x"], ["\tfolders 10"], "a folder");
gives(["check", "x", "--sysroot", $root, "-r", ""], [glob("$root/lib/modules/*") =~ m,([^/]+)$,], "the kernels of a sysroot");
gives(["--guest="], [], "no kernel was fetched");
mkdir "$tmp/cache";
mkdir "$tmp/cache/kernel";
my ($release) = glob("$root/lib/modules/*") =~ m,([^/]+)$,;
symlink($root, "$tmp/$release");
mkdir "$tmp/cache/sysroot";
rename($root, "$tmp/cache/sysroot/$release");
symlink("../sysroot/$release", "$tmp/cache/kernel/6.1");
symlink("../sysroot/$release", "$tmp/cache/kernel/default-here");
$root = "$tmp/cache/sysroot/$release";
gives(["--guest="], ["--guest=6.1"], "one that was");
gives(["--guest=6.1", "-l", "vfs_creat"], ["vfs_create", "vfs_create_mount"], "its functions");
gives(["-e", "x", "--", ""], ["\tcommand 4"], "a command");
gives(["-e", "x", "--", "ls", "-"], ["\tcommand 4"], "its words");

# ---- scripts and their parameters ----

gives(["run", ""], ["a/first", "a/second", "\tfiles 0 km ko"], "scripts of the library, and files");
gives(["check", "a/s"], ["a/second", "\tfiles 0 km"], "that begin so");
gives(["merge", "a"], ["\tfiles 0 json ndjson"], "saved reports");
gives(["diff", "a.json", "b"], ["\tfiles 0 json ndjson"], "two of them");
gives(["show", ""], ["\tfiles 0 json ndjson"], "or what is measured, which is nothing here");
gives(["serve", ""], ["\tfiles 0 json ndjson"], "to be served likewise");
gives(["help", "a/"], ["a/first", "a/second"], "for help");
gives(["library", "a"], ["a/*", "a/first", "a/second"], "patterns");
is_deeply([(lines("help", "a/f"))[1]], ["a/first\tOne of two."], "with their first line");
gives(["run", "a/first", ""], ["functions=", "most="], "parameters");
is_deeply([(lines("run", "a/first", "m"))[1]], ["most=\ta number"], "with what they are");
is_deeply([(lines("run", "a/first", "f"))[1]], ["functions=\twhat to"], "of which a tab ends the line");
gives(["run", "$tmp/own.km", ""], ["slow=", "x="], "of a file, two on a line");
gives(["run", "-e", "param a=1 \"x\" count vfs_read by", ""], ["a="], "of a text that is wrong further on");
gives(["run", "a/second", ""], [], "none");
gives(["--sysroot", $root, "check", "a/first", "functions=vfs_creat"], ["functions=vfs_create", "functions=vfs_create_mount"], "functions as a value");
gives(["--sysroot", $root, "check", "a/first", "most=vfs_creat"], [], "a number has none");
gives(["floor", ""], ["\tfiles 0 ko"], "floor");

# ---- points ----

my @at = ("--sysroot", $root);
gives([@at, "-l", "vfs_creat"], ["vfs_create", "vfs_create_mount"], "functions");
gives([@at, "-lvfs_creat"], ["-lvfs_create", "-lvfs_create_mount"], "behind the letter");
gives([@at, "--list=vfs_creat"], ["--list=vfs_create", "--list=vfs_create_mount"], "behind the long name");
gives([@at, "-L", "nf_tables:nft_do"], ["nf_tables:nft_do_chain"], "of a module");
gives([@at, "-l", "tp:sched:sched_sw"], ["tp:sched:sched_switch"], "a tracepoint");
has([@at, "-l", "tp:sched_sw"], ["tp:sched_switch"], ["tp:sched:sched_switch"], "without its system, as it is typed");
has([@at, "-l", "tp:"], ["tp:sched:"], ["tp:sched:sched_switch", "vfs_create"], "systems");
has([@at, "-l", ""], ["tp:", "syscall:", "inline:", "watch:"], ["vfs_create"], "kinds, not all names");
gives([@at, "-l", "vfs_*"], [], "a pattern is what it is");
gives([@at, "-l", "nosuch"], [], "nothing");
gives(["--sysroot", "/nosuch", "-l", "vfs_creat"], [], "no kernel, and no message");
# Each name that -l lists is found by each of its beginnings.
for my $name (grep { !/^(tp|syscall):/ } split(/\n/, `$kmeter --sysroot $root -l 'vfs_*'`)) {
	has([@at, "-l", substr($name, 0, $_)], [$name], [], "a beginning") for 1, 5, length($name);
}

# ---- words of a script ----

my @statements = qw(measure count watch profile param);
gives(["-e", ""], \@statements, "a script begins with a statement");
gives(["-e", "mea"], ["measure"], "its beginning");
gives([@at, "-e", "measure vfs_creat"], ["measure vfs_create", "measure vfs_create_mount"], "a point");
gives([@at, "-e", "measure \"vfs_creat"], ["measure \"vfs_create", "measure \"vfs_create_mount"], "in quotes");
gives([@at, "-e", "count x count tp:sched:sched_sw"], ["count x count tp:sched:sched_switch"], "a tracepoint");
has([@at, "-e", "measure "], ["measure value", "measure between", "measure from", "measure tp:"], ["measure by", "measure vfs_create"], "what a measure begins with");
has(["-e", "measure from x "], ["measure from x to", "measure from x by", "measure from x or"], ["measure from x at"], "behind a start");
has(["-e", "measure value 1 "], ["measure value 1 at"], ["measure value 1 by", "measure value 1 to"], "behind a value");
has(["-e", "count x by cp"], ["count x by cpu"], [], "a built-in");
has(["-e", "count x by pid, co"], ["count x by pid, comm", "count x by pid, context"], ["count x by pid, count"], "a second one");
has(["-e", "count x if IS"], ["count x if IS_ERR("], [], "a call");
gives(["-e", "count x by \$file->f_"], [], "a member");
gives(["-e", "count x via "], [map { "count x via $_" } qw(kprobe kretprobe tracepoint direct fprobe ftrace breakpoint)], "mechanisms");
gives(["-e", "count x via kprobe|d"], ["count x via kprobe|direct"], "one more");
gives(["-e", "measure x clock "], [map { "measure x clock $_" } qw(tsc mono ticks)], "clocks");
gives(["-e", "measure x nesting s"], ["measure x nesting self"], "nesting");
gives(["-e", "measure x of page"], ["measure x of page-faults"], "a counter");
gives(["-e", "watch x w"], ["watch x watch", "watch x write"], "an access, or the next statement");
gives(["-e", "watch x:8 r"], ["watch x:8 range", "watch x:8 rw"], "likewise");
gives(["-e", "profile \"x*\" t"], ["profile \"x*\" top", "profile \"x*\" time"], "times");
gives([@at, "-e", "count vfs_create:r"], ["count vfs_create:return"], "a return");
gives(["-e", "count x # mea"], [], "a comment");
gives(["-e", "count x #"], [], "its sign");
gives(["-e", "count x /* mea"], [], "a long one");
gives(["-e", "count x name \"mea"], [], "a text");

# Whatever is typed: no message, no signal, and what is offered begins with it.
srand(1);
my @pieces = ("measure", "count", "by", "if", " ", " ", "\"", "'", "\$file", "->", "vfs_read", "tp:", ":", "(", ")", "/*", "#", "|", "via", "10us",
	"watch", "-", "--", "=", "\\", "{", "of", "*", "\x{80}", "param", "1");
my $bad = 0;
for my $round (1 .. 300) {
	my $word = join("", map { $pieces[rand @pieces] } 1 .. 1 + rand(8));
	my $option = ("-e", "-l", "run", "--")[rand 4];
	my ($status, @lines) = lines($option, $word);
	$bad++, diag("$option $word: status $status, @lines") if $status || grep { !/^\t/ && index($_, $word) && $option ne "--" } @lines;
}
is($bad, 0, "300 lines of anything");
is((complete("x", "kmeter"))[0], 2, "an index is a number");
is((complete("5", "kmeter"))[0], 2, "and not far behind the line");
is((complete("1", "kmeter"))[0], 0, "a word that is not there yet");

# Functions and system calls are found without the index of all modules, which is slow to make.
{
	local $ENV{KMETER_CACHE} = "$tmp/fresh";
	lines(@at, "-l", $_) for "vfs_creat", "nosuch", "syscall:op";
	lines(@at, "-e", "measure vfs_creat");
	ok(!-e "$tmp/fresh/index", "names of functions need no index");
	lines(@at, "-l", "tp:sched:");
	ok(-e "$tmp/fresh/index", "those of tracepoints do");
}

# The names of a whole kernel are many; this one is small, but a start of the program is most of it.
my $began = time;
lines(@at, "-l", "v") for 1 .. 5;
cmp_ok((time - $began) / 5, "<", 0.2 * ($ENV{KMETER_SLOW} // 5), "it takes no time that one sees");
done_testing();
