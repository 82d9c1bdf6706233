#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# offsets.t: where members lie, TAP. Each is asked of the C compiler, which compiles kernel/types.h for this machine, and of
# the plan; the two must agree on the bytes that are read, and of bit-fields on the bits.
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
system("$here/kernel/make", "$tmp/root") == 0 or BAIL_OUT("cannot make the small kernel");

# Structure, member; what is read is one number.
my @plain = (
	(map { ["all_kinds", $_] } qw(yes letter small usmall s us i ui l ul ll ull port state bytes own often array[3] grid[2][1]
	 name names anything numbers self selves many[2] inner.first inner.word inner.bytes[2] inner.named.deep
	 inner.named.deeper inners[1].first inners[1].named.deeper call forward anonymous as_number as_pointer packed.lead
	 packed.behind n flexible[2])),
	(map { ["task_struct", $_] } qw(__state stack prio pid tgid real_parent children.next utime stime cred)),
	(map { ["file", $_] } qw(f_list.prev f_rcu f_path.mnt f_path.dentry f_inode f_flags f_pos private_data)),
	(map { ["sk_buff", $_] } qw(dev len data_len protocol head data)),
	(map { ["sock", $_] } qw(__sk_common.skc_daddr __sk_common.skc_rcv_saddr __sk_common.skc_dport __sk_common.skc_num
	 __sk_common.skc_family sk_rcvbuf)),
	(map { ["pt_regs", $_] } qw(r15 bp bx r10 r9 r8 ax cx dx si di orig_ax ip sp)),
	["dentry", "d_name.name"], ["dentry", "d_name.len"], ["inode", "i_size"], ["request", "state"], ["tcp_sock", "srtt_us"],
);

# Bit-fields: what is read, and from it the bits, by trying each.
my @bits = (
	(map { ["all_kinds", "bits.$_"] } qw(one seven five rest wide high deep small upper flag whole)),
	(map { ["all_kinds", "packed.$_"] } qw(low straddling minus)),
	(map { ["task_struct", $_] } qw(in_iowait frozen nice)), (map { ["sk_buff", $_] } qw(pkt_type ignore_df cloned)),
);

sub native {
	my $c = "#include \"types.h\"\n#include <stddef.h>\n#include <stdio.h>\n#include <string.h>\nint main(void)\n{\n";
	for (@plain) {
		my ($s, $m) = @$_;
		$c .= "printf(\"%zu %zu\\n\", offsetof(struct $s, $m), sizeof(((struct $s *)0)->$m));\n";
	}
	# The first and last bit that an all-ones field sets, and whether it is then negative.
	for (@bits) {
		my ($s, $m) = @$_;
		$c .= "{ static struct $s x; unsigned char *b = (void *)&x; int first = -1, last = -1; x.$m = -1;\n"
		    . "for (size_t i = 0; i < 8 * sizeof(x); i++) if (b[i / 8] >> i % 8 & 1) { if (first < 0) first = i; last = i; }\n"
		    . "printf(\"%d %d %d\\n\", first, last, x.$m < 0); }\n";
	}
	open(my $f, ">", "$tmp/native.c") or die;
	print $f "$c return 0;\n}\n";
	close($f);
	system("gcc", "-w", "-I$here/kernel", "-o", "$tmp/native", "$tmp/native.c") == 0 or BAIL_OUT("no native program");
	return map { [split(" ", $_)] } `$tmp/native`;
}

# The same as the plan has it.
sub planned {
	my $script = join("", map { "count vfs_read by (u64)((struct $_->[0] *)\$file)->$_->[1]\n" } @plain, @bits);
	open(my $f, ">", "$tmp/x.km") or die;
	print $f $script;
	close($f);
	my @lines = grep { /early data/ } `$driver --sysroot $tmp/root --dump plan $tmp/x.km`;
	return map { s/.*= //r } @lines;
}

my @native = native();
my @plan = planned();
is(scalar(@plan), @plain + @bits, "a line for each member") or BAIL_OUT("the plan is not as expected");

sub offset { return $_[0] =~ /%di \+ (\d+)UL/ ? $1 : $_[0] =~ /\[%di\]/ ? 0 : -1; }

for my $i (0 .. $#plain) {
	my ($s, $m) = @{$plain[$i]};
	my ($offset, $size) = @{$native[$i]};
	my $read = $plan[$i] =~ /[us](\d+)\[/ ? $1 / 8 : -1;
	is(offset($plan[$i]), $offset, "$s.$m lies at $offset");
	is($read, $size, "$s.$m has $size bytes");
}
for my $i (0 .. $#bits) {
	my ($s, $m) = @{$bits[$i]};
	my ($first, $last, $negative) = @{$native[@plain + $i]};
	my $text = $plan[@plain + $i];
	my ($size) = $text =~ /u(\d+)\[/;
	my $left = $text =~ /<< (\d+)/ ? $1 : 0;
	my ($right) = $text =~ />> (\d+)/;
	my $low = 8 * offset($text) + $right - $left;
	is($low, $first, "$s.$m begins at bit $first") or diag($text);
	is($low + 63 - $right, $last, "$s.$m ends at bit $last") or diag($text);
	cmp_ok(8 * offset($text) + $size, ">", $last, "$s.$m is read whole");
	is($text =~ /s64\(\(u64/ ? 1 : 0, $negative, "$s.$m has " . ($negative ? "a" : "no") . " sign") or diag($text);
}

done_testing();
