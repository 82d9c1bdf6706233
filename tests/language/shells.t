#!/usr/bin/env zsh
# SPDX-License-Identifier: GPL-2.0
#
# shells.t: completion as it is typed into bash, zsh and fish, TAP. bash and zsh run at a terminal of their own (zpty): a line is
# typed, TAB pressed, what then stands there is given to a function that shows its words. fish answers complete -C.
emulate -R zsh
zmodload zsh/zpty || { print "1..0 # SKIP no zsh/zpty"; exit 0 }

here=${0:A:h}
top=${here:h:h}
kmeter=${KMETER_TEST_KMETER:-$top/build/kmeter}
tmp=$(mktemp -d)
trap 'rm -rf $tmp' EXIT
mkdir -p $tmp/bin $tmp/library/a $tmp/here/sub
ln -s ${kmeter:A} $tmp/bin/kmeter
path=($tmp/bin $path)
print '# One of two.\nparam functions = "vfs_*" "what to measure"\nparam most = 3 "a number"\nmeasure "{functions}" top most' > $tmp/library/a/first.km
print '# The other.\ncount vfs_read' > $tmp/library/a/second.km
print 'count vfs_read' > "$tmp/here/own file.km"
print x > $tmp/here/own.txt
$here/kernel/make $tmp/root || { print "Bail out! cannot make the small kernel"; exit 1 }
root=$tmp/root
export KMETER_LIBRARY=$tmp/library KMETER_CACHE=$tmp/cache
export HOME=$tmp/home LC_ALL=C.UTF-8 TERM=dumb
mkdir -p $HOME $KMETER_CACHE/kernel
cd $tmp/here

integer count=0 failed=0
check() {	# NAME GOT WANTED
	(( ++count ))
	if [[ $2 == $3 ]]; then
		print -r -- "ok $count - $1"
	else
		(( ++failed ))
		print -r -- "not ok $count - $1"
		print -r -- "# got    ${(qqqq)2}"
		print -r -- "# wanted ${(qqqq)3}"
	fi
}

# Until $2 has come, at most ten seconds; what has come by then is in $heard.
listen() {
	local piece
	float end=$(( SECONDS + 10 ))
	heard=
	while (( SECONDS < end )); do
		if zpty -rt $1 piece; then
			heard+=$piece
			[[ $heard == ${~2} ]] && return 0
		else
			sleep 0.02
		fi
	done
	return 1
}
typeset -F SECONDS

start() {	# SHELL
	zpty -b $1 "stty -echo cols 200 rows 50; cd $tmp/here; exec $*"
	case $1 in
	bash)	zpty -w $1 "PS1='R'EADY; unset HISTFILE; bind 'set bell-style none' 'set enable-bracketed-paste off' 'set page-completions off' 'set completion-query-items 0'; source $top/packaging/completion/kmeter.bash"
		zpty -w $1 "show() { printf %s \"\$READLINE_LINE\" > $tmp/got; READLINE_LINE=; echo DO''NE; }; bind -x '\"\\C-t\": show'" ;;
	zsh)	zpty -w $1 "PS1=RE''ADY RPS1= PROMPT_EOL_MARK=; bindkey -e; unsetopt beep; fpath=($top/packaging/completion \$fpath); autoload -Uz compinit; compinit -D -u"
		zpty -w $1 "show() { printf %s \"\$BUFFER\" > $tmp/got; BUFFER=; zle -I; echo DO''NE; }; zle -N show; bindkey '^T' show" ;;
	esac
	zpty -w $1 'echo READ""Y'
	listen $1 '*READY*' || { print "Bail out! $1 does not begin: ${(qqqq)heard}"; exit 1 }
}

# The words of the line after TAB and $3, as the shell would give them; a quote that is open ends there.
typed() {	# SHELL LINE [MORE]
	local line end
	local -a words

	rm -f $tmp/got
	REPLY=
	zpty -n -w $1 "$2"$'\t'
	zpty -n -w $1 "${3-}"$'\x14'
	if ! listen $1 '*DONE*'; then
		print -r -- "# nothing came: ${(qqqq)heard}"
		return
	fi
	line=$(<$tmp/got)
	for end in '' \' \"; do
		if ( eval "words=( $line$end )" ) 2>/dev/null; then
			eval "words=( $line$end )"
			REPLY="<${(j:><:)words}>"
			return
		fi
	done
	REPLY="no words: $line"
}

