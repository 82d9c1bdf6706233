#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# report.t: the page of --html in a real browser. Each of the known reports (tests/unit/known) is opened; what it shows is compared
# with the JSON that was written beside it: single reports as they are, what a series adds up to by adding here. Integers are
# compared as Math::BigInt has them. The mouse is moved and clicked as a person does.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use FindBin;
use JSON::PP;
use List::Util qw(max min);
use Math::BigInt;
use Test::More;
use lib $FindBin::Bin;
use Browser;

my $known = $ENV{KMETER_TEST_KNOWN} // "$FindBin::Bin/../../build/tests/unit/known";
my $tmp = tempdir(CLEANUP => 1);
my $json = JSON::PP->new->utf8->allow_bignum;

-x $known or BAIL_OUT("no $known: make -C tests/unit known");
my $browser = Browser->new;
$browser->requests;	# those of its first, empty page
$browser->complaints;

# ---- the page, and the JSON that it is of ----

sub slurp {
	open(my $from, "<:raw", $_[0]) or BAIL_OUT("$_[0]: $!");
	local $/;
	return scalar <$from>;
}

# A known report's page, opened; its reports.
sub report {
	my ($name) = @_;
	my $page = "$tmp/$name.html";
	open(my $from, "-|", $known, $name, $page) or BAIL_OUT("$known: $!");
	my @reports = map { $json->decode($_) } <$from>;
	close($from) or BAIL_OUT("known $name: status $?");
	show($page);
	return @reports;
}

sub show {
	my ($page) = @_;
	$browser->open_file(abs_path($page));
	is_deeply([$browser->requests], ["file://" . abs_path($page)], "$page: asks for nothing but itself");
	is_deeply([$browser->complaints], [], "and nothing is complained of");
}

# Of a section: JavaScript that has it as `root`.
sub in_section {
	my ($i, $script, @args) = @_;
	return $browser->run("const root = document.getElementById('m' + arguments[0]), value = e => e && e.querySelector('data').value," .
		"rows = s => [...root.querySelectorAll(s)].map(r => [...r.cells].map(c => c.innerText.trim().replace(/\\s+/g, ' '))); $script", $i, @args);
}

# {name: digits}, of figures and of the accounting; [[slot, lo, hi, n, mean], ...] of the table of slots.
sub named {
	my ($i, $what, $of) = @_;
	return in_section($i, "return Object.fromEntries([...root.querySelectorAll('[data-$what]')].map(e => [e.dataset.$what, $of]))");
}

sub figures { return named($_[0], "figure", "value(e)") }
sub titles { return named($_[0], "figure", "e.querySelector('data').title") }
sub terms { return named($_[0], "term", "value(e)") }

# The cells of rows, as people read them.
sub rows { my ($i, $selector) = @_; return in_section($i, "return rows(arguments[1])", $selector) }

# The table is filled when the browser tells that it was opened, a moment later.
sub slots {
	my ($i) = @_;
	my $has = in_section($i, "const d = root.querySelector('details.slots'); if (d && !d.open) d.querySelector('summary').click(); return !!d");
	for (1 .. 100) {
		last if !$has || in_section($i, "return !!root.querySelector('tr[data-slot]')");
		select(undef, undef, undef, 0.05);
	}
	return in_section($i, "return [...root.querySelectorAll('tr[data-slot]')].map(" .
		"r => [r.dataset.slot, ...[...r.querySelectorAll('data')].map(d => d.value)])");
}

sub text { my ($selector) = @_; return $browser->run("return document.querySelector(arguments[0])?.innerText ?? ''", $selector) }

# ---- what is wanted, by adding here ----

sub big { return Math::BigInt->new("$_[0]") }

# Slots of many lists: {slot => [lo, hi, n, sum]}.
sub added {
	my (@lists) = @_;
	my %all;
	for my $row (map { @$_ } @lists) {
		my ($slot, $lo, $hi, $n, $mean, $sum) = @$row;
		my $have = $all{$slot} //= [$lo, $hi, Math::BigInt->bzero, Math::BigInt->bzero];
		$have->[2]->badd(big($n));
		defined $sum && defined $have->[3] ? $have->[3]->badd(big($sum)) : ($have->[3] = undef);
	}
	return \%all;
}

sub close_to {
	my ($got, $wanted) = @_;
	return abs($got - $wanted) <= 1e-14 * max(abs($wanted), 1);	# JSON has 15 digits
}

