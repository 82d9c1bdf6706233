#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# run.t: scripts against what they should become, TAP.
#
#	ok.STAGE.NAME.km	gives at STAGE (ast, plan or c) what NAME's .golden holds: its output, and behind
#				"--- stderr" the notes
#	err.TAG.NAME.km		is refused with a message of kind TAG; .golden holds all that is said
#
# A first line "#: --set NAME=VALUE" is NAME=VALUE on kmeter's command line; "#: --dwarf" takes the kernel with DWARF.
#
# UPDATE=1 rewrites the golden files; ONLY=REGEX looks at no other files than these. The target is the small kernel that kernel/make makes.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use Test::More;

my $here = dirname(abs_path($0));
my $driver = $ENV{KMETER_TEST_DRIVER} // "$here/../../build/tests/language/driver";
my $tmp = tempdir(CLEANUP => 1);
my $root = "$tmp/root";

if (!-x $driver) {
	system("make", "-s", "-C", $here, "all") == 0 or BAIL_OUT("cannot build $driver");
}
system("$here/kernel/make", $root) == 0 or BAIL_OUT("cannot make the small kernel");
my $dwarf = "$tmp/dwarf";
system("$here/kernel/make", $dwarf, "dwarf") == 0 or BAIL_OUT("cannot make the small kernel with DWARF");
$ENV{KMETER_TAGS} = 1;
$ENV{ASAN_OPTIONS} = "detect_leaks=1";

sub slurp {
	my ($file) = @_;
	open(my $f, "<", $file) or return undef;
	local $/;
	return scalar <$f> // "";
}

my %said;	# tags of all messages

# Where the compiler put things, which another one does otherwise, is no matter.
sub anywhere {
	my ($text) = @_;
	$text =~ s/(?<=with_lines\+)(?:0x)?[0-9a-f]+/N/g;
	$text =~ s/%[a-z0-9]+/%register/g;
	return $text;
}

# Status, output, messages of the driver.
sub compile { return compile_for($root, @_); }

sub compile_for {
	my ($root, @args) = @_;
	my $pid = fork();
	if (!$pid) {
		open(STDOUT, ">", "$tmp/out");
		open(STDERR, ">", "$tmp/err");
		exec($driver, "--sysroot", $root, @args);
		exit(127);
	}
	waitpid($pid, 0);
	my $status = $? & 127 ? 1000 + ($? & 127) : $? >> 8;
	my $err = slurp("$tmp/err");
	$said{$1} = 1 while $err =~ /(?:error|warning|note): .*\[([a-z-]+)\]$/mg;
	return ($status, slurp("$tmp/out"), $err);
}

