#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# serve.t: kmeter serve as the real Prometheus sees it, TAP. It scrapes several of them, whose reports are of known samples and change
# while it looks: they grow, are reset, lose events, and one is started again. What it then answers is compared with the samples.
# With KMETER_TRANSCRIPT=FILE the quantiles side by side are written there (docs/prometheus.md shows them).
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use HTTP::Tiny;
use IO::Socket::INET;
use JSON::PP;
use List::Util qw(sum0);
use POSIX qw(ceil);
use lib dirname(abs_path($0)) . "/../unit";
use Known;
use Serving;
use Test::More;
use Time::HiRes qw(sleep);

my $here = dirname(abs_path($0));
my $docs = "$here/../../docs/prometheus";
chomp(my $promtool = `$here/promtool`);
-x $promtool or BAIL_OUT("no promtool");
my $prometheus = dirname($promtool) . "/prometheus";
-x $prometheus or BAIL_OUT("no prometheus beside promtool");
my $tmp = tempdir(CLEANUP => 1);
# ---- reports of known samples: moments of the series `times`, added up ----

my @moment = split(/^/, written("times", "json"));
my %samples;	# {MEASUREMENT}[MOMENT - 1]: list of [VALUE, N]
for my $number (1 .. @moment) {
	for my $m (measured("times", $number)) {
		$samples{$m->{name}}[$number - 1] = [map { map { [$_->[1], $_->[2]] } @$_ } @{$m->{parts}}];
	}
}
my %bits = (vfs_read => 5, vfs_write => 3);

sub of { my ($name, @numbers) = @_; return map { @{$samples{$name}[$_ - 1]} } @numbers }
sub how_many { return sum0(map { $_->[1] } @_) }

# What a table says that holds these moments, when those before it were counted and reset: as kmeter in the kernel would.
sub state_of {
	my ($resets, $before, $now, %missed) = @_;
	put("$tmp/moments.json", join("", @moment[map { $_ - 1 } @$now]));
	my $json = decode_json(`'$kmeter' merge -q '$tmp/moments.json'`);
	for my $m (@{$json->{measurements}}) {
		@$m{qw(interval restarted resets made_ns)} = (JSON::PP::false, JSON::PP::false, $resets, 1000);
		$m->{now_ns} = 2000000000 + 1000000000 * (@$before + @$now);
		my $recorded = how_many(of($m->{name}, @$before));
		my $missed = $missed{$m->{name}} // 0;
		$m->{accounting}{$_} += $missed for "hits", "missed";
		$m->{before} = { (map { $_ => 0 } grep { !/balanced|in_flight/ } keys(%{$m->{accounting}})), hits => $recorded, recorded => $recorded,
				 armed_ns => 1000000000 * @$before } if $resets;
	}
	return JSON::PP->new->canonical->encode($json) . "\n";
}

# The smallest sample that so many of them are not larger than.
sub exact {
	my ($q, @samples) = @_;
	my $rank = ceil($q * how_many(@samples) - 1e-9);
	for (sort { $a->[0] <=> $b->[0] } @samples) {
		$rank -= $_->[1];
		return $_->[0] if $rank <= 0;
	}
}

# ---- Prometheus ----

my $http = HTTP::Tiny->new(timeout => 20);

sub free_port {
	my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 0, Listen => 1) or BAIL_OUT("no port");
	return $s->sockport;
}

sub prometheus {
	my ($name, $config, @args) = @_;
	put("$tmp/$name.yml", $config);
	my $port = free_port();
	start("$tmp/$name.log", $prometheus, "--config.file=$tmp/$name.yml", "--storage.tsdb.path=$tmp/$name.db", "--web.listen-address=127.0.0.1:$port", @args);
	until_true(sub { $http->get("http://127.0.0.1:$port/-/ready")->{success} }) or BAIL_OUT(slurp("$tmp/$name.log"));
	return $port;
}