# Measurement $i shows these groups' slots.
sub slots_are {
	my ($i, $wanted, $what) = @_;
	my $got = slots($i);
	my @order = sort { $a <=> $b } keys %$wanted;
	is_deeply([map { [@$_[0 .. 3]] } @$got], [map { [$_, map { "$_" } @{$wanted->{$_}}[0 .. 2]] } @order], "$what: slots, bounds and counts");
	my @means = grep { my ($s, $m) = ($wanted->{$_->[0]}, $_->[4]);
		defined $s->[3] ? !defined $m || !close_to($m, $s->[3]->numify / $s->[2]->numify) : defined $m } @$got;
	is_deeply(\@means, [], "$what: and means");
}

# What one object of JSON, a measurement or a group, has as figures.
sub figures_are {
	my ($i, $m, $what) = @_;
	my $got = figures($i);
	my %wanted = (count => "$m->{count}");
	if (exists $m->{mean}) {
		$wanted{mean} = $m->{mean} // "";
		ok(defined $m->{mean} ? $got->{mean} == $m->{mean} : $got->{mean} eq "", "$what: mean") or diag("$got->{mean} $wanted{mean}");
	}
	if ($m->{quantiles}) {
		$wanted{min} = "$m->{min}{lo}";
		$wanted{max} = "$m->{max}{hi}";
		for my $q (sort keys %{$m->{quantiles}}) {
			ok($got->{$q} == $m->{quantiles}{$q}{value}, "$what: $q") or diag("$got->{$q} $m->{quantiles}{$q}{value}");
			my @bounds = map { "$_" =~ s/\B(?=(\d{3})+$)/,/gr } @{$m->{quantiles}{$q}}{qw(lo hi)};
			my $title = titles($i)->{$q};
			my $said = $bounds[0] eq $bounds[1] ? $bounds[0] : "surely between $bounds[0] and $bounds[1]";
			like($title, qr/^\Q$said\E( |$)/, "$what: $q\'s bounds");
		}
	}
	is($got->{$_}, $wanted{$_}, "$what: $_") for grep { $_ ne "mean" } sort keys %wanted;
	is_deeply([sort grep { $_ ne "rate" } keys %$got], [sort keys %wanted, $m->{quantiles} ? keys %{$m->{quantiles}} : ()], "$what: these figures alone");
}

sub accounting_is {
	my ($i, $wanted, $what) = @_;
	my %terms = map { $_ => "$wanted->{$_}" } grep { $_ ne "balanced" && ("$wanted->{$_}" ne "0" || /^(hits|recorded)$/) } keys %$wanted;
	is_deeply(terms($i), \%terms, "$what: the terms that are not 0");
	is(in_section($i, "return root.querySelector('[data-balanced]').dataset.balanced"), "true", "$what: balanced");
	my $unsaid = in_section($i, "return [...root.querySelectorAll('[data-term]')].filter(r => !r.lastElementChild.innerText).map(r => r.dataset.term)");
	is_deeply($unsaid, [], "$what: what each means");
}

# ---- the mouse ----

# Where these elements of a section are in the window, after the first was scrolled into it: [[left, top, right, bottom], ...].
sub places {
	my ($i, $selector) = @_;
	return in_section($i, "const all = [...root.querySelectorAll(arguments[1])];" .
		"all[0]?.closest('.chart, tr')?.scrollIntoView({ block: 'center', behavior: 'instant' });" .
		"return all.map(e => e.getBoundingClientRect()).map(r => [r.left, r.top, r.right, r.bottom])", $selector);
}

sub bars { return places($_[0], ".chart[aria-label=histogram] path[fill='var(--bar)']") }
my $cell = ".chart[aria-label='values over time'] path[fill='var(--bar)']";
sub cells { return places($_[0], $cell) }

sub tip { return $browser->run("const t = document.querySelector('.tip'); return t.hidden ? '' : t.innerText.replace(/\\s+/g, ' ')") }

sub commas { return "$_[0]" =~ s/\B(?=(\d{3})+$)/,/gr }

