#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# cache.t: scripts become modules, and modules are kept, TAP. kbuild makes the runtime and a template; scripts are made as it
# was seen to do, and by kbuild itself where that cannot be. It needs a kernel's headers: those of KMETER_TEST_SYSROOT, or
# of a kernel that guest/kernel has fetched before; without one it is skipped. The runtime is a small stand-in, so that
# kbuild takes seconds.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Spec;
use File::Temp qw(tempdir);
use Test::More;

my $here = dirname(abs_path($0));
my $driver = $ENV{KMETER_TEST_DRIVER} // "$here/../../build/tests/language/driver";
my $home = $ENV{KMETER_CACHE} // ($ENV{XDG_CACHE_HOME} // "$ENV{HOME}/.cache") . "/kmeter";
# Not one that brings its linker: the tests put another in its place, by PATH. Nor 5.10, which does not say how it calls objtool.
my ($root) = grep { -d "$_/lib/modules" && !-d "$_/usr/local/bin" } $ENV{KMETER_TEST_SYSROOT} // (),
	sort { ($a =~ m{/5\.\d+$}) <=> ($b =~ m{/5\.\d+$}) || $b cmp $a } glob("$home/kernel/*");

plan skip_all => "no kernel headers here (guest/kernel fetches some)" if !$root;
if (!-x $driver) {
	system("make", "-s", "-C", $here, "all") == 0 or BAIL_OUT("cannot build $driver");
}
$root = abs_path($root);

my $tmp = tempdir(CLEANUP => 1);
my $path = $ENV{PATH};
$ENV{KMETER_TAGS} = 1;
$ENV{KMETER_RUNTIME} = "$tmp/runtime";

sub write_file {
	my ($file, $text, $mode) = @_;
	open(my $f, ">", $file) or die "$file: $!";
	print $f $text;
	close($f);
	chmod($mode, $file) if $mode;
}

# A runtime of functions that do nothing.
mkdir("$tmp/runtime");
system("cp", map({ "$here/../../runtime/$_" } qw(kstats.h slot.h script.h alone.h facts.h template.c)), "$tmp/runtime");
write_file("$tmp/runtime/Kbuild", "obj-m := kstats.o\nkstats-y := script.o\n");
write_file("$tmp/runtime/script.c", <<'E');
// SPDX-License-Identifier: GPL-2.0
#include "script.h"
unsigned long kstats_kernel_half = -1;
EXPORT_SYMBOL_GPL(kstats_kernel_half);
void kstats_string(u64 *words, unsigned int nwords, u64 address, unsigned int max, bool user, bool *fault) { }
EXPORT_SYMBOL_GPL(kstats_string);
u64 kstats_caller(const struct kstats_event *ev) { return 0; }
EXPORT_SYMBOL_GPL(kstats_caller);
bool kstats_in_cgroup(const char *path, unsigned int length, unsigned int levels, bool below) { return false; }
EXPORT_SYMBOL_GPL(kstats_in_cgroup);
bool kstats_in_container(const char *text, unsigned int length) { return false; }
EXPORT_SYMBOL_GPL(kstats_in_container);
void kstats_stack(u64 *words, const struct kstats_event *ev) { }
EXPORT_SYMBOL_GPL(kstats_stack);
void kstats_tracepoint(void *data, const u64 *args) { }
EXPORT_SYMBOL_GPL(kstats_tracepoint);
void kstats_start(void *data, u64 key) { }
EXPORT_SYMBOL_GPL(kstats_start);
void kstats_end(void *data, u64 key) { }
EXPORT_SYMBOL_GPL(kstats_end);
void kstats_refuse(void *data, enum kstats_verdict verdict) { }
EXPORT_SYMBOL_GPL(kstats_refuse);
int kstats_script_load(const struct kstats_script *script) { return script->nstatements; }
EXPORT_SYMBOL_GPL(kstats_script_load);
void kstats_script_unload(const struct kstats_script *script) { }
EXPORT_SYMBOL_GPL(kstats_script_unload);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a stand-in");
E

# Whoever starts make leaves a line. The linker is a script, so that it can be another one later.
mkdir("$tmp/bin");
for my $ld (qw(ld x86_64-linux-gnu-ld)) {
	my ($real) = grep { -x } map { "$_/$ld" } split(/:/, $path);
	write_file("$tmp/bin/$ld", "#!/bin/sh\nexec $real \"\$@\"\n", 0755) if $real;
}
my ($make) = grep { -x } map { "$_/make" } split(/:/, $path);
write_file("$tmp/bin/make", "#!/bin/sh\necho make >>$tmp/started\nexec $make \"\$@\"\n", 0755);

