#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# read.t: what is read from memory, TAP. The same expressions are compiled by kmeter and by the C compiler, and read the same
# objects (stub/objects.c); both must see the same. What reads where nothing is faults.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use Test::More;

my $here = dirname(abs_path($0));
my $driver = $ENV{KMETER_TEST_DRIVER} // "$here/../../build/tests/language/driver";
my $tmp = tempdir(CLEANUP => 1);
my @cflags = ("-std=gnu11", "-fwrapv", "-Wno-attributes", "-I$here/kernel");

if (!-x $driver) {
	system("make", "-s", "-C", $here, "all") == 0 or BAIL_OUT("cannot build $driver");
}
system("$here/kernel/make", "$tmp/root") == 0 or BAIL_OUT("cannot make the small kernel");

# Numbers: kmeter's $a is C's a.
my @same = (
	(map { "\$a->$_" } qw(yes letter small usmall s us i ui l ul ll ull port state bytes own often array[0] array[4] grid[0][3]
	 grid[1][0] grid[2][3] inner.first inner.word inner.bytes[0] inner.bytes[3] inner.named.deep inner.named.deeper
	 inners[0].first inners[1].word inners[1].named.deep inners[1].named.deeper anonymous as_number bits.one bits.seven
	 bits.five bits.rest bits.wide bits.high bits.deep bits.small bits.upper bits.flag bits.whole packed.lead packed.low
	 packed.straddling packed.minus packed.behind n flexible[0] flexible[3] numbers[0] numbers[-3] numbers[4] self->i
	 self->self->self->ll many[1]->i selves[1]->i selves[1]->self->usmall)),
	"(*\$a->selves)->i", "**\$a->selves == 0 ? 1 : 2", "*\$a->numbers", "*(\$a->numbers + 2)", "*(2 + \$a->numbers)",
	"*(\$a->numbers - 1)", "*\$a->array", "*&\$a->i", "(&\$a->array[3])[1]", "*((int *)\$a->anything + 1)",
	"*(unsigned char *)\$a->anything", "((struct all_kinds *)\$a->many[1])->i", "\$a->grid[1][\$a->n - 2]",
	"\$a->array[\$a->bits.one]", "\$a->array[(char)\$a->n - 4]", "&\$a->array[4] - &\$a->array[1]", "\$a->self == \$a",
	"\$a->self != \$a->many[1]", "!\$a->forward", "\$a->self && \$a->name", "(long)\$a->self - (long)\$a",
	"\$a->letter + \$a->usmall", "\$a->s * \$a->us", "\$a->i - 1000000000", "\$a->ui + \$a->ui", "\$a->ui * 1L + \$a->ui",
	"\$a->i < \$a->ui", "\$a->small < \$a->usmall", "\$a->ll < \$a->ull", "\$a->l < \$a->i", "\$a->state == STATE_DEAD",
	"\$a->state < STATE_IDLE", "\$a->bytes > 100", "-\$a->small", "~\$a->us", "!\$a->yes", "-\$a->bits.one", "~\$a->bits.seven",
	"\$a->bits.five * 2", "\$a->bits.five < 0", "\$a->bits.one - 2 < 0", "(u64)\$a->bits.wide << 3", "\$a->bits.high + 1",
	"\$a->bits.deep / 3", "\$a->packed.minus >> 2", "\$a->ull >> 63", "\$a->ll >> 63", "\$a->ul % 1000", "\$a->l / -7",
	"(u8)\$a->us", "(s8)\$a->us", "(u16)\$a->i", "(s16)\$a->ui", "(u32)\$a->ll", "(s32)\$a->ul", "(u64)\$a->small",
	"(s64)\$a->ui", "(_Bool)\$a->us", "(_Bool)(\$a->us - 60000)", "(enum state)\$a->usmall", "(pid_t)\$a->ull",
	"\$a->yes ? \$a->i : \$a->ui", "\$a->yes ? \$a->small : \$a->ull", "(\$a->yes ? \$a->many[1] : \$a)->i",
	"\$a->usmall == 200 && \$a->us == 60000 || \$a->i", "\$a->letter == -7", "\$a->text[0] == 's'", "\$a->name[1]",
	"\$a->names[1][0]", "\$a->utext[3]",
);
# Left out of the above: a structure has no value.
@same = grep { !/\*\*\$a/ } @same;

# Texts, what they are, and how many words that takes where an array has room for no more than 16 bytes.
my @texts = (
	["\$a->text", "some text"], ["\$a->one", "x", 2], ["\$a->name", "a name of more than 32 bytes, cut"], ["\$a->names[1]", "other"],
	["(char *)\$a->utext", "abcdefg"], ["(char *)\$a->utext + 3", "defg"], ["\$a->name + 2", "name of more than 32 bytes, cut"],
);