# By both shells: a line, TAB, and what the program gets.
both() {	# WHAT LINE END WANTED
	local shell
	for shell in bash zsh; do
		typed $shell "$2" "$3"
		check "$shell: $1" "$REPLY" "$4"
	done
}

start bash --norc --noprofile -i
start zsh -f -i

both 'a verb' 'kmeter chec' '' '<kmeter><check>'
both 'an option' 'kmeter list --asc' '' '<kmeter><list><--ascii>'
both 'an option with a value: nothing behind the sign' 'kmeter -e x --dum' 'c' '<kmeter><-e><x><--dump=c>'
both 'a value behind =' 'kmeter show --color=alw' '' '<kmeter><show><--color=always>'
both 'a value of its own' 'kmeter show --color alw' '' '<kmeter><show><--color><always>'
both 'as far as two agree' 'kmeter show --color=a' 'lways' '<kmeter><show><--color=always>'
both 'a script by name' 'kmeter run a/f' '' '<kmeter><run><a/first>'
both 'a file, with a blank' 'kmeter run ./ow' '' '<kmeter><run><./own file.km>'
both 'no file of another kind' 'kmeter run ./own.' '' '<kmeter><run><./own.>'
both 'a folder' 'kmeter run ./su' 'x' '<kmeter><run><./sub/x>'
both 'any file' 'kmeter show -o own.' '' '<kmeter><show><-o><own.txt>'
both 'a folder behind =' 'kmeter -e x --sysroot=su' 'x' '<kmeter><-e><x><--sysroot=sub/x>'
both 'a parameter' 'kmeter run a/first fun' 'x' '<kmeter><run><a/first><functions=x>'
both 'its value behind =' "kmeter --sysroot $root check a/first functions=vfs_creat" '' "<kmeter><--sysroot><$root><check><a/first><functions=vfs_create>"
both 'its value in quotes behind =' "kmeter --sysroot $root check a/first functions='vfs_creat" '' "<kmeter><--sysroot><$root><check><a/first><functions=vfs_create>"
both 'a parameter and its value in quotes' "kmeter --sysroot $root check a/first 'functions=vfs_creat" '' "<kmeter><--sysroot><$root><check><a/first><functions=vfs_create>"
both 'a function' "kmeter --sysroot $root -l vfs_creat" '' "<kmeter><--sysroot><$root><-l><vfs_create>"
both 'behind the letter' "kmeter --sysroot $root -lvfs_creat" '' "<kmeter><--sysroot><$root><-lvfs_create>"
both 'of a module, behind a colon' "kmeter --sysroot $root -l nf_tables:nft_do" '' "<kmeter><--sysroot><$root><-l><nf_tables:nft_do_chain>"
both 'a tracepoint, behind two' "kmeter --sysroot $root -l tp:sched:sched_sw" '' "<kmeter><--sysroot><$root><-l><tp:sched:sched_switch>"
both 'its system: nothing behind the colon' "kmeter --sysroot $root -l tp:sche" ':x' "<kmeter><--sysroot><$root><-l><tp:sched:x>"
both 'a pattern of the library is quoted' 'kmeter library a/\*' '' '<kmeter><library><a/*>'
both 'a pattern in quotes' "kmeter --sysroot $root -l 'vfs_creat" '' "<kmeter><--sysroot><$root><-l><vfs_create>"
both 'a word of a script, in single quotes' "kmeter --sysroot $root -e 'measure vfs_creat" '' "<kmeter><--sysroot><$root><-e><measure vfs_create>"
both 'in double ones' "kmeter --sysroot $root -e \"measure vfs_creat" '' "<kmeter><--sysroot><$root><-e><measure vfs_create>"
both 'a point with colons in a script' "kmeter --sysroot $root -e 'count tp:sched:sched_sw" '' "<kmeter><--sysroot><$root><-e><count tp:sched:sched_switch>"
both 'a keyword' "kmeter -e 'measure vfs_read entr" '' '<kmeter><-e><measure vfs_read entries>'
both 'a built-in behind a $name' "kmeter -e 'count vfs_read by \$file, co" 'mm' '<kmeter><-e><count vfs_read by $file, comm>'
both 'the same in double quotes' 'kmeter -e "count vfs_read by \$file, cal' '' '<kmeter><-e><count vfs_read by $file, caller>'
both 'a point in the script'\''s own quotes' "kmeter --sysroot $root -e 'count \"vfs_creat" '"' "<kmeter><--sysroot><$root><-e><count \"vfs_create\">"
both 'a command behind --' 'kmeter -e x -- kmete' '' '<kmeter><-e><x><--><kmeter>'
both 'nothing where nothing can be' 'kmeter run nosuch' '' '<kmeter><run><nosuch>'
typed bash 'true; kmeter chec' ''
check 'bash: the second command of a line' "$REPLY" '<true><kmeter><check>'
# Nothing is written to the terminal where nothing fits, whatever is wrong.
for shell in bash zsh; do
	zpty -n -w $shell "kmeter -l --sysroot /nosuch vfs_creat"$'\t'
	sleep 0.3
	zpty -n -w $shell $'\x14'
	listen $shell '*DONE*'
	check "$shell: no message" "${heard[(I)kmeter: ]}" 0
