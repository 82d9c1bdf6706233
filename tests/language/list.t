#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# list.t: what kmeter -l and -L say, of each kind of point, TAP. The target is the small kernel that kernel/make makes; what
# is expected stands here, as its sources have it.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use Test::More;

my $here = dirname(abs_path($0));
my $driver = $ENV{KMETER_TEST_DRIVER} // "$here/../../build/tests/language/driver";
my $tmp = tempdir(CLEANUP => 1);

if (!-x $driver) {
	system("make", "-s", "-C", $here, "all") == 0 or BAIL_OUT("cannot build $driver");
}
$ENV{KMETER_TAGS} = 1;
my %root = (btf => "$tmp/btf", dwarf => "$tmp/dwarf");
system("$here/kernel/make", $root{btf}) == 0 or BAIL_OUT("cannot make the small kernel");
system("$here/kernel/make", $root{dwarf}, "dwarf") == 0 or BAIL_OUT("cannot make the small kernel with DWARF");

# Status, output and messages together.
sub list {
	my ($root, @args) = @_;
	open(my $from, "-|", "sh", "-c", 'exec "$0" "$@" 2>&1', $driver, "--sysroot", $root{$root}, @args) or BAIL_OUT("no driver");
	local $/;
	my $out = <$from>;
	close($from);
	return ($? >> 8, $out // "");
}

sub lists {
	my ($root, $option, $pattern, $expected, $what) = @_;
	my ($status, $out) = list($root, $option, $pattern);
	is($out, $expected, "$option $pattern: $what");
	is($status, 0, "status");
}

sub refuses {
	my ($root, $pattern, $expected, $what) = @_;
	my ($status, $out) = list($root, "-l", $pattern);
	is($out, $expected, "$pattern: $what");
	is($status, 1, "status");
}

my $both = "calls, return: direct, kretprobe; entry: direct, kprobe";
my $unknown = "calls, return: kretprobe; entry: direct, kprobe; calls not direct: nothing tells its arguments";

# ---- functions ----

lists("btf", "-l", "vfs_read", "vfs_read\n", "a function");
lists("btf", "-l", "kvm:*", "kvm:kvm_vcpu_ioctl\n", "of a module");
lists("btf", "-l", "nf_tables:nft_[dst]*", "nf_tables:nft_do_chain\nnf_tables:nft_same\nnf_tables:nft_set_hash\nnf_tables:nft_twin\n",
	"by a pattern, those that can be probed, each name once");
lists("btf", "-L", "vfs_read", <<"", "arguments, what they are, what it returns, by which mechanisms");
vfs_read(struct file *file, char *buf, unsigned long count, s64 *pos): long
    $both

lists("btf", "-L", "vfs_create", "vfs_create\n    $unknown\n", "a function without a prototype");
lists("btf", "-L", "kfree", <<"", "one that a thunk must not wrap");
kfree(void *object): void
    calls, return: kretprobe; entry: direct, kprobe; calls not direct: it uses its return address, or runs where nothing else may

lists("btf", "-L", "do_exit", <<"", "one that does not return");
do_exit(long code): void
    entry: direct, kprobe; it never returns

lists("btf", "-L", "nf_tables:nft_[eiu]*", <<"", "what cannot be probed, and why");
nf_tables:nft_entry
    cannot be probed: the kernel allows no probe in it (noinstr or NOKPROBE)
nf_tables:nft_init
    cannot be probed: it runs only while its module is loaded or removed
nf_tables:nft_untouchable
    cannot be probed: the kernel allows no probe in it (NOKPROBE_SYMBOL)

lists("btf", "-L", "do_int3", <<"", "the kernel's own");
do_int3
    cannot be probed: the kernel allows no probe in it (NOKPROBE_SYMBOL)

lists("btf", "-L", "nf_tables:nft_same", <<"", "functions of one name");
nf_tables:nft_same
    $unknown
    2 functions: at 0x8, at 0xb

lists("btf", "-L", "folded", <<"", "variants that the compiler made");
folded
    $unknown
    the compiler made of it: folded, folded.constprop.0


# ---- tracepoints and system calls ----

lists("btf", "-l", "tp:sched:sched_w*", "tp:sched:sched_wakeup\ntp:sched:sched_wakeup_new\n", "tracepoints");
lists("btf", "-l", "tp:sched_w*", "tp:sched:sched_wakeup\ntp:sched:sched_wakeup_new\n", "of any system");
lists("btf", "-L", "tp:sched:sched_migrate_task", <<"", "with types");
tp:sched:sched_migrate_task(struct task_struct *p, int dest_cpu)
    tracepoint

lists("btf", "-L", "tp:kvm:kvm_exit", <<"", "of a module");
tp:kvm:kvm_exit(struct kvm_vcpu *vcpu, enum kvm_reason reason)
    tracepoint, of module kvm

lists("btf", "-l", "syscall:[ck]*", "syscall:close\nsyscall:kill\n", "system calls");
lists("btf", "-L", "syscall:kill", <<"", "with the entries that they have");
syscall:kill(pid_t pid, int sig): long
    $both; on __x64_sys_kill, __ia32_sys_kill

lists("btf", "-l", "sync*", "syscall:sync\n", "a name of all kinds");

# ---- what only debug information knows ----

sub line_of {	# a line of lines.c
	my ($text) = @_;
	open(my $f, "<", "$here/kernel/lines.c") or die;
	while (<$f>) {
		return $. if index($_, $text) >= 0;
	}
	die "no line '$text'";
}
my $call = line_of("sum += inlined_here");
my $partly = line_of("return partly(a + 1)");

sub places {	# how many places -L has, all of a function and a line; -l the same names
	my ($pattern, $function, $line, $count, $what) = @_;
	my ($status, $out) = list("dwarf", "-L", $pattern);
	my @found = $out =~ /^(\Q$function\E(?:\+0x[0-9a-f]+)?)\n    kernel\/lines\.c:$line; kprobe\n/mg;
	is(scalar(@found), $count, "-L $pattern: $what") or diag($out);
	is(scalar(split(/\n/, $out)), 2 * $count, "and nothing else");
	lists("dwarf", "-l", $pattern, join("", map { "$_\n" } @found), "the same places");
}
places("inline:inlined_here", "with_lines", $call, 1, "where a function was inlined");
places("inline:partly", "inlines_partly", $partly, 2, "twice");
places("lines.c:" . line_of("seen--;"), "with_lines", line_of("seen--;"), 1, "a line");

refuses("btf", "inline:partly", "kmeter: error: inlined functions are known to DWARF alone, which this kernel lacks here [no-dwarf]\n" .
	"   Debian: the package linux-image-6.1.0-test-dbg\n", "no DWARF");
refuses("dwarf", "inline:with_lines", "kmeter: error: 'with_lines' was inlined nowhere [no-inline]\n" .
	"   it is a function of its own: write with_lines\n", "not inlined");
refuses("dwarf", "lines.c:1", "kmeter: error: no instruction comes from line 1 of lines.c [no-line]\n" .
	"   the nearest line that has one: lines.c:7\n", "a line without code");

# ---- watched variables ----

lists("btf", "-l", "watch:total_forks", "watch:total_forks\n", "a variable");
lists("btf", "-L", "watch:total_forks", "watch:total_forks\n    unsigned long: 8 bytes at init_task+251840; breakpoint, for write or rw\n",
      "with its type and place");
lists("btf", "-L", "watch:runqueues.nr_running", "watch:runqueues.nr_running\n    u32: 4 bytes at 0x19000, of each CPU its own; " .
      "breakpoint, for write or rw\n", "of each CPU");
lists("btf", "-L", "watch:nf_tables:nft_state\@nf_set.c:8", "watch:nf_tables:nft_state\@nf_set.c:8\n    unsigned long: 8 bytes, 0x10 bytes behind " .
      "nft_counter of module nf_tables; breakpoint, for write or rw\n", "of a module");
refuses("btf", "watch:jiffies_64", "kmeter: error: nothing tells the type of 'jiffies_64': BTF knows only variables that each CPU has, " .
	"symbol tables no sizes [no-types]\n   write how many bytes it has: jiffies_64:8\n   DWARF tells the types of all (Debian: " .
	"the package linux-image-6.1.0-test-dbg)\n", "whose type nothing tells");

# ---- what is not there ----

refuses("btf", "vfs_raed", "kmeter: error: nothing in kernel 6.1.0-test matches 'vfs_raed' [no-match]\n" .
	"   did you mean vfs_read, vfs_readv or vfs_open?\n   functions of modules: 'MODULE:vfs_raed', of all modules '*:vfs_raed'\n", "the nearest name");
refuses("btf", "vfs_read:return", "kmeter: error: 'vfs_read:return': functions, system calls, tracepoints, FILE:LINE, " .
	"inline:NAME and watch:NAME are listed, without what follows a name [no-match]\n", "no point that is listed");
done_testing();