sub golden {
	my ($file, $got) = @_;
	(my $golden = $file) =~ s/\.km$/.golden/;
	if ($ENV{UPDATE}) {
		open(my $f, ">", $golden);
		print $f $got;
		return pass(basename($file) . " rewritten");
	}
	return is($got, slurp($golden) // "(no golden file)", basename($file));
}

# Compile as the first line says.
sub compile_file {
	my ($stage, $file) = @_;
	my $first = slurp($file) =~ /\A#: (.*)\n/ ? $1 : "";
	my @args = $first =~ /^--set (.*)$/ ? ("--set", $1) : ();
	return compile_for($root, "--dump", $stage, @args, $file) if $first ne "--dwarf";
	my ($status, $out, $err) = compile_for($dwarf, "--dump", $stage, $file);
	return ($status, anywhere($out), anywhere($err));
}

my $only = $ENV{ONLY} // "";

for my $file (grep { /$only/ } sort glob("$here/ok.*.km")) {
	my (undef, $stage) = split(/\./, basename($file));
	my ($status, $out, $err) = compile_file($stage, $file);
	$out .= "--- stderr\n$err" if $err ne "";
	$out .= "--- status $status\n" if $status;
	golden($file, $out);
}

for my $file (grep { /$only/ } sort glob("$here/err.*.km")) {
	my (undef, $tag) = split(/\./, basename($file));
	my ($status, $out, $err) = compile_file("c", $file);
	$err .= "--- status $status\n" if $status != 1;
	$err .= "--- output\n$out" if $out ne "";
	$err .= "--- no message [$tag]\n" if $err !~ /error: .*\[\Q$tag\E\]/;
	golden($file, $err);
}

if ($only) {
	done_testing();
	exit;
}

# What nobody writes: an answer each, soon.
{
	my %hostile = (
		"an expression of 4 KB" => [0, "measure value " . join(" + ", map { "\$file->f_pos" } 1 .. 290) . " at vfs_read"],
		"an expression of 4 KB of another kind" => [0, "count vfs_read if " . join(" || ", map { "pid == $_" } 1 .. 310)],
		"1,000 statements" => [0, join("\n", map { "measure vfs_read by \$file->f_flags if \$return > $_" } 1 .. 1000)],
		"10,000 parentheses" => [1, "count vfs_read if " . "(" x 10000 . "pid" . ")" x 10000],
		"10,000 parentheses that stay open" => [1, "count vfs_read if " . "(" x 10000],
		"10,000 operators" => [1, "count vfs_read if " . "-" x 10000 . "pid"],
		"10,000 stars" => [1, "count vfs_read if " . "*" x 10000 . "\$file"],
		"10,000 casts" => [1, "count vfs_read if " . "(u8)" x 10000 . "pid"],
		"10,000 stars in a cast" => [undef, "count vfs_read if (struct file " . "*" x 10000 . ")\$file"],
		"10,000 conditionals" => [1, "count vfs_read if " . "pid ? 1 : " x 10000 . "2"],
		"a chain of 300 members" => [undef, "measure value \$a" . "->self" x 300 . "->i at take_all"],
		"a chain of 60 members" => [0, "measure value \$a" . "->self" x 60 . "->i at take_all"],
		"a chain of 300 indexes" => [1, "measure value \$count" . "[0]" x 300 . " at vfs_read"],
		"1,000 alternatives" => [0, "count " . join(" or ", map { "nothing_$_" } 1 .. 1000) . " or vfs_read"],
		"1,000 starts" => [undef, "measure " . "from vfs_open " x 1000 . "to vfs_read"],
		"1,000 keys" => [1, "count vfs_read by " . join(", ", ("pid") x 1000)],
		"1,000 parameters" => [0, join(" ", map { "param p$_ = $_ \"x\"" } 1 .. 1000) . " count vfs_read if \$count > p1000"],
		"parameters in each other's text" => [undef, join(" ", map { "param p$_ = \"{p" . ($_ - 1) . "}{p" . ($_ - 1)
						      . "}\" \"x\"" } 1 .. 40) . " count vfs_read name \"{p40}\""],
		"1,000 errors" => [1, "count vfs_read if " . join(" && ", map { "\$nothing_$_" } 1 .. 400)],
		"a glob of many stars" => [undef, "count \"" . "*v" x 200 . "*\""],
		"zero bytes in quotes" => [1, "count vfs_read name \"a\0b\" if comm == \"\0\" && '\0' == 1"],
		"zero bytes everywhere" => [1, join("\0", split(//, "count vfs_read if comm == \"x\" name \"y\""))],
		"ntohl in ntohl" => [0, "count vfs_read if " . "ntohl(" x 200 . "\$count" . ")" x 200],
		"a glob with an open set" => [undef, "count \"vfs_[\""],
	);
	for my $what (sort keys %hostile) {
		my ($want, $script) = @{$hostile{$what}};
		my $file = "$tmp/hostile.km";
		open(my $f, ">", $file);
		print $f $script;
		close($f);
		my $begin = time();
		my ($status, undef, $err) = compile("--dump", "c", $file);
		if (defined $want) {
			is($status, $want, "$what: " . ($want ? "refused" : "compiled")) or diag(substr($err, 0, 2000));
		} else {
			cmp_ok($status, "<=", 1, "$what: an answer") or diag(substr($err, 0, 2000));
		}
		like($err, qr/error: /, "$what: and it is said why") if $status == 1;
		cmp_ok(time() - $begin, "<", 20, "$what: soon");
	}
}

# The same script twice, and in two parts.
{
	my @script = ("-e", "measure vfs_read by comm if pid > 1", "-e", "measure from vfs_open to vfs_read key tid");
	my ($status, $first) = compile("--dump", "c", @script);
	my (undef, $second) = compile("--dump", "c", @script);
	is($status, 0, "two -e make one module");
	is($first, $second, "the same script gives the same bytes");
}

# Every message of every source, in order, each with its own place.
{
	my ($status, $out, $err) = compile("--dump", "c", "-e", "measure vfs_raed", "-e", "measure vfs_wriet");
	is($status, 1, "errors in two sources");
	like($err, qr/vfs_raed.*vfs_wriet/s, "both are told, in order");
}

# The reference: what it shows works, and what it marks as later says so.
{
	my $text = slurp("$here/../../grammar/LANGUAGE.md") // "";
	my $n = 0;
	while ($text =~ /^```kmeter( not-yet)?\n(.*?)^```$/msg) {
		my ($later, $script) = ($1, $2);
		my ($status, $out, $err) = compile("--dump", "c", "-e", $script);
		my $what = "LANGUAGE.md, example " . ++$n;
		if ($later) {
			is($status, 1, "$what is refused");
			unlike($err, qr/error: (?!not yet)/, "$what is refused only as not yet there") or diag($err);
			(undef, $out) = compile("--dump", "ast", "-e", $script);
			isnt($out, "", "$what parses");
		} else {
			is($status, 0, "$what compiles") or diag("$script$err");
		}
	}
	cmp_ok($n, ">=", 8, "LANGUAGE.md has examples");
}

# /proc/kallsyms without privileges has no addresses: what needs them does without.
{
	system("cp", "-r", $root, "$tmp/blind");
	system("sed", "-i", 's/^[0-9a-f]*/0000000000000000/', "$tmp/blind/boot/System.map-6.1.0-test");
	my ($status, $out, $err) = compile_for("$tmp/blind", "--dump", "plan", "-e", "measure vfs_read measure from vfs_open+100000 "
					       . "to vfs_read measure from tp:wrong:sched_switch to vfs_read");
	is($status, 0, "without addresses functions are found") or diag($err);
	like($err, qr/nothing here tells whether 'sched_switch' is of wrong/, "and what cannot be told is said");
	($status, $out, $err) = compile_for("$tmp/blind", "--dump", "plan", "-e", "measure exc_page_fault measure start_kernel "
					    . "measure seq_show");
	like($err, qr/noinstr.*gone afterwards.*4 functions of the kernel are named 'seq_show' /s,
	     "functions that cannot be measured are known by their order");
	($status, $out, $err) = compile_for("$tmp/blind", "--dump", "plan", "-e", "watch total_forks");
	is($status, 1, "nor where a variable lies");
	like($err, qr/hides its addresses, and so where 'total_forks' lies \[hidden\].*kptr_restrict/s, "which is said, and what to do");
}

# No type information at all: what stands in headers, and what needs none.
{
	system("cp", "-r", $root, "$tmp/untyped");
	system("objcopy", "-R", ".BTF", "$tmp/untyped/boot/vmlinux-6.1.0-test") == 0 or BAIL_OUT("no objcopy");
	my ($status, undef, $err) = compile_for("$tmp/untyped", "--dump", "c", "-e", "measure vfs_read by pid, comm, caller "
						. "count syscall:kill by \$pid, \$sig count syscall:openat by \$mode if \$filename == \"x\" "
						. "measure from tp:sched:sched_wakeup to tp:sched:sched_switch key cpu");
	is($status, 0, "without any types: points, built-ins, system calls by the headers") or diag($err);
	($status, undef, $err) = compile_for("$tmp/untyped", "--dump", "c", "-e", "count vfs_read by \$file count syscall:odd by \$value");
	is($status, 1, "and what only types tell");
	like($err, qr/nothing tells the arguments of 'vfs_read'.*BTF.*the arguments of system call 'odd' are not known/s, "is told so");
}

# A script longer than any; a kernel with many functions.
{
	my ($status, $err);
	open(my $f, ">", "$tmp/long.km");
	print $f "measure vfs_read\n" . " " x (64 << 20);
	close($f);
	($status, undef, $err) = compile("--dump", "c", "$tmp/long.km");
	is($status, 1, "64 MB of script");
	like($err, qr/\[too-long\]/, "are too long");
	system("cp", "-r", $root, "$tmp/many");
	open($f, ">>", "$tmp/many/boot/System.map-6.1.0-test");
	printf $f "ffffffff8195%04x t zz_%04u\n", 4 * $_, $_ for 0 .. 9999;
	printf $f "ffffffff8197%04x t cloned.constprop.%u\n", 4 * $_, $_ for 0 .. 63;
	printf $f "ffffffff8198%04x t overcloned.constprop.%u\n", 4 * $_, $_ for 0 .. 64;
	close($f);
	($status, undef, $err) = compile_for("$tmp/many", "--dump", "c", "-e", "count \"zz_[0-3]*\"");
	is($status, 0, "4,000 functions match");
	like($err, qr/4000 places match.*\[many\]/, "and that is said");
	($status, undef, $err) = compile_for("$tmp/many", "--dump", "c", "-e", "measure cloned");
	is($status, 0, "a function of which the compiler made 64");
	like($err, qr/made of 'cloned': cloned\.constprop\.\d+(?:, \S+){7}, \.\.\. \(64\)/, "and that is said");
	($status, undef, $err) = compile_for("$tmp/many", "--dump", "c", "-e", "measure overcloned");
	is($status, 1, "one of 65");
	like($err, qr/made 65 functions of 'overcloned'.*\[variants\]/, "is refused");
	($status, undef, $err) = compile_for("$tmp/many", "--dump", "c", "-e", "count \"zz_*\"");
	is($status, 1, "10,000 functions match");
	like($err, qr/more than 8192 match.*\[too-many\]/, "and that is refused");
}

# Targets.
{
	my ($status, $out, $err) = compile("-r", "9.9.9", "--dump", "c", "-e", "measure vfs_read");
	is($status, 3, "a release without symbols: the kernel's fault, not the script's");
	like($err, qr/no-symbols/, "and it is told where they come from");
	($status, undef, $err) = compile("--sysroot", "$tmp/nowhere", "--dump", "c", "-e", "measure vfs_read");
	is($status, 3, "a sysroot that is not there");
	like($err, qr/no such folder/, "and it says so");
	mkdir("$root/lib/modules/6.6.0-second");
	($status, undef, $err) = compile("--dump", "c", "-e", "measure vfs_read");
	is($status, 3, "a sysroot with two kernels and no release");
	like($err, qr/6\.1\.0-test, 6\.6\.0-second/, "and it lists them");
	($status, $out) = compile("-r", "6.1.0-test", "--dump", "plan", "-e", "measure vfs_read");
	is($status, 0, "the release chosen");
	rmdir("$root/lib/modules/6.6.0-second");
}

# Real kernels, where guest/kernel has fetched some: their symbols are in the image alone.
my $home = $ENV{KMETER_CACHE} // ($ENV{XDG_CACHE_HOME} // "$ENV{HOME}/.cache") . "/kmeter";
for my $kernel (sort grep { m{/[0-9.]+$} && -d "$_/lib/modules" } glob("$home/kernel/*")) {
	my $name = basename($kernel);
	my ($status, $out, $err) = compile_for($kernel, "--dump", "plan", "-e", "measure vfs_read measure nf_tables:nft_do_chain "
					       . "measure from tp:sched:sched_wakeup key \$p->pid to tp:sched:sched_switch key \$next->pid");
	is($status, 0, "kernel $name: functions, modules, tracepoints are found") or diag($err);
	is($err, "", "and their systems known");
	($status, $out, $err) = compile_for($kernel, "--dump", "plan", "-e", "measure vfs_raed measure from tp:irq:sched_switch "
					    . "to tp:sched:sched_switsh measure do_int3 measure from vfs_read+10000 to vfs_read");
	like($err, qr/did you mean vfs_read.*is of sched, not of 'irq'.*mean sched_switch.*NOKPROBE.*has \d+ bytes/s,
	     "kernel $name: and what is not there");
}

# Every kind of message was given to some script here, but those about the machine.
{
	my %elsewhere = map { $_ => 1 } qw(build cache disk-full memory no-compiler no-headers no-kernel no-memory no-runtime no-symbols slow-build
					   which-kernel);
	my %tags;
	for my $source (glob("$here/../../compiler/*.c"), glob("$here/../../grammar/*.[ly]")) {
		my $text = slurp($source);
		$tags{$1} = basename($source) while $text =~ /\bdiag_(?:error|warn|note)\([^;"]*?"([a-z-]+)",/g;
		$tags{$1} = basename($source) while $text =~ /\b(?:operand_)?wrong\([^;"]*?"([a-z-]+)",/g;
	}
	cmp_ok(scalar(keys %tags), ">", 60, "the sources have messages");
	for my $tag (sort keys %tags) {
		next if $elsewhere{$tag};
		ok($said{$tag}, "some script here is told [$tag] ($tags{$tag})");
	}
	for my $tag (sort keys %elsewhere) {
		ok($tags{$tag}, "[$tag], an exception here, is in the sources");
	}
	my $reference = slurp("$here/../../grammar/LANGUAGE.md") // "";
	for my $tag (sort keys %tags) {
		ok(index($reference, "`$tag`") >= 0, "LANGUAGE.md has [$tag]");
	}
}

done_testing();