sub started {
	open(my $f, "<", "$tmp/started") or return 0;
	my @lines = <$f>;
	unlink("$tmp/started");
	return scalar @lines;
}

sub start {
	my ($out, @args) = @_;
	my $pid = fork();
	return $pid if $pid;
	setpgrp(0, 0);
	open(STDOUT, ">", "$out.out");
	open(STDERR, ">", "$out.err");
	exec($driver, "--sysroot", $root, @args);
	exit(127);
}

sub finish {
	my ($pid, $out) = @_;
	waitpid($pid, 0);
	my $status = $? >> 8;
	local $/;
	open(my $o, "<", "$out.out");
	open(my $e, "<", "$out.err");
	return ($status, [split(/\n/, scalar <$o> // "")], scalar <$e> // "");
}

sub build { return finish(start("$tmp/one", @_), "$tmp/one"); }

$ENV{PATH} = "$tmp/bin:$path";
$ENV{KMETER_CACHE} = "$tmp/cache";
my @script = ("-e", "measure vfs_read by comm if elapsed > 10us name \"a '\\\"*\\\\\$(touch $tmp.owned)`\"");
$script[1] =~ s{/}{.}g;

my ($status, $out, $err) = build(@script);
is($status, 0, "a script becomes a module") or diag($err);
is($out->[3], "built", "which is built the first time");
is(started(), 1, "by kbuild, for the runtime alone");
unlike($err, qr/slow-build/, "the script is built without");
ok(-f $out->[0] && -f $out->[2], "both are there");
like($out->[0], qr{/\Q$out->[1]\E\.ko$}, "named as the module in the kernel");
like($out->[1], qr/^km_[0-9a-f]{12}$/, "km_ and twelve digits");
my $info = `PATH=\$PATH:/sbin:/usr/sbin modinfo $out->[0]`;
like($info, qr/^statement:\s+measure vfs_read by comm/m, "modinfo shows the script");
like($info, qr/^depends:\s+kstats$/m, "it needs the runtime");

my $first = $out->[0];
($status, $out, $err) = build(@script);
is($out->[3], "cached", "the second time it is found");
is($out->[0], $first, "at the same place");
is(started(), 0, "and no process was started");

($status, $out) = build("-e", "measure vfs_write");
is($out->[3], "built", "another script is built");
is(started(), 0, "with the runtime that is there, and without kbuild");

($status, $out) = build("--no-cache", "-e", "measure vfs_write");
is($status, 0, "without the cache");
unlike($out->[0], qr{^\Q$tmp\E/cache}, "nothing is stored there");
ok(!-e $out->[0], "nothing stays when it is no longer used");
is(started(), 1, "and nothing found");

# A changed runtime.
write_file("$tmp/runtime/extra.h", "/* changed */\n");
($status, $out) = build(@script);
is(started(), 1, "a change of the runtime builds both anew");
isnt($out->[0], $first, "beside the old ones");

# Several at once, and one that is killed.
$ENV{KMETER_CACHE} = "$tmp/cache2";
my @pids = map { start("$tmp/par$_", @script) } 1 .. 3;
my @done = map { [finish($pids[$_ - 1], "$tmp/par$_")] } 1 .. 3;
is(join(" ", map { $_->[0] } @done), "0 0 0", "three at once");
is(started(), 1, "build once");
is($done[0][1][0], $done[2][1][0], "and get the same");

$ENV{KMETER_CACHE} = "$tmp/cache3";
my $pid = start("$tmp/killed", @script);
select(undef, undef, undef, 1.0);
kill("KILL", -$pid);
waitpid($pid, 0);
($status, $out, $err) = build(@script);
is($status, 0, "after a kill in the middle of a build") or diag($err);
unlink("$tmp/started");

# The same by kbuild, whole: one module is as good as the other.
$ENV{KMETER_CACHE} = "$tmp/cache";
{
	my @all = ("-e", 'measure vfs_read by comm, $file->f_pos if elapsed > 10us && pid / cpu', "-e",
		   'count vfs_write by stack if uid && cgroup && caller', "-e",
		   'measure from tp:sched:sched_wakeup key $p->pid to tp:sched:sched_switch key $next->pid');
	my (undef, $quick, $said) = build(@all);
	unlike($said, qr/slow-build/, "a larger script is built without kbuild");
	is(started(), 0, "(no make)");
	local $ENV{KMETER_KBUILD} = 1;
	my (undef, $slow) = build(@all);
	is(started(), 1, "KMETER_KBUILD has kbuild build it");
	my @ko = ($quick->[0], $slow->[0]);
	isnt($ko[0], $ko[1], "as another module");
	my @names = ($quick->[1], $slow->[1]);
	my $show = sub {
		my ($command) = @_;
		return map {
			my $text = `PATH=\$PATH:/sbin:/usr/sbin $command $ko[$_] 2>&1`;
			$text =~ s/^.*\Q$ko[$_]\E.*$//mg;
			$text =~ s/\Q$names[$_]\E/NAME/g;
			$text;
		} 0, 1;
	};
	my ($a, $b) = $show->("modinfo");
	is($a, $b, "modinfo says the same of both");
	like($a, qr/^vermagic:\s+\S/m, "(it says something)");
	# Sections that the kernel loads, without their places: name, type, size, flags.
	($a, $b) = map { join("\n", sort grep { / A|AX| WA/ } map { s/^\s*\[ *\d+\] (\S+)\s+(\S+)\s+\S+\s+\S+\s+(\S+)\s+\S+\s+(\S*).*/$1 $2 $3 $4/r }
		split(/\n/)) } $show->("readelf -SW");
	# The table of versions holds more than is needed.
	s/^__versions .*$//mg for $a, $b;
	is($a, $b, "they have the same sections, of the same sizes");
	like($a, qr/^\.text /m, "(there are some)");
	($a, $b) = $show->("objdump -dr");
	is($a, $b, "the same instructions, and the same to be patched in them");
	($a, $b) = map { join("\n", sort map { s/^\S* *//r } split(/\n/)) } $show->("nm -u");
	is($a, $b, "and want the same of the kernel");
}

# What is prepared is damaged, or made with what has changed since: it is made anew, once.
sub entry { return (grep { -f "$_/recipe" } glob("$tmp/cache/runtimes/*"))[-1]; }
system("rm", "-rf", "$tmp/cache/runtimes", "$tmp/cache/modules");
build("-e", "measure vfs_read");
started();
truncate((glob(entry() . "/*.mod.o.kept"))[0], 1000);
@pids = map { start("$tmp/par$_", @script) } 1 .. 2;
@done = map { [finish($pids[$_ - 1], "$tmp/par$_")] } 1 .. 2;
is(join(" ", map { $_->[0] } @done), "0 0", "a prepared object that is cut, met by two at once");
is(started(), 1, "is made anew, once");
{
	my ($object) = glob(entry() . "/*.mod.o.kept");
	open(my $f, "+<", $object) or die;
	seek($f, 200, 0);
	print $f "x";
	close($f);
	($status, $out, $err) = build("-e", "measure vfs_fsync");
	is($status, 0, "one with another byte") or diag($err);
	is(started(), 1, "is made anew");
}
if (-e "$tmp/bin/ld") {
	system("touch", "-d", "2001-01-01", glob("$tmp/bin/*ld"));
	($status, $out) = build("-e", "measure vfs_fsync");
	is($out->[3], "built", "with another linker a script is built anew");
	is(started(), 1, "and what is prepared before");
}
{
	# What the compiler wants of others is not among what was prepared.
	my $recipe = entry() . "/recipe";
	open(my $f, "<", $recipe) or die;
	my @lines = grep { !/^symbol kstats_kernel_half$/ } <$f>;
	close($f);
	write_file($recipe, join("", @lines));
	($status, $out, $err) = build("-e", 'count vfs_read by $file->f_pos');
	is($status, 0, "a symbol that was not prepared");
	is(started(), 1, "has kbuild build the script");
	like($err, qr/note: .*kstats_kernel_half.*slow-build/, "with a note");
}
write_file("$tmp/runtime/template.c", "#error none\n");
($status, $out, $err) = build("-e", "measure vfs_fsync");
is($status, 0, "a template that does not compile") or diag($err);
is(started(), 3, "leaves runtime and script to kbuild");
like($err, qr/note: .*template.*slow-build/, "with a note");
system("cp", "$here/../../runtime/template.c", "$tmp/runtime");

# What is refused.
chmod(0777, "$tmp/cache");
($status, undef, $err) = build(@script);
is($status, 3, "a cache that others may write to");
like($err, qr/others may write.*\[cache\]/, "is not trusted");
chmod(0755, "$tmp/cache");
{
	# What lies above it, and kmeter's own sources: who may write there decides what is compiled or loaded.
	my $way = "$tmp/above/here";
	system("mkdir", "-p", "$way/cache");
	local $ENV{KMETER_CACHE} = "$way/cache";
	for my $folder ("$tmp/above", $way) {
		chmod(0777, $folder);
		($status, undef, $err) = build(@script);
		is($status, 3, "a folder above the cache that others may write to");
		like($err, qr/others may write to \Q$folder\E, and so could exchange the cache/, "is not trusted either");
		chmod(01777, $folder);
		($status, undef, $err) = build(@script);
		is($status, 0, "but one like /tmp is") or diag($err);
		chmod(0755, $folder);
	}
	symlink("$way/cache", "$tmp/linked");
	$ENV{KMETER_CACHE} = "$tmp/linked";
	($status, undef, $err) = build(@script);
	is($status, 0, "a link is followed") or diag($err);
	for my $place ("$tmp/runtime", "$tmp/runtime/script.c", "$tmp/runtime/Kbuild") {
		my $mode = (stat($place))[2] & 07777;
		chmod($mode | 2, $place);
		($status, undef, $err) = build(@script);
		is($status, 3, basename($place) . ": runtime sources that others may write to");
		like($err, qr/others may write to \S+: kmeter's own runtime sources.*\[no-runtime\]/, "are not trusted");
		chmod($mode, $place);
	}
	chmod(0664, "$tmp/runtime/script.c");
	($status, undef, $err) = build(@script);
	is($status, 0, "a user's own group is the user") or diag($err);
	chmod(0644, "$tmp/runtime/script.c");
	SKIP: {
		skip("only root can give files away", 4) if $>;
		chown(0, 5000, "$tmp/runtime/script.c");
		chmod(0664, "$tmp/runtime/script.c");
		($status, undef, $err) = build(@script);
		is($status, 3, "a group of users");
		like($err, qr/a group of users may write to/, "is others");
		chown(1, 0, "$tmp/runtime/script.c");
		($status, undef, $err) = build(@script);
		is($status, 3, "a source of another user's");
		like($err, qr/script\.c belongs to another user/, "is not trusted");
		chown(0, 0, "$tmp/runtime/script.c");
		chmod(0644, "$tmp/runtime/script.c");
	}
}
SKIP: {
	skip("only root can give folders away", 2) if $>;
	chown(1, 1, "$tmp/cache");
	($status, undef, $err) = build(@script);
	is($status, 3, "a cache of another user");
	like($err, qr/another user.*\[cache\]/, "is not trusted");
	chown(0, 0, "$tmp/cache");
}
{
	local $ENV{KMETER_CACHE} = "$tmp/with blank";
	($status, undef, $err) = build(@script);
	is($status, 3, "a cache in a path that kbuild cannot work in");
	like($err, qr/KMETER_CACHE=DIR/, "and how to name another");
}
{
	local $ENV{PATH} = "$tmp/nowhere";
	($status, undef, $err) = build("-e", "measure vfs_fsync");
	is($status, 3, "no compiler");
	like($err, qr/\[no-compiler\]/, "is said");
}

write_file("$tmp/runtime/kstats.h", "#error broken\n");
($status, undef, $err) = build(@script);
is($status, 3, "C that does not compile");
like($err, qr/please report this.*\n.*its words are in \S+\.log/, "is our fault, and the log is kept");
unlike($err, qr/#error/, "no word of gcc is shown");
($status, undef, $err) = build("-v", @script);
like($err, qr/#error/, "but with -v");
system("cp", "$here/../../runtime/kstats.h", "$tmp/runtime");

{
	my $whole = $root;

	chdir(dirname($root));
	$root = basename($root);
	local $ENV{KMETER_CACHE} = File::Spec->abs2rel("$tmp/relative");
	($status, undef, $err) = build(@script);
	is($status, 0, "a relative --sysroot and cache") or diag($err);
	chdir("/");
	$root = $whole;
}

{
	local $ENV{KMETER_RUNTIME} = "$tmp/nowhere";
	($status, undef, $err) = build(@script);
	is($status, 3, "no runtime sources");
	like($err, qr/\[no-runtime\]/, "is said");
}

system("$here/kernel/make", "$tmp/root");
$root = "$tmp/root";
($status, undef, $err) = build("-e", "measure vfs_read");
is($status, 3, "no headers");
like($err, qr/linux-headers-6\.1\.0-test.*kernel-devel-6\.1\.0-test/s, "and what to install");

done_testing();
