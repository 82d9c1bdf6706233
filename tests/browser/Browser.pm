# SPDX-License-Identifier: GPL-2.0
#
# Browser.pm: a headless chromium, told what to do by WebDriver (chromedriver), with perl's own modules alone.
package Browser;
use strict;
use warnings;
use File::Temp qw(tempdir);
use HTTP::Tiny;
use JSON::PP;
use MIME::Base64 qw(decode_base64);
use POSIX ();

my @open;
my $json = JSON::PP->new->utf8->allow_nonref;

sub new {
	my ($class, $width, $height) = @_;
	my $self = bless { http => HTTP::Tiny->new(timeout => 60), home => tempdir(CLEANUP => 1) }, $class;
	local $ENV{HOME} = $self->{home};	# what it writes there goes with it
	$self->{pid} = open(my $from, "-|") // die "fork: $!";
	if (!$self->{pid}) {
		setpgrp(0, 0);
		exec("chromedriver", "--port=0") or POSIX::_exit(127);
	}
	$self->{out} = $from;
	push(@open, $self);
	while (<$from>) {
		last if ($self->{port}) = /started successfully on port (\d+)/;
	}
	$self->{port} or die "chromedriver did not start";
	my @args = ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1", "--user-data-dir=$self->{home}/chromium");
	push @args, "--no-sandbox" if $> == 0;	# root's has none
	my $session = $self->ask(POST => "/session", { capabilities => { alwaysMatch => {
		browserName => "chrome", "goog:chromeOptions" => { args => \@args },
		"goog:loggingPrefs" => { browser => "ALL", performance => "ALL" } } } });
	$self->{session} = $session->{sessionId};
	$self->size($width // 1240, $height // 900);
	return $self;
}

# However the test ends, a die included: while all that is needed for it is still there.
END {
	local ($?, $@, $!);
	for my $self (@open) {
		eval { $self->ask(DELETE => "") } if $self->{session};
		kill TERM => -$self->{pid};	# its browser too, should that not have heard
		close($self->{out});
	}
}

# What the driver answers; dies with what it complains of.
sub ask {
	my ($self, $method, $path, $body) = @_;
	my $to = "http://127.0.0.1:$self->{port}" . ($self->{session} ? "/session/$self->{session}" : "") . $path;
	my $sent = $body ? { content => $json->encode($body), headers => { "content-type" => "application/json" } } : {};
	my $answer = $self->{http}->request($method, $to, $sent);
	my $got = eval { $json->decode($answer->{content})->{value} };
	die "$method $path: " . ($got->{message} // $answer->{content}) . "\n" unless $answer->{success};
	return $got;
}

sub size {
	my ($self, $width, $height) = @_;
	$self->devtools("Emulation.setDeviceMetricsOverride",
		{ width => $width + 0, height => $height + 0, deviceScaleFactor => 1, mobile => JSON::PP::false });
}

sub devtools {
	my ($self, $command, $params) = @_;
	return $self->ask(POST => "/goog/cdp/execute", { cmd => $command, params => $params // {} });
}

# "light" or "dark": what the reader's system is said to have.
sub scheme {
	my ($self, $scheme) = @_;
	$self->devtools("Emulation.setEmulatedMedia", { features => [{ name => "prefers-color-scheme", value => $scheme }] });
}

sub open_file {
	my ($self, $path) = @_;
	$self->ask(POST => "/url", { url => "file://$path" });
}

# The value of a JavaScript function's body.
sub run {
	my ($self, $script, @args) = @_;
	return $self->ask(POST => "/execute/sync", { script => $script, args => \@args });
}

# What the page's console, and the browser about the page, said since the last call.
sub complaints {
	my ($self) = @_;
	return map { $_->{message} } @{$self->ask(POST => "/se/log", { type => "browser" })};
}

# What was asked of files and networks since the last call; data: is in the page itself.
sub requests {
	my ($self) = @_;
	my @events = map { $json->decode($_->{message})->{message} } @{$self->ask(POST => "/se/log", { type => "performance" })};
	return grep { !/^data:/ } map { $_->{params}{request}{url} } grep { $_->{method} eq "Network.requestWillBeSent" } @events;
}

# The mouse itself, in the coordinates of the window.
sub move {
	my ($self, $x, $y) = @_;
	$self->act({ type => "pointerMove", duration => 0, x => int($x), y => int($y) });
}

sub click {
	my ($self, $x, $y) = @_;
	$self->act({ type => "pointerMove", duration => 0, x => int($x), y => int($y) },
		{ type => "pointerDown", button => 0 }, { type => "pointerUp", button => 0 });
}

# A key, by WebDriver's code of it.
sub press {
	my ($self, $key) = @_;
	$self->ask(POST => "/actions", { actions => [{ type => "key", id => "keyboard",
		actions => [{ type => "keyDown", value => $key }, { type => "keyUp", value => $key }] }] });
}

sub act {
	my ($self, @actions) = @_;
	$self->ask(POST => "/actions", { actions => [{ type => "pointer", id => "mouse",
		parameters => { pointerType => "mouse" }, actions => \@actions }] });
}

# The whole page, however long it is, or its first $height points.
sub picture {
	my ($self, $path, $width, $height) = @_;
	my $full = $height // $self->run("return document.documentElement.scrollHeight");
	$self->size($width, $full);
	select(undef, undef, undef, 0.3);	# charts follow the size by an observer
	my $data = decode_base64($self->ask(GET => "/screenshot"));
	open(my $to, ">:raw", $path) or die "$path: $!";
	print $to $data;
	close($to) or die "$path: $!";
}

1;