# The answer to a query, now: {LABELS} = VALUE; with a label, by that alone.
sub query {
	my ($port, $query, $label) = @_;
	my $answer = $http->get("http://127.0.0.1:$port/api/v1/query?" . $http->www_form_urlencode({ query => $query }));
	my $json = eval { decode_json($answer->{content}) } // {};
	return { error => $json->{error} // $answer->{content} } unless ($json->{status} // "") eq "success";
	return { map {
		my $l = $_->{metric};
		(defined($label) ? $l->{$label} // "" : join(",", map { "$_=$l->{$_}" } sort keys %$l)) => $_->{value}[1]
	} @{$json->{data}{result}} };
}

sub one { my ($port, $query) = @_; my @all = values(%{query($port, $query)}); return @all == 1 ? $all[0] : "none or many" }

# ---- two machines, one of them asks for a token, the other by TLS; one more with finer buckets ----

put("$tmp/token", "a-token\n", 0600);
certificate($tmp);
put("$tmp/a.json", state_of(0, [], [1 .. 6]));
put("$tmp/b.json", state_of(0, [], [7 .. 12]));
put("$tmp/groups.json", written("groups", "json"));
put("$tmp/counts.json", written("counts", "json"));
my $a = serve("$tmp/a.log", "--listen", "127.0.0.1:0", "--token-file", "$tmp/token", "$tmp/a.json");
my $b = serve("$tmp/b.log", "--listen", "127.0.0.1:0", "--tls-cert", "$tmp/cert.pem", "--tls-key", "$tmp/key.pem", "$tmp/b.json");
my $fine = serve("$tmp/fine.log", "--listen", "127.0.0.1:0", "--buckets", "1000", "$tmp/a.json");
my $groups = serve("$tmp/groups.log", "--listen", "127.0.0.1:0", "--groups", "2", "$tmp/groups.json");
my $counts = serve("$tmp/counts.log", "--listen", "127.0.0.1:0", "$tmp/counts.json");

my $rules = slurp("$docs/alerts.yml");
$rules =~ s/\[\d+m\]/[10s]/g;	# so that minutes pass in seconds
$rules =~ s/^ +for: .*\n//gm;
put("$tmp/rules.yml", $rules);

sub target {
	my ($instance, $port, $more) = @_;
	return "  - job_name: kmeter-$instance\n    static_configs: [{ targets: [\"127.0.0.1:$port\"], labels: { instance: $instance } }]\n" . ($more // "");
}
my $config = "global: { scrape_interval: 1s, evaluation_interval: 1s }\nrule_files: [$tmp/rules.yml]\nscrape_configs:\n" .
	target("a", $a->{port}, "    authorization: { credentials_file: $tmp/token }\n") .
	target("b", $b->{port}, "    scheme: https\n    tls_config: { ca_file: $tmp/cert.pem }\n") .
	target("fine", $fine->{port}) . target("groups", $groups->{port}) . target("counts", $counts->{port});
my $classic = prometheus("classic", $config);
my $native = prometheus("native", $config, "--enable-feature=native-histograms");

for (["classic", $classic, "count({__name__=~\"kmeter_duration_seconds_count\"}) by (instance)"], ["native", $native, "count(kmeter_duration_seconds) by (instance)"]) {
	my ($name, $port, $query) = @$_;
	ok(until_true(sub { my $up = query($port, "up == 1", "instance"); my $there = query($port, $query, "instance");
			    keys(%$up) == 5 && keys(%$there) == 4 }), "$name: Prometheus scrapes all, with a token, by TLS")
		or diag(explain(query($port, "up")), slurp("$tmp/$name.log"));
}

for (["groups", $groups], ["counts", $counts], ["fine", $fine]) {
	my ($name, $s) = @$_;
	put("$tmp/scrape", $http->get("http://127.0.0.1:$s->{port}/metrics")->{content});
	is(`$promtool check metrics <'$tmp/scrape' 2>&1`, "", "$name: promtool check metrics");
	cmp_ok(-s "$tmp/scrape", ">", 1000, "$name: of a whole scrape");
}

# ---- quantiles, as they are and of two added up ----

# Between which bounds of buckets a value lies, in ns: the quarters, ... of a power of two.
sub classic_bucket {
	my ($value, $k) = @_;
	my $octave = 0;
	$octave++ while $value >> ($octave + 1);
	my $step = $octave > $k ? 1 << ($octave - $k) : 1;
	my $lo = $value - $value % $step;
	return (($lo - 1) / 1e9, ($lo + $step - 1) / 1e9);
}

# Of the native bucket that has the slot of this value: its bounds.
sub native_bucket {
	my ($value, $bits) = @_;
	my ($slot) = slots([[0, $value, 1]], $bits);
	my $scale = 2 ** ($bits + 2 < 8 ? $bits + 2 : 8);
	my $index = ceil(log(sqrt($slot->[0]) * sqrt($slot->[1]) / 1e9) / log(2) * $scale - 1e-9);
	return (2 ** (($index - 1) / $scale), 2 ** ($index / $scale));
}

my @table;
for ([classic => $classic, "a", [1 .. 6], 2], [classic => $classic, "b", [7 .. 12], 2], [classic => $classic, "a|b", [1 .. 12], 2],
     [classic => $classic, "fine", [1 .. 6], undef], [native => $native, "a", [1 .. 6]], [native => $native, "b", [7 .. 12]],
     [native => $native, "a|b", [1 .. 12]]) {
	my ($form, $port, $instance, $moments, $k) = @$_;
	for my $name ("vfs_read", "vfs_write") {
		my @samples = of($name, @$moments);
		my $select = "{instance=~\"$instance\", measurement=\"$name\"}";
		my $of = $form eq "classic" ? "sum by (le) (kmeter_duration_seconds_bucket$select)" : "sum(kmeter_duration_seconds$select)";
		for my $q (0.5, 0.9, 0.99, 0.999) {
			my $exact = exact($q, @samples);
			my $bits = $k // $bits{$name};
			my ($from, $to) = $form eq "classic" ? classic_bucket($exact, $bits) : native_bucket($exact, $bits);
			my $got = one($port, "histogram_quantile($q, $of)");
			my $error = $got =~ /^[0-9.e+-]+$/ ? $got * 1e9 / $exact - 1 : 9;
			my $most = $form eq "classic" ? 2 ** -$bits : 2 ** -$bits / 2 + 2 ** (2 ** -($bits + 2)) - 1;
			ok($got > $from * (1 - 1e-9) && $got < $to * (1 + 1e-9), "$form $instance $name $q: in the bucket that the exact one is in")
				or diag("$got not from $from to $to ($exact ns)");
			cmp_ok(abs($error), "<=", $most, "$form $instance $name $q: within the bound");
			push(@table, sprintf("%-8s %-5s %-10s %-6s %9d %12.1f %+8.2f%% %8.2f%%", $form, $instance, $name, $q, $exact, $got * 1e9, 100 * $error, 100 * $most));
		}
		my ($n, $sum) = (how_many(@samples), sum0(map { $_->[0] * $_->[1] } @samples));
		my ($count_of, $sum_of) = $form eq "classic" ? ("sum(kmeter_duration_seconds_count$select)", "sum(kmeter_duration_seconds_sum$select)")
							     : ("histogram_count($of)", "histogram_sum($of)");
		is(one($port, $count_of), $n, "$form $instance $name: the count is exact");
		cmp_ok(abs(one($port, $sum_of) * 1e9 - $sum), "<=", 1e-9 * $sum, "$form $instance $name: and the sum");
	}
}

is(scalar(keys(%{query($classic, "kmeter_duration_seconds_bucket{instance=\"a\", measurement=\"vfs_read\"}", "le")})), 106, "a histogram has 106 buckets");
is(one($classic, "kmeter_buckets{instance=\"a\", measurement=\"vfs_read\"}"), 106, "and says so");

# ---- it grows, is reset, goes on ----

put("$tmp/a.json", state_of(0, [], [1 .. 8]));
my $a_count = "kmeter_duration_seconds_count{instance=\"a\", measurement=\"vfs_read\"}";
my $eight = how_many(of("vfs_read", 1 .. 8));
ok(until_true(sub { one($classic, $a_count) eq $eight && one($native, "histogram_count(kmeter_duration_seconds{instance=\"a\", measurement=\"vfs_read\"})") eq $eight }),
   "it has grown, and Prometheus has seen it");
put("$tmp/a.json", state_of(1, [1 .. 10], [11 .. 12]));	# of 9 and 10 nobody has seen anything
ok(until_true(sub { one($classic, "kmeter_resets_total{instance=\"a\", measurement=\"vfs_read\"}") eq 1 &&
		    one($native, "kmeter_resets_total{instance=\"a\", measurement=\"vfs_read\"}") eq 1 }), "it was reset, and Prometheus has seen it");
my @seen = of("vfs_read", 1 .. 8, 11 .. 12);
is(one($classic, $a_count), how_many(@seen), "what was seen before the RESET and what came after it are added up");
is(one($native, "histogram_count(kmeter_duration_seconds{instance=\"a\", measurement=\"vfs_read\"})"), how_many(@seen), "in native histograms too");
is(one($classic, "kmeter_unseen_total{instance=\"a\", measurement=\"vfs_read\"}"), how_many(of("vfs_read", 9, 10)), "what nobody saw is known exactly");
is(one($classic, "kmeter_accounting_total{instance=\"a\", measurement=\"vfs_read\", term=\"recorded\"}"), how_many(of("vfs_read", 1 .. 12)), "the accounting has all");
is(one($classic, "max({__name__=~\"kmeter_duration_seconds_(bucket|count|sum)\", instance=\"a\"}) by () * 0 + max(resets(kmeter_duration_seconds_bucket{instance=\"a\"}[5m]))"), 0,
   "no counter went back");
for my $q (0.5, 0.99) {
	my $exact = exact($q, @seen);
	my ($from, $to) = classic_bucket($exact, 2);
	my $got = one($classic, "histogram_quantile($q, sum by (le) (kmeter_duration_seconds_bucket{instance=\"a\", measurement=\"vfs_read\"}))");
	ok($got > $from * (1 - 1e-9) && $got < $to * (1 + 1e-9), "$q over the RESET: in the bucket of the exact one");
}

# ---- the server is started again: what it knew of the first table is gone, and Prometheus takes it for what it is ----

is(ended($a), "ended 0", "it ends when it is told");
$a = serve("$tmp/a2.log", "--listen", "127.0.0.1:$a->{port}", "--token-file", "$tmp/token", "$tmp/a.json");
my $after = how_many(of("vfs_read", 11, 12));
ok(until_true(sub { one($classic, $a_count) eq $after }), "started again it begins with the present table");
is(one($classic, "resets($a_count\[5m])"), 1, "Prometheus sees one counter reset");
my $grown = $eight - how_many(of("vfs_read", 1 .. 6)) + $after + $after;	# from the first scrape on; the second table twice, as it was seen twice
my $increase = one($classic, "increase($a_count\[5m])");
my $scrapes = one($classic, "count_over_time($a_count\[5m])");	# it is extrapolated by half a scrape's time at either end
ok($increase >= $grown && $increase <= $grown * (1 + 1.5 / ($scrapes - 1)), "increase() over it is what came, extrapolated") or diag("$increase, and $grown came");
push(@table, "", sprintf("increase(%s[5m]) over a RESET and a restart: %.0f, and %d came", $a_count, $increase, $grown));

# ---- alerts ----

is(system("$promtool check rules '$docs/alerts.yml' >'$tmp/out' 2>&1"), 0, "alerts.yml: promtool check rules") or diag(slurp("$tmp/out"));
is(system("$promtool check config '$docs/prometheus.yml' >'$tmp/out' 2>&1"), 0, "prometheus.yml: promtool check config") or diag(slurp("$tmp/out"));
put("$tmp/alerts.yml", slurp("$docs/alerts.yml"));
put("$tmp/test.yml", slurp("$here/alerts.test.yml"));
is(system("cd '$tmp' && $promtool test rules test.yml >out 2>&1"), 0, "alerts.yml: promtool test rules") or diag(slurp("$tmp/out"));

sub firing { return query($classic, "ALERTS{alertstate=\"firing\", instance=\"a\"}", "alertname") }
ok(!firing()->{KmeterLosesEvents}, "nothing is lost, no alarm");
my $missed = 0;
ok(until_true(sub {
	$missed += 50;
	put("$tmp/a.json", state_of(1, [1 .. 10], [11 .. 12], vfs_read => $missed));
	sleep(0.5);
	return firing()->{KmeterLosesEvents};
}), "while events are missed KmeterLosesEvents fires");
put("$tmp/a.json", "{");
ok(until_true(sub { firing()->{KmeterCannotRead} }), "a file that is damaged: KmeterCannotRead fires");
put("$tmp/a.json", state_of(1, [1 .. 10], [11 .. 12], vfs_read => $missed));
ok(until_true(sub { one($classic, $a_count) eq $after }), "whole again, the series goes on");
is(one($classic, "ALERTS{alertname=\"KmeterManyGroups\", instance=\"groups\", measurement=\"vfs_read\"}"), 1, "more groups than have series: KmeterManyGroups fires");
is(one($classic, "kmeter_duration_seconds_count{instance=\"groups\", measurement=\"vfs_read\", comm=\"(other)\"}"), 2, "and they are there together");

# ---- the dashboard ----

my $dashboard = decode_json(slurp("$docs/dashboard.json"));
my @queries = map { my $panel = $_; map { [$panel->{title}, $_->{expr}] } @{$panel->{targets}} } @{$dashboard->{panels}};
cmp_ok(scalar(@queries), ">=", 15, "the dashboard has queries");
my %names;
for (@queries) {
	my ($title, $query) = @$_;
	$names{$_} = 1 for $query =~ /\b(kmeter_\w+)/g;
	$query =~ s/\$__rate_interval/5m/g;
	$query =~ s/\$(?:measurement|instance)/.*/g;
	unlike($query, qr/\$/, "$title: no variable that there is not");
	my $answer = query($classic, $query);
	ok(!exists($answer->{error}) && keys(%$answer), "$title: an answer to $query") or diag(explain($answer));
}
for (@{$dashboard->{templating}{list}}) {
	next unless ($_->{type} // "") eq "query";
	my ($metric, $label) = $_->{query} =~ /^label_values\((kmeter_\w+).*, (\w+)\)$/;
	ok(keys(%{query($classic, "count by ($label) ($metric)", $label)}) > 1, "variable $_->{name}: there are some");
}
$names{$_} = 1 for slurp("$docs/alerts.yml") =~ /\b(kmeter_\w+)/g;
$names{$_} = 1 for slurp("$docs/../prometheus.md") =~ /\b(kmeter_\w+(?:_total|_seconds|_bucket|_count|_sum|_info)|kmeter_(?:in_flight|counting|buckets|groups|other_groups))\b/g;
ok(one($classic, "count({__name__=\"$_\"})") =~ /^\d+$/ || one($native, "count({__name__=\"$_\"})") =~ /^\d+$/, "there is a metric $_") for sort(keys(%names));

# ---- what is kept ----

if ($ENV{KMETER_TRANSCRIPT}) {
	my ($version) = `$prometheus --version 2>&1` =~ /^prometheus, version (\S+)/;
	put($ENV{KMETER_TRANSCRIPT}, "Prometheus $version; samples in ns; every quantile is of counters as they are, not of a rate\n\n" .
	    sprintf("%-8s %-5s %-10s %-6s %9s %12s %9s %9s\n", "form", "from", "of", "q", "exact", "Prometheus", "error", "at most") .
	    join("", map { "$_\n" } @table));
	chmod(0644, $ENV{KMETER_TRANSCRIPT});
}
done_testing();