# Each bar that is wide enough to be met, under the mouse.
sub hovers {
	my ($i, $wanted, $what) = @_;
	my $bars = bars($i);
	my @order = sort { $a <=> $b } keys %$wanted;
	is(scalar @$bars, scalar @order, "$what: a bar a slot") or return;
	my @wide = grep { $bars->[$_][2] - $bars->[$_][0] >= 4 } 0 .. $#order;
	@wide = @wide[map { $_ * $#wide / 7 } 0 .. 7] if @wide > 8;
	my @wrong;
	for my $k (@wide) {
		my ($lo, $hi, $n) = map { commas($_) } @{$wanted->{$order[$k]}}[0 .. 2];
		$browser->move(($bars->[$k][0] + $bars->[$k][2]) / 2, $bars->[$k][3] - 1);
		my $tip = tip();
		my $values = $lo eq $hi ? $lo : "$lo to $hi";
		push @wrong, "$tip (not $values, $n)" unless $tip =~ /values\s*\Q$values\E\b/ && $tip =~ /count\s*\Q$n\E\b/ && $tip =~ /share/ && $tip =~ /mean/;
	}
	is_deeply(\@wrong, [], "$what: " . @wide . " bars tell their bounds and counts");
	$browser->move(2, 2);
	is(tip(), "", "$what: and nothing is told beside them");
}

# ---- every known report ----

sub single {
	my ($name) = @_;
	my ($r) = report($name);
	my @m = @{$r->{measurements}};
	for my $i (0 .. $#m) {
		my ($m, $what) = ($m[$i], "$name: $m[$i]{name}");
		is(in_section($i, "return root.querySelector('h2').innerText"), $m->{name}, "$what: its name");
		is(in_section($i, "return root.querySelector('.statement')?.innerText ?? null"), $m->{statement}, "$what: its statement");
		accounting_is($i, $m->{accounting}, $what);
		if (!@{$m->{groups}}) {
			like(in_section($i, "return root.querySelector('.empty').innerText"), qr/^no samples in 5 s: \w/, "$what: says that there is nothing, and why");
			is(in_section($i, "return root.querySelectorAll('.chart').length"), 0, "$what: and draws nothing");
			next;
		}
		figures_are($i, $m, $what);
		next unless $m->{quantiles};
		my $wanted = added(map { $_->{slots} } @{$m->{groups}});
		slots_are($i, $wanted, $what);
		hovers($i, $wanted, $what);
		my %cpus;
		$cpus{$_->{cpu}} = ($cpus{$_->{cpu}} // Math::BigInt->bzero) + big($_->{count}) for map { @{$_->{cpus}} } @{$m->{groups}};
		my $got = in_section($i, "return Object.fromEntries([...root.querySelectorAll('[data-cpu]')].map(e => [e.dataset.cpu, value(e)]))");
		is_deeply($got, keys %cpus > 1 ? { map { $_ => "$cpus{$_}" } keys %cpus } : {}, "$what: its CPUs");
	}
	return @m;
}

chomp(my @names = `$known`);
single($_) for grep { !/^(times|groups|counts|forms|hostile)$/ } @names;

# ---- empty ones say why ----

report("outside");
like(text(".empty"), qr/every one was negative or outside/, "outside: the reason of the text report");
report("empty");
like(text(".empty"), qr/nothing came by/, "empty: likewise");

# ---- integers that JavaScript's numbers do not hold ----

report("extremes");
is(figures(0)->{max}, "18446744073709551615", "2^64 - 1, all digits");
is_deeply([map { @$_[1, 2] } grep { $_->[1] > 2**62 } @{slots(0)}], [qw(8935141660703064064 9223372036854775807 9223372036854775808 9799832789158199295
	17870283321406128128 18446744073709551615)], "the bounds of the slots at 2^63 - 1, 2^63 and 2^64 - 1");

# ---- groups: a row chosen by the mouse, by the keyboard, and given up ----

{
	my @m = single("groups");
	for my $i (0, 1) {
		my @groups = @{$m[$i]{groups}};
		my $rows = places($i, "tr.choice");
		is(scalar @$rows, scalar @groups, "groups: a row each");
		for my $k (0 .. $#groups) {
			$rows = places($i, "tr.choice");
			if ($k % 2) {
				in_section($i, "root.querySelectorAll('tr.choice')[arguments[1]].focus()", $k);
				$browser->press("\x{E007}");	# Enter
			} else {
				$browser->click($rows->[$k][0] + 20, ($rows->[$k][1] + $rows->[$k][3]) / 2);
			}
			my $what = "groups: $groups[$k]{key}[0] alone";
			figures_are($i, $groups[$k], $what);
			slots_are($i, added($groups[$k]{slots}), $what);
			is(scalar @{bars($i)}, scalar @{$groups[$k]{slots}}, "$what: its bars");
			is_deeply(in_section($i, "return [...root.querySelectorAll('tr.choice')].map(r => r.getAttribute('aria-selected'))"),
				[map { $_ == $k ? "true" : "false" } 0 .. $#groups], "$what: its row is marked");
		}
		in_section($i, "root.querySelector('button.chosen').click()");
		figures_are($i, $m[$i], "groups: all again");
	}
	is_deeply([map { $_->[0] } @{rows(0, "tr.choice")}], ["md5sum", "a\"b,c\\x01\\xff", "dd"], "keys, escaped as in the text");
	in_section(0, "[...root.querySelectorAll('th button')].find(b => b.innerText === 'count').click()");
	is_deeply([map { $_->[1] } @{rows(0, "tr.choice")}], [75, 60, 2], "ordered by count, largest first");
	in_section(0, "[...root.querySelectorAll('th button')].find(b => b.innerText === 'count').click()");
	is_deeply([map { $_->[1] } @{rows(0, "tr.choice")}], [2, 60, 75], "and the other way");
}

# ---- tables ----

single("counts");
{
	my $rows = rows(0, ".panel:not(.accounting) tbody tr");
	is_deeply([map { [@$_[0, 2, 3, 4]] } @$rows], [["tcp_recvmsg", "140", "66.7%", "28/s"], ["tcp_sendmsg", "70", "33.3%", "14/s"]], "counts: by match");
	like($rows->[0][1], qr/^tcp_sendmsg\+0x200 \S+$/, "counts: and by stack, innermost first");
	single("forms");
	my $table = ".panel:not(.accounting) tr";
	is_deeply(rows(0, $table), [["Access_Type", "Symbol_name", "Function", "Counter"],
		["write", "jiffies_64", "entry", "41"], ["write", "jiffies_64", "tcp_sendmsg", "3"]], "forms: who touches a variable");
	# Of 1000, 1000, 1000, 5000: (3 * 1000^2 + 3000^2) / 3.
	is_deeply(rows(1, $table), [["Function", "Hit", "Time", "Avg", "s\x{b2}"],
		["vfs_read", "4", "8 \x{b5}s", "2 \x{b5}s", "4 \x{b5}s\x{b2}"], ["vfs_write_with_a_name_as_long_as_any", "1", "700 ns", "700 ns", "0 \x{b5}s\x{b2}"]],
		"forms: the times of functions");
}

# ---- texts that want to be something else ----

{
	my @m = single("hostile");
	my $keys = in_section(0, "return [...root.querySelectorAll('tr.choice')].map(r => r.cells[0].textContent)");
	is_deeply([sort @$keys], [sort map { $_->{key}[0] } @{$m[0]{groups}}], "hostile: keys are shown as they are");
	my $strange = "img, script:not([nonce]):not([type]), iframe, main b b, main i i, main u";
	is($browser->run("return document.querySelectorAll(arguments[0]).length", $strange), 0, "hostile: and are no elements");
	is($browser->run("return document.title"), "<b>'\"& - kmeter", "hostile: no code of theirs ran");
	# A script's text comes in the reports' JSON, too.
	my $page = slurp("$tmp/hostile.html");
	my $script = "# </script><img src=x>\nmeasure value 1 at f\t# \x{2028}<!--";
	my $field = JSON::PP->new->ascii->allow_nonref->encode($script) =~ s/</\\u003c/gr;
	$page =~ s/"script":null/"script":$field/ or die;
	open(my $to, ">:raw", "$tmp/script.html") or die;
	print $to $page;
	close($to);
	show("$tmp/script.html");
	is($browser->run("return document.querySelector('pre.script').textContent"), $script, "the whole script, as it was written");
	# Should a text ever escape, the page's policy still lets none of its code run.
	$page =~ s{<main id="page">}{<script>document.documentElement.dataset.owned = 1</script><img src="http://127.0.0.1:9/x"><main id="page">} or die;
	open($to, ">:raw", "$tmp/escaped.html") or die;
	print $to $page;
	close($to);
	$browser->open_file("$tmp/escaped.html");
	is($browser->run("return document.documentElement.dataset.owned ?? 'no'"), "no", "code without the page's number does not run");
	my @said = $browser->complaints;
	ok((grep { /script-src/ } @said) && (grep { /img-src/ } @said), "which the browser tells, and of the image that it does not ask for") or diag(@said);
	$browser->requests;
}

# ---- a series ----

{
	my @reports = report("times");
	my $n = @reports;
	for my $i (0, 1) {
		my @m = map { $_->{measurements}[$i] } @reports;
		my $what = "times: $m[0]{name}";
		my $wanted = added(map { $_->{groups}[0]{slots} } grep { @{$_->{groups}} } @m);
		slots_are($i, $wanted, "$what, all reports");
		hovers($i, $wanted, "$what, all reports");
		my ($count, $sum) = (Math::BigInt->bzero, Math::BigInt->bzero);
		$count += big($_->{count}), $sum += big($_->{sum}) for grep { $_->{count} } @m;
		my $got = figures($i);
		is($got->{count}, "$count", "$what: count of all");
		ok(close_to($got->{mean}, $sum->numify / $count->numify), "$what: mean of all") or diag("$got->{mean} $sum/$count");
		is($got->{min}, min(map { $_->{min}{lo} } grep { $_->{count} } @m), "$what: min of all");
		is($got->{max}, max(map { $_->{max}{hi} } grep { $_->{count} } @m), "$what: max of all");
		my %terms;
		for my $a (map { $_->{accounting} } @m) {
			$terms{$_} = ($terms{$_} // 0) + $a->{$_} for grep { $_ ne "balanced" } keys %$a;
		}
		accounting_is($i, \%terms, "$what: of all");
		my @order = sort { $a <=> $b } keys %$wanted;
		for (["p50", 1, 2], ["p90", 9, 10], ["p99", 99, 100], ["p99.9", 999, 1000]) {
			my ($q, $of, $in) = @$_;
			my $rank = ($count * $of + $in - 1) / $in;	# Math::BigInt: whole
			my ($seen, $k) = (Math::BigInt->bzero, 0);
			$k++ while ($seen += $wanted->{$order[$k]}[2]) < $rank;
			my ($lo, $hi) = @{$wanted->{$order[$k]}};
			ok($got->{$q} >= $lo && $got->{$q} <= $hi, "$what: $q of all lies in the slot of sample $rank") or diag("$got->{$q}: $lo $hi");
		}

		# The heat map: 2^shift slots a row, so that no more than 64 are needed.
		my $shift = 0;
		$shift++ while ($order[-1] >> $shift) - ($order[0] >> $shift) >= 64;
		my @cells;
		for my $r (0 .. $#m) {
			my %rows;
			for my $s (map { @{$_->{slots}} } @{$m[$r]{groups}}) {
				my $row = $rows{$s->[0] >> $shift} //= [$r, $s->[1], $s->[2], 0];
				$row->[2] = $s->[2];
				$row->[3] += $s->[3];
			}
			push @cells, map { $rows{$_} } sort { $a <=> $b } keys %rows;
		}
		my $places = cells($i);
		is(scalar @$places, scalar @cells, "$what: a cell for each report and row with samples") or next;
		my ($left, $right) = (min(map { $_->[0] } @$places), max(map { $_->[2] } @$places));
		my ($first, $last) = ($cells[0][0], $cells[-1][0]);
		my $column = sub { int($first + (($_[0][0] + $_[0][2]) / 2 - $left) / ($right - $left) * ($last - $first + 1)) };
		my @astray = grep { $column->($places->[$_]) != $cells[$_][0] } 0 .. $#cells;
		is_deeply(\@astray, [], "$what: each in its report's column");
		my $strength = in_section($i, "return [...root.querySelectorAll(arguments[1])].map(e => +(e.getAttribute('fill-opacity') ?? 1))", $cell);
		my @wrong = grep { ($cells[$_][3] <=> $cells[$_ + 1][3]) != ($strength->[$_] <=> $strength->[$_ + 1]) } 0 .. $#cells - 1;
		is_deeply(\@wrong, [], "$what: the more came, the stronger");
		@wrong = ();
		for my $k (map { int($_ * $#cells / 9) } 0 .. 9) {
			my ($lo, $hi, $count) = map { commas($_) } @{$cells[$k]}[1 .. 3];
			next if $places->[$k][3] - $places->[$k][1] < 2;
			$browser->move(($places->[$k][0] + $places->[$k][2]) / 2, ($places->[$k][1] + $places->[$k][3]) / 2);
			my $tip = tip();
			my $number = $cells[$k][0] + 1;
			push @wrong, "$tip (not $number, $lo to $hi, $count)"
				unless $tip =~ /^report $number / && $tip =~ /\Q$lo to $hi\E\b/ && $tip =~ /count\s*\Q$count\E$/;
		}
		is_deeply(\@wrong, [], "$what: cells tell their report, bounds and count");

		# A click shows that report alone; the way back is a button.
		my $k = int(@cells / 2);
		$browser->click(($places->[$k][0] + $places->[$k][2]) / 2, ($places->[$k][1] + $places->[$k][3]) / 2);
		figures_are($i, $m[$cells[$k][0]], "$what: report " . ($cells[$k][0] + 1) . " alone");
		slots_are($i, added($m[$cells[$k][0]]{groups}[0]{slots}), "$what: that report");
		accounting_is($i, $m[$cells[$k][0]]{accounting}, "$what: that report");
		is(scalar @{cells($i)}, scalar @cells, "$what: the other reports can still be chosen");
		in_section($i, "root.querySelector('button.chosen').click()");
		is(figures($i)->{count}, "$count", "$what: all again");
	}
}

# ---- reports that do not add up ----

{
	my ($first) = report("groups");
	my ($second) = report("extremes");
	my ($page, $other) = map { slurp("$tmp/$_.html") } qw(groups extremes);
	my ($line) = $other =~ /^(\{"kmeter".*\n)/m or die;
	$page =~ s/^(\{"kmeter".*\n)/$1$line/m or die;
	open(my $to, ">:raw", "$tmp/mixed.html") or die;
	print $to $page;
	close($to);
	show("$tmp/mixed.html");
	like(text("header .alarm"), qr/do not add up/, "reports of different measurements: told");
	my $sections = $browser->run("return [...document.querySelectorAll('section[data-name]')].map(s => s.dataset.name)");
	is_deeply($sections, ["vfs_read", "do_filp_open"], "a section for each name");
	figures_are(0, $second->{measurements}[0], "the last report of one");
	figures_are(1, $first->{measurements}[1], "the last of the other");
	my $places = cells(1);
	my ($left, $right) = @{$places->[0]}[0, 2];
	$browser->click(($left + $right) / 2, ($places->[0][1] + $places->[0][3]) / 2);
	figures_are(1, $first->{measurements}[1], "the report that has it, chosen");
	$browser->click($right + 20, ($places->[0][1] + $places->[0][3]) / 2);
	figures_are(1, $first->{measurements}[1], "one that has not cannot be chosen");
	is_deeply([$browser->complaints], [], "nothing is complained of");
}

# ---- light and dark ----

sub luminance {
	my @c = map { my $v = $_ / 255; $v <= 0.04045 ? $v / 12.92 : (($v + 0.055) / 1.055)**2.4 } $_[0] =~ /\d+/g;
	return 0.2126 * $c[0] + 0.7152 * $c[1] + 0.0722 * $c[2];
}

sub contrast {
	my ($a, $b) = sort { $b <=> $a } map { luminance($_) } @_;
	return ($a + 0.05) / ($b + 0.05);
}

{
	my %looks;
	for my $scheme (qw(light dark)) {
		$browser->scheme($scheme);
		report("groups");
		my $c = $browser->run("const of = (s, p) => getComputedStyle(document.querySelector(s))[p];" .
			"return { page: of('body', 'backgroundColor'), paper: of('.panel', 'backgroundColor')," .
			" ink: of('body', 'color'), dim: of('dt', 'color'), bar: of('.chart path[fill=\"var(--bar)\"]', 'fill'), label: of('.chart text', 'fill') }");
		cmp_ok(contrast($c->{ink}, $c->{page}), ">", 7, "$scheme: text stands out");
		cmp_ok(contrast($c->{$_}, $c->{paper}), ">", $_ eq "bar" ? 3 : 4.5, "$scheme: so does $_") for qw(ink dim label bar);
		$looks{$scheme} = $c;
	}
	cmp_ok(luminance($looks{light}{page}), ">", 0.8, "light is light");
	cmp_ok(luminance($looks{dark}{page}), "<", 0.05, "dark is dark");
}

# ---- narrow ----

$browser->size(400, 800);
for my $name (qw(groups times extremes hostile)) {
	report($name);
	cmp_ok($browser->run("return document.documentElement.scrollWidth"), "<=", 400, "$name: nothing sticks out of a narrow window");
}

done_testing();