# Truths about texts; faults of what is not there.
my @others = (
	["\$a->text == \"some text\"", 1], ["\$a->text == \"some tex\"", 0], ["\$a->text != \"some text!\"", 1],
	["\$a->names[1] == \"other\"", 1], ["\"other\" == \$a->names[1]", 1], ["\$a->one == \"x\"", 1],
	["\$a->name == \$a->names[0]", 1], ["\$a->name == \$a->names[1]", 0], ["comm == \"sh\" && \$a->text != comm", 1],
	["\$a->many[2]->i", "fault"], ["\$a->names[2] == \"x\"", "fault"], ["*(int *)4096", "fault"],
	["*(int *)0xffff888000000000", "fault"], ["*(long *)0xffffffffffffffff", "fault"], ["*(u8 *)(u64)\$a->n", "fault"],
	["\$a->many[2] == 0 || \$a->many[2]->i", 1], ["\$a->many[2] && \$a->many[2]->i", 0],
	["\$a->many[2] ? \$a->many[2]->i : 5", 5], ["\$a->i / (\$a->n - 4)", "fault"], ["\$a->ll << \$a->usmall", 0],
	["ntohs(\$a->port)", 80], ["ntohl(\$a->inner.word)", 0x01020304], ["IS_ERR(\$a)", 0], ["IS_ERR((void *)-5L)", 1],
	["PTR_ERR((void *)-5L)", -5], ["IS_ERR((void *)-4096L)", 0], ["caller", 0x1234], ["context", 0], ["cgroup", 0],
);

sub write_file {
	my ($file, $text) = @_;
	open(my $f, ">", $file) or die;
	print $f $text;
	close($f);
}

sub hex64 {
	my ($v) = @_;
	return sprintf("%x", $v =~ /^-/ ? unpack("Q", pack("q", $v)) : $v);
}

# What the C compiler says.
my $native = "#define NATIVE\n#include \"$here/stub/objects.c\"\n#include <stdio.h>\nint main(void)\n{\n"
	   . "unsigned long size, at; struct all_kinds *a; objects(&size, &at); a = (void *)at;\n";
$native .= "printf(\"%llx\\n\", (unsigned long long)(" . (s/\$a\b/a/gr) . "));\n" for @same;
write_file("$tmp/native.c", "$native return 0;\n}\n");
is(system("gcc", @cflags, "-w", "-o", "$tmp/native", "$tmp/native.c"), 0, "the expressions are C") or BAIL_OUT("no C program");
my @want = map { chomp; $_ } `$tmp/native`;

# What kmeter's handlers do: at the entry, and the same at the return, of the argument that was kept.
my @all = (@same, (map { $_->[0] } @texts), (map { $_->[0] } @others));
my $script = join("", map { "count take_all by $_\n" } @all) . join("", map { "count take_all:return by $_\n" } @same);
write_file("$tmp/read.km", $script);
is(system("$driver --sysroot $tmp/root --dump c $tmp/read.km >$tmp/read.c 2>$tmp/messages"), 0, "and kmeter's")
	or diag(`cat $tmp/messages`);
is(system("gcc", @cflags, "-O2", "-w", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-D__KERNEL__", "-I$here/stub",
	  "-I$here/../../runtime", "-c", "-o", "$tmp/read.o", "$tmp/read.c"), 0, "the C that they become compiles");
is(system("gcc", @cflags, "-w", "-D__KERNEL__", "-I$here/stub", "-I$here/../../runtime", "-c", "-o", "$tmp/harness.o",
	  "$here/stub/harness.c"), 0, "with the harness");
is(system("gcc", @cflags, "-w", "-c", "-o", "$tmp/objects.o", "$here/stub/objects.c"), 0, "and the objects");
is(system("gcc", "-fsanitize=undefined", "-o", "$tmp/read", "$tmp/read.o", "$tmp/harness.o", "$tmp/objects.o"), 0, "to a program");
my @lines = map { chomp; $_ } `$tmp/read 1000 1003 7 0 5 sh 1`;
is($?, 0, "which runs without undefined behaviour");

sub result {
	my (undef, $early, $late, @data) = split(/ /, shift @lines // "");
	return $early eq "take" ? join(" ", @data) : $early;
}

is(result(), $want[$_], "$same[$_] is as C has it") for 0 .. $#same;
for (@texts) {
	my $n = $_->[2] // 4;
	my $words = join(" ", map { sprintf("%x", $_) } unpack("Q$n", pack("a" . 8 * $n, $_->[1])));
	is(result(), $words, "$_->[0] is \"$_->[1]\"");
}
is(result(), $_->[1] eq "fault" ? "fault" : hex64($_->[1]), "$_->[0]: $_->[1]") for @others;
is(result(), $want[$_], "$same[$_] is the same at the return") for 0 .. $#same;

done_testing();
