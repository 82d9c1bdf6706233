#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# names.t: names that a kernel's files hold cannot steer the C that is made of them: in a small kernel (kernel/make) each of some names becomes another of the same length,
# full of what ends texts and comments; what is left of the C without its texts and comments has nothing of it.
use strict;
use warnings;
use File::Find;
use File::Temp "tempdir";
use Test::More;

my $here = $0 =~ s,[^/]+$,,r || "./";
my $build = $ENV{BUILD} // "$here/../../build";
my $dir = tempdir(CLEANUP => 1);
system("$here/kernel/make $dir/whole >/dev/null 2>&1") == 0 or BAIL_OUT("no small kernel");

# A name, scripts that come upon it.
my @cases = (
	[ "task_struct", 'count tp:sched:sched_switch by $next->pid', 'count tp:sched:sched_wakeup by $p->comm' ],
	[ "sched_switch", 'count "tp:sched:*"', 'count tp:sched:sched_wakeup by $p->pid' ],
	[ "vfs_read", 'measure "vfs_*"', 'count "vfs_*"', 'profile "vfs_*"' ],
	[ "nft_set_ops", 'count nf_tables:nft_do_chain', 'measure "nf_tables:*"' ],
	[ "nf_tables_module_autoload", 'measure "nf_tables:*"' ],
	[ "nft_do_chain", 'measure "nf_tables:*" by caller' ],
	[ "file_operations", 'count vfs_read by $file->f_op', 'count vfs_read by $file' ],
);
# The letters of a C text or comment that could end it, what then follows, and what the preprocessor looks at.
my @evils = ('"', "*/", "\\", "??/", "\n#", "};", "//");

sub evil {	# of so many bytes
	my ($length, $evil) = @_;
	my $text = $evil . "km_evil" . $evil . ";{}" . $evil x 20;
	return substr($text, 0, $length);
}

my ($made, $seen) = (0, 0);
for my $case (@cases) {
	my ($name, @scripts) = @$case;
	for my $evil (@evils) {
		my $root = "$dir/root";
		my $hits = 0;
		my $to = evil(length($name), $evil);
		system("rm -rf $root && cp -a $dir/whole $root") == 0 or die;
		find(sub {
			return if -l $_ || !-f $_ || $File::Find::name =~ m{/usr/src/};
			open(my $f, "+<:raw", $_) or return;
			my $bytes = do { local $/; <$f> } // "";
			my $n = $bytes =~ s/(?<![A-Za-z0-9_])\Q$name\E(?![A-Za-z0-9_])/$to/g;
			return if !$n;
			$hits += $n;
			seek($f, 0, 0);
			print $f $bytes;
		}, $root);
		for my $script (@scripts) {
			my $c = `'$build/kmeter' --sysroot $root --dump c -q -e '$script' 2>/dev/null`;
			my $status = $? >> 8;
			ok($status == 0 || $status == 1 || $status == 3, "$name for another ($hits times), $script: status $status");
			next if $status;
			$made++;
			$seen++ if $c =~ /km_e/;
			# Texts, comments, in the order in which C sees them; trigraphs are off in the kernel's C, but are not to appear.
			(my $rest = $c) =~ s{"(?:[^"\\\n]|\\[^\n])*"|/\*.*?\*/|//[^\n]*}{}gs;
			unlike($rest, qr/evil|km_ev/, "nothing of the name is code") or diag($rest);
			unlike($rest, qr/["\\]|\*\/|^#(?!include $)/m, "no text or comment ends too soon") or diag($rest);
			unlike($c, qr{\?\?/}, "no trigraph");
		}
	}
}
cmp_ok($made, ">", 20, "$made times there was C to look at");
cmp_ok($seen, ">", 10, "in $seen of them a name stands in a text or a comment");
done_testing();
