#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# serve.t: kmeter serve, TAP: the known reports over HTTP in each form, every bucket against the samples; who gets in and what is refused;
# clients that are slow, many, or wrong; the file for node_exporter; the ways it ends.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use lib dirname(abs_path($0));
use Exposition;
use Known;
use Serving;
use Test::More;
use Time::HiRes qw(sleep time);

plan skip_all => "no build/kmeter (make all)" unless -x $kmeter;
my $tmp = tempdir(CLEANUP => 1);
my $logs = 0;
sub begin { return serve("$tmp/log" . ++$logs, @_) }

sub connected {
	my ($s) = @_;
	return IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $s->{port}, Timeout => 10);
}

# The answer to these lines: (STATUS, {HEADER}, BODY). The connection is closed behind it.
sub ask {
	my ($s, $request, %header) = @_;
	my $to = connected($s) or return (0, {}, "");
	print $to "$request HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" . join("", map { "$_: $header{$_}\r\n" } keys(%header)) . "\r\n";
	local $/;
	my $answer = <$to> // "";
	my ($head, $body) = split(/\r\n\r\n/, $answer, 2);
	my ($first, @lines) = split(/\r\n/, $head // "");
	my ($status) = ($first // "") =~ m{^HTTP/1.1 (\d+)};
	return ($status // 0, { map { /^([^:]+): (.*)/ ? (lc($1), $2) : () } @lines }, $body // "");
}

my $openmetrics = "application/openmetrics-text;version=1.0.0";
my $protobuf = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited";

# ---- every known report, in every form ----

# The ends of buckets, in the smallest unit, and by what that is divided, as docs/prometheus.md tells: of times four an octave from 2^8 to
# 2^34 ns, where the histogram is as fine; of other values one, from 1 to 2^63. Where the slots are those of a range: its ends, at least.
sub ends {
	my ($m) = @_;
	return () unless defined($m->{bits});
	my ($from, $to, $k) = $m->{unit} eq "ns" ? (8, 34, $m->{bits} < 2 ? $m->{bits} : 2) : (0, 63, 0);
	my %end;
	for my $octave ($from .. $to - 1) {
		my $step = $octave > $k ? 1 << ($octave - $k) : 1;
		for (my $at = 1 << $octave; $at < 1 << ($octave + 1); $at += $step) {
			$end{$at - 1} = 1;
		}
	}
	$end{$to == 63 ? ~0 >> 1 : (1 << $to) - 1} = 1;
	return sort { $a <=> $b } keys(%end);
}

my %scale = (ns => 1e9, us => 1e6);

sub below {
	my ($samples, $end) = @_;
	my $n = 0;
	$_->[1] <= $end and $n += $_->[2] for @$samples;
	return $n;
}

# What the buckets of each histogram must say: lists of [END, BELOW], of each group one, in any order.
sub wanted_buckets {
	my ($m) = @_;
	my $scale = $scale{$m->{unit}} // 1;
	return map {
		my $samples = $_;
		join(" ", map { sprintf("%.17g:%s", $_ / $scale, below($samples, $_)) } ends($m))
	} @{$m->{parts}} ? @{$m->{parts}} : $m->{by} ? () : [];
}

# By series, of the family's samples of this measurement.
sub got_buckets {
	my ($family, $measurement) = @_;
	my (%series, @order);
	for (@{$family->{samples}}) {
		my ($sample, $labels, $label, $number) = @$_;
		next if $label->{measurement} ne $measurement;
		push(@order, $labels) unless exists($series{$labels});
		$series{$labels} //= "";
		$series{$labels} .= " " . sprintf("%.17g:%s", $label->{le}, $number) if $sample eq "bucket" && $label->{le} ne "+Inf";
	}
	return map { $series{$_} =~ s/^ //r } @order;
}

# Is each native bucket filled with the slots whose middles lie in it, of these samples?
sub native_right {
	my ($metric, $samples, $m) = @_;
	my $schema = $m->{bits} + 2 < 8 ? $m->{bits} + 2 : 8;
	my $zero = below($samples, 0);
	return "schema $metric->{schema}" if $metric->{schema} != $schema;
	return "zero $metric->{zero}" if $metric->{zero} != $zero || $metric->{threshold} <= 0 || $metric->{threshold} > 1e-12;
	my @slots = grep { $_->[1] } slots($samples, $m->{bits});
	for (@{$metric->{native} // []}) {
		my ($index, $n) = @$_;
		my $left = $n;
		while ($left > 0) {
			my $slot = shift(@slots) or return "bucket $index has too many";
			my $middle = sqrt($slot->[0]) * sqrt($slot->[1]) / ($scale{$m->{unit}} // 1);
			my $at = log($middle) / log(2) * 2 ** $schema;
			return "slot $slot->[0] in bucket $index" if $at > $index + 1e-6 || $at < $index - 1 - 1e-6;
			$left -= $slot->[2];
		}
		return "bucket $index splits a slot" if $left;
	}
	return @slots ? "left out: $slots[0][0]" : "";
}

for my $report (known()) {
	my $file = put("$tmp/$report.json", written($report, "json"));
	my $s = begin("--listen", "127.0.0.1:0", $file);
	my ($status, $header, $body) = ask($s, "GET /metrics");
	is("$status $header->{'content-type'}", "200 text/plain; version=0.0.4; charset=utf-8", "$report: text where nothing is asked for");
	my $older = eval { older_exposition($body) };
	is($@, "", "$report: the older text is right");
	($status, $header, $body) = ask($s, "GET /metrics", Accept => $openmetrics);
	is("$status $header->{'content-type'}", "200 application/openmetrics-text; version=1.0.0; charset=utf-8", "$report: OpenMetrics");
	my $text = eval { exposition($body) };
	is($@, "", "$report: it is right");
	($status, $header, my $bytes) = ask($s, "GET /metrics", Accept => $protobuf);
	is("$status $header->{'content-type'}", "200 application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited",
	   "$report: the binary form");
	my $binary = eval { families($bytes) };
	is($@, "", "$report: it is right");

	my (@wanted, @older, @text, @binary, @native);
	for my $m (measured($report)) {
		next if $m->{kind} eq "counts";
		my $name = "kmeter_" . ($m->{kind} eq "duration" ? "duration" : "value");
		my ($family) = grep { /^$name/ && grep({ $_->[2]{measurement} eq $m->{name} } @{$text->{$_}{samples}}) } keys(%$text);
		$family = $name unless defined($family);
		my @metrics = grep { $_->{label}{measurement} eq $m->{name} } @{($binary->{$family} // {})->{metrics}};
		push(@wanted, map { "$m->{name}: $_" } wanted_buckets($m)) unless $report eq "outside";
		push(@text, map { "$m->{name}: $_" } got_buckets($text->{$family}, $m->{name})) unless $report eq "outside";
		push(@older, map { "$m->{name}: $_" } got_buckets($older->{$family}, $m->{name})) unless $report eq "outside";
		push(@binary, map { "$m->{name}: " . join(" ", map { sprintf("%.17g:%s", @$_) } grep { $_->[0] < 9**9**9 } @{$_->{buckets}}) } @metrics)
			unless $report eq "outside";
		for my $metric (@metrics) {
			my ($n, $end) = (0, $metric->{buckets}[-1]);
			push(@native, "the endless bucket") unless $end->[0] == 9**9**9 && $end->[1] == $metric->{count};
			next unless defined($m->{bits});
			# The group whose samples these are: by how many there are and their sum.
			my @fits = grep { my $samples = $_; below($samples, ~0) == $metric->{count} && native_right($metric, $samples, $m) eq "" }
				@{$m->{parts}} ? @{$m->{parts}} : [];
			push(@native, "$m->{name}: " . native_right($metric, $m->{parts}[0] // [], $m)) unless @fits;
			my ($sum) = grep { !$metric->{count} || abs($_ - $metric->{sum}) <= 1e-12 * abs($_) } map { sum($_)->numify() / ($scale{$m->{unit}} // 1) } @fits;
			push(@native, "$m->{name}: sum $metric->{sum}") if $metric->{count} && !defined($sum) && !grep { wrapped($_, $m->{bits}) } @fits;
		}
	}
	is_deeply([sort @text], [sort @wanted], "$report: every bucket is there, and has the samples up to its end");
	is_deeply([sort @older], [sort @wanted], "$report: in the older text too");
	is_deeply([sort @binary], [sort @wanted], "$report: and in the binary form");
	is_deeply(\@native, [], "$report: native buckets hold the slots, counts and sums are the samples'");
	if ($report eq "counts") {
		my @hits = sort { $a <=> $b } map { $_->{value} } @{$binary->{kmeter_hits_total}{metrics}};
		is("@hits", "70 140", "counts: what counts is a counter, a group each");
		is(join(" ", sort { $a <=> $b } map { $_->[3] } @{$text->{kmeter_hits}{samples}}), "@hits", "counts: in the text too");
	}
	my %hits = map { $_->{label}{measurement} => $_->{value} } grep { $_->{label}{term} eq "hits" } @{$binary->{kmeter_accounting_total}{metrics}};
	my %terms;
	$terms{$_->{label}{measurement}} += $_->{value} for grep { ($_->{label}{term} // "") ne "hits" } map { @{$binary->{$_}{metrics}} }
		"kmeter_accounting_total", "kmeter_in_flight";
	is_deeply(\%terms, \%hits, "$report: the terms add up to hits");
	is(ended($s), "ended 0", "$report: SIGTERM ends it");
}

# Bounds are written as Prometheus's own library writes doubles, so that a series is the same whichever form it came by.
my $odd = begin("--listen", "127.0.0.1:0", "$tmp/labels.json");
my %le = map { $_ => 1 } (ask($odd, "GET /metrics"))[2] =~ /,le="([^"]*)"/g;
is_deeply([grep { !$le{$_} } "0.0", "1.0", "3.0", "131071.0", "262143.0", "524287.0", "1.048575e+06", "2.097151e+06", "6.8719476735e+10", "9.223372036854776e+18",
				 "2.55e-07", "1.023e-06", "9.8303e-05", "0.000114687", "1.073741823", "17.179869183", "+Inf"], [], "bounds as doubles are written");
is(ended($odd), "ended 0", "and ends");

# ---- what is asked for ----

my $s = begin("--listen", "127.0.0.1:0", "$tmp/groups.json");
my %form = ("text/plain" => "text", "application/openmetrics-text" => "openmetrics", "application/vnd.google.protobuf" => "protobuf");
for ([undef, "text"], ["", "text"], ["*/*", "text"], ["text/*", "text"], ["text/html", "text"], ["application/json, */*;q=0.1", "text"],
     ["$openmetrics,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", "openmetrics"],
     ["$protobuf,$openmetrics;q=0.8,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", "protobuf"],
     ["$protobuf;q=0.6,$openmetrics;q=0.5,text/plain;version=0.0.4;q=0.7", "text"],
     ["text/plain;q=0.5, application/openmetrics-text", "openmetrics"],
     ["application/openmetrics-text; version=\"1.0.0\"; charset=utf-8", "openmetrics"], ["application/openmetrics-text;version=2.0.0", "text"],
     ["application/openmetrics-text;q=0, text/plain;q=0.1", "text"], ["application/vnd.google.protobuf", "text"],
     ["application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text", "text"],
     ["APPLICATION/OpenMetrics-Text;Version=1.0.0", "openmetrics"], [",;=;,q=,;;", "text"], ["text/plain;q=nonsense, $openmetrics;q=0.1", "openmetrics"]) {
	my ($accept, $wanted) = @$_;
	my ($status, $header) = ask($s, "GET /metrics", defined($accept) ? (Accept => $accept) : ());
	is("$status " . $form{$header->{"content-type"} =~ s/;.*//r}, "200 $wanted", "Accept: " . ($accept // "none"));
}

my ($status, $header, $plain) = ask($s, "GET /metrics");
for (["gzip", 1], ["deflate, gzip;q=0.5", 1], ["*", 1], ["gzip;q=0, *", 0], ["deflate", 0]) {
	my ($accept, $wanted) = @$_;
	my ($status, $header, $body) = ask($s, "GET /metrics", "Accept-Encoding" => $accept);
	is($header->{"content-encoding"} // "", $wanted ? "gzip" : "", "Accept-Encoding: $accept");
	next unless $wanted;
	put("$tmp/packed.gz", $body);
	is(`gzip -dc '$tmp/packed.gz'`, $plain, "and it is the same, unpacked");
	cmp_ok(length($body), "<", length($plain) / 4, "and shorter");
}

($status, $header, my $body) = ask($s, "HEAD /metrics");
is("$status $header->{'content-length'} " . length($body), "200 " . length($plain) . " 0", "HEAD");
for ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW") {
	($status, $header) = ask($s, "$_ /metrics", "Content-Length" => 0);
	is("$status $header->{allow}", "405 GET, HEAD", "$_ is refused");
}
for (["/", 200, qr{/metrics}], ["/-/healthy", 200, qr/there/], ["/x", 404, qr{/metrics}], ["/metrics/", 404, qr/nothing/],
     ["/../../etc/passwd", 404, qr/nothing/], ["/metrics?x=1", 200, qr/^# TYPE/]) {
	my ($path, $wanted, $says) = @$_;
	($status, $header, $body) = ask($s, "GET $path");
	is($status, $wanted, "GET $path: $wanted");
	like($body, $says, "and it says what");
}

# ---- clients that are slow, many, or none ----

my @slow = map { connected($s) } 1 .. 20;
print {$_} "GET /metrics HTTP/1.1\r\nHost: x\r\n" for @slow;	# and no more of it
my $begin = time();
($status, $header, $body) = ask($s, "GET /metrics");
ok($status == 200 && $body eq $plain && time() - $begin < 5, "twenty clients that say nothing more hold nobody up");
my @unread = map { connected($s) } 1 .. 5;
print {$_} "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" for @unread;	# and nobody reads the answer
($status) = ask($s, "GET /metrics");
is($status, 200, "nor five that do not read");
my $keep = connected($s);
for (1 .. 3) {
	print $keep "HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
	my $line = <$keep> // "";
	my $rest;
	do { $rest = <$keep> // "\r\n" } while ($rest ne "\r\n");
	like($line, qr/ 200 /, "a connection serves again and again: $_");
}
my $ended = 0;
until_true(sub {
	for my $slow (@slow) {
		my $select = IO::Select->new($slow);
		$ended++, $slow = undef if $slow && $select->can_read(0) && !sysread($slow, my $byte, 1);
	}
	@slow = grep { defined } @slow;
	return !@slow;
});
is($ended, 20, "after a while the silent ones are shut out");
my @crowd = map { connected($s) } 1 .. 200;
is(scalar(grep { defined } @crowd), 200, "two hundred come");
@crowd = @unread = ();
undef($keep);
ok(until_true(sub { (ask($s, "GET /metrics"))[0] == 200 }), "when they have gone it serves as before");
for my $bad ("\0\0\0\0", "GET\r\n\r\n", "GET /metrics HTTP/9.9\r\n\r\n", "x" x 100000, "GET /metrics HTTP/1.1\r\n" . "X: y\r\n" x 20000) {
	my $to = connected($s);
	local $SIG{PIPE} = "IGNORE";
	print $to $bad;
	close($to);
}
($status) = ask($s, "GET /metrics");
is($status, 200, "nor does what is no HTTP do any harm");

# ---- another is there; a file that is damaged, and whole again ----

my $second = begin("--listen", "127.0.0.1:$s->{port}", "$tmp/groups.json");
is($second->{status}, 3, "the same address again: status 3");
like(slurp($second->{log}), qr/cannot listen at 127\.0\.0\.1:\d+: Address already in use\n +\S.*another port/, "and why, and what to do");

sub value {
	my ($s, $name) = @_;
	my ($status, $header, $body) = ask($s, "GET /metrics");
	my ($value) = $body =~ /^\Q$name\E (\S+)$/m;
	return $value // "none";
}
my $count_of = 'kmeter_duration_seconds_count{measurement="vfs_read",comm="dd"}';
is(value($s, $count_of), 60, "samples of dd");
put("$tmp/groups.json", '{"kmeter": 1, "measurements": [');
is(value($s, $count_of), "none", "a file that is cut short: nothing is made up");
is(value($s, "kmeter_read_errors_total"), 2, "it was tried twice, and says so");
put("$tmp/groups.json", written("groups", "json"));
is(value($s, $count_of), 60, "whole again, it is served again");
like(slurp($s->{log}), qr/groups\.json/, "what was wrong stands on stderr");
is(ended($s, "INT"), "ended 0", "SIGINT ends it");

# ---- a series that somebody is writing ----

my @lines = split(/^/, written("times", "json"));
my @counts = (0);
for my $number (1 .. @lines) {
	push(@counts, $counts[-1]);
	for my $m (grep { $_->{name} eq "vfs_read" } measured("times", $number)) {
		$counts[-1] += below($_, ~0) for @{$m->{parts}};
	}
}
put("$tmp/series.json", $lines[0]);
$s = begin("--listen", "127.0.0.1:0", "$tmp/series.json");
my @got;
for my $n (1, 2, 5, 12) {
	put("$tmp/series.json", join("", @lines[0 .. $n - 1]));
	push(@got, value($s, 'kmeter_duration_seconds_count{measurement="vfs_read"}'));
}
is("@got", "@counts[1, 2, 5, 12]", "a series counts as what it adds up to so far");
$lines[1] =~ s/"resets":0/"resets":1/g;		# in whose second interval there was a RESET
put("$tmp/series.json", join("", @lines[0 .. 11]));
is(value($s, 'kmeter_duration_seconds_count{measurement="vfs_read"}'), $counts[12], "each interval once, whatever was reset between");
is(ended($s), "ended 0", "and ends");

# ---- fewer buckets, fewer groups, some measurements ----

$s = begin("--listen", "127.0.0.1:0", "--buckets", "28", "--groups", "1", "$tmp/groups.json", "vfs_*");
is(value($s, 'kmeter_buckets{measurement="vfs_read"}'), 28, "--buckets: one an octave");
is(value($s, 'kmeter_buckets{measurement="do_filp_open"}'), "none", "a name: the others are left out");
is(value($s, 'kmeter_duration_seconds_count{measurement="vfs_read",comm="md5sum"}'), 75, "--groups 1: the one with the most samples");
is(value($s, 'kmeter_duration_seconds_count{measurement="vfs_read",comm="(other)"}'), 62, "the others are one");
is(value($s, 'kmeter_other_groups{measurement="vfs_read"}'), 2, "of two");
is(ended($s), "ended 0", "and ends");

# ---- where ----

$s = begin("--listen", "0.0.0.0:0", "$tmp/groups.json");
like(slurp($s->{log}), qr/whoever reaches this machine can read/, "for other machines, without a token: a note says so");
is(ended($s), "ended 0", "and ends");
$s = begin("--listen", "0.0.0.0:0", "--token-file", put("$tmp/token", "open-sesame.42/=\n", 0600), "$tmp/groups.json");
like(slurp($s->{log}), qr/token travels in the clear/, "with a token: that it travels in the clear");
is(ended($s), "ended 0", "and ends");
SKIP: {
	skip("no IPv6 here", 2) unless -e "/proc/net/if_inet6" && slurp("/proc/net/if_inet6") =~ /^0{31}1 /;
	$s = begin("--listen", "[::1]:0", "$tmp/groups.json");
	like(slurp($s->{log}), qr{^note: serving http://\[::1\]:\d+/metrics.*\n\z}, "by IPv6, for this machine alone: no note");
	is(ended($s), "ended 0", "and ends");
}

# ---- who gets in ----

my $token = "$tmp/token";
$s = begin("--listen", "127.0.0.1:0", "--token-file", $token, "$tmp/groups.json");
for ([undef, 401], ["Bearer open-sesame.42/=", 200], ["bearer open-sesame.42/=", 200], ["Bearer open-sesame.42/", 401],
     ["Bearer open-sesame.42/=x", 401], ["Bearer ", 401], ["Bearer open-sesame.42/=open-sesame.42/=", 401], ["Basic open-sesame.42/=", 401]) {
	my ($given, $wanted) = @$_;
	($status, $header, $body) = ask($s, "GET /metrics", defined($given) ? (Authorization => $given) : ());
	is($status, $wanted, "a token is asked for; " . ($given // "none") . ": $wanted");
	next if $wanted == 200;
	is($header->{"www-authenticate"}, 'Bearer realm="kmeter"', "it is said which");
	unlike($body, qr/kmeter_/, "and nothing else");
}
($status) = ask($s, "GET /");
is($status, 401, "not the first page either");
($status) = ask($s, "GET /-/healthy");
is($status, 200, "that it is there, everybody may know");
is(ended($s), "ended 0", "and ends");

certificate($tmp);
$s = begin("--listen", "127.0.0.1:0", "--tls-cert", "$tmp/cert.pem", "--tls-key", "$tmp/key.pem", "--token-file", $token, "$tmp/groups.json");
my $client = "openssl s_client -quiet -verify_return_error -CAfile '$tmp/cert.pem' -verify_ip 127.0.0.1 -connect 127.0.0.1:$s->{port}";
put("$tmp/request", "GET /metrics HTTP/1.0\r\nAuthorization: Bearer open-sesame.42/=\r\n\r\n");
my $answer = `$client <'$tmp/request' 2>/dev/null`;
ok(index($answer, $plain) > 0, "by TLS, with the certificate checked, the same");
$answer = `$client -tls1_1 <'$tmp/request' 2>/dev/null`;
is($answer, "", "not by an old TLS");
my $clear = connected($s);
print $clear "GET /metrics HTTP/1.0\r\n\r\n";
unlike(join("", <$clear>), qr/kmeter_/, "and nothing in the clear");
is(ended($s), "ended 0", "and ends");

# ---- the file for node_exporter ----

mkdir("$tmp/text");
$s = begin("--textfile", "$tmp/text/kmeter.prom", "-i", "50ms", "$tmp/groups.json");
ok(!defined($s->{port}), "--textfile alone serves nobody");
is((stat("$tmp/text/kmeter.prom"))[2] & 07777, 0644, "the file can be read by all");
my ($reads, $torn, $other, %written) = (0, 0, 0);
$begin = time();
while (time() - $begin < 1.5) {
	$torn += slurp("$tmp/text/kmeter.prom") ne $plain;
	$written{(Time::HiRes::stat("$tmp/text/kmeter.prom"))[9]} = 1;
	opendir(my $dir, "$tmp/text");
	$other += grep { /\.prom$/ && $_ ne "kmeter.prom" } readdir($dir);
	$reads++;
}
ok($reads > 100 && keys(%written) > 3 && !$torn, "read again and again while it was written, it was always whole");
is($other, 0, "nor was there ever another that ends in .prom");
is(ended($s), "ended 0", "SIGTERM");
is_deeply([glob("$tmp/text/*")], [], "and nothing is left that would go on to say what nobody looks at");
$s = begin("--textfile", "$tmp/text/kmeter.prom", "--listen", "127.0.0.1:0", "$tmp/groups.json");
is((ask($s, "GET /metrics"))[2], slurp("$tmp/text/kmeter.prom"), "with --listen it is served, too");
is(ended($s), "ended 0", "and ends");

# ---- a service manager ----

my $manager = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => "$tmp/notify") or BAIL_OUT("no socket");
$manager->blocking(0);
$ENV{NOTIFY_SOCKET} = "$tmp/notify";
$s = begin("--listen", "127.0.0.1:0", "$tmp/groups.json");
my $told = "";
until_true(sub { $manager->recv($told, 100); $told });
is($told, "READY=1", "the service manager is told");
is(ended($s), "ended 0", "and ends");
$manager->recv($told, 100);
is($told, "STOPPING=1", "which it is told, too");
delete($ENV{NOTIFY_SOCKET});

# ---- what does not go ----

put("$tmp/open", "secret\n", 0644);
put("$tmp/blank", "two words\n", 0600);
put("$tmp/none", "\n", 0600);
my @report = ("--listen", "127.0.0.1:0", "$tmp/groups.json");
for (["--listen", "127.0.0.1", "ADDRESS:PORT"], ["--listen", "1:2:3", "ADDRESS:PORT"], ["--listen", "127.0.0.1:99999", "ADDRESS:PORT"],
     ["--listen", "[::1:80", "ADDRESS:PORT"], ["--listen", "nowhere.invalid:80", "nowhere.invalid"], ["--tls-cert", "$tmp/token", "go together"],
     ["--tls-key", "$tmp/token", "go together"], ["--token-file", "$tmp/open", "everybody can read"], ["--token-file", "$tmp/blank", "without blanks"],
     ["--token-file", "$tmp/none", "without blanks|is empty"], ["--token-file", "$tmp/absent", "No such file"],
     ["--textfile", "$tmp/x.txt", "end in .prom"], ["--textfile", "$tmp/no/x.prom", "No such file"], ["-i", "5", "--textfile"],
     ["--buckets", "3", "4 to 10000"], ["--buckets", "x", "4 to 10000"], ["--groups", "0", "1 or more"], ["$tmp/groups.json", undef, "one file"],
     ["-F", "json", "does not take -F"], ["$tmp/absent.json", undef, "one file"]) {
	my ($option, $value, $says) = @$_;
	my $s = begin(@report, $option, defined($value) ? $value : ());
	is($s->{status} // "it serves", 2, "$option " . ($value // "") . ": status 2");
	like(slurp($s->{log}), qr/$says/, "and why: $says");
}
$s = begin("--listen", "127.0.0.1:0", "$tmp/absent.json");
is($s->{status}, 2, "a file that is not there: status 2");
$s = begin(@report, "--tls-cert", "$tmp/token", "--tls-key", "$tmp/key.pem");
is($s->{status}, 2, "no certificate: status 2");
like(slurp($s->{log}), qr/certificate/, "and what it is about");

# Where the library is not there, that is said, and the file needs none of it.
mkdir("$tmp/lib");
put("$tmp/lib/libmicrohttpd.so.12", "");
{
	local $ENV{LD_LIBRARY_PATH} = "$tmp/lib";
	$s = begin(@report);
	is($s->{status}, 2, "without libmicrohttpd: status 2");
	like(slurp($s->{log}), qr/needs libmicrohttpd.*\n +Debian: apt-get install/, "and what to install");
	$s = begin("--textfile", "$tmp/text/kmeter.prom", "$tmp/groups.json");
	is(slurp("$tmp/text/kmeter.prom"), $plain, "the file for node_exporter is written all the same");
	is(ended($s), "ended 0", "and ends");
}

done_testing();
