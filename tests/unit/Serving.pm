# SPDX-License-Identifier: GPL-2.0
#
# Serving.pm: for the tests of kmeter serve: it runs beside the test, and ends with it whatever ends that; files that it reads.
package Serving;
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename;
use POSIX qw(WNOHANG);
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw($kmeter slurp put until_true start serve ended certificate);
our $kmeter = $ENV{KMETER_TEST_KMETER} // dirname(abs_path(__FILE__)) . "/../../build/kmeter";

my %running;
END { if (%running) { my $status = $?; kill("KILL", keys(%running)); waitpid($_, 0) for keys(%running); $? = $status } }

sub slurp {
	my ($path) = @_;
	open(my $from, "<", $path) or return "";
	local $/;
	return <$from> // "";
}

# Whole or not at all, since it may be read meanwhile; its path.
sub put {
	my ($path, $text, $mode) = @_;
	open(my $to, ">", "$path.new") or BAIL_OUT("$path: $!");
	print $to $text;
	close($to);
	chmod($mode, "$path.new") if defined($mode);
	rename("$path.new", $path) or BAIL_OUT("$path: $!");
	return $path;
}

# What is true at last, or nothing after a minute.
sub until_true {
	my ($what) = @_;
	my $end = time() + 60;
	while (time() < $end) {
		my $is = $what->();
		return $is if $is;
		sleep(0.02);
	}
	return;
}

# A program whose output goes to a file: its process.
sub start {
	my ($log, @command) = @_;
	my $pid = fork() // BAIL_OUT("no fork");
	if (!$pid) {
		open(STDOUT, ">", $log);
		open(STDERR, ">&", \*STDOUT);
		exec(@command) or exit(126);
	}
	$running{$pid} = 1;
	return $pid;
}

# It serves: { pid, log, port }; with `status` where it ended at once.
sub serve {
	my ($log, @args) = @_;
	my $s = { pid => start($log, $kmeter, "serve", @args), log => $log };
	until_true(sub {
		if (waitpid($s->{pid}, WNOHANG) == $s->{pid}) {
			$s->{status} = $? >> 8;
			delete($running{$s->{pid}});
			return 1;
		}
		return slurp($log) =~ /^note: (?:serving|writing).*\n/m;
	});
	($s->{port}) = slurp($log) =~ m{serving https?://[^ ]*:(\d+)/metrics};
	return $s;
}

# How it ends.
sub ended {
	my ($s, $signal) = @_;
	kill($signal // "TERM", $s->{pid});
	my $how = until_true(sub { waitpid($s->{pid}, WNOHANG) == $s->{pid} ? "ended " . ($? >> 8) . ($? & 127 ? " by a signal" : "") : undef });
	delete($running{$s->{pid}}) if $how;
	return $how // "still there";
}

# For 127.0.0.1: cert.pem and key.pem in a folder.
sub certificate {
	my ($in) = @_;
	system("openssl req -x509 -newkey rsa:2048 -nodes -keyout '$in/key.pem' -out '$in/cert.pem' -days 30 -subj /CN=localhost " .
	       "-addext subjectAltName=IP:127.0.0.1 2>'$in/openssl'") and BAIL_OUT("no openssl: packaging/install-deps test " . slurp("$in/openssl"));
	chmod(0600, "$in/key.pem");
}

1;