done
zpty -d bash zsh

# With bash-completion others ask us (sudo), and we ask others (behind --), who count words as bash cuts them.
more=/usr/share/bash-completion/bash_completion
if [[ -r $more ]]; then
	zpty -b more "stty -echo cols 200 rows 50; cd $tmp/here; exec bash --norc --noprofile -i"
	zpty -w more "PS1='R'EADY; unset HISTFILE; bind 'set bell-style none' 'set enable-bracketed-paste off'; source $more; source $top/packaging/completion/kmeter.bash"
	zpty -w more "show() { printf %s \"\$READLINE_LINE\" > $tmp/got; READLINE_LINE=; echo DO''NE; }; bind -x '\"\\C-t\": show'"
	zpty -w more 'echo READ""Y'
	listen more '*READY*' || { print "Bail out! bash does not begin with bash-completion: ${(qqqq)heard}"; exit 1 }
	with_more() {	# WHAT LINE WANTED
		typed more "$2"
		check "bash-completion: $1" "$REPLY" "$3"
	}
	with_more 'behind sudo' 'sudo kmeter show --color=alw' '<sudo><kmeter><show><--color=always>'
	with_more 'a script behind sudo' "sudo kmeter -e 'count vfs_read by com" '<sudo><kmeter><-e><count vfs_read by comm>'
	with_more 'a command' 'kmeter -e x --color=never -- kmete' '<kmeter><-e><x><--color=never><--><kmeter>'
	with_more 'its words' 'kmeter -e x --color=never -- kmeter chec' '<kmeter><-e><x><--color=never><--><kmeter><check>'
	zpty -d more
else
	check 'bash-completion is not here # SKIP' '' ''
fi

if (( $+commands[fish] )); then
	fish=$(fish --no-config -c "source $top/packaging/completion/kmeter.fish
		for line in 'kmeter chec' 'kmeter show --color=alw' 'kmeter run a/f' 'kmeter run a/first fun' \\
				'kmeter --sysroot $root check a/first functions=vfs_creat' 'kmeter --sysroot $root -l tp:sched:sched_sw' \\
				'kmeter --sysroot $root -e \'measure vfs_creat' 'kmeter --sysroot $root -e \"measure vfs_creat' \\
				'kmeter -e \'measure vfs_read entr' 'kmeter library a/\\\\*' 'kmeter run ./ow' 'kmeter -e x --sysroot=su' \\
				'kmeter -e x -- kmete' 'kmeter run nosuch'
			complete -C \$line | string replace -r '\t.*' ''
			echo .
		end" 2>&1)
	check 'fish' "$fish" "check
.
--color=always
.
a/first
.
functions=
.
functions=vfs_create
functions=vfs_create_mount
.
tp:sched:sched_switch
.
measure vfs_create
measure vfs_create_mount
.
measure vfs_create
measure vfs_create_mount
.
measure vfs_read entries
.
a/*
.
./own file.km
.
--sysroot=sub/
.
kmeter
.
."
	check 'fish: with descriptions' "$(fish --no-config -c "source $top/packaging/completion/kmeter.fish; complete -C 'kmeter chec'" 2>&1)" $'check\tonly check the script; no kernel is touched (= --dry-run)'
else
	check 'fish is not here' no yes
fi
print 1..$count
(( failed == 0 ))
