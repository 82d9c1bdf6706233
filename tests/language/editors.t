#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# editors.t: packaging/editors, TAP: the words that they know are those of lexer.l, and what they make of scripts. vim itself
# highlights; of the TextMate grammar a small reader here does, with perl's regular expressions: of their constructs only such are
# allowed that Oniguruma, which editors use, has in the same meaning.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;

my $top = abs_path(dirname(abs_path($0)) . "/../..");
my $vim = "$top/packaging/editors/vim";
my $code = "$top/packaging/editors/vscode";
my $tmp = tempdir(CLEANUP => 1);

sub text {
	my ($path) = @_;
	open(my $from, "<", $path) or BAIL_OUT("$path: $!");
	local $/;
	return scalar(<$from>);
}

# ---- the language's words ----

my $lexer = text("$top/grammar/lexer.l") =~ s/^%%\n.*^%%\n.*//smr . "\n" . (split(/^%%$/m, text("$top/grammar/lexer.l")))[1];
my @keywords = $lexer =~ /^"([a-z]+)"\s*\{/mg;
my ($types) = $lexer =~ /^(char\|.*?)\s*\{ TEXT\(TOK_TYPEWORD\)/sm or BAIL_OUT("no types in lexer.l");
$types =~ s/\s+//g;
my @plain = grep { /^\w+$/ } split(/\|/, $types);
my @builtins = text("$top/compiler/plan.h") =~ /X\([A-Z]+, "([a-z]+)", PLAN_/g;
my @calls = (text("$top/compiler/resolve_expr.c") =~ /resolve_calls\[\] = \{ (.*?), NULL/)[0] =~ /"(\w+)"/g;
cmp_ok(scalar(@keywords), ">", 25, "the lexer's keywords");
cmp_ok(scalar(@plain), ">", 8, "and types");
cmp_ok(scalar(@builtins), ">", 9, "and built-ins");
cmp_ok(scalar(@calls), ">", 3, "and calls");

my $syntax = text("$vim/syntax/kmeter.vim");
sub of_vim {
	my ($group) = @_;
	my @words;
	for ($syntax =~ /^syntax keyword kmeter(?:$group) (.*)$/mg) {
		push(@words, grep { !/=/ && !/^(skipwhite|skipempty|contained)$/ } split(/ /));
	}
	return join(" ", sort @words);
}

sub of_code {
	my (@regexes) = @_;
	my %words;
	for my $regex (@regexes) {
		my ($list) = $regex =~ /^\\b\(?([A-Za-z_|]+)\)?\\b/ or next;
		$words{$_} = 1 for split(/\|/, $list);
	}
	return join(" ", sort keys %words);
}

my $grammar = eval { decode_json(text("$code/syntaxes/kmeter.tmLanguage.json")) };
ok($grammar, "kmeter.tmLanguage.json is JSON") or BAIL_OUT("$@");
my $repository = $grammar->{repository};
is(of_vim("Statement|Place|Option|Structure"), join(" ", sort @keywords), "vim: the keywords of lexer.l, each once");
is(of_vim("Builtin"), join(" ", sort @builtins), "vim: the built-ins");
is(of_vim("Call"), join(" ", sort @calls), "vim: the calls");
my ($list) = $syntax =~ /let s:keywords = (.*?)\nexecute/s;
my %structures = map { $_ => 1 } qw(struct union enum);
is(join(" ", sort(($list =~ s/\\\|/ /gr) =~ /([a-z]+)/g)), join(" ", sort grep { !$structures{$_} } @keywords), "vim: what is no point");
my $others = join("|", grep { !$structures{$_} } @keywords);
my @regexes = map { $_->{match} } map { $_->{patterns} ? @{ $_->{patterns} } : $_ } @$repository{qw(pointed parameters choices structures keywords)};
is(of_code(@regexes), join(" ", sort @keywords), "TextMate: the keywords of lexer.l");
is(of_code($repository->{builtins}{patterns}[0]{match}), join(" ", sort @builtins), "TextMate: the built-ins");
is(of_code($repository->{builtins}{patterns}[1]{match}), join(" ", sort @calls), "TextMate: the calls");
for my $i (0, 1) {
	my ($not) = $repository->{pointed}{patterns}[$i]{match} =~ /\(\?!\(\?:([a-z|]+)\)/;
	is(join(" ", sort split(/\|/, $not)), join(" ", sort grep { !$structures{$_} } @keywords), "TextMate: what is no point");
}

# Of types the lexer has expressions: every word that could be meant, by all three.
my %vim_types = map { $_ => 1 } split(/ /, of_vim("Type"));
my ($vim_type) = $syntax =~ m,^syntax match kmeterType /\\<\\h\\w\*_t\\>/,m or fail("vim: words in _t");
my $code_type = $repository->{types}{match};
my @differ;
for my $before ("", "_", "__", "___") {
	for my $middle ("u", "s", "le", "be", "x", @plain, "pid_t", "xt", "size_t") {
		for my $after ("", 4, 8, 16, 32, 64, 128) {
			my $word = "$before$middle$after";
			my $is = $word =~ /^(?:$types)$/ ? 1 : 0;
			push(@differ, "vim: $word") if ($vim_types{$word} || $word =~ /_t$/ ? 1 : 0) != $is;
			push(@differ, "TextMate: $word") if ($word =~ /^$code_type$/ ? 1 : 0) != $is;
		}
	}
}
is_deeply(\@differ, [], "types are the lexer's");

# ---- the TextMate grammar ----

for my $file ("package.json", "language-configuration.json") {
	ok(eval { decode_json(text("$code/$file")) }, "$file is JSON");
}
my $package = decode_json(text("$code/package.json"));
is_deeply([grep { !-f "$code/$_" } $package->{contributes}{languages}[0]{configuration}, $package->{contributes}{grammars}[0]{path}], [],
	"the files that package.json names are there");
is($package->{contributes}{grammars}[0]{scopeName}, $grammar->{scopeName}, "one scope");
my ($version) = text("$top/Makefile") =~ /^VERSION := (\S+)/m;
is($package->{version}, $version, "kmeter's version");

my @all;
sub collect {
	my ($node) = @_;
	if (ref($node) eq "HASH") {
		push(@all, map { $node->{$_} } grep { defined($node->{$_}) && !ref($node->{$_}) } qw(match begin end));
		collect($_) for values %$node;
	} elsif (ref($node) eq "ARRAY") {
		collect($_) for @$node;
	}
}
collect($grammar);
for my $regex (@all, decode_json(text("$code/language-configuration.json"))->{wordPattern}) {
	ok(eval { qr/$regex/ }, "compiles: $regex");
	my $rest = $regex =~ s/\\[bs.?+*\\{}|()\$\[\]]//gr =~ s/\(\?(?::|!|<!|=)//gr;
	unlike($rest, qr/\\|\(\?|[*+?}]\+/, "and means the same to Oniguruma");
}
for my $name (map { $_->{include} } @{ $grammar->{patterns} }) {
	ok($repository->{ $name =~ s/^#//r }, "$name is there");
}

# Patterns in order, the earliest match wins, the first of several at one place.
sub flat {
	my ($patterns) = @_;
	return map { $_->{include} ? flat([$repository->{ substr($_->{include}, 1) }]) : $_->{patterns} && !$_->{begin} ? flat($_->{patterns}) : $_ } @$patterns;
}

# For each byte of a text its scope.
sub scopes {
	my ($source) = @_;
	my @scope = ("") x length($source);
	my ($inside, $start) = (undef, 0);
	for my $line (split(/(?<=\n)/, $source)) {
		my $at = 0;
		while ($at <= length($line)) {
			my ($best, $from, $to, @from, @to);
			for my $p ($inside ? ({ end => $inside->{end} }, flat($inside->{patterns} // [])) : flat($grammar->{patterns})) {
				my $regex = $p->{match} // ($inside && !$p->{begin} ? $p->{end} : $p->{begin});
				pos($line) = $at;
				next unless $line =~ /$regex/g;
				next if $best && $-[0] >= $from;
				($best, $from, $to, @from) = ($p, $-[0], $+[0], @-);
				@to = @+;
			}
			my $until = $best ? $from : length($line);
			$inside and $scope[$start + $_] = $inside->{name} for $at .. $until - 1;
			last if !$best;
			my $name = $best->{name} // ($inside ? $inside->{name} : "");
			$scope[$start + $_] = $name for $from .. $to - 1;
			for my $group (sort keys %{ $best->{captures} // {} }) {
				next if !defined($from[$group]);
				$scope[$start + $_] = $best->{captures}{$group}{name} for $from[$group] .. $to[$group] - 1;
			}
			$inside = $best->{begin} ? $best : $inside && !$best->{match} ? undef : $inside;
			$at = $to > $at ? $to : $to + 1;
		}
		$start += length($line);
	}
	return @scope;
}

# ---- what both make of chosen words: line, the word, vim's group, TextMate's scope ----

my @chosen = (
	["measure vfs_read by comm", "measure", "Statement", "keyword.control.statement"],
	["measure vfs_read by comm", "vfs_read", "Point", "entity.name.function.point"],
	["measure vfs_read by comm", "by", "Option", "keyword.other.option"],
	["measure vfs_read by comm", "comm", "Builtin", "variable.language"],
	["measure from a to b", "from", "Place", "keyword.control.place"],
	["measure from a to b", "a", "Point", "entity.name.function.point"],
	["measure from tp:sched:sched_switch key \$next->pid", "tp:sched:sched_switch", "Point", "entity.name.function.point"],
	["measure from x key \$next->pid", "\$next", "Argument", "variable.parameter"],
	["count x by \$p->count", "count", "Member", "variable.other.member", -1],
	["count x by \$p.by", "by", "Member", "variable.other.member", -1],
	["measure value \$x at y", "value", "Place", "keyword.control.place"],
	["measure from_here", "from_here", "Point", "entity.name.function.point"],
	["count by:return", "by:return", "Point", "entity.name.function.point"],
	["measure \"count\"", "count", "PointText", "string.quoted.double", -1],
	["count x if elapsed > 10us", "10us", "Duration", "constant.numeric.duration"],
	["measure x range 0..20 bits 3", "20", "Number", "constant.numeric"],
	["measure x range 0..20 bits 3", "3", "Number", "constant.numeric"],
	["measure x range 0..4K", "4K", "Size", "constant.numeric"],
	["count x by ((struct sock *)\$s)->x", "sock", "Tag", "entity.name.type"],
	["count x by (u64)\$s", "u64", "Type", "storage.type"],
	["count x by (pid_t)\$s", "pid_t", "Type", "storage.type"],
	["count x by ntohs(\$s)", "ntohs", "Call", "support.function"],
	["count x name \"a {kind} b\"", "kind", "Parameter", "variable.parameter"],
	["count x name \"a {kind} b\"", "a", "Text", "string.quoted.double"],
	["param kind = 1 \"what\"", "kind", "Name", "variable.parameter"],
	["param bits = 1 \"what\"", "bits", "Name", "variable.parameter"],
	["count x via direct|kprobe", "kprobe", "Choice", "constant.language"],
	["measure x clock ticks", "ticks", "Choice", "constant.language"],
	["measure x of page-faults by comm", "page-faults", "Counter", "constant.other.counter"],
	["watch jiffies:8 write by comm", "write", "Mode", "keyword.other.option"],
	["watch a[3].b rw", "a[3].b", "Point", "entity.name.function.point"],
	["profile vfs_read time", "time", "Mode", "keyword.other.option"],
	["count fs/read_write.c:468", "fs/read_write.c:468", "Point", "entity.name.function.point"],
	["count x # measure y", "measure", "Comment", "comment.line.number-sign"],
	["count x // measure y", "measure", "Comment", "comment.line.double-slash"],
	["count x /* measure */ by cpu", "measure", "Comment", "comment.block"],
	["count x /* measure */ by cpu", "cpu", "Builtin", "variable.language"],
	["count x by a/b", "b", "", ""],
	["count x if comm == 'a'", "'a'", "Character", "constant.character"],
	["count x if \$a += 1", "+=", "BadSign", "invalid.illegal"],
	["count x if elapsed > 1.5s", "1.5s", "BadNumber", "invalid.illegal"],
	["count x { }", "{", "BadSign", "invalid.illegal"],
);

# Where the word is: its last place for -1, else its first as a whole word.
sub place {
	my ($line, $word, $which) = @_;
	return rindex($line, $word) if $which;
	$line =~ /(?<![\w\$])\Q$word\E(?!\w)/ or die("$word in $line");
	return $-[0];
}

for my $c (@chosen) {
	my ($line, $word, $group, $scope, $which) = @$c;
	my @scope = scopes("$line\n");
	my $from = place($line, $word, $which);
	my %there = map { ($scope[$_] =~ s/\.kmeter$//r) => 1 } $from .. $from + length($word) - 1;
	is(join(" ", sort keys %there), $scope, "TextMate: $word in $line");
}

# ---- vim ----

my @scripts = (glob("$top/examples/*/*.km"), glob("$top/tests/scripts/*.km"), glob("$top/tests/language/ok.*.km"));
cmp_ok(scalar(@scripts), ">", 30, "scripts");
for my $script (@scripts) {
	my $source = text($script);
	next if $script =~ /\/ok\./;		# of these the strangest of the language: vim's to read
	my @scope = scopes($source);
	my @wrong = grep { $scope[$_] =~ /invalid/ } 0 .. $#scope;
	is(scalar(@wrong), 0, "TextMate: nothing is wrong in " . basename($script)) or diag(substr($source, $wrong[0], 30));
}

sub put {
	my ($path, $text) = @_;
	open(my $to, ">", $path) or BAIL_OUT("$path: $!");
	print $to $text;
	close($to);
}

# Each run of one group, "FILE LINE COLUMN GROUP", for all files in one vim.
sub vim {
	my (@files) = @_;
	put("$tmp/run.vim", <<"");
filetype plugin on
syntax on
let s:out = []
for s:file in readfile('$tmp/files')
	execute 'edit ' . fnameescape(s:file)
	call add(s:out, join([s:file, 0, 0, &filetype . '/' . &commentstring]))
	for s:line in range(1, line('\$'))
		let s:last = '?'
		for s:column in range(1, col([s:line, '\$']) - 1)
			let s:group = synIDattr(synID(s:line, s:column, 1), 'name')
			if s:group !=# s:last
				call add(s:out, join([s:file, s:line, s:column, s:group]))
				let s:last = s:group
			endif
		endfor
	endfor
endfor
call writefile(s:out, '$tmp/out')
qall!

	put("$tmp/files", join("", map { "$_\n" } @files));
	unlink("$tmp/out");
	my $said = `vim -es -i NONE -u NONE -N --cmd 'set runtimepath^=$vim' -S $tmp/run.vim 2>&1 </dev/null`;
	BAIL_OUT("vim: $said") if !-f "$tmp/out";
	is($said, "", "vim says nothing");
	my %groups;
	for (split(/\n/, text("$tmp/out"))) {
		my ($file, $line, $column, $group) = split(/ /, $_, 4);
		push(@{ $groups{$file} }, [$line, $column, $group]);
	}
	return \%groups;
}

SKIP: {
	skip("no vim with syntax", 1) if `vim --version 2>/dev/null` !~ /\+syntax/;
	my @files;
	for my $i (0 .. $#chosen) {
		put("$tmp/$i.km", "$chosen[$i][0]\n");
		push(@files, "$tmp/$i.km");
	}
	put("$tmp/open.km", "count x name \"no end\n");
	my $groups = vim(@files, "$tmp/open.km", @scripts);
	is($groups->{$files[0]}[0][2], "kmeter/# %s", "vim: what the file is, and its comments");
	for my $i (0 .. $#chosen) {
		my ($line, $word, $group, undef, $which) = @{ $chosen[$i] };
		my $from = place($line, $word, $which) + 1;
		my ($at) = map { $_->[2] } grep { $_->[0] == 1 && $_->[1] <= $from } reverse @{ $groups->{$files[$i]} };
		is($at, $group && "kmeter$group", "vim: $word in $line");
		my @inside = grep { $_->[0] == 1 && $_->[1] > $from && $_->[1] < $from + length($word) } @{ $groups->{$files[$i]} };
		is(scalar(@inside), 0, "all of it");
	}
	ok(scalar(grep { $_->[2] eq "kmeterOpenText" } @{ $groups->{"$tmp/open.km"} }), "vim: a quote that does not end");
	my %error = map { $_ => 1 } $syntax =~ /^highlight default link (\w+) Error$/mg;
	cmp_ok(scalar(keys %error), ">", 2, "vim: groups of errors");
	for my $script (@scripts) {
		my @wrong = grep { $error{ $_->[2] } } @{ $groups->{$script} };
		is(scalar(@wrong), 0, "vim: nothing is wrong in " . basename($script)) or diag("line $wrong[0][0], column $wrong[0][1]: $wrong[0][2]");
	}
	# Every group is linked, so that it shows.
	my %linked = map { $_ => 1 } $syntax =~ /^highlight default link (\w+) /mg;
	is_deeply([grep { !$linked{$_} && $_ ne "kmeterMember" } $syntax =~ /^(?:execute ')?syntax (?:keyword|match|region) (\w+)/mg], [], "vim: all groups have a colour, but members");
}
done_testing();
